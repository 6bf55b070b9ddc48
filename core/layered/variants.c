/* variants.c: lays out the picture of a history in several ways and keeps the best by measurement: how much short-lived edges influence the
 * layers, and the order within them, may improve or worsen a picture, which cannot be predicted.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/layered/layered.h"

#define FEW    600  /* boxes, up to which the search also starts from several orders */
#define ENOUGH 1.5  /* times the room of the largest position                                  */
#define LOOSE  0.3f /* of the weight of a tie                                                  */
#define MANY   4000 /* boxes; with more only one way is tried */

static gboolean
varies (const PhLayout *layout)
{
  for (guint e = 0; e < layout->n_edges; e++)
    if (layout->edges[e].presence > 0 && layout->edges[e].presence < PH_PRESENCE)
      return TRUE;
  return FALSE;
}

/* Returns the presence of each box, the largest of its edges. (transfer full) */
static guint8 *
find_presence (const PhLayout *layout)
{
  guint8 *presence = g_new0 (guint8, layout->n_boxes + 1);

  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];

      presence[edge->from] = MAX (presence[edge->from], edge->presence);
      presence[edge->to] = MAX (presence[edge->to], edge->presence);
    }
  return presence;
}

/* Returns the cost of a layout, low for few crossings per edge and a small area, above all relative to the largest position alone. */
static double
cost_of (PhLayout *layout)
{
  const double area = (double) layout->width * layout->height;
  const double excess = layout->room > 0 ? MAX (area / (ENOUGH * layout->room), 1) : 1;

  return sqrt (area) * (ph_layered_tangle (layout) + 1 + layout->n_edges / 256.0) * excess * excess * excess * excess;
}

/* Lays out in one way, a sum of: 1: layers suit the lasting edges; 2: all edges count alike in the order; 4: the search starts elsewhere,
 * and ties to the forward graph are looser; 8: wide layers are narrowed. */
static PhLayout *
try_way (PhLayout *layout, const guint8 *presence, int way, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhLayout) tried = ph_layout_copy (layout);

  tried->turn = way / 4 & 1;
  tried->spread = (way & 8) != 0;
  for (guint e = 0; e < layout->n_edges; e++)
    {
      PhLayoutEdge *edge = &tried->edges[e];
      const gboolean is_tie = edge->presence == 0;

      /* A tie has the weight of the box that it ties. */
      if (way & 1)
        edge->weight *= (float) (is_tie ? presence[edge->to] : edge->presence) / PH_PRESENCE;
      if (way & 4 && is_tie)
        edge->weight *= LOOSE;
      if (way & 2 && !is_tie)
        edge->presence = PH_PRESENCE;
    }
  if (!ph_layered_lay (tried, cancellable, error))
    return NULL;
  for (guint e = 0; e < layout->n_edges; e++)
    {
      tried->edges[e].weight = layout->edges[e].weight;
      tried->edges[e].presence = layout->edges[e].presence;
    }
  return g_steal_pointer (&tried);
}

typedef struct
{
  PhLayout *layout;
  double cost; /* -1: not needed yet: counting the crossings of a random graph takes longer than its layout */
  int way;
} Best;

/* A graph that is too tangled for one order would not be clearer in another. */
static gboolean
goes_on (const Best *best, gboolean done)
{
  return done && (best->layout == NULL || !best->layout->coarse);
}

/* Keeps the better layout. Returns FALSE if cancelled. */
static gboolean
consider (Best *best, PhLayout *layout, const guint8 *presence, int way, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhLayout) tried = try_way (layout, presence, way, cancellable, error);
  double cost;

  if (tried == NULL)
    return FALSE;
  if (best->layout != NULL && best->cost < 0)
    best->cost = cost_of (best->layout);
  cost = best->layout != NULL ? cost_of (tried) : -1;
  if (best->layout == NULL || cost < best->cost)
    {
      g_clear_pointer (&best->layout, ph_layout_free);
      *best = (Best) { g_steal_pointer (&tried), cost, way };
    }
  return TRUE;
}

gboolean
ph_layout_layered (PhLayout *layout, GCancellable *cancellable, GError **error)
{
  g_autofree guint8 *presence = NULL;
  const gboolean alike = !varies (layout);
  gboolean has_ties = FALSE, done = TRUE;
  Best best = {
    NULL,
  };

  if (layout->n_boxes > MANY)
    return ph_layered_lay (layout, cancellable, error);
  presence = find_presence (layout);
  for (guint e = 0; e < layout->n_edges && !has_ties; e++)
    has_ties = layout->edges[e].presence == 0;
  for (int way = 0; way < (alike ? 1 : 8) && goes_on (&best, done); way++)
    if (way < 4 || layout->n_boxes < FEW || (has_ties && !(way & 1)))
      done = consider (&best, layout, presence, way, cancellable, error);
  if (done && best.layout->spread)
    {
      const int chosen = best.way;

      /* A backward graph is wide in other layers when it is tied less: all of that once more. */
      for (int way = 8; way < 16 && goes_on (&best, done); way++)
        if (way == (chosen | 8) || (has_ties && !alike && !(way & 1)))
          done = consider (&best, layout, presence, way, cancellable, error);
    }
  if (done)
    ph_layout_take (layout, g_steal_pointer (&best.layout));
  g_clear_pointer (&best.layout, ph_layout_free);
  return done;
}
