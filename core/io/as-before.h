/* as-before.h: marks a graph of a snapshot that is the same as in the snapshot before; it is left empty.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* No body of an operator has this attribute, and a root graph has none of its own. */
#define PH_GRAPH_AS_BEFORE "(as before)"

static inline void
ph_graph_set_as_before (PhGraph *graph)
{
  graph->attr = ph_intern (PH_GRAPH_AS_BEFORE);
}

static inline gboolean
ph_graph_is_as_before (const PhGraph *graph)
{
  return graph->attr != NULL && g_str_equal (graph->attr, PH_GRAPH_AS_BEFORE);
}

G_END_DECLS
