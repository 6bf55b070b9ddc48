/* minimap.c: the whole picture in small, with a frame around the visible part.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/minimap.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/scene/scene.h"
#include "views/access-names.h"
#include "views/style-color.h"

#define LONGEST  220
#define SHORTEST 36

struct _PhMinimap
{
  GtkWidget parent_instance;

  PhGraphCanvas *canvas;             /* (nullable) owned reference */
  GdkTexture *picture;               /* (nullable) the whole at the widget's size, made once: scaling in each frame is too slow */
  int picture_width, picture_height; /* pixels */
  int scene_width, scene_height;     /* for which the size was computed */
  int percent;                       /* visible part of the scene, as last announced to a screen reader */
  guint follow;                      /* idle: a view change to be followed */
};

G_DEFINE_FINAL_TYPE (PhMinimap, ph_minimap, GTK_TYPE_WIDGET)

/* Finds where the picture is in the widget, and returns pixels per point. */
static double
place (PhMinimap *self, double *left, double *top)
{
  PhScene *scene = self->canvas != NULL ? ph_graph_canvas_get_scene (self->canvas) : NULL;
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  double scale;

  if (scene == NULL || ph_scene_width (scene) < 1 || ph_scene_height (scene) < 1)
    return 0;
  scale = MIN (width / ph_scene_width (scene), height / ph_scene_height (scene));
  *left = (width - ph_scene_width (scene) * scale) / 2;
  *top = (height - ph_scene_height (scene) * scale) / 2;
  return scale;
}

static double
overlap (double start, double size, double whole)
{
  return whole > 0 ? MAX (MIN (start + size, whole) - MAX (start, 0), 0) / whole : 0;
}

/* Describes the frame for screen readers. */
static void
describe (PhMinimap *self, double share)
{
  const int percent = share > 0 ? MAX ((int) round (share * 100), 1) : 0;

  if (percent == self->percent)
    return;
  self->percent = percent;
  ph_access_set_name (GTK_WIDGET (self), _ ("The whole graph, of which %d %% is in sight"), percent);
}

static gboolean
follow_view (gpointer data)
{
  PhMinimap *self = data;
  PhScene *scene = ph_graph_canvas_get_scene (self->canvas);
  double x, y, zoom, width, height;
  gboolean whole = TRUE;

  self->follow = 0;
  if (scene != NULL)
    {
      ph_graph_canvas_get_view (self->canvas, &x, &y, &zoom);
      width = gtk_widget_get_width (GTK_WIDGET (self->canvas)) / zoom;
      height = gtk_widget_get_height (GTK_WIDGET (self->canvas)) / zoom;
      whole = x <= 40 && y <= 40 && x + width >= ph_scene_width (scene) - 40 && y + height >= ph_scene_height (scene) - 40;
      describe (self, overlap (x, width, ph_scene_width (scene)) * overlap (y, height, ph_scene_height (scene)));
    }
  gtk_widget_set_visible (GTK_WIDGET (self), !whole);
  if (scene != NULL && (self->scene_width != (int) ph_scene_width (scene) || self->scene_height != (int) ph_scene_height (scene)))
    {
      self->scene_width = ph_scene_width (scene);
      self->scene_height = ph_scene_height (scene);
      gtk_widget_queue_resize (GTK_WIDGET (self));
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

/* Updates before the next frame: the canvas sets its first view during allocation, when no widget may be shown or hidden. */
static void
on_view (PhMinimap *self)
{
  if (self->follow == 0)
    self->follow = g_idle_add_full (G_PRIORITY_HIGH_IDLE, follow_view, self, NULL);
}

static void
ph_minimap_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline)
{
  PhMinimap *self = PH_MINIMAP (widget);
  PhScene *scene = self->canvas != NULL ? ph_graph_canvas_get_scene (self->canvas) : NULL;
  double size = LONGEST;

  if (scene != NULL)
    {
      const double width = MAX (ph_scene_width (scene), 1), height = MAX (ph_scene_height (scene), 1);

      size = (orientation == GTK_ORIENTATION_HORIZONTAL ? width : height) * LONGEST / MAX (width, height);
    }
  *minimum = *natural = (int) CLAMP (size, SHORTEST, LONGEST);
}

static void
on_overview (PhMinimap *self)
{
  g_clear_object (&self->picture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* @width, @height: pixels. */
static void
update_picture (PhMinimap *self, int width, int height)
{
  GdkTexture *overview = ph_graph_canvas_get_overview (self->canvas);
  cairo_surface_t *from, *to;
  g_autoptr (GBytes) bytes = NULL;
  cairo_t *cr;

  if (overview == NULL || width < 1 || height < 1
      || (self->picture != NULL && self->picture_width == width && self->picture_height == height))
    return;
  from = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, gdk_texture_get_width (overview), gdk_texture_get_height (overview));
  gdk_texture_download (overview, cairo_image_surface_get_data (from), cairo_image_surface_get_stride (from));
  cairo_surface_mark_dirty (from);
  to = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cr = cairo_create (to);
  cairo_scale (cr, (double) width / gdk_texture_get_width (overview), (double) height / gdk_texture_get_height (overview));
  cairo_set_source_surface (cr, from, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  cairo_paint (cr);
  cairo_destroy (cr);
  cairo_surface_destroy (from);
  cairo_surface_flush (to);
  bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (to), (gsize) cairo_image_surface_get_stride (to) * height,
                                      (GDestroyNotify) cairo_surface_destroy, to);
  g_clear_object (&self->picture);
  self->picture = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, cairo_image_surface_get_stride (to));
  self->picture_width = width;
  self->picture_height = height;
}

static void
ph_minimap_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhMinimap *self = PH_MINIMAP (widget);
  const float width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  PhScene *scene = self->canvas != NULL ? ph_graph_canvas_get_scene (self->canvas) : NULL;
  const int d = gtk_widget_get_scale_factor (widget);
  double left, top, x, y, zoom, scale = place (self, &left, &top);
  GdkRGBA color, border;
  GskRoundedRect frame;
  graphene_rect_t view;

  if (scene == NULL || scale == 0)
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  border = (GdkRGBA) { color.red, color.green, color.blue, 0.18 };
  gsk_rounded_rect_init_from_rect (&frame, &GRAPHENE_RECT_INIT (0, 0, width, height), 8);
  gtk_snapshot_push_rounded_clip (snapshot, &frame);
  update_picture (self, round (ph_scene_width (scene) * scale * d), round (ph_scene_height (scene) * scale * d));
  if (self->picture != NULL)
    gtk_snapshot_append_texture (snapshot, self->picture,
                                 &GRAPHENE_RECT_INIT (round (left * d) / d, round (top * d) / d, (double) self->picture_width / d,
                                                      (double) self->picture_height / d));

  ph_graph_canvas_get_view (self->canvas, &x, &y, &zoom);
  view = GRAPHENE_RECT_INIT (left + x * scale, top + y * scale, gtk_widget_get_width (GTK_WIDGET (self->canvas)) / zoom * scale,
                             gtk_widget_get_height (GTK_WIDGET (self->canvas)) / zoom * scale);
  if (view.size.height < 6) /* never too small to be seen and taken */
    {
      view.origin.y -= (6 - view.size.height) / 2;
      view.size.height = 6;
    }
  if (graphene_rect_intersection (&view, &GRAPHENE_RECT_INIT (0, 0, width, height), &view))
    {
      const GdkRGBA accent = ph_style_color (widget, "accent_color", 1);
      GskRoundedRect shown;

      gsk_rounded_rect_init_from_rect (&shown, &view, 3);
      gtk_snapshot_append_color (snapshot, &(GdkRGBA) { accent.red, accent.green, accent.blue, 0.15 }, &view);
      gtk_snapshot_append_border (snapshot, &shown, (float[]) { 2, 2, 2, 2 }, (GdkRGBA[]) { accent, accent, accent, accent });
    }
  gtk_snapshot_pop (snapshot);
  gtk_snapshot_append_border (snapshot, &frame, (float[]) { 1, 1, 1, 1 }, (GdkRGBA[]) { border, border, border, border });
}

static void
look_at (PhMinimap *self, double px, double py)
{
  double left, top, x, y, zoom;
  const double scale = place (self, &left, &top);

  if (scale == 0)
    return;
  ph_graph_canvas_get_view (self->canvas, &x, &y, &zoom);
  ph_graph_canvas_set_view (self->canvas, (px - left) / scale - gtk_widget_get_width (GTK_WIDGET (self->canvas)) / zoom / 2,
                            (py - top) / scale - gtk_widget_get_height (GTK_WIDGET (self->canvas)) / zoom / 2, zoom);
}

static void
on_drag_begin (PhMinimap *self, double x, double y)
{
  look_at (self, x, y);
}

static void
on_drag_update (PhMinimap *self, double dx, double dy, GtkGestureDrag *gesture)
{
  double x, y;

  if (gtk_gesture_drag_get_start_point (gesture, &x, &y))
    look_at (self, x + dx, y + dy);
}

static void
ph_minimap_dispose (GObject *object)
{
  PhMinimap *self = PH_MINIMAP (object);

  g_clear_object (&self->picture);
  g_clear_handle_id (&self->follow, g_source_remove);
  if (self->canvas != NULL)
    g_signal_handlers_disconnect_by_data (self->canvas, self);
  g_clear_object (&self->canvas);
  G_OBJECT_CLASS (ph_minimap_parent_class)->dispose (object);
}

static void
ph_minimap_class_init (PhMinimapClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = ph_minimap_dispose;
  widget_class->measure = ph_minimap_measure;
  widget_class->snapshot = ph_minimap_snapshot;
  gtk_widget_class_set_css_name (widget_class, "minimap");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
ph_minimap_init (PhMinimap *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_END);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_END);
  gtk_widget_set_margin_end (GTK_WIDGET (self), 12);
  gtk_widget_set_margin_bottom (GTK_WIDGET (self), 12);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  self->percent = -1;
}

GtkWidget *
ph_minimap_new (PhGraphCanvas *canvas)
{
  PhMinimap *self = g_object_new (PH_TYPE_MINIMAP, NULL);

  self->canvas = g_object_ref (canvas);
  g_signal_connect_object (canvas, "view-changed", G_CALLBACK (on_view), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (canvas, "overview-changed", G_CALLBACK (on_overview), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
