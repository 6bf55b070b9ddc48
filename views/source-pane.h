/* source-pane.h: the text of the file that is open, with the line of the selected node marked.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_SOURCE_PANE (ph_source_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhSourcePane, ph_source_pane, PH, SOURCE_PANE, GtkWidget)

void ph_source_pane_set_console (PhSourcePane *pane, PhConsole *console); /* (nullable) */
/* The line that is marked, from 1; 0: none. */
guint ph_source_pane_get_line (PhSourcePane *pane);

G_END_DECLS
