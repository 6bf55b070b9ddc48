/* requantise.c: quantising twice in a row becomes quantising once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static PhValue *
build_once (PhMatch *match, PhBuilder *b)
{
  g_autofree PhValue **inputs = g_memdup2 (match->root->inputs->pdata, match->root->inputs->len * sizeof (PhValue *));

  inputs[0] = match->slot[0];
  return ph_build_like (b, match->root, inputs, match->root->inputs->len);
}

/* The same scale is no loss, and qdq sees to that. */
static gboolean
is_float (PhMatch *match)
{
  return ph_value_is_float (match->slot[0])
         && ph_value_dtype (match->slot[0]) == ph_value_dtype (ph_node_output (match->node[1], 0));
}

static const PhRule rules[] = {
  { "double-pair", P (QuantizeLinear, P (DequantizeLinear, P (QuantizeLinear, X))), .when = is_float, .build = build_once,
    .becomes = "QuantizeLinear(x)", .exactness = PH_LOSSY,
    .why = "Rounding to one grid and then to another is rounding to the other, but for what falls between." },
};

/* clang-format off */
const PhPass ph_pass_requantise = {
  .name = "requantise", .group = "quantisation", .summary = "Quantises once what is quantised twice in a row",
  .elsewhere = "ONNX Runtime DoubleQDQPairsRemover",
  .trap = "it changes results by a step of the coarser grid: lossy, and in no pipeline.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
