/* qdq-bounds.c: removes bounds that quantization enforces anyway.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* Computes the range of a QuantizeLinear: [least, most], in real numbers, over all channels. Returns FALSE if it is unknown. */
static gboolean
quantised_range (const PhNode *quantise, double *least, double *most)
{
  PhTensor *scale = ph_value_constant (ph_node_input (quantise, 1));
  PhTensor *zero = ph_node_input (quantise, 2) != NULL ? ph_value_constant (ph_node_input (quantise, 2)) : NULL;
  PhDType dtype = ph_value_dtype (ph_node_output (quantise, 0));
  double low, high;

  if (scale == NULL || ph_tensor_count (scale) == 0 || (ph_node_input (quantise, 2) != NULL && zero == NULL)
      || (dtype != PH_UINT8 && dtype != PH_INT8 && dtype != PH_UINT16 && dtype != PH_INT16))
    return FALSE;
  low = dtype == PH_INT8 ? -128 : dtype == PH_INT16 ? -32768 : 0;
  high = dtype == PH_INT8 ? 127 : dtype == PH_INT16 ? 32767 : dtype == PH_UINT8 ? 255 : 65535;
  *least = INFINITY;
  *most = -INFINITY;
  for (gsize i = 0; i < MAX (ph_tensor_count (scale), zero != NULL ? ph_tensor_count (zero) : 1); i++)
    {
      double s = ph_tensor_get (scale, MIN (i, ph_tensor_count (scale) - 1));
      double z = zero != NULL ? ph_tensor_get (zero, MIN (i, ph_tensor_count (zero) - 1)) : 0;

      if (!(s > 0) || !isfinite (s))
        return FALSE;
      *least = MIN (*least, (low - z) * s);
      *most = MAX (*most, (high - z) * s);
    }
  return TRUE;
}

static gboolean
saturates_below_zero (PhMatch *match)
{
  double least, most;

  return quantised_range (match->root, &least, &most) && least >= 0;
}

/* Reads a bound, or @otherwise if it is absent. */
static gboolean
read_bound (const PhValue *value, double otherwise, double *bound)
{
  *bound = otherwise;
  return value == NULL || ph_value_number (value, bound);
}

static gboolean
saturates_before_clip (PhMatch *match)
{
  const PhNode *clip = match->node[1];
  double least, most, low, high;

  return quantised_range (match->root, &least, &most) && read_bound (ph_node_input (clip, 1), -INFINITY, &low)
         && read_bound (ph_node_input (clip, 2), INFINITY, &high) && low <= least && high >= most;
}

static PhValue *
build_without (PhMatch *match, PhBuilder *b)
{
  g_autofree PhValue **inputs = g_memdup2 (match->root->inputs->pdata, match->root->inputs->len * sizeof (PhValue *));

  inputs[0] = match->slot[0];
  return ph_build_like (b, match->root, inputs, match->root->inputs->len);
}

/* clang-format off */
static const PhRule rules[] = {
  { "relu-before-quantise", P (QuantizeLinear, P (Relu, X)), .when = saturates_below_zero, .build = build_without,
    .becomes = "QuantizeLinear(x)", .why = "Quantisation saturates negative values to its least integer, which represents zero, as Relu does." },
  { "clip-before-quantise", P (QuantizeLinear, P (Clip, X)), .when = saturates_before_clip, .build = build_without,
    .becomes = "QuantizeLinear(x)", .why = "The quantised range lies within the bounds, so quantisation saturates before Clip would." },
};

const PhPass ph_pass_qdq_bounds = {
  .name = "qdq-bounds", .group = "quantisation", .summary = "Removes Relu and Clip where quantisation saturates to the same range",
  .elsewhere = "ONNX Runtime ReluQuantFusion, ClipQuantFusion",
  .trap = "Relu may only go where the zero point is exactly the least value of the type.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
