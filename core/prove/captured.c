/* captured.c: follows values captured in a run of the model from rewrite to rewrite.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/prover-private.h"
#include "core/prove/prover.h"
#include "core/prove/run-side.h"

GHashTable *
ph_prove_new_feeds (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
}

void
ph_prover_capture (PhProver *prover, guint at)
{
  PhModel *model = prover->model[0];
  PhRunOptions options
      = { .cancellable = ph_prover_cancellable (prover), .keep_all = TRUE, .most_turns = ph_prove_turns (model, prover->fed) };
  g_autoptr (GHashTable) feeds = NULL;
  GHashTable *results = NULL;
  GHashTableIter iter;
  gpointer value, tensor;

  g_clear_pointer (&prover->captured, g_hash_table_unref);
  g_clear_pointer (&prover->feeds, g_hash_table_unref);
  prover->captured_at = at;
  prover->no_capture = ph_model_draws (model) || prover->cost > PH_PROVE_CAPTURE_FLOPS;
  if (prover->no_capture)
    return;
  prover->work.n_captures++;
  prover->work.n_nodes += model->graph->n_nodes;
  prover->work.flops += prover->cost;
  feeds = ph_inputs_find (model, prover->fed, PH_INPUTS_NORMAL, prover->seed, NULL, &options, &results, NULL);
  prover->no_capture = feeds == NULL;
  if (feeds == NULL)
    return;
  prover->captured = results;
  prover->feeds = ph_prove_new_feeds ();
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    {
      g_hash_table_insert (prover->feeds, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
      g_hash_table_insert (prover->captured, GUINT_TO_POINTER (((PhValue *) value)->id), ph_tensor_ref (tensor));
    }
}

gboolean
ph_prover_wants_capture (PhProver *prover)
{
  return prover->captured_at != prover->at || (prover->captured == NULL && !prover->no_capture);
}

static gboolean
is_border (const PhRegion *region, PhId id, PhId *before)
{
  for (guint k = 0; k < region->outputs->len; k++)
    {
      const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, k);

      *before = pair->before;
      if (pair->after == id)
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_prover_carry (PhProver *prover, const PhRegion *region)
{
  gboolean all = TRUE;

  if (prover->followed || prover->captured == NULL || ph_prover_wants_capture (prover))
    return TRUE;
  for (guint i = 0; i < region->after->len && all; i++)
    {
      const PhNode *node = region->after->pdata[i];

      for (guint k = 0; k < node->outputs->len && all; k++)
        {
          const PhValue *value = ph_node_output (node, k);
          PhId before = value->id;
          PhTensor *tensor = is_border (region, value->id, &before)
                                 ? g_hash_table_lookup (prover->captured, GUINT_TO_POINTER (before))
                                 : NULL;

          all = tensor != NULL || (ph_value_n_uses (value) == 0);
          if (tensor != NULL && before != value->id)
            g_hash_table_insert (prover->captured, GUINT_TO_POINTER (value->id), ph_tensor_ref (tensor));
        }
    }
  prover->followed = all;
  return all;
}

void
ph_prover_follow (PhProver *prover, const PhPair *pair, PhTensor *const *captured)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), outputs = NULL;
  g_autoptr (GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  PhSideOptions options
      = { .ids = pair->ids[1], .values = values, .work = &prover->work, .cancellable = ph_prover_cancellable (prover) };
  GHashTableIter iter;
  gpointer id, tensor;

  for (guint i = 0; i < pair->inputs->len; i++)
    {
      if (prover->captured == NULL || captured[i] == NULL)
        return;
      g_ptr_array_add (inputs, captured[i]);
    }
  prover->followed = TRUE;
  if (prover->captured == NULL || pair->after->graph->n_nodes == 0)
    return;
  outputs = ph_side_run (pair->after, inputs, &options, NULL);
  if (outputs == NULL)
    return;
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    g_hash_table_insert (prover->captured, id, ph_tensor_ref (tensor));
}

/* Returns TRUE if @b holds both parts of the complex numbers of @a along a last dimension, as a conversion writes them. */
static gboolean
is_in_parts (const PhType *a, const PhType *b)
{
  return a->kind == PH_KIND_TENSOR && b->kind == PH_KIND_TENSOR
         && ((a->dtype == PH_COMPLEX64 && b->dtype == PH_FLOAT) || (a->dtype == PH_COMPLEX128 && b->dtype == PH_DOUBLE))
         && a->has_rank && b->has_rank && b->rank == a->rank + 1 && b->dims[a->rank].size == 2;
}

const char *
ph_prover_find_retyped (PhProver *prover)
{
  const GPtrArray *was = prover->model[0]->graph->outputs, *is = prover->model[1]->graph->outputs;

  for (guint i = 0; i < MIN (was->len, is->len); i++)
    {
      const PhType *a = ((PhValue *) was->pdata[i])->type, *b = ((PhValue *) is->pdata[i])->type;

      if (a != NULL && b != NULL && a != b && !is_in_parts (a, b)
          && (a->kind != b->kind || (a->dtype != b->dtype && a->dtype != PH_UNDEFINED && b->dtype != PH_UNDEFINED)))
        return ((PhValue *) was->pdata[i])->name;
    }
  return NULL;
}
