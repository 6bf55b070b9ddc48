/* gather-to-slice.c: replaces a Gather of evenly spaced indices by a Slice.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Indices a, a + 1, ..., a + n - 1, at least one, all of one sign; a vector, so that the axis stays. */
static gboolean
is_a_row (PhMatch *match)
{
  g_autofree gint64 *indices = NULL;
  gint64 size;
  gsize n;

  if (ph_value_rank (match->slot[1]) != 1 || !ph_value_ints (match->slot[1], &indices, &n) || n == 0
      || ph_value_rank (match->slot[0]) < 0)
    return FALSE;
  for (gsize i = 1; i < n; i++)
    if (indices[i] != indices[0] + (gint64) i)
      return FALSE;
  /* An index out of range is an error of Gather (perhaps in a branch that is never taken), no shorter Slice: so the size must be
   * known. */
  size = ph_value_dim (match->slot[0], ph_axis_of (ph_node_attr_int (match->root, "axis", 0), ph_value_rank (match->slot[0])));
  if (size < 0 || indices[n - 1] >= size || indices[0] < -size)
    return FALSE;
  return indices[0] >= 0 || indices[n - 1] < 0;
}

/* Builds the Slice. For indices from the end, an end of 0 would mean the start, so the greatest number replaces it. */
static PhValue *
build_slice (PhMatch *match, PhBuilder *b)
{
  gint64 axis = ph_node_attr_int (match->root, "axis", 0);
  g_autofree gint64 *indices = NULL;
  gint64 end;
  gsize n;

  ph_value_ints (match->slot[1], &indices, &n);
  end = indices[n - 1] + 1;
  if (indices[0] < 0 && end == 0)
    end = G_MAXINT64;
  return PH_BUILD (b, Slice, match->slot[0], ph_build_ints (b, indices, 1), ph_build_ints (b, &end, 1),
                   ph_build_ints (b, &axis, 1));
}

static const PhRule rules[] = {
  { "gather-to-slice", P (Gather, X, CONST (1)), .when = is_a_row, .build = build_slice, .becomes = "Slice(x)",
    .why = "The indices are consecutive and within range, so one Slice takes the same elements." },
};

/* clang-format off */
const PhPass ph_pass_gather_to_slice = {
  .name = "gather-to-slice", .group = "algebra", .summary = "Turns Gather of consecutive indices into Slice",
  .elsewhere = "ONNX Runtime GatherToSlice",
  .trap = "the index -1 as a slice goes from -1 to the end, not to 0.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
