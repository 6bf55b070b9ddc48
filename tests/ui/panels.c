/* panels.c: the panels around the graph, by key and pointer: pipeline, rewrites, verdicts, inspector, search, session.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>

#include <glib/gstdio.h>

#include "tests/ui/driver.h"
#include "views/history-private.h"
#include "views/inspector.h"
#include "app/palette.h"
#include "views/rewrite-row.h"
#include "views/step-row.h"
#include "views/view-state.h"

static void
run (const char *line)
{
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  if (!driver_last_ok ())
    g_error ("%s: %s", line, driver_last_text ());
}

static void
open_example (const char *name, const char *pipeline)
{
  g_autofree char *path = driver_example (name), *line = g_strconcat ("pipeline ", pipeline, NULL);

  driver_open (path);
  g_assert_true (driver_last_ok ());
  run (line);
}

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
  open_example ("cse", "dce,cse,merge-casts");
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
  open_example ("cse", "dce,cse,merge-casts");
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
  open_example ("cse", "O3");
  run ("goto 0");
  GtkScrolledWindow *scroller = history_panel ()->steps_scroller;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (scroller);
  GtkWidget *from = step_row (0);
  graphene_point_t edge;
  double x = gtk_widget_get_width (from) / 2.0, y = gtk_widget_get_height (from) / 2.0;
  const double bottom = gtk_widget_get_height (GTK_WIDGET (scroller)) - 8, reach = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

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
  open_example ("cse", "dce,cse,merge-casts");
  run ("goto 0");
  /* Everything is computed ahead, so a click on a row goes there. */
  driver_click_middle (step_row (2));
  driver_expect_line ("goto 3");
  run ("pass off cse");
  run ("run --to merge-casts");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 3);
}

/* A pipeline of which nothing has run yet: while the document is busy nothing runs ahead. */
static void
begin_unrun (void)
{
  open_example ("cse", "none");
  run ("goto 0");
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

/* --- breakpoints ----------------------------------------------------------------------------------------------------- */

static guint
n_breaks_listed (void)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (history_panel ()->breaks_box); child; child = gtk_widget_get_next_sibling (child))
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
  open_example ("cse", "dce,cse,merge-casts");
  run ("goto 0");
  /* The dot left of a pass. */
  driver_click (step_row (2), 4, gtk_widget_get_height (step_row (2)) / 2.0, 1);
  driver_expect_line ("breakpoint 3");
  g_assert_true (entry (2)->breakpoint);
  g_assert_cmpuint (n_breaks_listed (), ==, 1);
  run ("run");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 2);
  g_assert_nonnull (strstr (driver_last_text (), "stopped before cse"));
  /* By key, it goes away again. */
  focus_row (2);
  driver_key ("b");
  g_assert_false (entry (2)->breakpoint);

  /* The dot left of a rewrite: its rule. */
  run ("goto 3");
  driver_wait (has_rewrite_row, NULL, 20, "a rewrite is listed");
  driver_settle ();
  GtkWidget *row = find_rewrite_row (GTK_WIDGET (history_panel ()->rewrites));
  driver_click (row, 4, gtk_widget_get_height (row) / 2.0, 1);
  g_assert_true (g_str_has_prefix (driver_last_line (), "breakpoint cse/"));
  g_assert_cmpuint (ph_document_get_breaks (driver_document ())->len, ==, 1);
  run ("goto 0");
  run ("run");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 2);
  g_assert_nonnull (strstr (driver_last_text (), "stopped at the breakpoint on cse/"));

  /* A node, from the graph. */
  run ("goto 0");
  run ("breakpoint n10");
  g_assert_cmpuint (n_breaks_listed (), ==, 2);
  run ("breakpoint n10");
  g_assert_cmpuint (n_breaks_listed (), ==, 1);
}

/* --- rewrites -------------------------------------------------------------------------------------------------------- */

static gboolean
lists_so_many (gpointer n)
{
  return g_list_model_get_n_items (G_LIST_MODEL (history_panel ()->rewrite_list)) == GPOINTER_TO_UINT (n);
}

/* Why it is right, which node it took, made or changed, and what of it. The label of the rewrite before may be seen until then. */
static gboolean
detail_shown (gpointer data)
{
  const PhHistoryPanel *panel = history_panel ();
  const char *effect = gtk_label_get_text (panel->detail_effect);

  return gtk_widget_get_visible (GTK_WIDGET (panel->detail_effect)) && *gtk_label_get_text (panel->detail_why) != '\0' &&
         (strpbrk (effect, "+~") || strstr (effect, "−"));
}

static void
test_rewrites (void)
{
  open_example ("attention", "propagate-shapes,fold-constants,cse,dce");
  PhHistory *history = ph_document_get_history (driver_document ());
  guint best = 0;
  for (guint s = 0; s < history->steps->len; s++)
    if (g_array_index (history->steps, PhStep, s).n_rewrites > g_array_index (history->steps, PhStep, best).n_rewrites)
      best = s;
  g_autofree char *line = g_strdup_printf ("goto %u", best + 1);
  run (line);
  guint total = g_array_index (history->steps, PhStep, best).n_rewrites;
  driver_wait (lists_so_many, GUINT_TO_POINTER (total), 20, "all rewrites of the step are listed");

  /* A step into it shows the reason of the rewrite. */
  g_autofree char *into = g_strdup_printf ("goto %u.1", best + 1);
  if (total > 1)
    {
      run (into);
      driver_wait (detail_shown, NULL, 20, "the rewrite is explained");
    }

  driver_click_middle (GTK_WIDGET (history_panel ()->rewrites_search));
  driver_type ("no rule is called so");
  driver_wait (lists_so_many, GUINT_TO_POINTER (0), 20, "no rewrite is listed");
  driver_key ("Escape");
  driver_wait (lists_so_many, GUINT_TO_POINTER (total), 20, "all rewrites are listed again");
}

/* Milliseconds that this thread has computed: what other programs take meanwhile is not counted. */
static double
computed_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* A model of the list, with a history of a million rewrites: what is shown costs, what is there does not. */
static void
test_million (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autofree char *path = driver_example ("cse");
  g_autoptr (PhRewriteList) list = ph_rewrite_list_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *line = g_strdup_printf ("open '%s'", path);
  g_autoptr (PhReply) opened = ph_console_run (console, line, NULL), ran = ph_console_run (console, "run cse", NULL);

  g_assert_true (opened->ok && ran->ok);
  PhHistory *history = ph_document_get_history (document);
  PhStep *step = &g_array_index (history->steps, PhStep, history->steps->len - 1);
  PhRewrite rewrite = g_array_index (history->rewrites, PhRewrite, step->first_rewrite);
  guint real = step->n_rewrites, n = 1000000;
  g_array_set_size (history->rewrites, step->first_rewrite);
  for (guint i = 0; i < n; i++)
    g_array_append_val (history->rewrites, rewrite);
  step->n_rewrites = n;

  double start = computed_ms ();
  ph_rewrite_list_show (list, document, history->steps->len - 1);
  GtkWidget *view = gtk_list_view_new (GTK_SELECTION_MODEL (gtk_single_selection_new (g_object_ref (G_LIST_MODEL (list)))), NULL);
  g_object_ref_sink (view);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, n);
  g_autoptr (PhRewriteItem) last = g_list_model_get_item (G_LIST_MODEL (list), n - 1);
  g_assert_cmpuint (last->number, ==, n);
  double show = computed_ms () - start;
  start = computed_ms ();
  ph_rewrite_list_filter (list, rewrite.rule);
  double filter = computed_ms () - start;
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, n);
  g_test_message ("a million rewrites: shown in %.1f ms, filtered in %.1f ms", show, filter);
  g_assert_cmpfloat (show, <, 200);
  g_assert_cmpfloat (filter, <, 1000);
  step->n_rewrites = real;
  g_array_set_size (history->rewrites, step->first_rewrite + real);
  g_object_unref (view);
}

static GtkWidget *
find_numbered_row (GtkWidget *root, guint number)
{
  if (PH_IS_REWRITE_ROW (root) && gtk_widget_get_mapped (root) && ph_rewrite_row_get_item (PH_REWRITE_ROW (root))
      && ph_rewrite_row_get_item (PH_REWRITE_ROW (root))->number == number)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_numbered_row (child, number);
      if (found)
        return found;
    }
  return NULL;
}

static gboolean
shows_rewrite (gpointer number)
{
  return find_numbered_row (GTK_WIDGET (history_panel ()->rewrites), GPOINTER_TO_UINT (number)) != NULL;
}

static gboolean
is_at_rewrite (gpointer number)
{
  return ph_document_get_position (driver_document ()).rewrite == GPOINTER_TO_UINT (number);
}

/* The same in the window, by wheel, pointer and key: of a journal whose last step has a million rewrites more, all without effect. */
static void
test_million_rows (void)
{
#ifdef __SANITIZE_ADDRESS__
  const guint more = 200000, slower = 8;
#else
  const guint more = 1000000, slower = 1;
#endif

  open_example ("cse", "cse");
  run ("goto end");
  driver_settle ();
  ph_document_set_proves (driver_document (), FALSE);

  PhHistory *history = ph_document_get_history (driver_document ());
  const guint last = history->steps->len - 1;
  PhStep *step = &g_array_index (history->steps, PhStep, last);
  const PhRewrite nothing = { .rule = step->pass, .why = step->pass, .node = PH_NO_ID, .first_edit = history->edits->len };
  for (guint i = 0; i < more; i++)
    g_array_append_val (history->rewrites, nothing);
  step->n_rewrites += more;
  const guint n = step->n_rewrites;

  double start = computed_ms ();
  g_signal_emit_by_name (driver_document (), "history-changed");
  driver_wait (lists_so_many, GUINT_TO_POINTER (n), 60, "a million rewrites are listed");
  driver_settle ();
  const double shown = computed_ms () - start;

  GtkWidget *list = GTK_WIDGET (history_panel ()->rewrites);
  GtkWidget *around = gtk_widget_get_ancestor (list, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (around));
  double before = gtk_adjustment_get_value (place);
  start = computed_ms ();
  driver_scroll (list, 60, 40, 20, NULL);
  driver_settle ();
  const double scrolled = computed_ms () - start;
  g_assert_cmpfloat (gtk_adjustment_get_value (place), !=, before);

  /* A change gives the list its first rows only, for a moment; the key goes to the end all the same. */
  run ("goto 2.1");
  g_signal_emit_by_name (driver_document (), "history-changed");
  start = computed_ms ();
  gtk_widget_grab_focus (list);
  driver_key ("End");
  driver_wait (shows_rewrite, GUINT_TO_POINTER (n), 20, "the last of a million rows is shown");
  driver_settle ();
  const double end = computed_ms () - start;
  driver_click_middle (find_numbered_row (list, n - 1));
  driver_wait (is_at_rewrite, GUINT_TO_POINTER (n - 1), 20, "a click on a row goes behind its rewrite");
  driver_settle ();
  /* Away and back before the first of the two is done: the last key counts. */
  driver_send_key ("Up");
  driver_send_key ("Down");
  driver_settle ();
  g_assert_cmpuint (ph_document_get_position (driver_document ()).rewrite, ==, n - 1);
  start = computed_ms ();
  run ("back into");
  run ("back into");
  run ("step into");
  const double stepped = (computed_ms () - start) / 3;
  g_assert_cmpuint (ph_document_get_position (driver_document ()).rewrite, ==, n - 2);
  g_test_message ("a million rows: shown in %.1f ms, scrolled 20 notches in %.1f, to the end in %.1f, %.1f a step", shown, scrolled, end,
                  stepped);
  g_assert_cmpfloat (shown, <, 1500 * slower);
  g_assert_cmpfloat (scrolled, <, 500 * slower);
  g_assert_cmpfloat (end, <, 500 * slower);
  g_assert_cmpfloat (stepped, <, 300 * slower);
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
  open_example ("seed", "cse,strength-reduction,dce");
  g_assert_true (gtk_switch_get_active (history_panel ()->verify_switch));
  driver_wait (is_proved, GUINT_TO_POINTER (0), 20, "the first step is verified by itself");
  guint last = ph_document_get_history (driver_document ())->steps->len - 1;
  driver_wait (is_proved, GUINT_TO_POINTER (last), 20, "the last step is verified by itself");
  g_assert_null (strstr (gtk_label_get_text (history_panel ()->verify_text), "Verifying"));
  /* Switched off, nothing is verified that is not. */
  driver_click_middle (GTK_WIDGET (history_panel ()->verify_switch));
  driver_wait (proves_no_more, NULL, 20, "the switch is off");
  run ("pipeline dce");
  driver_pause (0.6);
  g_assert_null (ph_document_get_proof (driver_document (), 0));
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

  open_example ("attention", "dce");
  run ("goto 0");
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

  open_example ("cse", "cse");
  run ("goto 0");
  driver_expect_text (inspector, "Operators");
  run ("node n10");
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
  run ("eval --random 1 --all");
  driver_expect_text (inspector, "Deviation");
}

/* --- the session ----------------------------------------------------------------------------------------------------- */

static gboolean
is_restored (gpointer data)
{
  return !ph_view_state_is_restoring (ph_window_get_view (driver_window ()));
}

static void
test_state (void)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  PhDocumentView *view = ph_window_get_view (driver_window ());
  PhPosition at;

  open_example ("cse", "dce,cse:limit=5,merge-casts:off");
  run ("goto 2");
  run ("bookmark 4 --set");
  run ("breakpoint cse/same-operation");
  run ("goto 3");
  ph_graph_canvas_set_view (ph_document_view_get_canvas (view), 3, 5, 1.5);
  g_assert_true (ph_view_state_save (view, file, "tab"));

  open_example ("cse", "O1");
  run ("goto 0");
  ph_view_state_restore (view, file, "tab", TRUE);
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
  g_test_add_func ("/panels/breakpoints", test_breakpoints);
  g_test_add_func ("/panels/rewrites", test_rewrites);
  g_test_add_func ("/panels/million", test_million);
  g_test_add_func ("/panels/million-rows", test_million_rows);
  g_test_add_func ("/panels/verdict", test_verdict);
  g_test_add_func ("/panels/search", test_search);
  g_test_add_func ("/panels/palette", test_palette_place);
  g_test_add_func ("/panels/inspector", test_inspector);
  g_test_add_func ("/panels/state", test_state);
  return driver_main ();
}
