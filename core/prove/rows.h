/* rows.h: finds axes along which each place is computed alone, so that a few places show what all do.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/region.h"

G_BEGIN_DECLS

/* Bit i: along the axis i from the right (as broadcasting counts them) each place is computed from that place alone, in every
 * node of both sides: rows of a layer normalisation, all axes of a chain of elementwise operators. So a few places show what all do.
 * Both models are at the newest opset. */
guint64 ph_rows_of (const PhRegion *region);
/* The size of @axis, which is @dim of a tensor of @rank, where at most @most places of each such axis are wanted; 0: all. */
gint64 ph_rows_limit (guint64 rows, gint64 dim, guint axis, guint rank, gint64 most);

/* What sizes must be at least for the region to see all that it can: no window is wider than @image, and no integer that it may
 * compare a size with is as large as @batch, nor as @image. */
void ph_rows_least (const PhRegion *region, gint64 *batch, gint64 *image);

/* Whatever number goes in, a number comes out: there are no poles, roots of what is negative, comparisons. */
gboolean ph_node_is_pole_free (const PhNode *node);
gboolean ph_graph_is_pole_free (const PhGraph *graph);
/* All that is not whole numbers is only moved: what is equal as numbers is so bit for bit. */
gboolean ph_graph_moves_floats (const PhGraph *graph);
/* It chooses among its inputs and constants by which is larger, and nothing more: what it does on all orders of them it does on all numbers. */
gboolean ph_graph_orders_alone (const PhGraph *graph);

G_END_DECLS
