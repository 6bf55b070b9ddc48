/* convert.h: helpers for rules that rewrite operators of another dialect as ONNX operators. They see an operator by its normalised name and
 * attributes, so that HLO, StableHLO and jaxpr share one table. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/facts.h"
#include "passes/run.h"

G_BEGIN_DECLS

#define PH_CONVERT_SPARE 8
typedef struct
{
  PhPassRun *run;
  PhNode *node;
  const char *op; /* its normalised name: "dot_general"                                         */
  PhBuilder *b;
  PhValue **in; /* the operands, and PH_CONVERT_SPARE times NULL: a damaged file may lack those that a rule reads */
  guint n_in, n_out;
  PhDType expressed;   /* set: computed in it instead of the type that is stored                     */
  char *stays;         /* (nullable) owned: why the rule does not apply                              */
  gboolean is_dropped; /* nobody reads the node, and nothing takes its place */
} PhConvert;

/* Builds the l->n_out values of @out, which has room for PH_CONVERT_SPARE at least. FALSE: it stays; l->stays or the builder says why. */
typedef gboolean (*PhConvertFunc) (PhConvert *l, PhValue **out);
/* Defines the function @name of a rule that replaces one value by the one given, an expression in @l. */
#define PH_CONVERT_TO(name, ...)                     \
  static gboolean name (PhConvert *l, PhValue **out) \
  {                                                  \
    return (out[0] = __VA_ARGS__) != NULL;           \
  }
typedef struct
{
  const char *op;
  PhConvertFunc lower;
  const char *becomes, *why;
} PhConvertRule;

/* The table of rules, in parts by family. Each part ends with a row without a name. */
extern const PhConvertRule ph_convert_elementwise[], ph_convert_shape[], ph_convert_linear[], ph_convert_reduce[],
    ph_convert_index[], ph_convert_control[], ph_convert_math[], ph_convert_hlo[];
/* All tables, of this file and of the other systems; ends with NULL. */
extern const PhConvertRule *const ph_convert_tables[];
/* Brings HLO and jaxprs to the form that the table knows: fusions and calls in place, branches without operands. */
gboolean ph_convert_prepare (PhPassRun *run, GError **error);
const PhConvertRule *ph_convert_find (const char *op); /* (nullable) */
/* "add" of the node stablehlo.add, "dot_general" of hlo.dot-general; NULL: no dialect that is lowered, or a box. */
const char *ph_convert_name (const PhNode *node);

/* Why @node, for which there is no rule, stays. */
const char *ph_convert_reason (const PhNode *node);

gboolean ph_convert_stay (PhConvert *l, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Read an attribute by its name in StableHLO's specification; the names of other dialects are tried, too. */
const gint64 *ph_convert_ints (const PhConvert *l, const char *name, gsize *n); /* (nullable) */
gint64 ph_convert_int (const PhConvert *l, const char *name, gint64 fallback);
const char *ph_convert_string (const PhConvert *l, const char *name, const char *fallback);

const PhType *ph_convert_type (const PhConvert *l, guint output); /* declared (nullable)         */
PhDType ph_convert_dtype (const PhValue *value);
guint ph_convert_rank (const PhValue *value);
/* All dimensions of @value. FALSE: not all are known; l->stays says so. */
gboolean ph_convert_dims (PhConvert *l, const PhValue *value, gint64 *dims);
gboolean ph_convert_out_dims (PhConvert *l, guint output, gint64 *dims);

gboolean ph_convert_empty (PhConvert *l, PhValue **out); /* TRUE: no result has an element */
/* Each of @axes and of @more (nullable) is another one of @rank. */
gboolean ph_convert_are_axes (const gint64 *axes, gsize n, const gint64 *more, gsize n_more, guint rank);
gboolean ph_convert_has_axis (const gint64 *axes, gsize n, gint64 axis);

PhValue *ph_convert_number (PhConvert *l, PhDType dtype, double number);
PhValue *ph_convert_like (PhConvert *l, PhValue *value, double number); /* of @value's element type    */
PhValue *ph_convert_trunc (PhConvert *l, PhValue *value);               /* towards 0; keeps -0         */
PhValue *ph_convert_ints_value (PhConvert *l, const gint64 *values, gsize n);
PhValue *ph_convert_cast (PhConvert *l, PhValue *value, PhDType dtype);
PhValue *ph_convert_reshape (PhConvert *l, PhValue *value, const gint64 *dims, guint n);
PhValue *ph_convert_expand (PhConvert *l, PhValue *value, const gint64 *dims, guint n);
PhValue *ph_convert_transpose (PhConvert *l, PhValue *value, const gint64 *perm, guint n); /* none where it is the identity */
PhValue *ph_convert_slice (PhConvert *l, PhValue *value, const gint64 *starts, const gint64 *ends, const gint64 *steps, guint n);
PhValue *ph_convert_reverse (PhConvert *l, PhValue *value, const gint64 *axes, gsize n);
/* Low, high (negative: cut away) and between the elements, with @number, a scalar. */
PhValue *ph_convert_pad (PhConvert *l, PhValue *value, PhValue *number, const gint64 *low, const gint64 *high,
                         const gint64 *interior, guint n);
/* 0, 1, ... along @axis of a tensor of @rank dimensions that is 1 elsewhere. */
PhValue *ph_convert_iota (PhConvert *l, gint64 n, guint axis, guint rank);
/* A body that computes each element alone, on whole tensors in place of its scalars. */
gboolean ph_convert_vectorise (PhConvert *l, PhGraph *body, PhValue *const *inputs, PhValue **outputs);
/* The operator of a body that is one node on its two arguments, in whichever order; NULL. */
const PhOp *ph_convert_monoid (PhGraph *body);
gboolean ph_convert_bitcast (PhConvert *l, PhValue **out);
/* The product of l's first two operands; the result has the batch, what is free on the left, and on the right. */
gboolean ph_convert_product (PhConvert *l, const gint64 *lb, const gint64 *rb, gsize n_batch, const gint64 *lc, const gint64 *rc,
                             gsize n_contracting, PhValue **out);
gboolean ph_convert_ragged_dot (PhConvert *l, PhValue **out);
/* Folds @values, whose first axis has @count elements, from @init by @body; one result a value. */
gboolean ph_convert_fold (PhConvert *l, PhGraph *body, PhValue *const *values, PhValue *const *inits, guint n, gint64 count,
                          PhValue **out);

G_END_DECLS
