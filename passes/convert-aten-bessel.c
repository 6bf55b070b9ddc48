/* convert-aten-bessel.c: modified Bessel functions of the first kind, of PyTorch and CHLO, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

/* Up to @edge the power series, the sum of t^k / (k! (k + order)!) for t = x^2 / 4, of which all terms are positive. (Abramowitz and
 * Stegun 9.6.10) */
static PhValue *
near_zero (PhConvert *l, PhValue *size, double edge, guint order)
{
  PhValue *half = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Min, size, ph_convert_like (l, size, edge)),
                            ph_convert_like (l, size, .5)),
          *square = PH_BUILD (l->b, Mul, half, half), *one = ph_convert_like (l, size, 1), *sum = one;
  double term = 1;
  guint n = 0;

  while (term > 1e-18)
    {
      n++;
      term *= edge * edge / 4 / (n * (double) (n + order));
    }
  for (guint k = n; k > 0; k--)
    sum = PH_BUILD (l->b, Add,
                    PH_BUILD (l->b, Mul, PH_BUILD (l->b, Mul, sum, square), ph_convert_like (l, size, 1.0 / (k * (k + order)))),
                    one);
  return order == 0 ? sum : PH_BUILD (l->b, Mul, sum, half);
}

/* From @edge on the asymptotic series, without the factor e^x. (9.7.1) */
static PhValue *
far_from_zero (PhConvert *l, PhValue *size, double edge, guint order)
{
  PhValue *inverse = PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Max, size, ph_convert_like (l, size, edge))),
          *one = ph_convert_like (l, size, 1), *sum = one;
  const double mu = 4.0 * order * order;

  for (guint k = (guint) edge; k > 0; k--)
    {
      const double factor = -(mu - (2 * k - 1.0) * (2 * k - 1.0)) / (8 * k);

      sum = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Mul, sum, inverse), ph_convert_like (l, size, factor)),
                      one);
    }
  return PH_BUILD (l->b, Mul, sum, PH_BUILD (l->b, Sqrt, PH_BUILD (l->b, Mul, inverse, ph_convert_like (l, size, .5 / G_PI))));
}

/* @op: "i1e" is of order 1, scaled. */
static gboolean
build (PhConvert *l, const char *op, PhValue *given, PhValue **out)
{
  PhValue *x, *size, *low, *high, *power;
  double edge;

  if (given == NULL)
    return FALSE;
  /* Narrow floats are too coarse for the series, as in PyTorch. */
  x = ph_convert_dtype (given) == PH_DOUBLE ? given : ph_convert_cast (l, given, PH_FLOAT);
  edge = ph_convert_dtype (given) == PH_DOUBLE ? 20 : 9;
  size = PH_BUILD (l->b, Abs, x);
  low = near_zero (l, size, edge, op[1] == '1');
  high = far_from_zero (l, size, edge, op[1] == '1');
  power = PH_BUILD (l->b, Exp, size);
  if (op[2] == 'e')
    low = PH_BUILD (l->b, Div, low, power);
  else
    high = PH_BUILD (l->b, Mul, high, power);
  out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, size, ph_convert_like (l, size, edge)), low, high);
  if (op[1] == '1')
    out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, ph_convert_like (l, x, 0)), PH_BUILD (l->b, Neg, out[0]), out[0]);
  out[0] = ph_convert_cast (l, out[0], ph_convert_dtype (given));
  return out[0] != NULL;
}

static gboolean
bessel (PhConvert *l, PhValue **out)
{
  return build (l, ph_aten_name (l), ph_aten_float (l), out);
}

static gboolean
of_chlo (PhConvert *l, PhValue **out)
{
  return build (l, l->op + strlen ("bessel_"), l->in[0], out);
}

static const char series[] = "A power series near zero, and the asymptotic series of the function far from it.";

/* clang-format off */
const PhConvertRule ph_convert_aten_bessel[] = {
  { "aten:i0", bessel, "Add and Mul", series }, { "aten:i0e", bessel, "Add and Mul", series }, { "aten:i1", bessel, "Add and Mul", series },
  { "aten:i1e", bessel, "Add and Mul", series }, { "bessel_i1e", of_chlo, "Add and Mul", series },
  { NULL }
};
/* clang-format on */
