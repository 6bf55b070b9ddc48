/* linear.h: matrix products on plain arrays, for the kernels that are made of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/infer.h"

G_BEGIN_DECLS

/* c[m,n] = a[m,k] b[k,n], all row-major and dense; c is overwritten. */
void ph_gemm_f32 (gsize m, gsize n, gsize k, const float *a, const float *b, float *c);
void ph_gemm_f64 (gsize m, gsize n, gsize k, const double *a, const double *b, double *c);
/* The same, widening @b as it goes. */
void ph_gemm_f64_by_f32 (gsize m, gsize n, gsize k, const double *a, const float *b, double *c);
/* c += a b of parts of larger matrices, whose rows lie @stride_ elements apart. On several threads where it is large. */
void ph_gemm_f64_add (gsize m, gsize n, gsize k, const double *a, gsize stride_a, const double *b, gsize stride_b, double *c,
                      gsize stride_c);
/* numpy.matmul: stacks of matrices broadcast, vectors are promoted. @b may be floats where @a is doubles. NULL with an error. (transfer full) */
PhTensor *ph_matmul (PhKernel *kernel, PhTensor *a, PhTensor *b, GError **error);
/* The type of the product of inputs 0 and @index_b, with @dtype. */
gboolean ph_infer_product (PhInfer *infer, PhDType dtype, guint index_b, GError **error);
/* A product and a sum for each step along the inner dimension; -1 when not known. */
gint64 ph_matmul_flops (const PhNode *node);

G_END_DECLS
