/* job.h: passes that run beside a document, in any thread, and are taken over.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document-type.h"
#include "core/prove/prover.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Passes run on a private clone: a job is made in the document's thread, run in any, and taken over in the document's. */
typedef struct _PhJob PhJob;
/* Starts at @at, which exists. What is taken over later replaces the steps after it. */
PhJob *ph_job_new (PhDocument *document, PhPosition at);
/* Likewise, but without a clone where @at is the present position and the end of the history: the passes run on the document's own model.
 * Until the job is taken over or freed, nobody else may read the document: its thread itself runs the job. */
PhJob *ph_job_new_in_place (PhDocument *document, PhPosition at);
void ph_job_free (PhJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhJob, ph_job_free)
/* upgrade-opset comes first by itself when the model is old. @arguments: (nullable), of the pass. */
void ph_job_add_pass (PhJob *job, const PhPass *pass, const char *const *arguments);
/* The rest of the pipeline behind the job's start, up to and without the next breakpoint; at most @n passes. */
void ph_job_add_pipeline (PhJob *job, guint n);
guint ph_job_n_passes (PhJob *job);
PhPassOptions *ph_job_get_options (PhJob *job); /* limit, seed, progress, ... of every pass */
/* Runs the passes. What succeeded before an error stays in the job. */
gboolean ph_job_run (PhJob *job, GCancellable *cancellable, GError **error);
PhModel *ph_job_get_model (PhJob *job);     /* (nullable) as the passes left it      */
PhHistory *ph_job_get_history (PhJob *job); /* of the job's own steps only           */
/* The steps will be proved: then nothing need be undone for it. Before it runs. */
void ph_job_set_keeps_start (PhJob *job, gboolean keeps);
PhProver *ph_job_prover (PhJob *job, GHashTable *feeds); /* of its steps; after it ran. (transfer full) */
/* The steps that succeeded, also those before an error. @go: the document moves to their end. FALSE: the history moved
 * on meanwhile, nothing was taken over. */
gboolean ph_document_take_job (PhDocument *document, PhJob *job, gboolean go, GError **error);

G_END_DECLS
