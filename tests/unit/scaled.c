/* scaled.c: weights times factors, in parts and whole, beside the same product element by element.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/scaled.h"

#include <string.h>

#include "core/ops/builder.h"
#include "core/run/recipe.h"

#define MOST 4

/* Shapes of weights and factors, and whether they are computed in parts. */
static const struct
{
  guint rank, of;
  gint64 dims[MOST], factors[MOST];
  gboolean in_parts;
} cases[] = {
  { 4, 4, { 24, 3, 3, 3 }, { 24, 1, 1, 1 }, TRUE },
  { 4, 4, { 1, 30, 17, 9 }, { 1, 30, 1, 1 }, TRUE },
  { 4, 3, { 5, 7, 11, 3 }, { 7, 1, 1 }, TRUE },
  { 2, 1, { 300, 130 }, { 130 }, TRUE },
  { 3, 2, { 4, 9, 33 }, { 9, 33 }, TRUE },
  { 2, 0, { 200, 101 }, { 0 }, TRUE },
  { 2, 2, { 9, 20 }, { 1, 1 }, TRUE },
  { 3, 3, { 6, 10, 7 }, { 6, 1, 7 }, FALSE },
  { 4, 4, { 40, 30, 20, 2 }, { 40, 30, 1, 1 }, TRUE },
  { 2, 2, { 1, 70 }, { 70, 1 }, FALSE },
};

static PhTensor *
some_numbers (guint rank, const gint64 *dims, guint seed)
{
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, rank, dims);
  float *x = ph_tensor_writable (tensor);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    x[i] = (float) ((double) ((i * 7919 + seed) % 1009) / 503 - 1) * (i % 13 == 5 ? 1e-41f : 1);
  x[ph_tensor_count (tensor) / 2] = -0.f;
  return tensor;
}

/* Element @i of the factors, spread over the product's @dims. */
static gsize
factor_of (guint n, gsize i, const gint64 *dims, guint rank)
{
  const guint ahead = rank - cases[n].of;
  gsize at = 0, step = 1;

  for (guint d = rank; d-- > 0; i /= (gsize) dims[d])
    if (d >= ahead && cases[n].factors[d - ahead] > 1)
      {
        at += i % (gsize) dims[d] * step;
        step *= (gsize) cases[n].factors[d - ahead];
      }
  return at;
}

static void
test_products (void)
{
  for (guint n = 0; n < G_N_ELEMENTS (cases); n++)
    for (guint order = 0; order < 2; order++)
      {
        g_autoptr (PhTensor) weights = some_numbers (cases[n].rank, cases[n].dims, 3);
        g_autoptr (PhTensor) factors = some_numbers (cases[n].of, cases[n].factors, 500);
        g_autoptr (PhRecipe) recipe = ph_recipe_new ();
        PhValue *w = ph_recipe_wide (recipe, weights), *f = ph_recipe_wide (recipe, factors), *product;
        g_autoptr (PhTensor) result = NULL;
        g_autoptr (PhScaled) scaled = NULL;
        g_autoptr (GError) error = NULL;
        const float *x = ph_tensor_data (weights), *by = ph_tensor_data (factors), *y;

        f = PH_BUILD (ph_recipe_builder (recipe), Div, f, ph_recipe_number (recipe, 3));
        product = order == 0 ? PH_BUILD (ph_recipe_builder (recipe), Mul, w, f)
                             : PH_BUILD (ph_recipe_builder (recipe), Mul, f, w);
        result = ph_recipe_tensor (recipe, product, PH_FLOAT, &error);
        g_assert_no_error (error);
        scaled = ph_recipe_scaled (result);
        g_assert_true ((scaled != NULL) == cases[n].in_parts);
        for (gsize first = 0, part = 1; scaled != NULL && first < ph_tensor_count (result); first += part, part = 3 * part + 1)
          {
            g_autofree float *some = NULL;

            part = MIN (part, ph_tensor_count (result) - first);
            some = g_new (float, part);
            g_assert_true (ph_scaled_part (scaled, first, part, some));
            for (gsize i = 0; i < part; i++)
              {
                const float expected
                    = (float) ((double) x[first + i]
                               * ((double) by[factor_of (n, first + i, ph_tensor_dims (result), ph_tensor_rank (result))] / 3));

                g_assert_cmpint (memcmp (&some[i], &expected, sizeof expected), ==, 0);
              }
          }
        y = ph_tensor_data (result);
        for (gsize i = 0; i < ph_tensor_count (result) && cases[n].in_parts; i++)
          {
            const float expected
                = (float) ((double) x[i] * ((double) by[factor_of (n, i, ph_tensor_dims (result), ph_tensor_rank (result))] / 3));

            g_assert_cmpint (memcmp (&y[i], &expected, sizeof expected), ==, 0);
          }
        g_assert_true (ph_recipe_holds (result, &error));
      }
}

/* Other expressions are computed whole. */
static void
test_others (void)
{
  const gint64 dims[] = { 10, 20 };
  g_autoptr (PhTensor) weights = some_numbers (2, dims, 3);
  g_autoptr (PhRecipe) sum = ph_recipe_new (), halves = ph_recipe_new ();
  g_autoptr (PhTensor) added = ph_recipe_tensor (
      sum, PH_BUILD (ph_recipe_builder (sum), Add, ph_recipe_wide (sum, weights), ph_recipe_number (sum, 2)), PH_FLOAT, NULL);
  g_autoptr (PhTensor) half = ph_recipe_tensor (
      halves, PH_BUILD (ph_recipe_builder (halves), Mul, ph_recipe_wide (halves, weights), ph_recipe_number (halves, 2)),
      PH_FLOAT16, NULL);
  g_autoptr (PhScaled) none = ph_recipe_scaled (added), of_half = ph_recipe_scaled (half), of_plain = ph_recipe_scaled (weights);

  g_assert_null (none);
  g_assert_null (of_half);
  g_assert_null (of_plain);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scaled/products", test_products);
  g_test_add_func ("/scaled/others", test_others);
  return g_test_run ();
}
