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

/* The distance of each pair of rows. */
static gboolean
row_distances (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *rows[2];
  const gint64 n = x != NULL && ph_value_rank (x) == 2 ? ph_value_dim (x, 0) : -1, last = -1;
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (gint64)), second = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (n < 0 || n > 2048)
    return ph_convert_stay (l, "the number of its rows is not known, or too large");
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = i + 1; k < n; k++)
      {
        g_array_append_val (first, i);
        g_array_append_val (second, k);
      }
  for (guint i = 0; i < 2; i++)
    rows[i] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), x,
                             ph_convert_ints_value (l, (const gint64 *) (gpointer) (i == 0 ? first : second)->data, first->len));
  out[0] = norm (l, PH_BUILD (l->b, Sub, rows[0], rows[1]), ph_aten_number (l, "p", 2), &last, 1, FALSE);
  return out[0] != NULL;
}

/* Of matrices: the root of all squares, or the largest or smallest sum along one of their two dimensions. */
static gboolean
matrix_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l);
  const PhAttr *kind = ph_node_attr (l->node, "ord");
  const gboolean keep = ph_aten_int (l, "keepdim", 0) != 0,
                 frobenius = (kind == NULL && !ph_aten_has (l, "ord"))
                             || strcmp (ph_node_attr_string (l->node, "ord", ""), "fro") == 0;
  const double order = frobenius ? 0 : ph_aten_number (l, "ord", 0);
  gint64 dims[PH_MAX_RANK] = { -2, -1 }, axis;
  guint n = PH_MAX_RANK;

  if (x == NULL || (ph_aten_has (l, "dim") && (!ph_aten_ints (l, "dim", dims, &n) || n != 2)) || l->stays != NULL)
    return ph_convert_stay (l, "its order or its dimensions are not known");
  if (frobenius)
    return (out[0] = reduce (l, &ph_op_ReduceL2, x, dims, 2, keep)) != NULL;
  if (fabs (order) != 1 && !isinf (order))
    return ph_convert_stay (l, "it is that of singular values");
  for (guint i = 0; i < 2; i++) /* the second reduction sees the first dimension no more */
    dims[i] = ph_aten_axis (l, x, dims[i]);
  if (dims[0] < 0 || dims[1] < 0)
    return FALSE;
  x = reduce (l, &ph_op_ReduceL1, x, &dims[isinf (order)], 1, TRUE);
  axis = dims[!isinf (order)];
  x = reduce (l, order > 0 ? &ph_op_ReduceMax : &ph_op_ReduceMin, x, &axis, 1, TRUE);
  out[0] = keep ? x : PH_BUILD (l->b, Squeeze, x, ph_convert_ints_value (l, dims, 2));
  return out[0] != NULL;
}

/* Of variables in rows: how they vary together, divided by how each does alone for corrcoef. */
static gboolean
covariance (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *size, *own;
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  const gint64 last = -1, turned[] = { 1, 0 };
  const gboolean scaled = strcmp (ph_aten_name (l), "corrcoef") == 0;

  if (rank < 1 || rank > 2 || ph_aten_n_tensors (l) > 1)
    return ph_convert_stay (l, "its operand is no matrix, or it has weights");
  if (rank == 1)
    x = ph_convert_reshape (l, x, (gint64[]) { 1, -1 }, 2);
  size = ph_convert_cast (l, ph_aten_shape_part (l, x, 1, 2), ph_convert_dtype (x));
  x = PH_BUILD (l->b, Sub, x, reduce (l, &ph_op_ReduceMean, x, &last, 1, TRUE));
  size = PH_BUILD (l->b, Max, PH_BUILD (l->b, Sub, size, like (l, x, (double) ph_aten_int (l, "correction", 1))), like (l, x, 0));
  own = PH_BUILD (l->b, Div, reduce (l, &ph_op_ReduceSumSquare, x, &last, 1, TRUE), size);
  x = PH_BUILD (l->b, Div, PH_BUILD (l->b, MatMul, x, ph_convert_transpose (l, x, turned, 2)), size);
  if (scaled)
    {
      own = PH_BUILD (l->b, Sqrt, own);
      x = PH_BUILD (l->b, Div, PH_BUILD (l->b, Div, x, own), ph_convert_transpose (l, own, turned, 2));
      x = PH_BUILD (l->b, Clip, x, like (l, x, -1), like (l, x, 1));
    }
  out[0] = rank == 1 ? ph_convert_reshape (l, x, NULL, 0) : x;
  return out[0] != NULL;
}

/* A product of several matrices, the first and last of which may be vectors. */
static gboolean
several_products (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);

  for (guint i = 0; i < n; i++)
    {
      PhValue *x = ph_aten_tensor (l, i);

      if (x == NULL)
        return ph_convert_stay (l, "its operands are not known");
      out[0] = i == 0 ? x : PH_BUILD (l->b, MatMul, out[0], x);
    }
  return n > 0 && out[0] != NULL;
}

static const char composed[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
const PhConvertRule ph_convert_aten_distance[] = {
  { "aten:nansum", without_nan, "ReduceSum of Where", composed }, { "aten:nanmean", without_nan, "ReduceSum of Where, and Div", composed },
  { "aten:inner", inner, "MatMul", "Both add products along one axis." }, { "aten:vdot", inner, "MatMul", "Both add products along one axis." },
  { "aten:dist", dist, "ReduceL2 of the difference", composed }, { "aten:renorm", renorm, "Mul by the limit over the norm", composed },
  { "aten:pdist", row_distances, "ReduceL2 of the differences", composed }, { "aten:linalg_matrix_norm", matrix_norm, "ReduceL2, or ReduceMax of ReduceL1", composed },
  { "aten:cov", covariance, "MatMul of the differences from the mean", composed }, { "aten:corrcoef", covariance, "MatMul of the differences from the mean", composed },
  { "aten:linalg_multi_dot", several_products, "MatMuls", "The product does not depend on the order of its factors but for rounding." },
  { "aten:chain_matmul", several_products, "MatMuls", "The product does not depend on the order of its factors but for rounding." },
  { "aten:logaddexp2", log_add_exp2, "Max, and Log of Pow", composed }, { "aten:cosine_embedding_loss", cosine_loss, "ReduceSum, Sqrt and Div", composed },
  { NULL }
};
/* clang-format on */
