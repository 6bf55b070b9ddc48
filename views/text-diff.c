/* text-diff.c: a model's text at two positions, merged line by line, made in a worker.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/text-diff.h"

#include <string.h>

#include "core/io/io.h"
#include "views/line-diff.h"

/* Longer constants print as a comment with their hash. */
#define MAX_ELEMENTS 8

void
ph_text_diff_free (PhTextDiff *diff)
{
  g_string_free (diff->text, TRUE);
  g_array_unref (diff->signs);
  g_free (diff);
}

/* Equal lines get equal numbers. */
static guint *
number_lines (char **lines, GHashTable *numbers)
{
  guint n = g_strv_length (lines), *keys = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    {
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, lines[i]));
      if (number == 0)
        g_hash_table_insert (numbers, lines[i], GUINT_TO_POINTER (number = g_hash_table_size (numbers) + 1));
      keys[i] = number;
    }
  return keys;
}

static void
add_line (PhTextDiff *diff, const char *line, char sign)
{
  if (diff->signs->len)
    g_string_append_c (diff->text, '\n');
  g_string_append (diff->text, line);
  g_array_append_val (diff->signs, sign);
  diff->n_added += sign == '+';
  diff->n_removed += sign == '-';
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
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint *old_keys = number_lines (old_lines, numbers), *new_keys = number_lines (new_lines, numbers);
  guint n_old = g_strv_length (old_lines), n_new = g_strv_length (new_lines), b = 0;
  g_autofree int *match = ph_line_diff (old_keys, n_old, new_keys, n_new);

  diff->text = g_string_new (NULL);
  diff->signs = g_array_new (FALSE, FALSE, 1);
  for (guint a = 0; a < n_old; a++)
    {
      if (match[a] < 0)
        {
          add_line (diff, old_lines[a], '-');
          continue;
        }
      while (b < (guint) match[a])
        add_line (diff, new_lines[b++], '+');
      add_line (diff, new_lines[b++], ' ');
    }
  while (b < n_new)
    add_line (diff, new_lines[b++], '+');
  return diff;
}

typedef struct { PhModel *before, *after; } Models;

static void
models_free (gpointer data)
{
  Models *models = data;

  g_clear_pointer (&models->before, ph_model_free);
  g_clear_pointer (&models->after, ph_model_free);
  g_free (models);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Models *models = data;
  g_autofree char *after = ph_onnx_text_print (models->after, MAX_ELEMENTS);
  g_autofree char *before = models->before && !g_cancellable_is_cancelled (cancellable)
                                ? ph_onnx_text_print (models->before, MAX_ELEMENTS) : NULL;

  if (!g_task_return_error_if_cancelled (task))
    g_task_return_pointer (task, ph_text_diff_new (before, after), (GDestroyNotify) ph_text_diff_free);
}

void
ph_text_diff_async (PhDocument *document, PhPosition a, PhPosition b, GCancellable *cancellable, GAsyncReadyCallback callback,
                    gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Models *models = g_new0 (Models, 1);

  models->after = ph_document_clone_at (document, b);
  if (ph_position_compare (a, b) != 0)
    models->before = ph_document_clone_at (document, a);
  g_task_set_task_data (task, models, models_free);
  g_task_run_in_thread (task, work);
}

PhTextDiff *
ph_text_diff_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
