/* draw.c: draws a scene with cairo, in as much detail as the scale shows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/draw.h"

#include <math.h>
#include <pango/pangocairo.h>


#define FAR_SCALE   0.16       /* below: plain rectangles and lines                      */
#define NEAR_SCALE  0.50       /* above: everything; between: boxes with their operator  */
#define LABEL_SCALE 1.25       /* above: tensors at the edges                            */
#define MAX_LAYOUTS 4000

typedef enum { INK_TITLE, INK_TEXT, INK_BIG, N_INKS } InkKind;

struct _PhInk
{
  PangoContext         *context;
  PangoFontDescription *fonts[N_INKS];
  GHashTable           *layouts[N_INKS];    /* text -> PangoLayout */
};

PhInk *
ph_ink_new (void)
{
  static const double sizes[N_INKS] = { PH_FACE_TITLE_SIZE, PH_FACE_TEXT_SIZE, 19 };
  PhInk *ink = g_new0 (PhInk, 1);
  cairo_font_options_t *options = cairo_font_options_create ();

  ink->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (ink->context, options);
  pango_cairo_context_set_resolution (ink->context, 96);
  pango_context_set_round_glyph_positions (ink->context, FALSE);
  cairo_font_options_destroy (options);
  for (int kind = 0; kind < N_INKS; kind++)
    {
      ink->fonts[kind] = pango_font_description_from_string (PH_FACE_FONT);
      pango_font_description_set_absolute_size (ink->fonts[kind], sizes[kind] * PANGO_SCALE);
      pango_font_description_set_weight (ink->fonts[kind], kind == INK_TEXT ? PANGO_WEIGHT_NORMAL : PANGO_WEIGHT_BOLD);
      ink->layouts[kind] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
    }
  return ink;
}

void
ph_ink_free (PhInk *ink)
{
  for (int kind = 0; kind < N_INKS; kind++)
    {
      g_hash_table_unref (ink->layouts[kind]);
      pango_font_description_free (ink->fonts[kind]);
    }
  g_object_unref (ink->context);
  g_free (ink);
}

static PangoLayout *
ink_layout (PhInk *ink, InkKind kind, const char *text)
{
  PangoLayout *layout = g_hash_table_lookup (ink->layouts[kind], text);

  if (layout == NULL)
    {
      if (g_hash_table_size (ink->layouts[kind]) > MAX_LAYOUTS)
        g_hash_table_remove_all (ink->layouts[kind]);
      layout = pango_layout_new (ink->context);
      pango_layout_set_font_description (layout, ink->fonts[kind]);
      pango_layout_set_text (layout, text, -1);
      g_hash_table_insert (ink->layouts[kind], g_strdup (text), layout);
    }
  return layout;
}

/* ── strokes ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
set_color (cairo_t *cr, PhColor color)
{
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, color.alpha);
}

static PhColor
mix (PhColor a, PhColor b, double t)
{
  return (PhColor) { a.red + t * (b.red - a.red), a.green + t * (b.green - a.green), a.blue + t * (b.blue - a.blue),
                     a.alpha + t * (b.alpha - a.alpha) };
}

static void
rounded (cairo_t *cr, const PhRect *rect, double radius)
{
  const double x = rect->x, y = rect->y, r = MIN (radius, MIN (rect->width, rect->height) / 2);

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + rect->width - r, y + r, r, -G_PI / 2, 0);
  cairo_arc (cr, x + rect->width - r, y + rect->height - r, r, 0, G_PI / 2);
  cairo_arc (cr, x + r, y + rect->height - r, r, G_PI / 2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path (cr);
}

static PhRect
grown (const PhRect *rect, double by)
{
  return (PhRect) { rect->x - by, rect->y - by, rect->width + 2 * by, rect->height + 2 * by };
}

/* @at: 0 left, 0.5 middle, 1 right of @x. Squeezed when wider than @room. Returns the width. */
static double
show_text (cairo_t *cr, PhInk *ink, InkKind kind, const char *text, double x, double y, double at, double room)
{
  PangoLayout *layout = ink_layout (ink, kind, text);
  int width, height;
  double squeeze = 1;

  pango_layout_get_size (layout, &width, &height);
  if (room > 0 && width > room * PANGO_SCALE)
    squeeze = room * PANGO_SCALE / width;
  cairo_save (cr);
  cairo_translate (cr, x - at * squeeze * width / PANGO_SCALE, y - squeeze * height / 2.0 / PANGO_SCALE);
  cairo_scale (cr, squeeze, squeeze);
  cairo_move_to (cr, 0, 0);
  pango_cairo_show_layout (cr, layout);
  cairo_restore (cr);
  return squeeze * width / PANGO_SCALE;
}

/* ── edges ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An edge ends where its slot ends; who is in the slot now may be smaller. */
static PhPoint
end_of (PhScene *scene, int box, PhPoint end, const PhDrawOptions *options)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  PhRect card;

  if (at->n_tenants == 0 || at->open)
    return end;
  card = ph_scene_card (scene, box, options->time, options->since);
  if (end.y >= at->rect.y + at->rect.height - 1)
    end.y = card.y + card.height;
  else if (end.y <= at->rect.y + 1)
    end.y = card.y;
  else if (end.x >= at->rect.x + at->rect.width - 1)
    end.x = card.x + card.width;
  else if (end.x <= at->rect.x + 1)
    end.x = card.x;
  return end;
}

static void
edge_path (PhScene *scene, cairo_t *cr, const PhSceneEdge *edge, const PhDrawOptions *options, gboolean lines)
{
  const PhPoint *p = ph_scene_points (scene, edge);
  const PhPoint start = lines ? p[0] : end_of (scene, edge->from, p[0], options);
  const PhPoint end = lines ? p[edge->n_points - 1] : end_of (scene, edge->to, p[edge->n_points - 1], options);

  cairo_move_to (cr, start.x, start.y);
  if (start.x != p[0].x || start.y != p[0].y)
    cairo_line_to (cr, p[0].x, p[0].y);
  for (guint i = 1; i + 2 < edge->n_points; i += 3)
    {
      if (lines || (fabsf (p[i - 1].x - p[i + 2].x) < 0.5f && fabsf (p[i].x - p[i + 1].x) < 0.5f))
        cairo_line_to (cr, p[i + 2].x, p[i + 2].y);
      else
        cairo_curve_to (cr, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
    }
  if (end.x != p[edge->n_points - 1].x || end.y != p[edge->n_points - 1].y)
    cairo_line_to (cr, end.x, end.y);
}

static void
arrow_path (PhScene *scene, cairo_t *cr, const PhSceneEdge *edge, const PhDrawOptions *options, double size)
{
  const PhPoint *p = ph_scene_points (scene, edge);
  const PhPoint tip = end_of (scene, edge->to, p[edge->n_points - 1], options);
  double dx = 0, dy = 0, length = 0;

  for (int i = edge->n_points - 1; length < 0.1 && i >= 0; i--)
    {
      dx = tip.x - p[i].x;
      dy = tip.y - p[i].y;
      length = hypot (dx, dy);
    }
  if (length < 0.1)
    return;
  dx *= size / length;
  dy *= size / length;
  cairo_move_to (cr, tip.x, tip.y);
  cairo_line_to (cr, tip.x - dx - 0.5 * dy, tip.y - dy + 0.5 * dx);
  cairo_line_to (cr, tip.x - dx + 0.5 * dy, tip.y - dy - 0.5 * dx);
  cairo_close_path (cr);
}

void
ph_scene_draw_edge (PhScene *scene, cairo_t *cr, int index, const PhDrawOptions *options, const PhColor *color, double width)
{
  const PhSceneEdge *edge = ph_scene_edge (scene, index);

  if (edge->n_points < 4)
    return;
  cairo_save (cr);
  set_color (cr, *color);
  cairo_set_line_width (cr, width);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  if (edge->backward)
    cairo_set_dash (cr, (double[]) { 6, 4 }, 2, 0);
  edge_path (scene, cr, edge, options, FALSE);
  cairo_stroke (cr);
  if (!edge->inner)
    {
      arrow_path (scene, cr, edge, options, 7 + width);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

/* Strokes of one look are one path: what costs is the number of strokes. */
typedef enum { EDGE_PLAIN, EDGE_BACKWARD, EDGE_CONTROL, EDGE_ADDED, EDGE_ADDED_BACKWARD, EDGE_REMOVED, N_EDGE_LOOKS } EdgeLook;

static gboolean
edge_look (PhScene *scene, int edge, const PhDrawOptions *options, EdgeLook *look)
{
  const PhSceneEdge *at = ph_scene_edge (scene, edge);
  const gboolean now = ph_scene_edge_at (scene, edge, options->time);
  const gboolean before = options->since == options->time ? now : ph_scene_edge_at (scene, edge, options->since);

  if (at->n_points < 4 || (!now && !before))
    return FALSE;
  *look = now && !before ? (at->backward ? EDGE_ADDED_BACKWARD : EDGE_ADDED) : before && !now ? EDGE_REMOVED
        : at->control ? EDGE_CONTROL : at->backward ? EDGE_BACKWARD : EDGE_PLAIN;
  return TRUE;
}

static void
draw_edges (PhScene *scene, cairo_t *cr, const PhDrawOptions *options, GArray *edges)
{
  const gboolean far = options->scale < FAR_SCALE;
  const gboolean diff = options->since != options->time;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  PhColor plain = mix (background, text, diff || options->dim ? 0.22 : options->theme >= PH_THEME_HIGH_CONTRAST ? 0.9 : 0.5);
  const double pixel = 1 / options->scale;

  for (int look = 0; look < N_EDGE_LOOKS; look++)
    {
      PhColor color = look == EDGE_ADDED || look == EDGE_ADDED_BACKWARD ? ph_theme_change (options->theme, PH_CHANGE_ADDED)
                    : look == EDGE_REMOVED ? ph_theme_change (options->theme, PH_CHANGE_REMOVED)
                    : look == EDGE_BACKWARD ? mix (plain, ph_family_color (PH_FAMILY_ACTIVATION, options->theme), diff ? 0.3 : 0.75) : plain;
      double width = MAX (look >= EDGE_ADDED ? 2.0 : 1.3, (far ? 0.8 : 0.9) * pixel);
      guint drawn = 0;

      cairo_set_line_width (cr, width);
      if (far)
        color.alpha *= 0.75;
      set_color (cr, color);
      if (look == EDGE_BACKWARD || look == EDGE_ADDED_BACKWARD || look == EDGE_REMOVED)
        cairo_set_dash (cr, (double[]) { 5 * width, 3.5 * width }, 2, 0);
      else if (look == EDGE_CONTROL)
        cairo_set_dash (cr, (double[]) { 1.5 * width, 3 * width }, 2, 0);
      else
        cairo_set_dash (cr, NULL, 0, 0);
      if (far)
        cairo_set_dash (cr, NULL, 0, 0);
      for (guint i = 0; i < edges->len; i++)
        {
          const int e = g_array_index (edges, int, i);
          const PhSceneEdge *edge = ph_scene_edge (scene, e);
          EdgeLook is;

          if (!edge_look (scene, e, options, &is) || (int) is != look)
            continue;
          if (far && MAX (edge->bounds.width, edge->bounds.height) < 1.5 * pixel)
            continue;
          if (options->edge_width && edge->kib > 0)
            {
              cairo_stroke (cr);
              cairo_set_line_width (cr, width * (0.7 + 0.45 * log2 (1 + edge->kib / 4.0)));
              edge_path (scene, cr, edge, options, far);
              cairo_stroke (cr);
              cairo_set_line_width (cr, width);
              continue;
            }
          edge_path (scene, cr, edge, options, far);
          if (++drawn % 64 == 0)
            cairo_stroke (cr);
        }
      cairo_stroke (cr);
      if (far || options->scale < 0.25)
        continue;
      for (guint i = 0; i < edges->len; i++)
        {
          const int e = g_array_index (edges, int, i);
          const PhSceneEdge *edge = ph_scene_edge (scene, e);
          EdgeLook is;

          if (edge_look (scene, e, options, &is) && (int) is == look && !edge->inner)
            arrow_path (scene, cr, edge, options, look >= EDGE_ADDED ? 9 : 7.5);
        }
      cairo_fill (cr);
    }
  cairo_set_dash (cr, NULL, 0, 0);
}

static PhPoint
middle_of (const PhPoint *p, guint n)
{
  const guint k = n / 6 * 3;        /* the first point of the middle curve */
  const PhPoint *c = p + MIN (k, n - 4);

  return (PhPoint) { (c[0].x + 3 * c[1].x + 3 * c[2].x + c[3].x) / 8, (c[0].y + 3 * c[1].y + 3 * c[2].y + c[3].y) / 8 };
}

static void
draw_labels (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, GArray *edges)
{
  const PhColor background = ph_theme_background (options->theme);
  const PhColor text = mix (background, ph_theme_text (options->theme), 0.75);

  for (guint i = 0; i < edges->len; i++)
    {
      const int e = g_array_index (edges, int, i);
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhId value = ph_scene_edge_value (scene, e, options->time);
      const char *type = value != PH_NO_ID ? ph_scene_value_type (scene, value) : NULL;
      PangoLayout *layout;
      PhPoint at;
      int width, height;

      if (type == NULL || edge->n_points < 4 || edge->bounds.height < 18)
        continue;
      layout = ink_layout (ink, INK_TEXT, type);
      pango_layout_get_size (layout, &width, &height);
      at = middle_of (ph_scene_points (scene, edge), edge->n_points);
      cairo_save (cr);
      cairo_translate (cr, at.x, at.y);
      cairo_scale (cr, 0.72, 0.72);
      {
        const PhRect plate = { -width / 2.0 / PANGO_SCALE - 4, -height / 2.0 / PANGO_SCALE, width / (double) PANGO_SCALE + 8,
                               height / (double) PANGO_SCALE };

        set_color (cr, (PhColor) { background.red, background.green, background.blue, 0.9 });
        rounded (cr, &plate, 5);
        cairo_fill (cr);
        set_color (cr, text);
        show_text (cr, ink, INK_TEXT, type, 0, 0, 0.5, 0);
      }
      cairo_restore (cr);
    }
}

/* ── boxes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhRect          rect;
  const PhTenant *tenant, *gone;
  const PhFace   *face;
  PhChange        change;
  PhColor         color;         /* of its header */
  gboolean        pale;
} Look;

/* FALSE: nobody is at home, now or before. */
static gboolean
look_at (PhScene *scene, int box, const PhDrawOptions *options, Look *look)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  PhColor background = ph_theme_background (options->theme);

  look->change = ph_scene_change (scene, box, options->since, options->time, &look->gone);
  look->tenant = ph_scene_tenant (scene, box, options->time);
  if (look->tenant == NULL)
    {
      look->tenant = look->gone;
      look->gone = NULL;
    }
  if (look->tenant == NULL)
    return FALSE;
  look->face = ph_scene_face (scene, look->tenant, look->change == PH_CHANGE_REMOVED ? options->since : options->time);
  look->rect = ph_scene_card (scene, box, options->time, options->since);
  look->pale = options->dim || (options->since != options->time && look->change == PH_CHANGE_NONE);
  look->color = ph_family_color (look->face->family, options->theme);
  if (options->color_mode == PH_COLOR_ROLE && at->kind == PH_BOX_NODE)
    look->color = ph_role_color (look->tenant->role, options->theme);
  if (options->color_mode == PH_COLOR_HEAT && options->heat != NULL && at->kind == PH_BOX_NODE)
    look->color = options->heat[box] >= 0 ? ph_heat_color (options->heat[box], options->theme)
                                          : mix (background, ph_theme_text (options->theme), 0.25);
  if (look->pale)
    look->color = mix (background, look->color, 0.4);
  if (look->change == PH_CHANGE_REMOVED)
    look->color = mix (background, look->color, 0.45);
  return TRUE;
}

static PhColor
card_color (PhTheme theme)
{
  switch (theme)
    {
    case PH_THEME_DARK: return (PhColor) { 0.19, 0.19, 0.205, 1 };
    case PH_THEME_HIGH_CONTRAST_DARK: return (PhColor) { 0.06, 0.06, 0.06, 1 };
    case PH_THEME_LIGHT: case PH_THEME_HIGH_CONTRAST: default: return (PhColor) { 1, 1, 1, 1 };
    }
}

/* A round badge at a corner, so that a change is told by its sign too. */
static void
draw_badge (cairo_t *cr, PhTheme theme, double x, double y, PhChange change)
{
  set_color (cr, ph_theme_background (theme));
  cairo_arc (cr, x, y, 10, 0, 2 * G_PI);
  cairo_fill (cr);
  set_color (cr, ph_theme_change (theme, change));
  cairo_arc (cr, x, y, 8.5, 0, 2 * G_PI);
  cairo_fill (cr);
  set_color (cr, ph_theme_background (theme));
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
      const PhChange change = now && !before ? PH_CHANGE_ADDED : before && !now ? PH_CHANGE_REMOVED : PH_CHANGE_NONE;
      const PhColor tone = change != PH_CHANGE_NONE ? ph_theme_change (options->theme, change)
                         : pill->is_link ? ph_theme_accent (options->theme) : ink_color;
      const double strength = change != PH_CHANGE_NONE ? 0.9 : pale || options->dim ? 0.3 : 0.62;
      const double middle = pill->rect.y + pill->rect.height / 2;

      if (!now && !before)
        continue;
      set_color (cr, mix (background, tone, 0.09));
      rounded (cr, &pill->rect, PH_PILL_HEIGHT / 2);
      cairo_fill_preserve (cr);
      set_color (cr, mix (background, tone, change != PH_CHANGE_NONE ? 0.9 : 0.28));
      cairo_set_line_width (cr, change != PH_CHANGE_NONE ? 1.6 : 1);
      cairo_stroke (cr);
      cairo_move_to (cr, pill->rect.x + pill->rect.width, middle);
      cairo_line_to (cr, card->x, CLAMP (middle, card->y + 5, card->y + card->height - 5));
      cairo_stroke (cr);
      if (options->scale >= NEAR_SCALE)
        {
          set_color (cr, mix (background, tone, strength));
          show_text (cr, ink, INK_TEXT, ph_scene_pill_face (scene, pill)->title, pill->rect.x + pill->rect.width / 2, middle, 0.5,
                     pill->rect.width - 10);
        }
    }
}

/* The operators inside a fused node, as small boxes of their own colours on the grey of the fusion. */
static double
draw_body (cairo_t *cr, PhInk *ink, const PhDrawOptions *options, const Look *look, double y)
{
  const PhColor background = ph_theme_background (options->theme);
  const double pale = look->pale ? 0.6 : look->change == PH_CHANGE_REMOVED ? 0.5 : 0;

  const float room = look->rect.width - 2 * PH_FACE_MARGIN + 6;

  for (guint i = 0; i < look->face->n_body; i++)       /* two a line, the last alone takes all of it */
    {
      const gboolean alone = i % 2 == 0 && i + 1 == look->face->n_body;
      const PhRect chip = { look->rect.x + PH_FACE_MARGIN - 3 + i % 2 * (room / 2 + 1.5f), y + i / 2 * PH_FACE_CHIP,
                            alone ? room : room / 2 - 1.5f, PH_FACE_CHIP - 4 };

      rounded (cr, &chip, 5);
      set_color (cr, mix (ph_family_color (look->face->body_family[i], options->theme), background, pale));
      cairo_fill (cr);
      set_color (cr, (PhColor) { 1, 1, 1, 1 });
      show_text (cr, ink, INK_TEXT, look->face->body[i], chip.x + chip.width / 2, chip.y + chip.height / 2, 0.5, chip.width - 8);
    }
  y += (look->face->n_body + 1) / 2 * PH_FACE_CHIP;
  if (look->face->n_more > 0)
    {
      g_autofree char *more = g_strdup_printf ("and %u more", look->face->n_more);

      set_color (cr, mix (background, ph_theme_text (options->theme), 0.6));
      show_text (cr, ink, INK_TEXT, more, look->rect.x + look->rect.width / 2, y + PH_FACE_ROW / 2 - 2, 0.5, look->rect.width - 8);
      y += PH_FACE_ROW;
    }
  return y;
}

static void
draw_card (PhScene *scene, cairo_t *cr, PhInk *ink, const PhSceneBox *box, const PhDrawOptions *options, const Look *look)
{
  const PhRect *rect = &look->rect;
  const gboolean io = box->kind != PH_BOX_NODE, near = options->scale >= NEAR_SCALE;
  const double radius = io ? rect->height / 2 : 7;
  const PhColor background = ph_theme_background (options->theme);
  const PhColor card = look->pale ? mix (background, card_color (options->theme), 0.6) : card_color (options->theme);
  const PhColor text = look->pale ? mix (background, ph_theme_text (options->theme), 0.4) : ph_theme_text (options->theme);
  const PhColor dim = mix (card, text, 0.68);
  const gboolean ghost = look->change == PH_CHANGE_REMOVED;
  const gboolean plain_body = near && !io && rect->height > PH_FACE_HEADER + 4;
  double y;

  if (look->gone != NULL)      /* what stood here before peeps out behind what replaced it */
    {
      const PhRect behind = { rect->x + 8, rect->y - 8, rect->width, rect->height };
      const PhColor red = ph_theme_change (options->theme, PH_CHANGE_REMOVED);

      rounded (cr, &behind, radius);
      set_color (cr, mix (background, red, 0.12));
      cairo_fill_preserve (cr);
      set_color (cr, red);
      cairo_set_line_width (cr, 1.6);
      cairo_set_dash (cr, (double[]) { 5, 3 }, 2, 0);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
    }
  if (!ghost && !look->pale && options->theme == PH_THEME_LIGHT)
    {
      const PhRect shadow = { rect->x, rect->y + 1.5f, rect->width, rect->height };

      rounded (cr, &shadow, radius);
      cairo_set_source_rgba (cr, 0, 0, 0, 0.10);
      cairo_fill (cr);
    }
  rounded (cr, rect, radius);
  set_color (cr, plain_body ? card : io ? mix (card, look->color, 0.16) : look->color);
  if (look->face->n_body > 0 && plain_body)
    set_color (cr, mix (background, text, 0.10));
  if (ghost && plain_body)
    set_color (cr, mix (background, ph_theme_change (options->theme, PH_CHANGE_REMOVED), 0.07));
  cairo_fill (cr);
  if (plain_body)
    {
      cairo_save (cr);
      cairo_rectangle (cr, rect->x - 1, rect->y - 1, rect->width + 2, PH_FACE_HEADER + 1);
      cairo_clip (cr);
      rounded (cr, rect, radius);
      set_color (cr, look->color);
      cairo_fill (cr);
      cairo_restore (cr);
    }

  /* The border: of the change, or a hairline. */
  if (look->change != PH_CHANGE_NONE)
    {
      const PhRect frame = grown (rect, 1.5);

      set_color (cr, ph_theme_change (options->theme, look->change));
      cairo_set_line_width (cr, MAX (3, 1.6 / options->scale));
      if (ghost)
        cairo_set_dash (cr, (double[]) { 6, 4 }, 2, 0);
      rounded (cr, &frame, radius + 1.5);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
    }
  else
    {
      const PhRect frame = grown (rect, -0.5);

      set_color (cr, options->theme >= PH_THEME_HIGH_CONTRAST ? text : mix (look->color, text, io ? 0.1 : 0.0));
      cairo_set_line_width (cr, options->theme >= PH_THEME_HIGH_CONTRAST ? 2 : 1);
      rounded (cr, &frame, radius);
      cairo_stroke (cr);
    }

  if (options->scale < FAR_SCALE)
    return;
  if (!near)
    {
      set_color (cr, io ? text : look->pale ? card_color (options->theme) : (PhColor) { 1, 1, 1, 1 });
      show_text (cr, ink, INK_BIG, look->face->title, rect->x + rect->width / 2, rect->y + rect->height / 2, 0.5, rect->width - 8);
      return;
    }
  if (io)
    {
      set_color (cr, text);
      show_text (cr, ink, INK_TITLE, look->face->title, rect->x + rect->width / 2,
                 rect->y + (look->face->shape != NULL ? rect->height / 2 - 8 : rect->height / 2), 0.5, rect->width - 12);
      set_color (cr, dim);
      if (look->face->shape != NULL)
        show_text (cr, ink, INK_TEXT, look->face->shape, rect->x + rect->width / 2, rect->y + rect->height / 2 + 9, 0.5, rect->width - 12);
      return;
    }
  set_color (cr, (PhColor) { 1, 1, 1, look->pale || ghost ? 0.85 : 1 });
  if (box->can_open)      /* there is more inside */
    {
      cairo_move_to (cr, rect->x + 8, rect->y + PH_FACE_HEADER / 2 - 4.5);
      cairo_rel_line_to (cr, 6, 4.5);
      cairo_rel_line_to (cr, -6, 4.5);
      cairo_close_path (cr);
      cairo_fill (cr);
    }
  show_text (cr, ink, INK_TITLE, look->face->title, rect->x + rect->width / 2, rect->y + PH_FACE_HEADER / 2, 0.5, rect->width - (box->can_open ? 36 : 8));
  y = rect->y + PH_FACE_HEADER + 4;
  if (look->face->n_body > 0)
    y = draw_body (cr, ink, options, look, y + 2);
  y += PH_FACE_ROW / 2;
  set_color (cr, text);
  if (look->face->detail != NULL)
    {
      show_text (cr, ink, INK_TEXT, look->face->detail, rect->x + PH_FACE_MARGIN, y, 0, rect->width - 2 * PH_FACE_MARGIN);
      y += PH_FACE_ROW;
    }
  set_color (cr, dim);
  for (guint i = 0; i < look->face->n_rows; i++, y += PH_FACE_ROW)
    show_text (cr, ink, INK_TEXT, look->face->rows[i], rect->x + PH_FACE_MARGIN, y, 0, rect->width - 2 * PH_FACE_MARGIN);
  if (look->face->shape != NULL)
    {
      set_color (cr, look->pale ? dim : mix (text, look->color, 0.75));
      show_text (cr, ink, INK_TEXT, look->face->shape, rect->x + rect->width - PH_FACE_MARGIN,
                 MAX (y, rect->y + rect->height - 4 - PH_FACE_ROW / 2), 1, rect->width - 2 * PH_FACE_MARGIN);
    }
}

static void
draw_group (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  const PhRect *rect = &box->rect;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  const PhTenant *tenant = box->kind == PH_BOX_NODE ? ph_scene_tenant (scene, index, options->time) : NULL;
  const char *title = box->title != NULL ? box->title : tenant != NULL ? ph_scene_face (scene, tenant, options->time)->title : "";
  /* Blocks that are alike share a tint. */
  static const PhFamily tints[] = { PH_FAMILY_LINEAR, PH_FAMILY_NORM, PH_FAMILY_ACTIVATION, PH_FAMILY_POOL, PH_FAMILY_ARITHMETIC };
  const PhColor tint = box->pattern > 0 ? ph_family_color (tints[(box->pattern - 1) % G_N_ELEMENTS (tints)], options->theme) : text;
  guint added = 0, removed = 0, changed = 0;

  if (options->since != options->time)
    ph_scene_count_changes (scene, index, options->since, options->time, &added, &removed, &changed);
  if (!box->open && box->pattern > 0 && options->scale >= FAR_SCALE)
    for (int i = 2; i > 0; i--)
      {
        const PhRect behind = { rect->x + 4 * i, rect->y + 4 * i, rect->width, rect->height };

        rounded (cr, &behind, 10);
        set_color (cr, mix (background, tint, 0.08));
        cairo_fill_preserve (cr);
        set_color (cr, mix (background, tint, 0.35));
        cairo_set_line_width (cr, 1);
        cairo_stroke (cr);
      }
  rounded (cr, rect, 10);
  set_color (cr, mix (background, tint, box->open ? 0.05 : 0.14));
  cairo_fill_preserve (cr);
  set_color (cr, mix (background, tint, box->open ? 0.25 : 0.6));
  cairo_set_line_width (cr, MAX (1.2, 0.8 / options->scale));
  cairo_stroke (cr);
  if (options->scale < FAR_SCALE)
    {
      /* From afar the title is what is left to read, as large as fits. */
      const double size = MIN (12 / options->scale, box->open ? rect->height / 6 : rect->height * 0.7);

      if (size * options->scale >= 6)
        {
          cairo_save (cr);
          cairo_translate (cr, rect->x + (box->open ? 10 : rect->width / 2), rect->y + (box->open ? size * 0.8 : rect->height / 2));
          cairo_scale (cr, size / 19, size / 19);
          set_color (cr, mix (background, text, 0.85));
          show_text (cr, ink, INK_BIG, title, 0, 0, box->open ? 0 : 0.5, (rect->width - 16) / (size / 19));
          cairo_restore (cr);
        }
    }
  else if (box->open)
    {
      set_color (cr, mix (background, text, 0.75));
      show_text (cr, ink, INK_TITLE, title, rect->x + 12, rect->y + 15, 0, rect->width - 24);
    }
  else
    {
      set_color (cr, mix (background, text, 0.95));
      show_text (cr, ink, INK_TITLE, title, rect->x + rect->width / 2, rect->y + rect->height / 2 - 9, 0.5, rect->width - 20);
      set_color (cr, mix (background, text, 0.62));
      if (box->detail != NULL)
        show_text (cr, ink, INK_TEXT, box->detail, rect->x + rect->width / 2, rect->y + rect->height / 2 + 11, 0.5, rect->width - 20);
    }
  if (added + removed + changed > 0 && options->scale >= FAR_SCALE)
    {
      const guint counts[3] = { added, removed, changed };
      static const PhChange changes[3] = { PH_CHANGE_ADDED, PH_CHANGE_REMOVED, PH_CHANGE_CHANGED };
      static const char *const signs[3] = { "+", "−", "~" };
      double x = rect->x + rect->width - 6;

      for (int i = 2; i >= 0; i--)
        if (counts[i] > 0)
          {
            g_autofree char *label = g_strdup_printf ("%s%u", signs[i], counts[i]);

            set_color (cr, ph_theme_change (options->theme, changes[i]));
            x -= show_text (cr, ink, INK_TITLE, label, x, rect->y + (box->open ? 15 : 9), 1, 0) + 7;
          }
    }
}

void
ph_scene_draw_box (PhScene *scene, cairo_t *cr, PhInk *ink, int index, const PhDrawOptions *options)
{
  const PhSceneBox *box = ph_scene_box (scene, index);
  Look look;

  if (box->kind == PH_BOX_GROUP || box->open)
    {
      draw_group (scene, cr, ink, index, options);
      return;
    }
  if (!look_at (scene, index, options, &look))
    return;
  if (options->scale < FAR_SCALE)
    {
      cairo_rectangle (cr, box->rect.x, box->rect.y, box->rect.width, box->rect.height);
      set_color (cr, look.change != PH_CHANGE_NONE ? ph_theme_change (options->theme, look.change) : look.color);
      cairo_fill (cr);
      return;
    }
  if (box->n_pills > 0)
    draw_pills (scene, cr, ink, box, &look.rect, options, look.pale);
  draw_card (scene, cr, ink, box, options, &look);
  if (options->scale < 0.3)
    return;
  if (look.gone != NULL)
    draw_badge (cr, options->theme, look.rect.x + look.rect.width + 8, look.rect.y - 8, PH_CHANGE_REMOVED);
  if (look.change != PH_CHANGE_NONE)
    draw_badge (cr, options->theme, look.rect.x, look.rect.y, look.change);
}

static int
compare_depth (gconstpointer a, gconstpointer b, gpointer data)
{
  const PhSceneBox *x = ph_scene_box (data, *(const int *) a), *y = ph_scene_box (data, *(const int *) b);

  return x->depth != y->depth ? (int) x->depth - (int) y->depth : *(const int *) a - *(const int *) b;
}

void
ph_scene_draw (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options)
{
  g_autoptr(GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr(GArray) edges = g_array_new (FALSE, FALSE, sizeof (int));
  /* Arrow heads, badges, pills and shadows stand out of their boxes. */
  const PhRect around = { options->clip.x - 12, options->clip.y - 14, options->clip.width + 180, options->clip.height + 28 };
  gboolean groups = FALSE;

  if (!options->transparent)
    {
      set_color (cr, ph_theme_background (options->theme));
      cairo_rectangle (cr, options->clip.x, options->clip.y, options->clip.width, options->clip.height);
      cairo_fill (cr);
    }
  ph_scene_boxes_in (scene, &around, boxes);
  ph_scene_edges_in (scene, &options->clip, edges);
  for (guint i = 0; i < boxes->len && !groups; i++)
    groups = ph_scene_box (scene, g_array_index (boxes, int, i))->depth > 0 || ph_scene_box (scene, g_array_index (boxes, int, i))->open;
  if (groups)
    {
      g_array_sort_with_data (boxes, compare_depth, scene);
      for (guint i = 0; i < boxes->len; i++)
        if (ph_scene_box (scene, g_array_index (boxes, int, i))->open)
          draw_group (scene, cr, ink, g_array_index (boxes, int, i), options);
    }
  draw_edges (scene, cr, options, edges);
  for (guint i = 0; i < boxes->len; i++)
    if (!ph_scene_box (scene, g_array_index (boxes, int, i))->open)
      ph_scene_draw_box (scene, cr, ink, g_array_index (boxes, int, i), options);
  if (options->scale >= LABEL_SCALE)
    draw_labels (scene, cr, ink, options, edges);
}
