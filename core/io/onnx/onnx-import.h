/* onnx-import.h: what the files of the import share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"
#include "core/io/import.h"
#include "core/io/onnx/proto.h"
#include "core/ops/op.h"

G_BEGIN_DECLS

typedef struct
{
  PhImporter base;
  PhOnnxSource *source;
  PhArena *arena;
  PhModel *model;
  GHashTable *functions; /* "domain\nname" -> FunctionProto                */
  GHashTable *fused;     /* of these, those that became bodies of nodes    */
  GHashTable *unknown;   /* operators already listed as unknown            */
  guint depth;           /* of fused bodies being made                     */
  GPtrArray *tables;     /* (element-type GHashTable) freed with it        */
} PhImport;

/* doc_string of a Constant node that stands for a constant of a function or of a fused node's body. */
#define PH_BODY_CONSTANT "constant of the fused operator"

/* Extra of a value that stands for an output that the file leaves out (""): a graph fragment with an empty name. */
#define PH_ABSENT_OUTPUT "\x12"

/* @closed: a function's body, which captures nothing. */
gboolean ph_import_proto (PhImport *import, PhScope *outer, gboolean closed, PhGraph *graph, Onnx__GraphProto *proto,
                          GError **error);

/* onnx-tags.c: control edges, and into @spec place, role, partner and device, from attributes or metadata. */
void ph_import_read_after (PhImport *import, const Onnx__NodeProto *proto, PhImportNode *node);
void ph_import_read_tags (PhImport *import, PhScope *scope, const Onnx__NodeProto *proto, PhNodeSpec *spec);
gboolean ph_import_is_tag (PhImport *import, const ProtobufCMessageUnknownField *field);
gboolean ph_is_tag (const char *name); /* an attribute that the text has for what ONNX has no place for */

/* onnx-node.c */
GBytes *ph_import_node_extra (PhImport *import, const Onnx__NodeProto *proto); /* (nullable) */

/* onnx-function.c */
Onnx__FunctionProto *ph_import_function (PhImport *import, const char *domain, const char *name); /* (nullable) */
/* The function without its graph, and then that. */
PhFunction *ph_import_add_function (PhImport *import, Onnx__FunctionProto *proto, GError **error);
gboolean ph_import_fill_function (PhImport *import, PhFunction *function, Onnx__FunctionProto *proto, GError **error);
/* The function that a fused node was written as, if @proto calls one. (nullable) */
Onnx__FunctionProto *ph_import_find_fused (PhImport *import, const Onnx__NodeProto *proto);
gboolean ph_import_fused (PhImport *import, PhScope *scope, PhNode *node, Onnx__FunctionProto *function, GError **error);

G_END_DECLS
