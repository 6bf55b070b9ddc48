/* bytes-body.c: reads the bodies of fused nodes that compute on dequantized bytes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/bytes.h"

/* Finds input @i of @node among those of the fused node. FALSE: it is made inside. */
static gboolean
find_input (const PhNode *node, guint i, guint *index)
{
  const PhValue *value = ph_node_input (node, i);

  *index = PH_NO_INPUT;
  return value == NULL || g_ptr_array_find (node->graph->inputs, value, index);
}

gboolean
ph_bytes_operand_read (PhKernel *kernel, const PhValue *value, int axis, guint *x, guint *scale, guint *zero)
{
  const PhNode *node = value != NULL ? value->producer : NULL;
  const PhDType dtype = node != NULL ? (PhDType) ph_node_attr_int (node, "output_dtype", PH_UNDEFINED) : PH_UNDEFINED;
  PhTensor *of, *scales;
  guint given;

  if (node == NULL || node->op != &ph_op_DequantizeLinear || ph_node_attr_int (node, "block_size", 0) != 0
      || (dtype != PH_UNDEFINED && dtype != PH_FLOAT) || !find_input (node, 0, x) || !find_input (node, 1, scale)
      || !find_input (node, 2, zero))
    return FALSE;
  of = ph_kernel_input (kernel, *x);
  scales = ph_kernel_input (kernel, *scale);
  if (of == NULL || !ph_dnnl_is_float (scales))
    return FALSE;
  return ph_tensor_count (scales) == 1
         || (ph_axis (ph_node_attr_int (node, "axis", 1), ph_tensor_rank (of), &given)
             && given == (axis < 0 ? ph_tensor_rank (of) - 1 : (guint) axis));
}

static gboolean
read_result (PhBytesBody *body, PhKernel *kernel, const PhNode *quantise)
{
  PhTensor *scale, *zero;

  body->dtype = PH_FLOAT;
  body->scale = body->zero = PH_NO_INPUT;
  if (quantise == NULL)
    return TRUE;
  if (ph_node_attr_int (quantise, "block_size", 0) != 0 || ph_node_attr_int (quantise, "precision", PH_FLOAT) > PH_FLOAT
      || !find_input (quantise, 1, &body->scale) || !find_input (quantise, 2, &body->zero))
    return FALSE;
  scale = ph_kernel_input (kernel, body->scale);
  zero = ph_kernel_input (kernel, body->zero);
  body->dtype = zero != NULL ? ph_tensor_dtype (zero) : (PhDType) ph_node_attr_int (quantise, "output_dtype", PH_UINT8);
  return ph_dnnl_is_float (scale) && ph_tensor_count (scale) == 1 && ph_is_byte (body->dtype)
         && (zero == NULL || ph_tensor_count (zero) == 1);
}

gboolean
ph_bytes_body_read (PhBytesBody *body, PhKernel *kernel, const PhOp *op)
{
  const PhGraph *graph = kernel->node->graphs->pdata[0];
  const PhNode *quantise = NULL;
  const PhValue *last;

  *body = (PhBytesBody) { .graph = graph };
  PH_FOREACH_NODE (node, graph)
    if (node->op == op && body->head == NULL)
      body->head = node;
    else if (node->op == &ph_op_QuantizeLinear && quantise == NULL)
      quantise = node;
    else if (body->head != NULL && body->n_after < G_N_ELEMENTS (body->after))
      body->after[body->n_after++] = node;
    else if (body->head != NULL || node->op != &ph_op_DequantizeLinear)
      return FALSE;
  if (body->head == NULL || graph->outputs->len != 1 || kernel->n_outputs != 1)
    return FALSE;
  last = ph_node_output (body->n_after > 0 ? body->after[body->n_after - 1] : body->head, 0);
  return graph->outputs->pdata[0] == (quantise != NULL ? ph_node_output (quantise, 0) : last)
         && (quantise == NULL || ph_node_input (quantise, 0) == last) && read_result (body, kernel, quantise);
}
