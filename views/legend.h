/* legend.h: what the colours of the picture say, on top of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_LEGEND (ph_legend_get_type ())
G_DECLARE_FINAL_TYPE (PhLegend, ph_legend, PH, LEGEND, GtkWidget)

GtkWidget *ph_legend_new (PhGraphCanvas *canvas);

G_END_DECLS
