/* value.c: the values of the language, scopes and functions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/number.h"
#include "core/script/script-emit.h"

static PhScriptValue *
value_new (PhScriptKind kind)
{
  static gint counter;
  PhScriptValue *value = g_new0 (PhScriptValue, 1);

  g_atomic_ref_count_init (&value->refs);
  value->kind = kind;
  if (kind == PH_SCRIPT_TENSOR)
    value->memory = (guint64) (guint) g_atomic_int_add (&counter, 1) + 1;
  return value;
}

PhScriptValue *
ph_script_value_ref (PhScriptValue *value)
{
  g_atomic_ref_count_inc (&value->refs);
  return value;
}

void
ph_script_value_unref (PhScriptValue *value)
{
  if (value == NULL || !g_atomic_ref_count_dec (&value->refs))
    return;
  for (guint i = 0; i < value->n; i++)
    ph_script_value_unref (value->items[i]);
  g_free (value->items);
  g_free (value->text);
  g_clear_pointer (&value->tensor, ph_tensor_unref);
  ph_script_value_unref (value->number);
  if (value->function != NULL)
    ph_script_function_unref (value->function);
  g_free (value);
}

PhScriptValue *
ph_script_none (void)
{
  return value_new (PH_SCRIPT_NONE);
}

PhScriptValue *
ph_script_bool (gboolean truth)
{
  PhScriptValue *value = value_new (PH_SCRIPT_BOOL);

  value->i = truth != FALSE;
  return value;
}

PhScriptValue *
ph_script_int (gint64 i)
{
  PhScriptValue *value = value_new (PH_SCRIPT_INT);

  value->i = i;
  return value;
}

PhScriptValue *
ph_script_float (double f)
{
  PhScriptValue *value = value_new (PH_SCRIPT_FLOAT);

  value->f = f;
  return value;
}

PhScriptValue *
ph_script_string (const char *text)
{
  PhScriptValue *value = value_new (PH_SCRIPT_STRING);

  value->text = g_strdup (text);
  return value;
}

PhScriptValue *
ph_script_unset (char *why)
{
  PhScriptValue *value = value_new (PH_SCRIPT_UNSET);

  value->text = why;
  return value;
}

PhScriptValue *
ph_script_tuple (PhScriptValue *const *items, guint n, gboolean list)
{
  PhScriptValue *value = value_new (PH_SCRIPT_TUPLE);

  value->items = g_new0 (PhScriptValue *, n + 1);
  value->n = n;
  value->list = list;
  for (guint i = 0; i < n; i++)
    value->items[i] = ph_script_value_ref (items[i]);
  return value;
}

PhScriptValue *
ph_script_tensor (PhTensor *tensor)
{
  PhScriptValue *value = value_new (PH_SCRIPT_TENSOR);

  value->tensor = tensor;
  return value;
}

PhScriptValue *
ph_script_weak (PhScriptValue *value)
{
  if (value != NULL)
    value->weak = TRUE;
  return value;
}

gboolean
ph_script_is_number (const PhScriptValue *value)
{
  return value->kind == PH_SCRIPT_BOOL || value->kind == PH_SCRIPT_INT || value->kind == PH_SCRIPT_FLOAT;
}

PhScriptKind
ph_script_number_kind (const PhScriptValue *value)
{
  if (ph_script_is_number (value))
    return value->kind;
  if (value->kind != PH_SCRIPT_TENSOR || !value->weak || ph_script_rank (value) != 0)
    return PH_SCRIPT_NONE;
  switch (ph_script_dtype (value))
    {
    case PH_BOOL: return PH_SCRIPT_BOOL;
    case PH_INT64: return PH_SCRIPT_INT;
    default: return PH_SCRIPT_FLOAT;
    }
}

const PhType *
ph_script_type (const PhScriptValue *value)
{
  if (value->tensor != NULL)
    return ph_tensor_kind (value->tensor) == PH_KIND_TENSOR ? ph_type_of_tensor (value->tensor) : NULL;
  return value->value != NULL && value->value->type != NULL && value->value->type->kind == PH_KIND_TENSOR ? value->value->type
                                                                                                          : NULL;
}

PhDType
ph_script_dtype (const PhScriptValue *value)
{
  const PhType *type;

  switch (value->kind)
    {
    case PH_SCRIPT_BOOL: return PH_BOOL;
    case PH_SCRIPT_INT: return PH_INT64;
    case PH_SCRIPT_FLOAT: return PH_DOUBLE;
    case PH_SCRIPT_TENSOR:
      if (value->tensor != NULL)
        return ph_tensor_dtype (value->tensor);
      type = ph_script_type (value);
      return type != NULL ? type->dtype : PH_UNDEFINED;
    default: return PH_UNDEFINED;
    }
}

int
ph_script_rank (const PhScriptValue *value)
{
  const PhType *type;

  if (ph_script_is_number (value))
    return 0;
  if (value->kind != PH_SCRIPT_TENSOR)
    return -1;
  if (value->tensor != NULL)
    return ph_tensor_kind (value->tensor) == PH_KIND_TENSOR ? (int) ph_tensor_rank (value->tensor) : -1;
  type = ph_script_type (value);
  return type != NULL && type->has_rank ? (int) type->rank : -1;
}

gint64
ph_script_dim (const PhScriptValue *value, guint axis)
{
  const PhType *type;

  if (value->tensor != NULL)
    return axis < ph_tensor_rank (value->tensor) ? ph_tensor_dims (value->tensor)[axis] : -1;
  type = ph_script_type (value);
  return type != NULL && type->has_rank && axis < type->rank && ph_dim_known (type->dims[axis]) ? type->dims[axis].size : -1;
}

PhTensor *
ph_script_number_tensor (const PhScriptValue *number, PhDType dtype)
{
  PhTensor *tensor = ph_tensor_new (dtype == PH_UNDEFINED ? ph_script_dtype (number) : dtype, 0, NULL);

  if (ph_tensor_dtype (tensor) == PH_STRING)
    return tensor;
  if (number->kind == PH_SCRIPT_FLOAT)
    ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), 0, number->f);
  else
    ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), 0, number->i);
  return tensor;
}

PhScriptValue *
ph_script_ints (const gint64 *values, guint n)
{
  return ph_script_tensor (ph_tensor_new_int64s (values, n));
}

const char *
ph_script_kind_name (const PhScriptValue *value)
{
  switch (value->kind)
    {
    case PH_SCRIPT_NONE: return "None";
    case PH_SCRIPT_BOOL: return "a bool";
    case PH_SCRIPT_INT: return "an int";
    case PH_SCRIPT_FLOAT: return "a float";
    case PH_SCRIPT_STRING: return "a string";
    case PH_SCRIPT_DTYPE: return "an element type";
    case PH_SCRIPT_TENSOR:
      switch (ph_script_number_kind (value))
        {
        case PH_SCRIPT_BOOL: return "a bool";
        case PH_SCRIPT_INT: return "an int";
        case PH_SCRIPT_FLOAT: return "a float";
        default: return "a tensor";
        }
    case PH_SCRIPT_TUPLE: return value->list ? "a list" : "a tuple";
    case PH_SCRIPT_RANGE: return "a range";
    case PH_SCRIPT_FUNCTION:
    case PH_SCRIPT_WORD: return "a function";
    default: return "nothing";
    }
}

PhTensor *
ph_script_value_tensor (PhScriptValue *value)
{
  if (ph_script_is_number (value))
    return ph_script_number_tensor (value, PH_UNDEFINED);
  return value->kind == PH_SCRIPT_TENSOR && value->tensor != NULL ? ph_tensor_ref (value->tensor) : NULL;
}

gboolean
ph_script_value_is_none (PhScriptValue *value)
{
  return value->kind == PH_SCRIPT_NONE;
}

guint
ph_script_value_n (PhScriptValue *value)
{
  return value->kind == PH_SCRIPT_TUPLE ? value->n : 0;
}

PhScriptValue *
ph_script_value_item (PhScriptValue *value, guint i)
{
  return value->items[i];
}

/* Appends a list of numbers in source form, [1, 2] or [[1, 2], [3, 4]], from element *@next on. */
static void
append_list (GString *out, PhTensor *tensor, guint axis, gsize *next, guint elements)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  g_string_append_c (out, '[');
  for (gint64 i = 0; i < ph_tensor_dims (tensor)[axis]; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      if (*next >= elements)
        {
          g_string_append (out, "...");
          break;
        }
      if (axis + 1 < ph_tensor_rank (tensor))
        append_list (out, tensor, axis + 1, next, elements);
      else
        {
          const gsize k = (*next)++;

          if (dtype == PH_STRING)
            g_string_append (out, ph_tensor_get_string (tensor, k));
          else if (dtype == PH_BOOL)
            g_string_append (out, ph_tensor_get_int (tensor, k) ? "True" : "False");
          else if (ph_dtype_is_integer (dtype))
            g_string_append_printf (out, "%" G_GINT64_FORMAT, ph_tensor_get_int (tensor, k));
          else
            ph_number_append (out, "%.9g", ph_tensor_get (tensor, k));
        }
    }
  g_string_append_c (out, ']');
}

char *
ph_script_value_text (PhScriptValue *value, guint elements)
{
  g_autoptr (PhTensor) tensor = ph_script_value_tensor (value);
  GString *out;
  gsize next = 0;

  if (tensor != NULL && !(value->kind == PH_SCRIPT_TENSOR && value->list && ph_script_rank (value) > 0))
    return ph_tensor_to_string (tensor, elements);
  out = g_string_new (NULL);
  if (tensor != NULL)
    {
      append_list (out, tensor, 0, &next, elements);
      return g_string_free (out, FALSE);
    }
  switch (value->kind)
    {
    case PH_SCRIPT_STRING: g_string_append (out, value->text); break;
    case PH_SCRIPT_DTYPE: g_string_append (out, ph_dtype_name ((PhDType) value->i)); break;
    case PH_SCRIPT_TUPLE:
      g_string_append_c (out, value->list ? '[' : '(');
      for (guint i = 0; i < value->n; i++)
        {
          PhScriptValue *item = value->items[i];
          g_autofree char *text = NULL;

          if (item->kind == PH_SCRIPT_INT)
            text = g_strdup_printf ("%" G_GINT64_FORMAT, item->i);
          else
            text = ph_script_value_text (item, elements);
          g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", text);
        }
      g_string_append (out, value->list ? "]" : value->n == 1 ? ",)" : ")");
      break;
    case PH_SCRIPT_FUNCTION: g_string_append_printf (out, "function %s", value->function->name); break;
    case PH_SCRIPT_WORD:
      g_string_append_printf (out, "function %s", value->word != NULL ? value->word->name : value->op->name);
      break;
    case PH_SCRIPT_RANGE: g_string_append (out, "range"); break;
    default: g_string_append (out, "None");
    }
  return g_string_free (out, FALSE);
}

/* ── scopes and functions ── */

PhScriptScope *
ph_script_scope_new (PhScriptScope *outer)
{
  PhScriptScope *scope = g_new0 (PhScriptScope, 1);

  g_atomic_ref_count_init (&scope->refs);
  scope->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_script_value_unref);
  scope->outer = outer != NULL ? ph_script_scope_ref (outer) : NULL;
  return scope;
}

PhScriptScope *
ph_script_scope_ref (PhScriptScope *scope)
{
  g_atomic_ref_count_inc (&scope->refs);
  return scope;
}

void
ph_script_scope_unref (PhScriptScope *scope)
{
  if (scope == NULL || !g_atomic_ref_count_dec (&scope->refs))
    return;
  g_hash_table_unref (scope->variables);
  ph_script_scope_unref (scope->outer);
  g_free (scope);
}

PhScriptFunction *
ph_script_function_ref (PhScriptFunction *function)
{
  g_atomic_ref_count_inc (&function->refs);
  return function;
}

void
ph_script_function_unref (PhScriptFunction *function)
{
  if (!g_atomic_ref_count_dec (&function->refs))
    return;
  for (guint i = 0; i < function->def->n; i++)
    {
      ph_script_value_unref (function->fallbacks[i]);
      if (function->arguments != NULL)
        ph_script_value_unref (function->arguments[i]);
    }
  g_free (function->fallbacks);
  g_free (function->arguments);
  g_hash_table_unref (function->locals);
  ph_script_scope_unref (function->scope);
  g_free (function->name);
  ph_script_text_free (function->text);
  g_free (function);
}

/* ── texts ── */

PhScriptText *
ph_script_text_ref (PhScriptText *text)
{
  g_atomic_ref_count_inc (&text->refs);
  return text;
}

void
ph_script_text_free (PhScriptText *text)
{
  if (text == NULL || !g_atomic_ref_count_dec (&text->refs))
    return;
  g_clear_pointer (&text->module, ph_py_free);
  ph_source_clear (&text->source);
  g_free (text->text);
  g_free (text->file);
  g_free (text);
}

void
ph_script_result_clear (PhScriptResult *result)
{
  g_clear_pointer (&result->target, g_free);
  g_clear_pointer (&result->value, ph_script_value_unref);
  if (result->out != NULL)
    g_string_free (result->out, TRUE);
  result->out = NULL;
}
