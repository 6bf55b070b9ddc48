/* sql-functions.c: functions of queries: ancestors, descendants, path, longest_path, dominates, shape, bytes, rank, dim.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/reply-table.h"
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"
#include "core/ops/op.h"

/* Nodes are given by number or name; lists of them are JSON, for json_each(). All refer to the present position. */

static PhNode *
node_of (PhSql *sql, sqlite3_value *value, sqlite3_context *out)
{
  PhModel *model = sql->here != NULL ? sql->here->model : NULL;
  const gint64 id = sqlite3_value_type (value) == SQLITE_INTEGER ? sqlite3_value_int64 (value) : 0;
  PhNode *node = model != NULL && id > 0 && id < model->next_id ? ph_model_find_node (model, (PhId) id) : NULL;
  const char *text = (const char *) sqlite3_value_text (value);
  g_autofree char *message = NULL;

  if (node == NULL && model != NULL && text != NULL)
    node = ph_model_find_node_named (model, text);
  if (node != NULL || sqlite3_value_type (value) == SQLITE_NULL)
    return node;
  message = g_strdup_printf ("there is no node '%s'", text != NULL ? text : "");
  sqlite3_result_error (out, message, -1);
  return NULL;
}

/* ── producers and users ── */

typedef void (*Visit) (PhNode *node, gpointer data);

static void
visit_inputs (PhNode *node, Visit visit, gpointer data)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = node->inputs->pdata[i];

      if (value != NULL && value->producer != NULL)
        visit (value->producer, data);
    }
}

/* Visits the nodes before @node: its producers, and those of values that its bodies capture. */
static void
visit_before (PhNode *node, Visit visit, gpointer data)
{
  visit_inputs (node, visit, data);
  for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
    PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[g])
      visit_before (inner, visit, data);
}

static void
visit_after (PhNode *node, Visit visit, gpointer data)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      for (guint u = 0; u < value->uses->len; u++)
        {
          PhNode *user = g_array_index (value->uses, PhUse, u).node;

          /* A use in a body is also a use by its owner. */
          visit (user, data);
          for (PhNode *owner = user->graph->owner; owner != NULL && user->graph != node->graph; owner = owner->graph->owner)
            {
              visit (owner, data);
              if (owner->graph == node->graph)
                break;
            }
        }
    }
}

/* from: by node id, the node through which it was found; the first has itself. (nullable) */
typedef struct
{
  PhNode **from;
  GPtrArray *queue;
  PhNode *at;
} Walk;

static void
reach (PhNode *node, gpointer data)
{
  Walk *walk = data;

  if (walk->from[node->id] != NULL)
    return;
  walk->from[node->id] = walk->at;
  g_ptr_array_add (walk->queue, node);
}

/* Visits everything reachable from @start, without it, in breadth-first order. */
static void
walk_from (Walk *walk, PhNode *start, gboolean forward, const PhNode *except)
{
  walk->from = g_new0 (PhNode *, start->graph->model->next_id);
  walk->queue = g_ptr_array_new ();
  walk->from[start->id] = start;
  for (guint i = 0; i == 0 || i <= walk->queue->len; i++)
    {
      walk->at = i == 0 ? start : walk->queue->pdata[i - 1];
      if (walk->at == except)
        continue;
      (forward ? visit_after : visit_before) (walk->at, reach, walk);
    }
}

static void
walk_clear (Walk *walk)
{
  g_free (walk->from);
  g_ptr_array_unref (walk->queue);
}

static void
result_nodes (sqlite3_context *out, PhNode *const *nodes, guint n)
{
  GString *text = g_string_sized_new ((gsize) n * 8 + 3);
  char digits[16];

  g_string_append_c (text, '[');
  for (guint i = 0; i < n; i++)
    {
      char *at = digits + sizeof digits;

      for (guint id = nodes[i]->id; id > 0; id /= 10)
        *--at = (char) ('0' + id % 10);
      if (i > 0)
        g_string_append_c (text, ',');
      g_string_append_len (text, at, digits + sizeof digits - at);
    }
  g_string_append_c (text, ']');
  sqlite3_result_text64 (out, text->str, text->len, g_free, SQLITE_UTF8);
  g_string_free (text, FALSE);
}

static void
reached (sqlite3_context *out, sqlite3_value **argv, gboolean forward)
{
  PhNode *node = node_of (sqlite3_user_data (out), argv[0], out);
  Walk walk;

  if (node == NULL)
    return;
  walk_from (&walk, node, forward, NULL);
  result_nodes (out, (PhNode *const *) walk.queue->pdata, walk.queue->len);
  walk_clear (&walk);
}

static void
sql_ancestors (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  reached (out, argv, FALSE);
}

static void
sql_descendants (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  reached (out, argv, TRUE);
}

/* Returns a shortest path between two nodes, both included, or NULL if there is none. */
static void
sql_path (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  PhSql *sql = sqlite3_user_data (out);
  PhNode *first = node_of (sql, argv[0], out), *last = first != NULL ? node_of (sql, argv[1], out) : NULL;
  g_autoptr (GPtrArray) way = g_ptr_array_new ();
  Walk walk;

  if (last == NULL)
    return;
  walk_from (&walk, last, FALSE, NULL);
  if (walk.from[first->id] != NULL)
    {
      for (PhNode *node = first; node != last; node = walk.from[node->id])
        g_ptr_array_add (way, node);
      g_ptr_array_add (way, last);
      result_nodes (out, (PhNode *const *) way->pdata, way->len);
    }
  walk_clear (&walk);
}

/* ── the longest path ── */

typedef struct
{
  double cost;
  PhNode *before;
} Reach; /* cost 0: not reached yet */
typedef struct
{
  const Reach *reaches;
  Reach *best;
} Longest; /* reaches: by id of a node */

static void
take_longest (PhNode *node, gpointer data)
{
  Longest *longest = data;
  const Reach *reach_of = &longest->reaches[node->id];

  if (reach_of->cost > 0 && (longest->best->before == NULL || reach_of->cost > longest->best->cost))
    *longest->best = (Reach) { reach_of->cost, node };
}

/* Finds the longest path; among paths of equal cost, one with more nodes. A graph's list is in topological order. */
GPtrArray *
ph_sql_find_longest (PhModel *model, gboolean flops)
{
  g_autofree Reach *reaches = g_new0 (Reach, model->next_id);
  GPtrArray *way = g_ptr_array_new ();
  PhNode *last = NULL;
  double most = -1;

  PH_FOREACH_NODE (node, model->graph)
    {
      Reach own = { 0 };
      Longest longest = { reaches, &own };

      visit_before (node, take_longest, &longest);
      own.cost += 1 + (flops ? (double) MAX (ph_node_flops (node), 0) : 0);
      reaches[node->id] = own;
      if (own.cost > most)
        {
          most = own.cost;
          last = node;
        }
    }
  for (PhNode *node = last; node != NULL; node = reaches[node->id].before)
    g_ptr_array_add (way, node);
  for (guint i = 0; i < way->len / 2; i++)
    {
      gpointer other = way->pdata[i];

      way->pdata[i] = way->pdata[way->len - 1 - i];
      way->pdata[way->len - 1 - i] = other;
    }
  return way;
}

/* longest_path() by the number of nodes, longest_path('flops') by their cost. */
static void
sql_longest_path (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  PhSql *sql = sqlite3_user_data (out);
  const char *by = argc > 0 ? (const char *) sqlite3_value_text (argv[0]) : "nodes";
  const gboolean flops = g_strcmp0 (by, "flops") == 0;
  g_autoptr (GPtrArray) way = NULL;

  if (!flops && g_strcmp0 (by, "nodes") != 0)
    {
      sqlite3_result_error (out, "longest_path is by 'nodes' or 'flops'", -1);
      return;
    }
  if (sql->here == NULL)
    return;
  way = ph_sql_find_longest (sql->here->model, flops);
  result_nodes (out, (PhNode *const *) way->pdata, way->len);
}

/* ── dominates ── */

/* Returns TRUE if the node reads an input of the graph, so that a path begins at it. */
static gboolean
begins (const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      if (value != NULL && value->producer == NULL && value->is_input && value->graph->owner == NULL)
        return TRUE;
    }
  return FALSE;
}

/* Tells whether every path from an input of the graph to the second node contains the first. */
static void
sql_dominates (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  PhSql *sql = sqlite3_user_data (out);
  PhNode *first = node_of (sql, argv[0], out), *second = first != NULL ? node_of (sql, argv[1], out) : NULL;
  gboolean other = FALSE, through = FALSE;
  Walk walk;

  if (second == NULL)
    return;
  if (first == second)
    {
      sqlite3_result_int (out, 1);
      return;
    }
  walk_from (&walk, second, FALSE, first);
  other = begins (second);
  for (guint i = 0; i < walk.queue->len; i++)
    {
      const PhNode *node = walk.queue->pdata[i];

      through = through || node == first;
      other = other || (node != first && begins (node));
    }
  walk_clear (&walk);
  sqlite3_result_int (out, through && !other);
}

/* ── shapes as text ── */

/* Returns the dimensions in "[batch,seq,8]" or "float[batch,seq,8]"; a type without brackets has none. (transfer full) */
static char **
dimensions (sqlite3_value *value)
{
  const char *text = (const char *) sqlite3_value_text (value), *open = text != NULL ? strchr (text, '[') : NULL;
  const char *close = open != NULL ? strrchr (open, ']') : NULL;
  g_autofree char *inside = close != NULL ? g_strndup (open + 1, (gsize) (close - open - 1)) : NULL;

  if (text == NULL || *text == '\0')
    return NULL;
  return inside == NULL || *inside == '\0' ? g_new0 (char *, 1) : g_strsplit (inside, ",", -1);
}

static void
sql_rank (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  g_auto (GStrv) dims = dimensions (argv[0]);

  if (dims != NULL)
    sqlite3_result_int (out, (int) g_strv_length (dims));
}

static void
sql_dim (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  g_auto (GStrv) dims = dimensions (argv[0]);
  const gint64 n = dims != NULL ? g_strv_length (dims) : 0, asked = sqlite3_value_int64 (argv[1]),
               index = asked < 0 ? asked + n : asked;
  char *end;
  gint64 size;

  if (index < 0 || index >= n)
    return;
  size = g_ascii_strtoll (dims[index], &end, 10);
  if (end != dims[index] && *end == '\0')
    sqlite3_result_int64 (out, size);
  else
    ph_sql_result_text (out, g_strstrip (dims[index]));
}

/* Finds a value by number or name. */
static const PhValue *
value_of (PhSql *sql, sqlite3_value *value, sqlite3_context *out)
{
  PhModel *model = sql->here != NULL ? sql->here->model : NULL;
  const char *text = (const char *) sqlite3_value_text (value);
  const PhValue *found = NULL;
  g_autofree char *message = NULL;

  if (model == NULL || text == NULL)
    return NULL;
  if (sqlite3_value_type (value) == SQLITE_INTEGER)
    found = ph_model_find_value (model, (PhId) CLAMP (sqlite3_value_int64 (value), 0, G_MAXINT32));
  else
    found = ph_model_find_value_named (model, text);
  if (found != NULL)
    return found;
  message = g_strdup_printf ("there is no value '%s'", text);
  sqlite3_result_error (out, message, -1);
  return NULL;
}

static void
sql_shape (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  const PhValue *value = value_of (sqlite3_user_data (out), argv[0], out);

  if (value != NULL)
    ph_sql_result_take (out, ph_sql_shape_text (value->type));
}

static void
sql_bytes (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  const PhValue *value = value_of (sqlite3_user_data (out), argv[0], out);
  const gint64 bytes = value != NULL ? ph_sql_value_bytes (value) : -1;

  if (bytes >= 0)
    sqlite3_result_int64 (out, bytes);
}

static const struct
{
  const char *name, *arguments, *doc;
  int n;
  void (*function) (sqlite3_context *, int, sqlite3_value **);
  gboolean pure;
} functions[] = {
  { "ancestors", "(NODE)", "all nodes that lead to it, the nearest first, as a JSON list for json_each()", 1, sql_ancestors },
  { "descendants", "(NODE)", "all nodes that it leads to", 1, sql_descendants },
  { "path", "(NODE, NODE)", "a shortest way from one to the other", 2, sql_path },
  { "longest_path", "('nodes' or 'flops')", "the way that has most nodes, or costs most", 0, sql_longest_path },
  { "longest_path", "('nodes' or 'flops')", NULL, 1, sql_longest_path },
  { "dominates", "(NODE, NODE)", "1 where every way from an input to the second goes through the first", 2, sql_dominates },
  { "shape", "(VALUE)", "of a value, by name or number", 1, sql_shape },
  { "bytes", "(VALUE)", "of a value", 1, sql_bytes },
  { "rank", "(shape)", "how many dimensions a shape has", 1, sql_rank, TRUE },
  { "dim", "(shape, I)", "one of them; from behind where I is negative", 2, sql_dim, TRUE },
};

void
ph_sql_reply_functions (PhReply *reply)
{
  JsonArray *rows = ph_reply_array (reply, "functions");

  ph_reply_say (reply, "functions:\n");
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (functions[i].doc != NULL)
      {
        JsonObject *row = ph_json_add_object (rows);

        json_object_set_string_member (row, "name", functions[i].name);
        json_object_set_string_member (row, "arguments", functions[i].arguments);
        json_object_set_string_member (row, "doc", functions[i].doc);
        ph_reply_say (reply, "    " PH_STYLE_KEY "%s%s" PH_STYLE_RESET "  %s\n", functions[i].name, functions[i].arguments,
                      functions[i].doc);
      }
}

const char *
ph_sql_function_arguments (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_ascii_strcasecmp (functions[i].name, name) == 0)
      return functions[i].arguments;
  return NULL;
}

void
ph_sql_add_functions (PhSql *sql)
{
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    sqlite3_create_function (sql->db, functions[i].name, functions[i].n,
                             SQLITE_UTF8 | (functions[i].pure ? SQLITE_DETERMINISTIC : 0), sql, functions[i].function, NULL,
                             NULL);
}
