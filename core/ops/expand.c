/* expand.c: expands an operator into a subgraph of ONNX's own operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/expand.h"

PhValue *
ph_expand_in (PhExpand *expand, guint i)
{
  return i < expand->n_in ? expand->in[i] : NULL;
}

static const PhType *
type_of (PhExpand *expand, guint i)
{
  const PhValue *value = ph_expand_in (expand, i);

  return value != NULL ? value->type : NULL;
}

int
ph_expand_rank (PhExpand *expand, guint i)
{
  const PhType *type = type_of (expand, i);

  return type != NULL && type->has_rank ? (int) type->rank : -1;
}

gint64
ph_expand_dim (PhExpand *expand, guint i, int axis)
{
  const int rank = ph_expand_rank (expand, i);

  if (axis < 0)
    axis += rank;
  return axis >= 0 && axis < rank ? type_of (expand, i)->dims[axis].size : -1;
}

gboolean
ph_expand_wants (PhExpand *expand, guint i)
{
  return i < expand->n_out;
}

PhDType
ph_expand_dtype (PhExpand *expand, guint i)
{
  const PhType *type = type_of (expand, i);

  return type != NULL && type->dtype != PH_UNDEFINED ? type->dtype : PH_FLOAT;
}

gboolean
ph_expand_fail (PhExpand *expand, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ph_node_fail_valist (expand->node, error, PH_ERROR_UNSUPPORTED, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
expand (const PhNode *node, PhBuilder *b, PhValue **in, PhValue **out, GError **error)
{
  PhExpand self = { node, b, in, node->inputs->len, out, node->outputs->len };
  g_autoptr (GError) own = NULL;

  if (node->op->expand (&self, &own))
    return ph_builder_finish (b, error);
  if (own == NULL) /* the builder has one, then */
    ph_builder_finish (b, &own);
  g_clear_error (&b->error);
  if (own == NULL)
    ph_expand_fail (&self, &own, "cannot be spelt out");
  g_propagate_error (error, g_steal_pointer (&own));
  return FALSE;
}

gboolean
ph_expand_in_place (PhNode *node, GError **error)
{
  g_autofree PhValue **out = g_new0 (PhValue *, node->outputs->len + 1);
  PhBuilder b = { .graph = node->graph,
                  .before = node,
                  .name = ph_node_output (node, 0)->name,
                  .role = node->role,
                  .partner = node->partner,
                  .device = node->device };

  if (!expand (node, &b, (PhValue **) node->inputs->pdata, out, error))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      PhValue *old = node->outputs->pdata[i];

      if (ph_value_n_uses (old) == 0)
        continue;
      if (out[i] == NULL)
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "output %u '%s' cannot be spelt out", i, old->name);
      /* Replacing an output by an input of the node would swap their names. */
      if (out[i]->producer == NULL || ph_values_find (node->inputs, out[i]))
        out[i] = PH_BUILD (&b, Identity, out[i]);
      if (!ph_builder_finish (&b, error) || !ph_value_replace_uses (old, out[i], error))
        return FALSE;
    }
  return TRUE;
}

void
ph_expansion_free (PhExpansion *expansion)
{
  ph_model_free (expansion->model);
  g_free (expansion->input_of);
  g_free (expansion->output_of);
  g_free (expansion);
}

PhExpansion *
ph_expansion_new (const PhNode *node, const PhType *const *types, PhTensor *const *constants, GError **error)
{
  g_autoptr (PhExpansion) self = g_new0 (PhExpansion, 1);
  g_autofree PhValue **in = g_new0 (PhValue *, node->inputs->len + 1), **out = g_new0 (PhValue *, node->outputs->len + 1);
  PhGraph *graph;
  PhBuilder b;

  self->model = ph_model_new ();
  self->input_of = g_new (gint, node->inputs->len + 1);
  self->output_of = g_new (gint, node->outputs->len + 1);
  ph_model_set_opset (self->model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (self->model, node->domain, MAX (1, ph_model_opset (node->graph->model, node->domain)));
  graph = self->model->graph;
  b = (PhBuilder) { .graph = graph };
  for (guint i = 0; i < node->inputs->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("i%u", i);

      self->input_of[i] = -1;
      if (ph_node_input (node, i) == NULL)
        continue;
      if (constants != NULL && constants[i] != NULL)
        in[i] = ph_graph_add_constant (graph, name, constants[i], error);
      else
        {
          self->input_of[i] = graph->inputs->len;
          in[i] = ph_graph_add_input (graph, name, types[i], NULL, G_MAXUINT, error);
        }
      if (in[i] == NULL)
        return NULL;
    }
  if (!expand (node, &b, in, out, error))
    return NULL;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      self->output_of[i] = -1;
      if (out[i] == NULL)
        continue;
      self->output_of[i] = graph->outputs->len;
      if (!ph_graph_set_output (graph, graph->outputs->len, out[i], error))
        return NULL;
    }
  return g_steal_pointer (&self);
}

/* Expands a node of a graph with the types and constants known for its inputs. */
static PhExpansion *
expand_as_declared (const PhNode *node, GError **error)
{
  const guint n = node->inputs->len;
  g_autofree const PhType **types = g_new0 (const PhType *, n + 1);
  g_autofree PhTensor **constants = g_new0 (PhTensor *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      types[i] = value != NULL ? value->type : NULL;
      constants[i] = value != NULL ? ph_value_constant (value) : NULL;
    }
  return ph_expansion_new (node, types, constants, error);
}

gboolean
ph_infer_expanded (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  g_autoptr (GError) own = NULL;
  g_autoptr (PhExpansion) expansion = expand_as_declared (node, &own);

  if (expansion == NULL) /* too little is known yet, or it is wrong: that shows when all types are known */
    {
      if (!g_error_matches (own, PH_ERROR, PH_ERROR_UNSUPPORTED))
        return ph_infer_fail (infer, error, "%s", own->message);
      return TRUE;
    }
  for (guint i = 0; i < node->outputs->len; i++)
    if (expansion->output_of[i] >= 0)
      {
        const PhValue *value = expansion->model->graph->outputs->pdata[expansion->output_of[i]];

        if (value->type != NULL)
          ph_infer_set (infer, i, value->type);
      }
  return TRUE;
}

gint64
ph_flops_expanded (const PhNode *node)
{
  g_autoptr (PhExpansion) expansion = expand_as_declared (node, NULL);
  gint64 sum = 0;

  if (expansion == NULL)
    return -1;
  PH_FOREACH_NODE (inner, expansion->model->graph)
    {
      const gint64 flops = ph_node_flops (inner);

      if (flops < 0)
        return -1;
      sum += flops;
    }
  return sum;
}
