/* onnx-nodes.c: parses the nodes of a ModelProto without protobuf-c. In a graph of a million nodes nearly all of the file is names, which
 * are interned in place and never copied.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ahead.h"
#include "core/intern.h"
#include "core/io/onnx/proto.h"
#include "core/io/wire.h"

/* Returns the interned text, or NULL if it is not UTF-8 or contains a NUL. */
static char *
read_name (PhSpan text)
{
  if (!g_utf8_validate_len ((const char *) text.data, text.size, NULL))
    return NULL;
  return text.size == 0 ? (char *) "" : (char *) ph_intern_sized ((const char *) text.data, text.size);
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
read_plain_node (PhArena *arena, PhSpan bytes)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  gsize counts[DOMAIN + 1] = { 0 }, at = 0;
  Onnx__NodeProto *node;
  PhWireField field;

  while (ph_wire_next (bytes, &at, &field))
    {
      if (field.type != PH_WIRE_BYTES || field.id > DOMAIN || field.id == 6)
        return NULL;
      counts[field.id]++;
    }
  if (at != bytes.size)
    return NULL;
  node = ph_proto_new (arena, Onnx__NodeProto, onnx__node_proto);
  node->input = counts[INPUT] > 0 ? ph_arena_alloc (arena, counts[INPUT] * sizeof *node->input) : NULL;
  node->output = counts[OUTPUT] > 0 ? ph_arena_alloc (arena, counts[OUTPUT] * sizeof *node->output) : NULL;
  node->attribute = counts[ATTRIBUTE] > 0 ? ph_arena_alloc (arena, counts[ATTRIBUTE] * sizeof *node->attribute) : NULL;
  at = 0;
  while (ph_wire_next (bytes, &at, &field))
    {
      gpointer read = field.id == ATTRIBUTE
                          ? (gpointer) onnx__attribute_proto__unpack (&allocator, field.span.size, field.span.data)
                          : (gpointer) read_name (field.span);

      if (read == NULL)
        return NULL;
      switch (field.id)
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
read_node (PhArena *arena, PhSpan bytes)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  Onnx__NodeProto *node = read_plain_node (arena, bytes);

  return node != NULL ? node : onnx__node_proto__unpack (&allocator, bytes.size, bytes.data);
}

#define AHEAD 12 /* nodes */

/* Prefetches the hash slots of the names of a later node: the table of names is far larger than the cache. */
static void
expect_names (PhSpan node)
{
  PH_WIRE_FOREACH (field, node)
    if (field.type == PH_WIRE_BYTES && (field.id == OUTPUT || field.id == NAME))
      ph_intern_expect ((const char *) field.span.data, field.span.size);
}

/* Copies all fields of @bytes to @rest except those numbered @number; @n (out) counts these. */
static gboolean
leave_out (PhSpan bytes, guint number, GByteArray *rest, gsize *n, PhSpan *last)
{
  PhWireField field;
  gsize at = 0;

  *n = 0;
  for (gsize from = 0; ph_wire_next (bytes, &at, &field); from = at)
    if (field.id == number && field.type == PH_WIRE_BYTES)
      {
        ++*n;
        *last = field.span;
      }
    else
      g_byte_array_append (rest, bytes.data + from, (guint) (at - from));
  return at == bytes.size;
}

static Onnx__GraphProto *
read_graph (PhArena *arena, PhSpan bytes)
{
  g_autoptr (GByteArray) rest = g_byte_array_new ();
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  Onnx__GraphProto *graph;
  PhSpan last;
  PhWireField field, later;
  gsize n, n_ahead = 0, at = 0, ahead = 0;

  if (!leave_out (bytes, 1, rest, &n, &last))
    return NULL;
  graph = onnx__graph_proto__unpack (&allocator, rest->len, rest->data);
  if (graph == NULL)
    return NULL;
  ph_intern_reserve (2 * n);
  graph->node = ph_arena_alloc (arena, n * sizeof *graph->node);
  while (ph_wire_next (bytes, &at, &field))
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      {
        Onnx__NodeProto *node;

        for (; n_ahead <= graph->n_node + AHEAD && ph_wire_next (bytes, &ahead, &later); n_ahead++)
          if (later.id == 1 && later.type == PH_WIRE_BYTES)
            expect_names (later.span);
        node = read_node (arena, field.span);
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
  PhSpan graph = { NULL, 0 };
  gsize n;

  if (!leave_out ((PhSpan) { data, size }, 7, rest, &n, &graph) || n != 1)
    return onnx__model_proto__unpack (&allocator, size, data); /* no graph, or several, which protobuf merges */
  model = onnx__model_proto__unpack (&allocator, rest->len, rest->data);
  if (model == NULL)
    return NULL;
  model->graph = read_graph (arena, graph);
  return model->graph != NULL ? model : NULL;
}
