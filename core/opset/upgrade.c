/* upgrade.c: helpers of the upgrades of operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

void
ph_upgrade_refuse (PhUpgrade *u, const char *format, ...)
{
  va_list args;
  g_autofree char *label = ph_node_label (u->node);
  g_autofree char *text = NULL;

  if (u->b.error != NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  u->b.error = g_error_new (PH_ERROR, PH_ERROR_UNSUPPORTED, "%s of opset %d cannot be upgraded: %s", label, u->opset, text);
}

PhDType
ph_upgrade_dtype (const PhValue *value)
{
  return value != NULL && value->type != NULL ? value->type->dtype : PH_FLOAT;
}

void
ph_upgrade_set_attr (PhUpgrade *u, const char *name, PhAttr *attr)
{
  g_autoptr (PhAttr) owned = attr;

  if (u->b.error == NULL && (attr != NULL || ph_node_attr (u->node, name) != NULL))
    ph_node_set_attr (u->node, name, attr, &u->b.error);
}

/* Consumes @tensor. "" inputs fill the gap before @index. */
void
ph_upgrade_set_constant (PhUpgrade *u, guint index, const char *suffix, PhTensor *tensor)
{
  g_autoptr (PhTensor) owned = tensor;
  g_autofree char *base = NULL;
  PhValue *value;

  if (u->b.error != NULL)
    return;
  base = g_strdup_printf ("%s_%s", ph_node_output (u->node, 0)->name, suffix);
  value = ph_graph_add_constant (u->node->graph, ph_model_unique_name (u->model, base), tensor, &u->b.error);
  while (u->b.error == NULL && u->node->inputs->len < index)
    ph_node_set_input (u->node, u->node->inputs->len, NULL, &u->b.error);
  if (u->b.error == NULL)
    ph_node_set_input (u->node, index, value, &u->b.error);
}

/* Replaces the node by @value. */
void
ph_upgrade_replace (PhUpgrade *u, PhValue *value)
{
  if (u->b.error != NULL || value == NULL)
    return;
  if (!ph_node_replace (u->node, value, &u->b.error) && u->b.error == NULL)
    ph_upgrade_refuse (u, "it is an output of the model in a form that cannot be replaced; put an Identity after it");
}

gboolean
ph_upgrade_reads_outputs (const PhNode *node, guint from)
{
  for (guint i = from; i < node->outputs->len; i++)
    if (ph_value_n_uses (g_ptr_array_index (node->outputs, i)) > 0)
      return TRUE;
  return FALSE;
}
