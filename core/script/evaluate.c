/* evaluate.c: evaluates expressions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/nearest.h"
#include "core/script/script-call.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"
#include "core/script/words.h"

/* ── names ── */

/* clang-format off */
static const struct { const char *name; PhDType dtype; } dtypes[] = {
  { "float16", PH_FLOAT16 }, { "bfloat16", PH_BFLOAT16 }, { "float32", PH_FLOAT }, { "float64", PH_DOUBLE }, { "double", PH_DOUBLE },
  { "int8", PH_INT8 }, { "int16", PH_INT16 }, { "int32", PH_INT32 }, { "int64", PH_INT64 }, { "uint8", PH_UINT8 },
  { "uint16", PH_UINT16 }, { "uint32", PH_UINT32 }, { "uint64", PH_UINT64 }, { "bool_", PH_BOOL },
};
/* clang-format on */

static PhScriptValue *
constant_named (const char *name)
{
  if (g_str_equal (name, "pi"))
    return ph_script_float (G_PI);
  if (g_str_equal (name, "e"))
    return ph_script_float (G_E);
  if (g_str_equal (name, "inf"))
    return ph_script_float ((double) INFINITY);
  if (g_str_equal (name, "nan"))
    return ph_script_float ((double) NAN);
  if (g_str_equal (name, "true") || g_str_equal (name, "false"))
    return ph_script_bool (*name == 't');
  if (g_str_equal (name, "newaxis"))
    return ph_script_none ();
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (name, dtypes[i].name))
      {
        PhScriptValue *value = ph_script_none ();

        value->kind = PH_SCRIPT_DTYPE;
        value->i = dtypes[i].dtype;
        return value;
      }
  return NULL;
}

/* Finds a value of the open model: it becomes an input of a graph recorded at the prompt, and a constant of a traced or compiled one. */
static PhScriptValue *
find_outside (PhScriptMachine *machine, const char *name, GError **error)
{
  PhTensor *tensor = ph_script_outside (machine->script, name);
  PhScriptValue *value;

  if (tensor == NULL)
    return NULL;
  value = ph_script_tensor (ph_tensor_ref (tensor));
  if (machine->recorder == machine->script->recorder)
    {
      PhModel *model = machine->script->model;
      PhValue *input = ph_graph_add_input (model->graph, ph_model_unique_name (model, name), ph_type_of_tensor (tensor), NULL,
                                           G_MAXUINT, error);

      if (input == NULL)
        {
          ph_script_value_unref (value);
          return NULL;
        }
      g_hash_table_insert (machine->script->feeds, GUINT_TO_POINTER (input->id), ph_tensor_ref (tensor));
      value->value = input;
      value->recorder = machine->recorder;
    }
  g_hash_table_insert (machine->script->globals->variables, g_strdup (name), ph_script_value_ref (value));
  return value;
}

/* Returns the variable, or NULL without an error if it does not exist. */
static PhScriptValue *
find_variable (PhScriptMachine *machine, const PhPy *at, const char *name, GError **error)
{
  for (PhScriptScope *scope = machine->frame->scope; scope != NULL; scope = scope->outer)
    {
      PhScriptValue *value = g_hash_table_lookup (scope->variables, name);

      if (value != NULL && value->kind == PH_SCRIPT_UNSET)
        return ph_script_fail (machine, at, error, PH_ERROR_NOT_FOUND, "%s", value->text);
      if (value != NULL)
        return ph_script_value_ref (value);
      if (scope->locals != NULL && g_hash_table_contains (scope->locals, name))
        return ph_script_fail (machine, at, error, PH_ERROR_NOT_FOUND, "'%s' is used before it gets a value", name);
    }
  return find_outside (machine, name, error);
}

/* Evaluates a word, or an operator's name if @operators may be meant: apply(tanh, x). */
static PhScriptValue *
find_word (const char *name, gboolean operators)
{
  const PhScriptWord *word = ph_script_word_find (name);
  const PhOp *op = word == NULL && operators ? ph_script_op (name, 1, NULL) : NULL;
  PhScriptValue *value;

  if (word == NULL && op == NULL)
    return NULL;
  value = ph_script_none ();
  value->op = op;
  value->kind = PH_SCRIPT_WORD;
  value->word = word;
  return value;
}

static void
fail_unknown (PhScriptMachine *machine, const PhPy *at, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *nearest;
  guint n;
  const PhScriptWord *words = ph_script_words (&n);
  GHashTableIter iter;
  gpointer key;

  for (PhScriptScope *scope = machine->frame->scope; scope != NULL; scope = scope->outer)
    {
      g_hash_table_iter_init (&iter, scope->variables);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        if (*(const char *) key != '$')
          g_ptr_array_add (names, key);
    }
  g_hash_table_iter_init (&iter, machine->script->globals->variables);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (*(const char *) key != '$')
      g_ptr_array_add (names, key);
  for (guint i = 0; i < n; i++)
    if (words[i].function != NULL)
      g_ptr_array_add (names, (gpointer) words[i].name);
  nearest = ph_nearest (name, (const char *const *) names->pdata, names->len);
  ph_script_fail (machine, at, error, PH_ERROR_NOT_FOUND, "there is no variable '%s'%s%s%s", name,
                  nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

static PhScriptValue *
look_up (PhScriptMachine *machine, const PhPy *at, const char *name, GError **error)
{
  GError *reason = NULL;
  PhScriptValue *value = find_variable (machine, at, name, &reason);

  if (value == NULL && reason == NULL)
    value = constant_named (name);
  if (value == NULL && reason == NULL)
    value = find_word (name, TRUE);
  if (value != NULL)
    return value;
  if (reason != NULL)
    g_propagate_error (error, reason);
  else if (g_hash_table_contains (machine->script->outside, name))
    ph_script_fail (machine, at, error, PH_ERROR_NOT_FOUND, "'%s' was not computed yet: `eval %s`, or `eval --all`", name, name);
  else
    fail_unknown (machine, at, name, error);
  return NULL;
}

/* ── literals ── */

static PhScriptValue *
evaluate_integer (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  if (py->i == G_MAXINT64 && !g_str_equal (py->text, "9223372036854775807"))
    return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED, "this integer does not fit 64 bits");
  return ph_script_int (py->i);
}

/* Adds the items of *value to @into. Takes @value. */
static gboolean
spread (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, GPtrArray *into, GError **error)
{
  g_autoptr (PhScriptValue) owned = value;
  g_autoptr (GPtrArray) parts = NULL;

  if (value->kind == PH_SCRIPT_TUPLE || ph_script_is_list (value))
    parts = ph_script_items (machine, value);
  else if (value->kind == PH_SCRIPT_RANGE)
    parts = ph_script_list_items (machine, value, PH_SCRIPT_MAX_NODES);
  if (parts == NULL)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'*' wants a tuple or a list, not %s", ph_script_kind_name (value))
           != NULL;
  for (guint i = 0; i < parts->len; i++)
    g_ptr_array_add (into, ph_script_value_ref (parts->pdata[i]));
  return TRUE;
}

static PhScriptValue *
evaluate_items (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  PhScriptValue *made;

  for (guint i = 0; i < py->n; i++)
    {
      const PhPy *item = py->items[i];
      PhScriptValue *value = ph_script_evaluate (machine, item->kind == PH_PY_STARRED ? item->items[0] : item, error);

      if (value == NULL)
        return NULL;
      if (item->kind != PH_PY_STARRED)
        g_ptr_array_add (items, value);
      else if (!spread (machine, item, value, items, error))
        return NULL;
    }
  if (py->kind == PH_PY_TUPLE)
    return ph_script_tuple ((PhScriptValue *const *) items->pdata, items->len, FALSE);
  made = ph_script_list (machine, py, (PhScriptValue *const *) items->pdata, items->len, error);
  for (guint i = 0; made != NULL && i < items->len; i++)
    made->shares = made->shares || ph_script_list_is_named (machine, items->pdata[i]);
  /* At the prompt a list of numbers is an array. */
  if (made != NULL && made->kind == PH_SCRIPT_TENSOR)
    made->list = !machine->frame->typed;
  return made;
}

/* ── and, or, if-else ── */

static PhScriptValue *
evaluate_logic (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) left = NULL, condition = NULL;
  int truth;

  if (machine->compiling)
    return ph_script_compile_and (machine, py, error);
  left = ph_script_evaluate (machine, py->items[0], error);
  truth = left != NULL ? ph_script_truth (machine, py->items[0], left, &condition, error) : -2;
  if (truth == -2)
    return NULL;
  if (truth == g_str_equal (py->text, "or"))
    return g_steal_pointer (&left);
  return ph_script_evaluate (machine, py->items[1], error);
}

static PhScriptValue *
evaluate_choice (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) test = NULL, condition = NULL;
  int truth;

  if (machine->compiling)
    return ph_script_compile_and (machine, py, error);
  test = ph_script_evaluate (machine, py->items[1], error);
  truth = test != NULL ? ph_script_truth (machine, py->items[1], test, &condition, error) : -2;
  return truth == -2 ? NULL : ph_script_evaluate (machine, py->items[truth ? 0 : 2], error);
}

/* ── calls ── */

/* Drops the modules of numpy, torch and Python, which are one here: np.sqrt is sqrt. */
static const char *
without_module (PhScriptMachine *machine, const PhPy *py, char **owned)
{
  static const char *const modules[] = { "np.linalg.", "numpy.linalg.",        "np.random.",     "np.",    "numpy.",
                                         "math.",      "torch.nn.functional.", "nn.functional.", "torch.", "F." };
  g_autofree char *dotted = ph_py_dotted (py);

  for (guint i = 0; dotted != NULL && i < G_N_ELEMENTS (modules); i++)
    if (g_str_has_prefix (dotted, modules[i]) && strchr (dotted + strlen (modules[i]), '.') == NULL)
      {
        g_autofree char *module = g_strndup (dotted, strcspn (dotted, "."));

        for (PhScriptScope *scope = machine->frame->scope; scope != NULL; scope = scope->outer)
          if (g_hash_table_contains (scope->variables, module))
            return NULL;
        *owned = g_strdup (dotted + strlen (modules[i]));
        return *owned;
      }
  return NULL;
}

typedef struct
{
  GPtrArray *values, *named, *names;
} Collected;

static void
collected_clear (Collected *collected)
{
  g_ptr_array_unref (collected->values);
  g_ptr_array_unref (collected->named);
  g_ptr_array_unref (collected->names);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Collected, collected_clear)

static gboolean
collect (PhScriptMachine *machine, const PhPy *py, Collected *collected, GError **error)
{
  for (guint i = 1; i < py->n; i++)
    {
      const PhPy *item = py->items[i];
      const gboolean plain = item->kind != PH_PY_KEYWORD && item->kind != PH_PY_STARRED;
      PhScriptValue *value;

      if (item->kind == PH_PY_KEYWORD && g_str_equal (item->text, "**"))
        return ph_script_fail (machine, item, error, PH_ERROR_UNSUPPORTED, "'**' in a call is not part of the language") != NULL;
      if (plain && collected->names->len > 0)
        return ph_script_fail (machine, item, error, PH_ERROR_PARSE, "inputs stand before attributes") != NULL;
      value = ph_script_evaluate (machine, plain ? item : item->items[0], error);
      if (value == NULL)
        return FALSE;
      if (item->kind == PH_PY_STARRED)
        {
          if (!spread (machine, item, value, collected->values, error))
            return FALSE;
        }
      else if (item->kind == PH_PY_KEYWORD)
        {
          g_ptr_array_add (collected->named, value);
          g_ptr_array_add (collected->names, (gpointer) item->text);
        }
      else
        g_ptr_array_add (collected->values, value);
    }
  return TRUE;
}

/* Finds the callee: a variable, a word, an operator, or a method, whose object becomes the first argument. */
static PhScriptValue *
find_callee (PhScriptMachine *machine, const PhPy *py, Collected *collected, const char **name, char **owned, gboolean *is_op,
             GError **error)
{
  GError *reason = NULL;
  PhScriptValue *value = NULL;

  *name = py->kind == PH_PY_NAME ? py->text : py->kind == PH_PY_ATTRIBUTE ? without_module (machine, py, owned) : NULL;
  if (*name != NULL)
    {
      value = py->kind == PH_PY_NAME ? find_variable (machine, py, *name, &reason) : NULL;
      if (reason != NULL)
        {
          g_propagate_error (error, reason);
          return NULL;
        }
      if (value == NULL)
        value = find_word (*name, FALSE);
      if (value == NULL && (value = constant_named (*name)) != NULL && value->kind != PH_SCRIPT_DTYPE)
        g_clear_pointer (&value, ph_script_value_unref);
      *is_op = value == NULL;
      return value;
    }
  if (py->kind == PH_PY_ATTRIBUTE)
    {
      PhScriptValue *self = ph_script_evaluate (machine, py->items[0], error);

      if (self == NULL)
        return NULL;
      g_ptr_array_insert (collected->values, 0, self);
      *name = py->text;
      if (g_str_equal (py->text, "sort") && self->kind == PH_SCRIPT_TENSOR)
        return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED,
                               "x.sort() sorts x in place, which is not part of the language: write x = sort(x)");
      value = find_word (*name, FALSE);
      *is_op = value == NULL;
      if (value == NULL && self->kind != PH_SCRIPT_TENSOR && !ph_script_is_number (self))
        return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED, "'%s' of %s is not part of the language", py->text,
                               ph_script_kind_name (self));
      return value;
    }
  *name = "this";
  return ph_script_evaluate (machine, py, error);
}

static PhScriptValue *
evaluate_call (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_auto (Collected) collected = { g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref),
                                   g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref), g_ptr_array_new () };
  g_autofree char *owned = NULL;
  g_autofree gboolean *used = NULL;
  const char *name = NULL;
  gboolean is_op = FALSE;
  g_autoptr (PhScriptValue) callee = find_callee (machine, py->items[0], &collected, &name, &owned, &is_op, error);
  const PhPy *outer = machine->at;
  PhScriptValue *result;
  PhScriptArgs args;

  if ((callee == NULL && (!is_op || (error != NULL && *error != NULL))) || !collect (machine, py, &collected, error))
    return NULL;
  used = g_new0 (gboolean, collected.named->len + 1);
  args = (PhScriptArgs) { py,
                          name,
                          (PhScriptValue **) collected.values->pdata,
                          (PhScriptValue **) collected.named->pdata,
                          (const char **) collected.names->pdata,
                          used,
                          collected.values->len,
                          collected.named->len };
  machine->at = py;
  if (is_op)
    {
      GError *reason = NULL;
      const PhOp *op = ph_script_op (name, args.n, &reason);

      result = op != NULL ? ph_script_call_op (machine, op, &args, error)
                          : ph_script_blame (machine, py->items[0], reason, error);
    }
  else
    result = ph_script_call (machine, py, callee, &args, error);
  machine->at = outer;
  return result;
}

/* Puts the arguments of @py, a call of @function, into @bound (owned), one per parameter. */
gboolean
ph_script_arguments (PhScriptMachine *machine, const PhPy *py, PhScriptFunction *function, PhScriptValue **bound, GError **error)
{
  g_auto (Collected) collected = { g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref),
                                   g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref), g_ptr_array_new () };
  g_autofree gboolean *used = NULL;
  PhScriptArgs args;

  if (!collect (machine, py, &collected, error))
    return FALSE;
  used = g_new0 (gboolean, collected.named->len + 1);
  args = (PhScriptArgs) { py,
                          function->name,
                          (PhScriptValue **) collected.values->pdata,
                          (PhScriptValue **) collected.named->pdata,
                          (const char **) collected.names->pdata,
                          used,
                          collected.values->len,
                          collected.named->len };
  if (!ph_script_bind (machine, function, &args, bound, error))
    return FALSE;
  for (guint i = 0; i < function->def->n; i++)
    ph_script_value_ref (bound[i]);
  return TRUE;
}

static PhScriptValue *
evaluate_attribute (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autofree char *dotted = ph_py_dotted (py), *owned = NULL;
  g_autoptr (PhScriptValue) of = NULL;
  const char *bare;

  /* Values of models have names with points in them. */
  if (dotted != NULL
      && (g_hash_table_contains (machine->script->outside, dotted)
          || g_hash_table_contains (machine->script->globals->variables, dotted)))
    return look_up (machine, py, dotted, error);
  bare = without_module (machine, py, &owned);
  if (bare != NULL)
    return look_up (machine, py, bare, error);
  of = ph_script_evaluate (machine, py->items[0], error);
  return of != NULL ? ph_script_attribute (machine, py, of, py->text, error) : NULL;
}

static PhScriptValue *
evaluate_binary (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) left = NULL, right = NULL;

  if (g_str_equal (py->text, "and") || g_str_equal (py->text, "or"))
    return evaluate_logic (machine, py, error);
  left = ph_script_evaluate (machine, py->items[0], error);
  right = left != NULL ? ph_script_evaluate (machine, py->items[1], error) : NULL;
  return right != NULL ? ph_script_binary (machine, py, py->text, left, right, error) : NULL;
}

static PhScriptValue *
refuse (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autofree char *text = ph_py_to_string (py);

  if (g_utf8_strlen (text, -1) > 60)
    *g_utf8_offset_to_pointer (text, 60) = '\0';
  return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED, "'%s' is not part of the language%s", text,
                         py->kind == PH_PY_NAMED  ? ": give the name its value in a line before"
                         : py->kind == PH_PY_DICT ? ": write a list, or a name for each value"
                                                  : "");
}

PhScriptValue *
ph_script_evaluate (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) of = NULL;
  PhScriptValue *result = NULL;

  if (machine->depth >= PH_PY_MAX_DEPTH * 3)
    return ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED, "this is nested too deeply");
  machine->depth++;
  switch (py->kind)
    {
    case PH_PY_NAME: result = look_up (machine, py, py->text, error); break;
    case PH_PY_INT: result = evaluate_integer (machine, py, error); break;
    case PH_PY_FLOAT: result = strpbrk (py->text, "jJ") == NULL ? ph_script_float (py->f) : refuse (machine, py, error); break;
    case PH_PY_STRING:
      result = py->i == 0 ? ph_script_string (py->text)
                          : ph_script_fail (machine, py, error, PH_ERROR_UNSUPPORTED,
                                            "f\"...\" is not part of the language: print(a, b) says values");
      break;
    case PH_PY_CONSTANT:
      result = g_str_equal (py->text, "None")  ? ph_script_none ()
               : g_str_equal (py->text, "...") ? refuse (machine, py, error)
                                               : ph_script_bool (g_str_equal (py->text, "True"));
      break;
    case PH_PY_ATTRIBUTE: result = evaluate_attribute (machine, py, error); break;
    case PH_PY_SUBSCRIPT:
      of = ph_script_evaluate (machine, py->items[0], error);
      result = of != NULL ? ph_script_subscript (machine, py, of, error) : NULL;
      break;
    case PH_PY_CALL:
      if (!ph_script_list_method (machine, py, &result, error))
        result = evaluate_call (machine, py, error);
      break;
    case PH_PY_TUPLE:
    case PH_PY_LIST: result = evaluate_items (machine, py, error); break;
    case PH_PY_UNARY:
      of = ph_script_evaluate (machine, py->items[0], error);
      result = of != NULL ? ph_script_unary (machine, py, py->text, of, error) : NULL;
      break;
    case PH_PY_BINARY: result = evaluate_binary (machine, py, error); break;
    case PH_PY_COMPREHENSION: result = ph_script_comprehension (machine, py, error); break;
    case PH_PY_LAMBDA: result = ph_script_function (machine, py, error); break;
    case PH_PY_IF_ELSE: result = evaluate_choice (machine, py, error); break;
    default: result = refuse (machine, py, error);
    }
  machine->depth--;
  return result;
}
