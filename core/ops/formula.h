/* formula.h: nodes and their gradients as formulas: "ln v0", "v1 + v2", "v3' * cos v0".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

G_BEGIN_DECLS

/* The symbol of a value, or of its gradient. (transfer full) */
typedef char *(*PhSymbolFunc) (const PhValue *value, gboolean gradient, gpointer data);

/* What @node computes: elementwise operators as people write them, the others as "Conv(v1, W)". (transfer full) */
char *ph_formula_of_node (const PhNode *node, PhSymbolFunc symbol, gpointer data);
/* What @node contributes to the gradient of its input @input, from the template that is built, or as the operator's declaration says
 * it (PhOp.grad_text). (transfer full) (nullable): nothing is declared. */
char *ph_formula_of_gradient (const PhNode *node, guint input, PhSymbolFunc symbol, gpointer data);
/* The declared text for input @input of @op, in formal names: "dY @ B^T"; as it holds for the attributes of @node (nullable: their
 * defaults). (transfer full) (nullable) */
char *ph_op_gradient_text (const PhOp *op, const PhNode *node, guint input);

G_END_DECLS
