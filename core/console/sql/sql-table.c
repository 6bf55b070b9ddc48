/* sql-table.c: virtual tables for SQLite, with their keys as indexes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql/sql-table.h"
#include "core/console/sql/sql-private.h"

typedef struct
{
  sqlite3_vtab base;
  PhSql *sql;
  const PhSqlTable *table;
} Vtab;
typedef struct
{
  sqlite3_vtab_cursor base;
  int key; /* 1 + the key, or 0 */
  gint64 slot, end;
  const PhSqlIndex *index; /* (nullable) whose slots these are, instead of all in a row            */
  guint group;             /* of @index: where @slot is                                            */
  guint turn;              /* in the order of its groups, which are all read; G_MAXUINT: this one is */
  gboolean down, once;     /* from the last to the first; one row of each                          */
  PhSqlView *view;         /* (nullable) nothing is open                                           */
} Cursor;
typedef struct
{
  PhSql *sql;
  const PhSqlTable *table;
} Module;

static int
vtab_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
  const Module *module = aux;
  g_autofree char *schema = g_strdup_printf ("CREATE TABLE x(%s)", module->table->columns);
  Vtab *vtab;
  int rc;

  module->sql->connecting = TRUE;
  rc = sqlite3_declare_vtab (db, schema);
  module->sql->connecting = FALSE;
  if (rc != SQLITE_OK)
    {
      *error = sqlite3_mprintf ("%s", sqlite3_errmsg (db));
      return rc;
    }
  vtab = sqlite3_malloc (sizeof *vtab);
  if (vtab == NULL)
    return SQLITE_NOMEM;
  *vtab = (Vtab) { .sql = module->sql, .table = module->table };
  *out = &vtab->base;
  return SQLITE_OK;
}

static int
vtab_disconnect (sqlite3_vtab *vtab)
{
  sqlite3_free (vtab);
  return SQLITE_OK;
}

/* idxNum: 1 + key; 0 for a scan; FIRST_TEXT + text column for an index, with IN_ORDER for all rows in the order of that column, DOWNWARDS
 * for descending, ONCE for one row per text. The position, if the table has one, is the last argument. */
#define FIRST_TEXT   8
#define HAS_POSITION 16
#define IN_ORDER     32
#define DOWNWARDS    64
#define ONCE         128

/* Returns the text column by which rows are to be sorted or grouped, if an index spares SQLite the sorting; -1 if there is none. */
static int
ordered_by (const Vtab *vtab, const sqlite3_index_info *info)
{
  const PhSqlTable *table = vtab->table;

  if (info->nOrderBy != 1 || (table->at > 0 && !table->here) || table->text == NULL || vtab->sql->here == NULL)
    return -1;
  for (int k = 0; k < PH_SQL_KEYS && table->texts[k] > 0; k++)
    if (table->texts[k] == info->aOrderBy[0].iColumn)
      return ph_sql_view_index (vtab->sql, vtab->sql->here, table, table->texts[k])->partial ? -1 : k;
  return -1;
}

static int
vtab_best_index (sqlite3_vtab *base, sqlite3_index_info *info)
{
  const Vtab *vtab = (const Vtab *) base;
  const PhSqlTable *table = vtab->table;
  int best = -1, best_constraint = -1, at_constraint = -1, text = -1, text_constraint = -1, next = 1;
  gint64 rows;

  for (int i = 0; i < info->nConstraint; i++)
    {
      if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
        continue;
      if (table->at > 0 && info->aConstraint[i].iColumn == table->at)
        {
          if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
          at_constraint = i;
        }
      if (!info->aConstraint[i].usable)
        continue;
      for (int k = 0; k < PH_SQL_KEYS && table->keys[k] >= 0; k++)
        if (info->aConstraint[i].iColumn == table->keys[k] && (best < 0 || k < best))
          {
            best = k;
            best_constraint = i;
          }
      for (int k = 0; table->text != NULL && k < PH_SQL_KEYS && table->texts[k] > 0 && best < 0; k++)
        if (info->aConstraint[i].iColumn == table->texts[k] && g_str_equal (sqlite3_vtab_collation (info, i), "BINARY"))
          {
            text = k;
            text_constraint = i;
          }
    }
  if (best < 0 && text >= 0)
    {
      best = FIRST_TEXT - 1 + text;
      best_constraint = text_constraint;
    }
  if (best >= 0)
    info->aConstraintUsage[best_constraint].argvIndex = next++;
  if (at_constraint >= 0)
    {
      info->aConstraintUsage[at_constraint].argvIndex = next++;
      info->aConstraintUsage[at_constraint].omit = 1;
    }
  info->idxNum = (best + 1) | (at_constraint >= 0 ? HAS_POSITION : 0);
  text = best < 0 && at_constraint < 0 ? ordered_by (vtab, info) : -1;
  if (text >= 0)
    {
      /* For `distinct`, rows with the same text can be skipped if no other column is read. */
      info->idxNum = (FIRST_TEXT + text) | IN_ORDER | (info->aOrderBy[0].desc ? DOWNWARDS : 0)
                     | (sqlite3_vtab_distinct (info) >= 2 && info->colUsed == 1ull << info->aOrderBy[0].iColumn ? ONCE : 0);
      info->orderByConsumed = 1;
    }
  vtab->sql->view = vtab->sql->here;
  rows = MAX (table->count (vtab->sql), 8);
  /* Many nodes have the same operator. The estimate makes a join read a list of ids first, rather than scan it for each of these nodes. */
  info->estimatedRows = best < 0                                 ? rows
                        : best + 1 < FIRST_TEXT                  ? 4
                        : best + 1 == FIRST_TEXT && table->kinds ? MAX (rows / 8, 8)
                                                                 : 8;
  info->estimatedCost = (double) info->estimatedRows;
  return SQLITE_OK;
}

static int
vtab_open (sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
  Cursor *cursor = sqlite3_malloc (sizeof *cursor);

  if (cursor == NULL)
    return SQLITE_NOMEM;
  *cursor = (Cursor) { .key = 0 };
  *out = &cursor->base;
  return SQLITE_OK;
}

static void
set_view (Cursor *cursor, PhSqlView *view)
{
  if (cursor->view != NULL)
    cursor->view->cursors--;
  if (view != NULL)
    view->cursors++;
  cursor->view = view;
}

static int
vtab_close (sqlite3_vtab_cursor *base)
{
  set_view ((Cursor *) base, NULL);
  sqlite3_free (base);
  return SQLITE_OK;
}

/* Moves to the first row of group @group, or to the end. */
static void
enter_group (Cursor *cursor, guint group)
{
  const gboolean none = group >= cursor->index->groups->len;

  cursor->group = group;
  cursor->slot = none ? 0 : g_array_index (cursor->index->groups, PhSqlGroup, group).first;
  cursor->end = none ? 0 : G_MAXUINT;
}

static void
enter_turn (Cursor *cursor, guint turn)
{
  const guint n = cursor->index->groups->len;

  cursor->turn = turn;
  enter_group (cursor, turn < n ? cursor->index->order[cursor->down ? n - 1 - turn : turn] : n);
}

static void
step_on (Cursor *cursor)
{
  if (cursor->index == NULL)
    {
      cursor->slot++;
      return;
    }
  cursor->slot = cursor->once ? G_MAXUINT : cursor->index->next[cursor->slot];
  if (cursor->slot == G_MAXUINT && cursor->turn != G_MAXUINT)
    enter_turn (cursor, cursor->turn + 1);
  else if (cursor->slot == G_MAXUINT)
    cursor->end = 0;
}

/* An index has no empty slots. */
static void
skip_empty (Cursor *cursor)
{
  const Vtab *vtab = (const Vtab *) cursor->base.pVtab;

  vtab->sql->view = cursor->view;
  while (cursor->index == NULL && cursor->slot < cursor->end && vtab->table->has != NULL
         && !vtab->table->has (vtab->sql, cursor->slot))
    step_on (cursor);
}

/* Finds the rows with @value in the index of a column. */
static void
look_up (Cursor *cursor, int column, sqlite3_value *value)
{
  const Vtab *vtab = (const Vtab *) cursor->base.pVtab;
  const char *text = (const char *) sqlite3_value_text (value);
  gpointer group;

  if (text == NULL || cursor->view == NULL)
    return;
  cursor->index = ph_sql_view_index (vtab->sql, cursor->view, vtab->table, column);
  cursor->turn = G_MAXUINT;
  if (g_hash_table_lookup_extended (cursor->index->by_text, text, NULL, &group))
    enter_group (cursor, GPOINTER_TO_UINT (group));
}

/* Returns all rows in the order of a column. */
static void
read_in_order (Cursor *cursor, int column)
{
  const Vtab *vtab = (const Vtab *) cursor->base.pVtab;
  PhSqlIndex *index;

  if (cursor->view == NULL)
    return;
  index = ph_sql_view_index (vtab->sql, cursor->view, vtab->table, column);
  ph_sql_index_sort (index);
  cursor->index = index;
  enter_turn (cursor, 0);
}

static int
vtab_filter (sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
  Cursor *cursor = (Cursor *) base;
  Vtab *vtab = (Vtab *) base->pVtab;
  const PhSqlTable *table = vtab->table;
  PhSqlView *view = vtab->sql->here;
  g_autoptr (GError) error = NULL;

  if (table->at > 0)
    {
      const char *position = number & HAS_POSITION ? (const char *) sqlite3_value_text (argv[argc - 1]) : NULL;

      view = NULL;
      if (position == NULL && table->here && !(number & HAS_POSITION))
        view = vtab->sql->here;
      else if (position == NULL)
        g_set_error (&error, PH_ERROR, PH_ERROR_USAGE, "%s wants a position: %s('3.2')", table->name, table->name);
      else
        view = ph_sql_find_view (vtab->sql, position, &error);
      if (view == NULL && error != NULL)
        {
          sqlite3_free (vtab->base.zErrMsg);
          vtab->base.zErrMsg = sqlite3_mprintf ("%s", error->message);
          return SQLITE_ERROR;
        }
    }
  set_view (cursor, view);
  vtab->sql->view = view;
  if (view == NULL && table->at > 0)
    number = 0;
  number &= ~HAS_POSITION;
  cursor->key = 0;
  cursor->slot = 0;
  cursor->end = 0;
  cursor->index = NULL;
  cursor->down = (number & DOWNWARDS) != 0;
  cursor->once = (number & ONCE) != 0;
  if (number & IN_ORDER)
    read_in_order (cursor, table->texts[(number & (IN_ORDER - 1)) - FIRST_TEXT]);
  else if (number >= FIRST_TEXT)
    look_up (cursor, table->texts[number - FIRST_TEXT], argv[0]);
  else if (number == 0
           || (sqlite3_value_numeric_type (argv[0]) != SQLITE_INTEGER && sqlite3_value_numeric_type (argv[0]) != SQLITE_NULL))
    cursor->end = table->count (vtab->sql);
  else if (sqlite3_value_numeric_type (argv[0]) == SQLITE_INTEGER)
    {
      cursor->key = number;
      table->range (vtab->sql, number - 1, sqlite3_value_int64 (argv[0]), &cursor->slot, &cursor->end);
    }
  skip_empty (cursor);
  return SQLITE_OK;
}

static int
vtab_next (sqlite3_vtab_cursor *base)
{
  Cursor *cursor = (Cursor *) base;

  step_on (cursor);
  skip_empty (cursor);
  return SQLITE_OK;
}

static int
vtab_eof (sqlite3_vtab_cursor *base)
{
  const Cursor *cursor = (const Cursor *) base;

  return cursor->slot >= cursor->end;
}

static int
vtab_column (sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
  const Cursor *cursor = (const Cursor *) base;
  const Vtab *vtab = (const Vtab *) base->pVtab;

  vtab->sql->view = cursor->view;
  if (vtab->table->at > 0 && column == vtab->table->at)
    ph_sql_result_take (out, ph_position_to_string (cursor->view->at));
  else if (cursor->index != NULL && column == cursor->index->column)
    ph_sql_result_text (out, g_array_index (cursor->index->groups, PhSqlGroup, cursor->group).text);
  else
    vtab->table->column (vtab->sql, MAX (cursor->key - 1, 0), cursor->slot, column, out);
  return SQLITE_OK;
}

static int
vtab_rowid (sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
  *rowid = ((const Cursor *) base)->slot;
  return SQLITE_OK;
}

/* clang-format off */
static const sqlite3_module module_functions = {
  .xConnect = vtab_connect, .xBestIndex = vtab_best_index, .xDisconnect = vtab_disconnect, .xOpen = vtab_open,
  .xClose = vtab_close, .xFilter = vtab_filter, .xNext = vtab_next, .xEof = vtab_eof, .xColumn = vtab_column,
  .xRowid = vtab_rowid,
};
/* clang-format on */

void
ph_sql_add_table (PhSql *sql, const PhSqlTable *table)
{
  Module *module = g_new (Module, 1);

  *module = (Module) { sql, table };
  sqlite3_create_module_v2 (sql->db, table->name, &module_functions, module, g_free);
}
