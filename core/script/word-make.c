/* word-make.c: the words that create tensors: zeros, arange, random, array.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-emit.h"
#include "core/script/script-operate.h"
#include "core/script/script-words.h"

gboolean
ph_script_take_dtype (PhScriptMachine *machine, PhScriptArgs *args, guint i, PhDType *dtype, GError **error)
{
  const PhScriptValue *value = ph_script_arg (args, i, "dtype");

  if (value == NULL || value->kind == PH_SCRIPT_NONE)
    return TRUE;
  if (value->kind == PH_SCRIPT_DTYPE)
    *dtype = (PhDType) value->i;
  else if (value->kind == PH_SCRIPT_STRING
           && ph_dtype_from_name (g_str_equal (value->text, "float32")   ? "float"
                                  : g_str_equal (value->text, "float64") ? "double"
                                                                         : value->text)
                  != PH_UNDEFINED)
    *dtype = ph_dtype_from_name (g_str_equal (value->text, "float32")   ? "float"
                                 : g_str_equal (value->text, "float64") ? "double"
                                                                        : value->text);
  else if (value->kind == PH_SCRIPT_WORD && value->word != NULL && g_str_equal (value->word->name, "float"))
    *dtype = PH_FLOAT;
  else if (value->kind == PH_SCRIPT_WORD && value->word != NULL && g_str_equal (value->word->name, "int"))
    *dtype = PH_INT64;
  else if (value->kind == PH_SCRIPT_WORD && value->word != NULL && g_str_equal (value->word->name, "bool"))
    *dtype = PH_BOOL;
  else
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s wants an element type, such as float32 or int64",
                           args->name)
           != NULL;
  return TRUE;
}

PhScriptValue *
ph_script_take_shape (PhScriptMachine *machine, PhScriptArgs *args, guint first, GError **error)
{
  PhScriptValue *named = ph_script_arg (args, G_MAXUINT, "shape");
  g_autoptr (PhScriptValue) tuple = NULL;

  if (named != NULL)
    return ph_script_shape (machine, args->at, named, error);
  if (args->n == first + 1)
    return ph_script_shape (machine, args->at, args->values[first], error);
  tuple = ph_script_tuple (args->values + MIN (first, args->n), args->n - MIN (first, args->n), FALSE);
  return ph_script_shape (machine, args->at, tuple, error);
}

static PhScriptValue *
filled (PhScriptMachine *machine, PhScriptArgs *args, PhScriptValue *shape, PhScriptValue *value, PhDType dtype, GError **error)
{
  g_autoptr (PhScriptValue) cast = ph_script_cast (machine, value, dtype, error);
  PhTensor *tensor;

  if (cast == NULL)
    return NULL;
  if (shape->tensor == NULL || cast->tensor == NULL || cast->value != NULL)
    return PH_EMIT (machine, Expand, error, cast, shape);
  for (gsize i = 0; i < ph_tensor_count (shape->tensor); i++)
    if (ph_tensor_get_int (shape->tensor, i) < 0)
      return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "a size is not negative");
  if (ph_tensor_count (shape->tensor) > PH_MAX_RANK)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "a tensor has at most %d dimensions", PH_MAX_RANK);
  tensor = ph_tensor_new_splat (dtype, (guint) ph_tensor_count (shape->tensor), ph_tensor_data (shape->tensor),
                                ph_tensor_data (cast->tensor));
  return tensor != NULL ? ph_script_tensor (tensor)
                        : ph_script_fail (machine, args->at, error, PH_ERROR_FAILED, "%s is too large for memory", args->name);
}

PhScriptValue *
ph_script_word_fill (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  const gboolean full = g_str_equal (args->name, "full");
  PhDType dtype = PH_FLOAT;
  g_autoptr (PhScriptValue) value = NULL, shape = NULL;

  if (full)
    {
      PhScriptValue *given = ph_script_arg (args, 1, "value");

      if (given == NULL || (given->kind != PH_SCRIPT_TENSOR && !ph_script_is_number (given)))
        return ph_script_fail (machine, args->at, error, PH_ERROR_USAGE, "full wants a shape and a value");
      value = ph_script_value_ref (given);
      dtype = ph_script_dtype (value) == PH_DOUBLE && ph_script_number_kind (value) != PH_SCRIPT_NONE ? PH_FLOAT
                                                                                                      : ph_script_dtype (value);
      shape = ph_script_shape (machine, args->at, args->n > 0 ? args->values[0] : value, error);
    }
  else
    {
      value = ph_script_int (g_str_equal (args->name, "ones"));
      shape = ph_script_take_shape (machine, args, 0, error);
    }
  if (shape == NULL || !ph_script_take_dtype (machine, args, full ? 2 : G_MAXUINT, &dtype, error)
      || !ph_script_args_done (machine, args, 0, G_MAXUINT, error))
    return NULL;
  return filled (machine, args, shape, value, dtype, error);
}

PhScriptValue *
ph_script_word_like (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *like = ph_script_arg (args, 0, "x");
  g_autoptr (PhScriptValue) value = ph_script_int (g_str_equal (args->name, "ones_like")), sizes = NULL, shape = NULL;
  PhDType dtype = like != NULL ? ph_script_dtype (like) : PH_UNDEFINED;

  if (!ph_script_take_dtype (machine, args, 1, &dtype, error) || !ph_script_args_done (machine, args, 1, 2, error))
    return NULL;
  sizes = ph_script_attribute (machine, args->at, like, "shape", error);
  shape = sizes != NULL ? ph_script_shape (machine, args->at, sizes, error) : NULL;
  return shape != NULL ? filled (machine, args, shape, value, dtype == PH_DOUBLE && like->weak ? PH_FLOAT : dtype, error) : NULL;
}

PhScriptValue *
ph_script_word_arange (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  g_autoptr (PhScriptValue) bounds = NULL, start = NULL, limit = NULL, step = NULL, zero = ph_script_int (0),
                            one = ph_script_int (1);
  PhScriptValue *parts[3] = { zero, NULL, one }, *result;
  PhDType dtype = PH_INT64, asked = PH_UNDEFINED;

  if (!ph_script_take_dtype (machine, args, G_MAXUINT, &asked, error) || !ph_script_args_done (machine, args, 1, 3, error))
    return NULL;
  for (guint i = 0; i < args->n; i++)
    {
      PhScriptValue *value = args->values[i]->number != NULL ? args->values[i]->number : args->values[i];

      parts[args->n == 1 ? 1 : i] = value;
      if (ph_script_rank (value) != 0 || ph_script_dtype (value) == PH_STRING)
        return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "arange wants numbers");
      if (ph_dtype_is_float (ph_script_dtype (value)))
        dtype = PH_FLOAT;
    }
  start = ph_script_cast (machine, parts[0], dtype, error);
  limit = start != NULL ? ph_script_cast (machine, parts[1], dtype, error) : NULL;
  step = limit != NULL ? ph_script_cast (machine, parts[2], dtype, error) : NULL;
  result = step != NULL ? PH_EMIT (machine, Range, error, start, limit, step) : NULL;
  if (result != NULL && asked != PH_UNDEFINED && asked != dtype)
    {
      g_autoptr (PhScriptValue) whole = result;

      result = ph_script_cast (machine, whole, asked, error);
    }
  return result;
}

PhScriptValue *
ph_script_word_random (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *seed = ph_script_arg (args, G_MAXUINT, "seed");
  g_autoptr (PhScriptValue) shape = ph_script_take_shape (machine, args, 0, error);
  const gboolean normal = g_str_equal (args->name, "randn");
  PhScriptValue *result;

  if (shape == NULL || !ph_script_args_done (machine, args, 0, G_MAXUINT, error))
    return NULL;
  if (shape->tensor == NULL)
    return ph_script_fail (machine, args->at, error, PH_ERROR_UNSUPPORTED, "%s wants a shape that is known", args->name);
  if (seed != NULL && seed->kind != PH_SCRIPT_INT)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "a seed is an integer");
  return ph_script_emit (
             machine, normal ? &ph_op_RandomNormal : &ph_op_RandomUniform, NULL, 0,
             PH_ATTRS (ph_attr_new_ints ("shape", ph_tensor_data (shape->tensor), ph_tensor_count (shape->tensor)),
                       ph_attr_new_float ("seed", (float) (seed != NULL ? seed->i : (gint64) ++machine->script->draws))),
             &result, 1, error)
             ? result
             : NULL;
}

/* Converts rows that are no arrays yet. */
static PhScriptValue *
rows_to_array (PhScriptMachine *machine, const PhPy *at, PhScriptValue *list, PhDType dtype, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref),
                        rows = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  g_autoptr (PhScriptValue) axis = ph_script_ints ((gint64[]) { 0 }, 1);
  PhDType common = PH_UNDEFINED;
  PhScriptValue *joined;

  for (guint i = 0; i < list->n; i++)
    {
      PhScriptValue *one = list->items[i]->kind == PH_SCRIPT_TUPLE && list->items[i]->n > 0
                               ? rows_to_array (machine, at, list->items[i], dtype, error)
                               : ph_script_value_ref (list->items[i]);
      PhDType own;

      if (one == NULL)
        return NULL;
      g_ptr_array_add (items, one);
      own = ph_script_dtype (one);
      if (own == PH_DOUBLE && (ph_script_is_number (one) || one->weak))
        own = PH_FLOAT;
      if (own == PH_UNDEFINED)
        return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "%s cannot be a row of an array", ph_script_kind_name (one));
      common = i == 0 ? own : ph_script_common_dtype (common, own);
    }
  for (guint i = 0; i < list->n; i++)
    {
      g_autoptr (PhScriptValue) cast = ph_script_cast (machine, items->pdata[i], dtype != PH_UNDEFINED ? dtype : common, error);
      PhScriptValue *row = cast != NULL ? PH_EMIT (machine, Unsqueeze, error, cast, axis) : NULL;

      if (row == NULL)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return ph_script_emit (machine, &ph_op_Concat, (PhScriptValue *const *) rows->pdata, rows->len,
                         PH_ATTRS (ph_attr_new_int ("axis", 0)), &joined, 1, error)
             ? joined
             : NULL;
}

PhScriptValue *
ph_script_as_array (PhScriptMachine *machine, PhScriptValue *list, GError **error)
{
  return rows_to_array (machine, NULL, list, PH_UNDEFINED, error);
}

PhScriptValue *
ph_script_word_array (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x");
  PhDType dtype = value != NULL && (ph_script_is_number (value) || value->kind == PH_SCRIPT_TENSOR) ? ph_script_dtype (value)
                                                                                                    : PH_UNDEFINED;
  if (value != NULL && dtype == PH_DOUBLE && (value->weak || ph_script_is_number (value)))
    dtype = PH_FLOAT;
  if (!ph_script_take_dtype (machine, args, 1, &dtype, error) || !ph_script_args_done (machine, args, 1, 2, error))
    return NULL;
  if (value->kind == PH_SCRIPT_TUPLE && value->n > 0)
    return rows_to_array (machine, args->at, value, dtype, error);
  if (dtype == PH_UNDEFINED)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s is not an array", ph_script_kind_name (value));
  if (value->kind == PH_SCRIPT_TENSOR && !value->weak && ph_script_dtype (value) == dtype)
    return PH_EMIT (machine, Identity, error, value);
  return ph_script_cast (machine, value, dtype, error);
}
