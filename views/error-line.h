/* error-line.h: how large the differences of two positions' values are, from the first value to the last, as bars.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/prove/along.h"

G_BEGIN_DECLS

#define PH_TYPE_ERROR_LINE (ph_error_line_get_type ())
G_DECLARE_FINAL_TYPE (PhErrorLine, ph_error_line, PH, ERROR_LINE, GtkWidget)

/* Reads @along (nullable) now and keeps nothing of it. A click emits value-chosen (guint index): the worst value of that bar. */
void ph_error_line_set_along (PhErrorLine *line, const PhAlong *along);
/* Marks the bar of the value @index; G_MAXUINT: none. */
void ph_error_line_set_selected (PhErrorLine *line, guint index);
/* For tests: the middle of the bar that has the value. */
float ph_error_line_get_x (PhErrorLine *line, guint index);

G_END_DECLS
