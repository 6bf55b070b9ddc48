/* exchange.c: improves the order of a layer by moving one vertex at a time: past its neighbour, or to the best of all places.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#define MANY 400 /* pairs of links, beyond which two vertices are not compared */

/* Improving an order costs the square of the widest layer, which graphs of thousands of boxes joined at random make too much. The limit
 * grows with the graph and counts comparisons, not time, so that the same graph always has the same picture. */
gboolean
ph_layered_is_spent (const PhLayered *layered)
{
  return layered->work > MIN (2000000 + 8000 * (guint64) layered->n, 30000000);
}

static int
degree_of (const PhRows *rows, int v)
{
  return rows->start[v + 1] - rows->start[v];
}

/* Returns the weighted crossings of @a's and @b's links on one side with @a on the left, minus those with @a on the right. */
static int
gain_on (PhLayered *layered, const PhRows *rows, gboolean downwards, int a, int b)
{
  int gain = 0;

  layered->work += 1 + (guint64) degree_of (rows, a) * degree_of (rows, b);

  for (int i = rows->start[a]; i < rows->start[a + 1]; i++)
    {
      const PhLink *la = &layered->links[rows->index[i]];
      const int pa = layered->place[downwards ? la->to : la->from];

      for (int k = rows->start[b]; k < rows->start[b + 1]; k++)
        {
          const PhLink *lb = &layered->links[rows->index[k]];
          const int pb = layered->place[downwards ? lb->to : lb->from];

          gain += ((pa > pb) - (pa < pb)) * la->presence * lb->presence;
        }
    }
  return gain;
}

static gboolean
comparable (const PhLayered *layered, int a, int b)
{
  return degree_of (&layered->down, a) * degree_of (&layered->down, b) <= MANY
         && degree_of (&layered->up, a) * degree_of (&layered->up, b) <= MANY;
}

/* Returns the crossings saved by exchanging @a, the left one, and @b. */
static int
exchange_gain (PhLayered *layered, int a, int b)
{
  const int aside = layered->across == NULL ? 0 : layered->across[b] * layered->lines[a] - layered->across[a] * layered->lines[b];

  return gain_on (layered, &layered->down, TRUE, a, b) + gain_on (layered, &layered->up, FALSE, a, b)
         + (layered->rightwards ? -aside : aside);
}

gboolean
ph_layered_exchange (PhLayered *layered)
{
  gboolean better = FALSE;

  for (int layer = 0; layer < layered->n_layers; layer++)
    for (int i = layered->layer_start[layer]; i + 1 < layered->layer_start[layer + 1] && !ph_layered_is_spent (layered); i++)
      {
        const int a = layered->order[i], b = layered->order[i + 1];

        if (comparable (layered, a, b) && exchange_gain (layered, a, b) > 0)
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

/* Finds the position in its layer at which the vertex at @at has the fewest crossings, and the crossings saved by the move. */
static int
best_move (PhLayered *layered, const int *order, int n, int at, int *gain)
{
  const int v = order[at];
  int best = at;

  *gain = 0;
  for (int step = -1; step <= 1; step += 2)
    {
      int sum = 0;

      for (int i = at + step; i >= 0 && i < n && comparable (layered, v, order[i]); i += step)
        {
          sum += step < 0 ? exchange_gain (layered, order[i], v) : exchange_gain (layered, v, order[i]);
          if (sum > *gain)
            {
              *gain = sum;
              best = i;
            }
        }
    }
  return best;
}

void
ph_layered_move (PhLayered *layered, int v, int to)
{
  int *order = layered->order + layered->layer_start[layered->rank[v]];
  const int at = layered->place[v];

  if (to < at)
    memmove (order + to + 1, order + to, sizeof (int) * (at - to));
  else
    memmove (order + at, order + at + 1, sizeof (int) * (to - at));
  order[to] = v;
  for (int k = MIN (at, to); k <= MAX (at, to); k++)
    layered->place[order[k]] = k;
}

gboolean
ph_layered_sift (PhLayered *layered)
{
  gboolean better = FALSE;

  for (int layer = 0; layer < layered->n_layers; layer++)
    {
      int *order = layered->order + layered->layer_start[layer];
      const int n = layered->layer_start[layer + 1] - layered->layer_start[layer];
      g_autofree int *vertices = n > 2 ? g_memdup2 (order, sizeof (int) * n) : NULL;

      for (int i = 0; i < n && vertices != NULL && !ph_layered_is_spent (layered); i++)
        {
          int gain, to = best_move (layered, order, n, layered->place[vertices[i]], &gain);

          if (gain == 0)
            continue;
          ph_layered_move (layered, vertices[i], to);
          better = TRUE;
        }
    }
  return better;
}
