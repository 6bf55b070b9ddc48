/* facts.h: questions about values and nodes that guards and builders ask: rank, shape, constant, sole user.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"
#include "core/ops/pattern.h"

G_BEGIN_DECLS

/* @ops ends with NULL. */
gboolean ph_op_is_any (const PhOp *op, const PhOp *const *ops);
/* -1: unknown. */
int ph_value_rank (const PhValue *value);
gint64 ph_value_dim (const PhValue *value, int axis); /* @axis may count from the end */
PhDType ph_value_dtype (const PhValue *value);        /* PH_UNDEFINED: unknown        */
gboolean ph_value_is_float (const PhValue *value);
gboolean ph_value_is_static (const PhValue *value);
gboolean ph_value_same_type (const PhValue *a, const PhValue *b); /* provably                     */
gboolean ph_value_same_shape (const PhValue *a, const PhValue *b);
/* A constant of one element, or of one repeated: that element. */
gboolean ph_value_number (const PhValue *value, double *number);
gboolean ph_value_is_single (const PhValue *value); /* provably one element, of rank 0 or 1 */
/* A constant integer tensor of rank 0 or 1. (transfer full) */
gboolean ph_value_ints (const PhValue *value, gint64 **values, gsize *n);
/* @operand broadcasts into @into: a binary operator on both has @into's shape. */
gboolean ph_value_broadcasts_into (const PhValue *operand, const PhValue *into);
/* Its only use, by a node in its own graph; NULL: several, none, or an output of the graph. */
PhNode *ph_value_only_user (const PhValue *value);

/* Guards. */
gboolean ph_match_always (PhMatch *match);     /* the type is kept by the operator's nature              */
gboolean ph_match_keeps_type (PhMatch *match); /* x, slot 0, provably has the type of what is replaced   */

/* An axis of @rank counted from the start; -1 out of range. */
int ph_axis_of (gint64 axis, int rank);
/* A Transpose's perm, its default filled in. (transfer full) (nullable) */
gint64 *ph_node_perm (const PhNode *node, int *rank);
/* The axes of a Squeeze, Unsqueeze, Reduce: constant, counted from the start, ascending. @rank: that they count in.
 * (transfer full) (nullable) */
gint64 *ph_node_axes (const PhNode *node, guint input, int rank, gsize *n);
/* Attributes to hand to ph_build_node(): the node's, but for those named in @but (nullable). Room for 4 more at the end. */
PhAttr **ph_node_copy_attrs (const PhNode *node, const char *const *but, guint *n);
/* Points the readers of output k of @node at @values[k], for every k, and removes the node: for rules that do it all
 * themselves. What cannot take over the name of an output (a graph input, something captured) gets an Identity. */
gboolean ph_node_replace_all (PhNode *node, PhValue *const *values, PhBuilder *builder);
/* The same attributes, in any order. */
gboolean ph_node_same_attrs (const PhNode *a, const PhNode *b);
/* Computes its outputs whatever its inputs hold: no shapes that might not fit, no index that can be out of range, no integer
 * division, no text that need not be a number, nothing random. Only what is so may run where it did not run before. */
gboolean ph_node_is_total (const PhNode *node);
/* The same node on other inputs. */
PhValue *ph_build_like (PhBuilder *builder, const PhNode *node, PhValue *const *inputs, guint n);
/* Points all that reads output 0 of @node at @value and removes what is dead then: what a rule without @apply does. FALSE
 * without error: it cannot be, because both are names of the interface. */
gboolean ph_node_replace (PhNode *node, PhValue *value, GError **error);
/* "y" of "y_1", where that is a copy of a value y that is still there: so that names do not grow with each rewrite. */
const char *ph_model_base_name (PhModel *model, const char *name);

G_END_DECLS
