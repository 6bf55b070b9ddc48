/* run-side.c: one side of a pair, computed on one set of inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/run-side.h"
#include "core/ops/op.h"
#include "core/run/executor.h"

static void
keep_values (GHashTable *results, const PhSideOptions *options)
{
  GHashTableIter iter;
  gpointer id, tensor;

  g_hash_table_iter_init (&iter, results);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    {
      gpointer of = g_hash_table_lookup (options->ids, id);

      if (of != NULL)
        g_hash_table_insert (options->values, of, ph_tensor_ref (tensor));
    }
}

guint
ph_prove_turns (const PhModel *model, GHashTable *fed)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    if (fed == NULL || !g_hash_table_contains (fed, ((PhValue *) model->graph->inputs->pdata[i])->name))
      return PH_PROVE_TURNS;
  return 0;
}

GPtrArray *
ph_side_run (PhModel *side, GPtrArray *inputs, const PhSideOptions *options, GError **error)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
  GPtrArray *outputs;
  PhRunOptions run = { .cancellable = options->cancellable,
                       .most_turns = options->most_turns,
                       .most_elements = options->most_elements,
                       .again = TRUE,
                       .reference = options->reference,
                       .in_double = options->in_double,
                       .keep_all = options->values != NULL,
                       .narrow = options->narrow,
                       .in_range = options->in_range,
                       .left_range = options->left_range };

  for (guint i = 0; i < side->graph->inputs->len; i++)
    g_hash_table_insert (feeds, side->graph->inputs->pdata[i], inputs->pdata[i]);
  if (options->work != NULL)
    {
      options->work->n_nodes += side->graph->n_nodes;
      options->work->flops += options->cost;
    }
  results = ph_run_model (side, feeds, NULL, &run, error);
  if (results == NULL)
    return NULL;
  if (options->values != NULL)
    keep_values (results, options);
  outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < side->graph->outputs->len; i++)
    g_ptr_array_add (outputs, ph_tensor_ref (g_hash_table_lookup (
                                  results, GUINT_TO_POINTER (((PhValue *) side->graph->outputs->pdata[i])->id))));
  return outputs;
}

/* Returns how many elements the constants have that a node reads: a product of unknown size computes with each of them. */
static double
count_constants (const PhNode *node)
{
  double n = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *input = ph_node_input (node, i);

      n += input != NULL && input->tensor != NULL ? (double) ph_tensor_count (input->tensor) : 0;
    }
  return n;
}

double
ph_node_cost (const PhNode *node)
{
  const PhType *type = node->outputs->len > 0 ? ph_node_output (node, 0)->type : NULL;
  const gint64 count = type != NULL ? ph_type_count (type) : -1, known = ph_node_flops (node);
  double cost = (known >= 0 ? (double) known : count_constants (node)) + (double) (count >= 0 ? count : 100) + 20;

  for (guint i = 0; !ph_node_is_fused (node) && node->graphs != NULL && i < node->graphs->len; i++)
    PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[i])
      cost += ph_node_cost (inner);
  return cost;
}
