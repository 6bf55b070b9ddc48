/* eliminate-concat.c: removes a Concat of one operand, and a Concat of the parts of a Split.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
joins_one (PhMatch *match)
{
  return match->root->inputs->len == 1;
}

static gboolean
is_empty (const PhValue *value, int axis)
{
  return ph_value_dim (value, axis) == 0;
}

static gboolean
joins_an_empty_one (PhMatch *match)
{
  gint64 axis = ph_node_attr_int (match->root, "axis", 0);
  guint n_empty = 0;

  for (guint i = 0; i < match->root->inputs->len; i++)
    n_empty += is_empty (ph_node_input (match->root, i), axis);
  return n_empty > 0 && n_empty < match->root->inputs->len;
}

static PhValue *
build_without_empty (PhMatch *match, PhBuilder *b)
{
  gint64 axis = ph_node_attr_int (match->root, "axis", 0);
  g_autofree PhValue **inputs = g_new (PhValue *, match->root->inputs->len);
  guint n = 0;

  for (guint i = 0; i < match->root->inputs->len; i++)
    if (!is_empty (ph_node_input (match->root, i), axis))
      inputs[n++] = ph_node_input (match->root, i);
  return ph_build_like (b, match->root, inputs, n);
}

/* Returns TRUE if the operands are all outputs of one Split, in order, along the same axis. */
static gboolean
joins_what_was_split (PhMatch *match)
{
  const PhNode *node = match->root, *split = ph_node_input (node, 0) != NULL ? ph_node_input (node, 0)->producer : NULL;
  int rank = ph_value_rank (ph_node_output (node, 0));

  if (split == NULL || split->op != &ph_op_Split || split->outputs->len != node->inputs->len || rank < 0
      || ph_axis_of (ph_node_attr_int (node, "axis", 0), rank) != ph_axis_of (ph_node_attr_int (split, "axis", 0), rank))
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != ph_node_output (split, i))
      return FALSE;
  match->slot[0] = ph_node_input (split, 0);
  return TRUE;
}

static PhValue *
build_slot_0 (PhMatch *match, PhBuilder *b)
{
  return match->slot[0];
}

static gboolean
splits_into_one (PhMatch *match)
{
  return match->root->outputs->len == 1 && ph_match_keeps_type (match);
}

/* Returns TRUE for Split (Concat (a, b)) into the same parts. */
static gboolean
splits_what_was_joined (PhMatch *match)
{
  const PhNode *split = match->root, *concat = ph_node_input (split, 0) != NULL ? ph_node_input (split, 0)->producer : NULL;
  int rank = ph_value_rank (ph_node_input (split, 0));

  if (concat == NULL || concat->op != &ph_op_Concat || concat->graph != split->graph || rank < 0
      || concat->inputs->len != split->outputs->len
      || ph_axis_of (ph_node_attr_int (concat, "axis", 0), rank) != ph_axis_of (ph_node_attr_int (split, "axis", 0), rank))
    return FALSE;
  for (guint i = 0; i < split->outputs->len; i++)
    if (!ph_value_same_type (ph_node_input (concat, i), ph_node_output (split, i))
        || ph_value_is_output (ph_node_output (split, i)))
      return FALSE;
  return TRUE;
}

static gboolean
use_pieces (PhMatch *match, PhBuilder *b)
{
  PhNode *split = match->root, *concat = ph_node_input (split, 0)->producer;

  for (guint i = 0; i < split->outputs->len; i++)
    if (ph_value_n_uses (ph_node_output (split, i)) > 0
        && !ph_value_replace_uses (ph_node_output (split, i), ph_node_input (concat, i), &b->error))
      return FALSE;
  ph_graph_remove_dead (split);
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "concat-of-one", P (Concat, X), X, .when = joins_one, .why = "Concatenating a single operand returns it unchanged." },
  { "concat-empty", .root = &ph_op_Concat, .when = joins_an_empty_one, .build = build_without_empty,
    .matches = "Concat(x, y) where one has no elements",
    .becomes = "Concat without it", .why = "An operand of size zero along the axis contributes no elements." },
  { "concat-of-split", .root = &ph_op_Concat, .when = joins_what_was_split, .build = build_slot_0,
    .matches = "Concat(Split(x))",
    .becomes = "x, of Concat(Split(x))", .why = "Concat joins all parts of the Split in order along the same axis, which restores x." },
  { "split-into-one", P (Split, X), X, .when = splits_into_one, .why = "The only part is the whole tensor." },
  { "split-of-concat", .root = &ph_op_Split, .when = splits_what_was_joined, .apply = use_pieces,
    .matches = "Split(Concat(x, y))",
    .becomes = "x, y, of Split(Concat(x, y))", .why = "Split cuts exactly where Concat joined, so its outputs are the operands of Concat." },
};

const PhPass ph_pass_eliminate_concat = {
  .name = "eliminate-concat", .group = "simplify", .summary = "Removes Concat and Split where they cancel or do nothing",
  .elsewhere = "onnxoptimizer eliminate_nop_concat, eliminate_nop_split",
  .trap = "a Split of one output that is shorter than its operand is a slice.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
