/* region-private.h: finds the border of a region; private to core/analyze.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/region.h"

G_BEGIN_DECLS

typedef void (*PhReadFunc) (PhValue *value, gpointer data);

/* Every value that @node reads, also those that its bodies capture. */
void ph_each_read (PhNode *node, PhReadFunc read, gpointer data);
int ph_node_by_order (gconstpointer a, gconstpointer b); /* of pointers to nodes of one graph */
PhRegion *ph_region_new (PhId graph);
void ph_region_add_pair (PhRegion *region, PhId before, PhId after);
/* What either side reads and does not make. Its nodes are in program order. */
void ph_region_find_border (PhRegion *region, PhModel *before, PhModel *after);

G_END_DECLS
