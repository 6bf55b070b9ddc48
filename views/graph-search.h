/* graph-search.h: nodes that match a few words or a pattern.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* A search that goes on a slice at a time, so that a graph of 100,000 nodes does not hold up what is typed. The model must stand
 * still from one slice to the next. */
typedef struct _PhGraphSearch PhGraphSearch;

/* Nodes whose id, operator, name, attributes or outputs with their types have all words of @text in them, whatever the case, or
 * match it as a regular expression. NULL: no expression. */
PhGraphSearch *ph_graph_search_new (PhModel *model, const char *text, gboolean regex, GError **error);
void ph_graph_search_free (PhGraphSearch *search);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhGraphSearch, ph_graph_search_free)
/* Goes on for about @us microseconds. FALSE: there is no more to look at. */
gboolean ph_graph_search_step (PhGraphSearch *search, gint64 us);
/* (element-type PhId) What was found so far, in program order. */
GArray *ph_graph_search_get (PhGraphSearch *search);

G_END_DECLS
