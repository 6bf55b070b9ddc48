/* fill.c: puts numbers of a kind into a tensor.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples/fill.h"

#include <math.h>
#include <string.h>

#include "core/prove/samples/rare.h"
#include "core/prove/samples/turns.h"
#include "core/splitmix.h"

guint
ph_fill_n_floats_before (PhSampler *sampler, guint input)
{
  guint n = 0;

  for (guint i = 0; i < input; i++)
    {
      const PhType *type = sampler->pair->types->pdata[i];

      n += type != NULL && type->kind == PH_KIND_TENSOR && ph_dtype_is_float (type->dtype);
    }
  return n;
}

static double
clip (PhBounds bounds, double value, guint64 *state)
{
  if (isfinite (value) && (value < bounds.low || value > bounds.high))
    {
      if (bounds.low > -G_MAXDOUBLE && bounds.high < G_MAXDOUBLE)
        value = bounds.low + ph_splitmix_uniform (state) * (bounds.high - bounds.low);
      else
        value = value < bounds.low ? MAX (-value, bounds.low) : MIN (-value, bounds.high);
      value = CLAMP (value, bounds.low, bounds.high);
    }
  else if (!isfinite (value) && (bounds.low > -G_MAXDOUBLE || bounds.high < G_MAXDOUBLE))
    {
      if (isnan (value))
        return value;
      if (value < 0 && bounds.low > -G_MAXDOUBLE)
        return bounds.low;
      if (value > 0 && bounds.high < G_MAXDOUBLE)
        return bounds.high;
    }
  return value == 0 && bounds.low >= 0 ? 0.0 : value;
}

static double
draw_float (PhSampler *sampler, PhSampleKind kind, guint64 *state)
{
  const double pooled = g_array_index (sampler->pool->numbers, double, ph_splitmix (state) % sampler->pool->numbers->len);
  guint64 r;

  switch (kind)
    {
    case PH_SAMPLE_WIDE:
      r = ph_splitmix (state) % 16;
      return r == 0 ? 0.0 : r == 1 ? -0.0 : (r % 2 == 0 ? 1 : -1) * pow (10, ph_splitmix_uniform (state) * 6 - 3);
    case PH_SAMPLE_DENSE: return pooled;
    default: return ph_splitmix_normal (state);
    }
}

static gsize
place_of (gsize *order, gsize i, gsize n, guint64 *state)
{
  const gsize k = i + ph_splitmix (state) % (n - i), at = order[k];

  order[k] = order[i];
  order[i] = at;
  return at;
}

/* Scatters the pool over distinct random elements; if it does not fit, each turn takes another part. */
static void
scatter_pool (GArray *pool, PhTensor *tensor, PhBounds bounds, guint turn, guint64 *state)
{
  const gsize n = ph_tensor_count (tensor), m = pool->len;
  g_autofree gsize *order = NULL;
  const gsize each = MIN (m, MAX (n / 2, 1));

  if (n == 0)
    return;
  order = g_new (gsize, n);
  for (gsize i = 0; i < n; i++)
    order[i] = i;
  for (gsize i = 0; i < each; i++)
    {
      const double value = g_array_index (pool, double, (turn * each + i) % m);

      ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), place_of (order, i, n, state),
                      clip (bounds, value, state));
    }
}

/* Fills with a number that may be a threshold: in all elements, or in one among zeros or small numbers. The maximum, sum or mean is then
 * that number. */
static void
fill_point (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, guint point, guint64 *state)
{
  const double value = g_array_index (sampler->pool->points, double, point / PH_FILL_STYLES % sampler->pool->points->len);
  const gsize n = ph_tensor_count (tensor), at = n > 0 ? ph_splitmix (state) % n : 0;

  for (gsize i = 0; i < n; i++)
    ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), i,
                    clip (bounds,
                          i == at || point % PH_FILL_STYLES == 0 ? value
                          : point % PH_FILL_STYLES == 1          ? 0
                                                                 : 0.1 * ph_splitmix_normal (state),
                          state));
}

/* Each input has NaN and infinities of its own, in its own places; in one turn they coincide, which matters for differences. */
#define SHARED_TURN 3
/* From this turn on every other input has some infinities or NaNs, and the others have none. */
#define MANY_TURN 4

static void
scatter_many (PhTensor *tensor, PhBounds bounds, guint often, gboolean nan, guint64 *state)
{
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const guint64 r = ph_splitmix (state);

      if (r % often == 0)
        ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), i,
                        clip (bounds,
                              nan     ? NAN
                              : r & 8 ? INFINITY
                                      : -INFINITY,
                              state));
    }
}

static void
scatter_nonfinite (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, guint input, guint turn, guint64 *state)
{
  static const double values[] = { NAN, INFINITY, -INFINITY };
  const gsize n = ph_tensor_count (tensor);
  guint64 shared = sampler->seed * 31 + 5;
  gsize at;

  if (n == 0)
    return;
  if (turn == PH_SAMPLER_MANY_NAN)
    {
      scatter_many (tensor, bounds, 2, TRUE, state);
      return;
    }
  if (turn >= PH_SAMPLER_FIRST_ALONE)
    {
      const guint run = turn - PH_SAMPLER_FIRST_ALONE, all = ph_fill_n_floats_before (sampler, sampler->pair->types->len);

      if (ph_fill_n_floats_before (sampler, input) == run % MAX (all, 1))
        ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), ph_splitmix (state) % n,
                        clip (bounds, run < all ? NAN : INFINITY, state));
      return;
    }
  if (turn >= MANY_TURN)
    {
      if (input % 2 == turn % 2)
        scatter_many (tensor, bounds, turn < PH_SAMPLER_FIRST_MANY ? 4 : 2, turn / 2 % 2 == 1, state);
      return;
    }
  at = ph_splitmix (turn == SHARED_TURN ? &shared : state) % n;
  /* NaN hides the effect of an infinity: each also occurs alone. */
  for (guint i = 0; i < (n < 8 || turn > 0 ? 1 : G_N_ELEMENTS (values)); i++)
    ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), (at + i * (n / 3)) % n,
                    clip (bounds, values[(i + (turn == SHARED_TURN ? 1 : turn + input)) % G_N_ELEMENTS (values)], state));
}

/* Scatters all that the single kinds do: decisive numbers, extremes, and NaN and infinities take about an eighth of the places each. */
static void
scatter_everything (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, guint64 *state)
{
  static const double infinite[] = { NAN, INFINITY, -INFINITY };
  const GArray *const pools[] = { sampler->pool->numbers, sampler->pool->extreme };
  const gsize n = ph_tensor_count (tensor);

  for (guint p = 0; p <= G_N_ELEMENTS (pools); p++)
    for (gsize k = 0; k < n / 8; k++)
      {
        const double value = p < G_N_ELEMENTS (pools) ? g_array_index (pools[p], double, k % pools[p]->len) : infinite[k % 3];

        ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), ph_splitmix (state) % n,
                        clip (bounds, value, state));
      }
}

/* Larger than most bounds; products of a few still fit into float32. */
#define LARGE 1e7

/* The number of distinct floats drawn if any numbers will do. */
#define ROUGH 64

void
ph_fill_roughly (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, PhSampleKind kind, guint64 *state)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  const gsize n = ph_tensor_count (tensor), size = ph_dtype_size (dtype);
  guint8 *data = ph_tensor_writable (tensor);

  for (gsize i = 0; i < MIN (n, ROUGH); i++)
    ph_dtype_store (dtype, data, i, clip (bounds, draw_float (sampler, kind, state), state));
  for (gsize done = ROUGH; done < n; done *= 2)
    memcpy (data + done * size, data, MIN (done, n - done) * size);
}

void
ph_fill_floats (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, PhSampleKind kind, guint input, guint turn, guint64 *state)
{
  /* A sum is rarely close to the number it is compared with, unless all its terms are small. */
  static const double scales[] = { 1, 1e-4, 10, 100, 0.1, 1000, 3, 30 };
  const gboolean is_mixed = turn == PH_SAMPLER_MIXED && (kind == PH_SAMPLE_EXTREME || kind == PH_SAMPLE_NONFINITE),
                 is_large = kind == PH_SAMPLE_EXTREME && turn >= PH_SAMPLER_FIRST_LARGE && !is_mixed;
  const double scale = kind == PH_SAMPLE_NORMAL ? scales[turn % G_N_ELEMENTS (scales)] : is_large ? LARGE : 1;
  const gboolean is_ordered = ph_rare_is_ordered (kind, turn);
  const int sign = ph_rare_sign (kind, turn);
  const double least = is_large ? LARGE / 4 : PH_RARE_LEAST;
  double before = 0;

  if (kind == PH_SAMPLE_REACH && turn >= PH_SAMPLER_FIRST_POINT && sampler->pool->points->len > 0)
    {
      fill_point (sampler, tensor, bounds, turn - PH_SAMPLER_FIRST_POINT, state);
      return;
    }
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const double value = is_ordered ? ph_rare_ordered (sampler->pool, ph_tensor_rank (tensor), ph_tensor_dims (tensor), input,
                                                         i, turn, ph_splitmix_normal (state), &before)
                           : ph_rare_is_near (kind, turn)                 ? ph_rare_near (turn, state)
                           : ph_rare_is_joint (sampler->pool, kind, turn) ? ph_rare_joint (sampler->pool, input, i, turn)
                                                                          : scale * draw_float (sampler, kind, state);

      ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), i,
                      clip (bounds, sign != 0 ? sign * MAX (fabs (value), least) : value, state));
    }
  if (is_mixed)
    scatter_everything (sampler, tensor, bounds, state);
  else if (kind == PH_SAMPLE_REACH || (kind == PH_SAMPLE_EXTREME && !is_large))
    scatter_pool (kind == PH_SAMPLE_REACH ? sampler->pool->numbers : sampler->pool->extreme, tensor, bounds, turn, state);
  else if (kind == PH_SAMPLE_NONFINITE)
    scatter_nonfinite (sampler, tensor, bounds, input, turn, state);
}

void
ph_fill_factors (PhTensor *tensor, PhTensor *known, guint64 *state)
{
  static const double factors[] = { 1, 2, 0.5, 1.5, 0.6, 3 };
  const gsize n = ph_tensor_count (tensor);
  const gboolean some_known = known != NULL && ph_tensor_count (known) == n && (ph_splitmix (state) & 1);

  for (gsize i = 0; i < n; i++)
    {
      const double factor = factors[ph_splitmix (state) % G_N_ELEMENTS (factors)];

      ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), i,
                      some_known && (ph_splitmix (state) & 1) ? ph_tensor_get (known, i) : factor);
    }
}

/* Draws a limit of the type, a power of two or a neighbour, a constant of either side, or any number. */
static gint64
draw_integer (PhSampler *sampler, PhDType dtype, guint64 *state)
{
  const guint bits = (guint) ph_dtype_size (dtype) * 8;
  const guint64 r = ph_splitmix (state);
  gint64 value;

  switch (r % 5)
    {
    case 0: return (gint64) (ph_splitmix (state) % 21) - (ph_dtype_is_signed (dtype) ? 10 : 0);
    case 1:
      if (sampler->pool->integers->len > 0)
        return g_array_index (sampler->pool->integers, gint64, ph_splitmix (state) % sampler->pool->integers->len);
      return 1;
    case 2:
      value = (gint64) ((G_GUINT64_CONSTANT (1) << (ph_splitmix (state) % bits)) + ph_splitmix (state) % 3 - 1);
      return ph_dtype_is_signed (dtype) && (ph_splitmix (state) & 1) ? (gint64) (0 - (guint64) value) : value;
    case 3: /* any: a product wraps to either sign; the store keeps the low bits */ return (gint64) ph_splitmix (state);
    default: /* the ends */
      value = (ph_splitmix (state) & 1) ? (gint64) (~G_GUINT64_CONSTANT (0) >> (64 - bits + (ph_dtype_is_signed (dtype) ? 1 : 0)))
              : ph_dtype_is_signed (dtype) ? (gint64) (~G_GUINT64_CONSTANT (0) << (bits - 1))
                                           : 0;
      return value;
    }
}

void
ph_fill_integers (PhSampler *sampler, PhTensor *tensor, guint input, PhBounds bounds, PhSampleKind kind, guint turn,
                  PhTensor *known, guint64 *state)
{
  const PhUsage *usage = &sampler->usage[input];
  const PhDType dtype = ph_tensor_dtype (tensor);
  const gsize n = ph_tensor_count (tensor);
  /* All elements are near one number, such as the zero point: sums of products stay small and do not saturate. */
  const gint64 centre = sampler->pool->integers->len > 0
                            ? g_array_index (sampler->pool->integers, gint64, ph_splitmix (state) % sampler->pool->integers->len)
                            : 0;
  const gboolean negative = bounds.low < 0 && ph_dtype_is_signed (dtype);
  const int sign = ph_rare_sign (kind, turn);
  const gsize first = n > 0 ? ph_splitmix (state) % n : 0, last = n > 1 ? (first + 1 + ph_splitmix (state) % (n - 1)) % n : n;
  double before = 0;
  const gboolean ends = n > 2 || ph_splitmix (state) % 4 == 0;

  for (gsize i = 0; i < n; i++)
    {
      gint64 value;

      if (usage->reading == PH_READ_AS_INDEX)
        {
          const gint64 range = usage->range > 0 ? usage->range : 2;

          /* Both ends of the range somewhere, else any integer; tensors with few elements do not always have the ends. */
          value = ends && i == first ? 0 : ends && i == last ? range - 1 : (gint64) (ph_splitmix (state) % (guint64) range);
          if (kind != PH_SAMPLE_NORMAL && negative && sampler->modesty < PH_SAMPLER_MOST_MODEST
              && (i == first || (ph_splitmix (state) & 1)))
            value -= range;
          if (sampler->modesty > 0 && value == -range) /* without its sign it is beyond the table */
            value = -1;
          if (usage->places != NULL && usage->places->len > 0 && !(ends && (i == first || i == last))
              && (ph_splitmix (state) & 1))
            value = g_array_index (usage->places, gint64, ph_splitmix (state) % usage->places->len);
        }
      else if (usage->reading == PH_READ_AS_DATA && sampler->modesty > 0)
        value = (gint64) (ph_splitmix (state) % (guint64) sampler->short_axis[sampler->modesty]);
      else if (ph_rare_is_ordered (kind, turn) && usage->reading == PH_READ_AS_DATA)
        value = (gint64) floor (ph_rare_ordered (sampler->pool, ph_tensor_rank (tensor), ph_tensor_dims (tensor), input, i, turn,
                                                 (double) ((negative ? -20 : 4) + (gint64) (ph_splitmix (state) % 40)), &before));
      else if (ph_rare_is_joint (sampler->pool, kind, turn) && usage->reading == PH_READ_AS_DATA)
        value = (gint64) ph_rare_joint (sampler->pool, input, i, turn);
      else if (usage->reading == PH_READ_AS_SHAPE && usage->is_free)
        value = usage->is_place && turn % 4 == 1 && (ph_splitmix (state) & 1)
                    ? ph_rare_place (state)
                    : ph_rare_count (sampler->pool, kind, turn, i, n, known, state);
      else if (usage->reading == PH_READ_AS_DATA && kind == PH_SAMPLE_NORMAL && turn > 1 && turn % 4 < 2
               && sampler->pool->integers->len > 0)
        value = (turn % 8 < 4
                     ? g_array_index (sampler->pool->integers, gint64, ph_splitmix (state) % sampler->pool->integers->len)
                     : centre)
                + (gint64) (ph_splitmix (state) % 7) - 3;
      else if (usage->reading == PH_READ_AS_SHAPE || kind == PH_SAMPLE_NORMAL)
        value = (gint64) (ph_splitmix (state) % (usage->reading == PH_READ_AS_SHAPE ? 2 : 100))
                * (negative && usage->reading == PH_READ_AS_DATA && (ph_splitmix (state) & 1) ? -1 : 1);
      else
        value = draw_integer (sampler, dtype, state);
      if (usage->reading == PH_READ_AS_DATA && sign != 0 && ph_dtype_is_signed (dtype) && (value < 0) == (sign > 0))
        value = -(value + 1);
      if (bounds.low > -G_MAXDOUBLE && value < bounds.low)
        value = (gint64) bounds.low + (gint64) (ph_splitmix (state) % 3);
      if (bounds.high < (double) G_MAXINT32 && value > bounds.high)
        value = (gint64) bounds.high;
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, value);
    }
}
