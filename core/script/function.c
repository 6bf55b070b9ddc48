/* function.c: calls of words and of functions made by def, and attributes after a point.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"

/* ── arguments ── */

PhScriptValue *
ph_script_arg (PhScriptArgs *args, guint i, const char *name)
{
  for (guint k = 0; k < args->n_named; k++)
    if (g_str_equal (args->names[k], name))
      {
        args->used[k] = TRUE;
        return args->named[k];
      }
  return i < args->n ? args->values[i] : NULL;
}

gboolean
ph_script_args_done (PhScriptMachine *machine, PhScriptArgs *args, guint min, guint max, GError **error)
{
  for (guint i = 0; i < args->n_named; i++)
    if (!args->used[i])
      return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s has no argument '%s'", args->name, args->names[i])
             != NULL;
  if (args->n < min || args->n > max)
    return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s wants %u%s argument%s, not %u", args->name, min,
                           max > min ? " or more" : "", min == 1 && max == min ? "" : "s", args->n)
           != NULL;
  return TRUE;
}

/* Reads one or several known whole numbers. */
gboolean
ph_script_arg_ints (PhScriptMachine *machine, const PhPy *at, const char *what, PhScriptValue *value, GArray *ints,
                    GError **error)
{
  if (value->number != NULL && value->number->kind == PH_SCRIPT_INT)
    value = value->number;
  if (value->kind == PH_SCRIPT_INT)
    {
      g_array_append_val (ints, value->i);
      return TRUE;
    }
  if (value->kind == PH_SCRIPT_TUPLE)
    {
      for (guint i = 0; i < value->n; i++)
        if (!ph_script_arg_ints (machine, at, what, value->items[i], ints, error))
          return FALSE;
      return TRUE;
    }
  if (value->kind == PH_SCRIPT_TENSOR && value->tensor != NULL && ph_dtype_is_integer (ph_script_dtype (value))
      && ph_tensor_rank (value->tensor) <= 1 && (value->value == NULL || !machine->compiling))
    {
      for (gsize i = 0; i < ph_tensor_count (value->tensor); i++)
        {
          const gint64 number = ph_tensor_get_int (value->tensor, i);

          g_array_append_val (ints, number);
          if (!value->weak)
            ph_script_decide (machine, at, number);
        }
      return TRUE;
    }
  return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%s is a whole number, or a list of them%s", what,
                         value->kind == PH_SCRIPT_TENSOR && machine->compiling ? ", that is known without running the graph" : "")
         != NULL;
}

PhScriptValue *
ph_script_shape (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, GError **error)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  gboolean known = TRUE;
  PhScriptValue *shape;

  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    known = known
            && (value->items[i]->kind == PH_SCRIPT_INT
                || (value->items[i]->number != NULL && value->items[i]->number->kind == PH_SCRIPT_INT));
  if (value->kind == PH_SCRIPT_TENSOR && value->value != NULL && ph_dtype_is_integer (ph_script_dtype (value))
      && ph_script_rank (value) == 1)
    return ph_script_value_ref (value);
  if (value->kind != PH_SCRIPT_TUPLE || known)
    {
      if (value->kind == PH_SCRIPT_TENSOR && ph_script_number_kind (value) == PH_SCRIPT_INT)
        {
          g_autoptr (PhScriptValue) one = ph_script_ints ((gint64[]) { 1 }, 1),
                                    number = ph_script_cast (machine, value, PH_INT64, error);

          return number != NULL ? PH_EMIT (machine, Reshape, error, number, one) : NULL;
        }
      return ph_script_arg_ints (machine, at, "a size", value, ints, error)
                 ? ph_script_ints ((gint64 *) (gpointer) ints->data, ints->len)
                 : NULL;
    }
  for (guint i = 0; i < value->n; i++)
    {
      PhScriptValue *part = ph_script_shape (machine, at, value->items[i], error);

      if (part == NULL)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return ph_script_emit (machine, &ph_op_Concat, (PhScriptValue *const *) parts->pdata, parts->len,
                         PH_ATTRS (ph_attr_new_int ("axis", 0)), &shape, 1, error)
             ? shape
             : NULL;
}

/* ── calls ── */

gboolean
ph_script_bind (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, PhScriptValue **bound, GError **error)
{
  const PhPy *def = function->def;

  if (args->n > def->n)
    return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s takes %u argument%s, not %u", function->name, def->n,
                           def->n == 1 ? "" : "s", args->n)
           != NULL;
  for (guint i = 0; i < args->n_named; i++)
    {
      gboolean known = FALSE;

      for (guint k = 0; k < def->n; k++)
        known = known || g_str_equal (def->items[k]->text, args->names[i]);
      if (!known)
        return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s has no parameter '%s'", function->name,
                               args->names[i])
               != NULL;
    }
  for (guint i = 0; i < def->n; i++)
    {
      PhScriptValue *value = i < args->n ? args->values[i] : ph_script_arg (args, G_MAXUINT, def->items[i]->text);

      if (i < args->n && ph_script_arg (args, G_MAXUINT, def->items[i]->text) != NULL)
        return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s gets '%s' twice", function->name,
                               def->items[i]->text)
               != NULL;
      if (value == NULL)
        value = function->fallbacks[i];
      if (value == NULL)
        return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "%s wants its argument '%s'", function->name,
                               def->items[i]->text)
               != NULL;
      bound[i] = value;
    }
  return TRUE;
}

static gboolean
bind (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, PhScriptScope *scope, GError **error)
{
  g_autofree PhScriptValue **bound = g_new0 (PhScriptValue *, function->def->n + 1);

  if (!ph_script_bind (machine, function, args, bound, error))
    return FALSE;
  for (guint i = 0; i < function->def->n; i++)
    g_hash_table_insert (scope->variables, g_strdup (function->def->items[i]->text), ph_script_value_ref (bound[i]));
  return TRUE;
}

static void
add_memory (GHashTable *given, PhScriptValue *value)
{
  if (value->kind == PH_SCRIPT_TENSOR)
    g_hash_table_add (given, GSIZE_TO_POINTER (value->memory));
  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    add_memory (given, value->items[i]);
}

/* Keeps the arguments of a call from outside: `trace f` alone repeats this call. */
static void
keep_arguments (PhScriptFunction *function, PhScriptScope *scope)
{
  PhScriptValue **kept = g_new0 (PhScriptValue *, function->def->n + 1);

  for (guint i = 0; i < function->def->n; i++)
    {
      kept[i] = ph_script_value_ref (g_hash_table_lookup (scope->variables, function->def->items[i]->text));
      if (function->arguments != NULL)
        ph_script_value_unref (function->arguments[i]);
    }
  g_free (function->arguments);
  function->arguments = kept;
}

PhScriptValue *
ph_script_call_function (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, GError **error)
{
  PhScriptScope *scope = ph_script_scope_new (function->scope != NULL ? function->scope : machine->script->globals);
  g_autoptr (GHashTable) given = g_hash_table_new (NULL, NULL);
  PhScriptFrame frame = { .outer = machine->frame, .function = function, .text = function->text, .scope = scope, .given = given };
  const PhPy *at = machine->at;
  PhScriptValue *result = NULL;
  gboolean ok = TRUE;
  guint depth = 0;

  for (PhScriptFrame *outer = machine->frame; outer != NULL; outer = outer->outer, depth++)
    if (outer->function == function)
      {
        ph_script_scope_unref (scope);
        return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED,
                               "%s calls itself: a graph has no recursion, so the language has none; write a loop",
                               function->name);
      }
  ok = depth < 50
       || ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED, "functions call each other more than 50 deep") != NULL;
  ok = ok && bind (machine, function, args, scope, error);
  if (ok && machine->frame->function == NULL)
    keep_arguments (function, scope);
  scope->locals = function->locals;
  for (guint i = 0; ok && i < function->def->n; i++)
    add_memory (given, g_hash_table_lookup (scope->variables, function->def->items[i]->text));
  if (ok)
    {
      machine->frame = &frame;
      if (function->def->kind == PH_PY_LAMBDA)
        ok = (frame.result = ph_script_evaluate (machine, function->def->orelse[0], error)) != NULL;
      else if (machine->compiling)
        ok = ph_script_compile_body (machine, function->def->body, function->def->n_body, error);
      else
        ok = ph_script_execute (machine, function->def->body, function->def->n_body, error) != PH_FLOW_ERROR;
      machine->frame = frame.outer;
      machine->at = at;
      if (ok)
        result = frame.result != NULL ? ph_script_value_ref (frame.result) : ph_script_none ();
    }
  ph_script_value_unref (frame.result);
  /* A function that was defined inside holds on to the scope, which holds on to it. */
  scope->locals = NULL;
  if (!g_atomic_ref_count_compare (&scope->refs, 1))
    g_ptr_array_add (machine->script->scopes, ph_script_scope_ref (scope));
  ph_script_scope_unref (scope);
  return result;
}

PhScriptValue *
ph_script_call (PhScriptMachine *machine, const PhPy *at, PhScriptValue *callee, PhScriptArgs *args, GError **error)
{
  /* The name of the word, not of the variable that holds it. */
  if (callee->kind == PH_SCRIPT_WORD)
    args->name = callee->word != NULL ? callee->word->name : callee->op->name;
  if (callee->kind == PH_SCRIPT_WORD && callee->word != NULL)
    return ((PhScriptWordFunc) callee->word->function) (machine, args, error);
  if (callee->kind == PH_SCRIPT_WORD)
    return ph_script_call_op (machine, callee->op, args, error);
  /* float32(x) */
  if (callee->kind == PH_SCRIPT_DTYPE && args->n == 1 && args->n_named == 0)
    return ph_script_cast (machine, args->values[0], (PhDType) callee->i, error);
  if (callee->kind == PH_SCRIPT_FUNCTION && callee->gradient)
    return ph_script_gradient (machine, callee, args, error);
  if (callee->kind == PH_SCRIPT_FUNCTION)
    return ph_script_call_function (machine, callee->function, args, error);
  return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'%s' is %s, which cannot be called", args->name,
                         ph_script_kind_name (callee));
}

/* ── x.shape ── */

/* Returns the sizes; one that depends on the data, as that of x[x > 0], is a number in a trace. */
static PhScriptValue *
sizes (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, GError **error)
{
  const int rank = ph_script_rank (of);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);

  for (int i = 0; i < rank; i++)
    {
      const gint64 size = ph_script_dim (of, (guint) i);
      PhScriptValue *item = NULL;

      if (size >= 0)
        {
          ph_script_decide (machine, at, size);
          item = ph_script_int (size);
        }
      else
        {
          g_autoptr (PhScriptValue) shape = PH_EMIT (machine, Shape, error, of),
                                    index = ph_script_tensor (ph_tensor_new_scalar (PH_INT64, i));

          item = shape != NULL ? ph_script_weak (PH_EMIT (machine, Gather, error, shape, index)) : NULL;
        }
      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
    }
  return ph_script_tuple ((PhScriptValue *const *) items->pdata, items->len, FALSE);
}

PhScriptValue *
ph_script_attribute (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, const char *name, GError **error)
{
  const int rank = ph_script_rank (of);

  if (of->kind != PH_SCRIPT_TENSOR && !ph_script_is_number (of))
    return ph_script_fail (machine, at, error, PH_ERROR_NOT_FOUND, "%s has no '%s'", ph_script_kind_name (of), name);
  if (g_str_equal (name, "dtype"))
    {
      PhScriptValue *value = ph_script_none ();

      value->kind = PH_SCRIPT_DTYPE;
      value->i = ph_script_dtype (of);
      return value;
    }
  if (rank < 0)
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "the rank of this tensor is not known, so %s is not known either", name);
  if (g_str_equal (name, "ndim"))
    return ph_script_int (rank);
  if (g_str_equal (name, "shape"))
    return sizes (machine, at, of, error);
  if (g_str_equal (name, "size"))
    {
      gint64 n = 1;

      for (int i = 0; i < rank && n >= 0; i++)
        n = ph_script_dim (of, (guint) i) < 0 ? -1 : n * ph_script_dim (of, (guint) i);
      ph_script_decide (machine, at, n);
      return n >= 0 ? ph_script_int (n) : ph_script_weak (PH_EMIT (machine, Size, error, of));
    }
  if (g_str_equal (name, "T"))
    {
      gint64 perm[PH_MAX_RANK];
      PhScriptValue *result;

      for (int i = 0; i < rank; i++)
        perm[i] = rank - 1 - i;
      if (rank < 2)
        return ph_script_value_ref (of);
      result = PH_EMIT_WITH (machine, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, (gsize) rank)), error, of);
      if (result != NULL)
        result->memory = of->memory;
      return result;
    }
  return ph_script_fail (machine, at, error, PH_ERROR_NOT_FOUND,
                         "a tensor has no '%s': there are shape, T, dtype, ndim, size, and every word and operator as x.%s(...)",
                         name, name);
}
