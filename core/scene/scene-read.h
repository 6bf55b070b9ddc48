/* scene-read.h: reading a picture: who is in a box at a time, what changed, what is where.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/scene.h"

G_BEGIN_DECLS

/* The frame of a group from @time on. */
typedef struct
{
  int time;
  gboolean there;
  PhRect rect;
  PhRect band;       /* that joins it to the frame of another group, which has the title of both; width 0: none */
  const char *title; /* also of one that lies in a frame around several; NULL: it is empty      */
} PhGroupState;

/* Who is in @box at @time. (nullable) */
const PhTenant *ph_scene_tenant (PhScene *scene, int box, int time);
guint ph_scene_count_present (PhScene *scene, int box, int time); /* nodes in a group */
/* "27 nodes, one of 12 alike": of a group, counting those that are there at @time. (transfer full) */
char *ph_scene_group_text (PhScene *scene, int box, int time);
/* The frame of group @box at @time: blocks that were joined since the group was made share one. Returns FALSE where it has none then.
 * @until: (nullable) when that changes. */
gboolean ph_scene_group_at (PhScene *scene, int box, int time, PhGroupState *at, int *until);
const PhRect *ph_scene_reach (PhScene *scene, int box); /* its place, with the frame of a group at all times */
const PhFace *ph_scene_face (PhScene *scene, const PhTenant *tenant, int time);
const PhTenant *ph_scene_tenant_at (PhScene *scene, guint index);           /* of a box's first_tenant and those that follow */
int ph_scene_face_until (PhScene *scene, const PhTenant *tenant, int time); /* when another follows that of @time, or it dies */
const PhEdgeSpan *ph_scene_span (PhScene *scene, guint index);              /* of an edge's first_span and those that follow */
/* What is drawn of a box: as large as its text is, in the middle of the place that it shares with others over time. */
PhRect ph_scene_card (PhScene *scene, int box, int time, int since);
const PhFace *ph_scene_pill_face (PhScene *scene, const PhPill *pill);
/* From time @a to time @b (b before a: seen backwards). @gone: who was there at @a and is not at @b. */
PhChange ph_scene_change (PhScene *scene, int box, int a, int b, const PhTenant **gone);
/* A group's: how many nodes inside it were added, removed, changed. */
void ph_scene_count_changes (PhScene *scene, int box, int a, int b, guint *added, guint *removed, guint *changed);
gboolean ph_scene_edge_at (PhScene *scene, int edge, int time);
/* As many inputs of what it leads to as it stands for at @time: 2 of x * x. @until: (nullable) when that changes. */
guint ph_scene_edge_lines (PhScene *scene, int edge, int time, int *until);
guint ph_scene_edge_most_lines (PhScene *scene, int edge); /* at any time */
PhId ph_scene_edge_value (PhScene *scene, int edge, int time);
const char *ph_scene_value_type (PhScene *scene, PhId value); /* (nullable) "float 1×64×56×56"   */

/* The box of node @id (or graph input value @id), or the closed group that hides it, or -1. @pill: (nullable) set to its
 * first pill when it is shown as one, else to -1. */
int ph_scene_find (PhScene *scene, PhId id, int *pill);
int ph_scene_find_path (PhScene *scene, const char *path);
/* Boxes and edges that touch @rect, through a grid. Appends indices (element-type int). */
void ph_scene_boxes_in (PhScene *scene, const PhRect *rect, GArray *boxes);
void ph_scene_edges_in (PhScene *scene, const PhRect *rect, GArray *edges);
/* Edges at a box: (element-type int). (transfer none) */
const int *ph_scene_edges_from (PhScene *scene, int box, guint *n);
const int *ph_scene_edges_to (PhScene *scene, int box, guint *n);
/* What is at (x, y) and visible between times @a and @b: box or -1; @pill likewise. */
int ph_scene_pick (PhScene *scene, float x, float y, int a, int b, int *pill);
int ph_scene_pick_edge (PhScene *scene, float x, float y, float reach, int a, int b);

G_END_DECLS
