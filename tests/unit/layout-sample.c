/* layout-sample.c: boxes and edges to lay out, and what every layout has to keep.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/layout-sample.h"

#include <math.h>

PhLayout *
layout_sample (void)
{
  PhLayout *layout = ph_layout_new (4, 4);
  static const guint ends[4][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 } };

  for (guint i = 0; i < 4; i++)
    {
      layout->boxes[i].width = 80;
      layout->boxes[i].height = 40;
      layout->edges[i].from = ends[i][0];
      layout->edges[i].to = ends[i][1];
    }
  return layout;
}

PhLayout *
layout_random (guint n_boxes, guint n_edges, guint seed, gboolean cycles)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  PhLayout *layout = ph_layout_new (n_boxes, n_edges);

  for (guint i = 0; i < n_boxes; i++)
    {
      layout->boxes[i].width = g_rand_int_range (rand, 30, 200);
      layout->boxes[i].height = g_rand_int_range (rand, 20, 90);
    }
  for (guint i = 0; i < n_edges; i++)
    {
      guint a = g_rand_int_range (rand, 0, n_boxes), b = g_rand_int_range (rand, 0, n_boxes);

      layout->edges[i].from = cycles ? a : MIN (a, b);
      layout->edges[i].to = cycles ? b : MAX (a, b);
    }
  return layout;
}

void
layout_assert_apart (PhLayout *layout)
{
  for (guint a = 0; a < layout->n_boxes; a++)
    for (guint b = a + 1; b < layout->n_boxes; b++)
      {
        const PhLayoutBox *x = &layout->boxes[a], *y = &layout->boxes[b];

        g_assert_true (fabsf (x->x - y->x) >= (x->width + y->width) / 2 - 1
                       || fabsf (x->y - y->y) >= (x->height + y->height) / 2 - 1);
      }
}

void
layout_assert_inside (PhLayout *layout)
{
  for (guint i = 0; i < layout->n_boxes; i++)
    {
      g_assert_cmpfloat (layout->boxes[i].x - layout->boxes[i].width / 2, >=, -1);
      g_assert_cmpfloat (layout->boxes[i].x + layout->boxes[i].width / 2, <=, layout->width + 1);
      g_assert_cmpfloat (layout->boxes[i].y - layout->boxes[i].height / 2, >=, -1);
      g_assert_cmpfloat (layout->boxes[i].y + layout->boxes[i].height / 2, <=, layout->height + 1);
    }
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];

      if (edge->from == edge->to)
        continue;
      g_assert_cmpuint (edge->n_points, >=, 4);
      g_assert_cmpuint (edge->n_points % 3, ==, 1);
    }
}
