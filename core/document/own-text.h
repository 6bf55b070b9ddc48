/* own-text.h: the text of the open file, and the line that each node came from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

/* The file and the line, from 1, that @node comes from; what a pass made has those of what it replaced. NULL: it comes from no text of
 * the file, or folder, that is open, nor of the program that was compiled or traced. (transfer full) */
char *ph_own_text_find (PhDocument *document, const PhNode *node, guint *line);
/* Its text. NULL with @error: it is no text, or too long to be shown. (transfer full) */
char *ph_own_text_read (PhDocument *document, const char *file, GError **error);
/* The node of the present position that @line of @file made, or the nearest line above it. (nullable) */
PhNode *ph_own_text_node (PhDocument *document, const char *file, guint line);

G_END_DECLS
