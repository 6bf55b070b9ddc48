/* inside.c: lays out what is in one group, or the whole, after the open groups in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/layout/arrange.h"

#define GROUP_PAD     18.0f
#define GROUP_HEADER  30.0f
#define GROUP_WIDTH   170.0f      /* of a closed one */
#define GROUP_HEIGHT  54.0f
#define FOLD_ABOVE    12          /* groups in a chain, open or closed: they are folded into columns */
#define SCREEN        2.0f        /* times as wide as high                                  */

static char *
checksum_of (PhLayout *layout)
{
  g_autoptr(GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);

  g_checksum_update (sum, (const guchar *) &layout->fold, sizeof layout->fold);
  for (guint i = 0; i < layout->n_boxes; i++)
    g_checksum_update (sum, (const guchar *) &layout->boxes[i], sizeof (PhLayoutBox));
  for (guint i = 0; i < layout->n_edges; i++)
    {
      const PhLayoutEdge *edge = &layout->edges[i];
      const float numbers[7] = { edge->from, edge->to, edge->weight, edge->from_dx, edge->to_dx, edge->min_length, edge->presence };

      g_checksum_update (sum, (const guchar *) numbers, sizeof numbers);
    }
  return g_strdup (g_checksum_get_string (sum));
}

/* A backward node stands beside the forward node that it differentiates, and the backward graph runs upwards: its edges are
 * laid out turned around, with a tie of length 0 from each forward node to its partner. */
static void
add_ties (PhArranger *a, int group, const int *slot, GArray *ties)
{
  PhScene *scene = a->scene;

  for (int i = scene->child_start[group < 0 ? a->n : group]; i < scene->child_start[(group < 0 ? a->n : group) + 1]; i++)
    {
      const int child = scene->children[i];
      const int partner = a->partner[child];

      if (partner >= 0 && slot[partner] >= 0)
        {
          const PhLayoutEdge tie = { .from = slot[partner], .to = slot[child], .weight = 0.6f, .min_length = 0, .presence = 0 };

          g_array_append_val (ties, tie);
        }
    }
}

/* Lines were beyond the boxes; where it ended, there it ends. */
static void
keep_size (PhArranger *a, int group, PhLayout *layout, float pad, float top)
{
  PhScene *previous = a->build->options->previous;
  const PhRect *old = group >= 0 ? &ph_scene_box (previous, a->build->known[group])->rect : NULL;

  layout->width = MAX (layout->width, (old != NULL ? old->width : ph_scene_width (previous)) - 2 * pad);
  layout->height = MAX (layout->height, (old != NULL ? old->height : ph_scene_height (previous)) - top - pad);
}

gboolean
ph_arrange_group (PhArranger *a, int group, GError **error)
{
  PhScene *scene = a->scene;
  const int g = group < 0 ? a->n : group;
  const int n_children = scene->child_start[g + 1] - scene->child_start[g];
  const int n_ports = group < 0 ? 0 : a->port_start[g + 1] - a->port_start[g];
  const int n_segments = a->seg_start[g + 1] - a->seg_start[g];
  int n_groups = 0;
  g_autofree int *port_slot = NULL, *real = NULL;
  g_autofree guint8 *fixed = NULL;
  int *slot = a->slot;
  g_autofree char *sum = NULL;
  g_autoptr(GArray) ties = g_array_new (FALSE, FALSE, sizeof (PhLayoutEdge));
  PhLayout *layout, *known;
  PhSceneBox *box = group < 0 ? NULL : ph_scene_box_at (scene, group);
  const float top = group < 0 ? PH_PICTURE_PAD : GROUP_HEADER, pad = group < 0 ? PH_PICTURE_PAD : GROUP_PAD;
  int n_boxes = 0, n_edges = 0;

  for (int i = 0; i < n_children; i++)
    {
      const int child = scene->children[scene->child_start[g] + i];

      if (ph_scene_box (scene, child)->open && !ph_arrange_group (a, child, error))
        return FALSE;
    }

  port_slot = g_new (int, a->ports->len + 1);
  layout = ph_layout_new (n_children + n_ports, n_segments);
  for (int i = 0; i < n_children; i++)
    {
      const int child = scene->children[scene->child_start[g] + i];
      PhSceneBox *at = ph_scene_box_at (scene, child);

      if (at->kind == PH_BOX_GROUP && !at->open)
        {
          at->rect.width = GROUP_WIDTH;
          at->rect.height = GROUP_HEIGHT;
        }
      n_groups += at->kind == PH_BOX_GROUP;
      slot[child] = n_boxes;
      layout->boxes[n_boxes++] = (PhLayoutBox) { at->rect.width + a->build->column[child],
                                                 MAX (at->rect.height, a->build->stack[child]), 0, 0,
                                                 a->build->column[child] / 2,
                                                 MAX (0, a->build->stack[child] - at->rect.height) / 2, at->backward };
    }
  for (int i = 0; i < n_ports; i++)
    {
      port_slot[a->port_of_group[a->port_start[g] + i]] = n_boxes;
      layout->boxes[n_boxes++] = (PhLayoutBox) { .width = PH_PORT_WIDTH, .height = 2 };
    }
  real = g_new (int, n_segments + 1);
  for (int i = 0; i < n_segments; i++)
    {
      PhSegment *segment = &g_array_index (a->segments, PhSegment, a->seg_of_group[a->seg_start[g] + i]);
      const int ends[2] = { segment->from, segment->to };
      float dx[2] = { 0, 0 };
      int slots[2], inner[2];
      PhLayoutEdge *edge = &layout->edges[n_edges];

      for (int k = 0; k < 2; k++)
        {
          inner[k] = ends[k];
          if (ends[k] < a->n)
            {
              slots[k] = slot[ends[k]];
              dx[k] = a->build->column[ends[k]] / 2;
            }
          else
            {
              const PhPort *port = &g_array_index (a->ports, PhPort, ends[k] - a->n);

              inner[k] = port->group;
              if (port->group == group)
                slots[k] = port_slot[ends[k] - a->n];
              else
                {
                  slots[k] = slot[port->group];
                  dx[k] = port->x - ph_scene_box (scene, port->group)->rect.width / 2;
                }
            }
        }
      real[n_edges++] = a->seg_of_group[a->seg_start[g] + i];
      segment->reversed = inner[0] != group && inner[1] != group && ph_arrange_backward (scene, inner[0]) && ph_arrange_backward (scene, inner[1]);
      segment->tie = inner[0] != group && inner[1] != group && ph_arrange_backward (scene, inner[1]) && !ph_arrange_backward (scene, inner[0]);
      edge->from = slots[segment->reversed ? 1 : 0];
      edge->to = slots[segment->reversed ? 0 : 1];
      edge->from_dx = dx[segment->reversed ? 1 : 0];
      edge->to_dx = dx[segment->reversed ? 0 : 1];
      /* Saved for the backward pass: beside, not below; it must not stretch the picture. */
      edge->min_length = segment->tie ? 0 : 1;
      edge->weight = segment->tie ? 0.5f : 1;
      edge->presence = CLAMP (PH_PRESENCE * segment->presence / scene->record->stops->len, 1, PH_PRESENCE);
    }
  add_ties (a, group, slot, ties);
  if (ties->len > 0)
    {
      layout->edges = g_renew (PhLayoutEdge, layout->edges, n_edges + ties->len);
      memcpy (layout->edges + n_edges, ties->data, sizeof (PhLayoutEdge) * ties->len);
      layout->n_edges = n_edges + ties->len;
    }
  layout->engine = a->build->options->quick ? PH_LAYOUT_LAYERED : a->build->options->engine;
  if (n_groups >= FOLD_ABOVE && 3 * n_groups >= 2 * n_children && ties->len == 0)
    {
      layout->fold = SCREEN;
      if (layout->engine == PH_LAYOUT_AUTO)
        layout->engine = PH_LAYOUT_LAYERED;
    }
  /* A group among others: not worth a process of its own; and dot knows no columns. */
  if (layout->engine == PH_LAYOUT_AUTO)
    layout->engine = group >= 0 || ties->len > 0 ? PH_LAYOUT_LAYERED : PH_LAYOUT_BEST;

  sum = checksum_of (layout);
  known = g_hash_table_lookup (a->done, sum);
  if (a->build->options->previous != NULL)
    fixed = ph_arrange_keep (a, group, layout, slot, port_slot, real, n_edges, pad, top);
  if (fixed != NULL)
    {
      if (!ph_layout_extend (layout, fixed, a->build->cancellable, error))
        {
          ph_layout_free (layout);
          return FALSE;
        }
      if (group < 0)
        scene->coarse = ph_scene_is_coarse (a->build->options->previous);
      keep_size (a, group, layout, pad, top);
      g_hash_table_insert (a->done, g_strdup_printf ("inside %d", group), layout);
      known = layout;
    }
  else if (known == NULL)
    {
      const double seconds = a->build->options->seconds > 0 ? a->build->options->seconds : 5;

      if (layout->engine != PH_LAYOUT_DOT)
        layout->room = ph_arrange_room (a, layout, scene->children + scene->child_start[g], n_children, slot, real, n_edges);

      if (!ph_layout_sync (layout, seconds, a->build->cancellable, error))
        {
          ph_layout_free (layout);
          return FALSE;
        }
      scene->coarse |= layout->coarse;
      g_hash_table_insert (a->done, g_steal_pointer (&sum), layout);
      known = layout;
    }
  else
    ph_layout_free (layout);

  for (int i = 0; i < n_children; i++)
    {
      const int child = scene->children[scene->child_start[g] + i];
      const PhLayoutBox *at = &known->boxes[slot[child]];
      const PhSceneBox *inside = ph_scene_box (scene, child);

      slot[child] = -1;
      a->spot[child] = (PhRect) { at->x - at->width / 2 + a->build->column[child] + pad, at->y - inside->rect.height / 2 + top,
                                  inside->rect.width, inside->rect.height };
    }
  for (int i = 0; i < n_ports; i++)
    {
      const int port = a->port_of_group[a->port_start[g] + i];

      g_array_index (a->ports, PhPort, port).x = known->boxes[port_slot[port]].x + pad;
    }
  if (box != NULL)
    {
      box->rect.width = MAX (known->width + 2 * pad, GROUP_WIDTH);
      box->rect.height = known->height + top + pad;
      for (int i = 0; i < n_ports; i++)      /* a group widened to its title keeps its inside at the left */
        {
          PhPort *port = &g_array_index (a->ports, PhPort, a->port_of_group[a->port_start[g] + i]);

          port->x = CLAMP (port->x, 6, box->rect.width - 6);
        }
    }
  else
    {
      scene->width = known->width + 2 * pad;
      scene->height = known->height + 2 * pad;
    }
  for (int i = 0; i < n_edges; i++)
    {
      PhSegment *segment = &g_array_index (a->segments, PhSegment, real[i]);
      const PhLayoutEdge *edge = &known->edges[i];

      segment->first = a->local->len;
      segment->n = edge->n_points;
      for (guint p = 0; p < edge->n_points; p++)
        {
          PhPoint point = g_array_index (known->points, PhPoint, edge->first_point + (segment->reversed ? edge->n_points - 1 - p : p));

          point.x += pad;
          point.y += top;
          g_array_append_val (a->local, point);
        }
      /* Ports lie inside: the last stretch to the border is drawn with the segment. */
      if (segment->n >= 4 && group >= 0)
        {
          PhPoint *points = &g_array_index (a->local, PhPoint, segment->first);

          if (segment->from >= a->n && g_array_index (a->ports, PhPort, segment->from - a->n).group == group)
            points[0].y = 0;
          if (segment->to >= a->n && g_array_index (a->ports, PhPort, segment->to - a->n).group == group)
            points[segment->n - 1].y = box->rect.height;
        }
    }
  return TRUE;
}
