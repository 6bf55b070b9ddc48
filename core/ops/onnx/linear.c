/* linear.c: matrix products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/linear.h"

#include <string.h>

#include "core/ops/grad.h"
#include "core/ops/onnx/elementwise.h"

#define PRODUCTS (PH_FLOATS | PH_INDICES | PH_T (UINT32) | PH_T (UINT64))

/* Computes four rows of a at a time, so that b is read a quarter as often. */
/* clang-format off */
#define GEMM(name_, type_)                                                                                             \
  void name_ (gsize m, gsize n, gsize k, const type_ *a, const type_ *b, type_ *c)                                     \
  {                                                                                                                    \
    gsize i = 0;                                                                                                       \
    memset (c, 0, m * n * sizeof *c);                                                                                  \
    for (; i + 4 <= m; i += 4)                                                                                         \
      {                                                                                                                \
        type_ *restrict c0 = c + i * n, *restrict c1 = c0 + n, *restrict c2 = c1 + n, *restrict c3 = c2 + n;           \
        const type_ *a0 = a + i * k, *a1 = a0 + k, *a2 = a1 + k, *a3 = a2 + k;                                         \
        for (gsize l = 0; l < k; l++)                                                                                  \
          {                                                                                                            \
            const type_ x0 = a0[l], x1 = a1[l], x2 = a2[l], x3 = a3[l], *restrict row = b + l * n;                     \
            for (gsize j = 0; j < n; j++)                                                                              \
              {                                                                                                        \
                c0[j] += x0 * row[j];                                                                                  \
                c1[j] += x1 * row[j];                                                                                  \
                c2[j] += x2 * row[j];                                                                                  \
                c3[j] += x3 * row[j];                                                                                  \
              }                                                                                                        \
          }                                                                                                            \
      }                                                                                                                \
    for (; i < m; i++)                                                                                                 \
      for (gsize l = 0; l < k; l++)                                                                                    \
        {                                                                                                              \
          type_ *restrict to = c + i * n;                                                                              \
          const type_ x = a[i * k + l], *restrict row = b + l * n;                                                     \
          for (gsize j = 0; j < n; j++)                                                                                \
            to[j] += x * row[j];                                                                                       \
        }                                                                                                              \
  }
/* clang-format on */

GEMM (ph_gemm_f32, float)
static GEMM (gemm_u64, guint64) /* also signed: the low 64 bits are the same */

    static PhDType works_in (PhDType dtype)
{
  if (ph_dtype_is_float (dtype))
    return dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  return ph_dtype_is_signed (dtype) ? PH_INT64 : PH_UINT64;
}

/* Both sides of so many rows and columns fit into the processor's nearest cache. */
#define TILE 32

/* Returns the matrix transposed; rank 2. (transfer full) (nullable) */
static PhTensor *
transposed (PhTensor *matrix)
{
  gsize size = ph_dtype_size (ph_tensor_dtype (matrix)), m = ph_tensor_dims (matrix)[0], n = ph_tensor_dims (matrix)[1];
  PhTensor *result = ph_tensor_new (ph_tensor_dtype (matrix), 2, (gint64[]) { n, m });
  const char *in = ph_tensor_data (matrix);
  char *out = result != NULL ? ph_tensor_writable (result) : NULL;

  for (gsize tile_i = 0; out != NULL && tile_i < m; tile_i += TILE)
    for (gsize tile_j = 0; tile_j < n; tile_j += TILE)
      for (gsize i = tile_i; i < MIN (tile_i + TILE, m); i++)
        for (gsize j = tile_j; j < MIN (tile_j + TILE, n); j++)
          {
            char *to = out + (j * m + i) * size;
            const char *from = in + (i * n + j) * size;

            /* Of a size that the compiler knows, a copy is no call. */
            if (size == 8)
              memcpy (to, from, 8);
            else if (size == 4)
              memcpy (to, from, 4);
            else
              memcpy (to, from, size);
          }
  return result;
}

/* Large products are computed in slices of rows and check for cancellation between them. */
#define SLICE_WORK ((gsize) 32 << 20) /* multiplications */
#define SLICE_ROWS 64

PhTensor *
ph_matmul (PhKernel *kernel, PhTensor *a, PhTensor *b, GError **error)
{
  PhDType dtype = ph_tensor_dtype (a), wide = works_in (dtype);
  const gboolean by_floats = wide == PH_DOUBLE && ph_tensor_dtype (b) == PH_FLOAT;
  g_autoptr (PhTensor) left = ph_convert (a, wide), right = by_floats ? ph_tensor_ref (b) : ph_convert (b, wide), result = NULL;
  guint rank_a = ph_tensor_rank (a), rank_b = ph_tensor_rank (b), rank, batch_rank;
  const gint64 *dims_a = ph_tensor_dims (a), *dims_b = ph_tensor_dims (b);
  gint64 dims[PH_MAX_RANK + 2];
  gsize m, n, k, size = ph_dtype_size (wide), size_b = by_floats ? sizeof (float) : size;
  PhWalk walk;

  if (rank_a == 0 || rank_b == 0 || left == NULL || right == NULL)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_TYPE, "a matrix product needs at least vectors, and memory for them");
      return NULL;
    }
  m = rank_a > 1 ? dims_a[rank_a - 2] : 1;
  k = dims_a[rank_a - 1];
  n = rank_b > 1 ? dims_b[rank_b - 1] : 1;
  if (k != (gsize) dims_b[rank_b > 1 ? rank_b - 2 : 0]
      || !ph_broadcast_dims (rank_a > 1 ? rank_a - 2 : 0, dims_a, rank_b > 1 ? rank_b - 2 : 0, dims_b, &batch_rank, dims))
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_TYPE,
                           "the shapes do not fit a matrix product: inner dimensions differ, or "
                           "the outer ones do not broadcast");
      return NULL;
    }

  ph_walk_init (&walk, batch_rank, dims);
  ph_walk_add (&walk, rank_a > 1 ? rank_a - 2 : 0, dims_a);
  ph_walk_add (&walk, rank_b > 1 ? rank_b - 2 : 0, dims_b);
  rank = batch_rank;
  if (rank_a > 1)
    dims[rank++] = m;
  if (rank_b > 1)
    dims[rank++] = n;
  result = ph_tensor_new (wide, rank, dims);
  if (result == NULL)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_LIMIT, "the result is too large for memory");
      return NULL;
    }

  const char *in_a = ph_tensor_data (left), *in_b = ph_tensor_data (right);
  char *out = ph_tensor_writable (result);
  const gsize slice = MAX (SLICE_WORK / MAX (k * n, 1) / SLICE_ROWS, 1) * SLICE_ROWS;

  for (gsize i = 0; i < walk.count; i++, ph_walk_next (&walk))
    {
      const char *one_a = in_a + walk.offset[0] * m * k * size, *one_b = in_b + walk.offset[1] * k * n * size_b;
      char *one = out + i * m * n * size;

      for (gsize row = 0; row < m; row += slice)
        {
          const gsize rows = MIN (slice, m - row);
          gconstpointer from = one_a + row * k * size, other = one_b;
          gpointer to = one + row * n * size;

          if (ph_kernel_cancelled (kernel, error))
            return NULL;
          if (wide == PH_FLOAT)
            ph_gemm_f32 (rows, n, k, from, other, to);
          else if (by_floats)
            ph_gemm_f64_by_f32 (rows, n, k, from, other, to);
          else if (wide == PH_DOUBLE)
            ph_gemm_f64 (rows, n, k, from, other, to);
          else
            gemm_u64 (rows, n, k, from, other, to);
        }
    }
  return ph_convert (result, dtype);
}

/* MatMul */

static gboolean
fail_product (PhInfer *infer, const PhType *a, const PhType *b, const char *why, GError **error)
{
  g_autofree char *text_a = ph_type_to_string (a), *text_b = ph_type_to_string (b);

  return ph_infer_fail (infer, error, "multiplies %s by %s: %s", text_a, text_b, why);
}

gboolean
ph_infer_product (PhInfer *infer, PhDType dtype, guint index_b, GError **error)
{
  const PhType *a = ph_infer_type (infer, 0), *b = ph_infer_type (infer, index_b), *outer;
  PhDim dims[PH_MAX_RANK + 2];
  guint rank = 0;

  if (a == NULL || b == NULL || !a->has_rank || !b->has_rank)
    {
      if (dtype != PH_UNDEFINED)
        ph_infer_set (infer, 0, ph_type_unranked (dtype));
      return TRUE;
    }
  if (a->rank == 0 || b->rank == 0)
    return fail_product (infer, a, b, "a matrix product needs at least vectors", error);

  PhDim k_a = a->dims[a->rank - 1], k_b = b->dims[b->rank > 1 ? b->rank - 2 : 0];

  if (ph_dim_known (k_a) && ph_dim_known (k_b) && k_a.size != k_b.size)
    return fail_product (infer, a, b, "the inner dimensions differ", error);

  outer = ph_type_broadcast (dtype,
                             (const PhType *[]) { ph_type_tensor (dtype, a->rank > 1 ? a->rank - 2 : 0, a->dims),
                                                  ph_type_tensor (dtype, b->rank > 1 ? b->rank - 2 : 0, b->dims) },
                             2);
  if (outer == NULL)
    return fail_product (infer, a, b, "the outer dimensions do not broadcast", error);
  for (; rank < outer->rank; rank++)
    dims[rank] = outer->dims[rank];
  if (a->rank > 1)
    dims[rank++] = a->dims[a->rank - 2];
  if (b->rank > 1)
    dims[rank++] = b->dims[b->rank - 1];
  ph_infer_set_shape (infer, 0, dtype, rank, dims);
  return TRUE;
}

static gboolean
infer_matmul (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0) != NULL ? ph_infer_type (infer, 0) : ph_infer_type (infer, 1);

  return ph_infer_product (infer, type != NULL ? type->dtype : PH_UNDEFINED, 1, error);
}

static gboolean
matmul_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (GError) problem = NULL;
  PhTensor *result = ph_matmul (kernel, ph_kernel_input (kernel, 0), ph_kernel_input (kernel, 1), &problem);

  if (result == NULL)
    return !ph_kernel_cancelled (kernel, error) && ph_kernel_pass_on (kernel, error, problem);
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

gint64
ph_matmul_flops (const PhNode *node)
{
  const PhType *a = ph_node_input (node, 0)->type, *out = ph_node_output (node, 0)->type;
  gint64 count = out != NULL ? ph_type_count (out) : -1;

  if (count < 0 || a == NULL || !a->has_rank || a->rank == 0 || !ph_dim_known (a->dims[a->rank - 1]))
    return -1;
  return 2 * count * a->dims[a->rank - 1].size;
}

static PhValue *
swap_last_two (PhBuilder *b, PhValue *value, guint rank)
{
  gint64 perm[PH_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    perm[i] = i;
  perm[rank - 2] = rank - 1;
  perm[rank - 1] = rank - 2;
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), value);
}

static PhValue *
with_axis (PhBuilder *b, PhValue *value, gint64 axis)
{
  return PH_BUILD (b, Unsqueeze, value, ph_build_ints (b, &axis, 1));
}

/* Y = A B: dA = dY B', dB = A' dY, summed over broadcast axes; a vector is a matrix of one row or column. If A is a stack of matrices and B
 * is one matrix, dB is a single product over the rows of all of them. */
static gboolean
grad_matmul (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *left = ph_grad_in (grad, 0), *right = ph_grad_in (grad, 1), *dy = grad->dy[0];
  gint64 last = -1;

  if (left->type == NULL || right->type == NULL || !left->type->has_rank || !right->type->has_rank)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "cannot be differentiated while the ranks of its inputs are unknown");

  guint rank_a = left->type->rank, rank_b = right->type->rank;

  if (rank_b == 1)
    {
      right = with_axis (b, right, 1);
      dy = with_axis (b, dy, -1);
    }
  if (rank_a == 1)
    {
      left = with_axis (b, left, 0);
      dy = with_axis (b, dy, -2);
    }
  if (grad->wanted[0])
    grad->dx[0] = PH_BUILD (b, MatMul, dy, swap_last_two (b, right, MAX (rank_b, 2)));
  if (grad->wanted[1])
    {
      guint rank = MAX (rank_a, 2);
      PhValue *rows = left, *out_rows = dy;

      if (rank > 2 && rank_b <= 2)
        {
          rows = PH_BUILD_WITH (b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", rank - 1)), left);
          out_rows = PH_BUILD_WITH (b, Flatten, PH_ATTRS (ph_attr_new_int ("axis", rank - 1)), dy);
          rank = 2;
        }
      grad->dx[1] = PH_BUILD (b, MatMul, swap_last_two (b, rows, rank), out_rows);
      if (rank_b == 1)
        grad->dx[1] = PH_BUILD (b, Squeeze, grad->dx[1], ph_build_ints (b, &last, 1));
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MatMul = {
  "MatMul", .since = 13, .flags = PH_OP_MULTILINEAR,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT, .example = { "a[2,3] b[3,4]", "y = MatMul (a, b)", -1, 1 },
  .doc     = "Matrix product as numpy.matmul has it: stacks of matrices broadcast, vectors are rows or columns.",
  .inputs  = { { "A", 'T', PRODUCTS }, { "B", 'T', PRODUCTS } },
  .outputs = { { "Y", 'T', PRODUCTS } },
  .infer   = infer_matmul, .kernel = matmul_kernel, .grad_build = grad_matmul, .flops = ph_matmul_flops,
  .grad_text = "dA = dY @ B^T; dB = A^T @ dY",
  .symbol = "@",
};
/* clang-format on */

/* Gemm */

static gboolean
infer_gemm (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type[2] = { ph_infer_type (infer, 0), ph_infer_type (infer, 1) }, *c = ph_infer_type (infer, 2), *out;
  PhDim dims[2][2];

  for (int i = 0; i < 2; i++)
    {
      gboolean swap = ph_node_attr_int (node, i == 0 ? "transA" : "transB", 0) != 0;

      if (type[i] == NULL || !type[i]->has_rank)
        {
          dims[i][0] = dims[i][1] = PH_DIM_UNKNOWN;
          continue;
        }
      if (type[i]->rank != 2)
        {
          g_autofree char *text = ph_type_to_string (type[i]);

          return ph_infer_fail (infer, error, "input %d is %s, must be a matrix", i, text);
        }
      dims[i][0] = type[i]->dims[swap ? 1 : 0];
      dims[i][1] = type[i]->dims[swap ? 0 : 1];
    }
  if (ph_dim_known (dims[0][1]) && ph_dim_known (dims[1][0]) && dims[0][1].size != dims[1][0].size)
    return ph_infer_fail (infer, error, "the inner dimensions %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " differ",
                          dims[0][1].size, dims[1][0].size);
  if (type[0] == NULL && type[1] == NULL)
    return TRUE;

  PhDim shape[2] = { dims[0][0], dims[1][1] };

  out = ph_type_tensor (type[0] != NULL ? type[0]->dtype : type[1]->dtype, 2, shape);
  if (c != NULL && c->has_rank)
    {
      const PhType *common = ph_type_broadcast (out->dtype, (const PhType *[]) { out, c }, 2);

      if (common == NULL || common->rank != 2)
        {
          g_autofree char *text = ph_type_to_string (c), *whole = ph_type_to_string (out);

          return ph_infer_fail (infer, error, "input 2 'C' is %s, which does not broadcast to %s", text, whole);
        }
    }
  ph_infer_set (infer, 0, out);
  return TRUE;
}

PH_BINARY_LOOP (scaled_sum_f32, float, float, (float) p[0] * x + (float) p[1] * z)
PH_BINARY_LOOP (scaled_sum_f64, double, double, p[0] * x + p[1] * z)
PH_BINARY_LOOP (scaled_sum_i64, gint64, gint64, (guint64) (gint64) p[0] * (guint64) x + (guint64) (gint64) p[1] * (guint64) z)

static gboolean
gemm_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoops scaled_sum = { scaled_sum_f32, scaled_sum_f64, scaled_sum_i64, scaled_sum_i64 };
  double p[2] = { ph_node_attr_float (kernel->node, "alpha", 1), ph_node_attr_float (kernel->node, "beta", 1) };
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1), *c = ph_kernel_input (kernel, 2);
  g_autoptr (GError) problem = NULL;
  g_autoptr (PhTensor) left = NULL, right = NULL, zero = NULL;
  PhTensor *result;

  if (ph_tensor_rank (a) != 2 || ph_tensor_rank (b) != 2)
    return ph_kernel_fail (kernel, error, "multiplies tensors of rank %u and %u, must be matrices", ph_tensor_rank (a),
                           ph_tensor_rank (b));
  left = ph_node_attr_int (kernel->node, "transA", 0) ? transposed (a) : ph_tensor_ref (a);
  right = ph_node_attr_int (kernel->node, "transB", 0) ? transposed (b) : ph_tensor_ref (b);
  result = left != NULL && right != NULL ? ph_matmul (kernel, left, right, &problem) : NULL;

  if (result != NULL && (c != NULL || p[0] != 1))
    {
      g_autoptr (PhTensor) product = result;

      zero = ph_tensor_new_scalar (ph_tensor_dtype (product), 0);
      result = NULL;
      if (c != NULL && !ph_broadcasts_into (ph_tensor_rank (c), ph_tensor_dims (c), 2, ph_tensor_dims (product)))
        return ph_kernel_fail (kernel, error, "C does not broadcast to the shape of the product");
      result = ph_elementwise (&scaled_sum, product, c != NULL ? c : zero, p, &problem);
    }
  if (result == NULL)
    return ph_kernel_pass_on (kernel, error, problem);
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

static gint64
gemm_flops (const PhNode *node)
{
  const PhType *a = ph_node_input (node, 0)->type, *out = ph_node_output (node, 0)->type;
  guint inner = ph_node_attr_int (node, "transA", 0) ? 0 : 1;
  gint64 count = out != NULL ? ph_type_count (out) : -1;

  if (count < 0 || a == NULL || !a->has_rank || a->rank != 2 || !ph_dim_known (a->dims[inner]))
    return -1;
  return 2 * count * a->dims[inner].size + (ph_node_input (node, 2) != NULL ? count : 0);
}

static PhValue *
product (PhGrad *grad, PhValue *a, gboolean trans_a, PhValue *b, gboolean trans_b)
{
  float alpha = ph_node_attr_float (grad->node, "alpha", 1);

  return PH_BUILD_WITH (
      grad->b, Gemm,
      PH_ATTRS (ph_attr_new_float ("alpha", alpha), ph_attr_new_int ("transA", trans_a), ph_attr_new_int ("transB", trans_b)), a,
      b);
}

/* Y = alpha A' B' + beta C, where ' is an optional transposition: the gradient of each factor is a Gemm too. */
static gboolean
grad_gemm (PhGrad *grad, GError **error)
{
  PhValue *a = ph_grad_in (grad, 0), *b = ph_grad_in (grad, 1), *dy = grad->dy[0];
  gboolean trans_a = ph_node_attr_int (grad->node, "transA", 0) != 0, trans_b = ph_node_attr_int (grad->node, "transB", 0) != 0;
  float beta = ph_node_attr_float (grad->node, "beta", 1);

  if (grad->wanted[0])
    grad->dx[0] = trans_a ? product (grad, b, trans_b, dy, TRUE) : product (grad, dy, FALSE, b, !trans_b);
  if (grad->wanted[1])
    grad->dx[1] = trans_b ? product (grad, dy, TRUE, a, trans_a) : product (grad, a, !trans_a, dy, FALSE);
  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    grad->dx[2] = beta == 1 ? dy : PH_BUILD (grad->b, Mul, dy, ph_grad_like (grad, dy, beta));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Gemm = {
  "Gemm", .since = 13,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_PRODUCT,
  .main_attrs = { "transA", "transB", "alpha", "beta" },
  .example = { "a[2,3] b[3,4] c[4]", "y = Gemm <alpha = 0.5, beta = 2.0> (a, b, c)", -1, 1 },
  .doc     = "General matrix product: alpha A B + beta C, where A and B may be transposed and C is broadcast.",
  .inputs  = { { "A", 'T', PRODUCTS }, { "B", 'T', PRODUCTS }, { "C", 'T', PRODUCTS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PRODUCTS } },
  .attrs   = { { "alpha", PH_ATTR_FLOAT, "1.0" }, { "beta", PH_ATTR_FLOAT, "1.0" }, { "transA", PH_ATTR_INT, "0" },
               { "transB", PH_ATTR_INT, "0" } },
  .infer   = infer_gemm, .kernel = gemm_kernel, .grad_build = grad_gemm, .flops = gemm_flops,
  .grad_text = "dA = alpha * dY @ B^T; dA|transB = alpha * dY @ B; dA|transA = alpha * B @ dY^T; "
               "dA|transA|transB = alpha * B^T @ dY^T; dB = alpha * A^T @ dY; dB|transA = alpha * A @ dY; "
               "dB|transB = alpha * dY^T @ A; dB|transA|transB = alpha * dY^T @ A^T; dC = beta * sum(dY)",
};
/* clang-format on */
