/* copy.c: copies the contents of a body to another place.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"

#include "core/ops/op-list.h"

static PhValue *
mapped (GHashTable *map, PhValue *value)
{
  PhValue *copy = value != NULL ? g_hash_table_lookup (map, value) : NULL;
  return copy != NULL ? copy : value;
}

static gboolean copy_contents (PhGraph *from, PhGraph *to, PhNode *before, GHashTable *map, GError **error);

static gboolean
copy_body (PhGraph *from, PhNode *owner, GHashTable *map, GError **error)
{
  PhGraph *to = ph_node_add_graph (owner, from->attr, from->name, error);

  if (to == NULL)
    return FALSE;
  for (guint i = 0; i < from->inputs->len; i++)
    {
      PhValue *input = from->inputs->pdata[i];
      PhValue *copy = ph_graph_add_input (to, input->name, input->type, input->tensor, G_MAXUINT, error);

      if (copy == NULL)
        return FALSE;
      g_hash_table_insert (map, input, copy);
    }
  if (!copy_contents (from, to, NULL, map, error))
    return FALSE;
  for (guint i = 0; i < from->outputs->len; i++)
    if (!ph_graph_set_output (to, i, mapped (map, from->outputs->pdata[i]), error))
      return FALSE;
  return TRUE;
}

PhNode *
ph_copy_node (PhNode *from, PhGraph *to, PhNode *before, GHashTable *map, GError **error)
{
  guint n_in = from->inputs->len, n_out = from->outputs->len;
  g_autofree PhValue **inputs = g_new (PhValue *, n_in + 1);
  g_autofree const char **names = g_new (const char *, n_out + 1);
  g_autofree const PhType **types = g_new (const PhType *, n_out + 1);
  PhNode *copy;

  for (guint i = 0; i < n_in; i++)
    inputs[i] = mapped (map, from->inputs->pdata[i]);
  for (guint i = 0; i < n_out; i++)
    {
      names[i] = ((PhValue *) from->outputs->pdata[i])->name;
      types[i] = ((PhValue *) from->outputs->pdata[i])->type;
    }
  copy = ph_graph_add_node (to,
                            &(PhNodeSpec) { .op = from->op,
                                            .op_type = from->op_type,
                                            .domain = from->domain,
                                            .name = from->name,
                                            .inputs = inputs,
                                            .n_inputs = n_in,
                                            .n_outputs = n_out,
                                            .output_names = names,
                                            .output_types = types,
                                            .attrs = (PhAttr *const *) from->attrs->pdata,
                                            .n_attrs = from->attrs->len,
                                            .before = before,
                                            .role = from->role,
                                            .partner = from->partner,
                                            .device = from->device,
                                            .where = from->where,
                                            .extra = from->extra },
                            error);
  if (copy == NULL)
    return NULL;
  for (guint i = 0; i < n_out; i++)
    g_hash_table_insert (map, from->outputs->pdata[i], copy->outputs->pdata[i]);
  for (guint i = 0; from->control != NULL && i < from->control->len; i++)
    {
      const PhValue *made = ph_node_output (from->control->pdata[i], 0);
      PhValue *first = made != NULL ? g_hash_table_lookup (map, made) : NULL;

      if (first != NULL && first->producer != NULL && first->producer->graph == to
          && !ph_node_add_control (copy, first->producer, error))
        return NULL;
    }
  for (guint i = 0; from->graphs != NULL && i < from->graphs->len; i++)
    if (!copy_body (from->graphs->pdata[i], copy, map, error))
      return NULL;
  return copy;
}

static gboolean
copy_contents (PhGraph *from, PhGraph *to, PhNode *before, GHashTable *map, GError **error)
{
  for (guint i = 0; i < from->constants->len; i++)
    {
      PhValue *constant = from->constants->pdata[i];
      PhValue *copy = ph_graph_add_constant (to, constant->name, constant->tensor, error);

      if (copy == NULL)
        return FALSE;
      g_hash_table_insert (map, constant, copy);
    }
  PH_FOREACH_NODE (node, from)
    if (ph_copy_node (node, to, before, map, error) == NULL)
      return FALSE;
  return TRUE;
}

gboolean
ph_build_copy (PhBuilder *builder, PhGraph *body, PhValue *const *inputs, PhValue **outputs, GHashTable *map)
{
  g_autoptr (GHashTable) own = map != NULL ? g_hash_table_ref (map) : g_hash_table_new (NULL, NULL);

  if (builder->error != NULL || (inputs == NULL && body->inputs->len > 0)) /* a body with inputs needs values for them */
    return FALSE;
  for (guint i = 0; i < body->inputs->len; i++)
    g_hash_table_insert (own, body->inputs->pdata[i], inputs[i]);
  if (!copy_contents (body, builder->graph, builder->before, own, &builder->error))
    return FALSE;
  for (guint i = 0; i < body->outputs->len; i++)
    outputs[i] = mapped (own, body->outputs->pdata[i]);
  return TRUE;
}

gboolean
ph_graph_inline_node (PhNode *node, GError **error)
{
  PhGraph *body = node->graphs != NULL ? node->graphs->pdata[0] : NULL;
  PhBuilder builder = { .graph = node->graph, .before = node };
  g_autofree PhValue **outputs = NULL;

  g_return_val_if_fail (body != NULL && body->inputs->len == node->inputs->len, FALSE);
  outputs = g_new0 (PhValue *, body->outputs->len + 1);
  ph_build_copy (&builder, body, (PhValue *const *) node->inputs->pdata, outputs, NULL);
  /* A graph's output must be computed in it. */
  for (guint i = 0; i < node->outputs->len; i++)
    if (outputs[i] != NULL && outputs[i]->producer == NULL && ph_node_output (node, i)->n_output_uses > 0)
      outputs[i] = PH_BUILD (&builder, Identity, outputs[i]);
  if (!ph_builder_finish (&builder, error))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    if (ph_value_n_uses (node->outputs->pdata[i]) > 0 && !ph_value_replace_uses (node->outputs->pdata[i], outputs[i], error))
      return FALSE;
  return ph_graph_remove_node (node, error);
}
