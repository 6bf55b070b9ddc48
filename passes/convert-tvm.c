/* convert-tvm.c: the operators of TVM's Relax and Relay in ONNX's. They share most names; their attributes are numbers or text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

static const char *
name_of (const PhConvert *l)
{
  return l->op + strlen ("tvm:");
}

static gboolean
is (const PhConvert *l, const char *name)
{
  return strcmp (name_of (l), name) == 0;
}

static gboolean
given (PhConvert *l, PhValue *value, PhValue **out)
{
  out[0] = ph_convert_cast (l, value, ph_foreign_type_attr (l, "out_dtype", ph_convert_dtype (value)));
  return out[0] != NULL;
}

/* ── elementwise ── */

static gboolean
as_tensorflow (PhConvert *l, PhValue **out)
{
  static const struct
  {
    const char *own, *other;
  } names[] = { { "not_equal", "tf:NotEqual" },    { "square", "tf:Square" },      { "rsqrt", "tf:Rsqrt" },
                { "floor_divide", "tf:FloorDiv" }, { "floor_mod", "tf:FloorMod" }, { "nn.relu6", "tf:Relu6" } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (is (l, names[i].own))
      return ph_foreign_as (l, names[i].other, out);
  return FALSE;
}

static gboolean
activation (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0];

  if (is (l, "nn.gelu") || is (l, "nn.gelu_tanh"))
    out[0] = PH_BUILD_WITH (l->b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", is (l, "nn.gelu") ? "none" : "tanh")), x);
  else if (is (l, "nn.silu"))
    out[0] = PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sigmoid, x));
  else if (is (l, "nn.leakyrelu") || is (l, "nn.leaky_relu"))
    out[0] = PH_BUILD_WITH (
        l->b, LeakyRelu,
        PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_foreign_attr_number (l, "alpha", is (l, "nn.leakyrelu") ? 0.01 : 0.05))),
        x);
  else if (is (l, "nn.softplus"))
    out[0] = PH_BUILD (l->b, Softplus, x);
  else if (is (l, "trunc"))
    out[0] = ph_convert_trunc (l, x);
  else if (is (l, "isfinite"))
    out[0] = PH_BUILD (l->b, Not, PH_BUILD (l->b, Or, PH_BUILD (l->b, IsNaN, x), PH_BUILD (l->b, IsInf, x)));
  else /* log (softmax (x)) and softmax (x) */
    out[0] = ph_build_node (l->b, is (l, "nn.softmax") ? &ph_op_Softmax : &ph_op_LogSoftmax, &x, 1,
                            PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", -1))), 1);
  return out[0] != NULL;
}

static gboolean
clip (PhConvert *l, PhValue **out)
{
  const gboolean relax = ph_node_attr (l->node, "a_min") == NULL;
  const char *low = relax ? "min" : "a_min", *high = relax ? "max" : "a_max";

  if (l->n_in == 3 && l->in[1] != NULL && l->in[2] != NULL)
    out[0] = PH_BUILD (l->b, Clip, l->in[0], ph_convert_cast (l, l->in[1], ph_convert_dtype (l->in[0])),
                       ph_convert_cast (l, l->in[2], ph_convert_dtype (l->in[0])));
  else if (ph_node_attr (l->node, low) == NULL || ph_node_attr (l->node, high) == NULL)
    return ph_convert_stay (l, "its bounds are not known");
  else
    out[0] = PH_BUILD (l->b, Clip, l->in[0], ph_convert_like (l, l->in[0], ph_foreign_attr_number (l, low, 0)),
                       ph_convert_like (l, l->in[0], ph_foreign_attr_number (l, high, 0)));
  return out[0] != NULL;
}

static gboolean
cast (PhConvert *l, PhValue **out)
{
  const PhDType dtype = ph_foreign_type_attr (l, "dtype", PH_UNDEFINED);

  if (dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "there is no such element type in ONNX");
  out[0] = ph_convert_cast (l, l->in[0], dtype);
  return out[0] != NULL;
}

static gboolean
prelu (PhConvert *l, PhValue **out)
{
  PhValue *slope = ph_foreign_along (l, l->in[1], ph_value_rank (l->in[0]), (int) ph_foreign_attr_int (l, "axis", 1));

  out[0] = slope != NULL ? PH_BUILD (l->b, PRelu, l->in[0], slope) : NULL;
  return out[0] != NULL;
}

/* ── products ── */

static gboolean
mat_mul (PhConvert *l, PhValue **out)
{
  const gboolean batch = is (l, "nn.batch_matmul"), weights = is (l, "nn.dense") || is (l, "linear");
  const gboolean transpose_a = batch && ph_foreign_attr_int (l, "transpose_a", 0) != 0;
  const gboolean transpose_b = weights
                               || (batch && strcmp (ph_node_attr_string (l->node, "transpose_b", ""), "False") != 0
                                   && ph_foreign_attr_int (l, "transpose_b", 1) != 0);

  return ph_foreign_product (l, transpose_a, transpose_b, out) && given (l, out[0], out);
}

static gboolean
bias_add (PhConvert *l, PhValue **out)
{
  return ph_foreign_add_bias (l, (int) ph_foreign_attr_int (l, "axis", 1), out);
}

/* Reads padding: one number for all sides, one per dimension for both sides, or all begins followed by all ends. */
static gboolean
read_pads (PhConvert *l, PhForeignWindow *window)
{
  g_autoptr (GArray) pads = ph_foreign_attr_ints (l, "padding");
  const guint n = window->n;

  if (pads == NULL)
    return ph_node_attr (l->node, "padding") == NULL || ph_convert_stay (l, "its padding is not given as numbers");
  if (pads->len != 1 && pads->len != n && pads->len != 2 * n)
    return ph_convert_stay (l, "its padding does not have a number for each dimension");
  for (guint i = 0; i < 2 * n; i++)
    window->explicit_pads[i] = g_array_index (pads, gint64, pads->len == 1 ? 0 : pads->len == n ? i % n : i);
  return TRUE;
}

static gboolean
read_window (PhConvert *l, guint n, const char *kernel, PhForeignWindow *window)
{
  *window = (PhForeignWindow) {
    .n = n, .group = ph_foreign_attr_int (l, "groups", 1), .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .padding = "EXPLICIT"
  };
  if (!ph_foreign_fill (l, "strides", window->stride, n) || !ph_foreign_fill (l, "dilation", window->dilation, n)
      || (kernel != NULL && !ph_foreign_fill (l, kernel, window->kernel, n)))
    return ph_convert_stay (l, "its window is not given as numbers");
  return read_pads (l, window);
}

/* @last: TRUE for "NHWC", FALSE for "NCHW". Returns FALSE, so that the rule gives up, for any other layout. */
static gboolean
read_layout (PhConvert *l, const char *attr, gboolean *last)
{
  g_autofree char *layout = ph_foreign_text_attr (l, attr, "NCHW");
  g_autofree char *result = ph_foreign_text_attr (l, "out_layout", "");

  *last = strlen (layout) > 2 && layout[strlen (layout) - 1] == 'C';
  if (*layout != 'N' || (!*last && layout[1] != 'C') || strpbrk (layout, "0123456789") != NULL
      || (*result != '\0' && strcmp (result, layout) != 0))
    return ph_convert_stay (l, "its layout is %s, and the layout of its result is %s", layout, result);
  return TRUE;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gboolean transposed = g_str_has_suffix (l->op, "_transpose");
  const guint n = strstr (l->op, "1d") != NULL ? 1 : strstr (l->op, "2d") != NULL ? 2 : 3;
  static const char *const filters[] = { "OIW", "OIHW", "OIDHW" }, *const back[] = { "IOW", "IOHW", "IODHW" };
  const gboolean relay = g_str_equal (l->node->domain, "relay");
  g_autofree char *layout = ph_foreign_text_attr (l, "kernel_layout", transposed ? back[n - 1] : filters[n - 1]);
  gint64 more[3] = { 0 };
  PhForeignWindow window;
  gboolean last;

  if (!read_window (l, n, NULL, &window) || !read_layout (l, "data_layout", &last)
      || !ph_foreign_fill (l, "output_padding", more, n))
    return FALSE;
  if (transposed && relay && strcmp (layout, "OIHW") == 0) /* Relay calls it so and means the other order */
    layout[0] = 'I', layout[1] = 'O';
  if (!ph_foreign_conv (l, &window, transposed, more, last, layout, l->in[0], l->in[1], NULL, out))
    return FALSE;
  return given (l, out[0], out);
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const guint n = strstr (l->op, "1d") != NULL ? 1 : strstr (l->op, "2d") != NULL ? 2 : 3;
  PhForeignWindow window;
  gboolean last;

  if (!read_window (l, n, "pool_size", &window) || !read_layout (l, "layout", &last))
    return FALSE;
  for (guint i = 0; i < n && ph_node_attr (l->node, "strides") == NULL && g_str_equal (l->node->domain, "relax"); i++)
    window.stride[i] = 1;
  return ph_foreign_pool (l, strstr (l->op, "max") != NULL ? &ph_op_MaxPool : &ph_op_AveragePool, &window, last,
                          ph_foreign_attr_int (l, "ceil_mode", 0) != 0, ph_foreign_attr_int (l, "count_include_pad", 0) != 0,
                          out);
}

/* Converts a pool to the size 1, over the whole image. */
static gboolean
global_pool (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) size = ph_foreign_attr_ints (l, "output_size");
  gboolean last;
  PhValue *x;

  if (!read_layout (l, "layout", &last))
    return FALSE;
  for (guint i = 0; is (l, "nn.adaptive_avg_pool2d") && i < (size != NULL ? size->len : 1); i++)
    if (size == NULL || g_array_index (size, gint64, i) != 1)
      return ph_convert_stay (l, "it returns more than one element of each channel");
  x = last ? ph_foreign_channels_second (l, l->in[0]) : l->in[0];
  out[0] = x != NULL ? ph_build_node (l->b, strstr (l->op, "max") != NULL ? &ph_op_GlobalMaxPool : &ph_op_GlobalAveragePool, &x,
                                      1, NULL, 1)
                     : NULL;
  out[0] = out[0] != NULL && last ? ph_foreign_channels_last (l, out[0]) : out[0];
  return out[0] != NULL;
}

/* ── norms ── */

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  const gint64 axis = ph_foreign_attr_int (l, "axis", 1);
  const gboolean last = rank > 2 && (axis == -1 || axis == rank - 1);
  PhValue *x = last ? ph_foreign_channels_second (l, l->in[0]) : l->in[0], *y;

  if (!ph_foreign_statistics_unused (l))
    return FALSE;
  if (l->n_in < 5 || x == NULL || (!last && axis != 1) || ph_foreign_attr_int (l, "center", 1) == 0
      || ph_foreign_attr_int (l, "scale", 1) == 0)
    return ph_convert_stay (l, "it does not normalise channels with scale and bias");
  y = PH_BUILD_WITH (l->b, BatchNormalization,
                     PH_ATTRS (ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))), x, l->in[1],
                     l->in[2], l->in[3], l->in[4]);
  out[0] = y != NULL && last ? ph_foreign_channels_last (l, y) : y;
  return out[0] != NULL;
}

static gboolean
layer_norm (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, ph_node_attr (l->node, "axes") != NULL ? "axes" : "axis");
  const int rank = ph_value_rank (l->in[0]);
  const gboolean rms = is (l, "nn.rms_norm");
  const gint64 first = axes != NULL && axes->len > 0 ? g_array_index (axes, gint64, 0) : -1;

  /* They must be the last ones. */
  for (guint i = 0; axes != NULL && i < axes->len; i++)
    {
      const gint64 axis = g_array_index (axes, gint64, i);

      if ((axis < 0 ? axis : axis - rank) != (gint64) i - (gint64) axes->len || rank < 0)
        return ph_convert_stay (l, "it does not normalise the last axes");
    }
  if (l->n_in < (rms ? 2 : 3) || ph_foreign_attr_int (l, "center", 1) == 0 || ph_foreign_attr_int (l, "scale", 1) == 0)
    return ph_convert_stay (l, "it has no scale and bias");
  out[0] = ph_build_node (l->b, rms ? &ph_op_RMSNormalization : &ph_op_LayerNormalization, l->in, rms ? 2 : 3,
                          PH_ATTRS (ph_attr_new_int ("axis", first),
                                    ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))),
                          1);
  return out[0] != NULL;
}

static gboolean
group_norm (PhConvert *l, PhValue **out)
{
  if (l->n_in < 3 || ph_foreign_attr_int (l, "channel_axis", 1) != 1)
    return ph_convert_stay (l, "its channels are not the second axis");
  out[0] = ph_build_node (l->b, &ph_op_GroupNormalization, l->in, 3,
                          PH_ATTRS (ph_attr_new_int ("num_groups", ph_foreign_attr_int (l, "num_groups", 1)),
                                    ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))),
                          1);
  return out[0] != NULL;
}

/* ── reductions ── */

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  static const PhForeignReduction kinds[] = { { "sum", &ph_op_ReduceSum },   { "mean", &ph_op_ReduceMean },
                                              { "max", &ph_op_ReduceMax },   { "min", &ph_op_ReduceMin },
                                              { "prod", &ph_op_ReduceProd }, { "all", &ph_op_ReduceMin },
                                              { "any", &ph_op_ReduceMax } };
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, "axis");

  if ((axes == NULL && ph_node_attr (l->node, "axis") != NULL) || ph_foreign_attr_int (l, "exclude", 0) != 0)
    return ph_convert_stay (l, "its axes are not known");
  return ph_foreign_reduction_over (l, kinds, G_N_ELEMENTS (kinds), axes != NULL && axes->len > 0 ? axes : NULL,
                                    ph_foreign_attr_int (l, "keepdims", 0) != 0, out);
}

/* Builds the mean of the squared distance from the mean. */
static gboolean
variance (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, "axis");
  const gboolean keep = ph_foreign_attr_int (l, "keepdims", 0) != 0;
  PhValue *over = axes != NULL && axes->len > 0 ? ph_convert_ints_value (l, (const gint64 *) axes->data, axes->len) : NULL,
          *centred;
  const guint n = over != NULL ? 2 : 1;

  if (axes == NULL && ph_node_attr (l->node, "axis") != NULL)
    return ph_convert_stay (l, "its axes are not known");
  centred = PH_BUILD (l->b, Sub, l->in[0], ph_build_node (l->b, &ph_op_ReduceMean, PH_VALUES_ (l->in[0], over), n, NULL, 1));
  out[0] = ph_build_node (l->b, &ph_op_ReduceMean, PH_VALUES_ (PH_BUILD (l->b, Mul, centred, centred), over), n,
                          PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
  if (is (l, "std") && out[0] != NULL)
    out[0] = PH_BUILD (l->b, Sqrt, out[0]);
  return out[0] != NULL;
}

static gboolean
arg (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);

  if (ph_node_attr (l->node, "axis") == NULL)
    return ph_convert_stay (l, "it works along all axes");
  out[0] = ph_build_node (l->b, is (l, "argmax") ? &ph_op_ArgMax : &ph_op_ArgMin, l->in, 1,
                          PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", -1)),
                                    ph_attr_new_int ("keepdims", ph_foreign_attr_int (l, "keepdims", 0) != 0)),
                          1);
  if (type != NULL && ph_dtype_is_integer (type->dtype))
    out[0] = ph_convert_cast (l, out[0], type->dtype);
  return out[0] != NULL;
}

static gboolean
cumulate (PhConvert *l, PhValue **out)
{
  if (ph_node_attr (l->node, "axis") == NULL)
    return ph_convert_stay (l, "it works along all axes");
  out[0] = PH_BUILD_WITH (l->b, CumSum, PH_ATTRS (ph_attr_new_int ("exclusive", ph_foreign_attr_int (l, "exclusive", 0) != 0)),
                          ph_convert_cast (l, l->in[0], ph_foreign_type_attr (l, "dtype", ph_convert_dtype (l->in[0]))),
                          ph_build_scalar (l->b, PH_INT64, (double) ph_foreign_attr_int (l, "axis", 0)));
  return out[0] != NULL;
}

/* The branches capture values, as in ONNX. */
static gboolean
if_ (PhConvert *l, PhValue **out)
{
  return ph_foreign_as (l, "if", out);
}

/* clang-format off */
#define DIRECT(name) { "tvm:" name, ph_foreign_direct, "ONNX's own", elementwise }
#define ROW(name, rule, becomes, why) { "tvm:" name, rule, becomes, why }
/* clang-format on */

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char none[] = "ONNX has no identical operator, so it is composed of others.";
static const char layout[] = "In ONNX the channels are the second dimension; TVM's layout tells where they are.";
static const char attrs[] = "An attribute in TVM is an operand in ONNX.";
static const char axes[] = "Both reduce the given axes.";

/* clang-format off */
const PhConvertRule ph_convert_tvm[] = {
  DIRECT ("add"), DIRECT ("subtract"), DIRECT ("multiply"), DIRECT ("divide"), DIRECT ("power"), DIRECT ("maximum"), DIRECT ("minimum"), DIRECT ("abs"), DIRECT ("negative"),
  DIRECT ("sign"), DIRECT ("sqrt"), DIRECT ("exp"), DIRECT ("log"), DIRECT ("sin"), DIRECT ("cos"), DIRECT ("tan"), DIRECT ("asin"), DIRECT ("acos"), DIRECT ("atan"),
  DIRECT ("sinh"), DIRECT ("cosh"), DIRECT ("asinh"), DIRECT ("acosh"), DIRECT ("atanh"), DIRECT ("erf"), DIRECT ("floor"), DIRECT ("ceil"), DIRECT ("round"),
  DIRECT ("equal"), DIRECT ("less"), DIRECT ("less_equal"), DIRECT ("greater"), DIRECT ("greater_equal"), DIRECT ("logical_and"), DIRECT ("logical_or"),
  DIRECT ("logical_not"), DIRECT ("logical_xor"), DIRECT ("bitwise_and"), DIRECT ("bitwise_or"), DIRECT ("bitwise_xor"), DIRECT ("bitwise_not"), DIRECT ("isnan"),
  DIRECT ("isinf"), DIRECT ("where"), DIRECT ("nn.relu"), DIRECT ("nn.selu"), DIRECT ("sigmoid"), DIRECT ("tanh"),
  ROW ("not_equal", as_tensorflow, "Not(Equal)", none), ROW ("square", as_tensorflow, "Mul(x, x)", none), ROW ("rsqrt", as_tensorflow, "Reciprocal(Sqrt)", none),
  ROW ("floor_divide", as_tensorflow, "Div, rounded down", "ONNX's Div of integers rounds towards zero."),
  ROW ("floor_mod", as_tensorflow, "Mod", "The remainder has the sign of the divisor."), ROW ("nn.relu6", as_tensorflow, "Clip", "The result is clipped to the interval from 0 to 6."),
  ROW ("nn.gelu", activation, "Gelu", elementwise), ROW ("nn.gelu_tanh", activation, "Gelu", elementwise), ROW ("nn.silu", activation, "Mul(x, Sigmoid(x))", none),
  ROW ("nn.leakyrelu", activation, "LeakyRelu", elementwise), ROW ("nn.leaky_relu", activation, "LeakyRelu", elementwise), ROW ("nn.softplus", activation, "Softplus", elementwise),
  ROW ("trunc", activation, "Where(x < 0, Ceil, Floor)", none), ROW ("isfinite", activation, "Not(IsNaN or IsInf)", none),
  ROW ("nn.softmax", activation, "Softmax", "Both work along one axis."), ROW ("nn.log_softmax", activation, "LogSoftmax", "Both work along one axis."),
  ROW ("clip", clip, "Clip", attrs), ROW ("astype", cast, "Cast", elementwise), ROW ("cast", cast, "Cast", elementwise), ROW ("nn.prelu", prelu, "PRelu", layout),
  ROW ("matmul", mat_mul, "MatMul", "Both compute numpy's matmul."), ROW ("nn.matmul", mat_mul, "MatMul", "Both compute numpy's matmul."),
  ROW ("nn.dense", mat_mul, "MatMul", "TVM stores the weights transposed."), ROW ("linear", mat_mul, "MatMul", "TVM stores the weights transposed."),
  ROW ("nn.batch_matmul", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands."), ROW ("nn.bias_add", bias_add, "Add", "A bias is added along an axis."),
  ROW ("nn.conv1d", conv, "Conv", layout), ROW ("nn.conv2d", conv, "Conv", layout), ROW ("nn.conv3d", conv, "Conv", layout),
  ROW ("nn.conv1d_transpose", conv, "ConvTranspose", layout), ROW ("nn.conv2d_transpose", conv, "ConvTranspose", layout),
  ROW ("nn.max_pool1d", pool, "MaxPool", layout), ROW ("nn.max_pool2d", pool, "MaxPool", layout), ROW ("nn.max_pool3d", pool, "MaxPool", layout),
  ROW ("nn.avg_pool1d", pool, "AveragePool", layout), ROW ("nn.avg_pool2d", pool, "AveragePool", layout), ROW ("nn.avg_pool3d", pool, "AveragePool", layout),
  ROW ("nn.adaptive_avg_pool2d", global_pool, "GlobalAveragePool", layout), ROW ("nn.global_avg_pool2d", global_pool, "GlobalAveragePool", layout),
  ROW ("nn.global_max_pool2d", global_pool, "GlobalMaxPool", layout),
  ROW ("nn.batch_norm", batch_norm, "BatchNormalization", "At inference both use the given mean and variance."),
  ROW ("nn.layer_norm", layer_norm, "LayerNormalization", "Both normalise over the last axes."), ROW ("nn.rms_norm", layer_norm, "RMSNormalization", "Both normalise over the last axes."),
  ROW ("nn.group_norm", group_norm, "GroupNormalization", "Both normalise over groups of channels."),
  ROW ("sum", reduce, "ReduceSum", axes), ROW ("mean", reduce, "ReduceMean", axes), ROW ("max", reduce, "ReduceMax", axes), ROW ("min", reduce, "ReduceMin", axes),
  ROW ("prod", reduce, "ReduceProd", axes), ROW ("all", reduce, "ReduceMin", axes), ROW ("any", reduce, "ReduceMax", axes),
  ROW ("variance", variance, "the mean of the squared differences from the mean", none), ROW ("std", variance, "Sqrt of the mean of the squared differences from the mean", none),
  ROW ("argmax", arg, "ArgMax", "Both return the first index of the extreme element."), ROW ("argmin", arg, "ArgMin", "Both return the first index of the extreme element."), ROW ("cumsum", cumulate, "CumSum", attrs),
  ROW ("if", if_, "If", "In both, the branches read values of the graph around them."),
  ROW ("bind", ph_foreign_same, "its operand", "It is only another name for a value."), ROW ("match_cast", ph_foreign_same, "its operand", "It only declares the shape of its operand."),
  ROW ("grad.start_checkpoint", ph_foreign_same, "its operand", "It only marks values that a gradient may recompute, and returns its operand."),
  ROW ("grad.end_checkpoint", ph_foreign_same, "its operand", "It only marks values that a gradient may recompute, and returns its operand."),
  ROW ("grad.no_grad", ph_foreign_same, "its operand", "It only stops gradients, and returns its operand."),
  ROW ("nn.dropout", ph_foreign_same, "its operand", "At inference, dropout returns its operand unchanged."), ROW ("to_vdevice", ph_foreign_same, "its operand", "The device of a value does not change its elements."),
  ROW ("hint_on_device", ph_foreign_same, "its operand", "The device of a value does not change its elements."),
  ROW ("annotation.stop_fusion", ph_foreign_same, "its operand", "It only prevents fusion, and returns its operand."),
  { NULL }
};
/* clang-format on */
