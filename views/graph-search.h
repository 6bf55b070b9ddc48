/* graph-search.h: nodes that match a few words or a pattern.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Every word of @text must occur, whatever its case, in a node's id, operator, name, attributes, or the names and types of
 * its outputs; with @regex, @text is one Perl-style pattern instead (errors: G_REGEX_ERROR). Bodies are searched too,
 * fused ones not. Returns: (transfer full) (element-type PhId) in program order. */
GArray *ph_graph_search (PhModel *model, const char *text, gboolean regex, GError **error);

G_END_DECLS
