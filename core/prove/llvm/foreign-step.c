/* foreign-step.c: proves a step of LLVM's, where its functions can be evaluated.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/integers.h"
#include "core/prove/prover-private.h"

static PhGraph *
function_graph (PhModel *model, const PhFunction *function)
{
  const PhFunction *found = function != NULL ? ph_model_find_function (model, function->domain, function->name) : NULL;

  return function == NULL ? model->graph : found != NULL ? found->graph : NULL;
}

/* Tries each LLVM function that step @index changed as a whole, since parts of LLVM's changes mean nothing alone. Returns NULL if they use
 * more than integers; @why says what (static). */
static PhTrial *
try_integers (PhProver *prover, guint index, const char **why, GError **error)
{
  const PhHistory *history = prover->history[0];
  const guint first = ph_prove_index_of (prover->history[0], (PhPosition) { index, 0 });
  const guint n = g_array_index (history->steps, PhStep, index).n_rewrites;
  const PhRewrite *rewrites = &g_array_index (history->rewrites, PhRewrite, first);
  g_autoptr (GHashTable) tried = g_hash_table_new (NULL, NULL);
  g_autoptr (PhTrial) worst = NULL;

  if (!ph_prover_go (prover, (PhPosition) { index, 0 }, (PhPosition) { index + 1, 0 }, error))
    return NULL;
  for (guint i = rewrites[0].first_edit; i < rewrites[n - 1].first_edit + rewrites[n - 1].n_edits; i++)
    for (guint side = 0; side < 2; side++)
      {
        const PhId id = ((PhEdit *) history->edits->pdata[i])->id;
        const PhNode *node = ph_model_find_node (prover->model[side], id);
        const PhValue *value = ph_model_find_value (prover->model[side], id);
        const PhGraph *graph = node != NULL ? node->graph : value != NULL ? value->graph : NULL;
        PhGraph *before, *after;
        PhTrial *trial;

        if (graph == NULL)
          continue;
        before = function_graph (prover->model[0], ph_graph_root (graph)->function);
        after = function_graph (prover->model[1], ph_graph_root (graph)->function);
        if (before == NULL || after == NULL)
          return NULL;
        if (!g_hash_table_add (tried, before))
          continue;
        trial = ph_integers_try (before, after, prover->seed, why);
        if (trial == NULL)
          return NULL;
        if (worst == NULL || ph_verdict_worse (worst->verdict, trial->verdict) != worst->verdict)
          {
            g_clear_pointer (&worst, ph_trial_free);
            worst = trial;
          }
        else
          ph_trial_free (trial);
      }
  return g_steal_pointer (&worst);
}

static PhTrial *
none (const char *why)
{
  PhTrial *trial = g_new0 (PhTrial, 1);

  trial->verdict = PH_VERDICT_NONE;
  trial->why = g_strdup (why);
  return trial;
}

gboolean
ph_prover_foreign_step (PhProver *prover, guint index, const char *why, GError **error)
{
  const guint first = ph_prove_index_of (prover->history[0], (PhPosition) { index, 0 });
  const guint n = g_array_index (prover->history[0]->steps, PhStep, index).n_rewrites;
  GError *own = NULL;
  g_autoptr (PhTrial) trial = try_integers (prover, index, &why, &own);

  if (own != NULL)
    {
      g_propagate_error (error, own);
      return FALSE;
    }
  if (trial == NULL)
    trial = none (why);
  for (guint i = first; i < first + n; i++)
    if (!g_hash_table_contains (prover->proofs, GUINT_TO_POINTER (i + 1)))
      {
        PhRewriteProof *one = ph_rewrite_proof_new ();

        ph_rewrite_proof_add (one, trial, NULL);
        g_hash_table_insert (prover->proofs, GUINT_TO_POINTER (i + 1), one);
      }
  return TRUE;
}
