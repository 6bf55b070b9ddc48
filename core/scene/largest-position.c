/* largest-position.c: the size of the largest position of a history by itself; the picture of the whole history should not need much
 * more.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/layered.h"
#include "core/scene/arrange.h"
#include "core/scene/scene-build.h"
#include "core/scene/scene-read.h"

#define MANY 4000 /* boxes; more are not examined */

static gboolean
is_there (PhScene *scene, int box, int time)
{
  const PhSceneBox *at = ph_scene_box (scene, box);

  return at->n_tenants == 0 || ph_scene_tenant (scene, box, time) != NULL;
}

/* Returns the time at which most of @children exist. */
static int
find_fullest (PhScene *scene, const int *children, int n)
{
  const GArray *stops = scene->record->stops;
  int most = -1, fullest = 0;

  for (guint s = 0; s < stops->len; s++)
    {
      const int time = g_array_index (stops, int, s);
      int here = 0;

      if (s > 0 && time == g_array_index (stops, int, s - 1))
        continue;
      for (int i = 0; i < n; i++)
        here += is_there (scene, children[i], time);
      if (here > most)
        {
          most = here;
          fullest = time;
        }
    }
  return fullest;
}

/* Marks the segments that are lines at @time. */
static guint8 *
find_lines (PhArranger *a, int time)
{
  guint8 *there = g_new0 (guint8, a->segments->len + 1);

  for (guint i = 0; i < a->parts->len; i++)
    {
      const PhPart *part = &g_array_index (a->parts, PhPart, i);
      const PhUnionEdge *edge = &g_array_index (a->build->union_edges, PhUnionEdge, part->union_edge);

      for (guint u = 0; u < edge->n_uses && !there[part->segment]; u++)
        {
          const PhUseLife *use = ph_scene_use (a->scene, a->build->uses[edge->first_use + u]);

          there[part->segment] = use->born <= time && time < use->died;
        }
    }
  return there;
}

double
ph_arrange_room (PhArranger *a, const PhLayout *layout, const int *children, int n_children, const int *slot, const int *segments,
                 int n_segments)
{
  g_autoptr (PhLayout) alone = NULL;
  g_autofree int *index = NULL;
  g_autofree guint8 *there = NULL;
  int time;

  if (a->scene->record->end == 0 || layout->n_boxes > MANY)
    return 0;
  time = find_fullest (a->scene, children, n_children);
  index = g_new0 (int, layout->n_boxes + 1);
  for (int i = 0; i < n_children; i++)
    if (!is_there (a->scene, children[i], time))
      index[slot[children[i]]] = -1;
  there = find_lines (a, time);
  alone = ph_layout_new (layout->n_boxes, layout->n_edges);
  alone->n_boxes = alone->n_edges = 0;
  for (guint b = 0; b < layout->n_boxes; b++)
    if (index[b] >= 0)
      {
        index[b] = alone->n_boxes;
        alone->boxes[alone->n_boxes++] = layout->boxes[b];
      }
  for (guint e = 0; e < layout->n_edges; e++)
    {
      PhLayoutEdge edge = layout->edges[e];

      if (index[edge.from] < 0 || index[edge.to] < 0 || (e < (guint) n_segments && !there[segments[e]]))
        continue;
      edge.from = index[edge.from];
      edge.to = index[edge.to];
      edge.presence = edge.presence > 0 ? PH_PRESENCE : 0;
      alone->edges[alone->n_edges++] = edge;
    }
  if (!ph_layered_lay (alone, a->build->cancellable, NULL))
    return 0;
  return (double) alone->width * alone->height;
}
