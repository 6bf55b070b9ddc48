/* clone.h: copies only some graphs of a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Like ph_model_clone(), but of the main graph and of functions only those that @wanted accepts are filled; the others are empty. */
PhModel *ph_model_clone_graphs (PhModel *model, gboolean (*wanted) (const PhGraph *graph, gconstpointer data),
                                gconstpointer data);

G_END_DECLS
