/* legend.c: draws the legend of a picture's colours.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"

#define LINE       22.0
#define SWATCH     13.0
#define GAP        16.0 /* between entries */
#define BAR        320.0
#define BAR_HEIGHT 12.0

/* Draws, or only measures where @cr is NULL. */
static void
legend_flow (const PhPaint *paint, cairo_t *cr, PhInk *ink, PhTheme theme, double room, double *width, double *height)
{
  const PhColor background = ph_theme_background (theme), text = ph_theme_text (theme), dim = ph_mix (background, text, 0.66);
  const guint n = ph_paint_n_entries (paint), n_unknown = ph_paint_n_unknown (paint);
  double x = 0, y = LINE / 2, w, h;
  g_autofree char *first = NULL;
  float at;

  ph_ink_size (ink, PH_INK_TITLE, ph_paint_title (paint), &w, &h);
  if (cr != NULL)
    {
      ph_set_color (cr, text);
      ph_ink_show (cr, ink, PH_INK_TITLE, ph_paint_title (paint), 0, y, 0, 0);
    }
  *width = w;
  y += LINE;
  if (ph_paint_tick (paint, 0, &at, &first))
    {
      const double bar = room > 0 ? MIN (room, BAR) : BAR;
      double end = -GAP;

      for (int i = 0; cr != NULL && i < 64; i++)
        {
          ph_set_color (cr, ph_heat_color (i / 63.0f, theme));
          cairo_rectangle (cr, bar * i / 64, y - BAR_HEIGHT / 2, bar / 64 + 0.5, BAR_HEIGHT);
          cairo_fill (cr);
        }
      *width = MAX (*width, bar);
      y += LINE - 3;
      for (guint tick = 0;; tick++)
        {
          g_autofree char *label = NULL;
          double left;

          if (!ph_paint_tick (paint, tick, &at, &label))
            break;
          ph_ink_size (ink, PH_INK_TEXT, label, &w, &h);
          left = at * (bar - w);
          if (left < end + 10)
            continue;
          end = left + w;
          if (cr != NULL)
            {
              ph_set_color (cr, dim);
              ph_ink_show (cr, ink, PH_INK_TEXT, label, left, y, 0, 0);
            }
        }
      y += n_unknown > 0 ? LINE : 0;
    }
  for (guint i = 0; i < n + (n_unknown > 0); i++)
    {
      PhColor color = ph_none_color (theme);
      guint count = n_unknown;
      const char *name = i < n ? ph_paint_entry (paint, i, theme, &color, &count) : "unknown";
      g_autofree char *label = g_strdup_printf ("%s  %u", name, count);

      ph_ink_size (ink, PH_INK_TEXT, label, &w, &h);
      w += SWATCH + 6;
      if (x > 0 && room > 0 && x + w > room)
        {
          x = 0;
          y += LINE;
        }
      if (cr != NULL)
        {
          const PhRect swatch = { x, y - SWATCH / 2, SWATCH, SWATCH };

          ph_ink_round (cr, &swatch, 3);
          ph_set_color (cr, color);
          cairo_fill (cr);
          ph_set_color (cr, dim);
          ph_ink_show (cr, ink, PH_INK_TEXT, label, x + SWATCH + 6, y, 0, 0);
        }
      *width = MAX (*width, x + w);
      x += w + GAP;
    }
  y += LINE;
  ph_ink_size (ink, PH_INK_TEXT, ph_paint_drawn_by (paint), &w, &h);
  if (cr != NULL)
    {
      ph_set_color (cr, dim);
      ph_ink_show (cr, ink, PH_INK_TEXT, ph_paint_drawn_by (paint), 0, y, 0, 0);
    }
  *width = MAX (*width, w);
  *height = y + LINE / 2;
}

void
ph_paint_draw_legend (const PhPaint *paint, cairo_t *cr, PhInk *ink, PhTheme theme, double room)
{
  double width, height;

  legend_flow (paint, cr, ink, theme, room, &width, &height);
}

void
ph_paint_legend_size (const PhPaint *paint, PhInk *ink, double room, double *width, double *height)
{
  legend_flow (paint, NULL, ink, PH_THEME_LIGHT, room, width, height);
}
