/* product.h: a product of matrices, for kernels that contain one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/kernels.h"

G_BEGIN_DECLS

#define PH_FEW_PRODUCTS ((gint64) 4 << 20) /* multiplications that one thread does as fast as several */

/* ph_lanes_pack() of what a tensor of floats holds from element @first on; what is not in memory is read in parts, and does not stay there.
 * FALSE: its elements cannot be had. */
gboolean ph_product_pack (PhTensor *b, gsize first, gsize k, gsize n, gboolean transposed, float *panels);
/* What ph_product_of() needs room for; to be freed by g_free(). (nullable) */
float *ph_product_new_room (gsize n, gsize k);
/* out[m, n] = a[m, k] b[k, n]; @transposed: b is [n, k]. FALSE: oneDNN could not. */
gboolean ph_product_of (gsize m, gsize n, gsize k, const float *a, const float *b, gboolean transposed, float *out, float *room);

G_END_DECLS
