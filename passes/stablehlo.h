/* stablehlo.h: helpers for rules that write ONNX's operators in StableHLO's, where every shape is said and nothing broadcasts by itself.
 * Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/facts.h"
#include "passes/run.h"

G_BEGIN_DECLS

typedef struct
{
  PhNode *node;
  PhBuilder *b;
  char *stays; /* (nullable) owned: why the rule does not apply */
} PhLowering;

typedef gboolean (*PhLowerFunc) (PhLowering *l, PhValue **out);
typedef struct
{
  const PhOp *op;
  PhLowerFunc lower;
  const char *becomes, *why;
} PhLowerRule;

/* Each part ends with a row without an operator. */
extern const PhLowerRule ph_stable_elementwise[], ph_stable_linear[], ph_stable_reduce_rules[], ph_stable_shape[];

gboolean ph_stable_stay (PhLowering *l, const char *format, ...) G_GNUC_PRINTF (2, 3);
PhValue *ph_stable_in (PhLowering *l, guint i); /* (nullable)                       */
guint ph_stable_rank (const PhValue *value);
/* Its dimensions, all of them known. @dims: PH_MAX_RANK. Returns: the rank */
guint ph_stable_dims (const PhValue *value, gint64 *dims);
guint ph_stable_out_dims (PhLowering *l, guint i, gint64 *dims);
/* The elements of a constant integer operand; NULL: it is not constant, and l->stays says so. (transfer full) */
GArray *ph_stable_ints (PhLowering *l, guint i);

/* One node; @attrs is NULL-ended, consumed. After an error all give NULL. */
PhValue *ph_stable_node (PhLowering *l, const char *op, const PhType *type, PhValue *const *in, guint n, PhAttr **attrs);
PhValue *ph_stable_unary (PhLowering *l, const char *op, PhValue *x);
PhValue *ph_stable_binary (PhLowering *l, const char *op, PhValue *a, PhValue *b); /* of one type           */
PhValue *ph_stable_compare (PhLowering *l, const char *direction, PhValue *a, PhValue *b);
PhValue *ph_stable_select (PhLowering *l, PhValue *condition, PhValue *a, PhValue *b);
PhValue *ph_stable_convert (PhLowering *l, PhValue *x, PhDType dtype);
PhValue *ph_stable_reshape (PhLowering *l, PhValue *x, const gint64 *dims, guint rank);
PhValue *ph_stable_transpose (PhLowering *l, PhValue *x, const gint64 *perm);
/* As numpy broadcasts. */
PhValue *ph_stable_expand (PhLowering *l, PhValue *x, const gint64 *dims, guint rank);
/* @map: which axis of the result each axis of @x becomes. */
PhValue *ph_stable_spread (PhLowering *l, PhValue *x, const gint64 *dims, guint rank, const gint64 *map);
PhValue *ph_stable_fill (PhLowering *l, PhDType dtype, double number, const gint64 *dims, guint rank);
PhValue *ph_stable_like (PhLowering *l, PhValue *x, double number); /* its type, one number  */
PhValue *ph_stable_iota (PhLowering *l, PhDType dtype, guint axis, const gint64 *dims, guint rank);
/* @op: "add", "maximum", ...; over @axes, which go away. */
PhValue *ph_stable_reduce (PhLowering *l, const char *op, PhValue *x, double start, const gint64 *axes, guint n);
/* The same over windows. @pads: two for each dimension. */
PhValue *ph_stable_windows (PhLowering *l, const char *op, PhValue *x, double start, const gint64 *size, const gint64 *stride,
                            const gint64 *dilation, const gint64 *pads, const gint64 *dims);
PhValue *ph_stable_slice (PhLowering *l, PhValue *x, const gint64 *from, const gint64 *to, const gint64 *by);
PhValue *ph_stable_pad (PhLowering *l, PhValue *x, PhValue *number, const gint64 *low, const gint64 *high);

G_END_DECLS
