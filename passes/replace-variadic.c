/* replace-variadic.c: replaces variadic operators with one or two operands.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
has_one_operand (PhMatch *match)
{
  return match->root->inputs->len == 1;
}

/* clang-format off */
static const PhRule rules[] = {
  { "sum-of-one",  P (Sum, X),    X, .when = has_one_operand, .why = "The sum of a single operand is that operand." },
  { "mean-of-one", P (Mean, X),   X, .when = has_one_operand, .why = "The mean of a single operand is that operand." },
  { "max-of-one",  P (Max, X),    X, .when = has_one_operand, .why = "The maximum of a single operand is that operand." },
  { "min-of-one",  P (Min, X),    X, .when = has_one_operand, .why = "The minimum of a single operand is that operand." },
  { "sum-of-two",  P (Sum, X, Y), P (Add, X, Y),
    .why = "Add is the sum of two operands, and more passes recognise it." },
};

const PhPass ph_pass_replace_variadic = {
  .name = "replace-variadic", .group = "algebra", .summary = "Replaces Sum, Mean, Max and Min of one operand, and Sum of two",
  .elsewhere = "MindSpore addn",
  .trap = "Mean of two operands also divides by two, so it is not an Add.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
