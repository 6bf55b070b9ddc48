/* quality.c: what layouts are compared by: how often edges cross.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layout/layered.h"

#define CELL 120.0f

typedef struct { PhPoint a, b; guint edge; } Stretch;

static void
add_stretches (GArray *stretches, PhLayout *layout, guint e)
{
  const PhLayoutEdge *edge = &layout->edges[e];
  const PhPoint *p = &g_array_index (layout->points, PhPoint, edge->first_point);

  for (guint i = 0; i + 3 < edge->n_points; i += 3, p += 3)
    {
      const gboolean straight = fabsf (p[0].x - p[3].x) < 0.5f && fabsf (p[1].x - p[2].x) < 0.5f;
      const int n = straight ? 1 : 5;
      PhPoint from = p[0];

      for (int k = 1; k <= n; k++)
        {
          const float t = k / (float) n, s = 1 - t;
          const PhPoint to = { s * s * s * p[0].x + 3 * s * s * t * p[1].x + 3 * s * t * t * p[2].x + t * t * t * p[3].x,
                               s * s * s * p[0].y + 3 * s * s * t * p[1].y + 3 * s * t * t * p[2].y + t * t * t * p[3].y };
          const Stretch stretch = { from, to, e };

          g_array_append_val (stretches, stretch);
          from = to;
        }
    }
}

static float
side (PhPoint a, PhPoint b, PhPoint c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static gboolean
cross (const Stretch *s, const Stretch *t)
{
  return side (s->a, s->b, t->a) * side (s->a, s->b, t->b) < 0 && side (t->a, t->b, s->a) * side (t->a, t->b, s->b) < 0;
}

/* Edges with a box in common may touch there; they do not count. */
static gboolean
related (const PhLayoutEdge *a, const PhLayoutEdge *b)
{
  return a->from == b->from || a->to == b->to || a->from == b->to || a->to == b->from;
}

/* A set of pairs of edges; there may be millions. */
typedef struct { guint64 *keys; guint size, n; } Pairs;

static guint64 *
find_key (Pairs *pairs, guint64 key)
{
  guint at = (guint) ((key * 0x9e3779b97f4a7c15u) >> 32) & (pairs->size - 1);

  while (pairs->keys[at] != 0 && pairs->keys[at] != key)
    at = (at + 1) & (pairs->size - 1);
  return &pairs->keys[at];
}

/* FALSE: it is there already. */
static gboolean
add_pair (Pairs *pairs, guint a, guint b)
{
  const guint64 key = ((guint64) MIN (a, b) << 32 | MAX (a, b)) + 1;
  guint64 *at = find_key (pairs, key);

  if (*at == key)
    return FALSE;
  *at = key;
  if (2 * ++pairs->n > pairs->size)
    {
      Pairs larger = { g_new0 (guint64, 2 * pairs->size), 2 * pairs->size, pairs->n };

      for (guint i = 0; i < pairs->size; i++)
        if (pairs->keys[i] != 0)
          *find_key (&larger, pairs->keys[i]) = pairs->keys[i];
      g_free (pairs->keys);
      *pairs = larger;
    }
  return TRUE;
}

/* @weighed: those of lines that are seldom there count for less. */
static double
count_crossings (PhLayout *layout, gboolean weighed)
{
  double count = 0;
  g_autoptr(GArray) stretches = g_array_new (FALSE, FALSE, sizeof (Stretch));
  Pairs pairs = { g_new0 (guint64, 1024), 1024, 0 };
  g_autofree int *start = NULL, *fill = NULL, *items = NULL;
  const int columns = (int) (MAX (layout->width, 0) / CELL) + 2, rows = (int) (MAX (layout->height, 0) / CELL) + 2;

  for (guint e = 0; e < layout->n_edges; e++)
    add_stretches (stretches, layout, e);
  start = g_new0 (int, columns * rows + 2);
  fill = g_new0 (int, columns * rows + 2);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < stretches->len; i++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, i);
          const int left = CLAMP ((int) (MIN (s->a.x, s->b.x) / CELL), 0, columns - 1);
          const int right = CLAMP ((int) (MAX (s->a.x, s->b.x) / CELL), 0, columns - 1);
          const int top = CLAMP ((int) (MIN (s->a.y, s->b.y) / CELL), 0, rows - 1);
          const int bottom = CLAMP ((int) (MAX (s->a.y, s->b.y) / CELL), 0, rows - 1);

          for (int y = top; y <= bottom; y++)
            for (int x = left; x <= right; x++)
              if (pass == 0)
                start[y * columns + x + 1]++;
              else
                items[start[y * columns + x] + fill[y * columns + x]++] = i;
        }
      if (pass == 0)
        {
          for (int c = 0; c < columns * rows; c++)
            start[c + 1] += start[c];
          items = g_new (int, start[columns * rows] + 1);
        }
    }
  for (int c = 0; c < columns * rows; c++)
    for (int i = start[c]; i < start[c + 1]; i++)
      for (int k = i + 1; k < start[c + 1]; k++)
        {
          const Stretch *s = &g_array_index (stretches, Stretch, items[i]), *t = &g_array_index (stretches, Stretch, items[k]);

          if (s->edge == t->edge || related (&layout->edges[s->edge], &layout->edges[t->edge]) || !cross (s, t))
            continue;
          if (add_pair (&pairs, s->edge, t->edge))
            count += weighed ? layout->edges[s->edge].presence * layout->edges[t->edge].presence / (double) (PH_PRESENCE * PH_PRESENCE) : 1;
        }
  g_free (pairs.keys);
  return count;
}

guint64
ph_layout_crossings (PhLayout *layout)
{
  return count_crossings (layout, FALSE);
}

double
ph_layered_tangle (PhLayout *layout)
{
  return count_crossings (layout, TRUE);
}
