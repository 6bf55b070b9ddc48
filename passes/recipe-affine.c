/* recipe-affine.c: constant expressions that fold a factor or offset per channel into weights.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/recipe-affine.h"

enum
{
  SCALE = 1,
  SHIFT,
  MEAN,
  VARIANCE
}; /* inputs of a batch normalisation */

PhValue *
ph_recipe_input (PhRecipe *recipe, const PhNode *node, guint i)
{
  return ph_recipe_wide (recipe, ph_value_constant (ph_node_input (node, i)));
}

PhNorm
ph_norm_of (const PhNode *norm)
{
  return (PhNorm) { .scale = ph_value_constant (ph_node_input (norm, SCALE)),
                    .shift = ph_value_constant (ph_node_input (norm, SHIFT)),
                    .mean = ph_value_constant (ph_node_input (norm, MEAN)),
                    .variance = ph_value_constant (ph_node_input (norm, VARIANCE)),
                    .epsilon = ph_node_attr_float (norm, "epsilon", 1e-5f) };
}

PhValue *
ph_recipe_norm_factor (PhRecipe *recipe, const PhNorm *norm)
{
  PhBuilder *b = ph_recipe_builder (recipe);
  PhValue *epsilon = ph_recipe_number (recipe, norm->epsilon);
  PhValue *deviation = PH_BUILD (b, Sqrt, PH_BUILD (b, Add, ph_recipe_wide (recipe, norm->variance), epsilon));

  return PH_BUILD (b, Div, ph_recipe_wide (recipe, norm->scale), deviation);
}

PhValue *
ph_recipe_norm_shift (PhRecipe *recipe, const PhNorm *norm, PhTensor *bias)
{
  PhBuilder *b = ph_recipe_builder (recipe);
  PhValue *from = bias != NULL ? ph_recipe_wide (recipe, bias) : ph_recipe_number (recipe, 0);
  PhValue *centred = PH_BUILD (b, Sub, from, ph_recipe_wide (recipe, norm->mean));

  return PH_BUILD (b, Add, PH_BUILD (b, Mul, ph_recipe_norm_factor (recipe, norm), centred),
                   ph_recipe_wide (recipe, norm->shift));
}

PhValue *
ph_recipe_scale_first_axis (PhRecipe *recipe, PhTensor *weights, PhValue *factor)
{
  PhBuilder *b = ph_recipe_builder (recipe);
  PhValue *wide = ph_recipe_wide (recipe, weights);
  gint64 spread[PH_MAX_RANK];

  if (factor == NULL)
    return NULL;
  if (ph_type_count (factor->type) == 1)
    return PH_BUILD (b, Mul, wide, ph_recipe_reshape (recipe, factor, 0, NULL));
  for (guint i = 0; i < ph_tensor_rank (weights); i++)
    spread[i] = i == 0 ? ph_tensor_dims (weights)[0] : 1;
  return PH_BUILD (b, Mul, wide, ph_recipe_reshape (recipe, factor, ph_tensor_rank (weights), spread));
}

/* Scales output channels: axis 0 of a convolution's weights; axis 1, per group, of a transposed one's. */
PhTensor *
ph_recipe_scale_filters (PhRecipe *recipe, const PhNode *conv, PhTensor *weights, PhValue *factor)
{
  PhBuilder *b = ph_recipe_builder (recipe);
  const guint rank = ph_tensor_rank (weights);
  const gint64 *dims = ph_tensor_dims (weights), groups = ph_node_attr_int (conv, "group", 1);
  PhValue *wide;
  gint64 apart[4];

  if (factor == NULL || ph_type_count (factor->type) == 1 || conv->op == &ph_op_Conv)
    wide = ph_recipe_scale_first_axis (recipe, weights, factor);
  else
    {
      wide = ph_recipe_wide (recipe, weights);
      apart[0] = groups;
      apart[1] = groups > 0 ? dims[0] / groups : 0;
      apart[2] = dims[1];
      apart[3] = ph_tensor_count (weights) / MAX (1, (gsize) (dims[0] * dims[1]));
      factor = ph_recipe_reshape (recipe, factor, 4, (gint64[]) { groups, 1, dims[1], 1 });
      wide = PH_BUILD (b, Mul, ph_recipe_reshape (recipe, wide, 4, apart), factor);
      wide = ph_recipe_reshape (recipe, wide, rank, dims);
    }
  return ph_recipe_tensor (recipe, wide, ph_tensor_dtype (weights), NULL);
}
