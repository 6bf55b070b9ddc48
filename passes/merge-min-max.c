/* merge-min-max.c: chains of bounds are one bound.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Two operands each, so that nothing else is compared. */
static gboolean
are_two (PhMatch *match)
{
  return match->node[0]->inputs->len == 2 && match->node[1]->inputs->len == 2 &&
         ph_value_same_type (ph_node_output (match->node[1], 0), ph_node_output (match->root, 0));
}

static const PhRule rules[] = {
  { "max-max", P (Max, P (Max, X, CONST (1)), CONST (2)), P (Max, X, P (Max, CONST (1), CONST (2))), .when = are_two,
    .why = "The larger of the bounds is the one that counts." },
  { "min-min", P (Min, P (Min, X, CONST (1)), CONST (2)), P (Min, X, P (Min, CONST (1), CONST (2))), .when = are_two,
    .why = "The smaller of the bounds is the one that counts." },
};

const PhPass ph_pass_merge_min_max = {
  .name = "merge-min-max", .group = "algebra", .summary = "Merges chains of Max with constants, and of Min",
  .elsewhere = "XLA algebraic simplifier",
  .trap = "NaN goes through Max and Min, whatever the other operand is.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
