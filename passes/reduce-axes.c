/* reduce-axes.c: lets reductions keep their axes in place of an Unsqueeze, and removes reductions over single elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
is_reduction (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_ReduceSum, &ph_op_ReduceMean, &ph_op_ReduceMax, &ph_op_ReduceMin, &ph_op_ReduceProd, &ph_op_ReduceL1, &ph_op_ReduceL2,
    &ph_op_ReduceLogSum, &ph_op_ReduceLogSumExp, &ph_op_ReduceSumSquare, NULL
  };
  /* clang-format on */

  return ph_op_is_any (node->op, ops);
}

/* Returns TRUE if the Unsqueeze restores exactly the axes that the reduction removed. */
static gboolean
puts_axes_back (PhMatch *match)
{
  PhValue *middle = ph_node_input (match->root, 0);
  const PhNode *reduce = middle != NULL ? middle->producer : NULL;
  g_autofree gint64 *taken = NULL, *put = NULL;
  gsize n = 0, m = 0;
  int rank;

  if (reduce == NULL || reduce->graph != match->root->graph || !is_reduction (reduce)
      || ph_value_only_user (middle) != match->root || ph_node_attr_int (reduce, "keepdims", 1) != 0)
    return FALSE;
  rank = ph_value_rank (ph_node_input (reduce, 0));
  taken = ph_node_axes (reduce, 1, rank, &n);
  put = ph_node_axes (match->root, 1, rank, &m);
  if (taken == NULL || put == NULL || n != m || n == 0)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (taken[i] != put[i])
      return FALSE;
  return TRUE;
}

static PhValue *
build_keeping (PhMatch *match, PhBuilder *b)
{
  static const char *const but[] = { "keepdims", NULL };
  const PhNode *reduce = ph_node_input (match->root, 0)->producer;
  g_autofree PhAttr **attrs = ph_node_copy_attrs (reduce, but, NULL);

  return ph_build_node (b, reduce->op, (PhValue **) reduce->inputs->pdata, reduce->inputs->len, attrs, 1);
}

static const PhOp *const of_one[] = { &ph_op_ReduceSum, &ph_op_ReduceMean, &ph_op_ReduceMax,
                                      &ph_op_ReduceMin, &ph_op_ReduceProd, NULL };

/* Returns TRUE if all reduced axes have one element: a sum, mean, maximum, minimum or product of one number is that number. */
static gboolean
reduces_ones (PhMatch *match)
{
  const PhNode *node = match->root;
  const PhValue *x = ph_node_input (node, 0);
  g_autofree gint64 *axes = NULL;
  gsize n = 0;

  if (!ph_op_is_any (node->op, of_one))
    return FALSE;
  axes = ph_node_axes (node, 1, ph_value_rank (x), &n);
  if (axes == NULL || n == 0)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (ph_value_dim (x, axes[i]) != 1)
      return FALSE;
  return TRUE;
}

static PhValue *
build_squeeze (PhMatch *match, PhBuilder *b)
{
  PhValue *x = ph_node_input (match->root, 0);

  if (ph_node_attr_int (match->root, "keepdims", 1) != 0)
    return x;
  return PH_BUILD (b, Squeeze, x, ph_node_input (match->root, 1));
}

/* clang-format off */
static const PhRule rules[] = {
  { "reduce-unsqueeze", .root = &ph_op_Unsqueeze, .when = puts_axes_back, .build = build_keeping,
    .matches = "Unsqueeze(Reduce(x))",
    .becomes = "Reduce<keepdims = 1>(x)", .why = "With keepdims = 1 the reduction keeps the axes that Unsqueeze would insert again." },
  { "reduce-of-ones", .needs = of_one, .when = reduces_ones, .build = build_squeeze, .matches = "Reduce(x) over axes of one element",
    .becomes = "x, or Squeeze(x)", .exactness = PH_EXACT_FINITE,
    .why = "Each reduced axis has size one, so the reduction returns that single element." },
};

const PhPass ph_pass_reduce_axes = {
  .name = "reduce-axes", .group = "algebra", .summary = "Folds Unsqueeze into the reduction before it, and removes reductions over axes of size one",
  .elsewhere = "onnxoptimizer fuse_consecutive_reduce_unsqueeze; XLA; MindSpore reduce_eliminate",
  .trap = "a ReduceLogSum over one element still takes the logarithm; an empty list of axes may mean all or none.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
