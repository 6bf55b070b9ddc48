/* fuse-reduction.c: fuses elementwise operators with the reduction before or after them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

static const char why[]
    = "The reduction passes over all elements anyway, so the operators before and after it run in the same pass.";

static gboolean
is_free (const PhNode *node, const PhNode *by, GHashTable *taken)
{
  return node != NULL && node->graph == by->graph && ph_node_is_pointwise (node) && !ph_node_is_fused (node)
         && !g_hash_table_contains (taken, PH_KEY (node));
}

/* Backwards along the first operand of the reduction's own shape, each used once. */
static void
add_prologue (GPtrArray *region, PhNode *node, GHashTable *taken)
{
  PhValue *value = ph_node_input (node, 0);

  while (value != NULL && region->len < PH_REGION_MAX / 2)
    {
      PhNode *producer = value->producer, *user = ph_value_only_user (value);
      PhValue *next = NULL;

      if (producer == NULL || user == NULL || !is_free (producer, node, taken))
        return;
      g_ptr_array_insert (region, 0, producer);
      for (guint i = 0; i < producer->inputs->len && next == NULL; i++)
        if (ph_node_input (producer, i) != NULL && ph_value_same_shape (ph_node_input (producer, i), value))
          next = ph_node_input (producer, i);
      value = next;
    }
}

static void
add_epilogue (GPtrArray *region, PhNode *node, GHashTable *taken)
{
  for (;;)
    {
      PhValue *value = ph_node_output (node, 0);
      PhNode *user = ph_value_only_user (value);

      if (user == NULL || !is_free (user, node, taken) || region->len >= PH_REGION_MAX
          || !ph_value_same_shape (value, ph_node_output (user, 0)))
        return;
      g_ptr_array_add (region, user);
      node = user;
    }
}

static gboolean
fuse_reduction (PhPassRun *run, GError **error)
{
  g_autoptr (GArray) ids = ph_model_node_ids (run->model);
  g_autoptr (GPtrArray) region = g_ptr_array_new ();
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      if (node == NULL || g_hash_table_contains (taken, PH_KEY (node)) || ph_node_is_fused (node) || !ph_node_is_reduction (node)
          || ph_node_is_tied (node))
        continue;
      g_ptr_array_set_size (region, 0);
      g_ptr_array_add (region, node);
      add_prologue (region, node, taken);
      add_epilogue (region, node, taken);
      if (region->len < 2)
        continue;
      for (guint k = 0; k < region->len; k++)
        g_hash_table_add (taken, PH_KEY (g_ptr_array_index (region, k)));
      if (!ph_region_fuse (run, region, NULL, "reduction", why, error))
        return FALSE;
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "reduction", .matches = "Add(Softmax(Mul(x, y)), z)",
    .becomes = "MulSoftmaxAdd(x, y, z)", .exactness = PH_ROUNDING, .why = why },
};

const PhPass ph_pass_fuse_reduction = {
  .name = "fuse-reduction", .group = "fusion", .summary = "Fuses elementwise operators into the reduction that they surround",
  .elsewhere = "XLA instruction fusion; TVM FuseOps; Inductor",
  .trap = "a producer that is fused into two readers is computed twice.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_reduction, .exactness = PH_ROUNDING,
};
/* clang-format on */
