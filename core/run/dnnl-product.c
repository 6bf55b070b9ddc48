/* dnnl-product.c: products of matrices by a loop over panels of the right one; where that is too large to be packed, by oneDNN.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/run/dnnl.h"
#include "core/run/lanes.h"
#include "core/run/product.h"
#include "core/run/run-private.h"
#include "core/tensor/blocks.h"
#include "core/tensor/broadcast.h"

/* 0 * infinity is NaN, but the sum of a row times infinity need not be. */
static gboolean
is_finite_splat (PhTensor *tensor)
{
  return ph_tensor_is_splat (tensor) && isfinite (ph_tensor_get (tensor, 0));
}

/* c[m, n] = alpha a[m, k] b[k, n] + beta c. */
typedef struct
{
  gint64 m, n, k;
  float alpha, beta;
  const float *a, *b; /* @b: not read if it is a splat of the number in @alpha */
  gboolean a_transposed, b_transposed;
  float *c;
  GCancellable *cancellable; /* (nullable) */
} Product;

/* c[m, n] += alpha * a * b, where all elements of b are the same: sums of rows do it. */
static void
multiply_by_splat (const Product *p)
{
  for (gint64 i = 0; i < p->m; i++)
    {
      double sum = 0;

      for (gint64 j = 0; j < p->k; j++)
        sum += p->a_transposed ? p->a[j * p->m + i] : p->a[i * p->k + j];
      for (gint64 j = 0; j < p->n; j++)
        p->c[i * p->n + j] = (float) (p->alpha * sum) + (p->beta != 0 ? p->beta * p->c[i * p->n + j] : 0);
    }
}

#define BLOCK   ((gint64) 256)  /* rows and columns that one thread computes at once             */
#define COLUMNS ((gint64) 2048) /* of a vector's product: they stay in the innermost cache       */

static gboolean
multiply_block (const Product *p, gint64 row, gint64 column)
{
  const gint64 lda = p->a_transposed ? p->m : p->k, ldb = p->b_transposed ? p->k : p->n;

  return !g_cancellable_is_cancelled (p->cancellable)
         && dnnl_sgemm (p->a_transposed ? 'T' : 'N', p->b_transposed ? 'T' : 'N', MIN (BLOCK, p->m - row),
                        MIN (BLOCK, p->n - column), p->k, p->alpha, p->a + (p->a_transposed ? row : row * lda), lda,
                        p->b + (p->b_transposed ? column * ldb : column), ldb, p->beta, p->c + row * p->n + column, p->n)
                == dnnl_success;
}

/* The product of a vector and @n columns from @first on, which reads the matrix once, in the order in which it lies. */
static void
multiply_vector (const Product *p, gint64 first, gint64 n)
{
  const gsize k = (gsize) p->k, columns = (gsize) n;
  float *c = p->c + first, few[64];

  for (gsize j = 0; j < columns; j++)
    c[j] = p->beta != 0 ? p->beta * c[j] : 0;
  for (gsize j = 0; j < columns && p->b_transposed; j += G_N_ELEMENTS (few))
    {
      const gsize some = MIN (G_N_ELEMENTS (few), columns - j);

      ph_lanes ()->dots (some, k, few, p->a, p->b + ((gsize) first + j) * k, k);
      for (gsize i = 0; i < some; i++)
        c[j + i] += p->alpha * few[i];
    }
  for (gsize l = 0; l < k && !p->b_transposed; l += G_N_ELEMENTS (few))
    {
      const gsize rows = MIN (G_N_ELEMENTS (few), k - l);

      for (gsize i = 0; i < rows; i++)
        few[i] = p->alpha * p->a[l + i];
      ph_lanes ()->add_rows (columns, c, rows, few, p->b + l * (gsize) p->n + first, (gsize) p->n);
    }
}

/* Threads compute whole blocks. If oneDNN distributed the work, it would split sums differently for each number of threads, and the result
 * would depend on that number. */
static gboolean
multiply (const Product *p)
{
  const gint64 wide = (p->n + BLOCK - 1) / BLOCK, blocks = (p->m + BLOCK - 1) / BLOCK * wide;
  int failed = 0;

  if (p->m == 1)
    {
#pragma omp parallel for schedule(static) if (p->k * p->n > PH_FEW_PRODUCTS && ph_run_max_threads() > 1)
      for (gint64 j = 0; j < p->n; j += COLUMNS)
        if (!g_cancellable_is_cancelled (p->cancellable))
          multiply_vector (p, j, MIN (COLUMNS, p->n - j));
      return !g_cancellable_is_cancelled (p->cancellable);
    }
  if (blocks > 1 && ph_run_max_threads () > 1)
    {
#pragma omp parallel for schedule(dynamic) reduction(+ : failed)
      for (gint64 i = 0; i < blocks; i++)
        failed += !multiply_block (p, i / wide * BLOCK, i % wide * BLOCK);
    }
  else
    {
      const int before = ph_run_push_threads (1);

      for (gint64 i = 0; i < blocks; i++)
        failed += !multiply_block (p, i / wide * BLOCK, i % wide * BLOCK);
      ph_run_pop_threads (before);
    }
  return failed == 0;
}

#define PH_NO_MATRICES "an input is not a matrix"

/* Packing the right matrix pays for so many rows of the left one, or where it is packed once. */
#define MANY_ROWS    32
#define ROWS_AT_ONCE 4096                /* of the left one: between them it is asked whether to go on      */
#define MOST_RIGHT   ((gint64) 1 << 20)  /* elements of b, in panels                                         */
#define MOST_WEIGHTS ((gint64) 16 << 20) /* of one that is packed once, for several rows                     */

/* A matrix product whose right operand is kept in packed panels. */
typedef struct
{
  guint a, b;          /* inputs of the kernel                                                      */
  gboolean transposed; /* b is [n, k]                                                               */
  gint64 m, n, k;      /* of one product; with one right matrix for all rows of a, of all rows      */
  guint rank;          /* of the result                                                             */
  gint64 dims[PH_MAX_RANK];
  gsize n_products;    /* 1 with one right matrix                                                   */
  guint n_threads;     /* each of which has panels of its own, unless there is one right matrix     */
  gboolean one_right;  /* b is one matrix, not a batch                                              */
  gboolean constant;   /* and a weight: packed once                                                 */
  PhTensor *packed_of; /* (nullable) owned                                                          */
  float *panels;       /* (nullable)                                                                */
} PanelProduct;

static gsize
panel_bytes (const PanelProduct *product)
{
  return (product->one_right ? 1 : product->n_threads) * ph_lanes_panels ((gsize) product->k, (gsize) product->n)
         * sizeof (float);
}

static void
product_clear (PanelProduct *product)
{
  if (product->panels != NULL)
    ph_block_free (g_steal_pointer (&product->panels), panel_bytes (product));
  g_clear_pointer (&product->packed_of, ph_tensor_unref);
}

/* Returns FALSE, with nothing to free, if the inputs are unsuitable or so large that oneDNN is faster. */
static gboolean
product_init (PanelProduct *product, PhKernel *kernel, guint a, guint b, gboolean transposed)
{
  PhTensor *left = ph_kernel_input (kernel, a), *right = ph_kernel_input (kernel, b);
  guint ra, rb;

  memset (product, 0, sizeof *product);
  if (!ph_dnnl_is_float (left) || !ph_dnnl_is_float (right))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT) != NULL;
  if (ph_tensor_rank (left) < 2 || ph_tensor_rank (right) < 2 || (transposed && ph_tensor_rank (right) != 2))
    return ph_kernel_refuse (kernel, PH_NO_MATRICES) != NULL;
  if (is_finite_splat (right))
    return ph_kernel_refuse (kernel, "the right matrix is one number repeated, of which dnnl's needs sums alone") != NULL;
  ra = ph_tensor_rank (left) - 2;
  rb = ph_tensor_rank (right) - 2;
  product->a = a;
  product->b = b;
  product->transposed = transposed;
  product->m = ph_tensor_dims (left)[ra];
  product->k = ph_tensor_dims (left)[ra + 1];
  product->n = ph_tensor_dims (right)[transposed ? rb : rb + 1];
  if (ph_tensor_dims (right)[transposed ? rb + 1 : rb] != product->k
      || !ph_broadcast_dims (ra, ph_tensor_dims (left), rb, ph_tensor_dims (right), &product->rank, product->dims))
    return ph_kernel_refuse (kernel, "the sizes do not fit") != NULL;
  product->dims[product->rank] = product->m;
  product->dims[product->rank + 1] = product->n;
  product->rank += 2;
  product->one_right = ph_tensor_count (right) == (gsize) (product->k * product->n);
  product->constant = ph_kernel_is_constant (kernel, b) && product->one_right;
  if (product->one_right)
    product->m = (gint64) ph_tensor_count (left) / product->k;
  if (product->n * product->k > (product->constant && product->m > 1 ? MOST_WEIGHTS : MOST_RIGHT)
      || (!product->constant && product->m < MANY_ROWS && product->m * product->n * product->k > PH_FEW_PRODUCTS))
    return ph_kernel_refuse (kernel, "so large a right matrix is faster unpacked, in the blocks of dnnl") != NULL;
  product->n_products = product->one_right ? 1 : (gsize) ph_dims_product (product->dims, 0, product->rank - 2);
  product->n_threads = 1;
  if ((gint64) product->n_products * product->m * product->n * product->k > PH_FEW_PRODUCTS)
    product->n_threads = (guint) CLAMP ((gint64) product->n_products * product->m / 8, 1, (gint64) ph_run_max_threads ());
  return TRUE;
}

static void
pack (const PanelProduct *product, const float *b, float *panels)
{
  ph_lanes_pack (b, (gsize) product->k, (gsize) product->n, (gsize) (product->transposed ? product->k : product->n),
                 product->transposed, panels);
}

/* Packs the one right matrix, unless that was done. Returns FALSE if its elements are not available. */
static gboolean
pack_one (PanelProduct *product, PhTensor *right)
{
  if (product->constant && product->packed_of == right)
    return TRUE;
  g_clear_pointer (&product->packed_of, ph_tensor_unref);
  if (!ph_product_pack (right, 0, (gsize) product->k, (gsize) product->n, product->transposed, product->panels))
    return FALSE;
  if (product->constant)
    product->packed_of = ph_tensor_ref (right);
  return TRUE;
}

/* Where the matrices of one product begin in their tensors. */
typedef struct
{
  gsize a, b;
} Offsets;

/* Computes the rows from @first to before @end, counted through all products. @b: (nullable) what is packed into @panels, one matrix
 * after the other; NULL: they are. */
static void
multiply_rows (const PanelProduct *product, const Offsets *offsets, gsize first, gsize end, const float *a, const float *b,
               float *panels, float *out, GCancellable *cancellable)
{
  const gsize m = (gsize) product->m, n = (gsize) product->n, k = (gsize) product->k;
  gsize packed = G_MAXSIZE;

  while (first < end && !g_cancellable_is_cancelled (cancellable))
    {
      const Offsets *at = &offsets[first / m];
      const gsize row = first % m, rows = MIN (MIN (m - row, end - first), (gsize) ROWS_AT_ONCE);

      if (b != NULL && at->b != packed)
        pack (product, b + (packed = at->b), panels);
      ph_lanes ()->product (rows, n, k, a + at->a + row * k, k, panels, NULL, out + first * n, n);
      first += rows;
    }
}

/* Writes the result to @out. Returns FALSE if elements are not available. */
static gboolean
product_run (PanelProduct *product, PhKernel *kernel, float *out)
{
  PhTensor *left = kernel->inputs[product->a], *right = kernel->inputs[product->b];
  const float *a = ph_tensor_data (left), *b = product->one_right ? NULL : ph_tensor_data (right);
  const gsize rows = product->n_products * (gsize) product->m, n_threads = product->n_threads;
  GCancellable *cancellable = kernel->run->options->cancellable;
  const gsize room = product->one_right ? 0 : ph_lanes_panels ((gsize) product->k, (gsize) product->n);
  g_autofree Offsets *several = NULL;
  Offsets one = { 0, 0 }, *offsets = &one;
  gsize i = 0;
  PhWalk walk;

  product->panels = product->panels != NULL ? product->panels : ph_block_new_lasting (panel_bytes (product));
  if (a == NULL || product->panels == NULL || (product->one_right ? !pack_one (product, right) : b == NULL))
    return FALSE;
  if (!product->one_right)
    {
      ph_walk_init (&walk, product->rank - 2, product->dims);
      ph_walk_add (&walk, ph_tensor_rank (left) - 2, ph_tensor_dims (left));
      ph_walk_add (&walk, ph_tensor_rank (right) - 2, ph_tensor_dims (right));
      offsets = several = g_new (Offsets, product->n_products);
      do
        {
          several[i].a = (gsize) (walk.offset[0] * product->m * product->k);
          several[i++].b = (gsize) (walk.offset[1] * product->k * product->n);
        }
      while (ph_walk_next (&walk));
    }
  if (n_threads == 1) /* even one thread costs something to ask for */
    multiply_rows (product, offsets, 0, rows, a, b, product->panels, out, cancellable);
  else
#pragma omp parallel for schedule(static)
    for (gsize t = 0; t < n_threads; t++)
      multiply_rows (product, offsets, rows * t / n_threads, rows * (t + 1) / n_threads, a, b, product->panels + t * room, out,
                     cancellable);
  return !g_cancellable_is_cancelled (cancellable);
}

float *
ph_product_new_room (gsize n, gsize k)
{
  return g_try_new (float, ph_lanes_panels (k, n) + 1);
}

#define TINY 1024 /* multiplications: less than a call of oneDNN costs */

gboolean
ph_product_of (gsize m, gsize n, gsize k, const float *a, const float *b, gboolean transposed, float *out, float *room)
{
  const gsize along = transposed ? 1 : n, across = transposed ? k : 1;

  if (m * n * k <= TINY)
    {
      for (gsize i = 0; i < m; i++)
        for (gsize j = 0; j < n; j++)
          {
            double sum = 0;

            for (gsize l = 0; l < k; l++)
              sum += (double) a[i * k + l] * (double) b[l * along + j * across];
            out[i * n + j] = (float) sum;
          }
      return TRUE;
    }
  if (m >= 4 && n >= 8 && (gint64) (n * k) <= MOST_RIGHT && (m >= MANY_ROWS || (gint64) (m * n * k) <= PH_FEW_PRODUCTS))
    {
      ph_lanes_pack (b, k, n, transposed ? k : n, transposed, room);
      ph_lanes ()->product (m, n, k, a, k, room, NULL, out, n);
      return TRUE;
    }
  return multiply (&(Product) {
      .m = (gint64) m, .n = (gint64) n, .k = (gint64) k, .alpha = 1, .a = a, .b = b, .b_transposed = transposed, .c = out });
}

static void
free_product (gpointer product)
{
  product_clear (product);
  g_free (product);
}

static gsize
packed_product (gpointer data)
{
  const PanelProduct *product = data;

  return product->packed_of != NULL ? ph_tensor_bytes (product->packed_of) : 0;
}

static gpointer
prepare_panels (PhKernel *kernel)
{
  PanelProduct *product = g_new0 (PanelProduct, 1);

  if (!product_init (product, kernel, 0, 1, FALSE))
    g_clear_pointer (&product, g_free);
  return product;
}

static gboolean
run_panels (PhKernel *kernel, gpointer prepared)
{
  PanelProduct *product = prepared;
  float *out = ph_kernel_output_unset (kernel, 0, PH_FLOAT, product->rank, product->dims, NULL);

  if (out != NULL && product_run (product, kernel, out))
    return TRUE;
  ph_kernel_take (kernel, 0, NULL);
  return FALSE;
}

/* alpha a b + beta c; the product is as that of a MatMul. */
static gpointer
prepare_panels_gemm (PhKernel *kernel)
{
  PhTensor *c = ph_kernel_input (kernel, 2);
  PanelProduct *product;

  if (ph_node_attr_int (kernel->node, "transA", 0) != 0)
    return ph_kernel_refuse (kernel, "the left matrix is transposed");
  if (c != NULL && !ph_dnnl_is_float (c))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  product = g_new0 (PanelProduct, 1);
  if (!product_init (product, kernel, 0, 1, ph_node_attr_int (kernel->node, "transB", 0) != 0))
    g_clear_pointer (&product, g_free);
  else if (c != NULL && !ph_broadcasts_into (ph_tensor_rank (c), ph_tensor_dims (c), product->rank, product->dims))
    {
      g_clear_pointer (&product, free_product);
      ph_kernel_refuse (kernel, "C does not broadcast to the product");
    }
  return product;
}

/* Element [i, j] of C, as broadcast to the product, is data[i * along + j * across]. */
typedef struct
{
  const float *data;
  float same; /* of all, where one element is repeated */
  gsize along, across;
} Terms;

static gboolean
terms_init (Terms *terms, PhTensor *c)
{
  const guint rank = ph_tensor_rank (c);
  const gint64 wide = rank > 0 ? ph_tensor_dims (c)[rank - 1] : 1, high = rank > 1 ? ph_tensor_dims (c)[rank - 2] : 1;

  *terms = (Terms) { NULL, 0, 0, 0 };
  if (ph_tensor_is_splat (c))
    {
      terms->same = (float) ph_tensor_get (c, 0);
      return TRUE;
    }
  terms->across = wide > 1 ? 1 : 0;
  terms->along = high > 1 ? (gsize) wide : 0;
  return (terms->data = ph_tensor_data (c)) != NULL;
}

/* out = before * out + beta * C; @before: 0 or 1. */
static void
add_terms (const Terms *terms, gsize m, gsize n, float before, float beta, float *out)
{
  for (gsize i = 0; i < m; i++, out += n)
    {
      const float *row = terms->data != NULL ? terms->data + i * terms->along : &terms->same;

      if (terms->across != 0 && before != 0)
        for (gsize j = 0; j < n; j++)
          out[j] += beta * row[j];
      else if (terms->across != 0)
        for (gsize j = 0; j < n; j++)
          out[j] = beta * row[j];
      else
        for (gsize j = 0; j < n; j++)
          out[j] = (before != 0 ? out[j] : 0) + beta * row[0];
    }
}

static gboolean
run_panels_gemm (PhKernel *kernel, gpointer prepared)
{
  const float alpha = ph_node_attr_float (kernel->node, "alpha", 1), beta = ph_node_attr_float (kernel->node, "beta", 1);
  PhTensor *c = ph_kernel_input (kernel, 2);
  PanelProduct *product = prepared;
  Terms terms;
  float *out;

  if ((c != NULL && !terms_init (&terms, c)) || !run_panels (kernel, prepared))
    return FALSE;
  out = ph_tensor_writable (kernel->outputs[0]);
  for (gsize i = 0; alpha != 1 && i < ph_tensor_count (kernel->outputs[0]); i++)
    out[i] *= alpha;
  if (c != NULL)
    add_terms (&terms, (gsize) product->dims[0], (gsize) product->dims[1], 1, beta, out);
  return TRUE;
}

static gpointer
prepare_matmul (PhKernel *kernel)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1);

  if (!ph_dnnl_is_float (a) || !ph_dnnl_is_float (b))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  return ph_tensor_rank (a) >= 2 && ph_tensor_rank (b) >= 2 ? PH_PREPARED : ph_kernel_refuse (kernel, PH_NO_MATRICES);
}

static gboolean
run_matmul (PhKernel *kernel, gpointer prepared)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1);
  gint64 dims[PH_MAX_RANK], m, n, k;
  const float *left, *right;
  gboolean ok = TRUE;
  guint rank, ra, rb;
  Product product;
  PhWalk walk;
  float *out;

  ra = ph_tensor_rank (a) - 2;
  rb = ph_tensor_rank (b) - 2;
  m = ph_tensor_dims (a)[ra];
  k = ph_tensor_dims (a)[ra + 1];
  n = ph_tensor_dims (b)[rb + 1];
  if (ph_tensor_dims (b)[rb] != k || !ph_broadcast_dims (ra, ph_tensor_dims (a), rb, ph_tensor_dims (b), &rank, dims))
    return FALSE;
  dims[rank] = m;
  dims[rank + 1] = n;
  left = ph_tensor_data (a);
  right = is_finite_splat (b) ? NULL : ph_tensor_data (b);
  out = left != NULL && (right != NULL || is_finite_splat (b))
            ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, rank + 2, dims, NULL)
            : NULL;
  if (out == NULL)
    return FALSE;
  product = (Product) {
    .m = m, .n = n, .k = k, .alpha = 1, .a = left, .b = right, .c = out, .cancellable = kernel->run->options->cancellable
  };
  if (right != NULL && ph_tensor_count (b) == (gsize) (k * n))
    {
      product.m = (gint64) ph_tensor_count (a) / k;
      ok = multiply (&product);
    }
  else
    {
      /* If b has the same matrix for all batches, walks the batches of a. */
      if (right == NULL)
        product.alpha = (float) ph_tensor_get (b, 0);
      ph_walk_init (&walk, rank, dims);
      ph_walk_add (&walk, ra, ph_tensor_dims (a));
      if (right != NULL)
        ph_walk_add (&walk, rb, ph_tensor_dims (b));
      do
        {
          product.a = left + walk.offset[0] * m * k;
          product.c = out + walk.index * (gsize) (m * n);
          if (right == NULL)
            multiply_by_splat (&product);
          else
            {
              product.b = right + walk.offset[1] * k * n;
              ok = ok && multiply (&product);
            }
        }
      while (ph_walk_next (&walk));
    }
  if (!ok)
    ph_kernel_take (kernel, 0, NULL);
  return ok;
}

static gpointer
prepare_gemm (PhKernel *kernel)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1), *c = ph_kernel_input (kernel, 2);

  return ph_dnnl_is_float (a) && ph_dnnl_is_float (b) && (c == NULL || ph_dnnl_is_float (c)) && ph_tensor_rank (a) == 2
                 && ph_tensor_rank (b) == 2
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, PH_NOT_FLOAT);
}

static gboolean
run_gemm (PhKernel *kernel, gpointer prepared)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1), *c = ph_kernel_input (kernel, 2);
  const float alpha = ph_node_attr_float (kernel->node, "alpha", 1), beta = ph_node_attr_float (kernel->node, "beta", 1);
  const gboolean ta = ph_node_attr_int (kernel->node, "transA", 0) != 0, tb = ph_node_attr_int (kernel->node, "transB", 0) != 0;
  const gint64 m = ph_tensor_dims (a)[ta ? 1 : 0], k = ph_tensor_dims (a)[ta ? 0 : 1], n = ph_tensor_dims (b)[tb ? 0 : 1];
  const float *x, *y;
  Product product;
  Terms terms;
  gboolean ok;
  float *out;

  if (ph_tensor_dims (b)[tb ? 1 : 0] != k
      || (c != NULL && !ph_broadcasts_into (ph_tensor_rank (c), ph_tensor_dims (c), 2, (gint64[]) { m, n }))
      || (c != NULL && !terms_init (&terms, c)))
    return FALSE;
  x = ph_tensor_data (a);
  y = is_finite_splat (b) ? NULL : ph_tensor_data (b);
  out = x != NULL && (y != NULL || is_finite_splat (b))
            ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, 2, (gint64[]) { m, n }, NULL)
            : NULL;
  if (out == NULL)
    return FALSE;
  if (c != NULL)
    add_terms (&terms, (gsize) m, (gsize) n, 0, 1, out);
  product = (Product) { m, n, k, alpha, c != NULL ? beta : 0, x, y, ta, tb, out, kernel->run->options->cancellable };
  if (y == NULL)
    {
      product.alpha *= (float) ph_tensor_get (b, 0);
      multiply_by_splat (&product);
    }
  ok = y == NULL || multiply (&product);
  if (!ok)
    ph_kernel_take (kernel, 0, NULL);
  return ok;
}

const PhKernelRow ph_kernels_dnnl_product[] = {
  { &ph_op_Gemm, PH_DEVICE_CPU, "panels", 20, prepare_panels_gemm, run_panels_gemm, free_product, packed_product, NULL, TRUE },
  { &ph_op_Gemm, PH_DEVICE_CPU, "dnnl", 10, prepare_gemm, run_gemm, NULL },
  { &ph_op_MatMul, PH_DEVICE_CPU, "panels", 20, prepare_panels, run_panels, free_product, packed_product, NULL, TRUE },
  { &ph_op_MatMul, PH_DEVICE_CPU, "dnnl", 10, prepare_matmul, run_matmul, NULL },
  { NULL },
};
