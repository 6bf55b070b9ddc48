/* value-labels.c: what values are, in so few words that they stand on the lines of a picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/value-labels.h"

#include "core/number.h"
#include "core/tensor/tensor.h"

GHashTable *
ph_value_labels_new (GHashTable *values)
{
  GHashTable *labels = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer id, tensor;
  PhTensorStats stats;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    if (ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_stats (tensor, &stats))
      {
        g_autofree char *low = ph_number_brief (stats.min), *high = ph_number_brief (stats.max);

        g_hash_table_insert (labels, id,
                             ph_tensor_count (tensor) == 1 ? g_steal_pointer (&low) : g_strdup_printf ("%s … %s", low, high));
      }
  return labels;
}

void
ph_value_labels_add_nodes (GHashTable *labels, const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      const PhValue *output = node->outputs->len == 1 ? ph_node_output (node, 0) : NULL;
      const char *label = output != NULL ? g_hash_table_lookup (labels, GUINT_TO_POINTER (output->id)) : NULL;

      if (label != NULL)
        g_hash_table_insert (labels, GUINT_TO_POINTER (node->id), g_strdup (label));
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        ph_value_labels_add_nodes (labels, node->graphs->pdata[i]);
    }
}
