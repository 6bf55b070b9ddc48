/* loops.c: the loops over floats; compiled once for each kind of processor, with PH_LANES the name of the table and
 * PH_WIDTH how many floats its registers hold.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/run/lanes.h"

/* The compiler's vector types: on a processor without such registers each operation becomes several instructions. */
typedef float V __attribute__ ((vector_size (PH_WIDTH * 4), aligned (4), may_alias));
typedef gint32 I __attribute__ ((vector_size (PH_WIDTH * 4), aligned (4), may_alias));

#define INLINE static inline __attribute__ ((always_inline))

INLINE V
load (const float *x)
{
  return *(const V *) x;
}

INLINE void
store (float *y, V x)
{
  *(V *) y = x;
}

/* Stores the first @n elements. */
INLINE void
store_part (float *y, V x, gsize n)
{
#ifdef __AVX512F__
  _mm512_mask_storeu_ps (y, (__mmask16) ((1u << n) - 1), (__m512) x);
#else
  memcpy (y, &x, n * sizeof *y);
#endif
}

INLINE V
splat (float x)
{
  return x - (V) { 0 };
}

/* Selects by bits, which preserves NaN and the sign of zero. */
INLINE V
choose (I mask, V a, V b)
{
  return (V) ((mask & (I) a) | (~mask & (I) b));
}

#include "core/run/lanes/functions.inc"

/* ── loops ── */

/* The remainder is computed in a full register too, so that the result of an element does not depend on its position. */
/* clang-format off */
#define UNARY(name_, expression_)                                                                                       \
  static void name_ (gsize n, float *y, const float *in, const float *p)                                                \
  {                                                                                                                     \
    gsize i = 0;                                                                                                        \
    for (; i + PH_WIDTH <= n; i += PH_WIDTH)                                                                            \
      {                                                                                                                 \
        const V x = load (in + i);                                                                                      \
        store (y + i, (expression_));                                                                                   \
      }                                                                                                                 \
    if (i < n)                                                                                                          \
      {                                                                                                                 \
        V x = { 0 }, z;                                                                                                 \
        memcpy (&x, in + i, (n - i) * sizeof *in);                                                                      \
        z = (expression_);                                                                                              \
        memcpy (y + i, &z, (n - i) * sizeof *y);                                                                        \
      }                                                                                                                 \
    (void) p;                                                                                                           \
  }

#define BINARY(name_, expression_)                                                                                      \
  static void name_ (gsize n, float *y, const float *a, const float *b)                                                 \
  {                                                                                                                     \
    gsize i = 0;                                                                                                        \
    for (; i + PH_WIDTH <= n; i += PH_WIDTH)                                                                            \
      {                                                                                                                 \
        const V x = load (a + i), z = load (b + i);                                                                     \
        store (y + i, (expression_));                                                                                   \
      }                                                                                                                 \
    if (i < n)                                                                                                          \
      {                                                                                                                 \
        V x = { 0 }, z = { 0 }, r;                                                                                      \
        memcpy (&x, a + i, (n - i) * sizeof *a);                                                                        \
        memcpy (&z, b + i, (n - i) * sizeof *b);                                                                        \
        r = (expression_);                                                                                              \
        memcpy (y + i, &r, (n - i) * sizeof *y);                                                                        \
      }                                                                                                                 \
  }
/* clang-format on */

UNARY (copy, x)
UNARY (negate, (V) ((I) x ^ NEGATIVE))
UNARY (absolutes, absolute (x))
UNARY (square_roots, square_root (x))
UNARY (reciprocals, 1 / x)
UNARY (exponentials, exponential (x))
UNARY (tangents, hyperbolic_tangent (x))
UNARY (logistics, logistic (x))
UNARY (error_functions, error_function (x))
UNARY (gelus, 0.5f * x * (1 + error_function (x * 0.70710678118654752440f)))
UNARY (gelus_by_tangent, 0.5f * x * (1 + hyperbolic_tangent (0.79788456080286535588f * (x + 0.044715f * x * x * x))))
#define GREATER(x, z) choose ((x > z) | (x != x), x, z)
#define LESSER(x, z)  choose ((x < z) | (x != x), x, z)
UNARY (relus, choose ((x > 0.f) | (x != x), x, splat (0)))
UNARY (leaky_relus, choose (x < 0.f, x *p[0], x))
UNARY (hard_sigmoids, gate (p[0] * x + p[1]))
UNARY (hard_swishes, x *gate (x / 6 + 0.5f))
UNARY (swishes, x / (1 + exponential (-p[0] * x)))
UNARY (clips, LESSER (GREATER (x, splat (p[0])), splat (p[1])))
UNARY (logarithms, logarithm (x))
UNARY (elus, choose (x < 0.f, p[0] * exponential_less_one (x), x))
UNARY (celus, choose (x < 0.f, p[0] * exponential_less_one (x / p[0]), x))
UNARY (selus, choose (x <= 0.f, p[1] * p[0] * exponential_less_one (x), p[1] * x))
UNARY (softpluses, softplus (x))
UNARY (softsigns, x / (1 + absolute (x)))
UNARY (mishes, mish (x))
UNARY (thresholds, choose (x > p[0], x, splat (0)))
UNARY (shrinks, choose (x < -p[0], x + p[1], choose (x > p[0], x - p[1], splat (0))))
UNARY (signs, choose (x > 0.f, splat (1), choose (x < 0.f, splat (-1), x + splat (0))))
UNARY (ceilings, ceiling (x))
UNARY (floors, floor_of (x))
UNARY (rounds, nearest (x))
UNARY (sines, sine (x))
UNARY (cosines, cosine (x))
UNARY (squares, x *x)
UNARY (cubes, x *x *x)
UNARY (arc_sines, arc_sine (x))
UNARY (arc_cosines, arc_cosine (x))
UNARY (arc_tangents, arc_tangent (x))

BINARY (add, x + z)
BINARY (subtract, x - z)
BINARY (multiply, x *z)
BINARY (divide, x / z)
BINARY (greatest, GREATER (x, z))
BINARY (least, LESSER (x, z))
BINARY (slopes, choose (x < 0.f, x *z, x))
BINARY (powers, power (x, z))

static void
where (gsize n, float *y, const guint8 *condition, const float *a, const float *b)
{
  for (gsize i = 0; i < n; i++)
    y[i] = condition[i] ? a[i] : b[i];
}

static void
fill (gsize n, float *y, float x)
{
  for (gsize i = 0; i < n; i++)
    y[i] = x;
}

static gboolean
has_nan_or_least (const float *x, gsize n)
{
  I found = { 0 };
  gsize i = 0;
  gint32 any = 0;

  for (; i + PH_WIDTH <= n; i += PH_WIDTH)
    found |= ~(load (x + i) >= -FLT_MAX);
  for (; i < n; i++)
    any |= !(x[i] >= -FLT_MAX);
  for (int k = 0; k < PH_WIDTH; k++)
    any |= found[k];
  return any != 0;
}

static void
accumulate (gsize n, double *y, const float *x)
{
  for (gsize i = 0; i < n; i++)
    y[i] += x[i];
}

static void
affine (gsize n, float *y, const float *x, const float *scale, const float *shift, gboolean each)
{
  const float factor = n > 0 ? scale[0] : 0, offset = n > 0 ? shift[0] : 0;

  if (each)
    for (gsize i = 0; i < n; i++)
      y[i] = x[i] * scale[i] + shift[i];
  else
    for (gsize i = 0; i < n; i++)
      y[i] = x[i] * factor + offset;
}

static void
multiply_wide (gsize n, float *y, const double *factors, gboolean each)
{
  const double factor = factors[0];

  if (each)
    for (gsize i = 0; i < n; i++)
      y[i] = (float) ((double) y[i] * factors[i]);
  else
    for (gsize i = 0; i < n; i++)
      y[i] = (float) ((double) y[i] * factor);
}

static void
add_scaled (gsize n, float *y, const float *x, float factor)
{
  for (gsize i = 0; i < n; i++)
    y[i] += x[i] * factor;
}

static void
weigh (gsize n, float *y, const float *start, gsize n_taps, const float *const *x, const float *const *weights)
{
  gsize i = 0;

  for (; i + PH_WIDTH <= n; i += PH_WIDTH)
    {
      V sum = start != NULL ? load (start + i) : (V) { 0 };

      for (gsize k = 0; k < n_taps; k++)
        sum += load (x[k] + i) * load (weights[k] + i);
      store (y + i, sum);
    }
  for (; i < n; i++)
    {
      float sum = start != NULL ? start[i] : 0;

      for (gsize k = 0; k < n_taps; k++)
        sum += x[k][i] * weights[k][i];
      y[i] = sum;
    }
}

INLINE void
correlate_vectors (gsize vectors, float *y, float start, const float *x, gsize n_taps, const float *weights, gsize dilation)
{
  V sums[4];

  for (gsize v = 0; v < vectors; v++)
    sums[v] = (V) { 0 } + start;
  for (gsize k = 0; k < n_taps; k++)
    for (gsize v = 0; v < vectors; v++)
      sums[v] += load (x + k * dilation + v * PH_WIDTH) * weights[k];
  for (gsize v = 0; v < vectors; v++)
    store (y + v * PH_WIDTH, sums[v]);
}

static void
correlate (gsize n, float *y, float start, const float *x, gsize n_taps, const float *weights, gsize dilation)
{
  gsize i = 0;

  for (; i + 4 * PH_WIDTH <= n; i += 4 * PH_WIDTH)
    correlate_vectors (4, y + i, start, x + i, n_taps, weights, dilation);
  for (; i + PH_WIDTH <= n; i += PH_WIDTH)
    correlate_vectors (1, y + i, start, x + i, n_taps, weights, dilation);
  if (i < n && n >= PH_WIDTH) /* some of the last ones once more */
    correlate_vectors (1, y + n - PH_WIDTH, start, x + n - PH_WIDTH, n_taps, weights, dilation);
  for (; i < n && n < PH_WIDTH; i++)
    {
      float sum = start;

      for (gsize k = 0; k < n_taps; k++)
        sum += x[i + k * dilation] * weights[k];
      y[i] = sum;
    }
}

/* ── sums: by lane, in a fixed order ── */

#if PH_WIDTH == 16
#define HALVES(combine_)                                                                                                    \
  combine_ (8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7) combine_ (4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3) \
      combine_ (2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1) combine_ (1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0)
#elif PH_WIDTH == 8
#define HALVES(combine_) combine_ (4, 5, 6, 7, 0, 1, 2, 3) combine_ (2, 3, 0, 1, 2, 3, 0, 1) combine_ (1, 0, 1, 0, 1, 0, 1, 0)
#else
#define HALVES(combine_) combine_ (2, 3, 0, 1) combine_ (1, 0, 1, 0)
#endif
#define ADD_HALF(...) x = x + __builtin_shufflevector (x, x, __VA_ARGS__);
/* clang-format off */
#define MAX_HALF(...) { x = greater (__builtin_shufflevector (x, x, __VA_ARGS__), x); }
/* clang-format on */

INLINE float
across (V x)
{
  HALVES (ADD_HALF)
  return x[0];
}

INLINE float
greatest_of (V x)
{
  HALVES (MAX_HALF)
  return x[0];
}

/* Loads the first @n floats, fewer than a register holds; the other lanes get @rest. */
INLINE V
partial_or (const float *x, gsize n, float rest)
{
#if PH_WIDTH == 16 && defined __AVX512F__
  return (V) _mm512_mask_loadu_ps ((__m512) splat (rest), (__mmask16) ((1u << n) - 1), x);
#else
  V v = splat (rest);

  memcpy (&v, x, n * sizeof *x);
  return v;
#endif
}

INLINE V
partial (const float *x, gsize n)
{
  return partial_or (x, n, 0);
}

static float
sum (gsize n, const float *x)
{
  V s0 = { 0 }, s1 = { 0 };
  gsize i = 0;

  for (; i + 2 * PH_WIDTH <= n; i += 2 * PH_WIDTH)
    {
      s0 += load (x + i);
      s1 += load (x + i + PH_WIDTH);
    }
  for (; i + PH_WIDTH <= n; i += PH_WIDTH)
    s0 += load (x + i);
  if (i < n)
    s1 += partial (x + i, n - i);
  return across (s0 + s1);
}

/* Of n > 0 numbers; no number is greater than NaN if it comes first, and NaN that comes later is passed over. */
INLINE float
greatest_in (gsize n, const float *x)
{
  V most[4];
  gsize i = 0;

  for (guint k = 0; k < 4; k++)
    most[k] = splat (x[0]);
  for (; i + 4 * PH_WIDTH <= n; i += 4 * PH_WIDTH)
    for (guint k = 0; k < 4; k++)
      most[k] = greater (load (x + i + k * PH_WIDTH), most[k]);
  for (; i + PH_WIDTH <= n; i += PH_WIDTH)
    most[0] = greater (load (x + i), most[0]);
  if (i < n)
    most[1] = greater (partial_or (x + i, n - i, x[0]), most[1]);
  return x[0] == x[0] ? greatest_of (greater (greater (most[0], most[1]), greater (most[2], most[3]))) : x[0];
}

static void
softmax (gsize n, float *y, const float *x)
{
  const float greatest = greatest_in (n, x);
  V s[2] = { { 0 } }, rest = { 0 };
  float total;
  gsize i = 0;

  for (; i + 2 * PH_WIDTH <= n; i += 2 * PH_WIDTH)
    for (guint k = 0; k < 2; k++)
      {
        const V e = exponential (load (x + i + k * PH_WIDTH) - greatest);

        store (y + i + k * PH_WIDTH, e);
        s[k] += e;
      }
  for (; i + PH_WIDTH <= n; i += PH_WIDTH)
    {
      const V e = exponential (load (x + i) - greatest);

      store (y + i, e);
      s[0] += e;
    }
  if (i < n)
    s[1] += rest = exponential (partial_or (x + i, n - i, -INFINITY) - greatest); /* 0 in the other lanes */
  total = 1 / across (s[0] + s[1]);
  for (i = 0; i + PH_WIDTH <= n; i += PH_WIDTH)
    store (y + i, load (y + i) * total);
  if (i < n) /* not a masked store, on which reading what follows would wait */
    {
      rest *= total;
      memcpy (y + i, &rest, (n - i) * sizeof *y);
    }
}

/* In double: for what overflows as floats, or vanishes. */
static void
normalise_wide (gsize n, float *y, const float *x, const float *scale, const float *bias, double epsilon, gboolean centre)
{
  double mean, inverse;

  ph_lanes_moments (n, x, epsilon, centre, &mean, &inverse);
  for (gsize i = 0; i < n; i++)
    y[i] = (float) ((x[i] - mean) * inverse * scale[i] + (bias != NULL ? bias[i] : 0));
}

static void
normalise (gsize n, float *y, const float *x, const float *scale, const float *bias, float epsilon, gboolean centre)
{
  const float mean = centre ? sum (n, x) / (float) n : 0;
  float squares, inverse;
  V s[2] = { { 0 } };
  gsize i = 0;

  for (; i + 2 * PH_WIDTH <= n; i += 2 * PH_WIDTH)
    for (guint k = 0; k < 2; k++)
      {
        const V d = load (x + i + k * PH_WIDTH) - mean;

        s[k] += d * d;
      }
  squares = across (s[0] + s[1]);
  for (; i < n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  if (!(squares <= FLT_MAX) || squares / (float) n + epsilon < FLT_MIN)
    {
      normalise_wide (n, y, x, scale, bias, epsilon, centre);
      return;
    }
  inverse = 1 / sqrtf (squares / (float) n + epsilon);
  if (bias != NULL)
    for (i = 0; i < n; i++)
      y[i] = (x[i] - mean) * inverse * scale[i] + bias[i];
  else
    for (i = 0; i < n; i++)
      y[i] = (x[i] - mean) * inverse * scale[i];
}

#include "core/run/lanes/products.inc"

/* ── reductions ── */

#define DOUBLES (PH_WIDTH / 2)
typedef double D __attribute__ ((vector_size (DOUBLES * 8), aligned (8), may_alias));
typedef gint64 L __attribute__ ((vector_size (DOUBLES * 8), aligned (8), may_alias));
typedef float H __attribute__ ((vector_size (DOUBLES * 4), aligned (4), may_alias));

INLINE D
widen (const float *x)
{
  return __builtin_convertvector(*(const H *) x, D);
}

INLINE D
part_of (D x, PhLaneTotal what)
{
  if (what == PH_LANE_SQUARES)
    return (D) (x * x);
  return what == PH_LANE_ABSOLUTES ? (D) ((L) x & G_MAXINT64) : x;
}

INLINE double
total_of (gsize n, const float *x, PhLaneTotal what)
{
  D sums[4] = { { 0 }, { 0 }, { 0 }, { 0 } };
  double result = 0;
  gsize i;

  for (i = 0; i + 4 * DOUBLES <= n; i += 4 * DOUBLES)
    for (guint k = 0; k < 4; k++)
      sums[k] += part_of (widen (x + i + k * DOUBLES), what);
  sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (guint k = 0; k < DOUBLES; k++)
    result += sums[0][k];
  for (; i < n; i++)
    result += what == PH_LANE_SQUARES ? (double) x[i] * x[i] : what == PH_LANE_ABSOLUTES ? fabs ((double) x[i]) : (double) x[i];
  return result;
}

static double
total (gsize n, const float *x, PhLaneTotal what)
{
  if (what == PH_LANE_SUM)
    return total_of (n, x, PH_LANE_SUM);
  return what == PH_LANE_SQUARES ? total_of (n, x, PH_LANE_SQUARES) : total_of (n, x, PH_LANE_ABSOLUTES);
}

static void
totals (gsize n, double *y, const float *x, PhLaneTotal what)
{
  if (what == PH_LANE_SUM)
    for (gsize i = 0; i < n; i++)
      y[i] += (double) x[i];
  else if (what == PH_LANE_SQUARES)
    for (gsize i = 0; i < n; i++)
      y[i] += (double) x[i] * (double) x[i];
  else
    for (gsize i = 0; i < n; i++)
      y[i] += fabs ((double) x[i]);
}

#include "core/run/lanes/extremes.inc"

#include "core/run/lanes/bytes.inc"

extern const PhLanes PH_LANES;
const PhLanes PH_LANES = {
  .name = G_STRINGIFY (PH_WIDTH) " floats",
  .panel = PANEL,
  .unary = {
    copy, negate, absolutes, square_roots, reciprocals, exponentials, tangents, logistics, error_functions, gelus, gelus_by_tangent, relus,
    leaky_relus, hard_sigmoids, hard_swishes, swishes, clips, logarithms, elus, celus, selus, softpluses, softsigns, mishes, thresholds, shrinks,
    signs, ceilings, floors, rounds, sines, cosines, squares, cubes, arc_sines, arc_cosines, arc_tangents,
  },
  .binary = { add, subtract, multiply, divide, greatest, least, slopes, powers },
  .where = where, .fill = fill, .has_nan_or_least = has_nan_or_least, .product = product, .add_rows = add_rows, .dots = dots, .softmax = softmax, .normalise = normalise,
  .accumulate = accumulate, .affine = affine, .multiply_wide = multiply_wide, .add_scaled = add_scaled, .weigh = weigh, .correlate = correlate, .total = total, .totals = totals, .extreme = extreme, .extreme_rows = extreme_rows, .places = places, .extremes = extremes,
  .quantise = quantise, .requantise = requantise, .scale_sums = scale_sums, .dequantise = dequantise,
  .accumulate_bytes = accumulate_bytes, .subtract_multiples = subtract_multiples, .quantise_each = quantise_each, .dequantise_each = dequantise_each,
};
