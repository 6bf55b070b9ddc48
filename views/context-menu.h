/* context-menu.h: a menu at a point of a widget, gone when it is closed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @what: whose menu it is, for a screen reader. @x, @y: in @widget, which has a layout manager. Closes when the widget goes. */
void ph_context_menu_pop_up (GtkWidget *widget, GMenuModel *menu, const char *what, double x, double y);
/* @pressed (gesture, n, x, y, data) at the second button of the pointer. */
void ph_context_menu_on_secondary (GtkWidget *widget, GCallback pressed, gpointer data);
/* A new popover, (transfer full), that points at @at; likewise. */
void ph_context_popover_show (GtkWidget *popover, GtkWidget *widget, const GdkRectangle *at);
/* A new section at the end of @menu, which owns it. */
GMenu *ph_context_menu_section (GMenu *menu);

G_END_DECLS
