/* convert-aten-distance.c: PyTorch's sums without NaN, inner products, and distances, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

static PhValue *
like (PhConvert *l, PhValue *x, double number)
{
  return ph_convert_like (l, x, number);
}

/* Reduces over @axes; over all where there are none. */
static PhValue *
reduce (PhConvert *l, const PhOp *op, PhValue *x, const gint64 *axes, guint n, gboolean keep)
{
  PhValue *inputs[] = { x, n > 0 ? ph_convert_ints_value (l, axes, n) : NULL };

  return ph_build_node (l->b, op, inputs, n > 0 ? 2 : 1, PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
}

static gboolean
without_nan (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *missing;
  const gboolean keep = ph_aten_int (l, "keepdim", 0) != 0;
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (x == NULL || (!ph_aten_ints (l, "dim", axes, &n) && ph_aten_has (l, "dim")))
    return ph_convert_stay (l, "its dim is not known");
  if (dtype != PH_UNDEFINED)
    x = ph_convert_cast (l, x, dtype);
  missing = PH_BUILD (l->b, IsNaN, x);
  out[0] = reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Where, missing, like (l, x, 0), x), axes, n, keep);
  if (strcmp (ph_aten_name (l), "nanmean") == 0)
    out[0] = PH_BUILD (
        l->b, Div, out[0],
        reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Where, missing, like (l, x, 0), like (l, x, 1)), axes, n, keep));
  return out[0] != NULL;
}

/* The sum of products along the last dimension of both. */
static gboolean
inner (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *b = ph_aten_tensor (l, 1);
  const int rank = ph_value_rank (b);

  if (a == NULL || b == NULL || ph_value_rank (a) < 1 || rank < 1 || rank > 2)
    return ph_convert_stay (l, "the rank of its operands is not known, or too high");
  if (rank == 2)
    b = ph_convert_transpose (l, b, (gint64[]) { 1, 0 }, 2);
  out[0] = PH_BUILD (l->b, MatMul, a, b);
  return out[0] != NULL;
}

/* (sum |x|^p)^(1/p) */
static PhValue *
norm (PhConvert *l, PhValue *x, double p, const gint64 *axes, guint n, gboolean keep)
{
  if (p == 1 || p == 2)
    return reduce (l, p == 1 ? &ph_op_ReduceL1 : &ph_op_ReduceL2, x, axes, n, keep);
  x = PH_BUILD (l->b, Abs, x);
  if (isinf (p))
    return reduce (l, p > 0 ? &ph_op_ReduceMax : &ph_op_ReduceMin, x, axes, n, keep);
  if (p == 0)
    return reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Sign, x), axes, n, keep);
  return PH_BUILD (l->b, Pow, reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Pow, x, like (l, x, p)), axes, n, keep),
                   like (l, x, 1 / p));
}

static gboolean
dist (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *b = ph_aten_tensor (l, 1);

  if (a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  out[0] = norm (l, PH_BUILD (l->b, Sub, a, b), ph_aten_number (l, "p", 2), NULL, 0, FALSE);
  return out[0] != NULL;
}

/* Scales each slice down whose norm is above the limit. */
static gboolean
renorm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *length, *limit;
  const int rank = ph_value_rank (x), axis = x != NULL ? ph_aten_axis (l, x, ph_aten_int (l, "dim", 0)) : -1;
  gint64 axes[PH_MAX_RANK];
  guint n = 0;

  if (rank < 2 || axis < 0)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 0; i < rank; i++)
    if (i != axis)
      axes[n++] = i;
  length = norm (l, x, ph_aten_number (l, "p", 2), axes, n, TRUE);
  limit = like (l, x, ph_aten_number (l, "maxnorm", 1));
  out[0] = PH_BUILD (l->b, Mul, x,
                     PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, length, limit),
                               PH_BUILD (l->b, Div, limit, PH_BUILD (l->b, Add, length, like (l, x, 1e-7))), like (l, x, 1)));
  return out[0] != NULL;
}

/* log2 (2^a + 2^b), from the greater of the two on. */
static gboolean
log_add_exp2 (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *b = ph_aten_tensor (l, 1), *less, *fall;

  if (a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  less = PH_BUILD (l->b, Neg, PH_BUILD (l->b, Abs, PH_BUILD (l->b, Sub, a, b)));
  fall = PH_BUILD (l->b, Add, PH_BUILD (l->b, Pow, like (l, a, 2), less), like (l, a, 1));
  out[0] = PH_BUILD (l->b, Add, PH_BUILD (l->b, Max, a, b),
                     PH_BUILD (l->b, Mul, PH_BUILD (l->b, Log, fall), like (l, a, 1 / G_LN2)));
  return out[0] != NULL;
}

static gboolean
cosine_loss (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *b = ph_aten_tensor (l, 1), *target = ph_aten_tensor (l, 2), *cosine, *apart;
  const gint64 reduction = ph_aten_int (l, "reduction", 1), axis = ph_value_rank (a) - 1;

  if (a == NULL || b == NULL || target == NULL || axis < 0)
    return ph_convert_stay (l, "it does not have three operands of known rank");
  cosine = reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, a, b), &axis, 1, FALSE);
  a = PH_BUILD (l->b, Add, reduce (l, &ph_op_ReduceSumSquare, a, &axis, 1, FALSE), like (l, a, 1e-12));
  b = PH_BUILD (l->b, Add, reduce (l, &ph_op_ReduceSumSquare, b, &axis, 1, FALSE), like (l, b, 1e-12));
  cosine = PH_BUILD (l->b, Div, cosine, PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Mul, a, b)));
  apart = PH_BUILD (l->b, Relu, PH_BUILD (l->b, Sub, cosine, like (l, cosine, ph_aten_number (l, "margin", 0))));
  out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, target, like (l, target, 1)),
                     PH_BUILD (l->b, Sub, like (l, cosine, 1), cosine),
                     PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, target, like (l, target, -1)), apart, like (l, cosine, 0)));
  if (reduction != 0)
    out[0] = reduce (l, reduction == 1 ? &ph_op_ReduceMean : &ph_op_ReduceSum, out[0], NULL, 0, FALSE);
  return out[0] != NULL;
}

static const char composed[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
const PhConvertRule ph_convert_aten_distance[] = {
  { "aten:nansum", without_nan, "ReduceSum of Where", composed }, { "aten:nanmean", without_nan, "ReduceSum of Where, and Div", composed },
  { "aten:inner", inner, "MatMul", "Both add products along one axis." }, { "aten:vdot", inner, "MatMul", "Both add products along one axis." },
  { "aten:dist", dist, "ReduceL2 of the difference", composed }, { "aten:renorm", renorm, "Mul by the limit over the norm", composed },
  { "aten:logaddexp2", log_add_exp2, "Max, and Log of Pow", composed }, { "aten:cosine_embedding_loss", cosine_loss, "ReduceSum, Sqrt and Div", composed },
  { NULL }
};
/* clang-format on */
