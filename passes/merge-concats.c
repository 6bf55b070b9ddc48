/* merge-concats.c: merges nested Concats.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
is_inner (const PhNode *node, const PhValue *value)
{
  const PhNode *inner = value->producer;
  int rank = ph_value_rank (ph_node_output (node, 0));

  return inner != NULL && inner->op == &ph_op_Concat && ph_value_only_user (value) == node && rank >= 0
         && ph_axis_of (ph_node_attr_int (inner, "axis", 0), rank) == ph_axis_of (ph_node_attr_int (node, "axis", 0), rank);
}

static gboolean
joins_joined (PhMatch *match)
{
  for (guint i = 0; i < match->root->inputs->len; i++)
    if (is_inner (match->root, ph_node_input (match->root, i)))
      return TRUE;
  return FALSE;
}

static PhValue *
build_flat (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);

      if (is_inner (node, value))
        for (guint k = 0; k < value->producer->inputs->len; k++)
          g_ptr_array_add (inputs, ph_node_input (value->producer, k));
      else
        g_ptr_array_add (inputs, value);
    }
  return ph_build_like (b, node, (PhValue **) inputs->pdata, inputs->len);
}

/* clang-format off */
static const PhRule rules[] = {
  { "concat-concat", .root = &ph_op_Concat, .when = joins_joined, .build = build_flat, .matches = "Concat(Concat(x, y), z)",
    .becomes = "Concat(x, y, z), of Concat(Concat(x, y), z)",
    .why = "Concatenation along one axis is associative, so one Concat can join all operands." },
};

const PhPass ph_pass_merge_concats = {
  .name = "merge-concats", .group = "simplify", .summary = "Merges nested Concats along one axis",
  .elsewhere = "onnxoptimizer fuse_consecutive_concats; XLA",
  .trap = "the axes -1 and 1 are the same only for rank 2.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
