/* context-menu.c: a menu at a point of a widget, destroyed when it closes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/context-menu.h"

#include "views/access-names.h"

static void
on_gone (GtkPopover *popover)
{
  gtk_widget_unparent (GTK_WIDGET (popover));
}

static gboolean
close_later (gpointer popover)
{
  on_gone (popover);
  return G_SOURCE_REMOVE;
}

/* The action of the chosen item runs after "closed". The focus returns to the widget that had it, unless another took it. */
static void
on_closed (GtkPopover *popover)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (popover));
  GtkWidget *before = g_object_get_data (G_OBJECT (popover), "focus"), *now = root ? gtk_root_get_focus (root) : NULL;

  if (before && gtk_widget_get_root (before) == root && (!now || gtk_widget_is_ancestor (now, GTK_WIDGET (popover))))
    gtk_widget_grab_focus (before);
  g_idle_add_full (G_PRIORITY_LOW, close_later, g_object_ref (popover), g_object_unref);
}

void
ph_context_popover_show (GtkWidget *popover, GtkWidget *widget, const GdkRectangle *at)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (widget));

  if (focus)
    g_object_set_data_full (G_OBJECT (popover), "focus", g_object_ref (focus), g_object_unref);
  gtk_widget_set_parent (popover, widget);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), at);
  g_signal_connect (popover, "closed", G_CALLBACK (on_closed), NULL);
  /* The widget may be destroyed while its menu is open. */
  g_signal_connect_object (widget, "unrealize", G_CALLBACK (on_gone), popover, G_CONNECT_SWAPPED);
  gtk_popover_popup (GTK_POPOVER (popover));
}

void
ph_context_menu_pop_up (GtkWidget *widget, GMenuModel *menu, const char *what, double x, double y)
{
  GtkWidget *popover = gtk_popover_menu_new_from_model (menu);

  ph_access_set_name (popover, "%s", what);
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  ph_context_popover_show (popover, widget, &(GdkRectangle) { (int) x, (int) y, 1, 1 });
}

GMenu *
ph_context_menu_section (GMenu *menu)
{
  GMenu *section = g_menu_new ();

  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
  g_object_unref (section);
  return section;
}

void
ph_context_menu_on_secondary (GtkWidget *widget, GCallback pressed, gpointer data)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", pressed, data);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
}
