/* sink-transposes.c: moves transpositions through operators that allow any order of axes, where this leaves fewer of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/axis-order.h"

#include <string.h>

/*   x                         x                 A region of nodes that allow any order of axes is permuted as a whole: inverse
 *   |                         |                 Transposes on its border are removed, and missing ones are added. The region
 * Transpose p    y             |   Transpose p'  grows node by node from a Transpose, and is permuted as soon as this leaves
 *      \        /       =>      \     |          fewer permuted elements.
 *         Add                     Add
 *          |                       |
 *        Concat ...              Concat ...
 *          |                       |
 *     Transpose p^-1                                                                            */

#define MAX_REGION 48
#define N_SLOTS    128 /* a power of two */

typedef struct
{
  PhAxisOrder layout, back;  /* permutation of the region's values; its inverse */
  PhNode *nodes[MAX_REGION]; /* in the order they were found             */
  guint n;
  guint8 slots[N_SLOTS]; /* indexes of @nodes from 1 on, by id; 0: empty */
  double cost;           /* what permuting the region adds, see weight_of() */
} Region;

/* Returns the slot of @node, or the empty one where it belongs. */
static guint
slot_of (const Region *self, const PhNode *node)
{
  guint at = node->id % N_SLOTS;

  while (self->slots[at] != 0 && self->nodes[self->slots[at] - 1] != node)
    at = (at + 1) % N_SLOTS;
  return at;
}

static gboolean
has_member (const Region *self, const PhNode *node)
{
  return self->slots[slot_of (self, node)] != 0;
}

/* Returns the cost of transposing @value: its elements, and the start of a kernel. */
static double
weight_of (const PhValue *value)
{
  double n = 1;

  for (int i = 0; i < ph_value_rank (value); i++)
    n *= ph_value_dim (value, i) >= 0 ? (double) ph_value_dim (value, i) : 16;
  return n + 64;
}

static gboolean
is_transpose_by (const PhNode *node, const PhAxisOrder *layout)
{
  PhAxisOrder own;

  return node != NULL && node->op == &ph_op_Transpose && ph_axis_order_of_transpose (node, &own)
         && ph_axis_order_equal (&own, layout);
}

/* Returns TRUE if @transpose connects two members. It saves nothing, since its operand is needed in both orders. */
static gboolean
lies_between (const Region *self, const PhNode *transpose)
{
  const PhValue *x = ph_node_input (transpose, 0), *y = ph_node_output (transpose, 0);

  if (x == NULL || x->producer == NULL || !has_member (self, x->producer))
    return FALSE;
  for (guint u = 0; u < y->uses->len; u++)
    if (has_member (self, g_array_index (y->uses, PhUse, u).node))
      return TRUE;
  return FALSE;
}

/* What permuting the region adds to the cost of @value, which members read and none makes; it counts once. */
static double
cost_of_input (const Region *self, const PhValue *value)
{
  const PhNode *producer = value->producer, *reader = NULL;
  gboolean inside_only = value->n_output_uses == 0;

  if (ph_value_constant (value) != NULL)
    return 0;
  for (guint u = 0; u < value->uses->len && (reader == NULL || inside_only); u++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, u);

      if (!has_member (self, use->node))
        inside_only = FALSE;
      else if (ph_axis_order_moves_input (use->node, use->index, &self->layout))
        reader = use->node;
    }
  if (reader == NULL)
    return 0;
  if (producer != NULL && producer->graph == reader->graph && is_transpose_by (producer, &self->back)
      && !lies_between (self, producer))
    return inside_only ? -weight_of (value) : 0;
  return weight_of (value);
}

/* The same of @value, which @node, a member, makes. */
static double
cost_of_output (const Region *self, const PhNode *node, const PhValue *value)
{
  gboolean stays = value->n_output_uses > 0;
  double cost = 0;

  if (!ph_axis_order_moves_outputs (node))
    return 0;
  for (guint u = 0; u < value->uses->len; u++)
    {
      const PhNode *user = g_array_index (value->uses, PhUse, u).node;

      if (user->graph == node->graph && is_transpose_by (user, &self->layout) && !lies_between (self, user))
        cost -= weight_of (value);
      else if (!has_member (self, user))
        stays = TRUE;
    }
  return stays ? cost + weight_of (value) : cost;
}

static double
cost_of_value (const Region *self, const PhValue *value)
{
  if (value == NULL)
    return 0;
  return value->producer != NULL && has_member (self, value->producer) ? cost_of_output (self, value->producer, value)
                                                                       : cost_of_input (self, value);
}

/* Adds to @cost what @value costs, unless it is in @seen (nullable). */
static void
add_once (const Region *self, const PhValue *value, GPtrArray *seen, double *cost)
{
  if (value == NULL || (seen != NULL && g_ptr_array_find (seen, value, NULL)))
    return;
  if (seen != NULL)
    g_ptr_array_add (seen, (gpointer) value);
  *cost += cost_of_value (self, value);
}

/* Returns the cost of the values for which it matters whether @node is in the region: its own and those beyond a Transpose. */
static double
cost_around (const Region *self, const PhNode *node)
{
  const gboolean is_unary = node->inputs->len == 1; /* nothing comes twice */
  g_autoptr (GPtrArray) seen = is_unary ? NULL : g_ptr_array_new ();
  double cost = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      add_once (self, value, seen, &cost);
      if (value != NULL && value->producer != NULL && value->producer->op == &ph_op_Transpose)
        add_once (self, ph_node_input (value->producer, 0), seen, &cost);
    }
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const PhValue *value = ph_node_output (node, k);

      cost += cost_of_value (self, value);
      for (guint u = 0; u < value->uses->len; u++)
        {
          const PhNode *user = g_array_index (value->uses, PhUse, u).node;

          if (user->op == &ph_op_Transpose)
            cost += cost_of_value (self, ph_node_output (user, 0));
        }
    }
  return cost;
}

static gboolean
region_add (Region *self, PhNode *node)
{
  if (node == NULL || self->n == MAX_REGION || node->op == &ph_op_Transpose || has_member (self, node)
      || (self->n > 0 && node->graph != self->nodes[0]->graph) || !ph_axis_order_takes (node, &self->layout))
    return FALSE;
  self->cost -= cost_around (self, node);
  self->nodes[self->n++] = node;
  self->slots[slot_of (self, node)] = (guint8) self->n;
  self->cost += cost_around (self, node);
  return TRUE;
}

/* Grows from @first until turning pays. */
static gboolean
region_grow (Region *self, PhNode *first, PhAxisOrder layout)
{
  *self = (Region) { .layout = layout, .back = ph_axis_order_inverse (&layout) };
  region_add (self, first);
  for (guint at = 0; at < self->n && self->cost >= 0; at++)
    {
      PhNode *node = self->nodes[at];

      for (guint k = 0; k < node->outputs->len && ph_axis_order_moves_outputs (node); k++)
        {
          const PhValue *value = ph_node_output (node, k);

          for (guint u = 0; u < value->uses->len && self->cost >= 0 && self->n < MAX_REGION; u++)
            region_add (self, g_array_index (value->uses, PhUse, u).node);
        }
      for (guint i = 0; i < node->inputs->len && self->cost >= 0 && self->n < MAX_REGION; i++)
        if (ph_axis_order_moves_input (node, i, &self->layout))
          region_add (self, ph_node_input (node, i)->producer);
    }
  return self->cost < 0;
}

/* Finds a region behind a Transpose, whose permutation is then undone in it, or in front, where it is applied in it. */
static gboolean
find_region (Region *self, PhNode *transpose)
{
  PhValue *x = ph_node_input (transpose, 0), *y = ph_node_output (transpose, 0);
  PhAxisOrder layout;

  if (x == NULL || y == NULL || !ph_axis_order_of_transpose (transpose, &layout))
    return FALSE;
  for (guint u = 0; u < MIN (y->uses->len, 4); u++)
    {
      PhNode *user = g_array_index (y->uses, PhUse, u).node;

      if (user->graph == transpose->graph && region_grow (self, user, ph_axis_order_inverse (&layout)))
        return TRUE;
    }
  return x->producer != NULL && x->producer->graph == transpose->graph && region_grow (self, x->producer, layout);
}

static gboolean
pays (PhMatch *match)
{
  Region region;

  return find_region (&region, match->root);
}

/* ── turning ── */

static int
by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;

  return (x->order > y->order) - (x->order < y->order);
}

static PhValue *
build_transpose (PhBuilder *b, PhValue *value, const PhAxisOrder *layout)
{
  b->name = value->name;
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", layout->perm, (gsize) layout->rank)), value);
}

static PhValue *
turned_input (Region *self, PhBuilder *b, GHashTable *turned, PhValue *value)
{
  PhValue *other = g_hash_table_lookup (turned, value);

  if (other != NULL)
    return other;
  if (value->producer != NULL && is_transpose_by (value->producer, &self->back))
    other = ph_node_input (value->producer, 0);
  else if (ph_value_constant (value) != NULL)
    {
      b->name = value->name;
      other = ph_axis_order_constant (b, value, &self->layout);
    }
  else
    other = build_transpose (b, value, &self->layout);
  g_hash_table_insert (turned, value, other);
  return other;
}

static gboolean
turn_node (Region *self, PhBuilder *b, GHashTable *turned, PhNode *node)
{
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  PhValue *value;

  b->before = node;
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_axis_order_moves_input (node, i, &self->layout) && (inputs[i] = turned_input (self, b, turned, inputs[i])) == NULL)
      return FALSE;
  b->name = ph_node_output (node, 0)->name;
  value = ph_axis_order_rebuild (b, node, inputs, &self->layout);
  if (value == NULL)
    return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    g_hash_table_insert (turned, ph_node_output (node, k), ph_node_output (value->producer, k));
  return TRUE;
}

/* Connects the users outside the region: a Transpose that permutes in the same way is removed, others read through the inverse. */
static gboolean
connect_output (Region *self, PhBuilder *b, PhValue *old, PhValue *value, gboolean moved)
{
  g_autoptr (GPtrArray) cancelled = g_ptr_array_new ();
  gboolean stays = old->n_output_uses > 0;

  if (!moved)
    return ph_value_replace_uses (old, value, &b->error);
  for (guint u = 0; u < old->uses->len; u++)
    {
      PhNode *user = g_array_index (old->uses, PhUse, u).node;

      if (user->graph == old->graph && is_transpose_by (user, &self->layout))
        g_ptr_array_add (cancelled, user);
      else if (!has_member (self, user))
        stays = TRUE;
    }
  for (guint i = 0; i < cancelled->len; i++)
    if (!ph_node_replace (cancelled->pdata[i], value, &b->error))
      {
        PhValue *copy;

        /* Two outputs of the graph have this value: a copy gets the second name. */
        if (b->error != NULL)
          return FALSE;
        b->name = ph_node_output (cancelled->pdata[i], 0)->name;
        copy = PH_BUILD (b, Identity, value);
        if (copy == NULL || (!ph_node_replace (cancelled->pdata[i], copy, &b->error) && b->error != NULL))
          return FALSE;
      }
  if (!stays)
    return TRUE;
  value = build_transpose (b, value, &self->back);
  return value != NULL && ph_value_replace_uses (old, value, &b->error);
}

/* Values keep their names, though their contents are permuted. */
typedef struct
{
  const char *name;
  PhId id;
} Renamed;

static gboolean
rename_turned (PhModel *model, GArray *renamed, GError **error)
{
  for (guint i = 0; i < renamed->len; i++)
    {
      Renamed *row = &g_array_index (renamed, Renamed, i);
      PhValue *value = ph_model_find_value (model, row->id);

      if (value != NULL && !ph_value_is_output (value) && ph_model_find_value_named (model, row->name) == NULL
          && !ph_value_rename (value, row->name, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
turn (PhMatch *match, PhBuilder *b)
{
  g_autoptr (GArray) renamed = g_array_new (FALSE, FALSE, sizeof (Renamed));
  g_autoptr (GHashTable) turned = g_hash_table_new (NULL, NULL);
  PhModel *model = match->root->graph->model;
  Region region;
  gboolean ok = find_region (&region, match->root);
  PhNode *nodes[MAX_REGION]; /* in the order of the graph */
  PhId ids[MAX_REGION];
  guint n;

  if (!ok)
    return FALSE;
  n = region.n;
  memcpy (nodes, region.nodes, n * sizeof (PhNode *));
  qsort (nodes, n, sizeof (PhNode *), by_order);
  for (guint i = 0; i < n; i++)
    ids[i] = nodes[i]->id;
  for (guint i = 0; ok && i < n; i++)
    {
      PhNode *node = nodes[i];

      ok = turn_node (&region, b, turned, node);
      for (guint k = 0; ok && k < node->outputs->len; k++)
        g_array_append_val (renamed, ((Renamed) { ph_node_output (node, k)->name,
                                                  ((PhValue *) g_hash_table_lookup (turned, ph_node_output (node, k)))->id }));
    }
  for (guint i = n; ok && i-- > 0;)
    {
      /* A node is removed together with its last user. */
      PhNode *node = ph_model_find_node (model, ids[i]);
      guint n_outputs = node != NULL ? node->outputs->len : 0;

      b->before = node;
      for (guint k = 0; ok && k < n_outputs && (node = ph_model_find_node (model, ids[i])) != NULL; k++)
        ok = connect_output (&region, b, ph_node_output (node, k), g_hash_table_lookup (turned, ph_node_output (node, k)),
                             ph_axis_order_moves_outputs (node));
    }
  for (guint i = n; ok && i-- > 0;)
    {
      PhNode *node = ph_model_find_node (model, ids[i]);

      if (node != NULL)
        ph_graph_remove_dead (node);
    }
  return ok && rename_turned (model, renamed, &b->error);
}

static const PhRule rules[] = {
  { "turn-region", .root = &ph_op_Transpose, .when = pays, .apply = turn, .matches = "Transpose(f(Transpose(x)))",
    .becomes = "f(x)", .why = "The operators in between work in any order of axes, so fewer elements need to be transposed." },
};

/* clang-format off */
const PhPass ph_pass_sink_transposes = {
  .name = "sink-transposes", .group = "layout",
  .summary = "Moves Transpose through operators that accept any order of axes, so that fewer elements are transposed",
  .elsewhere = "ONNX Runtime TransposeOptimizer; TVM",
  .trap = "an operand of lower rank needs leading axes first, and every axis attribute on the way changes.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
