/* console-state.h: what a console keeps between its lines: the trace, the database, the lines themselves.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"

G_BEGIN_DECLS

/* trace.c: the dynamic graph, one a console */
typedef struct _PhTrace PhTrace;
typedef struct _PhSql PhSql;
PhTrace *ph_console_get_trace (PhConsole *console);
PhSql *ph_console_get_sql (PhConsole *console);
guint ph_console_get_width (PhConsole *console);
GPtrArray *ph_console_get_lines (PhConsole *console); /* (element-type char*) every line that was run */
PhTrace *ph_trace_new (void);
gboolean ph_trace_has (PhConsole *console, const char *name);
gboolean ph_trace_grad (PhCall *call, GError **error);
void ph_trace_free (PhTrace *trace);
PhSql *ph_sql_new (PhDocument *document);
void ph_sql_free (PhSql *sql);
const char *ph_sql_function_arguments (const char *name); /* (nullable) "NODE)" */
typedef enum
{
  PH_SQL_ANY, /* tables, columns, keywords, functions */
  PH_SQL_TABLES,
  PH_SQL_COLUMNS
} PhSqlNames;
char **ph_sql_names (PhSqlNames which); /* for completion */

G_END_DECLS
