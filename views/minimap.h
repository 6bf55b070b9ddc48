/* minimap.h: the whole picture, small, with a frame around what the canvas shows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_MINIMAP (ph_minimap_get_type ())
G_DECLARE_FINAL_TYPE (PhMinimap, ph_minimap, PH, MINIMAP, GtkWidget)

/* Hides itself while the canvas shows everything. A click or a drag in it moves the canvas. */
GtkWidget *ph_minimap_new (PhGraphCanvas *canvas);

G_END_DECLS
