/* tooltip.c: a tooltip that costs nothing until the pointer is over its widget.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/tooltip.h"

#define KEY "ph-tooltip"

static gboolean
on_query (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer data)
{
  const char *text = g_object_get_data (G_OBJECT (widget), KEY);

  if (text)
    gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

void
ph_tooltip_set (GtkWidget *widget, const char *text)
{
  const char *before = g_object_get_data (G_OBJECT (widget), KEY);

  g_return_if_fail (GTK_IS_WIDGET (widget));
  if (g_strcmp0 (before, text) == 0)
    return;
  g_object_set_data_full (G_OBJECT (widget), KEY, g_strdup (text), g_free);
  if (g_signal_handler_find (widget, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, on_query, NULL) == 0)
    g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query), NULL);
  gtk_widget_set_has_tooltip (widget, text != NULL);
  if (text)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}
