/* bottom-pane.h: the pane below the graph: console, text, source, problems; `view page` says which of them is shown.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/console-pane.h"

G_BEGIN_DECLS

#define PH_TYPE_BOTTOM_PANE (ph_bottom_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhBottomPane, ph_bottom_pane, PH, BOTTOM_PANE, GtkWidget)

void ph_bottom_pane_set_console (PhBottomPane *pane, PhConsole *console); /* (nullable) */
PhConsolePane *ph_bottom_pane_get_console_pane (PhBottomPane *pane);

G_END_DECLS
