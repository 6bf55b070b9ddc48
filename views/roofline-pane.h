/* roofline-pane.h: how far each node of the last profile is below what the machine can do, as a picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_ROOFLINE_PANE (ph_roofline_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhRooflinePane, ph_roofline_pane, PH, ROOFLINE_PANE, GtkWidget)

void ph_roofline_pane_set_console (PhRooflinePane *self, PhConsole *console); /* (nullable) */
/* The dots of nodes that are drawn, the slowest node's first. FALSE: there are not so many. @x, @y: in the picture. */
gboolean ph_roofline_pane_get_dot (PhRooflinePane *self, guint dot, PhId *node, double *x, double *y);

G_END_DECLS
