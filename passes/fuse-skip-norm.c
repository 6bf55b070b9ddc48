/* fuse-skip-norm.c: fuses a residual sum or a sum of embeddings with its normalization.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*   x   r                   x   r            ids
 *    \ /                   ┌─\─/──┐         ┌─|──────┐
 *    Add ──── others       │ Add  │ Skip... │ Gather │ Embed...
 *     |             =>     │ Norm │         │ Add    │
 *  LayerNorm               └─|──|─┘         │ Norm   │      The sum may be read by others: it is a second result then. */

static gboolean
is_norm (const PhNode *node)
{
  return node->op == &ph_op_LayerNormalization || node->op == &ph_op_RMSNormalization;
}

static PhNode *
plain_producer (const PhValue *value, const PhNode *user, const PhOp *op)
{
  PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && node->op == op && node->graph == user->graph && !ph_node_is_tied (node) && node->order < user->order
             ? node
             : NULL;
}

/* Rows of a constant table, looked up for this sum only. */
static gboolean
is_lookup (const PhNode *node, const PhNode *user)
{
  return ph_value_constant (ph_node_input (node, 0)) != NULL && ph_value_only_user (ph_node_output (node, 0)) == user;
}

/* Adds the sum to the region, with the sums and lookups that only feed it. Returns the number of lookups. */
static guint
add_sum (GPtrArray *region, PhNode *sum, guint depth)
{
  guint n = 0;

  g_ptr_array_insert (region, 0, sum);
  for (guint i = 0; i < 2; i++)
    {
      PhValue *value = ph_node_input (sum, i);
      PhNode *lookup = plain_producer (value, sum, &ph_op_Gather), *inner = plain_producer (value, sum, &ph_op_Add);

      if (lookup != NULL && is_lookup (lookup, sum))
        {
          g_ptr_array_insert (region, 0, lookup);
          n++;
        }
      else if (inner != NULL && depth > 0 && ph_value_only_user (value) == sum)
        n += add_sum (region, inner, depth - 1);
    }
  return n;
}

static const char *
find_region (GPtrArray *region, PhNode *norm)
{
  PhNode *sum = plain_producer (ph_node_input (norm, 0), norm, &ph_op_Add);

  if (sum == NULL || !ph_value_same_shape (ph_node_output (sum, 0), ph_node_output (norm, 0)))
    return NULL;
  g_ptr_array_set_size (region, 0);
  g_ptr_array_add (region, norm);
  return add_sum (region, sum, 2) > 0 ? "Embed" : "Skip";
}

static gboolean
adds_before (PhMatch *match)
{
  g_autoptr (GPtrArray) region = g_ptr_array_new ();

  return is_norm (match->root) && !ph_node_is_tied (match->root) && find_region (region, match->root) != NULL
         && ph_nodes_are_convex ((PhNode *const *) region->pdata, region->len);
}

static gboolean
fuse (PhMatch *match, PhBuilder *b)
{
  g_autoptr (GPtrArray) region = g_ptr_array_new ();
  const char *kind = find_region (region, match->root);
  g_autofree char *name = g_strconcat (kind, match->root->op_type, NULL);

  return ph_fuse_nodes ((PhNode *const *) region->pdata, region->len, name, b) != NULL;
}

static const PhRule rules[] = {
  { "skip-norm", .when = adds_before, .apply = fuse, .matches = "LayerNormalization(Add(x, y), w)",
    .becomes = "SkipLayerNormalization(x, y, w)",
    .why = "The sum is normalised while it is in the cache, and is a second output for its other users." },
};

/* clang-format off */
const PhPass ph_pass_fuse_skip_norm = {
  .name = "fuse-skip-norm", .group = "fusion", .summary = "Fuses residual sums and sums of embeddings with the normalisation after them",
  .elsewhere = "ONNX Runtime SkipLayerNormFusion",
  .trap = "the sum has other users, the residual stream. In 16 bits ONNX Runtime's sums differ visibly.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
