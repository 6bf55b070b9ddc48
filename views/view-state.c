/* view-state.c: where somebody is in a model: pipeline, position, place in the picture, bookmarks, breakpoints, feeds.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/view-state.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/io/io.h"
#include "views/hand-steps.h"

#define N_BOOKMARKS 9
#define PATIENCE 600          /* looks, 0.1 s apart, for the picture to be there */

/* --- saving -------------------------------------------------------------------------------------------------------- */

static void
save_list (GKeyFile *file, const char *group, const char *key, GPtrArray *strings)
{
  if (strings->len > 0)
    g_key_file_set_string_list (file, group, key, (const char *const *) strings->pdata, strings->len);
}

gboolean
ph_view_state_save (PhDocumentView *view, GKeyFile *file, const char *group)
{
  PhDocument *document = ph_document_view_get_document (view);
  PhPosition at = ph_document_get_position (document);
  g_autofree char *position = ph_position_to_string (at), *pipeline = ph_document_pipeline_to_text (document, ",");
  gboolean missed = at.step > 0 || at.rewrite > 0 || ph_document_pipeline_is_own (document);
  double place[3];

  /* Any bytes may be a path; a key file holds UTF-8. */
  g_autofree char *path = g_canonicalize_filename (ph_document_get_path (document), NULL), *uri = g_filename_to_uri (path, NULL, NULL);
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
  ph_hand_steps_save (view, file, group);
  return missed || ph_document_get_breaks (document)->len > 0 || ph_hand_steps_any (view);
}

typedef struct { PhTensor *tensor; char *name, *path; } Feed;

static void
feed_free (gpointer data)
{
  Feed *feed = data;

  ph_tensor_unref (feed->tensor);
  g_free (feed->name);
  g_free (feed->path);
  g_free (feed);
}

static void
write_feeds (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *feeds = data;

  for (guint i = 0; i < feeds->len; i++)
    {
      const Feed *feed = feeds->pdata[i];
      ph_tensor_save (feed->tensor, feed->name, feed->path, NULL);
    }
  g_task_return_boolean (task, TRUE);
}

void
ph_view_state_save_feeds (PhDocumentView *view, GKeyFile *file, const char *group, const char *folder)
{
  GHashTable *feeds = ph_document_get_feeds (ph_document_view_get_document (view));
  GPtrArray *list = g_ptr_array_new_with_free_func (feed_free);
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, feeds);
  for (guint i = 1; g_hash_table_iter_next (&iter, &name, &tensor); i++)
    {
      g_autofree char *key = g_strdup_printf ("feed-%u", i), *file_key = g_strdup_printf ("feed-%u-file", i);
      g_autofree char *base = g_strdup_printf ("%s-feed-%u.npy", group, i);
      Feed *feed = g_new (Feed, 1);
      *feed = (Feed) { ph_tensor_ref (tensor), g_strdup (name), g_build_filename (folder, base, NULL) };
      g_key_file_set_string (file, group, key, name);
      g_key_file_set_string (file, group, file_key, feed->path);
      g_ptr_array_add (list, feed);
    }
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, list, (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, write_feeds);
}

/* --- restoring ----------------------------------------------------------------------------------------------------- */

typedef struct { PhDocumentView *view; GKeyFile *file; char *group; guint looks; } Restore;

static void
restore_free (Restore *restore)
{
  g_object_set_data (G_OBJECT (restore->view), "restoring", NULL);
  g_object_unref (restore->view);
  g_key_file_unref (restore->file);
  g_free (restore->group);
  g_free (restore);
}

/* People write the step that they are in; a position counts whole steps. */
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

static gboolean
restore_place (gpointer data)
{
  Restore *restore = data;
  gsize n = 0;

  if ((ph_graph_canvas_is_busy (ph_document_view_get_canvas (restore->view))
       || ph_console_is_running (ph_document_view_get_console (restore->view))) && restore->looks++ < PATIENCE)
    return G_SOURCE_CONTINUE;
  g_autofree double *place = g_key_file_get_double_list (restore->file, restore->group, "view", &n, NULL);
  PhModel *model = ph_document_get_model (ph_document_view_get_document (restore->view));
  guint selection = (guint) g_key_file_get_integer (restore->file, restore->group, "selection", NULL);
  if (model && selection && ph_model_find_node (model, selection))
    ph_document_set_selection (ph_document_view_get_document (restore->view), selection);
  if (model && n == 3 && place[2] > 0)
    ph_graph_canvas_set_view (ph_document_view_get_canvas (restore->view), place[0], place[1], place[2]);
  restore_free (restore);
  return G_SOURCE_REMOVE;
}

/* All steps are there: positions mean something now. */
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
  g_timeout_add (100, restore_place, restore);
}

/* The pipeline has run: what was done by hand comes next, and the rest of the pipeline behind it. */
static void
on_ran (GObject *console, GAsyncResult *result, gpointer data)
{
  Restore *restore = data;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);

  if (!ph_document_get_history (ph_document_view_get_document (restore->view)))
    restore_free (restore);
  else
    {
      ph_hand_steps_restore (restore->view, restore->file, restore->group);
      ph_console_run_async (PH_CONSOLE (console), "run --ahead", NULL, on_there, restore);
    }
}

static void
run_each (PhDocumentView *view, GKeyFile *file, const char *group, const char *key, const char *command)
{
  g_auto (GStrv) words = g_key_file_get_string_list (file, group, key, NULL, NULL);

  for (guint i = 0; words && words[i]; i++)
    {
      g_autofree char *line = g_strdup_printf ("%s %s", command, words[i]);
      ph_document_view_run (view, line);
    }
}

static void
restore_feeds (PhDocumentView *view, GKeyFile *file, const char *group)
{
  for (guint i = 1;; i++)
    {
      g_autofree char *key = g_strdup_printf ("feed-%u", i), *file_key = g_strdup_printf ("feed-%u-file", i);
      g_autofree char *name = g_key_file_get_string (file, group, key, NULL), *path = g_key_file_get_string (file, group, file_key, NULL);
      if (!name || !path)
        return;
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      g_autofree char *quoted_name = g_shell_quote (name), *quoted = g_shell_quote (path);
      g_autofree char *line = g_strdup_printf ("feed %s %s", quoted_name, quoted);
      ph_document_view_run (view, line);
    }
}

void
ph_view_state_restore (PhDocumentView *view, GKeyFile *file, const char *group, gboolean pipeline)
{
  g_autofree char *base = ph_hand_steps_base (file, group), *own = g_key_file_get_string (file, group, "pipeline", NULL);
  const char *words = base ? base : own;
  Restore *restore = g_new0 (Restore, 1);

  g_return_if_fail (PH_IS_DOCUMENT_VIEW (view));
  *restore = (Restore) { g_object_ref (view), g_key_file_ref (file), g_strdup (group), 0 };
  g_object_set_data (G_OBJECT (view), "restoring", GINT_TO_POINTER (1));
  if ((pipeline || base) && words && *words)
    {
      g_autofree char *line = g_strdup_printf ("pipeline %s", words);
      ph_document_view_run (view, line);
    }
  if (pipeline)
    {
      run_each (view, file, group, "rules-off", "rule off");
      restore_feeds (view, file, group);
    }
  run_each (view, file, group, "breakpoints", "breakpoint");
  ph_console_run_async (ph_document_view_get_console (view), "run --ahead", NULL, on_ran, restore);
}

gboolean
ph_view_state_is_restoring (PhDocumentView *view)
{
  return g_object_get_data (G_OBJECT (view), "restoring") != NULL;
}
