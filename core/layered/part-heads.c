/* part-heads.c: separates the arrows of lines that end at the same place of a box.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/layered.h"

#define GAP   12.0f /* points between two arrows                     */
#define LEAST 5.0f  /* arrows that are nearer are one                */
#define ROOM  0.6f  /* of half a box's width: lines end in it        */
#define SMALL 24.0f /* narrower items are bends, not boxes           */
#define FEW   3     /* arrows, up to which a straight one stays straight */
#define SAME  0.5f  /* points between two places that are one        */

/* The end of a line at which its arrow is. */
typedef struct
{
  guint edge, box;
  PhPoint tip;
  PhPoint *points; /* from the tip on, @step apart */
  int step, n;
  int order; /* operand index, -1: none */
} Head;

static float
x_of (const Head *head, int i)
{
  return head->points[i * head->step].x;
}

static int
compare_heads (const void *a, const void *b)
{
  const Head *x = a, *y = b;

  if (x->box != y->box)
    return x->box < y->box ? -1 : 1;
  if (fabsf (x->tip.y - y->tip.y) > SAME)
    return x->tip.y < y->tip.y ? -1 : 1;
  if (fabsf (x->tip.x - y->tip.x) > SAME)
    return x->tip.x < y->tip.x ? -1 : 1;
  if (x->order >= 0 && y->order >= 0 && x->order != y->order)
    return x->order - y->order;
  /* In the order in which they arrive, to avoid crossings. */
  for (int i = 3; i < MIN (x->n, y->n); i += 3)
    if (fabsf (x_of (x, i) - x_of (y, i)) > SAME)
      return x_of (x, i) < x_of (y, i) ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Returns TRUE if both lines take the same route: separated, they would look like one line that forks. */
static gboolean
is_shared (const Head *a, const Head *b)
{
  return fabsf (x_of (a, 3) - x_of (b, 3)) < SAME && fabsf (a->points[3 * a->step].y - b->points[3 * b->step].y) < SAME;
}

static gboolean
is_straight (const Head *head)
{
  for (int i = 1; i < head->n; i++)
    if (fabsf (x_of (head, i) - head->tip.x) > SAME)
      return FALSE;
  return TRUE;
}

/* Shifts the tip and the straight stretch to it, but not the other end of the line. */
static void
shift_head (const Head *head, float dx)
{
  int n = 2;

  while (n < head->n && fabsf (x_of (head, n) - head->tip.x) < SAME)
    n++;
  if (n == head->n)
    n = 2;
  for (int i = 0; i < n; i++)
    head->points[i * head->step].x += dx;
}

static void
part (const PhLayout *layout, const Head *heads, int n)
{
  const PhLayoutBox *box = &layout->boxes[heads[0].box];
  const float room = 2 * ROOM * (box->width / 2 - fabsf (box->anchor));
  int ways = 1, straight = 0, at = 0;
  float gap, middle;

  for (int i = 1; i < n; i++)
    ways += !is_shared (&heads[i - 1], &heads[i]);
  gap = MIN (GAP, room / MAX (ways - 1, 1));
  if (ways == 1 || gap < LEAST)
    return;
  middle = (ways - 1) / 2.0f;
  for (int i = 0; i < n && ways <= FEW; i++)
    {
      at += i > 0 && !is_shared (&heads[i - 1], &heads[i]);
      if (is_straight (&heads[i]))
        middle = straight++ == 0 ? at : (ways - 1) / 2.0f;
    }
  for (int i = 0, k = 0; i < n; i++)
    {
      const gboolean next = i + 1 < n && !is_shared (&heads[i], &heads[i + 1]);

      shift_head (&heads[i], gap * (k - middle));
      k += next;
    }
}

void
ph_layout_part_heads (PhLayout *layout, const guint8 *fixed)
{
  g_autofree Head *heads = g_new (Head, layout->n_edges + 1);
  guint n = 0;

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const guint at = edge->turned ? edge->from : edge->to;
      const PhLayoutBox *box = &layout->boxes[at];
      PhPoint *points = &g_array_index (layout->points, PhPoint, edge->first_point);
      Head head = { .edge = e, .box = at, .n = edge->n_points, .order = edge->ordered && !edge->turned ? edge->operand : -1 };

      if (edge->n_points < 4 || edge->presence == 0 || edge->pinned || box->width < SMALL || (fixed != NULL && fixed[at]))
        continue;
      head.points = edge->turned ? points : points + edge->n_points - 1;
      head.step = edge->turned ? 1 : -1;
      head.tip = *head.points;
      /* Only ends at the top or bottom of a box. */
      if (fabsf (fabsf (head.tip.y - box->y) - (box->height / 2 - box->inset)) < 1)
        heads[n++] = head;
    }
  qsort (heads, n, sizeof *heads, compare_heads);
  for (guint i = 0, stop; i < n; i = stop)
    {
      for (stop = i + 1; stop < n && heads[stop].box == heads[i].box && fabsf (heads[stop].tip.y - heads[i].tip.y) <= SAME
                         && fabsf (heads[stop].tip.x - heads[i].tip.x) <= SAME;
           stop++)
        ;
      if (stop - i > 1)
        part (layout, heads + i, stop - i);
    }
}
