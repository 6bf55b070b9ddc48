/* samples.c: generates values for the inputs of a region.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples/samples.h"

#include <string.h>

#include "core/prove/rows.h"
#include "core/prove/samples/fill.h"
#include "core/prove/samples/rare.h"
#include "core/prove/samples/sizes.h"
#include "core/prove/samples/turns.h"
#include "core/splitmix.h"

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
  return sampler->pool->points->len * PH_FILL_STYLES;
}

guint
ph_sampler_n_joint (PhSampler *sampler)
{
  return ph_rare_n_joint (sampler->pool);
}

#define MOST_ALONE 8

guint
ph_sampler_n_alone (PhSampler *sampler)
{
  const guint n = ph_fill_n_floats_before (sampler, sampler->pair->types->len);

  return MIN (2 * n, MOST_ALONE);
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

/* Returns TRUE for sets in which shapes are the captured ones, without which one side may compute nothing, or only what is empty. Where
 * dimensions are open these hardly fit the others: then it is every other set. */
static gboolean
keeps_known_shapes (PhSampler *sampler, PhSampleKind kind, guint turn)
{
  const guint n = (guint) kind + turn;

  return ph_sizes_are_open (sampler->pair) ? n % 2 == 0 : n % 4 != 0;
}

static gboolean
fits (PhTensor *known, const Shape *shape)
{
  return known != NULL && ph_tensor_kind (known) == PH_KIND_TENSOR && ph_tensor_dtype (known) == shape->dtype
         && ph_tensor_rank (known) == shape->rank
         && (shape->rank == 0 || memcmp (ph_tensor_dims (known), shape->dims, shape->rank * sizeof shape->dims[0]) == 0);
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
  if (keeps_known_shapes (sampler, kind, turn) && ph_sampler_is_shape (sampler, input) && fits (known, shape))
    return ph_tensor_ref (known);
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
    ph_fill_integers (sampler, tensor, input, bounds, kind, turn, known, &state);
  else if (sampler->usage[input].reading == PH_READ_AS_SHAPE)
    ph_fill_factors (tensor, known, &state);
  else if (shapes.rough)
    ph_fill_roughly (sampler, tensor, bounds, kind, &state);
  else
    ph_fill_floats (sampler, tensor, bounds, kind, input, turn, &state);
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
