/* driver.c: a real window in this process, driven by real key and pointer events.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver-private.h"

#include <stdlib.h>

#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static PhApplication *application;
static char *home;
static char *last_line, *last_text;
static gboolean last_ok;
static guint n_lines;
Display *driver_display; /* for events only: GDK has a connection of its own */

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

void
driver_pause (double seconds)
{
  gboolean over = FALSE;

  g_timeout_add ((guint) (seconds * 1000), time_out, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}

gboolean
driver_has_window (void)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (application)); l; l = l->next)
    if (PH_IS_WINDOW (l->data))
      return TRUE;
  return FALSE;
}

static gboolean
is_settled (gpointer data)
{
  if (!driver_has_window ())
    return TRUE;
  return !ph_console_is_running (driver_console ()) && !ph_document_view_is_working (ph_window_get_view (driver_window ()));
}

/* What has been sent is here, and nothing that can be done now is left: no event, no idle source, no timer that is due. */
void
driver_drain (void)
{
  gint64 until = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;

  XSync (driver_display, False);
  gdk_display_sync (gdk_display_get_default ());
  while (g_main_context_pending (NULL) && g_get_monotonic_time () < until)
    g_main_context_iteration (NULL, FALSE);
}

static gboolean
is_painted (gpointer frame)
{
  GdkFrameClock *clock = driver_has_window () ? gtk_widget_get_frame_clock (GTK_WIDGET (driver_window ())) : NULL;

  return !clock || gdk_frame_clock_get_frame_counter (clock) > *(gint64 *) frame;
}

void
driver_frame (void)
{
  GdkFrameClock *clock = driver_has_window () ? gtk_widget_get_frame_clock (GTK_WIDGET (driver_window ())) : NULL;

  if (!clock)
    return;
  gint64 frame = gdk_frame_clock_get_frame_counter (clock);
  gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_PAINT);
  driver_wait (is_painted, &frame, 120, "a frame is painted");
}

void
driver_settle (void)
{
  /* What a frame starts may end only before the next, and some things wait for a frame to go by first: at rest is what is so after three
   * in a row. */
  for (int quiet = 0; quiet < 3; quiet++)
    {
      driver_drain ();
      if (!is_settled (NULL))
        {
          driver_wait (is_settled, NULL, 600, "the window comes to rest");
          quiet = 0;
        }
      driver_frame ();
    }
  driver_drain ();
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

static gboolean
is_mapped (gpointer window)
{
  return gtk_widget_get_mapped (window);
}

void
driver_open_window (void)
{
  driver_log_arm ();
  if (driver_has_window ())
    return;
  g_application_activate (G_APPLICATION (application));
  gtk_window_set_default_size (GTK_WINDOW (driver_window ()), 1180, 760);
  driver_wait (is_mapped, driver_window (), 20, "the window is on the screen");
}

void
driver_resize (int width, int height)
{
  XResizeWindow (driver_display, driver_xid (GTK_NATIVE (driver_window ())), (guint) width, (guint) height);
  driver_drain ();
}

guint
driver_n_tabs (void)
{
  AdwTabView *tabs = ADW_TAB_VIEW (driver_find (GTK_WIDGET (driver_window ()), ADW_TYPE_TAB_VIEW));

  return (guint) adw_tab_view_get_n_pages (tabs);
}

PhDocument *
driver_document (void)
{
  return ph_document_view_get_document (ph_window_get_view (driver_window ()));
}

void
driver_activate (const char *detailed)
{
  g_autoptr (GVariant) target = NULL;
  g_autofree char *name = NULL;

  g_assert_true (g_action_parse_detailed_name (detailed, &name, &target, NULL));
  gtk_widget_activate_action_variant (GTK_WIDGET (driver_window ()), name, target);
}

void
driver_look (const char *line)
{
  g_autoptr (GError) error = NULL;

  ph_view_state_say (ph_document_get_view (driver_document ()), line, &error);
  g_assert_no_error (error);
}

gboolean
driver_is_on (PhViewField field)
{
  return ph_view_state_is_on (ph_document_get_view (driver_document ()), field);
}

/* The window and all that is open in it. */
static void
watch_tabs (void)
{
  AdwTabView *tabs = ADW_TAB_VIEW (driver_find (GTK_WIDGET (driver_window ()), ADW_TYPE_TAB_VIEW));

  driver_watch (driver_window ());
  for (int i = 0; i < adw_tab_view_get_n_pages (tabs); i++)
    {
      PhDocumentView *view = PH_DOCUMENT_VIEW (
          driver_find (adw_tab_page_get_child (adw_tab_view_get_nth_page (tabs, i)), PH_TYPE_DOCUMENT_VIEW));

      driver_watch (view);
      driver_watch (ph_document_view_get_document (view));
      driver_watch (ph_document_view_get_console (view));
      driver_watch (ph_document_view_get_canvas (view));
    }
}

static void
on_finished (PhConsole *console, PhReply *reply)
{
  g_free (last_line);
  g_free (last_text);
  last_line = g_strdup (reply->command);
  last_text = g_strdup (reply->ok ? reply->text->str : reply->error->message);
  last_ok = reply->ok;
  n_lines++;
  g_test_message ("> %s: %.2000s", last_line, last_text);
}

PhConsole *
driver_console (void)
{
  PhConsole *console = ph_document_view_get_console (ph_window_get_view (driver_window ()));

  if (!g_signal_handler_find (console, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, on_finished, NULL))
    {
      g_signal_connect (console, "finished", G_CALLBACK (on_finished), NULL);
      watch_tabs ();
    }
  return console;
}

guint
driver_n_lines (void)
{
  return n_lines;
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

static gboolean
is_last_line (gpointer line)
{
  return g_strcmp0 (last_line, line) == 0;
}

void
driver_expect_line (const char *line)
{
  g_autofree char *what = g_strdup_printf ("the line '%s'; the last one was '%s' when this wait began", line,
                                           last_line ? last_line : "");

  driver_wait (is_last_line, (gpointer) line, 30, what);
  driver_settle ();
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

PhGraphPane *
driver_pane (void)
{
  return ph_document_view_get_pane (ph_window_get_view (driver_window ()));
}

PhGraphCanvas *
driver_canvas (void)
{
  return ph_document_view_get_canvas (ph_window_get_view (driver_window ()));
}

void
driver_run (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  driver_console ();
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  if (!driver_last_ok ())
    g_error ("%s: %s", line, driver_last_text ());
}

void
driver_open_example (const char *name, const char *pipeline)
{
  g_autofree char *path = driver_example (name);

  driver_open (path);
  g_assert_true (driver_last_ok ());
  if (pipeline)
    driver_run ("pipeline %s", pipeline);
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

GtkWidget *
driver_find_named (GtkWidget *root, const char *id)
{
  if (g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (root)), id) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = driver_find_named (child, id);
      if (found)
        return found;
    }
  return NULL;
}

GtkWidget *
driver_find_button (GtkWidget *root, const char *label)
{
  if (GTK_IS_BUTTON (root) && gtk_widget_get_mapped (root) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (root)), label) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = driver_find_button (child, label);
      if (found)
        return found;
    }
  return NULL;
}

gboolean
driver_has_text (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) && strstr (gtk_label_get_text (GTK_LABEL (root)), text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    if (driver_has_text (child, text))
      return TRUE;
  return FALSE;
}

typedef struct
{
  GtkWidget *root;
  const char *text;
} Text;

static gboolean
has_text (gpointer data)
{
  const Text *text = data;

  return driver_has_text (text->root, text->text);
}

void
driver_expect_text (GtkWidget *root, const char *text)
{
  g_autofree char *what = g_strdup_printf ("a label says '%s'", text);

  driver_wait (has_text, &(Text) { root, text }, 30, what);
}

gboolean
driver_init (int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;

  /* Nothing of the user's own is read or written. */
  home = g_getenv ("PEEPHOLE_UI_HOME") ? g_strdup (g_getenv ("PEEPHOLE_UI_HOME")) : g_dir_make_tmp ("peephole-ui-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", home, TRUE);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  g_setenv ("HOME", home, TRUE);
  g_setenv ("GDK_BACKEND", "x11", TRUE);
  g_setenv ("GSK_RENDERER", "cairo", FALSE);
  g_setenv ("GTK_A11Y", "none", FALSE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_test_init (argc, argv, NULL);
  driver_log_init ();
  driver_spare_glib ();
  driver_display = XOpenDisplay (NULL);
  int event, error_base, major, minor;
  if (!driver_display || !XTestQueryExtension (driver_display, &event, &error_base, &major, &minor))
    {
      g_print ("1..0 # SKIP no X display with XTEST: run this below xvfb-run\n");
      driver_remove (home);
      return FALSE;
    }

  application = ph_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_OPEN);
  g_application_set_default (G_APPLICATION (application));
  if (!g_application_register (G_APPLICATION (application), NULL, &error))
    g_error ("%s", error->message);
  /* Looking for recent files that are too old, GTK 4.8 loses the time at which it looked (gtk_recent_manager_clamp_to_age). */
  g_object_set (gtk_settings_get_default (), "gtk-recent-files-max-age", -1, NULL);
  /* What is animated is at its end at once, unless a test asks for it. */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  driver_open_window ();
  driver_settle ();
  return TRUE;
}

void
driver_remove (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      driver_remove (child);
    }
  g_remove (path);
}

int
driver_main (void)
{
  int status = g_test_run ();

  while (driver_has_window ())
    {
      watch_tabs ();
      gtk_window_destroy (GTK_WINDOW (driver_window ()));
    }
  driver_rest ();
  g_clear_object (&application);
  driver_drain ();
  XCloseDisplay (driver_display);
  if (!g_getenv ("PEEPHOLE_UI_HOME"))
    driver_remove (home);
  g_clear_pointer (&home, g_free);
  g_clear_pointer (&last_line, g_free);
  g_clear_pointer (&last_text, g_free);
  return status;
}
