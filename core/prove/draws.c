/* draws.c: detects models that draw random numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/op-list.h"
#include "core/prove/prove.h"

/* Dropout only draws if its third input says that it is training. */
gboolean
ph_node_draws (const PhNode *node)
{
  PhValue *training = node->op == &ph_op_Dropout ? ph_node_input (node, 2) : NULL;
  PhTensor *constant = training != NULL ? ph_value_constant (training) : NULL;

  if (node->op == NULL || (node->op->flags & PH_OP_RANDOM) == 0)
    return FALSE;
  if (node->op != &ph_op_Dropout)
    return TRUE;
  return training != NULL && (constant == NULL || ph_tensor_count (constant) != 1 || ph_tensor_get_int (constant, 0) != 0);
}

static gboolean
is_random (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (ph_node_draws (node))
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
