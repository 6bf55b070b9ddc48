/* rare.c: what few inputs show is drawn on purpose.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/rare.h"

#include "core/splitmix.h"

/* A prime, so that of any two elements that are not as far apart all pairs come. */
static guint
n_levels (const PhPool *pool)
{
  const guint n = pool->plain->len;

  return n <= 2 ? 2 : n == 3 ? 3 : n <= 5 ? 5 : 7;
}

guint
ph_rare_n_joint (const PhPool *pool)
{
  return pool->plain->len > 1 ? n_levels (pool) * n_levels (pool) : 0;
}

gboolean
ph_rare_is_joint (const PhPool *pool, PhSampleKind kind, guint turn)
{
  return kind == PH_SAMPLE_DENSE && turn >= PH_SAMPLER_FIRST_JOINT && pool->plain->len > 0;
}

double
ph_rare_joint (const PhPool *pool, guint input, gsize i, guint turn)
{
  const gsize n = n_levels (pool), run = turn - PH_SAMPLER_FIRST_JOINT;

  return g_array_index (pool->plain, double, (run % n + run / n * (i + i / n + input)) % n % pool->plain->len);
}

int
ph_rare_sign (PhSampleKind kind, guint turn)
{
  return kind != PH_SAMPLE_WIDE || turn < 2 || turn / 2 % 3 == 0 ? 0 : turn / 2 % 3 == 1 ? 1 : -1;
}

/* A count beyond a large constant, where that is no trouble to compute, or that itself. */
#define MOST_COUNTED 20000

static gint64
far_count (const PhPool *pool, guint turn)
{
  gint64 most = 0;

  for (guint i = 0; i < pool->far->len; i++)
    {
      const gint64 value = g_array_index (pool->far, gint64, (i + turn / 4) % pool->far->len);

      if (value < MOST_COUNTED && (turn % 4 != 1 || value > most))
        most = value;
    }
  return most > 0 ? most + (turn % 4 == 1 ? 2 : 0) : pool->size;
}

gint64
ph_rare_count (const PhPool *pool, PhSampleKind kind, guint turn, gsize i, gsize n, PhTensor *known, guint64 *state)
{
  if ((i != turn / 2 % n || kind == PH_SAMPLE_NORMAL) && known != NULL && ph_tensor_count (known) == n)
    return ph_tensor_get_int (known, i);
  if (kind == PH_SAMPLE_NORMAL)
    return (gint64) (ph_splitmix (state) % 2);
  if (i != turn / 2 % n)
    return turn % 2 == 1 ? 1 : (gint64) (ph_splitmix (state) % 4) - 1;
  if (kind == PH_SAMPLE_REACH && turn % 2 == 1 && pool->far->len > 0)
    return far_count (pool, turn);
  return (gint64) (ph_splitmix (state) % (guint64) (pool->size + 3)) - 1; /* perhaps beyond a bound */
}

gint64
ph_rare_truth (PhSampleKind kind, guint turn, guint64 *state)
{
  return kind == PH_SAMPLE_REACH && turn == 1 ? 1 : kind == PH_SAMPLE_REACH && turn == 2 ? 0 : (gint64) (ph_splitmix (state) & 1);
}
