/* other-code.h: declares the code of queries, expressions and traces, and the code that two groups of commands share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"
#include "core/graph/history.h"

G_BEGIN_DECLS

/* sql.c, expression-line.c, trace.c: the code of lines that are no commands, and of commands that stand elsewhere */
gboolean ph_sql_begin (PhCall *call, GError **error);
gboolean ph_sql_work (PhCall *call, GError **error);
gboolean ph_expression_begin (PhCall *call, GError **error);
gboolean ph_expression_work (PhCall *call, GError **error);
gboolean ph_trace_command (PhCall *call, GError **error);

gboolean ph_sql_tables_command (PhCall *call, GError **error);
/* commands-hunt.c: why the case in @folder fails after @passes (element-type PhPass): what was found goes to @row, files and a report into @out. */
gboolean ph_call_hunt_case (PhCall *call, const char *folder, GPtrArray *passes, GPtrArray *arguments, PhExactness allow,
                            const char *out, JsonObject *row, GError **error);

/* commands-step.c: `run` of what stands in @call's arguments. */
gboolean ph_run_begin (PhCall *call, GError **error);
gboolean ph_run_work (PhCall *call, GError **error);
gboolean ph_run_finish (PhCall *call, GError **error);

G_END_DECLS
