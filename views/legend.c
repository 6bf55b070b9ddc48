/* legend.c: the legend of the picture's colours, on top of the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/legend.h"

#include <glib/gi18n.h>
#include <math.h>

#include "views/style-color.h"

#define PADDING 12
#define ROOM    240

struct _PhLegend
{
  GtkWidget parent_instance;
  PhGraphCanvas *canvas;
  PhInk *ink;
  PhPaint *paint; /* (nullable) */
  guint later;
};

G_DEFINE_FINAL_TYPE (PhLegend, ph_legend, GTK_TYPE_WIDGET)

/* Describes the drawing for screen readers. */
static void
describe (PhLegend *self)
{
  g_autoptr (GString) text = g_string_new (self->paint ? ph_paint_title (self->paint) : NULL);
  guint n = self->paint ? ph_paint_n_entries (self->paint) : 0, count;
  g_autofree char *label = NULL;
  PhColor color;
  float at;

  for (guint i = 0; i < n; i++)
    {
      const char *name = ph_paint_entry (self->paint, i, PH_THEME_LIGHT, &color, &count);
      g_string_append_printf (text, "%s %s: %u", i ? "," : ":", name, count);
    }
  for (guint i = 0; self->paint && n == 0 && ph_paint_tick (self->paint, i, &at, &label); i++)
    {
      g_string_append_printf (text, "%s %s", i ? "," : ":", label);
      g_clear_pointer (&label, g_free);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text->str, -1);
}

static gboolean
update (gpointer data)
{
  PhLegend *self = data;
  PhPaint *paint = gtk_widget_get_visible (GTK_WIDGET (self)) ? ph_graph_canvas_get_paint (self->canvas) : NULL;

  self->later = 0;
  if (paint == self->paint)
    return G_SOURCE_REMOVE;
  g_clear_pointer (&self->paint, ph_paint_unref);
  self->paint = paint ? ph_paint_ref (paint) : NULL;
  describe (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

static void
queue (PhLegend *self)
{
  if (self->later == 0)
    self->later = g_idle_add_full (G_PRIORITY_DEFAULT, update, self, NULL);
}

static void
ph_legend_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
                   int *natural_baseline)
{
  PhLegend *self = PH_LEGEND (widget);
  double width = 0, height = 0;

  if (self->paint)
    ph_paint_legend_size (self->paint, self->ink, ROOM, &width, &height);
  *minimum = *natural = self->paint ? (int) ceil (orientation == GTK_ORIENTATION_HORIZONTAL ? width : height) + 2 * PADDING : 0;
}

static void
ph_legend_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhLegend *self = PH_LEGEND (widget);
  const float width = (float) gtk_widget_get_width (widget), height = (float) gtk_widget_get_height (widget);

  if (!self->paint)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  cairo_translate (cr, PADDING, PADDING);
  ph_paint_draw_legend (self->paint, cr, self->ink, ph_style_theme (), ROOM);
  cairo_destroy (cr);
}

static void
ph_legend_dispose (GObject *object)
{
  PhLegend *self = PH_LEGEND (object);

  g_clear_handle_id (&self->later, g_source_remove);
  g_clear_pointer (&self->paint, ph_paint_unref);
  g_clear_pointer (&self->ink, ph_ink_free);
  g_clear_object (&self->canvas);
  G_OBJECT_CLASS (ph_legend_parent_class)->dispose (object);
}

static void
ph_legend_class_init (PhLegendClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_legend_dispose;
  widget_class->measure = ph_legend_measure;
  widget_class->snapshot = ph_legend_snapshot;
  gtk_widget_class_set_css_name (widget_class, "legend");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LEGEND);
}

static void
ph_legend_init (PhLegend *self)
{
  self->ink = ph_ink_new ();
  gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_START);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_END);
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

GtkWidget *
ph_legend_new (PhGraphCanvas *canvas)
{
  PhLegend *self = g_object_new (PH_TYPE_LEGEND, NULL);

  self->canvas = g_object_ref (canvas);
  g_signal_connect_object (canvas, "look-changed", G_CALLBACK (queue), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self, "notify::visible", G_CALLBACK (queue), self);
  return GTK_WIDGET (self);
}
