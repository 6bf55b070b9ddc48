/* origin.h: what a tensor was computed from, and tensors that are computed when they are read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* Opaque here: see core/run/recipe.h. Set once, before the tensor is shared; it lives as long as the tensor. */
void ph_tensor_set_origin (PhTensor *tensor, gpointer origin, GDestroyNotify free_origin);
gpointer ph_tensor_get_origin (const PhTensor *tensor); /* (nullable) */

/* What @tensor, which has an origin, is: as many elements of its type. NULL with an error. (transfer full) */
typedef PhTensor *(*PhTensorCompute) (const PhTensor *tensor, GError **error);
/* Its elements are computed when somebody asks for them first, on that thread. Consumes @origin. NULL as ph_tensor_new(). */
PhTensor *ph_tensor_new_deferred (PhDType dtype, guint rank, const gint64 *dims, gpointer origin, PhTensorCompute compute,
                                  GDestroyNotify free_origin);
/* Says that @compute made the elements of @tensor, which has an origin. Call it once, before the tensor is shared. */
void ph_tensor_set_computed (PhTensor *tensor, PhTensorCompute compute);
gboolean ph_tensor_is_deferred (const PhTensor *tensor);                             /* nobody asked yet */
gboolean ph_tensor_is_deferred_by (const PhTensor *tensor, PhTensorCompute compute); /* and @compute would make them */
gboolean ph_tensor_is_computed (const PhTensor *tensor);                             /* made so, asked for or not */
gboolean ph_tensor_is_computed_by (const PhTensor *tensor, PhTensorCompute compute); /* and by @compute           */

/* Of float16 or bfloat16: @wide has floats that each are such a number, and @narrow makes the elements of them when somebody asks. Consumes
 * @wide. NULL as ph_tensor_new(). */
PhTensor *ph_tensor_new_narrowed (PhDType dtype, PhTensor *wide, PhTensorCompute narrow);
PhTensor *ph_tensor_get_wide (const PhTensor *tensor); /* (transfer none) (nullable) */

G_END_DECLS
