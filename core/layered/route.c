/* route.c: the curves of edges between boxes that are placed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/route.h"
#include "core/layered/layered.h"

#include <math.h>

void
ph_route_add (PhLayout *layout, PhLayoutEdge *edge, float x, float y)
{
  const PhPoint point = { x, y };

  g_array_append_val (layout->points, point);
  edge->n_points++;
}

/* Draws an edge straight down, or as an S if x differs. */
void
ph_route_curve (PhLayout *layout, PhLayoutEdge *edge, float x, float y)
{
  const PhPoint from = g_array_index (layout->points, PhPoint, layout->points->len - 1);
  const float bend = fabsf (x - from.x) < 0.5f ? 1 / 3.0f : 0.5f;

  ph_route_add (layout, edge, from.x, from.y + bend * (y - from.y));
  ph_route_add (layout, edge, x, y - bend * (y - from.y));
  ph_route_add (layout, edge, x, y);
}

/* Edges turned around swap their ends. Offsets are from the anchors. */
void
ph_layered_ends (PhLayered *layered, int e, int *from, int *to, float *from_dx, float *to_dx)
{
  const PhLayoutEdge *edge = &layered->layout->edges[e];
  const gboolean reversed = layered->reversed[e];

  *from = reversed ? edge->to : edge->from;
  *to = reversed ? edge->from : edge->to;
  *from_dx = (reversed ? edge->to_dx : edge->from_dx) - layered->layout->boxes[*from].anchor;
  *to_dx = (reversed ? edge->from_dx : edge->to_dx) - layered->layout->boxes[*to].anchor;
}

void
ph_route_layers (PhLayered *layered, const float *top, const float *bottom)
{
  PhLayout *layout = layered->layout;

  g_array_set_size (layout->points, 0);
  for (guint e = 0; e < layout->n_edges; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];
      int from, to;
      float from_dx, to_dx;

      ph_layered_ends (layered, e, &from, &to, &from_dx, &to_dx);
      edge->first_point = layout->points->len;
      edge->n_points = 0;
      if (from == to)
        continue;

      const PhLayoutBox *a = &layout->boxes[from], *b = &layout->boxes[to];

      if (layered->rank[from] == layered->rank[to])
        {
          const float side = b->x > a->x ? 0.5f : -0.5f;
          const float x0 = a->x + side * a->width, x1 = b->x - side * b->width;

          ph_route_add (layout, edge, x0, a->y);
          ph_route_add (layout, edge, x0 + (x1 - x0) / 3, a->y);
          ph_route_add (layout, edge, x1 - (x1 - x0) / 3, b->y);
          ph_route_add (layout, edge, x1, b->y);
        }
      else
        {
          const float end_y = b->y - b->height / 2 + b->inset, end_x = layered->x[to] + to_dx;
          int bend = layered->edge_chain[e], r = layered->rank[from];
          float x = layered->x[from] + from_dx;
          float pending; /* how far down the straight run that is not drawn yet reaches */

          ph_route_add (layout, edge, x, a->y + a->height / 2 - a->inset);
          pending = bottom[r];
          if (bend >= 0)
            for (r++; r < layered->rank[to]; r++, bend++)
              {
                const float next = layered->x[bend];

                if (fabsf (next - x) >= 0.5f)
                  {
                    if (pending > g_array_index (layout->points, PhPoint, layout->points->len - 1).y + 0.5f)
                      ph_route_curve (layout, edge, x, pending);
                    ph_route_curve (layout, edge, next, top[r]);
                    x = next;
                  }
                pending = bottom[r];
              }
          if (fabsf (end_x - x) >= 0.5f)
            {
              if (pending > g_array_index (layout->points, PhPoint, layout->points->len - 1).y + 0.5f)
                ph_route_curve (layout, edge, x, pending);
              ph_route_curve (layout, edge, end_x, top[layered->rank[to]]);
            }
          if (end_y > g_array_index (layout->points, PhPoint, layout->points->len - 1).y + 0.1f || edge->n_points == 1)
            ph_route_curve (layout, edge, end_x, end_y);
        }
      if (layered->reversed[e])
        {
          PhPoint *points = &g_array_index (layout->points, PhPoint, edge->first_point);

          for (guint i = 0; i < edge->n_points / 2; i++)
            {
              const PhPoint point = points[i];

              points[i] = points[edge->n_points - 1 - i];
              points[edge->n_points - 1 - i] = point;
            }
        }
    }
}

/* Routes from the side of a left box up into a right one, whose edges run upwards; otherwise from side to side. */
void
ph_route_across (PhLayout *layout, PhLayoutEdge *edge)
{
  const PhLayoutBox *a = &layout->boxes[edge->from], *b = &layout->boxes[edge->to];
  const float side = b->x > a->x ? 0.5f : -0.5f;
  const float x0 = a->x + (side > 0 ? a->width / 2 : -a->width / 2 + 2 * a->anchor);

  edge->first_point = layout->points->len;
  edge->n_points = 0;
  ph_route_add (layout, edge, x0, a->y);
  if (side > 0)
    {
      const float x1 = MIN (b->x - b->width / 2 + 2 * b->anchor + 16, b->x + b->anchor), y1 = b->y + b->height / 2 - b->inset;
      const float down = 26 + MIN (0.06f * fabsf (x1 - x0), 30);

      ph_route_add (layout, edge, x0 + MIN (0.45f * (x1 - x0), 220), a->y);
      ph_route_add (layout, edge, x1, y1 + down);
      ph_route_add (layout, edge, x1, y1);
    }
  else
    {
      const float x1 = b->x + b->width / 2, bend = MIN (0.45f * (x0 - x1), 160);

      ph_route_add (layout, edge, x0 - bend, a->y);
      ph_route_add (layout, edge, x1 + bend, b->y);
      ph_route_add (layout, edge, x1, b->y);
    }
}

void
ph_route_straight (PhLayout *layout, PhLayoutEdge *edge)
{
  const PhLayoutBox *a = &layout->boxes[edge->from], *b = &layout->boxes[edge->to];
  const float ax = a->x + a->anchor, bx = b->x + b->anchor, dx = bx - ax, dy = b->y - a->y;
  const float cut_a = 1 / MAX (MAX (fabsf (dx) / (a->width / 2 - a->anchor), fabsf (dy) / (a->height / 2 - a->inset)), 1);
  const float cut_b = 1 / MAX (MAX (fabsf (dx) / (b->width / 2 - b->anchor), fabsf (dy) / (b->height / 2 - b->inset)), 1);

  edge->first_point = layout->points->len;
  edge->n_points = 0;
  for (int i = 0; i < 4; i++)
    {
      const float t = cut_a + i / 3.0f * (1 - cut_a - cut_b);

      ph_route_add (layout, edge, ax + t * dx, a->y + t * dy);
    }
}
