/* onnx-writer.c: writes models. A file replaces the old one only when it is complete (core/replace.h).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/proto.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/io/onnx/onnx-export.h"
#include "core/replace.h"

#define MAX_PROTO    (((gsize) 2000) << 20) /* protobuf's limit is 2 GB                     */
#define MIN_EXTERNAL 1024                   /* bytes; smaller tensors stay in the model     */
#define ALIGNMENT    4096                   /* of external data, so that it can be mapped   */

/* ── a buffered file as protobuf-c's sink ───────────────────────────────────────────────────────────────────────── */

typedef struct
{
  ProtobufCBuffer base;
  PhReplace file;
  int failed;                /* errno */
  GCancellable *cancellable; /* (nullable) */
  gsize used;
  guint64 written;
  guint8 data[64 * 1024];
} Sink;

static void
write_all (Sink *sink, const guint8 *data, gsize size)
{
  while (size > 0 && sink->failed == 0)
    {
      gssize n;

      if (g_cancellable_is_cancelled (sink->cancellable))
        {
          sink->failed = ECANCELED;
          return;
        }
      n = write (sink->file.fd, data, MIN (size, 1 << 26));

      if (n < 0 && errno != EINTR)
        sink->failed = errno;
      if (n > 0)
        {
          data += n;
          size -= (gsize) n;
        }
    }
}

static void
flush (Sink *sink)
{
  write_all (sink, sink->data, sink->used);
  sink->used = 0;
}

static void
append (ProtobufCBuffer *buffer, size_t size, const uint8_t *data)
{
  Sink *sink = (Sink *) buffer;

  sink->written += size;
  if (size > sizeof sink->data - sink->used)
    flush (sink);
  if (size > sizeof sink->data)
    write_all (sink, data, size);
  else if (size > 0)
    {
      memcpy (sink->data + sink->used, data, size);
      sink->used += size;
    }
}

static gboolean
fail_write (const char *path, const char *why, GError **error)
{
  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be written: %s. What was there before is untouched", path, why);
  return FALSE;
}

static gboolean
open_sink (Sink *sink, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  *sink = (Sink) { .base = { append }, .cancellable = cancellable };
  return ph_replace_open (&sink->file, path, &reason) || fail_write (path, reason->message, error);
}

static gboolean
close_sink (Sink *sink, const char *path, gboolean keep, GError **error)
{
  g_autoptr (GError) reason = NULL;

  flush (sink);
  if (sink->failed == 0 && keep && g_cancellable_is_cancelled (sink->cancellable))
    sink->failed = ECANCELED;
  if (!keep || sink->failed != 0)
    ph_replace_abandon (&sink->file);
  else if (!ph_replace_commit (&sink->file, &reason))
    return fail_write (path, reason->message, error);
  if (sink->failed == 0)
    return TRUE;
  if (sink->failed == ECANCELED && g_cancellable_set_error_if_cancelled (sink->cancellable, error))
    return FALSE;
  return fail_write (path, g_strerror (sink->failed), error);
}

/* ── external data ──────────────────────────────────────────────────────────────────────────────────────────────── */

static Onnx__StringStringEntryProto *
entry (PhArena *arena, const char *key, const char *value)
{
  Onnx__StringStringEntryProto *pair = ph_proto_new (arena, Onnx__StringStringEntryProto, onnx__string_string_entry_proto);

  pair->key = (char *) key;
  pair->value = ph_arena_strndup (arena, value, strlen (value));
  return pair;
}

static void
move_out (PhArena *arena, Onnx__TensorProto *tensor, Sink *sink, const char *location)
{
  static const guint8 zeros[ALIGNMENT];
  g_autofree char *offset = NULL, *length = NULL;

  if (!tensor->has_raw_data || tensor->raw_data.len < MIN_EXTERNAL)
    return;
  append (&sink->base, (ALIGNMENT - sink->written % ALIGNMENT) % ALIGNMENT, zeros);
  offset = g_strdup_printf ("%" G_GUINT64_FORMAT, sink->written);
  length = g_strdup_printf ("%" G_GSIZE_FORMAT, (gsize) tensor->raw_data.len);
  append (&sink->base, tensor->raw_data.len, tensor->raw_data.data);
  tensor->has_raw_data = FALSE;
  tensor->has_data_location = TRUE;
  tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  tensor->n_external_data = 3;
  tensor->external_data = ph_arena_alloc (arena, 3 * sizeof (gpointer));
  tensor->external_data[0] = entry (arena, "location", location);
  tensor->external_data[1] = entry (arena, "offset", offset);
  tensor->external_data[2] = entry (arena, "length", length);
}

static void
move_graph_out (PhArena *arena, Onnx__GraphProto *graph, Sink *sink, const char *location)
{
  for (gsize i = 0; i < graph->n_initializer; i++)
    move_out (arena, graph->initializer[i], sink, location);
  for (gsize i = 0; i < graph->n_node; i++)
    for (gsize j = 0; j < graph->node[i]->n_attribute; j++)
      {
        Onnx__AttributeProto *attr = graph->node[i]->attribute[j];

        if (attr->t != NULL)
          move_out (arena, attr->t, sink, location);
        if (attr->g != NULL)
          move_graph_out (arena, attr->g, sink, location);
      }
}

/* ── public ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
too_large (gsize size, GError **error)
{
  g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
               "the model takes %" G_GSIZE_FORMAT " MB, and an ONNX file cannot be larger than "
               "2 GB. Save it to a file: its weights then go into one beside it",
               size >> 20);
  return FALSE;
}

GBytes *
ph_onnx_write (PhModel *model, GError **error)
{
  g_auto (PhArena) arena = { 0 };
  PhExport export = { .arena = &arena, .plain = TRUE };
  Onnx__ModelProto *proto;
  gsize size;

  ph_arena_init (&arena);
  ph_tensor_take_fault (NULL);
  proto = ph_onnx_export (&export, model);
  size = protobuf_c_message_get_packed_size (&proto->base);
  if (!ph_tensor_take_fault (error))
    return NULL;
  if (size > MAX_PROTO)
    {
      too_large (size, error);
      return NULL;
    }
  return ph_proto_to_bytes (&proto->base);
}

gboolean
ph_onnx_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error)
{
  g_auto (PhArena) arena = { 0 };
  PhExport export = { .arena = &arena, .plain = TRUE, .cancellable = cancellable };
  g_autofree char *data_path = g_strconcat (path, ".data", NULL), *location = g_path_get_basename (data_path);
  g_autofree Sink *sink = g_new (Sink, 1);
  Onnx__ModelProto *proto;
  gboolean external;
  gsize size;

  ph_arena_init (&arena);
  ph_tensor_take_fault (NULL);
  proto = ph_onnx_export (&export, model);
  size = protobuf_c_message_get_packed_size (&proto->base);
  if (!ph_tensor_take_fault (error)) /* lost weights must not overwrite the file with zeros */
    return FALSE;
  external = size > MAX_PROTO || export.had_external;
  if (external)
    {
      if (!open_sink (sink, data_path, cancellable, error))
        return FALSE;
      move_graph_out (&arena, proto->graph, sink, location);
      if (!close_sink (sink, data_path, sink->written > 0, error))
        return FALSE;
      /* The old model would not go with the new data. */
      cancellable = NULL;
      size = protobuf_c_message_get_packed_size (&proto->base);
      if (size > MAX_PROTO)
        return too_large (size, error);
    }
  if (!open_sink (sink, path, cancellable, error))
    return FALSE;
  protobuf_c_message_pack_to_buffer (&proto->base, &sink->base);
  return close_sink (sink, path, TRUE, error);
}

gboolean
ph_onnx_text_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree Sink *sink = g_new (Sink, 1);

  ph_tensor_take_fault (NULL);
  text = ph_onnx_text_try_print (model, G_MAXSIZE, cancellable, error);
  if (text == NULL || !ph_tensor_take_fault (error) || !open_sink (sink, path, cancellable, error))
    return FALSE;
  append (&sink->base, strlen (text), (const guint8 *) text);
  return close_sink (sink, path, TRUE, error);
}
