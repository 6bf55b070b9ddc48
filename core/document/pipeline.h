/* pipeline.h: the passes that a document runs, rules that are off, breakpoints.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document-type.h"
#include "core/document/pass-plan.h"

G_BEGIN_DECLS

/* The pipeline: the chosen one's passes. Where the file is old, upgrade-opset goes first in those that come with Peephole, for the
 * form of the operators only; in one's own it has to be named, else what needs a newer opset stands aside. Where the file is another
 * system's, convert-to-onnx goes first in those that come with Peephole. */
#define PH_PIPELINE_DEFAULT "O2"
const char *ph_document_get_pipeline (PhDocument *document);
PhExactness ph_document_get_allow (PhDocument *document);
/* A name of ph_pipeline_list(), or words separated by commas: passes, each with :off, :break, :repeat or :limit=N behind it, and
 * allow=CLASS (else all is allowed). Steps ahead of the present position are dropped, and the
 * whole of it runs from there. */
gboolean ph_document_set_pipeline (PhDocument *document, const char *name, GError **error);
/* Not, or no longer, one of ph_pipeline_list(); such words as above, or the name. (transfer full) */
gboolean ph_document_pipeline_is_own (PhDocument *document);
char *ph_document_pipeline_to_text (PhDocument *document, const char *separator);
/* (nullable) Why the chosen pipeline has no passes for this file: no pass knows any of its operators. */
const char *ph_document_get_idle (PhDocument *document);
GArray *ph_document_get_entries (PhDocument *document); /* (element-type PhPipelineEntry) */
/* These drop the steps that were made by a pipeline which is no longer this one. The pass of an entry stays. */
void ph_document_set_entry (PhDocument *document, guint index, const PhPipelineEntry *entry);
void ph_document_move_entry (PhDocument *document, guint from, guint to);
void ph_document_insert_entry (PhDocument *document, guint at, const PhPass *pass);
void ph_document_remove_entry (PhDocument *document, guint index);
/* The entry that the next step would run, G_MAXUINT past the last; which step entry @index became, or -1. */
guint ph_document_next_entry (PhDocument *document);
int ph_document_entry_step (PhDocument *document, guint index);

/* Rules that no pass uses: "pass/rule". */
GPtrArray *ph_document_get_rules_off (PhDocument *document); /* (element-type char*) */
void ph_document_set_rule (PhDocument *document, const char *rule, gboolean enabled);
/* Where `run` stops although there is more: before a rewrite by this rule ("rule" or "pass/rule"), or that touches this
 * node ("n42"). Breakpoints on passes stand in the pipeline. */
GPtrArray *ph_document_get_breaks (PhDocument *document); /* (element-type char*) */
void ph_document_toggle_break (PhDocument *document, const char *rule_or_node);
/* The breakpoint on the rewrite that @at stands before. (nullable) */
const char *ph_document_find_break (PhDocument *document, PhPosition at);
/* The first position from @from on, before @end, at which such a rewrite is next; @end when there is none. */
PhPosition ph_document_next_break (PhDocument *document, PhPosition from, PhPosition end);

G_END_DECLS
