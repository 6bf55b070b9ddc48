/* agree.c: the same inputs through two positions, compared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/agree.h"

#include <math.h>
#include <string.h>

static void
clear_output (gpointer data)
{
  g_free (((PhAgreeOutput *) data)->name);
}

void
ph_agreement_free (PhAgreement *agreement)
{
  g_array_unref (agreement->outputs);
  g_free (agreement->first_difference);
  g_free (agreement);
}

static PhExactness
rewrite_exactness (const PhPass *pass, const char *rule)
{
  for (guint i = 0; i < pass->n_rules; i++)
    if (g_str_equal (pass->rules[i].name, rule))
      return pass->rules[i].exactness;
  return ph_pass_exactness (pass);
}

PhExactness
ph_history_exactness (PhHistory *history, PhPosition a, PhPosition b)
{
  PhExactness exactness = PH_EXACT;
  guint       first, last;

  if (ph_position_compare (a, b) > 0)
    return ph_history_exactness (history, b, a);
  first = ph_history_edit_index (history, a);
  last = ph_history_edit_index (history, b);
  for (guint s = a.step; s < history->steps->len && s <= b.step; s++)
    {
      const PhStep    *step = &g_array_index (history->steps, PhStep, s);
      g_autofree char *name = g_strndup (step->pass, strcspn (step->pass, " "));
      const PhPass    *pass = ph_pass_find (name);

      for (guint r = 0; r < step->n_rewrites; r++)
        {
          const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + r);

          if (rewrite->first_edit >= first && rewrite->first_edit < last)
            exactness = MAX (exactness, pass != NULL ? rewrite_exactness (pass, rewrite->rule) : PH_ROUNDING);
        }
    }
  return exactness;
}

/* ── comparing ── */

/* The largest finite magnitude: what absolute errors are measured against. */
static double
scale_of (PhTensor *tensor)
{
  double scale = 0;
  gsize  n;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (tensor)))
    return 0;
  n = ph_tensor_is_splat (tensor) ? MIN (ph_tensor_count (tensor), 1) : ph_tensor_count (tensor);
  for (gsize i = 0; i < n; i++)
    {
      double value = fabs (ph_tensor_get (tensor, i));

      if (isfinite (value) && value > scale)
        scale = value;
    }
  return scale;
}

static PhTolerance
tolerance_for (PhExactness exactness, PhTensor *expected)
{
  double scale = scale_of (expected);
  double eps = 1;

  switch (ph_tensor_dtype (expected))
    {
    case PH_DOUBLE:
      eps = 1e-6;
      break;
    case PH_FLOAT16:
      eps = 100;
      break;
    case PH_BFLOAT16:
      eps = 1000;
      break;
    default:
      break;
    }
  /* Kernels may sum in another order even where a rule changed nothing: some last bits are no difference. */
  if (exactness <= PH_EXACT_FINITE)
    return (PhTolerance) { 1e-5 * eps, 1e-6 * eps * scale };
  return (PhTolerance) { 1e-3 * eps, 1e-5 * eps * scale + 1e-9 };
}

typedef struct { const char *inputs; guint64 seed; PhExactness exactness; PhAgreement *agreement; } Compare;

static void
compare_output (Compare *compare, guint index, PhTensor *expected, PhTensor *actual)
{
  PhAgreeOutput           *output = &g_array_index (compare->agreement->outputs, PhAgreeOutput, index);
  g_auto(PhComparison)     result = ph_tensor_compare (actual, expected, tolerance_for (compare->exactness, expected));

  if (!ph_tensor_equal (expected, actual) && (compare->exactness == PH_EXACT || result.max_abs_error > 0 || !result.close))
    output->same = FALSE;
  output->max_abs_error = MAX (output->max_abs_error, result.max_abs_error);
  output->max_ulp = MAX (output->max_ulp, result.max_ulp);
  if (!result.close)
    {
      output->close = FALSE;
      if (compare->agreement->first_difference == NULL)
        compare->agreement->first_difference =
            g_strdup_printf ("output '%s', %s, with %s inputs (seed %" G_GUINT64_FORMAT ")", output->name,
                             result.why != NULL ? result.why : "differs", compare->inputs, compare->seed);
    }
}

/* One set of inputs through both. FALSE: the first side could not be computed. */
static gboolean
compare_set (Compare *compare, PhModel *before, PhModel *after, GHashTable *named, PhInputsKind kind, GPtrArray *wanted_before,
             GPtrArray *wanted_after, const PhRunOptions *options, GError **error)
{
  g_autoptr(GHashTable) feeds = NULL, expected = NULL, actual = NULL, after_feeds = NULL;
  g_autoptr(GError)     own = NULL;
  GHashTableIter        iter;
  gpointer              key, tensor;

  feeds = ph_inputs_find (before, named, kind, compare->seed, wanted_before, options, &expected, error);
  if (feeds == NULL)
    return FALSE;

  after_feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &key, &tensor))
    {
      PhValue *same = ph_model_find_value_named (after, ((PhValue *) key)->name);

      if (same != NULL && same->is_input)
        g_hash_table_insert (after_feeds, same, ph_tensor_ref (tensor));
    }
  actual = ph_run_model (after, after_feeds, wanted_after, options, &own);
  compare->agreement->n_sets++;
  if (actual == NULL)
    {
      if (g_error_matches (own, PH_ERROR, PH_ERROR_CANCELLED) || g_error_matches (own, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&own));
          return FALSE;
        }
      compare->agreement->verdict = PH_VERDICT_ERROR;
      if (compare->agreement->first_difference == NULL)
        compare->agreement->first_difference = g_strdup_printf ("cannot be computed any more: %s", own->message);
      return TRUE;
    }
  for (guint i = 0; i < wanted_before->len; i++)
    {
      PhTensor *a = g_hash_table_lookup (expected, GUINT_TO_POINTER (((PhValue *) wanted_before->pdata[i])->id));
      PhTensor *b = g_hash_table_lookup (actual, GUINT_TO_POINTER (((PhValue *) wanted_after->pdata[i])->id));

      if (a != NULL && b != NULL)
        compare_output (compare, i, a, b);
    }
  return TRUE;
}

/* Dropout draws only where its third input says that it is training. */
static gboolean
draws (const PhNode *node)
{
  PhValue  *training = g_str_equal (node->op_type, "Dropout") ? ph_node_input (node, 2) : NULL;
  PhTensor *constant = training != NULL ? ph_value_constant (training) : NULL;

  if (node->op == NULL || (node->op->flags & PH_OP_RANDOM) == 0)
    return FALSE;
  if (!g_str_equal (node->op_type, "Dropout"))
    return TRUE;
  return training != NULL && (constant == NULL || ph_tensor_count (constant) != 1 || ph_tensor_get_int (constant, 0) != 0);
}

static gboolean
is_random (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (draws (node))
        return TRUE;
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (is_random (node->graphs->pdata[i]))
          return TRUE;
    }
  return FALSE;
}

gboolean
ph_model_draws (PhModel *model)
{
  return is_random (model->graph);
}

/* Of the main graph; what is not known counts nothing. */
static gint64
flops_of (PhGraph *graph)
{
  gint64 flops = 0;

  PH_FOREACH_NODE (node, graph)
    flops += MAX (ph_node_flops (node), 0);
  return flops;
}

static gboolean
all_fed (PhModel *model, GHashTable *feeds)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      if (input->tensor == NULL && (feeds == NULL || !g_hash_table_contains (feeds, input->name)) &&
          !g_str_has_prefix (input->name, "grad_"))
        return FALSE;
    }
  return TRUE;
}

#define MAX_FLOPS G_GINT64_CONSTANT (1000000000)

PhAgreement *
ph_agree (PhModel *before, PhModel *after, GHashTable *feeds, PhExactness exactness, guint64 seed, const PhRunOptions *options,
          GError **error)
{
  static const char *const names[] = { "the fed", "normal", "wide", "special" };
  g_autoptr(PhAgreement)   agreement = g_new0 (PhAgreement, 1);
  g_autoptr(GPtrArray)     wanted_before = g_ptr_array_new (), wanted_after = g_ptr_array_new ();
  gboolean                 computed = FALSE, tried_fed = all_fed (before, feeds);
  gint64                   flops = flops_of (before->graph);
  g_autoptr(GError)        first = NULL;

  agreement->outputs = g_array_new (FALSE, TRUE, sizeof (PhAgreeOutput));
  g_array_set_clear_func (agreement->outputs, clear_output);
  for (guint i = 0; i < before->graph->outputs->len; i++)
    {
      PhValue *a = before->graph->outputs->pdata[i], *b = ph_model_find_value_named (after, a->name);

      if (b == NULL || !ph_value_is_output (b))
        continue;
      g_ptr_array_add (wanted_before, a);
      g_ptr_array_add (wanted_after, b);
      g_array_append_val (agreement->outputs, ((PhAgreeOutput) { g_strdup (a->name), 0, 0, TRUE, TRUE }));
    }
  if (wanted_before->len == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "the two positions have no output in common");
      return NULL;
    }
  if (is_random (before->graph))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "the model draws random numbers: two runs cannot be compared");
      return NULL;
    }

  for (PhInputsKind kind = PH_INPUTS_FED; kind <= PH_INPUTS_SPECIAL; kind++)
    {
      Compare compare = { names[kind], seed, exactness, agreement };
      GError *own = NULL;

      /* One computation of a large model takes seconds: the first kind of inputs that works will do. */
      if (computed && flops > MAX_FLOPS)
        break;
      if ((kind == PH_INPUTS_FED && !tried_fed) || (kind == PH_INPUTS_SPECIAL && exactness != PH_EXACT))
        continue;
      if (before->graph->inputs->len == 0 && kind > PH_INPUTS_FED)
        break;
      if (compare_set (&compare, before, after, kind == PH_INPUTS_FED ? feeds : NULL, kind, wanted_before, wanted_after, options, &own))
        computed = TRUE;
      else if (first == NULL)
        first = own;
      else
        g_error_free (own);
      if (options != NULL && g_cancellable_set_error_if_cancelled (options->cancellable, error))
        return NULL;
    }
  if (!computed)
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return NULL;
    }

  if (agreement->verdict != PH_VERDICT_ERROR)
    agreement->verdict = PH_VERDICT_SAME;
  for (guint i = 0; i < agreement->outputs->len; i++)
    {
      const PhAgreeOutput *output = &g_array_index (agreement->outputs, PhAgreeOutput, i);
      PhVerdict            verdict = !output->close ? PH_VERDICT_DIFFERENT : output->same ? PH_VERDICT_SAME : PH_VERDICT_CLOSE;

      agreement->max_abs_error = MAX (agreement->max_abs_error, output->max_abs_error);
      agreement->verdict = MAX (agreement->verdict, verdict);
    }
  return g_steal_pointer (&agreement);
}
