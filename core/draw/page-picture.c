/* page-picture.c: writes a scene as SVG with the times of each of its parts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/draw/draw-private.h"
#include "core/draw/page-private.h"
#include "core/scene/scene-read.h"

#define TIGHT 0.7 /* of the room: longer text gets a fixed length, to fit in any font */

typedef struct
{
  GString *out, *ends;
  PhScene *scene;
  PhInk *ink;
  int first, last;
  GHashTable *looks;   /* content of a card or pill -> its number: equal ones are written once */
  GPtrArray *contents; /* (element-type utf8) by that number */
} Page;

static guint
take_look (Page *page, GString *look)
{
  gpointer known = g_hash_table_lookup (page->looks, look->str);
  char *content;

  if (known != NULL)
    return GPOINTER_TO_UINT (known);
  content = g_strdup (look->str);
  g_ptr_array_add (page->contents, content);
  g_hash_table_insert (page->looks, content, GUINT_TO_POINTER (page->contents->len));
  return page->contents->len;
}

/* Appends @number with one decimal, omitted if it is 0. */
static void
add_number (GString *out, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const double rounded = round (number * 10) / 10;

  g_string_append (out, g_ascii_formatd (text, sizeof text, rounded == floor (rounded) ? "%.0f" : "%.1f", rounded));
}

static void
add_attribute (Page *page, const char *name, double number)
{
  g_string_append_printf (page->out, " %s=\"", name);
  add_number (page->out, number);
  g_string_append_c (page->out, '"');
}

/* Appends the times of a part unless it always exists. */
static void
add_life (Page *page, int born, int died)
{
  if (born > page->first)
    g_string_append_printf (page->out, " data-b=\"%d\"", born);
  if (died <= page->last)
    g_string_append_printf (page->out, " data-d=\"%d\"", died);
}

static gboolean
is_ever (const Page *page, int born, int died)
{
  return born <= page->last && died > page->first;
}

static const char *
hidden (const Page *page, int born, int died)
{
  return born <= page->last && page->last < died ? "" : " off";
}

static void
add_text (Page *page, PhInkKind kind, const char *class, const char *text, double x, double y, double room)
{
  double width, height;

  ph_ink_size (page->ink, kind, text, &width, &height);
  g_string_append (page->out, "<text");
  if (*class != '\0')
    g_string_append_printf (page->out, " class=\"%s\"", class);
  add_attribute (page, "x", x);
  add_attribute (page, "y", y);
  if (room > 0 && width > TIGHT * room)
    add_attribute (page, "textLength", MIN (width, room));
  g_string_append_c (page->out, '>');
  ph_page_append_text (page->out, text);
  g_string_append (page->out, "</text>");
}

static void
add_rect (Page *page, const char *class, double x, double y, double width, double height, double radius)
{
  g_string_append (page->out, "<rect");
  if (*class != '\0')
    g_string_append_printf (page->out, " class=\"%s\"", class);
  if (x != 0)
    add_attribute (page, "x", x);
  if (y != 0)
    add_attribute (page, "y", y);
  add_attribute (page, "width", width);
  add_attribute (page, "height", height);
  add_attribute (page, "rx", radius);
  g_string_append (page->out, "/>");
}

/* ── cards ── */

/* Adds the operators inside a fused node, two per line. Returns the y of the next row. */
static double
add_body (Page *page, const PhFace *face, double width, double y)
{
  const double room = width - 2 * PH_FACE_MARGIN + 6;

  for (guint i = 0; i < face->n_body; i++)
    {
      const gboolean alone = i % 2 == 0 && i + 1 == face->n_body;
      const double x = PH_FACE_MARGIN - 3 + i % 2 * (room / 2 + 1.5), chip = alone ? room : room / 2 - 1.5,
                   top = y + i / 2 * PH_FACE_CHIP;

      g_string_append_printf (page->out, "<g class=\"chip f%d\">", face->body_family[i]);
      add_rect (page, "", x, top, chip, PH_FACE_CHIP - 4, 5);
      add_text (page, PH_INK_TEXT, "", face->body[i], x + chip / 2, top + (PH_FACE_CHIP - 4) / 2, chip - 8);
      g_string_append (page->out, "</g>");
    }
  y += (face->n_body + 1) / 2 * PH_FACE_CHIP;
  if (face->n_more > 0)
    {
      g_autofree char *more = g_strdup_printf ("and %u more", face->n_more);

      add_text (page, PH_INK_TEXT, "m d", more, width / 2, y + PH_FACE_ROW / 2 - 2, width - 8);
      y += PH_FACE_ROW;
    }
  return y;
}

static void
add_rows (Page *page, const PhFace *face, double width, double height)
{
  const double room = width - 2 * PH_FACE_MARGIN;
  double y = PH_FACE_HEADER + 4;

  if (face->n_body > 0)
    y = add_body (page, face, width, y + 2);
  y += PH_FACE_ROW / 2;
  if (face->detail != NULL)
    {
      add_text (page, PH_INK_TEXT, "", face->detail, PH_FACE_MARGIN, y, room);
      y += PH_FACE_ROW;
    }
  for (guint i = 0; i < face->n_rows; i++, y += PH_FACE_ROW)
    add_text (page, PH_INK_TEXT, "d", face->rows[i], PH_FACE_MARGIN, y, room);
  if (face->shape != NULL && *face->shape != '\0')
    add_text (page, PH_INK_TEXT, "r d", face->shape, width - PH_FACE_MARGIN, MAX (y, height - 4 - PH_FACE_ROW / 2), room);
}

/* Adds the parts of a card that do not depend on its place. */
static void
add_look (Page *page, const PhFace *face, const PhRect *card, gboolean io, gboolean body, double radius)
{
  add_rect (page, io ? "b i" : !body ? "b h" : face->n_body > 0 ? "b u" : "b", 0, 0, card->width, card->height, radius);
  if (io)
    {
      add_text (page, PH_INK_TITLE, "t n", face->title, card->width / 2, card->height / 2 - (face->shape != NULL ? 8 : 0),
                card->width - 12);
      if (face->shape != NULL)
        add_text (page, PH_INK_TEXT, "m d", face->shape, card->width / 2, card->height / 2 + 9, card->width - 12);
    }
  else
    {
      if (body)
        {
          g_string_append (page->out, "<path class=\"h\" d=\"M0 24V7a7 7 0 0 1 7-7h");
          add_number (page->out, card->width - 14);
          g_string_append (page->out, "a7 7 0 0 1 7 7V24z\"/>");
        }
      add_text (page, PH_INK_TITLE, "t", face->title, card->width / 2, PH_FACE_HEADER / 2, card->width - 8);
      add_rows (page, face, card->width, card->height);
    }
}

static void
add_card (Page *page, int index, const PhTenant *tenant, int born, int died)
{
  const PhSceneBox *box = ph_scene_box (page->scene, index);
  const PhFace *face = ph_scene_face (page->scene, tenant, born);
  const PhRect card = ph_scene_card (page->scene, index, born, born);
  const gboolean io = box->kind != PH_BOX_NODE, body = !io && card.height > PH_FACE_HEADER + 4;
  const double radius = io ? card.height / 2 : 7;
  GString *out = page->out;
  g_autoptr (GString) look = page->out = g_string_new (NULL);

  add_look (page, face, &card, io, body, radius);
  page->out = out;
  g_string_append_printf (page->out, "<g class=\"c f%d%s%s\" data-k=\"%d\" data-i=\"%s%u\"", face->family, io ? " io" : "",
                          hidden (page, born, died), index, box->kind == PH_BOX_OUTPUT ? "y" : "",
                          box->kind == PH_BOX_OUTPUT ? (guint) index : tenant->id);
  add_life (page, born, died);
  if (tenant->n_faces > 1)
    g_string_append_printf (page->out, " data-g=\"%x.%x\"", face->signature, face->own_types);
  g_string_append (page->out, " transform=\"translate(");
  add_number (page->out, card.x);
  g_string_append_c (page->out, ' ');
  add_number (page->out, card.y);
  g_string_append (page->out, ")\">");
  g_string_append_printf (page->out, "<use href=\"#L%u\"/></g>\n", take_look (page, look));
}

static void
add_pills (Page *page, const PhSceneBox *box, int index)
{
  for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
    {
      const PhPill *pill = ph_scene_pill (page->scene, p);
      const double middle = pill->rect.y + pill->rect.height / 2;
      GString *out = page->out;
      g_autoptr (GString) look = g_string_new (NULL);
      PhRect card;

      if (!is_ever (page, pill->born, pill->died))
        continue;
      page->out = look;
      add_rect (page, "q", 0, 0, pill->rect.width, pill->rect.height, PH_PILL_HEIGHT / 2);
      add_text (page, PH_INK_TEXT, "m s", ph_scene_pill_face (page->scene, pill)->title, pill->rect.width / 2,
                pill->rect.height / 2, pill->rect.width - 10);
      page->out = out;
      card = ph_scene_card (page->scene, index, MAX (pill->born, page->first), pill->born);
      g_string_append_printf (page->out, "<g class=\"p%s%s\"", pill->is_link ? " l" : "", hidden (page, pill->born, pill->died));
      add_life (page, pill->born, pill->died);
      g_string_append (page->out, "><path d=\"M");
      add_number (page->out, pill->rect.x + pill->rect.width);
      g_string_append_c (page->out, ' ');
      add_number (page->out, middle);
      g_string_append_c (page->out, 'L');
      add_number (page->out, card.x);
      g_string_append_c (page->out, ' ');
      add_number (page->out, CLAMP (middle, card.y + 5, card.y + card.height - 5));
      g_string_append (page->out, "\"/>");
      g_string_append_printf (page->out, "<use href=\"#L%u\"", take_look (page, look));
      add_attribute (page, "x", pill->rect.x);
      add_attribute (page, "y", pill->rect.y);
      g_string_append (page->out, "/>");
      g_string_append (page->out, "</g>\n");
    }
}

static void
add_box (Page *page, int index)
{
  const PhSceneBox *box = ph_scene_box (page->scene, index);

  if (box->n_pills > 0)
    add_pills (page, box, index);
  for (guint t = 0; t < box->n_tenants; t++)
    {
      const PhTenant *tenant = ph_scene_tenant_at (page->scene, box->first_tenant + t);

      for (int born = tenant->born, died; born < tenant->died; born = died)
        {
          died = ph_scene_face_until (page->scene, tenant, born);
          if (is_ever (page, born, died))
            add_card (page, index, tenant, born, died);
        }
    }
}

/* ── groups ── */

static const char *
title_of (Page *page, int index)
{
  const PhSceneBox *box = ph_scene_box (page->scene, index);
  const PhTenant *tenant = box->kind == PH_BOX_NODE ? ph_scene_tenant (page->scene, index, page->last) : NULL;

  if (box->kind == PH_BOX_NODE && tenant == NULL && box->n_tenants > 0)
    tenant = ph_scene_tenant_at (page->scene, box->first_tenant);
  return box->title != NULL ? box->title : tenant != NULL ? ph_scene_face (page->scene, tenant, page->last)->title : "";
}

/* Draws the frame of a group where it is from @born to before @died. */
static void
add_frame (Page *page, int index, const PhGroupState *group, int born, int died)
{
  const PhSceneBox *box = ph_scene_box (page->scene, index);
  const PhRect *rect = &group->rect;
  const double middle = rect->x + rect->width / 2;

  if (!is_ever (page, born, died))
    return;
  g_string_append (page->out, "<g");
  if (!box->open)
    g_string_append_printf (page->out, " id=\"g%d\"", index);
  g_string_append_printf (page->out, " class=\"g%s", box->open ? "" : " z");
  if (box->pattern > 0)
    g_string_append_printf (page->out, " f%d", ph_draw_group_tint (box));
  g_string_append_printf (page->out, "%s\"", hidden (page, born, died));
  add_life (page, born, died);
  g_string_append_c (page->out, '>');
  add_rect (page, "", rect->x, rect->y, rect->width, rect->height, 10);
  if (box->open && group->band.width <= 0)
    add_text (page, PH_INK_TITLE, "gt", group->title, rect->x + 11, rect->y + 15, rect->width - 24);
  if (!box->open)
    {
      g_autofree char *detail = ph_scene_group_text (page->scene, index, page->last);

      add_text (page, PH_INK_TITLE, "gt", group->title, middle, rect->y + rect->height / 2 - 9, rect->width - 20);
      add_text (page, PH_INK_TEXT, "gd m d", detail, middle, rect->y + rect->height / 2 + 11, rect->width - 20);
      add_text (page, PH_INK_TEXT, "gc", "", rect->x + rect->width - 8, rect->y, 0);
    }
  g_string_append (page->out, "</g>\n");
}

/* What joins frames lies over the borders of both, with lines at its two other sides. */
static void
add_bands (Page *page, int index)
{
  PhGroupState group;

  for (int born = 0, until; ph_scene_box (page->scene, index)->n_states > 0 && born < G_MAXINT; born = until)
    {
      const PhRect *band = &group.band;

      if (!ph_scene_group_at (page->scene, index, born, &group, &until) || band->width <= 0 || !is_ever (page, born, until))
        continue;

      const gboolean down = band->y >= group.rect.y + group.rect.height - 1 || band->y + band->height <= group.rect.y + 1;
      g_string_append_printf (page->out, "<g class=\"g%s\"", hidden (page, born, until));
      add_life (page, born, until);
      g_string_append (page->out, "><rect");
      add_attribute (page, "x", band->x - !down);
      add_attribute (page, "y", band->y - down);
      add_attribute (page, "width", band->width + 2 * !down);
      add_attribute (page, "height", band->height + 2 * down);
      g_string_append (page->out, " stroke-dasharray=\""); /* along the upper side, down, back, up */
      for (int side = 0; side < (down ? 5 : 2); side++, g_string_append_c (page->out, ' '))
        add_number (page->out, down && side == 0         ? 0
                               : (side % 2 == 0) == down ? band->height + 2 * down
                                                         : band->width + 2 * !down);
      g_string_append (page->out, down ? "0\"/></g>\n" : "\"/></g>\n");
    }
}

static void
add_group (Page *page, int index)
{
  const PhSceneBox *box = ph_scene_box (page->scene, index);
  int born = 0, died = G_MAXINT;

  if (box->n_tenants > 0)
    {
      born = ph_scene_tenant_at (page->scene, box->first_tenant)->born;
      died = ph_scene_tenant_at (page->scene, box->first_tenant + box->n_tenants - 1)->died;
    }
  if (!box->open || box->n_states == 0)
    add_frame (page, index, &(PhGroupState) { .rect = box->rect, .title = title_of (page, index) }, born, died);
  for (int until; box->open && box->n_states > 0 && born < G_MAXINT; born = until)
    {
      PhGroupState group;

      if (ph_scene_group_at (page->scene, index, born, &group, &until))
        add_frame (page, index, &group, born, until);
    }
}

/* ── lines ── */

/* Returns TRUE if the border of @index is at some time inside of the border of its place. */
static gboolean
is_loose (Page *page, int index)
{
  const PhSceneBox *box = ph_scene_box (page->scene, index);

  if (box->kind == PH_BOX_INPUT || box->kind == PH_BOX_OUTPUT)
    return TRUE;

  for (guint t = 0; t < box->n_tenants && !box->open; t++)
    {
      const PhTenant *tenant = ph_scene_tenant_at (page->scene, box->first_tenant + t);

      for (int born = tenant->born; born < tenant->died; born = ph_scene_face_until (page->scene, tenant, born))
        {
          const PhRect card = ph_scene_card (page->scene, index, born, born);

          if (card.width < box->rect.width - 0.5f || card.height < box->rect.height - 0.5f)
            return TRUE;
        }
    }
  return FALSE;
}

static void
add_point (GString *out, char letter, PhPoint at)
{
  if (letter != '\0')
    g_string_append_c (out, letter);
  add_number (out, at.x);
  g_string_append_c (out, ' ');
  add_number (out, at.y);
}

static void
add_curve (GString *out, PhPoint a, PhPoint b, PhPoint to)
{
  add_point (out, 'C', a);
  g_string_append_c (out, ' ');
  add_point (out, '\0', b);
  g_string_append_c (out, ' ');
  add_point (out, '\0', to);
}

/* Returns the curve, optionally extended to the cards that exist at @time. */
static char *
print_line (Page *page, int index, const GArray *points, gboolean joined, int time)
{
  const PhSceneEdge *edge = ph_scene_edge (page->scene, index);
  const PhPoint *p = (const PhPoint *) (gconstpointer) points->data, start = p[0], end = p[edge->n_points - 1];
  const PhPoint from = joined ? ph_draw_end_of (page->scene, edge->from, start, p[1], time, time) : start;
  const PhPoint to = joined ? ph_draw_end_of (page->scene, edge->to, end, p[edge->n_points - 2], time, time) : end;
  GString *out = g_string_new (NULL);
  PhPoint inner[2];

  add_point (out, 'M', from);
  if (from.x != start.x || from.y != start.y)
    {
      if (ph_draw_join (from, start, p[1], inner))
        add_curve (out, inner[0], inner[1], start);
      else
        add_point (out, 'L', start);
    }
  for (guint i = 1; i + 2 < edge->n_points; i += 3)
    if (fabsf (p[i - 1].x - p[i + 2].x) < 0.5f && fabsf (p[i].x - p[i + 1].x) < 0.5f)
      add_point (out, 'L', p[i + 2]);
    else
      add_curve (out, p[i], p[i + 1], p[i + 2]);
  if (to.x != end.x || to.y != end.y)
    {
      if (ph_draw_join (to, end, p[edge->n_points - 2], inner))
        add_curve (out, inner[1], inner[0], to);
      else
        add_point (out, 'L', to);
    }
  return g_string_free (out, FALSE);
}

static void
add_end (Page *page, const char *name, int index)
{
  const PhRect rect = ph_scene_box (page->scene, index)->rect;
  const double sides[] = { rect.x, rect.y, rect.width, rect.height };
  g_autofree char *key = g_strdup_printf ("\"%d\":", index);

  g_string_append_printf (page->out, " data-%s=\"%d\"", name, index);
  if (strstr (page->ends->str, key) != NULL)
    return;
  if (page->ends->len > 1)
    g_string_append_c (page->ends, ',');
  g_string_append (page->ends, key);
  for (guint i = 0; i < 4; i++)
    {
      g_string_append_c (page->ends, i == 0 ? '[' : ',');
      add_number (page->ends, sides[i]);
    }
  g_string_append_c (page->ends, ']');
}

/* Returns the times of line @k: "first,end,first,end". (transfer full) */
static char *
print_spans (Page *page, int index, guint k)
{
  const PhSceneEdge *edge = ph_scene_edge (page->scene, index);
  GString *text = g_string_new (NULL);

  for (guint s = 0; s < edge->n_spans; s++)
    {
      const PhEdgeSpan *span = ph_scene_span (page->scene, edge->first_span + s);

      for (int born = span->born, died; born < span->died; born = died)
        {
          const guint n = ph_scene_edge_lines (page->scene, index, born, &died);

          died = MIN (died, span->died);
          if (is_ever (page, born, died) && (k == 0 || (k < n && n <= PH_LINES_MOST)))
            g_string_append_printf (text, "%s%d,%d", text->len > 0 ? "," : "", MAX (born, page->first),
                                    died > page->last ? -1 : died);
        }
    }
  return g_string_free (text, FALSE);
}

static void
add_line (Page *page, int index, guint k, guint n_lines)
{
  const PhSceneEdge *edge = ph_scene_edge (page->scene, index);
  const gboolean now = ph_scene_edge_at (page->scene, index, page->last)
                       && k < ph_scene_edge_lines (page->scene, index, page->last, NULL);
  const gboolean loose_from = is_loose (page, edge->from), loose_to = is_loose (page, edge->to);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  g_autofree char *spans = print_spans (page, index, k), *line = NULL;

  if (*spans == 0)
    return;
  ph_draw_line_of (page->scene, index, k, n_lines, points);
  line = print_line (page, index, points, TRUE, now ? page->last : ph_scene_span (page->scene, edge->first_span)->born);
  g_string_append_printf (page->out, "<path class=\"e%s%s%s%s\" data-s=\"%s\" data-a=\"%d\" data-z=\"%d\" d=\"%s\"",
                          edge->backward ? " bw" : "", edge->control ? " ct" : "", edge->inner ? " in" : "", now ? "" : " off",
                          spans, edge->from, edge->to, line);
  if (loose_from || loose_to)
    {
      g_autofree char *base = print_line (page, index, points, FALSE, page->last);

      if (strcmp (base, line) != 0)
        g_string_append_printf (page->out, " data-l=\"%s\"", base);
    }
  if (loose_from)
    add_end (page, "f", edge->from);
  if (loose_to)
    add_end (page, "o", edge->to);
  g_string_append (page->out, "/>\n");
}

static void
add_edge (Page *page, int index)
{
  const guint most = ph_scene_edge_most_lines (page->scene, index), n = most > PH_LINES_MOST ? 1 : most;

  for (guint k = 0; k < n && ph_scene_edge (page->scene, index)->n_points >= 4; k++)
    add_line (page, index, k, n);
}

static void
add_arrow (GString *out, const char *id, const char *color)
{
  g_string_append_printf (
      out,
      "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
      "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 .5 8 4 0 7.5z\" fill=\"%s\"/></marker>",
      id, color);
}

void
ph_page_add_picture (GString *out, PhScene *scene, int first, int last, GString *ends)
{
  g_autoptr (PhInk) ink = ph_ink_new ();
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GHashTable) looks = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) contents = g_ptr_array_new_with_free_func (g_free);
  Page page = {
    .out = out, .ends = ends, .scene = scene, .ink = ink, .first = first, .last = last, .looks = looks, .contents = contents
  };

  g_string_append (out, "<svg id=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"The graph\"");
  g_string_append (out, " viewBox=\"-10 -14 ");
  add_number (out, ph_scene_width (scene) + 20);
  g_string_append_c (out, ' ');
  add_number (out, ph_scene_height (scene) + 28);
  g_string_append_printf (out, "\" width=\"%.0f\" height=\"%.0f\">\n<defs>", ph_scene_width (scene) + 20,
                          ph_scene_height (scene) + 28);
  add_arrow (out, "a", "var(--edge)");
  add_arrow (out, "ab", "color-mix(in srgb,var(--activation) 75%,var(--edge))");
  add_arrow (out, "ap", "var(--pale)");
  add_arrow (out, "an", "var(--added)");
  add_arrow (out, "ar", "var(--removed)");
  add_arrow (out, "al", "var(--accent)");
  g_string_append (out, "</defs>\n<g id=\"world\">\n");
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const int index = (int) b;

      if (ph_scene_box (scene, index)->shown)
        g_array_append_val (order, index);
    }
  g_array_sort_with_data (order, ph_draw_compare_depth, scene);
  for (guint i = 0; i < order->len; i++)
    {
      const PhSceneBox *box = ph_scene_box (scene, g_array_index (order, int, i));

      if (box->open)
        add_group (&page, g_array_index (order, int, i));
    }
  for (guint i = 0; i < order->len; i++)
    add_bands (&page, g_array_index (order, int, i));
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    add_edge (&page, (int) e);
  for (guint i = 0; i < order->len; i++)
    {
      const PhSceneBox *box = ph_scene_box (scene, g_array_index (order, int, i));

      if (!box->open && box->kind == PH_BOX_GROUP)
        add_group (&page, g_array_index (order, int, i));
      else if (!box->open)
        add_box (&page, g_array_index (order, int, i));
    }
  g_string_append (out, "</g>\n<defs>\n");
  for (guint i = 0; i < contents->len; i++)
    g_string_append_printf (out, "<g id=\"L%u\">%s</g>\n", i + 1, (char *) contents->pdata[i]);
  g_string_append (out, "</defs></svg>\n");
}
