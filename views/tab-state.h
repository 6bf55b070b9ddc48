/* tab-state.h: where somebody is in a model: pipeline, position, place in the picture, bookmarks, breakpoints, feeds.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/document-view.h"

G_BEGIN_DECLS

/* Writes all but the values fed, which are tensors; what is being restored, as it will be. FALSE: there is nothing that would be missed. */
gboolean ph_tab_state_save (PhDocumentView *view, GKeyFile *file, const char *group);
/* Through the console, as if the user did it again, behind whatever waits there. What is no longer possible is left out: a
 * position behind the end becomes the end. @pipeline: also the pipeline and the values fed. */
void ph_tab_state_restore (PhDocumentView *view, GKeyFile *file, const char *group, gboolean pipeline);
gboolean ph_tab_state_is_restoring (PhDocumentView *view);
gboolean ph_tab_state_will_compare (PhDocumentView *view); /* restoring, and with another model in the end */

/* What was computed at the console, in a tab with a model or without one; it is computed again. */
void ph_tab_state_save_expressions (PhDocumentView *view, GKeyFile *file, const char *group);
void ph_tab_state_restore_expressions (PhDocumentView *view, GKeyFile *file, const char *group);

/* Where the values fed are kept: "feed-1" names the input, "feed-1-file" the .npy, whose path begins with @prefix. While a thread writes a
 * large one, "feed-1-line" has @line (nullable), which fed it, instead; @written is called when it has been. */
void ph_tab_state_save_feeds (PhDocumentView *view, GKeyFile *file, const char *group, const char *prefix, const char *line,
                              void (*written) (PhDocumentView *view));

G_END_DECLS
