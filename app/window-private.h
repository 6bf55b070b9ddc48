/* window-private.h: what window.c and window-actions.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "app/session.h"
#include "app/window.h"
#include "views/bottom-pane.h"
#include "views/fit-bin.h"
#include "views/history-panel.h"
#include "views/inspector.h"

G_BEGIN_DECLS

struct _PhWindow
{
  AdwApplicationWindow parent_instance;
  AdwWindowTitle *title;
  AdwSplitButton *open_button;
  GtkMenuButton *menu_button;
  PhFitBin *fit_bin;
  GtkWidget *first_button, *back_button, *last_button, *pipeline_button, *bottom_button, *inspector_button, *find_button;
  AdwTabView *tabs;
  AdwTabBar *tab_bar;
  PhHistoryPanel *history_panel;
  PhInspector *inspector;
  PhBottomPane *bottom_pane;

  GMenu *recent;
  PhDocument *document;             /* (nullable) of the present tab */
  PhConsole *console;               /* (nullable) of the present tab */
  GSimpleActionGroup *commands;     /* the actions "command.*"       */
  GSimpleActionGroup *view_actions; /* (nullable) of the present tab, "view.*" */
  PhSession *session;
  gboolean closing;
  int side_width;          /* of the pipeline's panel, where there is room for it: as dragged */
  int side_most, side_set; /* the most that it may have, and what it was given */
  int bottom_height;       /* of the bottom pane, as long as nobody dragged its edge; 0: it had none */
  gboolean folding;        /* a panel comes or goes for want of room */
};

PhDocumentView *ph_window_add_tab (PhWindow *window); /* and shows it */
/* In the present tab when it is empty, else in a new one, whatever else is open. */
PhDocumentView *ph_window_open_tab (PhWindow *window, const char *path);
/* window-hunt.c: hunts in what the present tab has run, or else in its pipeline. */
void ph_window_hunt (PhWindow *window);
/* window-files.c: lets one choose the file that @command needs, and runs it then. FALSE: it needs none. */
gboolean ph_window_ask_for_file (PhWindow *window, const char *command);
/* window-panels.c. PH_VIEW_PIPELINE, PH_VIEW_INSPECTOR or PH_VIEW_BOTTOM: it is shown, or would be if there were room for it. */
gboolean ph_window_wants_panel (PhWindow *window, PhViewField panel);
void ph_window_set_panel (PhWindow *window, PhViewField panel, gboolean shown);
/* Another tab is in front: its view takes the panels that @before (nullable) had. */
void ph_window_follow_view (PhWindow *window, PhDocument *before);
void ph_window_update_panels (PhWindow *window);
void ph_window_on_folded (PhWindow *window, GtkWidget *widget, gboolean folded);
void ph_window_on_side_moved (PhWindow *self, GParamSpec *property, GtkPaned *paned);
void ph_window_share_width (PhWindow *self, GParamSpec *property, GtkPaned *paned);
void ph_window_share_height (PhWindow *window, GParamSpec *property, GtkPaned *paned);
/* Enables what can be done now, and sets the states of toggles. */
void ph_window_update_actions (PhWindow *window);

G_END_DECLS
