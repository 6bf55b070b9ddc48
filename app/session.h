/* session.h: what is open and where, kept while the program runs, so that a crash loses nothing but the values that were computed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "app/window.h"

G_BEGIN_DECLS

typedef struct _PhSession PhSession;

/* Saves what a line did before its answer is shown, in the XDG state folder. Lives no longer than @window. */
PhSession *ph_session_new (PhWindow *window);
void ph_session_restore_panels (PhSession *session); /* once there is a tab */
void ph_session_watch (PhSession *session, PhDocumentView *view);
/* @keep: leave the file for the next start; else the program ends as it should and the file goes. */
void ph_session_free (PhSession *session);
/* Opens again what the last run left behind, if it did not end as it should. FALSE: there was nothing. */
gboolean ph_session_restore (PhWindow *window);

G_END_DECLS
