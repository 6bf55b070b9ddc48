/* trace.c: the graph that lines of the language record, as a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/trace.h"

#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-script.h"
#include "core/console/console-state.h"
#include "core/console/other-code.h"
#include "core/console/reply-rows.h"
#include "core/io/io.h"

struct _PhTrace
{
  PhScript *script;
  GPtrArray *lines; /* (element-type char*) that recorded it      */
  char *program;    /* (nullable) the file of the language that was read last */
};

PhTrace *
ph_trace_new (void)
{
  PhTrace *trace = g_new0 (PhTrace, 1);

  trace->lines = g_ptr_array_new_with_free_func (g_free);
  trace->script = ph_script_new ();
  return trace;
}

void
ph_trace_free (PhTrace *trace)
{
  ph_script_free (trace->script);
  g_ptr_array_unref (trace->lines);
  g_free (trace->program);
  g_free (trace);
}

PhScript *
ph_console_get_script (PhConsole *console)
{
  return ph_console_get_trace (console)->script;
}

gboolean
ph_trace_has (PhConsole *console, const char *name)
{
  return ph_script_has (ph_console_get_script (console), name);
}

char **
ph_trace_names (PhConsole *console)
{
  return ph_script_names (ph_console_get_script (console));
}

/* Returns the document's tensor named @name: a result, a feed or a constant. */
static PhTensor *
document_tensor (const char *name, gboolean *known, gpointer data)
{
  PhDocument *document = data;
  PhModel *model = ph_document_get_model (document);
  PhValue *value = model != NULL ? ph_model_find_value_named (model, name) : NULL;
  PhTensor *tensor = value != NULL ? ph_document_get_value (document, value->id) : NULL;

  if (tensor == NULL)
    tensor = g_hash_table_lookup (ph_document_get_feeds (document), name);
  if (tensor == NULL && value != NULL)
    tensor = value->tensor != NULL ? value->tensor : ph_value_constant (value);
  *known = value != NULL;
  return tensor != NULL ? ph_tensor_ref (tensor) : NULL;
}

void
ph_trace_find_outside (PhCall *call, PhScriptText *text)
{
  ph_script_find_outside (ph_console_get_script (call->console), text, document_tensor, call->document);
}

/* ── the trace as a model ── */

/* Returns a clone whose outputs are the values without users. */
static PhModel *
trace_model (PhTrace *trace, const char *output, GError **error)
{
  g_autoptr (PhModel) model = ph_model_clone (ph_script_get_model (trace->script));
  guint n = 0;

  for (guint i = 0; i < model->values->len; i++)
    {
      PhValue *value = model->values->pdata[i];

      if (value == NULL || value->producer == NULL || value->graph != model->graph)
        continue;
      if (output != NULL ? g_str_equal (value->name, output) : value->uses->len == 0)
        if (!ph_graph_set_output (model->graph, n++, value, error))
          return NULL;
    }
  if (n == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "nothing was recorded yet: `x = 2`, then `y = log(x) * 3`");
      return NULL;
    }
  return g_steal_pointer (&model);
}

gboolean
ph_trace_command (PhCall *call, GError **error)
{
  PhTrace *trace = ph_console_get_trace (call->console);
  const char *what = call->argc > 0 ? call->argv[0] : "show";
  g_autoptr (PhModel) model = NULL;
  PhNewcomer *newcomer;

  if (ph_call_names_function (call))
    return ph_call_read_function (call, FALSE, error);
  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (g_str_equal (what, "clear"))
    {
      ph_script_clear (trace->script);
      g_ptr_array_set_size (trace->lines, 0);
      return TRUE;
    }
  if (!g_str_equal (what, "show") && !g_str_equal (what, "open"))
    {
      const gsize name = strcspn (what, "(");

      if (what[name] == '\0')
        return ph_call_usage (call, error, "trace does not know '%s'", what);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "there is no function '%.*s': define it with def, or run its file by `source`", (int) name, what);
      return FALSE;
    }

  model = trace_model (trace, NULL, error);
  if (model == NULL)
    return FALSE;
  if (g_str_equal (what, "show"))
    {
      json_object_set_int_member (call->reply->json, "nodes", ph_model_n_nodes (model, TRUE));
      g_autofree char *text = ph_onnx_text_print (model, 16);

      ph_json_set (call->reply->json, "text", text);
      ph_reply_say (call->reply, "%s", text);
      return TRUE;
    }

  newcomer = ph_newcomer_new (g_steal_pointer (&model));
  newcomer->feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < newcomer->model->graph->inputs->len; i++)
    {
      const PhValue *input = newcomer->model->graph->inputs->pdata[i];
      PhTensor *tensor = ph_script_get_feed (trace->script, input);

      if (tensor != NULL)
        g_hash_table_insert (newcomer->feeds, g_strdup (input->name), ph_tensor_ref (tensor));
    }
  ph_call_open_newcomer (call, newcomer, "trace");
  return TRUE;
}

void
ph_trace_keep_line (PhCall *call)
{
  g_ptr_array_add (ph_console_get_trace (call->console)->lines, g_strdup (call->rest));
}

void
ph_trace_set_program (PhConsole *console, const char *file)
{
  PhTrace *trace = ph_console_get_trace (console);

  g_free (trace->program);
  trace->program = g_strdup (file);
}

const char *
ph_console_get_program (PhConsole *console)
{
  return ph_console_get_trace (console)->program;
}

GPtrArray *
ph_console_get_expressions (PhConsole *console)
{
  return ph_console_get_trace (console)->lines;
}

PhModel *
ph_trace_model_of (PhConsole *console, const char *name, const char **output, GHashTable *feeds, GError **error)
{
  PhTrace *trace = ph_console_get_trace (console);
  PhValue *value = ph_script_get_recorded (trace->script, name);
  PhModel *model = value != NULL ? trace_model (trace, value->name, error) : NULL;

  for (guint i = 0; model != NULL && i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = ph_script_get_feed (trace->script, input);

      if (tensor != NULL)
        g_hash_table_insert (feeds, g_strdup (input->name), ph_tensor_ref (tensor));
    }
  *output = value != NULL ? value->name : NULL;
  if (value == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "'%s' was not recorded: nothing was computed for it", name);
  return model;
}

/* Computes the gradient in reverse mode: the autodiff pass differentiates the recorded graph, which is then run. */
gboolean
ph_trace_grad (PhCall *call, GError **error)
{
  PhTrace *trace = ph_console_get_trace (call->console);
  PhValue *value = call->argc > 0 ? ph_script_get_recorded (trace->script, call->argv[0]) : NULL;
  const PhPass *pass = ph_pass_find ("autodiff");
  g_autoptr (PhModel) model = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  PhRunOptions run_options = { .cancellable = call->cancellable };
  JsonArray *rows;

  if (value == NULL)
    {
      if (call->argc == 0)
        return ph_call_need_open (call, error);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no value '%s'; nothing is open, and no expression made it",
                   call->argv[0]);
      return FALSE;
    }
  if (call->argc == 2 || (call->argc > 2 && !g_str_equal (call->argv[1], "wrt")))
    return ph_call_usage (call, error, "'wrt NAME...' is expected after the output");
  model = trace_model (trace, value->name, error);
  if (model == NULL)
    return FALSE;

  g_ptr_array_add (arguments, (gpointer) value->name);
  for (guint i = 2; i < call->argc; i++)
    {
      const PhValue *by = ph_script_get_recorded (trace->script, call->argv[i]);

      g_ptr_array_add (arguments, by != NULL ? (gpointer) by->name : call->argv[i]);
    }
  for (guint i = 0; call->argc < 3 && i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      if (input->type != NULL && ph_dtype_is_float (input->type->dtype))
        g_ptr_array_add (arguments, (gpointer) input->name);
    }
  g_ptr_array_add (arguments, NULL);
  options.arguments = (const char *const *) arguments->pdata;
  options.allow = PH_LOSSY;
  if (!ph_pass_run (pass, model, history, &options, error))
    return FALSE;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = ph_script_get_feed (trace->script, input);

      if (tensor != NULL)
        g_hash_table_insert (feeds, input, ph_tensor_ref (tensor));
      else
        {
          PhTensor *like = ph_script_get_tensor (trace->script, call->argv[0]);
          g_autoptr (PhTensor) one = ph_tensor_new_scalar (ph_tensor_dtype (like), 1);

          g_hash_table_insert (
              feeds, input,
              ph_tensor_new_splat (ph_tensor_dtype (like), ph_tensor_rank (like), ph_tensor_dims (like), ph_tensor_data (one)));
        }
    }
  results = ph_run_model (model, feeds, NULL, &run_options, error);
  if (results == NULL)
    return FALSE;

  rows = ph_reply_array (call->reply, "gradients");
  for (guint i = 1; i < model->graph->outputs->len; i++)
    {
      PhValue *output = model->graph->outputs->pdata[i];
      PhTensor *result = g_hash_table_lookup (results, GUINT_TO_POINTER (output->id));
      JsonObject *row = ph_json_add_object (rows);
      g_autofree char *text = result != NULL ? ph_tensor_to_string (result, 16) : NULL;

      ph_json_set (row, "name", output->name);
      ph_json_set (row, "of", g_str_has_prefix (output->name, "grad_") ? output->name + strlen ("grad_") : output->name);
      if (result == NULL)
        continue;
      ph_tensor_to_json (result, row, 1000);
      ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET " = %s\n", output->name, text);
    }
  return TRUE;
}
