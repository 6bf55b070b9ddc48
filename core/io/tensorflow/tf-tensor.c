/* tf-tensor.c: element types, shapes and constants of TensorFlow.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tensorflow/tf.h"

#define MAX_FILLED (1 << 24) /* most elements to fill with the last written one: more are taken for damage */

/* clang-format off */
static const struct { PhDType dtype; const char *name; } types[] = {
  { PH_UNDEFINED, "invalid" }, { PH_FLOAT, "float" }, { PH_DOUBLE, "double" }, { PH_INT32, "int32" }, { PH_UINT8, "uint8" },
  { PH_INT16, "int16" }, { PH_INT8, "int8" }, { PH_STRING, "string" }, { PH_COMPLEX64, "complex64" }, { PH_INT64, "int64" },
  { PH_BOOL, "bool" }, { PH_INT8, "qint8" }, { PH_UINT8, "quint8" }, { PH_INT32, "qint32" }, { PH_BFLOAT16, "bfloat16" },
  { PH_INT16, "qint16" }, { PH_UINT16, "quint16" }, { PH_UINT16, "uint16" }, { PH_COMPLEX128, "complex128" }, { PH_FLOAT16, "half" },
  { PH_UNDEFINED, "resource" }, { PH_UNDEFINED, "variant" }, { PH_UINT32, "uint32" }, { PH_UINT64, "uint64" },
  { PH_FLOAT8E5M2, "float8_e5m2" }, { PH_FLOAT8E4M3FN, "float8_e4m3fn" }, { PH_FLOAT8E4M3FNUZ, "float8_e4m3fnuz" },
  { PH_UNDEFINED, "float8_e4m3b11fnuz" }, { PH_FLOAT8E5M2FNUZ, "float8_e5m2fnuz" }, { PH_INT4, "int4" }, { PH_UINT4, "uint4" },
  { PH_INT2, "int2" }, { PH_UINT2, "uint2" },
};
/* clang-format on */

PhDType
ph_tf_dtype (guint64 number)
{
  number = number > 100 ? number - 100 : number; /* a reference to a variable */
  return number < G_N_ELEMENTS (types) ? types[number].dtype : PH_UNDEFINED;
}

const char *
ph_tf_dtype_name (guint64 number)
{
  number = number > 100 ? number - 100 : number;
  return number < G_N_ELEMENTS (types) ? types[number].name : "?";
}

gboolean
ph_tf_read_dims (PhSpan shape, gint64 *dims, guint *rank)
{
  *rank = 0;
  if (ph_wire_number (shape, 3, 0) != 0)
    return FALSE;
  PH_WIRE_FOREACH (field, shape)
    if (field.id == 2 && field.type == PH_WIRE_BYTES)
      {
        if (*rank == PH_MAX_RANK)
          return FALSE;
        dims[(*rank)++] = (gint64) ph_wire_number (field.span, 1, 0);
      }
  return TRUE;
}

const PhType *
ph_tf_type (guint64 dtype, PhSpan shape, gboolean has_shape)
{
  const PhDType of = ph_tf_dtype (dtype);
  gint64 sizes[PH_MAX_RANK];
  PhDim dims[PH_MAX_RANK];
  guint rank;

  if (of == PH_UNDEFINED) /* a resource, a variant */
    return dtype == 0 ? NULL : ph_type_opaque (ph_tf_dtype_name (dtype));
  if (!has_shape || !ph_tf_read_dims (shape, sizes, &rank))
    return ph_type_unranked (of);
  for (guint i = 0; i < rank; i++)
    dims[i] = sizes[i] >= 0 ? PH_DIM (sizes[i]) : PH_DIM_UNKNOWN;
  return ph_type_tensor (of, rank, dims);
}

static void
store (PhDType dtype, gpointer data, gsize i, guint id, guint64 bits)
{
  switch (id)
    {
    case 5:
    case 9: ph_dtype_store (dtype, data, i, ph_float_of_bits (bits)); break;
    case 6:
    case 12: ph_dtype_store (dtype, data, i, ph_double_of_bits (bits)); break;
    case 13: ((guint16 *) data)[i] = (guint16) bits; break;
    default: ph_dtype_store_int (dtype, data, i, (gint64) bits);
    }
}

/* Returns the field with the elements, and their width on the wire. */
static guint
field_of (PhDType dtype, guint *wire)
{
  *wire = PH_WIRE_VARINT;
  switch (dtype)
    {
    case PH_FLOAT: *wire = PH_WIRE_FIXED32; return 5;
    case PH_DOUBLE: *wire = PH_WIRE_FIXED64; return 6;
    case PH_INT64: return 10;
    case PH_BOOL: return 11;
    case PH_FLOAT16:
    case PH_BFLOAT16: return 13;
    case PH_UINT32: return 16;
    case PH_UINT64: return 17;
    case PH_INT32:
    case PH_UINT8:
    case PH_INT8:
    case PH_INT16:
    case PH_UINT16:
    case PH_INT4:
    case PH_UINT4: return 7;
    default: return 0;
    }
}

static PhTensor *
read_strings (PhSpan message, guint rank, const gint64 *dims, gsize count)
{
  PhTensor *tensor;
  const char *one = NULL;
  guint n = 0;

  PH_WIRE_FOREACH (field, message)
    n += field.id == 8 ? 1 : 0;
  if (n <= 1)
    {
      g_autofree char *text = ph_wire_string (message, 8);
      g_autofree char *valid = g_utf8_make_valid (text, -1);

      one = valid;
      return ph_tensor_new_splat (PH_STRING, rank, dims, &one);
    }
  if (n > count || count > MAX_FILLED)
    return NULL;
  tensor = ph_tensor_new (PH_STRING, rank, dims);
  n = 0;
  if (tensor != NULL)
    PH_WIRE_FOREACH (field, message)
      if (field.id == 8)
        {
          g_autofree char *text = ph_span_to_string (field.span);
          g_autofree char *valid = g_utf8_make_valid (text, -1);

          ph_tensor_set_string (tensor, n++, valid);
        }
  return tensor;
}

static PhTensor *
read_content (PhTfFile *file, PhSpan content, PhDType dtype, guint rank, const gint64 *dims, GError **error)
{
  const guint8 *start = g_bytes_get_data (file->bytes, NULL);
  g_autoptr (GBytes) bytes = NULL;

  if (file->on_disk && content.size > 256)
    return ph_tensor_new_from_file (dtype, rank, dims, file->source->disk, (gsize) (content.data - start), error);
  bytes = g_bytes_new (content.data, content.size);
  return ph_tensor_new_from_bytes (dtype, rank, dims, bytes);
}

PhTensor *
ph_tf_tensor (PhTfFile *file, PhSpan message, const char *what, GError **error)
{
  const guint64 number = ph_wire_number (message, 1, 0);
  const PhDType dtype = ph_tf_dtype (number);
  const PhSpan content = ph_wire_message (message, 4);
  g_autoptr (GArray) values = NULL;
  PhTensor *tensor;
  gint64 dims[PH_MAX_RANK];
  guint rank, id, wire;
  gsize count;
  guint64 zero[2] = { 0, 0 };

  if (!ph_tf_read_dims (ph_wire_message (message, 2), dims, &rank) || !ph_tensor_count_elements (rank, dims, &count))
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "%s has a shape that cannot be", what), NULL;
  if (dtype == PH_UNDEFINED)
    return ph_source_fail (file->source, error, PH_ERROR_UNSUPPORTED, NULL, "%s is of type %s, which has no constants", what,
                           ph_tf_dtype_name (number)),
           NULL;
  if (dtype == PH_STRING)
    {
      tensor = read_strings (message, rank, dims, count);
      if (tensor == NULL)
        ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "%s has more texts than elements, or too many", what);
      return tensor;
    }
  if (content.size > 0 || count == 0)
    {
      if (content.size / ph_dtype_size (dtype) != count || content.size % ph_dtype_size (dtype) != 0)
        return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                               "%s has %" G_GSIZE_FORMAT " elements of type %s, but %" G_GSIZE_FORMAT
                               " bytes of them: the file is damaged",
                               what, count, ph_dtype_name (dtype), content.size),
               NULL;
      return read_content (file, content, dtype, rank, dims, error);
    }
  id = field_of (dtype, &wire);
  if (id == 0)
    return ph_tensor_new_splat (dtype, rank, dims, zero);
  values = ph_wire_numbers (message, id, wire);
  if (values->len <= 1)
    {
      guint64 element[2] = { 0, 0 };

      if (values->len == 1)
        store (dtype, element, 0, id, g_array_index (values, guint64, 0));
      return ph_tensor_new_splat (dtype, rank, dims, element);
    }
  if (values->len > count || (values->len < count && count > MAX_FILLED))
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "%s has %" G_GSIZE_FORMAT " elements, but %u are written",
                           what, count, values->len),
           NULL;
  tensor = ph_tensor_new (dtype, rank, dims);
  if (tensor == NULL)
    {
      g_autofree char *why = ph_tensor_why_not (dtype, rank, dims);

      return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "%s: %s", what, why), NULL;
    }
  for (gsize i = 0; i < count; i++)
    store (dtype, ph_tensor_writable (tensor), i, id, g_array_index (values, guint64, MIN (i, values->len - 1)));
  return tensor;
}
