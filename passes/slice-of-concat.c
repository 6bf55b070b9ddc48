/* slice-of-concat.c: replaces a Slice that takes exactly one operand of a Concat.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static PhValue *
taken_operand (const PhNode *slice)
{
  const PhNode *concat = ph_node_input (slice, 0) != NULL ? ph_node_input (slice, 0)->producer : NULL;
  int rank = ph_value_rank (ph_node_input (slice, 0)), axis;
  g_autofree gint64 *starts = NULL, *ends = NULL, *axes = NULL, *steps = NULL;
  gsize n, n_ends, n_axes = 0, n_steps = 0;
  gint64 at = 0, size, start, end;

  if (concat == NULL || concat->op != &ph_op_Concat || concat->graph != slice->graph || rank < 0
      || !ph_value_ints (ph_node_input (slice, 1), &starts, &n) || !ph_value_ints (ph_node_input (slice, 2), &ends, &n_ends)
      || n != 1 || n_ends != 1)
    return NULL;
  if (ph_node_input (slice, 3) != NULL && (!ph_value_ints (ph_node_input (slice, 3), &axes, &n_axes) || n_axes != 1))
    return NULL;
  if (ph_node_input (slice, 4) != NULL
      && (!ph_value_ints (ph_node_input (slice, 4), &steps, &n_steps) || n_steps != 1 || steps[0] != 1))
    return NULL;
  axis = ph_axis_of (ph_node_attr_int (concat, "axis", 0), rank);
  size = ph_value_dim (ph_node_input (slice, 0), axis);
  if (size < 0 || ph_axis_of (axes != NULL ? axes[0] : 0, rank) != axis)
    return NULL;
  start = starts[0] < 0 ? MAX (starts[0] + size, 0) : MIN (starts[0], size);
  end = ends[0] < 0 ? MAX (ends[0] + size, 0) : MIN (ends[0], size);

  for (guint i = 0; i < concat->inputs->len; i++)
    {
      gint64 own = ph_value_dim (ph_node_input (concat, i), axis);

      if (own < 0)
        return NULL;
      if (own > 0 && start == at && end == at + own)
        return ph_node_input (concat, i);
      at += own;
    }
  return NULL;
}

static gboolean
takes_one_operand (PhMatch *match)
{
  return taken_operand (match->root) != NULL;
}

static PhValue *
build_operand (PhMatch *match, PhBuilder *b)
{
  return taken_operand (match->root);
}

/* clang-format off */
static const PhRule rules[] = {
  { "slice-of-concat", .root = &ph_op_Slice, .when = takes_one_operand, .build = build_operand, .matches = "Slice(Concat(x, y))",
    .becomes = "x, of Slice(Concat(x, y))",
    .why = "The slice covers exactly one operand of the Concat." },
};

const PhPass ph_pass_slice_of_concat = {
  .name = "slice-of-concat", .group = "simplify", .summary = "Replaces a Slice of a Concat by the operand that it covers exactly",
  .elsewhere = "ONNX Runtime ConcatSliceElimination; XLA algebraic simplifier",
  .trap = "a slice that crosses the border between two operands is not one of them.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
