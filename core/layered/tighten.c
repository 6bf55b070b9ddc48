/* tighten.c: removes the space left by averaging four placements: the vertices of a straight line move together, as far as their neighbours
 * allow, to the weighted median of their linked vertices. No line gets a bend.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#include <math.h>
#include <stdlib.h>

#define STRAIGHT 0.5f
#define ROUNDS   3 /* each finds the lines anew, since lines that met are now one */
#define SWEEPS   6

typedef struct
{
  float shift;
  int weight;
} Wish;
typedef struct
{
  float x;
  int block;
} Sorted;

typedef struct
{
  PhLayered *layered;
  const int *pull;
  int *root;            /* of a vertex: its block */
  int *start, *members; /* of a block             */
  GArray *wishes;       /* (element-type Wish)    */
} Tightener;

static int
find_root (int *root, int v)
{
  while (root[v] != v)
    v = root[v] = root[root[v]];
  return v;
}

static int
compare_wishes (const void *a, const void *b)
{
  const Wish *x = a, *y = b;

  return x->shift < y->shift ? -1 : x->shift > y->shift;
}

static int
compare_sorted (const void *a, const void *b)
{
  const Sorted *x = a, *y = b;

  return x->x != y->x ? (x->x < y->x ? -1 : 1) : x->block - y->block;
}

static float
bend_of (const PhLayered *layered, const PhLink *link)
{
  return layered->x[link->to] + link->to_dx - layered->x[link->from] - link->from_dx;
}

static void
find_blocks (Tightener *t)
{
  PhLayered *layered = t->layered;
  const int n = layered->n;
  g_autofree int *fill = NULL;

  for (int v = 0; v < n; v++)
    t->root[v] = v;
  for (int i = 0; i < layered->n_links; i++)
    if (fabsf (bend_of (layered, &layered->links[i])) < STRAIGHT)
      t->root[find_root (t->root, layered->links[i].from)] = find_root (t->root, layered->links[i].to);
  memset (t->start, 0, sizeof (int) * (n + 2));
  for (int v = 0; v < n; v++)
    t->start[find_root (t->root, v) + 1]++;
  for (int v = 0; v < n; v++)
    t->start[v + 1] += t->start[v];
  fill = g_memdup2 (t->start, sizeof (int) * (n + 1));
  for (int v = 0; v < n; v++)
    t->members[fill[find_root (t->root, v)]++] = v;
}

/* Returns how far @block may and should move. */
static float
move_of (Tightener *t, int block)
{
  PhLayered *layered = t->layered;
  float low = -INFINITY, high = INFINITY;
  int total = 0, sum = 0;

  g_array_set_size (t->wishes, 0);
  for (int m = t->start[block]; m < t->start[block + 1]; m++)
    {
      const int v = t->members[m], start = layered->layer_start[layered->rank[v]];
      const int n = layered->layer_start[layered->rank[v] + 1] - start, place = layered->place[v];

      if (place > 0)
        {
          const int u = layered->order[start + place - 1];

          if (t->root[u] != block)
            low = MAX (low, layered->x[u] + ph_layered_apart (layered, u, v) - layered->x[v]);
        }
      if (place + 1 < n)
        {
          const int u = layered->order[start + place + 1];

          if (t->root[u] != block)
            high = MIN (high, layered->x[u] - ph_layered_apart (layered, v, u) - layered->x[v]);
        }
      for (int side = 0; side < 2; side++)
        {
          const PhRows *rows = side == 0 ? &layered->up : &layered->down;

          for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
            {
              const PhLink *link = &layered->links[rows->index[k]];
              const float bend = bend_of (layered, link);
              const Wish wish = { side == 0 ? -bend : bend, t->pull[rows->index[k]] };

              if (t->root[link->from] == t->root[link->to])
                continue;
              g_array_append_val (t->wishes, wish);
              total += wish.weight;
            }
        }
    }
  if (t->wishes->len == 0)
    return 0;
  qsort (t->wishes->data, t->wishes->len, sizeof (Wish), compare_wishes);
  for (guint i = 0; i < t->wishes->len; i++)
    {
      const Wish *wish = &g_array_index (t->wishes, Wish, i);

      sum += wish->weight;
      if (2 * sum < total)
        continue;
      /* Between two medians it keeps its place. */
      if (2 * sum == total && i + 1 < t->wishes->len)
        return CLAMP (CLAMP (0, wish->shift, g_array_index (t->wishes, Wish, i + 1).shift), MIN (low, 0), MAX (high, 0));
      return CLAMP (wish->shift, MIN (low, 0), MAX (high, 0));
    }
  return 0;
}

void
ph_layered_tighten (PhLayered *layered, const int *pull)
{
  const int n = layered->n, rounds = n < 20000 ? ROUNDS : 1, sweeps = n < 20000 ? SWEEPS : n < 100000 ? 3 : 1;
  Tightener t
      = { layered, pull, g_new (int, n + 1), g_new (int, n + 2), g_new (int, n + 1), g_array_new (FALSE, FALSE, sizeof (Wish)) };
  g_autofree Sorted *sorted = g_new (Sorted, n + 1);

  for (int round = 0; round < rounds; round++)
    {
      int n_sorted = 0;

      find_blocks (&t);
      for (int b = 0; b < n; b++)
        if (t.start[b] < t.start[b + 1])
          {
            sorted[n_sorted] = (Sorted) { INFINITY, b };
            for (int m = t.start[b]; m < t.start[b + 1]; m++)
              {
                t.root[t.members[m]] = b;
                sorted[n_sorted].x = MIN (sorted[n_sorted].x, layered->x[t.members[m]]);
              }
            n_sorted++;
          }
      qsort (sorted, n_sorted, sizeof *sorted, compare_sorted);
      for (int sweep = 0; sweep < sweeps; sweep++)
        for (int i = 0; i < n_sorted; i++)
          {
            const int block = sorted[sweep % 2 == 0 ? i : n_sorted - 1 - i].block;
            const float move = move_of (&t, block);

            for (int m = t.start[block]; move != 0 && m < t.start[block + 1]; m++)
              layered->x[t.members[m]] += move;
          }
    }
  g_free (t.root);
  g_free (t.start);
  g_free (t.members);
  g_array_unref (t.wishes);
}
