/* branch.c: helpers for an If with a constant condition.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/branch.h"

#include "core/ops/copy.h"

gboolean
ph_branch_is_decided (PhMatch *match)
{
  PhTensor *tensor = ph_value_constant (ph_node_input (match->root, 0));

  return tensor != NULL && ph_tensor_count (tensor) == 1;
}

gboolean
ph_branch_take (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  gboolean taken = ph_tensor_get_int (ph_value_constant (ph_node_input (node, 0)), 0) != 0;
  PhGraph *body = ph_node_graph (node, taken ? "then_branch" : "else_branch");
  g_autofree PhValue **outputs = g_new0 (PhValue *, node->outputs->len + 1);

  if (body == NULL || body->outputs->len != node->outputs->len || !ph_build_copy (b, body, NULL, outputs, NULL))
    return FALSE;
  return ph_node_replace_all (node, outputs, b);
}
