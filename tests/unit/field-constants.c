/* field-constants.c: tests of how constants are read into the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-tensor.h"

#include <math.h>

/* Every number that is recognised passes the quick check before. */
static void
test_recognised (void)
{
  static const double factors[] = { 1, 1.41421356237309504880, 0.79788456080286535588 };
  static const int unders[] = { 1, 2, 3, 4, 6, 7, 9, 12 };
  GRand *rand = g_rand_new_with_seed (5);
  guint n_recognised = 0;

  for (guint f = 0; f < G_N_ELEMENTS (factors); f++)
    for (guint u = 0; u < G_N_ELEMENTS (unders); u++)
      for (int over = 1; over <= 64; over++)
        {
          const double number = factors[f] * over / unders[u];

          g_assert_true (ph_field_may_recognise (PH_FLOAT, (double) (float) number));
          g_assert_true (ph_field_may_recognise (PH_FLOAT, -(double) (float) number));
          g_assert_true (ph_field_may_recognise (PH_DOUBLE, number));
        }
  for (int digits = 1; digits <= 15; digits++)
    for (int over = 1; over < 100000; over += over < 1000 ? 1 : 37)
      {
        const double number = over / __builtin_powi (10, digits);

        if (number < 1e4)
          g_assert_true (ph_field_may_recognise (PH_FLOAT, (double) (float) number));
      }
  for (guint i = 0; i < 10000; i++)
    n_recognised += ph_field_may_recognise (PH_FLOAT, (double) (float) g_rand_double_range (rand, -0.1, 0.1));
  g_assert_cmpuint (n_recognised, <, 200);
  g_rand_free (rand);
}

/* Many weights at once are read as each alone. */
static void
test_weights (void)
{
  static const guint readings[] = { 0, PH_FIELD_EXP, PH_FIELD_RECOGNISE, PH_FIELD_EXP | PH_FIELD_RECOGNISE, PH_FIELD_EULER };
  static const float odd[] = { 0,      -0.0f,   1,     0.1f,     1 / 3.0f, 0.79788456f, 1.4142135f,
                               1e-45f, -3e-39f, 3e38f, INFINITY, NAN,      99999,       1e5f };
  enum
  {
    N = 4000
  };
  GRand *rand = g_rand_new_with_seed (3);
  float numbers[N];

  for (guint i = 0; i < N; i++)
    numbers[i] = i < G_N_ELEMENTS (odd) ? odd[i]
                                        : (float) (g_rand_double_range (rand, -1, 1) * __builtin_powi (10, (int) (i % 60) - 30));
  for (guint r = 0; r < G_N_ELEMENTS (readings); r++)
    {
      PhField field = { .reading = readings[r] }, alone = { .reading = readings[r] };
      g_autoptr (PhFieldTensor) tensor = NULL;

      ph_field_set_point (&field, 7);
      ph_field_set_point (&alone, 7);
      tensor = ph_field_tensor_new (&field, PH_FLOAT, 1, (gint64[]) { N });
      ph_field_floats (&field, tensor, numbers);
      for (guint i = 0; i < N; i++)
        {
          const PhNum number = ph_field_constant (&alone, PH_FLOAT, (double) numbers[i]);

          g_assert_cmpuint (tensor->p[i], ==, number.p);
          if (readings[r] & PH_FIELD_EXP)
            g_assert_cmpuint (tensor->q[i], ==, number.q);
        }
      g_assert_cmpuint (field.met, ==, alone.met);
      g_assert_cmpint (field.used_recognised, ==, alone.used_recognised);
      g_assert_true (field.salted && alone.salted);
    }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field-constants/recognised", test_recognised);
  g_test_add_func ("/field-constants/weights", test_weights);
  return g_test_run ();
}
