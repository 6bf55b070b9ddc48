/* order.c: the order inside each layer: barycentres down and up, then exchanges of neighbours.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/layered.h"

typedef struct { float key; int place, vertex; } Ranked;

static int
compare_ranked (const void *a, const void *b)
{
  const Ranked *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->place - y->place;
}

/* Where a walk in depth from the top, or from the bottom, meets each vertex: neighbours in the graph start as neighbours in the
 * picture. */
static void
initial_order (PhLayered *layered, gboolean downwards)
{
  const int n = layered->n;
  const PhRows *ahead = downwards ? &layered->down : &layered->up, *behind = downwards ? &layered->up : &layered->down;
  int *fill = g_memdup2 (layered->layer_start, sizeof (int) * layered->n_layers);
  guint8 *seen = g_new0 (guint8, n + 1);
  int *stack = g_new (int, layered->n_links + n + 1);

  for (int pass = 0; pass < 2; pass++)
    for (int v = 0; v < n; v++)
      {
        int depth = 0;

        /* First from where nothing enters; what remains hangs on nothing from there. */
        if (seen[v] || (pass == 0 && behind->start[v] != behind->start[v + 1]))
          continue;
        stack[depth++] = v;
        while (depth > 0)
          {
            const int w = stack[--depth];

            if (seen[w])
              continue;
            seen[w] = TRUE;
            layered->place[w] = fill[layered->rank[w]] - layered->layer_start[layered->rank[w]];
            layered->order[fill[layered->rank[w]]++] = w;
            for (int i = ahead->start[w + 1] - 1; i >= ahead->start[w]; i--)
              {
                const PhLink *link = &layered->links[ahead->index[i]];
                const int next = downwards ? link->to : link->from;

                if (!seen[next])
                  stack[depth++] = next;
              }
          }
      }
  g_free (fill);
  g_free (seen);
  g_free (stack);
}

static guint64
crossings_below (PhLayered *layered, int layer, int *tree, int *ends)
{
  const int start = layered->layer_start[layer], stop = layered->layer_start[layer + 1];
  const int width = layered->layer_start[layer + 2] - stop;
  guint64 crossings = 0;
  int n = 0;

  /* Ends of the links below, from left to right and, for one vertex, by place: an insertion count of inversions. */
  memset (tree, 0, sizeof (int) * (width + 1));
  for (int i = start; i < stop; i++)
    {
      const int v = layered->order[i];
      const int first = n;

      for (int k = layered->down.start[v]; k < layered->down.start[v + 1]; k++)
        ends[n++] = layered->place[layered->links[layered->down.index[k]].to];
      for (int k = first; k < n; k++)      /* those of one vertex do not cross each other */
        for (int at = width - 1 - ends[k]; at > 0; at -= at & -at)
          crossings += tree[at];
      for (int k = first; k < n; k++)
        for (int at = width - ends[k]; at <= width; at += at & -at)
          tree[at]++;
    }
  return crossings;
}

guint64
ph_layered_count_crossings (PhLayered *layered)
{
  g_autofree int *tree = g_new (int, layered->n + 2);
  g_autofree int *ends = g_new (int, MAX (layered->n_links, 1));
  guint64 crossings = 0;

  for (int layer = 0; layer + 1 < layered->n_layers; layer++)
    crossings += crossings_below (layered, layer, tree, ends);
  return crossings;
}

static void
sort_layer (PhLayered *layered, int layer, gboolean downwards, Ranked *ranked)
{
  const int start = layered->layer_start[layer], n = layered->layer_start[layer + 1] - start;
  const PhRows *rows = downwards ? &layered->up : &layered->down;
  gboolean sorted = TRUE;

  for (int i = 0; i < n; i++)
    {
      const int v = layered->order[start + i];
      float sum = 0, weight = 0;

      for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
        {
          const PhLink *link = &layered->links[rows->index[k]];
          const int w = downwards ? link->from : link->to;
          const float dx = downwards ? link->from_dx : link->to_dx;

          /* A port off the middle counts as a fraction of a place. */
          sum += link->weight * (layered->place[w] + 0.9f * dx / (layered->left[w] + layered->right[w]));
          weight += link->weight;
        }
      ranked[i] = (Ranked) { weight > 0 ? sum / weight : i, i, v };
    }
  /* What has no neighbour on that side stays next to its left neighbour. */
  for (int i = 0; i < n; i++)
    if (rows->start[ranked[i].vertex] == rows->start[ranked[i].vertex + 1] && i > 0)
      ranked[i].key = ranked[i - 1].key;
  for (int i = 1; i < n && sorted; i++)
    sorted = ranked[i - 1].key <= ranked[i].key;
  if (sorted)
    return;
  qsort (ranked, n, sizeof *ranked, compare_ranked);
  for (int i = 0; i < n; i++)
    {
      layered->order[start + i] = ranked[i].vertex;
      layered->place[ranked[i].vertex] = i;
    }
}

/* The links of neighbours @a and @b that cross in one direction when @a stands left of @b, minus those when right. */
static int
exchange_gain (PhLayered *layered, const PhRows *rows, gboolean downwards, int a, int b)
{
  int gain = 0;

  for (int i = rows->start[a]; i < rows->start[a + 1]; i++)
    {
      const PhLink *la = &layered->links[rows->index[i]];
      const int pa = layered->place[downwards ? la->to : la->from];

      for (int k = rows->start[b]; k < rows->start[b + 1]; k++)
        {
          const PhLink *lb = &layered->links[rows->index[k]];
          const int pb = layered->place[downwards ? lb->to : lb->from];

          gain += (pa > pb) - (pa < pb);
        }
    }
  return gain;
}

static gboolean
exchange_neighbours (PhLayered *layered)
{
  gboolean better = FALSE;

  for (int layer = 0; layer < layered->n_layers; layer++)
    for (int i = layered->layer_start[layer]; i + 1 < layered->layer_start[layer + 1]; i++)
      {
        const int a = layered->order[i], b = layered->order[i + 1];

        if ((layered->down.start[a + 1] - layered->down.start[a]) * (layered->down.start[b + 1] - layered->down.start[b]) > 400
            || (layered->up.start[a + 1] - layered->up.start[a]) * (layered->up.start[b + 1] - layered->up.start[b]) > 400)
          continue;
        if (exchange_gain (layered, &layered->down, TRUE, a, b) + exchange_gain (layered, &layered->up, FALSE, a, b) > 0)
          {
            layered->order[i] = b;
            layered->order[i + 1] = a;
            layered->place[b]--;
            layered->place[a]++;
            better = TRUE;
          }
      }
  return better;
}

/* The right end of a flat edge goes right after its left end, where it stands to the left of it. */
static void
keep_flat (PhLayered *layered)
{
  for (guint i = 0; i < layered->flat->len; i++)
    {
      const PhLink *flat = &g_array_index (layered->flat, PhLink, i);
      int *order = layered->order + layered->layer_start[layered->rank[flat->from]];
      const int from = layered->place[flat->from], to = layered->place[flat->to];

      if (to > from)
        continue;
      memmove (order + to, order + to + 1, sizeof (int) * (from - to));
      order[from] = flat->to;
      for (int k = to; k <= from; k++)
        layered->place[order[k]] = k;
    }
}

/* Improves what initial_order() began; the best that was seen is left in @best when it beats @least crossings. FALSE: cancelled. */
static gboolean
improve (PhLayered *layered, Ranked *ranked, int *best, guint64 *least, GCancellable *cancellable)
{
  const int rounds = layered->n < 20000 ? 12 : layered->n < 100000 ? 6 : 3;
  guint64 lowest;

  keep_flat (layered);
  for (int round = -1, stuck = 0; round < rounds && stuck < 4; round++)
    {
      guint64 crossings;

      if (g_cancellable_is_cancelled (cancellable))
        return FALSE;
      if (round >= 0)
        {
          if (round % 2 == 0)
            for (int layer = 1; layer < layered->n_layers; layer++)
              sort_layer (layered, layer, TRUE, ranked);
          else
            for (int layer = layered->n_layers - 2; layer >= 0; layer--)
              sort_layer (layered, layer, FALSE, ranked);
          if (layered->n < 50000)
            for (int i = 0; i < 3 && exchange_neighbours (layered); i++)
              ;
          keep_flat (layered);
        }
      crossings = ph_layered_count_crossings (layered);
      stuck++;
      if (round < 0 || crossings < lowest)
        {
          lowest = crossings;
          stuck = 0;
        }
      if (crossings < *least)
        {
          *least = crossings;
          memcpy (best, layered->order, sizeof (int) * layered->n);
        }
      if (crossings == 0)
        break;
    }
  return TRUE;
}

gboolean
ph_layered_order (PhLayered *layered, GCancellable *cancellable)
{
  g_autofree Ranked *ranked = g_new (Ranked, layered->n + 1);
  g_autofree int *best = g_new (int, layered->n + 1);
  guint64 least = G_MAXUINT64;
  int n_tops = 0, n_bottoms = 0;

  for (int v = 0; v < layered->n; v++)
    {
      n_tops += layered->up.start[v] == layered->up.start[v + 1];
      n_bottoms += layered->down.start[v] == layered->down.start[v + 1];
    }
  /* From where there are fewer to begin at; from the other side too while that is quick. */
  for (int i = 0; i < 2 && least > 0 && (i == 0 || layered->n < 20000); i++)
    {
      initial_order (layered, (n_tops <= n_bottoms) == (i == 0));
      if (!improve (layered, ranked, best, &least, cancellable))
        return FALSE;
    }
  memcpy (layered->order, best, sizeof (int) * layered->n);
  for (int layer = 0; layer < layered->n_layers; layer++)
    for (int i = layered->layer_start[layer]; i < layered->layer_start[layer + 1]; i++)
      layered->place[layered->order[i]] = i - layered->layer_start[layer];
  return TRUE;
}
