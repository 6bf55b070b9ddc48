/* graph-pane-private.h: what the files of the pane share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "views/execution-bar.h"
#include "views/fit-bin.h"
#include "views/graph-pane.h"
#include "views/history-slider.h"
#include "views/query-bar.h"
#include "views/text-pane.h"
#include "views/trail-bar.h"
#include "views/view-actions.h"

G_BEGIN_DECLS

struct _PhGraphPane
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkStack *stack;
  GtkBox *before_column, *after_column;
  GtkLabel *before_title, *after_title;
  GtkOverlay *before_overlay, *after_overlay;
  PhExecutionBar *execution_bar;
  GtkRevealer *part_bar;
  GtkLabel *part_title;
  GtkWidget *part_steps;
  PhTextPane *text_pane;
  PhQueryBar *query_bar;
  PhTrailBar *trail_bar;
  PhHistorySlider *slider;
  PhFitBin *bar;
  GtkWidget *counts; /* in @bar, folded first */
  GtkLabel *range, *added, *removed, *changed;
  GtkButton *reset;

  PhConsole *console;
  PhDocument *document;
  PhGraphCanvas *canvas, *before; /* @before: (nullable) while side by side */
  GtkWidget *legend, *corner, *pill, *nothing;
  GSimpleActionGroup *actions, *view_actions;
  PhForm form;
  PhColorMode color;
  PhId path_from; /* PH_NO_ID: none; paths from there are asked for */
  guint later;
};

void ph_graph_pane_queue_labels (PhGraphPane *pane); /* written anew when the main loop is idle */

/* graph-pane-color.c */
void ph_graph_pane_show_color (PhGraphPane *pane); /* the view has other colours, or another legend */

/* graph-pane-part.c */
/* FALSE: the word means the same to everybody. */
gboolean ph_graph_pane_ask_part (PhGraphPane *pane, const char *word);
void ph_graph_pane_update_part (PhGraphPane *pane);     /* the line that says which part is shown */
void ph_graph_pane_ask_paths (PhGraphPane *pane);       /* from the selection; the second time, to it */
gboolean ph_graph_pane_stop_asking (PhGraphPane *pane); /* FALSE: no paths were asked for */

G_END_DECLS
