/* graph-canvas-pair.h: two canvases side by side, and the way from one picture to the next.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/viewport.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

/* graph-canvas-pair.c: who has the scene of both; the scene changed; the view changed. */
PhGraphCanvas *ph_canvas_leader (PhGraphCanvas *self);
void ph_canvas_part (PhGraphCanvas *self); /* as it goes: the other is alone */
void ph_canvas_share_scene (PhGraphCanvas *self);
void ph_canvas_share_view (PhGraphCanvas *self);

/* graph-canvas-morph.c: @view: of the scene before, @from; the new one is there already. */
void ph_canvas_morph_start (PhGraphCanvas *self, PhScene *from, int time, int since, const PhView *view);
void ph_canvas_morph_stop (PhGraphCanvas *self);
void ph_canvas_morph_draw (PhGraphCanvas *self, cairo_t *cr);

G_END_DECLS
