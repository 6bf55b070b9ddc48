/* extend.c: places new boxes among fixed ones. Each connected part is laid out by itself and placed as a whole at its connections, or as
 * near to them as there is room.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "core/layered/layered.h"
#include "core/layered/route.h"

#define CELL   160.0f
#define MARGIN 14.0f /* between a new box and its surroundings                        */
#define STEP   18.0f /* of the search for room                                        */
#define RINGS  160
#define NEAR   40    /* rings in which a place is sought where all lines run downwards */
#define GAP    30.0f /* between a box and one above it                                */
#define COLUMN 80.0f /* between the forward graph and an added gradient               */
#define MANY   24    /* boxes of a part that is tested by its outline                 */

typedef struct
{
  float left, top, right, bottom;
} Area;

typedef struct
{
  PhLayout *layout;
  const guint8 *fixed;
  GArray *areas;     /* (element-type Area) occupied areas                            */
  GHashTable *cells; /* cell -> (element-type int) areas that touch it                */
  int *part_of;      /* of a box that is not fixed                                    */
} Extender;

/* ── occupied areas ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static gpointer
cell_key (int column, int row)
{
  return GUINT_TO_POINTER (((guint) (column + 0x4000) << 16) | ((guint) (row + 0x4000) & 0xffff));
}

static int
cell_of (float at)
{
  return (int) floorf (at / CELL);
}

static void
take (Extender *x, Area area)
{
  const int index = x->areas->len;

  g_array_append_val (x->areas, area);
  for (int row = cell_of (area.top); row <= cell_of (area.bottom); row++)
    for (int column = cell_of (area.left); column <= cell_of (area.right); column++)
      {
        GArray *cell = g_hash_table_lookup (x->cells, cell_key (column, row));

        if (cell == NULL)
          {
            cell = g_array_new (FALSE, FALSE, sizeof (int));
            g_hash_table_insert (x->cells, cell_key (column, row), cell);
          }
        g_array_append_val (cell, index);
      }
}

static gboolean
is_free (Extender *x, Area area)
{
  for (int row = cell_of (area.top); row <= cell_of (area.bottom); row++)
    for (int column = cell_of (area.left); column <= cell_of (area.right); column++)
      {
        const GArray *cell = g_hash_table_lookup (x->cells, cell_key (column, row));

        for (guint i = 0; cell != NULL && i < cell->len; i++)
          {
            const Area *taken = &g_array_index (x->areas, Area, g_array_index (cell, int, i));

            if (taken->left < area.right && area.left < taken->right && taken->top < area.bottom && area.top < taken->bottom)
              return FALSE;
          }
      }
  return TRUE;
}

static Area
area_of (const PhLayoutBox *box, float margin)
{
  return (Area) { box->x - box->width / 2 - margin, box->y - box->height / 2 - margin, box->x + box->width / 2 + margin,
                  box->y + box->height / 2 + margin };
}

/* Lines are not to be covered either. */
static void
take_edge (Extender *x, const PhLayoutEdge *edge)
{
  const PhPoint *p = &g_array_index (x->layout->points, PhPoint, edge->first_point);

  for (guint i = 0; i + 3 < edge->n_points; i += 3, p += 3)
    {
      const int n = fabsf (p[0].x - p[3].x) < 1 ? 1 : 4;
      PhPoint from = p[0];

      for (int k = 1; k <= n; k++)
        {
          const PhPoint to = ph_curve_at (p, k / (double) n);

          take (x, (Area) { MIN (from.x, to.x) - 2, MIN (from.y, to.y), MAX (from.x, to.x) + 2, MAX (from.y, to.y) });
          from = to;
        }
    }
}

/* ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Numbers the connected parts among the boxes that are not fixed. Returns their number. */
static int
find_parts (Extender *x)
{
  PhLayout *layout = x->layout;
  const int n = layout->n_boxes;
  g_autofree int *queue = g_new (int, n + 1);
  PhRows out, in;
  int n_parts = 0;

  ph_rows_init (&out, n, layout->n_edges, (const int *) &layout->edges->from, sizeof (PhLayoutEdge));
  ph_rows_init (&in, n, layout->n_edges, (const int *) &layout->edges->to, sizeof (PhLayoutEdge));
  for (int b = 0; b < n; b++)
    x->part_of[b] = -1;
  for (int b = 0; b < n; b++)
    {
      int head = 0, tail = 0;

      if (x->fixed[b] || x->part_of[b] >= 0)
        continue;
      queue[tail++] = b;
      x->part_of[b] = n_parts;
      while (head < tail)
        {
          const int v = queue[head++];

          for (int side = 0; side < 2; side++)
            {
              const PhRows *rows = side == 0 ? &out : &in;

              for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
                {
                  const PhLayoutEdge *edge = &layout->edges[rows->index[k]];
                  const int w = side == 0 ? edge->to : edge->from;

                  if (x->fixed[w] || x->part_of[w] >= 0 || layout->boxes[w].column != layout->boxes[v].column)
                    continue;
                  x->part_of[w] = n_parts;
                  queue[tail++] = w;
                }
            }
        }
      n_parts++;
    }
  ph_rows_clear (&out);
  ph_rows_clear (&in);
  return n_parts;
}

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return x < y ? -1 : x > y;
}

static float
median (GArray *numbers, float fallback)
{
  if (numbers->len == 0)
    return fallback;
  qsort (numbers->data, numbers->len, sizeof (float), compare_floats);
  return g_array_index (numbers, float, numbers->len / 2);
}

/* Returns the best position of the part's top left corner, given its links to existing boxes. */
static PhPoint
wished_place (Extender *x, const PhLayout *part, const int *members, int number, const int *slot)
{
  PhLayout *layout = x->layout;
  g_autoptr (GArray) wish_x = g_array_new (FALSE, FALSE, sizeof (float)), wish_y = g_array_new (FALSE, FALSE, sizeof (float));
  float right = 0;

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const gboolean comes = x->part_of[edge->to] == number && x->part_of[edge->from] < 0;
      const gboolean goes = x->part_of[edge->from] == number && x->part_of[edge->to] < 0;
      const PhLayoutBox *mine, *other;
      float apart, at;

      if (!comes && !goes)
        continue;
      mine = &part->boxes[slot[comes ? edge->to : edge->from]];
      other = &layout->boxes[comes ? edge->from : edge->to];
      apart = edge->min_length == 0 ? 0 : (mine->height + other->height) / 2 + GAP;
      at = other->y + (comes ? apart : -apart) - mine->y;
      g_array_append_val (wish_y, at);
      at = other->x + other->anchor - mine->x - mine->anchor;
      if (edge->min_length > 0)
        g_array_append_val (wish_x, at);
    }
  for (guint b = 0; b < layout->n_boxes; b++)
    if (x->fixed[b] && (wish_x->len == 0 || layout->boxes[members[0]].column > layout->boxes[b].column))
      right = MAX (right, layout->boxes[b].x + layout->boxes[b].width / 2 + COLUMN);
  /* A gradient goes to the right of its forward nodes. */
  if (layout->boxes[members[0]].column != 0 && right > 0)
    return (PhPoint) { MAX (right, median (wish_x, right)), MAX (median (wish_y, 0), 0) };
  return (PhPoint) { MAX (median (wish_x, right), 0), MAX (median (wish_y, 0), 0) };
}

/* Finds between which heights the part's top is to lie for its lines to run downwards. FALSE: they cannot. */
static gboolean
find_span (Extender *x, const PhLayout *part, int number, const int *slot, float *least, float *most)
{
  PhLayout *layout = x->layout;

  *least = 0;
  *most = INFINITY;
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const PhLayoutBox *from = &layout->boxes[edge->from], *to = &layout->boxes[edge->to];

      if (edge->min_length == 0 || from->column != to->column)
        continue;
      if (x->part_of[edge->to] == number && x->part_of[edge->from] < 0)
        {
          const PhLayoutBox *mine = &part->boxes[slot[edge->to]];

          *least = MAX (*least, from->y + from->height / 2 + MARGIN - mine->y + mine->height / 2);
        }
      if (x->part_of[edge->from] == number && x->part_of[edge->to] < 0)
        {
          const PhLayoutBox *mine = &part->boxes[slot[edge->from]];

          *most = MIN (*most, to->y - to->height / 2 - MARGIN - mine->y - mine->height / 2);
        }
    }
  return *least <= *most;
}

static gboolean
part_fits (Extender *x, const PhLayout *part, float left, float top)
{
  if (left < 0 || top < 0)
    return FALSE;
  if (part->n_boxes > MANY)
    return is_free (x, (Area) { left - MARGIN, top - MARGIN, left + part->width + MARGIN, top + part->height + MARGIN });
  for (guint b = 0; b < part->n_boxes; b++)
    {
      PhLayoutBox box = part->boxes[b];

      box.x += left;
      box.y += top;
      if (!is_free (x, area_of (&box, MARGIN)))
        return FALSE;
    }
  return TRUE;
}

/* Finds the free place nearest to @at, between the two heights, in @n_rings around it. */
static gboolean
search_rings (Extender *x, const PhLayout *part, int n_rings, float least, float most, PhPoint *at)
{
  const PhPoint wish = { at->x, CLAMP (at->y, least, most) };

  for (int ring = 0; ring < n_rings; ring++)
    {
      float nearest = INFINITY;

      for (int i = -ring; i <= ring; i++)
        for (int k = -ring; k <= ring; k += abs (i) == ring ? 1 : MAX (2 * ring, 1))
          {
            const float distance = abs (i) + 0.8f * abs (k), y = wish.y + STEP * k;

            if (distance < nearest && y >= least && y <= most && part_fits (x, part, wish.x + STEP * i, y))
              {
                *at = (PhPoint) { wish.x + STEP * i, y };
                nearest = distance;
              }
          }
      if (isfinite (nearest))
        return TRUE;
    }
  return FALSE;
}

/* Returns the free place nearest to @wish, one where the part's lines run downwards if there is one near, or else one to the right of
 * everything. */
static PhPoint
find_room (Extender *x, const PhLayout *part, PhPoint wish, int number, const int *slot)
{
  PhPoint at = wish;
  float right = 0, least, most;

  if (find_span (x, part, number, slot, &least, &most) && search_rings (x, part, NEAR, least, most, &at))
    return at;
  if (search_rings (x, part, RINGS, 0, INFINITY, &at))
    return at;
  for (guint i = 0; i < x->areas->len; i++)
    right = MAX (right, g_array_index (x->areas, Area, i).right);
  return (PhPoint) { right + COLUMN, MAX (wish.y, 0) };
}

static gboolean
place_part (Extender *x, int number, const int *members, int n, int *slot, GCancellable *cancellable, GError **error)
{
  PhLayout *layout = x->layout;
  g_autoptr (PhLayout) part = ph_layout_new (n, layout->n_edges);
  g_autofree int *edge_of = g_new (int, layout->n_edges + 1);
  PhPoint at;

  part->n_edges = 0;
  for (int i = 0; i < n; i++)
    {
      slot[members[i]] = i;
      part->boxes[i] = layout->boxes[members[i]];
      part->boxes[i].column = 0;
    }
  for (guint e = 0; e < layout->n_edges; e++)
    if (x->part_of[layout->edges[e].from] == number && x->part_of[layout->edges[e].to] == number)
      {
        edge_of[part->n_edges] = e;
        part->edges[part->n_edges] = layout->edges[e];
        part->edges[part->n_edges].from = slot[layout->edges[e].from];
        part->edges[part->n_edges++].to = slot[layout->edges[e].to];
      }
  if (!ph_layout_layered (part, cancellable, error))
    return FALSE;
  at = find_room (x, part, wished_place (x, part, members, number, slot), number, slot);
  for (int i = 0; i < n; i++)
    {
      layout->boxes[members[i]].x = part->boxes[i].x + at.x;
      layout->boxes[members[i]].y = part->boxes[i].y + at.y;
      take (x, area_of (&layout->boxes[members[i]], 0));
    }
  for (guint e = 0; e < part->n_edges; e++)
    {
      PhLayoutEdge *edge = &layout->edges[edge_of[e]];

      edge->first_point = layout->points->len;
      edge->n_points = 0;
      for (guint p = 0; p < part->edges[e].n_points; p++)
        {
          const PhPoint *point = &g_array_index (part->points, PhPoint, part->edges[e].first_point + p);

          ph_route_add (layout, edge, point->x + at.x, point->y + at.y);
        }
      take_edge (x, edge);
    }
  return TRUE;
}

/* ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  float x, detour;
} Lane;

static int
compare_lanes (const void *a, const void *b)
{
  const Lane *x = a, *y = b;

  return x->detour < y->detour ? -1 : x->detour > y->detour;
}

/* Returns TRUE if only lines are between the two heights at @at. */
static gboolean
lane_is_free (Extender *x, float at, float top, float bottom)
{
  for (guint b = 0; b < x->layout->n_boxes; b++)
    {
      const Area area = area_of (&x->layout->boxes[b], 4);

      if (area.left < at && at < area.right && area.top < bottom && top < area.bottom)
        return FALSE;
    }
  return TRUE;
}

/* Routes an edge downwards, in a lane beside the boxes between its ends. */
static void
route_down (Extender *x, PhLayoutEdge *edge)
{
  PhLayout *layout = x->layout;
  const PhLayoutBox *a = &layout->boxes[edge->from], *b = &layout->boxes[edge->to];
  const float x0 = a->x + edge->from_dx, x1 = b->x + edge->to_dx;
  const float y0 = a->y + a->height / 2 - a->inset, y1 = b->y - b->height / 2 + b->inset;
  const float top = y0 + MIN (24, (y1 - y0) / 3), bottom = y1 - MIN (24, (y1 - y0) / 3);
  g_autoptr (GArray) lanes = g_array_new (FALSE, FALSE, sizeof (Lane));
  float lane = x1;

  if (y1 - y0 > 60)
    {
      const float first[2] = { x1, x0 };

      for (int i = 0; i < 2; i++)
        g_array_append_vals (lanes, &(Lane) { first[i], fabsf (first[i] - x0) + fabsf (first[i] - x1) }, 1);
      for (guint i = 0; i < layout->n_boxes; i++)
        {
          const Area area = area_of (&layout->boxes[i], 10);
          const float sides[2] = { area.left, area.right };

          for (int k = 0; k < 2 && area.top < bottom && top < area.bottom; k++)
            g_array_append_vals (lanes, &(Lane) { sides[k], fabsf (sides[k] - x0) + fabsf (sides[k] - x1) + 6 }, 1);
        }
      qsort (lanes->data, lanes->len, sizeof (Lane), compare_lanes);
      for (guint i = 0; i < MIN (lanes->len, 80); i++)
        if (lane_is_free (x, g_array_index (lanes, Lane, i).x, top, bottom))
          {
            lane = g_array_index (lanes, Lane, i).x;
            break;
          }
    }
  edge->first_point = layout->points->len;
  edge->n_points = 0;
  ph_route_add (layout, edge, x0, y0);
  if (y1 - y0 > 60)
    {
      if (fabsf (lane - x0) >= 0.5f)
        ph_route_curve (layout, edge, lane, top + MIN (20, (bottom - top) / 4));
      if (fabsf (lane - x1) >= 0.5f)
        ph_route_curve (layout, edge, lane, bottom - MIN (20, (bottom - top) / 4));
    }
  ph_route_curve (layout, edge, x1, y1);
}

gboolean
ph_layout_extend (PhLayout *layout, const guint8 *fixed, GCancellable *cancellable, GError **error)
{
  const int n = layout->n_boxes;
  Extender x = { layout, fixed, g_array_new (FALSE, FALSE, sizeof (Area)),
                 g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref), g_new (int, n + 1) };
  g_autofree int *members = g_new (int, n + 1), *slot = g_new (int, n + 1), *first = NULL;
  gboolean done = TRUE;
  int n_parts;

  for (int b = 0; b < n; b++)
    if (fixed[b])
      take (&x, area_of (&layout->boxes[b], 0));
  for (guint e = 0; e < layout->n_edges; e++)
    if (layout->edges[e].n_points > 0)
      take_edge (&x, &layout->edges[e]);
  n_parts = find_parts (&x);
  first = g_new0 (int, n_parts + 2);
  for (int b = 0; b < n; b++)
    if (!fixed[b])
      first[x.part_of[b] + 1]++;
  for (int p = 0; p < n_parts; p++)
    first[p + 1] += first[p];
  for (int b = 0; b < n; b++)
    if (!fixed[b])
      members[first[x.part_of[b]]++] = b;
  for (int p = 0, start = 0; p < n_parts && done; start = first[p++])
    {
      done = place_part (&x, p, members + start, first[p] - start, slot, cancellable, error);
      for (int i = start; i < first[p]; i++) /* the next part may be placed beside it */
        x.part_of[members[i]] = -1;
    }
  for (guint e = 0; e < layout->n_edges && done; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];
      const PhLayoutBox *a = &layout->boxes[edge->from], *b = &layout->boxes[edge->to];

      if (edge->n_points > 0 || edge->from == edge->to || edge->presence == 0)
        continue;
      if (edge->min_length > 0 && b->y - b->height / 2 > a->y + a->height / 2 + 4)
        route_down (&x, edge);
      else
        ph_route_across (layout, edge);
    }
  if (done)
    ph_layout_part_heads (layout, fixed);
  layout->width = layout->height = 0;
  for (int b = 0; b < n; b++)
    {
      layout->width = MAX (layout->width, layout->boxes[b].x + layout->boxes[b].width / 2);
      layout->height = MAX (layout->height, layout->boxes[b].y + layout->boxes[b].height / 2);
    }
  g_array_unref (x.areas);
  g_hash_table_unref (x.cells);
  g_free (x.part_of);
  return done;
}
