/* style-color.c: the style's colours for custom drawing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/style-color.h"

#include <adwaita.h>

GdkRGBA
ph_style_color (GtkWidget *widget, const char *name, double alpha)
{
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  GdkRGBA color;

  if (!name || !gtk_style_context_lookup_color (style, name, &color))
    gtk_style_context_get_color (style, &color);
  color.alpha *= (float) alpha;
  return color;
}

PhTheme
ph_style_theme (void)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  const gboolean dark = adw_style_manager_get_dark (style);

  if (adw_style_manager_get_high_contrast (style))
    return dark ? PH_THEME_HIGH_CONTRAST_DARK : PH_THEME_HIGH_CONTRAST;
  return dark ? PH_THEME_DARK : PH_THEME_LIGHT;
}
