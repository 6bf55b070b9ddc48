/* edge-lines.c: the edges of a scene from the laid out segments, and their times.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/scene/arrange.h"
#include "core/scene/scene-build.h"

#define TOUCHES 0.5f /* points between two ends that are one          */
#define BUNDLE  64   /* uses: larger bundles are one line, or closed */

static int
compare_parts (const void *x, const void *y)
{
  const PhPart *a = x, *b = y;

  return a->segment != b->segment ? a->segment - b->segment : a->union_edge - b->union_edge;
}

static int
compare_spans (const void *x, const void *y)
{
  return ((const PhEdgeSpan *) x)->born - ((const PhEdgeSpan *) y)->born;
}

static int
compare_times (const void *x, const void *y)
{
  return *(const int *) x - *(const int *) y;
}

/* Counts how many inputs of one node @uses are at @time. */
static guint
count_at (PhRecord *record, const GArray *uses, int time)
{
  guint most = 0;

  for (guint i = 0; i < uses->len; i++)
    {
      const int to = g_array_index (record->uses, PhUseLife, g_array_index (uses, int, i)).to;
      guint n = 0;

      for (guint k = 0; k < uses->len; k++)
        {
          const PhUseLife *use = &g_array_index (record->uses, PhUseLife, g_array_index (uses, int, k));

          if (use->to == to && use->born <= time && time < use->died)
            n += use->times;
        }
      most = MAX (most, n);
    }
  return most;
}

/* Two operands from one node get two lines, since x * x would otherwise seem to have one. Lines into a closed group are merged. */
static void
add_counts (PhScene *scene, PhSceneEdge *edge, const GArray *uses)
{
  const PhSceneBox *to = ph_scene_box (scene, edge->to);
  g_autoptr (GArray) times = NULL;
  gboolean many = uses->len > 1;
  guint last = 1;

  edge->first_count = scene->counts->len;
  for (guint i = 0; i < uses->len && !many; i++)
    many = g_array_index (scene->record->uses, PhUseLife, g_array_index (uses, int, i)).times > 1;
  if (!many || uses->len > BUNDLE || edge->control || (to->kind == PH_BOX_GROUP && !to->open))
    return;
  times = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; i < uses->len; i++)
    {
      const PhUseLife *use = &g_array_index (scene->record->uses, PhUseLife, g_array_index (uses, int, i));

      g_array_append_val (times, use->born);
      g_array_append_val (times, use->died);
    }
  g_array_sort (times, compare_times);
  for (guint i = 0; i < times->len; i++)
    {
      const PhEdgeCount count = { g_array_index (times, int, i), count_at (scene->record, uses, g_array_index (times, int, i)) };

      if (count.n == last || count.n == 0)
        continue;
      g_array_append_val (scene->counts, count);
      edge->n_counts++;
      last = count.n;
    }
}

/* Adds the times of a segment, the union of those of its uses. */
static void
add_spans (PhArranger *a, PhSceneEdge *edge, const PhPart *parts, guint n_parts, GArray *all, GArray *uses)
{
  PhScene *scene = a->scene;

  g_array_set_size (all, 0);
  g_array_set_size (uses, 0);
  edge->control = TRUE;
  for (guint i = 0; i < n_parts; i++)
    {
      const PhUnionEdge *whole = &g_array_index (a->build->union_edges, PhUnionEdge, parts[i].union_edge);

      edge->backward |= ph_arrange_backward (scene, whole->from) || ph_arrange_backward (scene, whole->to);
      for (guint u = 0; u < whole->n_uses; u++)
        {
          const PhUseLife *use = &g_array_index (scene->record->uses, PhUseLife, a->build->uses[whole->first_use + u]);
          const PhEdgeSpan span = { use->born, use->died, use->value };

          g_array_append_val (all, span);
          g_array_append_val (uses, a->build->uses[whole->first_use + u]);
          edge->control &= use->control;
          edge->kib = MAX (edge->kib, ph_record_known (scene->record, use->value).kib);
        }
    }
  g_array_sort (all, compare_spans);
  edge->first_span = scene->spans->len;
  for (guint i = 0; i < all->len; i++)
    {
      const PhEdgeSpan *span = &g_array_index (all, PhEdgeSpan, i);
      PhEdgeSpan *last = edge->n_spans > 0 ? &g_array_index (scene->spans, PhEdgeSpan, scene->spans->len - 1) : NULL;

      if (last != NULL && span->born <= last->died && span->value == last->value)
        last->died = MAX (last->died, span->died);
      else if (last != NULL && span->died <= last->died)
        continue;
      else
        {
          g_array_append_val (scene->spans, *span);
          edge->n_spans++;
        }
    }
  add_counts (scene, edge, uses);
}

void
ph_arrange_lines (PhArranger *a)
{
  PhScene *scene = a->scene;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (PhEdgeSpan)), uses = g_array_new (FALSE, FALSE, sizeof (int));

  g_array_sort (a->parts, compare_parts);
  for (guint i = 0, stop; i < a->parts->len; i = stop)
    {
      const PhPart *parts = &g_array_index (a->parts, PhPart, i);
      const PhSegment *segment = &g_array_index (a->segments, PhSegment, parts->segment);
      PhSceneEdge edge = { .source = segment->source, .first_point = scene->points->len, .n_points = segment->n };
      const float x = segment->group < 0 ? 0 : ph_scene_box (scene, segment->group)->rect.x;
      const float y = segment->group < 0 ? 0 : ph_scene_box (scene, segment->group)->rect.y;

      for (stop = i; stop < a->parts->len && g_array_index (a->parts, PhPart, stop).segment == parts->segment; stop++)
        ;
      edge.from = segment->from < a->n ? segment->from : g_array_index (a->ports, PhPort, segment->from - a->n).group;
      edge.to = segment->to < a->n ? segment->to : g_array_index (a->ports, PhPort, segment->to - a->n).group;
      edge.inner = segment->to >= a->n;
      for (guint p = 0; p < segment->n; p++)
        {
          PhPoint point = g_array_index (a->local, PhPoint, segment->first + p);

          point.x += x;
          point.y += y;
          g_array_append_val (scene->points, point);
        }
      add_spans (a, &edge, parts, stop - i, all, uses);
      g_array_append_val (scene->edges, edge);
    }
}

/* Appends a curve. If the line has an end already, it continues from there: at a border, or through an empty place, from where the edge
 * above enters to where the one below leaves. */
static void
append_curve (PhScene *scene, PhSceneEdge *edge, const PhPoint *p, guint n)
{
  if (edge->n_points > 0)
    {
      const PhPoint from = g_array_index (scene->points, PhPoint, scene->points->len - 1);
      const PhPoint through[3] = { { from.x, from.y + (p[0].y - from.y) / 2 }, { p[0].x, p[0].y - (p[0].y - from.y) / 2 }, p[0] };

      if (fabsf (from.x - p[0].x) > TOUCHES || fabsf (from.y - p[0].y) > TOUCHES)
        {
          g_array_append_vals (scene->points, through, 3);
          edge->n_points += 3;
        }
      p++;
      n--;
    }
  g_array_append_vals (scene->points, p, n);
  edge->n_points += n;
}

/* Returns FALSE if the segment has no line. */
static gboolean
append_segment (PhArranger *a, PhSceneEdge *edge, int index)
{
  const PhSegment *segment = &g_array_index (a->segments, PhSegment, index);
  g_autofree PhPoint *points = NULL;

  if (segment->n < 4)
    return FALSE;
  points = g_memdup2 (&g_array_index (a->local, PhPoint, segment->first), sizeof (PhPoint) * segment->n);
  for (guint i = 0; i < segment->n && segment->group >= 0; i++)
    {
      points[i].x += ph_scene_box (a->scene, segment->group)->rect.x;
      points[i].y += ph_scene_box (a->scene, segment->group)->rect.y;
    }
  append_curve (a->scene, edge, points, segment->n);
  return TRUE;
}

/* Returns FALSE if a part of the way has no place. */
static gboolean
append_way (PhArranger *a, PhSceneEdge *edge, guint e)
{
  const PhUnionEdge *at = &g_array_index (a->build->union_edges, PhUnionEdge, e);

  for (guint k = 0; k < at->n_via; k++)
    if (!append_way (a, edge, g_array_index (a->build->vias, int, at->first_via + k)))
      return FALSE;
  if (at->n_via > 0)
    return TRUE;
  if (a->cut_of[e] < 0)
    return FALSE;
  for (int c = a->cut_of[e]; g_array_index (a->cuts, int, c) >= 0; c++)
    if (!append_segment (a, edge, g_array_index (a->cuts, int, c)))
      return FALSE;
  return TRUE;
}

/* Edges that run through the places of others. */
void
ph_arrange_bypasses (PhArranger *a)
{
  PhScene *scene = a->scene;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (PhEdgeSpan)), uses = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint e = 0; e < a->build->union_edges->len; e++)
    {
      const PhUnionEdge *at = &g_array_index (a->build->union_edges, PhUnionEdge, e);
      PhSceneEdge edge = { .from = at->from, .to = at->to, .source = at->from, .first_point = scene->points->len };
      const PhPart part = { -1, e };

      if (at->from < 0 || at->n_via == 0 || !ph_arrange_sees_way (a, at) || !ph_scene_box (scene, at->from)->shown)
        continue;
      if (append_way (a, &edge, e))
        {
          add_spans (a, &edge, &part, 1, all, uses);
          g_array_append_val (scene->edges, edge);
        }
      else
        g_array_set_size (scene->points, edge.first_point);
    }
}
