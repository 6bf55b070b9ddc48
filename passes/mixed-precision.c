/* mixed-precision.c: computes matrix products in half precision and leaves all else unchanged.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
is_float_product (PhMatch *match)
{
  const PhNode *node = match->root;

  if ((node->op != &ph_op_MatMul && node->op != &ph_op_Gemm && node->op != &ph_op_Conv) || ph_node_is_tied (node))
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_value_dtype (ph_node_input (node, i)) != PH_FLOAT)
      return FALSE;
  return TRUE;
}

static PhValue *
build_half (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root;
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  PhValue *y;

  for (guint i = 0; i < node->inputs->len; i++)
    if (inputs[i] != NULL)
      inputs[i] = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT16)), inputs[i]);
  y = ph_build_like (b, node, inputs, node->inputs->len);
  return y != NULL ? PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT)), y) : NULL;
}

static const PhRule rules[] = {
  { "half-product", .when = is_float_product, .build = build_half, .matches = "MatMul(x, y)",
    .becomes = "Cast<float>(MatMul(Cast<float16>(x), Cast<float16>(y)))", .exactness = PH_LOSSY,
    .why = "Matrix products take most of the time and tolerate half precision best; other operators stay in float." },
};

/* clang-format off */
const PhPass ph_pass_mixed_precision = {
  .name = "mixed-precision", .group = "algebra", .summary = "Computes matrix products and convolutions in half precision",
  .elsewhere = "NVIDIA AMP; TVM ToMixedPrecision; ONNX Runtime InsertCastTransformer",
  .trap = "16-bit floats end at 65504: sums of squares in a LayerNormalization or a Softmax's exponents overflow.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
