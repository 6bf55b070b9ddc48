/* value-labels.c: what values are, in so few words that they stand on the lines of a picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/value-labels.h"

#include <math.h>
#include <string.h>

#include "core/tensor/tensor.h"

/* "0.693", "10", "-0.959": no more digits than a picture has room for. */
static char *
number_label (double number)
{
  char  digits[G_ASCII_DTOSTR_BUF_SIZE];
  gsize n;

  if (!isfinite (number) || (number != 0 && (fabs (number) < 1e-3 || fabs (number) >= 1e6)))
    return g_strdup (g_ascii_formatd (digits, sizeof digits, "%.3g", number));
  g_ascii_formatd (digits, sizeof digits, "%.3f", number);
  for (n = strlen (digits); digits[n - 1] == '0'; n--)
    ;
  return g_strndup (digits, digits[n - 1] == '.' ? n - 1 : n);
}

GHashTable *
ph_value_labels_new (GHashTable *values)
{
  GHashTable    *labels = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer       id, tensor;
  PhTensorStats  stats;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    if (ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_stats (tensor, &stats))
      {
        g_autofree char *low = number_label (stats.min), *high = number_label (stats.max);

        g_hash_table_insert (labels, id, ph_tensor_count (tensor) == 1 ? g_steal_pointer (&low) : g_strdup_printf ("%s … %s", low, high));
      }
  return labels;
}

void
ph_value_labels_add_nodes (GHashTable *labels, const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      const PhValue *output = node->outputs->len == 1 ? ph_node_output (node, 0) : NULL;
      const char    *label = output != NULL ? g_hash_table_lookup (labels, GUINT_TO_POINTER (output->id)) : NULL;

      if (label != NULL)
        g_hash_table_insert (labels, GUINT_TO_POINTER (node->id), g_strdup (label));
    }
}
