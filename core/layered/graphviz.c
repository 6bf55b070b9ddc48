/* graphviz.c: writes requests for Graphviz with weights, ports and the two halves of a gradient, and reads the answers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/layered/helper.h"
#include "core/layered/layered.h"
#include "core/layered/route.h"

#define PORT_GAP 7.0f  /* between the ends of two lines at one side of a box, at least     */
#define GAP      6.0f  /* between boxes that were upon each other                           */
#define MANY     3000  /* boxes, beyond which they stay so                                  */
#define SPREAD   0.7f  /* of a box's width, where only some boxes have ports                */
#define CORNER   10.0f /* of a box's side, where no line ends                               */
#define EDGE     4.0f  /* of a box's side where no line ends                                */
#define OUTSIDE  8.0f  /* of its top or bottom a line is before it ends there               */
#define OUTER    0.65f /* of half a box's width: position of the outermost line beside the trunk */
#define LASTING  64    /* steps of a path are as long as one that exists most of the time */
#define CLEARLY  0.1   /* less of a score: a tenth of a crossing, a twentieth of the area   */

/* A set of options for dot. */
typedef struct
{
  gboolean ports;         /* each operand enters at its own place, also where the order means nothing */
  gboolean through;       /* a longest path enters in the middle, so that it does not drift aside from box to box */
  int trunk, chain, lone; /* weights: of a longest path; of an edge alone at both ends; alone at one  */
  gboolean all_rows;      /* of a gradient: all backward boxes of a forward one in its row            */
  gboolean own_layers;    /* the layers of our own picture, in their order: dot places, and bends the lines */
  gboolean lasting;       /* the longest path is of edges that exist most of the time */
} Way;

/* A port for each operand is easier to read; the last two are faster, and the only ones tried for many boxes. */
static const Way ways[] = { { TRUE, FALSE, 4, 3, 1, FALSE, FALSE, FALSE },
                            { TRUE, TRUE, 4, 3, 1, FALSE, FALSE, TRUE },
                            { FALSE, TRUE, 4, 3, 1, FALSE, FALSE, TRUE },
                            { FALSE, FALSE, 4, 3, 1, FALSE, TRUE, FALSE } };
static const Way gradient_ways[] = { { FALSE, FALSE, 8, 4, 1, FALSE, FALSE, FALSE },
                                     { FALSE, FALSE, 8, 4, 1, TRUE, FALSE, FALSE },
                                     { TRUE, FALSE, 8, 4, 1, FALSE, FALSE, FALSE },
                                     { TRUE, FALSE, 8, 4, 1, TRUE, FALSE, FALSE } };

/* ── weights ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns for each edge whether it is on a certain longest path, of a gradient's forward half. @lasting: one that is mostly of edges which
 * exist most of the time: others may lead each block of a history's picture a little further aside. (transfer full) */
static guint8 *
find_trunk (const PhLayout *layout, gboolean lasting)
{
  const guint n = layout->n_boxes, column = ph_layout_has_halves (layout) || n == 0 ? 0 : layout->boxes[0].column;
  guint8 *trunk = g_new0 (guint8, layout->n_edges + 1);
  g_autofree int *length = g_new0 (int, n + 1), *by = g_new (int, n + 1), *n_left = g_new0 (int, n + 1),
                 *queue = g_new (int, n + 1);
  PhRows out;
  guint head = 0, tail = 0;
  int last = -1;

  for (guint e = 0; e < layout->n_edges; e++)
    n_left[layout->edges[e].to] += layout->edges[e].presence > 0 && layout->edges[e].from != layout->edges[e].to;
  ph_rows_init (&out, n, layout->n_edges, (const int *) &layout->edges->from, sizeof (PhLayoutEdge));
  for (guint b = 0; b < n; b++)
    {
      by[b] = -1;
      if (n_left[b] == 0)
        queue[tail++] = b;
    }
  while (head < tail)
    {
      const int b = queue[head++];

      if (layout->boxes[b].column == column && (last < 0 || length[b] > length[last]))
        last = b;
      for (int k = out.start[b]; k < out.start[b + 1]; k++)
        {
          const PhLayoutEdge *edge = &layout->edges[out.index[k]];
          if (edge->presence == 0 || edge->from == edge->to)
            continue;
          const int step = !lasting || 2 * edge->presence >= PH_PRESENCE ? LASTING : 1;
          const gboolean here = layout->boxes[b].column == column && layout->boxes[edge->to].column == column;
          if (here && length[b] + step > length[edge->to])
            {
              length[edge->to] = length[b] + step;
              by[edge->to] = out.index[k];
            }
          if (--n_left[edge->to] == 0)
            queue[tail++] = edge->to;
        }
    }
  for (; last >= 0 && by[last] >= 0; last = layout->edges[by[last]].from)
    trunk[by[last]] = TRUE;
  ph_rows_clear (&out);
  return trunk;
}

/* Returns the weight of each edge. (transfer full) */
static int *
find_weights (const PhLayout *layout, const Way *way, const guint8 *trunk)
{
  int *weights = g_new (int, layout->n_edges + 1);
  g_autofree int *n_out = g_new0 (int, layout->n_boxes + 1), *n_in = g_new0 (int, layout->n_boxes + 1);

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const gboolean inside = edge->presence > 0 && layout->boxes[edge->from].column == layout->boxes[edge->to].column;

      n_out[edge->from] += inside;
      n_in[edge->to] += inside;
    }
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const gboolean first = n_out[edge->from] == 1, last = n_in[edge->to] == 1;

      weights[e] = trunk[e] ? way->trunk : first && last ? way->chain : first || last ? way->lone : 1;
      weights[e] *= MAX ((int) layout->edges[e].weight, 1);
    }
  return weights;
}

guint
ph_graphviz_effort (PhLayout *layout)
{
  g_autofree int *rank = g_new0 (int, layout->n_boxes + 1);
  g_autofree guint8 *reversed = g_new0 (guint8, layout->n_edges + 1);
  guint effort = 0;

  ph_layered_rank (layout, rank, reversed);
  for (guint e = 0; e < layout->n_edges; e++)
    effort += MAX (ABS (rank[layout->edges[e].to] - rank[layout->edges[e].from]) - 1, 0);
  return effort;
}

/* ── ends ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  int box, edge;
  float key;
} Entry;

static int
compare_entries (const void *a, const void *b)
{
  const Entry *x = a, *y = b;

  return x->box != y->box ? x->box - y->box : x->key < y->key ? -1 : x->key > y->key ? 1 : x->edge - y->edge;
}

/* Returns the place of operand @k of @n, from -1 (left) to 1. @through: the one in the middle, or -1 to spread them evenly. */
static float
place_of_entry (int k, int n, int through)
{
  if (through < 0)
    return (2 * k + 1.0f) / n - 1;
  return k < through ? OUTER * (k - through) / through : k > through ? OUTER * (k - through) / (n - 1 - through) : 0;
}

/* Returns where each edge enters its box, spread in the order of operands; with @way even if the order is insignificant. NAN: dot
 * decides. */
static float *
find_entries (const PhLayout *layout, const Way *way, const guint8 *trunk)
{
  float *entry = g_new (float, layout->n_edges + 1);
  g_autofree Entry *all = g_new (Entry, layout->n_edges + 1);
  guint n = 0;

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const PhLayoutBox *box = &layout->boxes[edge->to];

      entry[e] = fabsf (edge->to_dx) > 0.5f || edge->goes_on[1] ? edge->to_dx : NAN;
      if (!edge->goes_on[1] && (way->ports || edge->ordered) && edge->presence > 0 && box->column == 0
          && layout->boxes[edge->from].column == 0 && fabsf (edge->to_dx - box->anchor) < 0.5f)
        all[n++] = (Entry) { edge->to, e, edge->operand };
    }
  qsort (all, n, sizeof *all, compare_entries);
  for (guint i = 0, stop; i < n; i = stop)
    {
      const PhLayoutBox *box = &layout->boxes[all[i].box];
      const float width = (box->width - 2 * fabsf (box->anchor)) * (way->ports ? 1 : SPREAD) - 2 * EDGE;
      int through = -1;

      for (stop = i; stop < n && all[stop].box == all[i].box; stop++)
        if (way->through && trunk[all[stop].edge])
          through = stop - i;
      if (stop - i < 2 || width < (stop - i) * (through < 0 ? 1 : 2) * PORT_GAP)
        continue;
      for (guint k = i; k < stop; k++)
        entry[all[k].edge] = box->anchor + width / 2 * place_of_entry (k - i, stop - i, through);
    }
  return entry;
}

/* Drops the last curves of a line that came to a corner from the side: with its end moved to the top or bottom of the box it would run
 * along that side or come from within. @step: from the last point to the one before. */
static void
come_from_outside (const PhLayoutBox *box, PhLayoutEdge *edge, gboolean at_end, GArray *all)
{
  const int step = at_end ? -1 : 1;
  PhPoint *end = &g_array_index (all, PhPoint, edge->first_point + (at_end ? edge->n_points - 1 : 0));
  const float side = end->y > box->y ? 1 : -1;
  const PhPoint tip = *end;

  if (fabsf (fabsf (tip.y - box->y) - (box->height / 2 - box->inset)) > 0.5f)
    return;
  while (edge->n_points > 4 && side * (end[3 * step].y - tip.y) < OUTSIDE)
    {
      end += 3 * step;
      edge->n_points -= 3;
      edge->first_point += at_end ? 0 : 3;
    }
  *end = tip;
  if (side * (end[step].y - tip.y) < OUTSIDE / 2)
    end[step] = (PhPoint) { tip.x, tip.y + side * CLAMP (side * (end[3 * step].y - tip.y) / 2, OUTSIDE / 2, 3 * OUTSIDE) };
}

/* Moves an end of a curve, with its handle, to its exact place on the box, or onto the drawn part of the box: dot knows neither record
 * cells precisely nor that pills are left of a box. */
static void
move_end (const PhLayoutBox *box, float dx, gboolean exact, PhPoint *end, PhPoint *handle)
{
  const float middle = box->x + box->anchor, side = box->width / 2 - fabsf (box->anchor), half = MAX (side - CORNER, 1);
  const float reach = box->height / 2 - box->inset, below = end->y - box->y;
  PhPoint to = { exact ? box->x + dx : CLAMP (end->x, middle - half, middle + half), box->y + (below > 0 ? reach : -reach) };

  /* An end in the middle of a side stays there; at a corner the side would be ambiguous. */
  if (!exact && fabsf (end->x - middle) > half && fabsf (below) < 0.5f * reach)
    to = (PhPoint) { end->x > middle ? middle + side : middle - side, end->y };
  handle->x += to.x - end->x;
  handle->y += to.y - end->y;
  *end = to;
}

/* Clamps a curve to the gap between its layers. In a narrow gap dot swings a far line through the boxes at its ends, which is hidden behind
 * a card but visible in an open group. */
static void
stay_between (const PhLayoutBox *from, const PhLayoutBox *to, PhPoint *points)
{
  const float top = points[0].y, bottom = points[3].y;

  if (top > bottom || top < from->y + from->height / 2 - from->inset - 1 || bottom > to->y - to->height / 2 + to->inset + 1)
    return;
  points[1].y = CLAMP (points[1].y, top, bottom);
  points[2].y = CLAMP (points[2].y, top, bottom);
}

/* ── asking ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
append_number (GString *text, double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, ' ');
  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.2f", number));
}

/* Appends the rows of a gradient, and the inputs in their order. */
static void
append_rows (GString *text, const PhLayout *layout, const Way *way)
{
  g_autoptr (GArray) pairs = ph_layout_pairs (layout, way->all_rows);

  for (guint i = 0; i < pairs->len; i++)
    {
      const PhLayoutPair *pair = &g_array_index (pairs, PhLayoutPair, i);

      g_string_append_printf (text, "s %u %u %d\n", pair->a, pair->b, pair->ordered);
    }
}

typedef struct
{
  float x, y;
  guint box;
} Place;

static int
compare_places (const void *a, const void *b)
{
  const Place *p = a, *q = b;

  return p->y != q->y ? (p->y < q->y ? -1 : 1) : p->x != q->x ? (p->x < q->x ? -1 : 1) : p->box < q->box ? -1 : 1;
}

/* Boxes of one layer have one middle. */
static void
append_layers (GString *text, const PhLayout *own)
{
  g_autofree Place *places = g_new (Place, own->n_boxes + 1);

  for (guint b = 0; b < own->n_boxes; b++)
    places[b] = (Place) { own->boxes[b].x, roundf (own->boxes[b].y), b };
  qsort (places, own->n_boxes, sizeof *places, compare_places);
  for (guint i = 1; i < own->n_boxes; i++)
    if (places[i].y == places[i - 1].y)
      g_string_append_printf (text, "s %u %u 1\n", places[i - 1].box, places[i].box);
}

static void
append_options (GString *text, PhLayoutEngine engine, gboolean halves)
{
  if (engine == PH_LAYOUT_DOT)
    g_string_append_printf (text, "o nodesep 0.22\no ranksep %s\no splines true\no nslimit 2\no nslimit1 2\n%s",
                            halves ? "0.4" : "0.38", halves ? "o newrank true\n" : "");
  else
    g_string_append (text, "o overlap false\no splines line\no sep 0.15\n");
}

/* Appends one section of the request. @own: (nullable) our own picture. */
static void
append_section (GString *text, const PhLayout *layout, PhLayoutEngine engine, const Way *way, const guint8 *trunk,
                const PhLayout *own)
{
  const gboolean dot = engine == PH_LAYOUT_DOT, halves = dot && ph_layout_has_halves (layout);
  g_autofree int *weights = find_weights (layout, way, trunk);
  g_autofree float *entry = find_entries (layout, way, trunk);
  guint n_edges = 0;

  for (guint e = 0; e < layout->n_edges; e++)
    n_edges += layout->edges[e].from != layout->edges[e].to && layout->edges[e].presence > 0;
  g_string_append_printf (text, "%s %u %u\n", ph_layout_engine_name (engine), layout->n_boxes, n_edges);
  append_options (text, engine, halves);
  for (guint b = 0; b < layout->n_boxes; b++)
    {
      g_string_append_c (text, 'b');
      append_number (text, layout->boxes[b].width);
      append_number (text, layout->boxes[b].height);
      g_string_append_printf (text, " %d\n", halves ? layout->boxes[b].column != 0 : -1);
    }
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const gboolean across = halves && layout->boxes[edge->from].column != layout->boxes[edge->to].column;
      const gboolean backward = halves && layout->boxes[edge->from].column != 0;
      const gboolean from = dot && fabsf (edge->from_dx) > 0.5f, to = dot && !isnan (entry[e]);

      if (edge->from == edge->to || edge->presence == 0)
        continue;
      g_string_append_printf (text, "e %u %u %d %u %d", edge->from, edge->to, across ? 0 : weights[e], edge->min_length,
                              (from ? 1 : 0) | (to ? 2 : 0) | (dot && !backward && !across ? 4 : 0) | (across ? 8 : 0));
      append_number (text, from ? edge->from_dx : 0);
      append_number (text, to ? entry[e] : 0);
      g_string_append_c (text, '\n');
    }
  if (halves)
    append_rows (text, layout, way);
  if (own != NULL && way->own_layers)
    append_layers (text, own);
  g_string_append (text, "end\n");
}

/* ── the answer ─────────────────────────────────────────────────────────────────────────────────────────────────── */

gboolean
ph_helper_number (const char **at, const char *end, double *number)
{
  char *stop;

  if (*at >= end || **at != ' ')
    return FALSE;
  *number = g_ascii_strtod (*at + 1, &stop);
  if (stop == *at + 1 || stop > end || !isfinite (*number) || fabs (*number) > 1e9)
    return FALSE;
  *at = stop;
  return TRUE;
}

static gboolean
read_line_of_edge (PhLayout *layout, guint e, const char **at, const char *end)
{
  PhLayoutEdge *edge = &layout->edges[e];
  double n, x, y;

  if (!ph_helper_number (at, end, &n) || n < 0 || n > (double) (end - *at) || (n > 0 && n < 4) || fmod (n, 3) != (n > 0))
    return FALSE;
  edge->first_point = layout->points->len;
  edge->n_points = n;
  for (guint i = 0; i < edge->n_points; i++)
    {
      PhPoint point;

      if (!ph_helper_number (at, end, &x) || !ph_helper_number (at, end, &y))
        return FALSE;
      point.x = x;
      point.y = y;
      g_array_append_val (layout->points, point);
    }
  return TRUE;
}

/* Returns the next edge in the answer; skipped ones have no points. */
static guint
skip_edges (PhLayout *layout, guint e)
{
  while (e < layout->n_edges && (layout->edges[e].from == layout->edges[e].to || layout->edges[e].presence == 0))
    layout->edges[e++].n_points = 0;
  return e;
}

/* Reads one section. Returns FALSE if it is incomplete or no answer. */
static gboolean
read_section (PhLayout *layout, const char **text, const char *end)
{
  const char *at = *text;
  double x, y;
  guint box = 0, edge = 0;
  gboolean sized = FALSE;

  g_array_set_size (layout->points, 0);
  while (at < end)
    {
      if (end - at >= 4 && memcmp (at, "end\n", 4) == 0)
        {
          *text = at + 4;
          return sized && box == layout->n_boxes && skip_edges (layout, edge) == layout->n_edges;
        }
      if (end - at > 5 && memcmp (at, "size ", 5) == 0)
        {
          at += 4;
          if (!ph_helper_number (&at, end, &x) || !ph_helper_number (&at, end, &y))
            return FALSE;
          layout->width = x;
          layout->height = y;
          sized = TRUE;
        }
      else if (*at == 'b' && box < layout->n_boxes)
        {
          at++;
          if (!ph_helper_number (&at, end, &x) || !ph_helper_number (&at, end, &y))
            return FALSE;
          layout->boxes[box].x = x;
          layout->boxes[box++].y = y;
        }
      else if (*at == 'e')
        {
          at++;
          edge = skip_edges (layout, edge);
          if (edge == layout->n_edges || !read_line_of_edge (layout, edge, &at, end))
            return FALSE;
          edge++;
        }
      if (at >= end || *at++ != '\n')
        return FALSE;
    }
  return FALSE;
}

/* Stretches the whole layout until boxes are apart: circo and others place boxes on top of each other. */
static void
stretch (PhLayout *layout)
{
  float scale = 1;

  for (guint i = 0; i < layout->n_boxes && layout->n_boxes <= MANY; i++)
    for (guint k = 0; k < i; k++)
      {
        const PhLayoutBox *a = &layout->boxes[i], *b = &layout->boxes[k];
        const float dx = fabsf (a->x - b->x), dy = fabsf (a->y - b->y);
        const float x = dx > 0.1f ? (a->width + b->width + GAP) / 2 / dx : INFINITY,
                    y = dy > 0.1f ? (a->height + b->height + GAP) / 2 / dy : INFINITY;

        if (isfinite (MIN (x, y)))
          scale = MAX (scale, MIN (x, y));
      }
  if (scale <= 1)
    return;
  layout->width = layout->height = 0;
  for (guint b = 0; b < layout->n_boxes; b++)
    {
      PhLayoutBox *box = &layout->boxes[b];

      box->x *= scale;
      box->y *= scale;
      layout->width = MAX (layout->width, box->x + box->width / 2);
      layout->height = MAX (layout->height, box->y + box->height / 2);
    }
}

static void
finish_lines (PhLayout *layout, PhLayoutEngine engine, const Way *way, const guint8 *trunk)
{
  g_autofree float *entry = find_entries (layout, way, trunk);

  for (guint e = 0; e < layout->n_edges; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];
      PhPoint *points;

      if (edge->from == edge->to || edge->presence == 0)
        continue;
      if (engine != PH_LAYOUT_DOT || edge->n_points == 0)
        {
          ph_route_straight (layout, edge);
          continue;
        }
      points = &g_array_index (layout->points, PhPoint, edge->first_point);
      move_end (&layout->boxes[edge->from], edge->from_dx, fabsf (edge->from_dx) > 0.5f || edge->goes_on[0], &points[0],
                &points[1]);
      move_end (&layout->boxes[edge->to], entry[e], !isnan (entry[e]), &points[edge->n_points - 1], &points[edge->n_points - 2]);
      come_from_outside (&layout->boxes[edge->from], edge, FALSE, layout->points);
      come_from_outside (&layout->boxes[edge->to], edge, TRUE, layout->points);
      points = &g_array_index (layout->points, PhPoint, edge->first_point);
      if (edge->n_points == 4)
        stay_between (&layout->boxes[edge->from], &layout->boxes[edge->to], points);
    }
}

/* ── choice of a way ── */

/* Crossings, and room: of two alike the smaller. A pair off its row is as bad as a crossing. */
static double
score_of (const PhLayoutJudgement *tried, const PhLayoutJudgement *own)
{
  const double base = own != NULL && own->there ? MAX (own->width * own->height, 1) : MAX (tried->width * tried->height, 1);
  const double crossings = own != NULL && own->there ? own->crossings : 0;

  return 100.0 * tried->over + tried->crossings + tried->off_row + (2 + crossings / 4) * tried->width * tried->height / base;
}

gboolean
ph_graphviz_lay (PhLayout *layout, PhLayoutEngine engine, int n_variants, const PhLayout *own, guint milliseconds, double seconds,
                 gboolean *late, GCancellable *cancellable, GError **error)
{
  const gboolean halves = engine == PH_LAYOUT_DOT && ph_layout_has_halves (layout);
  GString *request = g_string_new (NULL);
  g_autoptr (GBytes) text = NULL, answer = NULL;
  g_autoptr (GError) failed = NULL;
  g_autoptr (PhLayout) best = NULL;
  g_autofree guint8 *longest = find_trunk (layout, FALSE), *lasting = find_trunk (layout, TRUE);
  const Way *chosen = halves ? gradient_ways : ways + (n_variants > 2 ? 0 : 2);
  const char *at;
  double least = INFINITY;
  gsize size = 0;
  gboolean ran;

  n_variants = engine == PH_LAYOUT_DOT ? CLAMP (n_variants, 1, 4) : 1;
  g_string_append_printf (request, "peephole-layout 2 %u\n", milliseconds);
  for (int i = 0; i < n_variants; i++)
    append_section (request, layout, engine, &chosen[i], chosen[i].lasting ? lasting : longest, own);
  text = g_string_free_to_bytes (request);
  ran = ph_helper_run (text, seconds, cancellable, &answer, late, &failed);
  if (!ran && g_error_matches (failed, PH_ERROR, PH_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&failed));
      return FALSE;
    }
  at = answer != NULL ? g_bytes_get_data (answer, &size) : NULL;
  const char *const end = at + size;
  for (int i = 0; i < n_variants && at != NULL; i++)
    {
      g_autoptr (PhLayout) tried = ph_layout_copy (layout);
      PhLayoutJudgement judgement;

      if (!read_section (tried, &at, end))
        break;
      if (engine != PH_LAYOUT_DOT)
        stretch (tried);
      finish_lines (tried, engine, &chosen[i], chosen[i].lasting ? lasting : longest);
      ph_layout_judge (tried, &judgement);
      const double score = score_of (&judgement, own != NULL ? &own->own : NULL);
      if (score > least - CLEARLY)
        continue;
      least = score;
      g_clear_pointer (&best, ph_layout_free);
      best = g_steal_pointer (&tried);
    }
  if (best == NULL)
    {
      if (!ran)
        g_propagate_error (error, g_steal_pointer (&failed));
      else if (*late)
        g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT, "%s ran out of time.", ph_layout_engine_name (engine));
      else
        g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT,
                     "The layout helper's answer cannot be read. Is $PEEPHOLE_LAYOUT the program of this version?");
      return FALSE;
    }
  best->engine = engine;
  ph_layout_take (layout, g_steal_pointer (&best));
  return TRUE;
}
