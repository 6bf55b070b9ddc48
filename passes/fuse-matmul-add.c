/* fuse-matmul-add.c: replaces a matrix product and a bias by one Gemm.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Gemm takes matrices only, and its bias must not broadcast the product. */
static gboolean
is_gemm (PhMatch *match)
{
  return ph_value_rank (match->slot[0]) == 2 && ph_value_rank (match->slot[1]) == 2 && ph_value_is_float (match->slot[0])
         && ph_value_broadcasts_into (match->slot[2], ph_node_output (match->node[1], 0));
}

static PhValue *
build_gemm (PhMatch *match, PhBuilder *b)
{
  return ph_build_node (b, &ph_op_Gemm, match->slot, 3, NULL, 1);
}

/* Returns TRUE for a Gemm without bias whose sum with the other operand fits as one. */
static gboolean
has_room_for_bias (PhMatch *match)
{
  const PhNode *gemm = match->node[1];

  return ph_node_input (gemm, 2) == NULL && ph_value_is_float (match->slot[0])
         && ph_value_broadcasts_into (match->slot[2], ph_node_output (gemm, 0));
}

static PhValue *
build_biased (PhMatch *match, PhBuilder *b)
{
  static const char *const but[] = { "beta", NULL };
  g_autofree PhAttr **attrs = ph_node_copy_attrs (match->node[1], but, NULL);

  return ph_build_node (b, &ph_op_Gemm, match->slot, 3, attrs, 1);
}

/* clang-format off */
static const PhRule rules[] = {
  { "matmul-add", P (Add, P (MatMul, X, Y), Z), .when = is_gemm, .build = build_gemm, .becomes = "Gemm(x, y, z)",
    .exactness = PH_ROUNDING, .why = "Gemm computes a matrix product plus a bias in one operator." },
  { "gemm-add",   P (Add, P (Gemm, X, Y), Z), .when = has_room_for_bias, .build = build_biased, .becomes = "Gemm(x, y, z)",
    .exactness = PH_ROUNDING, .why = "Gemm adds a bias itself, so it needs no Add after it." },
};

const PhPass ph_pass_fuse_matmul_add = {
  .name = "fuse-matmul-add", .group = "fusion", .summary = "Fuses a matrix product and the bias added to it into Gemm",
  .elsewhere = "ONNX Runtime MatMulAddFusion; onnxoptimizer fuse_matmul_add_bias_into_gemm",
  .trap = "a vector is not a matrix; a bias of higher rank enlarges the sum.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
