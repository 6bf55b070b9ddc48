/* random-gradient.c: the gradient of a random model is the same after train, and after O2.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "random-graph.h"
#include "sample.h"

static PhHistory *
run (PhModel *model, PhHistory *history, const char *pass, const char *argument, PhExactness allow, GError **error)
{
  const char *arguments[] = { argument, NULL };
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = allow;
  options.verify = TRUE;
  options.arguments = argument != NULL ? arguments : NULL;
  return ph_pass_run (ph_pass_find (pass), model, history, &options, error) ? history : NULL;
}

static gboolean
run_all (PhModel *model, PhHistory *history, const PhPipeline *pipeline, const char **culprit, GError **error)
{
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      *culprit = pipeline->passes[i];
      if (run (model, history, pipeline->passes[i], NULL, pipeline->allow, error) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* An output that a loss can be made of. */
static const char *
pick_output (const PhModel *model, guint64 seed)
{
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (model->graph->outputs, (i + seed) % model->graph->outputs->len);

      if (value->type != NULL && value->type->kind == PH_KIND_TENSOR
          && (value->type->dtype == PH_FLOAT || value->type->dtype == PH_DOUBLE))
        return value->name;
    }
  return NULL;
}

/* A gradient at a pole says nothing: 0 * infinity is NaN where the factor is computed, and 0 where it is not. */
static gboolean
all_finite (GPtrArray *outputs)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      PhTensor *tensor = outputs->pdata[i];

      for (gsize k = 0; ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor))
                        && k < ph_tensor_count (tensor);
           k++)
        if (!isfinite (ph_tensor_get (tensor, k)))
          return FALSE;
    }
  return TRUE;
}

static gboolean
is_zero (PhTensor *tensor)
{
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if (ph_tensor_get (tensor, i) != 0)
      return FALSE;
  return TRUE;
}

/* @outputs of @model in the order of those of @like, whose are @wanted; what train removed, because no gradient reaches it, is 0
 * there. NULL: something else is missing. (transfer full) */
static GPtrArray *
in_order_of (PhModel *like, GPtrArray *wanted, PhModel *model, GPtrArray *outputs, char **missing)
{
  g_autoptr (GPtrArray) ordered = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < like->graph->outputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (like->graph->outputs, i);
      PhTensor *found = NULL;

      for (guint k = 0; k < model->graph->outputs->len && found == NULL; k++)
        if (g_str_equal (((PhValue *) g_ptr_array_index (model->graph->outputs, k))->name, value->name))
          found = outputs->pdata[k];
      if (found == NULL && is_zero (wanted->pdata[i]))
        found = wanted->pdata[i];
      if (found == NULL)
        {
          *missing = g_strdup_printf ("'%s' is not 0, and missing", value->name);
          return NULL;
        }
      g_ptr_array_add (ordered, ph_tensor_ref (found));
    }
  return g_steal_pointer (&ordered);
}

char *
random_gradient_fault (PhModel *before, GHashTable *feeds, guint64 seed, const char **culprit, RandomGradients *tally)
{
  g_autoptr (PhModel) plain = ph_model_clone (before), trained = ph_model_clone (before), kept = NULL;
  g_autoptr (PhHistory) plain_history = ph_history_new (), history = ph_history_new ();
  g_autoptr (GPtrArray) wanted = NULL, actual = NULL, ordered = NULL, optimised = NULL;
  g_autoptr (GError) error = NULL;
  const char *output = pick_output (before, seed);
  char *difference = NULL;

  *culprit = "autodiff";
  if (output == NULL)
    return NULL;
  if (run (plain, plain_history, "autodiff", output, PH_ROUNDING, &error) == NULL)
    {
      tally->refused++;
      return g_error_matches (error, PH_ERROR, PH_ERROR_UNSUPPORTED) || g_error_matches (error, PH_ERROR, PH_ERROR_NOT_FOUND)
                 ? NULL
                 : g_strdup (error->message);
    }
  wanted = sample_outputs (plain, feeds, &error);
  if (wanted == NULL)
    return g_strdup_printf ("the gradient cannot be computed: %s", error->message);

  if (!all_finite (wanted))
    {
      tally->poles++;
      return NULL;
    }
  difference = random_slope_fault (plain, feeds, output, seed, &tally->slopes);
  if (difference != NULL)
    return difference;
  if (!run_all (trained, history, ph_pipeline_find ("train"), culprit, &error))
    return g_strdup (error->message);
  *culprit = "autodiff after train";
  if (run (trained, history, "autodiff", output, PH_ROUNDING, &error) == NULL)
    return g_strdup (error->message);
  actual = sample_outputs (trained, feeds, &error);
  if (actual == NULL)
    return g_strdup (error->message);
  ordered = in_order_of (plain, wanted, trained, actual, &difference);
  if (ordered == NULL)
    return difference;
  difference = random_differs (plain, feeds, wanted, ordered, PH_ROUNDING, &tally->bounded);
  if (difference != NULL)
    return difference;

  kept = ph_model_clone (trained);
  if (!run_all (trained, history, ph_pipeline_find ("O2"), culprit, &error))
    return g_strdup (error->message);
  *culprit = "O2 of the gradient";
  optimised = sample_outputs (trained, feeds, &error);
  if (optimised == NULL)
    return g_strdup (error->message);
  tally->compared++;
  return random_differs (kept, feeds, actual, optimised, PH_ROUNDING, &tally->bounded);
}
