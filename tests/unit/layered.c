/* layered.c: tests of the layered layout: ranks, order, places.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

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
  g_assert_cmpuint (ph_layout_crossings (layout).n, ==, 0);
}

/* Lines between boxes at random, some of which have many: one function looks only near a line, the other at all pairs. */
static gboolean
lines_cross (const PhPoint *a, const PhPoint *b)
{
#define SIDE(p, q, r) (((q).x - (p).x) * ((r).y - (p).y) - ((q).y - (p).y) * ((r).x - (p).x))
  return SIDE (a[0], a[1], b[0]) * SIDE (a[0], a[1], b[1]) < 0 && SIDE (b[0], b[1], a[0]) * SIDE (b[0], b[1], a[1]) < 0;
}

/* Half a point at a time; only the part of the line that the box is as wide as can be in it. */
static gboolean
line_enters (const PhPoint *line, const PhLayoutBox *box)
{
  const float run = line[1].x - line[0].x, rise = line[1].y - line[0].y;
  const int n = MAX (2 * (int) (fabsf (run) + fabsf (rise)), 1);
  const float left = (box->x - box->width / 2 - line[0].x) / run, right = (box->x + box->width / 2 - line[0].x) / run;
  const gboolean upright = fabsf (run) < 1;
  const int first = upright ? 0 : (int) (CLAMP (MIN (left, right), 0, 1) * (float) n),
            last = upright ? n : (int) ceilf (CLAMP (MAX (left, right), 0, 1) * (float) n);

  for (int i = first; i <= last; i++)
    {
      const float t = (float) i / (float) n, x = line[0].x + t * run, y = line[0].y + t * rise;

      if (fabsf (x - box->x) < box->width / 2 - 3 && fabsf (y - box->y) < box->height / 2 - 3)
        return TRUE;
    }
  return FALSE;
}

static void
test_faults (void)
{
  for (guint32 seed = 1; seed <= 12; seed++)
    {
      enum
      {
        BOXES = 60,
        EDGES = 90
      };
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (PhLayout) layout = ph_layout_new (BOXES, EDGES);
      const float wide = seed % 3 == 0 ? 900000 : 3000; /* wider than there are squares */
      PhPoint lines[EDGES][2];
      guint crossings = 0, over = 0, n_over;

      layout->width = wide;
      layout->height = 900;
      for (guint b = 0; b < BOXES; b++)
        {
          PhLayoutBox *box = &layout->boxes[b];

          box->width = (float) g_rand_int_range (random, 20, 120);
          box->height = (float) g_rand_int_range (random, 10, 60);
          box->x = (float) g_rand_double_range (random, 60, wide - 60);
          box->y = (float) g_rand_double_range (random, 30, 870);
        }
      for (guint e = 0; e < EDGES; e++)
        {
          PhLayoutEdge *edge = &layout->edges[e];
          const gboolean fan = e % 3 == 0;

          edge->from = seed % 2 == 0 && fan ? 0 : (guint) g_rand_int_range (random, 0, BOXES);
          edge->to = seed % 2 != 0 && fan ? 0 : (guint) g_rand_int_range (random, 0, BOXES);
          lines[e][0] = (PhPoint) { layout->boxes[edge->from].x, layout->boxes[edge->from].y };
          lines[e][1] = (PhPoint) { layout->boxes[edge->to].x, layout->boxes[edge->to].y };
          edge->first_point = layout->points->len;
          edge->n_points = 4;
          for (guint i = 0; i < 4; i++)
            {
              const float t = (float) i / 3;
              const PhPoint point = { lines[e][0].x + t * (lines[e][1].x - lines[e][0].x),
                                      lines[e][0].y + t * (lines[e][1].y - lines[e][0].y) };

              g_array_append_val (layout->points, point);
            }
        }
      for (guint e = 0; e < EDGES; e++)
        {
          const PhLayoutEdge *a = &layout->edges[e];

          for (guint k = e + 1; k < EDGES; k++)
            {
              const PhLayoutEdge *b = &layout->edges[k];

              crossings += a->from != b->from && a->to != b->to && a->from != b->to && a->to != b->from
                           && lines_cross (lines[e], lines[k]);
            }
          for (guint b = 0; b < BOXES; b++)
            over += b != a->from && b != a->to && line_enters (lines[e], &layout->boxes[b]);
        }
      g_assert_cmpuint (ph_layout_crossings (layout).n, ==, crossings);
      /* A line that only touches a corner may fall between two of the steps. */
      n_over = ph_layout_overruns (layout, NULL);
      g_assert_cmpuint (n_over, >=, over);
      g_assert_cmpuint (n_over, <=, over + 3);
    }
}

/* A new box between two others of a picture that is seen: beside the one that it replaces, not below what it feeds. */
static void
test_extended (void)
{
  static const guint lines[4][2] = { { 0, 1 }, { 1, 2 }, { 0, 3 }, { 3, 2 } };

  for (guint wide = 0; wide < 3; wide++)
    {
      g_autoptr (PhLayout) layout = ph_layout_new (4, 4);
      g_autoptr (GError) error = NULL;
      static const guint8 fixed[4] = { TRUE, TRUE, TRUE, FALSE };
      const PhLayoutBox *boxes = layout->boxes;

      for (guint i = 0; i < 4; i++)
        {
          layout->boxes[i] = (PhLayoutBox) { .width = i == 3 ? 60 + 60 * wide : 100, .height = 40, .x = 200, .y = 20 + 80 * i };
          layout->edges[i]
              = (PhLayoutEdge) { .from = lines[i][0], .to = lines[i][1], .weight = 1, .min_length = 1, .presence = PH_PRESENCE };
        }
      g_assert_true (ph_layout_extend (layout, fixed, NULL, &error));
      g_assert_no_error (error);
      layout_assert_apart (layout);
      g_assert_cmpfloat (boxes[3].y - boxes[3].height / 2, >, boxes[0].y + boxes[0].height / 2);
      g_assert_cmpfloat (boxes[3].y + boxes[3].height / 2, <, boxes[2].y - boxes[2].height / 2);
      for (guint i = 0; i < 3; i++)
        g_assert_true (boxes[i].x == 200 && boxes[i].y == 20 + 80 * (float) i);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layered/simplex", test_simplex);
  g_test_add_func ("/layered/no-needless-crossing", test_no_needless_crossing);
  g_test_add_func ("/layered/faults", test_faults);
  g_test_add_func ("/layered/extended", test_extended);
  g_test_add_func ("/layered/all", test_layered);
  g_test_add_func ("/layered/large", test_layered_large);
  return g_test_run ();
}
