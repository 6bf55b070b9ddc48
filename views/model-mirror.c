/* model-mirror.c: a second copy of a document's model for workers, which follows along the journal instead of being cloned anew.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/model-mirror.h"

/* One for each file that was opened; shared by all that read it. */
typedef struct
{
  gatomicrefcount ref_count;
  GMutex     lock;
  PhModel   *model;              /* under @lock */
  GPtrArray *edits;              /* (element-type PhEdit) under @lock: of the journal that it follows */
  guint      done;               /* under @lock: edits that it has */
} Shared;

struct _PhModelMirror
{
  Shared    *shared;
  PhHistory *history;            /* a snapshot */
};

static void
shared_unref (gpointer data)
{
  Shared *shared = data;

  if (!g_atomic_ref_count_dec (&shared->ref_count))
    return;
  ph_model_free (shared->model);
  g_ptr_array_unref (shared->edits);
  g_mutex_clear (&shared->lock);
  g_free (shared);
}

static void
forget (PhDocument *document)
{
  g_object_set_data (G_OBJECT (document), "ph-model-mirror", NULL);
}

PhModelMirror *
ph_model_mirror_new (PhDocument *document)
{
  PhHistory *history = ph_document_get_history (document);
  PhModelMirror *mirror = g_new0 (PhModelMirror, 1);
  Shared *shared = g_object_get_data (G_OBJECT (document), "ph-model-mirror");

  mirror->history = ph_history_snapshot (history);
  if (!shared)
    {
      shared = g_new0 (Shared, 1);
      g_atomic_ref_count_init (&shared->ref_count);
      g_mutex_init (&shared->lock);
      shared->model = ph_model_clone (ph_document_get_model (document));
      shared->edits = g_ptr_array_ref (mirror->history->edits);
      shared->done = ph_history_edit_index (history, history->position);
      g_object_set_data_full (G_OBJECT (document), "ph-model-mirror", shared, shared_unref);
      if (!g_object_get_data (G_OBJECT (document), "ph-model-mirror-watched"))
        g_signal_connect (document, "opened", G_CALLBACK (forget), NULL);
      g_object_set_data (G_OBJECT (document), "ph-model-mirror-watched", GINT_TO_POINTER (1));
    }
  g_atomic_ref_count_inc (&shared->ref_count);
  mirror->shared = shared;
  return mirror;
}

void
ph_model_mirror_free (PhModelMirror *mirror)
{
  shared_unref (mirror->shared);
  ph_history_free (mirror->history);
  g_free (mirror);
}

PhModel *
ph_model_mirror_at (PhModelMirror *mirror, PhPosition at)
{
  Shared *shared = mirror->shared;
  GPtrArray *edits = mirror->history->edits;
  const guint target = ph_history_edit_index (mirror->history, at);

  g_mutex_lock (&shared->lock);
  if (shared->edits != edits)
    {
      /* Steps may have been dropped and made anew since: back to where both journals are the same. */
      guint same = 0;
      while (same < shared->done && same < edits->len && shared->edits->pdata[same] == edits->pdata[same])
        same++;
      while (shared->done > same)
        ph_edit_revert (shared->model, shared->edits->pdata[--shared->done]);
      g_ptr_array_unref (shared->edits);
      shared->edits = g_ptr_array_ref (edits);
    }
  while (shared->done < target)
    ph_edit_apply (shared->model, edits->pdata[shared->done++]);
  while (shared->done > target)
    ph_edit_revert (shared->model, edits->pdata[--shared->done]);
  return shared->model;
}

void
ph_model_mirror_done (PhModelMirror *mirror)
{
  g_mutex_unlock (&mirror->shared->lock);
}
