/* text-diff.c: aligns a model's text at two positions line by line, in a worker.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/text-diff.h"

#include <string.h>

#include "core/analyze/line-diff.h"
#include "core/document/snapshot.h"
#include "core/io/io.h"

/* Longer constants print as a comment with their hash. */
#define MAX_ELEMENTS 8
#define MAX_WORDS    400 /* words in a line, up to which changed words are searched */

void
ph_text_diff_free (PhTextDiff *diff)
{
  g_string_free (diff->before, TRUE);
  g_string_free (diff->after, TRUE);
  g_string_free (diff->both, TRUE);
  g_array_unref (diff->signs);
  g_array_unref (diff->rows);
  g_array_unref (diff->marks);
  g_free (diff);
}

static guint
number_of (GHashTable *numbers, const char *text)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, text));

  if (number == 0)
    g_hash_table_insert (numbers, (gpointer) text, GUINT_TO_POINTER (number = g_hash_table_size (numbers) + 1));
  return number;
}

/* Returns a number for each line, the same for equal lines. */
static guint *
number_lines (char **lines, guint n, GHashTable *numbers)
{
  guint *keys = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    keys[i] = number_of (numbers, lines[i]);
  return keys;
}

/* --- words that changed in a line ------------------------------------------------------------------------------------ */

/* Splits a line into whole names and numbers, and single other characters. @starts: in characters. Returns (element-type char*). */
static GPtrArray *
split_words (const char *line, GArray *starts)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  guint at = 0;

  for (const char *p = line; *p && words->len < MAX_WORDS;)
    {
      const char *end = g_utf8_next_char (p);
      guint n = 1;

      if (g_ascii_isalnum (*p) || *p == '_' || *p == '.')
        while (g_ascii_isalnum (*end) || *end == '_' || *end == '.')
          end++, n++;
      g_array_append_val (starts, at);
      g_ptr_array_add (words, g_strndup (p, (gsize) (end - p)));
      at += n;
      p = end;
    }
  g_array_append_val (starts, at);
  return words;
}

static void
mark_run (PhTextDiff *diff, guint row, gboolean after, GArray *starts, guint from, guint to)
{
  if (from < to)
    g_array_append_val (diff->marks,
                        ((PhTextMark) { row, after, g_array_index (starts, guint, from), g_array_index (starts, guint, to) }));
}

static void
mark_words (PhTextDiff *diff, guint row, const char *before, const char *after)
{
  g_autoptr (GArray) starts_a = g_array_new (FALSE, FALSE, sizeof (guint)), starts_b = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) a = split_words (before, starts_a), b = split_words (after, starts_b);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint *keys_a = number_lines ((char **) a->pdata, a->len, numbers),
                   *keys_b = number_lines ((char **) b->pdata, b->len, numbers);
  g_autofree int *match = ph_line_diff (keys_a, a->len, keys_b, b->len);
  guint run_a = 0, run_b = 0;

  for (guint i = 0; i <= a->len; i++)
    if (i == a->len || match[i] >= 0)
      {
        mark_run (diff, row, FALSE, starts_a, run_a, i);
        mark_run (diff, row, TRUE, starts_b, run_b, i < a->len ? (guint) match[i] : b->len);
        run_a = i + 1;
        run_b = i < a->len ? (guint) match[i] + 1 : b->len;
      }
}

/* --- lines ----------------------------------------------------------------------------------------------------------- */

/* Returns the names left of a line's "=", by which changed lines are aligned. */
static char *
subject (const char *line)
{
  const char *end = strchr (line, '=');

  return end ? g_strstrip (g_strndup (line, (gsize) (end - line))) : g_strdup (line);
}

static void
add_row (PhTextDiff *diff, PhRowKind kind, int before, int after)
{
  g_array_append_val (diff->rows, ((PhTextRow) { kind, before, after, -1, -1 }));
}

/* Adds the lines between two lines that both texts have. */
static void
add_change (PhTextDiff *diff, char **old_lines, guint a, guint a_end, char **new_lines, guint b, guint b_end)
{
  const guint n = a_end - a, m = b_end - b;
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) subjects = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint *keys_a = g_new (guint, n + 1), *keys_b = g_new (guint, m + 1);

  for (guint i = 0; i < n + m; i++)
    {
      char *text = subject (i < n ? old_lines[a + i] : new_lines[b + i - n]);
      g_ptr_array_add (subjects, text);
      *(i < n ? &keys_a[i] : &keys_b[i - n]) = number_of (numbers, text);
    }
  g_autofree int *match = ph_line_diff (keys_a, n, keys_b, m);
  guint next = 0;

  if (n == 1 && m == 1)
    match[0] = 0;
  for (guint i = 0; i < n; i++)
    {
      if (match[i] < 0)
        {
          add_row (diff, PH_ROW_REMOVED, (int) (a + i), -1);
          continue;
        }
      while (next < (guint) match[i])
        add_row (diff, PH_ROW_ADDED, -1, (int) (b + next++));
      mark_words (diff, diff->rows->len, old_lines[a + i], new_lines[b + next]);
      add_row (diff, PH_ROW_CHANGED, (int) (a + i), (int) (b + next++));
    }
  while (next < m)
    add_row (diff, PH_ROW_ADDED, -1, (int) (b + next++));
}

static void
add_line (GString *text, const char *line, gboolean first)
{
  if (!first)
    g_string_append_c (text, '\n');
  g_string_append (text, line);
}

static int
add_both (PhTextDiff *diff, const char *line, char sign)
{
  add_line (diff->both, line, diff->signs->len == 0);
  g_array_append_val (diff->signs, sign);
  return (int) diff->signs->len - 1;
}

static void
write_texts (PhTextDiff *diff, char **old_lines, char **new_lines)
{
  for (guint r = 0; r < diff->rows->len; r++)
    {
      PhTextRow *row = &g_array_index (diff->rows, PhTextRow, r);

      add_line (diff->before, row->before >= 0 ? old_lines[row->before] : " ", r == 0);
      add_line (diff->after, row->after >= 0 ? new_lines[row->after] : " ", r == 0);
      diff->n_added += row->kind == PH_ROW_ADDED;
      diff->n_removed += row->kind == PH_ROW_REMOVED;
      diff->n_changed += row->kind == PH_ROW_CHANGED;
    }
  for (guint r = 0; r < diff->rows->len;)
    {
      guint end = r;
      PhTextRow *row = &g_array_index (diff->rows, PhTextRow, r);

      if (row->kind == PH_ROW_SAME)
        {
          row->above = row->below = add_both (diff, new_lines[row->after], ' ');
          r++;
          continue;
        }
      for (; end < diff->rows->len && g_array_index (diff->rows, PhTextRow, end).kind != PH_ROW_SAME; end++)
        if ((row = &g_array_index (diff->rows, PhTextRow, end))->before >= 0)
          row->above = add_both (diff, old_lines[row->before], '-');
      for (; r < end; r++)
        if ((row = &g_array_index (diff->rows, PhTextRow, r))->after >= 0)
          row->below = add_both (diff, new_lines[row->after], '+');
    }
}

static char **
split (const char *text)
{
  g_autofree char *chomped = g_strchomp (g_strdup (text));
  return g_strsplit (chomped, "\n", -1);
}

PhTextDiff *
ph_text_diff_new (const char *before, const char *after)
{
  PhTextDiff *diff = g_new0 (PhTextDiff, 1);
  g_auto (GStrv) new_lines = split (after);
  g_auto (GStrv) old_lines = split (before ? before : after);
  guint n_old = g_strv_length (old_lines), n_new = g_strv_length (new_lines), a = 0, b = 0;
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint *old_keys = number_lines (old_lines, n_old, numbers), *new_keys = number_lines (new_lines, n_new, numbers);
  g_autofree int *match = ph_line_diff (old_keys, n_old, new_keys, n_new);

  diff->rows = g_array_new (FALSE, FALSE, sizeof (PhTextRow));
  diff->marks = g_array_new (FALSE, FALSE, sizeof (PhTextMark));
  diff->before = g_string_new (NULL);
  diff->after = g_string_new (NULL);
  diff->both = g_string_new (NULL);
  diff->signs = g_array_new (FALSE, FALSE, 1);
  for (guint i = 0; i <= n_old; i++)
    {
      if (i < n_old && match[i] < 0)
        continue;
      add_change (diff, old_lines, a, i, new_lines, b, i < n_old ? (guint) match[i] : n_new);
      if (i == n_old)
        break;
      add_row (diff, PH_ROW_SAME, (int) i, match[i]);
      a = i + 1;
      b = (guint) match[i] + 1;
    }
  write_texts (diff, old_lines, new_lines);
  return diff;
}

/* --- in a worker ----------------------------------------------------------------------------------------------------- */

typedef struct
{
  PhSnapshot *snapshot;
  PhPosition a, b;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  ph_snapshot_free (job->snapshot);
  g_free (job);
}

static char *
print (PhSnapshot *snapshot, PhPosition at)
{
  char *text = ph_onnx_text_print (ph_snapshot_at (snapshot, at), MAX_ELEMENTS);

  ph_snapshot_done (snapshot);
  return text;
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;

  if (g_task_return_error_if_cancelled (task))
    return;
  g_autofree char *after = print (job->snapshot, job->b);
  g_autofree char *before = ph_position_compare (job->a, job->b) != 0 && !g_cancellable_is_cancelled (cancellable)
                                ? print (job->snapshot, job->a)
                                : NULL;
  if (!g_task_return_error_if_cancelled (task))
    g_task_return_pointer (task, ph_text_diff_new (before, after), (GDestroyNotify) ph_text_diff_free);
}

void
ph_text_diff_async (PhDocument *document, PhPosition a, PhPosition b, GCancellable *cancellable, GAsyncReadyCallback callback,
                    gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Job *job = g_new0 (Job, 1);

  *job = (Job) { ph_snapshot_new (document), a, b };
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, work);
}

PhTextDiff *
ph_text_diff_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
