/* reroute.c: reroutes lines that cross boxes, by the helper.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/helper.h"

#define WORK     1500   /* milliseconds of the processor */
#define PATIENCE 4.0    /* seconds                       */
#define LONGEST  2900   /* points of a line              */
#define MANY     100000 /* boxes                         */
#define WILD     100.0f /* points that a handle may be longer than twice its curve */

static void
append_number (GString *text, double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, ' ');
  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.2f", number));
}

static GBytes *
write_request (const PhLayout *layout, const GArray *edges)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "peephole-layout 2 %d\nroute %u %u\n", WORK, layout->n_boxes, edges->len);
  for (guint b = 0; b < layout->n_boxes; b++)
    {
      const PhLayoutBox *box = &layout->boxes[b];

      g_string_append_c (text, 'b');
      append_number (text, box->x + box->anchor);
      append_number (text, box->y);
      append_number (text, MAX (box->width - 2 * fabsf (box->anchor), 1));
      append_number (text, MAX (box->height - 2 * box->inset, 1));
      append_number (text, MAX (2 * box->anchor, 0));
      g_string_append_c (text, '\n');
    }
  for (guint i = 0; i < edges->len; i++)
    {
      const PhLayoutEdge *edge = &layout->edges[g_array_index (edges, guint, i)];

      g_string_append_printf (text, "l %u %u %u", edge->from, edge->to, edge->n_points);
      for (guint p = 0; p < edge->n_points; p++)
        {
          append_number (text, g_array_index (layout->points, PhPoint, edge->first_point + p).x);
          append_number (text, g_array_index (layout->points, PhPoint, edge->first_point + p).y);
        }
      g_string_append_c (text, '\n');
    }
  g_string_append (text, "end\n");
  return g_string_free_to_bytes (text);
}

/* Reads the answer, one line for each edge; a truncated answer keeps the lines read so far. */
static void
read_answer (PhLayout *layout, const GArray *edges, const char *at, const char *end)
{
  for (guint i = 0; i < edges->len; i++)
    {
      PhLayoutEdge *edge = &layout->edges[g_array_index (edges, guint, i)];
      const guint first = layout->points->len;
      double n, x, y;

      if (end - at < 4 || *at++ != 'l' || !ph_helper_number (&at, end, &n) || n < 0 || n > (double) (end - at)
          || (n > 0 && fmod (n, 3) != 1))
        return;
      for (guint p = 0; p < (guint) n; p++)
        {
          PhPoint point;

          if (!ph_helper_number (&at, end, &x) || !ph_helper_number (&at, end, &y))
            {
              g_array_set_size (layout->points, first);
              return;
            }
          point.x = x;
          point.y = y;
          g_array_append_val (layout->points, point);
        }
      if (at >= end || *at++ != '\n')
        return;
      if (n < 4)
        continue;
      edge->first_point = first;
      edge->n_points = n;
    }
}

static void
lead_around (PhLayout *layout, GCancellable *cancellable)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GBytes) text = NULL, answer = NULL;
  g_autoptr (GError) error = NULL;
  const char *said;
  gboolean late;
  gsize size = 0;

  if (layout->n_boxes > MANY || ph_layout_overruns (layout, edges) == 0)
    return;
  for (guint i = 0; i < edges->len;)
    if (layout->edges[g_array_index (edges, guint, i)].n_points > LONGEST)
      g_array_remove_index (edges, i);
    else
      i++;
  text = write_request (layout, edges);
  if (!ph_helper_run (text, PATIENCE, cancellable, &answer, &late, &error))
    g_debug ("%s", error->message);
  said = answer != NULL ? g_bytes_get_data (answer, &size) : NULL;
  if (said != NULL)
    read_answer (layout, edges, said, said + size);
}

/* Shortens the handles of a curve that a router made much longer than the way is: Graphviz's fit of a curve into a narrow corner may leave the
 * picture by thousands of points. */
static void
tame (PhPoint *p)
{
  const float way = hypotf (p[3].x - p[0].x, p[3].y - p[0].y);

  for (int end = 0; end < 4; end += 3)
    {
      PhPoint *handle = &p[end == 0 ? 1 : 2];
      const float dx = handle->x - p[end].x, dy = handle->y - p[end].y, length = hypotf (dx, dy);

      if (length > 2 * way + WILD)
        *handle = (PhPoint) { p[end].x + dx * way / length, p[end].y + dy * way / length };
    }
}

void
ph_layout_lead_around (PhLayout *layout, GCancellable *cancellable)
{
  lead_around (layout, cancellable);
  for (guint e = 0; e < layout->n_edges; e++)
    for (guint i = 0; i + 3 < layout->edges[e].n_points; i += 3)
      tame (&g_array_index (layout->points, PhPoint, layout->edges[e].first_point + i));
}
