/* sample-grad.c: GridSample, RoiAlign and DeformConv in terms of gathers and products, so that they can be differentiated.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/sample.h"
#include "core/ops/onnx/window.h"

#define ADD(x_, y_)         PH_BUILD (b, Add, x_, y_)
#define SUB(x_, y_)         PH_BUILD (b, Sub, x_, y_)
#define MUL(x_, y_)         PH_BUILD (b, Mul, x_, y_)
#define INTS(...)           ph_build_ints (b, (gint64[]) { __VA_ARGS__ }, sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64))
#define AXIS(name_, value_) PH_ATTRS (ph_attr_new_int (name_, value_))

typedef enum
{
  OUTSIDE_ZERO,
  OUTSIDE_BORDER,
  OUTSIDE_REFLECTED
} Outside;

/* The sampling along one axis: taps at whole positions around a coordinate. */
typedef struct
{
  gint64 size;
  char mode;
  Outside outside;
  gboolean align;
} Axis;

static PhValue *
number (PhBuilder *b, const PhValue *like, double value)
{
  return like != NULL ? ph_build_scalar (b, like->type->dtype, value) : NULL;
}

static PhValue *
clip (PhBuilder *b, PhValue *x, double low, double high)
{
  return PH_BUILD (b, Clip, x, number (b, x, low), number (b, x, high));
}

/* Reflects at @low and @high as often as needed; the reflection has a period of twice the range. */
static PhValue *
reflected (PhBuilder *b, PhValue *x, double low, double high)
{
  double range = high - low;
  PhValue *far;

  if (range <= 0)
    return MUL (x, number (b, x, 0));
  far = PH_BUILD_WITH (b, Mod, AXIS ("fmod", 1), PH_BUILD (b, Abs, SUB (x, number (b, x, low))), number (b, x, 2 * range));
  return ADD (PH_BUILD (b, Min, far, SUB (number (b, x, 2 * range), far)), number (b, x, low));
}

/* Builds ((a + 2) d - (a + 3)) d^2 + 1 for distances within one, a (((d - 5) d + 8) d - 4) within two, a = -3/4. */
static PhValue *
cubic_weight (PhBuilder *b, PhValue *distance, gboolean inner)
{
  const double a = -0.75;
  PhValue *d = PH_BUILD (b, Abs, distance);

  if (inner)
    return ADD (MUL (MUL (SUB (MUL (d, number (b, d, a + 2)), number (b, d, a + 3)), d), d), number (b, d, 1));
  return MUL (SUB (MUL (ADD (MUL (SUB (d, number (b, d, 5)), d), number (b, d, 8)), d), number (b, d, 4)), number (b, d, a));
}

/* Builds the taps of coordinates @x, which count elements: @index as int64, @weight (NULL: one). Returns their number. */
static guint
build_taps (PhBuilder *b, PhValue *x, const Axis *axis, PhValue **index, PhValue **weight)
{
  const double low = axis->align ? 0 : -0.5, high = axis->align ? axis->size - 1 : axis->size - 0.5;
  const guint taps = axis->mode == 'n' ? 1 : axis->mode == 'c' ? 4 : 2;
  PhValue *base;

  if (axis->mode == 'n')
    x = PH_BUILD (b, Round, x);
  if (axis->outside == OUTSIDE_BORDER && axis->mode != 'c')
    x = PH_BUILD (b, Where,
                  PH_BUILD (b, Or, PH_BUILD (b, Less, x, number (b, x, low)), PH_BUILD (b, Greater, x, number (b, x, high))),
                  clip (b, x, 0, axis->size - 1), x);
  else if (axis->outside == OUTSIDE_REFLECTED)
    x = reflected (b, x, low, high);
  base = axis->mode == 'n' ? PH_BUILD (b, Round, x) : PH_BUILD (b, Floor, x);
  for (guint t = 0; t < taps; t++)
    {
      PhValue *at = ADD (base, number (b, x, t - (taps == 4 ? 1.0 : 0.0))), *inside = at, *distance = SUB (x, at);

      weight[t] = taps == 1   ? NULL
                  : taps == 4 ? cubic_weight (b, distance, t == 1 || t == 2)
                              : SUB (number (b, x, 1), PH_BUILD (b, Abs, distance));
      if (axis->outside == OUTSIDE_REFLECTED)
        inside = reflected (b, at, low, high);
      inside = clip (b, inside, 0, axis->size - 1);
      if (axis->outside == OUTSIDE_ZERO)
        {
          PhValue *valid = PH_BUILD_WITH (b, Cast, AXIS ("to", x != NULL ? x->type->dtype : PH_FLOAT),
                                          PH_BUILD (b, Equal, inside, at));

          weight[t] = weight[t] != NULL ? MUL (weight[t], valid) : valid;
        }
      index[t] = PH_BUILD_WITH (b, Cast, AXIS ("to", PH_INT64), inside);
    }
  return taps;
}

/* Interpolates @flat, [N, C, places], at @at, [N, M] for each of @n axes. Fills @parts with a weighted [N, C, M] for each combination of
 * taps; their sum is the interpolated value. Returns their number. */
static guint
build_parts (PhBuilder *b, PhValue *flat, PhValue *const *at, const Axis *axes, guint n, PhValue **parts)
{
  PhValue *index[PH_SAMPLE_SPACE][4], *weight[PH_SAMPLE_SPACE][4], *shape, *head[2];
  guint taps = 1, total = 1;

  for (guint d = 0; d < n; d++)
    {
      taps = build_taps (b, at[d], &axes[d], index[d], weight[d]);
      total *= taps;
    }
  head[0] = PH_BUILD_WITH (b, Shape, AXIS ("end", 2), flat);
  head[1] = PH_BUILD_WITH (b, Shape, AXIS ("start", 1), at[0]);
  shape = ph_build_node (b, &ph_op_Concat, head, 2, AXIS ("axis", 0), 1);
  for (guint t = 0; t < total; t++)
    {
      PhValue *place = NULL, *factor = NULL;
      guint rest = t;

      for (guint d = 0; d < n; d++, rest /= taps)
        {
          PhValue *i = index[d][rest % taps], *w = weight[d][rest % taps];

          place = place == NULL ? i : ADD (MUL (place, INTS (axes[d].size)), i);
          factor = factor == NULL ? w : w == NULL ? factor : MUL (factor, w);
        }
      parts[t] = PH_BUILD_WITH (b, GatherElements, AXIS ("axis", 2), flat,
                                PH_BUILD (b, Expand, PH_BUILD (b, Unsqueeze, place, INTS (1)), shape));
      if (factor != NULL)
        parts[t] = MUL (parts[t], PH_BUILD (b, Unsqueeze, factor, INTS (1)));
    }
  return total;
}

static PhValue *
sum_of (PhBuilder *b, PhValue **parts, guint n)
{
  PhValue *sum = parts[0];

  for (guint i = 1; i < n; i++)
    sum = ADD (sum, parts[i]);
  return sum;
}

/* Sets @sizes to those of all axes from @from on. Returns FALSE if one is unknown. */
static gboolean
sizes_from (const PhValue *value, guint from, gint64 *sizes)
{
  if (value == NULL || value->type == NULL || !value->type->has_rank)
    return FALSE;
  for (guint i = from; i < value->type->rank; i++)
    if (!ph_dim_known (value->type->dims[i]))
      return FALSE;
    else
      sizes[i - from] = value->type->dims[i].size;
  return TRUE;
}

static PhValue *
column (PhBuilder *b, PhValue *table, int axis, gint64 at)
{
  return PH_BUILD_WITH (b, Gather, AXIS ("axis", axis), table, ph_build_scalar (b, PH_INT64, at));
}

/* Builds GridSample, in which coordinate d of a point belongs to the d-th axis from the end. */
static gboolean
build_grid_sample (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error)
{
  const char *how = ph_node_attr_string (node, "padding_mode", "zeros"), *name = ph_node_attr_string (node, "mode", "linear");
  Axis axis = { .mode = g_str_equal (name, "nearest")                                  ? 'n'
                        : g_str_equal (name, "cubic") || g_str_equal (name, "bicubic") ? 'c'
                                                                                       : 'l',
                .outside = g_str_equal (how, "border")       ? OUTSIDE_BORDER
                           : g_str_equal (how, "reflection") ? OUTSIDE_REFLECTED
                                                             : OUTSIDE_ZERO,
                .align = ph_node_attr_int (node, "align_corners", 0) != 0 };
  PhValue *x = inputs[0], *grid = inputs[1], *at[PH_SAMPLE_SPACE], *parts[64], *shape[2];
  Axis axes[PH_SAMPLE_SPACE];
  gint64 sizes[PH_MAX_RANK];
  guint n;

  if (!sizes_from (x, 2, sizes) || x->type->rank < 3 || x->type->rank > 5)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs an input of 1 to 3 spatial dimensions with known sizes");
  n = x->type->rank - 2;
  if (grid->type != NULL && grid->type->dtype != x->type->dtype)
    grid = PH_BUILD_WITH (b, Cast, AXIS ("to", x->type->dtype), grid);
  shape[0] = PH_BUILD_WITH (b, Shape, AXIS ("end", 2), x);
  shape[1] = PH_BUILD_WITH (b, Shape, PH_ATTRS (ph_attr_new_int ("start", 1), ph_attr_new_int ("end", -1)), grid);
  grid = PH_BUILD (b, Reshape, grid, INTS (0, -1, n));
  for (guint d = 0; d < n; d++)
    {
      PhValue *g = ADD (column (b, grid, 2, n - 1 - d), number (b, x, 1));

      axes[d] = axis;
      axes[d].size = sizes[d];
      at[d] = axis.align ? MUL (g, number (b, x, (sizes[d] - 1) / 2.0))
                         : SUB (MUL (g, number (b, x, sizes[d] / 2.0)), number (b, x, 0.5));
    }
  x = PH_BUILD (b, Reshape, x, INTS (0, 0, -1));
  outputs[0] = PH_BUILD (b, Reshape, sum_of (b, parts, build_parts (b, x, at, axes, n, parts)),
                         ph_build_node (b, &ph_op_Concat, shape, 2, AXIS ("axis", 0), 1));
  return TRUE;
}

gboolean
ph_grad_grid_sample (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_grid_sample, error);
}

/* Returns for RoiAlign the positions along one axis [R, bins * per_bin] at which @bins of each region are sampled, @per_bin per bin. */
static PhValue *
roi_places (PhBuilder *b, PhValue *start, PhValue *length, gint64 bins, gint64 per_bin)
{
  PhDType dtype = start != NULL ? start->type->dtype : PH_FLOAT;
  PhTensor *fractions = ph_tensor_new (dtype, 2, (gint64[]) { 1, bins * per_bin });

  for (gint64 i = 0; i < bins * per_bin; i++)
    ph_dtype_store (dtype, ph_tensor_writable (fractions), i, (i / per_bin + (i % per_bin + 0.5) / per_bin) / bins);
  return ADD (MUL (length, ph_build_tensor (b, fractions)), start);
}

/* Returns 1 where -1 <= x <= size, else 0. */
static PhValue *
near (PhBuilder *b, PhValue *x, gint64 size)
{
  PhValue *inside = PH_BUILD (b, And, PH_BUILD (b, GreaterOrEqual, x, number (b, x, -1)),
                              PH_BUILD (b, LessOrEqual, x, number (b, x, size)));

  return PH_BUILD_WITH (b, Cast, AXIS ("to", x != NULL ? x->type->dtype : PH_FLOAT), inside);
}

/* [R, rows] or [R, columns] over all places of the region: [R, rows * columns]. */
static PhValue *
spread (PhBuilder *b, PhValue *values, gboolean rows, gint64 n_rows, gint64 n_columns)
{
  PhValue *open = PH_BUILD (b, Unsqueeze, values, INTS (rows ? 2 : 1));

  return PH_BUILD (b, Reshape, PH_BUILD (b, Expand, open, INTS (1, n_rows, n_columns)), INTS (0, -1));
}

static gboolean
build_roi_align (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error)
{
  gboolean half = g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", "half_pixel"), "half_pixel");
  gboolean most = g_str_equal (ph_node_attr_string (node, "mode", "avg"), "max");
  gint64 high = ph_node_attr_int (node, "output_height", 1), wide = ph_node_attr_int (node, "output_width", 1);
  gint64 ratio = ph_node_attr_int (node, "sampling_ratio", 0), sizes[PH_MAX_RANK], rows = high * ratio, columns = wide * ratio;
  PhValue *x = inputs[0], *rois = inputs[1], *at[2], *parts[4], *inside[2], *y;
  Axis axes[2];

  if (!sizes_from (x, 2, sizes) || x->type->rank != 4)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs an input with known height and width");
  if (ratio < 1)
    return ph_node_fail (
        node, error, PH_ERROR_UNSUPPORTED,
        "its gradient needs a sampling_ratio above 0: else the number of samples depends on the regions' values");
  for (guint d = 0; d < 2; d++) /* height first; regions are x1, y1, x2, y2 */
    {
      PhValue *scale = number (b, rois, ph_node_attr_float (node, "spatial_scale", 1)), *shift = number (b, rois, half ? 0.5 : 0);
      PhValue *start = SUB (MUL (PH_BUILD_WITH (b, Gather, AXIS ("axis", 1), rois, INTS (1 - d)), scale), shift);
      PhValue *length = SUB (SUB (MUL (PH_BUILD_WITH (b, Gather, AXIS ("axis", 1), rois, INTS (3 - d)), scale), shift), start);

      if (!half)
        length = PH_BUILD (b, Max, length, number (b, rois, 1));
      at[d] = roi_places (b, start, length, d == 0 ? high : wide, ratio);
      inside[d] = spread (b, near (b, at[d], sizes[d]), d == 0, rows, columns);
      at[d] = spread (b, clip (b, at[d], 0, sizes[d] - 1), d == 0, rows, columns);
      axes[d] = (Axis) { sizes[d], 'l', OUTSIDE_BORDER, TRUE };
    }
  x = PH_BUILD (b, Reshape, PH_BUILD_WITH (b, Gather, AXIS ("axis", 0), x, inputs[2]), INTS (0, 0, -1));
  build_parts (b, x, at, axes, 2, parts);
  for (guint i = 0; i < 4; i++)
    {
      parts[i] = MUL (parts[i], PH_BUILD (b, Unsqueeze, MUL (inside[0], inside[1]), INTS (1)));
      if (most)
        parts[i] = PH_BUILD_WITH (b, ReduceMax, AXIS ("keepdims", 0),
                                  PH_BUILD (b, Reshape, parts[i], INTS (0, 0, high, ratio, wide, ratio)), INTS (3, 5));
    }
  if (most)
    y = ph_build_node (b, &ph_op_Max, parts, 4, NULL, 1);
  else
    y = PH_BUILD_WITH (b, ReduceMean, AXIS ("keepdims", 0),
                       PH_BUILD (b, Reshape, sum_of (b, parts, 4), INTS (0, 0, high, ratio, wide, ratio)), INTS (3, 5));
  outputs[0] = y;
  return TRUE;
}

gboolean
ph_grad_roi_align (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_roi_align, error);
}

/* DeformConv: the position of each tap of the window without its offset, along one axis: [1, 1, taps, places]. */
static PhValue *
tap_places (PhBuilder *b, PhDType dtype, const PhWindow *w, guint axis, gint64 taps, gint64 places)
{
  PhTensor *tensor = ph_tensor_new (dtype, 4, (gint64[]) { 1, 1, taps, places });

  for (gint64 k = 0; k < taps; k++)
    for (gint64 p = 0; p < places; p++)
      {
        gint64 tap = k, place = p;

        for (guint d = w->n - 1; d > axis; d--)
          {
            tap /= w->kernel[d];
            place /= w->out[d];
          }
        ph_dtype_store (dtype, ph_tensor_writable (tensor), k * places + p,
                        place % w->out[axis] * w->stride[axis] - w->begin[axis] + tap % w->kernel[axis] * w->dilation[axis]);
      }
  return ph_build_tensor (b, tensor);
}

static gboolean
build_deform_conv (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error)
{
  PhValue *x = inputs[0], *weight = inputs[1], *offset = inputs[2], *bias = inputs[3], *mask = inputs[4], *at[PH_SAMPLE_SPACE],
          *parts[64];
  gint64 groups = ph_node_attr_int (node, "group", 1), o_groups = ph_node_attr_int (node, "offset_group", 1);
  gint64 xd[PH_MAX_RANK], wd[PH_MAX_RANK], shape[PH_MAX_RANK] = { -1 }, ones[PH_MAX_RANK] = { -1 }, taps, places;
  Axis axes[PH_SAMPLE_SPACE];
  PhValue *columns;
  PhWindow w;
  guint n;

  if (!sizes_from (x, 1, xd) || !sizes_from (weight, 0, wd) || x->type->rank < 3 || x->type->rank > 5
      || weight->type->rank != x->type->rank)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs an input and a weight of 1 to 3 spatial dimensions with known sizes");
  n = x->type->rank - 2;
  if (ph_window_init (&w, node, n, xd + 1, wd + 2) != NULL || groups < 1 || o_groups < 1 || wd[0] % groups != 0
      || xd[0] % o_groups != 0)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs a window and groups that fit the input");
  taps = ph_window_kernel_count (&w);
  places = ph_dims_product (w.out, 0, n);
  offset = PH_BUILD (b, Reshape, offset, INTS (-1, o_groups, taps, n, places));
  for (guint d = 0; d < n; d++)
    {
      at[d] = ADD (column (b, offset, 3, d), tap_places (b, x->type->dtype, &w, d, taps, places));
      at[d] = PH_BUILD (b, Reshape, at[d], INTS (-1, taps * places));
      axes[d] = (Axis) { xd[1 + d], 'l', OUTSIDE_ZERO, TRUE };
    }
  columns = PH_BUILD (b, Reshape, x, INTS (-1, xd[0] / o_groups, ph_dims_product (xd, 1, n + 1)));
  columns = sum_of (b, parts, build_parts (b, columns, at, axes, n, parts));
  if (mask != NULL)
    columns = MUL (columns, PH_BUILD (b, Reshape, mask, INTS (-1, 1, taps * places)));
  columns = PH_BUILD (b, Reshape, columns, INTS (-1, groups, xd[0] / groups * taps, places));
  weight = PH_BUILD (b, Reshape, weight, INTS (groups, wd[0] / groups, -1));
  shape[1] = ones[0] = wd[0];
  for (guint d = 0; d < n; d++)
    {
      shape[2 + d] = w.out[d];
      ones[1 + d] = 1;
    }
  outputs[0] = PH_BUILD (b, Reshape, PH_BUILD (b, MatMul, weight, columns), ph_build_ints (b, shape, n + 2));
  if (bias != NULL)
    outputs[0] = ADD (outputs[0], PH_BUILD (b, Reshape, bias, ph_build_ints (b, ones, n + 1)));
  return TRUE;
}

gboolean
ph_grad_deform_conv (PhGrad *grad, GError **error)
{
  const PhValue *x = ph_grad_in (grad, 0);

  if (ph_value_is_empty (x)) /* then the output is the bias */
    {
      gint64 axes[PH_MAX_RANK];
      guint n = 0;

      for (guint i = 0; i < x->type->rank; i++)
        if (i != 1)
          axes[n++] = i;
      for (guint i = 0; i < grad->node->inputs->len; i++)
        grad->zero[i] = TRUE;
      if (grad->wanted[3])
        grad->dx[3] = PH_BUILD_WITH (grad->b, ReduceSum, AXIS ("keepdims", 0), grad->dy[0], ph_build_ints (grad->b, axes, n));
      return TRUE;
    }
  return ph_grad_through (grad, build_deform_conv, error);
}
