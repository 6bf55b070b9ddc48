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

/* Finds the interval of the root, from @low to @high, and that of the Clip or Relu before it. */
static gboolean
intervals (PhMatch *match, double low[2], double high[2])
{
  PhValue *middle = ph_node_input (match->root, 0);
  const PhNode *inner = middle != NULL ? middle->producer : NULL;

  return inner != NULL && inner->graph == match->root->graph && ph_value_is_float (middle)
         && interval (match->root, &low[0], &high[0]) && interval (inner, &low[1], &high[1]);
}

static gboolean
is_wider (PhMatch *match)
{
  double low[2], high[2];

  return intervals (match, low, high) && low[0] <= low[1] && high[1] <= high[0];
}

static gboolean
bounds_meet (PhMatch *match)
{
  double low[2], high[2];

  return intervals (match, low, high) && ph_value_only_user (ph_node_input (match->root, 0)) == match->root
         && MAX (low[0], low[1]) <= MIN (high[0], high[1]);
}

static PhValue *
build_bounds (PhMatch *match, PhBuilder *b)
{
  PhNode *inner = ph_node_input (match->root, 0)->producer;
  PhDType dtype = ph_value_dtype (ph_node_input (match->root, 0));
  double low[2], high[2];
  PhValue *inputs[3] = { ph_node_input (inner, 0) };

  intervals (match, low, high);
  low[0] = MAX (low[0], low[1]);
  high[0] = MIN (high[0], high[1]);
  if (low[0] == 0 && high[0] == INFINITY)
    return PH_BUILD (b, Relu, inputs[0]);
  if (low[0] > -INFINITY)
    inputs[1] = ph_build_scalar (b, dtype, low[0]);
  if (high[0] < INFINITY)
    inputs[2] = ph_build_scalar (b, dtype, high[0]);
  return ph_build_node (b, &ph_op_Clip, inputs, high[0] < INFINITY ? 3 : 2, NULL, 1);
}

static gboolean
has_no_bounds (PhMatch *match)
{
  return ph_node_input (match->root, 1) == NULL && ph_node_input (match->root, 2) == NULL;
}

/* clang-format off */
static const PhRule rules[] = {
  { "no-bounds",  P (Clip, X), X, .when = has_no_bounds, .why = "Without bounds, Clip returns its input unchanged." },
  { "wide-clip",  P (Clip, X), X, .when = is_wider, .matches = "Clip(Clip(x, low, high), low or less, high or more)",
    .becomes = "Clip(x, low, high)",
    .exactness = PH_EXACT_FINITE, .why = "What lies in an interval is not changed by clipping it to a wider one." },
  { "wide-relu",  P (Relu, X), X, .when = is_wider, .matches = "Relu(Clip(x, low of 0 or more, high))",
    .becomes = "Clip(x, low, high)",
    .exactness = PH_EXACT_FINITE, .why = "Relu does not change what is not negative." },
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
