/* fuse-bn-conv.c: fuses an affine map per channel into the following convolution.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/recipe-affine.h"

#include <math.h>

/*  conv (s * x + t, W) + b = conv (x, W * s) + (b + sum of W * t over what one output reads)
 *  With t, the sum is the same at all positions only if the convolution has no padding; without t, padding stays 0. */

enum
{
  SLOT_X,
  SLOT_W,
  SLOT_SCALE,
  SLOT_B,
  SLOT_MEAN,
  SLOT_VAR
};

typedef struct
{
  double *scale, *shift;
  gint64 n;
} Affine;

static void
affine_clear (Affine *affine)
{
  g_free (affine->scale);
  g_free (affine->shift);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Affine, affine_clear)

static gboolean
reads_padding (const PhNode *conv)
{
  gsize n;
  const gint64 *pads = ph_node_attr_ints (conv, "pads", &n);
  const char *automatic = ph_node_attr_string (conv, "auto_pad", "NOTSET");

  if (g_str_has_prefix (automatic, "SAME"))
    return TRUE;
  for (gsize i = 0; pads != NULL && i < n; i++)
    if (pads[i] != 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_count (const PhValue *value, gint64 n)
{
  PhTensor *tensor = ph_value_constant (value);

  return tensor != NULL && ph_tensor_rank (tensor) == 1 && (gint64) ph_tensor_count (tensor) == n;
}

/* Reads one element per channel, or one for all; it must not broadcast x. */
static gboolean
read_channels (const PhValue *value, int rank, gint64 n, double *out)
{
  PhTensor *tensor = ph_value_constant (value);
  int own = ph_value_rank (value);

  if (tensor == NULL || own < 0 || own > rank || !ph_dtype_is_float (ph_tensor_dtype (tensor)))
    return FALSE;
  for (int i = 0; i < own; i++)
    if (ph_value_dim (value, i) != 1 && !(i - own + rank == 1 && ph_value_dim (value, i) == n))
      return FALSE;
  for (gint64 i = 0; i < n; i++)
    out[i] = ph_tensor_get (tensor, ph_tensor_count (tensor) == 1 ? 0 : (gsize) i);
  return TRUE;
}

static gboolean
read_batch_norm (PhMatch *match, Affine *affine)
{
  const PhNode *norm = match->node[1];
  double epsilon = ph_node_attr_float (norm, "epsilon", 1e-5f);

  if (ph_node_attr_int (norm, "training_mode", 0) != 0)
    return FALSE;
  for (guint i = SLOT_SCALE; i <= SLOT_VAR; i++)
    if (!has_count (match->slot[i], affine->n))
      return FALSE;
  for (gint64 i = 0; i < affine->n; i++)
    {
      affine->scale[i] = ph_tensor_get (ph_value_constant (match->slot[SLOT_SCALE]), (gsize) i)
                         / sqrt (ph_tensor_get (ph_value_constant (match->slot[SLOT_VAR]), (gsize) i) + epsilon);
      affine->shift[i] = ph_tensor_get (ph_value_constant (match->slot[SLOT_B]), (gsize) i)
                         - affine->scale[i] * ph_tensor_get (ph_value_constant (match->slot[SLOT_MEAN]), (gsize) i);
    }
  return TRUE;
}

/* Reads the node before the convolution. Returns FALSE if it is no affine map of channels that the weights can absorb. */
static gboolean
read_affine (PhMatch *match, Affine *affine)
{
  const PhNode *conv = match->root, *before = match->node[1];
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  PhValue *bias = ph_node_input (conv, 2);
  int rank = (int) ph_tensor_rank (weights);
  gboolean shifts = FALSE, ok;

  if (rank < 3 || !ph_dtype_is_float (ph_tensor_dtype (weights))
      || ph_value_dtype (match->slot[SLOT_X]) != ph_tensor_dtype (weights) || ph_value_rank (match->slot[SLOT_X]) != rank
      || (bias != NULL && !has_count (bias, ph_tensor_dims (weights)[0])))
    return FALSE;
  affine->n = ph_tensor_dims (weights)[1] * ph_node_attr_int (conv, "group", 1);
  affine->scale = g_new (double, affine->n + 1);
  affine->shift = g_new0 (double, affine->n + 1);
  for (gint64 i = 0; i < affine->n; i++)
    affine->scale[i] = 1;

  if (before->op == &ph_op_BatchNormalization)
    ok = read_batch_norm (match, affine);
  else
    ok = ph_value_same_type (match->slot[SLOT_X], ph_node_output (before, 0))
         && read_channels (match->slot[SLOT_SCALE], rank, affine->n, before->op == &ph_op_Mul ? affine->scale : affine->shift);
  for (gint64 i = 0; ok && i < affine->n; i++)
    {
      ok = isfinite (affine->scale[i]) && isfinite (affine->shift[i]);
      shifts |= affine->shift[i] != 0;
    }
  return ok && !(shifts && reads_padding (conv));
}

static gboolean
is_affine (PhMatch *match)
{
  g_auto (Affine) affine = { 0 };

  return read_affine (match, &affine);
}

/* Returns the factor or the offset of each input channel, [channels], in double; NULL means 1 or 0. */
static PhValue *
recipe_channels (PhRecipe *recipe, PhMatch *match, gboolean offset)
{
  PhBuilder *r = ph_recipe_builder (recipe);
  const PhNode *before = match->node[1];
  PhTensor *tensor = ph_value_constant (match->slot[SLOT_SCALE]);
  const gint64 count = (gint64) ph_tensor_count (tensor);

  if (before->op == &ph_op_BatchNormalization)
    {
      const PhNorm norm = ph_norm_of (before);
      PhValue *factor = ph_recipe_norm_factor (recipe, &norm);

      return offset ? PH_BUILD (r, Sub, ph_recipe_wide (recipe, norm.shift),
                                PH_BUILD (r, Mul, factor, ph_recipe_wide (recipe, norm.mean)))
                    : factor;
    }
  return (before->op == &ph_op_Mul) != offset ? ph_recipe_reshape (recipe, ph_recipe_wide (recipe, tensor), 1, &count) : NULL;
}

/* Multiplies the weights, as [groups, outputs, inputs, taps], by @channels ([groups * inputs], or one). */
static PhValue *
recipe_product (PhRecipe *recipe, PhMatch *match, PhValue *channels)
{
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  const gint64 *dims = ph_tensor_dims (weights), groups = MAX (1, ph_node_attr_int (match->root, "group", 1));
  const gint64 taps = (gint64) ph_tensor_count (weights) / MAX (1, dims[0] * dims[1]);
  PhValue *apart = ph_recipe_reshape (recipe, ph_recipe_wide (recipe, weights), 4,
                                      (gint64[]) { groups, dims[0] / groups, dims[1], taps });

  if (channels != NULL && ph_type_count (channels->type) != 1)
    channels = ph_recipe_reshape (recipe, channels, 4, (gint64[]) { groups, 1, dims[1], 1 });
  return PH_BUILD (ph_recipe_builder (recipe), Mul, apart, channels);
}

static PhTensor *
new_weights (PhMatch *match)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  PhValue *channels = recipe_channels (recipe, match, FALSE);

  if (channels == NULL)
    return ph_tensor_ref (weights);
  return ph_recipe_tensor (
      recipe,
      ph_recipe_reshape (recipe, recipe_product (recipe, match, channels), ph_tensor_rank (weights), ph_tensor_dims (weights)),
      ph_tensor_dtype (weights), NULL);
}

static PhTensor *
new_bias (PhMatch *match)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  PhBuilder *r = ph_recipe_builder (recipe);
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  const gint64 n = ph_tensor_dims (weights)[0], axes[2] = { 2, 3 };
  PhValue *bias = ph_node_input (match->root, 2) != NULL ? ph_recipe_input (recipe, match->root, 2)
                                                         : ph_recipe_number (recipe, 0);
  PhValue *channels = recipe_channels (recipe, match, TRUE), *sums = NULL;

  if (channels != NULL)
    sums = ph_recipe_reshape (
        recipe, PH_BUILD (r, ReduceSum, recipe_product (recipe, match, channels), ph_build_ints (r, axes, 2)), 1, &n);
  else
    sums = PH_BUILD (r, Expand, ph_recipe_number (recipe, 0), ph_build_ints (r, &n, 1));
  return ph_recipe_tensor (recipe, PH_BUILD (r, Add, sums, bias), ph_tensor_dtype (weights), NULL);
}

static PhValue *
fold_affine (PhMatch *match, PhBuilder *b)
{
  const PhNode *conv = match->root;
  PhTensor *scaled = new_weights (match), *shifted = scaled != NULL ? new_bias (match) : NULL;
  PhValue *inputs[3] = { match->slot[SLOT_X] };

  if (shifted == NULL)
    {
      g_clear_pointer (&scaled, ph_tensor_unref);
      return NULL;
    }
  b->name = match->slot[SLOT_W]->name;
  inputs[1] = ph_build_tensor (b, scaled);
  inputs[2] = ph_build_tensor (b, shifted);
  b->name = ph_node_output (conv, 0)->name;
  return ph_build_like (b, conv, inputs, 3);
}

static const char why[] = "A convolution is linear in its input, so its weights absorb the factor of each input channel.";

/* clang-format off */
static const PhRule rules[] = {
  { "fold-bn-conv", P (Conv, P (BatchNormalization, VAR (SLOT_X), CONST (SLOT_SCALE), CONST (SLOT_B), CONST (SLOT_MEAN), CONST (SLOT_VAR)),
                       CONST (SLOT_W)), .when = is_affine, .build = fold_affine, .exactness = PH_ROUNDING,
    .becomes = "Conv(x, s * y, bias + sum of t * y), of Conv(s * x + t, y)", .why = why },
  { "fold-mul-conv", P (Conv, P (Mul, VAR (SLOT_X), CONST (SLOT_SCALE)), CONST (SLOT_W)), .when = is_affine, .build = fold_affine,
    .exactness = PH_ROUNDING, .becomes = "Conv(x, z * y)", .why = why },
  { "fold-add-conv", P (Conv, P (Add, VAR (SLOT_X), CONST (SLOT_SCALE)), CONST (SLOT_W)), .when = is_affine, .build = fold_affine,
    .exactness = PH_ROUNDING, .becomes = "Conv(x, y, bias + sum of z * y)",
    .why = "Without padding, an offset of each input channel adds a constant to every output: a bias." },
};

const PhPass ph_pass_fuse_bn_conv = {
  .name = "fuse-bn-conv", .group = "fusion", .summary = "Folds batch normalisations and affine maps of channels into the convolutions after them",
  .elsewhere = "TVM FoldScaleAxis, forward",
  .trap = "an offset does not reach the zeros of the padding, so it folds only where there is no padding.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
