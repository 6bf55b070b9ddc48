/* convert-math.c: special functions and triangular solves of CHLO and jaxpr, in ONNX's operators. Approximations are computed in double.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <math.h>

static PhValue *
number (PhConvert *l, double value)
{
  return ph_convert_number (l, PH_DOUBLE, value);
}

static PhValue *
polynomial (PhConvert *l, PhValue *x, const double *coefficients, guint n) /* the highest power first */
{
  PhValue *sum = number (l, coefficients[0]);

  for (guint i = 1; i < n; i++)
    sum = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, sum, x), number (l, coefficients[i]));
  return sum;
}

static gboolean
is_real (PhConvert *l)
{
  return ph_dtype_is_float (ph_convert_dtype (l->in[0])) || ph_convert_stay (l, "only real numbers have a rule");
}

/* The rational Chebyshev fit of Numerical Recipes 6.2.2, with a relative error of 1.2e-7 everywhere; near 0 erf itself is better. */
static gboolean
erfc_ (PhConvert *l, PhValue **out)
{
  static const double c[] = { 0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                              -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223 };
  PhValue *x, *z, *t, *far, *near;

  if (!is_real (l))
    return FALSE;
  if (ph_convert_dtype (l->in[0]) == PH_DOUBLE)
    {
      *out = PH_BUILD (l->b, Sub, number (l, 1), PH_BUILD (l->b, Erf, l->in[0]));
      return TRUE;
    }
  x = ph_convert_cast (l, l->in[0], PH_DOUBLE);
  z = PH_BUILD (l->b, Abs, x);
  t = PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Add, number (l, 1), PH_BUILD (l->b, Mul, z, number (l, 0.5))));
  far = PH_BUILD (l->b, Mul, t,
                  PH_BUILD (l->b, Exp, PH_BUILD (l->b, Sub, polynomial (l, t, c, G_N_ELEMENTS (c)), PH_BUILD (l->b, Mul, z, z))));
  far = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, number (l, 0)), PH_BUILD (l->b, Sub, number (l, 2), far), far);
  near = PH_BUILD (l->b, Sub, number (l, 1), PH_BUILD (l->b, Erf, x));
  *out = ph_convert_cast (l, PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, z, number (l, 3)), near, far),
                          ph_convert_dtype (l->in[0]));
  return TRUE;
}

/* Giles' fit for single precision, made exact by two steps of Newton's. */
static gboolean
erf_inv (PhConvert *l, PhValue **out)
{
  static const double centre[] = { 2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                   -0.00125372503, -0.00417768164, 0.246640727,    1.50140941 };
  static const double tail[] = { -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                 -0.0076224613,   0.00943887047,  1.00167406,    2.83297682 };
  PhValue *x, *w, *y;

  if (!is_real (l))
    return FALSE;
  x = ph_convert_cast (l, l->in[0], PH_DOUBLE);
  w = PH_BUILD (
      l->b, Neg,
      PH_BUILD (l->b, Log, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, number (l, 1), x), PH_BUILD (l->b, Add, number (l, 1), x))));
  y = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, w, number (l, 5)),
                polynomial (l, PH_BUILD (l->b, Sub, w, number (l, 2.5)), centre, G_N_ELEMENTS (centre)),
                polynomial (l, PH_BUILD (l->b, Sub, PH_BUILD (l->b, Sqrt, w), number (l, 3)), tail, G_N_ELEMENTS (tail)));
  y = PH_BUILD (l->b, Mul, y, x);
  for (guint i = 0; i < 2; i++)
    y = PH_BUILD (l->b, Sub, y,
                  PH_BUILD (l->b, Div, PH_BUILD (l->b, Sub, PH_BUILD (l->b, Erf, y), x),
                            PH_BUILD (l->b, Mul, number (l, 2 / sqrt (G_PI)),
                                      PH_BUILD (l->b, Exp, PH_BUILD (l->b, Neg, PH_BUILD (l->b, Mul, y, y))))));
  y = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, PH_BUILD (l->b, Abs, x), number (l, 1)),
                PH_BUILD (l->b, Mul, x, number (l, HUGE_VAL)), y);
  *out = ph_convert_cast (l, y, ph_convert_dtype (l->in[0]));
  return TRUE;
}

/* Lanczos, g = 7, with nine terms, for x >= 1/2; reflected below. */
static const double lanczos[] = { 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                  771.3234287776530788486528258894,   -176.61502916214059906584551354,
                                  12.507343278686904814458936853,     -0.13857109526572011689554707,
                                  9.984369578019570859563e-6,         1.50563273514931155834e-7 };

static PhValue *
is_whole_below (PhConvert *l, PhValue *x)
{
  return PH_BUILD (l->b, And, PH_BUILD (l->b, LessOrEqual, x, number (l, 0)),
                   PH_BUILD (l->b, Equal, x, PH_BUILD (l->b, Floor, x)));
}

static gboolean
lgamma_ (PhConvert *l, PhValue **out)
{
  PhValue *x, *z, *sum, *t, *above, *fraction, *reflected;

  if (!is_real (l))
    return FALSE;
  x = ph_convert_cast (l, l->in[0], PH_DOUBLE);
  z = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, number (l, 0.5)), PH_BUILD (l->b, Neg, x),
                PH_BUILD (l->b, Sub, x, number (l, 1)));
  sum = number (l, 0.99999999999980993227684700473478);
  for (guint i = 0; i < G_N_ELEMENTS (lanczos); i++)
    sum = PH_BUILD (l->b, Add, sum, PH_BUILD (l->b, Div, number (l, lanczos[i]), PH_BUILD (l->b, Add, z, number (l, i + 1))));
  t = PH_BUILD (l->b, Add, z, number (l, 7.5));
  above = PH_BUILD (l->b, Add,
                    PH_BUILD (l->b, Add,
                              PH_BUILD (l->b, Mul,
                                        PH_BUILD (l->b, Sub, PH_BUILD (l->b, Add, z, number (l, 0.5)),
                                                  PH_BUILD (l->b, Div, t, PH_BUILD (l->b, Log, t))),
                                        PH_BUILD (l->b, Log, t)),
                              PH_BUILD (l->b, Log, sum)),
                    number (l, 0.5 * log (2 * G_PI)));
  fraction = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Abs, x), PH_BUILD (l->b, Floor, PH_BUILD (l->b, Abs, x)));
  fraction = PH_BUILD (l->b, Min, fraction, PH_BUILD (l->b, Sub, number (l, 1), fraction));
  reflected = PH_BUILD (l->b, Sub,
                        PH_BUILD (l->b, Sub, number (l, log (G_PI)),
                                  PH_BUILD (l->b, Log, PH_BUILD (l->b, Sin, PH_BUILD (l->b, Mul, fraction, number (l, G_PI))))),
                        above);
  above = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, x, number (l, 0.5)), reflected, above);
  above = PH_BUILD (l->b, Where, PH_BUILD (l->b, Or, is_whole_below (l, x), PH_BUILD (l->b, IsInf, x)), number (l, HUGE_VAL),
                    above);
  *out = ph_convert_cast (l, above, ph_convert_dtype (l->in[0]));
  return TRUE;
}

/* Shifts the argument up by six for the asymptotic series; below 1/2 uses the reflection formula. */
static gboolean
digamma (PhConvert *l, PhValue **out)
{
  static const double series[] = { 1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12 };
  PhValue *x, *low, *z, *sum = NULL, *inverse, *value, *fraction, *angle;

  if (!is_real (l))
    return FALSE;
  x = ph_convert_cast (l, l->in[0], PH_DOUBLE);
  low = PH_BUILD (l->b, Less, x, number (l, 0.5));
  z = PH_BUILD (l->b, Where, low, PH_BUILD (l->b, Sub, number (l, 1), x), x);
  for (guint i = 0; i < 8; i++)
    {
      PhValue *term = PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Add, z, number (l, i)));

      sum = sum != NULL ? PH_BUILD (l->b, Add, sum, term) : term;
    }
  z = PH_BUILD (l->b, Add, z, number (l, 8));
  inverse = PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Mul, z, z));
  value = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Log, z), PH_BUILD (l->b, Div, number (l, 0.5), z));
  value = PH_BUILD (l->b, Sub, value, PH_BUILD (l->b, Mul, inverse, polynomial (l, inverse, series, G_N_ELEMENTS (series))));
  value = PH_BUILD (l->b, Sub, value, sum);
  fraction = PH_BUILD (l->b, Sub, x, PH_BUILD (l->b, Floor, PH_BUILD (l->b, Add, x, number (l, 0.5))));
  angle = PH_BUILD (l->b, Mul, fraction, number (l, G_PI));
  value = PH_BUILD (l->b, Where, low,
                    PH_BUILD (l->b, Sub, value,
                              PH_BUILD (l->b, Div, PH_BUILD (l->b, Mul, number (l, G_PI), PH_BUILD (l->b, Cos, angle)),
                                        PH_BUILD (l->b, Sin, angle))),
                    value);
  value = PH_BUILD (l->b, Where, is_whole_below (l, x), number (l, NAN), value);
  *out = ph_convert_cast (l, value, ph_convert_dtype (l->in[0]));
  return TRUE;
}

static gboolean
next_after (PhConvert *l, PhValue **out)
{
  const PhDType dtype = ph_convert_dtype (l->in[0]), bits_type = dtype == PH_DOUBLE  ? PH_INT64
                                                                 : dtype == PH_FLOAT ? PH_INT32
                                                                                     : PH_INT16;
  PhValue *x = l->in[0], *y = l->in[1], *zero = ph_convert_like (l, x, 0), *bits, *away, *moved, *tiny;
  PhTensor *least;

  if (dtype != PH_FLOAT && dtype != PH_DOUBLE && dtype != PH_FLOAT16 && dtype != PH_BFLOAT16)
    return ph_convert_stay (l, "its operand is no float, or one of 8 bits, which have no rule");
  least = ph_tensor_new (dtype, 0, NULL);
  if (dtype == PH_DOUBLE)
    *(guint64 *) ph_tensor_writable (least) = 1;
  else if (dtype == PH_FLOAT)
    *(guint32 *) ph_tensor_writable (least) = 1;
  else
    *(guint16 *) ph_tensor_writable (least) = 1;
  bits = PH_BUILD_WITH (l->b, BitCast, PH_ATTRS (ph_attr_new_int ("to", bits_type)), x);
  away = PH_BUILD (l->b, Equal, PH_BUILD (l->b, Greater, y, x), PH_BUILD (l->b, Greater, x, zero));
  moved = PH_BUILD_WITH (l->b, BitCast, PH_ATTRS (ph_attr_new_int ("to", dtype)),
                         PH_BUILD (l->b, Where, away, PH_BUILD (l->b, Add, bits, ph_convert_number (l, bits_type, 1)),
                                   PH_BUILD (l->b, Sub, bits, ph_convert_number (l, bits_type, 1))));
  tiny = ph_build_tensor (l->b, least);
  tiny = PH_BUILD (l->b, Where, PH_BUILD (l->b, Greater, y, zero), tiny, PH_BUILD (l->b, Neg, tiny));
  moved = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, zero), tiny, moved);
  moved = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, x, y), y, moved);
  *out = PH_BUILD (l->b, Where, PH_BUILD (l->b, Or, PH_BUILD (l->b, IsNaN, x), PH_BUILD (l->b, IsNaN, y)),
                   PH_BUILD (l->b, Add, x, y), moved);
  return TRUE;
}

/* See passes/convert-quantised.c. */
static gboolean
quantisation (PhConvert *l, PhValue **out)
{
  return ph_convert_stay (l, "its scale is not known here");
}

/* Complex numbers have been split before. */
static gboolean
part_of_real (PhConvert *l, PhValue **out)
{
  if (!ph_dtype_is_float (ph_convert_dtype (l->in[0])))
    return ph_convert_stay (l, "its operand is not split into parts");
  *out = l->op[0] == 'r' ? l->in[0] : PH_BUILD (l->b, Expand, ph_convert_like (l, l->in[0], 0), PH_BUILD (l->b, Shape, l->in[0]));
  return TRUE;
}

PH_CONVERT_TO (square, PH_BUILD (l->b, Mul, l->in[0], l->in[0]))

static gboolean
is_inf (PhConvert *l, PhValue **out)
{
  const gboolean positive = !g_str_equal (l->op, "is_neg_inf"), negative = !g_str_equal (l->op, "is_pos_inf");

  *out = PH_BUILD_WITH (l->b, IsInf,
                        PH_ATTRS (ph_attr_new_int ("detect_positive", positive), ph_attr_new_int ("detect_negative", negative)),
                        l->in[0]);
  return TRUE;
}

/* ── triangles ── */

#define MAX_ROWS 64 /* rows are expanded one by one */

static PhValue *
part (PhConvert *l, PhValue *value, gint64 row, gint64 row_end, gint64 column, gint64 column_end)
{
  const gint64 starts[2] = { row, column }, ends[2] = { row_end, column_end }, axes[2] = { -2, -1 };

  return PH_BUILD (l->b, Slice, value, ph_convert_ints_value (l, starts, 2), ph_convert_ints_value (l, ends, 2),
                   ph_convert_ints_value (l, axes, 2));
}

static PhValue *
transposed (PhConvert *l, PhValue *value)
{
  const guint rank = ph_convert_rank (value);
  gint64 perm[PH_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    perm[i] = i + 2 < rank ? i : i + 2 == rank ? rank - 1 : rank - 2;
  return ph_convert_transpose (l, value, perm, rank);
}

static PhValue *
stack_rows (PhConvert *l, PhValue **rows, guint n, gint64 axis)
{
  return n == 1 ? rows[0] : ph_build_node (l->b, &ph_op_Concat, rows, n, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
}

/* x_i = (b_i - sum over j < i of a_ij x_j) / a_ii */
static gboolean
triangular_solve (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  const gint64 n = ph_value_dim (l->in[0], (int) rank - 1);
  const char *flip = ph_convert_string (l, "transpose_a", "NO_TRANSPOSE");
  const gboolean left = ph_convert_int (l, "left_side", 1) != 0, unit = ph_convert_int (l, "unit_diagonal", 0) != 0;
  gboolean lower = ph_convert_int (l, "lower", 1) != 0, turn = !g_str_equal (flip, "NO_TRANSPOSE");
  PhValue *a = l->in[0], *b = l->in[1], *rows[MAX_ROWS];

  if (rank < 2 || n < 1 || n > MAX_ROWS || !is_real (l))
    return ph_convert_stay (l, "triangles of up to %d rows have a rule", MAX_ROWS);
  if (!left) /* x a = b is a' x' = b' */
    {
      b = transposed (l, b);
      turn = !turn;
    }
  if (turn)
    {
      a = transposed (l, a);
      lower = !lower;
    }
  for (gint64 k = 0; k < n; k++)
    {
      const gint64 i = lower ? k : n - 1 - k;
      PhValue *row = part (l, b, i, i + 1, 0, G_MAXINT64);

      if (k > 0)
        row = PH_BUILD (l->b, Sub, row,
                        PH_BUILD (l->b, MatMul, lower ? part (l, a, i, i + 1, 0, i) : part (l, a, i, i + 1, i + 1, n),
                                  lower ? stack_rows (l, rows, (guint) k, -2) : stack_rows (l, rows + i + 1, (guint) k, -2)));
      rows[i] = unit ? row : PH_BUILD (l->b, Div, row, part (l, a, i, i + 1, i, i + 1));
    }
  *out = stack_rows (l, rows, (guint) n, -2);
  if (!left)
    *out = transposed (l, *out);
  return *out != NULL;
}

/* Column by column: l_jj = sqrt (a_jj - sum l_jk^2), l_ij = (a_ij - sum l_ik l_jk) / l_jj. */
static gboolean
cholesky (PhConvert *l, PhValue **out)
{
  const guint rank = ph_convert_rank (l->in[0]);
  const gint64 n = ph_value_dim (l->in[0], (int) rank - 1);
  const gboolean lower = ph_convert_int (l, "lower", 1) != 0;
  PhValue *a = l->in[0], *columns[MAX_ROWS];

  if (rank < 2 || n < 1 || n > MAX_ROWS || !is_real (l))
    return ph_convert_stay (l, "matrices of up to %d rows have a rule", MAX_ROWS);
  if (!lower)
    a = transposed (l, a);
  for (gint64 j = 0; j < n; j++)
    {
      PhValue *column = part (l, a, j, n, j, j + 1);

      if (j > 0)
        {
          PhValue *before = stack_rows (l, columns, (guint) j, -1); /* [.., n, j] */

          column = PH_BUILD (
              l->b, Sub, column,
              PH_BUILD (l->b, MatMul, part (l, before, j, n, 0, j), transposed (l, part (l, before, j, j + 1, 0, j))));
        }
      column = PH_BUILD (l->b, Div, column, PH_BUILD (l->b, Sqrt, part (l, column, 0, 1, 0, 1)));
      if (j > 0)
        {
          gint64 pads[2 * PH_MAX_RANK] = { 0 };

          pads[rank - 2] = j;
          column = PH_BUILD (l->b, Pad, column, ph_convert_ints_value (l, pads, 2 * rank));
        }
      columns[j] = column;
    }
  *out = stack_rows (l, columns, (guint) n, -1);
  if (!lower)
    *out = transposed (l, *out);
  return *out != NULL;
}

/* clang-format off */
const PhConvertRule ph_convert_math[] = {
  { "erfc", erfc_, "1 - Erf (x), or a fit far from 0", "1 - erf (x) has no digits left for a large x." },
  { "erf_inv", erf_inv, "a fit and two steps of Newton's", "ONNX has no inverse error function." },
  { "lgamma", lgamma_, "Lanczos' approximation", "ONNX has no gamma function." },
  { "digamma", digamma, "the recurrence and the asymptotic series", "ONNX has no gamma function." },
  { "next_after", next_after, "BitCast and one more or less", "The bits of adjacent floats, read as integers, differ by one." },
  { "square", square, "Mul (x, x)", "Both compute the same function." },
  { "real", part_of_real, "its operand", "The real part of a real number is itself." },
  { "imag", part_of_real, "zeros", "A real number has no imaginary part." },
  { "is_inf", is_inf, "its IsInf", "Both compute the same function." },
  { "is_pos_inf", is_inf, "its IsInf", "Both compute the same function." },
  { "is_neg_inf", is_inf, "its IsInf", "Both compute the same function." },
  { "uniform_quantize", quantisation, "Round (x / scale + zero point), within the type's bounds", "A quantised type represents this real number." },
  { "uniform_dequantize", quantisation, "(x - zero point) * scale", "A quantised type represents this real number." },
  { "triangular_solve", triangular_solve, "substitution, row by row", "ONNX has no operator that solves linear equations." },
  { "cholesky", cholesky, "the decomposition, column by column", "ONNX has no operator that decomposes matrices." },
  { NULL }
};
/* clang-format on */
