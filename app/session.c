/* session.c: what is open and where, kept while the program runs, so that a crash loses nothing but the values.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/session.h"

#include <glib/gstdio.h>

#include "app/window-private.h"

struct _PhSession
{
  PhWindow *window;
  guint     timer;
};

static char *
session_file (void)
{
  return g_build_filename (g_get_user_state_dir (), "peephole", "session.ini", NULL);
}

static void
save_tab (GKeyFile *file, const char *group, PhDocumentView *view)
{
  PhDocument *document = ph_document_view_get_document (view);
  g_autofree char *position = ph_position_to_string (ph_document_get_position (document));
  double place[3];
  PhPosition at;

  g_key_file_set_string (file, group, "path", ph_document_get_path (document));
  g_key_file_set_string (file, group, "pipeline", ph_document_get_pipeline (document));
  g_key_file_set_string (file, group, "position", position);
  ph_graph_canvas_get_view (ph_document_view_get_canvas (view), &place[0], &place[1], &place[2]);
  g_key_file_set_double_list (file, group, "view", place, G_N_ELEMENTS (place));
  for (guint i = 1; i <= 9; i++)
    if (ph_document_get_bookmark (document, i, &at))
      {
        g_autofree char *key = g_strdup_printf ("bookmark-%u", i), *text = ph_position_to_string (at);
        g_key_file_set_string (file, group, key, text);
      }
}

static gboolean
save (gpointer data)
{
  PhSession *self = data;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = session_file (), *folder = g_path_get_dirname (path);
  guint n = 0;

  self->timer = 0;
  for (int i = 0; i < adw_tab_view_get_n_pages (self->window->tabs); i++)
    {
      PhDocumentView *view = PH_DOCUMENT_VIEW (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->window->tabs, i)));
      g_autofree char *group = g_strdup_printf ("tab-%u", n + 1);
      if (!ph_document_is_open (ph_document_view_get_document (view)))
        continue;
      save_tab (file, group, view);
      n++;
    }
  g_mkdir_with_parents (folder, 0700);
  if (n == 0)
    g_unlink (path);
  else
    g_key_file_save_to_file (file, path, NULL);
  return G_SOURCE_REMOVE;
}

/* By the view, which signals let go of by themselves: a document lives longer than its tab while a line runs on it. */
static void
queue_save (PhDocumentView *view)
{
  GtkRoot *window = gtk_widget_get_root (GTK_WIDGET (view));
  PhSession *self = window ? PH_WINDOW (window)->session : NULL;

  if (self && self->timer == 0)
    self->timer = g_timeout_add_seconds (1, save, self);
}

PhSession *
ph_session_new (PhWindow *window)
{
  PhSession *self = g_new0 (PhSession, 1);

  self->window = window;
  return self;
}

void
ph_session_watch (PhSession *self, PhDocumentView *view)
{
  PhDocument *document = ph_document_view_get_document (view);

  g_signal_connect_object (document, "opened", G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "position-changed", G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "pipeline-changed", G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
}

void
ph_session_free (PhSession *self, gboolean keep)
{
  g_autofree char *path = session_file ();

  g_clear_handle_id (&self->timer, g_source_remove);
  if (!keep)
    g_unlink (path);
  g_free (self);
}

/* Through the console, as if the user did it again: the lines queue up behind each other. */
static void
restore_tab (PhWindow *window, GKeyFile *file, const char *group)
{
  g_autofree char *path = g_key_file_get_string (file, group, "path", NULL);
  g_autofree char *pipeline = g_key_file_get_string (file, group, "pipeline", NULL);
  g_autofree char *position = g_key_file_get_string (file, group, "position", NULL);

  if (!path || !g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  g_autoptr (GFile) model = g_file_new_for_path (path);
  ph_window_open (window, model);
  if (pipeline && *pipeline)
    ph_window_run (window, "pipeline %s", pipeline);
  if (position && !g_str_equal (position, "0"))
    {
      ph_window_run (window, "run --ahead");
      ph_window_run (window, "goto %s", position);
    }
  for (guint i = 1; i <= 9; i++)
    {
      g_autofree char *key = g_strdup_printf ("bookmark-%u", i);
      g_autofree char *text = g_key_file_get_string (file, group, key, NULL);
      guint step = 0, rewrite = 0;
      if (text && sscanf (text, "%u.%u", &step, &rewrite) >= 1)
        {
          /* People write the step that they are in; a position counts whole steps. */
          PhPosition at = { rewrite > 0 ? step - 1 : step, rewrite };
          ph_document_set_bookmark (ph_document_view_get_document (ph_window_get_view (window)), i, at);
        }
    }
}

gboolean
ph_session_restore (PhWindow *window)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = session_file ();

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  /* Once: a file that brings the program down is not opened for ever. */
  g_unlink (path);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i]; i++)
    restore_tab (window, file, groups[i]);
  return groups[0] != NULL;
}
