/* graph-pane-color.c: colours of the boxes: starts missing measurements, and shows the legend.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-pane-private.h"

static void
ask_error (PhGraphPane *self)
{
  g_autofree char *from = ph_position_to_string (ph_document_get_since (self->document)),
                  *to = ph_position_to_string (ph_document_get_position (self->document));
  g_autofree char *line = g_strdup_printf ("along %s %s", from, to);

  ph_console_run_async (self->console, line, NULL, NULL);
}

void
ph_graph_pane_show_color (PhGraphPane *self)
{
  PhViewState *view = ph_document_get_view (self->document);
  const PhColorMode mode = ph_view_state_get (view, PH_VIEW_COLOR);

  /* Colours that do not speak for themselves come with their legend. */
  gtk_widget_set_visible (self->legend, ph_view_state_is_on (view, PH_VIEW_LEGEND));
  if (mode == self->color)
    return;
  self->color = mode;
  if (ph_view_state_knows_color (view) || !ph_document_is_open (self->document))
    return;
  if (mode == PH_COLOR_QUERY)
    ph_query_bar_open (self->query_bar);
  else if (mode == PH_COLOR_ERROR)
    ask_error (self);
  else
    ph_console_run_async (self->console, "profile --random 1", NULL, NULL);
}
