/* document.h: what is open: file, model, history, pipeline, feeds, selection. Views bind to it and never edit it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/diff.h"
#include "core/document/document-type.h"
#include "core/document/findings.h"
#include "core/document/job.h"
#include "core/document/pipeline.h"
#include "core/document/proofs.h"
#include "core/document/trail.h"
#include "core/document/view-state.h"

G_BEGIN_DECLS

/* Lives in one thread (the main one in the window). Signals:
 *   opened ()            another file, or none: everything is new
 *   history-changed ()   steps were appended or dropped
 *   position-changed ()  the model was moved along its history
 *   pipeline-changed ()  passes switched off, reordered, another pipeline
 *   feeds-changed ()     inputs set; values-changed (): results of an evaluation are there
 *   profile-changed ()   how long the nodes take was measured
 *   along-changed ()     the values of two positions were compared
 *   execution-changed () another event of the run that is walked through is the last one, or there is no such run any more
 *   verdicts-changed ()  the comparison of a step with the one before it is known, or comparing began or ended
 *   inside-changed ()    the picture shall show another inside (ph_document_get_inside())
 *   value-shown ()       somebody asked for all about a value (ph_document_get_shown_value())
 *   problems-changed ()
 *   bookmarks-changed ()
 *   since-changed ()     what is shown is compared with another position
 *   diff-changed ()      what changed since then is known
 * Properties: file (char*), selection (guint, node id, 0 none), busy (boolean). */
PhDocument *ph_document_new (void);

gboolean ph_document_is_open (PhDocument *document);
PhModel *ph_document_get_model (PhDocument *document);     /* (nullable) at the present position; do not edit */
PhHistory *ph_document_get_history (PhDocument *document); /* (nullable) */
PhPosition ph_document_get_position (PhDocument *document);
PhViewState *ph_document_get_view (PhDocument *document); /* how the picture is seen */
const char *ph_document_get_path (PhDocument *document);  /* (nullable) */
/* What people call it: its file without folders, or the name of a graph of no file. (transfer full) (nullable) nothing is open */
char *ph_document_dup_name (PhDocument *document);
GPtrArray *ph_document_get_parts (PhDocument *document);    /* (nullable) (element-type char*) paths of its file's modules */
GPtrArray *ph_document_get_problems (PhDocument *document); /* (element-type char*) */
/* FALSE, once: a file that the model was read from was written since, which is a problem from now on, the last of them. */
gboolean ph_document_check_files (PhDocument *document);
/* What is on disk by the names of these files is what was read: reading them again would change nothing. */
gboolean ph_document_is_current (PhDocument *document);

/* Takes over what a worker read: replaces everything, emits opened. @problems: (nullable) (transfer full). */
void ph_document_take_model (PhDocument *document, PhModel *model, const char *path, GPtrArray *problems);
/* The same with a copy of @model (nullable) (transfer full) for workers, which was made where the model was read. */
void ph_document_take_models (PhDocument *document, PhModel *model, PhModel *copy, const char *path, GPtrArray *problems);
/* Likewise a graph of the tensor language, made from the program @text; @program: (nullable) its file, as the places of nodes have it. */
void ph_document_take_program (PhDocument *document, PhModel *model, const char *program, const char *text);
/* That program. (nullable) @text: (out) (optional) */
const char *ph_document_get_program (PhDocument *document, const char **text);
/* Steps that were recorded elsewhere and lead on from the model that was just taken over. @history: (transfer full) */
void ph_document_take_recording (PhDocument *document, PhHistory *history);
/* How many of them there are still, the first ones of the history. */
guint ph_document_get_n_recorded (PhDocument *document);
/* Keeps one copy of the model for workers to read (snapshot.h), so that nothing has to be cloned in the document's thread. */
void ph_document_set_copied (PhDocument *document, gboolean copied);
gboolean ph_document_get_copied (PhDocument *document);
void ph_document_close (PhDocument *document);
/* Likewise by a single rewrite: then changes are counted from the one before, also where it ends its step. */
gboolean ph_document_go_rewrite (PhDocument *document, PhPosition to, GError **error);
gboolean ph_document_go (PhDocument *document, PhPosition to, GError **error);
/* Changes whenever steps are dropped or another file is opened: what a worker computed from an older one is stale. */
guint ph_document_get_generation (PhDocument *document);
/* Drops the steps after @at; moves there first when the document stands beyond. */
void ph_document_truncate (PhDocument *document, PhPosition at);

gboolean ph_document_get_busy (PhDocument *document);
void ph_document_set_busy (PhDocument *document, gboolean busy);
guint ph_document_get_selection (PhDocument *document);
void ph_document_set_selection (PhDocument *document, guint node);
/* Bookmarks 1 to 9: positions. */
void ph_document_set_bookmark (PhDocument *document, guint number, PhPosition position);
gboolean ph_document_get_bookmark (PhDocument *document, guint number, PhPosition *position);
/* What changes are counted from: the position before the present one (by a step, or inside a step by a rewrite), unless one
 * is set; NULL: that again. */
void ph_document_set_since (PhDocument *document, const PhPosition *since);
gboolean ph_document_has_since (PhDocument *document);
PhPosition ph_document_get_since (PhDocument *document);
/* Which rewrite of @step the document went behind, from 1: behind the last one it is behind the step, too. 0: it went by whole steps. */
guint ph_document_get_rewrite (PhDocument *document, guint *step);
/* What changed from there to here, when a worker has found it out. The second gives it: (transfer full) (nullable). */
PhDiff *ph_document_get_diff (PhDocument *document); /* (nullable) */
void ph_document_take_diff (PhDocument *document, PhDiff *diff, PhPosition a, PhPosition b);

G_END_DECLS
