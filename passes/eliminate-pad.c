/* eliminate-pad.c: removes a Pad whose pads are all zero.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
pads_nothing (PhMatch *match)
{
  g_autofree gint64 *pads = NULL;
  gsize n;

  if (!ph_value_ints (ph_node_input (match->root, 1), &pads, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (pads[i] != 0)
      return FALSE;
  return TRUE;
}

static const PhRule rules[] = {
  { "nop-pad", P (Pad, X), X, .when = pads_nothing, .why = "The padding is zero on every side." },
};

/* clang-format off */
const PhPass ph_pass_eliminate_pad = {
  .name = "eliminate-pad", .group = "simplify", .summary = "Removes Pad where it adds nothing",
  .elsewhere = "onnxoptimizer eliminate_nop_pad",
  .trap = "since opset 18, the padding may cover only some of the axes.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
