/* reduce.h: walking what a reduction reduces, shared by its kinds.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

/* The elements that make one element of the result: @n_blocks blocks that start at base + blocks[i] and hold @run elements,
 * @stride apart. */
typedef struct
{
  guint rank; /* of the result, reduced axes kept as 1 */
  gint64 dims[PH_MAX_RANK];
  gsize n_results, n_blocks, run, count; /* count = n_blocks * run */
  gint64 stride;
  gint64 *blocks, *bases; /* owned */
} PhReduction;

/* @mask: bit i set when axis i is reduced. FALSE: no memory. */
gboolean ph_reduction_init (PhReduction *reduction, guint rank, const gint64 *dims, guint64 mask);
void ph_reduction_clear (PhReduction *reduction);

#define PH_FOREACH_REDUCED(reduction_, base_, at_)                                                  \
  for (gsize block_ = 0; block_ < (reduction_)->n_blocks; block_++)                                 \
    for (gint64 at_ = (base_) + (reduction_)->blocks[block_], left_ = (reduction_)->run; left_ > 0; \
         at_ += (reduction_)->stride, left_--)

/* reduce-grad.c */
gboolean ph_grad_reduce_sum (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_mean (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_extreme (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_prod (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_l1 (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_l2 (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_log_sum (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_log_sum_exp (PhGrad *grad, GError **error);
gboolean ph_grad_reduce_sum_square (PhGrad *grad, GError **error);

G_END_DECLS
