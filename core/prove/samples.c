/* samples.c: generates values for the inputs of a region.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples.h"

#include <math.h>
#include <string.h>

#include "core/prove/pool.h"
#include "core/prove/rare.h"
#include "core/prove/rows.h"
#include "core/prove/sizes.h"
#include "core/prove/usage.h"
#include "core/splitmix.h"

struct _PhSampler
{
  const PhPair *pair;
  const PhBounds *bounds;
  guint64 seed;
  PhPool *pool;
  PhUsage *usage; /* of each input                                                              */
  guint modesty;
  gint64 short_axis[PH_SAMPLER_MOST_MODEST + 1]; /* of the inputs that are drawn: with modesty 1 longer than 1 */
};

const char *
ph_sample_kind_name (PhSampleKind kind)
{
  static const char *const names[PH_SAMPLE_N_KINDS] = { "captured", "normal", "wide", "reach", "dense", "extreme", "nonfinite" };

  return names[kind];
}

PhSampler *
ph_sampler_new (const PhPair *pair, const PhBounds *bounds, guint64 seed)
{
  PhSampler *sampler = g_new0 (PhSampler, 1);

  sampler->pair = pair;
  sampler->bounds = bounds;
  sampler->seed = seed;
  sampler->pool = ph_pool_new (pair);
  sampler->usage = ph_usage_find (pair);
  return sampler;
}

void
ph_sampler_set_free (PhSampler *sampler, guint input)
{
  sampler->usage[input].is_free = TRUE;
}

void
ph_sampler_set_modesty (PhSampler *sampler, guint modesty)
{
  sampler->modesty = modesty;
}

gboolean
ph_sampler_can_be_modest (PhSampler *sampler)
{
  const GPtrArray *types = sampler->pair->types;

  for (guint i = 0; i < types->len; i++)
    {
      const PhType *type = types->pdata[i];

      if (type != NULL && type->kind == PH_KIND_TENSOR && ph_dtype_is_integer (type->dtype)
          && sampler->usage[i].reading != PH_READ_AS_SHAPE)
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_sampler_is_shape (PhSampler *sampler, guint input)
{
  return sampler->usage[input].reading == PH_READ_AS_SHAPE && !sampler->usage[input].is_free;
}

gboolean
ph_sampler_has_integers (PhSampler *sampler)
{
  return ph_usage_has_integers (sampler->pair, sampler->usage);
}

void
ph_sampler_free (PhSampler *sampler)
{
  ph_pool_free (sampler->pool);
  ph_usage_free (sampler->pair, sampler->usage);
  g_free (sampler);
}

/* ── sizes ── */

guint
ph_sampler_n_sizes (PhSampler *sampler)
{
  return ph_sizes_are_open (sampler->pair) ? PH_SIZES_N_COMMON : 1;
}

gboolean
ph_sampler_counts_places (PhSampler *sampler)
{
  return sampler->pool->counts_places;
}

gboolean
ph_sampler_counts_in_floats (PhSampler *sampler)
{
  return sampler->pool->counts_in_floats;
}

guint
ph_sampler_n_far (PhSampler *sampler, guint *n_beyond)
{
  return ph_sizes_n_far (sampler->pair, sampler->pool, n_beyond);
}

guint
ph_sampler_n_none (PhSampler *sampler)
{
  return ph_sizes_n_none (sampler->pair);
}

/* ── one tensor ── */

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

#define N_STYLES 3

gboolean
ph_sampler_has_free_shape (PhSampler *sampler)
{
  for (guint i = 0; i < sampler->pair->inputs->len; i++)
    if (sampler->usage[i].reading == PH_READ_AS_SHAPE && sampler->usage[i].is_free)
      return TRUE;
  return FALSE;
}

guint
ph_sampler_n_reaching (PhSampler *sampler, gsize n)
{
  const guint each = (guint) MAX (n / 2, 1);

  return (sampler->pool->numbers->len + each - 1) / each;
}

guint
ph_sampler_n_points (PhSampler *sampler)
{
  return sampler->pool->points->len * N_STYLES;
}

guint
ph_sampler_n_joint (PhSampler *sampler)
{
  return ph_rare_n_joint (sampler->pool);
}

/* Fills with a number that may be a threshold: in all elements, or in one among zeros or small numbers. The maximum, sum or mean is then
 * that number. */
static void
fill_point (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, guint point, guint64 *state)
{
  const double value = g_array_index (sampler->pool->points, double, point / N_STYLES % sampler->pool->points->len);
  const gsize n = ph_tensor_count (tensor), at = n > 0 ? ph_splitmix (state) % n : 0;

  for (gsize i = 0; i < n; i++)
    ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), i,
                    clip (bounds,
                          i == at || point % N_STYLES == 0 ? value
                          : point % N_STYLES == 1          ? 0
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

/* The number of distinct floats drawn if any numbers will do. */
#define ROUGH 64

static void
fill_roughly (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, PhSampleKind kind, guint64 *state)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  const gsize n = ph_tensor_count (tensor), size = ph_dtype_size (dtype);
  guint8 *data = ph_tensor_writable (tensor);

  for (gsize i = 0; i < MIN (n, ROUGH); i++)
    ph_dtype_store (dtype, data, i, clip (bounds, draw_float (sampler, kind, state), state));
  for (gsize done = ROUGH; done < n; done *= 2)
    memcpy (data + done * size, data, MIN (done, n - done) * size);
}

static void
fill_floats (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, PhSampleKind kind, guint input, guint turn, guint64 *state)
{
  /* A sum is rarely close to the number it is compared with, unless all its terms are small. */
  static const double scales[] = { 1, 1e-4, 10, 100, 0.1, 1000, 3, 30 };
  const double scale = kind == PH_SAMPLE_NORMAL ? scales[turn % G_N_ELEMENTS (scales)] : 1;
  const gboolean is_ordered = ph_rare_is_ordered (kind, turn);
  const int sign = ph_rare_sign (kind, turn);
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
                           : ph_rare_is_joint (sampler->pool, kind, turn) ? ph_rare_joint (sampler->pool, input, i, turn)
                                                                          : scale * draw_float (sampler, kind, state);

      ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), i,
                      clip (bounds, sign != 0 ? sign * MAX (fabs (value), PH_RARE_LEAST) : value, state));
    }
  if (kind == PH_SAMPLE_REACH || kind == PH_SAMPLE_EXTREME)
    scatter_pool (kind == PH_SAMPLE_REACH ? sampler->pool->numbers : sampler->pool->extreme, tensor, bounds, turn, state);
  else if (kind == PH_SAMPLE_NONFINITE)
    scatter_nonfinite (sampler, tensor, bounds, input, turn, state);
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

static void
fill_integers (PhSampler *sampler, PhTensor *tensor, guint input, PhBounds bounds, PhSampleKind kind, guint turn, PhTensor *known,
               guint64 *state)
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
        value = ph_rare_count (sampler->pool, kind, turn, i, n, known, state);
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

/* The most elements of a made-up input: more would show nothing more. */
#define MAX_ELEMENTS 50000000

typedef struct
{
  PhDType dtype;
  guint rank;
  gint64 dims[PH_MAX_RANK];
} Shape;

/* Finds the shape of an input, from @like (nullable) or its type. Returns FALSE if it has none. */
static gboolean
find_shape (const PhType *type, PhTensor *like, PhSizes *sizes, PhSampleShapes shapes, const PhPair *pair, Shape *shape)
{
  if (like == NULL && (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->dtype == PH_UNDEFINED))
    return FALSE;
  shape->rank = like != NULL ? ph_tensor_rank (like) : type->rank;
  shape->dtype = like != NULL ? ph_tensor_dtype (like) : type->dtype;
  for (guint i = 0; i < shape->rank; i++)
    {
      shape->dims[i] = like != NULL ? ph_tensor_dims (like)[i] : ph_sizes_of (sizes, type->dims[i], i, shape->rank);
      /* Axes of an image differ, so that they are not taken for each other. */
      if (shapes.tight && shape->rank > 2 && i != 1)
        shape->dims[i] = MIN (shape->dims[i], i == 0 ? pair->batch : pair->image + i - 2);
      else if (shapes.crop > 1 && i >= 2 && shape->dims[i] > 8)
        shape->dims[i] = MAX ((shape->dims[i] + shapes.crop - 1) / shapes.crop, MIN (shape->dims[i], pair->image));
    }
  return TRUE;
}

static double
count_of (const Shape *shape, guint64 rows, gint64 places)
{
  double count = 1;

  for (guint i = 0; i < shape->rank; i++)
    count *= (double) ph_rows_limit (rows, shape->dims[i], i, shape->rank, places);
  return count;
}

/* Returns how many elements each axis of rows keeps so that no input exceeds @most; at least two, so that a row differs from the whole.
 * Returns 0 for all. */
static gint64
choose_places (guint64 rows, const Shape *shapes, guint n, gsize most)
{
  static const gint64 places[] = { 0, 64, 32, 16, 8, 5, 4, 3, 2 };
  guint at = 0;

  if (rows == 0 || most == 0)
    return 0;
  for (guint i = 0; i < n; i++)
    while (at + 1 < G_N_ELEMENTS (places) && count_of (&shapes[i], rows, places[at]) > (double) most)
      at++;
  return places[at];
}

static void
find_short_axes (PhSampler *sampler, const Shape *shapes, guint n)
{
  for (guint m = 1; m <= PH_SAMPLER_MOST_MODEST; m++)
    {
      gint64 least = 0;

      for (guint i = 0; i < n; i++)
        for (guint d = 0; d < shapes[i].rank; d++)
          if (shapes[i].dims[d] >= (m == 1 ? 2 : 1) && (least == 0 || shapes[i].dims[d] < least))
            least = shapes[i].dims[d];
      sampler->short_axis[m] = least > 0 ? least : 2;
    }
}

static PhTensor *
draw_tensor (PhSampler *sampler, guint input, const Shape *shape, PhSampleKind kind, guint turn, PhSampleShapes shapes,
             PhTensor *like, PhTensor *known)
{
  static const guint8 zero[16] = { 0 };
  const PhBounds bounds = sampler->bounds != NULL ? sampler->bounds[input] : PH_BOUNDS_NONE;
  const PhDType dtype = shape->dtype;
  guint64 state = sampler->seed * 1000003 + input * 7919 + kind * 104729 + turn * 15485863 + 17;
  PhTensor *tensor;

  if (count_of (shape, 0, 0) > MAX_ELEMENTS)
    return NULL;
  /* A shape cannot have arbitrary values. */
  if (like != NULL && sampler->usage[input].reading == PH_READ_AS_SHAPE
      && !(sampler->usage[input].is_free && (kind == PH_SAMPLE_REACH || kind == PH_SAMPLE_DENSE)))
    return ph_tensor_ref (like);
  tensor = shapes.blank && ph_dtype_is_float (dtype) ? ph_tensor_new_splat (dtype, shape->rank, shape->dims, zero)
                                                     : ph_tensor_new (dtype, shape->rank, shape->dims);
  if (tensor == NULL || (shapes.blank && ph_dtype_is_float (dtype))
      || (dtype != PH_STRING && ph_usage_is_shape_alone (sampler->pair, input))) /* zeros do */
    return tensor;
  if (dtype == PH_STRING)
    for (gsize i = 0; i < ph_tensor_count (tensor); i++)
      {
        g_autofree char *text = ph_rare_string (sampler->pool, kind, &state);

        ph_tensor_set_string (tensor, i, text);
      }
  else if (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
    for (gsize i = 0; i < 2 * ph_tensor_count (tensor); i++)
      ph_dtype_store (dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE, ph_tensor_writable (tensor), i, ph_splitmix_normal (&state));
  else if (dtype == PH_BOOL)
    for (gsize i = 0; i < ph_tensor_count (tensor); i++)
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, ph_rare_truth (kind, turn, &state));
  else if (ph_dtype_is_integer (dtype))
    fill_integers (sampler, tensor, input, bounds, kind, turn, known, &state);
  else if (shapes.rough)
    fill_roughly (sampler, tensor, bounds, kind, &state);
  else
    fill_floats (sampler, tensor, bounds, kind, input, turn, &state);
  return tensor;
}

GPtrArray *
ph_sampler_draw (PhSampler *sampler, PhSampleKind kind, guint turn, PhSampleShapes shapes, PhTensor *const *captured)
{
  const PhPair *pair = sampler->pair;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  g_autofree Shape *found = g_new0 (Shape, pair->inputs->len + 1);
  g_auto (PhSizes) chosen = { 0 };
  gint64 places;

  if (kind == PH_SAMPLE_CAPTURED)
    {
      for (guint i = 0; i < pair->inputs->len; i++)
        {
          if (captured == NULL || captured[i] == NULL)
            return NULL;
          g_ptr_array_add (tensors, ph_tensor_ref (captured[i]));
        }
      return g_steal_pointer (&tensors);
    }
  if (!ph_sizes_choose (&chosen, pair, sampler->pool, shapes.sizes, shapes.far))
    return NULL;
  if (shapes.none > 0)
    ph_sizes_set_none (&chosen, pair, shapes.none);
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      PhTensor *like = captured != NULL && shapes.captured ? captured[i] : NULL;

      if (like != NULL && ph_tensor_kind (like) != PH_KIND_TENSOR)
        continue;
      if (!find_shape (pair->types->pdata[i], like, &chosen, shapes, pair, &found[i]))
        return NULL;
    }
  find_short_axes (sampler, found, pair->inputs->len);
  places = choose_places (pair->rows, found, pair->inputs->len, shapes.most);
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      PhTensor *like = captured != NULL && shapes.captured ? captured[i] : NULL, *tensor;

      for (guint k = 0; k < found[i].rank; k++)
        found[i].dims[k] = ph_rows_limit (pair->rows, found[i].dims[k], k, found[i].rank, places);
      tensor = like != NULL && ph_tensor_kind (like) != PH_KIND_TENSOR
                   ? ph_tensor_ref (like)
                   : draw_tensor (sampler, i, &found[i], kind, turn, shapes, like, captured != NULL ? captured[i] : NULL);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }
  return g_steal_pointer (&tensors);
}
