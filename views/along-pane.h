/* along-pane.h: the values that two positions, or two files, have in common, with how far they are apart. A row selects its node, and back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_ALONG_PANE (ph_along_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhAlongPane, ph_along_pane, PH, ALONG_PANE, GtkWidget)

void ph_along_pane_set_console (PhAlongPane *pane, PhConsole *console); /* (nullable) */

G_END_DECLS
