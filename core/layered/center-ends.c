/* center-ends.c: centres a box over its branches, and a joining box below them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/layered/layered.h"

#define BRANCHES 3     /* that a box feeds, or is fed by                                    */
#define SHIFT    8.0f  /* points: less is not worth it                                      */
#define TAIL     6     /* boxes below one that move with it                                  */
#define SPREAD   0.7f  /* of a box's width: lines leave in it                                  */
#define AROUND   20.0f /* distance to neighbouring boxes                                     */

/* The neighbours of a box. */
typedef struct
{
  guint n_above, n_below;
} Links;
typedef struct
{
  float left, right;
} Reach;

static gboolean
is_drawn (const PhLayout *layout, const PhLayoutEdge *edge)
{
  return edge->presence > 0 && edge->from != edge->to && layout->boxes[edge->from].column == layout->boxes[edge->to].column;
}

static void
reach (Reach *at, const PhLayoutBox *neighbour)
{
  at->left = MIN (at->left, neighbour->x + neighbour->anchor);
  at->right = MAX (at->right, neighbour->x + neighbour->anchor);
}

/* Returns TRUE if no box overlaps the new position. */
static gboolean
is_free (const PhLayout *layout, guint box, float x)
{
  const PhLayoutBox *a = &layout->boxes[box];

  for (guint i = 0; i < layout->n_boxes; i++)
    {
      const PhLayoutBox *b = &layout->boxes[i];

      if (i != box && fabsf (a->y - b->y) < (a->height + b->height) / 2 + 1
          && fabsf (x - b->x) < (a->width + b->width) / 2 + AROUND)
        return FALSE;
    }
  return x - a->width / 2 >= 0 && x + a->width / 2 <= layout->width;
}

/* Moves the marked boxes, the ends of their lines, and whole lines between two of them. */
static void
shift (PhLayout *layout, const guint8 *moves, float dx)
{
  for (guint b = 0; b < layout->n_boxes; b++)
    if (moves[b])
      layout->boxes[b].x += dx;
  for (guint e = 0; e < layout->n_edges; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];
      PhPoint *points = &g_array_index (layout->points, PhPoint, edge->first_point);
      const guint n = edge->n_points, from = moves[edge->from], to = moves[edge->to];

      for (guint p = 0; p < n && n >= 4; p++)
        if ((from && to) || (from && p < 2) || (to && p + 2 >= n))
          points[p].x += dx;
    }
}

/* Marks the chain of boxes below @box. Returns FALSE if it branches or is long. */
static gboolean
mark_tail (const PhLayout *layout, const Links *links, guint box, guint8 *moves)
{
  moves[box] = TRUE;
  for (guint length = 0; links[box].n_below > 0; length++)
    {
      guint e = 0;

      if (links[box].n_below > 1 || length == TAIL)
        return FALSE;
      while (layout->edges[e].from != box || !is_drawn (layout, &layout->edges[e]))
        e++;
      box = layout->edges[e].to;
      if (links[box].n_above > 1 || moves[box])
        return FALSE;
      moves[box] = TRUE;
    }
  return TRUE;
}

static gboolean
all_free (const PhLayout *layout, const guint8 *moves, float dx)
{
  for (guint b = 0; b < layout->n_boxes; b++)
    if (moves[b] && !is_free (layout, b, layout->boxes[b].x + dx))
      return FALSE;
  return TRUE;
}

/* Spreads the starts of lines at @box from left to right in the order of their ends. */
static void
spread_starts (PhLayout *layout, guint box, const Reach *at)
{
  const PhLayoutBox *from = &layout->boxes[box];
  const float middle = (at->left + at->right) / 2, half = MAX ((at->right - at->left) / 2, 1),
              room = SPREAD * (from->width / 2 - fabsf (from->anchor));

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      PhPoint *points = &g_array_index (layout->points, PhPoint, edge->first_point);

      if (edge->from != box || edge->n_points < 4 || !is_drawn (layout, edge))
        continue;
      points[0].x = from->x + from->anchor + room * (layout->boxes[edge->to].x + layout->boxes[edge->to].anchor - middle) / half;
      points[0].y = from->y + from->height / 2 - from->inset;
      points[1] = (PhPoint) { points[0].x, points[0].y + (points[3].y - points[0].y) / 3 };
    }
}

void
ph_layout_center_ends (PhLayout *layout)
{
  g_autofree Links *links = g_new0 (Links, layout->n_boxes + 1);
  g_autofree guint8 *moves = g_new (guint8, layout->n_boxes + 1);
  g_autoptr (GArray) before = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  guint64 crossings = 0;
  guint over = 0;
  gboolean known = FALSE;

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];

      if (!is_drawn (layout, edge))
        continue;
      links[edge->from].n_below++;
      links[edge->to].n_above++;
    }
  for (guint b = 0; b < layout->n_boxes; b++)
    {
      Reach at = { INFINITY, -INFINITY };
      const gboolean top = links[b].n_above == 0 && links[b].n_below >= BRANCHES, bottom = links[b].n_above >= BRANCHES;
      float dx;

      if (!top && !bottom)
        continue;
      memset (moves, 0, layout->n_boxes);
      if (top)
        moves[b] = TRUE;
      else if (!mark_tail (layout, links, b, moves))
        continue;
      for (guint e = 0; e < layout->n_edges; e++)
        if (is_drawn (layout, &layout->edges[e]) && (top ? layout->edges[e].from : layout->edges[e].to) == b)
          reach (&at, &layout->boxes[top ? layout->edges[e].to : layout->edges[e].from]);
      dx = (at.left + at.right) / 2 - layout->boxes[b].x - layout->boxes[b].anchor;
      if (fabsf (dx) < SHIFT || !all_free (layout, moves, dx))
        continue;
      if (!known)
        {
          crossings = ph_layout_crossings (layout).n;
          over = ph_layout_overruns (layout, NULL);
          known = TRUE;
        }
      g_array_set_size (before, 0);
      g_array_append_vals (before, layout->points->data, layout->points->len);
      shift (layout, moves, dx);
      if (top)
        spread_starts (layout, b, &at);
      if (ph_layout_crossings (layout).n > crossings || ph_layout_overruns (layout, NULL) > over)
        {
          shift (layout, moves, -dx);
          memcpy (layout->points->data, before->data, before->len * sizeof (PhPoint));
        }
    }
}
