/* commands-adjoint.c: adjoint.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "core/console/reply-rows.h"
#include "core/console/trace.h"
#include "core/document/adjoint.h"

typedef struct
{
  PhSnapshot *snapshot; /* (nullable) of the document */
  PhModel *model;       /* (nullable) or the console's recording */
  char *output;         /* (nullable) the first float output */
  GHashTable *feeds;    /* (nullable) feeds of the recording */
  PhAdjoint *adjoint;
} Adjoint;

static void
adjoint_free (gpointer data)
{
  Adjoint *work = data;

  g_clear_pointer (&work->snapshot, ph_snapshot_free);
  g_clear_pointer (&work->model, ph_model_free);
  g_free (work->output);
  g_clear_pointer (&work->feeds, g_hash_table_unref);
  g_clear_pointer (&work->adjoint, ph_adjoint_free);
  g_free (work);
}

static gboolean
adjoint_begin (PhCall *call, GError **error)
{
  Adjoint *work;
  const char *output = call->argc > 0 ? call->argv[0] : NULL;
  gboolean recorded = output != NULL && ph_trace_has (call->console, output)
                      && (!ph_document_is_open (call->document)
                          || ph_model_find_value_named (ph_document_get_model (call->document), output) == NULL);

  if ((!recorded && !ph_call_need_open (call, error)) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  work = g_new0 (Adjoint, 1);
  ph_call_set_data (call, work, adjoint_free);
  if (recorded)
    {
      work->feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
      work->model = ph_trace_model_of (call->console, output, &output, work->feeds, error);
      if (work->model == NULL)
        return FALSE;
    }
  else
    work->snapshot = ph_snapshot_new (call->document);
  work->output = g_strdup (output);
  return TRUE;
}

/* Writes a scalar as a number, a small tensor as an array, and anything else as its type. */
static void
set_value (JsonObject *object, const char *member, PhTensor *tensor, const PhType *type)
{
  g_autofree char *text = ph_adjoint_text (tensor, type);

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING)
    json_object_set_string_member (object, member, text);
  else
    {
      JsonObject *value = json_object_new ();
      JsonNode *data;

      ph_tensor_to_json (tensor, value, ph_tensor_count (tensor));
      data = json_object_get_member (value, "data");
      if (data != NULL && JSON_NODE_HOLDS_ARRAY (data) && ph_tensor_rank (tensor) == 0)
        data = json_array_get_element (json_node_get_array (data), 0);
      json_object_set_member (object, member, data != NULL ? json_node_copy (data) : json_node_new (JSON_NODE_NULL));
      json_object_unref (value);
    }
}

/* Returns the sum of all contributions to a value as text. (transfer full) (nullable) */
static char *
sum_of (const PhAdjoint *adjoint, guint row)
{
  GString *sum = g_string_new (NULL);

  for (guint i = 0; i < adjoint->steps->len; i++)
    {
      const PhAdjointStep *step = adjoint->steps->pdata[i];
      if (step->row == row)
        g_string_append_printf (sum, "%s%s", sum->len > 0 ? " + " : "", step->formula);
    }
  return g_string_free (sum, sum->len == 0);
}

static void
say_lines (PhReply *reply, const char *title, GPtrArray *lines)
{
  ph_reply_say (reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET "\n", title);
  for (guint i = 0; i < lines->len; i++)
    ph_reply_say (reply, "  %s\n", ((PhAdjointLine *) lines->pdata[i])->text);
}

static gboolean
adjoint_work (PhCall *call, GError **error)
{
  Adjoint *work = call->data;
  JsonArray *rows, *steps;

  ph_call_progress (call, "differentiating", -1);
  if (work->snapshot != NULL)
    work->model = ph_snapshot_take (work->snapshot, ph_snapshot_get_history (work->snapshot)->position);
  work->adjoint = ph_adjoint_new (work->model, work->feeds != NULL ? work->feeds : ph_snapshot_get_feeds (work->snapshot),
                                  work->output, call->cancellable, error);
  if (work->adjoint == NULL)
    return FALSE;

  const PhAdjoint *adjoint = work->adjoint;

  ph_json_set (call->reply->json, "output", adjoint->output);
  rows = ph_reply_array (call->reply, "rows");
  for (guint i = 0; i < adjoint->rows->len; i++)
    {
      const PhAdjointRow *row = adjoint->rows->pdata[i];
      JsonObject *object = ph_json_add_object (rows);
      g_autofree char *sum = sum_of (adjoint, i);

      json_object_set_string_member (object, "name", row->name);
      json_object_set_string_member (object, "formula", row->formula);
      set_value (object, "value", row->tensor, row->type);
      ph_json_set (object, "adjoint_formula", sum);
      if (row->has_adjoint)
        set_value (object, "adjoint", row->adjoint, row->type);
      else
        json_object_set_null_member (object, "adjoint");
    }
  steps = ph_reply_array (call->reply, "reverse");
  for (guint i = 0; i < adjoint->steps->len; i++)
    {
      const PhAdjointStep *step = adjoint->steps->pdata[i];
      const PhAdjointRow *row = adjoint->rows->pdata[step->row];
      JsonObject *object = ph_json_add_object (steps);
      g_autofree char *name = g_strconcat (row->name, "'", NULL), *formula = ph_adjoint_step_formula (adjoint, step);

      json_object_set_string_member (object, "name", name);
      json_object_set_string_member (object, "formula", formula);
      set_value (object, "value", step->tensor, row->type);
    }

  g_autoptr (GPtrArray) forward = ph_adjoint_forward_lines (adjoint), reverse = ph_adjoint_reverse_lines (adjoint);
  say_lines (call->reply, "Forward primal trace", forward);
  ph_reply_say (call->reply, "\n");
  say_lines (call->reply, "Reverse adjoint trace", reverse);
  if (adjoint->not_computed != NULL)
    {
      ph_json_set (call->reply->json, "not_computed", adjoint->not_computed);
      ph_reply_say (call->reply, "\n" PH_STYLE_DIM "Without values: %s" PH_STYLE_RESET "\n", adjoint->not_computed);
    }
  return TRUE;
}

static const PhCommand rows[] = {
  { "adjoint", "[OUTPUT]", N_ ("Show the forward primal and the reverse adjoint trace"),
    "What each node computes, v1 = ln v-1 = 0.693, and what it hands on to the gradients of its inputs, v0' = v0' + v2' * v-1 = 1.716, "
    "in order of execution, with values where the inputs are fed. v-1, v0 are the inputs; a quote marks the gradient of the output "
    "(OUTPUT, or the first one) by that value. The model stays as it is: `grad` appends the gradient as a graph.",
    N_ ("_Adjoint Traces"), NULL, NULL, PH_CODE (adjoint_begin, adjoint_work) },
};

const PhCommandGroup ph_commands_adjoint = { rows, G_N_ELEMENTS (rows) };
