/* execution-pane.h: the nodes of a run in the order in which they run, numbered, with what each made as it comes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_EXECUTION_PANE (ph_execution_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhExecutionPane, ph_execution_pane, PH, EXECUTION_PANE, GtkWidget)

void ph_execution_pane_set_console (PhExecutionPane *pane, PhConsole *console); /* (nullable console) */

G_END_DECLS
