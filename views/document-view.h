/* document-view.h: one open model: its document, its console, its picture, and what is said above it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "core/console/console.h"
#include "views/find-bar.h"
#include "views/graph-pane.h"

G_BEGIN_DECLS

#define PH_TYPE_DOCUMENT_VIEW (ph_document_view_get_type ())
G_DECLARE_FINAL_TYPE (PhDocumentView, ph_document_view, PH, DOCUMENT_VIEW, GtkWidget)

PhDocumentView *ph_document_view_new (void);
PhDocument *ph_document_view_get_document (PhDocumentView *view);
PhConsole *ph_document_view_get_console (PhDocumentView *view);
PhGraphPane *ph_document_view_get_pane (PhDocumentView *view);
PhFindBar *ph_document_view_get_find_bar (PhDocumentView *view);
PhGraphCanvas *ph_document_view_get_canvas (PhDocumentView *view);

/* Opens a file by a line of the console. A file is read, and a line runs, when the view is first on the screen. */
void ph_document_view_open (PhDocumentView *view, const char *path);
gboolean ph_document_view_is_seen (PhDocumentView *view);
/* (nullable) absolute: what is open, or what will be. The signal file-changed tells of another. */
const char *ph_document_view_get_file (PhDocumentView *view);
/* Runs a line of the console; failures show as a toast. */
void ph_document_view_run (PhDocumentView *view, const char *line);
void ph_document_view_toast (PhDocumentView *view, const char *text);
/* With a button that calls @pressed with the view. */
void ph_document_view_toast_button (PhDocumentView *view, const char *text, const char *button, GCallback pressed);
/* A message above the picture that stays, with a button that runs @retry; NULL @text hides it. */
void ph_document_view_set_banner (PhDocumentView *view, const char *text, const char *button, GCallback retry, gpointer data);
const char *ph_document_view_get_banner (PhDocumentView *view); /* (nullable) what it says now */
/* The file once more, and back to where one was in it. What cannot be read leaves what is there, and a banner. */
void ph_document_view_reload (PhDocumentView *view);
gboolean ph_document_view_is_working (PhDocumentView *view); /* in the background */
/* Stops what the card with the progress is shown for. FALSE: it is not shown. */
gboolean ph_document_view_cancel (PhDocumentView *view);
/* Work that is no line of the console has that card too; one at a time. (transfer none) */
gboolean ph_document_view_has_work (PhDocumentView *view);
GCancellable *ph_document_view_begin_work (PhDocumentView *view, const char *what);
void ph_document_view_end_work (PhDocumentView *view);

G_END_DECLS
