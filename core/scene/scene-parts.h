/* scene-parts.h: what a picture consists of: boxes, who lives in them when, pills, edges.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/kinds.h"
#include "core/scene/face.h"

G_BEGIN_DECLS

typedef enum
{
  PH_BOX_NODE,
  PH_BOX_INPUT,
  PH_BOX_OUTPUT,
  PH_BOX_GROUP
} PhBoxKind;

typedef struct
{
  float x, y, width, height;
} PhRect; /* left, top */

/* Who lives in a box when, in the order of time and never two at once. */
typedef struct
{
  PhId id;
  int born, died;
  guint first_face, n_faces;
  PhRole role;
  PhId partner;
  gboolean has_inside; /* a fused node or a call: its inside is a picture of its own (ph_node_inside) */
} PhTenant;

/* A constant, or the far end of an edge that was cut, at the left of the box that it feeds. */
typedef struct
{
  PhRect rect;
  PhId id;
  int born, died;
  guint face;
  gboolean is_link;
} PhPill;

typedef struct
{
  PhBoxKind kind;
  int parent;     /* the group that it lies in, -1: none                                       */
  gboolean shown; /* all groups around it are open                                             */
  gboolean open;  /* a group, or a node with bodies, that shows its inside                     */
  gboolean can_open;
  gboolean backward; /* of the backward graph: its nodes, and inputs and outputs of theirs only    */
  guint depth;       /* groups around it                                                          */
  PhRect rect;
  guint first_tenant, n_tenants;
  guint first_pill, n_pills;
  const char *path;            /* (nullable) of a group: "layers.0/attn"                                    */
  const char *title;           /* (nullable) of a group                                                     */
  guint first_state, n_states; /* of a group: PhGroupState; 0: it always stands as it was laid out          */
  guint n_alike;               /* groups that have the same inside, this one too                            */
  guint n_inside;              /* nodes inside, at all times together                                       */
  guint pattern;               /* of a group: equal inside means equal number; 0: the only one of its kind  */
} PhSceneBox;

typedef struct
{
  int born, died;
  PhId value;
} PhEdgeSpan;

/* Lines of one edge beside each other are so far apart; of more there is one, which says how many. */
#define PH_LINES_GAP   8.0f
#define PH_LINES_MOST  4
#define PH_LINES_REACH (PH_LINES_GAP * (PH_LINES_MOST - 1) / 2)

/* From @time on, so many of the inputs of what it leads to come along the edge. */
typedef struct
{
  int time;
  guint n;
} PhEdgeCount;

typedef struct
{
  int from, to; /* boxes: where it starts and ends in the picture; groups' borders count     */
  int source;   /* the box whose output it carries                                           */
  guint first_point, n_points;
  guint first_count, n_counts; /* where it ever is more than one input                                       */
  guint first_span, n_spans;   /* when it is there; for one edge through several uses                */
  PhRect bounds;
  guint8 backward, control, inner; /* inner: goes on at one end in another segment, has no arrow there */
  guint kib;                       /* what it carries, 0: unknown                                               */
} PhSceneEdge;

G_END_DECLS
