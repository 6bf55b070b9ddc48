/* saved.h: what the backward graph reads of the forward one, and what a graph occupies while it runs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* (transfer container) (element-type PhValue), in the order in which they are computed. */
GPtrArray *ph_graph_saved (const PhGraph *graph);
/* The most bytes that computed values of the graph occupy at once, run in its order: each from its node to its last reader, outputs to
 * the end. Inputs, constants and what bodies compute do not count. -1: a size is not known. @at: (nullable) during which node. */
gint64 ph_graph_peak (const PhGraph *graph, PhNode **at);
gint64 ph_graph_flops (const PhGraph *graph); /* as far as they are known */

G_END_DECLS
