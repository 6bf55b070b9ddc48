/* sql-values.c: the tables values, tensors, uses, edges and attrs, and the same at any position.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"

#define AT_POSITION ", position TEXT HIDDEN"

/* ── values ── */

static gint64
count_values (PhSql *sql)
{
  return sql->view != NULL ? sql->view->model->values->len : 0;
}

static gboolean
has_value (PhSql *sql, gint64 slot)
{
  return sql->view->model->values->pdata[slot] != NULL;
}

static void
range_of_value (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  *first = CLAMP (value, 0, count_values (sql));
  *end = value >= 0 ? MIN (*first + 1, count_values (sql)) : 0;
}

char *
ph_sql_shape_text (const PhType *type)
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

gint64
ph_sql_value_bytes (const PhValue *value)
{
  return value->tensor != NULL ? (gint64) ph_tensor_bytes (value->tensor)
         : value->type != NULL ? ph_type_bytes (value->type)
                               : -1;
}

static PhTensor *
tensor_of (PhSql *sql, const PhValue *value)
{
  PhTensor *tensor = sql->values != NULL && sql->view == sql->here
                         ? g_hash_table_lookup (sql->values, GUINT_TO_POINTER (value->id))
                         : NULL;

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
    case 0: sqlite3_result_double (out, stats.min); break;
    case 1: sqlite3_result_double (out, stats.max); break;
    case 2: sqlite3_result_double (out, stats.mean); break;
    case 3: sqlite3_result_int64 (out, (gint64) stats.nans); break;
    default: sqlite3_result_int64 (out, (gint64) stats.infs);
    }
}

static const char *
text_of_value (PhSql *sql, gint64 slot, int column)
{
  return ((const PhValue *) sql->view->model->values->pdata[slot])->name;
}

static void
column_of_value (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhValue *value = sql->view->model->values->pdata[slot];
  gint64 number;

  switch (column)
    {
    case 0: ph_sql_result_id (out, value->id); break;
    case 1: ph_sql_result_text (out, value->name); break;
    case 2:
      ph_sql_result_text (out,
                          value->type != NULL && value->type->dtype != PH_UNDEFINED ? ph_dtype_name (value->type->dtype) : NULL);
      break;
    case 3: ph_sql_result_take (out, ph_sql_shape_text (value->type)); break;
    case 4:
      if (value->type != NULL && value->type->has_rank)
        sqlite3_result_int (out, (int) value->type->rank);
      break;
    case 5: ph_sql_result_take (out, ph_type_to_string (value->type)); break;
    case 6: ph_sql_result_id (out, value->producer != NULL ? value->producer->id : PH_NO_ID); break;
    case 7: sqlite3_result_int (out, (int) value->output); break;
    case 8: sqlite3_result_int (out, value->is_input); break;
    case 9: sqlite3_result_int (out, ph_value_is_output (value)); break;
    case 10: sqlite3_result_int (out, value->tensor != NULL); break;
    case 11:
      number = ph_sql_value_bytes (value);
      if (number >= 0)
        sqlite3_result_int64 (out, number);
      break;
    case 12: sqlite3_result_int64 (out, ph_value_n_uses (value)); break;
    case 13: ph_sql_result_id (out, value->graph->id); break;
    default: stats_column (tensor_of (sql, value), column - 14, out);
    }
}

#define VALUE_COLUMNS                                                                                          \
  "id INTEGER, name TEXT, dtype TEXT, shape TEXT, rank INTEGER, type TEXT, producer INTEGER, output INTEGER, " \
  "is_input INTEGER, is_output INTEGER, constant INTEGER, bytes INTEGER, uses INTEGER, graph INTEGER, "        \
  "min REAL, max REAL, mean REAL, nans INTEGER, infs INTEGER"
enum
{
  VALUE_AT = 19
};

/* ── edges ── */

#define EDGE_COLUMNS "src INTEGER, dst INTEGER, value INTEGER, slot INTEGER, name TEXT"
enum
{
  EDGE_AT = 5
};

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
  if (sql->view == NULL || sql->view->edges_by_dst != NULL)
    return;
  sql->view->edges_by_dst = g_array_new (FALSE, FALSE, sizeof (PhSqlEdge));
  for (guint n = 0; n < sql->view->model->nodes->len; n++)
    {
      const PhNode *node = sql->view->model->nodes->pdata[n];

      for (guint i = 0; node != NULL && i < node->inputs->len; i++)
        {
          const PhValue *value = node->inputs->pdata[i];

          if (value != NULL)
            g_array_append_val (sql->view->edges_by_dst, ((PhSqlEdge) { value->producer != NULL ? value->producer->id : PH_NO_ID,
                                                                        node->id, value->id, i }));
        }
    }
  g_array_sort (sql->view->edges_by_dst, by_dst);
  sql->view->edges_by_src = g_array_copy (sql->view->edges_by_dst);
  g_array_sort (sql->view->edges_by_src, by_src);
}

static gint64
count_edges (PhSql *sql)
{
  make_edges (sql);
  return sql->view != NULL ? sql->view->edges_by_dst->len : 0;
}

static PhId
end_of (const PhSqlEdge *edge, int key)
{
  return key == 0 ? edge->dst : edge->src;
}

static void
range_of_edge (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  gint64 low = 0, high = count_edges (sql);
  GArray *edges;

  if (high == 0)
    {
      *first = *end = 0;
      return;
    }
  edges = key == 0 ? sql->view->edges_by_dst : sql->view->edges_by_src;
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
  const PhSqlEdge *edge = &g_array_index (key == 0 ? sql->view->edges_by_dst : sql->view->edges_by_src, PhSqlEdge, slot);
  const PhValue *value = ph_model_find_value (sql->view->model, edge->value);

  switch (column)
    {
    case 0: ph_sql_result_id (out, edge->src); break;
    case 1: ph_sql_result_id (out, edge->dst); break;
    case 2: ph_sql_result_id (out, edge->value); break;
    case 3: sqlite3_result_int (out, (int) edge->slot); break;
    default: ph_sql_result_text (out, value != NULL ? value->name : NULL);
    }
}

/* ── attributes ── */

#define ATTR_COLUMNS "node INTEGER, name TEXT, kind TEXT, value"
enum
{
  ATTR_AT = 4
};

static void
make_attrs (PhSql *sql)
{
  if (sql->view == NULL || sql->view->attrs != NULL)
    return;
  sql->view->attrs = g_array_new (FALSE, FALSE, sizeof (PhSqlAttr));
  for (guint n = 0; n < sql->view->model->nodes->len; n++)
    {
      PhNode *node = sql->view->model->nodes->pdata[n];

      for (guint i = 0; node != NULL && i < node->attrs->len; i++)
        g_array_append_val (sql->view->attrs, ((PhSqlAttr) { node, node->attrs->pdata[i] }));
    }
}

static gint64
count_attrs (PhSql *sql)
{
  make_attrs (sql);
  return sql->view != NULL ? sql->view->attrs->len : 0;
}

static void
range_of_attr (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  gint64 low = 0, high = count_attrs (sql);

  while (low < high)
    {
      gint64 middle = (low + high) / 2;

      if ((gint64) g_array_index (sql->view->attrs, PhSqlAttr, middle).node->id < value)
        low = middle + 1;
      else
        high = middle;
    }
  *first = low;
  for (*end = low; *end < count_attrs (sql) && (gint64) g_array_index (sql->view->attrs, PhSqlAttr, *end).node->id == value;)
    (*end)++;
}

static void
column_of_attr (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  static const char *const kinds[] = { "",       "float", "int",     "string",  "tensor", "graph",
                                       "floats", "ints",  "strings", "tensors", "graphs" };
  const PhSqlAttr *row = &g_array_index (sql->view->attrs, PhSqlAttr, slot);

  switch (column)
    {
    case 0: ph_sql_result_id (out, row->node->id); break;
    case 1: ph_sql_result_text (out, row->attr->name); break;
    case 2: ph_sql_result_text (out, (guint) row->attr->kind < G_N_ELEMENTS (kinds) ? kinds[row->attr->kind] : "other"); break;
    default:
      if (row->attr->kind == PH_ATTR_INT)
        sqlite3_result_int64 (out, row->attr->i);
      else if (row->attr->kind == PH_ATTR_FLOAT)
        sqlite3_result_double (out, row->attr->f);
      else
        ph_sql_result_take (out, ph_attr_value_to_string (row->attr));
    }
}

/* ── uses ── */

#define USE_COLUMNS "value INTEGER, name TEXT, node INTEGER, slot INTEGER, constant INTEGER"
enum
{
  USE_AT = 5
};

static void
column_of_use (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhSqlEdge *edge = &g_array_index (sql->view->edges_by_dst, PhSqlEdge, slot);
  const PhValue *value = ph_model_find_value (sql->view->model, edge->value);

  switch (column)
    {
    case 0: ph_sql_result_id (out, edge->value); break;
    case 1: ph_sql_result_text (out, value != NULL ? value->name : NULL); break;
    case 2: ph_sql_result_id (out, edge->dst); break;
    case 3: sqlite3_result_int (out, (int) edge->slot); break;
    default: sqlite3_result_int (out, value != NULL && value->tensor != NULL);
    }
}

static gboolean
has_tensor (PhSql *sql, gint64 slot)
{
  return has_value (sql, slot) && ((const PhValue *) sql->view->model->values->pdata[slot])->tensor != NULL;
}

/* clang-format off */
const PhSqlTable ph_sql_value_tables[] = {
  { "values", VALUE_COLUMNS AT_POSITION, "The values: numbers are those of the last eval, or of constants", count_values, has_value,
    column_of_value, { 0, -1 }, range_of_value, text_of_value, { 1 }, VALUE_AT, TRUE },
  { "tensors", VALUE_COLUMNS AT_POSITION, "The values that are constants: weights and the like", count_values, has_tensor,
    column_of_value, { 0, -1 }, range_of_value, text_of_value, { 1 }, VALUE_AT, TRUE },
  { "uses", USE_COLUMNS AT_POSITION, "Each use of a value: by which node, as its input number slot", count_edges, NULL, column_of_use, { 2, -1 },
    range_of_edge, .at = USE_AT, .here = TRUE },
  { "values_at", VALUE_COLUMNS AT_POSITION, "The tensors at another position: numbers are those of constants", count_values,
    has_value, column_of_value, { 0, -1 }, range_of_value, text_of_value, { 1 }, VALUE_AT },
  { "edges", EDGE_COLUMNS AT_POSITION, "Which node feeds which: src is null for graph inputs and constants", count_edges, NULL, column_of_edge,
    { 1, 0 }, range_of_edge, .at = EDGE_AT, .here = TRUE },
  { "edges_at", EDGE_COLUMNS AT_POSITION, "The edges at another position", count_edges, NULL, column_of_edge, { 1, 0 },
    range_of_edge, .at = EDGE_AT },
  { "attrs", ATTR_COLUMNS AT_POSITION, "The attributes of nodes", count_attrs, NULL, column_of_attr, { 0, -1 }, range_of_attr, .at = ATTR_AT,
    .here = TRUE },
  { "attrs_at", ATTR_COLUMNS AT_POSITION, "The attributes at another position", count_attrs, NULL, column_of_attr,
    { 0, -1 }, range_of_attr, .at = ATTR_AT },
};
/* clang-format on */
const guint ph_sql_n_value_tables = G_N_ELEMENTS (ph_sql_value_tables);
