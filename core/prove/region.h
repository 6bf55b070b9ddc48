/* region.h: what a rewrite took away and what it put in, cut out at their border as two small models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"

G_BEGIN_DECLS

/* A value that something outside the region reads: which one it was before, and which one it is after. */
typedef struct { PhId before, after; } PhBorderPair;

/* One connected part of the difference between two positions. Values are named by id, since the two positions are two
 * models with the same ids. */
typedef struct
{
  PhId        graph;             /* the graph in which both sides stand: the main one or a body                */
  GPtrArray  *before, *after;    /* (element-type PhNode) of either model, in program order                    */
  GArray     *inputs;            /* (element-type PhId) values that a side reads and does not make             */
  GArray     *outputs;           /* (element-type PhBorderPair)                                                */
  gboolean    lost_output;       /* an output of the graph is there before only                                */
} PhRegion;

void       ph_region_free  (PhRegion *region);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhRegion, ph_region_free)

/* The parts of what the edits [@first, @end) change. @before and @after stand at the two ends of that stretch. Parts that share
 * nothing are regions of their own; none: nothing is computed in another way. (transfer full) (element-type PhRegion) */
GPtrArray *ph_regions_find (PhModel *before, PhModel *after, PhHistory *history, guint first, guint end);
/* The two models as a whole: the inputs and the outputs of their main graphs, outputs paired by place. (transfer full) */
PhRegion  *ph_region_whole (PhModel *before, PhModel *after);
PhRegion  *ph_region_copy  (const PhRegion *region);
/* Takes in the producers of what the region reads. A region in a body becomes the node whose body it is, where there are none or
 * with @leave. FALSE: there is nothing more. */
gboolean   ph_region_widen (PhRegion *region, PhModel *before, PhModel *after, gboolean leave);

/* Two models of the same interface. Inputs that have a default are inputs here too, as they may be fed. The models' inputs say of their type only the
 * element type, so that they can be computed at any size; @types has all that is known. */
typedef struct
{
  PhModel    *before, *after;    /* at the newest opset                                                        */
  GArray     *inputs, *outputs;  /* as in the region; the models' own are in this order                        */
  GPtrArray  *types;             /* (element-type PhType) (nullable elements) of each input                    */
  GHashTable *ids[2];            /* PhId in the side's model -> PhId of the value that it stands for           */
} PhPair;

PhPair    *ph_pair_new     (const PhRegion *region, PhModel *before, PhModel *after, GError **error);
void       ph_pair_free    (PhPair *pair);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPair, ph_pair_free)

G_END_DECLS
