/* history-slider.h: the history as a line with two ends on it: where changes are counted from, and where the model stands.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

#define PH_TYPE_HISTORY_SLIDER (ph_history_slider_get_type ())
G_DECLARE_FINAL_TYPE (PhHistorySlider, ph_history_slider, PH, HISTORY_SLIDER, GtkWidget)

/* Moves by the commands `goto` and `compare`. Pointer: drag an end, by passes or with Shift by rewrites; a click goes there, one with
 * the second button counts changes from there; the wheel enlarges. Keys on an end: Left and Right by passes, with Shift by rewrites,
 * Page Up and Down, Home, End; Delete counts changes from the step before again. */
void ph_history_slider_set_console (PhHistorySlider *slider, PhConsole *console); /* (nullable) */
/* For tests: where @position is drawn. */
double ph_history_slider_get_x (PhHistorySlider *slider, PhPosition position);

G_END_DECLS
