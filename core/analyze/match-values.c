/* match-values.c: matches the inputs and constants of two graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/match.h"

static gboolean
same_tensor (const PhValue *a, const PhValue *b)
{
  return a->tensor == NULL || b->tensor == NULL ? a->tensor == b->tensor : ph_tensor_equal (a->tensor, b->tensor);
}

/* Inputs of the main graph by name, of a body by place. They keep their order: one that was moved counts as another. */
static void
match_named_inputs (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  guint last = 0;

  for (guint i = 0; i < target->inputs->len; i++)
    for (guint j = last; j < graph->inputs->len; j++)
      {
        PhValue *value = graph->inputs->pdata[j], *of_target = target->inputs->pdata[i];

        if ((graph->owner != NULL ? i != j : value->name != of_target->name) || !same_tensor (value, of_target))
          continue;
        ph_match_set_value (match, value, of_target);
        last = j + 1;
        break;
      }
}

/* Returns TRUE unless the known parts of the types differ. */
static gboolean
may_be_same_type (const PhType *a, const PhType *b)
{
  if (a == NULL || b == NULL || a == b)
    return TRUE;
  return a->kind == b->kind && a->name == b->name
         && (a->dtype == PH_UNDEFINED || b->dtype == PH_UNDEFINED || a->dtype == b->dtype)
         && (!a->has_rank || !b->has_rank || a->rank == b->rank);
}

/* Returns the inputs without an initializer. */
static GPtrArray *
fed_inputs (const PhGraph *graph)
{
  GPtrArray *fed = g_ptr_array_new ();

  for (guint i = 0; i < graph->inputs->len; i++)
    if (((PhValue *) graph->inputs->pdata[i])->tensor == NULL)
      g_ptr_array_add (fed, graph->inputs->pdata[i]);
  return fed;
}

/* Matches inputs by position. Writers may rename inputs: if no name occurs on both sides and the numbers agree, position decides; if one
 * name does, the writer keeps names, and another name is another input. */
static void
match_unnamed_inputs (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GPtrArray) ours = fed_inputs (graph), theirs = fed_inputs (target);

  if (ours->len != theirs->len)
    return;
  for (guint i = 0; i < ours->len; i++)
    {
      const PhValue *value = ours->pdata[i], *of_target = theirs->pdata[i];

      if (ph_match_value (match, of_target) != NULL || !may_be_same_type (value->type, of_target->type))
        return;
    }
  for (guint i = 0; i < ours->len; i++)
    ph_match_set_value (match, ours->pdata[i], theirs->pdata[i]);
}

void
ph_match_inputs (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  match_named_inputs (match, graph, target);
  if (graph->owner == NULL && graph != match->partial)
    match_unnamed_inputs (match, graph, target);
}

/* Matches constants by name and elements, then by elements. */
void
ph_match_constants (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GHashTable) by_hash = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_queue_free);
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < target->constants->len; i++)
    {
      PhValue *of_target = target->constants->pdata[i], *value = ph_model_find_value_named (match->model, of_target->name);

      if (value != NULL && value->graph == graph && !value->is_input && value->tensor != NULL && same_tensor (value, of_target)
          && g_hash_table_add (taken, value))
        ph_match_set_value (match, value, of_target);
    }
  for (guint i = 0; i < graph->constants->len; i++)
    {
      PhValue *value = graph->constants->pdata[i];
      gpointer hash = GUINT_TO_POINTER (ph_tensor_hash (value->tensor));
      GQueue *queue = g_hash_table_lookup (by_hash, hash);

      if (g_hash_table_contains (taken, value))
        continue;
      if (queue == NULL)
        g_hash_table_insert (by_hash, hash, queue = g_queue_new ());
      g_queue_push_tail (queue, value);
    }
  for (guint i = 0; i < target->constants->len; i++)
    {
      PhValue *of_target = target->constants->pdata[i];
      GQueue *queue;

      if (ph_match_value (match, of_target) != NULL)
        continue;
      queue = g_hash_table_lookup (by_hash, GUINT_TO_POINTER (ph_tensor_hash (of_target->tensor)));
      for (GList *l = queue != NULL ? queue->head : NULL; l != NULL; l = l->next)
        if (same_tensor (l->data, of_target))
          {
            ph_match_set_value (match, l->data, of_target);
            g_queue_delete_link (queue, l);
            break;
          }
    }
}
