/* stablehlo-reduce.c: ONNX's reductions in StableHLO.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "passes/stablehlo.h"

/* Reads the axes of a reduction, counted from the start. Returns their number; -1: they are not constant */
static int
read_axes (PhConvert *l, gint64 *axes)
{
  const int rank = (int) ph_convert_rank (ph_stable_in (l, 0));
  gsize n;
  const gint64 *given = ph_node_attr_ints (l->node, "axes", &n);
  g_autoptr (GArray) ints = ph_stable_in (l, 1) != NULL ? ph_foreign_ints (l, 1) : NULL;

  if (ph_stable_in (l, 1) != NULL && ints == NULL)
    return -1;
  if (ints != NULL)
    {
      given = (const gint64 *) ints->data;
      n = ints->len;
    }
  if (given == NULL || n == 0)
    {
      if (ph_node_attr_int (l->node, "noop_with_empty_axes", 0) != 0)
        return 0;
      for (int i = 0; i < rank; i++)
        axes[i] = i;
      return rank;
    }
  for (gsize i = 0; i < n; i++)
    if (n > (gsize) rank || (axes[i] = ph_axis_of (given[i], rank)) < 0)
      return ph_convert_stay (l, "it has no such axis"), -1;
  return (int) n;
}

static double
lowest (PhDType dtype, gboolean least)
{
  const double sign = least ? -1 : 1;

  if (ph_dtype_is_float (dtype))
    return sign * (double) INFINITY;
  if (dtype == PH_BOOL)
    return least ? 0 : 1;
  if (!ph_dtype_is_signed (dtype))
    return least                ? 0
           : dtype == PH_UINT8  ? 255
           : dtype == PH_UINT16 ? 65535
           : dtype == PH_UINT32 ? 4294967295.0
                                : 18446744073709549568.0;
  return dtype == PH_INT8    ? (least ? -128 : 127)
         : dtype == PH_INT16 ? (least ? -32768 : 32767)
         : dtype == PH_INT32 ? (least ? -2147483648.0 : 2147483647.0)
                             : (least ? -9223372036854775808.0 : 9223372036854774784.0);
}

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  const PhOp *op = l->node->op;
  PhValue *x = ph_stable_in (l, 0), *y = x;
  gint64 axes[PH_MAX_RANK], dims[PH_MAX_RANK];
  const int n = read_axes (l, axes);
  const guint rank = ph_stable_out_dims (l, 0, dims);
  double count = 1;

  if (n < 0)
    return FALSE;
  if ((op == &ph_op_ReduceMax || op == &ph_op_ReduceMin) && (x->type->dtype == PH_INT64 || x->type->dtype == PH_UINT64) && n > 0)
    return ph_convert_stay (l, "the bounds of its element type cannot be represented by a float");
  for (int i = 0; i < n; i++)
    count *= (double) x->type->dims[axes[i]].size;
  if (op == &ph_op_ReduceL2 || op == &ph_op_ReduceLogSum)
    y = x = ph_stable_convert (l, x, ph_dtype_is_float (x->type->dtype) ? x->type->dtype : PH_DOUBLE);
  if (op == &ph_op_ReduceL1)
    y = ph_stable_unary (l, "abs", x);
  else if (op == &ph_op_ReduceL2 || op == &ph_op_ReduceSumSquare)
    y = ph_stable_binary (l, "multiply", x, x);
  if (op == &ph_op_ReduceMax)
    y = ph_stable_reduce (l, x->type->dtype == PH_BOOL ? "or" : "maximum", y, lowest (x->type->dtype, TRUE), axes, (guint) n);
  else if (op == &ph_op_ReduceMin)
    y = ph_stable_reduce (l, x->type->dtype == PH_BOOL ? "and" : "minimum", y, lowest (x->type->dtype, FALSE), axes, (guint) n);
  else if (op == &ph_op_ReduceProd)
    y = ph_stable_reduce (l, "multiply", y, 1, axes, (guint) n);
  else
    y = ph_stable_reduce (l, "add", y, 0, axes, (guint) n);
  if (op == &ph_op_ReduceMean)
    y = ph_stable_binary (l, "divide", y, ph_stable_like (l, y, count));
  else if (op == &ph_op_ReduceL2)
    y = ph_stable_unary (l, "sqrt", y);
  else if (op == &ph_op_ReduceLogSum)
    y = ph_stable_unary (l, "log", y);
  out[0] = ph_stable_reshape (l, ph_stable_convert (l, y, ph_stable_in (l, 0)->type->dtype), dims, rank);
  return out[0] != NULL;
}

/* exp (x - max) by its sum. */
static gboolean
softmax (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0), *top, *shifted, *powers, *sum;
  gint64 dims[PH_MAX_RANK], map[PH_MAX_RANK];
  const guint rank = ph_stable_dims (x, dims);
  const int axis = ph_axis_of (ph_node_attr_int (l->node, "axis", -1), (int) rank);
  gint64 at = axis;
  guint n = 0;

  if (axis < 0)
    return ph_convert_stay (l, "it has no such axis");
  for (guint i = 0; i < rank; i++)
    if ((int) i != axis)
      map[n++] = i;
  top = ph_stable_reduce (l, "maximum", x, -(double) INFINITY, &at, 1);
  shifted = ph_stable_binary (l, "subtract", x, ph_stable_spread (l, top, dims, rank, map));
  powers = ph_stable_unary (l, "exponential", shifted);
  sum = ph_stable_reduce (l, "add", powers, 0, &at, 1);
  out[0] = l->node->op == &ph_op_Softmax
               ? ph_stable_binary (l, "divide", powers, ph_stable_spread (l, sum, dims, rank, map))
               : ph_stable_binary (l, "subtract", shifted,
                                   ph_stable_spread (l, ph_stable_unary (l, "log", sum), dims, rank, map));
  return out[0] != NULL;
}

static gboolean
global_pool (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0), *y;
  gint64 axes[PH_MAX_RANK], dims[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, dims);
  double count = 1;

  if (rank < 2 || rank != ph_convert_rank (x) || !ph_dtype_is_float (x->type->dtype))
    return ph_convert_stay (l, "it has no image of floats");
  for (guint i = 2; i < rank; i++)
    {
      axes[i - 2] = i;
      count *= (double) x->type->dims[i].size;
    }
  y = l->node->op == &ph_op_GlobalMaxPool ? ph_stable_reduce (l, "maximum", x, -(double) INFINITY, axes, rank - 2)
                                          : ph_stable_reduce (l, "add", x, 0, axes, rank - 2);
  if (l->node->op == &ph_op_GlobalAveragePool)
    y = ph_stable_binary (l, "divide", y, ph_stable_like (l, y, count));
  out[0] = ph_stable_reshape (l, y, dims, rank);
  return out[0] != NULL;
}

/* Finds the least index of the largest element. */
static gboolean
arg (PhConvert *l, PhValue **out)
{
  const gboolean max = l->node->op == &ph_op_ArgMax;
  PhValue *x = ph_stable_in (l, 0), *best, *here, *index;
  gint64 dims[PH_MAX_RANK], result[PH_MAX_RANK], map[PH_MAX_RANK];
  const guint rank = ph_stable_dims (x, dims), out_rank = ph_stable_out_dims (l, 0, result);
  const int axis = ph_axis_of (ph_node_attr_int (l->node, "axis", 0), (int) rank);
  gint64 at = axis;
  guint n = 0;

  if (axis < 0 || ph_node_attr_int (l->node, "select_last_index", 0) != 0 || !ph_dtype_is_float (x->type->dtype))
    return ph_convert_stay (l, "it does not work along one axis of floats, or it selects the last index");
  for (guint i = 0; i < rank; i++)
    if ((int) i != axis)
      map[n++] = i;
  best = ph_stable_reduce (l, max ? "maximum" : "minimum", x, max ? -(double) INFINITY : (double) INFINITY, &at, 1);
  here = ph_stable_compare (l, "EQ", x, ph_stable_spread (l, best, dims, rank, map));
  index = ph_stable_iota (l, PH_INT64, (guint) axis, dims, rank);
  index = ph_stable_select (l, here, index, ph_stable_like (l, index, (double) dims[axis]));
  out[0] = ph_stable_reshape (l, ph_stable_reduce (l, "minimum", index, (double) dims[axis], &at, 1), result, out_rank);
  return out[0] != NULL;
}

/* Each element is the sum over a window that ends at it. */
static gboolean
cumulate (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0);
  g_autoptr (GArray) ints = ph_foreign_ints (l, 1);
  gint64 dims[PH_MAX_RANK], size[PH_MAX_RANK], one[PH_MAX_RANK], pads[2 * PH_MAX_RANK] = { 0 };
  const guint rank = ph_stable_dims (x, dims);
  int axis;

  if (ints == NULL || ints->len != 1)
    return FALSE;
  axis = ph_axis_of (g_array_index (ints, gint64, 0), (int) rank);
  if (axis < 0 || ph_node_attr_int (l->node, "exclusive", 0) != 0 || ph_node_attr_int (l->node, "reverse", 0) != 0)
    return ph_convert_stay (l, "it is exclusive or reversed");
  for (guint i = 0; i < rank; i++)
    size[i] = one[i] = 1;
  size[axis] = MAX (dims[axis], 1);
  pads[2 * axis] = size[axis] - 1;
  out[0] = ph_stable_windows (l, "add", x, 0, size, one, one, pads, dims);
  return out[0] != NULL;
}

static const char why[] = "A StableHLO reduction has its operator as a body and removes the axes; ONNX may keep them.";

/* clang-format off */
#define REDUCE(name) { &ph_op_##name, reduce, "reduce", why }

const PhLowerRule ph_stable_reduce_rules[] = {
  REDUCE (ReduceSum), REDUCE (ReduceMean), REDUCE (ReduceMax), REDUCE (ReduceMin), REDUCE (ReduceProd), REDUCE (ReduceL1), REDUCE (ReduceL2), REDUCE (ReduceSumSquare),
  REDUCE (ReduceLogSum), { &ph_op_Softmax, softmax, "reduce, subtract, exponential, divide", "Softmax is exp (x - max) divided by its sum." },
  { &ph_op_LogSoftmax, softmax, "reduce, subtract, exponential, log", "LogSoftmax is x - max minus the logarithm of the sum of exp (x - max)." },
  { &ph_op_GlobalAveragePool, global_pool, "reduce, divide", why }, { &ph_op_GlobalMaxPool, global_pool, "reduce", why },
  { &ph_op_ArgMax, arg, "reduce, compare, iota", "ArgMax returns the smallest index of the largest element." },
  { &ph_op_ArgMin, arg, "reduce, compare, iota", "ArgMin returns the smallest index of the smallest element." },
  { &ph_op_CumSum, cumulate, "reduce_window", "A cumulative sum is, for each element, the sum of the window that ends there." },
  { NULL }
};
/* clang-format on */
