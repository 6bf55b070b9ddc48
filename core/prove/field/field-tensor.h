/* field-tensor.h: tensors of numbers modulo the primes: made, known, under another shape.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/field/field-private.h"

G_BEGIN_DECLS

/* FALSE, with the reason. */
gboolean ph_field_fail (PhFieldNode *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
PhFieldTensor *ph_field_in (PhFieldNode *self, guint i); /* (nullable)                 */
PhTensor *ph_field_known (PhFieldNode *self, guint i);   /* (nullable) (transfer none) */
/* Known integers of input @i. (transfer full) (nullable) */
gint64 *ph_field_ints (PhFieldNode *self, guint i, gsize *n);
/* A tensor to be written; (transfer full); NULL: too large, and @field says so. */
PhFieldTensor *ph_field_tensor_new (PhField *field, PhDType dtype, guint rank, const gint64 *dims);
/* A tensor of random numbers, which are drawn by @salt when they are first needed. (transfer full) NULL: too large */
PhFieldTensor *ph_field_tensor_variable (PhDType dtype, guint rank, const gint64 *dims, guint64 salt);
PhFieldTensor *ph_field_tensor_known (PhTensor *tensor); /* refs @tensor */
PhFieldTensor *ph_field_tensor_ref (PhFieldTensor *tensor);
void ph_field_tensor_unref (PhFieldTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFieldTensor, ph_field_tensor_unref)
/* The elements of a known tensor too. */
void ph_field_parts (PhField *field, PhFieldTensor *tensor);
/* What @field finds that @tensor is, where it is known: TRUE. Else it is to be noted when it was found,
 * with what @field met at it alone. (field-image.c) */
gboolean ph_field_image_find (PhField *field, PhFieldTensor *tensor);
void ph_field_image_note (PhField *field, PhFieldTensor *tensor);
/* The same elements under another shape. (transfer full) */
PhFieldTensor *ph_field_reshaped (PhField *field, PhFieldTensor *tensor, guint rank, const gint64 *dims);

/* Returns TRUE if both share their elements, though their shapes may differ. */
gboolean ph_field_are_same (const PhFieldTensor *a, const PhFieldTensor *b);

static inline PhNum
ph_field_at (const PhFieldTensor *tensor, gsize i)
{
  return (PhNum) { tensor->p[i], tensor->q != NULL ? tensor->q[i] : 0 };
}

static inline void
ph_field_put (PhFieldTensor *tensor, gsize i, PhNum number)
{
  tensor->p[i] = number.p;
  if (tensor->q != NULL)
    tensor->q[i] = number.q;
}

/* c[m,n] = a[m,k] b[k,n] modulo @modulus, of numbers below it. (field-product.c) */
void ph_field_product (gsize m, gsize n, gsize k, const guint32 *a, const guint32 *b, guint32 *c, guint32 modulus);

G_END_DECLS
