/* inline-if.c: a branch whose condition is constant takes the place of the If.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/branch.h"

static const PhRule rules[] = {
  { "constant-if", .root = &ph_op_If, .when = ph_branch_is_decided, .apply = ph_branch_take, .becomes = "the branch that is taken",
    .why = "The condition is the same in every run, so only one branch can ever be taken." },
};

const PhPass ph_pass_inline_if = {
  .name = "inline-if", .group = "control", .summary = "Replaces If by the branch that a constant condition takes",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
