/* fold.c: folds a long chain of groups into columns, like those of a newspaper, so that all of it fits on a screen.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"
#include "core/layered/route.h"

#include <math.h>

#define GUTTER  64.0f /* between two columns                          */
#define SLENDER 2.5f  /* times as high as wide: worth folding         */
#define FEWEST  2     /* layers in a column                           */

typedef struct
{
  int first, last;
  float left, right, dx, dy;
} Column;

/* Returns for each layer the number of links from it, or through it, to the next. */
static int *
count_links (const PhLayered *layered)
{
  int *links = g_new0 (int, layered->n_layers + 1);

  for (int i = 0; i < layered->n_links; i++)
    links[layered->rank[layered->links[i].from]]++;
  return links;
}

/* Parts the layers into @n columns of about the same height, where few lines are cut. */
static GArray *
find_columns (const PhLayered *layered, const float *top, const float *bottom, int n)
{
  g_autofree int *links = count_links (layered);
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (Column));
  const float height = bottom[layered->n_layers - 1] / n;

  for (int first = 0; first < layered->n_layers;)
    {
      Column column = { first, layered->n_layers - 1, INFINITY, -INFINITY, 0, 0 };
      int best = -1;

      for (int r = first + FEWEST - 1; r + FEWEST < layered->n_layers && (int) columns->len + 1 < n; r++)
        {
          const float reached = bottom[r] - top[first];

          if (reached > 1.2f * height && best >= 0)
            break;
          if (reached >= 0.85f * height
              && (best < 0 || links[r] < links[best] || (links[r] == links[best] && reached <= 1.05f * height)))
            best = r;
        }
      if (best >= 0)
        column.last = best;
      g_array_append_val (columns, column);
      first = column.last + 1;
    }
  return columns;
}

static void
add_curve (PhLayout *layout, PhLayoutEdge *edge, PhPoint a, PhPoint b, PhPoint to)
{
  ph_route_add (layout, edge, a.x, a.y);
  ph_route_add (layout, edge, b.x, b.y);
  ph_route_add (layout, edge, to.x, to.y);
}

static void
add_line (PhLayout *layout, PhLayoutEdge *edge, PhPoint to)
{
  const PhPoint from = g_array_index (layout->points, PhPoint, layout->points->len - 1);

  add_curve (layout, edge, (PhPoint) { from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3 },
             (PhPoint) { to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3 }, to);
}

/* Routes an edge from the foot of one column through the gutter to the head of the next, or above the columns to further ones. */
static void
route_over (PhLayout *layout, PhLayoutEdge *edge, PhPoint from, PhPoint to, float gutter, float last_gutter)
{
  edge->first_point = layout->points->len;
  edge->n_points = 0;
  ph_route_add (layout, edge, from.x, from.y);
  add_curve (layout, edge, (PhPoint) { from.x, from.y + 30 }, (PhPoint) { gutter, from.y + 40 },
             (PhPoint) { gutter, from.y + 4 });
  if (last_gutter != gutter)
    {
      add_line (layout, edge, (PhPoint) { gutter, 4 });
      add_curve (layout, edge, (PhPoint) { gutter, -14 }, (PhPoint) { gutter + 6, -16 }, (PhPoint) { gutter + 20, -16 });
      add_line (layout, edge, (PhPoint) { last_gutter - 20, -16 });
      add_curve (layout, edge, (PhPoint) { last_gutter - 6, -16 }, (PhPoint) { last_gutter, -14 }, (PhPoint) { last_gutter, 4 });
    }
  if (fabsf (g_array_index (layout->points, PhPoint, layout->points->len - 1).y - (to.y - 4)) > 1)
    add_line (layout, edge, (PhPoint) { last_gutter, to.y - 4 });
  add_curve (layout, edge, (PhPoint) { last_gutter, to.y - 40 }, (PhPoint) { to.x, to.y - 30 }, to);
}

void
ph_layered_fold (PhLayered *layered, const float *top, const float *bottom)
{
  PhLayout *layout = layered->layout;
  const float width = layout->width + GUTTER;
  const int n = MIN ((int) lroundf (sqrtf (layout->fold * layout->height / width)), layered->n_layers / FEWEST);
  g_autoptr (GArray) columns = NULL;
  g_autofree int *column_of = NULL;
  float x = 0, height = 0, above = 0;

  if (n < 2 || layout->height < SLENDER * layout->width)
    return;
  columns = find_columns (layered, top, bottom, n);
  column_of = g_new0 (int, layered->n_layers + 1);
  for (guint c = 0; c < columns->len; c++)
    for (int r = g_array_index (columns, Column, c).first; r <= g_array_index (columns, Column, c).last; r++)
      column_of[r] = c;
  for (int v = 0; v < layered->n; v++)
    {
      Column *column = &g_array_index (columns, Column, column_of[layered->rank[v]]);

      column->left = MIN (column->left, layered->x[v] - layered->left[v]);
      column->right = MAX (column->right, layered->x[v] + layered->right[v]);
    }
  for (guint e = 0; e < layout->n_edges; e++)
    if (abs (column_of[layered->rank[layout->edges[e].from]] - column_of[layered->rank[layout->edges[e].to]]) > 1)
      above = 24; /* lines run above the columns */
  for (guint c = 0; c < columns->len; c++)
    {
      Column *column = &g_array_index (columns, Column, c);

      column->dx = x - column->left;
      column->dy = above - top[column->first];
      x += column->right - column->left + GUTTER;
      height = MAX (height, bottom[column->last] + column->dy);
    }
  for (guint b = 0; b < layout->n_boxes; b++)
    {
      const Column *column = &g_array_index (columns, Column, column_of[layered->rank[b]]);

      layout->boxes[b].x += column->dx;
      layout->boxes[b].y += column->dy;
    }
  for (guint e = 0; e < layout->n_edges; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];
      const int a = column_of[layered->rank[edge->from]], b = column_of[layered->rank[edge->to]];
      const Column *from = &g_array_index (columns, Column, a), *to = &g_array_index (columns, Column, b);
      PhPoint *points = &g_array_index (layout->points, PhPoint, edge->first_point);

      if (edge->n_points == 0)
        continue;
      if (a == b)
        for (guint p = 0; p < edge->n_points; p++)
          {
            points[p].x += from->dx;
            points[p].y += from->dy;
          }
      else
        {
          const PhPoint start = { points[0].x + from->dx, points[0].y + from->dy };
          const PhPoint end = { points[edge->n_points - 1].x + to->dx, points[edge->n_points - 1].y + to->dy };

          /* Backwards only where a cycle was broken. */
          route_over (layout, edge, start, end,
                      MIN (a, b) == a ? from->right + from->dx + GUTTER / 2 : from->left + from->dx - GUTTER / 2,
                      MIN (a, b) == a ? to->left + to->dx - GUTTER / 2 : to->right + to->dx + GUTTER / 2);
        }
    }
  layout->folded = TRUE;
  layout->width = x - GUTTER;
  layout->height = height + 24;
}
