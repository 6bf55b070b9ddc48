/* sql-changes.c: the table changes: the changes that each step made to each node, with steps counted from 1.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/diff.h"
#include "core/console/sql/sql-private.h"
#include "core/console/sql/sql-table.h"

/* A row: an added or removed node, or one changed field of a node. */
typedef struct
{
  guint step; /* counted from 1 */
  const PhNodeChange *node;
  const PhFieldChange *field; /* (nullable) */
} Row;

struct _PhSqlChanges
{
  GPtrArray *diffs; /* (element-type PhDiff) per step */
  GArray *rows;     /* (element-type Row) by step */
  GArray *first;    /* (element-type guint) per step, and the end */
  guint n_edits;    /* of the history that was read */
};

void
ph_sql_changes_free (PhSqlChanges *changes)
{
  g_ptr_array_unref (changes->diffs);
  g_array_unref (changes->rows);
  g_array_unref (changes->first);
  g_free (changes);
}

static void
add_rows (PhSqlChanges *changes, guint step, const PhDiff *diff)
{
  for (guint i = 0; i < diff->nodes->len; i++)
    {
      Row row = { step, diff->nodes->pdata[i], NULL };

      if (row.node->change != PH_CHANGE_CHANGED || row.node->fields == NULL)
        g_array_append_val (changes->rows, row);
      for (guint k = 0; row.node->change == PH_CHANGE_CHANGED && row.node->fields != NULL && k < row.node->fields->len; k++)
        {
          row.field = &g_array_index (row.node->fields, PhFieldChange, k);
          g_array_append_val (changes->rows, row);
        }
    }
}

/* Read at the first query, and again when the history has grown. */
static PhSqlChanges *
changes_of (PhSql *sql)
{
  PhHistory *history = sql->history;
  PhSqlChanges *changes;

  if (history == NULL || sql->here == NULL)
    return NULL;
  if (sql->changes != NULL && sql->changes->n_edits == history->edits->len && sql->changes->diffs->len == history->steps->len)
    return sql->changes;
  g_clear_pointer (&sql->changes, ph_sql_changes_free);
  sql->changes = changes = g_new0 (PhSqlChanges, 1);
  changes->diffs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_diff_free);
  changes->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  changes->first = g_array_new (FALSE, FALSE, sizeof (guint));
  changes->n_edits = history->edits->len;
  for (guint step = 1; step <= history->steps->len; step++)
    {
      PhDiff *diff = ph_diff_new (history, sql->here->model, (PhPosition) { step - 1, 0 }, (PhPosition) { step, 0 });

      g_array_append_val (changes->first, changes->rows->len);
      add_rows (changes, step, diff);
      g_ptr_array_add (changes->diffs, diff);
    }
  g_array_append_val (changes->first, changes->rows->len);
  return changes;
}

static gint64
count_changes (PhSql *sql)
{
  const PhSqlChanges *changes = changes_of (sql);

  return changes != NULL ? changes->rows->len : 0;
}

static void
range_of_step_changes (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  const PhSqlChanges *changes = changes_of (sql);

  *first = *end = 0;
  if (changes != NULL && value >= 1 && value < (gint64) changes->first->len)
    {
      *first = g_array_index (changes->first, guint, value - 1);
      *end = g_array_index (changes->first, guint, value);
    }
}

static void
column_of_change (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  static const char *const kinds[]
      = { [PH_CHANGE_ADDED] = "added", [PH_CHANGE_REMOVED] = "removed", [PH_CHANGE_CHANGED] = "changed" };
  const Row *row = &g_array_index (changes_of (sql)->rows, Row, slot);

  switch (column)
    {
    case 0: sqlite3_result_int64 (out, row->step); break;
    case 1: ph_sql_result_text (out, g_array_index (sql->history->steps, PhStep, row->step - 1).pass); break;
    case 2: ph_sql_result_text (out, row->node->change != PH_CHANGE_NONE ? kinds[row->node->change] : NULL); break;
    case 3: ph_sql_result_id (out, row->node->id); break;
    case 4: ph_sql_result_text (out, row->node->label); break;
    case 5: ph_sql_result_text (out, row->field != NULL ? row->field->field : NULL); break;
    case 6: ph_sql_result_text (out, row->field != NULL ? row->field->before : NULL); break;
    case 7: ph_sql_result_text (out, row->field != NULL ? row->field->after : NULL); break;
    default: ph_sql_result_id (out, row->node->follows);
    }
}

/* clang-format off */
const PhSqlTable ph_sql_change_tables[] = {
  { "changes",
    "step INTEGER, pass TEXT, kind TEXT, node INTEGER, label TEXT, field TEXT, before TEXT, after TEXT, follows INTEGER",
    "What each step added, removed and changed, a row for each field; follows: the node whose change brought its types", count_changes, NULL,
    column_of_change, { 0, -1 }, range_of_step_changes },
};
/* clang-format on */

const guint ph_sql_n_change_tables = G_N_ELEMENTS (ph_sql_change_tables);
