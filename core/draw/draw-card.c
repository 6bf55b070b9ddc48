/* draw-card.c: a node, an input or an output as a card, with its pills and the sign of its change.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

#include <string.h>

typedef struct
{
  PhRect rect;
  const PhTenant *tenant, *gone;
  const PhFace *face;
  PhChange change;
  gboolean ghost; /* removed by now */
  PhColor color;  /* of its header */
  gboolean pale;
  const char *shape; /* (nullable) the value if known, else the type */
  gboolean is_value;
  char length[16]; /* of a vector, "[3]", where boxes show values: a bare number would look like one */
} Look;

/* Returns the opacity of unchanged boxes; with high contrast they must stay readable. */
static double
pale_rest (PhTheme theme)
{
  return theme >= PH_THEME_HIGH_CONTRAST ? 0.7 : 0.4;
}

/* Returns the id of the value that a card shows: the node, the input, or an output's producer. */
static PhId
value_of (PhScene *scene, int box, const Look *look, const PhDrawOptions *options)
{
  guint n = 0;
  const int *edges;

  if (ph_scene_box (scene, box)->kind != PH_BOX_OUTPUT)
    return look->tenant->id;
  edges = ph_scene_edges_to (scene, box, &n);
  for (guint i = 0; i < n; i++)
    if (ph_scene_edge_at (scene, edges[i], options->time))
      return ph_scene_edge_value (scene, edges[i], options->time);
  return PH_NO_ID;
}

/* Returns FALSE if the box is empty at both times. */
static gboolean
look_at (PhScene *scene, int box, const PhDrawOptions *options, Look *look)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  PhColor background = ph_theme_background (options->theme);

  look->change = ph_scene_change (scene, box, options->since, options->time, &look->gone);
  look->tenant = ph_scene_tenant (scene, box, options->time);
  look->ghost = FALSE;
  if (options->side != PH_SIDE_BOTH)
    {
      look->gone = NULL;
      if (options->side == PH_SIDE_BEFORE && look->change == PH_CHANGE_ADDED)
        look->change = PH_CHANGE_REMOVED;
    }
  else if (look->tenant == NULL)
    {
      look->ghost = TRUE;
      look->tenant = look->gone;
      look->gone = NULL;
    }
  if (look->tenant == NULL)
    return FALSE;
  look->face = ph_scene_face (scene, look->tenant, look->ghost ? options->since : options->time);
  look->rect = ph_scene_card (scene, box, options->time, options->since);
  look->shape = options->values != NULL
                    ? g_hash_table_lookup (options->values, GUINT_TO_POINTER (value_of (scene, box, look, options)))
                    : NULL;
  look->is_value = look->shape != NULL;
  if (!look->is_value)
    look->shape = look->face->shape;
  if (!look->is_value && options->values != NULL && look->shape != NULL && look->shape[strspn (look->shape, "0123456789")] == 0
      && strlen (look->shape) + 3 < sizeof look->length)
    {
      g_snprintf (look->length, sizeof look->length, "[%s]", look->shape);
      look->shape = look->length;
    }
  /* Errors matter for unchanged nodes above all. */
  look->pale = options->dim
               || (options->since != options->time && look->change == PH_CHANGE_NONE
                   && (options->paint == NULL || ph_paint_mode (options->paint) != PH_COLOR_ERROR));
  look->color = ph_family_color (look->face->family, options->theme);
  if (options->paint != NULL && at->kind == PH_BOX_NODE)
    look->color = ph_paint_color (options->paint, box, options->theme);
  if (look->pale)
    look->color = ph_mix (background, look->color, pale_rest (options->theme));
  if (look->ghost)
    look->color = ph_mix (background, look->color, 0.45);
  return TRUE;
}

static PhColor
card_color (PhTheme theme)
{
  switch (theme)
    {
    case PH_THEME_DARK: return (PhColor) { 0.19, 0.19, 0.205, 1 };
    case PH_THEME_HIGH_CONTRAST_DARK: return (PhColor) { 0.06, 0.06, 0.06, 1 };
    case PH_THEME_LIGHT:
    case PH_THEME_HIGH_CONTRAST:
    default: return (PhColor) { 1, 1, 1, 1 };
    }
}

/* Draws a round badge at a corner, so that a change is also recognised by its sign. */
static void
draw_badge (cairo_t *cr, PhTheme theme, double x, double y, PhChange change)
{
  ph_set_color (cr, ph_theme_background (theme));
  cairo_arc (cr, x, y, 10, 0, 2 * G_PI);
  cairo_fill (cr);
  ph_set_color (cr, ph_theme_change (theme, change));
  cairo_arc (cr, x, y, 8.5, 0, 2 * G_PI);
  cairo_fill (cr);
  ph_set_color (cr, ph_theme_background (theme));
  cairo_set_line_width (cr, 2);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  if (change == PH_CHANGE_CHANGED)
    {
      cairo_move_to (cr, x - 4, y + 1);
      cairo_curve_to (cr, x - 2, y - 4, x + 1.5, y + 4, x + 4, y - 1);
    }
  else
    {
      cairo_move_to (cr, x - 4, y);
      cairo_line_to (cr, x + 4, y);
      if (change == PH_CHANGE_ADDED)
        {
          cairo_move_to (cr, x, y - 4);
          cairo_line_to (cr, x, y + 4);
        }
    }
  cairo_stroke (cr);
}

static void
draw_pills (PhScene *scene, cairo_t *cr, PhInk *ink, const PhSceneBox *box, const PhRect *card, const PhDrawOptions *options,
            gboolean pale)
{
  const PhColor background = ph_theme_background (options->theme), ink_color = ph_theme_text (options->theme);

  for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
    {
      const PhPill *pill = ph_scene_pill (scene, p);
      const gboolean now = pill->born <= options->time && options->time < pill->died;
      const gboolean before = pill->born <= options->since && options->since < pill->died;
      const PhChange change = now == before                            ? PH_CHANGE_NONE
                              : now && options->side != PH_SIDE_BEFORE ? PH_CHANGE_ADDED
                                                                       : PH_CHANGE_REMOVED;
      const PhColor tone = change != PH_CHANGE_NONE ? ph_theme_change (options->theme, change)
                           : pill->is_link          ? ph_theme_accent (options->theme)
                                                    : ink_color;
      const double strength = change != PH_CHANGE_NONE ? 0.9 : pale || options->dim ? 0.3 : 0.62;
      const double middle = pill->rect.y + pill->rect.height / 2;

      if (!now && (!before || options->side != PH_SIDE_BOTH))
        continue;
      ph_set_color (cr, ph_mix (background, tone, 0.09));
      ph_ink_round (cr, &pill->rect, PH_PILL_HEIGHT / 2);
      cairo_fill_preserve (cr);
      ph_set_color (cr, ph_mix (background, tone, change != PH_CHANGE_NONE ? 0.9 : 0.28));
      cairo_set_line_width (cr, change != PH_CHANGE_NONE ? 1.6 : 1);
      cairo_stroke (cr);
      cairo_move_to (cr, pill->rect.x + pill->rect.width, middle);
      cairo_line_to (cr, card->x, CLAMP (middle, card->y + 5, card->y + card->height - 5));
      cairo_stroke (cr);
      if (options->scale >= PH_NEAR_SCALE)
        {
          ph_set_color (cr, ph_readable (ph_mix (background, tone, strength), ph_mix (background, tone, 0.09)));
          ph_ink_show (cr, ink, PH_INK_TEXT, ph_scene_pill_face (scene, pill)->title, pill->rect.x + pill->rect.width / 2, middle,
                       0.5, pill->rect.width - 10);
        }
    }
}

/* Draws the operators inside a fused node as small boxes of their own colours on the grey of the fusion. */
static double
draw_body (cairo_t *cr, PhInk *ink, const PhDrawOptions *options, const Look *look, PhColor body, double y)
{
  const PhColor background = ph_theme_background (options->theme);
  const double pale = look->pale ? 0.6 : look->ghost ? 0.5 : 0;

  const float room = look->rect.width - 2 * PH_FACE_MARGIN + 6;

  for (guint i = 0; i < look->face->n_body; i++) /* two per line; a last single one takes the whole line */
    {
      const gboolean alone = i % 2 == 0 && i + 1 == look->face->n_body;
      const PhRect chip = { look->rect.x + PH_FACE_MARGIN - 3 + i % 2 * (room / 2 + 1.5f), y + i / 2 * PH_FACE_CHIP,
                            alone ? room : room / 2 - 1.5f, PH_FACE_CHIP - 4 };

      ph_ink_round (cr, &chip, 5);
      const PhColor plate = ph_mix (ph_family_color (look->face->body_family[i], options->theme), background, pale);

      ph_set_color (cr, plate);
      cairo_fill (cr);
      ph_set_color (cr, ph_readable ((PhColor) { 1, 1, 1, 1 }, plate));
      ph_ink_show (cr, ink, PH_INK_TEXT, look->face->body[i], chip.x + chip.width / 2, chip.y + chip.height / 2, 0.5,
                   chip.width - 8);
    }
  y += (look->face->n_body + 1) / 2 * PH_FACE_CHIP;
  if (look->face->n_more > 0)
    {
      g_autofree char *more = g_strdup_printf ("and %u more", look->face->n_more);

      ph_set_color (cr, ph_readable (ph_mix (background, ph_theme_text (options->theme), 0.6), body));
      ph_ink_show (cr, ink, PH_INK_TEXT, more, look->rect.x + look->rect.width / 2, y + PH_FACE_ROW / 2 - 2, 0.5,
                   look->rect.width - 8);
      y += PH_FACE_ROW;
    }
  return y;
}

/* The context for drawing the parts of a card. */
typedef struct
{
  cairo_t *cr;
  PhInk *ink;
  const PhSceneBox *box;
  const PhDrawOptions *options;
  const Look *look;
  gboolean io, near, plain_body; /* plain: a header in its colour above a body without */
  double radius;
  PhColor background, body, text, dim; /* body: below the text */
} Card;

/* Draws the replaced node behind the card, shifted to the corner where no arrow enters. */
static void
draw_gone (const Card *card)
{
  const PhRect *rect = &card->look->rect;
  const PhRect behind = { rect->x + PH_GONE_SHIFT, rect->y + PH_GONE_SHIFT, rect->width, rect->height };
  const PhColor red = ph_theme_change (card->options->theme, PH_CHANGE_REMOVED);

  ph_ink_round (card->cr, &behind, card->radius);
  ph_set_color (card->cr, ph_mix (card->background, red, 0.12));
  cairo_fill_preserve (card->cr);
  ph_set_color (card->cr, red);
  cairo_set_line_width (card->cr, 1.6);
  cairo_set_dash (card->cr, (double[]) { 5, 3 }, 2, 0);
  cairo_stroke (card->cr);
  cairo_set_dash (card->cr, NULL, 0, 0);
}

static void
draw_shape (const Card *card)
{
  const Look *look = card->look;
  const PhRect *rect = &look->rect;
  cairo_t *cr = card->cr;

  if (!look->ghost && !look->pale && card->options->theme == PH_THEME_LIGHT)
    {
      const PhRect shadow = { rect->x, rect->y + 1.5f, rect->width, rect->height };

      ph_ink_round (cr, &shadow, card->radius);
      cairo_set_source_rgba (cr, 0, 0, 0, 0.10);
      cairo_fill (cr);
    }
  ph_ink_round (cr, rect, card->radius);
  ph_set_color (cr, card->plain_body || card->io ? card->body : look->color);
  cairo_fill (cr);
  if (card->plain_body)
    {
      cairo_save (cr);
      cairo_rectangle (cr, rect->x - 1, rect->y - 1, rect->width + 2, PH_FACE_HEADER + 1);
      cairo_clip (cr);
      ph_ink_round (cr, rect, card->radius);
      ph_set_color (cr, look->color);
      cairo_fill (cr);
      cairo_restore (cr);
    }
}

/* Draws the border: the colour of the change, or a hairline. */
static void
draw_border (const Card *card)
{
  const Look *look = card->look;
  const PhTheme theme = card->options->theme;
  cairo_t *cr = card->cr;

  if (look->change != PH_CHANGE_NONE)
    {
      const PhRect frame = ph_grown (&look->rect, 1.5);

      ph_set_color (cr, ph_theme_change (theme, look->change));
      cairo_set_line_width (cr, MAX (3, 1.6 / card->options->scale));
      if (look->ghost)
        cairo_set_dash (cr, (double[]) { 6, 4 }, 2, 0);
      ph_ink_round (cr, &frame, card->radius + 1.5);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
    }
  else
    {
      const PhRect frame = ph_grown (&look->rect, -0.5);

      ph_set_color (cr, theme >= PH_THEME_HIGH_CONTRAST ? card->text : ph_mix (look->color, card->text, card->io ? 0.1 : 0.0));
      cairo_set_line_width (cr, theme >= PH_THEME_HIGH_CONTRAST ? 2 : 1);
      ph_ink_round (cr, &frame, card->radius);
      cairo_stroke (cr);
    }
}

/* Draws the name of a graph's input or output, and its type below. */
static void
draw_io_text (const Card *card)
{
  const Look *look = card->look;
  const PhFace *face = look->face;
  const PhRect *rect = &look->rect;
  const double x = rect->x + rect->width / 2, y = rect->y + rect->height / 2;

  ph_set_color (card->cr, card->text);
  ph_ink_show (card->cr, card->ink, PH_INK_TITLE, face->title, x, look->shape != NULL ? y - 8 : y, 0.5, rect->width - 12);
  ph_set_color (card->cr, look->is_value ? card->text : card->dim);
  if (look->shape != NULL)
    ph_ink_show (card->cr, card->ink, PH_INK_TEXT, look->shape, x, y + 9, 0.5, rect->width - 12);
}

static void
draw_header (const Card *card)
{
  const Look *look = card->look;
  const PhRect *rect = &look->rect;
  const PhTheme theme = card->options->theme;
  cairo_t *cr = card->cr;

  /* White on a pastel cannot be read. */
  if ((look->pale || look->ghost) && (theme == PH_THEME_LIGHT || theme == PH_THEME_HIGH_CONTRAST))
    ph_set_color (cr, ph_readable (ph_mix (look->color, ph_theme_text (theme), theme == PH_THEME_LIGHT ? 0.6 : 1), look->color));
  else
    ph_set_color (cr, ph_readable ((PhColor) { 1, 1, 1, look->pale || look->ghost ? 0.85 : 1 }, look->color));
  if (card->box->can_open) /* it can be opened in place */
    {
      cairo_move_to (cr, rect->x + 8, rect->y + PH_FACE_HEADER / 2 - 4.5);
      cairo_rel_line_to (cr, 6, 4.5);
      cairo_rel_line_to (cr, -6, 4.5);
      cairo_close_path (cr);
      cairo_fill (cr);
    }
  else if (look->tenant->has_inside) /* it opens as a picture of its own: a frame in a frame */
    {
      const double right = rect->x + rect->width - 7, top = rect->y + PH_FACE_HEADER / 2 - 4.5;

      cairo_set_line_width (cr, 1);
      cairo_rectangle (cr, right - 9.5, top + 0.5, 9, 8);
      cairo_stroke (cr);
      cairo_rectangle (cr, right - 7, top + 3, 4, 3);
      cairo_fill (cr);
    }
  ph_ink_show (cr, card->ink, PH_INK_TITLE, look->face->title, rect->x + rect->width / 2, rect->y + PH_FACE_HEADER / 2, 0.5,
               rect->width - (card->box->can_open || look->tenant->has_inside ? 40 : 8));
}

/* Draws the fused operators, attributes, weights, and at the bottom the outputs. */
static void
draw_rows (const Card *card)
{
  const Look *look = card->look;
  const PhFace *face = look->face;
  const PhRect *rect = &look->rect;
  const double left = rect->x + PH_FACE_MARGIN, width = rect->width - 2 * PH_FACE_MARGIN;
  double y = rect->y + PH_FACE_HEADER + 4;

  if (face->n_body > 0)
    y = draw_body (card->cr, card->ink, card->options, look, card->body, y + 2);
  y += PH_FACE_ROW / 2;
  ph_set_color (card->cr, card->text);
  if (face->detail != NULL)
    {
      ph_ink_show (card->cr, card->ink, PH_INK_TEXT, face->detail, left, y, 0, width);
      y += PH_FACE_ROW;
    }
  ph_set_color (card->cr, card->dim);
  for (guint i = 0; i < face->n_rows; i++, y += PH_FACE_ROW)
    ph_ink_show (card->cr, card->ink, PH_INK_TEXT, face->rows[i], left, y, 0, width);
  if (look->shape != NULL)
    {
      ph_set_color (card->cr, look->is_value ? card->text
                              : look->pale   ? card->dim
                                             : ph_readable (ph_mix (card->text, look->color, 0.75), card->body));
      ph_ink_show (card->cr, card->ink, PH_INK_TEXT, look->shape, rect->x + rect->width - PH_FACE_MARGIN,
                   MAX (y, rect->y + rect->height - 4 - PH_FACE_ROW / 2), 1, width);
    }
}

static void
draw_card (cairo_t *cr, PhInk *ink, const PhSceneBox *box, const PhDrawOptions *options, const Look *look)
{
  const PhRect *rect = &look->rect;
  const PhTheme theme = options->theme;
  /* clang-format off */
  Card card = {
    .cr = cr, .ink = ink, .box = box, .options = options, .look = look, .io = box->kind != PH_BOX_NODE,
    .near = options->scale >= PH_NEAR_SCALE, .background = ph_theme_background (theme)
  };
  /* clang-format on */

  card.radius = card.io ? rect->height / 2 : 7;
  card.plain_body = card.near && !card.io && rect->height > PH_FACE_HEADER + 4;
  card.body = look->pale ? ph_mix (card.background, card_color (theme), 0.6) : card_color (theme);
  if (card.io)
    card.body = ph_mix (card.body, look->color, 0.16);
  else if (card.plain_body && look->ghost)
    card.body = ph_mix (card.background, ph_theme_change (theme, PH_CHANGE_REMOVED), 0.07);
  else if (card.plain_body && look->face->n_body > 0)
    card.body = ph_mix (card.background, ph_theme_text (theme), look->pale ? 0.05 : 0.10);
  card.text = look->pale ? ph_mix (card.background, ph_theme_text (theme), pale_rest (theme)) : ph_theme_text (theme);
  card.dim = ph_readable (ph_mix (card.body, card.text, 0.68), card.body);
  card.text = ph_readable (card.text, card.body);

  if (look->gone != NULL)
    draw_gone (&card);
  draw_shape (&card);
  draw_border (&card);
  if (options->scale < PH_FAR_SCALE)
    return;
  if (!card.near)
    {
      ph_set_color (cr, card.io ? card.text : ph_readable ((PhColor) { 1, 1, 1, 1 }, look->color));
      ph_ink_show (cr, ink, PH_INK_BIG, look->face->title, rect->x + rect->width / 2, rect->y + rect->height / 2, 0.5,
                   rect->width - 8);
    }
  else if (card.io)
    draw_io_text (&card);
  else
    {
      draw_header (&card);
      draw_rows (&card);
    }
}

guint64
ph_hash_card (PhScene *scene, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  guint64 hash = index;
  Look look;

  if (!look_at (scene, index, options, &look))
    return hash;
  hash = ph_hash_mix (hash, GPOINTER_TO_SIZE (look.face));
  if (look.shape != NULL)
    hash = ph_hash_mix (hash, g_str_hash (look.shape));
  hash = ph_hash_mix (hash, (guint64) look.tenant->id << 32 | (look.gone != NULL ? look.gone->id : 0));
  hash = ph_hash_mix (hash, look.change << 2 | look.pale << 1 | look.ghost);
  hash = ph_hash_point (hash, look.rect.x, look.rect.y);
  hash = ph_hash_point (hash, look.rect.width, look.rect.height);
  hash = ph_hash_point (hash, look.color.red, look.color.green);
  hash = ph_hash_point (hash, look.color.blue, look.color.alpha);
  for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
    {
      const PhPill *pill = ph_scene_pill (scene, p);

      hash = ph_hash_mix (hash, (pill->born <= options->time && options->time < pill->died) << 1
                                    | (pill->born <= options->since && options->since < pill->died));
    }
  return hash;
}

static void
draw_badges (cairo_t *cr, const Look *look, const PhDrawOptions *options)
{
  if (options->scale < 0.3)
    return;
  if (look->gone != NULL)
    draw_badge (cr, options->theme, look->rect.x + look->rect.width + 8, look->rect.y + look->rect.height + 8, PH_CHANGE_REMOVED);
  if (look->change != PH_CHANGE_NONE)
    draw_badge (cr, options->theme, look->rect.x, look->rect.y, look->change);
}

void
ph_scene_draw_box (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  Look look;

  if (box->kind == PH_BOX_GROUP || box->open)
    {
      ph_draw_group (scene, cr, ink, index, options);
      return;
    }
  if (!look_at (scene, index, options, &look))
    return;
  if (options->scale < PH_FAR_SCALE)
    {
      /* At any zoom a box has a least size, larger if it changed. */
      const double least = (look.change != PH_CHANGE_NONE ? PH_FAR_MARK : PH_FAR_LEAST) / options->scale;
      const double width = MAX (box->rect.width, least), height = MAX (box->rect.height, least);

      cairo_rectangle (cr, box->rect.x + (box->rect.width - width) / 2, box->rect.y + (box->rect.height - height) / 2, width,
                       height);
      ph_set_color (cr, look.change != PH_CHANGE_NONE ? ph_theme_change (options->theme, look.change) : look.color);
      cairo_fill (cr);
      return;
    }
  if (box->n_pills > 0)
    draw_pills (scene, cr, ink, box, &look.rect, options, look.pale);
  draw_card (cr, ink, box, options, &look);
  draw_badges (cr, &look, options);
}

void
ph_scene_draw_badges (PhScene *scene, cairo_t *cr, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  Look look;

  if (box->kind != PH_BOX_GROUP && !box->open && options->scale >= PH_FAR_SCALE && look_at (scene, index, options, &look))
    draw_badges (cr, &look, options);
}
