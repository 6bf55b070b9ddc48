/* snapshot.h: what a worker reads of a document: the model at any position of its history, and what is fed, as it is now.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"
#include "core/prove/prover.h"

G_BEGIN_DECLS

/* Made in the document's thread, at no cost where the document has a copy for workers (see ph_document_set_copied): this one copy
 * follows along the journal to wherever it is read, instead of being cloned each time. Freed in any thread. */
typedef struct _PhSnapshot PhSnapshot;

PhSnapshot *ph_snapshot_new (PhDocument *document); /* something is open */
void ph_snapshot_free (PhSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhSnapshot, ph_snapshot_free)
PhHistory *ph_snapshot_get_history (PhSnapshot *snapshot);
GHashTable *ph_snapshot_get_feeds (PhSnapshot *snapshot); /* name -> PhTensor; the worker's own */
PhHistory *ph_snapshot_dup_history (PhSnapshot *snapshot);

/* Where its model goes when it is freed, and from where the next snapshot takes it. (transfer full) (nullable): the document has a copy. */
struct _PhCopy *ph_snapshot_dup_spare (PhSnapshot *snapshot);

/* In any thread: the model at @at, for this caller alone until ph_snapshot_done(), and then to be as it was. */
PhModel *ph_snapshot_at (PhSnapshot *snapshot, PhPosition at);
void ph_snapshot_done (PhSnapshot *snapshot);
/* Likewise one to be run, not to be changed, until ph_snapshot_return() in the same thread: it is the same model each time, so that it keeps
 * what it was compiled to as long as the position stays. Instead of ph_snapshot_take(), not beside it. */
PhModel *ph_snapshot_lend (PhSnapshot *snapshot, PhPosition at);
void ph_snapshot_return (PhSnapshot *snapshot);
/* In any thread, once: a model of the caller's own. (transfer full) */
PhModel *ph_snapshot_take (PhSnapshot *snapshot, PhPosition at);

/* In any thread, once: what compares the positions. */
PhProver *ph_prover_new_of (PhSnapshot *snapshot, GHashTable *feeds, guint64 seed);

G_END_DECLS
