/* convert-onednn.c: the operators of oneDNN's graph interface in ONNX's, after its specification.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-foreign.h"

static gboolean
is_last (const PhConvert *l)
{
  return strcmp (ph_node_attr_string (l->node, "data_format", "NXC"), "NCX") != 0;
}

static gboolean
with_number (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0];
  const double beta = ph_foreign_attr_number (l, "beta", 1), alpha = ph_foreign_attr_number (l, "alpha", 1);

  if (strcmp (l->op, "onednn:Pow") == 0)
    out[0] = PH_BUILD (l->b, Pow, x, ph_convert_like (l, x, beta));
  else if (strcmp (l->op, "onednn:Clamp") == 0)
    out[0] = PH_BUILD (l->b, Clip, x, ph_convert_like (l, x, ph_foreign_attr_number (l, "min", 0)),
                       ph_convert_like (l, x, ph_foreign_attr_number (l, "max", 0)));
  else if (strcmp (l->op, "onednn:LeakyReLU") == 0)
    out[0] = PH_BUILD_WITH (l->b, LeakyRelu, PH_ATTRS (ph_attr_new_float ("alpha", (float) alpha)), x);
  else if (strcmp (l->op, "onednn:Elu") == 0)
    out[0] = PH_BUILD_WITH (l->b, Elu, PH_ATTRS (ph_attr_new_float ("alpha", (float) alpha)), x);
  else if (strcmp (l->op, "onednn:HardSigmoid") == 0)
    out[0] = PH_BUILD_WITH (l->b, HardSigmoid,
                            PH_ATTRS (ph_attr_new_float ("alpha", (float) alpha), ph_attr_new_float ("beta", (float) beta)), x);
  else if (strcmp (l->op, "onednn:GELU") == 0)
    out[0] = PH_BUILD_WITH (
        l->b, Gelu,
        PH_ATTRS (ph_attr_new_string (
            "approximate", strcmp (ph_node_attr_string (l->node, "mode", "gelu_erf"), "gelu_tanh") == 0 ? "tanh" : "none")),
        x);
  else if (beta == 1)
    out[0] = PH_BUILD (l->b, Softplus, x);
  else
    out[0] = PH_BUILD (l->b, Div, PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, beta))),
                       ph_convert_like (l, x, beta));
  return out[0] != NULL;
}

static gboolean
as_tensorflow (PhConvert *l, PhValue **out)
{
  return ph_foreign_as (l, strcmp (l->op, "onednn:Square") == 0 ? "tf:Square" : "tf:SquaredDifference", out);
}

static gboolean
prelu (PhConvert *l, PhValue **out)
{
  PhValue *slope = l->in[1];

  if (!is_last (l) && ph_value_rank (slope) == 1 && ph_value_dim (slope, 0) != 1)
    slope = ph_foreign_along (l, slope, ph_value_rank (l->in[0]), 1);
  out[0] = slope != NULL ? PH_BUILD (l->b, PRelu, l->in[0], slope) : NULL;
  return out[0] != NULL;
}

static gboolean
mat_mul (PhConvert *l, PhValue **out)
{
  return ph_foreign_product (l, ph_foreign_attr_int (l, "transpose_a", 0) != 0, ph_foreign_attr_int (l, "transpose_b", 0) != 0,
                             out);
}

static gboolean
bias_add (PhConvert *l, PhValue **out)
{
  return ph_foreign_add_bias (l, is_last (l) ? -1 : 1, out);
}

static gboolean
read_window (PhConvert *l, int rank, PhForeignWindow *window)
{
  const char *pad = ph_node_attr_string (l->node, "auto_pad", "None");

  if (rank < 3 || rank > 5)
    return ph_convert_stay (l, "its rank is not 3, 4 or 5");
  *window = (PhForeignWindow) { .n = (guint) rank - 2,
                                .group = ph_foreign_attr_int (l, "groups", 1),
                                .stride = { 1, 1, 1 },
                                .dilation = { 1, 1, 1 },
                                .padding = "EXPLICIT" };
  if (!ph_foreign_fill (l, "strides", window->stride, window->n) || !ph_foreign_fill (l, "dilations", window->dilation, window->n)
      || !ph_foreign_fill (l, "kernel", window->kernel, window->n)
      || !ph_foreign_fill (l, "pads_begin", window->explicit_pads, window->n)
      || !ph_foreign_fill (l, "pads_end", window->explicit_pads + window->n, window->n))
    return ph_convert_stay (l, "its window is not given as numbers");
  if (strcmp (pad, "SAME_UPPER") == 0)
    window->padding = "SAME";
  else if (strcmp (pad, "VALID") == 0)
    memset (window->explicit_pads, 0, sizeof window->explicit_pads);
  else if (strcmp (pad, "None") != 0)
    return ph_convert_stay (l, "its padding is %s", pad);
  return TRUE;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gboolean transposed = strcmp (l->op, "onednn:ConvTranspose") == 0;
  PhForeignWindow window;
  gint64 more[3] = { 0 };

  if (!read_window (l, ph_value_rank (l->in[1]), &window) || !ph_foreign_fill (l, "output_padding", more, window.n))
    return FALSE;
  if (transposed && strcmp (window.padding, "SAME") == 0)
    return ph_convert_stay (l, "its padding is SAME_UPPER");
  /* O is the output channels: for a transposed convolution ONNX's second axis. */
  return ph_foreign_conv (l, &window, transposed, more, is_last (l),
                          ph_node_attr_string (l->node, "weights_format", transposed ? "XOI" : "XIO"), l->in[0], l->in[1],
                          l->n_in > 2 ? l->in[2] : NULL, out);
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const gboolean max = strcmp (l->op, "onednn:MaxPool") == 0;
  PhForeignWindow window;

  if (!read_window (l, ph_value_rank (l->in[0]), &window))
    return FALSE;
  return ph_foreign_pool (l, max ? &ph_op_MaxPool : &ph_op_AveragePool, &window, is_last (l),
                          strcmp (ph_node_attr_string (l->node, "rounding_type", "floor"), "ceil") == 0,
                          ph_foreign_attr_int (l, "exclude_pad", 0) == 0, out);
}

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  return ph_foreign_batch_norm (l, is_last (l), out);
}

static gboolean
layer_norm (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_attr_int (l, "begin_norm_axis", -1);
  const gboolean affine = ph_foreign_attr_int (l, "use_affine", 1) != 0 && l->n_in > 1;
  const int rank = ph_value_rank (l->in[0]), from = (int) (axis < 0 ? axis + rank : axis);
  PhValue *inputs[] = { l->in[0], affine ? l->in[1] : NULL, affine && l->n_in > 2 ? l->in[2] : NULL };
  gint64 dims[PH_MAX_RANK];

  if (!affine && (!ph_convert_dims (l, l->in[0], dims) || from < 0 || from >= rank))
    return ph_convert_stay (l, "the shape of its operand is not known");
  if (!affine)
    inputs[1] = ph_convert_expand (l, ph_convert_like (l, l->in[0], 1), dims + from, (guint) (rank - from));
  out[0] = ph_build_node (l->b, &ph_op_LayerNormalization, inputs, inputs[2] != NULL ? 3 : 2,
                          PH_ATTRS (ph_attr_new_int ("axis", axis),
                                    ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))),
                          1);
  return out[0] != NULL;
}

static gboolean
group_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = is_last (l) ? ph_foreign_channels_second (l, l->in[0]) : l->in[0], *y;

  if (x == NULL || l->n_in < 3)
    return ph_convert_stay (l, "it has no scale and bias");
  y = PH_BUILD_WITH (l->b, GroupNormalization,
                     PH_ATTRS (ph_attr_new_int ("num_groups", ph_foreign_attr_int (l, "groups", 1)),
                               ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))),
                     x, l->in[1], l->in[2]);
  out[0] = y != NULL && is_last (l) ? ph_foreign_channels_last (l, y) : y;
  return out[0] != NULL;
}

static gboolean
softmax (PhConvert *l, PhValue **out)
{
  const gboolean log = strcmp (l->op, "onednn:LogSoftmax") == 0;
  const char *mode = ph_node_attr_string (l->node, "mode", "none");

  if (strcmp (mode, "none") != 0 && (log || strcmp (mode, "inf_as_zero") != 0))
    return ph_convert_stay (l, "its mode is %s", mode);
  out[0] = ph_build_node (l->b, log ? &ph_op_LogSoftmax : &ph_op_Softmax, l->in, 1,
                          PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", log ? -1 : 1))), 1);
  if (strcmp (mode, "inf_as_zero") == 0 && out[0] != NULL) /* where all is masked out, nothing is chosen */
    {
      const gint64 axis = ph_foreign_attr_int (l, "axis", 1);
      PhValue *most = PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), l->in[0],
                                     ph_convert_ints_value (l, &axis, 1));

      out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, most, ph_foreign_number (l, l->in[0], -(double) INFINITY)),
                         ph_foreign_number (l, l->in[0], 0), out[0]);
    }
  return out[0] != NULL;
}

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  static const PhForeignReduction kinds[] = { { "ReduceL1", &ph_op_ReduceL1 },   { "ReduceL2", &ph_op_ReduceL2 },
                                              { "ReduceMax", &ph_op_ReduceMax }, { "ReduceMean", &ph_op_ReduceMean },
                                              { "ReduceMin", &ph_op_ReduceMin }, { "ReduceProd", &ph_op_ReduceProd },
                                              { "ReduceSum", &ph_op_ReduceSum } };
  g_autoptr (GArray) axes = l->n_in > 1 && l->in[1] != NULL ? ph_foreign_ints (l, 1) : ph_foreign_attr_ints (l, "axes");

  if (axes == NULL)
    return ph_convert_stay (l, "its axes are not known");
  return ph_foreign_reduction_over (l, kinds, G_N_ELEMENTS (kinds), axes, ph_foreign_attr_int (l, "keep_dims", 0) != 0, out);
}

static gboolean
move (PhConvert *l, PhValue **out)
{
  const gboolean order = strcmp (l->op, "onednn:StaticTranspose") == 0;
  g_autoptr (GArray) ints = ph_foreign_attr_ints (l, order ? "order" : "shape");
  gboolean zero = FALSE;

  if (ints == NULL)
    return ph_convert_stay (l, "it does not give its %s", order ? "order" : "shape");
  if (order)
    {
      for (guint i = 0; i < ints->len; i++)
        g_array_index (ints, gint64, i) += g_array_index (ints, gint64, i) < 0 ? ints->len : 0;
      out[0] = PH_BUILD_WITH (l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (const gint64 *) ints->data, ints->len)),
                              l->in[0]);
      return TRUE;
    }
  for (guint i = 0; i < ints->len; i++)
    zero = zero || g_array_index (ints, gint64, i) == 0;
  out[0] = PH_BUILD_WITH (
      l->b, Reshape, zero && ph_foreign_attr_int (l, "special_zero", 0) == 0 ? PH_ATTRS (ph_attr_new_int ("allowzero", 1)) : NULL,
      l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
  return TRUE;
}

PH_CONVERT_TO (concat, ph_build_node (l->b, &ph_op_Concat, l->in, l->n_in,
                                      PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 0))), 1))

/* Builds the index along an axis. */
static gboolean
gen_index (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  gint64 dims[PH_MAX_RANK], axis = ph_foreign_attr_int (l, "axis", 0);

  if (!ph_convert_dims (l, l->in[0], dims))
    return FALSE;
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    return ph_convert_stay (l, "it has no axis %" G_GINT64_FORMAT, axis);
  out[0] = ph_convert_expand (l, ph_convert_cast (l, ph_convert_iota (l, dims[axis], (guint) axis, (guint) rank), PH_INT32), dims,
                              (guint) rank);
  return out[0] != NULL;
}

static gboolean
interpolate (PhConvert *l, PhValue **out)
{
  const char *mode = ph_node_attr_string (l->node, "mode", ""),
             *how = ph_node_attr_string (l->node, "coordinate_transformation_mode", "half_pixel");
  g_autoptr (GArray) sizes = l->n_in > 1 && l->in[1] != NULL ? ph_foreign_ints (l, 1) : ph_foreign_attr_ints (l, "sizes");
  PhValue *x = is_last (l) ? ph_foreign_channels_second (l, l->in[0]) : l->in[0], *y;
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 axes[3] = { 2, 3, 4 };

  if (rank < 3 || rank > 5 || sizes == NULL || sizes->len != (guint) rank - 2)
    return ph_convert_stay (l, "it does not give the size of the image");
  y = ph_build_node (
      l->b, &ph_op_Resize, PH_VALUES_ (x, NULL, NULL, ph_convert_ints_value (l, (const gint64 *) sizes->data, sizes->len)), 4,
      PH_ATTRS (ph_attr_new_string ("mode", strcmp (mode, "nearest") == 0 ? "nearest" : "linear"),
                ph_attr_new_ints ("axes", axes, sizes->len), ph_attr_new_string ("coordinate_transformation_mode", how)),
      1);
  out[0] = y != NULL && is_last (l) ? ph_foreign_channels_last (l, y) : y;
  return out[0] != NULL;
}

/* ── quantised ── */

static PhValue *
zero_points (PhConvert *l, PhDType dtype, guint n)
{
  gsize count;
  const gint64 *zps = ph_node_attr_ints (l->node, "zps", &count);
  g_autoptr (PhTensor) tensor = n == 1 ? ph_tensor_new (dtype, 0, NULL) : ph_tensor_new (dtype, 1, (gint64[]) { n });

  if (tensor == NULL || (zps != NULL && count != 1 && count != n))
    {
      ph_convert_stay (l, "its zero points do not have the shape of its scales");
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    ph_dtype_store (dtype, ph_tensor_writable (tensor), i, zps != NULL ? (double) zps[count == 1 ? 0 : i] : 0);
  return ph_build_tensor (l->b, g_steal_pointer (&tensor));
}

static gboolean
quantize (PhConvert *l, PhValue **out)
{
  const gboolean into = strcmp (l->op, "onednn:Quantize") == 0 || strcmp (l->op, "onednn:DynamicQuantize") == 0,
                 dynamic = strstr (l->op, "Dynamic") != NULL;
  const PhType *type = ph_convert_type (l, 0);
  const PhDType dtype = !into ? ph_convert_dtype (l->in[0]) : type != NULL ? type->dtype : PH_UNDEFINED;
  const PhAttr *scales = ph_node_attr (l->node, "scales");
  const char *per = ph_node_attr_string (l->node, "qtype", "per_tensor");
  PhValue *inputs[3] = { l->in[0] };
  PhAttr **attrs;

  if (dtype == PH_UNDEFINED || strcmp (per, "per_group") == 0)
    return ph_convert_stay (l, dtype == PH_UNDEFINED ? "its element type is not known" : "it quantises in groups");
  if (dynamic && l->n_in < 2)
    return ph_convert_stay (l, "it has no scales");
  if (!dynamic && (scales == NULL || scales->kind != PH_ATTR_FLOATS || scales->n == 0))
    return ph_convert_stay (l, "it has no scales");
  if (dynamic)
    {
      inputs[1] = l->in[1];
      inputs[2] = l->n_in > 2 && l->in[2] != NULL ? ph_convert_cast (l, l->in[2], dtype) : NULL;
      if (strcmp (per, "per_tensor") == 0 && ph_value_rank (inputs[1]) > 0)
        for (guint i = 1; i < 3 && inputs[i] != NULL; i++)
          inputs[i] = ph_convert_reshape (l, inputs[i], NULL, 0);
    }
  else
    {
      inputs[1] = ph_build_tensor (l->b, scales->n == 1 ? ph_tensor_new_scalar (PH_FLOAT, scales->floats[0])
                                                        : ph_tensor_new_floats (scales->floats, scales->n));
      inputs[2] = zero_points (l, dtype, (guint) scales->n);
      if (inputs[2] == NULL)
        return FALSE;
    }
  attrs = PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 1)));
  out[0] = ph_build_node (l->b, into ? &ph_op_QuantizeLinear : &ph_op_DequantizeLinear, inputs, inputs[2] != NULL ? 3 : 2, attrs,
                          1);
  return out[0] != NULL;
}

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char layout[] = "In ONNX the channels are the second dimension; oneDNN's data_format tells where they are.";
static const char given[] = "An attribute in oneDNN is an operand in ONNX.";

/* clang-format off */
#define DIRECT(name) { "onednn:" name, ph_foreign_direct, "ONNX's own", elementwise }
#define REDUCE(name) { "onednn:" name, reduce, name, "Both reduce the given axes." }

const PhConvertRule ph_convert_onednn[] = {
  DIRECT ("Abs"), DIRECT ("Add"), DIRECT ("Subtract"), DIRECT ("Multiply"), DIRECT ("Divide"), DIRECT ("Maximum"), DIRECT ("Minimum"), DIRECT ("Exp"), DIRECT ("Log"),
  DIRECT ("Sqrt"), DIRECT ("Reciprocal"), DIRECT ("Round"), DIRECT ("Sigmoid"), DIRECT ("Tanh"), DIRECT ("ReLU"), DIRECT ("Mish"), DIRECT ("HardSwish"),
  DIRECT ("GreaterEqual"), DIRECT ("Select"),
  { "onednn:Pow", with_number, "Pow", given }, { "onednn:Clamp", with_number, "Clip", given }, { "onednn:LeakyReLU", with_number, "LeakyRelu", elementwise },
  { "onednn:Elu", with_number, "Elu", elementwise }, { "onednn:HardSigmoid", with_number, "HardSigmoid", elementwise }, { "onednn:GELU", with_number, "Gelu", elementwise },
  { "onednn:SoftPlus", with_number, "Softplus", "Softplus in ONNX has no beta, so its operand and its result are scaled." }, { "onednn:Square", as_tensorflow, "Mul(x, x)", "ONNX has no identical operator, so it is composed of others." },
  { "onednn:SquaredDifference", as_tensorflow, "Sub, then Mul with itself", "ONNX has no identical operator, so it is composed of others." }, { "onednn:PReLU", prelu, "PRelu", layout },
  { "onednn:TypeCast", ph_foreign_cast, "Cast", elementwise }, { "onednn:Reorder", ph_foreign_cast, "its operand, or Cast", "The layout in memory does not change the values." },
  { "onednn:MatMul", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands and no bias." }, { "onednn:BiasAdd", bias_add, "Add", layout },
  { "onednn:Convolution", conv, "Conv", layout }, { "onednn:ConvTranspose", conv, "ConvTranspose", layout },
  { "onednn:MaxPool", pool, "MaxPool", layout }, { "onednn:AvgPool", pool, "AveragePool", layout },
  { "onednn:BatchNormInference", batch_norm, "BatchNormalization", layout }, { "onednn:LayerNorm", layer_norm, "LayerNormalization", "LayerNormalization in ONNX requires a scale." },
  { "onednn:GroupNorm", group_norm, "GroupNormalization", layout },
  { "onednn:SoftMax", softmax, "Softmax", "Both work along one axis." }, { "onednn:LogSoftmax", softmax, "LogSoftmax", "Both work along one axis." },
  REDUCE ("ReduceL1"), REDUCE ("ReduceL2"), REDUCE ("ReduceMax"), REDUCE ("ReduceMean"), REDUCE ("ReduceMin"), REDUCE ("ReduceProd"), REDUCE ("ReduceSum"),
  { "onednn:Concat", concat, "Concat", "Both concatenate along an axis." }, { "onednn:StaticReshape", move, "Reshape", given }, { "onednn:StaticTranspose", move, "Transpose", given },
  { "onednn:GenIndex", gen_index, "a constant, Expand", "The index along an axis only depends on the shape." }, { "onednn:Interpolate", interpolate, "Resize", layout },
  { "onednn:Quantize", quantize, "QuantizeLinear", given }, { "onednn:Dequantize", quantize, "DequantizeLinear", given },
  { "onednn:DynamicQuantize", quantize, "QuantizeLinear", "Both use a scale and a zero point." },
  { "onednn:DynamicDequantize", quantize, "DequantizeLinear", "Both use a scale and a zero point." },
  { NULL }
};
/* clang-format on */
