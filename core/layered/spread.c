/* spread.c: moves boxes of very wide layers to neighbouring layers if they fit there as well.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "core/layered/layered.h"

#define WIDE  480.0f /* narrower layers are left alone      */
#define BROAD 2.2f   /* times the width in the middle       */
#define FAR   6      /* layers                              */
#define GAP   18.0f

typedef struct
{
  const PhLayout *layout;
  const PhArc *arcs;
  const PhRows *in, *out;
  int *rank;
  int n_layers;
  float *width; /* of the layers of the left column, then of the right one */
  float limit[2];
} Spreader;

typedef struct
{
  int box, to;
  float cost;
} Move;

static int
compare_moves (const void *a, const void *b)
{
  const Move *x = a, *y = b;

  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  return x->box - y->box;
}

static int
compare_widths (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return x < y ? -1 : x > y;
}

static int
column_of (const Spreader *s, int box)
{
  return s->layout->boxes[box].column != 0;
}

static float *
width_at (Spreader *s, int box, int layer)
{
  return &s->width[column_of (s, box) * s->n_layers + layer];
}

static void
set_limit (Spreader *s, int column)
{
  g_autofree float *widths = g_new (float, s->n_layers + 1);
  int n = 0;

  for (int r = 0; r < s->n_layers; r++)
    if (s->width[column * s->n_layers + r] > 0)
      widths[n++] = s->width[column * s->n_layers + r];
  qsort (widths, n, sizeof *widths, compare_widths);
  s->limit[column] = n > 0 ? MAX (BROAD * widths[n / 2], WIDE) : WIDE;
}

/* Finds the nearest layer with room that the edges of @v allow. */
static gboolean
find_move (Spreader *s, int v, Move *move)
{
  const float width = s->layout->boxes[v].width + GAP;
  int low = 0, high = s->n_layers - 1, above = 0, below = 0;

  for (int i = s->in->start[v]; i < s->in->start[v + 1]; i++)
    {
      const PhArc *arc = &s->arcs[s->in->index[i]];

      low = MAX (low, s->rank[arc->from] + arc->length);
      above += arc->weight;
    }
  for (int i = s->out->start[v]; i < s->out->start[v + 1]; i++)
    {
      const PhArc *arc = &s->arcs[s->out->index[i]];

      high = MIN (high, s->rank[arc->to] - arc->length);
      below += arc->weight;
    }
  for (int step = 1; step <= FAR; step++)
    for (int side = below <= above ? -1 : 1, k = 0; k < 2; k++, side = -side)
      {
        const int to = s->rank[v] + side * step;

        if (to < low || to > high || *width_at (s, v, to) + width > s->limit[column_of (s, v)])
          continue;
        *move = (Move) { v, to, (float) step * (side < 0 ? below - above : above - below) + 0.01f * step };
        return TRUE;
      }
  return FALSE;
}

/* Moves boxes out of a layer. Returns FALSE if none can move. @moves: room for @n. */
static gboolean
narrow (Spreader *s, int column, int layer, const int *boxes, int n, Move *moves)
{
  float *width = &s->width[column * s->n_layers + layer];
  int n_moves = 0;

  for (int i = 0; i < n; i++)
    if (column_of (s, boxes[i]) == column && s->rank[boxes[i]] == layer && find_move (s, boxes[i], &moves[n_moves]))
      n_moves++;
  qsort (moves, n_moves, sizeof *moves, compare_moves);
  for (int i = 0; i<n_moves && * width> s->limit[column] && s->layout->spread; i++)
    {
      const int v = moves[i].box;

      /* Earlier moves may have used up the room. */
      if (!find_move (s, v, &moves[i]))
        continue;
      *width -= s->layout->boxes[v].width + GAP;
      *width_at (s, v, moves[i].to) += s->layout->boxes[v].width + GAP;
      s->rank[v] = moves[i].to;
    }
  return n_moves > 0;
}

gboolean
ph_layered_spread (const PhLayout *layout, const PhArc *arcs, const PhRows *in, const PhRows *out, int *rank)
{
  const int n = layout->n_boxes;
  gboolean could = FALSE;
  Spreader s = { .layout = layout, .arcs = arcs, .in = in, .out = out, .rank = rank };
  g_autofree int *start = NULL, *boxes = g_new (int, n + 1);
  g_autofree Move *moves = g_new (Move, n + 1);

  if (n == 0 || layout->boxes[0].width <= 0) /* ranked only: nothing has a size yet */
    return FALSE;
  for (int v = 0; v < n; v++)
    s.n_layers = MAX (s.n_layers, rank[v] + 1);
  s.width = g_new0 (float, 2 * s.n_layers + 1);
  start = g_new0 (int, s.n_layers + 2);
  for (int v = 0; v < n; v++)
    {
      *width_at (&s, v, rank[v]) += layout->boxes[v].width + GAP;
      start[rank[v] + 1]++;
    }
  for (int r = 0; r < s.n_layers; r++)
    start[r + 1] += start[r];
  for (int v = 0; v < n; v++)
    boxes[start[rank[v]]++] = v;
  set_limit (&s, 0);
  set_limit (&s, 1);
  for (int r = 0; r < s.n_layers && (layout->spread || !could); r++)
    for (int column = 0; column < 2; column++)
      if (s.width[column * s.n_layers + r] > s.limit[column])
        could |= narrow (&s, column, r, boxes + (r > 0 ? start[r - 1] : 0), start[r] - (r > 0 ? start[r - 1] : 0), moves);
  g_free (s.width);
  return could;
}
