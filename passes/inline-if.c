/* inline-if.c: replaces an If with a constant condition by its branch.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/branch.h"

/* clang-format off */
static const PhRule rules[] = {
  { "constant-if", .root = &ph_op_If, .when = ph_branch_is_decided, .apply = ph_branch_take, .becomes = "the branch that is taken",
    .why = "The condition is constant, so the same branch is taken in every run." },
};

const PhPass ph_pass_inline_if = {
  .name = "inline-if", .group = "control", .summary = "Replaces an If with a constant condition by the branch that is taken",
  .elsewhere = "onnxoptimizer eliminate_if_with_const_cond; XLA conditional_simplifier; MindSpore switch_simplify",
  .trap = "a branch that returns an initializer or a captured value has no node that produces its output.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
