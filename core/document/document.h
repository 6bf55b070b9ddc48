/* document.h: what is open: file, model, history, pipeline, feeds, selection. Views bind to it and never edit it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/analyze/diff.h"
#include "passes/pass.h"

G_BEGIN_DECLS

#define PH_TYPE_DOCUMENT (ph_document_get_type ())
G_DECLARE_FINAL_TYPE (PhDocument, ph_document, PH, DOCUMENT, GObject)

/* Lives in one thread (the main one in the window). Signals:
 *   opened ()            another file: everything is new
 *   history-changed ()   steps were appended or dropped
 *   position-changed ()  the model was moved along its history
 *   pipeline-changed ()  passes switched off, reordered, another pipeline
 *   feeds-changed ()     inputs set; values-changed (): results of an evaluation are there
 *   problems-changed ()
 * Properties: file (char*), selection (guint, node id, 0 none), busy (boolean). */
PhDocument *ph_document_new            (void);

gboolean    ph_document_is_open        (PhDocument *document);
PhModel    *ph_document_get_model      (PhDocument *document);      /* (nullable) at the present position; do not edit */
PhHistory  *ph_document_get_history    (PhDocument *document);      /* (nullable) */
PhPosition  ph_document_get_position   (PhDocument *document);
const char *ph_document_get_path       (PhDocument *document);      /* (nullable) */
GPtrArray  *ph_document_get_problems   (PhDocument *document);      /* (element-type char*) */

/* Takes over what a worker read: replaces everything, emits opened. */
void        ph_document_take_model     (PhDocument *document, PhModel *model, const char *path, GPtrArray *problems);
gboolean    ph_document_go             (PhDocument *document, PhPosition to, GError **error);
/* Takes over steps that were computed on a clone made at @base edits; fails when the history moved on meanwhile. */
gboolean    ph_document_take_steps     (PhDocument *document, PhHistory *from, GError **error);

guint       ph_document_get_selection  (PhDocument *document);
void        ph_document_set_selection  (PhDocument *document, guint node);

/* The pipeline: upgrade-opset first when the file is old, then the chosen one's passes. */
typedef struct { const PhPass *pass; gboolean enabled, breakpoint; } PhPipelineEntry;
const char *ph_document_get_pipeline   (PhDocument *document);
gboolean    ph_document_set_pipeline   (PhDocument *document, const char *name, GError **error);
GArray     *ph_document_get_entries    (PhDocument *document);      /* (element-type PhPipelineEntry) */
void        ph_document_set_entry      (PhDocument *document, guint index, gboolean enabled, gboolean breakpoint);
void        ph_document_move_entry     (PhDocument *document, guint from, guint to);
/* The entry that the next step would run, G_MAXUINT past the last; which step entry @index became, or -1. */
guint       ph_document_next_entry     (PhDocument *document);
int         ph_document_entry_step     (PhDocument *document, guint index);

GHashTable *ph_document_get_feeds      (PhDocument *document);      /* input name -> PhTensor */
void        ph_document_set_feed       (PhDocument *document, const char *name, PhTensor *tensor);
PhTensor   *ph_document_get_value      (PhDocument *document, PhId value);  /* (nullable) of the last evaluation */

G_END_DECLS
