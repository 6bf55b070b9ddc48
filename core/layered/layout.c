/* layout.c: requests a layout from the chosen engine, or the better one of two.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/layered/helper.h"
#include "core/layered/layered.h"

#define LARGEST       200000          /* boxes that the helper takes                                        */
#define FEW           150             /* boxes, up to which dot is tried in four ways                       */
#define EFFORT        4000            /* ranks that the edges cross in all; beyond that dot takes too long  */
#define WINDOW        (600.0 * 600.0) /* an area that is not too large, however small the other one is     */
#define PATIENCE      1.5             /* seconds for dot on a busy machine                                  */
#define WORK          250             /* milliseconds of CPU time for dot in BEST                           */
#define FEW_CROSSINGS 4               /* of our own picture, too few to judge by halving them                */

static const char *const names[PH_N_LAYOUT_ENGINES] = { "best", "dot",   "layered", "neato", "fdp",
                                                        "sfdp", "circo", "twopi",   "osage" };

const char *
ph_layout_engine_name (PhLayoutEngine engine)
{
  return engine < PH_N_LAYOUT_ENGINES ? names[engine] : "best";
}

gboolean
ph_layout_engine_find (const char *name, PhLayoutEngine *engine)
{
  for (guint i = 0; i < PH_N_LAYOUT_ENGINES; i++)
    if (strcmp (names[i], name) == 0)
      {
        *engine = i;
        return TRUE;
      }
  return FALSE;
}

PhLayout *
ph_layout_new (guint n_boxes, guint n_edges)
{
  PhLayout *layout = g_new0 (PhLayout, 1);

  layout->boxes = g_new0 (PhLayoutBox, MAX (n_boxes, 1));
  layout->edges = g_new0 (PhLayoutEdge, MAX (n_edges, 1));
  layout->n_boxes = n_boxes;
  layout->n_edges = n_edges;
  layout->points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  for (guint i = 0; i < n_edges; i++)
    {
      layout->edges[i].weight = 1;
      layout->edges[i].min_length = 1;
      layout->edges[i].presence = PH_PRESENCE;
    }
  return layout;
}

void
ph_layout_free (PhLayout *layout)
{
  if (layout == NULL)
    return;
  g_free (layout->boxes);
  g_free (layout->edges);
  g_array_unref (layout->points);
  g_free (layout);
}

PhLayout *
ph_layout_copy (PhLayout *layout)
{
  PhLayout *copy = g_memdup2 (layout, sizeof *layout);

  copy->boxes = g_memdup2 (layout->boxes, sizeof (PhLayoutBox) * MAX (layout->n_boxes, 1));
  copy->edges = g_memdup2 (layout->edges, sizeof (PhLayoutEdge) * MAX (layout->n_edges, 1));
  copy->points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  return copy;
}

void
ph_layout_take (PhLayout *layout, PhLayout *other)
{
  g_free (layout->boxes);
  g_free (layout->edges);
  g_array_unref (layout->points);
  *layout = *other;
  g_free (other);
}

/* ── the better one ─────────────────────────────────────────────────────────────────────────────────────────────── */

static float
ms_since (gint64 start)
{
  return (g_get_monotonic_time () - start) / 1000.0;
}

/* Returns why dot is not tried: it has no columns, and some graphs take it too long. NULL if it is. */
static const char *
why_not_ask (PhLayout *layout, gboolean halves)
{
  if (layout->folded)
    return "columns";
  if (layout->n_boxes > (halves ? PH_LAYOUT_GRADIENT_MAX : PH_LAYOUT_DOT_MAX))
    return "too large for dot";
  if (ph_graphviz_effort (layout) > EFFORT)
    return "too many long lines for dot";
  return NULL;
}

/* Returns NULL if dot's picture is taken: unless it is clearly worse. A gradient's rows count as much as its crossings; with half the
 * crossings or fewer it may be larger. */
static const char *
why_not_take (const PhLayoutJudgement *dot, const PhLayoutJudgement *own, gboolean halves)
{
  const double most = 1.25 * own->crossings + 2 + (halves ? own->off_row : 0);
  const double room = halves || (own->crossings > FEW_CROSSINGS && 2 * dot->crossings <= own->crossings) ? 1.5 : 1.2;

  if (dot->over > 0)
    return "lines over boxes";
  if (dot->crossings + dot->off_row > most)
    return "more crossings";
  if (dot->width * dot->height > MAX (room * own->width * own->height, WINDOW))
    return "larger";
  return NULL;
}

/* Returns the better of both layouts. If the helper dies, hangs or answers nonsense, its layout is ignored. */
static gboolean
better_of_both (PhLayout *layout, double seconds, GCancellable *cancellable, GError **error)
{
  const gboolean halves = ph_layout_has_halves (layout);
  g_autoptr (PhLayout) own = ph_layout_copy (layout), dot = NULL;
  g_autoptr (GError) failed = NULL;
  gint64 start = g_get_monotonic_time ();
  gboolean late = FALSE;

  own->engine = PH_LAYOUT_LAYERED;
  if (!ph_layout_layered (own, cancellable, error))
    return FALSE;
  own->own.ms = ms_since (start);
  own->reason = why_not_ask (own, halves);
  if (own->reason == NULL)
    {
      const float ms = own->own.ms;

      ph_layout_judge (own, &own->own);
      own->own.ms = ms;
      dot = ph_layout_copy (layout);
      start = g_get_monotonic_time ();
      if (!ph_graphviz_lay (dot, PH_LAYOUT_DOT, layout->n_boxes <= FEW ? 4 : 2, own, WORK, MIN (seconds, PATIENCE), &late,
                            cancellable, &failed))
        {
          if (g_error_matches (failed, PH_ERROR, PH_ERROR_CANCELLED))
            {
              g_propagate_error (error, g_steal_pointer (&failed));
              return FALSE;
            }
          g_debug ("%s", failed->message);
          own->reason = late ? "dot ran out of time" : "dot failed";
        }
      else
        {
          ph_layout_lead_around (dot, cancellable);
          ph_layout_judge (dot, &dot->dot);
          dot->dot.ms = ms_since (start);
          own->dot = dot->dot;
          dot->own = own->own;
          own->reason = why_not_take (&dot->dot, &own->own, halves);
          if (own->reason == NULL)
            {
              ph_layout_take (layout, g_steal_pointer (&dot));
              return TRUE;
            }
        }
    }
  ph_layout_take (layout, g_steal_pointer (&own));
  return TRUE;
}

/* ── asking ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
ask_own (PhLayout *layout, GCancellable *cancellable, GError **error)
{
  layout->engine = PH_LAYOUT_LAYERED;
  return ph_layout_layered (layout, cancellable, error);
}

gboolean
ph_layout_sync (PhLayout *layout, double seconds, GCancellable *cancellable, GError **error)
{
  const PhLayoutEngine engine = layout->engine;
  gboolean done, late = FALSE;
  GError *failed = NULL;

  if (g_cancellable_is_cancelled (cancellable))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
      return FALSE;
    }
  if (engine == PH_LAYOUT_LAYERED || layout->n_boxes > LARGEST)
    done = ask_own (layout, cancellable, error);
  else if (engine == PH_LAYOUT_BEST)
    done = better_of_both (layout, seconds, cancellable, error);
  else
    {
      done = ph_graphviz_lay (layout, engine, layout->n_boxes <= FEW ? 4 : 1, NULL, 0, seconds, &late, cancellable, &failed);
      if (!done && late)
        {
          g_clear_error (&failed);
          done = ask_own (layout, cancellable, error);
          layout->coarse = TRUE;
        }
      else if (!done)
        g_propagate_error (error, failed);
    }
  if (done && layout->n_boxes <= FEW && !layout->folded && engine < PH_LAYOUT_NEATO)
    ph_layout_center_ends (layout);
  if (done && layout->engine < PH_LAYOUT_NEATO)
    ph_layout_part_heads (layout, NULL);
  if (done)
    ph_layout_lead_around (layout, cancellable);
  return done;
}
