/* recipe.h: a constant that remembers the expression that computed it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"

G_BEGIN_DECLS

/* A rule that computes a constant writes the expression, and the tensor is what that expression gives in double, rounded
 * once. It keeps the expression, a small model without inputs, so that folding can be proved (core/prove/field.h):
 *
 *   g_autoptr (PhRecipe) recipe = ph_recipe_new ();
 *   PhBuilder *b = ph_recipe_builder (recipe);
 *   PhTensor *scaled = ph_recipe_tensor (recipe, PH_BUILD (b, Mul, ph_recipe_wide (recipe, weights), factor), dtype, &error);
 */
typedef struct _PhRecipe PhRecipe;

PhRecipe *ph_recipe_new (void);
void ph_recipe_free (PhRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhRecipe, ph_recipe_free)

PhBuilder *ph_recipe_builder (PhRecipe *recipe);
PhValue *ph_recipe_constant (PhRecipe *recipe, PhTensor *tensor); /* as it is                                  */
PhValue *ph_recipe_wide (PhRecipe *recipe, PhTensor *tensor);     /* as double                                 */
PhValue *ph_recipe_number (PhRecipe *recipe, double number);      /* a scalar double                           */
PhValue *ph_recipe_reshape (PhRecipe *recipe, PhValue *value, guint rank, const gint64 *dims);
/* What @result is, as @dtype; a splat where all that it was computed from are. (transfer full) NULL with an error of the
 * builder or of the run. The recipe is spent. */
PhTensor *ph_recipe_tensor (PhRecipe *recipe, PhValue *result, PhDType dtype, GError **error);

/* The same, but @write is called when somebody asks for the recipe or for an element first: most constants of most passes are replaced
 * unread. What @write gives must have @dims; it gets the @tensors and @numbers. */
#define PH_RECIPE_TENSORS 6
#define PH_RECIPE_NUMBERS 2
typedef PhValue *(*PhRecipeWrite) (PhRecipe *recipe, PhTensor *const *tensors, const double *numbers);
typedef struct
{
  PhRecipeWrite write;
  PhTensor *tensors[PH_RECIPE_TENSORS]; /* (nullable) each; a reference of each is taken */
  double numbers[PH_RECIPE_NUMBERS];
} PhRecipeLater;
PhTensor *ph_recipe_tensor_later (const PhRecipeLater *later, PhDType dtype, guint rank, const gint64 *dims, GError **error);

/* The recipe of @tensor: a model without inputs, with one output. Not to be changed. (transfer none) (nullable) */
PhModel *ph_recipe_of (const PhTensor *tensor);
/* Computes @tensor in parts, where nobody asked for its elements yet and its recipe allows it; @tensor has to outlive it.
 * (transfer full) (nullable) */
struct _PhScaled *ph_recipe_scaled (const PhTensor *tensor);
/* Whether @tensor holds what its recipe gives. */
gboolean ph_recipe_holds (PhTensor *tensor, GError **error);

G_END_DECLS
