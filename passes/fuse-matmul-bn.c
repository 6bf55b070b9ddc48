/* fuse-matmul-bn.c: folds a batch normalisation into the matrix product before it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/recipe-affine.h"

#include <math.h>

/*  BN (x W + b) = s * (x W + b - mean) + B = x (W * s) + (s * (b - mean) + B), by column of W */

enum
{
  SLOT_X,
  SLOT_W,
  SLOT_SCALE,
  SLOT_B,
  SLOT_MEAN,
  SLOT_VAR,
  SLOT_BIAS
};

static gboolean
is_column (const PhValue *value, gint64 n)
{
  PhTensor *tensor = ph_value_constant (value);

  return tensor != NULL && ph_tensor_rank (tensor) == 1 && (gint64) ph_tensor_count (tensor) == n;
}

static gint64
n_columns (const PhNode *product, PhTensor *weights)
{
  if (ph_tensor_rank (weights) != 2)
    return -1;
  return ph_tensor_dims (weights)[product->op == &ph_op_Gemm && ph_node_attr_int (product, "transB", 0) != 0 ? 0 : 1];
}

static double
factor (PhMatch *match, gint64 column)
{
  return ph_tensor_get (ph_value_constant (match->slot[SLOT_SCALE]), (gsize) column)
         / sqrt (ph_tensor_get (ph_value_constant (match->slot[SLOT_VAR]), (gsize) column)
                 + ph_node_attr_float (match->root, "epsilon", 1e-5f));
}

static gboolean
can_fold (PhMatch *match)
{
  const PhNode *product = match->node[1];
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]);
  PhValue *bias = product->op == &ph_op_Gemm ? ph_node_input (product, 2) : NULL;
  gint64 n = n_columns (product, weights);

  if (n < 0 || ph_node_attr_int (match->root, "training_mode", 0) != 0 || ph_value_rank (match->slot[SLOT_X]) != 2
      || !ph_dtype_is_float (ph_tensor_dtype (weights)) || ph_node_attr_float (product, "beta", 1) != 1
      || ph_node_attr_float (product, "alpha", 1) != 1 || (bias != NULL && !is_column (bias, n)))
    return FALSE;
  for (guint i = SLOT_SCALE; i <= SLOT_VAR; i++)
    if (!is_column (match->slot[i], n))
      return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (!isfinite (factor (match, i)))
      return FALSE;
  return TRUE;
}

static PhValue *
fold (PhMatch *match, PhBuilder *b)
{
  const PhNode *product = match->node[1];
  PhTensor *weights = ph_value_constant (match->slot[SLOT_W]), *scaled, *shifted;
  PhValue *old = product->op == &ph_op_Gemm ? ph_node_input (product, 2) : NULL, *inputs[3] = { match->slot[SLOT_X] };
  PhDType dtype = ph_tensor_dtype (weights);
  gint64 n = n_columns (product, weights);
  gboolean rows = product->op == &ph_op_Gemm && ph_node_attr_int (product, "transB", 0) != 0;
  g_autofree PhAttr **attrs = product->op == &ph_op_Gemm ? ph_node_copy_attrs (product, NULL, NULL) : NULL;
  const PhNorm norm = ph_norm_of (match->root);
  g_autoptr (PhRecipe) scaling = ph_recipe_new (), shifting = ph_recipe_new ();
  PhValue *factors = ph_recipe_reshape (scaling, ph_recipe_norm_factor (scaling, &norm), 2,
                                        (gint64[]) { rows ? n : 1, rows ? 1 : n });

  scaled = ph_recipe_tensor (scaling, PH_BUILD (ph_recipe_builder (scaling), Mul, ph_recipe_wide (scaling, weights), factors),
                             dtype, NULL);
  shifted = ph_recipe_tensor (shifting, ph_recipe_norm_shift (shifting, &norm, old != NULL ? ph_value_constant (old) : NULL),
                              dtype, NULL);
  inputs[1] = ph_build_tensor (b, scaled);
  inputs[2] = ph_build_tensor (b, shifted);
  return ph_build_node (b, &ph_op_Gemm, inputs, 3, attrs, 1);
}

#define NORMALISED(product_)                                                                                                \
  P (BatchNormalization, P (product_, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_SCALE), CONST (SLOT_B), CONST (SLOT_MEAN), \
     CONST (SLOT_VAR))

static const PhRule rules[] = {
  { "fold-matmul-bn", NORMALISED (MatMul), .when = can_fold, .build = fold, .exactness = PH_ROUNDING,
    .becomes = "Gemm(x, s * y, w - s * v), s = z / sqrt(u + epsilon)",
    .why = "At inference, batch normalisation scales and shifts each column; weights and bias absorb both." },
  { "fold-gemm-bn", NORMALISED (Gemm), .when = can_fold, .build = fold, .exactness = PH_ROUNDING,
    .becomes = "Gemm(x, s * y, s * (bias - v) + w), s = z / sqrt(u + epsilon)",
    .why = "At inference, batch normalisation scales and shifts each column; weights and bias absorb both." },
};

/* clang-format off */
const PhPass ph_pass_fuse_matmul_bn = {
  .name = "fuse-matmul-bn", .group = "fusion", .summary = "Folds batch normalisations into the matrix products before them",
  .elsewhere = "ONNX Runtime MatmulBNFusion",
  .trap = "the channels are the second axis, which is the last axis only in a matrix.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
