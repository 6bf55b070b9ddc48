/* line-diff.c: finds the common lines of two texts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/line-diff.h"

/* With more differences, a range is divided at its unique lines, or counted as entirely different. */
#define MAX_DIFFERENCES 400

typedef struct
{
  const guint *a, *b;
  int *match;
} Diff;

static void diff_range (Diff *diff, guint a0, guint a1, guint b0, guint b1);

/* Forward Myers; keeps each round's frontier to trace the path back. Returns FALSE if the texts differ too much. */
static gboolean
myers (Diff *diff, guint a0, guint a1, guint b0, guint b1)
{
  int n = (int) (a1 - a0), m = (int) (b1 - b0), max = MIN (n + m, MAX_DIFFERENCES);
  const guint *a = diff->a + a0, *b = diff->b + b0;
  g_autoptr (GPtrArray) rounds = g_ptr_array_new_with_free_func (g_free);
  g_autofree int *frontier = g_new0 (int, 2 * max + 3);
  int *v = frontier + max + 1;
  int d = 0;

  for (; d <= max; d++)
    {
      gboolean done = FALSE;
      g_ptr_array_add (rounds, g_memdup2 (frontier, sizeof (int) * (gsize) (2 * max + 3)));
      for (int k = -d; k <= d && !done; k += 2)
        {
          int x = k == -d || (k != d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;
          int y = x - k;
          while (x < n && y < m && y >= 0 && a[x] == b[y])
            x++, y++;
          v[k] = x;
          done = x >= n && y >= m;
        }
      if (done)
        break;
    }
  if (d > max)
    return FALSE;

  int x = n, y = m;
  for (; d >= 0; d--)
    {
      const int *before = (const int *) rounds->pdata[d] + max + 1;
      int k = x - y;
      int from = d == 0 ? 0 : k == -d || (k != d && before[k - 1] < before[k + 1]) ? before[k + 1] : before[k - 1] + 1;
      /* The snake of this round ends at (x, y) and began at (from, from - k). */
      while (x > from && x > 0 && y > 0)
        diff->match[a0 + (guint) --x] = (int) (b0 + (guint) --y);
      if (d == 0)
        break;
      gboolean down = k == -d || (k != d && before[k - 1] < before[k + 1]);
      if (down)
        y--;
      else
        x--;
    }
  return TRUE;
}

/* Patience diff: matches the longest common subsequence of lines unique on both sides, then the ranges between them. */
static void
match_unique (Diff *diff, guint a0, guint a1, guint b0, guint b1)
{
  typedef struct
  {
    guint n_a, n_b, at_b;
  } Count;
  typedef struct
  {
    guint a, b;
    int before;
  } Pair;
  g_autoptr (GHashTable) counts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair)), ends = g_array_new (FALSE, FALSE, sizeof (int));
  guint n = 0;

  for (guint i = a0; i < a1; i++)
    {
      Count *count = g_hash_table_lookup (counts, GUINT_TO_POINTER (diff->a[i]));
      if (!count)
        g_hash_table_insert (counts, GUINT_TO_POINTER (diff->a[i]), count = g_new0 (Count, 1));
      count->n_a++;
    }
  for (guint i = b0; i < b1; i++)
    {
      Count *count = g_hash_table_lookup (counts, GUINT_TO_POINTER (diff->b[i]));
      if (count)
        {
          count->n_b++;
          count->at_b = i;
        }
    }
  /* ends[k]: the pair with the least b at which a run of k + 1 ends. */
  for (guint i = a0; i < a1; i++)
    {
      const Count *count = g_hash_table_lookup (counts, GUINT_TO_POINTER (diff->a[i]));
      guint low = 0, high = ends->len;
      int index = (int) pairs->len;

      if (count->n_a != 1 || count->n_b != 1)
        continue;
      while (low < high)
        {
          const guint middle = (low + high) / 2;
          if (g_array_index (pairs, Pair, g_array_index (ends, int, middle)).b < count->at_b)
            low = middle + 1;
          else
            high = middle;
        }
      g_array_append_val (pairs, ((Pair) { i, count->at_b, low > 0 ? g_array_index (ends, int, low - 1) : -1 }));
      if (low == ends->len)
        g_array_append_val (ends, index);
      else
        g_array_index (ends, int, low) = index;
    }
  if (ends->len == 0)
    return;

  g_autofree int *run = g_new (int, ends->len);
  for (int i = g_array_index (ends, int, ends->len - 1); i >= 0; i = g_array_index (pairs, Pair, i).before)
    run[n++] = i;
  for (guint next_a = a0, next_b = b0;; n--)
    {
      if (n == 0)
        {
          diff_range (diff, next_a, a1, next_b, b1);
          break;
        }
      const Pair *pair = &g_array_index (pairs, Pair, run[n - 1]);
      diff_range (diff, next_a, pair->a, next_b, pair->b);
      diff->match[pair->a] = (int) pair->b;
      next_a = pair->a + 1;
      next_b = pair->b + 1;
    }
}

static void
diff_range (Diff *diff, guint a0, guint a1, guint b0, guint b1)
{
  while (a0 < a1 && b0 < b1 && diff->a[a0] == diff->b[b0])
    diff->match[a0++] = (int) b0++;
  while (a0 < a1 && b0 < b1 && diff->a[a1 - 1] == diff->b[b1 - 1])
    diff->match[--a1] = (int) --b1;
  if (a0 < a1 && b0 < b1 && !myers (diff, a0, a1, b0, b1))
    match_unique (diff, a0, a1, b0, b1);
}

int *
ph_line_diff (const guint *a, guint n_a, const guint *b, guint n_b)
{
  int *match = g_new (int, n_a + 1);
  Diff diff = { a, b, match };

  for (guint i = 0; i < n_a; i++)
    match[i] = -1;
  diff_range (&diff, 0, n_a, 0, n_b);
  return match;
}
