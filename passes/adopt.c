/* adopt.c: makes one model into another by edits.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/adopt.h"

#include <string.h>

#include "core/io/io.h"
#include "core/ops/copy.h"
#include "core/ops/infer.h"

/*   ours    a ── Relu ── Identity ── y          theirs   a ── Relu ── y
 *
 * Their nodes are taken in topological order. One that has its like among ours becomes that node: its inputs and attributes
 * are set to what theirs says, so at each moment everything before it is as it will be, and no cycle can arise. Last, the
 * outputs move over, and what of ours found no like is removed from the end backwards. */

typedef struct
{
  PhModel    *model, *wanted;
  GHashTable *map;               /* their PhValue -> our PhValue                    */
  GHashTable *taken;             /* our nodes that have found their like            */
  GHashTable *by_structure;      /* owned text -> our PhNode, of those not matched  */
} Adopt;

static gboolean
same_operator (const PhNode *a, const PhNode *b)
{
  return g_str_equal (a->op_type, b->op_type) && g_str_equal (a->domain, b->domain) && a->outputs->len == b->outputs->len;
}

/* Bodies are compared as text: where they differ, the whole node is another. */
static gboolean
same_bodies (const PhNode *a, const PhNode *b)
{
  guint n = a->graphs != NULL ? a->graphs->len : 0;

  if (n != (b->graphs != NULL ? b->graphs->len : 0))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *ours = ph_onnx_text_print_graph (a->graphs->pdata[i], 64);
      g_autofree char *theirs = ph_onnx_text_print_graph (b->graphs->pdata[i], 64);

      if (!g_str_equal (ours, theirs))
        return FALSE;
    }
  return TRUE;
}

/* What a node computes, by the names of what it reads. */
static char *
structure (const PhNode *node, GHashTable *map)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "%s:%s", node->domain, node->op_type);
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = node->inputs->pdata[i];

      if (map != NULL && value != NULL)
        value = g_hash_table_lookup (map, value);
      g_string_append_printf (out, ",%u", value != NULL ? value->id : 0);
    }
  for (guint i = 0; i < node->attrs->len; i++)
    {
      g_autofree char *text = ph_attr_value_to_string (node->attrs->pdata[i]);
      g_string_append_printf (out, ";%s=%s", ((PhAttr *) node->attrs->pdata[i])->name, text);
    }
  return g_string_free (out, FALSE);
}

static gboolean
is_like (Adopt *adopt, PhNode *ours, PhNode *theirs)
{
  return ours != NULL && ours->graph == adopt->model->graph && !g_hash_table_contains (adopt->taken, ours) &&
         same_operator (ours, theirs) && same_bodies (ours, theirs);
}

static PhNode *
find_like (Adopt *adopt, PhNode *theirs)
{
  PhValue         *made = ph_model_find_value_named (adopt->model, ph_node_output (theirs, 0)->name);
  PhNode          *named = *theirs->name != '\0' ? ph_model_find_node_named (adopt->model, theirs->name) : NULL;
  g_autofree char *key = NULL;
  PhNode          *alike;

  if (made != NULL && is_like (adopt, made->producer, theirs))
    return made->producer;
  if (is_like (adopt, named, theirs))
    return named;
  key = structure (theirs, adopt->map);
  alike = g_hash_table_lookup (adopt->by_structure, key);
  return is_like (adopt, alike, theirs) ? alike : NULL;
}

static PhValue *
ours_for (Adopt *adopt, PhValue *theirs)
{
  return theirs != NULL ? g_hash_table_lookup (adopt->map, theirs) : NULL;
}

static gboolean
adopt_attrs (PhNode *ours, PhNode *theirs, GError **error)
{
  for (guint i = ours->attrs->len; i-- > 0;)
    {
      const char *name = ((PhAttr *) ours->attrs->pdata[i])->name;

      if (ph_node_attr (theirs, name) == NULL && !ph_node_set_attr (ours, name, NULL, error))
        return FALSE;
    }
  for (guint i = 0; i < theirs->attrs->len; i++)
    {
      PhAttr *attr = theirs->attrs->pdata[i], *old = ph_node_attr (ours, attr->name);

      if ((old == NULL || !ph_attr_equal (old, attr)) && !ph_node_set_attr (ours, attr->name, attr, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
adopt_node (Adopt *adopt, PhNode *theirs, GError **error)
{
  PhNode *ours = find_like (adopt, theirs);

  if (ours == NULL)
    {
      ours = ph_copy_node (theirs, adopt->model->graph, NULL, adopt->map, error);
      if (ours != NULL)
        g_hash_table_add (adopt->taken, ours);
      return ours != NULL;
    }
  g_hash_table_add (adopt->taken, ours);
  for (guint i = 0; i < theirs->inputs->len; i++)
    {
      PhValue *value = ours_for (adopt, theirs->inputs->pdata[i]);

      if ((i >= ours->inputs->len || ours->inputs->pdata[i] != value) && !ph_node_set_input (ours, i, value, error))
        return FALSE;
    }
  if (ours->inputs->len > theirs->inputs->len && !ph_node_truncate_inputs (ours, theirs->inputs->len, error))
    return FALSE;
  for (guint i = 0; i < theirs->outputs->len; i++)
    g_hash_table_insert (adopt->map, theirs->outputs->pdata[i], ours->outputs->pdata[i]);
  return adopt_attrs (ours, theirs, error);
}

static gboolean
adopt_leaves (Adopt *adopt, GError **error)
{
  PhGraph *from = adopt->wanted->graph, *to = adopt->model->graph;

  for (guint i = 0; i < from->inputs->len; i++)
    {
      PhValue *theirs = from->inputs->pdata[i], *ours = ph_model_find_value_named (adopt->model, theirs->name);

      if (ours == NULL || !ours->is_input || ours->graph != to)
        ours = ph_graph_add_input (to, ph_model_unique_name (adopt->model, theirs->name), theirs->type, theirs->tensor, G_MAXUINT, error);
      if (ours == NULL)
        return FALSE;
      g_hash_table_insert (adopt->map, theirs, ours);
    }
  for (guint i = 0; i < from->constants->len; i++)
    {
      PhValue *theirs = from->constants->pdata[i], *ours = ph_model_find_value_named (adopt->model, theirs->name);

      if (ours == NULL || ours->graph != to || ours->tensor == NULL || ours->is_input || !ph_tensor_equal (ours->tensor, theirs->tensor))
        ours = ph_graph_add_constant (to, ph_model_unique_name (adopt->model, theirs->name), theirs->tensor, error);
      if (ours == NULL)
        return FALSE;
      g_hash_table_insert (adopt->map, theirs, ours);
    }
  return TRUE;
}

static gboolean
remove_the_rest (Adopt *adopt, GError **error)
{
  PhGraph              *graph = adopt->model->graph;
  g_autoptr(GHashTable) kept = g_hash_table_new (NULL, NULL);
  GHashTableIter        iter;
  gpointer              value;

  for (PhNode *node = graph->last, *previous; node != NULL; node = previous)
    {
      previous = node->prev;
      if (!g_hash_table_contains (adopt->taken, node) && !ph_graph_remove_node (node, error))
        return FALSE;
    }
  g_hash_table_iter_init (&iter, adopt->map);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_hash_table_add (kept, value);
  for (guint i = graph->constants->len; i-- > 0;)
    if (!g_hash_table_contains (kept, graph->constants->pdata[i]) && ph_value_n_uses (graph->constants->pdata[i]) == 0 &&
        !ph_graph_remove_value (graph->constants->pdata[i], error))
      return FALSE;
  for (guint i = graph->inputs->len; i-- > 0;)
    if (!g_hash_table_contains (kept, graph->inputs->pdata[i]) && !ph_graph_remove_value (graph->inputs->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* The names of the interface first of all, but everywhere where a name is free now. */
static gboolean
adopt_names (Adopt *adopt, GError **error)
{
  GHashTableIter iter;
  gpointer       key, value;

  g_hash_table_iter_init (&iter, adopt->map);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      PhValue *theirs = key, *ours = value;

      if (ours->graph == adopt->model->graph && theirs->graph == adopt->wanted->graph && !g_str_equal (ours->name, theirs->name) &&
          ph_model_find_value_named (adopt->model, theirs->name) == NULL && !ph_value_rename (ours, theirs->name, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
adopt_outputs (Adopt *adopt, GError **error)
{
  GPtrArray *theirs = adopt->wanted->graph->outputs, *ours = adopt->model->graph->outputs;

  for (guint i = 0; i < theirs->len; i++)
    {
      PhValue *value = ours_for (adopt, theirs->pdata[i]);

      if ((i >= ours->len || ours->pdata[i] != value) && !ph_graph_set_output (adopt->model->graph, i, value, error))
        return FALSE;
    }
  return ours->len == theirs->len || ph_graph_truncate_outputs (adopt->model->graph, theirs->len, error);
}

gboolean
ph_model_adopt (PhModel *model, PhModel *wanted, GError **error)
{
  g_autoptr(GHashTable) map = g_hash_table_new (NULL, NULL), taken = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) by_structure = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Adopt                 adopt = { model, wanted, map, taken, by_structure };
  GHashTableIter        iter;
  gpointer              domain, version;

  g_hash_table_iter_init (&iter, wanted->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    if (*(const char *) domain != '\0' && ph_model_opset (model, domain) == 0)
      ph_model_set_opset (model, domain, GPOINTER_TO_INT (version));
  PH_FOREACH_NODE (node, model->graph)
    g_hash_table_insert (by_structure, structure (node, NULL), node);

  if (!adopt_leaves (&adopt, error))
    return FALSE;
  PH_FOREACH_NODE (theirs, wanted->graph)
    if (!adopt_node (&adopt, theirs, error))
      return FALSE;
  return adopt_outputs (&adopt, error) && remove_the_rest (&adopt, error) && adopt_names (&adopt, error);
}
