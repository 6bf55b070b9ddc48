/* draw-private.h: what the files that draw a scene share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/draw.h"
#include "core/draw/paint.h"

G_BEGIN_DECLS

#define PH_FAR_SCALE   0.16 /* below: plain rectangles and lines                      */
#define PH_FAR_LEAST   0.5  /* pixels that a rectangle has at least                   */
#define PH_FAR_MARK    3.0  /* ... of something that changed                          */
#define PH_NEAR_SCALE  0.50 /* above: everything; between: boxes with their operator  */
#define PH_LABEL_SCALE 1.30 /* above: tensors at long edges                           */

typedef enum
{
  PH_INK_TITLE,
  PH_INK_TEXT,
  PH_INK_BIG,
  PH_N_INKS
} PhInkKind;

/* ink.c: text and strokes. */
void ph_ink_size (PhInk *ink, PhInkKind kind, const char *text, double *width, double *height);
/* @at: 0 left, 0.5 middle, 1 right of @x. Squeezed when wider than @room. Returns the width. */
double ph_ink_show (cairo_t *cr, PhInk *ink, PhInkKind kind, const char *text, double x, double y, double at, double room);
/* Squeezed a little, and shortened in the middle where that is not enough. */
double ph_ink_show_short (cairo_t *cr, PhInk *ink, PhInkKind kind, const char *text, double x, double y, double at, double room);
void ph_ink_round (cairo_t *cr, const PhRect *rect, double radius);

/* draw-edge.c */
/* Where a line that ends at the place of @box, coming from @on, meets its card. */
PhPoint ph_draw_end_of (PhScene *scene, int box, PhPoint end, PhPoint on, int time, int since);
/* The inner points of the curve between both, which goes on from the place towards @on. FALSE: a straight line. */
gboolean ph_draw_join (PhPoint card, PhPoint place, PhPoint on, PhPoint inner[2]);
/* @line of @n_lines beside each other, as points (element-type PhPoint). */
void ph_draw_line_of (PhScene *scene, int edge, guint line, guint n_lines, GArray *points);
void ph_draw_edges (PhScene *scene, cairo_t *cr, const PhDrawOptions *options, GArray *edges);
void ph_draw_counts (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, GArray *edges);
void ph_draw_labels (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, GArray *edges);
/* draw.c: a GCompareDataFunc of boxes (int) of a PhScene: from the outside in. */
int ph_draw_compare_depth (gconstpointer a, gconstpointer b, gpointer scene);
/* draw-group.c: an open group, or a closed one; of a node with bodies likewise. */
void ph_draw_group (PhScene *scene, cairo_t *cr, PhInk *ink, int box, const PhDrawOptions *options);
/* Groups that are alike share a tint: of one with a pattern. */
PhFamily ph_draw_group_tint (const PhSceneBox *box);
/* Of an open group, above all frames and below lines: what joins it to another one, and counts. */
void ph_draw_group_top (PhScene *scene, cairo_t *cr, PhInk *ink, int box, const PhDrawOptions *options);
/* Of an open group, above all that is in it. */
void ph_draw_group_title (PhScene *scene, cairo_t *cr, PhInk *ink, int box, const PhDrawOptions *options);

/* All that the picture of a box, an edge or a group depends on, beside the zoom and the theme. */
guint64 ph_hash_card (PhScene *scene, int box, const PhDrawOptions *options);
guint64 ph_hash_edge (PhScene *scene, int edge, const PhDrawOptions *options);
guint64 ph_hash_group (PhScene *scene, int box, const PhDrawOptions *options);

static inline guint64
ph_hash_mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static inline guint64
ph_hash_point (guint64 hash, float x, float y)
{
  const union
  {
    float at[2];
    guint64 bits;
  } both = { { x, y } };

  return ph_hash_mix (hash, both.bits);
}

static inline void
ph_set_color (cairo_t *cr, PhColor color)
{
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, color.alpha);
}

static inline PhColor
ph_mix (PhColor a, PhColor b, double t)
{
  return (PhColor) { a.red + t * (b.red - a.red), a.green + t * (b.green - a.green), a.blue + t * (b.blue - a.blue),
                     a.alpha + t * (b.alpha - a.alpha) };
}

static inline PhRect
ph_grown (const PhRect *rect, double by)
{
  return (PhRect) { rect->x - by, rect->y - by, rect->width + 2 * by, rect->height + 2 * by };
}

G_END_DECLS
