/* trace.h: the graph that expressions record: the dynamic graph of the textbooks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console-private.h"

G_BEGIN_DECLS

/* A number literal has no element type of its own yet (@weak): it takes that of what it is combined with. */
typedef struct { PhValue *value; PhTensor *tensor; gboolean weak; } PhOperand;      /* value: (nullable) of a literal; tensor: owned */

void       ph_operand_clear   (PhOperand *operand);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhOperand, ph_operand_clear)

/* A variable, or a value of the document that has a tensor (it becomes an input of the trace). */
gboolean   ph_trace_lookup    (PhCall *call, const char *name, PhOperand *operand, GError **error);
/* Records the operator on @inputs (n of them; a literal becomes a constant) and computes it. */
gboolean   ph_trace_apply     (PhCall *call, const PhOp *op, PhOperand *inputs, guint n, PhAttr **attrs, PhOperand *result,
                               GError **error);
/* The name stands for @operand from now on: a literal becomes an input of the trace. */
gboolean   ph_trace_assign    (PhCall *call, const char *name, PhOperand *operand, GError **error);
/* Keeps the line of @call where it recorded something, or gave it a name: whoever runs it again records the same. */
void       ph_trace_keep_line (PhCall *call, gboolean named);
/* What was recorded up to the variable @name (which exists: ph_trace_has()), named @output in it; the tensors of its inputs go to
 * @feeds (name -> PhTensor). (transfer full) */
PhModel   *ph_trace_model_of  (PhConsole *console, const char *name, const char **output, GHashTable *feeds, GError **error);
char     **ph_trace_names     (PhConsole *console);          /* (transfer full) of the variables */

/* expression.c: computes what stands at @at in the line @text, to its end, and records it. Errors name the column. */
gboolean   ph_expression_parse (PhCall *call, const char *text, const char *at, PhOperand *out, GError **error);
/* expression-op.c: "log", "Log", "reduce_sum", "ReduceSum", and what mathematicians write; NULL and an error: there is none. */
const PhOp *ph_expression_op  (const char *typed, guint n_arguments, GError **error);
PhAttr    *ph_expression_attr (const PhOp *op, const char *name, PhTensor *literal, GError **error);

G_END_DECLS
