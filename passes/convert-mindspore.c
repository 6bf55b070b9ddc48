/* convert-mindspore.c: MindSpore's operators in ONNX's. In its dumps constants are attributes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

/* ── operands ── */

/* Parses a number or list as written in a dump: "Tensor(shape=[], dtype=Float32, value=1)", "(1, -1)", 3. (nullable) */
static PhValue *
written (PhConvert *l, const PhAttr *attr)
{
  const char *text = attr->kind == PH_ATTR_STRING ? ph_node_attr_string (l->node, attr->name, "") : NULL, *value;
  char *end;
  double number;
  PhDType dtype = PH_FLOAT;
  g_autoptr (GArray) ints = ph_foreign_attr_ints (l, attr->name);

  if (attr->kind == PH_ATTR_INT)
    return ph_build_scalar (l->b, PH_INT64, (double) attr->i);
  if (attr->kind == PH_ATTR_FLOAT)
    return ph_build_scalar (l->b, PH_FLOAT, (double) attr->f);
  if (ints != NULL && text == NULL)
    return ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len);
  if (text == NULL)
    return NULL;
  if (g_str_has_prefix (text, "Tensor(shape=[]") && (value = strstr (text, "value=")) != NULL)
    {
      const char *type = strstr (text, "dtype=");
      g_autofree char *name = type != NULL
                                  ? g_ascii_strdown (type + strlen ("dtype="), (gssize) strcspn (type + strlen ("dtype="), ",)"))
                                  : g_strdup ("");

      dtype = strcmp (name, "float32") == 0 ? PH_FLOAT : strcmp (name, "float64") == 0 ? PH_DOUBLE : ph_dtype_from_name (name);
      number = g_ascii_strtod (value + strlen ("value="), &end);
      return end != value + strlen ("value=") && dtype != PH_UNDEFINED ? ph_build_scalar (l->b, dtype, number) : NULL;
    }
  if (*text == '(' && ints != NULL)
    return ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len);
  number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? ph_build_scalar (l->b, strpbrk (text, ".e") != NULL ? PH_FLOAT : PH_INT64, number) : NULL;
}

/* Returns all operands, including constants given as attributes, padded with NULL to @least. (transfer container) */
static GPtrArray *
operands (PhConvert *l, guint least)
{
  GPtrArray *all = g_ptr_array_new ();
  guint n = l->n_in, at = 0;

  for (guint i = 0; i < l->node->attrs->len; i++)
    n += g_str_has_prefix (((PhAttr *) l->node->attrs->pdata[i])->name, "argument_");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("argument_%u", i);
      const PhAttr *attr = ph_node_attr (l->node, name);

      g_ptr_array_add (all, attr != NULL ? written (l, attr) : at < l->n_in ? l->in[at++] : NULL);
    }
  while (all->len < least)
    g_ptr_array_add (all, NULL);
  return all;
}

/* Runs @rule with all operands in l->in. */
static gboolean
with_operands (PhConvert *l, PhConvertFunc rule, guint least, PhValue **out)
{
  g_autoptr (GPtrArray) all = operands (l, least);
  PhValue **in = l->in;
  const guint n = l->n_in;
  gboolean ok = TRUE;

  for (guint i = 0; i < least; i++)
    ok = ok && all->pdata[i] != NULL;
  if (!ok)
    return ph_convert_stay (l, "an operand is missing, or cannot be read from its text");
  l->n_in = all->len;
  g_ptr_array_set_size (all, (int) (all->len + PH_CONVERT_SPARE));
  l->in = (PhValue **) all->pdata;
  ok = rule (l, out);
  l->in = in;
  l->n_in = n;
  return ok;
}

static gboolean
ints_of (PhConvert *l, guint operand, const char *attr, GArray **ints)
{
  *ints = operand < l->n_in && l->in[operand] != NULL ? ph_foreign_ints (l, operand) : ph_foreign_attr_ints (l, attr);
  return *ints != NULL || ph_convert_stay (l, "its %s is not known", attr);
}

/* ── rules, on all operands ── */

/* A Python number takes the type of the tensor that it is combined with. */
static gboolean
binary_of (PhConvert *l, PhValue **out)
{
  const guint first = strcmp (l->op, "mindspore:Select") == 0 ? 1 : 0;
  PhDType dtype = PH_UNDEFINED;

  for (guint i = first; i < l->n_in; i++)
    if (ph_value_constant (l->in[i]) == NULL || ph_value_rank (l->in[i]) > 0)
      dtype = ph_convert_dtype (l->in[i]);
  for (guint i = first; i < l->n_in && dtype != PH_UNDEFINED; i++)
    l->in[i] = ph_value_constant (l->in[i]) != NULL && ph_value_rank (l->in[i]) == 0 ? ph_convert_cast (l, l->in[i], dtype)
                                                                                     : l->in[i];
  return ph_foreign_direct (l, out);
}

static gboolean
binary (PhConvert *l, PhValue **out)
{
  return with_operands (l, binary_of, 2, out);
}

static gboolean
as_tensorflow (PhConvert *l, PhValue **out)
{
  static const struct
  {
    const char *own, *other;
    /* clang-format off */
  } names[] = {
    { "NotEqual", "tf:NotEqual" }, { "Square", "tf:Square" }, { "SquaredDifference", "tf:SquaredDifference" },
    { "Rsqrt", "tf:Rsqrt" }, { "Log1p", "tf:Log1p" }, { "Expm1", "tf:Expm1" }, { "FloorDiv", "tf:FloorDiv" },
    { "FloorMod", "tf:FloorMod" }, { "DivNoNan", "tf:DivNoNan" }, { "ReLU6", "tf:Relu6" },
    { "StridedSlice", "tf:StridedSlice" }, { "Gather", "tf:GatherV2" }, { "GatherNd", "tf:GatherNd" }
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i].own, l->op + strlen ("mindspore:")) == 0)
      return ph_foreign_as (l, names[i].other, out);
  return FALSE;
}

static gboolean
as_tensorflow_of_all (PhConvert *l, PhValue **out)
{
  return with_operands (l, as_tensorflow, 1, out);
}

static gboolean
activation (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0];

  if (strcmp (l->op, "mindspore:LeakyReLU") == 0)
    out[0] = PH_BUILD_WITH (l->b, LeakyRelu,
                            PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_foreign_attr_number (l, "negative_slope", 0.2))), x);
  else if (strcmp (l->op, "mindspore:Elu") == 0)
    out[0] = PH_BUILD_WITH (l->b, Elu, PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_foreign_attr_number (l, "alpha", 1))), x);
  else if (strcmp (l->op, "mindspore:HSigmoid") == 0)
    out[0] = PH_BUILD_WITH (l->b, HardSigmoid, PH_ATTRS (ph_attr_new_float ("alpha", 1.0f / 6), ph_attr_new_float ("beta", 0.5f)),
                            x);
  else if (strcmp (l->op, "mindspore:SiLU") == 0)
    out[0] = PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sigmoid, x));
  else /* MindSpore computes it by the approximation with tanh */
    out[0] = PH_BUILD_WITH (l->b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", "tanh")), x);
  return out[0] != NULL;
}

static gboolean
softmax (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_attr_ints (l, "axis");
  const PhOp *op = strcmp (l->op, "mindspore:LogSoftmax") == 0 ? &ph_op_LogSoftmax : &ph_op_Softmax;

  if (axes != NULL && axes->len > 1)
    return ph_convert_stay (l, "it works along several axes");
  out[0] = ph_build_node (
      l->b, op, l->in, 1,
      PH_ATTRS (ph_attr_new_int ("axis", axes != NULL && axes->len == 1 ? g_array_index (axes, gint64, 0) : -1)), 1);
  return out[0] != NULL;
}

static gboolean
mat_mul (PhConvert *l, PhValue **out)
{
  const gboolean dense = strcmp (l->op, "mindspore:Dense") == 0;

  return ph_foreign_product (l, ph_foreign_attr_int (l, "transpose_a", 0) != 0,
                             dense || ph_foreign_attr_int (l, "transpose_b", 0) != 0, out);
}

static gboolean
is_last (const PhConvert *l)
{
  return strcmp (ph_node_attr_string (l->node, "format", ph_node_attr_string (l->node, "data_format", "NCHW")), "NHWC") == 0;
}

static gboolean
bias_add (PhConvert *l, PhValue **out)
{
  return ph_foreign_add_bias (l, is_last (l) ? -1 : 1, out);
}

/* Its padding is one of three, by name or by number. */
static gboolean
read_window (PhConvert *l, const char *kernel, const char *strides, PhForeignWindow *window)
{
  const char *mode = ph_node_attr_string (l->node, "pad_mode", ph_node_attr_string (l->node, "padding", ""));
  const gint64 number = ph_foreign_attr_int (l, "pad_mode", -1);
  g_autoptr (GArray) pads = ph_foreign_attr_ints (l, ph_node_attr (l->node, "pad_list") != NULL ? "pad_list" : "pad");

  *window = (PhForeignWindow) {
    .n = 2, .group = ph_foreign_attr_int (l, "group", 1), .stride = { 1, 1 }, .dilation = { 1, 1 }, .padding = "EXPLICIT"
  };
  if (!ph_foreign_fill (l, kernel, window->kernel, 2) || !ph_foreign_fill (l, strides, window->stride, 2)
      || !ph_foreign_fill (l, "dilation", window->dilation, 2))
    return ph_convert_stay (l, "its window is not given as numbers");
  if (g_ascii_strcasecmp (mode, "same") == 0 || (*mode == '\0' && number == 1))
    window->padding = "SAME";
  else if (g_ascii_strcasecmp (mode, "pad") == 0 || (*mode == '\0' && number == 0))
    {
      if (pads == NULL || (pads->len != 1 && pads->len != 4))
        return ph_convert_stay (l, "its padding is not known");
      for (guint i = 0; i < 4; i++) /* top, bottom, left, right */
        window->explicit_pads[i % 2 * 2 + i / 2] = g_array_index (pads, gint64, pads->len == 1 ? 0 : i);
    }
  else if (g_ascii_strcasecmp (mode, "valid") != 0 && number != 2)
    return ph_convert_stay (l, "its padding is %s", mode);
  return TRUE;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gboolean last = is_last (l);
  PhForeignWindow window;

  if (!read_window (l, "kernel_size", "stride", &window))
    return FALSE;
  return ph_foreign_conv (l, &window, FALSE, NULL, last, last ? "OHWI" : "OIHW", l->in[0], l->in[1],
                          l->n_in > 2 ? l->in[2] : NULL, out);
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const gboolean argmax = strcmp (l->op, "mindspore:MaxPoolWithArgmax") == 0;
  const char *kernel = ph_node_attr (l->node, "ksize") != NULL ? "ksize" : "kernel_size";
  g_autoptr (GArray) size = ph_foreign_attr_ints (l, kernel), step = ph_foreign_attr_ints (l, "strides");
  PhForeignWindow window;

  if (argmax && l->n_out > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0)
    return ph_convert_stay (l, "the indices of the largest elements are used");
  if (!read_window (l, kernel, "strides", &window))
    return FALSE;
  /* 1, height, width, 1 of the kernel for Ascend. */
  if (argmax && size != NULL && size->len == 4 && step != NULL && step->len == 4 && g_array_index (size, gint64, 3) == 1
      && g_array_index (size, gint64, 1) != 1)
    for (guint i = 0; i < 2; i++)
      {
        window.kernel[i] = g_array_index (size, gint64, i + 1);
        window.stride[i] = g_array_index (step, gint64, i + 1);
      }
  return ph_foreign_pool (l, strstr (l->op, "Max") != NULL ? &ph_op_MaxPool : &ph_op_AveragePool, &window, is_last (l), FALSE,
                          FALSE, out);
}

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  if (ph_foreign_attr_int (l, "is_training", 0) != 0)
    return ph_convert_stay (l, "it computes the mean and variance of the batch: export the network for inference");
  return ph_foreign_statistics_unused (l) && ph_foreign_batch_norm (l, is_last (l), out);
}

static gboolean
layer_norm (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_foreign_attr_int (l, "begin_norm_axis", 1);
  const int rank = ph_value_rank (l->in[0]);

  if (l->n_in < 3 || (axis >= 0 && axis != ph_foreign_attr_int (l, "begin_params_axis", 1) && rank >= 0 && axis != rank - 1))
    return ph_convert_stay (l, "its scale does not cover the axes that it normalises");
  if (!ph_foreign_statistics_unused (l))
    return FALSE;
  out[0] = ph_build_node (l->b, &ph_op_LayerNormalization, l->in, 3,
                          PH_ATTRS (ph_attr_new_int ("axis", axis),
                                    ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-7))),
                          1);
  return out[0] != NULL;
}

static gboolean
reduce_of (PhConvert *l, PhValue **out)
{
  static const PhForeignReduction kinds[] = { { "ReduceSum", &ph_op_ReduceSum },   { "ReduceMean", &ph_op_ReduceMean },
                                              { "ReduceMax", &ph_op_ReduceMax },   { "ReduceMin", &ph_op_ReduceMin },
                                              { "ReduceProd", &ph_op_ReduceProd }, { "ReduceAll", &ph_op_ReduceMin },
                                              { "ReduceAny", &ph_op_ReduceMax } };
  g_autoptr (GArray) axes = NULL;

  if (!ints_of (l, 1, "axis", &axes))
    return FALSE;
  return ph_foreign_reduction_over (l, kinds, G_N_ELEMENTS (kinds), axes->len > 0 ? axes : NULL, /* no axes means all */
                                    ph_foreign_attr_int (l, "keep_dims", 0) != 0, out);
}

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  return with_operands (l, reduce_of, 1, out);
}

static gboolean
arg (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);

  out[0] = ph_build_node (
      l->b, strstr (l->op, "max") != NULL ? &ph_op_ArgMax : &ph_op_ArgMin, l->in, 1,
      PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", -1)), ph_attr_new_int ("keepdims", 0)), 1);
  out[0] = ph_convert_cast (l, out[0], type != NULL && ph_dtype_is_integer (type->dtype) ? type->dtype : PH_INT32);
  return out[0] != NULL;
}

/* ── shapes ── */

static gboolean
move_of (PhConvert *l, PhValue **out)
{
  const char *name = l->op + strlen ("mindspore:");
  g_autoptr (GArray) ints = NULL;

  if (strcmp (name, "Flatten") == 0)
    return (out[0] = PH_BUILD_WITH (l->b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", 1)), l->in[0])) != NULL;
  if (strcmp (name, "Squeeze") == 0)
    {
      ints = ph_foreign_attr_ints (l, "axis");
      out[0] = ints != NULL && ints->len > 0
                   ? PH_BUILD (l->b, Squeeze, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len))
                   : PH_BUILD (l->b, Squeeze, l->in[0]);
      return out[0] != NULL;
    }
  if (strcmp (name, "Reshape") == 0 && l->n_in > 1 && ph_value_constant (l->in[1]) == NULL)
    return (out[0] = PH_BUILD (l->b, Reshape, l->in[0], ph_foreign_int64 (l, l->in[1]))) != NULL;
  if (!ints_of (l, 1,
                strcmp (name, "Transpose") == 0    ? "perm"
                : strcmp (name, "ExpandDims") == 0 ? "axis"
                : strcmp (name, "Tile") == 0       ? "multiples"
                                                   : "shape",
                &ints))
    return FALSE;
  if (strcmp (name, "Transpose") == 0)
    out[0] = ph_convert_transpose (l, l->in[0], (const gint64 *) ints->data, ints->len);
  else if (strcmp (name, "Reshape") == 0)
    out[0] = PH_BUILD (l->b, Reshape, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
  else if (strcmp (name, "ExpandDims") == 0)
    out[0] = PH_BUILD (l->b, Unsqueeze, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
  else if (strcmp (name, "BroadcastTo") == 0)
    {
      for (guint i = 0; i < ints->len; i++) /* -1: the dimension is kept */
        if (g_array_index (ints, gint64, i) < 0)
          g_array_index (ints, gint64, i) = 1;
      out[0] = PH_BUILD (l->b, Expand, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
    }
  else
    out[0] = PH_BUILD (l->b, Tile, l->in[0], ph_convert_ints_value (l, (const gint64 *) ints->data, ints->len));
  return out[0] != NULL;
}

static gboolean
move (PhConvert *l, PhValue **out)
{
  return with_operands (l, move_of, 1, out);
}

static gboolean
split (PhConvert *l, PhValue **out)
{
  const gint64 n = ph_foreign_attr_int (l, "output_num", l->n_out);
  PhValue *first;

  if (n < 1 || n > 4096 || n < (gint64) l->n_out)
    return ph_convert_stay (l, "it does not return as many parts as it has outputs");
  first = ph_build_node (
      l->b, &ph_op_Split, l->in, 1,
      PH_ATTRS (ph_attr_new_int ("axis", ph_foreign_attr_int (l, "axis", 0)), ph_attr_new_int ("num_outputs", n)), (guint) n);
  for (guint i = 0; first != NULL && i < l->n_out; i++)
    out[i] = ph_node_output (first->producer, i);
  return first != NULL;
}

static gboolean
filled (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  const double number = strstr (l->op, "Ones") != NULL ? 1 : 0;
  gint64 dims[PH_MAX_RANK];

  if (strstr (l->op, "Like") != NULL)
    out[0] = PH_BUILD (l->b, Expand, ph_convert_like (l, l->in[0], number), PH_BUILD (l->b, Shape, l->in[0]));
  else if (!ph_convert_out_dims (l, 0, dims))
    return FALSE;
  else
    out[0] = ph_convert_expand (l, ph_convert_number (l, type->dtype, number), dims, type->rank);
  return out[0] != NULL;
}

/* The operands are x, h, c, and the weights of all gates in one: those of the input, of the state, and the bias, with the gates in the
 * order i, f, g, o. */
static gboolean
lstm (PhConvert *l, PhValue **out)
{
  const gint64 width = ph_foreign_attr_int (l, "input_size", 0), hidden = ph_foreign_attr_int (l, "hidden_size", 0),
               bias = ph_foreign_attr_int (l, "has_bias", 0) != 0;
  const gint64 order[] = { 0, 3, 1, 2 }; /* ONNX's: i, o, f, c */
  PhValue *all, *parts[3] = { NULL }, *zero, *first;
  gint64 sizes[3] = { 4 * hidden * width, 4 * hidden * hidden, 4 * hidden }, depth[] = { width, hidden, 1 };

  if (ph_foreign_attr_int (l, "num_layers", 1) != 1 || ph_foreign_attr_int (l, "bidirectional", 0) != 0 || l->n_in < 4
      || width <= 0 || hidden <= 0 || width > 1 << 20 || hidden > 1 << 20)
    return ph_convert_stay (l, "it has several layers or two directions");
  for (guint i = 3; i < l->n_out; i++)
    if (ph_value_n_uses (ph_node_output (l->node, i)) > 0)
      return ph_convert_stay (l, "the output that it keeps for its gradient is used");
  if (ph_value_rank (l->in[3]) < 1 || ph_value_dim (l->in[3], 0) != sizes[0] + sizes[1] + (bias ? sizes[2] : 0))
    return ph_convert_stay (l, "its weights are not one tensor for the input, the state and one bias");
  all = PH_BUILD (l->b, Reshape, l->in[3], ph_convert_ints_value (l, (gint64[]) { -1 }, 1));
  for (gint64 i = 0, from = 0; i < (bias ? 3 : 2); from += sizes[i++])
    {
      PhValue *part = PH_BUILD (l->b, Slice, all, ph_convert_ints_value (l, (gint64[]) { from }, 1),
                                ph_convert_ints_value (l, (gint64[]) { from + sizes[i] }, 1));

      part = PH_BUILD (l->b, Reshape, part, ph_convert_ints_value (l, (gint64[]) { 4, hidden * depth[i] }, 2));
      part = PH_BUILD (l->b, Gather, part, ph_convert_ints_value (l, order, 4));
      parts[i] = PH_BUILD (l->b, Reshape, part,
                           i < 2 ? ph_convert_ints_value (l, (gint64[]) { 1, 4 * hidden, depth[i] }, 3)
                                 : ph_convert_ints_value (l, (gint64[]) { 1, 4 * hidden }, 2));
    }
  if (bias && l->b->error == NULL)
    {
      zero = ph_convert_expand (l, ph_convert_like (l, l->in[0], 0), (gint64[]) { 1, 4 * hidden }, 2);
      parts[2] = PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 1)), parts[2], zero);
    }
  first = ph_build_node (l->b, &ph_op_LSTM, PH_VALUES_ (l->in[0], parts[0], parts[1], parts[2], NULL, l->in[1], l->in[2]), 7,
                         PH_ATTRS (ph_attr_new_int ("hidden_size", hidden)), 3);
  if (first == NULL)
    return FALSE;
  out[0] = ph_foreign_axis (l, &ph_op_Squeeze, first, 1);
  for (guint i = 1; i < 3 && i < l->n_out; i++)
    out[i] = ph_node_output (first->producer, i);
  return out[0] != NULL;
}

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char axes[] = "An attribute or constant in MindSpore is an operand in ONNX.";
static const char layout[] = "MindSpore names the kind of padding; ONNX lists its widths.";
static const char order[] = "It only orders execution or stops gradients, and returns its operand unchanged.";

/* clang-format off */
#define DIRECT(name) { "mindspore:" name, binary, "ONNX's own", elementwise }
#define UNARY(name)  { "mindspore:" name, ph_foreign_direct, "ONNX's own", elementwise }
#define TF(name, becomes) { "mindspore:" name, as_tensorflow_of_all, becomes, "ONNX has no identical operator, so it is composed of others." }
#define MOVE(name, becomes) { "mindspore:" name, move, becomes, axes }
#define REDUCE(name, becomes) { "mindspore:" name, reduce, becomes, "Both reduce the given axes." }

const PhConvertRule ph_convert_mindspore[] = {
  DIRECT ("Add"), DIRECT ("Sub"), DIRECT ("Mul"), DIRECT ("Div"), DIRECT ("RealDiv"), DIRECT ("Pow"), DIRECT ("Maximum"), DIRECT ("Minimum"), DIRECT ("Equal"),
  DIRECT ("Less"), DIRECT ("LessEqual"), DIRECT ("Greater"), DIRECT ("GreaterEqual"), DIRECT ("LogicalAnd"), DIRECT ("LogicalOr"), DIRECT ("LogicalXor"), DIRECT ("Select"),
  DIRECT ("TensorAdd"),
  UNARY ("Neg"), UNARY ("Abs"), UNARY ("Exp"), UNARY ("Log"), UNARY ("Sqrt"), UNARY ("Sin"), UNARY ("Cos"), UNARY ("Tan"), UNARY ("Asin"), UNARY ("Acos"), UNARY ("Atan"),
  UNARY ("Sinh"), UNARY ("Cosh"), UNARY ("Asinh"), UNARY ("Acosh"), UNARY ("Atanh"), UNARY ("Erf"), UNARY ("Floor"), UNARY ("Ceil"), UNARY ("Round"), UNARY ("Sign"),
  UNARY ("Reciprocal"), UNARY ("Inv"), UNARY ("LogicalNot"), UNARY ("IsNan"), UNARY ("IsInf"), UNARY ("ReLU"), UNARY ("ReLUV2"), UNARY ("Sigmoid"), UNARY ("Tanh"),
  UNARY ("HSwish"), UNARY ("SeLU"), UNARY ("Softplus"), UNARY ("Softsign"), UNARY ("Mish"),
  TF ("NotEqual", "Not(Equal)"), TF ("Square", "Mul(x, x)"), TF ("SquaredDifference", "Sub, then Mul with itself"), TF ("Rsqrt", "Reciprocal(Sqrt)"), TF ("Log1p", "Log(x + 1)"),
  TF ("Expm1", "Exp(x) - 1"), TF ("FloorDiv", "Div, rounded down"), TF ("FloorMod", "Mod"), TF ("DivNoNan", "Where(divisor = 0, 0, Div)"), TF ("ReLU6", "Clip"),
  TF ("StridedSlice", "Slice"), TF ("Gather", "Gather"), TF ("GatherNd", "GatherND"),
  { "mindspore:LeakyReLU", activation, "LeakyRelu", elementwise }, { "mindspore:Elu", activation, "Elu", elementwise }, { "mindspore:HSigmoid", activation, "HardSigmoid", elementwise },
  { "mindspore:SiLU", activation, "Mul(x, Sigmoid(x))", "ONNX has no identical operator, so it is composed of others." }, { "mindspore:GeLU", activation, "Gelu", "MindSpore computes Gelu by its tanh approximation." },
  { "mindspore:Softmax", softmax, "Softmax", "Both work along one axis." }, { "mindspore:LogSoftmax", softmax, "LogSoftmax", "Both work along one axis." },
  { "mindspore:Cast", ph_foreign_cast, "Cast", elementwise },
  { "mindspore:MatMul", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands and no bias." },
  { "mindspore:BatchMatMul", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands." }, { "mindspore:Dense", mat_mul, "MatMul and Add", "MatMul in ONNX has no bias, so Add adds it." },
  { "mindspore:BiasAdd", bias_add, "Add", "A bias is added along the channels." }, { "mindspore:Conv2D", conv, "Conv", layout },
  { "mindspore:MaxPool", pool, "MaxPool", layout }, { "mindspore:MaxPoolWithArgmax", pool, "MaxPool", layout }, { "mindspore:AvgPool", pool, "AveragePool", layout },
  { "mindspore:BatchNorm", batch_norm, "BatchNormalization", "At inference both use the given mean and variance." },
  { "mindspore:LayerNorm", layer_norm, "LayerNormalization", "Both normalise over the last axes." },
  REDUCE ("ReduceSum", "ReduceSum"), REDUCE ("ReduceMean", "ReduceMean"), REDUCE ("ReduceMax", "ReduceMax"), REDUCE ("ReduceMin", "ReduceMin"),
  REDUCE ("ReduceProd", "ReduceProd"), REDUCE ("ReduceAll", "ReduceMin"), REDUCE ("ReduceAny", "ReduceMax"),
  { "mindspore:Argmax", arg, "ArgMax", "Both return the first index of the extreme element." }, { "mindspore:Argmin", arg, "ArgMin", "Both return the first index of the extreme element." },
  MOVE ("Reshape", "Reshape"), MOVE ("Transpose", "Transpose"), MOVE ("ExpandDims", "Unsqueeze"), MOVE ("Squeeze", "Squeeze"), MOVE ("Flatten", "Flatten"),
  MOVE ("Tile", "Tile"), MOVE ("BroadcastTo", "Expand"),
  { "mindspore:Concat", ph_foreign_concat, "Concat", "The tensors of the tuple become separate operands." }, { "mindspore:Stack", ph_foreign_stack, "Unsqueeze, then Concat", "The tensors of the tuple become separate operands." },
  { "mindspore:Split", split, "Split", "Both split into equal parts." }, { "mindspore:Zeros", filled, "Expand", "One number is expanded to the shape." }, { "mindspore:Ones", filled, "Expand", "One number is expanded to the shape." },
  { "mindspore:ZerosLike", filled, "Expand", "One number is expanded to the shape." }, { "mindspore:OnesLike", filled, "Expand", "One number is expanded to the shape." },
  { "mindspore:LSTM", lstm, "LSTM", "MindSpore stores all weights in one tensor, with the gates in another order." },
  { "mindspore:Load", ph_foreign_same, "its operand", order }, { "mindspore:Depend", ph_foreign_same, "its operand", order }, { "mindspore:StopGradient", ph_foreign_same, "its operand", order },
  { "mindspore:Identity", ph_foreign_same, "its operand", order },
  { NULL }
};
/* clang-format on */
