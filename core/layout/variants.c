/* variants.c: the picture of a history laid out in several ways, of which the best as measured is kept: how much what is seldom
 * there has a say in the layers, and in the order within them, makes each picture better or worse, and none can say beforehand.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/layered.h"

#define FEW  600                /* boxes, up to which the search begins at several places, too */
#define MANY 4000               /* boxes, beyond which one way has to do */

static gboolean
varies (const PhLayout *layout)
{
  for (guint e = 0; e < layout->n_edges; e++)
    if (layout->edges[e].presence < PH_PRESENCE)
      return TRUE;
  return FALSE;
}

/* Small, and with few crossings for its edges. */
static double
cost_of (PhLayout *layout)
{
  return (double) layout->width * layout->height * (ph_layered_tangle (layout) + layout->n_edges / 8.0);
}

gboolean
ph_layout_layered (PhLayout *layout, GCancellable *cancellable, GError **error)
{
  PhLayout *best = NULL;
  double least = 0;

  if (layout->n_boxes > MANY || !varies (layout))
    return ph_layered_lay (layout, cancellable, error);
  for (int way = 0; way < (layout->n_boxes < FEW ? 8 : 4); way++)
    {
      g_autoptr(PhLayout) tried = ph_layout_copy (layout);
      double cost;

      tried->turn = way / 4;
      for (guint e = 0; e < layout->n_edges; e++)
        {
          if (way & 1)
            tried->edges[e].weight *= (float) tried->edges[e].presence / PH_PRESENCE;
          if (way & 2)
            tried->edges[e].presence = PH_PRESENCE;
        }
      if (!ph_layered_lay (tried, cancellable, error))
        {
          ph_layout_free (best);
          return FALSE;
        }
      for (guint e = 0; e < layout->n_edges; e++)
        {
          tried->edges[e].weight = layout->edges[e].weight;
          tried->edges[e].presence = layout->edges[e].presence;
        }
      cost = cost_of (tried);
      if (best != NULL && cost >= least)
        continue;
      least = cost;
      ph_layout_free (best);
      best = g_steal_pointer (&tried);
    }
  ph_layout_take (layout, best);
  return TRUE;
}
