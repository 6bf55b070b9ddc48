/* graph-canvas-view.h: where the window stands in the picture, and how it gets elsewhere (graph-canvas-view.c).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/viewport.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_CANVAS_STEP_ZOOM 1.25

/* graph-canvas-view.c */
PhViewport *ph_canvas_viewport (PhGraphCanvas *self); /* with the sizes of the widget and the scene as they are now */
double ph_canvas_width (PhGraphCanvas *self);         /* pixels */
double ph_canvas_height (PhGraphCanvas *self);
void ph_canvas_set_view (PhGraphCanvas *self, PhView view);               /* as it is, while what moves goes on moving */
void ph_canvas_move (PhGraphCanvas *self, PhView view, gboolean animate); /* the same by hand: it is not fitted any more */
void ph_canvas_stop_animation (PhGraphCanvas *self);
/* Goes on with that speed, in pixels a second, until friction stops it. */
void ph_canvas_glide (PhGraphCanvas *self, double x, double y);
void ph_canvas_zoom_at (PhGraphCanvas *self, double px, double py, double factor, gboolean animate);
void ph_canvas_first_view (PhGraphCanvas *self);
void ph_canvas_show_rect (PhGraphCanvas *self, const PhRect *rect);
gboolean ph_canvas_selection_rect (PhGraphCanvas *self, PhRect *rect);
void ph_canvas_on_zoom_asked (PhGraphCanvas *self, const char *words); /* "fit", "3.5 20 1.5" */
void ph_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline);

G_END_DECLS
