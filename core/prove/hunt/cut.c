/* cut.c: extracts some nodes of a model as a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/cut.h"

#include "core/analyze/region-private.h"
#include "core/ops/copy.h"
#include "core/ops/op-list.h"
#include "core/prove/pair.h"

typedef struct
{
  PhModel *to;
  GHashTable *nodes; /* set of PhNode                        */
  GHashTable *map;   /* PhValue -> its copy                  */
  GHashTable *feeds; /* (nullable) name -> PhTensor          */
  GError **error;
  gboolean ok;
} Cutting;

static const PhType *
type_of_input (Cutting *cutting, const PhValue *value)
{
  PhTensor *tensor = cutting->feeds != NULL ? g_hash_table_lookup (cutting->feeds, value->name) : NULL;

  return tensor != NULL ? ph_type_of_tensor (tensor) : value->type;
}

static void
add_input (Cutting *cutting, PhValue *value)
{
  PhValue *copy = ph_graph_add_input (cutting->to->graph, ph_model_unique_name (cutting->to, value->name),
                                      type_of_input (cutting, value), value->is_input ? value->tensor : NULL, G_MAXUINT,
                                      cutting->error);

  cutting->ok &= copy != NULL;
  if (copy != NULL)
    g_hash_table_insert (cutting->map, value, copy);
}

static gboolean
is_constant_node (const PhNode *node)
{
  return node != NULL && ph_node_is (node, &ph_op_Constant);
}

static void
bring (PhValue *value, gpointer data)
{
  Cutting *cutting = data;
  PhValue *copy;

  if (!cutting->ok || g_hash_table_contains (cutting->map, value))
    return;
  if (is_constant_node (value->producer))
    {
      cutting->ok = ph_copy_node (value->producer, cutting->to->graph, NULL, cutting->map, cutting->error) != NULL;
      return;
    }
  if (value->tensor == NULL || value->is_input)
    {
      add_input (cutting, value);
      return;
    }
  copy = ph_graph_add_constant (cutting->to->graph, value->name, value->tensor, cutting->error);
  cutting->ok = copy != NULL;
  if (copy != NULL)
    g_hash_table_insert (cutting->map, value, copy);
}

static gboolean
is_read_elsewhere (Cutting *cutting, const PhValue *value)
{
  if (value->n_output_uses > 0)
    return TRUE;
  for (guint u = 0; u < value->uses->len; u++)
    {
      PhNode *reader = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, value->graph);

      if (!g_hash_table_contains (cutting->nodes, reader))
        return TRUE;
    }
  return FALSE;
}

static void
copy_nodes (Cutting *cutting, PhModel *model)
{
  PH_FOREACH_NODE (node, model->graph)
    {
      if (!cutting->ok || !g_hash_table_contains (cutting->nodes, node)
          || g_hash_table_contains (cutting->map, ph_node_output (node, 0)))
        continue;
      ph_each_read (node, bring, cutting);
      cutting->ok = cutting->ok && ph_copy_node (node, cutting->to->graph, NULL, cutting->map, cutting->error) != NULL;
    }
}

static void
add_output (Cutting *cutting, PhValue *value)
{
  PhValue *copy = g_hash_table_lookup (cutting->map, value);

  if (cutting->ok && copy != NULL && !ph_value_is_output (copy))
    cutting->ok = ph_graph_set_output (cutting->to->graph, cutting->to->graph->outputs->len, copy, cutting->error);
}

PhModel *
ph_model_cut (PhModel *model, GHashTable *nodes, GError **error)
{
  g_autoptr (PhModel) to = ph_model_new ();
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) unread = g_ptr_array_new ();
  Cutting cutting = { to, nodes, map, NULL, error, TRUE };

  ph_model_copy_opsets (model, to);
  copy_nodes (&cutting, model);
  PH_FOREACH_NODE (node, model->graph)
    for (guint k = 0; g_hash_table_contains (nodes, node) && !is_constant_node (node) && k < node->outputs->len; k++)
      {
        PhValue *value = node->outputs->pdata[k];

        if (is_read_elsewhere (&cutting, value))
          add_output (&cutting, value);
        else if (k == 0 && ph_value_n_uses (value) == 0)
          g_ptr_array_add (unread, value);
      }
  for (guint i = 0; to->graph->outputs->len == 0 && i < unread->len; i++)
    add_output (&cutting, unread->pdata[i]);
  if (cutting.ok && to->graph->outputs->len == 0)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_INVALID, "nothing comes out of these nodes");
      return NULL;
    }
  return cutting.ok && ph_model_copy_called (to, model, error) ? g_steal_pointer (&to) : NULL;
}

/* Collects everything that a node depends on. */
static void need (PhNode *node, GHashTable *nodes);

static void
need_value (PhValue *value, gpointer data)
{
  if (value->producer != NULL)
    need (value->producer, data);
}

static void
need (PhNode *node, GHashTable *nodes)
{
  if (g_hash_table_add (nodes, node))
    ph_each_read (node, need_value, nodes);
}

PhModel *
ph_model_keep_outputs (PhModel *model, GHashTable *keep, GError **error)
{
  g_autoptr (PhModel) to = ph_model_new ();
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL), nodes = g_hash_table_new (NULL, NULL);
  Cutting cutting = { to, nodes, map, NULL, error, TRUE };

  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      PhValue *value = model->graph->outputs->pdata[i];

      if (g_hash_table_contains (keep, value->name))
        need_value (value, nodes);
    }
  ph_model_copy_opsets (model, to);
  copy_nodes (&cutting, model);
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      PhValue *value = model->graph->outputs->pdata[i];

      if (g_hash_table_contains (keep, value->name))
        add_output (&cutting, value);
    }
  return cutting.ok && to->graph->outputs->len > 0 && ph_model_copy_called (to, model, error) ? g_steal_pointer (&to) : NULL;
}

guint
ph_model_n_computing (PhModel *model)
{
  guint n = 0;

  PH_FOREACH_NODE (node, model->graph)
    n += !is_constant_node (node);
  return n;
}
