/* region.c: the difference of two positions, taken apart into regions with a border.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/region.h"

#include "core/graph/net.h"

/* A reader outside, or an output of the graph: it read @before and reads @after now. */
typedef struct { PhId before, after; } Switch;

typedef struct
{
  PhModel    *model[2];          /* before, after                                                   */
  PhGraph    *graph[2];          /* where both sides stand                                          */
  GHashTable *inside[2];         /* PhId -> PhNode: the changed nodes of either side                */
  GArray     *switches;          /* (element-type Switch)                                           */
  GHashTable *parent;            /* union-find over node ids, PhId -> PhId                          */
  gboolean    lost_output;
} Cut;

/* ── what a node reads ── */

typedef void (*Read) (PhValue *value, gpointer data);

static gboolean
is_within (const PhGraph *graph, const PhNode *owner)
{
  for (const PhNode *node = graph->owner; node != NULL; node = node->graph->owner)
    if (node == owner)
      return TRUE;
  return FALSE;
}

static void
each_captured (PhGraph *body, const PhNode *owner, Read read, gpointer data)
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

/* Every value that @node reads, also those that its bodies capture. */
static void
each_read (PhNode *node, Read read, gpointer data)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL)
      read (ph_node_input (node, i), data);
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    each_captured (node->graphs->pdata[i], node, read, data);
}

/* ── the graph in which all of it stands ── */

static guint
depth_of (const PhGraph *graph)
{
  guint depth = 0;

  for (; graph->owner != NULL; graph = graph->owner->graph)
    depth++;
  return depth;
}

static PhId
common_graph (PhModel *model, PhId id, const PhGraph *other)
{
  const PhGraph *graph = ph_model_find_graph (model, id);

  if (graph == NULL)
    return PH_NO_ID;
  while (graph->id != other->id)
    {
      const guint a = depth_of (graph), b = depth_of (other);

      if (a == 0 && b == 0)
        return PH_NO_ID;
      if (a >= b)
        graph = graph->owner->graph;
      if (b >= a && b > 0)
        other = other->owner->graph;
    }
  return graph->id;
}

/* ── the two sides ── */

static void
union_init (Cut *cut, PhId id)
{
  if (!g_hash_table_contains (cut->parent, GUINT_TO_POINTER (id)))
    g_hash_table_insert (cut->parent, GUINT_TO_POINTER (id), GUINT_TO_POINTER (id));
}

static PhId
union_find (Cut *cut, PhId id)
{
  PhId root = id, up;

  while ((up = GPOINTER_TO_UINT (g_hash_table_lookup (cut->parent, GUINT_TO_POINTER (root)))) != root)
    root = up;
  while ((up = GPOINTER_TO_UINT (g_hash_table_lookup (cut->parent, GUINT_TO_POINTER (id)))) != root)
    {
      g_hash_table_insert (cut->parent, GUINT_TO_POINTER (id), GUINT_TO_POINTER (root));
      id = up;
    }
  return root;
}

static void
union_join (Cut *cut, PhId a, PhId b)
{
  a = union_find (cut, a);
  b = union_find (cut, b);
  if (a != b)
    g_hash_table_insert (cut->parent, GUINT_TO_POINTER (MAX (a, b)), GUINT_TO_POINTER (MIN (a, b)));
}

static void
take_in (Cut *cut, guint side, PhNode *node)
{
  PhNode *at = node != NULL ? ph_node_ancestor_in (node, cut->graph[side]) : NULL;

  if (at == NULL)
    return;
  g_hash_table_insert (cut->inside[side], GUINT_TO_POINTER (at->id), at);
  union_init (cut, at->id);
}

/* A node that itself stayed, and of which an owner is changed: it is in on both sides. */
static void
take_in_both (Cut *cut, PhId id)
{
  for (guint side = 0; side < 2; side++)
    take_in (cut, side, ph_model_find_node (cut->model[side], id));
}

static gboolean
is_constant (PhModel *model, PhId id)
{
  const PhValue *value = ph_model_find_value (model, id);

  return value == NULL || ph_value_constant (value) != NULL;
}

/* Only reads something else now, and nothing that is constant: the border runs in front of it. */
static gboolean
is_reader (Cut *cut, const PhNetNode *net)
{
  if (!net->before || !net->after)
    return FALSE;
  for (guint i = 0; i < net->fields->len; i++)
    {
      const PhNetField *field = &g_array_index (net->fields, PhNetField, i);

      if (field->kind == PH_NET_TYPE)
        continue;
      if (field->kind != PH_NET_INPUT || field->before == PH_NO_ID || field->after == PH_NO_ID ||
          is_constant (cut->model[0], field->before) || is_constant (cut->model[1], field->after))
        return FALSE;
    }
  return TRUE;
}

static gboolean
only_types (const PhNetNode *net)
{
  for (guint i = 0; net->before && net->after && i < net->fields->len; i++)
    if (g_array_index (net->fields, PhNetField, i).kind != PH_NET_TYPE)
      return FALSE;
  return net->before && net->after;
}

static void
sort_changes (Cut *cut, GHashTable *net)
{
  GHashTableIter iter;
  gpointer       data;

  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const PhNetNode *node = data;
      PhNode          *was = node->before ? ph_model_find_node (cut->model[0], node->id) : NULL;
      PhNode          *is = node->after ? ph_model_find_node (cut->model[1], node->id) : NULL;

      if ((was == NULL && is == NULL) || only_types (node))
        continue;
      if (was != NULL && is != NULL && was->graph == cut->graph[0] && is->graph == cut->graph[1] && is_reader (cut, node))
        {
          for (guint i = 0; i < node->fields->len; i++)
            {
              const PhNetField *field = &g_array_index (node->fields, PhNetField, i);

              if (field->kind == PH_NET_INPUT)
                g_array_append_val (cut->switches, ((Switch) { field->before, field->after }));
            }
          continue;
        }
      for (guint side = 0; side < 2; side++)
        {
          PhNode *one = side == 0 ? was : is;
          PhNode *at = one != NULL ? ph_node_ancestor_in (one, cut->graph[side]) : NULL;

          if (at == one)
            take_in (cut, side, one);
          else if (at != NULL)
            take_in_both (cut, at->id);
        }
    }
}

static void
compare_outputs (Cut *cut)
{
  const GPtrArray *was = cut->graph[0]->outputs, *is = cut->graph[1]->outputs;

  cut->lost_output = is->len < was->len;
  for (guint i = 0; i < MIN (was->len, is->len); i++)
    {
      Switch one = { ((PhValue *) was->pdata[i])->id, ((PhValue *) is->pdata[i])->id };

      if (one.before != one.after)
        g_array_append_val (cut->switches, one);
    }
}

/* The changed node of @side that makes the value @id. (nullable) */
static PhNode *
maker_of (Cut *cut, guint side, PhId id)
{
  const PhValue *value = ph_model_find_value (cut->model[side], id);

  return value != NULL && value->producer != NULL
             ? g_hash_table_lookup (cut->inside[side], GUINT_TO_POINTER (value->producer->id))
             : NULL;
}

typedef struct { Cut *cut; guint side; PhNode *node; } Joining;

static void
join_read (PhValue *value, gpointer data)
{
  Joining *joining = data;
  PhNode  *maker = maker_of (joining->cut, joining->side, value->id);

  if (maker != NULL)
    union_join (joining->cut, maker->id, joining->node->id);
}

/* What makes a switched value on one side and on the other belongs together; so does all that shares a value that is neither's. */
static void
join_all (Cut *cut)
{
  GHashTableIter iter;
  gpointer       node;

  for (guint side = 0; side < 2; side++)
    {
      g_hash_table_iter_init (&iter, cut->inside[side]);
      while (g_hash_table_iter_next (&iter, NULL, &node))
        each_read (node, join_read, &(Joining) { cut, side, node });
    }
  for (guint i = 0; i < cut->switches->len; i++)
    {
      const Switch *one = &g_array_index (cut->switches, Switch, i);
      PhNode       *was = maker_of (cut, 0, one->before), *is = maker_of (cut, 1, one->after);

      if (was != NULL && is != NULL)
        union_join (cut, was->id, is->id);
    }
}

/* ── regions ── */

static int
by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;

  return x->order < y->order ? -1 : x->order > y->order;
}

static PhRegion *
region_new (PhId graph)
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

static void
add_pair (PhRegion *region, PhId before, PhId after)
{
  for (guint i = 0; i < region->outputs->len; i++)
    {
      const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, i);

      if (pair->before == before && pair->after == after)
        return;
    }
  g_array_append_val (region->outputs, ((PhBorderPair) { before, after }));
}

typedef struct { const GPtrArray *nodes; GArray *inputs; } Border;

/* @nodes are of one graph, and in its order. */
static gboolean
is_among (const GPtrArray *nodes, const PhNode *node)
{
  guint low = 0, high = nodes->len;

  while (low < high)
    {
      const guint   middle = low + (high - low) / 2;
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

/* What either side reads and does not make itself. A node that is on one side only cannot make what the other reads. */
static void
find_inputs (PhRegion *region, PhModel *before, PhModel *after)
{
  g_array_set_size (region->inputs, 0);
  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;
      Border           border = { nodes, region->inputs };

      for (guint i = 0; i < nodes->len; i++)
        each_read (nodes->pdata[i], border_read, &border);
      for (guint i = 0; i < region->outputs->len; i++)
        {
          const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, i);
          PhValue            *value = ph_model_find_value (side == 0 ? before : after, side == 0 ? pair->before : pair->after);

          if (value != NULL)
            border_read (value, &border);
        }
    }
}

/* An input that has a default may still be fed, unless it became a constant. */
static void
find_border (PhRegion *region, PhModel *before, PhModel *after)
{
  find_inputs (region, before, after);
  for (guint i = region->inputs->len; i-- > 0;)
    {
      const PhId     id = g_array_index (region->inputs, PhId, i);
      const PhValue *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

      if (was != NULL && was->is_input && was->tensor != NULL && (is == NULL || !is->is_input))
        g_array_remove_index (region->inputs, i);
    }
}

static PhRegion *
region_at (Cut *cut, GHashTable *regions, GPtrArray *found, PhId root)
{
  PhRegion *region = g_hash_table_lookup (regions, GUINT_TO_POINTER (root));

  if (region == NULL)
    {
      region = region_new (cut->graph[0]->id);
      g_hash_table_insert (regions, GUINT_TO_POINTER (root), region);
      g_ptr_array_add (found, region);
    }
  return region;
}

/* What a node that stays and is changed makes is read through the same value before and after. */
static void
pair_kept_outputs (Cut *cut, PhRegion *region)
{
  for (guint i = 0; i < region->before->len; i++)
    {
      PhNode *was = region->before->pdata[i], *is = g_hash_table_lookup (cut->inside[1], GUINT_TO_POINTER (was->id));

      for (guint k = 0; is != NULL && k < MIN (was->outputs->len, is->outputs->len); k++)
        {
          PhValue *a = ph_node_output (was, k), *b = ph_node_output (is, k);

          if (a->id == b->id && ph_value_n_uses (a) > 0 && ph_value_n_uses (b) > 0)
            add_pair (region, a->id, b->id);
        }
    }
}

static GPtrArray *
make_regions (Cut *cut)
{
  GPtrArray            *found = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_region_free);
  g_autoptr(GHashTable) regions = g_hash_table_new (NULL, NULL);

  for (guint side = 0; side < 2; side++)
    {
      GHashTableIter iter;
      gpointer       node;

      g_hash_table_iter_init (&iter, cut->inside[side]);
      while (g_hash_table_iter_next (&iter, NULL, &node))
        {
          PhRegion *region = region_at (cut, regions, found, union_find (cut, ((PhNode *) node)->id));

          g_ptr_array_add (side == 0 ? region->before : region->after, node);
        }
    }
  for (guint i = 0; i < cut->switches->len; i++)
    {
      const Switch *one = &g_array_index (cut->switches, Switch, i);
      PhNode       *was = maker_of (cut, 0, one->before), *is = maker_of (cut, 1, one->after);
      PhRegion     *region;

      if (was != NULL || is != NULL)
        region = region_at (cut, regions, found, union_find (cut, was != NULL ? was->id : is->id));
      else         /* both are made elsewhere: ids of nodes and values are one sequence */
        region = region_at (cut, regions, found, one->before);
      add_pair (region, one->before, one->after);
    }
  for (guint i = 0; i < found->len; i++)
    {
      PhRegion *region = found->pdata[i];

      pair_kept_outputs (cut, region);
      g_ptr_array_sort (region->before, by_order);
      g_ptr_array_sort (region->after, by_order);
      region->lost_output = cut->lost_output;
      find_border (region, cut->model[0], cut->model[1]);
    }
  return found;
}

/* The graph that holds all the changes. */
static gboolean
find_graph (Cut *cut, GHashTable *net, PhHistory *history, guint first, guint end)
{
  PhId           common = PH_NO_ID;
  GHashTableIter iter;
  gpointer       data;

  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const PhNetNode *node = data;

      if (only_types (node))
        continue;
      for (guint side = 0; side < 2; side++)
        {
          const PhNode *one = ph_model_find_node (cut->model[side], node->id);

          if (one != NULL)
            common = common == PH_NO_ID ? one->graph->id : common_graph (cut->model[side], common, one->graph);
          if (one != NULL && common == PH_NO_ID)
            common = cut->model[side]->graph->id;
        }
    }
  for (guint i = first; i < end; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];
      PhGraph      *was, *is;

      if (edit->kind != PH_EDIT_SET_OUTPUT)
        continue;
      was = ph_model_find_graph (cut->model[0], edit->graph);
      is = ph_model_find_graph (cut->model[1], edit->graph);
      if (was != NULL && is != NULL && was->owner == NULL)
        common = was->id;
      else if (was != NULL && is != NULL)
        common = common == PH_NO_ID ? was->id : common_graph (cut->model[0], common, was);
    }
  /* A body that is there on one side only is part of its owner. */
  while (common != PH_NO_ID)
    {
      cut->graph[0] = ph_model_find_graph (cut->model[0], common);
      cut->graph[1] = ph_model_find_graph (cut->model[1], common);
      if (cut->graph[0] != NULL && cut->graph[1] != NULL)
        return TRUE;
      common = cut->graph[0] != NULL ? cut->graph[0]->owner->graph->id : cut->graph[1] != NULL ? cut->graph[1]->owner->graph->id
                                                                                              : cut->model[0]->graph->id;
    }
  return FALSE;
}

GPtrArray *
ph_regions_find (PhModel *before, PhModel *after, PhHistory *history, guint first, guint end)
{
  g_autoptr(GHashTable) net = ph_net_new (history, after, first, end), was = g_hash_table_new (NULL, NULL),
                        is = g_hash_table_new (NULL, NULL), parent = g_hash_table_new (NULL, NULL);
  g_autoptr(GArray)     switches = g_array_new (FALSE, FALSE, sizeof (Switch));
  Cut                   cut = { { before, after }, { NULL, NULL }, { was, is }, switches, parent };

  if (!find_graph (&cut, net, history, first, end))
    return g_ptr_array_new_with_free_func ((GDestroyNotify) ph_region_free);
  sort_changes (&cut, net);
  compare_outputs (&cut);
  join_all (&cut);
  return make_regions (&cut);
}

PhRegion *
ph_region_whole (PhModel *before, PhModel *after)
{
  PhRegion *region = region_new (before->graph->id);

  PH_FOREACH_NODE (node, before->graph)
    g_ptr_array_add (region->before, node);
  PH_FOREACH_NODE (node, after->graph)
    g_ptr_array_add (region->after, node);
  region->lost_output = after->graph->outputs->len < before->graph->outputs->len;
  for (guint i = 0; i < MIN (before->graph->outputs->len, after->graph->outputs->len); i++)
    add_pair (region, ((PhValue *) before->graph->outputs->pdata[i])->id, ((PhValue *) after->graph->outputs->pdata[i])->id);
  find_border (region, before, after);
  return region;
}

/* ── widening ── */

static gboolean
contains (GPtrArray *nodes, PhNode *node)
{
  return g_ptr_array_find (nodes, node, NULL);
}

/* From a body to the node that it is of: the rewrite may lean on what that hands in. */
static gboolean
lift (PhRegion *region, PhModel *before, PhModel *after)
{
  const PhGraph *body = ph_model_find_graph (before, region->graph);
  PhNode        *was = body != NULL ? body->owner : NULL, *is = was != NULL ? ph_model_find_node (after, was->id) : NULL;

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
        add_pair (region, a->id, b->id);
    }
  find_border (region, before, after);
  return TRUE;
}

gboolean
ph_region_widen (PhRegion *region, PhModel *before, PhModel *after, gboolean leave)
{
  g_autoptr(GArray) inputs = g_array_copy (region->inputs);
  gboolean          grew = FALSE;

  if (leave && lift (region, before, after))
    return TRUE;

  for (guint i = 0; i < inputs->len; i++)
    {
      const PhId id = g_array_index (inputs, PhId, i);
      PhValue   *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

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
  g_ptr_array_sort (region->before, by_order);
  g_ptr_array_sort (region->after, by_order);
  find_border (region, before, after);
  return TRUE;
}
