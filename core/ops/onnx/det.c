/* det.c: the determinant.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/support.h"

static gboolean
infer_det (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);

  if (type == NULL)
    return TRUE;
  if (type->rank < 2
      || (ph_dim_known (type->dims[type->rank - 1]) && ph_dim_known (type->dims[type->rank - 2])
          && type->dims[type->rank - 1].size != type->dims[type->rank - 2].size))
    {
      g_autofree char *text = ph_type_to_string (type);

      return ph_infer_fail (infer, error, "its input is %s, must be square matrices", text);
    }
  ph_infer_set_shape (infer, 0, type->dtype, type->rank - 2, type->dims);
  return TRUE;
}

#define LANES 4 /* doubles of a vector                                              */
#define BLOCK 4 /* columns that are eliminated before the rest of the rows follows  */

typedef double Vector __attribute__ ((vector_size (LANES * sizeof (double)), aligned (sizeof (double)), may_alias));

/* Takes @m rows @above, each times its factor, away from @row; @stride from row to row. Each product is rounded before it is subtracted, so
 * that all processors compute the same bits. */
/* clang-format off */
#define SUBTRACT(name_, ...)                                                                                            \
  __VA_ARGS__ static void name_ (gsize m, gsize n, double *row, const double *factors, const double *above, gsize stride) \
  {                                                                                                                     \
    gsize i = 0;                                                                                                        \
    for (; m == BLOCK && i + LANES <= n; i += LANES)                                                                    \
      {                                                                                                                 \
        Vector v = *(const Vector *) (row + i);                                                                         \
        _Pragma ("GCC unroll 4") for (gsize t = 0; t < BLOCK; t++)                                                      \
          v -= factors[t] * *(const Vector *) (above + t * stride + i);                                                 \
        *(Vector *) (row + i) = v;                                                                                      \
      }                                                                                                                 \
    for (gsize t = 0; t < m; t++)                                                                                       \
      for (gsize k = i; k < n; k++)                                                                                     \
        row[k] -= factors[t] * above[t * stride + k];                                                                   \
  }
/* clang-format on */

SUBTRACT (subtract)
#ifdef __x86_64__
SUBTRACT (subtract_avx2, __attribute__ ((target ("avx2"))))
#endif

static void
swap_rows (double *a, double *b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      const double swap = a[i];

      a[i] = b[i];
      b[i] = swap;
    }
}

/* Eliminates @block columns of @a [n, n]: their elements below the diagonal become the factors of the rows above. The other columns stay.
 * Multiplies @det by the pivots, with the sign of the swaps; returns FALSE where none is left. */
static gboolean
eliminate (double *a, gsize n, gsize block, gsize stride, double *det)
{
  for (gsize k = 0; k < block; k++)
    {
      const double *above = a + k * stride;
      double largest = fabs (above[k]);
      gsize pivot = k;

      for (gsize i = k + 1; i < n; i++)
        if (fabs (a[i * stride + k]) > largest)
          {
            largest = fabs (a[i * stride + k]);
            pivot = i;
          }
      if (largest == 0)
        return FALSE;
      if (pivot != k)
        {
          swap_rows (a + k * stride, a + pivot * stride, n);
          *det = -*det;
        }
      *det *= above[k];
      for (gsize i = k + 1; i < n; i++)
        {
          double *row = a + i * stride;

          row[k] /= above[k];
          for (gsize j = k + 1; j < block; j++)
            row[j] -= row[k] * above[j];
        }
    }
  return TRUE;
}

/* Computes the determinant by Gaussian elimination with partial pivoting. */
static double
determinant (double *a, gsize n)
{
  void (*take) (gsize, gsize, double *, const double *, const double *, gsize) = subtract;
  double det = 1;

#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    take = subtract_avx2;
#endif
  for (gsize k = 0; k < n; k += BLOCK)
    {
      const gsize block = MIN (BLOCK, n - k), rest = n - k - block;
      double *corner = a + k * n + k;

      if (!eliminate (corner, n - k, block, n, &det))
        return 0;
      for (gsize i = 1; rest > 0 && i < n - k; i++)
        take (MIN (i, block), rest, corner + i * n + block, corner + i * n, corner + block, n);
    }
  return det;
}

static gboolean
det_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x);
  guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error);
  g_autofree double *work = NULL;
  gpointer out;
  gsize n, count;

  if (wide == NULL)
    return FALSE;
  if (rank < 2 || dims[rank - 1] != dims[rank - 2])
    return ph_kernel_fail (kernel, error, "its input must be square matrices");
  out = ph_kernel_output (kernel, 0, dtype, rank - 2, dims, error);
  if (out == NULL)
    return FALSE;
  n = dims[rank - 1];
  count = ph_dims_product (dims, 0, rank - 2);
  work = g_new (double, n *n + 1);
  for (gsize i = 0; i < count; i++)
    {
      memcpy (work, (const double *) ph_tensor_data (wide) + i * n * n, n * n * sizeof *work);
      ph_dtype_store (dtype, out, i, determinant (work, n));
    }
  return TRUE;
}

/* The gradient is the matrix of cofactors: determinants of x without one row and one column. Gathers all of these at once; this also works
 * for singular matrices. */
static gboolean
grad_det (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *minors, *open;
  const PhType *type = x->type;
  gint64 n, rank, perm[PH_MAX_RANK + 2], ends[2];
  PhTensor *others, *signs;

  if (type == NULL || !type->has_rank || type->rank + 2 > PH_MAX_RANK || !ph_dim_known (type->dims[type->rank - 1]))
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its gradient needs to know the size of the matrices");
  rank = type->rank;
  n = type->dims[rank - 1].size;
  others = ph_tensor_new (PH_INT64, 2, (gint64[]) { n, MAX (n - 1, 0) });
  signs = ph_tensor_new (type->dtype, 2, (gint64[]) { n, n });
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < n; k++)
      {
        if (k < n - 1)
          ((gint64 *) ph_tensor_writable (others))[i * (n - 1) + k] = k < i ? k : k + 1;
        ph_dtype_store (type->dtype, ph_tensor_writable (signs), i * n + k, (i + k) % 2 == 0 ? 1 : -1);
      }
  minors = ph_build_tensor (b, others);
  /* [..., i, n - 1, n], then [..., i, n - 1, j, n - 1], then the two sizes to the end */
  minors = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", rank)),
                          PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", rank - 2)), x, minors), minors);
  for (gint64 i = 0; i < rank + 2; i++)
    perm[i] = i;
  perm[rank - 1] = rank;
  perm[rank] = rank - 1;
  minors = PH_BUILD (b, Det, PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank + 2)), minors));
  ends[0] = -1;
  ends[1] = -2;
  open = PH_BUILD (b, Unsqueeze, grad->dy[0], ph_build_ints (b, ends, 2));
  grad->dx[0] = PH_BUILD (b, Mul, PH_BUILD (b, Mul, minors, ph_build_tensor (b, signs)), open);
  return TRUE;
}

static gint64
det_flops (const PhNode *node)
{
  const PhType *type = ph_node_input (node, 0)->type;
  gint64 count = type != NULL ? ph_type_count (type) : -1;

  return count < 0 || type->rank < 2 ? -1 : count * type->dims[type->rank - 1].size * 2 / 3 + 1;
}

/* clang-format off */
const PhOp ph_op_Det = {
  "Det", .since = 22,
  .family = PH_FAMILY_ARITHMETIC, .example = { "x[3,3]", "y = Det (x)", -1, 1 },
  .doc     = "The determinant of each square matrix.",
  .inputs  = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .infer   = infer_det, .kernel = det_kernel, .grad_build = grad_det, .flops = det_flops,
  .grad_text = "dX = dY * Y * inverse(X)^T",
};
/* clang-format on */
