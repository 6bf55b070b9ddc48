/* prover.c: walks along the journal and combines the verdicts on each rewrite and on the model as a whole.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <omp.h>

#include "core/prove/key.h"
#include "core/prove/prover-private.h"
#include "core/prove/prover.h"
#include "core/prove/rows.h"
#include "core/prove/run-side.h"

/* ── the journal ── */

/* Rewrites counted over the whole history, and back. */
guint
ph_prove_index_of (PhHistory *history, PhPosition at)
{
  if (at.step >= history->steps->len)
    return history->rewrites->len;
  return g_array_index (history->steps, PhStep, at.step).first_rewrite + at.rewrite;
}

PhPosition
ph_prove_position_of (PhHistory *history, guint index)
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
  guint index = ph_prove_index_of (history, position);

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
  prover->images = ph_field_images_new ();
  prover->known = g_hash_table_new_full (ph_key_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref,
                                         (GDestroyNotify) ph_trial_free);
  prover->forms = g_hash_table_new_full (ph_key_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref,
                                         (GDestroyNotify) ph_field_report_free);
  prover->magnitudes = ph_magnitudes_new ();
  prover->held = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_tensor_unref, NULL);
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
  g_hash_table_unref (prover->forms);
  ph_magnitudes_free (prover->magnitudes);
  g_hash_table_unref (prover->held);
  ph_field_images_free (prover->images);
  g_clear_pointer (&prover->captured, g_hash_table_unref);
  g_clear_pointer (&prover->feeds, g_hash_table_unref);
  g_free (prover);
}

const PhProofWork *
ph_prover_get_work (PhProver *prover)
{
  prover->work.n_images = ph_field_images_n_made (prover->images);
  return &prover->work;
}

PhVerdict
ph_prover_verdict_of (PhProver *prover, guint rewrite)
{
  const PhRewriteProof *one = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (rewrite + 1));

  return one != NULL ? one->verdict : PH_VERDICT_NONE;
}

void
ph_prover_set_whole (PhProver *prover, gboolean whole)
{
  prover->whole = whole;
}

void
ph_prover_set_hurried (PhProver *prover, gboolean hurried)
{
  prover->hurried = hurried;
}

gboolean
ph_prover_was_cancelled (PhProver *prover, GError **error)
{
  return prover->options != NULL && g_cancellable_set_error_if_cancelled (prover->options->cancellable, error);
}

GCancellable *
ph_prover_cancellable (PhProver *prover)
{
  return prover->options != NULL ? prover->options->cancellable : NULL;
}

gboolean
ph_prover_go (PhProver *prover, PhPosition before, PhPosition after, GError **error)
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

/* ── the whole ── */

#define QUICK_NODES 2000
/* A model with at most this cost is run as a whole, as this is cheap compared with proofs of its rewrites. */
#define TINY_FLOPS 1e5

static double
model_cost (PhModel *model)
{
  double cost = 0;

  PH_FOREACH_NODE (node, model->graph)
    cost += ph_node_cost (node);
  return cost;
}

static guint
count_nodes (PhGraph *graph)
{
  guint n = graph->n_nodes;

  PH_FOREACH_NODE (node, graph)
    for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
      n += count_nodes (node->graphs->pdata[g]);
  return n;
}

static GHashTable *
feeds_of (PhProver *prover, const PhRegion *region, const PhTrial *trial)
{
  GHashTable *feeds = ph_prove_new_feeds ();

  for (guint i = 0; i < region->inputs->len && trial->witness != NULL; i++)
    {
      const PhId id = g_array_index (region->inputs, PhId, i);
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

/* Tries the model as a whole. Returns FALSE if cancelled. */
static gboolean
add_whole (PhProver *prover, PhProof *proof, gboolean foreign, double flops, GError **error)
{
  g_autoptr (PhRegion) region = NULL;
  g_autoptr (PhTrial) trial = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if (!ph_prover_go (prover, proof->a, proof->b, error))
    return FALSE;
  if (ph_model_draws (prover->model[0]))
    return TRUE;
  region = ph_region_whole (prover->model[0], prover->model[1]);
  if (prover->captured == NULL || prover->captured_at != ph_history_edit_index (prover->history[0], proof->a)
      || is_all_fed (prover))
    ph_prover_capture (prover, ph_history_edit_index (prover->history[0], proof->a));
  prover->proved = proof->verdict == PH_VERDICT_PROVED;
  prover->kept = prover->proved || (!foreign && proof->verdict == PH_VERDICT_SAME);
  prover->brief = !prover->whole && !foreign && proof->verdict == PH_VERDICT_PROVED;
  trial = ph_prover_try_region (prover, region, ph_prove_whole_promise (proof->exactness, foreign), flops, TRUE, error);
  if (trial == NULL)
    return FALSE;
  for (guint k = 0; k < region->outputs->len; k++)
    g_ptr_array_add (names, (gpointer) ph_prover_border_name (prover, region, k));
  if (trial->verdict != PH_VERDICT_NONE || trial->n_sets > 0)
    ph_proof_add_whole (proof, trial, names);
  if (trial->verdict == PH_VERDICT_DIFFERENT && proof->feeds == NULL)
    proof->feeds = feeds_of (prover, region, trial);
  return TRUE;
}

/* Returns TRUE if some node can be run: a model from another compiler may have none. */
static gboolean
can_be_run (const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    if (node->op != NULL || ph_node_function (node) != NULL)
      return TRUE;
  return graph->first == NULL;
}

/* The most nodes, of both sides together, of a joint region and of a small model. */
#define MAX_JOINT 120
#define MAX_SMALL 400

static gboolean
is_joined (const PhTrial *trial)
{
  return trial->verdict == PH_VERDICT_PROVED
         || (ph_verdict_is_good (trial->verdict) && trial->n_sets >= PH_PROVE_ENOUGH_SETS && trial->n_unbounded == 0
             && trial->n_out_of_range == 0);
}

/* Returns TRUE if nothing is shown of the rewrites [@first, @last) together, of which some differ alone: what comes out of all of them is the
 * same whatever goes in. Differences on few numbers are not excused, nor is a single one on values of a run. */
static gboolean
is_hidden (PhProver *prover, const PhTrial *trial, guint first, guint last)
{
  guint n = 0, n_normal = 0, n_captured = 0;

  for (guint i = first; i < last; i++)
    {
      const PhRewriteProof *one = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (i + 1));
      const gboolean differs = one->verdict == PH_VERDICT_DIFFERENT;

      n += differs;
      n_normal += differs && one->shown_by == PH_SAMPLE_NORMAL;
      n_captured += differs && one->shown_by == PH_SAMPLE_CAPTURED;
    }
  return trial->verdict == PH_VERDICT_NOTHING && trial->n_sets >= PH_PROVE_ENOUGH_SETS
         && (n_normal == n || (n > 1 && n_normal + n_captured == n));
}

/* Returns a region with all changes and everything between them. (transfer full) (nullable) */
static PhRegion *
joint_region (PhProver *prover, const PhProof *proof)
{
  PhHistory *history = prover->history[0];
  g_autoptr (GPtrArray) regions = NULL;

  regions = ph_regions_find (prover->model[0], prover->model[1], history, ph_history_edit_index (history, proof->a),
                             ph_history_edit_index (history, proof->b));
  return regions->len > 0 ? ph_region_joint (regions, prover->model[0], prover->model[1], MAX_JOINT) : NULL;
}

/* Returns the whole of a small model as one region: a difference may vanish far from the change, as a term added to each key does in the
 * softmax, and two parts of a change may depend on a common producer. (nullable) */
static PhRegion *
small_model (PhProver *prover)
{
  return count_nodes (prover->model[0]->graph) + count_nodes (prover->model[1]->graph) <= MAX_SMALL
                 && prover->cost <= PH_PROVE_CAPTURE_FLOPS
             ? ph_region_whole (prover->model[0], prover->model[1])
             : NULL;
}

/* The least nodes, of both sides together, of a part that may be judged by the whole model of which it is most. */
#define LARGE_PART 100

/* Returns the only rewrite among [@first, @last) that differs, -1 if there are others. */
static int
only_difference (PhProver *prover, guint first, guint last)
{
  int only = -1;

  for (guint i = first; i < last; i++)
    {
      const PhRewriteProof *one = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (i + 1));

      if (one->verdict == PH_VERDICT_DIFFERENT && only >= 0)
        return -1;
      if (one->verdict == PH_VERDICT_DIFFERENT)
        only = (int) i;
    }
  return only;
}

/* Returns TRUE if one rewrite differs and a part of it is most of the model: what that reads is as far from the model's inputs as may be, and
 * cannot be made up one by one. The models stand at both ends of it then. */
static gboolean
is_mostly_changed (PhProver *prover, guint first, guint last)
{
  PhHistory *history = prover->history[0];
  const int only = only_difference (prover, first, last);
  PhPosition a, b;
  g_autoptr (GPtrArray) regions = NULL;
  guint largest = 0;

  if (only < 0 || prover->cost > PH_PROVE_CAPTURE_FLOPS)
    return FALSE;
  a = ph_prove_position_of (history, (guint) only);
  b = ph_prove_position_of (history, (guint) only + 1);
  if (!ph_prover_go (prover, a, b, NULL))
    return FALSE;
  regions = ph_regions_find (prover->model[0], prover->model[1], history, ph_history_edit_index (history, a),
                             ph_history_edit_index (history, b));
  for (guint i = 0; i < regions->len; i++)
    {
      const PhRegion *region = regions->pdata[i];

      largest = MAX (largest, region->before->len + region->after->len);
    }
  return largest >= LARGE_PART && 2 * largest >= prover->model[0]->graph->n_nodes + prover->model[1]->graph->n_nodes;
}

/* The number of times that the region of a change is extended by its producers. */
#define MAX_PRODUCERS 4

/* Retries a region that agrees on captured values, if there are any, but differs on made-up ones, extended by its producers: the change may
 * rely on a property that these guarantee, such as rows of a softmax that sum to one. Differences on few numbers are not excused: far from
 * the change, made-up inputs may never hit those. Producers that leave nothing to vary excuse it as well: nothing is shown then. (transfer full)
 * (nullable) NULL without @error: no excuse was found */
static PhTrial *
try_with_producers (PhProver *prover, const PhRegion *region, const PhTrial *trial, GError **error)
{
  g_autoptr (PhRegion) wider = NULL;
  g_autoptr (PhTrial) constant = NULL;
  g_autoptr (GError) own = NULL;

  if (trial->verdict != PH_VERDICT_DIFFERENT || trial->shown_by != PH_SAMPLE_NORMAL)
    return NULL;
  wider = ph_region_copy (region);
  for (guint round = 0; round < MAX_PRODUCERS; round++)
    {
      g_autoptr (PhTrial) next = NULL;

      if (!ph_region_widen (wider, prover->model[0], prover->model[1], FALSE)
          || wider->before->len + wider->after->len > MAX_JOINT)
        break;
      next = ph_prover_try_region (prover, wider, PH_PROMISE_NONE, PH_PROVE_WHOLE_FLOPS, FALSE, &own);
      if (next == NULL)
        {
          g_propagate_error (error, g_steal_pointer (&own));
          return NULL;
        }
      if (next->verdict == PH_VERDICT_PROVED
          || (ph_verdict_is_good (next->verdict) && next->n_sets >= PH_PROVE_ENOUGH_SETS && next->n_unbounded == 0
              && next->n_out_of_range == 0))
        return g_steal_pointer (&next);
      if (next->verdict == PH_VERDICT_NOTHING && next->n_sets >= PH_PROVE_ENOUGH_SETS)
        {
          g_clear_pointer (&constant, ph_trial_free);
          constant = g_steal_pointer (&next);
        }
      else
        g_clear_pointer (&constant, ph_trial_free);
    }
  return g_steal_pointer (&constant);
}

/* Tries the rewrites of another program together, which may depend on each other: one moves a transposition before a node, another cancels
 * it behind the node. They differ alone but may be equal as one change. Returns FALSE if cancelled. */
static gboolean
join_differences (PhProver *prover, PhProof *proof, guint first, guint last, GError **error)
{
  PhHistory *history = prover->history[0];
  g_autoptr (PhRegion) joint = NULL, whole = NULL;
  g_autoptr (PhTrial) trial = NULL;
  gboolean mostly;

  if (!ph_prover_go (prover, proof->a, proof->b, error))
    return FALSE;
  if (prover->model[1]->graph->outputs->len != prover->model[0]->graph->outputs->len || ph_prover_find_retyped (prover) != NULL)
    return TRUE;
  ph_prover_capture (prover, ph_history_edit_index (history, proof->a));
  joint = joint_region (prover, proof);
  if (joint != NULL && joint->outputs->len > 0)
    {
      g_autoptr (GError) own = NULL;
      PhTrial *excuse;

      trial = ph_prover_try_region (prover, joint, PH_PROMISE_NONE, PH_PROVE_WHOLE_FLOPS, FALSE, error);
      excuse = trial != NULL ? try_with_producers (prover, joint, trial, &own) : NULL;
      if (own != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&own));
          return FALSE;
        }
      if (trial != NULL && excuse == NULL && trial->verdict == PH_VERDICT_DIFFERENT)
        trial = ph_prover_follow_readers (prover, joint, g_steal_pointer (&trial), PH_PROMISE_NONE, PH_PROVE_WHOLE_FLOPS, error);
      if (trial == NULL)
        return FALSE;
      if (excuse != NULL || (!is_joined (trial) && !is_hidden (prover, trial, first, last)))
        g_clear_pointer (&trial, ph_trial_free);
      if (excuse != NULL)
        trial = excuse;
    }
  mostly = trial == NULL && is_mostly_changed (prover, first, last);
  if (!ph_prover_go (prover, proof->a, proof->b, error))
    return FALSE;
  whole = mostly ? ph_region_whole (prover->model[0], prover->model[1]) : trial == NULL ? small_model (prover) : NULL;
  if (whole != NULL)
    {
      trial = ph_prover_try_region (prover, whole, PH_PROMISE_NONE, PH_PROVE_WHOLE_FLOPS, FALSE, error);
      if (trial == NULL)
        return FALSE;
      if (trial->verdict != PH_VERDICT_PROVED && !(mostly && is_joined (trial))
          && !(is_joined (trial) && ph_graph_orders_alone (prover->model[0]->graph)
               && ph_graph_orders_alone (prover->model[1]->graph)))
        g_clear_pointer (&trial, ph_trial_free);
    }
  if (trial == NULL)
    return TRUE;
  for (guint i = first; i < last; i++)
    {
      PhRewriteProof *one = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (i + 1));

      if (one->verdict == PH_VERDICT_DIFFERENT)
        ph_rewrite_proof_join (one, trial->verdict);
    }
  ph_proof_join (proof, trial);
  return TRUE;
}

/* Returns TRUE if the whole model is run without a request: to find differences that no single rewrite shows, or the output that differs.
 * If every rewrite is proved, only if it is cheap. */
static gboolean
wants_whole (PhProver *prover, const PhProof *proof, gboolean foreign)
{
  const guint n_nodes = count_nodes (prover->model[0]->graph);
  const gboolean is_quick = n_nodes <= QUICK_NODES && prover->cost <= PH_PROVE_WHOLE_FLOPS / 10;

  if (prover->hurried || !can_be_run (prover->model[0]->graph))
    return FALSE;
  if (prover->whole || ph_proof_leans_on_whole (proof) || (proof->n_none > 0 && prover->cost < PH_PROVE_CAPTURE_FLOPS / 4))
    return TRUE;
  return is_quick
         && (foreign || proof->verdict != PH_VERDICT_PROVED || prover->cost + n_nodes * PH_PROVE_NODE_FLOPS <= TINY_FLOPS);
}

/* ── comparing ── */

static void
add_rewrite (PhProver *prover, PhProof *proof, guint index, const PhRewriteProof *one)
{
  PhHistory *history = prover->history[0];
  const PhPosition at = ph_prove_position_of (history, index);

  ph_proof_add_rewrite (proof, one, at);
  if (one->verdict != PH_VERDICT_DIFFERENT || proof->blamed)
    return;
  if (one->shown_by == PH_SAMPLE_CAPTURED && one->value != NULL && prover->feeds != NULL)
    proof->feeds = ph_feeds_copy (prover->feeds);
  ph_proof_blame (proof, one, at, &g_array_index (history->rewrites, PhRewrite, index));
}

static PhProof *
compare (PhProver *prover, PhPosition a, PhPosition b, GError **error)
{
  PhHistory *history = prover->history[0];
  const guint first = ph_prove_index_of (history, a), last = ph_prove_index_of (history, b);
  gboolean foreign = FALSE;
  g_autoptr (PhProof) proof = ph_proof_new (a, b, ph_prove_exactness_between (history, first, last, &foreign));

  proof->seed = prover->seed;
  if (first == last)
    {
      ph_proof_conclude (proof);
      return g_steal_pointer (&proof);
    }
  if (!ph_prover_go (prover, a, a, error))
    return NULL;
  prover->cost = model_cost (prover->model[0]);
  for (guint i = first; i < last; i++)
    {
      const PhRewriteProof *one = ph_prover_rewrite (prover, i, error);

      if (one == NULL)
        return NULL;
      if (ph_prover_was_cancelled (prover, error))
        {
          g_hash_table_remove (prover->proofs, GUINT_TO_POINTER (i + 1)); /* it may be incomplete */
          return NULL;
        }
      add_rewrite (prover, proof, i, one);
    }
  if (foreign && proof->n_different > 0 && !join_differences (prover, proof, first, last, error))
    return NULL;
  if (wants_whole (prover, proof, foreign)
      && !add_whole (prover, proof, foreign, prover->whole || foreign ? PH_PROVE_WHOLE_FLOPS : PH_PROVE_QUICK_FLOPS, error))
    return NULL;
  ph_proof_conclude (proof);
  return g_steal_pointer (&proof);
}

PhProof *
ph_prover_compare (PhProver *prover, PhPosition a, PhPosition b, const PhRunOptions *options, GError **error)
{
  /* Regions are small: threads would spend more time waiting than they save, and the cores are needed elsewhere. */
  const int threads = omp_get_max_threads ();
  PhProof *proof;

  prover->options = options;
  omp_set_num_threads (1);
  proof = ph_position_compare (a, b) > 0 ? compare (prover, b, a, error) : compare (prover, a, b, error);
  omp_set_num_threads (threads);
  prover->options = NULL;
  return proof;
}

PhProof *
ph_prover_compare_known (PhProver *prover, PhPosition a, PhPosition b, guint *n_unknown)
{
  PhHistory *history = prover->history[0];
  const guint first = ph_prove_index_of (history, a), last = ph_prove_index_of (history, b);
  gboolean foreign = FALSE;
  PhProof *proof = ph_proof_new (a, b, ph_prove_exactness_between (history, first, last, &foreign));

  *n_unknown = 0;
  proof->seed = prover->seed;
  for (guint i = first; i < last; i++)
    {
      const PhRewriteProof *one = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (i + 1));

      if (one != NULL)
        add_rewrite (prover, proof, i, one);
      else
        (*n_unknown)++;
    }
  ph_proof_conclude (proof);
  return proof;
}
