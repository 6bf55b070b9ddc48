/* strength-reduction.c: replaces powers, roots and reciprocals by cheaper operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* The exponent must not broadcast the result. */
static gboolean
keeps_float (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]) && ph_match_keeps_type (match);
}

static gboolean
is_float_pair (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]);
}

/* Pow (x, 1/2) of -0 is 0 and of -inf is inf, where the root gives -0 and NaN. So x must be known to be non-negative. */
static gboolean
is_root_of_non_negative (PhMatch *match)
{
  const PhNode *producer = match->slot[0]->producer;

  return keeps_float (match) && producer != NULL
         && (producer->op == &ph_op_Exp || producer->op == &ph_op_Abs || producer->op == &ph_op_Sigmoid
             || producer->op == &ph_op_Softmax);
}

/* clang-format off */
static const PhRule rules[] = {
  { "square",          P (Pow, X, NUM (2)),      P (Mul, X, X), .when = keeps_float, .exactness = PH_ROUNDING,
    .why = "One product is cheaper than a general power, which takes a logarithm and an exponential." },
  { "pow-minus-one",   P (Pow, X, NUM (-1)),     P (Reciprocal, X), .when = keeps_float, .exactness = PH_ROUNDING,
    .why = "x to the power -1 is the reciprocal of x." },
  { "pow-half",        P (Pow, X, NUM (0.5)),    P (Sqrt, X), .when = is_root_of_non_negative, .exactness = PH_ROUNDING,
    .why = "x to the power 1/2 is the square root of x, because x is never negative here." },
  { "one-over",        P (Div, NUM (1), X),      P (Reciprocal, X), .when = keeps_float,
    .why = "1 / x is the reciprocal of x, which needs no constant." },
  { "mul-reciprocal",  P (Mul, X, P (Reciprocal, Y)), P (Div, X, Y), .when = is_float_pair, .exactness = PH_ROUNDING,
    .why = "x times 1/y is x/y, rounded once instead of twice." },
  { "div-reciprocal",  P (Div, X, P (Reciprocal, Y)), P (Mul, X, Y), .when = is_float_pair, .exactness = PH_ROUNDING,
    .why = "Dividing by 1/y is multiplying by y." },
  { "square-of-root",  P (Sqrt, P (Mul, X, X)),  P (Abs, X), .when = is_float_pair, .exactness = PH_LOSSY,
    .why = "The square root of x * x is |x|, which also avoids the overflow of the square." },
};

const PhPass ph_pass_strength_reduction = {
  .name = "strength-reduction", .group = "algebra", .summary = "Replaces powers and reciprocals by cheaper operators",
  .elsewhere = "XLA algebraic simplifier; MindSpore arithmetic_simplify",
  .trap = "Pow(-0, 0.5) is 0 and Sqrt(-0) is -0; Pow(-inf, 0.5) is inf and Sqrt(-inf) is NaN.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
