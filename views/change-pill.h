/* change-pill.h: says where a step changed something while nothing of it is seen; a click goes there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_CHANGE_PILL (ph_change_pill_get_type ())
G_DECLARE_FINAL_TYPE (PhChangePill, ph_change_pill, PH, CHANGE_PILL, GtkWidget)

/* To lie over @canvas, at the side where the changes are. Shows and hides itself. */
GtkWidget *ph_change_pill_new (PhGraphCanvas *canvas);

G_END_DECLS
