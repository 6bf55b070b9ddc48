/* prove.c: compares each step with the position before it, in a thread, while verification is on.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"
#include "core/document/snapshot.h"
#include "core/prove/prover.h"

#include <sys/resource.h>
#include <unistd.h>

/* Stepping has priority: the thread starts after this many milliseconds without a change. */
#define QUIET 250

/* ── a job ── */

PhProver *
ph_prover_new_of (PhSnapshot *snapshot, GHashTable *feeds, guint64 seed)
{
  PhHistory *history = ph_snapshot_dup_history (snapshot);

  return ph_prover_new (ph_snapshot_take (snapshot, history->position), history, feeds, seed);
}

struct _PhProofJob
{
  PhDocument *document; /* owned reference; touched in its own thread only            */
  guint serial;         /* of the document's proofs at creation                       */
  PhSnapshot *snapshot;
  GHashTable *feeds;                                           /* name -> PhTensor                                           */
  GArray *steps;                                               /* (element-type guint) to be proved                          */
  GPtrArray *proofs;                                           /* (element-type PhProof) (nullable elements) one a step      */
  void (*found) (PhProofJob *job, guint index, gpointer data); /* (nullable) called in the thread of the job */
  gpointer data;
};

PhProofJob *
ph_proof_job_new (PhDocument *document, guint first, guint last)
{
  PhHistory *history;
  PhProofJob *job;
  GHashTable *feeds;

  g_return_val_if_fail (ph_document_is_open (document), NULL);

  history = document->history;
  job = g_new0 (PhProofJob, 1);
  feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  job->document = g_object_ref (document);
  job->serial = document->proofs.serial;
  job->steps = g_array_new (FALSE, FALSE, sizeof (guint));
  job->proofs = g_ptr_array_new ();
  for (guint s = first; s < MIN (last, history->steps->len); s++)
    if (ph_document_get_proof (document, s) == NULL)
      {
        g_array_append_val (job->steps, s);
        g_ptr_array_add (job->proofs, NULL);
      }

  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, document->found.feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (feeds, g_strdup (name), ph_tensor_ref (tensor));
  job->snapshot = ph_snapshot_new (document);
  job->feeds = feeds;
  return job;
}

void
ph_proof_job_free (PhProofJob *job)
{
  for (guint i = 0; i < job->proofs->len; i++)
    g_clear_pointer ((PhProof **) &job->proofs->pdata[i], ph_proof_free);
  g_ptr_array_unref (job->proofs);
  g_array_unref (job->steps);
  ph_snapshot_free (job->snapshot);
  g_hash_table_unref (job->feeds);
  g_object_unref (job->document);
  g_free (job);
}

gboolean
ph_proof_job_run (PhProofJob *job, GCancellable *cancellable, GError **error)
{
  PhRunOptions options = { .cancellable = cancellable };
  g_autoptr (PhProver) prover = NULL;

  if (job->steps->len > 0)
    prover = ph_prover_new_of (job->snapshot, job->feeds, 1);
  for (guint i = 0; i < job->steps->len; i++)
    {
      guint s = g_array_index (job->steps, guint, i);
      g_autoptr (PhProof) proof = ph_prover_compare (prover, (PhPosition) { s, 0 }, (PhPosition) { s + 1, 0 }, &options, error);

      if (proof == NULL || !ph_prover_blame (prover, proof, &options, error))
        return FALSE;
      job->proofs->pdata[i] = g_steal_pointer (&proof);
      if (job->found != NULL)
        job->found (job, i, job->data);
    }
  return TRUE;
}

void
ph_document_take_proof (PhDocument *document, guint s, PhProof *proof)
{
  PhStep *step;

  g_return_if_fail (PH_IS_DOCUMENT (document) && proof != NULL);

  if (document->history == NULL || s >= document->history->steps->len)
    {
      ph_proof_free (proof);
      return;
    }
  if (document->proofs.list->len <= s)
    g_ptr_array_set_size (document->proofs.list, (int) s + 1);
  g_clear_pointer ((PhProof **) &document->proofs.list->pdata[s], ph_proof_free);
  document->proofs.list->pdata[s] = proof;

  step = &g_array_index (document->history->steps, PhStep, s);
  step->verdict = proof->verdict;
  step->max_abs_error = proof->max_abs_error;
  step->max_scaled_error = proof->max_scaled_error;
  g_free (step->first_difference);
  step->first_difference = g_strdup (proof->first_difference);
  ph_document_emit (document, SIGNAL_VERDICTS_CHANGED);
}

/* Hands the proof of the job's step @index over, where it is not stale. */
static void
take (PhDocument *document, PhProofJob *job, guint index)
{
  if (job->proofs->pdata[index] != NULL && job->serial == document->proofs.serial)
    ph_document_take_proof (document, g_array_index (job->steps, guint, index),
                            g_steal_pointer ((PhProof **) &job->proofs->pdata[index]));
}

void
ph_document_take_proofs (PhDocument *document, PhProofJob *job)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && job->document == document);

  for (guint i = 0; i < job->steps->len; i++)
    take (document, job, i);
}

const PhProof *
ph_document_get_proof (PhDocument *document, guint step)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);

  return step < document->proofs.list->len ? document->proofs.list->pdata[step] : NULL;
}

void
ph_document_drop_proofs (PhDocument *document, guint from)
{
  document->proofs.serial++;
  ph_document_drop_along (document, from);
  for (guint s = from; s < document->proofs.list->len; s++)
    {
      g_clear_pointer ((PhProof **) &document->proofs.list->pdata[s], ph_proof_free);
      if (document->history != NULL && s < document->history->steps->len)
        g_array_index (document->history->steps, PhStep, s).verdict = PH_VERDICT_NONE;
    }
  g_ptr_array_set_size (document->proofs.list, (int) MIN (from, document->proofs.list->len));
  ph_document_update_proving (document);
}

/* ── in the background ── */

typedef struct
{
  PhProofJob *job;
  GMainContext *context;
  GCancellable *cancellable;
} Background;
typedef struct
{
  GTask *task;
  guint index;
} Found;

static void
background_free (gpointer data)
{
  Background *background = data;

  ph_proof_job_free (background->job);
  g_main_context_unref (background->context);
  g_object_unref (background->cancellable);
  g_free (background);
}

static gboolean
on_found (gpointer data)
{
  Found *found = data;
  Background *background = g_task_get_task_data (found->task);

  if (!g_cancellable_is_cancelled (background->cancellable))
    take (background->job->document, background->job, found->index);
  return G_SOURCE_REMOVE;
}

static void
found_free (gpointer data)
{
  g_object_unref (((Found *) data)->task);
  g_free (data);
}

static void
background_found (PhProofJob *job, guint index, gpointer task)
{
  Background *background = g_task_get_task_data (task);
  Found *found = g_new0 (Found, 1);
  GSource *source = g_idle_source_new ();

  found->task = g_object_ref (task);
  found->index = index;
  /* A window that animates something has no time for idle sources. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, on_found, found, found_free);
  g_source_attach (source, background->context);
  g_source_unref (source);
}

/* Has a low priority, so that drawing comes first. It is a thread of its own because it may not raise its priority again. */
static gpointer
background_work (gpointer data)
{
  g_autoptr (GTask) task = data;
  Background *background = g_task_get_task_data (task);

  setpriority (PRIO_PROCESS, gettid (), 10);
  background->job->found = background_found;
  background->job->data = task;
  g_task_return_boolean (task, ph_proof_job_run (background->job, g_task_get_cancellable (task), NULL));
  return NULL;
}

static void
background_done (GObject *source, GAsyncResult *result, gpointer data)
{
  PhDocument *document = PH_DOCUMENT (source);
  Background *background = g_task_get_task_data (G_TASK (result));

  if (document->proofs.running == background->cancellable)
    {
      g_clear_object (&document->proofs.running);
      ph_document_take_proofs (document, background->job); /* the last result may still be in the queue */
      ph_document_emit (document, SIGNAL_VERDICTS_CHANGED);
    }
}

static gboolean
start_proving (gpointer data)
{
  PhDocument *document = data;
  PhProofJob *job;
  Background *background;
  g_autoptr (GTask) task = NULL;

  document->proofs.timer = 0;
  job = ph_proof_job_new (document, 0, G_MAXUINT);
  if (job->steps->len == 0)
    {
      ph_proof_job_free (job);
      return G_SOURCE_REMOVE;
    }
  document->proofs.running = g_cancellable_new ();
  background = g_new0 (Background, 1);
  background->job = job;
  background->context = g_main_context_ref_thread_default ();
  background->cancellable = g_object_ref (document->proofs.running);
  task = g_task_new (document, document->proofs.running, background_done, NULL);
  g_task_set_task_data (task, background, background_free);
  ph_document_emit (document, SIGNAL_VERDICTS_CHANGED);
  g_thread_unref (g_thread_new ("prove", background_work, g_steal_pointer (&task)));
  return G_SOURCE_REMOVE;
}

static void
stop_proving (PhDocument *document)
{
  g_clear_handle_id (&document->proofs.timer, g_source_remove);
  if (document->proofs.running != NULL)
    g_cancellable_cancel (document->proofs.running);
  g_clear_object (&document->proofs.running);
}

void
ph_document_update_proving (PhDocument *document)
{
  if (!document->proofs.wanted)
    return;
  stop_proving (document);
  if (document->history != NULL && document->history->steps->len > 0)
    document->proofs.timer = g_timeout_add_full (G_PRIORITY_DEFAULT, QUIET, start_proving, document, NULL);
}

void
ph_document_set_proves (PhDocument *document, gboolean proves)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  if (document->proofs.wanted == proves)
    return;
  document->proofs.wanted = proves;
  stop_proving (document);
  ph_document_update_proving (document);
}

gboolean
ph_document_get_proves (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return document->proofs.wanted;
}

gboolean
ph_document_is_proving (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);

  return document->proofs.timer != 0 || document->proofs.running != NULL;
}
