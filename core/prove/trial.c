/* trial.c: one pair of models, before and after, tried on many inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/trial-private.h"

#include <math.h>

#include "core/ops/op-list.h"
#include "core/prove/region-form.h"
#include "core/prove/rows.h"
#include "core/prove/samples/turns.h"

/* Sets of inputs that suffice if exact evaluation settled the rest and there is no pole. */
#define N_SETTLED 4

/* ── the trial ── */

void
ph_trial_free (PhTrial *trial)
{
  g_free (trial->outputs);
  g_free (trial->why);
  g_free (trial->expected);
  g_free (trial->actual);
  g_free (trial->place);
  g_clear_pointer (&trial->field, ph_field_report_free);
  g_clear_pointer (&trial->of_form, ph_field_report_free);
  g_clear_pointer (&trial->witness, g_ptr_array_unref);
  g_free (trial);
}

PhTrial *
ph_trial_copy (const PhTrial *trial)
{
  PhTrial *copy = g_memdup2 (trial, sizeof *trial);

  copy->outputs = NULL;
  copy->witness = NULL;
  copy->of_form = NULL;
  copy->why = g_strdup (trial->why);
  copy->expected = g_strdup (trial->expected);
  copy->actual = g_strdup (trial->actual);
  copy->place = g_strdup (trial->place);
  if (trial->field != NULL)
    copy->field = ph_field_report_copy (trial->field);
  return copy;
}

/* ── shapes ── */

/* Elements of the largest input of a set, where rows are independent and exact evaluation settled the question. */
#define PROVED_ROWS 1024

gboolean
ph_try_is_tight (PhTry *self)
{
  return !self->options->whole && self->pair->rows == 0 && !self->not_tight;
}

/* Generating a number costs as much as this many operations. */
#define DRAW_FLOPS 20

GPtrArray *
ph_try_draw (PhTry *self, PhSampleKind kind, guint turn, PhSampleShapes shapes)
{
  GPtrArray *inputs;

  if (shapes.most == 0)
    shapes.most = ph_try_is_field_equal (self) ? PROVED_ROWS : PH_SAMPLER_ROWS;
  shapes.tight |= ph_try_is_field_equal (self) && ph_try_is_tight (self);
  inputs = ph_sampler_draw (self->sampler, kind, turn, shapes, self->options->captured);
  for (guint i = 0;
       inputs != NULL && kind != PH_SAMPLE_CAPTURED && (shapes.far > 0 || ph_try_is_field_equal (self)) && i < inputs->len; i++)
    self->spent += DRAW_FLOPS * (double) ph_tensor_count (inputs->pdata[i]);
  return inputs;
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

          if (!g_ptr_array_find (pair->before->graph->inputs, was, &a) || !g_ptr_array_find (pair->after->graph->inputs, is, &b)
              || a != b)
            return FALSE;
        }
      else if (was->tensor == NULL || is->tensor == NULL || !ph_tensor_equal (was->tensor, is->tensor))
        return FALSE;
    }
  return TRUE;
}

static gboolean
try_constants (PhTry *self, GError **problem)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), was = ph_try_run (self, 0, inputs, FALSE, TRUE, problem), is = NULL;
  g_autoptr (GError) own = NULL;
  GPtrArray *outputs[2];
  guint k;
  gsize at;

  if (was == NULL)
    return FALSE;
  is = ph_try_run (self, 1, inputs, FALSE, TRUE, &own);
  if (is == NULL && ph_try_is_own_limit (self, own))
    {
      g_propagate_error (problem, g_steal_pointer (&own));
      return FALSE;
    }
  if (is == NULL)
    {
      ph_try_set_different (self, PH_SAMPLE_CAPTURED, inputs, 0, 0, NULL, NULL,
                            g_strdup_printf ("cannot be computed any more: %s", own->message));
      return TRUE;
    }
  outputs[0] = was;
  outputs[1] = is;
  if (ph_try_same_bits (self, inputs, outputs, &k, &at))
    {
      self->trial->verdict = PH_VERDICT_PROVED;
      self->trial->why = g_strdup ("constants, equal to the last bit");
      return TRUE;
    }
  return FALSE;
}

/* ── the verdict ── */

static void
conclude (PhTry *self, GError *problem)
{
  PhTrial *trial = self->trial;

  if (trial->verdict != PH_VERDICT_NONE)
    return;
  if (trial->n_sets == 0)
    {
      trial->why = g_strdup (problem != NULL ? problem->message : "no inputs could be made up");
      return;
    }
  /* If the evaluation used no fed integer as is, it is a proof for all of them. */
  if (ph_try_is_field_equal (self) && (!trial->field->used_fixed || !ph_sampler_has_integers (self->sampler)))
    trial->verdict = trial->n_out_of_range == 0 ? PH_VERDICT_PROVED : PH_VERDICT_CLOSE;
  else if (!ph_try_all_vary (self))
    {
      trial->verdict = PH_VERDICT_NOTHING;
      trial->why = g_strdup ("what comes out is the same whatever goes in, or NaN");
    }
  else
    trial->verdict = trial->n_unbounded == 0 && trial->n_out_of_range == 0 && !trial->bits_differ && trial->error <= PH_TRY_LEAST
                         ? PH_VERDICT_SAME
                         : PH_VERDICT_CLOSE;
}

/* Returns TRUE if only the size of rounding errors, and NaN and infinities, remain to be examined. Types with a smaller range are
 * excluded. */
static gboolean
is_settled (PhTry *self)
{
  const PhGraph *before = self->pair->before->graph, *after = self->pair->after->graph;

  for (guint i = 0; i < self->pair->types->len; i++)
    {
      const PhType *type = self->pair->types->pdata[i];

      if (type == NULL
          || (type->dtype != PH_FLOAT && type->dtype != PH_DOUBLE
              && !(ph_dtype_is_integer (type->dtype) && ph_sampler_is_shape (self->sampler, i))))
        return FALSE;
    }
  if (!ph_try_is_field_equal (self) || self->trial->field->used_fixed || self->options->promise == PH_PROMISE_NONE)
    return FALSE;
  return (ph_graph_moves_floats (before) && ph_graph_moves_floats (after))
         || (self->options->promise != PH_PROMISE_BITS && ph_graph_is_pole_free (before) && ph_graph_is_pole_free (after));
}

static gsize
n_captured (PhTry *self)
{
  gsize n = 0;

  for (guint i = 0; i < self->pair->inputs->len; i++)
    n += ph_tensor_count (self->options->captured[i]);
  return n;
}

/* Returns TRUE if the promise covers such inputs: a lossy change only keeps the results of ordinary ones, since a smaller type overflows
 * earlier and an approximation holds in the middle. */
static gboolean
is_promised (PhTry *self, PhSampleKind kind)
{
  return self->options->promise != PH_PROMISE_NEAR || kind == PH_SAMPLE_CAPTURED || kind == PH_SAMPLE_NORMAL;
}

/* Tries sizes beyond the large constants, one dimension at a time. Returns FALSE if the sides differ or it was cancelled. */
static gboolean
try_far (PhTry *self, GError **problem)
{
  static const PhSampleKind kinds[] = { PH_SAMPLE_NORMAL, PH_SAMPLE_WIDE };

  for (guint s = 0;
       s < self->far->len && !(ph_try_is_field_equal (self) && !self->far_open) && (s == 0 || ph_try_affords_far (self)); s++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        g_autoptr (GPtrArray) inputs = is_promised (self, kinds[k])
                                           ? ph_try_draw (self, kinds[k], 0, g_array_index (self->far, PhSampleShapes, s))
                                           : NULL;
        gboolean worked = FALSE;

        if (inputs != NULL && !ph_try_inputs (self, kinds[k], inputs, &worked, *problem == NULL ? problem : NULL))
          return FALSE;
      }
  return TRUE;
}

/* Tries open dimensions of 0: a mean of nothing is NaN, but a sum over a count that is at least 1 is not. What has no elements itself cannot
 * differ, and what one side refuses says nothing. A rule that makes an exception of NaN and infinities may make it here. Returns FALSE if the
 * sides differ. */
static gboolean
try_none (PhTry *self)
{
  const guint n = ph_sampler_n_none (self->sampler);
  const gboolean strict = self->options->promise == PH_PROMISE_NONE || self->options->promise == PH_PROMISE_BITS;

  for (guint none = 1; none <= n && !ph_try_was_cancelled (self); none++)
    {
      g_autoptr (GPtrArray) inputs = ph_try_draw (self, PH_SAMPLE_NORMAL, 0, (PhSampleShapes) { .none = none, .crop = 1 }),
                            was = inputs != NULL ? ph_try_run (self, 0, inputs, TRUE, FALSE, NULL) : NULL,
                            is = was != NULL ? ph_try_run (self, 1, inputs, TRUE, FALSE, NULL) : NULL;

      for (guint k = 0; is != NULL && k < was->len; k++)
        {
          PhTensor *a = was->pdata[k], *b = is->pdata[k];
          g_auto (PhDistance) distance = ph_distance (b, a);
          const gsize unbounded = distance.n_lost + distance.n_gained + distance.n_changed;

          if (ph_tensor_count (a) == 0 || ph_tensor_kind (a) != PH_KIND_TENSOR
              || (distance.why == NULL && (unbounded == 0 || !strict) && distance.n_exact == 0
                  && distance.error <= ph_try_folded_tolerance (self, k)))
            continue;
          ph_try_set_different (self, PH_SAMPLE_NORMAL, inputs, k,
                                distance.n_lost > 0      ? distance.lost_at
                                : distance.n_gained > 0  ? distance.gained_at
                                : distance.n_changed > 0 ? distance.changed_at
                                                         : distance.at,
                                a, b, distance.why != NULL ? g_strdup (distance.why) : NULL);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
is_for_largest (PhTry *self, PhSampleKind kind, guint turn)
{
  return (kind == PH_SAMPLE_NONFINITE && turn >= PH_SAMPLER_FIRST_MANY)
         || (kind == PH_SAMPLE_REACH && turn >= PH_SAMPLER_FIRST_ALL && turn < PH_SAMPLER_FIRST_POINT
             && !ph_sampler_has_free_shape (self->sampler));
}

/* Takes shapes in turn, the first and largest twice, out of step with other rotations: three styles of a number on three shapes would
 * otherwise only meet once each. */
static guint
next_shape (PhTry *self, guint made)
{
  const guint n = self->shapes->len, turns = n + 1;

  return (made + made / turns) % turns % n;
}

static gboolean
try_all (PhTry *self, GError **problem)
{
  const gboolean settled = is_settled (self);
  /* It is proved which element comes from where: any numbers will do. */
  const gboolean rough = settled && ph_graph_moves_floats (self->pair->before->graph)
                         && ph_graph_moves_floats (self->pair->after->graph);
  guint made = 0;

  gboolean is_last = FALSE;
  PhSampleKind kind;
  guint turn;

  if (!try_far (self, problem))
    return !ph_try_was_cancelled (self);
  for (guint i = 0; ph_try_plan (self, i, &kind, &turn); i++)
    {
      PhSampleShapes shapes = { .captured = TRUE, .crop = 1 };
      gboolean worked = FALSE;

      if (i >= PH_TRY_FIRST && self->trial->n_sets > 0 && (self->spent > self->options->flops || (settled && i >= N_SETTLED)))
        {
          if (i >= PH_TRY_EACH_KIND || settled || is_last || ph_try_is_field_equal (self) || self->options->whole
              || self->options->brief || self->known_form)
            break;
          /* A rule that makes an exception of NaN and infinities makes it of every number beside them, in a set of their kind. */
          kind = self->options->promise == PH_PROMISE_NONE ? PH_SAMPLE_NONFINITE : PH_SAMPLE_EXTREME;
          turn = PH_SAMPLER_MIXED;
          is_last = TRUE;
        }
      if (!is_promised (self, kind) || (kind == PH_SAMPLE_CAPTURED ? !self->whole_captured : self->shapes->len == 0))
        continue;
      /* A proof needs no run at full size, and no repetition for other weights. */
      if (kind == PH_SAMPLE_CAPTURED && ph_try_is_field_equal (self) && (self->crop > 1 || n_captured (self) > PH_SAMPLER_ROWS))
        continue;
      if ((i >= PH_TRY_FIRST && self->known_form && self->trial->n_sets > 0) || (self->options->brief && self->trial->n_sets > 1))
        break;
      if (kind == PH_SAMPLE_NORMAL && self->trial->n_sets > 0 && self->options->whole && self->spent > self->options->flops)
        break;
      if (kind != PH_SAMPLE_CAPTURED)
        shapes = g_array_index (self->shapes, PhSampleShapes, is_for_largest (self, kind, turn) ? 0 : next_shape (self, made++));
      for (guint m = 0;
           !worked && m <= (kind != PH_SAMPLE_CAPTURED && ph_sampler_can_be_modest (self->sampler) ? PH_SAMPLER_MOST_MODEST : 0);
           m++)
        {
          g_autoptr (GPtrArray) inputs = NULL;
          gboolean goes_on;

          ph_sampler_set_modesty (self->sampler, m);
          shapes.rough = rough;
          inputs = ph_try_draw (self, kind, turn, shapes);
          ph_sampler_set_modesty (self->sampler, 0);
          if (inputs == NULL)
            break;
          goes_on = ph_try_inputs (self, kind, inputs, &worked, *problem == NULL ? problem : NULL);
          if (!goes_on)
            return !ph_try_was_cancelled (self);
        }
    }
  if (self->options->whole && self->options->promise != PH_PROMISE_NEAR && !self->options->brief && self->trial->n_sets > 0
      && !ph_try_is_field_equal (self) && (self->options->asked || self->spent <= self->options->flops))
    try_none (self);
  return !ph_try_was_cancelled (self);
}

/* Returns the factor by which large images are cropped: windows see the same at each place. */
static gint64
choose_crop (PhTry *self)
{
  const double most = self->options->flops / 200;

  return self->options->cost > most ? CLAMP ((gint64) sqrt (self->options->cost / most), 2, 8) : 1;
}

/* @crops: (inout) whether large images may be cropped; on a difference, whether they were. */
static PhTrial *
try_once (const PhPair *pair, const PhTrialOptions *options, gboolean *crops, GError **error)
{
  g_autoptr (PhTrial) trial = g_new0 (PhTrial, 1);
  g_autoptr (PhSampler) sampler = ph_sampler_new (pair, options->bounds, options->seed);
  g_autoptr (GArray) shapes = g_array_new (FALSE, FALSE, sizeof (PhSampleShapes)),
                     far = g_array_new (FALSE, FALSE, sizeof (PhSampleShapes));
  g_autofree gboolean *varies = g_new0 (gboolean, pair->outputs->len + 1);
  g_autofree double *usual = g_new0 (double, pair->outputs->len + 1);
  g_autoptr (GPtrArray) all_seen = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GError) problem = NULL;
  const gboolean may_crop = *crops && !options->whole;
  gboolean worked;
  PhTry self = { pair, options, trial, sampler, .shapes = shapes, .far = far, .varies = varies, .usual = usual, .error = error };

  *crops = FALSE;
  trial->outputs = g_new0 (PhTrialOutput, pair->outputs->len + 1);
  for (guint i = 0; i < pair->outputs->len; i++)
    g_ptr_array_add (all_seen, g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref));
  self.seen = (GPtrArray **) all_seen->pdata;
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
  self.jitter = ph_jitter_new (pair);
  if (pair->inputs->len == 0 && try_constants (&self, &problem))
    {
      g_clear_pointer (&self.jitter, ph_jitter_free);
      return g_steal_pointer (&trial);
    }
  self.crop = may_crop ? choose_crop (&self) : 1;
  self.known_form = options->form != NULL && options->form->known != NULL && options->form->known->result == PH_FIELD_EQUAL
                    && ph_try_recipes_hold (&self, options->form);
  ph_try_find_shapes (&self, &problem);
  if (!options->whole && !options->hurried)
    ph_try_evaluate (&self);
  worked = !ph_try_was_cancelled (&self) && try_all (&self, &problem);
  if (worked && self.known_form && trial->n_sets == 0) /* not at these sizes */
    {
      self.known_form = FALSE;
      g_array_set_size (shapes, 0);
      ph_try_find_shapes (&self, &problem);
      worked = try_all (&self, &problem);
    }
  if (worked)
    conclude (&self, problem);
  for (guint i = 0; i < shapes->len && trial->verdict == PH_VERDICT_DIFFERENT && trial->shown_by != PH_SAMPLE_CAPTURED; i++)
    *crops |= g_array_index (shapes, PhSampleShapes, i).crop > 1;
  g_clear_pointer (&self.jitter, ph_jitter_free);
  if (options->cancellable != NULL && g_cancellable_set_error_if_cancelled (options->cancellable, error))
    return NULL;
  return g_steal_pointer (&trial);
}

PhTrial *
ph_pair_try (const PhPair *pair, const PhTrialOptions *options, GError **error)
{
  gboolean crops = TRUE;
  PhTrial *trial = try_once (pair, options, &crops, error);

  if (trial == NULL || !crops)
    return trial;
  /* A side may rely on the sizes of a cropped image: the number of pixels, or a constant shape of its result. */
  ph_trial_free (trial);
  crops = FALSE;
  return try_once (pair, options, &crops, error);
}
