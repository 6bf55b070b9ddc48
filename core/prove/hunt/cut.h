/* cut.h: some nodes of a model as a model of their own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* The nodes of @model's main graph that are in @nodes (a set of PhNode), in their order. What they read from others becomes an input, of the type
 * that it is declared with, symbols included; what others read becomes an output; constants come along, and two nodes that share one still do. Names of values
 * and nodes stay, which is how the two models are compared. */
PhModel *ph_model_cut (PhModel *model, GHashTable *nodes, GError **error);
/* The same model with outputs @keep (a set of names) only, and without the nodes that only the others need. */
PhModel *ph_model_keep_outputs (PhModel *model, GHashTable *keep, GError **error);
/* Its nodes but constants. */
guint ph_model_n_computing (PhModel *model);

G_END_DECLS
