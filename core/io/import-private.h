/* import-private.h: shared by the files of the importer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"

G_BEGIN_DECLS

/* What a name stands for before it has a value: the number of the node that makes it. An odd number, so that it cannot be
 * mistaken for a value. */
#define PENDING(i)      GSIZE_TO_POINTER (((gsize) (i) << 1) | 1)
#define IS_PENDING(p)   ((GPOINTER_TO_SIZE (p) & 1) != 0)
#define PENDING_NODE(p) (GPOINTER_TO_SIZE (p) >> 1)
#define NO_NODE         (G_MAXSIZE >> 2) /* an input or constant that is to come */

/* @node can be made now: what it uses, its bodies included, was made. */
gboolean ph_scope_is_ready (PhScope *scope, const PhImportNode *node);
/* The order in which the nodes from @first on can be made. NULL: a cycle. (transfer full) */
gsize *ph_scope_sort (PhScope *scope, gsize first, GError **error);

G_END_DECLS
