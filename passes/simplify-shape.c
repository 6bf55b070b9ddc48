/* simplify-shape.c: takes shapes from before operators that do not change them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Shape (Relu (x)) equals Shape (x). */
static gboolean
asks_through_unary (PhMatch *match)
{
  PhValue *x = ph_node_input (match->root, 0);
  const PhNode *inner = x != NULL ? x->producer : NULL;

  if (match->root->op == NULL || !(match->root->op->flags & PH_OP_SHAPE_ONLY)
      || (match->root->op != &ph_op_Shape && match->root->op != &ph_op_Size) || inner == NULL || inner->op == NULL
      || inner->graph != match->root->graph || inner->inputs->len == 0 || x->output != 0)
    return FALSE;
  if (inner->op == &ph_op_Softmax || inner->op == &ph_op_LogSoftmax || inner->op == &ph_op_LayerNormalization
      || inner->op == &ph_op_Dropout)
    return TRUE;
  if (!(inner->op->flags & PH_OP_ELEMENTWISE) || inner->outputs->len != 1)
    return FALSE;
  for (guint i = 1; i < inner->inputs->len; i++)
    if (ph_node_input (inner, i) != NULL && ph_value_rank (ph_node_input (inner, i)) != 0)
      return FALSE;
  return TRUE;
}

static PhValue *
build_before (PhMatch *match, PhBuilder *b)
{
  PhValue *x = ph_node_input (ph_node_input (match->root, 0)->producer, 0);

  return ph_build_like (b, match->root, &x, 1);
}

/* clang-format off */
static const PhRule rules[] = {
  { "shape-of-elementwise", .root = &ph_op_Shape, .when = asks_through_unary, .build = build_before,
    .matches = "Shape(f(x))",
    .becomes = "Shape(x)", .why = "The operator preserves the shape of its input." },
  { "size-of-elementwise", .root = &ph_op_Size, .when = asks_through_unary, .build = build_before,
    .matches = "Size(f(x))",
    .becomes = "Size(x)", .why = "The operator preserves the number of elements of its input." },
};

const PhPass ph_pass_simplify_shape = {
  .name = "simplify-shape", .group = "constants", .summary = "Reads shapes and sizes before operators that preserve them",
  .elsewhere = "ONNX Runtime PreShapeNodeElimination; onnxoptimizer eliminate_shape_op, eliminate_shape_gather",
  .trap = "only an operator that keeps every dimension can be skipped.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
