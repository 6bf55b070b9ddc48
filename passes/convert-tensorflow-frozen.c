/* convert-tensorflow-frozen.c: what optimised and frozen graphs of TensorFlow hold, in ONNX's operators: fused ones, detection, counts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

/* ── an operator and what was fused behind it ── */

static gboolean
is_channels_first (PhConvert *l)
{
  return strncmp (ph_node_attr_string (l->node, "data_format", "NHWC"), "NC", 2) == 0;
}

/* Returns one number for each channel of @value, in the shape that broadcasts. */
static PhValue *
per_channel (PhConvert *l, PhValue *value, PhValue *numbers)
{
  return is_channels_first (l) ? ph_foreign_along (l, numbers, ph_value_rank (value), 1) : numbers;
}

/* (x - mean) / sqrt (variance + epsilon) * scale + offset, with the operands from @first on. */
static PhValue *
normalise (PhConvert *l, PhValue *x, guint first)
{
  const double epsilon = ph_node_attr_float (l->node, "epsilon", 0);
  PhValue **in = l->in + first,
          *scale = PH_BUILD (l->b, Div, in[0],
                             PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Add, in[3], ph_foreign_number (l, in[3], epsilon))));

  x = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, x, per_channel (l, x, in[2])), per_channel (l, x, scale));
  return PH_BUILD (l->b, Add, x, per_channel (l, x, in[1]));
}

/* (nullable) l->stays says why. */
static PhValue *
fused_step (PhConvert *l, const char *step, PhValue *x, guint *next)
{
  static const struct
  {
    const char *name;
    const PhOp *op;
  } plain[] = { { "Relu", &ph_op_Relu }, { "Elu", &ph_op_Elu }, { "Tanh", &ph_op_Tanh }, { "Sigmoid", &ph_op_Sigmoid } };
  const guint first = *next, takes = strcmp (step, "BiasAdd") == 0 ? 1 : strcmp (step, "FusedBatchNorm") == 0 ? 4 : 0;

  if (first + takes > l->n_in)
    {
      ph_convert_stay (l, "the operands of its %s are missing", step);
      return NULL;
    }
  *next += takes;
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (strcmp (step, plain[i].name) == 0)
      return ph_build_node (l->b, plain[i].op, &x, 1, NULL, 1);
  if (takes == 1)
    return PH_BUILD (l->b, Add, x, per_channel (l, x, l->in[first]));
  if (takes == 4)
    return normalise (l, x, first);
  if (strcmp (step, "Relu6") == 0)
    return PH_BUILD (l->b, Clip, x, ph_foreign_number (l, x, 0), ph_foreign_number (l, x, 6));
  if (strcmp (step, "LeakyRelu") == 0)
    return PH_BUILD_WITH (l->b, LeakyRelu,
                          PH_ATTRS (ph_attr_new_float ("alpha", ph_node_attr_float (l->node, "leakyrelu_alpha", 0.2f))), x);
  if (strncmp (step, "Gelu", 4) == 0)
    return PH_BUILD_WITH (l->b, Gelu,
                          PH_ATTRS (ph_attr_new_string ("approximate", strstr (step, "Exact") != NULL ? "none" : "tanh")), x);
  ph_convert_stay (l, "ONNX has no %s", step);
  return NULL;
}

static gboolean
fused (PhConvert *l, PhValue **out)
{
  const PhAttr *steps = ph_node_attr (l->node, "fused_ops");
  const char *name = strstr (l->op, "Depthwise") != NULL ? "tf:DepthwiseConv2dNative"
                     : strstr (l->op, "Conv") != NULL    ? "tf:Conv2D"
                                                         : "tf:MatMul";
  const guint n_in = l->n_in;
  guint next = 2;
  gboolean ok;

  l->n_in = MIN (n_in, 2);
  ok = ph_foreign_as (l, name, out);
  l->n_in = n_in;
  for (gsize i = 0; ok && steps != NULL && steps->kind == PH_ATTR_STRINGS && i < steps->n; i++)
    {
      g_autofree char *step = ph_attr_dup_string (steps, i);

      ok = (out[0] = fused_step (l, step, out[0], &next)) != NULL;
    }
  return ok;
}

/* ── detection ── */

static PhValue *
one_of (PhConvert *l, PhValue *value, PhDType dtype)
{
  return ph_convert_cast (l, PH_BUILD (l->b, Reshape, value, ph_convert_ints_value (l, (gint64[]) { 1 }, 1)), dtype);
}

/* Boxes of one class of one image: in ONNX batch and class come first, and each row of the result is batch, class, box. */
static gboolean
suppress (PhConvert *l, PhValue **out)
{
  const gint64 box = 2, axis = 1, first[] = { 0 };
  const gboolean pads = strstr (l->op, "V4") != NULL
                        && (strstr (l->op, "tflite") != NULL || ph_node_attr_int (l->node, "pad_to_max_output_size", 0) != 0);
  PhValue *inputs[5], *kept, *count;

  inputs[0] = PH_BUILD (l->b, Unsqueeze, l->in[0], ph_convert_ints_value (l, first, 1));
  inputs[1] = PH_BUILD (l->b, Unsqueeze, l->in[1], ph_convert_ints_value (l, (gint64[]) { 0, 1 }, 2));
  inputs[2] = one_of (l, l->in[2], PH_INT64);
  if (l->n_in > 3)
    inputs[3] = one_of (l, l->in[3], PH_FLOAT);
  else
    inputs[3] = ph_build_tensor (
        l->b, ph_tensor_new_floats ((const float[]) { (float) ph_foreign_attr_number (l, "iou_threshold", 0.5) }, 1));
  if (l->n_in > 4)
    inputs[4] = one_of (l, l->in[4], PH_FLOAT);
  kept = ph_build_node (l->b, &ph_op_NonMaxSuppression, inputs, l->n_in > 4 ? 5 : 4, NULL, 1);
  kept = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), kept,
                        ph_build_tensor (l->b, ph_tensor_new_scalar (PH_INT64, box)));
  count = PH_BUILD (l->b, Size, kept);
  out[0] = ph_convert_cast (l, kept, PH_INT32);
  if (l->n_out > 1)
    out[1] = ph_convert_cast (l, count, PH_INT32);
  if (pads && out[0] != NULL)
    out[0] = PH_BUILD (l->b, Pad, out[0],
                       PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_convert_ints_value (l, first, 1),
                                      PH_BUILD (l->b, Sub, inputs[2], one_of (l, count, PH_INT64))));
  return out[0] != NULL;
}

/* Where along one side of the image, of @size pixels, the samples of each box lie, in pixels: rows of @n. */
static PhValue *
places_along (PhConvert *l, gint64 side, gint64 size, gint64 n)
{
  PhValue *boxes = l->in[1], *at[2], *step = ph_foreign_number (l, boxes, (double) (size - 1));
  g_autoptr (PhTensor) share = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 1, n });

  if (share == NULL)
    return NULL;
  for (gint64 i = 0; i < n; i++)
    ((float *) ph_tensor_writable (share))[i] = n > 1 ? (float) i / (float) (n - 1) : 0.5f;
  for (gint64 i = 0; i < 2; i++)
    at[i] = PH_BUILD (l->b, Mul, step,
                      ph_convert_slice (l, boxes, (gint64[]) { 0, side + 2 * i }, (gint64[]) { G_MAXINT64, side + 2 * i + 1 },
                                        (gint64[]) { 1, 1 }, 2));
  return PH_BUILD (l->b, Add, at[0],
                   PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, at[1], at[0]), ph_build_tensor (l->b, g_steal_pointer (&share))));
}

/* Boxes of images, sampled at points of an even grid; a point outside the image has a value of its own. */
static gboolean
crop_and_resize (PhConvert *l, PhValue **out)
{
  const gboolean nearest = strcmp (ph_node_attr_string (l->node, "method", "bilinear"), "nearest") == 0;
  g_autoptr (GArray) sizes = ph_foreign_ints (l, 3);
  PhValue *grid[2], *inside = NULL, *x, *zero, *shaped[2];

  if (sizes == NULL)
    return FALSE;
  if (sizes->len != 2 || ph_value_dim (l->in[0], 1) < 1 || ph_value_dim (l->in[0], 2) < 1)
    return ph_convert_stay (l, "the size of its images is not known");
  for (gint64 side = 0; side < 2; side++)
    {
      const gint64 size = ph_value_dim (l->in[0], (int) side + 1);
      PhValue *at = places_along (l, side, size, g_array_index (sizes, gint64, side)), *fits;
      const double end = (double) (size - 1);

      if (at == NULL)
        return FALSE;
      at = PH_BUILD (l->b, Unsqueeze, at, ph_convert_ints_value (l, (gint64[]) { 2 - side }, 1));
      fits = PH_BUILD (l->b, And, PH_BUILD (l->b, GreaterOrEqual, at, ph_foreign_number (l, at, 0)),
                       PH_BUILD (l->b, LessOrEqual, at, ph_foreign_number (l, at, end)));
      inside = inside == NULL ? fits : PH_BUILD (l->b, And, inside, fits);
      if (nearest)
        at = PH_BUILD (l->b, Floor, PH_BUILD (l->b, Add, at, ph_foreign_number (l, at, 0.5)));
      /* ONNX counts from -1, the middle of the first pixel, to 1, that of the last. */
      grid[side] = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Mul, at, ph_foreign_number (l, at, end > 0 ? 2 / end : 0)),
                             ph_foreign_number (l, at, 1));
    }
  zero = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Add, grid[0], grid[1]), ph_foreign_number (l, grid[0], 0));
  for (guint i = 0; i < 2; i++) /* x before y */
    shaped[i] = PH_BUILD (l->b, Unsqueeze, PH_BUILD (l->b, Add, grid[1 - i], zero),
                          ph_convert_ints_value (l, (gint64[]) { 3 }, 1));
  x = PH_BUILD (l->b, Gather, ph_foreign_to_nchw (l, ph_convert_cast (l, l->in[0], PH_FLOAT)), l->in[2]);
  x = PH_BUILD_WITH (l->b, GridSample,
                     PH_ATTRS (ph_attr_new_string ("mode", nearest ? "nearest" : "linear"),
                               ph_attr_new_string ("padding_mode", "border"), ph_attr_new_int ("align_corners", 1)),
                     x, PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 3)), shaped[0], shaped[1]));
  x = ph_foreign_to_nhwc (l, x);
  inside = PH_BUILD (l->b, Unsqueeze, inside, ph_convert_ints_value (l, (gint64[]) { 3 }, 1));
  out[0] = PH_BUILD (l->b, Where, inside, x, ph_foreign_number (l, x, ph_foreign_attr_number (l, "extrapolation_value", 0)));
  return out[0] != NULL;
}

/* Where the greatest element is, counted over height, width and channels; ONNX counts over samples, channels, height and width. */
static gboolean
pool_with_places (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];
  PhAttr *attrs[16] = { NULL };
  const PhNode *pool;
  PhValue *places;

  if (!ph_convert_dims (l, l->in[0], dims) || ph_convert_rank (l->in[0]) != 4)
    return l->stays == NULL ? ph_convert_stay (l, "it pools no images") : FALSE;
  if (!ph_foreign_as (l, "tf:MaxPool", out) || l->n_out < 2)
    return out[0] != NULL;
  pool = out[0]->producer;
  if (pool != NULL && pool->op == &ph_op_Transpose)
    pool = ph_node_input (pool, 0)->producer;
  if (pool == NULL || pool->op != &ph_op_MaxPool || pool == out[0]->producer || pool->attrs->len >= G_N_ELEMENTS (attrs))
    return ph_convert_stay (l, "its channels come first");
  for (guint i = 0; i < pool->attrs->len; i++)
    attrs[i] = ph_attr_ref (pool->attrs->pdata[i]);
  places = ph_build_node (l->b, &ph_op_MaxPool, (PhValue *[]) { ph_node_input (pool, 0) }, 1, attrs, 2);
  if (places == NULL)
    return FALSE;
  places = PH_BUILD (l->b, Mod, ph_node_output (places->producer, 1),
                     ph_build_tensor (l->b, ph_tensor_new_scalar (PH_INT64, (double) (dims[1] * dims[2]))));
  places = PH_BUILD (l->b, Add,
                     PH_BUILD (l->b, Mul, places, ph_build_tensor (l->b, ph_tensor_new_scalar (PH_INT64, (double) dims[3]))),
                     ph_convert_iota (l, dims[3], 1, 4));
  if (ph_node_attr_int (l->node, "include_batch_in_index", 0) != 0)
    places = PH_BUILD (
        l->b, Add, places,
        PH_BUILD (l->b, Mul, ph_convert_iota (l, dims[0], 0, 4),
                  ph_build_tensor (l->b, ph_tensor_new_scalar (PH_INT64, (double) (dims[1] * dims[2] * dims[3])))));
  out[1] = ph_foreign_to_nhwc (l, places);
  return out[1] != NULL;
}

/* ── counts ── */

/* How often each number from 0 on appears, in each row; with weights, their sums. */
static gboolean
count (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  const gint64 last[] = { rank - 1 };
  const PhType *type = ph_convert_type (l, 0);
  const PhDType dtype = type != NULL && type->dtype != PH_UNDEFINED ? type->dtype : ph_convert_dtype (l->in[2]);
  const gboolean weighted = l->in[2] != NULL && ph_value_rank (l->in[2]) > 0 && ph_value_dim (l->in[2], 0) != 0;
  const gboolean once = ph_node_attr_int (l->node, "binary_output", 0) != 0;
  PhValue *each;

  if (rank < 1 || dtype == PH_UNDEFINED || (weighted && ph_value_dim (l->in[2], 0) < 0))
    return ph_convert_stay (l, "the sizes of its operands are not known");
  each = ph_foreign_one_hot (l, l->in[0], l->in[1], ph_convert_number (l, dtype, 1), ph_convert_number (l, dtype, 0), -1);
  if (weighted && !once)
    each = PH_BUILD (l->b, Mul, each, ph_foreign_axis (l, &ph_op_Unsqueeze, ph_convert_cast (l, l->in[2], dtype), rank));
  out[0] = ph_build_node (l->b, once ? &ph_op_ReduceMax : &ph_op_ReduceSum,
                          (PhValue *[]) { each, ph_convert_ints_value (l, last, 1) }, 2,
                          PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
  return out[0] != NULL;
}

/* Where each value would go in a sorted row: behind as many as are less, or not greater. */
static gboolean
bounds (PhConvert *l, PhValue **out)
{
  PhValue *row = ph_foreign_axis (l, &ph_op_Unsqueeze, l->in[0], 1), *value = ph_foreign_axis (l, &ph_op_Unsqueeze, l->in[1], 2),
          *before;

  before = strstr (l->op, "Lower") != NULL ? PH_BUILD (l->b, Less, row, value) : PH_BUILD (l->b, LessOrEqual, row, value);
  out[0] = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                          ph_convert_cast (l, before, ph_foreign_type_attr (l, "out_type", PH_INT32)),
                          ph_convert_ints_value (l, (gint64[]) { 2 }, 1));
  return out[0] != NULL;
}

PH_CONVERT_TO (is_finite,
               PH_BUILD (l->b, Not, PH_BUILD (l->b, Or, PH_BUILD (l->b, IsNaN, l->in[0]), PH_BUILD (l->b, IsInf, l->in[0]))))

PH_CONVERT_TO (remainder_of, PH_BUILD_WITH (l->b, Mod, PH_ATTRS (ph_attr_new_int ("fmod", 1)), l->in[0], l->in[1]))

static const char behind[] = "What was fused is written out again.";
static const char boxes[] = "In ONNX batch and class come first, and a box is the last number of its row.";
static const char counted[] = "Each number is compared with all that are counted.";

/* clang-format off */
const PhConvertRule ph_convert_tensorflow_frozen[] = {
  { "tf:_FusedConv2D", fused, "Conv and what is fused", behind }, { "tf:_FusedMatMul", fused, "MatMul and what is fused", behind },
  { "tf:FusedDepthwiseConv2dNative", fused, "Conv and what is fused", behind }, { "tf:_FusedDepthwiseConv2dNative", fused, "Conv and what is fused", behind },
  { "tf:NonMaxSuppression", suppress, "NonMaxSuppression", boxes }, { "tf:NonMaxSuppressionV2", suppress, "NonMaxSuppression", boxes },
  { "tf:NonMaxSuppressionV3", suppress, "NonMaxSuppression", boxes }, { "tf:NonMaxSuppressionV4", suppress, "NonMaxSuppression", boxes },
  { "tflite:NON_MAX_SUPPRESSION_V4", suppress, "NonMaxSuppression", boxes },
  { "tf:CropAndResize", crop_and_resize, "GridSample", "Points outside the image have a value of their own." },
  { "tf:MaxPoolWithArgmax", pool_with_places, "MaxPool", "ONNX counts places in another order of axes." },
  { "tf:Bincount", count, "ReduceSum of OneHot", counted }, { "tf:DenseBincount", count, "ReduceSum of OneHot", counted },
  { "tf:LowerBound", bounds, "ReduceSum of Less", counted }, { "tf:UpperBound", bounds, "ReduceSum of LessOrEqual", counted },
  { "tf:IsFinite", is_finite, "Not of IsNaN or IsInf", "ONNX has no identical operator, so it is composed of others." },
  { "tf:Mod", remainder_of, "Mod", "The remainder has the sign of the dividend." }, { "tf:TruncateMod", remainder_of, "Mod", "The remainder has the sign of the dividend." },
  { "tf:EnsureShape", ph_foreign_same, "its operand", "It returns its operand unchanged." },
  { NULL }
};
/* clang-format on */
