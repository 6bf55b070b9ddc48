/* panels.c: the panels around the graph, by key and pointer: pipeline, rewrites, verdicts, inspector, search, session.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>

#include <glib/gstdio.h>

#include "app/palette.h"
#include "tests/ui/driver.h"
#include "views/history-private.h"
#include "views/inspector.h"
#include "views/rewrite-row.h"
#include "views/step-row.h"
#include "views/tab-state.h"

static PhHistoryPanel *
history_panel (void)
{
  return PH_HISTORY_PANEL (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL));
}

static GtkWidget *
find_step_row (GtkWidget *root, int entry)
{
  if (PH_IS_STEP_ROW (root) && gtk_widget_get_mapped (root) && ph_step_row_get_item (PH_STEP_ROW (root))
      && ph_step_row_get_item (PH_STEP_ROW (root))->entry == entry)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_step_row (child, entry);
      if (found)
        return found;
    }
  return NULL;
}

/* The row of an entry of the pipeline, counted from 0. */
static GtkWidget *
step_row (int entry)
{
  GtkWidget *row = find_step_row (GTK_WIDGET (history_panel ()->steps), entry);

  g_assert_nonnull (row);
  return row;
}

static const PhPipelineEntry *
entry (guint index)
{
  GArray *entries = ph_document_get_entries (driver_document ());

  g_assert_cmpuint (index, <, entries->len);
  return &g_array_index (entries, PhPipelineEntry, index);
}

static void
focus_row (int index)
{
  gtk_widget_grab_focus (gtk_widget_get_parent (step_row (index)));
  driver_settle ();
}

/* --- the pipeline ---------------------------------------------------------------------------------------------------- */

/* The example is of an old opset, so entry 0 is newest-form. */
static void
test_switch_and_move (void)
{
  driver_open_example ("cse", "dce,cse,merge-casts");
  focus_row (2);
  driver_key ("alt+Up");
  driver_expect_line ("pass move 3 2");
  g_assert_cmpstr (entry (1)->pass->name, ==, "cse");
  /* The row that moved has the keyboard still. */
  driver_key ("alt+Down");
  driver_expect_line ("pass move 2 3");
  g_assert_cmpstr (entry (2)->pass->name, ==, "cse");
  driver_key ("space");
  driver_expect_line ("pass off 3");
  g_assert_false (entry (2)->enabled);
  driver_key ("space");
  g_assert_true (entry (2)->enabled);
  driver_key ("Delete");
  g_assert_cmpstr (entry (2)->pass->name, ==, "merge-casts");
}

static void
test_drag (void)
{
  driver_open_example ("cse", "dce,cse,merge-casts");
  GtkWidget *from = step_row (3), *to = step_row (1);
  graphene_point_t point;
  double x = gtk_widget_get_width (from) / 2.0, y = gtk_widget_get_height (from) / 2.0;

  g_assert_true (gtk_widget_compute_point (to, from, &GRAPHENE_POINT_INIT ((float) x, 3), &point));
  driver_drag (from, x, y, point.x, point.y, 1);
  driver_expect_line ("pass move 4 2");
  g_assert_cmpstr (entry (1)->pass->name, ==, "merge-casts");
}

/* A step that is dropped near the edge of a list, which scrolled while it was held there: the list lies still again. */
static void
test_drag_edge (void)
{
  driver_open_example ("cse", "O3");
  driver_run ("goto 0");
  GtkScrolledWindow *scroller = history_panel ()->steps_scroller;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (scroller);
  GtkWidget *from = step_row (0);
  graphene_point_t edge;
  double x = gtk_widget_get_width (from) / 2.0, y = gtk_widget_get_height (from) / 2.0;
  const double bottom = gtk_widget_get_height (GTK_WIDGET (scroller)) - 8,
               reach = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  g_assert_cmpfloat (reach, >, 200);
  g_assert_true (gtk_widget_compute_point (GTK_WIDGET (scroller), from, &GRAPHENE_POINT_INIT ((float) x, (float) bottom), &edge));
  driver_drag (from, x, y, x, edge.y, 1);
  const double value = gtk_adjustment_get_value (adjustment);
  driver_pause (0.3);
  g_assert_cmpfloat_with_epsilon (gtk_adjustment_get_value (adjustment), value, 0.5);
}

static void
test_run_to_here (void)
{
  driver_open_example ("cse", "dce,cse,merge-casts");
  driver_run ("goto 0");
  /* Everything is computed ahead, so a click on a row goes there. */
  driver_click_middle (step_row (2));
  driver_expect_line ("goto 3");
  driver_run ("pass off cse");
  driver_run ("run --to merge-casts");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 3);
}

/* A pipeline of which nothing has run yet: while the document is busy nothing runs ahead. */
static void
begin_unrun (void)
{
  driver_open_example ("cse", "none");
  driver_run ("goto 0");
  ph_document_set_busy (driver_document (), TRUE);
  g_assert_true (ph_document_set_pipeline (driver_document (), "dce,cse,merge-casts", NULL));
  driver_settle ();
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (ph_document_entry_step (driver_document (), i), ==, -1);
}

/* By its menu, and by Return. Where it stops is where it was asked to, though what comes behind is run ahead then. */
static void
test_run_to_unrun (void)
{
  begin_unrun ();
  GtkWidget *row = step_row (2);
  driver_click (row, gtk_widget_get_width (row) / 3.0, gtk_widget_get_height (row) / 2.0, 3);
  driver_key ("Return");
  driver_expect_line ("run --to 3");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 3);

  begin_unrun ();
  row = gtk_widget_get_parent (step_row (1));
  g_assert_true (gtk_widget_grab_focus (row));
  driver_key ("Return");
  driver_expect_line ("run --to 2");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 2);
}

static void
open_foreign (const char *file)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "..", "resources", "examples", file, NULL);

  driver_open (path);
  g_assert_true (driver_last_ok ());
  driver_run ("pipeline O2");
}

/* A file of another system is shown alone until it is converted; then the rest runs ahead. Of one that no pass knows the panel says so. */
static void
test_foreign (void)
{
  const GArray *steps = (open_foreign ("linear-selu.hlo"), ph_document_get_history (driver_document ())->steps);

  g_assert_cmpstr (entry (0)->pass->name, ==, "convert-to-onnx");
  g_assert_cmpuint (steps->len, ==, 0);
  driver_key ("F10");
  driver_expect_line ("step");
  driver_settle ();
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 1);
  g_assert_cmpuint (steps->len, ==, ph_document_get_entries (driver_document ())->len);

  open_foreign ("registers.ll");
  g_assert_cmpuint (ph_document_get_entries (driver_document ())->len, ==, 0);
  g_assert_nonnull (strstr (gtk_label_get_text (history_panel ()->rewrites_empty), "run llvm sroa"));
}

/* --- breakpoints ----------------------------------------------------------------------------------------------------- */

static guint
n_breaks_listed (void)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (history_panel ()->breaks_box); child;
       child = gtk_widget_get_next_sibling (child))
    n += GTK_IS_BOX (child);
  return n;
}

static GtkWidget *
find_rewrite_row (GtkWidget *root)
{
  if (PH_IS_REWRITE_ROW (root) && gtk_widget_get_mapped (root) && ph_rewrite_row_get_item (PH_REWRITE_ROW (root)))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_rewrite_row (child);
      if (found)
        return found;
    }
  return NULL;
}

static gboolean
has_rewrite_row (gpointer data)
{
  return find_rewrite_row (GTK_WIDGET (history_panel ()->rewrites)) != NULL;
}

static void
test_breakpoints (void)
{
  driver_open_example ("cse", "dce,cse,merge-casts");
  driver_run ("goto 0");
  /* The dot left of a pass. */
  driver_click (step_row (2), 4, gtk_widget_get_height (step_row (2)) / 2.0, 1);
  driver_expect_line ("breakpoint 3");
  g_assert_true (entry (2)->breakpoint);
  g_assert_cmpuint (n_breaks_listed (), ==, 1);
  driver_run ("run");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 2);
  g_assert_nonnull (strstr (driver_last_text (), "stopped before cse"));
  /* By key, it goes away again. */
  focus_row (2);
  driver_key ("b");
  g_assert_false (entry (2)->breakpoint);

  /* The dot left of a rewrite: its rule. */
  driver_run ("goto 3");
  driver_wait (has_rewrite_row, NULL, 20, "a rewrite is listed");
  driver_settle ();
  GtkWidget *row = find_rewrite_row (GTK_WIDGET (history_panel ()->rewrites));
  driver_click (row, 4, gtk_widget_get_height (row) / 2.0, 1);
  g_assert_true (g_str_has_prefix (driver_last_line (), "breakpoint cse/"));
  g_assert_cmpuint (ph_document_get_breaks (driver_document ())->len, ==, 1);
  driver_run ("goto 0");
  driver_run ("run");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 2);
  g_assert_nonnull (strstr (driver_last_text (), "stopped at the breakpoint on cse/"));

  /* A node, from the graph. */
  driver_run ("goto 0");
  driver_run ("breakpoint n10");
  g_assert_cmpuint (n_breaks_listed (), ==, 2);
  driver_run ("breakpoint n10");
  g_assert_cmpuint (n_breaks_listed (), ==, 1);
}

/* --- verdicts -------------------------------------------------------------------------------------------------------- */

static gboolean
is_proved (gpointer step)
{
  return ph_document_get_proof (driver_document (), GPOINTER_TO_UINT (step)) != NULL;
}

static gboolean
proves_no_more (gpointer data)
{
  return !ph_document_get_proves (driver_document ());
}

static void
test_verdict (void)
{
  driver_open_example ("seed", "cse,strength-reduction,dce");
  g_assert_true (gtk_switch_get_active (history_panel ()->verify_switch));
  driver_wait (is_proved, GUINT_TO_POINTER (0), 20, "the first step is verified by itself");
  guint last = ph_document_get_history (driver_document ())->steps->len - 1;
  driver_wait (is_proved, GUINT_TO_POINTER (last), 20, "the last step is verified by itself");
  g_assert_null (strstr (gtk_label_get_text (history_panel ()->verify_text), "Verifying"));
  /* Switched off, nothing is verified that is not. */
  driver_click_middle (GTK_WIDGET (history_panel ()->verify_switch));
  driver_wait (proves_no_more, NULL, 20, "the switch is off");
  driver_run ("pipeline dce");
  driver_pause (0.6);
  g_assert_null (ph_document_get_proof (driver_document (), 0));
}

static gboolean
says_two_lines (gpointer data)
{
  GtkLabel *label = history_panel ()->verify_text;

  return g_str_equal (gtk_label_get_text (label), data) && pango_layout_get_line_count (gtk_label_get_layout (label)) == 2;
}

/* What is verified is said in two lines where one is too short for it, whole. */
static void
test_verify_text (void)
{
  PhHistoryPanel *panel = history_panel ();
  GtkPaned *paned = GTK_PANED (gtk_widget_get_ancestor (GTK_WIDGET (panel), GTK_TYPE_PANED));
  const int position = gtk_paned_get_position (paned);

  open_foreign ("linear-selu.hlo");
  driver_run ("pipeline convert-to-onnx,fold-constants");
  driver_run ("run");
  gtk_paned_set_position (paned, 0); /* as narrow as it can be */
  driver_wait (says_two_lines, (gpointer) "1 of 2 steps verified, nothing is shown of 1", 20, "the two lines");
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (panel->verify_text)));
  gtk_paned_set_position (paned, position);
  driver_settle ();
}

/* --- search, palette ------------------------------------------------------------------------------------------------- */

static const char *
selected_operator (void)
{
  PhNode *node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));

  return node ? node->op_type : "";
}

static void
focus_graph (void)
{
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_settle ();
}

static void
test_search (void)
{
  GtkWidget *view = GTK_WIDGET (ph_window_get_view (driver_window ()));

  driver_open_example ("attention", "dce");
  driver_run ("goto 0");
  focus_graph ();
  driver_key ("ctrl+f");
  driver_type ("matmul");
  driver_expect_text (view, "1 of ");
  g_assert_cmpstr (selected_operator (), ==, "MatMul");
  guint first = ph_document_get_selection (driver_document ());
  driver_key ("ctrl+g");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, first);
  driver_expect_text (view, "2 of ");
  driver_key ("ctrl+shift+g");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, first);
  driver_key ("ctrl+a");
  driver_type ("nothing is called so");
  driver_expect_text (view, "Not found");
  driver_key ("Escape");
}

static gboolean
palette_shown (gpointer data)
{
  GtkWidget *palette = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_PALETTE);

  return palette && gtk_widget_get_mapped (palette);
}

static gboolean
graph_has_keyboard (gpointer data)
{
  return PH_IS_GRAPH_CANVAS (gtk_window_get_focus (GTK_WINDOW (driver_window ())));
}

static void
test_palette_place (void)
{
  focus_graph ();
  driver_key ("ctrl+k");
  driver_wait (palette_shown, NULL, 20, "the palette is there");
  driver_type ("info");
  driver_key ("Return");
  driver_expect_line ("info");
  driver_wait (graph_has_keyboard, NULL, 20, "the graph has the keyboard again");
}

/* --- the inspector --------------------------------------------------------------------------------------------------- */

static void
test_inspector (void)
{
  GtkWidget *inspector = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_INSPECTOR);

  driver_open_example ("cse", "cse");
  driver_run ("goto 0");
  driver_expect_text (inspector, "Operators");
  driver_run ("node n10");
  driver_expect_text (inspector, "Declared in");
  driver_expect_text (inspector, "n10");
  driver_key ("F7");
  driver_expect_line ("breakpoint n10");
  g_assert_true (driver_last_ok ());
  g_assert_cmpuint (n_breaks_listed (), ==, 1);
  driver_key ("F7");
  g_assert_cmpuint (n_breaks_listed (), ==, 0);

  /* A value: computed by a click, shown as numbers. */
  PhNode *node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));
  ph_inspector_show_value (PH_INSPECTOR (inspector), ((PhValue *) node->outputs->pdata[0])->id);
  driver_expect_text (inspector, "Not computed yet");
  driver_run ("eval --random 1 --all");
  driver_expect_text (inspector, "Deviation");
}

/* --- the session ----------------------------------------------------------------------------------------------------- */

static gboolean
is_restored (gpointer data)
{
  return !ph_tab_state_is_restoring (ph_window_get_view (driver_window ()));
}

static void
test_state (void)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  PhDocumentView *view = ph_window_get_view (driver_window ());
  PhPosition at;

  driver_open_example ("cse", "dce,cse:limit=5,merge-casts:off");
  driver_run ("goto 2");
  driver_run ("bookmark 4 --set");
  driver_run ("breakpoint cse/same-operation");
  driver_run ("goto 3");
  ph_graph_canvas_set_view (ph_document_view_get_canvas (view), 3, 5, 1.5);
  g_assert_true (ph_tab_state_save (view, file, "tab"));

  driver_open_example ("cse", "O1");
  driver_run ("goto 0");
  ph_tab_state_restore (view, file, "tab", TRUE);
  driver_wait (is_restored, NULL, 20, "everything is as it was");
  driver_settle ();
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 3);
  g_assert_true (ph_document_get_bookmark (driver_document (), 4, &at));
  g_assert_cmpuint (at.step, ==, 2);
  g_assert_cmpuint (entry (2)->limit, ==, 5);
  g_assert_false (entry (3)->enabled);
  g_assert_cmpuint (ph_document_get_breaks (driver_document ())->len, ==, 1);
  double x, y, zoom;
  ph_graph_canvas_get_view (ph_document_view_get_canvas (view), &x, &y, &zoom);
  g_assert_cmpfloat_with_epsilon (zoom, 1.5, 0.01);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/panels/switch-and-move", test_switch_and_move);
  g_test_add_func ("/panels/drag", test_drag);
  g_test_add_func ("/panels/drag-edge", test_drag_edge);
  g_test_add_func ("/panels/run-to-here", test_run_to_here);
  g_test_add_func ("/panels/run-to-unrun", test_run_to_unrun);
  g_test_add_func ("/panels/foreign", test_foreign);
  g_test_add_func ("/panels/breakpoints", test_breakpoints);
  g_test_add_func ("/panels/verdict", test_verdict);
  g_test_add_func ("/panels/verify-text", test_verify_text);
  g_test_add_func ("/panels/search", test_search);
  g_test_add_func ("/panels/palette", test_palette_place);
  g_test_add_func ("/panels/inspector", test_inspector);
  g_test_add_func ("/panels/state", test_state);
  return driver_main ();
}
