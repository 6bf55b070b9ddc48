/* commands-query.c: what is asked by select and by expressions: tables, trace.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/console-private.h"

static const PhCommand rows[] = {
  { "tables", "", "The tables that `select` reads, and their columns",
    "`select op, count(*) from nodes group by op order by 2 desc`; `select n.op, v.shape from nodes n join values v on "
    "v.producer = n.id where v.bytes > 1e6`.",
    "_Tables", NULL, NULL, PH_CODE (ph_sql_tables_command) },
  { "trace", "[show|open|clear]", "The graph that expressions recorded",
    "`x1 = 2`, `y = log(x1) * 3` compute at once and are recorded. `trace` shows the graph, `trace open` makes it the document, "
    "`trace clear` forgets it, `grad y` differentiates.",
    NULL, NULL, NULL, PH_CODE (ph_trace_command) },
};
const PhCommandGroup ph_commands_query = { rows, G_N_ELEMENTS (rows) };
