/* dedupe-initializers.c: merges constants that are equal to the last bit.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

static const char why[] = "Both constants have the same bits, so one of them is enough.";

static guint
value_hash (gconstpointer value)
{
  return ph_tensor_hash (((const PhValue *) value)->tensor);
}

/* Compares the bytes, as equal hashes are no proof. 0 and -0 have different bytes. */
static gboolean
value_equal (gconstpointer a, gconstpointer b)
{
  return ph_tensor_equal (((const PhValue *) a)->tensor, ((const PhValue *) b)->tensor);
}

static gboolean
dedupe_graph (PhPassRun *run, PhGraph *graph, GError **error)
{
  g_autoptr (GHashTable) table = g_hash_table_new (value_hash, value_equal);
  g_autoptr (GPtrArray) constants = g_ptr_array_new ();

  for (guint i = 0; i < graph->constants->len; i++)
    g_ptr_array_add (constants, g_ptr_array_index (graph->constants, i));
  for (guint i = 0; i < constants->len && !run->stopped; i++)
    {
      PhValue *value = g_ptr_array_index (constants, i), *first = g_hash_table_lookup (table, value);

      if (first == NULL)
        {
          g_hash_table_add (table, value);
          continue;
        }
      if (value->n_output_uses > 0)
        continue;
      if (!ph_pass_begin (run, "equal-initializer", value->uses->len > 0 ? g_array_index (value->uses, PhUse, 0).node : NULL,
                          why))
        return TRUE;
      if (!ph_pass_close (run, (value->uses->len == 0 || ph_value_replace_uses (value, first, error))
                                   && ph_graph_remove_value (value, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
dedupe (PhPassRun *run, GError **error)
{
  for (PhId id = 1; id < run->model->graphs->len && !run->stopped; id++)
    {
      PhGraph *graph = ph_model_find_graph (run->model, id);

      if (graph != NULL && !ph_graph_in_function (graph) && (graph->owner == NULL || !ph_node_is_fused (graph->owner))
          && !dedupe_graph (run, graph, error))
        return FALSE;
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "equal-initializer", .matches = "initializer, initializer",
    .becomes = "the first of them", .why = why },
};

const PhPass ph_pass_dedupe_initializers = {
  .name = "dedupe-initializers", .group = "cse", .summary = "Merges constants that have the same type and the same bits",
  .elsewhere = "ONNX Runtime ConstantSharing; onnxoptimizer eliminate_duplicate_initializer",
  .trap = "equal hashes are not equal bytes: in onnxsim a divisor of 4 became 2. 0 and -0 are equal numbers and "
          "different constants.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = dedupe,
};
/* clang-format on */
