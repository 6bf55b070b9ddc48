/* value-labels.c: values as texts short enough for the lines of a picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/value-labels.h"

#include "core/number.h"
#include "core/scene/scene.h"
#include "core/tensor/tensor.h"

/* (transfer full) (nullable) */
static char *
text_of (PhTensor *tensor)
{
  PhTensorStats stats;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_tensor_stats (tensor, &stats))
    return NULL;
  if (ph_tensor_dtype (tensor) == PH_BOOL && ph_tensor_count (tensor) == 1)
    return g_strdup (stats.min != 0 ? "true" : "false");

  g_autofree char *low = ph_number_brief (stats.min), *high = ph_number_brief (stats.max);

  return ph_tensor_count (tensor) == 1 ? g_steal_pointer (&low) : g_strdup_printf ("%s … %s", low, high);
}

GHashTable *
ph_value_labels_new (GHashTable *values)
{
  GHashTable *labels = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer id, tensor;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    {
      char *text = text_of (tensor);

      if (text != NULL)
        g_hash_table_insert (labels, id, text);
    }
  return labels;
}

void
ph_value_labels_add_nodes (GHashTable *labels, const PhGraph *graph)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const PhValue *input = graph->inputs->pdata[i];
      char *text = input->tensor != NULL && ph_scene_draws_input (input)
                           && !g_hash_table_contains (labels, GUINT_TO_POINTER (input->id))
                       ? text_of (input->tensor)
                       : NULL;

      if (text != NULL)
        g_hash_table_insert (labels, GUINT_TO_POINTER (input->id), text);
    }
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
