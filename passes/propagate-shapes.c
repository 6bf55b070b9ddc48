/* propagate-shapes.c: replaces computations on shapes by their result, known or symbolic.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include "core/ops/infer.h"

/*   x [batch, 8, 4]                          x [batch, 8, 4]
 *    |         \                                  |
 *    |        Shape                               |
 *    |          |                                 |
 *    |       Gather 0                      Reshape [0, 32]
 *    |          |                                 |
 *    |     Concat [_, 32]                =>       y
 *    |       /
 *   Reshape
 *    |
 *    y                                          */

static gboolean
is_index (const PhValue *value)
{
  PhDType dtype = ph_value_dtype (value);

  return (dtype == PH_INT64 || dtype == PH_INT32) && ph_value_rank (value) >= 0 && ph_value_rank (value) <= 1;
}

static gboolean
all_known (const PhDim *dims, int n)
{
  for (int i = 0; i < n; i++)
    if (dims[i].size < 0 && dims[i].symbol != NULL)
      return FALSE;
    else if (dims[i].symbol == NULL && dims[i].size == -1)
      return FALSE;
  return n >= 0;
}

static gboolean
is_known_shape (PhMatch *match)
{
  const PhValue *value = match->root->outputs->len == 1 ? ph_node_output (match->root, 0) : NULL;
  g_autofree PhDim *dims = NULL;
  int n;

  if (value == NULL || !is_index (value) || ph_value_constant (value) != NULL || match->root->graphs != NULL
      || (match->root->op != NULL && (match->root->op->flags & PH_OP_RANDOM)))
    return FALSE;
  n = ph_value_dims (value, &dims); /* separate, because the evaluation order of arguments is unspecified */
  return all_known (dims, n);
}

static PhValue *
build_known_shape (PhMatch *match, PhBuilder *b)
{
  PhValue *value = ph_node_output (match->root, 0);
  g_autofree PhDim *dims = NULL;
  int n = ph_value_dims (value, &dims);
  gint64 rank_dims[] = { n };
  PhTensor *tensor;

  if (n < 0 || (ph_value_rank (value) == 0 && n != 1))
    return NULL;
  tensor = ph_tensor_new (ph_value_dtype (value), ph_value_rank (value), rank_dims);
  if (tensor == NULL)
    return NULL;
  for (int i = 0; i < n; i++)
    ph_dtype_store_int (ph_value_dtype (value), ph_tensor_writable (tensor), i, dims[i].size);
  return ph_build_tensor (b, tensor);
}

/* Writes the target of a Reshape, with 0 for a copied dimension and -1 for the one inferred from the others. Returns FALSE if it cannot be
 * written so; -1 is ambiguous if another dimension may be zero. */
static gboolean
write_target (const PhNode *node, const PhDim *dims, int n, gint64 *target)
{
  const PhValue *x = ph_node_input (node, 0);
  gboolean may_copy = ph_node_attr_int (node, "allowzero", 0) == 0;
  gboolean copies_symbol = FALSE, has_zero = FALSE;
  int free_dims = 0;

  for (int i = 0; i < n; i++)
    {
      gboolean copies = may_copy && i < ph_value_rank (x) && ph_dim_equal (x->type->dims[i], dims[i]);

      if (dims[i].symbol == NULL && dims[i].size != -1)
        {
          target[i] = dims[i].size;
          if (target[i] == 0 && may_copy && !copies)
            return FALSE;
          has_zero |= target[i] == 0;
        }
      else if (copies)
        {
          target[i] = 0;
          copies_symbol = TRUE;
        }
      else
        {
          target[i] = -1;
          free_dims++;
        }
    }
  return free_dims == 0 || (free_dims == 1 && !has_zero && !copies_symbol);
}

static gboolean
target_can_be_written (PhMatch *match)
{
  PhValue *shape = ph_node_input (match->root, 1);
  g_autofree PhDim *dims = NULL;
  gint64 target[PH_MAX_RANK];
  int n;

  if (shape == NULL || ph_value_constant (shape) != NULL)
    return FALSE;
  n = ph_value_dims (shape, &dims);
  return n >= 0 && n <= PH_MAX_RANK && write_target (match->root, dims, n, target);
}

static gboolean
set_target (PhMatch *match, PhBuilder *b)
{
  PhValue *shape = ph_node_input (match->root, 1), *constant;
  PhNode *producer = shape->producer;
  g_autofree PhDim *dims = NULL;
  gint64 target[PH_MAX_RANK];
  int n = ph_value_dims (shape, &dims);

  if (n < 0 || !write_target (match->root, dims, n, target))
    return FALSE;
  b->name = shape->name;
  constant = ph_build_ints (b, target, n);
  if (constant == NULL || !ph_node_set_input (match->root, 1, constant, &b->error))
    return FALSE;
  if (producer != NULL)
    ph_graph_remove_dead (producer);
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "known-shape", .when = is_known_shape, .build = build_known_shape, .matches = "f(Shape(x))",
    .becomes = "initializer",
    .why = "It depends only on shapes that are known, so its value is a constant." },
  { "reshape-target", .root = &ph_op_Reshape, .when = target_can_be_written, .apply = set_target,
    .becomes = "Reshape(x, [0, ..., -1])",
    .why = "Reshape can copy an unknown dimension from its input (0) or infer one from the element count (-1)." },
};

const PhPass ph_pass_propagate_shapes = {
  .name = "propagate-shapes", .group = "constants",
  .summary = "Folds computations on shapes into constants where the shapes are known or symbolic",
  .elsewhere = "ONNX Runtime's and onnx's data propagation; TVM CanonicalizeShapeExpr",
  .trap = "a symbol may be 0; two symbols that were equal in one run need not be.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
