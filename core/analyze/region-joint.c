/* region-joint.c: merges interdependent regions into one, with everything between them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/region-private.h"

typedef struct
{
  GHashTable *made;
  gboolean reads;
} Reading;

static void
note_read (PhValue *value, gpointer data)
{
  Reading *reading = data;

  reading->reads = reading->reads || (value->producer != NULL && g_hash_table_contains (reading->made, value->producer));
}

static gboolean
reads_any (PhNode *node, GHashTable *nodes)
{
  Reading reading = { nodes, FALSE };

  ph_each_read (node, note_read, &reading);
  return reading.reads;
}

static void
note_producer (PhValue *value, gpointer above)
{
  if (value->producer != NULL)
    g_hash_table_add (above, value->producer);
}

/* Returns @nodes and all nodes on paths between them. (transfer full) */
static GHashTable *
with_between (PhGraph *graph, GHashTable *nodes)
{
  GHashTable *all = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) below = g_hash_table_new (NULL, NULL), above = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, graph)
    if (g_hash_table_contains (nodes, node) || reads_any (node, below))
      g_hash_table_add (below, node);
  for (PhNode *node = graph->last; node != NULL; node = node->prev)
    {
      const gboolean is_one = g_hash_table_contains (nodes, node);

      if (is_one || g_hash_table_contains (above, node))
        ph_each_read (node, note_producer, above);
      if (is_one || (g_hash_table_contains (above, node) && g_hash_table_contains (below, node)))
        g_hash_table_add (all, node);
    }
  return all;
}

/* Adds the counterparts of nodes, so that a node that exists on both sides is in both. */
static void
level (GHashTable *sides[2], PhModel *models[2])
{
  for (guint side = 0; side < 2; side++)
    {
      GHashTableIter iter;
      gpointer node;

      g_hash_table_iter_init (&iter, sides[side]);
      while (g_hash_table_iter_next (&iter, &node, NULL))
        {
          PhNode *twin = ph_model_find_node (models[1 - side], ((PhNode *) node)->id);

          if (twin != NULL)
            g_hash_table_add (sides[1 - side], twin);
        }
    }
}

/* Pairs the values that an outside user, or an output of the graph, read before and reads after. */
static void
add_borders (PhRegion *region, GHashTable *sides[2], PhGraph *was, PhModel *after, PhGraph *is)
{
  PH_FOREACH_NODE (node, was)
    {
      PhNode *twin = g_hash_table_contains (sides[0], node) ? NULL : ph_model_find_node (after, node->id);

      for (guint i = 0; twin != NULL && i < MIN (node->inputs->len, twin->inputs->len); i++)
        {
          const PhValue *a = ph_node_input (node, i), *b = ph_node_input (twin, i);

          if (a != NULL && b != NULL
              && (a->id != b->id || (a->producer != NULL && g_hash_table_contains (sides[0], a->producer))))
            ph_region_add_pair (region, a->id, b->id);
        }
    }
  for (guint i = 0; i < MIN (was->outputs->len, is->outputs->len); i++)
    {
      const PhValue *a = was->outputs->pdata[i], *b = is->outputs->pdata[i];

      if (a->id != b->id || (a->producer != NULL && g_hash_table_contains (sides[0], a->producer)))
        ph_region_add_pair (region, a->id, b->id);
    }
}

/* Returns TRUE if a body outside captures a value of the region. The region is then rejected, since that body would need the value from
 * outside. */
static gboolean
is_captured (PhGraph *graph, GHashTable *inside)
{
  PH_FOREACH_NODE (node, graph)
    if (node->graphs != NULL && node->graphs->len > 0 && !g_hash_table_contains (inside, node) && reads_any (node, inside))
      {
        gboolean direct = FALSE;

        for (guint i = 0; i < node->inputs->len; i++)
          direct = direct
                   || (ph_node_input (node, i) != NULL && ph_node_input (node, i)->producer != NULL
                       && g_hash_table_contains (inside, ph_node_input (node, i)->producer));
        if (!direct)
          return TRUE;
      }
  return FALSE;
}

/* Adds nodes that exist on both sides but read another value after: they depend on both producers. */
static void
add_switched (GHashTable *sides[2], PhGraph *was, PhModel *after)
{
  PH_FOREACH_NODE (node, was)
    {
      PhNode *twin = ph_model_find_node (after, node->id);

      for (guint i = 0; twin != NULL && i < MIN (node->inputs->len, twin->inputs->len); i++)
        {
          const PhValue *a = ph_node_input (node, i), *b = ph_node_input (twin, i);

          if (a != NULL && b != NULL && a->id != b->id)
            {
              g_hash_table_add (sides[0], node);
              g_hash_table_add (sides[1], twin);
            }
        }
    }
}

PhRegion *
ph_region_joint (GPtrArray *regions, PhModel *before, PhModel *after, guint most)
{
  PhModel *models[2] = { before, after };
  GHashTable *sides[2] = { g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL) };
  PhGraph *graphs[2] = { NULL, NULL };
  g_autoptr (PhRegion) joint = NULL;

  for (guint i = 0; i < regions->len; i++)
    {
      const PhRegion *region = regions->pdata[i];

      if (joint == NULL)
        joint = ph_region_new (region->graph);
      if (region->graph != joint->graph)
        g_clear_pointer (&joint, ph_region_free);
      if (joint == NULL)
        break;
      for (guint k = 0; k < region->before->len; k++)
        g_hash_table_add (sides[0], region->before->pdata[k]);
      for (guint k = 0; k < region->after->len; k++)
        g_hash_table_add (sides[1], region->after->pdata[k]);
      joint->lost_output |= region->lost_output;
    }
  for (guint side = 0; joint != NULL && side < 2; side++)
    graphs[side] = ph_model_find_graph (models[side], joint->graph);
  if (joint != NULL && graphs[0] != NULL && graphs[1] != NULL)
    add_switched (sides, graphs[0], after);
  /* An addition on one side may require more on the other. */
  for (guint round = 0; joint != NULL && graphs[0] != NULL && graphs[1] != NULL && round < 3; round++)
    {
      for (guint side = 0; side < 2; side++)
        {
          GHashTable *all = with_between (graphs[side], sides[side]);

          g_hash_table_unref (sides[side]);
          sides[side] = all;
        }
      level (sides, models);
    }
  if (joint != NULL
      && (graphs[0] == NULL || graphs[1] == NULL || g_hash_table_size (sides[0]) + g_hash_table_size (sides[1]) > most
          || is_captured (graphs[0], sides[0]) || is_captured (graphs[1], sides[1])))
    g_clear_pointer (&joint, ph_region_free);
  for (guint side = 0; joint != NULL && side < 2; side++)
    PH_FOREACH_NODE (node, graphs[side])
      if (g_hash_table_contains (sides[side], node))
        g_ptr_array_add (side == 0 ? joint->before : joint->after, node);
  if (joint != NULL)
    {
      add_borders (joint, sides, graphs[0], after, graphs[1]);
      ph_region_find_border (joint, before, after);
    }
  g_hash_table_unref (sides[0]);
  g_hash_table_unref (sides[1]);
  return g_steal_pointer (&joint);
}
