/* stablehlo-elementwise.c: ONNX's elementwise operators in StableHLO.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"
#include "passes/stablehlo.h"

#include <math.h>

/* Returns operand @i in the shape of the result. */
static PhValue *
operand (PhConvert *l, guint i)
{
  gint64 dims[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, dims);

  return ph_stable_expand (l, ph_stable_in (l, i), dims, rank);
}

/* Operators that differ in name only. */
/* clang-format off */
static const struct { const PhOp *op; const char *name; } names[] = {
  { &ph_op_Add, "add" }, { &ph_op_Sub, "subtract" }, { &ph_op_Mul, "multiply" }, { &ph_op_Div, "divide" }, { &ph_op_Max, "maximum" }, { &ph_op_Min, "minimum" },
  { &ph_op_Sum, "add" }, { &ph_op_And, "and" }, { &ph_op_Or, "or" }, { &ph_op_Xor, "xor" }, { &ph_op_BitwiseAnd, "and" }, { &ph_op_BitwiseOr, "or" }, { &ph_op_BitwiseXor, "xor" },
  { &ph_op_Not, "not" }, { &ph_op_BitwiseNot, "not" }, { &ph_op_Neg, "negate" }, { &ph_op_Abs, "abs" }, { &ph_op_Sign, "sign" }, { &ph_op_Sqrt, "sqrt" },
  { &ph_op_Exp, "exponential" }, { &ph_op_Log, "log" }, { &ph_op_Sin, "sine" }, { &ph_op_Cos, "cosine" }, { &ph_op_Tan, "tan" }, { &ph_op_Tanh, "tanh" },
  { &ph_op_Sigmoid, "logistic" }, { &ph_op_Floor, "floor" }, { &ph_op_Ceil, "ceil" }, { &ph_op_Round, "round_nearest_even" }, { &ph_op_Erf, "erf" },
};
/* clang-format on */

static gboolean
same (PhConvert *l, PhValue **out)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].op == l->node->op)
      {
        if (l->node->op == &ph_op_Abs && !ph_dtype_is_signed (ph_stable_in (l, 0)->type->dtype))
          {
            out[0] = ph_stable_in (l, 0);
            return TRUE;
          }
        out[0] = operand (l, 0);
        if (l->node->inputs->len == 1 && !(l->node->op == &ph_op_Max || l->node->op == &ph_op_Min || l->node->op == &ph_op_Sum))
          out[0] = ph_stable_unary (l, names[i].name, out[0]);
        if (l->node->op == &ph_op_Sign && out[0] != NULL && ph_dtype_is_float (out[0]->type->dtype))
          out[0] = ph_stable_binary (l, "add", out[0], ph_stable_like (l, out[0], 0)); /* StableHLO's keeps -0, ONNX's does not */
        for (guint k = 1; k < l->node->inputs->len; k++)
          out[0] = ph_stable_binary (l, names[i].name, out[0], operand (l, k));
      }
  return out[0] != NULL;
}

/* Returns the type in which x of type @base is raised to a power of another type @exponent without losing digits of either. */
static PhDType
power_type (PhDType base, PhDType exponent)
{
  if (base == exponent || base == PH_DOUBLE)
    return base;
  if (ph_dtype_is_float (base))
    return exponent == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  return ph_dtype_is_float (exponent) ? PH_DOUBLE : PH_INT64;
}

static gboolean
power (PhConvert *l, PhValue **out)
{
  PhValue *x = operand (l, 0), *y = operand (l, 1);

  if (x != NULL && y != NULL)
    {
      const PhDType to = x->type->dtype, dtype = power_type (to, y->type->dtype);

      x = ph_stable_binary (l, "power", ph_stable_convert (l, x, dtype), ph_stable_convert (l, y, dtype));
      out[0] = ph_stable_convert (l, x, to);
    }
  return out[0] != NULL;
}

static gboolean
mod (PhConvert *l, PhValue **out)
{
  PhValue *a = operand (l, 0), *b = operand (l, 1), *rest = ph_stable_binary (l, "remainder", a, b), *zero, *other;

  out[0] = rest;
  if (rest == NULL || ph_node_attr_int (l->node, "fmod", 0) != 0 || !ph_dtype_is_signed (rest->type->dtype))
    return rest != NULL;
  zero = ph_stable_like (l, rest, 0); /* the sign of the divisor */
  other = ph_stable_binary (
      l, "and", ph_stable_compare (l, "NE", rest, zero),
      ph_stable_compare (l, "NE", ph_stable_compare (l, "LT", rest, zero), ph_stable_compare (l, "LT", b, zero)));
  out[0] = ph_stable_select (l, other, ph_stable_binary (l, "add", rest, b), rest);
  return out[0] != NULL;
}

static gboolean
mean (PhConvert *l, PhValue **out)
{
  out[0] = operand (l, 0);
  for (guint k = 1; k < l->node->inputs->len; k++)
    out[0] = ph_stable_binary (l, "add", out[0], operand (l, k));
  out[0] = ph_stable_binary (l, "divide", out[0], ph_stable_like (l, out[0], l->node->inputs->len));
  return out[0] != NULL;
}

static PhValue *
minus (PhConvert *l, PhValue *x)
{
  return ph_stable_unary (l, "negate", x);
}

/* x if it is not below 0, else scale (exp (x) - 1) */
static PhValue *
elu (PhConvert *l, PhValue *x, double alpha)
{
  return ph_stable_select (
      l, ph_stable_compare (l, "LT", x, ph_stable_like (l, x, 0)),
      ph_stable_binary (l, "multiply", ph_stable_unary (l, "exponential_minus_one", x), ph_stable_like (l, x, alpha)), x);
}

static gboolean
activation (PhConvert *l, PhValue **out)
{
  const PhOp *op = l->node->op;
  PhValue *x = ph_stable_in (l, 0), *zero = ph_stable_like (l, x, 0), *one = ph_stable_like (l, x, 1);

  if (op == &ph_op_Relu)
    out[0] = ph_stable_binary (l, "maximum", x, zero);
  else if (op == &ph_op_LeakyRelu)
    out[0] = ph_stable_select (
        l, ph_stable_compare (l, "LT", x, zero),
        ph_stable_binary (l, "multiply", x, ph_stable_like (l, x, (double) ph_node_attr_float (l->node, "alpha", 0.01f))), x);
  else if (op == &ph_op_Elu)
    out[0] = elu (l, x, (double) ph_node_attr_float (l->node, "alpha", 1));
  else if (op == &ph_op_Selu)
    out[0] = ph_stable_binary (l, "multiply",
                               elu (l, x, (double) ph_node_attr_float (l->node, "alpha", 1.67326319217681884765625f)),
                               ph_stable_like (l, x, (double) ph_node_attr_float (l->node, "gamma", 1.05070102214813232421875f)));
  else if (op == &ph_op_Softplus)
    out[0] = ph_stable_binary (
        l, "add", ph_stable_binary (l, "maximum", x, zero),
        ph_stable_unary (l, "log_plus_one", ph_stable_unary (l, "exponential", minus (l, ph_stable_unary (l, "abs", x)))));
  else if (op == &ph_op_Softsign)
    out[0] = ph_stable_binary (l, "divide", x, ph_stable_binary (l, "add", ph_stable_unary (l, "abs", x), one));
  else if (op == &ph_op_Reciprocal)
    out[0] = ph_stable_binary (l, "divide", one, x);
  else /* HardSigmoid */
    {
      PhValue *line = ph_stable_binary (
          l, "add",
          ph_stable_binary (l, "multiply", x, ph_stable_like (l, x, (double) ph_node_attr_float (l->node, "alpha", 0.2f))),
          ph_stable_like (l, x, (double) ph_node_attr_float (l->node, "beta", 0.5f)));

      out[0] = ph_stable_binary (l, "maximum", zero, ph_stable_binary (l, "minimum", one, line));
    }
  return out[0] != NULL;
}

static gboolean
prelu (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0);

  out[0] = ph_stable_select (l, ph_stable_compare (l, "LT", x, ph_stable_like (l, x, 0)),
                             ph_stable_binary (l, "multiply", x, operand (l, 1)), x);
  return out[0] != NULL;
}

static gboolean
clip (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK], size[PH_MAX_RANK];
  const guint rank = ph_stable_out_dims (l, 0, dims);

  out[0] = ph_stable_in (l, 0);
  for (guint i = 1; i < 3; i++)
    {
      PhValue *bound = ph_stable_in (l, i);

      if (bound == NULL)
        continue;
      if (ph_dims_product (size, 0, ph_stable_dims (bound, size)) != 1)
        return ph_convert_stay (l, "a bound is not one number");
      bound = ph_stable_expand (l, ph_stable_reshape (l, bound, NULL, 0), dims, rank);
      out[0] = ph_stable_binary (l, i == 1 ? "maximum" : "minimum", out[0], bound);
    }
  return out[0] != NULL;
}

PH_CONVERT_TO (where, ph_stable_select (l, operand (l, 0), operand (l, 1), operand (l, 2)))

static gboolean
compare (PhConvert *l, PhValue **out)
{
  const PhOp *op = l->node->op;
  const char *direction = op == &ph_op_Equal         ? "EQ"
                          : op == &ph_op_Less        ? "LT"
                          : op == &ph_op_LessOrEqual ? "LE"
                          : op == &ph_op_Greater     ? "GT"
                                                     : "GE";

  out[0] = ph_stable_compare (l, direction, operand (l, 0), operand (l, 1));
  return out[0] != NULL;
}

/* Floats of 8 bits and less as floats, since ONNX cannot compare them. */
static PhValue *
wide (PhConvert *l, PhValue *x)
{
  const PhDType dtype = x->type->dtype;

  return ph_dtype_is_float (dtype) && ph_dtype_size (dtype) == 1 ? ph_stable_convert (l, x, PH_FLOAT) : x;
}

static gboolean
test (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0), *endless;

  if ((x = wide (l, x)) == NULL)
    return FALSE;
  if (l->node->op == &ph_op_IsNaN)
    {
      out[0] = ph_stable_compare (l, "NE", x, x);
      return out[0] != NULL;
    }
  if (ph_node_attr_int (l->node, "detect_positive", 1) == 0 || ph_node_attr_int (l->node, "detect_negative", 1) == 0)
    return ph_convert_stay (l, "it only looks for one sign of infinity");
  endless = ph_stable_like (l, x, (double) INFINITY);
  out[0] = ph_stable_compare (l, "EQ", ph_stable_unary (l, "abs", x), endless);
  return out[0] != NULL;
}

static gboolean
cast (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_stable_in (l, 0);
  const PhDType to = ph_node_output (l->node, 0)->type->dtype;

  if (to == PH_BOOL && x->type->dtype != PH_BOOL)
    {
      x = wide (l, x);
      out[0] = ph_stable_compare (l, "NE", x, ph_stable_like (l, x, 0));
    }
  else
    out[0] = ph_stable_convert (l, x, to);
  return out[0] != NULL;
}

static const char plain[] = "Both are elementwise; implicit broadcasting in ONNX becomes broadcast_in_dim.";
static const char spelt[] = "StableHLO has no such operator, so it is composed of simpler ones.";

/* clang-format off */
#define SAME(name) { &ph_op_##name, same, "one operator", plain }
#define SPELT(name, rule) { &ph_op_##name, rule, "simpler operators", spelt }

const PhLowerRule ph_stable_elementwise[] = {
  SAME (Add), SAME (Sub), SAME (Mul), SAME (Div), SAME (Max), SAME (Min), SAME (Sum), SAME (And), SAME (Or), SAME (Xor), SAME (BitwiseAnd), SAME (BitwiseOr),
  SAME (BitwiseXor), SAME (Not), SAME (BitwiseNot), SAME (Neg), SAME (Abs), SAME (Sign), SAME (Sqrt), SAME (Exp), SAME (Log), SAME (Sin), SAME (Cos), SAME (Tan), SAME (Tanh),
  SAME (Sigmoid), SAME (Floor), SAME (Ceil), SAME (Round), SAME (Erf), { &ph_op_Pow, power, "power", plain }, SPELT (Mod, mod), SPELT (Mean, mean), SPELT (Relu, activation),
  SPELT (LeakyRelu, activation), SPELT (Elu, activation), SPELT (Selu, activation), SPELT (Softplus, activation), SPELT (Softsign, activation), SPELT (Reciprocal, activation),
  SPELT (HardSigmoid, activation), SPELT (PRelu, prelu), SPELT (Clip, clip), { &ph_op_Where, where, "select", plain }, { &ph_op_Equal, compare, "compare", plain },
  { &ph_op_Less, compare, "compare", plain }, { &ph_op_LessOrEqual, compare, "compare", plain }, { &ph_op_Greater, compare, "compare", plain },
  { &ph_op_GreaterOrEqual, compare, "compare", plain }, SPELT (IsNaN, test), SPELT (IsInf, test), { &ph_op_Cast, cast, "convert", plain },
  { NULL }
};
/* clang-format on */
