/* qdq-to-qlinear.c: replaces computations on dequantized bytes by the QLinear operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* clang-format off */
enum { SLOT_A, SLOT_A_SCALE, SLOT_A_ZERO, SLOT_B, SLOT_B_SCALE, SLOT_B_ZERO, SLOT_Y_SCALE, SLOT_Y_ZERO, SLOT_BIAS,
       SLOT_BIAS_SCALE };

/* Returns TRUE if all scales are per tensor and all zero points are given, as the QLinear operators require. */
static gboolean
is_quantised (PhMatch *match)
{
  for (guint i = 0; i < 3; i++)
    {
      guint scale = i == 2 ? SLOT_Y_SCALE : 3 * i + 1;

      if (!ph_value_is_single (match->slot[scale]) || ph_value_constant (match->slot[scale]) == NULL ||
          ph_value_constant (match->slot[scale + 1]) == NULL || !ph_value_is_single (match->slot[scale + 1]) ||
          ph_value_dtype (match->slot[scale]) != PH_FLOAT)
        return FALSE;
    }
  return (ph_value_dtype (match->slot[SLOT_A]) == PH_UINT8 || ph_value_dtype (match->slot[SLOT_A]) == PH_INT8) &&
         (ph_value_dtype (match->slot[SLOT_B]) == PH_UINT8 || ph_value_dtype (match->slot[SLOT_B]) == PH_INT8) &&
         (ph_value_dtype (match->slot[SLOT_Y_ZERO]) == PH_UINT8 || ph_value_dtype (match->slot[SLOT_Y_ZERO]) == PH_INT8);
}
/* clang-format on */

static gboolean
is_quantised_conv (PhMatch *match)
{
  return is_quantised (match) && ph_node_input (match->node[1], 2) == NULL;
}

/* Returns TRUE if the bias has the product of both scales as its scale, which QLinearConv assumes. */
static gboolean
has_quantised_bias (PhMatch *match)
{
  PhTensor *scale = ph_value_constant (match->slot[SLOT_BIAS_SCALE]);
  PhValue *zero = ph_node_input (match->node[4], 2);
  double a, b, z = 0;

  if (!is_quantised (match) || scale == NULL || ph_value_dtype (match->slot[SLOT_BIAS]) != PH_INT32
      || !ph_value_number (match->slot[SLOT_A_SCALE], &a) || !ph_value_number (match->slot[SLOT_B_SCALE], &b)
      || (zero != NULL && (!ph_value_number (zero, &z) || z != 0)))
    return FALSE;
  for (gsize i = 0; i < ph_tensor_count (scale); i++)
    if (fabs (ph_tensor_get (scale, i) - a * b) > 1e-5 * fabs (a * b))
      return FALSE;
  return TRUE;
}

static PhValue *
build_matmul (PhMatch *match, PhBuilder *b)
{
  return ph_build_node (b, &ph_op_QLinearMatMul, match->slot, 8, NULL, 1);
}

static PhValue *
build_conv (PhMatch *match, PhBuilder *b)
{
  g_autofree PhAttr **attrs = ph_node_copy_attrs (match->node[1], NULL, NULL);

  return ph_build_node (b, &ph_op_QLinearConv, match->slot, 8, attrs, 1);
}

static PhValue *
build_conv_bias (PhMatch *match, PhBuilder *b)
{
  g_autofree PhAttr **attrs = ph_node_copy_attrs (match->node[1], NULL, NULL);

  return ph_build_node (b, &ph_op_QLinearConv, match->slot, 9, attrs, 1);
}

/* What is dequantized may have other users, as the input of query, key and value. */
#define DQ(slot_) P_SHARED (DequantizeLinear, VAR (slot_), VAR ((slot_) + 1), VAR ((slot_) + 2))
#define Q(of_)    P (QuantizeLinear, of_, VAR (SLOT_Y_SCALE), VAR (SLOT_Y_ZERO))

/* clang-format off */
static const PhRule rules[] = {
  { "qlinear-matmul", Q (P (MatMul, DQ (SLOT_A), DQ (SLOT_B))), .when = is_quantised, .build = build_matmul, .exactness = PH_LOSSY,
    .becomes = "QLinearMatMul(x, y, z, w, v, u, t, s)",
    .why = "The product is computed on integers without floats in between; it may round to a neighbouring integer." },
  { "qlinear-conv", Q (P (Conv, DQ (SLOT_A), DQ (SLOT_B))), .when = is_quantised_conv, .build = build_conv, .exactness = PH_LOSSY,
    .becomes = "QLinearConv(x, y, z, w, v, u, t, s)",
    .why = "The convolution is computed on integers without floats in between; it may round to a neighbouring integer." },
  { "qlinear-conv-bias", Q (P (Conv, DQ (SLOT_A), DQ (SLOT_B), P (DequantizeLinear, VAR (SLOT_BIAS), VAR (SLOT_BIAS_SCALE)))),
    .when = has_quantised_bias, .build = build_conv_bias, .exactness = PH_LOSSY, .becomes = "QLinearConv(x, y, z, w, v, u, t, s, bias)",
    .why = "The convolution is computed on integers; the bias becomes an integer in steps of the product of both scales." },
};

const PhPass ph_pass_qdq_to_qlinear = {
  .name = "qdq-to-qlinear", .group = "quantisation", .summary = "Replaces float operators between dequantisation and quantisation by integer operators",
  .elsewhere = "ONNX Runtime QDQSelectorActionTransformer; TVM FakeQuantizationToInteger",
  .trap = "the scale of the integer bias must be exactly sx * sw, and all scales must be constant.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
