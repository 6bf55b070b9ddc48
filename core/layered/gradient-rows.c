/* gradient-rows.c: decides which backward boxes share a row with the forward box that they differentiate.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/helper.h"
#include "core/layered/layered.h"

#define OFF 3.0f /* points of height difference allowed in a pair */

typedef struct
{
  int forward, backward, depth;
} Tie;

typedef struct
{
  const PhLayout *layout;
  PhRows rows; /* edges of the backward half by where they are drawn from: upwards, against the flow */
  int *queue;
  guint8 *seen;
} Reach;

gboolean
ph_layout_has_halves (const PhLayout *layout)
{
  gboolean halves[2] = { FALSE, FALSE };

  for (guint b = 0; b < layout->n_boxes; b++)
    halves[layout->boxes[b].column != 0] = TRUE;
  return halves[0] && halves[1];
}

static gboolean
is_backward (const PhLayout *layout, const PhLayoutEdge *edge)
{
  return edge->presence > 0 && layout->boxes[edge->from].column != 0 && layout->boxes[edge->to].column != 0;
}

/* Returns for each box of the backward half the edges of the longest path to it from the beginning of the half. */
static int *
find_depths (const PhLayout *layout)
{
  const guint n = layout->n_boxes;
  int *depth = g_new0 (int, n + 1);
  g_autofree int *n_left = g_new0 (int, n + 1), *queue = g_new (int, n + 1);
  PhRows ends;
  guint head = 0, tail = 0;

  for (guint e = 0; e < layout->n_edges; e++)
    if (is_backward (layout, &layout->edges[e]))
      n_left[layout->edges[e].from]++;
  ph_rows_init (&ends, n, layout->n_edges, (const int *) &layout->edges->to, sizeof (PhLayoutEdge));
  for (guint b = 0; b < n; b++)
    if (n_left[b] == 0)
      queue[tail++] = b;
  while (head < tail)
    {
      const int b = queue[head++];

      for (int k = ends.start[b]; k < ends.start[b + 1]; k++)
        {
          const PhLayoutEdge *edge = &layout->edges[ends.index[k]];

          if (!is_backward (layout, edge))
            continue;
          depth[edge->from] = MAX (depth[edge->from], depth[b] + 1);
          if (--n_left[edge->from] == 0)
            queue[tail++] = edge->from;
        }
    }
  ph_rows_clear (&ends);
  return depth;
}

static int
compare_ties (const void *a, const void *b)
{
  const Tie *x = a, *y = b;

  return x->forward != y->forward ? x->forward - y->forward
         : x->depth != y->depth   ? x->depth - y->depth
                                  : x->backward - y->backward;
}

/* Returns TRUE if @b depends on @a. */
static gboolean
comes_from (Reach *reach, int b, int a)
{
  int head = 0, tail = 0;
  gboolean found = FALSE;

  reach->queue[tail++] = b;
  reach->seen[b] = TRUE;
  while (head < tail && !found)
    {
      const int at = reach->queue[head++];

      for (int k = reach->rows.start[at]; k < reach->rows.start[at + 1] && !found; k++)
        {
          const PhLayoutEdge *edge = &reach->layout->edges[reach->rows.index[k]];

          if (!is_backward (reach->layout, edge) || reach->seen[edge->to])
            continue;
          reach->seen[edge->to] = TRUE;
          reach->queue[tail++] = edge->to;
          found = (int) edge->to == a;
        }
    }
  for (int i = 0; i < tail; i++)
    reach->seen[reach->queue[i]] = FALSE;
  return found;
}

GArray *
ph_layout_pairs (const PhLayout *layout, gboolean all)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (PhLayoutPair));
  g_autoptr (GArray) ties = g_array_new (FALSE, FALSE, sizeof (Tie));
  g_autofree int *depth = find_depths (layout), *queue = g_new (int, layout->n_boxes + 1);
  g_autofree guint8 *seen = g_new0 (guint8, layout->n_boxes + 1);
  Reach reach = { layout, { NULL, NULL }, queue, seen };

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const Tie tie = { edge->from, edge->to, depth[edge->to] };

      if (edge->presence == 0 && layout->boxes[edge->from].column == 0 && layout->boxes[edge->to].column != 0)
        g_array_append_val (ties, tie);
    }
  g_array_sort (ties, compare_ties);
  if (all)
    ph_rows_init (&reach.rows, layout->n_boxes, layout->n_edges, (const int *) &layout->edges->from, sizeof (PhLayoutEdge));
  for (guint i = 0, first = 0; i < ties->len; i++)
    {
      const Tie *tie = &g_array_index (ties, Tie, i);
      PhLayoutPair pair = { tie->forward, tie->backward, TRUE };
      gboolean apart = TRUE;

      if (i == 0 || g_array_index (ties, Tie, i - 1).forward != tie->forward)
        first = pairs->len;
      else if (!all)
        continue;
      for (guint k = first; k < pairs->len && apart; k++)
        apart = !comes_from (&reach, tie->backward, g_array_index (pairs, PhLayoutPair, k).b);
      if (!apart)
        continue;
      if (pairs->len > first)
        pair = (PhLayoutPair) { g_array_index (pairs, PhLayoutPair, first).b, tie->backward, FALSE };
      g_array_append_val (pairs, pair);
    }
  if (all)
    ph_rows_clear (&reach.rows);
  return pairs;
}

guint
ph_layout_off_row (const PhLayout *layout)
{
  g_autoptr (GArray) pairs = ph_layout_pairs (layout, FALSE);
  guint n = 0;

  for (guint i = 0; i < pairs->len; i++)
    {
      const PhLayoutPair *pair = &g_array_index (pairs, PhLayoutPair, i);

      n += fabsf (layout->boxes[pair->a].y - layout->boxes[pair->b].y) > OFF;
    }
  return n;
}
