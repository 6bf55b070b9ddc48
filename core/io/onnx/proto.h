/* proto.h: what the readers and writers of this folder share: ONNX's messages in an arena, and what belongs to one file.
 * A model is read in two halves that meet at Onnx__ModelProto: protobuf or text makes the messages, import makes the
 * graph; writing goes back the same way.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/io.h"
#include "core/io/onnx.pb-c.h"
#include "core/io/onnx/arena.h"
#include "core/io/source.h"

G_BEGIN_DECLS

/* A new message of the struct type @Type: ph_proto_new (arena, Onnx__NodeProto, onnx__node_proto) */
/* clang-format off */
#define ph_proto_new(arena, Type, prefix) \
  ({ Type *message_ = ph_arena_alloc ((arena), sizeof (Type)); prefix##__init (message_); message_; })
/* clang-format on */

GBytes *ph_proto_to_bytes (const ProtobufCMessage *message);
gpointer ph_proto_parse (PhArena *arena, const ProtobufCMessageDescriptor *descriptor, GBytes *bytes); /* (nullable) */
/* Field @tag among those that onnx.proto does not know, or NULL. */
const ProtobufCMessageUnknownField *ph_proto_unknown (const ProtobufCMessage *message, guint tag);
/* As a string of the arena; NULL when there is none. */
char *ph_proto_unknown_string (PhArena *arena, const ProtobufCMessage *message, guint tag);

/* Fields that are newer than Debian's onnx.proto. */
/* clang-format off */
enum
{
  PH_FUNCTION_ATTRIBUTE_PROTO = 11, PH_FUNCTION_VALUE_INFO = 12, PH_FUNCTION_OVERLOAD = 13,
  PH_NODE_OVERLOAD = 8,
  PH_TYPE_OPAQUE = 7,                /* older: of the onnx.proto for ML operators */
  PH_TENSOR_SLICE = 536870001,       /* never in a file: number of the slice that the walk took out */
};
/* clang-format on */

/* Where a large raw_data lies in the file. */
typedef struct
{
  gsize offset, length;
} PhSlice;

/* What ONNX's reader keeps of the file that it reads. */
typedef struct
{
  PhSource *base;
  GArray *slices;       /* (nullable) (element-type PhSlice)                                   */
  GPtrArray *functions; /* (nullable) (element-type GBytes) FunctionProtos of a binary file    */
  GPtrArray *parsed;    /* (nullable) (element-type Onnx__FunctionProto) those of text         */
  GBytes *extra;        /* (nullable) the rest of the ModelProto, as it is in the file         */
} PhOnnxSource;

void ph_onnx_source_clear (PhOnnxSource *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhOnnxSource, ph_onnx_source_clear)

/* Where the data lies that @mark stands for; NULL when it is nonsense. */
const PhSlice *ph_source_slice (PhOnnxSource *source, const ProtobufCMessageUnknownField *mark);
/* Puts large data that was taken out back into @message and all below it, read into @arena. */
gboolean ph_proto_restore (PhOnnxSource *source, PhArena *arena, ProtobufCMessage *message, GError **error);

/* onnx-wire.c: checks nesting, takes large data out. Returns the slim copy. */
GByteArray *ph_wire_walk (PhOnnxSource *source, GError **error);

/* onnx-nodes.c: as protobuf-c reads it, but names of nodes are interned and not of the arena. (nullable) */
Onnx__ModelProto *ph_proto_read_model (PhArena *arena, const guint8 *data, gsize size);

/* onnx-import.c */
PhModel *ph_onnx_import (PhOnnxSource *source, PhArena *arena, Onnx__ModelProto *proto, GError **error);
PhAttr *ph_attr_from_proto (PhOnnxSource *source, PhArena *arena, Onnx__AttributeProto *proto, GError **error);

/* Appends @part to @to as a field that Debian's onnx.proto does not know; or bytes. */
void ph_proto_append (PhArena *arena, ProtobufCMessage *to, guint tag, const ProtobufCMessage *part);
void ph_proto_append_bytes (PhArena *arena, ProtobufCMessage *to, guint tag, gconstpointer bytes, gsize size);
/* The field as a message; NULL: it is of another tag, or damaged. */
gpointer ph_proto_unknown_message (PhArena *arena, const ProtobufCMessageUnknownField *field, guint tag,
                                   const ProtobufCMessageDescriptor *descriptor);

/* onnx-function.c: a function's attribute with a default, from its field @i of those that protobuf-c does not know. (nullable) */
Onnx__AttributeProto *ph_function_default_attr (PhArena *arena, const Onnx__FunctionProto *function, guint i);
Onnx__ValueInfoProto *ph_function_value_info (PhArena *arena, const Onnx__FunctionProto *function,
                                              guint i); /* likewise, a type */

/* onnx-writer.c: a file takes the place of the old one only when it is whole. */
gboolean ph_onnx_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error);
gboolean ph_onnx_text_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error);

/* Attributes of these kinds are kept as bytes, and in text as the bytes of the message after this word for their type. */
#define PH_TEXT_OPAQUE  "attribute_proto"
#define PH_ATTR_SPARSE  11
#define PH_ATTR_SPARSES 12

/* text-parser.c, text-printer.c */
Onnx__ModelProto *ph_text_parse (PhOnnxSource *source, PhArena *arena, const char *text, gsize length, GError **error);

G_END_DECLS
