/* commands-train.c: train, saved, recompute.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-rows.h"
#include "core/document/snapshot.h"
#include "core/ops/parameter.h"
#include "core/ops/saved.h"
#include "core/run/inputs.h"
#include "passes/pass.h"

/* ── train ── */

typedef struct
{
  PhJob *job;           /* (nullable) makes the training step if missing                         */
  PhSnapshot *snapshot; /* (nullable) without @job                                               */
  char *optimizer, *rate, *loss;
  guint n_steps;
  guint64 seed;
  GHashTable *named; /* name -> PhTensor: the feeds                                            */
  GHashTable *state; /* (nullable) name -> PhTensor: state after the last step                 */
} Train;

static void
train_free (gpointer data)
{
  Train *train = data;

  g_clear_pointer (&train->job, ph_job_free);
  g_clear_pointer (&train->snapshot, ph_snapshot_free);
  g_clear_pointer (&train->named, g_hash_table_unref);
  g_clear_pointer (&train->state, g_hash_table_unref);
  g_free (train->optimizer);
  g_free (train->rate);
  g_free (train->loss);
  g_free (train);
}

/* Returns the output that feeds the input @input in the next run: NAME_new. (nullable) */
static PhValue *
next_of (PhModel *model, const PhValue *input)
{
  g_autofree char *name = g_strconcat (input->name, "_new", NULL);
  PhValue *value = input->tensor != NULL ? ph_model_find_value_named (model, name) : NULL;

  return value != NULL && value->n_output_uses > 0 ? value : NULL;
}

static gboolean
has_step (PhModel *model)
{
  PhValue *rate = ph_model_find_value_named (model, "learning_rate");

  for (guint i = 0; rate != NULL && rate->is_input && i < model->graph->inputs->len; i++)
    if (next_of (model, model->graph->inputs->pdata[i]) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
add_passes (PhCall *call, Train *train, PhModel *model, GError **error)
{
  g_autoptr (GPtrArray) by = g_ptr_array_new ();

  if (train->loss == NULL && model->graph->outputs->len != 1)
    return ph_call_usage (call, error, "the model has %u outputs: name the loss", model->graph->outputs->len);
  if (train->loss == NULL)
    train->loss = g_strdup (((PhValue *) model->graph->outputs->pdata[0])->name);
  g_ptr_array_add (by, train->loss);
  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhValue *value = model->graph->constants->pdata[i];

      if (ph_value_is_parameter (value) && value->uses->len > 0 && !ph_value_is_setting (value))
        g_ptr_array_add (by, (gpointer) value->name);
    }
  if (by->len == 1)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_NOT_FOUND, "the model has no float initializer: there is nothing to train");
      return FALSE;
    }
  g_ptr_array_add (by, NULL);
  train->job = ph_job_new (call->document, ph_document_get_position (call->document));
  ph_job_add_pass (train->job, ph_pass_find ("autodiff"), (const char *const *) by->pdata);
  ph_job_add_pass (train->job, ph_pass_find ("train-step"), (const char *[]) { train->optimizer, train->rate, NULL });
  ph_job_get_options (train->job)->allow = PH_LOSSY;
  return TRUE;
}

static gboolean
train_begin (PhCall *call, GError **error)
{
  Train *train = g_new0 (Train, 1);
  double steps = 0, seed = 1;

  ph_call_set_data (call, train, train_free);
  if (!ph_call_need_open (call, error) || !ph_call_take_option (call, "--optimizer", &train->optimizer, error)
      || !ph_call_take_option (call, "--rate", &train->rate, error) || !ph_call_take_number (call, "--steps", &steps, error)
      || !ph_call_take_number (call, "--random", &seed, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (steps < 0 || steps > 1e6)
    return ph_call_usage (call, error, "--steps is a number from 0 to 1000000");
  train->n_steps = (guint) steps;
  train->seed = (guint64) MAX (seed, 0);
  train->loss = call->argc > 0 ? g_strdup (call->argv[0]) : NULL;
  train->named = ph_feeds_copy (ph_document_get_feeds (call->document));
  if (!has_step (ph_document_get_model (call->document)))
    {
      if (train->optimizer == NULL)
        train->optimizer = g_strdup ("sgd");
      return add_passes (call, train, ph_document_get_model (call->document), error);
    }
  if (train->optimizer != NULL)
    return ph_call_usage (call, error, "the graph is a step of training already: `back` first for another optimizer");
  train->snapshot = ph_snapshot_new (call->document);
  return TRUE;
}

static double
sum_of (PhTensor *tensor)
{
  double sum = 0;

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    sum += ph_tensor_get (tensor, i);
  return sum;
}

/* Runs the step @train->n_steps times, each with the state of the previous one as input. */
static gboolean
run_steps (PhCall *call, Train *train, PhModel *model, GError **error)
{
  const PhRunOptions options = { .seed = train->seed, .cancellable = call->cancellable };
  g_autoptr (GPtrArray) wanted = g_ptr_array_new (), states = g_ptr_array_new ();
  g_autoptr (GHashTable) feeds = NULL;
  PhValue *loss = train->loss != NULL ? ph_model_find_value_named (model, train->loss) : model->graph->outputs->pdata[0];
  JsonArray *rows = ph_reply_array (call->reply, "losses");

  if (loss == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no value '%s' here", train->loss);
      return FALSE;
    }
  g_ptr_array_add (wanted, loss);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    if (next_of (model, model->graph->inputs->pdata[i]) != NULL)
      {
        g_ptr_array_add (states, model->graph->inputs->pdata[i]);
        g_ptr_array_add (wanted, next_of (model, model->graph->inputs->pdata[i]));
      }
  if (train->rate != NULL && train->job == NULL)
    g_hash_table_insert (train->named, g_strdup ("learning_rate"),
                         ph_tensor_new_scalar (PH_FLOAT, g_ascii_strtod (train->rate, NULL)));
  for (guint n = 0; n < train->n_steps; n++)
    {
      g_autoptr (GHashTable) results = NULL;
      JsonObject *row = ph_json_add_object (rows);

      ph_call_progress (call, "training", (double) n / train->n_steps);
      if (feeds == NULL)
        feeds = ph_inputs_find (model, train->named, PH_INPUTS_NORMAL, train->seed, wanted, &options, &results, error);
      else
        results = ph_run_model (model, feeds, wanted, &options, error);
      if (feeds == NULL || results == NULL)
        return FALSE;
      json_object_set_int_member (row, "step", n + 1);
      json_object_set_double_member (row, "loss", sum_of (g_hash_table_lookup (results, GUINT_TO_POINTER (loss->id))));
      for (guint i = 0; i < states->len; i++)
        g_hash_table_insert (
            feeds, states->pdata[i],
            ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) wanted->pdata[1 + i])->id))));
    }
  train->state = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; feeds != NULL && i < states->len; i++)
    g_hash_table_insert (train->state, g_strdup (((PhValue *) states->pdata[i])->name),
                         ph_tensor_ref (g_hash_table_lookup (feeds, states->pdata[i])));
  return TRUE;
}

static gboolean
train_work (PhCall *call, GError **error)
{
  Train *train = call->data;

  if (train->job != NULL && !ph_job_run (train->job, call->cancellable, error))
    return FALSE;
  if (train->n_steps == 0)
    return TRUE;
  if (train->job != NULL)
    return run_steps (call, train, ph_job_get_model (train->job), error);
  g_autoptr (PhModel) model = ph_snapshot_take (train->snapshot, ph_snapshot_get_history (train->snapshot)->position);

  return run_steps (call, train, model, error);
}

static gboolean
train_finish (PhCall *call, GError **error)
{
  static const PhColumn columns[] = { { "step", "step", .right = TRUE }, { "loss", "loss", .right = TRUE } };
  Train *train = call->data;
  GHashTableIter iter;
  gpointer name, tensor;

  if (train->job != NULL && !ph_document_take_job (call->document, train->job, TRUE, error))
    return FALSE;
  if (train->state != NULL)
    {
      ph_reply_table (call->reply, json_object_get_array_member (call->reply->json, "losses"), columns, G_N_ELEMENTS (columns));
      g_hash_table_iter_init (&iter, train->state);
      while (g_hash_table_iter_next (&iter, &name, &tensor))
        ph_document_set_feed (call->document, name, tensor);
      ph_reply_say (call->reply,
                    "The inputs are fed with what the last step left: `train --steps N` goes on, and `eval` computes with it.\n");
    }
  else
    {
      g_autoptr (GString) names = g_string_new (NULL);
      GPtrArray *outputs = ph_document_get_model (call->document)->graph->outputs;

      for (guint i = 0; i < outputs->len; i++)
        if (g_str_has_suffix (((PhValue *) outputs->pdata[i])->name, "_new"))
          g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", ((PhValue *) outputs->pdata[i])->name);
      ph_reply_say (call->reply, "%s\n", names->str);
    }
  ph_call_reply_position (call);
  return TRUE;
}

/* ── saved ── */

static gboolean
saved_begin (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "name", "value" }, { "type", "type" }, { "bytes", "bytes", .right = TRUE }, { "node", "from", .prefix = "n" }, { "readers", "backward readers", .right = TRUE },
  };
  /* clang-format on */
  PhModel *model = ph_document_get_model (call->document);
  g_autoptr (GPtrArray) saved = NULL;
  JsonArray *rows;
  PhNode *at = NULL;
  gint64 total = 0, peak;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  rows = ph_reply_array (call->reply, "saved");
  saved = ph_graph_saved (model->graph);
  for (guint i = 0; i < saved->len; i++)
    {
      const PhValue *value = saved->pdata[i];
      JsonObject *row = ph_json_add_object (rows);
      g_autofree char *type = ph_type_to_string (value->type);
      const gint64 bytes = value->type != NULL ? ph_type_bytes (value->type) : -1;
      gint64 readers = 0;

      for (guint k = 0; k < value->uses->len; k++)
        readers += g_array_index (value->uses, PhUse, k).node->role == PH_ROLE_BACKWARD;
      ph_json_set (row, "name", value->name);
      ph_json_set (row, "type", type);
      if (bytes >= 0)
        json_object_set_int_member (row, "bytes", bytes);
      else
        json_object_set_null_member (row, "bytes");
      json_object_set_int_member (row, "node", value->producer->id);
      json_object_set_int_member (row, "readers", readers);
      total += MAX (bytes, 0);
    }
  peak = ph_graph_peak (model->graph, &at);
  json_object_set_int_member (call->reply->json, "bytes", total);
  json_object_set_int_member (call->reply->json, "flops", ph_graph_flops (model->graph));
  if (saved->len > 0)
    ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  ph_reply_say (call->reply, "%u value%s of the forward graph kept for the backward one, %" G_GINT64_FORMAT " bytes\n",
                saved->len, saved->len == 1 ? "" : "s", total);
  if (peak >= 0)
    {
      json_object_set_int_member (call->reply->json, "peak", peak);
      ph_reply_say (call->reply, "computed values occupy %" G_GINT64_FORMAT " bytes at most%s%s\n", peak,
                    at != NULL ? ", at " : "", at != NULL ? ((PhValue *) at->outputs->pdata[0])->name : "");
    }
  return TRUE;
}

/* ── recompute ── */

static gboolean
recompute_begin (PhCall *call, GError **error)
{
  g_autofree char *size = NULL;
  const char *what;
  PhJob *job;

  if (!ph_call_need_open (call, error) || !ph_call_take_option (call, "--budget", &size, error)
      || !ph_call_need_args (call, size != NULL ? 0 : 1, size != NULL ? 0 : 1, error))
    return FALSE;
  what = size != NULL ? size : call->argv[0];
  if (size != NULL)
    {
      guint64 bytes = ph_call_parse_size (size);

      if (bytes == 0)
        return ph_call_usage (call, error, "'%s' is not a size: say 2M or 800000", size);
      g_free (size);
      what = size = g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
    }
  job = ph_job_new (call->document, ph_document_get_position (call->document));
  ph_call_set_data (call, job, (GDestroyNotify) ph_job_free);
  ph_job_add_pass (job, ph_pass_find ("recompute"), (const char *[]) { what, NULL });
  return TRUE;
}

static gboolean
recompute_work (PhCall *call, GError **error)
{
  return ph_job_run (call->data, call->cancellable, error);
}

static gboolean
recompute_finish (PhCall *call, GError **error)
{
  guint step;

  if (!ph_document_take_job (call->document, call->data, TRUE, error))
    return FALSE;
  step = ph_document_get_position (call->document).step;
  if (step > 0)
    {
      const PhStep *last = &g_array_index (ph_document_get_history (call->document)->steps, PhStep, step - 1);

      ph_step_to_json (call->document, step - 1, ph_json_add_object (ph_reply_array (call->reply, "steps")));
      if (last->note != NULL)
        ph_reply_say (call->reply, "%s\n", last->note);
    }
  ph_call_reply_position (call);
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "train", "[OUTPUT] [--optimizer sgd|momentum|adam] [--rate NUMBER] [--steps N] [--random SEED]", N_ ("Append a step of training, and run it N times"),
    "The gradient of OUTPUT, the loss, by each float initializer, and sgd (unless said otherwise), momentum or adam: each weight W becomes an input with "
    "its value for its default, and W_new is an output; learning_rate is an input too. --steps runs the graph, each time fed with what it "
    "gave before, and prints the loss; what is not fed is made up by SEED, once. In a graph that is a step already it goes on. "
    "The pipeline `train` is another thing: it optimises and keeps all weights.",
    NULL, NULL, NULL, PH_CODE (train_begin, train_work, train_finish) },
  { "saved", "", N_ ("What the backward graph reads of the forward one"),
    "Each value with its bytes, their sum, and the most that computed values occupy at once when the graph runs in its order. "
    "`recompute` makes it less.",
    NULL, NULL, NULL, PH_CODE (saved_begin) },
  { "recompute", "all|sqrt|--budget BYTES", N_ ("Compute forward values again for the backward graph"),
    "`all` keeps nothing, `sqrt` cuts the forward graph into as many segments as the root of the number of its nodes and keeps what they "
    "begin with, `--budget 2M` looks for the cut with the fewest operations whose peak is below. The step says what became of peak and FLOPs. "
    "Gradients stay the same to the bit, and cse does not undo it.",
    NULL, NULL, NULL, PH_CODE (recompute_begin, recompute_work, recompute_finish) },
};
/* clang-format on */
const PhCommandGroup ph_commands_train = { rows, G_N_ELEMENTS (rows) };
