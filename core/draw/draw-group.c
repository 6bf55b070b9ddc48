/* draw-group.c: groups, open and closed, near and far.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

#include <string.h>

#define NORMAL   13.0 /* of a title, in points at zoom 1                */
#define READABLE 11.0 /* pixels that a title needs on the screen        */
#define SMALLEST 6.0  /* and below which it is nothing but grey         */

static const char *
title_of (PhScene *scene, int box, int time)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhTenant *tenant = at->kind == PH_BOX_NODE ? ph_scene_tenant (scene, box, time) : NULL;

  return at->title != NULL ? at->title : tenant != NULL ? ph_scene_face (scene, tenant, time)->title : "";
}

/* Returns a group's name without its contents, for a small scale: "Bottleneck 3: Conv-BN-Relu". (transfer full) */
static char *
short_title (const char *title)
{
  const char *colon = strstr (title, ": ");

  return colon != NULL ? g_strndup (title, colon - title) : g_strdup (title);
}

/* Draws @text, @size points high, from @x on or, for @at 0.5, centred at @x. Returns its width. */
static double
show_sized (cairo_t *cr, PhInk *ink, const char *text, double x, double y, double at, double size, double room)
{
  double width;

  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, size / NORMAL, size / NORMAL);
  width = ph_ink_show_short (cr, ink, PH_INK_TITLE, text, 0, 0, at, room * NORMAL / size);
  cairo_restore (cr);
  return width * size / NORMAL;
}

/* Draws the title, which grows as the picture shrinks until it fills the box and replaces the line below. */
static void
draw_closed_title (cairo_t *cr, PhInk *ink, PhScene *scene, int index, const char *title, PhColor plate,
                   const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhRect *rect = &box->rect;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  const gboolean detailed = options->scale >= PH_NEAR_SCALE && box->n_alike > 0;
  const double size = MAX (NORMAL, MIN ((READABLE + 2) / options->scale, rect->height * 0.62));
  g_autofree char *name = detailed ? NULL : short_title (title);

  if (size * options->scale < SMALLEST)
    return;
  ph_set_color (cr, ph_readable (ph_mix (background, text, 0.95), plate));
  if (!detailed)
    {
      show_sized (cr, ink, name, rect->x + rect->width / 2, rect->y + rect->height / 2, 0.5, size, rect->width - 12);
      return;
    }
  ph_ink_show_short (cr, ink, PH_INK_TITLE, title, rect->x + rect->width / 2, rect->y + rect->height / 2 - 9, 0.5,
                     rect->width - 20);
  g_autofree char *detail = ph_scene_group_text (scene, index, options->side == PH_SIDE_BEFORE ? options->since : options->time);
  ph_set_color (cr, ph_readable (ph_mix (background, text, 0.62), plate));
  ph_ink_show (cr, ink, PH_INK_TEXT, detail, rect->x + rect->width / 2, rect->y + rect->height / 2 + 11, 0.5, rect->width - 20);
}

/* Finds the place of an open group's title. Returns FALSE if it has no room, or overlaps the title of an enclosing group. */
static gboolean
title_place (PhScene *scene, int index, const PhDrawOptions *options, PhInk *ink, PhRect *place, double *size)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  g_autofree char *name = short_title (title_of (scene, index, options->time));
  const double least = READABLE / options->scale;
  double width, height;

  *size = MAX (NORMAL, MIN (least, MIN (box->rect.height / 5, box->rect.width / 5)));
  if (*size * options->scale < SMALLEST + 1)
    return FALSE;
  ph_ink_size (ink, PH_INK_TITLE, name, &width, &height);
  width = MIN (width * *size / NORMAL, box->rect.width - 12);
  /* It grows upwards, away from the first boxes of the group. */
  *place = (PhRect) { box->rect.x + 6, box->rect.y + MAX (15 + 0.75 * NORMAL - 1.5 * *size, 0), width + 10, 1.5 * *size };
  for (int up = box->parent; up >= 0; up = ph_scene_box (scene, up)->parent)
    {
      PhRect other;
      double other_size;

      if (title_place (scene, up, options, ink, &other, &other_size) && ph_rect_touches (place, &other))
        return FALSE;
    }
  return TRUE;
}

void
ph_draw_group_title (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  const char *title = title_of (scene, index, options->time);
  g_autofree char *name = short_title (title);
  PhRect place;
  double size;

  if (!title_place (scene, index, options, ink, &place, &size))
    return;
  /* Lines and, from afar, boxes run below it. */
  ph_ink_round (cr, &place, 0.4 * size);
  ph_set_color (cr, (PhColor) { background.red, background.green, background.blue, 0.82 });
  cairo_fill (cr);
  ph_set_color (cr, ph_mix (background, text, 0.8));
  show_sized (cr, ink, size > NORMAL ? name : title, place.x + 5, place.y + place.height / 2, 0, size,
              size > NORMAL ? place.width - 8 : ph_scene_box (scene, index)->rect.width - 24);
}

guint64
ph_hash_group (PhScene *scene, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhTenant *tenant = box->kind == PH_BOX_NODE ? ph_scene_tenant (scene, index, options->time) : NULL;
  guint added = 0, removed = 0, changed = 0;
  guint64 hash = ph_hash_mix (index, tenant != NULL ? GPOINTER_TO_SIZE (ph_scene_face (scene, tenant, options->time)) : 0);

  if (box->kind == PH_BOX_GROUP && !box->open)
    hash = ph_hash_mix (hash,
                        ph_scene_count_present (scene, index, options->side == PH_SIDE_BEFORE ? options->since : options->time));
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

/* Draws a count on a plate on the upper border, where it covers no title. Returns its width. */
static double
draw_count (cairo_t *cr, PhInk *ink, PhTheme theme, const char *label, PhChange change, double right, double y)
{
  const PhColor background = ph_theme_background (theme), tone = ph_theme_change (theme, change);
  double width, height;
  PhRect plate;

  ph_ink_size (ink, PH_INK_TITLE, label, &width, &height);
  plate = (PhRect) { right - width - 8, y - 9, width + 8, 15 };
  ph_ink_round (cr, &plate, 7);
  ph_set_color (cr, ph_mix (background, tone, 0.1));
  cairo_fill_preserve (cr);
  ph_set_color (cr, tone);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  ph_set_color (cr, ph_readable (tone, ph_mix (background, tone, 0.1)));
  ph_ink_show (cr, ink, PH_INK_TITLE, label, plate.x + plate.width / 2, plate.y + plate.height / 2, 0.5, 0);
  return plate.width;
}

void
ph_draw_group (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhRect *rect = &box->rect;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  /* Blocks that are alike share a tint. */
  static const PhFamily tints[] = { PH_FAMILY_LINEAR, PH_FAMILY_NORM, PH_FAMILY_ACTIVATION, PH_FAMILY_POOL,
                                    PH_FAMILY_ARITHMETIC };
  /* A measure has priority: a closed group takes the colour of its contents. */
  const gboolean painted = options->paint != NULL && !box->open && ph_paint_mode (options->paint) != PH_COLOR_FAMILY;
  const PhColor tint = painted            ? ph_paint_color (options->paint, index, options->theme)
                       : box->pattern > 0 ? ph_family_color (tints[(box->pattern - 1) % G_N_ELEMENTS (tints)], options->theme)
                                          : text;
  const PhColor plate = ph_mix (background, tint, box->open ? 0.05 : painted ? 0.35 : 0.14);
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
  ph_set_color (cr, plate);
  cairo_fill_preserve (cr);
  ph_set_color (cr, ph_mix (background, tint, box->open ? 0.25 : painted ? 0.9 : 0.6));
  cairo_set_line_width (cr, MAX (1.2, 0.8 / options->scale));
  cairo_stroke (cr);
  if (!box->open)
    draw_closed_title (cr, ink, scene, index, title_of (scene, index, options->time), plate, options);
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

            x -= draw_count (cr, ink, options->theme, label, changes[i], x, rect->y) + 3;
          }
    }
}
