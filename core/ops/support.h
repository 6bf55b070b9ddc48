/* support.h: what kernels, infer functions and gradients of several families share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/grad.h"
#include "core/ops/infer.h"
#include "core/ops/kernel.h"
#include "core/tensor/broadcast.h"

#include <string.h>

G_BEGIN_DECLS

/* Negative axes count from the end. FALSE when @axis is outside [-rank, rank). */
gboolean ph_axis (gint64 axis, guint rank, guint *normal);
/* Normalises @n axes; FALSE when one is outside or named twice. @mask: bit i set for axis i. */
gboolean ph_axes (const gint64 *axes, gsize n, guint rank, guint *normal, guint64 *mask);
/* The attribute axes, normalised, or all of them. FALSE as above. */
gboolean ph_node_axes_or_all (const PhNode *node, guint rank, guint *axes, gsize *n);
gint64 ph_dims_product (const gint64 *dims, guint from, guint to); /* of dims[from..to-1] */

/* ── kernels ── */
/* An integer tensor's elements as gint64. (transfer full); NULL when the input is absent. */
gint64 *ph_kernel_ints (PhKernel *kernel, guint input, gsize *n);
/* Input @i converted to @dtype, or NULL with an error. (transfer full) */
PhTensor *ph_kernel_input_as (PhKernel *kernel, guint input, PhDType dtype, GError **error);
/* Gives output @i the tensor @result converted to @dtype. (transfer full) @result may be NULL: no memory. */
gboolean ph_kernel_take_as (PhKernel *kernel, guint i, PhTensor *result, PhDType dtype, GError **error);
/* After element pointers were moved bit by bit into a string output: makes the strings its own. Also before failing. */
void ph_kernel_own_strings (PhKernel *kernel, guint i);
/* All attributes "ints" of @name, or @n times @fallback. FALSE: there are some, but not @n. */
gboolean ph_node_ints (const PhNode *node, const char *name, gsize n, gint64 fallback, gint64 *values);

/* Copies a box of @dims between two strided arrays of elements of @size bytes. Strides in elements, 0 and negative too. */
void ph_copy_strided (guint rank, const gint64 *dims, gpointer to, const gint64 *to_strides, gconstpointer from,
                      const gint64 *from_strides, gsize size);
/* Returns the input position of element @at of a padded axis; -1 for the constant. @mode: first letter of Pad's mode. */
gint64 ph_pad_source (gint64 at, gint64 dim, char mode);
/* to[i, j, ...] = from[map[0][i], map[1][j], ...]; a map of NULL is the identity, an index of -1 means @fill. */
void ph_copy_mapped (guint rank, const gint64 *dims, gpointer to, const gint64 *from_dims, gconstpointer from,
                     gint64 *const *maps, gconstpointer fill, gsize size);

static inline void
ph_move (gpointer to, gsize i, gconstpointer from, gsize j, gsize size)
{
  switch (size)
    {
    case 1: ((guint8 *) to)[i] = ((const guint8 *) from)[j]; break;
    case 2: ((guint16 *) to)[i] = ((const guint16 *) from)[j]; break;
    case 4: ((guint32 *) to)[i] = ((const guint32 *) from)[j]; break;
    case 8: ((guint64 *) to)[i] = ((const guint64 *) from)[j]; break;
    default: memcpy ((char *) to + i * size, (const char *) from + j * size, size); break;
    }
}

/* ── inference ── */
/* The type of @input when its rank is known, else NULL (and output 0 is set to an unranked @dtype of it). */
const PhType *ph_infer_ranked (PhInfer *infer, guint input);
/* Output 0 is some slices of input 0 along the attribute axis, how many is not known; without the attribute, some elements.
 * @size (inout): of that axis. */
gboolean ph_infer_picked (PhInfer *infer, PhDim *size, GError **error);
/* One integer of a constant of one element; FALSE when not known. */
gboolean ph_infer_int (PhInfer *infer, guint input, gint64 *value);
/* The more precise of two descriptions of one dimension; FALSE when they contradict each other. */
gboolean ph_dim_merge (PhDim a, PhDim b, PhDim *merged);

/* ── gradients ── */
/* Of any operator that only moves elements of its input 0: the same operator, run on the flat indices of that input,
 * says where each element of the output came from, and the gradient is scattered back there. @absent: input
 * @fill of the operator gives elements that come from nowhere; 0 for none. */
gboolean ph_grad_moved (PhGrad *grad, guint fill);
/* The same with the indices as @dtype, where runtimes have no kernel that moves int64. */
gboolean ph_grad_moved_as (PhGrad *grad, guint fill, PhDType dtype);
/* A scalar int64 number of elements of @value, known or not. */
PhValue *ph_grad_size (PhGrad *grad, PhValue *value);
PhValue *ph_grad_reshape_like (PhGrad *grad, PhValue *value, PhValue *like);
/* Where an operator is long to differentiate, but can be built of others: @build makes the same outputs (at least those that
 * have a gradient) of @inputs, and those are differentiated. */
typedef gboolean (*PhBuildInstead) (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error);
gboolean ph_grad_through (PhGrad *grad, PhBuildInstead build, GError **error);

G_END_DECLS
