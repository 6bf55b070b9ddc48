/* draw-group.c: groups, open and closed, near and far.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

#include <string.h>

#define NORMAL   13.0 /* of a title, in points at zoom 1                */
#define READABLE 11.0 /* pixels that a title needs on the screen        */
#define SMALLEST 6.0  /* and below which it is nothing but grey         */

/* Finds the frame of a group, and what happened to it: a block came, went, or was joined with others. Returns FALSE if it has none at the
 * times that are drawn. */
static gboolean
frame_of (PhScene *scene, int box, const PhDrawOptions *options, PhGroupState *frame, PhChange *change)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhTenant *tenant = at->kind == PH_BOX_NODE ? ph_scene_tenant (scene, box, options->time) : NULL;
  const gboolean after = ph_scene_group_at (scene, box, options->time, frame, NULL);
  PhGroupState was;

  *change = PH_CHANGE_NONE;
  if (frame->title == NULL)
    frame->title = tenant != NULL ? ph_scene_face (scene, tenant, options->time)->title : "";
  if (at->n_states == 0 || options->since == options->time || options->side != PH_SIDE_BOTH)
    return after;

  const gboolean before = ph_scene_group_at (scene, box, options->since, &was, NULL), same = was.title == frame->title;

  /* What is in a frame around several groups, before or after, is the block that it says: only another one goes or comes. */
  if (after)
    *change = !before && !same                                                              ? PH_CHANGE_ADDED
              : !same || (before && memcmp (&was.rect, &frame->rect, sizeof was.rect) != 0) ? PH_CHANGE_CHANGED
                                                                                            : PH_CHANGE_NONE;
  else if (before && !same)
    {
      *change = PH_CHANGE_REMOVED;
      *frame = was;
      return TRUE;
    }
  return after;
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
  g_autofree char *detail = ph_scene_group_text (scene, index, options->time);
  ph_set_color (cr, ph_readable (ph_mix (background, text, 0.62), plate));
  ph_ink_show (cr, ink, PH_INK_TEXT, detail, rect->x + rect->width / 2, rect->y + rect->height / 2 + 11, 0.5, rect->width - 20);
}

/* Finds the place of an open group's title. Returns FALSE if it has no room, or overlaps the title of an enclosing group. */
static gboolean
title_place (PhScene *scene, int index, const PhDrawOptions *options, PhInk *ink, PhGroupState *frame, PhChange *change,
             PhRect *place, double *size)
{
  const double least = READABLE / options->scale;
  double width, height;

  if (!frame_of (scene, index, options, frame, change) || frame->band.width > 0)
    return FALSE;
  g_autofree char *name = short_title (frame->title);
  *size = MAX (NORMAL, MIN (least, MIN (frame->rect.height / 5, frame->rect.width / 5)));
  if (*size * options->scale < SMALLEST + 1)
    return FALSE;
  ph_ink_size (ink, PH_INK_TITLE, name, &width, &height);
  width = MIN (width * *size / NORMAL, frame->rect.width - 12);
  /* It grows upwards, away from the first boxes of the group. */
  *place = (PhRect) { frame->rect.x + 6, frame->rect.y + MAX (15 + 0.75 * NORMAL - 1.5 * *size, 0), width + 10, 1.5 * *size };
  for (int up = ph_scene_box (scene, index)->parent; up >= 0; up = ph_scene_box (scene, up)->parent)
    {
      PhGroupState above;
      PhChange of_above;
      PhRect other;
      double other_size;

      if (title_place (scene, up, options, ink, &above, &of_above, &other, &other_size) && ph_rect_touches (place, &other))
        return FALSE;
    }
  return TRUE;
}

void
ph_draw_group_title (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  PhGroupState frame;
  PhChange change;
  PhRect place;
  double size;

  if (!title_place (scene, index, options, ink, &frame, &change, &place, &size))
    return;
  g_autofree char *name = short_title (frame.title);
  /* Lines and, from afar, boxes run below it. */
  ph_ink_round (cr, &place, 0.4 * size);
  ph_set_color (cr, (PhColor) { background.red, background.green, background.blue, 0.82 });
  cairo_fill (cr);
  ph_set_color (cr, change == PH_CHANGE_REMOVED ? ph_theme_change (options->theme, change) : ph_mix (background, text, 0.8));
  show_sized (cr, ink, size > NORMAL ? name : frame.title, place.x + 5, place.y + place.height / 2, 0, size,
              size > NORMAL ? place.width - 8 : frame.rect.width - 24);
}

guint64
ph_hash_group (PhScene *scene, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhTenant *tenant = box->kind == PH_BOX_NODE ? ph_scene_tenant (scene, index, options->time) : NULL;
  guint added = 0, removed = 0, changed = 0;
  guint64 hash = ph_hash_mix (index, tenant != NULL ? GPOINTER_TO_SIZE (ph_scene_face (scene, tenant, options->time)) : 0);
  PhGroupState frame;
  PhChange change;

  if (!frame_of (scene, index, options, &frame, &change))
    return hash;
  hash = ph_hash_mix (hash, (guint64) frame.time << 8 | change);
  if (box->kind == PH_BOX_GROUP && !box->open)
    hash = ph_hash_mix (hash, ph_scene_count_present (scene, index, options->time));
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

/* Draws how many nodes in the group were added, removed and changed. */
static void
draw_counts (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options, const PhRect *rect)
{
  guint added = 0, removed = 0, changed = 0;

  if (options->since == options->time || options->scale < PH_FAR_SCALE)
    return;
  ph_scene_count_changes (scene, index, options->since, options->time, options->side == PH_SIDE_BEFORE ? &removed : &added,
                          options->side == PH_SIDE_BEFORE ? &added : &removed, &changed);
  if (options->side == PH_SIDE_BEFORE)
    added = 0;
  else if (options->side == PH_SIDE_AFTER)
    removed = 0;

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

static void
set_border (cairo_t *cr, const PhDrawOptions *options, PhChange change, PhColor color)
{
  ph_set_color (cr, change != PH_CHANGE_NONE ? ph_theme_change (options->theme, change) : color);
  cairo_set_line_width (cr, change != PH_CHANGE_NONE ? MAX (2, 1.2 / options->scale) : MAX (1.2, 0.8 / options->scale));
  if (change == PH_CHANGE_REMOVED)
    cairo_set_dash (cr, (double[]) { 6, 4 }, 2, 0);
}

/* Draws the band that joins two frames over the borders of both, and opens them to each other. */
static void
draw_band (cairo_t *cr, const PhRect *rect, const PhRect *band, PhChange change, const PhDrawOptions *options)
{
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  const gboolean down = band->y >= rect->y + rect->height - 1 || band->y + band->height <= rect->y + 1;

  set_border (cr, options, change, ph_mix (background, text, 0.25));
  for (int side = 0; side < 2; side++)
    if (down)
      {
        cairo_move_to (cr, band->x + side * band->width, band->y);
        cairo_rel_line_to (cr, 0, band->height);
      }
    else
      {
        cairo_move_to (cr, band->x, band->y + side * band->height);
        cairo_rel_line_to (cr, band->width, 0);
      }
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);

  const double over = MAX (2, 1.2 / options->scale) / 2 + 0.2;

  cairo_rectangle (cr, band->x - (down ? 0 : over), band->y - (down ? over : 0), band->width + (down ? 0 : 2 * over),
                   band->height + (down ? 2 * over : 0));
  ph_set_color (cr, ph_mix (background, text, 0.05));
  cairo_fill (cr);
}

void
ph_draw_group_top (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  PhGroupState frame;
  PhChange change;

  if (!frame_of (scene, index, options, &frame, &change))
    return;
  if (frame.band.width > 0)
    draw_band (cr, &frame.rect, &frame.band, change, options);
  draw_counts (scene, cr, ink, index, options, &frame.rect);
}

PhFamily
ph_draw_group_tint (const PhSceneBox *box)
{
  static const PhFamily tints[] = { PH_FAMILY_LINEAR, PH_FAMILY_NORM, PH_FAMILY_ACTIVATION, PH_FAMILY_POOL,
                                    PH_FAMILY_ARITHMETIC };

  return tints[(box->pattern - 1) % G_N_ELEMENTS (tints)];
}

void
ph_draw_group (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  PhGroupState frame;
  PhChange change;
  const gboolean there = frame_of (scene, index, options, &frame, &change);
  const PhRect *rect = &frame.rect;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  /* A measure has priority: a closed group takes the colour of its contents. */
  const gboolean painted = options->paint != NULL && !box->open && ph_paint_mode (options->paint) != PH_COLOR_FAMILY;
  const PhColor tint = painted                                  ? ph_paint_color (options->paint, index, options->theme)
                       : box->pattern > 0 && box->n_states == 0 ? ph_family_color (ph_draw_group_tint (box), options->theme)
                                                                : text;
  const PhColor plate = ph_mix (background, tint, box->open ? 0.05 : painted ? 0.35 : 0.14);

  if (!there)
    return;
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
  set_border (cr, options, change, ph_mix (background, tint, box->open ? 0.25 : painted ? 0.9 : 0.6));
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  if (!box->open)
    {
      draw_closed_title (cr, ink, scene, index, frame.title, plate, options);
      draw_counts (scene, cr, ink, index, options, rect);
    }
}
