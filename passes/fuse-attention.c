/* fuse-attention.c: fuses scaled dot-product attention into one node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*    q    k    v
 *    |    |    |             q   k   v   mask
 *   (T)  (T)  (T)           ┌|───|───|────|─┐
 *     \  /     |            │ MatMul        │
 *    MatMul    |            │ scale, mask   │
 *      |       |     =>     │ Softmax       │  Attention
 *  scale, mask |            │ MatMul        │
 *      |       |            └───|───────────┘
 *   Softmax    |
 *        \    /           Transpositions without other users are included.
 *        MatMul                                                                          */

static const char why[] = "softmax (scale * q k' + mask) v is attention; fused, the matrix of scores need not be stored.";

static PhNode *
private_producer (const PhValue *value, const PhNode *user)
{
  PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && node->graph == user->graph && ph_value_only_user (value) == user && !ph_node_is_fused (node) ? node
                                                                                                                      : NULL;
}

/* Recognizes Unsqueeze or Reshape, Expand or Tile, Reshape. */
static gboolean
is_repetition (const PhNode *reshape)
{
  const PhNode *before = ph_node_input (reshape, 0)->producer;

  const PhNode *user = ph_value_only_user (ph_node_output (reshape, 0));

  return (before != NULL && (before->op == &ph_op_Expand || before->op == &ph_op_Tile))
         || (user != NULL && (user->op == &ph_op_Expand || user->op == &ph_op_Tile));
}

/* Adds the nodes that only move the operand's elements: permutations, and the repetition of keys and values for the heads of a group. */
static gboolean
add_movement (GPtrArray *region, const PhNode *user, guint input)
{
  gboolean grouped = FALSE;

  for (PhNode *node = private_producer (ph_node_input (user, input), user); node != NULL;)
    {
      gboolean repeats = node->op == &ph_op_Expand || node->op == &ph_op_Tile;
      gboolean moves = repeats || node->op == &ph_op_Transpose || (node->op == &ph_op_Reshape && region->len < PH_REGION_MAX)
                       || node->op == &ph_op_Unsqueeze;

      /* A Reshape belongs to the preceding projection, unless it is part of a repetition. */
      if (!moves || (node->op == &ph_op_Reshape && !is_repetition (node)))
        break;
      grouped |= repeats;
      g_ptr_array_insert (region, 0, node);
      node = private_producer (ph_node_input (node, 0), node);
    }
  return grouped;
}

static PhNode *
scores_of (GPtrArray *region, PhNode *node, guint depth)
{
  for (guint i = 0; i < node->inputs->len && depth > 0; i++)
    {
      PhNode *producer = private_producer (ph_node_input (node, i), node), *found;

      if (producer == NULL || ph_value_rank (ph_node_output (producer, 0)) != ph_value_rank (ph_node_output (node, 0))
          || (producer->op != &ph_op_MatMul && !ph_node_is_pointwise (producer)))
        continue;
      found = producer->op == &ph_op_MatMul ? producer : scores_of (region, producer, depth - 1);
      if (found == NULL)
        continue;
      if (found == producer)
        g_ptr_array_insert (region, 0, producer);
      else
        g_ptr_array_insert (region, 1, producer);
      return found;
    }
  return NULL;
}

/* Collects the nodes from the Softmax back through scale and mask to the product of the scores, and forward through casts to the product
 * that uses them. */
static const char *
find_region (GPtrArray *region, PhNode *softmax)
{
  PhNode *scores, *weights = softmax, *product;
  gboolean grouped;

  g_ptr_array_set_size (region, 0);
  scores = scores_of (region, softmax, 6);
  g_ptr_array_add (region, softmax);
  product = ph_value_only_user (ph_node_output (weights, 0));
  while (product != NULL && (product->op == &ph_op_Cast || product->op == &ph_op_Dropout) && product->outputs->len == 1)
    {
      g_ptr_array_add (region, product);
      weights = product;
      product = ph_value_only_user (ph_node_output (weights, 0));
    }
  if (scores == NULL || product == NULL || product->op != &ph_op_MatMul
      || ph_node_input (product, 0) != ph_node_output (weights, 0) || ph_node_input (product, 1) == ph_node_output (weights, 0))
    return NULL;
  g_ptr_array_add (region, product);

  add_movement (region, scores, 0);
  grouped = add_movement (region, scores, 1);
  grouped |= add_movement (region, product, 1);
  product = ph_value_only_user (ph_node_output (product, 0));
  if (product != NULL && product->op == &ph_op_Transpose)
    g_ptr_array_add (region, product);
  return grouped ? ph_op_MsGroupQueryAttention.name : ph_op_Attention.name;
}

static gboolean
fuse_attention (PhPassRun *run, GError **error)
{
  g_autoptr (GArray) ids = ph_model_node_ids (run->model);
  g_autoptr (GPtrArray) region = g_ptr_array_new ();

  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      const char *name = node != NULL && node->op == &ph_op_Softmax ? find_region (region, node) : NULL;

      if (name != NULL && !ph_region_fuse (run, region, name, "attention", why, error))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "attention", .root = &ph_op_Softmax, .matches = "MatMul(Softmax(Add(Mul(MatMul(q, Transpose(k)), s), mask)), v)",
    .becomes = "Attention(q, k, v)", .exactness = PH_ROUNDING, .why = why },
};

/* clang-format off */
const PhPass ph_pass_fuse_attention = {
  .name = "fuse-attention", .group = "fusion", .summary = "Fuses scaled dot-product attention, including masks and transpositions",
  .elsewhere = "Vaswani et al. 2017; ONNX Runtime AttentionFusion; Inductor fuse_attention",
  .trap = "the scale may stand on either operand, or on both as its root; the mask is added before the Softmax, or "
          "is applied by a Where.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_attention, .exactness = PH_ROUNDING,
};
/* clang-format on */
