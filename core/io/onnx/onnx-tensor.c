/* onnx-tensor.c: ONNX's TensorProto and SparseTensorProto as tensors, and back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-tensor.h"
#include "core/io/onnx/proto.h"

#include <string.h>

#define MAX_SPARSE_BYTES (((gsize) 1) << 30) /* of a sparse tensor, once dense */

/* Bytes in a file, or G_MAXSIZE on overflow. */
static gsize
file_size (PhDType dtype, gsize count)
{
  gsize bits = ph_dtype_file_bits (dtype), size;

  if (bits < 8)
    return count / (8 / bits) + (count % (8 / bits) != 0 ? 1 : 0);
  return g_size_checked_mul (&size, count, bits / 8) ? size : G_MAXSIZE;
}

/* Types of less than a byte: the low bits come first. */
static void
unpack_bits (PhDType dtype, const guint8 *from, gsize count, guint8 *to)
{
  guint bits = ph_dtype_file_bits (dtype), per_byte = 8 / bits;
  guint8 mask = (guint8) ((1 << bits) - 1), sign = (guint8) (1 << (bits - 1));
  gboolean is_signed = dtype == PH_INT4 || dtype == PH_INT2;

  for (gsize i = 0; i < count; i++)
    {
      guint8 item = (from[i / per_byte] >> (bits * (i % per_byte))) & mask;

      to[i] = is_signed && (item & sign) != 0 ? (guint8) (item | ~mask) : item;
    }
}

static void
pack_bits (PhDType dtype, const guint8 *from, gsize count, guint8 *to)
{
  guint bits = ph_dtype_file_bits (dtype), per_byte = 8 / bits;
  guint8 mask = (guint8) ((1 << bits) - 1);

  for (gsize i = 0; i < count; i++)
    to[i / per_byte] |= (guint8) ((from[i] & mask) << (bits * (i % per_byte)));
}

/* The location of raw_data: in memory, or in a file from @offset on. */
typedef struct
{
  GBytes *bytes;
  PhFile *file;
  gsize offset, length;
} Raw;

/* Makes a tensor from the bytes of a file (little-endian, sub-byte types packed). */
static PhTensor *
tensor_from_raw (PhDType dtype, guint rank, const gint64 *dims, const Raw *raw, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  PhTensor *tensor;
  gsize count;

  if (ph_dtype_file_bits (dtype) >= 8 && raw->bytes == NULL)
    return ph_tensor_new_from_file (dtype, rank, dims, raw->file, raw->offset, error);
  if (ph_dtype_file_bits (dtype) >= 8)
    return ph_tensor_new_from_bytes (dtype, rank, dims, raw->bytes);
  bytes = raw->bytes != NULL ? g_bytes_ref (raw->bytes) : ph_file_read_bytes (raw->file, raw->offset, raw->length, error);
  if (bytes == NULL)
    return NULL;
  tensor = ph_tensor_new (dtype, rank, dims);
  if (tensor != NULL && ph_tensor_count_elements (rank, dims, &count) && count > 0)
    unpack_bits (dtype, g_bytes_get_data (bytes, NULL), count, ph_tensor_writable (tensor));
  return tensor;
}

/* Returns the number of elements in the typed field for @dtype; int32_data holds all narrow types. */
static gsize
typed_count (const Onnx__TensorProto *proto, PhDType dtype, const char **field)
{
  switch (dtype)
    {
    case PH_FLOAT: *field = "float_data"; return proto->n_float_data;
    case PH_COMPLEX64: *field = "float_data"; return proto->n_float_data / 2;
    case PH_DOUBLE: *field = "double_data"; return proto->n_double_data;
    case PH_COMPLEX128: *field = "double_data"; return proto->n_double_data / 2;
    case PH_INT64: *field = "int64_data"; return proto->n_int64_data;
    case PH_UINT32:
    case PH_UINT64: *field = "uint64_data"; return proto->n_uint64_data;
    case PH_STRING: *field = "string_data"; return proto->n_string_data;
    default: *field = "int32_data"; return proto->n_int32_data;
    }
}

static void
fill_typed (PhTensor *tensor, const Onnx__TensorProto *proto, PhDType dtype, gsize count)
{
  gpointer to = dtype != PH_STRING && count > 0 ? ph_tensor_writable (tensor) : NULL;

  if (count == 0)
    return;
  switch (dtype)
    {
    case PH_FLOAT:
    case PH_COMPLEX64: memcpy (to, proto->float_data, ph_tensor_bytes (tensor)); break;
    case PH_DOUBLE:
    case PH_COMPLEX128: memcpy (to, proto->double_data, ph_tensor_bytes (tensor)); break;
    case PH_INT64: memcpy (to, proto->int64_data, ph_tensor_bytes (tensor)); break;
    case PH_UINT64: memcpy (to, proto->uint64_data, ph_tensor_bytes (tensor)); break;
    case PH_UINT32:
      for (gsize i = 0; i < count; i++)
        ((guint32 *) to)[i] = (guint32) proto->uint64_data[i];
      break;
    case PH_STRING:
      for (gsize i = 0; i < count; i++)
        {
          g_autofree char *text = g_strndup ((const char *) proto->string_data[i].data, proto->string_data[i].len);

          ph_tensor_set_string (tensor, i, text);
        }
      break;
    case PH_INT32: memcpy (to, proto->int32_data, ph_tensor_bytes (tensor)); break;
    default:
      for (gsize i = 0; i < count; i++)
        if (ph_dtype_size (dtype) == 2)
          ((guint16 *) to)[i] = (guint16) proto->int32_data[i];
        else if (dtype == PH_BOOL)
          ((guint8 *) to)[i] = proto->int32_data[i] != 0;
        else
          ((guint8 *) to)[i] = (guint8) proto->int32_data[i];
    }
}

/* Unpacks int4 and similar types from int32_data, where only the low byte of each item counts and holds two elements. */
static void
fill_packed (PhTensor *tensor, const Onnx__TensorProto *proto, PhDType dtype, gsize count)
{
  g_autofree guint8 *bytes = g_malloc (MAX (proto->n_int32_data, 1));

  for (gsize i = 0; i < proto->n_int32_data; i++)
    bytes[i] = (guint8) proto->int32_data[i];
  unpack_bits (dtype, bytes, count, ph_tensor_writable (tensor));
}

static gboolean
find_raw (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *what, Raw *raw, GError **error)
{
  const ProtobufCMessageUnknownField *mark = ph_proto_unknown (&proto->base, PH_TENSOR_SLICE);
  const PhSlice *slice = mark != NULL ? ph_source_slice (source, mark) : NULL;

  if (proto->has_data_location && proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
    return (raw->file = ph_external_find (source, proto, what, &raw->offset, &raw->length, error)) != NULL;
  if (slice != NULL)
    {
      raw->offset = slice->offset;
      raw->length = slice->length;
      raw->file = source->base->disk;
      if (source->base->bytes != NULL)
        raw->bytes = g_bytes_new_from_bytes (source->base->bytes, slice->offset, slice->length);
    }
  else if (proto->has_raw_data)
    {
      raw->bytes = g_bytes_new (proto->raw_data.data, proto->raw_data.len);
      raw->length = proto->raw_data.len;
    }
  return TRUE;
}

static gboolean
wrong_length (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *what, const char *field, gsize got, gsize want,
              GError **error)
{
  g_autoptr (GString) shape = g_string_new (ph_dtype_name ((PhDType) proto->data_type));

  g_string_append_c (shape, '[');
  for (gsize i = 0; i < proto->n_dims; i++)
    g_string_append_printf (shape, i > 0 ? ",%" G_GINT64_FORMAT : "%" G_GINT64_FORMAT, (gint64) proto->dims[i]);
  g_string_append_c (shape, ']');
  return ph_source_fail (source->base, error, PH_ERROR_INVALID, proto,
                         "%s is %s, which takes %" G_GSIZE_FORMAT " %s, but its %s has %" G_GSIZE_FORMAT
                         ". The file is damaged, or its shape is wrong",
                         what, shape->str, want, g_str_equal (field, "raw_data") ? "bytes" : "elements", field, got);
}

PhTensor *
ph_tensor_from_proto (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *what, GError **error)
{
  g_autoptr (PhTensor) tensor = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) reason = NULL;
  Raw raw = { 0 };
  PhDType dtype = (PhDType) proto->data_type;
  const char *field = NULL;
  gsize count, got, want;

  if (proto->data_type <= PH_UNDEFINED || proto->data_type >= PH_N_DTYPES)
    {
      ph_source_fail (source->base, error, PH_ERROR_UNSUPPORTED, proto, "%s has element type %d, which Peephole does not know",
                      what, proto->data_type);
      return NULL;
    }
  if (proto->segment != NULL)
    {
      ph_source_fail (source->base, error, PH_ERROR_UNSUPPORTED, proto,
                      "%s is stored in segments, which ONNX no longer has. "
                      "Save it with a newer exporter",
                      what);
      return NULL;
    }
  if (proto->n_dims > PH_MAX_RANK || !ph_tensor_count_elements (proto->n_dims, proto->dims, &count)
      || (ph_dtype_size (dtype) > 0 && count > (gsize) G_MAXINT64 / ph_dtype_size (dtype)))
    {
      ph_source_fail (source->base, error, PH_ERROR_INVALID, proto,
                      "%s has an impossible shape (%" G_GSIZE_FORMAT " dimensions, the "
                      "first %" G_GINT64_FORMAT "): a size is negative, or there are more elements than memory has bytes",
                      what, proto->n_dims, proto->n_dims > 0 ? (gint64) proto->dims[0] : 0);
      return NULL;
    }
  if (!find_raw (source, proto, what, &raw, error))
    return NULL;
  bytes = raw.bytes;
  got = typed_count (proto, dtype, &field);
  if ((raw.bytes != NULL || raw.file != NULL) && !(raw.length == 0 && got > 0))
    {
      want = dtype == PH_STRING ? 0 : file_size (dtype, count);
      if (dtype == PH_STRING || raw.length != want)
        {
          wrong_length (source, proto, what, "raw_data", raw.length, want, error);
          return NULL;
        }
      tensor = tensor_from_raw (dtype, proto->n_dims, proto->dims, &raw, &reason);
    }
  else
    {
      gboolean packed = dtype != PH_STRING && ph_dtype_file_bits (dtype) < 8;

      want = packed ? file_size (dtype, count) : count;
      if (got != want && !(packed && got == count))
        {
          wrong_length (source, proto, what, field, got, want, error);
          return NULL;
        }
      tensor = ph_tensor_new (dtype, proto->n_dims, proto->dims);
      if (tensor != NULL && count > 0 && packed && got == want)
        fill_packed (tensor, proto, dtype, count);
      else if (tensor != NULL)
        fill_typed (tensor, proto, dtype, count);
    }
  if (tensor == NULL && reason != NULL)
    ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s: %s", what, reason->message);
  else if (tensor == NULL)
    {
      g_autofree char *why = ph_tensor_why_not (dtype, (guint) proto->n_dims, proto->dims);

      ph_source_fail (source->base, error, PH_ERROR_FAILED, proto, "%s does not fit into memory: %s", what, why);
    }
  return g_steal_pointer (&tensor);
}

PhTensor *
ph_tensor_from_sparse (PhOnnxSource *source, const Onnx__SparseTensorProto *proto, const char *what, GError **error)
{
  g_autoptr (PhTensor) values = NULL;
  g_autoptr (PhTensor) indices = NULL;
  g_autoptr (PhTensor) dense = NULL;
  gsize count, size, n, item;
  const guint8 *elements;
  PhDType dtype;
  guint8 *to;

  if (proto->values == NULL || proto->indices == NULL)
    {
      ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "%s is sparse and lacks its values or indices", what);
      return NULL;
    }
  values = ph_tensor_from_proto (source, proto->values, what, error);
  indices = values != NULL ? ph_tensor_from_proto (source, proto->indices, what, error) : NULL;
  if (indices == NULL)
    return NULL;
  dtype = ph_tensor_dtype (values);
  item = ph_dtype_size (dtype);
  n = ph_tensor_count (values);
  if (dtype == PH_STRING || proto->n_dims > PH_MAX_RANK || !ph_tensor_count_elements (proto->n_dims, proto->dims, &count)
      || !g_size_checked_mul (&size, count, item) || size > MAX_SPARSE_BYTES)
    {
      ph_source_fail (source->base, error, PH_ERROR_UNSUPPORTED, proto, "%s is sparse, and too large to be made dense", what);
      return NULL;
    }
  if (ph_tensor_dtype (indices) != PH_INT64 || (ph_tensor_count (indices) != n && ph_tensor_count (indices) != n * proto->n_dims))
    {
      ph_source_fail (source->base, error, PH_ERROR_INVALID, proto,
                      "%s is sparse with %" G_GSIZE_FORMAT " values; its indices do not "
                      "match them",
                      what, n);
      return NULL;
    }
  dense = ph_tensor_new (dtype, proto->n_dims, proto->dims);
  if (dense == NULL)
    {
      ph_source_fail (source->base, error, PH_ERROR_FAILED, proto, "%s does not fit into memory", what);
      return NULL;
    }
  if (!ph_tensor_bring (values, error) || !ph_tensor_bring (indices, error))
    return NULL;
  elements = ph_tensor_data (values);
  to = count > 0 ? ph_tensor_writable (dense) : NULL;
  for (gsize i = 0; i < n; i++)
    {
      gint64 flat = 0;

      if (ph_tensor_count (indices) == n && ph_tensor_rank (indices) < 2)
        flat = ph_tensor_get_int (indices, i);
      else
        for (gsize j = 0; j < proto->n_dims; j++)
          {
            gint64 at = ph_tensor_get_int (indices, i * proto->n_dims + j);

            flat = at < 0 || at >= proto->dims[j] ? -1 : flat < 0 ? flat : flat * proto->dims[j] + at;
          }
      if (flat < 0 || (guint64) flat >= count)
        {
          ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "%s is sparse and has an index outside its shape", what);
          return NULL;
        }
      memcpy (to + (gsize) flat * item, elements + i * item, item);
    }
  return g_steal_pointer (&dense);
}

static void
strings_to_proto (PhArena *arena, PhTensor *tensor, Onnx__TensorProto *proto)
{
  gsize count = ph_tensor_count (tensor);

  proto->n_string_data = count;
  proto->string_data = ph_arena_alloc (arena, count * sizeof *proto->string_data);
  for (gsize i = 0; i < count; i++)
    {
      const char *text = ph_tensor_get_string (tensor, i);

      proto->string_data[i] = (ProtobufCBinaryData) { text != NULL ? strlen (text) : 0, (guint8 *) text };
    }
}

Onnx__TensorProto *
ph_tensor_to_proto (PhArena *arena, PhTensor *tensor, const char *name)
{
  Onnx__TensorProto *proto = ph_proto_new (arena, Onnx__TensorProto, onnx__tensor_proto);
  PhDType dtype = ph_tensor_dtype (tensor);
  gsize count = ph_tensor_count (tensor);

  proto->name = (char *) name;
  proto->has_data_type = TRUE;
  proto->data_type = dtype;
  proto->n_dims = ph_tensor_rank (tensor);
  proto->dims = (gint64 *) ph_tensor_dims (tensor);
  if (dtype == PH_STRING)
    {
      strings_to_proto (arena, tensor, proto);
      return proto;
    }
  proto->has_raw_data = TRUE;
  proto->raw_data.len = file_size (dtype, count);
  if (count == 0)
    return proto;
  if (ph_dtype_file_bits (dtype) < 8)
    {
      proto->raw_data.data = ph_arena_alloc0 (arena, proto->raw_data.len);
      if (ph_tensor_data (tensor) != NULL)
        pack_bits (dtype, ph_tensor_data (tensor), count, proto->raw_data.data);
      return proto;
    }
  /* A tensor still on disk is copied without caching it: saving a model need not keep all its weights in memory. */
  if (ph_tensor_is_on_disk (tensor) && (proto->raw_data.data = ph_arena_try_alloc (arena, proto->raw_data.len)) != NULL)
    ph_tensor_copy_data (tensor, proto->raw_data.data);
  else
    {
      proto->raw_data.data = (guint8 *) ph_tensor_peek (tensor);
      if (proto->raw_data.data == NULL)
        proto->raw_data.data = (guint8 *) ph_tensor_data (tensor);
    }
  if (proto->raw_data.data == NULL) /* the read error is recorded, and the writer checks for it */
    proto->raw_data.len = 0;
  return proto;
}
