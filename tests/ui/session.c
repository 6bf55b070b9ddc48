/* session.c: what outlives a crash, and files that change while they are open.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>

#include "app/session.h"
#include "tests/ui/driver.h"

static gboolean
file_exists (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
test_session (void)
{
  g_autofree char *file = g_build_filename (g_get_user_state_dir (), "peephole", "session.ini", NULL);

  driver_open_example ("cse", "cse,dce");
  g_unlink (file);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_settle ();
  ph_document_view_run (ph_window_get_view (driver_window ()), "set kernel Mul reference");
  driver_settle ();
  driver_key ("F10");
  driver_key ("ctrl+alt+3");
  guint step = ph_document_get_position (driver_document ()).step;
  driver_wait (file_exists, file, 30, "the session is saved");

  /* What the next start would do, had this one crashed here. */
  PhDocument *before = driver_document ();
  g_assert_true (ph_session_restore (driver_window ()));
  driver_settle ();
  g_assert_true (driver_document () != before);
  g_assert_true (g_str_has_suffix (ph_document_get_path (driver_document ()), "cse.onnxtxt"));
  g_assert_cmpstr (ph_document_get_pipeline (driver_document ()), ==, ph_document_get_pipeline (before));
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, step);
  g_assert_nonnull (ph_document_get_kernels (driver_document ()));
  g_assert_cmpstr (g_hash_table_lookup (ph_document_get_kernels (driver_document ()), "Mul"), ==, "reference");
  driver_key ("ctrl+w");
}

static gboolean
banner_shown (gpointer view)
{
  return ph_document_view_get_banner (view) != NULL;
}

static gboolean
has_two_nodes (gpointer data)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhPosition at = ph_document_get_position (driver_document ());

  return model && ph_model_n_nodes (model, TRUE) == 2 && at.rewrite == 0;
}

static void
test_file_changed (void)
{
  static const char before[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  b = Relu (a)\n}\n";
  static const char after[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n  c = Relu (a)\n  b = Neg (c)\n}\n";
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "changing.onnxtxt", NULL);
  PhDocumentView *view = ph_window_get_view (driver_window ());

  g_assert_true (g_file_set_contents (path, before, -1, NULL));
  driver_open (path);
  g_assert_true (driver_last_ok ());
  g_assert_true (g_file_set_contents (path, after, -1, NULL));
  driver_wait (has_two_nodes, NULL, 30, "the file is read again by itself");
  driver_settle ();

  /* What was made by hand is not thrown away without being asked. */
  ph_document_view_run (view, "run dce");
  driver_settle ();
  g_assert_true (g_file_set_contents (path, before, -1, NULL));
  driver_wait (banner_shown, view, 30, "the banner says that the file changed");
  g_assert_true (has_two_nodes (NULL));
  gtk_info_bar_response (GTK_INFO_BAR (driver_find (GTK_WIDGET (view), GTK_TYPE_INFO_BAR)), 1);
  driver_settle ();
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, 1);
}

typedef struct
{
  guint n;
} Notices;

static void
on_notice (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, Notices *notices)
{
  notices->n += event == G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT || event == G_FILE_MONITOR_EVENT_RENAMED;
}

static gboolean
was_noticed (gpointer notices)
{
  return ((Notices *) notices)->n > 0;
}

static gboolean
wait_is_over (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
is_true (gpointer data)
{
  return *(gboolean *) data;
}

/* A step that no line of the console made, so that nothing could make it again. */
static void
take_step (void)
{
  g_autoptr (PhJob) job = ph_job_new (driver_document (), (PhPosition) { 0, 0 });
  g_autoptr (GError) error = NULL;

  ph_job_add_pass (job, ph_pass_find ("dce"), NULL);
  g_assert_true (ph_job_run (job, NULL, &error));
  g_assert_true (ph_document_take_job (driver_document (), job, TRUE, &error));
  driver_settle ();
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, ==, 1);
}

/* The notification of a write comes when what was written is open already: there is nothing to read again, and nothing to say. */
static void
test_late_notice (void)
{
  static const char text[]
      = "<ir_version: 10, opset_import: [\"\" : %d]>\ng (float[2] a) => (float[2] b) { c = Abs (a) b = %s (a) }\n";
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "late.onnxtxt", NULL);
  g_autofree char *first = g_strdup_printf (text, PH_OPSET_NEWEST, "Relu"),
                  *second = g_strdup_printf (text, PH_OPSET_NEWEST, "Neg");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileMonitor) monitor = NULL;
  PhDocumentView *view = ph_window_get_view (driver_window ());
  Notices notices = { 0 };
  gboolean over = FALSE;

  g_assert_true (g_file_set_contents (path, first, -1, NULL));
  driver_open (path);
  monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  g_signal_connect (monitor, "changed", G_CALLBACK (on_notice), &notices);

  g_assert_true (g_file_set_contents (path, second, -1, NULL));
  driver_open (path);
  driver_run ("pipeline none");
  take_step ();
  PhHistory *history = ph_document_get_history (driver_document ());
  guint generation = ph_document_get_generation (driver_document ());
  driver_wait (was_noticed, &notices, 30, "the write is noticed");
  g_timeout_add (1000, wait_is_over, &over);
  driver_wait (is_true, &over, 30, "the window had time to act");
  driver_settle ();
  g_assert_true (ph_document_get_history (driver_document ()) == history);
  g_assert_cmpuint (ph_document_get_generation (driver_document ()), ==, generation);
  g_assert_null (ph_document_view_get_banner (view));

  /* A write after the reading would lose the step: that is for the user to say. */
  g_assert_true (g_file_set_contents (path, first, -1, NULL));
  driver_wait (banner_shown, view, 30, "the banner says that the file changed");
  g_assert_cmpuint (ph_document_get_generation (driver_document ()), ==, generation);
  g_assert_cmpuint (ph_document_get_history (driver_document ())->steps->len, ==, 1);
}

/* A graph that was compiled at the console is of no file: the session is saved all the same. */
static void
test_compiled (void)
{
  g_autofree char *file = g_build_filename (g_get_user_state_dir (), "peephole", "session.ini", NULL);

  driver_open_example ("cse", "cse,dce");
  driver_run ("def f(x): return x * 2");
  driver_run ("f([1.0, 2.0])");
  driver_run ("compile f");
  driver_settle ();
  g_assert_null (ph_document_get_path (driver_document ()));
  g_unlink (file);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_key ("F10");
  driver_wait (file_exists, file, 30, "the session is saved");
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/session/restored", test_session);
  g_test_add_func ("/session/file-changed", test_file_changed);
  g_test_add_func ("/session/late-notice", test_late_notice);
  g_test_add_func ("/session/compiled", test_compiled);
  return driver_main ();
}
