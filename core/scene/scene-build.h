/* scene-build.h: a scene while it is made: groups, pills, places, one file after the other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/scene/scene-private.h"

G_BEGIN_DECLS

/* An edge between boxes of any depth, before it is cut at the borders of groups. */
typedef struct
{
  int from, to;
  guint first_use, n_uses;
  guint presence;         /* stops of the history at which it is there, or one that runs through its place is      */
  guint8 operand;         /* of the box that it enters                                                             */
  guint8 link;            /* it leads up: laid out turned around                                                   */
  guint first_via, n_via; /* the edges (indices in build->vias) through whose places it runs, n_via 0: its own way  */
} PhUnionEdge;

typedef struct
{
  PhScene *scene;
  const PhSceneOptions *options;
  GArray *union_edges; /* (element-type PhUnionEdge)                                                 */
  int *uses;           /* use lives, edge after edge                                                 */
  GArray *vias;        /* (element-type int) union edges                                             */
  float *column;       /* of a box: the width of its pills, with their gap                           */
  float *stack;        /* of a box: their height                                                     */
  int *rank;           /* (nullable) of a box: see ph_scene_rank()                                   */
  int *known;          /* (nullable) of a box: that of the previous scene which it goes on with, -1   */
  guint n_known;
  GHashTable *kept_groups; /* (nullable) path of a group as it was in the previous scene -> whether it was open */
  guint8 *n_fed;           /* (nullable) of a box: inputs of its first node that others feed, while regions are made */
  GCancellable *cancellable;
} PhSceneBuild;

/* pills.c: cuts edges that are too long, and puts constants and what was cut beside the boxes that they feed. */
void ph_scene_pills (PhSceneBuild *build);
/* The box of the forward node that a backward one differentiates, or -1. */
int ph_scene_partner (PhScene *scene, int box);
/* carry-over.c: of each life the box in which @previous has it, -1; whether a box there is large enough for a life; the boxes of
 * groups; the edge of the previous scene between these boxes. */
int *ph_scene_known_lives (PhScene *scene, PhScene *previous);
gboolean ph_scene_fits (PhScene *scene, int life, PhScene *previous, int box);
void ph_scene_know_groups (PhSceneBuild *build);
/* Boxes lie in the groups that they lay in; what is new is left for the caller, but for what belongs to a group that is closed. */
void ph_scene_keep_groups (PhSceneBuild *build);
/* It is in a group, or in none, as it was in the previous scene. */
gboolean ph_scene_is_settled (PhSceneBuild *build, int box);
/* What is new does not go into groups that were open: around them, nothing moves. */
void ph_scene_spare_open (PhSceneBuild *build);
gboolean ph_scene_kept_edge (PhSceneBuild *build, int from, int to, int source, int *edge);
/* bypass.c: lets edges run through places that are empty while they are there. */
void ph_scene_bypass (PhSceneBuild *build);
/* group-scope.c, group-region.c, group-name.c, group.c: add boxes for groups and set parents. */
int ph_scene_add_group (PhScene *scene, const char *path, const char *title);
void ph_scene_group_by_scope (PhSceneBuild *build, int n_leaves);
/* @rank (by leaf) outlives it. @leaves lie directly in @parent, -1: in no group; @below: (nullable) all that lie in it, where some are in
 * groups already: no region is both above and below one of these. */
typedef struct _PhRegions PhRegions;
PhRegions *ph_regions_new (PhSceneBuild *build, const int *rank, int n_leaves);
void ph_regions_part (PhRegions *regions, int parent, const int *leaves, int n_leaves, const int *below, int n_below);
void ph_regions_free (PhRegions *regions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhRegions, ph_regions_free)
/* group-bundle.c: no group, and not the whole, has more children than one can look at. */
void ph_scene_limit_children (PhSceneBuild *build, PhRegions *regions, const int *leaf_rank, int n_leaves);
char *ph_scene_region_title (PhSceneBuild *build, const int *boxes, int n, gboolean backward);
int *ph_scene_rank (PhSceneBuild *build); /* of each box; takes build->rank, where that is known (transfer full) */
void ph_scene_group (PhSceneBuild *build);
/* arrange.c: lays out all that is open. */
gboolean ph_scene_arrange (PhSceneBuild *build, GError **error);
gboolean ph_scene_is_ordered (PhScene *scene, int box);
/* across.c: as if it ran from top to bottom: sizes before it is laid out; all of it, after. */
void ph_scene_turn_sizes (PhSceneBuild *build);
void ph_scene_turn (PhScene *scene);
PhScene *ph_scene_new_turned (PhScene *scene); /* shares with @scene what has no place in the picture */
void ph_scene_free_turned (PhScene *turned);

G_END_DECLS
