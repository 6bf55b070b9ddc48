/* grid.c: finds the items in a rectangle or under the pointer, through cells of about a box's size.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

#define MAX_CELLS 400000
#define MAX_ITEMS 8000000 /* in all cells together: beyond that cells are larger */

void
ph_grid_clear (PhGrid *grid)
{
  g_clear_pointer (&grid->start, g_free);
  g_clear_pointer (&grid->items, g_free);
}

static void
cells_of (const PhGrid *grid, const PhRect *rect, int *left, int *top, int *right, int *bottom)
{
  *left = CLAMP ((int) floorf (rect->x / grid->cell), 0, grid->columns - 1);
  *top = CLAMP ((int) floorf (rect->y / grid->cell), 0, grid->rows - 1);
  *right = CLAMP ((int) floorf ((rect->x + rect->width) / grid->cell), 0, grid->columns - 1);
  *bottom = CLAMP ((int) floorf ((rect->y + rect->height) / grid->cell), 0, grid->rows - 1);
}

/* Returns in how many cells the items are, each in all that its rectangle touches. */
static guint64
grid_count (PhGrid *grid, float width, float height, guint n, const PhRect *(*rect_of) (PhScene *, guint), PhScene *scene)
{
  guint64 count = 0;

  grid->columns = (int) (width / grid->cell) + 1;
  grid->rows = (int) (height / grid->cell) + 1;
  for (guint i = 0; i < n; i++)
    {
      const PhRect *rect = rect_of (scene, i);
      int left, top, right, bottom;

      if (rect == NULL)
        continue;
      cells_of (grid, rect, &left, &top, &right, &bottom);
      count += (guint64) (right - left + 1) * (guint64) (bottom - top + 1);
    }
  return count;
}

static void
grid_fill (PhGrid *grid, float width, float height, float cell, guint n, const PhRect *(*rect_of) (PhScene *, guint),
           PhScene *scene)
{
  int left, top, right, bottom;
  g_autofree int *fill = NULL;

  grid->cell = MAX (cell, sqrtf (MAX (width, 1) * MAX (height, 1) / MAX_CELLS));
  /* Lines through the whole of a picture touch thousands each; in larger cells they touch at least one. */
  while (grid_count (grid, width, height, n, rect_of, scene) > MAX (MAX_ITEMS, n) && grid->columns * grid->rows > 1)
    grid->cell *= 2;
  grid->start = g_new0 (int, grid->columns * grid->rows + 2);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < n; i++)
        {
          const PhRect *rect = rect_of (scene, i);

          if (rect == NULL)
            continue;
          cells_of (grid, rect, &left, &top, &right, &bottom);
          for (int y = top; y <= bottom; y++)
            for (int x = left; x <= right; x++)
              if (pass == 0)
                grid->start[y * grid->columns + x + 1]++;
              else
                grid->items[fill[y * grid->columns + x]++] = i;
        }
      if (pass == 0)
        {
          for (int c = 0; c < grid->columns * grid->rows; c++)
            grid->start[c + 1] += grid->start[c];
          fill = g_memdup2 (grid->start, sizeof (int) * (grid->columns * grid->rows + 1));
          grid->items = g_new (int, grid->start[grid->columns * grid->rows] + 1);
        }
    }
}

static const PhRect *
box_rect (PhScene *scene, guint box)
{
  return ph_scene_box (scene, box)->shown ? ph_scene_reach (scene, box) : NULL;
}

static const PhRect *
edge_rect (PhScene *scene, guint edge)
{
  return &ph_scene_edge (scene, edge)->bounds;
}

static void
index_ends (PhScene *scene, int **start, int **items, gboolean from)
{
  const guint n = scene->boxes->len;
  g_autofree int *fill = NULL;

  *start = g_new0 (int, n + 2);
  *items = g_new (int, scene->edges->len + 1);
  for (guint e = 0; e < scene->edges->len; e++)
    (*start)[(from ? ph_scene_edge (scene, e)->from : ph_scene_edge (scene, e)->to) + 1]++;
  for (guint b = 0; b < n; b++)
    (*start)[b + 1] += (*start)[b];
  fill = g_memdup2 (*start, sizeof (int) * (n + 1));
  for (guint e = 0; e < scene->edges->len; e++)
    (*items)[fill[from ? ph_scene_edge (scene, e)->from : ph_scene_edge (scene, e)->to]++] = e;
}

void
ph_scene_index (PhScene *scene)
{
  for (guint e = 0; e < scene->edges->len; e++)
    {
      PhSceneEdge *edge = &g_array_index (scene->edges, PhSceneEdge, e);
      const PhPoint *points = ph_scene_points (scene, edge);
      float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;

      for (guint i = 0; i < edge->n_points; i++)
        {
          left = MIN (left, points[i].x);
          right = MAX (right, points[i].x);
          top = MIN (top, points[i].y);
          bottom = MAX (bottom, points[i].y);
        }
      /* If a card is smaller than its box, the edge is extended to the card. */
      for (int end = 0; end < 2 && edge->n_points > 0; end++)
        {
          const PhSceneBox *box = ph_scene_box (scene, end == 0 ? edge->from : edge->to);
          const PhPoint at = points[end == 0 ? 0 : edge->n_points - 1];

          if (box->n_tenants == 0 || box->open)
            continue;
          left = MIN (left, MAX (at.x - box->rect.width / 2, box->rect.x));
          right = MAX (right, MIN (at.x + box->rect.width / 2, box->rect.x + box->rect.width));
          top = MIN (top, MAX (at.y - box->rect.height / 2, box->rect.y));
          bottom = MAX (bottom, MIN (at.y + box->rect.height / 2, box->rect.y + box->rect.height));
        }
      if (edge->n_counts > 0) /* lines side by side */
        {
          left -= PH_LINES_REACH;
          top -= PH_LINES_REACH;
          right += PH_LINES_REACH;
          bottom += PH_LINES_REACH;
        }
      edge->bounds = edge->n_points > 0 ? (PhRect) { left, top, right - left, bottom - top } : (PhRect) { 0, 0, 0, 0 };
    }
  grid_fill (&scene->box_grid, scene->width, scene->height, 160, scene->boxes->len, box_rect, scene);
  grid_fill (&scene->edge_grid, scene->width, scene->height, 240, scene->edges->len, edge_rect, scene);
  index_ends (scene, &scene->out_start, &scene->out, TRUE);
  index_ends (scene, &scene->in_start, &scene->in, FALSE);
}

static void
find (const PhGrid *grid, PhScene *scene, const PhRect *(*rect_of) (PhScene *, guint), const PhRect *rect, GArray *found)
{
  int left, top, right, bottom;

  if (grid->start == NULL)
    return;
  cells_of (grid, rect, &left, &top, &right, &bottom);
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      for (int i = grid->start[y * grid->columns + x]; i < grid->start[y * grid->columns + x + 1]; i++)
        {
          const int item = grid->items[i];
          const PhRect *item_rect = rect_of (scene, item);
          int item_left, item_top, item_right, item_bottom;

          /* Reports an item that spans several cells only for the first queried one. */
          cells_of (grid, item_rect, &item_left, &item_top, &item_right, &item_bottom);
          if (MAX (item_left, left) == x && MAX (item_top, top) == y && ph_rect_touches (item_rect, rect))
            g_array_append_val (found, item);
        }
}

void
ph_scene_boxes_in (PhScene *scene, const PhRect *rect, GArray *boxes)
{
  find (&scene->box_grid, scene, box_rect, rect, boxes);
}

void
ph_scene_edges_in (PhScene *scene, const PhRect *rect, GArray *edges)
{
  find (&scene->edge_grid, scene, edge_rect, rect, edges);
}

const int *
ph_scene_edges_from (PhScene *scene, int box, guint *n)
{
  *n = scene->out_start[box + 1] - scene->out_start[box];
  return scene->out + scene->out_start[box];
}

const int *
ph_scene_edges_to (PhScene *scene, int box, guint *n)
{
  *n = scene->in_start[box + 1] - scene->in_start[box];
  return scene->in + scene->in_start[box];
}

static gboolean
contains (const PhRect *rect, float x, float y)
{
  return x >= rect->x && x <= rect->x + rect->width && y >= rect->y && y <= rect->y + rect->height;
}

int
ph_scene_pick (PhScene *scene, float x, float y, int a, int b, int *pill)
{
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
  const PhRect around = { x - 160, y - 1, 320, 2 }; /* pills are left of their box */
  int best = -1;

  if (pill != NULL)
    *pill = -1;
  ph_scene_boxes_in (scene, &around, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int at = g_array_index (near, int, i);
      const PhSceneBox *box = ph_scene_box (scene, at);
      PhGroupState group = { .rect = box->rect };
      const gboolean there = box->kind == PH_BOX_GROUP
                                 ? ph_scene_group_at (scene, at, b, &group, NULL)
                                       || ph_scene_group_at (scene, at, a, &group, NULL)
                                 : ph_scene_tenant (scene, at, b) != NULL || ph_scene_tenant (scene, at, a) != NULL;

      if (!there)
        continue;
      for (guint p = box->first_pill; p < box->first_pill + box->n_pills && pill != NULL; p++)
        {
          const PhPill *one = ph_scene_pill (scene, p);

          if (contains (&one->rect, x, y) && ((one->born <= b && b < one->died) || (one->born <= a && a < one->died)))
            {
              *pill = p;
              return at;
            }
        }
      if (contains (&group.rect, x, y) && (best < 0 || box->depth > ph_scene_box (scene, best)->depth))
        best = at;
    }
  return best;
}

static float
distance_to_curve (const PhPoint *p, float x, float y)
{
  float least = INFINITY;

  for (int i = 0; i <= 12; i++)
    {
      const PhPoint at = ph_curve_at (p, i / 12.0);

      least = MIN (least, hypotf (at.x - x, at.y - y));
    }
  return least;
}

static float
distance_to_line (PhPoint a, PhPoint b, float x, float y)
{
  const float dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const float t = length > 0 ? CLAMP (((x - a.x) * dx + (y - a.y) * dy) / length, 0, 1) : 0;

  return hypotf (a.x + t * dx - x, a.y + t * dy - y);
}

int
ph_scene_pick_edge (PhScene *scene, float x, float y, float reach, int a, int b)
{
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
  const PhRect around = { x - reach, y - reach, 2 * reach, 2 * reach };
  float least = reach;
  int best = -1;

  ph_scene_edges_in (scene, &around, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int at = g_array_index (near, int, i);
      const PhSceneEdge *edge = ph_scene_edge (scene, at);
      const PhPoint *points = ph_scene_points (scene, edge);

      if (!ph_scene_edge_at (scene, at, b) && !ph_scene_edge_at (scene, at, a))
        continue;
      for (guint k = 0; k + 3 < edge->n_points; k += 3)
        {
          const gboolean straight = fabsf (points[k].x - points[k + 3].x) < 0.5f;
          const float distance = straight ? distance_to_line (points[k], points[k + 3], x, y)
                                          : distance_to_curve (points + k, x, y);

          if (distance < least)
            {
              least = distance;
              best = at;
            }
        }
    }
  return best;
}
