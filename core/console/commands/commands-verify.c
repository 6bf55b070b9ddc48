/* commands-verify.c: verify, bisect, check.
 * SPDX-License-Identifier: GPL-3.0-or-later */

#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/other-code.h"
#include "core/console/reply-rows.h"
#include "core/document/pass-plan.h"
#include "core/prove/cases/cases.h"
#include "core/prove/hunt/runner.h"
#include "core/prove/prover.h"
#include "core/run/inputs.h"

/* ── verify ── */

typedef struct
{
  PhPosition a, b;
  gboolean adopt; /* feed the document the counterexample                         */
  guint generation;
  PhSnapshot *snapshot;
  GHashTable *feeds; /* name -> PhTensor */
  guint64 seed;
  PhProof *proof;         /* (nullable) of the two positions                              */
  PhProofJob *steps;      /* (nullable) if requested                                      */
  char *runner;           /* (nullable) a program that computes both, too                 */
  PhRunnerReport *report; /* (nullable) its result                                        */
} Verify;

static void
verify_free (gpointer data)
{
  Verify *verify = data;

  g_clear_pointer (&verify->snapshot, ph_snapshot_free);
  g_clear_pointer (&verify->feeds, g_hash_table_unref);
  g_clear_pointer (&verify->proof, ph_proof_free);
  g_clear_pointer (&verify->steps, ph_proof_job_free);
  g_clear_pointer (&verify->report, ph_runner_report_free);
  g_free (verify->runner);
  g_free (verify);
}

static gboolean
verify_begin (PhCall *call, GError **error)
{
  gboolean each = ph_call_take_flag (call, "--steps"), adopt = ph_call_take_flag (call, "--adopt");
  g_autofree char *runner = NULL;
  double seed = 1;
  Verify *verify;

  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--seed", &seed, error)
      || !ph_call_take_option (call, "--runner", &runner, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  verify = g_new0 (Verify, 1);
  verify->runner = g_steal_pointer (&runner);
  ph_call_set_data (call, verify, verify_free);
  verify->adopt = adopt;
  verify->b = ph_document_get_position (call->document);
  if (call->argc > 0 && !ph_call_find_position (call, call->argv[0], &verify->a, error))
    return FALSE;
  if (call->argc > 1 && !ph_call_find_position (call, call->argv[1], &verify->b, error))
    return FALSE;
  if (ph_position_compare (verify->a, verify->b) > 0)
    {
      PhPosition a = verify->a;

      verify->a = verify->b;
      verify->b = a;
    }
  verify->feeds = ph_feeds_copy (ph_document_get_feeds (call->document));
  verify->generation = ph_document_get_generation (call->document);
  verify->snapshot = ph_snapshot_new (call->document);
  verify->seed = (guint64) seed;
  if (each)
    verify->steps = ph_proof_job_new (call->document, verify->a.step, verify->b.step);
  return TRUE;
}

static gboolean
work_runner (PhCall *call, Verify *verify, GError **error)
{
  g_autoptr (PhModel) before = ph_model_clone (ph_snapshot_at (verify->snapshot, verify->a)), after = NULL;

  ph_snapshot_done (verify->snapshot);
  after = ph_snapshot_take (verify->snapshot, verify->b);
  ph_call_progress (call, "running the program", -1);
  verify->report = ph_runner_judge (verify->runner, before, after, verify->feeds, verify->seed, call->cancellable, error);
  return verify->report != NULL;
}

static gboolean
finish_runner (PhCall *call, const Verify *verify)
{
  const PhRunnerReport *report = verify->report;
  JsonObject *json = call->reply->json;

  ph_json_set (json, "runner", verify->runner);
  ph_json_set (json, "verdict", ph_runner_verdict_name (report->verdict));
  ph_json_set (json, "output", report->output);
  ph_json_set (json, "expected", report->expected);
  ph_json_set (json, "actual", report->actual);
  ph_json_set (json, "sentence", report->sentence);
  ph_reply_say (call->reply, "%s%s" PH_STYLE_RESET ": %s\n",
                report->verdict == PH_RUNNER_AGREES ? PH_STYLE_ADDED : PH_STYLE_REMOVED, ph_runner_verdict_name (report->verdict),
                report->sentence);
  if (report->expected != NULL)
    ph_reply_say (call->reply, "%s %s: %s should be %s\n", report->output, report->place != NULL ? report->place : "",
                  report->actual, report->expected);
  return TRUE;
}

static gboolean
work_here (PhCall *call, Verify *verify, GError **error)
{
  PhRunOptions options = { .cancellable = call->cancellable };
  g_autoptr (PhProver) prover = ph_prover_new_of (verify->snapshot, verify->feeds, verify->seed);

  ph_call_progress (call, "comparing", -1);
  ph_prover_set_whole (prover, TRUE);
  verify->proof = ph_prover_compare (prover, verify->a, verify->b, &options, error);
  if (verify->proof == NULL || !ph_prover_blame (prover, verify->proof, &options, error))
    return FALSE;
  return verify->steps == NULL || ph_proof_job_run (verify->steps, call->cancellable, error);
}

static gboolean
verify_work (PhCall *call, GError **error)
{
  Verify *verify = call->data;

  return verify->runner != NULL ? work_runner (call, verify, error) : work_here (call, verify, error);
}

static void
say_blame (PhCall *call, const PhProof *proof, PhHistory *history)
{
  const PhRewrite *rewrite = ph_history_rewrite_at (history, proof->blame);

  if (!proof->blamed || rewrite == NULL)
    return;
  /* A change of many parts, such as that of another program, is at no single node. */
  g_autofree char *at = rewrite->node != PH_NO_ID ? g_strdup_printf (" at n%u", rewrite->node) : g_strdup ("");
  ph_reply_say (call->reply, "results change at %u.%u: %s/" PH_STYLE_KEY "%s" PH_STYLE_RESET "%s: %s\n", proof->blame.step + 1,
                proof->blame.rewrite + 1, g_array_index (history->steps, PhStep, proof->blame.step).pass, rewrite->rule, at,
                rewrite->why);
}

static void
say_outputs (PhCall *call, const PhProof *proof)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "name", "output", .style = PH_STYLE_KEY }, { "verdict", "verdict" }, { "max_scaled_error", "max error", .right = TRUE, .digits = 2 },
    { "max_ulp", "max ulp", .right = TRUE },
  };
  /* clang-format on */
  JsonArray *outputs = ph_reply_array (call->reply, "outputs");

  for (guint i = 0; i < proof->outputs->len; i++)
    {
      const PhProofOutput *output = &g_array_index (proof->outputs, PhProofOutput, i);
      JsonObject *row = ph_json_add_object (outputs);

      ph_json_set (row, "name", output->name);
      json_object_set_double_member (row, "max_abs_error", output->max_abs_error);
      json_object_set_double_member (row, "max_scaled_error", output->max_scaled_error);
      json_object_set_int_member (row, "max_ulp", (gint64) MIN (output->max_ulp, G_MAXINT64));
      json_object_set_string_member (row, "verdict",
                                     ph_verdict_name (!output->close ? PH_VERDICT_DIFFERENT
                                                      : output->same ? PH_VERDICT_SAME
                                                                     : PH_VERDICT_CLOSE));
    }
  ph_reply_table (call->reply, outputs, columns, G_N_ELEMENTS (columns));
}

/* The reference keeps the feeds alive: setting the first one drops the document's proofs and their contents. */
static void
adopt_feeds (PhCall *call, const PhProof *proof)
{
  g_autoptr (GHashTable) feeds = g_hash_table_ref (proof->feeds);
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    ph_document_set_feed (call->document, name, tensor);
  ph_reply_say (call->reply, "the inputs are fed with what shows it\n");
}

static const char *
style_of (PhVerdict verdict)
{
  return ph_verdict_is_good (verdict) ? PH_STYLE_ADDED : verdict == PH_VERDICT_DIFFERENT ? PH_STYLE_REMOVED : PH_STYLE_DIM;
}

static gboolean
verify_finish (PhCall *call, GError **error)
{
  Verify *verify = call->data;
  const PhProof *proof = verify->proof;
  PhHistory *history = ph_document_get_history (call->document);
  g_autofree char *from = ph_position_to_string (verify->a), *to = ph_position_to_string (verify->b);

  if (verify->generation != ph_document_get_generation (call->document))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "the document changed meanwhile: verify again");
      return FALSE;
    }
  if (verify->report != NULL)
    return finish_runner (call, verify);
  if (proof->verdict == PH_VERDICT_NONE)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "it could not be compared: %s", proof->problem);
      return FALSE;
    }
  if (verify->steps != NULL)
    ph_document_take_proofs (call->document, verify->steps);
  else if (verify->a.rewrite == 0 && verify->b.rewrite == 0 && verify->b.step == verify->a.step + 1)
    {
      ph_document_take_proof (call->document, verify->a.step, g_steal_pointer (&verify->proof));
      proof = ph_document_get_proof (call->document, verify->a.step);
    }

  ph_json_set (call->reply->json, "from", from);
  ph_json_set (call->reply->json, "to", to);
  ph_json_set (call->reply->json, "verdict", ph_verdict_name (proof->verdict));
  json_object_set_double_member (call->reply->json, "max_abs_error", proof->max_abs_error);
  json_object_set_double_member (call->reply->json, "max_scaled_error", proof->max_scaled_error);
  ph_proof_to_json (proof, history, call->reply->json);

  ph_reply_say (call->reply, "%s to %s: %s%s" PH_STYLE_RESET " (%s)\n", from, to, style_of (proof->verdict),
                ph_verdict_name (proof->verdict), ph_exactness_name (proof->exactness));
  ph_reply_say (call->reply, "%s\n", proof->sentence);
  say_outputs (call, proof);
  if (proof->first_difference != NULL)
    ph_reply_say (call->reply, "%s\n", proof->first_difference);
  say_blame (call, proof, history);
  if (verify->steps != NULL)
    {
      JsonArray *steps = ph_reply_array (call->reply, "steps");

      for (guint s = verify->a.step; s < verify->b.step; s++)
        ph_step_to_json (call->document, s, ph_json_add_object (steps));
      ph_reply_steps (call->reply, steps, FALSE);
    }
  if (verify->adopt && proof->feeds != NULL)
    adopt_feeds (call, proof);
  return TRUE;
}

/* ── bisect ── */

static gboolean
bisect_begin (PhCall *call, GError **error)
{
  Verify *verify;

  if (!verify_begin (call, error))
    return FALSE;
  verify = call->data;
  if (verify->runner != NULL)
    return ph_call_usage (call, error, "bisect computes here: `hunt --runner` searches with a program");
  if (ph_position_compare (verify->a, verify->b) >= 0)
    return ph_call_usage (call, error, "there is nothing between the two positions");
  return TRUE;
}

/* Blames a pass that failed, whatever the results are. */
static gboolean
blame_failure (PhCall *call, PhHistory *history, guint first, guint end)
{
  JsonObject *json = call->reply->json;

  for (guint s = first; s < MIN (end, history->steps->len); s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      g_autofree char *position = g_strdup_printf ("%u", s + 1);

      if (step->failure == NULL)
        continue;
      json_object_set_boolean_member (json, "found", TRUE);
      json_object_set_string_member (json, "position", position);
      json_object_set_int_member (json, "step", s + 1);
      json_object_set_int_member (json, "rewrite", 1);
      json_object_set_string_member (json, "pass", step->pass);
      json_object_set_string_member (json, "node", "n0");
      json_object_set_string_member (json, "verdict", "error");
      json_object_set_string_member (json, "failure", step->failure);
      ph_reply_say (call->reply, "the pass of step %u failed: %s\n", s + 1, step->failure);
      return TRUE;
    }
  return FALSE;
}

static gboolean
bisect_finish (PhCall *call, GError **error)
{
  Verify *verify = call->data;
  const PhProof *proof = verify->proof;
  PhHistory *history = ph_snapshot_get_history (verify->snapshot);
  JsonObject *json = call->reply->json;
  const PhRewrite *rewrite = proof->blamed ? ph_history_rewrite_at (history, proof->blame) : NULL;

  json_object_set_boolean_member (json, "found", rewrite != NULL);
  if (rewrite == NULL && blame_failure (call, history, verify->a.step, verify->b.step))
    return TRUE;
  if (proof->verdict == PH_VERDICT_NONE)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "it could not be compared: %s", proof->problem);
      return FALSE;
    }
  if (rewrite == NULL)
    {
      ph_reply_say (call->reply, "the two positions agree: there is nothing to blame\n");
      return TRUE;
    }

  g_autofree char *position = g_strdup_printf ("%u.%u", proof->blame.step + 1, proof->blame.rewrite + 1);
  g_autofree char *node = g_strdup_printf ("n%u", rewrite->node);

  json_object_set_string_member (json, "position", position);
  json_object_set_int_member (json, "step", proof->blame.step + 1);
  json_object_set_int_member (json, "rewrite", proof->blame.rewrite + 1);
  json_object_set_string_member (json, "pass", g_array_index (history->steps, PhStep, proof->blame.step).pass);
  json_object_set_string_member (json, "rule", rewrite->rule);
  json_object_set_string_member (json, "node", node);
  ph_json_set (json, "why", rewrite->why);
  ph_json_set (json, "first_difference", proof->first_difference);
  say_blame (call, proof, history);
  ph_reply_say (call->reply, "%s\n", proof->first_difference);
  return TRUE;
}

/* ── check ── */

typedef struct
{
  char *hunt;
  char **folders;
  PhCaseOptions options;
  gboolean lossy;
  GPtrArray *passes, *arguments; /* the same number of both; an element of the second is a GStrv, or NULL */
  guint passed, failed;
} Check;

static void
check_free (gpointer data)
{
  Check *check = data;

  g_strfreev (check->folders);
  g_free (check->hunt);
  g_ptr_array_unref (check->passes);
  g_ptr_array_unref (check->arguments);
  g_free (check);
}

/* Adds one pass of a list, with its arguments: exec 'python3 mypass.py'. */
static gboolean
check_add_pass (Check *check, const char *text, GError **error)
{
  g_auto (GStrv) words = ph_split_words (text, error);
  const PhPass *pass = words != NULL && *words != NULL ? ph_pass_find (*words) : NULL;

  if (words == NULL)
    return FALSE;
  if (pass == NULL || (words[1] != NULL && !pass->needs_arguments))
    {
      ph_pipeline_set_unknown (text, error);
      return FALSE;
    }
  if (pass->needs_arguments && words[1] == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s needs an argument after it: exec 'python3 mypass.py'", pass->name);
      return FALSE;
    }
  g_ptr_array_add (check->passes, (gpointer) pass);
  g_ptr_array_add (check->arguments, words[1] != NULL ? g_strdupv (words + 1) : NULL);
  return TRUE;
}

static gboolean
check_pipeline (Check *check, const char *typed, GError **error)
{
  g_autofree char *name = ph_pipeline_text (typed, error);
  const PhPipeline *pipeline = name != NULL ? ph_pipeline_find (name) : NULL;
  char quote = '\0', *first = name;

  if (name == NULL)
    return FALSE;
  check->options.allow = pipeline != NULL ? pipeline->allow : check->lossy ? PH_LOSSY : PH_ROUNDING;
  for (guint i = 0; pipeline != NULL && pipeline->passes[i] != NULL; i++)
    if (!check_add_pass (check, pipeline->passes[i], error))
      return FALSE;
  /* A comma inside quotes is the program's. */
  for (char *at = name; pipeline == NULL && first != NULL; at++)
    {
      const gboolean ends = *at == '\0';

      if (*at == '\'' || *at == '"')
        quote = quote == '\0' ? *at : quote == *at ? '\0' : quote;
      if (!ends && (*at != ',' || quote != '\0'))
        continue;
      *at = '\0';
      if (!check_add_pass (check, first, error))
        return FALSE;
      first = ends ? NULL : at + 1;
    }
  check->options.passes = (const PhPass *const *) check->passes->pdata;
  check->options.arguments = (const char *const *const *) check->arguments->pdata;
  check->options.n_passes = check->passes->len;
  return TRUE;
}

static gboolean
check_begin (PhCall *call, GError **error)
{
  Check *check = g_new0 (Check, 1);
  g_autofree char *pipeline = NULL;

  check->passes = g_ptr_array_new ();
  check->arguments = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  check->options.rtol = check->options.atol = -1;
  ph_call_set_data (call, check, check_free);
  if (!ph_call_take_option (call, "--pipeline", &pipeline, error) || !ph_call_take_option (call, "--hunt", &check->hunt, error)
      || !ph_call_take_number (call, "--rtol", &check->options.rtol, error)
      || !ph_call_take_number (call, "--atol", &check->options.atol, error))
    return FALSE;
  check->options.reference = ph_call_take_flag (call, "--reference");
  check->lossy = ph_call_take_flag (call, "--lossy");
  if (!ph_call_need_args (call, 1, G_MAXUINT, error) || (pipeline != NULL && !check_pipeline (check, pipeline, error)))
    return FALSE;
  if (check->hunt != NULL && pipeline == NULL)
    return ph_call_usage (call, error, "--hunt looks for the pass that is wrong: say with --pipeline which passes run");
  check->folders = g_strdupv (call->argv);
  return TRUE;
}

static gboolean
check_work (PhCall *call, GError **error)
{
  Check *check = call->data;
  JsonArray *rows = ph_reply_array (call->reply, "cases");
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; check->folders[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) some = ph_case_find (check->folders[i], call->cancellable, error);

      if (some == NULL)
        return FALSE;
      g_ptr_array_extend_and_steal (all, g_steal_pointer (&some));
    }
  for (guint i = 0; i < all->len; i++)
    {
      g_autoptr (GError) own = NULL;
      g_autofree char *name = g_path_get_basename (all->pdata[i]);
      JsonObject *row;
      gboolean ok;

      ph_call_progress (call, name, (double) i / all->len);
      ok = ph_case_run (all->pdata[i], &check->options, call->cancellable, &own);
      if (g_cancellable_is_cancelled (call->cancellable))
        {
          g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "cancelled after %u of %u cases: %u passed, %u failed", i, all->len,
                       check->passed, check->failed);
          return FALSE;
        }
      row = ph_json_add_object (rows);
      ph_json_set (row, "name", name);
      ph_json_set (row, "folder", all->pdata[i]);
      json_object_set_boolean_member (row, "ok", ok);
      ph_json_set (row, "why", own != NULL ? own->message : NULL);
      if (ok)
        check->passed++;
      else
        {
          check->failed++;
          ph_reply_say (call->reply, PH_STYLE_REMOVED "failed" PH_STYLE_RESET " %s: %s\n", name, own->message);
          if (check->hunt != NULL)
            {
              g_autofree char *out = g_build_filename (check->hunt, name, NULL);

              if (!ph_call_hunt_case (call, all->pdata[i], check->passes, check->arguments, check->options.allow, out, row,
                                      error))
                return FALSE;
            }
        }
    }
  json_object_set_int_member (call->reply->json, "passed", check->passed);
  json_object_set_int_member (call->reply->json, "failed", check->failed);
  ph_reply_say (call->reply, "%u passed, %u failed\n", check->passed, check->failed);
  if (check->failed > 0)
    {
      call->reply->told = TRUE;
      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "%u of %u cases failed", check->failed, all->len);
      return FALSE;
    }
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "verify", "[STEP STEP] [--steps] [--seed N] [--adopt] [--runner PROGRAM]", N_ ("Run the same inputs through two positions and compare"),
    "Without arguments: the file and here. Each rewrite is tried alone, in the region that it changed: on the values that flow there "
    "and on made-up ones that reach what matters, in double, where rounding vanishes, and exactly over a finite field. Then the model as a "
    "whole, on the fed inputs where every input is fed, and on generated ones. 'proved', 'same' and 'close' are ticks; 'nothing shown' says that no "
    "result could have contradicted the change. Where the two differ it says which value at the border of which rewrite is the first "
    "to. --steps also compares each step with the one before; --adopt feeds the inputs that show the difference. "
    "--runner 'PROGRAM' computes both where the model really runs, too, and says whether the pass, the program's kernel, or both are wrong: it is given a "
    "folder with model.onnx and input_0.pb, ..., and leaves output_0.pb, ... there.",
    N_ ("_Verify"), "<Control><Shift>v", "emblem-ok-symbolic", PH_CODE (verify_begin, verify_work, verify_finish) },
  { "bisect", "[STEP STEP]", N_ ("Find the first rewrite that changes the results"), "Without arguments: between the file and here.",
    N_ ("_Bisect"), NULL, NULL, PH_CODE (bisect_begin, verify_work, bisect_finish) },
  { "check", "FILE... [--pipeline PIPELINE] [--hunt FOLDER] [--lossy] [--rtol R] [--atol A]", "Run cases: model.onnx with test_data_set_N, PyTorch's model.pt, or StableHLO's tests",
    "A folder is a case or holds cases. A file of StableHLO is one when its functions compare what they compute with check.expect_eq, "
    "expect_close, ...: each function is converted to ONNX, run, and compared. A folder with model.pt, input_0.npy, ... and output_0.npy, ... is one of PyTorch. With --pipeline the passes run first; NAME may also be passes separated by commas (cse,exec 'python3 mypass.py'), whose "
    "lossy rules run with --lossy only. The "
    "tolerance is the case's own (data.json), or rtol 1e-3 with atol 1e-7, and 1e-4 for whole models, where rounding adds up. Of random outputs only type and shape are "
    "compared.",
    NULL, NULL, NULL, PH_CODE (check_begin, check_work) },
};
/* clang-format on */
const PhCommandGroup ph_commands_verify = { rows, G_N_ELEMENTS (rows) };
