/* arrange.h: how all that is open is laid out, shared by the files that do it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/scene-build.h"

G_BEGIN_DECLS

#define PH_PICTURE_PAD 28.0f
#define PH_PORT_WIDTH  8.0f

/* A place on the border of @group where what @source makes comes in or goes out. @up: its line runs upwards, as all in the group does. */
typedef struct
{
  int group, source;
  gboolean out, up;
  float x; /* from the group's left */
} PhPort;

/* Ends are boxes, or n_boxes + the index of a port. */
typedef struct
{
  int group, from, to, source;
  guint first, n, presence;
  guint8 operand, link;
  gboolean reversed, tie;
} PhSegment;

typedef struct
{
  int segment, union_edge;
} PhPart;

/* Between the border of a group, or of the picture, and what is in it. */
typedef struct
{
  float left, top, right, bottom;
} PhInset;

typedef struct
{
  PhSceneBuild *build;
  PhScene *scene;
  int n, n_shown;                /* boxes, and how many of them are seen                                       */
  GArray *ports;                 /* (element-type PhPort)                                                       */
  GHashTable *port_index;        /* PhPort -> index + 1                                                         */
  GArray *segments;              /* (element-type PhSegment)                                                    */
  GHashTable *segment_index;     /* from << 32 | to -> index + 1                                              */
  GArray *parts;                 /* (element-type PhPart)                                                       */
  int *seg_start, *seg_of_group; /* segments of a group; n: of the whole                         */
  int *port_start, *port_of_group;
  GHashTable *done;   /* checksum of what was asked -> PhLayout: equal blocks are laid out once    */
  GArray *local;      /* (element-type PhPoint) of segments, from their group's corner             */
  PhRect *spot;       /* of a box: from its group's corner                                         */
  GArray *cuts;       /* (element-type int) the segments of each union edge in their order, then -1 */
  int *cut_of;        /* of a union edge: where its segments begin in @cuts, -1: it has none       */
  int *partner;       /* of a box: what it stands beside, -1                                       */
  const char **block; /* of a box: (nullable) of an open group, the block that its nodes are in at last */
  int *slot;          /* of a box: its index in the layout of the group at work, -1: not in it     */
} PhArranger;

/* border-ports.c: cuts edge number @e at the borders of the open groups that it passes; whether all on the way of an edge through the
 * places of others is seen, none of it inside of a closed group. */
void ph_arrange_cut (PhArranger *a, guint e);
gboolean ph_arrange_sees_way (PhArranger *a, const PhUnionEdge *edge);
void ph_arrange_turn_ports (PhArranger *a); /* those of backward groups, when all edges are cut */
/* group-cycles.c: of edges by which groups lead to each other in a circle those that lead up become links: they are cut from border to
 * border, before all others. */
void ph_arrange_turn_cycles (PhArranger *a);
/* arrange-group.c: lays out one group, after those within it; -1: the whole. */
gboolean ph_arrange_group (PhArranger *a, int group, GError **error);
/* largest-position.c: the area of the largest position of the history in one group laid out alone; 0: that is not asked.
 * @segments: of the first edges of @layout. */
double ph_arrange_room (PhArranger *a, const PhLayout *layout, const int *children, int n_children, const int *slot,
                        const int *segments, int n_segments);
/* stay-in-place.c: sets the places of what was in the previous scene, in @group or in none, and its lines. (transfer full): which boxes they
 * are; (nullable): all is new, or a group has grown into its neighbours. */
guint8 *ph_arrange_keep (PhArranger *a, int group, PhLayout *layout, const int *slot, const int *port_slot, const int *real,
                         int n_edges, const PhInset *inset);
/* edge-lines.c: the edges of the scene, from their segments; those that run through the places of others. */
void ph_arrange_lines (PhArranger *a);
void ph_arrange_bypasses (PhArranger *a);

static inline int
ph_arrange_parent (PhArranger *a, int box)
{
  return ph_scene_box (a->scene, box)->parent;
}

static inline gboolean
ph_arrange_backward (PhScene *scene, int box)
{
  return ph_scene_box (scene, box)->backward;
}

G_END_DECLS
