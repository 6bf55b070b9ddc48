/* norm-layer.c: LayerNormalization and RMSNormalization, over the last axes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"
#include "core/ops/onnx/norm.h"

/* For gradients, with a builder b. */
#define ADD(x_, y_)                     PH_BUILD (b, Add, x_, y_)
#define SUB(x_, y_)                     PH_BUILD (b, Sub, x_, y_)
#define MUL(x_, y_)                     PH_BUILD (b, Mul, x_, y_)
#define MEAN(value_, from_, to_, also_) ph_norm_along (b, &ph_op_ReduceMean, value_, from_, to_, also_, TRUE)

static gboolean
infer_layer_norm (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *x = ph_infer_type (infer, 0);
  gint64 axis = ph_node_attr_int (node, "axis", -1), stash = ph_node_attr_int (node, "stash_type", PH_FLOAT);
  PhDim dims[PH_MAX_RANK];
  guint normal;

  if (node->op == &ph_op_RMSNormalization) /* scale's element type, and no other outputs */
    {
      const PhType *scale = ph_infer_type (infer, 1);

      if (x != NULL && scale != NULL)
        ph_infer_set (infer, 0, ph_type_with_dtype (x, scale->dtype));
      return x == NULL || !x->has_rank || ph_axis (axis, x->rank, &normal)
             || ph_infer_fail (infer, error, "its axis %" G_GINT64_FORMAT " is outside of rank %u", axis, x->rank);
    }
  ph_infer_set (infer, 0, x);
  if (x == NULL || !x->has_rank)
    return TRUE;
  if (!ph_axis (axis, x->rank, &normal))
    {
      g_autofree char *text = ph_type_to_string (x);

      return ph_infer_fail (infer, error, "its axis %" G_GINT64_FORMAT " is outside of %s", axis, text);
    }
  for (guint i = 0; i < x->rank; i++)
    dims[i] = i < normal ? x->dims[i] : PH_DIM (1);
  ph_infer_set_shape (infer, 1, stash, x->rank, dims);
  ph_infer_set_shape (infer, 2, stash, x->rank, dims);
  return TRUE;
}

static gboolean
layer (PhKernel *kernel, gboolean centre, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *scale = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  PhDType dtype = ph_tensor_dtype (centre ? x : scale);
  PhDType stash = ph_kernel_dtype (kernel, ph_node_attr_int (kernel->node, "stash_type", PH_FLOAT));
  guint rank = ph_tensor_rank (x), axis;
  gint64 dims[PH_MAX_RANK];
  gsize outer, inner;
  double epsilon = PH_NORM_EPSILON (kernel->node);
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error), wide_scale = NULL, wide_bias = NULL,
                       result = NULL;
  gpointer kept[2] = { NULL, NULL };
  PhWalk walk;
  double *out;

  if (wide == NULL)
    return FALSE;
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis))
    return ph_kernel_fail (kernel, error, "its axis is outside of rank %u", rank);
  if (!ph_broadcasts_into (ph_tensor_rank (scale), ph_tensor_dims (scale), rank, ph_tensor_dims (x))
      || (bias != NULL && !ph_broadcasts_into (ph_tensor_rank (bias), ph_tensor_dims (bias), rank, ph_tensor_dims (x))))
    return ph_kernel_fail (kernel, error, "its scale or bias does not broadcast to the shape of its input");
  wide_scale = ph_convert (scale, PH_DOUBLE);
  wide_bias = bias != NULL ? ph_convert (bias, PH_DOUBLE) : NULL;
  result = ph_tensor_new (PH_DOUBLE, rank, ph_tensor_dims (x));
  if (result == NULL || wide_scale == NULL || (bias != NULL && wide_bias == NULL))
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  outer = ph_dims_product (ph_tensor_dims (x), 0, axis);
  inner = ph_dims_product (ph_tensor_dims (x), axis, rank);
  out = ph_tensor_writable (result);
  for (guint i = 0; i < rank; i++)
    dims[i] = i < axis ? ph_tensor_dims (x)[i] : 1;
  for (guint i = 0; centre && i < 2; i++)
    if (ph_kernel_wants (kernel, i + 1) && (kept[i] = ph_kernel_output (kernel, i + 1, stash, rank, dims, error)) == NULL)
      return FALSE;

  for (gsize o = 0; o < outer; o++)
    {
      const double *in = (const double *) ph_tensor_data (wide) + o * inner;
      double mean = 0, squares = 0, inverse;

      for (gsize i = 0; centre && i < inner; i++)
        mean += in[i] / inner;
      for (gsize i = 0; i < inner; i++)
        squares += (in[i] - mean) * (in[i] - mean);
      inverse = 1 / sqrt (squares / inner + epsilon);
      for (gsize i = 0; i < inner; i++)
        out[o * inner + i] = (in[i] - mean) * inverse;
      if (kept[0] != NULL)
        ph_dtype_store (stash, kept[0], o, mean);
      if (kept[1] != NULL)
        ph_dtype_store (stash, kept[1], o, inverse);
    }

  ph_walk_init (&walk, rank, ph_tensor_dims (x));
  ph_walk_add (&walk, ph_tensor_rank (scale), ph_tensor_dims (scale));
  if (bias != NULL)
    ph_walk_add (&walk, ph_tensor_rank (bias), ph_tensor_dims (bias));
  for (gsize i = 0; i < walk.count; i++, ph_walk_next (&walk))
    out[i] = out[i] * ((const double *) ph_tensor_data (wide_scale))[walk.offset[0]]
             + (bias != NULL ? ((const double *) ph_tensor_data (wide_bias))[walk.offset[1]] : 0);
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

static gboolean
layer_norm_kernel (PhKernel *kernel, GError **error)
{
  return layer (kernel, TRUE, error);
}

static gboolean
rms_norm_kernel (PhKernel *kernel, GError **error)
{
  return layer (kernel, FALSE, error);
}

static gboolean
grad_layer_norm (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *dy = grad->dy[0];
  guint rank, axis = 0;
  PhNormal normal;

  if (ph_grad_wants_statistics (grad))
    return ph_grad_statistics (grad, error);
  if (!ph_norm_known_rank (grad, &rank, error))
    return FALSE;
  ph_axis (ph_node_attr_int (grad->node, "axis", -1), rank, &axis);
  normal = ph_norm_normalise (grad, ph_grad_in (grad, 0), PH_NORM_EPSILON (grad->node), axis, rank, PH_NORM_NOT_ALSO);
  if (grad->wanted[0])
    grad->dx[0] = ph_norm_gradient (grad, normal, MUL (dy, ph_grad_in (grad, 1)), axis, rank, PH_NORM_NOT_ALSO);
  if (grad->wanted[1])
    grad->dx[1] = MUL (dy, normal.hat);
  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    grad->dx[2] = dy;
  return TRUE;
}

/* Without the mean: r = 1 / sqrt (mean x^2 + e), x^ = x r, dx = r (g - x^ mean (g x^)). */
static gboolean
grad_rms_norm (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *dy = grad->dy[0], *inverse, *hat;
  guint rank, axis = 0;

  if (!ph_norm_known_rank (grad, &rank, error))
    return FALSE;
  ph_axis (ph_node_attr_int (grad->node, "axis", -1), rank, &axis);
  inverse = PH_BUILD (
      b, Reciprocal,
      PH_BUILD (b, Sqrt,
                ADD (MEAN (MUL (x, x), axis, rank, PH_NORM_NOT_ALSO), ph_grad_like (grad, x, PH_NORM_EPSILON (grad->node)))));
  hat = MUL (x, inverse);
  if (grad->wanted[0])
    {
      PhValue *g = MUL (dy, ph_grad_in (grad, 1));

      grad->dx[0] = MUL (inverse, SUB (g, MUL (hat, MEAN (MUL (g, hat), axis, rank, PH_NORM_NOT_ALSO))));
    }
  if (grad->wanted[1])
    grad->dx[1] = MUL (dy, hat);
  return TRUE;
}

#define LAYER_ATTRS \
  .attrs = { { "axis", PH_ATTR_INT, "-1" }, { "epsilon", PH_ATTR_FLOAT, "1e-05" }, { "stash_type", PH_ATTR_INT, "1" } }

/* clang-format off */
const PhOp ph_op_LayerNormalization = {
  "LayerNormalization", .since = 17, LAYER_ATTRS,
  .family = PH_FAMILY_NORM, .motif = PH_MOTIF_NORM, .short_name = "LayerNorm",
  .main_attrs = { "axis", "epsilon" },
  .example = { "x[2,2,3] s[2,3] b[3]", "y = LayerNormalization <axis = 1, epsilon = 0.01> (x, s, b)", -1, 1 },
  .doc     = "The last axes less their mean, by their deviation, then scaled and shifted.",
  .inputs  = { { "X", 'T', PH_FLOATS }, { "Scale", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS }, { "Mean", 'U', PH_FLOATS, PH_ARG_OPTIONAL },
               { "InvStdDev", 'U', PH_FLOATS, PH_ARG_OPTIONAL } },
  .infer   = infer_layer_norm, .kernel = layer_norm_kernel, .grad_build = grad_layer_norm, .flops = ph_norm_flops,
  .grad_text = "dX = (g - mean(g) - n * mean(g * n)) / std, g = dY * Scale, n = normalised X; dScale = sum(dY * n); dB = "
               "sum(dY)",
};

const PhOp ph_op_RMSNormalization = {
  "RMSNormalization", .since = 23, LAYER_ATTRS,
  .family = PH_FAMILY_NORM, .motif = PH_MOTIF_NORM, .short_name = "RMSNorm",
  .example = { "x[2,4] s[4]", "y = RMSNormalization <epsilon = 0.01> (x, s)", -1, 1 },
  .doc     = "The last axes by their root mean square, then scaled.",
  .inputs  = { { "X", 'T', PH_FLOATS }, { "scale", 'V', PH_FLOATS } }, .outputs = { { "Y", 'V', PH_FLOATS } },
  .infer   = infer_layer_norm, .kernel = rms_norm_kernel, .grad_build = grad_rms_norm, .flops = ph_norm_flops,
  .grad_text = "dX = (g - n * mean(g * n)) / rms, g = dY * scale, n = X / rms; dscale = sum(dY * n)",
};
/* clang-format on */
