/* tooltip.h: a tooltip that costs nothing until somebody points at its widget.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For rows of lists and what changes as one steps: GTK's own way asks the display where the pointer is at each call, some milliseconds
 * for a list of rows. @text: (nullable); it is also the widget's description for a screen reader. */
void ph_tooltip_set (GtkWidget *widget, const char *text);

G_END_DECLS
