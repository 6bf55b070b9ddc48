/* slider-handle.h: one end of the range of a history slider; takes the keyboard and tells a screen reader where it is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PH_TYPE_SLIDER_HANDLE (ph_slider_handle_get_type ())
G_DECLARE_FINAL_TYPE (PhSliderHandle, ph_slider_handle, PH, SLIDER_HANDLE, GtkWidget)

GtkWidget *ph_slider_handle_new (const char *css_class, const char *label);

G_END_DECLS
