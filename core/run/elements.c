/* elements.c: converts the elements of inputs to the layout and type that a kernel needs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/op-list.h"
#include "core/run/elements.h"
#include "core/tensor/origin.h"

#define LARGE_SPLAT    (1 << 20)                       /* bytes: smaller ones always fit            */
#define MAX_SPLAT_SIZE (G_GUINT64_CONSTANT (16) << 30) /* bytes up to which a kernel may expand a splat */

/* Returns TRUE for an input of a function, which a call may omit. */
static gboolean
is_parameter (const PhValue *value)
{
  return value->is_input && value->graph->owner == NULL;
}

gboolean
ph_kernel_check_inputs (PhKernel *kernel, GError **error)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = kernel->inputs[i];

      if (tensor != NULL && ph_tensor_is_splat (tensor) && ph_tensor_bytes (tensor) > MAX_SPLAT_SIZE)
        return ph_kernel_fail (kernel, error, "input %u would need %" G_GSIZE_FORMAT " bytes", i, ph_tensor_bytes (tensor));
      if (tensor == NULL && ph_node_input (kernel->node, i) != NULL && !is_parameter (ph_node_input (kernel->node, i)))
        return ph_kernel_fail (kernel, error, "input %u '%s' has no value here", i, ph_node_input (kernel->node, i)->name);
    }
  return TRUE;
}

static gboolean
bring (PhKernel *kernel, guint i, GError **error)
{
  g_autoptr (GError) reason = NULL;

  return ph_tensor_bring (kernel->inputs[i], &reason) || ph_kernel_fail (kernel, error, "input %u: %s", i, reason->message);
}

gboolean
ph_kernel_bring (PhKernel *kernel, gboolean weights, GError **error)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = kernel->inputs[i];

      if (tensor != NULL && !ph_tensor_is_splat (tensor) && ph_tensor_format (tensor) == PH_MEMORY_PLAIN
          && ph_tensor_get_wide (tensor) == NULL && (weights || !ph_kernel_is_constant (kernel, i)) && !bring (kernel, i, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_kernel_copy_inputs (PhKernel *kernel, GPtrArray **copies, GError **error)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = kernel->inputs[i], *copy;

      if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING
          || ph_tensor_is_splat (tensor) || ph_tensor_format (tensor) != PH_MEMORY_PLAIN || ph_tensor_is_in_memory (tensor))
        continue;
      copy = ph_tensor_new_unset (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor));
      if (copy == NULL)
        return ph_kernel_exceed (kernel, error, "input %u is too large for memory", i);
      if (*copies == NULL)
        *copies = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
      g_ptr_array_add (*copies, copy);
      if (!ph_tensor_copy_data (tensor, ph_tensor_writable (copy)))
        {
          if (ph_tensor_take_fault (error))
            ph_kernel_fail (kernel, error, "input %u cannot be read", i);
          return FALSE;
        }
      kernel->inputs[i] = copy;
    }
  return TRUE;
}

/* Returns TRUE for operators that need no elements of a splat, or expand it themselves. */
static gboolean
reads_splats (const PhOp *op)
{
  static const PhOp *const without[] = {
    &ph_op_Shape, &ph_op_Size, &ph_op_Identity, &ph_op_Reshape, &ph_op_Squeeze, &ph_op_Unsqueeze, &ph_op_Flatten,
  };

  for (guint i = 0; i < G_N_ELEMENTS (without); i++)
    if (op == without[i])
      return FALSE;
  return (op->flags & PH_OP_ELEMENTWISE) == 0;
}

/* Materialises splats and deferred inputs for kernels that cannot handle them; here, where a lack of memory can be reported. */
gboolean
ph_kernel_bring_all (PhKernel *kernel, GError **error)
{
  const gboolean splats = reads_splats (kernel->node->op);

  if (!ph_kernel_bring (kernel, TRUE, error))
    return FALSE;
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *tensor = kernel->inputs[i];

      if (tensor != NULL
          && (ph_tensor_format (tensor) != PH_MEMORY_PLAIN || ph_tensor_get_wide (tensor) != NULL
              || (splats && ph_tensor_bytes (tensor) > LARGE_SPLAT))
          && !bring (kernel, i, error))
        return FALSE;
    }
  return TRUE;
}
