/* complex-math.c: functions of complex numbers, of their real and imaginary parts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/complex.h"

#include <math.h>
#include <string.h>

#define BUILD(op_, ...) PH_BUILD (b, op_, __VA_ARGS__)

PhValue *
ph_complex_number (PhBuilder *b, PhValue *like, double number)
{
  const PhDType dtype = like != NULL ? ph_value_dtype (like) : PH_UNDEFINED;

  return ph_build_scalar (b, ph_dtype_is_float (dtype) ? dtype : PH_FLOAT, number);
}

PhValue *
ph_complex_imaginary (PhBuilder *b, PhComplexPair x)
{
  return x.im != NULL ? x.im : BUILD (Expand, ph_complex_number (b, x.re, 0), BUILD (Shape, x.re));
}

/* An operator of another dialect that has a rule of its own. */
static PhValue *
other (PhBuilder *b, const char *op, PhValue *x, PhValue *y)
{
  PhValue *inputs[] = { x, y };
  const PhType *type = x != NULL ? x->type : NULL;
  PhNode *node;

  if (b->error != NULL || x == NULL)
    return NULL;
  node = ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op_type = op,
                                            .domain = "stablehlo",
                                            .inputs = inputs,
                                            .n_inputs = y != NULL ? 2 : 1,
                                            .n_outputs = 1,
                                            .output_types = &type,
                                            .before = b->before },
                            &b->error);
  return node != NULL ? ph_node_output (node, 0) : NULL;
}

/* ── lengths and angles ── */

/* The smaller part over the larger one is squared, so that neither overflows. */
PhValue *
ph_complex_abs (PhBuilder *b, PhComplexPair x)
{
  PhValue *u = BUILD (Abs, x.re), *v, *most, *least, *share, *length;

  if (x.im == NULL)
    return u;
  v = BUILD (Abs, x.im);
  most = BUILD (Max, u, v);
  least = BUILD (Min, u, v);
  share = BUILD (Div, least, BUILD (Where, BUILD (Equal, most, ph_complex_number (b, u, 0)), ph_complex_number (b, u, 1), most));
  length = BUILD (Mul, most, BUILD (Sqrt, BUILD (Add, ph_complex_number (b, u, 1), BUILD (Mul, share, share))));
  return BUILD (Where, BUILD (IsInf, most), most, length);
}

PhValue *
ph_complex_angle (PhBuilder *b, PhComplexPair x)
{
  return other (b, "atan2", ph_complex_imaginary (b, x), x.re);
}

/* ── arithmetic ── */

static PhComplexPair
scaled (PhBuilder *b, PhComplexPair x, PhValue *by)
{
  return (PhComplexPair) { BUILD (Mul, x.re, by), x.im != NULL ? BUILD (Mul, x.im, by) : NULL };
}

static PhComplexPair
negative (PhBuilder *b, PhComplexPair x)
{
  return (PhComplexPair) { BUILD (Neg, x.re), x.im != NULL ? BUILD (Neg, x.im) : NULL };
}

static PhComplexPair
plus (PhBuilder *b, PhComplexPair x, double number)
{
  return (PhComplexPair) { BUILD (Add, x.re, ph_complex_number (b, x.re, number)), x.im };
}

static PhComplexPair
times_i (PhBuilder *b, PhComplexPair x)
{
  return (PhComplexPair) { BUILD (Neg, ph_complex_imaginary (b, x)), x.re };
}

static PhComplexPair
times_minus_i (PhBuilder *b, PhComplexPair x)
{
  return (PhComplexPair) { ph_complex_imaginary (b, x), BUILD (Neg, x.re) };
}

PhComplexPair
ph_complex_multiply (PhBuilder *b, PhComplexPair x, PhComplexPair y)
{
  if (x.im == NULL)
    return scaled (b, y, x.re);
  if (y.im == NULL)
    return scaled (b, x, y.re);
  return (PhComplexPair) { BUILD (Sub, BUILD (Mul, x.re, y.re), BUILD (Mul, x.im, y.im)),
                           BUILD (Add, BUILD (Mul, x.re, y.im), BUILD (Mul, x.im, y.re)) };
}

PhComplexPair
ph_complex_divide (PhBuilder *b, PhComplexPair x, PhComplexPair y)
{
  PhValue *scale, *length;
  PhComplexPair z;

  if (y.im == NULL)
    return (PhComplexPair) { BUILD (Div, x.re, y.re), x.im != NULL ? BUILD (Div, x.im, y.re) : NULL };
  scale = BUILD (Max, BUILD (Abs, y.re), BUILD (Abs, y.im));
  y = (PhComplexPair) { BUILD (Div, y.re, scale), BUILD (Div, y.im, scale) };
  length = BUILD (Add, BUILD (Mul, y.re, y.re), BUILD (Mul, y.im, y.im));
  z = ph_complex_multiply (b, x, (PhComplexPair) { y.re, BUILD (Neg, y.im) });
  return (PhComplexPair) { BUILD (Div, BUILD (Div, z.re, length), scale), BUILD (Div, BUILD (Div, z.im, length), scale) };
}

/* ── exponentials ── */

static PhComplexPair
exponential (PhBuilder *b, PhComplexPair x)
{
  PhValue *length = BUILD (Exp, x.re);

  if (x.im == NULL)
    return (PhComplexPair) { length, NULL };
  return (PhComplexPair) { BUILD (Mul, length, BUILD (Cos, x.im)), BUILD (Mul, length, BUILD (Sin, x.im)) };
}

/* e^a cos b - 1 is (e^a - 1) cos b - 2 sin^2 (b / 2), which keeps its digits near 0. */
static PhComplexPair
exponential_less_one (PhBuilder *b, PhComplexPair x)
{
  PhValue *im = ph_complex_imaginary (b, x), *half = BUILD (Sin, BUILD (Mul, im, ph_complex_number (b, im, 0.5)));

  return (PhComplexPair) { BUILD (Sub, BUILD (Mul, other (b, "exponential_minus_one", x.re, NULL), BUILD (Cos, im)),
                                  BUILD (Mul, ph_complex_number (b, im, 2), BUILD (Mul, half, half))),
                           BUILD (Mul, BUILD (Exp, x.re), BUILD (Sin, im)) };
}

/* log |x| is that of the larger part and half of log (1 + share^2). */
static PhComplexPair
logarithm (PhBuilder *b, PhComplexPair x)
{
  PhValue *u = BUILD (Abs, x.re), *v = BUILD (Abs, ph_complex_imaginary (b, x)), *most = BUILD (Max, u, v), *share, *length;

  share = BUILD (Div, BUILD (Min, u, v),
                 BUILD (Where, BUILD (Equal, most, ph_complex_number (b, u, 0)), ph_complex_number (b, u, 1), most));
  length = BUILD (Add, BUILD (Log, most),
                  BUILD (Mul, ph_complex_number (b, u, 0.5), other (b, "log_plus_one", BUILD (Mul, share, share), NULL)));
  return (PhComplexPair) { length, ph_complex_angle (b, x) };
}

/* |1 + x|^2 - 1 is a (2 + a) + b^2. */
static PhComplexPair
logarithm_of_more (PhBuilder *b, PhComplexPair x)
{
  PhValue *im = ph_complex_imaginary (b, x), *square = BUILD (Mul, im, im),
          *near = BUILD (Add, BUILD (Mul, x.re, BUILD (Add, x.re, ph_complex_number (b, im, 2))), square);
  PhComplexPair far = logarithm (b, (PhComplexPair) { BUILD (Add, x.re, ph_complex_number (b, im, 1)), im });

  near = BUILD (Where, BUILD (Less, BUILD (Abs, near), ph_complex_number (b, im, 0.5)), near, ph_complex_number (b, im, 0));
  return (PhComplexPair) { BUILD (Where, BUILD (Equal, near, ph_complex_number (b, im, 0)), far.re,
                                  BUILD (Mul, ph_complex_number (b, im, 0.5), other (b, "log_plus_one", near, NULL))),
                           far.im };
}

/* With t = sqrt ((|a| + |x|) / 2): t + b / 2t i to the right, |b| / 2t + t i with b's sign to the left. */
static PhComplexPair
root (PhBuilder *b, PhComplexPair x)
{
  PhValue *im = ph_complex_imaginary (b, x), *zero = ph_complex_number (b, im, 0), *half = ph_complex_number (b, im, 0.5), *t,
          *share, *right;
  t = BUILD (Sqrt, BUILD (Add, BUILD (Mul, half, BUILD (Abs, x.re)),
                          BUILD (Mul, half, ph_complex_abs (b, (PhComplexPair) { x.re, im }))));
  share = BUILD (Div, BUILD (Mul, half, im), BUILD (Where, BUILD (Equal, t, zero), ph_complex_number (b, im, 1), t));
  right = BUILD (GreaterOrEqual, x.re, zero);
  return (PhComplexPair) { BUILD (Where, right, t, BUILD (Abs, share)),
                           BUILD (Where, right, share, BUILD (Where, BUILD (Less, im, zero), BUILD (Neg, t), t)) };
}

PhComplexPair
ph_complex_power (PhBuilder *b, PhComplexPair x, PhComplexPair y)
{
  PhComplexPair z = exponential (b, ph_complex_multiply (b, logarithm (b, x), y));
  PhValue *zero = ph_complex_number (b, x.re, 0), *nothing = BUILD (Equal, ph_complex_abs (b, x), zero);
  /* 0 to the power of 0 is 1, of anything else 0. */
  PhValue *one = BUILD (Where, BUILD (Equal, ph_complex_abs (b, y), zero), ph_complex_number (b, x.re, 1), zero);

  return (PhComplexPair) { BUILD (Where, nothing, one, z.re), BUILD (Where, nothing, zero, ph_complex_imaginary (b, z)) };
}

/* The greater one has the greater real part; of equal ones, the greater imaginary part. */
PhComplexPair
ph_complex_extreme (PhBuilder *b, PhComplexPair x, PhComplexPair y, gboolean greatest)
{
  PhValue *u = ph_complex_imaginary (b, x), *v = ph_complex_imaginary (b, y);
  PhValue *is_greater = BUILD (Or, BUILD (Greater, x.re, y.re), BUILD (And, BUILD (Equal, x.re, y.re), BUILD (Greater, u, v)));

  return (PhComplexPair) { BUILD (Where, is_greater, greatest ? x.re : y.re, greatest ? y.re : x.re),
                           BUILD (Where, is_greater, greatest ? u : v, greatest ? v : u) };
}

/* ── of angles ── */

static PhComplexPair
sine (PhBuilder *b, PhComplexPair x)
{
  PhValue *im = ph_complex_imaginary (b, x);

  return (PhComplexPair) { BUILD (Mul, BUILD (Sin, x.re), BUILD (Cosh, im)), BUILD (Mul, BUILD (Cos, x.re), BUILD (Sinh, im)) };
}

static PhComplexPair
cosine (PhBuilder *b, PhComplexPair x)
{
  PhValue *im = ph_complex_imaginary (b, x);

  return (PhComplexPair) { BUILD (Mul, BUILD (Cos, x.re), BUILD (Cosh, im)),
                           BUILD (Neg, BUILD (Mul, BUILD (Sin, x.re), BUILD (Sinh, im))) };
}

/* Kahan's: with t = tan b, s = sinh a, beta = 1 + t^2: (beta s sqrt (1 + s^2) + t i) / (1 + beta s^2). */
static PhComplexPair
hyperbolic_tangent (PhBuilder *b, PhComplexPair x)
{
  PhValue *one = ph_complex_number (b, x.re, 1), *im = ph_complex_imaginary (b, x), *t = BUILD (Tan, im), *beta, *s, *below, *far;

  far = BUILD (Greater, BUILD (Abs, x.re), ph_complex_number (b, x.re, 20));
  s = BUILD (Sinh, BUILD (Where, far, one, x.re));
  beta = BUILD (Add, one, BUILD (Mul, t, t));
  below = BUILD (Add, one, BUILD (Mul, beta, BUILD (Mul, s, s)));
  return (PhComplexPair) {
    BUILD (Where, far, BUILD (Sign, x.re),
           BUILD (Div, BUILD (Mul, beta, BUILD (Mul, s, BUILD (Sqrt, BUILD (Add, one, BUILD (Mul, s, s))))), below)),
    BUILD (Where, far, ph_complex_number (b, x.re, 0), BUILD (Div, t, below))
  };
}

/* Kahan's, of sqrt (1 - x) and sqrt (1 + x). */
static PhComplexPair
arc (PhBuilder *b, PhComplexPair x, gboolean cos)
{
  PhComplexPair whole = { x.re, ph_complex_imaginary (b, x) }, less = root (b, plus (b, negative (b, whole), 1)),
                more = root (b, plus (b, whole, 1));
  PhValue *re, *im;

  if (cos)
    {
      re = BUILD (Mul, ph_complex_number (b, x.re, 2), other (b, "atan2", less.re, more.re));
      im = BUILD (Sub, BUILD (Mul, more.re, less.im), BUILD (Mul, more.im, less.re));
    }
  else
    {
      re = other (b, "atan2", x.re, BUILD (Sub, BUILD (Mul, less.re, more.re), BUILD (Mul, less.im, more.im)));
      im = BUILD (Sub, BUILD (Mul, less.re, more.im), BUILD (Mul, less.im, more.re));
    }
  return (PhComplexPair) { re, BUILD (Asinh, im) };
}

/* log ((x + 1 + sqrt (x - 1) sqrt (x + 1)) ...) as Kahan has it. */
static PhComplexPair
arc_hyperbolic_cosine (PhBuilder *b, PhComplexPair x)
{
  PhComplexPair whole = { x.re, ph_complex_imaginary (b, x) }, less = root (b, plus (b, whole, -1)),
                more = root (b, plus (b, whole, 1));

  return (PhComplexPair) { BUILD (Asinh, BUILD (Add, BUILD (Mul, less.re, more.re), BUILD (Mul, less.im, more.im))),
                           BUILD (Mul, ph_complex_number (b, x.re, 2), other (b, "atan2", less.im, more.re)) };
}

/* Half of log ((1 + x) / (1 - x)): of their lengths and angles. */
static PhComplexPair
arc_hyperbolic_tangent (PhBuilder *b, PhComplexPair x)
{
  PhValue *im = ph_complex_imaginary (b, x), *one = ph_complex_number (b, im, 1), *square = BUILD (Mul, im, im),
          *less = BUILD (Sub, one, x.re);
  PhValue *length = BUILD (
      Mul, ph_complex_number (b, im, 0.25),
      other (b, "log_plus_one",
             BUILD (Div, BUILD (Mul, ph_complex_number (b, im, 4), x.re), BUILD (Add, BUILD (Mul, less, less), square)), NULL));
  PhValue *angle = other (b, "atan2", BUILD (Mul, ph_complex_number (b, im, 2), im),
                          BUILD (Sub, BUILD (Mul, less, BUILD (Add, one, x.re)), square));

  return (PhComplexPair) { length, BUILD (Mul, ph_complex_number (b, im, 0.5), angle) };
}

/* -i log ((x + i y) / sqrt (x^2 + y^2)) */
PhComplexPair
ph_complex_atan2 (PhBuilder *b, PhComplexPair y, PhComplexPair x)
{
  const PhComplexPair turned = times_i (b, y), xx = ph_complex_multiply (b, x, x), yy = ph_complex_multiply (b, y, y);
  const PhComplexPair sum = { BUILD (Add, x.re, turned.re), BUILD (Add, ph_complex_imaginary (b, x), turned.im) };
  const PhComplexPair squares = { BUILD (Add, xx.re, yy.re),
                                  BUILD (Add, ph_complex_imaginary (b, xx), ph_complex_imaginary (b, yy)) };

  return times_minus_i (b, logarithm (b, ph_complex_divide (b, sum, root (b, squares))));
}

gboolean
ph_complex_function (PhBuilder *b, const char *name, const PhComplexPair *x, PhComplexPair *result)
{
  const PhComplexPair whole = { x->re, x->im };
  PhValue *length;

#define IS(name_) (strcmp (name, name_) == 0)
  if (IS ("exponential") || IS ("exp"))
    *result = exponential (b, whole);
  else if (IS ("exponential_minus_one") || IS ("expm1"))
    *result = exponential_less_one (b, whole);
  else if (IS ("log"))
    *result = logarithm (b, whole);
  else if (IS ("log_plus_one") || IS ("log1p"))
    *result = logarithm_of_more (b, whole);
  else if (IS ("sqrt"))
    *result = root (b, whole);
  else if (IS ("cbrt"))
    *result = ph_complex_power (b, whole, (PhComplexPair) { ph_complex_number (b, x->re, 1.0 / 3), NULL });
  else if (IS ("rsqrt"))
    *result = ph_complex_divide (b, (PhComplexPair) { ph_complex_number (b, x->re, 1), NULL }, root (b, whole));
  else if (IS ("sine") || IS ("sin"))
    *result = sine (b, whole);
  else if (IS ("cosine") || IS ("cos"))
    *result = cosine (b, whole);
  else if (IS ("sinh"))
    *result = times_minus_i (b, sine (b, times_i (b, whole)));
  else if (IS ("cosh"))
    *result = cosine (b, times_i (b, whole));
  else if (IS ("tanh"))
    *result = hyperbolic_tangent (b, whole);
  else if (IS ("tan"))
    *result = times_minus_i (b, hyperbolic_tangent (b, times_i (b, whole)));
  else if (IS ("asin"))
    *result = arc (b, whole, FALSE);
  else if (IS ("acos"))
    *result = arc (b, whole, TRUE);
  else if (IS ("asinh"))
    *result = times_minus_i (b, arc (b, times_i (b, whole), FALSE));
  else if (IS ("acosh"))
    *result = arc_hyperbolic_cosine (b, whole);
  else if (IS ("atanh"))
    *result = arc_hyperbolic_tangent (b, whole);
  else if (IS ("atan"))
    *result = times_minus_i (b, arc_hyperbolic_tangent (b, times_i (b, whole)));
  else if (IS ("logistic") || IS ("sigmoid"))
    *result = ph_complex_divide (b, (PhComplexPair) { ph_complex_number (b, x->re, 1), NULL },
                                 plus (b, exponential (b, negative (b, whole)), 1));
  else if (IS ("sign") || IS ("sgn"))
    {
      length = ph_complex_abs (b, whole);
      length = BUILD (Where, BUILD (Equal, length, ph_complex_number (b, length, 0)), ph_complex_number (b, length, 1), length);
      *result = ph_complex_divide (b, whole, (PhComplexPair) { length, NULL });
    }
  else if (IS ("reciprocal"))
    *result = ph_complex_divide (b, (PhComplexPair) { ph_complex_number (b, x->re, 1), NULL }, whole);
  else if (IS ("square"))
    *result = ph_complex_multiply (b, whole, whole);
  else if (IS ("negate") || IS ("neg"))
    *result = negative (b, whole);
  else
    return FALSE;
#undef IS
  return TRUE;
}
