/* fourier.c: fast Fourier transforms of any length.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/fourier.h"

#include <math.h>

#define MOST_FACTORS 64 /* of a 64-bit number */
/* A length with a larger prime factor is transformed as a convolution (Bluestein), since the cost of a step is the square of its prime. */
#define LARGEST_PRIME 61

struct _PhFourier
{
  gint64 n;
  PhComplex *roots; /* e^(sign 2 pi i k / n) for all k                              */
  guint n_factors;  /* 0: as a convolution                                          */
  gint64 factors[MOST_FACTORS];
  /* For Bluestein's algorithm, a convolution of @wide elements: */
  gint64 wide;
  PhFourier *inner;
  PhComplex *chirp;               /* e^(sign pi i k^2 / n)                          */
  PhComplex *response;            /* the transform of its conjugates, wrapped around */
  PhComplex *scratch, *transform; /* @wide each                                     */
};

static inline PhComplex
multiply (PhComplex a, PhComplex b)
{
  return (PhComplex) { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static inline PhComplex
add (PhComplex a, PhComplex b)
{
  return (PhComplex) { a.re + b.re, a.im + b.im };
}

static inline PhComplex
subtract (PhComplex a, PhComplex b)
{
  return (PhComplex) { a.re - b.re, a.im - b.im };
}

static PhComplex *
roots_of_unity (gint64 n, int sign)
{
  PhComplex *roots = g_new (PhComplex, n);

  for (gint64 k = 0; k <= n / 2; k++)
    {
      const double angle = 2 * G_PI * (double) k / (double) n;

      roots[k] = (PhComplex) { cos (angle), sign * sin (angle) };
      if (k > 0)
        roots[n - k] = (PhComplex) { roots[k].re, -roots[k].im };
    }
  return roots;
}

/* Fours first, since they cost the least; returns FALSE if a prime is too large. */
static gboolean
find_factors (PhFourier *fourier)
{
  gint64 rest = fourier->n;

  for (; rest % 4 == 0; rest /= 4)
    fourier->factors[fourier->n_factors++] = 4;
  for (gint64 p = 2; rest > 1 && p <= LARGEST_PRIME; p++)
    for (; rest % p == 0; rest /= p)
      fourier->factors[fourier->n_factors++] = p;
  return rest == 1;
}

static void
prepare_convolution (PhFourier *fourier, int sign)
{
  const gint64 n = fourier->n;

  fourier->n_factors = 0;
  for (fourier->wide = 1; fourier->wide < 2 * n - 1;)
    fourier->wide *= 2;
  fourier->inner = ph_fourier_new (fourier->wide, -1);
  fourier->chirp = g_new (PhComplex, n);
  fourier->response = g_new (PhComplex, fourier->wide);
  fourier->scratch = g_new0 (PhComplex, fourier->wide);
  fourier->transform = g_new (PhComplex, fourier->wide);
  for (gint64 k = 0; k < n; k++)
    {
      const double angle = G_PI * (double) ((guint64) k * (guint64) k % (2 * (guint64) n)) / (double) n;
      const PhComplex own = { cos (angle), sign * sin (angle) };

      fourier->chirp[k] = own;
      fourier->scratch[k] = (PhComplex) { own.re, -own.im };
      if (k > 0)
        fourier->scratch[fourier->wide - k] = fourier->scratch[k];
    }
  ph_fourier_run (fourier->inner, fourier->scratch, fourier->response);
}

PhFourier *
ph_fourier_new (gint64 n, int sign)
{
  PhFourier *fourier = g_new0 (PhFourier, 1);

  fourier->n = n;
  if (find_factors (fourier))
    fourier->roots = roots_of_unity (n, sign);
  else
    prepare_convolution (fourier, sign);
  return fourier;
}

void
ph_fourier_free (PhFourier *fourier)
{
  if (fourier == NULL)
    return;
  ph_fourier_free (fourier->inner);
  g_free (fourier->roots);
  g_free (fourier->chirp);
  g_free (fourier->response);
  g_free (fourier->scratch);
  g_free (fourier->transform);
  g_free (fourier);
}

/* Computes y[k + r m] from @p transforms of @m elements each, consecutive in @y. @step: the stride in the roots of unity. */
static void
combine (const PhFourier *fourier, PhComplex *y, gint64 p, gint64 m, gint64 step)
{
  const PhComplex *roots = fourier->roots;
  const gint64 n = fourier->n;
  PhComplex part[LARGEST_PRIME];

  for (gint64 k = 0; k < m; k++)
    {
      part[0] = y[k];
      for (gint64 q = 1; q < p; q++)
        part[q] = multiply (y[q * m + k], roots[q * k * step]);
      if (p == 2)
        {
          y[k] = add (part[0], part[1]);
          y[k + m] = subtract (part[0], part[1]);
        }
      else if (p == 4)
        {
          const PhComplex a = add (part[0], part[2]), b = subtract (part[0], part[2]), c = add (part[1], part[3]),
                          d = multiply (subtract (part[1], part[3]), roots[n / 4]);

          y[k] = add (a, c);
          y[k + m] = add (b, d);
          y[k + 2 * m] = subtract (a, c);
          y[k + 3 * m] = subtract (b, d);
        }
      else
        for (gint64 r = 0; r < p; r++)
          {
            PhComplex sum = part[0];

            for (gint64 q = 1; q < p; q++)
              sum = add (sum, multiply (part[q], roots[q * r % p * (n / p)]));
            y[k + r * m] = sum;
          }
    }
}

/* Transforms every @step-th element of @x, n / @step of them, by the factors from @factor on. */
static void
transform (const PhFourier *fourier, const PhComplex *x, PhComplex *y, guint factor, gint64 step)
{
  const gint64 p = factor < fourier->n_factors ? fourier->factors[factor] : 1, m = fourier->n / step / p;

  if (p == 1)
    {
      *y = *x;
      return;
    }
  for (gint64 q = 0; q < p; q++)
    if (m == 1)
      y[q] = x[q * step];
    else
      transform (fourier, x + q * step, y + q * m, factor + 1, step * p);
  combine (fourier, y, p, m, step);
}

void
ph_fourier_run (PhFourier *fourier, const PhComplex *x, PhComplex *y)
{
  const gint64 n = fourier->n;

  if (fourier->inner == NULL)
    {
      transform (fourier, x, y, 0, 1);
      return;
    }
  for (gint64 k = 0; k < fourier->wide; k++)
    fourier->scratch[k] = k < n ? multiply (x[k], fourier->chirp[k]) : (PhComplex) { 0, 0 };
  ph_fourier_run (fourier->inner, fourier->scratch, fourier->transform);
  /* The inverse transform is the conjugate of the transform of the conjugates. */
  for (gint64 k = 0; k < fourier->wide; k++)
    {
      const PhComplex product = multiply (fourier->transform[k], fourier->response[k]);

      fourier->scratch[k] = (PhComplex) { product.re, -product.im };
    }
  ph_fourier_run (fourier->inner, fourier->scratch, fourier->transform);
  for (gint64 k = 0; k < n; k++)
    {
      const PhComplex sum = { fourier->transform[k].re / (double) fourier->wide,
                              -fourier->transform[k].im / (double) fourier->wide };

      y[k] = multiply (sum, fourier->chirp[k]);
    }
}
