/* cancel.c: what takes long says so, and is given up with Escape, which leaves everything as it was.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include <glib/gstdio.h>

#include "core/io/io.h"
#include "tests/bench/transformer.h"
#include "tests/ui/driver.h"

static gboolean
card_shown (gpointer data)
{
  GtkWidget *card = driver_find_named (GTK_WIDGET (ph_window_get_view (driver_window ())), "progress_card");

  return gtk_widget_get_mapped (card) && gtk_revealer_get_reveal_child (GTK_REVEALER (card));
}

static gboolean
no_longer_running (gpointer data)
{
  return !card_shown (NULL) && !ph_console_is_running (driver_console ());
}

/* What a line could change: two such texts are the same, or something is left of it. */
static char *
state (void)
{
  PhDocument *document = driver_document ();
  PhHistory *history = ph_document_get_history (document);
  g_autofree char *at = ph_position_to_string (ph_document_get_position (document)),
                  *since = ph_position_to_string (ph_document_get_since (document));
  g_autofree char *pipeline = ph_document_pipeline_to_text (document, ",");
  PhModel *model = ph_document_get_model (document);

  return g_strdup_printf (
      "at %s since %s, %u steps, %u edits, %u nodes, %u values, pipeline %s, %u tabs, values %p, %u feeds, selection %u", at,
      since, history ? history->steps->len : 0, history ? history->edits->len : 0, model ? ph_model_n_nodes (model, TRUE) : 0,
      model ? model->values->len : 0, pipeline, driver_n_tabs (), (void *) ph_document_get_values (document),
      g_hash_table_size (ph_document_get_feeds (document)), ph_document_get_selection (document));
}

/* A line that never ends by itself, from the picture and from a panel that has the keyboard. */
static void
test_escape (void)
{
  driver_open_example ("seed", "O2");
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *before = state ();
      gtk_widget_activate_action (GTK_WIDGET (driver_window ()), i == 0 ? "win.focus-graph" : "win.next-pane", NULL);
      ph_document_view_run (ph_window_get_view (driver_window ()), "run exec 'sleep 600'");
      driver_wait (card_shown, NULL, 20, "progress is shown");
      driver_send_key ("Escape");
      driver_wait (no_longer_running, NULL, 20, "it ends");
      driver_settle ();
      g_autofree char *after = state ();
      g_assert_cmpstr (after, ==, before);
      g_assert_false (driver_last_ok ());
    }
}

/* Nothing runs: the key means what it always means. */
static void
test_nothing_to_cancel (void)
{
  driver_open_example ("seed", "O2");
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_run ("select-node n%u", ph_document_get_model (driver_document ())->graph->first->id);
  driver_key ("n");
  g_assert_true (ph_graph_canvas_is_partial (driver_canvas ()));
  driver_key ("Escape");
  g_assert_false (ph_graph_canvas_is_partial (driver_canvas ()));
}

/* --- by hand, with PEEPHOLE_CANCEL_NODES=100000: every long line, once to its end, then given up at a third of that ----- */

static gint64 deadline;

static gboolean
past_deadline (gpointer data)
{
  return g_get_monotonic_time () > deadline;
}

static void
give_up (const char *line)
{
  PhDocumentView *view = ph_window_get_view (driver_window ());
  const gint64 begin = g_get_monotonic_time ();

  ph_document_view_run (view, line);
  driver_wait (no_longer_running, NULL, 600, line);
  const gint64 whole = g_get_monotonic_time () - begin;
  driver_settle ();

  g_autofree char *before = state ();
  const gint64 again = g_get_monotonic_time ();
  deadline = again + MAX (whole / 3, 310000);
  ph_document_view_run (view, line);
  driver_wait (past_deadline, NULL, 600, line);
  const gboolean shown = card_shown (NULL), running = ph_console_is_running (driver_console ());
  const gint64 pressed = g_get_monotonic_time ();
  driver_send_key ("Escape");
  driver_wait (no_longer_running, NULL, 600, line);
  const gint64 ended = g_get_monotonic_time ();
  driver_settle ();
  g_autofree char *after = state ();
  g_test_message (
      "%-34.34s takes %6.0f ms; card %s; %s %5.0f ms after Escape%s", line, (double) whole / 1000, shown ? "shown" : "not shown",
      !running            ? "had ended"
      : driver_last_ok () ? "went on, ended"
                          : "stopped",
      (double) (ended - pressed) / 1000, running && !driver_last_ok () && !g_str_equal (before, after) ? "; NOT AS IT WAS" : "");
  if (running && !driver_last_ok ())
    g_assert_cmpstr (after, ==, before);
}

static void
test_walk (void)
{
  const char *asked = g_getenv ("PEEPHOLE_CANCEL_NODES");
  g_autofree char *folder = g_dir_make_tmp ("peephole-cancel-XXXXXX", NULL),
                  *path = g_build_filename (folder, "large.onnx", NULL);
  g_autofree char *open_line = g_strdup_printf ("open %s", path);

  PhModel *model = ph_bench_transformer ((guint) atoi (asked), TRUE, TRUE);
  g_assert_true (ph_io_save (model, path, NULL, NULL));
  ph_model_free (model);
  driver_run ("%s", open_line);
  driver_run ("pipeline eliminate-identity,fold-constants,cse,dce,fuse-layer-norm");
  driver_run ("goto end");

  /* clang-format off */
  static const char *const lines[] = {
    "open %1$s", "reload", "run cse dce", "run O2", "run autodiff", "goto 0", "step", "diff 0 end", "diff 0 end --text", "rewrites", "info", "find MatMul", "compare %1$s",
    "select a.id, b.id from nodes a, nodes b where a.op = 'MatMul' and b.op = 'Add' and a.id < b.id", "print", "save %2$s/again.onnx", "save %2$s/again.onnxtxt", "render %2$s/a.svg", "render %2$s/a.pdf",
    "render %2$s/a.png", "eval", "verify", "bisect", "profile", "steps --verify",
  };
  /* clang-format on */
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_auto (GStrv) with_path = g_strsplit (lines[i], "%1$s", 2), with_folder = NULL;
      g_autofree char *once = g_strjoinv (path, with_path), *line = NULL;
      with_folder = g_strsplit (once, "%2$s", 2);
      line = g_strjoinv (folder, with_folder);
      give_up (line);
    }
  driver_remove (folder);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/cancel/escape", test_escape);
  g_test_add_func ("/cancel/nothing", test_nothing_to_cancel);
  if (g_getenv ("PEEPHOLE_CANCEL_NODES"))
    g_test_add_func ("/cancel/walk", test_walk);
  return driver_main ();
}
