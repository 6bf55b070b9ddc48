/* place.c: x of every vertex, after Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (GD 2001): vertices are chained
 * into straight vertical blocks four times (towards the upper or lower neighbours, leftmost or rightmost first), each time packed as
 * tightly as the order allows, and each vertex takes the median of the four.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#include <math.h>

#define HEAVY 4     /* weight: above it a link is of two boxes that belong together */
#define MANY  20000 /* vertices with bends, beyond which long lines stay straight at any cost */
#define ROOMY 1.3f  /* times the widest layer: not worth a step aside                              */
#define WORTH 0.92f /* times as wide: worth more steps aside                                       */

/* Marks links that conflict with inner segments: a link to a box gives way to a link between two bends, so that long edges are straight. */
static void
mark_conflicts (PhLayered *layered)
{
  for (int layer = 0; layer + 1 < layered->n_layers; layer++)
    {
      const int *lower = layered->order + layered->layer_start[layer + 1];
      const int n_lower = layered->layer_start[layer + 2] - layered->layer_start[layer + 1];
      const int n_upper = layered->layer_start[layer + 1] - layered->layer_start[layer];
      int left = 0, done = 0;

      for (int i = 0; i < n_lower; i++)
        {
          int inner = -1;

          if (lower[i] >= layered->n_boxes)
            for (int k = layered->up.start[lower[i]]; k < layered->up.start[lower[i] + 1]; k++)
              if (layered->links[layered->up.index[k]].from >= layered->n_boxes)
                inner = layered->place[layered->links[layered->up.index[k]].from];
          if (inner < 0 && i < n_lower - 1)
            continue;

          const int right = inner >= 0 ? inner : n_upper - 1;

          for (; done <= i; done++)
            for (int k = layered->up.start[lower[done]]; k < layered->up.start[lower[done] + 1]; k++)
              {
                PhLink *link = &layered->links[layered->up.index[k]];
                const int at = layered->place[link->from];

                if ((at < left || at > right) && !(link->from >= layered->n_boxes && link->to >= layered->n_boxes))
                  link->conflict = TRUE;
              }
          left = right;
        }
    }
}

typedef struct
{
  int place, link, pull;
} Neighbour;

/* Returns for each vertex the links of the longest path up (or down) from it. */
static int *
depths (PhLayered *layered, gboolean upper)
{
  const PhRows *rows = upper ? &layered->up : &layered->down;
  int *depth = g_new0 (int, layered->n + 1);

  for (int i = 0; i < layered->n; i++)
    {
      const int v = layered->order[upper ? i : layered->n - 1 - i];

      for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
        {
          const PhLink *link = &layered->links[rows->index[k]];

          depth[v] = MAX (depth[v], depth[upper ? link->from : link->to] + 1);
        }
    }
  return depth;
}

/* Returns the priority of aligning each link: highest where two boxes belong together, then for a long edge, then for a link of a long chain; a constant must not push its user
 * aside. So the line of a residual connection is straight and returns to where it began. */
static int *
pulls (PhLayered *layered)
{
  g_autofree int *above = depths (layered, TRUE), *below = depths (layered, FALSE);
  int *pull = g_new (int, MAX (layered->n_links, 1));

  for (int i = 0; i < layered->n_links; i++)
    {
      const PhLink *link = &layered->links[i];

      pull[i] = 1 + MIN (above[link->from], 24) + MIN (below[link->to], 24)
                + (link->from >= layered->n_boxes || link->to >= layered->n_boxes ? 200 : 0)
                + (link->from >= layered->n_boxes && link->to >= layered->n_boxes ? 100 : 0)
                + (link->from < layered->n_boxes && link->to < layered->n_boxes && link->weight > HEAVY ? 400 : 0);
    }
  return pull;
}

static int
compare_neighbours (const void *a, const void *b)
{
  return ((const Neighbour *) a)->place - ((const Neighbour *) b)->place;
}

/* Returns TRUE if a long line may step aside, every @cut layers. Long lines side by side, each straight from end to end, would push boxes
 * between them apart, and these push others. */
static gboolean
may_step_aside (const PhLayered *layered, const PhLink *link, int cut)
{
  return link->from >= layered->n_boxes && link->to >= layered->n_boxes && cut > 0 && layered->rank[link->from] % cut == 0;
}

/* Aligns vertices in lines. @upper: towards the layer above. @mirror: rightmost first. A vertex joins the line of a neighbour only if no
 * other link of that neighbour, on the same side, has a greater weight. */
static void
align (PhLayered *layered, gboolean upper, gboolean mirror, const int *pull, int cut, int *root, int *next)
{
  const PhRows *rows = upper ? &layered->up : &layered->down;
  g_autofree Neighbour *around = g_new (Neighbour, MAX (layered->n_links, 1));
  g_autofree int *most = g_new0 (int, layered->n + 1);

  for (int i = 0; i < layered->n_links; i++)
    {
      const int w = upper ? layered->links[i].from : layered->links[i].to;

      most[w] = MAX (most[w], pull[i]);
    }

  for (int v = 0; v < layered->n; v++)
    root[v] = next[v] = v;
  for (int step = 1; step < layered->n_layers; step++)
    {
      const int layer = upper ? step : layered->n_layers - 1 - step;
      const int start = layered->layer_start[layer], n = layered->layer_start[layer + 1] - start;
      int taken = mirror ? G_MAXINT : -1;

      for (int i = 0; i < n; i++)
        {
          const int v = layered->order[mirror ? start + n - 1 - i : start + i];
          int n_around = 0, total = 0, sum = 0, low = 0, high;

          for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
            {
              const PhLink *link = &layered->links[rows->index[k]];

              around[n_around] = (Neighbour) { layered->place[upper ? link->from : link->to], rows->index[k],
                                               pull[rows->index[k]] };
              total += around[n_around++].pull;
            }
          if (n_around == 0)
            continue;
          if (n_around > 1)
            qsort (around, n_around, sizeof *around, compare_neighbours);

          /* Finds the weighted median, or the two medians. */
          while (2 * (sum + around[low].pull) < total)
            sum += around[low++].pull;
          high = 2 * (sum + around[low].pull) == total ? low + 1 : low;
          for (int m = 0; m <= high - low && next[v] == v; m++)
            {
              const Neighbour *middle = &around[mirror ? high - m : low + m];
              const PhLink *link = &layered->links[middle->link];
              const int w = upper ? link->from : link->to;

              if (may_step_aside (layered, link, cut) || link->conflict || pull[middle->link] < most[w]
                  || (mirror ? middle->place >= taken : middle->place <= taken))
                continue;
              next[w] = v;
              root[v] = root[w];
              next[v] = root[v];
              taken = middle->place;
            }
        }
    }
}

/* Packs the blocks: each as far left as its left neighbours allow, then each as far right as its right neighbours allow. */
static void
compact (PhLayered *layered, gboolean mirror, const int *root, float *x)
{
  const int n = layered->n;
  g_autofree int *missing = g_new0 (int, n + 1), *queue = g_new (int, n + 1), *start = g_new0 (int, n + 2);
  g_autofree int *members = g_new (int, n + 1);
  g_autofree float *block = g_new0 (float, n + 1);
  int head = 0, tail = 0;

#define LEFT_OF(v_)                                                                                                         \
  (mirror ? (layered->place[v_] + 1 < layered->layer_start[layered->rank[v_] + 1] - layered->layer_start[layered->rank[v_]] \
                 ? layered->order[layered->layer_start[layered->rank[v_]] + layered->place[v_] + 1]                         \
                 : -1)                                                                                                      \
          : (layered->place[v_] > 0 ? layered->order[layered->layer_start[layered->rank[v_]] + layered->place[v_] - 1] : -1))
#define RIGHT_OF(v_)                                                                                                         \
  (mirror ? (layered->place[v_] > 0 ? layered->order[layered->layer_start[layered->rank[v_]] + layered->place[v_] - 1] : -1) \
          : (layered->place[v_] + 1 < layered->layer_start[layered->rank[v_] + 1] - layered->layer_start[layered->rank[v_]]  \
                 ? layered->order[layered->layer_start[layered->rank[v_]] + layered->place[v_] + 1]                          \
                 : -1))
  for (int v = 0; v < n; v++)
    start[root[v] + 1]++;
  for (int v = 0; v < n; v++)
    start[v + 1] += start[v];
  for (int v = 0; v < n; v++)
    members[start[root[v]] + missing[root[v]]++] = v;
  memset (missing, 0, sizeof (int) * n);
  for (int v = 0; v < n; v++)
    if (LEFT_OF (v) >= 0)
      missing[root[v]]++;
  for (int v = 0; v < n; v++)
    if (root[v] == v && missing[v] == 0)
      queue[tail++] = v;
  while (head < tail)
    {
      const int r = queue[head++];

      for (int i = start[r]; i < start[r + 1]; i++)
        {
          const int right = RIGHT_OF (members[i]);

          if (right < 0)
            continue;
          block[root[right]] = MAX (block[root[right]], block[r]
                                                            + (mirror ? ph_layered_apart (layered, right, members[i])
                                                                      : ph_layered_apart (layered, members[i], right)));
          if (--missing[root[right]] == 0)
            queue[tail++] = root[right];
        }
    }
  for (int i = tail - 1; i >= 0; i--)
    {
      const int r = queue[i];
      float limit = INFINITY;

      for (int k = start[r]; k < start[r + 1]; k++)
        {
          const int right = RIGHT_OF (members[k]);

          if (right >= 0)
            limit = MIN (limit, block[root[right]]
                                    - (mirror ? ph_layered_apart (layered, right, members[k])
                                              : ph_layered_apart (layered, members[k], right)));
        }
      if (isfinite (limit))
        block[r] = MAX (block[r], limit);
    }
  for (int v = 0; v < n; v++)
    x[v] = mirror ? -block[root[v]] : block[root[v]];
#undef LEFT_OF
#undef RIGHT_OF
}

/* Separates overlapping boxes: the four placements may contradict each other by rounding errors. */
static void
keep_apart (PhLayered *layered)
{
  for (int layer = 0; layer < layered->n_layers; layer++)
    for (int i = layered->layer_start[layer] + 1; i < layered->layer_start[layer + 1]; i++)
      {
        const int a = layered->order[i - 1], b = layered->order[i];

        layered->x[b] = MAX (layered->x[b], layered->x[a] + ph_layered_apart (layered, a, b) * 0.999f);
      }
}

/* If all links to the next layer pass through one vertex, everything below is shifted so that the strongest link is straight. Otherwise a
 * long chain of blocks drifts to one side. */
static void
straighten (PhLayered *layered, const int *pull)
{
  float shift = 0;

  for (int layer = 0; layer + 1 < layered->n_layers; layer++)
    {
      int upper = -1, lower = -1, strongest = -1;
      gboolean one_upper = TRUE, one_lower = TRUE;

      for (int i = layered->layer_start[layer]; i < layered->layer_start[layer + 1]; i++)
        {
          const int v = layered->order[i];

          for (int k = layered->down.start[v]; k < layered->down.start[v + 1]; k++)
            {
              const int at = layered->down.index[k];
              const PhLink *link = &layered->links[at];

              one_upper = one_upper && (upper < 0 || upper == link->from);
              one_lower = one_lower && (lower < 0 || lower == link->to);
              upper = link->from;
              lower = link->to;
              if (strongest < 0 || pull[at] > pull[strongest])
                strongest = at;
            }
        }
      if (strongest >= 0 && (one_upper || one_lower))
        {
          const PhLink *link = &layered->links[strongest];

          shift = layered->x[link->from] - layered->x[link->to]; /* the upper one has been moved already */
        }
      for (int i = layered->layer_start[layer + 1]; i < layered->layer_start[layer + 2]; i++)
        layered->x[layered->order[i]] += shift;
    }
}

static float
width_of (const PhLayered *layered, const float *x, float *left)
{
  float right = -INFINITY;

  *left = INFINITY;
  for (int v = 0; v < layered->n; v++)
    {
      *left = MIN (*left, x[v] - layered->left[v]);
      right = MAX (right, x[v] + layered->right[v]);
    }
  return right - *left;
}

/* Returns the width of the widest layer. */
static float
least_width (const PhLayered *layered)
{
  float widest = 0;

  for (int layer = 0; layer < layered->n_layers; layer++)
    {
      const int first = layered->layer_start[layer], last = layered->layer_start[layer + 1] - 1;
      float width = last >= first ? layered->left[layered->order[first]] + layered->right[layered->order[last]] : 0;

      for (int i = first; i < last; i++)
        width += ph_layered_apart (layered, layered->order[i], layered->order[i + 1]);
      widest = MAX (widest, width);
    }
  return widest;
}

static gboolean
place_cut (PhLayered *layered, const int *pull, int cut, GCancellable *cancellable)
{
  const int n = layered->n;
  g_autofree int *root = g_new (int, n + 1), *next = g_new (int, n + 1);
  float *x[4] = {
    NULL,
  };
  float left[4], width[4];
  int narrowest = 0;
  gboolean done = TRUE;

  for (int i = 0; i < 4 && done; i++)
    {
      x[i] = g_new0 (float, n + 1);
      done = !g_cancellable_is_cancelled (cancellable);
      align (layered, i < 2, i % 2 == 1, pull, cut, root, next);
      compact (layered, i % 2 == 1, root, x[i]);
      width[i] = width_of (layered, x[i], &left[i]);
      if (width[i] < width[narrowest])
        narrowest = i;
    }
  if (done)
    {
      for (int i = 0; i < 4; i++)
        {
          const float shift = left[narrowest] - left[i] + (i % 2 == 0 ? 0 : width[narrowest] - width[i]);

          for (int v = 0; v < n; v++)
            x[i][v] += shift;
        }
      for (int v = 0; v < n; v++)
        {
          float low = MIN (MIN (x[0][v], x[1][v]), MIN (x[2][v], x[3][v]));
          float high = MAX (MAX (x[0][v], x[1][v]), MAX (x[2][v], x[3][v]));

          layered->x[v] = (x[0][v] + x[1][v] + x[2][v] + x[3][v] - low - high) / 2;
        }
      keep_apart (layered);
      ph_layered_tighten (layered, pull);
      straighten (layered, pull);
    }
  for (int i = 0; i < 4; i++)
    g_free (x[i]);
  return done;
}

gboolean
ph_layered_place (PhLayered *layered, GCancellable *cancellable)
{
  static const int cuts[] = { 0, 48, 24, 12, 6 };
  const float enough = ROOMY * least_width (layered);
  g_autofree int *pull = NULL;
  g_autofree float *best = g_new (float, layered->n + 1);
  float narrowest = INFINITY;

  mark_conflicts (layered);
  pull = pulls (layered);
  for (guint i = 0; i < G_N_ELEMENTS (cuts) && narrowest > enough && (i == 0 || layered->n < MANY); i++)
    {
      float left, width;

      if (!place_cut (layered, pull, cuts[i], cancellable))
        return FALSE;
      width = width_of (layered, layered->x, &left);
      if (width < WORTH * narrowest)
        {
          narrowest = width;
          memcpy (best, layered->x, sizeof (float) * layered->n);
        }
    }
  memcpy (layered->x, best, sizeof (float) * layered->n);
  return TRUE;
}
