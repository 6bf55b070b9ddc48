/* requantise.c: merges two consecutive quantizations into one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static PhValue *
build_once (PhMatch *match, PhBuilder *b)
{
  g_autofree PhValue **inputs = g_memdup2 (match->root->inputs->pdata, match->root->inputs->len * sizeof (PhValue *));

  inputs[0] = match->slot[0];
  return ph_build_like (b, match->root, inputs, match->root->inputs->len);
}

/* One scale and zero point, and the range of the integers. */
typedef struct
{
  double scale, zero, least, most;
} Grid;

static gboolean
read_grid (const PhNode *node, PhDType dtype, Grid *grid)
{
  const PhValue *zero = ph_node_input (node, 2);
  const int bits = 8 * (int) ph_dtype_size (dtype);

  if ((dtype != PH_INT8 && dtype != PH_UINT8 && dtype != PH_INT16 && dtype != PH_UINT16)
      || !ph_value_is_single (ph_node_input (node, 1)) || !ph_value_number (ph_node_input (node, 1), &grid->scale)
      || grid->scale <= 0 || (zero != NULL && (!ph_value_is_single (zero) || !ph_value_number (zero, &grid->zero))))
    return FALSE;
  if (zero == NULL)
    grid->zero = 0;
  grid->least = ph_dtype_is_signed (dtype) ? -(double) (1 << (bits - 1)) : 0;
  grid->most = grid->least + (1 << bits) - 1;
  return TRUE;
}

/* Returns TRUE if the first grid covers the range of the second, or its saturation would show in the result, and its steps are at most two
 * steps of the second. Equal scales are left to qdq. */
static gboolean
is_finer_within (PhMatch *match)
{
  const PhNode *dequantise = match->node[1], *first = match->node[2];
  const PhDType dtype = ph_value_dtype (ph_node_output (first, 0));
  Grid inner, back, outer;

  return ph_value_is_float (match->slot[0]) && ph_value_dtype (match->slot[0]) == ph_value_dtype (ph_node_output (dequantise, 0))
         && read_grid (first, dtype, &inner) && read_grid (dequantise, dtype, &back)
         && read_grid (match->root, ph_value_dtype (ph_node_output (match->root, 0)), &outer) && inner.scale == back.scale
         && inner.zero == back.zero && inner.scale <= 2 * outer.scale
         && (inner.least - inner.zero) * inner.scale <= (outer.least - outer.zero) * outer.scale
         && (inner.most - inner.zero) * inner.scale >= (outer.most - outer.zero) * outer.scale;
}

static const PhRule rules[] = {
  { "double-pair", P (QuantizeLinear, P (DequantizeLinear, P (QuantizeLinear, X))), .when = is_finer_within, .build = build_once,
    .becomes = "QuantizeLinear(x)", .exactness = PH_LOSSY,
    .why = "Quantising once to the last grid gives nearly the same result; it may differ by one step." },
};

/* clang-format off */
const PhPass ph_pass_requantise = {
  .name = "requantise", .group = "quantisation", .summary = "Merges two quantisations in a row into one",
  .elsewhere = "ONNX Runtime DoubleQDQPairsRemover",
  .trap = "it may change results by one step, so it is lossy and in no pipeline.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
