/* keys-effects.c: where each key of the list is pressed, and what it should do there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/keys-effects.h"

#include <string.h>

#include "app/shortcuts.h"
#include "core/scene/scene-read.h"
#include "views/bottom-pane.h"
#include "views/console-pane.h"
#include "views/history-private.h"
#include "views/history-slider.h"
#include "views/step-row.h"

struct KeysBefore before;
const Row *row;
static const char few_passes[] = "dce,cse,merge-casts";

/* --- where things are -------------------------------------------------------------------------------------------------- */

static PhHistoryPanel *
history_panel (void)
{
  return PH_HISTORY_PANEL (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL));
}

GtkWidget *
slider (void)
{
  return driver_find (GTK_WIDGET (driver_pane ()), PH_TYPE_HISTORY_SLIDER);
}

const PhPipelineEntry *
entry (guint index)
{
  return &g_array_index (ph_document_get_entries (driver_document ()), PhPipelineEntry, index);
}

static PhNode *
node_called (const char *value)
{
  PhModel *model = ph_document_get_model (driver_document ());

  for (guint i = 1; i < model->nodes->len; i++)
    {
      PhNode *node = model->nodes->pdata[i];
      if (node && g_str_equal (((PhValue *) node->outputs->pdata[0])->name, value))
        return node;
    }
  g_error ("nothing makes %s", value);
}

gboolean
group_is_open (void)
{
  PhScene *scene = ph_graph_canvas_get_scene (driver_canvas ());
  PhId id = ph_document_get_selection (driver_document ());
  int box = id && scene ? ph_scene_find (scene, id, NULL) : -1;

  return box >= 0 && ph_scene_box (scene, box)->open;
}

/* Any menu that hangs on a widget of the window. */
GtkWidget *
find_menu (GtkWidget *root)
{
  if (GTK_IS_POPOVER_MENU (root) && gtk_widget_get_mapped (root))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_menu (child);
      if (found)
        return found;
    }
  return NULL;
}

/* --- the keyboard is given -------------------------------------------------------------------------------------------- */

static PhStepRow *
find_row (GtkWidget *root, int index)
{
  PhStepItem *item = PH_IS_STEP_ROW (root) && gtk_widget_get_mapped (root) ? ph_step_row_get_item (PH_STEP_ROW (root)) : NULL;

  if (item && item->entry == index)
    return PH_STEP_ROW (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      PhStepRow *found = find_row (child, index);
      if (found)
        return found;
    }
  return NULL;
}

/* Lines wait for each other: one rest after several is enough. */
static void
send (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
}

/* At its start: what was run would stay in another pipeline. */
static void
use (const char *example, const char *pipeline)
{
  static const char *used; /* the very string */

  if (used == pipeline && !g_str_equal (row->panel, PIPELINE))
    {
      send ("goto 0");
      return;
    }
  if (used != pipeline)
    driver_open_example (example, NULL);
  send ("goto 0");
  driver_run ("pipeline %s", pipeline);
  used = pipeline;
}

/* Entry 2 is cse: newest-form comes first by itself. */
void
in_pipeline (void)
{
  use ("cse", few_passes);
  send ("goto 3");
  driver_settle ();
  gtk_widget_grab_focus (gtk_widget_get_parent (GTK_WIDGET (find_row (GTK_WIDGET (history_panel ()->steps), 2))));
  driver_settle ();
}

/* The row with the keyboard is not the one of the position. */
void
in_pipeline_at_start (void)
{
  in_pipeline ();
  driver_run ("goto 0");
  gtk_widget_grab_focus (gtk_widget_get_parent (GTK_WIDGET (find_row (GTK_WIDGET (history_panel ()->steps), 2))));
  driver_settle ();
}

static void
at_end (int which)
{
  GtkWidget *handle = gtk_widget_get_first_child (slider ());

  /* The third step has several rewrites. */
  use ("attention", "eliminate-identity,propagate-shapes,dce,cse,dce,merge-casts");
  send ("goto 3");
  for (; handle && gtk_widget_has_css_class (handle, "since") != (which == 0); handle = gtk_widget_get_next_sibling (handle))
    ;
  gtk_widget_grab_focus (handle);
  driver_settle ();
}

void
at_end_now (void)
{
  at_end (1);
}

void
at_end_enlarged (void)
{
  at_end (1);
  driver_key ("plus");
}

void
at_end_since (void)
{
  at_end (1);
  driver_run ("compare 0 3");
}

void
in_graph (void)
{
  if (row->start == at_loop || row->start == in_loop)
    use ("loop-branch", "none");
  else
    use ("cse", few_passes);
  send ("select-node");
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  ph_graph_canvas_set_view (driver_canvas (), 40, 60, 0.77);
  driver_settle ();
}

static void
at_node (const char *value)
{
  in_graph ();
  ph_document_set_selection (driver_document (), node_called (value)->id);
  ph_graph_canvas_set_view (driver_canvas (), 40, 60, 0.77);
}

void
at_first_row (void)
{
  at_node ("bc1");
}

void
at_second_row (void)
{
  at_node ("d");
}

/* The one of the two products at the other side of where the key leads. */
void
at_side (void)
{
  graphene_rect_t one, other;

  at_node ("bc1");
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), node_called ("bc1")->id, &one));
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), node_called ("bc2")->id, &other));
  if ((one.origin.x < other.origin.x) != (row->direction > 0))
    at_node ("bc2");
}

void
at_loop (void)
{
  at_node ("y");
}

void
in_loop (void)
{
  at_node ("y");
  driver_run ("enter");
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_settle ();
}

gboolean
goes_out (void)
{
  return ph_document_get_inside (driver_document ()) == PH_NO_ID;
}

void
in_part (void)
{
  at_node ("bc1");
  g_autofree char *line = g_strdup_printf ("view part around n%u 2", node_called ("bc1")->id);
  driver_look (line);
  driver_settle ();
}

void
at_change (void)
{
  in_graph ();
  driver_run ("goto 3");
}

void
in_console (void)
{
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-console", NULL);
  driver_settle ();
  driver_type (g_str_equal (row->key, "Tab") ? "inf" : g_str_equal (row->key, "<Control>c") ? "no such line" : "");
}

/* --- what a key does -------------------------------------------------------------------------------------------------- */

gboolean
moves_position (void)
{
  return ph_position_compare (ph_document_get_position (driver_document ()), before.at) * row->direction > 0;
}

/* Also where that part of the line was not seen. */
gboolean
moves_handle (void)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver_window ()));

  return moves_position () && focus && gtk_widget_get_parent (focus) == slider () && gtk_widget_get_child_visible (focus);
}

gboolean
goes_on_one (void)
{
  int step = (int) ph_document_get_position (driver_document ()).step;

  return step == (int) before.at.step + row->direction;
}

gboolean
moves_by_rewrite (void)
{
  return moves_position () && ph_document_get_position (driver_document ()).rewrite != before.at.rewrite;
}

gboolean
switches_pass (void)
{
  return entry (2)->enabled != before.enabled;
}

gboolean
breaks_pass (void)
{
  return entry (2)->breakpoint != before.breakpoint;
}

gboolean
moves_pass (void)
{
  return g_str_equal (entry ((guint) (2 + row->direction))->pass->name, "cse");
}

gboolean
removes_pass (void)
{
  return ph_document_get_entries (driver_document ())->len == before.n_entries - 1;
}

gboolean
opens_menu (void)
{
  return find_menu (GTK_WIDGET (driver_window ())) != NULL;
}

gboolean
moves_selection (void)
{
  PhId selection = ph_document_get_selection (driver_document ());

  return selection != 0 && selection != before.selection;
}

gboolean
moves_across (void)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  return (x - before.x) * row->direction > 0 && y == before.y && zoom == before.zoom;
}

gboolean
moves_along (void)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  return (y - before.y) * row->direction > 0 && x == before.x && zoom == before.zoom;
}

gboolean
zooms (void)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  return row->direction == 0 ? zoom == 1 : (zoom - before.zoom) * row->direction > 0;
}

/* The whole of it is in the window, or the one node that is selected is large in it. */
gboolean
fits (void)
{
  GtkWidget *widget = GTK_WIDGET (driver_canvas ());
  PhId selected = ph_document_get_selection (driver_document ());
  graphene_rect_t one,
      all = GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget), (float) gtk_widget_get_height (widget));
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), selected ? selected : node_called ("d")->id, &one));
  return (x != before.x || y != before.y) && graphene_rect_contains_rect (&all, &one);
}

gboolean
opens_group (void)
{
  return group_is_open () != before.open;
}

gboolean
shows_around (void)
{
  guint id, steps;

  return ph_graph_canvas_get_neighbourhood (driver_canvas (), &id, &steps) && (int) steps == (int) before.steps + row->direction;
}

gboolean
asks_for_paths (void)
{
  gboolean asks = ph_graph_pane_get_path_start (driver_pane ()) == before.selection;

  driver_key ("Escape");
  return asks;
}

gboolean
shows_part (void)
{
  return ph_graph_canvas_is_partial (driver_canvas ()) != before.partial;
}

gboolean
toggles_diff (void)
{
  return driver_is_on (PH_VIEW_DIFF) != before.show_diff;
}

gboolean
toggles_compact (void)
{
  return driver_is_on (PH_VIEW_COMPACT) != before.compact;
}

gboolean
toggles_groups (void)
{
  return driver_is_on (PH_VIEW_GROUP) != before.grouped;
}

gboolean
widens_steps (void)
{
  double place = ph_history_slider_get_x (PH_HISTORY_SLIDER (slider ()), (PhPosition) { 4, 0 })
                 - ph_history_slider_get_x (PH_HISTORY_SLIDER (slider ()), (PhPosition) { 3, 0 });

  return (place - before.place) * row->direction > 0;
}

gboolean
forgets_since (void)
{
  return before.since && !ph_document_has_since (driver_document ());
}

/* What stands in the line is then run. */
gboolean
runs_info (void)
{
  driver_type (g_str_equal (row->key, "<Control>r") ? "inf\n" : g_str_equal (row->key, "<Control>c") ? "info\n" : "\n");
  driver_expect_line ("info");
  return driver_n_lines () == before.n_lines + 1;
}

gboolean
leaves_console (void)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver_window ()));

  return focus && !gtk_widget_get_ancestor (focus, PH_TYPE_CONSOLE_PANE);
}

gboolean
marks_place (void)
{
  g_autofree char *line = g_strdup_printf ("bookmark %c", row->key[strlen (row->key) - 1]);
  PhPosition at;

  return g_str_equal (driver_last_line (), line) && ph_document_get_bookmark (driver_document (), (guint) (line[9] - '0'), &at);
}
