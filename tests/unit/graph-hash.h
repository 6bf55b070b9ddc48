/* graph-hash.h: a number that is the same for graphs that are the same but for names and order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

static inline guint64
graph_hash_mix (guint64 hash, guint64 with)
{
  return (hash ^ (with + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdu;
}

static inline guint64 graph_hash (const PhGraph *graph, GHashTable *values);

static inline guint64
graph_hash_node (const PhNode *node, GHashTable *values)
{
  guint64 hash = graph_hash_mix (g_str_hash (node->op_type), node->outputs->len), sum = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    hash = graph_hash_mix (hash, GPOINTER_TO_SIZE (g_hash_table_lookup (values, node->inputs->pdata[i])));
  for (guint i = 0; i < node->attrs->len; i++)
    sum += ph_attr_hash (node->attrs->pdata[i]);
  for (guint i = 0; node->control != NULL && i < node->control->len; i++)
    sum += 3 * GPOINTER_TO_SIZE (g_hash_table_lookup (values, node->control->pdata[i]));
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      sum += graph_hash_mix (body->attr != NULL ? g_str_hash (body->attr) : 0, graph_hash (body, values));
    }
  return graph_hash_mix (hash, sum);
}

/* @values: node or value -> what it is. */
static inline guint64
graph_hash (const PhGraph *graph, GHashTable *values)
{
  guint64 all = 0, outputs = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    g_hash_table_insert (values, graph->inputs->pdata[i], GSIZE_TO_POINTER (i + 1));
  for (guint i = 0; i < graph->constants->len; i++)
    {
      const PhValue *value = graph->constants->pdata[i];

      g_hash_table_insert (values, (gpointer) value, GSIZE_TO_POINTER (ph_tensor_hash (value->tensor)));
      all += ph_tensor_hash (value->tensor);
    }
  PH_FOREACH_NODE (node, graph)
    {
      const guint64 hash = graph_hash_node (node, values);

      all += hash;
      g_hash_table_insert (values, node, GSIZE_TO_POINTER (hash));
      for (guint i = 0; i < node->outputs->len; i++)
        g_hash_table_insert (values, node->outputs->pdata[i], GSIZE_TO_POINTER (graph_hash_mix (hash, i)));
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    outputs = graph_hash_mix (outputs, GPOINTER_TO_SIZE (g_hash_table_lookup (values, graph->outputs->pdata[i])));
  return graph_hash_mix (all, outputs);
}
