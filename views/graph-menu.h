/* graph-menu.h: what can be done with a node of the picture: its menu, by the right button or the Menu key.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-pane.h"

G_BEGIN_DECLS

/* Adds the actions of the menu to those of the pane, "graph". */
void ph_graph_menu_install (PhGraphPane *pane, GActionMap *actions);
void ph_graph_menu_attach (PhGraphPane *pane, PhGraphCanvas *canvas);
void ph_graph_menu_show_selected (PhGraphPane *pane);

G_END_DECLS
