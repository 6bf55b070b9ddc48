/* fuse-transpose-gemm.c: folds transpositions of the operands of Gemm and MatMul into a Gemm.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns the Transpose that exchanges rows and columns of a matrix: transA and transB express no other permutation, and the bias has no
 * flag. */
static const PhNode *
transposition (const PhNode *node, guint input)
{
  const PhNode *producer = ph_node_input (node, input) != NULL ? ph_node_input (node, input)->producer : NULL;
  g_autofree gint64 *perm = NULL;
  int rank;

  if (producer == NULL || producer->op != &ph_op_Transpose || producer->graph != node->graph)
    return NULL;
  perm = ph_node_perm (producer, &rank);
  return perm != NULL && rank == 2 && perm[0] == 1 && perm[1] == 0 ? producer : NULL;
}

static gboolean
has_transposed_operand (PhMatch *match)
{
  const PhNode *node = match->root;

  return ph_value_rank (ph_node_input (node, 0)) == 2 && ph_value_rank (ph_node_input (node, 1)) == 2
         && ph_value_is_float (ph_node_input (node, 0)) && (transposition (node, 0) != NULL || transposition (node, 1) != NULL);
}

static PhValue *
build_gemm (PhMatch *match, PhBuilder *b)
{
  static const char *const but[] = { "transA", "transB", NULL };
  const PhNode *node = match->root, *a = transposition (node, 0), *c = transposition (node, 1);
  gint64 trans_a = ph_node_attr_int (node, "transA", 0), trans_b = ph_node_attr_int (node, "transB", 0);
  g_autofree PhAttr **attrs = NULL;
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  guint n;

  attrs = ph_node_copy_attrs (node, but, &n);
  if (a != NULL)
    {
      inputs[0] = ph_node_input (a, 0);
      trans_a = !trans_a;
    }
  if (c != NULL)
    {
      inputs[1] = ph_node_input (c, 0);
      trans_b = !trans_b;
    }
  if (trans_a)
    attrs[n++] = ph_attr_new_int ("transA", 1);
  if (trans_b)
    attrs[n++] = ph_attr_new_int ("transB", 1);
  return ph_build_node (b, &ph_op_Gemm, inputs, node->inputs->len, attrs, 1);
}

/* clang-format off */
static const PhRule rules[] = {
  { "transpose-gemm", .root = &ph_op_Gemm, .when = has_transposed_operand, .build = build_gemm, .matches = "Gemm(Transpose(x), Transpose(y), z)",
    .becomes = "Gemm<transA, transB>(x, y, z)",
    .exactness = PH_ROUNDING, .why = "Gemm reads its operands transposed where transA and transB say so." },
  { "transpose-matmul", .root = &ph_op_MatMul, .when = has_transposed_operand, .build = build_gemm, .matches = "MatMul(Transpose(x), y)",
    .becomes = "Gemm<transA, transB>(x, y)",
    .exactness = PH_ROUNDING, .why = "Gemm reads its operands transposed where transA and transB say so." },
};

const PhPass ph_pass_fuse_transpose_gemm = {
  .name = "fuse-transpose-gemm", .group = "fusion", .summary = "Folds transpositions into the matrix products that read them",
  .elsewhere = "ONNX Runtime GemmTransposeFusion, MatmulTransposeFusion; onnxoptimizer fuse_transpose_into_gemm",
  .trap = "ONNX Runtime once took any Transpose for an exchange of two axes; Gemm cannot transpose its bias.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
