/* reassociate.c: reorders sums and products to combine their constants.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* (x + c) + d = x + (c + d): the sum of constants is then folded. Integers wrap around in the same way; floats round differently. The
 * combined constant must not broadcast to more than x combined with either. */
static gboolean
is_integer (PhMatch *match)
{
  return ph_dtype_is_integer (ph_value_dtype (match->slot[0]));
}

static gboolean
is_float (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]);
}

static gboolean
x_is_not_constant (PhMatch *match)
{
  return is_float (match) && ph_value_constant (match->slot[0]) == NULL;
}

static gboolean
integer_x_is_not_constant (PhMatch *match)
{
  return is_integer (match) && ph_value_constant (match->slot[0]) == NULL;
}

static const PhRule rules[] = {
  { "add-add-integers", P (Add, P (Add, X, CONST (1)), CONST (2)), P (Add, X, P (Add, CONST (1), CONST (2))),
    .when = integer_x_is_not_constant,
    .why = "Addition is associative for integers, so the two constants can be folded into one." },
  { "mul-mul-integers", P (Mul, P (Mul, X, CONST (1)), CONST (2)), P (Mul, X, P (Mul, CONST (1), CONST (2))),
    .when = integer_x_is_not_constant,
    .why = "Multiplication is associative for integers, so the two constants can be folded into one." },
  { "add-add", P (Add, P (Add, X, CONST (1)), CONST (2)), P (Add, X, P (Add, CONST (1), CONST (2))), .when = x_is_not_constant,
    .exactness = PH_ROUNDING, .why = "Regrouping the sum lets the two constants fold into one; rounding may differ." },
  { "mul-mul", P (Mul, P (Mul, X, CONST (1)), CONST (2)), P (Mul, X, P (Mul, CONST (1), CONST (2))), .when = x_is_not_constant,
    .exactness = PH_ROUNDING, .why = "Regrouping the product lets the two constants fold into one; rounding may differ." },
  { "sub-add", P (Add, P (Sub, X, CONST (1)), CONST (2)), P (Add, X, P (Sub, CONST (2), CONST (1))), .when = x_is_not_constant,
    .exactness = PH_ROUNDING, .why = "(x - y) + z is x + (z - y), and z - y folds into one constant; rounding may differ." },
};

/* clang-format off */
const PhPass ph_pass_reassociate = {
  .name = "reassociate", .group = "algebra", .summary = "Regroups sums and products so that their constants can be folded",
  .elsewhere = "XLA; MindSpore arithmetic_simplify2",
  .trap = "(x * 1e30) * 1e-30 overflows where x * 1 does not; integers wrap around to the same result.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
