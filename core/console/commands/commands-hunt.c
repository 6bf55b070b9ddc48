/* commands-hunt.c: hunt, reduce, report.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "core/console/hunt-report.h"
#include "core/console/other-code.h"
#include "core/console/reply-table.h"
#include "core/document/pass-plan.h"
#include "core/prove/hunt/hunt.h"
#include "core/run/inputs.h"

extern const PhPass ph_pass_compare; /* passes/compare.c */

#define SECONDS 50 /* default time limit of a hunt */

typedef struct
{
  PhHuntOptions options;
  PhSnapshot *snapshot;
  PhPosition from;
  GPtrArray *stages; /* (element-type PhHuntStage)                         */
  char **rules_off;
  char *folder, *out; /* (nullable)                                         */
  char *runner;       /* (nullable) a program that computes                 */
  char *report;       /* (nullable) a file                                  */
  gboolean fail;      /* a finding makes the command fail                   */
  PhHunt *hunt;
  PhHuntFiles files;
  PhCall *call;
} Hunt;

static void
hunt_free (gpointer data)
{
  Hunt *self = data;

  g_clear_pointer (&self->snapshot, ph_snapshot_free);
  g_clear_pointer (&self->options.feeds, g_hash_table_unref);
  g_clear_pointer (&self->hunt, ph_hunt_free);
  g_ptr_array_unref (self->stages);
  g_strfreev (self->rules_off);
  g_free (self->folder);
  g_free (self->out);
  g_free (self->report);
  g_free (self->runner);
  g_free (self);
}

/* ── the steps to search ── */

static void
add_file (Hunt *self, const char *path)
{
  PhHuntStage *stage = ph_hunt_stage_new (&ph_pass_compare, (const char *const[]) { path, NULL });

  stage->only_once = TRUE;
  g_ptr_array_add (self->stages, stage);
}

static gboolean
add_stage (Hunt *self, const char *name, const char *argument, GError **error)
{
  const PhPass *pass = ph_pass_find (name);
  const char *const arguments[] = { argument, NULL };

  if (pass == NULL)
    {
      ph_pipeline_set_unknown (name, error);
      return FALSE;
    }
  if (pass->needs_arguments && argument == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s needs an argument after it: exec 'python3 mypass.py'", name);
      return FALSE;
    }
  g_ptr_array_add (self->stages, ph_hunt_stage_new (pass, argument != NULL ? arguments : NULL));
  return TRUE;
}

static gboolean
add_words (Hunt *self, PhCall *call, GError **error)
{
  for (guint i = 0; i < call->argc; i++)
    {
      const PhPipeline *pipeline = ph_pipeline_find (call->argv[i]);
      const PhPass *pass = ph_pass_find (call->argv[i]);
      const char *argument = NULL;

      if (pipeline != NULL)
        {
          self->options.allow = MAX (self->options.allow, pipeline->allow);
          for (guint k = 0; pipeline->passes[k] != NULL; k++)
            if (!add_stage (self, pipeline->passes[k], NULL, error))
              return FALSE;
          continue;
        }
      if (pass != NULL && pass->needs_arguments && i + 1 < call->argc)
        argument = call->argv[i + 1];
      if (!add_stage (self, call->argv[i], argument, error))
        return FALSE;
      i += argument != NULL;
    }
  return TRUE;
}

/* Returns the file of a step that compared with another model, found among the lines typed: the step has only the base name. (transfer
 * full) (nullable) */
static char *
find_compared (PhCall *call, const char *name)
{
  GPtrArray *lines = ph_console_get_lines (call->console);

  for (guint i = lines->len; i-- > 0;)
    {
      g_auto (GStrv) words = ph_split_words (lines->pdata[i], NULL);
      const char *path = words != NULL && words[0] != NULL && g_str_equal (words[0], "compare") ? words[1] : NULL;
      g_autofree char *last = path != NULL ? g_filename_display_basename (path) : NULL;

      if (last != NULL && words[2] == NULL && g_str_equal (last, name))
        return g_strdup (path);
    }
  return NULL;
}

static gboolean
add_compared (Hunt *self, PhCall *call, const char *name, GError **error)
{
  g_autofree char *path = find_compared (call, name);

  if (path == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "the file %s, which the history is compared with, is not known any more: `compare FILE` once more", name);
      return FALSE;
    }
  add_file (self, path);
  return TRUE;
}

/* Adds the passes of the history, to be run again from the file. */
static gboolean
add_history (Hunt *self, PhCall *call, GError **error)
{
  PhHistory *history = ph_document_get_history (call->document);

  for (guint s = 0; s < history->steps->len; s++)
    {
      const char *text = g_array_index (history->steps, PhStep, s).pass;
      g_auto (GStrv) words = g_strsplit (text, " ", 2);

      if (g_str_equal (words[0], ph_pass_compare.name) && words[1] != NULL ? !add_compared (self, call, words[1], error)
                                                                           : !add_stage (self, words[0], words[1], error))
        return FALSE;
    }
  self->from = (PhPosition) { 0, 0 };
  return TRUE;
}

static gboolean
add_pipeline (Hunt *self, PhCall *call, GError **error)
{
  GArray *entries = ph_document_get_entries (call->document);

  self->options.allow = ph_document_get_allow (call->document);
  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, PhPipelineEntry, i).enabled
        && !add_stage (self, g_array_index (entries, PhPipelineEntry, i).pass->name, NULL, error))
      return FALSE;
  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* Reads a folder of another compiler: one model after each pass, in the order of the file names. */
static gboolean
add_dump (Hunt *self, const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".onnx") || g_str_has_suffix (name, ".onnxtxt"))
      g_ptr_array_add (files, g_build_filename (folder, name, NULL));
  if (files->len == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s: there is no .onnx file in this folder", folder);
      return FALSE;
    }
  g_ptr_array_sort (files, compare_names);
  for (guint i = 0; i < files->len; i++)
    add_file (self, files->pdata[i]);
  return TRUE;
}

/* Passes know operators only in their newest form, so the model is upgraded first. */
static void
upgrade_first (Hunt *self, PhModel *model)
{
  const PhPass *first = self->stages->len > 0 ? ((PhHuntStage *) self->stages->pdata[0])->pass : NULL,
               *upgrade = ph_pass_find ("upgrade-opset");
  PhHuntStage *stage;

  if (first != NULL && (first == upgrade || g_str_equal (first->name, "newest-form")))
    {
      stage = self->stages->pdata[0];
      stage->always = stage->keep_opset = TRUE;
    }
  if (first == NULL || first == upgrade || g_str_equal (first->name, "newest-form") || ph_model_opset (model, "") <= 0
      || ph_model_opset (model, "") >= PH_OPSET_NEWEST)
    return;
  stage = ph_hunt_stage_new (upgrade, NULL);
  stage->always = stage->keep_opset = TRUE;
  g_ptr_array_insert (self->stages, 0, stage);
}

static gboolean
mark_always (Hunt *self, const char *names, GError **error)
{
  g_auto (GStrv) words = g_strsplit (names, ",", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      gboolean found = FALSE;

      for (guint s = 0; s < self->stages->len; s++)
        if (g_str_equal (((PhHuntStage *) self->stages->pdata[s])->pass->name, words[i]))
          ((PhHuntStage *) self->stages->pdata[s])->always = found = TRUE;
      if (!found)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "the passes that are hunted in have no '%s'", words[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static Hunt *
hunt_new (PhCall *call)
{
  Hunt *self = g_new0 (Hunt, 1);
  GPtrArray *off = ph_document_get_rules_off (call->document);

  self->call = call;
  self->stages = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_hunt_stage_free);
  self->rules_off = g_new0 (char *, off->len + 1);
  for (guint i = 0; i < off->len; i++)
    self->rules_off[i] = g_strdup (off->pdata[i]);
  self->options = (PhHuntOptions) {
    .stages = self->stages, .allow = PH_LOSSY, .seed = 1, .seconds = SECONDS, .rules_off = (const char *const *) self->rules_off
  };
  ph_call_set_data (call, self, hunt_free);
  return self;
}

static gboolean
take_options (Hunt *self, PhCall *call, GError **error)
{
  double seed = 1;

  self->fail = ph_call_take_flag (call, "--fail");
  if (!ph_call_take_option (call, "--out", &self->out, error) || !ph_call_take_option (call, "--folder", &self->folder, error)
      || !ph_call_take_option (call, "--report", &self->report, error)
      || !ph_call_take_option (call, "--runner", &self->runner, error)
      || !ph_call_take_number (call, "--seconds", &self->options.seconds, error)
      || !ph_call_take_number (call, "--seed", &seed, error))
    return FALSE;
  self->options.seed = (guint64) seed;
  self->options.folder = self->folder;
  self->options.runner = self->runner;
  self->options.feeds = ph_feeds_copy (ph_document_get_feeds (call->document));
  self->snapshot = ph_snapshot_new (call->document);
  return TRUE;
}

static gboolean
hunt_begin (PhCall *call, GError **error)
{
  g_autofree char *always = NULL, *dump = NULL;
  Hunt *self;

  if (!ph_call_need_open (call, error))
    return FALSE;
  self = hunt_new (call);
  if (!take_options (self, call, error) || !ph_call_take_option (call, "--always", &always, error)
      || !ph_call_take_option (call, "--dump", &dump, error) || !ph_call_need_args (call, 0, G_MAXUINT, error))
    return FALSE;
  self->from = ph_document_get_position (call->document);
  if (dump != NULL && call->argc > 0)
    return ph_call_usage (call, error, "a dump says itself which passes ran");
  if (dump != NULL                                               ? !add_dump (self, dump, error)
      : call->argc > 0                                           ? !add_words (self, call, error)
      : ph_document_get_history (call->document)->steps->len > 0 ? !add_history (self, call, error)
                                                                 : !add_pipeline (self, call, error))
    return FALSE;
  return always == NULL || mark_always (self, always, error);
}

static gboolean
reduce_begin (PhCall *call, GError **error)
{
  Hunt *self;

  if (!ph_call_need_open (call, error))
    return FALSE;
  self = hunt_new (call);
  if (!take_options (self, call, error) || !ph_call_need_args (call, 1, 2, error)
      || !add_stage (self, call->argv[0], call->argc > 1 ? call->argv[1] : NULL, error))
    return FALSE;
  self->from = ph_document_get_position (call->document);
  return TRUE;
}

/* ── hunting ── */

static void
on_progress (const char *what, double fraction, gpointer data)
{
  ph_call_progress (data, what, fraction);
}

static PhHuntStage *
guilty_stage (const Hunt *self)
{
  return self->stages->pdata[self->hunt->step];
}

static gboolean
hunt_work (PhCall *call, GError **error)
{
  Hunt *self = call->data;
  PhModel *model = ph_model_clone (ph_snapshot_at (self->snapshot, self->from));

  ph_snapshot_done (self->snapshot);
  self->options.cancellable = call->cancellable;
  self->options.progress = on_progress;
  self->options.data = call;
  upgrade_first (self, model);
  self->hunt = ph_hunt (model, &self->options, error);
  if (self->hunt == NULL)
    return FALSE;
  /* Results are kept even if the hunt was cancelled. */
  if (self->hunt->stopped)
    self->options.cancellable = NULL;
  if (self->hunt->found && self->out != NULL)
    {
      if (!ph_hunt_save (self->hunt, guilty_stage (self), &self->options, self->out, &self->files, error))
        return FALSE;
      g_free (self->report);
      self->report = g_build_filename (self->out, "report.html", NULL);
    }
  ph_call_progress (call, "writing the report", -1);
  if (self->hunt->found && self->report != NULL
      && !ph_hunt_report_write (self->hunt, self->report, self->options.cancellable, error))
    return FALSE;
  return TRUE;
}

static void
reply_steps_of (PhCall *call, const PhHunt *hunt)
{
  JsonArray *steps = ph_reply_array (call->reply, "steps");

  for (guint i = 0; i < hunt->steps->len; i++)
    {
      const PhHuntStep *step = hunt->steps->pdata[i];
      JsonObject *row = ph_json_add_object (steps);

      json_object_set_string_member (row, "pass", step->name);
      json_object_set_int_member (row, "rewrites", step->n_rewrites);
      json_object_set_int_member (row, "different", step->n_different);
      json_object_set_int_member (row, "untried", step->n_untried);
      json_object_set_string_member (row, "verdict",
                                     step->fault > PH_FAULT_WRONG    ? "error"
                                     : step->fault == PH_FAULT_WRONG ? "different"
                                                                     : ph_verdict_name (step->verdict));
      json_object_set_double_member (row, "seconds", step->seconds);
    }
}

/* Lists the witness's file for each input. */
static void
reply_feeds (PhCall *call, const PhReduced *reduced)
{
  JsonArray *feeds = ph_reply_array (call->reply, "feeds");
  guint k = 0;

  for (guint i = 0; i < reduced->model->graph->inputs->len; i++)
    {
      const PhValue *input = reduced->model->graph->inputs->pdata[i];
      g_autofree char *file = g_strdup_printf ("input_%u.pb", k);
      JsonObject *row = g_hash_table_contains (reduced->fault->witness, input->name) ? ph_json_add_object (feeds) : NULL;

      if (row == NULL)
        continue;
      json_object_set_string_member (row, "input", input->name);
      json_object_set_string_member (row, "file", file);
      k++;
    }
}

static void
reply_found (PhCall *call, const Hunt *self)
{
  const PhHunt *hunt = self->hunt;
  JsonObject *json = call->reply->json;
  JsonArray *nodes = ph_reply_array (call->reply, "nodes"), *others = ph_reply_array (call->reply, "others");

  json_object_set_string_member (json, "kind", ph_fault_kind_name (hunt->kind));
  json_object_set_string_member (json, "pass", hunt->pass);
  if (!guilty_stage (self)->only_once)
    ph_json_set (json, "repeat", hunt->command);
  ph_json_set (json, "rule", hunt->rule);
  ph_json_set (json, "why", hunt->why);
  ph_json_set (json, "optimizer", hunt->optimizer);
  ph_json_set (json, "rewrite", hunt->rewrite);
  for (guint i = 0; hunt->nodes != NULL && i < hunt->nodes->len; i++)
    json_array_add_string_element (nodes, hunt->nodes->pdata[i]);
  for (guint i = 0; hunt->others != NULL && i < hunt->others->len; i++)
    json_array_add_string_element (others, hunt->others->pdata[i]);
  ph_json_set (json, "reduced", self->files.reduced);
  ph_json_set (json, "reduced_after", self->files.after);
  ph_json_set (json, "witness", self->files.witness);
  if (self->files.reduced != NULL)
    json_object_set_boolean_member (json, "shown_again", self->files.shown_again);
  if (self->files.witness != NULL)
    reply_feeds (call, hunt->reduced);
  if (hunt->reduced != NULL)
    {
      const PhFault *fault = hunt->reduced->fault;

      json_object_set_int_member (json, "nodes_of_reduced", hunt->reduced->n_nodes);
      json_object_set_double_member (json, "max_error", fault->max_error);
      ph_json_set (json, "message", fault->message);
      ph_json_set (json, "output", fault->output);
      ph_json_set (json, "place", fault->place);
      ph_json_set (json, "expected", fault->expected);
      ph_json_set (json, "actual", fault->actual);
    }
  if (self->report != NULL)
    {
      g_autofree char *name = g_path_get_basename (self->report);

      json_object_set_string_member (json, "report", self->out != NULL ? name : self->report);
    }
}

/* Lines; --json has all. */
#define MOST_OTHERS 3

static void
say_found (PhCall *call, const Hunt *self)
{
  const PhHunt *hunt = self->hunt;
  const PhReduced *reduced = hunt->reduced;

  ph_reply_say (call->reply, PH_STYLE_REMOVED "%s" PH_STYLE_RESET ": pass %s%s%s%s%s%s\n", ph_fault_kind_name (hunt->kind),
                hunt->pass, hunt->rule != NULL ? ", rule " PH_STYLE_KEY : "", hunt->rule != NULL ? hunt->rule : "",
                hunt->rule != NULL ? PH_STYLE_RESET : "", hunt->rewrite != NULL ? ", first seen at " : "",
                hunt->rewrite != NULL ? hunt->rewrite : "");
  if (hunt->why != NULL)
    ph_reply_say (call->reply, "%s\n", hunt->why);
  if (hunt->optimizer != NULL)
    ph_reply_say (call->reply, "of the program's own passes it needs: " PH_STYLE_KEY "%s" PH_STYLE_RESET "\n", hunt->optimizer);
  if (reduced == NULL)
    ph_reply_say (call->reply, "nothing smaller than the model itself was found to show it\n");
  else
    {
      const PhFault *fault = reduced->fault;

      ph_reply_say (call->reply, "reduced to %u node%s, in %u tr%s%s\n", reduced->n_nodes, reduced->n_nodes == 1 ? "" : "s",
                    reduced->n_tests, reduced->n_tests == 1 ? "y" : "ies",
                    hunt->stopped          ? ", until it was stopped"
                    : reduced->out_of_time ? ", as far as the time went"
                                           : "");
      if (fault->expected != NULL)
        ph_reply_say (call->reply, "%s %s: %s should be %s\n", fault->output, fault->place != NULL ? fault->place : "",
                      fault->actual, fault->expected);
      else if (fault->message != NULL)
        ph_reply_say (call->reply, "%s\n", fault->message);
    }
  for (guint i = 0; hunt->others != NULL && i < MIN (hunt->others->len, MOST_OTHERS); i++)
    ph_reply_say (call->reply, "differs as well: %s\n", (char *) hunt->others->pdata[i]);
  if (hunt->others != NULL && hunt->others->len > MOST_OTHERS)
    ph_reply_say (call->reply, "and %u more\n", hunt->others->len - MOST_OTHERS);
  if (self->files.reduced != NULL && !self->files.shown_again && !hunt->stopped)
    ph_reply_say (call->reply, "the files that were written do not show it when they are opened again\n");
  if (self->report != NULL)
    ph_reply_say (call->reply, "report: %s\n", self->report);
}

static gboolean
hunt_finish (PhCall *call, GError **error)
{
  Hunt *self = call->data;
  const PhHunt *hunt = self->hunt;
  JsonObject *json = call->reply->json;

  json_object_set_boolean_member (json, "found", hunt->found);
  json_object_set_int_member (json, "runs", hunt->n_runs);
  json_object_set_double_member (json, "seconds", hunt->seconds);
  json_object_set_boolean_member (json, "out_of_time", hunt->out_of_time);
  json_object_set_boolean_member (json, "cancelled", hunt->stopped);
  json_object_set_int_member (json, "seed", (gint64) self->options.seed);
  ph_json_set (json, "note", hunt->note);
  reply_steps_of (call, hunt);
  if (hunt->found)
    {
      reply_found (call, self);
      say_found (call, self);
    }
  else if (hunt->stopped)
    ph_reply_say (call->reply, "stopped at pass %u of %u; those before it are not known to change the results\n",
                  hunt->steps->len, self->stages->len);
  else
    ph_reply_say (call->reply, hunt->out_of_time    ? "nothing was found in the time that was given\n"
                               : hunt->note != NULL ? "nothing was found\n"
                                                    : "nothing to hunt: no pass changes the results\n");
  if (hunt->note != NULL)
    ph_reply_say (call->reply, "%s\n", hunt->note);
  if (hunt->found && self->fail)
    {
      call->reply->told = TRUE;
      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "pass %s is wrong", hunt->pass);
      return FALSE;
    }
  return TRUE;
}

/* ── a case that fails ── */

gboolean
ph_call_hunt_case (PhCall *call, const char *folder, GPtrArray *passes, GPtrArray *arguments, PhExactness allow, const char *out,
                   JsonObject *row, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL),
                  *set = g_build_filename (folder, "test_data_set_0", NULL), *report = NULL;
  g_autoptr (GPtrArray) stages = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_hunt_stage_free);
  g_autoptr (GHashTable) feeds = NULL;
  g_autoptr (PhHunt) hunt = NULL;
  PhModel *model = ph_hunt_open_model (path, call->cancellable);
  /* clang-format off */
  PhHuntOptions options = {
    .stages = stages, .allow = allow, .seed = 1, .seconds = SECONDS, .cancellable = call->cancellable, .progress = on_progress,
    .data = call
  };
  /* clang-format on */
  PhHuntFiles files;

  if (model == NULL)
    return TRUE;
  feeds = ph_hunt_load_feeds (model, set);
  options.feeds = feeds;
  for (guint i = 0; i < passes->len; i++)
    g_ptr_array_add (stages, ph_hunt_stage_new (passes->pdata[i], arguments->pdata[i]));
  hunt = ph_hunt (model, &options, error);
  if (hunt == NULL)
    return FALSE;
  json_object_set_boolean_member (row, "found", hunt->found);
  if (!hunt->found)
    return TRUE;
  if (!ph_hunt_save (hunt, stages->pdata[hunt->step], &options, out, &files, error))
    return FALSE;
  report = g_build_filename (out, "report.html", NULL);
  json_object_set_string_member (row, "pass", hunt->pass);
  ph_json_set (row, "rule", hunt->rule);
  json_object_set_string_member (row, "report", report);
  ph_reply_say (call->reply, "  %s: pass %s%s%s: %s\n", ph_fault_kind_name (hunt->kind), hunt->pass,
                hunt->rule != NULL ? ", rule " : "", hunt->rule != NULL ? hunt->rule : "", report);
  return ph_hunt_report_write (hunt, report, call->cancellable, error);
}

/* clang-format off */
static const PhCommand rows[] = {
  { "hunt", "[PIPELINE|PASS...] [--out FOLDER] [--seconds N] [--report FILE] [--dump FOLDER] [--always PASS] [--folder FOLDER] [--seed N] [--fail] [--runner PROGRAM]",
    N_ ("Find the pass that changes the results, its rewrite and the smallest model that shows it"),
    "Without passes: what was run, or the pipeline. Passes run in order; what each did is tried rewrite by rewrite, what `exec 'PROGRAM'` and plug-ins did too. "
    "Where one differs, fails or writes no valid model, that pass runs alone on ever smaller parts of the model, fed with the values that flow there, as long as "
    "it goes wrong in the same way. --out keeps the reduced model, its inputs with the right results (a case for `check`) and a report. --dump takes the "
    "files of a folder as what each pass of another compiler left. --always names passes that must run and are not suspected. --fail makes the command fail when something is found. --runner computes with a program (see `verify`), and says whether the pass or the program is wrong.",
    N_ ("_Hunt"), NULL, "edit-find-symbolic", PH_CODE (hunt_begin, hunt_work, hunt_finish) },
  { "reduce", "PASS [ARGUMENT] [--out FOLDER] [--seconds N] [--report FILE] [--folder FOLDER] [--seed N] [--fail] [--runner PROGRAM]", "Find the smallest part of the model on which a pass goes wrong",
    "`reduce casts`, `reduce exec 'python3 mypass.py'`: the pass runs alone on parts of the model at this position.", NULL, NULL, NULL,
    PH_CODE (reduce_begin, hunt_work, hunt_finish) },
};
/* clang-format on */
const PhCommandGroup ph_commands_hunt = { rows, G_N_ELEMENTS (rows) };
