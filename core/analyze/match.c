/* match.c: recognises the nodes of one model in another: by name, by the name of an output, by structure.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/match.h"

static gboolean
same_operator (const PhNode *a, const PhNode *b)
{
  const guint n_a = a->graphs != NULL ? a->graphs->len : 0, n_b = b->graphs != NULL ? b->graphs->len : 0;

  if (a->op_type != b->op_type || a->domain != b->domain || a->outputs->len != b->outputs->len || n_a != n_b)
    return FALSE;
  for (guint i = 0; i < n_a; i++)
    if (ph_node_graph (b, ((PhGraph *) a->graphs->pdata[i])->attr) == NULL)
      return FALSE;
  return TRUE;
}

static void
pair (PhBecome *become, PhNode *node, PhNode *of_target, guint *count)
{
  g_hash_table_insert (become->nodes, of_target, node);
  g_hash_table_add (become->taken, node);
  for (guint i = 0; i < node->outputs->len; i++)
    g_hash_table_insert (become->values, of_target->outputs->pdata[i], node->outputs->pdata[i]);
  (*count)++;
}

static gboolean
is_free (PhBecome *become, PhNode *node, const PhNode *of_target)
{
  return node != NULL && !g_hash_table_contains (become->taken, node) && !g_hash_table_contains (become->nodes, of_target)
         && same_operator (node, of_target);
}

/* Names that stand for exactly one node; others are of no use. */
static GHashTable *
unique_names (const PhGraph *graph)
{
  GHashTable *names = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, graph)
    if (*node->name != '\0')
      g_hash_table_insert (names, (gpointer) node->name, g_hash_table_contains (names, node->name) ? NULL : node);
  return names;
}

static void
match_names (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GHashTable) ours = unique_names (graph);
  g_autoptr (GHashTable) theirs = unique_names (target);
  g_autoptr (GHashTable) outputs = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, target)
    {
      PhNode *found = g_hash_table_lookup (theirs, node->name) == node ? g_hash_table_lookup (ours, node->name) : NULL;

      if (is_free (become, found, node))
        pair (become, found, node, &become->counts.by_name);
    }
  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; i < node->outputs->len; i++)
      g_hash_table_insert (outputs, (gpointer) ph_node_output (node, i)->name, node);
  PH_FOREACH_NODE (node, target)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        PhNode *found = g_hash_table_lookup (outputs, ph_node_output (node, i)->name);

        if (is_free (become, found, node))
          pair (become, found, node, &become->counts.by_output);
      }
}

/* Operator, attributes and inputs; @values (nullable) translates the inputs of a node of the target. */
static gboolean
signature (const PhNode *node, GHashTable *values, guint *hash)
{
  *hash = g_direct_hash (node->op_type) * 31 + g_direct_hash (node->domain);
  for (guint i = 0; i < node->attrs->len; i++)
    *hash += ph_attr_hash (node->attrs->pdata[i]) * 2654435761u;         /* in any order */
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      if (value != NULL && values != NULL)
        {
          value = g_hash_table_lookup (values, value);
          if (value == NULL)
            return FALSE;
        }
      *hash = *hash * 33 + (value != NULL ? value->id : 0);
    }
  return TRUE;
}

static gboolean
same_attrs (const PhNode *a, const PhNode *b)
{
  if (a->attrs->len != b->attrs->len)
    return FALSE;
  for (guint i = 0; i < a->attrs->len; i++)
    {
      const PhAttr *attr = a->attrs->pdata[i], *other = ph_node_attr (b, attr->name);

      if (other == NULL || !ph_attr_equal (attr, other))
        return FALSE;
    }
  return TRUE;
}

static gboolean
same_inputs (PhBecome *become, const PhNode *node, const PhNode *of_target)
{
  if (node->inputs->len != of_target->inputs->len)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = of_target->inputs->pdata[i];

      if (node->inputs->pdata[i] != (value != NULL ? g_hash_table_lookup (become->values, value) : NULL))
        return FALSE;
    }
  return TRUE;
}

static void
match_structure (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GHashTable) by_hash = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_queue_free);

  PH_FOREACH_NODE (node, graph)
    if (!g_hash_table_contains (become->taken, node))
      {
        guint hash;
        GQueue *queue;

        signature (node, NULL, &hash);
        queue = g_hash_table_lookup (by_hash, GUINT_TO_POINTER (hash));
        if (queue == NULL)
          g_hash_table_insert (by_hash, GUINT_TO_POINTER (hash), queue = g_queue_new ());
        g_queue_push_tail (queue, node);
      }
  /* Forwards: what is computed in the same way from the same. */
  PH_FOREACH_NODE (node, target)
    {
      guint hash;
      GQueue *queue;

      if (g_hash_table_contains (become->nodes, node) || !signature (node, become->values, &hash))
        continue;
      queue = g_hash_table_lookup (by_hash, GUINT_TO_POINTER (hash));
      for (GList *l = queue != NULL ? queue->head : NULL; l != NULL; l = l->next)
        if (is_free (become, l->data, node) && same_attrs (l->data, node) && same_inputs (become, l->data, node))
          {
            pair (become, l->data, node, &become->counts.by_structure);
            g_queue_delete_link (queue, l);
            break;
          }
    }
  /* Backwards: what stands at the same place before the same node. */
  for (PhNode *node = target->last; node != NULL; node = node->prev)
    {
      const PhNode *ours = g_hash_table_lookup (become->nodes, node);

      for (guint i = 0; ours != NULL && i < node->inputs->len && i < ours->inputs->len; i++)
        {
          const PhValue *value = ours->inputs->pdata[i], *of_target = node->inputs->pdata[i];

          if (value != NULL && of_target != NULL && value->producer != NULL && of_target->producer != NULL
              && value->output == of_target->output && value->graph == graph && of_target->graph == target
              && is_free (become, value->producer, of_target->producer))
            pair (become, value->producer, of_target->producer, &become->counts.by_structure);
        }
    }
}

static gboolean
same_tensor (const PhValue *a, const PhValue *b)
{
  return a->tensor == NULL || b->tensor == NULL ? a->tensor == b->tensor : ph_tensor_equal (a->tensor, b->tensor);
}

/* Inputs of the main graph by name, of a body by place; constants by name and elements, then by elements. */
static void
match_values (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GHashTable) constants = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_queue_free);
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  guint last = 0;

  for (guint i = 0; i < target->inputs->len; i++)
    for (guint j = last; j < graph->inputs->len; j++)
      {
        PhValue *value = graph->inputs->pdata[j], *of_target = target->inputs->pdata[i];

        if ((graph->owner != NULL ? i != j : value->name != of_target->name) || !same_tensor (value, of_target))
          continue;
        g_hash_table_insert (become->values, of_target, value);
        last = j + 1;      /* inputs keep their order; one that was moved counts as another */
        break;
      }
  for (guint i = 0; i < target->constants->len; i++)
    {
      PhValue *of_target = target->constants->pdata[i], *value = ph_model_find_value_named (become->model, of_target->name);

      if (value != NULL && value->graph == graph && !value->is_input && value->tensor != NULL && same_tensor (value, of_target)
          && g_hash_table_add (taken, value))
        g_hash_table_insert (become->values, of_target, value);
    }
  for (guint i = 0; i < graph->constants->len; i++)
    {
      PhValue *value = graph->constants->pdata[i];
      gpointer hash = GUINT_TO_POINTER (ph_tensor_hash (value->tensor));
      GQueue *queue = g_hash_table_lookup (constants, hash);

      if (g_hash_table_contains (taken, value))
        continue;
      if (queue == NULL)
        g_hash_table_insert (constants, hash, queue = g_queue_new ());
      g_queue_push_tail (queue, value);
    }
  for (guint i = 0; i < target->constants->len; i++)
    {
      PhValue *of_target = target->constants->pdata[i];
      GQueue *queue;

      if (g_hash_table_contains (become->values, of_target))
        continue;
      queue = g_hash_table_lookup (constants, GUINT_TO_POINTER (ph_tensor_hash (of_target->tensor)));
      for (GList *l = queue != NULL ? queue->head : NULL; l != NULL; l = l->next)
        if (same_tensor (l->data, of_target))
          {
            g_hash_table_insert (become->values, of_target, l->data);
            g_queue_delete_link (queue, l);
            break;
          }
    }
}

void
ph_match_graph (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  match_values (become, graph, target);
  match_names (become, graph, target);
  match_structure (become, graph, target);
}
