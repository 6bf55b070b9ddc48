/* layout.h: nodes that do not mind the order of axes, and the same nodes under another order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/rule.h"

G_BEGIN_DECLS

/* An order of axes: what stands at axis i of the permuted tensor is axis perm[i] of the other, as in Transpose. */
typedef struct { int rank; gint64 perm[8], inverse[8]; } PhLayout;

/* FALSE: too many axes, or not known. */
gboolean  ph_layout_of_transpose (const PhNode *transpose, PhLayout *layout);
PhLayout  ph_layout_inverse      (const PhLayout *layout);
gboolean  ph_layout_equal        (const PhLayout *a, const PhLayout *b);

/* Whether @node computes the same, permuted, on operands that are permuted by @layout. */
gboolean  ph_layout_takes        (const PhNode *node, const PhLayout *layout);
/* Of such a node: whether an input is an operand with all axes, to be permuted; else it is a scalar, axes, pads... */
gboolean  ph_layout_moves_input  (const PhNode *node, guint input, const PhLayout *layout);
/* Whether its outputs come out permuted; a reduction that drops axes may give the same either way. */
gboolean  ph_layout_moves_outputs (const PhNode *node);
/* The node again, on @inputs (those that move permuted already), with axes and constants renumbered. Output 0, or NULL. */
PhValue  *ph_layout_rebuild      (PhBuilder *builder, const PhNode *node, PhValue **inputs, const PhLayout *layout);

/* A constant, permuted now; lower ranks are filled up with axes of one element first. NULL: not of a kind that can be. */
PhValue  *ph_layout_constant     (PhBuilder *builder, const PhValue *constant, const PhLayout *layout);

G_END_DECLS
