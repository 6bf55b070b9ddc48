/* commands-verify.c: verify, bisect, check.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/agree.h"
#include "core/analyze/cases.h"
#include "core/console/console-private.h"

/* ── verify ── */

typedef struct { PhPosition a, b; PhModel *before, *after; PhExactness exactness; PhAgreement *agreement; } Pair;

typedef struct
{
  PhDocument *document;
  GPtrArray  *pairs;             /* (element-type Pair) the whole first, then step by step when asked */
  GHashTable *feeds;             /* name -> PhTensor                                                  */
  guint64     seed;
  guint       generation;
} Verify;

static void
pair_free (gpointer data)
{
  Pair *pair = data;

  ph_model_free (pair->before);
  ph_model_free (pair->after);
  g_clear_pointer (&pair->agreement, ph_agreement_free);
  g_free (pair);
}

static void
verify_free (gpointer data)
{
  Verify *verify = data;

  g_ptr_array_unref (verify->pairs);
  g_hash_table_unref (verify->feeds);
  g_free (verify);
}

static void
add_pair (Verify *verify, PhPosition a, PhPosition b)
{
  Pair *pair = g_new0 (Pair, 1);

  pair->a = a;
  pair->b = b;
  pair->before = ph_document_clone_at (verify->document, a);
  pair->after = ph_document_clone_at (verify->document, b);
  pair->exactness = ph_history_exactness (ph_document_get_history (verify->document), a, b);
  g_ptr_array_add (verify->pairs, pair);
}

static Verify *
verify_new (PhCall *call)
{
  Verify *verify = g_new0 (Verify, 1);

  verify->document = call->document;
  verify->generation = ph_document_get_generation (call->document);
  verify->pairs = g_ptr_array_new_with_free_func (pair_free);
  verify->feeds = ph_call_copy_feeds (call);
  ph_call_set_data (call, verify, verify_free);
  return verify;
}

static gboolean
verify_begin (PhCall *call, GError **error)
{
  PhPosition a = { 0, 0 }, b = ph_document_get_position (call->document);
  gboolean   each = ph_call_take_flag (call, "--steps");
  double     seed = 1;
  Verify    *verify;

  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--seed", &seed, error) ||
      !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  if (call->argc > 0 && !ph_call_find_position (call, call->argv[0], &a, error))
    return FALSE;
  if (call->argc > 1 && !ph_call_find_position (call, call->argv[1], &b, error))
    return FALSE;
  verify = verify_new (call);
  verify->seed = (guint64) seed;
  add_pair (verify, a, b);
  for (guint s = a.step; each && s < b.step; s++)
    add_pair (verify, (PhPosition) { s, 0 }, (PhPosition) { s + 1, 0 });
  return TRUE;
}

static gboolean
verify_work (PhCall *call, GError **error)
{
  Verify      *verify = call->data;
  PhRunOptions options = { .cancellable = call->cancellable };

  for (guint i = 0; i < verify->pairs->len; i++)
    {
      Pair   *pair = verify->pairs->pdata[i];
      GError *own = NULL;

      ph_call_progress (call, "comparing", (double) i / verify->pairs->len);
      pair->agreement = ph_agree (pair->before, pair->after, verify->feeds, pair->exactness, verify->seed, &options, &own);
      if (pair->agreement == NULL && (i == 0 || g_cancellable_is_cancelled (call->cancellable)))
        {
          g_propagate_error (error, own);
          return FALSE;
        }
      g_clear_error (&own);
    }
  return TRUE;
}

static void
set_verdict (Verify *verify, const Pair *pair)
{
  if (pair->agreement != NULL && pair->a.rewrite == 0 && pair->b.rewrite == 0 && pair->b.step == pair->a.step + 1)
    ph_document_set_verdict (verify->document, pair->a.step, pair->agreement->verdict, pair->agreement->max_abs_error,
                             pair->agreement->first_difference);
}

static gboolean
verify_finish (PhCall *call, GError **error)
{
  static const PhColumn columns[] = {
    { "name", "output", .style = PH_STYLE_KEY }, { "verdict", "verdict" }, { "max_abs_error", "max error", .right = TRUE },
    { "max_ulp", "max ulp", .right = TRUE },
  };
  Verify          *verify = call->data;
  const Pair      *whole = verify->pairs->pdata[0];
  JsonObject      *json = call->reply->json;
  JsonArray       *outputs;
  g_autofree char *from = ph_position_to_string (whole->a), *to = ph_position_to_string (whole->b);

  if (verify->generation == ph_document_get_generation (call->document))
    for (guint i = 0; i < verify->pairs->len; i++)
      set_verdict (verify, verify->pairs->pdata[i]);

  json_object_set_string_member (json, "from", from);
  json_object_set_string_member (json, "to", to);
  json_object_set_string_member (json, "verdict", ph_verdict_name (whole->agreement->verdict));
  json_object_set_double_member (json, "max_abs_error", whole->agreement->max_abs_error);
  json_object_set_string_member (json, "class", ph_exactness_name (whole->exactness));
  json_object_set_int_member (json, "inputs_tried", whole->agreement->n_sets);
  outputs = ph_reply_array (call->reply, "outputs");
  for (guint i = 0; i < whole->agreement->outputs->len; i++)
    {
      const PhAgreeOutput *output = &g_array_index (whole->agreement->outputs, PhAgreeOutput, i);
      JsonObject          *row = ph_json_add_object (outputs);

      ph_json_set (row, "name", output->name);
      json_object_set_double_member (row, "max_abs_error", output->max_abs_error);
      json_object_set_int_member (row, "max_ulp", (gint64) MIN (output->max_ulp, G_MAXINT64));
      json_object_set_string_member (row, "verdict",
                                     ph_verdict_name (!output->close ? PH_VERDICT_DIFFERENT
                                                      : output->same ? PH_VERDICT_SAME : PH_VERDICT_CLOSE));
    }
  ph_json_set (json, "first_difference", whole->agreement->first_difference);

  ph_reply_say (call->reply, "%s to %s: %s%s" PH_STYLE_RESET " (%s, %u sets of inputs)\n", from, to,
                whole->agreement->verdict <= PH_VERDICT_CLOSE ? PH_STYLE_ADDED : PH_STYLE_REMOVED,
                ph_verdict_name (whole->agreement->verdict), ph_exactness_name (whole->exactness), whole->agreement->n_sets);
  ph_reply_table (call->reply, outputs, columns, G_N_ELEMENTS (columns));
  if (whole->agreement->first_difference != NULL)
    ph_reply_say (call->reply, "%s\n`bisect` finds the rewrite to blame\n", whole->agreement->first_difference);
  if (verify->pairs->len > 1)
    {
      JsonArray *steps = ph_reply_array (call->reply, "steps");

      for (guint s = whole->a.step; s < whole->b.step; s++)
        ph_step_to_json (call->document, s, ph_json_add_object (steps));
      ph_reply_steps (call->reply, steps);
    }
  return TRUE;
}

/* ── bisect ── */

typedef struct
{
  PhModel     *walker;           /* stands somewhere along @history                           */
  PhHistory   *history;          /* a snapshot of the document's, private to the worker       */
  GHashTable  *feeds;
  PhPosition   good, bad;
  PhAgreement *agreement;        /* (nullable) of the one rewrite to blame                    */
  gboolean     found;
} Bisect;

static void
bisect_free (gpointer data)
{
  Bisect *bisect = data;

  g_clear_pointer (&bisect->walker, ph_model_free);
  g_clear_pointer (&bisect->history, ph_history_free);
  g_clear_pointer (&bisect->feeds, g_hash_table_unref);
  g_clear_pointer (&bisect->agreement, ph_agreement_free);
  g_free (bisect);
}

static gboolean
bisect_begin (PhCall *call, GError **error)
{
  Bisect *bisect;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  bisect = g_new0 (Bisect, 1);
  ph_call_set_data (call, bisect, bisect_free);
  bisect->bad = ph_document_get_position (call->document);
  if (call->argc > 0 && !ph_call_find_position (call, call->argv[0], &bisect->good, error))
    return FALSE;
  if (call->argc > 1 && !ph_call_find_position (call, call->argv[1], &bisect->bad, error))
    return FALSE;
  if (ph_position_compare (bisect->good, bisect->bad) >= 0)
    return ph_call_usage (call, error, "there is nothing between the two positions");
  bisect->history = ph_history_snapshot (ph_document_get_history (call->document));
  bisect->walker = ph_document_clone_at (call->document, ph_document_get_position (call->document));
  bisect->history->position = ph_document_get_position (call->document);
  bisect->feeds = ph_call_copy_feeds (call);
  return TRUE;
}

static PhModel *
model_at (Bisect *bisect, PhPosition at)
{
  if (!ph_history_go (bisect->history, bisect->walker, at, NULL))
    return NULL;
  return ph_model_clone (bisect->walker);
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

/* The largest number of rewrites that still agrees with the good side, by halving. */
static gboolean
bisect_work (PhCall *call, GError **error)
{
  Bisect                *bisect = call->data;
  PhHistory             *history = bisect->history;
  PhRunOptions           options = { .cancellable = call->cancellable };
  g_autoptr(PhModel)     reference = model_at (bisect, bisect->good);
  guint                  good = index_of (history, bisect->good), bad = index_of (history, bisect->bad), total = bad - good;
  PhExactness            exactness = ph_history_exactness (history, bisect->good, bisect->bad);

  for (gboolean first = TRUE; first || bad - good > 1; first = FALSE)
    {
      guint                  middle = first ? bad : good + (bad - good) / 2;
      g_autoptr(PhModel)     model = NULL;
      g_autoptr(PhAgreement) agreement = NULL;

      ph_call_progress (call, "bisecting", 1 - (double) (bad - good) / MAX (total, 1));
      model = model_at (bisect, position_of (history, middle));
      agreement = ph_agree (reference, model, bisect->feeds, exactness, 1, &options, error);
      if (agreement == NULL)
        return FALSE;
      if (agreement->verdict <= PH_VERDICT_CLOSE)
        {
          if (first)
            return TRUE;
          good = middle;
        }
      else
        {
          bad = middle;
          g_clear_pointer (&bisect->agreement, ph_agreement_free);
          bisect->agreement = g_steal_pointer (&agreement);
        }
    }
  bisect->good = position_of (history, good);
  bisect->found = bad > good;
  return TRUE;
}

static gboolean
bisect_finish (PhCall *call, GError **error)
{
  Bisect     *bisect = call->data;
  JsonObject *json = call->reply->json;

  json_object_set_boolean_member (json, "found", bisect->found);
  if (!bisect->found)
    {
      ph_reply_say (call->reply, "the two positions agree: there is nothing to blame\n");
      return TRUE;
    }

  const PhStep    *step = &g_array_index (bisect->history->steps, PhStep, bisect->good.step);
  const PhRewrite *rewrite = &g_array_index (bisect->history->rewrites, PhRewrite, step->first_rewrite + bisect->good.rewrite);
  g_autofree char *position = g_strdup_printf ("%u.%u", bisect->good.step + 1, bisect->good.rewrite + 1);
  g_autofree char *node = g_strdup_printf ("n%u", rewrite->node);

  json_object_set_string_member (json, "position", position);
  json_object_set_int_member (json, "step", bisect->good.step + 1);
  json_object_set_int_member (json, "rewrite", bisect->good.rewrite + 1);
  json_object_set_string_member (json, "pass", step->pass);
  json_object_set_string_member (json, "rule", rewrite->rule);
  json_object_set_string_member (json, "node", node);
  ph_json_set (json, "why", rewrite->why);
  ph_json_set (json, "first_difference", bisect->agreement->first_difference);
  ph_reply_say (call->reply, "results change at %s: %s/" PH_STYLE_KEY "%s" PH_STYLE_RESET " at %s\n%s\n", position, step->pass, rewrite->rule,
                node, bisect->agreement->first_difference != NULL ? bisect->agreement->first_difference : "");
  return TRUE;
}

/* ── check ── */

typedef struct { char **folders; PhCaseOptions options; GPtrArray *passes; guint passed, failed; } Check;

static void
check_free (gpointer data)
{
  Check *check = data;

  g_strfreev (check->folders);
  g_ptr_array_unref (check->passes);
  g_free (check);
}

static gboolean
check_pipeline (Check *check, const char *typed, GError **error)
{
  g_autofree char   *name = ph_pipeline_text (typed, error);
  const PhPipeline  *pipeline = name != NULL ? ph_pipeline_find (name) : NULL;
  g_auto(GStrv)      own = pipeline == NULL && name != NULL ? g_strsplit (name, ",", -1) : NULL;
  const char *const *names = pipeline != NULL ? pipeline->passes : (const char *const *) own;

  if (name == NULL)
    return FALSE;
  check->options.allow = pipeline != NULL ? pipeline->allow : PH_LOSSY;
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      const PhPass *pass = ph_pass_find (names[i]);

      if (pass == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pipeline or pass '%s': `passes` and `pipeline` list them",
                       names[i]);
          return FALSE;
        }
      g_ptr_array_add (check->passes, (gpointer) pass);
    }
  check->options.passes = (const PhPass *const *) check->passes->pdata;
  check->options.n_passes = check->passes->len;
  return TRUE;
}

static gboolean
check_begin (PhCall *call, GError **error)
{
  Check           *check = g_new0 (Check, 1);
  g_autofree char *pipeline = NULL;

  check->passes = g_ptr_array_new ();
  check->options.rtol = check->options.atol = -1;
  ph_call_set_data (call, check, check_free);
  if (!ph_call_take_option (call, "--pipeline", &pipeline, error) ||
      !ph_call_take_number (call, "--rtol", &check->options.rtol, error) ||
      !ph_call_take_number (call, "--atol", &check->options.atol, error))
    return FALSE;
  check->options.reference = ph_call_take_flag (call, "--reference");
  if (!ph_call_need_args (call, 1, G_MAXUINT, error) || (pipeline != NULL && !check_pipeline (check, pipeline, error)))
    return FALSE;
  check->folders = g_strdupv (call->argv);
  return TRUE;
}

static gboolean
check_work (PhCall *call, GError **error)
{
  Check               *check = call->data;
  JsonArray           *rows = ph_reply_array (call->reply, "cases");
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; check->folders[i] != NULL; i++)
    {
      g_autoptr(GPtrArray) some = ph_case_find (check->folders[i], call->cancellable, error);

      if (some == NULL)
        return FALSE;
      g_ptr_array_extend_and_steal (all, g_steal_pointer (&some));
    }
  for (guint i = 0; i < all->len; i++)
    {
      g_autoptr(GError) own = NULL;
      g_autofree char  *name = g_path_get_basename (all->pdata[i]);
      JsonObject       *row;
      gboolean          ok;

      if (g_cancellable_set_error_if_cancelled (call->cancellable, error))
        return FALSE;
      ph_call_progress (call, name, (double) i / all->len);
      ok = ph_case_run (all->pdata[i], &check->options, call->cancellable, &own);
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

static const PhCommand rows[] = {
  { "verify", "[STEP STEP] [--steps] [--seed N]", "Run the same inputs through two positions and compare",
    "Without arguments: the file and here. The fed inputs are taken where every input is fed, and generated ones: around 0, of wide "
    "range, and, where every rule that fired is exact, with NaN, infinities, huge and subnormal numbers. --steps also compares "
    "each step with the one before.",
    "_Verify", "<Control><Shift>v", "emblem-ok-symbolic", PH_CODE (verify_begin, verify_work, verify_finish) },
  { "bisect", "[STEP STEP]", "Find the first rewrite that changes the results", "Without arguments: between the file and here.",
    "_Bisect", NULL, NULL, PH_CODE (bisect_begin, bisect_work, bisect_finish) },
  { "check", "FILE... [--pipeline NAME] [--rtol R] [--atol A]", "Run ONNX-style cases: model.onnx with test_data_set_N",
    "A folder is a case or holds cases. With --pipeline the passes run first; NAME may also be passes separated by commas. The "
    "tolerance is the case's own (data.json), or rtol 1e-3 with atol 1e-7, and 1e-4 for whole models, where rounding adds up. Of random outputs only type and shape are "
    "compared.",
    NULL, NULL, NULL, PH_CODE (check_begin, check_work) },
};
const PhCommandGroup ph_commands_verify = { rows, G_N_ELEMENTS (rows) };
