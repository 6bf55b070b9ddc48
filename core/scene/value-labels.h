/* value-labels.h: writes types and values so briefly that they fit on the lines of a picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Of @values (PhId -> PhTensor): PhId -> text (owned), for PhDrawOptions: one element as a number, more as "least … largest"; nothing of
 * what has neither. Reads every element: for a worker. (transfer full) */
GHashTable *ph_value_labels_new (GHashTable *values);
/* The boxes of nodes too: that of a node with one output says what it is, under the node's id. A cotangent that is not fed is its default. */
void ph_value_labels_add_nodes (GHashTable *labels, const PhGraph *graph);

G_END_DECLS
