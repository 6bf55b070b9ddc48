/* clone.c: copies models: the same ids, names and order, with tensors shared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/clone.h"

#include "core/graph/graph-private.h"

static GBytes *
bytes_ref (GBytes *bytes)
{
  return bytes != NULL ? g_bytes_ref (bytes) : NULL;
}

static PhValue *
clone_value (PhGraph *graph, const PhValue *from)
{
  PhValue *value = ph_value_alloc (graph, from->id, from->name, from->type);

  value->output = from->output;
  value->tensor = from->tensor != NULL ? ph_tensor_ref (from->tensor) : NULL;
  value->is_input = from->is_input;
  value->n_output_uses = from->n_output_uses;
  value->place = from->place;
  value->extra = bytes_ref (from->extra);
  /* The uses are copied in order, since rewriting depends on it; their nodes are resolved by id once all exist. */
  ph_uses_init (value->uses, from->uses->len);
  value->uses->len = from->uses->len;
  return value;
}

static void
clone_graph (PhGraph *graph, const PhGraph *from)
{
  PhModel *model = graph->model;

  graph->extra = bytes_ref (from->extra);
  graph->n_nodes = from->n_nodes;
  for (guint i = 0; i < from->inputs->len; i++)
    g_ptr_array_add (graph->inputs, clone_value (graph, from->inputs->pdata[i]));
  for (guint i = 0; i < from->constants->len; i++)
    g_ptr_array_add (graph->constants, clone_value (graph, from->constants->pdata[i]));

  PH_FOREACH_NODE (old, from)
    {
      PhNode *node = ph_slab_alloc0 (&model->memory->nodes);

      *node = *old;
      node->scratch = NULL;
      node->graph = graph;
      node->prev = graph->last;
      node->next = NULL;
      if (graph->last != NULL)
        graph->last->next = node;
      else
        graph->first = node;
      graph->last = node;
      ph_model_enter (model, model->nodes, node->id, node);
      ph_model_count (model, node->op, 1);

      ph_node_init_inputs (node, old->inputs->len);
      node->inputs->len = old->inputs->len;
      for (guint i = 0; i < old->inputs->len; i++)
        {
          const PhValue *value = old->inputs->pdata[i];

          node->inputs->pdata[i] = value != NULL ? g_ptr_array_index (model->values, value->id) : NULL;
          node->use_at[i] = old->use_at[i];
        }
      for (guint i = 0; i < node->inputs->len; i++)
        if (node->inputs->pdata[i] != NULL)
          g_array_index (((PhValue *) node->inputs->pdata[i])->uses, PhUse, node->use_at[i]) = (PhUse) { node, i };

      ph_values_init (node->outputs, old->outputs->len);
      for (guint i = 0; i < old->outputs->len; i++)
        {
          PhValue *value = clone_value (graph, old->outputs->pdata[i]);
          value->producer = node;
          node->outputs->pdata[node->outputs->len++] = value;
        }
      node->attrs = g_ptr_array_ref (old->attrs);
      node->extra = bytes_ref (old->extra);
      node->control = node->followers = NULL;
      for (guint i = 0; old->control != NULL && i < old->control->len; i++) /* already copied: it precedes this node */
        ph_node_insert_control (node, i, g_ptr_array_index (model->nodes, ((const PhNode *) old->control->pdata[i])->id));
      node->graphs = NULL;
      if (old->graphs != NULL)
        {
          node->graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_graph_free);
          for (guint i = 0; i < old->graphs->len; i++)
            {
              const PhGraph *body = old->graphs->pdata[i];
              PhGraph *copy = ph_graph_alloc (model, body->id, node, body->attr, body->name);

              g_ptr_array_add (node->graphs, copy);
              clone_graph (copy, body);
            }
        }
    }

  for (guint i = 0; i < from->outputs->len; i++)
    {
      const PhValue *value = from->outputs->pdata[i];
      g_ptr_array_add (graph->outputs, g_ptr_array_index (model->values, value->id));
    }
}

PhModel *
ph_model_clone (PhModel *from)
{
  return ph_model_clone_graphs (from, NULL, NULL);
}

PhModel *
ph_model_clone_graphs (PhModel *from, gboolean (*wanted) (const PhGraph *graph, gconstpointer data), gconstpointer data)
{
  PhModel *model = ph_model_alloc ();
  GHashTableIter iter;
  gpointer key, version;

  model->graph = ph_graph_alloc (model, from->graph->id, NULL, NULL, from->graph->name);
  ph_model_reserve (model, from->next_id);
  if (from->next_id > 1)
    ph_model_enter (model, model->nodes, from->next_id - 1, NULL);
  if (wanted == NULL || wanted (from->graph, data))
    clone_graph (model->graph, from->graph);
  model->ir_version = from->ir_version;
  model->form = wanted == NULL ? from->form : 0;
  model->library = from->library;
  model->extra = bytes_ref (from->extra);
  model->kernels = from->kernels != NULL ? g_hash_table_ref (from->kernels) : NULL;
  g_hash_table_iter_init (&iter, from->opsets);
  while (g_hash_table_iter_next (&iter, &key, &version))
    g_hash_table_insert (model->opsets, key, version);
  for (guint i = 0; i < from->functions->len; i++)
    {
      const PhFunction *old = from->functions->pdata[i];
      PhFunctionRecord *record = ph_function_record_new (old);
      PhFunction *function = ph_function_alloc (model, old->graph->id, record);

      ph_model_list_function (model, i, function);
      if (wanted == NULL || wanted (old->graph, data))
        clone_graph (function->graph, old->graph);
      ph_function_record_free (record);
    }
  return model;
}
