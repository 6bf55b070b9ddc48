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
  { "sum-of-one",  P (Sum, X),    X, .when = has_one_operand, .why = "The sum of one thing is that thing." },
  { "mean-of-one", P (Mean, X),   X, .when = has_one_operand, .why = "The mean of one thing is that thing." },
  { "max-of-one",  P (Max, X),    X, .when = has_one_operand, .why = "The largest of one thing is that thing." },
  { "min-of-one",  P (Min, X),    X, .when = has_one_operand, .why = "The smallest of one thing is that thing." },
  { "sum-of-two",  P (Sum, X, Y), P (Add, X, Y),
    .why = "Add is the sum of two, and more passes know it." },
};

const PhPass ph_pass_replace_variadic = {
  .name = "replace-variadic", .group = "algebra", .summary = "Replaces Sum, Mean, Max and Min of one or two operands",
  .elsewhere = "MindSpore addn",
  .trap = "Mean of two divides; Sum of one is a copy.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
