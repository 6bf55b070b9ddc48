/* scene.h: the picture of a whole history: boxes and edges in their places, and what is in them at each time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/analyze/diff.h"
#include "core/graph/history.h"
#include "core/layered/layout.h"
#include "core/scene/face.h"

G_BEGIN_DECLS

/* Laid out once for every node that the history ever had: a box is a place in which one node lives after another, so a
 * position only shows, hides and recolours. Immutable once made, so any thread may draw it. Time counts rewrites. */
typedef struct _PhScene PhScene;

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
  gboolean has_inside; /* a fused node or a call: its inside is a picture of its own (ph_node_inside) */
  gboolean backward;   /* of the backward graph: its nodes, and inputs and outputs of theirs only    */
  guint depth;         /* groups around it                                                          */
  PhRect rect;
  guint first_tenant, n_tenants;
  guint first_pill, n_pills;
  const char *path;  /* (nullable) of a group: "layers.0/attn"                                    */
  const char *title; /* (nullable) of a group                                                     */
  guint n_alike;     /* groups that have the same inside, this one too                            */
  guint n_inside;    /* nodes inside, at all times together                                       */
  guint pattern;     /* of a group: equal inside means equal number; 0: the only one of its kind  */
} PhSceneBox;

typedef struct
{
  int born, died;
  PhId value;
} PhEdgeSpan;

typedef struct
{
  int from, to; /* boxes: where it starts and ends in the picture; groups' borders count     */
  int source;   /* the box whose output it carries                                           */
  guint first_point, n_points;
  guint first_span, n_spans; /* when it is there; for one edge through several uses                */
  PhRect bounds;
  guint8 backward, control, inner; /* inner: goes on at one end in another segment, has no arrow there */
  guint kib;                       /* what it carries, 0: unknown                                               */
} PhSceneEdge;

typedef enum
{
  PH_OPEN_FIT, /* as many as fit into PhSceneOptions.open_all boxes */
  PH_OPEN_ALL,
  PH_OPEN_NONE
} PhOpenGroups;

typedef struct
{
  gboolean by_scope;  /* group by the names' scopes, by regions where there are none               */
  PhOpenGroups open;  /* which groups are open                                                      */
  GHashTable *opened; /* (nullable) set of paths and of "n42" that are open in spite of that          */
  GHashTable *closed; /* (nullable) and of those that are closed                                      */
  GHashTable *keep;   /* (nullable) set of node ids: only these, with pills where edges lead elsewhere */
  guint open_all;     /* groups open by themselves while at most so many boxes show; 0: none       */
  PhLayoutEngine engine;
  gboolean across;   /* from left to right, not from top to bottom                                 */
  double seconds;    /* that dot may take; 0: 5                                                   */
  gboolean quick;    /* a first picture: our own layout, but for a small one                      */
  PhScene *previous; /* (nullable) what is in it stays where it is; its history went on from there */
} PhSceneOptions;

/* What a model and its history tell of the picture. @model stands at @history's position (nullable: as it stands); it is moved
 * through the whole history, and back. @inside: what is shown (core/graph/graph.h), PH_NO_ID for the main graph. NULL: cancelled. Slow: for a worker thread. */
typedef struct _PhRecord PhRecord;
PhRecord *ph_record_new (PhModel *model, PhHistory *history, PhId inside, GCancellable *cancellable);
void ph_record_free (PhRecord *record);
/* @record (transfer full) (nullable): reading it was cancelled. Slow, too. */
PhScene *ph_scene_new_of (PhRecord *record, const PhSceneOptions *options, GCancellable *cancellable, GError **error);
/* Both in one. @model and @history (nullable) (transfer full). */
PhScene *ph_scene_new (PhModel *model, PhHistory *history, const PhSceneOptions *options, GCancellable *cancellable,
                       GError **error);
PhId ph_scene_inside (PhScene *scene); /* of what it is */
PhScene *ph_scene_ref (PhScene *scene);
void ph_scene_unref (PhScene *scene);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScene, ph_scene_unref)

/* Boxes that the nodes of @model get, as long as none is in a group; constants are pills. */
guint ph_scene_count_drawn (PhModel *model);
int ph_scene_time (PhHistory *history, PhPosition position);
int ph_scene_end (PhScene *scene); /* the last time                   */
float ph_scene_width (PhScene *scene);
float ph_scene_height (PhScene *scene);
gboolean ph_scene_is_coarse (PhScene *scene);
gboolean ph_scene_is_across (PhScene *scene);
/* Who drew the whole, in how many milliseconds; @own, @dot: (nullable) both pictures as far as they were tried. Returns why dot's was
 * not taken, NULL where it was, or was not asked for. */
PhLayoutEngine ph_scene_drawn_by (PhScene *scene, float *ms);
const char *ph_scene_judgements (PhScene *scene, PhLayoutJudgement *own, PhLayoutJudgement *dot);
/* What is seen at @time: lines that cross, lines that run over boxes. */
void ph_scene_count_faults (PhScene *scene, int time, guint *crossings, guint *over);

guint ph_scene_n_boxes (PhScene *scene);
const PhSceneBox *ph_scene_box (PhScene *scene, int box);
guint ph_scene_n_edges (PhScene *scene);
const PhSceneEdge *ph_scene_edge (PhScene *scene, int edge);
const PhPoint *ph_scene_points (PhScene *scene, const PhSceneEdge *edge);
const PhPill *ph_scene_pill (PhScene *scene, guint pill);

/* Who is in @box at @time. (nullable) */
const PhTenant *ph_scene_tenant (PhScene *scene, int box, int time);
guint ph_scene_count_present (PhScene *scene, int box, int time); /* nodes in a group */
/* "27 nodes, one of 12 alike": of a group, counting those that are there at @time. (transfer full) */
char *ph_scene_group_text (PhScene *scene, int box, int time);
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

static inline gboolean
ph_rect_touches (const PhRect *a, const PhRect *b)
{
  return a->x <= b->x + b->width && b->x <= a->x + a->width && a->y <= b->y + b->height && b->y <= a->y + a->height;
}

G_END_DECLS
