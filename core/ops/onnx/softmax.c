/* softmax.c: distributions along an axis.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"
#include "core/ops/support.h"

static gboolean
infer_softmax (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  gint64 axis = ph_node_attr_int (ph_infer_node_of (infer), "axis", -1);
  guint normal;

  if (type != NULL && type->has_rank && !ph_axis (axis, type->rank, &normal))
    {
      g_autofree char *text = ph_type_to_string (type);

      return ph_infer_fail (infer, error, "its axis %" G_GINT64_FORMAT " is outside of %s", axis, text);
    }
  return ph_infer_same_as_input (infer, error);
}

typedef enum
{
  SOFTMAX,
  LOG_SOFTMAX,
  HARDMAX
} Kind;

/* Computes one line along the axis. Subtracts the maximum first, so that no exponential overflows. */
/* clang-format off */
#define LINE(name_, type_)                                                                                             \
  static void name_ (Kind kind, gsize n, gsize stride, const type_ *in, type_ *out)                                    \
  {                                                                                                                    \
    type_ greatest = in[0];                                                                                            \
    gsize where = 0;                                                                                                   \
    double sum = 0;                                                                                                    \
    for (gsize k = 1; k < n; k++)                                                                                      \
      if (in[k * stride] > greatest)                                                                                   \
        greatest = in[where = k, k * stride];                                                                          \
    if (kind == HARDMAX)                                                                                               \
      {                                                                                                                \
        for (gsize k = 0; k < n; k++)                                                                                  \
          out[k * stride] = k == where;                                                                                \
        return;                                                                                                        \
      }                                                                                                                \
    for (gsize k = 0; k < n; k++)                                                                                      \
      {                                                                                                                \
        const type_ less = in[k * stride] - greatest, power = exp (less);                                              \
        out[k * stride] = kind == SOFTMAX ? power : less;                                                              \
        sum += power;                                                                                                  \
      }                                                                                                                \
    if (kind == SOFTMAX)                                                                                               \
      for (gsize k = 0; k < n; k++)                                                                                    \
        out[k * stride] = (type_) (out[k * stride] / sum);                                                             \
    else                                                                                                               \
      for (gsize k = 0; k < n; k++)                                                                                    \
        out[k * stride] = (type_) (out[k * stride] - log (sum));                                                       \
  }
/* clang-format on */
LINE (line_f32, float)
LINE (line_f64, double)

static gboolean
run (PhKernel *kernel, Kind kind, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (tensor), works_in = dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  const gint64 *dims = ph_tensor_dims (tensor);
  guint rank = ph_tensor_rank (tensor), axis;
  g_autoptr (PhTensor) wide = ph_convert (tensor, works_in), result = ph_tensor_new (works_in, rank, dims);
  gsize outer, inner, n;

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis))
    return ph_kernel_fail (kernel, error, "its axis is outside of rank %u", rank);
  if (wide == NULL || result == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank);
  n = dims[axis];
  for (gsize o = 0; n > 0 && o < outer; o++)
    for (gsize i = 0; i < inner; i++)
      {
        gsize at = o * n * inner + i;

        if (works_in == PH_FLOAT)
          line_f32 (kind, n, inner, (const float *) ph_tensor_data (wide) + at, (float *) ph_tensor_writable (result) + at);
        else
          line_f64 (kind, n, inner, (const double *) ph_tensor_data (wide) + at, (double *) ph_tensor_writable (result) + at);
      }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

static gboolean
softmax_kernel (PhKernel *kernel, GError **error)
{
  return run (kernel, SOFTMAX, error);
}

static gboolean
log_softmax_kernel (PhKernel *kernel, GError **error)
{
  return run (kernel, LOG_SOFTMAX, error);
}

static gboolean
hardmax_kernel (PhKernel *kernel, GError **error)
{
  return run (kernel, HARDMAX, error);
}

/* Counts maximum, difference, exponential, sum and quotient. */
static gint64
softmax_flops (const PhNode *node)
{
  const PhType *in = ph_node_input (node, 0)->type;
  gint64 count = in != NULL ? ph_type_count (in) : -1;

  return count < 0 ? -1 : 5 * count;
}

static PhValue *
sum_along (PhGrad *grad, PhValue *value)
{
  gint64 axis = ph_node_attr_int (grad->node, "axis", -1);

  return PH_BUILD_WITH (grad->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), value, ph_build_ints (grad->b, &axis, 1));
}

/* (dy - sum (dy y)) y */
static gboolean
grad_softmax (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *dy = grad->dy[0], *out = ph_grad_out (grad, 0);

  grad->dx[0] = PH_BUILD (b, Mul, PH_BUILD (b, Sub, dy, sum_along (grad, PH_BUILD (b, Mul, dy, out))), out);
  return TRUE;
}

/* dy - exp (y) sum (dy) */
static gboolean
grad_log_softmax (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *dy = grad->dy[0];

  grad->dx[0] = PH_BUILD (b, Sub, dy, PH_BUILD (b, Mul, PH_BUILD (b, Exp, ph_grad_out (grad, 0)), sum_along (grad, dy)));
  return TRUE;
}

/* clang-format off */
#define ALONG_AXIS(kernel_)                                                                                            \
  .since = 13, .inputs = { { "input", 'T', PH_FLOATS } }, .outputs = { { "output", 'T', PH_FLOATS } },                 \
  .attrs = { { "axis", PH_ATTR_INT, "-1" } }, .infer = infer_softmax, .kernel = kernel_##_kernel, .flops = softmax_flops

const PhOp ph_op_Softmax = {
  "Softmax", ALONG_AXIS (softmax), .grad_build = grad_softmax,
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SOFTMAX,
  .main_attrs = { "axis" },
  .example = { "x[2,3,2]", "y = Softmax <axis = 1> (x)", -2, 2 },
  .doc = "Exponentials along an axis, scaled so that they sum up to 1.",
  .grad_text = "dinput = Y * (dY - sum(dY * Y))",
};

const PhOp ph_op_LogSoftmax = {
  "LogSoftmax", ALONG_AXIS (log_softmax), .grad_build = grad_log_softmax,
  .family = PH_FAMILY_ACTIVATION, .main_attrs = { "axis" }, .example = { "x[2,3]", "y = LogSoftmax (x)", -2, 2 },
  .doc = "Logarithm of the softmax along an axis.",
  .grad_text = "dinput = dY - exp(Y) * sum(dY)",
};

const PhOp ph_op_Hardmax = {
  "Hardmax", ALONG_AXIS (hardmax), .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_ACTIVATION,
  .doc = "1 at the first greatest element along an axis, else 0.",
};
/* clang-format on */
