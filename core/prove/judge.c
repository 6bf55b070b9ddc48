/* judge.c: runs both sides on one set of inputs and decides whether their difference is acceptable.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/run-side.h"
#include "core/prove/trial-private.h"

#include <float.h>
#include <math.h>

#include "core/ops/op-list.h"

/* Results may move so much farther than by a constant's last bit. */
#define JITTERS 4
#define TURNS   12 /* with few moving elements, few turns may underestimate the rounding error */
/* Results proved equal over the reals may differ by this much through rounding without further checks. */
#define PROVED 1e-6
/* The same for results that only one side could compute in float32 alone. */
#define NARROW 1e-6
/* A lossy change may move results by this part of the largest: a sum of products of factors with 11 digits does. */
#define NEAR 0x1p-8

gboolean
ph_try_is_own_limit (PhTry *self, const GError *error)
{
  return g_error_matches (error, PH_ERROR, PH_ERROR_LIMIT) || !ph_model_is_known (self->pair->after);
}

gboolean
ph_try_was_cancelled (PhTry *self)
{
  return g_cancellable_is_cancelled (self->options->cancellable);
}

/* Returns the size of @inputs relative to their full size; it is below 1 if a part of an image was cut out. */
static double
share_of (PhTry *self, GPtrArray *inputs)
{
  double all = 0, now = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      const PhType *type = self->options->captured != NULL && self->options->captured[i] != NULL
                               ? ph_type_of_tensor (self->options->captured[i])
                               : self->pair->types->pdata[i];
      const gint64 count = type != NULL ? ph_type_count (type) : -1;

      if (count <= 0)
        continue;
      all += (double) count;
      now += (double) ph_tensor_count (inputs->pdata[i]);
    }
  return all > 0 ? now / all : 1;
}

GPtrArray *
ph_try_run (PhTry *self, guint side, GPtrArray *inputs, gboolean in_double, gboolean reference, GError **error)
{
  PhSideOptions options = { .in_double = in_double,
                            .reference = reference,
                            .cancellable = self->options->cancellable,
                            .most_turns = PH_PROVE_TURNS,
                            .most_elements = self->made_up ? PH_PROVE_ELEMENTS : 0,
                            .narrow = in_double ? &self->trial->n_narrow : NULL,
                            .in_range = in_double && self->in_range,
                            .left_range = in_double ? &self->left_range : NULL,
                            .work = self->options->work,
                            .cost = self->options->cost * share_of (self, inputs) };

  const guint n_narrow = self->trial->n_narrow;
  GPtrArray *outputs;

  self->spent += self->options->cost * (in_double ? 3 : reference ? 2 : 1);
  if (self->options->whole && !self->options->asked)
    self->spent += (side == 0 ? self->pair->before : self->pair->after)->graph->n_nodes * PH_PROVE_NODE_FLOPS;
  outputs = ph_side_run (side == 0 ? self->pair->before : self->pair->after, inputs, &options, error);
  self->narrow[side] = self->trial->n_narrow - n_narrow;
  return outputs;
}

/* ── outputs ── */

/* Outputs kept for comparison, of different shapes. */
#define MAX_SEEN 4

static double
number_at (PhTensor *tensor, gsize i)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  return dtype == PH_STRING ? (double) g_str_hash (ph_tensor_get_string (tensor, i))
         : ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL ? ph_tensor_get (tensor, i)
                                                                                        : (double) i;
}

/* Returns TRUE if @tensor differs from an earlier output of the same shape, for other inputs. */
static gboolean
note_output (GPtrArray *seen, PhTensor *tensor)
{
  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
    return ph_tensor_count (tensor) > 0;
  for (guint s = 0; s < seen->len; s++)
    {
      PhTensor *other = seen->pdata[s];
      const gsize n = MIN (ph_tensor_count (tensor), 100000);

      if (ph_tensor_count (other) != ph_tensor_count (tensor) || ph_type_of_tensor (other) != ph_type_of_tensor (tensor))
        continue;
      for (gsize i = 0; i < n; i++)
        {
          const double a = number_at (tensor, i), b = number_at (other, i);

          if (isfinite (a) && isfinite (b) && fabs (a - b) > 1e-9 * fabs (b))
            return TRUE;
        }
      return FALSE;
    }
  for (gsize i = 0; seen->len < MAX_SEEN && i < MIN (ph_tensor_count (tensor), 100000); i++)
    if (isfinite (number_at (tensor, i)))
      {
        g_ptr_array_add (seen, ph_tensor_ref (tensor));
        break;
      }
  return FALSE;
}

/* Returns the largest finite magnitude. */
static double
size_of (PhTensor *tensor)
{
  const gsize n = ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_DOUBLE ? ph_tensor_count (tensor)
                                                                                                     : 0;
  const double *elements = n > 0 ? ph_tensor_data (tensor) : NULL;
  double largest = 0;

  for (gsize i = 0; elements != NULL && i < n; i++)
    {
      const double size = fabs (elements[i]);

      largest = isfinite (size) ? MAX (largest, size) : largest;
    }
  return largest;
}

static void
note_outputs (PhTry *self, PhSampleKind kind, GPtrArray *outputs)
{
  for (guint k = 0; k < outputs->len && (kind == PH_SAMPLE_CAPTURED || kind == PH_SAMPLE_NORMAL); k++)
    self->usual[k] = MAX (self->usual[k], size_of (outputs->pdata[k]));
  for (guint k = 0; k < outputs->len; k++)
    self->largest = MAX (self->largest, ph_tensor_count (outputs->pdata[k]));
  for (guint k = 0; k < outputs->len; k++)
    self->varies[k] = self->varies[k] || note_output (self->seen[k], outputs->pdata[k]);
}

/* ── a difference ── */

void
ph_try_set_different (PhTry *self, PhSampleKind kind, GPtrArray *inputs, guint output, gsize element, PhTensor *was, PhTensor *is,
                      char *why)
{
  PhTrial *trial = self->trial;

  trial->verdict = PH_VERDICT_DIFFERENT;
  trial->shown_by = kind;
  trial->witness = g_ptr_array_ref (inputs);
  trial->output = output;
  trial->element = element;
  if (was != NULL && is != NULL && why == NULL)
    {
      trial->expected = ph_element_to_string (was, element);
      trial->actual = ph_element_to_string (is, element);
      trial->place = ph_element_place (was, element);
      why = trial->expected != NULL && trial->actual != NULL
                ? g_strdup_printf ("element %" G_GSIZE_FORMAT ": %s is not %s", element, trial->actual, trial->expected)
                : g_strdup ("differs");
    }
  g_free (trial->why);
  trial->why = why;
}

/* Runs @side with the change's constants moved in their last bit. (transfer full) (nullable) */
static GPtrArray *
run_moved (PhTry *self, guint side, guint turn, GPtrArray *inputs)
{
  ph_jitter_apply (self->jitter, side, turn);
  GPtrArray *moved = ph_try_run (self, side, inputs, TRUE, FALSE, NULL);
  ph_jitter_restore (self->jitter, side);
  return moved;
}

/* Returns TRUE if an element of output @k is finite on one side only since a constant was rounded, as Acos of 6 times a sixth is. */
static gboolean
is_bound_by_rounding (PhTry *self, GPtrArray *inputs, GPtrArray *outputs[2], guint k)
{
  for (guint turn = 0; turn < TURNS && self->jitter != NULL; turn++)
    for (guint side = 0; side < 2; side++)
      {
        g_autoptr (GPtrArray) moved = ph_jitter_has (self->jitter, side) ? run_moved (self, side, turn, inputs) : NULL;
        g_auto (PhDistance) by = { 0 };

        if (moved == NULL)
          continue;
        by = ph_distance (side == 1 ? moved->pdata[k] : outputs[1]->pdata[k], side == 0 ? moved->pdata[k] : outputs[0]->pdata[k]);
        if (by.why == NULL && by.n_lost + by.n_gained + by.n_changed == 0)
          return TRUE;
      }
  return FALSE;
}

/* Measures how far output @k moves when the change's constants move in their last bit, relative to its largest element or @absolute; stops as
 * soon as that explains @error. @flips (out) (optional): an element that is not a float moves, since a value is rounded to the next step. */
static double
jitter_error (PhTry *self, GPtrArray *inputs, GPtrArray *outputs[2], guint k, double error, gboolean absolute, gboolean *flips)
{
  double largest = 0;

  for (guint turn = 0; turn < TURNS && self->jitter != NULL; turn++)
    for (guint side = 0; side < 2 && error > JITTERS * largest && !(flips != NULL && *flips); side++)
      {
        g_autoptr (GPtrArray) moved = ph_jitter_has (self->jitter, side) ? run_moved (self, side, turn, inputs) : NULL;

        if (moved != NULL)
          {
            g_auto (PhDistance) by = ph_distance (moved->pdata[k], outputs[side]->pdata[k]);

            largest = MAX (largest, absolute ? by.max_abs : isfinite (by.error) ? by.error : 0);
            if (flips != NULL)
              *flips = by.why == NULL && by.n_exact > 0;
          }
      }
  return largest;
}

/* Returns TRUE if jitter makes an element round to the next step; for the whole model if each rewrite is proved. */
static gboolean
is_rounded_beside (PhTry *self, GPtrArray *inputs, GPtrArray *outputs[2], guint k)
{
  gboolean flips = FALSE;

  if (self->options->proved)
    jitter_error (self, inputs, outputs, k, INFINITY, FALSE, &flips);
  return flips;
}

/* If each rewrite keeps its promise, their rounding may add up to this multiple of the model's own. */
#define OWN_ROUNDING 4

/* Returns TRUE if the model before, computed in its own types, differs as much from its result in double, or overflows as often. */
static gboolean
is_own_rounding (PhTry *self, GPtrArray *inputs, PhTensor *was, PhTensor *is, guint k, const PhDistance *distance)
{
  g_autoptr (GPtrArray) own = self->options->kept ? ph_try_run (self, 0, inputs, FALSE, FALSE, NULL) : NULL;
  gsize n_lost = 0;

  if (own == NULL || ph_tensor_kind (was) != PH_KIND_TENSOR || ph_tensor_count (own->pdata[k]) != ph_tensor_count (was))
    return FALSE;
  for (gsize i = 0; distance->n_lost > 0 && i < ph_tensor_count (was); i++)
    n_lost += isfinite (ph_tensor_get (was, i)) && !isfinite (ph_tensor_get (own->pdata[k], i));
  return distance->n_lost <= n_lost && distance->n_gained + distance->n_changed == 0
         && ph_distance_rms (is, was) <= OWN_ROUNDING * ph_distance_rms (own->pdata[k], was);
}

/* ── one set of inputs ── */

gboolean
ph_try_is_field_equal (PhTry *self)
{
  return self->trial->field != NULL && self->trial->field->result == PH_FIELD_EQUAL;
}

/* Returns FALSE if an element that is finite on one side only counts as a difference. */
static gboolean
may_be_unbounded (PhTry *self, PhSampleKind kind, const PhDistance *distance)
{
  const PhPromise promise = self->options->promise;

  if (promise == PH_PROMISE_BITS)
    return FALSE;
  if (promise == PH_PROMISE_NONE)
    return kind != PH_SAMPLE_NONFINITE && distance->n_lost == 0 && distance->n_changed == 0;
  return kind == PH_SAMPLE_NONFINITE || kind == PH_SAMPLE_EXTREME || distance->n_lost == 0;
}

static void
note_error (PhTrial *trial, guint k, const PhDistance *distance)
{
  PhTrialOutput *output = &trial->outputs[k];

  output->max_abs = MAX (output->max_abs, distance->max_abs);
  output->error = MAX (output->error, distance->error);
  trial->max_abs = MAX (trial->max_abs, distance->max_abs);
  trial->error = MAX (trial->error, distance->error);
}

static gboolean
has_floats (PhTry *self)
{
  for (guint i = 0; i < self->pair->types->len; i++)
    {
      const PhType *type = self->pair->types->pdata[i];

      if (type == NULL || type->kind != PH_KIND_TENSOR || ph_dtype_is_float (type->dtype))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if quantised elements differ by at most one step, which a lossy change allows. */
static gboolean
is_within_a_step (PhTry *self, PhTensor *was, PhTensor *is)
{
  const PhDType dtype = ph_tensor_dtype (was);

  if (self->options->promise != PH_PROMISE_NEAR || ph_tensor_kind (was) != PH_KIND_TENSOR
      || (dtype != PH_INT8 && dtype != PH_UINT8))
    return FALSE;
  for (gsize i = 0; i < ph_tensor_count (was); i++)
    if (ABS (ph_tensor_get_int (was, i) - ph_tensor_get_int (is, i)) > 1)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if output @k has the precision of the computation here. */
static gboolean
makes_doubles (PhTry *self, guint k)
{
  const PhType *type = ((PhValue *) self->pair->before->graph->outputs->pdata[k])->type;

  return type != NULL && type->kind == PH_KIND_TENSOR && type->dtype == PH_DOUBLE;
}

double
ph_try_folded_tolerance (PhTry *self, guint output)
{
  const PhType *type = ((PhValue *) self->pair->before->graph->outputs->pdata[output])->type;

  return type != NULL && (type->dtype == PH_FLOAT16 || type->dtype == PH_BFLOAT16) ? JITTERS * ph_half_step (type->dtype)
                                                                                   : PROVED;
}

/* Returns FALSE if output @k differs, which is then recorded. */
static gboolean
judge (PhTry *self, PhSampleKind kind, GPtrArray *inputs, GPtrArray *outputs[2], guint k)
{
  PhTensor *was = outputs[0]->pdata[k], *is = outputs[1]->pdata[k];
  g_auto (PhDistance) distance = ph_distance (is, was);
  const gsize unbounded = distance.n_lost + distance.n_gained + distance.n_changed;
  double tolerance = PH_TRY_LEAST;

  if (distance.why != NULL)
    {
      ph_try_set_different (self, kind, inputs, k, 0, NULL, NULL, g_steal_pointer (&distance.why));
      return FALSE;
    }
  if ((unbounded > 0 || distance.n_exact > 0 || distance.error > PH_TRY_LEAST) && kind == PH_SAMPLE_NONFINITE
      && self->options->promise == PH_PROMISE_NONE && ph_try_is_open (self, inputs, k))
    return TRUE;
  if (unbounded > 0 && !may_be_unbounded (self, kind, &distance) && !is_own_rounding (self, inputs, was, is, k, &distance)
      && (self->options->promise == PH_PROMISE_BITS || !is_bound_by_rounding (self, inputs, outputs, k)))
    {
      ph_try_set_different (self, kind, inputs, k,
                            distance.n_lost > 0     ? distance.lost_at
                            : distance.n_gained > 0 ? distance.gained_at
                                                    : distance.changed_at,
                            was, is, NULL);
      return FALSE;
    }
  self->trial->n_unbounded += unbounded;
  /* For NaN and infinities the promise makes an exception; the elements computed from them fall under it. Integers have neither. */
  if (distance.n_exact > 0 && has_floats (self) && (kind == PH_SAMPLE_NONFINITE || kind == PH_SAMPLE_EXTREME)
      && self->options->promise != PH_PROMISE_BITS && self->options->promise != PH_PROMISE_NONE)
    {
      self->trial->n_unbounded += distance.n_exact;
      return TRUE;
    }
  if (distance.n_exact > 0 && is_within_a_step (self, was, is))
    {
      distance.error = MAX (distance.error, NEAR);
      note_error (self->trial, k, &distance);
      return TRUE;
    }
  if (distance.n_exact > 0)
    {
      if (self->options->promise != PH_PROMISE_BITS
          && (ph_try_is_ill_conditioned (self, inputs, was, k, &distance) || is_rounded_beside (self, inputs, outputs, k)))
        return TRUE;
      distance.error = 1;
      note_error (self->trial, k, &distance);
      ph_try_set_different (self, kind, inputs, k, distance.at, was, is, NULL);
      return FALSE;
    }
  if (distance.error > PH_TRY_LEAST && kind == PH_SAMPLE_NONFINITE && self->options->promise != PH_PROMISE_BITS
      && self->options->promise != PH_PROMISE_NONE)
    {
      self->trial->n_unbounded++;
      return TRUE;
    }
  /* Negligible compared to the usual size of the output: cancellation such as 1 - 1. */
  if (distance.error > PH_TRY_LEAST && distance.max_abs <= DBL_EPSILON * self->usual[k]
      && self->options->promise != PH_PROMISE_BITS)
    return TRUE;
  if (distance.error > PH_TRY_LEAST && (ph_try_is_field_equal (self) || self->options->proved) && !makes_doubles (self, k))
    tolerance = PROVED;
  if (distance.error > PH_TRY_LEAST && self->options->promise == PH_PROMISE_NONE && !makes_doubles (self, k)
      && ph_try_is_folded (self, k))
    tolerance = ph_try_folded_tolerance (self, k);
  if (self->narrow[0] != self->narrow[1])
    tolerance = MAX (tolerance, NARROW);
  else if (self->narrow[0] > 0 && self->options->promise != PH_PROMISE_BITS)
    tolerance = MAX (tolerance, FLT_EPSILON); /* they may be other nodes, and round elsewhere */
  if (distance.error > tolerance)
    {
      const gboolean absolute = !isfinite (distance.error); /* all that is expected is 0: terms cancel out */
      const double error = absolute ? distance.max_abs : distance.error;
      const double moved = JITTERS * jitter_error (self, inputs, outputs, k, error, absolute, NULL);

      if (absolute && error <= moved)
        {
          self->trial->n_unbounded++; /* no tick for it: it is close at best */
          self->trial->max_abs = MAX (self->trial->max_abs, error);
          return TRUE;
        }
      tolerance = absolute ? tolerance : MAX (tolerance, moved);
      if (self->options->promise == PH_PROMISE_NEAR)
        tolerance = MAX (tolerance, NEAR);
    }
  if (distance.error > tolerance && !ph_try_is_ill_conditioned (self, inputs, was, k, &distance)
      && !is_own_rounding (self, inputs, was, is, k, &distance))
    {
      note_error (self->trial, k, &distance);
      ph_try_set_different (self, kind, inputs, k, distance.at, was, is, NULL);
      return FALSE;
    }
  if (distance.error <= tolerance)
    {
      note_error (self->trial, k, &distance);
      self->trial->tolerance = MAX (self->trial->tolerance, tolerance);
    }
  return TRUE;
}

gboolean
ph_graph_sums (PhGraph *graph)
{
  static const PhOp *const moving[] = { &ph_op_Cast, &ph_op_Where, &ph_op_Clip, &ph_op_Max, &ph_op_Min, NULL };

  PH_FOREACH_NODE (node, graph)
    {
      gboolean simple = node->op != NULL && (node->op->flags & (PH_OP_ELEMENTWISE | PH_OP_DATA_MOVEMENT | PH_OP_SHAPE_ONLY)) != 0;

      for (guint i = 0; moving[i] != NULL && !simple; i++)
        simple = node->op == moving[i];
      if (!simple)
        return TRUE;
    }
  return FALSE;
}

static gboolean
are_same (GPtrArray *outputs[2], guint *k, gsize *at)
{
  for (*k = 0; *k < outputs[0]->len; (*k)++)
    if (!ph_same_bits (outputs[1]->pdata[*k], outputs[0]->pdata[*k], at))
      return FALSE;
  return TRUE;
}

gboolean
ph_try_same_bits (PhTry *self, GPtrArray *inputs, GPtrArray *outputs[2], guint *k, gsize *at)
{
  g_autoptr (GPtrArray) was = NULL, is = NULL;
  guint any_k;
  gsize any_at;

  if (are_same (outputs, k, at))
    return TRUE;
  if (self->jitter == NULL || !ph_jitter_has (self->jitter, 1))
    return FALSE;
  was = ph_try_run (self, 0, inputs, FALSE, FALSE, NULL);
  is = was != NULL ? ph_try_run (self, 1, inputs, FALSE, FALSE, NULL) : NULL;
  return is != NULL && are_same ((GPtrArray *[2]) { was, is }, &any_k, &any_at);
}

gboolean
ph_try_inputs (PhTry *self, PhSampleKind kind, GPtrArray *inputs, gboolean *worked, GError **problem)
{
  const gboolean bits = self->options->promise == PH_PROMISE_BITS;
  g_autoptr (GPtrArray) was = NULL, is = NULL;
  g_autoptr (GError) own = NULL;
  GPtrArray *outputs[2];
  guint k = 0;
  gsize at = 0;

  self->left_range = FALSE;
  self->made_up = kind != PH_SAMPLE_CAPTURED;
  was = ph_try_run (self, 0, inputs, !bits, bits, problem);
  *worked = was != NULL;
  if (was == NULL)
    return !ph_try_was_cancelled (self);
  is = ph_try_run (self, 1, inputs, !bits, bits, &own);
  if (ph_try_was_cancelled (self))
    return FALSE;
  if (is == NULL && ph_try_is_own_limit (self, own))
    {
      *worked = FALSE;
      self->n_beyond++;
      if (problem != NULL)
        g_propagate_error (problem, g_steal_pointer (&own));
      return TRUE;
    }
  self->trial->n_sets++;
  self->trial->kinds |= 1u << kind;
  if (is == NULL)
    {
      ph_try_set_different (self, kind, inputs, 0, 0, NULL, NULL,
                            g_strdup_printf ("cannot be computed any more: %s", own->message));
      return FALSE;
    }
  note_outputs (self, kind, was);
  outputs[0] = was;
  outputs[1] = is;
  if (bits)
    {
      g_autoptr (GPtrArray) exact_was = NULL, exact_is = NULL;

      if (ph_try_same_bits (self, inputs, outputs, &k, &at))
        return TRUE;
      exact_was = ph_try_run (self, 0, inputs, TRUE, FALSE, NULL);
      exact_is = exact_was != NULL ? ph_try_run (self, 1, inputs, TRUE, FALSE, NULL) : NULL;
      if (ph_try_was_cancelled (self))
        return FALSE;
      if (exact_is != NULL && ph_graph_sums (self->pair->before->graph) && ph_graph_sums (self->pair->after->graph))
        {
          GPtrArray *exact[2] = { exact_was, exact_is };

          for (k = 0; k < exact_is->len; k++)
            if (!judge (self, kind, inputs, exact, k))
              return FALSE;
          self->trial->bits_differ = TRUE;
          return TRUE;
        }
      if (exact_is != NULL)
        {
          g_auto (PhDistance) distance = ph_distance (exact_is->pdata[k], exact_was->pdata[k]);

          note_error (self->trial, k, &distance);
        }
      ph_try_set_different (self, kind, inputs, k, at, was->pdata[k], is->pdata[k], NULL);
      return FALSE;
    }
  for (k = 0; k < was->len; k++)
    if (!judge (self, kind, inputs, outputs, k))
      return FALSE;
  if (!ph_try_judge_range (self, kind, inputs, outputs))
    return FALSE;
  if (kind == PH_SAMPLE_NORMAL && !self->trial->loses_accuracy)
    ph_try_check_accuracy (self, inputs, outputs);
  return !ph_try_was_cancelled (self);
}
