/* viewport.c: the visible part of a picture and its movements: scale, offset, animation, gliding.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/viewport.h"

#include <math.h>

#include "core/scene/scene.h"

#define LEAST_ZOOM 0.0005 /* or less if the whole picture needs it */
#define LEGIBLE    0.55   /* the least zoom at which a picture opens as a whole              */
#define MAP        0.15   /* and for a map of groups, whose titles are as large as their boxes allow */
#define READABLE   0.80   /* least zoom of a picture opened at its top                       */
#define TOO_FAR    0.30   /* below it a selected box is not recognised                       */
#define CLOSE      0.70   /* the zoom for it then                                            */
#define FRICTION   4.0    /* of a glide: by a factor e in a quarter of a second, as in GTK   */
#define SLOWEST    8.0    /* pixels a second                                                 */
#define MARGIN     24     /* pixels around a fitted picture                                  */

void
ph_viewport_init (PhViewport *viewport)
{
  *viewport = (PhViewport) { .at = { 0, 0, 1 }, .width = 1, .height = 1 };
}

void
ph_viewport_set_window (PhViewport *viewport, double width, double height)
{
  viewport->width = MAX (width, 1);
  viewport->height = MAX (height, 1);
}

void
ph_viewport_set_picture (PhViewport *viewport, double width, double height)
{
  viewport->has_picture = TRUE;
  viewport->picture_width = width;
  viewport->picture_height = height;
}

void
ph_viewport_clear_picture (PhViewport *viewport)
{
  viewport->has_picture = FALSE;
  viewport->picture_width = viewport->picture_height = 0;
}

PhPoint
ph_viewport_to_picture (const PhViewport *viewport, double x, double y)
{
  return (PhPoint) { (float) (viewport->at.x + x / viewport->at.zoom), (float) (viewport->at.y + y / viewport->at.zoom) };
}

PhRect
ph_viewport_to_window (const PhViewport *viewport, const PhRect *rect)
{
  const PhView *at = &viewport->at;

  return (PhRect) { (float) ((rect->x - at->x) * at->zoom), (float) ((rect->y - at->y) * at->zoom),
                    (float) (rect->width * at->zoom), (float) (rect->height * at->zoom) };
}

PhRect
ph_viewport_seen (const PhViewport *viewport)
{
  const PhView *at = &viewport->at;

  return (PhRect) { (float) at->x, (float) at->y, (float) (viewport->width / at->zoom), (float) (viewport->height / at->zoom) };
}

/* Limits */

double
ph_viewport_clamp_zoom (const PhViewport *viewport, double zoom)
{
  const double whole = MIN (viewport->width / MAX (viewport->picture_width, 1),
                            viewport->height / MAX (viewport->picture_height, 1));
  const double least = viewport->has_picture ? MIN (LEAST_ZOOM, 0.5 * whole) : LEAST_ZOOM;

  return CLAMP (zoom, least, PH_VIEW_LARGEST_ZOOM);
}

static double
clamp_place (double place, double window, double picture)
{
  return CLAMP (place, -0.75 * window, MAX (picture - 0.25 * window, -0.75 * window));
}

/* The nearest view that has an allowed zoom and something of the picture in the window. */
static PhView
clamp_view (const PhViewport *viewport, PhView view)
{
  view.zoom = ph_viewport_clamp_zoom (viewport, view.zoom);
  if (viewport->has_picture)
    {
      view.x = clamp_place (view.x, viewport->width / view.zoom, viewport->picture_width);
      view.y = clamp_place (view.y, viewport->height / view.zoom, viewport->picture_height);
    }
  return view;
}

/* Views */

PhView
ph_viewport_aim (const PhViewport *viewport)
{
  return viewport->start != 0 ? viewport->to : viewport->at;
}

PhView
ph_viewport_zoom_at (const PhViewport *viewport, double x, double y, double factor)
{
  const PhView aim = ph_viewport_aim (viewport);
  const double zoom = ph_viewport_clamp_zoom (viewport, aim.zoom * factor);

  return (PhView) { aim.x + x / aim.zoom - x / zoom, aim.y + y / aim.zoom - y / zoom, zoom };
}

PhView
ph_viewport_center (const PhViewport *viewport, const PhRect *rect, double zoom)
{
  return (PhView) { rect->x + rect->width / 2 - viewport->width / 2 / zoom,
                    rect->y + rect->height / 2 - viewport->height / 2 / zoom, zoom };
}

PhView
ph_viewport_fit (const PhViewport *viewport, const PhRect *rect, double largest)
{
  const double zoom = MIN ((viewport->width - 2 * MARGIN) / MAX (rect->width, 1),
                           (viewport->height - 2 * MARGIN) / MAX (rect->height, 1));

  return ph_viewport_center (viewport, rect, ph_viewport_clamp_zoom (viewport, MIN (zoom, largest)));
}

static gboolean
is_inside (double at, double room, double from, double length, double margin)
{
  return from >= at + margin && from + length <= at + room - margin;
}

/* Returns where a window of @room begins so that an item at @from, of @length, is in its middle third. */
static double
land (double at, double room, double from, double length)
{
  const double third = (room - length) / 3;

  if (third <= 0)
    return from + length / 2 - room / 2;
  return CLAMP (at, from - 2 * third, from - third);
}

gboolean
ph_viewport_show (const PhViewport *viewport, const PhRect *rect, const PhRect *cover, PhView *view)
{
  const PhView aim = ph_viewport_aim (viewport);
  const double width = viewport->width / aim.zoom, height = viewport->height / aim.zoom;
  const double margin = MIN (60 / aim.zoom, MIN (width, height) / 6) / 2;
  const PhRect seen = { aim.x, aim.y, width, height };
  const PhRect covered = { aim.x + (cover != NULL ? cover->x : 0) / aim.zoom, aim.y + (cover != NULL ? cover->y : 0) / aim.zoom,
                           (cover != NULL ? cover->width : 0) / aim.zoom, (cover != NULL ? cover->height : 0) / aim.zoom };
  const gboolean far = !ph_rect_touches (&seen, rect) || (cover != NULL && ph_rect_touches (&covered, rect));

  if (aim.zoom < TOO_FAR)
    {
      *view = ph_viewport_center (viewport, rect, CLOSE);
      return TRUE;
    }
  /* Keeps clear of widgets floating at the borders: an item comes no nearer to its border than a third. A partly visible one, perhaps under
   * the pointer, moves no further than necessary. */
  *view = aim;
  if (far || !is_inside (aim.x, width, rect->x, rect->width, margin))
    view->x = land (aim.x, width, rect->x, rect->width);
  if (far || !is_inside (aim.y, height, rect->y, rect->height, margin))
    view->y = land (aim.y, height, rect->y, rect->height);
  return view->x != aim.x || view->y != aim.y;
}

gboolean
ph_viewport_opens_whole (const PhViewport *viewport, gboolean grouped)
{
  return MIN (viewport->width / viewport->picture_width, viewport->height / viewport->picture_height)
         >= (grouped ? MAP : LEGIBLE);
}

double
ph_viewport_reading_zoom (const PhViewport *viewport, gboolean across)
{
  return CLAMP (across ? viewport->height / viewport->picture_height : viewport->width / viewport->picture_width, READABLE, 1.0);
}

/* Returns where a window of @room begins, centred on @middle in a picture of @length. */
static double
start_at (double middle, double length, double room)
{
  return length <= room ? (length - room) / 2 : CLAMP (middle - room / 2, 0, length - room);
}

PhView
ph_viewport_beginning (const PhViewport *viewport, gboolean across, double middle)
{
  const double zoom = ph_viewport_reading_zoom (viewport, across);

  if (across)
    return (PhView) { 0, start_at (middle, viewport->picture_height, viewport->height / zoom), zoom };
  return (PhView) { start_at (middle, viewport->picture_width, viewport->width / zoom), 0, zoom };
}

/* Moving */

void
ph_viewport_stop (PhViewport *viewport)
{
  viewport->start = 0;
  viewport->speed_x = viewport->speed_y = 0;
}

gboolean
ph_viewport_is_animated (const PhViewport *viewport)
{
  return viewport->start != 0;
}

gboolean
ph_viewport_is_moving (const PhViewport *viewport)
{
  return viewport->start != 0 || viewport->speed_x != 0 || viewport->speed_y != 0;
}

void
ph_viewport_jump (PhViewport *viewport, PhView view)
{
  ph_viewport_stop (viewport);
  viewport->at = clamp_view (viewport, view);
}

void
ph_viewport_go (PhViewport *viewport, PhView view, gint64 now)
{
  ph_viewport_stop (viewport);
  viewport->from = viewport->at;
  viewport->to = clamp_view (viewport, view);
  viewport->start = MAX (now, 1);
}

gboolean
ph_viewport_glide (PhViewport *viewport, double x, double y, gint64 now)
{
  ph_viewport_stop (viewport);
  if (hypot (x, y) < SLOWEST)
    return FALSE;
  viewport->speed_x = x;
  viewport->speed_y = y;
  viewport->moved = now;
  return TRUE;
}

/* Advances the animation: the zoom changes by equal ratios, and the centre of the window moves on a straight line. */
static gboolean
animate (PhViewport *viewport, gint64 now)
{
  const PhView *from = &viewport->from, *to = &viewport->to;
  const double t = CLAMP ((now - viewport->start) / (double) PH_VIEW_ANIMATION, 0, 1), s = 1 - pow (1 - t, 3);

  if (t >= 1)
    {
      viewport->at = *to;
      viewport->start = 0;
      return FALSE;
    }

  const double zoom = from->zoom * pow (to->zoom / from->zoom, s), w = viewport->width / 2, h = viewport->height / 2;
  const double u = fabs (1 / to->zoom - 1 / from->zoom) < 1e-9 ? s
                                                               : (1 / zoom - 1 / from->zoom) / (1 / to->zoom - 1 / from->zoom);
  const double from_x = from->x + w / from->zoom, to_x = to->x + w / to->zoom;
  const double from_y = from->y + h / from->zoom, to_y = to->y + h / to->zoom;

  viewport->at = (PhView) { from_x + u * (to_x - from_x) - w / zoom, from_y + u * (to_y - from_y) - h / zoom, zoom };
  return TRUE;
}

gboolean
ph_viewport_advance (PhViewport *viewport, gint64 now)
{
  if (viewport->start != 0)
    return animate (viewport, now);
  if (!ph_viewport_is_moving (viewport))
    return FALSE;

  const double seconds = MIN ((now - viewport->moved) / (double) G_USEC_PER_SEC, 0.1), left = exp (-FRICTION * seconds);
  const double far = (1 - left) / FRICTION / viewport->at.zoom;
  const PhView view = clamp_view (viewport, (PhView) { viewport->at.x + viewport->speed_x * far,
                                                       viewport->at.y + viewport->speed_y * far, viewport->at.zoom });

  viewport->moved = now;
  viewport->speed_x *= left;
  viewport->speed_y *= left;
  if (hypot (viewport->speed_x, viewport->speed_y) < SLOWEST
      || (view.x == viewport->at.x && view.y == viewport->at.y && seconds > 0))
    {
      ph_viewport_stop (viewport);
      return FALSE;
    }
  viewport->at = view;
  return TRUE;
}

void
ph_viewport_shift (PhViewport *viewport, double dx, double dy)
{
  PhView *const views[] = { &viewport->at, &viewport->from, &viewport->to };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      views[i]->x += dx;
      views[i]->y += dy;
    }
}

void
ph_viewport_keep_middle (PhViewport *viewport, double pixels)
{
  if (viewport->start != 0)
    {
      viewport->from.x += pixels / 2 / viewport->from.zoom;
      viewport->to.x += pixels / 2 / viewport->to.zoom;
    }
  viewport->at.x += pixels / 2 / viewport->at.zoom;
}
