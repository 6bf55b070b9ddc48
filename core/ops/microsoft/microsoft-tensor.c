/* microsoft-tensor.c: operators of com.microsoft that are ONNX's own in another form, and Inverse.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft.h"

#include <math.h>

#include "core/ops/support.h"

static gboolean
expand_expand_dims (PhExpand *x, GError **error)
{
  PhValue *axes = ph_ms_cast (x->b, ph_ms_reshape (x->b, ph_expand_in (x, 1), (gint64[]) { 1 }, 1), PH_INT64);
  PhTensor *axis = ph_value_constant (ph_expand_in (x, 1));

  if (axis != NULL && ph_tensor_count (axis) == 1)
    axes = ph_build_ints (x->b, (gint64[]) { ph_tensor_get_int (axis, 0) }, 1);
  x->out[0] = PH_BUILD (x->b, Unsqueeze, ph_expand_in (x, 0), axes);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsExpandDims = {
  PH_MS ("ExpandDims"), PH_SPELT_OUT (expand_expand_dims), .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "One more axis, of size 1.",
  .inputs = { { "X", 'T', PH_ANY }, { "axis", 0, PH_T (INT32) } }, .outputs = { { "Y", 'T', PH_ANY } },
};
/* clang-format on */

static gboolean
expand_trilu (PhExpand *x, GError **error)
{
  g_autofree PhAttr **attrs = ph_ms_attrs (x, NULL);

  x->out[0] = PH_BUILD_WITH (x->b, Trilu, attrs, ph_expand_in (x, 0), ph_expand_in (x, 1));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsTrilu = {
  PH_MS ("Trilu"), PH_SPELT_OUT (expand_trilu), .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The upper or lower triangle of matrices, the rest zero.",
  .inputs = { { "X", 'T', PH_ANY }, { "k", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } }, .outputs = { { "Y", 'T', PH_ANY } },
  .attrs = { { "upper", PH_ATTR_INT, "1" } },
};
/* clang-format on */

static gboolean
expand_unique (PhExpand *x, GError **error)
{
  PhValue *in = ph_expand_in (x, 0);
  PhValue *y = ph_build_node (x->b, &ph_op_Unique, &in, 1, PH_ATTRS (ph_attr_new_int ("sorted", 0)), 4);

  x->out[0] = y;
  for (guint i = 1; i < 3 && i < x->n_out && y != NULL; i++)
    x->out[i] = ph_node_output (y->producer, i + 1);
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_MsUnique = {
  PH_MS ("Unique"), PH_SPELT_OUT (expand_unique),
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Each number once, in the order in which they come, with where each element went and how many there were.",
  .inputs = { { "x", 'T', PH_NUMBERS } },
  .outputs = { { "y", 'T', PH_NUMBERS }, { "idx", 0, PH_T (INT64), PH_ARG_OPTIONAL }, { "counts", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
};
/* clang-format on */

PH_EXPAND_TO (expand_gather_nd, PH_BUILD (x->b, GatherND, ph_expand_in (x, 0), ph_ms_cast (x->b, ph_expand_in (x, 1), PH_INT64)))

/* clang-format off */
const PhOp ph_op_MsGatherND = {
  PH_MS ("GatherND"), PH_SPELT_OUT (expand_gather_nd), .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Elements or slices by tuples of indices.",
  .inputs = { { "data", 'T', PH_ANY }, { "indices", 0, PH_INDICES, PH_ARG_INDEX } }, .outputs = { { "output", 'T', PH_ANY } },
};
/* clang-format on */

static gboolean
expand_pad (PhExpand *x, GError **error)
{
  g_autofree PhAttr **attrs = ph_ms_attrs (x, NULL);
  PhValue *value = ph_expand_in (x, 2), *pads = ph_ms_reshape (x->b, ph_expand_in (x, 1), (gint64[]) { -1 }, 1);

  if (value != NULL)
    value = ph_ms_reshape (x->b, value, NULL, 0);
  x->out[0] = PH_BUILD_WITH (x->b, Pad, attrs, ph_expand_in (x, 0), pads, value);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsPad = {
  PH_MS ("Pad"), PH_SPELT_OUT (expand_pad), .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT, .main_attrs = { "mode" },
  .doc = "Padding before and after the elements, along each axis.",
  .inputs = { { "data", 'T', PH_FLOATS }, { "pads", 0, PH_T (INT64), PH_ARG_SHAPE }, { "value", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS } }, .attrs = { { "mode", PH_ATTR_STRING, "\"constant\"", .words = "constant|reflect|edge|wrap" } },
};
/* clang-format on */

/* The differences of each pair are squared, rather than |a|^2 + |b|^2 - 2 a.b, which cancels out where points are near. */
static gboolean
expand_cdist (PhExpand *x, GError **error)
{
  const int rank_a = ph_expand_rank (x, 0), rank_b = ph_expand_rank (x, 1);
  const gint64 width_a = ph_expand_dim (x, 0, 1), width_b = ph_expand_dim (x, 1, 1);
  PhValue *rows, *columns, *squares;

  if ((rank_a >= 0 && rank_a != 2) || (rank_b >= 0 && rank_b != 2) || (width_a >= 0 && width_b >= 0 && width_a != width_b))
    return ph_expand_fail (x, error, "A and B must be matrices with the same number of columns");
  rows = PH_BUILD (x->b, Unsqueeze, ph_expand_in (x, 0), ph_build_ints (x->b, (gint64[]) { 1 }, 1));
  columns = PH_BUILD (x->b, Unsqueeze, ph_expand_in (x, 1), ph_build_ints (x->b, (gint64[]) { 0 }, 1));
  squares = PH_BUILD_WITH (x->b, ReduceSumSquare, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), PH_BUILD (x->b, Sub, rows, columns),
                           ph_build_ints (x->b, (gint64[]) { 2 }, 1));
  x->out[0] = ph_node_attr_word (x->node, "metric") == 0 ? squares : PH_BUILD (x->b, Sqrt, squares);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsCDist = {
  PH_MS ("CDist"), PH_SPELT_OUT (expand_cdist),
  .family = PH_FAMILY_POOL, .main_attrs = { "metric" },
  .example = { "a[3,4] b[5,4]", "y = com.microsoft.CDist <metric = \"euclidean\"> (a, b)", -1, 1 },
  .doc = "The distance of each row of A from each row of B, or its square.",
  .inputs = { { "A", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS } }, .outputs = { { "C", 'T', PH_FLOATS } },
  .attrs = { { "metric", PH_ATTR_STRING, "\"sqeuclidean\"", .words = "sqeuclidean|euclidean" } },
};
/* clang-format on */

static gboolean
expand_range (PhExpand *x, GError **error)
{
  PhValue *in[3];

  for (guint i = 0; i < 3; i++)
    in[i] = ph_expand_in (x, i) != NULL ? ph_ms_reshape (x->b, ph_expand_in (x, i), NULL, 0)
                                        : ph_ms_number (x->b, ph_expand_in (x, 0), 1);
  x->out[0] = PH_BUILD (x->b, Range, in[0], in[1], in[2]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsRange = {
  PH_MS ("Range"), PH_SPELT_OUT (expand_range),
  .family = PH_FAMILY_CONSTANT,
  .doc = "Numbers from a start, up to a limit, by a step.",
  .inputs = { { "start", 'T', PH_NUMBERS }, { "limit", 'T', PH_NUMBERS }, { "delta", 'T', PH_NUMBERS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_NUMBERS } },
};
/* clang-format on */

static gboolean
expand_bias_dropout (PhExpand *x, GError **error)
{
  PhValue *sum = PH_BUILD (x->b, Add, ph_expand_in (x, 0), ph_expand_in (x, 1));
  PhValue *inputs[] = { sum, ph_expand_in (x, 3), ph_expand_in (x, 4) };

  sum = ph_build_node (x->b, &ph_op_Dropout, inputs, 3, NULL, 2);
  if (sum == NULL)
    return FALSE;
  x->out[0] = ph_expand_in (x, 2) != NULL ? PH_BUILD (x->b, Add, sum, ph_expand_in (x, 2)) : sum;
  if (ph_expand_wants (x, 1))
    x->out[1] = ph_node_output (sum->producer, 1);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsBiasDropout = {
  PH_MS ("BiasDropout"), PH_SPELT_OUT (expand_bias_dropout), .flags = PH_OP_RANDOM,
  .family = PH_FAMILY_NORM,
  .doc = "Dropout of a sum, plus what skipped ahead.",
  .inputs = { { "data", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS }, { "residual", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "ratio", 0, PH_FLOATS, PH_ARG_OPTIONAL }, { "training_mode", 0, PH_T (BOOL), PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "mask", 0, PH_T (BOOL), PH_ARG_OPTIONAL } },
  .attrs = { { "seed", PH_ATTR_INT } },
};
/* clang-format on */

/* ── Inverse ── */

/* Inverts by Gauss-Jordan elimination: @a and @y are [n, n], and @a is overwritten. Returns FALSE if @a is singular. */
static gboolean
invert (double *a, double *y, gint64 n)
{
  for (gint64 i = 0; i < n * n; i++)
    y[i] = i / n == i % n;
  for (gint64 c = 0; c < n; c++)
    {
      gint64 pivot = c;
      double factor;

      for (gint64 r = c + 1; r < n; r++)
        if (fabs (a[r * n + c]) > fabs (a[pivot * n + c]))
          pivot = r;
      if (a[pivot * n + c] == 0)
        return FALSE;
      for (gint64 k = 0; k < n && pivot != c; k++)
        {
          double t = a[c * n + k];

          a[c * n + k] = a[pivot * n + k];
          a[pivot * n + k] = t;
          t = y[c * n + k];
          y[c * n + k] = y[pivot * n + k];
          y[pivot * n + k] = t;
        }
      factor = 1 / a[c * n + c];
      for (gint64 k = 0; k < n; k++)
        {
          a[c * n + k] *= factor;
          y[c * n + k] *= factor;
        }
      for (gint64 r = 0; r < n; r++)
        if (r != c && (factor = a[r * n + c]) != 0)
          for (gint64 k = 0; k < n; k++)
            {
              a[r * n + k] -= factor * a[c * n + k];
              y[r * n + k] -= factor * y[c * n + k];
            }
    }
  return TRUE;
}

static gboolean
inverse_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const guint rank = ph_tensor_rank (x);
  const PhDType dtype = ph_tensor_dtype (x);
  g_autofree double *a = NULL, *inverse = NULL;
  gint64 n;
  gpointer y;

  if (rank < 2 || ph_tensor_dims (x)[rank - 1] != ph_tensor_dims (x)[rank - 2])
    return ph_kernel_fail (kernel, error, "its input must be square matrices");
  n = ph_tensor_dims (x)[rank - 1];
  y = ph_kernel_output (kernel, 0, dtype, rank, ph_tensor_dims (x), error);
  if (y == NULL || ph_tensor_count (x) == 0)
    return y != NULL;
  a = g_try_new (double, n *n);
  inverse = g_try_new (double, n *n);
  if (a == NULL || inverse == NULL)
    return ph_kernel_exceed (kernel, error, "is too large for memory");
  for (gsize at = 0; at < ph_tensor_count (x); at += n * n)
    {
      for (gint64 i = 0; i < n * n; i++)
        a[i] = ph_tensor_get (x, at + i);
      if (ph_kernel_cancelled (kernel, error))
        return FALSE;
      if (!invert (a, inverse, n))
        return ph_kernel_fail (kernel, error, "matrix %d of its input has no inverse", (int) (at / (n * n)));
      for (gint64 i = 0; i < n * n; i++)
        ph_dtype_store (dtype, y, at + i, inverse[i]);
    }
  return TRUE;
}

static gint64
inverse_flops (const PhNode *node)
{
  const PhType *type = ph_node_output (node, 0)->type;
  const gint64 count = type != NULL ? ph_type_count (type) : -1;

  return count < 0 || type->rank < 1 ? -1 : 2 * count * type->dims[type->rank - 1].size;
}

/* d(A^-1) = -A^-1 dA A^-1, so the gradient by A is -Y' dY Y'. */
static gboolean
grad_inverse (PhGrad *grad, GError **error)
{
  const PhType *type = ph_grad_in (grad, 0)->type;
  gint64 perm[PH_MAX_RANK];
  PhValue *y;

  if (type == NULL || !type->has_rank || type->rank < 2)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "the gradient of Inverse needs the rank of its input");
      return FALSE;
    }
  for (guint i = 0; i < type->rank; i++)
    perm[i] = i;
  perm[type->rank - 1] = type->rank - 2;
  perm[type->rank - 2] = type->rank - 1;
  y = ph_ms_transpose (grad->b, ph_grad_out (grad, 0), perm, type->rank);
  grad->dx[0] = PH_BUILD (grad->b, Neg, PH_BUILD (grad->b, MatMul, y, PH_BUILD (grad->b, MatMul, grad->dy[0], y)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsInverse = {
  PH_MS ("Inverse"), .infer = ph_infer_same_as_input, .kernel = inverse_kernel, .grad_build = grad_inverse, .flops = inverse_flops,
  .family = PH_FAMILY_ARITHMETIC,
  .example = { "x[2,3,3]", "e = Constant <value = double[3,3] {3, 0, 0, 0, 3, 0, 0, 0, 3}> () s = Add (x, e) y = com.microsoft.Inverse (s)", -1, 1 },
  .doc = "The inverse of square matrices.",
  .inputs = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .grad_text = "dX = -Y^T @ dY @ Y^T",
};
/* clang-format on */
