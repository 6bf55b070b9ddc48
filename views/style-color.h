/* style-color.h: the colours of the style, for what paints itself.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/draw/theme.h"

G_BEGIN_DECLS

/* The colour that the style calls @name, its opacity times @alpha (0 to 1). @name: NULL, or one that it does not have: that of text. */
GdkRGBA ph_style_color (GtkWidget *widget, const char *name, double alpha);

PhTheme ph_style_theme (void); /* of pictures that are drawn as they are in files */

G_END_DECLS
