/* product.h: a small product of matrices, whose right one is kept in panels.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/kernels.h"

G_BEGIN_DECLS

typedef struct
{
  guint a, b;          /* inputs of the kernel                                                      */
  gboolean transposed; /* b is [n, k]                                                               */
  gint64 m, n, k;      /* of one product; with one right matrix for all rows of a, of all rows      */
  guint rank;          /* of the result                                                             */
  gint64 dims[PH_MAX_RANK];
  gboolean one_right;  /* b is one matrix, not a batch                                              */
  gboolean constant;   /* and a weight: packed once                                                 */
  PhTensor *packed_of; /* (nullable) owned                                                          */
  float *panels;       /* (nullable)                                                                */
} PhProduct;

/* FALSE: not such inputs, or too large to be done without oneDNN. Nothing to clear then. */
gboolean ph_product_init (PhProduct *product, PhKernel *kernel, guint a, guint b, gboolean transposed);
void ph_product_clear (PhProduct *product);
/* The result, of rank and dims, to @out. FALSE: elements cannot be had. */
gboolean ph_product_run (PhProduct *product, PhKernel *kernel, float *out);

/* What ph_product_of() needs room for; to be freed by g_free(). (nullable) */
float *ph_product_new_room (gsize n, gsize k);
/* out[m, n] = a[m, k] b[k, n]; @transposed: b is [n, k]. FALSE: oneDNN could not. */
gboolean ph_product_of (gsize m, gsize n, gsize k, const float *a, const float *b, gboolean transposed, float *out, float *room);

G_END_DECLS
