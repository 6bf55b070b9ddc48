/* eliminate-expand.c: removes an Expand that changes nothing, or whose user broadcasts anyway.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns TRUE if Expand changes nothing: its target may also be all ones, of no higher rank than x. */
static gboolean
target_is_ones (PhMatch *match)
{
  g_autofree gint64 *target = NULL;
  gsize n;

  if (ph_match_keeps_type (match))
    return TRUE;
  if (!ph_value_ints (ph_node_input (match->root, 1), &target, &n) || ph_value_rank (match->slot[0]) < (int) n)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (target[i] != 1)
      return FALSE;
  return TRUE;
}

static gboolean
repeats_once (PhMatch *match)
{
  g_autofree gint64 *repeats = NULL;
  gsize n;

  if (!ph_value_ints (ph_node_input (match->root, 1), &repeats, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (repeats[i] != 1)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the operator broadcasts and its result has the same shape without the Expand, because of its other operand. */
static gboolean
broadcasts_anyway (PhMatch *match)
{
  const PhNode *node = match->root;

  /* CastLike reads only the type of its second operand; the slope of PRelu never broadcasts x. */
  if (node->op == &ph_op_CastLike || node->op == &ph_op_PRelu)
    return FALSE;
  if (node->op == NULL || !(node->op->flags & PH_OP_ELEMENTWISE) || node->inputs->len != 2 || node->outputs->len != 1)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      const PhValue *value = ph_node_input (node, i), *other = ph_node_input (node, 1 - i);

      if (value == NULL || other == NULL || value->producer == NULL || value->producer->op != &ph_op_Expand
          || value->producer->graph != node->graph || value == other)
        continue;
      if (ph_value_same_shape (other, ph_node_output (node, 0))
          && ph_value_broadcasts_into (ph_node_input (value->producer, 0), other))
        return TRUE;
    }
  return FALSE;
}

static PhValue *
without_expand (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root;
  PhValue *inputs[2];

  for (guint i = 0; i < 2; i++)
    {
      const PhValue *other = ph_node_input (node, 1 - i);
      PhValue *value = ph_node_input (node, i);

      inputs[i] = value;
      if (value->producer != NULL && value->producer->op == &ph_op_Expand && value->producer->graph == node->graph
          && ph_value_same_shape (other, ph_node_output (node, 0))
          && ph_value_broadcasts_into (ph_node_input (value->producer, 0), other))
        {
          inputs[0] = i == 0 ? ph_node_input (value->producer, 0) : ph_node_input (node, 0);
          inputs[1] = i == 1 ? ph_node_input (value->producer, 0) : ph_node_input (node, 1);
          break;
        }
    }
  return ph_build_like (b, node, inputs, 2);
}

static const PhOp *const expansion[] = { &ph_op_Expand, NULL };

/* clang-format off */
static const PhRule rules[] = {
  { "nop-expand", P (Expand, X), X, .when = target_is_ones, .why = "The input already has the resulting shape, so nothing is broadcast." },
  { "nop-tile",   P (Tile, X),   X, .when = repeats_once,   .why = "Every axis is repeated once, so the tensor stays as it is." },
  { "expand-before-broadcast", .needs = expansion, .when = broadcasts_anyway, .build = without_expand, .matches = "f(Expand(x), y)",
    .becomes = "f(x, y)",
    .why = "The operator broadcasts its operands to the same shape by itself." },
};

const PhPass ph_pass_eliminate_expand = {
  .name = "eliminate-expand", .group = "simplify",
  .summary = "Removes Expand and Tile that repeat nothing, and Expand before an operator that broadcasts",
  .elsewhere = "ONNX Runtime ExpandElimination; onnxoptimizer eliminate_nop_expand; MindSpore tile_eliminate",
  .trap = "the target of an Expand may be smaller than its operand, and the operand then stays as it is.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
