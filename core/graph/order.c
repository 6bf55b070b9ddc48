/* order.c: moves nodes while keeping topological order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

typedef struct
{
  PhGraph *graph;
  guint64 floor;    /* nodes before this one cannot matter             */
  GHashTable *seen; /* nodes of the graph that were reached            */
  GPtrArray *stack;
} Search;

static void
reach_node (Search *search, PhNode *node)
{
  if (node->order >= search->floor && g_hash_table_add (search->seen, node))
    g_ptr_array_add (search->stack, node);
}

static void
reach (Search *search, const PhValue *value)
{
  if (value != NULL && value->producer != NULL && value->graph == search->graph)
    reach_node (search, value->producer);
}

static void
reach_captures (Search *search, const PhGraph *body)
{
  for (guint i = 0; i < body->outputs->len; i++)
    reach (search, body->outputs->pdata[i]);
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        reach (search, node->inputs->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        reach_captures (search, node->graphs->pdata[i]);
    }
}

/* @node: (nullable) */
static GHashTable *
find_needed (PhGraph *graph, PhNode *node, guint64 floor)
{
  Search search = { graph, floor, g_hash_table_new (NULL, NULL), g_ptr_array_new () };

  if (node != NULL)
    reach_node (&search, node);
  while (search.stack->len > 0)
    {
      node = g_ptr_array_steal_index_fast (search.stack, search.stack->len - 1);
      for (guint i = 0; i < node->inputs->len; i++)
        reach (&search, node->inputs->pdata[i]);
      for (guint i = 0; node->control != NULL && i < node->control->len; i++)
        reach_node (&search, node->control->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        reach_captures (&search, node->graphs->pdata[i]);
    }
  g_ptr_array_unref (search.stack);
  return search.seen;
}

GHashTable *
ph_order_find_needed (const PhValue *value, guint64 floor)
{
  return find_needed (value->graph, value->producer, floor);
}

static void
move_after (PhNode *node, PhNode *place)
{
  ph_edit_commit (node->graph->model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_MOVE_NODE,
                              .id = node->id,
                              .place = node->prev != NULL ? node->prev->id : PH_NO_ID,
                              .new_place = place != NULL ? place->id : PH_NO_ID });
}

static int
by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Moves all of @needed in front of @node. */
static void
move_needed (PhNode *node, GHashTable *needed)
{
  g_autoptr (GPtrArray) moving = g_ptr_array_sized_new (g_hash_table_size (needed));
  GHashTableIter iter;
  gpointer key;
  PhNode *place = node->prev;

  g_hash_table_iter_init (&iter, needed);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (moving, key);
  g_ptr_array_sort (moving, by_order);
  for (guint i = 0; i < moving->len; i++)
    {
      move_after (moving->pdata[i], place);
      place = moving->pdata[i];
    }
}

gboolean
ph_order_put_before (PhNode *user, const PhValue *value, GError **error)
{
  PhNode *node = ph_node_ancestor_in (user, value->graph);
  g_autoptr (GHashTable) needed = NULL;

  if (value->producer == NULL || value->producer->order < node->order)
    return TRUE;
  needed = ph_order_find_needed (value, node->order);
  if (g_hash_table_contains (needed, node))
    {
      g_autofree char *label = ph_node_label (node);
      return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot use '%s', which is computed from it: that would be a cycle", label,
                           value->name);
    }
  move_needed (node, needed);
  return TRUE;
}

gboolean
ph_order_put_first (PhNode *node, PhNode *first, GError **error)
{
  g_autoptr (GHashTable) needed = NULL;

  if (first->order < node->order)
    return TRUE;
  needed = find_needed (node->graph, first, node->order);
  if (g_hash_table_contains (needed, node))
    {
      g_autofree char *label = ph_node_label (node), *other = ph_node_label (first);
      return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot run after %s, which needs it: that would be a cycle", label,
                           other);
    }
  move_needed (node, needed);
  return TRUE;
}

/* Returns TRUE if a body of @node, at any depth, has @value as an output. */
static gboolean
hands_out (const PhNode *node, const PhValue *value)
{
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      if (g_ptr_array_find (body->outputs, value, NULL))
        return TRUE;
      PH_FOREACH_NODE (inner, body)
        if (hands_out (inner, value))
          return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if @node or a body of it uses an output of @producer, or a control edge orders them. */
static gboolean
uses_output_of (PhNode *node, const PhNode *producer)
{
  if (node->control != NULL && g_ptr_array_find (node->control, producer, NULL))
    return TRUE;
  for (guint i = 0; i < producer->outputs->len; i++)
    {
      const PhValue *value = producer->outputs->pdata[i];
      for (guint k = 0; k < value->uses->len; k++)
        if (ph_node_ancestor_in (g_array_index (value->uses, PhUse, k).node, producer->graph) == node)
          return TRUE;
      if (value->n_output_uses > 0 && hands_out (node, value))
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_node_move_before (PhNode *node, PhNode *before, GError **error)
{
  PhNode *place = before != NULL ? before->prev : node->graph->last;
  gboolean forward = before == NULL || before->order > node->order;

  g_return_val_if_fail (before == NULL || before->graph == node->graph, FALSE);
  if (node == before || place == node)
    return TRUE;
  for (PhNode *crossed = forward ? node->next : before; crossed != (forward ? before : node); crossed = crossed->next)
    if (uses_output_of (forward ? crossed : node, forward ? node : crossed))
      {
        g_autofree char *moved = ph_node_label (node), *label = ph_node_label (crossed);
        return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot move past %s: one needs the other", moved, label);
      }
  move_after (node, place);
  return TRUE;
}

/* ── all nodes ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
collect_nodes (PhGraph *graph, GPtrArray *nodes)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (node->graphs != NULL && !ph_node_is_fused (node))
        for (guint i = 0; i < node->graphs->len; i++)
          collect_nodes (g_ptr_array_index (node->graphs, i), nodes);
      g_ptr_array_add (nodes, node);
    }
}

GPtrArray *
ph_model_nodes (PhModel *model)
{
  GPtrArray *nodes = g_ptr_array_new ();

  collect_nodes (model->graph, nodes);
  return nodes;
}
