/* trail-bar.h: the way into what the picture shows, as buttons that lead out again; hidden while it shows the whole model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_TRAIL_BAR (ph_trail_bar_get_type ())
G_DECLARE_FINAL_TYPE (PhTrailBar, ph_trail_bar, PH, TRAIL_BAR, GtkWidget)

/* Signal: leave (guint levels)     a button was clicked */
void ph_trail_bar_set_document (PhTrailBar *bar, PhDocument *document);

G_END_DECLS
