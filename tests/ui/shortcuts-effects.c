/* shortcuts-effects.c: what each action of the list should do.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/shortcuts-effects.h"

#include <string.h>

#include "app/actions.h"
#include "app/palette.h"
#include "core/scene/scene.h"
#include "views/bottom-pane.h"
#include "views/change-pill.h"
#include "views/console-pane.h"
#include "views/history-panel.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/query-bar.h"

struct ShortcutsBefore before;
const Row *row;
guint activated;

GtkWidget *
find (GType type)
{
  return driver_find (GTK_WIDGET (driver_window ()), type);
}

PhGraphCanvas *
canvas (void)
{
  return ph_document_view_get_canvas (ph_window_get_view (driver_window ()));
}

/* A switch of the view, by its name. */
gboolean
property (void)
{
  PhViewField field;

  g_assert_true (ph_view_find (row->state, &field));
  return driver_is_on (field);
}

GtkWidget *
panel (void)
{
  return find (g_type_from_name (row->state));
}

guint
n_windows (void)
{
  guint n = 0;
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);
      n += gtk_widget_get_mapped (window);
    }
  return n;
}

static gboolean
has_focus (GtkWidget *widget)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (driver_window ()));

  return focus && (focus == widget || gtk_widget_is_ancestor (focus, widget));
}

gboolean
changed_property (gpointer data)
{
  return property () != before.property;
}

gboolean
toggled_panel (gpointer data)
{
  return gtk_widget_get_visible (panel ()) != before.visible;
}

gboolean
focused_panel (gpointer data)
{
  return has_focus (panel ());
}

gboolean
moved_focus (gpointer data)
{
  return !has_focus (GTK_WIDGET (canvas ()));
}

gboolean
opened_window (gpointer data)
{
  return n_windows () == before.windows + 1;
}

gboolean
opened_palette (gpointer data)
{
  GtkWidget *palette = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_PALETTE);

  return palette && gtk_widget_get_mapped (palette);
}

gboolean
zoomed (gpointer data)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  return zoom != before.zoom || x != before.x || y != before.y;
}

gboolean
opened_tab (gpointer data)
{
  return driver_n_tabs () == before.tabs + 1;
}

gboolean
searching (gpointer data)
{
  return gtk_search_bar_get_search_mode (GTK_SEARCH_BAR (find (GTK_TYPE_SEARCH_BAR)));
}

gboolean
shows_text (gpointer data)
{
  GtkWidget *text = driver_find (find (PH_TYPE_BOTTOM_PANE), g_type_from_name ("PhTextPane"));

  return text && gtk_widget_get_mapped (text);
}

PhForm
form (void)
{
  return ph_graph_pane_get_form (ph_document_view_get_pane (ph_window_get_view (driver_window ())));
}

gboolean
side_by_side (gpointer data)
{
  return form () == PH_FORM_SIDE;
}

gboolean
as_text (gpointer data)
{
  return form () == PH_FORM_TEXT;
}

gboolean
in_one_picture (gpointer data)
{
  return form () == PH_FORM_OVERLAY;
}

gboolean
is_partial (gpointer data)
{
  return ph_graph_canvas_is_partial (canvas ());
}

gboolean
is_whole (gpointer data)
{
  return !ph_graph_canvas_is_partial (canvas ());
}

gboolean
asks_for_paths (gpointer data)
{
  return ph_graph_pane_get_path_start (ph_document_view_get_pane (ph_window_get_view (driver_window ()))) == 10;
}

gboolean
selected (gpointer data)
{
  return ph_document_get_selection (driver_document ()) != 0;
}

gboolean
selected_other (gpointer data)
{
  return selected (NULL) && ph_document_get_selection (driver_document ()) != before.selection;
}

gboolean
went_forward (gpointer data)
{
  return ph_position_compare (ph_document_get_position (driver_document ()), before.at) > 0;
}

gboolean
went_back (gpointer data)
{
  return ph_position_compare (ph_document_get_position (driver_document ()), before.at) < 0;
}

guint
n_open (void)
{
  PhScene *scene = ph_graph_canvas_get_scene (canvas ());
  guint n = 0;

  for (guint b = 0; scene && b < ph_scene_n_boxes (scene); b++)
    n += ph_scene_box (scene, b)->open;
  return n;
}

gboolean
opened_groups (gpointer data)
{
  return n_open () > before.open;
}

gboolean
closed_groups (gpointer data)
{
  return n_open () < before.open;
}

static gboolean
shows_steps (guint wanted)
{
  guint id, steps;

  return ph_graph_canvas_get_neighbourhood (canvas (), &id, &steps) && steps == wanted;
}

gboolean
is_wider (gpointer data)
{
  return shows_steps (3);
}

gboolean
is_narrower (gpointer data)
{
  return shows_steps (1);
}

guint
color (void)
{
  guint mode;

  mode = ph_view_state_get (ph_document_get_view (driver_document ()), PH_VIEW_COLOR);
  return mode;
}

gboolean
other_colours (gpointer data)
{
  return color () != before.color;
}

gboolean
usual_colours (gpointer data)
{
  return color () == PH_COLOR_FAMILY;
}

/* Into a folder of its own. */
gboolean
hunted (gpointer data)
{
  return driver_last_line () && g_str_has_prefix (driver_last_line (), "hunt --out ");
}

gboolean
toggled_legend (gpointer data)
{
  GtkWidget *legend = find (PH_TYPE_LEGEND);

  return legend && gtk_widget_get_mapped (legend);
}

gboolean
asks_for_query (gpointer data)
{
  return has_focus (find (PH_TYPE_QUERY_BAR));
}

/* Under Xvfb nobody makes a window as large as the screen: what can be seen is that the action was asked for. */
gboolean
was_asked (gpointer data)
{
  return activated == 1;
}
