/* draw.h: draws a scene with cairo: the canvas and the export draw the same picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>

#include "core/analyze/diff.h"
#include "core/draw/theme.h"
#include "core/scene/scene-options.h"
#include "core/scene/scene-parts.h"

G_BEGIN_DECLS

/* What the colours of nodes say; paint.h. */
typedef struct _PhPaint PhPaint;
typedef struct _PhMeasure PhMeasure;

/* Both positions in one picture, or one of them with what goes from it or came to it. */
typedef enum
{
  PH_SIDE_BOTH,
  PH_SIDE_BEFORE,
  PH_SIDE_AFTER
} PhSide;

/* Text is shaped once and kept; belongs to one thread. */
typedef struct _PhInk PhInk;
PhInk *ph_ink_new (void);
void ph_ink_free (PhInk *ink);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhInk, ph_ink_free)

typedef struct
{
  PhTheme theme;
  int time;             /* what is shown                                                          */
  int since;            /* what it is compared with; == time: no diff                             */
  PhSide side;          /* BEFORE: @since is the later one                                        */
  double scale;         /* device pixels a point: how much detail is worth drawing                */
  PhRect clip;          /* of the scene                                                           */
  GHashTable *values;   /* (nullable) value id -> what it is, drawn on its edges instead of its type */
  PhPaint *paint;       /* (nullable) what the colour of a node says, NULL: its kind              */
  gboolean edge_width;  /* by the bytes that an edge carries                                      */
  gboolean transparent; /* no background                                                          */
  gboolean dim;         /* everything is pale: a highlight will be drawn on top                   */
} PhDrawOptions;

/* The cairo context is in the scene's coordinates (the caller has scaled and moved it). */
void ph_scene_draw (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options);
/* Equal numbers: the same picture of the same clip, so what was drawn of it before is still good. Much less work than drawing. */
guint64 ph_scene_look_hash (PhScene *scene, const PhDrawOptions *options);
/* On top of it: which nodes were fused into one, and what of a changed node changed. */
void ph_scene_draw_notes (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, const PhDiff *diff);
/* On top of it too: this box has a breakpoint; @n nodes that it feeds are not shown, and where that stands. */
void ph_scene_draw_stop (PhScene *scene, cairo_t *cr, int box, const PhDrawOptions *options);
void ph_scene_draw_more (PhScene *scene, cairo_t *cr, PhInk *ink, int box, guint n, gboolean hover, const PhDrawOptions *options);
PhRect ph_scene_more_rect (PhScene *scene, int box, guint n, const PhDrawOptions *options);
/* One edge as a path, with its arrow, for highlights. */
#define PH_GONE_SHIFT 8 /* points right and down, by which what was replaced peeps out behind what came for it */
void ph_scene_draw_edge (PhScene *scene, cairo_t *cr, int edge, const PhDrawOptions *options, const PhColor *color, double width);
void ph_scene_draw_box (PhScene *scene, cairo_t *cr, PhInk *ink, int box, const PhDrawOptions *options);
/* The signs of its change alone, above what was drawn over it. */
void ph_scene_draw_badges (PhScene *scene, cairo_t *cr, int box, const PhDrawOptions *options);

G_END_DECLS
