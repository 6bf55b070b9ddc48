/* trouble.c: disks that are full, folders that cannot be written, files that go away or have odd names, other programs that run at the
 * same time, no layout helper: each is told, and nothing is lost.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "app/palette.h"
#include "app/session.h"
#include "tests/ui/driver-private.h"

static void
run (const char *line)
{
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
}

static char *
state_path (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), "peephole", name, NULL);
}

/* A copy of an example, to do things to. */
static char *
copy_example (const char *example, const char *name)
{
  g_autofree char *path = driver_example (example), *text = NULL;
  char *copy = g_build_filename (g_get_user_state_dir (), name, NULL);

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_file_set_contents (copy, text, -1, NULL));
  return copy;
}

static gboolean
file_exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Opens @path and waits until that is kept for after a crash. */
static void
save_session (const char *path)
{
  g_autofree char *session = state_path ("session.ini");

  g_unlink (session);
  driver_open (path);
  driver_wait (file_exists, session, 30, "the session is saved");
}

/* --- saving ------------------------------------------------------------------------------------------------------------ */

/* What is written fails as on a full disk. */
static void
fill_disk (gboolean full)
{
  static struct rlimit before;

  if (full)
    {
      /* GTK writes the list of recent files a quarter of a second after one was opened, and warns when it cannot. */
      driver_pause (0.4);
      signal (SIGXFSZ, SIG_IGN);
      g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &(struct rlimit) { 16, before.rlim_max }), ==, 0);
    }
  else
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
}

static void
test_disk_full (gconstpointer suffix)
{
  g_autofree char *name = g_strconcat ("full", suffix, NULL), *path = copy_example ("seed", name);
  g_autofree char *text = NULL, *after = NULL, *example = driver_example ("cse");
  g_autofree char *line = g_strconcat (g_str_has_prefix (suffix, ".onnx") ? "save " : "render ", path, NULL);

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  driver_open (example);
  fill_disk (TRUE);
  run (line);
  gboolean ok = driver_last_ok ();
  g_autofree char *message = g_strdup (driver_last_text ());
  fill_disk (FALSE);
  g_test_message ("%s", message);
  g_assert_false (ok);
  g_assert_nonnull (strstr (message, name));
  g_assert_true (ph_document_is_open (driver_document ()));
  /* What was there before is there still. */
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_cmpstr (after, ==, text);
  g_unlink (path);
}

static void
test_state_folder (void)
{
  g_autofree char *bare = g_build_filename (g_get_user_state_dir (), "peephole", NULL),
                  *away = g_build_filename (g_get_user_state_dir (), "away", NULL);
  g_autofree char *example = driver_example ("cse");

  save_session (example);
  g_assert_cmpint (g_rename (bare, away), ==, 0);
  g_assert_true (g_file_set_contents (bare, "", 0, NULL));
  run ("step");
  driver_expect_text (GTK_WIDGET (driver_window ()), "cannot be kept");
  g_unlink (bare);
  g_assert_cmpint (g_rename (away, bare), ==, 0);
}

/* --- files ------------------------------------------------------------------------------------------------------------- */

static void
test_vanished (void)
{
  g_autofree char *path = copy_example ("seed", "vanishing.onnxtxt");

  driver_open (path);
  g_assert_true (driver_last_ok ());
  run ("step");
  g_unlink (path);
  run ("reload");
  g_assert_false (driver_last_ok ());
  g_assert_nonnull (strstr (driver_last_text (), "vanishing.onnxtxt"));
  g_assert_true (ph_document_is_open (driver_document ()));
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 1);
}

static gboolean
is_open (gpointer path)
{
  return g_strcmp0 (ph_document_get_path (driver_document ()), path) == 0;
}

static void
open_in_window (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  ph_window_open (driver_window (), file);
  driver_settle ();
}

static void
test_twice (void)
{
  g_autofree char *path = copy_example ("seed", "twice.onnxtxt");

  driver_open (path);
  PhDocument *first = driver_document ();
  run ("step");
  const guint n_tabs = driver_n_tabs ();
  driver_key ("ctrl+t");
  /* It is gone to, as it is, and the empty tab that was there for it goes. */
  open_in_window (path);
  g_assert_true (driver_document () == first);
  g_assert_cmpuint (ph_document_get_position (first).step, ==, 1);
  driver_pause (0.2);
  g_assert_cmpuint (driver_n_tabs (), ==, n_tabs);
  /* By another name, too. */
  g_autofree char *link = g_build_filename (g_get_user_state_dir (), "link.onnxtxt", NULL);
  g_assert_cmpint (symlink (path, link), ==, 0);
  open_in_window (link);
  g_assert_true (driver_document () == first);
  g_assert_cmpuint (driver_n_tabs (), ==, n_tabs);
}

static gboolean
has_bytes (gpointer session)
{
  g_autofree char *content = NULL;

  return g_file_get_contents (session, &content, NULL, NULL) && strstr (content, "%FF%FE");
}

static void
test_bytes (void)
{
  g_autofree char *path = copy_example ("cse", "\xff\xfe name_&<b>.onnxtxt"), *session = state_path ("session.ini");

  g_unlink (session);
  open_in_window (path);
  driver_wait (is_open, path, 30, "the file is open");
  run ("step");
  g_assert_true (has_bytes (session));
  PhDocument *before = driver_document ();
  g_assert_true (ph_session_restore (driver_window ()));
  driver_settle ();
  driver_wait (is_open, path, 30, "the file is open");
  g_assert_true (driver_document () != before);
  driver_key ("ctrl+w");
}

/* --- other programs ---------------------------------------------------------------------------------------------------- */

static void
test_two_at_once (void)
{
  g_autofree char *session = state_path ("session-2.ini"), *lock = state_path ("session-2.ini.lock"),
                  *own = state_path ("session.ini");
  g_autofree char *path = copy_example ("seed", "other.onnxtxt"), *uri = g_filename_to_uri (path, NULL, NULL);
  g_autofree char *text = g_strdup_printf ("[tab-1]\nuri=%s\npipeline=O1\nposition=0\n", uri);
  g_autofree char *example = driver_example ("cse");

  save_session (example);
  g_unlink (own);
  g_assert_true (g_file_set_contents (session, text, -1, NULL));
  /* Another program runs: what it has open is its own. */
  int fd = open (lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  g_assert_false (ph_session_restore (driver_window ()));
  g_assert_true (g_file_test (session, G_FILE_TEST_EXISTS));
  /* It was killed. */
  close (fd);
  g_assert_true (ph_session_restore (driver_window ()));
  driver_wait (is_open, path, 30, "the file is open");
  g_assert_false (g_file_test (session, G_FILE_TEST_EXISTS));
  driver_key ("ctrl+w");
}

/* What ends the program each time is not opened for ever, and not lost. */
static void
test_again_and_again (void)
{
  g_autofree char *session = state_path ("session.ini"), *held = state_path ("session-held.ini"), *content = NULL;
  g_autofree char *path = copy_example ("seed", "deadly.onnxtxt"), *uri = g_filename_to_uri (path, NULL, NULL);
  g_autofree char *text = g_strdup_printf ("[tab-1]\nuri=%s\npipeline=O1\nposition=0\n[session]\ntries=3\n", uri);

  g_assert_true (g_file_set_contents (session, text, -1, NULL));
  g_assert_false (ph_session_restore (driver_window ()));
  g_assert_false (g_file_test (session, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (held, &content, NULL, NULL) && strstr (content, uri));
  driver_expect_text (GTK_WIDGET (driver_window ()), "several times");
  driver_settle ();
  driver_click_middle (driver_find_button (GTK_WIDGET (driver_window ()), "_Open It Again"));
  driver_wait (is_open, path, 30, "the file is open all the same");
  g_assert_false (g_file_test (held, G_FILE_TEST_EXISTS));
  driver_key ("ctrl+w");
}

static void
test_gone_at_restore (void)
{
  g_autofree char *session = state_path ("session-2.ini");

  g_assert_true (g_file_set_contents (session, "[tab-1]\nuri=file:///nowhere/gone.onnx\npipeline=O1\nposition=0\n", -1, NULL));
  ph_session_restore (driver_window ());
  driver_expect_text (GTK_WIDGET (driver_window ()), "gone.onnx");
}

static void
test_no_helper (void)
{
  g_autofree char *path = driver_example ("attention"), *before = g_strdup (g_getenv ("PEEPHOLE_LAYOUT"));

  g_setenv ("PEEPHOLE_LAYOUT", "/nowhere/peephole-layout", TRUE);
  driver_open (path);
  g_assert_true (ph_document_is_open (driver_document ()));
  /* A picture, or a banner that says why there is none. */
  PhDocumentView *view = ph_window_get_view (driver_window ());
  graphene_rect_t rect;
  gboolean drawn = FALSE;
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    drawn |= ph_graph_canvas_node_rect (ph_document_view_get_canvas (view), node->id, &rect);
  g_assert_true (drawn || ph_document_view_get_banner (view));
  if (before)
    g_setenv ("PEEPHOLE_LAYOUT", before, TRUE);
  else
    g_unsetenv ("PEEPHOLE_LAYOUT");
}

/* Whatever the pointer rests on may be gone when GTK wants to show what it is. */
static void
move_onto (GtkWidget *widget)
{
  driver_move (widget, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
  driver_move (widget, gtk_widget_get_width (widget) / 2.0 + 2, gtk_widget_get_height (widget) / 2.0);
}

static void
test_tooltips (void)
{
  g_autofree char *path = driver_example ("attention");
  GtkWidget *window = GTK_WIDGET (driver_window ());

  for (int i = 0; i < 4; i++)
    {
      driver_open (path);
      GtkWidget *canvas = GTK_WIDGET (driver_canvas ());
      if (i == 0)
        {
          /* A menu, and its tab, whose picture hears nothing of a release of the button any more. */
          driver_send_click (canvas, 30, 30, 3, 1, NULL);
          driver_pause (0.1);
          GtkWidget *menu = driver_find (GTK_WIDGET (driver_pane ()), GTK_TYPE_POPOVER_MENU);
          g_assert_nonnull (menu);
          driver_watch (menu);
          move_onto (menu);
          gtk_widget_activate_action (window, "win.close-tab", NULL);
        }
      else if (i == 1)
        {
          gtk_widget_activate_action (window, "win.palette", NULL);
          driver_pause (0.1);
          move_onto (driver_find (window, PH_TYPE_PALETTE));
          driver_send_key ("Escape");
        }
      else if (i == 2)
        {
          gtk_widget_activate_action (window, "win.shortcuts", NULL);
          driver_pause (0.1);
          GtkWidget *dialog = GTK_WIDGET (driver_front ());
          g_assert_true (dialog != window);
          move_onto (dialog);
          gtk_window_close (GTK_WINDOW (dialog));
        }
      else
        {
          move_onto (canvas);
          gtk_widget_activate_action (window, "win.close-tab", NULL);
        }
      driver_pause (0.7);
    }
  driver_settle ();
}

/* A reply that is longer than any pipe, while the console is hidden. */
static void
test_long_reply (void)
{
  g_autofree char *path = driver_example ("seed");

  driver_open (path);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "view.bottom", NULL);
  for (int i = 0; i < 30; i++)
    run ("passes");
  g_assert_true (driver_last_ok ());
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "view.bottom", NULL);
  driver_settle ();
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_data_func ("/trouble/disk-full/onnx", ".onnx", test_disk_full);
  g_test_add_data_func ("/trouble/disk-full/text", ".onnxtxt", test_disk_full);
  g_test_add_data_func ("/trouble/disk-full/svg", ".svg", test_disk_full);
  g_test_add_data_func ("/trouble/disk-full/png", ".png", test_disk_full);
  g_test_add_data_func ("/trouble/disk-full/pdf", ".pdf", test_disk_full);
  g_test_add_data_func ("/trouble/disk-full/dot", ".dot", test_disk_full);
  g_test_add_func ("/trouble/state-folder", test_state_folder);
  g_test_add_func ("/trouble/vanished", test_vanished);
  g_test_add_func ("/trouble/twice", test_twice);
  g_test_add_func ("/trouble/bytes", test_bytes);
  g_test_add_func ("/trouble/two-at-once", test_two_at_once);
  g_test_add_func ("/trouble/again-and-again", test_again_and_again);
  g_test_add_func ("/trouble/gone-at-restore", test_gone_at_restore);
  g_test_add_func ("/trouble/no-helper", test_no_helper);
  g_test_add_func ("/trouble/tooltips", test_tooltips);
  g_test_add_func ("/trouble/long-reply", test_long_reply);
  return driver_main ();
}
