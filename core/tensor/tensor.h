/* tensor.h: an immutable run-time value: a tensor, or a sequence or optional of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/dtype.h"
#include "core/tensor/file.h"
#include "core/tensor/layout.h"
#include "core/tensor/memory.h"
#include "core/tensor/summary.h"
#include "core/tensor/tensor-type.h"

G_BEGIN_DECLS

/* OPAQUE is a kind of types alone: what another system calls a pointer, a token, a tuple. No tensor is of it. */
typedef enum
{
  PH_KIND_TENSOR,
  PH_KIND_SEQUENCE,
  PH_KIND_OPTIONAL,
  PH_KIND_OPAQUE
} PhKind;

#define PH_MAX_RANK 64

/* Zero-filled (strings: NULL, meaning ""), to be written through ph_tensor_writable() before it is shared. NULL only when
 * the element count overflows, or memory cannot be had or is over the budget: callers turn that into a GError, for which
 * ph_tensor_why_not() has the words. */
PhTensor *ph_tensor_new (PhDType dtype, guint rank, const gint64 *dims);
/* The same, but with elements that are not set: for who writes all of them. */
PhTensor *ph_tensor_new_unset (PhDType dtype, guint rank, const gint64 *dims);
/* @element: one element of @dtype (for PH_STRING a const char **). */
PhTensor *ph_tensor_new_splat (PhDType dtype, guint rank, const gint64 *dims, gconstpointer element);
/* Borrows the elements from @bytes, which is at least n * size long; misaligned ones
 * are copied when ph_tensor_data() is asked for, so that weights in a mapped file cost nothing until then. */
PhTensor *ph_tensor_new_from_bytes (PhDType dtype, guint rank, const gint64 *dims, GBytes *bytes);
/* The elements lie in @file from @offset on, and are read when they are asked for; small ones at once. NULL with @error. */
PhTensor *ph_tensor_new_from_file (PhDType dtype, guint rank, const gint64 *dims, PhFile *file, gsize offset, GError **error);
PhTensor *ph_tensor_new_scalar (PhDType dtype, double value);
PhTensor *ph_tensor_new_int64s (const gint64 *values, gsize n);                  /* rank 1 */
PhTensor *ph_tensor_new_floats (const float *values, gsize n);                   /* rank 1 */
PhTensor *ph_tensor_new_sequence (PhKind kind, PhTensor *const *items, gsize n); /* refs the items */
/* The same elements under another shape; shares the memory. The counts must agree. */
PhTensor *ph_tensor_reshaped (PhTensor *tensor, guint rank, const gint64 *dims);
PhTensor *ph_tensor_cast (PhTensor *tensor, PhDType dtype); /* numbers and bool; by ph_dtype_store */

PhTensor *ph_tensor_ref (PhTensor *tensor);
void ph_tensor_unref (PhTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTensor, ph_tensor_unref)

PhKind ph_tensor_kind (const PhTensor *tensor);
PhDType ph_tensor_dtype (const PhTensor *tensor); /* of a sequence: that of its items, if any */
guint ph_tensor_rank (const PhTensor *tensor);
const gint64 *ph_tensor_dims (const PhTensor *tensor);
/* FALSE: a negative dimension, or more than fits. */
gboolean ph_tensor_count_elements (guint rank, const gint64 *dims, gsize *count);
gsize ph_tensor_count (const PhTensor *tensor); /* elements; of a sequence, items           */
gsize ph_tensor_bytes (const PhTensor *tensor); /* count * size, whatever it occupies       */
gboolean ph_tensor_is_splat (const PhTensor *tensor);
PhTensor *ph_tensor_item (const PhTensor *tensor, gsize index); /* (transfer none) of a sequence */

/* Dense, row-major; expands a splat (which keeps the memory), reads the file. NULL, leaving a fault, when that cannot be:
 * ph_tensor_bring() first where it must not fail. A kernel's inputs have been brought. */
gconstpointer ph_tensor_data (PhTensor *tensor);
/* Sees to it that ph_tensor_data() is there; of a sequence, for all its items. */
gboolean ph_tensor_bring (PhTensor *tensor, GError **error);
/* FALSE with @error when elements could not be had in this thread since it was asked last. */
gboolean ph_tensor_take_fault (GError **error);
gboolean ph_tensor_copy_data (PhTensor *tensor, gpointer out);                       /* keeps nothing; FALSE: zeros */
gboolean ph_tensor_copy_part (PhTensor *tensor, gsize first, gsize n, gpointer out); /* the same of @n elements */
/* @tensor, or what its origin computes, for this once; NULL: it cannot, which leaves a fault. (transfer full) (nullable) */
PhTensor *ph_tensor_dup_computed (PhTensor *tensor);
/* ph_tensor_data() gives them at no cost: they are there, dense and aligned. */
gboolean ph_tensor_is_in_memory (const PhTensor *tensor);
/* The elements wherever they lie, perhaps misaligned for their type: for copying bytes. NULL: a splat, not expanded, or
 * they cannot be had, which leaves a fault. */
gconstpointer ph_tensor_peek (const PhTensor *tensor);
gpointer ph_tensor_writable (PhTensor *tensor); /* only before it is shared, only if owned          */
const char *ph_tensor_get_string (PhTensor *tensor, gsize index);
void ph_tensor_set_string (PhTensor *tensor, gsize index, const char *value); /* before it is shared */
double ph_tensor_get (PhTensor *tensor, gsize index);                         /* does not expand a splat */
gint64 ph_tensor_get_int (PhTensor *tensor, gsize index);

/* Bit-identical: kind, element type, shape and bytes (-0 differs from 0; a NaN equals the same NaN). */
gboolean ph_tensor_equal (PhTensor *a, PhTensor *b);
guint ph_tensor_hash (PhTensor *tensor); /* consistent with ph_tensor_equal() */
/* "float[2,3] {1, 2, 3, ...}": at most @max_elements of them. (transfer full) */
char *ph_tensor_to_string (PhTensor *tensor, gsize max_elements);

G_END_DECLS
