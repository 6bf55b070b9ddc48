/* sizes.c: what is chosen for open dimensions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/sizes.h"

#include "core/splitmix.h"

/* Elements of the largest input at most, where a dimension goes beyond the large constants; and so many dimensions do. */
#define MOST_ELEMENTS 200000
#define MOST_FAR      4

static const gint64 mixed_sizes[] = { 1, 2, 3, 7 };

/* The first gives each symbol a size of its own. */
static const gint64 common_sizes[PH_SIZES_N_COMMON] = { 0, 2, 1, 3, 4, 8, 32, 64, 16, 224 };

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

      return mixed_sizes[ph_splitmix (&state) % G_N_ELEMENTS (mixed_sizes)];
    }
  if (sizes->far > 0)
    return sizes->far == G_MAXUINT || sizes->n_open == sizes->far ? sizes->far_size : (gint64) sizes->n_open + 1;
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
    return (gint64) GPOINTER_TO_SIZE (known);
  size = next_size (sizes, axis, rank);
  if (dim.symbol != NULL)
    g_hash_table_insert (sizes->symbols, (gpointer) dim.symbol, GSIZE_TO_POINTER ((gsize) size));
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

/* One after the other, and all at once: dimensions without a symbol may have to be equal. */
static guint
n_ways (guint n_open)
{
  return n_open > 1 ? MIN (n_open, MOST_FAR) + 1 : n_open;
}

guint
ph_sizes_n_far (const PhPair *pair, const PhPool *pool, guint *n_beyond)
{
  guint n_open;

  *n_beyond = 0;
  if (pool->far->len + pool->lengths->len == 0 || !ph_sizes_are_open (pair))
    return 0;
  count_at (pair, G_MAXUINT, 1, &n_open);
  *n_beyond = pool->far->len > 0 ? n_ways (n_open) : 0;
  return *n_beyond + n_ways (n_open) * pool->lengths->len;
}

gboolean
ph_sizes_choose (PhSizes *sizes, const PhPair *pair, const PhPool *pool, guint common, guint far)
{
  guint n_open, n_beyond, way;

  *sizes = (PhSizes) { .symbols = g_hash_table_new (NULL, NULL),
                       .size = common_sizes[MIN (common, PH_SIZES_N_COMMON - 1)],
                       .next = pool->size,
                       .mixed = common < PH_SIZES_FIRST_MIXED ? 0 : common - PH_SIZES_FIRST_MIXED + 1 };
  if (far == 0)
    return TRUE;
  ph_sizes_n_far (pair, pool, &n_beyond);
  count_at (pair, G_MAXUINT, 1, &n_open);
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
