/* terminal-colors.c: colours of a terminal that follow the window's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/terminal-colors.h"

/* The eight colours of ANSI, readable on the window's own background: deep on light, bright on dark. */
static const char *const ansi_light[] = {
  "#241f31", "#c01c28", "#1b7a4b", "#8f5f00", "#1a5fb4", "#813d9c", "#0b6e83", "#77767b",
};
static const char *const ansi_dark[] = {
  "#5e5c64", "#ff7b63", "#8ff0a4", "#f8e45c", "#78aeed", "#dc8add", "#7de2e8", "#f6f5f4",
};

void
ph_terminal_colors_apply (VteTerminal *terminal)
{
  GdkRGBA foreground, background, palette[G_N_ELEMENTS (ansi_light)];
  gboolean dark;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (terminal)), &foreground);
  dark = foreground.red + foreground.green + foreground.blue > 1.5;
  /* Transparent, so that the window shows through; but selected and reversed text is written in this colour. */
  background = dark ? (GdkRGBA) { 0, 0, 0, 0 } : (GdkRGBA) { 1, 1, 1, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (palette); i++)
    gdk_rgba_parse (&palette[i], dark ? ansi_dark[i] : ansi_light[i]);
  vte_terminal_set_colors (terminal, &foreground, &background, palette, G_N_ELEMENTS (palette));
}
