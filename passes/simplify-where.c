/* simplify-where.c: simplifies a Where with a constant or negated condition, or with equal operands.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns 1 or 0 for a constant condition with equal elements, else -1. */
static int
constant_condition (const PhValue *value)
{
  PhTensor *tensor = ph_value_constant (value);

  if (tensor == NULL || ph_tensor_dtype (tensor) != PH_BOOL || ph_tensor_count (tensor) == 0)
    return -1;
  for (gsize i = 1; i < ph_tensor_count (tensor); i++)
    if (ph_tensor_get_int (tensor, i) != ph_tensor_get_int (tensor, 0))
      return -1;
  return ph_tensor_get_int (tensor, 0) != 0;
}

/* The operand taken must have the shape of the result, to which the others may have broadcast it. */
static gboolean
is_always (PhMatch *match)
{
  int condition = constant_condition (match->slot[0]);

  return condition >= 0 && ph_value_same_type (match->slot[condition ? 1 : 2], ph_node_output (match->root, 0));
}

static PhValue *
build_taken (PhMatch *match, PhBuilder *b)
{
  return match->slot[constant_condition (match->slot[0]) ? 1 : 2];
}

static gboolean
both_are_the_result (PhMatch *match)
{
  return ph_value_same_type (match->slot[1], ph_node_output (match->root, 0));
}

/* clang-format off */
static const PhRule rules[] = {
  { "where-not",      P (Where, P_SHARED (Not, X), Y, Z),     P (Where, X, Z, Y),
    .why = "Swapping the two choices has the same effect as negating the condition." },
  { "where-constant", P (Where, CONST (0), Y, Z), .when = is_always, .build = build_taken, .becomes = "y or z",
    .why = "The condition is constant and the same for every element, so one choice is always taken." },
  { "where-same",     P (Where, X, Y, Y),                     Y, .when = both_are_the_result,
    .why = "Both choices are the same value, so the condition does not matter." },
};

const PhPass ph_pass_simplify_where = {
  .name = "simplify-where", .group = "algebra", .summary = "Simplifies Where with a constant or negated condition, or with two equal choices",
  .elsewhere = "ONNX Runtime NotWhereFusion; onnxoptimizer rewrite_where; MindSpore value_based_eliminate",
  .trap = "the condition takes part in broadcasting: without it the result may be smaller.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
