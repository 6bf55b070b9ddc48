/* rare.c: draws inputs for rare cases on purpose.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples/rare.h"

#include <math.h>

#include "core/prove/samples/turns.h"
#include "core/splitmix.h"

/* Returns a prime number of levels: any two elements less than that apart then get all pairs of levels. */
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
  return kind == PH_SAMPLE_DENSE && turn >= PH_SAMPLER_FIRST_JOINT && turn < PH_SAMPLER_FIRST_NEAR && pool->plain->len > 0;
}

gboolean
ph_rare_is_near (PhSampleKind kind, guint turn)
{
  return kind == PH_SAMPLE_DENSE && turn >= PH_SAMPLER_FIRST_NEAR;
}

double
ph_rare_near (guint turn, guint64 *state)
{
  static const double apart[] = { 0, 1e-6, -1e-6, 2e-4, -2e-4, 1e-3, -1e-3, 5e-3, -5e-3 };
  guint64 of_turn = turn * 2654435761u + ph_splitmix (state) % 3;
  const double number = ph_splitmix_normal (&of_turn);

  return number * (1 + apart[ph_splitmix (state) % G_N_ELEMENTS (apart)]);
}

double
ph_rare_joint (const PhPool *pool, guint input, gsize i, guint turn)
{
  const gsize n = n_levels (pool), run = turn - PH_SAMPLER_FIRST_JOINT;

  return g_array_index (pool->plain, double, (run % n + run / n * (i + i / n + input)) % n % pool->plain->len);
}

gboolean
ph_rare_is_ordered (PhSampleKind kind, guint turn)
{
  return kind == PH_SAMPLE_DENSE && turn >= PH_SAMPLER_FIRST_ORDERED && turn < PH_SAMPLER_FIRST_JOINT;
}

/* Returns a number as small as the least one added to a divisor, for whole rows of such numbers. */
static double
tiny (const PhPool *pool)
{
  double least = 1e-2;

  for (guint i = 0; i < pool->plain->len; i++)
    {
      const double value = fabs (g_array_index (pool->plain, double, i));

      least = value > 0 ? MIN (least, value) : least;
    }
  return least < 1e-2 ? 0.3 * least : 1e-10;
}

double
ph_rare_ordered (const PhPool *pool, guint rank, const gint64 *dims, guint input, gsize i, guint turn, double drawn,
                 double *before)
{
  const guint run = turn - PH_SAMPLER_FIRST_ORDERED;
  gsize n = 1;

  /* A row is along the last axis, and every other time along all axes from the third on. */
  for (guint k = rank; k-- > (run % 2 == 1 && rank > 3 ? 2 : rank > 0 ? rank - 1 : 0);)
    n *= (gsize) MAX (dims[k], 1);
  switch ((run + i / n + input) % 4)
    {
    case 0: return *before = i % n == 0 ? drawn : *before;
    case 1: return *before = i % n == 0 ? drawn - 1 : *before + fabs (drawn) / (double) n;
    case 2: return *before = i % n == 0 ? drawn + 1 : *before - fabs (drawn) / (double) n;
    default: return *before = run / 4 % 2 == 0 ? 0 : drawn * tiny (pool);
    }
}

int
ph_rare_sign (PhSampleKind kind, guint turn)
{
  if (kind == PH_SAMPLE_EXTREME)
    return turn == PH_SAMPLER_FIRST_LARGE ? -1 : turn == PH_SAMPLER_FIRST_LARGE + 1 ? 1 : 0;
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
  /* At other sizes than those that flow, ones fit where the known counts do not. */
  if ((kind == PH_SAMPLE_NORMAL || (i != turn / 2 % n && turn % 4 != 3)) && known != NULL && ph_tensor_count (known) == n)
    return ph_tensor_get_int (known, i);
  if (kind == PH_SAMPLE_NORMAL)
    return (gint64) (ph_splitmix (state) % 2);
  if (turn % 8 == 6) /* sizes that have to fit those of other inputs */
    return pool->dims->len > 0 && ph_splitmix (state) % 4 > 0
               ? g_array_index (pool->dims, gint64, ph_splitmix (state) % pool->dims->len)
               : (gint64) (ph_splitmix (state) % 6) - 1;
  if (i != turn / 2 % n)
    return turn % 2 == 1 ? 1 : (gint64) (ph_splitmix (state) % 4) - 1;
  if (turn % 4 == 2) /* from the end */
    return -1 - (gint64) (ph_splitmix (state) % 4);
  if (kind == PH_SAMPLE_REACH && turn % 2 == 1 && pool->far->len > 0)
    return far_count (pool, turn);
  return (gint64) (ph_splitmix (state) % (guint64) (pool->size + 3)) - 1; /* perhaps beyond a bound */
}

gint64
ph_rare_place (guint64 *state)
{
  static const gint64 places[] = { 300, 70000, G_MAXINT32, (gint64) G_MAXINT32 + 3, (gint64) 1 << 40, G_MAXINT64 };
  const gint64 place = places[ph_splitmix (state) % G_N_ELEMENTS (places)];

  return ph_splitmix (state) & 1 ? place : -place;
}

gint64
ph_rare_truth (PhSampleKind kind, guint turn, guint64 *state)
{
  return kind == PH_SAMPLE_REACH && turn == 1 ? 1 : kind == PH_SAMPLE_REACH && turn == 2 ? 0 : (gint64) (ph_splitmix (state) & 1);
}

static char *
near_string (const char *own, guint64 *state)
{
  switch (ph_splitmix (state) % 10)
    {
    case 0: return g_utf8_strup (own, -1);
    case 1: return g_utf8_strdown (own, -1);
    case 2: return g_strconcat (own, " ", NULL);
    case 3: return g_strconcat (own, own, NULL);
    case 4: return g_utf8_substring (own, 0, MAX (g_utf8_strlen (own, -1) - 1, 0));
    case 5: return g_strconcat ("a", own, "b", own, NULL);
    default: return g_strdup (own);
    }
}

char *
ph_rare_string (const PhPool *pool, PhSampleKind kind, guint64 *state)
{
  static const char *const texts[] = { "a", "b", "", "abc", "B", "-1.5", "2", "NaN", "1e3" };

  if (pool->strings->len > 0 && kind != PH_SAMPLE_NORMAL && (ph_splitmix (state) & 1))
    {
      const char *own = pool->strings->pdata[ph_splitmix (state) % pool->strings->len];

      return g_utf8_validate (own, -1, NULL) ? near_string (own, state) : g_strdup (own);
    }
  return g_strdup (kind == PH_SAMPLE_NORMAL ? texts[5 + ph_splitmix (state) % 2]
                                            : texts[ph_splitmix (state) % G_N_ELEMENTS (texts)]);
}
