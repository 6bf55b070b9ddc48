/* origin.h: what a tensor came from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* Opaque here: see core/run/recipe.h. Set once, before the tensor is shared; it lives as long as the tensor. */
void           ph_tensor_set_origin     (PhTensor *tensor, gpointer origin, GDestroyNotify free_origin);
gpointer       ph_tensor_get_origin     (const PhTensor *tensor);   /* (nullable) */

G_END_DECLS
