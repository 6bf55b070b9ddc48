/* fuse-activation.c: fuses elementwise operators into the preceding convolution or matrix product.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/fuse.h"
#include "passes/rule.h"

/*     x     W               x   W   y
 *      \   /               ┌─\──|──/─┐
 *       Conv    y          │   Conv  │
 *         \    /      =>   │   Add   │ ConvAddRelu
 *          Add             │   Relu  │
 *           |              └────|────┘
 *          Relu                                      */

static gboolean
is_activation (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_Relu, &ph_op_LeakyRelu, &ph_op_Sigmoid, &ph_op_Tanh, &ph_op_Clip, &ph_op_HardSigmoid, &ph_op_HardSwish,
    &ph_op_Elu, &ph_op_Selu, &ph_op_Softplus, &ph_op_Softsign, &ph_op_Gelu, &ph_op_Mish, &ph_op_PRelu, &ph_op_ThresholdedRelu, NULL
  };
  /* clang-format on */

  return ph_op_is_any (node->op, ops);
}

/* Returns TRUE for one of @ops, or for a fused node that contains one, as its name tells. */
static gboolean
is_heavy (const PhNode *node, const PhOp *const *ops)
{
  if (node->op == NULL && !ph_node_is_fused (node))
    return FALSE;
  if (node->outputs->len != 1)
    return FALSE;
  for (; *ops != NULL; ops++)
    if (node->op != NULL ? node->op == *ops : g_str_has_prefix (node->op_type, (*ops)->name))
      return TRUE;
  return FALSE;
}

static const PhOp *const convolutions[] = { &ph_op_Conv, &ph_op_ConvTranspose, NULL };
static const PhOp *const products[] = { &ph_op_Gemm, &ph_op_MatMul, NULL };

/* Returns the producer of @value if it is one of @ops and @user is its only user. */
static PhNode *
private_producer (const PhValue *value, const PhNode *user, const PhOp *const *ops)
{
  PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && node->graph == user->graph && ph_value_only_user (value) == user && is_heavy (node, ops) ? node : NULL;
}

static gboolean
activates (PhMatch *match, const PhOp *const *ops)
{
  const PhNode *node = match->root;

  if (node->op == NULL || !is_activation (node) || private_producer (ph_node_input (node, 0), node, ops) == NULL)
    return FALSE;
  for (guint i = 1; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_value_constant (ph_node_input (node, i)) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
activates_convolution (PhMatch *match)
{
  return activates (match, convolutions);
}

static gboolean
activates_product (PhMatch *match)
{
  return activates (match, products);
}

static gboolean
fuse_pair (PhNode *first, PhNode *second, PhBuilder *b)
{
  g_autofree char *name = g_strconcat (first->op_type, second->op_type, NULL);
  PhNode *nodes[] = { first, second };

  return ph_fuse_nodes (nodes, 2, name, b) != NULL;
}

static gboolean
fuse_activation (PhMatch *match, PhBuilder *b)
{
  return fuse_pair (ph_node_input (match->root, 0)->producer, match->root, b);
}

/* Returns the convolution to fuse with the sum @node: the later operand in program order, since the other is then available. The sum must
 * have the shape of the convolution's result, not a larger one. */
static PhNode *
added_convolution (const PhNode *node)
{
  PhNode *best = NULL;

  for (guint i = 0; i < 2; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhNode *conv = private_producer (value, node, convolutions);

      if (conv != NULL && ph_value_same_type (value, ph_node_output (node, 0)) && ph_node_input (node, 1 - i) != value
          && !g_str_has_suffix (conv->op_type, ph_op_Add.name) && (best == NULL || conv->order > best->order))
        best = conv;
    }
  return best;
}

static gboolean
adds_to_convolution (PhMatch *match)
{
  return added_convolution (match->root) != NULL;
}

static gboolean
fuse_add (PhMatch *match, PhBuilder *b)
{
  return fuse_pair (added_convolution (match->root), match->root, b);
}

/* clang-format off */
static const PhRule rules[] = {
  { "conv-add", .root = &ph_op_Add, .when = adds_to_convolution, .apply = fuse_add, .exactness = PH_ROUNDING,
    .matches = "Add(Conv(x, W), y)",
    .becomes = "ConvAdd(x, W, y)", .why = "The residual is added while the convolution's result is still in the cache." },
  { "conv-activation", .when = activates_convolution, .apply = fuse_activation, .exactness = PH_ROUNDING,
    .matches = "Relu(Conv(x, W))",
    .becomes = "ConvRelu(x, W)", .why = "The activation is computed while the convolution's result is still in the cache." },
  { "gemm-activation", .when = activates_product, .apply = fuse_activation, .exactness = PH_ROUNDING,
    .matches = "Relu(Gemm(x, W))",
    .becomes = "GemmRelu(x, W)", .why = "The activation is computed while the product is still in the cache." },
};

const PhPass ph_pass_fuse_activation = {
  .name = "fuse-activation", .group = "fusion",
  .summary = "Fuses activations and residual sums into the convolution or product before them",
  .elsewhere = "ONNX Runtime ConvActivationFusion, GemmActivationFusion; Inductor mkldnn_fusion",
  .trap = "both nodes may have an attribute alpha. The fused node keeps its body, so any runtime can run it.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
