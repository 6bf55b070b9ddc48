/* trace.c: the graph that expressions record, computed as it grows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/trace.h"

#include <string.h>

#include "core/io/io.h"
#include "core/ops/builder.h"

struct _PhTrace
{
  PhModel    *model;             /* has no journal: it is a record itself      */
  GHashTable *variables;         /* owned name -> PhValue                      */
  GHashTable *tensors;           /* PhId -> owned PhTensor: what was computed  */
  GPtrArray  *lines;             /* (element-type char*) that recorded it      */
  PhId        kept;              /* the model's next id after the last of them */
};

PhTrace *
ph_trace_new (void)
{
  PhTrace *trace = g_new0 (PhTrace, 1);

  trace->lines = g_ptr_array_new_with_free_func (g_free);
  trace->model = ph_model_new ();
  trace->model->ir_version = 10;
  ph_model_set_opset (trace->model, "", PH_OPSET_NEWEST);
  trace->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  trace->tensors = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  return trace;
}

void
ph_trace_free (PhTrace *trace)
{
  g_hash_table_unref (trace->variables);
  g_hash_table_unref (trace->tensors);
  ph_model_free (trace->model);
  g_ptr_array_unref (trace->lines);
  g_free (trace);
}

void
ph_operand_clear (PhOperand *operand)
{
  g_clear_pointer (&operand->tensor, ph_tensor_unref);
}

gboolean
ph_trace_has (PhConsole *console, const char *name)
{
  return g_hash_table_contains (ph_console_get_trace (console)->variables, name);
}

char **
ph_trace_names (PhConsole *console)
{
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (ph_console_get_trace (console)->variables, NULL);

  return g_strdupv ((char **) names);
}

static void
set_operand (PhTrace *trace, PhValue *value, PhOperand *operand)
{
  *operand = (PhOperand) { value, ph_tensor_ref (g_hash_table_lookup (trace->tensors, GUINT_TO_POINTER (value->id))) };
}

static PhValue *
add_input (PhTrace *trace, const char *name, PhTensor *tensor, GError **error)
{
  const char *unique = ph_model_unique_name (trace->model, name);
  PhValue    *value = ph_graph_add_input (trace->model->graph, unique, ph_type_of_tensor (tensor), NULL, G_MAXUINT, error);

  if (value != NULL)
    g_hash_table_insert (trace->tensors, GUINT_TO_POINTER (value->id), ph_tensor_ref (tensor));
  return value;
}

/* What the document knows of @name: a result, what was fed, a constant. */
static PhTensor *
document_tensor (PhDocument *document, const char *name)
{
  PhModel  *model = ph_document_get_model (document);
  PhValue  *value = model != NULL ? ph_model_find_value_named (model, name) : NULL;
  PhTensor *tensor = value != NULL ? ph_document_get_value (document, value->id) : NULL;

  if (tensor == NULL)
    tensor = g_hash_table_lookup (ph_document_get_feeds (document), name);
  if (tensor == NULL && value != NULL)
    tensor = value->tensor != NULL ? value->tensor : ph_value_constant (value);
  return tensor;
}

gboolean
ph_trace_lookup (PhCall *call, const char *name, PhOperand *operand, GError **error)
{
  PhTrace  *trace = ph_console_get_trace (call->console);
  PhValue  *value = g_hash_table_lookup (trace->variables, name);
  PhTensor *tensor;

  if (value == NULL && (tensor = document_tensor (call->document, name)) != NULL)
    {
      value = add_input (trace, name, tensor, error);
      if (value == NULL)
        return FALSE;
      g_hash_table_insert (trace->variables, g_strdup (name), value);
    }
  if (value == NULL)
    {
      PhModel *model = ph_document_get_model (call->document);

      if (model != NULL && ph_model_find_value_named (model, name) != NULL)
        g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "'%s' was not computed yet: `eval %s`, or `eval --all`", name, name);
      else
        g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no variable '%s'", name);
      return FALSE;
    }
  set_operand (trace, value, operand);
  return TRUE;
}

/* ── recording ── */

/* The element type that a literal takes as input @i: that of the inputs of the same group, else the first float or integer
 * that the schema allows. */
static PhDType
literal_dtype (const PhOp *op, guint i, PhOperand *inputs, guint n)
{
  guint          last = 0;
  const PhOpArg *arg;

  while (last + 1 < PH_MAX_ARGS && op->inputs[last + 1].name != NULL)
    last++;
  arg = &op->inputs[MIN (i, last)];
  for (guint k = 0; k < n; k++)
    if (!inputs[k].weak && inputs[k].tensor != NULL && arg->group != '\0' && op->inputs[MIN (k, last)].group == arg->group)
      return ph_tensor_dtype (inputs[k].tensor);
  if ((arg->types & PH_T (FLOAT)) != 0)
    return PH_FLOAT;
  if ((arg->types & PH_T (INT64)) != 0)
    return PH_INT64;
  for (PhDType dtype = PH_FLOAT; dtype < PH_N_DTYPES; dtype++)
    if ((arg->types & (G_GUINT64_CONSTANT (1) << dtype)) != 0)
      return dtype;
  return PH_FLOAT;
}

static PhValue *
operand_value (PhTrace *trace, PhBuilder *builder, const PhOp *op, guint i, PhOperand *inputs, guint n)
{
  PhOperand *operand = &inputs[i];

  if (operand->value != NULL || operand->tensor == NULL)
    return operand->value;
  /* A number beside text stays what it is, and the operator says that they do not go together. */
  const PhDType wanted = literal_dtype (op, i, inputs, n);
  if (operand->weak && ph_tensor_dtype (operand->tensor) != PH_STRING && (ph_dtype_is_float (wanted) || ph_dtype_is_integer (wanted) || wanted == PH_BOOL))
    {
      PhTensor *cast = ph_tensor_cast (operand->tensor, wanted);

      ph_tensor_unref (operand->tensor);
      operand->tensor = cast;
    }
  operand->value = ph_build_tensor (builder, ph_tensor_ref (operand->tensor));
  if (operand->value != NULL)
    g_hash_table_insert (trace->tensors, GUINT_TO_POINTER (operand->value->id), ph_tensor_ref (operand->tensor));
  return operand->value;
}

static guint
count_outputs (const PhOp *op)
{
  guint n = 0;

  while (n < PH_MAX_ARGS && op->outputs[n].name != NULL && (n == 0 || (op->outputs[n].flags & (PH_ARG_OPTIONAL | PH_ARG_VARIADIC)) == 0))
    n++;
  return MAX (n, 1);
}

gboolean
ph_trace_apply (PhCall *call, const PhOp *op, PhOperand *inputs, guint n, PhAttr **attrs, PhOperand *result, GError **error)
{
  PhTrace             *trace = ph_console_get_trace (call->console);
  PhBuilder            builder = { .graph = trace->model->graph, .name = op->name };
  g_autofree PhValue **values = g_new0 (PhValue *, n + 1);
  g_autofree PhTensor **tensors = g_new0 (PhTensor *, n + 1);
  PhTensor            *outputs[PH_MAX_ARGS] = { NULL };
  PhRunOptions         options = { .cancellable = call->cancellable };
  guint                n_outputs = count_outputs (op);
  PhValue             *value;
  PhNode              *node;

  for (guint i = 0; i < n; i++)
    {
      values[i] = operand_value (trace, &builder, op, i, inputs, n);
      tensors[i] = inputs[i].tensor;
    }
  value = ph_build_node (&builder, op, values, n, attrs, n_outputs);
  if (!ph_builder_finish (&builder, error))
    return FALSE;
  node = value->producer;
  if (!ph_run_node (node, tensors, outputs, &options, error))
    {
      ph_graph_remove_node (node, NULL);      /* only this: what it reads may be a variable */
      return FALSE;
    }
  for (guint i = 0; i < n_outputs; i++)
    {
      PhValue *output = ph_node_output (node, i);

      if (outputs[i] == NULL)
        continue;
      if (ph_tensor_kind (outputs[i]) == PH_KIND_TENSOR)
        ph_value_set_type (output, ph_type_of_tensor (outputs[i]), NULL);
      g_hash_table_insert (trace->tensors, GUINT_TO_POINTER (output->id), outputs[i]);
    }
  set_operand (trace, value, result);
  return TRUE;
}

gboolean
ph_trace_assign (PhCall *call, const char *name, PhOperand *operand, GError **error)
{
  PhTrace *trace = ph_console_get_trace (call->console);

  if (operand->value == NULL)
    {
      /* A literal of its own is a float, as in the textbooks; 1:3 and gather's indices take what they need. */
      if (operand->weak && ph_tensor_dtype (operand->tensor) == PH_INT64)
        {
          PhTensor *cast = ph_tensor_cast (operand->tensor, PH_FLOAT);

          ph_tensor_unref (operand->tensor);
          operand->tensor = cast;
        }
      operand->value = add_input (trace, name, operand->tensor, error);
      if (operand->value == NULL)
        return FALSE;
    }
  else if (operand->value->producer != NULL && g_str_has_prefix (operand->value->name, operand->value->producer->op_type))
    {
      /* Still named after its operator: it was not assigned before. */
      if (!ph_value_rename (operand->value, ph_model_unique_name (trace->model, name), error))
        return FALSE;
    }
  g_hash_table_insert (trace->variables, g_strdup (name), operand->value);
  return TRUE;
}

/* ── the trace as a model ── */

/* A clone whose outputs are what nothing uses further. */
static PhModel *
trace_model (PhTrace *trace, const char *output, GError **error)
{
  g_autoptr (PhModel) model = ph_model_clone (trace->model);
  guint              n = 0;

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
  PhTrace            *trace = ph_console_get_trace (call->console);
  const char         *what = call->argc > 0 ? call->argv[0] : "show";
  g_autoptr (PhModel)  model = NULL;

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (g_str_equal (what, "clear"))
    {
      PhTrace *empty = ph_trace_new ();
      PhTrace  old = *trace;

      *trace = *empty;
      *empty = old;
      ph_trace_free (empty);
      return TRUE;
    }
  if (!g_str_equal (what, "show") && !g_str_equal (what, "open"))
    return ph_call_usage (call, error, "trace does not know '%s'", what);

  model = trace_model (trace, NULL, error);
  if (model == NULL)
    return FALSE;
  json_object_set_int_member (call->reply->json, "nodes", ph_model_n_nodes (model, TRUE));
  if (g_str_equal (what, "show"))
    {
      g_autofree char *text = ph_onnx_text_print (model, 16);

      ph_json_set (call->reply->json, "text", text);
      ph_reply_say (call->reply, "%s", text);
      return TRUE;
    }

  PhModel *taken = g_steal_pointer (&model);

  ph_document_take_model (call->document, taken, NULL, NULL);
  for (guint i = 0; i < taken->graph->inputs->len; i++)
    {
      const PhValue *input = taken->graph->inputs->pdata[i];

      ph_document_set_feed (call->document, input->name, g_hash_table_lookup (trace->tensors, GUINT_TO_POINTER (input->id)));
    }
  ph_reply_say (call->reply, "the trace is open: %u nodes\n", ph_model_n_nodes (taken, TRUE));
  return TRUE;
}

void
ph_trace_keep_line (PhCall *call, gboolean named)
{
  PhTrace *trace = ph_console_get_trace (call->console);

  if (!named && trace->model->next_id == trace->kept)
    return;
  trace->kept = trace->model->next_id;
  g_ptr_array_add (trace->lines, g_strdup (call->rest));
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
  PhValue *value = g_hash_table_lookup (trace->variables, name);
  PhModel *model = value != NULL ? trace_model (trace, value->name, error) : NULL;

  for (guint i = 0; model != NULL && i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      PhTensor      *tensor = g_hash_table_lookup (trace->tensors, GUINT_TO_POINTER (input->id));

      if (tensor != NULL)
        g_hash_table_insert (feeds, g_strdup (input->name), ph_tensor_ref (tensor));
    }
  *output = value != NULL ? value->name : NULL;
  return model;
}

/* The textbook's reverse mode: the recorded graph, differentiated by the same pass, and computed. */
gboolean
ph_trace_grad (PhCall *call, GError **error)
{
  PhTrace              *trace = ph_console_get_trace (call->console);
  PhValue              *value = call->argc > 0 ? g_hash_table_lookup (trace->variables, call->argv[0]) : NULL;
  const PhPass         *pass = ph_pass_find ("autodiff");
  g_autoptr (PhModel)    model = NULL;
  g_autoptr (PhHistory)  history = ph_history_new ();
  g_autoptr (GPtrArray)  arguments = g_ptr_array_new ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhPassOptions         options = PH_PASS_OPTIONS_DEFAULT;
  PhRunOptions          run_options = { .cancellable = call->cancellable };
  JsonArray            *rows;

  if (value == NULL)
    {
      if (call->argc == 0)
        return ph_call_need_open (call, error);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no value '%s'; nothing is open, and no expression made it",
                   call->argv[0]);
      return FALSE;
    }
  if (call->argc == 2 || (call->argc > 2 && !g_str_equal (call->argv[1], "wrt")))
    return ph_call_usage (call, error, "'wrt NAME...' is expected behind the output");
  model = trace_model (trace, value->name, error);
  if (model == NULL)
    return FALSE;

  g_ptr_array_add (arguments, (gpointer) value->name);
  for (guint i = 2; i < call->argc; i++)
    {
      const PhValue *by = g_hash_table_lookup (trace->variables, call->argv[i]);

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
      PhValue  *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (trace->tensors, GUINT_TO_POINTER (input->id));

      if (tensor != NULL)
        g_hash_table_insert (feeds, input, ph_tensor_ref (tensor));
      else
        {
          PhTensor            *like = g_hash_table_lookup (trace->tensors, GUINT_TO_POINTER (value->id));
          g_autoptr (PhTensor)  one = ph_tensor_new_scalar (ph_tensor_dtype (like), 1);

          g_hash_table_insert (feeds, input,
                               ph_tensor_new_splat (ph_tensor_dtype (like), ph_tensor_rank (like), ph_tensor_dims (like),
                                                    ph_tensor_data (one)));
        }
    }
  results = ph_run_model (model, feeds, NULL, &run_options, error);
  if (results == NULL)
    return FALSE;

  rows = ph_reply_array (call->reply, "gradients");
  for (guint i = 1; i < model->graph->outputs->len; i++)
    {
      PhValue         *output = model->graph->outputs->pdata[i];
      PhTensor        *result = g_hash_table_lookup (results, GUINT_TO_POINTER (output->id));
      JsonObject      *row = ph_json_add_object (rows);
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
