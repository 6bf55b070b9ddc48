/* stay.c: where boxes and lines were in the previous picture, there they stay.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layout/arrange.h"

static int
known_box (PhArranger *a, int box)
{
  return a->build->known[box];
}

static gboolean
overlap (const PhLayoutBox *a, const PhLayoutBox *b)
{
  return fabsf (a->x - b->x) < (a->width + b->width) / 2 - 1 && fabsf (a->y - b->y) < (a->height + b->height) / 2 - 1;
}

/* Sets the places of what was in the previous scene, and its lines. (transfer full): which boxes they are; (nullable): all is new,
 * or a group has grown into its neighbours. */
guint8 *
ph_arrange_keep (PhArranger *a, PhLayout *layout, const int *slot, const int *real, int n_edges)
{
  PhScene *scene = a->scene, *previous = a->build->options->previous;
  g_autofree guint8 *fixed = g_new0 (guint8, layout->n_boxes + 1);
  guint n_fixed = 0;

  for (int i = scene->child_start[a->n]; i < scene->child_start[a->n + 1]; i++)
    {
      const int child = scene->children[i], before = known_box (a, child);
      PhLayoutBox *box = &layout->boxes[slot[child]];
      const PhSceneBox *old = before >= 0 ? ph_scene_box (previous, before) : NULL;
      const gboolean corner = old != NULL && (old->open || ph_scene_box (scene, child)->open);

      if (old == NULL || !old->shown)
        continue;
      box->x = (corner ? old->rect.x + ph_scene_box (scene, child)->rect.width / 2 : old->rect.x + old->rect.width / 2)
               - a->build->column[child] / 2 - PH_PICTURE_PAD;
      box->y = (corner ? old->rect.y + ph_scene_box (scene, child)->rect.height / 2 : old->rect.y + old->rect.height / 2) - PH_PICTURE_PAD;
      fixed[slot[child]] = TRUE;
      n_fixed++;
    }
  if (n_fixed == 0)
    return NULL;
  for (int i = scene->child_start[a->n]; i < scene->child_start[a->n + 1]; i++)
    {
      const int grown = slot[scene->children[i]], before = known_box (a, scene->children[i]);

      if (!fixed[grown] || !ph_scene_box (scene, scene->children[i])->open
          || (layout->boxes[grown].width <= ph_scene_box (previous, before)->rect.width + 1
              && layout->boxes[grown].height <= ph_scene_box (previous, before)->rect.height + 1))
        continue;
      for (guint b = 0; b < layout->n_boxes; b++)
        if ((int) b != grown && fixed[b] && overlap (&layout->boxes[grown], &layout->boxes[b]))
          return NULL;
    }
  for (int e = 0; e < n_edges; e++)
    {
      const PhSegment *segment = &g_array_index (a->segments, PhSegment, real[e]);
      const int from = segment->from < a->n ? segment->from : g_array_index (a->ports, PhPort, segment->from - a->n).group;
      const int to = segment->to < a->n ? segment->to : g_array_index (a->ports, PhPort, segment->to - a->n).group;
      PhLayoutEdge *edge = &layout->edges[e];
      const PhSceneEdge *line;
      const PhPoint *points;
      int kept;

      if (!ph_scene_kept_edge (a->build, from, to, segment->source, &kept))
        continue;
      line = ph_scene_edge (previous, kept);
      points = ph_scene_points (previous, line);
      edge->first_point = layout->points->len;
      edge->n_points = line->n_points;
      for (guint p = 0; p < line->n_points; p++)
        {
          PhPoint point = points[segment->reversed ? line->n_points - 1 - p : p];
          const gboolean start = p == 0, end = p + 1 == line->n_points;
          const PhRect *old = start || end ? &ph_scene_box (previous, known_box (a, (start != segment->reversed) ? from : to))->rect : NULL;
          const float grown = old != NULL ? (layout->boxes[start ? edge->from : edge->to].height - 2 * layout->boxes[start ? edge->from : edge->to].inset
                                             - old->height) / 2 : 0;

          if (old != NULL && point.y >= old->y + old->height - 1)
            point.y += grown;
          else if (old != NULL && point.y <= old->y + 1)
            point.y -= grown;
          point.x -= PH_PICTURE_PAD;
          point.y -= PH_PICTURE_PAD;
          g_array_append_val (layout->points, point);
        }
    }
  return g_steal_pointer (&fixed);
}
