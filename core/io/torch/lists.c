/* lists.c: what PyTorch's code makes of lists of Python's: parts, repetitions and concatenations.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/torch/call.h"
#include "core/io/torch/torch.h"

#define MOST_ITEMS 10000

/* slice (l, start, end, step) of a list that is known. (nullable) */
static PhTorchVal *
part_of_list (PhTorch *torch, const PhTorchVal *list, GPtrArray *args)
{
  gint64 bounds[3] = { 0, list->items->len, 1 }, step = 1;
  PhTorchVal *part;

  if (args->len == 4 && ph_torch_is_int (args->pdata[3], &step) && step < 0) /* backwards: where nothing is said, over all */
    {
      bounds[0] = list->items->len;
      bounds[1] = -1 - (gint64) list->items->len;
    }

  for (guint i = 1; i < args->len && i < 4; i++)
    {
      const PhTorchVal *val = args->pdata[i];

      if (!ph_torch_is_int (val, &bounds[i - 1]) && !(val->kind == PH_TORCH_LITERAL && ph_py_is_none (val->py)))
        return NULL;
    }
  for (guint i = 0; i < 2; i++)
    bounds[i] = CLAMP (bounds[i] < 0 ? bounds[i] + (gint64) list->items->len : bounds[i], step < 0 ? -1 : 0,
                       (gint64) list->items->len - (step < 0));
  if (bounds[2] == 0 || args->len > 4)
    return NULL;
  part = ph_torch_list (torch, list->kind == PH_TORCH_TUPLE);
  for (gint64 i = bounds[0]; (step < 0 ? i > bounds[1] : i < bounds[1]) && ABS (bounds[2]) < G_MAXINT32; i += bounds[2])
    g_ptr_array_add (part->items, list->items->pdata[i]);
  return part;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  double x = 0, y = 0;

  ph_py_float ((*(PhTorchVal *const *) a)->py, &x);
  ph_py_float ((*(PhTorchVal *const *) b)->py, &y);
  return (x > y) - (x < y);
}

PhTorchVal *
ph_torch_sorted (PhTorch *torch, const GPtrArray *items)
{
  PhTorchVal *list = ph_torch_list (torch, FALSE);
  double number;

  for (guint i = 0; i < items->len; i++)
    {
      PhTorchVal *item = items->pdata[i];

      if (item->kind != PH_TORCH_LITERAL || !ph_py_float (item->py, &number))
        return NULL;
      g_ptr_array_add (list->items, item);
    }
  g_ptr_array_sort (list->items, compare_numbers);
  return list;
}

/* Where @item is in a list, or how often; both of known integers. (nullable) */
static PhTorchVal *
look_up (PhTorch *torch, const PhTorchVal *list, const PhTorchVal *item, gboolean count)
{
  gint64 wanted, each, n = 0;

  if (!ph_torch_is_int (item, &wanted))
    return NULL;
  for (guint i = 0; i < list->items->len; i++)
    {
      if (!ph_torch_is_int (list->items->pdata[i], &each))
        return NULL;
      if (each == wanted && !count)
        return ph_torch_int (torch, i);
      n += each == wanted;
    }
  return count ? ph_torch_int (torch, n) : NULL;
}

/* A list of numbers, known or not, as a value of one dimension. */
static PhTorchVal *
as_numbers (PhTorchScope *scope, const PhPy *at, PhTorchVal *list)
{
  return list->kind == PH_TORCH_VALUE ? list : ph_torch_simple_call (scope, at, PH_TORCH_ATEN, "tensor", list, NULL, NULL, NULL);
}

static PhTorchVal *
pair_of (PhTorch *torch, PhTorchVal *a, PhTorchVal *b)
{
  PhTorchVal *list = ph_torch_list (torch, FALSE);

  g_ptr_array_add (list->items, a);
  if (b != NULL)
    g_ptr_array_add (list->items, b);
  return list;
}

/* [0] * n, where n may be computed. (nullable) */
static PhTorchVal *
repeat (PhTorchScope *scope, const PhPy *at, PhTorchVal *list, PhTorchVal *times)
{
  PhTorch *torch = scope->torch;
  PhTorchVal *made, *numbers;
  gint64 n;

  if (ph_torch_is_int (times, &n))
    {
      made = ph_torch_list (torch, FALSE);
      if (list->items->len > 0 && n > MOST_ITEMS / (gint64) list->items->len)
        return NULL;
      for (gint64 i = 0; i < n; i++)
        g_ptr_array_extend (made->items, list->items, NULL, NULL);
      return made;
    }
  if (times->kind != PH_TORCH_VALUE || list->items->len == 0 || (numbers = as_numbers (scope, at, list)) == NULL)
    return NULL;
  made = ph_torch_simple_call (scope, at, PH_TORCH_ATEN, "repeat", numbers, pair_of (torch, times, NULL), NULL, NULL);
  if (made != NULL)
    made->sizes = TRUE;
  return made;
}

/* (nullable) */
static PhTorchVal *
concatenate (PhTorchScope *scope, const PhPy *at, PhTorchVal *a, PhTorchVal *b)
{
  PhTorchVal *made;

  if (a->items != NULL && b->items != NULL)
    {
      made = ph_torch_list (scope->torch, a->kind == PH_TORCH_TUPLE);
      g_ptr_array_extend (made->items, a->items, NULL, NULL);
      g_ptr_array_extend (made->items, b->items, NULL, NULL);
      return made;
    }
  if (a->kind == PH_TORCH_VALUE && !a->sizes && b->kind == PH_TORCH_LIST) /* of a length that is not known */
    {
      for (guint i = 0; a != NULL && i < b->items->len; i++)
        a = ph_torch_simple_call (scope, at, PH_TORCH_ATEN, "append", a, b->items->pdata[i], NULL, NULL);
      return a;
    }
  if ((a->items == NULL && !a->sizes) || (b->items == NULL && !b->sizes))
    return NULL;
  if ((a->items != NULL && a->items->len == 0) || (b->items != NULL && b->items->len == 0))
    return a->items != NULL ? b : a;
  if ((a = as_numbers (scope, at, a)) == NULL || (b = as_numbers (scope, at, b)) == NULL)
    return NULL;
  made = ph_torch_simple_call (scope, at, PH_TORCH_ATEN, "cat", pair_of (scope->torch, a, b), NULL, NULL, NULL);
  if (made != NULL)
    made->sizes = TRUE;
  return made;
}

PhTorchVal *
ph_torch_of_lists (PhTorchScope *scope, const PhPy *at, const char *op, GPtrArray *args)
{
  PhTorchVal *a = args->len > 0 ? args->pdata[0] : NULL, *b = args->len == 2 ? args->pdata[1] : NULL;

  if (g_str_equal (op, "slice") && a != NULL && a->items != NULL)
    return part_of_list (scope->torch, a, args);
  if (g_str_equal (op, "mul") && b != NULL && (a->kind == PH_TORCH_LIST) != (b->kind == PH_TORCH_LIST))
    return a->kind == PH_TORCH_LIST ? repeat (scope, at, a, b) : repeat (scope, at, b, a);
  if ((g_str_equal (op, "index") || g_str_equal (op, "count")) && b != NULL && a->kind == PH_TORCH_LIST)
    return look_up (scope->torch, a, b, g_str_equal (op, "count"));
  return g_str_equal (op, "add") && b != NULL ? concatenate (scope, at, a, b) : NULL;
}
