/* terminal.h: peep's terminal: readline, its history, progress, and Ctrl+C.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"

G_BEGIN_DECLS

/* Before any line runs: colours if standard output is a terminal, Ctrl+C, progress on standard error. */
void ph_terminal_init (PhConsole *console, gboolean json);
/* Around each line: Ctrl+C cancels what lies between. */
GCancellable *ph_terminal_begin_command (void);
void ph_terminal_end_command (void);
/* Whether Ctrl+C came since the last line was asked for: a script ends then, whatever else it was told. */
gboolean ph_terminal_was_interrupted (void);
const char *ph_terminal_error_prefix (void); /* "error: ", red where that is wanted */

void ph_terminal_open (PhConsole *console);  /* readline with history and completion */
char *ph_terminal_read (const char *prompt); /* (transfer full) NULL at the end      */
/* Shows @text page by page if it is longer than the screen, and the user wants that. FALSE: it was not shown. */
gboolean ph_terminal_page (const char *text);
void ph_terminal_close (void);

G_END_DECLS
