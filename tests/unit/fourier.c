/* fourier.c: fast transforms against the sums that define them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/fourier.h"

#include <math.h>

static void
check_length (gint64 n, int sign)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) n);
  g_autoptr (PhFourier) fourier = ph_fourier_new (n, sign);
  g_autofree PhComplex *x = g_new (PhComplex, n), *y = g_new (PhComplex, n);

  /* Twice: scratch space must not carry over. */
  for (guint turn = 0; turn < 2; turn++)
    {
      for (gint64 i = 0; i < n; i++)
        x[i] = (PhComplex) { g_rand_double_range (random, -1, 1), g_rand_double_range (random, -1, 1) };
      ph_fourier_run (fourier, x, y);
      for (gint64 k = 0; k < n; k += MAX (1, n / 50))
        {
          PhComplex sum = { 0, 0 };

          for (gint64 i = 0; i < n; i++)
            {
              const double angle = sign * 2 * G_PI * (double) (i * k % n) / (double) n;

              sum.re += x[i].re * cos (angle) - x[i].im * sin (angle);
              sum.im += x[i].re * sin (angle) + x[i].im * cos (angle);
            }
          g_assert_cmpfloat (hypot (sum.re - y[k].re, sum.im - y[k].im), <, 1e-13 * (double) (n + 1));
        }
    }
}

static void
test_lengths (void)
{
  static const gint64 more[] = { 211, 256, 500, 512, 1000, 1009, 1024, 3 * 67, 67 * 67, 4096, 5040 };

  for (gint64 n = 1; n < 140; n++)
    {
      check_length (n, 1);
      check_length (n, -1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (more); i++)
    check_length (more[i], i % 2 == 0 ? 1 : -1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fourier/lengths", test_lengths);
  return g_test_run ();
}
