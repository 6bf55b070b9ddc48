/* sql-graph.c: the tables nodes, values, edges, attrs, graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql-private.h"
#include "core/ops/op.h"

/* ── nodes ── */

static gint64
count_nodes (PhSql *sql)
{
  return sql->model != NULL ? sql->model->nodes->len : 0;
}

/* Nodes of fused bodies are not shown, as they are nowhere counted: their fused node stands for them. */
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
  return is_shown (sql->model->nodes->pdata[slot]);
}

static gboolean
has_any_node (PhSql *sql, gint64 slot)
{
  return sql->model->nodes->pdata[slot] != NULL;
}

static void
range_of_id (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  gint64 n = sql->model != NULL ? MAX (sql->model->nodes->len, sql->model->values->len) : 0;

  *first = *end = 0;
  if (value >= 0 && value < n)
    {
      *first = value;
      *end = value + 1;
    }
}

static void
range_of_node (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  range_of_id (sql, key, value, first, end);
  *end = MIN (*end, count_nodes (sql));
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
      const PhAttr    *attr = attrs->pdata[i];
      g_autofree char *text = ph_attr_value_to_string (attr);

      g_string_append_printf (out, "%s%s=%s", i > 0 ? ", " : "", attr->name, text);
    }
  return g_string_free (out, FALSE);
}

#define NODE_COLUMNS "id INTEGER, op TEXT, domain TEXT, name TEXT, scope TEXT, inputs TEXT, outputs TEXT, n_inputs INTEGER, " \
                     "n_outputs INTEGER, attributes TEXT, role TEXT, partner INTEGER, device TEXT, flops INTEGER, bytes INTEGER, " \
                     "graph INTEGER, owner INTEGER, fused INTEGER, label TEXT"
enum { NODE_AT = 19 };

static void
node_column (const PhNode *node, int column, sqlite3_context *out)
{
  static const char *const roles[] = { "forward", "backward", "communication" };
  gint64                   number;

  switch (column)
    {
    case 0:
      ph_sql_result_id (out, node->id);
      break;
    case 1:
      ph_sql_result_text (out, node->op_type);
      break;
    case 2:
      ph_sql_result_text (out, node->domain);
      break;
    case 3:
      ph_sql_result_text (out, node->name);
      break;
    case 4:
      ph_sql_result_take (out, ph_node_scope (node));
      break;
    case 5:
      ph_sql_result_take (out, join_names (node->inputs));
      break;
    case 6:
      ph_sql_result_take (out, join_names (node->outputs));
      break;
    case 7:
      sqlite3_result_int64 (out, node->inputs->len);
      break;
    case 8:
      sqlite3_result_int64 (out, node->outputs->len);
      break;
    case 9:
      ph_sql_result_take (out, join_attrs (node->attrs));
      break;
    case 10:
      ph_sql_result_text (out, roles[node->role]);
      break;
    case 11:
      ph_sql_result_id (out, node->partner);
      break;
    case 12:
      ph_sql_result_text (out, node->device);
      break;
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
          gint64         bytes = value->type != NULL ? ph_type_bytes (value->type) : -1;

          if (bytes < 0)
            return;
          number += bytes;
        }
      sqlite3_result_int64 (out, number);
      break;
    case 15:
      ph_sql_result_id (out, node->graph->id);
      break;
    case 16:
      ph_sql_result_id (out, node->graph->owner != NULL ? node->graph->owner->id : PH_NO_ID);
      break;
    case 17:
      sqlite3_result_int (out, ph_node_is_fused (node));
      break;
    case 18:
      ph_sql_result_take (out, ph_node_label (node));
      break;
    default:
      break;
    }
}

static void
column_of_node (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  node_column (sql->model->nodes->pdata[slot], column, out);
}

/* ── nodes at another position ── */

static gint64
count_other (PhSql *sql)
{
  return sql->other != NULL ? sql->other->nodes->len : 0;
}

static gboolean
has_other (PhSql *sql, gint64 slot)
{
  return slot < count_other (sql) && is_shown (sql->other->nodes->pdata[slot]);
}

static void
column_of_other (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  if (column == NODE_AT)
    ph_sql_result_take (out, ph_position_to_string (sql->other_at));
  else if (has_other (sql, slot))
    node_column (sql->other->nodes->pdata[slot], column, out);
}

/* ── values ── */

static gint64
count_values (PhSql *sql)
{
  return sql->model != NULL ? sql->model->values->len : 0;
}

static gboolean
has_value (PhSql *sql, gint64 slot)
{
  return sql->model->values->pdata[slot] != NULL;
}

static void
range_of_value (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  range_of_id (sql, key, value, first, end);
  *end = MIN (*end, count_values (sql));
}

static char *
shape_text (const PhType *type)
{
  GString *out = g_string_new ("[");

  if (type == NULL || !type->has_rank || type->kind != PH_KIND_TENSOR)
    {
      g_string_free (out, TRUE);
      return NULL;
    }
  for (guint i = 0; i < type->rank; i++)
    {
      g_autofree char *dim = ph_dim_to_string (type->dims[i]);
      g_string_append_printf (out, "%s%s", i > 0 ? "," : "", dim);
    }
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

static PhTensor *
tensor_of (PhSql *sql, const PhValue *value)
{
  PhTensor *tensor = sql->values != NULL ? g_hash_table_lookup (sql->values, GUINT_TO_POINTER (value->id)) : NULL;

  return tensor != NULL ? tensor : value->tensor;
}

static void
stats_column (PhTensor *tensor, int which, sqlite3_context *out)
{
  PhTensorStats stats;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_tensor_stats (tensor, &stats))
    return;
  switch (which)
    {
    case 0:
      sqlite3_result_double (out, stats.min);
      break;
    case 1:
      sqlite3_result_double (out, stats.max);
      break;
    case 2:
      sqlite3_result_double (out, stats.mean);
      break;
    case 3:
      sqlite3_result_int64 (out, (gint64) stats.nans);
      break;
    default:
      sqlite3_result_int64 (out, (gint64) stats.infs);
    }
}

static void
column_of_value (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhValue *value = sql->model->values->pdata[slot];
  gint64         number;

  switch (column)
    {
    case 0:
      ph_sql_result_id (out, value->id);
      break;
    case 1:
      ph_sql_result_text (out, value->name);
      break;
    case 2:
      ph_sql_result_text (out, value->type != NULL ? ph_dtype_name (value->type->dtype) : NULL);
      break;
    case 3:
      ph_sql_result_take (out, shape_text (value->type));
      break;
    case 4:
      if (value->type != NULL && value->type->has_rank)
        sqlite3_result_int (out, (int) value->type->rank);
      break;
    case 5:
      ph_sql_result_take (out, ph_type_to_string (value->type));
      break;
    case 6:
      ph_sql_result_id (out, value->producer != NULL ? value->producer->id : PH_NO_ID);
      break;
    case 7:
      sqlite3_result_int (out, (int) value->output);
      break;
    case 8:
      sqlite3_result_int (out, value->is_input);
      break;
    case 9:
      sqlite3_result_int (out, ph_value_is_output (value));
      break;
    case 10:
      sqlite3_result_int (out, value->tensor != NULL);
      break;
    case 11:
      number = value->tensor != NULL ? (gint64) ph_tensor_bytes (value->tensor) : value->type != NULL ? ph_type_bytes (value->type) : -1;
      if (number >= 0)
        sqlite3_result_int64 (out, number);
      break;
    case 12:
      sqlite3_result_int64 (out, ph_value_n_uses (value));
      break;
    case 13:
      ph_sql_result_id (out, value->graph->id);
      break;
    default:
      stats_column (tensor_of (sql, value), column - 14, out);
    }
}

/* ── edges ── */

static int
by_dst (gconstpointer a, gconstpointer b)
{
  const PhSqlEdge *ea = a, *eb = b;

  return ea->dst != eb->dst ? (ea->dst < eb->dst ? -1 : 1) : ea->slot < eb->slot ? -1 : ea->slot > eb->slot;
}

static int
by_src (gconstpointer a, gconstpointer b)
{
  const PhSqlEdge *ea = a, *eb = b;

  return ea->src != eb->src ? (ea->src < eb->src ? -1 : 1) : by_dst (a, b);
}

static void
make_edges (PhSql *sql)
{
  if (sql->edges_by_dst != NULL || sql->model == NULL)
    return;
  sql->edges_by_dst = g_array_new (FALSE, FALSE, sizeof (PhSqlEdge));
  for (guint n = 0; n < sql->model->nodes->len; n++)
    {
      const PhNode *node = sql->model->nodes->pdata[n];

      for (guint i = 0; node != NULL && i < node->inputs->len; i++)
        {
          const PhValue *value = node->inputs->pdata[i];

          if (value != NULL)
            g_array_append_val (sql->edges_by_dst,
                                ((PhSqlEdge) { value->producer != NULL ? value->producer->id : PH_NO_ID, node->id, value->id, i }));
        }
    }
  g_array_sort (sql->edges_by_dst, by_dst);
  sql->edges_by_src = g_array_copy (sql->edges_by_dst);
  g_array_sort (sql->edges_by_src, by_src);
}

static gint64
count_edges (PhSql *sql)
{
  make_edges (sql);
  return sql->edges_by_dst != NULL ? sql->edges_by_dst->len : 0;
}

static PhId
end_of (const PhSqlEdge *edge, int key)
{
  return key == 0 ? edge->dst : edge->src;
}

static void
range_of_edge (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  gint64  low = 0, high = count_edges (sql);
  GArray *edges = key == 0 ? sql->edges_by_dst : sql->edges_by_src;

  while (low < high)
    {
      gint64 middle = (low + high) / 2;

      if ((gint64) end_of (&g_array_index (edges, PhSqlEdge, middle), key) < value)
        low = middle + 1;
      else
        high = middle;
    }
  *first = low;
  for (*end = low; *end < count_edges (sql) && (gint64) end_of (&g_array_index (edges, PhSqlEdge, *end), key) == value;)
    (*end)++;
}

static void
column_of_edge (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhSqlEdge *edge = &g_array_index (key == 0 ? sql->edges_by_dst : sql->edges_by_src, PhSqlEdge, slot);
  const PhValue   *value = ph_model_find_value (sql->model, edge->value);

  switch (column)
    {
    case 0:
      ph_sql_result_id (out, edge->src);
      break;
    case 1:
      ph_sql_result_id (out, edge->dst);
      break;
    case 2:
      ph_sql_result_id (out, edge->value);
      break;
    case 3:
      sqlite3_result_int (out, (int) edge->slot);
      break;
    default:
      ph_sql_result_text (out, value != NULL ? value->name : NULL);
    }
}

/* ── attributes ── */

static void
make_attrs (PhSql *sql)
{
  if (sql->attrs != NULL || sql->model == NULL)
    return;
  sql->attrs = g_array_new (FALSE, FALSE, sizeof (PhSqlAttr));
  for (guint n = 0; n < sql->model->nodes->len; n++)
    {
      PhNode *node = sql->model->nodes->pdata[n];

      for (guint i = 0; node != NULL && i < node->attrs->len; i++)
        g_array_append_val (sql->attrs, ((PhSqlAttr) { node, node->attrs->pdata[i] }));
    }
}

static gint64
count_attrs (PhSql *sql)
{
  make_attrs (sql);
  return sql->attrs != NULL ? sql->attrs->len : 0;
}

static void
range_of_attr (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  gint64 low = 0, high = count_attrs (sql);

  while (low < high)
    {
      gint64 middle = (low + high) / 2;

      if ((gint64) g_array_index (sql->attrs, PhSqlAttr, middle).node->id < value)
        low = middle + 1;
      else
        high = middle;
    }
  *first = low;
  for (*end = low; *end < count_attrs (sql) && (gint64) g_array_index (sql->attrs, PhSqlAttr, *end).node->id == value;)
    (*end)++;
}

static void
column_of_attr (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  static const char *const kinds[] = { "", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors", "graphs" };
  const PhSqlAttr         *row = &g_array_index (sql->attrs, PhSqlAttr, slot);

  switch (column)
    {
    case 0:
      ph_sql_result_id (out, row->node->id);
      break;
    case 1:
      ph_sql_result_text (out, row->attr->name);
      break;
    case 2:
      ph_sql_result_text (out, (guint) row->attr->kind < G_N_ELEMENTS (kinds) ? kinds[row->attr->kind] : "other");
      break;
    default:
      if (row->attr->kind == PH_ATTR_INT)
        sqlite3_result_int64 (out, row->attr->i);
      else if (row->attr->kind == PH_ATTR_FLOAT)
        sqlite3_result_double (out, row->attr->f);
      else
        ph_sql_result_take (out, ph_attr_value_to_string (row->attr));
    }
}

/* ── graphs ── */

static gint64
count_graphs (PhSql *sql)
{
  return sql->model != NULL ? sql->model->graphs->len : 0;
}

static gboolean
has_graph (PhSql *sql, gint64 slot)
{
  return sql->model->graphs->pdata[slot] != NULL;
}

static void
column_of_graph (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhGraph *graph = sql->model->graphs->pdata[slot];

  switch (column)
    {
    case 0:
      ph_sql_result_id (out, graph->id);
      break;
    case 1:
      ph_sql_result_text (out, graph->name);
      break;
    case 2:
      ph_sql_result_id (out, graph->owner != NULL ? graph->owner->id : PH_NO_ID);
      break;
    case 3:
      ph_sql_result_text (out, graph->attr);
      break;
    default:
      sqlite3_result_int64 (out, graph->n_nodes);
    }
}

const PhSqlTable ph_sql_graph_tables[] = {
  { "nodes", NODE_COLUMNS, "The nodes at the present position, those of If, Loop and Scan bodies too", count_nodes, has_node,
    column_of_node, { 0, -1 }, range_of_node },
  { "all_nodes", NODE_COLUMNS, "Also the nodes inside fused ones", count_nodes, has_any_node, column_of_node, { 0, -1 },
    range_of_node },
  { "nodes_at", NODE_COLUMNS ", position TEXT HIDDEN", "The nodes at another position: from nodes_at('3.2')", count_other, has_other,
    column_of_other, { -1 }, NULL, NODE_AT },
  { "values",
    "id INTEGER, name TEXT, dtype TEXT, shape TEXT, rank INTEGER, type TEXT, producer INTEGER, output INTEGER, is_input INTEGER, "
    "is_output INTEGER, constant INTEGER, bytes INTEGER, uses INTEGER, graph INTEGER, min REAL, max REAL, mean REAL, nans INTEGER, "
    "infs INTEGER",
    "The tensors: numbers are those of the last eval, or of constants", count_values, has_value, column_of_value, { 0, -1 },
    range_of_value },
  { "edges", "src INTEGER, dst INTEGER, value INTEGER, slot INTEGER, name TEXT",
    "Which node feeds which: src is null for graph inputs and constants", count_edges, NULL, column_of_edge, { 1, 0 }, range_of_edge },
  { "attrs", "node INTEGER, name TEXT, kind TEXT, value", "The attributes of nodes", count_attrs, NULL, column_of_attr, { 0, -1 },
    range_of_attr },
  { "graphs", "id INTEGER, name TEXT, owner INTEGER, attr TEXT, nodes INTEGER", "The main graph and the bodies", count_graphs,
    has_graph, column_of_graph, { -1 } },
};
const guint ph_sql_n_graph_tables = G_N_ELEMENTS (ph_sql_graph_tables);
