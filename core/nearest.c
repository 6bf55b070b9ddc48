/* nearest.c: suggestions for mistyped words.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/nearest.h"

#include <string.h>

/* Edits that turn @a into @b, swapped neighbours counting one. */
static guint
distance (const char *a, const char *b)
{
  gsize n = strlen (a), m = strlen (b);
  g_autofree guint *d = g_new (guint, (n + 1) * (m + 1));

#define D(i_, j_) d[(i_) * (m + 1) + (j_)]
  for (gsize i = 0; i <= n; i++)
    for (gsize j = 0; j <= m; j++)
      {
        guint cost, best;

        if (i == 0 || j == 0)
          {
            D (i, j) = (guint) (i + j);
            continue;
          }
        cost = g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]);
        best = D (i - 1, j - 1) + cost;
        best = MIN (best, D (i - 1, j) + 1);
        best = MIN (best, D (i, j - 1) + 1);
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          best = MIN (best, D (i - 2, j - 2) + 1);
        D (i, j) = best;
      }
  return D (n, m);
#undef D
}

/* Returns TRUE if the words are similar enough. x and y, or n and nx, are not, but x3 may stand for x1. */
static gboolean
is_alike (const char *typed, const char *name, guint d)
{
  const gsize n = strlen (typed), m = strlen (name);

  return 2 * d < MAX (n, m) || (n == 2 && m == 2 && *typed == *name);
}

/* Returns TRUE if @typed is @name with at most half of its letters omitted, as in fold-cnst. */
static gboolean
is_abridged (const char *typed, const char *name)
{
  const gsize length = strlen (typed);

  if (length < 4 || 2 * length < strlen (name) || *typed != *name)
    return FALSE;
  for (; *typed != '\0' && *name != '\0'; name++)
    typed += *typed == *name;
  return *typed == '\0';
}

const char *
ph_nearest (const char *typed, const char *const *names, guint n)
{
  const char *best = NULL;
  guint best_distance = MAX (1, (guint) (MIN (strlen (typed), 64) + 1) / 3);

  if (strlen (typed) > 64)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      guint d = strlen (names[i]) > 96 ? G_MAXUINT : distance (typed, names[i]);

      if (d <= best_distance && (best == NULL || d < best_distance) && (d == 0 || is_alike (typed, names[i], d)))
        {
          best = names[i];
          best_distance = d;
        }
    }
  for (guint i = 0; i < n && best == NULL && strlen (typed) >= 3; i++)
    if (g_str_has_prefix (names[i], typed))
      best = names[i];
  for (guint i = 0; i < n && best == NULL; i++)
    if (is_abridged (typed, names[i]))
      best = names[i];
  return best;
}
