/* graph-pane.h: the picture in its forms: one with the changes in it, before | after, or as text; and the line of its history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_GRAPH_PANE (ph_graph_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhGraphPane, ph_graph_pane, PH, GRAPH_PANE, GtkWidget)

/* Actions for widgets inside: graph.form (s: "overlay" "side" "text"), graph.color (s: a colour mode), graph.edge-width,
 * graph.show-diff, graph.legend, graph.follow, graph.next-change, graph.previous-change, graph.part-around, -wider, -narrower, -paths,
 * -touched, -all, and those of graph-menu.c. */
GtkWidget *ph_graph_pane_new (PhConsole *console);
PhGraphCanvas *ph_graph_pane_get_canvas (PhGraphPane *pane);
PhConsole *ph_graph_pane_get_console (PhGraphPane *pane);
guint ph_graph_pane_get_path_start (PhGraphPane *pane);      /* the node that paths are asked for from; PH_NO_ID: none */
PhGraphCanvas *ph_graph_pane_get_before (PhGraphPane *pane); /* (nullable) while side by side */
void ph_graph_pane_set_form (PhGraphPane *pane, PhForm form);
PhForm ph_graph_pane_get_form (PhGraphPane *pane);
gboolean ph_graph_pane_is_working (PhGraphPane *pane);

G_END_DECLS
