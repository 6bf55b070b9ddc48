/* simplify-compare.c: simplifies negated comparisons, and comparisons of a value with itself.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* not (x < y) is x >= y, except for NaN, where both x < y and x >= y are false. */
static gboolean
is_integer (PhMatch *match)
{
  return ph_dtype_is_integer (ph_value_dtype (match->slot[0]));
}

static gboolean
is_static (PhMatch *match)
{
  return ph_value_is_static (ph_node_output (match->root, 0));
}

static gboolean
is_static_integer (PhMatch *match)
{
  return is_static (match) && is_integer (match);
}

static PhValue *
build_truth (PhMatch *match, PhBuilder *b, gboolean truth)
{
  const PhType *type = ph_node_output (match->root, 0)->type;
  gint64 dims[PH_MAX_RANK];
  guint8 element = truth;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_build_tensor (b, ph_tensor_new_splat (PH_BOOL, type->rank, dims, &element));
}

static PhValue *
build_true (PhMatch *match, PhBuilder *b)
{
  return build_truth (match, b, TRUE);
}

static PhValue *
build_false (PhMatch *match, PhBuilder *b)
{
  return build_truth (match, b, FALSE);
}

/* clang-format off */
static const PhRule rules[] = {
  { "not-less",      P (Not, P (Less, X, Y)),           P (GreaterOrEqual, X, Y), .when = is_integer, .why = "Integers are totally ordered, so x < y is false exactly where x >= y is true." },
  { "not-greater",   P (Not, P (Greater, X, Y)),        P (LessOrEqual, X, Y),    .when = is_integer, .why = "Integers are totally ordered, so x > y is false exactly where x <= y is true." },
  { "not-at-least",  P (Not, P (GreaterOrEqual, X, Y)), P (Less, X, Y),           .when = is_integer, .why = "Integers are totally ordered, so x >= y is false exactly where x < y is true." },
  { "not-at-most",   P (Not, P (LessOrEqual, X, Y)),    P (Greater, X, Y),        .when = is_integer, .why = "Integers are totally ordered, so x <= y is false exactly where x > y is true." },
  { "less-self",     P (Less, X, X),    .when = is_static, .build = build_false, .becomes = "false", .why = "Nothing is less than itself, not even NaN." },
  { "greater-self",  P (Greater, X, X), .when = is_static, .build = build_false, .becomes = "false", .why = "Nothing is greater than itself, not even NaN." },
  { "equal-self",    P (Equal, X, X),   .when = is_static_integer, .build = build_true, .becomes = "true", .why = "Every integer equals itself; a float might be NaN, which does not." },
};

const PhPass ph_pass_simplify_compare = {
  .name = "simplify-compare", .group = "algebra", .summary = "Removes negations of comparisons, and comparisons of a value with itself",
  .elsewhere = "XLA algebraic simplifier",
  .trap = "not (a < b) is not a >= b where one of them is NaN; x = x is false for NaN.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
