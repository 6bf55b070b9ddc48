/* region.h: what a rewrite took away and what it put in, cut out at their border.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"

G_BEGIN_DECLS

/* A value that something outside the region reads: which one it was before, and which one it is after. */
typedef struct
{
  PhId before, after;
} PhBorderPair;

/* One connected part of the difference between two positions. Values are named by id, since the two positions are two
 * models with the same ids. */
typedef struct
{
  PhId graph;                /* the graph in which both sides stand: the main one or a body                */
  GPtrArray *before, *after; /* (element-type PhNode) of either model, in program order                    */
  GArray *inputs;            /* (element-type PhId) values that a side reads and does not make             */
  GArray *outputs;           /* (element-type PhBorderPair)                                                */
  gboolean lost_output;      /* an output of the graph is there before only                                */
  guint n_guessed;           /* nodes of both sides that are taken for the same by a guess (match.h)       */
} PhRegion;

void ph_region_free (PhRegion *region);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhRegion, ph_region_free)

/* The parts of what the edits [@first, @end) change. @before and @after stand at the two ends of that stretch. Parts that share
 * nothing are regions of their own; none: nothing is computed in another way. (transfer full) (element-type PhRegion) */
GPtrArray *ph_regions_find (PhModel *before, PhModel *after, PhHistory *history, guint first, guint end);
/* The two models as a whole: the inputs and the outputs of their main graphs, outputs paired by place. (transfer full) */
PhRegion *ph_region_whole (PhModel *before, PhModel *after);
PhRegion *ph_region_copy (const PhRegion *region);
/* Takes in the producers of what the region reads. A region in a body becomes the node whose body it is, where there are none or
 * with @leave. FALSE: there is nothing more. */
gboolean ph_region_widen (PhRegion *region, PhModel *before, PhModel *after, gboolean leave);
/* Takes in the nodes between values that flow into the region: what they make cannot be made up beside what they read. */
gboolean ph_region_close (PhRegion *region, PhModel *before, PhModel *after);

/* Takes in who reads what was switched at the border: the same nodes, which read one value before and another after. What they make is the border
 * then. FALSE: nobody does. */
gboolean ph_region_follow (PhRegion *region, PhModel *before, PhModel *after);

/* @regions (not empty) and all that lies between them, as one region of at most @most nodes on both sides. (transfer full) (nullable) */
PhRegion *ph_region_joint (GPtrArray *regions, PhModel *before, PhModel *after, guint most);

G_END_DECLS
