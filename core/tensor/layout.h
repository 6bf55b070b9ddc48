/* layout.h: in which order the elements of a tensor lie in memory.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/dtype.h"
#include "core/tensor/tensor-type.h"

G_BEGIN_DECLS

/* In which order the elements of a tensor (batch, channels, spatial...) lie. Only those that kernels hand each other lie in
 * another order than row-major; whoever asks for ph_tensor_data() finds them row-major, beside. */
typedef enum
{
  PH_MEMORY_PLAIN,
  PH_MEMORY_CHANNELS_LAST,
  PH_MEMORY_BLOCKED_8,
  PH_MEMORY_BLOCKED_16,
  PH_N_MEMORY_FORMATS
} PhMemoryFormat;

const char *ph_memory_format_name (PhMemoryFormat layout);
/* Floats of rank 3 to 5, not set, to be written through ph_tensor_packed(); blocked ones have their channels filled up with
 * zeros to a whole block. (nullable) as ph_tensor_new() */
PhTensor *ph_tensor_new_packed (guint rank, const gint64 *dims, PhMemoryFormat layout);
PhMemoryFormat ph_tensor_format (const PhTensor *tensor);
gpointer ph_tensor_packed (PhTensor *tensor); /* in ph_tensor_format(), which is not plain */
gsize ph_memory_format_count (PhMemoryFormat layout, guint rank, const gint64 *dims); /* elements with what fills up */

G_END_DECLS
