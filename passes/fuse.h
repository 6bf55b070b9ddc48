/* fuse.h: several nodes become one that keeps them as its body.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"

G_BEGIN_DECLS

/* Replaces @nodes, which stand in one graph, by one node of domain "peephole" and operator @name, whose body holds what they
 * were: inputs one-to-one, nothing captured. Fused nodes among them are taken apart first, so bodies do not nest.
 * NULL without error: they cannot be one node (control flow among them, or a path that leaves the set and comes back);
 * nothing is changed then. NULL with @builder->error: the transaction is to be aborted. */
PhNode *ph_fuse_nodes (PhNode *const *nodes, guint n, const char *name, PhBuilder *builder);
/* No path leaves the set and comes back. Cheap where the nodes stand close together; gives up (FALSE) where they do not. */
gboolean ph_nodes_are_convex (PhNode *const *nodes, guint n);

G_END_DECLS
