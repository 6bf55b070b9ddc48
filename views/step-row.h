/* step-row.h: one row of the pipeline list.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"
#include "views/step-item.h"

G_BEGIN_DECLS

#define PH_TYPE_STEP_ROW (ph_step_row_get_type ())
G_DECLARE_FINAL_TYPE (PhStepRow, ph_step_row, PH, STEP_ROW, GtkWidget)

GtkWidget *ph_step_row_new (void);
void ph_step_row_bind (PhStepRow *row, PhConsole *console, PhStepItem *item); /* (nullable) unbinds */
/* Draws a line where a dragged row would land: above (-1), below (1), none (0). */
void ph_step_row_set_drop (PhStepRow *row, int where);
PhStepItem *ph_step_row_get_item (PhStepRow *row); /* (nullable) */

G_END_DECLS
