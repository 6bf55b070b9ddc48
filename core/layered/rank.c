/* rank.c: layers of the layered layout: no cycles, longest paths, then slack taken out of heavy edges, and out of all.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#include <math.h>

#define UNIT 10 /* weights are whole numbers of tenths */

void
ph_rows_init (PhRows *rows, int n, int n_links, const int *key, gsize stride)
{
  const char *at = (const char *) key;
  int *fill = g_new (int, n + 1);

  rows->start = g_new0 (int, n + 2);
  rows->index = g_new (int, MAX (n_links, 1));
  for (int i = 0; i < n_links; i++)
    rows->start[*(const int *) (at + i * stride) + 1]++;
  for (int v = 0; v < n; v++)
    rows->start[v + 1] += rows->start[v];
  memcpy (fill, rows->start, sizeof (int) * n);
  for (int i = 0; i < n_links; i++)
    rows->index[fill[*(const int *) (at + i * stride)]++] = i;
  g_free (fill);
}

void
ph_rows_clear (PhRows *rows)
{
  g_clear_pointer (&rows->start, g_free);
  g_clear_pointer (&rows->index, g_free);
}

/* Turns around the edges that close a cycle, found by a walk in depth without recursion. */
static void
break_cycles (PhLayout *layout, const PhRows *out, guint8 *reversed)
{
  const int n = layout->n_boxes;
  guint8 *state = g_new0 (guint8, n + 1); /* 0 unseen, 1 on the path, 2 done */
  int *next = g_new (int, n + 1), *path = g_new (int, n + 1);

  for (int root = 0; root < n; root++)
    {
      int depth = 0;

      if (state[root] != 0)
        continue;
      path[0] = root;
      next[root] = out->start[root];
      state[root] = 1;
      while (depth >= 0)
        {
          const int v = path[depth];

          if (next[v] == out->start[v + 1])
            {
              state[v] = 2;
              depth--;
              continue;
            }

          const int e = out->index[next[v]++];
          const int w = layout->edges[e].to;

          if (w == v)
            continue;
          if (state[w] == 1)
            reversed[e] = TRUE;
          else if (state[w] == 0)
            {
              state[w] = 1;
              next[w] = out->start[w];
              path[++depth] = w;
            }
        }
    }
  g_free (state);
  g_free (next);
  g_free (path);
}

/* Sorts topologically (Kahn). Returns -1 for a cycle, which break_cycles() excludes. */
static int
topological_order (int n, const PhArc *arcs, int n_arcs, const PhRows *out, int *order)
{
  int *missing = g_new0 (int, n + 1);
  int head = 0, tail = 0;

  for (int i = 0; i < n_arcs; i++)
    missing[arcs[i].to]++;
  for (int v = 0; v < n; v++)
    if (missing[v] == 0)
      order[tail++] = v;
  while (head < tail)
    {
      const int v = order[head++];

      for (int i = out->start[v]; i < out->start[v + 1]; i++)
        if (--missing[arcs[out->index[i]].to] == 0)
          order[tail++] = arcs[out->index[i]].to;
    }
  g_free (missing);
  return tail;
}

/* Moves @v within its slack to the side whose edges weigh more, in doubt to its operands. */
static void
settle (int v, const PhArc *arcs, const PhRows *in, const PhRows *out, int *rank)
{
  int weight_in = 0, weight_out = 0;
  int low = 0, high = G_MAXINT;

  for (int i = in->start[v]; i < in->start[v + 1]; i++)
    {
      const PhArc *arc = &arcs[in->index[i]];

      low = MAX (low, rank[arc->from] + arc->length);
      weight_in += arc->weight;
    }
  for (int i = out->start[v]; i < out->start[v + 1]; i++)
    {
      const PhArc *arc = &arcs[out->index[i]];

      high = MIN (high, rank[arc->to] - arc->length);
      weight_out += arc->weight;
    }
  if (high == G_MAXINT)
    rank[v] = low;
  else if (weight_out > weight_in)
    rank[v] = MAX (low, high);
  else if (weight_in > 0)
    rank[v] = low;
}

/* Moves a vertex with balanced edges down to its users: lines from one output share their course as far as possible, so the line above
 * exists anyway. */
static void
lower (int v, const PhArc *arcs, const PhRows *in, const PhRows *out, int *rank)
{
  int balance = 0, high = G_MAXINT;

  if (in->start[v] == in->start[v + 1] || out->start[v] == out->start[v + 1])
    return;
  for (int i = in->start[v]; i < in->start[v + 1]; i++)
    balance += arcs[in->index[i]].weight;
  for (int i = out->start[v]; i < out->start[v + 1]; i++)
    {
      balance -= arcs[out->index[i]].weight;
      high = MIN (high, rank[arcs[out->index[i]].to] - arcs[out->index[i]].length);
    }
  if (balance == 0)
    rank[v] = MAX (rank[v], high);
}

/* Moves ends to the border of the picture, where they need a lane: the simplex keeps them close to their neighbours. */
static void
move_to_border (const PhLayout *layout, const PhRows *in, const PhRows *out, int *rank)
{
  int least = G_MAXINT, most = 0;

  for (guint v = 0; v < layout->n_boxes; v++)
    {
      least = MIN (least, rank[v]);
      most = MAX (most, rank[v]);
    }
  for (guint v = 0; v < layout->n_boxes; v++)
    if (layout->boxes[v].border < 0 && in->start[v] == in->start[v + 1])
      rank[v] = least;
    else if (layout->boxes[v].border > 0 && out->start[v] == out->start[v + 1])
      rank[v] = most;
}

int
ph_layered_rank (PhLayout *layout, int *rank, guint8 *reversed)
{
  const int n = layout->n_boxes, n_edges = layout->n_edges;
  g_autofree PhArc *arcs = g_new (PhArc, MAX (n_edges, 1));
  g_autofree int *order = g_new (int, n + 1);
  g_autofree int *used = NULL;
  PhRows in, out;
  int n_arcs = 0, n_ordered, top = 0, n_layers = 0;
  gboolean columns = FALSE;

  ph_rows_init (&out, n, n_edges, (const int *) &layout->edges->from, sizeof (PhLayoutEdge));
  break_cycles (layout, &out, reversed);
  ph_rows_clear (&out);
  for (int e = 0; e < n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];

      if (edge->from != edge->to)
        arcs[n_arcs++] = (PhArc) { reversed[e] ? edge->to : edge->from, reversed[e] ? edge->from : edge->to, edge->min_length,
                                   MAX (lroundf (UNIT * edge->weight), 1) };
    }
  ph_rows_init (&out, n, n_arcs, &arcs->from, sizeof (PhArc));
  ph_rows_init (&in, n, n_arcs, &arcs->to, sizeof (PhArc));
  n_ordered = topological_order (n, arcs, n_arcs, &out, order);
  g_assert (n_ordered == n);

  memset (rank, 0, sizeof (int) * n);
  for (int v = 0; v < n && !columns; v++)
    columns = layout->boxes[v].column != 0;
  for (int i = 0; i < n; i++)
    for (int k = out.start[order[i]]; k < out.start[order[i] + 1]; k++)
      {
        const PhArc *arc = &arcs[out.index[k]];

        rank[arc->to] = MAX (rank[arc->to], rank[arc->from] + arc->length);
      }
  /* Moves all vertices except sources as low as they may be, so that whatever feeds a vertex comes down as a whole, however many edges it
   * has. The forward graph moves down to the backward one, with its ends. */
  for (int i = n - 1; i >= 0; i--)
    {
      int high = G_MAXINT;

      for (int k = out.start[order[i]]; k < out.start[order[i] + 1]; k++)
        {
          const int to = arcs[out.index[k]].to;

          if (!columns || layout->boxes[to].column != 0 || out.start[to] != out.start[to + 1])
            high = MIN (high, rank[to] - arcs[out.index[k]].length);
        }
      if (high != G_MAXINT)
        rank[order[i]] = MAX (rank[order[i]], high);
    }
  for (int i = 0; i < n && columns; i++)
    for (int k = out.start[order[i]]; k < out.start[order[i] + 1]; k++)
      rank[arcs[out.index[k]].to] = MAX (rank[arcs[out.index[k]].to], rank[order[i]] + arcs[out.index[k]].length);
  for (int sweep = 0; sweep < 3; sweep++)
    {
      for (int i = n - 1; i >= 0; i--)
        settle (order[i], arcs, &in, &out, rank);
      for (int i = 0; i < n; i++)
        settle (order[i], arcs, &in, &out, rank);
    }
  ph_layered_simplex (n, arcs, n_arcs, &in, &out, rank);
  for (int i = n - 1; i >= 0 && layout->turn % 2 == 0; i--)
    lower (order[i], arcs, &in, &out, rank);
  layout->spread = ph_layered_spread (layout, arcs, &in, &out, rank);
  move_to_border (layout, &in, &out, rank);
  ph_rows_clear (&in);
  ph_rows_clear (&out);

  /* Removes empty layers. */
  for (int v = 0; v < n; v++)
    top = MAX (top, rank[v]);
  used = g_new0 (int, top + 2);
  for (int v = 0; v < n; v++)
    used[rank[v]] = 1;
  for (int r = 0; r <= top; r++)
    used[r] = used[r] != 0 ? n_layers++ : n_layers;
  for (int v = 0; v < n; v++)
    rank[v] = used[rank[v]];
  return MAX (n_layers, 1);
}
