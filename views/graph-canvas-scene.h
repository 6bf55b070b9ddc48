/* graph-canvas-scene.h: pictures: laid out, laid aside, shown again, and what is inside a node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas-parts.h"

G_BEGIN_DECLS

void ph_laid_out_clear (PhLaidOut *picture);

/* graph-canvas-scene.c */
void ph_canvas_start_layout (PhGraphCanvas *self, gboolean quick);
void ph_canvas_ask_layout (PhGraphCanvas *self);                 /* the same for somebody who waits for it */
void ph_canvas_extend_layout (PhGraphCanvas *self);              /* steps were added */
void ph_canvas_stop_layout (PhGraphCanvas *self);                /* whatever it finds out is dropped */
void ph_canvas_take_scene (PhGraphCanvas *self, PhScene *scene); /* in the place of the old one (transfer full) */
void ph_canvas_on_scene (PhGraphCanvas *self);                   /* the picture that was waited for is there */

/* graph-canvas-pictures.c: the view wants another arrangement; the whole is laid aside before a part is shown. */
void ph_canvas_follow_arrangement (PhGraphCanvas *self);
void ph_canvas_lay_aside (PhGraphCanvas *self);

/* graph-canvas-groups.c */
gboolean ph_canvas_uncover (PhGraphCanvas *self); /* opens what hides the selected node */

/* graph-canvas-parts.c */
void ph_canvas_update_part (PhGraphCanvas *self); /* which part is shown is said anew */

/* graph-canvas-pictures.c: shows what the document says that is shown; asks to go in, or out. FALSE: there is no such thing. */
void ph_canvas_go_inside (PhGraphCanvas *self);
gboolean ph_canvas_ask_inside (PhGraphCanvas *self, int box);
gboolean ph_canvas_ask_outside (PhGraphCanvas *self);
void ph_canvas_forget_left (PhGraphCanvas *self);

G_END_DECLS
