/* tensor.h: an immutable run-time value: a tensor, or a sequence or optional of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/dtype.h"

G_BEGIN_DECLS

/* A tensor is reference-counted and, once shared, never written. Its elements are owned, borrowed from a mapped file
 * (GBytes), or one element repeated (a splat: ones, zeros; light models are full of them, and none needs memory until
 * a kernel asks for its data). All functions are safe from any thread. */
typedef struct _PhTensor PhTensor;

typedef enum { PH_KIND_TENSOR, PH_KIND_SEQUENCE, PH_KIND_OPTIONAL } PhKind;

#define PH_MAX_RANK 64

/* Zero-filled (strings: NULL, meaning ""), to be written through ph_tensor_writable() before it is shared.
 * NULL only when the element count overflows or memory cannot be had: callers turn that into a GError. */
PhTensor      *ph_tensor_new            (PhDType dtype, guint rank, const gint64 *dims);
/* @element: one element of @dtype (for PH_STRING a const char **). */
PhTensor      *ph_tensor_new_splat      (PhDType dtype, guint rank, const gint64 *dims, gconstpointer element);
/* Borrows the elements from @bytes, which is at least n * size long; misaligned ones
 * are copied when ph_tensor_data() is asked for, so that weights in a mapped file cost nothing until then. */
PhTensor      *ph_tensor_new_from_bytes (PhDType dtype, guint rank, const gint64 *dims, GBytes *bytes);
PhTensor      *ph_tensor_new_scalar     (PhDType dtype, double value);
PhTensor      *ph_tensor_new_int64s     (const gint64 *values, gsize n);                       /* rank 1 */
PhTensor      *ph_tensor_new_floats     (const float *values, gsize n);                        /* rank 1 */
PhTensor      *ph_tensor_new_sequence   (PhKind kind, PhTensor *const *items, gsize n);        /* refs the items */
/* The same elements under another shape; shares the memory. The counts must agree. */
PhTensor      *ph_tensor_reshaped       (PhTensor *tensor, guint rank, const gint64 *dims);
PhTensor      *ph_tensor_cast           (PhTensor *tensor, PhDType dtype);  /* numbers and bool; by ph_dtype_store */

PhTensor      *ph_tensor_ref            (PhTensor *tensor);
void           ph_tensor_unref          (PhTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTensor, ph_tensor_unref)

PhKind         ph_tensor_kind           (const PhTensor *tensor);
PhDType        ph_tensor_dtype          (const PhTensor *tensor);   /* of a sequence: that of its items, if any */
guint          ph_tensor_rank           (const PhTensor *tensor);
const gint64  *ph_tensor_dims           (const PhTensor *tensor);
gsize          ph_tensor_count          (const PhTensor *tensor);   /* elements; of a sequence, items           */
gsize          ph_tensor_bytes          (const PhTensor *tensor);   /* count * size, whatever it occupies       */
gboolean       ph_tensor_is_splat       (const PhTensor *tensor);
PhTensor      *ph_tensor_item           (const PhTensor *tensor, gsize index);  /* (transfer none) of a sequence */

/* Dense, row-major; expands a splat (which keeps the memory), reads the map. NULL only for a splat too large for memory. */
gconstpointer  ph_tensor_data           (PhTensor *tensor);
gboolean       ph_tensor_copy_data      (PhTensor *tensor, gpointer out);   /* without keeping an expanded splat */
/* The elements wherever they lie, perhaps misaligned for their type: for copying bytes. NULL: a splat, not expanded. */
gconstpointer  ph_tensor_peek           (const PhTensor *tensor);
gpointer       ph_tensor_writable       (PhTensor *tensor);         /* only before it is shared, only if owned          */
const char    *ph_tensor_get_string     (PhTensor *tensor, gsize index);
void           ph_tensor_set_string     (PhTensor *tensor, gsize index, const char *value);   /* before it is shared */
double         ph_tensor_get            (PhTensor *tensor, gsize index);   /* does not expand a splat */
gint64         ph_tensor_get_int        (PhTensor *tensor, gsize index);

/* Bit-identical: kind, element type, shape and bytes (-0 differs from 0; a NaN equals the same NaN). */
gboolean       ph_tensor_equal          (PhTensor *a, PhTensor *b);
guint          ph_tensor_hash           (PhTensor *tensor);         /* consistent with ph_tensor_equal() */
/* "float[2,3] {1, 2, 3, ...}": at most @max_elements of them. (transfer full) */
char          *ph_tensor_to_string      (PhTensor *tensor, gsize max_elements);

typedef struct { double min, max, mean, std; gsize zeros, nans, infs; } PhTensorStats;
gboolean       ph_tensor_stats          (PhTensor *tensor, PhTensorStats *stats);   /* FALSE: not numbers, or empty */

G_END_DECLS
