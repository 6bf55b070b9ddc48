/* anchor.h: where in a model to look for what a pass did wrong: parts that grow.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"

G_BEGIN_DECLS

/* Sets of PhNode of @model's main graph, each larger than the one before. (transfer full) (element-type GHashTable) */

/* Around rewrite @index of @history, which is of a step that began at @model: what it took away, who shares constants with what it put in, neighbours. */
GPtrArray *ph_anchors_of_rewrite (PhModel *model, PhModel *after, PhHistory *history, guint index);
/* Around the nodes and values that @message names; none: it names nothing of @model. */
GPtrArray *ph_anchors_of_message (PhModel *model, const char *message);
/* Around the node that makes the value @name. */
GPtrArray *ph_anchors_of_value (PhModel *model, const char *name);
/* A call of each of the model's own functions; none: it has none. */
GPtrArray *ph_anchors_of_calls (PhModel *model);
/* All of it. */
GPtrArray *ph_anchors_of_all (PhModel *model);

G_END_DECLS
