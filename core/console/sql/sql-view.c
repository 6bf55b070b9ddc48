/* sql-view.c: the graph at the positions that queries refer to.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"

#include <string.h>

/* Clones of the graph kept for other positions; the least recently used one is moved to a new position. */
#define MAX_OTHERS 3

static void
index_free (gpointer data)
{
  PhSqlIndex *index = data;

  g_array_unref (index->groups);
  g_hash_table_unref (index->by_text);
  g_free (index->next);
  g_free (index->order);
  g_free (index);
}

PhSqlView *
ph_sql_view_new (PhModel *model, PhPosition at, gboolean owned)
{
  PhSqlView *view = g_new0 (PhSqlView, 1);

  view->model = model;
  view->at = at;
  view->owned = owned;
  view->indexes = g_ptr_array_new_with_free_func (index_free);
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
  g_ptr_array_set_size (view->indexes, 0);
}

void
ph_sql_view_free (PhSqlView *view)
{
  forget_made (view);
  g_ptr_array_unref (view->indexes);
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
compare_groups (gconstpointer a, gconstpointer b, gpointer data)
{
  const PhSqlGroup *groups = data;

  return strcmp (groups[*(const guint *) a].text, groups[*(const guint *) b].text);
}

void
ph_sql_index_sort (PhSqlIndex *index)
{
  const guint n = index->groups->len;

  if (index->order != NULL)
    return;
  index->order = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    index->order[i] = i;
  g_qsort_with_data (index->order, (int) n, sizeof *index->order, compare_groups, index->groups->data);
}

static guint
group_of (PhSqlIndex *index, const char *text)
{
  gpointer group;

  if (!g_hash_table_lookup_extended (index->by_text, text, NULL, &group))
    {
      group = GUINT_TO_POINTER (index->groups->len);
      g_hash_table_insert (index->by_text, (gpointer) text, group);
      g_array_append_val (index->groups, ((PhSqlGroup) { text, G_MAXUINT }));
    }
  return GPOINTER_TO_UINT (group);
}

PhSqlIndex *
ph_sql_view_index (PhSql *sql, PhSqlView *view, const PhSqlTable *table, int column)
{
  /* In a column of few kinds each text has mostly one address, which is looked up faster. */
  g_autoptr (GHashTable) by_address = table->kinds && column == table->texts[0] ? g_hash_table_new (NULL, NULL) : NULL;
  PhSqlIndex *index;
  gint64 n;

  for (guint i = 0; i < view->indexes->len; i++)
    {
      index = view->indexes->pdata[i];
      if (index->table == table && index->column == column)
        return index;
    }
  sql->view = view;
  n = table->count (sql);
  index = g_new0 (PhSqlIndex, 1);
  index->table = table;
  index->column = column;
  index->groups = g_array_new (FALSE, FALSE, sizeof (PhSqlGroup));
  index->by_text = g_hash_table_new (g_str_hash, g_str_equal);
  index->next = g_new (guint, n + 1);
  /* Runs backwards, which keeps the rows in order. */
  for (gint64 slot = n; slot-- > 0;)
    {
      const gboolean has = table->has == NULL || table->has (sql, slot);
      const char *text = has ? table->text (sql, slot, column) : NULL;
      PhSqlGroup *group;
      gpointer known = NULL;

      index->next[slot] = G_MAXUINT;
      index->partial = index->partial || (has && text == NULL);
      if (text == NULL)
        continue;
      if (by_address != NULL)
        known = g_hash_table_lookup (by_address, text);
      if (known == NULL)
        {
          known = GUINT_TO_POINTER (group_of (index, text) + 1);
          if (by_address != NULL)
            g_hash_table_insert (by_address, (gpointer) text, known);
        }
      group = &g_array_index (index->groups, PhSqlGroup, GPOINTER_TO_UINT (known) - 1);
      index->next[slot] = group->first;
      group->first = (guint) slot;
    }
  g_ptr_array_add (view->indexes, index);
  return index;
}
