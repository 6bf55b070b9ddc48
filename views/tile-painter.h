/* tile-painter.h: threads that paint parts of the picture, the most urgent first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/draw.h"
#include "core/draw/paint.h"

G_BEGIN_DECLS

/* What is painted; never changed once made, shared by the jobs of it. */
typedef struct
{
  gatomicrefcount ref_count;
  guint number; /* newer looks have larger ones */
  PhScene *scene;
  PhDrawOptions options; /* its paint is owned */
} PhLook;

PhLook *ph_look_new (PhScene *scene, const PhDrawOptions *options, guint number);
PhLook *ph_look_ref (PhLook *look);
void ph_look_unref (PhLook *look); /* (nullable) */

typedef struct _PhTilePainter PhTilePainter;

/* One picture of @width x @height pixels: of the scene's @clip, at @scale pixels a point. */
typedef struct
{
  PhLook *look; /* owned */
  PhRect clip;
  double scale;
  int width, height;
  int device_scale;         /* how many of them a logical one has in each direction */
  guint group;              /* jobs of older groups than the newest one are not worth painting; 0: always */
  gboolean ahead;           /* nobody waits for it */
  int hurried;              /* atomic: now somebody does */
  int level, column, row;   /* the caller's */
  cairo_surface_t *old;     /* (nullable) what was painted there before; comes back when it is still good */
  guint64 hash;             /* of @old, then of the result */
  cairo_surface_t *surface; /* (nullable) the result; NULL: it was not worth painting any more */
  PhTilePainter *painter;
} PhTileJob;

/* @ready is called in the main thread when something is done. */
PhTilePainter *ph_tile_painter_new (GSourceFunc ready, gpointer data);
/* Does not wait: what is being painted, nobody will see. */
void ph_tile_painter_free (PhTilePainter *painter);
/* Takes @job, which must stay unchanged until it comes back from collect. */
void ph_tile_painter_push (PhTilePainter *painter, PhTileJob *job);
/* @job, pushed as one that nobody waits for, is waited for now. */
void ph_tile_painter_hurry (PhTilePainter *painter, PhTileJob *job);
/* From now on only this look, and this group of jobs, is worth painting. */
void ph_tile_painter_want (PhTilePainter *painter, guint look, guint group);
/* (nullable) (transfer full) what is done; waits for it until @deadline (monotonic µs), 0: does not wait. */
PhTileJob *ph_tile_painter_collect (PhTilePainter *painter, gint64 deadline);
void ph_tile_job_free (PhTileJob *job);

G_END_DECLS
