/* graph-canvas.h: the picture of the model: what is there now, what a step changed, and the way around in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/document/document.h"
#include "core/draw/export.h"
#include "core/draw/paint.h"

G_BEGIN_DECLS

#define PH_TYPE_GRAPH_CANVAS (ph_graph_canvas_get_type ())
G_DECLARE_FINAL_TYPE (PhGraphCanvas, ph_graph_canvas, PH, GRAPH_CANVAS, GtkWidget)

/* Binds to a document: follows its position and selection, and selects what is clicked.
 * Keys: arrows walk along the edges, with Shift they scroll; + - 0 f F zoom and fit; d diff, c compact, g groups, n what is
 * around the selection, again: more of it, N less; t what the step touched, a everything again; Enter opens.
 * Signals:
 *   layout-started (gboolean awaited)        a layout runs in the background; awaited: somebody asked for it, or sees nothing until then
 *   layout-finished (gboolean ok, char *message)   message: (nullable) why not; ph_graph_canvas_retry() tries again
 *   node-activated (guint id)                double click or Enter on a node that does not open
 *   enter (guint id), leave (guint levels)   double click or Enter on a node whose inside is a picture of its own; Escape, Backspace
 *                                            or Alt+Up there. Whoever hears it tells the document.
 *   view-changed ()                          scrolled, zoomed, laid out: for a minimap and synchronised canvases
 *   overview-changed ()                      the small picture of the whole is another
 *   look-changed ()                          another position, other colours
 * Property: document.
 *   say (char *line)                         what was done here as a line, "view diff off", for whoever runs lines; without a handler it is done */
GtkWidget *ph_graph_canvas_new (void);
void ph_graph_canvas_set_document (PhGraphCanvas *canvas, PhDocument *document); /* (nullable) */
PhDocument *ph_graph_canvas_get_document (PhGraphCanvas *canvas);                /* (nullable) */

void ph_graph_canvas_zoom_in (PhGraphCanvas *canvas);
void ph_graph_canvas_zoom_out (PhGraphCanvas *canvas);
void ph_graph_canvas_zoom_to (PhGraphCanvas *canvas, double zoom); /* around the middle */
void ph_graph_canvas_fit (PhGraphCanvas *canvas);
void ph_graph_canvas_fit_selection (PhGraphCanvas *canvas); /* opens the groups that hide it */
/* What lies over a corner of the picture, and hides what is there. @overview: (nullable) */
void ph_graph_canvas_set_overview (PhGraphCanvas *canvas, GtkWidget *overview);
/* Scrolls until the node is in the window; from afar into its middle third. */
void ph_graph_canvas_show_node (PhGraphCanvas *canvas, guint id);
void ph_graph_canvas_retry (PhGraphCanvas *canvas);
/* Gives up a layout that somebody waits for: what is shown stays, and how it is arranged. */
void ph_graph_canvas_cancel_layout (PhGraphCanvas *canvas);

void ph_graph_canvas_toggle_group (PhGraphCanvas *canvas, int box);
/* What the colours say now, for a legend; changes with every position. (transfer none) (nullable) */
PhPaint *ph_graph_canvas_get_paint (PhGraphCanvas *canvas);
gboolean ph_graph_canvas_is_partial (PhGraphCanvas *canvas);
const char *ph_graph_canvas_get_part (PhGraphCanvas *canvas); /* (nullable) which, for a headline */
/* FALSE: the part that is shown is no neighbourhood. */
gboolean ph_graph_canvas_get_neighbourhood (PhGraphCanvas *canvas, guint *id, guint *steps);

/* Nodes that are marked as changed, and from the selected one to the next (@direction 1) or the one before (-1). FALSE: none. */
void ph_graph_canvas_count_changes (PhGraphCanvas *canvas, guint *added, guint *removed, guint *changed);
gboolean ph_graph_canvas_go_to_change (PhGraphCanvas *canvas, int direction);

/* In a neighbourhood: how many nodes that node @id feeds are not shown; a mark at @rect of the widget says so. */
guint ph_graph_canvas_get_beyond (PhGraphCanvas *canvas, guint id, graphene_rect_t *rect);
/* These too, from now on; FALSE: there are none. */
gboolean ph_graph_canvas_show_beyond (PhGraphCanvas *canvas, guint id);

/* How many changes lie beyond the side of the window at @where that is next to one of them; 0: there is none, or one is seen. */
guint ph_graph_canvas_find_unseen (PhGraphCanvas *canvas, GtkDirectionType *where);
/* Goes to the nearest of them. */
void ph_graph_canvas_show_unseen (PhGraphCanvas *canvas);
/* After a step: to all of them where one window holds them, else the same where none is seen whole. Not when somebody has moved the view
 * since or a selected node is in it. FALSE: it stays. */
gboolean ph_graph_canvas_follow (PhGraphCanvas *canvas);

/* Before | after: @before shows the position that changes are counted from, @after the present one, without what is only on
 * the other side; both have one scene, scroll, zoom and select as one. NULL parts them. */
void ph_graph_canvas_pair (PhGraphCanvas *after, PhGraphCanvas *before);

/* What is shown, whole or as far as it is seen, for an export. Borrows; @diff is not set. FALSE: nothing is. */
gboolean ph_graph_canvas_get_picture (PhGraphCanvas *canvas, gboolean whole, PhPicture *picture);

/* For tests, the minimap and synchronised canvases. */
PhScene *ph_graph_canvas_get_scene (PhGraphCanvas *canvas);       /* (nullable) */
GdkTexture *ph_graph_canvas_get_overview (PhGraphCanvas *canvas); /* (nullable) */
void ph_graph_canvas_get_view (PhGraphCanvas *canvas, double *x, double *y, double *zoom);
void ph_graph_canvas_set_view (PhGraphCanvas *canvas, double x, double y, double zoom);
/* The node at a point of the widget, PH_NO_ID: none; and the box of a group, or of a node that opens; -1: none. */
guint ph_graph_canvas_pick_node (PhGraphCanvas *canvas, double x, double y, int *group);
gboolean ph_graph_canvas_node_rect (PhGraphCanvas *canvas, guint id, graphene_rect_t *rect); /* in the widget */
gboolean ph_graph_canvas_is_busy (PhGraphCanvas *canvas); /* a layout runs, or tiles are missing */

G_END_DECLS
