/* graph-hash.h: a number that is the same for graphs that are the same but for names and order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "core/graph/graph.h"
#include "core/intern.h"

static inline guint64
graph_hash_mix (guint64 hash, guint64 with)
{
  return (hash ^ (with + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdu;
}

static inline guint64 graph_hash (const PhGraph *graph, GHashTable *values);

/* What a block is, but for its label: its instructions. @values: label -> what it is. */
static inline guint64
graph_hash_block (const char *label, GHashTable *values)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (values, ph_intern (label)));
}

static inline void
graph_hash_blocks (const PhGraph *graph, GHashTable *values)
{
  PH_FOREACH_NODE (node, graph)
    {
      g_autofree char *block = ph_node_block (node);
      const char *label = ph_intern (block);

      g_hash_table_insert (
          values, (gpointer) label,
          GSIZE_TO_POINTER (GPOINTER_TO_SIZE (g_hash_table_lookup (values, label)) + g_str_hash (node->op_type)));
    }
}

/* Elsewhere the scope of a name says nothing. */
static inline gboolean
graph_hash_is_llvm (const PhNode *node)
{
  return strcmp (node->domain, "llvm") == 0;
}

/* Labels and links by what they lead to. */
static inline guint64
graph_hash_attr (const PhNode *node, const PhAttr *attr, GHashTable *values)
{
  guint64 hash = g_str_hash (attr->name);

  if (strcmp (attr->name, PH_BLOCK_ATTR) == 0)
    return 0;
  if (attr->kind != PH_ATTR_STRINGS
      || (strcmp (attr->name, PH_TARGETS_ATTR) != 0 && strcmp (attr->name, PH_INCOMING_ATTR) != 0
          && strcmp (attr->name, PH_LINKS_ATTR) != 0))
    return ph_attr_hash (attr);
  for (gsize i = 0; i < attr->n; i++)
    {
      g_autofree char *text = ph_attr_dup_string (attr, i);
      char *from = strcmp (attr->name, PH_LINKS_ATTR) == 0 ? strstr (text, " from ") : NULL;

      if (strcmp (attr->name, PH_LINKS_ATTR) == 0)
        {
          const PhValue *value;

          if (from != NULL)
            *from = '\0';
          value = ph_graph_find_value_named (node->graph, text);
          hash = graph_hash_mix (hash, value == NULL ? 1 : value->producer != NULL ? g_str_hash (value->producer->op_type) : 2);
        }
      if (strcmp (attr->name, PH_LINKS_ATTR) != 0 || from != NULL)
        hash = graph_hash_mix (hash, graph_hash_block (from != NULL ? from + strlen (" from ") : text, values));
    }
  return hash;
}

static inline guint64
graph_hash_node (const PhNode *node, GHashTable *values)
{
  g_autofree char *block = ph_node_block (node);
  guint64 hash = graph_hash_mix (g_str_hash (node->op_type), node->outputs->len), sum = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    hash = graph_hash_mix (hash, GPOINTER_TO_SIZE (g_hash_table_lookup (values, node->inputs->pdata[i])));
  for (guint i = 0; i < node->attrs->len; i++)
    sum += graph_hash_attr (node, node->attrs->pdata[i], values);
  if (graph_hash_is_llvm (node))
    sum += graph_hash_block (block, values);
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

  graph_hash_blocks (graph, values);
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
