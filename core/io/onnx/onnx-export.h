/* onnx-export.h: a model as ONNX's messages.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/onnx/proto.h"

G_BEGIN_DECLS

/* onnx-export.c: a model as messages that borrow from it. */
typedef struct
{
  PhArena *arena;
  GHashTable *tensors;       /* (nullable) TensorProto -> PhTensor: text wants no packed elements     */
  GCancellable *cancellable; /* (nullable) cancelled: nodes are left out, nobody may use the result   */
  gboolean plain;            /* for other programs: fused nodes become functions, outputs distinct    */
  /* private */
  GHashTable *bodies; /* a body's bytes -> its function's name                                 */
  GHashTable *function_names;
  GPtrArray *functions;   /* (element-type Onnx__FunctionProto)                                    */
  GHashTable *aliases;    /* (nullable) PhValue -> number, while a body's key is made              */
  gboolean nameless;      /* likewise: no names of nodes, no extras                                */
  GHashTable *node_names; /* (nullable) those given so far: other runtimes want each name once     */
  gboolean had_external;  /* set: some tensor of the file was external data                        */
  PhModel *model;
} PhExport;

Onnx__AttributeProto *ph_attr_to_proto (PhExport *export, const PhAttr *attr);
Onnx__ModelProto *ph_onnx_export (PhExport *export, PhModel *model);
Onnx__GraphProto *ph_onnx_export_graph (PhExport *export, PhGraph *graph);
/* Sorted; with Peephole's own when there are calls of its functions. */
Onnx__OperatorSetIdProto **ph_export_opsets (PhExport *export, gboolean with_own, gsize *n);
void ph_export_add_tags (PhExport *export, Onnx__NodeProto *proto, const PhNode *node); /* onnx-tags.c */
const char *ph_export_fused (PhExport *export, PhNode *node);                           /* onnx-fused.c: its function's name */
/* A box of HLO, which no runtime knows, as functions that nothing calls. */
void ph_export_box (PhExport *export, PhNode *node);
/* onnx-function.c: what the graph of a function has, but name, domain, attributes and opsets. */
Onnx__FunctionProto *ph_export_body (PhExport *export, PhGraph *graph, gboolean *calls_own);
/* Those that are written: of a model that became ONNX none is left of what nothing calls and ONNX has not. (transfer container) (element-type PhFunction) */
GPtrArray *ph_export_functions (const PhModel *model);
Onnx__FunctionProto *ph_export_function (PhExport *export, const PhFunction *function);
Onnx__OperatorSetIdProto **ph_export_opset_table (PhExport *export, GHashTable *opsets, gboolean with_own, gsize *n);

G_END_DECLS
