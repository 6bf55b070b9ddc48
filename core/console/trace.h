/* trace.h: records the graph of tensor expressions as they run: the dynamic graph of the textbooks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/command-code.h"
#include "core/script/script.h"

G_BEGIN_DECLS

/* Looks up what @text names in the open model; from the document's thread. */
void ph_trace_find_outside (PhCall *call, PhScriptText *text);
/* Keeps the line of @call: whoever runs it again records the same. */
void ph_trace_keep_line (PhCall *call);
void ph_trace_set_program (PhConsole *console, const char *file);
PhScript *ph_console_get_script (PhConsole *console);
/* What was recorded up to the variable @name (which exists: ph_trace_has()), named @output in it; the tensors of its inputs go to
 * @feeds (name -> PhTensor). (transfer full) */
PhModel *ph_trace_model_of (PhConsole *console, const char *name, const char **output, GHashTable *feeds, GError **error);
/* expression-line.c: says what @result holds. */
char **ph_trace_names (PhConsole *console); /* (transfer full) of the variables */

G_END_DECLS
