/* prove.h: whether positions of a history compute the same, shown on tensors, and which rewrite is to blame where not.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/agree.h"
#include "core/graph/history.h"

G_BEGIN_DECLS

/* What the comparison of two positions found. */
typedef struct
{
  PhPosition   a, b;
  PhVerdict    verdict;             /* NONE: it could not be compared, and @problem says why                       */
  char        *problem;             /* (nullable)                                                                  */
  PhExactness  exactness;           /* of the least exact of the rules that fired: what may differ                 */
  PhAgreeLimit limit;               /* the tolerance that follows from it                                          */
  char        *inputs;              /* what was tried: "fed, normal, wide, tiny, special"                          */
  guint        n_sets;
  double       max_abs_error, max_scaled_error;     /* the second as in PhAgreeOutput                              */
  gsize        n_unbounded;         /* elements NaN or infinite on one side only, which the class allows           */
  GArray      *outputs;             /* (element-type PhAgreeOutput) the worst over all inputs                      */

  /* Where they differ: */
  char        *first_difference;    /* (nullable) one sentence of what follows                                     */
  char        *output;              /* (nullable) the output of the graph                                          */
  char        *value;               /* (nullable) the first value in program order that differs, inside the graph  */
  gsize        element;             /* of it, or of the output where no inner value is known                       */
  char        *expected, *actual;   /* (nullable) that element before and after                                    */
  const char  *shown_by;            /* the kind of inputs: "fed" "normal" "wide" "tiny" "special"                  */
  PhInputsKind shown_kind;          /* and how they were drawn                                                     */
  guint64      seed;
  GHashTable  *feeds;               /* (nullable) input name -> PhTensor: the inputs that show it                  */
  gboolean     blamed;              /* by bisection: */
  PhPosition   blame;               /* the position before the one rewrite that changes the results                */
} PhProof;

void      ph_proof_free         (PhProof *proof);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProof, ph_proof_free)

/* The rewrite that @position stands before. (nullable) */
const PhRewrite *ph_history_rewrite_at (PhHistory *history, PhPosition position);

/* Walks a clone along the journal and computes every position once, so that a whole history costs one computation a step.
 * May be used in any one thread. */
typedef struct _PhProver PhProver;

/* @walker, which stands at @history's position, and @history, a snapshot, are taken over. @feeds: (nullable) name -> PhTensor. */
PhProver *ph_prover_new         (PhModel *walker, PhHistory *history, GHashTable *feeds, guint64 seed);
void      ph_prover_free        (PhProver *prover);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProver, ph_prover_free)
PhHistory *ph_prover_get_history (PhProver *prover);

/* The same inputs through both: the fed ones, if every input is fed, and generated ones (see inputs.h). Large models (over 1e9
 * operations) get one set only. What cannot be compared is a proof with a problem; NULL only when it was cancelled. */
PhProof  *ph_prover_compare     (PhProver *prover, PhPosition a, PhPosition b, const PhRunOptions *options, GError **error);
/* Fills in the rewrite to blame, by halving: one computation for each halving. FALSE: cancelled. */
gboolean  ph_prover_blame       (PhProver *prover, PhProof *proof, const PhRunOptions *options, GError **error);

G_END_DECLS
