/* graph-canvas-draw.h: what is drawn: the look, values, marks, and children that stand for nodes; who points at it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas.h"

G_BEGIN_DECLS

/* graph-canvas-values.c: the model, its position or its inputs are others; other values are known; the canvas goes. */
void ph_canvas_values_follow (PhGraphCanvas *self);
void ph_canvas_values_label (PhGraphCanvas *self);
void ph_canvas_values_clear (PhGraphCanvas *self);

/* graph-canvas-nodes.c: children that stand for nodes, for screen readers. */
void ph_canvas_update_nodes (PhGraphCanvas *self);
void ph_canvas_focus_selection (PhGraphCanvas *self); /* when the picture has the keyboard */
void ph_canvas_allocate_nodes (PhGraphCanvas *self);
void ph_canvas_nodes_moved (PhGraphCanvas *self);
void ph_canvas_remove_nodes (PhGraphCanvas *self);

/* graph-canvas-marks.c */
gboolean ph_canvas_has_marks (PhGraphCanvas *self);
void ph_canvas_draw_marks (PhGraphCanvas *self, cairo_t *cr);
void ph_canvas_forget_marks (PhGraphCanvas *self); /* another position, or scene */
/* The node whose mark is at that point of the widget, and says that it feeds @n more. PH_NO_ID: none. */
PhId ph_canvas_pick_beyond (PhGraphCanvas *self, double x, double y, guint *n);
int ph_canvas_stop_box (PhGraphCanvas *self, const char *stop);

/* graph-canvas-draw.c */
PhDrawOptions ph_canvas_draw_options (PhGraphCanvas *self);
void ph_canvas_init_look (PhGraphCanvas *self);
void ph_canvas_update_times (PhGraphCanvas *self);
void ph_canvas_update_look (PhGraphCanvas *self);
void ph_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);

/* graph-canvas-pointer.c, graph-canvas-keys.c */
void ph_canvas_init_pointer (PhGraphCanvas *self);
void ph_canvas_init_keys (PhGraphCanvas *self);
/* The node or value that @box (or @pill) shows; PH_NO_ID: none. */
PhId ph_canvas_id_of (PhGraphCanvas *self, int box, int pill);

G_END_DECLS
