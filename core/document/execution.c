/* execution.c: records a run node by node, and tells the known values at each point of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"
#include "core/ops/op-list.h"
#include "core/run/inputs.h"
#include "core/tensor/tensor.h"

#define MOST_EVENTS 200000
#define MOST_BYTES  ((gsize) 1 << 30)

typedef struct
{
  PhExecution *execution;
  GHashTable *runs; /* PhNode -> how often it ran since the node around it began          */
  gsize bytes;
  GArray *entered; /* (element-type PhExecutionEntry) bodies entered since the last event */
} Recorder;

static void
entry_clear (gpointer data)
{
  g_clear_pointer (&((PhExecutionEntry *) data)->tensor, ph_tensor_unref);
}

static GArray *
entries_new (void)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (PhExecutionEntry));

  g_array_set_clear_func (entries, entry_clear);
  return entries;
}

static void
event_free (PhExecutionEvent *event)
{
  for (guint i = 0; i < event->n_outputs; i++)
    g_clear_pointer (&event->tensors[i], ph_tensor_unref);
  g_clear_pointer (&event->entered, g_array_unref);
  g_free (event->values);
  g_free (event->tensors);
  g_free (event->name);
  g_free (event);
}

void
ph_execution_free (PhExecution *execution)
{
  if (execution == NULL)
    return;
  g_ptr_array_unref (execution->events);
  g_hash_table_unref (execution->given);
  g_free (execution);
}

static gboolean
lies_in_fused (const PhNode *node)
{
  for (const PhNode *owner = node->graph->owner; owner != NULL; owner = owner->graph->owner)
    if (ph_node_is_fused (owner))
      return TRUE;
  return FALSE;
}

/* Resets the iteration counts of the node's bodies, since it runs again. */
static void
forget_turns (Recorder *recorder, const PhNode *node)
{
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[i])
      g_hash_table_remove (recorder->runs, inner);
}

static void
on_entered (const PhGraph *graph, PhTensor *const *inputs, guint n, gpointer data)
{
  Recorder *recorder = data;

  if (graph->owner == NULL || ph_node_is_fused (graph->owner) || lies_in_fused (graph->owner) || recorder->execution->cut)
    return;
  for (guint i = 0; i <= n; i++)
    {
      const PhExecutionEntry entry = { graph->id, graph->owner->graph->id,
                                       i > 0 ? ((PhValue *) graph->inputs->pdata[i - 1])->id : PH_NO_ID,
                                       i > 0 && inputs[i - 1] != NULL ? ph_tensor_ref (inputs[i - 1]) : NULL };

      recorder->bytes += entry.tensor != NULL ? ph_tensor_bytes (entry.tensor) : 0;
      g_array_append_val (recorder->entered, entry);
    }
}

static void
on_ran (const PhNode *node, PhTensor *const *outputs, gpointer data)
{
  Recorder *recorder = data;
  PhExecution *execution = recorder->execution;
  PhExecutionEvent *event;
  guint turn;

  if (lies_in_fused (node))
    return;
  forget_turns (recorder, node);
  turn = GPOINTER_TO_UINT (g_hash_table_lookup (recorder->runs, node)) + 1;
  g_hash_table_insert (recorder->runs, (gpointer) node, GUINT_TO_POINTER (turn));
  for (guint i = 0; i < node->outputs->len; i++)
    recorder->bytes += outputs[i] != NULL ? ph_tensor_bytes (outputs[i]) : 0;
  execution->cut = execution->cut || execution->events->len >= MOST_EVENTS || recorder->bytes > MOST_BYTES;
  if (execution->cut)
    return;
  event = g_new0 (PhExecutionEvent, 1);
  event->node = node->id;
  event->graph = node->graph->id;
  event->op_type = node->op_type;
  event->name = g_strdup (node->name);
  for (const PhNode *owner = node->graph->owner; owner != NULL; owner = owner->graph->owner)
    event->depth++;
  event->turn = event->depth > 0 ? turn : 0;
  if (recorder->entered->len > 0)
    {
      event->entered = recorder->entered;
      recorder->entered = entries_new ();
    }
  event->n_outputs = node->outputs->len;
  event->values = g_new0 (PhId, event->n_outputs + 1);
  event->tensors = g_new0 (PhTensor *, event->n_outputs + 1);
  for (guint i = 0; i < event->n_outputs; i++)
    {
      event->values[i] = ph_node_output (node, i)->id;
      event->tensors[i] = outputs[i] != NULL ? ph_tensor_ref (outputs[i]) : NULL;
    }
  g_ptr_array_add (execution->events, event);
}

PhExecution *
ph_execution_new (PhModel *model, GHashTable *feeds, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhExecution) execution = g_new0 (PhExecution, 1);
  g_autoptr (GHashTable) runs = g_hash_table_new (NULL, NULL), given = NULL, results = NULL;
  g_autoptr (GArray) entered = NULL;
  Recorder recorder = { execution, runs, 0, entries_new () };
  PhRunOptions options = { .cancellable = cancellable };

  execution->events = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  execution->given = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  given = ph_inputs_find (model, feeds, PH_INPUTS_FED, 0, NULL, &options, NULL, error);
  if (given == NULL)
    {
      g_array_unref (recorder.entered);
      return NULL;
    }
  options.ran = on_ran;
  options.entered = on_entered;
  options.ran_data = &recorder;
  results = ph_run_model (model, given, NULL, &options, error);
  entered = recorder.entered;
  if (results == NULL)
    return NULL;
  ph_results_add (execution->given, given);
  return g_steal_pointer (&execution);
}

/* The values of a body that are known. */
typedef struct
{
  PhId around; /* PH_NO_ID: not entered yet */
  GArray *known;
} Body;

static void
body_free (gpointer data)
{
  Body *body = data;

  g_array_unref (body->known);
  g_free (body);
}

/* @bodies: graph id -> Body. */
static Body *
body_of (GHashTable *bodies, PhId graph)
{
  Body *body = g_hash_table_lookup (bodies, GUINT_TO_POINTER (graph));

  if (body == NULL)
    {
      body = g_new0 (Body, 1);
      body->known = g_array_new (FALSE, FALSE, sizeof (PhId));
      g_hash_table_insert (bodies, GUINT_TO_POINTER (graph), body);
    }
  return body;
}

/* Forgets what is known of @graph, and of the bodies in it. */
static void
forget (GHashTable *values, GHashTable *bodies, PhId graph)
{
  GArray *known = body_of (bodies, graph)->known;
  GHashTableIter iter;
  gpointer id, body;

  for (guint i = 0; i < known->len; i++)
    g_hash_table_remove (values, GUINT_TO_POINTER (g_array_index (known, PhId, i)));
  g_array_set_size (known, 0);
  g_hash_table_iter_init (&iter, bodies);
  while (g_hash_table_iter_next (&iter, &id, &body))
    if (((Body *) body)->around == graph)
      forget (values, bodies, GPOINTER_TO_UINT (id));
}

/* The values of a body are dropped when its next iteration begins. */
static void
enter (GHashTable *values, GHashTable *bodies, const PhExecutionEntry *entry)
{
  Body *body = body_of (bodies, entry->graph);

  body->around = entry->around;
  if (entry->value == PH_NO_ID)
    forget (values, bodies, entry->graph);
  else if (entry->tensor != NULL)
    {
      g_hash_table_insert (values, GUINT_TO_POINTER (entry->value), ph_tensor_ref (entry->tensor));
      g_array_append_val (body->known, entry->value);
    }
}

/* Returns the values known after the first @at events: PhId -> PhTensor; a body's are those of its last iteration. (transfer full) */
static GHashTable *
values_at (const PhExecution *execution, guint at)
{
  GHashTable *values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GHashTable) bodies = g_hash_table_new_full (NULL, NULL, NULL, body_free);
  GHashTableIter iter;
  gpointer id, tensor;

  g_hash_table_iter_init (&iter, execution->given);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    g_hash_table_insert (values, id, ph_tensor_ref (tensor));
  for (guint i = 0; i < MIN (at, execution->events->len); i++)
    {
      const PhExecutionEvent *event = execution->events->pdata[i];

      for (guint k = 0; event->entered != NULL && k < event->entered->len; k++)
        enter (values, bodies, &g_array_index (event->entered, PhExecutionEntry, k));
      if (event->depth > 0)
        g_array_append_vals (body_of (bodies, event->graph)->known, event->values, event->n_outputs);
      for (guint k = 0; k < event->n_outputs; k++)
        if (event->tensors[k] != NULL)
          g_hash_table_insert (values, GUINT_TO_POINTER (event->values[k]), ph_tensor_ref (event->tensors[k]));
    }
  return values;
}

guint
ph_execution_turn (const PhExecution *execution, guint index, PhModel *model)
{
  const PhExecutionEvent *event = execution->events->pdata[index];

  for (guint i = index; event->depth > 0; i++)
    {
      const PhNode *node = ph_model_find_node (model, event->node);

      if (node == NULL || node->graph->owner == NULL || node->graph->owner->op != &ph_op_If)
        return event->turn;
      /* The event of a node follows those of its bodies. */
      while (i < execution->events->len && ((PhExecutionEvent *) execution->events->pdata[i])->depth >= event->depth)
        i++;
      if (i == execution->events->len)
        return event->turn;
      event = execution->events->pdata[i];
    }
  return event->turn;
}

guint
ph_execution_next_turn (const PhExecution *execution, guint at)
{
  const GPtrArray *events = execution->events;
  const PhExecutionEvent *here = at > 0 && at <= events->len ? events->pdata[at - 1] : NULL;

  for (guint i = at; i < events->len; i++)
    {
      const PhExecutionEvent *event = events->pdata[i];

      if (here == NULL || here->depth == 0
              ? event->depth > 0
              : event->depth < here->depth || (event->graph == here->graph && event->turn != here->turn))
        return i + 1;
    }
  return events->len;
}

/* ── of a document ──────────────────────────────────────────────────────────────────────────────────────────────── */

void
ph_document_go_execution (PhDocument *document, guint at)
{
  const PhExecutionEvent *event;

  g_return_if_fail (PH_IS_DOCUMENT (document) && document->found.execution != NULL);

  document->found.executed = MIN (at, document->found.execution->events->len);
  ph_document_take_values (document, values_at (document->found.execution, document->found.executed));
  event = document->found.executed > 0 ? document->found.execution->events->pdata[document->found.executed - 1] : NULL;
  if (event == NULL || ph_model_find_node (document->model, event->node) != NULL)
    ph_document_set_selection (document, event != NULL ? event->node : PH_NO_ID);
  ph_document_emit (document, SIGNAL_EXECUTION_CHANGED);
}

void
ph_document_take_execution (PhDocument *document, PhExecution *execution)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  if (execution == NULL && document->found.execution == NULL)
    return;
  g_clear_pointer (&document->found.execution, ph_execution_free);
  document->found.execution = execution;
  if (execution != NULL)
    ph_document_go_execution (document, 0);
  else
    ph_document_emit (document, SIGNAL_EXECUTION_CHANGED);
}

PhExecution *
ph_document_get_execution (PhDocument *document, guint *at)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  if (at != NULL)
    *at = document->found.execution != NULL ? document->found.executed : 0;
  return document->found.execution;
}
