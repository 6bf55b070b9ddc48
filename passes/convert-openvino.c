/* convert-openvino.c: OpenVINO's operators in ONNX's. They are nearly the same: channels are second in both, attributes have other names.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

static const char *
name_of (const PhConvert *l)
{
  return strchr (l->op, ':') + 1;
}

static gboolean
clamp (PhConvert *l, PhValue **out)
{
  const PhAttr *low = ph_node_attr (l->node, "min"), *high = ph_node_attr (l->node, "max");

  if (low == NULL || high == NULL)
    return ph_convert_stay (l, "its bounds are missing from the file");
  out[0] = PH_BUILD (l->b, Clip, l->in[0], ph_foreign_number (l, l->in[0], ph_foreign_attr_number (l, "min", 0)),
                     ph_foreign_number (l, l->in[0], ph_foreign_attr_number (l, "max", 0)));
  return TRUE;
}

static gboolean
matmul (PhConvert *l, PhValue **out)
{
  PhValue *a = l->in[0], *b = l->in[1];

  if (ph_node_attr_int (l->node, "transpose_a", 0) != 0 && (a = ph_foreign_swapped (l, a)) == NULL)
    return FALSE;
  if (ph_node_attr_int (l->node, "transpose_b", 0) != 0 && (b = ph_foreign_swapped (l, b)) == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, MatMul, a, b);
  return TRUE;
}

/* Reads strides, pads and the like, for @n dimensions. Returns the number of attributes. */
static guint
window (PhConvert *l, guint n, gboolean dilated, PhAttr **attrs)
{
  static const struct
  {
    const char *openvino, *onnx;
  } borders[] = { { "same_upper", "SAME_UPPER" }, { "same_lower", "SAME_LOWER" }, { "valid", "VALID" } };
  gint64 strides[3] = { 1, 1, 1 }, dilations[3] = { 1, 1, 1 }, begin[3] = { 0 }, end[3] = { 0 }, pads[6];
  const char *pad = ph_node_attr_string (l->node, "auto_pad", "explicit"), *name = NULL;
  guint a = 0;

  if (!ph_foreign_fill (l, "strides", strides, n) || !ph_foreign_fill (l, "dilations", dilations, n)
      || !ph_foreign_fill (l, "pads_begin", begin, n) || !ph_foreign_fill (l, "pads_end", end, n))
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (borders); i++)
    if (strcmp (borders[i].openvino, pad) == 0)
      name = borders[i].onnx;
  attrs[a++] = ph_attr_new_ints ("strides", strides, n);
  if (dilated)
    attrs[a++] = ph_attr_new_ints ("dilations", dilations, n);
  memcpy (pads, begin, n * sizeof *pads);
  memcpy (pads + n, end, n * sizeof *pads);
  attrs[a++] = name != NULL ? ph_attr_new_string ("auto_pad", name) : ph_attr_new_ints ("pads", pads, 2 * n);
  return a;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gboolean back = strstr (l->op, "Backprop") != NULL, grouped = g_str_has_prefix (name_of (l), "Group");
  PhValue *w = l->in[1];
  const int rank = ph_value_rank (w) - grouped;
  const guint n = rank > 2 ? (guint) rank - 2 : 0;
  PhAttr *attrs[8] = { NULL };
  gint64 dims[6], group = 1, more[3] = { 0 };
  guint a;

  if (n < 1 || n > 3 || l->n_in > 2)
    return ph_convert_stay (l, "the rank of its filters is not known, or the size of its result is an operand");
  if (grouped)
    {
      if (!ph_convert_dims (l, w, dims))
        return FALSE;
      group = dims[0];
      dims[1] *= dims[0]; /* [groups, out, in, ...] => [groups out, in, ...]; of the transposed one [groups in, out, ...] */
      w = ph_convert_reshape (l, w, dims + 1, (guint) rank);
    }
  if ((a = window (l, n, TRUE, attrs)) == 0)
    return ph_convert_stay (l, "its windows are not given as numbers");
  attrs[a++] = ph_attr_new_int ("group", group);
  if (back && ph_foreign_fill (l, "output_padding", more, n))
    attrs[a++] = ph_attr_new_ints ("output_padding", more, n);
  out[0] = ph_build_node (l->b, back ? &ph_op_ConvTranspose : &ph_op_Conv, PH_VALUES_ (l->in[0], w), 2, attrs, 1);
  return TRUE;
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const gboolean most = strcmp (name_of (l), "MaxPool") == 0;
  const int rank = ph_value_rank (l->in[0]);
  const guint n = rank > 2 ? (guint) rank - 2 : 0;
  PhAttr *attrs[8] = { NULL };
  gint64 kernel[3] = { 1, 1, 1 };
  guint a;

  if (n < 1 || n > 3 || !ph_foreign_fill (l, "kernel", kernel, n) || (a = window (l, n, most, attrs)) == 0)
    return ph_convert_stay (l, "its windows are not given as numbers");
  attrs[a++] = ph_attr_new_ints ("kernel_shape", kernel, n);
  attrs[a++] = ph_attr_new_int ("ceil_mode", strcmp (ph_node_attr_string (l->node, "rounding_type", "floor"), "ceil") == 0);
  if (!most)
    attrs[a++] = ph_attr_new_int ("count_include_pad", ph_node_attr_int (l->node, "exclude-pad", 0) == 0);
  out[0] = ph_build_node (l->b, most ? &ph_op_MaxPool : &ph_op_AveragePool, l->in, 1, attrs, 1);
  return l->n_out == 1 || ph_value_n_uses (ph_node_output (l->node, 1)) == 0
         || ph_convert_stay (l, "the indices of the largest elements are used");
}

/* Operators with the same operands whose attributes only have other names. */
static gboolean
plain (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l);
  const gint64 axis = ph_foreign_attr_int (l, "axis", -1);
  PhValue *x = l->in[0], *second = l->n_in > 1 ? l->in[1] : NULL;

  if (strcmp (op, "Reshape") == 0)
    out[0] = PH_BUILD_WITH (l->b, Reshape,
                            PH_ATTRS (ph_attr_new_int ("allowzero", ph_node_attr_int (l->node, "special_zero", 1) == 0)), x,
                            ph_foreign_int64 (l, second));
  else if (strcmp (op, "Concat") == 0)
    out[0] = ph_build_node (l->b, &ph_op_Concat, l->in, l->n_in, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
  else if (strcmp (op, "SoftMax") == 0 || strcmp (op, "Softmax") == 0)
    out[0] = PH_BUILD_WITH (l->b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 1))), x);
  else if (strcmp (op, "LogSoftmax") == 0)
    out[0] = PH_BUILD_WITH (l->b, LogSoftmax, PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 1))), x);
  else if (strcmp (op, "Elu") == 0)
    out[0] = PH_BUILD_WITH (l->b, Elu, PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_foreign_attr_number (l, "alpha", 1))), x);
  else if (strcmp (op, "PReLU") == 0 || strcmp (op, "PRelu") == 0)
    out[0] = PH_BUILD (l->b, PRelu, x, second);
  else if (strcmp (op, "Gelu") == 0)
    out[0] = PH_BUILD_WITH (
        l->b, Gelu,
        PH_ATTRS (ph_attr_new_string (
            "approximate", strcmp (ph_node_attr_string (l->node, "approximation_mode", "ERF"), "TANH") == 0 ? "tanh" : "none")),
        x);
  else if (strcmp (op, "Swish") == 0)
    out[0] = PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sigmoid, second != NULL ? PH_BUILD (l->b, Mul, x, second) : x));
  else if (strcmp (op, "HSigmoid") == 0)
    out[0] = PH_BUILD_WITH (l->b, HardSigmoid, PH_ATTRS (ph_attr_new_float ("alpha", 1.0f / 6), ph_attr_new_float ("beta", 0.5f)),
                            x);
  else if (strcmp (op, "NotEqual") == 0)
    out[0] = PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, x, second));
  else if (strcmp (op, "SquaredDifference") == 0)
    {
      PhValue *off = PH_BUILD (l->b, Sub, x, second);

      out[0] = PH_BUILD (l->b, Mul, off, off);
    }
  else if (strcmp (op, "ShapeOf") == 0)
    {
      const PhType *type = ph_convert_type (l, 0);

      out[0] = PH_BUILD (l->b, Shape, x);
      if (type != NULL && out[0] != NULL)
        out[0] = ph_convert_cast (l, out[0], type->dtype);
    }
  else if (strcmp (op, "Broadcast") == 0)
    {
      if (strcmp (ph_node_attr_string (l->node, "mode", "numpy"), "explicit") == 0)
        return ph_convert_stay (l, "it has a mapping of axes");
      out[0] = PH_BUILD (l->b, Expand, x, ph_foreign_int64 (l, second));
    }
  else if (strcmp (op, "Tile") == 0)
    out[0] = PH_BUILD (l->b, Tile, x, ph_foreign_int64 (l, second));
  else if (strcmp (op, "Slice") == 0)
    out[0] = ph_build_node (l->b, &ph_op_Slice, PH_VALUES_ (x, l->in[1], l->in[2], l->n_in > 4 ? l->in[4] : NULL, l->in[3]), 5,
                            NULL, 1);
  else if (strcmp (op, "BatchNormInference") == 0)
    out[0] = ph_build_node (l->b, &ph_op_BatchNormalization, l->in, 5,
                            PH_ATTRS (ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))), 1);
  return out[0] != NULL;
}

/* Operators whose second operand is an attribute, or int64, in ONNX. */
static gboolean
moves (PhConvert *l, PhValue **out)
{
  const char *op = name_of (l);
  g_autoptr (GArray) given = NULL;

  if (strcmp (op, "Gather") == 0)
    {
      const gint64 axis = ph_foreign_int (l, 2, 0);

      if (l->stays != NULL || ph_foreign_attr_int (l, "batch_dims", 0) != 0)
        return ph_convert_stay (l, "its axis is not constant, or it gathers in batches");
      out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), l->in[0], l->in[1]);
      return TRUE;
    }
  if (strcmp (op, "Squeeze") == 0 && l->n_in < 2)
    {
      out[0] = PH_BUILD (l->b, Squeeze, l->in[0]);
      return TRUE;
    }
  if ((given = ph_foreign_ints (l, 1)) == NULL || given->len > PH_MAX_RANK)
    return l->stays != NULL ? FALSE : ph_convert_stay (l, "its axes are not known");
  if (strcmp (op, "Transpose") == 0)
    {
      if (given->len == 0)
        out[0] = PH_BUILD (l->b, Transpose, l->in[0]);
      else
        out[0] = ph_convert_transpose (l, l->in[0], (const gint64 *) (gpointer) given->data, given->len);
    }
  else
    {
      PhValue *axes = ph_convert_ints_value (l, (const gint64 *) (gpointer) given->data, given->len);

      out[0] = strcmp (op, "Squeeze") == 0 ? PH_BUILD (l->b, Squeeze, l->in[0], axes)
                                           : PH_BUILD (l->b, Unsqueeze, l->in[0], axes);
    }
  return out[0] != NULL;
}

static gboolean
split (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_int (l, 1, 0);
  PhValue *inputs[2] = { l->in[0], NULL }, *made;

  if (l->stays != NULL)
    return FALSE;
  if (strcmp (name_of (l), "VariadicSplit") == 0)
    {
      g_autoptr (GArray) sizes = ph_foreign_ints (l, 2);

      if (sizes == NULL)
        return FALSE;
      for (guint i = 0; i < sizes->len; i++)
        if (g_array_index (sizes, gint64, i) < 0)
          return ph_convert_stay (l, "the size of one of its parts is left open");
      inputs[1] = ph_convert_ints_value (l, (const gint64 *) (gpointer) sizes->data, sizes->len);
    }
  made = ph_build_node (l->b, &ph_op_Split, inputs, inputs[1] != NULL ? 2 : 1,
                        inputs[1] != NULL ? PH_ATTRS (ph_attr_new_int ("axis", axis))
                                          : PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("num_outputs", l->n_out)),
                        l->n_out);
  for (guint i = 0; made != NULL && i < l->n_out; i++)
    out[i] = ph_node_output (made->producer, i);
  return made != NULL;
}

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  static const PhForeignReduction kinds[] = {
    { "ReduceMean", &ph_op_ReduceMean }, { "ReduceSum", &ph_op_ReduceSum },   { "ReduceMax", &ph_op_ReduceMax },
    { "ReduceMin", &ph_op_ReduceMin },   { "ReduceProd", &ph_op_ReduceProd }, { "ReduceL1", &ph_op_ReduceL1 },
    { "ReduceL2", &ph_op_ReduceL2 },
  };

  return ph_foreign_reduction (l, kinds, G_N_ELEMENTS (kinds), out);
}

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char windows[] = "Both give padding as starts and ends.";
static const char same[] = "Both compute the same function; only the attributes have different names.";
static const char axes[] = "Both reduce the given axes.";

/* clang-format off */
#define DIRECT(name)     { "openvino:" name, ph_foreign_direct, "ONNX's own", elementwise }
#define PLAIN(name, of)  { "openvino:" name, plain, of, same }
#define MOVES(name)      { "openvino:" name, moves, name, "The axes are a constant operand in OpenVINO." }
#define REDUCE(name)     { "openvino:" name, reduce, name, axes }

const PhConvertRule ph_convert_openvino[] = {
  DIRECT ("Add"), DIRECT ("Subtract"), DIRECT ("Multiply"), DIRECT ("Divide"), DIRECT ("Power"), DIRECT ("Maximum"), DIRECT ("Minimum"), DIRECT ("Abs"),
  DIRECT ("Negative"), DIRECT ("Sign"), DIRECT ("Sqrt"), DIRECT ("Exp"), DIRECT ("Log"), DIRECT ("Sin"), DIRECT ("Cos"), DIRECT ("Tan"), DIRECT ("Asin"),
  DIRECT ("Acos"), DIRECT ("Atan"), DIRECT ("Sinh"), DIRECT ("Cosh"), DIRECT ("Asinh"), DIRECT ("Acosh"), DIRECT ("Atanh"), DIRECT ("Erf"), DIRECT ("Floor"),
  DIRECT ("Ceiling"), DIRECT ("Equal"), DIRECT ("Less"), DIRECT ("LessEqual"), DIRECT ("Greater"), DIRECT ("GreaterEqual"), DIRECT ("LogicalAnd"),
  DIRECT ("LogicalOr"), DIRECT ("LogicalNot"), DIRECT ("ReLU"), DIRECT ("Sigmoid"), DIRECT ("Tanh"), DIRECT ("HSwish"), DIRECT ("Mish"), DIRECT ("SoftPlus"), DIRECT ("Select"),
  { "openvino:Clamp", clamp, "Clip", "The bounds of Clip are operands in ONNX." }, { "openvino:MatMul", matmul, "MatMul", "MatMul in ONNX does not transpose its operands." },
  { "openvino:Convolution", conv, "Conv", windows }, { "openvino:GroupConvolution", conv, "Conv in groups", windows }, { "openvino:ConvolutionBackpropData", conv, "ConvTranspose", windows },
  { "openvino:GroupConvolutionBackpropData", conv, "ConvTranspose in groups", windows }, { "openvino:MaxPool", pool, "MaxPool", windows }, { "openvino:AvgPool", pool, "AveragePool", windows },
  PLAIN ("Reshape", "Reshape"), PLAIN ("Concat", "Concat"), PLAIN ("SoftMax", "Softmax"), PLAIN ("Softmax", "Softmax"), PLAIN ("LogSoftmax", "LogSoftmax"), PLAIN ("Elu", "Elu"),
  PLAIN ("PReLU", "PRelu"), PLAIN ("PRelu", "PRelu"), PLAIN ("Gelu", "Gelu"), PLAIN ("Swish", "x Sigmoid(x)"), PLAIN ("HSigmoid", "HardSigmoid"), PLAIN ("NotEqual", "Not(Equal)"),
  PLAIN ("SquaredDifference", "Sub, Mul"), PLAIN ("ShapeOf", "Shape"), PLAIN ("Broadcast", "Expand"), PLAIN ("Tile", "Tile"), PLAIN ("Slice", "Slice"), PLAIN ("BatchNormInference", "BatchNormalization"),
  MOVES ("Gather"), MOVES ("Transpose"), MOVES ("Squeeze"), MOVES ("Unsqueeze"), { "openvino:Split", split, "Split", same }, { "openvino:VariadicSplit", split, "Split", same },
  REDUCE ("ReduceMean"), REDUCE ("ReduceSum"), REDUCE ("ReduceMax"), REDUCE ("ReduceMin"), REDUCE ("ReduceProd"), REDUCE ("ReduceL1"), REDUCE ("ReduceL2"),
  { "openvino:Convert", ph_foreign_cast, "Cast", "The element type of the result is the one to cast to." },
  { NULL }
};
/* clang-format on */
