/* graph-canvas.c: the picture of the model: its present state, the changes of a step, and navigation.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/graph-canvas-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "views/after-frame.h"
#include "views/renderer.h"

G_DEFINE_FINAL_TYPE (PhGraphCanvas, ph_graph_canvas, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_DOCUMENT,
  N_PROPS
};
static GParamSpec *props[N_PROPS];
guint ph_canvas_signals[PH_CANVAS_N_SIGNALS];

PhViewState *
ph_canvas_view (PhGraphCanvas *self)
{
  return self->document != NULL ? ph_document_get_view (self->document) : NULL;
}

const PhArrangement *
ph_canvas_wanted (PhGraphCanvas *self)
{
  static const PhArrangement nothing;

  return self->document != NULL ? ph_view_state_get_arrangement (ph_canvas_view (self)) : &nothing;
}

gboolean
ph_canvas_is_on (PhGraphCanvas *self, PhViewField field)
{
  return self->document != NULL && ph_view_state_is_on (ph_canvas_view (self), field);
}

void
ph_canvas_say (PhGraphCanvas *self, const char *format, ...)
{
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  self = ph_canvas_leader (self);
  if (g_signal_has_handler_pending (self, ph_canvas_signals[PH_CANVAS_SAY], 0, TRUE))
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_SAY], 0, line);
  else if (self->document != NULL)
    ph_view_state_say (ph_canvas_view (self), line, NULL);
}

static void
forget_pictures (PhGraphCanvas *self)
{
  ph_laid_out_clear (&self->shown);
  ph_laid_out_clear (&self->aside);
  ph_arrangement_clear (&self->asked);
  ph_canvas_forget_left (self);
  g_clear_pointer (&self->paint, ph_paint_unref);
  g_clear_pointer (&self->part_title, g_free);
}

static void
on_opened (PhGraphCanvas *self)
{
  ph_canvas_morph_stop (self);
  forget_pictures (self);
  self->awaited = FALSE;
  self->first = self->fitted = TRUE;
  ph_canvas_update_nodes (self);
  ph_canvas_update_look (self);
  if (ph_canvas_leader (self) == self)
    ph_canvas_start_layout (self, TRUE);
}

/* Only appended or changed steps need a new scene. */
static void
on_history (PhGraphCanvas *self)
{
  PhHistory *history = ph_document_get_history (self->document);

  if (history == NULL)
    return;
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
  if (ph_canvas_wanted (self)->compact || ph_canvas_leader (self) != self)
    return;
  if (self->shown.scene == NULL || self->shown.generation != ph_document_get_generation (self->document)
      || (int) history->rewrites->len > ph_scene_end (self->shown.scene))
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
  if (ph_canvas_wanted (self)->compact && ph_canvas_leader (self) == self)
    ph_canvas_ask_layout (self);
  if (gtk_widget_get_first_child (GTK_WIDGET (self)) != NULL)
    ph_after_frame (GTK_WIDGET (self), &self->nodes_later, update_nodes);
}

static void
on_layout (PhGraphCanvas *self)
{
  PhViewState *view = ph_canvas_view (self);

  if (ph_canvas_leader (self) == self && ph_document_is_open (self->document)
      && (self->engine != ph_view_state_get (view, PH_VIEW_LAYOUT)
          || self->across != (gboolean) ph_view_state_get (view, PH_VIEW_DIRECTION)))
    {
      self->fitted = TRUE;
      ph_canvas_ask_layout (self);
    }
}

/* Both sides of a pair get the signal; one of them lays out. */
static void
on_view (PhGraphCanvas *self, PhViewField field)
{
  switch (field)
    {
    case PH_VIEW_DIFF:
      ph_canvas_update_times (self);
      /* fall through */
    case PH_VIEW_COLOR:
    case PH_VIEW_EDGES: ph_canvas_update_look (self); break;
    case PH_VIEW_VALUES: ph_canvas_values_follow (self); break;
    case PH_VIEW_LAYOUT:
    case PH_VIEW_DIRECTION: on_layout (self); break;
    case PH_VIEW_PART:
      ph_canvas_update_part (self);
      /* fall through */
    case PH_VIEW_COMPACT:
    case PH_VIEW_GROUP:
    case PH_VIEW_OPEN:
      if (ph_canvas_leader (self) == self)
        ph_canvas_follow_arrangement (self);
      break;
    default: break;
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

  /* Selecting a node in a body opens the body. */
  if (ph_canvas_leader (self) == self && ph_document_is_open (self->document))
    ph_document_reveal (self->document, ph_document_get_selection (self->document));
  /* One side of a pair scrolls and the other follows. */
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
    {
      g_signal_handlers_disconnect_by_data (ph_canvas_view (self), self);
      g_signal_handlers_disconnect_by_data (self->document, self);
    }
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
      g_signal_connect_swapped (ph_document_get_view (document), "changed", G_CALLBACK (on_view), self);
      g_signal_connect_swapped (ph_document_get_view (document), "zoom-asked", G_CALLBACK (ph_canvas_on_zoom_asked), self);
      g_signal_connect_swapped (document, "inside-changed", G_CALLBACK (ph_canvas_go_inside), self);
      g_signal_connect_swapped (document, "pipeline-changed", G_CALLBACK (gtk_widget_queue_draw), self);
      g_signal_connect_swapped (document, "diff-changed", G_CALLBACK (gtk_widget_queue_draw), self);
      g_signal_connect_swapped (document, "notify::selection", G_CALLBACK (on_selection), self);
    }
  on_opened (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_DOCUMENT]);
}

PhDocument *
ph_graph_canvas_get_document (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return self->document;
}

static void
ph_graph_canvas_dispose (GObject *object)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  g_clear_weak_pointer (&self->overview);
  ph_canvas_part (self);
  ph_canvas_values_clear (self);
  ph_canvas_stop_animation (self);
  ph_canvas_morph_stop (self);
  ph_canvas_remove_nodes (self);
  ph_after_frame_cancel (GTK_WIDGET (self), &self->nodes_later);
  g_clear_handle_id (&self->settle_id, g_source_remove);
  g_clear_handle_id (&self->tell_id, g_source_remove);
  ph_canvas_stop_layout (self);
  if (self->document != NULL)
    {
      g_signal_handlers_disconnect_by_data (ph_canvas_view (self), self);
      g_signal_handlers_disconnect_by_data (self->document, self);
    }
  g_clear_object (&self->document);
  for (guint i = 0; i < G_N_ELEMENTS (self->style_ids); i++)
    g_clear_signal_handler (&self->style_ids[i], adw_style_manager_get_default ());
  g_clear_pointer (&self->tiles, ph_tiles_free);
  g_clear_pointer (&self->ink, ph_ink_free);
  g_clear_pointer (&self->marked, g_array_unref);
  g_clear_pointer (&self->beyond, g_array_unref);
  forget_pictures (self);
  G_OBJECT_CLASS (ph_graph_canvas_parent_class)->dispose (object);
}

static void
ph_graph_canvas_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  switch (id)
    {
    case PROP_DOCUMENT: g_value_set_object (value, self->document); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
ph_graph_canvas_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  switch (id)
    {
    case PROP_DOCUMENT: ph_graph_canvas_set_document (self, g_value_get_object (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

/* Tab treats the picture as a single widget. */
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

  props[PROP_DOCUMENT] = g_param_spec_object ("document", NULL, NULL, PH_TYPE_DOCUMENT, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);

  ph_canvas_signals[PH_CANVAS_SAY] = new_signal ("say", 1, G_TYPE_STRING, G_TYPE_NONE);
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

PhScene *
ph_graph_canvas_get_scene (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return self->shown.scene;
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
  /* A hidden canvas is not drawn. */
  return self->layout != NULL || (gtk_widget_get_mapped (GTK_WIDGET (self)) && (self->morph != NULL || !self->complete));
}
