/* scene-private.h: the inside of a scene, for the files of this folder.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/record.h"
#include "core/scene/scene.h"

G_BEGIN_DECLS

#define PH_SCENE_ROOM 10.0f /* that a box may grow by where it stands */

/* Items of the grid cells, as compressed rows. */
typedef struct
{
  float cell;
  int columns, rows;
  int *start, *items;
} PhGrid;

struct _PhScene
{
  gatomicrefcount ref_count;
  PhRecord *record;                     /* owned                                                                      */
  GArray *boxes;                        /* (element-type PhSceneBox)                                                  */
  GArray *tenants;                      /* (element-type PhTenant), box after box                                     */
  GArray *face_changes;                 /* (element-type PhFaceChange), tenant after tenant                           */
  GArray *pills;                        /* (element-type PhPill), box after box                                       */
  GArray *edges;                        /* (element-type PhSceneEdge)                                                 */
  GArray *points;                       /* (element-type PhPoint)                                                     */
  GArray *spans;                        /* (element-type PhEdgeSpan)                                                  */
  GArray *counts;                       /* (element-type PhEdgeCount), edge after edge                                */
  GArray *group_states;                 /* (element-type PhGroupState), group after group, before each its reach      */
  int *box_of_life;                     /* -1: it is a pill or not drawn                                              */
  GHashTable *pill_of_id;               /* node id -> its first pill + 1                                              */
  int *out_start, *out, *in_start, *in; /* edges of a box                                           */
  int *child_start, *children;          /* boxes of a group; index n_boxes: those of no group       */
  PhGrid box_grid, edge_grid;
  float width, height;
  gboolean coarse;
  gboolean across;            /* from left to right                                                         */
  PhLayoutEngine drawn_by;    /* of the whole, where groups in it may have others                           */
  PhLayoutJudgement own, dot; /* of the whole, as far as they were tried                                    */
  const char *reason;         /* (nullable) static: why dot's was not taken                                 */
  float ms;                   /* that laying out took                                                       */
};

/* group-blocks.c: once all boxes have their places */
void ph_scene_place_blocks (PhScene *scene);
/* grid.c */
void ph_scene_index (PhScene *scene);
void ph_grid_clear (PhGrid *grid);

static inline PhLife *
ph_scene_life (PhScene *scene, int life)
{
  return &g_array_index (scene->record->lives, PhLife, life);
}

static inline PhUseLife *
ph_scene_use (PhScene *scene, int use)
{
  return &g_array_index (scene->record->uses, PhUseLife, use);
}

static inline PhSceneBox *
ph_scene_box_at (PhScene *scene, int box)
{
  return &g_array_index (scene->boxes, PhSceneBox, box);
}

G_END_DECLS
