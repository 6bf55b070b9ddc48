/* reductions.c: sums and extrema of floats over adjacent axes, and normalizations made of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"

/* The shape of a reduction: @n elements at a distance of @inner for each of @outer x @inner results. */
typedef struct
{
  gsize outer, n, inner;
  guint first;     /* of the axes that go                                     */
  gboolean is_cut; /* the result has no axis for the batch or for the channels */
  guint rank;
  gint64 dims[PH_MAX_RANK]; /* of the result */
} Shape;

static gpointer
prepare_reduce (PhKernel *kernel)
{
  return ph_dnnl_is_float (ph_kernel_input (kernel, 0)) ? PH_PREPARED : ph_kernel_refuse (kernel, PH_NOT_FLOAT);
}

/* Returns FALSE if the reduced axes are not adjacent, or if the arguments are wrong, which the reference kernel reports. */
static gboolean
find_shape (PhKernel *kernel, Shape *shape)
{
  PhTensor *x = kernel->inputs[0];
  const guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean keep = ph_node_attr_int (kernel->node, "keepdims", 1) != 0;
  gsize n = 0;
  g_autofree gint64 *axes = ph_kernel_ints (kernel, 1, &n);
  guint normal[PH_MAX_RANK], first = rank, end = 0;
  guint64 mask = rank >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << rank) - 1;

  if (n == 0 ? ph_node_attr_int (kernel->node, "noop_with_empty_axes", 0) != 0 : !ph_axes (axes, n, rank, normal, &mask))
    return FALSE;
  *shape = (Shape) { .outer = 1, .n = 1, .inner = 1, .first = rank };
  for (guint i = 0; i < rank; i++)
    {
      const gboolean goes = (mask >> i & 1) != 0;

      if (goes && dims[i] != 1)
        {
          first = shape->first = MIN (first, i);
          end = i + 1;
        }
      if (!goes || keep)
        shape->dims[shape->rank++] = goes ? 1 : dims[i];
      else
        shape->is_cut = shape->is_cut || i < 2;
    }
  for (guint i = 0; i < rank; i++)
    {
      if (i > first && i < end && dims[i] != 1 && (mask >> i & 1) == 0)
        return FALSE;
      *(i < first ? &shape->outer : i < end ? &shape->n : &shape->inner) *= (gsize) dims[i];
    }
  return TRUE;
}

static PhLaneTotal
total_of (const PhOp *op)
{
  return op == &ph_op_ReduceL1                                   ? PH_LANE_ABSOLUTES
         : op == &ph_op_ReduceL2 || op == &ph_op_ReduceSumSquare ? PH_LANE_SQUARES
                                                                 : PH_LANE_SUM;
}

static void
add_up (const PhOp *op, const Shape *shape, const float *in, float *out)
{
  const PhLaneTotal what = total_of (op);
  const double count = op == &ph_op_ReduceMean ? (double) shape->n : 1;
  g_autofree double *sums = g_new (double, shape->inner);

  for (gsize o = 0; o < shape->outer; o++, in += shape->n * shape->inner, out += shape->inner)
    {
      if (shape->inner == 1)
        sums[0] = ph_lanes ()->total (shape->n, in, what);
      else
        {
          memset (sums, 0, shape->inner * sizeof *sums);
          for (gsize k = 0; k < shape->n; k++)
            ph_lanes ()->totals (shape->inner, sums, in + k * shape->inner, what);
        }
      if (op == &ph_op_ReduceL2)
        for (gsize i = 0; i < shape->inner; i++)
          out[i] = (float) sqrt (sums[i]);
      else
        for (gsize i = 0; i < shape->inner; i++)
          out[i] = (float) (sums[i] / count);
    }
}

static void
find_extremes (gboolean least, const Shape *shape, const float *in, float *out)
{
  if (shape->inner == 1)
    {
      ph_lanes ()->extreme_rows (shape->outer, shape->n, out, in, least);
      return;
    }
  for (gsize o = 0; o < shape->outer; o++, in += shape->n * shape->inner, out += shape->inner)
    {
      memcpy (out, in, shape->inner * sizeof *out);
      for (gsize k = 1; k < shape->n; k++)
        ph_lanes ()->extremes (shape->inner, out, in + k * shape->inner, least);
    }
}

/* Finds the shape of a channels-last tensor reduced over pixels alone: each pixel is a row of channels. Returns FALSE if channels or
 * batches are reduced, too. */
static gboolean
find_pixels (const PhTensor *x, Shape *shape)
{
  const gint64 *dims = ph_tensor_dims (x);
  const gsize channels = ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST ? (gsize) dims[1] : 0;

  if (channels == 0 || shape->is_cut || shape->first < 2 || shape->first >= ph_tensor_rank (x))
    return FALSE;
  shape->outer /= channels;
  shape->inner *= channels;
  return TRUE;
}

/* Makes the result; with @last, channels-last if it has pixels. */
static float *
new_result (PhKernel *kernel, const Shape *shape, gboolean last)
{
  PhTensor *y;

  if (!last || shape->rank < 3)
    return ph_kernel_output_unset (kernel, 0, PH_FLOAT, shape->rank, shape->dims, NULL);
  y = ph_tensor_new_packed (shape->rank, shape->dims, PH_MEMORY_CHANNELS_LAST);
  if (y == NULL)
    return NULL;
  ph_kernel_take (kernel, 0, y);
  return ph_tensor_packed (y);
}

/* Finds the shape if all axes but the channels between them are reduced. @batch: the product of the leading axes. */
static gboolean
find_channels (PhKernel *kernel, Shape *shape, gsize *batch)
{
  PhTensor *x = kernel->inputs[0];
  const guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean keep = ph_node_attr_int (kernel->node, "keepdims", 1) != 0;
  guint normal[PH_MAX_RANK], part = 0;
  gsize n = 0, sizes[3] = { 1, 1, 1 };
  g_autofree gint64 *axes = ph_kernel_ints (kernel, 1, &n);
  guint64 mask = 0;

  if (n == 0 || !ph_axes (axes, n, rank, normal, &mask))
    return FALSE;
  *shape = (Shape) { .inner = 1 };
  for (guint i = 0; i < rank; i++)
    {
      const gboolean goes = (mask >> i & 1) != 0;

      if (dims[i] != 1 && goes != (part != 1))
        part++;
      if (part > 2)
        return FALSE;
      sizes[part] *= (gsize) dims[i];
      if (!goes || keep)
        shape->dims[shape->rank++] = goes ? 1 : dims[i];
    }
  *batch = sizes[0];
  shape->outer = sizes[1];
  shape->n = sizes[2];
  return TRUE;
}

static void
add_up_channels (const PhOp *op, const Shape *shape, gsize batch, const float *in, float *out)
{
  const double count = op == &ph_op_ReduceMean ? (double) (batch * shape->n) : 1;
  g_autofree double *sums = g_new0 (double, shape->outer + 1);

  for (gsize b = 0; b < batch; b++)
    for (gsize c = 0; c < shape->outer; c++, in += shape->n)
      sums[c] += ph_lanes ()->total (shape->n, in, total_of (op));
  for (gsize c = 0; c < shape->outer; c++)
    out[c] = (float) (op == &ph_op_ReduceL2 ? sqrt (sums[c]) : sums[c] / count);
}

/* Finds the shape for GlobalMaxPool, which reduces all pixels. */
static void
shape_of_image (const PhTensor *x, Shape *shape)
{
  const gint64 *dims = ph_tensor_dims (x);

  *shape = (Shape) { .outer = 1, .n = 1, .inner = 1, .first = 2, .rank = ph_tensor_rank (x) };
  for (guint i = 0; i < shape->rank; i++)
    {
      *(i < 2 ? &shape->outer : &shape->n) *= (gsize) dims[i];
      shape->dims[i] = i < 2 ? dims[i] : 1;
    }
}

static gboolean
run_reduce (PhKernel *kernel, gpointer prepared)
{
  const PhOp *op = kernel->node->op;
  const gboolean extremes = op == &ph_op_ReduceMax || op == &ph_op_ReduceMin || op == &ph_op_GlobalMaxPool;
  gsize batch = 0; /* 0: the reduced axes are adjacent */
  gboolean last;
  const float *in;
  float *out;
  Shape shape;

  if (op == &ph_op_GlobalMaxPool && ph_tensor_rank (kernel->inputs[0]) > 2)
    shape_of_image (kernel->inputs[0], &shape);
  else if (op == &ph_op_GlobalMaxPool || ph_tensor_count (kernel->inputs[0]) == 0)
    return FALSE;
  else if (!find_shape (kernel, &shape) && (extremes || !find_channels (kernel, &shape, &batch)))
    return FALSE;
  last = batch == 0 && find_pixels (kernel->inputs[0], &shape);
  in = last ? ph_tensor_packed (kernel->inputs[0]) : ph_tensor_data (kernel->inputs[0]);
  out = in != NULL ? new_result (kernel, &shape, last) : NULL;
  if (out == NULL)
    return FALSE;
  if (batch > 0)
    add_up_channels (op, &shape, batch, in, out);
  else if (extremes)
    find_extremes (op == &ph_op_ReduceMin, &shape, in, out);
  else
    add_up (op, &shape, in, out);
  return TRUE;
}

/* ── ArgMax, ArgMin ── */

static gpointer
prepare_arg (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint axis;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), ph_tensor_rank (x), &axis) || ph_tensor_dims (x)[axis] > G_MAXINT32)
    return ph_kernel_refuse (kernel, "no such axis, or it is too long");
  return PH_PREPARED;
}

/* Returns the index of the extreme of @n floats, or of the first NaN. */
static gint64
find_place (const float *x, gsize n, gboolean least, gboolean last)
{
  const float extreme = ph_lanes ()->extreme (n, x, least);
  gsize k = last ? n - 1 : 0;

  if (extreme != extreme)
    for (k = 0; x[k] == x[k];)
      k++;
  else
    while (x[k] != extreme)
      k += last ? -1 : 1;
  return (gint64) k;
}

static gboolean
run_arg (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  const gboolean least = kernel->node->op == &ph_op_ArgMin, last = ph_node_attr_int (kernel->node, "select_last_index", 0) != 0;
  gint64 reduced[PH_MAX_RANK], *out;
  guint axis = 0, n_dims = 0;
  gsize outer, inner, n;
  const float *in;
  g_autofree float *best = NULL;
  g_autofree gint32 *at = NULL;

  ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis);
  for (guint i = 0; i < rank; i++)
    if (i != axis || ph_node_attr_int (kernel->node, "keepdims", 1) != 0)
      reduced[n_dims++] = i != axis ? dims[i] : 1;
  n = (gsize) dims[axis];
  outer = (gsize) ph_dims_product (dims, 0, axis);
  inner = (gsize) ph_dims_product (dims, axis + 1, rank);
  if (ph_tensor_count (x) == 0)
    return FALSE;
  if (ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST && axis == 1) /* the channels of a pixel are adjacent */
    {
      outer *= inner;
      inner = 1;
      in = ph_tensor_packed (x);
    }
  else
    in = ph_tensor_data (x);
  best = g_try_new (float, inner);
  at = g_try_new (gint32, inner);
  out = in != NULL && best != NULL && at != NULL ? ph_kernel_output_unset (kernel, 0, PH_INT64, n_dims, reduced, NULL) : NULL;
  for (gsize o = 0; out != NULL && o < outer; o++, in += n * inner, out += inner)
    {
      if (inner == 1)
        {
          *out = find_place (in, n, least, last);
          continue;
        }
      memcpy (best, in, inner * sizeof *best);
      memset (at, 0, inner * sizeof *at);
      for (gsize k = 1; k < n; k++)
        ph_lanes ()->places (inner, best, at, in + k * inner, (gint32) k, least, last);
      for (gsize i = 0; i < inner; i++)
        out[i] = at[i];
    }
  return out != NULL;
}

/* ── LpNormalization ── */

static gpointer
prepare_lengths (PhKernel *kernel)
{
  const gint64 p = ph_node_attr_int (kernel->node, "p", 2);
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint axis;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  return (p == 1 || p == 2) && ph_axis (ph_node_attr_int (kernel->node, "axis", -1), ph_tensor_rank (x), &axis)
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, "no such axis, or p is neither 1 nor 2");
}

static gboolean
run_lengths (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const PhLaneTotal what = ph_node_attr_int (kernel->node, "p", 2) == 1 ? PH_LANE_ABSOLUTES : PH_LANE_SQUARES;
  const guint rank = ph_tensor_rank (x);
  const float *in = ph_tensor_data (x);
  g_autofree double *lengths = NULL;
  gsize n, inner;
  guint axis = 0;
  float *out;

  ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis);
  n = (gsize) ph_tensor_dims (x)[axis];
  inner = (gsize) ph_dims_product (ph_tensor_dims (x), axis + 1, rank);
  lengths = g_try_new (double, inner);
  out = in != NULL && lengths != NULL ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, rank, ph_tensor_dims (x), NULL) : NULL;
  for (gsize at = 0; out != NULL && at < ph_tensor_count (x); at += n * inner)
    {
      memset (lengths, 0, inner * sizeof *lengths);
      if (inner == 1)
        *lengths = ph_lanes ()->total (n, in + at, what);
      else
        for (gsize k = 0; k < n; k++)
          ph_lanes ()->totals (inner, lengths, in + at + k * inner, what);
      for (gsize i = 0; i < inner; i++)
        lengths[i] = 1 / (what == PH_LANE_SQUARES ? sqrt (lengths[i]) : lengths[i]);
      memcpy (out + at, in + at, n * inner * sizeof *out);
      for (gsize k = 0; k < (inner == 1 ? 1 : n); k++)
        ph_lanes ()->multiply_wide (inner == 1 ? n : inner, out + at + k * inner, lengths, inner > 1);
      for (gsize i = 0; i < inner; i++) /* of a line of zeros, which stays one */
        for (gsize k = 0; k < n && lengths[i] == INFINITY; k++)
          out[at + k * inner + i] = 0;
    }
  return out != NULL;
}

/* ── normalisation of channels ── */

/* Returns the number of groups of channels normalised together, or 0 if the arguments do not fit. */
static gint64
n_groups (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gint64 channels, groups;

  if (!ph_dnnl_is_float (x) || ph_tensor_rank (x) < 3)
    return 0;
  channels = ph_tensor_dims (x)[1];
  groups = kernel->node->op == &ph_op_InstanceNormalization ? channels : ph_node_attr_int (kernel->node, "num_groups", 0);
  for (guint i = 1; i < 3; i++)
    if (!ph_dnnl_is_float (ph_kernel_input (kernel, i)) || ph_tensor_rank (kernel->inputs[i]) != 1
        || ph_tensor_dims (kernel->inputs[i])[0] != channels)
      return 0;
  return groups > 0 && channels % groups == 0 && ph_node_attr_int (kernel->node, "stash_type", PH_FLOAT) == PH_FLOAT ? groups : 0;
}

static gpointer
prepare_channels (PhKernel *kernel)
{
  return n_groups (kernel) > 0 ? PH_PREPARED : ph_kernel_refuse (kernel, "x, scale and bias are not float32 of its channels");
}

static gboolean
run_channels (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const gint64 *dims = ph_tensor_dims (x);
  const gsize groups = (gsize) n_groups (kernel), together = (gsize) dims[1] / groups;
  const gsize pixels = ph_tensor_count (x) / (gsize) (dims[0] * dims[1]), n = together * pixels;
  const float *in = ph_tensor_data (x), *scale = ph_tensor_data (kernel->inputs[1]), *bias = ph_tensor_data (kernel->inputs[2]);
  const float epsilon = ph_node_attr_float (kernel->node, "epsilon", 1e-5f);
  g_autofree float *scales = g_try_new (float, n), *biases = g_try_new (float, n);
  float *out = in != NULL && scale != NULL && bias != NULL && scales != NULL && biases != NULL
                   ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, ph_tensor_rank (x), dims, NULL)
                   : NULL;

  for (gsize g = 0; out != NULL && g < groups; g++)
    {
      for (gsize c = 0; c < together; c++)
        {
          ph_lanes ()->fill (pixels, scales + c * pixels, scale[g * together + c]);
          ph_lanes ()->fill (pixels, biases + c * pixels, bias[g * together + c]);
        }
      for (gsize b = 0; b < (gsize) dims[0]; b++)
        ph_lanes ()->normalise (n, out + (b * groups + g) * n, in + (b * groups + g) * n, scales, biases, epsilon, TRUE);
    }
  return out != NULL;
}

/* clang-format off */
#define REDUCTION(name_) { &ph_op_##name_, PH_DEVICE_CPU, "rows", 10, prepare_reduce, run_reduce, NULL }

const PhKernelRow ph_kernels_reductions[] = {
  REDUCTION (ReduceL1), REDUCTION (ReduceL2), REDUCTION (ReduceMax), REDUCTION (ReduceMean), REDUCTION (ReduceMin), REDUCTION (ReduceSum),
  REDUCTION (ReduceSumSquare), REDUCTION (GlobalMaxPool),
  { &ph_op_ArgMax, PH_DEVICE_CPU, "rows", 10, prepare_arg, run_arg, NULL },
  { &ph_op_ArgMin, PH_DEVICE_CPU, "rows", 10, prepare_arg, run_arg, NULL },
  { &ph_op_LpNormalization, PH_DEVICE_CPU, "rows", 10, prepare_lengths, run_lengths, NULL },
  { &ph_op_GroupNormalization, PH_DEVICE_CPU, "rows", 10, prepare_channels, run_channels, NULL },
  { &ph_op_InstanceNormalization, PH_DEVICE_CPU, "rows", 10, prepare_channels, run_channels, NULL },
  { NULL },
};
/* clang-format on */
