/* fuse-matmul-scale.c: folds a factor before or after a matrix product into its constant weights.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/recipe.h"
#include "passes/rule.h"

#include <math.h>

enum
{
  SLOT_X,
  SLOT_W,
  SLOT_C
};

static gboolean
is_scale (PhMatch *match)
{
  double c;
  PhTensor *w = ph_value_constant (match->slot[SLOT_W]);

  return ph_value_number (match->slot[SLOT_C], &c) && isfinite (c) && ph_value_rank (match->slot[SLOT_C]) == 0
         && ph_value_is_float (match->slot[SLOT_X]) && ph_tensor_rank (w) == 2 && ph_tensor_count (w) > 0;
}

static PhValue *
build_scaled (PhMatch *match, PhBuilder *b)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  PhTensor *old = ph_value_constant (match->slot[SLOT_W]), *scaled;
  PhValue *product = PH_BUILD (ph_recipe_builder (recipe), Mul, ph_recipe_wide (recipe, old),
                               ph_recipe_wide (recipe, ph_value_constant (match->slot[SLOT_C])));

  scaled = ph_recipe_tensor (recipe, product, ph_tensor_dtype (old), NULL);
  if (scaled == NULL)
    return NULL;
  return PH_BUILD (b, MatMul, match->slot[SLOT_X], ph_build_tensor (b, scaled));
}

static const PhRule rules[] = {
  { "scale-result", P (Mul, P (MatMul, VAR (SLOT_X), CONST (SLOT_W)), CONST (SLOT_C)), .when = is_scale, .build = build_scaled,
    .becomes = "MatMul(x, z * y)", .exactness = PH_ROUNDING,
    .why = "A matrix product is linear, so its constant weights absorb a factor of the result." },
  { "scale-operand", P (MatMul, P (Mul, VAR (SLOT_X), CONST (SLOT_C)), CONST (SLOT_W)), .when = is_scale, .build = build_scaled,
    .becomes = "MatMul(x, z * y)", .exactness = PH_ROUNDING,
    .why = "A matrix product is linear, so its constant weights absorb a factor of its operand." },
};

/* clang-format off */
const PhPass ph_pass_fuse_matmul_scale = {
  .name = "fuse-matmul-scale", .group = "fusion", .summary = "Folds constant factors into the weights of a product",
  .elsewhere = "ONNX Runtime MatMulScaleFusion",
  .trap = "a scale of more than one element is a different operation.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
