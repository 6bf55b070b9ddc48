/* dot.c: a scene at one time as a DOT graph, for other tools.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/dot.h"

#include <math.h>

#include "core/draw/draw-private.h"
#include "core/escape.h"
#include "core/scene/scene-parts.h"
#include "core/scene/scene-read.h"

#define ARROW 7.0 /* points from where a line ends to the tip of its arrow */

static void
append_quoted (GString *text, const char *part)
{
  g_autofree char *shown = ph_escape (part, TRUE);

  for (part = shown; *part != 0; part++)
    {
      if (*part == '"' || *part == '\\')
        g_string_append_c (text, '\\');
      if (*part == '\n')
        g_string_append (text, "\\n");
      else
        g_string_append_c (text, *part);
    }
}

static const char *
change_color (PhChange change)
{
  switch (change)
    {
    case PH_CHANGE_ADDED: return "#1a7946";
    case PH_CHANGE_REMOVED: return "#c01c28";
    case PH_CHANGE_CHANGED: return "#8f5b00";
    case PH_CHANGE_NONE:
    default: return NULL;
    }
}

static void
append_number (GString *text, double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.3f", number));
}

/* Graphviz's y axis points upwards. */
static void
append_point (GString *text, PhScene *scene, double x, double y)
{
  append_number (text, x);
  g_string_append_c (text, ',');
  append_number (text, ph_scene_height (scene) - y);
}

static void
append_place (GString *text, PhScene *scene, const PhRect *rect)
{
  g_string_append (text, ", pos=\"");
  append_point (text, scene, rect->x + rect->width / 2, rect->y + rect->height / 2);
  g_string_append (text, "\", width=");
  append_number (text, rect->width / 72);
  g_string_append (text, ", height=");
  append_number (text, rect->height / 72);
}

/* Its curves, up to where the arrow begins. */
static void
append_line (GString *text, PhScene *scene, const PhSceneEdge *edge, const PhPoint *points)
{
  const PhPoint tip = points[edge->n_points - 1];
  PhPoint before = points[edge->n_points - 2];
  double length = hypot (tip.x - before.x, tip.y - before.y);

  if (length < 0.1)
    {
      before = points[edge->n_points - 3];
      length = MAX (hypot (tip.x - before.x, tip.y - before.y), 0.1);
    }
  g_string_append (text, ", pos=\"");
  if (!edge->inner)
    {
      g_string_append (text, "e,");
      append_point (text, scene, tip.x, tip.y);
      g_string_append_c (text, ' ');
    }
  for (guint i = 0; i < edge->n_points; i++)
    {
      const double back = i + 1 == edge->n_points && !edge->inner ? MIN (ARROW, length) / length : 0;

      append_point (text, scene, points[i].x - back * (tip.x - before.x), points[i].y - back * (tip.y - before.y));
      g_string_append (text, i + 1 < edge->n_points ? " " : "\"");
    }
}

static void
append_group (GString *text, PhScene *scene, guint box, int time)
{
  g_autofree char *count = ph_scene_group_text (scene, box, time);
  PhGroupState group;

  if (!ph_scene_group_at (scene, box, time, &group, NULL))
    return;
  g_string_append_printf (text, "  b%u [label=\"", box);
  append_quoted (text, group.title);
  g_string_append_printf (text, "\\n%s\"", count);
  append_place (text, scene, &group.rect);
  g_string_append (text, "];\n");
}

char *
ph_dot_print (PhScene *scene, int time, int since, GHashTable *values)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (PhPoint));

  g_string_append_printf (
      text,
      "digraph model {\n  graph [layout=nop2%s];     // places and lines as they are here; without it dot makes its own\n"
      "  node [shape=box, style=\"rounded\", fontname=\"Cantarell\", fontsize=9, fixedsize=true];\n"
      "  edge [fontname=\"Cantarell\", fontsize=9, arrowsize=0.7];\n",
      ph_scene_is_across (scene) ? ", rankdir=LR" : "");

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, b);
      const PhTenant *gone, *tenant = ph_scene_tenant (scene, b, time);
      const PhChange change = ph_scene_change (scene, b, since, time, &gone);
      const PhFace *face;

      if (!box->shown || box->open)
        continue;
      if (box->kind == PH_BOX_GROUP)
        {
          append_group (text, scene, b, time);
          continue;
        }
      if (tenant == NULL)
        tenant = gone;
      if (tenant == NULL)
        continue;
      face = ph_scene_face (scene, tenant, change == PH_CHANGE_REMOVED ? since : time);
      g_string_append_printf (text, "  b%u [label=\"", b);
      append_quoted (text, face->title);
      if (face->detail != NULL)
        {
          g_string_append (text, "\\n");
          append_quoted (text, face->detail);
        }
      for (guint i = 0; i < face->n_rows; i++)
        {
          g_string_append (text, "\\n");
          append_quoted (text, face->rows[i]);
        }
      for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
        if (ph_scene_pill (scene, p)->born <= time && time < ph_scene_pill (scene, p)->died)
          {
            g_string_append (text, "\\n");
            append_quoted (text, ph_scene_pill_face (scene, ph_scene_pill (scene, p))->title);
          }
      if (face->shape != NULL)
        {
          g_string_append (text, "\\n");
          append_quoted (text, face->shape);
        }
      g_string_append_c (text, '"');
      {
        const PhRect card = ph_scene_card (scene, b, time, since);

        append_place (text, scene, &card);
      }
      if (box->kind != PH_BOX_NODE)
        g_string_append (text, ", shape=ellipse");
      if (change_color (change) != NULL)
        g_string_append_printf (text, ", color=\"%s\", penwidth=2%s", change_color (change),
                                change == PH_CHANGE_REMOVED ? ", style=\"rounded,dashed\"" : "");
      g_string_append (text, "];\n");
    }
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const gboolean now = ph_scene_edge_at (scene, e, time), before = ph_scene_edge_at (scene, e, since);
      const PhId value = now ? ph_scene_edge_value (scene, e, time) : PH_NO_ID;
      const char *known = values != NULL && now ? g_hash_table_lookup (values, GUINT_TO_POINTER (value)) : NULL;
      const char *type = known != NULL ? known : now ? ph_scene_value_type (scene, value) : NULL;

      if ((!now && !before) || ph_scene_box (scene, edge->from)->open || ph_scene_box (scene, edge->to)->open)
        continue;
      const guint n = ph_scene_edge_lines (scene, e, now ? time : since, NULL);
      for (guint k = 0; k < n; k++)
        {
          g_string_append_printf (text, "  b%d -> b%d [label=\"", edge->from, edge->to);
          append_quoted (text, type != NULL && k == 0 ? type : "");
          g_string_append_c (text, '"');
          ph_draw_line_of (scene, e, k, n, points);
          if (edge->n_points >= 4)
            append_line (text, scene, edge, (const PhPoint *) (gpointer) points->data);
          if (now != before)
            g_string_append_printf (text, ", color=\"%s\"", change_color (now ? PH_CHANGE_ADDED : PH_CHANGE_REMOVED));
          if (edge->backward || (before && !now))
            g_string_append (text, ", style=dashed");
          g_string_append (text, "];\n");
        }
    }
  g_string_append (text, "}\n");
  return g_string_free (text, FALSE);
}
