/* change-pill.h: goes to what a step changed while nothing of it is seen, or says where it is; a click goes there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_CHANGE_PILL (ph_change_pill_get_type ())
G_DECLARE_FINAL_TYPE (PhChangePill, ph_change_pill, PH, CHANGE_PILL, GtkWidget)

/* To lie over @canvas, at the side where the changes are. Shows and hides itself. Property: follow (gboolean): to go there
 * without being asked, when a step was made; TRUE at first. */
GtkWidget *ph_change_pill_new (PhGraphCanvas *canvas);

G_END_DECLS
