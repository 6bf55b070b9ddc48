/* fold-frozen.c: evaluates nodes whose operands are constants but not parameters.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/parameter.h"
#include "passes/branch.h"
#include "passes/fold.h"

/*        w (initializer) ──► Mul ──► y        stays: the gradient of w passes the Mul
 *   2 (Constant) ──► Sqrt ───┘                the Sqrt is computed now
 *
 * Nodes that only read the shape of a parameter, or compare it, propagate no gradient and are folded too. */

static gboolean
reads_no_parameter (PhMatch *match)
{
  for (guint i = 0; i < match->root->inputs->len; i++)
    if (ph_node_input (match->root, i) != NULL && ph_value_is_parameter (ph_node_input (match->root, i))
        && ph_node_input_gradient (match->root, i) != PH_GRADIENT_ZERO)
      return FALSE;
  return TRUE;
}

static gboolean
can_fold (PhMatch *match)
{
  return ph_fold_can (match) && reads_no_parameter (match);
}

/* clang-format off */
static const PhRule rules[] = {
  { "constant-to-initializer", .root = &ph_op_Constant, .when = ph_fold_is_tensor_constant, .apply = ph_fold_constant_to_initializer,
    .becomes = "initializer", .why = "A Constant node only holds a value, which an initializer holds as well." },
  { "fold", .when = can_fold, .apply = ph_fold, .matches = "f(const)", .becomes = "initializer",
    .why = "All inputs are constant, and no gradient flows through the node to a parameter." },
  { "constant-branch", .root = &ph_op_If, .when = ph_branch_is_decided, .apply = ph_branch_take, .becomes = "the branch that is taken",
    .why = "The condition is constant, so the other branch is never taken." },
};

const PhPass ph_pass_fold_frozen = {
  .name = "fold-frozen", .group = "constants", .summary = "Evaluates nodes whose inputs are all constant, but keeps those through which parameters are trained",
  .elsewhere = "PyTorch's freezing, the other way round: there parameters are frozen so that they fold",
  .trap = "a weight that is folded into a product can no longer be trained: its gradient is that of the product.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
