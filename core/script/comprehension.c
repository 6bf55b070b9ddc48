/* comprehension.c: [f(x) for x in y if z], and lambda.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* Returns the items that a for would take from @over. (transfer full) */
GPtrArray *
ph_script_iterate (PhScriptMachine *machine, const PhPy *at, PhScriptValue *over, GError **error)
{
  g_autoptr (GPtrArray) items = ph_script_is_list (over) ? ph_script_items (machine, over)
                                                         : ph_script_list_items (machine, over, PH_SCRIPT_MAX_NODES);
  g_autoptr (PhScriptValue) strong = NULL;
  gint64 n;

  if (items != NULL)
    return g_steal_pointer (&items);
  n = over->kind == PH_SCRIPT_TENSOR && ph_script_rank (over) > 0 ? ph_script_dim (over, 0) : -1;
  ph_script_decide (machine, at, n);
  if (n < 0 || n > PH_SCRIPT_MAX_NODES)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE,
                           "a list, or an array or range whose length is known, is expected, not %s", ph_script_kind_name (over));
  if ((strong = ph_script_strong (machine, over, error)) == NULL)
    return NULL;
  items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (PhScriptValue) index = ph_script_int (i);
      PhScriptValue *row = ph_script_row (machine, at, strong, index, error);

      if (row == NULL)
        return NULL;
      g_ptr_array_add (items, row);
    }
  return g_steal_pointer (&items);
}

/* Evaluates the parts of @py from @k on: target, sequence or NULL, condition. */
static gboolean
go_through (PhScriptMachine *machine, const PhPy *py, guint k, GPtrArray *made, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_evaluate (machine,
                                                        k >= py->n                 ? py->items[0]
                                                        : py->items[k + 1] != NULL ? py->items[k + 1]
                                                                                   : py->items[k],
                                                        error),
                            condition = NULL;
  g_autoptr (GPtrArray) items = NULL;
  gboolean ok = value != NULL && ph_script_go_on (machine, error);

  if (!ok)
    return FALSE;
  if (k >= py->n)
    {
      g_ptr_array_add (made, g_steal_pointer (&value));
      return TRUE;
    }
  if (py->items[k + 1] == NULL)
    {
      const int truth = ph_script_truth (machine, py->items[k], value, &condition, error);

      if (truth == -1)
        ph_script_fail (machine, py->items[k], error, PH_ERROR_UNSUPPORTED,
                        "how long this list becomes is not known before the graph runs: write a mask, x[x > 0]");
      return truth == 0 || (truth == 1 && go_through (machine, py, k + 2, made, error));
    }
  if ((items = ph_script_iterate (machine, py->items[k + 1], value, error)) == NULL)
    return FALSE;
  for (guint i = 0; ok && i < items->len; i++)
    ok = ph_script_assign (machine, py->items[k], items->pdata[i], error) && go_through (machine, py, k + 2, made, error);
  return ok;
}

static gboolean
has_lambda (const PhPy *py)
{
  if (py == NULL || py->kind == PH_PY_LAMBDA)
    return py != NULL;
  for (guint i = 0; i < py->n; i++)
    if (has_lambda (py->items[i]))
      return TRUE;
  return FALSE;
}

/* A function made in it sees its names later, when they have their last values: they are in a scope of their own then. */
static gboolean
go_through_scoped (PhScriptMachine *machine, const PhPy *py, GPtrArray *made, GError **error)
{
  PhScriptScope *outer = machine->frame->scope, *scope = ph_script_scope_new (outer);
  gboolean ok;

  machine->frame->scope = scope;
  ok = go_through (machine, py, 1, made, error);
  machine->frame->scope = outer;
  if (!g_atomic_ref_count_compare (&scope->refs, 1))
    g_ptr_array_add (machine->script->scopes, ph_script_scope_ref (scope));
  ph_script_scope_unref (scope);
  return ok;
}

PhScriptValue *
ph_script_comprehension (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal),
                         before = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) ph_script_value_unref);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  GHashTable *variables = machine->frame->scope->variables;
  const gboolean typed = machine->frame->typed;
  PhScriptValue *list;
  GHashTableIter iter;
  gpointer name, value;
  gboolean ok;

  if (*py->text == '{')
    return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED, "sets and dictionaries are not part of the language");
  for (guint k = 1; k < py->n; k += 2)
    if (py->items[k + 1] != NULL)
      ph_script_targets (py->items[k], names);
  /* Its names are its own. */
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if ((value = g_hash_table_lookup (variables, name)) != NULL)
      g_hash_table_insert (before, name, ph_script_value_ref (value));
  machine->frame->typed = FALSE;
  if (has_lambda (py))
    {
      ok = go_through_scoped (machine, py, made, error);
      g_hash_table_remove_all (names);
    }
  else
    ok = go_through (machine, py, 1, made, error);
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if ((value = g_hash_table_lookup (before, name)) != NULL)
      ph_script_set (machine, name, value);
    else
      g_hash_table_remove (variables, name);
  list = ok ? ph_script_list (machine, py, (PhScriptValue *const *) made->pdata, made->len, error) : NULL;
  machine->frame->typed = typed;
  for (guint i = 0; list != NULL && i < made->len; i++)
    list->shares = list->shares || ph_script_list_is_named (machine, made->pdata[i]);
  /* At the prompt a list of numbers is an array. */
  if (list != NULL && list->kind == PH_SCRIPT_TENSOR)
    list->list = !typed;
  return list;
}

PhScriptValue *
ph_script_function (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_none ();
  PhScriptFunction *function = g_new0 (PhScriptFunction, 1);

  g_atomic_ref_count_init (&function->refs);
  function->text = ph_script_text_ref (machine->frame->text);
  function->def = py;
  function->name = g_strdup (py->kind == PH_PY_LAMBDA ? "lambda" : py->text);
  function->scope = machine->frame->scope != machine->script->globals ? ph_script_scope_ref (machine->frame->scope) : NULL;
  function->locals = g_hash_table_new (g_str_hash, g_str_equal);
  function->fallbacks = g_new0 (PhScriptValue *, py->n + 1);
  value->kind = PH_SCRIPT_FUNCTION;
  value->function = function;
  ph_script_assigned (py->body, py->n_body, function->locals, FALSE);
  for (guint i = 0; i < py->n; i++)
    {
      const PhPy *parameter = py->items[i];

      if (parameter->i != 0)
        return ph_script_fail (machine, parameter, error, PH_ERROR_UNSUPPORTED,
                               "parameters with a star are not part of the language: give a list");
      g_hash_table_add (function->locals, (gpointer) parameter->text);
      if (parameter->items[1] != NULL
          && (function->fallbacks[i] = ph_script_evaluate (machine, parameter->items[1], error)) == NULL)
        return NULL;
    }
  return g_steal_pointer (&value);
}
