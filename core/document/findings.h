/* findings.h: inputs of a document, and what was computed and measured with them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document-type.h"
#include "core/document/execution.h"
#include "core/prove/along.h"
#include "core/run/profile.h"

G_BEGIN_DECLS

/* The kernel of that name is to run a node ("n12") or all nodes of an operator ("Conv"), here and at all other positions; NULL: whichever
 * is asked first. What was measured is forgotten. */
void ph_document_set_kernel (PhDocument *document, const char *key, const char *name);
GHashTable *ph_document_get_kernels (PhDocument *document);                           /* (nullable) key -> name */
GHashTable *ph_document_get_feeds (PhDocument *document);                             /* input name -> PhTensor */
void ph_document_set_feed (PhDocument *document, const char *name, PhTensor *tensor); /* NULL: takes it away */
PhTensor *ph_document_get_value (PhDocument *document, PhId value);                   /* (nullable) of the last evaluation */
/* Takes over the result of ph_run_model(). */
void ph_document_take_values (PhDocument *document, GHashTable *values);
GHashTable *ph_document_get_values (PhDocument *document); /* (nullable) PhId -> PhTensor */
/* How long the nodes took when that was last measured (`profile`), at whatever position: ask it by node id. */
PhProfile *ph_document_get_profile (PhDocument *document); /* (nullable) */
void ph_document_take_profile (PhDocument *document, PhProfile *profile);

/* The values that two positions have in common, as they were last compared (`along`) on the present inputs. */
const PhAlong *ph_document_get_along (PhDocument *document, PhPosition *from, PhPosition *to);      /* (nullable) */
void ph_document_take_along (PhDocument *document, PhAlong *along, PhPosition from, PhPosition to); /* takes it */

/* Selects the node that makes @value, and asks whoever tells of what is selected for the value. */
void ph_document_show_value (PhDocument *document, PhId value);
PhId ph_document_get_shown_value (PhDocument *document);

/* A run that is walked through, and how many of its events are done. Its values are those of the document, and what ran last is
 * selected. (transfer full) (nullable): none any more. Another position, or other inputs, end it. */
void ph_document_take_execution (PhDocument *document, PhExecution *execution);
PhExecution *ph_document_get_execution (PhDocument *document, guint *at); /* (nullable) both */
void ph_document_go_execution (PhDocument *document, guint at);

G_END_DECLS
