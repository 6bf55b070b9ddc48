/* draw-notes.c: notes of a diff beside nodes: fusions, and the changed fields of a changed node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

#include <math.h>
#include <string.h>

#define NOTES_SCALE 0.3
#define LONG_NOTE   30 /* characters: a longer value is not shown */
#define ROOM        170
#define MAX_SOURCES 40 /* of one fused node that are tied to it         */

/* Shortens "inside n4 Relu 'a': attribute alpha" to "Relu alpha": the card's title and the list of the step show the rest. */
static char *
short_field (const char *field)
{
  const char *inner = g_str_has_prefix (field, "inside n") ? g_strrstr (field, ": ") : NULL;
  const char *name = inner != NULL ? inner + 2 : field, *op = inner != NULL ? strchr (field + strlen ("inside n"), ' ') : NULL;

  name += g_str_has_prefix (name, "attribute ") ? strlen ("attribute ") : 0;
  return op != NULL && op < inner ? g_strdup_printf ("%.*s %s", (int) strcspn (op + 1, " :"), op + 1, name) : g_strdup (name);
}

static char *
short_note (const PhFieldChange *field)
{
  const gsize length = (field->before != NULL ? strlen (field->before) : 0) + (field->after != NULL ? strlen (field->after) : 0);
  g_autofree char *name = short_field (field->field);

  if (field->tensor != NULL && field->tensor->count > 1)
    return g_strdup_printf ("%s: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT, name, field->tensor->changed, field->tensor->count);
  if (length > LONG_NOTE || field->before == NULL || field->after == NULL || g_str_equal (field->before, field->after))
    return g_steal_pointer (&name);
  return g_strdup_printf ("%s: %s → %s", name, field->before, field->after);
}

/* Returns TRUE if a line crosses @place, including the lead from its end to a card smaller than its place. */
static gboolean
line_touches (PhScene *scene, const PhSceneEdge *edge, const PhDrawOptions *options, const PhRect *place)
{
  const PhPoint *p = ph_scene_points (scene, edge), *last = p + edge->n_points - 1;
  const PhPoint tip = ph_draw_end_of (scene, edge->to, *last, last[-1], options->time, options->since);
  const PhRect lead = { MIN (tip.x, last->x), MIN (tip.y, last->y), fabsf (tip.x - last->x), fabsf (tip.y - last->y) };

  if (ph_rect_touches (&lead, place))
    return TRUE;
  for (guint k = 0; k + 3 < edge->n_points; k += 3)
    for (double t = 0; t <= 1; t += 0.05)
      {
        const PhPoint at = ph_curve_at (p + k, t);
        const PhRect point = { at.x, at.y, 0, 0 };

        if (ph_rect_touches (&point, place))
          return TRUE;
      }
  return FALSE;
}

/* Estimates how much a plate at @place would hide: boxes, pills, and ends of lines. */
static guint
count_hidden (PhScene *scene, const PhDrawOptions *options, const PhRect *place, int box)
{
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
  const PhRect around = { place->x, place->y, place->width + ROOM, place->height };
  guint hidden = 0;

  ph_scene_boxes_in (scene, &around, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int other = g_array_index (near, int, i);
      const PhSceneBox *at = ph_scene_box (scene, other);

      if (at->open
          || (at->n_tenants > 0 && ph_scene_tenant (scene, other, options->time) == NULL
              && ph_scene_tenant (scene, other, options->since) == NULL))
        continue;
      hidden += other != box && ph_rect_touches (&at->rect, place) ? 4 : 0;
      for (guint p = at->first_pill; p < at->first_pill + at->n_pills; p++)
        hidden += ph_rect_touches (&ph_scene_pill (scene, p)->rect, place) ? 4 : 0;
    }
  g_array_set_size (near, 0);
  ph_scene_edges_in (scene, place, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int e = g_array_index (near, int, i);
      const PhSceneEdge *edge = ph_scene_edge (scene, e);

      if (edge->n_points >= 4 && (ph_scene_edge_at (scene, e, options->time) || ph_scene_edge_at (scene, e, options->since)))
        hidden += line_touches (scene, edge, options, place);
    }
  return hidden;
}

/* Returns how much of @rect is not in the picture, from 0 to 1. */
static double
cut_off (const PhDrawOptions *options, const PhRect *rect)
{
  const PhRect *clip = &options->clip;
  const double width = MIN (rect->x + rect->width, clip->x + clip->width) - MAX (rect->x, clip->x);
  const double height = MIN (rect->y + rect->height, clip->y + clip->height) - MAX (rect->y, clip->y);

  return 1 - MAX (width, 0) * MAX (height, 0) / (rect->width * rect->height);
}

/* Draws a line of text on a plate, with the lower left corner at (x, y). */
static void
draw_plate (cairo_t *cr, PhInk *ink, const PhDrawOptions *options, const char *text, double x, double y, PhChange change)
{
  const PhColor background = ph_theme_background (options->theme), tone = ph_theme_change (options->theme, change);
  double width, height;

  ph_ink_size (ink, PH_INK_TEXT, text, &width, &height);
  {
    const PhRect plate = { x, y - 17, MIN (width, ROOM) + 12, 16 };

    ph_ink_round (cr, &plate, 8);
    ph_set_color (cr, ph_mix (background, tone, 0.10));
    cairo_fill_preserve (cr);
    ph_set_color (cr, tone);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
    ph_set_color (cr, ph_readable (tone, ph_mix (background, tone, 0.10)));
    ph_ink_show_short (cr, ink, PH_INK_TEXT, text, plate.x + 6, plate.y + plate.height / 2, 0, ROOM);
  }
}

/* The replaced node is mostly hidden behind the card, so its name is shown beside the card, struck through. */
static void
note_replaced (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, const PhRect *card, const PhTenant *gone)
{
  const char *title = ph_scene_face (scene, gone, options->since)->title;
  const double y = card->y + card->height + 17;
  double x = card->x + card->width + 20, width, height;

  ph_ink_size (ink, PH_INK_TEXT, title, &width, &height);
  width = MIN (width, ROOM) + 12;
  if (cut_off (options, &(PhRect) { x, y - 17, width, 16 })
      > cut_off (options, &(PhRect) { card->x - width - 7, y - 17, width, 16 }))
    x = card->x - width - 7;
  draw_plate (cr, ink, options, title, x, y, PH_CHANGE_REMOVED);
  ph_set_color (cr, ph_theme_change (options->theme, PH_CHANGE_REMOVED));
  cairo_set_line_width (cr, 1.4);
  cairo_move_to (cr, x + 4, y - 9);
  cairo_line_to (cr, x + width - 4, y - 9);
  cairo_stroke (cr);
}

static void
note_change (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, int box, const PhRect *card,
             const PhNodeChange *change)
{
  double width, height;
  g_autofree char *first = NULL, *text = NULL;
  guint inputs = 0;

  if (change->fields == NULL || change->fields->len == 0 || options->scale < PH_NEAR_SCALE)
    return;
  for (guint i = 0; i < change->fields->len; i++)
    inputs += g_str_has_prefix (g_array_index (change->fields, PhFieldChange, i).field, "input ");
  first = short_note (&g_array_index (change->fields, PhFieldChange, 0));
  text = inputs > 1 && inputs == change->fields->len ? g_strdup_printf ("%u inputs", inputs)
         : change->fields->len == 1                  ? g_strdup (first)
                                                     : g_strdup_printf ("%s  +%u", first, change->fields->len - 1);
  ph_ink_size (ink, PH_INK_TEXT, text, &width, &height);
  width = MIN (width, ROOM) + 12;
  {
    /* Above the card, beside it or below it, wherever it hides no line and is seen as a whole. */
    const PhPoint places[] = { { card->x + 13, card->y - 1 },
                               { card->x + card->width + 7, card->y + 20 },
                               { card->x - width - 7, card->y + card->height - 3 },
                               { card->x + card->width + 7, card->y + card->height - 3 },
                               { card->x + 13, card->y + card->height + 19 },
                               { card->x + card->width - width - 7, card->y - 1 },
                               { card->x + card->width - width - 7, card->y + card->height + 19 },
                               { card->x - width - 7, card->y + 20 } };
    guint best = 0, least = G_MAXUINT;

    for (guint i = 0; i < G_N_ELEMENTS (places); i++)
      {
        const PhRect place = { places[i].x, places[i].y - 17, width, 16 };
        const guint hidden = count_hidden (scene, options, &place, box) + (guint) ceil (6 * cut_off (options, &place));

        if (hidden < least)
          {
            least = hidden;
            best = i;
          }
      }
    draw_plate (cr, ink, options, text, places[best].x, places[best].y, PH_CHANGE_CHANGED);
  }
}

static gboolean
contains (const GArray *boxes, int box)
{
  for (guint i = 0; i < boxes->len; i++)
    if (g_array_index (boxes, int, i) == box)
      return TRUE;
  return FALSE;
}

/* Returns TRUE if only @members are inside @hull. */
static gboolean
is_clear (PhScene *scene, const PhDrawOptions *options, const PhRect *hull, const GArray *members)
{
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));

  ph_scene_boxes_in (scene, hull, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int box = g_array_index (near, int, i);
      const PhSceneBox *at = ph_scene_box (scene, box);
      const gboolean seen = at->n_tenants > 0 && !at->open
                            && (ph_scene_tenant (scene, box, options->time) != NULL
                                || ph_scene_tenant (scene, box, options->since) != NULL);

      if ((seen || (at->kind == PH_BOX_GROUP && !at->open)) && !contains (members, box))
        return FALSE;
    }
  return TRUE;
}

/* Outlines fused nodes and the new one if they were adjacent; otherwise draws a line from each. */
static void
note_fusion (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, int box, const PhRect *card,
             const PhNodeChange *change)
{
  const PhColor tone = ph_theme_change (options->theme, PH_CHANGE_ADDED);
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (int));
  g_autofree char *text = g_strdup_printf ("%u → 1", change->fused_from->len);
  PhRect hull = *card;
  gboolean framed;

  g_array_append_val (members, box);
  for (guint i = 0; options->side == PH_SIDE_BOTH && i < MIN (change->fused_from->len, MAX_SOURCES); i++)
    {
      const int source = ph_scene_find (scene, g_array_index (change->fused_from, PhId, i), NULL);
      PhRect old;

      if (source < 0 || contains (members, source) || ph_scene_box (scene, source)->kind != PH_BOX_NODE)
        continue;
      g_array_append_val (members, source);
      old = ph_scene_card (scene, source, options->time, options->since);
      hull = (PhRect) { MIN (hull.x, old.x), MIN (hull.y, old.y),
                        MAX (hull.x + hull.width, old.x + old.width) - MIN (hull.x, old.x),
                        MAX (hull.y + hull.height, old.y + old.height) - MIN (hull.y, old.y) };
    }
  hull = ph_grown (&hull, 13);
  cairo_set_line_width (cr, MAX (1.4, 0.8 / options->scale));
  cairo_set_dash (cr, (double[]) { 2, 4 }, 2, 0);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  ph_set_color (cr, (PhColor) { tone.red, tone.green, tone.blue, 0.9 });
  framed = members->len > 1 && is_clear (scene, options, &hull, members);
  if (framed)
    {
      ph_ink_round (cr, &hull, 14);
      cairo_stroke_preserve (cr);
      ph_set_color (cr, (PhColor) { tone.red, tone.green, tone.blue, 0.05 });
      cairo_fill (cr);
    }
  else
    for (guint i = 1; i < members->len; i++)
      {
        const PhRect old = ph_scene_card (scene, g_array_index (members, int, i), options->time, options->since);
        const gboolean above = old.y + old.height / 2 < card->y + card->height / 2;
        const double x = old.x + old.width / 2, y = above ? old.y + old.height : old.y, to_x = card->x + card->width / 2;
        const double to_y = above ? card->y : card->y + card->height, bend = MAX (fabs (to_y - y) / 2, 20) * (above ? 1 : -1);

        cairo_move_to (cr, x, y);
        cairo_curve_to (cr, x, y + bend, to_x, to_y - bend, to_x, to_y);
        cairo_stroke (cr);
      }
  cairo_set_dash (cr, NULL, 0, 0);
  if (options->scale >= PH_NEAR_SCALE) /* in the frame's own line */
    draw_plate (cr, ink, options, text, framed ? hull.x + 18 : card->x + 13, framed ? hull.y + 9 : card->y - 1, PH_CHANGE_ADDED);
}

void
ph_scene_draw_notes (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, const PhDiff *diff)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int));
  const PhRect around = ph_grown (&options->clip, 200);

  if (options->scale < NOTES_SCALE || options->time == options->since || options->side == PH_SIDE_BEFORE)
    return;
  ph_scene_boxes_in (scene, &around, boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      const int box = g_array_index (boxes, int, i);
      const PhSceneBox *at = ph_scene_box (scene, box);
      const PhTenant *tenant = at->kind == PH_BOX_NODE && at->shown && !at->open ? ph_scene_tenant (scene, box, options->time)
                                                                                 : NULL;
      const PhNodeChange *change = tenant != NULL ? g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (tenant->id)) : NULL;
      const PhTenant *gone = NULL;
      PhRect card;

      if (tenant == NULL)
        continue;
      card = ph_scene_card (scene, box, options->time, options->since);
      ph_scene_change (scene, box, options->since, options->time, &gone);
      if (gone != NULL && options->side == PH_SIDE_BOTH && options->scale >= PH_NEAR_SCALE)
        note_replaced (scene, cr, ink, options, &card, gone);
      if (change == NULL)
        continue;
      if (change->change == PH_CHANGE_CHANGED)
        note_change (scene, cr, ink, options, box, &card, change);
      else if (change->change == PH_CHANGE_ADDED && change->fused_from != NULL && change->fused_from->len > 1)
        note_fusion (scene, cr, ink, options, box, &card, change);
    }
}
