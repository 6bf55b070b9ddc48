/* diff-ahead.c: keeps a document's diff up to date, in the background if that takes long.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/diff-ahead.h"

#include "core/document/snapshot.h"

#define AT_ONCE 3000 /* edits that are read at once: some milliseconds */

typedef struct
{
  PhSnapshot *snapshot;
  PhPosition a, b;
  guint generation;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  ph_snapshot_free (job->snapshot);
  g_free (job);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;

  if (g_task_return_error_if_cancelled (task))
    return;
  PhDiff *diff = ph_diff_new (ph_snapshot_get_history (job->snapshot), ph_snapshot_at (job->snapshot, job->b), job->a, job->b);
  ph_snapshot_done (job->snapshot);
  g_task_return_pointer (task, diff, (GDestroyNotify) ph_diff_free);
}

static void
done (GObject *source, GAsyncResult *result, gpointer data)
{
  PhDocument *document = PH_DOCUMENT (source);
  const Job *job = g_task_get_task_data (G_TASK (result));
  PhDiff *diff = g_task_propagate_pointer (G_TASK (result), NULL);

  if (diff && job->generation == ph_document_get_generation (document))
    ph_document_take_diff (document, diff, job->a, job->b);
  else
    g_clear_pointer (&diff, ph_diff_free);
}

static void
update (PhDocument *document)
{
  PhHistory *history = ph_document_get_history (document);
  GCancellable *running = g_object_get_data (G_OBJECT (document), "ph-diff-ahead");
  const PhPosition a = ph_document_get_since (document), b = ph_document_get_position (document);

  g_cancellable_cancel (running);
  g_object_set_data (G_OBJECT (document), "ph-diff-ahead", NULL);
  if (!history || ph_position_compare (a, b) == 0)
    {
      ph_document_take_diff (document, NULL, a, b);
      return;
    }
  const guint from = ph_history_edit_index (history, a), to = ph_history_edit_index (history, b);
  if (MAX (from, to) - MIN (from, to) <= AT_ONCE && history->edits->len <= 20 * AT_ONCE)
    {
      ph_document_take_diff (document, ph_diff_new (history, ph_document_get_model (document), a, b), a, b);
      return;
    }

  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (document, cancellable, done, NULL);
  Job *job = g_new0 (Job, 1);
  *job = (Job) { ph_snapshot_new (document), a, b, ph_document_get_generation (document) };
  g_task_set_task_data (task, job, job_free);
  g_object_set_data_full (G_OBJECT (document), "ph-diff-ahead", g_object_ref (cancellable), g_object_unref);
  g_task_run_in_thread (task, work);
}

void
ph_diff_ahead_watch (PhDocument *document)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));
  g_signal_connect (document, "opened", G_CALLBACK (update), NULL);
  g_signal_connect (document, "position-changed", G_CALLBACK (update), NULL);
  g_signal_connect (document, "since-changed", G_CALLBACK (update), NULL);
}
