/* history-private.h: the left panel in parts: its frame, the rows of passes and of rewrites, what can be done with them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/after-frame.h"
#include "views/context-menu.h"
#include "views/growing-list.h"
#include "views/history-panel.h"
#include "views/rewrite-list.h"
#include "views/step-item.h"

G_BEGIN_DECLS

struct _PhHistoryPanel
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkMenuButton *pipeline_button, *breaks_button;
  GtkLabel *pipeline_name;
  GtkToggleButton *changed_only;
  GtkScrolledWindow *steps_scroller;
  GtkListView *steps, *rewrites;
  GtkWidget *breaks_box; /* in the popover: one row a breakpoint            */
  GtkStack *rewrites_stack;
  GtkSearchEntry *rewrites_filter;
  GtkToggleButton *rewrites_search;
  GtkRevealer *rewrites_search_bar;
  GtkLabel *rewrites_title, *rewrites_count, *rewrites_empty;
  GtkWidget *detail; /* of the selected rewrite                         */
  GtkSwitch *verify_switch;
  GtkLabel *verify_text;
  GtkWidget *hunt_button;
  GtkLabel *detail_why, *detail_rule, *detail_effect, *detail_class;

  GListStore *items; /* (element-type PhStepItem)                       */
  GtkSingleSelection *step_selection;
  PhRewriteList *rewrite_list;
  PhGrowingList *rewrite_rows; /* of it, that the list view is given */
  GtkSingleSelection *rewrite_selection;
  GSimpleActionGroup *actions; /* "history.*"                                     */
  PhConsole *console;          /* (nullable)                                      */
  PhDocument *document;        /* (nullable) the console's                        */
  guint chosen_row;            /* of the list of rewrites, until the position is there; or none */
  guint shown_step;            /* whose rewrites are listed; G_MAXUINT: none      */
  gboolean updating;           /* selections move because of the document         */
  int menu_entry;              /* that the context menu speaks of, -1: none       */
  int menu_step;               /* likewise                                        */
  PhRewriteItem *menu_rewrite; /* (nullable) likewise                             */
  int focus_entry;             /* to have the keyboard after the next update; -1  */
  guint focus_tick;
  guint focus_tries;   /* frames                                          */
  guint follow;        /* after the frame: the rows follow the position */
  PhPause pause;       /* then the rewrites do                          */
  double scroll_speed; /* pixels a frame, while a row is dragged          */
  guint scroll_tick;
};

void ph_history_run (PhHistoryPanel *panel, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* history-steps.c: the list of passes, its pointer and its keys */
void ph_history_make_steps (PhHistoryPanel *panel);
void ph_history_focus_pending (PhHistoryPanel *panel);
void ph_history_stop_scrolling (PhHistoryPanel *panel);

/* history-verdicts.c: whether each step is verified, and how far that is */
void ph_history_make_verdicts (PhHistoryPanel *panel);
void ph_history_update_verdicts (PhHistoryPanel *panel);

/* history-rewrites.c */
void ph_history_make_rewrites (PhHistoryPanel *panel);
void ph_history_show_rewrites (PhHistoryPanel *panel, gboolean steps_changed);

/* history-actions.c: what menus and keys do, menus, breakpoints */
void ph_history_install_actions (PhHistoryPanel *panel);
void ph_history_update_pipeline (PhHistoryPanel *panel); /* the button's label and the breakpoints */
void ph_history_show_step_menu (PhHistoryPanel *panel, GtkWidget *row, int entry, int step, double x, double y);
void ph_history_show_rewrite_menu (PhHistoryPanel *panel, GtkWidget *row, PhRewriteItem *item, double x, double y);

G_END_DECLS
