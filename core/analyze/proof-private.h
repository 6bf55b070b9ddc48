/* proof-private.h: putting a proof together.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/prove.h"

G_BEGIN_DECLS

PhProof *ph_proof_new          (PhPosition a, PhPosition b, PhExactness exactness);
/* What one set of inputs gave: @before and @after by the @names of the outputs (element-type utf8). */
void     ph_proof_add_set      (PhProof *proof, PhInputsKind kind, guint64 seed, GHashTable *before, GHashTable *after, GPtrArray *names);
/* The verdict over all sets. */
void     ph_proof_conclude     (PhProof *proof);

/* Where they differ: by which inputs, in which element, and all of it in a sentence that ends on @why. */
void     ph_proof_show         (PhProof *proof, PhInputsKind kind, guint64 seed);
void     ph_proof_set_element  (PhProof *proof, PhTensor *expected, PhTensor *actual, const PhComparison *result);
void     ph_proof_set_sentence (PhProof *proof, const char *why);

G_END_DECLS
