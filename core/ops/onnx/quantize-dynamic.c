/* quantize-dynamic.c: DynamicQuantizeLinear: the scale and zero point follow from the elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/support.h"

static double
rounded (PhDType dtype, double value)
{
  return dtype == PH_DOUBLE ? value : (float) value;
}

static gboolean
dynamic_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  gsize n = ph_tensor_count (x);
  const PhDType dtype = ph_tensor_dtype (x); /* a double where the run is in double */
  double low = 0, high = 0, scale, zero;
  guint8 *out, *out_zero;
  gpointer out_scale;

  for (gsize i = 0; i < n; i++)
    {
      const double value = ph_tensor_get (x, i);

      low = MIN (low, value);
      high = MAX (high, value);
    }
  scale = rounded (dtype, rounded (dtype, high - low) / 255);
  zero = scale == 0 ? 0 : rint (CLAMP (rounded (dtype, -low / scale), 0, 255));
  out = ph_kernel_output (kernel, 0, PH_UINT8, ph_tensor_rank (x), ph_tensor_dims (x), error);
  out_scale = ph_kernel_output (kernel, 1, dtype, 0, NULL, error);
  out_zero = ph_kernel_output (kernel, 2, PH_UINT8, 0, NULL, error);
  if (out == NULL || out_scale == NULL || out_zero == NULL)
    return FALSE;
  ph_dtype_store (dtype, out_scale, 0, scale);
  *out_zero = zero;
  for (gsize i = 0; i < n; i++)
    {
      const double value = scale == 0 ? 0 : rint (rounded (dtype, ph_tensor_get (x, i) / scale));

      out[i] = isnan (value) ? 0 : (guint8) CLAMP (value + zero, 0, 255);
    }
  return TRUE;
}

static gboolean
infer_dynamic (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_type (infer, 0);

  ph_infer_set (infer, 0, x != NULL ? ph_type_with_dtype (x, PH_UINT8) : ph_type_unranked (PH_UINT8));
  ph_infer_set_shape (infer, 1, PH_FLOAT, 0, NULL);
  ph_infer_set_shape (infer, 2, PH_UINT8, 0, NULL);
  return TRUE;
}

/* Integers have no gradient, the scale has one: it is (max - min) / 255, and both ends reach to 0 at least. Elements that are the
 * same end share it. */
static gboolean
grad_dynamic (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *share = PH_BUILD (b, Div, grad->dy[1], ph_grad_like (grad, x, 255));

  for (guint end = 0; end < 2; end++)
    {
      PhValue *zero = ph_grad_like (grad, x, 0), *no_axes = ph_build_ints (b, NULL, 0);
      PhValue *limit = PH_BUILD_WITH (b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                                      end == 0 ? x : PH_BUILD (b, Neg, x), no_axes);
      PhValue *signed_x = end == 0 ? x : PH_BUILD (b, Neg, x);
      PhValue *is = ph_build_as (
          b, PH_BUILD (b, And, PH_BUILD (b, Equal, signed_x, limit), PH_BUILD (b, Greater, signed_x, zero)), PH_FLOAT);
      PhValue *count = PH_BUILD (b, Max, PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), is, no_axes),
                                 ph_grad_like (grad, x, 1));
      PhValue *part = PH_BUILD (b, Mul, is, PH_BUILD (b, Div, share, count));

      grad->dx[0] = end == 0 ? part : PH_BUILD (b, Sub, grad->dx[0], part);
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_DynamicQuantizeLinear = {
  "DynamicQuantizeLinear", .since = 11, .flags = PH_OP_IN_DOUBLE,
  .family = PH_FAMILY_NORM,
  .doc     = "Quantises to uint8 with a scale and zero point that fit the elements' own range.",
  .inputs  = { { "x", 0, PH_T (FLOAT) } },
  .outputs = { { "y", 0, PH_T (UINT8) }, { "y_scale", 0, PH_T (FLOAT) }, { "y_zero_point", 0, PH_T (UINT8) } },
  .infer   = infer_dynamic, .kernel = dynamic_kernel, .grad_build = grad_dynamic,
  .grad_text = "dx = dy_scale / 255 at the largest element above 0, -dy_scale / 255 at the smallest below",
};
/* clang-format on */
