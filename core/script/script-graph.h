/* script-graph.h: functions as graphs, and what they compute when run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/executor.h"
#include "core/script/script-scope.h"

G_BEGIN_DECLS

/* A function and its arguments, one a parameter; those that are no tensors are part of the graph. */
typedef struct
{
  PhScriptFunction *function;
  PhScriptValue **arguments;
  gboolean exact; /* the tensors are numbers of Python's own, which the function has yet as its arguments */
} PhScriptBound;

/* A list that stays one: a part of the graph. */
static inline gboolean
ph_script_is_own_list (const PhScriptValue *value)
{
  return value->kind == PH_SCRIPT_TENSOR && value->weak && ph_script_rank (value) != 0;
}

void ph_script_bound_clear (PhScriptBound *bound);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhScriptBound, ph_script_bound_clear)
gboolean ph_script_resolve (PhScript *script, PhScriptText *text, PhScriptBound *bound, GCancellable *cancellable,
                            GError **error);
/* @decisions: (nullable) */
PhScriptGraph *ph_script_graph_of (PhScript *script, const PhScriptBound *bound, gboolean compile, GArray *decisions,
                                   GCancellable *cancellable, GError **error);
/* Runs it eagerly; its tensors and numbers in order. (transfer full) (element-type PhTensor) @numbers: (nullable) a set; those that are
 * numbers of Python's own. */
GPtrArray *ph_script_eager (PhScript *script, const PhScriptBound *bound, GArray *decisions, GHashTable *numbers,
                            GCancellable *cancellable, GError **error);

G_END_DECLS
