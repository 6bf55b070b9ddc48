/* execution-bar.h: walks through a run of the graph, above the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_EXECUTION_BAR (ph_execution_bar_get_type ())
G_DECLARE_FINAL_TYPE (PhExecutionBar, ph_execution_bar, PH, EXECUTION_BAR, GtkWidget)

/* Shows itself while the document has a run that is walked through. */
void ph_execution_bar_set_console (PhExecutionBar *self, PhConsole *console);

G_END_DECLS
