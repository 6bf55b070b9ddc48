/* stablehlo.h: helpers for rules that write ONNX's operators in StableHLO's, where every shape is said and nothing broadcasts by itself.
 * Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert-foreign.h"

G_BEGIN_DECLS

typedef struct
{
  const PhOp *op;
  PhConvertFunc lower;
  const char *becomes, *why;
} PhLowerRule;

/* Each part ends with a row without an operator. */
extern const PhLowerRule ph_stable_elementwise[], ph_stable_linear[], ph_stable_reduce_rules[], ph_stable_shape[];

PhValue *ph_stable_in (PhConvert *l, guint i); /* (nullable)                       */
/* Its dimensions, all of them known. @dims: PH_MAX_RANK. Returns: the rank */
guint ph_stable_dims (const PhValue *value, gint64 *dims);
guint ph_stable_out_dims (PhConvert *l, guint i, gint64 *dims);

/* One node; @attrs is NULL-ended, consumed. After an error all give NULL. */
PhValue *ph_stable_node (PhConvert *l, const char *op, const PhType *type, PhValue *const *in, guint n, PhAttr **attrs);
PhValue *ph_stable_unary (PhConvert *l, const char *op, PhValue *x);
PhValue *ph_stable_binary (PhConvert *l, const char *op, PhValue *a, PhValue *b); /* of one type           */
PhValue *ph_stable_compare (PhConvert *l, const char *direction, PhValue *a, PhValue *b);
PhValue *ph_stable_select (PhConvert *l, PhValue *condition, PhValue *a, PhValue *b);
PhValue *ph_stable_convert (PhConvert *l, PhValue *x, PhDType dtype);
PhValue *ph_stable_reshape (PhConvert *l, PhValue *x, const gint64 *dims, guint rank);
PhValue *ph_stable_transpose (PhConvert *l, PhValue *x, const gint64 *perm);
/* As numpy broadcasts. */
PhValue *ph_stable_expand (PhConvert *l, PhValue *x, const gint64 *dims, guint rank);
/* @map: which axis of the result each axis of @x becomes. */
PhValue *ph_stable_spread (PhConvert *l, PhValue *x, const gint64 *dims, guint rank, const gint64 *map);
PhValue *ph_stable_fill (PhConvert *l, PhDType dtype, double number, const gint64 *dims, guint rank);
PhValue *ph_stable_like (PhConvert *l, PhValue *x, double number); /* its type, one number  */
PhValue *ph_stable_iota (PhConvert *l, PhDType dtype, guint axis, const gint64 *dims, guint rank);
/* @op: "add", "maximum", ...; over @axes, which go away. */
PhValue *ph_stable_reduce (PhConvert *l, const char *op, PhValue *x, double start, const gint64 *axes, guint n);
/* The same over windows. @pads: two for each dimension. */
PhValue *ph_stable_windows (PhConvert *l, const char *op, PhValue *x, double start, const gint64 *size, const gint64 *stride,
                            const gint64 *dilation, const gint64 *pads, const gint64 *dims);
PhValue *ph_stable_slice (PhConvert *l, PhValue *x, const gint64 *from, const gint64 *to, const gint64 *by);
PhValue *ph_stable_pad (PhConvert *l, PhValue *x, PhValue *number, const gint64 *low, const gint64 *high);

G_END_DECLS
