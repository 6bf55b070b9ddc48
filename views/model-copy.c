/* model-copy.c: the model of a view at a position as a new model, made in a thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/model-copy.h"

#include <glib/gi18n.h>

#include "core/document/snapshot.h"

typedef struct
{
  PhDocumentView *view;
  PhSnapshot *snapshot;
  PhPosition at;
  guint generation;
  PhModel *model, *copy; /* (nullable) */
  PhModelCopied copied;
  gpointer data;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  g_clear_pointer (&work->snapshot, ph_snapshot_free);
  ph_model_discard (work->model);
  ph_model_discard (work->copy);
  g_object_unref (work->view);
  g_free (work);
}

static void
copy (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;

  work->model = ph_model_clone (ph_snapshot_at (work->snapshot, work->at));
  ph_snapshot_done (work->snapshot);
  if (!g_cancellable_is_cancelled (cancellable))
    work->copy = ph_model_clone (work->model);
  g_task_return_boolean (task, TRUE);
}

static void
done (GObject *source, GAsyncResult *result, gpointer data)
{
  Work *work = g_task_get_task_data (G_TASK (result));
  const gboolean stale = g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result)))
                         || work->generation != ph_document_get_generation (ph_document_view_get_document (work->view));

  ph_document_view_end_work (work->view);
  if (stale)
    work->copied (work->view, NULL, NULL, work->data);
  else
    work->copied (work->view, g_steal_pointer (&work->model), g_steal_pointer (&work->copy), work->data);
}

void
ph_model_copy_make (PhDocumentView *view, PhPosition at, PhModelCopied copied, gpointer data)
{
  PhDocument *document = ph_document_view_get_document (view);
  Work *work = g_new0 (Work, 1);
  g_autoptr (GTask) task = NULL;

  *work = (Work) {
    .view = g_object_ref (view),
    .snapshot = ph_snapshot_new (document),
    .at = at,
    .generation = ph_document_get_generation (document),
    .copied = copied,
    .data = data,
  };
  task = g_task_new (NULL, ph_document_view_begin_work (view, _ ("Copying the model")), done, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, copy);
}
