/* graph-canvas-view.c: the part of the picture that the canvas shows: its viewport, moved by frames, and notification of changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-view.h"
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"

#include <adwaita.h>

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

PhViewport *
ph_canvas_viewport (PhGraphCanvas *self)
{
  ph_viewport_set_window (&self->viewport, ph_canvas_width (self), ph_canvas_height (self));
  if (self->shown.scene != NULL)
    ph_viewport_set_picture (&self->viewport, ph_scene_width (self->shown.scene), ph_scene_height (self->shown.scene));
  else
    ph_viewport_clear_picture (&self->viewport);
  return &self->viewport;
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

/* Updates everything that depends on the viewport, which was at @before. */
static void
view_changed (PhGraphCanvas *self, PhView before)
{
  if (before.zoom != self->viewport.at.zoom)
    {
      self->zoomed_at = g_get_monotonic_time ();
      g_clear_handle_id (&self->settle_id, g_source_remove);
      self->settle_id = g_timeout_add (110, on_settled, self);
    }
  if (self->document != NULL && self->shown.scene != NULL && ph_canvas_leader (self) == self)
    ph_view_state_note_zoom (ph_canvas_view (self), &self->viewport.at);
  ph_canvas_nodes_moved (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  ph_canvas_share_view (self);
  if (!self->allocating)
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_VIEW_CHANGED], 0);
  else if (self->tell_id == 0)
    self->tell_id = g_timeout_add (0, tell, self);
}

void
ph_canvas_set_view (PhGraphCanvas *self, PhView view)
{
  const PhView before = self->viewport.at;

  self->viewport.at = view;
  view_changed (self, before);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const PhView before = self->viewport.at;
  const gboolean goes_on = ph_viewport_advance (ph_canvas_viewport (self), gdk_frame_clock_get_frame_time (clock));

  if (!goes_on)
    self->tick = 0;
  view_changed (self, before);
  return goes_on;
}

void
ph_canvas_stop_animation (PhGraphCanvas *self)
{
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  ph_viewport_stop (&self->viewport);
  self->stepped = FALSE;
}

static void
go_to (PhGraphCanvas *self, PhView view, gboolean animate)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));
  PhViewport *viewport = ph_canvas_viewport (self);
  const PhView before = viewport->at;

  ph_canvas_stop_animation (self);
  ph_canvas_morph_stop (self);
  if (animate && clock != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)) && adw_get_enable_animations (GTK_WIDGET (self)))
    {
      ph_viewport_go (viewport, view, gdk_frame_clock_get_frame_time (clock));
      self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
      return;
    }
  ph_viewport_jump (viewport, view);
  view_changed (self, before);
}

void
ph_canvas_move (PhGraphCanvas *self, PhView view, gboolean animate)
{
  self->fitted = FALSE;
  go_to (self, view, animate);
}

void
ph_canvas_glide (PhGraphCanvas *self, double x, double y)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  ph_canvas_stop_animation (self);
  ph_canvas_morph_stop (self);
  if (clock == NULL || !ph_viewport_glide (ph_canvas_viewport (self), x, y, gdk_frame_clock_get_frame_time (clock)))
    return;
  self->fitted = FALSE;
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

void
ph_canvas_zoom_at (PhGraphCanvas *self, double px, double py, double factor, gboolean animate)
{
  ph_canvas_move (self, ph_viewport_zoom_at (ph_canvas_viewport (self), px, py, factor), animate);
}

static gboolean
has_groups (PhScene *scene)
{
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    if (ph_scene_box (scene, b)->kind == PH_BOX_GROUP)
      return TRUE;
  return FALSE;
}

/* Returns the middle of the inputs in the first half of a window opened at the beginning, or else of all boxes there: columns begin
 * there. */
static double
find_beginning (PhGraphCanvas *self, gboolean across)
{
  const PhViewport *viewport = &self->viewport;
  const double zoom = ph_viewport_reading_zoom (viewport, across),
               half = (across ? viewport->width : viewport->height) / zoom / 2;
  double middle[2] = { 0, 0 }, n[2] = { 0, 0 };

  for (guint b = 0; b < ph_scene_n_boxes (self->shown.scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (self->shown.scene, b);

      if (box->shown && (across ? box->rect.x : box->rect.y) < half)
        {
          const gboolean input = box->kind == PH_BOX_INPUT && box->parent < 0 && !box->backward;

          middle[input] += across ? box->rect.y + box->rect.height / 2 : box->rect.x + box->rect.width / 2;
          n[input]++;
        }
    }
  return n[1] > 0   ? middle[1] / n[1]
         : n[0] > 0 ? middle[0] / n[0]
                    : (across ? viewport->picture_height : viewport->picture_width) / 2;
}

/* Shows the whole picture if it is legible then, else its beginning at a legible zoom. */
void
ph_canvas_first_view (PhGraphCanvas *self)
{
  const PhViewport *viewport = ph_canvas_viewport (self);
  const PhRect whole = { 0, 0, (float) viewport->picture_width, (float) viewport->picture_height };
  const gboolean stepped = self->stepped, across = ph_scene_is_across (self->shown.scene);

  self->fitted = TRUE;
  if (ph_viewport_opens_whole (viewport, has_groups (self->shown.scene)))
    go_to (self, ph_viewport_fit (viewport, &whole, 1.25), FALSE);
  else
    go_to (self, ph_viewport_beginning (viewport, across, find_beginning (self, across)), FALSE);
  self->stepped = stepped;
}

gboolean
ph_canvas_selection_rect (PhGraphCanvas *self, PhRect *rect)
{
  const guint id = self->document != NULL ? ph_document_get_selection (self->document) : 0;
  int pill, box;

  if (self->shown.scene == NULL || id == 0)
    return FALSE;
  box = ph_scene_find (self->shown.scene, id, &pill);
  if (box < 0)
    return FALSE;
  *rect = pill >= 0 ? ph_scene_pill (self->shown.scene, pill)->rect : ph_scene_box (self->shown.scene, box)->rect;
  return TRUE;
}

void
ph_canvas_show_rect (PhGraphCanvas *self, const PhRect *rect)
{
  graphene_rect_t bounds;
  PhRect cover;
  PhView view;
  const gboolean covered = self->overview != NULL && gtk_widget_get_mapped (self->overview)
                           && gtk_widget_compute_bounds (self->overview, GTK_WIDGET (self), &bounds);

  if (covered)
    cover = (PhRect) { bounds.origin.x, bounds.origin.y, bounds.size.width, bounds.size.height };
  if (ph_viewport_show (ph_canvas_viewport (self), rect, covered ? &cover : NULL, &view))
    ph_canvas_move (self, view, TRUE);
}

void
ph_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const PhView before = self->viewport.at;

  self->allocating = TRUE;
  if (self->shown.scene != NULL && self->fitted && width > 1 && height > 1)
    ph_canvas_first_view (self);
  else if (self->shown.scene != NULL && self->width > 1 && width > 1 && width != self->width && ph_canvas_leader (self) == self)
    {
      /* The middle keeps its place when a panel or a second picture takes some of the width. */
      ph_viewport_keep_middle (&self->viewport, self->width - width);
      view_changed (self, before);
    }
  self->width = width;
  self->allocating = FALSE;
  ph_canvas_allocate_nodes (PH_GRAPH_CANVAS (widget));
}

static void
zoom_by (PhGraphCanvas *self, double factor)
{
  ph_canvas_zoom_at (self, ph_canvas_width (self) / 2, ph_canvas_height (self) / 2, factor, TRUE);
}

void
ph_graph_canvas_zoom_in (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  zoom_by (self, PH_CANVAS_STEP_ZOOM);
}

void
ph_graph_canvas_zoom_out (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  zoom_by (self, 1 / PH_CANVAS_STEP_ZOOM);
}

void
ph_graph_canvas_zoom_to (PhGraphCanvas *self, double zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  zoom_by (self, zoom / ph_viewport_aim (&self->viewport).zoom);
}

void
ph_graph_canvas_fit (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->shown.scene == NULL)
    return;

  const PhRect whole = { 0, 0, ph_scene_width (self->shown.scene), ph_scene_height (self->shown.scene) };

  ph_canvas_move (self, ph_viewport_fit (ph_canvas_viewport (self), &whole, 1.5), TRUE);
}

void
ph_graph_canvas_fit_selection (PhGraphCanvas *self)
{
  PhRect rect;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (ph_canvas_uncover (self) || !ph_canvas_selection_rect (self, &rect))
    return;

  const PhRect around = { rect.x - 200, rect.y - 160, rect.width + 400, rect.height + 320 };

  ph_canvas_move (self, ph_viewport_fit (ph_canvas_viewport (self), &around, 1.5), TRUE);
}

/* Returns NULL if the node is not in the picture. */
static const PhRect *
find_rect (PhGraphCanvas *self, guint id)
{
  int pill, box = self->shown.scene != NULL ? ph_scene_find (self->shown.scene, id, &pill) : -1;

  if (box < 0)
    return NULL;
  return pill >= 0 ? &ph_scene_pill (self->shown.scene, pill)->rect : &ph_scene_box (self->shown.scene, box)->rect;
}

void
ph_graph_canvas_set_overview (PhGraphCanvas *self, GtkWidget *overview)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  g_set_weak_pointer (&self->overview, overview);
}

void
ph_graph_canvas_show_node (PhGraphCanvas *self, guint id)
{
  const PhRect *rect;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  rect = find_rect (self, id);
  if (rect != NULL)
    ph_canvas_show_rect (self, rect);
}

void
ph_graph_canvas_get_view (PhGraphCanvas *self, double *x, double *y, double *zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  *x = self->viewport.at.x;
  *y = self->viewport.at.y;
  *zoom = self->viewport.at.zoom;
}

void
ph_graph_canvas_set_view (PhGraphCanvas *self, double x, double y, double zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  ph_canvas_move (self, (PhView) { x, y, zoom }, FALSE);
}

gboolean
ph_graph_canvas_node_rect (PhGraphCanvas *self, guint id, graphene_rect_t *rect)
{
  const PhRect *found;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  found = find_rect (self, id);
  if (found == NULL)
    return FALSE;

  const PhRect at = ph_viewport_to_window (&self->viewport, found);

  *rect = GRAPHENE_RECT_INIT (at.x, at.y, at.width, at.height);
  return TRUE;
}

void
ph_canvas_on_zoom_asked (PhGraphCanvas *self, const char *words)
{
  g_auto (GStrv) parts = g_strsplit (words, " ", -1);

  if (ph_canvas_leader (self) != self)
    return;
  if (g_str_equal (words, "fit"))
    ph_graph_canvas_fit (self);
  else if (g_str_equal (words, "selection"))
    ph_graph_canvas_fit_selection (self);
  else if (g_str_equal (words, "normal"))
    ph_graph_canvas_zoom_to (self, 1);
  else if (g_str_equal (words, "in"))
    ph_graph_canvas_zoom_in (self);
  else if (g_str_equal (words, "out"))
    ph_graph_canvas_zoom_out (self);
  else if (g_strv_length (parts) == 3)
    ph_graph_canvas_set_view (self, g_ascii_strtod (parts[0], NULL), g_ascii_strtod (parts[1], NULL),
                              g_ascii_strtod (parts[2], NULL));
  else if (self->shown.scene != NULL)
    ph_canvas_first_view (self);
}
