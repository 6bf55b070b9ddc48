/* chain-operators.c: the operators for which chains have loops.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/chain-operators.h"

#include "core/ops/op-list.h"
#include "core/run/chain.h"
#include "core/run/lanes.h"

/* clang-format off */
static const PhChainOperator rows[] = {
#define ONE(op_, lane_, ...) { &ph_op_##op_, PH_CHAIN_UNARY, PH_LANE_##lane_, { __VA_ARGS__ } }
  ONE (Identity, COPY), ONE (Neg, NEG), ONE (Abs, ABS), ONE (Sqrt, SQRT), ONE (Reciprocal, RECIPROCAL), ONE (Exp, EXP), ONE (Tanh, TANH),
  ONE (Sigmoid, SIGMOID), ONE (Erf, ERF), ONE (Gelu, GELU), ONE (Relu, RELU), ONE (LeakyRelu, LEAKY_RELU, { "alpha", 0.01f }),
  ONE (HardSigmoid, HARD_SIGMOID, { "alpha", 0.2f }, { "beta", 0.5f }), ONE (HardSwish, HARD_SWISH), ONE (Swish, SWISH, { "alpha", 1 }),
  ONE (Log, LOG), ONE (Elu, ELU, { "alpha", 1 }), ONE (Celu, CELU, { "alpha", 1 }), ONE (Softplus, SOFTPLUS), ONE (Softsign, SOFTSIGN),
  ONE (Selu, SELU, { "alpha", 1.67326319217681884765625f }, { "gamma", 1.05070102214813232421875f }), ONE (Mish, MISH),
  ONE (ThresholdedRelu, THRESHOLDED_RELU, { "alpha", 1 }), ONE (Shrink, SHRINK, { "lambd", 0.5f }, { "bias", 0 }), ONE (Sign, SIGN),
  ONE (Ceil, CEIL), ONE (Floor, FLOOR), ONE (Round, ROUND), ONE (Sin, SIN), ONE (Cos, COS), ONE (Asin, ASIN),
  ONE (Acos, ACOS), ONE (Atan, ATAN),
#undef ONE
  { &ph_op_Add, PH_CHAIN_BINARY, PH_LANE_ADD }, { &ph_op_Sub, PH_CHAIN_BINARY, PH_LANE_SUB }, { &ph_op_Mul, PH_CHAIN_BINARY, PH_LANE_MUL },
  { &ph_op_Div, PH_CHAIN_BINARY, PH_LANE_DIV }, { &ph_op_Max, PH_CHAIN_BINARY, PH_LANE_MAX }, { &ph_op_Min, PH_CHAIN_BINARY, PH_LANE_MIN },
  { &ph_op_Clip, PH_CHAIN_BINARY, PH_LANE_MAX }, { &ph_op_PRelu, PH_CHAIN_BINARY, PH_LANE_PRELU }, { &ph_op_Pow, PH_CHAIN_BINARY, PH_LANE_POW }, { &ph_op_Where, PH_CHAIN_WHERE, 0 },
};
/* clang-format on */

const PhChainOperator *
ph_chain_operator (const PhNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == node->op)
      return &rows[i];
  return NULL;
}

gboolean
ph_chain_takes (const PhNode *node)
{
  const PhChainOperator *row = ph_chain_operator (node);

  if (row == NULL || node->outputs->len != 1)
    return FALSE;
  if (node->op == &ph_op_Max || node->op == &ph_op_Min)
    return node->inputs->len == 2;
  return TRUE;
}
