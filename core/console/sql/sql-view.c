/* sql-view.c: the graph at the positions that a query asks for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"

#include <stdlib.h>
#include <string.h>

/* A view of another position is a clone of the graph: these are kept, and then the one used longest ago walks on. */
#define MAX_OTHERS 3

static void
index_clear (gpointer data)
{
  PhSqlIndex *index = data;

  g_hash_table_unref (index->first);
  g_free (index->next);
  g_clear_pointer (&index->groups, g_array_unref);
}

PhSqlView *
ph_sql_view_new (PhModel *model, PhPosition at, gboolean owned)
{
  PhSqlView *view = g_new0 (PhSqlView, 1);

  view->model = model;
  view->at = at;
  view->owned = owned;
  view->indexes = g_array_new (FALSE, FALSE, sizeof (PhSqlIndex));
  g_array_set_clear_func (view->indexes, index_clear);
  return view;
}

static void
forget_made (PhSqlView *view)
{
  g_clear_pointer (&view->edges_by_dst, g_array_unref);
  g_clear_pointer (&view->edges_by_src, g_array_unref);
  g_clear_pointer (&view->attrs, g_array_unref);
  g_clear_pointer (&view->depth, g_free);
  g_clear_pointer (&view->critical, g_hash_table_unref);
  g_array_set_size (view->indexes, 0);
}

void
ph_sql_view_free (PhSqlView *view)
{
  forget_made (view);
  g_array_unref (view->indexes);
  if (view->owned)
    ph_model_free (view->model);
  g_free (view);
}

static void
walk (PhSql *sql, PhSqlView *view, PhPosition to)
{
  guint at = ph_history_edit_index (sql->history, view->at), end = ph_history_edit_index (sql->history, to);

  forget_made (view);
  while (at < end)
    ph_edit_apply (view->model, sql->history->edits->pdata[at++]);
  while (at > end)
    ph_edit_revert (view->model, sql->history->edits->pdata[--at]);
  view->at = to;
}

static guint
index_of (GPtrArray *array, gpointer item)
{
  guint index = 0;

  g_ptr_array_find (array, item, &index);
  return index;
}

PhSqlView *
ph_sql_find_view (PhSql *sql, const char *position, GError **error)
{
  PhSqlView *view = NULL;
  PhPosition at;

  if (sql->history == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "nothing is open: `open FILE` first");
      return NULL;
    }
  if (g_str_equal (position, "end"))
    at = (PhPosition) { sql->history->steps->len, 0 };
  else if (g_str_equal (position, "."))
    at = sql->here->at;
  else if (!ph_position_parse (sql->history, position, &at, error))
    return NULL;
  if (ph_position_compare (sql->here->at, at) == 0)
    return sql->here;

  for (guint i = 0; i < sql->others->len && view == NULL; i++)
    if (ph_position_compare (((PhSqlView *) sql->others->pdata[i])->at, at) == 0)
      view = sql->others->pdata[i];
  for (guint i = 0; i < sql->others->len && view == NULL && sql->others->len >= MAX_OTHERS; i++)
    if (((PhSqlView *) sql->others->pdata[i])->cursors == 0)
      {
        view = sql->others->pdata[i];
        walk (sql, view, at);
      }
  if (view == NULL)
    {
      view = ph_sql_view_new (ph_model_clone (sql->here->model), sql->here->at, TRUE);
      walk (sql, view, at);
    }
  else
    g_ptr_array_steal_index (sql->others, index_of (sql->others, view));
  g_ptr_array_add (sql->others, view);
  return view;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const GArray *
ph_sql_index_groups (PhSqlIndex *index)
{
  g_autofree gpointer *texts = NULL;
  guint n;

  if (index->groups != NULL)
    return index->groups;
  texts = g_hash_table_get_keys_as_array (index->first, &n);
  qsort (texts, n, sizeof *texts, compare_texts);
  index->groups = g_array_sized_new (FALSE, FALSE, sizeof (guint), n);
  for (guint i = 0; i < n; i++)
    {
      const guint slot = GPOINTER_TO_UINT (g_hash_table_lookup (index->first, texts[i]));

      g_array_append_val (index->groups, slot);
    }
  return index->groups;
}

PhSqlIndex *
ph_sql_view_index (PhSql *sql, PhSqlView *view, const PhSqlTable *table, int column)
{
  PhSqlIndex index = { table, column };
  gint64 n;

  for (guint i = 0; i < view->indexes->len; i++)
    if (g_array_index (view->indexes, PhSqlIndex, i).table == table
        && g_array_index (view->indexes, PhSqlIndex, i).column == column)
      return &g_array_index (view->indexes, PhSqlIndex, i);

  sql->view = view;
  n = table->count (sql);
  index.first = g_hash_table_new (g_str_hash, g_str_equal);
  index.next = g_new (guint, n + 1);
  /* From behind, so that rows come in order. */
  for (gint64 slot = n; slot-- > 0;)
    {
      const gboolean has = table->has == NULL || table->has (sql, slot);
      const char *text = has ? table->text (sql, slot, column) : NULL;
      gpointer after;

      index.next[slot] = G_MAXUINT;
      index.partial = index.partial || (has && text == NULL);
      if (text == NULL)
        continue;
      if (g_hash_table_lookup_extended (index.first, text, NULL, &after))
        index.next[slot] = GPOINTER_TO_UINT (after);
      g_hash_table_replace (index.first, (gpointer) text, GUINT_TO_POINTER (slot));
    }
  g_array_append_val (view->indexes, index);
  return &g_array_index (view->indexes, PhSqlIndex, view->indexes->len - 1);
}
