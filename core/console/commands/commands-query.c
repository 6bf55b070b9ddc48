/* commands-query.c: commands about SQL and expressions: select, tables, trace.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-script.h"
#include "core/console/command-code.h"
#include "core/console/other-code.h"

/* The line after it runs in its place (around.c); alone it is an error. */
static gboolean
around_begin (PhCall *call, GError **error)
{
  return ph_call_usage (call, error, "%s wants a line", call->command->name);
}

/* clang-format off */
static const PhCommand rows[] = {
  { "time", "LINE", "Run a line and say how long it took", "`time eval`, `time select count(*) from edges`. With --json the member ms is added to the reply.",
    NULL, NULL, NULL, PH_CODE (around_begin) },
  { "assert", "EXPRESSION | QUERY | verdict VERDICT [STEP STEP]", "Fail where something does not hold",
    "`assert max(abs(y)) < 10`; `assert select count(*) = 0 from nodes where op = 'Transpose'`, of which every cell must be true and there must be a row; "
    "`assert verdict same` verifies as `verify` does and wants that verdict or a stronger one (proved, same, close). What holds is silent, what does not is an "
    "error, with which a script and `peep` end.",
    NULL, NULL, NULL, PH_CODE (around_begin) },
  { "tables", "", "The tables that `select` reads, and their columns",
    "`select op, count(*) from nodes group by op order by 2 desc`; `select n.op, v.shape from nodes n join values v on "
    "v.producer = n.id where v.bytes > 1e6`. Functions: ancestors(NODE), descendants(NODE), path(A, B), longest_path() and longest_path('flops') are JSON lists "
    "of nodes, `select n.* from json_each(ancestors('n42')) a join nodes n on n.id = a.value`; dominates(A, B) is 1 where every way from an input to B goes "
    "through A; shape(VALUE) and bytes(VALUE) are those of a value; rank(SHAPE), dim(SHAPE, I) read shapes, from behind where I is negative. "
    "`where position = '3.2'`, or nodes('3.2'), is the graph at another position.",
    "_Tables", NULL, NULL, PH_CODE (ph_sql_tables_command) },
  { "trace", "[show|open|clear|FUNCTION(ARGUMENTS)]", "The graph that lines recorded, or one run of a function as a graph",
    "`x1 = 2`, `y = log(x1) * 3` compute at once and are recorded. `trace` shows the graph, `trace open` makes it the document, "
    "`trace clear` forgets it, variables and functions, `grad y` differentiates. `trace f(x)` runs a function and opens what it computed as a static graph: "
    "branches as they were taken, loops unrolled, numbers that int(), float() and .item() made as they were; `compile f(x)` opens its source.",
    NULL, NULL, NULL, PH_CODE (ph_trace_command, ph_call_make_graph, ph_call_open_graph) },
};
/* clang-format on */
const PhCommandGroup ph_commands_query = { rows, G_N_ELEMENTS (rows) };
