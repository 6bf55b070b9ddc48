/* commands-step.c: run, step, back, goto, bookmark.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/meant.h"
#include "core/console/other-code.h"
#include "core/console/reply-rows.h"
#include "core/prove/prover.h"
#include "core/run/inputs.h"

/* ── running passes ── */

typedef struct
{
  PhJob *job;      /* (nullable) nothing to compute: only go                */
  PhPosition go;   /* if no job runs                                        */
  guint from;      /* the first step that this command reports, from 0      */
  guint first;     /* the first of the job's                                */
  gboolean ahead;  /* compute, but stay                                     */
  gboolean breaks; /* stop before a rewrite that has a breakpoint           */
  PhPosition start;
  gboolean verify;   /* each step against the one before                      */
  GHashTable *feeds; /* (nullable) name -> PhTensor, for that                 */
  GPtrArray *proofs; /* (nullable) (element-type PhProof) results of the job  */
  char *folder;      /* (nullable) where foreign programs run                 */
} Run;

static void
run_free (gpointer data)
{
  Run *run = data;

  g_clear_pointer (&run->job, ph_job_free);
  g_clear_pointer (&run->feeds, g_hash_table_unref);
  for (guint s = 0; run->proofs != NULL && s < run->proofs->len; s++)
    g_clear_pointer ((PhProof **) &run->proofs->pdata[s], ph_proof_free);
  g_clear_pointer (&run->proofs, g_ptr_array_unref);
  g_free (run->folder);
  g_free (run);
}

static gint64
known_count (const PhValue *value)
{
  return value != NULL && value->type != NULL ? MAX (ph_type_count (value->type), 0) : 0;
}

gboolean
ph_call_is_quick (PhCall *call, guint nodes, gint64 flops)
{
  const PhGraph *graph = ph_document_get_model (call->document)->graph;

  if (graph->n_nodes > nodes)
    return FALSE;
  /* What only moves elements, and what another system's operator computes, costs an operation an element. */
  for (guint i = 0; i < graph->inputs->len && flops > 0; i++)
    flops -= known_count (graph->inputs->pdata[i]);
  PH_FOREACH_NODE (node, graph)
    if (flops > 0)
      flops -= MAX (ph_node_flops (node), node->outputs->len > 0 ? known_count (ph_node_output (node, 0)) : 0);
  return flops > 0;
}

/* Decides whether to verify: the steps of a small model are verified at once, unless the document does so in the background. */
static void
run_decide_verify (Run *run, PhCall *call, gboolean asked, gboolean refused)
{
  run->verify = asked || (!refused && !ph_document_get_proves (call->document) && ph_call_is_quick (call, 200, 10000000));
  run->feeds = run->verify ? ph_feeds_copy (ph_document_get_feeds (call->document)) : NULL;
  run->proofs = run->verify ? g_ptr_array_new () : NULL;
}

/* Verifies each of the job's own steps against the previous one. */
static gboolean
verify_job (PhCall *call, Run *run, GError **error)
{
  PhHistory *history = ph_job_get_history (run->job);
  g_autoptr (PhProver) prover = ph_job_prover (run->job, run->feeds);
  PhRunOptions options = { .cancellable = call->cancellable };

  for (guint s = 0; s < history->steps->len; s++)
    {
      g_autofree char *what = g_strdup_printf ("verifying %s", g_array_index (history->steps, PhStep, s).pass);
      PhProof *proof;

      ph_call_progress (call, what, (double) s / history->steps->len);
      proof = ph_prover_compare (prover, (PhPosition) { s, 0 }, (PhPosition) { s + 1, 0 }, &options, error);
      if (proof == NULL)
        return FALSE;
      g_ptr_array_add (run->proofs, proof);
      if (!ph_prover_blame (prover, proof, &options, error))
        return FALSE;
    }
  return TRUE;
}

/* Takes the proofs, with steps renumbered: the job counts from its own start. */
static void
take_proofs (PhCall *call, Run *run)
{
  for (guint s = 0; s < run->proofs->len; s++)
    {
      PhProof *proof = g_steal_pointer (&run->proofs->pdata[s]);

      proof->a.step += run->first;
      proof->b.step += run->first;
      proof->blame.step += run->first;
      ph_document_take_proof (call->document, run->first + s, proof);
    }
  g_ptr_array_set_size (run->proofs, 0);
}

static void
run_progress (const char *pass, guint rewrites, gpointer data)
{
  g_autofree char *what = g_strdup_printf ("%s: %u rewrites", pass, rewrites);

  ph_call_progress (data, what, -1);
}

gboolean
ph_run_work (PhCall *call, GError **error)
{
  Run *run = call->data;

  if (run->job == NULL)
    return TRUE;
  ph_job_get_options (run->job)->progress = run_progress;
  ph_job_get_options (run->job)->progress_data = call;
  ph_job_set_keeps_start (run->job, run->verify);
  return ph_job_run (run->job, call->cancellable, error) && (!run->verify || verify_job (call, run, error));
}

/* Shows the last rewrite if the position is inside a step. */
static void
reply_rewrite (PhCall *call)
{
  PhHistory *history = ph_document_get_history (call->document);
  PhPosition at = ph_document_get_position (call->document);
  guint index;
  const guint number = ph_document_get_rewrite (call->document, &index);
  g_autofree char *text = ph_position_to_string (at);

  ph_call_reply_position (call);
  ph_reply_say (call->reply, "position %s of %u", text, history->steps->len);
  if (number > 0)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, index);
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + number - 1);

      ph_json_set (call->reply->json, "pass", step->pass);
      ph_json_set (call->reply->json, "rule", rewrite->rule);
      ph_json_set (call->reply->json, "why", rewrite->why);
      ph_reply_say (call->reply, ": %s/" PH_STYLE_KEY "%s" PH_STYLE_RESET " (%u of %u): %s", step->pass, rewrite->rule, number,
                    step->n_rewrites, rewrite->why);
    }
  else if (at.step > 0)
    ph_reply_say (call->reply, ": after %s", g_array_index (history->steps, PhStep, at.step - 1).pass);
  ph_reply_say (call->reply, "\n");
}

/* Reports why `run` stopped, as text and as `stopped` in JSON. */
static void
reply_stop (PhCall *call, const char *text)
{
  ph_json_set (call->reply->json, "stopped", text);
  ph_reply_say (call->reply, "%s\n", text);
}

static void
reply_rewrite_break (PhCall *call, PhPosition stop)
{
  PhHistory *history = ph_document_get_history (call->document);
  const PhStep *step = &g_array_index (history->steps, PhStep, stop.step);
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + stop.rewrite);
  const char *which = ph_document_find_break (call->document, stop);
  g_autofree char *text = g_strdup_printf ("stopped at the breakpoint on %s, before %s/%s at n%u", which, step->pass,
                                           rewrite->rule, rewrite->node);

  if (rewrite->node != PH_NO_ID)
    ph_document_set_selection (call->document, rewrite->node);
  reply_stop (call, text);
}

static void
reply_pass_break (PhCall *call)
{
  guint next = ph_document_next_entry (call->document);
  const PhPipelineEntry *entry = next != G_MAXUINT
                                     ? &g_array_index (ph_document_get_entries (call->document), PhPipelineEntry, next)
                                     : NULL;

  if (call->argc == 0 && entry != NULL && entry->breakpoint)
    {
      g_autofree char *text = g_strdup_printf ("stopped before %s, which has a breakpoint", entry->pass->name);

      reply_stop (call, text);
    }
}

/* Returns TRUE if a requested pass has run. */
static gboolean
any_asked_for (PhCall *call, Run *run)
{
  GArray *steps = ph_job_get_history (run->job)->steps;

  return steps->len > 1
         || (steps->len == 1 && (call->argc == 0 || g_str_has_prefix (g_array_index (steps, PhStep, 0).pass, call->argv[0])));
}

static void
reply_nothing (PhCall *call)
{
  const char *idle = ph_document_get_idle (call->document);

  if (idle != NULL)
    ph_json_set (call->reply->json, "idle", idle);
  if (idle != NULL)
    ph_reply_say (call->reply, "nothing to run: %s\n", idle);
  else
    ph_reply_say (call->reply, "nothing to run: the pipeline is done (`pipeline %s` starts it again from here)\n",
                  ph_document_get_pipeline (call->document));
}

gboolean
ph_run_finish (PhCall *call, GError **error)
{
  Run *run = call->data;
  JsonArray *rows = ph_reply_array (call->reply, "steps");
  PhHistory *history = ph_document_get_history (call->document);
  guint end;

  /* An error or Ctrl+C keeps the finished passes, which may have taken minutes. If only the automatic first one has run, a cancelled
   * command leaves no trace. */
  if (!call->reply->ok && g_cancellable_is_cancelled (call->cancellable) && (run->job == NULL || !any_asked_for (call, run)))
    return TRUE;
  if (run->job != NULL ? !ph_document_take_job (call->document, run->job, !run->ahead, error)
                       : !ph_document_go (call->document, run->go, error))
    return FALSE;
  if (run->proofs != NULL)
    take_proofs (call, run);
  if (run->breaks && !run->ahead)
    {
      PhPosition here = ph_document_get_position (call->document),
                 stop = ph_document_next_break (call->document, run->start, here);

      if (ph_position_compare (stop, here) < 0)
        {
          if (!ph_document_go (call->document, stop, error))
            return FALSE;
          reply_rewrite_break (call, stop);
          reply_rewrite (call);
          return TRUE;
        }
    }
  ph_call_reply_position (call);
  end = run->ahead ? history->steps->len : ph_document_get_position (call->document).step;
  for (guint s = run->from; s < end; s++)
    ph_step_to_json (call->document, s, ph_json_add_object (rows));
  ph_reply_steps (call->reply, rows, TRUE);
  if (json_array_get_length (rows) == 0 && call->reply->ok)
    reply_nothing (call);
  if (run->breaks && !run->ahead)
    reply_pass_break (call);
  return TRUE;
}

static const PhPass *
find_pass (const char *name, GError **error)
{
  const PhPass *pass = ph_pass_find (name);
  g_autofree char *meant = NULL;
  guint n;
  const PhPipeline *pipelines = ph_pipeline_list (&n);

  if (pass != NULL)
    return pass;
  for (guint i = 0; i < n; i++)
    if (g_ascii_strcasecmp (name, pipelines[i].name) == 0)
      {
        g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                     "there is no pass '%s': `pipeline %s` chooses the pipeline, and `run` runs it", name, pipelines[i].name);
        return NULL;
      }
  meant = ph_meant_pass (name);
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pass '%s'%s", name,
               *meant != '\0' ? meant : ": `passes` lists them");
  return NULL;
}

/* "run dce cse" runs two passes; "run autodiff y wrt x" runs one with arguments. */
static gboolean
add_named_passes (PhCall *call, PhJob *job, GError **error)
{
  for (guint i = 0; i < call->argc; i++)
    {
      const PhPass *pass = find_pass (call->argv[i], error);

      if (pass == NULL)
        return FALSE;
      if (pass->needs_arguments)
        {
          ph_job_add_pass (job, pass, (const char *const *) call->argv + i + 1);
          return TRUE;
        }
      ph_job_add_pass (job, pass, NULL);
    }
  return TRUE;
}

/* Returns the first step after the next one with a breakpoint before it, or the end of the history. */
static guint
next_breakpoint (PhDocument *document, guint from)
{
  GArray *entries = ph_document_get_entries (document);
  guint end = ph_document_get_history (document)->steps->len;

  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, PhPipelineEntry, i).breakpoint)
      {
        int step = ph_document_entry_step (document, i);

        if (step > (int) from && (guint) step < end)
          end = (guint) step;
      }
  return end;
}

/* Returns the number of passes that `run --to` still needs: enabled entries after the end of the history, up to and including @entry. */
static guint
passes_until (PhDocument *document, guint entry)
{
  GArray *entries = ph_document_get_entries (document);
  guint n = 0;

  for (guint i = entry + 1; i-- > 0 && ph_document_entry_step (document, i) < 0;)
    n += g_array_index (entries, PhPipelineEntry, i).enabled;
  return n;
}

/* Where one thread does it all, nobody reads the document before the passes end. */
static PhJob *
job_new (PhCall *call, PhPosition at)
{
  return call->threaded ? ph_job_new (call->document, at) : ph_job_new_in_place (call->document, at);
}

gboolean
ph_run_begin (PhCall *call, GError **error)
{
  g_autofree char *to = NULL, *folder = NULL;
  guint entry = 0;
  Run *run;
  gboolean ahead = ph_call_take_flag (call, "--ahead"), verify = ph_call_take_flag (call, "--verify");
  gboolean bare = ph_call_take_flag (call, "--no-verify");
  double limit = -1, seed = 0;
  PhPosition at = ph_document_get_position (call->document);
  PhHistory *history = ph_document_get_history (call->document);

  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--limit", &limit, error)
      || !ph_call_take_number (call, "--seed", &seed, error) || !ph_call_take_option (call, "--to", &to, error)
      || !ph_call_take_option (call, "--folder", &folder, error)
      || !ph_call_need_args (call, 0, to != NULL ? 0 : G_MAXUINT, error)
      || (to != NULL && !ph_call_find_entry (call, to, &entry, error)))
    return FALSE;

  run = g_new0 (Run, 1);
  run->ahead = ahead;
  run->folder = g_steal_pointer (&folder);
  run->breaks = TRUE;
  /* If the run starts in front of a rewrite with a break, it continues past it. */
  run->start = at.step < history->steps->len ? ph_history_next (history, at, TRUE) : at;
  if (ph_position_compare (ph_document_next_break (call->document, at, run->start), run->start) == 0)
    run->start = at;
  run_decide_verify (run, call, verify, bare);
  run->from = at.step;
  ph_call_set_data (call, run, run_free);
  if (call->argc > 0)
    {
      run->from += at.rewrite > 0 ? 1 : 0;
      run->first = run->from;
      run->job = job_new (call, at);
      if (!add_named_passes (call, run->job, error))
        return FALSE;
      ph_job_get_options (run->job)->allow = PH_LOSSY;
    }
  else
    {
      /* Steps that exist are walked; the rest is run after them. */
      PhPosition end = { next_breakpoint (call->document, at.step), 0 };
      int done = to != NULL ? ph_document_entry_step (call->document, entry) : -1;

      if (done >= 0 && (guint) done >= end.step)
        done = -1;
      else if (done >= 0)
        end.step = (guint) done + 1;
      if (!ahead && (done >= 0 || end.step < history->steps->len))
        {
          run->go = end;
          return TRUE;
        }
      end.step = history->steps->len;
      run->first = end.step;
      run->job = job_new (call, end);
      ph_job_add_pipeline (run->job, to != NULL ? passes_until (call->document, entry) : G_MAXUINT);
      if (ph_job_n_passes (run->job) == 0)
        {
          g_clear_pointer (&run->job, ph_job_free);
          run->go = ahead ? at : end;
        }
    }
  if (run->job != NULL)
    {
      if (limit >= 0)
        ph_job_get_options (run->job)->limit = (guint) limit;
      ph_job_get_options (run->job)->seed = (guint64) seed;
      ph_job_get_options (run->job)->folder = run->folder;
    }
  return TRUE;
}

/* ── moving ── */

static gboolean
step_begin (PhCall *call, GError **error)
{
  PhHistory *history = ph_document_get_history (call->document);
  PhPosition at = ph_document_get_position (call->document);
  const char *idle = ph_document_get_idle (call->document);
  Run *run;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  run = g_new0 (Run, 1);
  run->from = at.step;
  run_decide_verify (run, call, FALSE, FALSE);
  ph_call_set_data (call, run, run_free);
  if (at.step < history->steps->len)
    {
      run->go = ph_history_next (history, at, FALSE);
      return TRUE;
    }
  run->job = job_new (call, at);
  ph_job_add_pipeline (run->job, 1);
  if (ph_job_n_passes (run->job) == 0 && idle != NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "nothing to run: %s", idle);
      return FALSE;
    }
  if (ph_job_n_passes (run->job) == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "the pipeline is done: `pipeline %s` starts it again from here, "
                   "`run PASS` runs another pass",
                   ph_document_get_pipeline (call->document));
      return FALSE;
    }
  return TRUE;
}

static gboolean
move_begin (PhCall *call, gboolean forward, gboolean by_rewrite, GError **error)
{
  PhHistory *history = ph_document_get_history (call->document);
  PhPosition at = ph_document_get_position (call->document), to;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  to = forward ? ph_history_next (history, at, by_rewrite) : ph_history_previous (history, at, by_rewrite);
  if (!forward && ph_position_compare (at, to) == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "this is the file as it is: there is nothing before it");
      return FALSE;
    }
  if (!(forward && by_rewrite ? ph_document_go_rewrite : ph_document_go) (call->document, to, error))
    return FALSE;
  reply_rewrite (call);
  return TRUE;
}

static gboolean
back_begin (PhCall *call, GError **error)
{
  return move_begin (call, FALSE, FALSE, error);
}

static gboolean
back_into_begin (PhCall *call, GError **error)
{
  return move_begin (call, FALSE, TRUE, error);
}

/* Runs the next pass without moving, because one can only step into a pass that has run. */
static gboolean
step_into_begin (PhCall *call, GError **error)
{
  PhHistory *history = ph_document_get_history (call->document);
  Run *run;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  if (ph_document_get_position (call->document).step < history->steps->len)
    return TRUE;
  if (!step_begin (call, error))
    return FALSE;
  run = call->data;
  run->ahead = TRUE;
  return TRUE;
}

static gboolean
step_into_work (PhCall *call, GError **error)
{
  return call->data == NULL || ph_run_work (call, error);
}

static gboolean
step_into_finish (PhCall *call, GError **error)
{
  Run *run = call->data;

  if (run != NULL && !ph_document_take_job (call->document, run->job, FALSE, error))
    return FALSE;
  return move_begin (call, TRUE, TRUE, error);
}

static gboolean
goto_begin (PhCall *call, GError **error)
{
  PhPosition to;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 1, 1, error))
    return FALSE;
  if (!ph_call_find_position (call, call->argv[0], &to, error))
    return FALSE;
  /* 3.2 is a rewrite, also where it is the last one of its step. */
  if (!(strchr (call->argv[0], '.') != NULL && call->argv[0][1] != '\0' ? ph_document_go_rewrite
                                                                        : ph_document_go) (call->document, to, error))
    return FALSE;
  reply_rewrite (call);
  return TRUE;
}

static gboolean
bookmark_begin (PhCall *call, GError **error)
{
  gboolean set = ph_call_take_flag (call, "--set");
  PhPosition at = ph_document_get_position (call->document);
  guint64 number;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 1, 1, error))
    return FALSE;
  if (!g_ascii_string_to_unsigned (call->argv[0], 10, 1, 9, &number, NULL))
    return ph_call_usage (call, error, "bookmarks are 1 to 9");
  if (set || !ph_document_get_bookmark (call->document, (guint) number, &at))
    {
      ph_document_set_bookmark (call->document, (guint) number, at);
      ph_reply_say (call->reply, "bookmark %u is set\n", (guint) number);
    }
  else if (!ph_document_go (call->document, at, error))
    return FALSE;
  reply_rewrite (call);
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "run", "[PASS...] [--to PASS] [--limit N] [--seed N] [--folder FOLDER] [--verify | --no-verify]", N_ ("Run the rest of the pipeline, or these passes"),
    "`run` goes to the end of the pipeline. `run cse dce` runs two passes here and drops the steps ahead. --to PASS stops behind that pass of the pipeline. --limit N stops each "
    "pass after N rewrites; --seed N visits nodes in a shuffled order; --folder FOLDER is where a program of `run exec` runs; --verify compares each step with the "
    "one before on real tensors, as is done unasked where the model is small and --no-verify does not forbid it; --ahead computes the steps without moving.",
    N_ ("_Run Pipeline"), "<Control>F10", "media-skip-forward-symbolic",
    PH_CODE (ph_run_begin, ph_run_work, ph_run_finish, .finish_after_error = TRUE) },
  { "step", "", N_ ("Forward by one pass"), NULL, N_ ("_Step"), "F10", "go-next-symbolic", PH_CODE (step_begin, ph_run_work, ph_run_finish) },
  { "back", "", N_ ("Back by one pass"), NULL, N_ ("Step _Back"), "<Shift>F10", "go-previous-symbolic", PH_CODE (back_begin) },
  { "step into", "", N_ ("Forward by one rewrite"), NULL, N_ ("Step _Into"), "F11", "go-down-symbolic",
    PH_CODE (step_into_begin, step_into_work, step_into_finish) },
  { "back into", "", N_ ("Back by one rewrite"), NULL, N_ ("Step Back Int_o"), "<Shift>F11", "go-up-symbolic",
    PH_CODE (back_into_begin) },
  { "goto", "STEP[.REWRITE]", "Go to a position", "0 is the file, 3 is after step 3, 3.2 is two rewrites into step 3, end is the end.",
    NULL, NULL, NULL, PH_CODE (goto_begin) },
  { "bookmark", "N [--set]", "Go to bookmark 1 to 9, or set it here when it is not set", NULL, NULL, NULL, NULL,
    PH_CODE (bookmark_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_step = { rows, G_N_ELEMENTS (rows) };
