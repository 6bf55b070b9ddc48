/* fuse-attention.c: scaled dot-product attention, as one node.
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
 *        \    /           The transpositions are taken along where nobody else reads them.
 *        MatMul                                                                          */

static const char why[] =
  "softmax (scale * q k' + mask) v is attention: computed at once, the matrix of scores need not be kept.";

static PhNode *
private_producer (const PhValue *value, const PhNode *user)
{
  PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && node->graph == user->graph && ph_value_only_user (value) == user && !ph_node_is_fused (node) ? node : NULL;
}

static void
add_transpose (GPtrArray *region, const PhNode *user, guint input)
{
  PhNode *node = private_producer (ph_node_input (user, input), user);

  if (node != NULL && node->op == &ph_op_Transpose)
    g_ptr_array_insert (region, 0, node);
}

/* From the Softmax back through what scales and masks the scores to the product that makes them. */
static PhNode *
find_scores (GPtrArray *region, PhNode *softmax)
{
  PhNode *node = softmax;

  for (guint depth = 0; depth < 6; depth++)
    {
      PhNode *next = NULL;

      for (guint i = 0; i < node->inputs->len && next == NULL; i++)
        {
          PhNode *producer = private_producer (ph_node_input (node, i), node);

          if (producer != NULL && (producer->op == &ph_op_MatMul || ph_node_is_pointwise (producer)) &&
              ph_value_same_shape (ph_node_output (producer, 0), ph_node_output (softmax, 0)))
            next = producer;
        }
      if (next == NULL)
        return NULL;
      g_ptr_array_insert (region, 0, next);
      if (next->op == &ph_op_MatMul)
        return next;
      node = next;
    }
  return NULL;
}

static gboolean
find_region (GPtrArray *region, PhNode *softmax)
{
  PhNode *scores, *product;

  g_ptr_array_set_size (region, 0);
  g_ptr_array_add (region, softmax);
  scores = find_scores (region, softmax);
  product = ph_value_only_user (ph_node_output (softmax, 0));
  if (scores == NULL || product == NULL || product->op != &ph_op_MatMul ||
      ph_node_input (product, 0) != ph_node_output (softmax, 0) || ph_node_input (product, 1) == ph_node_output (softmax, 0))
    return FALSE;
  g_ptr_array_add (region, product);

  add_transpose (region, scores, 0);
  add_transpose (region, scores, 1);
  add_transpose (region, product, 1);
  product = ph_value_only_user (ph_node_output (product, 0));
  if (product != NULL && product->op == &ph_op_Transpose)
    g_ptr_array_add (region, product);
  return TRUE;
}

static gboolean
fuse_attention (PhPassRun *run, GError **error)
{
  g_autoptr(GArray) ids = ph_model_node_ids (run->model);
  g_autoptr(GPtrArray) region = g_ptr_array_new ();

  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      if (node == NULL || node->op != &ph_op_Softmax || !find_region (region, node))
        continue;
      if (!ph_region_fuse (run, region, "Attention", "attention", why, error))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "attention", .root = &ph_op_Softmax, .becomes = "Attention(q, k, v)", .exactness = PH_ROUNDING, .why = why },
};

const PhPass ph_pass_fuse_attention = {
  .name = "fuse-attention", .group = "fusion", .summary = "Fuses scaled dot-product attention, masks and transpositions included",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_attention, .exactness = PH_ROUNDING,
};
