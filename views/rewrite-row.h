/* rewrite-row.h: one row of the list of rewrites.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"
#include "views/rewrite-list.h"

G_BEGIN_DECLS

#define PH_TYPE_REWRITE_ROW (ph_rewrite_row_get_type ())
G_DECLARE_FINAL_TYPE (PhRewriteRow, ph_rewrite_row, PH, REWRITE_ROW, GtkWidget)

GtkWidget *ph_rewrite_row_new (void);
void ph_rewrite_row_bind (PhRewriteRow *row, PhConsole *console, PhRewriteItem *item); /* (nullable) unbinds */
PhRewriteItem *ph_rewrite_row_get_item (PhRewriteRow *row);                            /* (nullable) */

G_END_DECLS
