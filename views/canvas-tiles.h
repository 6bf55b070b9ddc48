/* canvas-tiles.h: the picture as square textures, painted by threads and kept while they are good.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/draw/draw.h"

G_BEGIN_DECLS

/* A frame costs what the window's area costs, however much is in it: tiles that are not there yet are painted by threads while
 * older ones, scaled, or an overview of the whole stand in for them; those just outside of the window are painted ahead.
 * Lives in the main thread. */
typedef struct _PhTiles PhTiles;

/* What a window shows: the scene's point (x, y) at its left top corner, @zoom logical pixels a point. */
typedef struct
{
  double x, y, zoom;
  int width, height; /* logical pixels                                   */
  int device_scale;
  gboolean moving; /* the zoom changes: do not start over for it yet   */
} PhTileView;

/* @ready is called in the main thread when new tiles can be shown. */
PhTiles *ph_tiles_new (GSourceFunc ready, gpointer data);
void ph_tiles_free (PhTiles *tiles);
/* @scene (nullable). The look before is shown, whole, until all that is seen of the new one is there; not of another scene. */
void ph_tiles_set_look (PhTiles *tiles, PhScene *scene, const PhDrawOptions *options);
/* Draws what the view shows, where it is not @background. Waits at most @budget_us for tiles. TRUE: nothing is missing or stale.
 * @by_cairo: it is for the cairo renderer, which would copy textures each frame. */
gboolean ph_tiles_snapshot (PhTiles *tiles, GtkSnapshot *snapshot, gboolean by_cairo, const PhTileView *view,
                            const GdkRGBA *background, gint64 budget_us);
/* What was shown is of the look before. */
gboolean ph_tiles_is_behind (PhTiles *tiles);
/* Takes what the threads have done. TRUE: the picture of the whole is another. */
gboolean ph_tiles_update (PhTiles *tiles);
/* A small picture of the whole, for the minimap. (nullable) (transfer none) */
GdkTexture *ph_tiles_get_overview (PhTiles *tiles);

G_END_DECLS
