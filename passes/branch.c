/* branch.c: helpers for an If with a constant condition.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/branch.h"

#include "core/ops/copy.h"

static PhGraph *
taken_branch (const PhNode *node)
{
  PhTensor *tensor = ph_value_constant (ph_node_input (node, 0));

  if (tensor == NULL || ph_tensor_count (tensor) != 1)
    return NULL;
  return ph_node_graph (node, ph_tensor_get_int (tensor, 0) != 0 ? "then_branch" : "else_branch");
}

/* The branch must give what If is declared to give: a file may declare what only the other branch does. */
gboolean
ph_branch_is_decided (PhMatch *match)
{
  const PhNode *node = match->root;
  const PhGraph *body = taken_branch (node);

  if (body == NULL || body->outputs->len != node->outputs->len)
    return FALSE;
  for (guint i = 0; i < body->outputs->len; i++)
    {
      const PhType *inside = ((PhValue *) body->outputs->pdata[i])->type, *outside = ph_node_output (node, i)->type;

      if (inside != NULL && outside != NULL && ph_type_merge (inside, outside) == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_branch_take (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  g_autofree PhValue **outputs = g_new0 (PhValue *, node->outputs->len + 1);

  return ph_build_copy (b, taken_branch (node), NULL, outputs, NULL) && ph_node_replace_all (node, outputs, b);
}
