/* border-ports.c: divides an edge across borders of open groups into one segment per level; the segments meet at ports on the borders.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/arrange.h"
#include "core/scene/scene-build.h"

/* Returns the box itself, or the outermost closed group that hides it. */
static int
shown_for (PhArranger *a, int box)
{
  int shown = box;

  for (int up = box; up >= 0; up = ph_arrange_parent (a, up))
    if (!ph_scene_box (a->scene, up)->open)
      shown = up;
  /* A node with bodies is a group when open; its own edges end at its border. */
  return ph_scene_box (a->scene, shown)->shown ? shown : -1;
}

static int
port_at (PhArranger *a, int group, int source, gboolean out)
{
  const PhPort key = { group, source, out, FALSE, 0 };
  int index = GPOINTER_TO_INT (g_hash_table_lookup (a->port_index, &key)) - 1;

  if (index < 0)
    {
      g_array_append_val (a->ports, key);
      index = a->ports->len - 1;
      g_hash_table_insert (a->port_index, g_memdup2 (&key, sizeof key), GINT_TO_POINTER (index + 1));
    }
  return a->n + index;
}

static void
add_segment (PhArranger *a, int group, int from, int to, int source, guint edge)
{
  const gboolean link = g_array_index (a->build->union_edges, PhUnionEdge, edge).link;
  gint64 key = (gint64) from << 32 | to | (link ? G_GINT64_CONSTANT (1) << 31 : 0);
  int index = GPOINTER_TO_INT (g_hash_table_lookup (a->segment_index, &key)) - 1;
  PhPart part = { 0, edge };
  PhSegment *at;

  if (index < 0)
    {
      const PhSegment segment = { .group = group,
                                  .from = from,
                                  .to = to,
                                  .source = source,
                                  .operand = g_array_index (a->build->union_edges, PhUnionEdge, edge).operand,
                                  .link = link };

      g_array_append_val (a->segments, segment);
      index = a->segments->len - 1;
      g_hash_table_insert (a->segment_index, g_memdup2 (&key, sizeof key), GINT_TO_POINTER (index + 1));
    }
  at = &g_array_index (a->segments, PhSegment, index);
  at->presence = MAX (at->presence, g_array_index (a->build->union_edges, PhUnionEdge, edge).presence);
  part.segment = index;
  g_array_append_val (a->parts, part);
  g_array_append_val (a->cuts, index);
}

/* Cuts edge number @e at the borders of the open groups that it passes. */
void
ph_arrange_cut (PhArranger *a, guint e)
{
  const PhUnionEdge *edge = &g_array_index (a->build->union_edges, PhUnionEdge, e);
  const int from = shown_for (a, edge->from), to = shown_for (a, edge->to);
  const int none = -1;
  int common, end, down[64], n_down = 0;

  if (from < 0 || to < 0 || from == to)
    return;
  /* The innermost group around both. */
  for (common = ph_arrange_parent (a, from); common >= 0; common = ph_arrange_parent (a, common))
    {
      int up = ph_arrange_parent (a, to);

      while (up >= 0 && up != common)
        up = ph_arrange_parent (a, up);
      if (up == common)
        break;
    }
  for (int up = from; up >= 0; up = ph_arrange_parent (a, up))
    if (up == to)
      return;
  for (int up = to; up >= 0; up = ph_arrange_parent (a, up))
    if (up == from)
      return;

  a->cut_of[e] = a->cuts->len;
  /* A line up leads from border to border: inside, everything leads down. */
  if (edge->link)
    {
      int ends[2] = { from, to };

      for (int i = 0; i < 2; i++)
        while (ph_arrange_parent (a, ends[i]) != common)
          ends[i] = ph_arrange_parent (a, ends[i]);
      add_segment (a, common, ends[0], ends[1], ends[0], e);
      g_array_append_val (a->cuts, none);
      return;
    }
  end = from;
  for (int group = ph_arrange_parent (a, from); group != common; group = ph_arrange_parent (a, group))
    {
      const int port = port_at (a, group, from, TRUE);

      add_segment (a, group, end, port, from, e);
      end = port;
    }
  for (int group = ph_arrange_parent (a, to); group != common && n_down < 64; group = ph_arrange_parent (a, group))
    down[n_down++] = group;
  for (int i = n_down - 1, level = common; i >= 0; level = down[i--])
    {
      const int port = port_at (a, down[i], from, FALSE);

      add_segment (a, level, end, port, from, e);
      end = port;
    }
  add_segment (a, n_down > 0 ? down[0] : common, end, to, from, e);
  g_array_append_val (a->cuts, none);
}

gboolean
ph_arrange_sees_way (PhArranger *a, const PhUnionEdge *edge)
{
  for (guint k = 0; k < edge->n_via; k++)
    {
      const PhUnionEdge *part = &g_array_index (a->build->union_edges, PhUnionEdge,
                                                g_array_index (a->build->vias, int, edge->first_via + k));

      if (part->from < 0 || part->link || shown_for (a, part->from) != part->from || shown_for (a, part->to) != part->to
          || (part->n_via > 0 && !ph_arrange_sees_way (a, part)))
        return FALSE;
    }
  return TRUE;
}

/* Lines of the backward graph enter its groups from below and leave them above, where those outside run upwards as well. */
void
ph_arrange_turn_ports (PhArranger *a)
{
  gboolean changed = TRUE;

  for (guint i = 0; i < a->ports->len; i++)
    {
      PhPort *port = &g_array_index (a->ports, PhPort, i);

      port->up = ph_arrange_backward (a->scene, port->group);
    }
  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < a->segments->len; i++)
        {
          const PhSegment *segment = &g_array_index (a->segments, PhSegment, i);
          PhPort *port[2] = { NULL, NULL };
          gboolean up = !segment->link;

          for (int k = 0; k < 2; k++)
            {
              const int end = k == 0 ? segment->from : segment->to;

              port[k] = end < a->n ? NULL : &g_array_index (a->ports, PhPort, end - a->n);
              up = up && (port[k] != NULL ? port[k]->up : ph_arrange_backward (a->scene, end));
            }
          for (int k = 0; k < 2 && !up; k++)
            if (port[k] != NULL && port[k]->up)
              {
                port[k]->up = FALSE;
                changed = TRUE;
              }
        }
    }
}
