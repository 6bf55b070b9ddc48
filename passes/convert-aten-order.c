/* convert-aten-order.c: PyTorch's operators that order, count and compare the elements of a tensor with each other, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

#define MOST 4096 /* elements of which each is compared with each */

static PhValue *
vector (PhConvert *l, PhValue *x)
{
  const gint64 all = -1;

  return x != NULL ? ph_convert_reshape (l, x, &all, 1) : NULL;
}

static PhValue *
unsqueeze (PhConvert *l, PhValue *x, gint64 axis)
{
  return PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, &axis, 1));
}

static PhValue *
reduce (PhConvert *l, const PhOp *op, PhValue *x, gint64 axis, gboolean keep)
{
  PhValue *inputs[] = { x, ph_convert_ints_value (l, &axis, 1) };

  return ph_build_node (l->b, op, inputs, 2, PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
}

static PhValue *
sorted (PhConvert *l, PhValue *x, gint64 axis, gint64 n)
{
  return ph_build_node (l->b, &ph_op_TopK, PH_VALUES_ (x, ph_convert_ints_value (l, &n, 1)), 2,
                        PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("largest", 0)), 2);
}

/* The last index at which @x, truth values, holds along the last dimension. */
static PhValue *
last_true (PhConvert *l, PhValue *x)
{
  return PH_BUILD_WITH (
      l->b, ArgMax,
      PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("keepdims", 0), ph_attr_new_int ("select_last_index", 1)),
      ph_convert_cast (l, x, PH_INT32));
}

/* Moves @axis of @x to the end, or back. */
static PhValue *
turned (PhConvert *l, PhValue *x, int axis, gboolean back)
{
  const int rank = ph_value_rank (x);
  gint64 perm[PH_MAX_RANK];
  guint n = 0;

  for (int i = 0; i < rank; i++)
    if (back)
      perm[i] = i < axis ? i : i == axis ? rank - 1 : i - 1;
    else if (i != axis)
      perm[n++] = i;
  if (!back)
    perm[n] = axis;
  return ph_convert_transpose (l, x, perm, (guint) rank);
}

/* ── equal elements ── */

/* Gives the distinct elements, and those of the others that are used. @found: values, _, inverse, counts. */
static gboolean
distinct (PhConvert *l, PhValue *x, gint64 axis, PhValue *like, PhValue **out)
{
  PhValue *found = ph_build_node (
      l->b, &ph_op_Unique, &x, 1,
      PH_ATTRS (ph_attr_new_int ("sorted", 1), axis != G_MAXINT64 ? ph_attr_new_int ("axis", axis) : NULL), 4);

  if (found == NULL)
    return FALSE;
  out[0] = found;
  if (l->n_out > 1)
    out[1] = like != NULL ? PH_BUILD (l->b, Reshape, ph_node_output (found->producer, 2), PH_BUILD (l->b, Shape, like))
                          : ph_node_output (found->producer, 2);
  if (l->n_out > 2)
    out[2] = ph_node_output (found->producer, 3);
  return TRUE;
}

/* What was not asked for is empty. */
static gboolean
leave_unasked (PhConvert *l, PhValue **out)
{
  static const char *const asked[] = { "return_inverse", "return_counts" };

  for (guint i = 0; i < G_N_ELEMENTS (asked) && 1 + i < l->n_out; i++)
    if (ph_aten_int (l, asked[i], 0) == 0)
      out[1 + i] = ph_convert_ints_value (l, NULL, 0);
  return TRUE;
}

static gboolean
unique (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  if (strcmp (ph_aten_name (l), "unique_dim") == 0)
    return distinct (l, x, ph_aten_int (l, "dim", 0), NULL, out);
  return distinct (l, vector (l, x), G_MAXINT64, x, out) && leave_unasked (l, out);
}

/* An element that differs from the one before begins a run. */
static gboolean
runs (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *v, *first, *begins, *at, *size;
  const gint64 zero = 0, one = 1, end = -1;

  if (x == NULL || ph_aten_has (l, "dim"))
    return x != NULL && ph_convert_stay (l, "it compares parts of a tensor rather than its elements");
  v = vector (l, x);
  size = PH_BUILD (l->b, Shape, v);
  first = PH_BUILD (l->b, Greater, PH_BUILD_WITH (l->b, ConstantOfShape, NULL, ph_convert_ints_value (l, &one, 1)),
                    ph_convert_number (l, PH_FLOAT, -1)); /* the first element always does */
  begins = PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, ph_aten_slice (l, v, 0, 1, G_MAXINT64), ph_aten_slice (l, v, 0, 0, end)));
  begins = ph_aten_concat (l, (PhValue *[]) { first, begins }, 2, 0);
  out[0] = PH_BUILD_WITH (l->b, Compress, PH_ATTRS (ph_attr_new_int ("axis", 0)), v, begins);
  if (l->n_out > 1)
    out[1] = PH_BUILD (
        l->b, Reshape,
        PH_BUILD (l->b, Sub, PH_BUILD (l->b, CumSum, ph_convert_cast (l, begins, PH_INT64), ph_build_scalar (l->b, PH_INT64, 0)),
                  ph_convert_number (l, PH_INT64, 1)),
        PH_BUILD (l->b, Shape, x));
  if (l->n_out > 2)
    {
      at = PH_BUILD (l->b, Squeeze, PH_BUILD (l->b, NonZero, begins), ph_convert_ints_value (l, &zero, 1));
      out[2] = PH_BUILD (l->b, Sub, ph_aten_concat (l, (PhValue *[]) { ph_aten_slice (l, at, 0, 1, G_MAXINT64), size }, 2, 0),
                         at);
    }
  return out[0] != NULL && leave_unasked (l, out);
}

/* The element that occurs most often, the least of several, and its last index. */
static gboolean
mode (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *v, *often, *most;
  const int axis = x != NULL ? ph_aten_axis (l, x, ph_aten_int (l, "dim", -1)) : -1;

  if (axis < 0)
    return FALSE;
  if (ph_value_dim (x, axis) < 1 || ph_value_dim (x, axis) > MOST)
    return ph_convert_stay (l, "the size of the dimension is not known, or over %d", MOST);
  v = turned (l, x, axis, FALSE);
  often = reduce (l, &ph_op_ReduceSum,
                  ph_convert_cast (l, PH_BUILD (l->b, Equal, unsqueeze (l, v, -1), unsqueeze (l, v, -2)), PH_INT64), -1, FALSE);
  most = reduce (l, &ph_op_ReduceMax, often, -1, TRUE);
  most = reduce (l, &ph_op_ReduceMin,
                 PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, often, most), v, reduce (l, &ph_op_ReduceMax, v, -1, TRUE)), -1,
                 TRUE);
  for (guint i = 0; i < MIN (l->n_out, 2); i++)
    {
      PhValue *part = i == 0 ? most : unsqueeze (l, last_true (l, PH_BUILD (l->b, Equal, v, most)), -1);
      const gint64 last = -1;

      out[i] = ph_aten_int (l, "keepdim", 0) != 0 ? turned (l, part, axis, TRUE)
                                                  : PH_BUILD (l->b, Squeeze, part, ph_convert_ints_value (l, &last, 1));
    }
  return TRUE;
}

/* ── running extremes ── */

/* The largest of the elements so far, and the last index of it. */
static gboolean
running (PhConvert *l, PhValue **out)
{
  const gboolean largest = strcmp (ph_aten_name (l), "cummax") == 0;
  PhValue *x = ph_aten_operand (l), *v, *past, *wide, *found;
  const int axis = x != NULL ? ph_aten_axis (l, x, ph_aten_int (l, "dim", 0)) : -1;
  gint64 n;

  if (axis < 0)
    return FALSE;
  if ((n = ph_value_dim (x, axis)) < 1 || n > MOST)
    return ph_convert_stay (l, "the size of the dimension is not known, or over %d", MOST);
  v = turned (l, x, axis, FALSE);
  past = PH_BUILD (l->b, LessOrEqual, ph_convert_iota (l, n, 1, 2), ph_convert_iota (l, n, 0, 2));
  /* What comes later counts as the first element, which is among those so far. */
  wide = PH_BUILD (l->b, Where, past, unsqueeze (l, v, -2), unsqueeze (l, ph_aten_slice (l, v, -1, 0, 1), -2));
  found = reduce (l, largest ? &ph_op_ReduceMax : &ph_op_ReduceMin, wide, -1, FALSE);
  out[0] = turned (l, found, axis, TRUE);
  if (l->n_out > 1)
    out[1] = turned (
        l, last_true (l, PH_BUILD (l->b, And, past, PH_BUILD (l->b, Equal, unsqueeze (l, v, -2), unsqueeze (l, found, -1)))),
        axis, TRUE);
  return TRUE;
}

/* ── statistics ── */

static gboolean
histogram (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *v, *at, *low, *high, *inside;
  const gint64 bins = ph_aten_int (l, "bins", 100);
  const double least = ph_aten_number (l, "min", 0), most = ph_aten_number (l, "max", 0);

  if (x == NULL || l->stays != NULL || bins < 1 || bins > MOST)
    return ph_convert_stay (l, "the number of its bins is not known, or over %d", MOST);
  v = vector (l, x);
  low = least == most ? reduce (l, &ph_op_ReduceMin, v, 0, FALSE) : ph_convert_like (l, x, least);
  high = least == most ? reduce (l, &ph_op_ReduceMax, v, 0, FALSE) : ph_convert_like (l, x, most);
  at = PH_BUILD (l->b, Div, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, v, low), ph_convert_like (l, x, (double) bins)),
                 PH_BUILD (l->b, Sub, high, low));
  /* The last bin has its upper border, too. */
  at = PH_BUILD (l->b, Min, PH_BUILD (l->b, Floor, at), ph_convert_like (l, x, (double) bins - 1));
  inside = PH_BUILD (l->b, And, PH_BUILD (l->b, GreaterOrEqual, v, low), PH_BUILD (l->b, LessOrEqual, v, high));
  at = PH_BUILD (l->b, Where, inside, at, ph_convert_like (l, x, -1));
  at = PH_BUILD (l->b, Equal, ph_convert_cast (l, at, PH_INT64), ph_convert_iota (l, bins, 0, 2));
  out[0] = ph_convert_cast (l, reduce (l, &ph_op_ReduceSum, ph_convert_cast (l, at, PH_INT64), 1, FALSE), ph_convert_dtype (x));
  return TRUE;
}

/* Between the two elements next to its place in order. */
static gboolean
quantile (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *order, *place[2], *parts[2];
  PhTensor *given = NULL;
  PhAtenArg q;
  const gboolean flat = !ph_aten_has (l, "dim"), keep = ph_aten_int (l, "keepdim", 0) != 0;
  const char *how = ph_node_attr_string (l->node, "interpolation", "linear");
  g_autofree float *lower = NULL, *share = NULL;
  g_autofree gint64 *at = NULL; /* the lower neighbours, then the upper ones */
  guint n = 1;
  gboolean alone;
  int axis;
  gint64 size;

  if (x == NULL || !ph_aten_arg (l, 1, "q", &q))
    return ph_convert_stay (l, "its operands are not known");
  given = q.value != NULL ? ph_value_constant (q.value) : NULL;
  if ((q.value != NULL && (given == NULL || ph_tensor_rank (given) > 1)) || strcmp (how, "linear") != 0)
    return ph_convert_stay (l, "its q is not known, or it does not interpolate");
  alone = given == NULL || ph_tensor_rank (given) == 0;
  n = given != NULL ? (guint) ph_tensor_count (given) : 1;
  if (flat && !keep)
    x = vector (l, x);
  axis = flat && !keep ? 0 : flat ? -1 : ph_aten_axis (l, x, ph_aten_int (l, "dim", 0));
  size = axis >= 0 ? ph_value_dim (x, axis) : -1;
  if (size < 1 || n < 1)
    return ph_convert_stay (l, "the size of its dimension is not known");
  share = g_new (float, n);
  at = g_new (gint64, 2 * (gsize) n);
  for (guint i = 0; i < n; i++)
    {
      const double where = CLAMP (given != NULL ? ph_tensor_get (given, i) : q.number, 0, 1) * (double) (size - 1);

      at[i] = (gint64) floor (where);
      at[n + i] = (gint64) ceil (where);
      share[i] = (float) (where - floor (where));
    }
  order = sorted (l, turned (l, x, axis, FALSE), -1, size);
  for (guint k = 0; order != NULL && k < 2; k++)
    {
      place[k] = ph_convert_ints_value (l, at + (gsize) k * n, n);
      parts[k] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)), order, place[k]);
    }
  if (order == NULL)
    return FALSE;
  parts[1] = PH_BUILD (l->b, Sub, parts[1], parts[0]);
  order = PH_BUILD (
      l->b, Add, parts[0],
      PH_BUILD (l->b, Mul, parts[1],
                ph_convert_cast (l, ph_build_tensor (l->b, ph_tensor_new_floats (share, n)), ph_convert_dtype (x))));
  if (keep)
    order = unsqueeze (l, order, axis); /* before the quantiles, which are last now */
  if (alone)
    {
      const gint64 last = -1;

      out[0] = PH_BUILD (l->b, Squeeze, order, ph_convert_ints_value (l, &last, 1));
    }
  else
    out[0] = turned (l, order, 0, TRUE);
  return out[0] != NULL;
}

/* ── neighbours ── */

static gboolean
differences (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const gint64 axis = ph_aten_int (l, "dim", -1), times = ph_aten_int (l, "n", 1);

  if (x == NULL || l->stays != NULL || ph_aten_n_tensors (l) > 1 || times < 0 || times > 64)
    return ph_convert_stay (l, "it prepends or appends something");
  for (gint64 i = 0; i < times && x != NULL; i++)
    {
      PhValue *next = ph_aten_slice (l, x, axis, 1, G_MAXINT64), *before = ph_aten_slice (l, x, axis, 0, -1);

      x = ph_value_dtype (x) == PH_BOOL ? PH_BUILD (l->b, Xor, next, before) : PH_BUILD (l->b, Sub, next, before);
    }
  out[0] = x;
  return TRUE;
}

/* The area below the line from point to point. */
static gboolean
trapezoids (PhConvert *l, PhValue **out)
{
  PhValue *y = ph_aten_float (l), *x = ph_aten_tensor (l, 1), *width;
  const gint64 axis = ph_aten_int (l, "dim", -1);

  if (y == NULL || l->stays != NULL || (x != NULL && ph_value_rank (x) == 0))
    return ph_convert_stay (l, "its operands are not known");
  if (x != NULL && ph_value_rank (x) == 1 && axis != -1)
    return ph_convert_stay (l, "the places are along another dimension than the last");
  width = x != NULL ? PH_BUILD (l->b, Sub, ph_aten_slice (l, x, axis, 1, G_MAXINT64), ph_aten_slice (l, x, axis, 0, -1))
                    : ph_convert_like (l, y, ph_aten_number (l, "dx", 1));
  y = PH_BUILD (l->b, Add, ph_aten_slice (l, y, axis, 1, G_MAXINT64), ph_aten_slice (l, y, axis, 0, -1));
  out[0] = reduce (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Mul, y, ph_convert_like (l, y, 0.5)), width), axis,
                   FALSE);
  return TRUE;
}

/* By one index for each element along a dimension. */
static gboolean
take_along (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *index = ph_aten_tensor (l, 1);
  const gboolean flat = !ph_aten_has (l, "dim");
  int axis = 0;

  if (x == NULL || index == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  if (flat)
    {
      x = vector (l, x);
      index = vector (l, index);
    }
  else if ((axis = ph_aten_axis (l, x, ph_aten_int (l, "dim", 0))) < 0)
    return FALSE;
  if (ph_value_rank (index) != ph_value_rank (x))
    return ph_convert_stay (l, "its indices do not have as many dimensions as its operand");
  for (int i = 0; i < ph_value_rank (x); i++)
    if (i != axis && (ph_value_dim (x, i) != ph_value_dim (index, i) || ph_value_dim (x, i) < 0))
      return ph_convert_stay (l, "its operands are broadcast, or their sizes are not known");
  out[0] = PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
  return TRUE;
}

/* The halves of each dimension change places. */
static gboolean
shifted (PhConvert *l, PhValue **out)
{
  const gboolean back = g_str_has_suffix (ph_aten_name (l), "ifftshift");
  PhValue *x = ph_aten_operand (l);
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (x == NULL || ph_value_rank (x) < 1)
    return ph_convert_stay (l, "the rank of its operand is not known");
  if (!ph_aten_ints (l, "dim", axes, &n))
    for (n = 0; n < (guint) ph_value_rank (x); n++)
      axes[n] = n;
  for (guint i = 0; i < n; i++)
    {
      const int axis = ph_aten_axis (l, x, axes[i]);
      const gint64 size = axis >= 0 ? ph_value_dim (x, axis) : -1, at = back ? size / 2 : size - size / 2;

      if (size < 0)
        return ph_convert_stay (l, "the size of its dimension is not known");
      if (size > 1)
        x = ph_aten_concat (l, (PhValue *[]) { ph_aten_slice (l, x, axis, at, G_MAXINT64), ph_aten_slice (l, x, axis, 0, at) }, 2,
                            axis);
    }
  out[0] = x;
  return TRUE;
}

static const char each[] = "Each element is compared with each other one.";
static const char composed[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
const PhConvertRule ph_convert_aten_order[] = {
  { "aten:_unique2", unique, "Unique", "Both give the distinct elements in order, and where they were." }, { "aten:_unique", unique, "Unique", "Both give the distinct elements in order, and where they were." },
  { "aten:unique_dim", unique, "Unique", "Both give the distinct parts in order, and where they were." }, { "aten:unique_consecutive", runs, "Compress where an element differs from the one before", composed },
  { "aten:mode", mode, "ReduceSum of Equal", each }, { "aten:cummax", running, "ReduceMax of the elements so far", each }, { "aten:cummin", running, "ReduceMin of the elements so far", each },
  { "aten:histc", histogram, "ReduceSum of Equal", "Each element is compared with the number of each bin." }, { "aten:quantile", quantile, "TopK, and between its neighbours", "The elements are sorted, and the quantile lies between two of them." },
  { "aten:diff", differences, "Sub of Slices", composed }, { "aten:trapz", trapezoids, "ReduceSum of Adds of Slices", composed }, { "aten:trapezoid", trapezoids, "ReduceSum of Adds of Slices", composed },
  { "aten:fft_fftshift", shifted, "Concat of the halves", composed }, { "aten:fft_ifftshift", shifted, "Concat of the halves", composed },
  { "aten:take_along_dim", take_along, "GatherElements", "Both take one element for each index." },
  { NULL }
};
/* clang-format on */
