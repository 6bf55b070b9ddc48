/* merge-reshapes.c: merges consecutive Reshapes into the last one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
only_reshapes (const PhNode *node)
{
  return node->op == &ph_op_Reshape || node->op == &ph_op_Flatten || node->op == &ph_op_Squeeze || node->op == &ph_op_Unsqueeze;
}

static PhNode *
inner_reshape (const PhNode *node)
{
  PhValue *x = ph_node_input (node, 0);

  return x != NULL && x->producer != NULL && x->producer->graph == node->graph && only_reshapes (x->producer) ? x->producer
                                                                                                              : NULL;
}

/* Computes the target shape with at most one free dimension; a 0, which copies from the intermediate shape, is replaced by the known size.
 * Returns FALSE if it cannot be written without the intermediate shape. */
static gboolean
final_target (const PhNode *node, gint64 *target)
{
  const PhValue *y = ph_node_output (node, 0), *x = ph_node_input (ph_node_input (node, 0)->producer, 0);
  int rank = ph_value_rank (y), n_free = 0;
  gboolean zero = FALSE;

  if (rank < 0)
    return FALSE;
  for (int i = 0; i < rank; i++)
    {
      target[i] = y->type->dims[i].size;
      if (y->type->dims[i].symbol != NULL || target[i] < 0)
        {
          target[i] = -1;
          n_free++;
        }
      zero |= target[i] == 0;
    }
  if (zero || n_free <= 1)
    return !zero;
  /* A single free dimension follows from the count; several must be those of the input at the same axes, which are copied. */
  for (int i = 0; i < rank; i++)
    if (target[i] == -1)
      {
        if (i >= ph_value_rank (x) || !ph_dim_equal (y->type->dims[i], x->type->dims[i]))
          return FALSE;
        target[i] = 0;
      }
  return TRUE;
}

static gboolean
reshapes_twice (PhMatch *match)
{
  gint64 target[PH_MAX_RANK];

  return match->root->op != NULL && only_reshapes (match->root) && inner_reshape (match->root) != NULL
         && final_target (match->root, target);
}

static PhValue *
build_once (PhMatch *match, PhBuilder *b)
{
  PhValue *x = ph_node_input (inner_reshape (match->root), 0);
  gint64 target[PH_MAX_RANK];

  if (ph_value_same_type (x, ph_node_output (match->root, 0)))
    return x;
  final_target (match->root, target);
  return PH_BUILD (b, Reshape, x, ph_build_ints (b, target, ph_value_rank (ph_node_output (match->root, 0))));
}

/* clang-format off */
static const PhRule rules[] = {
  { "reshape-reshape", .when = reshapes_twice, .build = build_once, .matches = "Reshape(Reshape(x))",
    .becomes = "Reshape(x), of Reshape(Reshape(x))",
    .why = "A reshape keeps the order of the elements, so only the last shape matters." },
};

const PhPass ph_pass_merge_reshapes = {
  .name = "merge-reshapes", .group = "simplify", .summary = "Merges chains of Reshape, Flatten, Squeeze and Unsqueeze",
  .elsewhere = "onnxoptimizer eliminate_consecutive_idempotent_ops; ONNX Runtime ReshapeFusion",
  .trap = "a 0 copies from the tensor between the two: [2,6] to [3,4] to [0,-1] is 3 by 4. onnxoptimizer makes it 2 "
          "by 6.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
