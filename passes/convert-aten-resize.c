/* convert-aten-resize.c: PyTorch's layers that resize, sample and shuffle planes, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

static gboolean
grid_sample (PhConvert *l, PhValue **out)
{
  static const char *const modes[] = { "linear", "nearest", "cubic" }, *const borders[] = { "zeros", "border", "reflection" };
  PhValue *x = ph_aten_tensor (l, 0), *grid = ph_aten_tensor (l, 1);
  const gint64 mode = ph_aten_int (l, "interpolation_mode", 0), border = ph_aten_int (l, "padding_mode", 0);

  if (x == NULL || grid == NULL || mode < 0 || mode > 2 || border < 0 || border > 2)
    return ph_convert_stay (l, "its operands are not known");
  out[0] = PH_BUILD_WITH (l->b, GridSample,
                          PH_ATTRS (ph_attr_new_string ("mode", modes[mode]),
                                    ph_attr_new_string ("padding_mode", borders[border]),
                                    ph_attr_new_int ("align_corners", ph_aten_int (l, "align_corners", 0) != 0)),
                          x, grid);
  return TRUE;
}

static gboolean
affine_grid (PhConvert *l, PhValue **out)
{
  PhValue *theta = ph_aten_tensor (l, 0), *size = theta != NULL ? ph_aten_sizes (l, "size", -1) : NULL;

  if (size == NULL)
    return FALSE;
  out[0] = PH_BUILD_WITH (l->b, AffineGrid,
                          PH_ATTRS (ph_attr_new_int ("align_corners", ph_aten_int (l, "align_corners", 0) != 0)), theta, size);
  return TRUE;
}

/* Reads @n numbers of a computed list if they are known. */
static gboolean
known_numbers (PhConvert *l, const char *name, float *to, guint n)
{
  const PhValue *value = ph_aten_computed (l, name);
  const PhNode *list = value != NULL ? value->producer : NULL;

  if (list == NULL || !ph_aten_is_list (list) || list->inputs->len != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      PhTensor *tensor = list->inputs->pdata[i] != NULL ? ph_value_constant (list->inputs->pdata[i]) : NULL;

      if (tensor == NULL || ph_tensor_count (tensor) != 1)
        return FALSE;
      to[i] = (float) ph_tensor_get (tensor, 0);
    }
  return TRUE;
}

/* PyTorch's filters of antialiasing, by the distance in elements of the result. */
static double
filter (double x, gboolean cubic)
{
  x = fabs (x);
  if (!cubic)
    return x < 1 ? 1 - x : 0;
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

/* How much of each of @from elements is in each of @to, as a matrix. */
static PhValue *
filters (PhConvert *l, gint64 from, gint64 to, gboolean cubic, gboolean turned)
{
  const gint64 dims[2] = { turned ? from : to, turned ? to : from };
  const double step = (double) from / (double) to, wide = MAX (step, 1);
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, 2, dims);
  float *data = ph_tensor_writable (tensor);

  for (gint64 i = 0; i < to; i++)
    {
      const double centre = ((double) i + 0.5) * step, reach = (cubic ? 2 : 1) * wide;
      const gint64 first = MAX ((gint64) (centre - reach + 0.5), 0), end = MIN ((gint64) (centre + reach + 0.5), from);
      double sum = 0;

      for (gint64 k = first; k < end; k++)
        sum += filter (((double) k + 0.5 - centre) / wide, cubic);
      for (gint64 k = 0; k < from; k++)
        data[turned ? k * to + i : i * from + k] = k >= first && k < end
                                                       ? (float) (filter (((double) k + 0.5 - centre) / wide, cubic) / sum)
                                                       : 0;
    }
  return ph_build_tensor (l->b, tensor);
}

/* Resizes with antialiasing: ONNX's reaches over the border, PyTorch's stops there. */
static gboolean
resize_smoothly (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const gboolean cubic = strstr (l->op, "bicubic") != NULL;
  gint64 sizes[2];
  guint n = 2;

  if (x == NULL || ph_value_rank (x) != 4 || ph_value_dim (x, 2) < 1 || ph_value_dim (x, 3) < 1
      || !ph_aten_ints (l, "output_size", sizes, &n) || n != 2 || ph_aten_int (l, "align_corners", 0) != 0)
    return ph_convert_stay (l, "its sizes are not known");
  for (guint i = 0; i < 2; i++)
    if (sizes[i] < 1 || sizes[i] > 1 << 24 || ph_value_dim (x, (int) i + 2) > (1 << 24) / sizes[i])
      return ph_convert_stay (l, "its sizes are too large");
  x = PH_BUILD (l->b, MatMul, x,
                ph_convert_cast (l, filters (l, ph_value_dim (x, 3), sizes[1], cubic, TRUE), ph_value_dtype (x)));
  out[0] = x != NULL ? PH_BUILD (
               l->b, MatMul, ph_convert_cast (l, filters (l, ph_value_dim (x, 2), sizes[0], cubic, FALSE), ph_value_dtype (x)), x)
                     : NULL;
  return out[0] != NULL;
}

/* Reads how much larger each of @n dimensions becomes; one number stands for all. */
static gboolean
read_factors (const PhNode *node, float *to, guint n)
{
  const PhAttr *attr = ph_node_attr (node, "scale_factors");
  const gsize given = attr == NULL                                                 ? 0
                      : attr->kind == PH_ATTR_INT || attr->kind == PH_ATTR_FLOAT   ? 1
                      : attr->kind == PH_ATTR_INTS || attr->kind == PH_ATTR_FLOATS ? attr->n
                                                                                   : 0;

  for (guint i = 0; i < n && (given == 1 || given == n); i++)
    to[i] = attr->kind == PH_ATTR_INT     ? (float) attr->i
            : attr->kind == PH_ATTR_FLOAT ? attr->f
            : attr->kind == PH_ATTR_INTS  ? (float) attr->ints[given == 1 ? 0 : i]
                                          : attr->floats[given == 1 ? 0 : i];
  return given == 1 || given == n;
}

/* The sizes of the result's last @n dimensions; one number stands for all. */
static PhValue *
output_sizes (PhConvert *l, guint n)
{
  gint64 size[3];
  guint one = 1;

  if (!ph_aten_ints (l, "output_size", size, &one) || one != 1)
    return ph_aten_sizes (l, "output_size", -1);
  size[1] = size[2] = size[0];
  return ph_convert_ints_value (l, size, n);
}

/* Reads the factors that stand beside the sizes of the result; the coordinates follow from them, not from the sizes. */
static gboolean
read_scales (const PhNode *node, float *to, guint n)
{
  static const char *const names[] = { "scales_d", "scales_h", "scales_w" };

  for (guint i = 0; i < n; i++)
    {
      const PhAttr *attr = ph_node_attr (node, n == 1 && ph_node_attr (node, "scales") != NULL ? "scales" : names[3 - n + i]);

      if (attr == NULL || (attr->kind != PH_ATTR_FLOAT && attr->kind != PH_ATTR_INT))
        return FALSE;
      to[i] = attr->kind == PH_ATTR_INT ? (float) attr->i : attr->f;
    }
  return TRUE;
}

/* The sizes of what is @scale times as large as @x. */
static PhValue *
scaled_sizes (PhConvert *l, PhValue *x, const float *scale, PhValue *scales)
{
  gint64 sizes[5];
  const guint rank = (guint) ph_value_rank (x);
  gboolean known = TRUE;

  for (guint i = 0; i < rank; i++)
    {
      known = known && ph_value_dim (x, (int) i) >= 0;
      sizes[i] = (gint64) floor ((double) ph_value_dim (x, (int) i) * (double) scale[i]);
    }
  if (known)
    return ph_convert_ints_value (l, sizes, rank);
  return ph_convert_cast (
      l, PH_BUILD (l->b, Floor, PH_BUILD (l->b, Mul, ph_convert_cast (l, PH_BUILD (l->b, Shape, x), PH_FLOAT), scales)),
      PH_INT64);
}

static gboolean
upsample (PhConvert *l, PhValue **out)
{
  const gboolean linear = strstr (l->op, "linear") != NULL, cubic = strstr (l->op, "bicubic") != NULL,
                 exact = strstr (l->op, "exact") != NULL, corners = ph_aten_int (l, "align_corners", 0) != 0;
  PhValue *x = ph_aten_operand (l), *sizes = NULL, *scales = NULL;
  float scale[5] = { 1, 1, 1, 1, 1 };
  const int rank = x != NULL ? ph_value_rank (x) : -1;

  if (rank < 3 || rank > 5)
    return ph_convert_stay (l, "the rank of its operand is not known");
  if (!corners && read_scales (l->node, scale + 2, (guint) rank - 2))
    scales = ph_build_tensor (l->b, ph_tensor_new_floats (scale, (gsize) rank));
  else if (ph_aten_has (l, "output_size"))
    {
      PhValue *parts[] = { ph_aten_shape_part (l, x, 0, 2), output_sizes (l, (guint) rank - 2) };

      sizes = ph_aten_concat (l, parts, 2, 0);
    }
  else if (read_factors (l->node, scale + 2, (guint) rank - 2) || known_numbers (l, "scale_factors", scale + 2, (guint) rank - 2))
    scales = ph_build_tensor (l->b, ph_tensor_new_floats (scale, (gsize) rank));
  if (sizes == NULL && scales == NULL)
    return ph_convert_stay (l, "the size of its result is not known");
  if (corners && scales != NULL) /* the corners are those of a result of whole elements */
    {
      sizes = scaled_sizes (l, x, scale, scales);
      scales = NULL;
    }
  out[0] = ph_build_node (
      l->b, &ph_op_Resize, PH_VALUES_ (x, NULL, scales, sizes), sizes != NULL ? 4 : 3,
      PH_ATTRS (ph_attr_new_string ("mode", cubic    ? "cubic"
                                            : linear ? "linear"
                                                     : "nearest"),
                ph_attr_new_string ("coordinate_transformation_mode", !linear && !cubic && !exact ? "asymmetric"
                                                                      : corners                   ? "align_corners"
                                                                                                  : "half_pixel"),
                ph_attr_new_string ("nearest_mode", exact ? "round_prefer_ceil" : "floor")),
      1);
  return TRUE;
}

static gboolean
pixel_shuffle (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  if (ph_value_rank (x) != 4 || !ph_dtype_is_float (ph_convert_dtype (x)))
    return ph_aten_shuffle (l, out);
  out[0] = PH_BUILD_WITH (
      l->b, DepthToSpace,
      PH_ATTRS (ph_attr_new_int ("blocksize", ph_aten_int (l, "upscale_factor", 1)), ph_attr_new_string ("mode", "CRD")), x);
  return out[0] != NULL;
}

/* clang-format off */
#define EXACT(name) { "aten:" name, upsample, "Resize", "PyTorch takes the element nearest to the centre, as ONNX does for half pixels." }
const PhConvertRule ph_convert_aten_resize[] = {
  EXACT ("_upsample_nearest_exact1d"), EXACT ("_upsample_nearest_exact2d"), EXACT ("_upsample_nearest_exact3d"), { "aten:grid_sampler", grid_sample, "GridSample", "Both read sampling positions that range from -1 to 1." },
  { "aten:grid_sampler_2d", grid_sample, "GridSample", "Both read sampling positions that range from -1 to 1." }, { "aten:affine_grid_generator", affine_grid, "AffineGrid", "Both return sampling positions that range from -1 to 1." },
  { "aten:_upsample_bilinear2d_aa", resize_smoothly, "two MatMuls", "The filter of each row and column is a matrix." }, { "aten:_upsample_bicubic2d_aa", resize_smoothly, "two MatMuls", "The filter of each row and column is a matrix." },
  { "aten:upsample_nearest1d", upsample, "Resize", "PyTorch rounds coordinates down, as ONNX's nearest_mode floor does." }, { "aten:upsample_nearest2d", upsample, "Resize", "PyTorch rounds coordinates down, as ONNX's nearest_mode floor does." },
  { "aten:upsample_nearest3d", upsample, "Resize", "PyTorch rounds coordinates down, as ONNX's nearest_mode floor does." }, { "aten:upsample_linear1d", upsample, "Resize", "Without align_corners, PyTorch places pixels at half coordinates, which is ONNX's half_pixel mode." },
  { "aten:upsample_bilinear2d", upsample, "Resize", "Without align_corners, PyTorch places pixels at half coordinates, which is ONNX's half_pixel mode." }, { "aten:upsample_bicubic2d", upsample, "Resize", "Both interpolate between four pixels along each axis." },
  { "aten:upsample_trilinear3d", upsample, "Resize", "Without align_corners, PyTorch places pixels at half coordinates, which is ONNX's half_pixel mode." }, { "aten:pixel_shuffle", pixel_shuffle, "DepthToSpace", "PyTorch orders the channels by channel, row and column, which is ONNX's mode CRD." },
  { NULL }
};
/* clang-format on */
