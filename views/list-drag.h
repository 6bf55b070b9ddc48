/* list-drag.h: lists that do not scroll under what is dragged over them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* GtkListView scrolls while anything is dragged near its edge, and in GTK 4.8 goes on for ever when that is dropped there. */
void ph_list_lies_still (GtkListView *list);

G_END_DECLS
