/* sccp.c: sparse conditional constant propagation: constants and branches found together.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/branch.h"
#include "passes/fold.h"

/* Folding alone stops at an If, and removing Ifs alone needs constants. Run to a common fixpoint, a condition that becomes constant selects
 * its branch, and the branch's result may decide the next condition. A loop state that starts as a constant and equals it after each
 * iteration is that constant in every iteration. */

/* Returns the constant that both branches give as output @k, whichever is taken. */
static PhTensor *
common_constant (const PhNode *node, guint k)
{
  const PhGraph *a = ph_node_graph (node, "then_branch"), *b = ph_node_graph (node, "else_branch");
  PhTensor *x, *y;

  if (a == NULL || b == NULL || k >= a->outputs->len || k >= b->outputs->len || ph_value_is_output (ph_node_output (node, k))
      || ph_value_n_uses (ph_node_output (node, k)) == 0)
    return NULL;
  x = ph_value_constant (g_ptr_array_index (a->outputs, k));
  y = ph_value_constant (g_ptr_array_index (b->outputs, k));
  return x != NULL && y != NULL && ph_tensor_equal (x, y) ? x : NULL;
}

static gboolean
branches_agree (PhMatch *match)
{
  for (guint k = 0; k < match->root->outputs->len; k++)
    if (common_constant (match->root, k) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
take_common (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;

  for (guint k = 0; k < node->outputs->len && b->error == NULL; k++)
    {
      PhTensor *tensor = common_constant (node, k);

      if (tensor == NULL)
        continue;
      b->name = ph_node_output (node, k)->name;
      ph_value_replace_uses (ph_node_output (node, k), ph_build_tensor (b, ph_tensor_ref (tensor)), &b->error);
    }
  if (b->error == NULL)
    ph_graph_remove_dead (node);
  return b->error == NULL;
}

/* Returns a state that starts as a constant and ends each iteration equal to it or unchanged; -1: none. */
static int
constant_state (const PhNode *loop)
{
  const PhGraph *body = ph_node_graph (loop, "body");

  if (body == NULL || body->inputs->len != loop->inputs->len || body->outputs->len + 1 < body->inputs->len)
    return -1;
  for (guint i = 2; i < loop->inputs->len; i++)
    {
      PhTensor *initial = ph_node_input (loop, i) != NULL ? ph_value_constant (ph_node_input (loop, i)) : NULL;
      const PhValue *inside = g_ptr_array_index (body->inputs, i), *out = g_ptr_array_index (body->outputs, i - 1);
      PhTensor *later = ph_value_constant (out);

      if (initial != NULL && inside->uses->len > 0 && later != NULL && ph_tensor_equal (initial, later))
        return (int) i;
    }
  return -1;
}

static gboolean
has_constant_state (PhMatch *match)
{
  return constant_state (match->root) >= 0;
}

static gboolean
read_constant (PhMatch *match, PhBuilder *b)
{
  PhNode *loop = match->root;
  guint i = constant_state (loop);
  PhValue *inside = g_ptr_array_index (ph_node_graph (loop, "body")->inputs, i);
  g_autoptr (GArray) uses = ph_value_copy_uses (inside);

  for (guint u = 0; u < uses->len && b->error == NULL; u++)
    ph_node_set_input (g_array_index (uses, PhUse, u).node, g_array_index (uses, PhUse, u).index, ph_node_input (loop, i),
                       &b->error);
  return b->error == NULL;
}

/* clang-format off */
static const PhRule rules[] = {
  { "fold", .when = ph_fold_can, .apply = ph_fold, .matches = "f(const)",
    .becomes = "initializer",
    .why = "All inputs are constant, so the result is the same in every run." },
  { "constant-branch", .root = &ph_op_If, .when = ph_branch_is_decided, .apply = ph_branch_take, .becomes = "the branch that is taken",
    .why = "The condition is constant, so the other branch is never taken." },
  { "same-in-both", .root = &ph_op_If, .when = branches_agree, .apply = take_common, .becomes = "initializer",
    .why = "Both branches return the same constant, so the condition does not matter." },
  { "constant-state", .root = &ph_op_Loop, .when = has_constant_state, .apply = read_constant, .becomes = "Loop, reading the constant",
    .why = "The state starts as a constant, and every iteration returns the same constant." },
};

const PhPass ph_pass_sccp = {
  .name = "sccp", .group = "constants", .summary = "Propagates constants through branches and loops, and removes branches that are never taken",
  .elsewhere = "Wegman and Zadeck 1991; LLVM SCCP. No other ONNX tool has it",
  .trap = "folding and branch selection must run together, because each enables the other.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
