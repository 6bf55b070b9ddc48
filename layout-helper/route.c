/* route.c: routes lines around the boxes that they cross: a shortest path among these, bent into curves by Graphviz's libpathplan; boxes
 * that the new path crosses are added until there are none.
 * SPDX-License-Identifier: MIT */
#include "helper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pathplan.h>

#define INSIDE     3.0 /* points that a line may run inside a box's border */
#define AROUND     5.0 /* distance of a line from a box, if there is room     */
#define SAMPLES    12
#define ROUNDS     16
#define MAX_IN_WAY 160

typedef struct
{
  double x, y, width, height, left;
} Box;
typedef struct
{
  Ppoint_t *points;
  int n;
} Line;
typedef struct
{
  double left, top, right, bottom;
} Wall;

/* ── crossed boxes ── */

static int
enters (Ppoint_t a, Ppoint_t b, Wall wall)
{
  const double step[4] = { a.x - b.x, b.x - a.x, a.y - b.y, b.y - a.y };
  const double room[4] = { a.x - wall.left, wall.right - a.x, a.y - wall.top, wall.bottom - a.y };
  double from = 0, to = 1;

  if (wall.right <= wall.left || wall.bottom <= wall.top)
    return 0;
  for (int i = 0; i < 4; i++)
    {
      if (fabs (step[i]) < 1e-12)
        {
          if (room[i] < 0)
            return 0;
        }
      else if (step[i] < 0)
        from = fmax (from, room[i] / step[i]);
      else
        to = fmin (to, room[i] / step[i]);
      if (from > to)
        return 0;
    }
  return 1;
}

/* Returns a box as a wall. @grow: enlargement on each side. */
static Wall
wall_of (const Box *box, double grow, double left)
{
  return (Wall) { box->x - box->width / 2 - grow - left, box->y - box->height / 2 - grow, box->x + box->width / 2 + grow,
                  box->y + box->height / 2 + grow };
}

static int
line_hits (const Line *line, const Box *box)
{
  for (int i = 0; i + 3 < line->n; i += 3)
    {
      const Ppoint_t *p = line->points + i;
      Ppoint_t last = p[0];

      if (fmax (fmax (p[0].x, p[1].x), fmax (p[2].x, p[3].x)) < box->x - box->width / 2
          || fmin (fmin (p[0].x, p[1].x), fmin (p[2].x, p[3].x)) > box->x + box->width / 2
          || fmax (fmax (p[0].y, p[1].y), fmax (p[2].y, p[3].y)) < box->y - box->height / 2
          || fmin (fmin (p[0].y, p[1].y), fmin (p[2].y, p[3].y)) > box->y + box->height / 2)
        continue;
      for (int k = 1; k <= SAMPLES; k++)
        {
          const double u = k / (double) SAMPLES, v = 1 - u;
          const Ppoint_t next = { v * v * v * p[0].x + 3 * v * v * u * p[1].x + 3 * v * u * u * p[2].x + u * u * u * p[3].x,
                                  v * v * v * p[0].y + 3 * v * v * u * p[1].y + 3 * v * u * u * p[2].y + u * u * u * p[3].y };

          if (enters (last, next, wall_of (box, -INSIDE, 0)))
            return 1;
          last = next;
        }
    }
  return 0;
}

/* Adds the boxes that @line hits and that are not in @way. Returns how many are hit, in it or not. */
static int
find_hits (const Line *line, const Box *boxes, long n_boxes, long from, long to, long *way, int *n_way)
{
  int hits = 0;

  for (long b = 0; b < n_boxes; b++)
    {
      int known = 0;

      if (b == from || b == to || !line_hits (line, &boxes[b]))
        continue;
      hits++;
      for (int i = 0; i < *n_way && !known; i++)
        known = way[i] == b;
      if (!known && *n_way < MAX_IN_WAY)
        way[(*n_way)++] = b;
    }
  return hits;
}

/* ── shortest paths ── */

static int
holds (Wall wall, Ppoint_t point)
{
  return wall.left < point.x && point.x < wall.right && wall.top < point.y && point.y < wall.bottom;
}

static int
sees (Ppoint_t a, Ppoint_t b, const Wall *walls, int n)
{
  for (int i = 0; i < n; i++)
    {
      const Wall inside = { walls[i].left + 0.01, walls[i].top + 0.01, walls[i].right - 0.01, walls[i].bottom - 0.01 };

      if (enters (a, b, inside))
        return 0;
    }
  return 1;
}

/* Finds a path from corner to corner (A* over the visibility graph). Returns the number of points in @way, or 0 if there is none. */
static int
find_way (Ppoint_t from, Ppoint_t to, const Wall *walls, int n_walls, Ppoint_t *way)
{
  static Ppoint_t at[4 * MAX_IN_WAY + 10];
  static double best[4 * MAX_IN_WAY + 10];
  static int came[4 * MAX_IN_WAY + 10], done[4 * MAX_IN_WAY + 10];
  int n = 2, length = 0;

  at[0] = from;
  at[1] = to;
  for (int i = 0; i < n_walls; i++)
    for (int k = 0; k < 4; k++)
      {
        const Ppoint_t corner = { k % 2 == 0 ? walls[i].left : walls[i].right, k < 2 ? walls[i].top : walls[i].bottom };
        int free = 1;

        for (int w = 0; w < n_walls && free; w++)
          free = !holds (walls[w], corner);
        if (free)
          at[n++] = corner;
      }
  for (int i = 0; i < n; i++)
    {
      best[i] = i == 0 ? 0 : INFINITY;
      done[i] = 0;
    }
  for (;;)
    {
      int next = -1;

      for (int i = 0; i < n; i++)
        if (!done[i] && isfinite (best[i])
            && (next < 0
                || best[i] + hypot (at[i].x - to.x, at[i].y - to.y) < best[next] + hypot (at[next].x - to.x, at[next].y - to.y)))
          next = i;
      if (next < 0)
        return 0;
      if (next == 1)
        break;
      done[next] = 1;
      for (int i = 1; i < n; i++)
        {
          const double reach = best[next] + hypot (at[i].x - at[next].x, at[i].y - at[next].y);

          if (done[i] || reach >= best[i] || !sees (at[next], at[i], walls, n_walls))
            continue;
          best[i] = reach;
          came[i] = next;
        }
    }
  for (int i = 1; i != 0; i = came[i])
    length++;
  for (int i = 1, k = length; k > 0; i = came[i])
    way[k--] = at[i];
  way[0] = from;
  return length + 1;
}

/* ── a curve ── */

static Line
line_of (const Ppoint_t *points, int n)
{
  Line line = { malloc (sizeof (Ppoint_t) * (size_t) (n + 1)), n };

  if (line.points == NULL)
    fail ("out of memory");
  for (int i = 0; i < n; i++)
    line.points[i] = (Ppoint_t) { points[i].x, -points[i].y };
  return line;
}

/* Converts the straight segments of a path to curves. */
static Line
stretches_of (const Ppoint_t *way, int n)
{
  Line line = { malloc (sizeof (Ppoint_t) * (size_t) (3 * n + 1)), 0 };

  if (line.points == NULL)
    fail ("out of memory");
  for (int i = 0; i < n; i++)
    {
      const Ppoint_t b = way[i], a = i > 0 ? line.points[line.n - 1] : b;

      for (int k = 1; k < 3 && i > 0; k++)
        line.points[line.n++] = (Ppoint_t) { a.x + (b.x - a.x) * k / 3, a.y + (b.y - a.y) * k / 3 };
      line.points[line.n++] = b;
    }
  return line;
}

static Pvector_t
direction (Ppoint_t a, Ppoint_t b)
{
  const double length = hypot (b.x - a.x, b.y - a.y);

  return length < 0.1 ? (Pvector_t) { 0, 0 } : (Pvector_t) { (b.x - a.x) / length, -(b.y - a.y) / length };
}

/* pathplan has y growing upwards. */
static int
bend (const Line *old, const Ppoint_t *way, int n_way, const Wall *walls, int n_walls, Line *out)
{
  Ppoint_t points[4 * MAX_IN_WAY + 10];
  Pedge_t edges[4 * (MAX_IN_WAY + 2)];
  Pvector_t slopes[2] = { direction (old->points[0], old->points[1]),
                          direction (old->points[old->n - 2], old->points[old->n - 1]) };
  Ppolyline_t route = { points, n_way }, curve = { NULL, 0 };
  int n = 0;

  for (int i = 0; i < n_way; i++)
    points[i] = (Ppoint_t) { way[i].x, -way[i].y };
  for (int i = 0; i < n_walls; i++)
    {
      const Ppoint_t corners[4] = { { walls[i].left, -walls[i].bottom },
                                    { walls[i].left, -walls[i].top },
                                    { walls[i].right, -walls[i].top },
                                    { walls[i].right, -walls[i].bottom } };

      for (int k = 0; k < 4; k++)
        edges[n++] = (Pedge_t) { corners[k], corners[(k + 1) % 4] };
    }
  if (Proutespline (edges, n, route, slopes, &curve) != 0 || curve.pn < 4)
    return 0;
  *out = line_of (curve.ps, curve.pn); /* curve.ps is pathplan's own */
  return 1;
}

/* Finds a path between the ends of @old around the boxes @way and its own two; @bent: as a curve, else as straight segments. */
static int
go_around (const Line *old, const Box *boxes, const long *way, int n_way, long from, long to, double grow, int bent, Line *out)
{
  Wall walls[MAX_IN_WAY + 2];
  Ppoint_t points[4 * MAX_IN_WAY + 10];
  const Ppoint_t ends[2] = { old->points[0], old->points[old->n - 1] };
  int n = 0, n_points;

  for (int i = 0; i < n_way + 2; i++)
    {
      /* A line starts at the border of its box, which it may leave but not cross. */
      const Box *box = i < n_way ? &boxes[way[i]] : &boxes[i == n_way ? from : to];
      Wall wall = wall_of (box, i < n_way ? grow : -1.5, i < n_way ? box->left : 0);

      /* If the line starts close to another box, it may pass it as closely. */
      for (double less = 0; i < n_way && less < INSIDE && (holds (wall, ends[0]) || holds (wall, ends[1])); less += 0.5)
        wall = wall_of (box, -less, 0);
      if (!holds (wall, ends[0]) && !holds (wall, ends[1]))
        walls[n++] = wall;
    }
  n_points = find_way (ends[0], ends[1], walls, n, points);
  if (n_points < 2)
    return 0;
  if (bent)
    return bend (old, points, n_points, walls, n, out);
  *out = stretches_of (points, n_points);
  return 1;
}

/* Returns FALSE if the line stays unchanged. */
static int
lead_around (Line *line, const Box *boxes, long n_boxes, long from, long to)
{
  static const struct
  {
    double grow;
    int bent;
  } tries[] = { { AROUND, 1 }, { 2, 1 }, { AROUND, 0 }, { 1, 0 } };
  long way[MAX_IN_WAY];
  int n_way = 0;

  if (find_hits (line, boxes, n_boxes, from, to, way, &n_way) == 0)
    return 1;
  for (size_t t = 0; t < sizeof tries / sizeof tries[0]; t++)
    for (int round = 0; round < ROUNDS; round++)
      {
        const int known = n_way;
        Line around;

        if (!go_around (line, boxes, way, n_way, from, to, tries[t].grow, tries[t].bent, &around))
          break;
        if (find_hits (&around, boxes, n_boxes, from, to, way, &n_way) == 0)
          {
            free (line->points);
            *line = around;
            return 1;
          }
        free (around.points);
        if (n_way == known)
          break;
      }
  return 0;
}

/* ── a section ── */

static long
box_at (double number, long n)
{
  if (number < 0 || number >= (double) n || number != floor (number))
    fail ("line %ld: there is no box %g", line_number (), number);
  return (long) number;
}

void
route_lines (long n_boxes, long n_lines)
{
  enum
  {
    LONGEST = 3000
  }; /* points of a line */
  static char text[LONGEST * 24];
  static double at[2 * LONGEST + 3];
  Box *boxes = calloc ((size_t) n_boxes + 1, sizeof *boxes);
  long n_b = 0, n_l = 0;

  if (boxes == NULL)
    fail ("out of memory");
  for (;;)
    {
      if (!read_line (text, sizeof text))
        fail ("line %ld: ends without 'end'", line_number ());
      if (strcmp (text, "end") == 0)
        break;
      if (text[0] == 'b')
        {
          if (n_b == n_boxes || read_numbers (text, text + 1, at, 5) != 5 || at[2] <= 0 || at[3] <= 0 || at[4] < 0)
            fail ("line %ld: not a box: %.60s", line_number (), text);
          boxes[n_b++] = (Box) { at[0], at[1], at[2], at[3], at[4] };
        }
      else if (text[0] == 'l')
        {
          const int n = n_l < n_lines && n_b == n_boxes ? read_numbers (text, text + 1, at, 2 * LONGEST + 3) : 0;
          Line line = { NULL, 0 };
          long from, to;

          if (n < 11 || at[2] < 4 || (n - 3) != 2 * at[2] || ((n - 3) / 2) % 3 != 1)
            fail ("line %ld: not a line: %.60s", line_number (), text);
          from = box_at (at[0], n_boxes);
          to = box_at (at[1], n_boxes);
          line.n = (n - 3) / 2;
          line.points = malloc (sizeof (Ppoint_t) * (size_t) line.n);
          if (line.points == NULL)
            fail ("out of memory");
          for (int i = 0; i < line.n; i++)
            line.points[i] = (Ppoint_t) { at[3 + 2 * i], at[4 + 2 * i] };
          if (lead_around (&line, boxes, n_boxes, from, to))
            {
              printf ("l %d", line.n);
              for (int i = 0; i < line.n; i++)
                printf (" %.2f %.2f", line.points[i].x, line.points[i].y);
              putchar ('\n');
            }
          else
            puts ("l 0");
          fflush (stdout);
          free (line.points);
          n_l++;
        }
      else
        fail ("line %ld: not understood: %.60s", line_number (), text);
    }
  if (n_b != n_boxes || n_l != n_lines)
    fail ("%ld boxes and %ld lines were announced, %ld and %ld came", n_boxes, n_lines, n_b, n_l);
  free (boxes);
  puts ("end");
}
