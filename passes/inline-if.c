/* inline-if.c: replaces an If with a constant condition by its branch.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/branch.h"

/* clang-format off */
static const PhRule rules[] = {
  { "constant-if", .root = &ph_op_If, .when = ph_branch_is_decided, .apply = ph_branch_take, .becomes = "the branch that is taken",
    .why = "The condition is the same in every run, so only one branch can ever be taken." },
};

const PhPass ph_pass_inline_if = {
  .name = "inline-if", .group = "control", .summary = "Replaces If by the branch that a constant condition takes",
  .elsewhere = "onnxoptimizer eliminate_if_with_const_cond; XLA conditional_simplifier; MindSpore switch_simplify",
  .trap = "a branch that only hands on an initializer, or what it captured, has no node that makes its output.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
