/* sql-nodes.c: the tables nodes, all_nodes, graphs, and nodes_at for any position.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"
#include "core/ops/op.h"

/* ── nodes ── */

static gint64
count_nodes (PhSql *sql)
{
  return sql->view != NULL ? sql->view->model->nodes->len : 0;
}

/* Returns FALSE for nodes in fused bodies: as in all counts, their fused node represents them. */
static gboolean
is_shown (const PhNode *node)
{
  while (node != NULL && node->graph->owner != NULL && !ph_node_is_fused (node->graph->owner))
    node = node->graph->owner;
  return node != NULL && node->graph->owner == NULL;
}

static gboolean
has_node (PhSql *sql, gint64 slot)
{
  return is_shown (sql->view->model->nodes->pdata[slot]);
}

static gboolean
has_any_node (PhSql *sql, gint64 slot)
{
  return sql->view->model->nodes->pdata[slot] != NULL;
}

static void
range_of_node (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  *first = CLAMP (value, 0, count_nodes (sql));
  *end = value >= 0 ? MIN (*first + 1, count_nodes (sql)) : 0;
}

static char *
join_names (GPtrArray *values)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];

      g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", value != NULL ? value->name : "");
    }
  return g_string_free (out, FALSE);
}

static char *
join_attrs (GPtrArray *attrs)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < attrs->len; i++)
    {
      const PhAttr *attr = attrs->pdata[i];
      g_autofree char *text = ph_attr_value_to_string (attr);

      g_string_append_printf (out, "%s%s=%s", i > 0 ? ", " : "", attr->name, text);
    }
  return g_string_free (out, FALSE);
}

#define NODE_COLUMNS                                                                                            \
  "id INTEGER, op TEXT, domain TEXT, name TEXT, scope TEXT, inputs TEXT, outputs TEXT, n_inputs INTEGER, "      \
  "n_outputs INTEGER, attributes TEXT, role TEXT, partner INTEGER, device TEXT, flops INTEGER, bytes INTEGER, " \
  "graph INTEGER, owner INTEGER, fused INTEGER, label TEXT, depth INTEGER, critical INTEGER"
#define AT_POSITION ", position TEXT HIDDEN"
enum
{
  NODE_AT = 21,
  GRAPH_AT = 5
};

/* Computes the depth of each node. A graph's list is in topological order; a node of a body is deeper than its owner's operands. */
static void
find_depths (PhSqlView *view, PhGraph *graph, guint before)
{
  PH_FOREACH_NODE (node, graph)
    {
      guint depth = before;

      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *value = node->inputs->pdata[i];

          if (value != NULL && value->producer != NULL)
            depth = MAX (depth, view->depth[value->producer->id]);
        }
      view->depth[node->id] = depth + 1;
      for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
        find_depths (view, node->graphs->pdata[g], depth);
    }
}

static guint
depth_of (PhSqlView *view, const PhNode *node)
{
  if (view->depth == NULL)
    {
      view->depth = g_new0 (guint, view->model->nodes->len + 1);
      find_depths (view, view->model->graph, 0);
    }
  return view->depth[node->id];
}

static gboolean
is_critical (PhSqlView *view, PhNode *node)
{
  if (view->critical == NULL)
    {
      g_autoptr (GPtrArray) way = ph_sql_find_longest (view->model, TRUE);

      view->critical = g_hash_table_new (NULL, NULL);
      for (guint i = 0; i < way->len; i++)
        g_hash_table_add (view->critical, way->pdata[i]);
    }
  return g_hash_table_contains (view->critical, node);
}

static void
column_of_node (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  static const char *const roles[] = { "forward", "backward", "communication" };
  PhNode *node = sql->view->model->nodes->pdata[slot];
  gint64 number;

  switch (column)
    {
    case 0: ph_sql_result_id (out, node->id); break;
    case 1: ph_sql_result_text (out, node->op_type); break;
    case 2: ph_sql_result_text (out, node->domain); break;
    case 3: ph_sql_result_text (out, node->name); break;
    case 4: ph_sql_result_take (out, ph_node_scope (node)); break;
    case 5: ph_sql_result_take (out, join_names (&node->inputs->array)); break;
    case 6: ph_sql_result_take (out, join_names (&node->outputs->array)); break;
    case 7: sqlite3_result_int64 (out, node->inputs->len); break;
    case 8: sqlite3_result_int64 (out, node->outputs->len); break;
    case 9: ph_sql_result_take (out, join_attrs (node->attrs)); break;
    case 10: ph_sql_result_text (out, roles[node->role]); break;
    case 11: ph_sql_result_id (out, node->partner); break;
    case 12: ph_sql_result_text (out, node->device); break;
    case 13:
      number = ph_node_flops (node);
      if (number >= 0)
        sqlite3_result_int64 (out, number);
      break;
    case 14:
      number = 0;
      for (guint i = 0; i < node->outputs->len; i++)
        {
          const PhValue *value = node->outputs->pdata[i];
          gint64 bytes = value->type != NULL ? ph_type_bytes (value->type) : -1;

          if (bytes < 0)
            return;
          number += bytes;
        }
      sqlite3_result_int64 (out, number);
      break;
    case 15: ph_sql_result_id (out, node->graph->id); break;
    case 16: ph_sql_result_id (out, node->graph->owner != NULL ? node->graph->owner->id : PH_NO_ID); break;
    case 17: sqlite3_result_int (out, ph_node_is_fused (node)); break;
    case 18: ph_sql_result_take (out, ph_node_label (node)); break;
    case 19: sqlite3_result_int (out, (int) depth_of (sql->view, node)); break;
    case 20: sqlite3_result_int (out, is_critical (sql->view, node)); break;
    default: break;
    }
}

static const char *
text_of_node (PhSql *sql, gint64 slot, int column)
{
  const PhNode *node = sql->view->model->nodes->pdata[slot];

  return column == 1 ? node->op_type : node->name;
}

/* ── graphs ── */

static gint64
count_graphs (PhSql *sql)
{
  return sql->view != NULL ? sql->view->model->graphs->len : 0;
}

static gboolean
has_graph (PhSql *sql, gint64 slot)
{
  return sql->view->model->graphs->pdata[slot] != NULL;
}

static void
column_of_graph (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhGraph *graph = sql->view->model->graphs->pdata[slot];

  switch (column)
    {
    case 0: ph_sql_result_id (out, graph->id); break;
    case 1: ph_sql_result_text (out, graph->name); break;
    case 2: ph_sql_result_id (out, graph->owner != NULL ? graph->owner->id : PH_NO_ID); break;
    case 3: ph_sql_result_text (out, graph->attr); break;
    default: sqlite3_result_int64 (out, graph->n_nodes);
    }
}

/* clang-format off */
const PhSqlTable ph_sql_node_tables[] = {
  { "nodes", NODE_COLUMNS AT_POSITION,
    "The nodes at the current position, those of If, Loop and Scan bodies too, or where position = '3'; depth: nodes on the longest way to it; critical: on "
    "longest_path('flops')", count_nodes, has_node, column_of_node, { 0, -1 }, range_of_node, text_of_node, { 1, 3 }, NODE_AT, TRUE, TRUE },
  { "all_nodes", NODE_COLUMNS AT_POSITION, "Also the nodes inside fused ones", count_nodes, has_any_node, column_of_node, { 0, -1 },
    range_of_node, text_of_node, { 1, 3 }, NODE_AT, TRUE, TRUE },
  { "nodes_at", NODE_COLUMNS AT_POSITION,
    "The nodes at another position: from nodes_at('3.2'), or from steps s, nodes_at(s.step) n", count_nodes, has_node, column_of_node,
    { 0, -1 }, range_of_node, text_of_node, { 1, 3 }, NODE_AT, FALSE, TRUE },
  { "graphs", "id INTEGER, name TEXT, owner INTEGER, attr TEXT, nodes INTEGER" AT_POSITION, "The main graph and the bodies", count_graphs,
    has_graph, column_of_graph, { -1 }, .at = GRAPH_AT, .here = TRUE },
};
/* clang-format on */
const guint ph_sql_n_node_tables = G_N_ELEMENTS (ph_sql_node_tables);
