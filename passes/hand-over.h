/* hand-over.h: gives the control edges of a node to the nodes that take its place. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* What ran before @node runs before the nodes in its place, which are those of its graph from id @first on; what ran after it runs after
 * them. Where there are none, the former runs before the latter. @node itself then orders nothing. */
gboolean ph_node_hand_over (PhNode *node, PhId first, GError **error);

G_END_DECLS
