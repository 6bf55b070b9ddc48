/* fuse-conv-affine.c: folds a constant factor or offset per channel into the preceding convolution.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/recipe-affine.h"

#include <math.h>

/*  s * (conv (x, W) + b) = conv (x, s * W) + s * b        conv (x, W) + b + c = conv (x, W) + (b + c)
 *  where s and c have one element for each channel, or one for all, and do not enlarge the result. */

enum
{
  SLOT_X,
  SLOT_W,
  SLOT_C
};

static gint64
n_channels (const PhNode *conv, PhTensor *weights)
{
  if (ph_tensor_rank (weights) < 2)
    return -1;
  return conv->op == &ph_op_Conv ? ph_tensor_dims (weights)[0]
                                 : ph_tensor_dims (weights)[1] * ph_node_attr_int (conv, "group", 1);
}

/* [C, 1, ...] or [1, C, 1, ...] or one element, of no higher rank than the result. */
static gboolean
is_per_channel (const PhValue *value, int rank, gint64 channels)
{
  PhTensor *tensor = ph_value_constant (value);
  int own = ph_value_rank (value);

  if (tensor == NULL || own < 0 || own > rank || !ph_dtype_is_float (ph_tensor_dtype (tensor)))
    return FALSE;
  for (int i = 0; i < own; i++)
    {
      gint64 size = ph_value_dim (value, i);

      if (size != 1 && !(i - own + rank == 1 && size == channels))
        return FALSE;
    }
  return TRUE;
}

static double
channel_value (const PhValue *value, gint64 channel)
{
  PhTensor *tensor = ph_value_constant (value);

  return ph_tensor_get (tensor, ph_tensor_count (tensor) == 1 ? 0 : channel);
}

static gboolean
is_affine (PhMatch *match)
{
  const PhNode *conv = match->node[1];
  PhValue *bias = ph_node_input (conv, 2);
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  gint64 n = n_channels (conv, weights);
  int rank = (int) ph_tensor_rank (weights);

  if (n < 0 || !ph_dtype_is_float (ph_tensor_dtype (weights)) || !is_per_channel (match->slot[SLOT_C], rank, n)
      || (bias != NULL && ph_value_constant (bias) == NULL) || ph_value_constant (match->slot[SLOT_W]) == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (!isfinite (channel_value (match->slot[SLOT_C], i)))
      return FALSE;
  return TRUE;
}

/* Returns the factor or offset of each channel, as [channels] or as one element. */
static PhValue *
recipe_channels (PhRecipe *recipe, PhMatch *match)
{
  PhTensor *tensor = ph_value_constant (match->slot[SLOT_C]);

  return ph_recipe_reshape (recipe, ph_recipe_wide (recipe, tensor), 1, (gint64[]) { (gint64) ph_tensor_count (tensor) });
}

static PhTensor *
new_bias (PhMatch *match, gboolean multiply)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  PhBuilder *r = ph_recipe_builder (recipe);
  const PhNode *conv = match->node[1];
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  gint64 n = n_channels (conv, weights);
  PhValue *old = ph_node_input (conv, 2) != NULL ? ph_recipe_input (recipe, conv, 2) : ph_recipe_number (recipe, 0);
  PhValue *all = PH_BUILD (r, Expand, old, ph_build_ints (r, &n, 1)), *c = recipe_channels (recipe, match);

  return ph_recipe_tensor (recipe, multiply ? PH_BUILD (r, Mul, all, c) : PH_BUILD (r, Add, all, c), ph_tensor_dtype (weights),
                           NULL);
}

static PhTensor *
new_weights (PhMatch *match)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();

  return ph_recipe_scale_filters (recipe, match->node[1], ph_value_constant (match->slot[SLOT_W]),
                                  recipe_channels (recipe, match));
}

static PhValue *
build_conv (PhMatch *match, PhBuilder *b, PhTensor *weights, PhTensor *bias)
{
  PhValue *inputs[3] = { match->slot[SLOT_X], match->slot[SLOT_W] };
  const char *name = b->name;

  if (weights != NULL)
    {
      b->name = match->slot[SLOT_W]->name;
      inputs[1] = ph_build_tensor (b, weights);
    }
  if (bias != NULL)
    {
      g_autofree char *base = g_strdup_printf ("%s_bias", match->slot[SLOT_W]->name);

      b->name = base;
      inputs[2] = ph_build_tensor (b, bias);
    }
  b->name = name;
  return ph_build_like (b, match->node[1], inputs, inputs[2] != NULL ? 3 : 2);
}

static PhValue *
build_scaled (PhMatch *match, PhBuilder *b)
{
  PhTensor *weights = new_weights (match);

  if (weights == NULL)
    return NULL;
  return build_conv (match, b, weights, ph_node_input (match->node[1], 2) != NULL ? new_bias (match, TRUE) : NULL);
}

static PhValue *
build_shifted (PhMatch *match, PhBuilder *b)
{
  PhTensor *bias = new_bias (match, FALSE);

  return bias != NULL ? build_conv (match, b, NULL, bias) : NULL;
}

/* clang-format off */
static const PhRule rules[] = {
  { "conv-mul", P (Mul, P (Conv, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine, .build = build_scaled,
    .becomes = "Conv(x, z * y, z * bias)", .exactness = PH_ROUNDING, .why = "A convolution is linear in its weights, so weights and bias absorb a factor of the result." },
  { "conv-add-constant", P (Add, P (Conv, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine, .build = build_shifted,
    .becomes = "Conv(x, y, bias + z)", .exactness = PH_ROUNDING, .why = "A constant added to each output channel is part of the bias." },
  { "conv-transpose-mul", P (Mul, P (ConvTranspose, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine,
    .build = build_scaled, .becomes = "ConvTranspose(x, z * y, z * bias)", .exactness = PH_ROUNDING,
    .why = "A convolution is linear in its weights, so weights and bias absorb a factor of the result." },
  { "conv-transpose-add", P (Add, P (ConvTranspose, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine,
    .build = build_shifted, .becomes = "ConvTranspose(x, y, bias + z)", .exactness = PH_ROUNDING,
    .why = "A constant added to each output channel is part of the bias." },
};

const PhPass ph_pass_fuse_conv_affine = {
  .name = "fuse-conv-affine", .group = "fusion", .summary = "Folds constant factors and offsets per channel into convolutions",
  .elsewhere = "ONNX Runtime ConvAddFusion, ConvMulFusion; onnxoptimizer fuse_add_bias_into_conv",
  .trap = "a constant that varies along another axis, or that enlarges the batch, is not a bias.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
