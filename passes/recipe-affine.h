/* recipe-affine.h: expressions of the constants that fold a factor or an offset of each channel into weights.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/recipe.h"
#include "passes/rule.h"

G_BEGIN_DECLS

/* A batch normalisation's constants, [C] each. */
typedef struct
{
  PhTensor *scale, *shift, *mean, *variance;
  double epsilon;
} PhNorm;

PhNorm ph_norm_of (const PhNode *norm);

/* What a batch normalisation multiplies each channel by, [C], in double: scale / sqrt (var + epsilon). */
PhValue *ph_recipe_norm_factor (PhRecipe *recipe, const PhNorm *norm);
/* factor * (bias - mean) + B; @bias: (nullable) zeros. */
PhValue *ph_recipe_norm_shift (PhRecipe *recipe, const PhNorm *norm, PhTensor *bias);
/* Its constant input @i, as double. */
PhValue *ph_recipe_input (PhRecipe *recipe, const PhNode *node, guint i);
/* @weights, each times the factor of its index along the first axis: [that many], or one element. In double. */
PhValue *ph_recipe_scale_first_axis (PhRecipe *recipe, PhTensor *weights, PhValue *factor);
/* The weights of a Conv or ConvTranspose, each times the @factor of its output channel: [channels], or one element. */
PhTensor *ph_recipe_scale_filters (PhRecipe *recipe, const PhNode *conv, PhTensor *weights, PhValue *factor);

G_END_DECLS
