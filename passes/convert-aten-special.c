/* convert-aten-special.c: PyTorch's less common elementwise operators, and operators that sort or count elements, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

static PhValue *
like (PhConvert *l, PhValue *x, double number)
{
  return ph_convert_like (l, x, number);
}

/* ── one operand ── */

static gboolean
unary (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = strcmp (op, "sgn") == 0 || strcmp (op, "signbit") == 0 ? ph_aten_operand (l) : ph_aten_float (l);

  if (x == NULL)
    return FALSE;
  if (strcmp (op, "frac") == 0)
    out[0] = PH_BUILD (l->b, Sub, x, ph_convert_trunc (l, x));
  else if (strcmp (op, "sgn") == 0)
    out[0] = PH_BUILD (l->b, Sign, x);
  else if (strcmp (op, "isposinf") == 0 || strcmp (op, "isneginf") == 0)
    out[0] = PH_BUILD_WITH (
        l->b, IsInf,
        PH_ATTRS (ph_attr_new_int ("detect_positive", op[2] == 'p'), ph_attr_new_int ("detect_negative", op[2] == 'n')), x);
  else if (strcmp (op, "signbit") == 0) /* -0 has it, too: its reciprocal is -inf */
    out[0] = ph_dtype_is_float (ph_convert_dtype (x))
                 ? PH_BUILD (l->b, Or, PH_BUILD (l->b, Less, x, like (l, x, 0)),
                             PH_BUILD (l->b, And, PH_BUILD (l->b, Equal, x, like (l, x, 0)),
                                       PH_BUILD (l->b, Less, PH_BUILD (l->b, Reciprocal, x), like (l, x, 0))))
                 : PH_BUILD (l->b, Less, x, like (l, x, 0));
  else if (strcmp (op, "logit") == 0)
    {
      if (ph_aten_has (l, "eps"))
        {
          const double eps = ph_aten_number (l, "eps", 0);

          x = PH_BUILD (l->b, Clip, x, like (l, x, eps), like (l, x, 1 - eps));
        }
      out[0] = PH_BUILD (l->b, Log, PH_BUILD (l->b, Div, x, PH_BUILD (l->b, Sub, like (l, x, 1), x)));
    }
  else if (strcmp (op, "rrelu") == 0)
    {
      if (ph_aten_int (l, "training", 0) != 0)
        return ph_convert_stay (l, "it draws random numbers, as in training: export the model after model.eval ()");
      out[0] = PH_BUILD_WITH (
          l->b, LeakyRelu,
          PH_ATTRS (ph_attr_new_float (
              "alpha", (float) ((ph_aten_number (l, "lower", 1.0 / 8) + ph_aten_number (l, "upper", 1.0 / 3)) / 2))),
          x);
    }
  else if (strcmp (op, "special_entr") == 0)
    out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, like (l, x, 0)), like (l, x, -INFINITY),
                       PH_BUILD (l->b, Neg, ph_aten_xlogy (l, x, x)));
  else if (strcmp (op, "special_ndtr") == 0)
    out[0] = PH_BUILD (
        l->b, Mul, PH_BUILD (l->b, Add, PH_BUILD (l->b, Erf, PH_BUILD (l->b, Mul, x, like (l, x, sqrt (.5)))), like (l, x, 1)),
        like (l, x, .5));
  else if (strcmp (op, "sinc") == 0)
    {
      PhValue *at = PH_BUILD (l->b, Mul, x, like (l, x, G_PI));

      out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, like (l, x, 0)), like (l, x, 1),
                         PH_BUILD (l->b, Div, PH_BUILD (l->b, Sin, at), at));
    }
  return out[0] != NULL;
}

static gboolean
fake_quantise (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *steps;
  const double scale = ph_aten_number (l, "scale", 0), zero = ph_aten_number (l, "zero_point", 0),
               least = ph_aten_number (l, "quant_min", 0), most = ph_aten_number (l, "quant_max", 255);

  if (x == NULL || l->stays != NULL || scale <= 0)
    return ph_convert_stay (l, "its scale is not known");
  steps = PH_BUILD (l->b, Add, PH_BUILD (l->b, Round, PH_BUILD (l->b, Div, x, like (l, x, scale))), like (l, x, zero));
  steps = PH_BUILD (l->b, Clip, steps, like (l, x, least), like (l, x, most));
  out[0] = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, steps, like (l, x, zero)), like (l, x, scale));
  return TRUE;
}

/* ── two operands ── */

static gboolean
binary (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean whole = strcmp (op, "heaviside") == 0 || op[0] == 'f' || strstr (op, "close") != NULL
                         || strcmp (op, "equal") == 0;
  PhAtenArg a, b;
  PhValue *x, *y;
  PhDType dtype;

  if (!ph_aten_arg (l, 0, "self", &a) || !ph_aten_arg (l, 1, "other", &b))
    return ph_convert_stay (l, "its operands are not known");
  dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (strcmp (op, "float_power") == 0)
    dtype = PH_DOUBLE;
  else if (!whole && dtype != PH_UNDEFINED && !ph_dtype_is_float (dtype))
    dtype = PH_FLOAT;
  if (dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  if (strcmp (op, "equal") == 0 && (a.value == NULL || b.value == NULL || !ph_type_same_shape (a.value->type, b.value->type)))
    return ph_convert_stay (l, "its operands are not known to be of one shape");
  x = ph_aten_as (l, &a, dtype, NULL);
  y = ph_aten_as (l, &b, dtype, NULL);
  if (strcmp (op, "xlogy") == 0)
    {
      out[0] = ph_aten_xlogy (l, x, y);
      out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, IsNaN, y), y, out[0]);
    }
  else if (strcmp (op, "special_xlog1py") == 0)
    out[0] = ph_aten_xlogy (l, x, PH_BUILD (l->b, Add, y, like (l, y, 1)));
  else if (strcmp (op, "float_power") == 0)
    out[0] = PH_BUILD (l->b, Pow, x, y);
  else if (strcmp (op, "hypot") == 0)
    out[0] = PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, x, x), PH_BUILD (l->b, Mul, y, y)));
  else if (strcmp (op, "ldexp") == 0)
    out[0] = PH_BUILD (l->b, Mul, x, PH_BUILD (l->b, Pow, like (l, x, 2), y));
  else if (strcmp (op, "heaviside") == 0)
    out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, like (l, x, 0)), y,
                       ph_convert_cast (l, PH_BUILD (l->b, Greater, x, like (l, x, 0)), dtype));
  else if (strcmp (op, "fmax") == 0 || strcmp (op, "fmin") == 0)
    {
      PhValue *most = strcmp (op, "fmax") == 0 ? PH_BUILD (l->b, Max, x, y) : PH_BUILD (l->b, Min, x, y);

      /* NaN yields to a number. */
      out[0] = ph_dtype_is_float (dtype) ? PH_BUILD (l->b, Where, PH_BUILD (l->b, IsNaN, x), y,
                                                     PH_BUILD (l->b, Where, PH_BUILD (l->b, IsNaN, y), x, most))
                                         : most;
    }
  else if (strcmp (op, "copysign") == 0)
    {
      PhValue *size = PH_BUILD (l->b, Abs, x),
              *negative = PH_BUILD (l->b, Or, PH_BUILD (l->b, Less, y, like (l, y, 0)),
                                    PH_BUILD (l->b, And, PH_BUILD (l->b, Equal, y, like (l, y, 0)),
                                              PH_BUILD (l->b, Less, PH_BUILD (l->b, Reciprocal, y), like (l, y, 0))));

      out[0] = PH_BUILD (l->b, Where, negative, PH_BUILD (l->b, Neg, size), size);
    }
  else if (strcmp (op, "equal") == 0)
    out[0] = PH_BUILD (l->b, Equal, x, y);
  else if (strcmp (op, "isclose") == 0 || strcmp (op, "allclose") == 0)
    {
      const double rtol = ph_aten_number (l, "rtol", 1e-5), atol = ph_aten_number (l, "atol", 1e-8);
      const PhDType wide = ph_dtype_is_float (dtype) ? dtype : PH_DOUBLE;
      PhValue *u = ph_convert_cast (l, x, wide), *v = ph_convert_cast (l, y, wide);

      if (ph_aten_int (l, "equal_nan", 0) != 0)
        return ph_convert_stay (l, "it treats NaNs as equal");
      out[0] = PH_BUILD (
          l->b, Or, PH_BUILD (l->b, Equal, u, v),
          PH_BUILD (l->b, And,
                    PH_BUILD (l->b, LessOrEqual, PH_BUILD (l->b, Abs, PH_BUILD (l->b, Sub, u, v)),
                              PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Abs, v), like (l, v, rtol)),
                                        like (l, v, atol))),
                    PH_BUILD (l->b, Not, PH_BUILD (l->b, IsInf, v))));
    }
  if (strcmp (op, "equal") == 0 || strcmp (op, "allclose") == 0)
    out[0] = ph_convert_cast (
        l, PH_BUILD_WITH (l->b, ReduceMin, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, out[0], PH_UINT8)),
        PH_BOOL);
  return out[0] != NULL;
}

/* The angle of the quotient, plus half a turn where x is negative. */
static gboolean
atan2_ (PhConvert *l, PhValue **out)
{
  PhValue *y, *x, *angle, *turn, *zero, *half;
  PhAtenArg a, b;
  PhDType dtype;

  if (!ph_aten_arg (l, 0, "self", &a) || !ph_aten_arg (l, 1, "other", &b))
    return ph_convert_stay (l, "its operands are not known");
  dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (dtype != PH_UNDEFINED && !ph_dtype_is_float (dtype))
    dtype = PH_FLOAT;
  y = ph_aten_as (l, &a, dtype, b.value);
  x = ph_aten_as (l, &b, dtype, a.value);
  if (x == NULL || y == NULL || dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its operands are not floats");
  zero = ph_convert_like (l, x, 0);
  half = ph_convert_like (l, x, G_PI_2);
  angle = PH_BUILD (l->b, Atan, PH_BUILD (l->b, Div, y, x));
  turn = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, y, zero), ph_convert_like (l, x, -G_PI), ph_convert_like (l, x, G_PI));
  angle = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, zero), PH_BUILD (l->b, Add, angle, turn), angle);
  /* If x is zero, the angle is a quarter turn, or zero. */
  out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, zero), PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sign, y), half), angle);
  return TRUE;
}

static gboolean
logaddexp (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_tensor (l, 0), *b = ph_aten_tensor (l, 1);

  if (a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  out[0] = PH_BUILD (l->b, Add, PH_BUILD (l->b, Max, a, b),
                     PH_BUILD (l->b, Softplus, PH_BUILD (l->b, Neg, PH_BUILD (l->b, Abs, PH_BUILD (l->b, Sub, a, b)))));
  return TRUE;
}

/* Uses products and quotients by powers of two, since ONNX only shifts unsigned integers. */
static gboolean
shift (PhConvert *l, PhValue **out)
{
  const gboolean left = strstr (l->op, "l") != NULL && strstr (l->op, "right") == NULL && strstr (l->op, "rshift") == NULL;
  PhAtenArg a, b;
  PhDType dtype;
  PhValue *x, *power, *quotient, *zero;

  if (!ph_aten_arg (l, 0, "self", &a) || !ph_aten_arg (l, 1, "other", &b))
    return ph_convert_stay (l, "its operands are not known");
  dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (!ph_dtype_is_integer (dtype))
    return ph_convert_stay (l, "its operands are not integers");
  x = ph_aten_as (l, &a, dtype, NULL);
  power = ph_convert_cast (
      l, PH_BUILD (l->b, Pow, ph_convert_number (l, PH_INT64, 2), ph_convert_cast (l, ph_aten_as (l, &b, dtype, NULL), PH_INT64)),
      dtype);
  if (left)
    {
      out[0] = PH_BUILD (l->b, Mul, x, power);
      return TRUE;
    }
  /* Down, also below zero. */
  zero = ph_convert_number (l, dtype, 0);
  quotient = PH_BUILD (l->b, Div, x, power);
  out[0] = PH_BUILD (
      l->b, Sub, quotient,
      ph_convert_cast (l,
                       PH_BUILD (l->b, And, PH_BUILD (l->b, Less, x, zero),
                                 PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, PH_BUILD (l->b, Mul, quotient, power), x))),
                       dtype));
  return TRUE;
}

static gboolean
outer (PhConvert *l, PhValue **out)
{
  PhAtenArg a, b;
  const gint64 one = 1;

  if (!ph_aten_arg (l, 0, "self", &a) || !ph_aten_arg (l, 1, "vec2", &b) || a.value == NULL || b.value == NULL)
    return ph_convert_stay (l, "its operands are not known");
  a.value = PH_BUILD (l->b, Unsqueeze, a.value, ph_convert_ints_value (l, &one, 1));
  return a.value != NULL && ph_aten_binary (l, &ph_op_Mul, &a, &b, out);
}

static gboolean
cross (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_tensor (l, 0), *b = ph_aten_tensor (l, 1), *x[2][2];
  int axis = a != NULL ? ph_value_rank (a) - 1 : -1;
  const gint64 order[2][3] = { { 1, 2, 0 }, { 2, 0, 1 } }, three = 3;
  g_autoptr (GBytes) bytes = NULL;

  if (a == NULL || b == NULL || axis < 0)
    return ph_convert_stay (l, "its operands are not known");
  if (ph_aten_has (l, "dim"))
    axis = ph_aten_axis (l, a, ph_aten_int (l, "dim", -1));
  else if (strcmp (ph_aten_name (l), "cross") == 0) /* the first one of three */
    for (int i = 0; i < ph_value_rank (a); i++)
      if (ph_value_dim (a, i) == 3)
        {
          axis = i;
          break;
        }
  if (axis < 0)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < 2; k++)
      x[i][k] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), i == 0 ? a : b,
                               ph_convert_ints_value (l, order[k], (gsize) three));
  out[0] = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Mul, x[0][0], x[1][1]), PH_BUILD (l->b, Mul, x[0][1], x[1][0]));
  return TRUE;
}

/* beta x + alpha times the sum of products, or the outer product. */
static gboolean
add_products (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *a = ph_aten_tensor (l, 1), *b = ph_aten_tensor (l, 2);
  const double alpha = ph_aten_number (l, "alpha", 1), beta = ph_aten_number (l, "beta", 1);
  const gint64 zero = 0, one = 1;

  if (x == NULL || a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have three operands");
  if (strcmp (ph_aten_name (l), "addr") == 0)
    a = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Unsqueeze, a, ph_convert_ints_value (l, &one, 1)), b);
  else
    a = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), PH_BUILD (l->b, MatMul, a, b),
                       ph_convert_ints_value (l, &zero, 1));
  if (alpha != 1)
    a = PH_BUILD (l->b, Mul, a, like (l, a, alpha));
  if (beta != 1)
    x = PH_BUILD (l->b, Mul, x, like (l, x, beta));
  out[0] = PH_BUILD (l->b, Add, x, a);
  return TRUE;
}

/* ── order and numbers ── */

static gboolean
count (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *inputs[2] = { NULL };
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;

  if (x == NULL || (!ph_aten_ints (l, "dim", axes, &n) && ph_aten_has (l, "dim")))
    return ph_convert_stay (l, "its dim is not known");
  inputs[0] = ph_convert_cast (l, ph_convert_cast (l, x, PH_BOOL), PH_INT64);
  inputs[1] = n > 0 ? ph_convert_ints_value (l, axes, n) : NULL;
  out[0] = ph_build_node (l->b, &ph_op_ReduceSum, inputs, n > 0 ? 2 : 1, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
  return TRUE;
}

/* Builds the @k-th smallest element along @axis, and its index. */
static gboolean
smallest (PhConvert *l, PhValue *x, gint64 axis, gint64 k, gboolean keep, PhValue **out)
{
  const gint64 last = k - 1;
  PhValue *found = ph_build_node (l->b, &ph_op_TopK, PH_VALUES_ (x, ph_convert_ints_value (l, &k, 1)), 2,
                                  PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("largest", 0)), 2);

  for (guint i = 0; found != NULL && i < MIN (l->n_out, 2); i++)
    out[i] = keep ? ph_aten_slice (l, ph_node_output (found->producer, i), axis, last, k)
                  : PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), ph_node_output (found->producer, i),
                                   ph_build_scalar (l->b, PH_INT64, (double) last));
  return found != NULL;
}

static gboolean
kth (PhConvert *l, PhValue **out)
{
  const gboolean median = strcmp (ph_aten_name (l), "median") == 0;
  PhValue *x = ph_aten_operand (l);
  const gint64 all = -1;
  int axis;
  gint64 n;

  if (x == NULL)
    return FALSE;
  if (median && !ph_aten_has (l, "dim"))
    {
      n = 1;
      for (int i = 0; i < ph_value_rank (x); i++)
        n = n >= 0 && ph_value_dim (x, i) >= 0 ? n * ph_value_dim (x, i) : -1;
      if (n <= 0 || ph_value_rank (x) < 0)
        return ph_convert_stay (l, "the number of elements is not known");
      return smallest (l, ph_convert_reshape (l, x, &all, 1), 0, (n + 1) / 2, FALSE, out);
    }
  if ((axis = ph_aten_axis (l, x, ph_aten_int (l, "dim", -1))) < 0)
    return FALSE;
  n = median ? (ph_value_dim (x, axis) + 1) / 2 : ph_aten_int (l, "k", 1);
  if (n < 1 || (median && ph_value_dim (x, axis) < 1))
    return ph_convert_stay (l, "the size of the dimension is not known");
  return smallest (l, x, axis, n, ph_aten_int (l, "keepdim", 0) != 0, out);
}

static gboolean
both_ends (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *inputs[2] = { NULL };
  gint64 axis = ph_aten_int (l, "dim", 0);
  const gboolean has = ph_aten_has (l, "dim"), keep = ph_aten_int (l, "keepdim", 0) != 0;

  if (x == NULL)
    return FALSE;
  inputs[0] = x;
  inputs[1] = has ? ph_convert_ints_value (l, &axis, 1) : NULL;
  for (guint i = 0; i < MIN (l->n_out, 2); i++)
    out[i] = ph_build_node (l->b, i == 0 ? &ph_op_ReduceMin : &ph_op_ReduceMax, inputs, has ? 2 : 1,
                            PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
  return TRUE;
}

static gboolean
log_running_sum (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_float (l), *most;
  const gint64 axis = ph_aten_int (l, "dim", 0);

  if (x == NULL)
    return FALSE;
  most = PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), x, ph_convert_ints_value (l, &axis, 1));
  out[0] = PH_BUILD (l->b, Add, most,
                     PH_BUILD (l->b, Log,
                               PH_BUILD (l->b, CumSum, PH_BUILD (l->b, Exp, PH_BUILD (l->b, Sub, x, most)),
                                         ph_build_scalar (l->b, PH_INT64, (double) axis))));
  return TRUE;
}

/* Counts the boundaries below each element. */
static gboolean
bucket (PhConvert *l, PhValue **out)
{
  const gboolean search = strcmp (ph_aten_name (l), "searchsorted") == 0, right = ph_aten_int (l, "right", 0) != 0;
  PhAtenArg x, bounds;
  PhValue *values, *limits, *below;
  const gint64 last = -1;
  PhDType dtype;

  if (!ph_aten_arg (l, search ? 1 : 0, "self", &x) || !ph_aten_arg (l, search ? 0 : 1, "boundaries", &bounds)
      || bounds.value == NULL || ph_value_rank (bounds.value) != 1)
    return ph_convert_stay (l, "its boundaries are not a vector");
  dtype = ph_aten_promote (
      (PhAtenArg[]) { { .value = x.value, .dtype = x.dtype, .level = 2 }, { .dtype = bounds.dtype, .level = 2 } }, 2);
  values = ph_aten_as (l, &x, dtype, NULL);
  limits = ph_aten_as (l, &bounds, dtype, NULL);
  values = values != NULL ? PH_BUILD (l->b, Unsqueeze, values, ph_convert_ints_value (l, &last, 1)) : NULL;
  below = right ? PH_BUILD (l->b, LessOrEqual, limits, values) : PH_BUILD (l->b, Less, limits, values);
  below = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, below, PH_INT64),
                         ph_convert_ints_value (l, &last, 1));
  out[0] = ph_aten_int (l, "out_int32", 0) != 0 ? ph_convert_cast (l, below, PH_INT32) : below;
  return TRUE;
}

/* isin (elements, test_elements, *, assume_unique, invert) */
static gboolean
is_in (PhConvert *l, PhValue **out)
{
  PhAtenArg x, among;
  PhValue *values, *others, *found;
  const gint64 last = -1;
  PhDType dtype;

  if (!ph_aten_arg (l, 0, "elements", &x) || !ph_aten_arg (l, 1, "test_elements", &among))
    return FALSE;
  dtype = ph_aten_promote ((PhAtenArg[]) { x, among }, 2);
  values = ph_aten_as (l, &x, dtype, NULL);
  others = ph_aten_as (l, &among, dtype, NULL);
  if (values == NULL || others == NULL)
    return FALSE;
  found = PH_BUILD (l->b, Equal, PH_BUILD (l->b, Unsqueeze, values, ph_convert_ints_value (l, &last, 1)),
                    ph_convert_reshape (l, others, &last, 1));
  found = PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, found, PH_UINT8),
                         ph_convert_ints_value (l, &last, 1));
  found = ph_convert_cast (l, found, PH_BOOL);
  out[0] = ph_aten_int (l, "invert", 0) != 0 ? PH_BUILD (l->b, Not, found) : found;
  return TRUE;
}

static gboolean
determinant (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  out[0] = PH_BUILD (l->b, Det, x);
  return TRUE;
}

/* a - b cos (2 pi i / n) + c cos (4 pi i / n); one that is repeated leaves its last number out. */
static gboolean
cosine_window (PhConvert *l, PhValue **out)
{
  const char *name = ph_aten_name (l);
  const gboolean hamming = strcmp (name, "hamming_window") == 0, blackman = strcmp (name, "blackman_window") == 0;
  const double a = blackman  ? 0.42
                   : hamming ? ph_aten_number (l, "alpha", 0.54)
                             : 0.5,
               b = hamming ? ph_aten_number (l, "beta", 0.46) : 0.5, c = blackman ? 0.08 : 0;
  const gint64 n = ph_aten_int (l, "window_length", -1), steps = ph_aten_int (l, "periodic", 1) != 0 ? n : n - 1;
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  g_autofree float *data = NULL;

  if (l->stays != NULL || n < 0 || n > 1000000)
    return ph_convert_stay (l, "its length is not known");
  data = g_new (float, (gsize) n + 1);
  for (gint64 i = 0; i < n; i++)
    {
      const double at = steps > 0 ? 2 * G_PI * (double) i / (double) steps : G_PI;

      data[i] = n == 1 ? 1 : (float) (a - b * cos (at) + c * cos (2 * at));
    }
  out[0] = ph_convert_cast (l, ph_build_tensor (l->b, ph_tensor_new_floats (data, (gsize) n)),
                            dtype != PH_UNDEFINED ? dtype : PH_FLOAT);
  return TRUE;
}

static const char none[] = "ONNX has no identical operator, so it is composed of others.";
static const char sorted[] = "The k-th smallest element is the last of the k smallest ones in order.";

/* clang-format off */
#define UNARY(name, of)  { "aten:" name, unary, of, none }
#define BINARY(name, of) { "aten:" name, binary, of, none }
#define SHIFT(name)      { "aten:" name, shift, "Mul or Div by a power of two", none }

const PhConvertRule ph_convert_aten_special[] = {
  UNARY ("frac", "x minus its integer part"), UNARY ("sgn", "Sign"), UNARY ("isposinf", "IsInf"), UNARY ("isneginf", "IsInf"), UNARY ("signbit", "Less"), UNARY ("logit", "Log(x / (1 - x))"),
  UNARY ("special_ndtr", "(Erf(x / sqrt 2) + 1) / 2"), UNARY ("rrelu", "LeakyRelu"), UNARY ("sinc", "Sin(pi x) / (pi x)"), UNARY ("special_entr", "-x Log(x)"), { "aten:fake_quantize_per_tensor_affine", fake_quantise, "Round and Clip", none },
  { "aten:fake_quantize_per_tensor_affine_cachemask", fake_quantise, "Round and Clip", none },
  BINARY ("equal", "ReduceMin of Equal"), BINARY ("allclose", "ReduceMin of LessOrEqual"), BINARY ("special_xlog1py", "Mul(x, Log(y + 1))"),
  BINARY ("xlogy", "Mul(x, Log(y))"), BINARY ("float_power", "Pow in double"), BINARY ("hypot", "Sqrt(x x + y y)"), BINARY ("ldexp", "Mul by a power of two"), BINARY ("heaviside", "Where and Greater"),
  BINARY ("fmax", "Max"), BINARY ("fmin", "Min"), BINARY ("copysign", "Abs and Neg"), BINARY ("isclose", "LessOrEqual"),
  SHIFT ("bitwise_left_shift"), SHIFT ("bitwise_right_shift"), SHIFT ("__lshift__"), SHIFT ("__rshift__"),
  { "aten:outer", outer, "Mul", "The outer product is a column times a row." }, { "aten:ger", outer, "Mul", "The outer product is a column times a row." }, { "aten:cross", cross, "Gathers and Muls", none }, { "aten:linalg_cross", cross, "Gathers and Muls", none },
  { "aten:addbmm", add_products, "MatMul, ReduceSum and Add", none }, { "aten:addr", add_products, "Mul and Add", none },
  { "aten:count_nonzero", count, "ReduceSum of truth values", none }, { "aten:kthvalue", kth, "TopK", sorted }, { "aten:median", kth, "TopK", sorted },
  { "aten:aminmax", both_ends, "ReduceMin and ReduceMax", "Both reduce the same dimensions." }, { "aten:logcumsumexp", log_running_sum, "CumSum of Exp", none },
  { "aten:bucketize", bucket, "ReduceSum of Less", "The bucket of an element is the number of boundaries below it." }, { "aten:searchsorted", bucket, "ReduceSum of Less", "The position of an element is the number of elements below it." },
  { "aten:isin", is_in, "ReduceMax of Equal", "An element is in a set if it equals one of its elements." },
  { "aten:linalg_det", determinant, "Det", "Both work on the last two dimensions." }, { "aten:det", determinant, "Det", "Both work on the last two dimensions." }, { "aten:_linalg_det", determinant, "Det", "Both work on the last two dimensions." },
  { "aten:hann_window", cosine_window, "a constant", none }, { "aten:hamming_window", cosine_window, "a constant", none }, { "aten:blackman_window", cosine_window, "a constant", none },
  { "aten:atan2", atan2_, "Atan of the quotient, moved to the quadrant", none },
  { "aten:logaddexp", logaddexp, "Max + Log(1 + Exp(-|x - y|))", none },
  { NULL }
};
/* clang-format on */
