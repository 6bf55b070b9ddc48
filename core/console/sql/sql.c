/* sql.c: queries over the document: SQLite parses, joins and recurses, virtual tables read the graph in place.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-parts.h"
#include "core/console/call-work.h"
#include "core/console/meant.h"
#include "core/console/other-code.h"
#include "core/console/reply-table.h"
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"
#include "core/run/inputs.h"

#define MAX_ROWS       100000 /* of an answer              */
#define MAX_ROWS_SHOWN 500    /* of its text               */
#define MAX_CELL_BYTES 10000000

void
ph_sql_result_text (sqlite3_context *out, const char *text)
{
  if (text == NULL)
    sqlite3_result_null (out);
  else if (g_utf8_validate (text, -1, NULL))
    sqlite3_result_text (out, text, -1, SQLITE_TRANSIENT);
  else
    sqlite3_result_text (out, g_utf8_make_valid (text, -1), -1, g_free);
}

void
ph_sql_result_take (sqlite3_context *out, char *text)
{
  ph_sql_result_text (out, text);
  g_free (text);
}

void
ph_sql_result_id (sqlite3_context *out, PhId id)
{
  if (id == PH_NO_ID)
    sqlite3_result_null (out);
  else
    sqlite3_result_int64 (out, id);
}

/* clang-format off */
static const struct { const PhSqlTable *tables; const guint *n; } groups[] = {
  { ph_sql_node_tables, &ph_sql_n_node_tables },
  { ph_sql_value_tables, &ph_sql_n_value_tables },
  { ph_sql_other_tables, &ph_sql_n_other_tables },
  { ph_sql_change_tables, &ph_sql_n_change_tables },
};
/* clang-format on */

/* ── names ── */

static void
add_names (GPtrArray *names, const PhSqlTable *table, gboolean tables)
{
  g_auto (GStrv) columns = g_strsplit (table->columns, ",", -1);

  if (tables)
    g_ptr_array_add (names, g_strdup (table->name));
  for (guint i = 0; !tables && columns[i] != NULL; i++)
    {
      const char *column = g_strstrip (columns[i]);

      g_ptr_array_add (names, g_strndup (column, strcspn (column, " ")));
    }
}

/* Returns the names of all tables, or of all their columns. */
static GPtrArray *
names_of (gboolean tables)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    for (guint i = 0; i < *groups[g].n; i++)
      add_names (names, &groups[g].tables[i], tables);
  return names;
}

char **
ph_sql_names (PhSqlNames which)
{
  static const char *const words[] = {
    "select",    "from",        "where", "group by",     "order by",  "limit", "join",           "on",   "count(*)", "distinct",
    "and",       "or",          "not",   "like",         "regexp",    "desc",  "with recursive", "as",   "union",    "json_each",
    "ancestors", "descendants", "path",  "longest_path", "dominates", "shape", "bytes",          "rank", "dim"
  };
  GPtrArray *names = names_of (which != PH_SQL_COLUMNS);

  if (which == PH_SQL_ANY)
    g_ptr_array_extend_and_steal (names, names_of (FALSE));
  for (guint i = 0; which == PH_SQL_ANY && i < G_N_ELEMENTS (words); i++)
    g_ptr_array_add (names, g_strdup (words[i]));
  g_ptr_array_add (names, NULL);
  g_ptr_array_set_free_func (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* ── the connection ── */

/* Allows reading and computing, but no other file, no settings and no writing. */
static int
authorize (void *data, int action, const char *a, const char *b, const char *c, const char *d)
{
  if (((const PhSql *) data)->connecting)
    return SQLITE_OK;
  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return b != NULL && g_ascii_strcasecmp (b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

static int
check_cancelled (void *data)
{
  PhSql *sql = data;

  if (sql->call != NULL)
    ph_call_progress (sql->call, "the query runs", -1);
  return g_cancellable_is_cancelled (sql->cancellable);
}

/* "name regexp 'conv[0-9]'" */
static void
sql_regexp (sqlite3_context *out, int argc, sqlite3_value **argv)
{
  const char *pattern = (const char *) sqlite3_value_text (argv[0]), *text = (const char *) sqlite3_value_text (argv[1]);
  GRegex *regex = sqlite3_get_auxdata (out, 0);
  g_autoptr (GError) error = NULL;

  if (pattern == NULL || text == NULL)
    return;
  if (regex == NULL)
    {
      regex = g_regex_new (pattern, G_REGEX_OPTIMIZE, 0, &error);
      if (regex == NULL)
        {
          sqlite3_result_error (out, error->message, -1);
          return;
        }
      sqlite3_set_auxdata (out, 0, regex, (void (*) (void *)) g_regex_unref);
      regex = sqlite3_get_auxdata (out, 0);
      if (regex == NULL)
        return;
    }
  sqlite3_result_int (out, g_regex_match (regex, text, 0, NULL));
}

/* Computes the natural logarithm, as in expressions; SQLite's own log is to base 10, for which there is log10. */
static void
sql_log (sqlite3_context *out, int n, sqlite3_value **values)
{
  const double x = sqlite3_value_double (values[n - 1]), base = n == 2 ? sqlite3_value_double (values[0]) : 0;

  if (sqlite3_value_numeric_type (values[n - 1]) == SQLITE_NULL || x <= 0 || (n == 2 && (base <= 0 || base == 1)))
    sqlite3_result_null (out);
  else
    sqlite3_result_double (out, n == 2 ? log (x) / log (base) : log (x));
}

PhSql *
ph_sql_new (PhDocument *document)
{
  PhSql *sql = g_new0 (PhSql, 1);

  sql->document = document;
  sql->others = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_sql_view_free);
  g_mutex_init (&sql->lock);
  if (sqlite3_open_v2 (":memory:", &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_FULLMUTEX, NULL)
      != SQLITE_OK)
    g_clear_pointer (&sql->db, sqlite3_close);
  if (sql->db == NULL)
    return sql;
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    for (guint i = 0; i < *groups[g].n; i++)
      ph_sql_add_table (sql, &groups[g].tables[i]);
  sqlite3_create_function (sql->db, "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_regexp, NULL, NULL);
  for (int n = 1; n <= 2; n++)
    sqlite3_create_function (sql->db, "log", n, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_log, NULL, NULL);
  ph_sql_add_functions (sql);
  /* SQLite declares these when they are first used, which the authorizer would not let it. */
  sqlite3_exec (sql->db, "select 1 from json_each ('[]'), json_tree ('[]')", NULL, NULL, NULL);
  sqlite3_set_authorizer (sql->db, authorize, sql);
  sqlite3_progress_handler (sql->db, 1000, check_cancelled, sql);
  sqlite3_limit (sql->db, SQLITE_LIMIT_LENGTH, MAX_CELL_BYTES);
  sqlite3_limit (sql->db, SQLITE_LIMIT_ATTACHED, 0);
  return sql;
}

static void
forget (PhSql *sql)
{
  g_clear_pointer (&sql->changes, ph_sql_changes_free);
  if (sql->threaded)
    g_clear_pointer (&sql->history, ph_history_free);
  sql->history = NULL;
  sql->source = NULL;
  sql->view = NULL;
  g_clear_pointer (&sql->snapshot, ph_snapshot_free);
  g_clear_pointer (&sql->here, ph_sql_view_free);
  g_ptr_array_set_size (sql->others, 0);
  g_clear_pointer (&sql->feeds, g_hash_table_unref);
  g_clear_pointer (&sql->values, g_hash_table_unref);
  g_clear_pointer (&sql->profile, ph_profile_unref);
  g_clear_pointer (&sql->problems, g_ptr_array_unref);
  g_clear_pointer (&sql->entries, g_array_unref);
}

void
ph_sql_free (PhSql *sql)
{
  g_clear_pointer (&sql->db, sqlite3_close);
  forget (sql);
  g_ptr_array_unref (sql->others);
  g_mutex_clear (&sql->lock);
  g_free (sql);
}

/* Prepares what the query reads, in the document's thread. The previous snapshot is reused while nothing changed. */
static void
take_snapshot (PhSql *sql, gboolean threaded)
{
  PhModel *model = ph_document_get_model (sql->document);
  PhPosition position = ph_document_get_position (sql->document);
  guint generation = ph_document_get_generation (sql->document);

  g_mutex_lock (&sql->lock);
  if (sql->threaded != threaded || sql->source != model || sql->generation != generation || sql->snapshot != NULL
      || (sql->here != NULL && ph_position_compare (sql->here->at, position) != 0))
    {
      forget (sql);
      sql->threaded = threaded;
      sql->source = model;
      sql->generation = generation;
      if (model != NULL && threaded)
        sql->snapshot = ph_snapshot_new (sql->document);
      else if (model != NULL)
        sql->here = ph_sql_view_new (model, position, FALSE);
    }
  /* Verdicts may have come meanwhile. */
  if (threaded)
    g_clear_pointer (&sql->history, ph_history_free);
  sql->history = model == NULL ? NULL
                 : threaded    ? ph_history_snapshot (ph_document_get_history (sql->document))
                               : ph_document_get_history (sql->document);
  g_clear_pointer (&sql->feeds, g_hash_table_unref);
  g_clear_pointer (&sql->values, g_hash_table_unref);
  g_clear_pointer (&sql->profile, ph_profile_unref);
  g_clear_pointer (&sql->problems, g_ptr_array_unref);
  g_clear_pointer (&sql->entries, g_array_unref);
  sql->feeds = ph_feeds_copy (ph_document_get_feeds (sql->document));
  if (ph_document_get_values (sql->document) != NULL)
    sql->values = g_hash_table_ref (ph_document_get_values (sql->document));
  if (ph_document_get_profile (sql->document) != NULL)
    sql->profile = ph_profile_ref (ph_document_get_profile (sql->document));
  sql->problems = g_ptr_array_ref (ph_document_get_problems (sql->document));
  sql->entries = g_array_copy (ph_document_get_entries (sql->document));
  g_mutex_unlock (&sql->lock);
}

/* ── a query ── */

static void
add_cell (JsonArray *row, sqlite3_stmt *statement, int column)
{
  switch (sqlite3_column_type (statement, column))
    {
    case SQLITE_INTEGER: json_array_add_int_element (row, sqlite3_column_int64 (statement, column)); break;
    case SQLITE_FLOAT: json_array_add_double_element (row, sqlite3_column_double (statement, column)); break;
    case SQLITE_NULL: json_array_add_null_element (row); break;
    default:
      {
        const char *text = (const char *) sqlite3_column_text (statement, column);
        g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

        json_array_add_string_element (row, valid);
      }
    }
}

/* Explains that an unknown column exists in other tables than those of the query. */
static gboolean
say_where (const char *message, const char *column, GError **error)
{
  g_autoptr (GString) tables = g_string_new (NULL);

  if (!g_str_has_prefix (message, "no such column: "))
    return FALSE;
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    for (guint i = 0; i < *groups[g].n; i++)
      {
        g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func (g_free);

        add_names (columns, &groups[g].tables[i], FALSE);
        if (g_ptr_array_find_with_equal_func (columns, column, g_str_equal, NULL))
          g_string_append_printf (tables, "%s%s", tables->len > 0 ? ", " : "", groups[g].tables[i].name);
      }
  if (tables->len == 0)
    return FALSE;
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "SQL: %s: '%s' is a column of %s", message, column, tables->str);
  return TRUE;
}

/* Sets an error with SQLite's message and a suggestion. */
static void
set_sql_error (PhSql *sql, const char *text, GError **error)
{
  g_autofree char *meant = NULL;
  const char *message = sqlite3_errmsg (sql->db), *typed;

  if (g_cancellable_is_cancelled (sql->cancellable))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "the query was cancelled");
      return;
    }
  if (strstr (message, "not authorized") != NULL || strstr (message, "prohibited") != NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "SQL: %s: a query can read the tables, and nothing else", message);
      return;
    }
  if (g_str_has_prefix (message, "no such table: ") || g_str_has_prefix (message, "no such column: "))
    {
      g_autoptr (GPtrArray) names = names_of (g_str_has_prefix (message, "no such table"));

      typed = strchr (message, ':') + 2;
      if (strrchr (typed, '.') != NULL)
        typed = strrchr (typed, '.') + 1;
      if (say_where (message, typed, error))
        return;
      meant = ph_meant (typed, (const char *const *) names->pdata, names->len);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "SQL: %s%s", message,
                   *meant != '\0' ? meant : ": `tables` lists tables and columns");
      return;
    }
  meant = ph_meant_sql (message, text, sqlite3_error_offset (sql->db));
  g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "SQL: %s%s", message, meant);
}

#define MAX_POINTED 200 /* bytes of a query under which a caret is found with the eye */

/* Returns the byte of @text at which SQLite stopped, or -1. For an unknown table SQLite reports only its name. */
static int
error_offset (PhSql *sql, const char *text)
{
  const char *message = sqlite3_errmsg (sql->db), *name = message + strlen ("no such table: ");
  const gsize length = g_str_has_prefix (message, "no such table: ") ? strlen (name) : 0;

  for (const char *p = text; length > 0 && (p = strstr (p, name)) != NULL; p += length)
    if ((p == text || (!g_ascii_isalnum (p[-1]) && p[-1] != '_')) && !g_ascii_isalnum (p[length]) && p[length] != '_')
      return (int) (p - text);
  return sqlite3_error_offset (sql->db);
}

/* Adds the query to the message, with a caret under where SQLite stopped. @typed was quoted to @text. */
static void
point_at (PhSql *sql, const char *typed, const char *text, GError **error)
{
  int offset = error_offset (sql, text);
  const char *p = typed;
  g_autofree char *message = NULL;
  glong column;

  if (offset < 0 || error == NULL || *error == NULL || strlen (typed) > MAX_POINTED || strchr (typed, '\n') != NULL
      || offset > (int) strlen (text))
    return;
  /* Quotes that were put around names are in @text alone. */
  for (const char *q = text; q < text + offset; q++)
    if (*q == *p)
      p++;
  column = g_utf8_pointer_to_offset (typed, p);
  message = g_strdup_printf ("%s\n  %s\n  %*s^", (*error)->message, typed, (int) column, "");
  g_free ((*error)->message);
  (*error)->message = g_steal_pointer (&message);
}

static void
say_rows (PhReply *reply, JsonArray *names, JsonArray *rows)
{
  guint n = json_array_get_length (names), shown = MIN (json_array_get_length (rows), MAX_ROWS_SHOWN);
  g_autoptr (JsonArray) objects = json_array_new ();
  g_autofree PhColumn *columns = g_new0 (PhColumn, n);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);

  for (guint c = 0; c < n; c++)
    {
      g_ptr_array_add (keys, g_strdup_printf ("%u", c));
      columns[c] = (PhColumn) { keys->pdata[c], json_array_get_string_element (names, c), .right = shown > 0 };
    }
  for (guint r = 0; r < shown; r++)
    {
      JsonArray *row = json_array_get_array_element (rows, r);
      JsonObject *object = ph_json_add_object (objects);

      for (guint c = 0; c < n; c++)
        {
          JsonNode *cell = json_array_get_element (row, c);

          if (JSON_NODE_HOLDS_VALUE (cell) && json_node_get_value_type (cell) == G_TYPE_STRING)
            columns[c].right = FALSE;
          json_object_set_member (object, keys->pdata[c], json_node_copy (cell));
        }
    }
  ph_reply_table (reply, objects, columns, n);
  ph_reply_say (reply, PH_STYLE_DIM "%u row%s%s" PH_STYLE_RESET "\n", json_array_get_length (rows),
                json_array_get_length (rows) == 1 ? "" : "s", shown < json_array_get_length (rows) ? ", not all shown" : "");
}

/* "values" is a word of SQL's own; here it is a table, unless a row in parentheses follows. */
static char *
quote_values (const char *text)
{
  GString *out = g_string_new (NULL);
  char quote = '\0';

  for (const char *p = text; *p != '\0'; p++)
    {
      gboolean starts = quote == '\0' && (p == text || !(g_ascii_isalnum (p[-1]) || p[-1] == '_' || p[-1] == '"'));
      gsize blanks = starts && g_ascii_strncasecmp (p, "values", 6) == 0 ? strspn (p + 6, " \t") : 0;

      if (quote != '\0')
        quote = *p == quote ? '\0' : quote;
      else if (*p == '\'' || *p == '"')
        quote = *p;
      if (starts && g_ascii_strncasecmp (p, "values", 6) == 0 && !g_ascii_isalnum (p[6]) && p[6] != '_' && p[6 + blanks] != '(')
        {
          g_string_append (out, "\"values\"");
          p += 5;
        }
      else
        g_string_append_c (out, *p);
    }
  return g_string_free (out, FALSE);
}

static gboolean
run_query (PhSql *sql, const char *typed, PhReply *reply, GError **error)
{
  g_autofree char *text = quote_values (typed);
  sqlite3_stmt *statement = NULL;
  const char *tail = NULL;
  JsonArray *names, *rows;
  int rc;

  if (sqlite3_prepare_v2 (sql->db, text, -1, &statement, &tail) != SQLITE_OK)
    {
      set_sql_error (sql, text, error);
      point_at (sql, typed, text, error);
      return FALSE;
    }
  while (tail != NULL && (g_ascii_isspace (*tail) || *tail == ';'))
    tail++;
  if (statement == NULL || (tail != NULL && *tail != '\0'))
    {
      sqlite3_finalize (statement);
      g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "SQL: one query a line");
      return FALSE;
    }

  names = ph_reply_array (reply, "columns");
  rows = ph_reply_array (reply, "rows");
  for (int c = 0; c < sqlite3_column_count (statement); c++)
    json_array_add_string_element (names, sqlite3_column_name (statement, c));
  while ((rc = sqlite3_step (statement)) == SQLITE_ROW)
    {
      JsonArray *row;

      if (json_array_get_length (rows) == MAX_ROWS)
        {
          json_object_set_boolean_member (reply->json, "truncated", TRUE);
          break;
        }
      row = json_array_new ();
      for (int c = 0; c < sqlite3_column_count (statement); c++)
        add_cell (row, statement, c);
      json_array_add_array_element (rows, row);
    }
  if (rc != SQLITE_ROW && rc != SQLITE_DONE)
    set_sql_error (sql, text, error);
  sqlite3_finalize (statement);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE)
    {
      json_object_remove_member (reply->json, "columns");
      json_object_remove_member (reply->json, "rows");
      return FALSE;
    }
  say_rows (reply, names, rows);
  return TRUE;
}

/* Returns TRUE if @text is a syntactically valid query; unknown columns do not matter. */
static gboolean
parses (const char *text, gpointer data)
{
  PhSql *sql = data;
  g_autofree char *quoted = quote_values (text);
  sqlite3_stmt *statement = NULL;
  const char *tail = NULL;
  const gboolean ok = sqlite3_prepare_v2 (sql->db, quoted, -1, &statement, &tail) == SQLITE_OK
                      || (strstr (sqlite3_errmsg (sql->db), "syntax error") == NULL
                          && strstr (sqlite3_errmsg (sql->db), "incomplete input") == NULL);

  sqlite3_finalize (statement);
  while (ok && tail != NULL && (g_ascii_isspace (*tail) || *tail == ';'))
    tail++;
  return ok && (tail == NULL || *tail == '\0' || statement == NULL);
}

gboolean
ph_sql_begin (PhCall *call, GError **error)
{
  PhSql *sql = ph_console_get_sql (call->console);

  if (sql->db == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "SQLite could not be started");
      return FALSE;
    }
  take_snapshot (sql, call->threaded);
  g_mutex_lock (&sql->lock);
  ph_call_split_sql (call, parses, sql);
  g_mutex_unlock (&sql->lock);
  ph_call_set_data (call, sql, NULL);
  return TRUE;
}

gboolean
ph_sql_work (PhCall *call, GError **error)
{
  PhSql *sql = call->data;
  gboolean ok;

  g_mutex_lock (&sql->lock);
  sql->call = call;
  sql->cancellable = call->cancellable;
  if (sql->snapshot != NULL)
    {
      const PhPosition at = ph_snapshot_get_history (sql->snapshot)->position;

      sql->here = ph_sql_view_new (ph_snapshot_take (sql->snapshot, at), at, TRUE);
      g_clear_pointer (&sql->snapshot, ph_snapshot_free);
    }
  ok = run_query (sql, call->rest, call->reply, error);
  sql->call = NULL;
  sql->cancellable = NULL;
  g_mutex_unlock (&sql->lock);
  return ok;
}

static void
table_to_json (const PhSqlTable *table, JsonArray *rows)
{
  JsonObject *row = ph_json_add_object (rows);
  JsonArray *columns = json_array_new ();
  g_auto (GStrv) parts = g_strsplit (table->columns, ",", -1);

  json_object_set_string_member (row, "name", table->name);
  json_object_set_string_member (row, "doc", table->doc);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      const char *column = g_strstrip (parts[i]);
      g_autofree char *name = g_strndup (column, strcspn (column, " "));

      json_array_add_string_element (columns, name);
    }
  json_object_set_array_member (row, "columns", columns);
}

gboolean
ph_sql_tables_command (PhCall *call, GError **error)
{
  JsonArray *rows = ph_reply_array (call->reply, "tables");

  if (!ph_call_need_args (call, 0, 0, error))
    return FALSE;
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    for (guint i = 0; i < *groups[g].n; i++)
      table_to_json (&groups[g].tables[i], rows);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      g_autofree char *columns = ph_json_cell (json_object_get_member (row, "columns"));

      ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET ": %s\n    %s\n", json_object_get_string_member (row, "name"),
                    json_object_get_string_member (row, "doc"), columns);
    }
  ph_sql_reply_functions (call->reply);
  return TRUE;
}
