/* merge-min-max.c: merges chains of Min or Max with constants.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns TRUE if both nodes have two operands, so that nothing else takes part. */
static gboolean
are_two (PhMatch *match)
{
  return match->node[0]->inputs->len == 2 && match->node[1]->inputs->len == 2
         && ph_value_same_type (ph_node_output (match->node[1], 0), ph_node_output (match->root, 0));
}

static gboolean
has_zero (PhTensor *tensor)
{
  for (gsize i = 0; i < (ph_tensor_is_splat (tensor) ? MIN (ph_tensor_count (tensor), 1) : ph_tensor_count (tensor)); i++)
    if (ph_tensor_get (tensor, i) == 0)
      return TRUE;
  return FALSE;
}

/* Between 0 and -0 the order of the operands decides the result, and the rules change that order. */
static gboolean
no_bound_is_zero (PhMatch *match)
{
  return are_two (match)
         && (!ph_value_is_float (match->slot[0])
             || (!has_zero (ph_value_constant (match->slot[1])) && !has_zero (ph_value_constant (match->slot[2]))));
}

static const char max_why[] = "Max is associative, so the two constants combine into their maximum.";
static const char min_why[] = "Min is associative, so the two constants combine into their minimum.";

#define MAX_MAX P (Max, P (Max, X, CONST (1)), CONST (2)), P (Max, X, P (Max, CONST (1), CONST (2)))
#define MIN_MIN P (Min, P (Min, X, CONST (1)), CONST (2)), P (Min, X, P (Min, CONST (1), CONST (2)))

static const PhRule rules[] = {
  { "max-max", MAX_MAX, .when = no_bound_is_zero, .why = max_why },
  { "min-min", MIN_MIN, .when = no_bound_is_zero, .why = min_why },
  { "max-max-zero", MAX_MAX, .when = are_two, .why = max_why, .exactness = PH_EXACT_FINITE },
  { "min-min-zero", MIN_MIN, .when = are_two, .why = min_why, .exactness = PH_EXACT_FINITE },
};

/* clang-format off */
const PhPass ph_pass_merge_min_max = {
  .name = "merge-min-max", .group = "algebra", .summary = "Merges nested Max with constants, and nested Min with constants",
  .elsewhere = "XLA algebraic simplifier",
  .trap = "NaN goes through Max and Min, whatever the other operand is; of 0 and -0 the order of the operands decides.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
