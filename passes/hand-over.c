/* hand-over.c: moves the control dependences of a node to its replacement.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/hand-over.h"

#include "core/graph/edit.h"

static gboolean
is_new (const PhNode *node, const PhGraph *graph, PhId first)
{
  return node != NULL && node->graph == graph && node->id >= first;
}

/* Returns TRUE for a node without operands from new nodes. */
static gboolean
begins (const PhNode *node, PhId first)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && is_new (ph_node_input (node, i)->producer, node->graph, first))
      return FALSE;
  for (guint i = 0; node->control != NULL && i < node->control->len; i++)
    if (is_new (node->control->pdata[i], node->graph, first))
      return FALSE;
  return TRUE;
}

/* Returns TRUE for a node that no new node depends on. */
static gboolean
ends (const PhNode *node, PhId first)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const PhValue *value = ph_node_output (node, k);

      for (guint u = 0; u < value->uses->len; u++)
        {
          const PhUse *use = &g_array_index (value->uses, PhUse, u);

          if (use->node != NULL && is_new (ph_node_ancestor_in (use->node, node->graph), node->graph, first))
            return FALSE;
        }
    }
  for (guint i = 0; node->followers != NULL && i < node->followers->len; i++)
    if (is_new (node->followers->pdata[i], node->graph, first))
      return FALSE;
  return TRUE;
}

gboolean
ph_node_hand_over (PhNode *node, PhId first, GError **error)
{
  g_autoptr (GPtrArray) before = g_ptr_array_new (), after = g_ptr_array_new ();
  gboolean any = FALSE;

  if (node->control != NULL)
    g_ptr_array_extend (before, node->control, NULL, NULL);
  if (node->followers != NULL)
    g_ptr_array_extend (after, node->followers, NULL, NULL);
  for (guint i = 0; i < after->len; i++)
    if (!ph_node_remove_control (after->pdata[i], node, error))
      return FALSE;
  PH_FOREACH_NODE (made, node->graph)
    {
      if (made->id < first)
        continue;
      any = TRUE;
      for (guint i = 0; i < before->len && begins (made, first); i++)
        if (!ph_node_add_control (made, before->pdata[i], error))
          return FALSE;
      for (guint i = 0; i < after->len && ends (made, first); i++)
        if (!ph_node_add_control (after->pdata[i], made, error))
          return FALSE;
    }
  for (guint i = 0; !any && i < after->len; i++)
    for (guint k = 0; k < before->len; k++)
      if (!ph_node_add_control (after->pdata[i], before->pdata[k], error))
        return FALSE;
  return TRUE;
}
