/* hand-steps.h: steps that no pipeline makes again, such as a backward graph or another model: by which lines they were made.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/document-view.h"

G_BEGIN_DECLS

void ph_hand_steps_watch (PhDocumentView *view);
/* Before the model comes: @view is there to compare that of the file @path. */
void ph_hand_steps_set_compares (PhDocumentView *view, const char *path);
/* The model of @view, which is to be compared, was what another document had at @at, not what the file has. */
void ph_hand_steps_set_base (PhDocumentView *view, PhDocumentView *from, PhPosition at);
gboolean ph_hand_steps_any (PhDocumentView *view);
/* The tab shows what another model has instead. */
gboolean ph_hand_steps_compares (PhDocumentView *view);
/* The last step that made another model of this one, from 0. FALSE: none did. */
gboolean ph_hand_steps_find_compare (PhDocument *document, guint *step);
void ph_hand_steps_save (PhDocumentView *view, GKeyFile *file, const char *group);
/* When the pipeline has run: begins with what the model was, then queues the lines, each where it was run, and calls @queued. A line that
 * runs a foreign program which nobody ran in this tab, and what stands behind it, waits: ph_hand_steps_ask() says so, with a button. */
void ph_hand_steps_restore (PhDocumentView *view, GKeyFile *file, const char *group, void (*queued) (gpointer data),
                            gpointer data);
void ph_hand_steps_ask (PhDocumentView *view);
/* (nullable) (transfer full) the pipeline that has to run before ph_hand_steps_restore(), if it is not that of the session */
char *ph_hand_steps_base (GKeyFile *file, const char *group);

G_END_DECLS
