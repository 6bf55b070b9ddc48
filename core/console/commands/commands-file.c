/* commands-file.c: open, save, close, info, problems.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/recording.h"
#include "core/analyze/totals.h"
#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/meant.h"
#include "core/console/reply-table.h"
#include "core/document/newcomer.h"
#include "core/io/choose.h"
#include "core/io/format.h"
#include "core/io/hlo/terms.h"
#include "core/io/io.h"
#include "core/ops/dialect.h"
#include "core/opset/opset.h"
#include "passes/pass.h"

/* ── open, reload, close ── */

typedef struct
{
  char *path;
  PhModel *model, *copy;
  PhHistory *recorded;
  GPtrArray *problems;
  gboolean reload, copied;
} Open;

static void
open_free (gpointer data)
{
  Open *open = data;

  g_clear_pointer (&open->model, ph_model_free);
  g_clear_pointer (&open->copy, ph_model_free);
  g_clear_pointer (&open->recorded, ph_history_free);
  g_clear_pointer (&open->problems, g_ptr_array_unref);
  g_free (open->path);
  g_free (open);
}

static gboolean
open_begin (PhCall *call, GError **error)
{
  Open *open;

  /* An existing file's name with blanks need not be quoted. */
  if (call->argc > 1 && g_file_test (call->rest, G_FILE_TEST_EXISTS))
    {
      g_strfreev (call->argv);
      call->argv = g_new0 (char *, 2);
      call->argv[0] = g_strdup (call->rest);
      call->argc = 1;
    }
  if (!ph_call_need_args (call, 1, 1, error))
    return FALSE;
  open = g_new0 (Open, 1);
  open->path = ph_expand_home (call->argv[0]);
  open->copied = ph_document_get_copied (call->document);
  ph_call_set_data (call, open, open_free);
  return TRUE;
}

static gboolean
open_work (PhCall *call, GError **error)
{
  Open *open = call->data;

  ph_call_progress (call, "reading", -1);
  open->problems = g_ptr_array_new_with_free_func (g_free);
  open->model = ph_recording_open (open->path, &open->recorded, open->problems, call->cancellable, error);
  if (open->model == NULL && error != NULL && *error != NULL)
    ph_quote_line (open->path, *error);
  if (open->model != NULL && open->copied)
    open->copy = ph_model_clone (open->model);
  return open->model != NULL;
}

static void
say_problems (PhCall *call, GPtrArray *problems, guint limit)
{
  JsonArray *array = ph_reply_array (call->reply, "problems");

  for (guint i = 0; i < problems->len; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (problems->pdata[i], -1);

      json_array_add_string_element (array, valid);
      if (i < limit)
        ph_reply_say (call->reply, PH_STYLE_CHANGED "problem: " PH_STYLE_RESET "%s\n", valid);
    }
  if (problems->len > limit)
    ph_reply_say (call->reply, "and %u more: `problems` lists them\n", problems->len - limit);
}

/* Returns "opset 17", "HLO", or "" if neither applies. */
static char *
describe_form (PhModel *model)
{
  const char *dialect = ph_dialect_name_foreign (model);

  if (dialect != NULL)
    return g_strdup (dialect);
  return ph_model_opset (model, "") > 0 ? g_strdup_printf ("opset %d", ph_model_opset (model, "")) : g_strdup ("");
}

static gboolean
open_finish (PhCall *call, GError **error)
{
  Open *open = call->data;
  g_autofree char *base = ph_io_display_name (open->path);
  PhModel *model = g_steal_pointer (&open->model);
  g_autofree char *form = describe_form (model), *before = ph_document_dup_name (call->document);
  const gboolean lost = before != NULL && ph_document_get_path (call->document) == NULL;
  const guint nodes = ph_model_n_nodes (model, TRUE), opset = (guint) ph_model_opset (model, "");
  guint steps = open->recorded != NULL ? open->recorded->steps->len : 0;
  gboolean beside = FALSE;

  if (open->reload)
    {
      /* If the same file is opened again, its feeds are kept. */
      g_autoptr (GHashTable) feeds = g_hash_table_ref (ph_document_get_feeds (call->document));
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
      GHashTableIter iter;
      gpointer name, tensor;

      g_hash_table_iter_init (&iter, feeds);
      while (g_hash_table_iter_next (&iter, &name, &tensor))
        {
          g_ptr_array_add (names, g_strdup (name));
          g_ptr_array_add (tensors, ph_tensor_ref (tensor));
        }
      ph_document_take_models (call->document, model, g_steal_pointer (&open->copy), open->path,
                               g_ptr_array_ref (open->problems));
      for (guint i = 0; i < names->len; i++)
        ph_document_set_feed (call->document, names->pdata[i], tensors->pdata[i]);
    }
  else
    {
      PhNewcomer *newcomer = ph_newcomer_new (model);

      newcomer->copy = g_steal_pointer (&open->copy);
      newcomer->path = g_strdup (open->path);
      newcomer->problems = g_ptr_array_ref (open->problems);
      newcomer->recorded = g_steal_pointer (&open->recorded);
      beside = ph_document_admit (call->document, newcomer, call->typed);
    }
  if (open->recorded != NULL)
    ph_document_take_recording (call->document, g_steal_pointer (&open->recorded));
  json_object_set_int_member (call->reply->json, "recorded", steps);
  json_object_set_boolean_member (call->reply->json, "beside", beside);
  ph_json_set (call->reply->json, "replaced", beside ? NULL : before);

  ph_json_set (call->reply->json, "file", open->path);
  json_object_set_int_member (call->reply->json, "nodes", nodes);
  json_object_set_int_member (call->reply->json, "opset", opset);
  ph_reply_say (call->reply, "%s%s: %u node%s%s%s\n", base, beside ? " is open in a tab beside" : "", nodes,
                nodes == 1 ? "" : "s", *form != '\0' ? ", " : "", form);
  /* A file can be opened again; a model without one is lost. */
  if (lost && !beside)
    ph_reply_say (call->reply, "it takes the place of %s, which came from no file\n", before);
  if (steps > 0)
    ph_reply_say (call->reply, "%u recorded step%s\n", steps, steps == 1 ? "" : "s");
  say_problems (call, open->problems, 5);
  return TRUE;
}

static gboolean
reload_begin (PhCall *call, GError **error)
{
  Open *open;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  if (ph_document_get_path (call->document) == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "what is open was not read from a file");
      return FALSE;
    }
  open = g_new0 (Open, 1);
  open->path = g_strdup (ph_document_get_path (call->document));
  open->reload = TRUE;
  open->copied = ph_document_get_copied (call->document);
  ph_call_set_data (call, open, open_free);
  return TRUE;
}

static gboolean
close_begin (PhCall *call, GError **error)
{
  if (!ph_call_need_args (call, 0, 0, error))
    return FALSE;
  ph_document_close (call->document);
  return TRUE;
}

/* ── save ── */

typedef struct
{
  char *path;
  int opset;
} Save;

static void
save_free (gpointer data)
{
  g_free (((Save *) data)->path);
  g_free (data);
}

static gboolean
save_begin (PhCall *call, GError **error)
{
  double opset = 0;
  Save *save;

  if (!ph_call_take_number (call, "--opset", &opset, error) || !ph_call_need_open (call, error)
      || !ph_call_need_args (call, 1, 1, error))
    return FALSE;
  if (opset != 0 && !(opset >= 1 && opset <= PH_OPSET_LAST && opset == (int) opset))
    return ph_call_usage (call, error, "--opset is a number from 1 to %d, not %g", PH_OPSET_LAST, opset);
  save = g_new0 (Save, 1);
  save->path = ph_expand_home (call->argv[0]);
  save->opset = (int) opset;
  ph_call_set_data (call, save, save_free);
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

static gboolean
is_hlo (const char *path)
{
  const PhFormat *format = ph_format_for_saving (path);

  return format != NULL && (format->dialect == &ph_dialect_stablehlo || format->dialect == &ph_dialect_hlo);
}

/* Converts the model for a file of HLO or StableHLO. Returns NULL without @error if it can be written as it is. */
static PhModel *
model_for (PhCall *call, const char *path, GError **error)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) model = NULL;
  g_autofree char *why = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  if (!is_hlo (path) || ph_terms_check (call->model, NULL))
    return NULL;
  model = ph_model_clone (call->model);
  options.cancellable = call->cancellable;
  options.allow = PH_ROUNDING;
  if (!ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &options, error)
      || !ph_pass_run (ph_pass_find ("convert-to-stablehlo"), model, history, &options, error))
    return NULL;
  if (history->steps->len > 0)
    why = g_strdup (g_array_index (history->steps, PhStep, history->steps->len - 1).note);
  if (!ph_terms_check (model, error))
    {
      if (why != NULL)
        g_prefix_error (error, "%.*s; ", (int) strcspn (why, ";\n"), why);
      return NULL;
    }
  return g_steal_pointer (&model);
}

static gboolean
save_work (PhCall *call, GError **error)
{
  const Save *save = call->data;
  const int own = ph_model_file_opset (call->model);
  g_autofree char *why = NULL;
  GError *local = NULL;
  int opset = 0;
  g_autoptr (PhModel) model = NULL;

  ph_call_progress (call, "writing", -1);
  model = model_for (call, save->path, &local);
  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  if (!is_hlo (save->path))
    model = ph_model_at_opset (call->model, save->opset, &opset, &why, &local);
  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  if (!ph_io_save (model != NULL ? model : call->model, save->path, call->cancellable, error))
    return FALSE;
  ph_json_set (call->reply->json, "file", save->path);
  ph_reply_say (call->reply, "wrote %s\n", save->path);
  if (opset == 0)
    return TRUE;
  json_object_set_int_member (call->reply->json, "opset", opset);
  json_object_set_int_member (call->reply->json, "file_opset", own);
  if (why != NULL)
    ph_json_set (call->reply->json, "opset_why", why);
  if (why != NULL)
    ph_reply_say (call->reply, "opset %d, for %s\n", opset, why);
  else if (save->opset > 0 && opset != own)
    ph_reply_say (call->reply, "opset %d, as asked for; the file came with %d\n", opset, own);
  else
    ph_reply_say (call->reply, "opset %d, the model's own\n", opset);
  if (call->model->graph->outputs->len == 0)
    ph_reply_say (call->reply, "the graph has no outputs: other programs find nothing to run\n");
  return TRUE;
}

/* ── print, render ── */

static gboolean
print_begin (PhCall *call, GError **error)
{
  double most = 16;

  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--elements", &most, error)
      || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  ph_call_set_data (call, g_memdup2 (&most, sizeof most), g_free);
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

static gboolean
print_work (PhCall *call, GError **error)
{
  const double most = *(double *) call->data;
  g_autofree char *text = NULL;

  ph_call_progress (call, "printing", -1);
  text = ph_onnx_text_try_print (call->model, (gsize) MAX (most, 0), call->cancellable, error);
  if (text == NULL)
    return FALSE;
  ph_json_set (call->reply->json, "text", text);
  ph_reply_say (call->reply, "%s", text);
  return TRUE;
}

/* ── info ── */

static gint64
count_parameters (PhModel *model)
{
  gint64 n = 0;

  for (guint i = 0; i < model->values->len; i++)
    {
      const PhValue *value = model->values->pdata[i];
      PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;

      if (constant != NULL)
        n += (gint64) ph_tensor_count (constant);
    }
  return n;
}

static void
values_to_json (GPtrArray *values, JsonArray *array)
{
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];
      JsonObject *row = ph_json_add_object (array);
      g_autofree char *type = ph_type_to_string (value->type);

      ph_json_set (row, "name", value->name);
      ph_json_set (row, "type", type);
      if (value->type != NULL && value->type->has_rank && value->type->kind == PH_KIND_TENSOR)
        {
          JsonArray *shape = json_array_new ();

          for (guint d = 0; d < value->type->rank; d++)
            {
              g_autofree char *dim = ph_dim_to_string (value->type->dims[d]);

              if (ph_dim_known (value->type->dims[d]))
                json_array_add_int_element (shape, value->type->dims[d].size);
              else
                json_array_add_string_element (shape, dim);
            }
          json_object_set_array_member (row, "shape", shape);
        }
      json_object_set_boolean_member (row, "optional", value->tensor != NULL);
    }
}

static int
by_count (gconstpointer a, gconstpointer b, gpointer data)
{
  gsize na = GPOINTER_TO_SIZE (g_hash_table_lookup (data, *(const char *const *) a));
  gsize nb = GPOINTER_TO_SIZE (g_hash_table_lookup (data, *(const char *const *) b));

  return na != nb ? (na < nb ? 1 : -1) : strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
say_values (PhReply *reply, const char *what, GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];
      g_autofree char *type = ph_type_to_string (value->type);

      ph_reply_say (reply, "%-11s %s: %s%s\n", i == 0 ? what : "", value->name, type,
                    value->tensor != NULL ? " (has a default)" : "");
    }
}

static gboolean
info_work (PhCall *call, GError **error)
{
  PhModel *model = call->model;
  const char *path = json_object_get_string_member_with_default (call->reply->json, "file", NULL);
  g_autofree char *position = ph_position_to_string (call->at);
  JsonObject *json = call->reply->json, *ops, *opsets;
  PhTotals totals;
  g_autofree gpointer *names = NULL;
  const char *dialect = ph_dialect_name_foreign (model);
  guint n_names;
  GHashTableIter iter;
  gpointer domain, version;
  gint64 parameters;

  ph_call_progress (call, "counting", -1);
  ops = json_object_new ();
  opsets = json_object_new ();
  ph_totals_init (&totals);
  ph_totals_add (&totals, model, G_MAXUINT);
  parameters = count_parameters (model);
  names = g_hash_table_get_keys_as_array (totals.ops, &n_names);
  g_qsort_with_data (names, (int) n_names, sizeof (gpointer), by_count, totals.ops);

  json_object_set_int_member (json, "nodes", totals.nodes);
  json_object_set_int_member (json, "edges", totals.edges);
  for (guint i = 0; i < n_names; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (names[i], -1);
      json_object_set_int_member (ops, valid, (gint64) GPOINTER_TO_SIZE (g_hash_table_lookup (totals.ops, names[i])));
    }
  json_object_set_object_member (json, "ops", ops);
  values_to_json (model->graph->inputs, ph_reply_array (call->reply, "inputs"));
  values_to_json (model->graph->outputs, ph_reply_array (call->reply, "outputs"));
  json_object_set_int_member (json, "opset", ph_model_file_opset (model));
  ph_json_set (json, "dialect", dialect);
  json_object_set_int_member (json, "form_opset", ph_model_opset (model, ""));
  g_hash_table_iter_init (&iter, model->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    {
      g_autofree char *valid = g_utf8_make_valid (*(char *) domain != '\0' ? domain : "ai.onnx", -1);
      if (!g_str_equal (domain, PH_FILE_OPSET))
        json_object_set_int_member (opsets, valid,
                                    *(char *) domain != '\0' ? GPOINTER_TO_INT (version) : ph_model_file_opset (model));
    }
  json_object_set_object_member (json, "opsets", opsets);
  json_object_set_int_member (json, "ir_version", model->ir_version);
  json_object_set_int_member (json, "parameters", parameters);
  json_object_set_int_member (json, "flops", totals.flops);
  json_object_set_int_member (json, "flops_unknown", totals.unknown);

  if (path != NULL)
    ph_reply_say (call->reply, "%-11s %s\n", "file", path);
  ph_reply_say (call->reply, "%-11s %s of %u\n", "position", position, call->history->steps->len);
  ph_reply_say (call->reply, "%-11s %" G_GINT64_FORMAT "\n%-11s %" G_GINT64_FORMAT "\n", "nodes", totals.nodes, "edges",
                totals.edges);
  say_values (call->reply, "inputs", model->graph->inputs);
  say_values (call->reply, "outputs", model->graph->outputs);
  if (dialect != NULL)
    ph_reply_say (call->reply, "%-11s %s\n", "dialect", dialect);
  else if (ph_model_file_opset (model) != ph_model_opset (model, ""))
    ph_reply_say (call->reply, "%-11s %d, its operators here in the form of %d\n", "opset", ph_model_file_opset (model),
                  ph_model_opset (model, ""));
  else if (ph_model_opset (model, "") > 0)
    ph_reply_say (call->reply, "%-11s %d\n", "opset", ph_model_opset (model, ""));
  ph_reply_say (call->reply, "%-11s %" G_GINT64_FORMAT "\n", "parameters", parameters);
  ph_reply_say (call->reply, "%-11s %" G_GINT64_FORMAT, "flops", totals.flops);
  if (totals.unknown > 0)
    ph_reply_say (call->reply, " (%" G_GINT64_FORMAT " node%s unknown)", totals.unknown, totals.unknown == 1 ? "" : "s");
  ph_reply_say (call->reply, "\n%-11s ", "ops");
  for (guint i = 0; i < n_names; i++)
    ph_reply_say (call->reply, "%s%s %" G_GSIZE_FORMAT, i > 0 ? ", " : "", (char *) names[i],
                  GPOINTER_TO_SIZE (g_hash_table_lookup (totals.ops, names[i])));
  ph_reply_say (call->reply, "\n");
  ph_totals_clear (&totals);
  return TRUE;
}

static gboolean
info_begin (PhCall *call, GError **error)
{
  JsonObject *json = call->reply->json;
  GPtrArray *parts = ph_document_get_parts (call->document);
  JsonArray *modules;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  ph_json_set (json, "file", ph_document_get_path (call->document));
  modules = parts != NULL ? ph_reply_array (call->reply, "modules") : NULL;
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    json_array_add_string_element (modules, parts->pdata[i]);
  ph_call_reply_position (call);
  json_object_set_int_member (json, "problems", ph_document_get_problems (call->document)->len);
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

static gboolean
problems_begin (PhCall *call, GError **error)
{
  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  say_problems (call, ph_document_get_problems (call->document), 1000);
  if (ph_document_get_problems (call->document)->len == 0)
    ph_reply_say (call->reply, "no problems\n");
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "open", "FILE", N_ ("Open a model, or a folder of models as a history"),
    "The content decides, not the name; `formats` lists what can be opened. The models of a folder become a history: what another compiler dumped after "
    "each of its passes. FILE/NAME is one module of a file or of XLA's folder. What is open stays open when the file cannot be read.",
    N_ ("_Open…"), "<Control>o", "document-open-symbolic", PH_CODE (open_begin, open_work, open_finish) },
  { "reload", "", N_ ("Read the open file again"), NULL, N_ ("_Reload"), "<Control>r|F5", "view-refresh-symbolic",
    PH_CODE (reload_begin, open_work, open_finish) },
  { "close", "", "Close what is open", NULL, NULL, NULL, NULL, PH_CODE (close_begin) },
  { "save", "FILE [--opset N]", N_ ("Write the model at the current position"),
    "The extension decides: `formats` lists them. As .mlir (StableHLO) and .hlo a model of ONNX is written in StableHLO's operators, as `run "
    "convert-to-stablehlo` does it, which asks for known shapes. In ONNX, fused nodes become local functions, so that any ONNX runtime can run the file. The "
    "opset is the one that the file came with, whatever form of the operators the passes worked on; where an operator that a pass made "
    "is newer, the lowest that has it, and the reply names it. --opset N: at this one, or the reply says what has no exact equal there. "
    "`run upgrade-opset` makes it the newest.",
    N_ ("_Save As…"), "<Control>s", "document-save-symbolic", PH_CODE (save_begin, save_work) },
  { "print", "[--elements N]", "The model at the current position, as ONNX text", "Constants of more than N elements (16) are not written "
    "out.", NULL, NULL, NULL, PH_CODE (print_begin, print_work) },
  { "info", "", N_ ("What is open, at the current position"), NULL, N_ ("_Information"), "<Control>i|<Shift>F1", "dialog-information-symbolic",
    PH_CODE (info_begin, info_work) },
  { "problems", "", N_ ("What the reader and type inference complained about"), NULL, N_ ("_Problems"), NULL,
    "dialog-warning-symbolic", PH_CODE (problems_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_file = { rows, G_N_ELEMENTS (rows) };
