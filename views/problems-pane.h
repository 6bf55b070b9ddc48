/* problems-pane.h: what is wrong with the model, though it could be opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_PROBLEMS_PANE (ph_problems_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhProblemsPane, ph_problems_pane, PH, PROBLEMS_PANE, GtkWidget)

void ph_problems_pane_set_console (PhProblemsPane *pane, PhConsole *console); /* (nullable) */

G_END_DECLS
