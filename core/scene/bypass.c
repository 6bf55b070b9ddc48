/* bypass.c: routes a new edge left behind by a fusion or elimination through the places of the removed nodes. Otherwise the picture of the
 * whole history would need room for both, and edges that never exist at the same time would cross.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/layered/layered.h"
#include "core/scene/scene-build.h"

#define MAX_VISITS 120 /* boxes looked at for one edge */

typedef struct
{
  PhSceneBuild *build;
  const int *rank;
  const int *start, *out; /* edges by their first box                             */
  int *came;              /* the edge through which a box was reached, for one search */
  int *seen;              /* number of the search that reached it                 */
  int *hops;              /* the most edges from the first box                    */
  int search;
} Finder;

static PhUnionEdge *
edge_at (PhSceneBuild *build, int edge)
{
  return &g_array_index (build->union_edges, PhUnionEdge, edge);
}

/* Returns TRUE if no node is in @box at any time at which @edge exists. */
static gboolean
is_free (PhSceneBuild *build, int box, const PhUnionEdge *edge)
{
  PhScene *scene = build->scene;
  const PhSceneBox *at = ph_scene_box (scene, box);

  if (at->kind != PH_BOX_NODE)
    return FALSE;
  for (guint t = 0; t < at->n_tenants; t++)
    {
      const PhTenant *tenant = &g_array_index (scene->tenants, PhTenant, at->first_tenant + t);

      for (guint u = 0; u < edge->n_uses; u++)
        {
          const PhUseLife *use = &g_array_index (scene->record->uses, PhUseLife, build->uses[edge->first_use + u]);

          if (tenant->born < use->died && use->born < tenant->died)
            return FALSE;
        }
    }
  return TRUE;
}

/* Takes the first box of the queue, by rank, out of it. */
static int
take_first (Finder *finder, int *queue, int *n)
{
  int first = 0, box;

  for (int i = 1; i < *n; i++)
    if (finder->rank[queue[i]] < finder->rank[queue[first]])
      first = i;
  box = queue[first];
  memmove (queue + first, queue + first + 1, sizeof *queue * (gsize) (*n - first - 1));
  (*n)--;
  return box;
}

/* Finds the path through free places that skips the fewest rows: an edge that skips rows leads around the boxes in them, which are not
 * there either while @e is. */
static gboolean
find_way (Finder *finder, int e)
{
  PhSceneBuild *build = finder->build;
  const PhUnionEdge *edge = edge_at (build, e);
  int queue[MAX_VISITS], n = 0, visits = 1;
  gboolean found = FALSE;

  finder->search++;
  queue[n++] = edge->from;
  finder->seen[edge->from] = finder->search;
  finder->hops[edge->from] = 0;
  while (n > 0)
    {
      const int box = take_first (finder, queue, &n);

      for (int i = finder->start[box]; i < finder->start[box + 1]; i++)
        {
          const int next = edge_at (build, finder->out[i])->to;
          const gboolean is_end = next == edge->to, known = finder->seen[next] == finder->search;

          if (finder->out[i] == e || finder->rank[next] <= finder->rank[box] || finder->rank[next] > finder->rank[edge->to]
              || (is_end && box == edge->from) || (known && finder->hops[next] >= finder->hops[box] + 1))
            continue;
          if (!known && !is_end)
            {
              if (visits == MAX_VISITS
                  || ph_scene_box (build->scene, next)->parent != ph_scene_box (build->scene, edge->from)->parent
                  || !is_free (build, next, edge))
                continue;
              queue[n++] = next;
              visits++;
            }
          found |= is_end;
          finder->seen[next] = finder->search;
          finder->hops[next] = finder->hops[box] + 1;
          finder->came[next] = finder->out[i];
        }
    }
  return found;
}

void
ph_scene_bypass (PhSceneBuild *build)
{
  const int n = build->scene->boxes->len, n_edges = build->union_edges->len;
  PhLayout *layout;
  PhRows rows;
  g_autofree int *rank = NULL, *came = NULL, *seen = NULL, *hops = NULL;
  g_autofree guint8 *reversed = NULL;
  Finder finder = { .build = build };

  if (build->scene->record->end == 0 || n_edges == 0)
    return;
  layout = ph_layout_new (n, n_edges);
  rank = g_new0 (int, n + 1);
  came = g_new0 (int, n + 1);
  seen = g_new0 (int, n + 1);
  hops = g_new0 (int, n + 1);
  reversed = g_new0 (guint8, n_edges + 1);
  for (int e = 0; e < n_edges; e++)
    {
      layout->edges[e].from = edge_at (build, e)->link ? edge_at (build, e)->to : edge_at (build, e)->from;
      layout->edges[e].to = edge_at (build, e)->link ? edge_at (build, e)->from : edge_at (build, e)->to;
    }
  ph_layered_rank (layout, rank, reversed);
  ph_layout_free (layout);
  ph_rows_init (&rows, n, n_edges, &g_array_index (build->union_edges, PhUnionEdge, 0).from, sizeof (PhUnionEdge));
  finder.rank = rank;
  finder.start = rows.start;
  finder.out = rows.index;
  finder.came = came;
  finder.seen = seen;
  finder.hops = hops;
  for (int e = 0; e < n_edges; e++)
    {
      PhUnionEdge *edge = edge_at (build, e);
      int way[MAX_VISITS], n_way = 0;

      if (edge->link || reversed[e] || rank[edge->to] - rank[edge->from] < 2
          || ph_scene_box (build->scene, edge->from)->parent != ph_scene_box (build->scene, edge->to)->parent
          || !find_way (&finder, e))
        continue;
      for (int box = edge->to; box != edge->from; box = edge_at (build, came[box])->from)
        way[n_way++] = came[box];
      edge->first_via = build->vias->len;
      edge->n_via = n_way;
      while (n_way > 0)
        g_array_append_val (build->vias, way[--n_way]);
    }
  ph_rows_clear (&rows);
}
