/* graph-pane.h: the picture in its forms: one with the changes in it, before | after, or as text; and the line of its history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_GRAPH_PANE (ph_graph_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhGraphPane, ph_graph_pane, PH, GRAPH_PANE, GtkWidget)

/* Actions for widgets inside: graph.next-change, graph.previous-change, those of graph-menu.c, and those of the view (view-actions.h). */
GtkWidget *ph_graph_pane_new (PhConsole *console);
PhGraphCanvas *ph_graph_pane_get_canvas (PhGraphPane *pane);
PhConsole *ph_graph_pane_get_console (PhGraphPane *pane);
guint ph_graph_pane_get_path_start (PhGraphPane *pane);       /* the node that paths are asked for from; PH_NO_ID: none */
PhGraphCanvas *ph_graph_pane_get_before (PhGraphPane *pane);  /* (nullable) while side by side */
void ph_graph_pane_say (PhGraphPane *pane, const char *line); /* "view form side" */
GSimpleActionGroup *ph_graph_pane_get_view_actions (PhGraphPane *pane);
GSimpleActionGroup *ph_graph_pane_get_actions (PhGraphPane *pane); /* "graph.*" */
PhForm ph_graph_pane_get_form (PhGraphPane *pane);
gboolean ph_graph_pane_is_working (PhGraphPane *pane);

G_END_DECLS
