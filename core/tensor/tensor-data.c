/* tensor-data.c: sources of a tensor's elements (memory, a file, one repeated element), and comparisons.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/error.h"
#include "core/tensor/blocks.h"
#include "core/tensor/digest.h"
#include "core/tensor/tensor-private.h"

#define FEW_READS 4096 /* single reads from a file before all of it is loaded */

/* Fills @data, @size bytes an element, by doubling the filled part. */
static void
repeat_element (guint8 *data, const guint8 *element, gsize size, gsize n)
{
  gsize done = size, all = n * size;

  memcpy (data, element, size);
  while (done < all)
    {
      const gsize more = MIN (done, all - done);

      memcpy (data + done, data, more);
      done += more;
    }
}

static gboolean
all_zero (const guint8 *element, gsize size)
{
  while (size > 0 && element[size - 1] == 0)
    size--;
  return size == 0;
}

gboolean
ph_bools_are_bits (const guint8 *data, gsize n)
{
  guint8 all = 0;

  for (gsize i = 0; i < n; i++)
    all |= data[i];
  return all <= 1;
}

void
ph_bools_to_bits (guint8 *data, gsize n)
{
  for (gsize i = 0; i < n; i++)
    data[i] = data[i] != 0;
}

gconstpointer
ph_tensor_peek (const PhTensor *tensor)
{
  gconstpointer data = g_atomic_pointer_get (&((PhTensor *) tensor)->data);

  if (data != NULL || tensor->is_splat)
    return data;
  if (tensor->base != NULL)
    return ph_tensor_peek (tensor->base);
  return tensor->bytes != NULL ? g_bytes_get_data (tensor->bytes, NULL) : ph_tensor_data ((PhTensor *) tensor);
}

static gboolean
no_memory (const PhTensor *tensor, GError **error)
{
  g_autofree char *why = ph_tensor_why_not (tensor->dtype, tensor->rank, tensor->dims);

  g_set_error (error, PH_ERROR, PH_ERROR_LIMIT, "a tensor does not fit into memory: %s", why);
  return FALSE;
}

/* Takes the elements of the tensor that the origin computes, with their share of the budget. */
static gboolean
compute_data (PhTensor *tensor, GError **error)
{
  g_autoptr (PhTensor) result = tensor->compute (tensor, error), made = NULL;

  if (result == NULL)
    return FALSE;
  g_return_val_if_fail (result->count == tensor->count && result->dtype == tensor->dtype, FALSE);
  if (ph_tensor_is_sole (result) && result->data != NULL)
    made = g_steal_pointer (&result);
  else
    made = ph_tensor_new_unset (tensor->dtype, tensor->rank, tensor->dims);
  if (made == NULL)
    return no_memory (tensor, error);
  if (result != NULL)
    ph_tensor_copy_data (result, made->data);
  if (g_atomic_pointer_compare_and_exchange (&tensor->data, NULL, made->data))
    {
      tensor->charged = made->charged;
      made->data = NULL;
      made->charged = 0;
    }
  return TRUE;
}

/* Materialises the elements of a splat, of misaligned bytes, of a file or of another order. */
static gboolean
make_data (PhTensor *tensor, GError **error)
{
  const gsize size = ph_dtype_size (tensor->dtype), bytes = tensor->count * size;
  gpointer data;

  const gboolean counted = tensor->is_splat || tensor->packed != NULL;

  if (counted && !ph_memory_take (bytes))
    return no_memory (tensor, error);
  data = tensor->packed != NULL ? ph_block_new (ph_tensor_block_size (tensor), FALSE)
         : tensor->is_splat     ? g_try_malloc0 (MAX (bytes, size))
                                : g_try_malloc (MAX (bytes, size));
  if (data == NULL)
    {
      if (counted)
        ph_memory_give (bytes);
      return no_memory (tensor, error);
    }
  if (tensor->packed != NULL)
    ph_tensor_unpack (tensor, data);
  else if (tensor->file != NULL)
    {
      if (!ph_file_read (tensor->file, tensor->offset, bytes, data, error))
        {
          g_free (data);
          return FALSE;
        }
      if (tensor->dtype == PH_BOOL)
        ph_bools_to_bits (data, tensor->count);
    }
  else if (tensor->bytes != NULL)
    memcpy (data, g_bytes_get_data (tensor->bytes, NULL), bytes);
  else if (tensor->count > 0 && !all_zero (tensor->element.raw, size))
    repeat_element (data, tensor->element.raw, size, tensor->count);
  /* If two threads do this at the same time, the first result is kept and the other copy freed. */
  if (!g_atomic_pointer_compare_and_exchange (&tensor->data, NULL, data))
    {
      if (tensor->packed != NULL)
        ph_block_free (data, ph_tensor_block_size (tensor));
      else
        g_free (data);
      if (counted)
        ph_memory_give (bytes);
    }
  else if (counted)
    tensor->charged = bytes;
  return TRUE;
}

gboolean
ph_tensor_bring (PhTensor *tensor, GError **error)
{
  if (tensor->kind != PH_KIND_TENSOR)
    {
      for (gsize i = 0; i < tensor->count; i++)
        if (!ph_tensor_bring (tensor->items[i], error))
          return FALSE;
      return TRUE;
    }
  if (g_atomic_pointer_get (&tensor->data) != NULL)
    return TRUE;
  if (tensor->base == NULL)
    return tensor->compute != NULL ? compute_data (tensor, error) : make_data (tensor, error);
  if (!ph_tensor_bring (tensor->base, error))
    return FALSE;
  g_atomic_pointer_set (&tensor->data, g_atomic_pointer_get (&tensor->base->data));
  return TRUE;
}

static GPrivate fault = G_PRIVATE_INIT ((GDestroyNotify) g_error_free);

static void
leave_fault (GError *error)
{
  if (g_private_get (&fault) == NULL)
    g_private_set (&fault, error);
  else
    g_error_free (error);
}

gboolean
ph_tensor_take_fault (GError **error)
{
  GError *left = g_private_get (&fault);

  if (left == NULL)
    return TRUE;
  g_private_set (&fault, NULL);
  g_propagate_error (error, left);
  return FALSE;
}

gconstpointer
ph_tensor_data (PhTensor *tensor)
{
  gpointer data = g_atomic_pointer_get (&tensor->data);
  GError *error = NULL;

  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR, NULL);

  if (data != NULL)
    return data;
  if (!ph_tensor_bring (tensor, &error))
    {
      leave_fault (error);
      return NULL;
    }
  return g_atomic_pointer_get (&tensor->data);
}

gboolean
ph_tensor_is_on_disk (const PhTensor *tensor)
{
  const PhTensor *owner = tensor->base != NULL ? tensor->base : tensor;

  return owner->file != NULL && g_atomic_pointer_get (&((PhTensor *) owner)->data) == NULL;
}

gboolean
ph_tensor_is_in_memory (const PhTensor *tensor)
{
  const PhTensor *owner = tensor->base != NULL ? tensor->base : tensor;

  return g_atomic_pointer_get (&((PhTensor *) owner)->data) != NULL;
}

PhTensor *
ph_tensor_dup_computed (PhTensor *tensor)
{
  PhTensor *owner = tensor->base != NULL ? tensor->base : tensor, *result;
  GError *error = NULL;

  if (!ph_tensor_is_deferred (owner))
    return ph_tensor_ref (tensor);
  result = owner->compute (owner, &error);
  if (result == NULL)
    leave_fault (error);
  return result;
}

gboolean
ph_tensor_copy_part (PhTensor *tensor, gsize first, gsize n, gpointer out)
{
  const gsize size = ph_dtype_size (tensor->dtype);
  PhTensor *owner = tensor->base != NULL ? tensor->base : tensor;
  g_autoptr (PhTensor) computed = NULL;
  gconstpointer data;
  GError *error = NULL;

  g_return_val_if_fail (tensor->kind == PH_KIND_TENSOR && first + n <= tensor->count, FALSE);

  if (n == 0)
    return TRUE;
  if (owner->file != NULL && g_atomic_pointer_get (&owner->data) == NULL)
    {
      if (ph_file_read (owner->file, owner->offset + first * size, n * size, out, &error))
        return TRUE;
      leave_fault (error);
      memset (out, 0, n * size);
      return FALSE;
    }
  if (ph_tensor_is_deferred (owner))
    {
      computed = ph_tensor_dup_computed (owner);
      if (computed != NULL)
        return ph_tensor_copy_part (computed, first, n, out);
      memset (out, 0, n * size);
      return FALSE;
    }
  data = ph_tensor_peek (tensor);
  if (data != NULL)
    memcpy (out, (const char *) data + first * size, n * size);
  else if (!tensor->is_splat)
    {
      memset (out, 0, n * size);
      return FALSE;
    }
  else
    repeat_element (out, tensor->element.raw, size, n);
  return TRUE;
}

gboolean
ph_tensor_copy_data (PhTensor *tensor, gpointer out)
{
  return ph_tensor_copy_part (tensor, 0, tensor->count, out);
}

/* Reads one element from the file, so that a look at a few elements does not load the whole weight. */
static gboolean
read_element (PhTensor *tensor, gsize index, PhElement *room)
{
  PhTensor *owner = tensor->base != NULL ? tensor->base : tensor;
  const gsize size = ph_dtype_size (tensor->dtype);
  GError *error = NULL;

  if (owner->file == NULL || g_atomic_pointer_get (&owner->data) != NULL || tensor->count < FEW_READS
      || g_atomic_int_add (&owner->n_reads, 1) > FEW_READS)
    return FALSE;
  if (!ph_file_read (owner->file, owner->offset + index * size, size, room->raw, &error))
    {
      memset (room, 0, sizeof *room);
      leave_fault (error);
    }
  return TRUE;
}

gconstpointer
ph_tensor_element (PhTensor *tensor, gsize index, PhElement *room)
{
  const gsize size = ph_dtype_size (tensor->dtype);
  const guint8 *data;

  if (tensor->is_splat)
    return tensor->element.raw;
  if (read_element (tensor, index, room))
    return room->raw;
  data = ph_tensor_peek (tensor);
  if (data == NULL)
    return memset (room, 0, sizeof *room);
  data += index * size;
  return tensor->is_misaligned ? memcpy (room->raw, data, size) : data;
}

static gboolean
same_header (const PhTensor *a, const PhTensor *b)
{
  return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank && a->count == b->count
         && (a->rank == 0 || memcmp (a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

#define CHUNK ((gsize) 1 << 16)

/* Returns a range of the elements of a tensor that is no splat, in place or read from the file into @room. */
static const guint8 *
chunk_at (PhTensor *tensor, gsize at, gsize n, guint8 *room)
{
  PhTensor *owner = tensor->base != NULL ? tensor->base : tensor;
  const guint8 *data;
  GError *error = NULL;

  if (owner->file == NULL || g_atomic_pointer_get (&owner->data) != NULL)
    {
      data = ph_tensor_peek (tensor);
      return data != NULL ? data + at : NULL;
    }
  if (ph_file_read (owner->file, owner->offset + at, n, room, &error))
    return room;
  leave_fault (error);
  return NULL;
}

static gboolean
same_bytes (PhTensor *a, PhTensor *b, gsize size)
{
  guint8 room_a[CHUNK], room_b[CHUNK];

  for (gsize at = 0; at < size; at += CHUNK)
    {
      const gsize n = MIN (CHUNK, size - at);
      const guint8 *x = chunk_at (a, at, n, room_a), *y = chunk_at (b, at, n, room_b);

      if (x == NULL || y == NULL || (x != y && memcmp (x, y, n) != 0))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if each element of @tensor, which is no splat, has the @size bytes of @element. */
static gboolean
is_filled_with (PhTensor *tensor, const guint8 *element, gsize size)
{
  guint8 filled[CHUNK], room[CHUNK];
  const gsize bytes = tensor->count * size;

  for (gsize i = 0; i < MIN (CHUNK, bytes); i += size)
    memcpy (filled + i, element, size);
  for (gsize at = 0; at < bytes; at += CHUNK)
    {
      const gsize n = MIN (CHUNK, bytes - at);
      const guint8 *x = chunk_at (tensor, at, n, room);

      if (x == NULL || memcmp (x, filled, n) != 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_tensor_equal (PhTensor *a, PhTensor *b)
{
  gsize size;

  if (a == b)
    return TRUE;
  if (!same_header (a, b))
    return FALSE;
  if (a->kind != PH_KIND_TENSOR)
    {
      for (gsize i = 0; i < a->count; i++)
        if (!ph_tensor_equal (a->items[i], b->items[i]))
          return FALSE;
      return TRUE;
    }
  if (a->count == 0)
    return TRUE;
  if (a->dtype == PH_STRING)
    {
      for (gsize i = 0; i < a->count; i++)
        if (!g_str_equal (ph_tensor_get_string (a, i), ph_tensor_get_string (b, i)))
          return FALSE;
      return TRUE;
    }
  size = ph_dtype_size (a->dtype);
  if (a->is_splat && b->is_splat)
    return memcmp (a->element.raw, b->element.raw, size) == 0;
  if (!a->is_splat && !b->is_splat)
    return same_bytes (a, b, a->count * size);
  return is_filled_with (a->is_splat ? b : a, a->is_splat ? a->element.raw : b->element.raw, size);
}

static guint
hash_bytes (guint hash, gconstpointer data, gsize n)
{
  const guint8 *bytes = data;

  for (; n >= sizeof (guint64); bytes += sizeof (guint64), n -= sizeof (guint64))
    {
      guint64 word;

      memcpy (&word, bytes, sizeof word);
      word = (word ^ hash) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
      hash = (guint) (word ^ (word >> 32));
    }
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

#define SAMPLE 64 /* elements */

/* Hashes a large tensor by samples at its beginning, middle and end, since a lookup should not read a whole file. */
static guint
hash_elements (PhTensor *tensor, guint hash)
{
  const gsize size = ph_dtype_size (tensor->dtype), n = MIN (tensor->count, SAMPLE), last = tensor->count - n;
  guint8 room[SAMPLE * sizeof (PhElement)];

  for (guint i = 0; i < (last > 0 ? 3 : 1) && n > 0; i++)
    {
      const guint8 *sample = tensor->is_splat ? NULL : chunk_at (tensor, last * i / 2 * size, n * size, room);

      for (gsize j = 0; tensor->is_splat && j < n; j++)
        memcpy (room + j * size, tensor->element.raw, size);
      if (tensor->is_splat)
        hash = hash_bytes (hash, room, n * size);
      else if (sample != NULL)
        hash = hash_bytes (hash, sample, n * size);
    }
  return hash;
}

guint
ph_tensor_hash (PhTensor *tensor)
{
  guint hash = 2166136261u;

  hash = hash_bytes (hash, &tensor->kind, sizeof tensor->kind);
  hash = hash_bytes (hash, &tensor->dtype, sizeof tensor->dtype);
  hash = hash_bytes (hash, tensor->dims, tensor->rank * sizeof *tensor->dims);
  hash = hash_bytes (hash, &tensor->count, sizeof tensor->count);
  if (tensor->kind == PH_KIND_TENSOR && tensor->dtype != PH_STRING)
    return hash_elements (tensor, hash);
  for (gsize i = 0; i < tensor->count; i++)
    hash = hash * 31
           + (tensor->kind != PH_KIND_TENSOR ? ph_tensor_hash (tensor->items[i]) : g_str_hash (ph_tensor_get_string (tensor, i)));
  return hash;
}

static guint64
digest_word (guint64 hash, guint64 word)
{
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

static guint64
digest_bytes (guint64 hash, const guint8 *bytes, gsize n)
{
  guint64 word;

  for (; n >= sizeof word; bytes += sizeof word, n -= sizeof word)
    {
      memcpy (&word, bytes, sizeof word);
      hash = digest_word (hash, word);
    }
  word = 0;
  memcpy (&word, bytes, n);
  return digest_word (hash, word ^ (guint64) n << 56);
}

/* Hashes the elements in chunks, so that a splat has the same hash as the equal tensor with all elements. */
static guint64
digest_elements (PhTensor *tensor, guint64 hash)
{
  const gsize size = ph_dtype_size (tensor->dtype), bytes = tensor->count * size;
  guint8 room[CHUNK];
  const guint8 *chunk;

  for (gsize i = 0; tensor->is_splat && i + size <= MIN (CHUNK, bytes); i += size)
    memcpy (room + i, tensor->element.raw, size);
  for (gsize at = 0; at < bytes; at += CHUNK)
    {
      const gsize n = MIN (CHUNK, bytes - at);

      chunk = tensor->is_splat ? room : chunk_at (tensor, at, n, room);
      if (chunk != NULL)
        hash = digest_bytes (hash, chunk, n);
    }
  return hash;
}

guint64
ph_tensor_digest (PhTensor *tensor)
{
  static GMutex digest_lock;
  guint64 hash;

  g_mutex_lock (&digest_lock);
  hash = (guint64) tensor->digest;
  g_mutex_unlock (&digest_lock);
  if (hash != 0)
    return hash;

  hash = digest_word (digest_word (tensor->kind, tensor->dtype), tensor->count);
  for (guint i = 0; i < tensor->rank; i++)
    hash = digest_word (hash, (guint64) tensor->dims[i]);
  if (tensor->kind != PH_KIND_TENSOR)
    for (gsize i = 0; i < tensor->count; i++)
      hash = digest_word (hash, ph_tensor_digest (tensor->items[i]));
  else if (tensor->dtype == PH_STRING)
    for (gsize i = 0; i < tensor->count; i++)
      {
        const char *text = ph_tensor_get_string (tensor, i);

        hash = digest_bytes (hash, (const guint8 *) text, strlen (text));
      }
  else
    hash = digest_elements (tensor, hash);
  hash += hash == 0;
  g_mutex_lock (&digest_lock);
  tensor->digest = (gint64) hash;
  g_mutex_unlock (&digest_lock);
  return hash;
}
