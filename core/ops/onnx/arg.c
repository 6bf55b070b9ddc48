/* arg.c: positions of extremes, and running sums and products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"
#include "core/ops/support.h"

/* ArgMax, ArgMin */

static gboolean
infer_arg (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_type (infer, 0);
  gint64 axis = ph_node_attr_int (node, "axis", 0);
  PhDim dims[PH_MAX_RANK];
  guint normal, rank = 0;

  if (type == NULL || !type->has_rank)
    {
      ph_infer_set (infer, 0, ph_type_unranked (PH_INT64));
      return TRUE;
    }
  if (!ph_axis (axis, type->rank, &normal))
    {
      g_autofree char *text = ph_type_to_string (type);

      return ph_infer_fail (infer, error, "its axis %" G_GINT64_FORMAT " is outside of %s", axis, text);
    }
  for (guint i = 0; i < type->rank; i++)
    if (i != normal)
      dims[rank++] = type->dims[i];
    else if (ph_node_attr_int (node, "keepdims", 1))
      dims[rank++] = PH_DIM (1);
  ph_infer_set_shape (infer, 0, PH_INT64, rank, dims);
  return TRUE;
}

/* @better: is candidate z to be preferred to x? A NaN is preferred to all, the first one. */
/* clang-format off */
#define ARG(type_, better_)                                                                                            \
  {                                                                                                                    \
    const type_ *in = ph_tensor_data (wide);                                                                           \
    for (gsize o = 0; o < outer; o++)                                                                                  \
      for (gsize i = 0; i < inner; i++)                                                                                \
        {                                                                                                              \
          const type_ *line = in + o * n * inner + i;                                                                  \
          gsize best = 0;                                                                                              \
          type_ x = n > 0 ? *line : 0;                                                                                 \
          for (gsize k = 1; k < n; k++)                                                                                \
            {                                                                                                          \
              const type_ z = line[k * inner];                                                                         \
              if (x == x && ((better_) || z != z || (last && x == z)))                                                 \
                {                                                                                                      \
                  best = k;                                                                                            \
                  x = z;                                                                                               \
                }                                                                                                      \
            }                                                                                                          \
          out[o * inner + i] = best;                                                                                   \
        }                                                                                                              \
  }
/* clang-format on */

static gboolean
arg_kernel (PhKernel *kernel, gboolean greatest, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (tensor);
  PhDType works_in = ph_dtype_is_float (dtype) ? PH_DOUBLE : ph_dtype_is_signed (dtype) ? PH_INT64 : PH_UINT64;
  gboolean last = ph_node_attr_int (kernel->node, "select_last_index", 0) != 0;
  const gint64 *dims = ph_tensor_dims (tensor);
  guint rank = ph_tensor_rank (tensor), axis, n_dims = 0;
  gint64 reduced[PH_MAX_RANK], *out;
  gsize outer, inner, n;
  g_autoptr (PhTensor) wide = NULL;

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis))
    return ph_kernel_fail (kernel, error, "its axis is outside of rank %u", rank);
  for (guint i = 0; i < rank; i++)
    if (i != axis)
      reduced[n_dims++] = dims[i];
    else if (ph_node_attr_int (kernel->node, "keepdims", 1))
      reduced[n_dims++] = 1;
  out = ph_kernel_output (kernel, 0, PH_INT64, n_dims, reduced, error);
  wide = ph_convert (tensor, works_in);
  if (out == NULL || wide == NULL)
    return out != NULL && ph_kernel_exceed (kernel, error, "its input does not fit into memory once more");
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank);
  n = dims[axis];
  if (n == 0 && outer * inner > 0)
    return ph_kernel_fail (kernel, error, "the axis is empty: there is no extreme");

  if (works_in == PH_DOUBLE && greatest)
    ARG (double, z > x)
  else if (works_in == PH_DOUBLE)
    ARG (double, z < x)
  else if (works_in == PH_INT64 && greatest)
    ARG (gint64, z > x)
  else if (works_in == PH_INT64)
    ARG (gint64, z < x)
  else if (greatest)
    ARG (guint64, z > x)
  else
    ARG (guint64, z < x)
  return TRUE;
}

static gboolean
arg_max_kernel (PhKernel *kernel, GError **error)
{
  return arg_kernel (kernel, TRUE, error);
}

static gboolean
arg_min_kernel (PhKernel *kernel, GError **error)
{
  return arg_kernel (kernel, FALSE, error);
}

static gint64
input_flops (const PhNode *node)
{
  const PhType *in = ph_node_input (node, 0)->type;

  return in != NULL ? ph_type_count (in) : -1;
}

/* clang-format off */
#define ARG_EXTREME(kernel_)                                                                                           \
  .since = 13, .flags = PH_OP_NO_GRADIENT, .infer = infer_arg, .kernel = kernel_##_kernel, .flops = input_flops,       \
  .inputs = { { "data", 'T', PH_NUMBERS } }, .outputs = { { "reduced", 0, PH_T (INT64) } },                            \
  .attrs = { { "axis", PH_ATTR_INT, "0" }, { "keepdims", PH_ATTR_INT, "1" }, { "select_last_index", PH_ATTR_INT, "0" } }
/* clang-format on */

const PhOp ph_op_ArgMax = { "ArgMax", ARG_EXTREME (arg_max), .family = PH_FAMILY_POOL, .main_attrs = { "axis", "keepdims" },
                            .doc = "The index of the greatest element along an axis." };
const PhOp ph_op_ArgMin = { "ArgMin", ARG_EXTREME (arg_min), .family = PH_FAMILY_POOL, .main_attrs = { "axis", "keepdims" },
                            .doc = "The index of the least element along an axis." };

/* CumSum, CumProd */

/* Advances @inner running sums together, which reads the elements in memory order; one alone stays in a register. */
/* clang-format off */
#define ALONG(type_, acc_, sum_)                                                                                     \
  {                                                                                                                    \
    const type_ *in = ph_tensor_data (wide);                                                                           \
    type_ *out = ph_tensor_writable (result);                                                                          \
    acc_ *sums = running;                                                                                              \
    for (gsize o = 0; o < outer && inner == 1; o++)                                                                    \
      {                                                                                                                \
        acc_ total = sum_ ? 0 : 1;                                                                                     \
        for (gsize k = 0; k < n; k++)                                                                                  \
          {                                                                                                            \
            const gsize at = o * n + (reverse ? n - 1 - k : k);                                                        \
            const acc_ x = in[at], before = total;                                                                     \
            total = sum_ ? before + x : before * x;                                                                    \
            out[at] = (type_) (exclusive ? before : total);                                                            \
          }                                                                                                            \
      }                                                                                                                \
    for (gsize o = 0; o < outer && inner != 1; o++)                                                                    \
      {                                                                                                                \
        for (gsize i = 0; i < inner; i++)                                                                              \
          sums[i] = sum_ ? 0 : 1;                                                                                      \
        for (gsize k = 0; k < n; k++)                                                                                  \
          {                                                                                                            \
            const gsize at = o * n * inner + (reverse ? n - 1 - k : k) * inner;                                        \
            for (gsize i = 0; i < inner; i++)                                                                          \
              {                                                                                                        \
                const acc_ x = in[at + i], before = sums[i];                                                           \
                sums[i] = sum_ ? before + x : before * x;                                                              \
                out[at + i] = (type_) (exclusive ? before : sums[i]);                                                  \
              }                                                                                                        \
          }                                                                                                            \
      }                                                                                                                \
  }
/* clang-format on */

static gboolean
running_kernel (PhKernel *kernel, gboolean sum, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, 0), *at_axis = ph_kernel_input (kernel, 1);
  PhDType dtype = ph_tensor_dtype (tensor), works_in = dtype == PH_FLOAT           ? PH_FLOAT
                                                       : ph_dtype_is_float (dtype) ? PH_DOUBLE
                                                                                   : PH_UINT64;
  gboolean exclusive = ph_node_attr_int (kernel->node, "exclusive", 0) != 0;
  gboolean reverse = ph_node_attr_int (kernel->node, "reverse", 0) != 0;
  const gint64 *dims = ph_tensor_dims (tensor);
  guint rank = ph_tensor_rank (tensor), axis;
  gsize outer, inner, n;
  g_autoptr (PhTensor) wide = NULL, result = NULL;
  g_autofree gpointer running = NULL;

  if (ph_tensor_count (at_axis) != 1 || !ph_axis (ph_tensor_get_int (at_axis, 0), rank, &axis))
    return ph_kernel_fail (kernel, error, "its axis must be one number within rank %u", rank);
  wide = ph_convert (tensor, works_in);
  result = ph_tensor_new (works_in, rank, dims);
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank);
  n = dims[axis];
  running = g_try_new (gint64, MAX (inner, 1)); /* or double, which is as large */
  if (wide == NULL || result == NULL || running == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  if (works_in == PH_FLOAT)
    ALONG (float, double, sum)
  else if (works_in == PH_DOUBLE)
    ALONG (double, double, sum)
  else
    ALONG (guint64, guint64, sum)
  return ph_kernel_take_as (kernel, 0, ph_convert (result, dtype), dtype, error);
}

static gboolean
cum_sum_kernel (PhKernel *kernel, GError **error)
{
  return running_kernel (kernel, TRUE, error);
}

static gboolean
cum_prod_kernel (PhKernel *kernel, GError **error)
{
  return running_kernel (kernel, FALSE, error);
}

/* Each element is part of all later running sums, so its gradient is the running sum of dY from the other end. */
static gboolean
grad_cum_sum (PhGrad *grad, GError **error)
{
  gint64 reverse = ph_node_attr_int (grad->node, "reverse", 0), exclusive = ph_node_attr_int (grad->node, "exclusive", 0);

  grad->dx[0] = PH_BUILD_WITH (grad->b, CumSum,
                               PH_ATTRS (ph_attr_new_int ("reverse", !reverse), ph_attr_new_int ("exclusive", exclusive != 0)),
                               grad->dy[0], ph_grad_in (grad, 1));
  return TRUE;
}

/* y[j] is the product of all x[i] up to j, so dx[k] = sum over j of dY[j] y[j] / x[k]. From the first zero on all products are zero except
 * those without that zero, so these are computed from x with a one in its place. */
static gboolean
grad_cum_prod (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *axis = ph_grad_in (grad, 1), *dy = grad->dy[0];
  PhValue *zero = ph_grad_like (grad, x, 0), *one = ph_grad_like (grad, x, 1), *is_zero, *n_zeros, *first, *without, *sums[2];
  const gint64 reverse = ph_node_attr_int (grad->node, "reverse", 0), exclusive = ph_node_attr_int (grad->node, "exclusive", 0);

#define CUMULATE(op_, value_, reverse_, exclusive_)                                                                           \
  PH_BUILD_WITH (b, op_, PH_ATTRS (ph_attr_new_int ("reverse", reverse_), ph_attr_new_int ("exclusive", exclusive_)), value_, \
                 axis)

  is_zero = PH_BUILD (b, Equal, x, zero);
  n_zeros = CUMULATE (CumSum, PH_BUILD (b, Where, is_zero, one, zero), reverse, 0);
  first = PH_BUILD (b, And, is_zero, PH_BUILD (b, Equal, n_zeros, one));
  without = CUMULATE (CumProd, PH_BUILD (b, Where, first, one, x), reverse, exclusive);
  for (guint i = 0; i < 2; i++)
    sums[i] = CUMULATE (CumSum, PH_BUILD (b, Mul, dy, i == 0 ? ph_grad_out (grad, 0) : without), !reverse, exclusive);
#undef CUMULATE
  sums[0] = PH_BUILD (b, Div, sums[0], PH_BUILD (b, Where, is_zero, one, x));
  grad->dx[0] = PH_BUILD (b, Where, first, sums[1], PH_BUILD (b, Where, PH_BUILD (b, Equal, n_zeros, zero), sums[0], zero));
  return TRUE;
}

#define SUMMABLE (PH_FLOATS | PH_INDICES | PH_T (UINT32) | PH_T (UINT64))
/* clang-format off */
#define RUNNING_OP(since_, kernel_, grad_)                                                                             \
  .since = since_, .infer = ph_infer_same_as_input, .kernel = kernel_##_kernel, .grad_build = grad_, .no_grad = 1 << 1, \
  .inputs = { { "x", 'T', SUMMABLE }, { "axis", 0, PH_INDICES, PH_ARG_SHAPE } }, .outputs = { { "y", 'T', SUMMABLE } },              \
  .attrs = { { "exclusive", PH_ATTR_INT, "0" }, { "reverse", PH_ATTR_INT, "0" } }

const PhOp ph_op_CumSum = {
  "CumSum", RUNNING_OP (14, cum_sum, grad_cum_sum),
  .family = PH_FAMILY_POOL, .example = { "x[2,4]", "a = Constant <value_int = 1> () y = CumSum <exclusive = 1> (x, a)", -1, 1 },
  .doc = "Running sum along an axis.",
  .grad_text = "dx = cumsum(dY) from the other end",
};

const PhOp ph_op_CumProd = {
  "CumProd", RUNNING_OP (26, cum_prod, grad_cum_prod),
  .family = PH_FAMILY_POOL, .example = { "x[2,4]", "a = Constant <value_int = 1> () y = CumProd (x, a)", 0.3, 2 },
  .doc = "Running product along an axis.",
  .grad_text = "dx = sum over the later dY * (product of their other factors)",
};
/* clang-format on */
