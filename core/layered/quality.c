/* quality.c: measures of layouts for comparison: crossings of edges, and edges across boxes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/helper.h"
#include "core/layered/layered.h"

#define CELL 120.0f
#define LOOK 20000000 /* pairs of lines to look at to compare two layouts: beyond that a sample of the lines does */

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

/* A set of pairs of edges, possibly millions. */
typedef struct
{
  guint64 *keys;
  guint size, n;
} Pairs;

static guint64 *
find_key (Pairs *pairs, guint64 key)
{
  guint at = (guint) ((key * 0x9e3779b97f4a7c15u) >> 32) & (pairs->size - 1);

  while (pairs->keys[at] != 0 && pairs->keys[at] != key)
    at = (at + 1) & (pairs->size - 1);
  return &pairs->keys[at];
}

/* Returns FALSE if the pair exists already. */
static gboolean
add_pair (Pairs *pairs, guint a, guint b)
{
  const guint64 key = ((guint64) MIN (a, b) << 32 | MAX (a, b)) + 1;
  guint64 *at = find_key (pairs, key);

  if (*at == key)
    return FALSE;
  *at = key;
  if (2 * ++pairs->n > pairs->size)
    {
      Pairs larger = { g_new0 (guint64, 2 * pairs->size), 2 * pairs->size, pairs->n };

      for (guint i = 0; i < pairs->size; i++)
        if (pairs->keys[i] != 0)
          *find_key (&larger, pairs->keys[i]) = pairs->keys[i];
      g_free (pairs->keys);
      *pairs = larger;
    }
  return TRUE;
}

typedef struct
{
  int columns, rows;
} Cells;

/* Returns the rows of cells that a stretch passes. */
static void
find_rows (const Cells *cells, const Stretch *s, int *top, int *bottom)
{
  *top = CLAMP ((int) (MIN (s->a.y, s->b.y) / CELL), 0, cells->rows - 1);
  *bottom = CLAMP ((int) (MAX (s->a.y, s->b.y) / CELL), 0, cells->rows - 1);
}

/* Returns the cells of row @y that a stretch passes: of one that is long and slanting, far fewer than its bounding box has. */
static void
find_cells (const Cells *cells, const Stretch *s, int y, int *left, int *right)
{
  const PhPoint high = s->a.y < s->b.y ? s->a : s->b, low = s->a.y < s->b.y ? s->b : s->a;
  const float slope = low.y - high.y > 1 ? (low.x - high.x) / (low.y - high.y) : 0;
  int top, bottom;
  float from = high.x, to = low.x;

  find_rows (cells, s, &top, &bottom);
  if (y > top && slope != 0)
    from = high.x + slope * (y * CELL - high.y);
  if (y < bottom && slope != 0)
    to = high.x + slope * ((y + 1) * CELL - high.y);
  /* A point more to both sides makes up for rounding. */
  *left = CLAMP ((int) ((MIN (from, to) - 1) / CELL), 0, cells->columns - 1);
  *right = CLAMP ((int) ((MAX (from, to) + 1) / CELL), 0, cells->columns - 1);
}

/* Counts crossings. @weighed: lines that exist for a short time count less; to compare layouts, for which an estimate does where lines
 * are many. */
static double
count_crossings (PhLayout *layout, gboolean weighed)
{
  double count = 0;
  guint64 n_pairs = 0, step;
  g_autoptr (GArray) stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  Pairs pairs = { g_new0 (guint64, 1024), 1024, 0 };
  gboolean by_to;
  g_autofree guint *order = order_edges (layout, &by_to);
  g_autofree int *start = NULL, *fill = NULL, *items = NULL;
  const Cells cells = { (int) (MAX (layout->width, 0) / CELL) + 2, (int) (MAX (layout->height, 0) / CELL) + 2 };
  const int columns = cells.columns, rows = cells.rows;

  for (guint e = 0; e < layout->n_edges; e++)
    add_stretches (stretches, layout, order[e]);
  start = g_new0 (int, columns *rows + 2);
  fill = g_new0 (int, columns *rows + 2);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < stretches->len; i++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, i);
          int top, bottom, left, right;

          find_rows (&cells, s, &top, &bottom);
          for (int y = top; y <= bottom; y++)
            for (find_cells (&cells, s, y, &left, &right); left <= right; left++)
              if (pass == 0)
                start[y * columns + left + 1]++;
              else
                items[start[y * columns + left] + fill[y * columns + left]++] = i;
        }
      if (pass == 0)
        {
          for (int c = 0; c < columns * rows; c++)
            start[c + 1] += start[c];
          items = g_new (int, start[columns * rows] + 1);
        }
    }
  for (int c = 0; c < columns * rows && weighed; c++)
    n_pairs += (guint64) (start[c + 1] - start[c]) * (guint64) (start[c + 1] - start[c]) / 2;
  step = MIN (n_pairs / LOOK + 1, G_MAXINT / 4);
  /* Every so many of all items, not cells: one cell may hold most of the lines. */
  for (int c = 0, taken = 0; c < columns * rows; c++)
    for (int next = start[c]; taken < start[c + 1]; taken = (int) MIN (taken + (gint64) step, G_MAXINT))
      {
        const Stretch *s = &g_array_index (stretches, Stretch, items[taken]);
        const PhLayoutEdge *edge = &layout->edges[s->edge];

        /* Behind all that share its end. */
        for (next = MAX (next, taken); next < start[c + 1]; next++)
          if (end_of (&layout->edges[g_array_index (stretches, Stretch, items[next]).edge], by_to) != end_of (edge, by_to))
            break;
        for (int k = next; k < start[c + 1]; k++)
          {
            const Stretch *t = &g_array_index (stretches, Stretch, items[k]);
            const PhLayoutEdge *other = &layout->edges[t->edge];

            if (!related (edge, other) && cross (s, t) && add_pair (&pairs, s->edge, t->edge))
              count += weighed ? edge->presence * other->presence / (double) (PH_PRESENCE * PH_PRESENCE) : 1;
          }
      }
  g_free (pairs.keys);
  return count * step;
}

guint64
ph_layout_crossings (PhLayout *layout)
{
  return count_crossings (layout, FALSE);
}

double
ph_layered_tangle (PhLayout *layout)
{
  return count_crossings (layout, TRUE);
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
    for (int x = range[0]; x <= range[1]; x++)
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
