/* graph-pane.c: the picture in its forms: one with the changes in it, before | after, or as text; and the line of its history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-pane-private.h"

#include <glib/gi18n.h>

#include "core/scene/scene.h"
#include "views/access-names.h"
#include "views/change-pill.h"
#include "views/feed-popover.h"
#include "views/graph-menu.h"
#include "views/history-track.h"
#include "views/legend.h"
#include "views/minimap.h"
#include "views/tooltip.h"

G_DEFINE_FINAL_TYPE (PhGraphPane, ph_graph_pane, GTK_TYPE_WIDGET)

/* --- counts and labels ---------------------------------------------------------------------------------------------- */

static void
set_count (GtkLabel *label, const char *sign, guint count)
{
  /* U+200E: the sign stays before the number where text runs to the left. */
  g_autofree char *text = g_strdup_printf ("\u200e%s%u", sign, count);

  gtk_label_set_text (label, text);
  gtk_widget_set_visible (GTK_WIDGET (label), count > 0);
}

/* Shows a notice for an empty picture, which would otherwise look like a failure. */
static void
update_nothing (PhGraphPane *self)
{
  PhScene *scene = ph_graph_canvas_get_scene (self->canvas);

  gtk_widget_set_visible (self->nothing, scene && ph_scene_n_boxes (scene) == 0 && !ph_graph_canvas_is_partial (self->canvas));
}

static gboolean
update_labels (gpointer data)
{
  PhGraphPane *self = data;
  PhHistory *history = ph_document_get_history (self->document);
  guint added, removed, changed;

  self->later = 0;
  ph_graph_canvas_count_changes (self->canvas, &added, &removed, &changed);
  /* The same numbers as in the row of the step, including changes without a box: constants, and nodes in a body. */
  PhDiff *diff = ph_graph_canvas_is_partial (self->canvas) ? NULL : ph_document_get_diff (self->document);
  if (diff)
    {
      added = diff->n_added;
      removed = diff->n_removed;
      changed = diff->n_changed;
    }
  set_count (self->added, "+", added);
  set_count (self->removed, "−", removed);
  set_count (self->changed, "~", changed);
  gtk_widget_set_visible (GTK_WIDGET (self->reset), ph_document_has_since (self->document));
  ph_graph_pane_update_part (self);
  update_nothing (self);
  if (!history || history->steps->len == 0)
    {
      gtk_label_set_text (self->range, "");
      return G_SOURCE_REMOVE;
    }
  PhPosition a = ph_document_get_since (self->document), b = ph_document_get_position (self->document);
  g_autofree char *from = ph_position_to_string (a), *to = ph_position_to_string (b),
                  *before = ph_history_describe (history, a, FALSE);
  g_autofree char *after = ph_history_describe (history, b, FALSE);
  g_autofree char *range = ph_position_compare (a, b) == 0 ? g_strdup (to) : g_strdup_printf ("\u200e%s → %s", from, to);
  g_autofree char *left = g_strdup_printf (_ ("Before: %s"), before), *right = g_strdup_printf (_ ("After: %s"), after);

  gtk_label_set_text (self->range, range);
  gtk_label_set_text (self->before_title, left);
  gtk_label_set_text (self->after_title, right);
  ph_tooltip_set (GTK_WIDGET (self->before_title), left);
  ph_tooltip_set (GTK_WIDGET (self->after_title), right);
  return G_SOURCE_REMOVE;
}

void
ph_graph_pane_queue_labels (PhGraphPane *self)
{
  if (self->later == 0)
    self->later = g_idle_add_full (G_PRIORITY_DEFAULT, update_labels, self, NULL);
}

/* Runs a line of the console; if one is running, enters directly. */
static void
on_enter (PhGraphPane *self, guint id)
{
  g_autofree char *line = g_strdup_printf ("enter n%u", id);
  PhModel *model = ph_document_get_model (self->document);
  PhNode *node = model ? ph_model_find_node (model, id) : NULL;

  if (!ph_console_is_running (self->console))
    ph_console_run_async (self->console, line, NULL, NULL);
  else if (node)
    ph_document_enter (self->document, node, NULL);
}

static void
on_leave (PhGraphPane *self, guint levels)
{
  g_autofree char *line = levels == 1 ? g_strdup ("leave") : g_strdup_printf ("leave %u", levels);

  if (!ph_console_is_running (self->console))
    ph_console_run_async (self->console, line, NULL, NULL);
  else
    ph_document_leave (self->document, levels);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

/* --- forms ----------------------------------------------------------------------------------------------------------- */

static void
show_before (PhGraphPane *self)
{
  self->before = PH_GRAPH_CANVAS (ph_graph_canvas_new ());
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->before), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Graph before"), -1);
  gtk_overlay_set_child (self->before_overlay, GTK_WIDGET (self->before));
  ph_graph_menu_attach (self, self->before);
  g_signal_connect_object (self->before, "enter", G_CALLBACK (on_enter), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->before, "leave", G_CALLBACK (on_leave), self, G_CONNECT_SWAPPED);
  ph_graph_canvas_pair (self->canvas, self->before);
}

static void
hide_before (PhGraphPane *self)
{
  ph_graph_canvas_pair (self->canvas, NULL);
  gtk_overlay_set_child (self->before_overlay, NULL);
  self->before = NULL;
}

static void
show_form (PhGraphPane *self)
{
  const PhForm form = ph_view_state_get (ph_document_get_view (self->document), PH_VIEW_FORM);

  if (self->form == form)
    return;
  if (form == PH_FORM_SIDE)
    show_before (self);
  else if (self->form == PH_FORM_SIDE)
    hide_before (self);
  self->form = form;
  gtk_widget_set_visible (GTK_WIDGET (self->before_column), form == PH_FORM_SIDE);
  gtk_widget_set_visible (self->corner, form != PH_FORM_SIDE);
  gtk_widget_set_visible (GTK_WIDGET (self->after_title), form == PH_FORM_SIDE);
  if (form == PH_FORM_SIDE)
    gtk_widget_add_css_class (GTK_WIDGET (self->after_column), "beside-column");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->after_column), "beside-column");
  gtk_stack_set_visible_child_name (self->stack, form == PH_FORM_TEXT ? "text" : "picture");
  ph_graph_pane_queue_labels (self);
}

static void
on_view (PhGraphPane *self, PhViewField field)
{
  if (field == PH_VIEW_FORM)
    show_form (self);
  else if (field == PH_VIEW_COLOR || field == PH_VIEW_LEGEND)
    ph_graph_pane_show_color (self);
  else if (field == PH_VIEW_PART)
    ph_graph_pane_queue_labels (self);
}

/* --- actions --------------------------------------------------------------------------------------------------------- */

void
ph_graph_pane_say (PhGraphPane *self, const char *line)
{
  ph_console_look (self->console, line);
}

/* Asks for the argument that a menu item does not determine: the node, or the query. */
static gboolean
ask (gpointer data, PhViewField field, const char *word)
{
  PhGraphPane *self = data;

  if (field == PH_VIEW_PART)
    return ph_graph_pane_ask_part (self, word);
  if (field == PH_VIEW_COLOR && g_str_equal (word, "query"))
    ph_query_bar_open (self->query_bar);
  /* Like a wheel, many times in a row: where one gets to is noted. */
  else if (field == PH_VIEW_ZOOM && g_str_equal (word, "in"))
    ph_graph_canvas_zoom_in (self->canvas);
  else if (field == PH_VIEW_ZOOM && g_str_equal (word, "out"))
    ph_graph_canvas_zoom_out (self->canvas);
  else
    return FALSE;
  return TRUE;
}

static void
go_to_change (PhGraphPane *self, int direction)
{
  if (self->form == PH_FORM_TEXT)
    ph_text_pane_go_to_change (self->text_pane, direction);
  else if (!ph_graph_canvas_go_to_change (self->canvas, direction))
    gtk_widget_error_bell (GTK_WIDGET (self));
}

static void
next_change (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  go_to_change (data, 1);
}

static void
previous_change (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  go_to_change (data, -1);
}

static void
on_reset (PhGraphPane *self)
{
  ph_console_run_async (self->console, "compare", NULL, NULL);
}

/* --- keys and actions --- */

static gboolean
on_key (PhGraphPane *self, guint key, guint code, GdkModifierType state)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (key == GDK_KEY_p)
    ph_graph_pane_ask_paths (self);
  else if (key == GDK_KEY_period && ph_document_is_open (self->document)) /* the first one begins the run */
    ph_console_run_async (self->console, "exec next", NULL, NULL);
  else if (key == GDK_KEY_comma && ph_document_get_execution (self->document, NULL))
    ph_console_run_async (self->console, "exec back", NULL, NULL);
  else if (key == GDK_KEY_Escape && ph_graph_pane_stop_asking (self))
    return GDK_EVENT_STOP;
  else if (key == GDK_KEY_Menu)
    ph_graph_menu_show_selected (self);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static void
add_actions (PhGraphPane *self)
{
  static const GActionEntry entries[] = { { "next-change", next_change }, { "previous-change", previous_change } };

  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "graph", G_ACTION_GROUP (self->actions));
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

/* Drops the actions, unless the window has to keep them until it gets those of another tab. */
static void
drop_view_actions (PhGraphPane *self)
{
  for (guint field = 0; field < PH_N_VIEW_FIELDS && self->view_actions; field++)
    g_action_map_remove_action (G_ACTION_MAP (self->view_actions), ph_view_row (field)->name);
  g_clear_object (&self->view_actions);
}

static void
ph_graph_pane_dispose (GObject *object)
{
  PhGraphPane *self = PH_GRAPH_PANE (object);

  g_clear_handle_id (&self->later, g_source_remove);
  if (self->document)
    {
      g_signal_handlers_disconnect_by_data (ph_document_get_view (self->document), self);
      g_signal_handlers_disconnect_by_data (self->document, self);
    }
  if (self->canvas)
    g_signal_handlers_disconnect_by_data (self->canvas, self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "graph", NULL);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "view", NULL);
  g_clear_object (&self->actions);
  drop_view_actions (self);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_GRAPH_PANE);
  self->canvas = self->before = NULL;
  g_clear_object (&self->console);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (ph_graph_pane_parent_class)->dispose (object);
}

static void
ph_graph_pane_class_init (PhGraphPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (PH_TYPE_TEXT_PANE);
  g_type_ensure (PH_TYPE_FIT_BIN);
  g_type_ensure (PH_TYPE_EXECUTION_BAR);
  g_type_ensure (PH_TYPE_QUERY_BAR);
  g_type_ensure (PH_TYPE_TRAIL_BAR);
  g_type_ensure (PH_TYPE_HISTORY_SLIDER);
  G_OBJECT_CLASS (klass)->dispose = ph_graph_pane_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/graph-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, stack);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, before_column);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, after_column);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, before_title);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, after_title);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, before_overlay);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, after_overlay);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, execution_bar);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, part_bar);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, part_title);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, part_steps);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, text_pane);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, query_bar);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, trail_bar);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, slider);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, bar);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, counts);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, range);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, added);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, removed);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, changed);
  gtk_widget_class_bind_template_child (widget_class, PhGraphPane, reset);
  gtk_widget_class_bind_template_callback (widget_class, on_reset);
  gtk_widget_class_bind_template_callback (widget_class, on_leave);
}

static void
ph_graph_pane_init (PhGraphPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_fit_bin_add (self->bar, self->counts);
  ph_access_set_name (GTK_WIDGET (self), "%s", _ ("Graph and history"));
  self->canvas = PH_GRAPH_CANVAS (ph_graph_canvas_new ());
  gtk_overlay_set_child (self->after_overlay, GTK_WIDGET (self->canvas));
  /* The minimap shows and hides itself; in a pair of pictures there is no room for it. */
  self->corner = adw_bin_new ();
  adw_bin_set_child (ADW_BIN (self->corner), ph_minimap_new (self->canvas));
  ph_graph_canvas_set_overview (self->canvas, adw_bin_get_child (ADW_BIN (self->corner)));
  gtk_widget_set_halign (self->corner, GTK_ALIGN_END);
  gtk_widget_set_valign (self->corner, GTK_ALIGN_END);
  gtk_overlay_add_overlay (self->after_overlay, self->corner);
  self->pill = ph_change_pill_new (self->canvas);
  gtk_overlay_add_overlay (self->after_overlay, self->pill);
  self->legend = ph_legend_new (self->canvas);
  gtk_widget_set_visible (self->legend, FALSE);
  gtk_overlay_add_overlay (self->after_overlay, self->legend);
  self->nothing = adw_status_page_new ();
  adw_status_page_set_title (ADW_STATUS_PAGE (self->nothing), _ ("This graph has no nodes"));
  gtk_widget_add_css_class (self->nothing, "compact");
  gtk_widget_add_css_class (self->nothing, "dim-label");
  gtk_widget_set_can_target (self->nothing, FALSE);
  gtk_widget_set_visible (self->nothing, FALSE);
  gtk_overlay_add_overlay (self->after_overlay, self->nothing);
  add_actions (self);
  ph_graph_menu_install (self, G_ACTION_MAP (self->actions));
  ph_graph_menu_attach (self, self->canvas);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->canvas), keys);
  g_signal_connect_swapped (self->canvas, "look-changed", G_CALLBACK (ph_graph_pane_queue_labels), self);
  g_signal_connect_swapped (self->canvas, "layout-finished", G_CALLBACK (ph_graph_pane_queue_labels), self);
  g_signal_connect_swapped (self->canvas, "enter", G_CALLBACK (on_enter), self);
  g_signal_connect_swapped (self->canvas, "leave", G_CALLBACK (on_leave), self);
}

GtkWidget *
ph_graph_pane_new (PhConsole *console)
{
  PhGraphPane *self = g_object_new (PH_TYPE_GRAPH_PANE, NULL);

  self->console = g_object_ref (console);
  self->document = g_object_ref (ph_console_get_document (console));
  ph_graph_canvas_set_document (self->canvas, self->document);
  ph_text_pane_set_document (self->text_pane, self->document);
  ph_text_pane_set_split (self->text_pane, TRUE);
  ph_history_slider_set_console (self->slider, console);
  ph_query_bar_set_console (self->query_bar, console);
  ph_trail_bar_set_document (self->trail_bar, self->document);
  ph_execution_bar_set_console (self->execution_bar, console);
  ph_feed_popover_attach (self->canvas, console);
  g_signal_connect_swapped (self->document, "opened", G_CALLBACK (ph_graph_pane_queue_labels), self);
  g_signal_connect_swapped (self->document, "history-changed", G_CALLBACK (ph_graph_pane_queue_labels), self);
  g_signal_connect_swapped (self->document, "since-changed", G_CALLBACK (ph_graph_pane_queue_labels), self);
  g_signal_connect_swapped (self->document, "diff-changed", G_CALLBACK (ph_graph_pane_queue_labels), self);
  g_signal_connect_swapped (ph_document_get_view (self->document), "changed", G_CALLBACK (on_view), self);
  g_signal_connect_swapped (self->canvas, "say", G_CALLBACK (ph_graph_pane_say), self);
  self->view_actions = ph_view_actions_new (console, ask, self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "view", G_ACTION_GROUP (self->view_actions));
  return GTK_WIDGET (self);
}

PhGraphCanvas *
ph_graph_pane_get_canvas (PhGraphPane *self)
{
  return self->canvas;
}

PhConsole *
ph_graph_pane_get_console (PhGraphPane *self)
{
  return self->console;
}

PhGraphCanvas *
ph_graph_pane_get_before (PhGraphPane *self)
{
  return self->before;
}

GSimpleActionGroup *
ph_graph_pane_get_view_actions (PhGraphPane *self)
{
  return self->view_actions;
}

PhForm
ph_graph_pane_get_form (PhGraphPane *self)
{
  return self->form;
}

gboolean
ph_graph_pane_is_working (PhGraphPane *self)
{
  if (self->form == PH_FORM_TEXT)
    return ph_text_pane_is_working (self->text_pane);
  return ph_graph_canvas_is_busy (self->canvas) || (self->before && ph_graph_canvas_is_busy (self->before));
}

GSimpleActionGroup *
ph_graph_pane_get_actions (PhGraphPane *self)
{
  return self->actions;
}
