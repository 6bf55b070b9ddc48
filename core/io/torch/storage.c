/* storage.c: tensors in a member of an archive, with arbitrary strides.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/archive.h"

/* Copies elements in order: @strides are those of the storage, in elements. */
static GBytes *
in_order (const guint8 *data, gsize element, guint rank, const gint64 *dims, const gint64 *strides, gsize count)
{
  guint8 *out = g_malloc (MAX (count * element, 1));
  gint64 index[PH_MAX_RANK] = { 0 };
  gint64 from = 0;

  for (gsize i = 0; i < count; i++)
    {
      memcpy (out + i * element, data + (gsize) from * element, element);
      for (guint d = rank; d-- > 0;)
        {
          from += strides[d];
          if (++index[d] < dims[d])
            break;
          from -= strides[d] * dims[d];
          index[d] = 0;
        }
    }
  return g_bytes_new_take (out, count * element);
}

PhTensor *
ph_zip_tensor (PhZip *zip, const char *name, PhDType dtype, guint rank, const gint64 *dims, const gint64 *strides, gint64 offset,
               GError **error)
{
  const PhZipMember *member = ph_zip_find (zip, name);
  const gsize element = ph_dtype_size (dtype);
  g_autoptr (GBytes) bytes = NULL, ordered = NULL;
  guint64 count = 1, last = 0;
  gint64 expected = 1;
  gboolean plain = TRUE;
  gsize size;

  for (guint i = rank; i-- > 0;)
    {
      if (dims[i] < 0 || strides[i] < 0 || dims[i] > G_MAXINT32 || strides[i] > G_MAXINT32
          || (dims[i] > 0 && count > G_MAXINT32 / (guint64) dims[i]) || offset < 0)
        {
          ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "'%s': a tensor's size or stride is out of range", name);
          return NULL;
        }
      plain = plain && (dims[i] == 1 || strides[i] == expected);
      expected *= MAX (dims[i], 1);
      count *= (guint64) dims[i];
      last += dims[i] > 0 ? (guint64) (dims[i] - 1) * (guint64) strides[i] : 0;
    }
  if (member == NULL)
    {
      ph_source_fail (zip->source, error, PH_ERROR_FILE, NULL,
                      "the archive has no member '%s', which holds a tensor. Save the model again", name);
      return NULL;
    }
  if (element == 0 || (count > 0 && (guint64) offset + last + 1 > member->size / element))
    {
      ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "'%s' has fewer elements than the tensor that lies in it",
                      name);
      return NULL;
    }
  /* What lies in the file as it is wanted is read when somebody asks for it. */
  if (plain && count > 0 && !member->deflated && zip->source->bytes == NULL)
    {
      gsize at;

      return ph_zip_locate (zip, member, &at, error)
                 ? ph_tensor_new_from_file (dtype, rank, dims, zip->source->disk, at + (gsize) offset * element, error)
                 : NULL;
    }
  if ((bytes = ph_zip_read (zip, member, error)) == NULL)
    return NULL;
  if (plain)
    {
      ordered = count > 0 ? g_bytes_new_from_bytes (bytes, (gsize) offset * element, count * element) : g_bytes_new (NULL, 0);
      return ph_tensor_new_from_bytes (dtype, rank, dims, ordered);
    }
  if (count > 64 * (guint64) (member->size / element) + 1024) /* a tensor that repeats itself */
    {
      ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "'%s' holds a tensor that is much larger than it", name);
      return NULL;
    }
  ordered = in_order ((const guint8 *) g_bytes_get_data (bytes, &size) + (gsize) offset * element, element, rank, dims, strides,
                      count);
  return ph_tensor_new_from_bytes (dtype, rank, dims, ordered);
}
