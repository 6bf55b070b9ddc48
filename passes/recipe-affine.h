/* recipe-affine.h: expressions of the constants that fold a factor or an offset of each channel into weights.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/recipe.h"
#include "passes/rule.h"

G_BEGIN_DECLS

/* What a batch normalisation multiplies each channel by, [C], in double: scale / sqrt (var + epsilon). */
PhValue *ph_recipe_norm_factor (PhRecipe *recipe, const PhNode *norm);
/* factor * (bias - mean) + B; @bias: (nullable) zeros. */
PhValue *ph_recipe_norm_shift (PhRecipe *recipe, const PhNode *norm, PhTensor *bias);
/* Its constant input @i, as double. */
PhValue *ph_recipe_input (PhRecipe *recipe, const PhNode *node, guint i);
/* The weights of a Conv or ConvTranspose, each times the @factor of its output channel: [channels], or one element. */
PhTensor *ph_recipe_scale_filters (PhRecipe *recipe, const PhNode *conv, PhTensor *weights, PhValue *factor);

G_END_DECLS
