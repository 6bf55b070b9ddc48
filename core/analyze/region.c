/* region.c: divides the difference of two positions into regions with a border.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/region-private.h"

#include "core/graph/net.h"
#include "core/ops/facts.h"
#include "core/ops/microsoft/microsoft-nchwc.h"
#include "core/small-map.h"

/* A reader outside, or an output of the graph: it read @before and reads @after now. */
typedef struct
{
  PhId before, after, reader;
} Switch; /* @reader: of the node, PH_NO_ID: of an output */

typedef struct
{
  PhModel *model[2];    /* before, after                                                   */
  PhGraph *graph[2];    /* the graphs that contain each side                               */
  PhSmallMap inside[2]; /* PhId -> PhNode: the changed nodes of either side                */
  GArray *switches;     /* (element-type Switch)                                           */
  PhSmallMap parent;    /* union-find over node ids, PhId -> PhId                          */
  gboolean lost_output;
} Cut;

/* ── the innermost graph that contains everything ── */

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
  if (ph_small_map_lookup (&cut->parent, GUINT_TO_POINTER (id)) == NULL)
    ph_small_map_set (&cut->parent, GUINT_TO_POINTER (id), GUINT_TO_POINTER (id));
}

static PhId
union_find (Cut *cut, PhId id)
{
  PhId root = id, up;

  while ((up = GPOINTER_TO_UINT (ph_small_map_lookup (&cut->parent, GUINT_TO_POINTER (root)))) != root)
    root = up;
  while ((up = GPOINTER_TO_UINT (ph_small_map_lookup (&cut->parent, GUINT_TO_POINTER (id)))) != root)
    {
      ph_small_map_set (&cut->parent, GUINT_TO_POINTER (id), GUINT_TO_POINTER (root));
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
    ph_small_map_set (&cut->parent, GUINT_TO_POINTER (MAX (a, b)), GUINT_TO_POINTER (MIN (a, b)));
}

static void
take_in (Cut *cut, guint side, PhNode *node)
{
  PhNode *at = node != NULL ? ph_node_ancestor_in (node, cut->graph[side]) : NULL;

  if (at == NULL)
    return;
  ph_small_map_set (&cut->inside[side], GUINT_TO_POINTER (at->id), at);
  union_init (cut, at->id);
}

/* Adds a node to both sides: it stayed the same, but an owner changed. */
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

/* Returns TRUE for a value used on both sides, such as an input of the model: it was not replaced by the other, but exchanged with it. */
static gboolean
is_lasting (const PhValue *was, const PhValue *is)
{
  return was != NULL && is != NULL && (was->is_input || (ph_value_n_uses (was) > 0 && ph_value_n_uses (is) > 0));
}

static gboolean
changed_places (Cut *cut, const PhNetField *field)
{
  const PhId ids[] = { field->before, field->after };

  for (guint i = 0; i < 2; i++)
    if (!is_lasting (ph_model_find_value (cut->model[0], ids[i]), ph_model_find_value (cut->model[1], ids[i])))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if only operands of the node changed, none of them a constant: the border is then in front of it. */
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
      if (field->kind != PH_NET_INPUT || field->before == PH_NO_ID || field->after == PH_NO_ID
          || is_constant (cut->model[0], field->before) || is_constant (cut->model[1], field->after)
          || changed_places (cut, field))
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

static gboolean
is_of_other_elements (const PhValue *x, const PhValue *y)
{
  return x->type->dtype != y->type->dtype && x->type->dtype != PH_UNDEFINED && y->type->dtype != PH_UNDEFINED;
}

static gboolean
is_of_other_size (const PhValue *x, const PhValue *y)
{
  const int rank = ph_value_rank (x);
  gboolean other = rank >= 0 && ph_value_rank (y) >= 0 && rank != ph_value_rank (y);

  for (int d = 0; !other && d < rank && ph_value_rank (y) == rank; d++)
    other = ph_value_dim (x, d) >= 0 && ph_value_dim (y, d) >= 0 && ph_value_dim (x, d) != ph_value_dim (y, d);
  return other;
}

/* Returns TRUE if the node makes floats for float16, say, or reads what has another size though it stayed as it was: its outputs cannot be the
 * same on both sides, so they are no border. */
static gboolean
makes_other_values (Cut *cut, const PhNetNode *net)
{
  const PhNode *was = net->before ? ph_model_find_node (cut->model[0], net->id) : NULL;
  const PhNode *is = net->after ? ph_model_find_node (cut->model[1], net->id) : NULL;
  const gboolean stayed = was != NULL && is != NULL && only_types (net);

  for (guint k = 0; was != NULL && is != NULL && k < MIN (was->outputs->len, is->outputs->len); k++)
    {
      const PhValue *x = ph_node_output (was, k), *y = ph_node_output (is, k);

      if (x != NULL && y != NULL && x->type != NULL && y->type != NULL
          && (is_of_other_elements (x, y) || (stayed && is_of_other_size (x, y))))
        return TRUE;
    }
  return FALSE;
}

static void
sort_changes (Cut *cut, GHashTable *net)
{
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const PhNetNode *node = data;
      PhNode *was = node->before ? ph_model_find_node (cut->model[0], node->id) : NULL;
      PhNode *is = node->after ? ph_model_find_node (cut->model[1], node->id) : NULL;

      const gboolean turns = makes_other_values (cut, node);

      if ((was == NULL && is == NULL) || (!turns && only_types (node)))
        continue;
      if (was != NULL && is != NULL && was->graph == cut->graph[0] && is->graph == cut->graph[1] && !turns
          && is_reader (cut, node))
        {
          for (guint i = 0; i < node->fields->len; i++)
            {
              const PhNetField *field = &g_array_index (node->fields, PhNetField, i);

              if (field->kind == PH_NET_INPUT)
                g_array_append_val (cut->switches, ((Switch) { field->before, field->after, was->id }));
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

static gboolean
lies_in_blocks (GHashTable *values, const PhValue *value)
{
  return values != NULL && value != NULL && g_hash_table_contains (values, GUINT_TO_POINTER (value->id));
}

/* Adds nodes that read blocked channels on one side only: they compute the same in another layout, and the border must be where both sides
 * have the same layout. */
static void
take_in_layouts (Cut *cut)
{
  g_autoptr (GHashTable) was = ph_nchwc_values (cut->graph[0]), is = ph_nchwc_values (cut->graph[1]);

  if (was == NULL && is == NULL)
    return;
  PH_FOREACH_NODE (node, cut->graph[0])
    {
      PhNode *other = ph_model_find_node (cut->model[1], node->id);
      gboolean differs = FALSE;

      if (other == NULL || other->graph != cut->graph[1]
          || ph_small_map_lookup (&cut->inside[0], GUINT_TO_POINTER (node->id)) != NULL)
        continue;
      for (guint i = 0; i < MIN (node->inputs->len, other->inputs->len); i++)
        differs |= lies_in_blocks (was, ph_node_input (node, i)) != lies_in_blocks (is, ph_node_input (other, i));
      if (differs)
        take_in_both (cut, node->id);
    }
}

/* Drops users that are part of the region for another reason, such as a change in their body: the border is behind these. */
static void
drop_inner_switches (Cut *cut)
{
  for (guint i = cut->switches->len; i-- > 0;)
    if (ph_small_map_lookup (&cut->inside[0], GUINT_TO_POINTER (g_array_index (cut->switches, Switch, i).reader)) != NULL)
      g_array_remove_index (cut->switches, i);
}

static void
compare_outputs (Cut *cut)
{
  const GPtrArray *was = cut->graph[0]->outputs, *is = cut->graph[1]->outputs;

  cut->lost_output = is->len < was->len;
  for (guint i = 0; i < MIN (was->len, is->len); i++)
    {
      Switch one = { ((PhValue *) was->pdata[i])->id, ((PhValue *) is->pdata[i])->id, PH_NO_ID };

      if (one.before != one.after)
        g_array_append_val (cut->switches, one);
    }
}

/* Returns the changed node of @side that produces the value @id. (nullable) */
static PhNode *
maker_of (Cut *cut, guint side, PhId id)
{
  const PhValue *value = ph_model_find_value (cut->model[side], id);

  return value != NULL && value->producer != NULL
             ? ph_small_map_lookup (&cut->inside[side], GUINT_TO_POINTER (value->producer->id))
             : NULL;
}

typedef struct
{
  Cut *cut;
  guint side;
  PhNode *node;
} Joining;

static void
join_read (PhValue *value, gpointer data)
{
  Joining *joining = data;
  PhNode *maker = maker_of (joining->cut, joining->side, value->id);

  if (maker != NULL)
    union_join (joining->cut, maker->id, joining->node->id);
}

/* Joins nodes that use each other's values, and the producers of a switched value on both sides. */
static void
join_all (Cut *cut)
{
  PhSmallMapIter iter;
  gpointer node;

  for (guint side = 0; side < 2; side++)
    {
      ph_small_map_iter_init (&iter, &cut->inside[side]);
      while (ph_small_map_iter_next (&iter, NULL, &node))
        ph_each_read (node, join_read, &(Joining) { cut, side, node });
    }
  for (guint i = 0; i < cut->switches->len; i++)
    {
      const Switch *one = &g_array_index (cut->switches, Switch, i);
      PhNode *was = maker_of (cut, 0, one->before), *is = maker_of (cut, 1, one->after);

      if (was != NULL && is != NULL)
        union_join (cut, was->id, is->id);
    }
}

/* ── regions ── */

static PhRegion *
region_at (Cut *cut, PhSmallMap *regions, GPtrArray *found, PhId root)
{
  PhRegion *region = ph_small_map_lookup (regions, GUINT_TO_POINTER (root));

  if (region == NULL)
    {
      region = ph_region_new (cut->graph[0]->id);
      ph_small_map_set (regions, GUINT_TO_POINTER (root), region);
      g_ptr_array_add (found, region);
    }
  return region;
}

/* Returns TRUE if a use outside of the region changed from @was to @is. */
static gboolean
is_read_alike (Cut *cut, const PhValue *was, const PhValue *is)
{
  const GPtrArray *outputs[] = { cut->graph[0]->outputs, cut->graph[1]->outputs };

  for (guint i = 0; i < MIN (outputs[0]->len, outputs[1]->len); i++)
    if (outputs[0]->pdata[i] == was && outputs[1]->pdata[i] == is)
      return TRUE;
  for (guint u = 0; u < was->uses->len; u++)
    {
      const PhUse use = g_array_index (was->uses, PhUse, u);
      const PhNode *at = ph_node_ancestor_in (use.node, cut->graph[0]),
                   *reader = ph_model_find_node (cut->model[1], use.node->id);

      if (at != NULL && ph_small_map_lookup (&cut->inside[0], GUINT_TO_POINTER (at->id)) == NULL && reader != NULL
          && ph_node_input (reader, use.index) == is)
        return TRUE;
    }
  return FALSE;
}

/* Pairs the outputs of a changed node that are still read through the same value. */
static void
pair_kept_outputs (Cut *cut, PhRegion *region)
{
  for (guint i = 0; i < region->before->len; i++)
    {
      PhNode *was = region->before->pdata[i], *is = ph_small_map_lookup (&cut->inside[1], GUINT_TO_POINTER (was->id));

      for (guint k = 0; is != NULL && k < MIN (was->outputs->len, is->outputs->len); k++)
        {
          PhValue *a = ph_node_output (was, k), *b = ph_node_output (is, k);

          if (a->id == b->id && is_read_alike (cut, a, b))
            ph_region_add_pair (region, a->id, b->id);
        }
    }
}

/* Orders regions by the place of what they make: among those that differ, the first one is reported. */
static int
by_place (gconstpointer a, gconstpointer b, gpointer model)
{
  const PhRegion *regions[] = { *(PhRegion *const *) a, *(PhRegion *const *) b };
  PhNode *maker[2] = { NULL, NULL };

  for (guint i = 0; i < 2; i++)
    if (regions[i]->outputs->len > 0)
      {
        const PhValue *value = ph_model_find_value (model, g_array_index (regions[i]->outputs, PhBorderPair, 0).after);

        maker[i] = value != NULL ? value->producer : NULL;
      }
  return maker[0] == NULL || maker[1] == NULL ? (maker[0] != NULL) - (maker[1] != NULL) : ph_node_by_order (&maker[0], &maker[1]);
}

static GPtrArray *
make_regions (Cut *cut)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_region_free);
  PhSmallMap regions;

  ph_small_map_init (&regions);
  for (guint side = 0; side < 2; side++)
    {
      PhSmallMapIter iter;
      gpointer node;

      ph_small_map_iter_init (&iter, &cut->inside[side]);
      while (ph_small_map_iter_next (&iter, NULL, &node))
        {
          PhRegion *region = region_at (cut, &regions, found, union_find (cut, ((PhNode *) node)->id));

          g_ptr_array_add (side == 0 ? region->before : region->after, node);
        }
    }
  for (guint i = 0; i < cut->switches->len; i++)
    {
      const Switch *one = &g_array_index (cut->switches, Switch, i);
      PhNode *was = maker_of (cut, 0, one->before), *is = maker_of (cut, 1, one->after);
      PhRegion *region;

      if (was != NULL || is != NULL)
        region = region_at (cut, &regions, found, union_find (cut, was != NULL ? was->id : is->id));
      else /* both producers are elsewhere: node and value ids are one sequence */
        region = region_at (cut, &regions, found, one->before);
      ph_region_add_pair (region, one->before, one->after);
    }
  for (guint i = 0; i < found->len; i++)
    {
      PhRegion *region = found->pdata[i];

      pair_kept_outputs (cut, region);
      g_ptr_array_sort (region->before, ph_node_by_order);
      g_ptr_array_sort (region->after, ph_node_by_order);
      region->lost_output = cut->lost_output;
      ph_region_find_border (region, cut->model[0], cut->model[1]);
    }
  ph_small_map_clear (&regions);
  g_ptr_array_sort_with_data (found, by_place, cut->model[1]);
  return found;
}

/* Returns the enclosing graph; for an added or removed function, which is in no graph, the main one. */
static PhId
outer_of (const Cut *cut, const PhGraph *graph)
{
  return graph != NULL && graph->owner != NULL ? graph->owner->graph->id : cut->model[0]->graph->id;
}

/* Finds the graph that contains all changes. */
static gboolean
find_graph (Cut *cut, GHashTable *net, PhHistory *history, guint first, guint end)
{
  PhId common = PH_NO_ID;
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const PhNetNode *node = data;

      if (only_types (node) && !makes_other_values (cut, node))
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
      PhGraph *was, *is;

      if (edit->kind != PH_EDIT_SET_OUTPUT)
        continue;
      was = ph_model_find_graph (cut->model[0], edit->graph);
      is = ph_model_find_graph (cut->model[1], edit->graph);
      if (was != NULL && is != NULL && was->owner == NULL)
        common = was->id;
      else if (was != NULL && is != NULL)
        common = common == PH_NO_ID ? was->id : common_graph (cut->model[0], common, was);
    }
  /* A body that exists on one side only is part of its owner. */
  while (common != PH_NO_ID)
    {
      cut->graph[0] = ph_model_find_graph (cut->model[0], common);
      cut->graph[1] = ph_model_find_graph (cut->model[1], common);
      if (cut->graph[0] != NULL && cut->graph[1] != NULL)
        return TRUE;
      common = outer_of (cut, cut->graph[0] != NULL ? cut->graph[0] : cut->graph[1]);
    }
  return FALSE;
}

GPtrArray *
ph_regions_find (PhModel *before, PhModel *after, PhHistory *history, guint first, guint end)
{
  g_autoptr (GHashTable) net = ph_net_new (history, after, first, end);
  g_autoptr (GArray) switches = NULL;
  GPtrArray *regions;
  Cut cut;

  cut.model[0] = before;
  cut.model[1] = after;
  cut.graph[0] = cut.graph[1] = NULL;
  if (!find_graph (&cut, net, history, first, end))
    return g_ptr_array_new_with_free_func ((GDestroyNotify) ph_region_free);
  cut.switches = switches = g_array_new (FALSE, FALSE, sizeof (Switch));
  ph_small_map_init (&cut.inside[0]);
  ph_small_map_init (&cut.inside[1]);
  ph_small_map_init (&cut.parent);
  sort_changes (&cut, net);
  take_in_layouts (&cut);
  drop_inner_switches (&cut);
  compare_outputs (&cut);
  join_all (&cut);
  regions = make_regions (&cut);
  ph_small_map_clear (&cut.inside[0]);
  ph_small_map_clear (&cut.inside[1]);
  ph_small_map_clear (&cut.parent);
  return regions;
}

PhRegion *
ph_region_whole (PhModel *before, PhModel *after)
{
  PhRegion *region = ph_region_new (before->graph->id);

  PH_FOREACH_NODE (node, before->graph)
    g_ptr_array_add (region->before, node);
  PH_FOREACH_NODE (node, after->graph)
    g_ptr_array_add (region->after, node);
  region->lost_output = after->graph->outputs->len < before->graph->outputs->len;
  for (guint i = 0; i < MIN (before->graph->outputs->len, after->graph->outputs->len); i++)
    ph_region_add_pair (region, ((PhValue *) before->graph->outputs->pdata[i])->id,
                        ((PhValue *) after->graph->outputs->pdata[i])->id);
  ph_region_find_border (region, before, after);
  return region;
}
