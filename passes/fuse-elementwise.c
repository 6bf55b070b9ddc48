/* fuse-elementwise.c: fuses trees of elementwise operators, which are then computed in a single pass over memory.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*    x   y   z                x   y   z
 *     \ /    |               ┌─\──|──/─┐
 *     Mul   Exp              │  Mul Exp│
 *       \   /         =>     │   Add   │ MulExpAdd
 *        Add                 │   Tanh  │
 *         |                  └────|────┘
 *        Tanh                                      */

static const char why[] = "One loop applies all operators to each element, so no intermediate tensor is stored.";

/* Collects @node and its producers that have no other user, producers first. */
static void
collect (PhNode *node, GPtrArray *region, GHashTable *taken, guint *size)
{
  g_hash_table_add (taken, PH_KEY (node));
  (*size)++;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhNode *producer = value != NULL ? value->producer : NULL;

      if (producer == NULL || producer->graph != node->graph || *size >= PH_REGION_MAX || ph_value_only_user (value) != node
          || !ph_node_is_pointwise (producer) || ph_node_is_fused (producer) || g_hash_table_contains (taken, PH_KEY (producer)))
        continue;
      collect (producer, region, taken, size);
    }
  g_ptr_array_add (region, node);
}

static gboolean
fuse_elementwise (PhPassRun *run, GError **error)
{
  g_autoptr (GArray) ids = ph_model_node_ids (run->model);
  g_autoptr (GPtrArray) region = g_ptr_array_new ();
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  /* From the end, so that a tree is visited at its root. */
  for (guint i = ids->len; i-- > 0 && !run->stopped;)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      if (node == NULL || g_hash_table_contains (taken, PH_KEY (node)) || ph_node_is_fused (node) || !ph_node_is_pointwise (node))
        continue;
      g_ptr_array_set_size (region, 0);
      guint size = 0;
      collect (node, region, taken, &size);
      if (region->len >= 2 && !ph_region_fuse (run, region, NULL, "elementwise", why, error))
        return FALSE;
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "elementwise", .matches = "Tanh(Add(Exp(Mul(x, y)), z))",
    .becomes = "MulExpAddTanh(x, y, z)", .exactness = PH_ROUNDING, .why = why },
};

const PhPass ph_pass_fuse_elementwise = {
  .name = "fuse-elementwise", .group = "fusion", .summary = "Fuses trees of elementwise operators",
  .elsewhere = "TVM FuseOps; XLA instruction fusion; MindSpore graph kernel",
  .trap = "shapes may broadcast and element types may change in the middle of a chain.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_elementwise, .exactness = PH_ROUNDING,
};
/* clang-format on */
