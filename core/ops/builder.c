/* builder.c: emits nodes at one place of a graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/builder.h"

#include "core/ops/infer.h"
#include "core/ops/parameter.h"
#include "core/tensor/origin.h"

/* The number of a graph's newest constants that are searched for an equal one, and the largest size searched for. */
#define REUSE_WINDOW 256
#define REUSE_COUNT  64

gboolean
ph_builder_finish (PhBuilder *builder, GError **error)
{
  if (builder->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&builder->error));
  return FALSE;
}

PhValue *
ph_build_node (PhBuilder *builder, const PhOp *op, PhValue *const *inputs, guint n_inputs, PhAttr **attrs, guint n_outputs)
{
  PhNode *node = NULL;
  guint n_attrs = 0;

  while (attrs != NULL && attrs[n_attrs] != NULL)
    n_attrs++;

  if (builder->error == NULL)
    {
      g_autofree const char **names = g_new0 (const char *, n_outputs + 1);

      while (n_inputs > 0 && inputs[n_inputs - 1] == NULL) /* absent optional inputs at the end */
        n_inputs--;
      for (guint i = 0; i < n_outputs; i++)
        names[i] = builder->name;

      /* clang-format off */
      PhNodeSpec spec = {
        .op = op, .op_type = op->name, .domain = op->domain != NULL ? op->domain : "", .name = builder->name,
        .inputs = (PhValue **) inputs, .n_inputs = n_inputs, .n_outputs = n_outputs,
        .output_names = builder->name != NULL ? names : NULL, .attrs = attrs, .n_attrs = n_attrs,
        .before = builder->before, .role = builder->role, .partner = builder->partner, .device = builder->device,
      };
      /* clang-format on */

      node = ph_graph_add_node (builder->graph, &spec, &builder->error);
      if (node != NULL && !ph_infer_one (node, &builder->error))
        node = NULL;
    }

  for (guint i = 0; i < n_attrs; i++)
    ph_attr_unref (attrs[i]);
  return node != NULL ? ph_node_output (node, 0) : NULL;
}

/* A weight that happens to be 0.5 is not the 0.5 of a formula: its gradient would be the formula's too. */
static gboolean
may_be_trained (const PhValue *value)
{
  return value->graph->model->journal != NULL && ph_value_is_parameter (value);
}

PhValue *
ph_build_tensor (PhBuilder *builder, PhTensor *tensor)
{
  g_autoptr (PhTensor) owned = tensor;

  if (builder->error != NULL)
    return NULL;
  if (tensor == NULL)
    {
      g_set_error_literal (&builder->error, PH_ERROR, PH_ERROR_LIMIT, "A constant is too large for memory");
      return NULL;
    }

  if (ph_tensor_count (tensor) <= REUSE_COUNT && !ph_tensor_is_deferred (tensor))
    {
      GPtrArray *constants = builder->graph->constants;

      for (guint i = constants->len, tried = 0; i > 0 && tried < REUSE_WINDOW; i--, tried++)
        {
          PhValue *value = g_ptr_array_index (constants, i - 1);

          if (ph_tensor_dtype (value->tensor) == ph_tensor_dtype (tensor)
              && ph_tensor_rank (value->tensor) == ph_tensor_rank (tensor)
              && ph_tensor_count (value->tensor) == ph_tensor_count (tensor) && !ph_tensor_is_deferred (value->tensor)
              && ph_tensor_equal (value->tensor, tensor) && !may_be_trained (value))
            return value;
        }
    }
  return ph_graph_add_constant (builder->graph, ph_model_unique_name (builder->graph->model, "const"), tensor, &builder->error);
}

PhValue *
ph_build_scalar (PhBuilder *builder, PhDType dtype, double value)
{
  return ph_build_tensor (builder, ph_tensor_new_scalar (dtype, value));
}

PhValue *
ph_build_ints (PhBuilder *builder, const gint64 *values, gsize n)
{
  return ph_build_tensor (builder, ph_tensor_new_int64s (values, n));
}
