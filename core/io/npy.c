/* npy.c: NumPy's file format for one array, versions 1 to 3.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/npy.h"

#include "core/error.h"

#include <string.h>

/* clang-format off */
static const struct { const char *descr; PhDType dtype; } types[] = {
  { "f4", PH_FLOAT }, { "f8", PH_DOUBLE }, { "f2", PH_FLOAT16 }, { "i1", PH_INT8 }, { "i2", PH_INT16 }, { "i4", PH_INT32 },
  { "i8", PH_INT64 }, { "u1", PH_UINT8 }, { "u2", PH_UINT16 }, { "u4", PH_UINT32 }, { "u8", PH_UINT64 }, { "b1", PH_BOOL },
  { "c8", PH_COMPLEX64 }, { "c16", PH_COMPLEX128 },
};
/* clang-format on */

static PhTensor *
bad (GError **error, const char *path, const char *what)
{
  g_autofree char *valid = g_utf8_make_valid (what, -1); /* may contain text of the file */

  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: %s", path, valid);
  return NULL;
}

/* Returns the text after @key in the header, which is a Python dictionary. */
static const char *
find_key (const char *header, const char *key)
{
  g_autofree char *single = g_strdup_printf ("'%s'", key), *twice = g_strdup_printf ("\"%s\"", key);
  const char *at = strstr (header, single);

  if (at == NULL)
    at = strstr (header, twice);
  if (at == NULL)
    return NULL;
  at += strlen (single);
  while (*at == ' ' || *at == ':')
    at++;
  return at;
}

static void
swap_bytes (guint8 *data, gsize count, gsize size)
{
  for (gsize i = 0; i < count; i++, data += size)
    for (gsize j = 0; j < size / 2; j++)
      {
        guint8 byte = data[j];

        data[j] = data[size - 1 - j];
        data[size - 1 - j] = byte;
      }
}

/* Converts column-major elements to row-major order. */
static void
transpose (const guint8 *from, guint8 *to, guint rank, const gint64 *dims, gsize count, gsize size)
{
  gint64 at[PH_MAX_RANK] = { 0 };

  for (gsize i = 0; i < count; i++)
    {
      gsize flat = 0, stride = 1;

      for (guint j = 0; j < rank; j++)
        {
          flat += (gsize) at[j] * stride;
          stride *= (gsize) dims[j];
        }
      memcpy (to + i * size, from + flat * size, size);
      for (guint j = rank; j-- > 0;)
        {
          if (++at[j] < dims[j])
            break;
          at[j] = 0;
        }
    }
}

/* Reads NumPy's fixed-width text: each element in UCS-4 or bytes, padded with zeros. */
static PhTensor *
read_strings (const guint8 *data, gsize size, gboolean wide, gsize width, guint rank, const gint64 *dims, gsize count,
              const char *path, GError **error)
{
  g_autoptr (PhTensor) tensor = NULL;
  gsize item, total;

  if (width == 0 && count > 0) /* which would let a few bytes claim any number of elements */
    return bad (error, path, "the header gives its text no width");
  if (!g_size_checked_mul (&item, width, wide ? 4 : 1) || !g_size_checked_mul (&total, item, count) || total > size)
    return bad (error, path, "the file is cut short");
  tensor = ph_tensor_new (PH_STRING, rank, dims);
  if (tensor == NULL)
    return bad (error, path, "the array does not fit into memory");
  for (gsize i = 0; i < count; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      for (gsize j = 0; j < width; j++)
        {
          const guint8 *at = data + i * item + j * (wide ? 4 : 1);
          gunichar c = wide ? (gunichar) at[0] | (gunichar) at[1] << 8 | (gunichar) at[2] << 16 | (gunichar) at[3] << 24 : at[0];

          if (c == 0)
            break;
          if (wide)
            g_string_append_unichar (text, g_unichar_validate (c) ? c : 0xfffd);
          else
            g_string_append_c (text, (char) c);
        }
      ph_tensor_set_string (tensor, i, text->str);
    }
  return g_steal_pointer (&tensor);
}

PhTensor *
ph_npy_read (GBytes *bytes, const char *path, GError **error)
{
  g_autofree char *header = NULL;
  g_autoptr (GBytes) elements = NULL;
  g_autoptr (PhTensor) tensor = NULL;
  gsize size, start, length, count, item;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const char *descr, *order, *shape;
  gint64 dims[PH_MAX_RANK];
  PhDType dtype = PH_UNDEFINED;
  guint rank = 0;
  char endian, quote;

  if (size < 10 || memcmp (data, "\x93NUMPY", 6) != 0)
    return bad (error, path, "not a NumPy array (.npy)");
  start = data[6] >= 2 ? 12 : 10;
  length = data[8] | (gsize) data[9] << 8;
  if (data[6] >= 2 && size >= 12)
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (size < start || length > size - start)
    return bad (error, path, "the file is cut short");
  header = g_strndup ((const char *) data + start, length);
  start += length;

  descr = find_key (header, "descr");
  order = find_key (header, "fortran_order");
  shape = find_key (header, "shape");
  if (descr == NULL || order == NULL || shape == NULL || *shape != '(' || (*descr != '\'' && *descr != '"'))
    return bad (error, path, "the header is not one of a plain array (records cannot be read)");
  quote = *descr++;
  endian = strchr ("<>|=", *descr) != NULL && *descr != '\0' ? *descr++ : '<';
  for (shape++; *shape != ')' && *shape != '\0';)
    {
      char *end;

      while (*shape == ' ' || *shape == ',')
        shape++;
      if (*shape == ')')
        break;
      if (rank == PH_MAX_RANK)
        return bad (error, path, "the array has too many dimensions");
      dims[rank++] = g_ascii_strtoll (shape, &end, 10);
      if (end == shape)
        return bad (error, path, "the shape in the header cannot be read");
      shape = *end == 'L' ? end + 1 : end;
    }
  if (*shape != ')')
    return bad (error, path, "the shape in the header cannot be read");
  if (!ph_tensor_count_elements (rank, dims, &count))
    return bad (error, path, "the shape in the header is impossible");
  if (*descr == 'U' || *descr == 'S' || *descr == 'a')
    return read_strings (data + start, size - start, *descr == 'U', g_ascii_strtoull (descr + 1, NULL, 10), rank, dims, count,
                         path, error);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strncmp (descr, types[i].descr, strlen (types[i].descr)) == 0 && descr[strlen (types[i].descr)] == quote)
      dtype = types[i].dtype;
  if (dtype == PH_UNDEFINED)
    {
      g_autofree char *what = g_strdup_printf ("element type '%.20s' cannot be read", descr);
      return bad (error, path, what);
    }
  item = ph_dtype_size (dtype);
  if (count > (size - start) / item)
    return bad (error, path, "the file is cut short: it has fewer elements than its shape");
  if (endian != '>' && (*order != 'T' || rank < 2))
    elements = g_bytes_new_from_bytes (bytes, start, count * item);
  else
    {
      const gboolean complex = dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128;
      guint8 *to = g_try_malloc (MAX (count * item, 1));

      if (to == NULL)
        return bad (error, path, "the array does not fit into memory");
      memcpy (to, data + start, count * item);
      if (*order == 'T' && count > 0)
        transpose (data + start, to, rank, dims, count, item);
      if (endian == '>')
        swap_bytes (to, complex ? count * 2 : count, complex ? item / 2 : item);
      elements = g_bytes_new_take (to, count * item);
    }
  tensor = ph_tensor_new_from_bytes (dtype, rank, dims, elements);
  if (tensor == NULL)
    return bad (error, path, "the array does not fit into memory");
  return g_steal_pointer (&tensor);
}

static void
append_strings (GByteArray *out, PhTensor *tensor, gsize width)
{
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const char *text = ph_tensor_get_string (tensor, i);
      g_autofree gunichar *wide = g_utf8_to_ucs4 (text, -1, NULL, NULL, NULL);
      gboolean ended = wide == NULL;

      for (gsize j = 0; j < width; j++)
        {
          guint32 c;

          ended = ended || wide[j] == 0;
          c = GUINT32_TO_LE (ended ? 0 : wide[j]);
          g_byte_array_append (out, (const guint8 *) &c, 4);
        }
    }
}

GBytes *
ph_npy_write (PhTensor *tensor, GError **error)
{
  g_autoptr (GString) header = g_string_new (NULL);
  g_autoptr (PhTensor) wider = NULL;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autofree char *descr = NULL;
  PhDType dtype;
  gsize width = 1;
  guint16 length;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "a .npy file holds one array, not a sequence or optional; save it as .pb");
      return NULL;
    }
  dtype = ph_tensor_dtype (tensor);
  if (dtype == PH_STRING)
    {
      for (gsize i = 0; i < ph_tensor_count (tensor); i++)
        {
          const char *text = ph_tensor_get_string (tensor, i);

          width = MAX (width, (gsize) g_utf8_strlen (text, -1));
        }
      descr = g_strdup_printf ("<U%" G_GSIZE_FORMAT, width);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (types) && descr == NULL; i++)
    if (types[i].dtype == dtype)
      descr = g_strdup_printf ("%c%s", ph_dtype_size (dtype) == 1 ? '|' : '<', types[i].descr);
  if (descr == NULL)
    {
      /* NumPy has no such type: bfloat16, float8 and int4 are written as the next wider type that can represent them. */
      dtype = ph_dtype_is_float (dtype) ? PH_FLOAT : ph_dtype_is_signed (dtype) ? PH_INT8 : PH_UINT8;
      wider = ph_tensor_cast (tensor, dtype);
      if (wider == NULL)
        {
          g_set_error_literal (error, PH_ERROR, PH_ERROR_FAILED, "there is no memory to convert the tensor in, to write it");
          return NULL;
        }
      return ph_npy_write (wider, error);
    }
  if (dtype != PH_STRING && !ph_tensor_bring (tensor, error))
    return NULL;
  g_string_append_printf (header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (guint i = 0; i < ph_tensor_rank (tensor); i++)
    g_string_append_printf (header, "%" G_GINT64_FORMAT ", ", ph_tensor_dims (tensor)[i]);
  if (ph_tensor_rank (tensor) > 0)
    g_string_truncate (header, header->len - (ph_tensor_rank (tensor) == 1 ? 1 : 2));
  g_string_append (header, "), }");
  while ((10 + header->len + 1) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');
  length = GUINT16_TO_LE ((guint16) header->len);
  g_byte_array_append (out, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (out, (const guint8 *) &length, 2);
  g_byte_array_append (out, (const guint8 *) header->str, (guint) header->len);
  if (dtype == PH_STRING)
    append_strings (out, tensor, width);
  else if (ph_tensor_bytes (tensor) > G_MAXUINT / 2)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "a tensor of more than 2 GB is not written");
      return NULL;
    }
  else if (ph_tensor_bytes (tensor) > 0)
    g_byte_array_append (out, ph_tensor_data (tensor), (guint) ph_tensor_bytes (tensor));
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}
