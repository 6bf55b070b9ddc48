/* proto.c: an arena for messages, and large data that was left in the file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/proto.h"

#include <string.h>

#include "core/large-pages.h"

#define CHUNK ((gsize) 256 << 10)
#define MANY  32 /* chunks */

void
ph_arena_init (PhArena *arena)
{
  *arena = (PhArena) { .chunks = g_ptr_array_new_with_free_func (g_free) };
}

void
ph_arena_clear (PhArena *arena)
{
  g_clear_pointer (&arena->chunks, g_ptr_array_unref);
  arena->at = NULL;
  arena->left = 0;
}

/* Adds a chunk. An arena with many chunks belongs to a large model: its next ones are larger. */
static void
new_chunk (PhArena *arena)
{
  const gsize size = arena->chunks->len < MANY ? CHUNK : 32 * PH_LARGE_PAGE;

  arena->at = g_malloc (size);
  if (size > CHUNK)
    ph_filling_start (&arena->filling, arena->at, size);
  arena->left = size;
  g_ptr_array_add (arena->chunks, arena->at);
}

gpointer
ph_arena_alloc (PhArena *arena, gsize size)
{
  char *memory;

  size = MAX ((size + 7) & ~(gsize) 7, 8);
  if (size > CHUNK / 4)
    {
      memory = g_malloc (size);
      ph_fill_all (memory, size);
      g_ptr_array_add (arena->chunks, memory);
      return memory;
    }
  if (size > arena->left)
    new_chunk (arena);
  memory = arena->at;
  arena->at += size;
  arena->left -= size;
  ph_filling_reach (&arena->filling, arena->at);
  return memory;
}

gpointer
ph_arena_try_alloc (PhArena *arena, gsize size)
{
  gpointer memory = g_try_malloc (MAX (size, 1));

  if (memory != NULL)
    g_ptr_array_add (arena->chunks, memory);
  return memory;
}

gpointer
ph_arena_alloc0 (PhArena *arena, gsize size)
{
  return memset (ph_arena_alloc (arena, size), 0, size);
}

char *
ph_arena_strndup (PhArena *arena, const char *text, gsize length)
{
  char *copy = ph_arena_alloc (arena, length + 1);

  if (length > 0)
    memcpy (copy, text, length);
  copy[length] = '\0';
  return copy;
}

static void *
arena_alloc (void *data, size_t size)
{
  return ph_arena_alloc (data, size);
}

static void
arena_free (void *data, void *pointer)
{
}

ProtobufCAllocator
ph_arena_allocator (PhArena *arena)
{
  return (ProtobufCAllocator) { arena_alloc, arena_free, arena };
}

GBytes *
ph_proto_to_bytes (const ProtobufCMessage *message)
{
  gsize size = protobuf_c_message_get_packed_size (message);
  guint8 *data = g_malloc (MAX (size, 1));

  protobuf_c_message_pack (message, data);
  return g_bytes_new_take (data, size);
}

gpointer
ph_proto_parse (PhArena *arena, const ProtobufCMessageDescriptor *descriptor, GBytes *bytes)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return protobuf_c_message_unpack (descriptor, &allocator, size, data);
}

const ProtobufCMessageUnknownField *
ph_proto_unknown (const ProtobufCMessage *message, guint tag)
{
  for (guint i = 0; i < message->n_unknown_fields; i++)
    if (message->unknown_fields[i].tag == tag)
      return &message->unknown_fields[i];
  return NULL;
}

char *
ph_proto_unknown_string (PhArena *arena, const ProtobufCMessage *message, guint tag)
{
  const ProtobufCMessageUnknownField *field = ph_proto_unknown (message, tag);
  gsize header = 0;

  if (field == NULL || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
    return NULL;
  while (header < field->len && (field->data[header] & 0x80) != 0) /* skips the length */
    header++;
  if (header >= field->len)
    return NULL;
  return ph_arena_strndup (arena, (const char *) field->data + header + 1, field->len - header - 1);
}

void
ph_proto_append_bytes (PhArena *arena, ProtobufCMessage *to, guint tag, gconstpointer bytes, gsize size)
{
  const guint n = to->n_unknown_fields;
  gsize header = 0, rest = size;
  ProtobufCMessageUnknownField *fields = ph_arena_alloc (arena, (n + 1) * sizeof *fields);
  guint8 *data = ph_arena_alloc (arena, size + 10);

  if (n > 0)
    memcpy (fields, to->unknown_fields, n * sizeof *fields);
  do
    {
      data[header++] = (guint8) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
      rest >>= 7;
    }
  while (rest != 0);
  memcpy (data + header, bytes, size);
  fields[n] = (ProtobufCMessageUnknownField) { tag, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, header + size, data };
  to->unknown_fields = fields;
  to->n_unknown_fields = n + 1;
}

void
ph_proto_append (PhArena *arena, ProtobufCMessage *to, guint tag, const ProtobufCMessage *part)
{
  g_autoptr (GBytes) bytes = ph_proto_to_bytes (part);

  ph_proto_append_bytes (arena, to, tag, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

gpointer
ph_proto_unknown_message (PhArena *arena, const ProtobufCMessageUnknownField *field, guint tag,
                          const ProtobufCMessageDescriptor *descriptor)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  gsize header = 0; /* the length, which protobuf-c leaves in front of the bytes */

  if (field->tag != tag || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
    return NULL;
  while (header < field->len && (field->data[header] & 0x80) != 0)
    header++;
  if (header++ >= field->len)
    return NULL;
  return protobuf_c_message_unpack (descriptor, &allocator, field->len - header, field->data + header);
}

void
ph_onnx_source_clear (PhOnnxSource *source)
{
  g_clear_pointer (&source->slices, g_array_unref);
  g_clear_pointer (&source->functions, g_ptr_array_unref);
  g_clear_pointer (&source->parsed, g_ptr_array_unref);
  g_clear_pointer (&source->extra, g_bytes_unref);
}

const PhSlice *
ph_source_slice (PhOnnxSource *source, const ProtobufCMessageUnknownField *mark)
{
  guint index = 0;

  for (gsize i = 0; i < mark->len && i < 4; i++)
    index |= (guint) (mark->data[i] & 0x7f) << (7 * i);
  if (source->slices == NULL || index >= source->slices->len || mark->wire_type != PROTOBUF_C_WIRE_TYPE_VARINT)
    return NULL;
  return &g_array_index (source->slices, PhSlice, index);
}

static gboolean
restore_tensor (PhOnnxSource *source, PhArena *arena, Onnx__TensorProto *tensor, GError **error)
{
  const ProtobufCMessageUnknownField *mark = ph_proto_unknown (&tensor->base, PH_TENSOR_SLICE);
  const PhSlice *slice = mark != NULL ? ph_source_slice (source, mark) : NULL;

  if (slice != NULL)
    {
      guint8 *data;

      if (source->base->bytes != NULL)
        data = (guint8 *) g_bytes_get_data (source->base->bytes, NULL) + slice->offset;
      else
        {
          data = ph_arena_alloc (arena, slice->length);
          if (!ph_file_read (source->base->disk, slice->offset, slice->length, data, error))
            return FALSE;
        }
      tensor->has_raw_data = TRUE;
      tensor->raw_data = (ProtobufCBinaryData) { slice->length, data };
    }
  if (mark != NULL)
    {
      tensor->base.unknown_fields[mark - tensor->base.unknown_fields]
          = tensor->base.unknown_fields[tensor->base.n_unknown_fields - 1];
      tensor->base.n_unknown_fields--;
    }
  return TRUE;
}

gboolean
ph_proto_restore (PhOnnxSource *source, PhArena *arena, ProtobufCMessage *message, GError **error)
{
  if (message->descriptor == &onnx__tensor_proto__descriptor
      && !restore_tensor (source, arena, (Onnx__TensorProto *) message, error))
    return FALSE;
  for (guint i = 0; i < message->descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
      gpointer at = (char *) message + field->offset;
      const guint *quantifier = (const guint *) (gpointer) ((char *) message + field->quantifier_offset);

      if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        continue;
      if (field->label == PROTOBUF_C_LABEL_REPEATED)
        {
          gsize n = *(const gsize *) (gconstpointer) quantifier;

          for (gsize j = 0; j < n; j++)
            if (!ph_proto_restore (source, arena, (*(ProtobufCMessage ***) at)[j], error))
              return FALSE;
        }
      else if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 && *quantifier != field->id)
        continue;
      else if (*(ProtobufCMessage **) at != NULL && !ph_proto_restore (source, arena, *(ProtobufCMessage **) at, error))
        return FALSE;
    }
  return TRUE;
}
