/* hand-steps.h: steps that no pipeline makes again, such as a backward graph or another model: by which lines they were made.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/document-view.h"

G_BEGIN_DECLS

void     ph_hand_steps_watch    (PhDocumentView *view);
/* The model of @view was what another document had at its present position, not what the file has. */
void     ph_hand_steps_set_base (PhDocumentView *view, PhDocument *from);
gboolean ph_hand_steps_any      (PhDocumentView *view);
void     ph_hand_steps_save     (PhDocumentView *view, GKeyFile *file, const char *group);
/* When the pipeline has run: begins with what the model was, then queues the lines, each where it was run, and calls @queued. */
void     ph_hand_steps_restore  (PhDocumentView *view, GKeyFile *file, const char *group, void (*queued) (gpointer data), gpointer data);
/* (nullable) (transfer full) the pipeline that has to run before ph_hand_steps_restore(), if it is not that of the session */
char    *ph_hand_steps_base     (GKeyFile *file, const char *group);

G_END_DECLS
