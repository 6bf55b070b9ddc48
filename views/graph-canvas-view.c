/* graph-canvas-view.c: where the window looks: scrolling, zooming, fitting, and the animation between two views.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

#include <adwaita.h>
#include <math.h>

#define MIN_ZOOM     0.0005 /* or what the whole picture needs */
#define MAX_ZOOM     6.0
#define LEGIBLE      0.55 /* the least zoom at which a picture opens as a whole              */
#define MAP          0.15 /* and one of groups, whose titles are as large as their boxes let them */
#define READABLE     0.80 /* the least zoom at which it opens else, at its top               */
#define ANIMATION_MS 220
#define FRICTION     4.0 /* of what glides on: by e in a quarter of a second, as GTK's own */

double
ph_canvas_width (PhGraphCanvas *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
}

double
ph_canvas_height (PhGraphCanvas *self)
{
  return MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1);
}

static double
least_zoom (PhGraphCanvas *self)
{
  if (self->scene == NULL)
    return MIN_ZOOM;
  return MIN (MIN_ZOOM, 0.5
                            * MIN (ph_canvas_width (self) / MAX (ph_scene_width (self->scene), 1),
                                   ph_canvas_height (self) / MAX (ph_scene_height (self->scene), 1)));
}

/* Something of the picture always stays in the window. */
static void
keep_inside (PhGraphCanvas *self, double *x, double *y, double zoom)
{
  const double width = ph_canvas_width (self) / zoom, height = ph_canvas_height (self) / zoom;

  if (self->scene == NULL)
    return;
  *x = CLAMP (*x, -0.75 * width, MAX (ph_scene_width (self->scene) - 0.25 * width, -0.75 * width));
  *y = CLAMP (*y, -0.75 * height, MAX (ph_scene_height (self->scene) - 0.25 * height, -0.75 * height));
}

static gboolean
on_settled (gpointer data)
{
  PhGraphCanvas *self = data;

  self->settle_id = 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

static gboolean
tell (gpointer data)
{
  PhGraphCanvas *self = data;

  self->tell_id = 0;
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_VIEW_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

void
ph_canvas_set_view (PhGraphCanvas *self, double x, double y, double zoom)
{
  if (zoom != self->zoom)
    {
      self->zoomed_at = g_get_monotonic_time ();
      g_clear_handle_id (&self->settle_id, g_source_remove);
      self->settle_id = g_timeout_add (110, on_settled, self);
    }
  self->x = x;
  self->y = y;
  self->zoom = zoom;
  ph_canvas_nodes_moved (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  ph_canvas_share_view (self);
  if (!self->allocating)
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_VIEW_CHANGED], 0);
  else if (self->tell_id == 0)
    self->tell_id = g_timeout_add (0, tell, self);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const double t = CLAMP ((gdk_frame_clock_get_frame_time (clock) - self->animation_start) / (ANIMATION_MS * 1000.0), 0, 1);
  const double s = 1 - pow (1 - t, 3);

  if (t >= 1)
    {
      ph_canvas_set_view (self, self->to_x, self->to_y, self->to_zoom);
      self->tick = 0;
      self->animation_start = 0;
      return G_SOURCE_REMOVE;
    }
  /* The zoom in even ratios, and the window's middle on a straight line. */
  const double zoom = self->from_zoom * pow (self->to_zoom / self->from_zoom, s);
  const double w = ph_canvas_width (self), h = ph_canvas_height (self);
  const double u = fabs (1 / self->to_zoom - 1 / self->from_zoom) < 1e-9
                       ? s
                       : (1 / zoom - 1 / self->from_zoom) / (1 / self->to_zoom - 1 / self->from_zoom);
  const double from_x = self->from_x + w / 2 / self->from_zoom, to_x = self->to_x + w / 2 / self->to_zoom;
  const double from_y = self->from_y + h / 2 / self->from_zoom, to_y = self->to_y + h / 2 / self->to_zoom;

  ph_canvas_set_view (self, from_x + u * (to_x - from_x) - w / 2 / zoom, from_y + u * (to_y - from_y) - h / 2 / zoom, zoom);
  return G_SOURCE_CONTINUE;
}

void
ph_canvas_stop_animation (PhGraphCanvas *self)
{
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  if (self->glide != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->glide);
  self->tick = self->glide = 0;
  self->animation_start = 0;
  self->stepped = FALSE;
}

void
ph_canvas_go_to (PhGraphCanvas *self, double x, double y, double zoom, gboolean animate)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  zoom = ph_canvas_clamp_zoom (self, zoom);
  keep_inside (self, &x, &y, zoom);
  ph_canvas_stop_animation (self);
  ph_canvas_morph_stop (self);
  if (!animate || clock == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)) || !adw_get_enable_animations (GTK_WIDGET (self)))
    {
      ph_canvas_set_view (self, x, y, zoom);
      return;
    }
  self->from_x = self->x;
  self->from_y = self->y;
  self->from_zoom = self->zoom;
  self->to_x = x;
  self->to_y = y;
  self->to_zoom = zoom;
  self->animation_start = gdk_frame_clock_get_frame_time (clock);
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

double
ph_canvas_clamp_zoom (PhGraphCanvas *self, double zoom)
{
  return CLAMP (zoom, least_zoom (self), MAX_ZOOM);
}

static gboolean
on_glide (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const gint64 now = gdk_frame_clock_get_frame_time (clock);
  const double seconds = MIN ((now - self->glide_time) / (double) G_USEC_PER_SEC, 0.1), left = exp (-FRICTION * seconds);
  double x = self->x + self->glide_x * (1 - left) / FRICTION / self->zoom;
  double y = self->y + self->glide_y * (1 - left) / FRICTION / self->zoom;

  self->glide_time = now;
  self->glide_x *= left;
  self->glide_y *= left;
  keep_inside (self, &x, &y, self->zoom);
  if (hypot (self->glide_x, self->glide_y) < 8 || (x == self->x && y == self->y && seconds > 0))
    {
      self->glide = 0;
      return G_SOURCE_REMOVE;
    }
  ph_canvas_set_view (self, x, y, self->zoom);
  return G_SOURCE_CONTINUE;
}

void
ph_canvas_glide (PhGraphCanvas *self, double x, double y)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  ph_canvas_stop_animation (self);
  ph_canvas_morph_stop (self);
  if (clock == NULL || hypot (x, y) < 8)
    return;
  self->fitted = FALSE;
  self->glide_x = x;
  self->glide_y = y;
  self->glide_time = gdk_frame_clock_get_frame_time (clock);
  self->glide = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_glide, NULL, NULL);
}

/* The target of the animation that runs, else what is shown. */
void
ph_canvas_aim (PhGraphCanvas *self, double *x, double *y, double *zoom)
{
  *x = self->tick != 0 ? self->to_x : self->x;
  *y = self->tick != 0 ? self->to_y : self->y;
  *zoom = self->tick != 0 ? self->to_zoom : self->zoom;
}

void
ph_canvas_zoom_at (PhGraphCanvas *self, double px, double py, double factor, gboolean animate)
{
  double x, y, zoom, next;

  ph_canvas_aim (self, &x, &y, &zoom);
  next = ph_canvas_clamp_zoom (self, zoom * factor);
  self->fitted = FALSE;
  ph_canvas_go_to (self, x + px / zoom - px / next, y + py / zoom - py / next, next, animate);
}

static void
fit_rect (PhGraphCanvas *self, const PhRect *rect, double most, gboolean animate)
{
  const double margin = 24, w = ph_canvas_width (self), h = ph_canvas_height (self);
  const double zoom = CLAMP (MIN ((w - 2 * margin) / MAX (rect->width, 1), (h - 2 * margin) / MAX (rect->height, 1)),
                             least_zoom (self), most);

  ph_canvas_go_to (self, rect->x + rect->width / 2 - w / 2 / zoom, rect->y + rect->height / 2 - h / 2 / zoom, zoom, animate);
}

static gboolean
has_groups (PhScene *scene)
{
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    if (ph_scene_box (scene, b)->kind == PH_BOX_GROUP)
      return TRUE;
  return FALSE;
}

/* What is @length long around its @middle, in a window of @room. */
static double
start_at (double middle, double length, double room)
{
  return length <= room ? (length - room) / 2 : CLAMP (middle - room / 2, 0, length - room);
}

/* All of it when that can be read, else its beginning at a zoom that can. */
void
ph_canvas_first_view (PhGraphCanvas *self)
{
  const double width = ph_scene_width (self->scene), height = ph_scene_height (self->scene);
  const double w = ph_canvas_width (self), h = ph_canvas_height (self), all = MIN (w / width, h / height);
  const gboolean stepped = self->stepped;

  self->fitted = TRUE;
  if (all >= (has_groups (self->scene) ? MAP : LEGIBLE))
    {
      fit_rect (self, &(PhRect) { 0, 0, width, height }, 1.25, FALSE);
      self->stepped = stepped;
      return;
    }

  /* Where it starts: the middle of the inputs. */
  const gboolean across = ph_scene_is_across (self->scene);
  const double zoom = CLAMP (across ? h / height : w / width, READABLE, 1.0);
  double middle = 0, n = 0;

  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (self->scene, b);

      if (box->shown && (across ? box->rect.x < w / zoom / 2 : box->rect.y < h / zoom / 2))
        {
          middle += across ? box->rect.y + box->rect.height / 2 : box->rect.x + box->rect.width / 2;
          n++;
        }
    }
  if (across)
    ph_canvas_go_to (self, 0, start_at (n > 0 ? middle / n : height / 2, height, h / zoom), zoom, FALSE);
  else
    ph_canvas_go_to (self, start_at (n > 0 ? middle / n : width / 2, width, w / zoom), 0, zoom, FALSE);
  self->stepped = stepped;
}

gboolean
ph_canvas_selection_rect (PhGraphCanvas *self, PhRect *rect)
{
  const guint id = self->document != NULL ? ph_document_get_selection (self->document) : 0;
  int pill, box;

  if (self->scene == NULL || id == 0)
    return FALSE;
  box = ph_scene_find (self->scene, id, &pill);
  if (box < 0)
    return FALSE;
  *rect = pill >= 0 ? ph_scene_pill (self->scene, pill)->rect : ph_scene_box (self->scene, box)->rect;
  return TRUE;
}

/* Where a window of @room begins so that what is @length long at @from lies in its middle third; as it begins where it is seen. */
static double
land (double at, double room, double from, double length, double margin)
{
  const double third = (room - length) / 3;

  if (from >= at + margin && from + length <= at + room - margin)
    return at;
  if (third <= 0)
    return from + length / 2 - room / 2;
  return CLAMP (at, from - 2 * third, from - third);
}

void
ph_canvas_show_rect (PhGraphCanvas *self, const PhRect *rect)
{
  double x, y, zoom;
  double w, h, margin;

  ph_canvas_aim (self, &x, &y, &zoom);
  if (zoom < 0.3) /* too far away to be seen as selected: come closer */
    {
      zoom = 0.7;
      w = ph_canvas_width (self) / zoom;
      h = ph_canvas_height (self) / zoom;
      self->fitted = FALSE;
      ph_canvas_go_to (self, rect->x + rect->width / 2 - w / 2, rect->y + rect->height / 2 - h / 2, zoom, TRUE);
      return;
    }
  w = ph_canvas_width (self) / zoom;
  h = ph_canvas_height (self) / zoom;
  margin = MIN (60 / zoom, MIN (w, h) / 6);
  if (rect->x >= x + margin / 2 && rect->x + rect->width <= x + w - margin / 2 && rect->y >= y + margin / 2
      && rect->y + rect->height <= y + h - margin / 2)
    return;
  self->fitted = FALSE;
  /* Clear of the overview and of what floats at the borders: no nearer to them than a third, on the side that it comes from. */
  x = land (x, w, rect->x, rect->width, margin / 2);
  y = land (y, h, rect->y, rect->height, margin / 2);
  ph_canvas_go_to (self, x, y, zoom, TRUE);
}

/* What was in the middle stays there when a panel or a second picture takes some of the width. */
static void
keep_middle (PhGraphCanvas *self, int narrower)
{
  if (narrower == 0)
    return;
  if (self->tick != 0)
    {
      self->from_x += narrower / 2.0 / self->from_zoom;
      self->to_x += narrower / 2.0 / self->to_zoom;
    }
  ph_canvas_set_view (self, self->x + narrower / 2.0 / self->zoom, self->y, self->zoom);
}

void
ph_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);

  self->allocating = TRUE;
  if (self->scene != NULL && self->fitted && width > 1 && height > 1)
    ph_canvas_first_view (self);
  else if (self->scene != NULL && self->width > 1 && width > 1 && ph_canvas_leader (self) == self)
    keep_middle (self, self->width - width);
  self->width = width;
  self->allocating = FALSE;
  ph_canvas_allocate_nodes (PH_GRAPH_CANVAS (widget));
}

void
ph_graph_canvas_zoom_in (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  ph_canvas_zoom_at (self, ph_canvas_width (self) / 2, ph_canvas_height (self) / 2, PH_CANVAS_STEP_ZOOM, TRUE);
}

void
ph_graph_canvas_zoom_out (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  ph_canvas_zoom_at (self, ph_canvas_width (self) / 2, ph_canvas_height (self) / 2, 1 / PH_CANVAS_STEP_ZOOM, TRUE);
}

void
ph_graph_canvas_zoom_to (PhGraphCanvas *self, double zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  ph_canvas_zoom_at (self, ph_canvas_width (self) / 2, ph_canvas_height (self) / 2,
                     zoom / (self->tick != 0 ? self->to_zoom : self->zoom), TRUE);
}

void
ph_graph_canvas_fit (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->scene == NULL)
    return;
  self->fitted = FALSE;
  fit_rect (self, &(PhRect) { 0, 0, ph_scene_width (self->scene), ph_scene_height (self->scene) }, 1.5, TRUE);
}

void
ph_graph_canvas_fit_selection (PhGraphCanvas *self)
{
  PhRect rect;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (ph_canvas_uncover (self) || !ph_canvas_selection_rect (self, &rect))
    return;
  self->fitted = FALSE;
  fit_rect (self, &(PhRect) { rect.x - 200, rect.y - 160, rect.width + 400, rect.height + 320 }, 1.5, TRUE);
}

void
ph_graph_canvas_show_node (PhGraphCanvas *self, guint id)
{
  int pill, box;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  box = self->scene != NULL ? ph_scene_find (self->scene, id, &pill) : -1;
  if (box >= 0)
    ph_canvas_show_rect (self, pill >= 0 ? &ph_scene_pill (self->scene, pill)->rect : &ph_scene_box (self->scene, box)->rect);
}

void
ph_graph_canvas_get_view (PhGraphCanvas *self, double *x, double *y, double *zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  *x = self->x;
  *y = self->y;
  *zoom = self->zoom;
}

void
ph_graph_canvas_set_view (PhGraphCanvas *self, double x, double y, double zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self->fitted = FALSE;
  ph_canvas_go_to (self, x, y, zoom, FALSE);
}

gboolean
ph_graph_canvas_node_rect (PhGraphCanvas *self, guint id, graphene_rect_t *rect)
{
  int pill, box;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  box = self->scene != NULL ? ph_scene_find (self->scene, id, &pill) : -1;
  if (box < 0)
    return FALSE;

  const PhRect *at = pill >= 0 ? &ph_scene_pill (self->scene, pill)->rect : &ph_scene_box (self->scene, box)->rect;

  *rect = GRAPHENE_RECT_INIT ((at->x - self->x) * self->zoom, (at->y - self->y) * self->zoom, at->width * self->zoom,
                              at->height * self->zoom);
  return TRUE;
}
