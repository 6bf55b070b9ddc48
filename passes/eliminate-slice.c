/* eliminate-slice.c: removes a Slice that takes the whole tensor.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns TRUE if the slice goes from the first to the last element in steps of one. If the size is unknown, the end must be beyond any
 * size. */
static gboolean
takes_everything (PhMatch *match)
{
  const PhValue *x = match->slot[0];
  int rank = ph_value_rank (x);
  g_autofree gint64 *starts = NULL, *ends = NULL, *axes = NULL, *steps = NULL;
  gsize n, n_ends, n_axes, n_steps;

  if (rank < 0 || !ph_value_ints (ph_node_input (match->root, 1), &starts, &n)
      || !ph_value_ints (ph_node_input (match->root, 2), &ends, &n_ends) || n != n_ends)
    return FALSE;
  if (ph_node_input (match->root, 3) != NULL && (!ph_value_ints (ph_node_input (match->root, 3), &axes, &n_axes) || n_axes != n))
    return FALSE;
  if (ph_node_input (match->root, 4) != NULL
      && (!ph_value_ints (ph_node_input (match->root, 4), &steps, &n_steps) || n_steps != n))
    return FALSE;

  for (gsize i = 0; i < n; i++)
    {
      int axis = ph_axis_of (axes != NULL ? axes[i] : (gint64) i, rank);
      gint64 size;

      if (axis < 0 || (steps != NULL && steps[i] != 1))
        return FALSE;
      size = x->type->dims[axis].size;
      if (starts[i] != 0 && !(size >= 0 && starts[i] <= -size))
        return FALSE;
      if (ends[i] < (size >= 0 ? size : G_MAXINT32))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "nop-slice", P (Slice, X), X, .when = takes_everything, .why = "The slice takes every element, from the first to the last." },
};

/* clang-format off */
const PhPass ph_pass_eliminate_slice = {
  .name = "eliminate-slice", .group = "simplify", .summary = "Removes Slice where it takes every element",
  .elsewhere = "ONNX Runtime EliminateSlice",
  .trap = "the end may be INT64_MAX, the step may be negative, and a dimension may be unknown.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
