/* hoist-gather.c: selects rows before computing on them rather than after.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*    x                x
 *    |                |
 *   Tanh           Gather 0
 *    |       =>       |
 *  Gather 0          Tanh        The first token of a sentence, the last of a prompt. */

static const PhOp *const choices[] = { &ph_op_Gather, &ph_op_Slice, NULL };

static gboolean
is_unary (const PhNode *node)
{
  if (node->op == NULL || !(node->op->flags & PH_OP_ELEMENTWISE) || (node->op->flags & PH_OP_RANDOM) || ph_node_is_tied (node)
      || node->outputs->len != 1 || node->op == &ph_op_Identity)
    return FALSE;
  for (guint i = 1; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_value_rank (ph_node_input (node, i)) != 0)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the result has fewer elements than the operand. */
static gboolean
chooses_fewer (const PhNode *node)
{
  const PhValue *x = ph_node_input (node, 0), *y = ph_node_output (node, 0);
  double before = 1, after = 1;

  if (!ph_value_is_static (x) || !ph_value_is_static (y))
    return FALSE;
  for (int i = 0; i < ph_value_rank (x); i++)
    before *= (double) ph_value_dim (x, i);
  for (int i = 0; i < ph_value_rank (y); i++)
    after *= (double) ph_value_dim (y, i);
  return after < before;
}

static gboolean
chooses_after (PhMatch *match)
{
  const PhNode *node = match->root;
  const PhNode *before = ph_op_is_any (node->op, choices) && ph_node_input (node, 0) != NULL ? ph_node_input (node, 0)->producer
                                                                                             : NULL;

  return before != NULL && before->graph == node->graph && ph_value_only_user (ph_node_input (node, 0)) == node
         && is_unary (before) && chooses_fewer (node);
}

static PhValue *
build_before (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root, *work = ph_node_input (node, 0)->producer;
  g_autofree PhValue **chosen = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  g_autofree PhValue **inputs = g_memdup2 (work->inputs->pdata, work->inputs->len * sizeof (PhValue *));

  chosen[0] = inputs[0];
  inputs[0] = ph_build_like (b, node, chosen, node->inputs->len);
  return inputs[0] != NULL ? ph_build_like (b, work, inputs, work->inputs->len) : NULL;
}

static const PhRule rules[] = {
  { "choose-first", .needs = choices, .when = chooses_after, .build = build_before, .matches = "Gather(f(x), i)",
    .becomes = "f(Gather(x, i))",
    .why = "An elementwise operator computes each element independently, so only the selected ones are needed." },
};

/* clang-format off */
const PhPass ph_pass_hoist_gather = {
  .name = "hoist-gather", .group = "simplify", .summary = "Moves Gather and Slice before elementwise operators, which then compute fewer elements",
  .elsewhere = "ONNX Runtime UpstreamGather; TVM reorder_take_after_matmul",
  .trap = "the results of the operator must not be needed for the rows that are left out.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
