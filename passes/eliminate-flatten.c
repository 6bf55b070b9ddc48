/* eliminate-flatten.c: removes Flatten, Squeeze and Unsqueeze where they cancel or do nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
is_matrix_already (PhMatch *match)
{
  gint64 axis = ph_node_attr_int (match->root, "axis", 1);

  return ph_match_keeps_type (match) || (ph_value_rank (match->slot[0]) == 2 && (axis == 1 || axis == -1));
}

static gboolean
has_no_axes (PhMatch *match)
{
  g_autofree gint64 *axes = NULL;
  gsize n;

  return ph_value_ints (ph_node_input (match->root, 1), &axes, &n) && n == 0;
}

static gboolean
axes_cancel (PhMatch *match)
{
  int rank = ph_value_rank (ph_node_output (match->node[1], 0)); /* in the middle, or of x where it is larger */
  gboolean squeezes = match->root->op == &ph_op_Squeeze;
  gsize n = 0, m = 0;
  g_autofree gint64 *outer = NULL, *inner = NULL;

  /* Both count axes in the shape that has them: the result of the Unsqueeze, the input of the Squeeze. */
  if (!squeezes)
    rank = ph_value_rank (match->slot[0]);
  outer = ph_node_axes (match->node[0], 1, rank, &n);
  inner = ph_node_axes (match->node[1], 1, rank, &m);
  if (outer == NULL || inner == NULL || n != m)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (outer[i] != inner[i])
      return FALSE;
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "nop-flatten",       P (Flatten, X),                         X, .when = is_matrix_already,
    .why = "The input already is the matrix that Flatten would make." },
  { "nop-squeeze",       P (Squeeze, X),                         X, .when = has_no_axes,
    .why = "The list of axes is empty, so the shape stays the same." },
  { "nop-unsqueeze",     P (Unsqueeze, X),                       X, .when = has_no_axes,
    .why = "The list of axes is empty, so the shape stays the same." },
  { "squeeze-unsqueeze", P (Squeeze, P_SHARED (Unsqueeze, X)),   X, .when = axes_cancel,
    .why = "Squeeze removes exactly the axes that Unsqueeze inserted." },
  { "unsqueeze-squeeze", P (Unsqueeze, P_SHARED (Squeeze, X)),   X, .when = axes_cancel,
    .why = "Unsqueeze restores exactly the axes that Squeeze removed." },
};

const PhPass ph_pass_eliminate_flatten = {
  .name = "eliminate-flatten", .group = "simplify", .summary = "Removes Flatten, Squeeze and Unsqueeze where they cancel or do nothing",
  .elsewhere = "onnxoptimizer eliminate_nop_flatten, fuse_consecutive_squeeze_unsqueeze",
  .trap = "a negative axis counts from the end, and the rank of the tensor changes in between.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
