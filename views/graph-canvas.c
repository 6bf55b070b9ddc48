/* graph-canvas.c: the picture of the model: what is there now, what a step changed, and the way around in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "views/after-frame.h"
#include "views/renderer.h"

G_DEFINE_FINAL_TYPE (PhGraphCanvas, ph_graph_canvas, GTK_TYPE_WIDGET)

GParamSpec *ph_canvas_props[PH_CANVAS_N_PROPS];
guint ph_canvas_signals[PH_CANVAS_N_SIGNALS];

static void
on_opened (PhGraphCanvas *self)
{
  ph_canvas_morph_stop (self);
  g_clear_pointer (&self->scene, ph_scene_unref);
  g_clear_pointer (&self->open, g_hash_table_unref);
  g_clear_pointer (&self->measure, ph_measure_unref);
  g_clear_pointer (&self->paint, ph_paint_unref);
  g_clear_pointer (&self->keep, g_hash_table_unref);
  g_clear_pointer (&self->aside, ph_scene_unref);
  ph_canvas_forget_left (self);
  ph_laid_out_for_clear (&self->shown);
  self->awaited = FALSE;
  self->first = self->fitted = TRUE;
  self->grouped_found = FALSE;
  ph_canvas_update_nodes (self);
  ph_canvas_update_look (self);
  if (ph_canvas_leader (self) == self)
    ph_canvas_start_layout (self, TRUE);
}

/* Steps that the scene knows already need no new one: only what was appended, or made anew, does. */
static void
on_history (PhGraphCanvas *self)
{
  PhHistory *history = ph_document_get_history (self->document);

  if (history == NULL)
    return;
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
  if (self->compact || ph_canvas_leader (self) != self)
    return;
  if (self->scene == NULL || self->scene_generation != ph_document_get_generation (self->document)
      || (int) history->rewrites->len > ph_scene_end (self->scene))
    ph_canvas_extend_layout (self);
}

static void
update_nodes (gpointer data)
{
  ph_canvas_update_nodes (data);
}

static void
on_position (PhGraphCanvas *self)
{
  self->stepped = TRUE;
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
  if (self->compact && ph_canvas_leader (self) == self)
    ph_canvas_ask_layout (self);
  if (gtk_widget_get_first_child (GTK_WIDGET (self)) != NULL)
    ph_after_frame (GTK_WIDGET (self), &self->nodes_later, update_nodes);
}

static void
on_layout (PhGraphCanvas *self)
{
  if (ph_canvas_leader (self) == self && ph_document_is_open (self->document)
      && (self->engine != ph_view_state_get (ph_document_get_view (self->document), PH_VIEW_LAYOUT)
          || self->across != (gboolean) ph_view_state_get (ph_document_get_view (self->document), PH_VIEW_DIRECTION)))
    {
      self->fitted = TRUE;
      ph_canvas_ask_layout (self);
    }
}

static void
on_since (PhGraphCanvas *self)
{
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
}

static void
on_selection (PhGraphCanvas *self)
{
  PhRect rect;

  /* Whoever selects what lies in a body wants to see it. */
  if (ph_canvas_leader (self) == self && ph_document_is_open (self->document))
    ph_document_reveal (self->document, ph_document_get_selection (self->document));
  /* Of a pair one scrolls, and the other goes with it. */
  if (ph_canvas_leader (self) == self && ph_canvas_selection_rect (self, &rect))
    ph_canvas_show_rect (self, &rect);
  ph_canvas_update_nodes (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ph_graph_canvas_set_document (PhGraphCanvas *self, PhDocument *document)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->document == document)
    return;
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document != NULL)
    {
      g_signal_connect_swapped (document, "opened", G_CALLBACK (on_opened), self);
      g_signal_connect_swapped (document, "history-changed", G_CALLBACK (on_history), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (on_position), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (ph_canvas_values_follow), self);
      g_signal_connect_swapped (document, "feeds-changed", G_CALLBACK (ph_canvas_values_follow), self);
      g_signal_connect_swapped (document, "opened", G_CALLBACK (ph_canvas_values_follow), self);
      g_signal_connect_swapped (document, "values-changed", G_CALLBACK (ph_canvas_values_label), self);
      g_signal_connect_swapped (document, "execution-changed", G_CALLBACK (ph_canvas_values_follow), self);
      g_signal_connect_swapped (document, "since-changed", G_CALLBACK (on_since), self);
      g_signal_connect_swapped (ph_document_get_view (document), "changed", G_CALLBACK (on_layout), self);
      g_signal_connect_swapped (document, "inside-changed", G_CALLBACK (ph_canvas_go_inside), self);
      g_signal_connect_swapped (document, "pipeline-changed", G_CALLBACK (gtk_widget_queue_draw), self);
      g_signal_connect_swapped (document, "diff-changed", G_CALLBACK (gtk_widget_queue_draw), self);
      g_signal_connect_swapped (document, "notify::selection", G_CALLBACK (on_selection), self);
    }
  on_opened (self);
  g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_DOCUMENT]);
}

static void
ph_graph_canvas_dispose (GObject *object)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  ph_canvas_part (self);
  ph_canvas_values_clear (self);
  g_clear_pointer (&self->part, g_free);
  ph_canvas_stop_animation (self);
  ph_canvas_morph_stop (self);
  ph_canvas_remove_nodes (self);
  ph_after_frame_cancel (GTK_WIDGET (self), &self->nodes_later);
  g_clear_handle_id (&self->settle_id, g_source_remove);
  g_clear_handle_id (&self->tell_id, g_source_remove);
  if (self->layout != NULL)
    g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  for (guint i = 0; i < G_N_ELEMENTS (self->style_ids); i++)
    g_clear_signal_handler (&self->style_ids[i], adw_style_manager_get_default ());
  g_clear_pointer (&self->tiles, ph_tiles_free);
  g_clear_pointer (&self->ink, ph_ink_free);
  g_clear_pointer (&self->marked, g_array_unref);
  g_clear_pointer (&self->beyond, g_array_unref);
  g_clear_pointer (&self->scene, ph_scene_unref);
  g_clear_pointer (&self->open, g_hash_table_unref);
  g_clear_pointer (&self->measure, ph_measure_unref);
  g_clear_pointer (&self->paint, ph_paint_unref);
  g_clear_pointer (&self->keep, g_hash_table_unref);
  g_clear_pointer (&self->aside, ph_scene_unref);
  ph_canvas_forget_left (self);
  ph_laid_out_for_clear (&self->shown);
  ph_laid_out_for_clear (&self->aside_shown);
  G_OBJECT_CLASS (ph_graph_canvas_parent_class)->dispose (object);
}

static void
ph_graph_canvas_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  switch (id)
    {
    case PH_CANVAS_PROP_DOCUMENT: g_value_set_object (value, self->document); break;
    case PH_CANVAS_PROP_SHOW_DIFF: g_value_set_boolean (value, self->show_diff); break;
    case PH_CANVAS_PROP_COMPACT: g_value_set_boolean (value, self->compact); break;
    case PH_CANVAS_PROP_GROUPED: g_value_set_boolean (value, self->grouped); break;
    case PH_CANVAS_PROP_EDGE_WIDTH: g_value_set_boolean (value, self->edge_width); break;
    case PH_CANVAS_PROP_SHOW_VALUES: g_value_set_boolean (value, self->show_values); break;
    case PH_CANVAS_PROP_COLOR_MODE: g_value_set_uint (value, self->color_mode); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
ph_graph_canvas_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  switch (id)
    {
    case PH_CANVAS_PROP_DOCUMENT: ph_graph_canvas_set_document (self, g_value_get_object (value)); break;
    case PH_CANVAS_PROP_SHOW_DIFF: ph_graph_canvas_set_show_diff (self, g_value_get_boolean (value)); break;
    case PH_CANVAS_PROP_COMPACT: ph_graph_canvas_set_compact (self, g_value_get_boolean (value)); break;
    case PH_CANVAS_PROP_GROUPED: ph_graph_canvas_set_grouped (self, g_value_get_boolean (value)); break;
    case PH_CANVAS_PROP_EDGE_WIDTH: ph_graph_canvas_set_edge_width (self, g_value_get_boolean (value)); break;
    case PH_CANVAS_PROP_SHOW_VALUES: ph_graph_canvas_set_show_values (self, g_value_get_boolean (value)); break;
    case PH_CANVAS_PROP_COLOR_MODE: ph_graph_canvas_set_color_mode (self, g_value_get_uint (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

/* Tab goes through the picture as through one thing. */
static gboolean
ph_graph_canvas_focus (GtkWidget *widget, GtkDirectionType direction)
{
  if (gtk_widget_is_focus (widget) || gtk_widget_get_focus_child (widget) != NULL)
    return FALSE;
  return gtk_widget_grab_focus (widget);
}

static void
ph_graph_canvas_realize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ph_graph_canvas_parent_class)->realize (widget);
  ph_renderer_keep_memory (widget);
}

static guint
new_signal (const char *name, guint n, GType first, GType second)
{
  return g_signal_newv (name, PH_TYPE_GRAPH_CANVAS, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n,
                        (GType[]) { first, second });
}

static void
ph_graph_canvas_class_init (PhGraphCanvasClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->dispose = ph_graph_canvas_dispose;
  object_class->get_property = ph_graph_canvas_get_property;
  object_class->set_property = ph_graph_canvas_set_property;
  widget_class->focus = ph_graph_canvas_focus;
  widget_class->realize = ph_graph_canvas_realize;
  widget_class->snapshot = ph_canvas_snapshot;
  widget_class->size_allocate = ph_canvas_size_allocate;

  ph_canvas_props[PH_CANVAS_PROP_DOCUMENT] = g_param_spec_object ("document", NULL, NULL, PH_TYPE_DOCUMENT, flags);
  ph_canvas_props[PH_CANVAS_PROP_SHOW_DIFF] = g_param_spec_boolean ("show-diff", NULL, NULL, TRUE, flags);
  ph_canvas_props[PH_CANVAS_PROP_COMPACT] = g_param_spec_boolean ("compact", NULL, NULL, FALSE, flags);
  ph_canvas_props[PH_CANVAS_PROP_GROUPED] = g_param_spec_boolean ("grouped", NULL, NULL, FALSE, flags);
  ph_canvas_props[PH_CANVAS_PROP_EDGE_WIDTH] = g_param_spec_boolean ("edge-width", NULL, NULL, FALSE, flags);
  ph_canvas_props[PH_CANVAS_PROP_SHOW_VALUES] = g_param_spec_boolean ("show-values", NULL, NULL, FALSE, flags);
  ph_canvas_props[PH_CANVAS_PROP_COLOR_MODE] = g_param_spec_uint ("color-mode", NULL, NULL, 0, PH_N_COLOR_MODES - 1, 0, flags);
  g_object_class_install_properties (object_class, PH_CANVAS_N_PROPS, ph_canvas_props);

  ph_canvas_signals[PH_CANVAS_LAYOUT_STARTED] = new_signal ("layout-started", 1, G_TYPE_BOOLEAN, G_TYPE_NONE);
  ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED] = new_signal ("layout-finished", 2, G_TYPE_BOOLEAN, G_TYPE_STRING);
  ph_canvas_signals[PH_CANVAS_NODE_ACTIVATED] = new_signal ("node-activated", 1, G_TYPE_UINT, G_TYPE_NONE);
  ph_canvas_signals[PH_CANVAS_ENTER] = new_signal ("enter", 1, G_TYPE_UINT, G_TYPE_NONE);
  ph_canvas_signals[PH_CANVAS_LEAVE] = new_signal ("leave", 1, G_TYPE_UINT, G_TYPE_NONE);
  ph_canvas_signals[PH_CANVAS_VIEW_CHANGED] = new_signal ("view-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  ph_canvas_signals[PH_CANVAS_OVERVIEW_CHANGED] = new_signal ("overview-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  ph_canvas_signals[PH_CANVAS_LOOK_CHANGED] = new_signal ("look-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  gtk_widget_class_set_css_name (widget_class, "graph-canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
}

static void
ph_graph_canvas_init (PhGraphCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  ph_viewport_init (&self->viewport);
  self->show_diff = TRUE;
  self->first = self->fitted = TRUE;
  self->hover = PH_HOVER_NOTHING;

  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Graph"), -1);
  ph_canvas_init_look (self);
  ph_canvas_init_pointer (self);
  ph_canvas_init_keys (self);
}

GtkWidget *
ph_graph_canvas_new (void)
{
  return g_object_new (PH_TYPE_GRAPH_CANVAS, NULL);
}

static void
look_changed (PhGraphCanvas *self, guint property)
{
  ph_canvas_share_look (self);
  ph_canvas_update_look (self);
  g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[property]);
}

void
ph_graph_canvas_set_show_diff (PhGraphCanvas *self, gboolean show)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->show_diff == show)
    return;
  self->show_diff = show;
  ph_canvas_share_look (self);
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
  g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_SHOW_DIFF]);
}

void
ph_graph_canvas_set_compact (PhGraphCanvas *self, gboolean compact)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  if (self->compact == compact)
    return;
  self->compact = compact;
  ph_canvas_ask_layout (self);
  g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_COMPACT]);
}

void
ph_graph_canvas_set_grouped (PhGraphCanvas *self, gboolean grouped)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  if (self->grouped_set && self->grouped == grouped)
    return;
  self->grouped = grouped;
  self->grouped_set = TRUE;
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->fitted = TRUE;
  ph_canvas_ask_layout (self);
  g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_GROUPED]);
}

void
ph_graph_canvas_set_color_mode (PhGraphCanvas *self, PhColorMode mode)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self) && mode < PH_N_COLOR_MODES);
  if (self->color_mode != mode)
    ph_graph_canvas_set_measure (self, mode, NULL);
}

void
ph_graph_canvas_set_measure (PhGraphCanvas *self, PhColorMode mode, PhMeasure *measure)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self) && mode < PH_N_COLOR_MODES);
  if (measure != NULL)
    ph_measure_ref (measure);
  g_clear_pointer (&self->measure, ph_measure_unref);
  self->measure = measure;
  self->color_mode = mode;
  look_changed (self, PH_CANVAS_PROP_COLOR_MODE);
}

void
ph_graph_canvas_set_edge_width (PhGraphCanvas *self, gboolean by_bytes)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->edge_width == by_bytes)
    return;
  self->edge_width = by_bytes;
  look_changed (self, PH_CANVAS_PROP_EDGE_WIDTH);
}

PhScene *
ph_graph_canvas_get_scene (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return self->scene;
}

GdkTexture *
ph_graph_canvas_get_overview (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return ph_tiles_get_overview (self->tiles);
}

gboolean
ph_graph_canvas_is_busy (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  /* What is hidden is not drawn. */
  return self->layout != NULL || (gtk_widget_get_mapped (GTK_WIDGET (self)) && (self->morph != NULL || !self->complete));
}
