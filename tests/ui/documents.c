/* documents.c: what is open and where it comes back: after a crash, and when the file changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>

#include "app/session.h"
#include "tests/ui/driver.h"
#include "views/history-panel.h"
#include "views/view-state.h"

static void
run (const char *line)
{
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  if (!driver_last_ok ())
    g_error ("%s: %s", line, driver_last_text ());
}

static char *
data_file (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), name, NULL);
}

static char *
session_file (void)
{
  return g_build_filename (g_get_user_state_dir (), "peephole", "session.ini", NULL);
}

static gboolean
file_says (gpointer text)
{
  g_autofree char *path = session_file (), *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL) && strstr (content, text);
}

static gboolean
is_restored (gpointer data)
{
  return !ph_view_state_is_restoring (ph_window_get_view (driver_window ()));
}

static const char *
last_pass (void)
{
  PhHistory *history = ph_document_get_history (driver_document ());

  return history->steps->len ? g_array_index (history->steps, PhStep, history->steps->len - 1).pass : "";
}

/* A model with another one beside it: both are there after a crash, and the first as it was when they were compared. */
static void
test_compared (void)
{
  static const char first[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  c = Identity (a)\n  d = Relu (c)\n  b = Neg (d)\n}\n";
  static const char second[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  d = Sigmoid (a)\n  b = Neg (d)\n}\n";
  g_autofree char *path = data_file ("first.onnxtxt"), *other = data_file ("second.onnxtxt"), *session = session_file (), *kept = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (other);

  g_assert_true (g_file_set_contents (path, first, -1, NULL) && g_file_set_contents (other, second, -1, NULL));
  driver_open (path);
  run ("pipeline eliminate-identity,dce");
  run ("goto end");
  const guint n_nodes = ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE);
  g_assert_cmpuint (n_nodes, ==, 2);
  ph_window_compare (driver_window (), file);
  driver_settle ();
  g_assert_cmpstr (last_pass (), ==, "compare second.onnxtxt");
  driver_wait (file_says, (gpointer) "second.onnxtxt", 10, "the session is saved");
  g_assert_true (g_file_get_contents (session, &kept, NULL, NULL));
  driver_key ("ctrl+w");

  /* As it was before the tab was closed, which is saved too when a second has gone by. */
  g_assert_true (g_file_set_contents (session, kept, -1, NULL));
  g_assert_true (ph_session_restore (driver_window ()));
  driver_settle ();
  driver_wait (is_restored, NULL, 20, "the tab is as it was");
  driver_settle ();
  g_assert_cmpstr (last_pass (), ==, "compare second.onnxtxt");
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, ==, 1);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 1);
  run ("goto 0");
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, n_nodes);
  driver_key ("ctrl+w");
  driver_key ("ctrl+w");
}

/* A backward graph in the middle of a pipeline. */
static void
test_by_hand (void)
{
  g_autoptr (GKeyFile) state = g_key_file_new ();
  g_autofree char *path = driver_example ("seed");
  PhDocumentView *view = (driver_open (path), ph_window_get_view (driver_window ()));

  run ("pipeline cse,dce");
  run ("goto 1");
  run ("grad y");
  guint steps = ph_document_get_history (driver_document ())->steps->len, at = ph_document_get_position (driver_document ()).step;
  g_autofree char *pass = g_strdup (g_array_index (ph_document_get_history (driver_document ())->steps, PhStep, at - 1).pass);
  g_assert_true (ph_view_state_save (view, state, "tab"));

  driver_open (path);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 0);
  ph_view_state_restore (view, state, "tab", TRUE);
  driver_wait (is_restored, NULL, 20, "the backward graph is there again");
  driver_settle ();
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, ==, steps);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, at);
  g_assert_cmpstr (g_array_index (ph_document_get_history (driver_document ())->steps, PhStep, at - 1).pass, ==, pass);
}

/* A file that is broken for a while: what is open stays, a message says so, and the next whole one is shown. */
static void
test_broken (void)
{
  static const char good[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  b = Relu (a)\n}\n";
  static const char better[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  c = Relu (a)\n  b = Neg (c)\n}\n";
  g_autofree char *path = data_file ("broken.onnxtxt");

  g_assert_true (g_file_set_contents (path, good, -1, NULL));
  driver_open (path);
  guint lines = driver_n_lines ();
  g_assert_true (g_file_set_contents (path, "<ir_version: 8, opset", -1, NULL));
  while (driver_n_lines () == lines)
    driver_pause (0.05);
  driver_settle ();
  g_assert_true (ph_document_is_open (driver_document ()));
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, 1);
  g_assert_nonnull (ph_document_view_get_banner (ph_window_get_view (driver_window ())));
  lines = driver_n_lines ();
  g_assert_true (g_file_set_contents (path, better, -1, NULL));
  while (driver_n_lines () == lines)
    driver_pause (0.05);
  driver_settle ();
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, 2);
  g_assert_null (ph_document_view_get_banner (ph_window_get_view (driver_window ())));
}

static gboolean
recent_is_listed (gpointer label)
{
  if (driver_find_button (GTK_WIDGET (ph_window_get_view (driver_window ())), label))
    return TRUE;
  /* The list of recent files is written by itself, a little later; a new tab reads it. */
  driver_key ("ctrl+w");
  driver_key ("ctrl+t");
  return FALSE;
}

/* A new tab offers what was opened before, and opens it by a click; not what could not be read, which leaves its tab to the next. */
static void
test_recent (void)
{
  g_autofree char *path = data_file ("seen.onnxtxt"), *bad_path = data_file ("unread.onnxtxt");
  g_autoptr (GFile) file = g_file_new_for_path (path), bad_file = g_file_new_for_path (bad_path);
  GtkWidget *pipeline;

  g_assert_true (g_file_set_contents (bad_path, "no model", -1, NULL));
  driver_key ("ctrl+t");
  guint n_tabs = driver_n_tabs ();
  ph_window_open (driver_window (), bad_file);
  driver_settle ();
  g_assert_false (driver_last_ok ());
  pipeline = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL);
  g_assert_false (gtk_widget_get_visible (pipeline));
  g_assert_true (g_file_set_contents (path, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  b = Relu (a)\n}\n", -1, NULL));
  ph_window_open (driver_window (), file);
  driver_settle ();
  g_assert_cmpuint (driver_n_tabs (), ==, n_tabs);
  g_assert_true (gtk_widget_get_visible (pipeline));
  driver_key ("ctrl+t");
  driver_wait (recent_is_listed, (gpointer) "seen.onnxtxt", 20, "the new tab offers the file");
  g_assert_null (driver_find_button (GTK_WIDGET (ph_window_get_view (driver_window ())), "unread.onnxtxt"));
  driver_click_middle (driver_find_button (GTK_WIDGET (ph_window_get_view (driver_window ())), "seen.onnxtxt"));
  g_assert_true (ph_document_is_open (driver_document ()));
  g_assert_cmpstr (ph_document_get_path (driver_document ()), ==, path);
  driver_key ("ctrl+w");
}

/* A session that is still to be saved when it is restored: nothing of it is left to do when its window is gone. */
static void
test_closed (void)
{
  g_autofree char *path = driver_example ("seed");

  driver_open (path);
  driver_wait (file_says, (gpointer) "seed.onnxtxt", 10, "the session is saved");
  ph_graph_canvas_set_view (ph_document_view_get_canvas (ph_window_get_view (driver_window ())), 10, 20, 1.5);
  g_assert_true (ph_session_restore (driver_window ()));
  gtk_window_destroy (GTK_WINDOW (driver_window ()));
  driver_pause (2.1);
  driver_open_window ();
  driver_settle ();
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/documents/compared", test_compared);
  g_test_add_func ("/documents/by-hand", test_by_hand);
  g_test_add_func ("/documents/broken", test_broken);
  g_test_add_func ("/documents/recent", test_recent);
  g_test_add_func ("/documents/closed", test_closed);
  return driver_main ();
}
