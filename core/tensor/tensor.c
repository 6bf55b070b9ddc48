/* tensor.c: an immutable run-time value: a tensor, a sequence or an optional.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/blocks.h"
#include "core/tensor/origin.h"
#include "core/tensor/tensor-private.h"

#include <math.h>
#include <string.h>

/* Returns FALSE if the size in bytes would overflow. */
static gboolean
count_elements (PhDType dtype, guint rank, const gint64 *dims, gsize *count)
{
  gboolean empty = FALSE, overflow = FALSE;
  gsize n = 1, bytes;

  if (rank > PH_MAX_RANK || ph_dtype_size (dtype) == 0)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    {
      if (dims[i] < 0)
        return FALSE;
      empty = empty || dims[i] == 0;
      overflow = __builtin_mul_overflow (n, (gsize) dims[i], &n) || overflow;
    }
  if (empty)
    n = 0;
  else if (overflow || __builtin_mul_overflow (n, ph_dtype_size (dtype), &bytes) || bytes > G_MAXSSIZE)
    return FALSE;
  *count = n;
  return TRUE;
}

static PhTensor *
allocate (PhDType dtype, guint rank, const gint64 *dims)
{
  PhTensor *tensor;
  gsize count;

  if (!count_elements (dtype, rank, dims, &count))
    return NULL;
  tensor = g_malloc0 (sizeof *tensor + rank * sizeof *dims);
  g_atomic_ref_count_init (&tensor->ref_count);
  tensor->kind = PH_KIND_TENSOR;
  tensor->dtype = dtype;
  tensor->rank = rank;
  tensor->count = count;
  if (rank > 0)
    memcpy (tensor->dims, dims, rank * sizeof *dims);
  return tensor;
}

gsize
ph_tensor_block_size (const PhTensor *tensor)
{
  return MAX (tensor->count, 1) * ph_dtype_size (tensor->dtype);
}

static PhTensor *
new_owned (PhDType dtype, guint rank, const gint64 *dims, gboolean zeroed)
{
  PhTensor *tensor = allocate (dtype, rank, dims);

  if (tensor == NULL)
    return NULL;
  tensor->owned = TRUE;
  tensor->charged = tensor->count * ph_dtype_size (dtype);
  if (ph_memory_take (tensor->charged))
    {
      tensor->data = ph_block_new (ph_tensor_block_size (tensor), zeroed);
      if (tensor->data != NULL)
        return tensor;
      ph_memory_give (tensor->charged);
    }
  g_free (tensor);
  return NULL;
}

PhTensor *
ph_tensor_new (PhDType dtype, guint rank, const gint64 *dims)
{
  return new_owned (dtype, rank, dims, TRUE);
}

PhTensor *
ph_tensor_new_unset (PhDType dtype, guint rank, const gint64 *dims)
{
  return new_owned (dtype, rank, dims, dtype == PH_STRING);
}

PhTensor *
ph_tensor_new_deferred (PhDType dtype, guint rank, const gint64 *dims, gpointer origin, PhTensorCompute compute,
                        GDestroyNotify free_origin)
{
  PhTensor *tensor = allocate (dtype, rank, dims);

  if (tensor == NULL)
    {
      free_origin (origin);
      return NULL;
    }
  tensor->owned = TRUE;
  tensor->compute = compute;
  ph_tensor_set_origin (tensor, origin, free_origin);
  return tensor;
}

gboolean
ph_tensor_is_deferred (const PhTensor *tensor)
{
  return tensor->compute != NULL && g_atomic_pointer_get (&((PhTensor *) tensor)->data) == NULL;
}

gboolean
ph_tensor_is_deferred_by (const PhTensor *tensor, PhTensorCompute compute)
{
  return ph_tensor_is_computed_by (tensor, compute) && ph_tensor_is_deferred (tensor);
}

gboolean
ph_tensor_is_computed_by (const PhTensor *tensor, PhTensorCompute compute)
{
  return tensor->compute == compute;
}

void
ph_tensor_set_computed (PhTensor *tensor, PhTensorCompute compute)
{
  if (tensor->base == NULL && tensor->data != NULL) /* otherwise it shares the elements of another tensor */
    tensor->compute = compute;
}

gboolean
ph_tensor_is_computed (const PhTensor *tensor)
{
  return tensor->compute != NULL;
}

PhTensor *
ph_tensor_new_packed (guint rank, const gint64 *dims, PhMemoryFormat layout)
{
  PhTensor *tensor = allocate (PH_FLOAT, rank, dims);
  const gsize bytes = tensor != NULL ? ph_memory_format_count (layout, rank, dims) * sizeof (float) : 0;

  g_return_val_if_fail (rank >= 3 && layout != PH_MEMORY_PLAIN, NULL);

  if (tensor == NULL || !ph_memory_take (bytes))
    {
      g_free (tensor);
      return NULL;
    }
  tensor->owned = TRUE;
  tensor->layout = layout;
  tensor->packed = ph_block_new (bytes, FALSE);
  if (tensor->packed != NULL)
    return tensor;
  ph_memory_give (bytes);
  g_free (tensor);
  return NULL;
}

PhTensor *
ph_tensor_new_narrowed (PhDType dtype, PhTensor *wide, PhTensorCompute narrow)
{
  PhTensor *tensor = allocate (dtype, wide->rank, wide->dims);

  if (tensor == NULL)
    {
      ph_tensor_unref (wide);
      return NULL;
    }
  tensor->owned = TRUE;
  tensor->compute = narrow;
  tensor->wide = wide;
  return tensor;
}

PhTensor *
ph_tensor_get_wide (const PhTensor *tensor)
{
  return tensor->wide;
}

PhMemoryFormat
ph_tensor_format (const PhTensor *tensor)
{
  return tensor->layout;
}

gpointer
ph_tensor_packed (PhTensor *tensor)
{
  return tensor->packed;
}

gboolean
ph_tensor_is_sole (const PhTensor *tensor)
{
  return tensor->kind == PH_KIND_TENSOR && tensor->owned && !tensor->is_splat && tensor->origin == NULL && tensor->digest == 0
         && tensor->wide == NULL && g_atomic_int_get ((gint *) &tensor->ref_count) == 1;
}

PhTensor *
ph_tensor_new_splat (PhDType dtype, guint rank, const gint64 *dims, gconstpointer element)
{
  PhTensor *tensor = allocate (dtype, rank, dims);

  if (tensor == NULL)
    return NULL;
  tensor->is_splat = TRUE;
  if (dtype == PH_STRING)
    tensor->element.string = g_strdup (*(const char *const *) element);
  else
    memcpy (tensor->element.raw, element, ph_dtype_size (dtype));
  return tensor;
}

PhTensor *
ph_tensor_new_from_bytes (PhDType dtype, guint rank, const gint64 *dims, GBytes *bytes)
{
  const gsize size = ph_dtype_size (dtype);
  const gsize alignment = dtype == PH_COMPLEX64 ? 4 : MIN (MAX (size, 1), 8);
  PhTensor *tensor;
  gconstpointer data;
  gsize n_bytes;

  g_return_val_if_fail (dtype != PH_STRING, NULL);

  tensor = allocate (dtype, rank, dims);
  if (tensor == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &n_bytes);
  if (n_bytes < tensor->count * size)
    {
      g_free (tensor);
      g_return_val_if_reached (NULL);
    }
  if (data == NULL)
    {
      g_free (tensor);
      return ph_tensor_new (dtype, rank, dims);
    }
  if (dtype == PH_BOOL && !ph_bools_are_bits (data, tensor->count))
    {
      g_free (tensor);
      tensor = ph_tensor_new_unset (dtype, rank, dims);
      if (tensor != NULL)
        ph_bools_to_bits (memcpy (tensor->data, data, tensor->count), tensor->count);
      return tensor;
    }
  tensor->bytes = g_bytes_ref (bytes);
  tensor->is_misaligned = (guintptr) data % alignment != 0;
  if (!tensor->is_misaligned)
    tensor->data = (gpointer) data;
  return tensor;
}

PhTensor *
ph_tensor_new_from_file (PhDType dtype, guint rank, const gint64 *dims, PhFile *file, gsize offset, GError **error)
{
  PhTensor *tensor = allocate (dtype, rank, dims);

  g_return_val_if_fail (tensor != NULL && dtype != PH_STRING, NULL);

  tensor->file = ph_file_ref (file);
  tensor->offset = offset;
  /* Rules look at small constants, and have no use for one that is gone. Booleans are made bits when they are read. */
  if ((dtype == PH_BOOL || tensor->count * ph_dtype_size (dtype) <= PH_TENSOR_SMALL) && !ph_tensor_bring (tensor, error))
    g_clear_pointer (&tensor, ph_tensor_unref);
  return tensor;
}

PhTensor *
ph_tensor_new_scalar (PhDType dtype, double value)
{
  PhTensor *tensor = ph_tensor_new (dtype, 0, NULL);

  g_return_val_if_fail (tensor != NULL, NULL);
  if (dtype == PH_COMPLEX64)
    *(float *) tensor->data = (float) value;
  else if (dtype == PH_COMPLEX128)
    *(double *) tensor->data = value;
  else if (dtype != PH_STRING)
    ph_dtype_store (dtype, tensor->data, 0, value);
  return tensor;
}

PhTensor *
ph_tensor_new_int64s (const gint64 *values, gsize n)
{
  PhTensor *tensor = ph_tensor_new (PH_INT64, 1, (gint64[]) { n });

  g_return_val_if_fail (tensor != NULL, NULL);
  if (n > 0)
    memcpy (tensor->data, values, n * sizeof *values);
  return tensor;
}

PhTensor *
ph_tensor_new_floats (const float *values, gsize n)
{
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, 1, (gint64[]) { n });

  g_return_val_if_fail (tensor != NULL, NULL);
  if (n > 0)
    memcpy (tensor->data, values, n * sizeof *values);
  return tensor;
}

PhTensor *
ph_tensor_new_sequence (PhKind kind, PhTensor *const *items, gsize n)
{
  PhTensor *tensor;

  g_return_val_if_fail (kind == PH_KIND_SEQUENCE || (kind == PH_KIND_OPTIONAL && n <= 1), NULL);

  tensor = g_new0 (PhTensor, 1);
  g_atomic_ref_count_init (&tensor->ref_count);
  tensor->kind = kind;
  tensor->count = n;
  tensor->items = g_new (PhTensor *, n);
  for (gsize i = 0; i < n; i++)
    tensor->items[i] = ph_tensor_ref (items[i]);
  return tensor;
}

PhTensor *
ph_tensor_reshaped (PhTensor *tensor, guint rank, const gint64 *dims)
{
  PhTensor *view;

  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR, NULL);

  view = allocate (tensor->dtype, rank, dims);
  if (view != NULL && view->count != tensor->count)
    {
      g_free (view);
      g_return_val_if_reached (NULL);
    }
  if (view == NULL)
    return NULL;
  if (tensor->is_splat)
    {
      view->is_splat = TRUE;
      view->element = tensor->element;
      if (tensor->dtype == PH_STRING)
        view->element.string = g_strdup (tensor->element.string);
    }
  else
    {
      view->base = ph_tensor_ref (tensor->base != NULL ? tensor->base : tensor);
      view->is_misaligned = tensor->is_misaligned;
      view->data = g_atomic_pointer_get (&tensor->data);
    }
  return view;
}

static gboolean
is_number (PhDType dtype)
{
  return ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL;
}

static void
cast_elements (PhDType from, gconstpointer data, PhDType to, gpointer out, gsize n)
{
  if (from == PH_FLOAT && to == PH_DOUBLE)
    for (gsize i = 0; i < n; i++)
      ((double *) out)[i] = ((const float *) data)[i];
  else if (from == PH_DOUBLE && to == PH_FLOAT)
    for (gsize i = 0; i < n; i++)
      ((float *) out)[i] = (float) ((const double *) data)[i];
  else if (!ph_dtype_is_float (from))
    for (gsize i = 0; i < n; i++)
      {
        if (from == PH_UINT64 && ph_dtype_is_float (to))
          ph_dtype_store (to, out, i, ph_dtype_load (from, data, i));
        else if (to == PH_FLOAT) /* straight from the integer, so that it is rounded once */
          ((float *) out)[i] = (float) ph_dtype_load_int (from, data, i);
        else
          ph_dtype_store_int (to, out, i, ph_dtype_load_int (from, data, i));
      }
  else
    for (gsize i = 0; i < n; i++)
      ph_dtype_store (to, out, i, ph_dtype_load (from, data, i));
}

PhTensor *
ph_tensor_cast (PhTensor *tensor, PhDType dtype)
{
  PhTensor *result;

  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR, NULL);

  if (dtype == tensor->dtype)
    return ph_tensor_ref (tensor);
  g_return_val_if_fail (is_number (tensor->dtype) && is_number (dtype), NULL);
  if (tensor->is_splat)
    {
      guint8 element[16] = { 0 };

      cast_elements (tensor->dtype, tensor->element.raw, dtype, element, 1);
      return ph_tensor_new_splat (dtype, tensor->rank, tensor->dims, element);
    }
  result = ph_tensor_new_unset (dtype, tensor->rank, tensor->dims);
  if (result != NULL)
    cast_elements (tensor->dtype, ph_tensor_data (tensor), dtype, result->data, tensor->count);
  return result;
}

PhTensor *
ph_tensor_ref (PhTensor *tensor)
{
  g_atomic_ref_count_inc (&tensor->ref_count);
  return tensor;
}

void
ph_tensor_unref (PhTensor *tensor)
{
  if (!g_atomic_ref_count_dec (&tensor->ref_count))
    return;
  if (tensor->dtype == PH_STRING && tensor->owned)
    for (gsize i = 0; i < tensor->count; i++)
      g_free (((char **) tensor->data)[i]);
  if (tensor->owned && tensor->data != NULL)
    ph_block_free (tensor->data, ph_tensor_block_size (tensor));
  else if (tensor->is_splat || tensor->file != NULL || (tensor->is_misaligned && tensor->base == NULL))
    g_free (tensor->data);
  if (tensor->packed != NULL)
    {
      const gsize bytes = ph_memory_format_count (tensor->layout, tensor->rank, tensor->dims) * sizeof (float);

      ph_block_free (tensor->packed, bytes);
      ph_memory_give (bytes);
    }
  ph_memory_give (tensor->charged);
  if (tensor->is_splat && tensor->dtype == PH_STRING)
    g_free (tensor->element.string);
  for (gsize i = 0; tensor->items != NULL && i < tensor->count; i++)
    ph_tensor_unref (tensor->items[i]);
  g_free (tensor->items);
  g_clear_pointer (&tensor->bytes, g_bytes_unref);
  g_clear_pointer (&tensor->file, ph_file_unref);
  g_clear_pointer (&tensor->base, ph_tensor_unref);
  g_clear_pointer (&tensor->wide, ph_tensor_unref);
  if (tensor->origin != NULL)
    tensor->free_origin (tensor->origin);
  g_free (tensor);
}

void
ph_tensor_set_origin (PhTensor *tensor, gpointer origin, GDestroyNotify free_origin)
{
  g_return_if_fail (tensor->origin == NULL && free_origin != NULL);

  tensor->origin = origin;
  tensor->free_origin = free_origin;
}

gpointer
ph_tensor_get_origin (const PhTensor *tensor)
{
  return tensor->origin;
}

PhKind
ph_tensor_kind (const PhTensor *tensor)
{
  return tensor->kind;
}

PhDType
ph_tensor_dtype (const PhTensor *tensor)
{
  if (tensor->kind == PH_KIND_TENSOR)
    return tensor->dtype;
  return tensor->count > 0 ? ph_tensor_dtype (tensor->items[0]) : PH_UNDEFINED;
}

guint
ph_tensor_rank (const PhTensor *tensor)
{
  return tensor->rank;
}

const gint64 *
ph_tensor_dims (const PhTensor *tensor)
{
  return tensor->dims;
}

gsize
ph_tensor_count (const PhTensor *tensor)
{
  return tensor->count;
}

gsize
ph_tensor_bytes (const PhTensor *tensor)
{
  gsize bytes = 0;

  if (tensor->kind == PH_KIND_TENSOR)
    return tensor->count * ph_dtype_size (tensor->dtype);
  for (gsize i = 0; i < tensor->count; i++)
    bytes += ph_tensor_bytes (tensor->items[i]);
  return bytes;
}

gboolean
ph_tensor_is_splat (const PhTensor *tensor)
{
  return tensor->is_splat;
}

PhTensor *
ph_tensor_item (const PhTensor *tensor, gsize index)
{
  g_return_val_if_fail (tensor->kind != PH_KIND_TENSOR && index < tensor->count, NULL);

  return tensor->items[index];
}

gpointer
ph_tensor_writable (PhTensor *tensor)
{
  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR && tensor->owned, NULL);

  return tensor->data;
}

const char *
ph_tensor_get_string (PhTensor *tensor, gsize index)
{
  const char *string;
  PhElement room;

  g_return_val_if_fail (tensor->dtype == PH_STRING && index < tensor->count, "");

  string = *(char *const *) ph_tensor_element (tensor, index, &room);
  return string != NULL ? string : "";
}

void
ph_tensor_set_string (PhTensor *tensor, gsize index, const char *value)
{
  char **slot;

  g_return_if_fail (tensor->dtype == PH_STRING && tensor->owned && index < tensor->count);

  slot = (char **) tensor->data + index;
  g_free (*slot);
  *slot = g_strdup (value);
}

double
ph_tensor_get (PhTensor *tensor, gsize index)
{
  PhElement room;

  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR && index < tensor->count, NAN);

  return ph_dtype_load (tensor->dtype, ph_tensor_element (tensor, index, &room), 0);
}

gint64
ph_tensor_get_int (PhTensor *tensor, gsize index)
{
  PhElement room;

  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR && index < tensor->count, 0);

  return ph_dtype_load_int (tensor->dtype, ph_tensor_element (tensor, index, &room), 0);
}

gboolean
ph_tensor_count_elements (guint rank, const gint64 *dims, gsize *count)
{
  gsize n = 1;
  gboolean empty = FALSE;

  for (guint i = 0; i < rank; i++)
    {
      if (dims[i] < 0)
        return FALSE;
      if (dims[i] == 0)
        empty = TRUE;
      else if (!g_size_checked_mul (&n, n, (gsize) dims[i]))
        return FALSE;
    }
  *count = empty ? 0 : n;
  return TRUE;
}
