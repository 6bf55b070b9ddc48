/* grad.c: helpers to build gradients.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"

PhValue *
ph_build_as (PhBuilder *b, PhValue *value, PhDType dtype)
{
  if (value == NULL || value->type == NULL || value->type->dtype == dtype)
    return value;
  return PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), value);
}

static PhValue *
widened (PhGrad *grad, PhValue *value, PhDTypes allowed)
{
  if (grad->wide == PH_UNDEFINED || value == NULL || !ph_value_has_gradient (value) || !(allowed >> grad->wide & 1))
    return value;
  return ph_build_as (grad->b, value, grad->wide);
}

PhValue *
ph_grad_in (PhGrad *grad, guint i)
{
  return widened (grad, ph_node_input (grad->node, i), i < PH_MAX_ARGS ? grad->node->op->inputs[i].types : 0);
}

PhValue *
ph_grad_out (PhGrad *grad, guint i)
{
  return widened (grad, ph_node_output (grad->node, i), PH_FLOATS);
}

PhValue *
ph_grad_like (PhGrad *grad, PhValue *value, double number)
{
  if (value == NULL) /* its construction failed, and the builder has the error */
    return NULL;
  return ph_build_scalar (grad->b, value->type != NULL ? value->type->dtype : PH_FLOAT, number);
}

static PhValue *
build_shape (PhBuilder *b, PhValue *value)
{
  const PhType *type = value != NULL ? value->type : NULL;
  gint64 dims[PH_MAX_RANK];

  if (type == NULL || !ph_type_is_static (type))
    return PH_BUILD (b, Shape, value);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_build_ints (b, dims, type->rank);
}

PhValue *
ph_grad_shape (PhGrad *grad, PhValue *value)
{
  return build_shape (grad->b, value);
}

PhValue *
ph_build_zeros_like (PhBuilder *b, PhValue *value)
{
  gint64 one = 1;
  PhDType dtype = value->type != NULL ? value->type->dtype : PH_FLOAT;
  PhTensor *zero = ph_tensor_new (dtype, 1, &one);
  PhValue *zeros = PH_BUILD_WITH (b, ConstantOfShape, PH_ATTRS (ph_attr_new_tensor ("value", zero)), build_shape (b, value));

  ph_tensor_unref (zero);
  return zeros;
}

PhValue *
ph_grad_zeros_like (PhGrad *grad, PhValue *value)
{
  return ph_build_zeros_like (grad->b, value);
}

/* ── sums over broadcast axes ── */

/* Finds the axes of @value along which @like has length one or is missing. Returns FALSE if the shapes do not determine them. */
static gboolean
find_reduced_axes (const PhType *value, const PhType *like, gint64 *axes, guint *n_axes)
{
  guint lead;

  *n_axes = 0;
  if (value == NULL || like == NULL || !value->has_rank || !like->has_rank || value->rank < like->rank)
    return FALSE;
  lead = value->rank - like->rank;
  for (guint i = 0; i < value->rank; i++)
    {
      if (i < lead)
        axes[(*n_axes)++] = i;
      else if (!ph_dim_equal (value->dims[i], like->dims[i - lead]))
        {
          if (like->dims[i - lead].size != 1)
            return FALSE;
          axes[(*n_axes)++] = i;
        }
    }
  return TRUE;
}

/* Sums @value to the shape of @like, computing the axes at run time. The shape of @like is padded with ones in front; summing along an axis
 * of length one is right whether or not @value is longer there. The padding has no size that is a difference of ranks: in a branch that is
 * never taken it could be negative, and runtimes that infer shapes refuse such a model. */
static PhValue *
reduce_to_at_run_time (PhBuilder *b, PhValue *value, PhValue *like)
{
  const gint64 one = 1, minus_one = -1, end = G_MAXINT64;
  PhValue *like_shape = PH_BUILD (b, Shape, like);
  PhTensor *fill = ph_tensor_new_int64s (&one, 1);
  PhValue *ones = PH_BUILD_WITH (b, ConstantOfShape, PH_ATTRS (ph_attr_new_tensor ("value", fill)),
                                 PH_BUILD (b, Shape, PH_BUILD (b, Shape, value)));
  PhValue *padded = PH_BUILD (b, Slice, PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ones, like_shape),
                              PH_BUILD (b, Shape, like_shape), ph_build_ints (b, &end, 1));
  PhValue *is_one = PH_BUILD (b, Equal, padded, ph_build_ints (b, &one, 1));
  PhValue *axes = PH_BUILD (b, Reshape, PH_BUILD (b, NonZero, is_one), ph_build_ints (b, &minus_one, 1));
  PhValue *sum = PH_BUILD_WITH (
      b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1), ph_attr_new_int ("noop_with_empty_axes", 1)), value, axes);

  ph_tensor_unref (fill);
  /* With allowzero, a dimension 0 of @like means zero elements, not "copy". */
  return PH_BUILD_WITH (b, Reshape, PH_ATTRS (ph_attr_new_int ("allowzero", 1)), sum, like_shape);
}

PhValue *
ph_grad_reduce_to (PhBuilder *b, PhValue *value, PhValue *like)
{
  gint64 axes[PH_MAX_RANK];
  guint n_axes, lead;
  PhValue *sum;

  if (value == NULL || b->error != NULL)
    return NULL;
  if (like->type != NULL && like->type->kind != PH_KIND_TENSOR) /* the gradient of an optional's contents */
    return value;
  /* If an operator accepts [1, C] in place of [C], its gradient has shape [C]. */
  if (value->type != NULL && like->type != NULL && value->type->has_rank && like->type->has_rank
      && value->type->rank < like->type->rank)
    return PH_BUILD_WITH (b, Reshape, PH_ATTRS (ph_attr_new_int ("allowzero", 1)), value, build_shape (b, like));
  if (!find_reduced_axes (value->type, like->type, axes, &n_axes))
    return reduce_to_at_run_time (b, value, like);
  if (n_axes == 0)
    return value;
  lead = value->type->rank - like->type->rank;
  if (lead == n_axes)
    return PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), value, ph_build_ints (b, axes, n_axes));
  sum = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), value, ph_build_ints (b, axes, n_axes));
  return lead > 0 ? PH_BUILD (b, Squeeze, sum, ph_build_ints (b, axes, lead)) : sum;
}

gboolean
ph_value_has_gradient (const PhValue *value)
{
  return value->type != NULL && value->type->kind == PH_KIND_TENSOR && (PH_FLOATS >> value->type->dtype & 1);
}

gboolean
ph_value_is_empty (const PhValue *value)
{
  for (guint i = 0; value->type != NULL && value->type->has_rank && i < value->type->rank; i++)
    if (value->type->dims[i].size == 0)
      return TRUE;
  return FALSE;
}
