/* commands-value.c: feed, eval, values, grad.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "core/console/reply-rows.h"
#include "core/io/io.h"
#include "core/nearest.h"
#include "core/run/inputs.h"

#define MAX_ELEMENTS       1000   /* of a value in an answer */
#define MOST_ELEMENTS      100000 /* of all values, in an answer without names */
#define MAX_ELEMENTS_SHOWN 16

/* ── feed ── */

static void
input_to_json (PhCall *call, PhValue *input, JsonObject *row)
{
  PhTensor *tensor = g_hash_table_lookup (ph_document_get_feeds (call->document), input->name);
  g_autofree char *type = ph_type_to_string (input->type);

  ph_json_set (row, "name", input->name);
  json_object_set_string_member (row, "type", type);
  if (tensor != NULL)
    {
      g_autofree char *text = ph_tensor_to_string (tensor, MAX_ELEMENTS_SHOWN);
      ph_json_set (row, "value", text);
    }
  else
    json_object_set_string_member (row, "value", input->tensor != NULL ? "its default" : "not fed");
}

static void
reply_feeds (PhCall *call)
{
  static const PhColumn columns[] = { { "name", "input", .style = PH_STYLE_KEY }, { "type", "type" }, { "value", "value" } };
  GPtrArray *inputs = ph_document_get_model (call->document)->graph->inputs;
  JsonArray *rows = ph_reply_array (call->reply, "inputs");

  for (guint i = 0; i < inputs->len; i++)
    input_to_json (call, inputs->pdata[i], ph_json_add_object (rows));
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
}

static PhValue *
find_input (PhCall *call, const char *name, GError **error)
{
  GPtrArray *inputs = ph_document_get_model (call->document)->graph->inputs;
  g_autofree const char **names = g_new (const char *, inputs->len + 1);
  const char *nearest;

  for (guint i = 0; i < inputs->len; i++)
    {
      names[i] = ((PhValue *) inputs->pdata[i])->name;
      if (g_str_equal (names[i], name))
        return inputs->pdata[i];
    }
  nearest = inputs->len == 1 ? names[0] : ph_nearest (name, names, inputs->len);
  if (nearest != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no input '%s'; did you mean '%s'?", name, nearest);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no input '%s': `feed` lists them", name);
  return NULL;
}

/* "random SEED [SIZE...]": the sizes replace the open dimensions of the type, in order; if the rank is open, they are all dimensions. */
static PhTensor *
random_feed (PhCall *call, PhValue *input, GError **error)
{
  g_autoptr (GHashTable) sizes = g_hash_table_new (NULL, NULL);
  const PhType *type = input->type;
  const gboolean is_tensor = type != NULL && type->kind == PH_KIND_TENSOR, has_rank = is_tensor && type->has_rank;
  const guint rank = has_rank ? type->rank : is_tensor && call->argc > 3 ? MIN (call->argc - 3, PH_MAX_RANK) : 0;
  PhDim dims[PH_MAX_RANK];
  guint64 seed = 1;
  guint next = 3;
  PhTensor *tensor;

  if (call->argc > 2 && !g_ascii_string_to_unsigned (call->argv[2], 10, 0, G_MAXINT64, &seed, NULL))
    {
      ph_call_usage (call, error, "a seed is a number, not '%s'", call->argv[2]);
      return NULL;
    }
  if (is_tensor && !has_rank && call->argc <= 3)
    {
      ph_call_usage (call, error, "nothing is known of the shape of '%s': write its sizes after the seed", input->name);
      return NULL;
    }
  for (guint i = 0; i < rank; i++)
    {
      guint64 size;

      dims[i] = has_rank ? type->dims[i] : PH_DIM_UNKNOWN;
      if (!ph_dim_known (dims[i]) && next < call->argc)
        {

          if (!g_ascii_string_to_unsigned (call->argv[next], 10, 0, G_MAXINT32, &size, NULL))
            {
              ph_call_usage (call, error, "a size is a number, not '%s'", call->argv[next]);
              return NULL;
            }
          if (dims[i].symbol != NULL)
            g_hash_table_insert (sizes, (gpointer) dims[i].symbol, GSIZE_TO_POINTER (size));
          else
            dims[i] = (PhDim) { .size = (gint64) size };
          next++;
        }
    }
  if (next < call->argc)
    {
      ph_call_usage (call, error, "'%s' has fewer open dimensions than sizes given", input->name);
      return NULL;
    }
  tensor = ph_generate_tensor (is_tensor ? ph_type_tensor (type->dtype, rank, dims) : type, PH_INPUTS_NORMAL, seed, sizes, 2, 1);
  if (tensor == NULL)
    {
      g_autofree char *words = ph_type_to_string (type);
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "nothing random can be made for '%s' (%s): feed a file", input->name,
                   words);
    }
  return tensor;
}

static gboolean
feed_begin (PhCall *call, GError **error)
{
  PhValue *input;
  g_autoptr (PhTensor) tensor = NULL;
  const char *value;

  if (!ph_call_need_open (call, error))
    return FALSE;
  if (call->argc == 0)
    {
      reply_feeds (call);
      return TRUE;
    }
  input = find_input (call, call->argv[0], error);
  if (input == NULL)
    return FALSE;
  if (call->argc == 1)
    return ph_call_usage (call, error, "a value is missing");

  if (g_str_equal (call->argv[1], "random"))
    tensor = random_feed (call, input, error);
  else if (g_str_equal (call->argv[1], "none"))
    {
      ph_document_set_feed (call->document, input->name, NULL);
      reply_feeds (call);
      return TRUE;
    }
  else if (g_str_has_suffix (call->argv[1], ".npy") || g_str_has_suffix (call->argv[1], ".pb"))
    tensor = ph_tensor_load (call->argv[1], input->type, NULL, error);
  else
    {
      /* Keeps the text as typed, since quotes and blanks belong to the literal. */
      value = strstr (call->rest, call->argv[0]) + strlen (call->argv[0]);
      while (*value == '"' || *value == '\'' || g_ascii_isspace (*value))
        value++;
      if (input->type != NULL && input->type->dtype == PH_STRING)
        value = call->argv[1];
      tensor = ph_literal_parse (value, input->type, error);
      if (tensor == NULL && input->type != NULL && input->type->dtype == PH_STRING)
        {
          g_clear_error (error);
          g_autofree char *quoted = g_strdup_printf ("\"%s\"", value);
          tensor = ph_literal_parse (quoted, input->type, error);
        }
    }
  if (tensor == NULL)
    {
      g_prefix_error (error, "input '%s': ", input->name);
      return FALSE;
    }
  if (input->type != NULL && !ph_type_fits (input->type, tensor))
    {
      g_autofree char *text = ph_tensor_to_string (tensor, 0), *type = ph_type_to_string (input->type);

      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "input '%s' is %s; %s does not fit", input->name, type, text);
      return FALSE;
    }
  ph_document_set_feed (call->document, input->name, tensor);

  JsonArray *rows = ph_reply_array (call->reply, "inputs");
  JsonObject *row = ph_json_add_object (rows);

  input_to_json (call, input, row);
  ph_reply_say (call->reply, "%s = %s\n", input->name, json_object_get_string_member (row, "value"));
  return TRUE;
}

/* ── eval ── */

typedef struct
{
  PhModel *model;
  PhSnapshot *snapshot; /* cloned by the worker                      */
  GHashTable *named;    /* name -> PhTensor                          */
  GPtrArray *wanted;    /* (element-type PhValue) of @model          */
  GHashTable *results;  /* (nullable) PhId -> PhTensor               */
  char *folder;         /* (nullable) save to it                     */
  PhInputsKind kind;
  guint64 seed;
  gboolean keep_all, reference;
} Eval;

static void
eval_free (gpointer data)
{
  Eval *eval = data;

  g_clear_pointer (&eval->results, g_hash_table_unref);
  g_clear_pointer (&eval->named, g_hash_table_unref);
  g_clear_pointer (&eval->wanted, g_ptr_array_unref);
  g_clear_pointer (&eval->snapshot, ph_snapshot_free);
  g_free (eval->folder);
  g_free (eval);
}

/* Adds a value by its name, or all outputs of a node. */
static gboolean
add_wanted (PhModel *model, const char *name, GPtrArray *wanted, GError **error)
{
  PhValue *value = ph_model_find_value_named (model, name);
  PhNode *node = value == NULL ? ph_model_find_node_named (model, name) : NULL;
  g_autoptr (GPtrArray) names = NULL;
  const char *nearest;

  if (value != NULL || node != NULL)
    {
      if ((value != NULL ? value->graph : node->graph) != model->graph)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "'%s' lies inside a body: it has no value of its own", name);
          return FALSE;
        }
      if (value != NULL)
        g_ptr_array_add (wanted, value);
      for (guint i = 0; node != NULL && i < node->outputs->len; i++)
        if (ph_value_n_uses (node->outputs->pdata[i]) > 0)
          g_ptr_array_add (wanted, node->outputs->pdata[i]);
      return TRUE;
    }
  names = g_ptr_array_new ();
  for (guint i = 0; i < model->values->len && names->len < 20000; i++)
    if (model->values->pdata[i] != NULL)
      g_ptr_array_add (names, (gpointer) ((PhValue *) model->values->pdata[i])->name);
  nearest = ph_nearest (name, (const char *const *) names->pdata, names->len);
  if (nearest != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no value '%s' here; did you mean '%s'?", name, nearest);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no value '%s' here: `find %s` searches", name, name);
  return FALSE;
}

static gboolean
eval_begin (PhCall *call, GError **error)
{
  Eval *eval;
  double seed = -1;

  if (ph_call_take_flag (call, "--step"))
    return ph_call_hand_over (call, "exec", error);
  eval = g_new0 (Eval, 1);
  ph_call_set_data (call, eval, eval_free);
  if (!ph_call_need_open (call, error) || !ph_call_take_option (call, "--save", &eval->folder, error)
      || !ph_call_take_number (call, "--random", &seed, error))
    return FALSE;
  eval->keep_all = ph_call_take_flag (call, "--all");
  eval->reference = ph_call_take_flag (call, "--reference");
  eval->kind = seed >= 0 ? PH_INPUTS_NORMAL : PH_INPUTS_FED;
  eval->seed = seed >= 0 ? (guint64) seed : 0;
  if (!ph_call_need_args (call, 0, G_MAXUINT, error))
    return FALSE;

  eval->snapshot = ph_snapshot_new (call->document);
  eval->named = ph_feeds_copy (ph_document_get_feeds (call->document));
  return TRUE;
}

static void
run_progress (guint done, guint total, gpointer data)
{
  ph_call_progress (data, "computing", total > 0 ? (double) done / total : -1);
}

#define LONGEST 200

/* Returns @name as a file name, with doubtful characters replaced. */
static char *
file_name_of (const char *name, guint index)
{
  g_autofree char *copy = g_strdup (name);

  g_strcanon (copy, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", '_');
  if (*copy == '\0' || *copy == '.')
    return g_strdup_printf ("output_%u", index);
  if (strlen (copy) > LONGEST) /* file systems take 255 bytes; fused names of TensorFlow Lite are longer */
    return g_strdup_printf ("%.*s_%u", LONGEST, copy, index);
  return g_steal_pointer (&copy);
}

static gboolean
save_value (const char *folder, PhTensor *tensor, const char *name, guint index, JsonArray *files, GError **error)
{
  static const char *const extensions[] = { ".pb", ".npy" };
  g_autofree char *base = file_name_of (name, index);

  for (guint i = 0; i < G_N_ELEMENTS (extensions); i++)
    {
      g_autofree char *file = g_strconcat (base, extensions[i], NULL), *path = g_build_filename (folder, file, NULL);

      if (i == 1 && (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING))
        continue;
      if (!ph_tensor_save (tensor, name, path, error))
        return FALSE;
      ph_json_set (ph_json_add_object (files), "file", path);
    }
  return TRUE;
}

static gboolean
run_eval (PhCall *call, GError **error)
{
  Eval *eval = call->data;
  PhRunOptions options = { .cancellable = call->cancellable,
                           .keep_all = eval->keep_all,
                           .reference = eval->reference,
                           .progress = run_progress,
                           .progress_data = call };
  g_autoptr (GHashTable) feeds = NULL;
  JsonArray *rows = ph_reply_array (call->reply, "values");

  ph_call_progress (call, "computing", 0);
  eval->wanted = g_ptr_array_new ();
  for (guint i = 0; i < call->argc; i++)
    if (!add_wanted (eval->model, call->argv[i], eval->wanted, error))
      return FALSE;
  if (call->argc == 0)
    for (guint i = 0; i < eval->model->graph->outputs->len; i++)
      g_ptr_array_add (eval->wanted, eval->model->graph->outputs->pdata[i]);
  feeds = ph_inputs_find (eval->model, eval->named, eval->kind, eval->seed, eval->wanted, &options, &eval->results, error);
  if (feeds == NULL)
    return FALSE;

  ph_results_add (eval->results, feeds);
  if (eval->folder != NULL && g_mkdir_with_parents (eval->folder, 0777) != 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be made: %s", eval->folder, g_strerror (errno));
      return FALSE;
    }
  for (guint i = 0; i < eval->wanted->len; i++)
    {
      PhValue *wanted = eval->wanted->pdata[i];
      PhTensor *result = g_hash_table_lookup (eval->results, GUINT_TO_POINTER (wanted->id));
      JsonObject *row = ph_json_add_object (rows);
      g_autofree char *text = NULL;

      ph_json_set (row, "name", wanted->name);
      if (result == NULL)
        continue;
      ph_tensor_to_json (result, row, MAX_ELEMENTS);
      text = ph_tensor_to_string (result, MAX_ELEMENTS_SHOWN);
      ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET " = %s\n", wanted->name, text);
      if (ph_tensor_kind (result) == PH_KIND_TENSOR && ph_tensor_count (result) > 1 && json_object_has_member (row, "std"))
        {
          g_autofree char *min = ph_json_cell (json_object_get_member (row, "min"));
          g_autofree char *max = ph_json_cell (json_object_get_member (row, "max"));
          g_autofree char *mean = ph_json_cell (json_object_get_member (row, "mean"));

          ph_reply_say (call->reply, PH_STYLE_DIM "    min %s, max %s, mean %s" PH_STYLE_RESET "\n", min, max, mean);
        }
      if (eval->folder != NULL
          && !save_value (eval->folder, result, wanted->name, i,
                          json_object_has_member (call->reply->json, "files")
                              ? json_object_get_array_member (call->reply->json, "files")
                              : ph_reply_array (call->reply, "files"),
                          error))
        return FALSE;
    }
  if (eval->folder != NULL)
    ph_reply_say (call->reply, "saved in %s\n", eval->folder);
  return TRUE;
}

static gboolean
eval_work (PhCall *call, GError **error)
{
  Eval *eval = call->data;
  gboolean ok;

  eval->model = ph_snapshot_lend (eval->snapshot, ph_snapshot_get_history (eval->snapshot)->position);
  ok = run_eval (call, error);
  eval->model = NULL;
  ph_snapshot_return (eval->snapshot);
  return ok;
}

static gboolean
eval_finish (PhCall *call, GError **error)
{
  Eval *eval = call->data;

  ph_document_take_values (call->document, g_steal_pointer (&eval->results));
  return TRUE;
}

static gboolean
values_begin (PhCall *call, GError **error)
{
  PhModel *model = ph_document_get_model (call->document);
  JsonArray *rows = ph_reply_array (call->reply, "values");
  gsize left = MOST_ELEMENTS;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, G_MAXUINT, error))
    return FALSE;
  if (ph_document_get_values (call->document) == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "nothing was computed yet: `eval`, or `eval --all` to look at every value");
      return FALSE;
    }
  for (guint i = 0; i < model->values->len; i++)
    {
      PhValue *value = model->values->pdata[i];
      PhTensor *tensor = value != NULL ? ph_document_get_value (call->document, value->id) : NULL;
      JsonObject *row;
      g_autofree char *text = NULL;

      if (tensor == NULL || (call->argc > 0 && !g_strv_contains ((const char *const *) call->argv, value->name)))
        continue;
      row = ph_json_add_object (rows);
      ph_json_set (row, "name", value->name);
      ph_tensor_to_json (tensor, row, call->argc > 0 ? MAX_ELEMENTS : MIN (MAX_ELEMENTS, left));
      left -= MIN (left, MIN (ph_tensor_count (tensor), MAX_ELEMENTS));
      text = ph_tensor_to_string (tensor, call->argc > 0 ? 100 : 6);
      ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET " = %s\n", value->name, text);
    }
  return TRUE;
}

/* ── grad ── */

/* The commands `grad` and `jvp` and the names of their outputs. */
typedef struct
{
  const char *verb, *pass, *prefix, *member;
} Derivative;

static const Derivative derivatives[] = {
  { "grad", "autodiff", "grad_", "gradients" },
  { "jvp", "jvp", "tangent_", "tangents" },
};

typedef struct
{
  const Derivative *kind;
  PhJob *job;
  guint n_outputs;
} Grad;

static void
grad_free (gpointer data)
{
  Grad *grad = data;

  g_clear_pointer (&grad->job, ph_job_free);
  g_free (grad);
}

static gboolean
derivative_begin (PhCall *call, const Derivative *kind, GError **error)
{
  const PhPass *pass = ph_pass_find (kind->pass);
  PhModel *model = ph_document_get_model (call->document);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  Grad *grad;

  if (g_str_equal (kind->verb, "grad")
      && (!ph_document_is_open (call->document)
          || (call->argc > 0 && ph_model_find_value_named (model, call->argv[0]) == NULL
              && ph_trace_has (call->console, call->argv[0]))))
    return ph_trace_grad (call, error);
  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, G_MAXUINT, error))
    return FALSE;
  if (call->argc == 0 && model->graph->outputs->len != 1)
    return ph_call_usage (call, error, "the model has %u outputs: name the one to differentiate", model->graph->outputs->len);
  if (call->argc > 1 && !g_str_equal (call->argv[1], "wrt"))
    return ph_call_usage (call, error, "'wrt' is expected before '%s'", call->argv[1]);
  if (call->argc == 2)
    return ph_call_usage (call, error, "names are missing after wrt");

  g_ptr_array_add (arguments, call->argc > 0 ? call->argv[0] : (gpointer) ((PhValue *) model->graph->outputs->pdata[0])->name);
  for (guint i = 2; i < call->argc; i++)
    g_ptr_array_add (arguments, call->argv[i]);
  g_ptr_array_add (arguments, NULL);

  grad = g_new0 (Grad, 1);
  grad->kind = kind;
  grad->n_outputs = model->graph->outputs->len;
  grad->job = ph_job_new (call->document, ph_document_get_position (call->document));
  ph_call_set_data (call, grad, grad_free);
  ph_job_add_pass (grad->job, pass, (const char *const *) arguments->pdata);
  ph_job_get_options (grad->job)->allow = PH_LOSSY;
  return TRUE;
}

static gboolean
grad_begin (PhCall *call, GError **error)
{
  return derivative_begin (call, &derivatives[0], error);
}

static gboolean
jvp_begin (PhCall *call, GError **error)
{
  return derivative_begin (call, &derivatives[1], error);
}

static gboolean
grad_work (PhCall *call, GError **error)
{
  return call->data == NULL || ph_job_run (((Grad *) call->data)->job, call->cancellable, error);
}

/* Returns the value that the output "grad_x", or "grad_x_1" if that name was taken, is the gradient of. (transfer full) */
static char *
gradient_by (PhModel *model, const char *prefix, const char *output)
{
  char *name = g_strdup (g_str_has_prefix (output, prefix) ? output + strlen (prefix) : output);
  char *number = strrchr (name, '_');

  if (ph_model_find_value_named (model, name) == NULL && number != NULL)
    *number = '\0';
  return name;
}

static gboolean
grad_finish (PhCall *call, GError **error)
{
  Grad *grad = call->data;
  JsonArray *rows;
  GPtrArray *outputs;
  guint step;

  if (grad == NULL)
    return TRUE;
  if (!ph_document_take_job (call->document, grad->job, TRUE, error))
    return FALSE;
  rows = ph_reply_array (call->reply, grad->kind->member);
  outputs = ph_document_get_model (call->document)->graph->outputs;
  for (guint i = grad->n_outputs; i < outputs->len; i++)
    {
      PhValue *output = outputs->pdata[i];
      JsonObject *row = ph_json_add_object (rows);
      g_autofree char *type = ph_type_to_string (output->type);
      g_autofree char *of = gradient_by (ph_document_get_model (call->document), grad->kind->prefix, output->name);

      ph_json_set (row, "name", output->name);
      ph_json_set (row, "of", of);
      ph_json_set (row, "type", type);
      ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET ": %s\n", output->name, type);
    }
  ph_call_reply_position (call);
  step = ph_document_get_position (call->document).step;
  if (step > 0)
    ph_step_to_json (call->document, step - 1, ph_json_add_object (ph_reply_array (call->reply, "steps")));
  return TRUE;
}

static const PhCommand rows[] = {
  { "feed", "[INPUT FILE|random]", N_ ("Set an input: a literal, a .npy or .pb file, or random SEED"),
    "`feed x 2`, `feed x [[1, 2], [3, 4]]`, `feed x input_0.pb`, `feed x random 1 2 64` (sizes of the open dimensions), "
    "`feed x none`. One number fills an input of known shape. Alone it lists the inputs.",
    N_ ("_Feed Inputs"), NULL, NULL, PH_CODE (feed_begin) },
  { "eval", "[VALUE...] [--save FOLDER] [--all] [--random SEED] [--step]", N_ ("Compute the outputs, or these values"),
    "--save writes NAME.pb and NAME.npy; --all keeps every value for `values` and the inspector; --random SEED makes up what is "
    "not fed; --reference does without the fast kernels; --step is `exec`: the graph runs node by node, `eval --step next`.",
    N_ ("_Evaluate"), "<Control>e|F4", "media-playback-start-symbolic", PH_CODE (eval_begin, eval_work, eval_finish) },
  { "values", "[VALUE...]", N_ ("What the last eval computed"), NULL, N_ ("_Values"), NULL, NULL, PH_CODE (values_begin) },
  { "grad", "[VALUE [wrt VALUE...]]", N_ ("Append the backward graph of an output"),
    "It gets one new input, grad_OUTPUT, which is ones when it is not fed, and one new output, grad_NAME, for each float input and "
    "initializer, or for those named.",
    N_ ("_Differentiate"), "<Control>d|<Shift>F4", NULL, PH_CODE (grad_begin, grad_work, grad_finish) },
  { "jvp", "[VALUE [wrt VALUE...]]", N_ ("Append the tangent of an output, by forward mode"),
    "It gets one new input, tangent_NAME, for each float input (without any: each initializer), or for those named: how it moves, ones when "
    "it is not fed; and one new output, tangent_OUTPUT: how the output moves, the Jacobian times the tangents. `step into` shows one "
    "operator at a time. jvp(f)(x, dx) is that of a function of the language.",
    NULL, NULL, NULL, PH_CODE (jvp_begin, grad_work, grad_finish) },
};
const PhCommandGroup ph_commands_value = { rows, G_N_ELEMENTS (rows) };
