/* sql-table.c: a table of ours as SQLite wants to see it, with its keys as indexes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql-private.h"

typedef struct { sqlite3_vtab base; PhSql *sql; const PhSqlTable *table; } Vtab;
typedef struct { sqlite3_vtab_cursor base; int key; gint64 slot, end; } Cursor;
typedef struct { PhSql *sql; const PhSqlTable *table; } Module;

static int
vtab_connect (sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
  const Module    *module = aux;
  g_autofree char *schema = g_strdup_printf ("CREATE TABLE x(%s)", module->table->columns);
  Vtab            *vtab;
  int              rc;

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

/* idxNum: 1 + key, or 0 for a scan. A position, where the table has one, is the last argument. */
static int
vtab_best_index (sqlite3_vtab *base, sqlite3_index_info *info)
{
  const PhSqlTable *table = ((Vtab *) base)->table;
  int               best = -1, best_constraint = -1, at_constraint = -1, next = 1;

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
    }
  if (best >= 0)
    info->aConstraintUsage[best_constraint].argvIndex = next++;
  if (at_constraint >= 0)
    {
      info->aConstraintUsage[at_constraint].argvIndex = next++;
      info->aConstraintUsage[at_constraint].omit = 1;
    }
  info->idxNum = (best + 1) | (at_constraint >= 0 ? 16 : 0);
  info->estimatedCost = best >= 0 ? 4 : 100000;
  info->estimatedRows = best >= 0 ? 4 : 100000;
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

static int
vtab_close (sqlite3_vtab_cursor *base)
{
  sqlite3_free (base);
  return SQLITE_OK;
}

static void
skip_empty (Cursor *cursor)
{
  const Vtab *vtab = (const Vtab *) cursor->base.pVtab;

  while (cursor->slot < cursor->end && vtab->table->has != NULL && !vtab->table->has (vtab->sql, cursor->slot))
    cursor->slot++;
}

/* A clone that walks to the position which nodes_at() asks for. */
static int
go_to_position (Vtab *vtab, sqlite3_value *value)
{
  PhSql             *sql = vtab->sql;
  const char        *text = (const char *) sqlite3_value_text (value);
  g_autoptr(GError)  error = NULL;
  PhPosition         at;

  if (sql->history == NULL || text == NULL || !ph_position_parse (sql->history, text, &at, &error))
    {
      vtab->base.zErrMsg = sqlite3_mprintf ("%s", error != NULL ? error->message : "there is no such position");
      return SQLITE_ERROR;
    }
  if (sql->other != NULL && ph_position_compare (sql->other_at, at) == 0)
    return SQLITE_OK;

  g_clear_pointer (&sql->other, ph_model_free);
  sql->other = ph_model_clone (sql->model);
  sql->other_at = at;

  guint from = ph_history_edit_index (sql->history, sql->position), to = ph_history_edit_index (sql->history, at);
  while (from < to)
    ph_edit_apply (sql->other, sql->history->edits->pdata[from++]);
  while (from > to)
    ph_edit_revert (sql->other, sql->history->edits->pdata[--from]);
  return SQLITE_OK;
}

static int
vtab_filter (sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
  Cursor           *cursor = (Cursor *) base;
  Vtab             *vtab = (Vtab *) base->pVtab;
  const PhSqlTable *table = vtab->table;

  if (number & 16)
    {
      int rc = go_to_position (vtab, argv[argc - 1]);

      if (rc != SQLITE_OK)
        return rc;
    }
  else if (table->at > 0)
    {
      vtab->base.zErrMsg = sqlite3_mprintf ("%s wants a position: %s('3.2')", table->name, table->name);
      return SQLITE_ERROR;
    }
  number &= 15;
  cursor->key = number;
  cursor->slot = 0;
  cursor->end = 0;
  if (number > 0 && sqlite3_value_numeric_type (argv[0]) == SQLITE_INTEGER)
    table->range (vtab->sql, number - 1, sqlite3_value_int64 (argv[0]), &cursor->slot, &cursor->end);
  else if (number > 0 && sqlite3_value_numeric_type (argv[0]) == SQLITE_NULL)
    cursor->end = 0;
  else
    cursor->end = table->count (vtab->sql);
  skip_empty (cursor);
  return SQLITE_OK;
}

static int
vtab_next (sqlite3_vtab_cursor *base)
{
  Cursor *cursor = (Cursor *) base;

  cursor->slot++;
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
  const Vtab   *vtab = (const Vtab *) base->pVtab;

  vtab->table->column (vtab->sql, MAX (cursor->key - 1, 0), cursor->slot, column, out);
  return SQLITE_OK;
}

static int
vtab_rowid (sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
  *rowid = ((const Cursor *) base)->slot;
  return SQLITE_OK;
}

static const sqlite3_module module_functions = {
  .xConnect = vtab_connect, .xBestIndex = vtab_best_index, .xDisconnect = vtab_disconnect, .xOpen = vtab_open,
  .xClose = vtab_close, .xFilter = vtab_filter, .xNext = vtab_next, .xEof = vtab_eof, .xColumn = vtab_column,
  .xRowid = vtab_rowid,
};

void
ph_sql_add_table (PhSql *sql, const PhSqlTable *table)
{
  Module *module = g_new (Module, 1);

  *module = (Module) { sql, table };
  sqlite3_create_module_v2 (sql->db, table->name, &module_functions, module, g_free);
}
