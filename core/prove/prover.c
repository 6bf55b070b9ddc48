/* prover.c: walks along the journal and tries each rewrite alone, and the model as a whole.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <omp.h>
#include <string.h>

#include "core/run/inputs.h"
#include "core/prove/distance.h"
#include "core/prove/proof-private.h"

/* Operations that the trial of one region may take, and that of a whole model that nobody asked for. */
#define REGION_FLOPS 3e7
#define LEAST_FLOPS  2e6
#define WHOLE_FLOPS  4e7
#define QUICK_NODES  2000
/* A model of more operations is not run for the values that flow in it. */
#define CAPTURE_FLOPS 4e10
/* How often, and up to how many nodes, a region takes in what it reads from. */
#define MAX_WIDER 5
#define MAX_NODES 60

struct _PhProver
{
  PhModel    *model[2];          /* before and after the rewrite that is tried                          */
  PhHistory  *history[2];        /* each at its model's position                                        */
  GHashTable *fed;               /* name -> PhTensor                                                    */
  guint64     seed;
  gboolean    whole;
  GHashTable *proofs;            /* index of a rewrite -> PhRewriteProof                                */
  GHashTable *known;             /* what two equal pairs have in common -> PhRewriteProof               */
  GHashTable *captured;          /* (nullable) PhId -> PhTensor: values of a run in float32             */
  guint       captured_at;       /* the edit index at which they hold                                   */
  GHashTable *feeds;             /* (nullable) input name -> PhTensor: of that run                      */
  gboolean    no_capture;        /* it was tried, and cannot be                                         */
  double      cost;              /* operations of one run of the model                                  */
  gboolean    followed;          /* the captured values know what this region makes now                 */
  const PhRunOptions *options;
};

/* ── the journal ── */

static PhExactness
rewrite_exactness (const PhPass *pass, const char *rule)
{
  for (guint i = 0; i < pass->n_rules; i++)
    if (g_str_equal (pass->rules[i].name, rule))
      return pass->rules[i].exactness;
  return ph_pass_exactness (pass);
}

static const PhPass *
pass_of (const PhStep *step)
{
  g_autofree char *name = g_strndup (step->pass, strcspn (step->pass, " "));

  return ph_pass_find (name);
}

/* What another program did promises nothing. */
static gboolean
is_foreign (const PhPass *pass)
{
  return pass == NULL || g_strcmp0 (pass->group, "foreign") == 0;
}

static PhPromise
promise_of (const PhPass *pass, const char *rule)
{
  static const PhPromise promises[] = { [PH_EXACT] = PH_PROMISE_BITS, [PH_EXACT_FINITE] = PH_PROMISE_FINITE,
                                        [PH_ROUNDING] = PH_PROMISE_REAL, [PH_LOSSY] = PH_PROMISE_NEAR };

  return is_foreign (pass) ? PH_PROMISE_NONE : promises[rewrite_exactness (pass, rule)];
}

/* Rewrites counted over the whole history, and back. */
static guint
index_of (PhHistory *history, PhPosition at)
{
  if (at.step >= history->steps->len)
    return history->rewrites->len;
  return g_array_index (history->steps, PhStep, at.step).first_rewrite + at.rewrite;
}

static PhPosition
position_of (PhHistory *history, guint index)
{
  for (guint s = 0; s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);

      if (index < step->first_rewrite + step->n_rewrites)
        return (PhPosition) { s, index - step->first_rewrite };
    }
  return (PhPosition) { history->steps->len, 0 };
}

const PhRewrite *
ph_history_rewrite_at (PhHistory *history, PhPosition position)
{
  guint index = index_of (history, position);

  return index < history->rewrites->len ? &g_array_index (history->rewrites, PhRewrite, index) : NULL;
}

/* ── the prover ── */

PhProver *
ph_prover_new (PhModel *walker, PhHistory *history, GHashTable *feeds, guint64 seed)
{
  PhProver *prover = g_new0 (PhProver, 1);

  prover->model[0] = walker;
  prover->history[0] = history;
  prover->fed = feeds != NULL ? g_hash_table_ref (feeds) : g_hash_table_new (g_str_hash, g_str_equal);
  prover->seed = seed;
  prover->proofs = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_rewrite_proof_free);
  prover->known = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, (GDestroyNotify) ph_trial_free);
  return prover;
}

void
ph_prover_free (PhProver *prover)
{
  for (guint side = 0; side < 2; side++)
    {
      g_clear_pointer (&prover->model[side], ph_model_free);
      g_clear_pointer (&prover->history[side], ph_history_free);
    }
  g_hash_table_unref (prover->fed);
  g_hash_table_unref (prover->proofs);
  g_hash_table_unref (prover->known);
  g_clear_pointer (&prover->captured, g_hash_table_unref);
  g_clear_pointer (&prover->feeds, g_hash_table_unref);
  g_free (prover);
}

PhHistory *
ph_prover_get_history (PhProver *prover)
{
  return prover->history[0];
}

void
ph_prover_set_whole (PhProver *prover, gboolean whole)
{
  prover->whole = whole;
}

static gboolean
was_cancelled (PhProver *prover, GError **error)
{
  return prover->options != NULL && g_cancellable_set_error_if_cancelled (prover->options->cancellable, error);
}

static GCancellable *
cancellable_of (PhProver *prover)
{
  return prover->options != NULL ? prover->options->cancellable : NULL;
}

static gboolean
go (PhProver *prover, PhPosition before, PhPosition after, GError **error)
{
  if (!ph_history_go (prover->history[0], prover->model[0], before, error))
    return FALSE;
  if (prover->model[1] == NULL)
    {
      prover->model[1] = ph_model_clone (prover->model[0]);
      prover->history[1] = ph_history_snapshot (prover->history[0]);
      prover->history[1]->position = prover->history[0]->position;
    }
  return ph_history_go (prover->history[1], prover->model[1], after, error);
}

/* ── captured values ── */

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
}

static double
cost_of (GPtrArray *nodes)
{
  double cost = 0;

  for (guint i = 0; i < nodes->len; i++)
    cost += ph_node_cost (nodes->pdata[i]);
  return cost;
}

static double
model_cost (PhModel *model)
{
  double cost = 0;

  PH_FOREACH_NODE (node, model->graph)
    cost += ph_node_cost (node);
  return cost;
}

/* One run of the model before the rewrite: on the fed inputs, or on generated ones. */
static void
capture (PhProver *prover, guint at)
{
  PhRunOptions          options = { .cancellable = cancellable_of (prover), .keep_all = TRUE };
  PhModel              *model = prover->model[0];
  g_autoptr(GHashTable) feeds = NULL;
  GHashTable           *results = NULL;
  GHashTableIter        iter;
  gpointer              value, tensor;

  g_clear_pointer (&prover->captured, g_hash_table_unref);
  g_clear_pointer (&prover->feeds, g_hash_table_unref);
  prover->captured_at = at;
  prover->no_capture = ph_model_draws (model) || model_cost (model) > CAPTURE_FLOPS;
  if (prover->no_capture)
    return;
  feeds = ph_inputs_find (model, prover->fed, PH_INPUTS_NORMAL, prover->seed, NULL, &options, &results, NULL);
  prover->no_capture = feeds == NULL;
  if (feeds == NULL)
    return;
  prover->captured = results;
  prover->feeds = new_table ();
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    {
      g_hash_table_insert (prover->feeds, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
      g_hash_table_insert (prover->captured, GUINT_TO_POINTER (((PhValue *) value)->id), ph_tensor_ref (tensor));
    }
}

/* ── one region ── */

static const char *
border_name (PhProver *prover, const PhRegion *region, guint output)
{
  const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, output);
  const PhValue      *is = ph_model_find_value (prover->model[1], pair->after), *was = ph_model_find_value (prover->model[0], pair->before);

  return was != NULL ? was->name : is != NULL ? is->name : NULL;
}

static PhTrial *
trial_of (PhVerdict verdict, const char *why)
{
  PhTrial *trial = g_new0 (PhTrial, 1);

  trial->verdict = verdict;
  trial->why = g_strdup (why);
  return trial;
}

/* What the region makes now is what flows on: so the next rewrite finds it without a run of the model. */
static void
follow_captured (PhProver *prover, const PhPair *pair, PhTensor *const *captured)
{
  g_autoptr(GPtrArray)  inputs = g_ptr_array_new (), outputs = NULL;
  g_autoptr(GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  PhSideOptions         options = { .ids = pair->ids[1], .values = values, .cancellable = cancellable_of (prover) };
  GHashTableIter        iter;
  gpointer              id, tensor;

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

static PhTrial *
try_pair (PhProver *prover, const PhRegion *region, const PhTrialOptions *options, GError **error)
{
  g_autoptr(GError) own = NULL;
  g_autoptr(PhPair) pair = ph_pair_new (region, prover->model[0], prover->model[1], &own);
  PhTrial          *trial;

  if (pair == NULL)
    return trial_of (PH_VERDICT_NONE, own->message);
  if (ph_model_draws (pair->before) || ph_model_draws (pair->after))
    return trial_of (PH_VERDICT_NONE, "it draws random numbers: two runs cannot be compared");
  trial = ph_pair_try (pair, options, error);
  if (trial != NULL && !options->whole && !prover->followed && ph_verdict_is_good (trial->verdict))
    follow_captured (prover, pair, options->captured);
  return trial;
}

static PhTrial *
try_region (PhProver *prover, const PhRegion *region, PhPromise promise, double flops, gboolean whole, GError **error)
{
  g_autofree PhBounds   *bounds = g_new (PhBounds, region->inputs->len + 1);
  g_autofree PhTensor  **captured = g_new0 (PhTensor *, region->inputs->len + 1);
  g_autofree gboolean   *is_free = g_new0 (gboolean, region->inputs->len + 1);
  PhTrialOptions         options = { .promise = promise, .bounds = bounds, .is_free = is_free, .seed = prover->seed, .flops = flops, .whole = whole,
                                     .cost = MAX (cost_of (region->before), cost_of (region->after)), .cancellable = cancellable_of (prover) };
  g_autoptr(GBytes)      key = NULL;
  PhTrial               *trial;

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId     id = g_array_index (region->inputs, PhId, i);
      const PhValue *value = ph_model_find_value (prover->model[0], id);

      if (value == NULL)
        value = ph_model_find_value (prover->model[1], id);
      bounds[i] = value != NULL ? ph_value_bounds (value) : PH_BOUNDS_NONE;
      is_free[i] = value != NULL && value->is_input && value->graph->owner == NULL && value->tensor == NULL;
      if (prover->captured != NULL)
        captured[i] = g_hash_table_lookup (prover->captured, GUINT_TO_POINTER (id));
      if (prover->captured != NULL && captured[i] == NULL && value != NULL && value->is_input)
        captured[i] = value->tensor;
    }
  options.captured = prover->captured != NULL ? captured : NULL;
  key = whole ? NULL : ph_region_key (region, prover->model[0], prover->model[1], &options);
  trial = key != NULL ? g_hash_table_lookup (prover->known, key) : NULL;
  if (trial != NULL)
    {
      g_autoptr(PhPair) pair = prover->captured != NULL && region->after->len > 0 && !prover->followed ? ph_pair_new (region, prover->model[0], prover->model[1], NULL) : NULL;

      if (pair != NULL)
        follow_captured (prover, pair, captured);
      return ph_trial_copy (trial);
    }
  trial = try_pair (prover, region, &options, error);
  if (trial != NULL && key != NULL && ph_verdict_is_good (trial->verdict))
    g_hash_table_insert (prover->known, g_bytes_ref (key), ph_trial_copy (trial));
  return trial;
}

/* After reads what before does not: the two may be tied by what produces them, as where common code is merged. */
static gboolean
reads_more (PhProver *prover, const PhRegion *region)
{
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhValue *value = ph_model_find_value (prover->model[0], g_array_index (region->inputs, PhId, i));
      gboolean       read = value == NULL;

      for (guint u = 0; value != NULL && u < value->uses->len && !read; u++)
        read = g_ptr_array_find (region->before, ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, value->graph), NULL);
      for (guint k = 0; k < region->outputs->len && !read; k++)
        read = g_array_index (region->outputs, PhBorderPair, k).before == g_array_index (region->inputs, PhId, i);
      if (!read)
        return TRUE;
    }
  return FALSE;
}

/* What is different at the border stays so, though the rest of the model may never show it: a foreign change has no guard that
 * would have looked at its context. */
static gboolean
is_settled (PhProver *prover, const PhRegion *region, PhPromise promise, const PhTrial *trial)
{
  if (trial->verdict == PH_VERDICT_DIFFERENT && promise == PH_PROMISE_NONE && !reads_more (prover, region))
    return TRUE;
  return trial->verdict == PH_VERDICT_PROVED || trial->verdict == PH_VERDICT_SAME || trial->verdict == PH_VERDICT_CLOSE ||
         (trial->verdict == PH_VERDICT_DIFFERENT && trial->shown_by == PH_SAMPLE_CAPTURED && !reads_more (prover, region));
}

/* Equal on all that the producers allow, and another expression: with the producers it may be the same one. */
static gboolean
may_be_proved (const PhTrial *trial, guint round)
{
  return (trial->verdict == PH_VERDICT_SAME || trial->verdict == PH_VERDICT_CLOSE) && round < 2 && trial->field != NULL &&
         trial->field->result == PH_FIELD_UNEQUAL;
}

/* A rule may lean on what produces what it reads: the region then takes that in, and is tried again. */
static PhTrial *
prove_region (PhProver *prover, PhRegion *region, PhPromise promise, double flops, GError **error)
{
  PhTrial *trial = NULL;

  prover->followed = region->after->len == 0;
  if (region->outputs->len == 0)
    return trial_of (PH_VERDICT_PROVED, NULL);
  if (region->before->len == 0 && region->after->len == 0)
    ph_region_widen (region, prover->model[0], prover->model[1], FALSE);
  for (guint round = 0; round < MAX_WIDER; round++)
    {
      PhTrial *next = try_region (prover, region, promise, flops, FALSE, error);

      if (next == NULL)
        {
          g_clear_pointer (&trial, ph_trial_free);
          return NULL;
        }
      /* Wider, it may be proved what was the same before; worse it cannot become. */
      if (trial != NULL && ph_verdict_worse (trial->verdict, next->verdict) == next->verdict && trial->verdict != next->verdict)
        {
          ph_trial_free (next);
          break;
        }
      g_clear_pointer (&trial, ph_trial_free);
      trial = next;
      if ((is_settled (prover, region, promise, trial) && !may_be_proved (trial, round)) ||
          region->before->len + region->after->len > MAX_NODES || !ph_region_widen (region, prover->model[0], prover->model[1], round > 0))
        break;
    }
  return trial;
}

/* ── one rewrite ── */

/* An operator of an older opset is computed by its upgraded form: an upgrade cannot contradict itself. */
static gboolean
is_upgrade (const PhStep *step)
{
  return g_str_equal (step->pass, "upgrade-opset");
}

static PhRewriteProof *
prove_rewrite (PhProver *prover, guint index, GError **error)
{
  PhHistory          *history = prover->history[0];
  const PhPosition    at = position_of (history, index);
  const PhStep       *step = &g_array_index (history->steps, PhStep, at.step);
  const PhRewrite    *rewrite = &g_array_index (history->rewrites, PhRewrite, index);
  const PhPass       *pass = pass_of (step);
  const PhPosition    next = at.rewrite + 1 < step->n_rewrites ? (PhPosition) { at.step, at.rewrite + 1 } : (PhPosition) { at.step + 1, 0 };
  PhRewriteProof     *known = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (index + 1)), *one;
  g_autoptr(GPtrArray) regions = NULL;
  double              flops;

  if (known != NULL)
    return known;
  if (!go (prover, at, next, error))
    return NULL;
  one = ph_rewrite_proof_new ();
  /* All regions of a step together may cost what two runs of the model do. */
  flops = CLAMP (2 * prover->cost / MAX (step->n_rewrites, 1), LEAST_FLOPS, REGION_FLOPS);
  regions = ph_regions_find (prover->model[0], prover->model[1], history, rewrite->first_edit, rewrite->first_edit + rewrite->n_edits);
  if (prover->model[1]->graph->outputs->len < prover->model[0]->graph->outputs->len)
    {
      g_autoptr(PhTrial) trial = trial_of (PH_VERDICT_DIFFERENT, "an output of the model is gone");

      ph_rewrite_proof_add (one, trial, NULL);
    }
  if (regions->len > 0 && is_upgrade (step))
    {
      g_autoptr(PhTrial) trial = trial_of (PH_VERDICT_NOTHING, "an older operator is computed by its upgraded form, so nothing independent could contradict it");

      ph_rewrite_proof_add (one, trial, NULL);
      g_ptr_array_set_size (regions, 0);
    }
  else if (regions->len > 0 && (prover->captured == NULL ? !prover->no_capture || prover->captured_at != rewrite->first_edit
                                                         : prover->captured_at != rewrite->first_edit))
    capture (prover, rewrite->first_edit);
  for (guint i = 0; i < regions->len; i++)
    {
      g_autoptr(PhTrial) trial = prove_region (prover, regions->pdata[i], promise_of (pass, rewrite->rule), flops, error);

      if (trial == NULL)
        {
          ph_rewrite_proof_free (one);
          return NULL;
        }
      ph_rewrite_proof_add (one, trial, trial->verdict == PH_VERDICT_DIFFERENT ? border_name (prover, regions->pdata[i], trial->output) : NULL);
      if (trial->verdict == PH_VERDICT_DIFFERENT)
        g_clear_pointer (&prover->captured, g_hash_table_unref);
    }
  if (prover->captured_at == rewrite->first_edit)
    prover->captured_at = rewrite->first_edit + rewrite->n_edits;
  g_hash_table_insert (prover->proofs, GUINT_TO_POINTER (index + 1), one);
  return one;
}

/* ── the whole ── */

static PhExactness
exactness_between (PhHistory *history, guint first, guint last, gboolean *foreign)
{
  PhExactness exactness = PH_EXACT;

  for (guint i = first; i < last; i++)
    {
      const PhPass *pass = pass_of (&g_array_index (history->steps, PhStep, position_of (history, i).step));

      *foreign |= is_foreign (pass);
      exactness = MAX (exactness, pass != NULL ? rewrite_exactness (pass, g_array_index (history->rewrites, PhRewrite, i).rule) : PH_ROUNDING);
    }
  return exactness;
}

static PhPromise
whole_promise (PhExactness exactness, gboolean foreign)
{
  /* Bits were compared rewrite by rewrite; here it is their sum as real numbers. */
  return exactness == PH_LOSSY && !foreign ? PH_PROMISE_NEAR : exactness == PH_EXACT || foreign ? PH_PROMISE_NONE : PH_PROMISE_REAL;
}

static gboolean
is_quick (PhModel *model, double *cost)
{
  *cost = model_cost (model);
  return model->graph->n_nodes <= QUICK_NODES && *cost <= WHOLE_FLOPS / 10;
}

static GHashTable *
feeds_of (PhProver *prover, const PhRegion *region, const PhTrial *trial)
{
  GHashTable *feeds = new_table ();

  for (guint i = 0; i < region->inputs->len && trial->witness != NULL; i++)
    {
      const PhId     id = g_array_index (region->inputs, PhId, i);
      const PhValue *value = ph_model_find_value (prover->model[0], id);

      if (value == NULL)
        value = ph_model_find_value (prover->model[1], id);
      if (value != NULL)
        g_hash_table_insert (feeds, g_strdup (value->name), ph_tensor_ref (trial->witness->pdata[i]));
    }
  return feeds;
}

static gboolean
is_all_fed (PhProver *prover)
{
  for (guint i = 0; i < prover->model[0]->graph->inputs->len; i++)
    {
      const PhValue *input = prover->model[0]->graph->inputs->pdata[i];

      if (input->tensor == NULL && !g_hash_table_contains (prover->fed, input->name))
        return FALSE;
    }
  return TRUE;
}

/* FALSE: cancelled. */
static gboolean
add_whole (PhProver *prover, PhProof *proof, gboolean foreign, double flops, GError **error)
{
  g_autoptr(PhRegion)  region = NULL;
  g_autoptr(PhTrial)   trial = NULL;
  g_autoptr(GPtrArray) names = g_ptr_array_new ();

  if (!go (prover, proof->a, proof->b, error))
    return FALSE;
  if (ph_model_draws (prover->model[0]))
    return TRUE;
  region = ph_region_whole (prover->model[0], prover->model[1]);
  if (prover->captured == NULL || prover->captured_at != ph_history_edit_index (prover->history[0], proof->a) || is_all_fed (prover))
    capture (prover, ph_history_edit_index (prover->history[0], proof->a));
  trial = try_region (prover, region, whole_promise (proof->exactness, foreign), flops, TRUE, error);
  if (trial == NULL)
    return FALSE;
  for (guint k = 0; k < region->outputs->len; k++)
    g_ptr_array_add (names, (gpointer) border_name (prover, region, k));
  if (trial->verdict != PH_VERDICT_NONE || trial->n_sets > 0)
    ph_proof_add_whole (proof, trial, names);
  if (trial->verdict == PH_VERDICT_DIFFERENT && proof->feeds == NULL)
    proof->feeds = feeds_of (prover, region, trial);
  return TRUE;
}

/* ── comparing ── */

static GHashTable *
copy_table (GHashTable *table)
{
  GHashTable    *copy = new_table ();
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (copy, g_strdup (name), ph_tensor_ref (tensor));
  return copy;
}

static PhProof *
compare (PhProver *prover, PhPosition a, PhPosition b, GError **error)
{
  PhHistory          *history = prover->history[0];
  const guint         first = index_of (history, a), last = index_of (history, b);
  gboolean            foreign = FALSE, quick;
  double              cost;
  g_autoptr(PhProof)  proof = ph_proof_new (a, b, exactness_between (history, first, last, &foreign));

  proof->seed = prover->seed;
  if (first == last)
    {
      ph_proof_conclude (proof);
      return g_steal_pointer (&proof);
    }
  prover->cost = model_cost (prover->model[0]);
  for (guint i = first; i < last; i++)
    {
      const PhRewriteProof *one = prove_rewrite (prover, i, error);

      if (one == NULL || was_cancelled (prover, error))
        return NULL;
      ph_proof_add_rewrite (proof, one);
      if (one->verdict == PH_VERDICT_DIFFERENT && !proof->blamed)
        {
          if (one->shown_by == PH_SAMPLE_CAPTURED && one->value != NULL && prover->feeds != NULL)
            proof->feeds = copy_table (prover->feeds);
          ph_proof_blame (proof, one, position_of (history, i), &g_array_index (history->rewrites, PhRewrite, i));
        }
    }
  if (!go (prover, a, b, error))
    return NULL;
  quick = is_quick (prover->model[0], &cost);
  if ((quick || prover->whole || (proof->n_none > 0 && cost < CAPTURE_FLOPS / 4)) &&
      !add_whole (prover, proof, foreign, quick || prover->whole ? WHOLE_FLOPS : 0, error))
    return NULL;
  ph_proof_conclude (proof);
  return g_steal_pointer (&proof);
}

PhProof *
ph_prover_compare (PhProver *prover, PhPosition a, PhPosition b, const PhRunOptions *options, GError **error)
{
  /* Regions are small: threads that wait for each other cost more than they save, and others want the cores. */
  const int threads = omp_get_max_threads ();
  PhProof  *proof;

  prover->options = options;
  omp_set_num_threads (1);
  proof = ph_position_compare (a, b) > 0 ? compare (prover, b, a, error) : compare (prover, a, b, error);
  omp_set_num_threads (threads);
  prover->options = NULL;
  return proof;
}

/* ── blaming by halving ── */

/* All outputs by name at @at, in double, on @feeds. FALSE: cancelled. */
static gboolean
outputs_at (PhProver *prover, PhPosition at, GHashTable *named, GHashTable **outputs, GError **error)
{
  PhRunOptions          options = { .cancellable = cancellable_of (prover), .in_double = TRUE };
  PhModel              *model = prover->model[0];
  g_autoptr(GHashTable) feeds = NULL, results = NULL;

  *outputs = NULL;
  if (!ph_history_go (prover->history[0], model, at, error))
    return FALSE;
  feeds = ph_inputs_collect (model, named, PH_INPUTS_NORMAL, prover->seed, 2, 1, &options, NULL);
  results = feeds != NULL ? ph_run_model (model, feeds, NULL, &options, NULL) : NULL;
  if (was_cancelled (prover, error))
    return FALSE;
  if (results == NULL)
    return TRUE;
  *outputs = new_table ();
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *value = model->graph->outputs->pdata[i];

      g_hash_table_insert (*outputs, g_strdup (value->name), ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id))));
    }
  return TRUE;
}

static gboolean
outputs_agree (GHashTable *before, GHashTable *after, double tolerance)
{
  GHashTableIter iter;
  gpointer       name, was;

  if (before == NULL || after == NULL)
    return before == after;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &name, &was))
    {
      PhTensor          *is = g_hash_table_lookup (after, name);
      g_auto(PhDistance) distance = { 0 };

      if (is == NULL)
        return FALSE;
      distance = ph_distance (is, was);
      if (distance.why != NULL || distance.error > tolerance || distance.n_exact + distance.n_lost + distance.n_gained + distance.n_changed > 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
halve (PhProver *prover, PhProof *proof, GError **error)
{
  PhHistory            *history = prover->history[0];
  guint                 good = index_of (history, proof->a), bad = index_of (history, proof->b);
  g_autoptr(GHashTable) before = NULL;

  if (!outputs_at (prover, proof->a, proof->feeds, &before, error))
    return FALSE;
  while (bad - good > 1)
    {
      const guint           middle = good + (bad - good) / 2;
      g_autoptr(GHashTable) after = NULL;

      if (!outputs_at (prover, position_of (history, middle), proof->feeds, &after, error))
        return FALSE;
      if (outputs_agree (before, after, MAX (proof->tolerance, 1e-12)))
        good = middle;
      else
        bad = middle;
    }
  proof->blame = position_of (history, good);
  proof->blamed = TRUE;
  return TRUE;
}

gboolean
ph_prover_blame (PhProver *prover, PhProof *proof, const PhRunOptions *options, GError **error)
{
  gboolean ok;

  if (proof->verdict != PH_VERDICT_DIFFERENT || proof->blamed || proof->feeds == NULL ||
      index_of (prover->history[0], proof->a) >= index_of (prover->history[0], proof->b))
    return TRUE;
  prover->options = options;
  ok = halve (prover, proof, error);
  prover->options = NULL;
  return ok;
}
