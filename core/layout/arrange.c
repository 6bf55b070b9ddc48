/* arrange.c: lays out all that is open, each group by itself from the inside out; an edge through the border of an open
 * group is one segment a level, which meet at ports on the border.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout/scene-private.h"

#define GROUP_PAD     18.0f
#define GROUP_HEADER  30.0f
#define GROUP_WIDTH   170.0f      /* of a closed one */
#define GROUP_HEIGHT  54.0f
#define PICTURE_PAD   28.0f
#define FOLD_ABOVE    12          /* closed groups in a chain: they are folded into columns */
#define SCREEN        2.0f        /* times as wide as high                                  */

/* A place on the border of @group where what @source makes comes in or goes out. */
typedef struct { int group, source; gboolean out; float x; /* from the group's left */ } Port;

/* Ends are boxes, or n_boxes + the index of a port. */
typedef struct { int group, from, to, source; guint first, n, presence; gboolean reversed, tie; } Segment;

typedef struct { int segment, union_edge; } Part;

typedef struct
{
  PhSceneBuild *build;
  PhScene      *scene;
  int           n;              /* boxes                                                                     */
  GArray       *ports;          /* (element-type Port)                                                       */
  GHashTable   *port_index;     /* Port -> index + 1                                                         */
  GArray       *segments;       /* (element-type Segment)                                                    */
  GHashTable   *segment_index;  /* from << 32 | to -> index + 1                                              */
  GArray       *parts;          /* (element-type Part)                                                       */
  int          *seg_start, *seg_of_group;    /* segments of a group; n: of the whole                         */
  int          *port_start, *port_of_group;
  GHashTable   *done;           /* checksum of what was asked -> PhLayout: equal blocks are laid out once    */
  GArray       *local;          /* (element-type PhPoint) of segments, from their group's corner             */
  PhRect       *spot;           /* of a box: from its group's corner                                         */
  int          *segment_of;     /* of a union edge within one group: its segment, -1: none                   */
  int          *partner;        /* of a box: what it stands beside, -1                                       */
  int          *slot;           /* of a box: its index in the layout of the group at work, -1: not in it     */
} Arranger;

static int
parent_of (Arranger *a, int box)
{
  return ph_scene_box (a->scene, box)->parent;
}

/* The box itself, or the outermost closed group that hides it. */
static int
shown_for (Arranger *a, int box)
{
  int shown = box;

  for (int up = box; up >= 0; up = parent_of (a, up))
    if (!ph_scene_box (a->scene, up)->open)
      shown = up;
  /* A node with bodies that is open is a group; edges of its own end on its border. */
  return ph_scene_box (a->scene, shown)->shown ? shown : -1;
}

static guint
port_hash (gconstpointer key)
{
  const Port *port = key;

  return (guint) port->group * 2654435761u ^ (guint) port->source * 40503u ^ (guint) port->out;
}

static gboolean
port_equal (gconstpointer a, gconstpointer b)
{
  const Port *x = a, *y = b;

  return x->group == y->group && x->source == y->source && x->out == y->out;
}

static int
port_at (Arranger *a, int group, int source, gboolean out)
{
  const Port key = { group, source, out, 0 };
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
add_segment (Arranger *a, int group, int from, int to, int source, guint edge)
{
  gint64 key = (gint64) from << 32 | to;
  int index = GPOINTER_TO_INT (g_hash_table_lookup (a->segment_index, &key)) - 1;
  Part part = { 0, edge };
  Segment *at;

  if (index < 0)
    {
      const Segment segment = { .group = group, .from = from, .to = to, .source = source };

      g_array_append_val (a->segments, segment);
      index = a->segments->len - 1;
      g_hash_table_insert (a->segment_index, g_memdup2 (&key, sizeof key), GINT_TO_POINTER (index + 1));
    }
  at = &g_array_index (a->segments, Segment, index);
  at->presence = MAX (at->presence, g_array_index (a->build->union_edges, PhUnionEdge, edge).presence);
  part.segment = index;
  g_array_append_val (a->parts, part);
}

/* Cuts edge number @e at the borders of the open groups that it passes. */
static void
cut_at_borders (Arranger *a, guint e)
{
  const PhUnionEdge *edge = &g_array_index (a->build->union_edges, PhUnionEdge, e);
  const int from = shown_for (a, edge->from), to = shown_for (a, edge->to);
  int common, end, down[64], n_down = 0;

  if (from < 0 || to < 0 || from == to)
    return;
  /* The innermost group around both. */
  for (common = parent_of (a, from); common >= 0; common = parent_of (a, common))
    {
      int up = parent_of (a, to);

      while (up >= 0 && up != common)
        up = parent_of (a, up);
      if (up == common)
        break;
    }
  for (int up = from; up >= 0; up = parent_of (a, up))
    if (up == to)
      return;
  for (int up = to; up >= 0; up = parent_of (a, up))
    if (up == from)
      return;

  end = from;
  for (int group = parent_of (a, from); group != common; group = parent_of (a, group))
    {
      const int port = port_at (a, group, from, TRUE);

      add_segment (a, group, end, port, from, e);
      end = port;
    }
  for (int group = parent_of (a, to); group != common && n_down < 64; group = parent_of (a, group))
    down[n_down++] = group;
  for (int i = n_down - 1, level = common; i >= 0; level = down[i--])
    {
      const int port = port_at (a, down[i], from, FALSE);

      add_segment (a, level, end, port, from, e);
      end = port;
    }
  add_segment (a, n_down > 0 ? down[0] : common, end, to, from, e);
  if (n_down == 0 && end == from)
    a->segment_of[e] = g_array_index (a->parts, Part, a->parts->len - 1).segment;
}

/* Whether an edge and all of its way lie in one group. */
static gboolean
same_group (Arranger *a, const PhUnionEdge *edge)
{
  const int group = parent_of (a, edge->from);

  for (guint k = 0; k < edge->n_via; k++)
    {
      const PhUnionEdge *part = &g_array_index (a->build->union_edges, PhUnionEdge,
                                                g_array_index (a->build->vias, int, edge->first_via + k));

      if (part->from < 0 || parent_of (a, part->from) != group || parent_of (a, part->to) != group
          || (part->n_via > 0 && !same_group (a, part)))
        return FALSE;
    }
  return TRUE;
}

static void
rows_of (Arranger *a, guint n_items, int *(*start_out), int *(*items_out), GArray *items, gsize size, gsize offset)
{
  int *start = g_new0 (int, a->n + 3), *list = g_new (int, n_items + 1);
  g_autofree int *fill = NULL;

  for (guint i = 0; i < n_items; i++)
    {
      const int group = *(int *) (items->data + i * size + offset);

      start[(group < 0 ? a->n : group) + 1]++;
    }
  for (int g = 0; g <= a->n; g++)
    start[g + 1] += start[g];
  fill = g_memdup2 (start, sizeof (int) * (a->n + 2));
  for (guint i = 0; i < n_items; i++)
    {
      const int group = *(int *) (items->data + i * size + offset);

      list[fill[group < 0 ? a->n : group]++] = i;
    }
  *start_out = start;
  *items_out = list;
}

static gboolean
is_backward (PhScene *scene, int box)
{
  return ph_scene_box (scene, box)->backward;
}

/* ── one group ──────────────────────────────────────────────────────────────────────────────────────────────────── */

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

/* Of each box of the backward graph the forward box of the same group that it stands beside: that which it differentiates, or
 * which holds what something in it does. */
static void
find_partners (Arranger *a)
{
  a->partner = g_new (int, a->n + 1);
  for (int b = 0; b < a->n; b++)
    a->partner[b] = -1;
  for (int b = 0; b < a->n; b++)
    {
      const int partner = ph_scene_box (a->scene, b)->backward && ph_scene_box (a->scene, b)->n_tenants > 0 ? ph_scene_partner (a->scene, b) : -1;

      for (int mine = b; partner >= 0 && mine >= 0; mine = parent_of (a, mine))
        {
          int other = partner;

          while (other >= 0 && parent_of (a, other) != parent_of (a, mine))
            other = parent_of (a, other);
          if (other >= 0 && other != mine && a->partner[mine] < 0 && is_backward (a->scene, mine) && !is_backward (a->scene, other))
            a->partner[mine] = other;
        }
    }
}

/* A backward node stands beside the forward node that it differentiates, and the backward graph runs upwards: its edges are
 * laid out turned around, with a tie of length 0 from each forward node to its partner. */
static void
add_ties (Arranger *a, int group, const int *slot, GArray *ties)
{
  PhScene *scene = a->scene;

  for (int i = scene->child_start[group < 0 ? a->n : group]; i < scene->child_start[(group < 0 ? a->n : group) + 1]; i++)
    {
      const int child = scene->children[i];
      const int partner = a->partner[child];

      if (partner >= 0 && slot[partner] >= 0)
        {
          const PhLayoutEdge tie = { .from = slot[partner], .to = slot[child], .weight = 0.6f, .min_length = 0, .presence = PH_PRESENCE };

          g_array_append_val (ties, tie);
        }
    }
}

/* ── what stays ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static int
known_box (Arranger *a, int box)
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
static guint8 *
keep_places (Arranger *a, PhLayout *layout, const int *slot, const int *real, int n_edges)
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
               - a->build->column[child] / 2 - PICTURE_PAD;
      box->y = (corner ? old->rect.y + ph_scene_box (scene, child)->rect.height / 2 : old->rect.y + old->rect.height / 2) - PICTURE_PAD;
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
      const Segment *segment = &g_array_index (a->segments, Segment, real[e]);
      const int from = segment->from < a->n ? segment->from : g_array_index (a->ports, Port, segment->from - a->n).group;
      const int to = segment->to < a->n ? segment->to : g_array_index (a->ports, Port, segment->to - a->n).group;
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
          point.x -= PICTURE_PAD;
          point.y -= PICTURE_PAD;
          g_array_append_val (layout->points, point);
        }
    }
  return g_steal_pointer (&fixed);
}

static gboolean
arrange_group (Arranger *a, int group, GError **error)
{
  PhScene *scene = a->scene;
  const int g = group < 0 ? a->n : group;
  const int n_children = scene->child_start[g + 1] - scene->child_start[g];
  const int n_ports = group < 0 ? 0 : a->port_start[g + 1] - a->port_start[g];
  const int n_segments = a->seg_start[g + 1] - a->seg_start[g];
  int n_groups = 0;             /* closed */
  g_autofree int *port_slot = NULL, *real = NULL;
  g_autofree guint8 *fixed = NULL;
  int *slot = a->slot;
  g_autofree char *sum = NULL;
  g_autoptr(GArray) ties = g_array_new (FALSE, FALSE, sizeof (PhLayoutEdge));
  PhLayout *layout, *known;
  PhSceneBox *box = group < 0 ? NULL : ph_scene_box_at (scene, group);
  const float top = group < 0 ? PICTURE_PAD : GROUP_HEADER, pad = group < 0 ? PICTURE_PAD : GROUP_PAD;
  int n_boxes = 0, n_edges = 0;

  for (int i = 0; i < n_children; i++)
    {
      const int child = scene->children[scene->child_start[g] + i];

      if (ph_scene_box (scene, child)->open && !arrange_group (a, child, error))
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
          n_groups++;
        }
      slot[child] = n_boxes;
      layout->boxes[n_boxes++] = (PhLayoutBox) { at->rect.width + a->build->column[child],
                                                 MAX (at->rect.height, a->build->stack[child]), 0, 0,
                                                 a->build->column[child] / 2,
                                                 MAX (0, a->build->stack[child] - at->rect.height) / 2, at->backward };
    }
  for (int i = 0; i < n_ports; i++)
    {
      port_slot[a->port_of_group[a->port_start[g] + i]] = n_boxes;
      layout->boxes[n_boxes++] = (PhLayoutBox) { .width = 8, .height = 2 };
    }
  real = g_new (int, n_segments + 1);
  for (int i = 0; i < n_segments; i++)
    {
      Segment *segment = &g_array_index (a->segments, Segment, a->seg_of_group[a->seg_start[g] + i]);
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
              const Port *port = &g_array_index (a->ports, Port, ends[k] - a->n);

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
      segment->reversed = inner[0] != group && inner[1] != group && is_backward (scene, inner[0]) && is_backward (scene, inner[1]);
      segment->tie = inner[0] != group && inner[1] != group && is_backward (scene, inner[1]) && !is_backward (scene, inner[0]);
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
  if (group < 0 && a->build->options->previous != NULL)
    fixed = keep_places (a, layout, slot, real, n_edges);
  if (fixed != NULL)
    {
      if (!ph_layout_extend (layout, fixed, a->build->cancellable, error))
        {
          ph_layout_free (layout);
          return FALSE;
        }
      scene->coarse = ph_scene_is_coarse (a->build->options->previous);
      g_hash_table_insert (a->done, g_steal_pointer (&sum), layout);
      known = layout;
    }
  else if (known == NULL)
    {
      const double seconds = a->build->options->seconds > 0 ? a->build->options->seconds : 5;

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

      g_array_index (a->ports, Port, port).x = known->boxes[port_slot[port]].x + pad;
    }
  if (box != NULL)
    {
      box->rect.width = MAX (known->width + 2 * pad, GROUP_WIDTH);
      box->rect.height = known->height + top + pad;
      for (int i = 0; i < n_ports; i++)      /* a group widened to its title keeps its inside at the left */
        {
          Port *port = &g_array_index (a->ports, Port, a->port_of_group[a->port_start[g] + i]);

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
      Segment *segment = &g_array_index (a->segments, Segment, real[i]);
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

          if (segment->from >= a->n && g_array_index (a->ports, Port, segment->from - a->n).group == group)
            points[0].y = 0;
          if (segment->to >= a->n && g_array_index (a->ports, Port, segment->to - a->n).group == group)
            points[segment->n - 1].y = box->rect.height;
        }
    }
  return TRUE;
}

/* ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
settle (Arranger *a, int group, float x, float y)
{
  PhScene *scene = a->scene;
  const int g = group < 0 ? a->n : group;

  for (int i = scene->child_start[g]; i < scene->child_start[g + 1]; i++)
    {
      const int child = scene->children[i];
      PhSceneBox *box = ph_scene_box_at (scene, child);
      float top;

      if (!box->shown)
        continue;
      box->rect.x = x + a->spot[child].x;
      box->rect.y = y + a->spot[child].y;
      top = box->rect.y + (box->rect.height - a->build->stack[child]) / 2;
      for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
        {
          PhPill *pill = &g_array_index (scene->pills, PhPill, p);

          pill->rect.x = box->rect.x - PH_PILL_GAP - pill->rect.width;
          pill->rect.y += top;
        }
      if (box->open)
        settle (a, child, box->rect.x, box->rect.y);
    }
}

static int
compare_parts (const void *x, const void *y)
{
  const Part *a = x, *b = y;

  return a->segment != b->segment ? a->segment - b->segment : a->union_edge - b->union_edge;
}

static int
compare_spans (const void *x, const void *y)
{
  return ((const PhSpan *) x)->born - ((const PhSpan *) y)->born;
}

/* When a segment is there: whenever one of its uses is. */
static void
add_spans (Arranger *a, PhSceneEdge *edge, const Part *parts, guint n_parts, GArray *all)
{
  PhScene *scene = a->scene;

  g_array_set_size (all, 0);
  edge->control = TRUE;
  for (guint i = 0; i < n_parts; i++)
    {
      const PhUnionEdge *whole = &g_array_index (a->build->union_edges, PhUnionEdge, parts[i].union_edge);

      edge->backward |= is_backward (scene, whole->from) || is_backward (scene, whole->to);
      for (guint u = 0; u < whole->n_uses; u++)
        {
          const PhUseLife *use = &g_array_index (scene->record->uses, PhUseLife, a->build->uses[whole->first_use + u]);
          const PhSpan span = { use->born, use->died, use->value };

          g_array_append_val (all, span);
          edge->control &= use->control;
          edge->kib = MAX (edge->kib, GPOINTER_TO_UINT (g_hash_table_lookup (scene->record->value_bytes, GUINT_TO_POINTER (use->value))));
        }
    }
  g_array_sort (all, compare_spans);
  edge->first_span = scene->spans->len;
  for (guint i = 0; i < all->len; i++)
    {
      const PhSpan *span = &g_array_index (all, PhSpan, i);
      PhSpan *last = edge->n_spans > 0 ? &g_array_index (scene->spans, PhSpan, scene->spans->len - 1) : NULL;

      if (last != NULL && span->born <= last->died && span->value == last->value)
        last->died = MAX (last->died, span->died);
      else if (last != NULL && span->died <= last->died)
        continue;
      else
        {
          g_array_append_val (scene->spans, *span);
          edge->n_spans++;
        }
    }
}

static void
build_edges (Arranger *a)
{
  PhScene *scene = a->scene;
  g_autoptr(GArray) all = g_array_new (FALSE, FALSE, sizeof (PhSpan));

  g_array_sort (a->parts, compare_parts);
  for (guint i = 0, stop; i < a->parts->len; i = stop)
    {
      const Part *parts = &g_array_index (a->parts, Part, i);
      const Segment *segment = &g_array_index (a->segments, Segment, parts->segment);
      PhSceneEdge edge = { .source = segment->source, .first_point = scene->points->len, .n_points = segment->n };
      const float x = segment->group < 0 ? 0 : ph_scene_box (scene, segment->group)->rect.x;
      const float y = segment->group < 0 ? 0 : ph_scene_box (scene, segment->group)->rect.y;

      for (stop = i; stop < a->parts->len && g_array_index (a->parts, Part, stop).segment == parts->segment; stop++)
        ;
      edge.from = segment->from < a->n ? segment->from : g_array_index (a->ports, Port, segment->from - a->n).group;
      edge.to = segment->to < a->n ? segment->to : g_array_index (a->ports, Port, segment->to - a->n).group;
      edge.inner = segment->to >= a->n;
      for (guint p = 0; p < segment->n; p++)
        {
          PhPoint point = g_array_index (a->local, PhPoint, segment->first + p);

          point.x += x;
          point.y += y;
          g_array_append_val (scene->points, point);
        }
      add_spans (a, &edge, parts, stop - i, all);
      g_array_append_val (scene->edges, edge);
    }
}

static void
append_curve (PhScene *scene, PhSceneEdge *edge, const PhPoint *p, guint n)
{
  if (edge->n_points > 0)
    {
      /* Through the empty place, from where the edge above enters to where the one below leaves. */
      const PhPoint from = g_array_index (scene->points, PhPoint, scene->points->len - 1);
      const PhPoint through[3] = { { from.x, from.y + (p[0].y - from.y) / 2 }, { p[0].x, p[0].y - (p[0].y - from.y) / 2 }, p[0] };

      g_array_append_vals (scene->points, through, 3);
      edge->n_points += 3;
      p++;
      n--;
    }
  g_array_append_vals (scene->points, p, n);
  edge->n_points += n;
}

/* FALSE: part of the way has no place. */
static gboolean
append_way (Arranger *a, PhSceneEdge *edge, guint e)
{
  const PhUnionEdge *at = &g_array_index (a->build->union_edges, PhUnionEdge, e);
  const Segment *segment;
  const PhRect *group = NULL;
  g_autofree PhPoint *points = NULL;

  if (at->n_via > 0)
    {
      for (guint k = 0; k < at->n_via; k++)
        if (!append_way (a, edge, g_array_index (a->build->vias, int, at->first_via + k)))
          return FALSE;
      return TRUE;
    }
  if (a->segment_of[e] < 0)
    return FALSE;
  segment = &g_array_index (a->segments, Segment, a->segment_of[e]);
  if (segment->n < 4)
    return FALSE;
  if (segment->group >= 0)
    group = &ph_scene_box (a->scene, segment->group)->rect;
  points = g_memdup2 (&g_array_index (a->local, PhPoint, segment->first), sizeof (PhPoint) * segment->n);
  for (guint i = 0; i < segment->n && group != NULL; i++)
    {
      points[i].x += group->x;
      points[i].y += group->y;
    }
  append_curve (a->scene, edge, points, segment->n);
  return TRUE;
}

/* Edges that run through the places of others. */
static void
build_bypasses (Arranger *a)
{
  PhScene *scene = a->scene;
  g_autoptr(GArray) all = g_array_new (FALSE, FALSE, sizeof (PhSpan));

  for (guint e = 0; e < a->build->union_edges->len; e++)
    {
      const PhUnionEdge *at = &g_array_index (a->build->union_edges, PhUnionEdge, e);
      PhSceneEdge edge = { .from = at->from, .to = at->to, .source = at->from, .first_point = scene->points->len };
      const Part part = { -1, e };

      if (at->from < 0 || at->n_via == 0 || !same_group (a, at) || !ph_scene_box (scene, at->from)->shown)
        continue;
      if (append_way (a, &edge, e))
        {
          add_spans (a, &edge, &part, 1, all);
          g_array_append_val (scene->edges, edge);
        }
      else
        g_array_set_size (scene->points, edge.first_point);
    }
}

gboolean
ph_scene_arrange (PhSceneBuild *build, GError **error)
{
  PhScene *scene = build->scene;
  Arranger a = { .build = build, .scene = scene, .n = scene->boxes->len };
  gboolean done;

  a.ports = g_array_new (FALSE, FALSE, sizeof (Port));
  a.port_index = g_hash_table_new_full (port_hash, port_equal, g_free, NULL);
  a.segments = g_array_new (FALSE, TRUE, sizeof (Segment));
  a.segment_index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  a.parts = g_array_new (FALSE, FALSE, sizeof (Part));
  a.local = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  a.done = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_layout_free);
  a.spot = g_new0 (PhRect, a.n + 1);
  a.slot = g_new (int, a.n + 1);
  for (int b = 0; b < a.n; b++)
    a.slot[b] = -1;
  a.segment_of = g_new (int, build->union_edges->len + 1);
  for (guint e = 0; e < build->union_edges->len; e++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, e);

      a.segment_of[e] = -1;
      /* Groups were made after the ways were found: they may part an edge from its way. */
      if (edge->from >= 0 && (edge->n_via == 0 || !same_group (&a, edge)))
        cut_at_borders (&a, e);
    }
  rows_of (&a, a.segments->len, &a.seg_start, &a.seg_of_group, a.segments, sizeof (Segment), G_STRUCT_OFFSET (Segment, group));
  rows_of (&a, a.ports->len, &a.port_start, &a.port_of_group, a.ports, sizeof (Port), G_STRUCT_OFFSET (Port, group));
  find_partners (&a);
  done = arrange_group (&a, -1, error);
  if (done)
    {
      settle (&a, -1, 0, 0);
      build_edges (&a);
      build_bypasses (&a);
    }
  g_array_unref (a.ports);
  g_hash_table_unref (a.port_index);
  g_array_unref (a.segments);
  g_hash_table_unref (a.segment_index);
  g_array_unref (a.parts);
  g_array_unref (a.local);
  g_hash_table_unref (a.done);
  g_free (a.segment_of);
  g_free (a.spot);
  g_free (a.partner);
  g_free (a.slot);
  g_free (a.seg_start);
  g_free (a.seg_of_group);
  g_free (a.port_start);
  g_free (a.port_of_group);
  return done;
}
