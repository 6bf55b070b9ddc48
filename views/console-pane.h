/* console-pane.h: the console: readline in this process, in a terminal.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_CONSOLE_PANE (ph_console_pane_get_type ())
/* Readline has one state for the whole process, so only one pane may exist at a time. */
G_DECLARE_FINAL_TYPE (PhConsolePane, ph_console_pane, PH, CONSOLE_PANE, GtkWidget)

void ph_console_pane_set_console (PhConsolePane *pane, PhConsole *console); /* (nullable) */
/* Replaces the line that is being edited, and takes the keyboard. */
void ph_console_pane_type (PhConsolePane *pane, const char *text);
/* What the terminal shows, for tests. (transfer full) */
char *ph_console_pane_dup_text (PhConsolePane *pane);

G_END_DECLS
