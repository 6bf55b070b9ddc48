/* merge-clips.c: merges consecutive Clips and Relus.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* Returns the interval of a Clip or Relu. All of them pass NaN; crossing bounds (low > high) are not merged. */
static gboolean
interval (const PhNode *node, double *low, double *high)
{
  *low = -INFINITY;
  *high = INFINITY;
  if (node->op == &ph_op_Relu)
    {
      *low = 0;
      return TRUE;
    }
  if (node->op != &ph_op_Clip)
    return FALSE;
  if (ph_node_input (node, 1) != NULL && (!ph_value_number (ph_node_input (node, 1), low) || isnan (*low)))
    return FALSE;
  if (ph_node_input (node, 2) != NULL && (!ph_value_number (ph_node_input (node, 2), high) || isnan (*high)))
    return FALSE;
  return *low <= *high;
}

static gboolean
bounds_meet (PhMatch *match)
{
  PhValue *middle = ph_node_input (match->root, 0);
  const PhNode *inner = middle != NULL ? middle->producer : NULL;
  double a, b, c, d;

  return inner != NULL && inner->graph == match->root->graph && ph_value_only_user (middle) == match->root
         && ph_value_is_float (middle) && interval (match->root, &a, &b) && interval (inner, &c, &d) && MAX (a, c) <= MIN (b, d);
}

static PhValue *
build_bounds (PhMatch *match, PhBuilder *b)
{
  PhNode *inner = ph_node_input (match->root, 0)->producer;
  PhDType dtype = ph_value_dtype (ph_node_input (match->root, 0));
  double low, high, low_2, high_2;
  PhValue *inputs[3] = { ph_node_input (inner, 0) };

  interval (match->root, &low, &high);
  interval (inner, &low_2, &high_2);
  low = MAX (low, low_2);
  high = MIN (high, high_2);
  if (low == 0 && high == INFINITY)
    return PH_BUILD (b, Relu, inputs[0]);
  if (low > -INFINITY)
    inputs[1] = ph_build_scalar (b, dtype, low);
  if (high < INFINITY)
    inputs[2] = ph_build_scalar (b, dtype, high);
  return ph_build_node (b, &ph_op_Clip, inputs, high < INFINITY ? 3 : 2, NULL, 1);
}

static gboolean
has_no_bounds (PhMatch *match)
{
  return ph_node_input (match->root, 1) == NULL && ph_node_input (match->root, 2) == NULL;
}

/* clang-format off */
static const PhRule rules[] = {
  { "no-bounds",  P (Clip, X), X, .when = has_no_bounds, .why = "Without bounds, Clip returns its input unchanged." },
  { "relu-clip", .root = &ph_op_Clip, .when = bounds_meet, .build = build_bounds, .matches = "Clip(Clip(x, low, high), low, high)",
    .becomes = "Clip(x, larger low, smaller high)",
    .exactness = PH_EXACT_FINITE, .why = "Clipping to two overlapping intervals is clipping to their intersection." },
  { "clip-relu", .root = &ph_op_Relu, .when = bounds_meet, .build = build_bounds, .matches = "Relu(Clip(x, low, high))",
    .becomes = "Clip(x, max(0, low), high)",
    .exactness = PH_EXACT_FINITE, .why = "Relu is a Clip with the lower bound zero, so the two intervals can be intersected." },
};

const PhPass ph_pass_merge_clips = {
  .name = "merge-clips", .group = "algebra", .summary = "Merges chains of Clip and Relu",
  .elsewhere = "ONNX Runtime FuseReluClip; XLA algebraic simplifier",
  .trap = "where the lower bound is above the upper one, the upper one wins; integers have no infinity to be a "
          "missing bound.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
