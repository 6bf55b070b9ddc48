/* export.h: writes a picture to a file: the one on the screen, or one laid out for the file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/draw.h"

G_BEGIN_DECLS

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
  PhCrossings crossings;
  guint over;
} PhRenderFacts;

/* A file has time; what is too large to be read as a whole is grouped. */
PhSceneOptions ph_render_scene_options (PhModel *model);
gboolean ph_render_is_grouped (PhModel *model); /* large, or of basic blocks */
/* Neither @model nor @history is changed. @facts: (nullable). */
gboolean ph_render_file (PhModel *model, PhHistory *history, const PhRenderOptions *options, PhRenderFacts *facts,
                         const char *path, GCancellable *cancellable, GError **error);

G_END_DECLS
