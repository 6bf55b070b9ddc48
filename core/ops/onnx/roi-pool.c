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
  gint64 dims[4];
  gpointer to;

  if (n != 2 || shape[0] < 1 || shape[1] < 1 || ph_tensor_rank (x) != 4 || ph_tensor_rank (rois) != 2
      || ph_tensor_dims (rois)[1] != 5)
    return ph_kernel_fail (kernel, error, "the input must be N, C, H, W, rois R, 5, and pooled_shape two numbers above 0");
  memcpy (dims, (gint64[]) { ph_tensor_dims (rois)[0], in[1], shape[0], shape[1] }, sizeof dims);
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
      for (gint64 c = 0; c < dims[1]; c++)
        for (gint64 p = 0; p < dims[2] * dims[3]; p++)
          {
            gint64 rows[2], columns[2];

            span_of (p / dims[3], dims[2], box[1], box[3], in[2], &rows[0], &rows[1]);
            span_of (p % dims[3], dims[3], box[0], box[2], in[3], &columns[0], &columns[1]);
            ph_dtype_store (dtype, to, (r * dims[1] + c) * dims[2] * dims[3] + p,
                            largest_in (dtype, ph_tensor_data (x), (gsize) (((gint64) batch * in[1] + c) * in[2] * in[3]), in[3],
                                        rows, columns));
          }
    }
  return TRUE;
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
  .infer = infer_max_roi_pool, .kernel = run_max_roi_pool, .no_grad = 1 << 1, .no_rule = 1 << 0,
};
/* clang-format on */
