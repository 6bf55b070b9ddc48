/* div-to-mul.c: strength reduction of division and powers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/recipe.h"
#include "passes/rule.h"

#include <float.h>
#include <math.h>

/* Returns TRUE if the reciprocals of all elements are normal numbers. @exact: only powers of two, whose reciprocal is exact. */
static gboolean
can_be_inverted (PhMatch *match, gboolean exact)
{
  PhTensor *tensor = ph_value_constant (match->slot[1]);
  double limit = ph_value_dtype (match->slot[1]) == PH_DOUBLE    ? DBL_MIN * 4
                 : ph_value_dtype (match->slot[1]) == PH_FLOAT16 ? 1e-4
                                                                 : FLT_MIN * 4;
  gsize n = ph_tensor_count (tensor);

  if (!ph_value_is_float (match->slot[1]) || n == 0 || n > 65536)
    return FALSE;
  for (gsize i = 0; i < (ph_tensor_is_splat (tensor) ? 1 : n); i++)
    {
      double c = ph_tensor_get (tensor, i);
      int exponent;

      if (!isfinite (c) || fabs (c) < limit || fabs (c) > 1 / limit || (exact && fabs (frexp (c, &exponent)) != 0.5))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_power_of_two (PhMatch *match)
{
  return can_be_inverted (match, TRUE);
}

#define MOST_HOPS 6

/* Returns TRUE if an elementwise result of @value is rounded to an integer, compared, or used for a choice. */
static gboolean
meets_jump (const PhValue *value, guint hops)
{
  for (guint i = 0; i < value->uses->len; i++)
    {
      const PhNode *node = g_array_index (value->uses, PhUse, i).node;

      if (node->op == NULL || node->op->flags & PH_OP_SHAPE_ONLY)
        continue;
      if (node->op->flags & PH_OP_NO_GRADIENT || !ph_value_is_float (ph_node_output (node, 0))
          || (hops > 0 && node->op->flags & (PH_OP_ELEMENTWISE | PH_OP_DATA_MOVEMENT)
              && meets_jump (ph_node_output (node, 0), hops - 1)))
        return TRUE;
    }
  return FALSE;
}

/* 6 / 3 is 2 and 41 / 41 is 1, but the product with the rounded reciprocal may be slightly more, and a following Ceil would then differ by
 * one. */
static gboolean
is_invertible (PhMatch *match)
{
  return can_be_inverted (match, FALSE) && !meets_jump (ph_node_output (match->root, 0), MOST_HOPS);
}

static PhValue *
build_product (PhMatch *match, PhBuilder *b)
{
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  PhTensor *tensor = ph_value_constant (match->slot[1]);
  PhBuilder *r = ph_recipe_builder (recipe);
  PhValue *quotient = PH_BUILD (r, Div, ph_recipe_number (recipe, 1), ph_recipe_wide (recipe, tensor));
  PhTensor *inverse = ph_recipe_tensor (recipe, quotient, ph_tensor_dtype (tensor), NULL);

  return inverse != NULL ? PH_BUILD (b, Mul, match->slot[0], ph_build_tensor (b, inverse)) : NULL;
}

static const PhRule rules[] = {
  { "div-power-of-two", P (Div, X, CONST (1)), .when = is_power_of_two, .build = build_product, .becomes = "Mul(x, 1 / y)",
    .why = "The reciprocal of a power of two is exact, and multiplication is cheaper than division." },
  { "div-constant", P (Div, X, CONST (1)), .when = is_invertible, .build = build_product, .becomes = "Mul(x, 1 / y)",
    .exactness = PH_ROUNDING,
    .why = "Multiplication is cheaper than division; the rounded reciprocal may change the last digit." },
};

/* clang-format off */
const PhPass ph_pass_div_to_mul = {
  .name = "div-to-mul", .group = "algebra", .summary = "Turns division by a constant into multiplication by its reciprocal",
  .elsewhere = "TVM div_to_mul; XLA",
  .trap = "the product is exact only for powers of two whose reciprocal is not subnormal; integers have no reciprocal.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
