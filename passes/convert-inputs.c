/* convert-inputs.c: the element types of inputs that a file does not give, by the operators that read them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-aten.h"

#include <string.h>

/* Returns TRUE for an operator of the languages whose tensors need no element type. */
static gboolean
is_loose (const PhNode *node)
{
  return ph_aten_is_torch (node) || strcmp (node->domain, "relax") == 0 || strcmp (node->domain, "relay") == 0;
}

/* Guesses the type of operand @use of an operator of TVM: an index, a condition, or the type of an operand beside it. */
static PhDType
guess_beside (const PhUse *use, PhDType fallback)
{
  const char *op = use->node->op_type;

  if (use->index > 0 && (strcmp (op, "take") == 0 || g_str_has_prefix (op, "gather")))
    return PH_INT64;
  if (use->index == 0 && (strcmp (op, "where") == 0 || strcmp (op, "if") == 0))
    return PH_BOOL;
  for (guint i = 0; i < use->node->inputs->len; i++)
    {
      const PhValue *other = use->node->inputs->pdata[i];

      if (other != NULL && ph_value_dtype (other) != PH_UNDEFINED && strcmp (op, "take") != 0 && strcmp (op, "where") != 0)
        return ph_value_dtype (other);
    }
  return fallback;
}

/* Guesses the element type of @value from its users: indices, conditions, or the type of the weights used with it. */
static PhDType
guess (const PhValue *value)
{
  static const char *const tables[] = { "embedding",          "embedding_bag", "index_add",   "index_copy",
                                        "index_fill",         "scatter",       "scatter_add", "nll_loss_nd",
                                        "cross_entropy_loss", "nll_loss",      NULL };
  PhDType found = PH_FLOAT;

  for (guint u = 0; u < value->uses->len; u++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, u);
      const PhNode *node = use->node;

      if (node == NULL || !is_loose (node))
        continue;
      if (!ph_aten_is_torch (node))
        {
          found = guess_beside (use, found);
          continue;
        }
      if ((use->index == 1 && g_strv_contains (tables, node->op_type))
          || (use->index > 0
              && (strcmp (node->op_type, "index") == 0 || strcmp (node->op_type, "index_select") == 0
                  || strcmp (node->op_type, "gather") == 0))
          || (use->index > 0 && use->index + 1 < node->inputs->len && g_str_has_prefix (node->op_type, "index_put"))
          || strcmp (node->op_type, "one_hot") == 0)
        return PH_INT64;
      if ((strcmp (node->op_type, "where") == 0 && use->index == 0)
          || (strcmp (node->op_type, "masked_fill") == 0 && use->index == 1))
        return PH_BOOL;
      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *other = node->inputs->pdata[i];

          if (other != NULL && other->tensor != NULL && !other->is_input && ph_value_rank (other) > 0
              && ph_dtype_is_float (ph_value_dtype (other)))
            found = ph_value_dtype (other);
        }
    }
  return found;
}

gboolean
ph_convert_inputs (PhPassRun *run, GError **error)
{
  GPtrArray *inputs = run->model->graph->inputs;
  gboolean any = ph_model_opset (run->model, "relax") != 0 || ph_model_opset (run->model, "relay") != 0;

  PH_FOREACH_NODE (node, run->model->graph)
    any = any || ph_aten_is_torch (node);
  for (guint i = 0; any && i < inputs->len; i++)
    {
      PhValue *input = inputs->pdata[i];
      PhDType dtype;

      if (ph_value_dtype (input) != PH_UNDEFINED || (input->type != NULL && input->type->kind != PH_KIND_TENSOR))
        continue;
      dtype = guess (input);
      if (!ph_pass_begin (run, "input", NULL,
                          "The file does not give the element type of the input, so it is inferred from its uses."))
        return TRUE;
      if (!ph_value_set_type (input,
                              input->type != NULL && input->type->has_rank
                                  ? ph_type_tensor (dtype, input->type->rank, input->type->dims)
                                  : ph_type_unranked (dtype),
                              error))
        return FALSE;
      ph_pass_end (run);
      ph_pass_note (run, "the element type of input '%s' is not in the file; it is assumed to be %s", input->name,
                    ph_dtype_name (dtype));
    }
  return TRUE;
}
