/* graph-pane.c: the picture in its forms: one with the changes in it, before | after, or as text; and the line of its history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-pane.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/change-pill.h"
#include "views/graph-menu.h"
#include "views/execution-bar.h"
#include "views/feed-popover.h"
#include "views/fit-bin.h"
#include "views/history-slider.h"
#include "views/history-track.h"
#include "views/legend.h"
#include "views/minimap.h"
#include "views/query-bar.h"
#include "views/text-pane.h"
#include "views/trail-bar.h"

struct _PhGraphPane
{
  GtkWidget        parent_instance;
  GtkWidget       *content;
  GtkStack        *stack;
  GtkBox          *before_column, *after_column;
  GtkLabel        *before_title, *after_title;
  GtkOverlay      *before_overlay, *after_overlay;
  PhExecutionBar  *execution_bar;
  GtkRevealer     *part_bar;
  GtkLabel        *part_title;
  GtkWidget       *part_steps;
  PhTextPane      *text_pane;
  PhQueryBar      *query_bar;
  PhTrailBar      *trail_bar;
  PhHistorySlider *slider;
  PhFitBin        *bar;
  GtkWidget       *counts;           /* in @bar, folded first */
  GtkLabel        *range, *added, *removed, *changed;
  GtkButton       *reset;

  PhConsole       *console;
  PhDocument      *document;
  PhGraphCanvas   *canvas, *before;  /* @before: (nullable) while side by side */
  GtkWidget       *legend, *corner, *pill;
  GSimpleActionGroup *actions;
  PhForm           form;
  gboolean         time_wanted;      /* colours by time, once it is measured                */
  PhId             path_from;        /* PH_NO_ID: none; paths from there are asked for */
  guint            later;
};

G_DEFINE_FINAL_TYPE (PhGraphPane, ph_graph_pane, GTK_TYPE_WIDGET)

static const char *const form_names[PH_N_FORMS] = { "overlay", "side", "text" };

/* --- what is said of it ---------------------------------------------------------------------------------------------- */

static void
set_count (GtkLabel *label, const char *sign, guint count)
{
  /* U+200E: the sign stays before the number where text runs to the left. */
  g_autofree char *text = g_strdup_printf ("\u200e%s%u", sign, count);

  gtk_label_set_text (label, text);
  gtk_widget_set_visible (GTK_WIDGET (label), count > 0);
}

/* Which part is shown, or what is still to be said of the one that is asked for. */
static void
update_part (PhGraphPane *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhNode *from = model && self->path_from ? ph_model_find_node (model, self->path_from) : NULL;
  guint id, steps;

  self->path_from = from ? self->path_from : PH_NO_ID;
  if (from)
    {
      g_autofree char *text = g_strdup_printf (_("Paths from n%u %s: select where they lead, then press P"), from->id, from->op_type);
      gtk_label_set_text (self->part_title, text);
    }
  else if (ph_graph_canvas_get_part (self->canvas))
    gtk_label_set_text (self->part_title, ph_graph_canvas_get_part (self->canvas));
  gtk_widget_set_visible (self->part_steps, !from && ph_graph_canvas_get_neighbourhood (self->canvas, &id, &steps));
  gtk_revealer_set_reveal_child (self->part_bar, from || ph_graph_canvas_is_partial (self->canvas));
}

static gboolean
update_labels (gpointer data)
{
  PhGraphPane *self = data;
  PhHistory *history = ph_document_get_history (self->document);
  guint added, removed, changed;

  self->later = 0;
  ph_graph_canvas_count_changes (self->canvas, &added, &removed, &changed);
  /* As the row of the step counts them, also what has no box of its own: a constant, a node in a body. */
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
  update_part (self);
  if (!history || history->steps->len == 0)
    {
      gtk_label_set_text (self->range, "");
      return G_SOURCE_REMOVE;
    }
  PhPosition a = ph_document_get_since (self->document), b = ph_document_get_position (self->document);
  g_autofree char *from = ph_position_to_string (a), *to = ph_position_to_string (b), *before = ph_history_describe (history, a, FALSE);
  g_autofree char *after = ph_history_describe (history, b, FALSE);
  g_autofree char *range = ph_position_compare (a, b) == 0 ? g_strdup (to) : g_strdup_printf ("\u200e%s → %s", from, to);
  g_autofree char *left = g_strdup_printf (_("Before: %s"), before), *right = g_strdup_printf (_("After: %s"), after);

  gtk_label_set_text (self->range, range);
  gtk_label_set_text (self->before_title, left);
  gtk_label_set_text (self->after_title, right);
  return G_SOURCE_REMOVE;
}

static void
queue_labels (PhGraphPane *self)
{
  if (self->later == 0)
    self->later = g_idle_add_full (G_PRIORITY_DEFAULT, update_labels, self, NULL);
}

/* As lines of the console; while one runs there, at once. */
static void
on_enter (PhGraphPane *self, guint id)
{
  g_autofree char *line = g_strdup_printf ("enter n%u", id);
  PhModel *model = ph_document_get_model (self->document);
  PhNode *node = model ? ph_model_find_node (model, id) : NULL;

  if (!ph_console_is_running (self->console))
    ph_console_run_async (self->console, line, NULL, NULL, NULL);
  else if (node)
    ph_document_enter (self->document, node, NULL);
}

static void
on_leave (PhGraphPane *self, guint levels)
{
  g_autofree char *line = levels == 1 ? g_strdup ("leave") : g_strdup_printf ("leave %u", levels);

  if (!ph_console_is_running (self->console))
    ph_console_run_async (self->console, line, NULL, NULL, NULL);
  else
    ph_document_leave (self->document, levels);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

/* --- forms ----------------------------------------------------------------------------------------------------------- */

static void
show_before (PhGraphPane *self)
{
  self->before = PH_GRAPH_CANVAS (ph_graph_canvas_new ());
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->before), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Graph before"), -1);
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

void
ph_graph_pane_set_form (PhGraphPane *self, PhForm form)
{
  GAction *action;

  g_return_if_fail (PH_IS_GRAPH_PANE (self) && form < PH_N_FORMS);
  if (self->form == form)
    return;
  if (form == PH_FORM_SIDE)
    show_before (self);
  else if (self->form == PH_FORM_SIDE)
    hide_before (self);
  self->form = form;
  /* Two pictures without their changes would be a riddle. */
  if (form == PH_FORM_SIDE)
    ph_graph_canvas_set_show_diff (self->canvas, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->before_column), form == PH_FORM_SIDE);
  gtk_widget_set_visible (self->corner, form != PH_FORM_SIDE);
  gtk_widget_set_visible (GTK_WIDGET (self->after_title), form == PH_FORM_SIDE);
  if (form == PH_FORM_SIDE)
    gtk_widget_add_css_class (GTK_WIDGET (self->after_column), "beside-column");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->after_column), "beside-column");
  gtk_stack_set_visible_child_name (self->stack, form == PH_FORM_TEXT ? "text" : "picture");
  action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "form");
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (form_names[form]));
  queue_labels (self);
}

/* --- actions --------------------------------------------------------------------------------------------------------- */

static void
change_form (GSimpleAction *action, GVariant *value, gpointer data)
{
  const char *name = g_variant_get_string (value, NULL);

  for (int form = 0; form < PH_N_FORMS; form++)
    if (g_str_equal (name, form_names[form]))
      ph_graph_pane_set_form (data, (PhForm) form);
}

static void
show_legend (PhGraphPane *self, gboolean show)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "legend");

  gtk_widget_set_visible (self->legend, show);
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (show));
}

static void
change_legend (GSimpleAction *action, GVariant *value, gpointer data)
{
  show_legend (data, g_variant_get_boolean (value));
}

/* In seconds, of the nodes that were run. */
static PhMeasure *
measure_time (PhProfile *profile)
{
  GHashTable *numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint n;
  const PhNodeTime *times = ph_profile_times (profile, &n);

  for (guint i = 0; i < n; i++)
    {
      double seconds = (double) times[i].ns / 1e9;
      g_hash_table_insert (numbers, GUINT_TO_POINTER (times[i].node), g_memdup2 (&seconds, sizeof seconds));
    }
  return ph_measure_new_numbers (PH_COLOR_TIME, _("Time"), "s", numbers);
}

/* What another position has, or another file, was not measured: most nodes here have to be known. */
static gboolean
is_measured (PhGraphPane *self)
{
  PhProfile *profile = ph_document_get_profile (self->document);
  PhModel *model = ph_document_get_model (self->document);
  guint n = 0, known = 0;

  if (!profile || !model)
    return FALSE;
  PH_FOREACH_NODE (node, model->graph)
    {
      n++;
      known += ph_profile_find (profile, node->id) != NULL;
    }
  return known * 2 >= n;
}

static void
show_time (PhGraphPane *self)
{
  PhMeasure *measure = measure_time (ph_document_get_profile (self->document));

  self->time_wanted = FALSE;
  ph_graph_canvas_set_measure (self->canvas, PH_COLOR_TIME, measure);
  ph_measure_unref (measure);
}

static void
on_profile (PhGraphPane *self)
{
  guint mode;

  g_object_get (self->canvas, "color-mode", &mode, NULL);
  if (ph_document_get_profile (self->document) && (self->time_wanted || mode == PH_COLOR_TIME))
    show_time (self);
}

static void
change_color (GSimpleAction *action, GVariant *value, gpointer data)
{
  PhGraphPane *self = data;
  PhColorMode mode;

  if (!ph_color_mode_find (g_variant_get_string (value, NULL), &mode))
    return;
  self->time_wanted = mode == PH_COLOR_TIME && !is_measured (self);
  if (mode == PH_COLOR_QUERY)
    ph_query_bar_open (self->query_bar);
  else if (self->time_wanted)
    ph_console_run_async (self->console, "profile --random 1", NULL, NULL, NULL);
  else if (mode == PH_COLOR_TIME)
    show_time (self);
  else
    ph_graph_canvas_set_color_mode (self->canvas, mode);
}

static void
change_layout (GSimpleAction *action, GVariant *value, gpointer data)
{
  PhGraphPane *self = data;
  g_autofree char *line = g_strconcat ("layout ", g_variant_get_string (value, NULL), NULL);

  ph_console_run_async (self->console, line, NULL, NULL, NULL);
}

/* Whoever set it. */
static void
on_layout (PhGraphPane *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "layout");

  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (ph_layout_engine_name (ph_document_get_layout (self->document))));
  action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "direction");
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (ph_document_get_across (self->document) ? "right" : "down"));
}

/* Whoever set it: the menu says it, and colours that do not speak for themselves come with their legend. */
static void
on_color_mode (PhGraphPane *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "color");
  guint mode;

  g_object_get (self->canvas, "color-mode", &mode, NULL);
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (ph_color_mode_name ((PhColorMode) mode)));
  show_legend (self, mode != PH_COLOR_FAMILY);
}

static void
on_measured (PhGraphPane *self, PhMeasure *measure)
{
  ph_graph_canvas_set_measure (self->canvas, PH_COLOR_QUERY, measure);
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
  ph_console_run_async (self->console, "compare", NULL, NULL, NULL);
}

/* --- parts of the graph ---------------------------------------------------------------------------------------------- */

static void
part_all (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;

  if (self->path_from)
    self->path_from = PH_NO_ID;
  else
    ph_graph_canvas_show_all (self->canvas);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  queue_labels (self);
}

static void
part_touched (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;

  if (!ph_graph_canvas_show_touched (self->canvas))
    gtk_widget_error_bell (GTK_WIDGET (self));
}

/* "part-around": as far as the last time; "part-wider", "part-narrower": a step more of it, or less. */
static void
part_around (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;
  const char *name = g_action_get_name (G_ACTION (action));
  int change = g_str_equal (name, "part-wider") ? 1 : g_str_equal (name, "part-narrower") ? -1 : 0;
  guint id, steps, selected = ph_document_get_selection (self->document);
  gboolean shown = ph_graph_canvas_get_neighbourhood (self->canvas, &id, &steps);

  if (!shown || change == 0)
    {
      id = selected;
      steps = shown ? steps : 2;
    }
  else
    steps = (guint) MAX (1, (int) steps + change);
  if (!ph_graph_canvas_show_neighbourhood (self->canvas, id, steps))
    gtk_widget_error_bell (GTK_WIDGET (self));
}

/* The first time it says from where, the second time where to. */
static void
part_paths (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  PhGraphPane *self = data;
  guint from = self->path_from, selected = ph_document_get_selection (self->document);

  if (from == PH_NO_ID)
    self->path_from = selected;
  else if (selected != from && selected != PH_NO_ID)
    {
      self->path_from = PH_NO_ID;
      if (!ph_graph_canvas_show_paths (self->canvas, from, selected))
        {
          g_autofree char *line = g_strdup_printf ("paths n%u n%u", from, selected);
          ph_console_run_async (self->console, line, NULL, NULL, NULL);
        }
    }
  if (self->path_from == PH_NO_ID && from == PH_NO_ID)
    gtk_widget_error_bell (GTK_WIDGET (self));
  queue_labels (self);
}

guint
ph_graph_pane_get_path_start (PhGraphPane *self)
{
  return self->path_from;
}

static void
on_escape (PhGraphPane *self)
{
  self->path_from = PH_NO_ID;
  queue_labels (self);
}

static gboolean
on_key (PhGraphPane *self, guint key, guint code, GdkModifierType state)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (key == GDK_KEY_p)
    part_paths (NULL, NULL, self);
  else if ((key == GDK_KEY_period || key == GDK_KEY_comma) && ph_document_get_execution (self->document, NULL))
    ph_console_run_async (self->console, key == GDK_KEY_period ? "exec next" : "exec back", NULL, NULL, NULL);
  else if (key == GDK_KEY_Escape && self->path_from)
    on_escape (self);
  else if (key == GDK_KEY_Menu)
    ph_graph_menu_show_selected (self);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static void
add_actions (PhGraphPane *self)
{
  static const GActionEntry entries[] = {
    { "form", NULL, "s", "'overlay'", change_form }, { "color", NULL, "s", "'kind'", change_color },
    { "layout", NULL, "s", "'best'", change_layout }, { "direction", NULL, "s", "'down'", change_layout }, { "legend", NULL, NULL, "false", change_legend }, { "next-change", next_change }, { "previous-change", previous_change },
    { "part-around", part_around }, { "part-wider", part_around }, { "part-narrower", part_around }, { "part-paths", part_paths },
    { "part-touched", part_touched }, { "part-all", part_all },
  };
  static const char *const properties[] = { "edge-width", "show-values", "show-diff", "compact", "grouped" };

  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    {
      g_autoptr (GPropertyAction) action = g_property_action_new (properties[i], self->canvas, properties[i]);
      g_action_map_add_action (G_ACTION_MAP (self->actions), G_ACTION (action));
    }
  g_autoptr (GPropertyAction) follow = g_property_action_new ("follow", self->pill, "follow");
  g_action_map_add_action (G_ACTION_MAP (self->actions), G_ACTION (follow));
  gtk_widget_insert_action_group (GTK_WIDGET (self), "graph", G_ACTION_GROUP (self->actions));
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

static void
ph_graph_pane_dispose (GObject *object)
{
  PhGraphPane *self = PH_GRAPH_PANE (object);

  g_clear_handle_id (&self->later, g_source_remove);
  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  if (self->canvas)
    g_signal_handlers_disconnect_by_data (self->canvas, self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "graph", NULL);
  g_clear_object (&self->actions);
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
  gtk_widget_class_bind_template_callback (widget_class, on_measured);
  gtk_widget_class_bind_template_callback (widget_class, on_reset);
  gtk_widget_class_bind_template_callback (widget_class, on_leave);
}

static void
ph_graph_pane_init (PhGraphPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_fit_bin_add (self->bar, self->counts);
  ph_access_set_name (GTK_WIDGET (self), "%s", _("Graph and history"));
  self->canvas = PH_GRAPH_CANVAS (ph_graph_canvas_new ());
  gtk_overlay_set_child (self->after_overlay, GTK_WIDGET (self->canvas));
  /* The minimap shows and hides itself; beside another picture there is no room for it. */
  self->corner = adw_bin_new ();
  adw_bin_set_child (ADW_BIN (self->corner), ph_minimap_new (self->canvas));
  gtk_widget_set_halign (self->corner, GTK_ALIGN_END);
  gtk_widget_set_valign (self->corner, GTK_ALIGN_END);
  gtk_overlay_add_overlay (self->after_overlay, self->corner);
  self->pill = ph_change_pill_new (self->canvas);
  gtk_overlay_add_overlay (self->after_overlay, self->pill);
  self->legend = ph_legend_new (self->canvas);
  gtk_widget_set_visible (self->legend, FALSE);
  gtk_overlay_add_overlay (self->after_overlay, self->legend);
  add_actions (self);
  ph_graph_menu_install (self, G_ACTION_MAP (self->actions));
  ph_graph_menu_attach (self, self->canvas);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->canvas), keys);
  g_signal_connect_swapped (self->canvas, "look-changed", G_CALLBACK (queue_labels), self);
  g_signal_connect_swapped (self->canvas, "layout-finished", G_CALLBACK (queue_labels), self);
  g_signal_connect_swapped (self->canvas, "enter", G_CALLBACK (on_enter), self);
  g_signal_connect_swapped (self->canvas, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect_swapped (self->canvas, "notify::color-mode", G_CALLBACK (on_color_mode), self);
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
  g_signal_connect_swapped (self->document, "opened", G_CALLBACK (queue_labels), self);
  g_signal_connect_swapped (self->document, "history-changed", G_CALLBACK (queue_labels), self);
  g_signal_connect_swapped (self->document, "since-changed", G_CALLBACK (queue_labels), self);
  g_signal_connect_swapped (self->document, "diff-changed", G_CALLBACK (queue_labels), self);
  g_signal_connect_swapped (self->document, "profile-changed", G_CALLBACK (on_profile), self);
  g_signal_connect_swapped (self->document, "layout-changed", G_CALLBACK (on_layout), self);
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
