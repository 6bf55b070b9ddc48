/* tf-module.c: XlaCallModule, which holds a module of StableHLO (of JAX, Keras or PyTorch), as a call of its main function.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/mlir/stored.h"
#include "core/io/tensorflow/tf.h"

static guint
count_inputs (const PhTfNode *node)
{
  guint n = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    n += !g_array_index (node->inputs, PhTfEdge, i).control;
  return n;
}

/* Returns the name of the function that @module defines as its entry; "": it cannot be read. */
static const char *
import_module (PhTfFile *file, const PhTfNode *node, PhSpan module, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (module.data, module.size); /* places in it are aligned to its own beginning */
  g_autoptr (GError) reason = NULL;
  const char *entry = ph_mlir_import_stored (file->importer, bytes, &reason);

  if (entry == NULL && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (entry == NULL)
    ph_source_problem (file->source, "The module that '%s' holds is not shown: %s", node->name, reason->message);
  return entry != NULL ? entry : "";
}

gboolean
ph_tf_take_module (PhTfFile *file, PhTfNode *node, GError **error)
{
  PhSpan value, module;
  const char *entry;
  PhFunction *function;
  guint n;

  if (g_strcmp0 (node->op, "XlaCallModule") != 0 || !ph_tf_node_attr (node, "module", &value))
    return TRUE;
  module = ph_wire_message (value, 2);
  entry = g_hash_table_lookup (file->modules, module.data);
  if (entry == NULL)
    {
      entry = import_module (file, node, module, error);
      if (entry == NULL)
        return FALSE;
      g_hash_table_insert (file->modules, (gpointer) module.data, (gpointer) entry);
    }
  function = *entry != '\0' ? ph_model_find_function (file->importer->model, "func", entry) : NULL;
  if (function == NULL)
    return TRUE;
  n = count_inputs (node);
  /* A module for several platforms is told first which one it runs on. */
  if (function->graph->inputs->len == n || function->graph->inputs->len == n + 1)
    {
      node->module = entry;
      node->for_platforms = function->graph->inputs->len == n + 1;
      node->n_outputs = MAX (node->n_outputs, function->graph->outputs->len);
    }
  else
    ph_source_problem (file->source, "'%s' gives %u inputs to a module whose main function takes %u: it is not shown as a call",
                       node->name, n, function->graph->inputs->len);
  return TRUE;
}
