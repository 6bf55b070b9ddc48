/* sample.c: GridSample, AffineGrid, RoiAlign: values read between the elements of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/sample.h"

#include <math.h>

#define MAX_SPACE 6

/* ── GridSample ── */

typedef enum
{
  PAD_ZEROS,
  PAD_BORDER,
  PAD_REFLECTION
} Padding;

static double
reflect (double x, double low, double high)
{
  double range = high - low, beyond = x < low ? low - x : x - high, rest;
  gboolean odd;

  if (x >= low && x <= high)
    return x;
  if (range <= 0)
    return low;
  odd = fmod (floor (beyond / range), 2) != 0;
  rest = beyond - floor (beyond / range) * range;
  return (x < low) != odd ? low + rest : high - rest;
}

/* Returns the index of the element at @i along an axis of @n; -1: zero. */
static gint64
pixel (gint64 i, gint64 n, Padding padding, gboolean align)
{
  if (i >= 0 && i < n)
    return i;
  if (padding == PAD_ZEROS)
    return -1;
  if (padding == PAD_BORDER)
    return CLAMP (i, 0, n - 1);
  return CLAMP ((gint64) reflect (i, align ? 0 : -0.5, align ? n - 1 : n - 0.5), 0, n - 1);
}

static double
cubic_weight (double x)
{
  const double a = -0.75;

  x = fabs (x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? a * (((x - 5) * x + 8) * x - 4) : 0;
}

/* Converts coordinate @g of the grid, -1 to 1, along an axis of @n into the indices and weights of @taps elements. */
static inline guint
grid_taps (double g, gint64 n, char mode, Padding padding, gboolean align, gint64 *index, double *weight)
{
  double x = align ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2, low = align ? 0 : -0.5, high = align ? n - 1 : n - 0.5, base;
  guint taps = mode == 'n' ? 1 : mode == 'c' ? 4 : 2;

  if (!isfinite (x))
    x = -1e9;
  x = CLAMP (x, -1e9, 1e9);
  if (mode == 'n')
    x = nearbyint (x);
  /* A cubic curve extends beyond the border, so each of its taps is moved inside separately. */
  if (mode != 'c' && (x < low || x > high))
    x = padding == PAD_BORDER ? CLAMP (x, 0, n - 1) : padding == PAD_REFLECTION ? reflect (x, low, high) : x;
  base = floor (x);
  for (guint t = 0; t < taps; t++)
    {
      gint64 at = (gint64) base + t - (taps == 4 ? 1 : 0);

      index[t] = pixel (mode == 'n' ? (gint64) nearbyint (x) : at, n, padding, align);
      weight[t] = mode == 'n' ? 1 : mode == 'c' ? cubic_weight (x - at) : 1 - fabs (x - at);
    }
  return taps;
}

static gboolean
infer_grid_sample (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0), *grid = ph_infer_type (infer, 1);
  PhDim dims[PH_MAX_RANK];

  if (x == NULL)
    return TRUE;
  if (x->rank < 3 || x->rank > 2 + MAX_SPACE || (grid != NULL && grid->has_rank && grid->rank != x->rank))
    return ph_infer_fail (infer, error, "input and grid must have the same rank, 3 to %d", 2 + MAX_SPACE);
  for (guint i = 0; i < x->rank; i++)
    dims[i] = i < 2 ? x->dims[i] : grid != NULL && grid->has_rank ? grid->dims[i - 1] : PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 0, x->dtype, x->rank, dims);
  return TRUE;
}

/* The constant parameters of a GridSample. */
typedef struct
{
  char mode;
  Padding padding;
  gboolean align;
  guint n;             /* axes in space                     */
  const gint64 *sizes; /* of the image along them           */
  const float *floats; /* (nullable) the grid               */
  PhTensor *grid;      /* where it is not of floats         */
} GridReader;

/* Reads a place as read_place() does, for linear sampling of a plane without reflection. */
static inline guint
read_plane (const GridReader *reader, gsize p, gint64 *at, double *factor)
{
  double weight[2][2];
  gint64 low[2];
  guint found = 0;

  for (guint d = 0; d < 2; d++)
    {
      const gint64 n = reader->sizes[d];
      const double g = (double) reader->floats[2 * p + 1 - d];
      double x = reader->align ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;

      if (!(fabs (x) <= 1e9))
        x = x > 0 && isfinite (x) ? 1e9 : -1e9;
      if (reader->padding == PAD_BORDER)
        x = CLAMP (x, 0, n - 1);
      low[d] = (gint64) x - (x < (gint64) x ? 1 : 0);
      weight[d][0] = 1 - (x - low[d]);
      weight[d][1] = 1 - (low[d] + 1 - x);
    }
  for (guint t = 0; t < 4; t++)
    {
      gint64 y = low[0] + (t & 1), x = low[1] + (t >> 1);

      if (reader->padding == PAD_BORDER) /* the pixel after the last one has weight 0 */
        {
          y = MIN (y, reader->sizes[0] - 1);
          x = MIN (x, reader->sizes[1] - 1);
        }
      at[found] = y * reader->sizes[1] + x;
      factor[found] = weight[0][t & 1] * weight[1][t >> 1];
      found += y >= 0 && y < reader->sizes[0] && x >= 0 && x < reader->sizes[1] ? 1 : 0;
    }
  return found;
}

/* Finds the elements that place @p reads and their weights, at most 4 along each axis, without those outside of the image. Returns their
 * number. */
static inline guint
read_place (const GridReader *reader, gsize p, gint64 *at, double *factor)
{
  const guint n = reader->n;
  gint64 index[MAX_SPACE][4], size[MAX_SPACE];
  double weight[MAX_SPACE][4];
  guint taps = 1, total = 1, found = 0;

  for (guint d = 0; d < n; d++)
    {
      const gsize i = p * n + (n - 1 - d);

      size[d] = reader->sizes[d];
      taps = grid_taps (reader->floats != NULL ? (double) reader->floats[i] : ph_tensor_get (reader->grid, i), size[d],
                        reader->mode, reader->padding, reader->align, index[d], weight[d]);
      total *= taps;
    }
  for (guint t = 0; t < total; t++)
    {
      gint64 place = 0;
      double product = 1;
      guint rest = t;

      for (guint d = 0; d < n; d++)
        {
          const guint tap = taps == 2 ? rest & 1 : rest % taps;
          const gint64 i = index[d][tap];

          place = place < 0 || i < 0 ? -1 : place * size[d] + i;
          product *= weight[d][tap];
          rest = taps == 2 ? rest >> 1 : rest / taps;
        }
      at[found] = place;
      factor[found] = product;
      found += place >= 0 ? 1 : 0;
    }
  return found;
}

/* clang-format off */
#define SAMPLE(type_)                                                                                                \
  {                                                                                                                    \
    const type_ *from = ph_tensor_data (wide);                                                                         \
    type_ *to = ph_tensor_writable (result);                                                                           \
    for (gint64 b = 0; b < xd[0] && in_count > 0; b++)                                                                 \
      for (gint64 p = 0; p < places; p++)                                                                              \
        {                                                                                                              \
          const gsize place = (gsize) (b * places + p);                                                                \
          const guint n_taps = plane ? read_plane (&reader, place, at, factor) : read_place (&reader, place, at, factor); \
          for (gint64 c = 0; c < channels; c++)                                                                        \
            {                                                                                                          \
              const type_ *pixels = from + (b * channels + c) * in_count;                                              \
              double sum = 0;                                                                                          \
              for (guint t = 0; t < n_taps; t++)                                                                       \
                sum += factor[t] * (double) pixels[at[t]];                                                             \
              to[(b * channels + c) * places + p] = (type_) sum;                                                       \
            }                                                                                                          \
        }                                                                                                              \
  }
/* clang-format on */

static gboolean
run_grid_sample (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *grid = ph_kernel_input (kernel, 1);
  const char *how = ph_node_attr_string (kernel->node, "padding_mode", "zeros"),
             *name = ph_node_attr_string (kernel->node, "mode", "linear");
  guint rank = ph_tensor_rank (x), n = rank - 2;
  const gint64 *xd = ph_tensor_dims (x), *gd = ph_tensor_dims (grid);
  GridReader reader = { .n = n, .sizes = xd + 2, .grid = grid };
  gint64 dims[2 + MAX_SPACE], places, channels, in_count;
  g_autoptr (PhTensor) wide = NULL, result = NULL;
  const PhDType works_in = ph_tensor_dtype (x) == PH_FLOAT ? PH_FLOAT : PH_DOUBLE;
  g_autofree gint64 *at = NULL;
  g_autofree double *factor = NULL;
  gboolean plane;

  if (rank < 3 || rank > 2 + MAX_SPACE || ph_tensor_rank (grid) != rank || gd[0] != xd[0] || gd[rank - 1] != n)
    return ph_kernel_fail (kernel, error, "the grid's shape does not fit the input's");
  at = g_new (gint64, 1 << 2 * n); /* four along each axis */
  factor = g_new (double, 1 << 2 * n);
  reader.mode = g_str_equal (name, "nearest") ? 'n' : g_str_equal (name, "cubic") || g_str_equal (name, "bicubic") ? 'c' : 'l';
  reader.padding = g_str_equal (how, "border") ? PAD_BORDER : g_str_equal (how, "reflection") ? PAD_REFLECTION : PAD_ZEROS;
  reader.align = ph_node_attr_int (kernel->node, "align_corners", 0) != 0;
  reader.floats = ph_tensor_dtype (grid) == PH_FLOAT ? ph_tensor_data (grid) : NULL;
  plane = n == 2 && reader.mode == 'l' && reader.padding != PAD_REFLECTION && reader.floats != NULL;
  dims[0] = xd[0];
  dims[1] = channels = xd[1];
  memcpy (dims + 2, gd + 1, n * sizeof (gint64));
  places = ph_dims_product (gd, 1, rank - 1);
  in_count = ph_dims_product (xd, 2, rank);
  wide = ph_kernel_input_as (kernel, 0, works_in, error);
  result = wide != NULL ? ph_tensor_new (works_in, rank, dims) : NULL;
  if (result == NULL)
    return wide != NULL ? ph_kernel_exceed (kernel, error, "the output is too large for memory") : FALSE;
  if (works_in == PH_FLOAT)
    SAMPLE (float)
  else
    SAMPLE (double)
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), ph_tensor_dtype (x), error);
}

/* clang-format off */
const PhOp ph_op_GridSample = {
  .name = "GridSample", .since = 22,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "mode", "padding_mode" },
  .example = { "x[2,2,3,4] g[2,2,3,2]", "y = GridSample (x, g)", -0.9, 0.9 },
  .doc = "Reads an image at the places that a grid names, coordinates from -1 to 1, with interpolation.",
  .inputs = { { "X", 'T', PH_FLOATS | PH_INTEGERS | PH_T (BOOL) }, { "grid", 0, PH_FLOATS } },
  .outputs = { { "Y", 'T', PH_FLOATS | PH_INTEGERS | PH_T (BOOL) } },
  .attrs = { { "align_corners", PH_ATTR_INT, "0" }, { "mode", PH_ATTR_STRING, "\"linear\"", .words = "linear|nearest|cubic|bilinear|bicubic" },
             { "padding_mode", PH_ATTR_STRING, "\"zeros\"", .words = "zeros|border|reflection" } },
  .infer = infer_grid_sample, .kernel = run_grid_sample, .grad_build = ph_grad_grid_sample,
  .grad_text = "dX = dY added back to the pixels that were read, by their weights; dgrid = dY * (slope of X where it is "
               "sampled)",
};
/* clang-format on */

/* ── AffineGrid ── */

static gboolean
infer_affine_grid (PhInfer *infer, GError **error)
{
  const PhType *theta = ph_infer_type (infer, 0), *shape = ph_infer_type (infer, 1);
  PhDim dims[5];
  const PhDim *size;
  int n;

  if (theta == NULL)
    return TRUE;
  n = ph_infer_dims (infer, 1, &size);
  if (n < 0 && shape != NULL)
    n = ph_type_count (shape);
  if (n != 4 && n != 5)
    {
      ph_infer_set (infer, 0, ph_type_unranked (theta->dtype));
      return n < 0 || ph_infer_fail (infer, error, "size has %d elements, must be N, C, H, W or N, C, D, H, W", n);
    }
  n = ph_infer_dims (infer, 1, &size) >= 0 ? n : -n;
  for (int i = 0; i < ABS (n) - 1; i++)
    dims[i] = n < 0 ? PH_DIM_UNKNOWN : i == 0 ? size[0] : size[i + 1];
  dims[ABS (n) - 1] = PH_DIM (ABS (n) - 2);
  ph_infer_set_shape (infer, 0, theta->dtype, ABS (n), dims);
  return TRUE;
}

static gboolean
run_affine_grid (PhKernel *kernel, GError **error)
{
  PhTensor *theta = ph_kernel_input (kernel, 0);
  gboolean align = ph_node_attr_int (kernel->node, "align_corners", 0) != 0;
  PhDType dtype = ph_tensor_dtype (theta);
  g_autofree gint64 *size = NULL;
  gint64 dims[5], places;
  gsize n;
  guint s;
  gpointer to;

  size = ph_kernel_ints (kernel, 1, &n);
  s = n - 2;
  if ((n != 4 && n != 5) || ph_tensor_rank (theta) != 3 || ph_tensor_dims (theta)[1] != s || ph_tensor_dims (theta)[2] != s + 1
      || ph_tensor_dims (theta)[0] != size[0])
    return ph_kernel_fail (kernel, error, "size must be N, C and 2 or 3 sizes, and theta N matrices for as many dimensions");
  dims[0] = size[0];
  for (guint i = 0; i < s; i++)
    {
      dims[1 + i] = size[2 + i];
      if (size[2 + i] < 0)
        return ph_kernel_fail (kernel, error, "a size is negative");
    }
  dims[1 + s] = s;
  to = ph_kernel_output (kernel, 0, dtype, n, dims, error);
  if (to == NULL)
    return FALSE;
  places = ph_dims_product (dims, 1, 1 + s);
  for (gint64 b = 0; b < size[0]; b++)
    for (gint64 p = 0; p < places; p++)
      {
        double point[4] = { 0 };
        gint64 rest = p;

        for (guint d = s; d-- > 0; rest /= dims[1 + d])
          {
            gint64 i = rest % dims[1 + d], length = dims[1 + d];

            /* The last dimension is x, the first coordinate. */
            point[s - 1 - d] = align ? (length > 1 ? -1 + 2.0 * i / (length - 1) : -1) : -1 + (2.0 * i + 1) / length;
          }
        point[s] = 1;
        for (guint r = 0; r < s; r++)
          {
            double sum = 0;

            for (guint c = 0; c <= s; c++)
              sum += ph_tensor_get (theta, (b * s + r) * (s + 1) + c) * point[c];
            ph_dtype_store (dtype, to, (b * places + p) * s + r, sum);
          }
      }
  return TRUE;
}

/* Each point of the grid is theta times (x, y, 1); with the identity the grid is (x, y) itself. */
static gboolean
grad_affine_grid (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *theta = ph_grad_in (grad, 0), *points, *shape, *ones, *dy;
  gboolean align = ph_node_attr_int (grad->node, "align_corners", 0) != 0;
  const PhType *type = ph_grad_out (grad, 0)->type;
  PhTensor *identity;
  gint64 s;

  if (type == NULL || !type->has_rank || (type->rank != 4 && type->rank != 5) || theta->type == NULL)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its gradient needs the length of size");
  s = type->rank - 2;
  identity = ph_tensor_new (theta->type->dtype, 3, (gint64[]) { 1, s, s + 1 });
  for (gint64 i = 0; i < s; i++)
    ph_dtype_store (theta->type->dtype, ph_tensor_writable (identity), i * (s + 1) + i, 1);
  points = PH_BUILD (b, Expand, ph_build_tensor (b, identity), ph_grad_shape (grad, theta));
  points = PH_BUILD_WITH (b, AffineGrid, PH_ATTRS (ph_attr_new_int ("align_corners", align)), points, ph_grad_in (grad, 1));
  shape = ph_build_ints (b, (gint64[]) { 0, -1, s }, 3);
  points = PH_BUILD (b, Reshape, points, shape);
  ones = PH_BUILD (b, Expand, ph_grad_like (grad, theta, 1),
                   PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                                  PH_BUILD (b, Slice, PH_BUILD (b, Shape, points), ph_build_ints (b, (gint64[]) { 0 }, 1),
                                            ph_build_ints (b, (gint64[]) { 2 }, 1)),
                                  ph_build_ints (b, (gint64[]) { 1 }, 1)));
  points = PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 2)), points, ones);
  dy = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 0, 2, 1 }, 3)),
                      PH_BUILD (b, Reshape, grad->dy[0], shape));
  grad->dx[0] = PH_BUILD (b, MatMul, dy, points);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_AffineGrid = {
  .name = "AffineGrid", .since = 20,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The grid of places that an affine map sends each output pixel to, for GridSample.",
  .inputs = { { "theta", 'T', PH_FLOATS }, { "size", 0, PH_T (INT64), PH_ARG_SHAPE } }, .outputs = { { "grid", 'T', PH_FLOATS } },
  .attrs = { { "align_corners", PH_ATTR_INT, "0" } },
  .infer = infer_affine_grid, .kernel = run_affine_grid, .grad_build = grad_affine_grid, .no_grad = 1 << 1,
  .grad_text = "dtheta = dY^T @ (the grid of the output)",
};
/* clang-format on */

/* ── RoiAlign ── */

static gboolean
infer_roi_align (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *x = ph_infer_ranked (infer, 0), *rois = ph_infer_type (infer, 1);
  PhDim dims[4];

  if (x == NULL)
    return TRUE;
  if (x->rank != 4)
    return ph_infer_fail (infer, error, "the input has rank %u, must be N, C, H, W", x->rank);
  dims[0] = rois != NULL && rois->has_rank && rois->rank == 2 ? rois->dims[0] : PH_DIM_UNKNOWN;
  dims[1] = x->dims[1];
  dims[2] = PH_DIM (MAX (0, ph_node_attr_int (node, "output_height", 1)));
  dims[3] = PH_DIM (MAX (0, ph_node_attr_int (node, "output_width", 1)));
  ph_infer_set_shape (infer, 0, x->dtype, 4, dims);
  return TRUE;
}

/* The four neighbours of (y, x) in a plane and their weights; weights of 0 outside. */
static void
neighbours (double y, double x, gint64 height, gint64 width, gint64 *at, double *weight)
{
  gint64 y0, x0, y1, x1;

  memset (at, 0, 4 * sizeof (gint64));
  memset (weight, 0, 4 * sizeof (double));
  if (y < -1 || y > height || x < -1 || x > width)
    return;
  y = MAX (y, 0);
  x = MAX (x, 0);
  y0 = MIN ((gint64) y, height - 1);
  x0 = MIN ((gint64) x, width - 1);
  y1 = MIN (y0 + 1, height - 1);
  x1 = MIN (x0 + 1, width - 1);
  y = y0 == height - 1 ? 0 : y - y0;
  x = x0 == width - 1 ? 0 : x - x0;
  for (guint i = 0; i < 4; i++)
    {
      at[i] = (i / 2 ? y1 : y0) * width + (i % 2 ? x1 : x0);
      weight[i] = (i / 2 ? y : 1 - y) * (i % 2 ? x : 1 - x);
    }
}

#define MOST_PLACES 1024 /* whose neighbours are kept at once */

/* The sum, or the greatest, of @n weighted pixels; of none 0. */
static double
sum_places (const float *plane, const gint64 *at, const double *weights, gsize n, gboolean most)
{
  double result = most && n > 0 ? -INFINITY : 0;

  for (gsize i = 0; i < n; i++)
    {
      const double part = weights[i] * (double) plane[at[i]];

      result = most ? MAX (result, part) : result + part;
    }
  return result;
}

static double
load_places (PhDType dtype, gconstpointer from, gsize plane, const gint64 *at, const double *weights, gsize n, gboolean most)
{
  double result = most && n > 0 ? -INFINITY : 0;

  for (gsize i = 0; i < n; i++)
    {
      const double part = weights[i] * ph_dtype_load (dtype, from, plane + (gsize) at[i]);

      result = most ? MAX (result, part) : result + part;
    }
  return result;
}

static gboolean
run_roi_align (PhKernel *kernel, GError **error)
{
  const PhNode *node = kernel->node;
  PhTensor *x = ph_kernel_input (kernel, 0), *rois = ph_kernel_input (kernel, 1), *batches = ph_kernel_input (kernel, 2);
  gboolean half = g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", "half_pixel"), "half_pixel");
  gboolean most = g_str_equal (ph_node_attr_string (node, "mode", "avg"), "max");
  gint64 high = ph_node_attr_int (node, "output_height", 1), wide = ph_node_attr_int (node, "output_width", 1);
  gint64 ratio = ph_node_attr_int (node, "sampling_ratio", 0), n_rois, height, width, channels, dims[4];
  double scale = ph_node_attr_float (node, "spatial_scale", 1), shift = half ? 0.5 : 0;
  PhDType dtype = ph_tensor_dtype (x);
  g_autofree double *weights = NULL; /* of four pixels for each sample */
  g_autofree gint64 *at = NULL;
  const float *floats;
  gint64 together;
  gsize room = 0, n;
  gconstpointer from;
  gpointer to;

  if (ph_tensor_rank (x) != 4 || ph_tensor_rank (rois) != 2 || ph_tensor_dims (rois)[1] != 4 || high < 1 || wide < 1
      || ph_tensor_rank (batches) != 1 || ph_tensor_dims (batches)[0] != ph_tensor_dims (rois)[0] || ph_tensor_count (x) == 0)
    return ph_kernel_fail (kernel, error, "the input must be N, C, H, W, rois R, 4, and batch_indices R");
  n_rois = ph_tensor_dims (rois)[0];
  channels = ph_tensor_dims (x)[1];
  height = ph_tensor_dims (x)[2];
  width = ph_tensor_dims (x)[3];
  dims[0] = n_rois;
  dims[1] = channels;
  dims[2] = high;
  dims[3] = wide;
  to = ph_kernel_output (kernel, 0, dtype, 4, dims, error);
  if (to == NULL)
    return FALSE;
  from = ph_tensor_data (x);
  floats = dtype == PH_FLOAT ? from : NULL;
  for (gint64 r = 0; r < n_rois; r++)
    {
      double x0 = ph_tensor_get (rois, 4 * r) * scale - shift, y0 = ph_tensor_get (rois, 4 * r + 1) * scale - shift;
      double w = ph_tensor_get (rois, 4 * r + 2) * scale - shift - x0, h = ph_tensor_get (rois, 4 * r + 3) * scale - shift - y0;
      gint64 batch = ph_tensor_get_int (batches, r), ny, nx;

      if (batch < 0 || batch >= ph_tensor_dims (x)[0])
        return ph_kernel_fail (kernel, error, "batch index %" G_GINT64_FORMAT " is outside the batch", batch);
      if (!half)
        {
          w = MAX (w, 1);
          h = MAX (h, 1);
        }
      ny = ratio > 0 ? ratio : (gint64) CLAMP (ceil (h / high), 0, 1e6);
      nx = ratio > 0 ? ratio : (gint64) CLAMP (ceil (w / wide), 0, 1e6);
      if (!(fabs (w) < 1e6 && fabs (h) < 1e6) || ny * nx > 1 << 20)
        return ph_kernel_exceed (kernel, error, "box %" G_GINT64_FORMAT " is too large to sample: %g by %g", (gint64) r, w, h);
      /* The places are those of all channels, each of which is then read by itself. */
      n = (gsize) (ny * nx);
      together = MAX (1, MOST_PLACES / (gint64) MAX (n, 1));
      if (n * (gsize) together > room)
        {
          room = n * (gsize) together;
          at = g_renew (gint64, at, 4 * room);
          weights = g_renew (double, weights, 4 * room);
        }
      for (gint64 first = 0; first < high * wide; first += together)
        {
          const gint64 some = MIN (together, high * wide - first);

          for (gint64 k = 0; k < some * (gint64) n; k++)
            {
              const gint64 p = first + k / (gint64) n, s = k % (gint64) n;

              neighbours (y0 + (p / wide + (s / nx + 0.5) / ny) * h / high, x0 + (p % wide + (s % nx + 0.5) / nx) * w / wide,
                          height, width, at + 4 * k, weights + 4 * k);
            }
          for (gint64 c = 0; c < channels; c++)
            {
              const gsize plane = (gsize) ((batch * channels + c) * height * width);

              for (gint64 p = 0; p < some; p++)
                {
                  const double value
                      = floats != NULL
                            ? sum_places (floats + plane, at + 4 * (gsize) p * n, weights + 4 * (gsize) p * n, 4 * n, most)
                            : load_places (dtype, from, plane, at + 4 * (gsize) p * n, weights + 4 * (gsize) p * n, 4 * n, most);

                  ph_dtype_store (dtype, to, (r * channels + c) * high * wide + first + p, most ? value : value / MAX (1, n));
                }
            }
        }
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_RoiAlign = {
  .name = "RoiAlign", .since = 22,
  .family = PH_FAMILY_POOL,
  .main_attrs = { "output_height", "output_width", "mode" },
  .example = { "x[2,2,5,6] r[2,4]", "m = Constant <value = double[1,4] {0.0, 0.0, 3.1, 2.9}> () q = Add (r, m) i = Constant <value = int64[2] {1, 0}> () y = RoiAlign <output_height = 2, output_width = 3, sampling_ratio = 2> (x, q, i)", 0.3, 1.2 },
  .doc = "Crops regions out of a feature map and pools each to a fixed size, reading between the pixels.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "rois", 'T', PH_FLOATS }, { "batch_indices", 0, PH_T (INT64) } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "coordinate_transformation_mode", PH_ATTR_STRING, "\"half_pixel\"", .words = "half_pixel|output_half_pixel" }, { "mode", PH_ATTR_STRING, "\"avg\"", .words = "avg|max" },
             { "output_height", PH_ATTR_INT, "1" }, { "output_width", PH_ATTR_INT, "1" },
             { "sampling_ratio", PH_ATTR_INT, "0" }, { "spatial_scale", PH_ATTR_FLOAT, "1" } },
  .infer = infer_roi_align, .kernel = run_roi_align, .grad_build = ph_grad_roi_align, .no_grad = 1 << 2,
  .grad_text = "dX = dY added back to the pixels that were read, by their weights; drois = dY * (slope of X where it is "
               "sampled)",
};
/* clang-format on */
