/* convert-elementwise.c: arithmetic, comparisons, conversions and bits of StableHLO, HLO and jaxpr in ONNX's operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <math.h>
#include <string.h>

#define DTYPE(l_)    ph_convert_dtype ((l_)->in[0])
#define IS_BOOL(l_)  (DTYPE (l_) == PH_BOOL)
#define IS_FLOAT(l_) ph_dtype_is_float (DTYPE (l_))

/* Converts operators that have the same meaning in both. */
static gboolean
same (PhConvert *l, PhValue **out)
{
  /* clang-format off */
  static const struct { const char *name; const PhOp *op, *of_bool; guint n; } ops[] = {
    { "add", &ph_op_Add, &ph_op_Or, 2 }, { "multiply", &ph_op_Mul, &ph_op_And, 2 }, { "subtract", &ph_op_Sub, &ph_op_Xor, 2 },
    { "divide", &ph_op_Div, NULL, 2 }, { "maximum", &ph_op_Max, &ph_op_Or, 2 }, { "minimum", &ph_op_Min, &ph_op_And, 2 },
    { "power", &ph_op_Pow, NULL, 2 }, { "and", &ph_op_BitwiseAnd, &ph_op_And, 2 }, { "or", &ph_op_BitwiseOr, &ph_op_Or, 2 },
    { "xor", &ph_op_BitwiseXor, &ph_op_Xor, 2 }, { "not", &ph_op_BitwiseNot, &ph_op_Not, 1 }, { "ceil", &ph_op_Ceil, NULL, 1 },
    { "floor", &ph_op_Floor, NULL, 1 }, { "cosine", &ph_op_Cos, NULL, 1 }, { "sine", &ph_op_Sin, NULL, 1 }, { "tan", &ph_op_Tan, NULL, 1 },
    { "tanh", &ph_op_Tanh, NULL, 1 }, { "exponential", &ph_op_Exp, NULL, 1 }, { "log", &ph_op_Log, NULL, 1 },
    { "logistic", &ph_op_Sigmoid, NULL, 1 }, { "negate", &ph_op_Neg, NULL, 1 }, { "sqrt", &ph_op_Sqrt, NULL, 1 },
    { "round_nearest_even", &ph_op_Round, NULL, 1 }, { "acos", &ph_op_Acos, NULL, 1 }, { "asin", &ph_op_Asin, NULL, 1 },
    { "atan", &ph_op_Atan, NULL, 1 }, { "sinh", &ph_op_Sinh, NULL, 1 }, { "cosh", &ph_op_Cosh, NULL, 1 }, { "asinh", &ph_op_Asinh, NULL, 1 },
    { "acosh", &ph_op_Acosh, NULL, 1 }, { "atanh", &ph_op_Atanh, NULL, 1 }, { "erf", &ph_op_Erf, NULL, 1 },
    { "broadcast_add", &ph_op_Add, &ph_op_Or, 2 }, { "broadcast_multiply", &ph_op_Mul, &ph_op_And, 2 },
    { "broadcast_subtract", &ph_op_Sub, &ph_op_Xor, 2 }, { "broadcast_divide", &ph_op_Div, NULL, 2 },
    { "broadcast_maximum", &ph_op_Max, &ph_op_Or, 2 }, { "broadcast_minimum", &ph_op_Min, &ph_op_And, 2 },
    { "broadcast_power", &ph_op_Pow, NULL, 2 }, { "broadcast_and", &ph_op_BitwiseAnd, &ph_op_And, 2 },
    { "broadcast_or", &ph_op_BitwiseOr, &ph_op_Or, 2 }, { "broadcast_xor", &ph_op_BitwiseXor, &ph_op_Xor, 2 },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    if (g_str_equal (ops[i].name, l->op))
      {
        const PhOp *op = IS_BOOL (l) ? ops[i].of_bool : ops[i].op;
        PhDType dtype = DTYPE (l);
        PhValue *values[2] = { l->in[0], l->n_in > 1 ? l->in[1] : NULL };

        if (op == NULL || l->n_in != ops[i].n)
          return ph_convert_stay (l, "%s of %s has no counterpart", l->op, ph_dtype_name (dtype));
        if (op == &ph_op_Pow && ph_dtype_is_integer (dtype) && dtype != PH_INT32 && dtype != PH_INT64) /* which Pow has not */
          *out = ph_convert_cast (
              l, PH_BUILD (l->b, Pow, ph_convert_cast (l, values[0], PH_INT64), ph_convert_cast (l, values[1], PH_INT64)), dtype);
        else if (op == &ph_op_Neg && !ph_dtype_is_signed (dtype))
          *out = PH_BUILD (l->b, Sub, ph_convert_like (l, l->in[0], 0), l->in[0]);
        else
          *out = ph_build_node (l->b, op, values, ops[i].n, NULL, 1);
        return *out != NULL;
      }
  return ph_convert_stay (l, "it has no rule");
}

PH_CONVERT_TO (absolute, PH_BUILD (l->b, Abs, l->in[0]))

/* Converts sign, which keeps -0 and NaN. */
static gboolean
sign (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *value = PH_BUILD (l->b, Sign, x);

  if (!IS_FLOAT (l))
    {
      *out = value;
      return TRUE;
    }
  *out = PH_BUILD (l->b, Where,
                   PH_BUILD (l->b, Or, PH_BUILD (l->b, Greater, x, ph_convert_like (l, x, 0)),
                             PH_BUILD (l->b, Less, x, ph_convert_like (l, x, 0))),
                   value, x);
  return TRUE;
}

PH_CONVERT_TO (rsqrt, PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Sqrt, l->in[0])))

static gboolean
cbrt_ (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *root = PH_BUILD (l->b, Pow, PH_BUILD (l->b, Abs, x), ph_convert_like (l, x, 1.0 / 3)), *better;

  /* A step of Newton's method corrects the last bits; where it is not defined, the root is exact already. */
  better = PH_BUILD (
      l->b, Sub, root,
      PH_BUILD (l->b, Div,
                PH_BUILD (l->b, Sub, root, PH_BUILD (l->b, Div, PH_BUILD (l->b, Abs, x), PH_BUILD (l->b, Mul, root, root))),
                ph_convert_like (l, x, 3)));
  better = PH_BUILD (l->b, Where,
                     PH_BUILD (l->b, And, PH_BUILD (l->b, Greater, root, ph_convert_like (l, x, 0)),
                               PH_BUILD (l->b, Less, root, ph_convert_like (l, x, HUGE_VAL))),
                     better, root);
  *out = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, ph_convert_like (l, x, 0)), PH_BUILD (l->b, Neg, better),
                   PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, ph_convert_like (l, x, 0)), x, better));
  return TRUE;
}

/* 2t / (1 - t) with t = tanh (x / 2): near 0 no digits cancel. */
static gboolean
expm1_ (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *one = ph_convert_like (l, x, 1),
          *t = PH_BUILD (l->b, Tanh, PH_BUILD (l->b, Mul, x, ph_convert_like (l, x, 0.5)));
  PhValue *near = PH_BUILD (l->b, Div, PH_BUILD (l->b, Add, t, t), PH_BUILD (l->b, Sub, one, t));

  *out = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, PH_BUILD (l->b, Abs, x), ph_convert_like (l, x, 0.7)), near,
                   PH_BUILD (l->b, Sub, PH_BUILD (l->b, Exp, x), one));
  return TRUE;
}

/* Near 0 it is 2 artanh (x / (2 + x)), since log (1 + x) loses the digits of x. */
static gboolean
log1p_ (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *near, *far;

  near = PH_BUILD (l->b, Atanh, PH_BUILD (l->b, Div, x, PH_BUILD (l->b, Add, x, ph_convert_like (l, x, 2))));
  near = PH_BUILD (l->b, Add, near, near);
  far = PH_BUILD (l->b, Log, PH_BUILD (l->b, Add, x, ph_convert_like (l, x, 1)));
  *out = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, PH_BUILD (l->b, Abs, x), ph_convert_like (l, x, 0.4)), near, far);
  return TRUE;
}

static PhValue *
is_negative (PhConvert *l, PhValue *x) /* -0 too */
{
  PhValue *zero = ph_convert_like (l, x, 0);

  return PH_BUILD (
      l->b, Or, PH_BUILD (l->b, Less, x, zero),
      PH_BUILD (l->b, And, PH_BUILD (l->b, Equal, x, zero), PH_BUILD (l->b, Less, PH_BUILD (l->b, Reciprocal, x), zero)));
}

static gboolean
atan2_ (PhConvert *l, PhValue **out)
{
  PhValue *y = l->in[0], *x = l->in[1], *ay, *ax, *large, *small, *zero, *ratio, *angle;

  if (!IS_FLOAT (l))
    return ph_convert_stay (l, "complex numbers have no counterpart");
  ay = PH_BUILD (l->b, Abs, y);
  ax = PH_BUILD (l->b, Abs, x);
  zero = ph_convert_like (l, x, 0);
  large = PH_BUILD (l->b, Max, ay, ax);
  small = PH_BUILD (l->b, Min, ay, ax);
  ratio = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, small, large),
                    PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, large, zero), zero, ph_convert_like (l, x, 1)),
                    PH_BUILD (l->b, Div, small, large));
  angle = PH_BUILD (l->b, Atan, ratio);
  angle = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, ay, ax), PH_BUILD (l->b, Sub, ph_convert_like (l, x, G_PI_2), angle),
                    angle);
  angle = PH_BUILD (l->b, Where, is_negative (l, x), PH_BUILD (l->b, Sub, ph_convert_like (l, x, G_PI), angle), angle);
  *out = PH_BUILD (l->b, Where, is_negative (l, y), PH_BUILD (l->b, Neg, angle), angle);
  return TRUE;
}

PH_CONVERT_TO (remainder_, PH_BUILD_WITH (l->b, Mod, PH_ATTRS (ph_attr_new_int ("fmod", 1)), l->in[0], l->in[1]))

/* Halves away from zero. */
static gboolean
round_afz (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0], *a = PH_BUILD (l->b, Abs, x), *whole = PH_BUILD (l->b, Floor, a), *up;

  up = PH_BUILD (l->b, Where, PH_BUILD (l->b, GreaterOrEqual, PH_BUILD (l->b, Sub, a, whole), ph_convert_like (l, x, 0.5)),
                 PH_BUILD (l->b, Add, whole, ph_convert_like (l, x, 1)), whole);
  *out = PH_BUILD (l->b, Where, is_negative (l, x), PH_BUILD (l->b, Neg, up), up);
  return TRUE;
}

static gboolean
clamp (PhConvert *l, PhValue **out)
{
  if (l->n_in != 3)
    return ph_convert_stay (l, "it does not have three operands");
  *out = PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, l->in[1], l->in[0]), l->in[2]);
  return TRUE;
}

static gboolean
select_ (PhConvert *l, PhValue **out)
{
  if (l->n_in != 3)
    return ph_convert_stay (l, "it does not have three operands");
  *out = PH_BUILD (l->b, Where, l->in[0], l->in[1], l->in[2]);
  return TRUE;
}

static PhValue *
as_bits (PhConvert *l, PhValue *value, PhDType dtype)
{
  return ph_convert_dtype (value) == dtype ? value
                                           : PH_BUILD_WITH (l->b, BitCast, PH_ATTRS (ph_attr_new_int ("to", dtype)), value);
}

static PhDType
integer_of (gsize size, gboolean is_signed)
{
  return size == 1   ? (is_signed ? PH_INT8 : PH_UINT8)
         : size == 2 ? (is_signed ? PH_INT16 : PH_UINT16)
         : size == 4 ? (is_signed ? PH_INT32 : PH_UINT32)
                     : (is_signed ? PH_INT64 : PH_UINT64);
}

/* Maps floats to integers in their total order, -NaN first: their bits, with those of negative numbers inverted. */
static PhValue *
total_order (PhConvert *l, PhValue *value)
{
  const gsize size = ph_dtype_size (ph_convert_dtype (value));
  const PhDType dtype = integer_of (size, TRUE);
  PhValue *bits = as_bits (l, value, dtype);
  PhTensor *most = ph_tensor_new (dtype, 0, NULL);

  ph_dtype_store_int (dtype, ph_tensor_writable (most), 0,
                      size == 8 ? G_MAXINT64 : (G_GINT64_CONSTANT (1) << (8 * size - 1)) - 1);
  return PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, bits, ph_convert_number (l, dtype, 0)),
                   PH_BUILD (l->b, BitwiseXor, bits, ph_build_tensor (l->b, most)), bits);
}

static gboolean
compare (PhConvert *l, PhValue **out)
{
  const char *direction = ph_convert_string (l, "comparison_direction", "");
  PhValue *a = l->in[0], *b = l->in[1];

  if (IS_FLOAT (l) && g_str_equal (ph_convert_string (l, "compare_type", ""), "TOTALORDER"))
    {
      a = total_order (l, a);
      b = total_order (l, b);
    }
  else if (IS_BOOL (l) && !g_str_equal (direction, "EQ") && !g_str_equal (direction, "NE"))
    {
      a = ph_convert_cast (l, a, PH_INT32);
      b = ph_convert_cast (l, b, PH_INT32);
    }
  if (g_str_equal (direction, "EQ"))
    *out = PH_BUILD (l->b, Equal, a, b);
  else if (g_str_equal (direction, "NE"))
    *out = PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, a, b));
  else if (g_str_equal (direction, "LT"))
    *out = PH_BUILD (l->b, Less, a, b);
  else if (g_str_equal (direction, "LE"))
    *out = PH_BUILD (l->b, LessOrEqual, a, b);
  else if (g_str_equal (direction, "GT"))
    *out = PH_BUILD (l->b, Greater, a, b);
  else if (g_str_equal (direction, "GE"))
    *out = PH_BUILD (l->b, GreaterOrEqual, a, b);
  else
    return ph_convert_stay (l, "the comparison '%s' is not known", direction);
  return TRUE;
}

static gboolean
is_finite (PhConvert *l, PhValue **out)
{
  PhValue *x = l->in[0];

  *out = PH_BUILD (l->b, Less, PH_BUILD (l->b, Abs, x), ph_convert_like (l, x, HUGE_VAL));
  return TRUE;
}

static gboolean
convert (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);

  if (type == NULL || type->dtype == PH_COMPLEX64 || type->dtype == PH_COMPLEX128 || DTYPE (l) == PH_COMPLEX64
      || DTYPE (l) == PH_COMPLEX128)
    return ph_convert_stay (l, "ONNX cannot cast complex numbers");
  *out = ph_convert_cast (l, l->in[0], type->dtype);
  return TRUE;
}

/* ── bits ── */

static guint
width_of (PhDType dtype)
{
  return (guint) ph_dtype_file_bits (dtype);
}

static PhValue *
shift (PhConvert *l, PhValue *value, PhValue *by, const char *direction)
{
  return PH_BUILD_WITH (l->b, BitShift, PH_ATTRS (ph_attr_new_string ("direction", direction)), value, by);
}

static gboolean
shifts (PhConvert *l, PhValue **out)
{
  const PhDType dtype = DTYPE (l);
  const guint width = width_of (dtype);
  const PhDType unsigned_dtype = integer_of (ph_dtype_size (dtype), FALSE),
                signed_dtype = integer_of (ph_dtype_size (dtype), TRUE);
  PhValue *x, *by, *enough, *result;

  if (width < 8)
    return ph_convert_stay (l, "ONNX has no operator that shifts %s", ph_dtype_name (dtype));
  x = ph_convert_cast (l, l->in[0], unsigned_dtype);
  by = ph_convert_cast (l, l->in[1], unsigned_dtype);
  enough = PH_BUILD (l->b, Less, by, ph_convert_number (l, unsigned_dtype, width));
  if (g_str_equal (l->op, "shift_right_arithmetic"))
    {
      PhValue *negative = PH_BUILD (l->b, Less, ph_convert_cast (l, x, signed_dtype), ph_convert_number (l, signed_dtype, 0));

      by = PH_BUILD (l->b, Where, enough, by, ph_convert_number (l, unsigned_dtype, width - 1));
      x = PH_BUILD (l->b, Where, negative, PH_BUILD (l->b, BitwiseNot, x), x);
      result = shift (l, x, by, "RIGHT");
      result = PH_BUILD (l->b, Where, negative, PH_BUILD (l->b, BitwiseNot, result), result);
    }
  else
    {
      by = PH_BUILD (l->b, Where, enough, by, ph_convert_number (l, unsigned_dtype, 0));
      result = PH_BUILD (l->b, Where, enough, shift (l, x, by, g_str_equal (l->op, "shift_left") ? "LEFT" : "RIGHT"),
                         ph_convert_number (l, unsigned_dtype, 0));
    }
  *out = ph_convert_cast (l, result, dtype);
  return TRUE;
}

/* Counts bits by adding neighbouring fields of 1, 2, 4, ... bits. */
static PhValue *
count_bits (PhConvert *l, PhValue *x)
{
  const PhDType dtype = ph_convert_dtype (x);
  const guint width = width_of (dtype);

  for (guint s = 1; s < width; s *= 2)
    {
      guint64 mask = 0;
      PhTensor *tensor = ph_tensor_new (dtype, 0, NULL);
      PhValue *m;

      for (guint bit = 0; bit < width; bit++)
        if ((bit / s) % 2 == 0)
          mask |= G_GUINT64_CONSTANT (1) << bit;
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), 0, (gint64) mask);
      m = ph_build_tensor (l->b, tensor);
      x = PH_BUILD (l->b, Add, PH_BUILD (l->b, BitwiseAnd, x, m),
                    PH_BUILD (l->b, BitwiseAnd, shift (l, x, ph_convert_number (l, dtype, s), "RIGHT"), m));
    }
  return x;
}

static gboolean
popcnt (PhConvert *l, PhValue **out)
{
  const PhDType dtype = DTYPE (l);
  PhValue *x;

  if (width_of (dtype) < 8)
    return ph_convert_stay (l, "ONNX has no operator that shifts %s", ph_dtype_name (dtype));
  x = ph_convert_cast (l, l->in[0], integer_of (ph_dtype_size (dtype), FALSE));
  if (g_str_equal (l->op, "count_leading_zeros"))
    {
      for (guint s = 1; s < width_of (dtype); s *= 2)
        x = PH_BUILD (l->b, BitwiseOr, x, shift (l, x, ph_convert_like (l, x, s), "RIGHT"));
      x = PH_BUILD (l->b, BitwiseNot, x);
    }
  *out = ph_convert_cast (l, count_bits (l, x), dtype);
  return TRUE;
}

/* Rounds doubles to @m bits of mantissa, to nearest even: x c - (x c - x), with c = 2^(53 - m - 1) + 1, keeps m + 1 digits (Dekker). */
static PhValue *
rounded_to (PhConvert *l, PhValue *x, gint64 m)
{
  const double c = ldexp (1, (int) (53 - m - 1)) + 1;
  PhValue *scaled = PH_BUILD (l->b, Mul, x, ph_convert_number (l, PH_DOUBLE, c));

  return m >= 52 ? x : PH_BUILD (l->b, Sub, scaled, PH_BUILD (l->b, Sub, scaled, x));
}

/* The same where the product with c would overflow. */
static PhValue *
rounded_when_large (PhConvert *l, PhValue *x, gint64 m)
{
  PhValue *small = rounded_to (l, PH_BUILD (l->b, Mul, x, ph_convert_number (l, PH_DOUBLE, 0x1p-100)), m);

  return PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, PH_BUILD (l->b, Abs, x), ph_convert_number (l, PH_DOUBLE, 0x1p900)),
                   rounded_to (l, x, m), PH_BUILD (l->b, Mul, small, ph_convert_number (l, PH_DOUBLE, 0x1p100)));
}

/* Rounds to fewer bits: the mantissa to nearest even, then overflow to infinity and underflow to zero. */
static gboolean
reduce_precision (PhConvert *l, PhValue **out)
{
  const char *format = ph_convert_string (l, "format", NULL);
  gint64 e = ph_convert_int (l, "exponent_bits", -1), m = ph_convert_int (l, "mantissa_bits", -1);
  const PhDType dtype = DTYPE (l);
  PhValue *x = l->in[0], *work, *rounded;
  double top, bottom;

  if (format != NULL && format[0] == 'e' && strchr (format, 'm') != NULL)
    {
      e = g_ascii_strtoll (format + 1, NULL, 10);
      m = g_ascii_strtoll (strchr (format, 'm') + 1, NULL, 10);
    }
  if (!IS_FLOAT (l) || e < 1 || m < 0)
    return ph_convert_stay (l, "its format is not known");
  if ((dtype == PH_FLOAT && e >= 8 && m >= 23) || (dtype == PH_DOUBLE && e >= 11 && m >= 52))
    {
      *out = x;
      return TRUE;
    }
  if (e > 11)
    return ph_convert_stay (l, "no rule knows a format of more bits than doubles have");
  m = MIN (m, 52);
  work = ph_convert_cast (l, x, PH_DOUBLE);
  rounded = dtype == PH_DOUBLE ? rounded_when_large (l, work, m) : rounded_to (l, work, m);
  top = ldexp (2 - ldexp (1, (int) -m), (1 << (e - 1)) - 1);
  bottom = ldexp (1, 2 - (1 << (e - 1)));
  rounded = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, PH_BUILD (l->b, Abs, rounded), ph_convert_number (l, PH_DOUBLE, top)),
                      PH_BUILD (l->b, Mul, work, ph_convert_number (l, PH_DOUBLE, HUGE_VAL)), rounded);
  rounded = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, PH_BUILD (l->b, Abs, rounded), ph_convert_number (l, PH_DOUBLE, bottom)),
                      PH_BUILD (l->b, Mul, work, ph_convert_number (l, PH_DOUBLE, 0)), rounded);
  rounded = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, PH_BUILD (l->b, Abs, work), ph_convert_number (l, PH_DOUBLE, HUGE_VAL)),
                      rounded, work);
  if (m == 0) /* there is no bit that tells NaN from infinity */
    rounded = PH_BUILD (l->b, Where, PH_BUILD (l->b, IsNaN, work), ph_convert_number (l, PH_DOUBLE, HUGE_VAL), rounded);
  *out = ph_convert_cast (l, rounded, dtype);
  return TRUE;
}

/* clang-format off */
#define SAME(name_) { name_, same, "the same operator in ONNX", "Both compute the same function." }
const PhConvertRule ph_convert_elementwise[] = {
  SAME ("add"), SAME ("multiply"), SAME ("subtract"), SAME ("divide"), SAME ("maximum"), SAME ("minimum"), SAME ("power"), SAME ("and"),
  SAME ("or"), SAME ("xor"), SAME ("not"), SAME ("ceil"), SAME ("floor"), SAME ("cosine"), SAME ("sine"), SAME ("tan"), SAME ("tanh"),
  SAME ("exponential"), SAME ("log"), SAME ("logistic"), SAME ("negate"), SAME ("sqrt"), SAME ("round_nearest_even"), SAME ("acos"),
  SAME ("asin"), SAME ("atan"), SAME ("sinh"), SAME ("cosh"), SAME ("asinh"), SAME ("acosh"), SAME ("atanh"), SAME ("erf"),
  SAME ("broadcast_add"), SAME ("broadcast_multiply"), SAME ("broadcast_subtract"), SAME ("broadcast_divide"), SAME ("broadcast_maximum"),
  SAME ("broadcast_minimum"), SAME ("broadcast_power"), SAME ("broadcast_and"), SAME ("broadcast_or"), SAME ("broadcast_xor"),
  { "abs", absolute, "its Abs", "Both compute the same function." },
  { "sign", sign, "Where (x is not 0 or NaN, Sign, x)", "StableHLO's sign keeps -0 and NaN." },
  { "rsqrt", rsqrt, "Reciprocal (Sqrt)", "ONNX has no reciprocal square root." },
  { "cbrt", cbrt_, "Pow (|x|, 1/3), one step of Newton's, and the sign", "ONNX has no cube root." },
  { "exponential_minus_one", expm1_, "2t / (1 - t) with t = Tanh (x / 2), or Exp - 1", "Exp (x) - 1 loses the digits of a small x." },
  { "log_plus_one", log1p_, "2 Atanh (x / (2 + x)), or Log (1 + x)", "Log (1 + x) loses the digits of a small x." },
  { "atan2", atan2_, "Atan of a quotient, and the quadrant", "ONNX's Atan has one operand, so the quadrant is computed from the signs." },
  { "remainder", remainder_, "Mod with fmod", "The result has the sign of the dividend." },
  { "round_nearest_afz", round_afz, "Floor and Where", "ONNX's Round rounds ties to even." },
  { "clamp", clamp, "Min (Max (x, low), high)", "The bounds may be tensors, which Clip does not take." },
  { "select", select_, "its Where", "Both compute the same function." },
  { "broadcast_select", select_, "its Where", "Both compute the same function." },
  { "compare", compare, "Equal, Less, ... and Not", "The direction is an attribute in StableHLO and an operator in ONNX." },
  { "broadcast_compare", compare, "Equal, Less, ... and Not", "The direction is an attribute in StableHLO and an operator in ONNX." },
  { "is_finite", is_finite, "|x| < inf", "NaN compares false." },
  { "convert", convert, "its Cast", "Both compute the same function." },
  { "bitcast_convert", ph_convert_bitcast, "its BitCast", "Both reinterpret the same bits as another type; elements of another width are shifted into place." },
  { "shift_left", shifts, "BitShift and Where", "A shift by the width or more gives 0 in StableHLO and is undefined in ONNX." },
  { "shift_right_logical", shifts, "BitShift and Where", "A shift by the width or more gives 0 in StableHLO and is undefined in ONNX." },
  { "shift_right_arithmetic", shifts, "BitShift of ~x where x < 0", "ONNX only shifts unsigned integers." },
  { "popcnt", popcnt, "sums of adjacent bit fields", "ONNX has no operator that counts bits." },
  { "count_leading_zeros", popcnt, "the ones of x smeared to the right, counted", "ONNX has no operator that counts bits." },
  { "reduce_precision", reduce_precision, "a product and differences in double", "Dekker's splitting rounds to the given number of mantissa bits." },
  { NULL }
};
/* clang-format on */
