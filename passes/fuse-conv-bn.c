/* fuse-conv-bn.c: folds a batch normalisation into the convolution before it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/recipe-affine.h"

#include <math.h>

/*  BN (conv (x, W) + b) = s * (conv (x, W) + b - mean) + B      with s = scale / sqrt (var + epsilon), by channel
 *                       = conv (x, s * W) + (s * (b - mean) + B)                                                  */

enum
{
  SLOT_X,
  SLOT_W,
  SLOT_SCALE,
  SLOT_B,
  SLOT_MEAN,
  SLOT_VAR
};

static PhValue *
conv_bias (const PhNode *conv)
{
  return ph_node_input (conv, 2);
}

/* Returns the output channels: axis 0 of a convolution's weights; axis 1, per group, of a transposed one's. */
static gint64
n_channels (const PhNode *conv, PhTensor *weights)
{
  const gint64 *dims = ph_tensor_dims (weights);

  if (ph_tensor_rank (weights) < 2)
    return -1;
  return conv->op == &ph_op_Conv ? dims[0] : dims[1] * ph_node_attr_int (conv, "group", 1);
}

static gboolean
has_count (const PhValue *value, gint64 n)
{
  PhTensor *tensor = ph_value_constant (value);

  return tensor != NULL && ph_tensor_rank (tensor) == 1 && (gint64) ph_tensor_count (tensor) == n
         && ph_dtype_is_float (ph_tensor_dtype (tensor));
}

/* Returns the factor s of each channel, or NULL if a variance has no root. */
static double *
channel_factors (PhMatch *match, gint64 n)
{
  PhTensor *scale = ph_value_constant (match->slot[SLOT_SCALE]), *var = ph_value_constant (match->slot[SLOT_VAR]);
  double epsilon = ph_node_attr_float (match->root, "epsilon", 1e-5f);
  g_autofree double *factors = g_new (double, n + 1);

  for (gint64 i = 0; i < n; i++)
    {
      factors[i] = ph_tensor_get (scale, i) / sqrt (ph_tensor_get (var, i) + epsilon);
      if (!isfinite (factors[i]))
        return NULL;
    }
  return g_steal_pointer (&factors);
}

static gboolean
constant_statistics (PhMatch *match)
{
  const PhNode *conv = match->node[1];
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  gint64 n = n_channels (conv, weights);
  g_autofree double *factors = NULL;

  if (ph_node_attr_int (match->root, "training_mode", 0) != 0 || !ph_dtype_is_float (ph_tensor_dtype (weights)) || n < 0
      || ph_value_dtype (match->slot[SLOT_X]) != ph_tensor_dtype (weights))
    return FALSE;
  for (guint i = SLOT_SCALE; i <= SLOT_VAR; i++)
    if (!has_count (match->slot[i], n))
      return FALSE;
  if (conv_bias (conv) != NULL && !has_count (conv_bias (conv), n))
    return FALSE;
  factors = channel_factors (match, n);
  return factors != NULL;
}

/* What is folded, in the order of PhRecipeLater. */
enum
{
  WEIGHTS,
  BIAS,
  SCALE,
  SHIFT,
  MEAN,
  VARIANCE
};

static PhNorm
norm_in (PhTensor *const *tensors, const double *numbers)
{
  return (PhNorm) { tensors[SCALE], tensors[SHIFT], tensors[MEAN], tensors[VARIANCE], numbers[0] };
}

static PhValue *
write_weights (PhRecipe *recipe, PhTensor *const *tensors, const double *numbers)
{
  const PhNorm norm = norm_in (tensors, numbers);

  return ph_recipe_scale_first_axis (recipe, tensors[WEIGHTS], ph_recipe_norm_factor (recipe, &norm));
}

static PhValue *
write_bias (PhRecipe *recipe, PhTensor *const *tensors, const double *numbers)
{
  const PhNorm norm = norm_in (tensors, numbers);

  return ph_recipe_norm_shift (recipe, &norm, tensors[BIAS]);
}

/* New tensors, because other convolutions may use the old ones. */
static PhTensor *
scale_weights (PhMatch *match, const PhNorm *norm)
{
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  const PhRecipeLater later
      = { write_weights, { [WEIGHTS] = weights, [SCALE] = norm->scale, [VARIANCE] = norm->variance }, { norm->epsilon } };
  g_autoptr (PhRecipe) recipe = NULL;

  if (match->node[1]->op == &ph_op_Conv)
    return ph_recipe_tensor_later (&later, ph_tensor_dtype (weights), ph_tensor_rank (weights), ph_tensor_dims (weights), NULL);
  recipe = ph_recipe_new ();
  return ph_recipe_scale_filters (recipe, match->node[1], weights, ph_recipe_norm_factor (recipe, norm));
}

static PhTensor *
shift_bias (PhMatch *match, const PhNorm *norm)
{
  const PhValue *bias = conv_bias (match->node[1]);
  const PhRecipeLater later = { write_bias,
                                { [BIAS] = bias != NULL ? ph_value_constant (bias) : NULL,
                                  [SCALE] = norm->scale,
                                  [SHIFT] = norm->shift,
                                  [MEAN] = norm->mean,
                                  [VARIANCE] = norm->variance },
                                { norm->epsilon } };

  return ph_recipe_tensor_later (&later, ph_value_dtype (match->slot[SLOT_X]), 1, ph_tensor_dims (norm->mean), NULL);
}

static PhValue *
fold_conv_bn (PhMatch *match, PhBuilder *b)
{
  const PhNode *conv = match->node[1];
  const PhNorm norm = ph_norm_of (match->root);
  PhTensor *scaled = scale_weights (match, &norm), *shifted = shift_bias (match, &norm);
  PhValue *inputs[3] = { match->slot[SLOT_X] };

  if (scaled == NULL || shifted == NULL)
    {
      g_clear_pointer (&scaled, ph_tensor_unref);
      g_clear_pointer (&shifted, ph_tensor_unref);
      return NULL;
    }
  b->name = match->slot[SLOT_W]->name;
  inputs[1] = ph_build_tensor (b, scaled);
  b->name = match->slot[SLOT_B]->name;
  inputs[2] = ph_build_tensor (b, shifted);
  b->name = ph_node_output (match->root, 0)->name;
  return ph_build_like (b, conv, inputs, 3);
}

#define NORMALISED(conv_)                                                                                                \
  P (BatchNormalization, P (conv_, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_SCALE), CONST (SLOT_B), CONST (SLOT_MEAN), \
     CONST (SLOT_VAR))

static const PhRule rules[] = {
  { "fold-conv-bn", NORMALISED (Conv), .when = constant_statistics, .build = fold_conv_bn, .exactness = PH_ROUNDING,
    .becomes = "Conv(x, s * y, s * (bias - v) + w), s = z / sqrt(u + epsilon)",
    .why = "At inference, batch normalisation scales and shifts each output channel; weights and bias absorb both." },
  { "fold-conv-transpose-bn", NORMALISED (ConvTranspose), .when = constant_statistics, .build = fold_conv_bn,
    .exactness = PH_ROUNDING, .becomes = "ConvTranspose(x, s * y, s * (bias - v) + w), s = z / sqrt(u + epsilon)",
    .why = "At inference, batch normalisation scales and shifts each output channel; weights and bias absorb both." },
};

/* clang-format off */
const PhPass ph_pass_fuse_conv_bn = {
  .name = "fuse-conv-bn", .group = "fusion", .summary = "Folds batch normalisations into the convolutions before them",
  .elsewhere = "ONNX Runtime ConvBNFusion; onnxoptimizer fuse_bn_into_conv; TVM FoldScaleAxis",
  .trap = "weights that another convolution shares must be copied; a ConvTranspose has its channels on the second "
          "axis.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
