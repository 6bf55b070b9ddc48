/* tensor-change.c: describes how two constants differ.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/tensor-change.h"

#include <math.h>
#include <string.h>

static gboolean
same_header (PhTensor *a, PhTensor *b)
{
  return ph_tensor_kind (a) == PH_KIND_TENSOR && ph_tensor_kind (b) == PH_KIND_TENSOR
         && ph_tensor_dtype (a) == ph_tensor_dtype (b) && ph_tensor_rank (a) == ph_tensor_rank (b)
         && ph_tensor_count (a) == ph_tensor_count (b)
         && (ph_tensor_rank (a) == 0
             || memcmp (ph_tensor_dims (a), ph_tensor_dims (b), ph_tensor_rank (a) * sizeof (gint64)) == 0);
}

/* Its elements: where they are already, or brought into @room. */
static const guint8 *
elements (PhTensor *tensor, guint8 **room)
{
  if (!ph_tensor_is_splat (tensor) && !ph_tensor_is_on_disk (tensor))
    return ph_tensor_peek (tensor);
  *room = g_try_malloc (ph_tensor_bytes (tensor));
  return *room != NULL && ph_tensor_copy_data (tensor, *room) ? *room : NULL;
}

gboolean
ph_tensor_change (PhTensor *a, PhTensor *b, PhTensorChange *change)
{
  g_autofree guint8 *room_a = NULL, *room_b = NULL;
  const guint8 *x, *y;
  const PhDType dtype = ph_tensor_dtype (a);
  const gsize size = ph_dtype_size (dtype);

  memset (change, 0, sizeof *change);
  if (a == b || !same_header (a, b) || !(ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL)
      || (x = elements (a, &room_a)) == NULL || (y = elements (b, &room_b)) == NULL)
    return FALSE;
  change->count = ph_tensor_count (a);
  change->rank = ph_tensor_rank (a);
  for (guint i = 0; i < change->rank; i++)
    change->dims[i] = ph_tensor_dims (a)[i];
  for (gsize i = 0; i < change->count; i++)
    {
      guint64 room[2][2];
      double before, after, by;

      if (memcmp (x + i * size, y + i * size, size) == 0)
        continue;
      memcpy (room[0], x + i * size, size); /* it may be misaligned */
      memcpy (room[1], y + i * size, size);
      before = ph_dtype_load (dtype, room[0], 0);
      after = ph_dtype_load (dtype, room[1], 0);
      by = before == after ? 0 : isnan (before) || isnan (after) ? INFINITY : fabs (after - before);
      if (change->changed++ == 0)
        {
          change->first = change->largest = i;
          change->before = before;
          change->after = after;
          change->most = by;
        }
      else if (by > change->most)
        {
          change->most = by;
          change->largest = i;
        }
    }
  return change->changed > 0;
}

char *
ph_tensor_change_place (const PhTensorChange *change, gsize element)
{
  GString *text = g_string_new (NULL);
  gsize at[PH_MAX_RANK];

  for (guint i = change->rank; i-- > 0;)
    {
      at[i] = change->dims[i] > 0 ? element % (gsize) change->dims[i] : 0;
      element /= change->dims[i] > 0 ? (gsize) change->dims[i] : 1;
    }
  for (guint i = 0; i < change->rank; i++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i == 0 ? "[" : ",", at[i]);
  if (change->rank > 0)
    g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
