/* draw-edge.c: draws edges: strokes of one style as one path, arrows, and the tensors on them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

#include <math.h>

#define CORNER       4    /* from which on the side of a box is straight */
#define LABEL_SIZE   0.72 /* of the text in boxes */
#define PILL_REACH   170  /* how far left of its box a pill may start */
#define LABEL_LENGTH 72   /* least height of an edge with a label of its value */
#define TYPE_LENGTH  200  /* and of its type, which the box also shows */

/* Returns the end of a line on the border of a pill, whose ends are half circles: where the line from @on through @end meets it. */
static PhPoint
end_at_pill (const PhRect *card, PhPoint end, PhPoint on)
{
  const float radius = card->height / 2, far = hypotf (end.x - on.x, end.y - on.y);
  const float dx = far > 0.1f ? (end.x - on.x) / far : 0, dy = far > 0.1f ? (end.y - on.y) / far : 0;

  for (float t = 0; t <= radius; t += 0.5f)
    {
      const PhPoint at = { end.x + t * dx, end.y + t * dy };
      const float x = CLAMP (at.x, card->x + radius, card->x + card->width - radius);

      if (hypotf (at.x - x, at.y - card->y - radius) <= radius + 0.1f)
        return at;
    }
  /* It passes by: the nearest point. */
  const PhPoint middle = { CLAMP (end.x, card->x + radius, card->x + card->width - radius), card->y + radius };
  const float away = MAX (hypotf (end.x - middle.x, end.y - middle.y), 0.1f);
  return (PhPoint) { middle.x + radius / away * (end.x - middle.x), middle.y + radius / away * (end.y - middle.y) };
}

/* Returns the end of an edge on the card that is in the slot at @time, which may be smaller than the slot. */
PhPoint
ph_draw_end_of (PhScene *scene, int box, PhPoint end, PhPoint on, int time, int since)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhPoint place = end;
  PhRect card;

  if (at->n_tenants == 0 || at->open)
    return end;
  card = ph_scene_card (scene, box, time, since);
  const gboolean bottom = end.y >= at->rect.y + at->rect.height - 1, top = !bottom && end.y <= at->rect.y + 1;
  const gboolean right = end.x >= at->rect.x + at->rect.width - 1, left = end.x <= at->rect.x + 1;

  if (bottom || top)
    end = (PhPoint) { CLAMP (end.x, card.x + CORNER, card.x + card.width - CORNER), bottom ? card.y + card.height : card.y };
  else if (right || left)
    end = (PhPoint) { right ? card.x + card.width : card.x, CLAMP (end.y, card.y + CORNER, card.y + card.height - CORNER) };
  if ((bottom || top || right || left) && (at->kind == PH_BOX_INPUT || at->kind == PH_BOX_OUTPUT))
    end = end_at_pill (&card, end, on);
  /* What is that short has no direction, which an arrow needs. */
  return hypotf (end.x - place.x, end.y - place.y) < 1 ? place : end;
}

gboolean
ph_draw_join (PhPoint card, PhPoint place, PhPoint on, PhPoint inner[2])
{
  const float x = place.x - card.x, y = place.y - card.y, dx = on.x - place.x, dy = on.y - place.y, far = hypotf (dx, dy);
  const float bow = far > 0.1f ? 0.4f * hypotf (x, y) / far : 0;

  if (fabsf (x * dy - y * dx) < 0.5f * far)
    return FALSE;
  inner[0] = fabsf (y) > fabsf (x) ? (PhPoint) { card.x, card.y + 0.5f * y } : (PhPoint) { card.x + 0.5f * x, card.y };
  inner[1] = (PhPoint) { place.x - bow * dx, place.y - bow * dy };
  return TRUE;
}

/* Returns the number of lines of an edge at @time; very many are drawn as one with a count. */
static guint
lines_at (PhScene *scene, int edge, int time)
{
  const guint n = ph_scene_edge_lines (scene, edge, time, NULL);

  return n > PH_LINES_MOST ? 1 : n;
}

/* Returns a point at @offset from the middle of a line's end, along the side of the box there, so that adjacent lines do not cross. */
static PhPoint
offset_at (PhScene *scene, int box, PhPoint end, PhPoint other, float offset)
{
  const PhRect *rect = &ph_scene_box (scene, box)->rect;
  const gboolean left = end.x <= rect->x + 1, right = end.x >= rect->x + rect->width - 1;

  if (!left && !right)
    return (PhPoint) { offset, 0 };
  if (ph_scene_is_across (scene))
    return (PhPoint) { 0, offset };
  return (PhPoint) { 0, left == (other.y > end.y) ? offset : -offset };
}

void
ph_draw_line_of (PhScene *scene, int index, guint line, guint n_lines, GArray *points)
{
  const PhSceneEdge *edge = ph_scene_edge (scene, index);
  const PhPoint *p = ph_scene_points (scene, edge);
  const PhRect *from = &ph_scene_box (scene, edge->from)->rect, *to = &ph_scene_box (scene, edge->to)->rect;
  const float least = ph_scene_is_across (scene) ? MIN (from->height, to->height) : MIN (from->width, to->width);
  const float offset = (line - (n_lines - 1) / 2.0f) * MIN (PH_LINES_GAP, 0.6f * least / n_lines);

  g_array_set_size (points, 0);
  g_array_append_vals (points, p, edge->n_points);
  if (n_lines < 2 || edge->n_points < 4)
    return;

  const PhPoint first = p[0], last = p[edge->n_points - 1];
  const PhPoint a = offset_at (scene, edge->from, first, last, offset), b = offset_at (scene, edge->to, last, first, offset);

  for (guint i = 0; i < edge->n_points; i++)
    {
      PhPoint *point = &g_array_index (points, PhPoint, i);
      const float t = i / (edge->n_points - 1.0f);

      point->x += a.x + t * (b.x - a.x);
      point->y += a.y + t * (b.y - a.y);
    }
}

/* One line of an edge, extended to cards that are smaller than their slots. @line: from there on; @n: points. */
typedef struct
{
  const PhPoint *points;
  guint n;
  PhPoint start, tip;
} Line;

static Line
line_of (PhScene *scene, int index, guint k, guint n_lines, const PhDrawOptions *options, GArray *room)
{
  const PhSceneEdge *edge = ph_scene_edge (scene, index);
  Line line = { ph_scene_points (scene, edge), edge->n_points };

  if (n_lines > 1)
    {
      ph_draw_line_of (scene, index, k, n_lines, room);
      line.points = (const PhPoint *) (gpointer) room->data;
    }
  line.start = ph_draw_end_of (scene, edge->from, line.points[0], line.points[1], options->time, options->since);
  line.tip = ph_draw_end_of (scene, edge->to, line.points[line.n - 1], line.points[line.n - 2], options->time, options->since);
  return line;
}

static void
line_path (cairo_t *cr, const Line *line, gboolean far)
{
  const PhPoint *p = line->points, *last = p + line->n - 1, start = far ? *p : line->start, end = far ? *last : line->tip;
  PhPoint inner[2];

  cairo_move_to (cr, start.x, start.y);
  if (start.x != p[0].x || start.y != p[0].y)
    {
      if (ph_draw_join (start, p[0], p[1], inner))
        cairo_curve_to (cr, inner[0].x, inner[0].y, inner[1].x, inner[1].y, p[0].x, p[0].y);
      else
        cairo_line_to (cr, p[0].x, p[0].y);
    }
  for (guint i = 1; i + 2 < line->n; i += 3)
    {
      if (far || (fabsf (p[i - 1].x - p[i + 2].x) < 0.5f && fabsf (p[i].x - p[i + 1].x) < 0.5f))
        cairo_line_to (cr, p[i + 2].x, p[i + 2].y);
      else
        cairo_curve_to (cr, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
    }
  if (end.x != last->x || end.y != last->y)
    {
      if (ph_draw_join (end, *last, last[-1], inner))
        cairo_curve_to (cr, inner[1].x, inner[1].y, inner[0].x, inner[0].y, end.x, end.y);
      else
        cairo_line_to (cr, end.x, end.y);
    }
}

static void
arrow_path (cairo_t *cr, const Line *line, double size)
{
  const PhPoint tip = line->tip, *last = line->points + line->n - 1;
  PhPoint inner[2];
  double dx = 0, dy = 0, length = 0;

  if ((tip.x != last->x || tip.y != last->y) && ph_draw_join (tip, *last, last[-1], inner))
    {
      dx = tip.x - inner[0].x;
      dy = tip.y - inner[0].y;
      length = hypot (dx, dy);
    }
  for (int i = line->n - 1; length < 0.1 && i >= 0; i--)
    {
      dx = tip.x - line->points[i].x;
      dy = tip.y - line->points[i].y;
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
  const guint n = lines_at (scene, index, ph_scene_edge_at (scene, index, options->time) ? options->time : options->since);
  g_autoptr (GArray) room = g_array_new (FALSE, FALSE, sizeof (PhPoint));

  if (edge->n_points < 4)
    return;
  cairo_save (cr);
  ph_set_color (cr, *color);
  cairo_set_line_width (cr, width);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  for (guint k = 0; k < n; k++)
    {
      const Line line = line_of (scene, index, k, n, options, room);

      cairo_set_dash (cr, (double[]) { 6, 4 }, edge->backward ? 2 : 0, 0);
      line_path (cr, &line, FALSE);
      cairo_stroke (cr);
      if (edge->inner)
        continue;
      arrow_path (cr, &line, 7 + width);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}

/* Strokes of one style form one path, because the number of strokes determines the cost. */
typedef enum
{
  EDGE_PLAIN,
  EDGE_BACKWARD,
  EDGE_CONTROL,
  EDGE_REMOVED,
  EDGE_ADDED,
  EDGE_ADDED_BACKWARD,
  N_EDGE_LOOKS
} EdgeLook;

static gboolean
edge_look (PhScene *scene, int edge, const PhDrawOptions *options, EdgeLook *look)
{
  const PhSceneEdge *at = ph_scene_edge (scene, edge);
  const gboolean now = ph_scene_edge_at (scene, edge, options->time);
  const gboolean before = options->since == options->time ? now : ph_scene_edge_at (scene, edge, options->since);

  if (at->n_points < 4 || (!now && (!before || options->side != PH_SIDE_BOTH)))
    return FALSE;
  if (options->side == PH_SIDE_BEFORE && !before)
    *look = EDGE_REMOVED;
  else
    *look = now && !before   ? (at->backward ? EDGE_ADDED_BACKWARD : EDGE_ADDED)
            : before && !now ? EDGE_REMOVED
            : at->control    ? EDGE_CONTROL
            : at->backward   ? EDGE_BACKWARD
                             : EDGE_PLAIN;
  return TRUE;
}

guint64
ph_hash_edge (PhScene *scene, int index, const PhDrawOptions *options)
{
  const PhSceneEdge *edge = ph_scene_edge (scene, index);
  const PhPoint *p = ph_scene_points (scene, edge);
  guint64 hash = index;
  PhPoint end;
  EdgeLook look;

  if (!edge_look (scene, index, options, &look))
    return hash;
  hash = ph_hash_mix (hash, look + 1);
  hash = ph_hash_mix (hash, ph_scene_edge_lines (scene, index, look == EDGE_REMOVED ? options->since : options->time, NULL));
  end = ph_draw_end_of (scene, edge->from, p[0], p[1], options->time, options->since);
  hash = ph_hash_point (hash, end.x, end.y);
  end = ph_draw_end_of (scene, edge->to, p[edge->n_points - 1], p[edge->n_points - 2], options->time, options->since);
  hash = ph_hash_point (hash, end.x, end.y);
  const PhId value = ph_scene_edge_value (scene, index, options->time);
  const char *label = options->values != NULL ? g_hash_table_lookup (options->values, GUINT_TO_POINTER (value)) : NULL;

  return ph_hash_mix (ph_hash_mix (hash, value), label != NULL ? g_str_hash (label) : 0);
}

static void
add_lines (PhScene *scene, cairo_t *cr, int edge, const PhDrawOptions *options, gboolean removed, gboolean far, GArray *room)
{
  const guint n = far ? 1 : lines_at (scene, edge, removed ? options->since : options->time);

  for (guint k = 0; k < n; k++)
    {
      const Line line = line_of (scene, edge, k, n, options, room);

      line_path (cr, &line, far);
    }
}

void
ph_draw_edges (PhScene *scene, cairo_t *cr, const PhDrawOptions *options, GArray *edges)
{
  const gboolean far = options->scale < PH_FAR_SCALE;
  const gboolean diff = options->since != options->time;
  const PhColor background = ph_theme_background (options->theme), text = ph_theme_text (options->theme);
  const gboolean high = options->theme >= PH_THEME_HIGH_CONTRAST;
  PhColor plain = ph_mix (background, text, diff || options->dim ? (high ? 0.5 : 0.22) : high ? 0.9 : 0.5);
  const double pixel = 1 / options->scale;
  g_autoptr (GArray) room = g_array_new (FALSE, FALSE, sizeof (PhPoint));

  for (int look = 0; look < N_EDGE_LOOKS; look++)
    {
      PhColor color = look == EDGE_ADDED || look == EDGE_ADDED_BACKWARD ? ph_theme_change (options->theme, PH_CHANGE_ADDED)
                      : look == EDGE_REMOVED                            ? ph_theme_change (options->theme, PH_CHANGE_REMOVED)
                      : look == EDGE_BACKWARD
                          ? ph_mix (plain, ph_family_color (PH_FAMILY_ACTIVATION, options->theme), diff ? 0.3 : 0.75)
                          : plain;
      /* A new edge often runs along removed lines, since it passes their places: both must be visible. */
      double width = MAX (look == EDGE_REMOVED ? 3.0 : look >= EDGE_ADDED ? 1.9 : 1.3, (far ? 0.8 : 0.9) * pixel);
      guint drawn = 0;

      cairo_set_line_width (cr, width);
      if (far)
        color.alpha *= 0.75;
      ph_set_color (cr, color);
      if (look == EDGE_BACKWARD || look == EDGE_ADDED_BACKWARD || look == EDGE_REMOVED)
        cairo_set_dash (cr, (double[]) { look == EDGE_REMOVED ? 8 : 5 * width, look == EDGE_REMOVED ? 6 : 3.5 * width }, 2, 0);
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
              add_lines (scene, cr, e, options, look == EDGE_REMOVED, far, room);
              cairo_stroke (cr);
              cairo_set_line_width (cr, width);
              continue;
            }
          add_lines (scene, cr, e, options, look == EDGE_REMOVED, far, room);
          if (++drawn % 64 == 0)
            cairo_stroke (cr);
        }
      cairo_stroke (cr);
      if (far || options->scale < 0.25)
        continue;
      for (guint i = 0; i < edges->len; i++)
        {
          const int e = g_array_index (edges, int, i);
          EdgeLook is;

          if (!edge_look (scene, e, options, &is) || (int) is != look || ph_scene_edge (scene, e)->inner)
            continue;

          const guint n = lines_at (scene, e, look == EDGE_REMOVED ? options->since : options->time);
          for (guint k = 0; k < n; k++)
            {
              const Line line = line_of (scene, e, k, n, options, room);

              arrow_path (cr, &line, look >= EDGE_REMOVED ? 9 : 7.5);
            }
        }
      cairo_fill (cr);
    }
  cairo_set_dash (cr, NULL, 0, 0);
}

/* Returns the point at @part of a line of curves. */
static PhPoint
point_of (const PhPoint *p, guint n, double part)
{
  const double at = part * (n / 3);
  const guint k = MIN ((guint) at, n / 3 - 1);

  return ph_curve_at (p + 3 * k, at - k);
}

static PhPoint
middle_of (const PhPoint *p, guint n)
{
  return point_of (p, n, n / 3 % 2 == 1 ? 0.5 : 0.5 + 1.5 / n); /* in the middle of a curve */
}

/* Draws the number of inputs beside the arrow of a line that stands for very many. */
void
ph_draw_counts (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, GArray *edges)
{
  for (guint i = 0; i < edges->len; i++)
    {
      const int e = g_array_index (edges, int, i);
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const guint n = edge->n_counts > 0 ? ph_scene_edge_lines (scene, e, options->time, NULL) : 1;
      const PhPoint *tip = ph_scene_points (scene, edge) + edge->n_points - 1;
      g_autofree char *text = NULL;

      if (n <= PH_LINES_MOST || edge->n_points < 4 || edge->inner || !ph_scene_edge_at (scene, e, options->time))
        continue;
      text = g_strdup_printf ("×%u", n);
      ph_set_color (cr, ph_theme_text (options->theme));
      ph_ink_show (cr, ink, PH_INK_TEXT, text, tip->x - 6, tip->y + (edge->backward ? 8 : -8), 1, 0);
    }
}

/* Returns TRUE if the label would overlap a box, a remnant of one, a pill or another label. */
static gboolean
is_taken (PhScene *scene, const PhRect *place, const GArray *labels, GArray *boxes)
{
  const PhRect around = { place->x, place->y, place->width + PILL_REACH, place->height };

  for (guint i = 0; i < labels->len; i++)
    if (ph_rect_touches (&g_array_index (labels, PhRect, i), place))
      return TRUE;
  g_array_set_size (boxes, 0);
  ph_scene_boxes_in (scene, &around, boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      const PhSceneBox *box = ph_scene_box (scene, g_array_index (boxes, int, i));

      if (!box->open && ph_rect_touches (&box->rect, place))
        return TRUE;
      for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
        if (ph_rect_touches (&ph_scene_pill (scene, p)->rect, place))
          return TRUE;
    }
  return FALSE;
}

void
ph_draw_labels (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options, GArray *edges)
{
  static const double parts[] = { 0.4, 0.6, 0.3, 0.7, 0.2, 0.8 };
  const PhColor background = ph_theme_background (options->theme);
  const gboolean pale = options->since != options->time || options->dim;
  const PhColor text = ph_mix (background, ph_theme_text (options->theme),
                               pale && options->theme < PH_THEME_HIGH_CONTRAST ? 0.45 : 0.75);
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int)), labels = g_array_new (FALSE, FALSE, sizeof (PhRect));

  for (guint i = 0; i < edges->len; i++)
    {
      const int e = g_array_index (edges, int, i);
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhId value = ph_scene_edge_value (scene, e, options->time);
      const char *known = value != PH_NO_ID && options->values != NULL
                              ? g_hash_table_lookup (options->values, GUINT_TO_POINTER (value))
                              : NULL;
      const char *type = known != NULL ? known : value != PH_NO_ID ? ph_scene_value_type (scene, value) : NULL;
      const PhTenant *source = ph_scene_tenant (scene, edge->source, options->time);
      const gboolean stands_in_box = known != NULL && source != NULL
                                     && g_hash_table_contains (options->values, GUINT_TO_POINTER (source->id));
      const double label_size = known != NULL ? 1 : LABEL_SIZE;
      const PhPoint *points = ph_scene_points (scene, edge);
      PhPoint at;
      PhRect place;
      double width, height;

      /* A short edge has no room, and the box at its start shows the same. */
      if (type == NULL || edge->n_points < 4
          || ((known == NULL || stands_in_box)
              && (ph_scene_is_across (scene) ? fabsf (points[edge->n_points - 1].x - points[0].x)
                                             : fabsf (points[edge->n_points - 1].y - points[0].y))
                     < (known != NULL ? LABEL_LENGTH : TYPE_LENGTH)))
        continue;
      ph_ink_size (ink, PH_INK_TEXT, type, &width, &height);
      at = middle_of (points, edge->n_points);
      place.width = label_size * (width + (known != NULL ? 0 : 8));
      place.height = label_size * height;
      place.x = at.x - place.width / 2;
      place.y = at.y - place.height / 2;
      /* Looks for a free place along the line. */
      for (guint k = 0; known != NULL && k < G_N_ELEMENTS (parts) && is_taken (scene, &place, labels, boxes); k++)
        {
          at = point_of (points, edge->n_points, parts[k]);
          place.x = at.x - place.width / 2;
          place.y = at.y - place.height / 2;
        }
      if (is_taken (scene, &place, labels, boxes))
        continue;
      g_array_append_val (labels, place);
      cairo_save (cr);
      cairo_translate (cr, at.x, at.y);
      cairo_scale (cr, label_size, label_size);
      {
        const PhRect plate = { -width / 2 - 4, -height / 2, width + 8, height };

        ph_set_color (cr, (PhColor) { background.red, background.green, background.blue, 0.9 });
        ph_ink_round (cr, &plate, 5);
        cairo_fill (cr);
        ph_set_color (cr, known != NULL ? ph_theme_text (options->theme) : ph_readable (text, background));
        ph_ink_show (cr, ink, PH_INK_TEXT, type, 0, 0, 0.5, 0);
      }
      cairo_restore (cr);
    }
}
