/* convert-tflite.c: TensorFlow Lite's operators in ONNX's, and those of OpenVINO that are ONNX's under another name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

/* ── around an operator: the quantisation of its operands, and its activation ── */

/* Reads the parameters of input or output @index. Returns FALSE if it is not quantised. */
static gboolean
read_quantization (PhConvert *l, const char *side, guint index, PhDType dtype, PhValue **scale, PhValue **zero, gint64 *axis)
{
  g_autofree char *scale_name = g_strdup_printf ("%s%u_scale", side, index),
                  *zero_name = g_strdup_printf ("%s%u_zero_point", side, index);
  g_autofree char *axis_name = g_strdup_printf ("%s%u_axis", side, index);
  const PhAttr *scales = ph_node_attr (l->node, scale_name);
  gsize n = 0;
  const gint64 *zeros = ph_node_attr_ints (l->node, zero_name, &n);
  PhTensor *tensor;
  gboolean any = FALSE;

  if (scales == NULL || scales->kind != PH_ATTR_FLOATS || scales->n == 0 || !ph_dtype_is_integer (dtype))
    return FALSE;
  *axis = ph_node_attr_int (l->node, axis_name, 0);
  tensor = scales->n == 1 ? ph_tensor_new_scalar (PH_FLOAT, scales->floats[0]) : ph_tensor_new_floats (scales->floats, scales->n);
  *scale = ph_build_tensor (l->b, tensor);
  for (gsize i = 0; i < n; i++)
    any = any || zeros[i] != 0;
  *zero = NULL;
  if (!any && dtype == PH_INT32)
    return *scale != NULL;
  tensor = scales->n == 1 ? ph_tensor_new (dtype, 0, NULL) : ph_tensor_new (dtype, 1, (gint64[]) { (gint64) scales->n });
  for (gsize i = 0; tensor != NULL && i < scales->n; i++)
    ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, n == scales->n ? zeros[i] : n > 0 ? zeros[0] : 0);
  *zero = tensor != NULL ? ph_build_tensor (l->b, tensor) : NULL;
  return *scale != NULL && *zero != NULL;
}

static PhValue *
activate (PhConvert *l, PhValue *value)
{
  const char *name = ph_node_attr_string (l->node, "fused_activation_function", "NONE");

  if (value == NULL || strcmp (name, "NONE") == 0)
    return value;
  if (strcmp (name, "RELU") == 0)
    return PH_BUILD (l->b, Relu, value);
  if (strcmp (name, "TANH") == 0)
    return PH_BUILD (l->b, Tanh, value);
  if (strcmp (name, "RELU6") == 0)
    return PH_BUILD (l->b, Clip, value, ph_foreign_number (l, value, 0), ph_foreign_number (l, value, 6));
  if (strcmp (name, "RELU_N1_TO_1") == 0)
    return PH_BUILD (l->b, Clip, value, ph_foreign_number (l, value, -1), ph_foreign_number (l, value, 1));
  ph_convert_stay (l, "ONNX has no activation %s", name);
  return NULL;
}

/* Returns TRUE for operators that only move elements, whose operands may stay quantized. */
static gboolean
only_moves (const char *op)
{
  static const char *const names[] = { "RESHAPE",        "TRANSPOSE",    "EXPAND_DIMS", "SQUEEZE", "SLICE",      "STRIDED_SLICE",
                                       "GATHER",         "GATHER_ND",    "SPLIT",       "SPLIT_V", "PACK",       "UNPACK",
                                       "TILE",           "BROADCAST_TO", "SHAPE",       "RANK",    "REVERSE_V2", "SPACE_TO_DEPTH",
                                       "DEPTH_TO_SPACE", "QUANTIZE",     "DEQUANTIZE",  NULL };

  return g_strv_contains (names, strchr (op, ':') + 1);
}

gboolean
ph_tflite_lower (PhConvert *l, PhConvertFunc lower, PhValue **out)
{
  g_autofree PhValue **in = g_new0 (PhValue *, l->n_in + PH_CONVERT_SPARE);
  PhValue **stored = l->in, *scale, *zero;
  gboolean ok, floats = FALSE;
  gint64 axis;

  for (guint i = 0; i < l->n_in; i++)
    {
      in[i] = stored[i];
      if (stored[i] != NULL && !only_moves (l->op)
          && read_quantization (l, "in", i, ph_convert_dtype (stored[i]), &scale, &zero, &axis))
        {
          PhValue *inputs[] = { stored[i], scale, zero };

          if (ph_convert_dtype (stored[i]) == PH_INT64) /* the bias of int16 operands; ONNX's DequantizeLinear takes no int64 */
            in[i] = PH_BUILD (l->b, Mul, ph_convert_cast (l, stored[i], PH_FLOAT), scale);
          else
            in[i] = ph_build_node (l->b, &ph_op_DequantizeLinear, inputs, zero != NULL ? 3 : 2,
                                   PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
          floats = TRUE;
        }
    }
  l->in = in;
  ok = l->b->error == NULL && lower (l, out);
  l->in = stored;
  if (ok && out[0] != NULL && lower != ph_tflite_lstm) /* whose activation is inside */
    ok = (out[0] = activate (l, out[0])) != NULL;
  for (guint i = 0; ok && floats && i < l->n_out; i++)
    {
      const PhType *type = ph_convert_type (l, i);

      if (out[i] != NULL && type != NULL && ph_convert_dtype (out[i]) == PH_FLOAT
          && read_quantization (l, "out", i, type->dtype, &scale, &zero, &axis) && zero != NULL)
        out[i] = PH_BUILD (l->b, QuantizeLinear, out[i], scale, zero);
    }
  return ok;
}

/* ── operators ── */

static gboolean
fully_connected (PhConvert *l, PhValue **out)
{
  const gint64 perm[] = { 1, 0 }, depth = ph_value_dim (l->in[1], 1);
  PhValue *x = l->in[0], *y;

  if (ph_node_attr_int (l->node, "weights_format", 0) != 0)
    return ph_convert_stay (l, "its weights are stored in a shuffled format");
  if (ph_node_attr_int (l->node, "keep_num_dims", 0) == 0 && ph_value_rank (x) != 2)
    {
      if (depth <= 0)
        return ph_convert_stay (l, "the size of its weights is not known");
      x = PH_BUILD (l->b, Reshape, x, ph_convert_ints_value (l, (gint64[]) { -1, depth }, 2));
    }
  y = PH_BUILD (l->b, MatMul, x, ph_convert_transpose (l, l->in[1], perm, 2));
  out[0] = l->n_in > 2 && l->in[2] != NULL ? PH_BUILD (l->b, Add, y, l->in[2]) : y;
  return TRUE;
}

static gboolean
read_plane (PhConvert *l, PhForeignWindow *window)
{
  *window = (PhForeignWindow) { .n = 2, .group = 1, .padding = ph_node_attr_string (l->node, "padding", "VALID") };
  window->stride[0] = ph_node_attr_int (l->node, "stride_h", 1);
  window->stride[1] = ph_node_attr_int (l->node, "stride_w", 1);
  window->dilation[0] = ph_node_attr_int (l->node, "dilation_h_factor", 1);
  window->dilation[1] = ph_node_attr_int (l->node, "dilation_w_factor", 1);
  if (window->stride[0] <= 0 || window->stride[1] <= 0)
    return ph_convert_stay (l, "its strides are not positive");
  return TRUE;
}

/* Converts a convolution. @perm permutes its filters, which have height and width in the middle, to ONNX's order. */
static gboolean
convolve (PhConvert *l, PhValue *x, gint64 group, const gint64 *perm, PhValue **out)
{
  PhForeignWindow window;

  if (!read_plane (l, &window))
    return FALSE;
  window.kernel[0] = ph_value_dim (l->in[1], 1);
  window.kernel[1] = ph_value_dim (l->in[1], 2);
  if (window.kernel[0] <= 0 || window.kernel[1] <= 0)
    return ph_convert_stay (l, "the size of its filters is not known");
  window.group = group;
  out[0] = ph_foreign_to_nhwc (l, ph_foreign_window (l, &ph_op_Conv, &window, x, ph_convert_transpose (l, l->in[1], perm, 4),
                                                     l->n_in > 2 ? l->in[2] : NULL));
  return out[0] != NULL;
}

/* Filters are out, height, width, in. */
static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gint64 perm[] = { 0, 3, 1, 2 };
  PhValue *x = ph_foreign_to_nchw (l, l->in[0]);
  const gint64 channels = ph_value_dim (x, 1), taken = ph_value_dim (l->in[1], 3);

  return convolve (l, x, taken > 0 && channels > 0 ? MAX (channels / taken, 1) : 1, perm, out);
}

/* Filters are 1, height, width, channels times multiplier. */
static gboolean
depthwise (PhConvert *l, PhValue **out)
{
  const gint64 perm[] = { 3, 0, 1, 2 };
  PhValue *x = ph_foreign_to_nchw (l, l->in[0]);
  const gint64 channels = ph_value_dim (x, 1);

  return channels > 0 ? convolve (l, x, channels, perm, out) : ph_convert_stay (l, "the number of its channels is not known");
}

static gboolean
transpose_conv (PhConvert *l, PhValue **out)
{
  const gint64 perm[] = { 3, 0, 1, 2 };
  const PhType *type = ph_convert_type (l, 0);
  gint64 sizes[PH_MAX_RANK];
  PhValue *x = ph_foreign_to_nchw (l, l->in[2]);
  PhForeignWindow window;

  if (type == NULL || !type->has_rank || type->rank != 4)
    return ph_convert_stay (l, "the size of what it gives is not known");
  if (!ph_convert_out_dims (l, 0, sizes) || !read_plane (l, &window))
    return FALSE;
  window.kernel[0] = ph_value_dim (l->in[1], 1);
  window.kernel[1] = ph_value_dim (l->in[1], 2);
  if (window.kernel[0] <= 0 || window.kernel[1] <= 0)
    return ph_convert_stay (l, "the size of what it gives is not known");
  out[0] = ph_foreign_to_nhwc (l, ph_foreign_transposed (l, &window, x, ph_convert_transpose (l, l->in[1], perm, 4),
                                                         l->n_in > 3 ? l->in[3] : NULL, sizes + 1));
  return out[0] != NULL;
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const gboolean squares = strstr (l->op, "L2") != NULL;
  PhValue *x = ph_foreign_to_nchw (l, l->in[0]);
  PhForeignWindow window;

  if (!read_plane (l, &window))
    return FALSE;
  window.kernel[0] = ph_node_attr_int (l->node, "filter_height", 1);
  window.kernel[1] = ph_node_attr_int (l->node, "filter_width", 1);
  if (squares)
    x = PH_BUILD (l->b, Mul, x, x);
  out[0] = ph_foreign_to_nhwc (
      l, ph_foreign_window (l, strstr (l->op, "MAX") != NULL ? &ph_op_MaxPool : &ph_op_AveragePool, &window, x, NULL, NULL));
  if (squares && out[0] != NULL)
    out[0] = PH_BUILD (l->b, Sqrt, out[0]);
  return out[0] != NULL;
}

static gboolean
softmax (PhConvert *l, PhValue **out)
{
  const float beta = ph_node_attr_float (l->node, "beta", 1);
  PhValue *x = beta != 1 ? PH_BUILD (l->b, Mul, l->in[0], ph_foreign_number (l, l->in[0], beta)) : l->in[0];

  out[0] = PH_BUILD_WITH (l->b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", -1)), x);
  return TRUE;
}

PH_CONVERT_TO (concatenation, ph_build_node (l->b, &ph_op_Concat, l->in, l->n_in,
                                             PH_ATTRS (ph_attr_new_int ("axis", ph_node_attr_int (l->node, "axis", 0))), 1))

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  static const PhForeignReduction kinds[] = { { "SUM", &ph_op_ReduceSum },          { "MEAN", &ph_op_ReduceMean },
                                              { "REDUCE_MAX", &ph_op_ReduceMax },   { "REDUCE_MIN", &ph_op_ReduceMin },
                                              { "REDUCE_PROD", &ph_op_ReduceProd }, { "REDUCE_ANY", &ph_op_ReduceMax },
                                              { "REDUCE_ALL", &ph_op_ReduceMin } };

  return ph_foreign_reduction (l, kinds, G_N_ELEMENTS (kinds), out);
}

static gboolean
arg (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_int (l, 1, G_MAXINT64);
  PhValue *place;

  if (axis == G_MAXINT64)
    return FALSE;
  place = ph_build_node (l->b, strstr (l->op, "MAX") != NULL ? &ph_op_ArgMax : &ph_op_ArgMin, l->in, 1,
                         PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("keepdims", 0)), 1);
  out[0] = ph_convert_cast (l, place, ph_foreign_type_attr (l, "output_type", PH_INT64));
  return TRUE;
}

static gboolean
cast (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);

  if (type == NULL || type->dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  out[0] = PH_BUILD_WITH (l->b, Cast, PH_ATTRS (ph_attr_new_int ("to", type->dtype)), l->in[0]);
  return TRUE;
}

static gboolean
quantize (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  PhValue *x = l->in[0], *scale, *zero;
  gint64 axis;

  if (type == NULL)
    return ph_convert_stay (l, "its element type is not known");
  if (ph_dtype_is_integer (ph_convert_dtype (x)))
    {
      if (!read_quantization (l, "in", 0, ph_convert_dtype (x), &scale, &zero, &axis))
        return ph_convert_stay (l, "its scale is missing from the file");
      x = zero != NULL ? PH_BUILD_WITH (l->b, DequantizeLinear, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, scale, zero)
                       : PH_BUILD_WITH (l->b, DequantizeLinear, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, scale);
    }
  if (strstr (l->op, ":DEQUANTIZE") != NULL)
    {
      out[0] = ph_convert_cast (l, x, PH_FLOAT);
      return out[0] != NULL;
    }
  if (!read_quantization (l, "out", 0, type->dtype, &scale, &zero, &axis))
    return ph_convert_stay (l, "its scale is missing from the file");
  if (zero == NULL && ph_value_rank (scale) == 0) /* int32, to which QuantizeLinear does not round */
    {
      out[0] = ph_convert_cast (l, PH_BUILD (l->b, Round, PH_BUILD (l->b, Div, x, scale)), type->dtype);
      return out[0] != NULL;
    }
  if (zero == NULL)
    return ph_convert_stay (l, "ONNX does not quantise to its element type");
  out[0] = PH_BUILD_WITH (l->b, QuantizeLinear, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, scale, zero);
  return TRUE;
}

static gboolean
limited (PhConvert *l, PhValue **out)
{
  const double low = strstr (l->op, "N1") != NULL ? -1 : 0, high = strstr (l->op, "RELU6") != NULL ? 6 : 1;

  out[0] = PH_BUILD (l->b, Clip, l->in[0], ph_foreign_number (l, l->in[0], low), ph_foreign_number (l, l->in[0], high));
  return TRUE;
}

/* Converts operators that have an equal in TensorFlow by the rule for that. */
static gboolean
as_tensorflow (PhConvert *l, PhValue **out)
{
  static const struct
  {
    const char *lite, *full;
    /* clang-format off */
  } names[] = {
    { "NOT_EQUAL", "NotEqual" }, { "SQUARED_DIFFERENCE", "SquaredDifference" }, { "SQUARE", "Square" }, { "RSQRT", "Rsqrt" },
    { "FLOOR_DIV", "FloorDiv" }, { "FLOOR_MOD", "FloorMod" }, { "LEAKY_RELU", "LeakyRelu" },
    { "RESIZE_BILINEAR", "ResizeBilinear" }, { "RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor" },
    { "SPACE_TO_DEPTH", "SpaceToDepth" }, { "DEPTH_TO_SPACE", "DepthToSpace" }, { "BATCH_MATMUL", "BatchMatMulV2" },
    { "WHILE", "While" }, { "IF", "If" }, { "SELECT", "Select" }
  };
  /* clang-format on */
  const char *own = l->op;
  gboolean ok = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i].lite, strchr (own, ':') + 1) == 0)
      {
        g_autofree char *full = g_strconcat ("tf:", names[i].full, NULL);

        l->op = full;
        ok = ph_convert_find (full)->lower (l, out);
        l->op = own;
      }
  return ok;
}

/* x over the length along the last axis. */
static gboolean
unit_length (PhConvert *l, PhValue **out)
{
  const gint64 last = -1;
  PhValue *x = l->in[0], *length = PH_BUILD_WITH (l->b, ReduceL2, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), x,
                                                  ph_convert_ints_value (l, &last, 1));

  out[0] = PH_BUILD (l->b, Div, x, PH_BUILD (l->b, Max, length, ph_foreign_number (l, x, 1e-6)));
  return TRUE;
}

/* A step of a filter of rank r: each of its filters keeps what it read of the last steps, and weighs them by time. The state is an operand, as
 * in the file; the state after the step is not a result there either. */
static gboolean
svdf (PhConvert *l, PhValue **out)
{
  const gint64 rank = ph_node_attr_int (l->node, "rank", 1), swap[] = { 1, 0 };
  const gint64 filters = l->n_in > 4 ? ph_value_dim (l->in[2], 0) : -1, memory = l->n_in > 4 ? ph_value_dim (l->in[2], 1) : -1;
  PhValue *fresh, *before, *sum;

  if (filters < 1 || memory < 1 || rank < 1 || filters % rank != 0 || l->in[4] == NULL)
    return ph_convert_stay (l, "the sizes of its filters are not known");
  fresh = PH_BUILD (l->b, MatMul, l->in[0], ph_convert_transpose (l, l->in[1], swap, 2));
  before = PH_BUILD (l->b, Reshape, l->in[4], ph_convert_ints_value (l, (gint64[]) { -1, filters, memory }, 3));
  before = PH_BUILD (l->b, Slice, before, ph_convert_ints_value (l, (gint64[]) { 1 }, 1), ph_convert_ints_value (l, &memory, 1),
                     ph_convert_ints_value (l, (gint64[]) { 2 }, 1));
  sum = PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 2)), before,
                       PH_BUILD (l->b, Unsqueeze, fresh, ph_convert_ints_value (l, (gint64[]) { 2 }, 1)));
  sum = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), PH_BUILD (l->b, Mul, sum, l->in[2]),
                       ph_convert_ints_value (l, (gint64[]) { 2 }, 1));
  if (rank > 1)
    sum = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                         PH_BUILD (l->b, Reshape, sum, ph_convert_ints_value (l, (gint64[]) { -1, filters / rank, rank }, 3)),
                         ph_convert_ints_value (l, (gint64[]) { 2 }, 1));
  out[0] = l->in[3] != NULL ? PH_BUILD (l->b, Add, sum, l->in[3]) : sum;
  return out[0] != NULL;
}

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char windows[] = "In ONNX the channels are the second dimension, and the padding SAME is written as numbers.";

/* clang-format off */
#define DIRECT(name) { "tflite:" name, ph_foreign_direct, "ONNX's own", elementwise }
#define AS(name)     { "tflite:" name, as_tensorflow, "as in TensorFlow", "It is the same operator as in TensorFlow." }

const PhConvertRule ph_convert_tflite[] = {
  DIRECT ("ADD"), DIRECT ("SUB"), DIRECT ("MUL"), DIRECT ("DIV"), DIRECT ("POW"), DIRECT ("MAXIMUM"), DIRECT ("MINIMUM"), DIRECT ("ABS"),
  DIRECT ("NEG"), DIRECT ("SIGN"), DIRECT ("SQRT"), DIRECT ("EXP"), DIRECT ("LOG"), DIRECT ("SIN"), DIRECT ("COS"), DIRECT ("FLOOR"), DIRECT ("CEIL"),
  DIRECT ("ROUND"), DIRECT ("EQUAL"), DIRECT ("LESS"), DIRECT ("LESS_EQUAL"), DIRECT ("GREATER"), DIRECT ("GREATER_EQUAL"), DIRECT ("LOGICAL_AND"),
  DIRECT ("LOGICAL_OR"), DIRECT ("LOGICAL_NOT"), DIRECT ("SELECT_V2"), DIRECT ("RELU"), DIRECT ("ELU"), DIRECT ("HARD_SWISH"),
  DIRECT ("LOGISTIC"), DIRECT ("TANH"), DIRECT ("LOG_SOFTMAX"),
  AS ("NOT_EQUAL"), AS ("SQUARED_DIFFERENCE"), AS ("SQUARE"), AS ("RSQRT"), AS ("FLOOR_DIV"), AS ("FLOOR_MOD"), AS ("LEAKY_RELU"), AS ("RESIZE_BILINEAR"),
  AS ("RESIZE_NEAREST_NEIGHBOR"), AS ("SPACE_TO_DEPTH"), AS ("DEPTH_TO_SPACE"), AS ("BATCH_MATMUL"), AS ("WHILE"), AS ("IF"), AS ("SELECT"),
  { "tflite:RELU6", limited, "Clip", "The result is clipped to the interval from 0 to 6." }, { "tflite:RELU_N1_TO_1", limited, "Clip", "The result is clipped to the interval from -1 to 1." },
  { "tflite:RELU_0_TO_1", limited, "Clip", "The result is clipped to the interval from 0 to 1." },
  { "tflite:FULLY_CONNECTED", fully_connected, "MatMul, Add", "TensorFlow Lite stores the weights transposed." },
  { "tflite:CONV_2D", conv, "Conv between Transposes", windows }, { "tflite:DEPTHWISE_CONV_2D", depthwise, "Conv in groups, between Transposes", windows },
  { "tflite:TRANSPOSE_CONV", transpose_conv, "ConvTranspose between Transposes", windows },
  { "tflite:MAX_POOL_2D", pool, "MaxPool between Transposes", windows }, { "tflite:AVERAGE_POOL_2D", pool, "AveragePool between Transposes", windows },
  { "tflite:L2_POOL_2D", pool, "Sqrt of AveragePool of squares, between Transposes", windows },
  { "tflite:SOFTMAX", softmax, "Softmax", "Both work along the last axis." }, { "tflite:CONCATENATION", concatenation, "Concat", "Both concatenate along an axis." },
  { "tflite:SUM", reduce, "ReduceSum", "Both reduce the given axes." }, { "tflite:MEAN", reduce, "ReduceMean", "Both reduce the given axes." },
  { "tflite:REDUCE_MAX", reduce, "ReduceMax", "Both reduce the given axes." }, { "tflite:REDUCE_MIN", reduce, "ReduceMin", "Both reduce the given axes." },
  { "tflite:REDUCE_PROD", reduce, "ReduceProd", "Both reduce the given axes." }, { "tflite:REDUCE_ANY", reduce, "ReduceMax", "The maximum of booleans is true if any of them is true." },
  { "tflite:REDUCE_ALL", reduce, "ReduceMin", "The minimum of booleans is true if all of them are true." },
  { "tflite:ARG_MAX", arg, "ArgMax", "Both return the first index of the extreme element." }, { "tflite:ARG_MIN", arg, "ArgMin", "Both return the first index of the extreme element." },
  { "tflite:CAST", cast, "Cast", elementwise }, { "tflite:QUANTIZE", quantize, "QuantizeLinear", "In ONNX scale and zero point are operands." },
  { "tflite:DEQUANTIZE", quantize, "DequantizeLinear", "In ONNX scale and zero point are operands." },
  { "tflite:UNIDIRECTIONAL_SEQUENCE_LSTM", ph_tflite_lstm, "a Loop over the steps", "ONNX's LSTM does not clip its cells, so the step is composed of others. The state after the last step is no result in either." },
  { "tflite:SVDF", svdf, "MatMul, and the sum of the last steps by weight", "ONNX has no identical operator, so it is composed of others." },
  { "tflite:L2_NORMALIZATION", unit_length, "Div by ReduceL2", "Each row is divided by its Euclidean norm." },
  { NULL }
};
/* clang-format on */
