/* attention.h: what the kinds of attention share: tensors of heads, as doubles.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

/* [batch, head, position, number], row-major. */
typedef struct
{
  gint64 batch, heads, length, size;
  double *data; /* owned */
} PhHeads;

static inline double *
ph_heads_at (const PhHeads *heads, gint64 b, gint64 h, gint64 i)
{
  return heads->data + ((b * heads->heads + h) * heads->length + i) * heads->size;
}

/* Reads [batch, heads, length, size], or [batch, length, heads * size] with @n_heads. FALSE with an error naming the input. */
gboolean ph_heads_read (PhKernel *kernel, guint input, gint64 n_heads, PhHeads *heads, GError **error);
gboolean ph_heads_alloc (PhKernel *kernel, PhHeads *heads, GError **error); /* by its sizes, zeroed */
/* Gives output @i these heads in one of the two shapes. */
gboolean ph_heads_write (PhKernel *kernel, guint i, const PhHeads *heads, PhDType dtype, gboolean flat, GError **error);
void ph_heads_clear (PhHeads *heads);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhHeads, ph_heads_clear)

/* In place; @n numbers. */
void ph_softmax_row (double *row, gint64 n);

/* The type that ph_heads_write() gives: @input's batch and length, @size numbers a head (PH_DIM_UNKNOWN is fine). */
PhDim ph_heads_dim (const PhType *type, gint64 n_heads, guint which); /* 0 batch, 1 heads, 2 length, 3 size */

gboolean ph_grad_attention (PhGrad *grad, GError **error);           /* attention-grad.c */
gboolean ph_grad_attention_at_length (PhGrad *grad, GError **error); /* attention-build.c */
gboolean ph_grad_rotary_caches (PhGrad *grad, GError **error);
gboolean ph_grad_linear_attention (PhGrad *grad, GError **error); /* linear-attention-grad.c, as the next two */
gboolean ph_grad_causal_conv (PhGrad *grad, GError **error);
gboolean ph_grad_flex_attention (PhGrad *grad, GError **error);

G_END_DECLS
