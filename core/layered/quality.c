/* quality.c: measures of layouts for comparison: crossings of edges, and edges across boxes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/helper.h"
#include "core/layered/layered.h"

#define CELL 120.0f

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
          const float t = k / (float) n, s = 1 - t;
          const PhPoint to = { s * s * s * p[0].x + 3 * s * s * t * p[1].x + 3 * s * t * t * p[2].x + t * t * t * p[3].x,
                               s * s * s * p[0].y + 3 * s * s * t * p[1].y + 3 * s * t * t * p[2].y + t * t * t * p[3].y };
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

/* Counts crossings. @weighed: lines that exist for a short time count less. */
static double
count_crossings (PhLayout *layout, gboolean weighed)
{
  double count = 0;
  g_autoptr (GArray) stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  Pairs pairs = { g_new0 (guint64, 1024), 1024, 0 };
  g_autofree int *start = NULL, *fill = NULL, *items = NULL;
  const int columns = (int) (MAX (layout->width, 0) / CELL) + 2, rows = (int) (MAX (layout->height, 0) / CELL) + 2;

  for (guint e = 0; e < layout->n_edges; e++)
    add_stretches (stretches, layout, e);
  start = g_new0 (int, columns *rows + 2);
  fill = g_new0 (int, columns *rows + 2);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < stretches->len; i++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, i);
          const int left = CLAMP ((int) (MIN (s->a.x, s->b.x) / CELL), 0, columns - 1);
          const int right = CLAMP ((int) (MAX (s->a.x, s->b.x) / CELL), 0, columns - 1);
          const int top = CLAMP ((int) (MIN (s->a.y, s->b.y) / CELL), 0, rows - 1);
          const int bottom = CLAMP ((int) (MAX (s->a.y, s->b.y) / CELL), 0, rows - 1);

          for (int y = top; y <= bottom; y++)
            for (int x = left; x <= right; x++)
              if (pass == 0)
                start[y * columns + x + 1]++;
              else
                items[start[y * columns + x] + fill[y * columns + x]++] = i;
        }
      if (pass == 0)
        {
          for (int c = 0; c < columns * rows; c++)
            start[c + 1] += start[c];
          items = g_new (int, start[columns * rows] + 1);
        }
    }
  for (int c = 0; c < columns * rows; c++)
    for (int i = start[c]; i < start[c + 1]; i++)
      for (int k = i + 1; k < start[c + 1]; k++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, items[i]), *t = &g_array_index (stretches, Stretch, items[k]);

          if (s->edge == t->edge || related (&layout->edges[s->edge], &layout->edges[t->edge]) || !cross (s, t))
            continue;
          if (add_pair (&pairs, s->edge, t->edge))
            count += weighed ? layout->edges[s->edge].presence * layout->edges[t->edge].presence
                                   / (double) (PH_PRESENCE * PH_PRESENCE)
                             : 1;
        }
  g_free (pairs.keys);
  return count;
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
#define INSIDE  3.0f /* points of a line allowed inside a box's border */
#define SAMPLES 12

/* The boxes that touch each square of the picture, as compressed rows. */
typedef struct
{
  int columns, rows, *start, *items;
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
  range[0] = CLAMP ((int) (low.x / SQUARE), 0, squares->columns - 1);
  range[1] = CLAMP ((int) (high.x / SQUARE), 0, squares->columns - 1);
  range[2] = CLAMP ((int) (low.y / SQUARE), 0, squares->rows - 1);
  range[3] = CLAMP ((int) (high.y / SQUARE), 0, squares->rows - 1);
}

static void
squares_init (Squares *squares, const PhLayout *layout)
{
  g_autofree int *fill = NULL;
  int n;

  squares->columns = (int) (CLAMP (layout->width, 0, 4e5f) / SQUARE) + 1;
  squares->rows = (int) (CLAMP (layout->height, 0, 4e6f) / SQUARE) + 1;
  while ((gint64) squares->columns * squares->rows > 4000000)
    squares->columns = MAX (squares->columns / 2, 1), squares->rows = MAX (squares->rows / 2, 1);
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
                squares->items[fill[y * squares->columns + x]++] = b;
        }
      if (pass == 0)
        {
          for (int i = 0; i < n; i++)
            squares->start[i + 1] += squares->start[i];
          squares->items = g_new (int, squares->start[n] + 1);
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
  int range[4];
  guint n = 0;

  squares_of (squares, (PhPoint) { MIN (a.x, b.x), MIN (a.y, b.y) }, (PhPoint) { MAX (a.x, b.x), MAX (a.y, b.y) }, range);
  for (int y = range[2]; y <= range[3]; y++)
    for (int x = range[0]; x <= range[1]; x++)
      for (int i = squares->start[y * squares->columns + x]; i < squares->start[y * squares->columns + x + 1]; i++)
        {
          const guint box = squares->items[i];
          PhPoint low, high;

          if (met[box] == e + 1 || box == edge->from || box == edge->to || !inside_of (&layout->boxes[box], &low, &high)
              || !enters (a, b, low, high))
            continue;
          met[box] = e + 1;
          n++;
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
              const float t = k / (float) SAMPLES, s = 1 - t;
              const PhPoint next = { s * s * s * p[0].x + 3 * s * s * t * p[1].x + 3 * s * t * t * p[2].x + t * t * t * p[3].x,
                                     s * s * s * p[0].y + 3 * s * s * t * p[1].y + 3 * s * t * t * p[2].y + t * t * t * p[3].y };

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
