/* fuse-epilogue.c: fuses elementwise operators as an epilogue into the preceding convolution or product.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*   x   W                  x   W   b   r
 *    \ /                  ┌─\──|──/───/─┐
 *   MatMul   b            │   MatMul    │
 *       \   /             │    Add      │ MatMulAddAdd
 *        Add   r    =>    │    Add      │
 *          \  /           └─────|───────┘
 *          Add                                      */

static const char why[] = "The elementwise operators run while the product's result is still in the cache.";

/* Returns the only user if it is elementwise and its result is not larger. */
static PhNode *
next_in_chain (const PhNode *node)
{
  PhValue *value = ph_node_output (node, 0);
  PhNode *user = ph_value_only_user (value);

  if (user == NULL || !ph_node_is_pointwise (user) || !ph_value_same_shape (value, ph_node_output (user, 0)))
    return NULL;
  return user;
}

static gboolean
fuse_epilogue (PhPassRun *run, GError **error)
{
  g_autoptr (GArray) ids = ph_model_node_ids (run->model);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  /* From the end: the later of two products gets their sum. */
  for (guint i = ids->len; i-- > 0 && !run->stopped;)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));
      guint size;

      if (node == NULL || !ph_node_is_heavy (node) || ph_node_is_tied (node))
        continue;
      g_ptr_array_set_size (chain, 0);
      g_ptr_array_add (chain, node);
      size = ph_node_size (node);
      while ((node = next_in_chain (node)) != NULL && !g_hash_table_contains (taken, PH_KEY (node))
             && (size += ph_node_size (node)) <= PH_REGION_MAX)
        g_ptr_array_add (chain, node);
      if (chain->len < 2)
        continue;
      for (guint k = 0; k < chain->len; k++)
        g_hash_table_add (taken, PH_KEY (g_ptr_array_index (chain, k)));
      if (!ph_region_fuse (run, chain, NULL, "epilogue", why, error))
        return FALSE;
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "epilogue", .matches = "Relu(Add(MatMul(x, W), b))",
    .becomes = "MatMulAddRelu(x, W, b)", .exactness = PH_ROUNDING, .why = why },
};

const PhPass ph_pass_fuse_epilogue = {
  .name = "fuse-epilogue", .group = "fusion",
  .summary = "Fuses chains of elementwise operators into the convolution or product before them",
  .elsewhere = "XLA and cutlass epilogues; TVM FuseOps",
  .trap = "a path that leaves the group and comes back would be a cycle.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_epilogue, .exactness = PH_ROUNDING,
};
/* clang-format on */
