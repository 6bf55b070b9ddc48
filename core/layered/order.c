/* order.c: the order inside each layer: barycentres down and up, from several starts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#define SMALL  12000 /* vertices with bends, up to which more orders are tried */
#define SHAKES 4
#define ROUNDS 4

typedef struct
{
  float key;
  int place, vertex;
} Ranked;

static int
compare_ranked (const void *a, const void *b)
{
  const Ranked *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->place - y->place;
}

typedef struct
{
  int reach, index, vertex;
} Branch;

static int
compare_branches (const void *a, const void *b)
{
  const Branch *x = a, *y = b;

  return x->reach != y->reach ? x->reach - y->reach : x->index - y->index;
}

/* Returns for each vertex the furthest layer that a path from it reaches. */
static int *
find_reach (PhLayered *layered, gboolean downwards)
{
  const PhRows *ahead = downwards ? &layered->down : &layered->up;
  g_autofree int *by_layer = g_new (int, layered->n + 1),
                 *fill = g_memdup2 (layered->layer_start, sizeof (int) * (layered->n_layers + 1));
  int *reach = g_new0 (int, layered->n + 1);

  for (int v = 0; v < layered->n; v++)
    by_layer[fill[layered->rank[v]]++] = v;
  for (int i = 0; i < layered->n; i++)
    {
      const int v = by_layer[downwards ? layered->n - 1 - i : i];

      for (int k = ahead->start[v]; k < ahead->start[v + 1]; k++)
        {
          const PhLink *link = &layered->links[ahead->index[k]];

          reach[v] = MAX (reach[v], reach[downwards ? link->to : link->from] + 1);
        }
    }
  return reach;
}

/* Orders vertices by a depth-first walk from the top or from the bottom, which makes neighbours in the graph neighbours in the picture.
 * @turn: the order of branches: 0 as they come, 1 reversed, 2 shortest first, 3 longest first; it decides at which side of a chain its
 * branches are. */
static void
initial_order (PhLayered *layered, gboolean downwards, int turn)
{
  const int n = layered->n;
  const PhRows *ahead = downwards ? &layered->down : &layered->up, *behind = downwards ? &layered->up : &layered->down;
  g_autofree int *fill = g_memdup2 (layered->layer_start, sizeof (int) * layered->n_layers);
  g_autofree guint8 *seen = g_new0 (guint8, n + 1);
  g_autofree int *stack = g_new (int, layered->n_links + n + 1);
  g_autofree int *reach = turn >= 2 ? find_reach (layered, downwards) : NULL;
  g_autofree Branch *branches = g_new (Branch, layered->n_links + 1);

  for (int pass = 0; pass < 2; pass++)
    for (int v = 0; v < n; v++)
      {
        int depth = 0;

        /* First from vertices without predecessors; then the rest. */
        if (seen[v] || (pass == 0 && behind->start[v] != behind->start[v + 1]))
          continue;
        stack[depth++] = v;
        while (depth > 0)
          {
            const int w = stack[--depth];
            int n_branches = 0;

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
                  branches[n_branches++] = (Branch) { reach == NULL ? 0
                                                      : turn == 2   ? -reach[next]
                                                                    : reach[next],
                                                      turn == 1 ? i : -i, next };
              }
            if (n_branches > 1)
              qsort (branches, n_branches, sizeof *branches, compare_branches);
            for (int i = 0; i < n_branches; i++) /* the last one is popped first */
              stack[depth++] = branches[i].vertex;
          }
      }
}

typedef struct
{
  int place, presence;
} End;

/* Counts crossings below a layer. Lines present for a short time count less: nodes removed early must not tangle the lasting ones. */
static guint64
crossings_below (PhLayered *layered, int layer, int *tree, End *ends)
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
        {
          const PhLink *link = &layered->links[layered->down.index[k]];

          ends[n++] = (End) { layered->place[link->to], link->presence };
        }
      for (int k = first; k < n; k++) /* those of one vertex do not cross each other */
        for (int at = width - 1 - ends[k].place; at > 0; at -= at & -at)
          crossings += (guint64) tree[at] * ends[k].presence;
      for (int k = first; k < n; k++)
        for (int at = width - ends[k].place; at <= width; at += at & -at)
          tree[at] += ends[k].presence;
    }
  return crossings;
}

/* Counts crossings of lines to the other column with lines on their way. */
static guint64
crossings_aside (const PhLayered *layered, int layer)
{
  const int start = layered->layer_start[layer], n = layered->layer_start[layer + 1] - start;
  guint64 crossings = 0, lines = 0;

  for (int i = 0; i < n; i++)
    {
      const int v = layered->order[start + (layered->rightwards ? n - 1 - i : i)];

      crossings += lines * layered->across[v];
      lines += layered->lines[v];
    }
  return crossings;
}

guint64
ph_layered_crossings (PhLayered *layered, int top, int bottom)
{
  g_autofree int *tree = g_new (int, layered->n + 2);
  g_autofree End *ends = g_new (End, MAX (layered->n_links, 1));
  guint64 crossings = 0;

  for (int layer = top; layer < bottom; layer++)
    {
      layered->work += layered->layer_start[layer + 1] - layered->layer_start[layer];
      if (layer + 1 < layered->n_layers)
        crossings += crossings_below (layered, layer, tree, ends);
      if (layered->across != NULL)
        crossings += crossings_aside (layered, layer);
    }
  return crossings;
}

static guint64
count_crossings (PhLayered *layered)
{
  return ph_layered_crossings (layered, 0, layered->n_layers);
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
          sum += link->weight * link->presence * (layered->place[w] + 0.9f * dx / (layered->left[w] + layered->right[w]));
          weight += link->weight * link->presence;
        }
      ranked[i] = (Ranked) { weight > 0 ? sum / weight : i, i, v };
    }
  /* A vertex without neighbours on that side stays next to its left neighbour. */
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

/* Moves the right end of a flat edge right after its left end, if it is to its left. */
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

/* Improves an initial order; @best is set to the best order found if it beats @least crossings. Returns FALSE if cancelled. */
static gboolean
improve (PhLayered *layered, Ranked *ranked, int *best, guint64 *least, GCancellable *cancellable)
{
  const int rounds = layered->n < 20000 ? 12 : layered->n < 100000 ? 6 : 3;
  guint64 lowest = G_MAXUINT64;

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
            for (int i = 0; i < 3 && ph_layered_exchange (layered); i++)
              ;
          if (layered->n < SMALL && stuck > 0)
            ph_layered_sift (layered);
          keep_flat (layered);
        }
      crossings = count_crossings (layered);
      stuck++;
      if (crossings < lowest)
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

/* Reverses random stretches of some layers: a new start near a good order. */
static void
shake (PhLayered *layered, GRand *rand)
{
  for (int layer = 0; layer < layered->n_layers; layer++)
    {
      int *order = layered->order + layered->layer_start[layer];
      const int n = layered->layer_start[layer + 1] - layered->layer_start[layer];

      if (n < 2 || g_rand_int_range (rand, 0, 3) > 0)
        continue;
      for (int a = g_rand_int_range (rand, 0, n - 1), b = g_rand_int_range (rand, a + 1, n); a < b; a++, b--)
        {
          const int v = order[a];

          order[a] = order[b];
          order[b] = v;
        }
    }
}

static void
take_order (PhLayered *layered, const int *order)
{
  if (order != layered->order)
    memcpy (layered->order, order, sizeof (int) * layered->n);
  for (int layer = 0; layer < layered->n_layers; layer++)
    for (int i = layered->layer_start[layer]; i < layered->layer_start[layer + 1]; i++)
      layered->place[layered->order[i]] = i - layered->layer_start[layer];
}

/* Orders the lasting links first, as if the others did not exist; then inserts the others. Returns FALSE if cancelled, or if all last
 * equally long. */
static gboolean
begin_with_lasting (PhLayered *layered, Ranked *ranked, int *best, GCancellable *cancellable)
{
  g_autofree int *presence = g_new (int, layered->n_links + 1);
  int most = 0, n_seldom = 0;
  guint64 least = G_MAXUINT64;

  for (int i = 0; i < layered->n_links; i++)
    most = MAX (most, layered->links[i].presence);
  for (int i = 0; i < layered->n_links; i++)
    {
      presence[i] = layered->links[i].presence;
      if (2 * presence[i] <= most)
        {
          layered->links[i].presence = 0;
          n_seldom++;
        }
    }
  if (n_seldom > 0 && improve (layered, ranked, best, &least, cancellable))
    take_order (layered, best);
  for (int i = 0; i < layered->n_links; i++)
    layered->links[i].presence = presence[i];
  if (n_seldom == 0 || g_cancellable_is_cancelled (cancellable))
    return FALSE;
  for (int i = 0; i < 20 && !g_cancellable_is_cancelled (cancellable) && ph_layered_sift (layered); i++)
    ;
  return TRUE;
}

gboolean
ph_layered_order (PhLayered *layered, GCancellable *cancellable)
{
  g_autofree Ranked *ranked = g_new (Ranked, layered->n + 1);
  g_autofree int *best = g_new (int, layered->n + 1), *found = g_new (int, layered->n + 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (layered->layout->turn);
  const int starts = layered->n < SMALL ? 9 + SHAKES : layered->n < 20000 ? 2 : 1;
  guint64 least = G_MAXUINT64;
  int n_tops = 0, n_bottoms = 0;

  for (int v = 0; v < layered->n; v++)
    {
      n_tops += layered->up.start[v] == layered->up.start[v + 1];
      n_bottoms += layered->down.start[v] == layered->down.start[v + 1];
    }
  /* Starts at the side with fewer vertices, then from the other side too while that is fast, then near the better order. */
  for (int i = 0; i < starts && least > 0 && !ph_layered_is_spent (layered); i++)
    {
      if (i < 8)
        initial_order (layered, (n_tops <= n_bottoms) == (i % 2 == 0), i / 2);
      else if (i == 8)
        {
          initial_order (layered, n_tops <= n_bottoms, 0);
          if (!begin_with_lasting (layered, ranked, found, cancellable))
            continue;
        }
      else
        {
          take_order (layered, best);
          shake (layered, rand);
          take_order (layered, layered->order);
        }
      if (!improve (layered, ranked, best, &least, cancellable))
        return FALSE;
    }
  take_order (layered, best);
  for (int i = 0; i < 20 && layered->n < SMALL && !g_cancellable_is_cancelled (cancellable) && ph_layered_sift (layered); i++)
    ;
  for (int k = 0; k < ROUNDS && layered->n < SMALL && !g_cancellable_is_cancelled (cancellable) && ph_layered_thread (layered, k);
       k++)
    for (int i = 0; i < 20 && !g_cancellable_is_cancelled (cancellable) && ph_layered_sift (layered); i++)
      ;
  keep_flat (layered);
  layered->layout->coarse |= ph_layered_is_spent (layered);
  return !g_cancellable_is_cancelled (cancellable);
}
