/* rewrite.c: one rewrite tried alone, region by region.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"
#include "core/prove/fewer.h"
#include "core/prove/prover-private.h"
#include "core/prove/prover.h"
#include "core/prove/region-form.h"
#include "core/prove/run-side.h"
#include "core/prove/structure/shape-elements.h"
#include "core/prove/structure/structure.h"
#include "core/prove/version.h"

/* The number of times that a region is extended by its producers, and its largest size in nodes. */
#define MAX_WIDER  5
#define MAX_NODES  60
#define MAX_MERGED 3

/* ── one region ── */

static double
cost_of (GPtrArray *nodes)
{
  double cost = 0;

  for (guint i = 0; i < nodes->len; i++)
    cost += ph_node_cost (nodes->pdata[i]);
  return cost;
}

const char *
ph_prover_border_name (PhProver *prover, const PhRegion *region, guint output)
{
  const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, output);
  const PhValue *is = ph_model_find_value (prover->model[1], pair->after),
                *was = ph_model_find_value (prover->model[0], pair->before);

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

static PhTrial *
try_pair (PhProver *prover, const PhRegion *region, const PhTrialOptions *options, GError **error)
{
  g_autoptr (GError) own = NULL;
  g_autoptr (PhPair) pair = ph_pair_new (region, prover->model[0], prover->model[1], &own);
  PhTrial *trial;

  if (pair == NULL)
    return trial_of (PH_VERDICT_NONE, own->message);
  if (ph_model_draws (pair->before) || ph_model_draws (pair->after))
    return trial_of (PH_VERDICT_NONE, "it draws random numbers: two runs cannot be compared");
  trial = ph_pair_try (pair, options, error);
  if (trial != NULL && !options->whole && ph_verdict_is_good (trial->verdict) && !ph_prover_carry (prover, region))
    ph_prover_follow (prover, pair, options->captured);
  return trial;
}

/* Returns TRUE if the new side reads an input that the old one does not: a common producer may tie them, as when common code is merged. */
static gboolean
reads_more (PhProver *prover, const PhRegion *region)
{
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhValue *value = ph_model_find_value (prover->model[0], g_array_index (region->inputs, PhId, i));
      gboolean read = value == NULL;

      for (guint u = 0; value != NULL && u < value->uses->len && !read; u++)
        read = g_ptr_array_find (region->before, ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, value->graph),
                                 NULL);
      for (guint k = 0; k < region->outputs->len && !read; k++)
        read = g_array_index (region->outputs, PhBorderPair, k).before == g_array_index (region->inputs, PhId, i);
      if (!read)
        return TRUE;
    }
  return FALSE;
}

/* Asks once, of the first position that needs it: rewrites declare nothing. */
static gboolean
trusts_shapes (PhProver *prover, const PhRegion *region, PhPromise promise)
{
  /* Another program may have written types that do not hold. */
  if (promise == PH_PROMISE_NONE || (!ph_shapes_are_in (region->before) && !ph_shapes_are_in (region->after)))
    return FALSE;
  if (prover->shapes_follow == 0)
    prover->shapes_follow = ph_shapes_follow (prover->model[0]) ? 1 : -1;
  return prover->shapes_follow > 0;
}

/* Numbers both sides, with constants folded in one way after the other until they are the same. @folds: (inout) the way to begin with; the last
 * one. (transfer full) (nullable) */
static PhStructure *
structure_of (PhProver *prover, const PhRegion *region, gboolean shapes, PhFolds *folds)
{
  const PhFolds first = *folds;
  g_autoptr (PhStructure) structure = ph_structure_new (region, prover->model[0], prover->model[1], first, shapes);

  for (PhFolds other = PH_FOLDS_NONE;
       structure != NULL && other < PH_N_FOLDS && !ph_structure_same (structure) && ph_structure_has_folds (structure); other++)
    if (other != first)
      {
        ph_structure_free (structure);
        structure = ph_structure_new (region, prover->model[0], prover->model[1], *folds = other, shapes);
      }
  return g_steal_pointer (&structure);
}

/* Proves a region by structure: both sides have the same nodes. Merged common code only has so together with its producers. (nullable) */
static PhTrial *
try_structure (PhProver *prover, const PhRegion *region, PhPromise promise)
{
  const gboolean is_known = prover->same_rule == prover->said.rule;
  gboolean shapes = is_known && prover->same_shapes && trusts_shapes (prover, region, promise);
  PhFolds folds = is_known ? prover->same_folds : PH_FOLDS_NONE;
  g_autoptr (PhRegion) wider = NULL;

  for (guint round = 0; round < MAX_MERGED; round++)
    {
      const PhRegion *at = wider != NULL ? wider : region;
      g_autoptr (PhStructure) structure = structure_of (prover, at, shapes, &folds);

      if (structure != NULL && !ph_structure_same (structure) && !shapes && trusts_shapes (prover, region, promise))
        {
          ph_structure_free (structure);
          structure = structure_of (prover, at, shapes = TRUE, &folds);
        }
      if (structure == NULL)
        return NULL;
      if (ph_structure_same (structure))
        {
          PhTrial *trial = trial_of (PH_VERDICT_PROVED, NULL);

          prover->same_folds = folds;
          prover->same_shapes = shapes;
          trial->same_nodes = TRUE;
          prover->work.n_same_nodes++;
          if (prover->captured != NULL && !prover->followed && !ph_prover_wants_capture (prover))
            prover->followed = ph_structure_carry (structure, prover->captured);
          return trial;
        }
      if (at->before->len + at->after->len > MAX_NODES || !reads_more (prover, at))
        return NULL;
      if (wider == NULL)
        wider = ph_region_copy (region);
      if (!ph_region_widen (wider, prover->model[0], prover->model[1], FALSE))
        return NULL;
    }
  return NULL;
}

/* Keeps tensors alive whose addresses are part of a stored key, so that no new tensor gets the same address. */
static void
hold (PhProver *prover, GPtrArray *tensors)
{
  for (guint i = 0; i < tensors->len; i++)
    if (!g_hash_table_contains (prover->held, tensors->pdata[i]))
      g_hash_table_add (prover->held, ph_tensor_ref (tensors->pdata[i]));
}

static void
follow (PhProver *prover, const PhRegion *region, PhTensor *const *captured)
{
  g_autoptr (PhPair) pair = NULL;

  if (ph_prover_carry (prover, region))
    return;
  pair = ph_pair_new (region, prover->model[0], prover->model[1], NULL);
  if (pair != NULL)
    ph_prover_follow (prover, pair, captured);
}

/* Returns a proof by form: what holds for any weights, and was tried on some, holds for these. Not if their bits matter, if computing them
 * may have lost accuracy, or if a smaller type with a smaller range occurs. (transfer full) (nullable) */
static PhTrial *
try_form (PhProver *prover, const PhRegion *region, const PhRegionForm *form, PhPromise promise)
{
  g_autoptr (PhTrial) trial = NULL;

  if (form->known == NULL || form->known->result != PH_FIELD_EQUAL || form->known->used_fixed || promise == PH_PROMISE_BITS
      || promise == PH_PROMISE_NONE)
    return NULL;
  for (guint i = 0; i < form->made->len; i++)
    if (!ph_magnitudes_are_sound (prover->magnitudes, form->made->pdata[i])
        || !ph_field_images_recipe_holds (prover->images, form->made->pdata[i]))
      return NULL;
  trial = trial_of (PH_VERDICT_PROVED, NULL);
  trial->field = ph_field_report_copy (form->known);
  trial->n_sizes = 1;
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId id = g_array_index (region->inputs, PhId, i);
      const PhValue *was = ph_model_find_value (prover->model[0], id), *is = ph_model_find_value (prover->model[1], id);
      const PhType *type = was != NULL && was->type != NULL ? was->type : is != NULL ? is->type : NULL;

      if (type == NULL || (type->dtype != PH_FLOAT && type->dtype != PH_DOUBLE))
        return NULL;
      trial->any_size = trial->any_size || !ph_type_is_static (type);
    }
  return g_steal_pointer (&trial);
}

/* Tries an unknown form with few channels. (transfer full) NULL: that does not prove the region */
static PhTrial *
try_fewer (PhProver *prover, const PhRegion *region, PhRegionForm *form, const PhTrialOptions *options)
{
  g_autoptr (PhFewer) fewer = NULL;
  g_autoptr (PhTrial) trial = NULL, of_form = NULL;
  PhTrialOptions own = *options;

  if (form->sizes == NULL || form->known != NULL || options->promise == PH_PROMISE_BITS || options->promise == PH_PROMISE_NONE)
    return NULL;
  fewer = ph_fewer_new (region, prover->model[0], prover->model[1], form, options->captured);
  if (fewer == NULL)
    return NULL;
  own.form = fewer->form;
  own.captured = fewer->captured != NULL ? (PhTensor *const *) fewer->captured->pdata : NULL;
  own.cost = PH_PROVE_NODE_FLOPS;
  trial = ph_pair_try (fewer->pair, &own, NULL);
  if (trial == NULL || trial->verdict != PH_VERDICT_PROVED || trial->of_form == NULL)
    return NULL;
  form->known = trial->of_form;
  of_form = try_form (prover, region, form, options->promise);
  form->known = NULL;
  return of_form != NULL ? g_steal_pointer (&trial) : NULL;
}

static void
remember_form (PhProver *prover, const PhRegionForm *form, PhTrial *trial)
{
  if (trial == NULL || trial->of_form == NULL || (trial->is_own && form->sizes != NULL))
    return;
  hold (prover, form->tensors);
  g_hash_table_insert (prover->forms, g_bytes_ref (form->key), g_steal_pointer (&trial->of_form));
}

static PhTrial *
try_region (PhProver *prover, const PhRegion *region, PhPromise promise, double flops, gboolean whole, gboolean structured,
            GError **error)
{
  g_autofree PhBounds *bounds = g_new (PhBounds, region->inputs->len + 1);
  g_autofree PhTensor **captured = g_new0 (PhTensor *, region->inputs->len + 1);
  g_autofree gboolean *is_free = g_new0 (gboolean, region->inputs->len + 1);
  /* clang-format off */
  PhTrialOptions options = {
    .promise = promise, .bounds = bounds, .is_free = is_free, .seed = prover->seed, .flops = flops, .whole = whole,
    .asked = whole && prover->whole, .flowing = prover->flowing, .hurried = prover->hurried,
    .proved = whole && prover->proved, .kept = whole && prover->kept, .brief = whole && prover->brief,
    .cost = MAX (cost_of (region->before), cost_of (region->after)), .images = prover->images, .work = &prover->work,
    .cancellable = ph_prover_cancellable (prover)
  };
  /* clang-format on */
  g_autoptr (GBytes) key = NULL;
  g_autoptr (GPtrArray) named = g_ptr_array_new ();
  g_autoptr (PhRegionForm) form = NULL;
  PhTrial *trial = NULL;
  const gboolean has_captured = prover->captured != NULL && (whole || !ph_prover_wants_capture (prover));

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId id = g_array_index (region->inputs, PhId, i);
      const PhValue *value = ph_model_find_value (prover->model[0], id);

      if (value == NULL)
        value = ph_model_find_value (prover->model[1], id);
      bounds[i] = value != NULL ? ph_value_bounds (value) : PH_BOUNDS_NONE;
      is_free[i] = value != NULL && value->is_input && value->graph->owner == NULL && value->tensor == NULL;
      if (has_captured)
        captured[i] = g_hash_table_lookup (prover->captured, GUINT_TO_POINTER (id));
      if (has_captured && captured[i] == NULL && value != NULL && value->is_input)
        captured[i] = value->tensor;
    }
  options.captured = has_captured ? captured : NULL;
  key = whole || prover->flowing ? NULL : ph_region_key (region, prover->model[0], prover->model[1], &options, NULL, named);
  trial = key != NULL ? g_hash_table_lookup (prover->known, key) : NULL;
  if (trial != NULL)
    {
      prover->work.n_known++;
      follow (prover, region, captured);
      return ph_trial_copy (trial);
    }
  trial = structured ? NULL : try_structure (prover, region, promise);
  prover->same_rule = trial != NULL ? prover->said.rule : NULL;
  if (trial != NULL)
    return trial;
  prover->work.n_tried += !whole;
  form = key != NULL && !prover->hurried
             ? ph_region_form_new (region, prover->model[0], prover->model[1], &options, prover->magnitudes)
             : NULL;
  options.form = form;
  if (form != NULL)
    form->known = g_hash_table_lookup (prover->forms, form->key);
  trial = form != NULL ? try_form (prover, region, form, promise) : NULL;
  if (trial != NULL)
    {
      prover->work.n_forms++;
      follow (prover, region, captured);
      return trial;
    }
  prover->work.n_forms += form != NULL && form->known != NULL && form->known->result == PH_FIELD_EQUAL;
  trial = form != NULL ? try_fewer (prover, region, form, &options) : NULL;
  if (trial != NULL)
    follow (prover, region, captured);
  else
    trial = try_pair (prover, region, &options, error);
  remember_form (prover, form, trial);
  if (trial != NULL && key != NULL && ph_verdict_is_good (trial->verdict))
    {
      hold (prover, named);
      g_hash_table_insert (prover->known, g_bytes_ref (key), ph_trial_copy (trial));
    }
  return trial;
}

/* Returns TRUE if the region can be tried without captured values: its inputs are floats, and open dimensions are tried at several sizes of
 * their own, more than one run has. A change that promises nothing is tried on captured values first. */
static gboolean
is_plain (PhProver *prover, const PhRegion *region, PhPromise promise)
{
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhValue *value = ph_model_find_value (prover->model[0], g_array_index (region->inputs, PhId, i));

      if (value == NULL || value->type == NULL || value->type->kind != PH_KIND_TENSOR || !value->type->has_rank
          || (promise == PH_PROMISE_NONE && !ph_type_is_static (value->type))
          || (value->type->dtype != PH_FLOAT && value->type->dtype != PH_DOUBLE))
        return FALSE;
    }
  return TRUE;
}

PhTrial *
ph_prover_try_region (PhProver *prover, const PhRegion *region, PhPromise promise, double flops, gboolean whole, GError **error)
{
  const gboolean wants_capture = !whole && ph_prover_wants_capture (prover);
  gboolean structured = whole;

  /* Other rewrites of a rule are likely to be proved in the same way. */
  if (wants_capture || (!whole && prover->same_rule != NULL && prover->same_rule == prover->said.rule))
    {
      PhTrial *trial = try_structure (prover, region, promise);

      prover->same_rule = trial != NULL ? prover->said.rule : NULL;
      if (trial != NULL)
        return trial;
      structured = TRUE;
    }
  if (wants_capture && !is_plain (prover, region, promise))
    ph_prover_capture (prover, prover->at);
  return try_region (prover, region, promise, flops, whole, structured, error);
}

/* The error of a cast of numbers with float precision, such as doubles made from floats. */
#define LITTLE 1e-6

/* Returns TRUE if a wider region cannot change the verdict. A difference at the border of a foreign change is final even if the rest of the
 * model hides it: no guard has checked its context. */
static gboolean
is_settled (PhProver *prover, const PhRegion *region, PhPromise promise, const PhTrial *trial)
{
  if (trial->verdict == PH_VERDICT_DIFFERENT && promise == PH_PROMISE_NONE && !reads_more (prover, region)
      && !(trial->error > 0 && trial->error < LITTLE))
    return TRUE;
  return trial->verdict == PH_VERDICT_PROVED || trial->verdict == PH_VERDICT_SAME || trial->verdict == PH_VERDICT_CLOSE
         || (trial->verdict == PH_VERDICT_DIFFERENT && promise != PH_PROMISE_NONE && trial->shown_by == PH_SAMPLE_CAPTURED
             && !reads_more (prover, region));
}

/* Returns TRUE if the results agree but are not equal over the field: together with its producers the region may be proved. */
static gboolean
may_be_proved (const PhTrial *trial, guint round)
{
  return (trial->verdict == PH_VERDICT_SAME || trial->verdict == PH_VERDICT_CLOSE) && round < 2 && trial->field != NULL
         && trial->field->result == PH_FIELD_UNEQUAL;
}

/* Tries a region, then extends it by its producers and tries again: a rule may rely on them. */
static PhTrial *
prove_region (PhProver *prover, PhRegion *region, PhPromise promise, double flops, GError **error)
{
  PhTrial *trial = NULL;
  gboolean is_plain = FALSE; /* ordinary numbers showed a difference of the region as it was found */

  prover->followed = region->after->len == 0;
  if (region->outputs->len == 0)
    return trial_of (PH_VERDICT_PROVED, NULL);
  if (region->before->len == 0 && region->after->len == 0)
    ph_region_widen (region, prover->model[0], prover->model[1], FALSE);
  if (promise == PH_PROMISE_NONE || reads_more (prover, region))
    ph_region_close (region, prover->model[0], prover->model[1]);
  for (guint round = 0; round < MAX_WIDER; round++)
    {
      PhTrial *next = ph_prover_try_region (prover, region, promise, flops, FALSE, error);

      if (next == NULL)
        {
          g_clear_pointer (&trial, ph_trial_free);
          return NULL;
        }
      /* A wider region may be proved where this one was only the same, but the verdict cannot get worse. */
      if (trial != NULL && ph_verdict_worse (trial->verdict, next->verdict) == next->verdict && trial->verdict != next->verdict)
        {
          ph_trial_free (next);
          break;
        }
      /* For a change that promises nothing, only a good verdict with the producers excuses the difference without them; that they leave
       * nothing to vary, only a difference that ordinary numbers showed. */
      if (trial != NULL && promise == PH_PROMISE_NONE && trial->verdict == PH_VERDICT_DIFFERENT
          && !ph_verdict_is_good (next->verdict)
          && !(is_plain && next->verdict == PH_VERDICT_NOTHING && next->n_sets >= PH_PROVE_ENOUGH_SETS))
        ph_trial_free (next);
      else
        {
          g_clear_pointer (&trial, ph_trial_free);
          trial = next;
        }
      is_plain = round == 0 ? trial->verdict == PH_VERDICT_DIFFERENT && trial->shown_by == PH_SAMPLE_NORMAL : is_plain;
      if ((is_settled (prover, region, promise, trial) && !may_be_proved (trial, round))
          || region->before->len + region->after->len > MAX_NODES
          || !ph_region_widen (region, prover->model[0], prover->model[1], round > 0))
        break;
    }
  return trial;
}

/* Proves a region without running the model, and with captured values only if that fails. @narrow: the region as found; @region: as it was
 * extended. */
static PhTrial *
prove_with_captured (PhProver *prover, const PhRegion *narrow, PhRegion **region, PhPromise promise, double flops, GError **error)
{
  PhTrial *trial = prove_region (prover, *region, promise, flops, error);

  if (trial == NULL || trial->verdict == PH_VERDICT_PROVED || !ph_prover_wants_capture (prover))
    return trial;
  ph_trial_free (trial);
  ph_region_free (*region);
  *region = ph_region_copy (narrow);
  ph_prover_capture (prover, prover->at);
  return prove_region (prover, *region, promise, flops, error);
}

/* ── one rewrite ── */

/* Returns TRUE if @graph belongs to a function that exists on both sides: the callers of one that came or went changed as well. */
static gboolean
in_lasting_function (PhProver *prover, const PhGraph *graph)
{
  const PhFunction *function = graph != NULL ? ph_graph_root (graph)->function : NULL;

  return function != NULL && ph_model_find_function (prover->model[0], function->domain, function->name) != NULL
         && ph_model_find_function (prover->model[1], function->domain, function->name) != NULL;
}

/* Returns TRUE if a result of @node is used; otherwise its change makes no difference. */
static gboolean
is_read (const PhNode *node)
{
  for (guint i = 0; i < node->outputs->len; i++)
    if (ph_value_n_uses (node->outputs->pdata[i]) > 0)
      return TRUE;
  return FALSE;
}

/* Returns why @rewrite cannot be computed, or NULL if it can. */
static const char *
why_not (PhProver *prover, const PhRewrite *rewrite)
{
  for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits; i++)
    for (guint side = 0; side < 2; side++)
      {
        const PhId id = ((PhEdit *) prover->history[0]->edits->pdata[i])->id;
        const PhNode *node = ph_model_find_node (prover->model[side], id);
        const PhValue *value = ph_model_find_value (prover->model[side], id);
        const PhGraph *graph = node != NULL    ? node->graph
                               : value != NULL ? value->graph
                                               : ph_model_find_graph (prover->model[side], id);
        const PhDialect *dialect;

        if (node == NULL && value != NULL)
          node = value->producer;
        dialect = node != NULL ? ph_dialect_find (node->domain) : NULL;
        if (dialect != NULL && dialect->foreign != NULL && is_read (node))
          return "it changes operators of another system, which are shown and compared here, but not computed";
        if (in_lasting_function (prover, graph))
          return "it changes a function: inline the functions first, then what calls it is computed";
      }
  return NULL;
}

PhRewriteProof *
ph_prover_rewrite (PhProver *prover, guint index, GError **error)
{
  PhHistory *history = prover->history[0];
  const PhPosition at = ph_prove_position_of (history, index);
  const PhStep *step = &g_array_index (history->steps, PhStep, at.step);
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, index);
  const PhPosition next = at.rewrite + 1 < step->n_rewrites ? (PhPosition) { at.step, at.rewrite + 1 }
                                                            : (PhPosition) { at.step + 1, 0 };
  PhRewriteProof *known = g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (index + 1)), *one;
  g_autoptr (GPtrArray) regions = NULL;
  PhPromise promise;
  double flops;
  const char *why, *retyped;

  if (known != NULL)
    return known;
  if (!ph_prover_go (prover, at, next, error))
    return NULL;
  if (ph_model_opset (prover->model[0], "llvm") != 0 && (why = why_not (prover, rewrite)) != NULL)
    return ph_prover_foreign_step (prover, at.step, why, error)
               ? g_hash_table_lookup (prover->proofs, GUINT_TO_POINTER (index + 1))
               : NULL;
  one = ph_rewrite_proof_new ();
  promise = ph_prover_promise (prover, at.step, rewrite);
  prover->at = rewrite->first_edit;
  /* All regions of a step together may cost as much as two runs of the model. */
  flops = prover->hurried ? PH_PROVE_LEAST_FLOPS
                          : CLAMP (2 * prover->cost / MAX (step->n_rewrites, 1), PH_PROVE_LEAST_FLOPS, PH_PROVE_REGION_FLOPS);
  why = why_not (prover, rewrite);
  if (why != NULL)
    {
      g_autoptr (PhTrial) trial = trial_of (PH_VERDICT_NONE, why);

      ph_rewrite_proof_add (one, trial, NULL);
      g_hash_table_insert (prover->proofs, GUINT_TO_POINTER (index + 1), one);
      return one;
    }
  retyped = ph_prover_find_retyped (prover);
  regions = ph_regions_find (prover->model[0], prover->model[1], history, rewrite->first_edit,
                             rewrite->first_edit + rewrite->n_edits);
  if (prover->model[1]->graph->outputs->len < prover->model[0]->graph->outputs->len)
    {
      g_autoptr (PhTrial) trial = trial_of (PH_VERDICT_DIFFERENT, "an output of the model is gone");

      ph_rewrite_proof_add (one, trial, NULL);
    }
  if (retyped != NULL)
    {
      g_autofree char *said = g_strdup_printf ("output '%s' of the model is of another type", retyped);
      g_autoptr (PhTrial) trial = trial_of (PH_VERDICT_DIFFERENT, said);

      ph_rewrite_proof_add (one, trial, NULL);
    }
  /* An operator of an older opset is computed by its upgraded form: an upgrade cannot contradict itself. */
  for (guint i = regions->len; i-- > 0 && g_str_equal (step->pass, "upgrade-opset");)
    {
      const gboolean reworded = ph_region_is_reworded (regions->pdata[i], prover->model[0], prover->model[1]);
      g_autoptr (PhTrial) trial
          = reworded
                ? trial_of (PH_VERDICT_PROVED, NULL)
                : trial_of (PH_VERDICT_NOTHING,
                            "an older operator is computed by its upgraded form, so nothing independent could contradict it");

      trial->reworded = reworded;
      ph_rewrite_proof_add (one, trial, NULL);
      g_ptr_array_remove_index (regions, i);
    }
  for (guint i = 0; i < regions->len; i++)
    {
      g_autoptr (PhRegion) narrow = ph_region_copy (regions->pdata[i]);
      g_autoptr (PhTrial) trial = prove_with_captured (prover, narrow, (PhRegion **) &regions->pdata[i], promise, flops, error);

      if (trial != NULL && trial->verdict == PH_VERDICT_DIFFERENT)
        trial = ph_prover_follow_readers (prover, narrow, g_steal_pointer (&trial), promise, flops, error);
      if (trial == NULL)
        {
          ph_rewrite_proof_free (one);
          return NULL;
        }
      ph_rewrite_proof_add (
          one, trial,
          trial->verdict == PH_VERDICT_DIFFERENT ? ph_prover_border_name (prover, regions->pdata[i], trial->output) : NULL);
      if (trial->verdict == PH_VERDICT_DIFFERENT)
        g_clear_pointer (&prover->captured, g_hash_table_unref);
    }
  if (prover->captured_at == rewrite->first_edit)
    prover->captured_at = rewrite->first_edit + rewrite->n_edits;
  g_hash_table_insert (prover->proofs, GUINT_TO_POINTER (index + 1), one);
  return one;
}
