/* layered.c: our own layered layout, for graphs that are too large for dot and where dot ran out of time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"

#include "core/layered/route.h"

#include <math.h>

#define BEND_WIDTH 6.0f
#define MAX_BENDS  3000000 /* beyond that the longest edges are drawn straight through */
#define SEPARATION 18.0f
#define COLUMN_GAP 60.0f

typedef struct
{
  int from, edge;
  float dx;
  int reach;
} Start;

static int
compare_starts (const void *a, const void *b)
{
  const Start *x = a, *y = b;

  if (x->from != y->from)
    return x->from - y->from;
  return x->dx < y->dx ? -1 : x->dx > y->dx;
}

/* Builds one chain of bends for all edges that leave a box at the same place, as long as the longest of them. */
static void
build_chains (PhLayered *layered, GArray *ranks, GArray *links)
{
  PhLayout *layout = layered->layout;
  g_autofree Start *starts = g_new (Start, MAX (layout->n_edges, 1));
  int n_starts = 0, longest = G_MAXINT;
  gint64 bends = 0;

  for (guint e = 0; e < layout->n_edges; e++)
    {
      int from, to;
      float from_dx, to_dx;
      const int *rank = (const int *) ranks->data;

      layered->edge_chain[e] = -1;
      ph_layered_ends (layered, e, &from, &to, &from_dx, &to_dx);
      if (from != to)
        {
          starts[n_starts++] = (Start) { from, e, from_dx, rank[to] };
          bends += MAX (rank[to] - rank[from] - 1, 0);
        }
    }
  if (bends > MAX_BENDS)
    longest = MAX (10, (int) (2 * (gint64) MAX_BENDS / MAX (n_starts, 1)));
  qsort (starts, n_starts, sizeof *starts, compare_starts);

  for (int i = 0, stop; i < n_starts; i = stop)
    {
      const int from = starts[i].from;
      const int top = g_array_index (ranks, int, from);
      const int first = (int) ranks->len;
      int reach = top + 1;
      float weight = 0;
      int presence = 0;

      for (stop = i; stop < n_starts && starts[stop].from == from && fabsf (starts[stop].dx - starts[i].dx) < 0.5f; stop++)
        if (starts[stop].reach - top <= longest)
          {
            reach = MAX (reach, starts[stop].reach);
            weight += layout->edges[starts[stop].edge].weight;
            presence = MAX (presence, layout->edges[starts[stop].edge].presence);
          }
      for (int r = top + 1; r < reach; r++)
        {
          /* clang-format off */
          PhLink link = {
            r == top + 1 ? from : (int) ranks->len - 1, (int) ranks->len, r == top + 1 ? 2 * weight : 8 * weight,
            r == top + 1 ? starts[i].dx : 0, 0, FALSE, presence
          };
          /* clang-format on */

          g_array_append_val (ranks, r);
          g_array_append_val (links, link);
        }
      for (int k = i; k < stop; k++)
        {
          const int e = starts[k].edge;
          int u, to;
          float from_dx, to_dx;

          ph_layered_ends (layered, e, &u, &to, &from_dx, &to_dx);
          if (starts[k].reach == top)
            {
              PhLink flat = { from, to, layout->edges[e].weight, from_dx, to_dx, FALSE, layout->edges[e].presence };

              g_array_append_val (layered->flat, flat);
            }
          else if (starts[k].reach - top <= longest)
            {
              const gboolean direct = starts[k].reach == top + 1;
              /* clang-format off */
              PhLink link = {
                direct ? from : first + starts[k].reach - top - 2, to, layout->edges[e].weight * (direct ? 1 : 2),
                direct ? from_dx : 0, to_dx, FALSE, layout->edges[e].presence
              };
              /* clang-format on */

              layered->edge_chain[e] = direct ? -1 : first;
              g_array_append_val (links, link);
            }
        }
    }
}

static void
layered_clear (PhLayered *layered)
{
  g_free (layered->rank);
  g_free (layered->place);
  g_free (layered->left);
  g_free (layered->right);
  g_free (layered->x);
  g_free (layered->links);
  g_free (layered->layer_start);
  g_free (layered->order);
  g_free (layered->edge_chain);
  g_free (layered->reversed);
  g_free (layered->across);
  g_free (layered->lines);
  g_clear_pointer (&layered->flat, g_array_unref);
  ph_rows_clear (&layered->up);
  ph_rows_clear (&layered->down);
}

/* Builds the layers. @rank: the layer of each box; @reversed: (transfer full). */
static void
build (PhLayered *layered, PhLayout *layout, const int *rank, guint8 *reversed, int n_layers)
{
  g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (PhLink));

  layered->layout = layout;
  layered->n_boxes = layout->n_boxes;
  layered->separation = SEPARATION;
  layered->reversed = reversed;
  layered->n_layers = n_layers;
  layered->edge_chain = g_new (int, MAX (layout->n_edges, 1));
  layered->flat = g_array_new (FALSE, FALSE, sizeof (PhLink));
  g_array_append_vals (ranks, rank, layout->n_boxes);
  build_chains (layered, ranks, links);

  layered->n = ranks->len;
  layered->rank = (int *) g_array_steal (ranks, NULL);
  layered->left = g_new (float, layered->n + 1);
  layered->right = g_new (float, layered->n + 1);
  for (int v = 0; v < layered->n; v++)
    {
      const PhLayoutBox *box = v < layered->n_boxes ? &layout->boxes[v] : NULL;

      layered->left[v] = box != NULL ? box->width / 2 + box->anchor : BEND_WIDTH / 2;
      layered->right[v] = box != NULL ? box->width / 2 - box->anchor : BEND_WIDTH / 2;
    }
  layered->n_links = links->len;
  layered->links = (PhLink *) g_array_steal (links, NULL);
  if (layered->links == NULL)
    layered->links = g_new0 (PhLink, 1);
  layered->place = g_new0 (int, layered->n + 1);
  layered->x = g_new0 (float, layered->n + 1);
  layered->order = g_new0 (int, layered->n + 1);
  layered->layer_start = g_new0 (int, layered->n_layers + 2);
  for (int v = 0; v < layered->n; v++)
    layered->layer_start[layered->rank[v] + 1]++;
  for (int r = 0; r < layered->n_layers; r++)
    layered->layer_start[r + 1] += layered->layer_start[r];
  ph_rows_init (&layered->down, layered->n, layered->n_links, &layered->links->from, sizeof (PhLink));
  ph_rows_init (&layered->up, layered->n, layered->n_links, &layered->links->to, sizeof (PhLink));
}

/* Sets y of the layers: as high as their highest box, further apart if edges run far to the side. All of @columns have the same layers.
 * Returns the height. */
static float
stack_layers (PhLayered *columns, guint n_columns, float *top, float *bottom)
{
  const int n_layers = columns[0].n_layers;
  g_autofree float *reach = g_new0 (float, n_layers + 1), *height = g_new0 (float, n_layers + 1);
  float y = 0;

  for (guint c = 0; c < n_columns; c++)
    {
      const PhLayered *layered = &columns[c];

      for (int i = 0; i < layered->n_links; i++)
        {
          const PhLink *link = &layered->links[i];
          float *most = &reach[layered->rank[link->from]];

          *most = MAX (*most, fabsf (layered->x[link->from] + link->from_dx - layered->x[link->to] - link->to_dx));
        }
      for (int v = 0; v < layered->n_boxes; v++)
        height[layered->rank[v]] = MAX (height[layered->rank[v]], layered->layout->boxes[v].height);
    }
  for (int r = 0; r < n_layers; r++)
    {
      top[r] = y;
      bottom[r] = y + MAX (height[r], 1);
      y = bottom[r] + 22 + MIN (0.05f * reach[r], 48);
    }
  for (guint c = 0; c < n_columns; c++)
    for (int v = 0; v < columns[c].n_boxes; v++)
      columns[c].layout->boxes[v].y = (top[columns[c].rank[v]] + bottom[columns[c].rank[v]]) / 2;
  return n_layers > 0 ? bottom[n_layers - 1] : 0;
}

/* Orders and places: x from 0 to the width, which is set. */
static gboolean
lay (PhLayered *layered, GCancellable *cancellable)
{
  float left = INFINITY, right = -INFINITY;

  if (!ph_layered_order (layered, cancellable) || !ph_layered_place (layered, cancellable))
    return FALSE;
  for (int v = 0; v < layered->n; v++)
    {
      left = MIN (left, layered->x[v] - layered->left[v]);
      right = MAX (right, layered->x[v] + layered->right[v]);
    }
  for (int v = 0; v < layered->n; v++)
    layered->x[v] -= left;
  for (int v = 0; v < layered->n_boxes; v++)
    layered->layout->boxes[v].x = layered->x[v] - layered->layout->boxes[v].anchor;
  layered->layout->width = MAX (right - left, 0);
  return TRUE;
}

/* ── two columns ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns how close the right column may move to the left one: at least the gap in every layer. */
static float
gap_between (const PhLayered *left, const PhLayered *right)
{
  g_autofree float *edge = g_new (float, left->n_layers + 1);
  float shift = 0;

  for (int r = 0; r < left->n_layers; r++)
    edge[r] = -INFINITY;
  for (int v = 0; v < left->n; v++)
    edge[left->rank[v]] = MAX (edge[left->rank[v]], left->x[v] + left->right[v]);
  for (int r = 1; r < left->n_layers; r++) /* starts early, so that corners do not meet */
    edge[r - 1] = MAX (edge[r - 1], edge[r] - 40);
  for (int r = left->n_layers - 1; r > 0; r--)
    edge[r] = MAX (edge[r], edge[r - 1] - 40);
  for (int v = 0; v < right->n; v++)
    if (isfinite (edge[right->rank[v]]))
      shift = MAX (shift, edge[right->rank[v]] - (right->x[v] - right->left[v]));
  return shift + COLUMN_GAP;
}

/* Counts lines to the other column, which leave at the side and cross all lines on their way. */
static void
count_across (PhLayered *column, const PhLayout *layout, guint c, const int *index)
{
  column->across = g_new0 (int, column->n + 1);
  column->lines = g_new0 (int, column->n + 1);
  column->rightwards = c == 0;
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];

      if (layout->boxes[edge->from].column != layout->boxes[edge->to].column)
        column->across[index[layout->boxes[edge->from].column == c ? edge->from : edge->to]] += edge->presence;
    }
  for (int i = 0; i < column->n_links; i++)
    column->lines[column->links[i].from] += column->links[i].presence;
}

/* Places the forward graph on the left and the backward one on its right, in the same layers. Each is laid out as if it were alone, so that
 * only the edges between them cross. */
static gboolean
layered_columns (PhLayout *layout, const int *rank, const guint8 *reversed, int n_layers, GCancellable *cancellable)
{
  PhLayered columns[2] = { {
                               0,
                           },
                           {
                               0,
                           } };
  PhLayout *parts[2];
  g_autofree int *index = g_new (int, layout->n_boxes + 1), *edge_index = g_new (int, layout->n_edges + 1);
  g_autofree float *top = g_new (float, n_layers + 1), *bottom = g_new (float, n_layers + 1);
  float shift[2] = { 0, 0 };
  gboolean done = TRUE;

  for (guint c = 0; c < 2; c++)
    {
      PhLayout *part = parts[c] = ph_layout_new (layout->n_boxes, layout->n_edges);
      g_autofree int *part_rank = g_new (int, layout->n_boxes + 1);
      guint8 *part_reversed = g_new0 (guint8, layout->n_edges + 1);

      part->n_boxes = part->n_edges = 0;
      for (guint b = 0; b < layout->n_boxes; b++)
        if (layout->boxes[b].column == c)
          {
            index[b] = part->n_boxes;
            part_rank[part->n_boxes] = rank[b];
            part->boxes[part->n_boxes++] = layout->boxes[b];
          }
      for (guint e = 0; e < layout->n_edges; e++)
        {
          const PhLayoutEdge *edge = &layout->edges[e];

          if (layout->boxes[edge->from].column != c || layout->boxes[edge->to].column != c)
            continue;
          edge_index[e] = part->n_edges;
          part_reversed[part->n_edges] = reversed[e];
          part->edges[part->n_edges] = *edge;
          part->edges[part->n_edges].from = index[edge->from];
          part->edges[part->n_edges++].to = index[edge->to];
        }
      build (&columns[c], part, part_rank, part_reversed, n_layers);
      count_across (&columns[c], layout, c, index);
      done = done && lay (&columns[c], cancellable);
    }
  if (done)
    {
      shift[1] = gap_between (&columns[0], &columns[1]);
      layout->width = MAX (parts[0]->width, shift[1] + parts[1]->width);
      layout->coarse |= parts[0]->coarse | parts[1]->coarse;
      layout->height = stack_layers (columns, 2, top, bottom);
      g_array_set_size (layout->points, 0);
      for (guint c = 0; c < 2; c++)
        ph_route_layers (&columns[c], top, bottom);
      for (guint b = 0; b < layout->n_boxes; b++)
        {
          const guint c = layout->boxes[b].column;

          layout->boxes[b].x = parts[c]->boxes[index[b]].x + shift[c];
          layout->boxes[b].y = parts[c]->boxes[index[b]].y;
        }
      for (guint e = 0; e < layout->n_edges; e++)
        {
          PhLayoutEdge *edge = &layout->edges[e];
          const guint c = layout->boxes[edge->from].column;
          const PhLayoutEdge *part;

          if (layout->boxes[edge->to].column != c)
            {
              edge->n_points = 0;
              if (edge->presence > 0)
                ph_route_across (layout, edge);
              continue;
            }
          part = &parts[c]->edges[edge_index[e]];
          edge->first_point = layout->points->len;
          edge->n_points = 0;
          for (guint p = 0; p < part->n_points; p++)
            {
              const PhPoint *point = &g_array_index (parts[c]->points, PhPoint, part->first_point + p);

              ph_route_add (layout, edge, point->x + shift[c], point->y);
            }
        }
    }
  for (guint c = 0; c < 2; c++)
    {
      layered_clear (&columns[c]);
      ph_layout_free (parts[c]);
    }
  return done;
}

gboolean
ph_layered_lay (PhLayout *layout, GCancellable *cancellable, GError **error)
{
  g_autofree int *rank = g_new0 (int, layout->n_boxes + 1);
  guint8 *reversed = g_new0 (guint8, layout->n_edges + 1);
  const int n_layers = ph_layered_rank (layout, rank, reversed);
  gboolean columns[2] = { FALSE, FALSE }, done;

  if (layout->n_boxes == 0)
    {
      layout->width = layout->height = 0;
      g_free (reversed);
      return TRUE;
    }
  for (guint b = 0; b < layout->n_boxes; b++)
    columns[layout->boxes[b].column != 0] = TRUE;
  if (columns[0] && columns[1])
    {
      done = layered_columns (layout, rank, reversed, n_layers, cancellable);
      g_free (reversed);
    }
  else
    {
      PhLayered layered = {
        0,
      };
      g_autofree float *top = g_new (float, n_layers + 1), *bottom = g_new (float, n_layers + 1);

      build (&layered, layout, rank, reversed, n_layers);
      done = lay (&layered, cancellable);
      if (done)
        {
          layout->height = stack_layers (&layered, 1, top, bottom);
          ph_route_layers (&layered, top, bottom);
          if (layout->fold > 0)
            ph_layered_fold (&layered, top, bottom);
        }
      layered_clear (&layered);
    }
  if (!done)
    g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
  return done;
}
