/* totals.c: totals of a model's cost, computed a few nodes at a time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/totals.h"

#include "core/ops/op.h"

void
ph_totals_init (PhTotals *totals)
{
  *totals = (PhTotals) { .ops = g_hash_table_new (NULL, NULL) };
}

void
ph_totals_clear (PhTotals *totals)
{
  g_clear_pointer (&totals->ops, g_hash_table_unref);
}

static gboolean
is_counted (const PhModel *model, const PhNode *node)
{
  const PhGraph *graph = node->graph;

  for (; graph != NULL && graph->owner != NULL; graph = graph->owner->graph)
    if (ph_node_is_fused (graph->owner))
      return FALSE;
  return graph == model->graph;
}

static void
add_node (PhTotals *totals, const PhNode *node)
{
  const gint64 flops = ph_node_flops (node);

  totals->nodes++;
  if (flops >= 0)
    totals->flops += flops;
  else
    totals->unknown++;
  g_hash_table_replace (totals->ops, (gpointer) node->op_type, GSIZE_TO_POINTER (ph_totals_of_op (totals, node->op_type) + 1));
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      if (attr->tensor != NULL)
        totals->bytes += (gint64) ph_tensor_bytes (attr->tensor);
    }
  for (guint i = 0; i < node->inputs->len; i++)
    totals->edges += ph_node_input (node, i) != NULL && ph_node_input (node, i)->producer != NULL;
}

gboolean
ph_totals_add (PhTotals *totals, const PhModel *model, guint n_nodes)
{
  const guint end = totals->next + MIN (n_nodes, model->nodes->len - totals->next);

  for (; totals->next < end; totals->next++)
    {
      const PhNode *node = model->nodes->pdata[totals->next];

      if (node != NULL && is_counted (model, node))
        add_node (totals, node);
    }
  return end < model->nodes->len;
}

gsize
ph_totals_of_op (const PhTotals *totals, const char *op_type)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (totals->ops, op_type));
}
