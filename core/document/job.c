/* job.c: runs passes on a private clone of the document's model, and transfers the edits to it; or on that model itself.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"
#include "core/document/snapshot.h"
#include "core/opset/opset.h"
#include "core/prove/prover.h"

typedef struct
{
  const PhPass *pass;
  char **arguments;
  gboolean repeat;
  guint limit;
  gboolean keep_opset;
} Task;

struct _PhJob
{
  PhDocument *document; /* owned reference; touched in its own thread only            */
  PhPosition start;
  guint generation;
  PhSnapshot *snapshot; /* (nullable) cloned in the job's thread                      */
  PhCopy *spare;        /* (nullable) where the clone goes afterwards                 */
  PhHistory *taken;     /* (nullable) of the document, once it has the edits          */
  gboolean lent;        /* somebody has the clone, and may change it                  */
  gboolean in_place;    /* @model is the document's own                               */
  gboolean began;       /* the first pass may run                                     */
  PhModel *model;       /* (nullable) the clone                                       */
  PhModel *start_model; /* (nullable) a second clone, before the passes               */
  gboolean keeps_start;
  PhHistory *history;
  GArray *tasks; /* (element-type Task)                                        */
  PhPassOptions options;
  char **rules_off; /* of the document at the job's creation                      */
  gboolean capped;  /* the pipeline's passes must not raise the opset */
  gboolean listed;  /* the passes are of a pipeline of ph_pipeline_list()                 */
  const char *idle; /* (nullable) nothing could be converted: such a pipeline ended there */
};

static void
clear_task (gpointer data)
{
  g_strfreev (((Task *) data)->arguments);
}

static PhJob *
job_alloc (PhDocument *document, PhPosition at)
{
  PhJob *job = g_new0 (PhJob, 1);

  job->document = g_object_ref (document);
  job->start = at;
  job->generation = document->generation;
  job->history = ph_history_new ();
  job->tasks = g_array_new (FALSE, TRUE, sizeof (Task));
  g_array_set_clear_func (job->tasks, clear_task);
  job->options = PH_PASS_OPTIONS_DEFAULT;
  job->options.allow = document->plan.allow;
  job->rules_off = g_new0 (char *, document->plan.rules_off->len + 1);
  for (guint i = 0; i < document->plan.rules_off->len; i++)
    job->rules_off[i] = g_strdup (document->plan.rules_off->pdata[i]);
  job->options.rules_off = (const char *const *) job->rules_off;
  return job;
}

PhJob *
ph_job_new (PhDocument *document, PhPosition at)
{
  g_return_val_if_fail (ph_document_is_open (document), NULL);

  PhJob *job = job_alloc (document, at);

  job->snapshot = ph_snapshot_new (document);
  job->spare = ph_snapshot_dup_spare (job->snapshot);
  return job;
}

PhJob *
ph_job_new_in_place (PhDocument *document, PhPosition at)
{
  g_return_val_if_fail (ph_document_is_open (document), NULL);

  const PhPosition end = { document->history->steps->len, 0 };
  PhJob *job;

  /* Steps ahead may be kept, so the model may not leave its place before that is decided. */
  if (ph_position_compare (at, end) != 0 || ph_position_compare (at, document->history->position) != 0)
    return ph_job_new (document, at);
  job = job_alloc (document, at);
  job->in_place = TRUE;
  job->model = document->model;
  job->history->past = ph_history_snapshot (document->history);
  job->history->past_end = at;
  return job;
}

/* Returns the document's model as it was. */
static void
give_back (PhJob *job)
{
  PhModel *model = g_steal_pointer (&job->model);

  if (model == NULL || !job->began || model != job->document->model)
    return;
  ph_history_go (job->history, model, (PhPosition) { 0, 0 }, NULL);
  job->document->generation++; /* nodes that were undone are others now */
}

void
ph_job_free (PhJob *job)
{
  if (job->in_place)
    give_back (job);
  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  if (job->taken != NULL && job->model != NULL && !job->lent)
    ph_copy_put (job->spare, g_steal_pointer (&job->model), job->taken);
  g_clear_pointer (&job->taken, ph_history_free);
  g_clear_pointer (&job->spare, ph_copy_unref);
  ph_model_discard (job->model);
  ph_model_discard (job->start_model);
  ph_history_discard (job->history);
  g_strfreev (job->rules_off);
  g_array_unref (job->tasks);
  g_object_unref (job->document);
  g_free (job);
}

void
ph_job_add_pass (PhJob *job, const PhPass *pass, const char *const *arguments)
{
  g_array_append_val (job->tasks, ((Task) { pass, g_strdupv ((char **) arguments), FALSE, G_MAXUINT, FALSE }));
}

void
ph_job_add_pipeline (PhJob *job, guint n)
{
  GArray *entries = job->document->plan.entries;
  g_autofree int *map = ph_document_map_steps (job->document);
  guint next = 0;

  for (guint s = 0; s < job->start.step; s++)
    if (map[s] >= 0)
      next = (guint) map[s] + 1;

  job->listed = ph_pipeline_find (job->document->plan.name) != NULL;
  job->capped = TRUE;
  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, PhPipelineEntry, i).pass == ph_pass_plan_upgrade ()
        && g_array_index (entries, PhPipelineEntry, i).enabled)
      job->capped = FALSE;
  for (gboolean first = TRUE; next < entries->len && n > 0; next++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, next);

      if (!entry->enabled)
        continue;
      if (entry->breakpoint && !first)
        break;
      ph_job_add_pass (job, entry->pass, NULL);
      g_array_index (job->tasks, Task, job->tasks->len - 1).repeat = entry->repeat;
      g_array_index (job->tasks, Task, job->tasks->len - 1).limit = entry->limit;
      g_array_index (job->tasks, Task, job->tasks->len - 1).keep_opset = entry->implied;
      first = FALSE;
      n--;
    }
}

guint
ph_job_n_passes (PhJob *job)
{
  return job->tasks->len;
}

PhPassOptions *
ph_job_get_options (PhJob *job)
{
  return &job->options;
}

PhModel *
ph_job_get_model (PhJob *job)
{
  job->lent = TRUE;
  return job->model;
}

void
ph_job_set_keeps_start (PhJob *job, gboolean keeps)
{
  job->keeps_start = keeps;
}

PhProver *
ph_job_prover (PhJob *job, GHashTable *feeds)
{
  PhHistory *history = ph_history_snapshot (job->history);

  if (job->start_model == NULL)
    return ph_prover_new (ph_model_clone (job->model), history, feeds, 1);
  history->position = (PhPosition) { 0, 0 };
  return ph_prover_new (g_steal_pointer (&job->start_model), history, feeds, 1);
}

PhHistory *
ph_job_get_history (PhJob *job)
{
  return job->history;
}

/* Operators are declared at their newest version, so no pass can read an older model. */
static void
upgrade_first (PhJob *job)
{
  const PhPass *upgrade = ph_pass_plan_upgrade (), *first = job->capped ? ph_pass_find ("newest-form") : upgrade;
  int opset = ph_model_opset (job->model, "");

  if (job->tasks->len > 0 && upgrade != NULL && !ph_pass_plan_is_first (g_array_index (job->tasks, Task, 0).pass) && opset > 0
      && opset < PH_OPSET_NEWEST)
    g_array_prepend_val (job->tasks, ((Task) { first, NULL, FALSE, G_MAXUINT, TRUE }));
}

/* Finds the opset that the model has now as a file. */
static gboolean
find_cap (PhJob *job, int *cap, GError **error)
{
  g_autoptr (PhModel) file = NULL;
  GError *local = NULL;

  *cap = ph_model_file_opset (job->model);
  if (*cap > 0 && ph_model_is_in_form (job->model, *cap)) /* no clone is needed, as of most models */
    return TRUE;
  file = ph_model_at_opset (job->model, 0, cap, NULL, &local);
  if (local != NULL)
    g_propagate_error (error, local);
  return local == NULL;
}

static void
begin (PhJob *job)
{
  job->began = TRUE;
  if (job->snapshot != NULL)
    {
      job->model = ph_snapshot_take (job->snapshot, job->start);
      job->history->past = ph_snapshot_dup_history (job->snapshot);
      job->history->past_end = job->start;
      g_clear_pointer (&job->snapshot, ph_snapshot_free);
    }
  if (job->keeps_start)
    job->start_model = ph_model_clone (job->model);
  upgrade_first (job);
}

gboolean
ph_job_run (PhJob *job, GCancellable *cancellable, GError **error)
{
  int cap = 0;

  if (!job->began)
    begin (job);
  for (guint i = 0; i < job->tasks->len; i++)
    {
      Task *task = &g_array_index (job->tasks, Task, i);
      PhPassOptions options = job->options;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      options.cancellable = cancellable;
      options.arguments = (const char *const *) task->arguments;
      options.repeat = task->repeat;
      options.limit = MIN (options.limit, task->limit);
      options.keep_opset = task->keep_opset;
      /* Another system's file came with no opset: what it is converted to decides. */
      if (job->capped && cap == 0 && ph_model_opset (job->model, "") >= PH_OPSET_NEWEST
          && (task->pass != ph_pass_plan_convert () || job->document->file.known) && !find_cap (job, &cap, error))
        return FALSE;
      options.max_opset = cap;
      /* What a pipeline allows is said of its passes, which see nothing before this one. */
      if (task->pass == ph_pass_plan_convert ())
        options.allow = PH_LOSSY;
      if (!ph_pass_run (task->pass, job->model, job->history, &options, error))
        return FALSE;
      if (task->pass == ph_pass_plan_convert ())
        job->idle = ph_pipeline_look (job->model).idle;
      if (job->listed && job->idle != NULL)
        break;
    }
  return TRUE;
}

gboolean
ph_document_take_job (PhDocument *document, PhJob *job, gboolean go, GError **error)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document) && job->document == document, FALSE);

  if (job->generation != document->generation)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "the document changed while the passes ran: their result was dropped");
      return FALSE;
    }
  if (job->history->steps->len == 0)
    return TRUE;
  /* Steps ahead are not given up for one that failed. */
  if (job->history->steps->len == 1 && g_array_index (job->history->steps, PhStep, 0).failure != NULL
      && job->start.step < document->history->steps->len)
    return TRUE;

  if (job->in_place && !go)
    give_back (job);
  g_clear_pointer (&job->history->past, ph_history_free);
  ph_document_truncate (document, job->start);
  ph_history_append (document->history, job->history);
  if (job->spare != NULL)
    job->taken = ph_history_snapshot (document->history);
  document->generation++;
  if (job->in_place && go)
    {
      job->model = NULL;
      ph_document_arrive (document);
    }
  ph_document_update_proving (document);
  if (job->idle != NULL)
    ph_document_set_idle (document);
  ph_document_emit (document, SIGNAL_HISTORY_CHANGED);
  if (job->in_place && go)
    ph_document_emit (document, SIGNAL_POSITION_CHANGED);
  return !go || ph_document_go (document, (PhPosition) { document->history->steps->len, 0 }, error);
}
