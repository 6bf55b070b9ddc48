/* window.h: the window: panels around the tabs of open models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "app/application.h"
#include "views/document-view.h"

G_BEGIN_DECLS

#define PH_TYPE_WINDOW (ph_window_get_type ())
G_DECLARE_FINAL_TYPE (PhWindow, ph_window, PH, WINDOW, AdwApplicationWindow)

PhWindow *ph_window_new (PhApplication *application);
/* Goes to the tab that has it; else in the present tab when nothing is open there, else in a new one. */
void ph_window_open (PhWindow *window, GFile *file);
/* In a new tab: what @file has instead of the present tab's model as it stands. */
void ph_window_compare (PhWindow *window, GFile *file);
PhDocumentView *ph_window_get_view (PhWindow *window); /* of the present tab; never NULL */
/* Runs a line of the console on the present tab's document. */
void ph_window_run (PhWindow *window, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Shows the console with @text typed, for the user to finish. */
void ph_window_prompt (PhWindow *window, const char *text);
void ph_window_show_bottom (PhWindow *window, const char *page); /* "console" "text" "adjoint" "along" "roofline" "problems" */

/* Why "command.step-into" or "win.go-first" cannot be done now, in a sentence for people. (nullable): it can. */
const char *ph_window_why_off (PhWindow *window, const char *action);

/* window-actions.c */
void ph_window_install_actions (PhWindow *window);

G_END_DECLS
