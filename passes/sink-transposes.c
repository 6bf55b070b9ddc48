/* sink-transposes.c: moves transpositions through operators that allow any order of axes, where this leaves fewer of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/axis-order.h"

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

typedef struct
{
  PhAxisOrder layout; /* permutation of the region's values                           */
  GPtrArray *nodes;   /* (element-type PhNode) in the order they were found           */
  GHashTable *members;
} Region;

static void
region_clear (Region *self)
{
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->members, g_hash_table_unref);
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

/* Returns TRUE if all users of @value are in the region. */
static gboolean
is_read_inside_only (const Region *self, const PhValue *value)
{
  if (value->n_output_uses > 0)
    return FALSE;
  for (guint u = 0; u < value->uses->len; u++)
    if (!g_hash_table_contains (self->members, g_array_index (value->uses, PhUse, u).node))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if @transpose connects two members. It saves nothing, since its operand is needed in both orders. */
static gboolean
lies_between (const Region *self, const PhNode *transpose)
{
  const PhValue *x = ph_node_input (transpose, 0), *y = ph_node_output (transpose, 0);

  if (x == NULL || x->producer == NULL || !g_hash_table_contains (self->members, x->producer))
    return FALSE;
  for (guint u = 0; u < y->uses->len; u++)
    if (g_hash_table_contains (self->members, g_array_index (y->uses, PhUse, u).node))
      return TRUE;
  return FALSE;
}

/* Returns the change of the inputs' cost if the region is permuted; each value counts once. */
static double
cost_of_inputs (const Region *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  PhAxisOrder back = ph_axis_order_inverse (&self->layout);
  double cost = 0;

  for (guint n = 0; n < self->nodes->len; n++)
    {
      const PhNode *node = self->nodes->pdata[n];

      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *value = ph_node_input (node, i);

          if (value == NULL || !ph_axis_order_moves_input (node, i, &self->layout) || !g_hash_table_add (seen, value)
              || (value->producer != NULL && g_hash_table_contains (self->members, value->producer)))
            continue;
          if (value->producer != NULL && value->producer->graph == node->graph && is_transpose_by (value->producer, &back)
              && !lies_between (self, value->producer))
            cost -= is_read_inside_only (self, value) ? weight_of (value) : 0;
          else if (ph_value_constant (value) == NULL)
            cost += weight_of (value);
        }
    }
  return cost;
}

static double
cost_of_outputs (const Region *self)
{
  double cost = 0;

  for (guint n = 0; n < self->nodes->len; n++)
    {
      const PhNode *node = self->nodes->pdata[n];

      for (guint k = 0; k < node->outputs->len && ph_axis_order_moves_outputs (node); k++)
        {
          const PhValue *value = ph_node_output (node, k);
          gboolean stays = value->n_output_uses > 0;

          for (guint u = 0; u < value->uses->len; u++)
            {
              const PhNode *user = g_array_index (value->uses, PhUse, u).node;

              if (user->graph == node->graph && is_transpose_by (user, &self->layout) && !lies_between (self, user))
                cost -= weight_of (value);
              else if (!g_hash_table_contains (self->members, user))
                stays = TRUE;
            }
          if (stays)
            cost += weight_of (value);
        }
    }
  return cost;
}

static gboolean
region_add (Region *self, PhNode *node)
{
  if (node == NULL || node->op == &ph_op_Transpose || g_hash_table_contains (self->members, node)
      || (self->nodes->len > 0 && node->graph != ((PhNode *) self->nodes->pdata[0])->graph)
      || !ph_axis_order_takes (node, &self->layout))
    return FALSE;
  g_hash_table_add (self->members, node);
  g_ptr_array_add (self->nodes, node);
  return TRUE;
}

/* Grows from @first until turning pays. */
static gboolean
region_grow (Region *self, PhNode *first)
{
  if (!region_add (self, first))
    return FALSE;
  for (guint at = 0; at < self->nodes->len; at++)
    {
      PhNode *node = self->nodes->pdata[at];

      if (cost_of_inputs (self) + cost_of_outputs (self) < 0)
        return TRUE;
      for (guint k = 0; k < node->outputs->len && ph_axis_order_moves_outputs (node); k++)
        {
          const PhValue *value = ph_node_output (node, k);

          for (guint u = 0; u < value->uses->len && self->nodes->len < MAX_REGION; u++)
            if (region_add (self, g_array_index (value->uses, PhUse, u).node)
                && cost_of_inputs (self) + cost_of_outputs (self) < 0)
              return TRUE;
        }
      for (guint i = 0; i < node->inputs->len && self->nodes->len < MAX_REGION; i++)
        if (ph_axis_order_moves_input (node, i, &self->layout) && region_add (self, ph_node_input (node, i)->producer)
            && cost_of_inputs (self) + cost_of_outputs (self) < 0)
          return TRUE;
    }
  return FALSE;
}

static void
region_init (Region *self, PhAxisOrder layout)
{
  self->layout = layout;
  self->nodes = g_ptr_array_new ();
  self->members = g_hash_table_new (NULL, NULL);
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

      if (user->graph != transpose->graph)
        continue;
      region_init (self, ph_axis_order_inverse (&layout));
      if (region_grow (self, user))
        return TRUE;
      region_clear (self);
    }
  if (x->producer == NULL || x->producer->graph != transpose->graph)
    return FALSE;
  region_init (self, layout);
  if (region_grow (self, x->producer))
    return TRUE;
  region_clear (self);
  return FALSE;
}

static gboolean
pays (PhMatch *match)
{
  Region region = { 0 };
  gboolean found = find_region (&region, match->root);

  region_clear (&region);
  return found;
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
  PhAxisOrder back = ph_axis_order_inverse (&self->layout);
  PhValue *other = g_hash_table_lookup (turned, value);

  if (other != NULL)
    return other;
  if (value->producer != NULL && is_transpose_by (value->producer, &back))
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
  PhAxisOrder back = ph_axis_order_inverse (&self->layout);
  g_autoptr (GPtrArray) cancelled = g_ptr_array_new ();
  gboolean stays = old->n_output_uses > 0;

  if (!moved)
    return ph_value_replace_uses (old, value, &b->error);
  for (guint u = 0; u < old->uses->len; u++)
    {
      PhNode *user = g_array_index (old->uses, PhUse, u).node;

      if (user->graph == old->graph && is_transpose_by (user, &self->layout))
        g_ptr_array_add (cancelled, user);
      else if (!g_hash_table_contains (self->members, user))
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
  value = build_transpose (b, value, &back);
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
  Region region = { 0 };
  gboolean ok = find_region (&region, match->root);
  g_autofree PhId *ids = NULL;
  guint n;

  if (!ok)
    return FALSE;
  n = region.nodes->len;
  ids = g_new (PhId, n);
  g_ptr_array_sort (region.nodes, by_order);
  for (guint i = 0; i < n; i++)
    ids[i] = ((PhNode *) region.nodes->pdata[i])->id;
  for (guint i = 0; ok && i < n; i++)
    {
      PhNode *node = region.nodes->pdata[i];

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
  region_clear (&region);
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
