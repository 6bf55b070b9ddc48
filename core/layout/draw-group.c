/* draw-group.c: groups, open and closed, near and far.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/draw-private.h"

guint64
ph_hash_group (PhScene *scene, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhTenant *tenant = box->kind == PH_BOX_NODE ? ph_scene_tenant (scene, index, options->time) : NULL;
  guint added = 0, removed = 0, changed = 0;
  guint64 hash = ph_hash_mix (index, tenant != NULL ? GPOINTER_TO_SIZE (ph_scene_face (scene, tenant, options->time)) : 0);

  if (options->since != options->time)
    ph_scene_count_changes (scene, index, options->since, options->time, &added, &removed, &changed);
  if (options->paint != NULL)
    {
      const PhColor color = ph_paint_color (options->paint, index, options->theme);

      hash = ph_hash_point (hash, color.red, color.green);
      hash = ph_hash_point (hash, color.blue, color.alpha);
    }
  return ph_hash_mix (ph_hash_mix (hash, added), (guint64) removed << 32 | changed);
}

void
ph_draw_group (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhRect *rect = &box->rect;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  const PhTenant *tenant = box->kind == PH_BOX_NODE ? ph_scene_tenant (scene, index, options->time) : NULL;
  const char *title = box->title != NULL ? box->title : tenant != NULL ? ph_scene_face (scene, tenant, options->time)->title : "";
  /* Blocks that are alike share a tint. */
  static const PhFamily tints[] = { PH_FAMILY_LINEAR, PH_FAMILY_NORM, PH_FAMILY_ACTIVATION, PH_FAMILY_POOL, PH_FAMILY_ARITHMETIC };
  /* A measure goes before: a closed group has the colour of what is inside. */
  const gboolean painted = options->paint != NULL && !box->open && ph_paint_mode (options->paint) != PH_COLOR_FAMILY;
  const PhColor tint = painted ? ph_paint_color (options->paint, index, options->theme)
                     : box->pattern > 0 ? ph_family_color (tints[(box->pattern - 1) % G_N_ELEMENTS (tints)], options->theme) : text;
  guint added = 0, removed = 0, changed = 0;

  if (options->since != options->time)
    ph_scene_count_changes (scene, index, options->since, options->time, options->side == PH_SIDE_BEFORE ? &removed : &added,
                            options->side == PH_SIDE_BEFORE ? &added : &removed, &changed);
  if (options->side == PH_SIDE_BEFORE)
    added = 0;
  else if (options->side == PH_SIDE_AFTER)
    removed = 0;
  if (!box->open && box->pattern > 0 && options->scale >= PH_FAR_SCALE)
    for (int i = 2; i > 0; i--)
      {
        const PhRect behind = { rect->x + 4 * i, rect->y + 4 * i, rect->width, rect->height };

        ph_ink_round (cr, &behind, 10);
        ph_set_color (cr, ph_mix (background, tint, 0.08));
        cairo_fill_preserve (cr);
        ph_set_color (cr, ph_mix (background, tint, 0.35));
        cairo_set_line_width (cr, 1);
        cairo_stroke (cr);
      }
  ph_ink_round (cr, rect, 10);
  ph_set_color (cr, ph_mix (background, tint, box->open ? 0.05 : painted ? 0.35 : 0.14));
  cairo_fill_preserve (cr);
  ph_set_color (cr, ph_mix (background, tint, box->open ? 0.25 : painted ? 0.9 : 0.6));
  cairo_set_line_width (cr, MAX (1.2, 0.8 / options->scale));
  cairo_stroke (cr);
  if (options->scale < PH_FAR_SCALE)
    {
      /* From afar the title is what is left to read, as large as fits. */
      const double size = MIN (12 / options->scale, box->open ? rect->height / 6 : rect->height * 0.7);

      if (size * options->scale >= 6)
        {
          cairo_save (cr);
          cairo_translate (cr, rect->x + (box->open ? 10 : rect->width / 2), rect->y + (box->open ? size * 0.8 : rect->height / 2));
          cairo_scale (cr, size / 19, size / 19);
          ph_set_color (cr, ph_mix (background, text, 0.85));
          ph_ink_show (cr, ink, PH_INK_BIG, title, 0, 0, box->open ? 0 : 0.5, (rect->width - 16) / (size / 19));
          cairo_restore (cr);
        }
    }
  else if (box->open)
    {
      ph_set_color (cr, ph_mix (background, text, 0.75));
      ph_ink_show (cr, ink, PH_INK_TITLE, title, rect->x + 12, rect->y + 15, 0, rect->width - 24);
    }
  else
    {
      ph_set_color (cr, ph_mix (background, text, 0.95));
      ph_ink_show (cr, ink, PH_INK_TITLE, title, rect->x + rect->width / 2, rect->y + rect->height / 2 - 9, 0.5, rect->width - 20);
      ph_set_color (cr, ph_mix (background, text, 0.62));
      if (box->detail != NULL)
        ph_ink_show (cr, ink, PH_INK_TEXT, box->detail, rect->x + rect->width / 2, rect->y + rect->height / 2 + 11, 0.5, rect->width - 20);
    }
  if (added + removed + changed > 0 && options->scale >= PH_FAR_SCALE)
    {
      const guint counts[3] = { added, removed, changed };
      static const PhChange changes[3] = { PH_CHANGE_ADDED, PH_CHANGE_REMOVED, PH_CHANGE_CHANGED };
      static const char *const signs[3] = { "+", "−", "~" };
      double x = rect->x + rect->width - 6;

      for (int i = 2; i >= 0; i--)
        if (counts[i] > 0)
          {
            g_autofree char *label = g_strdup_printf ("%s%u", signs[i], counts[i]);

            ph_set_color (cr, ph_theme_change (options->theme, changes[i]));
            x -= ph_ink_show (cr, ink, PH_INK_TITLE, label, x, rect->y + (box->open ? 15 : 9), 1, 0) + 7;
          }
    }
}
