/* run-ahead.c: runs the rest of the pipeline in the background, so that the picture knows every node there will be.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/run-ahead.h"

#include <gtk/gtk.h>

struct _PhRunAhead
{
  GObject parent_instance;
  PhDocument *document;      /* (nullable) after stop                                        */
  GCancellable *cancellable; /* (nullable) of the job that runs                              */
  guint idle;
  gboolean failed; /* a pass failed here: wait until the pipeline or file changes  */
};

G_DEFINE_FINAL_TYPE (PhRunAhead, ph_run_ahead, G_TYPE_OBJECT)

static void queue (PhRunAhead *self);

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;

  if (ph_job_run (data, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

static void
done (GObject *source, GAsyncResult *result, gpointer data)
{
  PhRunAhead *self = PH_RUN_AHEAD (source);
  PhJob *job = g_task_get_task_data (G_TASK (result));
  gboolean cancelled = g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result)));
  gboolean ok = g_task_propagate_boolean (G_TASK (result), NULL);

  if (g_task_get_cancellable (G_TASK (result)) == self->cancellable)
    g_clear_object (&self->cancellable);
  if (!self->document || cancelled)
    return;
  /* The user did not request these steps, so a failure is only reported on stepping there. */
  self->failed = !ok;
  if (ph_document_take_job (self->document, job, FALSE, NULL))
    queue (self);
}

/* Returns TRUE before the step that converts the file. It replaces every box, so that one picture of both would show neither well: the file
 * is shown alone until one steps there. */
static gboolean
waits_for_conversion (PhDocument *document)
{
  GArray *entries = ph_document_get_entries (document);

  for (guint i = 0; i < entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, i);
      if (entry->pass == ph_pass_plan_convert ())
        return entry->enabled && ph_document_entry_step (document, i) < 0;
    }
  return FALSE;
}

static gboolean
start (gpointer data)
{
  PhRunAhead *self = data;
  PhHistory *history = ph_document_get_history (self->document);

  self->idle = 0;
  if (!history || self->failed || self->cancellable || ph_document_get_busy (self->document))
    return G_SOURCE_REMOVE;
  /* Steps recorded elsewhere are a whole of their own: what could follow them has no place in their picture until they are done. */
  if (ph_document_get_position (self->document).step < ph_document_get_n_recorded (self->document))
    return G_SOURCE_REMOVE;
  if (waits_for_conversion (self->document))
    return G_SOURCE_REMOVE;
  PhJob *job = ph_job_new (self->document, (PhPosition) { history->steps->len, 0 });
  ph_job_add_pipeline (job, G_MAXUINT);
  if (ph_job_n_passes (job) == 0)
    {
      ph_job_free (job);
      return G_SOURCE_REMOVE;
    }
  self->cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, done, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, job, (GDestroyNotify) ph_job_free);
  g_task_run_in_thread (task, work);
  return G_SOURCE_REMOVE;
}

static void
queue (PhRunAhead *self)
{
  if (self->idle == 0 && self->document)
    self->idle = g_idle_add_full (GDK_PRIORITY_REDRAW - 1, start, self, NULL);
}

static void
cancel (PhRunAhead *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
on_changed (PhRunAhead *self)
{
  cancel (self);
  self->failed = FALSE;
  queue (self);
}

static void
on_position (PhRunAhead *self)
{
  const guint n_recorded = ph_document_get_n_recorded (self->document);

  if (n_recorded > 0 && ph_document_get_position (self->document).step == n_recorded)
    queue (self);
}

/* Stops while a line of the console uses the model; afterwards there may be more to do. */
static void
on_busy (PhRunAhead *self)
{
  if (ph_document_get_busy (self->document))
    cancel (self);
  else
    queue (self);
}

void
ph_run_ahead_stop (PhRunAhead *self)
{
  g_return_if_fail (PH_IS_RUN_AHEAD (self));
  cancel (self);
  g_clear_handle_id (&self->idle, g_source_remove);
  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
}

static void
ph_run_ahead_dispose (GObject *object)
{
  ph_run_ahead_stop (PH_RUN_AHEAD (object));
  G_OBJECT_CLASS (ph_run_ahead_parent_class)->dispose (object);
}

static void
ph_run_ahead_class_init (PhRunAheadClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_run_ahead_dispose;
}

static void
ph_run_ahead_init (PhRunAhead *self)
{
}

PhRunAhead *
ph_run_ahead_new (PhDocument *document)
{
  PhRunAhead *self = g_object_new (PH_TYPE_RUN_AHEAD, NULL);

  self->document = g_object_ref (document);
  g_signal_connect_swapped (document, "opened", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (document, "pipeline-changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (document, "history-changed", G_CALLBACK (queue), self);
  g_signal_connect_swapped (document, "position-changed", G_CALLBACK (on_position), self);
  g_signal_connect_swapped (document, "notify::busy", G_CALLBACK (on_busy), self);
  return self;
}

gboolean
ph_run_ahead_is_running (PhRunAhead *self)
{
  return self->cancellable != NULL || self->idle != 0;
}
