/* line-diff.c: the matching of lines: common, increasing, and no worse than a plain longest common subsequence.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/line-diff.h"

static guint
longest_common (const guint *a, guint n, const guint *b, guint m)
{
  g_autofree guint *row = g_new0 (guint, m + 1);

  for (guint i = 0; i < n; i++)
    for (guint j = 0, diagonal = 0; j < m; j++)
      {
        guint above = row[j + 1];
        row[j + 1] = a[i] == b[j] ? diagonal + 1 : MAX (row[j + 1], row[j]);
        diagonal = above;
      }
  return row[m];
}

static guint
check (const guint *a, guint n, const guint *b, guint m)
{
  g_autofree int *match = ph_line_diff (a, n, b, m);
  int last = -1;
  guint matched = 0;

  for (guint i = 0; i < n; i++)
    if (match[i] >= 0)
      {
        g_assert_cmpint (match[i], >, last);
        g_assert_cmpint (match[i], <, (int) m);
        g_assert_cmpuint (a[i], ==, b[match[i]]);
        last = match[i];
        matched++;
      }
  return matched;
}

static void
test_random (void)
{
  for (guint round = 0; round < 400; round++)
    {
      guint n = (guint) g_test_rand_int_range (0, 60), m = (guint) g_test_rand_int_range (0, 60);
      guint letters = (guint) g_test_rand_int_range (1, 20);
      guint a[60], b[60];
      for (guint i = 0; i < n; i++)
        a[i] = (guint) g_test_rand_int_range (0, (int) letters);
      for (guint i = 0; i < m; i++)
        b[i] = (guint) g_test_rand_int_range (0, (int) letters);
      g_assert_cmpuint (check (a, n, b, m), ==, longest_common (a, n, b, m));
    }
}

static void
test_large (void)
{
  /* Everything between a few unique lines differs: quadratic, were it not cut at them. */
  guint n = 60000;
  g_autofree guint *a = g_new (guint, n), *b = g_new (guint, n);
  for (guint i = 0; i < n; i++)
    {
      a[i] = i % 100 == 0 ? i : 1000000 + i;
      b[i] = i % 100 == 0 ? i : 2000000 + i;
    }
  g_assert_cmpuint (check (a, n, b, n), ==, n / 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/line-diff/random", test_random);
  g_test_add_func ("/line-diff/large", test_large);
  return g_test_run ();
}
