/* convert-reduce.c: reductions, windows and sorts of StableHLO, HLO and jaxpr in ONNX's operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <math.h>
#include <string.h>

static PhGraph *
body_of (PhConvert *l, const char *name)
{
  PhGraph *body = ph_node_graph (l->node, name);

  return body != NULL ? body : l->node->graphs != NULL && l->node->graphs->len > 0 ? l->node->graphs->pdata[0] : NULL;
}

/* Returns the reduction that corresponds to a binary operator. */
static const PhOp *
reduction_of (const PhOp *op, PhDType dtype)
{
  if (dtype == PH_BOOL)
    return op == &ph_op_And ? &ph_op_ReduceMin : op == &ph_op_Or ? &ph_op_ReduceMax : NULL;
  return op == &ph_op_Add   ? &ph_op_ReduceSum
         : op == &ph_op_Mul ? &ph_op_ReduceProd
         : op == &ph_op_Max ? &ph_op_ReduceMax
         : op == &ph_op_Min ? &ph_op_ReduceMin
                            : NULL;
}

static gboolean
reduces (PhDType dtype)
{
  return dtype == PH_FLOAT || dtype == PH_DOUBLE || dtype == PH_FLOAT16 || dtype == PH_BFLOAT16 || dtype == PH_INT32
         || dtype == PH_INT64 || dtype == PH_UINT32 || dtype == PH_UINT64;
}

/* Returns TRUE if @init is the neutral element of @op. */
static gboolean
is_neutral (const PhOp *op, PhValue *init)
{
  double number;

  if (!ph_value_number (init, &number))
    return FALSE;
  if (ph_convert_dtype (init) == PH_BOOL)
    return number == (op == &ph_op_And);
  return (op == &ph_op_Add && number == 0) || (op == &ph_op_Mul && number == 1)
         || (ph_value_is_float (init) && ((op == &ph_op_Max && number == -HUGE_VAL) || (op == &ph_op_Min && number == HUGE_VAL)));
}

/* Returns TRUE if @axes of @value are known to have no element. */
static gboolean
is_nothing (const PhValue *value, const gint64 *axes, gsize n)
{
  for (gsize i = 0; value->type != NULL && i < n; i++)
    if (axes[i] < value->type->rank && value->type->dims[axes[i]].size == 0)
      return TRUE;
  return FALSE;
}

/* What the reduction of nothing is: @init for each element of the result. (nullable) */
static PhValue *
start_of (PhConvert *l, PhValue *value, PhValue *init, const gint64 *axes, gsize n)
{
  gint64 all[PH_MAX_RANK], dims[PH_MAX_RANK];
  guint m = 0;

  if (!ph_convert_dims (l, value, all))
    return NULL;
  for (guint i = 0; i < ph_convert_rank (value); i++)
    if (!ph_convert_has_axis (axes, n, i))
      dims[m++] = all[i];
  return ph_convert_expand (l, init, dims, m);
}

/* Reduces @axes of one operand by one operator. Returns NULL if ONNX has no such reduction. */
static PhValue *
reduce_by (PhConvert *l, const PhOp *op, PhValue *value, PhValue *init, const gint64 *axes, gsize n)
{
  const PhDType dtype = ph_convert_dtype (value);
  const PhOp *reduction = reduction_of (op, dtype);
  PhDType work = reduces (dtype)               ? dtype
                 : dtype == PH_BOOL            ? PH_UINT8 /* of nothing ReduceMax is 0 then, and ReduceMin is not */
                 : ph_dtype_is_integer (dtype) ? PH_INT32
                                               : PH_UNDEFINED;
  PhValue *values[2], *result;

  if (reduction == NULL || work == PH_UNDEFINED)
    return NULL;
  if (is_nothing (value, axes, n))
    return start_of (l, value, init, axes, n);
  values[0] = ph_convert_cast (l, value, work);
  values[1] = ph_convert_ints_value (l, axes, n);
  result = n == 0 ? values[0] : ph_build_node (l->b, reduction, values, 2, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
  result = ph_convert_cast (l, result, dtype);
  return is_neutral (op, init) ? result : ph_build_node (l->b, op, (PhValue *[]) { result, init }, 2, NULL, 1);
}

/* Brings @axes to the front, as one dimension. Of one axis the other sizes may be open. */
static PhValue *
to_front (PhConvert *l, PhValue *value, const gint64 *axes, gsize n, gint64 *count)
{
  const guint rank = ph_convert_rank (value);
  gint64 perm[PH_MAX_RANK], dims[PH_MAX_RANK + 1], all[PH_MAX_RANK];
  const gboolean open = n == 1 && axes[0] >= 0 && axes[0] < rank && ph_value_dim (value, (int) axes[0]) > 0;
  guint m = 0, k = 1;

  if ((!open && !ph_convert_dims (l, value, all)) || !ph_convert_are_axes (axes, n, NULL, 0, rank))
    return NULL;
  *count = 1;
  for (gsize i = 0; i < n; i++)
    {
      perm[m++] = axes[i];
      *count *= ph_value_dim (value, (int) axes[i]);
    }
  for (guint i = 0; i < rank; i++)
    {
      if (ph_convert_has_axis (axes, n, i))
        continue;
      perm[m++] = i;
      dims[k++] = ph_value_dim (value, (int) i);
    }
  dims[0] = *count;
  if (m != rank)
    return NULL;
  value = ph_convert_transpose (l, value, perm, rank);
  return open ? value : ph_convert_reshape (l, value, dims, k);
}

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  PhGraph *body = body_of (l, "reducer");
  const PhOp *op = ph_convert_monoid (body);
  const guint n = l->n_in / 2;
  gsize n_axes;
  const gint64 *axes = ph_convert_ints (l, "dimensions", &n_axes);
  g_autofree PhValue **fronts = g_new0 (PhValue *, n + 1);
  gint64 count = 1;

  if (n == 0 || body == NULL || l->n_out != n)
    return ph_convert_stay (l, "it has no body");
  for (gsize i = 0; i < n_axes; i++)
    if (axes[i] < 0 || axes[i] >= ph_convert_rank (l->in[0]))
      return ph_convert_stay (l, "one of its dimensions is outside its operand");
  if (n == 1 && op != NULL && (*out = reduce_by (l, op, l->in[0], l->in[1], axes, n_axes)) != NULL)
    return TRUE;
  for (guint i = 0; i < n; i++)
    if ((fronts[i] = to_front (l, l->in[i], axes, n_axes, &count)) == NULL)
      return FALSE;
  return ph_convert_fold (l, body, fronts, l->in + n, n, count, out);
}

/* ── windows ── */

typedef struct
{
  gint64 size[PH_MAX_RANK], stride[PH_MAX_RANK], base[PH_MAX_RANK], dilation[PH_MAX_RANK], low[PH_MAX_RANK], high[PH_MAX_RANK];
  guint rank;
} Window;

static gboolean
window_of (PhConvert *l, guint rank, Window *w)
{
  gsize n, m;
  const gint64 *values = ph_convert_ints (l, "window_dimensions", &n);

  if (n != rank)
    return ph_convert_stay (l, "its window does not fit its operand");
  for (guint i = 0; i < rank; i++)
    w->size[i] = values[i];
  w->rank = rank;
  values = ph_convert_ints (l, "window_strides", &m);
  for (guint i = 0; i < rank; i++)
    w->stride[i] = m == n ? values[i] : 1;
  values = ph_convert_ints (l, "base_dilations", &m);
  for (guint i = 0; i < rank; i++)
    w->base[i] = m == n ? values[i] : 1;
  values = ph_convert_ints (l, "window_dilations", &m);
  for (guint i = 0; i < rank; i++)
    w->dilation[i] = m == n ? values[i] : 1;
  values = ph_convert_ints (l, "padding", &m);
  for (guint i = 0; i < rank; i++)
    {
      w->low[i] = m == 2 * n ? values[2 * i] : 0;
      w->high[i] = m == 2 * n ? values[2 * i + 1] : 0;
      if (w->stride[i] < 1 || w->base[i] < 1 || w->dilation[i] < 1 || w->size[i] < 1)
        return ph_convert_stay (l, "its window is not valid");
    }
  return TRUE;
}

static gint64
n_windows (const Window *w, guint axis, gint64 size)
{
  const gint64 reach = (w->size[axis] - 1) * w->dilation[axis] + 1;

  return size < reach ? 0 : (size - reach) / w->stride[axis] + 1;
}

/* [a, b] becomes [window elements, a', b']: each window's elements along the first dimension. @value is padded. */
static PhValue *
windows_of (PhConvert *l, PhValue *value, const Window *w, gint64 *dims, gint64 *count)
{
  gint64 perm[2 * PH_MAX_RANK], shape[PH_MAX_RANK + 1], all[PH_MAX_RANK];
  guint place_of[PH_MAX_RANK], window_place[PH_MAX_RANK], at = 0, n = 0;

  if (2 * w->rank > PH_MAX_RANK || !ph_convert_dims (l, value, all))
    return NULL;
  *count = 1;
  for (guint i = 0; i < w->rank; i++)
    {
      const gint64 made = n_windows (w, i, all[i]);
      gint64 two[2] = { made, w->size[i] };
      PhTensor *tensor;
      gint64 *data;

      dims[i] = made;
      *count *= w->size[i];
      place_of[i] = at++;
      window_place[i] = G_MAXUINT;
      if (w->size[i] == 1 && w->stride[i] == 1)
        continue;
      tensor = ph_tensor_new (PH_INT64, 2, two);
      if (tensor == NULL)
        return ph_build_tensor (l->b, NULL);
      data = ph_tensor_writable (tensor);
      for (gint64 o = 0; o < made; o++)
        for (gint64 k = 0; k < w->size[i]; k++)
          data[o * w->size[i] + k] = o * w->stride[i] + k * w->dilation[i];
      value = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", place_of[i])), value,
                             ph_build_tensor (l->b, tensor));
      window_place[i] = at++;
    }
  for (guint i = 0; i < w->rank; i++)
    if (window_place[i] != G_MAXUINT)
      perm[n++] = window_place[i];
  for (guint i = 0; i < w->rank; i++)
    perm[n++] = place_of[i];
  shape[0] = *count;
  memcpy (shape + 1, dims, w->rank * sizeof *dims);
  return ph_convert_reshape (l, ph_convert_transpose (l, value, perm, n), shape, w->rank + 1);
}

/* Converts a window over all preceding elements to CumSum or CumProd. */
static PhValue *
cumulative (PhConvert *l, const PhOp *op, const Window *w)
{
  gint64 dims[PH_MAX_RANK];
  int axis = -1;
  gboolean back = FALSE;

  if ((op != &ph_op_Add && op != &ph_op_Mul) || !reduces (ph_convert_dtype (l->in[0])) || !is_neutral (op, l->in[1])
      || !ph_convert_dims (l, l->in[0], dims))
    return NULL;
  for (guint i = 0; i < w->rank; i++)
    {
      if (w->stride[i] != 1 || w->base[i] != 1 || w->dilation[i] != 1)
        return NULL;
      if (w->size[i] == 1 && w->low[i] == 0 && w->high[i] == 0)
        continue;
      if (axis >= 0 || w->size[i] != dims[i] || w->low[i] + w->high[i] != dims[i] - 1 || (w->low[i] != 0 && w->high[i] != 0))
        return NULL;
      axis = (int) i;
      back = w->low[i] == 0 && w->high[i] != 0;
    }
  if (axis < 0)
    return NULL;
  if (op == &ph_op_Add)
    return PH_BUILD_WITH (l->b, CumSum, PH_ATTRS (ph_attr_new_int ("reverse", back)), l->in[0],
                          ph_convert_number (l, PH_INT64, axis));
  return PH_BUILD_WITH (l->b, CumProd, PH_ATTRS (ph_attr_new_int ("reverse", back)), l->in[0],
                        ph_convert_number (l, PH_INT64, axis));
}

#define MOST_SPATIAL 3

/* What ONNX's pools have of a window: its spatial dimensions, behind the others. */
typedef struct
{
  gint64 kernel[MOST_SPATIAL], strides[MOST_SPATIAL], dilations[MOST_SPATIAL], pads[2 * MOST_SPATIAL];
  gint64 perm[PH_MAX_RANK], back[PH_MAX_RANK], count; /* elements of a window */
  guint n, n_others;
  gboolean is_dilated;
} Pool;

/* FALSE: a pool has no such window. */
static gboolean
pool_of (const Window *w, Pool *p)
{
  guint spatial[MOST_SPATIAL];

  *p = (Pool) { .count = 1 };
  for (guint i = 0; i < w->rank; i++)
    if (w->size[i] == 1 && w->stride[i] == 1 && w->low[i] == 0 && w->high[i] == 0 && w->base[i] == 1)
      p->perm[p->n_others++] = i;
    else if (p->n == MOST_SPATIAL || w->base[i] != 1 || w->low[i] < 0 || w->high[i] < 0 || w->low[i] >= w->size[i]
             || w->high[i] >= w->size[i])
      return FALSE;
    else
      spatial[p->n++] = i;
  for (guint k = 0; k < p->n; k++)
    {
      const guint i = spatial[k];

      p->perm[p->n_others + k] = i;
      p->kernel[k] = w->size[i];
      p->count *= w->size[i];
      p->strides[k] = w->stride[i];
      p->dilations[k] = w->dilation[i];
      p->is_dilated = p->is_dilated || w->dilation[i] != 1;
      p->pads[k] = w->low[i];
      p->pads[p->n + k] = w->high[i];
    }
  for (guint i = 0; i < w->rank; i++)
    p->back[p->perm[i]] = i;
  return p->n > 0 && p->n_others <= 2;
}

/* Converts a maximum, minimum or sum over windows to a pool, which needs no sizes. A sum is the average times the elements of a window. */
static PhValue *
pool (PhConvert *l, const PhOp *op, const Window *w)
{
  static const gint64 front[] = { 0, 1 };
  const PhDType dtype = ph_convert_dtype (l->in[0]);
  const gboolean sum = op == &ph_op_Add, least = op == &ph_op_Min;
  PhValue *x, *missing;
  Pool p;

  if ((op != &ph_op_Max && !least && !sum) || (dtype != PH_FLOAT && dtype != PH_DOUBLE) || !is_neutral (op, l->in[1])
      || !pool_of (w, &p) || (sum && p.is_dilated))
    return NULL;
  x = ph_convert_transpose (l, l->in[0], p.perm, w->rank);
  missing = p.n_others < 2 ? ph_convert_ints_value (l, front, 2 - p.n_others) : NULL; /* a batch and features */
  x = missing != NULL ? PH_BUILD (l->b, Unsqueeze, x, missing) : x;
  x = least ? PH_BUILD (l->b, Neg, x) : x;
  x = sum ? PH_BUILD_WITH (l->b, AveragePool,
                           PH_ATTRS (ph_attr_new_ints ("kernel_shape", p.kernel, p.n),
                                     ph_attr_new_ints ("strides", p.strides, p.n), ph_attr_new_ints ("pads", p.pads, 2 * p.n),
                                     ph_attr_new_int ("count_include_pad", 1)),
                           x)
          : PH_BUILD_WITH (
              l->b, MaxPool,
              PH_ATTRS (ph_attr_new_ints ("kernel_shape", p.kernel, p.n), ph_attr_new_ints ("strides", p.strides, p.n),
                        ph_attr_new_ints ("dilations", p.dilations, p.n), ph_attr_new_ints ("pads", p.pads, 2 * p.n)),
              x);
  x = sum ? PH_BUILD (l->b, Mul, x, ph_convert_number (l, dtype, (double) p.count)) : least ? PH_BUILD (l->b, Neg, x) : x;
  x = missing != NULL ? PH_BUILD (l->b, Squeeze, x, missing) : x;
  return x != NULL ? ph_convert_transpose (l, x, p.back, w->rank) : NULL;
}

static PhValue *
padded (PhConvert *l, PhValue *value, PhValue *number, const Window *w)
{
  gint64 interior[PH_MAX_RANK];

  for (guint i = 0; i < w->rank; i++)
    interior[i] = w->base[i] - 1;
  return ph_convert_pad (l, value, number, w->low, w->high, interior, w->rank);
}

static gboolean
reduce_window (PhConvert *l, PhValue **out)
{
  PhGraph *body = body_of (l, "reducer");
  const PhOp *op = ph_convert_monoid (body);
  const guint n = l->n_in / 2;
  g_autofree PhValue **windows = g_new0 (PhValue *, n + 1);
  gint64 dims[PH_MAX_RANK], count = 1;
  Window w;

  if (n == 0 || body == NULL || l->n_out != n || !window_of (l, ph_convert_rank (l->in[0]), &w))
    return ph_convert_stay (l, "it has no body");
  if (w.rank == 0)
    return ph_convert_stay (l, "a scalar has no windows");
  if (n == 1 && op != NULL && ((*out = cumulative (l, op, &w)) != NULL || (*out = pool (l, op, &w)) != NULL))
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      PhValue *value = padded (l, l->in[i], l->in[n + i], &w);

      windows[i] = value != NULL ? windows_of (l, value, &w, dims, &count) : NULL;
      if (windows[i] == NULL)
        return ph_convert_stay (l, "its windows could not be gathered");
    }
  if (n == 1 && op != NULL && (*out = reduce_by (l, op, windows[0], l->in[1], (const gint64[]) { 0 }, 1)) != NULL)
    return TRUE;
  return ph_convert_fold (l, body, windows, l->in + n, n, count, out);
}

/* Returns the lower bound of the type, or with @below FALSE its upper bound. */
static double
least_of (PhDType dtype, gboolean below)
{
  const guint bits = 8 * (guint) ph_dtype_size (dtype);
  const gboolean is_unsigned = dtype == PH_UINT8 || dtype == PH_UINT16 || dtype == PH_UINT32 || dtype == PH_UINT64;

  if (ph_dtype_is_float (dtype))
    return below ? -HUGE_VAL : HUGE_VAL;
  if (below)
    return is_unsigned ? 0 : -ldexp (1, (int) bits - 1);
  return ldexp (1, (int) bits - (is_unsigned ? 0 : 1)) - 1;
}

/* Finds each window's element selected by GE or LE, the first of equal ones, as an index into the flat operand. */
static gboolean
select_and_scatter (PhConvert *l, PhValue **out)
{
  PhGraph *select = ph_node_graph (l->node, "select"), *scatter = ph_node_graph (l->node, "scatter");
  const PhOp *chosen = ph_convert_monoid (select), *combine = ph_convert_monoid (scatter);
  gint64 dims[PH_MAX_RANK], made[PH_MAX_RANK], count = 1, total = 1;
  const gint64 flat = -1, one_axis = 0;
  const char *reduction;
  Window w;
  PhValue *x, *places, *windows, *place_windows, *best, *target, *worst;
  const PhDType dtype = ph_convert_dtype (l->in[0]);
  gboolean greatest;
  PhTensor *tensor;

  if (l->n_in != 3 || !window_of (l, ph_convert_rank (l->in[0]), &w) || !ph_convert_dims (l, l->in[0], dims))
    return FALSE;
  greatest = chosen == &ph_op_GreaterOrEqual || chosen == &ph_op_Greater;
  reduction = combine == &ph_op_Add   ? "add"
              : combine == &ph_op_Mul ? "mul"
              : combine == &ph_op_Max ? "max"
              : combine == &ph_op_Min ? "min"
                                      : NULL;
  if ((!greatest && chosen != &ph_op_LessOrEqual && chosen != &ph_op_Less) || reduction == NULL)
    return ph_convert_stay (l, "its bodies do more than compare and combine two numbers");
  if (select->first->inputs->pdata[0] != select->inputs->pdata[0])
    greatest = !greatest;
  for (guint i = 0; i < w.rank; i++)
    {
      total *= dims[i];
      w.base[i] = w.dilation[i] = 1;
    }
  tensor = ph_tensor_new (PH_INT64, w.rank, dims);
  for (gint64 i = 0; tensor != NULL && i < total; i++)
    ((gint64 *) ph_tensor_writable (tensor))[i] = i;
  places = ph_build_tensor (l->b, tensor);
  if (!greatest && (dtype == PH_INT64 || dtype == PH_UINT64))
    return ph_convert_stay (l, "it would pad with the largest 64-bit integer, which is not exact here");
  worst = ph_convert_like (l, l->in[0], least_of (dtype, greatest));
  x = padded (l, l->in[0], worst, &w);
  places = padded (l, places, ph_convert_number (l, PH_INT64, (double) total), &w);
  windows = x != NULL ? windows_of (l, x, &w, made, &count) : NULL;
  place_windows = places != NULL ? windows_of (l, places, &w, made, &count) : NULL;
  if (windows == NULL || place_windows == NULL)
    return FALSE;
  best = greatest
             ? PH_BUILD_WITH (l->b, ArgMax, PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_int ("keepdims", 1)), windows)
             : PH_BUILD_WITH (l->b, ArgMin, PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_int ("keepdims", 1)), windows);
  best = PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", one_axis)), place_windows, best);
  total++; /* padding is written past the end, which is sliced off */
  target = ph_convert_expand (l, l->in[2], &total, 1);
  target = PH_BUILD_WITH (l->b, ScatterElements,
                          PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_string ("reduction", reduction)), target,
                          ph_convert_reshape (l, best, &flat, 1), ph_convert_reshape (l, l->in[1], &flat, 1));
  total--;
  target = ph_convert_slice (l, target, &one_axis, &total, NULL, 1);
  *out = ph_convert_reshape (l, target, dims, w.rank);
  return TRUE;
}

/* ── sort ── */

/* The rank of an element is the number of elements before it: smaller by the comparator, or equal and earlier. All pairs are compared at
 * once, which works with any comparator and is stable. */
static gboolean
sort (PhConvert *l, PhValue **out)
{
  PhGraph *body = body_of (l, "comparator");
  const guint rank = ph_convert_rank (l->in[0]);
  gint64 axis = ph_convert_int (l, "dimension", (gint64) rank - 1), dims[PH_MAX_RANK], perm[PH_MAX_RANK], back[PH_MAX_RANK], n;
  g_autofree PhValue **moved = g_new0 (PhValue *, l->n_in + 1), **pairs = g_new0 (PhValue *, 2 * l->n_in + 1),
                     **swapped = g_new0 (PhValue *, 2 * l->n_in + 1);
  PhValue *less, *greater, *before, *ranks, *order, *i, *j;
  const gint64 minus_one = -1, minus_two = -2;

  if (axis < 0)
    axis += rank;
  if (body == NULL || body->inputs->len != 2 * l->n_in || body->outputs->len != 1 || rank == 0 || axis < 0 || axis >= rank
      || l->n_out != l->n_in)
    return ph_convert_stay (l, "its comparator does not fit its operands");
  if (!ph_convert_dims (l, l->in[0], dims))
    return FALSE;
  n = dims[axis];
  if (n > 4096)
    return ph_convert_stay (l, "comparing all pairs of %" G_GINT64_FORMAT " elements takes too much memory", n);
  for (guint k = 0; k < rank; k++)
    perm[k] = back[k] = k;
  perm[axis] = rank - 1;
  perm[rank - 1] = axis;
  back[axis] = rank - 1;
  back[rank - 1] = axis;
  for (guint k = 0; k < l->n_in; k++)
    {
      PhValue *a, *b;

      moved[k] = ph_convert_transpose (l, l->in[k], perm, rank);
      a = PH_BUILD (l->b, Unsqueeze, moved[k], ph_convert_ints_value (l, &minus_two, 1)); /* [.., 1, j] */
      b = PH_BUILD (l->b, Unsqueeze, moved[k], ph_convert_ints_value (l, &minus_one, 1)); /* [.., i, 1] */
      swapped[2 * k] = pairs[2 * k + 1] = b;
      swapped[2 * k + 1] = pairs[2 * k] = a;
    }
  if (!ph_convert_vectorise (l, body, pairs, &less) || !ph_convert_vectorise (l, body, swapped, &greater))
    return FALSE;
  j = ph_convert_iota (l, n, 1, 2);
  i = ph_convert_iota (l, n, 0, 2);
  before = PH_BUILD (l->b, Or, less, PH_BUILD (l->b, And, PH_BUILD (l->b, Not, greater), PH_BUILD (l->b, Less, j, i)));
  ranks = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, before, PH_INT64),
                         ph_convert_ints_value (l, &minus_one, 1));
  {
    gint64 all[PH_MAX_RANK];

    for (guint k = 0; k < rank; k++)
      all[k] = dims[perm[k]];
    ranks = ph_convert_expand (l, ranks, all, rank);
    order = ph_convert_expand (l, ph_convert_iota (l, n, rank - 1, rank), all, rank);
    order = PH_BUILD_WITH (l->b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", -1)), order, ranks, order);
  }
  for (guint k = 0; k < l->n_in; k++)
    out[k] = ph_convert_transpose (
        l, PH_BUILD_WITH (l->b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", -1)), moved[k], order), back, rank);
  return TRUE;
}

static gboolean
top_k (PhConvert *l, PhValue **out)
{
  const gint64 k = ph_convert_int (l, "k", -1);
  const PhType *type = l->n_out == 2 ? ph_convert_type (l, 1) : NULL;
  const PhDType dtype = ph_convert_dtype (l->in[0]);
  PhValue *x = dtype == PH_BOOL ? ph_convert_cast (l, l->in[0], PH_UINT8) : l->in[0], *values;

  if (k < 0 || l->n_out != 2)
    return ph_convert_stay (l, "the number of elements that it takes is not known");
  values = ph_build_node (l->b, &ph_op_TopK, (PhValue *[]) { x, ph_convert_ints_value (l, &k, 1) }, 2,
                          PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("largest", 1), ph_attr_new_int ("sorted", 1)),
                          2);
  if (values == NULL)
    return FALSE;
  out[0] = ph_convert_cast (l, values, dtype);
  out[1] = ph_convert_cast (l, ph_node_output (values->producer, 1), type != NULL ? type->dtype : PH_INT32);
  return TRUE;
}

static gboolean
map (PhConvert *l, PhValue **out)
{
  PhGraph *body = body_of (l, "computation");

  return body != NULL && body->inputs->len == l->n_in && body->outputs->len == l->n_out
             ? ph_convert_vectorise (l, body, l->in, out)
             : ph_convert_stay (l, "its body does not fit its operands");
}

/* clang-format off */
const PhConvertRule ph_convert_reduce[] = {
  { "reduce", reduce, "ReduceSum, ReduceMax, ... or a Loop of the body", "ONNX has reductions for the usual operators; a Loop computes any other." },
  { "reduce_window", reduce_window, "CumSum, MaxPool, AveragePool, or a Gather of the windows and a reduction", "ONNX has no general operator on windows." },
  { "select_and_scatter", select_and_scatter, "ArgMax of the windows, ScatterElements", "The index of the selected element is computed, and the source is scattered there." },
  { "sort", sort, "ranks by comparing all pairs, GatherElements", "The comparator is a body that can define any order, so ranks are counted." },
  { "top_k", top_k, "its TopK", "Both return the largest elements along the last dimension." },
  { "map", map, "the body on whole tensors", "A body of elementwise operators can compute all elements at once." },
  { NULL }
};
/* clang-format on */
