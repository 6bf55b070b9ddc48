/* draw-marks.c: marks that a window draws on top of boxes: breakpoints, and how many nodes continue beyond a part of the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

#include <math.h>

#define STOP_RADIUS 8   /* scene points ...                                     */
#define STOP_LEAST  4.5 /* ... but so many pixels at least, however far away    */
#define MORE_HEIGHT 17

/* At the lower left, since the badge of a change is at the top. At a small scale it grows and covers the box. */
void
ph_scene_draw_stop (PhScene *scene, cairo_t *cr, int box, const PhDrawOptions *options)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhRect card = at->kind == PH_BOX_GROUP ? at->rect : ph_scene_card (scene, box, options->time, options->since);
  const double r = MAX (STOP_RADIUS, STOP_LEAST / options->scale);
  const double x = card.x + (options->scale < PH_NEAR_SCALE ? 0 : 2), y = card.y + card.height;

  ph_set_color (cr, ph_theme_background (options->theme));
  cairo_arc (cr, x, y, r * 1.2, 0, 2 * G_PI);
  cairo_fill (cr);
  ph_set_color (cr, ph_theme_change (options->theme, PH_CHANGE_REMOVED));
  for (guint i = 0; i < 8; i++)
    cairo_line_to (cr, x + r * cos ((i + 0.5) * G_PI / 4), y + r * sin ((i + 0.5) * G_PI / 4));
  cairo_close_path (cr);
  cairo_fill (cr);
  if (r * options->scale < 3)
    return;
  ph_set_color (cr, ph_theme_background (options->theme));
  cairo_set_line_width (cr, r * 0.28);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_BUTT);
  for (int side = -1; side <= 1; side += 2)
    {
      cairo_move_to (cr, x + side * r * 0.28, y - r * 0.45);
      cairo_line_to (cr, x + side * r * 0.28, y + r * 0.45);
    }
  cairo_stroke (cr);
}

/* At the right end of the lower edge, beside the lines that leave in the middle. */
PhRect
ph_scene_more_rect (PhScene *scene, int box, guint n, const PhDrawOptions *options)
{
  const PhRect card = ph_scene_card (scene, box, options->time, options->since);
  const float width = n < 10 ? 34 : n < 100 ? 41 : n < 1000 ? 48 : 60;

  return (PhRect) { card.x + card.width - 6, card.y + card.height - MORE_HEIGHT / 2, width, MORE_HEIGHT };
}

/* Draws a dashed plate for the parts of the graph that are not shown. */
void
ph_scene_draw_more (PhScene *scene, cairo_t *cr, PhInk *ink, int box, guint n, gboolean hover, const PhDrawOptions *options)
{
  const PhRect plate = ph_scene_more_rect (scene, box, n, options);
  const PhColor background = ph_theme_background (options->theme), accent = ph_theme_accent (options->theme);

  ph_ink_round (cr, &plate, MORE_HEIGHT / 2.0);
  ph_set_color (cr, ph_mix (background, accent, hover ? 0.35 : 0.12));
  cairo_fill_preserve (cr);
  ph_set_color (cr, accent);
  cairo_set_line_width (cr, MAX (1.2, 0.8 / options->scale));
  cairo_set_dash (cr, (double[]) { 3, 2 }, 2, 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  if (options->scale >= PH_NEAR_SCALE)
    {
      g_autofree char *text = g_strdup_printf ("↓ +%u", n);

      ph_set_color (cr, ph_mix (accent, ph_theme_text (options->theme), 0.5));
      ph_ink_show (cr, ink, PH_INK_TEXT, text, plate.x + plate.width / 2, plate.y + plate.height / 2, 0.5, plate.width - 6);
    }
}
