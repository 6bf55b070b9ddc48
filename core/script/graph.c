/* graph.c: a function as a static graph: from one run of it, or compiled from its source.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/intern.h"
#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-graph.h"
#include "core/tensor/compare.h"

void
ph_script_graph_free (PhScriptGraph *graph)
{
  if (graph == NULL)
    return;
  ph_model_discard (graph->model);
  g_hash_table_unref (graph->feeds);
  g_free (graph->file);
  g_free (graph->text);
  g_free (graph);
}

/* ── the function and its arguments ── */

void
ph_script_bound_clear (PhScriptBound *bound)
{
  for (guint i = 0; bound->arguments != NULL && i < bound->function->def->n; i++)
    ph_script_value_unref (bound->arguments[i]);
  g_clear_pointer (&bound->arguments, g_free);
  g_clear_pointer (&bound->function, ph_script_function_unref);
}

/* Turns numbers into inputs of the graph: floats as in textbooks, or @exact Python numbers. Returns TRUE if there were any. */
static gboolean
numbers_to_tensors (PhScriptBound *bound, gboolean exact)
{
  gboolean numbers = FALSE;

  for (guint i = 0; i < bound->function->def->n; i++)
    {
      PhScriptValue *value = bound->arguments[i];

      if (value->kind != PH_SCRIPT_INT && value->kind != PH_SCRIPT_FLOAT)
        continue;
      numbers = TRUE;
      bound->arguments[i] = ph_script_tensor (ph_script_number_tensor (value, exact ? PH_UNDEFINED : PH_FLOAT));
      bound->arguments[i]->weak = exact;
      ph_script_value_unref (value);
    }
  return numbers;
}

static void
take_last_arguments (PhScriptBound *bound)
{
  for (guint i = 0; i < bound->function->def->n; i++)
    {
      ph_script_value_unref (bound->arguments[i]);
      bound->arguments[i] = ph_script_value_ref (bound->function->arguments[i]);
    }
}

#define STEPS_TO_TRY 20000

/* Returns the results of the call, if that is fast. (nullable) @endless: it takes longer. */
static GPtrArray *
try_call (PhScript *script, const PhScriptBound *bound, gboolean *endless, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  const guint limit = script->limit;
  const guint64 draws = script->draws;
  GPtrArray *results;

  script->limit = limit > 0 ? MIN (limit, STEPS_TO_TRY) : STEPS_TO_TRY;
  results = ph_script_eager (script, bound, NULL, NULL, cancellable, &error);
  *endless = g_error_matches (error, PH_ERROR, PH_ERROR_CANCELLED) || g_cancellable_is_cancelled (cancellable);
  script->limit = limit;
  script->draws = draws;
  return results;
}

/* Turns a list such as [1.0, 2.0] into a float32 input, its type in computations, whether it is an argument of this call or of an earlier
 * one. */
static gboolean
lists_to_tensors (PhScriptMachine *machine, PhScriptBound *bound, GError **error)
{
  for (guint i = 0; i < bound->function->def->n; i++)
    if (bound->arguments[i]->kind == PH_SCRIPT_TENSOR && bound->arguments[i]->weak)
      {
        PhScriptValue *strong = ph_script_strong (machine, bound->arguments[i], error);

        if (strong == NULL)
          return FALSE;
        ph_script_value_unref (bound->arguments[i]);
        bound->arguments[i] = strong;
      }
  return TRUE;
}

static gboolean
gives_same (GPtrArray *a, GPtrArray *b)
{
  gboolean same = a != NULL && b != NULL && a->len == b->len;

  for (guint i = 0; same && i < a->len; i++)
    {
      g_autoptr (PhTensor) one = ph_tensor_cast (a->pdata[i], PH_DOUBLE), other = ph_tensor_cast (b->pdata[i], PH_DOUBLE);
      g_auto (PhComparison) comparison = ph_tensor_compare (one, other, (PhTolerance) { 1e-4, 1e-6 });

      same = comparison.close;
    }
  return same;
}

/* Decides which arguments become inputs of the graph. Lists do, and numbers do if there is no tensor, or the graph would have no input. But
 * a float32 cannot represent large integers, be an index or an operand of &: if the call then gives a different result, numbers and lists
 * stay Python's own. */
static gboolean
settle_arguments (PhScriptMachine *machine, PhScriptBound *bound, GError **error)
{
  g_autoptr (GPtrArray) exact = NULL, rounded = NULL;
  gboolean alone = TRUE, numbers = FALSE, integers = FALSE, endless = TRUE;

  for (guint i = 0; i < bound->function->def->n; i++)
    {
      const PhScriptValue *value = bound->arguments[i];

      alone = alone && value->kind != PH_SCRIPT_TENSOR;
      numbers = numbers || value->kind == PH_SCRIPT_INT || value->kind == PH_SCRIPT_FLOAT;
      integers = integers || (value->kind == PH_SCRIPT_TENSOR && value->weak && ph_script_dtype (value) == PH_INT64);
    }
  if (integers || (alone && numbers))
    exact = try_call (machine->script, bound, &endless, machine->cancellable);
  if (!lists_to_tensors (machine, bound, error))
    return FALSE;
  if (alone)
    numbers_to_tensors (bound, FALSE);
  if (endless)
    return TRUE;
  rounded = exact != NULL || integers ? try_call (machine->script, bound, &endless, machine->cancellable) : NULL;
  /* If f expects tensors, f([1, 2]) has the same meaning as at the prompt. */
  if (gives_same (exact, rounded) || (exact == NULL && rounded != NULL))
    return TRUE;
  take_last_arguments (bound);
  if (alone)
    bound->exact = numbers_to_tensors (bound, TRUE);
  return TRUE;
}

gboolean
ph_script_resolve (PhScript *script, PhScriptText *text, PhScriptBound *bound, GCancellable *cancellable, GError **error)
{
  const PhPy *py = text->module->n_body == 1 && text->module->body[0]->kind == PH_PY_EXPRESSION ? text->module->body[0]->items[0]
                                                                                                : NULL;
  const PhPy *name = py != NULL && py->kind == PH_PY_CALL ? py->items[0] : py;
  PhScriptFrame frame = { .text = text, .scope = script->globals };
  PhScriptMachine machine = { .script = script,
                              .frame = &frame,
                              .cancellable = cancellable,
                              .graph = script->model->graph,
                              .recorder = script->recorder,
                              .max_nodes = PH_SCRIPT_MAX_NODES };
  PhScriptValue *value;
  gboolean ok = TRUE;

  if (name == NULL || name->kind != PH_PY_NAME)
    return ph_script_fail (&machine, py, error, PH_ERROR_USAGE, "a call of a function is expected: f(x)") != NULL;
  value = g_hash_table_lookup (script->globals->variables, name->text);
  if (value == NULL || value->kind != PH_SCRIPT_FUNCTION || value->gradient)
    return ph_script_fail (&machine, name, error, PH_ERROR_NOT_FOUND, "there is no function '%s': define it with def", name->text)
           != NULL;
  bound->function = ph_script_function_ref (value->function);
  bound->arguments = g_new0 (PhScriptValue *, value->function->def->n + 1);
  if (py->kind == PH_PY_CALL)
    {
      machine.constants = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_script_value_unref, NULL);
      ok = ph_script_arguments (&machine, py, value->function, bound->arguments, error);
      ph_script_machine_clear (&machine);
      if (!ok)
        g_clear_pointer (&bound->arguments, g_free); /* nothing in it is owned yet */
    }
  else if (value->function->arguments == NULL && value->function->def->n > 0)
    {
      g_clear_pointer (&bound->arguments, g_free);
      return ph_script_fail (&machine, name, error, PH_ERROR_USAGE, "%s was not called yet: say with what, %s(...)", name->text,
                             name->text)
             != NULL;
    }
  else
    for (guint i = 0; i < value->function->def->n; i++)
      bound->arguments[i] = ph_script_value_ref (value->function->arguments[i]);
  if (!ok)
    return FALSE;
  /* From now on the name alone repeats this call. */
  if (py->kind == PH_PY_CALL)
    {
      PhScriptValue **kept = g_new0 (PhScriptValue *, bound->function->def->n + 1);

      for (guint i = 0; i < bound->function->def->n; i++)
        {
          kept[i] = ph_script_value_ref (bound->arguments[i]);
          if (bound->function->arguments != NULL)
            ph_script_value_unref (bound->function->arguments[i]);
        }
      g_free (bound->function->arguments);
      bound->function->arguments = kept;
    }
  return settle_arguments (&machine, bound, error);
}

/* ── the graph ── */

/* Returns the argument with an input for each tensor in it. (transfer full) (nullable) */
static PhScriptValue *
as_input (PhScriptMachine *machine, PhScriptGraph *graph, const char *name, PhScriptValue *value, GError **error)
{
  PhScriptValue *result = NULL;

  if (value->kind == PH_SCRIPT_TUPLE)
    {
      g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);

      for (guint i = 0; i < value->n; i++)
        {
          g_autofree char *part = g_strdup_printf ("%s_%u", name, i);
          PhScriptValue *item = as_input (machine, graph, part, value->items[i], error);

          if (item == NULL)
            return NULL;
          g_ptr_array_add (items, item);
        }
      return ph_script_tuple ((PhScriptValue *const *) items->pdata, items->len, value->list);
    }
  if (value->kind != PH_SCRIPT_TENSOR || ph_script_is_own_list (value))
    return ph_script_value_ref (value);
  result = ph_script_tensor (machine->compiling ? NULL : ph_tensor_ref (value->tensor));
  result->value = ph_graph_add_input (graph->model->graph, ph_model_unique_name (graph->model, name),
                                      ph_type_of_tensor (value->tensor), NULL, G_MAXUINT, error);
  result->recorder = machine->recorder;
  result->memory = value->memory;
  result->weak = ph_script_number_kind (value) != PH_SCRIPT_NONE;
  if (result->value != NULL)
    {
      g_hash_table_insert (graph->feeds, g_strdup (result->value->name), ph_tensor_ref (value->tensor));
      return result;
    }
  ph_script_value_unref (result);
  return NULL;
}

static gboolean
add_outputs (PhScriptMachine *machine, PhScriptValue *value, GError **error)
{
  PhGraph *graph = machine->graph;
  g_autoptr (PhScriptValue) tensor = NULL, copy = NULL;
  PhValue *made;
  gboolean again = FALSE;

  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    if (!add_outputs (machine, value->items[i], error))
      return FALSE;
  if (value->kind == PH_SCRIPT_TUPLE)
    return TRUE;
  if (value->kind != PH_SCRIPT_TENSOR && !ph_script_is_number (value))
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "the function returns %s: a graph gives tensors",
                           ph_script_kind_name (value))
           != NULL;
  tensor = ph_script_is_number (value) ? ph_script_tensor (ph_script_number_tensor (value, PH_UNDEFINED))
                                       : ph_script_value_ref (value);
  if (tensor->weak && tensor->value == NULL)
    {
      PhScriptValue *strong = ph_script_strong (machine, tensor, error);

      ph_script_value_unref (tensor);
      tensor = strong;
    }
  made = tensor != NULL ? ph_script_graph_value (machine, tensor, PH_UNDEFINED, error) : NULL;
  for (guint i = 0; made != NULL && i < graph->outputs->len; i++)
    again = again || graph->outputs->pdata[i] == made;
  if (made != NULL && (again || made->is_input || made->producer == NULL))
    {
      g_autoptr (PhScriptValue) same = ph_script_tensor (tensor->tensor != NULL ? ph_tensor_ref (tensor->tensor) : NULL);

      same->value = made;
      same->recorder = machine->recorder;
      copy = PH_EMIT (machine, Identity, error, same);
      made = copy != NULL ? copy->value : NULL;
    }
  return made != NULL && ph_graph_set_output (graph, graph->outputs->len, made, error);
}

static void
remove_dead (PhGraph *graph)
{
  PhNode *before;

  for (PhNode *node = graph->last; node != NULL; node = before)
    {
      gboolean used = FALSE;

      before = node->prev;
      for (guint i = 0; i < node->outputs->len; i++)
        used = used || ph_value_n_uses (node->outputs->pdata[i]) > 0;
      if (!used)
        {
          ph_graph_remove_node (node, NULL);
          continue;
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        remove_dead (node->graphs->pdata[i]);
    }
  for (guint i = graph->constants->len; i-- > 0;)
    if (ph_value_n_uses (graph->constants->pdata[i]) == 0)
      ph_graph_remove_value (graph->constants->pdata[i], NULL);
}

/* Tries of the compiler took the good names: "y_3" is "y" now where that is free. */
static void
shorten_names (PhModel *model)
{
  for (guint i = 0; i < model->values->len; i++)
    {
      PhValue *value = model->values->pdata[i];
      const char *end = value != NULL ? strrchr (value->name, '_') : NULL;
      g_autofree char *base = NULL;

      if (end == NULL || end == value->name || end[1] == '\0' || strspn (end + 1, "0123456789") != strlen (end + 1)
          || value->is_input)
        continue;
      base = g_strndup (value->name, (gsize) (end - value->name));
      if (ph_model_find_value_named (model, base) == NULL)
        ph_value_rename (value, ph_intern (base), NULL);
      else
        {
          for (guint k = 1; k < 1000; k++)
            {
              g_autofree char *name = g_strdup_printf ("%s_%u", base, k);

              if (g_str_equal (name, value->name))
                break;
              if (ph_model_find_value_named (model, name) == NULL)
                {
                  ph_value_rename (value, ph_intern (name), NULL);
                  break;
                }
            }
        }
    }
}

static gboolean
fill (PhScriptMachine *machine, const PhScriptBound *bound, PhScriptGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  g_autoptr (PhScriptValue) result = NULL;
  const PhPy *def = bound->function->def;
  PhScriptArgs args = { .at = NULL, .name = bound->function->name };

  for (guint i = 0; i < def->n; i++)
    {
      PhScriptValue *value = as_input (machine, graph, def->items[i]->text, bound->arguments[i], error);

      if (value == NULL)
        return FALSE;
      g_ptr_array_add (values, value);
    }
  args.values = (PhScriptValue **) values->pdata;
  args.n = values->len;
  result = ph_script_call_function (machine, bound->function, &args, error);
  if (result == NULL)
    return FALSE;
  machine->frame->text = bound->function->text;
  machine->at = def;
  if (!machine->compiling && !machine->keep)
    return ph_script_fail (machine, def, error, PH_ERROR_UNSUPPORTED, "this run has more than %u operators: compile %s instead",
                           machine->max_nodes, bound->function->name)
           != NULL;
  return add_outputs (machine, result, error);
}

PhScriptGraph *
ph_script_graph_of (PhScript *script, const PhScriptBound *bound, gboolean compile, GArray *decisions, GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (PhScriptGraph) graph = g_new0 (PhScriptGraph, 1);
  PhScriptFrame frame = { .scope = script->globals };
  /* clang-format off */
  PhScriptMachine machine = {
    .script = script, .frame = &frame, .cancellable = cancellable, .compiling = compile, .recorder = ph_script_next_recorder (),
    .max_nodes = PH_SCRIPT_MAX_NODES, .keep = TRUE, .decisions = decisions
  };
  /* clang-format on */
  gboolean ok;
  PhScriptValue **kept = bound->function->arguments;

  graph->model = ph_model_new ();
  graph->model->ir_version = 10;
  graph->model->graph->name = ph_intern (bound->function->name); /* the name that a window shows */
  ph_model_set_opset (graph->model, "", PH_OPSET_NEWEST);
  graph->feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  graph->file = g_strdup (bound->function->text->file != NULL ? bound->function->text->file : "line");
  graph->text = g_strdup (bound->function->text->text);
  graph->typed = bound->function->text->file == NULL;
  machine.graph = graph->model->graph;
  machine.constants = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_script_value_unref, NULL);
  /* This is no call of the user's. */
  bound->function->arguments = NULL;
  ok = fill (&machine, bound, graph, error);
  for (guint i = 0; bound->function->arguments != NULL && i < bound->function->def->n; i++)
    ph_script_value_unref (bound->function->arguments[i]);
  g_free (bound->function->arguments);
  bound->function->arguments = kept;
  ph_script_machine_clear (&machine);
  if (!ok)
    return NULL;
  remove_dead (graph->model->graph);
  shorten_names (graph->model);
  return g_steal_pointer (&graph);
}

static void
collect (PhScriptMachine *machine, PhScriptValue *value, GPtrArray *tensors, GHashTable *numbers)
{
  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    collect (machine, value->items[i], tensors, numbers);
  if (value->kind == PH_SCRIPT_TENSOR || ph_script_is_number (value))
    {
      g_autoptr (PhScriptValue) strong = value->kind == PH_SCRIPT_TENSOR ? ph_script_strong (machine, value, NULL)
                                                                         : ph_script_value_ref (value);

      g_ptr_array_add (tensors, strong != NULL ? ph_script_value_tensor (strong) : ph_script_value_tensor (value));
      if (numbers != NULL && ph_script_number_kind (value) != PH_SCRIPT_NONE)
        g_hash_table_add (numbers, tensors->pdata[tensors->len - 1]);
    }
}

GPtrArray *
ph_script_eager (PhScript *script, const PhScriptBound *bound, GArray *decisions, GHashTable *numbers, GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  PhScriptFrame frame = { .scope = script->globals };
  /* clang-format off */
  PhScriptMachine machine = {
    .script = script, .frame = &frame, .cancellable = cancellable, .recorder = ph_script_next_recorder (),
    .graph = model->graph, .max_nodes = PH_SCRIPT_MAX_NODES, .decisions = decisions
  };
  /* clang-format on */
  PhScriptArgs args = { .name = bound->function->name, .values = bound->arguments, .n = bound->function->def->n };
  g_autoptr (PhScriptValue) result = NULL;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  PhScriptValue **kept = bound->function->arguments;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  bound->function->arguments = NULL;
  result = ph_script_call_function (&machine, bound->function, &args, error);
  for (guint i = 0; bound->function->arguments != NULL && i < bound->function->def->n; i++)
    ph_script_value_unref (bound->function->arguments[i]);
  g_free (bound->function->arguments);
  bound->function->arguments = kept;
  if (result != NULL)
    collect (&machine, result, tensors, numbers);
  script->steps = machine.n_steps;
  ph_script_machine_clear (&machine);
  return result != NULL ? g_steal_pointer (&tensors) : NULL;
}

/* Numbers that the graph would compute with are no sizes, for one: where that does not do they are part of the graph. */
static PhScriptGraph *
graph_of_call (PhScript *script, PhScriptText *call, gboolean compile, GCancellable *cancellable, GError **error)
{
  g_auto (PhScriptBound) bound = { NULL };
  g_autoptr (GError) why = NULL;
  PhScriptGraph *graph;

  if (!ph_script_resolve (script, call, &bound, cancellable, error))
    return NULL;
  graph = ph_script_graph_of (script, &bound, compile, NULL, cancellable, &why);
  if (graph == NULL && bound.exact && !g_cancellable_is_cancelled (cancellable))
    {
      take_last_arguments (&bound);
      graph = ph_script_graph_of (script, &bound, compile, NULL, cancellable, NULL);
    }
  if (graph == NULL)
    g_propagate_error (error, g_steal_pointer (&why));
  return graph;
}

PhScriptGraph *
ph_script_trace (PhScript *script, PhScriptText *call, GCancellable *cancellable, GError **error)
{
  return graph_of_call (script, call, FALSE, cancellable, error);
}

PhScriptGraph *
ph_script_compile (PhScript *script, PhScriptText *call, GCancellable *cancellable, GError **error)
{
  return graph_of_call (script, call, TRUE, cancellable, error);
}
