/* fuse-conv-affine.c: constants that are multiplied or added per channel become part of the convolution before them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/*  s * (conv (x, W) + b) = conv (x, s * W) + s * b        conv (x, W) + b + c = conv (x, W) + (b + c)
 *  where s and c have one element for each channel, or one for all, and do not enlarge the result. */

enum { SLOT_X, SLOT_W, SLOT_C };

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

  if (n < 0 || !ph_dtype_is_float (ph_tensor_dtype (weights)) || !is_per_channel (match->slot[SLOT_C], rank, n) ||
      (bias != NULL && ph_value_constant (bias) == NULL) || ph_value_constant (match->slot[SLOT_W]) == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (!isfinite (channel_value (match->slot[SLOT_C], i)))
      return FALSE;
  return TRUE;
}

static PhTensor *
new_bias (PhMatch *match, gboolean multiply)
{
  const PhNode *conv = match->node[1];
  PhTensor *old = ph_node_input (conv, 2) != NULL ? ph_value_constant (ph_node_input (conv, 2)) : NULL;
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  gint64 n = n_channels (conv, weights);
  PhTensor *bias = ph_tensor_new (ph_tensor_dtype (weights), 1, &n);

  for (gint64 i = 0; bias != NULL && i < n; i++)
    {
      double b = old != NULL ? ph_tensor_get (old, i) : 0, c = channel_value (match->slot[SLOT_C], i);

      ph_dtype_store (ph_tensor_dtype (bias), ph_tensor_writable (bias), i, multiply ? b * c : b + c);
    }
  return bias;
}

static PhTensor *
new_weights (PhMatch *match)
{
  const PhNode *conv = match->node[1];
  PhTensor *old = ph_value_constant (match->slot[SLOT_W]);
  const gint64 *dims = ph_tensor_dims (old);
  gsize count = ph_tensor_count (old), outer = (gsize) (conv->op == &ph_op_Conv ? dims[0] : dims[0] * dims[1]);
  gint64 group = ph_node_attr_int (conv, "group", 1);
  PhTensor *scaled;

  if (count > 0 && ph_tensor_is_splat (old) && ph_tensor_count (ph_value_constant (match->slot[SLOT_C])) == 1)
    {
      guint8 element[16] = { 0 };

      ph_dtype_store (ph_tensor_dtype (old), element, 0, ph_tensor_get (old, 0) * channel_value (match->slot[SLOT_C], 0));
      return ph_tensor_new_splat (ph_tensor_dtype (old), ph_tensor_rank (old), dims, element);
    }
  scaled = ph_tensor_new (ph_tensor_dtype (old), ph_tensor_rank (old), dims);
  for (gsize i = 0; scaled != NULL && i < count; i++)
    {
      gsize at = i / (count / outer);
      gsize channel = conv->op == &ph_op_Conv ? at : at / dims[1] / MAX (dims[0] / group, 1) * dims[1] + at % dims[1];

      ph_dtype_store (ph_tensor_dtype (old), ph_tensor_writable (scaled), i,
                      ph_tensor_get (old, i) * channel_value (match->slot[SLOT_C], channel));
    }
  return scaled;
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

static const PhRule rules[] = {
  { "conv-mul", P (Mul, P (Conv, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine, .build = build_scaled,
    .becomes = "Conv(x, z * y, z * bias)", .exactness = PH_ROUNDING, .why = "Scaling the result is scaling the weights." },
  { "conv-add-constant", P (Add, P (Conv, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine, .build = build_shifted,
    .becomes = "Conv(x, y, bias + z)", .exactness = PH_ROUNDING, .why = "What is added to each channel is a bias." },
  { "conv-transpose-mul", P (Mul, P (ConvTranspose, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine,
    .build = build_scaled, .becomes = "ConvTranspose(x, z * y, z * bias)", .exactness = PH_ROUNDING,
    .why = "Scaling the result is scaling the weights." },
  { "conv-transpose-add", P (Add, P (ConvTranspose, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_affine,
    .build = build_shifted, .becomes = "ConvTranspose(x, y, bias + z)", .exactness = PH_ROUNDING,
    .why = "What is added to each channel is a bias." },
};

const PhPass ph_pass_fuse_conv_affine = {
  .name = "fuse-conv-affine", .group = "fusion", .summary = "Folds constant factors and offsets per channel into convolutions",
  .elsewhere = "ONNX Runtime ConvAddFusion, ConvMulFusion; onnxoptimizer fuse_add_bias_into_conv",
  .trap = "a constant of more than one number along any other axis, or one that enlarges the batch, is no bias.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
