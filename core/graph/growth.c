/* growth.c: the budget of nodes by which a model may grow.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/growth.h"

#include "core/error.h"

#define DEFAULT 500000

static guint budget; /* atomic; 0: the default */

void
ph_growth_set_budget (guint nodes)
{
  __atomic_store_n (&budget, nodes, __ATOMIC_RELAXED);
}

guint
ph_growth_get_budget (void)
{
  const guint nodes = __atomic_load_n (&budget, __ATOMIC_RELAXED);

  return nodes > 0 ? nodes : DEFAULT;
}

gboolean
ph_growth_check (gint64 added, GError **error)
{
  if (added <= (gint64) ph_growth_get_budget ())
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_FAILED,
               "it makes more than the %u nodes that are allowed for: 'set growth NODES' raises that", ph_growth_get_budget ());
  return FALSE;
}
