/* cases-mlir.c: runs cases in the form of StableHLO's tests: functions that check their results by check.expect_*.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/io/format.h"
#include "core/io/infer.h"
#include "core/io/mlir/mlir.h"
#include "core/number.h"
#include "core/prove/cases/cases-private.h"
#include "core/run/executor.h"
#include "core/tensor/parts.h"

/* One comparison: of two computed values, or of one with a constant. */
typedef struct
{
  char *how;
  PhTensor *constant;
  guint actual, expected;
  guint64 max_ulp;  /* so many units in the last place are close, however far they are */
  double tolerance; /* negative: as usual                                              */
} Check;

static void
check_free (gpointer data)
{
  Check *check = data;

  g_free (check->how);
  g_clear_pointer (&check->constant, ph_tensor_unref);
  g_free (check);
}

/* Returns "expect_close" for check.expect_close and for a custom call of @check.expect_close; NULL if it is no comparison. */
static const char *
check_of (const char *domain, const char *op_type, const char *target)
{
  if (g_str_equal (domain, "check"))
    return op_type;
  if (g_str_equal (op_type, "custom_call") && target != NULL && g_str_has_prefix (target, "check."))
    return target + strlen ("check.");
  return NULL;
}

static gboolean
holds_check (const PhMlirOp *function)
{
  const PhMlirRegion *region = function->regions->pdata[0];

  for (guint b = 0; b < region->blocks->len; b++)
    {
      const PhMlirBlock *block = region->blocks->pdata[b];

      for (guint i = 0; i < block->ops->len; i++)
        {
          const PhMlirOp *op = block->ops->pdata[i];

          if (g_str_has_prefix (op->name, "check.")
              || (g_str_has_suffix (op->name, ".custom_call") && op->symbol != NULL && g_str_has_prefix (op->symbol, "check.")))
            return TRUE;
          if (g_str_has_suffix (op->name, ".custom_call"))
            {
              const PhMlirAttr *target = ph_mlir_attr (op, "call_target_name");

              if (target != NULL && target->text != NULL && g_str_has_prefix (target->text, "check."))
                return TRUE;
            }
        }
    }
  return FALSE;
}

gboolean
ph_case_is_mlir (const char *path)
{
  g_autofree char *text = NULL;
  gsize size;

  return g_str_has_suffix (path, ".mlir") && g_file_get_contents (path, &text, &size, NULL)
         && g_strstr_len (text, (gssize) size, "check.e") != NULL;
}

/* Makes the operands of comparisons outputs of the model, and removes the comparisons. */
static GPtrArray *
take_checks (PhModel *model, GError **error)
{
  g_autoptr (GPtrArray) checks = g_ptr_array_new_with_free_func (check_free);
  guint n = 0;

  if (!ph_graph_truncate_outputs (model->graph, 0, error))
    return NULL;
  for (PhNode *node = model->graph->first, *next; node != NULL; node = next)
    {
      const char *how = check_of (node->domain, node->op_type, ph_node_attr_string (node, "call_target_name", NULL));
      Check *check;

      next = node->next;
      if (how == NULL || node->inputs->len == 0)
        continue;
      check = g_new0 (Check, 1);
      g_ptr_array_add (checks, check);
      check->how = g_strdup (how);
      check->max_ulp = (guint64) ph_node_attr_int (node, "max_ulp_difference", 0);
      check->tolerance = (double) ph_node_attr_float (node, "tolerance", -1);
      for (guint i = 0; i < MIN (node->inputs->len, 2); i++)
        {
          if (!ph_graph_set_output (model->graph, n, node->inputs->pdata[i], error))
            return NULL;
          *(i == 0 ? &check->actual : &check->expected) = n++;
        }
      if (node->inputs->len == 1)
        {
          const PhAttr *value = ph_node_attr (node, "value");

          if (value == NULL || value->kind != PH_ATTR_TENSOR)
            {
              ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "what it compares with is not a tensor");
              return NULL;
            }
          check->constant = ph_tensor_ref (value->tensor);
        }
      /* check.eq (expected, actual) has a result, which is returned */
      if (ph_value_n_uses (node->outputs->pdata[0]) == 0 && !ph_graph_remove_node (node, error))
        return NULL;
    }
  return g_steal_pointer (&checks);
}

/* Returns the tolerance for floats. StableHLO's own tests allow 2 or 3 ulp, for an interpreter that rounds correctly. */
static PhTolerance
tolerance_of (const Check *check, PhDType dtype, const PhCaseOptions *options)
{
  PhTolerance tolerance = PH_TOLERANCE_EXACT;

  if (g_str_has_prefix (check->how, "expect_almost_eq"))
    tolerance = (PhTolerance) { 0, 1e-3 };
  else if (g_str_has_prefix (check->how, "expect_close"))
    tolerance = dtype == PH_DOUBLE  ? (PhTolerance) { 1e-10, 1e-12 }
                : dtype == PH_FLOAT ? (PhTolerance) { 1e-5, 1e-6 }
                                    : (PhTolerance) { 1e-2, 1e-3 };
  if (check->tolerance >= 0)
    tolerance = (PhTolerance) { 0, check->tolerance };
  if (options->rtol >= 0)
    tolerance.rtol = options->rtol;
  if (options->atol >= 0)
    tolerance.atol = options->atol;
  return tolerance;
}

static gboolean
compare (PhModel *model, GPtrArray *checks, GHashTable *results, const PhCaseOptions *options, GError **error)
{
  for (guint i = 0; i < checks->len; i++)
    {
      const Check *check = checks->pdata[i];
      PhValue *left = model->graph->outputs->pdata[check->actual];
      PhTensor *actual = g_hash_table_lookup (results, GUINT_TO_POINTER (left->id)), *expected = check->constant;

      if (expected == NULL)
        expected = g_hash_table_lookup (results,
                                        GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[check->expected])->id));
      if (actual == NULL || expected == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "comparison %u: '%s' was not computed", i + 1, left->name);
          return FALSE;
        }
      {
        g_autoptr (PhTensor) a = ph_tensor_parts (actual), e = ph_tensor_parts (expected);
        g_auto (PhComparison) comparison = ph_tensor_compare (a, e, tolerance_of (check, ph_tensor_dtype (e), options));

        if (!comparison.close
            && (comparison.max_ulp == 0 || comparison.max_ulp > check->max_ulp || isinf (comparison.max_abs_error)))
          {
            g_autofree char *largest = ph_number_to_string ("%g", comparison.max_abs_error);

            g_set_error (error, PH_ERROR, PH_ERROR_FAILED,
                         "comparison %u (%s): %s (largest error %s, %" G_GUINT64_FORMAT " ulp, %" G_GSIZE_FORMAT " elements)",
                         i + 1, check->how, comparison.why != NULL ? comparison.why : "differs", largest, comparison.max_ulp,
                         comparison.n_different);
            return FALSE;
          }
      }
    }
  return TRUE;
}

char *
ph_case_what_stays (PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      g_autofree char *name = g_strdup_printf ("%s.%s", node->domain, node->op_type);

      if (node->op == NULL && !ph_node_is_fused (node) && strstr (out->str, name) == NULL)
        g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", name);
    }
  return g_string_free (out, FALSE);
}

static gboolean
run_function (PhSource *source, GPtrArray *modules, const PhMlirOp *function, const PhCaseOptions *options,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (PhModel) model = ph_mlir_build (source, modules, function, "inputs", error);
  g_autoptr (GPtrArray) checks = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhPassOptions pass_options = PH_PASS_OPTIONS_DEFAULT;
  PhRunOptions run_options
      = { .cancellable = cancellable, .reference = options->reference, .kernel = options->kernel, .took = options->took };
  const PhPass *convert = ph_pass_find ("convert-to-onnx");
  g_autoptr (GError) reason = NULL;

  if (model == NULL || (checks = take_checks (model, error)) == NULL)
    return FALSE;
  ph_io_infer (model, NULL);
  pass_options.cancellable = cancellable;
  if (!ph_pass_run (convert, model, history, &pass_options, error))
    return FALSE;
  pass_options.allow = options->allow;
  if (!ph_case_run_passes (model, history, options, &pass_options, error))
    return FALSE;
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];

      if (input->tensor != NULL)
        g_hash_table_insert (feeds, input, ph_tensor_ref (input->tensor));
    }
  results = ph_run_model (model, feeds, NULL, &run_options, &reason);
  if (results == NULL)
    {
      g_autofree char *stays = ph_case_what_stays (model);

      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "%s%s%s", *stays != '\0' ? stays : reason->message,
                   *stays != '\0' ? " stays: " : "", *stays != '\0' ? reason->message : "");
      return FALSE;
    }
  return compare (model, checks, results, options, error);
}

gboolean
ph_case_run_mlir (const char *path, const PhCaseOptions *options, GCancellable *cancellable, GError **error)
{
  g_autofree char *text = NULL;
  gsize size;
  g_auto (PhSource) source = { 0 };
  g_autoptr (GPtrArray) parts = NULL;
  guint n = 0;

  if (!g_file_get_contents (path, &text, &size, error))
    return FALSE;
  ph_source_init (&source, path, NULL);
  parts = ph_mlir_parse_all (&source, text, size, error);
  if (parts == NULL)
    return FALSE;
  for (guint i = 0; i < parts->len; i++)
    {
      const PhMlirPart *part = parts->pdata[i];
      g_autoptr (GPtrArray) one = g_ptr_array_new (), functions = NULL;

      if (part->module == NULL)
        {
          g_propagate_error (error, g_error_copy (part->error));
          return FALSE;
        }
      g_ptr_array_add (one, part->module);
      functions = ph_mlir_functions (one);
      for (guint k = 0; k < functions->len; k++)
        {
          const PhMlirOp *function = functions->pdata[k];

          if (!holds_check (function))
            continue;
          n++;
          if (!run_function (&source, one, function, options, cancellable, error))
            {
              g_prefix_error (error, "@%s: ", function->symbol);
              return FALSE;
            }
        }
    }
  if (n == 0)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "no function compares anything with check.expect_*");
  return n > 0;
}
