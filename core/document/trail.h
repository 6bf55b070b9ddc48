/* trail.h: the body or function that the picture shows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document-type.h"

G_BEGIN_DECLS

/* What the picture shows: a body or function in a body ..., outermost first; PH_NO_ID and nothing: the main graph. What a
 * position does not have is left. */
typedef struct
{
  PhId node, inside;
} PhTrailPart;                                        /* entered through @node (PH_NO_ID: by its name); ph_graph_is_shown() */
GArray *ph_document_get_trail (PhDocument *document); /* (transfer none) (element-type PhTrailPart) */
PhId ph_document_get_inside (PhDocument *document);
gboolean ph_document_enter (PhDocument *document, const PhNode *node, GError **error); /* from wherever it stands */
void ph_document_enter_function (PhDocument *document, const PhFunction *function);
gboolean ph_document_leave (PhDocument *document, guint levels);  /* FALSE: there is nothing to leave */
gboolean ph_document_reveal (PhDocument *document, PhId node);    /* goes where it is seen; FALSE: it is already */
char *ph_document_trail_text (PhDocument *document, guint index); /* "n7 FusedAddRelu", "local.scale" (transfer full) */

G_END_DECLS
