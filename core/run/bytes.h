/* bytes.h: tensors of signed or unsigned bytes, and operators on dequantized bytes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/kernels.h"

G_BEGIN_DECLS

static inline gboolean
ph_is_byte (PhDType dtype)
{
  return dtype == PH_UINT8 || dtype == PH_INT8;
}

static inline gboolean
ph_are_bytes (PhTensor *tensor)
{
  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_is_byte (ph_tensor_dtype (tensor));
}

/* @tensor: (nullable) of bytes; nothing but zeros. */
static inline gint32
ph_byte_at (PhTensor *tensor, gsize i)
{
  const guint8 *bytes = tensor != NULL ? ph_tensor_data (tensor) : NULL;

  return bytes == NULL ? 0 : ph_tensor_dtype (tensor) == PH_INT8 ? (gint8) bytes[i] : bytes[i];
}

#define PH_NO_INPUT G_MAXUINT

/* The body of a fused node: one operator on dequantized bytes, pointwise ones after it, and QuantizeLinear. Its kernels multiply integers and
 * round once, where the operators themselves round each product and sum to float32: half-way between two bytes the result may be the other. */
typedef struct
{
  const PhGraph *graph;
  PhNode *head, *after[16];
  guint n_after;
  PhDType dtype;     /* of the result: float32 where nothing quantizes it */
  guint scale, zero; /* of the result, among the node's inputs, or PH_NO_INPUT */
} PhBytesBody;

/* FALSE: the body is another one than of an operator @op, or its result has several scales. */
gboolean ph_bytes_body_read (PhBytesBody *body, PhKernel *kernel, const PhOp *op);
/* Finds among the node's inputs what the operand @value of the body was dequantized from; of several scales each is of one index along
 * @axis, -1: the last one. FALSE: @value was not, or in another way. */
gboolean ph_bytes_operand_read (PhKernel *kernel, const PhValue *value, int axis, guint *x, guint *scale, guint *zero);

G_END_DECLS
