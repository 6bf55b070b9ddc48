/* snapshot.c: a worker's view of a document: the model at any position of its present history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/snapshot.h"

#include "core/discard.h"
#include "core/document/document-private.h"
#include "core/run/inputs.h"

/* A second model that moves along the journal: one for each file that was opened, shared by all that read it. */
struct _PhCopy
{
  gatomicrefcount ref_count;
  GMutex lock;
  PhModel *model;   /* under @lock; (nullable) once it was taken                      */
  GPtrArray *edits; /* (element-type PhEdit) under @lock: of the journal it follows   */
  guint done;       /* under @lock: edits that it has                                 */
};

struct _PhSnapshot
{
  PhCopy *copy, *runner; /* the model of @runner: NULL until something runs */
  PhCopy *spare;         /* (nullable) where the model of @copy goes afterwards */
  PhHistory *history;
  GHashTable *feeds;   /* name -> PhTensor */
  GHashTable *kernels; /* (nullable) of the model */
};

PhCopy *
ph_copy_new (PhModel *model, PhHistory *history)
{
  PhCopy *copy = g_new0 (PhCopy, 1);
  g_autoptr (PhHistory) now = ph_history_snapshot (history);

  g_atomic_ref_count_init (&copy->ref_count);
  g_mutex_init (&copy->lock);
  copy->model = model;
  copy->edits = g_ptr_array_ref (now->edits);
  copy->done = ph_history_edit_index (history, history->position);
  return copy;
}

void
ph_copy_unref (PhCopy *copy)
{
  if (!g_atomic_ref_count_dec (&copy->ref_count))
    return;
  ph_model_discard (copy->model);
  if (copy->edits != NULL)
    ph_discard (copy->edits, (GDestroyNotify) g_ptr_array_unref);
  g_mutex_clear (&copy->lock);
  g_free (copy);
}

/* Creates a copy without a model, which the first user makes. */
static PhCopy *
empty_new (void)
{
  PhCopy *copy = g_new0 (PhCopy, 1);

  g_atomic_ref_count_init (&copy->ref_count);
  g_mutex_init (&copy->lock);
  return copy;
}

/* Takes the model out of @spare, or clones that of @document. */
static PhCopy *
take_spare (PhDocument *document, PhCopy *spare)
{
  PhCopy *copy = NULL;

  g_mutex_lock (&spare->lock);
  if (spare->model != NULL)
    {
      copy = empty_new ();
      copy->model = g_steal_pointer (&spare->model);
      copy->edits = g_steal_pointer (&spare->edits);
      copy->done = spare->done;
    }
  g_mutex_unlock (&spare->lock);
  return copy != NULL ? copy : ph_copy_new (ph_model_clone (document->model), document->history);
}

/* Puts the model of @copy, which nobody else uses, into @spare, unless there is one. */
static void
put_spare (PhCopy *spare, PhCopy *copy)
{
  g_mutex_lock (&spare->lock);
  if (spare->model == NULL && copy->model != NULL)
    {
      spare->model = g_steal_pointer (&copy->model);
      spare->edits = g_steal_pointer (&copy->edits);
      spare->done = copy->done;
    }
  g_mutex_unlock (&spare->lock);
}

PhSnapshot *
ph_snapshot_new (PhDocument *document)
{
  g_return_val_if_fail (ph_document_is_open (document), NULL);

  PhSnapshot *snapshot = g_new0 (PhSnapshot, 1);
  PhCopy *copy = document->copy;

  snapshot->history = ph_history_snapshot (document->history);
  snapshot->feeds = ph_feeds_copy (document->found.feeds);
  snapshot->kernels = document->model->kernels != NULL ? g_hash_table_ref (document->model->kernels) : NULL;
  if (copy != NULL)
    g_atomic_ref_count_inc (&copy->ref_count);
  else if (document->copied)
    copy = ph_copy_new (ph_model_clone (document->model), document->history);
  else
    {
      if (document->spare == NULL)
        document->spare = empty_new ();
      g_atomic_ref_count_inc (&document->spare->ref_count);
      snapshot->spare = document->spare;
      copy = take_spare (document, document->spare);
    }
  snapshot->copy = copy;
  if (document->runner == NULL)
    document->runner = empty_new ();
  g_atomic_ref_count_inc (&document->runner->ref_count);
  snapshot->runner = document->runner;
  if (document->copied && document->copy == NULL)
    {
      g_atomic_ref_count_inc (&copy->ref_count);
      document->copy = copy;
    }
  return snapshot;
}

PhCopy *
ph_snapshot_dup_spare (PhSnapshot *snapshot)
{
  if (snapshot->spare != NULL)
    g_atomic_ref_count_inc (&snapshot->spare->ref_count);
  return snapshot->spare;
}

void
ph_copy_put (PhCopy *spare, PhModel *model, PhHistory *history)
{
  PhCopy *copy = ph_copy_new (model, history);

  copy->done = history->edits->len;
  put_spare (spare, copy);
  ph_copy_unref (copy);
}

void
ph_snapshot_free (PhSnapshot *snapshot)
{
  if (snapshot->spare != NULL)
    {
      put_spare (snapshot->spare, snapshot->copy);
      ph_copy_unref (snapshot->spare);
    }
  ph_copy_unref (snapshot->copy);
  ph_copy_unref (snapshot->runner);
  g_hash_table_unref (snapshot->feeds);
  g_clear_pointer (&snapshot->kernels, g_hash_table_unref);
  ph_history_discard (snapshot->history);
  g_free (snapshot);
}

GHashTable *
ph_snapshot_get_feeds (PhSnapshot *snapshot)
{
  return snapshot->feeds;
}

PhHistory *
ph_snapshot_get_history (PhSnapshot *snapshot)
{
  return snapshot->history;
}

PhHistory *
ph_snapshot_dup_history (PhSnapshot *snapshot)
{
  return ph_history_snapshot (snapshot->history);
}

/* Takes the model of @copy, which is locked and has one, to @at. */
static void
follow (PhCopy *copy, const PhSnapshot *snapshot, PhPosition at)
{
  GPtrArray *edits = snapshot->history->edits;
  const guint target = ph_history_edit_index (snapshot->history, at);

  if (copy->edits != edits)
    {
      /* Steps may have been dropped and made anew since, so the copy goes back to the common part of both journals. */
      guint same = 0;

      while (same < copy->done && same < edits->len && copy->edits->pdata[same] == edits->pdata[same])
        same++;
      while (copy->done > same)
        ph_edit_revert (copy->model, copy->edits->pdata[--copy->done]);
      g_ptr_array_unref (copy->edits);
      copy->edits = g_ptr_array_ref (edits);
    }
  while (copy->done < target)
    ph_edit_apply (copy->model, edits->pdata[copy->done++]);
  while (copy->done > target)
    ph_edit_revert (copy->model, edits->pdata[--copy->done]);
  ph_model_set_kernels (copy->model, snapshot->kernels);
}

PhModel *
ph_snapshot_at (PhSnapshot *snapshot, PhPosition at)
{
  g_mutex_lock (&snapshot->copy->lock);
  g_assert (snapshot->copy->model != NULL);
  follow (snapshot->copy, snapshot, at);
  return snapshot->copy->model;
}

#define MOST_LENT 100000 /* nodes: of a larger model no second one is kept */

PhModel *
ph_snapshot_lend (PhSnapshot *snapshot, PhPosition at)
{
  PhCopy *runner = snapshot->runner;

  g_mutex_lock (&runner->lock);
  if (runner->model != NULL)
    follow (runner, snapshot, at);
  else
    {
      runner->model = ph_snapshot_take (snapshot, at);
      g_clear_pointer (&runner->edits, g_ptr_array_unref);
      runner->edits = g_ptr_array_ref (snapshot->history->edits);
      runner->done = ph_history_edit_index (snapshot->history, at);
    }
  return runner->model;
}

void
ph_snapshot_return (PhSnapshot *snapshot)
{
  PhCopy *runner = snapshot->runner;

  if (runner->model->nodes->len > MOST_LENT)
    {
      if (snapshot->spare != NULL)
        put_spare (snapshot->spare, runner);
      g_clear_pointer (&runner->model, ph_model_discard);
    }
  g_mutex_unlock (&runner->lock);
}

void
ph_snapshot_done (PhSnapshot *snapshot)
{
  g_mutex_unlock (&snapshot->copy->lock);
}

PhModel *
ph_snapshot_take (PhSnapshot *snapshot, PhPosition at)
{
  PhModel *model = ph_snapshot_at (snapshot, at);

  /* No other reference exists, so the model can be taken. */
  if (g_atomic_ref_count_compare (&snapshot->copy->ref_count, 1))
    snapshot->copy->model = NULL;
  else
    model = ph_model_clone (model);
  ph_snapshot_done (snapshot);
  return model;
}
