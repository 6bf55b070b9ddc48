/* border.c: the inputs and outputs of a region, and how it grows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/region-private.h"

/* ── operands and captured values ── */

static gboolean
is_within (const PhGraph *graph, const PhNode *owner)
{
  for (const PhNode *node = graph->owner; node != NULL; node = node->graph->owner)
    if (node == owner)
      return TRUE;
  return FALSE;
}

static void
each_captured (PhGraph *body, const PhNode *owner, PhReadFunc read, gpointer data)
{
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *value = ph_node_input (node, i);

          if (value != NULL && !is_within (value->graph, owner))
            read (value, data);
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        each_captured (node->graphs->pdata[i], owner, read, data);
    }
  for (guint i = 0; i < body->outputs->len; i++)
    {
      PhValue *value = body->outputs->pdata[i];

      if (!is_within (value->graph, owner))
        read (value, data);
    }
}

/* Calls @read for each value that @node reads, including captured values. */
void
ph_each_read (PhNode *node, PhReadFunc read, gpointer data)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL)
      read (ph_node_input (node, i), data);
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    each_captured (node->graphs->pdata[i], node, read, data);
}

/* ── regions ── */

int
ph_node_by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;

  return x->order < y->order ? -1 : x->order > y->order;
}

PhRegion *
ph_region_new (PhId graph)
{
  PhRegion *region = g_new0 (PhRegion, 1);

  region->graph = graph;
  region->before = g_ptr_array_new ();
  region->after = g_ptr_array_new ();
  region->inputs = g_array_new (FALSE, FALSE, sizeof (PhId));
  region->outputs = g_array_new (FALSE, FALSE, sizeof (PhBorderPair));
  return region;
}

void
ph_region_free (PhRegion *region)
{
  g_ptr_array_unref (region->before);
  g_ptr_array_unref (region->after);
  g_array_unref (region->inputs);
  g_array_unref (region->outputs);
  g_free (region);
}

PhRegion *
ph_region_copy (const PhRegion *region)
{
  PhRegion *copy = g_memdup2 (region, sizeof *region);

  copy->before = g_ptr_array_copy (region->before, NULL, NULL);
  copy->after = g_ptr_array_copy (region->after, NULL, NULL);
  copy->inputs = g_array_copy (region->inputs);
  copy->outputs = g_array_copy (region->outputs);
  return copy;
}

void
ph_region_add_pair (PhRegion *region, PhId before, PhId after)
{
  for (guint i = 0; i < region->outputs->len; i++)
    {
      const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, i);

      if (pair->before == before && pair->after == after)
        return;
    }
  g_array_append_val (region->outputs, ((PhBorderPair) { before, after }));
}

typedef struct
{
  const GPtrArray *nodes;
  GArray *inputs;
} Border;

/* Returns TRUE if @node is in @nodes, which are of one graph and in its order. */
static gboolean
is_among (const GPtrArray *nodes, const PhNode *node)
{
  guint low = 0, high = nodes->len;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;
      const PhNode *at = nodes->pdata[middle];

      if (at == node)
        return TRUE;
      if (at->order < node->order)
        low = middle + 1;
      else
        high = middle;
    }
  return FALSE;
}

static void
border_read (PhValue *value, gpointer data)
{
  Border *border = data;

  if (value->producer == NULL ? ph_value_constant (value) != NULL : is_among (border->nodes, value->producer))
    return;
  for (guint i = 0; i < border->inputs->len; i++)
    if (g_array_index (border->inputs, PhId, i) == value->id)
      return;
  g_array_append_val (border->inputs, value->id);
}

/* Finds the values that either side reads but does not compute. A node on one side only cannot compute what the other reads. */
static void
find_inputs (PhRegion *region, PhModel *before, PhModel *after)
{
  g_array_set_size (region->inputs, 0);
  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;
      Border border = { nodes, region->inputs };

      for (guint i = 0; i < nodes->len; i++)
        ph_each_read (nodes->pdata[i], border_read, &border);
      for (guint i = 0; i < region->outputs->len; i++)
        {
          const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, i);
          PhValue *value = ph_model_find_value (side == 0 ? before : after, side == 0 ? pair->before : pair->after);

          if (value != NULL)
            border_read (value, &border);
        }
    }
}

/* Finds the border. An input with a default may still be fed, unless it became a constant; a new input was a constant before. */
void
ph_region_find_border (PhRegion *region, PhModel *before, PhModel *after)
{
  find_inputs (region, before, after);
  for (guint i = region->inputs->len; i-- > 0;)
    {
      const PhId id = g_array_index (region->inputs, PhId, i);
      const PhValue *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

      if ((was != NULL && was->is_input && was->tensor != NULL && (is == NULL || !is->is_input))
          || (was == NULL && is != NULL && is->is_input && is->tensor != NULL))
        g_array_remove_index (region->inputs, i);
    }
}

/* ── widening ── */

static gboolean
contains (GPtrArray *nodes, PhNode *node)
{
  return g_ptr_array_find (nodes, node, NULL);
}

/* Widens the region from a body to the node that owns it: the rewrite may depend on the node's operands. */
static gboolean
lift (PhRegion *region, PhModel *before, PhModel *after)
{
  const PhGraph *body = ph_model_find_graph (before, region->graph);
  PhNode *was = body != NULL ? body->owner : NULL, *is = was != NULL ? ph_model_find_node (after, was->id) : NULL;

  if (is == NULL || is->graph->id != was->graph->id)
    return FALSE;
  region->graph = was->graph->id;
  g_ptr_array_set_size (region->before, 0);
  g_ptr_array_set_size (region->after, 0);
  g_array_set_size (region->outputs, 0);
  g_ptr_array_add (region->before, was);
  g_ptr_array_add (region->after, is);
  for (guint k = 0; k < MIN (was->outputs->len, is->outputs->len); k++)
    {
      PhValue *a = ph_node_output (was, k), *b = ph_node_output (is, k);

      if (a->id == b->id && ph_value_n_uses (a) > 0 && ph_value_n_uses (b) > 0)
        ph_region_add_pair (region, a->id, b->id);
    }
  ph_region_find_border (region, before, after);
  return TRUE;
}

gboolean
ph_region_widen (PhRegion *region, PhModel *before, PhModel *after, gboolean leave)
{
  g_autoptr (GArray) inputs = g_array_copy (region->inputs);
  gboolean grew = FALSE;

  if (leave && lift (region, before, after))
    return TRUE;

  for (guint i = 0; i < inputs->len; i++)
    {
      const PhId id = g_array_index (inputs, PhId, i);
      PhValue *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

      if (was != NULL && was->producer != NULL && was->graph->id == region->graph && !contains (region->before, was->producer))
        {
          g_ptr_array_add (region->before, was->producer);
          grew = TRUE;
        }
      if (is != NULL && is->producer != NULL && is->graph->id == region->graph && !contains (region->after, is->producer))
        {
          g_ptr_array_add (region->after, is->producer);
          grew = TRUE;
        }
    }
  if (!grew)
    return lift (region, before, after);
  g_ptr_array_sort (region->before, ph_node_by_order);
  g_ptr_array_sort (region->after, ph_node_by_order);
  ph_region_find_border (region, before, after);
  return TRUE;
}

/* All the nodes that compute an input of a region. */
typedef struct
{
  const PhRegion *region;
  const GPtrArray *nodes; /* of the region */
  GPtrArray *cone;
  gboolean closed;
} Cone;

#define MOST_IN_CONE 12

static void
cone_read (PhValue *value, gpointer data)
{
  Cone *cone = data;

  if (!cone->closed || ph_value_constant (value) != NULL)
    return;
  for (guint i = 0; i < cone->region->inputs->len; i++)
    if (g_array_index (cone->region->inputs, PhId, i) == value->id)
      return;
  if (value->producer != NULL && contains (cone->cone, value->producer))
    return;
  cone->closed = value->producer != NULL && value->graph->id == cone->region->graph && cone->cone->len < MOST_IN_CONE
                 && !contains ((GPtrArray *) cone->nodes, value->producer);
  if (!cone->closed)
    return;
  g_ptr_array_add (cone->cone, value->producer);
  ph_each_read (value->producer, cone_read, cone);
}

/* Finds the nodes that compute the input @id of @region from its other inputs. (transfer container) (nullable) */
static GPtrArray *
find_cone (const PhRegion *region, PhModel *model, const GPtrArray *nodes, PhId id)
{
  PhValue *value = ph_model_find_value (model, id);
  Cone cone = { region, nodes, g_ptr_array_new (), TRUE };

  cone.closed = value != NULL && value->producer != NULL && value->graph->id == region->graph
                && !contains ((GPtrArray *) nodes, value->producer);
  if (cone.closed)
    {
      g_ptr_array_add (cone.cone, value->producer);
      ph_each_read (value->producer, cone_read, &cone);
    }
  if (!cone.closed)
    g_clear_pointer (&cone.cone, g_ptr_array_unref);
  return cone.cone;
}

gboolean
ph_region_close (PhRegion *region, PhModel *before, PhModel *after)
{
  gboolean grew = FALSE;

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId id = g_array_index (region->inputs, PhId, i);
      g_autoptr (GPtrArray) was = find_cone (region, before, region->before, id);
      g_autoptr (GPtrArray) is = was != NULL ? find_cone (region, after, region->after, id) : NULL;

      if (is == NULL)
        continue;
      g_ptr_array_extend (region->before, was, NULL, NULL);
      g_ptr_array_extend (region->after, is, NULL, NULL);
      g_ptr_array_sort (region->before, ph_node_by_order);
      g_ptr_array_sort (region->after, ph_node_by_order);
      ph_region_find_border (region, before, after);
      grew = TRUE;
      i = G_MAXUINT; /* from the start: there are other inputs now */
    }
  return grew;
}

/* ── following ── */

/* Adds the outside users of @value that exist in both models to both sides. */
static gboolean
add_readers (PhRegion *region, const PhValue *value, PhGraph *graph, PhModel *other, PhGraph *other_graph, guint side,
             GPtrArray *joined)
{
  gboolean grew = FALSE;

  for (guint u = 0; u < value->uses->len; u++)
    {
      PhNode *at = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, graph),
             *twin = at != NULL ? ph_model_find_node (other, at->id) : NULL;

      if (twin == NULL || twin->graph != other_graph || contains (side == 0 ? region->before : region->after, at)
          || contains (side == 0 ? region->after : region->before, twin))
        continue;
      g_ptr_array_add (side == 0 ? region->before : region->after, at);
      g_ptr_array_add (side == 0 ? region->after : region->before, twin);
      g_ptr_array_add (joined, side == 0 ? at : twin);
      grew = TRUE;
    }
  return grew;
}

static gboolean
is_switched_output (const PhGraph *was, const PhGraph *is, const PhBorderPair *pair)
{
  for (guint i = 0; i < MIN (was->outputs->len, is->outputs->len); i++)
    if (((PhValue *) was->outputs->pdata[i])->id == pair->before && ((PhValue *) is->outputs->pdata[i])->id == pair->after)
      return TRUE;
  return FALSE;
}

gboolean
ph_region_follow (PhRegion *region, PhModel *before, PhModel *after)
{
  PhGraph *was = ph_model_find_graph (before, region->graph), *is = ph_model_find_graph (after, region->graph);
  g_autoptr (GPtrArray) joined = g_ptr_array_new ();
  gboolean grew = FALSE;

  for (guint i = region->outputs->len; was != NULL && is != NULL && i-- > 0;)
    {
      const PhBorderPair pair = g_array_index (region->outputs, PhBorderPair, i);
      const PhValue *old = ph_model_find_value (before, pair.before), *now = ph_model_find_value (after, pair.after);

      if (old == NULL || now == NULL)
        continue;
      grew |= add_readers (region, old, was, after, is, 0, joined);
      grew |= add_readers (region, now, is, before, was, 1, joined);
      if (!is_switched_output (was, is, &pair))
        g_array_remove_index (region->outputs, i);
    }
  if (!grew)
    return FALSE;
  for (guint i = 0; i < joined->len; i++)
    {
      const PhNode *node = joined->pdata[i], *twin = ph_model_find_node (after, node->id);

      for (guint k = 0; k < MIN (node->outputs->len, twin->outputs->len); k++)
        {
          const PhValue *a = ph_node_output (node, k), *b = ph_node_output (twin, k);

          if (a->id == b->id && ph_value_n_uses (a) > 0 && ph_value_n_uses (b) > 0)
            ph_region_add_pair (region, a->id, b->id);
        }
    }
  g_ptr_array_sort (region->before, ph_node_by_order);
  g_ptr_array_sort (region->after, ph_node_by_order);
  ph_region_find_border (region, before, after);
  return region->outputs->len > 0;
}
