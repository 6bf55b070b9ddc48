/* blame.c: finds the rewrite that changes the results by bisection.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/distance.h"
#include "core/prove/prover-private.h"
#include "core/prove/prover.h"
#include "core/prove/run-side.h"

/* Computes all outputs by name at @at, in double, on @feeds. Returns FALSE if cancelled. */
static gboolean
outputs_at (PhProver *prover, PhPosition at, GHashTable *named, GHashTable **outputs, GError **error)
{
  PhModel *model = prover->model[0];
  PhRunOptions options
      = { .cancellable = ph_prover_cancellable (prover), .in_double = TRUE, .most_turns = ph_prove_turns (model, named) };
  g_autoptr (GHashTable) feeds = NULL, results = NULL;

  *outputs = NULL;
  if (!ph_history_go (prover->history[0], model, at, error))
    return FALSE;
  feeds = ph_inputs_collect (model, named, PH_INPUTS_NORMAL, prover->seed, 2, 1, &options, NULL);
  results = feeds != NULL ? ph_run_model (model, feeds, NULL, &options, NULL) : NULL;
  if (ph_prover_was_cancelled (prover, error))
    return FALSE;
  if (results == NULL)
    return TRUE;
  *outputs = ph_prove_new_feeds ();
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *value = model->graph->outputs->pdata[i];

      g_hash_table_insert (*outputs, g_strdup (value->name),
                           ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id))));
    }
  return TRUE;
}

static gboolean
outputs_agree (GHashTable *before, GHashTable *after, double tolerance)
{
  GHashTableIter iter;
  gpointer name, was;

  if (before == NULL || after == NULL)
    return before == after;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &name, &was))
    {
      PhTensor *is = g_hash_table_lookup (after, name);
      g_auto (PhDistance) distance = { 0 };

      if (is == NULL)
        return FALSE;
      distance = ph_distance (is, was);
      if (distance.why != NULL || distance.error > tolerance
          || distance.n_exact + distance.n_lost + distance.n_gained + distance.n_changed > 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
halve (PhProver *prover, PhProof *proof, GError **error)
{
  PhHistory *history = prover->history[0];
  guint good = ph_prove_index_of (history, proof->a), bad = ph_prove_index_of (history, proof->b);
  g_autoptr (GHashTable) before = NULL;

  if (!outputs_at (prover, proof->a, proof->feeds, &before, error))
    return FALSE;
  while (bad - good > 1)
    {
      const guint middle = good + (bad - good) / 2;
      g_autoptr (GHashTable) after = NULL;

      if (!outputs_at (prover, ph_prove_position_of (history, middle), proof->feeds, &after, error))
        return FALSE;
      if (outputs_agree (before, after, MAX (proof->tolerance, 1e-12)))
        good = middle;
      else
        bad = middle;
    }
  proof->blame = ph_prove_position_of (history, good);
  proof->blamed = TRUE;
  return TRUE;
}

gboolean
ph_prover_blame (PhProver *prover, PhProof *proof, const PhRunOptions *options, GError **error)
{
  gboolean ok;

  if (proof->verdict != PH_VERDICT_DIFFERENT || proof->blamed || proof->feeds == NULL
      || ph_prove_index_of (prover->history[0], proof->a) >= ph_prove_index_of (prover->history[0], proof->b))
    return TRUE;
  prover->options = options;
  ok = halve (prover, proof, error);
  prover->options = NULL;
  return ok;
}
