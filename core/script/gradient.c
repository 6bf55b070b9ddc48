/* gradient.c: grad(f)(x): the run of f as a graph, differentiated by the pass that does it for models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-private.h"
#include "passes/pass.h"

/* Computes the outputs of @model from the second on, its inputs fed from @feeds; what else it asks for is ones like @like. */
static PhTensor *
run (PhModel *model, GHashTable *feeds, PhTensor *like, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) by_value = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhRunOptions          options = { .cancellable = cancellable };
  PhValue              *output = model->graph->outputs->pdata[model->graph->outputs->len - 1];
  PhTensor             *result;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue  *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (tensor != NULL)
        g_hash_table_insert (by_value, input, ph_tensor_ref (tensor));
      else
        {
          g_autoptr (PhTensor) one = ph_tensor_new_scalar (ph_tensor_dtype (like), 1);

          g_hash_table_insert (by_value, input, ph_tensor_new_splat (ph_tensor_dtype (like), ph_tensor_rank (like), ph_tensor_dims (like), ph_tensor_data (one)));
        }
    }
  results = ph_run_model (model, by_value, NULL, &options, error);
  if (results == NULL)
    return NULL;
  result = g_hash_table_lookup (results, GUINT_TO_POINTER (output->id));
  return result != NULL ? ph_tensor_ref (result) : NULL;
}

PhScriptValue *
ph_script_gradient (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, GError **error)
{
  PhScriptBound            bound = { function, g_new0 (PhScriptValue *, function->def->n + 1) };
  g_autofree PhScriptValue **arguments = bound.arguments;
  g_autoptr (PhScriptGraph) graph = NULL;
  g_autoptr (PhScriptValue) first = NULL;
  g_autoptr (PhHistory)     history = ph_history_new ();
  PhPassOptions            options = PH_PASS_OPTIONS_DEFAULT;
  GError                  *reason = NULL;
  PhTensor                *result = NULL, *like = NULL;
  const char              *names[3] = { NULL };
  const PhType            *type;

  if (machine->compiling)
    return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED, "grad(f) is computed, not compiled: compile f, and then `grad`");
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
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "the first argument of %s is %s: gradients are by floats", function->name, ph_dtype_name (ph_script_dtype (first)));
  arguments[0] = first;
  graph = ph_script_graph_of (machine->script, &bound, FALSE, NULL, machine->cancellable, error);
  if (graph == NULL)
    return NULL;
  if (graph->model->graph->outputs->len != 1)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s returns %u values: the gradient is of one", function->name, graph->model->graph->outputs->len);
  names[0] = ((PhValue *) graph->model->graph->outputs->pdata[0])->name;
  names[1] = ((PhValue *) graph->model->graph->inputs->pdata[0])->name;
  type = ((PhValue *) graph->model->graph->outputs->pdata[0])->type;
  options.arguments = names;
  options.allow = PH_LOSSY;
  options.cancellable = machine->cancellable;
  if (ph_pass_run (ph_pass_find ("autodiff"), graph->model, history, &options, &reason))
    {
      gint64 dims[PH_MAX_RANK];

      for (guint i = 0; type != NULL && type->has_rank && i < type->rank; i++)
        dims[i] = MAX (type->dims[i].size, 0);
      like = ph_tensor_new (type != NULL ? type->dtype : PH_FLOAT, type != NULL && type->has_rank ? type->rank : 0, dims);
      result = like != NULL ? run (graph->model, graph->feeds, like, machine->cancellable, &reason) : NULL;
      g_clear_pointer (&like, ph_tensor_unref);
    }
  if (result == NULL)
    return reason != NULL ? ph_script_blame (machine, args->at, reason, error)
                          : ph_script_fail (machine, args->at, error, PH_ERROR_FAILED, "the gradient was not computed");
  return ph_script_tensor (result);
}
