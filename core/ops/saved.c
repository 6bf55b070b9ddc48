/* saved.c: the forward values that the backward graph reads, and the peak memory of a graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/saved.h"

#include "core/ops/op.h"

/* Returns TRUE if a forward node of the main graph computes @value and a backward node reads it, so that it is kept in between. */
static gboolean
is_saved (const PhValue *value)
{
  if (value->producer == NULL || value->producer->role == PH_ROLE_BACKWARD || value->graph->owner != NULL)
    return FALSE;
  for (guint i = 0; i < value->uses->len; i++)
    {
      const PhNode *reader = ph_node_ancestor_in (g_array_index (value->uses, PhUse, i).node, value->graph);

      if (reader != NULL && reader->role == PH_ROLE_BACKWARD)
        return TRUE;
    }
  return FALSE;
}

GPtrArray *
ph_graph_saved (const PhGraph *graph)
{
  GPtrArray *saved = g_ptr_array_new ();

  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; i < node->outputs->len; i++)
      if (is_saved (node->outputs->pdata[i]))
        g_ptr_array_add (saved, node->outputs->pdata[i]);
  return saved;
}

gint64
ph_graph_peak (const PhGraph *graph, PhNode **at)
{
  g_autoptr (GHashTable) place = g_hash_table_new (NULL, NULL);
  g_autofree gint64 *change = g_new0 (gint64, graph->n_nodes + 2);
  gint64 now = 0, peak = 0;
  guint n = 0;

  PH_FOREACH_NODE (node, graph)
    g_hash_table_insert (place, node, GUINT_TO_POINTER (n++));
  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        PhValue *value = node->outputs->pdata[i];
        const gint64 bytes = value->type != NULL ? ph_type_bytes (value->type) : -1;
        guint from = GPOINTER_TO_UINT (g_hash_table_lookup (place, node)), to = from;

        if (bytes < 0)
          return -1;
        for (guint k = 0; k < value->uses->len; k++)
          {
            PhNode *reader = ph_node_ancestor_in (g_array_index (value->uses, PhUse, k).node, (PhGraph *) graph);

            if (reader != NULL)
              to = MAX (to, GPOINTER_TO_UINT (g_hash_table_lookup (place, reader)));
          }
        if (ph_value_is_output (value))
          to = n;
        change[from] += bytes;
        change[to + 1] -= bytes;
      }
  n = 0;
  if (at != NULL)
    *at = NULL;
  PH_FOREACH_NODE (node, graph)
    {
      now += change[n++];
      if (now > peak)
        {
          peak = now;
          if (at != NULL)
            *at = node;
        }
    }
  return peak;
}

gint64
ph_graph_flops (const PhGraph *graph)
{
  gint64 sum = 0;

  PH_FOREACH_NODE (node, graph)
    sum += MAX (ph_node_flops (node), 0);
  return sum;
}
