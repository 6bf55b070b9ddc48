/* scaled.c: weights times factors, in parts and whole, beside the same product element by element.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/scaled.h"

#include <string.h>

#include "core/ops/builder.h"
#include "core/run/recipe.h"
#include "core/tensor/origin.h"

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

/* ── recipes that are written when somebody asks ── */

static gint n_written;

static PhValue *
write_quotient (PhRecipe *recipe, PhTensor *const *tensors, const double *numbers)
{
  g_atomic_int_inc (&n_written);
  return PH_BUILD (ph_recipe_builder (recipe), Div, ph_recipe_wide (recipe, tensors[0]), ph_recipe_number (recipe, numbers[0]));
}

/* Its operands have no common shape. */
static PhValue *
write_nonsense (PhRecipe *recipe, PhTensor *const *tensors, const double *numbers)
{
  const gint64 dims[] = { 3, 67 };

  return PH_BUILD (ph_recipe_builder (recipe), Add, ph_recipe_wide (recipe, tensors[0]),
                   ph_recipe_reshape (recipe, ph_recipe_wide (recipe, tensors[0]), 2, dims));
}

static gpointer
read_first (gpointer tensor)
{
  g_assert_nonnull (ph_recipe_of (tensor));
  g_assert_cmpfloat (ph_tensor_get (tensor, 5), !=, 0);
  return NULL;
}

static void
test_later (void)
{
  const gint64 dims[] = { 10, 20 }, few[] = { 7 };

  for (guint i = 0; i < 2; i++)
    {
      const guint rank = i == 0 ? 2 : 1;
      g_autoptr (PhTensor) weights = some_numbers (rank, i == 0 ? dims : few, 3), later = NULL, at_once = NULL;
      g_autoptr (PhRecipe) recipe = ph_recipe_new ();
      GThread *threads[4];

      n_written = 0;
      later = ph_recipe_tensor_later (&(PhRecipeLater) { write_quotient, { weights }, { 3 } }, PH_FLOAT, rank,
                                      ph_tensor_dims (weights), NULL);
      g_assert_true (ph_tensor_is_deferred (later));
      g_assert_cmpint (n_written, ==, 0);
      for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
        threads[t] = g_thread_new ("reader", read_first, later);
      for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
        g_thread_join (threads[t]);
      g_assert_cmpint (n_written, >=, 1);
      g_assert_cmpint (n_written, <=, G_N_ELEMENTS (threads)); /* several may write it at once; one of them is kept */
      at_once = ph_recipe_tensor (recipe, write_quotient (recipe, &weights, (double[]) { 3 }), PH_FLOAT, NULL);
      g_assert_true (ph_tensor_equal (later, at_once));
      g_assert_true (ph_recipe_of (later) == ph_recipe_of (later));
      g_assert_true (ph_recipe_holds (later, NULL));
    }
}

/* A quotient of a splat is one, which is known only once it is computed. */
static void
test_later_splat (void)
{
  const gint64 dims[] = { 10, 20 };
  const float three = 3;
  g_autoptr (PhTensor) splat = ph_tensor_new_splat (PH_FLOAT, 2, dims, &three);
  g_autoptr (PhTensor) one = ph_recipe_tensor_later (&(PhRecipeLater) { write_quotient, { splat }, { 3 } }, PH_FLOAT, 2, dims,
                                                     NULL);

  g_assert_true (ph_tensor_is_splat (one));
  g_assert_cmpfloat (ph_tensor_get (one, 17), ==, 1);
}

static void
test_later_fails (void)
{
  const gint64 dims[] = { 201 };
  g_autoptr (PhTensor) weights = some_numbers (1, dims, 3);
  g_autoptr (PhTensor) wrong = ph_recipe_tensor_later (&(PhRecipeLater) { write_nonsense, { weights } }, PH_FLOAT, 1, dims, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (ph_recipe_of (wrong));
  g_assert_null (ph_recipe_scaled (wrong));
  g_assert_true (ph_tensor_take_fault (NULL));
  ph_tensor_get (wrong, 0);
  g_assert_false (ph_tensor_take_fault (&error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scaled/products", test_products);
  g_test_add_func ("/scaled/others", test_others);
  g_test_add_func ("/scaled/later", test_later);
  g_test_add_func ("/scaled/later-splat", test_later_splat);
  g_test_add_func ("/scaled/later-fails", test_later_fails);
  return g_test_run ();
}
