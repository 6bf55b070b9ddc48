/* field-trial.c: evaluates the pair of a trial exactly over the field, at each of its shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/op-list.h"
#include "core/prove/region-form.h"
#include "core/prove/trial-private.h"

/* Elements of the largest input of a point of the field, where rows are independent. */
#define FIELD_ROWS 24

static PhFieldReport *
field_at (PhTry *self, GPtrArray *inputs, const PhRegionForm *form)
{
  g_autoptr (GHashTable) fixed = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < inputs->len; i++)
    if (ph_tensor_kind (inputs->pdata[i]) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (inputs->pdata[i])))
      g_hash_table_insert (fixed, GUINT_TO_POINTER (i), inputs->pdata[i]);
  return ph_field_compare_form (self->pair->before, self->pair->after, form != NULL ? form->variables : NULL, fixed,
                                (PhTensor *const *) inputs->pdata, self->options->seed + 1, self->options->images,
                                self->options->cancellable);
}

/* Returns the number of draws. Indices are not variables: what holds for one draw may be a coincidence. */
static guint
n_draws (PhTry *self)
{
  for (guint i = 0; i < self->pair->types->len; i++)
    {
      const PhType *type = self->pair->types->pdata[i];

      if (type == NULL || !ph_dtype_is_float (type->dtype))
        return 4;
    }
  return 1;
}

static GPtrArray *
draw_for_field (PhTry *self, guint turn, PhSampleShapes shapes, gboolean blank)
{
  shapes.most = FIELD_ROWS;
  shapes.rough = TRUE;
  shapes.blank = blank;
  return ph_try_draw (self, PH_SAMPLE_REACH, turn, shapes);
}

/* Returns TRUE if both give the same evaluation over the field, which looks only at the shapes of floats. */
static gboolean
are_as (GPtrArray *inputs, GPtrArray *others)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      PhTensor *a = inputs->pdata[i], *b = others->pdata[i];

      if (ph_tensor_kind (a) != PH_KIND_TENSOR || ph_type_of_tensor (a) != ph_type_of_tensor (b)
          || (!ph_dtype_is_float (ph_tensor_dtype (a)) && !ph_tensor_equal (a, b)))
        return FALSE;
    }
  return TRUE;
}

/* @equal: (nullable) (element-type GPtrArray) inputs on which both sides were equal already, as @last says. */
static PhFieldReport *
evaluate_once (PhTry *self, const PhRegionForm *form, guint turn, PhSampleShapes shapes, GPtrArray *equal, PhFieldReport *last)
{
  g_autoptr (GPtrArray) inputs = NULL;
  PhFieldReport *report;

  inputs = draw_for_field (self, turn, shapes, TRUE);
  for (guint i = 0; inputs != NULL && equal != NULL && i < equal->len; i++)
    if (are_as (inputs, equal->pdata[i]))
      return ph_field_report_copy (last);
  report = inputs != NULL ? field_at (self, inputs, form) : NULL;
  if (equal != NULL && report != NULL && report->result == PH_FIELD_EQUAL)
    g_ptr_array_add (equal, g_ptr_array_ref (inputs));
  if (report != NULL && self->options->work != NULL)
    {
      self->options->work->n_field_nodes += report->n_nodes;
      self->options->work->field_work += report->work;
    }
  return report;
}

/* Returns TRUE if the model runs at these shapes: drawn integers that represent shapes may not fit others. */
static gboolean
can_be_run_at (PhTry *self, PhSampleShapes shapes)
{
  g_autoptr (GPtrArray) inputs = draw_for_field (self, 0, shapes, FALSE),
                        outputs = inputs != NULL ? ph_try_run (self, 0, inputs, FALSE, FALSE, NULL) : NULL;

  return outputs != NULL;
}

/* Returns TRUE if both sides are also equal with one dimension beyond the large constants. Shapes that cannot be evaluated are left to
 * numeric trials, as are counts that are too large for a float, since a field has no digits. */
static gboolean
is_equal_far (PhTry *self, const PhRegionForm *form, PhFieldReport **last)
{
  self->far_open = ph_sampler_counts_in_floats (self->sampler);
  for (guint s = 0; s < self->far->len && !ph_try_was_cancelled (self); s++)
    {
      const PhSampleShapes shapes = g_array_index (self->far, PhSampleShapes, s);
      PhFieldReport *report = evaluate_once (self, form, 0, shapes, NULL, NULL);

      if (report != NULL && report->result == PH_FIELD_UNEQUAL && can_be_run_at (self, shapes))
        {
          ph_field_report_free (*last);
          *last = report;
          return FALSE;
        }
      self->far_open = self->far_open || report == NULL || report->result != PH_FIELD_EQUAL;
      g_clear_pointer (&report, ph_field_report_free);
    }
  return TRUE;
}

/* Evaluates both sides at all shapes that work; equal only if equal at all of them. Small images are tried before large ones. @form:
 * (nullable) its variables stand for any numbers. (transfer full) (nullable) */
static PhFieldReport *
evaluate_at_shapes (PhTry *self, const PhRegionForm *form)
{
  const guint draws = n_draws (self);
  g_autoptr (GPtrArray) equal = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  PhFieldReport *last = NULL;

  for (guint s = 0; s < self->shapes->len * draws && !ph_try_was_cancelled (self); s++)
    {
      PhSampleShapes shapes = g_array_index (self->shapes, PhSampleShapes, s % self->shapes->len);
      PhFieldReport *report = NULL;

      if (ph_try_is_tight (self))
        {
          shapes.tight = TRUE;
          report = evaluate_once (self, form, s / self->shapes->len, shapes, equal, last);
          shapes.tight = FALSE;
        }
      if (report == NULL || report->result != PH_FIELD_EQUAL)
        {
          self->not_tight = form == NULL;
          self->is_loose = TRUE;
          g_clear_pointer (&report, ph_field_report_free);
          report = evaluate_once (self, form, s / self->shapes->len, shapes, equal, last);
          self->not_tight |= report != NULL && report->result == PH_FIELD_EQUAL;
        }
      if (report == NULL)
        continue;
      g_clear_pointer (&last, ph_field_report_free);
      last = report;
      if (report->result != PH_FIELD_EQUAL)
        return last;
    }
  if (last != NULL && is_equal_far (self, form, &last) && self->pair->decides_by_size)
    {
      last->result = PH_FIELD_UNKNOWN;
      last->why = g_strdup ("it decides by sizes, of which a few were tried");
    }
  return last;
}

/* Returns TRUE if the constants computed by a rule equal their recipes. */
gboolean
ph_try_recipes_hold (PhTry *self, const PhRegionForm *form)
{
  for (guint i = 0; i < form->made->len; i++)
    if (!ph_field_images_recipe_holds (self->options->images, form->made->pdata[i]))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if a node of @graph depends on constants only. The model rounds its result, so exact evaluation may round it too. */
static gboolean
folds (PhGraph *graph)
{
  g_autoptr (GHashTable) constants = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, graph)
    {
      gboolean is_constant = node->inputs->len > 0;

      for (guint i = 0; i < node->inputs->len && is_constant; i++)
        is_constant = ph_node_input (node, i) == NULL || ph_value_constant (ph_node_input (node, i)) != NULL
                      || g_hash_table_contains (constants, ph_node_input (node, i));
      if (node->graphs != NULL
          || (is_constant && node->op != &ph_op_ConstantOfShape
              && (node->op == NULL || !(node->op->flags & PH_OP_DATA_MOVEMENT))))
        return TRUE;
      for (guint k = 0; is_constant && k < node->outputs->len; k++)
        g_hash_table_add (constants, ph_node_output (node, k));
    }
  return FALSE;
}

/* Results that are farther apart than double rounds them. */
#define APART 1e-10

/* Returns TRUE if many constants were visibly rounded: no exact evaluation then finds both sides equal, here or in a larger region. */
static gboolean
is_rounded (PhTry *self)
{
  g_autoptr (GPtrArray) inputs = NULL, was = NULL, is = NULL;
  PhSampleShapes shapes;

  if (self->jitter == NULL || self->shapes->len == 0 || self->options->form != NULL || !ph_jitter_is_rounded (self->jitter)
      || folds (self->pair->before->graph))
    return FALSE;
  shapes = g_array_index (self->shapes, PhSampleShapes, 0);
  shapes.tight = ph_try_is_tight (self);
  inputs = ph_try_draw (self, PH_SAMPLE_NORMAL, 0, shapes);
  was = inputs != NULL ? ph_try_run (self, 0, inputs, TRUE, FALSE, NULL) : NULL;
  is = was != NULL ? ph_try_run (self, 1, inputs, TRUE, FALSE, NULL) : NULL;
  for (guint k = 0; is != NULL && k < is->len; k++)
    {
      g_auto (PhDistance) distance = ph_distance (is->pdata[k], was->pdata[k]);

      if (distance.why == NULL && distance.error > APART)
        return TRUE;
    }
  return FALSE;
}

/* Evaluates with any weights first, which covers all rewrites of the form; then with the actual ones. */
void
ph_try_evaluate (PhTry *self)
{
  const PhRegionForm *form = self->options->form;
  const PhFieldReport *report = form != NULL ? form->known : NULL;

  if (self->known_form)
    {
      self->trial->field = ph_field_report_copy (report);
      return;
    }
  if (form != NULL && report == NULL)
    {
      report = self->trial->of_form = evaluate_at_shapes (self, form);
      self->trial->is_own = self->is_loose;
    }
  if (report != NULL && report->result == PH_FIELD_EQUAL && ph_try_recipes_hold (self, form))
    self->trial->field = ph_field_report_copy (report);
  else if (!is_rounded (self))
    self->trial->field = evaluate_at_shapes (self, NULL);
}
