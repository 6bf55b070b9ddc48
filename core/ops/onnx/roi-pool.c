/* roi-pool.c: MaxRoiPool, the maximum of each cell of a box.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <math.h>

static gboolean
infer_max_roi_pool (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0), *rois = ph_infer_type (infer, 1);
  gsize n = 0;
  const gint64 *shape = ph_node_attr_ints (ph_infer_node_of (infer), "pooled_shape", &n);
  PhDim dims[4];

  if (n != 2 || shape[0] < 1 || shape[1] < 1)
    return ph_infer_fail (infer, error, "pooled_shape must be two numbers above 0");
  if (x == NULL)
    return TRUE;
  if (x->rank != 4)
    return ph_infer_fail (infer, error, "the input has rank %u, must be N, C, H, W", x->rank);
  dims[0] = rois != NULL && rois->has_rank && rois->rank == 2 ? rois->dims[0] : PH_DIM_UNKNOWN;
  dims[1] = x->dims[1];
  dims[2] = PH_DIM (shape[0]);
  dims[3] = PH_DIM (shape[1]);
  ph_infer_set_shape (infer, 0, x->dtype, 4, dims);
  return TRUE;
}

/* Returns the range of cell @cell of @n along an axis of @size elements, for a box from @first to @last. */
static void
span_of (gint64 cell, gint64 n, double first, double last, gint64 size, gint64 *begin, gint64 *end)
{
  const double length = MAX (last - first + 1, 1);

  *begin = (gint64) CLAMP (floor (cell * length / n) + first, 0, size);
  *end = (gint64) CLAMP (ceil ((cell + 1) * length / n) + first, 0, size);
}

#define AT_ONCE 8

/* The largest elements of one cell in @n channels, @plane floats apart, or 0 for an empty cell. One chain of comparisons each runs at once. */
static void
largest_floats (const float *data, gsize n, gsize plane, gint64 width, const gint64 *rows, const gint64 *columns, float *to,
                gsize stride)
{
  const gboolean empty = rows[0] >= rows[1] || columns[0] >= columns[1];

  for (gsize c = 0; c < n; c += AT_ONCE)
    {
      float largest[AT_ONCE] = { 0 };
      const gsize some = MIN (n - c, AT_ONCE);
      const float *of[AT_ONCE];

      for (gsize k = 0; k < AT_ONCE; k++)
        {
          of[k] = data + MIN (c + k, n - 1) * plane;
          if (!empty)
            largest[k] = of[k][rows[0] * width + columns[0]];
        }
      for (gint64 y = rows[0]; y < rows[1]; y++)
        for (gint64 i = y * width + columns[0]; i < y * width + columns[1]; i++)
          {
            _Pragma ("GCC unroll 8") for (gsize k = 0; k < AT_ONCE; k++) largest[k] = of[k][i] > largest[k] ? of[k][i]
                                                                                                            : largest[k];
          }
      for (gsize k = 0; k < some; k++)
        to[(c + k) * stride] = largest[k];
    }
}

/* Returns the largest element of a cell, or 0 for an empty cell. */
static double
largest_in (PhDType dtype, gconstpointer data, gsize plane, gint64 width, const gint64 *rows, const gint64 *columns)
{
  double largest = 0;
  gboolean any = FALSE;

  for (gint64 y = rows[0]; y < rows[1]; y++)
    for (gint64 x = columns[0]; x < columns[1]; x++)
      {
        const double value = ph_dtype_load (dtype, data, plane + (gsize) (y * width + x));

        largest = !any || value > largest ? value : largest;
        any = TRUE;
      }
  return largest;
}

static gboolean
run_max_roi_pool (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *rois = ph_kernel_input (kernel, 1);
  gsize n = 0;
  const gint64 *shape = ph_node_attr_ints (kernel->node, "pooled_shape", &n), *in = ph_tensor_dims (x);
  const double scale = ph_node_attr_float (kernel->node, "spatial_scale", 1);
  const PhDType dtype = ph_tensor_dtype (x);
  gconstpointer data = ph_tensor_data (x);
  gint64 dims[4], cells;
  gsize plane;
  gpointer to;

  if (n != 2 || shape[0] < 1 || shape[1] < 1 || ph_tensor_rank (x) != 4 || ph_tensor_rank (rois) != 2
      || ph_tensor_dims (rois)[1] != 5)
    return ph_kernel_fail (kernel, error, "the input must be N, C, H, W, rois R, 5, and pooled_shape two numbers above 0");
  memcpy (dims, (gint64[]) { ph_tensor_dims (rois)[0], in[1], shape[0], shape[1] }, sizeof dims);
  cells = dims[2] * dims[3];
  plane = (gsize) (in[2] * in[3]);
  to = ph_kernel_output (kernel, 0, dtype, 4, dims, error);
  if (to == NULL)
    return FALSE;
  for (gint64 r = 0; r < dims[0]; r++)
    {
      const double batch = ph_tensor_get (rois, 5 * r);
      double box[4];

      for (guint i = 0; i < 4; i++)
        box[i] = round (ph_tensor_get (rois, 5 * r + 1 + i) * scale);
      if (!(batch >= 0 && batch < in[0]))
        return ph_kernel_fail (kernel, error, "batch index %g is outside the batch", batch);
      if (!(isfinite (box[0]) && isfinite (box[1]) && isfinite (box[2]) && isfinite (box[3])))
        return ph_kernel_exceed (kernel, error, "box %" G_GINT64_FORMAT " is not finite", r);
      for (gint64 p = 0; p < cells; p++)
        {
          gint64 rows[2], columns[2];

          span_of (p / dims[3], dims[2], box[1], box[3], in[2], &rows[0], &rows[1]);
          span_of (p % dims[3], dims[3], box[0], box[2], in[3], &columns[0], &columns[1]);
          if (dtype == PH_FLOAT)
            largest_floats ((const float *) data + (gsize) batch * (gsize) in[1] * plane, (gsize) dims[1], plane, in[3], rows,
                            columns, (float *) to + r * dims[1] * cells + p, (gsize) cells);
          else
            for (gint64 c = 0; c < dims[1]; c++)
              ph_dtype_store (
                  dtype, to, (r * dims[1] + c) * cells + p,
                  largest_in (dtype, data, ((gsize) batch * (gsize) in[1] + (gsize) c) * plane, in[3], rows, columns));
        }
    }
  return TRUE;
}

/* ── gradient: the same cells as masks of the columns and of the rows, and the largest element under each ── */

static PhValue *
count_up (PhBuilder *b, PhDType dtype, gint64 n, gint64 from)
{
  PhTensor *tensor = ph_tensor_new (dtype, 1, &n);
  gpointer data = ph_tensor_writable (tensor);

  for (gint64 i = 0; i < n; i++)
    ph_dtype_store (dtype, data, i, from + i);
  return ph_build_tensor (b, tensor);
}

static PhValue *
column_of (PhBuilder *b, PhValue *rois, gint64 column)
{
  return PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 1)), rois, ph_build_ints (b, &column, 1));
}

/* Returns floor (@value + 0.5) towards zero for numbers below it, as round () does. */
static PhValue *
build_round (PhBuilder *b, PhValue *value, PhDType dtype)
{
  return PH_BUILD (b, Mul, PH_BUILD (b, Sign, value),
                   PH_BUILD (b, Floor, PH_BUILD (b, Add, PH_BUILD (b, Abs, value), ph_build_scalar (b, dtype, 0.5))));
}

/* Returns which of @size elements each of @n cells has in each box: bool[R, n, size]. */
static PhValue *
build_mask (PhBuilder *b, PhValue *first, PhValue *last, gint64 n, gint64 size, PhDType dtype)
{
  PhValue *one = ph_build_scalar (b, dtype, 1), *cells = ph_build_scalar (b, dtype, n),
          *axis = ph_build_ints (b, (gint64[]) { 2 }, 1);
  PhValue *length = PH_BUILD (b, Max, PH_BUILD (b, Add, PH_BUILD (b, Sub, last, first), one), one), *span[2];
  PhValue *place = count_up (b, dtype, size, 0);

  for (guint i = 0; i < 2; i++)
    {
      PhValue *at = PH_BUILD (b, Div, PH_BUILD (b, Mul, length, count_up (b, dtype, n, i)), cells);

      at = i == 0 ? PH_BUILD (b, Floor, at) : PH_BUILD (b, Ceil, at);
      span[i] = PH_BUILD (b, Unsqueeze, PH_BUILD (b, Add, at, first), axis);
    }
  return PH_BUILD (b, And, PH_BUILD (b, GreaterOrEqual, place, span[0]), PH_BUILD (b, Less, place, span[1]));
}

static PhValue *
largest_along (PhBuilder *b, PhValue *mask, PhValue *x, gint64 axis, PhDType dtype)
{
  return PH_BUILD_WITH (b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                        PH_BUILD (b, Where, mask, x, ph_build_scalar (b, dtype, -INFINITY)), ph_build_ints (b, &axis, 1));
}

static gboolean
build_max_roi_pool (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error)
{
  PhValue *x = inputs[0], *rois = inputs[1], *box[4], *mask;
  const PhType *type = x->type;
  gsize n = 0;
  const gint64 *shape = ph_node_attr_ints (node, "pooled_shape", &n);
  PhDType dtype;

  if (n != 2 || type == NULL || !type->has_rank || type->rank != 4 || !ph_dim_known (type->dims[2])
      || !ph_dim_known (type->dims[3]))
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs the height and width of its input");
  dtype = type->dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  rois = ph_build_as (b, rois, dtype);
  for (guint i = 0; i < 4; i++)
    box[i] = build_round (
        b,
        PH_BUILD (b, Mul, column_of (b, rois, i + 1), ph_build_scalar (b, dtype, ph_node_attr_float (node, "spatial_scale", 1))),
        dtype);
  x = PH_BUILD (b, Gather, x,
                ph_build_as (b, PH_BUILD (b, Squeeze, column_of (b, rois, 0), ph_build_ints (b, (gint64[]) { 1 }, 1)), PH_INT64));
  mask = PH_BUILD (b, Unsqueeze, build_mask (b, box[0], box[2], shape[1], type->dims[3].size, dtype),
                   ph_build_ints (b, (gint64[]) { 1, 2 }, 2));
  x = largest_along (b, mask, PH_BUILD (b, Unsqueeze, x, ph_build_ints (b, (gint64[]) { 3 }, 1)), 4, type->dtype);
  mask = PH_BUILD (b, Unsqueeze, build_mask (b, box[1], box[3], shape[0], type->dims[2].size, dtype),
                   ph_build_ints (b, (gint64[]) { 1, 4 }, 2));
  outputs[0] = largest_along (b, mask, PH_BUILD (b, Unsqueeze, x, ph_build_ints (b, (gint64[]) { 2 }, 1)), 3, type->dtype);
  return TRUE;
}

static gboolean
grad_max_roi_pool (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_max_roi_pool, error);
}

/* clang-format off */
const PhOp ph_op_MaxRoiPool = {
  .name = "MaxRoiPool", .since = 22, .flags = PH_OP_IN_DOUBLE,
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .main_attrs = { "pooled_shape" },
  .doc = "Crops boxes of whole pixels out of a feature map and takes the largest element of each cell of a grid over them.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "rois", 'T', PH_FLOATS } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "pooled_shape", PH_ATTR_INTS, NULL, TRUE }, { "spatial_scale", PH_ATTR_FLOAT, "1" } },
  .infer = infer_max_roi_pool, .kernel = run_max_roi_pool, .grad_build = grad_max_roi_pool, .no_grad = 1 << 1,
  .grad_text = "dX = dY put where the largest element of each cell stood",
};
/* clang-format on */
