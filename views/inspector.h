/* inspector.h: the right panel: all about the selected node, a value, or the graph when nothing is selected.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_INSPECTOR (ph_inspector_get_type ())
G_DECLARE_FINAL_TYPE (PhInspector, ph_inspector, PH, INSPECTOR, GtkWidget)

void ph_inspector_set_console (PhInspector *inspector, PhConsole *console); /* (nullable) */
/* Until another node is selected, or back is pressed. */
void ph_inspector_show_value (PhInspector *inspector, PhId value);

G_END_DECLS
