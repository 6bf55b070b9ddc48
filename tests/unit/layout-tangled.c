/* layout-tangled.c: what the layout does where no order is a good one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/layout-sample.h"

#include <math.h>

/* Thousands of boxes joined at random have a picture in bounded work: the search for a better order ends, and says so. */
static void
test_tangled (void)
{
  g_autoptr (PhLayout) layout = layout_random (4000, 8000, 1, FALSE), chain = layout_random (4000, 3999, 1, FALSE);

  g_assert_true (ph_layout_layered (layout, NULL, NULL));
  g_assert_true (layout->coarse);
  layout_assert_apart (layout);
  for (guint e = 0; e < chain->n_edges; e++)
    {
      chain->edges[e].from = e;
      chain->edges[e].to = e + 1;
    }
  g_assert_true (ph_layout_layered (chain, NULL, NULL));
  g_assert_false (chain->coarse);
}

/* Returns the layout of @n straight lines from one row of boxes to another in random order. @crossings: how many pairs of them cross. */
static PhLayout *
random_lines (guint n, guint64 *crossings)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n);
  g_autofree guint *to = g_new0 (guint, n), *tree = g_new0 (guint, n + 1);
  PhLayout *layout = ph_layout_new (2 * n, n);

  *crossings = 0;
  for (guint i = 0; i < n; i++)
    {
      const guint k = g_rand_int_range (rand, 0, i + 1);

      to[i] = to[k];
      to[k] = i;
    }
  for (guint i = 0; i < n; i++)
    {
      const PhPoint start = { 10 * i + g_rand_double (rand), 0 }, end = { 10 * to[i] + g_rand_double (rand), 400 };
      guint before = 0;

      layout->edges[i].from = i;
      layout->edges[i].to = n + to[i];
      layout->edges[i].first_point = layout->points->len;
      layout->edges[i].n_points = 4;
      for (int k = 0; k < 4; k++)
        {
          const PhPoint at = { start.x + (end.x - start.x) * k / 3, start.y + (end.y - start.y) * k / 3 };

          g_array_append_val (layout->points, at);
        }
      /* Those of the lines before this one that end left of it do not cross it. */
      for (guint at = to[i]; at > 0; at -= at & -at)
        before += tree[at];
      *crossings += i - before;
      for (guint at = to[i] + 1; at <= n; at += at & -at)
        tree[at]++;
    }
  layout->width = 10 * n;
  layout->height = 400;
  return layout;
}

/* Crossings are counted in bounded work: where lines are too many, from a sample of them, which is near the truth. */
static void
test_crossings (void)
{
  static const guint sizes[] = { 1000, 10000, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint64 crossings;
      g_autoptr (PhLayout) layout = random_lines (sizes[i], &crossings);
      const PhCrossings counted = ph_layout_crossings (layout), again = ph_layout_crossings (layout);

      g_test_message ("%u lines: %" G_GUINT64_FORMAT " crossings, counted %" G_GUINT64_FORMAT ", one line in %" G_GUINT64_FORMAT
                      ", work %" G_GUINT64_FORMAT,
                      sizes[i], crossings, counted.n, counted.step, counted.work);
      g_assert_cmpuint (counted.step == 1, ==, sizes[i] <= 1000);
      g_assert_cmpuint (counted.work, <=, PH_CROSSINGS_LOOK / 4 * 5);
      g_assert_cmpfloat (fabs ((double) counted.n - (double) crossings), <=, counted.step == 1 ? 0 : 0.03 * (double) crossings);
      g_assert_cmpuint (again.n, ==, counted.n);
    }
}

/* A curve whose handles lie thousands of points away, as Graphviz may give it, is drawn near its ends; others are as they were. */
static void
test_wild (void)
{
  static const PhPoint curves[] = { { 120, 713 }, { -605, -3881 }, { 301, -1812 }, { 301, 376 },
                                    { 10, 10 },   { 10, 200 },     { 90, -100 },   { 90, 110 } };
  g_autoptr (PhLayout) layout = ph_layout_new (2, 2);

  layout->width = layout->height = 800;
  for (guint e = 0; e < 2; e++)
    {
      layout->boxes[e] = (PhLayoutBox) { .width = 10, .height = 10, .x = 700, .y = 700 + 50 * e };
      layout->edges[e].to = 1;
      layout->edges[e].first_point = 4 * e;
      layout->edges[e].n_points = 4;
    }
  g_array_append_vals (layout->points, curves, G_N_ELEMENTS (curves));
  ph_layout_lead_around (layout, NULL);
  for (guint p = 0; p < G_N_ELEMENTS (curves); p++)
    {
      const PhPoint *point = &g_array_index (layout->points, PhPoint, p);

      g_assert_true (p == 1 || p == 2 || (point->x == curves[p].x && point->y == curves[p].y));
      g_assert_cmpfloat (point->y, >, -400);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout-tangled/random", test_tangled);
  g_test_add_func ("/layout-tangled/crossings", test_crossings);
  g_test_add_func ("/layout-tangled/wild", test_wild);
  return g_test_run ();
}
