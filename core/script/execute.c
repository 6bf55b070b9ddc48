/* execute.c: executes statements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-alias.h"
#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* ── assignment ── */

void
ph_script_set (PhScriptMachine *machine, const char *name, PhScriptValue *value)
{
  g_hash_table_insert (machine->frame->scope->variables, g_strdup (name), ph_script_value_ref (value));
}

/* Returns the index of the starred name; target->n: none. */
static guint
star_of (const PhPy *target)
{
  guint i = 0;

  while (i < target->n && target->items[i]->kind != PH_PY_STARRED)
    i++;
  return i;
}

/* @items: those of a list, nullable. */
static PhScriptValue *
item_at (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, GPtrArray *items, guint i, GError **error)
{
  g_autoptr (PhScriptValue) index = ph_script_int (i), strong = NULL;

  if (items != NULL)
    return ph_script_value_ref (items->pdata[i]);
  if (value->kind == PH_SCRIPT_TUPLE)
    return ph_script_value_ref (value->items[i]);
  strong = ph_script_strong (machine, value, error);
  return strong != NULL ? ph_script_row (machine, at, strong, index, error) : NULL;
}

/* Returns the items for the starred name in a, *b = x as a new list. */
static PhScriptValue *
items_from (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, GPtrArray *items, guint first, gint64 n,
            GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);

  for (gint64 i = 0; i < n; i++)
    {
      PhScriptValue *item = item_at (machine, at, value, items, first + (guint) i, error);

      if (item == NULL)
        return NULL;
      g_ptr_array_add (list, item);
    }
  return ph_script_list (machine, at, (PhScriptValue *const *) list->pdata, list->len, error);
}

static gboolean
unpack (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error)
{
  g_autoptr (GPtrArray) items = ph_script_is_list (value)        ? ph_script_items (machine, value)
                                : value->kind == PH_SCRIPT_RANGE ? ph_script_list_items (machine, value, PH_SCRIPT_MAX_NODES)
                                                                 : NULL;
  const gint64 n = items != NULL                                                   ? items->len
                   : value->kind == PH_SCRIPT_TUPLE                                ? value->n
                   : value->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) > 0 ? ph_script_dim (value, 0)
                                                                                   : -1;

  const guint star = star_of (target);
  const gint64 more = star < target->n ? n - (target->n - 1) : 1; /* values that the name with the star gets */

  ph_script_decide (machine, target, n);
  if (n < 0)
    return ph_script_fail (machine, target, error, PH_ERROR_TYPE, "%s cannot be unpacked", ph_script_kind_name (value)) != NULL;
  if (star < target->n ? more < 0 : n != target->n)
    return ph_script_fail (machine, target, error, PH_ERROR_TYPE, "%u names for %" G_GINT64_FORMAT " value%s", target->n, n,
                           n == 1 ? "" : "s")
           != NULL;
  for (guint i = 0; i < target->n; i++)
    {
      g_autoptr (PhScriptValue) item = NULL;
      const PhPy *root = target->items[i]->kind == PH_PY_SUBSCRIPT ? ph_script_root (target->items[i]) : NULL;
      const PhScriptValue *array = root != NULL && root->kind == PH_PY_NAME
                                       ? g_hash_table_lookup (machine->frame->scope->variables, root->text)
                                       : NULL;

      if (array != NULL && array->kind == PH_SCRIPT_TENSOR && value->kind == PH_SCRIPT_TUPLE
          && ph_script_still_holds (machine, target->items[i], value, i, array->memory, error))
        return FALSE;
      item = i == star ? items_from (machine, target, value, items, i, more, error)
                       : item_at (machine, target, value, items, i < star ? i : (guint) (i + more - 1), error);
      if (item == NULL || !ph_script_assign (machine, i == star ? target->items[i]->items[0] : target->items[i], item, error))
        return FALSE;
    }
  return TRUE;
}

/* At the prompt, a named number or array of literals becomes an input of the graph, of floats as in textbooks. */
static PhScriptValue *
as_input (PhScriptMachine *machine, const char *name, PhScriptValue *value, GError **error)
{
  PhScriptValue *made;
  PhModel *model = machine->script->model;

  if (!machine->frame->typed || machine->graph->model != model
      || (value->kind != PH_SCRIPT_TENSOR && !ph_script_is_number (value)) || value->kind == PH_SCRIPT_BOOL
      || (value->kind == PH_SCRIPT_TENSOR && value->value != NULL && value->recorder == machine->recorder))
    return ph_script_value_ref (value);
  if (ph_script_is_number (value)
      || (value->weak && (ph_dtype_is_integer (ph_script_dtype (value)) || ph_script_dtype (value) == PH_DOUBLE)))
    made = ph_script_cast (machine, value, PH_FLOAT, error);
  else
    made = ph_script_tensor (ph_tensor_ref (value->tensor));
  if (made == NULL)
    return NULL;
  made->value = ph_graph_add_input (model->graph, ph_model_unique_name (model, name), ph_type_of_tensor (made->tensor), NULL,
                                    G_MAXUINT, error);
  if (made->value == NULL)
    {
      ph_script_value_unref (made);
      return NULL;
    }
  made->recorder = machine->recorder;
  g_hash_table_insert (machine->script->feeds, GUINT_TO_POINTER (made->value->id), ph_tensor_ref (made->tensor));
  made->number = ph_script_is_number (value) ? ph_script_value_ref (value) : NULL;
  return made;
}

/* Names a computed value after the program's variable. */
static void
name_value (PhScriptMachine *machine, const char *name, PhScriptValue *value)
{
  PhValue *made = value->kind == PH_SCRIPT_TENSOR && value->recorder == machine->recorder ? value->value : NULL;

  if (value->kind == PH_SCRIPT_TENSOR && value->text == NULL && ph_script_rank (value) > 0)
    value->text = g_strdup (name);

  if (made != NULL && made->producer != NULL && g_str_has_prefix (made->name, made->producer->op_type))
    ph_value_rename (made, ph_graph_unique_name (ph_graph_root (made->graph), name), NULL);
}

gboolean
ph_script_assign (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error)
{
  g_autoptr (PhScriptValue) made = NULL;

  if (target->kind == PH_PY_SUBSCRIPT)
    return ph_script_store_into (machine, target, value, error);
  if (target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST)
    return unpack (machine, target, value, error);
  if (target->kind == PH_PY_ATTRIBUTE && machine->frame->function == NULL)
    {
      g_autofree char *dotted = ph_py_dotted (target);

      if (dotted != NULL && machine->frame->typed)
        {
          made = as_input (machine, dotted, value, error);
          if (made != NULL)
            ph_script_set (machine, dotted, made);
          return made != NULL;
        }
    }
  if (target->kind != PH_PY_NAME)
    return ph_script_fail (machine, target, error, PH_ERROR_UNSUPPORTED, "a name, x[...] or a tuple of them can be set") != NULL;
  /* f = lambda x: ... is called f, by its first name. */
  if (value->kind == PH_SCRIPT_FUNCTION && g_str_equal (value->function->name, "lambda"))
    {
      g_free (value->function->name);
      value->function->name = g_strdup (target->text);
    }
  made = as_input (machine, target->text, value, error);
  if (made == NULL)
    return FALSE;
  name_value (machine, target->text, made);
  ph_script_set (machine, target->text, made);
  return TRUE;
}

static gboolean
refuse_type (PhScriptMachine *machine, const PhPy *py, const PhScriptValue *old, const PhScriptValue *value, GError **error)
{
  g_autofree char *text = ph_py_to_string (py->items[0]);

  return ph_script_fail (machine, py, error, PH_ERROR_TYPE,
                         "'%s=' keeps the elements of '%s' %s, and this would be %s: write %s = %s %s ...", py->text, text,
                         ph_dtype_name (ph_script_dtype (old)), ph_dtype_name (ph_script_dtype (value)), text, text, py->text)
         != NULL;
}

static gboolean
augment (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  const PhPy *target = py->items[0];
  g_autoptr (PhScriptValue) old = ph_script_evaluate (machine, target, error), by = NULL, value = NULL;
  PhDType dtype;

  by = old != NULL ? ph_script_evaluate (machine, py->items[1], error) : NULL;
  value = by != NULL ? ph_script_binary (machine, py, py->text, old, by, error) : NULL;
  if (value == NULL)
    return FALSE;
  if (target->kind != PH_PY_NAME && old->kind == PH_SCRIPT_TENSOR && !old->weak && ph_script_rank (old) != 0
      && !ph_dtype_is_float (ph_script_dtype (old)) && ph_dtype_is_float (ph_script_dtype (value)))
    return refuse_type (machine, py, old, value, error);
  if (target->kind != PH_PY_NAME)
    return ph_script_assign (machine, target, value, error);
  if (ph_script_is_list (old))
    return ph_script_is_list (value) ? ph_script_change_list (machine, py, target->text, old, value, error)
                                     : ph_script_fail (machine, py, error, PH_ERROR_TYPE,
                                                       "'%s=' would make a tensor of the list '%s': write %s = %s %s ...",
                                                       py->text, target->text, target->text, target->text, py->text)
                                           != NULL;
  /* Numbers and tensors without dimensions are immutable, so nobody shares them. */
  if (old->kind != PH_SCRIPT_TENSOR || ph_script_rank (old) == 0)
    {
      name_value (machine, target->text, value);
      ph_script_set (machine, target->text, value);
      return TRUE;
    }
  dtype = ph_script_dtype (old);
  if (ph_script_dtype (value) != dtype && !old->weak)
    {
      PhScriptValue *cast;

      if (!ph_dtype_is_float (dtype) || !ph_dtype_is_float (ph_script_dtype (value)))
        return refuse_type (machine, py, old, value, error);
      cast = ph_script_cast (machine, value, dtype, error);
      ph_script_value_unref (value);
      value = cast;
      if (cast == NULL)
        return FALSE;
    }
  if (ph_script_rank (old) >= 0 && ph_script_rank (value) >= 0
      && (ph_script_rank (old) != ph_script_rank (value)
          || (ph_type_count (ph_script_type (old)) >= 0 && ph_type_count (ph_script_type (value)) >= 0
              && ph_type_count (ph_script_type (old)) != ph_type_count (ph_script_type (value)))))
    return ph_script_fail (machine, py, error, PH_ERROR_TYPE, "'%s=' keeps the shape of '%s': write %s = %s %s ...", py->text,
                           target->text, target->text, target->text, py->text)
           != NULL;
  name_value (machine, target->text, value);
  return ph_script_change_in_place (machine, py, target->text, old, value, error);
}

/* ── statements ── */

static gboolean
assign_all (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  const PhPy *first = py->items[0], *from = py->items[py->n - 1];
  g_autoptr (PhScriptValue) value = NULL;

  machine->frame->wanting = from;
  machine->frame->n_targets = (first->kind == PH_PY_TUPLE || first->kind == PH_PY_LIST) && star_of (first) == first->n ? first->n
                                                                                                                       : 0;
  value = ph_script_evaluate (machine, from, error);
  machine->frame->wanting = NULL;
  for (guint i = 0; value != NULL && i + 1 < py->n; i++)
    if (!ph_script_assign (machine, py->items[i], value, error))
      return FALSE;
  if (value != NULL && machine->result != NULL && machine->frame->outer == NULL)
    {
      g_autofree char *name = ph_py_dotted (first);

      g_free (machine->result->target);
      g_clear_pointer (&machine->result->value, ph_script_value_unref);
      machine->result->target = g_steal_pointer (&name);
      if (machine->result->target != NULL)
        {
          PhScriptValue *set = g_hash_table_lookup (machine->frame->scope->variables, machine->result->target);

          machine->result->value = ph_script_value_ref (set != NULL ? set : value);
        }
    }
  return value != NULL;
}

static gboolean
define (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_function (machine, py, error);

  if (value == NULL)
    return FALSE;
  if (py->n_decorators > 0)
    return ph_script_fail (machine, py->decorators[0], error, PH_ERROR_UNSUPPORTED, "decorators are not part of the language")
           != NULL;
  ph_script_set (machine, py->text, value);
  if (machine->result != NULL && machine->frame->outer == NULL)
    machine->result->recorded = TRUE;
  return TRUE;
}

static gboolean
import (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  static const char *const known[] = {
    "import numpy as np", "import numpy",       "import math",        "import torch",           "import torch.nn.functional as F",
    "from math import ",  "from numpy import ", "from torch import ", "from __future__ import "
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (i < 5 ? g_str_equal (py->text, known[i]) : g_str_has_prefix (py->text, known[i]))
      return TRUE;
  return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED,
                         "modules cannot be imported: the words of numpy and math are there without it")
         != NULL;
}

gboolean
ph_script_simple (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) value = NULL;
  static const char *const refused[]
      = { [PH_PY_CLASS] = "'class' is not part of the language: write functions",
          [PH_PY_WITH] = "'with' is not part of the language: leave it out",
          [PH_PY_DELETE] = "'del' is not part of the language: leave it out, what is not read costs nothing",
          [PH_PY_RAISE] = "'raise' is not part of the language: write assert CONDITION, WHY",
          [PH_PY_TRY] = "'try' is not part of the language: test the condition by if" };

  switch (py->kind)
    {
    case PH_PY_EXPRESSION:
      value = ph_script_evaluate (machine, py->items[0], error);
      if (value != NULL && machine->result != NULL && machine->frame->outer == NULL)
        {
          g_clear_pointer (&machine->result->target, g_free);
          g_clear_pointer (&machine->result->value, ph_script_value_unref);
          machine->result->value = ph_script_value_ref (value);
        }
      return value != NULL;
    case PH_PY_ASSIGN: return assign_all (machine, py, error);
    case PH_PY_ANNOTATED:
      value = py->items[2] != NULL ? ph_script_evaluate (machine, py->items[2], error) : ph_script_none ();
      return value != NULL && (py->items[2] == NULL || ph_script_assign (machine, py->items[0], value, error));
    case PH_PY_AUGMENTED:
      if (machine->result != NULL && machine->frame->outer == NULL)
        {
          g_clear_pointer (&machine->result->target, g_free);
          g_clear_pointer (&machine->result->value, ph_script_value_unref);
          machine->result->recorded = TRUE;
        }
      return augment (machine, py, error);
    case PH_PY_DEF: return define (machine, py, error);
    case PH_PY_PASS: return TRUE;
    case PH_PY_IMPORT: return import (machine, py, error);
    case PH_PY_GLOBAL:
      return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED,
                             g_str_has_prefix (py->text, "yield")
                                 ? "'%s' is not part of the language: put the values into a list, and return it"
                                 : "'%s' is not part of the language: give the value as an argument, and return it",
                             py->text)
             != NULL;
    default:
      return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED, "%s",
                             (guint) py->kind < G_N_ELEMENTS (refused) && refused[py->kind] != NULL
                                 ? refused[py->kind]
                                 : "this is not part of the language")
             != NULL;
    }
}

static int
test (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_evaluate (machine, py, error), condition = NULL;

  return value != NULL ? ph_script_truth (machine, py, value, &condition, error) : -2;
}

/* Executes one iteration. Returns TRUE to continue with the next. */
static gboolean
turn (PhScriptMachine *machine, const PhPy *py, PhScriptFlow *flow, GError **error)
{
  *flow = ph_script_go_on (machine, error) ? ph_script_execute (machine, py->body, py->n_body, error) : PH_FLOW_ERROR;
  if (*flow == PH_FLOW_CONTINUE)
    *flow = PH_FLOW_NEXT;
  return *flow == PH_FLOW_NEXT;
}

static PhScriptFlow
end_loop (PhScriptMachine *machine, const PhPy *py, PhScriptFlow flow, GError **error)
{
  if (flow == PH_FLOW_BREAK)
    return PH_FLOW_NEXT;
  return flow == PH_FLOW_NEXT && py->n_orelse > 0 ? ph_script_execute (machine, py->orelse, py->n_orelse, error) : flow;
}

static PhScriptFlow
run_while (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  PhScriptFlow flow = PH_FLOW_NEXT;
  int truth;

  while ((truth = test (machine, py->items[0], error)) == 1)
    if (!turn (machine, py, &flow, error))
      break;
  return truth == -2 ? PH_FLOW_ERROR : end_loop (machine, py, flow, error);
}

/* Assigns a loop's item. It is no input of the graph, even at the prompt. */
static gboolean
take (PhScriptMachine *machine, const PhPy *target, PhScriptValue *item, GError **error)
{
  const gboolean typed = machine->frame->typed;
  gboolean ok;

  machine->frame->typed = FALSE;
  ok = ph_script_assign (machine, target, item, error);
  machine->frame->typed = typed;
  return ok;
}

static PhScriptFlow
go_over (PhScriptMachine *machine, const PhPy *py, PhScriptValue *over, PhScriptValue *rows, gint64 n, gint64 start, gint64 step,
         GError **error)
{
  PhScriptFlow flow = PH_FLOW_NEXT;

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (PhScriptValue) item = NULL, index = ph_script_int (i);

      if (over->kind == PH_SCRIPT_RANGE)
        item = ph_script_int (start + i * step);
      else if (over->kind == PH_SCRIPT_TUPLE)
        item = ph_script_value_ref (over->items[i]);
      else if (rows != NULL)
        item = ph_script_row (machine, py->items[1], rows, index, error);
      else
        item = ph_dtype_is_integer (ph_script_dtype (over)) ? ph_script_int (ph_tensor_get_int (over->tensor, (gsize) i))
               : ph_script_dtype (over) == PH_BOOL          ? ph_script_bool (ph_tensor_get_int (over->tensor, (gsize) i) != 0)
               : ph_script_dtype (over) == PH_STRING        ? ph_script_string (ph_tensor_get_string (over->tensor, (gsize) i))
                                                            : ph_script_float (ph_tensor_get (over->tensor, (gsize) i));
      if (item == NULL)
        return PH_FLOW_ERROR;
      if (!take (machine, py->items[0], item, error))
        return PH_FLOW_ERROR;
      if (!turn (machine, py, &flow, error))
        break;
    }
  return flow;
}

static PhScriptFlow
run_for (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_evaluate (machine, py->items[1], error), over = NULL, rows = NULL;
  PhScriptFlow flow = PH_FLOW_NEXT;
  gint64 n = 0, start = 0, step = 1;

  if (value == NULL)
    return PH_FLOW_ERROR;
  /* The rows of a list are lists. */
  over = ph_script_is_list (value) && ph_script_rank (value) > 1 ? ph_script_list_as_tuple (machine, value) : NULL;
  if (over == NULL)
    over = ph_script_value_ref (value);
  if (over->kind == PH_SCRIPT_RANGE)
    {
      const gint64 stop = over->items[1]->i;

      start = over->items[0]->i;
      step = over->items[2]->i;
      n = step > 0 ? (stop > start ? (gint64) (((guint64) stop - (guint64) start - 1) / (guint64) step) + 1 : 0)
                   : (stop < start ? (gint64) (((guint64) start - (guint64) stop - 1) / (0 - (guint64) step)) + 1 : 0);
    }
  else if (over->kind == PH_SCRIPT_TUPLE)
    n = over->n;
  else if (over->kind == PH_SCRIPT_TENSOR && ph_script_rank (over) > 0)
    {
      n = ph_script_dim (over, 0);
      ph_script_decide (machine, py->items[1], n);
    }
  else
    {
      ph_script_fail (machine, py->items[1], error, PH_ERROR_TYPE, "for goes over a range, a tensor or a list, not %s",
                      ph_script_kind_name (over));
      return PH_FLOW_ERROR;
    }
  if (over->kind == PH_SCRIPT_TENSOR && (!over->weak || ph_script_rank (over) > 1)
      && (rows = ph_script_strong (machine, over, error)) == NULL)
    return PH_FLOW_ERROR;
  ph_script_begin_over (machine, value);
  flow = go_over (machine, py, over, rows, n, start, step, error);
  ph_script_end_over (machine);
  return end_loop (machine, py, flow, error);
}

static PhScriptFlow
run_return (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  PhScriptValue *value = py->n > 0 ? ph_script_evaluate (machine, py->items[0], error) : ph_script_none ();

  if (value == NULL)
    return PH_FLOW_ERROR;
  if (machine->frame->function == NULL)
    {
      ph_script_value_unref (value);
      ph_script_fail (machine, py, error, PH_ERROR_PARSE, "return stands in a function");
      return PH_FLOW_ERROR;
    }
  g_clear_pointer (&machine->frame->result, ph_script_value_unref);
  machine->frame->result = value;
  return PH_FLOW_RETURN;
}

static PhScriptFlow
run_statement (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  int truth;

  switch (py->kind)
    {
    case PH_PY_FOR:
    case PH_PY_WHILE:
      {
        PhScriptFlow flow;

        machine->frame->loops++;
        flow = py->kind == PH_PY_FOR ? run_for (machine, py, error) : run_while (machine, py, error);
        machine->frame->loops--;
        return flow;
      }
    case PH_PY_IF:
      truth = test (machine, py->items[0], error);
      if (truth == -2)
        return PH_FLOW_ERROR;
      return truth ? ph_script_execute (machine, py->body, py->n_body, error)
                   : ph_script_execute (machine, py->orelse, py->n_orelse, error);
    case PH_PY_RETURN: return run_return (machine, py, error);
    case PH_PY_BREAK:
    case PH_PY_CONTINUE:
      if (machine->frame->loops > 0)
        return py->kind == PH_PY_BREAK ? PH_FLOW_BREAK : PH_FLOW_CONTINUE;
      ph_script_fail (machine, py, error, PH_ERROR_PARSE, "%s stands in a loop", py->kind == PH_PY_BREAK ? "break" : "continue");
      return PH_FLOW_ERROR;
    case PH_PY_ASSERT:
      truth = test (machine, py->items[0], error);
      if (truth == 0)
        {
          g_autofree char *text = ph_py_to_string (py->items[0]);
          g_autoptr (PhScriptValue) why = py->n > 1 ? ph_script_evaluate (machine, py->items[1], error) : NULL;
          g_autofree char *said = why != NULL ? ph_script_value_text (why, 100) : NULL;

          if (py->n > 1 && why == NULL)
            return PH_FLOW_ERROR;
          /* An error in a word written in the language shows only its message to the caller. */
          if (machine->call_of_word != NULL && said != NULL)
            ph_script_fail (machine, py, error, PH_ERROR_FAILED, "%s", said);
          else
            ph_script_fail (machine, py, error, PH_ERROR_FAILED, "this does not hold: %s%s%s", text, said != NULL ? ": " : "",
                            said != NULL ? said : "");
        }
      return truth == 1 ? PH_FLOW_NEXT : PH_FLOW_ERROR;
    default: return ph_script_simple (machine, py, error) ? PH_FLOW_NEXT : PH_FLOW_ERROR;
    }
}

PhScriptFlow
ph_script_execute (PhScriptMachine *machine, PhPy *const *body, guint n, GError **error)
{
  PhScriptFlow flow = PH_FLOW_NEXT;

  if (++machine->depth > PH_PY_MAX_DEPTH * 3)
    {
      ph_script_fail (machine, n > 0 ? body[0] : NULL, error, PH_ERROR_UNSUPPORTED, "this is nested too deeply");
      return PH_FLOW_ERROR;
    }
  for (guint i = 0; i < n && flow == PH_FLOW_NEXT; i++)
    {
      machine->at = body[i];
      flow = run_statement (machine, body[i], error);
    }
  machine->depth--;
  return flow;
}
