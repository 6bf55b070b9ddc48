/* sizes.c: chooses sizes for open dimensions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples/sizes.h"

#include <math.h>

#include "core/splitmix.h"

/* The most elements of an input with a dimension beyond the large constants; and the most such dimensions. */
#define MOST_ELEMENTS 200000
#define MOST_FAR      4

static const gint64 mixed_sizes[] = { 1, 2, 3, 7 };
#define LARGEST_MIXED 64

/* 0 gives each symbol a size of its own; a negative size is that of the last axis, with 1 for the others: audio. */
static const gint64 common_sizes[PH_SIZES_N_COMMON] = { 0, 2, 1, 3, 4, 8, 32, 64, 16, 224, -64, -256, -512, -4096 };

gboolean
ph_sizes_are_open (const PhPair *pair)
{
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      const PhType *type = pair->types->pdata[i];

      if (type == NULL || !ph_type_is_static (type))
        return TRUE;
    }
  return FALSE;
}

static gint64
next_size (PhSizes *sizes, guint axis, guint rank)
{
  sizes->n_open++;
  if (sizes->mixed > 0)
    {
      guint64 state = sizes->mixed * 1000003u + sizes->n_open;
      const guint64 r = ph_splitmix (&state);
      const gint64 dim = sizes->dims != NULL && sizes->dims->len > 0
                             ? g_array_index (sizes->dims, gint64, r / 16 % sizes->dims->len)
                             : 0;

      return r % 16 < 6 && dim > 0 && dim <= LARGEST_MIXED ? dim : mixed_sizes[r % G_N_ELEMENTS (mixed_sizes)];
    }
  if (sizes->met[0] > 0)
    return sizes->n_open == sizes->met_at[0]   ? sizes->met[0]
           : sizes->n_open == sizes->met_at[1] ? sizes->met[1]
                                               : (gint64) sizes->n_open + 1;
  if (sizes->far > 0)
    return sizes->far == G_MAXUINT || sizes->n_open == sizes->far ? sizes->far_size : (gint64) sizes->n_open + 1;
  if (sizes->size < 0)
    return axis + 1 == rank ? -sizes->size : 1;
  if (sizes->size > 0)
    return axis == 0 && rank > 1 ? MIN (sizes->size, 2) : sizes->size;
  return sizes->next++;
}

gint64
ph_sizes_of (PhSizes *sizes, PhDim dim, guint axis, guint rank)
{
  gpointer known;
  gint64 size;

  if (ph_dim_known (dim))
    return dim.size;
  known = dim.symbol != NULL ? g_hash_table_lookup (sizes->symbols, dim.symbol) : NULL;
  if (known != NULL)
    return (gint64) GPOINTER_TO_SIZE (known) - 1;
  size = next_size (sizes, axis, rank);
  if (dim.symbol != NULL)
    g_hash_table_insert (sizes->symbols, (gpointer) dim.symbol, GSIZE_TO_POINTER ((gsize) size + 1));
  return size;
}

void
ph_sizes_clear (PhSizes *sizes)
{
  g_clear_pointer (&sizes->symbols, g_hash_table_unref);
}

/* ── beyond large constants ── */

/* Elements of the largest input. @n_open: (out) how many open dimensions there are. */
static double
count_at (const PhPair *pair, guint far, gint64 size, guint *n_open)
{
  g_auto (PhSizes) sizes = { .symbols = g_hash_table_new (NULL, NULL), .far = far, .far_size = size };
  double largest = 0;

  for (guint i = 0; i < pair->types->len; i++)
    {
      const PhType *type = pair->types->pdata[i];
      const gboolean is_ranked = type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank;
      double count = 1;

      for (guint k = 0; is_ranked && k < type->rank; k++)
        count *= (double) ph_sizes_of (&sizes, type->dims[k], k, type->rank);
      largest = MAX (largest, count);
    }
  *n_open = sizes.n_open;
  return largest;
}

/* Returns the number of tries: each open dimension alone, then all together, as those without a symbol may have to be equal. */
static guint
n_ways (guint n_open)
{
  return n_open > 1 ? MIN (n_open, MOST_FAR) + 1 : n_open;
}

guint
ph_sizes_n_none (const PhPair *pair)
{
  guint n_open;

  count_at (pair, G_MAXUINT, 1, &n_open);
  return n_ways (n_open);
}

void
ph_sizes_set_none (PhSizes *sizes, const PhPair *pair, guint which)
{
  sizes->far = which <= MOST_FAR && which < ph_sizes_n_none (pair) ? which : G_MAXUINT;
  sizes->far_size = 0;
}

/* ── two that meet ── */

/* Lengths up to here are common: they are not put together. */
#define COMMON_LENGTH 4
#define MAX_MET       40

/* Two sizes whose product, sum or difference is a length used in a comparison, or which both are such lengths. */
typedef struct
{
  gint64 a, b;
} Met;

static void
add_met (GArray *met, gint64 a, gint64 b)
{
  if (a > 0 && b > 0 && met->len + 1 < MAX_MET)
    {
      g_array_append_val (met, ((Met) { a, b }));
      g_array_append_val (met, ((Met) { b, a }));
    }
}

static GArray *
find_met (const PhPool *pool)
{
  GArray *met = g_array_new (FALSE, FALSE, sizeof (Met));

  for (guint i = 0; i < pool->lengths->len; i++)
    {
      const gint64 length = g_array_index (pool->lengths, gint64, i);
      gint64 divisor = (gint64) sqrt ((double) length);

      if (length <= COMMON_LENGTH)
        continue;
      while (length % divisor != 0)
        divisor--;
      add_met (met, divisor, length / divisor);
      add_met (met, length / 2, length - length / 2);
      add_met (met, length + 2, 2);
    }
  for (guint i = 0; i < pool->lengths->len; i++)
    for (guint k = 0; k < i; k++)
      {
        const gint64 a = g_array_index (pool->lengths, gint64, i), b = g_array_index (pool->lengths, gint64, k);

        if (MAX (a, b) > COMMON_LENGTH)
          add_met (met, a, b);
      }
  return met;
}

/* Returns the number of pairs of neighbours among @n_open dimensions. */
static guint
n_neighbours (guint n_open)
{
  return n_open > 1 ? MIN (n_open, MOST_FAR) - 1 : 0;
}

guint
ph_sizes_n_far (const PhPair *pair, const PhPool *pool, guint *n_beyond)
{
  g_autoptr (GArray) met = NULL;
  guint n_open;

  *n_beyond = 0;
  if (pool->far->len + pool->lengths->len == 0 || !ph_sizes_are_open (pair))
    return 0;
  count_at (pair, G_MAXUINT, 1, &n_open);
  *n_beyond = pool->far->len > 0 ? n_ways (n_open) : 0;
  met = find_met (pool);
  return *n_beyond + n_ways (n_open) * pool->lengths->len + n_neighbours (n_open) * met->len;
}

gboolean
ph_sizes_choose (PhSizes *sizes, const PhPair *pair, const PhPool *pool, guint common, guint far)
{
  guint n_open, n_beyond, n_single, way;

  *sizes = (PhSizes) { .symbols = g_hash_table_new (NULL, NULL),
                       .size = common_sizes[MIN (common, PH_SIZES_N_COMMON - 1)],
                       .next = pool->size,
                       .dims = pool->dims,
                       .mixed = common < PH_SIZES_FIRST_MIXED ? 0 : common - PH_SIZES_FIRST_MIXED + 1 };
  if (far == 0)
    return TRUE;
  ph_sizes_n_far (pair, pool, &n_beyond);
  count_at (pair, G_MAXUINT, 1, &n_open);
  n_single = n_beyond + n_ways (n_open) * pool->lengths->len;
  if (far > n_single)
    {
      g_autoptr (GArray) met = find_met (pool);
      const Met *at = &g_array_index (met, Met, (far - n_single - 1) / n_neighbours (n_open));

      sizes->met_at[0] = (far - n_single - 1) % n_neighbours (n_open) + 1;
      sizes->met_at[1] = sizes->met_at[0] + 1;
      sizes->met[0] = at->a;
      sizes->met[1] = at->b;
      return (double) at->a * (double) at->b <= MOST_ELEMENTS;
    }
  way = (far > n_beyond ? far - n_beyond - 1 : far - 1) % MAX (n_ways (n_open), 1);
  sizes->far = way < MIN (n_open, MOST_FAR) ? way + 1 : G_MAXUINT;
  if (far > n_beyond)
    {
      sizes->far_size = g_array_index (pool->lengths, gint64, (far - n_beyond - 1) / n_ways (n_open));
      return count_at (pair, sizes->far, sizes->far_size, &n_open) <= MOST_ELEMENTS;
    }
  for (guint i = 0; i < pool->far->len; i++)
    {
      const gint64 size = g_array_index (pool->far, gint64, i) + 3;

      if (size > sizes->far_size && count_at (pair, sizes->far, size, &n_open) <= MOST_ELEMENTS)
        sizes->far_size = size;
    }
  return sizes->far_size > 0;
}
