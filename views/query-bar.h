/* query-bar.h: asks for a query whose result colours the nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_QUERY_BAR (ph_query_bar_get_type ())
G_DECLARE_FINAL_TYPE (PhQueryBar, ph_query_bar, PH, QUERY_BAR, GtkWidget)

void ph_query_bar_set_console (PhQueryBar *bar, PhConsole *console);
void ph_query_bar_open (PhQueryBar *bar);

G_END_DECLS
