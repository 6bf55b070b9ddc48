/* word-list.c: the words for iteration: range, len, enumerate, zip.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-call.h"
#include "core/script/script-operate.h"
#include "core/script/script-words.h"

PhScriptValue *
ph_script_word_len (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *value = ph_script_arg (args, 0, "x");

  if (!ph_script_args_done (machine, args, 1, 1, error))
    return NULL;
  if (value->kind == PH_SCRIPT_TUPLE)
    return ph_script_int (value->n);
  if (value->kind == PH_SCRIPT_STRING)
    return ph_script_int (g_utf8_strlen (value->text, -1));
  if (value->kind == PH_SCRIPT_RANGE)
    {
      g_autoptr (GPtrArray) items = ph_script_list_items (machine, value, PH_SCRIPT_MAX_NODES);

      if (items != NULL)
        return ph_script_int (items->len);
    }
  if (value->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) > 0)
    {
      g_autoptr (PhScriptValue) sizes = ph_script_attribute (machine, args->at, value, "shape", error);

      return sizes != NULL ? ph_script_value_ref (sizes->items[0]) : NULL;
    }
  return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "%s has no length", ph_script_kind_name (value));
}

PhScriptValue *
ph_script_word_range (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *bounds[3] = { NULL, NULL, NULL }, *range;

  if (!ph_script_args_done (machine, args, 1, 3, error))
    return NULL;
  for (guint i = 0; i < args->n; i++)
    {
      PhScriptValue *value = args->values[i]->number != NULL ? args->values[i]->number : args->values[i];

      /* A tensor of one integer counts as the integer. */
      if (value->kind == PH_SCRIPT_TENSOR && value->tensor != NULL && ph_script_rank (value) == 0
          && ph_dtype_is_integer (ph_script_dtype (value)))
        {
          ph_script_decide (machine, args->at, ph_tensor_get_int (value->tensor, 0));
          bounds[i] = ph_script_int (ph_tensor_get_int (value->tensor, 0));
        }
      else if (value->kind == PH_SCRIPT_INT || value->kind == PH_SCRIPT_BOOL
               || (value->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) == 0
                   && ph_dtype_is_integer (ph_script_dtype (value))))
        bounds[i] = value->kind == PH_SCRIPT_BOOL ? ph_script_int (value->i) : ph_script_value_ref (value);
      else
        {
          for (guint k = 0; k < i; k++)
            ph_script_value_unref (bounds[k]);
          return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "range() wants integers, not %s",
                                 ph_script_kind_name (value));
        }
    }
  if (args->n == 1)
    {
      bounds[1] = bounds[0];
      bounds[0] = ph_script_int (0);
    }
  if (bounds[2] == NULL)
    bounds[2] = ph_script_int (1);
  range = ph_script_tuple (bounds, 3, FALSE);
  for (guint i = 0; i < 3; i++)
    ph_script_value_unref (bounds[i]);
  range->kind = PH_SCRIPT_RANGE;
  if (range->items[2]->kind == PH_SCRIPT_INT && range->items[2]->i == 0)
    {
      ph_script_value_unref (range);
      return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "the step of a range must not be 0");
    }
  return range;
}

static PhScriptValue *
list_of (GPtrArray *items)
{
  return ph_script_tuple ((PhScriptValue **) items->pdata, items->len, TRUE);
}

PhScriptValue *
ph_script_word_enumerate (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *over = ph_script_arg (args, 0, "x"), *start = ph_script_arg (args, 1, "start");
  g_autoptr (GPtrArray) items = NULL, pairs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);

  if (!ph_script_args_done (machine, args, 1, 2, error))
    return NULL;
  if (start != NULL && start->kind != PH_SCRIPT_INT)
    return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE, "enumerate counts from an integer");
  if ((items = ph_script_iterate (machine, args->at, over, error)) == NULL)
    return NULL;
  for (guint i = 0; i < items->len; i++)
    {
      g_autoptr (PhScriptValue) number = ph_script_int ((start != NULL ? start->i : 0) + i);

      g_ptr_array_add (pairs, ph_script_tuple ((PhScriptValue *[]) { number, items->pdata[i] }, 2, FALSE));
    }
  return list_of (pairs);
}

PhScriptValue *
ph_script_word_zip (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref),
                        rows = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  guint shortest = G_MAXUINT;

  if (!ph_script_args_done (machine, args, 1, G_MAXUINT, error))
    return NULL;
  for (guint i = 0; i < args->n; i++)
    {
      GPtrArray *items = ph_script_iterate (machine, args->at, args->values[i], error);

      if (items == NULL)
        return NULL;
      g_ptr_array_add (lists, items);
      shortest = MIN (shortest, items->len);
    }
  for (guint k = 0; k < shortest; k++)
    {
      g_autofree PhScriptValue **row = g_new (PhScriptValue *, args->n);

      for (guint i = 0; i < args->n; i++)
        row[i] = ((GPtrArray *) lists->pdata[i])->pdata[k];
      g_ptr_array_add (rows, ph_script_tuple (row, args->n, FALSE));
    }
  return list_of (rows);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  const PhScriptValue *x = *(PhScriptValue *const *) a, *y = *(PhScriptValue *const *) b;

  if (x->kind != PH_SCRIPT_FLOAT && y->kind != PH_SCRIPT_FLOAT)
    return (x->i > y->i) - (x->i < y->i);
  return ((x->kind == PH_SCRIPT_FLOAT ? x->f : (double) x->i) > (y->kind == PH_SCRIPT_FLOAT ? y->f : (double) y->i))
         - ((x->kind == PH_SCRIPT_FLOAT ? x->f : (double) x->i) < (y->kind == PH_SCRIPT_FLOAT ? y->f : (double) y->i));
}

/* list(x), tuple(x), reversed(x), sorted(x) */
PhScriptValue *
ph_script_word_items (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScriptValue *over = ph_script_arg (args, 0, "x");
  g_autoptr (GPtrArray) items = NULL;

  if (!ph_script_args_done (machine, args, g_str_equal (args->name, "list") ? 0 : 1, 1, error))
    return NULL;
  if (over == NULL)
    return ph_script_tuple (NULL, 0, TRUE);
  if ((items = ph_script_iterate (machine, args->at, over, error)) == NULL)
    return NULL;
  if (g_str_equal (args->name, "tuple"))
    return ph_script_tuple ((PhScriptValue **) items->pdata, items->len, FALSE);
  if (g_str_equal (args->name, "reversed"))
    for (guint i = 0; i < items->len / 2; i++)
      {
        gpointer other = items->pdata[items->len - 1 - i];

        items->pdata[items->len - 1 - i] = items->pdata[i];
        items->pdata[i] = other;
      }
  if (g_str_equal (args->name, "sorted"))
    {
      for (guint i = 0; i < items->len; i++)
        if (!ph_script_is_number (items->pdata[i]))
          return ph_script_fail (machine, args->at, error, PH_ERROR_TYPE,
                                 "sorted wants a list of numbers that are known: write sort(x)");
      g_ptr_array_sort (items, compare_numbers);
    }
  return ph_script_list_again (machine, args->at, over, items, error);
}
