/* signed-to-unsigned.c: converts quantized activations to unsigned bytes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*  q = saturate (round (x / s) + z) in -128 .. 127    =>    q + 128 = saturate (round (x / s) + (z + 128)) in 0 .. 255
 *
 * Both ends move by 128 and so does the zero point, so the number that a byte stands for, (q - z) * s, stays. (Not a number
 * has no byte: which one it becomes differs.) Processors whose dot products take one unsigned and one signed operand (AVX2,
 * VNNI) want the activations unsigned, and the weights signed. */

static gboolean
is_constant_int8 (const PhNode *node)
{
  return ph_node_input (node, 2) != NULL && ph_value_constant (ph_node_input (node, 2)) != NULL
         && ph_value_dtype (ph_node_input (node, 2)) == PH_INT8;
}

static gboolean
is_signed_pair (PhMatch *match)
{
  return is_constant_int8 (match->root) && is_constant_int8 (match->node[1])
         && ph_node_attr (match->node[1], "output_dtype") == NULL && ph_value_constant (match->slot[0]) == NULL;
}

/* Builds the node on @x with its zero point shifted. */
static PhValue *
build_unsigned (PhBuilder *b, const PhNode *node, PhValue *x)
{
  PhTensor *zero = ph_value_constant (ph_node_input (node, 2));
  PhTensor *moved = ph_tensor_new (PH_UINT8, ph_tensor_rank (zero), ph_tensor_dims (zero));
  guint8 *bytes = ph_tensor_writable (moved);

  for (gsize i = 0; i < ph_tensor_count (zero); i++)
    bytes[i] = (guint8) (ph_tensor_get_int (zero, i) + 128);
  return ph_build_like (b, node, PH_VALUES_ (x, ph_node_input (node, 1), ph_build_tensor (b, moved)), 3);
}

static PhValue *
build_pair (PhMatch *match, PhBuilder *b)
{
  PhValue *q = build_unsigned (b, match->node[1], match->slot[0]);

  return q != NULL ? build_unsigned (b, match->root, q) : NULL;
}

/* clang-format off */
static const PhRule rules[] = {
  { "unsigned-activation", P (DequantizeLinear, P (QuantizeLinear, X)), .when = is_signed_pair, .build = build_pair, .exactness = PH_EXACT_FINITE,
    .matches = "DequantizeLinear(QuantizeLinear(x, s, const int8 z), t, const int8 z)",
    .becomes = "DequantizeLinear(QuantizeLinear(x, s, uint8 z + 128), t, uint8 z + 128)",
    .why = "Adding 128 to integers and zero point keeps their values; hardware dot products need one unsigned operand." },
};

const PhPass ph_pass_signed_to_unsigned = {
  .name = "signed-to-unsigned", .group = "quantisation", .summary = "Quantises activations to unsigned bytes instead of signed ones",
  .elsewhere = "ONNX Runtime QDQS8ToU8Transformer",
  .trap = "weights stay signed: hardware multiplies an unsigned with a signed byte.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
