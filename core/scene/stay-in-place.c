/* stay-in-place.c: keeps boxes and lines at their places in the previous picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/scene/arrange.h"
#include "core/scene/scene-build.h"
#include "core/scene/scene-read.h"

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

/* Returns the corner of the previous group, or of the picture. */
static PhPoint
corner_of (PhArranger *a, int group, const PhInset *inset)
{
  const PhRect *rect = group >= 0 ? &ph_scene_box (a->build->options->previous, known_box (a, group))->rect : NULL;

  return rect != NULL ? (PhPoint) { rect->x + inset->left, rect->y + inset->top } : (PhPoint) { inset->left, inset->top };
}

static gboolean
is_far (const PhLayout *layout, const guint8 *fixed, int port)
{
  for (guint b = 0; b < layout->n_boxes; b++)
    if ((int) b != port && fixed[b] && layout->boxes[b].width <= PH_PORT_WIDTH && layout->boxes[b].y == layout->boxes[port].y
        && fabsf (layout->boxes[b].x - layout->boxes[port].x) < PH_PORT_WIDTH + 2)
      return FALSE;
  return TRUE;
}

/* Keeps a port where its line met the border; a new one goes above or below its box. */
static void
keep_port (PhArranger *a, PhLayout *layout, guint8 *fixed, int port_index, int slot, PhPoint corner, float bottom)
{
  PhScene *previous = a->build->options->previous;
  const PhPort *port = &g_array_index (a->ports, PhPort, port_index);
  const int group = known_box (a, port->group), source = known_box (a, port->source);
  const int *edges;
  guint n = 0;

  layout->boxes[slot].y = port->out != port->up ? bottom - 1 : 1;
  fixed[slot] = TRUE;
  edges = port->out ? ph_scene_edges_to (previous, group, &n) : ph_scene_edges_from (previous, group, &n);
  for (guint i = 0; i < n && source >= 0; i++)
    {
      const PhSceneEdge *edge = ph_scene_edge (previous, edges[i]);

      if (edge->source != source || edge->n_points == 0
          || ph_scene_box (previous, port->out ? edge->from : edge->to)->parent != group)
        continue;
      layout->boxes[slot].x = ph_scene_points (previous, edge)[port->out ? edge->n_points - 1 : 0].x - corner.x;
      return;
    }
  for (guint e = 0; e < layout->n_edges; e++)
    if ((int) layout->edges[e].from == slot || (int) layout->edges[e].to == slot)
      {
        const PhLayoutBox *other
            = &layout->boxes[(int) layout->edges[e].from == slot ? layout->edges[e].to : layout->edges[e].from];

        layout->boxes[slot].x = other->x + other->anchor;
        break;
      }
  for (int step = 1; step < 40 && !is_far (layout, fixed, slot); step++)
    layout->boxes[slot].x += (step % 2 == 0 ? -step : step) * (PH_PORT_WIDTH + 2);
}

guint8 *
ph_arrange_keep (PhArranger *a, int group, PhLayout *layout, const int *slot, const int *port_slot, const int *real, int n_edges,
                 const PhInset *inset)
{
  PhScene *scene = a->scene, *previous = a->build->options->previous;
  const int g = group < 0 ? a->n : group;
  g_autofree guint8 *fixed = g_new0 (guint8, layout->n_boxes + 1);
  guint n_fixed = 0;
  PhPoint corner;

  if (group >= 0 && (known_box (a, group) < 0 || !ph_scene_box (previous, known_box (a, group))->open))
    return NULL;
  corner = corner_of (a, group, inset);
  for (int i = scene->child_start[g]; i < scene->child_start[g + 1]; i++)
    {
      const int child = scene->children[i], before = known_box (a, child);
      PhLayoutBox *box = &layout->boxes[slot[child]];
      const PhSceneBox *old = before >= 0 ? ph_scene_box (previous, before) : NULL;
      const gboolean by_corner = old != NULL && (old->open || ph_scene_box (scene, child)->open);

      if (old == NULL || !old->shown)
        continue;
      box->x = (by_corner ? old->rect.x + ph_scene_box (scene, child)->rect.width / 2 : old->rect.x + old->rect.width / 2)
               - a->build->column[child] / 2 - corner.x;
      box->y = (by_corner ? old->rect.y + ph_scene_box (scene, child)->rect.height / 2 : old->rect.y + old->rect.height / 2)
               - corner.y;
      fixed[slot[child]] = TRUE;
      n_fixed++;
    }
  if (n_fixed == 0)
    return NULL;
  for (int i = scene->child_start[g]; i < scene->child_start[g + 1]; i++)
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
  for (int i = a->port_start[g]; group >= 0 && i < a->port_start[g + 1]; i++)
    keep_port (a, layout, fixed, a->port_of_group[i], port_slot[a->port_of_group[i]], corner,
               ph_scene_box (previous, known_box (a, group))->rect.height - inset->top - inset->bottom);
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
          const int at = start != segment->reversed ? from : to;
          const PhRect *old = (start || end) && at != group ? &ph_scene_box (previous, known_box (a, at))->rect : NULL;
          const float grown = old != NULL ? (layout->boxes[start ? edge->from : edge->to].height
                                             - 2 * layout->boxes[start ? edge->from : edge->to].inset - old->height)
                                                / 2
                                          : 0;

          if (old != NULL && point.y >= old->y + old->height - 1)
            point.y += grown;
          else if (old != NULL && point.y <= old->y + 1)
            point.y -= grown;
          point.x -= corner.x;
          point.y -= corner.y;
          g_array_append_val (layout->points, point);
        }
    }
  return g_steal_pointer (&fixed);
}
