/* documents.c: what is open and where it comes back: after a crash, and when the file changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>
#include <vte/vte.h>

#include "app/session.h"
#include "tests/ui/driver.h"
#include "views/history-panel.h"
#include "views/tab-state.h"

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
  return !ph_tab_state_is_restoring (ph_window_get_view (driver_window ()));
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
  static const char first[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  c = Identity (a)\n  d = Relu (c)\n  b = Neg (d)\n}\n";
  static const char second[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  d = Sigmoid (a)\n  b = Neg (d)\n}\n";
  g_autofree char *path = data_file ("first.onnxtxt"), *other = data_file ("second.onnxtxt"), *session = session_file (),
                  *kept = NULL;
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

/* In a comparison tab another model is compared with the first, and a model that is opened there runs its passes. */
static void
test_compared_again (void)
{
  g_autofree char *path = data_file ("first.onnxtxt"), *other = data_file ("second.onnxtxt"),
                  *third = data_file ("third.onnxtxt");
  g_autoptr (GFile) first_file = g_file_new_for_path (path), file = g_file_new_for_path (other),
                    third_file = g_file_new_for_path (third);
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  b = Tanh (a)\n}\n";

  g_assert_true (g_file_set_contents (third, text, -1, NULL));
  driver_open (path);
  PhDocument *first = driver_document ();
  ph_window_compare (driver_window (), file);
  driver_settle ();
  g_assert_cmpstr (last_pass (), ==, "compare second.onnxtxt");
  g_assert_cmpstr (ph_document_get_pipeline (driver_document ()), ==, "none");
  ph_window_compare (driver_window (), third_file);
  driver_settle ();
  g_assert_cmpstr (last_pass (), ==, "compare third.onnxtxt");
  run ("goto 0");
  /* Identity, Relu and Neg are the first model's, not the second's. */
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, 3);
  driver_open (other);
  g_assert_cmpstr (ph_document_get_pipeline (driver_document ()), ==, PH_PIPELINE_DEFAULT);
  driver_key ("ctrl+w");
  /* The first one is open, the one that was compared with it is not. */
  ph_window_open (driver_window (), first_file);
  driver_settle ();
  g_assert_true (driver_document () == first);
  driver_key ("ctrl+w");
  driver_key ("ctrl+w");
}

/* --- what was answered is kept ------------------------------------------------------------------------------------------- */

static char *kept;

static void
read_session (PhConsole *console, PhReply *reply, const char *line)
{
  g_autofree char *path = session_file ();

  if (!g_str_equal (reply->command, line))
    return;
  g_clear_pointer (&kept, g_free);
  g_file_get_contents (path, &kept, NULL, NULL);
}

/* Runs @line; the session has @text when the answer is there to be shown. */
static void
expect_kept (const char *line, const char *text)
{
  gulong handler = g_signal_connect_after (driver_console (), "finished", G_CALLBACK (read_session), (gpointer) line);

  run (line);
  g_signal_handler_disconnect (driver_console (), handler);
  if (!kept || !strstr (kept, text))
    g_error ("After %s the session has no %s: %s", line, text, kept ? kept : "nothing");
}

static void
test_at_once (void)
{
  static const char wide[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2000000] a) => (float[2000000] b)\n{\n  b = Relu (a)\n}\n";
  g_autofree char *path = driver_example ("seed"), *large = data_file ("wide.onnxtxt");

  driver_open (path);
  expect_kept ("pipeline cse,dce,algebraic", "pipeline=cse,dce,algebraic");
  run ("goto end");
  expect_kept ("goto 2", "position=2");
  expect_kept ("bookmark 3 --set", "bookmark-3=2");
  expect_kept ("feed x1 2.5", "feed-1-file=");
  expect_kept ("breakpoint dce", "dce:break");
  expect_kept ("compare 1", "since=1");
  expect_kept ("grad y", "hand-1=grad y");
  /* A large value is written by a thread; its line is kept at once. */
  g_assert_true (g_file_set_contents (large, wide, -1, NULL));
  driver_open (large);
  expect_kept ("feed a random 7", "feed-1-line=feed a random 7");
  driver_wait (file_says, (gpointer) "feed-1-file=", 20, "the value is in a file of its own");
}

/* --- foreign programs ----------------------------------------------------------------------------------------------------- */

static guint
count_runs (const char *counter)
{
  g_autofree char *text = NULL;

  return g_file_get_contents (counter, &text, NULL, NULL) ? (guint) strlen (text) : 0;
}

/* A program that made a step does not run when the session comes back, from whatever folder, before somebody says so; the step waits. */
static void
test_foreign (void)
{
  static const char program[] = "printf x >>runs\ncat\n";
  g_autoptr (GKeyFile) state = g_key_file_new (), meanwhile = g_key_file_new ();
  g_autofree char *folder = data_file ("programs"), *script = g_build_filename (folder, "mypass.sh", NULL);
  g_autofree char *counter = g_build_filename (folder, "runs", NULL), *path = driver_example ("seed"),
                  *before = g_get_current_dir ();
  PhDocumentView *view = (driver_open (path), ph_window_get_view (driver_window ()));

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (script, program, -1, NULL));
  run ("pipeline cse,dce");
  run ("goto 1");
  g_assert_cmpint (g_chdir (folder), ==, 0);
  run ("run exec 'sh mypass.sh'");
  run ("grad y");
  g_assert_cmpint (g_chdir (before), ==, 0);
  g_assert_cmpuint (count_runs (counter), ==, 1);
  const guint steps = ph_document_get_history (driver_document ())->steps->len,
              at = ph_document_get_position (driver_document ()).step;
  g_assert_true (ph_tab_state_save (view, state, "tab"));

  driver_key ("ctrl+t");
  driver_open (path);
  view = ph_window_get_view (driver_window ());
  ph_tab_state_restore (view, state, "tab", TRUE);
  driver_wait (is_restored, NULL, 20, "what needs no program is there");
  driver_settle ();
  g_assert_cmpuint (count_runs (counter), ==, 1);
  g_assert_nonnull (strstr (ph_document_view_get_banner (view), "exec 'sh mypass.sh'"));
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, <, steps);
  /* Killed again now, nothing of it would be lost. */
  g_assert_true (ph_tab_state_save (view, meanwhile, "tab"));
  g_autofree char *first = g_key_file_get_string (meanwhile, "tab", "hand-1", NULL),
                  *second = g_key_file_get_string (meanwhile, "tab", "hand-2", NULL);
  g_assert_nonnull (strstr (first, "exec"));
  g_assert_cmpstr (second, ==, "grad y");

  driver_click_middle (driver_find_button (GTK_WIDGET (driver_window ()), "_Run Again"));
  driver_wait (is_restored, NULL, 20, "the program has run");
  driver_settle ();
  g_assert_cmpuint (count_runs (counter), ==, 2);
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, ==, steps);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, at);
  /* It was allowed: the file that is read again has it again. */
  run ("reload");
  driver_key ("ctrl+w");
}

/* Lines are kept so that they mean the same from every folder. */
static void
test_any_folder (void)
{
  g_autofree char *folder = data_file ("there"), *model = g_build_filename (folder, "a b.onnxtxt", NULL);
  g_autofree char *compare = (g_mkdir (folder, 0700), g_file_set_contents (model, "", 0, NULL),
                              ph_line_to_absolute ("compare 'a b.onnxtxt'", folder));
  g_autofree char *expected = g_strdup_printf ("compare '%s'", model),
                  *run_expected = g_strdup_printf ("run --folder %s exec 'sh x.sh'", folder);
  g_autofree char *exec = ph_line_to_absolute ("run exec 'sh x.sh'", folder), *again = ph_line_to_absolute (exec, "/");
  g_autofree char *step = ph_line_to_absolute ("compare 3", folder), *grad = ph_line_to_absolute ("grad y wrt a", folder);

  g_assert_cmpstr (compare, ==, expected);
  g_assert_cmpstr (exec, ==, run_expected);
  g_assert_cmpstr (again, ==, run_expected);
  g_assert_cmpstr (step, ==, "compare 3");
  g_assert_cmpstr (grad, ==, "grad y wrt a");
  g_assert_true (ph_line_is_foreign ("run cse exec 'cat'"));
  g_assert_true (ph_line_is_foreign ("load-pass ./x.so"));
  g_assert_false (ph_line_is_foreign ("run cse dce"));
  g_assert_false (ph_line_is_foreign ("compare x.onnx"));
}

/* --- several at once ------------------------------------------------------------------------------------------------------ */

static PhDocumentView *
view_at (int i)
{
  GtkWidget *tabs = gtk_widget_get_ancestor (GTK_WIDGET (ph_window_get_view (driver_window ())), ADW_TYPE_TAB_VIEW);

  return PH_DOCUMENT_VIEW (adw_tab_page_get_child (adw_tab_view_get_nth_page (ADW_TAB_VIEW (tabs), i)));
}

/* Each tab has its name at once, and is read when somebody looks at it. */
static void
test_several (void)
{
  static const char *const names[] = { "cse", "inception", "attention", "linear-selu" };
  AdwTabView *tabs = ADW_TAB_VIEW (
      gtk_widget_get_ancestor (GTK_WIDGET (ph_window_get_view (driver_window ())), ADW_TYPE_TAB_VIEW));
  const int first = (int) driver_n_tabs ();

  /* The first takes the empty tab that somebody looks at. */
  driver_key ("ctrl+t");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = driver_example (names[i]);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      ph_window_open (driver_window (), file);
    }
  driver_settle ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *title = g_strconcat (names[i], ".onnxtxt", NULL);
      g_assert_cmpstr (adw_tab_page_get_title (adw_tab_view_get_nth_page (tabs, first + (int) i)), ==, title);
      g_assert_true (ph_document_is_open (ph_document_view_get_document (view_at (first + (int) i))) == (i == 0 || i == 3));
    }
  g_assert_true (ph_window_get_view (driver_window ()) == view_at (first + 3));
  driver_key ("ctrl+Page_Up");
  g_assert_true (ph_document_is_open (ph_document_view_get_document (view_at (first + 2))));
  g_assert_false (ph_document_is_open (ph_document_view_get_document (view_at (first + 1))));
  /* One that was never looked at is kept for after a crash like the others. */
  driver_wait (file_says, (gpointer) "inception.onnxtxt", 10, "the session is saved");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    driver_key ("ctrl+w");
}

/* The graph of a function of the console's has no file, but a name. */
static void
test_function (void)
{
  AdwTabView *tabs = ADW_TAB_VIEW (
      gtk_widget_get_ancestor (GTK_WIDGET (ph_window_get_view (driver_window ())), ADW_TYPE_TAB_VIEW));

  driver_key ("ctrl+t");
  run ("def halved(x): return x / 2");
  run ("compile halved([1.5, 3])");
  driver_settle ();
  g_assert_cmpstr (adw_tab_page_get_title (adw_tab_view_get_selected_page (tabs)), ==, "halved");
  g_assert_true (g_str_has_prefix (gtk_window_get_title (GTK_WINDOW (driver_window ())), "halved "));
  driver_key ("ctrl+w");
}

static gboolean
has_tabs (gpointer wanted)
{
  return driver_n_tabs () == GPOINTER_TO_UINT (wanted);
}

/* Ctrl+W, as Ctrl+T, is the console's own while it has the keyboard, which it gives back here. */
static void
close_tab (void)
{
  gtk_window_set_focus (GTK_WINDOW (driver_window ()), NULL);
  driver_activate ("win.close-tab");
  driver_settle ();
}

/* What is typed at the console takes no open model's place. */
static void
test_beside (void)
{
  g_autofree char *seed = driver_example ("seed"), *other = driver_example ("mlp"),
                  *line = g_strdup_printf ("open '%s'\n", other);
  const guint before = driver_n_tabs ();
  AdwTabView *tabs;

  driver_activate ("win.new-tab");
  driver_settle ();
  driver_open (seed);
  driver_key ("F12");
  driver_type (line);
  driver_wait (has_tabs, GUINT_TO_POINTER (before + 2), 30, "open beside");
  g_assert_true (g_str_has_suffix (ph_document_get_path (driver_document ()), "mlp.onnxtxt"));
  driver_key ("F12");
  driver_type ("def twice(x): return x * 2\n\n");
  driver_type ("compile twice([1.5, 3])\n");
  driver_wait (has_tabs, GUINT_TO_POINTER (before + 3), 30, "compile beside");
  driver_settle ();
  tabs = ADW_TAB_VIEW (gtk_widget_get_ancestor (GTK_WIDGET (ph_window_get_view (driver_window ())), ADW_TYPE_TAB_VIEW));
  g_assert_cmpstr (adw_tab_page_get_title (adw_tab_view_get_selected_page (tabs)), ==, "twice");
  g_assert_cmpuint (g_hash_table_size (ph_document_get_feeds (driver_document ())), ==, 1);
  close_tab ();
  g_assert_true (g_str_has_suffix (ph_document_get_path (driver_document ()), "mlp.onnxtxt"));
  close_tab ();
  g_assert_true (g_str_has_suffix (ph_document_get_path (driver_document ()), "seed.onnxtxt"));
  close_tab ();
}

static gboolean
says_pasted (gpointer unused)
{
  return strstr (driver_last_text (), "{92, 93}") != NULL;
}

/* A function with empty lines in it is one paste; with a model open, of which Ctrl+Shift+V elsewhere asks for the proof. */
static void
test_paste (void)
{
  g_autoptr (GString) text = g_string_new ("def pasted(x):\n    # of twenty lines\n    y = x\n\n");
  g_autofree char *path = driver_example ("seed"), *line = g_strdup_printf ("open '%s'", path), *shown = NULL;

  for (guint i = 0; i < 14; i++)
    g_string_append_printf (text, "    y = y + %u\n%s", i, i % 5 == 4 ? "\n" : "");
  g_string_append (text, "    return y\n\npasted(array([1.0, 2.0]))");
  driver_activate ("win.new-tab");
  driver_settle ();
  run (line);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (driver_window ())), text->str);
  driver_key ("F12");
  driver_key ("ctrl+shift+v");
  driver_pause (0.5);
  /* Each of its lines is one on the screen. */
  shown = vte_terminal_get_text (VTE_TERMINAL (driver_find (GTK_WIDGET (driver_window ()), VTE_TYPE_TERMINAL)), NULL, NULL, NULL);
  if (strstr (shown, "\n    y = y + 13\n    return y\n\npasted(array([1.0, 2.0]))") == NULL)
    g_error ("after the paste the console shows:\n%s", shown);
  driver_key ("Return");
  driver_wait (says_pasted, NULL, 30, "the function that was pasted runs");
  close_tab ();
}

/* What is selected, and the pager's last line, is written in the background's colour on the foreground's. */
static void
test_reversed (void)
{
  VteTerminal *terminal = VTE_TERMINAL (driver_find (GTK_WIDGET (driver_window ()), VTE_TYPE_TERMINAL));
  GdkRGBA background, foreground;

  vte_terminal_get_color_background_for_draw (terminal, &background);
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (terminal)), &foreground);
  g_assert_cmpfloat (ABS (foreground.red - background.red) + ABS (foreground.green - background.green), >, 1);
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
  g_assert_true (ph_tab_state_save (view, state, "tab"));

  driver_open (path);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 0);
  ph_tab_state_restore (view, state, "tab", TRUE);
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
  static const char better[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  c = Relu (a)\n  b = Neg (c)\n}\n";
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
  g_assert_true (g_file_set_contents (
      path, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  b = Relu (a)\n}\n", -1, NULL));
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
  g_test_add_func ("/documents/compared-again", test_compared_again);
  g_test_add_func ("/documents/at-once", test_at_once);
  g_test_add_func ("/documents/foreign", test_foreign);
  g_test_add_func ("/documents/any-folder", test_any_folder);
  g_test_add_func ("/documents/several", test_several);
  g_test_add_func ("/documents/function", test_function);
  g_test_add_func ("/documents/beside", test_beside);
  g_test_add_func ("/documents/paste", test_paste);
  g_test_add_func ("/documents/reversed", test_reversed);
  g_test_add_func ("/documents/by-hand", test_by_hand);
  g_test_add_func ("/documents/broken", test_broken);
  g_test_add_func ("/documents/recent", test_recent);
  g_test_add_func ("/documents/closed", test_closed);
  const int status = driver_main ();

  g_free (kept);
  return status;
}
