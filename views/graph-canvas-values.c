/* graph-canvas-values.c: the values on the lines of the picture, live.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/snapshot.h"
#include "core/run/inputs.h"
#include "core/scene/value-labels.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/verify-cost.h"

void
ph_canvas_values_clear (PhGraphCanvas *self)
{
  g_cancellable_cancel (self->labelling);
  g_clear_object (&self->labelling);
  g_clear_pointer (&self->value_labels, g_hash_table_unref);
}

static void
start (PhGraphCanvas *self, GTaskThreadFunc func, GAsyncReadyCallback done, gpointer data, GDestroyNotify free_data)
{
  g_cancellable_cancel (self->labelling);
  g_clear_object (&self->labelling);
  self->labelling = g_cancellable_new ();

  g_autoptr (GTask) task = g_task_new (self, self->labelling, done, NULL);
  g_task_set_task_data (task, data, free_data);
  g_task_run_in_thread (task, func);
}

/* The labels of the values that are known. */

static void
label (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer (task, ph_value_labels_new (data), (GDestroyNotify) g_hash_table_unref);
}

static void
on_labelled (GObject *source, GAsyncResult *result, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (source);
  g_autoptr (GHashTable) labels = g_task_propagate_pointer (G_TASK (result), NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->labelling)
    return;
  g_clear_object (&self->labelling);
  g_clear_pointer (&self->value_labels, g_hash_table_unref);
  self->value_labels = g_steal_pointer (&labels);
  if (self->document != NULL && ph_document_is_open (self->document))
    ph_value_labels_add_nodes (self->value_labels, ph_document_get_model (self->document)->graph);
  ph_canvas_update_look (self);
}

/* Returns the fed values, which are shown at their inputs even if values are switched off. (transfer full) (nullable) */
static GHashTable *
find_fed (PhGraphCanvas *self)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  GHashTable *feeds = model != NULL ? ph_document_get_feeds (self->document) : NULL;
  g_autoptr (GHashTable) fed = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; feeds != NULL && i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (tensor != NULL)
        g_hash_table_insert (fed, GUINT_TO_POINTER (input->id), ph_tensor_ref (tensor));
    }
  return g_hash_table_size (fed) > 0 ? g_steal_pointer (&fed) : NULL;
}

void
ph_canvas_values_label (PhGraphCanvas *self)
{
  /* While stepping through a run its values are always shown. */
  const gboolean wanted = self->document != NULL
                          && (ph_canvas_is_on (self, PH_VIEW_VALUES) || ph_document_get_execution (self->document, NULL) != NULL);
  GHashTable *known = wanted ? ph_document_get_values (self->document) : NULL,
             *values = known != NULL ? g_hash_table_ref (known) : find_fed (self);

  if (values != NULL)
    {
      start (self, label, on_labelled, values, (GDestroyNotify) g_hash_table_unref);
      return;
    }

  const gboolean any = self->value_labels != NULL;
  ph_canvas_values_clear (self);
  if (any)
    ph_canvas_update_look (self);
}

/* Values for these inputs at this position */

/* Returns all values, including those without a user yet, as in the middle of a gradient. (transfer container) */
static GPtrArray *
all_values (PhModel *model)
{
  GPtrArray *values = g_ptr_array_new ();

  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      if (*ph_node_output (node, i)->name != '\0')
        g_ptr_array_add (values, ph_node_output (node, i));
  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_ptr_array_add (values, model->graph->outputs->pdata[i]);
  return values;
}

static void
compute (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  PhSnapshot *snapshot = data;
  g_autoptr (PhModel) model = ph_snapshot_take (snapshot, ph_snapshot_get_history (snapshot)->position);
  PhRunOptions options = { .cancellable = cancellable, .keep_all = TRUE };
  GHashTable *results = NULL;
  g_autoptr (GPtrArray) all = all_values (model);
  g_autoptr (GHashTable) given = ph_inputs_find (model, ph_snapshot_get_feeds (snapshot), PH_INPUTS_FED, 0, all, &options,
                                                 &results, NULL);

  /* A dead branch that cannot be computed leaves the rest. */
  if (given == NULL)
    given = ph_inputs_find (model, ph_snapshot_get_feeds (snapshot), PH_INPUTS_FED, 0, NULL, &options, &results, NULL);
  if (given == NULL)
    {
      g_task_return_pointer (task, NULL, NULL);
      return;
    }
  ph_results_add (results, given);
  g_task_return_pointer (task, results, (GDestroyNotify) g_hash_table_unref);
}

static void
on_computed (GObject *source, GAsyncResult *result, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (source);
  g_autoptr (GHashTable) values = g_task_propagate_pointer (G_TASK (result), NULL);

  if (g_task_get_cancellable (G_TASK (result)) != self->labelling)
    return;
  g_clear_object (&self->labelling);
  if (values != NULL)
    ph_document_take_values (self->document, g_steal_pointer (&values)); /* emits "values-changed" */
  else
    ph_canvas_values_label (self);
}

void
ph_canvas_values_follow (PhGraphCanvas *self)
{
  PhModel *model = ph_canvas_is_on (self, PH_VIEW_VALUES) ? ph_document_get_model (self->document) : NULL;
  g_autofree char *dear = model != NULL ? ph_verify_cost (model) : NULL;

  if (model == NULL || dear != NULL || ph_document_get_execution (self->document, NULL) != NULL)
    {
      guint at = 0;
      PhExecution *execution = self->document != NULL ? ph_document_get_execution (self->document, &at) : NULL;

      /* If the run is in a loop, the loop's body is made visible. */
      if (execution != NULL && at > 0 && ((PhExecutionEvent *) execution->events->pdata[at - 1])->depth > 0)
        ph_canvas_uncover (self);
      ph_canvas_values_label (self);
      return;
    }

  start (self, compute, on_computed, ph_snapshot_new (self->document), (GDestroyNotify) ph_snapshot_free);
}
