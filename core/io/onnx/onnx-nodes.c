/* onnx-nodes.c: parses the nodes of a ModelProto without protobuf-c. In a graph of a million nodes nearly all of the file is names, which
 * are interned in place and never copied.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ahead.h"
#include "core/intern.h"
#include "core/io/onnx/proto.h"

typedef struct
{
  const guint8 *at, *end;
} Bytes;

/* A field of the wire format; @inside is the content if its kind is 2 (length-delimited). */
typedef struct
{
  guint number, kind;
  Bytes all, inside;
} Field;

static gboolean
read_varint (Bytes *bytes, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; bytes->at < bytes->end && shift < 64; shift += 7)
    {
      const guint8 byte = *bytes->at++;

      *value |= (guint64) (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Returns FALSE at the end, where bytes->at == bytes->end, and on malformed data. */
static gboolean
next_field (Bytes *bytes, Field *field)
{
  const guint8 *start = bytes->at;
  Bytes rest = *bytes;
  guint64 key, length = 0;

  if (rest.at == rest.end || !read_varint (&rest, &key) || key >> 3 == 0 || key >> 3 > 536870911)
    return FALSE;
  field->number = (guint) (key >> 3);
  field->kind = (guint) (key & 7);
  switch (field->kind)
    {
    case 0:
      if (!read_varint (&rest, &length))
        return FALSE;
      length = 0;
      break;
    case 1: length = 8; break;
    case 5: length = 4; break;
    case 2:
      if (!read_varint (&rest, &length))
        return FALSE;
      break;
    default: return FALSE;
    }
  if (length > (guint64) (rest.end - rest.at))
    return FALSE;
  field->inside = (Bytes) { rest.at, rest.at + length };
  bytes->at = rest.at + length;
  field->all = (Bytes) { start, bytes->at };
  return TRUE;
}

/* Returns the interned text, or NULL if it is not UTF-8 or contains a NUL. */
static char *
read_name (Bytes text)
{
  const gsize length = (gsize) (text.end - text.at);

  if (!g_utf8_validate_len ((const char *) text.at, length, NULL))
    return NULL;
  return length == 0 ? (char *) "" : (char *) ph_intern_sized ((const char *) text.at, length);
}

enum
{
  INPUT = 1,
  OUTPUT = 2,
  NAME = 3,
  OP_TYPE = 4,
  ATTRIBUTE = 5,
  DOMAIN = 7
};

/* Parses an ordinary node. Returns NULL if it has uncommon fields, which are left to protobuf-c. */
static Onnx__NodeProto *
read_plain_node (PhArena *arena, Bytes bytes)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  gsize counts[DOMAIN + 1] = { 0 };
  Onnx__NodeProto *node;
  Bytes rest = bytes;
  Field field;

  while (next_field (&rest, &field))
    {
      if (field.kind != 2 || field.number > DOMAIN || field.number == 6)
        return NULL;
      counts[field.number]++;
    }
  if (rest.at != rest.end)
    return NULL;
  node = ph_proto_new (arena, Onnx__NodeProto, onnx__node_proto);
  node->input = counts[INPUT] > 0 ? ph_arena_alloc (arena, counts[INPUT] * sizeof *node->input) : NULL;
  node->output = counts[OUTPUT] > 0 ? ph_arena_alloc (arena, counts[OUTPUT] * sizeof *node->output) : NULL;
  node->attribute = counts[ATTRIBUTE] > 0 ? ph_arena_alloc (arena, counts[ATTRIBUTE] * sizeof *node->attribute) : NULL;
  while (next_field (&bytes, &field))
    {
      gpointer read = field.number == ATTRIBUTE ? (gpointer) onnx__attribute_proto__unpack (
                          &allocator, (gsize) (field.inside.end - field.inside.at), field.inside.at)
                                                : (gpointer) read_name (field.inside);

      if (read == NULL)
        return NULL;
      switch (field.number)
        {
        case INPUT: node->input[node->n_input++] = read; break;
        case OUTPUT: node->output[node->n_output++] = read; break;
        case ATTRIBUTE: node->attribute[node->n_attribute++] = read; break;
        case NAME: node->name = read; break;
        case OP_TYPE: node->op_type = read; break;
        default: node->domain = read; break;
        }
    }
  return node;
}

static Onnx__NodeProto *
read_node (PhArena *arena, Bytes bytes)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  Onnx__NodeProto *node = read_plain_node (arena, bytes);

  return node != NULL ? node : onnx__node_proto__unpack (&allocator, (gsize) (bytes.end - bytes.at), bytes.at);
}

#define AHEAD 12 /* nodes */

/* Prefetches the hash slots of the names of a later node: the table of names is far larger than the cache. */
static void
expect_names (Bytes node)
{
  Field field;

  while (next_field (&node, &field))
    if (field.kind == 2 && (field.number == OUTPUT || field.number == NAME))
      ph_intern_expect ((const char *) field.inside.at, (gsize) (field.inside.end - field.inside.at));
}

static void
append (GByteArray *to, Bytes bytes)
{
  g_byte_array_append (to, bytes.at, (guint) (bytes.end - bytes.at));
}

/* Copies all fields of @bytes to @rest except those numbered @number; @n (out) counts these. */
static gboolean
leave_out (Bytes bytes, guint number, GByteArray *rest, gsize *n, Bytes *last)
{
  Field field;

  for (*n = 0; next_field (&bytes, &field);)
    if (field.number == number && field.kind == 2)
      {
        ++*n;
        *last = field.inside;
      }
    else
      append (rest, field.all);
  return bytes.at == bytes.end;
}

static Onnx__GraphProto *
read_graph (PhArena *arena, Bytes bytes)
{
  g_autoptr (GByteArray) rest = g_byte_array_new ();
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  Onnx__GraphProto *graph;
  Bytes last, ahead;
  Field field, later;
  gsize n, n_ahead = 0;

  if (!leave_out (bytes, 1, rest, &n, &last))
    return NULL;
  graph = onnx__graph_proto__unpack (&allocator, rest->len, rest->data);
  if (graph == NULL)
    return NULL;
  ph_intern_reserve (2 * n);
  graph->node = ph_arena_alloc (arena, n * sizeof *graph->node);
  ahead = bytes;
  while (next_field (&bytes, &field))
    if (field.number == 1 && field.kind == 2)
      {
        Onnx__NodeProto *node;

        for (; n_ahead <= graph->n_node + AHEAD && next_field (&ahead, &later); n_ahead++)
          if (later.number == 1 && later.kind == 2)
            expect_names (later.inside);
        node = read_node (arena, field.inside);
        if (node == NULL)
          return NULL;
        graph->node[graph->n_node++] = node;
      }
  return graph;
}

Onnx__ModelProto *
ph_proto_read_model (PhArena *arena, const guint8 *data, gsize size)
{
  g_autoptr (GByteArray) rest = g_byte_array_new ();
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  Onnx__ModelProto *model;
  Bytes graph = { NULL, NULL };
  gsize n;

  if (!leave_out ((Bytes) { data, data + size }, 7, rest, &n, &graph) || n != 1)
    return onnx__model_proto__unpack (&allocator, size, data); /* no graph, or several, which protobuf merges */
  model = onnx__model_proto__unpack (&allocator, rest->len, rest->data);
  if (model == NULL)
    return NULL;
  model->graph = read_graph (arena, graph);
  return model->graph != NULL ? model : NULL;
}
