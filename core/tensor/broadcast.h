/* broadcast.h: walking tensors by strides; numpy's broadcasting.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* The common shape of @a and @b, or FALSE. @dims has room for MAX (a_rank, b_rank). */
gboolean ph_broadcast_dims (guint a_rank, const gint64 *a, guint b_rank, const gint64 *b, guint *rank, gint64 *dims);

/* Whether broadcasting stretches @dims to @into, which stays as it is. */
gboolean ph_broadcasts_into (guint rank, const gint64 *dims, guint into_rank, const gint64 *into);

/* Walks every element of @dims, row-major, and keeps one offset (in elements) for each of up to 8 operands. It starts on
 * the first element: "if (walk.count > 0) do { ... } while (ph_walk_next (&walk));". */
#define PH_WALK_MAX 8
typedef struct
{
  guint rank, n;
  gsize count; /* of elements to visit             */
  gint64 dims[PH_MAX_RANK], at[PH_MAX_RANK];
  gint64 stride[PH_WALK_MAX][PH_MAX_RANK]; /* in elements; 0 where broadcast   */
  gint64 offset[PH_WALK_MAX];              /* where each operand stands now    */
  gsize index;                             /* of the element, 0 to count - 1   */
} PhWalk;

void ph_walk_init (PhWalk *walk, guint rank, const gint64 *dims);
void ph_walk_add (PhWalk *walk, guint rank, const gint64 *dims);   /* broadcast operand      */
void ph_walk_add_strided (PhWalk *walk, const gint64 *strides);    /* rank strides, elements */
gboolean ph_walk_next (PhWalk *walk);                              /* FALSE past the last    */
void ph_strides (guint rank, const gint64 *dims, gint64 *strides); /* row-major, elements    */

G_END_DECLS
