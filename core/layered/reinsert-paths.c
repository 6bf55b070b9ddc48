/* reinsert-paths.c: removes one path after another (long lines, and the boxes between them) from its layers and inserts it again with the
 * fewest crossings. The whole route is optimized at once, which finds ways around an obstacle that no sequence of single steps finds.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#define REACH    32   /* places to both sides of where it was              */
#define CROSSING 1024 /* worth of one, against a vertex that stays where it was */

/* The gaps of a layer without the path's vertex: @n of them from @low; the cost of each way up to there, and the gap of the layer above
 * that it came through. */
typedef struct
{
  int low, n, was;
  gint64 cost[2 * REACH + 1];
  gint16 came[2 * REACH + 1];
} Gaps;

typedef struct
{
  int from, to, presence;
} Other;

typedef struct
{
  PhLayered *layered;
  int *path, n; /* vertices of one layer after the other             */
  int *was;     /* their places                                      */
  guint8 *done; /* of a vertex: it was in a path                     */
  Gaps *gaps;
  GArray *others; /* (element-type Other)                              */
} Threader;

static int
size_of (const PhLayered *layered, int layer)
{
  return layered->layer_start[layer + 1] - layered->layer_start[layer];
}

static void
add_cost (Gaps *gaps, int gap, gint64 cost)
{
  if (gap >= gaps->low && gap < gaps->low + gaps->n)
    gaps->cost[gap - gaps->low] += cost;
}

/* Adds the cost of @v's links on one side for each of its gaps, except for the link to @next on the path. */
static void
add_links (PhLayered *layered, int v, int next, gboolean downwards, Gaps *gaps)
{
  const PhRows *rows = downwards ? &layered->down : &layered->up;
  const int layer = layered->rank[v], start = layered->layer_start[layer], n = size_of (layered, layer);

  for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
    {
      const PhLink *own = &layered->links[rows->index[k]];
      const int far = downwards ? own->to : own->from;
      gint64 sum = 0;
      int gap = 0;

      if (far == next)
        continue;
      layered->work += n;
      for (int i = 0; i < n; i++)
        {
          const int u = layered->order[start + i];

          if (u == v)
            continue;
          add_cost (gaps, gap++, CROSSING * sum * own->presence);
          /* It is to the left now: links that end further right cross, and those that end further left do not any more. */
          for (int l = rows->start[u]; l < rows->start[u + 1]; l++)
            {
              const PhLink *other = &layered->links[rows->index[l]];
              const int side = layered->place[downwards ? other->to : other->from] - layered->place[far];

              sum += other->presence * ((side > 0) - (side < 0));
            }
        }
      add_cost (gaps, gap, CROSSING * sum * own->presence);
    }
}

/* Adds the cost of crossing lines to the other column that pass @v. */
static void
add_across (const PhLayered *layered, int v, Gaps *gaps)
{
  const int layer = layered->rank[v], start = layered->layer_start[layer], n = size_of (layered, layer);
  gint64 sum = 0;
  int gap = 0;

  for (int i = 0; i < n; i++)
    {
      const int u = layered->order[start + i];

      if (u == v)
        continue;
      add_cost (gaps, gap++, CROSSING * sum);
      sum += (gint64) layered->across[u] * layered->lines[v] - (gint64) layered->lines[u] * layered->across[v];
    }
  add_cost (gaps, gap, CROSSING * sum);
  for (int g = 0; g < gaps->n && !layered->rightwards; g++)
    gaps->cost[g] = -gaps->cost[g];
}

/* Adds the costs from each gap of the layer above to each gap of this one. */
static void
add_layer (Threader *t, int above, int v, const Gaps *from, Gaps *to)
{
  PhLayered *layered = t->layered;
  const int start = layered->layer_start[layered->rank[v]];
  int presence = 0;

  g_array_set_size (t->others, 0);
  for (int i = 0, place = 0; i < size_of (layered, layered->rank[v]); i++)
    {
      const int w = layered->order[start + i];

      for (int k = layered->up.start[w]; k < layered->up.start[w + 1]; k++)
        {
          const PhLink *link = &layered->links[layered->up.index[k]];
          const Other other = { layered->place[link->from] - (layered->place[link->from] > layered->place[above]), place,
                                link->presence };

          if (w != v && link->from != above)
            g_array_append_val (t->others, other);
          else if (w == v && link->from == above)
            presence = MAX (presence, link->presence);
        }
      place += w != v;
    }
  layered->work += (guint64) from->n * (t->others->len + to->n);
  for (int f = 0; f < from->n; f++)
    {
      const int gap = from->low + f;
      gint64 sum = 0;
      guint k = 0;

      for (guint i = 0; i < t->others->len; i++)
        if (g_array_index (t->others, Other, i).from < gap)
          sum += g_array_index (t->others, Other, i).presence;
      for (int g = 0; g < to->low + to->n; g++)
        {
          if (g >= to->low)
            {
              const gint64 cost = from->cost[f] + CROSSING * sum * presence + (g != to->was);

              if (f == 0 || cost < to->cost[g - to->low])
                {
                  to->cost[g - to->low] = cost;
                  to->came[g - to->low] = f;
                }
            }
          for (; k < t->others->len && g_array_index (t->others, Other, k).to == g; k++)
            {
              const Other *other = &g_array_index (t->others, Other, k);

              sum += other->from < gap ? -other->presence : other->presence;
            }
        }
    }
}

/* Costs of the ways through gaps that are at most @reach away. Returns the least. @at: where that ends. */
static gint64
find_way (Threader *t, int reach, int *at)
{
  PhLayered *layered = t->layered;
  Gaps *gaps = NULL;
  gint64 least = G_MAXINT64;

  for (int i = 0; i < t->n; i++)
    {
      const int v = t->path[i];
      Gaps own = {
        0,
      };

      gaps = &t->gaps[i];
      gaps->was = layered->place[v];
      gaps->low = MAX (gaps->was - reach, 0);
      gaps->n = MIN (gaps->was + reach, size_of (layered, layered->rank[v]) - 1) - gaps->low + 1;
      own.low = gaps->low;
      own.n = gaps->n;
      if (layered->across != NULL)
        add_across (layered, v, &own);
      add_links (layered, v, i > 0 ? t->path[i - 1] : -1, FALSE, &own);
      add_links (layered, v, i + 1 < t->n ? t->path[i + 1] : -1, TRUE, &own);
      if (i == 0)
        for (int g = 0; g < gaps->n; g++)
          gaps->cost[g] = gaps->low + g != gaps->was;
      else
        add_layer (t, t->path[i - 1], v, &t->gaps[i - 1], gaps);
      for (int g = 0; g < gaps->n; g++)
        gaps->cost[g] += own.cost[g];
    }
  for (int g = 0; g < gaps->n; g++)
    if (gaps->cost[g] < least)
      {
        least = gaps->cost[g];
        *at = g;
      }
  return least;
}

static gboolean
thread (Threader *t)
{
  PhLayered *layered = t->layered;
  const int top = MAX (layered->rank[t->path[0]] - 1, 0), bottom = MIN (layered->rank[t->path[t->n - 1]] + 1, layered->n_layers);
  int at = 0;
  const gint64 now = find_way (t, 0, &at);
  guint64 before;

  if (find_way (t, REACH, &at) / CROSSING >= now / CROSSING)
    return FALSE;
  before = ph_layered_crossings (layered, top, bottom);
  for (int i = t->n - 1; i >= 0; i--)
    {
      const int to = t->gaps[i].low + at;

      at = t->gaps[i].came[at];
      t->was[i] = layered->place[t->path[i]];
      ph_layered_move (layered, t->path[i], to);
    }
  /* Links of the path's own that cross each other were taken for standing still. */
  if (ph_layered_crossings (layered, top, bottom) < before)
    return TRUE;
  for (int i = 0; i < t->n; i++)
    ph_layered_move (layered, t->path[i], t->was[i]);
  return FALSE;
}

/* Returns the next vertex of the path after @v: along a long line, else the first unvisited one, or the last. */
static int
next_of (const Threader *t, int v, gboolean last)
{
  const PhLayered *layered = t->layered;
  int next = -1;

  for (int k = layered->down.start[v]; k < layered->down.start[v + 1]; k++)
    {
      const int w = layered->links[layered->down.index[k]].to;

      if (t->done[w])
        continue;
      if (v >= layered->n_boxes && w >= layered->n_boxes)
        return w;
      if (next < 0 || (last == (layered->place[w] > layered->place[next])))
        next = w;
    }
  return next;
}

gboolean
ph_layered_thread (PhLayered *layered, int round)
{
  /* clang-format off */
  Threader t = {
    layered, g_new (int, layered->n_layers + 1), 0, g_new (int, layered->n_layers + 1), g_new0 (guint8, layered->n + 1),
    g_new (Gaps, layered->n_layers + 1), g_array_new (FALSE, FALSE, sizeof (Other))
  };
  /* clang-format on */
  g_autofree int *order = g_memdup2 (layered->order, sizeof (int) * (layered->n + 1));
  gboolean better = FALSE;

  for (int i = 0; i < layered->n && !ph_layered_is_spent (layered); i++)
    {
      t.n = 0;
      for (int v = order[i]; v >= 0 && !t.done[v]; v = next_of (&t, v, round % 2 == 1))
        {
          t.done[v] = TRUE;
          t.path[t.n++] = v;
        }
      if (t.n > 0)
        better |= thread (&t);
    }
  g_free (t.path);
  g_free (t.was);
  g_free (t.done);
  g_free (t.gaps);
  g_array_unref (t.others);
  return better;
}
