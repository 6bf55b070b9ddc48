/* graph-canvas-morph.c: animates the change from one layout to another: nodes glide to their new places.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-view.h"

#include <adwaita.h>
#include <math.h>

#define MORPH_MS 250
#define MOST     260 /* boxes that glide: more would not be smooth, and nobody could follow them */

/* A moving box, in pixels of the window. */
typedef struct
{
  int from, to;                      /* boxes of the old and of the new scene, -1: only in the other one */
  double from_x, from_y, to_x, to_y; /* its middle */
  guint depth;
} Glide;

struct _PhMorph
{
  PhScene *from;
  int from_time, from_since;
  PhView view;    /* the old one */
  GArray *glides; /* (element-type Glide) outer groups first */
  gint64 start;   /* µs of the frame clock, 0: not started */
  double t;       /* 0 to 1 */
  guint tick;
};

static gboolean
is_shown (PhScene *scene, int box, int time)
{
  const PhSceneBox *at = ph_scene_box (scene, box);

  return at->shown && (at->kind == PH_BOX_GROUP || (at->n_tenants > 0 && ph_scene_tenant (scene, box, time) != NULL));
}

/* Returns the same node or group in another scene, or -1. */
static int
counterpart (PhScene *scene, int box, int time, PhScene *other, int other_time)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  int pill = -1, found;

  if (at->kind == PH_BOX_GROUP)
    found = ph_scene_find_path (other, at->path);
  else
    found = ph_scene_find (other, ph_scene_tenant (scene, box, time)->id, &pill);
  return found >= 0 && pill < 0 && is_shown (other, found, other_time)
                 && (ph_scene_box (other, found)->kind == PH_BOX_GROUP) == (at->kind == PH_BOX_GROUP)
             ? found
             : -1;
}

static void
middle (const PhRect *rect, const PhView *view, double *px, double *py)
{
  *px = (rect->x + rect->width / 2 - view->x) * view->zoom;
  *py = (rect->y + rect->height / 2 - view->y) * view->zoom;
}

/* Returns the visible part of the old scene, or of the new one. */
static PhRect
seen_of (PhMorph *morph, PhGraphCanvas *self, gboolean old)
{
  PhViewport viewport = *ph_canvas_viewport (self);

  if (old)
    viewport.at = morph->view;
  return ph_viewport_seen (&viewport);
}

static void
add_visible (PhMorph *morph, PhGraphCanvas *self, gboolean old, GHashTable *known)
{
  PhScene *scene = old ? morph->from : self->shown.scene, *other = old ? self->shown.scene : morph->from;
  const int time = old ? morph->from_time : self->time, other_time = old ? self->time : morph->from_time;
  const PhRect window = seen_of (morph, self, old);
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int));

  ph_scene_boxes_in (scene, &window, boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      const int box = g_array_index (boxes, int, i);
      const int there = is_shown (scene, box, time) ? counterpart (scene, box, time, other, other_time) : -1;
      Glide glide = { old ? box : there, old ? there : box, 0, 0, 0, 0, ph_scene_box (scene, box)->depth };

      if (!is_shown (scene, box, time) || (glide.to >= 0 && !g_hash_table_add (known, GINT_TO_POINTER (glide.to + 1))))
        continue;
      if (glide.from >= 0)
        middle (&ph_scene_box (morph->from, glide.from)->rect, &morph->view, &glide.from_x, &glide.from_y);
      if (glide.to >= 0)
        middle (&ph_scene_box (self->shown.scene, glide.to)->rect, &self->viewport.at, &glide.to_x, &glide.to_y);
      if (glide.from < 0)
        middle (&ph_scene_box (self->shown.scene, glide.to)->rect, &self->viewport.at, &glide.from_x, &glide.from_y);
      if (glide.to < 0)
        middle (&ph_scene_box (morph->from, glide.from)->rect, &morph->view, &glide.to_x, &glide.to_y);
      g_array_append_val (morph->glides, glide);
    }
}

static int
outer_first (gconstpointer a, gconstpointer b)
{
  return (int) ((const Glide *) a)->depth - (int) ((const Glide *) b)->depth;
}

void
ph_canvas_morph_stop (PhGraphCanvas *self)
{
  PhMorph *morph = g_steal_pointer (&self->morph);

  if (morph == NULL)
    return;
  if (morph->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), morph->tick);
  g_array_unref (morph->glides);
  ph_scene_unref (morph->from);
  g_free (morph);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const gint64 now = gdk_frame_clock_get_frame_time (clock);

  if (self->morph->start == 0)
    self->morph->start = now;
  self->morph->t = (now - self->morph->start) / (MORPH_MS * 1000.0);
  gtk_widget_queue_draw (widget);
  if (self->morph->t < 1)
    return G_SOURCE_CONTINUE;
  self->morph->tick = 0;
  ph_canvas_morph_stop (self);
  return G_SOURCE_REMOVE;
}

void
ph_canvas_morph_start (PhGraphCanvas *self, PhScene *from, int time, int since, const PhView *view)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  PhMorph *morph;
  double most = 0;

  ph_canvas_morph_stop (self);
  if (self->other != NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)) || !adw_get_enable_animations (GTK_WIDGET (self)))
    return;
  morph = g_new0 (PhMorph, 1);
  morph->from = ph_scene_ref (from);
  morph->from_time = time;
  morph->from_since = since;
  morph->view = *view;
  morph->glides = g_array_new (FALSE, FALSE, sizeof (Glide));
  self->morph = morph;
  add_visible (morph, self, FALSE, known);
  add_visible (morph, self, TRUE, known);
  for (guint i = 0; i < morph->glides->len; i++)
    {
      const Glide *glide = &g_array_index (morph->glides, Glide, i);

      most = MAX (most, hypot (glide->to_x - glide->from_x, glide->to_y - glide->from_y));
    }
  /* Nothing visible moves, or too much. */
  if ((most < 1 && view->zoom == self->viewport.at.zoom) || morph->glides->len > MOST)
    {
      ph_canvas_morph_stop (self);
      return;
    }
  g_array_sort (morph->glides, outer_first);
  morph->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

/* Draws all edges of the moving boxes of a scene, at their places in that scene. */
static void
draw_edges (PhMorph *morph, PhGraphCanvas *self, cairo_t *cr, gboolean old, double strength)
{
  PhScene *scene = old ? morph->from : self->shown.scene;
  const int time = old ? morph->from_time : self->time;
  const PhView view = old ? morph->view : self->viewport.at;
  const PhRect window = seen_of (morph, self, old);
  const PhColor text = ph_theme_text (self->theme);
  const PhColor color = { text.red, text.green, text.blue, 0.5 * strength };
  PhDrawOptions options = ph_canvas_draw_options (self);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (int));

  if (strength < 0.02)
    return;
  options.time = time;
  options.since = old ? morph->from_since : self->since;
  options.scale = view.zoom;
  ph_scene_edges_in (scene, &window, edges);
  cairo_save (cr);
  cairo_scale (cr, view.zoom, view.zoom);
  cairo_translate (cr, -view.x, -view.y);
  for (guint i = 0; i < MIN (edges->len, 2 * MOST); i++)
    if (ph_scene_edge_at (scene, g_array_index (edges, int, i), time))
      ph_scene_draw_edge (scene, cr, g_array_index (edges, int, i), &options, &color, MAX (1.3, 0.9 / view.zoom));
  cairo_restore (cr);
}

void
ph_canvas_morph_draw (PhGraphCanvas *self, cairo_t *cr)
{
  PhMorph *morph = self->morph;
  const double t = CLAMP (morph->t, 0, 1), s = t * t * (3 - 2 * t); /* slow at both ends */
  PhDrawOptions options[2];

  for (int old = 0; old < 2; old++)
    {
      options[old] = ph_canvas_draw_options (self);
      options[old].time = old ? morph->from_time : self->time;
      options[old].since = old ? morph->from_since : self->since;
      options[old].paint = old ? NULL : options[old].paint;
    }
  draw_edges (morph, self, cr, TRUE, MAX (0, 1 - 2.5 * t));
  draw_edges (morph, self, cr, FALSE, MAX (0, 2.5 * t - 1.5));
  for (guint i = 0; i < morph->glides->len; i++)
    {
      const Glide *glide = &g_array_index (morph->glides, Glide, i);
      const gboolean old = glide->to < 0, alone = glide->from < 0 || old;
      PhScene *scene = old ? morph->from : self->shown.scene;
      const int box = old ? glide->from : glide->to;
      const PhRect *rect = &ph_scene_box (scene, box)->rect;
      const double zoom = morph->view.zoom + s * (self->viewport.at.zoom - morph->view.zoom);
      const double strength = glide->from < 0 ? s : 1 - s;

      if (alone && strength < 0.02)
        continue;
      if (alone)
        cairo_push_group (cr);
      cairo_save (cr);
      cairo_translate (cr, glide->from_x + s * (glide->to_x - glide->from_x), glide->from_y + s * (glide->to_y - glide->from_y));
      cairo_scale (cr, zoom, zoom);
      cairo_translate (cr, -rect->x - rect->width / 2, -rect->y - rect->height / 2);
      options[old].scale = zoom;
      ph_scene_draw_box (scene, cr, self->ink, box, &options[old]);
      cairo_restore (cr);
      if (alone)
        {
          cairo_pop_group_to_source (cr);
          cairo_paint_with_alpha (cr, strength);
        }
    }
}
