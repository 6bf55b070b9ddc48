/* compare.h: the source of a function, its trace and its compiled graph beside each other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script.h"

G_BEGIN_DECLS

/* ── source, trace and compiled graph beside each other ── */

typedef struct
{
  guint line;
  char *text;
  GPtrArray *traced, *compiled;
} PhScriptRow; /* nodes: (element-type char*) "n3 Mul" */
typedef struct
{
  char *name;
  GPtrArray *rows;                                  /* (element-type PhScriptRow) a line of the source each               */
  guint n_inputs;                                   /* how many other inputs were tried                                   */
  guint n_trace_wrong, n_compiled_wrong, n_refused; /* refused: eager stops with an error there                      */
  guint n_endless, limit;                           /* of those refused: it had not ended after @limit steps             */
  char *trace_input, *trace_why, *trace_eager, *trace_gave; /* (nullable) the first where the trace is wrong */
  guint trace_line;                                     /* where the run left the trace's way; 0: unknown                     */
  char *compiled_input, *compiled_why;                  /* (nullable) */
  char *trace_error, *compile_error;                    /* (nullable) why there is no such graph   */
  guint n_traced, n_compiled, n_optimised;              /* nodes                                   */
  double eager_ms, trace_ms, compiled_ms, optimised_ms; /* the median of some runs                 */
  /* Bytes of what is computed that are there at once at most; -1: a size is not known. Eager keeps what a name has. */
  gint64 eager_bytes, trace_bytes, compiled_bytes, optimised_bytes;
} PhScriptComparison;

void ph_script_comparison_free (PhScriptComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScriptComparison, ph_script_comparison_free)
PhScriptComparison *ph_script_compare (PhScript *script, PhScriptText *call, guint n_inputs, GCancellable *cancellable,
                                       GError **error);

G_END_DECLS
