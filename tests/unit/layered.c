/* layered.c: tests of the layered layout: ranks, order, places.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/layout-sample.h"

static void
test_layered (void)
{
  for (guint seed = 0; seed < 40; seed++)
    {
      g_autoptr (PhLayout) layout = layout_random (1 + seed * 3, seed * 5, seed, seed % 2 == 1);
      g_autoptr (GError) error = NULL;

      for (guint i = 0; i < layout->n_boxes; i++)
        {
          layout->boxes[i].anchor = i % 3 == 0 ? layout->boxes[i].width / 5 : 0;
          layout->boxes[i].inset = i % 4 == 0 ? 3 : 0;
        }
      for (guint i = 0; i < layout->n_edges; i++)
        layout->edges[i].min_length = i % 7 == 0 ? 0 : 1;
      g_assert_true (ph_layout_layered (layout, NULL, &error));
      g_assert_no_error (error);
      layout_assert_inside (layout);
      layout_assert_apart (layout);
    }
}

/* A chain with a value that feeds every link: what takes dot minutes. */
static void
test_layered_large (void)
{
  const guint n = 20000;
  g_autoptr (PhLayout) layout = ph_layout_new (n, n - 1 + n / 50);
  const gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++)
    {
      layout->boxes[i].width = 80;
      layout->boxes[i].height = 40;
      if (i > 0)
        {
          layout->edges[i - 1].from = i - 1;
          layout->edges[i - 1].to = i;
        }
    }
  for (guint i = 0; i < n / 50; i++)
    {
      layout->edges[n - 1 + i].from = 0;
      layout->edges[n - 1 + i].to = i * 50 + 49;
    }
  g_assert_true (ph_layout_layered (layout, NULL, NULL));
  layout_assert_inside (layout);
  g_test_message ("%u boxes in %.0f ms", n, (g_get_monotonic_time () - start) / 1000.0);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

static int
length_of (const PhArc *arcs, int n_arcs, const int *rank)
{
  int length = 0;

  for (int i = 0; i < n_arcs; i++)
    {
      if (rank[arcs[i].to] - rank[arcs[i].from] < arcs[i].length)
        return G_MAXINT;
      length += arcs[i].weight * (rank[arcs[i].to] - rank[arcs[i].from]);
    }
  return length;
}

/* Of all ways to give six vertices six layers, none makes the edges shorter in all. */
static void
test_simplex (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (int round = 0; round < 30; round++)
    {
      PhArc arcs[9];
      PhRows in, out;
      int rank[6], n_arcs = 0, least = G_MAXINT;

      for (int i = 0; i < 9; i++)
        {
          const int a = g_rand_int_range (rand, 0, 6), b = g_rand_int_range (rand, 0, 6);

          if (a != b)
            arcs[n_arcs++] = (PhArc) { MIN (a, b), MAX (a, b), g_rand_int_range (rand, 0, 3) > 0, g_rand_int_range (rand, 1, 9) };
        }
      for (int v = 0; v < 6; v++) /* long enough for every arc, and far from the best */
        rank[v] = 2 * v;
      ph_rows_init (&out, 6, n_arcs, &arcs->from, sizeof (PhArc));
      ph_rows_init (&in, 6, n_arcs, &arcs->to, sizeof (PhArc));
      ph_layered_simplex (6, arcs, n_arcs, &in, &out, rank);
      ph_rows_clear (&in);
      ph_rows_clear (&out);
      for (int code = 0; code < 6 * 6 * 6 * 6 * 6 * 6; code++)
        {
          int other[6];

          for (int v = 0, rest = code; v < 6; v++, rest /= 6)
            other[v] = rest % 6;
          least = MIN (least, length_of (arcs, n_arcs, other));
        }
      g_assert_cmpint (length_of (arcs, n_arcs, rank), ==, least);
    }
}

/* Chains beside each other need not cross, however they are numbered. */
static void
test_no_needless_crossing (void)
{
  const guint n = 40;
  g_autoptr (PhLayout) layout = ph_layout_new (4 * n, 4 * (n - 1));
  guint e = 0;

  for (guint i = 0; i < 4 * n; i++)
    {
      layout->boxes[i].width = 60;
      layout->boxes[i].height = 30;
    }
  /* Four chains, each numbered in another way, so that no order of numbers is the good one. */
  for (guint chain = 0; chain < 4; chain++)
    for (guint i = 0; i + 1 < n; i++, e++)
      {
        layout->edges[e].from = 4 * i + (chain + i) % 4;
        layout->edges[e].to = 4 * (i + 1) + (chain + i + 1) % 4;
      }
  g_assert_true (ph_layout_layered (layout, NULL, NULL));
  g_assert_cmpuint (ph_layout_crossings (layout), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layered/simplex", test_simplex);
  g_test_add_func ("/layered/no-needless-crossing", test_no_needless_crossing);
  g_test_add_func ("/layered/all", test_layered);
  g_test_add_func ("/layered/large", test_layered_large);
  return g_test_run ();
}
