/* proofs.h: each step of a document compared with the position before it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document-type.h"
#include "core/prove/prove.h"

G_BEGIN_DECLS

/* Each step compared with the position before it, on real tensors. Setting feeds drops all proofs, dropping a step its own. */
const PhProof *ph_document_get_proof (PhDocument *document, guint step); /* (nullable) not compared yet */
void ph_document_take_proof (PhDocument *document, guint step, PhProof *proof);
/* In the background, in order, whenever there are steps that have not been compared; a change cancels and begins anew. */
void ph_document_set_proves (PhDocument *document, gboolean proves);
gboolean ph_document_get_proves (PhDocument *document);
gboolean ph_document_is_proving (PhDocument *document);

/* The same for a command: a job is made in the document's thread, run in any, and taken over in the document's. */
typedef struct _PhProofJob PhProofJob;
PhProofJob *ph_proof_job_new (PhDocument *document, guint first, guint last); /* steps before @last without proof */
void ph_proof_job_free (PhProofJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProofJob, ph_proof_job_free)
gboolean ph_proof_job_run (PhProofJob *job, GCancellable *cancellable, GError **error); /* FALSE: cancelled */
void ph_document_take_proofs (PhDocument *document, PhProofJob *job);

G_END_DECLS
