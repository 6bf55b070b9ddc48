/* axis-order.h: operators that work with any order of axes, and how to rewrite them for another order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/rule.h"

G_BEGIN_DECLS

/* An order of axes: what stands at axis i of the permuted tensor is axis perm[i] of the other, as in Transpose. */
typedef struct
{
  int rank;
  gint64 perm[8], inverse[8];
} PhAxisOrder;

/* FALSE: too many axes, or not known. */
gboolean ph_axis_order_of_transpose (const PhNode *transpose, PhAxisOrder *layout);
PhAxisOrder ph_axis_order_inverse (const PhAxisOrder *layout);
gboolean ph_axis_order_equal (const PhAxisOrder *a, const PhAxisOrder *b);

/* Whether @node computes the same, permuted, on operands that are permuted by @layout. */
gboolean ph_axis_order_takes (const PhNode *node, const PhAxisOrder *layout);
/* Of such a node: whether an input is an operand with all axes, to be permuted; else it is a scalar, axes, pads... */
gboolean ph_axis_order_moves_input (const PhNode *node, guint input, const PhAxisOrder *layout);
/* Whether its outputs come out permuted; a reduction that drops axes may give the same either way. */
gboolean ph_axis_order_moves_outputs (const PhNode *node);
/* The node again, on @inputs (those that move permuted already), with axes and constants renumbered. Output 0, or NULL. */
PhValue *ph_axis_order_rebuild (PhBuilder *builder, const PhNode *node, PhValue **inputs, const PhAxisOrder *layout);

/* A constant, permuted now; lower ranks are filled up with axes of one element first. NULL: not of a kind that can be. */
PhValue *ph_axis_order_constant (PhBuilder *builder, const PhValue *constant, const PhAxisOrder *layout);

G_END_DECLS
