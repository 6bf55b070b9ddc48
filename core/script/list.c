/* list.c: lists. A list of numbers is a tensor without an element type of its own, any other a tuple marked as a list. In a function or
 * file both concatenate, repeat and compare as in Python; combined with a tensor they act as one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-operate.h"

/* ── kinds of lists ── */

static gboolean
is_literal (const PhScriptValue *value)
{
  return ph_script_is_number (value) || value->kind == PH_SCRIPT_STRING
         || (value->kind == PH_SCRIPT_TENSOR && value->weak && value->value == NULL);
}

/* Stacks rows of one shape into an array; an array of literals has no element type of its own yet. */
static PhScriptValue *
stack_literals (PhScriptMachine *machine, const PhPy *at, PhScriptValue *const *items, guint n, GError **error)
{
  const guint rank = items[0]->kind == PH_SCRIPT_TENSOR ? ph_tensor_rank (items[0]->tensor) : 0;
  gint64 dims[PH_MAX_RANK] = { n };
  gboolean texts = FALSE, floats = FALSE, ints = FALSE;
  PhTensor *tensor;
  PhDType dtype;
  gsize row = 1;
  PhScriptValue *value;

  if (rank + 1 >= PH_MAX_RANK)
    return ph_script_fail (machine, at, error, PH_ERROR_PARSE, "too many dimensions");
  for (guint i = 0; i < n; i++)
    {
      const PhScriptValue *item = items[i];
      const PhDType own = item->kind == PH_SCRIPT_STRING ? PH_STRING : ph_script_dtype (item);

      if ((item->kind == PH_SCRIPT_TENSOR ? ph_tensor_rank (item->tensor) : 0) != rank
          || (rank > 0 && memcmp (ph_tensor_dims (item->tensor), ph_tensor_dims (items[0]->tensor), rank * sizeof (gint64)) != 0))
        return ph_script_fail (machine, at, error, PH_ERROR_PARSE, "the rows are not nested alike, or not of one length");
      texts = texts || own == PH_STRING;
      floats = floats || ph_dtype_is_float (own);
      ints = ints || ph_dtype_is_integer (own);
    }
  for (guint i = 0; i < rank; i++)
    row *= (gsize) (dims[i + 1] = ph_tensor_dims (items[0]->tensor)[i]);
  if (texts && (floats || ints))
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "text and numbers do not go into one array");
  dtype = texts ? PH_STRING : floats ? PH_DOUBLE : ints ? PH_INT64 : PH_BOOL;
  tensor = ph_tensor_new (dtype, rank + 1, dims);
  if (tensor == NULL)
    return ph_script_fail (machine, at, error, PH_ERROR_FAILED, "this is too large for memory");
  for (guint i = 0; i < n; i++)
    for (gsize k = 0; k < row; k++)
      {
        g_autoptr (PhTensor) number = ph_script_is_number (items[i]) ? ph_script_number_tensor (items[i], PH_UNDEFINED) : NULL;
        PhTensor *from = number != NULL ? number : items[i]->tensor;

        if (texts)
          ph_tensor_set_string (tensor, i * row + k, rank == 0 ? items[i]->text : ph_tensor_get_string (from, k));
        else if (floats)
          ph_dtype_store (dtype, ph_tensor_writable (tensor), i * row + k, ph_tensor_get (from, k));
        else
          ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i * row + k, ph_tensor_get_int (from, k));
      }
  value = ph_script_tensor (tensor);
  value->weak = TRUE;
  return value;
}

gboolean
ph_script_is_list (const PhScriptValue *value)
{
  return value->list && (value->kind == PH_SCRIPT_TUPLE || value->kind == PH_SCRIPT_TENSOR);
}

PhScriptValue *
ph_script_list (PhScriptMachine *machine, const PhPy *at, PhScriptValue *const *items, guint n, GError **error)
{
  gboolean literal = n > 0;
  PhScriptValue *list;

  for (guint i = 0; i < n && literal; i++)
    literal = is_literal (items[i]);
  if (!literal)
    return ph_script_tuple (items, n, TRUE);
  /* At the prompt lists of numbers are arrays. Elsewhere rows of different lengths, or text among numbers, are still a list. */
  list = stack_literals (machine, at, items, n, machine->frame->typed ? error : NULL);
  if (list != NULL)
    list->list = TRUE;
  return list != NULL || machine->frame->typed ? list : ph_script_tuple (items, n, TRUE);
}

/* Rows of rows are lists too. (transfer full) (nullable) */
GPtrArray *
ph_script_items (PhScriptMachine *machine, PhScriptValue *list)
{
  GPtrArray *items = ph_script_list_items (machine, list, PH_SCRIPT_MAX_NODES);
  const guint rank = list->kind == PH_SCRIPT_TENSOR && list->tensor != NULL && list->value == NULL ? ph_tensor_rank (list->tensor)
                                                                                                   : 0;

  if (items != NULL || rank < 2 || ph_script_dtype (list) == PH_STRING)
    return items;
  items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  for (gint64 i = 0; i < ph_tensor_dims (list->tensor)[0]; i++)
    {
      PhTensor *row = ph_tensor_new (ph_tensor_dtype (list->tensor), rank - 1, ph_tensor_dims (list->tensor) + 1);
      const gsize size = ph_dtype_size (ph_tensor_dtype (list->tensor)) * ph_tensor_count (row);
      PhScriptValue *value;

      if (size > 0)
        memcpy (ph_tensor_writable (row), (const char *) ph_tensor_data (list->tensor) + (gsize) i * size, size);
      value = ph_script_weak (ph_script_tensor (row));
      value->list = TRUE;
      value->memory = list->memory; /* a change of the row changes the list */
      g_ptr_array_add (items, value);
    }
  return items;
}

static GPtrArray *
known_items (PhScriptMachine *machine, const PhPy *at, PhScriptValue *list, GError **error)
{
  GPtrArray *items = ph_script_items (machine, list);

  if (items == NULL)
    ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                    "this list is made in the graph, which has no lists: write array([...])");
  return items;
}

PhScriptValue *
ph_script_list_as_tuple (PhScriptMachine *machine, PhScriptValue *list)
{
  g_autoptr (GPtrArray) items = list->kind == PH_SCRIPT_TENSOR ? ph_script_items (machine, list) : NULL;
  PhScriptValue *tuple = items != NULL ? ph_script_tuple ((PhScriptValue *const *) items->pdata, items->len, TRUE) : NULL;

  if (tuple != NULL)
    tuple->memory = list->memory;
  return tuple;
}

/* ── queries ── */

gboolean
ph_script_list_has_rows (const PhScriptValue *list)
{
  if (list->kind == PH_SCRIPT_TENSOR)
    return ph_script_rank (list) > 1;
  for (guint i = 0; i < list->n; i++)
    if (ph_script_is_list (list->items[i]))
      return TRUE;
  return FALSE;
}

/* Makes a list of items of @old, with which it shares its rows. (transfer full) */
PhScriptValue *
ph_script_list_again (PhScriptMachine *machine, const PhPy *at, const PhScriptValue *old, GPtrArray *items, GError **error)
{
  PhScriptValue *list = ph_script_list (machine, at, (PhScriptValue *const *) items->pdata, items->len, error);

  if (list != NULL && ph_script_list_has_rows (list))
    {
      list->shares = TRUE;
      list->memory = old->memory;
    }
  return list;
}

static PhScriptValue *
join (PhScriptMachine *machine, const PhPy *at, PhScriptValue *a, PhScriptValue *b, GError **error)
{
  g_autoptr (GPtrArray) items = known_items (machine, at, a, error), more = NULL;

  more = items != NULL ? known_items (machine, at, b, error) : NULL;
  if (more == NULL)
    return NULL;
  for (guint i = 0; i < more->len; i++)
    g_ptr_array_add (items, ph_script_value_ref (more->pdata[i]));
  return ph_script_list_again (machine, at, a, items, error);
}

static PhScriptValue *
repeat (PhScriptMachine *machine, const PhPy *at, PhScriptValue *list, gint64 times, GError **error)
{
  g_autoptr (GPtrArray) items = known_items (machine, at, list, error), all = g_ptr_array_new ();

  if (items == NULL)
    return NULL;
  times = MAX (times, 0);
  if (times > 0 && items->len > PH_SCRIPT_MAX_NODES / times)
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "this list is too long: write zeros(n)");
  for (gint64 i = 0; i < times; i++)
    for (guint k = 0; k < items->len; k++)
      g_ptr_array_add (all, items->pdata[k]);
  return list->list ? ph_script_list_again (machine, at, list, all, error)
                    : ph_script_tuple ((PhScriptValue *const *) all->pdata, all->len, FALSE);
}

/* Returns 0 or 1 if known, -1 if *@condition decides, or -2 on an error. */
static int
equals (PhScriptMachine *machine, const PhPy *at, PhScriptValue *a, PhScriptValue *b, PhScriptValue **condition, GError **error)
{
  const gboolean number_a = ph_script_is_number (a) || a->kind == PH_SCRIPT_TENSOR,
                 number_b = ph_script_is_number (b) || b->kind == PH_SCRIPT_TENSOR;
  g_autoptr (PhScriptValue) equal = NULL;

  *condition = NULL;
  if (number_a != number_b || ph_script_is_list (a) != ph_script_is_list (b))
    return 0;
  equal = ph_script_binary (machine, at, "==", a, b, error);
  return equal != NULL ? ph_script_truth (machine, at, equal, condition, error) : -2;
}

/* Compares each item with @a, or with the item of @left at the same position: any must be equal, or all. */
static PhScriptValue *
compare_items (PhScriptMachine *machine, const PhPy *at, PhScriptValue *a, GPtrArray *left, GPtrArray *right, gboolean negated,
               GError **error)
{
  const gboolean all = left != NULL;
  g_autoptr (PhScriptValue) open = NULL;
  PhScriptValue *result;

  if (all && left->len != right->len)
    return ph_script_bool (negated);
  for (guint i = 0; i < right->len; i++)
    {
      g_autoptr (PhScriptValue) condition = NULL;
      const int truth = equals (machine, at, all ? left->pdata[i] : a, right->pdata[i], &condition, error);
      PhScriptValue *both;

      if (truth == -2)
        return NULL;
      if (truth >= 0 && truth != all)
        return ph_script_bool (truth != negated);
      if (truth != -1)
        continue;
      both = open == NULL ? ph_script_value_ref (condition)
             : all        ? PH_EMIT (machine, And, error, open, condition)
                          : PH_EMIT (machine, Or, error, open, condition);
      if (both == NULL)
        return NULL;
      if (open != NULL)
        ph_script_value_unref (open);
      open = both;
    }
  if (open == NULL)
    return ph_script_bool (all != negated);
  result = negated ? PH_EMIT (machine, Not, error, open) : g_steal_pointer (&open);
  return result;
}

static PhScriptValue *
contains (PhScriptMachine *machine, const PhPy *at, PhScriptValue *a, PhScriptValue *b, gboolean negated, GError **error)
{
  g_autoptr (GPtrArray) items = b->kind == PH_SCRIPT_TENSOR && !b->weak ? NULL : ph_script_items (machine, b);

  if (items == NULL)
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "'in' wants a list or a tuple whose items are known, not %s: write any(x == y)",
                           ph_script_kind_name (b));
  return compare_items (machine, at, a, NULL, items, negated, error);
}

gboolean
ph_script_list_binary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b,
                       PhScriptValue **result, GError **error)
{
  const gboolean left = ph_script_is_list (a), right = ph_script_is_list (b),
                 equality = g_str_equal (sign, "==") || g_str_equal (sign, "!=");
  const PhScriptValue *number = ph_script_is_number (b) ? b : a;
  PhScriptValue *several = number == b ? a : b;

  *result = NULL;
  if (g_str_equal (sign, "in") || g_str_equal (sign, "not in"))
    *result = contains (machine, at, a, b, *sign == 'n', error);
  else if (g_str_equal (sign, "*") && (ph_script_is_list (several) || several->kind == PH_SCRIPT_TUPLE)
           && (number->kind == PH_SCRIPT_INT || number->kind == PH_SCRIPT_BOOL))
    *result = repeat (machine, at, several, number->i, error);
  else if (g_str_equal (sign, "+") && left && right)
    *result = join (machine, at, a, b, error);
  else if (equality && left && right)
    {
      g_autoptr (GPtrArray) items = known_items (machine, at, a, error), others = NULL;

      others = items != NULL ? known_items (machine, at, b, error) : NULL;
      *result = others != NULL ? compare_items (machine, at, NULL, items, others, *sign == '!', error) : NULL;
    }
  else if ((left && right) || (left && ph_script_is_number (b)) || (right && ph_script_is_number (a)))
    ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "'%s' of a list is not elementwise in Python: write array([...])",
                    sign);
  else if ((left && b->kind == PH_SCRIPT_TUPLE) || (right && a->kind == PH_SCRIPT_TUPLE))
    ph_script_fail (machine, at, error, PH_ERROR_TYPE, "'%s' does not take a list and a tuple", sign);
  else
    return FALSE;
  return TRUE;
}

/* list[i] = value. */
PhScriptValue *
ph_script_list_store (PhScriptMachine *machine, const PhPy *at, PhScriptValue *list, PhScriptValue *index, PhScriptValue *value,
                      GError **error)
{
  g_autoptr (GPtrArray) items = index->kind == PH_SCRIPT_INT ? ph_script_items (machine, list) : NULL;
  PhScriptValue *result;
  gint64 i;

  if (items == NULL)
    return ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED,
                           "an item of a list is set by a number that is known: write array([...]) for what a graph changes");
  i = index->i < 0 ? index->i + items->len : index->i;
  if (i < 0 || i >= items->len)
    return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "there is no item %" G_GINT64_FORMAT " in %u", index->i,
                           items->len);
  ph_script_value_unref (items->pdata[i]);
  items->pdata[i] = ph_script_value_ref (value);
  result = ph_script_list (machine, at, (PhScriptValue *const *) items->pdata, items->len, error);
  if (result == NULL)
    return NULL;
  result->memory = list->memory;
  result->shares = list->shares;
  return result;
}
