/* change-strip.c: a narrow overview strip of all changes of two texts side by side, with the visible range; a click scrolls there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/change-strip.h"

#define WIDTH 14

struct _PhChangeStrip
{
  GtkWidget parent_instance;
  GtkAdjustment *adjustment; /* (nullable) */
  const PhTextDiff *diff;    /* (nullable) borrowed */
};

G_DEFINE_FINAL_TYPE (PhChangeStrip, ph_change_strip, GTK_TYPE_WIDGET)

static void
ph_change_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : 40;
}

static void
ph_change_strip_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  static const char *const names[]
      = { [PH_ROW_CHANGED] = "ph_changed", [PH_ROW_ADDED] = "ph_added", [PH_ROW_REMOVED] = "ph_removed" };
  PhChangeStrip *self = PH_CHANGE_STRIP (widget);
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  const double height = gtk_widget_get_height (widget);
  double drawn[G_N_ELEMENTS (names)] = { 0 }; /* down to there; in a long text many changes share a pixel */
  GdkRGBA color, frame;

  if (!self->diff || self->diff->rows->len == 0)
    return;
  /* If everything is visible the strip is redundant, and its marks would not align with the lines. */
  if (self->adjustment && gtk_adjustment_get_upper (self->adjustment) <= gtk_adjustment_get_page_size (self->adjustment))
    return;
  const guint n = self->diff->rows->len;
  for (guint r = 0; r < n;)
    {
      const PhRowKind kind = g_array_index (self->diff->rows, PhTextRow, r).kind;
      guint end = r + 1;

      while (end < n && g_array_index (self->diff->rows, PhTextRow, end).kind == kind)
        end++;
      const double bottom = MAX (height * end / n, height * r / n + 2);
      if (kind != PH_ROW_SAME && bottom > drawn[kind] + 0.5 && gtk_style_context_lookup_color (style, names[kind], &color))
        {
          gtk_snapshot_append_color (
              snapshot, &color, &GRAPHENE_RECT_INIT (3, (float) (height * r / n), WIDTH - 6, (float) (bottom - height * r / n)));
          drawn[kind] = bottom;
        }
      r = end;
    }
  if (!self->adjustment)
    return;
  const double upper = gtk_adjustment_get_upper (self->adjustment), page = gtk_adjustment_get_page_size (self->adjustment);
  if (upper <= page || upper <= 0)
    return;
  gtk_style_context_get_color (style, &color);
  frame = color;
  color.alpha = 0.10f;
  frame.alpha = 0.35f;
  GskRoundedRect shape;
  gsk_rounded_rect_init_from_rect (&shape,
                                   &GRAPHENE_RECT_INIT (0.5f,
                                                        (float) (gtk_adjustment_get_value (self->adjustment) / upper * height),
                                                        WIDTH - 1, (float) MAX (page / upper * height, 6)),
                                   3);
  gtk_snapshot_push_rounded_clip (snapshot, &shape);
  gtk_snapshot_append_color (snapshot, &color, &shape.bounds);
  gtk_snapshot_pop (snapshot);
  gtk_snapshot_append_border (snapshot, &shape, (float[]) { 1, 1, 1, 1 }, (GdkRGBA[]) { frame, frame, frame, frame });
}

static void
look_at (PhChangeStrip *self, double y)
{
  if (!self->adjustment)
    return;
  const double upper = gtk_adjustment_get_upper (self->adjustment), page = gtk_adjustment_get_page_size (self->adjustment);
  gtk_adjustment_set_value (self->adjustment, y / MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1) * upper - page / 2);
}

static void
on_drag_begin (PhChangeStrip *self, double x, double y)
{
  look_at (self, y);
}

static void
on_drag_update (PhChangeStrip *self, double dx, double dy, GtkGestureDrag *gesture)
{
  double x, y;

  if (gtk_gesture_drag_get_start_point (gesture, &x, &y))
    look_at (self, y + dy);
}

void
ph_change_strip_set_adjustment (PhChangeStrip *self, GtkAdjustment *adjustment)
{
  g_return_if_fail (PH_IS_CHANGE_STRIP (self));

  if (self->adjustment)
    g_signal_handlers_disconnect_by_data (self->adjustment, self);
  g_set_object (&self->adjustment, adjustment);
  if (adjustment)
    {
      g_signal_connect_swapped (adjustment, "changed", G_CALLBACK (gtk_widget_queue_draw), self);
      g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (gtk_widget_queue_draw), self);
    }
}

void
ph_change_strip_set_diff (PhChangeStrip *self, const PhTextDiff *diff)
{
  g_return_if_fail (PH_IS_CHANGE_STRIP (self));
  self->diff = diff;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
ph_change_strip_dispose (GObject *object)
{
  ph_change_strip_set_adjustment (PH_CHANGE_STRIP (object), NULL);
  PH_CHANGE_STRIP (object)->diff = NULL;
  G_OBJECT_CLASS (ph_change_strip_parent_class)->dispose (object);
}

static void
ph_change_strip_class_init (PhChangeStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_change_strip_dispose;
  widget_class->measure = ph_change_strip_measure;
  widget_class->snapshot = ph_change_strip_snapshot;
  gtk_widget_class_set_css_name (widget_class, "changestrip");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
ph_change_strip_init (PhChangeStrip *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}
