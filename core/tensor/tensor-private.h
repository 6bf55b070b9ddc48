/* tensor-private.h: what the files of a tensor share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* Room for an element that is not aligned where it is. */
typedef union { guint8 raw[16]; gint64 align; } PhElement;

/* Where element @index is, without expanding a splat; a misaligned one is brought into @room. */
gconstpointer ph_tensor_element (PhTensor *tensor, gsize index, PhElement *room);

G_END_DECLS
