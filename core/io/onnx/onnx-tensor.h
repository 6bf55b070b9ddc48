/* onnx-tensor.h: types and tensors as ONNX's messages have them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/onnx/proto.h"

G_BEGIN_DECLS

/* onnx-type.c. Unknown parts of a type (maps, sparse tensors) make it NULL. */
const PhType *ph_type_from_proto (const Onnx__TypeProto *proto);
gboolean ph_type_proto_plain (const Onnx__TypeProto *proto); /* PhType says all that it says */
char *ph_type_proto_opaque (const Onnx__TypeProto *proto);   /* its name, NULL: of another kind, or domain */
void ph_type_proto_set_opaque (PhArena *arena, Onnx__TypeProto *proto, const char *name);
/* @proto with what @type knows more; keeps denotations. */
Onnx__TypeProto *ph_type_overlay (PhArena *arena, Onnx__TypeProto *proto, const PhType *type);

/* onnx-tensor.c. @what names the tensor in messages. */
PhTensor *ph_tensor_from_proto (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *what, GError **error);
PhTensor *ph_tensor_from_sparse (PhOnnxSource *source, const Onnx__SparseTensorProto *proto, const char *what, GError **error);
/* Borrows the elements where it can. */
Onnx__TensorProto *ph_tensor_to_proto (PhArena *arena, PhTensor *tensor, const char *name);

/* onnx-external.c */
PhFile *ph_external_find (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *what, gsize *offset, gsize *length,
                          GError **error); /* (transfer none) */

G_END_DECLS
