/* draw.h: draws a scene with cairo: the canvas and the export draw the same picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <cairo.h>

#include "core/scene/scene.h"

G_BEGIN_DECLS

typedef enum
{
  PH_THEME_LIGHT,
  PH_THEME_DARK,
  PH_THEME_HIGH_CONTRAST,
  PH_THEME_HIGH_CONTRAST_DARK
} PhTheme;

typedef struct
{
  double red, green, blue, alpha;
} PhColor;

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
void ph_scene_draw_edge (PhScene *scene, cairo_t *cr, int edge, const PhDrawOptions *options, const PhColor *color, double width);
void ph_scene_draw_box (PhScene *scene, cairo_t *cr, PhInk *ink, int box, const PhDrawOptions *options);

PhColor ph_theme_background (PhTheme theme);
PhColor ph_theme_accent (PhTheme theme);
PhColor ph_theme_text (PhTheme theme);
PhColor ph_theme_change (PhTheme theme, PhChange change);
PhColor ph_family_color (PhFamily family, PhTheme theme);
PhColor ph_heat_color (float heat, PhTheme theme); /* 0 cold to 1 hot */
PhColor ph_name_color (guint name, PhTheme theme); /* tells names apart; the first eight differ */
PhColor ph_none_color (PhTheme theme);             /* nothing is known */

/* What is exported: @options.clip of a scene, with notes and a legend below it if wanted. */
typedef struct
{
  PhScene *scene;
  PhDrawOptions options; /* scale is not read */
  const PhDiff *diff;    /* (nullable) notes  */
  gboolean legend;       /* of options.paint  */
} PhPicture;
/* In points; the left top corner of what is drawn is (0, 0). @scale: device pixels a point. */
void ph_picture_size (const PhPicture *picture, PhInk *ink, double *width, double *height);
void ph_picture_draw (const PhPicture *picture, cairo_t *cr, PhInk *ink, double scale);
/* As .svg, .pdf, .png or .dot, by @path's extension. @scale: of .png. For a worker. */
gboolean ph_picture_save (const PhPicture *picture, const char *path, double scale, GCancellable *cancellable, GError **error);

/* Writes @scene as .svg, .pdf, .png or .dot, by @path's extension, at @time, with the changes since @since. @paint (nullable):
 * with its legend below the picture. */
gboolean ph_scene_save (PhScene *scene, const char *path, int time, int since, PhTheme theme, PhPaint *paint, GError **error);
/* What is drawn of a model with its history (nullable: as it stands): position @to, with what changed since @from. */
typedef struct
{
  PhSceneOptions scene; /* ph_render_scene_options(), or as the window has it               */
  PhId inside;          /* what is drawn, PH_NO_ID: the main graph                          */
  PhPosition from, to;
  PhMeasure *measure; /* (nullable) what nodes are coloured by                            */
  GHashTable *values; /* (nullable) as in PhDrawOptions                                   */
  gboolean edge_width, hide_legend;
} PhRenderOptions;

/* Who drew, in how many milliseconds, how many lines cross and run over boxes. */
typedef struct
{
  PhLayoutEngine drawn_by;
  float ms;
  guint crossings, over;
} PhRenderFacts;

/* A file has time; what is too large to be read as a whole is grouped. */
PhSceneOptions ph_render_scene_options (PhModel *model);
gboolean ph_render_is_large (PhModel *model);
/* Neither @model nor @history is changed. @facts: (nullable). */
gboolean ph_render_file (PhModel *model, PhHistory *history, const PhRenderOptions *options, PhRenderFacts *facts,
                         const char *path, GCancellable *cancellable, GError **error);

G_END_DECLS
