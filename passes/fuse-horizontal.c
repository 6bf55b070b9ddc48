/* fuse-horizontal.c: merges convolutions or products with the same input into one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/recipe.h"
#include "passes/run.h"

/*         x                       x
 *      /  |  \                    |
 *   Conv Conv Conv     =>    Conv (W1 | W2 | W3)
 *     |    |    |                 |
 *                               Split                    */

/* A Split costs a copy, so merging two does not pay. */
#define LEAST 3

typedef struct
{
  PhNode *node;    /* Conv or MatMul                                      */
  PhNode *bias;    /* (nullable) the Add after a MatMul                   */
  PhValue *offset; /* (nullable) the constant that it adds                */
  PhNode *relu;    /* (nullable)                                          */
  PhNode *last;
  gint64 size; /* along the axis that is joined                       */
} Branch;

static const char why_conv[] = "Convolutions of the same form and input are one convolution with more output channels.";
static const char why_matmul[] = "Products with the same left operand are one product with the concatenated right operands.";

/* Returns TRUE if types and shapes are equal except for the size of @axis. */
static gboolean
same_but (PhTensor *a, PhTensor *b, guint axis)
{
  if (ph_tensor_dtype (a) != ph_tensor_dtype (b) || ph_tensor_rank (a) != ph_tensor_rank (b))
    return FALSE;
  for (guint i = 0; i < ph_tensor_rank (a); i++)
    if (i != axis && ph_tensor_dims (a)[i] != ph_tensor_dims (b)[i])
      return FALSE;
  return TRUE;
}

static gboolean
read_branch (PhNode *node, Branch *branch)
{
  PhTensor *weights = ph_node_input (node, 1) != NULL ? ph_value_constant (ph_node_input (node, 1)) : NULL;
  PhNode *user;

  *branch = (Branch) { .node = node, .last = node };
  if (weights == NULL || !ph_dtype_is_float (ph_tensor_dtype (weights)) || ph_node_is_tied (node)
      || ph_value_rank (ph_node_input (node, 0)) < 2)
    return FALSE;
  if (node->op == &ph_op_Conv)
    {
      PhValue *bias = ph_node_input (node, 2);

      if (ph_node_attr_int (node, "group", 1) != 1 || (bias != NULL && ph_value_constant (bias) == NULL))
        return FALSE;
      branch->offset = bias;
      branch->size = ph_tensor_dims (weights)[0];
    }
  else
    {
      if (ph_tensor_rank (weights) != 2)
        return FALSE;
      branch->size = ph_tensor_dims (weights)[1];
      user = ph_value_only_user (ph_node_output (node, 0));
      if (user != NULL && user->op == &ph_op_Add)
        {
          PhValue *other = ph_node_input (user, ph_node_input (user, 0) == ph_node_output (node, 0) ? 1 : 0);
          PhTensor *tensor = ph_value_constant (other);

          if (tensor != NULL && ph_tensor_rank (tensor) == 1 && (gint64) ph_tensor_count (tensor) == branch->size)
            {
              branch->bias = branch->last = user;
              branch->offset = other;
            }
        }
    }
  user = ph_value_only_user (ph_node_output (branch->last, 0));
  if (user != NULL && user->op == &ph_op_Relu)
    branch->relu = branch->last = user;
  return branch->size > 0;
}

static gboolean
fits (const Branch *a, const Branch *b)
{
  PhTensor *v = ph_value_constant (ph_node_input (a->node, 1)), *w = ph_value_constant (ph_node_input (b->node, 1));

  return a->node->op == b->node->op && a->node->graph == b->node->graph && ph_node_same_attrs (a->node, b->node)
         && same_but (v, w, a->node->op == &ph_op_Conv ? 0 : 1) && (a->offset != NULL) == (b->offset != NULL)
         && (a->relu != NULL) == (b->relu != NULL);
}

/* Concatenates the tensors along axis 0, or along the last axis for matrices. */
static PhTensor *
join (GArray *branches, guint what)
{
  const Branch *first = &g_array_index (branches, Branch, 0);
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  g_autofree PhValue **parts = g_new (PhValue *, branches->len);
  gint64 axis = what == 1 && first->node->op == &ph_op_MatMul ? 1 : 0;
  PhTensor *tensor = NULL;

  for (guint i = 0; i < branches->len; i++)
    {
      const Branch *branch = &g_array_index (branches, Branch, i);

      tensor = ph_value_constant (what == 1 ? ph_node_input (branch->node, 1) : branch->offset);
      parts[i] = ph_recipe_constant (recipe, tensor);
    }
  return ph_recipe_tensor (recipe,
                           ph_build_node (ph_recipe_builder (recipe), &ph_op_Concat, parts, branches->len,
                                          PH_ATTRS (ph_attr_new_int ("axis", axis)), 1),
                           ph_tensor_dtype (tensor), NULL);
}

static gboolean
merge (GArray *branches, PhBuilder *b)
{
  const Branch *first = &g_array_index (branches, Branch, 0);
  gboolean conv = first->node->op == &ph_op_Conv;
  PhValue *inputs[3] = { ph_node_input (first->node, 0) }, *y, *parts[2];
  PhTensor *weights = join (branches, 1), *offset = first->offset != NULL ? join (branches, 2) : NULL;
  g_autofree gint64 *sizes = g_new (gint64, branches->len);
  PhNode *split;

  if (weights == NULL || (first->offset != NULL && offset == NULL))
    {
      g_clear_pointer (&weights, ph_tensor_unref);
      return FALSE;
    }
  inputs[1] = ph_build_tensor (b, weights);
  if (offset != NULL)
    inputs[2] = ph_build_tensor (b, offset);
  y = ph_build_like (b, first->node, inputs, conv && offset != NULL ? 3 : 2);
  if (!conv && offset != NULL)
    y = PH_BUILD (b, Add, y, inputs[2]);
  if (first->relu != NULL)
    y = PH_BUILD (b, Relu, y);
  for (guint i = 0; i < branches->len; i++)
    sizes[i] = g_array_index (branches, Branch, i).size;
  parts[0] = y;
  parts[1] = ph_build_ints (b, sizes, branches->len);
  y = ph_build_node (b, &ph_op_Split, parts, 2, PH_ATTRS (ph_attr_new_int ("axis", conv ? 1 : -1)), branches->len);
  if (y == NULL)
    return FALSE;
  split = y->producer;
  for (guint i = 0; i < branches->len; i++)
    {
      PhNode *last = g_array_index (branches, Branch, i).last;
      PhValue *old = ph_node_output (last, 0);
      const char *name = old->name;

      if (!ph_value_replace_uses (old, ph_node_output (split, i), &b->error))
        return FALSE;
      ph_graph_remove_dead (last);
      if (ph_model_find_value_named (b->graph->model, name) == NULL)
        ph_value_rename (ph_node_output (split, i), name, &b->error);
    }
  return b->error == NULL;
}

/* Returns TRUE if the joined result, which Split copies, is smaller than what of the operand need not be read again. Products of matrices gain
 * more: a wide one is faster than several narrow ones. */
static gboolean
pays (GArray *branches)
{
  const Branch *first = &g_array_index (branches, Branch, 0);
  gint64 written = 0;

  for (guint i = 0; i < branches->len; i++)
    written += g_array_index (branches, Branch, i).size;
  return branches->len >= LEAST
         && (first->node->op != &ph_op_Conv
             || written < (branches->len - 1) * ph_tensor_dims (ph_value_constant (ph_node_input (first->node, 1)))[1]);
}

/* Merges all users of @x that are compatible with the first of them. */
static gboolean
merge_readers (PhPassRun *run, PhValue *x, const PhOp *op, GError **error)
{
  g_autoptr (GArray) branches = g_array_new (FALSE, FALSE, sizeof (Branch));
  PhBuilder b;
  Branch branch;

  for (guint u = 0; u < x->uses->len && branches->len < 64; u++)
    {
      const PhUse *use = &g_array_index (x->uses, PhUse, u);

      if (use->node->op == op && use->index == 0 && use->node->graph == x->graph && read_branch (use->node, &branch)
          && (branches->len == 0 || fits (&g_array_index (branches, Branch, 0), &branch)))
        g_array_append_val (branches, branch);
    }
  if (!pays (branches))
    return TRUE;

  PhNode *first = g_array_index (branches, Branch, 0).node;

  for (guint i = 1; i < branches->len; i++)
    if (g_array_index (branches, Branch, i).node->order < first->order)
      first = g_array_index (branches, Branch, i).node;
  b = (PhBuilder) { .graph = x->graph,
                    .before = first,
                    .name = ph_node_output (first, 0)->name,
                    .role = first->role,
                    .partner = first->partner,
                    .device = first->device };
  if (!ph_pass_begin (run, op == &ph_op_Conv ? "parallel-conv" : "parallel-matmul", first,
                      op == &ph_op_Conv ? why_conv : why_matmul))
    return TRUE;
  if (merge (branches, &b))
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  return ph_builder_finish (&b, error);
}

static gboolean
fuse_horizontal (PhPassRun *run, GError **error)
{
  PhModel *model = run->model;

  for (PhId id = 1; id < model->values->len && !run->stopped; id++)
    {
      PhValue *x = ph_model_find_value (model, id);

      if (x == NULL || ph_graph_in_function (x->graph) || x->uses->len < LEAST)
        continue;
      if (!merge_readers (run, x, &ph_op_Conv, error))
        return FALSE;
      x = ph_model_find_value (model, id);
      if (x != NULL && !run->stopped && !merge_readers (run, x, &ph_op_MatMul, error))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "parallel-conv", .root = &ph_op_Conv, .matches = "Conv(x, W1), Conv(x, W2), Conv(x, W3)",
    .becomes = "Split(Conv(x, Concat(W1, W2, W3)))", .exactness = PH_ROUNDING, .why = why_conv },
  { "parallel-matmul", .root = &ph_op_MatMul, .matches = "MatMul(x, A), MatMul(x, B), MatMul(x, C)",
    .becomes = "Split(MatMul(x, Concat(A, B, C)))", .exactness = PH_ROUNDING, .why = why_matmul },
};

/* clang-format off */
const PhPass ph_pass_fuse_horizontal = {
  .name = "fuse-horizontal", .group = "fusion",
  .summary = "Merges convolutions or products of the same input: query, key and value, or the branches of Inception",
  .elsewhere = "TVM CombineParallelConv2D, CombineParallelDense; XLA dot_merger; QKV merging",
  .trap = "the nodes must not depend on each other, and they must have the same operand and attributes.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_horizontal, .exactness = PH_ROUNDING,
};
/* clang-format on */
