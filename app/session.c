/* session.c: saves what is open and the position in it while the program runs, so that a crash loses only computed values; and the last
 * position in each file, for the next time it is opened. The effect of a console line is saved before its reply is shown; that of the
 * pointer alone (selecting, scrolling) within a second.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "app/window-private.h"
#include "core/io/choose.h"
#include "views/hand-steps.h"
#include "views/tab-state.h"

struct _PhSession
{
  PhWindow *window;
  guint timer;
  char *written; /* (nullable) contents of the file */
  char *name;    /* of the file, its own among the sessions that run: "session.ini", "session-2.ini", ... */
  int lock;      /* on @name; the system releases it at exit. -1: the folder is not writable */
  gboolean told; /* that nothing can be kept */
  guint tries;   /* number of crashes after restoring; 0 once the program has run long enough */
  guint calm;    /* timer */
};

#define MOST_TRIES   3
#define CALM_SECONDS 30

#define MAX_SESSIONS 16
#define HELD         "session-held.ini" /* brought the program down again and again: offered, not opened */

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

/* Writes a file completely or not at all, even if the program dies, without making the main thread wait for the disk (a tenth of a
 * second). */
static gboolean
write_file (const char *data, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *new_path = g_strconcat (path, ".new", NULL);

  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents_full (new_path, data, -1, G_FILE_SET_CONTENTS_NONE, 0600, error))
    return FALSE;
  if (g_rename (new_path, path) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s: %s", path, g_strerror (errno));
  return FALSE;
}

/* --- one file for each program that runs ---------------------------------------------------------------------------- */

static char *
session_name (guint number)
{
  return number == 0 ? g_strdup ("session.ini") : g_strdup_printf ("session-%u.ini", number + 1);
}

/* Returns the lock, or -1 if another process has it or the folder is not writable. */
static int
lock_session (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".lock", NULL), *path = state_file (file), *folder = g_path_get_dirname (path);

  g_mkdir_with_parents (folder, 0700);
  int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0)
    {
      close (fd);
      return -1;
    }
  return fd;
}

static void
choose_session (PhSession *self)
{
  self->lock = -1;
  for (guint i = 0; i < MAX_SESSIONS && self->lock < 0; i++)
    {
      g_free (self->name);
      self->name = session_name (i);
      self->lock = lock_session (self->name);
    }
}

/* --- saving -------------------------------------------------------------------------------------------------------- */

static void
remember (PhDocumentView *view)
{
  g_autoptr (GKeyFile) memory = g_key_file_new ();
  const char *model_path = ph_document_get_path (ph_document_view_get_document (view));

  if (!model_path || !ph_tab_state_save (view, memory, "file"))
    return;
  g_autofree char *path = memory_of (model_path);
  g_autofree char *text = g_key_file_to_data (memory, NULL, NULL);
  if (g_strcmp0 (text, g_object_get_data (G_OBJECT (view), "remembered")) != 0 && write_file (text, path, NULL))
    g_object_set_data_full (G_OBJECT (view), "remembered", g_steal_pointer (&text), g_free);
}

static void queue_save (PhDocumentView *view);

/* Values that no session of this name feeds any more. */
static void
drop_feeds (PhSession *self, const char *prefix, const char *content)
{
  g_autofree char *folder = g_path_get_dirname (prefix), *start = g_path_get_basename (prefix),
                  *begin = g_strconcat (start, "-feed-", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      /* Compares up to the suffix, after which a file being written has more. */
      const char *suffix = strstr (name, ".npy");
      g_autofree char *id = suffix ? g_strndup (name, (gsize) (suffix - name)) : g_strdup (name),
                      *path = g_build_filename (folder, name, NULL);
      if (g_str_has_prefix (name, begin) && !strstr (content, id))
        g_unlink (path);
    }
}

/* Collects the state of all tabs. @line: (nullable) was just run in @from. Returns the number of models. */
static guint
collect (PhSession *self, GKeyFile *file, const char *prefix, PhDocumentView *from, const char *line)
{
  gboolean restoring = FALSE;
  guint n = 0;

  for (int i = 0; i < adw_tab_view_get_n_pages (self->window->tabs); i++)
    {
      PhDocumentView *view = PH_DOCUMENT_VIEW (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->window->tabs, i)));
      PhDocument *document = ph_document_view_get_document (view);
      g_autofree char *group = g_strdup_printf ("tab-%u", n + 1);
      const gboolean returning = ph_tab_state_is_restoring (view);
      const char *path = ph_document_view_get_file (view);
      if (!returning && !path && ph_console_get_expressions (ph_document_view_get_console (view))->len == 0)
        continue;
      n++;
      restoring |= returning && ph_document_view_is_seen (view);
      /* A file in a tab that was not viewed yet is not read; only its URI is saved. */
      g_autofree char *uri = path ? g_filename_to_uri (path, NULL, NULL) : NULL;
      if (returning || ph_document_is_open (document))
        ph_tab_state_save (view, file, group);
      else if (uri)
        g_key_file_set_string (file, group, "uri", uri);
      if (!returning)
        ph_tab_state_save_expressions (view, file, group);
      ph_tab_state_save_feeds (view, file, group, prefix, view == from ? line : NULL, queue_save);
      if (view == ph_window_get_view (self->window))
        g_key_file_set_boolean (file, group, "shown", TRUE);
      else
        g_key_file_remove_key (file, group, "shown", NULL);
      if (!returning && ph_document_is_open (document))
        remember (view);
    }
  if (n > 0 && (self->tries > 0 || restoring))
    g_key_file_set_integer (file, "session", "tries", (int) MAX (self->tries, 1));
  return n;
}

static void
save_after (PhSession *self, PhDocumentView *view, const char *line)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file (self->name), *prefix = g_strndup (path, strlen (path) - strlen (".ini")),
                  *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  /* This save includes the queued one. */
  g_clear_handle_id (&self->timer, g_source_remove);
  g_mkdir_with_parents (folder, 0700);
  const guint n = collect (self, file, prefix, view, line);
  g_autofree char *text = n > 0 ? g_key_file_to_data (file, NULL, NULL) : NULL;
  if (g_strcmp0 (text, self->written) == 0 && g_file_test (path, G_FILE_TEST_EXISTS) == (n > 0))
    return;
  if (n == 0)
    g_unlink (path);
  else if (!write_file (text, path, &error))
    {
      g_autofree char *message = g_strdup_printf (
          _ ("What is open cannot be kept for after a crash: %s. Make room, or set XDG_STATE_HOME to a folder "
             "that can be written."),
          error->message);
      if (!self->told)
        ph_document_view_toast (ph_window_get_view (self->window), message);
      self->told = TRUE;
      g_clear_pointer (&self->written, g_free);
      return;
    }
  drop_feeds (self, prefix, text ? text : "");
  g_free (self->written);
  self->written = g_steal_pointer (&text);
}

static void
save (PhSession *self)
{
  save_after (self, NULL, NULL);
}

static gboolean
on_timer (gpointer data)
{
  PhSession *self = data;

  self->timer = 0;
  save (self);
  return G_SOURCE_REMOVE;
}

/* Takes the view, whose signal handlers are disconnected with it: a document outlives its tab while a line runs on it. */
static void
queue_save (PhDocumentView *view)
{
  GtkRoot *window = gtk_widget_get_root (GTK_WIDGET (view));
  PhSession *self = window ? PH_WINDOW (window)->session : NULL;

  if (self && self->timer == 0)
    self->timer = g_timeout_add_seconds (1, on_timer, self);
}

/* Saves before the reply is visible: this handler is connected before those that show it. */
static void
on_finished (PhDocumentView *view, PhReply *reply)
{
  GtkRoot *window = gtk_widget_get_root (GTK_WIDGET (view));
  PhSession *self = window ? PH_WINDOW (window)->session : NULL;
  g_autofree char *folder = g_get_current_dir (), *line = NULL;

  if (!self)
    return;
  if (g_str_has_prefix (reply->command, "feed "))
    line = ph_line_to_absolute (reply->command, folder);
  save_after (self, view, line);
}

static void
on_resume (PhDocumentView *view)
{
  g_autoptr (GKeyFile) memory = g_key_file_new ();
  g_autofree char *path = memory_of (ph_document_get_path (ph_document_view_get_document (view)));

  if (g_key_file_load_from_file (memory, path, G_KEY_FILE_NONE, NULL))
    ph_tab_state_restore (view, memory, "file", TRUE);
}

/* Offers to continue at the last position in this file, but does not go there: the file may be opened to start over. */
static void
on_opened (PhDocumentView *view)
{
  const char *path = ph_document_get_path (ph_document_view_get_document (view));
  g_autofree char *memory = path ? memory_of (path) : NULL;

  queue_save (view);
  if (memory && g_file_test (memory, G_FILE_TEST_EXISTS) && !ph_tab_state_is_restoring (view) && !ph_hand_steps_compares (view))
    ph_document_view_toast_button (view, _ ("You have been in this model before."), _ ("_Continue There"),
                                   G_CALLBACK (on_resume));
}

void
ph_session_watch (PhSession *self, PhDocumentView *view)
{
  static const char *const signals[] = { "position-changed", "pipeline-changed", "feeds-changed", "bookmarks-changed",
                                         "notify::selection" };
  PhDocument *document = ph_document_view_get_document (view);

  g_signal_connect_object (document, "opened", G_CALLBACK (on_opened), view, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_object (document, signals[i], G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (ph_document_view_get_console (view), "finished", G_CALLBACK (on_finished), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (ph_document_view_get_canvas (view), "view-changed", G_CALLBACK (queue_save), view, G_CONNECT_SWAPPED);
}

/* --- the window itself --------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *key; PhViewField panel; } panels[] = {
  { "pipeline", PH_VIEW_PIPELINE }, { "inspector", PH_VIEW_INSPECTOR }, { "bottom", PH_VIEW_BOTTOM },
};
/* clang-format on */

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
    g_key_file_set_boolean (file, "window", panels[i].key, ph_window_wants_panel (window, panels[i].panel));
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  write_file (text, path, NULL);
}

static void
restore_window (PhWindow *window)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file ("window.ini");

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  int width = g_key_file_get_integer (file, "window", "width", NULL),
      height = g_key_file_get_integer (file, "window", "height", NULL);
  if (width >= 360 && height >= 300)
    gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  if (g_key_file_get_boolean (file, "window", "maximized", NULL))
    gtk_window_maximize (GTK_WINDOW (window));
}

void
ph_session_restore_panels (PhSession *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file ("window.ini");

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (panels); i++)
    if (g_key_file_has_key (file, "window", panels[i].key, NULL))
      ph_window_set_panel (self->window, panels[i].panel, g_key_file_get_boolean (file, "window", panels[i].key, NULL));
}

/* --- life ---------------------------------------------------------------------------------------------------------- */

PhSession *
ph_session_new (PhWindow *window)
{
  PhSession *self = g_new0 (PhSession, 1);

  self->window = window;
  choose_session (self);
  restore_window (window);
  return self;
}

void
ph_session_free (PhSession *self)
{
  g_autofree char *path = state_file (self->name), *prefix = g_strndup (path, strlen (path) - strlen (".ini"));

  g_clear_handle_id (&self->calm, g_source_remove);
  if (self->timer)
    save (self);
  save_window (self->window);
  g_unlink (path);
  drop_feeds (self, prefix, "");
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->written);
  g_free (self->name);
  g_free (self);
}

static gboolean
shows_nothing (PhDocumentView *view)
{
  return !ph_document_view_get_file (view) && ph_console_get_expressions (ph_document_view_get_console (view))->len == 0;
}

/* Returns how many models were opened. */
static guint
restore_from (PhWindow *window, const char *name)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = state_file (name);
  PhDocumentView *shown = NULL;
  guint n = 0;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return 0;
  /* Stops after a few attempts: a file that crashes the program would do so each time. */
  const guint tries = (guint) CLAMP (g_key_file_get_integer (file, "session", "tries", NULL), 0, MOST_TRIES);
  if (tries >= MOST_TRIES && !g_str_equal (name, HELD))
    {
      g_autofree char *held = state_file (HELD);
      g_rename (path, held);
      return 0;
    }
  window->session->tries = MAX (window->session->tries, tries + 1);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i]; i++)
    {
      g_autofree char *uri = g_key_file_get_string (file, groups[i], "uri", NULL);
      g_autofree char *model_path = uri ? g_filename_from_uri (uri, NULL, NULL) : NULL;
      if (!model_path)
        {
          if (!g_key_file_has_key (file, groups[i], "expressions", NULL))
            continue;
          /* A tab without a model in which something was computed. */
          if (n > 0 || !shows_nothing (ph_window_get_view (window)))
            gtk_widget_activate_action (GTK_WIDGET (window), "win.new-tab", NULL);
          n++;
          ph_tab_state_restore_expressions (ph_window_get_view (window), file, groups[i]);
          continue;
        }
      n++;
      g_autofree char *held = ph_io_file_of (model_path);
      if (!held)
        {
          g_autofree char *shown_name = g_filename_display_name (model_path);
          g_autofree char *text = g_strdup_printf (_ ("%s was open and is not there any more."), shown_name);
          ph_document_view_toast (ph_window_get_view (window), text);
          continue;
        }
      PhDocumentView *view = ph_window_open_tab (window, model_path);
      ph_tab_state_restore (view, file, groups[i], TRUE);
      if (g_key_file_get_boolean (file, groups[i], "shown", NULL))
        shown = view;
    }
  if (shown)
    adw_tab_view_set_selected_page (window->tabs, adw_tab_view_get_page (window->tabs, GTK_WIDGET (shown)));
  return n;
}

static void
on_open_held (PhDocumentView *view)
{
  PhWindow *window = PH_WINDOW (gtk_widget_get_root (GTK_WIDGET (view)));
  g_autofree char *path = state_file (HELD);

  restore_from (window, HELD);
  save (window->session);
  g_unlink (path);
}

static void
offer_held (PhWindow *window)
{
  g_autofree char *path = state_file (HELD);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    ph_document_view_toast_button (ph_window_get_view (window), _ ("What was open brought Peephole down several times."),
                                   _ ("_Open It Again"), G_CALLBACK (on_open_held));
}

static gboolean
be_calm (gpointer data)
{
  PhSession *self = data;

  self->calm = self->tries = 0;
  save (self);
  return G_SOURCE_REMOVE;
}

/* Restores the tabs, including those of other processes that no longer run. Everything is saved to this session's file before theirs are
 * removed, so that nothing is lost if the program is killed in between. */
gboolean
ph_session_restore (PhWindow *window)
{
  PhSession *self = window->session;
  int locks[MAX_SESSIONS] = { 0 };
  guint n = 0;

  for (guint i = 0; i < MAX_SESSIONS; i++)
    {
      g_autofree char *name = session_name (i);
      g_autofree char *path = state_file (name);
      gboolean own = g_str_equal (name, self->name);
      int lock = own || !g_file_test (path, G_FILE_TEST_EXISTS) ? -1 : lock_session (name);
      if (own || lock >= 0)
        n += restore_from (window, name);
      locks[i] = lock;
    }
  if (n > 0)
    save (self);
  for (guint i = 0; i < MAX_SESSIONS; i++)
    if (locks[i] >= 0)
      {
        g_autofree char *name = session_name (i), *path = state_file (name);
        g_unlink (path);
        close (locks[i]);
      }
  offer_held (window);
  if (n == 0)
    return FALSE;
  g_clear_handle_id (&self->calm, g_source_remove);
  self->calm = g_timeout_add_seconds (CALM_SECONDS, be_calm, self);
  return TRUE;
}
