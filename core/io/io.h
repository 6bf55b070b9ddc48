/* io.h: opens and saves models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* By content more than by name: the surest of core/io/format.h's formats. Large weights stay in the file until something reads them;
 * what was written meanwhile is an error then, not other weights (core/tensor/file.h). External data is read
 * only inside the model's folder. Types are inferred (a model at an old opset through an upgraded clone). Problems that do
 * not prevent opening (an unknown operator, a shape that contradicts) go to @problems (element-type char*) (nullable). */
PhModel *ph_io_open (const char *path, GPtrArray *problems, GCancellable *cancellable, GError **error);
/* In the format of its extension. Writes beside and renames, so a failure loses nothing. */
gboolean ph_io_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error);

PhModel *ph_onnx_read (GBytes *bytes, const char *path, GPtrArray *problems,
                       GError **error); /* @path for messages, external data */
PhModel *ph_io_open_function (const PhFunction *function, const PhNode *call,
                              GError **error); /* ph_function_instance(), with types */
GBytes *ph_onnx_write (PhModel *model, GError **error);
PhModel *ph_onnx_text_read (const char *text, gssize length, const char *path, GError **error); /* errors: path:line:column */

/* ONNX's own text syntax. Constants up to @max_elements are written out, of longer ones only their number of elements
 * and their hash, so that text is for reading only. Deterministic: the same graph prints to the same bytes. */
char *ph_onnx_text_print (PhModel *model, gsize max_elements);
/* The same, unless it is cancelled. */
char *ph_onnx_text_try_print (PhModel *model, gsize max_elements, GCancellable *cancellable, GError **error);

/* A TensorProto, SequenceProto or OptionalProto file (.pb) by @type (nullable: a tensor), or .npy. */
PhTensor *ph_tensor_load (const char *path, const PhType *type, char **name, GError **error);
gboolean ph_tensor_save (PhTensor *tensor, const char *name, const char *path, GError **error); /* .pb or .npy */

G_END_DECLS
