/* trial.c: one pair of models, before and after, tried on many inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/trial.h"

#include <math.h>

#include "core/ops/op-list.h"
#include "core/prove/distance.h"
#include "core/tensor/compare.h"

/* What differs by less than this in double is rounding of double. */
#define LEAST 1e-12
/* Results may move so much farther than by a constant's last bit. */
#define JITTERS 4
/* What is proved as real numbers may be rounded as much as this without a further question. */
#define PROVED 1e-6
/* A lossy change may move results by so much of the largest. */
#define NEAR 1e-3

/* In this order; the first ones are tried whatever they cost. */
static const struct { PhSampleKind kind; guint turn; } plan[] = {
  { PH_SAMPLE_CAPTURED, 0 }, { PH_SAMPLE_NORMAL, 0 }, { PH_SAMPLE_REACH, 0 }, { PH_SAMPLE_NONFINITE, 0 }, { PH_SAMPLE_EXTREME, 0 },
  { PH_SAMPLE_DENSE, 0 }, { PH_SAMPLE_REACH, 1 }, { PH_SAMPLE_WIDE, 0 }, { PH_SAMPLE_DENSE, 1 }, { PH_SAMPLE_REACH, 2 },
  { PH_SAMPLE_NONFINITE, 1 }, { PH_SAMPLE_EXTREME, 1 }, { PH_SAMPLE_NORMAL, 1 }, { PH_SAMPLE_REACH, 3 }, { PH_SAMPLE_NONFINITE, 2 },
  { PH_SAMPLE_DENSE, 2 }, { PH_SAMPLE_DENSE, 3 },
};
#define N_FIRST 2
/* More of normal and wide ones, where results jump: a jump that lies a little elsewhere shows on few inputs. */
#define N_MORE 24
#define N_BEND 6      /* and elsewhere, where exact evaluation did not settle it: a maximum has bends too */

/* How the shapes of made-up values are chosen. */
typedef struct { guint sizes; gboolean captured; gint64 crop; } Shapes;

typedef struct
{
  const PhPair         *pair;
  const PhTrialOptions *options;
  PhTrial              *trial;
  PhSampler            *sampler;
  PhJitter             *jitter;      /* (nullable)                                                          */
  GArray               *shapes;      /* (element-type Shapes) that work                                     */
  gint64                crop;
  gboolean              whole_captured;   /* a captured value for each input                                */
  gboolean              varied;
  double               *first;       /* of each output: its first finite element, NaN as long as there is none */
  double                spent;
  GError              **error;
} Try;

/* ── the trial ── */

void
ph_trial_free (PhTrial *trial)
{
  g_free (trial->outputs);
  g_free (trial->why);
  g_free (trial->expected);
  g_free (trial->actual);
  g_clear_pointer (&trial->field, ph_field_report_free);
  g_clear_pointer (&trial->witness, g_ptr_array_unref);
  g_free (trial);
}

PhTrial *
ph_trial_copy (const PhTrial *trial)
{
  PhTrial *copy = g_memdup2 (trial, sizeof *trial);

  copy->outputs = NULL;
  copy->witness = NULL;
  copy->why = g_strdup (trial->why);
  copy->expected = g_strdup (trial->expected);
  copy->actual = g_strdup (trial->actual);
  if (trial->field != NULL)
    {
      copy->field = g_memdup2 (trial->field, sizeof *trial->field);
      copy->field->why = g_strdup (trial->field->why);
    }
  return copy;
}

static gboolean
was_cancelled (Try *self)
{
  return g_cancellable_is_cancelled (self->options->cancellable);
}

/* How much smaller than at their full size @inputs are: a part of an image was cut out. */
static double
share_of (Try *self, GPtrArray *inputs)
{
  double all = 0, now = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      const PhType *type = self->options->captured != NULL && self->options->captured[i] != NULL ? ph_type_of_tensor (self->options->captured[i])
                                                                                                : self->pair->types->pdata[i];
      const gint64  count = type != NULL ? ph_type_count (type) : -1;

      if (count <= 0)
        continue;
      all += (double) count;
      now += (double) ph_tensor_count (inputs->pdata[i]);
    }
  return all > 0 ? now / all : 1;
}

static GPtrArray *
run (Try *self, guint side, GPtrArray *inputs, gboolean in_double, gboolean reference, GError **error)
{
  PhSideOptions options = { .in_double = in_double, .reference = reference, .cancellable = self->options->cancellable,
                            .narrow = in_double ? &self->trial->n_narrow : NULL, .work = self->options->work,
                            .cost = self->options->cost * share_of (self, inputs) };

  self->spent += self->options->cost * (in_double ? 3 : reference ? 2 : 1);
  return ph_side_run (side == 0 ? self->pair->before : self->pair->after, inputs, &options, error);
}

/* ── what varies ── */

static void
note_variation (Try *self, GPtrArray *outputs)
{
  for (guint k = 0; k < outputs->len && !self->varied; k++)
    {
      PhTensor   *tensor = outputs->pdata[k];
      const gsize n = ph_tensor_kind (tensor) == PH_KIND_TENSOR ? MIN (ph_tensor_count (tensor), 100000) : 0;

      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
        {
          self->varied = ph_tensor_count (tensor) > 0;
          continue;
        }
      for (gsize i = 0; i < n && !self->varied; i++)
        {
          const double value = ph_tensor_dtype (tensor) == PH_STRING ? (double) g_str_hash (ph_tensor_get_string (tensor, i))
                               : ph_dtype_is_float (ph_tensor_dtype (tensor)) || ph_dtype_is_integer (ph_tensor_dtype (tensor)) ||
                                       ph_tensor_dtype (tensor) == PH_BOOL
                                   ? ph_tensor_get (tensor, i) : (double) i;

          if (!isfinite (value))
            continue;
          if (isnan (self->first[k]))
            self->first[k] = value;
          else
            self->varied = fabs (value - self->first[k]) > 1e-9 * fabs (self->first[k]);
        }
    }
}

/* ── a difference ── */

static void
set_different (Try *self, PhSampleKind kind, GPtrArray *inputs, guint output, gsize element, PhTensor *was, PhTensor *is, char *why)
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
      why = trial->expected != NULL && trial->actual != NULL
                ? g_strdup_printf ("element %" G_GSIZE_FORMAT ": %s is not %s", element, trial->actual, trial->expected)
                : g_strdup ("differs");
    }
  g_free (trial->why);
  trial->why = why;
}

static GPtrArray *
nudged (GPtrArray *inputs)
{
  GPtrArray *others = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < inputs->len; i++)
    {
      PhTensor *tensor = inputs->pdata[i], *copy;
      double   *out;

      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (tensor)))
        {
          g_ptr_array_add (others, ph_tensor_ref (tensor));
          continue;
        }
      copy = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
      out = ph_tensor_writable (copy);
      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        out[k] = ph_tensor_get (tensor, k) * (1 + ((k * 2654435761u >> 7) & 1 ? 0x1p-48 : -0x1p-48));
      g_ptr_array_add (others, copy);
    }
  return others;
}

/* Whether rounding of double explains it: what comes in moved in its last bits moves what comes out as far. A change that
 * promises nothing is not excused where the function jumps: that may be what was changed. */
static gboolean
is_ill_conditioned (Try *self, GPtrArray *inputs, PhTensor *was, guint output, const PhDistance *distance)
{
  g_autoptr(GPtrArray) others = NULL, moved = NULL;
  g_auto(PhDistance)   by = { 0 };

  if (self->options->promise == PH_PROMISE_NONE && (distance->error > 1e-6 || distance->n_exact > 0))
    return FALSE;
  others = nudged (inputs);
  moved = run (self, 0, others, TRUE, FALSE, NULL);
  if (moved == NULL)
    return FALSE;
  by = ph_distance (moved->pdata[output], was);
  return by.why == NULL && (distance->n_exact > 0 ? by.n_exact > 0 : distance->error <= 16 * by.error);
}

/* How far constants of the change, moved in their last bit, move output @k; no more of them are moved than explain @error. */
static double
jitter_error (Try *self, GPtrArray *inputs, GPtrArray *outputs[2], guint k, double error)
{
  double largest = 0;

  if (self->jitter == NULL)
    return 0;
  for (guint turn = 0; turn < 3; turn++)
    for (guint side = 0; side < 2 && error > JITTERS * largest; side++)
      {
        g_autoptr(GPtrArray) moved = NULL;

        if (!ph_jitter_has (self->jitter, side))
          continue;
        ph_jitter_apply (self->jitter, side, turn);
        moved = run (self, side, inputs, TRUE, FALSE, NULL);
        ph_jitter_restore (self->jitter, side);
        if (moved != NULL)
          {
            g_auto(PhDistance) by = ph_distance (moved->pdata[k], outputs[side]->pdata[k]);

            largest = MAX (largest, isfinite (by.error) ? by.error : 0);
          }
      }
  return largest;
}

/* ── one set of inputs ── */

static gboolean
is_field_equal (Try *self)
{
  return self->trial->field != NULL && self->trial->field->result == PH_FIELD_EQUAL;
}

/* FALSE: an element that is finite on one side only is a difference. */
static gboolean
may_be_unbounded (Try *self, PhSampleKind kind, const PhDistance *distance)
{
  const PhPromise promise = self->options->promise;

  if (promise == PH_PROMISE_BITS)
    return FALSE;
  if (promise == PH_PROMISE_NONE)
    return kind != PH_SAMPLE_NONFINITE && distance->n_lost == 0;
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

/* FALSE: it differs, and that has been noted. */
static gboolean
judge (Try *self, PhSampleKind kind, GPtrArray *inputs, GPtrArray *outputs[2], guint k)
{
  PhTensor          *was = outputs[0]->pdata[k], *is = outputs[1]->pdata[k];
  g_auto(PhDistance) distance = ph_distance (is, was);
  const gsize        unbounded = distance.n_lost + distance.n_gained + distance.n_changed;
  double             tolerance = LEAST;

  if (distance.why != NULL)
    {
      set_different (self, kind, inputs, k, 0, NULL, NULL, g_steal_pointer (&distance.why));
      return FALSE;
    }
  if (unbounded > 0 && !may_be_unbounded (self, kind, &distance))
    {
      set_different (self, kind, inputs, k, distance.n_lost > 0 ? distance.lost_at : distance.n_gained > 0 ? distance.gained_at : distance.changed_at,
                     was, is, NULL);
      return FALSE;
    }
  self->trial->n_unbounded += unbounded;
  /* What NaN and infinities are made of is excepted as a whole, by those that except them. */
  if (distance.n_exact > 0 && (kind == PH_SAMPLE_NONFINITE || kind == PH_SAMPLE_EXTREME) && self->options->promise != PH_PROMISE_BITS &&
      self->options->promise != PH_PROMISE_NONE)
    {
      self->trial->n_unbounded += distance.n_exact;
      return TRUE;
    }
  if (distance.n_exact > 0)
    {
      if (self->options->promise != PH_PROMISE_BITS && is_ill_conditioned (self, inputs, was, k, &distance))
        return TRUE;
      distance.error = 1;
      note_error (self->trial, k, &distance);
      set_different (self, kind, inputs, k, distance.at, was, is, NULL);
      return FALSE;
    }
  if (distance.error > LEAST && kind == PH_SAMPLE_NONFINITE && self->options->promise != PH_PROMISE_BITS && self->options->promise != PH_PROMISE_NONE)
    {
      self->trial->n_unbounded++;
      return TRUE;
    }
  if (distance.error > LEAST && is_field_equal (self))
    tolerance = PROVED;
  if (distance.error > tolerance)
    {
      tolerance = MAX (tolerance, JITTERS * jitter_error (self, inputs, outputs, k, distance.error));
      if (self->options->promise == PH_PROMISE_NEAR)
        tolerance = MAX (tolerance, NEAR);
    }
  if (distance.error > tolerance && !is_ill_conditioned (self, inputs, was, k, &distance))
    {
      note_error (self->trial, k, &distance);
      set_different (self, kind, inputs, k, distance.at, was, is, NULL);
      return FALSE;
    }
  if (distance.error <= tolerance)
    {
      note_error (self->trial, k, &distance);
      self->trial->tolerance = MAX (self->trial->tolerance, tolerance);
    }
  return TRUE;
}

static gboolean
sums (PhGraph *graph)
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

/* Every bit of float32, as the reference kernels compute it. TRUE: the same; FALSE: see @k and @at. */
static gboolean
same_in_float (GPtrArray *outputs[2], guint *k, gsize *at)
{
  for (*k = 0; *k < outputs[0]->len; (*k)++)
    if (!ph_same_bits (outputs[1]->pdata[*k], outputs[0]->pdata[*k], at))
      return FALSE;
  return TRUE;
}

static guint64
ulps_between (PhTensor *a, PhTensor *b)
{
  g_auto(PhComparison) result = ph_tensor_compare (a, b, PH_TOLERANCE_ONNX);

  return result.max_ulp;
}

/* PyTorch's measure of its own compiled results: the error against double may grow, but not by much. */
static void
check_accuracy (Try *self, GPtrArray *inputs, GPtrArray *exact[2])
{
  g_autoptr(GPtrArray) was = run (self, 0, inputs, FALSE, FALSE, NULL), is = was != NULL ? run (self, 1, inputs, FALSE, FALSE, NULL) : NULL;

  for (guint k = 0; is != NULL && k < is->len; k++)
    {
      PhTensor *a = is->pdata[k], *b = was->pdata[k];
      double    before, after, scale = 0;

      if (ph_tensor_kind (a) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (a)) || ph_tensor_dtype (a) != ph_tensor_dtype (b) ||
          ph_tensor_count (a) == 0 || ph_tensor_dtype (a) == PH_DOUBLE)
        continue;
      self->trial->outputs[k].max_ulp = MAX (self->trial->outputs[k].max_ulp, ulps_between (a, b));
      before = ph_distance_rms (b, exact[0]->pdata[k]);
      after = ph_distance_rms (a, exact[1]->pdata[k]);
      for (gsize i = 0; i < MIN (ph_tensor_count (b), 100000); i++)
        {
          const double value = fabs (ph_tensor_get (b, i));

          scale = isfinite (value) ? MAX (scale, value) : scale;
        }
      self->trial->loses_accuracy |= after > 3 * before + 4 * 0x1p-23 * scale;
    }
}

/* FALSE: cancelled, or there is nothing more to try. @inputs could not be computed before: @problem (nullable) says why. */
static gboolean
try_inputs (Try *self, PhSampleKind kind, GPtrArray *inputs, gboolean *worked, GError **problem)
{
  const gboolean       bits = self->options->promise == PH_PROMISE_BITS;
  g_autoptr(GPtrArray) was = run (self, 0, inputs, !bits, bits, problem), is = NULL;
  g_autoptr(GError)    own = NULL;
  GPtrArray           *outputs[2];
  guint                k = 0;
  gsize                at = 0;

  *worked = was != NULL;
  if (was == NULL)
    return !was_cancelled (self);
  is = run (self, 1, inputs, !bits, bits, &own);
  if (was_cancelled (self))
    return FALSE;
  self->trial->n_sets++;
  self->trial->kinds |= 1u << kind;
  if (is == NULL)
    {
      set_different (self, kind, inputs, 0, 0, NULL, NULL, g_strdup_printf ("cannot be computed any more: %s", own->message));
      return FALSE;
    }
  note_variation (self, was);
  outputs[0] = was;
  outputs[1] = is;
  if (bits)
    {
      g_autoptr(GPtrArray) exact_was = NULL, exact_is = NULL;

      if (same_in_float (outputs, &k, &at))
        return TRUE;
      exact_was = run (self, 0, inputs, TRUE, FALSE, NULL);
      exact_is = exact_was != NULL ? run (self, 1, inputs, TRUE, FALSE, NULL) : NULL;
      if (was_cancelled (self))
        return FALSE;
      if (exact_is != NULL && sums (self->pair->before->graph) && sums (self->pair->after->graph))
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
          g_auto(PhDistance) distance = ph_distance (exact_is->pdata[k], exact_was->pdata[k]);

          note_error (self->trial, k, &distance);
        }
      set_different (self, kind, inputs, k, at, was->pdata[k], is->pdata[k], NULL);
      return FALSE;
    }
  for (k = 0; k < was->len; k++)
    if (!judge (self, kind, inputs, outputs, k))
      return FALSE;
  if (kind == PH_SAMPLE_NORMAL && !self->trial->loses_accuracy)
    check_accuracy (self, inputs, outputs);
  return !was_cancelled (self);
}

/* ── shapes ── */

static GPtrArray *
draw (Try *self, PhSampleKind kind, guint turn, Shapes shapes)
{
  return ph_sampler_draw (self->sampler, kind, turn, shapes.sizes, shapes.captured, shapes.crop, self->options->captured);
}

static gboolean
works (Try *self, Shapes shapes, GError **problem)
{
  g_autoptr(GPtrArray) inputs = draw (self, PH_SAMPLE_NORMAL, 0, shapes), outputs = NULL;
  g_autoptr(GError)    own = NULL;

  if (inputs == NULL)
    {
      if (problem != NULL && *problem == NULL)
        g_set_error_literal (problem, PH_ERROR, PH_ERROR_UNSUPPORTED, "nothing can be made up for an input of unknown shape");
      return FALSE;
    }
  outputs = run (self, 0, inputs, FALSE, FALSE, &own);
  if (outputs == NULL && problem != NULL && *problem == NULL)
    *problem = g_steal_pointer (&own);
  return outputs != NULL;
}

/* Where a part of an image does not do, all of it may. */
static void
add_shapes (Try *self, Shapes shapes, GError **problem)
{
  if (!works (self, shapes, problem))
    {
      if (shapes.crop == 1)
        return;
      shapes.crop = 1;
      if (!works (self, shapes, NULL))
        return;
    }
  g_array_append_val (self->shapes, shapes);
}

/* Sizes of its own for each symbol, and those that were captured; where neither can be computed, others until one can. */
static void
find_shapes (Try *self, GError **problem)
{
  const guint n = ph_sampler_n_sizes (self->sampler);

  add_shapes (self, (Shapes) { 0, FALSE, self->crop }, problem);
  if (n > 1 && self->whole_captured)
    add_shapes (self, (Shapes) { 0, TRUE, self->crop }, NULL);
  for (guint i = 1; i < n && self->shapes->len < 2 && !was_cancelled (self); i++)
    add_shapes (self, (Shapes) { i, FALSE, 1 }, NULL);
  /* Where nothing is wider than one, shapes that only look alike part. */
  if (n > 2 && self->shapes->len > 0)
    add_shapes (self, (Shapes) { 2, FALSE, 1 }, NULL);
  self->trial->n_sizes = self->shapes->len;
  self->trial->any_size = n > 1;
}

/* ── the field ── */

static PhFieldReport *
field_at (Try *self, GPtrArray *inputs)
{
  g_autoptr(GHashTable) fixed = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < inputs->len; i++)
    if (ph_tensor_kind (inputs->pdata[i]) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (inputs->pdata[i])))
      g_hash_table_insert (fixed, GUINT_TO_POINTER (i), inputs->pdata[i]);
  return ph_field_compare (self->pair->before, self->pair->after, fixed, (PhTensor *const *) inputs->pdata, self->options->seed + 1,
                           self->options->images, self->options->cancellable);
}

/* Indices are no variables there: what holds for one draw of them may be a coincidence. */
static guint
n_draws (Try *self)
{
  for (guint i = 0; i < self->pair->types->len; i++)
    {
      const PhType *type = self->pair->types->pdata[i];

      if (type == NULL || !ph_dtype_is_float (type->dtype))
        return 4;
    }
  return 1;
}

/* Equal at all shapes that work, or not proved. */
static void
evaluate_over_field (Try *self)
{
  const guint draws = n_draws (self);

  for (guint s = 0; s < self->shapes->len * draws && !was_cancelled (self); s++)
    {
      g_autoptr(GPtrArray) inputs = draw (self, PH_SAMPLE_REACH, s / self->shapes->len, g_array_index (self->shapes, Shapes, s % self->shapes->len));
      PhFieldReport       *report = inputs != NULL ? field_at (self, inputs) : NULL;

      if (report == NULL)
        continue;
      g_clear_pointer (&self->trial->field, ph_field_report_free);
      self->trial->field = report;
      if (self->options->work != NULL)
        {
          self->options->work->n_field_nodes += report->n_nodes;
          self->options->work->field_work += report->work;
        }
      if (report->result != PH_FIELD_EQUAL)
        return;
    }
}

/* ── without inputs ── */

static gboolean
is_identity (const PhPair *pair)
{
  if (pair->before->graph->first != NULL || pair->after->graph->first != NULL)
    return FALSE;
  for (guint i = 0; i < pair->outputs->len; i++)
    {
      const PhValue *was = pair->before->graph->outputs->pdata[i], *is = pair->after->graph->outputs->pdata[i];

      if (was->is_input && is->is_input) /* the same place among the inputs */
        {
          guint a, b;

          if (!g_ptr_array_find (pair->before->graph->inputs, was, &a) || !g_ptr_array_find (pair->after->graph->inputs, is, &b) || a != b)
            return FALSE;
        }
      else if (was->tensor == NULL || is->tensor == NULL || !ph_tensor_equal (was->tensor, is->tensor))
        return FALSE;
    }
  return TRUE;
}

static gboolean
try_constants (Try *self, GError **problem)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new (), was = run (self, 0, inputs, FALSE, TRUE, problem), is = NULL;
  g_autoptr(GError)    own = NULL;
  GPtrArray           *outputs[2];
  guint                k;
  gsize                at;

  if (was == NULL)
    return FALSE;
  is = run (self, 1, inputs, FALSE, TRUE, &own);
  if (is == NULL)
    {
      set_different (self, PH_SAMPLE_CAPTURED, inputs, 0, 0, NULL, NULL, g_strdup_printf ("cannot be computed any more: %s", own->message));
      return TRUE;
    }
  outputs[0] = was;
  outputs[1] = is;
  if (same_in_float (outputs, &k, &at))
    {
      self->trial->verdict = PH_VERDICT_PROVED;
      self->trial->why = g_strdup ("constants, equal to the last bit");
      return TRUE;
    }
  return FALSE;
}

/* ── all of it ── */

static void
conclude (Try *self, GError *problem)
{
  PhTrial *trial = self->trial;

  if (trial->verdict != PH_VERDICT_NONE)
    return;
  if (trial->n_sets == 0)
    {
      trial->why = g_strdup (problem != NULL ? problem->message : "no inputs could be made up");
      return;
    }
  /* Where no integer was needed as it was fed, it is proved for all of them. */
  if (is_field_equal (self) && (!trial->field->used_fixed || !ph_sampler_has_integers (self->sampler)))
    trial->verdict = PH_VERDICT_PROVED;
  else if (!self->varied)
    {
      trial->verdict = PH_VERDICT_NOTHING;
      trial->why = g_strdup ("what comes out is the same whatever goes in, or NaN");
    }
  else
    trial->verdict = trial->n_unbounded == 0 && !trial->bits_differ && trial->error <= LEAST ? PH_VERDICT_SAME : PH_VERDICT_CLOSE;
}

static gboolean
jumps (PhGraph *graph)
{
  static const PhOp *const ops[] = { &ph_op_QuantizeLinear, &ph_op_DynamicQuantizeLinear, &ph_op_QLinearConv, &ph_op_QLinearMatMul, &ph_op_Round,
                                     &ph_op_Floor, &ph_op_Ceil, &ph_op_Greater, &ph_op_GreaterOrEqual, &ph_op_Less, &ph_op_LessOrEqual,
                                     &ph_op_ArgMax, &ph_op_ArgMin, &ph_op_TopK, &ph_op_NonMaxSuppression, NULL };

  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; ops[i] != NULL; i++)
        if (node->op == ops[i])
          return TRUE;
      if (node->op == &ph_op_Cast && !ph_dtype_is_float ((PhDType) ph_node_attr_int (node, "to", PH_FLOAT)))
        return TRUE;
      for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
        if (jumps (node->graphs->pdata[g]))
          return TRUE;
    }
  return FALSE;
}

static gboolean
try_all (Try *self, GError **problem)
{
  const guint more = is_field_equal (self) ? 0 : jumps (self->pair->before->graph) || jumps (self->pair->after->graph) ? N_MORE : N_BEND;
  guint made = 0;

  for (guint i = 0; i < G_N_ELEMENTS (plan) + more; i++)
    {
      const gboolean       planned = i < G_N_ELEMENTS (plan);
      const PhSampleKind   kind = planned ? plan[i].kind : i % 2 ? PH_SAMPLE_NORMAL : PH_SAMPLE_WIDE;
      const guint          turn = planned ? plan[i].turn : 2 + i - G_N_ELEMENTS (plan);
      g_autoptr(GPtrArray) inputs = NULL;
      gboolean             worked;

      if (i >= N_FIRST && self->trial->n_sets > 0 && self->spent > self->options->flops)
        break;
      if (kind == PH_SAMPLE_CAPTURED ? !self->whole_captured : self->shapes->len == 0)
        continue;
      /* What is proved need not be computed at its full size. */
      if (kind == PH_SAMPLE_CAPTURED && is_field_equal (self) && self->crop > 1)
        continue;
      if (kind == PH_SAMPLE_NORMAL && self->trial->n_sets > 0 && self->options->whole && self->spent > self->options->flops)
        break;
      inputs = draw (self, kind, turn,
                     kind == PH_SAMPLE_CAPTURED ? (Shapes) { 0, TRUE, 1 } : g_array_index (self->shapes, Shapes, made++ % self->shapes->len));
      if (inputs == NULL)
        continue;
      if (!try_inputs (self, kind, inputs, &worked, *problem == NULL ? problem : NULL))
        return !was_cancelled (self);
    }
  return !was_cancelled (self);
}

/* Large images say no more than small ones; windows see the same at each place. */
static gint64
choose_crop (Try *self)
{
  const double most = self->options->flops / 200;

  return self->options->cost > most ? CLAMP ((gint64) sqrt (self->options->cost / most), 2, 8) : 1;
}

PhTrial *
ph_pair_try (const PhPair *pair, const PhTrialOptions *options, GError **error)
{
  g_autoptr(PhTrial)   trial = g_new0 (PhTrial, 1);
  g_autoptr(PhSampler) sampler = ph_sampler_new (pair, options->bounds, options->seed);
  g_autoptr(GArray)    shapes = g_array_new (FALSE, FALSE, sizeof (Shapes));
  g_autofree double   *first = g_new (double, pair->outputs->len + 1);
  g_autoptr(GError)    problem = NULL;
  Try                  self = { pair, options, trial, sampler, .shapes = shapes, .first = first, .error = error };

  trial->outputs = g_new0 (PhTrialOutput, pair->outputs->len + 1);
  for (guint i = 0; i < pair->outputs->len; i++)
    first[i] = NAN;
  for (guint i = 0; options->is_free != NULL && i < pair->inputs->len; i++)
    if (options->is_free[i])
      ph_sampler_set_free (sampler, i);
  self.whole_captured = options->captured != NULL;
  for (guint i = 0; i < pair->inputs->len && self.whole_captured; i++)
    self.whole_captured = options->captured[i] != NULL;
  if (is_identity (pair))
    {
      trial->verdict = PH_VERDICT_PROVED;
      return g_steal_pointer (&trial);
    }
  if (pair->inputs->len == 0 && try_constants (&self, &problem))
    return g_steal_pointer (&trial);
  self.jitter = ph_jitter_new (pair);
  self.crop = options->whole ? 1 : choose_crop (&self);
  find_shapes (&self, &problem);
  if (!options->whole)
    evaluate_over_field (&self);
  if (!was_cancelled (&self) && try_all (&self, &problem))
    conclude (&self, problem);
  g_clear_pointer (&self.jitter, ph_jitter_free);
  if (options->cancellable != NULL && g_cancellable_set_error_if_cancelled (options->cancellable, error))
    return NULL;
  return g_steal_pointer (&trial);
}
