/* window-panels.c: the visible panels: those that the view of the present tab asks for, as far as there is room.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/window-private.h"

static const PhViewField panels[] = { PH_VIEW_PIPELINE, PH_VIEW_INSPECTOR, PH_VIEW_BOTTOM };

static GtkWidget *
panel_of (PhWindow *self, PhViewField field)
{
  return field == PH_VIEW_PIPELINE    ? GTK_WIDGET (self->history_panel)
         : field == PH_VIEW_INSPECTOR ? GTK_WIDGET (self->inspector)
                                      : GTK_WIDGET (self->bottom_pane);
}

/* Shows the panels that the view's settings ask for and that fit. Without a model, panels about it would be empty frames around the start
 * page. */
void
ph_window_update_panels (PhWindow *self)
{
  const gboolean open = self->document && ph_document_is_open (self->document);

  for (guint i = 0; i < G_N_ELEMENTS (panels) && self->document; i++)
    {
      GtkWidget *panel = panel_of (self, panels[i]);
      gtk_widget_set_visible (panel, ph_view_state_is_on (ph_document_get_view (self->document), panels[i])
                                         && (open || panel == GTK_WIDGET (self->bottom_pane)));
    }
}

static void
on_view (PhWindow *self, PhViewField field, PhViewState *view)
{
  if (!ph_view_row (field)->of_window)
    return;
  if (field != PH_VIEW_PAGE && !self->folding)
    ph_fit_bin_touch (self->fit_bin, panel_of (self, field), ph_view_state_is_on (view, field));
  ph_window_update_panels (self);
}

/* A panel was hidden for lack of room, or shown again. The user did not ask for it, so the console gets no line. */
void
ph_window_on_folded (PhWindow *self, GtkWidget *widget, gboolean folded)
{
  const char *const words[] = { folded ? "off" : "on", NULL };

  self->folding = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (panels) && self->document; i++)
    if (panel_of (self, panels[i]) == widget)
      ph_view_state_set (ph_document_get_view (self->document), panels[i], words, NULL);
  self->folding = FALSE;
  ph_window_update_panels (self);
}

/* Somebody dragged the edge, unless there is less room now, or it is back where it was put. */
void
ph_window_on_side_moved (PhWindow *self, GParamSpec *property, GtkPaned *paned)
{
  int most;

  g_object_get (paned, "max-position", &most, NULL);
  if (most == self->side_most && gtk_paned_get_position (paned) != self->side_set)
    self->side_width = self->side_set = gtk_paned_get_position (paned);
}

/* The pipeline's panel gets back the width that it had to give up. */
void
ph_window_share_width (PhWindow *self, GParamSpec *property, GtkPaned *paned)
{
  g_object_get (paned, "max-position", &self->side_most, NULL);
  self->side_set = MIN (self->side_width, self->side_most);
  gtk_paned_set_position (paned, self->side_set);
}

/* Gives the bottom pane a quarter of a high window, unless the user dragged the edge. */
void
ph_window_share_height (PhWindow *self, GParamSpec *property, GtkPaned *paned)
{
  int lowest, least;

  g_object_get (paned, "max-position", &lowest, NULL);
  gtk_widget_measure (GTK_WIDGET (self->bottom_pane), GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
  const int room = lowest + least;
  if (self->bottom_height > 0 && room - gtk_paned_get_position (paned) != self->bottom_height)
    return;
  self->bottom_height = MAX (least, room / 4);
  gtk_paned_set_position (paned, room - self->bottom_height);
}

void
ph_window_follow_view (PhWindow *self, PhDocument *before)
{
  PhViewState *view = ph_document_get_view (self->document);

  for (guint field = 0; field < PH_N_VIEW_FIELDS && before; field++)
    {
      const char *const words[] = { ph_view_state_word (ph_document_get_view (before), field), NULL };
      if (ph_view_row (field)->of_window
          && ph_view_state_get (view, field) != ph_view_state_get (ph_document_get_view (before), field))
        ph_view_state_set (view, field, words, NULL);
    }
  g_signal_connect_swapped (view, "changed", G_CALLBACK (on_view), self);
}

void
ph_window_set_panel (PhWindow *self, PhViewField field, gboolean shown)
{
  const char *const words[] = { shown ? "on" : "off", NULL };

  ph_view_state_set (ph_document_get_view (self->document), field, words, NULL);
  ph_fit_bin_touch (self->fit_bin, panel_of (self, field), shown);
}

gboolean
ph_window_wants_panel (PhWindow *self, PhViewField field)
{
  return ph_fit_bin_is_folded (self->fit_bin, panel_of (self, field))
         || (self->document && ph_view_state_is_on (ph_document_get_view (self->document), field));
}

void
ph_window_show_bottom (PhWindow *self, const char *page)
{
  const char *const words[] = { page, NULL };

  ph_window_set_panel (self, PH_VIEW_BOTTOM, TRUE);
  ph_view_state_set (ph_document_get_view (self->document), PH_VIEW_PAGE, words, NULL);
}
