/* arrange-group.c: lays out the contents of one group, or of the whole, after the open groups within.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "core/scene/arrange.h"
#include "core/scene/scene-build.h"

#define GROUP_PAD    18.0f
#define GROUP_HEADER 30.0f
#define GROUP_WIDTH  170.0f /* of a closed one */
#define GROUP_HEIGHT 54.0f
#define FOLD_ABOVE   6       /* groups in a chain, open or closed: they are folded into columns */
#define FOLD_CHAIN   24      /* boxes in a chain inside of a group                                */
#define FOLD_WHOLE   12      /* boxes in the whole picture, where it has groups                   */
#define TALL         1500.0f /* points of a column of open groups, which is folded into several    */
#define SLIM         3.0f    /* height to width of such a column                                   */
#define SCREEN       2.0f    /* times as wide as high                                  */
#define FEW_AT_ONCE  150     /* boxes of a first picture                               */
#define FEW_INSIDE   4       /* boxes of a group                                       */
#define FEW_OPERANDS 6       /* that enter a box in their order                        */
#define JOINED       8.0f    /* weight of lines between blocks that are joined later   */
#define BESIDE       0.3f    /* of a group's width from its middle: where a link ends  */

static char *
checksum_of (PhLayout *layout)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);

  g_checksum_update (sum, (const guchar *) &layout->fold, sizeof layout->fold);
  for (guint i = 0; i < layout->n_boxes; i++)
    g_checksum_update (sum, (const guchar *) &layout->boxes[i], sizeof (PhLayoutBox));
  for (guint i = 0; i < layout->n_edges; i++)
    {
      const PhLayoutEdge *edge = &layout->edges[i];
      const float numbers[] = { edge->from,       edge->to,       edge->weight,     edge->from_dx,   edge->to_dx,
                                edge->min_length, edge->presence, edge->goes_on[0], edge->goes_on[1] };

      g_checksum_update (sum, (const guchar *) numbers, sizeof numbers);
    }
  return g_strdup (g_checksum_get_string (sum));
}

/* The direct contents of a group, or of the whole, which are laid out together. */
typedef struct
{
  PhArranger *a;
  int group; /* -1: the whole                                                 */
  const int *children, *ports, *segments;
  int n_children, n_ports, n_segments, n_groups, n_ties;
  int *port_slot; /* of a port: its index in the layout; that of a box is a->slot   */
  PhInset inset;
} Inside;

/* Closed groups all have the same size. */
static void
add_boxes (Inside *in, PhLayout *layout)
{
  PhSceneBuild *build = in->a->build;
  int n = 0;

  for (int i = 0; i < in->n_children; i++)
    {
      const int child = in->children[i];
      PhSceneBox *at = ph_scene_box_at (in->a->scene, child);

      if (at->kind == PH_BOX_GROUP && !at->open)
        {
          at->rect.width = in->a->scene->across ? GROUP_HEIGHT : GROUP_WIDTH;
          at->rect.height = in->a->scene->across ? GROUP_WIDTH : GROUP_HEIGHT;
        }
      in->n_groups += at->kind == PH_BOX_GROUP;
      in->a->slot[child] = n;
      layout->boxes[n++] = (PhLayoutBox) { at->rect.width + build->column[child],
                                           MAX (at->rect.height, build->stack[child]),
                                           0,
                                           0,
                                           build->column[child] / 2,
                                           MAX (0, build->stack[child] - at->rect.height) / 2,
                                           at->backward };
    }
  for (int i = 0; i < in->n_ports; i++)
    {
      const PhPort *port = &g_array_index (in->a->ports, PhPort, in->ports[i]);

      in->port_slot[in->ports[i]] = n;
      layout->boxes[n++] = (PhLayoutBox) { .width = PH_PORT_WIDTH,
                                           .height = 2,
                                           .column = ph_arrange_backward (in->a->scene, in->group),
                                           .border = port->out == port->up ? -1 : 1 };
    }
}

/* Finds the box at @end of a segment: its index in the layout, the offset from its middle, and the box itself. */
static int
find_end (const Inside *in, int end, float *dx, int *box)
{
  const PhArranger *a = in->a;
  const PhPort *port = end < a->n ? NULL : &g_array_index (a->ports, PhPort, end - a->n);

  *box = port == NULL ? end : port->group;
  *dx = port == NULL ? a->build->column[end] / 2 : 0;
  if (port == NULL)
    return a->slot[end];
  if (port->group == in->group)
    return in->port_slot[end - a->n];
  *dx = port->x - ph_scene_box (a->scene, port->group)->rect.width / 2;
  return a->slot[port->group];
}

static gboolean
runs_up (PhArranger *a, int end)
{
  return end < a->n ? ph_arrange_backward (a->scene, end) : g_array_index (a->ports, PhPort, end - a->n).up;
}

static void
add_edges (Inside *in, PhLayout *layout)
{
  PhScene *scene = in->a->scene;

  for (int i = 0; i < in->n_segments; i++)
    {
      PhSegment *segment = &g_array_index (in->a->segments, PhSegment, in->segments[i]);
      PhLayoutEdge *edge = &layout->edges[i];
      float dx[2];
      int box[2];
      const int slot[2] = { find_end (in, segment->from, &dx[0], &box[0]), find_end (in, segment->to, &dx[1], &box[1]) };
      const gboolean among = box[0] != in->group && box[1] != in->group;

      for (int k = 0; k < 2 && segment->link; k++)
        if (ph_scene_box (scene, box[k])->open)
          dx[k] = BESIDE * ph_scene_box (scene, box[k])->rect.width;
      segment->reversed = segment->link || (runs_up (in->a, segment->from) && runs_up (in->a, segment->to));
      segment->tie = among && ph_arrange_backward (scene, box[1]) && !ph_arrange_backward (scene, box[0]);
      edge->from = slot[segment->reversed ? 1 : 0];
      edge->to = slot[segment->reversed ? 0 : 1];
      edge->from_dx = dx[segment->reversed ? 1 : 0];
      edge->to_dx = dx[segment->reversed ? 0 : 1];
      /* A value saved for the backward pass is placed beside, not below, and must not stretch the picture. */
      edge->min_length = segment->tie ? 0 : 1;
      edge->weight = segment->tie                                                                   ? 0.5f
                     : in->a->block[box[0]] != NULL && in->a->block[box[0]] == in->a->block[box[1]] ? JOINED
                                                                                                    : 1;
      edge->presence = CLAMP (PH_PRESENCE * segment->presence / scene->record->stops->len, 1, PH_PRESENCE);
      edge->operand = segment->operand;
      edge->turned = segment->reversed;
      edge->pinned = segment->to >= in->a->n;
      edge->goes_on[segment->reversed] = segment->from >= in->a->n;
      edge->goes_on[!segment->reversed] = segment->to >= in->a->n;
    }
}

static int
compare_operands (const void *a, const void *b)
{
  const PhLayoutEdge *x = *(PhLayoutEdge *const *) a, *y = *(PhLayoutEdge *const *) b;

  return x->to != y->to ? (x->to < y->to ? -1 : 1) : x->operand - y->operand;
}

/* Fixes the order in which operands enter, if it is significant. */
static void
order_operands (const Inside *in, PhLayout *layout)
{
  PhScene *scene = in->a->scene;
  g_autofree PhLayoutEdge **edges = g_new (PhLayoutEdge *, in->n_segments + 1);
  g_autofree guint8 *ordered = g_new0 (guint8, layout->n_boxes + 1);
  int n = 0;

  for (int i = 0; i < in->n_children; i++)
    ordered[in->a->slot[in->children[i]]] = !ph_scene_box (scene, in->children[i])->open
                                            && ph_scene_is_ordered (scene, in->children[i]);
  for (int i = 0; i < in->n_segments; i++)
    if (!g_array_index (in->a->segments, PhSegment, in->segments[i]).reversed && ordered[layout->edges[i].to])
      edges[n++] = &layout->edges[i];
  qsort (edges, n, sizeof *edges, compare_operands);
  for (int i = 0, stop; i < n; i = stop)
    {
      for (stop = i; stop < n && edges[stop]->to == edges[i]->to; stop++)
        ;
      for (int k = i; k < stop && stop - i > 1 && stop - i <= FEW_OPERANDS; k++)
        edges[k]->ordered = TRUE;
    }
}

/* Adds ties, of length 0, from each forward node to its backward partner, which places them side by side. The backward graph runs upwards:
 * its edges are laid out reversed. */
static void
add_ties (Inside *in, PhLayout *layout)
{
  const int *slot = in->a->slot;

  layout->edges = g_renew (PhLayoutEdge, layout->edges, in->n_segments + in->n_children + 1);
  for (int i = 0; i < in->n_children; i++)
    {
      const int partner = in->a->partner[in->children[i]];

      if (partner >= 0 && slot[partner] >= 0)
        layout->edges[in->n_segments + in->n_ties++]
            = (PhLayoutEdge) { .from = slot[partner], .to = slot[in->children[i]], .weight = 0.6f };
    }
  layout->n_edges = in->n_segments + in->n_ties;
}

/* Returns TRUE for a few open groups in a column, which make a thin picture. */
static gboolean
is_slim (const Inside *in)
{
  float height = 0, width = 0;
  gboolean open = FALSE;

  for (int i = 0; i < in->n_children; i++)
    {
      const PhSceneBox *child = ph_scene_box (in->a->scene, in->children[i]);
      const gboolean across = in->a->scene->across;

      height += across ? child->rect.width : child->rect.height;
      width = MAX (width, across ? child->rect.height : child->rect.width);
      open |= child->kind == PH_BOX_GROUP && child->open;
    }
  return open && in->n_groups > 1 && height > TALL && height > SLIM * width;
}

static void
choose_engine (const Inside *in, PhLayout *layout)
{
  const PhSceneOptions *options = in->a->build->options;

  /* With few boxes the first picture is also the final one; dot finishes within the time a window takes to open. */
  layout->engine = options->quick && layout->n_boxes > FEW_AT_ONCE ? PH_LAYOUT_LAYERED : options->engine;
  const gboolean many_groups = in->n_groups >= FOLD_ABOVE && 2 * in->n_groups >= in->n_children;
  const gboolean long_chain = options->by_scope
                              && (in->group < 0 ? in->n_groups > 0 && in->n_children >= FOLD_WHOLE
                                                : in->n_children >= FOLD_CHAIN
                                                      && ph_scene_box (in->a->scene, in->group)->kind == PH_BOX_GROUP);

  if (in->n_ties == 0 && (many_groups || long_chain || is_slim (in)))
    layout->fold = in->a->scene->across ? 1 / SCREEN : SCREEN;
  /* Every engine draws a straight line alike, so it is not worth a process; and neither is each of many groups. */
  if (layout->engine == PH_LAYOUT_BEST && in->group >= 0 && (layout->n_boxes <= FEW_INSIDE || in->a->n_shown > FEW_AT_ONCE))
    layout->engine = PH_LAYOUT_LAYERED;
}

/* Lays out; uses our own engine if Graphviz fails. */
static gboolean
ask (const Inside *in, PhLayout *layout, GError **error)
{
  PhArranger *a = in->a;
  const double seconds = a->build->options->seconds > 0 ? a->build->options->seconds : 5;
  g_autoptr (GError) failed = NULL;

  if (ph_layout_sync (layout, seconds, a->build->cancellable, &failed))
    return TRUE;
  if (!g_error_matches (failed, PH_ERROR, PH_ERROR_LAYOUT))
    {
      g_propagate_error (error, g_steal_pointer (&failed));
      return FALSE;
    }
  g_debug ("%s", failed->message);
  layout->engine = PH_LAYOUT_LAYERED;
  layout->coarse = TRUE;
  return ph_layout_sync (layout, seconds, a->build->cancellable, error);
}

/* Notes the engine of the whole picture for the legend. */
static void
note_engine (const Inside *in, const PhLayout *layout)
{
  PhScene *scene = in->a->scene;

  if (in->group >= 0)
    return;
  scene->drawn_by = layout->engine;
  scene->own = layout->own;
  scene->dot = layout->dot;
  scene->reason = layout->reason;
}

/* Lines were beyond the boxes; where it ended, there it ends. */
static void
keep_size (const Inside *in, PhLayout *layout)
{
  PhScene *previous = in->a->build->options->previous;
  const PhRect *old = in->group >= 0 ? &ph_scene_box (previous, in->a->build->known[in->group])->rect : NULL;

  layout->width = MAX (layout->width, (old != NULL ? old->width : ph_scene_width (previous)) - in->inset.left - in->inset.right);
  layout->height = MAX (layout->height,
                        (old != NULL ? old->height : ph_scene_height (previous)) - in->inset.top - in->inset.bottom);
}

/* Extends a line straight beyond its start or end to @y, in points of its own. */
static void
lengthen (PhLayout *layout, PhLayoutEdge *edge, gboolean start, float y)
{
  const guint first = layout->points->len, n = edge->n_points;
  const PhPoint end = g_array_index (layout->points, PhPoint, edge->first_point + (start ? 0 : n - 1));

  for (guint p = 0; p < n + 3; p++)
    {
      const gboolean new = start ? p < 3 : p >= n;
      const PhPoint old = new ? end : g_array_index (layout->points, PhPoint, edge->first_point + (start ? p - 3 : p));
      const float way = !new ? 0 : start ? (3 - p) / 3.0f : (p + 1 - n) / 3.0f;
      const PhPoint point = { old.x, old.y + way * (y - old.y) };

      g_array_append_val (layout->points, point);
    }
  edge->first_point = first;
  edge->n_points = n + 3;
}

/* Widens the layout by lines that are routed around boxes, so that they stay within their group. */
static void
hold_lines (PhLayout *layout)
{
  float left = 0, right = layout->width;

  for (guint e = 0; e < layout->n_edges; e++)
    for (guint p = 0; p < layout->edges[e].n_points; p++)
      {
        const float x = g_array_index (layout->points, PhPoint, layout->edges[e].first_point + p).x;

        left = MIN (left, x);
        right = MAX (right, x);
      }
  for (guint b = 0; b < layout->n_boxes; b++)
    layout->boxes[b].x -= left;
  for (guint p = 0; p < layout->points->len; p++)
    g_array_index (layout->points, PhPoint, p).x -= left;
  layout->width = right - left;
}

/* Moves ports to the border of the group: a value used deep inside also comes from the border, though its port was placed near its
 * users. */
static void
move_ports_to_border (const Inside *in, PhLayout *layout)
{
  gboolean moved = FALSE;

  for (int i = 0; i < in->n_ports; i++)
    {
      const guint slot = in->port_slot[in->ports[i]];
      const float y = layout->boxes[slot].border > 0 ? layout->height - 1 : 1;

      if (fabsf (layout->boxes[slot].y - y) < 2)
        continue;
      layout->boxes[slot].y = y;
      moved = TRUE;
      for (guint e = 0; e < layout->n_edges; e++)
        if (layout->edges[e].n_points >= 4 && (layout->edges[e].from == slot || layout->edges[e].to == slot))
          lengthen (layout, &layout->edges[e], layout->edges[e].from == slot, y);
    }
  if (!moved)
    return;
  ph_layout_lead_around (layout, in->a->build->cancellable);
  hold_lines (layout);
}

/* Extends the previous layout, reuses an equal one, or lays out from scratch. Takes @layout. (transfer none) (nullable): failed. */
static PhLayout *
lay_out (const Inside *in, PhLayout *layout, GError **error)
{
  PhArranger *a = in->a;
  const PhSceneOptions *options = a->build->options;
  g_autofree char *sum = checksum_of (layout);
  g_autofree guint8 *fixed = options->previous != NULL ? ph_arrange_keep (a, in->group, layout, a->slot, in->port_slot,
                                                                          in->segments, in->n_segments, &in->inset)
                                                       : NULL;
  PhLayout *known = fixed == NULL ? g_hash_table_lookup (a->done, sum) : NULL;
  gboolean done;

  if (known != NULL)
    {
      ph_layout_free (layout);
      return known;
    }
  if (fixed != NULL)
    {
      done = ph_layout_extend (layout, fixed, a->build->cancellable, error);
      layout->engine = PH_LAYOUT_LAYERED;
      layout->reason = "nothing moves";
      if (done)
        ph_layout_lead_around (layout, a->build->cancellable);
    }
  else
    {
      if (layout->engine == PH_LAYOUT_BEST || layout->engine == PH_LAYOUT_LAYERED)
        layout->room = ph_arrange_room (a, layout, in->children, in->n_children, a->slot, in->segments, in->n_segments);
      done = ask (in, layout, error);
      if (done)
        move_ports_to_border (in, layout);
    }
  if (!done)
    {
      ph_layout_free (layout);
      return NULL;
    }
  if (fixed != NULL)
    {
      if (in->group < 0)
        a->scene->coarse = ph_scene_is_coarse (options->previous);
      keep_size (in, layout);
      g_free (sum);
      sum = g_strdup_printf ("inside %d", in->group); /* unique: no other group may reuse this layout */
    }
  else
    a->scene->coarse |= layout->coarse;
  note_engine (in, layout);
  g_hash_table_insert (a->done, g_steal_pointer (&sum), layout);
  return layout;
}

static void
take_boxes (const Inside *in, const PhLayout *layout)
{
  PhArranger *a = in->a;
  PhSceneBox *box = in->group < 0 ? NULL : ph_scene_box_at (a->scene, in->group);

  for (int i = 0; i < in->n_children; i++)
    {
      const int child = in->children[i];
      const PhLayoutBox *at = &layout->boxes[a->slot[child]];
      const PhSceneBox *inside = ph_scene_box (a->scene, child);

      a->slot[child] = -1;
      a->spot[child] = (PhRect) { at->x - at->width / 2 + a->build->column[child] + in->inset.left,
                                  at->y - inside->rect.height / 2 + in->inset.top, inside->rect.width, inside->rect.height };
    }
  if (box == NULL)
    {
      a->scene->width = layout->width + in->inset.left + in->inset.right;
      a->scene->height = layout->height + in->inset.top + in->inset.bottom;
      return;
    }
  box->rect.width = MAX (layout->width + in->inset.left + in->inset.right, a->scene->across ? 0 : GROUP_WIDTH);
  box->rect.height = MAX (layout->height + in->inset.top + in->inset.bottom, a->scene->across ? GROUP_WIDTH : 0);
  for (int i = 0; i < in->n_ports; i++) /* a group widened to its title keeps its inside at the left */
    g_array_index (a->ports, PhPort, in->ports[i]).x = CLAMP (layout->boxes[in->port_slot[in->ports[i]]].x + in->inset.left, 6,
                                                              box->rect.width - 6);
}

/* Ports lie inside: the last stretch to the border is drawn with the segment. */
static void
meet_border (const Inside *in, int end, PhPoint *point)
{
  const PhPort *port = end < in->a->n ? NULL : &g_array_index (in->a->ports, PhPort, end - in->a->n);

  if (port != NULL && port->group == in->group)
    point->y = port->out == port->up ? 0 : ph_scene_box (in->a->scene, in->group)->rect.height;
}

static void
take_edges (const Inside *in, const PhLayout *layout)
{
  PhArranger *a = in->a;

  for (int i = 0; i < in->n_segments; i++)
    {
      PhSegment *segment = &g_array_index (a->segments, PhSegment, in->segments[i]);
      const PhLayoutEdge *edge = &layout->edges[i];

      segment->first = a->local->len;
      segment->n = edge->n_points;
      for (guint p = 0; p < edge->n_points; p++)
        {
          PhPoint point = g_array_index (layout->points, PhPoint,
                                         edge->first_point + (segment->reversed ? edge->n_points - 1 - p : p));

          point.x += in->inset.left;
          point.y += in->inset.top;
          g_array_append_val (a->local, point);
        }
      if (segment->n >= 4 && in->group >= 0)
        {
          PhPoint *points = &g_array_index (a->local, PhPoint, segment->first);

          meet_border (in, segment->from, &points[0]);
          meet_border (in, segment->to, &points[segment->n - 1]);
        }
    }
}

gboolean
ph_arrange_group (PhArranger *a, int group, GError **error)
{
  const int g = group < 0 ? a->n : group, *first = a->scene->child_start + g;
  const float pad = group < 0 ? PH_PICTURE_PAD : GROUP_PAD;
  g_autofree int *port_slot = NULL;
  Inside in = { a,
                group,
                a->scene->children + first[0],
                a->port_of_group + a->port_start[g],
                a->seg_of_group + a->seg_start[g],
                first[1] - first[0],
                group < 0 ? 0 : a->port_start[g + 1] - a->port_start[g],
                a->seg_start[g + 1] - a->seg_start[g],
                .inset = { group >= 0 && a->scene->across ? GROUP_HEADER : pad,
                           group >= 0 && !a->scene->across ? GROUP_HEADER : pad, pad, pad } };
  PhLayout *layout;

  for (int i = 0; i < in.n_children; i++)
    if (ph_scene_box (a->scene, in.children[i])->open && !ph_arrange_group (a, in.children[i], error))
      return FALSE;
  in.port_slot = port_slot = g_new (int, a->ports->len + 1);
  layout = ph_layout_new (in.n_children + in.n_ports, in.n_segments);
  add_boxes (&in, layout);
  add_edges (&in, layout);
  order_operands (&in, layout);
  add_ties (&in, layout);
  choose_engine (&in, layout);
  layout = lay_out (&in, layout, error);
  if (layout == NULL)
    return FALSE;
  take_boxes (&in, layout);
  take_edges (&in, layout);
  return TRUE;
}
