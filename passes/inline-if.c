/* inline-if.c: a branch whose condition is constant takes the place of the If.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include "core/ops/copy.h"

static gboolean
condition_is_constant (PhMatch *match)
{
  PhTensor *tensor = ph_value_constant (ph_node_input (match->root, 0));

  return tensor != NULL && ph_tensor_count (tensor) == 1;
}

static gboolean
inline_branch (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  gboolean taken = ph_tensor_get_int (ph_value_constant (ph_node_input (node, 0)), 0) != 0;
  PhGraph *body = ph_node_graph (node, taken ? "then_branch" : "else_branch");
  g_autofree PhValue **outputs = g_new0 (PhValue *, node->outputs->len + 1);

  if (body == NULL || body->outputs->len != node->outputs->len || !ph_build_copy (b, body, NULL, outputs, NULL))
    return FALSE;
  return ph_node_replace_all (node, outputs, b);
}

static const PhRule rules[] = {
  { "constant-if", .root = &ph_op_If, .when = condition_is_constant, .apply = inline_branch, .becomes = "the branch that is taken",
    .why = "The condition is the same in every run, so only one branch can ever be taken." },
};

const PhPass ph_pass_inline_if = {
  .name = "inline-if", .group = "control", .summary = "Replaces If by the branch that a constant condition takes",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
