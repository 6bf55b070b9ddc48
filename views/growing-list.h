/* growing-list.h: a list model in front of another that gives a list view its first rows, and the others a little later.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* GtkListView makes some two hundred rows for what it is given at once, seen or not, and measures each: a tenth of a second. */
#define PH_TYPE_GROWING_LIST (ph_growing_list_get_type ())
G_DECLARE_FINAL_TYPE (PhGrowingList, ph_growing_list, PH, GROWING_LIST, GObject)

PhGrowingList *ph_growing_list_new (GListModel *source);
/* Gives all of it now if @position is not given yet. */
void ph_growing_list_reach (PhGrowingList *list, guint position);

G_END_DECLS
