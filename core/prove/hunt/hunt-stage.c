/* hunt-stage.c: hunts in one pass: tries its changes rewrite by rewrite, and as a whole; at a difference, the pass runs alone on ever
 * larger parts of the model around it until the fault appears there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/hunt-private.h"

#include "core/io/io.h"
#include "core/prove/distance.h"
#include "core/prove/hunt/anchor.h"
#include "core/prove/hunt/deadline.h"
#include "core/prove/hunt/runner.h"
#include "core/prove/prover-private.h"
#include "core/prove/prover.h"

/* Rewrites of one stage that are looked into. */
#define MOST_SUSPECTS 24
/* The share of the time that reducing may take. */
#define REDUCING 0.6
/* In microseconds: the least time for a proof, even if the pass itself took all the time. */
#define LEAST_PROVING (2 * G_USEC_PER_SEC)

/* The number of repeated runs of another program that was right, and the time they may take at least, in microseconds. */
#define MOST_AGAIN  8
#define LEAST_AGAIN (6 * G_USEC_PER_SEC)

/* ── reducing ── */

static void
on_reducing (guint tests, guint nodes, gpointer data)
{
  ph_hunting_say (data, -1, "reducing: %u nodes after %u tries", nodes, tests);
}

/* Reduces from the first of @anchors in @before on which @stage shows the fault. */
static gboolean
reduce_stage (PhHunting *self, const PhHuntStage *stage, PhModel *before, GPtrArray *anchors, const PhFault *like)
{
  PhFaultPass pass = ph_hunting_pass (self, stage);
  PhReduceOptions options = { .progress = on_reducing, .data = self };

  /* A part of the remaining time, however long the proof took. */
  if (self->deadline > 0)
    options.deadline = g_get_monotonic_time () + (gint64) (REDUCING * (double) MAX (self->deadline - g_get_monotonic_time (), 0));
  for (guint i = 0; i < anchors->len && self->hunt->reduced == NULL && !ph_hunting_is_over (self); i++)
    self->hunt->reduced = ph_reduce (&pass, before, anchors->pdata[i], self->values, like, &options, self->error);
  self->hunt->n_runs += pass.n_runs;
  return self->hunt->reduced != NULL;
}

/* ── one stage ── */

/* Proves the stage within 1/@share of the remaining time. Rewrites left untried may still show in the results of the model. */
static PhProof *
prove (PhHunting *self, PhModel *after, gboolean hurried, guint share, guint *n_untried)
{
  const gint64 now = g_get_monotonic_time (),
               end = self->deadline > 0 ? now + MAX ((self->deadline - now) / share, LEAST_PROVING) : 0;
  g_autoptr (PhDeadline) deadline = ph_deadline_new (self->options->cancellable, end);
  g_autoptr (PhProver) prover = ph_prover_new (ph_model_clone (after), ph_history_snapshot (self->history), self->options->feeds,
                                               self->options->seed);
  PhRunOptions options = { .cancellable = ph_deadline_get_cancellable (deadline) };
  const guint n = self->history->steps->len;
  const PhPosition from = { n - 1, 0 }, to = { n, 0 };
  PhProof *proof;

  ph_prover_set_hurried (prover, hurried);
  proof = ph_prover_compare (prover, from, to, &options, NULL);
  *n_untried = 0;
  if (proof == NULL && !g_cancellable_is_cancelled (self->options->cancellable))
    proof = ph_prover_compare_known (prover, from, to, n_untried);
  return proof;
}

/* Differences on captured values come first. */
static int
by_suspicion (gconstpointer a, gconstpointer b)
{
  const PhProofDifference *x = *(const PhProofDifference *const *) a, *y = *(const PhProofDifference *const *) b;
  const int flows[] = { x->shown_by == PH_SAMPLE_CAPTURED, y->shown_by == PH_SAMPLE_CAPTURED };
  const int extreme[] = { x->shown_by >= PH_SAMPLE_EXTREME, y->shown_by >= PH_SAMPLE_EXTREME };

  if (flows[0] != flows[1])
    return flows[1] - flows[0];
  if (extreme[0] != extreme[1])
    return extreme[0] - extreme[1];
  return ph_position_compare (x->at, y->at);
}

/* Returns the model after rewrite @index of the step that led to @after. */
static PhModel *
model_after (PhHunting *self, PhModel *after, guint index)
{
  PhModel *model = ph_model_clone (after);
  g_autoptr (PhHistory) history = ph_history_snapshot (self->history);
  const PhPosition at = ph_prove_position_of (history, index + 1);

  history->position = self->history->position;
  if (!ph_history_go (history, model, at, NULL))
    g_clear_pointer (&model, ph_model_free);
  return model;
}

static void
take_rewrite (PhHunting *self, PhModel *before, PhPosition at, GPtrArray *anchors)
{
  GHashTableIter iter;
  gpointer node;

  g_free (self->hunt->rewrite);
  self->hunt->rewrite = g_strdup_printf ("%u.%u", at.step + 1, at.rewrite + 1);
  g_clear_pointer (&self->hunt->nodes, g_ptr_array_unref);
  self->hunt->nodes = g_ptr_array_new_with_free_func (g_free);
  if (anchors->len == 0 || before == NULL)
    return;
  g_hash_table_iter_init (&iter, anchors->pdata[0]);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    if (*((PhNode *) node)->name != '\0')
      g_ptr_array_add (self->hunt->nodes, g_strdup (((PhNode *) node)->name));
}

/* Rewrites that differ alone on inputs up to @furthest, the most suspicious first. (transfer container) (element-type PhProofDifference) */
static GPtrArray *
suspects_of (const PhProof *proof, PhSampleKind furthest)
{
  GPtrArray *suspects = g_ptr_array_new ();

  for (guint i = 0; i < proof->differences->len; i++)
    if (g_array_index (proof->differences, PhProofDifference, i).shown_by <= furthest)
      g_ptr_array_add (suspects, &g_array_index (proof->differences, PhProofDifference, i));
  g_ptr_array_sort (suspects, by_suspicion);
  return suspects;
}

/* A pass may be wrong in more than one way. */
static void
note_others (PhHunting *self, GPtrArray *suspects, const PhProofDifference *guilty)
{
  self->hunt->others = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < suspects->len; i++)
    {
      const PhProofDifference *one = suspects->pdata[i];
      const PhRewrite *rewrite = ph_history_rewrite_at (self->history, one->at);

      if (one == guilty)
        continue;
      g_ptr_array_add (self->hunt->others,
                       rewrite != NULL && *rewrite->rule != '\0'
                           ? g_strdup_printf ("%u.%u, rule %s", one->at.step + 1, one->at.rewrite + 1, rewrite->rule)
                           : g_strdup_printf ("%u.%u", one->at.step + 1, one->at.rewrite + 1));
    }
}

/* Names the most suspicious rewrite without trying it again. */
static void
name_suspect (PhHunting *self, PhModel *before, PhModel *after, const PhProof *proof)
{
  g_autoptr (GPtrArray) suspects = suspects_of (proof, PH_SAMPLE_NONFINITE);
  const PhProofDifference *suspect = suspects->len > 0 ? suspects->pdata[0] : NULL;
  const guint index = suspect != NULL ? ph_prove_index_of (self->history, suspect->at) : 0;
  g_autoptr (PhModel) then = suspect != NULL ? model_after (self, after, index) : NULL;
  g_autoptr (GPtrArray) anchors = then != NULL ? ph_anchors_of_rewrite (before, then, self->history, index) : NULL;

  if (anchors != NULL)
    take_rewrite (self, before, suspect->at, anchors);
}

/* Treats each rewrite that differs alone as a suspect; guilty is the first around which the pass, run again, shows the fault. */
static gboolean
question (PhHunting *self, const PhHuntStage *stage, PhModel *before, const PhProof *proof, PhSampleKind furthest)
{
  g_autoptr (GPtrArray) suspects = suspects_of (proof, furthest);
  PhModel *after = self->model;

  for (guint i = 0; i < MIN (suspects->len, MOST_SUSPECTS) && !ph_hunting_is_over (self); i++)
    {
      const PhProofDifference *suspect = suspects->pdata[i];
      const guint index = ph_prove_index_of (self->history, suspect->at);
      g_autoptr (PhModel) then = NULL;
      g_autoptr (GPtrArray) anchors = NULL;

      ph_hunting_say (self, (double) i / suspects->len, "%s: rewrite %u of %u that differ", stage->pass->name, i + 1,
                      suspects->len);
      then = model_after (self, after, index);
      if (then == NULL)
        continue;
      self->furthest = MAX (suspect->shown_by, PH_SAMPLE_DENSE);
      anchors = ph_anchors_of_rewrite (before, then, self->history, index);
      if (stage->only_once ? ph_hunting_cut_pair (self, after, suspect->at) : reduce_stage (self, stage, before, anchors, NULL))
        {
          take_rewrite (self, before, suspect->at, anchors);
          note_others (self, suspects, suspect);
          return TRUE;
        }
    }
  return FALSE;
}

/* Runs the pass on single calls of a changed function, since the proof cannot try a function by itself. */
static gboolean
question_calls (PhHunting *self, const PhHuntStage *stage, PhModel *before, const PhProof *proof)
{
  g_autoptr (GPtrArray) anchors = NULL;

  if (proof->n_none == 0 || stage->only_once || ph_hunting_is_over (self))
    return FALSE;
  anchors = ph_anchors_of_calls (before);
  return reduce_stage (self, stage, before, anchors, NULL);
}

/* Returns the first value of the same name on both sides that differs. A name may have been reused for another value, so this is a hint,
 * not a finding. */
static char *
first_apart (PhModel *before, GHashTable *was, GHashTable *is)
{
  PH_FOREACH_NODE (node, before->graph)
    for (guint k = 0; k < node->outputs->len; k++)
      {
        const char *name = ph_node_output (node, k)->name;
        PhTensor *a = g_hash_table_lookup (was, name), *b = g_hash_table_lookup (is, name);

        if (a != NULL && b != NULL)
          {
            g_auto (PhDistance) distance = ph_distance (b, a);

            if (distance.why != NULL || distance.error > 1e-3
                || distance.n_exact + distance.n_lost + distance.n_gained + distance.n_changed > 0)
              return g_strdup (name);
          }
      }
  return NULL;
}

/* Searches for the fault of a model that is wrong as a whole, or fails. */
static gboolean
search (PhHunting *self, const PhHuntStage *stage, PhModel *before, PhModel *after, const PhFault *fault)
{
  g_autoptr (GPtrArray) anchors = NULL;

  if (stage->only_once)
    return FALSE;
  if (fault->message != NULL)
    {
      anchors = ph_anchors_of_message (before, fault->message);
      if (reduce_stage (self, stage, before, anchors, fault))
        return TRUE;
    }
  if (fault->kind == PH_FAULT_WRONG && after != NULL && self->values != NULL)
    {
      g_autoptr (GHashTable) is = ph_fault_values (after, fault->witness, self->options->seed, self->options->cancellable);
      g_autofree char *name = is != NULL ? first_apart (before, self->values, is) : NULL;

      g_clear_pointer (&anchors, g_ptr_array_unref);
      anchors = name != NULL ? ph_anchors_of_value (before, name) : g_ptr_array_new ();
      if (reduce_stage (self, stage, before, anchors, fault))
        return TRUE;
    }
  g_clear_pointer (&anchors, g_ptr_array_unref);
  anchors = ph_anchors_of_all (before);
  ph_hunting_say (self, -1, "%s: reducing the whole model", stage->pass->name);
  return reduce_stage (self, stage, before, anchors, fault);
}

static void
convict (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhFaultKind kind)
{
  PhHunt *hunt = self->hunt;
  g_autofree char *arguments = stage->arguments != NULL ? g_strjoinv (" ", stage->arguments) : NULL;
  g_autofree char *quoted = arguments != NULL ? g_shell_quote (arguments) : NULL;

  hunt->found = TRUE;
  hunt->kind = hunt->reduced != NULL ? hunt->reduced->fault->kind : kind;
  hunt->step = hunt->steps->len - 1;
  hunt->pass = g_strdup (step->name);
  hunt->command = quoted != NULL ? g_strdup_printf ("run %s %s", stage->pass->name, quoted)
                                 : g_strdup_printf ("run %s", stage->pass->name);
  hunt->file = g_strdup (ph_pass_get_file (stage->pass));
  step->fault = hunt->kind;
}

/* Compares the whole model, computed by the runner if there is one. (nullable) */
static PhFault *
compare_whole (PhHunting *self, PhModel *before)
{
  GHashTable *feeds = self->values != NULL ? self->values : self->options->feeds;

  return self->options->runner != NULL
             ? ph_runner_fault (self->options->runner, before, self->model, feeds, self->options->cancellable)
             : ph_fault_compare (before, self->model, feeds, FALSE, self->options->cancellable);
}

/* Notes which operators are unknown, if nothing was found because they could not be computed. */
static void
note_unknown (PhHunting *self, const PhHuntStage *stage)
{
  g_autoptr (GPtrArray) unknown = ph_model_list_unknown (self->model);
  g_autofree char *names = NULL;

  if (unknown->len == 0 || self->hunt->note != NULL)
    return;
  g_ptr_array_add (unknown, NULL);
  names = g_strjoinv (", ", (char **) unknown->pdata);
  self->hunt->note = g_strdup_printf ("what %s wrote was not computed: operators are not known here: %s", stage->pass->name,
                                      names);
}

/* Notes a proof's doubts about the pass that no run confirms, and rewrites that were not tried. */
static void
note_doubts (PhHunting *self, const PhHuntStage *stage, const PhHuntStep *step)
{
  if (self->hunt->note != NULL)
    return;
  if (step->n_untried > 0)
    self->hunt->note = g_strdup_printf ("%u of %u rewrites of %s were not tried: --seconds N gives more time", step->n_untried,
                                        step->n_rewrites, stage->pass->name);
  else if (step->verdict == PH_VERDICT_DIFFERENT)
    self->hunt->note = g_strdup_printf ("%u of %u rewrites of %s differ alone, but not beyond rounding where the pass runs again",
                                        step->n_different, step->n_rewrites, stage->pass->name);
}

static void
take_values (PhHunting *self, PhModel *before)
{
  if (self->values == NULL)
    self->values = ph_fault_values (before, self->options->feeds, self->options->seed, self->options->cancellable);
}

/* Out of time, or stopped: blames the suspect of the proof. */
static gboolean
convict_suspect (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhModel *before, const PhProof *proof)
{
  if (proof->verdict != PH_VERDICT_DIFFERENT || !ph_hunting_is_over (self) || (!self->hunt->out_of_time && !self->hunt->stopped))
    return FALSE;
  convict (self, stage, step, PH_FAULT_WRONG);
  name_suspect (self, before, self->model, proof);
  self->hunt->note = g_strdup (
      self->hunt->stopped ? "a rewrite of it gives other results; the hunt was stopped before the model was reduced"
                          : "a rewrite of it gives other results; there was no time to reduce the model: --seconds N gives more");
  return TRUE;
}

/* Looks for an obvious fault in little time before the full proof. Returns TRUE if one is found. */
static gboolean
glance (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhModel *before)
{
  guint n_untried;
  g_autoptr (PhProof) proof = prove (self, self->model, TRUE, 4, &n_untried);
  g_autoptr (PhFault) fault = NULL;

  if (proof == NULL || (proof->verdict != PH_VERDICT_DIFFERENT && g_strcmp0 (stage->pass->group, "foreign") != 0))
    return FALSE;
  step->verdict = proof->verdict;
  step->n_different = proof->n_different;
  take_values (self, before);
  if (question (self, stage, before, proof, PH_SAMPLE_DENSE))
    {
      convict (self, stage, step, PH_FAULT_WRONG);
      return TRUE;
    }
  if (convict_suspect (self, stage, step, before, proof))
    return TRUE;
  if (g_strcmp0 (stage->pass->group, "foreign") == 0 && !stage->only_once && !ph_hunting_is_over (self))
    fault = compare_whole (self, before);
  if (fault == NULL || !search (self, stage, before, self->model, fault))
    return FALSE;
  convict (self, stage, step, fault->kind);
  return TRUE;
}

/* Tries the pass's changes, rewrite by rewrite and as a whole. */
static void
try_stage (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhModel *before)
{
  const gboolean foreign = g_strcmp0 (stage->pass->group, "foreign") == 0;
  g_autoptr (PhProof) proof = NULL;
  g_autoptr (PhFault) fault = NULL;

  ph_hunting_say (self, -1, "%s: trying %u rewrite%s", stage->pass->name, step->n_rewrites, step->n_rewrites == 1 ? "" : "s");
  if ((foreign && glance (self, stage, step, before)) || ph_hunting_is_over (self))
    return;
  proof = prove (self, self->model, FALSE, 2, &step->n_untried);
  if (proof == NULL)
    return;
  step->verdict = proof->verdict;
  step->n_different = proof->n_different;
  if (proof->verdict != PH_VERDICT_DIFFERENT && proof->n_none == 0 && step->n_untried == 0 && self->options->runner == NULL)
    return;
  take_values (self, before);
  if (question (self, stage, before, proof, PH_SAMPLE_NONFINITE) || question_calls (self, stage, before, proof))
    {
      convict (self, stage, step, PH_FAULT_WRONG);
      return;
    }
  if (convict_suspect (self, stage, step, before, proof))
    return;
  fault = ph_hunting_is_over (self) ? NULL : compare_whole (self, before);
  if (fault != NULL)
    search (self, stage, before, self->model, fault);
  self->closely = self->hunt->reduced == NULL && proof->verdict == PH_VERDICT_DIFFERENT && !ph_hunting_is_over (self);
  if (self->closely && question (self, stage, before, proof, PH_SAMPLE_NONFINITE))
    {
      convict (self, stage, step, PH_FAULT_WRONG);
      return;
    }
  self->closely = FALSE;
  if (fault == NULL)
    {
      note_unknown (self, stage);
      note_doubts (self, stage, step);
      return;
    }
  convict (self, stage, step, fault->kind);
  if (self->hunt->reduced == NULL)
    self->hunt->note = g_strdup_printf ("the model differs%s%s, and no part of it that is smaller was found to",
                                        fault->output != NULL ? " at " : "", fault->output != NULL ? fault->output : "");
}

static gboolean
run_pass (PhHunting *self, const PhHuntStage *stage, PhModel *model, PhHistory *history, GError **error)
{
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = self->options->allow;
  options.arguments = (const char *const *) stage->arguments;
  options.folder = self->options->folder;
  options.rules_off = self->options->rules_off;
  options.cancellable = self->options->cancellable;
  options.keep_opset = stage->keep_opset;
  self->hunt->n_runs++;
  return ph_pass_run (stage->pass, model, history, &options, error);
}

/* A pass that fails is a result. */
static void
convict_failure (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhModel *before, const GError *failure)
{
  const PhFaultKind kind = ph_fault_of_error (failure);
  g_autoptr (PhFault) fault = ph_fault_new (kind, failure->message);

  take_values (self, before);
  search (self, stage, before, NULL, fault);
  convict (self, stage, step, kind);
  if (self->hunt->reduced == NULL && self->hunt->note == NULL)
    self->hunt->note = g_strdup (failure->message);
}

static void
try_run (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhModel *before)
{
  step->n_rewrites = g_array_index (self->history->steps, PhStep, self->history->steps->len - 1).n_rewrites;
  if (stage->always || step->n_rewrites == 0)
    step->verdict = PH_VERDICT_PROVED;
  else
    try_stage (self, stage, step, before);
}

/* Runs another program again a few times: a fault that appears in one of three runs is more likely than not to be absent from the first.
 * Takes little time compared to the work so far. */
static void
try_again (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step, PhModel *before, PhHistory *earlier, gint64 began)
{
  const gint64 start = g_get_monotonic_time (), end = start + MAX ((start - began) / 4, LEAST_AGAIN);
  g_autoptr (GBytes) first = ph_onnx_write (self->model, NULL);

  for (guint i = 1; i <= MOST_AGAIN && first != NULL && !ph_hunting_is_over (self) && g_get_monotonic_time () < end; i++)
    {
      PhModel *model = ph_model_clone (before);
      PhHistory *history = ph_history_snapshot (earlier);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) own = NULL;
      gboolean ran;

      history->position = earlier->position;
      ran = run_pass (self, stage, model, history, &own);
      bytes = ran ? ph_onnx_write (model, NULL) : NULL;
      if (bytes == NULL || g_bytes_equal (bytes, first))
        {
          ph_model_free (model);
          ph_history_free (history);
        }
      else
        {
          ph_model_free (self->model);
          ph_history_free (self->history);
          self->model = model;
          self->history = history;
          try_run (self, stage, step, before);
        }
      if (!ran && !g_cancellable_is_cancelled (self->options->cancellable) && ph_fault_of_error (own) != PH_FAULT_NONE)
        convict_failure (self, stage, step, before, own);
      if (self->hunt->found)
        {
          g_free (self->hunt->note);
          self->hunt->note = g_strdup_printf ("it flickers: it was right %u times before it was wrong", i);
          return;
        }
    }
}

gboolean
ph_hunting_run_stage (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step)
{
  const gboolean foreign = g_strcmp0 (stage->pass->group, "foreign") == 0;
  const gint64 began = g_get_monotonic_time ();
  g_autoptr (PhModel) before = ph_model_clone (self->model);
  g_autoptr (PhHistory) earlier = ph_history_snapshot (self->history);
  g_autoptr (GError) own = NULL;

  earlier->position = self->history->position;
  if (!run_pass (self, stage, self->model, self->history, &own))
    {
      if (g_cancellable_is_cancelled (self->options->cancellable))
        return TRUE;
      if (ph_fault_of_error (own) == PH_FAULT_NONE)
        {
          g_propagate_error (self->error, g_steal_pointer (&own));
          return FALSE;
        }
      convict_failure (self, stage, step, before, own);
      return TRUE;
    }
  try_run (self, stage, step, before);
  if (foreign && !stage->always && !stage->only_once && !self->hunt->found)
    try_again (self, stage, step, before, earlier, began);
  return TRUE;
}
