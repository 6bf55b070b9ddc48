/* session.c: what is open and where, kept while the program runs, so that a crash loses nothing but the values; and where one was
 * in each file, for the next time that it is opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/session.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "app/window-private.h"
#include "views/view-state.h"

struct _PhSession
{
  PhWindow *window;
  guint     timer;
};

/* --- files --------------------------------------------------------------------------------------------------------- */

static char *
state_file (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), "peephole", name, NULL);
}

static char *
memory_of (const char *path)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA1, path, -1);
  g_autofree char *name = g_strconcat (sum, ".ini", NULL), *folder = state_file ("files");

  return g_build_filename (folder, name, NULL);
}

static void
write_file (GKeyFile *file, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_mkdir_with_parents (folder, 0700);
  g_key_file_save_to_file (file, path, NULL);
}

/* --- saving -------------------------------------------------------------------------------------------------------- */

static void
remember (PhDocumentView *view)
{
  g_autoptr (GKeyFile) memory = g_key_file_new ();
  g_autofree char *path = memory_of (ph_document_get_path (ph_document_view_get_document (view)));

  if (ph_view_state_save (view, memory, "file"))
    write_file (memory, path);
}

static gboolean
save (gpointer data)
{
  PhSession *self = data;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file ("session.ini"), *folder = g_path_get_dirname (path);
  guint n = 0;

  self->timer = 0;
  for (int i = 0; i < adw_tab_view_get_n_pages (self->window->tabs); i++)
    {
      PhDocumentView *view = PH_DOCUMENT_VIEW (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->window->tabs, i)));
      g_autofree char *group = g_strdup_printf ("tab-%u", n + 1);
      if (!ph_document_is_open (ph_document_view_get_document (view)) || !ph_document_get_path (ph_document_view_get_document (view)))
        continue;
      n++;
      g_mkdir_with_parents (folder, 0700);
      ph_view_state_save (view, file, group);
      ph_view_state_save_feeds (view, file, group, folder);
      if (view == ph_window_get_view (self->window))
        g_key_file_set_boolean (file, group, "shown", TRUE);
      if (!ph_view_state_is_restoring (view))
        remember (view);
    }
  if (n == 0)
    g_unlink (path);
  else
    write_file (file, path);
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

static void
on_resume (PhDocumentView *view)
{
  g_autoptr (GKeyFile) memory = g_key_file_new ();
  g_autofree char *path = memory_of (ph_document_get_path (ph_document_view_get_document (view)));

  if (g_key_file_load_from_file (memory, path, G_KEY_FILE_NONE, NULL))
    ph_view_state_restore (view, memory, "file", TRUE);
}

/* Where one was in this file the last time is offered, not done: the file may be opened to begin anew. */
static void
on_opened (PhDocumentView *view)
{
  const char *path = ph_document_get_path (ph_document_view_get_document (view));
  g_autofree char *memory = path ? memory_of (path) : NULL;

  queue_save (view);
  if (memory && g_file_test (memory, G_FILE_TEST_EXISTS) && !ph_view_state_is_restoring (view))
    ph_document_view_toast_button (view, _("You have been in this model before."), _("_Continue There"), G_CALLBACK (on_resume));
}

void
ph_session_watch (PhSession *self, PhDocumentView *view)
{
  static const char *const signals[] = { "position-changed", "pipeline-changed", "feeds-changed", "bookmarks-changed", "notify::selection" };
  PhDocument *document = ph_document_view_get_document (view);

  g_signal_connect_object (document, "opened", G_CALLBACK (on_opened), view, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_object (document, signals[i], G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (ph_document_view_get_canvas (view), "view-changed", G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
}

/* --- the window itself --------------------------------------------------------------------------------------------- */

static const struct { const char *key; gsize offset; } panels[] = {
  { "pipeline", G_STRUCT_OFFSET (PhWindow, history_panel) },
  { "inspector", G_STRUCT_OFFSET (PhWindow, inspector) },
  { "bottom", G_STRUCT_OFFSET (PhWindow, bottom_pane) },
};

static void
save_window (PhWindow *window)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file ("window.ini");
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (window), &width, &height);
  g_key_file_set_integer (file, "window", "width", width);
  g_key_file_set_integer (file, "window", "height", height);
  g_key_file_set_boolean (file, "window", "maximized", gtk_window_is_maximized (GTK_WINDOW (window)));
  for (guint i = 0; i < G_N_ELEMENTS (panels); i++)
    g_key_file_set_boolean (file, "window", panels[i].key, gtk_widget_get_visible (G_STRUCT_MEMBER (GtkWidget *, window, panels[i].offset)));
  write_file (file, path);
}

static void
restore_window (PhWindow *window)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file ("window.ini");

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  int width = g_key_file_get_integer (file, "window", "width", NULL), height = g_key_file_get_integer (file, "window", "height", NULL);
  if (width >= 400 && height >= 300)
    gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  if (g_key_file_get_boolean (file, "window", "maximized", NULL))
    gtk_window_maximize (GTK_WINDOW (window));
  for (guint i = 0; i < G_N_ELEMENTS (panels); i++)
    if (g_key_file_has_key (file, "window", panels[i].key, NULL))
      gtk_widget_set_visible (G_STRUCT_MEMBER (GtkWidget *, window, panels[i].offset), g_key_file_get_boolean (file, "window", panels[i].key, NULL));
}

/* --- life ---------------------------------------------------------------------------------------------------------- */

PhSession *
ph_session_new (PhWindow *window)
{
  PhSession *self = g_new0 (PhSession, 1);

  self->window = window;
  restore_window (window);
  return self;
}

void
ph_session_free (PhSession *self, gboolean keep)
{
  g_autofree char *path = state_file ("session.ini");

  if (self->timer)
    {
      g_clear_handle_id (&self->timer, g_source_remove);
      save (self);
    }
  save_window (self->window);
  if (!keep)
    g_unlink (path);
  g_free (self);
}

gboolean
ph_session_restore (PhWindow *window)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file ("session.ini");
  PhDocumentView *shown = NULL;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  /* Once: a file that brings the program down is not opened for ever. */
  g_unlink (path);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i]; i++)
    {
      g_autofree char *model_path = g_key_file_get_string (file, groups[i], "path", NULL);
      if (!model_path || !g_file_test (model_path, G_FILE_TEST_EXISTS))
        continue;
      g_autoptr (GFile) model = g_file_new_for_path (model_path);
      ph_window_open (window, model);
      PhDocumentView *view = ph_window_get_view (window);
      ph_view_state_restore (view, file, groups[i], TRUE);
      if (g_key_file_get_boolean (file, groups[i], "shown", NULL))
        shown = view;
    }
  if (shown)
    adw_tab_view_set_selected_page (window->tabs, adw_tab_view_get_page (window->tabs, GTK_WIDGET (shown)));
  return groups[0] != NULL;
}
