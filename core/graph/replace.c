/* replace.c: replaces all uses of a value, and removes unused nodes and values.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

/* Replaces @old where bodies in nested graphs have it as an output. */
static gboolean
replace_captured_outputs (PhValue *old, PhValue *value, GHashTable *below, GError **error)
{
  PhModel *model = old->graph->model;
  guint own = 0;

  for (guint i = 0; i < old->graph->outputs->len; i++)
    own += old->graph->outputs->pdata[i] == old;
  for (PhId id = 1; id < model->next_id && old->n_output_uses > own; id++)
    {
      PhGraph *body = g_ptr_array_index (model->graphs, id);
      PhNode *user = body != NULL && body != old->graph ? ph_node_ancestor_in (body->owner, value->graph) : NULL;

      if (user == NULL || (below != NULL && g_hash_table_contains (below, user)))
        continue;
      for (guint i = 0; i < body->outputs->len; i++)
        if (body->outputs->pdata[i] == old && !ph_graph_set_output (body, i, value, error))
          return FALSE;
    }
  return TRUE;
}

/* Points the graph outputs that are @old at @value, and lets @value carry the name that callers know. */
static gboolean
replace_outputs (PhValue *old, PhValue *value, GError **error)
{
  PhGraph *graph = old->graph;
  gboolean interface = graph->owner == NULL;

  if (!g_ptr_array_find (graph->outputs, old, NULL))
    return TRUE;
  if (interface && (value->graph != graph || value->is_input || g_ptr_array_find (graph->outputs, value, NULL)))
    return ph_edit_fail (error, PH_ERROR_INVALID,
                         "'%s' is an output of the graph and '%s' is part of its interface too: both names must stay", old->name,
                         value->name);
  for (guint i = 0; i < graph->outputs->len; i++)
    if (graph->outputs->pdata[i] == old && !ph_graph_set_output (graph, i, value, error))
      return FALSE;
  if (interface)
    {
      const char *name = old->name;
      ph_value_rename (old, ph_graph_unique_name (graph, name), NULL);
      ph_value_rename (value, name, NULL);
    }
  return TRUE;
}

gboolean
ph_value_replace_uses (PhValue *old, PhValue *value, GError **error)
{
  g_autoptr (GHashTable) below = NULL;
  g_autoptr (GArray) uses = NULL;

  g_return_val_if_fail (old != value, FALSE);
  if (old->type != NULL && value->type != NULL && ph_type_merge (old->type, value->type) == NULL)
    {
      g_autofree char *before = ph_type_to_string (old->type), *after = ph_type_to_string (value->type);
      return ph_edit_fail (error, PH_ERROR_TYPE, "'%s' is %s and cannot be replaced by '%s', which is %s", old->name, before,
                           value->name, after);
    }

  /* Only users before the new value in order can be among its operands. */
  if (value->producer != NULL && ph_value_n_uses (old) > 0)
    {
      guint64 floor = old->producer != NULL && old->graph == value->graph ? old->producer->order : 0;
      below = ph_order_find_needed (value, floor);
    }
  uses = ph_value_copy_uses (old);
  for (guint i = 0; i < uses->len; i++)
    {
      const PhUse *use = &g_array_index (uses, PhUse, i);
      PhNode *user = ph_node_ancestor_in (use->node, value->graph);

      if (user == NULL || (below != NULL && g_hash_table_contains (below, user)))
        continue;
      if (!ph_node_set_input (use->node, use->index, value, error))
        return FALSE;
    }
  if (old->n_output_uses == 0)
    return TRUE;
  return replace_captured_outputs (old, value, below, error) && replace_outputs (old, value, error);
}

static void
push_producers (GPtrArray *stack, const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      g_ptr_array_add (stack, node->inputs->pdata[i]);
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      for (guint k = 0; k < body->outputs->len; k++)
        if (((PhValue *) body->outputs->pdata[k])->graph != body)
          g_ptr_array_add (stack, body->outputs->pdata[k]);
      PH_FOREACH_NODE (inner, body)
        push_producers (stack, inner);
    }
}

guint
ph_graph_remove_dead (PhNode *root)
{
  PhModel *model = root->graph->model;
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (PhId)); /* value ids: the values may be removed meanwhile */
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  PhNode *node = root;
  guint n = 0;

  for (;;)
    {
      gboolean dead = node != NULL;

      dead = dead && node->followers == NULL;
      for (guint i = 0; dead && i < node->outputs->len; i++)
        dead = ph_value_n_uses (node->outputs->pdata[i]) == 0;
      if (dead)
        {
          g_ptr_array_set_size (operands, 0);
          push_producers (operands, node);
          for (guint i = 0; i < operands->len; i++)
            g_array_append_val (stack, ((PhValue *) operands->pdata[i])->id);
          ph_graph_remove_node (node, NULL);
          n++;
        }

      /* Returns the next value that lost a user: its producer, or a constant itself, may now be dead. */
      for (node = NULL; node == NULL && stack->len > 0;)
        {
          PhValue *value = ph_model_find_value (model, g_array_index (stack, PhId, stack->len - 1));

          g_array_set_size (stack, stack->len - 1);
          if (value == NULL || ph_value_n_uses (value) > 0)
            continue;
          if (value->producer != NULL)
            node = value->producer;
          else if (!value->is_input)
            ph_graph_remove_value (value, NULL);
        }
      if (node == NULL)
        return n;
    }
}
