/* console.h: runs one line: a command, an SQL query, or a tensor expression. No terminal in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/console/command.h"
#include "core/console/line.h"
#include "core/console/reply.h"
#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_CONSOLE (ph_console_get_type ())
G_DECLARE_FINAL_TYPE (PhConsole, ph_console, PH, CONSOLE, GObject)

PhConsole *ph_console_new (PhDocument *document);
PhDocument *ph_console_get_document (PhConsole *console);
void ph_console_set_colour (PhConsole *console, gboolean colour);
/* Tables of replies are cut to so many columns of text. 0, as at first: they are not cut. */
void ph_console_set_width (PhConsole *console, guint columns);
/* Runs to the end in this thread (peep). The signal progress is emitted from it. */
PhReply *ph_console_run (PhConsole *console, const char *line, GCancellable *cancellable);
/* Slow parts in a worker thread, on a clone; the document changes in the caller's main context. Lines queue up. Signals of
 * PhConsole: started (char *line), finished (PhReply*), progress (char *what, double fraction). Every line of the window,
 * typed or clicked, comes this way, so the console pane shows both. */
void ph_console_run_async (PhConsole *console, const char *line, GAsyncReadyCallback callback, gpointer data);
/* The same of a line that somebody typed: what it would open in the place of the open model goes beside (newcomer.h). */
void ph_console_run_typed (PhConsole *console, const char *line);
/* (transfer full) of the reply; a command that failed is a reply too. */
PhReply *ph_console_run_finish (PhConsole *console, GAsyncResult *result, GError **error);
gboolean ph_console_is_running (PhConsole *console); /* a line runs or waits */
/* A line `view FIELD WORD...`: at once, and without an answer while another line runs, which may take minutes. */
void ph_console_look (PhConsole *console, const char *line);
/* No line of ph_console_run_async() begins before it is let go again. */
void ph_console_set_held (PhConsole *console, gboolean held);
void ph_console_cancel (PhConsole *console); /* the line that runs; those that wait are dropped */
#define PH_MAX_COMPLETIONS 500
/* At most that many completions of the word of @line that ends at byte @cursor: commands, passes, pipelines, node and
 * value names, files, SQL. Where nothing begins with it: what holds its letters in their order, the best first. @word_start: the byte where that
 * word begins. (transfer full), sorted, never NULL. */
char **ph_console_complete (PhConsole *console, const char *line, guint cursor, guint *word_start);
/* What @line, typed so far, still wants: the arguments of its command or function, or the end of the command's name. (transfer full)
 * (nullable) */
char *ph_console_hint (PhConsole *console, const char *line);

/* The expressions that made the graph which `trace` shows, as typed; run again, they make it again. (element-type char*) */
GPtrArray *ph_console_get_expressions (PhConsole *console);
/* The file of the tensor language that `source` read last, whether it ran to its end or not. (nullable) */
const char *ph_console_get_program (PhConsole *console);

G_END_DECLS
