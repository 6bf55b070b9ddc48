/* tensor-file.c: files with one value: TensorProto, SequenceProto or OptionalProto (.pb), or .npy. The last two messages are from
 * onnx-data.proto, which Debian does not ship; they are small enough to be parsed here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/npy.h"
#include "core/io/onnx/proto.h"

#include <string.h>

#include "core/io/onnx/onnx-tensor.h"
#include "core/io/wire.h"
#include "core/replace.h"

#define MAX_DEPTH 16

/* Fields of both messages, and the values of their elem_type. */
enum
{
  NAME = 1,
  ELEM_TYPE = 2,
  TENSOR = 3,
  SPARSE = 4,
  SEQUENCE = 5,
  OPTIONAL = 7
};
enum
{
  ELEM_TENSOR = 1,
  ELEM_SPARSE = 2,
  ELEM_SEQUENCE = 3,
  ELEM_OPTIONAL = 5
};

/* ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhTensor *
read_tensor (PhOnnxSource *source, const guint8 *data, gsize size, char **name, GError **error)
{
  g_auto (PhArena) arena = { 0 };
  ProtobufCAllocator allocator;
  Onnx__TensorProto *proto;

  ph_arena_init (&arena);
  allocator = ph_arena_allocator (&arena);
  proto = onnx__tensor_proto__unpack (&allocator, size, data);
  if (proto == NULL)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, NULL,
                      "not a readable TensorProto: the file is damaged or of another kind");
      return NULL;
    }
  if (name != NULL && proto->name != NULL)
    *name = g_utf8_make_valid (proto->name, -1);
  return ph_tensor_from_proto (source, proto, "the tensor", error);
}

static PhTensor *read_value (PhOnnxSource *source, const PhType *type, const guint8 *data, gsize size, guint depth, char **name,
                             GError **error);

static PhTensor *
read_items (PhOnnxSource *source, const PhType *type, const guint8 *data, gsize size, guint depth, char **name, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  PhType fallback = { .kind = PH_KIND_TENSOR };

  for (gsize at = 0; at < size;)
    {
      PhWireField field;
      const PhType *item_type = type->item != NULL ? type->item : &fallback;
      PhTensor *item;

      if (!ph_wire_next ((PhSpan) { data, size }, &at, &field) || (field.type != PH_WIRE_VARINT && field.type != PH_WIRE_BYTES))
        {
          ph_source_fail (source->base, error, PH_ERROR_FILE, NULL, "at byte %" G_GSIZE_FORMAT ": not a readable %s", at,
                          type->kind == PH_KIND_SEQUENCE ? "SequenceProto" : "OptionalProto");
          return NULL;
        }
      if (field.type == PH_WIRE_VARINT)
        continue;
      switch (field.id)
        {
        case NAME:
          if (name != NULL && *name == NULL)
            {
              g_autofree char *raw = ph_span_to_string (field.span);

              *name = g_utf8_make_valid (raw, -1);
            }
          break;
        case TENSOR:
        case SEQUENCE:
        case OPTIONAL:
          {
            PhType inner = { .kind = field.id == TENSOR     ? PH_KIND_TENSOR
                                     : field.id == SEQUENCE ? PH_KIND_SEQUENCE
                                                            : PH_KIND_OPTIONAL };

            item = read_value (source, item_type->kind == inner.kind ? item_type : &inner, field.span.data, field.span.size,
                               depth + 1, NULL, error);
            if (item == NULL)
              return NULL;
            g_ptr_array_add (items, item);
            if (ph_tensor_kind (item) != ph_tensor_kind (items->pdata[0]))
              {
                ph_source_fail (source->base, error, PH_ERROR_FILE, NULL,
                                "it holds values of more than one kind: tensors, sequences and "
                                "optionals cannot be in one list");
                return NULL;
              }
            break;
          }
        default:
          ph_source_fail (source->base, error, PH_ERROR_UNSUPPORTED, NULL,
                          "it holds maps or sparse tensors, which cannot be read");
          return NULL;
        }
    }
  if (type->kind == PH_KIND_OPTIONAL && items->len > 1)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, NULL, "an optional has %u values", items->len);
      return NULL;
    }
  return ph_tensor_new_sequence (type->kind, (PhTensor *const *) items->pdata, items->len);
}

static PhTensor *
read_value (PhOnnxSource *source, const PhType *type, const guint8 *data, gsize size, guint depth, char **name, GError **error)
{
  if (type == NULL || type->kind == PH_KIND_TENSOR)
    return read_tensor (source, data, size, name, error);
  if (depth > MAX_DEPTH)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, NULL, "sequences are nested more than %d deep", MAX_DEPTH);
      return NULL;
    }
  return read_items (source, type, data, size, depth, name, error);
}

PhTensor *
ph_tensor_load (const char *path, const PhType *type, char **name, GError **error)
{
  g_auto (PhSource) source = { 0 };
  PhOnnxSource onnx = { .base = &source };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) reason = NULL;
  gsize size;
  const guint8 *data;

  if (name != NULL)
    *name = NULL;
  ph_source_init (&source, path, NULL);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "there is no such file");
      return NULL;
    }
  bytes = ph_file_load (path, &reason);
  if (bytes == NULL)
    {
      ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "cannot be read: %s", reason->message);
      return NULL;
    }
  data = g_bytes_get_data (bytes, &size);
  if (size >= 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    return ph_npy_read (bytes, path, error);
  if (g_str_has_suffix (path, ".npy"))
    return ph_npy_read (bytes, path, error);
  source.folder = g_path_get_dirname (path);
  return read_value (&onnx, type, data, size, 0, name, error);
}

/* ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static GBytes *
write_value (PhTensor *tensor, const char *name)
{
  GByteArray *out;
  PhKind inner;
  guint field;

  if (ph_tensor_kind (tensor) == PH_KIND_TENSOR)
    {
      g_auto (PhArena) arena = { 0 };

      ph_arena_init (&arena);
      return ph_proto_to_bytes (&ph_tensor_to_proto (&arena, tensor, name)->base);
    }
  out = g_byte_array_new ();
  inner = ph_tensor_count (tensor) > 0 ? ph_tensor_kind (ph_tensor_item (tensor, 0)) : PH_KIND_TENSOR;
  field = inner == PH_KIND_TENSOR ? TENSOR : inner == PH_KIND_SEQUENCE ? SEQUENCE : OPTIONAL;
  if (name != NULL)
    ph_wire_put_bytes (out, NAME, name, strlen (name));
  if (ph_tensor_kind (tensor) == PH_KIND_SEQUENCE || ph_tensor_count (tensor) > 0)
    ph_wire_put_number (out, ELEM_TYPE,
                        inner == PH_KIND_TENSOR     ? ELEM_TENSOR
                        : inner == PH_KIND_SEQUENCE ? ELEM_SEQUENCE
                                                    : ELEM_OPTIONAL);
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      g_autoptr (GBytes) item = write_value (ph_tensor_item (tensor, i), NULL);

      ph_wire_put_bytes (out, field, g_bytes_get_data (item, NULL), g_bytes_get_size (item));
    }
  return g_byte_array_free_to_bytes (out);
}

gboolean
ph_tensor_save (PhTensor *tensor, const char *name, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) reason = NULL;

  if (!ph_tensor_bring (tensor, error))
    return FALSE;
  bytes = g_str_has_suffix (path, ".npy") ? ph_npy_write (tensor, error) : write_value (tensor, name);
  if (bytes == NULL)
    return FALSE;
  if (ph_replace_contents (path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &reason))
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be written: %s", path, reason->message);
  return FALSE;
}
