/* canvas-node.h: a node of the picture as a screen reader sees it; it draws nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

#define PH_TYPE_CANVAS_NODE (ph_canvas_node_get_type ())
G_DECLARE_FINAL_TYPE (PhCanvasNode, ph_canvas_node, PH, CANVAS_NODE, GtkWidget)

GtkWidget *ph_canvas_node_new (void);
/* "Conv conv1, 3 of 53, output float 1×64×112×112". */
void ph_canvas_node_show (PhCanvasNode *self, PhNode *node, guint place, guint n_nodes, const char *change);
/* "Input x, float 1×3×224×224". */
void ph_canvas_node_show_input (PhCanvasNode *self, const PhValue *value);
PhId ph_canvas_node_get_id (PhCanvasNode *self);
void ph_canvas_node_set_selected (PhCanvasNode *self, gboolean selected);
/* @list (transfer full) (nullable) (element-type PhCanvasNode): where its outputs go. */
void ph_canvas_node_flow_to (PhCanvasNode *self, GList *list);

G_END_DECLS
