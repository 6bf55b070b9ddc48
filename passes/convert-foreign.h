/* convert-foreign.h: what the rules of TensorFlow, TensorFlow Lite, OpenVINO, oneDNN, MindSpore and TVM share. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert.h"

G_BEGIN_DECLS

extern const PhConvertRule ph_convert_tensorflow[], ph_convert_tensorflow_tensors[], ph_convert_tensorflow_math[],
    ph_convert_tensorflow_parts[], ph_convert_tensorflow_index[], ph_convert_tensorflow_frozen[], ph_convert_tflite[],
    ph_convert_openvino[], ph_convert_openvino_tensors[], ph_convert_openvino_bodies[], ph_convert_openvino_recurrent[],
    ph_convert_onednn[], ph_convert_mindspore[], ph_convert_tvm[], ph_convert_tvm_shape[], ph_convert_tvm_index[];

/* The node becomes one ONNX operator on the same operands. */
gboolean ph_foreign_node (PhConvert *l, const PhOp *op, PhValue **out);
/* Rules that read nothing but the operands: by the name behind the colon; its first operand. */
gboolean ph_foreign_direct (PhConvert *l, PhValue **out), ph_foreign_same (PhConvert *l, PhValue **out);
/* The elements of a constant integer input, of any rank, in order. NULL: it is not constant; l->stays says so. (element-type gint64) (transfer full) */
GArray *ph_foreign_ints (PhConvert *l, guint input);
gint64 ph_foreign_int (PhConvert *l, guint input, gint64 fallback);
PhValue *ph_foreign_int64 (PhConvert *l, PhValue *value); /* Cast to int64                                         */
PhValue *ph_foreign_number (PhConvert *l, PhValue *like, double number);
/* Without the quotes of Relay's. (transfer full) */
char *ph_foreign_text_attr (PhConvert *l, const char *name, const char *fallback);
PhDType ph_foreign_type_attr (PhConvert *l, const char *name, PhDType fallback);
/* Which reduction an operator of another system is. */
typedef struct
{
  const char *name;
  const PhOp *op;
} PhForeignReduction;
/* By the one of @kinds that the operator is called, behind the colon: input 0 over the axes of input 1, with its attribute keep_dims. */
gboolean ph_foreign_reduction (PhConvert *l, const PhForeignReduction *kinds, guint n_kinds, PhValue **out);
/* The same over @axes (element-type gint64); NULL: over all. */
gboolean ph_foreign_reduction_over (PhConvert *l, const PhForeignReduction *kinds, guint n_kinds, const GArray *axes,
                                    gboolean keep, PhValue **out);
/* The product of inputs 0 and 1, transposed or not, plus input 2 if there is one. */
gboolean ph_foreign_product (PhConvert *l, gboolean transpose_a, gboolean transpose_b, PhValue **out);
gboolean ph_foreign_add_bias (PhConvert *l, int axis, PhValue **out); /* input 1 along @axis of input 0 */
/* FALSE: a later output than the first is used; l->stays says so. */
gboolean ph_foreign_statistics_unused (PhConvert *l);
/* Its operands, tuples' elements among them, behind each other along its axis; along a new one. */
gboolean ph_foreign_concat (PhConvert *l, PhValue **out), ph_foreign_stack (PhConvert *l, PhValue **out);
PhValue *ph_foreign_joined (PhConvert *l, PhValue *a, PhValue *b);                    /* along the first axis */
gboolean ph_foreign_cast (PhConvert *l, PhValue **out);                               /* to the element type of what it gives */
PhValue *ph_foreign_axis (PhConvert *l, const PhOp *op, PhValue *value, gint64 axis); /* Squeeze or Unsqueeze      */
/* Move the channels from the last dimension to the second, and back. Rank 4 or 5. */
PhValue *ph_foreign_to_nchw (PhConvert *l, PhValue *value), *ph_foreign_to_nhwc (PhConvert *l, PhValue *value);
typedef struct
{
  gint64 kernel[3], stride[3], dilation[3], explicit_pads[6];
  guint n;
  const char *padding;
  gint64 group;
} PhForeignWindow;
/* @x: channels second. @kind: Conv, MaxPool or AveragePool; @w, @bias: (nullable) as ONNX has them. */
PhValue *ph_foreign_window (PhConvert *l, const PhOp *kind, const PhForeignWindow *window, PhValue *x, PhValue *w, PhValue *bias);
/* Transposed convolution to a given size of the plane. */
PhValue *ph_foreign_transposed (PhConvert *l, const PhForeignWindow *window, PhValue *x, PhValue *w, PhValue *bias,
                                const gint64 *sizes);
gboolean ph_foreign_resize (PhConvert *l, gboolean linear, gboolean corners, gboolean half, PhValue **out);
gboolean ph_foreign_strided_slice (PhConvert *l, PhValue **out);
gboolean ph_foreign_as (PhConvert *l, const char *name, PhValue **out); /* as the rule of @name ("tf:Square") */
/* Integers of an attribute: a number, a list, or a text that lists them ("[1, 1]", "R.shape([2, 3])"). NULL: there are none, or a
 * symbol is among them. (element-type gint64) (transfer full) */
GArray *ph_foreign_attr_ints (const PhConvert *l, const char *name);
/* The first of them, or a number of the other kinds. */
gint64 ph_foreign_attr_int (const PhConvert *l, const char *name, gint64 fallback);
double ph_foreign_attr_number (const PhConvert *l, const char *name, double fallback);
/* The last @n of the attribute's integers into @to, of one integer all; what is missing stays. FALSE: there are symbols. */
gboolean ph_foreign_fill (const PhConvert *l, const char *name, gint64 *to, guint n);
/* The operands of @value, if a node makes one value of several (to any depth), else @value itself. (element-type PhValue) */
void ph_foreign_elements (PhValue *value, GPtrArray *to);
/* The last two axes the other way round; a vector stays. NULL: the rank is not known; l->stays says so. */
PhValue *ph_foreign_swapped (PhConvert *l, PhValue *value);
/* Channels from the last dimension to the second, and back, for any rank from 3 to 5. */
PhValue *ph_foreign_channels_second (PhConvert *l, PhValue *value), *ph_foreign_channels_last (PhConvert *l, PhValue *value);
/* @pads: before each of @n axes, then after each; the border is repeated, as in SYMMETRIC. NULL: a size is not known; l->stays says so. */
PhValue *ph_foreign_repeat_border (PhConvert *l, PhValue *value, const gint64 *pads, guint n);
/* A class that is negative or too large gives @off everywhere. */
PhValue *ph_foreign_one_hot (PhConvert *l, PhValue *classes, PhValue *depth, PhValue *on, PhValue *off, gint64 axis);
/* Operands x, scale, shift, mean, variance; @last: the channels of x are its last dimension. */
gboolean ph_foreign_batch_norm (PhConvert *l, gboolean last, PhValue **out);
/* One number for each channel, for a tensor of @rank dimensions. */
PhValue *ph_foreign_along (PhConvert *l, PhValue *bias, int rank, int axis);
/* @filters: the order of the filters' axes, O, I and the others: "OIHW", "XIO". @window's kernel is read from @w. */
gboolean ph_foreign_conv (PhConvert *l, PhForeignWindow *window, gboolean transposed, const gint64 *more, gboolean channels_last,
                          const char *filters, PhValue *x, PhValue *w, PhValue *bias, PhValue **out);
gboolean ph_foreign_pool (PhConvert *l, const PhOp *op, const PhForeignWindow *window, gboolean channels_last, gboolean ceil,
                          gboolean with_pads, PhValue **out);

/* MindSpore and TVM: tuples become several values, functions that are values are written out, branches become If. */
gboolean ph_foreign_prepare (PhPassRun *run, GError **error);
/* What only said something of others goes. */
gboolean ph_foreign_finish (PhPassRun *run, GError **error);

/* TensorFlow Lite: quantised operands as floats, the fused activation behind it; that of the LSTM is in it. */
gboolean ph_tflite_lower (PhConvert *l, PhConvertFunc lower, PhValue **out), ph_tflite_lstm (PhConvert *l, PhValue **out);

G_END_DECLS
