/* convert-aten-math.c: PyTorch's elementwise operators in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

/* ── one operand ── */

/* FLOATS: integers are converted to floats first, as in PyTorch. */
/* clang-format off */
static const struct { const char *name; const PhOp *op; gboolean floats; } unary_ops[] = {
  { "abs", &ph_op_Abs, FALSE }, { "neg", &ph_op_Neg, FALSE }, { "sign", &ph_op_Sign, FALSE }, { "relu", &ph_op_Relu, FALSE }, { "exp", &ph_op_Exp, TRUE }, { "log", &ph_op_Log, TRUE },
  { "sqrt", &ph_op_Sqrt, TRUE }, { "reciprocal", &ph_op_Reciprocal, TRUE }, { "sin", &ph_op_Sin, TRUE }, { "cos", &ph_op_Cos, TRUE }, { "tan", &ph_op_Tan, TRUE }, { "asin", &ph_op_Asin, TRUE },
  { "acos", &ph_op_Acos, TRUE }, { "atan", &ph_op_Atan, TRUE }, { "sinh", &ph_op_Sinh, TRUE }, { "cosh", &ph_op_Cosh, TRUE }, { "asinh", &ph_op_Asinh, TRUE }, { "acosh", &ph_op_Acosh, TRUE },
  { "atanh", &ph_op_Atanh, TRUE }, { "erf", &ph_op_Erf, TRUE }, { "sigmoid", &ph_op_Sigmoid, TRUE }, { "tanh", &ph_op_Tanh, TRUE }, { "isnan", &ph_op_IsNaN, TRUE }, { "isinf", &ph_op_IsInf, TRUE },
  { "selu", &ph_op_Selu, TRUE }, { "mish", &ph_op_Mish, TRUE }, { "hardswish", &ph_op_HardSwish, TRUE }, { "softsign", &ph_op_Softsign, TRUE },
};
/* clang-format on */

static gboolean
unary (PhConvert *l, PhValue **out)
{
  for (guint i = 0; i < G_N_ELEMENTS (unary_ops); i++)
    if (strcmp (unary_ops[i].name, ph_aten_name (l)) == 0)
      {
        PhValue *value = unary_ops[i].floats ? ph_aten_float (l) : ph_aten_tensor (l, 0);

        if (value == NULL)
          return ph_convert_stay (l, "it has no operand");
        if (unary_ops[i].op == &ph_op_Neg && ph_convert_dtype (value) == PH_UINT8) /* around 256 */
          return (out[0] = PH_BUILD (l->b, Sub, ph_convert_like (l, value, 0), value)) != NULL;
        out[0] = ph_build_node (l->b, unary_ops[i].op, &value, 1, NULL, 1);
        return TRUE;
      }
  return FALSE;
}

/* Integers stay unchanged. */
static gboolean
rounding (PhConvert *l, PhValue **out)
{
  PhValue *value = ph_aten_tensor (l, 0);

  if (value == NULL)
    return ph_convert_stay (l, "it has no operand");
  if (ph_node_attr_int (l->node, "decimals", 0) != 0)
    {
      const double power = pow (10, (double) ph_node_attr_int (l->node, "decimals", 0));

      out[0] = PH_BUILD (l->b, Div, PH_BUILD (l->b, Round, PH_BUILD (l->b, Mul, value, ph_convert_like (l, value, power))),
                         ph_convert_like (l, value, power));
      return TRUE;
    }
  if (ph_dtype_is_integer (ph_convert_dtype (value)))
    out[0] = value;
  else if (strcmp (ph_aten_name (l), "trunc") == 0 || strcmp (ph_aten_name (l), "fix") == 0)
    out[0] = ph_convert_trunc (l, value);
  else
    out[0] = ph_build_node (l->b,
                            *ph_aten_name (l) == 'f'   ? &ph_op_Floor
                            : *ph_aten_name (l) == 'c' ? &ph_op_Ceil
                                                       : &ph_op_Round,
                            &value, 1, NULL, 1);
  return TRUE;
}

/* Converts exp2, expm1, log1p, log2, log10, rsqrt, square, erfc, isfinite, ... to a few of ONNX's operators. */
static gboolean
composed (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = strcmp (op, "square") == 0 ? ph_aten_tensor (l, 0) : ph_aten_float (l);

  if (x == NULL)
    return ph_convert_stay (l, "it has no operand");
  if (strcmp (op, "exp2") == 0)
    out[0] = PH_BUILD (l->b, Exp, PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, G_LN2)));
  else if (strcmp (op, "expm1") == 0)
    out[0] = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Exp, x), ph_convert_like (l, x, 1));
  else if (strcmp (op, "log1p") == 0)
    out[0] = PH_BUILD (l->b, Log, PH_BUILD (l->b, Add, x, ph_convert_like (l, x, 1)));
  else if (strcmp (op, "log2") == 0 || strcmp (op, "log10") == 0)
    out[0] = PH_BUILD (l->b, Div, PH_BUILD (l->b, Log, x), ph_convert_like (l, x, op[3] == '2' ? G_LN2 : G_LN10));
  else if (strcmp (op, "rsqrt") == 0)
    out[0] = PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Sqrt, x));
  else if (strcmp (op, "square") == 0)
    out[0] = PH_BUILD (l->b, Mul, x, x);
  else if (strcmp (op, "erfc") == 0)
    out[0] = PH_BUILD (l->b, Sub, ph_convert_like (l, x, 1), PH_BUILD (l->b, Erf, x));
  else if (strcmp (op, "isfinite") == 0)
    out[0] = PH_BUILD (l->b, Not, PH_BUILD (l->b, Or, PH_BUILD (l->b, IsNaN, x), PH_BUILD (l->b, IsInf, x)));
  else if (strcmp (op, "silu") == 0)
    out[0] = PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Sigmoid, x));
  else if (strcmp (op, "relu6") == 0)
    out[0] = PH_BUILD (l->b, Clip, x, ph_convert_like (l, x, 0), ph_convert_like (l, x, 6));
  else if (strcmp (op, "log_sigmoid") == 0)
    out[0] = PH_BUILD (l->b, Neg, PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Neg, x)));
  else if (strcmp (op, "tanhshrink") == 0)
    out[0] = PH_BUILD (l->b, Sub, x, PH_BUILD (l->b, Tanh, x));
  else if (strcmp (op, "deg2rad") == 0 || strcmp (op, "rad2deg") == 0)
    out[0] = PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, *op == 'd' ? G_PI / 180 : 180 / G_PI));
  return TRUE;
}

static gboolean
activation (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = (strcmp (op, "hardtanh") == 0 || strcmp (op, "threshold") == 0) && ph_aten_tensor (l, 0) != NULL
                   ? ph_aten_tensor (l, 0)
                   : ph_aten_float (l);

  if (x == NULL)
    return FALSE;
  if (strcmp (op, "leaky_relu") == 0)
    out[0] = PH_BUILD_WITH (l->b, LeakyRelu,
                            PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_aten_number (l, "negative_slope", 0.01))), x);
  else if (strcmp (op, "celu") == 0)
    out[0] = PH_BUILD_WITH (l->b, Celu, PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_aten_number (l, "alpha", 1))), x);
  else if (strcmp (op, "elu") == 0)
    {
      const double scale = ph_aten_number (l, "scale", 1), slope = ph_aten_number (l, "input_scale", 1);

      out[0] = PH_BUILD_WITH (l->b, Elu, PH_ATTRS (ph_attr_new_float ("alpha", (float) ph_aten_number (l, "alpha", 1))),
                              slope != 1 ? PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, slope)) : x);
      if (slope != 1) /* positive elements stay unchanged */
        out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, ph_convert_like (l, x, 0)), x, out[0]);
      if (scale != 1)
        out[0] = PH_BUILD (l->b, Mul, out[0], ph_convert_like (l, x, scale));
    }
  else if (strcmp (op, "gelu") == 0)
    out[0] = PH_BUILD_WITH (
        l->b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", ph_node_attr_string (l->node, "approximate", "none"))), x);
  else if (strcmp (op, "hardsigmoid") == 0)
    out[0] = PH_BUILD_WITH (l->b, HardSigmoid, PH_ATTRS (ph_attr_new_float ("alpha", 1.0f / 6), ph_attr_new_float ("beta", 0.5f)),
                            x);
  else if (strcmp (op, "hardshrink") == 0 || strcmp (op, "softshrink") == 0)
    {
      const float lambda = (float) ph_aten_number (l, "lambd", 0.5);

      out[0] = PH_BUILD_WITH (
          l->b, Shrink, PH_ATTRS (ph_attr_new_float ("lambd", lambda), ph_attr_new_float ("bias", *op == 'h' ? 0 : lambda)), x);
    }
  else if (strcmp (op, "hardtanh") == 0)
    out[0] = PH_BUILD (l->b, Clip, x, ph_convert_like (l, x, ph_aten_number (l, "min_val", -1)),
                       ph_convert_like (l, x, ph_aten_number (l, "max_val", 1)));
  else if (strcmp (op, "softplus") == 0)
    {
      const double beta = ph_aten_number (l, "beta", 1), threshold = ph_aten_number (l, "threshold", 20);

      out[0] = beta == 1 ? PH_BUILD (l->b, Softplus, x)
                         : PH_BUILD (l->b, Div, PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, beta))),
                                     ph_convert_like (l, x, beta));
      if (threshold < 15 && beta > 0) /* the line begins where the curve is still above it */
        out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, ph_convert_like (l, x, threshold / beta)), x, out[0]);
    }
  else if (strcmp (op, "threshold") == 0)
    out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, x, ph_convert_like (l, x, ph_aten_number (l, "threshold", 0))), x,
                       ph_convert_like (l, x, ph_aten_number (l, "value", 0)));
  else if (strcmp (op, "glu") == 0)
    {
      const gint64 axis = ph_aten_int (l, "dim", -1);
      PhValue *half = ph_build_node (l->b, &ph_op_Split, &x, 1,
                                     PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("num_outputs", 2)), 2);

      out[0] = half != NULL ? PH_BUILD (l->b, Mul, half, PH_BUILD (l->b, Sigmoid, ph_node_output (half->producer, 1))) : NULL;
    }
  else if (strcmp (op, "nan_to_num") == 0)
    {
      if (ph_convert_dtype (x) != PH_FLOAT)
        return ph_convert_stay (l, "its element type is not float");
      for (guint i = 0; i < 2; i++)
        if (ph_aten_has (l, i == 0 ? "posinf" : "neginf"))
          x = PH_BUILD (l->b, Where,
                        PH_BUILD (l->b, Equal, x, ph_convert_like (l, x, i == 0 ? (double) INFINITY : -(double) INFINITY)),
                        ph_convert_like (l, x, ph_aten_number (l, i == 0 ? "posinf" : "neginf", 0)), x);
      out[0] = PH_BUILD (
          l->b, Where, PH_BUILD (l->b, IsNaN, x), ph_convert_like (l, x, ph_aten_number (l, "nan", 0)),
          PH_BUILD (l->b, Clip, x, ph_convert_like (l, x, (double) -G_MAXFLOAT), ph_convert_like (l, x, (double) G_MAXFLOAT)));
    }
  return TRUE;
}

/* One slope, or one per channel, the second dimension. */
static gboolean
prelu (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *slope = ph_aten_tensor (l, 1);
  const int rank = x != NULL ? ph_value_rank (x) : -1;
  gint64 axes[PH_MAX_RANK];

  if (slope == NULL || (rank < 0 && ph_value_dim (slope, 0) != 1))
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 2; i < rank; i++)
    axes[i - 2] = i - 1;
  if (rank > 2 && ph_value_dim (slope, 0) != 1)
    slope = PH_BUILD (l->b, Unsqueeze, slope, ph_convert_ints_value (l, axes, (gsize) rank - 2));
  out[0] = PH_BUILD (l->b, PRelu, x, slope);
  return TRUE;
}

static gboolean
soft_max (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0);
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  const PhOp *op = strstr (l->op, "log") != NULL ? &ph_op_LogSoftmax : &ph_op_Softmax;
  gboolean alone;

  if (x != NULL && dtype != PH_UNDEFINED)
    x = ph_convert_cast (l, x, dtype);
  else
    x = ph_aten_float (l);
  if (x == NULL)
    return ph_convert_stay (l, "it has no operand");
  alone = ph_value_rank (x) == 0;
  x = alone ? ph_convert_reshape (l, x, (gint64[]) { 1 }, 1) : x;
  x = ph_build_node (l->b, op, &x, 1, PH_ATTRS (ph_attr_new_int ("axis", ph_aten_int (l, "dim", -1))), 1);
  return (out[0] = alone ? ph_convert_reshape (l, x, NULL, 0) : x) != NULL;
}

/* ── two operands ── */

/* clang-format off */
static const struct { const char *name; const PhOp *op; } binary_ops[] = {
  { "mul", &ph_op_Mul }, { "maximum", &ph_op_Max }, { "minimum", &ph_op_Min }, { "eq", &ph_op_Equal }, { "lt", &ph_op_Less }, { "le", &ph_op_LessOrEqual }, { "gt", &ph_op_Greater },
  { "ge", &ph_op_GreaterOrEqual }, { "ne", &ph_op_Equal }, { "pow", &ph_op_Pow },
};
/* clang-format on */

static gboolean
operands (PhConvert *l, PhAtenArg *a, PhAtenArg *b)
{
  if (!ph_aten_arg (l, 0, "self", a) || !ph_aten_arg (l, 1, strcmp (ph_aten_name (l), "pow") == 0 ? "exponent" : "other", b))
    return ph_convert_stay (l, "its operands are not known");
  return TRUE;
}

/* Converts sizes, and a list given by its elements. */
static gboolean
list_operands (PhConvert *l, PhAtenArg *a, PhAtenArg *b)
{
  static const char *const names[] = { "self", "other" };
  PhAtenArg *const to[] = { a, b };

  if (strcmp (ph_node_attr_string (l->node, "overload", ""), "int_list") != 0)
    return FALSE;
  for (guint i = 0, k = 0; i < 2; i++)
    {
      const PhAttr *attr = ph_node_attr (l->node, names[i]);
      PhValue *value = attr != NULL && attr->kind == PH_ATTR_INTS ? ph_convert_ints_value (l, attr->ints, attr->n)
                                                                  : ph_aten_list_as_tensor (l, ph_aten_tensor (l, k++));

      if (value == NULL)
        return FALSE;
      *to[i] = (PhAtenArg) { .value = ph_convert_cast (l, value, PH_INT64), .dtype = PH_INT64, .level = 2 };
    }
  return TRUE;
}

static gboolean
binary (PhConvert *l, PhValue **out)
{
  PhAtenArg a, b;

  if ((strcmp (ph_aten_name (l), "eq") == 0 || strcmp (ph_aten_name (l), "ne") == 0) && ph_aten_python_equal (l, out))
    return TRUE;
  if (!list_operands (l, &a, &b) && !operands (l, &a, &b))
    return FALSE;
  if (strcmp (ph_node_attr_string (l->node, "overload", ""), "int_list") == 0 && a.value != NULL && b.value != NULL
      && ph_value_dim (a.value, 0) >= 0 && ph_value_dim (b.value, 0) >= 0
      && ph_value_dim (a.value, 0) != ph_value_dim (b.value, 0))
    {
      out[0] = ph_build_scalar (l->b, PH_BOOL, strcmp (ph_aten_name (l), "ne") == 0);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (binary_ops); i++)
    if (strcmp (binary_ops[i].name, ph_aten_name (l)) == 0)
      {
        const gboolean truth = binary_ops[i].op == &ph_op_Mul && a.dtype == PH_BOOL && b.dtype == PH_BOOL;

        /* In TorchScript a whole number to the power of another is a float. */
        if (binary_ops[i].op == &ph_op_Pow && a.level == 0 && b.level == 0 && a.dtype == PH_INT64 && b.dtype == PH_INT64
            && (a.value == NULL || ph_value_constant (a.value) != NULL
                || (a.value->producer != NULL && a.value->producer->op == &ph_op_Gather
                    && ph_node_input (a.value->producer, 0)->producer != NULL
                    && ph_node_input (a.value->producer, 0)->producer->op == &ph_op_Shape)))
          {
            a.dtype = PH_DOUBLE;
            a.value = a.value != NULL ? ph_convert_cast (l, a.value, PH_DOUBLE) : NULL;
          }
        if (!ph_aten_binary (l, truth ? &ph_op_And : binary_ops[i].op, &a, &b, out))
          return FALSE;
        /* Lists of numbers: of one length, and equal one by one. */
        if (strcmp (ph_node_attr_string (l->node, "overload", ""), "int_list") == 0)
          out[0] = ph_convert_cast (
              l,
              PH_BUILD_WITH (l->b, ReduceMin, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, out[0], PH_UINT8)),
              PH_BOOL);
        if (strcmp (binary_ops[i].name, "ne") == 0)
          out[0] = PH_BUILD (l->b, Not, out[0]);
        return TRUE;
      }
  return FALSE;
}

/* Adds or subtracts alpha times the second operand. */
static gboolean
add_sub (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const double alpha = ph_aten_number (l, "alpha", 1);
  PhAtenArg a, b;

  if (strcmp (op, "add") == 0 && ph_aten_python_join (l, out))
    return TRUE;
  if (!operands (l, &a, &b))
    return FALSE;
  if (strcmp (op, "rsub") == 0)
    {
      const PhAtenArg first = a;

      a = b;
      b = first;
    }
  if (alpha != 1 && b.value == NULL)
    b.number *= alpha;
  else if (alpha != 1)
    {
      b.value = PH_BUILD (l->b, Mul, b.value, ph_convert_like (l, b.value, alpha));
      if (b.value == NULL)
        return FALSE;
    }
  /* Truth values: PyTorch's sum of two is their Or. */
  if (a.dtype == PH_BOOL && b.dtype == PH_BOOL && strcmp (op, "add") == 0)
    return ph_aten_binary (l, &ph_op_Or, &a, &b, out);
  return ph_aten_binary (l, strcmp (op, "add") == 0 ? &ph_op_Add : &ph_op_Sub, &a, &b, out);
}

/* Divides and rounds: integers towards zero or, with @down, down, which is one less for a remainder of the other sign. */
static PhValue *
floor_quotient (PhConvert *l, PhValue *a, PhValue *b, gboolean down)
{
  const PhDType dtype = ph_convert_dtype (a);
  PhValue *quotient = PH_BUILD (l->b, Div, a, b), *rest, *zero, *less;

  if (ph_dtype_is_float (dtype))
    return down ? PH_BUILD (l->b, Floor, quotient) : ph_convert_trunc (l, quotient);
  if (!down)
    return quotient;
  zero = ph_convert_number (l, dtype, 0);
  rest = PH_BUILD (l->b, Sub, a, PH_BUILD (l->b, Mul, quotient, b));
  less = PH_BUILD (l->b, And, PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, rest, zero)),
                   PH_BUILD (l->b, Xor, PH_BUILD (l->b, Less, rest, zero), PH_BUILD (l->b, Less, b, zero)));
  return PH_BUILD (l->b, Sub, quotient, ph_convert_cast (l, less, dtype));
}

static gboolean
divide (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l), *mode = ph_node_attr_string (l->node, "rounding_mode", "");
  PhAtenArg a, b;
  PhDType dtype;

  if (!operands (l, &a, &b))
    return FALSE;
  dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (*mode == '\0' && strncmp (op, "floor", 5) != 0)
    {
      if (dtype != PH_UNDEFINED && !ph_dtype_is_float (dtype))
        dtype = a.level == 0 && b.level == 0 ? PH_DOUBLE : PH_FLOAT;
      out[0] = PH_BUILD (l->b, Div, ph_aten_as (l, &a, dtype, b.value), ph_aten_as (l, &b, dtype, a.value));
      return TRUE;
    }
  if (dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  out[0] = floor_quotient (l, ph_aten_as (l, &a, dtype, NULL), ph_aten_as (l, &b, dtype, NULL), strcmp (mode, "trunc") != 0);
  return out[0] != NULL;
}

static gboolean
remainder_ (PhConvert *l, PhValue **out)
{
  PhAtenArg a, b;
  PhDType dtype;
  PhValue *x, *y;

  if (!operands (l, &a, &b))
    return FALSE;
  dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  x = ph_aten_as (l, &a, dtype, NULL);
  y = ph_aten_as (l, &b, dtype, NULL);
  if (strcmp (ph_aten_name (l), "fmod") == 0)
    out[0] = PH_BUILD_WITH (l->b, Mod, PH_ATTRS (ph_attr_new_int ("fmod", 1)), x, y);
  else if (ph_dtype_is_integer (dtype))
    out[0] = PH_BUILD (l->b, Mod, x, y);
  else
    out[0] = PH_BUILD (l->b, Sub, x, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Floor, PH_BUILD (l->b, Div, x, y)), y));
  return TRUE;
}

static gboolean
truth (PhConvert *l, PhValue **out)
{
  /* clang-format off */
  static const struct { const char *name; const PhOp *of_bools, *of_bits; } kinds[] = {
    { "logical_and", &ph_op_And, NULL }, { "logical_or", &ph_op_Or, NULL }, { "logical_xor", &ph_op_Xor, NULL }, { "bitwise_and", &ph_op_And, &ph_op_BitwiseAnd },
    { "bitwise_or", &ph_op_Or, &ph_op_BitwiseOr }, { "bitwise_xor", &ph_op_Xor, &ph_op_BitwiseXor }, { "__and__", &ph_op_And, &ph_op_BitwiseAnd }, { "__or__", &ph_op_Or, &ph_op_BitwiseOr },
    { "__xor__", &ph_op_Xor, &ph_op_BitwiseXor },
  };
  /* clang-format on */
  PhAtenArg a, b;

  if (!operands (l, &a, &b))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].name, ph_aten_name (l)) == 0)
      {
        const PhDType dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
        const gboolean bools = kinds[i].of_bits == NULL || dtype == PH_BOOL || (a.dtype == PH_BOOL && b.value == NULL)
                               || (b.dtype == PH_BOOL && a.value == NULL);
        PhValue *inputs[] = { ph_aten_as (l, &a, bools ? PH_BOOL : dtype, b.value),
                              ph_aten_as (l, &b, bools ? PH_BOOL : dtype, a.value) };

        if (dtype == PH_UNDEFINED)
          return ph_convert_stay (l, "its element type is not known");
        out[0] = ph_build_node (l->b, bools ? kinds[i].of_bools : kinds[i].of_bits, inputs, 2, NULL, 1);
        return TRUE;
      }
  return FALSE;
}

static gboolean
not_ (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0);

  if (x == NULL && ph_node_attr (l->node, "self") != NULL) /* a number that is written there */
    {
      out[0] = ph_build_scalar (l->b, PH_BOOL, ph_aten_number (l, "self", 0) == 0);
      return l->stays == NULL;
    }
  if (x == NULL || ph_convert_dtype (x) == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  if (ph_dtype_is_integer (ph_convert_dtype (x)) && strcmp (ph_aten_name (l), "bitwise_not") == 0)
    out[0] = PH_BUILD (l->b, BitwiseNot, x);
  else
    out[0] = PH_BUILD (l->b, Not, ph_convert_cast (l, x, PH_BOOL));
  return TRUE;
}

static gboolean
clamp (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhAtenArg args[3] = { 0 };
  gboolean low, high;
  PhDType dtype;

  if (!ph_aten_arg (l, 0, "self", &args[0]))
    return ph_convert_stay (l, "it has no operand");
  low = strcmp (op, "clamp_max") != 0 && ph_aten_arg (l, 1, "min", &args[1]);
  high = strcmp (op, "clamp_min") != 0 && ph_aten_arg (l, strcmp (op, "clamp_max") == 0 ? 1 : 2, "max", &args[2]);
  dtype = args[0].dtype;
  if (low)
    dtype = ph_aten_promote (args, 2);
  if (high)
    dtype = ph_aten_promote ((PhAtenArg[]) { { .dtype = dtype, .level = args[0].level, .value = args[0].value }, args[2] }, 2);
  out[0] = ph_aten_as (l, &args[0], dtype, NULL);
  if (low && out[0] != NULL)
    out[0] = PH_BUILD (l->b, Max, out[0], ph_aten_as (l, &args[1], dtype, args[0].value));
  if (high && out[0] != NULL)
    out[0] = PH_BUILD (l->b, Min, out[0], ph_aten_as (l, &args[2], dtype, args[0].value));
  /* With two numbers a Clip is the direct form. */
  if (low && high && args[1].value == NULL && args[2].value == NULL && dtype != PH_UNDEFINED)
    out[0] = PH_BUILD (l->b, Clip, ph_aten_as (l, &args[0], dtype, NULL), ph_aten_as (l, &args[1], dtype, NULL),
                       ph_aten_as (l, &args[2], dtype, NULL));
  return TRUE;
}

/* ── three operands ── */

/* Where a tensor is not 0: a list of places for each of its dimensions. */
static gboolean
places (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *parts[PH_MAX_RANK], *all;
  const int rank = x != NULL ? ph_value_rank (x) : 0;

  if (rank < 1)
    return ph_convert_stay (l, "the rank of its operand is not known, or is 0");
  all = PH_BUILD (l->b, NonZero, x);
  for (int k = 0; k < rank; k++)
    parts[k] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), all, ph_build_scalar (l->b, PH_INT64, k));
  return ph_aten_give_parts (l, parts, (guint) rank, out);
}

static gboolean
where (PhConvert *l, PhValue **out)
{
  const gboolean fill = strcmp (ph_aten_name (l), "masked_fill") == 0;
  PhAtenArg a, b;
  PhValue *condition = ph_aten_tensor (l, fill ? 1 : 0);
  PhDType dtype;

  if (!fill && ph_aten_n_tensors (l) == 1 && !ph_aten_has (l, "self") && !ph_aten_has (l, "other"))
    return places (l, out);
  if (condition == NULL || !ph_aten_arg (l, fill ? 0 : 1, "self", &a) || !ph_aten_arg (l, 2, fill ? "value" : "other", &b))
    return ph_convert_stay (l, "its operands are not known");
  dtype = fill ? a.dtype : ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (!fill && a.level == 0 && b.level == 0 && dtype == PH_DOUBLE) /* of two numbers */
    dtype = PH_FLOAT;
  if (fill)
    out[0] = PH_BUILD (l->b, Where, ph_convert_cast (l, condition, PH_BOOL), ph_aten_as (l, &b, dtype, a.value), a.value);
  else
    out[0] = PH_BUILD (l->b, Where, ph_convert_cast (l, condition, PH_BOOL), ph_aten_as (l, &a, dtype, b.value),
                       ph_aten_as (l, &b, dtype, a.value));
  return TRUE;
}

static gboolean
addcmul (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *a = ph_aten_tensor (l, 1), *b = ph_aten_tensor (l, 2), *both;
  const double value = ph_aten_number (l, "value", 1);

  if (x == NULL || a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have three operands");
  both = strcmp (ph_aten_name (l), "addcdiv") == 0 ? PH_BUILD (l->b, Div, a, b) : PH_BUILD (l->b, Mul, a, b);
  if (value != 1)
    both = PH_BUILD (l->b, Mul, both, ph_convert_like (l, both, value));
  out[0] = PH_BUILD (l->b, Add, x, both);
  return TRUE;
}

static gboolean
lerp (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *end = ph_aten_tensor (l, 1);
  PhAtenArg weight;

  if (x == NULL || end == NULL || !ph_aten_arg (l, 2, "weight", &weight))
    return ph_convert_stay (l, "it does not have three operands");
  out[0] = PH_BUILD (l->b, Add, x,
                     PH_BUILD (l->b, Mul, ph_aten_as (l, &weight, ph_convert_dtype (x), x), PH_BUILD (l->b, Sub, end, x)));
  return TRUE;
}

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char none[] = "ONNX has no identical operator, so it is composed of others.";
static const char numbers[] = "In PyTorch, a number takes the element type of the other operand.";
static const char whole[] = "Rounding an integer changes nothing.";

/* clang-format off */
#define UNARY(name)    { "aten:" name, unary, "ONNX's own", elementwise }
#define COMPOSED(name, of) { "aten:" name, composed, of, none }
#define BINARY(name, of) { "aten:" name, binary, of, numbers }
#define TRUTH(name, of) { "aten:" name, truth, of, "ONNX has separate operators for booleans and for bits." }

const PhConvertRule ph_convert_aten[] = {
  UNARY ("abs"), UNARY ("neg"), UNARY ("sign"), UNARY ("relu"), UNARY ("exp"), UNARY ("log"), UNARY ("sqrt"), UNARY ("reciprocal"), UNARY ("sin"), UNARY ("cos"), UNARY ("tan"),
  UNARY ("asin"), UNARY ("acos"), UNARY ("atan"), UNARY ("sinh"), UNARY ("cosh"), UNARY ("asinh"), UNARY ("acosh"), UNARY ("atanh"), UNARY ("erf"), UNARY ("sigmoid"), UNARY ("tanh"),
  UNARY ("isnan"), UNARY ("isinf"), UNARY ("selu"), UNARY ("mish"), UNARY ("hardswish"), UNARY ("softsign"),
  { "aten:floor", rounding, "Floor", whole }, { "aten:ceil", rounding, "Ceil", whole }, { "aten:round", rounding, "Round", whole }, { "aten:trunc", rounding, "Where(x < 0, Ceil, Floor)", none },
  { "aten:fix", rounding, "Where(x < 0, Ceil, Floor)", none },
  COMPOSED ("exp2", "Exp(x ln 2)"), COMPOSED ("expm1", "Exp(x) - 1"), COMPOSED ("log1p", "Log(x + 1)"), COMPOSED ("log2", "Log(x) / ln 2"), COMPOSED ("log10", "Log(x) / ln 10"),
  COMPOSED ("rsqrt", "Reciprocal(Sqrt)"), COMPOSED ("square", "Mul(x, x)"), COMPOSED ("erfc", "1 - Erf(x)"), COMPOSED ("isfinite", "Not(IsNaN or IsInf)"),
  COMPOSED ("silu", "x Sigmoid(x)"), COMPOSED ("relu6", "Clip"), COMPOSED ("log_sigmoid", "-Softplus(-x)"), COMPOSED ("tanhshrink", "x - Tanh(x)"),
  COMPOSED ("deg2rad", "Mul"), COMPOSED ("rad2deg", "Mul"),
  { "aten:leaky_relu", activation, "LeakyRelu", elementwise }, { "aten:celu", activation, "Celu", elementwise }, { "aten:elu", activation, "Elu", elementwise },
  { "aten:gelu", activation, "Gelu", elementwise }, { "aten:hardsigmoid", activation, "HardSigmoid", "PyTorch's slope is 1/6, and ONNX's default slope is 1/5." },
  { "aten:hardshrink", activation, "Shrink", elementwise }, { "aten:softshrink", activation, "Shrink", elementwise }, { "aten:hardtanh", activation, "Clip", elementwise },
  { "aten:softplus", activation, "Softplus", "Above a threshold PyTorch returns x itself, because the difference is below the rounding error." }, { "aten:threshold", activation, "Where(x > threshold, x, value)", none },
  { "aten:glu", activation, "Split, then Mul with the Sigmoid of the second half", none }, { "aten:nan_to_num", activation, "Where(IsNaN)", none },
  { "aten:prelu", prelu, "PRelu", "PyTorch has one slope for each channel, so trailing dimensions of size one are added." },
  { "aten:softmax", soft_max, "Softmax", "Both work along one axis." }, { "aten:_softmax", soft_max, "Softmax", "Both work along one axis." },
  { "aten:log_softmax", soft_max, "LogSoftmax", "Both work along one axis." }, { "aten:_log_softmax", soft_max, "LogSoftmax", "Both work along one axis." },
  { "aten:positive", ph_aten_same, "its operand", elementwise },
  BINARY ("mul", "Mul"), BINARY ("maximum", "Max"), BINARY ("minimum", "Min"), BINARY ("eq", "Equal"), BINARY ("lt", "Less"), BINARY ("le", "LessOrEqual"), BINARY ("gt", "Greater"),
  BINARY ("ge", "GreaterOrEqual"), BINARY ("ne", "Not(Equal)"), BINARY ("pow", "Pow"),
  { "aten:add", add_sub, "Add, of alpha times the second", numbers }, { "aten:sub", add_sub, "Sub, of alpha times the second", numbers }, { "aten:rsub", add_sub, "Sub, the other way round", numbers },
  { "aten:div", divide, "Div", "PyTorch divides integers to a float unless a rounding mode is given." }, { "aten:true_divide", divide, "Div", "PyTorch's division of integers gives a float." },
  { "aten:floor_divide", divide, "Div, rounded down", "ONNX's Div of integers rounds towards zero." }, { "aten:floordiv", divide, "Div, rounded down", "ONNX's Div of integers rounds towards zero." },
  { "aten:remainder", remainder_, "Mod", "The remainder has the sign of the divisor." }, { "aten:fmod", remainder_, "Mod with fmod", "The remainder has the sign of the dividend." },
  TRUTH ("logical_and", "And"), TRUTH ("logical_or", "Or"), TRUTH ("logical_xor", "Xor"), TRUTH ("bitwise_and", "And or BitwiseAnd"), TRUTH ("bitwise_or", "Or or BitwiseOr"),
  TRUTH ("bitwise_xor", "Xor or BitwiseXor"), TRUTH ("__and__", "And or BitwiseAnd"), TRUTH ("__or__", "Or or BitwiseOr"), TRUTH ("__xor__", "Xor or BitwiseXor"),
  { "aten:logical_not", not_, "Not", elementwise }, { "aten:bitwise_not", not_, "Not or BitwiseNot", elementwise }, { "aten:__not__", not_, "Not", elementwise },
  { "aten:clamp", clamp, "Clip, or Max and Min", "PyTorch's bounds may be tensors; those of Clip are scalars." }, { "aten:clip", clamp, "Clip, or Max and Min", "PyTorch's bounds may be tensors; those of Clip are scalars." },
  { "aten:clamp_min", clamp, "Max", "PyTorch's bound may be a tensor; those of Clip are scalars." }, { "aten:clamp_max", clamp, "Min", "PyTorch's bound may be a tensor; those of Clip are scalars." },
  { "aten:where", where, "Where", numbers }, { "aten:nonzero_numpy", places, "NonZero", none }, { "aten:masked_fill", where, "Where", numbers }, { "aten:addcmul", addcmul, "Add and Mul", none }, { "aten:addcdiv", addcmul, "Add and Div", none },
  { "aten:lerp", lerp, "Add and Mul", none },
  { NULL }
};
/* clang-format on */
