/* tab-state.c: the user's place in a model: pipeline, position, view of the picture, bookmarks, breakpoints, feeds.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/tab-state.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/io/io.h"
#include "views/hand-steps.h"

#define N_BOOKMARKS 9
#define PATIENCE    600 /* checks, 0.1 s apart, until the picture is ready */

typedef struct
{
  PhDocumentView *view;
  GKeyFile *file;
  char *group;
  guint looks;
  gboolean arranged;
} Restore;

static Restore *
get_restore (PhDocumentView *view)
{
  return g_object_get_data (G_OBJECT (view), "restoring");
}

/* --- saving -------------------------------------------------------------------------------------------------------- */

static void
save_list (GKeyFile *file, const char *group, const char *key, GPtrArray *strings)
{
  if (strings->len > 0)
    g_key_file_set_string_list (file, group, key, (const char *const *) strings->pdata, strings->len);
}

/* Saves the settings of the picture, except colours from a run or a query, which are not recomputed. Returns TRUE if any is not the
 * default. */
static gboolean
save_looks (PhDocument *document, GKeyFile *file, const char *group)
{
  PhViewState *view = ph_document_get_view (document);
  gboolean any = FALSE;

  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    {
      g_autofree char *key = g_strconcat ("look-", ph_view_row (field)->name, NULL), *text = ph_view_state_text (view, field);

      if (field == PH_VIEW_ZOOM || ph_view_row (field)->of_window || ph_view_state_is_default (view, field)
          || (field == PH_VIEW_COLOR && ph_color_mode_is_given (ph_view_state_get (view, field))))
        continue;
      g_key_file_set_string (file, group, key, text);
      any = TRUE;
    }
  return any;
}

/* A tab that is still being restored saves the state it is restoring. */
static void
copy_state (const Restore *restore, GKeyFile *file, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (restore->file, restore->group, NULL, NULL);

  for (guint i = 0; keys && keys[i]; i++)
    {
      g_autofree char *value = g_key_file_get_value (restore->file, restore->group, keys[i], NULL);
      g_key_file_set_value (file, group, keys[i], value);
    }
}

static int
compare_words (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Saves the chosen kernels of nodes or operators: "n12 dnnl", "Conv reference". Returns FALSE if there are none. */
static gboolean
save_kernels (PhDocument *document, GKeyFile *file, const char *group)
{
  GHashTable *kernels = ph_document_get_kernels (document);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer key, name;

  if (kernels)
    g_hash_table_iter_init (&iter, kernels);
  while (kernels && g_hash_table_iter_next (&iter, &key, &name))
    g_ptr_array_add (words, g_strdup_printf ("%s %s", (const char *) key, (const char *) name));
  g_ptr_array_sort (words, compare_words);
  save_list (file, group, "kernels", words);
  return words->len > 0;
}

gboolean
ph_tab_state_save (PhDocumentView *view, GKeyFile *file, const char *group)
{
  if (get_restore (view))
    {
      copy_state (get_restore (view), file, group);
      return TRUE;
    }
  PhDocument *document = ph_document_view_get_document (view);
  PhPosition at = ph_document_get_position (document);
  g_autofree char *position = ph_position_to_string (at), *pipeline = ph_document_pipeline_to_text (document, ",");
  gboolean missed = at.step > 0 || at.rewrite > 0 || ph_document_pipeline_is_own (document);
  double place[3];

  /* A path may contain any bytes, but a key file is UTF-8, so a URI is stored. A graph traced or compiled at the console has no path. */
  const char *from = ph_document_get_path (document);
  g_autofree char *path = from ? g_canonicalize_filename (from, NULL) : NULL,
                  *uri = path ? g_filename_to_uri (path, NULL, NULL) : NULL;
  if (uri)
    g_key_file_set_string (file, group, "uri", uri);
  g_key_file_set_string (file, group, "pipeline", pipeline);
  g_key_file_set_string (file, group, "position", position);
  g_key_file_set_integer (file, group, "selection", (int) ph_document_get_selection (document));
  ph_graph_canvas_get_view (ph_document_view_get_canvas (view), &place[0], &place[1], &place[2]);
  g_key_file_set_double_list (file, group, "view", place, G_N_ELEMENTS (place));
  save_list (file, group, "breakpoints", ph_document_get_breaks (document));
  save_list (file, group, "rules-off", ph_document_get_rules_off (document));
  for (guint i = 1; i <= N_BOOKMARKS; i++)
    if (ph_document_get_bookmark (document, i, &at))
      {
        g_autofree char *key = g_strdup_printf ("bookmark-%u", i), *text = ph_position_to_string (at);
        g_key_file_set_string (file, group, key, text);
        missed = TRUE;
      }
  if (ph_document_has_since (document))
    {
      g_autofree char *since = ph_position_to_string (ph_document_get_since (document));
      g_key_file_set_string (file, group, "since", since);
    }
  missed |= save_looks (document, file, group);
  missed |= save_kernels (document, file, group);
  ph_hand_steps_save (view, file, group);
  return missed || ph_document_get_breaks (document)->len > 0 || ph_hand_steps_any (view);
}

void
ph_tab_state_save_expressions (PhDocumentView *view, GKeyFile *file, const char *group)
{
  save_list (file, group, "expressions", ph_console_get_expressions (ph_document_view_get_console (view)));
}

void
ph_tab_state_restore_expressions (PhDocumentView *view, GKeyFile *file, const char *group)
{
  g_auto (GStrv) lines = g_key_file_get_string_list (file, group, "expressions", NULL, NULL);

  for (guint i = 0; lines && lines[i]; i++)
    ph_document_view_run (view, lines[i]);
}

/* A feed in the session. Each tensor is written once to its own file, which is named when complete. A thread writes a large one: until then
 * the line that fed it is saved instead. */
#define LARGE_FEED (4 << 20) /* bytes */

typedef struct
{
  PhTensor *tensor;
  char *name, *path;
  char *line;       /* (nullable) */
  gboolean written; /* or given up: on a full disk the rest is still saved */
  GError *error;
} Feed;

static void
feed_free (gpointer data)
{
  Feed *feed = data;

  ph_tensor_unref (feed->tensor);
  g_free (feed->name);
  g_free (feed->path);
  g_free (feed->line);
  g_clear_error (&feed->error);
  g_free (feed);
}

static void
write_feed (GTask *task, gpointer view, gpointer data, GCancellable *cancellable)
{
  Feed *feed = data;

  ph_tensor_save (feed->tensor, feed->name, feed->path, &feed->error);
  g_task_return_boolean (task, TRUE);
}

static void
on_written (GObject *view, GAsyncResult *result, gpointer written)
{
  GHashTable *files = g_object_get_data (view, "feed-files");
  const Feed *done = g_task_get_task_data (G_TASK (result));
  Feed *feed = files ? g_hash_table_lookup (files, done->tensor) : NULL;

  if (!feed)
    return;
  feed->written = TRUE;
  if (done->error)
    g_clear_pointer (&feed->path, g_free);
  ((void (*) (PhDocumentView *)) written) (PH_DOCUMENT_VIEW (view));
}

static gboolean
is_fed_no_more (gpointer tensor, gpointer feed, gpointer feeds)
{
  return g_hash_table_lookup (feeds, ((Feed *) feed)->name) != tensor;
}

static Feed *
feed_new (const char *name, PhTensor *tensor, const char *path, const char *line)
{
  Feed *feed = g_new0 (Feed, 1);

  *feed = (Feed) { .tensor = ph_tensor_ref (tensor), .name = g_strdup (name), .path = g_strdup (path), .line = g_strdup (line) };
  return feed;
}

/* Saves a feed before its reply is shown: the program may be killed right after. */
static Feed *
begin_feed (PhDocumentView *view, const char *name, PhTensor *tensor, const char *prefix, const char *line,
            void (*written) (PhDocumentView *view))
{
  g_autofree char *id = g_uuid_string_random (), *path = g_strdup_printf ("%s-feed-%s.npy", prefix, id);
  Feed *feed = feed_new (name, tensor, path, line);

  if (!line || ph_tensor_bytes (tensor) < LARGE_FEED)
    {
      feed->written = TRUE;
      if (!ph_tensor_save (tensor, name, path, NULL))
        g_clear_pointer (&feed->path, g_free);
      return feed;
    }
  g_autoptr (GTask) task = g_task_new (view, NULL, on_written, (gpointer) written);
  g_task_set_task_data (task, feed_new (name, tensor, path, NULL), feed_free);
  g_task_run_in_thread (task, write_feed);
  return feed;
}

void
ph_tab_state_save_feeds (PhDocumentView *view, GKeyFile *file, const char *group, const char *prefix, const char *line,
                         void (*written) (PhDocumentView *view))
{
  GHashTable *feeds = ph_document_get_feeds (ph_document_view_get_document (view)),
             *files = g_object_get_data (G_OBJECT (view), "feed-files");
  GHashTableIter iter;
  gpointer name, tensor;
  guint n = 0;

  /* A restored session keeps its own entries until they are applied; a file that is read again keeps its feeds. */
  if (get_restore (view) && g_key_file_has_key (get_restore (view)->file, get_restore (view)->group, "feed-1", NULL))
    return;
  if (!files)
    {
      files = g_hash_table_new_full (NULL, NULL, NULL, feed_free);
      g_object_set_data_full (G_OBJECT (view), "feed-files", files, (GDestroyNotify) g_hash_table_unref);
    }
  g_hash_table_foreach_remove (files, is_fed_no_more, feeds);
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      Feed *feed = g_hash_table_lookup (files, tensor);
      if (!feed)
        g_hash_table_insert (files, tensor, feed = begin_feed (view, name, tensor, prefix, line, written));
      g_autofree char *key = g_strdup_printf ("feed-%u", n + 1),
                      *file_key = g_strdup_printf ("%s-%s", key, feed->written ? "file" : "line");
      if (feed->written && !feed->path)
        continue;
      n++;
      g_key_file_set_string (file, group, key, name);
      g_key_file_set_string (file, group, file_key, feed->written ? feed->path : feed->line);
      /* Stored so that the file being written is not removed as unused. */
      g_autofree char *writing_key = g_strconcat (key, "-writing", NULL);
      if (!feed->written)
        g_key_file_set_string (file, group, writing_key, feed->path);
    }
}

/* --- restoring ----------------------------------------------------------------------------------------------------- */

static void
restore_free (Restore *restore)
{
  g_object_set_data (G_OBJECT (restore->view), "restoring", NULL);
  g_object_unref (restore->view);
  g_key_file_unref (restore->file);
  g_free (restore->group);
  g_free (restore);
}

/* Parses a position: people name the step that they are in, while a position counts complete steps. */
static PhPosition
parse_position (PhHistory *history, const char *text)
{
  guint step = 0, rewrite = 0;
  PhPosition end = { history->steps->len, 0 };

  if (!text || sscanf (text, "%u.%u", &step, &rewrite) < 1)
    return (PhPosition) { 0, 0 };
  PhPosition at = { rewrite > 0 && step > 0 ? step - 1 : step, rewrite };
  if (ph_history_has (history, at))
    return at;
  at.rewrite = 0;
  return ph_history_has (history, at) ? at : end;
}

/* @of_model: restores settings about nodes and groups, which depend on the position. */
static void
restore_looks (const Restore *restore, gboolean of_model)
{
  PhViewState *view = ph_document_get_view (ph_document_view_get_document (restore->view));

  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    {
      g_autofree char *key = g_strconcat ("look-", ph_view_row (field)->name, NULL);
      g_autofree char *text = g_key_file_get_string (restore->file, restore->group, key, NULL);
      g_autofree char *line = text ? g_strdup_printf ("view %s %s", ph_view_row (field)->name, text) : NULL;

      if (line && ph_view_row (field)->of_model == of_model)
        ph_view_state_say (view, line, NULL);
    }
}

static void
restore_kernels (const Restore *restore)
{
  g_auto (GStrv) words = g_key_file_get_string_list (restore->file, restore->group, "kernels", NULL, NULL);

  for (guint i = 0; words && words[i]; i++)
    {
      char *name = strchr (words[i], ' ');

      if (!name)
        continue;
      *name = '\0';
      ph_document_set_kernel (ph_document_view_get_document (restore->view), words[i], name + 1);
    }
}

static void
restore_since (const Restore *restore)
{
  PhDocument *document = ph_document_view_get_document (restore->view);
  PhHistory *history = ph_document_get_history (document);
  g_autofree char *text = g_key_file_get_string (restore->file, restore->group, "since", NULL);

  if (history && text)
    {
      const PhPosition since = parse_position (history, text);
      ph_document_set_since (document, &since);
    }
}

static gboolean
restore_place (gpointer data)
{
  Restore *restore = data;
  gsize n = 0;

  if ((ph_graph_canvas_is_busy (ph_document_view_get_canvas (restore->view))
       || ph_console_is_running (ph_document_view_get_console (restore->view)))
      && restore->looks++ < PATIENCE)
    return G_SOURCE_CONTINUE;
  PhModel *model = ph_document_get_model (ph_document_view_get_document (restore->view));
  /* Open groups and the shown part are restored first, since the view's place refers to the resulting picture. */
  if (!restore->arranged && model)
    {
      guint selection = (guint) g_key_file_get_integer (restore->file, restore->group, "selection", NULL);
      if (selection && ph_model_find_node (model, selection))
        ph_document_set_selection (ph_document_view_get_document (restore->view), selection);
      restore_since (restore);
      restore_looks (restore, TRUE);
      restore->arranged = TRUE;
      return G_SOURCE_CONTINUE;
    }
  g_autofree double *place = g_key_file_get_double_list (restore->file, restore->group, "view", &n, NULL);
  if (model && n == 3 && place[2] > 0)
    ph_graph_canvas_set_view (ph_document_view_get_canvas (restore->view), place[0], place[1], place[2]);
  restore_free (restore);
  return G_SOURCE_REMOVE;
}

/* All steps exist now, so positions can be restored. */
static void
on_there (GObject *console, GAsyncResult *result, gpointer data)
{
  Restore *restore = data;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);
  PhDocument *document = ph_document_view_get_document (restore->view);
  PhHistory *history = ph_document_get_history (document);

  if (!history)
    {
      restore_free (restore);
      return;
    }
  restore_looks (restore, FALSE);
  restore_kernels (restore);
  for (guint i = 1; i <= N_BOOKMARKS; i++)
    {
      g_autofree char *key = g_strdup_printf ("bookmark-%u", i);
      g_autofree char *text = g_key_file_get_string (restore->file, restore->group, key, NULL);
      if (text)
        ph_document_set_bookmark (document, i, parse_position (history, text));
    }
  g_autofree char *text = g_key_file_get_string (restore->file, restore->group, "position", NULL);
  PhPosition at = parse_position (history, text);
  if (ph_position_compare (at, ph_document_get_position (document)) != 0)
    {
      g_autofree char *position = ph_position_to_string (at), *line = g_strdup_printf ("goto %s", position);
      ph_document_view_run (restore->view, line);
    }
  ph_hand_steps_ask (restore->view);
  g_timeout_add (100, restore_place, restore);
}

static void
run_rest (gpointer data)
{
  Restore *restore = data;

  ph_console_run_async (ph_document_view_get_console (restore->view), "run --ahead", on_there, restore);
}

/* The pipeline has run; next are the steps made by hand, and then the rest of the pipeline. */
static void
on_ran (GObject *console, GAsyncResult *result, gpointer data)
{
  Restore *restore = data;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);

  if (!ph_document_get_history (ph_document_view_get_document (restore->view)))
    restore_free (restore);
  else
    ph_hand_steps_restore (restore->view, restore->file, restore->group, run_rest, restore);
}

/* Runs commands that toggle something, except those already in effect, which are in @there. */
static void
run_each (PhDocumentView *view, GKeyFile *file, const char *group, const char *key, const char *command, GPtrArray *there)
{
  g_auto (GStrv) words = g_key_file_get_string_list (file, group, key, NULL, NULL);

  for (guint i = 0; words && words[i]; i++)
    {
      g_autofree char *line = g_strdup_printf ("%s %s", command, words[i]);
      if (!g_ptr_array_find_with_equal_func (there, words[i], g_str_equal, NULL))
        ph_document_view_run (view, line);
    }
}

static void
restore_feeds (PhDocumentView *view, GKeyFile *file, const char *group)
{
  for (guint i = 1;; i++)
    {
      g_autofree char *key = g_strdup_printf ("feed-%u", i), *file_key = g_strdup_printf ("feed-%u-file", i);
      g_autofree char *name = g_key_file_get_string (file, group, key, NULL),
                      *path = g_key_file_get_string (file, group, file_key, NULL);
      g_autofree char *line_key = g_strdup_printf ("feed-%u-line", i), *fed = g_key_file_get_string (file, group, line_key, NULL);
      if (!name || (!path && !fed))
        return;
      if (!path && g_str_has_prefix (fed, "feed "))
        ph_document_view_run (view, fed);
      if (!path || !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      g_autofree char *quoted_name = g_shell_quote (name), *quoted = g_shell_quote (path);
      g_autofree char *line = g_strdup_printf ("feed %s %s", quoted_name, quoted);
      ph_document_view_run (view, line);
    }
}

void
ph_tab_state_restore (PhDocumentView *view, GKeyFile *file, const char *group, gboolean pipeline)
{
  g_autofree char *base = ph_hand_steps_base (file, group), *own = g_key_file_get_string (file, group, "pipeline", NULL);
  const char *words = base ? base : own;
  Restore *restore = g_new0 (Restore, 1);

  g_return_if_fail (PH_IS_DOCUMENT_VIEW (view));
  *restore = (Restore) { g_object_ref (view), g_key_file_ref (file), g_strdup (group), 0 };
  g_object_set_data (G_OBJECT (view), "restoring", restore);
  if ((pipeline || base || g_key_file_has_key (file, group, "compares", NULL)) && words && *words)
    {
      g_autofree char *line = g_strdup_printf ("pipeline %s", words);
      ph_document_view_run (view, line);
    }
  if (pipeline)
    {
      run_each (view, file, group, "rules-off", "rule off", ph_document_get_rules_off (ph_document_view_get_document (view)));
      restore_feeds (view, file, group);
      ph_tab_state_restore_expressions (view, file, group);
    }
  run_each (view, file, group, "breakpoints", "breakpoint", ph_document_get_breaks (ph_document_view_get_document (view)));
  ph_console_run_async (ph_document_view_get_console (view), "run --ahead", on_ran, restore);
}

gboolean
ph_tab_state_will_compare (PhDocumentView *view)
{
  const Restore *restore = get_restore (view);
  g_autofree char *line = restore ? g_key_file_get_string (restore->file, restore->group, "hand-1", NULL) : NULL;

  return line && g_str_has_prefix (line, "compare ");
}

gboolean
ph_tab_state_is_restoring (PhDocumentView *view)
{
  return get_restore (view) != NULL;
}
