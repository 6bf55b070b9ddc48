/* reduce-grad.c: gradients of reductions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/reduce.h"

/* Restores reduced axes with length 1, so that the value broadcasts against the input. */

static PhValue *
with_axes (PhGrad *grad, PhValue *value)
{
  PhValue *axes = ph_grad_in (grad, 1);
  const PhType *type = ph_grad_in (grad, 0)->type;

  if (ph_node_attr_int (grad->node, "keepdims", 1))
    return value;
  if (axes != NULL)
    {
      PhTensor *constant = ph_value_constant (axes);

      if (constant == NULL || ph_tensor_count (constant) > 0)
        return PH_BUILD (grad->b, Unsqueeze, value, axes);
    }
  if (type == NULL || !type->has_rank)
    return value; /* a scalar broadcasts */

  gint64 all[PH_MAX_RANK];

  if (ph_node_attr_int (grad->node, "noop_with_empty_axes", 0))
    return value;
  for (guint i = 0; i < type->rank; i++)
    all[i] = i;
  return PH_BUILD (grad->b, Unsqueeze, value, ph_build_ints (grad->b, all, type->rank));
}

/* Expands @value to the shape of the input. */
static PhValue *
spread (PhGrad *grad, PhValue *value)
{
  PhValue *x = ph_grad_in (grad, 0);

  if (value != NULL && value->type != NULL && x->type != NULL && ph_type_is_static (x->type)
      && ph_type_same_shape (value->type, x->type))
    return value;
  return PH_BUILD (grad->b, Expand, value, ph_grad_shape (grad, x));
}

/* Builds the same reduction of another tensor, with its axes kept. */
static PhValue *
reduce_same (PhGrad *grad, const PhOp *op, PhValue *value)
{
  PhValue *inputs[] = { value, ph_grad_in (grad, 1) };

  return ph_build_node (
      grad->b, op, inputs, 2,
      PH_ATTRS (ph_attr_new_int ("keepdims", 1),
                ph_attr_new_int ("noop_with_empty_axes", ph_node_attr_int (grad->node, "noop_with_empty_axes", 0))),
      1);
}

gboolean
ph_grad_reduce_sum (PhGrad *grad, GError **error)
{
  grad->dx[0] = spread (grad, with_axes (grad, grad->dy[0]));
  return TRUE;
}

gboolean
ph_grad_reduce_mean (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *out = ph_grad_out (grad, 0), *dy = with_axes (grad, grad->dy[0]), *count;
  gint64 many = x->type != NULL ? ph_type_count (x->type) : -1, few = out->type != NULL ? ph_type_count (out->type) : -1;

  if (many > 0 && few > 0)
    count = ph_grad_like (grad, x, many / few);
  else
    count = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", x->type != NULL ? x->type->dtype : PH_FLOAT)),
                           PH_BUILD (b, Div, PH_BUILD (b, Size, x), PH_BUILD (b, Size, out)));
  grad->dx[0] = spread (grad, PH_BUILD (b, Div, dy, count));
  return TRUE;
}

/* All elements equal to the extreme share the gradient evenly, as in PyTorch's amax and amin. */
gboolean
ph_grad_reduce_extreme (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *dy = with_axes (grad, grad->dy[0]);
  PhDType dtype = dy != NULL && dy->type != NULL ? dy->type->dtype : PH_FLOAT;
  PhValue *is = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)),
                               PH_BUILD (b, Equal, x, with_axes (grad, ph_grad_out (grad, 0))));
  PhValue *count = reduce_same (grad, &ph_op_ReduceSum, is);

  grad->dx[0] = PH_BUILD (b, Mul, is, PH_BUILD (b, Div, dy, PH_BUILD (b, Max, count, ph_grad_like (grad, x, 1))));
  return TRUE;
}

/* The gradient is y / x for a factor other than 0, the product of the others for the only 0, and else 0. */
gboolean
ph_grad_reduce_prod (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *dy = with_axes (grad, grad->dy[0]), *one = ph_grad_like (grad, x, 1);
  PhValue *zero = ph_grad_like (grad, x, 0), *is_zero = PH_BUILD (b, Equal, x, zero);
  PhValue *others = PH_BUILD (b, Where, is_zero, one, x);
  PhValue *product = reduce_same (grad, &ph_op_ReduceProd, others);
  PhValue *zeros = reduce_same (grad, &ph_op_ReduceSum, PH_BUILD (b, Where, is_zero, one, zero));
  PhValue *of_zero = PH_BUILD (b, Where, PH_BUILD (b, Equal, zeros, one), product, zero);
  PhValue *of_others = PH_BUILD (b, Where, PH_BUILD (b, Equal, zeros, zero), PH_BUILD (b, Div, product, others), zero);

  grad->dx[0] = PH_BUILD (b, Mul, dy, PH_BUILD (b, Where, is_zero, of_zero, of_others));
  return TRUE;
}

gboolean
ph_grad_reduce_l1 (PhGrad *grad, GError **error)
{
  grad->dx[0] = PH_BUILD (grad->b, Mul, with_axes (grad, grad->dy[0]), PH_BUILD (grad->b, Sign, ph_grad_in (grad, 0)));
  return TRUE;
}

/* x / |x|, and 0 at the origin. */
gboolean
ph_grad_reduce_l2 (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *norm = with_axes (grad, ph_grad_out (grad, 0)), *zero = ph_grad_like (grad, x, 0);
  PhValue *is_zero = PH_BUILD (b, Equal, norm, zero);
  PhValue *share = PH_BUILD (b, Div, with_axes (grad, grad->dy[0]),
                             PH_BUILD (b, Where, is_zero, ph_grad_like (grad, x, 1), norm));

  grad->dx[0] = PH_BUILD (b, Mul, PH_BUILD (b, Where, is_zero, zero, share), x);
  return TRUE;
}

gboolean
ph_grad_reduce_log_sum (PhGrad *grad, GError **error)
{
  PhValue *total = reduce_same (grad, &ph_op_ReduceSum, ph_grad_in (grad, 0));

  grad->dx[0] = spread (grad, PH_BUILD (grad->b, Div, with_axes (grad, grad->dy[0]), total));
  return TRUE;
}

/* The gradient is exp (x - y), the softmax. If y is infinite, x - y would be inf - inf. */
gboolean
ph_grad_reduce_log_sum_exp (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *out = with_axes (grad, ph_grad_out (grad, 0));
  PhValue *finite = PH_BUILD (b, Where, PH_BUILD (b, IsInf, out), ph_grad_like (grad, x, 0), out);

  grad->dx[0] = PH_BUILD (b, Mul, with_axes (grad, grad->dy[0]), PH_BUILD (b, Exp, PH_BUILD (b, Sub, x, finite)));
  return TRUE;
}

gboolean
ph_grad_reduce_sum_square (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0);

  grad->dx[0] = PH_BUILD (b, Mul, with_axes (grad, grad->dy[0]), PH_BUILD (b, Mul, ph_grad_like (grad, x, 2), x));
  return TRUE;
}
