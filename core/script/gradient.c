/* gradient.c: grad(f)(x) and jvp(f)(x, dx): the run of f as a graph, differentiated by the pass that does it for models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-emit.h"
#include "core/script/script-graph.h"
#include "core/script/script-words.h"
#include "passes/pass.h"

#include <string.h>

/* Computes the last output of @model with inputs from @feeds; further inputs are ones like @like. */
static PhTensor *
run (PhModel *model, GHashTable *feeds, PhTensor *like, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) by_value = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhRunOptions options = { .cancellable = cancellable };
  PhValue *output = model->graph->outputs->pdata[model->graph->outputs->len - 1];
  PhTensor *result;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (tensor != NULL)
        g_hash_table_insert (by_value, input, ph_tensor_ref (tensor));
      else
        {
          g_autoptr (PhTensor) one = ph_tensor_new_scalar (ph_tensor_dtype (like), 1);

          g_hash_table_insert (
              by_value, input,
              ph_tensor_new_splat (ph_tensor_dtype (like), ph_tensor_rank (like), ph_tensor_dims (like), ph_tensor_data (one)));
        }
    }
  results = ph_run_model (model, by_value, NULL, &options, error);
  if (results == NULL)
    return NULL;
  result = g_hash_table_lookup (results, GUINT_TO_POINTER (output->id));
  return result != NULL ? ph_tensor_ref (result) : NULL;
}

/* Returns the tangent of @first, with its type and shape; a single number is repeated for all elements. (transfer full) */
static PhTensor *
movement (PhScriptMachine *machine, PhScriptValue *value, PhScriptValue *first, const PhPy *at, GError **error)
{
  PhTensor *like = first->tensor;
  g_autoptr (PhTensor) tensor = NULL;

  if (ph_script_is_number (value))
    {
      tensor = ph_script_number_tensor (value, ph_tensor_dtype (like));
      return ph_tensor_new_splat (ph_tensor_dtype (like), ph_tensor_rank (like), ph_tensor_dims (like), ph_tensor_data (tensor));
    }
  if (value->kind == PH_SCRIPT_TENSOR && value->tensor != NULL && ph_tensor_dtype (value->tensor) == ph_tensor_dtype (like)
      && ph_tensor_rank (value->tensor) == ph_tensor_rank (like)
      && memcmp (ph_tensor_dims (value->tensor), ph_tensor_dims (like), ph_tensor_rank (like) * sizeof (gint64)) == 0)
    return ph_tensor_ref (value->tensor);
  return ph_script_fail (
      machine, at, error, PH_ERROR_TYPE,
      "the last argument of jvp(f)(x, dx) says how x moves: a tensor of the type and shape of x, or one number");
}

PhScriptValue *
ph_script_gradient (PhScriptMachine *machine, const PhScriptValue *callee, PhScriptArgs *given, GError **error)
{
  PhScriptFunction *function = callee->function;
  PhScriptArgs without = *given, *args = &without;
  PhScriptBound bound = { function, g_new0 (PhScriptValue *, function->def->n + 1) };
  g_autofree PhScriptValue **arguments = bound.arguments;
  g_autoptr (PhScriptGraph) graph = NULL;
  g_autoptr (PhScriptValue) first = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (PhTensor) dx = NULL;
  GError *reason = NULL;
  PhTensor *result = NULL, *like = NULL;
  const char *names[3] = { NULL };
  const PhType *type;

  if (machine->compiling)
    return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED,
                           "%1$s(f) is computed, not compiled: compile f, and then `%1$s`", callee->forward ? "jvp" : "grad");
  if (callee->forward && args->n-- == 0)
    return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE,
                           "jvp(f) wants the arguments of %s, and behind them how the first moves: jvp(%s)(x, dx)",
                           function->name, function->name);
  if (!ph_script_bind (machine, function, args, arguments, error))
    return NULL;
  if (function->def->n == 0)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s has no argument to differentiate by", function->name);
  if (ph_script_is_number (arguments[0]))
    first = ph_script_tensor (ph_script_number_tensor (arguments[0], PH_FLOAT));
  else
    first = ph_script_strong (machine, arguments[0], error);
  if (first == NULL)
    return NULL;
  if (!ph_dtype_is_float (ph_script_dtype (first)))
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "the first argument of %s is %s: gradients are by floats",
                           function->name, ph_dtype_name (ph_script_dtype (first)));
  arguments[0] = first;
  if (callee->forward && (dx = movement (machine, given->values[given->n - 1], first, args->at, error)) == NULL)
    return NULL;
  graph = ph_script_graph_of (machine->script, &bound, FALSE, NULL, machine->cancellable, error);
  if (graph == NULL)
    return NULL;
  if (graph->model->graph->outputs->len != 1)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s returns %u values: the gradient is of one",
                           function->name, graph->model->graph->outputs->len);
  names[0] = ((PhValue *) graph->model->graph->outputs->pdata[0])->name;
  names[1] = ((PhValue *) graph->model->graph->inputs->pdata[0])->name;
  type = ((PhValue *) graph->model->graph->outputs->pdata[0])->type;
  options.arguments = names;
  options.allow = PH_LOSSY;
  options.cancellable = machine->cancellable;
  if (ph_pass_run (ph_pass_find (callee->forward ? "jvp" : "autodiff"), graph->model, history, &options, &reason))
    {
      gint64 dims[PH_MAX_RANK];

      for (guint i = 0; type != NULL && type->has_rank && i < type->rank; i++)
        dims[i] = MAX (type->dims[i].size, 0);
      if (dx != NULL)
        {
          const PhValue *tangent = graph->model->graph->inputs->pdata[graph->model->graph->inputs->len - 1];

          g_hash_table_insert (graph->feeds, g_strdup (tangent->name), g_steal_pointer (&dx));
        }
      like = ph_tensor_new (type != NULL ? type->dtype : PH_FLOAT, type != NULL && type->has_rank ? type->rank : 0, dims);
      result = like != NULL ? run (graph->model, graph->feeds, like, machine->cancellable, &reason) : NULL;
      g_clear_pointer (&like, ph_tensor_unref);
    }
  if (result == NULL)
    return reason != NULL ? ph_script_blame (machine, args->at, reason, error)
                          : ph_script_fail (machine, args->at, error, PH_ERROR_FAILED, "the derivative was not computed");
  return ph_script_tensor (result);
}

PhScriptValue *
ph_script_word_grad (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *of = ph_script_arg (args, 0, "f"), *value;

  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  if (of->kind != PH_SCRIPT_FUNCTION || of->gradient)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE,
                           "%s(f)(x) wants a function that a def made; `grad y` is of a variable", args->name);
  value = ph_script_none ();
  value->kind = PH_SCRIPT_FUNCTION;
  value->function = ph_script_function_ref (of->function);
  value->gradient = TRUE;
  return value;
}

PhScriptValue *
ph_script_word_jvp (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_word_grad (machine, args, error);

  if (value != NULL)
    value->forward = TRUE;
  return value;
}
