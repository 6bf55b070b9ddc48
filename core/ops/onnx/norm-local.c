/* norm-local.c: normalisations over a neighbourhood, by a length, and by given axes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"
#include "core/ops/onnx/norm.h"
#include "core/ops/onnx/reduce.h"

/* LRN */

typedef struct
{
  double alpha, beta, bias;
  gint64 size, before, after;
} Lrn;

static Lrn
lrn_of (const PhNode *node)
{
  gint64 size = MAX (ph_node_attr_int (node, "size", 1), 1);

  return (Lrn) { ph_node_attr_float (node, "alpha", 0.0001f),
                 ph_node_attr_float (node, "beta", 0.75f),
                 ph_node_attr_float (node, "bias", 1),
                 size,
                 (size - 1) / 2,
                 size - 1 - (size - 1) / 2 };
}

static gboolean
lrn_kernel (PhKernel *kernel, GError **error)
{
  Lrn lrn = lrn_of (kernel->node);
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x), works_in = dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  g_autoptr (PhTensor) wide = ph_convert (x, works_in), result = ph_tensor_new (works_in, rank, dims);
  gsize inner;
  g_autofree double *squares = NULL;

  if (rank < 2)
    return ph_kernel_fail (kernel, error, "its input has rank %u, must have channels on axis 1", rank);
  inner = ph_dims_product (dims, 2, rank);
  squares = g_try_new (double, inner + 1);
  if (wide == NULL || result == NULL || squares == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");

#define LRN(type_)                                                                                                     \
  for (gint64 n = 0; n < dims[0]; n++)                                                                                 \
    for (gint64 c = 0; c < dims[1]; c++)                                                                               \
      {                                                                                                                \
        const type_ *sample = (const type_ *) ph_tensor_data (wide) + n * dims[1] * inner, *from = sample + c * inner; \
        type_ *to = (type_ *) ph_tensor_writable (result) + (n * dims[1] + c) * inner;                                 \
        for (gsize i = 0; i < inner; i++)                                                                              \
          squares[i] = 0;                                                                                              \
        for (gint64 k = MAX (0, c - lrn.before); k <= MIN (dims[1] - 1, c + lrn.after); k++)                           \
          for (gsize i = 0; i < inner; i++)                                                                            \
            squares[i] += (double) sample[k * inner + i] * sample[k * inner + i];                                      \
        for (gsize i = 0; i < inner; i++)                                                                              \
          to[i] = (type_) (from[i] / pow (lrn.bias + lrn.alpha / lrn.size * squares[i], lrn.beta));                    \
      }
  if (works_in == PH_FLOAT)
    LRN (float)
  else
    LRN (double)
#undef LRN
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

/* Builds the mean over a window of channels (zeros beyond the ends), by a pool over [N, 1, C, places]. */
static PhValue *
window_mean (PhGrad *grad, const Lrn *lrn, PhValue *value, gint64 channels, gboolean mirrored)
{
  PhBuilder *b = grad->b;
  gint64 shape[4] = { 0, 1, channels, -1 }, kernel[2] = { lrn->size, 1 };
  gint64 pads[4] = { mirrored ? lrn->after : lrn->before, 0, mirrored ? lrn->before : lrn->after, 0 };
  PhValue *pooled = PH_BUILD_WITH (b, AveragePool,
                                   PH_ATTRS (ph_attr_new_ints ("kernel_shape", kernel, 2), ph_attr_new_ints ("pads", pads, 4),
                                             ph_attr_new_int ("count_include_pad", 1)),
                                   PH_BUILD (b, Reshape, value, ph_build_ints (b, shape, 4)));

  return ph_grad_reshape_like (grad, pooled, ph_grad_in (grad, 0));
}

/* y = x s^-beta, s = bias + alpha mean (x^2): dx = dy s^-beta - 2 alpha beta x mean' (dy y / s). mean' averages over all windows that
 * contain x, which form the mirrored window. */
static gboolean
grad_lrn (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  Lrn lrn = lrn_of (grad->node);
  PhValue *x = ph_grad_in (grad, 0), *dy = grad->dy[0], *s, *near, *far;
  const PhType *type = x->type;

  if (type == NULL || !type->has_rank || type->rank < 2 || !ph_dim_known (type->dims[1]))
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "cannot be differentiated while the number of channels of its input is unknown");
  s = PH_BUILD (b, Add, ph_grad_like (grad, x, lrn.bias),
                PH_BUILD (b, Mul, ph_grad_like (grad, x, lrn.alpha),
                          window_mean (grad, &lrn, PH_BUILD (b, Mul, x, x), type->dims[1].size, FALSE)));
  near = PH_BUILD (b, Mul, dy, PH_BUILD (b, Pow, s, ph_grad_like (grad, x, -lrn.beta)));
  far = window_mean (grad, &lrn, PH_BUILD (b, Div, PH_BUILD (b, Mul, dy, ph_grad_out (grad, 0)), s), type->dims[1].size, TRUE);
  far = PH_BUILD (b, Mul, PH_BUILD (b, Mul, ph_grad_like (grad, x, 2 * lrn.alpha * lrn.beta), x), far);
  grad->dx[0] = PH_BUILD (b, Sub, near, far);
  return TRUE;
}

static gint64
lrn_flops (const PhNode *node)
{
  const PhType *in = ph_node_input (node, 0)->type;
  gint64 count = in != NULL ? ph_type_count (in) : -1;

  return count < 0 ? -1 : count * (2 * ph_node_attr_int (node, "size", 1) + 3);
}

/* clang-format off */
const PhOp ph_op_LRN = {
  "LRN", .since = 13,
  .family = PH_FAMILY_NORM, .example = { "x[2,5,2]", "y = LRN <size = 4, alpha = 0.5, bias = 1.5> (x)", -1, 1 },
  .doc     = "Each element by a power of the mean square of the channels around it.",
  .inputs  = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs   = { { "alpha", PH_ATTR_FLOAT, "0.0001" }, { "beta", PH_ATTR_FLOAT, "0.75" }, { "bias", PH_ATTR_FLOAT, "1.0" },
               { "size", PH_ATTR_INT, .required = TRUE } },
  .infer   = ph_infer_same_as_input, .kernel = lrn_kernel, .grad_build = grad_lrn, .flops = lrn_flops,
  .grad_text = "dX = dY / s^beta - 2 * (alpha * beta / size) * X * sum(dY * Y / s) over the neighbours, s = bias + alpha "
               "/ size * sum(X^2)",
};
/* clang-format on */

/* LpNormalization */

static gboolean
lp_norm_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (x), axis;
  const gint64 *dims = ph_tensor_dims (x);
  gint64 p = ph_node_attr_int (kernel->node, "p", 2);
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error), result = ph_tensor_new (PH_DOUBLE, rank, dims);
  gsize outer, inner, n;
  double *out;

  if (wide == NULL)
    return FALSE;
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis) || (p != 1 && p != 2))
    return ph_kernel_fail (kernel, error, "its axis must be within rank %u, and p 1 or 2", rank);
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank);
  n = dims[axis];
  out = ph_tensor_writable (result);
  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++)
      {
        const double *in = (const double *) ph_tensor_data (wide) + o * n * inner + i;
        double length = 0;

        for (gsize k = 0; k < n; k++)
          length += p == 1 ? fabs (in[k * inner]) : in[k * inner] * in[k * inner];
        length = p == 1 ? length : sqrt (length);
        for (gsize k = 0; k < n; k++)
          out[(o * n + k) * inner + i] = length == 0 ? 0 : in[k * inner] / length;
      }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), ph_tensor_dtype (x), error);
}

/* y = x / |x|: dx = (dy - d|x| sum (dy y)) / |x|, where d|x| is y (p = 2) or the sign (p = 1); 0 at the origin. */
static gboolean
grad_lp_norm (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  gint64 axis = ph_node_attr_int (grad->node, "axis", -1), p = ph_node_attr_int (grad->node, "p", 2);
  PhValue *x = ph_grad_in (grad, 0), *out = ph_grad_out (grad, 0), *axes = ph_build_ints (b, &axis, 1);
  PhValue *zero = ph_grad_like (grad, x, 0), *length, *is_zero, *along, *slope;

  length = p == 1 ? PH_BUILD (b, ReduceL1, x, axes) : PH_BUILD (b, ReduceL2, x, axes);
  is_zero = PH_BUILD (b, Equal, length, zero);
  along = PH_BUILD (b, ReduceSum, PH_BUILD (b, Mul, grad->dy[0], out), axes);
  slope = PH_BUILD (b, Mul, p == 1 ? PH_BUILD (b, Sign, x) : out, along);
  grad->dx[0] = PH_BUILD (
      b, Where, is_zero, zero,
      PH_BUILD (b, Div, PH_BUILD (b, Sub, grad->dy[0], slope), PH_BUILD (b, Where, is_zero, ph_grad_like (grad, x, 1), length)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_LpNormalization = {
  "LpNormalization", .since = 22,
  .family = PH_FAMILY_NORM, .example = { "x[2,3]", "y = LpNormalization (x)", -1, 1 },
  .doc     = "Each line along an axis by its length; a line of zeros stays one.",
  .inputs  = { { "input", 'T', PH_FLOATS } }, .outputs = { { "output", 'T', PH_FLOATS } },
  .attrs   = { { "axis", PH_ATTR_INT, "-1" }, { "p", PH_ATTR_INT, "2" } },
  .infer   = ph_infer_same_as_input, .kernel = lp_norm_kernel, .grad_build = grad_lp_norm, .flops = ph_norm_flops,
  .grad_text = "dinput = (dY - s * sum(dY * Y)) / norm, s = Y of the Euclidean norm, sign(input) of the sum",
};
/* clang-format on */

/* MeanVarianceNormalization */

#define MVN_EPSILON 1e-9

static const gint64 *
mvn_axes (const PhNode *node, gsize *n)
{
  static const gint64 usual[] = { 0, 2, 3 };
  const gint64 *axes = ph_node_attr_ints (node, "axes", n);

  if (axes == NULL)
    *n = G_N_ELEMENTS (usual);
  return axes != NULL ? axes : usual;
}

static gboolean
mvn_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (x), normal[PH_MAX_RANK];
  gsize n;
  const gint64 *axes = mvn_axes (kernel->node, &n);
  guint64 mask;
  PhReduction reduction;
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error);
  g_autoptr (PhTensor) result = ph_tensor_new (PH_DOUBLE, rank, ph_tensor_dims (x));
  const double *in;
  double *out;

  if (wide == NULL)
    return FALSE;
  if (!ph_axes (axes, n, rank, normal, &mask))
    return ph_kernel_fail (kernel, error, "its axes are outside of rank %u, or one is named twice", rank);
  if (result == NULL || !ph_reduction_init (&reduction, rank, ph_tensor_dims (x), mask))
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  in = ph_tensor_data (wide);
  out = ph_tensor_writable (result);
  for (gsize i = 0; i < reduction.n_results; i++)
    {
      double mean = 0, squares = 0, deviation;

      PH_FOREACH_REDUCED (&reduction, reduction.bases[i], at)
      mean += in[at];
      mean /= reduction.count;
      PH_FOREACH_REDUCED (&reduction, reduction.bases[i], at)
      squares += (in[at] - mean) * (in[at] - mean);
      deviation = sqrt (squares / reduction.count) + MVN_EPSILON;
      PH_FOREACH_REDUCED (&reduction, reduction.bases[i], at)
      out[at] = (in[at] - mean) / deviation;
    }
  ph_reduction_clear (&reduction);
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), ph_tensor_dtype (x), error);
}

/* As for all normalizations: (dy - mean dy - y mean (dy y)) / deviation. */
static gboolean
grad_mvn (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  gsize n;
  const gint64 *ints = mvn_axes (grad->node, &n);
  PhValue *x = ph_grad_in (grad, 0), *dy = grad->dy[0], *out = ph_grad_out (grad, 0), *axes = ph_build_ints (b, ints, n);
  PhValue *centred = PH_BUILD (b, Sub, x, PH_BUILD (b, ReduceMean, x, axes));
  PhValue *deviation = PH_BUILD (b, Sqrt, PH_BUILD (b, ReduceMean, PH_BUILD (b, Mul, centred, centred), axes));
  PhValue *level = PH_BUILD (b, Sub, dy, PH_BUILD (b, ReduceMean, dy, axes));
  PhValue *slope = PH_BUILD (b, Mul, out, PH_BUILD (b, ReduceMean, PH_BUILD (b, Mul, dy, out), axes));

  grad->dx[0] = PH_BUILD (b, Div, PH_BUILD (b, Sub, level, slope),
                          PH_BUILD (b, Add, deviation, ph_grad_like (grad, x, MVN_EPSILON)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MeanVarianceNormalization = {
  "MeanVarianceNormalization", .since = 13,
  .family = PH_FAMILY_NORM, .example = { "x[2,2,2,2]", "y = MeanVarianceNormalization (x)", -1, 1 },
  .doc     = "Less the mean, by the deviation, both over the given axes.",
  .inputs  = { { "X", 'T', PH_FLOATS } }, .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs   = { { "axes", PH_ATTR_INTS, "[0, 2, 3]" } },
  .infer   = ph_infer_same_as_input, .kernel = mvn_kernel, .grad_build = grad_mvn, .flops = ph_norm_flops,
  .grad_text = "dX = (dY - mean(dY) - Y * mean(dY * Y)) / std(X)",
};
/* clang-format on */
