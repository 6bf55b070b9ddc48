/* convert-foreign.h: what the rules of TensorFlow, TensorFlow Lite and OpenVINO share. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert.h"

G_BEGIN_DECLS

extern const PhConvertRule ph_convert_tensorflow[], ph_convert_tensorflow_tensors[], ph_convert_tflite[], ph_convert_openvino[];

/* The node becomes one ONNX operator on the same operands. */
gboolean   ph_foreign_node      (PhConvert *l, const PhOp *op, PhValue **out);
/* Rules that read nothing but the operands: by @l->op, behind the colon, in a table of names. */
gboolean   ph_foreign_direct    (PhConvert *l, PhValue **out);
gboolean   ph_foreign_same      (PhConvert *l, PhValue **out);       /* its first operand                                     */
/* The elements of a constant integer input, of any rank, in order. NULL: it is not constant; l->stays says so. (element-type gint64) (transfer full) */
GArray    *ph_foreign_ints      (PhConvert *l, guint input);
gint64     ph_foreign_int       (PhConvert *l, guint input, gint64 fallback);
PhValue   *ph_foreign_int64     (PhConvert *l, PhValue *value);      /* Cast to int64                                         */
PhValue   *ph_foreign_number    (PhConvert *l, PhValue *like, double number);
PhDType    ph_foreign_type_attr (PhConvert *l, const char *name, PhDType fallback);
/* Which reduction an operator of another system is. */
typedef struct { const char *name; const PhOp *op; } PhForeignReduction;
/* By the one of @kinds that the operator is called: input 0 over the axes of input 1, with its attribute keep_dims. */
gboolean   ph_foreign_reduction (PhConvert *l, const PhForeignReduction *kinds, guint n_kinds, PhValue **out);
PhValue   *ph_foreign_axis      (PhConvert *l, const PhOp *op, PhValue *value, gint64 axis);      /* Squeeze or Unsqueeze      */

/* Move the channels from the last dimension to the second, and back. Rank 4 or 5. */
PhValue   *ph_foreign_to_nchw   (PhConvert *l, PhValue *value);
PhValue   *ph_foreign_to_nhwc   (PhConvert *l, PhValue *value);
typedef struct { gint64 kernel[3], stride[3], dilation[3], explicit_pads[6]; guint n; const char *padding; gint64 group; } PhForeignWindow;
/* @x: channels second. @kind: Conv, MaxPool or AveragePool; @w, @bias: (nullable) as ONNX has them. */
PhValue   *ph_foreign_window    (PhConvert *l, const PhOp *kind, const PhForeignWindow *window, PhValue *x, PhValue *w, PhValue *bias);
/* Transposed convolution to a given size of the plane. */
PhValue   *ph_foreign_transposed (PhConvert *l, const PhForeignWindow *window, PhValue *x, PhValue *w, PhValue *bias, const gint64 *sizes);
gboolean   ph_foreign_resize    (PhConvert *l, gboolean linear, gboolean corners, gboolean half, PhValue **out);
gboolean   ph_foreign_strided_slice (PhConvert *l, PhValue **out);

/* TensorFlow Lite: quantised operands as floats, the fused activation behind it. */
gboolean   ph_tflite_lower      (PhConvert *l, PhConvertFunc lower, PhValue **out);

G_END_DECLS
