/* cse.c: common subexpression elimination.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

/*    x   y   x   y            x   y
 *     \ /     \ /              \ /
 *     Mul     Mul      =>      Mul
 *      |       |               / \               */

static const char why[] = "The same operator on the same inputs gives the same result.";

/* Returns an input, with the first two of a commutative operator in a canonical order. */
static const PhValue *
operand (const PhNode *node, guint i)
{
  const PhValue *value = ph_node_input (node, i);

  if (i < 2 && node->inputs->len >= 2 && ph_node_commutes (node))
    {
      const PhValue *a = ph_node_input (node, 0), *b = ph_node_input (node, 1);

      if (a != NULL && b != NULL && a->id > b->id)
        value = i == 0 ? b : a;
    }
  return value;
}

static guint
node_hash (gconstpointer data)
{
  const PhNode *node = data;
  guint hash = g_direct_hash (node->op), attrs = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = operand (node, i);

      hash = hash * 31 + (value != NULL ? value->id : 0);
    }
  /* Attributes in any order. */
  for (guint i = 0; i < node->attrs->len; i++)
    attrs += ph_attr_hash (g_ptr_array_index (node->attrs, i));
  return hash * 31 + attrs;
}

static gboolean
node_equal (gconstpointer first, gconstpointer second)
{
  const PhNode *a = first, *b = second;

  if (a->op != b->op || a->inputs->len != b->inputs->len || a->outputs->len != b->outputs->len || a->role != b->role
      || a->device != b->device)
    return FALSE;
  for (guint i = 0; i < a->inputs->len; i++)
    if (operand (a, i) != operand (b, i))
      return FALSE;
  return ph_node_same_attrs (a, b);
}

static gboolean
is_pure (const PhNode *node)
{
  return node->op != NULL && !(node->op->flags & PH_OP_RANDOM) && node->graphs == NULL && !ph_node_is_tied (node)
         && node->outputs->len > 0;
}

/* Returns FALSE if both are outputs of the graph, whose names must remain. */
static gboolean
can_merge (const PhNode *keep, const PhNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const PhValue *a = ph_node_output (keep, k), *b = ph_node_output (node, k);

      if (b->n_output_uses > 0 && (a->n_output_uses > 0 || keep->graph != node->graph))
        return FALSE;
      if (a->type != NULL && b->type != NULL && ph_type_merge (a->type, b->type) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
merge (PhNode *keep, PhNode *node, GError **error)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      PhValue *a = ph_node_output (keep, k), *b = ph_node_output (node, k);
      const PhType *both = a->type != NULL && b->type != NULL ? ph_type_merge (a->type, b->type) : a->type;

      if (both != a->type && !ph_value_set_type (a, both, error))
        return FALSE;
      if (ph_value_n_uses (b) > 0 && !ph_value_replace_uses (b, a, error))
        return FALSE;
    }
  ph_graph_remove_dead (node);
  return TRUE;
}

/* Finds an equal earlier node. There is one table for each graph: a node may be replaced by one of its own graph or an enclosing one, but
 * not of a sibling body. Nodes come in program order, bodies before their owners, so a match precedes the node and is in scope. */
static PhNode *
find_earlier (GHashTable *tables, PhNode *node)
{
  for (PhGraph *graph = node->graph; graph != NULL; graph = graph->owner != NULL ? graph->owner->graph : NULL)
    {
      GHashTable *table = g_hash_table_lookup (tables, graph);
      PhNode *earlier = table != NULL ? g_hash_table_lookup (table, node) : NULL;

      if (earlier != NULL && can_merge (earlier, node))
        return earlier;
    }
  return NULL;
}

static gboolean
cse (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);
  g_autoptr (GHashTable) tables = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);

  for (guint i = 0; i < nodes->len && !run->stopped; i++)
    {
      PhNode *node = g_ptr_array_index (nodes, i), *earlier;
      GHashTable *table;

      if (!is_pure (node))
        continue;
      earlier = find_earlier (tables, node);
      if (earlier == NULL)
        {
          table = g_hash_table_lookup (tables, node->graph);
          if (table == NULL)
            {
              table = g_hash_table_new (node_hash, node_equal);
              g_hash_table_insert (tables, node->graph, table);
            }
          g_hash_table_add (table, node);
          continue;
        }
      if (!ph_pass_begin (run, "same-operation", node, why))
        return TRUE;
      if (!ph_pass_close (run, merge (earlier, node, error)))
        return FALSE;
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "same-operation", .matches = "f(x), f(x)",
    .becomes = "the earlier one", .why = why },
};

const PhPass ph_pass_cse = {
  .name = "cse", .group = "cse", .summary = "Eliminates common subexpressions, also between a graph and the bodies inside it",
  .elsewhere = "global value numbering; ONNX Runtime CommonSubexpressionElimination; XLA CSE",
  .trap = "two random draws differ; NaN is not equal to itself, but its bits are; names of outputs must survive.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = cse,
};
/* clang-format on */
