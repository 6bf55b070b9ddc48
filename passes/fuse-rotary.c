/* fuse-rotary.c: fuses rotary position embedding into one node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*        x                            x   cos   sin
 *      /   \                        ┌─|────|─────|─┐
 *   first  second half              │   all of it  │  RotaryEmbedding
 *     |     Neg            =>       └──────|───────┘
 *      \   /                               x * cos + rotated x * sin
 *      Concat    x                                                   */

static PhNode *
private_producer (const PhValue *value, const PhNode *user)
{
  PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && node->graph == user->graph && !ph_node_is_tied (node) && !ph_node_is_fused (node)
                 && ph_value_only_user (value) == user
             ? node
             : NULL;
}

static gboolean
is_half_of (const PhNode *node, const PhValue *x)
{
  return (node->op == &ph_op_Slice || node->op == &ph_op_Split) && ph_node_input (node, 0) == x;
}

/* Adds Concat (Neg (half of x), half of x): the node itself, the Neg, the halves. Returns FALSE if it has another form. */
static gboolean
add_rotation (GPtrArray *region, PhNode *concat, const PhValue **x)
{
  PhNode *neg, *upper, *lower;

  if (concat->op != &ph_op_Concat || concat->inputs->len != 2)
    return FALSE;
  neg = private_producer (ph_node_input (concat, 0), concat);
  if (neg == NULL || neg->op != &ph_op_Neg)
    return FALSE;
  upper = private_producer (ph_node_input (neg, 0), neg);
  lower = private_producer (ph_node_input (concat, 1), concat);
  if (upper == NULL || lower == NULL)
    return FALSE;
  *x = ph_node_input (upper, 0);
  if (!is_half_of (upper, *x) || !is_half_of (lower, *x))
    return FALSE;
  g_ptr_array_add (region, lower);
  if (upper != lower)
    g_ptr_array_add (region, upper);
  g_ptr_array_add (region, neg);
  g_ptr_array_add (region, concat);
  return TRUE;
}

/* Returns Mul (x, cos), an operand of @sum without other users. */
static PhNode *
other_product (const PhNode *sum, const PhNode *product, const PhValue *x)
{
  for (guint i = 0; i < 2; i++)
    {
      PhNode *node = private_producer (ph_node_input (sum, i), sum);

      if (node != NULL && node != product && node->op == &ph_op_Mul
          && (ph_node_input (node, 0) == x || ph_node_input (node, 1) == x))
        return node;
    }
  return NULL;
}

static gboolean
find_rotary (GPtrArray *region, PhNode *concat)
{
  const PhValue *x;
  PhNode *product, *sum, *other;

  g_ptr_array_set_size (region, 0);
  if (!add_rotation (region, concat, &x))
    return FALSE;
  product = ph_value_only_user (ph_node_output (concat, 0));
  sum = product != NULL && product->op == &ph_op_Mul ? ph_value_only_user (ph_node_output (product, 0)) : NULL;
  other = sum != NULL && sum->op == &ph_op_Add ? other_product (sum, product, x) : NULL;
  if (other == NULL)
    return FALSE;
  g_ptr_array_add (region, other);
  g_ptr_array_add (region, product);
  g_ptr_array_add (region, sum);
  return TRUE;
}

static gboolean
is_rotary (PhMatch *match)
{
  g_autoptr (GPtrArray) region = g_ptr_array_new ();

  return find_rotary (region, match->root);
}

static gboolean
fuse_rotary (PhMatch *match, PhBuilder *b)
{
  g_autoptr (GPtrArray) region = g_ptr_array_new ();

  return find_rotary (region, match->root)
         && ph_fuse_nodes ((PhNode *const *) region->pdata, region->len, ph_op_RotaryEmbedding.name, b) != NULL;
}

static const PhRule rules[] = {
  { "rotary", .root = &ph_op_Concat, .when = is_rotary, .apply = fuse_rotary, .becomes = "RotaryEmbedding(x, cos, sin)",
    .matches = "Add(Mul(x, cos), Mul(Concat(Neg(second half of x), first half of x), sin))",
    .why = "A rotary embedding rotates pairs of elements by an angle for each position; fused, x is read once." },
};

/* clang-format off */
const PhPass ph_pass_fuse_rotary = {
  .name = "fuse-rotary", .group = "fusion", .summary = "Fuses rotary position embeddings",
  .elsewhere = "Su et al. 2021 (RoFormer); ONNX Runtime's transformer tools",
  .trap = "the pairs may be formed from two halves or from adjacent elements.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
