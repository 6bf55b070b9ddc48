/* bytes.h: tensors of 8 bits, signed or not.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

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

G_END_DECLS
