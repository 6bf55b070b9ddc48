/* convert-foreign.c: helpers of the rules for other systems: plain operators, constants, windows over NHWC.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-foreign.h"

#include <string.h>

/* Its names in the dialects; one that means something else in another dialect is not here. */
/* clang-format off */
static const struct { const PhOp *op; const char *names[7]; } direct[] = {
  { &ph_op_Add, { "Add", "AddV2", "ADD", "add", "TensorAdd", "BiasAddV1" } }, { &ph_op_Sub, { "Sub", "Subtract", "SUB", "subtract" } }, { &ph_op_Mul, { "Mul", "Multiply", "MUL", "multiply" } },
  { &ph_op_Div, { "RealDiv", "Div", "Divide", "DIV" } }, { &ph_op_Div, { "TruncateDiv", "divide", "trunc_div" } }, { &ph_op_Pow, { "Pow", "Power", "POW", "power" } },
  { &ph_op_Max, { "Maximum", "MAXIMUM", "maximum" } }, { &ph_op_Min, { "Minimum", "MINIMUM", "minimum" } }, { &ph_op_Abs, { "Abs", "ABS", "abs" } },
  { &ph_op_Neg, { "Neg", "Negative", "NEG", "negative" } }, { &ph_op_Sign, { "Sign", "SIGN", "sign" } }, { &ph_op_Sqrt, { "Sqrt", "SQRT", "sqrt" } },
  { &ph_op_Exp, { "Exp", "EXP", "exp" } }, { &ph_op_Log, { "Log", "LOG", "log" } }, { &ph_op_Sin, { "Sin", "SIN", "sin" } }, { &ph_op_Cos, { "Cos", "COS", "cos" } },
  { &ph_op_Tan, { "Tan", "tan" } }, { &ph_op_Asin, { "Asin", "asin" } }, { &ph_op_Acos, { "Acos", "acos" } }, { &ph_op_Atan, { "Atan", "atan" } }, { &ph_op_Sinh, { "Sinh", "sinh" } },
  { &ph_op_Cosh, { "Cosh", "cosh" } }, { &ph_op_Asinh, { "Asinh", "asinh" } }, { &ph_op_Acosh, { "Acosh", "acosh" } }, { &ph_op_Atanh, { "Atanh", "atanh" } },
  { &ph_op_Erf, { "Erf", "erf" } }, { &ph_op_Floor, { "Floor", "FLOOR", "floor" } }, { &ph_op_Ceil, { "Ceil", "Ceiling", "CEIL", "ceil" } },
  { &ph_op_Round, { "Round", "Rint", "ROUND", "round" } }, { &ph_op_Reciprocal, { "Reciprocal", "Inv" } }, { &ph_op_Equal, { "Equal", "EQUAL", "equal" } },
  { &ph_op_Less, { "Less", "LESS", "less" } }, { &ph_op_LessOrEqual, { "LessEqual", "LESS_EQUAL", "less_equal" } }, { &ph_op_Greater, { "Greater", "GREATER", "greater" } },
  { &ph_op_GreaterOrEqual, { "GreaterEqual", "GREATER_EQUAL", "greater_equal" } }, { &ph_op_And, { "LogicalAnd", "LOGICAL_AND", "logical_and" } },
  { &ph_op_Or, { "LogicalOr", "LOGICAL_OR", "logical_or" } }, { &ph_op_Not, { "LogicalNot", "LOGICAL_NOT", "logical_not" } }, { &ph_op_IsNaN, { "IsNan", "isnan", "IsNaN" } },
  { &ph_op_IsInf, { "IsInf", "isinf" } }, { &ph_op_Where, { "SelectV2", "Select", "SELECT", "SELECT_V2", "where" } }, { &ph_op_Relu, { "Relu", "ReLU", "RELU", "nn.relu", "ReLUV2" } },
  { &ph_op_Elu, { "Elu", "ELU" } }, { &ph_op_Selu, { "Selu", "nn.selu", "SeLU" } }, { &ph_op_Softplus, { "Softplus", "SoftPlus" } }, { &ph_op_Softsign, { "Softsign", "SoftSign" } },
  { &ph_op_Sigmoid, { "Sigmoid", "LOGISTIC", "sigmoid" } }, { &ph_op_Tanh, { "Tanh", "TANH", "tanh" } }, { &ph_op_HardSwish, { "HSwish", "HARD_SWISH", "HardSwish" } },
  { &ph_op_Mish, { "Mish" } }, { &ph_op_LogSoftmax, { "LogSoftmax", "LOG_SOFTMAX" } }, { &ph_op_Sum, { "AddN", "ADD_N" } },
  { &ph_op_Xor, { "LogicalXor", "logical_xor" } }, { &ph_op_BitwiseAnd, { "bitwise_and", "BitwiseAnd" } }, { &ph_op_BitwiseOr, { "bitwise_or", "BitwiseOr" } },
  { &ph_op_BitwiseXor, { "bitwise_xor", "BitwiseXor", "BITWISE_XOR" } }, { &ph_op_BitwiseNot, { "bitwise_not", "Invert", "BitwiseNot" } },
};
/* clang-format on */

gboolean
ph_foreign_node (PhConvert *l, const PhOp *op, PhValue **out)
{
  out[0] = ph_build_node (l->b, op, l->in, l->n_in, NULL, 1);
  return out[0] != NULL;
}

gboolean
ph_foreign_direct (PhConvert *l, PhValue **out)
{
  const char *name = strchr (l->op, ':') + 1;

  for (guint i = 0; i < G_N_ELEMENTS (direct); i++)
    for (guint k = 0; k < G_N_ELEMENTS (direct[i].names) && direct[i].names[k] != NULL; k++)
      if (strcmp (direct[i].names[k], name) == 0)
        return ph_foreign_node (l, direct[i].op, out);
  return ph_convert_stay (l, "it has no rule");
}

gboolean
ph_foreign_same (PhConvert *l, PhValue **out)
{
  if (l->n_in == 0 || l->in[0] == NULL)
    return ph_convert_stay (l, "it has no operand");
  out[0] = l->in[0];
  return TRUE;
}

GArray *
ph_foreign_ints (PhConvert *l, guint input)
{
  PhTensor *tensor = input < l->n_in && l->in[input] != NULL ? ph_value_constant (l->in[input]) : NULL;
  GArray *ints;

  if (tensor == NULL || !ph_dtype_is_integer (ph_tensor_dtype (tensor)) || ph_tensor_count (tensor) > 4096)
    {
      ph_convert_stay (l, "its operand %u is not constant", input);
      return NULL;
    }
  ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    g_array_append_vals (ints, (gint64[]) { ph_tensor_get_int (tensor, i) }, 1);
  return ints;
}

gint64
ph_foreign_int (PhConvert *l, guint input, gint64 fallback)
{
  g_autoptr (GArray) ints = ph_foreign_ints (l, input);

  return ints != NULL && ints->len == 1 ? g_array_index (ints, gint64, 0) : fallback;
}

PhValue *
ph_foreign_int64 (PhConvert *l, PhValue *value)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (tensor != NULL && ph_tensor_dtype (tensor) != PH_INT64)
    return ph_build_tensor (l->b, ph_tensor_cast (tensor, PH_INT64));
  return ph_convert_cast (l, value, PH_INT64);
}

PhValue *
ph_foreign_number (PhConvert *l, PhValue *like, double number)
{
  return ph_build_scalar (l->b, ph_convert_dtype (like) != PH_UNDEFINED ? ph_convert_dtype (like) : PH_FLOAT, number);
}

char *
ph_foreign_text_attr (PhConvert *l, const char *name, const char *fallback)
{
  char *text = g_strdup (ph_node_attr_string (l->node, name, fallback));

  g_strdelimit (text, "\"'", ' ');
  return g_strstrip (text);
}

PhDType
ph_foreign_type_attr (PhConvert *l, const char *name, PhDType fallback)
{
  static const struct
  {
    const char *name;
    PhDType dtype;
  } others[] = { { "half", PH_FLOAT16 },  { "f32", PH_FLOAT },  { "f16", PH_FLOAT16 },   { "i64", PH_INT64 },
                 { "i32", PH_INT32 },     { "i8", PH_INT8 },    { "u8", PH_UINT8 },      { "boolean", PH_BOOL },
                 { "bf16", PH_BFLOAT16 }, { "f64", PH_DOUBLE }, { "float32", PH_FLOAT }, { "float64", PH_DOUBLE } };
  g_autofree char *text = ph_foreign_text_attr (l, name, "");

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (strcmp (others[i].name, text) == 0)
      return others[i].dtype;
  return ph_dtype_from_name (text) != PH_UNDEFINED ? ph_dtype_from_name (text) : fallback;
}

gboolean
ph_foreign_reduction_over (PhConvert *l, const PhForeignReduction *kinds, guint n_kinds, const GArray *axes, gboolean keep,
                           PhValue **out)
{
  PhValue *inputs[] = { l->in[0], axes != NULL ? ph_convert_ints_value (l, (const gint64 *) axes->data, axes->len) : NULL };

  for (guint i = 0; i < n_kinds; i++)
    if (strcmp (kinds[i].name, strchr (l->op, ':') + 1) == 0)
      out[0] = axes != NULL && axes->len == 0 /* over no axes: the operand itself */
                   ? l->in[0]
                   : ph_build_node (l->b, kinds[i].op, inputs, 2, PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
  return out[0] != NULL;
}

gboolean
ph_foreign_reduction (PhConvert *l, const PhForeignReduction *kinds, guint n_kinds, PhValue **out)
{
  g_autoptr (GArray) axes = ph_foreign_ints (l, 1);

  return axes != NULL
         && ph_foreign_reduction_over (l, kinds, n_kinds, axes, ph_node_attr_int (l->node, "keep_dims", 0) != 0, out);
}

gboolean
ph_foreign_product (PhConvert *l, gboolean transpose_a, gboolean transpose_b, PhValue **out)
{
  PhValue *a = transpose_a ? ph_foreign_swapped (l, l->in[0]) : l->in[0];
  PhValue *b = transpose_b ? ph_foreign_swapped (l, l->in[1]) : l->in[1];

  if (a == NULL || b == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, MatMul, a, b);
  if (l->n_in > 2 && l->in[2] != NULL)
    out[0] = PH_BUILD (l->b, Add, out[0], l->in[2]);
  return out[0] != NULL;
}

gboolean
ph_foreign_add_bias (PhConvert *l, int axis, PhValue **out)
{
  PhValue *bias = ph_foreign_along (l, l->in[1], ph_value_rank (l->in[0]), axis);

  out[0] = bias != NULL ? PH_BUILD (l->b, Add, l->in[0], bias) : NULL;
  return out[0] != NULL;
}

gboolean
ph_foreign_statistics_unused (PhConvert *l)
{
  for (guint i = 1; i < l->n_out; i++)
    if (ph_value_n_uses (ph_node_output (l->node, i)) > 0)
      return ph_convert_stay (l, "the statistics that it returns are used");
  return TRUE;
}

PhValue *
ph_foreign_axis (PhConvert *l, const PhOp *op, PhValue *value, gint64 axis)
{
  PhValue *inputs[] = { value, ph_convert_ints_value (l, &axis, 1) };

  return value != NULL ? ph_build_node (l->b, op, inputs, 2, NULL, 1) : NULL;
}

static gboolean
join (PhConvert *l, gboolean stack, PhValue **out)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  const gint64 axis = ph_foreign_attr_int (l, "axis", 0);

  for (guint i = 0; i < l->n_in; i++)
    ph_foreign_elements (l->in[i], parts);
  if (parts->len == 0 || g_ptr_array_find (parts, NULL, NULL))
    return ph_convert_stay (l, "an operand is missing");
  for (guint i = 0; stack && i < parts->len; i++)
    if ((parts->pdata[i] = ph_foreign_axis (l, &ph_op_Unsqueeze, parts->pdata[i], axis)) == NULL)
      return FALSE;
  out[0] = ph_build_node (l->b, &ph_op_Concat, (PhValue **) parts->pdata, parts->len, PH_ATTRS (ph_attr_new_int ("axis", axis)),
                          1);
  return out[0] != NULL;
}

PhValue *
ph_foreign_joined (PhConvert *l, PhValue *a, PhValue *b)
{
  return PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), a, b);
}

gboolean
ph_foreign_concat (PhConvert *l, PhValue **out)
{
  return join (l, FALSE, out);
}

gboolean
ph_foreign_stack (PhConvert *l, PhValue **out)
{
  return join (l, TRUE, out);
}

gboolean
ph_foreign_cast (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);

  if (type == NULL || type->dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "the element type of its result is not known");
  out[0] = ph_convert_cast (l, l->in[0], type->dtype);
  return TRUE;
}

/* ── NHWC ── */

static PhValue *
move_channels (PhConvert *l, PhValue *value, gboolean to_second)
{
  static const gint64 second[2][5] = { { 0, 3, 1, 2 }, { 0, 4, 1, 2, 3 } }, last[2][5] = { { 0, 2, 3, 1 }, { 0, 2, 3, 4, 1 } };
  const int rank = value != NULL ? ph_value_rank (value) : 4;
  const guint n = rank == 5 ? 5 : 4;

  return value != NULL ? ph_convert_transpose (l, value, to_second ? second[n - 4] : last[n - 4], n) : NULL;
}

PhValue *
ph_foreign_to_nchw (PhConvert *l, PhValue *value)
{
  return move_channels (l, value, TRUE);
}

PhValue *
ph_foreign_to_nhwc (PhConvert *l, PhValue *value)
{
  return move_channels (l, value, FALSE);
}

/* Computes the pads of SAME: ceil (size / stride) windows, padding split between both sides, an odd element at the end. */
static gboolean
same_pads (const PhForeignWindow *window, const PhValue *x, gint64 *pads)
{
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 size = ph_value_dim (x, (int) i + 2), reach = (window->kernel[i] - 1) * window->dilation[i] + 1;
      gint64 missing;

      if (size < 0 || window->kernel[i] <= 0 || window->stride[i] <= 0)
        return FALSE;
      missing = MAX (((size + window->stride[i] - 1) / window->stride[i] - 1) * window->stride[i] + reach - size, 0);
      pads[i] = missing / 2;
      pads[window->n + i] = missing - missing / 2;
    }
  return TRUE;
}

PhValue *
ph_foreign_window (PhConvert *l, const PhOp *kind, const PhForeignWindow *window, PhValue *x, PhValue *w, PhValue *bias)
{
  PhValue *inputs[] = { x, w, bias };
  PhAttr *attrs[8] = { NULL };
  gint64 pads[6] = { 0 };
  gboolean open = FALSE;
  guint n = 0;

  if (x == NULL || (kind == &ph_op_Conv && w == NULL))
    return NULL;
  if (strcmp (window->padding, "EXPLICIT") == 0)
    memcpy (pads, window->explicit_pads, sizeof pads);
  if (strcmp (window->padding, "SAME") == 0 && !same_pads (window, x, pads))
    attrs[n++] = ph_attr_new_string ("auto_pad", "SAME_UPPER");
  else
    attrs[n++] = ph_attr_new_ints ("pads", pads, 2 * window->n);
  for (guint i = 0; i < window->n; i++)
    open = open || window->kernel[i] < 0;
  if (!open) /* else ONNX takes the sizes of the filters */
    attrs[n++] = ph_attr_new_ints ("kernel_shape", window->kernel, window->n);
  attrs[n++] = ph_attr_new_ints ("strides", window->stride, window->n);
  if (kind == &ph_op_Conv)
    {
      attrs[n++] = ph_attr_new_ints ("dilations", window->dilation, window->n);
      attrs[n++] = ph_attr_new_int ("group", window->group);
    }
  return ph_build_node (l->b, kind, inputs, kind != &ph_op_Conv ? 1 : bias != NULL ? 3 : 2, attrs, 1);
}

PhValue *
ph_foreign_transposed (PhConvert *l, const PhForeignWindow *window, PhValue *x, PhValue *w, PhValue *bias, const gint64 *sizes)
{
  PhValue *inputs[] = { x, w, bias };
  gint64 pads[6] = { 0 }, more[3] = { 0 };

  if (x == NULL || w == NULL)
    return NULL;
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 full = (ph_value_dim (x, (int) i + 2) - 1) * window->stride[i] + (window->kernel[i] - 1) * window->dilation[i]
                          + 1;
      const gint64 over = full - sizes[i];

      if (ph_value_dim (x, (int) i + 2) < 0)
        {
          ph_convert_stay (l, "the size of its operand is not known");
          return NULL;
        }
      pads[i] = over > 0 ? over / 2 : 0;
      pads[window->n + i] = over > 0 ? over - over / 2 : 0;
      more[i] = over < 0 ? -over : 0;
    }
  return ph_build_node (l->b, &ph_op_ConvTranspose, inputs, bias != NULL ? 3 : 2,
                        PH_ATTRS (ph_attr_new_ints ("kernel_shape", window->kernel, window->n),
                                  ph_attr_new_ints ("strides", window->stride, window->n),
                                  ph_attr_new_ints ("dilations", window->dilation, window->n),
                                  ph_attr_new_ints ("pads", pads, 2 * window->n),
                                  ph_attr_new_ints ("output_padding", more, window->n)),
                        1);
}

gboolean
ph_foreign_resize (PhConvert *l, gboolean linear, gboolean corners, gboolean half, PhValue **out)
{
  PhValue *x = ph_foreign_to_nchw (l, l->in[0]), *inputs[] = { x, NULL, NULL, ph_foreign_int64 (l, l->in[1]) };
  PhValue *made;

  made = ph_build_node (l->b, &ph_op_Resize, inputs, 4,
                        PH_ATTRS (ph_attr_new_string ("mode", linear ? "linear" : "nearest"),
                                  ph_attr_new_ints ("axes", (gint64[]) { 2, 3 }, 2),
                                  ph_attr_new_string ("coordinate_transformation_mode", corners ? "align_corners"
                                                                                        : half  ? "half_pixel"
                                                                                                : "asymmetric"),
                                  ph_attr_new_string ("nearest_mode", corners || half ? "round_prefer_ceil" : "floor")),
                        1);
  out[0] = ph_foreign_to_nhwc (l, made);
  return out[0] != NULL;
}

/* ── slices ── */

/* Bits of the masks: ignore a bound, add an axis, or remove one. */
gboolean
ph_foreign_strided_slice (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) begin = ph_foreign_ints (l, 1), end = begin != NULL ? ph_foreign_ints (l, 2) : NULL,
                     step = end != NULL ? ph_foreign_ints (l, 3) : NULL;
  const gint64 begins = ph_node_attr_int (l->node, "begin_mask", 0), ends = ph_node_attr_int (l->node, "end_mask", 0);
  const gint64 ellipsis = ph_node_attr_int (l->node, "ellipsis_mask", 0), fresh = ph_node_attr_int (l->node, "new_axis_mask", 0);
  const gint64 shrink = ph_node_attr_int (l->node, "shrink_axis_mask", 0);
  const int rank = ph_value_rank (l->in[0]);
  gint64 from[32], to[32], by[32], axes[32], gone[32], added[32];
  guint n = 0, n_gone = 0, n_added = 0, axis = 0, place = 0;
  PhValue *value = l->in[0];

  if (step == NULL)
    return FALSE;
  if (begin->len != end->len || begin->len != step->len || begin->len > 32 || (ellipsis != 0 && rank < 0)
      || ph_node_attr_int (l->node, "offset", 0) != 0)
    return ph_convert_stay (l, "its bounds have different lengths, or its rank is not known");
  for (guint i = 0; i < begin->len; i++)
    {
      const gint64 bit = G_GINT64_CONSTANT (1) << i, b = g_array_index (begin, gint64, i), e = g_array_index (end, gint64, i),
                   s = g_array_index (step, gint64, i);

      if (ellipsis & bit)
        {
          guint used = 0;

          for (guint k = i + 1; k < begin->len; k++)
            used += (fresh & (G_GINT64_CONSTANT (1) << k)) ? 0 : 1;
          if (rank < (int) (axis + used))
            return ph_convert_stay (l, "its bounds have more axes than its operand");
          place += (guint) rank - used - axis;
          axis = (guint) rank - used;
        }
      else if (fresh & bit)
        added[n_added++] = place++;
      else
        {
          const gboolean one = (shrink & bit) != 0;

          if (rank >= 0 && axis >= (guint) rank)
            return ph_convert_stay (l, "its bounds have more axes than its operand");
          from[n] = !one && (begins & bit) ? (s > 0 ? 0 : G_MAXINT64) : b;
          to[n] = one ? (b == -1 ? G_MAXINT64 : b + 1) : (ends & bit) ? (s > 0 ? G_MAXINT64 : G_MININT64) : e;
          by[n] = one ? 1 : s;
          axes[n] = axis;
          if (one)
            gone[n_gone++] = axis;
          else
            place++;
          axis++;
          n++;
        }
    }
  if (n > 0)
    {
      PhValue *inputs[] = { value, ph_convert_ints_value (l, from, n), ph_convert_ints_value (l, to, n),
                            ph_convert_ints_value (l, axes, n), ph_convert_ints_value (l, by, n) };

      value = ph_build_node (l->b, &ph_op_Slice, inputs, 5, NULL, 1);
    }
  if (n_gone > 0 && value != NULL)
    value = PH_BUILD (l->b, Squeeze, value, ph_convert_ints_value (l, gone, n_gone));
  if (n_added > 0 && value != NULL)
    value = PH_BUILD (l->b, Unsqueeze, value, ph_convert_ints_value (l, added, n_added));
  out[0] = value;
  return value != NULL;
}
