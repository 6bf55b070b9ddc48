/* driver.c: a real window in this process, driven by real key and pointer events.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver.h"

#include <gdk/x11/gdkx.h>
#include <glib/gstdio.h>

static PhApplication *application;
static char *home;
static char *last_line, *last_text;
static gboolean last_ok;
static PhConsole *watched;       /* (unowned) */

/* --- the main loop -------------------------------------------------------------------------------------------------- */

static gboolean
time_out (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
look_again (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

void
driver_wait (DriverCondition condition, gpointer data, double seconds, const char *what)
{
  gboolean late = FALSE;
  guint timer = g_timeout_add ((guint) (seconds * 1000), time_out, &late);
  /* Conditions of the world outside do not wake the loop. */
  guint look = g_timeout_add (3, look_again, NULL);

  while (!condition (data) && !late)
    g_main_context_iteration (NULL, TRUE);
  if (late)
    g_error ("%.0f seconds went by without this: %s", seconds, what);
  g_source_remove (timer);
  g_source_remove (look);
}

static gboolean
is_true (gpointer data)
{
  return *(gboolean *) data;
}

void
driver_pause (double seconds)
{
  gboolean over = FALSE;

  g_timeout_add ((guint) (seconds * 1000), time_out, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
is_settled (gpointer data)
{
  return !ph_console_is_running (driver_console ()) && !ph_document_view_is_working (ph_window_get_view (driver_window ()));
}

void
driver_settle (void)
{
  /* A frame goes by twice: what a frame starts may end before the next. */
  for (int i = 0; i < 2; i++)
    {
      driver_wait (is_settled, NULL, 120, "the window comes to rest");
      driver_pause (0.03);
    }
}

/* --- events ---------------------------------------------------------------------------------------------------------- */

static void
on_exit_of_xdotool (GPid pid, int status, gpointer data)
{
  g_spawn_close_pid (pid);
  *(gboolean *) data = TRUE;
}

static void
xdotool (char **arguments)
{
  g_autoptr (GError) error = NULL;
  gboolean done = FALSE;
  GPid pid;

  g_spawn_async (NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, &error);
  g_assert_no_error (error);
  g_child_watch_add (pid, on_exit_of_xdotool, &done);
  driver_wait (is_true, &done, 20, "xdotool ends");
}

/* There is no window manager under Xvfb: the newest visible window is given the keyboard by hand. */
static GtkWindow *
front_window (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  GtkWindow *front = GTK_WINDOW (driver_window ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      if (gtk_widget_get_mapped (GTK_WIDGET (window)) && gtk_window_get_transient_for (window) == GTK_WINDOW (driver_window ()))
        front = window;
    }
  return front;
}

static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (window);
}

static void
focus_front (void)
{
  GtkWindow *window = front_window ();

  if (gtk_window_is_active (window))
    return;
  g_autofree char *id = g_strdup_printf ("%lu", gdk_x11_surface_get_xid (gtk_native_get_surface (GTK_NATIVE (window))));
  char *arguments[] = { "xdotool", "windowfocus", id, NULL };
  xdotool (arguments);
  driver_wait (is_active, window, 20, "the window has the keyboard");
}

void
driver_key (const char *keys)
{
  char *arguments[] = { "xdotool", "key", "--delay", "20", (char *) keys, NULL };

  focus_front ();
  xdotool (arguments);
  driver_settle ();
}

void
driver_type (const char *text)
{
  char *arguments[] = { "xdotool", "type", "--delay", "15", "--", (char *) text, NULL };

  focus_front ();
  xdotool (arguments);
  driver_settle ();
}

void
driver_click (GtkWidget *widget, double x, double y, int button)
{
  GtkNative *native = gtk_widget_get_native (widget);
  graphene_point_t point;
  double offset_x, offset_y;
  Window xid = gdk_x11_surface_get_xid (gtk_native_get_surface (native));

  g_assert_true (gtk_widget_compute_point (widget, GTK_WIDGET (native), &GRAPHENE_POINT_INIT ((float) x, (float) y), &point));
  gtk_native_get_surface_transform (native, &offset_x, &offset_y);
  g_autofree char *id = g_strdup_printf ("%lu", xid), *n = g_strdup_printf ("%d", button);
  g_autofree char *px = g_strdup_printf ("%.0f", point.x + offset_x), *py = g_strdup_printf ("%.0f", point.y + offset_y);
  char *arguments[] = { "xdotool", "mousemove", "--window", id, px, py, "sleep", "0.03", "click", n, NULL };
  xdotool (arguments);
  driver_settle ();
}

/* --- the window ------------------------------------------------------------------------------------------------------ */

PhWindow *
driver_window (void)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (application)); l; l = l->next)
    if (PH_IS_WINDOW (l->data))
      return l->data;
  g_error ("The window is gone");
}

PhDocument *
driver_document (void)
{
  return ph_document_view_get_document (ph_window_get_view (driver_window ()));
}

static void
on_finished (PhConsole *console, PhReply *reply)
{
  g_free (last_line);
  g_free (last_text);
  last_line = g_strdup (reply->command);
  last_text = g_strdup (reply->ok ? reply->text->str : reply->error->message);
  last_ok = reply->ok;
  g_test_message ("> %s: %s", last_line, last_text);
}

PhConsole *
driver_console (void)
{
  PhConsole *console = ph_document_view_get_console (ph_window_get_view (driver_window ()));

  if (console != watched)
    g_signal_connect (console, "finished", G_CALLBACK (on_finished), NULL);
  watched = console;
  return console;
}

const char *
driver_last_line (void)
{
  return last_line;
}

const char *
driver_last_text (void)
{
  return last_text;
}

gboolean
driver_last_ok (void)
{
  return last_ok;
}

char *
driver_example (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnxtxt", NULL);
  return g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", file, NULL);
}

void
driver_open (const char *path)
{
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *line = g_strconcat ("open ", quoted, NULL);

  driver_console ();
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
}

GtkWidget *
driver_find (GtkWidget *root, GType type)
{
  if (g_type_is_a (G_OBJECT_TYPE (root), type))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = driver_find (child, type);
      if (found)
        return found;
    }
  return NULL;
}

static gboolean
is_mapped (gpointer window)
{
  return gtk_widget_get_mapped (window);
}

/* LeakSanitizer asks this at the end. What a window of GTK, its file chooser, its recent files and their threads keep or lose in
 * the libraries below depends on what was clicked and when, so leaks are looked for in all tests but those of the window; errors of
 * memory and undefined behaviour are looked for here too. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return 1;
}

/* GTK 4.8 warns of its own scrollbars and handles that it draws them a frame before it has placed them, when an action takes a
 * widget away in that moment. That is no fault of the window's; any other warning ends the test. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") && g_str_has_prefix (fields[i].value, "Trying to snapshot Gtk"))
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, data);
}

gboolean
driver_init (int *argc, char ***argv)
{
  g_autofree char *tool = g_find_program_in_path ("xdotool");
  g_autoptr (GError) error = NULL;

  g_log_set_writer_func (write_log, NULL, NULL);
  /* Nothing of the user's own is read or written. */
  home = g_dir_make_tmp ("peephole-ui-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", home, TRUE);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  g_setenv ("GDK_BACKEND", "x11", TRUE);
  g_setenv ("GSK_RENDERER", "cairo", FALSE);
  g_setenv ("GTK_A11Y", "none", FALSE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_test_init (argc, argv, NULL);
  if (!g_getenv ("DISPLAY") || !tool)
    return FALSE;

  application = ph_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_OPEN);
  g_application_set_default (G_APPLICATION (application));
  if (!g_application_register (G_APPLICATION (application), NULL, &error))
    {
      g_test_message ("%s", error->message);
      return FALSE;
    }
  g_application_activate (G_APPLICATION (application));
  GtkWindow *window = GTK_WINDOW (driver_window ());
  gtk_window_set_default_size (window, 1180, 760);
  driver_wait (is_mapped, window, 20, "the window is on the screen");
  driver_settle ();
  return TRUE;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      remove_tree (child);
    }
  g_remove (path);
}

void
driver_finish (void)
{
  if (application)
    {
      gtk_window_destroy (GTK_WINDOW (driver_window ()));
      driver_pause (0.3);
      g_clear_object (&application);
    }
  remove_tree (home);
  g_clear_pointer (&home, g_free);
  g_clear_pointer (&last_line, g_free);
  g_clear_pointer (&last_text, g_free);
}
