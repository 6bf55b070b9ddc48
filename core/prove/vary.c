/* vary.c: decides whether a trial is evidence: its outputs must vary with the inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/op-list.h"
#include "core/prove/trial-private.h"

/* Marks values that depend on the numbers in the inputs, not only on their shapes. */
static void
taint (GHashTable *tainted, PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      gboolean depends = FALSE;

      for (guint i = 0; i < node->inputs->len; i++)
        depends = depends || (node->inputs->pdata[i] != NULL && g_hash_table_contains (tainted, node->inputs->pdata[i]));
      /* Captured values are not tracked. */
      depends = (depends || (node->graphs != NULL && node->graphs->len > 0)) && node->op != &ph_op_Shape
                && node->op != &ph_op_Size;
      for (guint k = 0; depends && k < node->outputs->len; k++)
        g_hash_table_add (tainted, node->outputs->pdata[k]);
    }
}

/* Returns TRUE if an output has distinct elements; used if no shape occurred twice. */
static gboolean
has_variety (GPtrArray *seen)
{
  for (guint s = 0; s < seen->len; s++)
    for (gsize i = 1; i < MIN (ph_tensor_count (seen->pdata[s]), 100000) && ph_dtype_is_float (ph_tensor_dtype (seen->pdata[s]));
         i++)
      if (fabs (ph_tensor_get (seen->pdata[s], i) - ph_tensor_get (seen->pdata[s], 0)) > 0)
        return TRUE;
  return FALSE;
}

gboolean
ph_try_all_vary (PhTry *self)
{
  const PhPair *pair = self->pair;
  g_autoptr (GHashTable) tainted = g_hash_table_new (NULL, NULL);

  for (guint side = 0; side < 2; side++)
    {
      PhGraph *graph = (side == 0 ? pair->before : pair->after)->graph;

      for (guint i = 0; i < graph->inputs->len; i++)
        if (!ph_sampler_is_shape (self->sampler, i))
          g_hash_table_add (tainted, graph->inputs->pdata[i]);
      taint (tainted, graph);
    }
  for (guint k = 0; k < pair->outputs->len; k++)
    if (!self->varies[k] && !(self->seen[k]->len >= self->trial->n_sets && has_variety (self->seen[k]))
        && (g_hash_table_contains (tainted, pair->before->graph->outputs->pdata[k])
            || g_hash_table_contains (tainted, pair->after->graph->outputs->pdata[k])))
      return FALSE;
  return TRUE;
}
