/* change-strip.h: all changes of two texts side by side in a narrow strip, with what is seen of them; a click goes there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "views/text-diff.h"

G_BEGIN_DECLS

#define PH_TYPE_CHANGE_STRIP (ph_change_strip_get_type ())
G_DECLARE_FINAL_TYPE (PhChangeStrip, ph_change_strip, PH, CHANGE_STRIP, GtkWidget)

void ph_change_strip_set_adjustment (PhChangeStrip *strip, GtkAdjustment *adjustment); /* (nullable) */
/* Borrows @diff until it is told another. */
void ph_change_strip_set_diff (PhChangeStrip *strip, const PhTextDiff *diff); /* (nullable) */

G_END_DECLS
