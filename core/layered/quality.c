/* quality.c: measures of layouts for comparison: crossings of edges, and edges across boxes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/helper.h"
#include "core/layered/layered.h"

#define CELL 120.0f
#define ROOM 16000000 /* cells that all lines together may pass                                                        */
#define LOOK 20000000 /* pairs of lines to look at to compare two layouts: beyond that a sample of the lines does      */

typedef struct
{
  PhPoint a, b;
  guint edge;
} Stretch;

static void
add_stretches (GArray *stretches, PhLayout *layout, guint e)
{
  const PhLayoutEdge *edge = &layout->edges[e];
  const PhPoint *p = &g_array_index (layout->points, PhPoint, edge->first_point);

  for (guint i = 0; i + 3 < edge->n_points; i += 3, p += 3)
    {
      const gboolean straight = fabsf (p[0].x - p[3].x) < 0.5f && fabsf (p[1].x - p[2].x) < 0.5f;
      const int n = straight ? 1 : 5;
      PhPoint from = p[0];

      for (int k = 1; k <= n; k++)
        {
          const PhPoint to = ph_curve_at (p, k / (double) n);
          const Stretch stretch = { from, to, e };

          g_array_append_val (stretches, stretch);
          from = to;
        }
    }
}

static float
side (PhPoint a, PhPoint b, PhPoint c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static gboolean
cross (const Stretch *s, const Stretch *t)
{
  return side (s->a, s->b, t->a) * side (s->a, s->b, t->b) < 0 && side (t->a, t->b, s->a) * side (t->a, t->b, s->b) < 0;
}

/* Edges with a box in common may touch there; they do not count. */
static gboolean
related (const PhLayoutEdge *a, const PhLayoutEdge *b)
{
  return a->from == b->from || a->to == b->to || a->from == b->to || a->to == b->from;
}

/* Returns the end of an edge by which edges are sorted. */
static guint
end_of (const PhLayoutEdge *edge, gboolean by_to)
{
  return by_to ? edge->to : edge->from;
}

/* Returns the indices of the edges, those that share an end one after the other: they are related, and need not be compared. Of the two
 * ends it is the one at which the busiest box is. (transfer full) */
static guint *
order_edges (const PhLayout *layout, gboolean *by_to)
{
  guint *order = g_new (guint, layout->n_edges + 1), most[2] = { 0, 0 }, *start;
  g_autofree guint *from = g_new0 (guint, layout->n_boxes + 1), *to = g_new0 (guint, layout->n_boxes + 1);

  for (guint e = 0; e < layout->n_edges; e++)
    {
      from[layout->edges[e].from + 1]++;
      to[layout->edges[e].to + 1]++;
    }
  for (guint b = 1; b <= layout->n_boxes; b++)
    {
      most[0] = MAX (most[0], from[b]);
      most[1] = MAX (most[1], to[b]);
    }
  *by_to = most[1] > most[0];
  start = *by_to ? to : from;
  for (guint b = 0; b < layout->n_boxes; b++)
    start[b + 1] += start[b];
  for (guint e = 0; e < layout->n_edges; e++)
    order[start[end_of (&layout->edges[e], *by_to)]++] = e;
  return order;
}

/* The stretches in each cell of the picture, as compressed rows, in the order in which they stand. */
typedef struct
{
  float side;
  int columns, rows, *start, *items;
  guint64 n_pairs; /* of stretches that are in one cell */
} Cells;

/* Returns the rows of cells that a stretch passes. */
static void
find_rows (const Cells *cells, const Stretch *s, int *top, int *bottom)
{
  *top = (int) CLAMP (MIN (s->a.y, s->b.y) / cells->side, 0, cells->rows - 1);
  *bottom = (int) CLAMP (MAX (s->a.y, s->b.y) / cells->side, 0, cells->rows - 1);
}

/* Finds between which x the line from @a to @b runs in row @y of rows of height @side, of which it begins in @top and ends in @bottom: of a
 * long and slanting one that is far less than its bounding box. */
static void
find_span (PhPoint a, PhPoint b, float side, int top, int bottom, int y, float *from, float *to)
{
  const PhPoint high = a.y < b.y ? a : b, low = a.y < b.y ? b : a;
  const float slope = low.y - high.y > 1 ? (low.x - high.x) / (low.y - high.y) : 0;
  float first = high.x, last = low.x;

  if (y > top && slope != 0)
    first = high.x + slope * (y * side - high.y);
  if (y < bottom && slope != 0)
    last = high.x + slope * ((y + 1) * side - high.y);
  /* A point more to both sides makes up for rounding. */
  *from = MIN (first, last) - 1;
  *to = MAX (first, last) + 1;
}

/* Returns the cells of row @y that a stretch passes. */
static void
find_cells (const Cells *cells, const Stretch *s, int y, int *left, int *right)
{
  int top, bottom;
  float from, to;

  find_rows (cells, s, &top, &bottom);
  find_span (s->a, s->b, cells->side, top, bottom, y, &from, &to);
  *left = (int) CLAMP (from / cells->side, 0, cells->columns - 1);
  *right = (int) CLAMP (to / cells->side, 0, cells->columns - 1);
}

/* Sets how large cells are: as large as it takes for the stretches to pass no more than ROOM of them. Lines that go straight through a
 * picture of a million points pass thousands each. */
static void
cells_set_side (Cells *cells, const PhLayout *layout, const GArray *stretches)
{
  for (cells->side = CELL;; cells->side *= 2)
    {
      guint64 passed = 0;
      const float columns = MAX (layout->width, 0) / cells->side + 2, rows = MAX (layout->height, 0) / cells->side + 2;

      if (columns * rows > ROOM)
        continue;
      cells->columns = (int) columns;
      cells->rows = (int) rows;
      for (guint i = 0; i < stretches->len; i++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, i);
          int top, bottom, left, right;

          find_rows (cells, s, &top, &bottom);
          for (int y = top; y <= bottom; y++)
            {
              find_cells (cells, s, y, &left, &right);
              passed += right - left + 1;
            }
        }
      /* However large they are, each stretch passes one. */
      if (passed <= MAX (ROOM, stretches->len))
        return;
    }
}

/* Returns how many cells the stretches entered. */
static guint64
cells_fill (Cells *cells, const GArray *stretches)
{
  g_autofree int *fill = NULL;
  int n;

  n = cells->columns * cells->rows;
  cells->start = g_new0 (int, n + 2);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < stretches->len; i++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, i);
          int top, bottom, left, right;

          find_rows (cells, s, &top, &bottom);
          for (int y = top; y <= bottom; y++)
            for (find_cells (cells, s, y, &left, &right); left <= right; left++)
              if (pass == 0)
                cells->start[y * cells->columns + left + 1]++;
              else
                cells->items[fill[y * cells->columns + left]++] = i;
        }
      if (pass == 0)
        {
          for (int c = 0; c < n; c++)
            cells->start[c + 1] += cells->start[c];
          cells->items = g_new (int, cells->start[n] + 1);
          fill = g_memdup2 (cells->start, sizeof (int) * (n + 1));
        }
    }
  cells->n_pairs = 0;
  for (int c = 0; c < n; c++)
    cells->n_pairs += (guint64) (cells->start[c + 1] - cells->start[c]) * (guint64) (cells->start[c + 1] - cells->start[c]) / 2;
  return cells->start[n];
}

static void
cells_clear (Cells *cells)
{
  g_free (cells->start);
  g_free (cells->items);
}

/* Returns the index of the first item of a cell that is stretch number @least or a later one. */
static int
find_item (const Cells *cells, int cell, int least)
{
  int low = cells->start[cell], high = cells->start[cell + 1];

  while (low < high)
    {
      const int middle = low + (high - low) / 2;

      if (cells->items[middle] < least)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Returns the lines that cross line number @e, which begins with stretch number @i, among the stretches from number @least on, each as
 * often as its presence if @weighed. @met: of a line: the last one that it was found to cross, plus 1. */
static guint64
crossed_by (const Cells *cells, const PhLayout *layout, const GArray *stretches, guint i, int least, gboolean weighed, guint *met,
            guint64 *work)
{
  const guint e = g_array_index (stretches, Stretch, i).edge;
  const PhLayoutEdge *edge = &layout->edges[e];
  guint64 crossed = 0;

  for (; i < stretches->len && g_array_index (stretches, Stretch, i).edge == e; i++)
    {
      const Stretch *s = &g_array_index (stretches, Stretch, i);
      int top, bottom, left, right;

      find_rows (cells, s, &top, &bottom);
      for (int y = top; y <= bottom; y++)
        for (find_cells (cells, s, y, &left, &right); left <= right; left++)
          {
            const int cell = y * cells->columns + left, stop = cells->start[cell + 1];
            const int first = find_item (cells, cell, least);

            *work += 1 + stop - first;
            for (int k = first; k < stop; k++)
              {
                const Stretch *t = &g_array_index (stretches, Stretch, cells->items[k]);
                const PhLayoutEdge *other = &layout->edges[t->edge];

                if (met[t->edge] == e + 1 || related (edge, other) || !cross (s, t))
                  continue;
                met[t->edge] = e + 1;
                crossed += weighed ? other->presence : 1;
              }
          }
    }
  return crossed * (weighed ? edge->presence : 1);
}

/* Keeps the stretches of one line in @step: of each so many that come one after the other and are alike, but not always the first, as
 * every second one may be more so. */
static void
keep_some (GArray *stretches, guint64 step)
{
  guint64 line = 0;
  guint n = 0;

  for (guint i = 0, next; i < stretches->len; i = next, line++)
    {
      const guint e = g_array_index (stretches, Stretch, i).edge;
      const gboolean kept = line % step == (line / step * 0x9e3779b97f4a7c15u >> 32) % step;

      for (next = i; next < stretches->len && g_array_index (stretches, Stretch, next).edge == e; next++)
        if (kept)
          g_array_index (stretches, Stretch, n++) = g_array_index (stretches, Stretch, next);
    }
  g_array_set_size (stretches, n);
}

/* Counts crossings. @weighed: lines that exist for a short time count less. Where more than @most pairs of stretches are in one cell, it
 * is those among some of the lines, always the same ones, from which all are estimated. */
static PhCrossings
count_crossings (PhLayout *layout, gboolean weighed, guint64 most)
{
  PhCrossings found = { 0, 1, 0 };
  g_autoptr (GArray) stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  gboolean by_to;
  g_autofree guint *order = order_edges (layout, &by_to), *met = g_new0 (guint, layout->n_edges + 1);
  Cells cells;

  for (guint e = 0; e < layout->n_edges; e++)
    add_stretches (stretches, layout, order[e]);
  cells_set_side (&cells, layout, stretches);
  found.work = cells_fill (&cells, stretches);
  while (cells.n_pairs / (found.step * found.step) > most)
    found.step++;
  if (found.step > 1)
    {
      keep_some (stretches, found.step);
      cells_clear (&cells);
      found.work += cells_fill (&cells, stretches);
    }
  for (guint i = 0, least = 0, next; i < stretches->len; i = next)
    {
      const guint e = g_array_index (stretches, Stretch, i).edge, end = end_of (&layout->edges[e], by_to);

      for (next = i + 1; next < stretches->len && g_array_index (stretches, Stretch, next).edge == e;)
        next++;
      /* Behind all that share its end. */
      for (least = MAX (least, next); least < stretches->len; least++)
        if (end_of (&layout->edges[g_array_index (stretches, Stretch, least).edge], by_to) != end)
          break;
      found.n += crossed_by (&cells, layout, stretches, i, (int) least, weighed, met, &found.work);
    }
  found.n *= found.step * found.step;
  cells_clear (&cells);
  return found;
}

PhCrossings
ph_layout_crossings (PhLayout *layout)
{
  return count_crossings (layout, FALSE, PH_CROSSINGS_LOOK);
}

double
ph_layered_tangle (PhLayout *layout)
{
  return (double) count_crossings (layout, TRUE, LOOK).n / (PH_PRESENCE * PH_PRESENCE);
}

/* ── lines over boxes ───────────────────────────────────────────────────────────────────────────────────────────── */

#define SQUARE  240.0f
#define COLUMNS 2048 /* at most: squares of a wider picture are wider */
#define SQUARES 4000000
#define INSIDE  3.0f /* points of a line allowed inside a box's border */
#define SAMPLES 12

/* The boxes that touch each square of the picture, as compressed rows. */
typedef struct
{
  PhPoint side;
  int columns, rows, *start, *items;
  PhPoint *low, *high; /* of all that the boxes of a square draw, in it or beside it */
} Squares;

/* Returns the drawn part of a box, shrunk by a margin: a line inside runs over the box. Empty for a port. */
static gboolean
inside_of (const PhLayoutBox *box, PhPoint *low, PhPoint *high)
{
  *low = (PhPoint) { box->x - box->width / 2 + MAX (2 * box->anchor, 0) + INSIDE,
                     box->y - box->height / 2 + box->inset + INSIDE };
  *high = (PhPoint) { box->x + box->width / 2 + MIN (2 * box->anchor, 0) - INSIDE,
                      box->y + box->height / 2 - box->inset - INSIDE };
  return low->x < high->x && low->y < high->y;
}

static void
squares_of (const Squares *squares, PhPoint low, PhPoint high, int range[4])
{
  range[0] = (int) CLAMP (low.x / squares->side.x, 0, squares->columns - 1);
  range[1] = (int) CLAMP (high.x / squares->side.x, 0, squares->columns - 1);
  range[2] = (int) CLAMP (low.y / squares->side.y, 0, squares->rows - 1);
  range[3] = (int) CLAMP (high.y / squares->side.y, 0, squares->rows - 1);
}

static void
add_to_square (Squares *squares, int square, guint box, PhPoint low, PhPoint high, int *fill)
{
  PhPoint *least = &squares->low[square], *most = &squares->high[square];

  if (fill[square] == squares->start[square])
    {
      *least = low;
      *most = high;
    }
  *least = (PhPoint) { MIN (least->x, low.x), MIN (least->y, low.y) };
  *most = (PhPoint) { MAX (most->x, high.x), MAX (most->y, high.y) };
  squares->items[fill[square]++] = box;
}

static void
squares_init (Squares *squares, const PhLayout *layout)
{
  g_autofree int *fill = NULL;
  int n;

  squares->side = (PhPoint) { MAX (SQUARE, layout->width / COLUMNS), SQUARE };
  squares->columns = (int) CLAMP (layout->width / squares->side.x, 0, COLUMNS) + 1;
  squares->side.y = MAX (SQUARE, layout->height / (float) (SQUARES / squares->columns));
  squares->rows = (int) CLAMP (layout->height / squares->side.y, 0, SQUARES / squares->columns) + 1;
  n = squares->columns * squares->rows;
  squares->start = g_new0 (int, n + 2);
  squares->items = NULL;
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint b = 0; b < layout->n_boxes; b++)
        {
          PhPoint low, high;
          int range[4];

          if (!inside_of (&layout->boxes[b], &low, &high))
            continue;
          squares_of (squares, low, high, range);
          for (int y = range[2]; y <= range[3]; y++)
            for (int x = range[0]; x <= range[1]; x++)
              if (pass == 0)
                squares->start[y * squares->columns + x + 1]++;
              else
                add_to_square (squares, y * squares->columns + x, b, low, high, fill);
        }
      if (pass == 0)
        {
          for (int i = 0; i < n; i++)
            squares->start[i + 1] += squares->start[i];
          squares->items = g_new (int, squares->start[n] + 1);
          squares->low = g_new (PhPoint, n);
          squares->high = g_new (PhPoint, n);
          fill = g_memdup2 (squares->start, sizeof (int) * (n + 1));
        }
    }
}

/* Returns TRUE if a part of the line from @a to @b is in the rectangle. */
static gboolean
enters (PhPoint a, PhPoint b, PhPoint low, PhPoint high)
{
  const float step[4] = { a.x - b.x, b.x - a.x, a.y - b.y, b.y - a.y };
  const float room[4] = { a.x - low.x, high.x - a.x, a.y - low.y, high.y - a.y };
  float from = 0, to = 1;

  for (int i = 0; i < 4; i++)
    {
      if (fabsf (step[i]) < 1e-6f)
        {
          if (room[i] < 0)
            return FALSE;
        }
      else if (step[i] < 0)
        from = MAX (from, room[i] / step[i]);
      else
        to = MIN (to, room[i] / step[i]);
      if (from > to)
        return FALSE;
    }
  return TRUE;
}

/* Counts the boxes that the line crosses and that edge number @e has not met yet. */
static guint
count_entered (const Squares *squares, const PhLayout *layout, guint e, PhPoint a, PhPoint b, guint *met)
{
  const PhLayoutEdge *edge = &layout->edges[e];
  const PhPoint from = { MIN (a.x, b.x), MIN (a.y, b.y) }, to = { MAX (a.x, b.x), MAX (a.y, b.y) };
  int range[4];
  guint n = 0;

  squares_of (squares, from, to, range);
  for (int y = range[2]; y <= range[3]; y++)
    {
      float left, right;

      find_span (a, b, squares->side.y, range[2], range[3], y, &left, &right);
      left = CLAMP (left / squares->side.x, 0, squares->columns - 1);
      right = CLAMP (right / squares->side.x, 0, squares->columns - 1);
      for (int x = (int) left; x <= (int) right; x++)
        {
          const int square = y * squares->columns + x;

          /* Most lines run between boxes, where a look at the whole square is enough. */
          if (squares->start[square] == squares->start[square + 1] || from.x > squares->high[square].x
              || to.x < squares->low[square].x || from.y > squares->high[square].y || to.y < squares->low[square].y)
            continue;
          for (int i = squares->start[square]; i < squares->start[square + 1]; i++)
            {
              const guint box = squares->items[i];
              PhPoint low, high;

              if (met[box] == e + 1 || box == edge->from || box == edge->to || !inside_of (&layout->boxes[box], &low, &high)
                  || !enters (a, b, low, high))
                continue;
              met[box] = e + 1;
              n++;
            }
        }
    }
  return n;
}

guint
ph_layout_overruns (PhLayout *layout, GArray *edges)
{
  g_autofree guint *met = g_new0 (guint, layout->n_boxes + 1);
  Squares squares;
  guint all = 0;

  squares_init (&squares, layout);
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      guint n = 0;

      for (guint i = 0; i + 3 < edge->n_points; i += 3)
        {
          const PhPoint *p = &g_array_index (layout->points, PhPoint, edge->first_point + i);
          const gboolean straight = fabsf (p[0].x - p[3].x) < 0.5f && fabsf (p[1].x - p[2].x) < 0.5f;
          PhPoint last = p[0];

          for (int k = straight ? SAMPLES : 1; k <= SAMPLES; k++)
            {
              const PhPoint next = ph_curve_at (p, k / (double) SAMPLES);

              n += count_entered (&squares, layout, e, last, next, met);
              last = next;
            }
        }
      if (n > 0 && edges != NULL)
        g_array_append_val (edges, e);
      all += n;
    }
  g_free (squares.start);
  g_free (squares.items);
  g_free (squares.low);
  g_free (squares.high);
  return all;
}

void
ph_layout_judge (PhLayout *layout, PhLayoutJudgement *judgement)
{
  *judgement = (PhLayoutJudgement) { .there = TRUE,
                                     .crossings = ph_layered_tangle (layout),
                                     .over = ph_layout_overruns (layout, NULL),
                                     .off_row = ph_layout_off_row (layout),
                                     .width = layout->width,
                                     .height = layout->height,
                                     .ms = judgement->ms };
}
