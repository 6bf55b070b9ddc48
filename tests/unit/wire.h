/* wire.h: builds protobuf messages by hand, for tests of the readers: also those that no library would write.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <string.h>

typedef GByteArray Wire;

static inline void
wire_varint (Wire *wire, guint64 value)
{
  do
    {
      guint8 byte = (guint8) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

      g_byte_array_append (wire, &byte, 1);
      value >>= 7;
    }
  while (value != 0);
}

static inline void
wire_int (Wire *wire, guint field, guint64 value)
{
  wire_varint (wire, field << 3);
  wire_varint (wire, value);
}

static inline void
wire_bytes (Wire *wire, guint field, gconstpointer data, gsize size)
{
  wire_varint (wire, field << 3 | 2);
  wire_varint (wire, size);
  g_byte_array_append (wire, data, (guint) size);
}

static inline void
wire_string (Wire *wire, guint field, const char *text)
{
  wire_bytes (wire, field, text, strlen (text));
}

/* Takes @child. */
static inline void
wire_message (Wire *wire, guint field, Wire *child)
{
  wire_bytes (wire, field, child->data, child->len);
  g_byte_array_unref (child);
}

/* A NodeProto; @inputs and @outputs are names with spaces between, "-" is "". */
static inline Wire *
wire_node (const char *op, const char *inputs, const char *outputs, const char *name)
{
  Wire *node = g_byte_array_new ();
  g_auto (GStrv) in = g_strsplit (inputs, " ", -1), out = g_strsplit (outputs, " ", -1);

  for (guint i = 0; in[i] != NULL && in[i][0] != '\0'; i++)
    wire_string (node, 1, g_str_equal (in[i], "-") ? "" : in[i]);
  for (guint i = 0; out[i] != NULL && out[i][0] != '\0'; i++)
    wire_string (node, 2, g_str_equal (out[i], "-") ? "" : out[i]);
  if (name != NULL)
    wire_string (node, 3, name);
  wire_string (node, 4, op);
  return node;
}

/* A ValueInfoProto: float[n]. */
static inline Wire *
wire_value (const char *name, guint n)
{
  Wire *value = g_byte_array_new (), *type = g_byte_array_new (), *tensor = g_byte_array_new ();
  Wire *shape = g_byte_array_new (), *dim = g_byte_array_new ();

  wire_int (dim, 1, n);
  wire_message (shape, 1, dim);
  wire_int (tensor, 1, 1);
  wire_message (tensor, 2, shape);
  wire_message (type, 1, tensor);
  wire_string (value, 1, name);
  wire_message (value, 2, type);
  return value;
}

/* A TensorProto with raw_data. */
static inline Wire *
wire_tensor (const char *name, guint dtype, guint rank, const gint64 *dims, gconstpointer raw, gsize size)
{
  Wire *tensor = g_byte_array_new ();

  for (guint i = 0; i < rank; i++)
    wire_int (tensor, 1, (guint64) dims[i]);
  wire_int (tensor, 2, dtype);
  wire_string (tensor, 8, name);
  if (raw != NULL)
    wire_bytes (tensor, 9, raw, size);
  return tensor;
}

/* A ModelProto of opset 17 around @graph, which it takes. */
static inline GBytes *
wire_model (Wire *graph)
{
  Wire *model = g_byte_array_new (), *opset = g_byte_array_new ();

  wire_string (opset, 1, "");
  wire_int (opset, 2, 17);
  wire_int (model, 1, 8);
  wire_message (model, 8, opset);
  wire_message (model, 7, graph);
  return g_byte_array_free_to_bytes (model);
}

/* A graph of float[2] x to y with these nodes, which it takes. */
static inline Wire *
wire_graph (guint n, Wire **nodes)
{
  Wire *graph = g_byte_array_new ();

  for (guint i = 0; i < n; i++)
    wire_message (graph, 1, nodes[i]);
  wire_string (graph, 2, "g");
  wire_message (graph, 11, wire_value ("x", 2));
  wire_message (graph, 12, wire_value ("y", 2));
  return graph;
}

static inline GBytes *
wire_simple_model (guint n, Wire **nodes)
{
  return wire_model (wire_graph (n, nodes));
}
