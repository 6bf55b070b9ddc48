/* batch-norm-to-affine.c: replaces a batch normalization without a preceding convolution by an affine map.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/recipe-affine.h"

/* y = s * x + t by channel, s = scale / sqrt (var + epsilon), t = B - s * mean */

static gboolean
is_inference (PhMatch *match)
{
  const PhNode *node = match->root;
  double epsilon = ph_node_attr_float (node, "epsilon", 1e-5f);

  if (ph_node_attr_int (node, "training_mode", 0) != 0 || ph_value_rank (match->slot[0]) < 2
      || !ph_value_is_float (match->slot[0]))
    return FALSE;
  for (guint i = 1; i < 5; i++)
    if (ph_value_dtype (ph_node_input (node, i)) != ph_value_dtype (match->slot[0])
        || ph_value_rank (ph_node_input (node, i)) != 1)
      return FALSE;
  for (gint64 c = 0; c < ph_value_dim (match->slot[4], 0); c++)
    if (!(ph_tensor_get (ph_value_constant (match->slot[4]), c) + epsilon > 0))
      return FALSE;
  return TRUE;
}

/* Reshapes [C] to [C, 1, ..., 1], which broadcasts along axis 1. */
static PhValue *
build_constant (PhMatch *match, PhBuilder *b, PhRecipe *recipe, PhValue *value)
{
  guint rank = ph_value_rank (match->slot[0]) - 1;
  gint64 dims[PH_MAX_RANK] = { ph_tensor_count (ph_value_constant (match->slot[1])) };

  for (guint i = 1; i < rank; i++)
    dims[i] = 1;
  return ph_build_tensor (
      b, ph_recipe_tensor (recipe, ph_recipe_reshape (recipe, value, rank, dims), ph_value_dtype (match->slot[1]), NULL));
}

static PhValue *
build_affine (PhMatch *match, PhBuilder *b)
{
  g_autoptr (PhRecipe) factor = ph_recipe_new (), offset = ph_recipe_new ();
  const PhNorm norm = ph_norm_of (match->root);
  PhValue *s = build_constant (match, b, factor, ph_recipe_norm_factor (factor, &norm));
  PhBuilder *r = ph_recipe_builder (offset);
  PhValue *moved = PH_BUILD (r, Mul, ph_recipe_norm_factor (offset, &norm), ph_recipe_wide (offset, norm.mean));
  PhValue *t = build_constant (match, b, offset, PH_BUILD (r, Sub, ph_recipe_wide (offset, norm.shift), moved));

  return PH_BUILD (b, Add, PH_BUILD (b, Mul, match->slot[0], s), t);
}

/* clang-format off */
static const PhRule rules[] = {
  { "batch-norm-affine", P (BatchNormalization, X, CONST (1), CONST (2), CONST (3), CONST (4)), .when = is_inference,
    .build = build_affine, .becomes = "Add(Mul(x, s), t)", .exactness = PH_ROUNDING,
    .why = "At inference, batch normalisation is a constant scale and offset per channel, which other passes can fuse." },
};

const PhPass ph_pass_batch_norm_to_affine = {
  .name = "batch-norm-to-affine", .group = "algebra", .summary = "Turns a batch normalisation into a product and a sum",
  .elsewhere = "TVM SimplifyInference",
  .trap = "in training, batch normalisation uses the statistics of the batch, so it is not an affine map of constants.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
