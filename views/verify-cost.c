/* verify-cost.c: decides whether a model is small enough to be verified automatically after each step.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/verify-cost.h"

#include <glib/gi18n.h>

#include "core/ops/op.h"

/* A computation of this size takes a second or two. */
#define MAX_FLOPS 1e10
#define MAX_NODES 20000

static double
add_up (PhGraph *graph)
{
  double flops = 0;

  PH_FOREACH_NODE (node, graph)
    flops += (double) MAX (ph_node_flops (node), 0);
  return flops;
}

char *
ph_verify_cost (PhModel *model)
{
  guint n = ph_model_n_nodes (model, FALSE);

  if (n > MAX_NODES)
    return g_strdup_printf (_ ("Off: %'u nodes are many to compute"), n);
  double flops = add_up (model->graph);
  if (flops > MAX_FLOPS)
    return g_strdup_printf (_ ("Off: one run takes %.0f G operations"), flops / 1e9);
  return NULL;
}
