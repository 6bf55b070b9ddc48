/* history-panel.h: the left panel: pipeline and steps, and the rewrites of the present step.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_HISTORY_PANEL (ph_history_panel_get_type ())
G_DECLARE_FINAL_TYPE (PhHistoryPanel, ph_history_panel, PH, HISTORY_PANEL, GtkWidget)

void ph_history_panel_set_console (PhHistoryPanel *panel, PhConsole *console); /* (nullable) */
GSimpleActionGroup *ph_history_panel_get_actions (PhHistoryPanel *panel);      /* "history.*" */

G_END_DECLS
