/* access-names.h: names for a screen reader, from what is said to those who see.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Whatever is below @root, which was just made: a button without text is called by its tooltip, an entry by what stands in it while it is
 * empty. GTK 4.8 would call the one GtkImage and the other GtkSearchEntry. */
void ph_access_name_all (GtkWidget *root);
/* The row of a list that @content is the child of is called what its labels say. */
void ph_access_name_row (GtkWidget *content);
/* Tab and Shift+Tab leave the list: its rows are for the arrows. GTK 4.8 goes on to the next row, and at some stays for ever. */
void ph_access_tab_leaves (GtkWidget *list);
void ph_access_set_name (GtkWidget *widget, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
