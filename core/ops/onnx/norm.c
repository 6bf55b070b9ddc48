/* norm.c: normalizations of channels by mean and variance, and the gradient that all normalizations by mean and variance share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/norm.h"
#include "core/ops/onnx/elementwise.h"

/* For gradients, with a builder b. */
#define ADD(x_, y_) PH_BUILD (b, Add, x_, y_)
#define SUB(x_, y_) PH_BUILD (b, Sub, x_, y_)
#define MUL(x_, y_) PH_BUILD (b, Mul, x_, y_)
#define DIV(x_, y_) PH_BUILD (b, Div, x_, y_)

PhValue *
ph_norm_along (PhBuilder *b, const PhOp *op, PhValue *value, guint from, guint to, guint also, gboolean keep)
{
  gint64 axes[PH_MAX_RANK + 1];
  guint n = 0;

  if (also < from)
    axes[n++] = also;
  for (guint i = from; i < to; i++)
    axes[n++] = i;
  if (n == 0) /* an empty list would reduce all axes */
    return value;
  return ph_build_node (b, op, PH_VALUES_ (value, ph_build_ints (b, axes, n)), 2, PH_ATTRS (ph_attr_new_int ("keepdims", keep)),
                        1);
}

#define MEAN(value_, from_, to_, also_) ph_norm_along (b, &ph_op_ReduceMean, value_, from_, to_, also_, TRUE)

/* Reshapes [C] to [C, 1, ..., 1], which broadcasts along axis 1 of a tensor of @rank. The kernels accept C numbers in any shape. */
static PhValue *
by_channel (PhBuilder *b, PhValue *value, guint rank)
{
  gint64 axes[PH_MAX_RANK], all = -1;

  if (value != NULL && (value->type == NULL || !value->type->has_rank || value->type->rank != 1))
    value = PH_BUILD (b, Reshape, value, ph_build_ints (b, &all, 1));
  if (rank <= 2)
    return value;
  for (guint i = 0; i + 2 < rank; i++)
    axes[i] = i + 1;
  return PH_BUILD (b, Unsqueeze, value, ph_build_ints (b, axes, rank - 2));
}

/* Sums over all axes but 1, the channel. */
static PhValue *
of_channel (PhBuilder *b, PhValue *value, guint rank)
{
  return ph_norm_along (b, &ph_op_ReduceSum, value, 2, rank, 0, FALSE);
}

gboolean
ph_norm_known_rank (PhGrad *grad, guint *rank, GError **error)
{
  const PhType *type = ph_grad_in (grad, 0)->type;

  if (type == NULL || !type->has_rank || type->rank == 0 || grad->dy[0] == NULL)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "%s",
                         grad->dy[0] == NULL ? "only its first output can be differentiated"
                                             : "cannot be differentiated while the rank of its input is unknown");
  *rank = type->rank;
  return TRUE;
}

/* Normalises; shared by all norms: with g = dL/dx^ and x^ = (x - mean) / deviation, dx = (g - mean g - x^ mean (g x^)) / deviation, all
 * means over the normalised axes. */
PhNormal
ph_norm_normalise (PhGrad *grad, PhValue *x, double epsilon, guint from, guint to, guint also)
{
  PhBuilder *b = grad->b;
  PhValue *centred = SUB (x, MEAN (x, from, to, also));
  PhValue *variance = MEAN (MUL (centred, centred), from, to, also);
  PhValue *inverse = PH_BUILD (b, Reciprocal, PH_BUILD (b, Sqrt, ADD (variance, ph_grad_like (grad, x, epsilon))));

  return (PhNormal) { MUL (centred, inverse), inverse };
}

PhValue *
ph_norm_gradient (PhGrad *grad, PhNormal normal, PhValue *g, guint from, guint to, guint also)
{
  PhBuilder *b = grad->b;
  PhValue *level = MEAN (g, from, to, also), *slope = MUL (normal.hat, MEAN (MUL (g, normal.hat), from, to, also));

  return MUL (normal.inverse, SUB (SUB (g, level), slope));
}

/* Estimates several operations per element: a few for the moments, a few to apply them. */
gint64
ph_norm_flops (const PhNode *node)
{
  const PhType *in = ph_node_input (node, 0)->type;
  gint64 count = in != NULL ? ph_type_count (in) : -1;

  return count < 0 ? -1 : 6 * count;
}

/* BatchNormalization */

static gboolean
infer_batch_norm (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_type (infer, 0), *statistics = ph_infer_type (infer, 3);

  ph_infer_set (infer, 0, x);
  if (x != NULL && x->has_rank && x->rank >= 2)
    for (guint i = 1; i < 5; i++)
      {
        const PhType *type = ph_infer_type (infer, i);

        if (type != NULL && type->has_rank
            && (type->rank != 1
                || (ph_dim_known (type->dims[0]) && ph_dim_known (x->dims[1]) && type->dims[0].size != x->dims[1].size)))
          {
            g_autofree char *text = ph_type_to_string (type), *whole = ph_type_to_string (x);

            return ph_infer_fail (infer, error, "input %u is %s, must have one element for each channel of %s", i, text, whole);
          }
      }
  if (statistics != NULL)
    {
      ph_infer_set (infer, 1, statistics);
      ph_infer_set (infer, 2, ph_infer_type (infer, 4) != NULL ? ph_infer_type (infer, 4) : statistics);
    }
  return TRUE;
}

/* clang-format off */
#define AFFINE(type_)                                                                                                  \
  for (gsize n = 0, at = 0; n < batch; n++)                                                                            \
    for (gsize c = 0; c < channels; c++)                                                                               \
      {                                                                                                                \
        const type_ factor = f[c], shift = s[c], *from = (const type_ *) ph_tensor_data (wide) + at;                   \
        type_ *restrict to = (type_ *) ph_tensor_writable (result) + at;                                               \
        for (gsize i = 0; i < inner; i++)                                                                              \
          to[i] = from[i] * factor + shift;                                                                            \
        at += inner;                                                                                                   \
      }
/* clang-format on */

static void
channel_moments (PhTensor *tensor, gsize batch, gsize channels, gsize inner, double *mean, double *variance)
{
  for (gsize c = 0; c < channels; c++)
    {
      double sum = 0, squares = 0;

      for (gsize n = 0; n < batch; n++)
        for (gsize i = 0; i < inner; i++)
          sum += ph_tensor_get (tensor, (n * channels + c) * inner + i);
      mean[c] = sum / (batch * inner);
      for (gsize n = 0; n < batch; n++)
        for (gsize i = 0; i < inner; i++)
          {
            double less = ph_tensor_get (tensor, (n * channels + c) * inner + i) - mean[c];

            squares += less * less;
          }
      variance[c] = squares / (batch * inner);
    }
}

static gboolean
batch_norm_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x), works_in = dtype == PH_DOUBLE ? PH_DOUBLE : PH_FLOAT;
  guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  gsize channels = rank > 1 ? dims[1] : 1, batch = rank > 0 ? dims[0] : 1, inner = rank > 2 ? ph_dims_product (dims, 2, rank) : 1;
  double epsilon = PH_NORM_EPSILON (kernel->node), momentum = ph_node_attr_float (kernel->node, "momentum", 0.9f);
  g_autofree double *f = g_new (double, channels), *s = g_new (double, channels);
  g_autofree double *mean = g_new (double, channels), *variance = g_new (double, channels);
  g_autoptr (PhTensor) wide = ph_convert (x, works_in), result = ph_tensor_new (works_in, rank, dims);

  for (guint i = 1; i < 5; i++)
    if (ph_tensor_rank (ph_kernel_input (kernel, i)) != 1 || ph_tensor_count (ph_kernel_input (kernel, i)) != channels)
      return ph_kernel_fail (kernel, error, "input %u must have one element for each of %" G_GSIZE_FORMAT " channels", i,
                             channels);
  if (wide == NULL || result == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");

  for (gsize c = 0; c < channels; c++)
    {
      mean[c] = ph_tensor_get (ph_kernel_input (kernel, 3), c);
      variance[c] = ph_tensor_get (ph_kernel_input (kernel, 4), c);
    }
  if (ph_node_attr_int (kernel->node, "training_mode", 0))
    {
      PhDType kept = ph_tensor_dtype (ph_kernel_input (kernel, 3));
      gint64 n = channels;
      gpointer running[2] = { NULL, NULL };

      for (guint i = 0; i < 2; i++)
        if (ph_kernel_wants (kernel, i + 1) && (running[i] = ph_kernel_output (kernel, i + 1, kept, 1, &n, error)) == NULL)
          return FALSE;
      for (guint i = 0; i < 2; i++)
        for (gsize c = 0; running[i] != NULL && c < channels; c++)
          ph_dtype_store (kept, running[i], c, momentum * (i == 0 ? mean : variance)[c]);
      channel_moments (wide, batch, channels, inner, mean, variance);
      for (guint i = 0; i < 2; i++)
        for (gsize c = 0; running[i] != NULL && c < channels; c++)
          ph_dtype_store (kept, running[i], c,
                          ph_dtype_load (kept, running[i], c) + (1 - momentum) * (i == 0 ? mean : variance)[c]);
    }
  for (gsize c = 0; c < channels; c++)
    {
      f[c] = ph_tensor_get (ph_kernel_input (kernel, 1), c) / sqrt (variance[c] + epsilon);
      s[c] = ph_tensor_get (ph_kernel_input (kernel, 2), c) - mean[c] * f[c];
    }
  if (works_in == PH_FLOAT)
    AFFINE (float)
  else
    AFFINE (double)
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

/* At inference an affine map per channel; in training the statistics depend on x as well. */
static gboolean
grad_batch_norm (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *scale = ph_grad_in (grad, 1), *dy = grad->dy[0];
  double epsilon = PH_NORM_EPSILON (grad->node);
  guint rank;

  if (ph_grad_wants_statistics (grad))
    return ph_grad_statistics (grad, error);
  if (!ph_norm_known_rank (grad, &rank, error))
    return FALSE;
  if (ph_node_attr_int (grad->node, "training_mode", 0))
    {
      grad->zero[3] = grad->zero[4] = TRUE; /* the running statistics are not read */
      PhNormal normal = ph_norm_normalise (grad, x, epsilon, 2, rank, 0);

      if (grad->wanted[0])
        grad->dx[0] = ph_norm_gradient (grad, normal, MUL (dy, by_channel (b, scale, rank)), 2, rank, 0);
      if (grad->wanted[1])
        grad->dx[1] = of_channel (b, MUL (dy, normal.hat), rank);
      if (grad->wanted[2])
        grad->dx[2] = of_channel (b, dy, rank);
      return TRUE;
    }

  PhValue *mean = ph_grad_in (grad, 3), *variance = ph_grad_in (grad, 4);
  PhValue *inverse = PH_BUILD (b, Reciprocal, PH_BUILD (b, Sqrt, ADD (variance, ph_grad_like (grad, variance, epsilon))));
  PhValue *factor = MUL (scale, inverse), *sum = NULL, *weighted = NULL;

  if (grad->wanted[0])
    grad->dx[0] = MUL (dy, by_channel (b, factor, rank));
  if (grad->wanted[2] || grad->wanted[3])
    sum = of_channel (b, dy, rank);
  if (grad->wanted[1] || grad->wanted[4])
    weighted = MUL (inverse, of_channel (b, MUL (dy, SUB (x, by_channel (b, mean, rank))), rank));
  if (grad->wanted[1])
    grad->dx[1] = weighted;
  if (grad->wanted[2])
    grad->dx[2] = sum;
  if (grad->wanted[3])
    grad->dx[3] = PH_BUILD (b, Neg, MUL (factor, sum));
  if (grad->wanted[4]) /* d (v + e)^(-1/2) = -1/2 (v + e)^(-3/2) */
    grad->dx[4] = MUL (ph_grad_like (grad, variance, -0.5), MUL (MUL (factor, inverse), weighted));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_BatchNormalization = {
  "BatchNormalization", .since = 15,
  .family = PH_FAMILY_NORM, .short_name = "BN",
  .main_attrs = { "epsilon" },
  .example = { "x[2,3,2,2] s[3] b[3] m[3] v[3]", "y = BatchNormalization (x, s, b, m, v)", 0.3, 1.5 },
  .doc     = "Each channel less its mean, by its deviation, then scaled and shifted. The statistics are given, or (training) "
             "taken from the batch.",
  .inputs  = { { "X", 'T', PH_FLOATS }, { "scale", 'U', PH_FLOATS }, { "B", 'U', PH_FLOATS }, { "input_mean", 'V', PH_FLOATS },
               { "input_var", 'V', PH_FLOATS } },
  .outputs = { { "Y", 'T', PH_FLOATS }, { "running_mean", 'V', PH_FLOATS, PH_ARG_OPTIONAL },
               { "running_var", 'V', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs   = { { "epsilon", PH_ATTR_FLOAT, "1e-05" }, { "momentum", PH_ATTR_FLOAT, "0.9" },
               { "training_mode", PH_ATTR_INT, "0" } },
  .infer   = infer_batch_norm, .kernel = batch_norm_kernel, .grad_build = grad_batch_norm, .flops = ph_norm_flops,
  .grad_text = "dX = dY * scale / std(X) (in training less its mean and its part along Y); dscale = sum(dY * normalised "
               "X); dB = sum(dY); dinput_mean = -sum(dX); dinput_var = -sum(dY * scale * (X - input_mean)) / (2 * std^3)",
};
/* clang-format on */

/* InstanceNormalization, GroupNormalization: over the places of one sample's channel, or group of channels. */

static gboolean
grouped (PhKernel *kernel, gsize groups, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *scale = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  PhDType dtype = ph_tensor_dtype (x);
  guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  gsize channels = rank > 1 ? dims[1] : 0, inner = rank > 2 ? ph_dims_product (dims, 2, rank) : 1, in_group;
  double epsilon = PH_NORM_EPSILON (kernel->node);
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error), result = ph_tensor_new (PH_DOUBLE, rank, dims);

  if (wide == NULL)
    return FALSE;
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  if (groups == 0)
    groups = channels;
  if (rank < 2 || channels == 0 || channels % groups != 0)
    return ph_kernel_fail (kernel, error, "%" G_GSIZE_FORMAT " channels cannot be split into %" G_GSIZE_FORMAT " equal groups",
                           channels, groups);
  if (ph_tensor_count (scale) != channels || ph_tensor_count (bias) != channels)
    return ph_kernel_fail (kernel, error, "scale and bias must have one element for each of %" G_GSIZE_FORMAT " channels",
                           channels);

  in_group = channels / groups * inner;
  for (gsize g = 0; g < (gsize) dims[0] * groups; g++)
    {
      const double *in = (const double *) ph_tensor_data (wide) + g * in_group;
      double *out = (double *) ph_tensor_writable (result) + g * in_group, sum = 0, squares = 0, mean, inverse;

      for (gsize i = 0; i < in_group; i++)
        sum += in[i];
      mean = sum / in_group;
      for (gsize i = 0; i < in_group; i++)
        squares += (in[i] - mean) * (in[i] - mean);
      inverse = 1 / sqrt (squares / in_group + epsilon);
      for (gsize i = 0; i < in_group; i++)
        {
          gsize c = g % groups * (channels / groups) + i / inner;

          out[i] = (in[i] - mean) * inverse * ph_tensor_get (scale, c) + ph_tensor_get (bias, c);
        }
    }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
}

static gboolean
instance_norm_kernel (PhKernel *kernel, GError **error)
{
  return grouped (kernel, 0, error);
}

static gboolean
group_norm_kernel (PhKernel *kernel, GError **error)
{
  gint64 groups = ph_node_attr_int (kernel->node, "num_groups", 0);

  if (groups <= 0)
    return ph_kernel_fail (kernel, error, "its attribute 'num_groups' must be positive");
  return grouped (kernel, groups, error);
}

static gboolean
grad_instance_norm (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *dy = grad->dy[0];
  PhNormal normal;
  guint rank;

  if (!ph_norm_known_rank (grad, &rank, error))
    return FALSE;
  normal = ph_norm_normalise (grad, ph_grad_in (grad, 0), PH_NORM_EPSILON (grad->node), 2, rank, PH_NORM_NOT_ALSO);
  if (grad->wanted[0])
    grad->dx[0] = ph_norm_gradient (grad, normal, MUL (dy, by_channel (b, ph_grad_in (grad, 1), rank)), 2, rank,
                                    PH_NORM_NOT_ALSO);
  if (grad->wanted[1])
    grad->dx[1] = of_channel (b, MUL (dy, normal.hat), rank);
  if (grad->wanted[2])
    grad->dx[2] = of_channel (b, dy, rank);
  return TRUE;
}

/* Reshapes to rows, [N, groups, -1]. */
static PhValue *
as_groups (PhGrad *grad, PhValue *value)
{
  gint64 shape[3] = { 0, ph_node_attr_int (grad->node, "num_groups", 1), -1 };

  return PH_BUILD (grad->b, Reshape, value, ph_build_ints (grad->b, shape, 3));
}

static gboolean
grad_group_norm (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *dy = grad->dy[0];
  PhNormal normal;
  guint rank;

  if (!ph_norm_known_rank (grad, &rank, error))
    return FALSE;
  normal = ph_norm_normalise (grad, as_groups (grad, x), PH_NORM_EPSILON (grad->node), 2, 3, PH_NORM_NOT_ALSO);
  if (grad->wanted[0])
    {
      PhValue *g = as_groups (grad, MUL (dy, by_channel (b, ph_grad_in (grad, 1), rank)));

      grad->dx[0] = ph_grad_reshape_like (grad, ph_norm_gradient (grad, normal, g, 2, 3, PH_NORM_NOT_ALSO), x);
    }
  if (grad->wanted[1])
    grad->dx[1] = of_channel (b, MUL (dy, ph_grad_reshape_like (grad, normal.hat, x)), rank);
  if (grad->wanted[2])
    grad->dx[2] = of_channel (b, dy, rank);
  return TRUE;
}

static gboolean
infer_group_norm (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_type (infer, 0);
  const gint64 groups = ph_node_attr_int (ph_infer_node_of (infer), "num_groups", 0);

  if (groups < 1)
    return ph_infer_fail (infer, error, "its attribute 'num_groups' must be positive");
  if (x != NULL && x->has_rank && (x->rank < 2 || (ph_dim_known (x->dims[1]) && x->dims[1].size % groups != 0)))
    {
      g_autofree char *text = ph_type_to_string (x);

      return ph_infer_fail (infer, error, "the channels of %s cannot be split into %" G_GINT64_FORMAT " equal groups", text,
                            groups);
    }
  return ph_infer_same_as_input (infer, error);
}

/* clang-format off */
const PhOp ph_op_InstanceNormalization = {
  "InstanceNormalization", .since = 22,
  .family = PH_FAMILY_NORM, .short_name = "InstanceNorm",
  .example = { "x[2,2,3] s[2] b[2]", "y = InstanceNormalization <epsilon = 0.01> (x, s, b)", -1, 1 },
  .doc     = "Each channel of each sample less its mean, by its deviation, then scaled and shifted.",
  .inputs  = { { "input", 'T', PH_FLOATS }, { "scale", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS } },
  .outputs = { { "output", 'T', PH_FLOATS } }, .attrs = { { "epsilon", PH_ATTR_FLOAT, "1e-05" } },
  .infer   = ph_infer_same_as_input, .kernel = instance_norm_kernel, .grad_build = grad_instance_norm, .flops = ph_norm_flops,
  .grad_text = "dinput = (scale / std) * (dY - mean(dY) - n * mean(dY * n)), n = normalised input; dscale = sum(dY * n); "
               "dB = sum(dY)",
};

const PhOp ph_op_GroupNormalization = {
  "GroupNormalization", .since = 21,
  .family = PH_FAMILY_NORM, .short_name = "GroupNorm",
  .main_attrs = { "num_groups", "epsilon" },
  .example = { "x[2,4,2] s[4] b[4]", "y = GroupNormalization <num_groups = 2, epsilon = 0.01> (x, s, b)", -1, 1 },
  .doc     = "Each group of channels of each sample less its mean, by its deviation; then each channel scaled and shifted.",
  .inputs  = { { "X", 'T', PH_FLOATS }, { "scale", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs   = { { "epsilon", PH_ATTR_FLOAT, "1e-05" }, { "num_groups", PH_ATTR_INT, .required = TRUE },
               { "stash_type", PH_ATTR_INT, "1" } },
  .infer   = infer_group_norm, .kernel = group_norm_kernel, .grad_build = grad_group_norm, .flops = ph_norm_flops,
  .grad_text = "dX = (scale / std) * (dY - mean(dY) - n * mean(dY * n)), n = normalised X; dscale = sum(dY * n); dbias = "
               "sum(dY)",
};
/* clang-format on */
