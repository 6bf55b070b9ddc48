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
/* The dimensions in which to walk in the order of @layout: for each its size, the tensor's dimension and the step in it. At most
 * @rank + 1; their number. */
guint ph_memory_format_walk (PhMemoryFormat layout, guint rank, const gint64 *dims, gint64 *walk, guint *of, gint64 *step);
/* Floats in row-major order; @tensor itself if there is no memory. (transfer full) */
PhTensor *ph_tensor_in_rows (PhTensor *tensor);
/* A copy of floats of such a rank in @layout. (nullable) */
PhTensor *ph_tensor_new_packed_of (PhTensor *tensor, PhMemoryFormat layout);
PhMemoryFormat ph_tensor_format (const PhTensor *tensor);
gpointer ph_tensor_packed (PhTensor *tensor); /* in ph_tensor_format(), which is not plain */
gsize ph_memory_format_count (PhMemoryFormat layout, guint rank, const gint64 *dims); /* elements with what fills up */

G_END_DECLS
