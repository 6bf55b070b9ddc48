/* merge-squeezes.c: merges several Squeezes or Unsqueezes into one, whatever the dimensions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns the axes of both in the outer node's numbering. (transfer full) (nullable) */
static gint64 *
both_axes (PhMatch *match, gsize *n)
{
  const PhNode *outer = match->node[0], *inner = match->node[1];
  gboolean squeezes = outer->op == &ph_op_Squeeze;
  int low = ph_value_rank (ph_node_input (inner, 0)), middle = ph_value_rank (ph_node_output (inner, 0)),
      high = ph_value_rank (ph_node_output (outer, 0));
  gsize n_inner, n_outer;
  g_autofree gint64 *first = ph_node_axes (inner, 1, squeezes ? low : middle, &n_inner);
  g_autofree gint64 *second = ph_node_axes (outer, 1, squeezes ? middle : high, &n_outer);
  gint64 *axes;
  int at = 0;

  if (first == NULL || second == NULL || low < 0 || middle < 0 || high < 0)
    return NULL;
  axes = g_new (gint64, n_inner + n_outer + 1);
  *n = 0;
  /* Walks the longest of the three shapes; a dimension that the other node leaves alone is an axis of this one. */
  for (int i = 0; i < (squeezes ? low : high); i++)
    {
      const gint64 *by = squeezes ? first : second, *then = squeezes ? second : first;
      gsize n_by = squeezes ? n_inner : n_outer, n_then = squeezes ? n_outer : n_inner;
      gboolean taken = FALSE;

      for (gsize k = 0; k < n_by; k++)
        taken |= by[k] == i;
      if (!taken)
        {
          for (gsize k = 0; k < n_then; k++)
            taken |= then[k] == at;
          at++;
        }
      if (taken)
        axes[(*n)++] = i;
    }
  return axes;
}

static gboolean
axes_are_known (PhMatch *match)
{
  gsize n;
  g_autofree gint64 *axes = both_axes (match, &n);

  return axes != NULL;
}

static PhValue *
build_once (PhMatch *match, PhBuilder *b)
{
  gsize n;
  g_autofree gint64 *axes = both_axes (match, &n);
  PhValue *inputs[] = { match->slot[0], ph_build_ints (b, axes, n) };

  return ph_build_node (b, match->root->op, inputs, 2, NULL, 1);
}

/* clang-format off */
static const PhRule rules[] = {
  { "squeeze-squeeze", P (Squeeze, P (Squeeze, X)), .when = axes_are_known, .build = build_once, .becomes = "Squeeze(x), of all axes",
    .why = "Axes of size one can be removed in one step." },
  { "unsqueeze-unsqueeze", P (Unsqueeze, P (Unsqueeze, X)), .when = axes_are_known, .build = build_once,
    .becomes = "Unsqueeze(x), of all axes", .why = "Axes of size one can be inserted in one step." },
};

const PhPass ph_pass_merge_squeezes = {
  .name = "merge-squeezes", .group = "simplify", .summary = "Merges nested Squeezes and nested Unsqueezes, even if dimensions are unknown",
  .elsewhere = "onnxoptimizer fuse_consecutive_squeezes; ONNX Runtime UnsqueezeElimination",
  .trap = "negative axes are easily misread: onnxoptimizer was wrong until it left such cases alone.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
