/* prover.h: walks along a history and compares its positions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/prove.h"

G_BEGIN_DECLS

/* Walks two clones along the journal and remembers what it found of each rewrite. May be used in any one thread. */
typedef struct _PhProver PhProver;

/* @walker, which stands at @history's position, and @history, a snapshot, are taken over. @feeds: (nullable) name -> PhTensor. */
PhProver *ph_prover_new (PhModel *walker, PhHistory *history, GHashTable *feeds, guint64 seed);
void ph_prover_free (PhProver *prover);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProver, ph_prover_free)
/* Compare large models as a whole too. */
void ph_prover_set_whole (PhProver *prover, gboolean whole);
/* Only what differs is looked for, and quickly: nothing is evaluated exactly, inputs are few, and the model is not compared as a whole. */
void ph_prover_set_hurried (PhProver *prover, gboolean hurried);

/* What the comparisons have cost so far. */
typedef struct
{
  guint n_captures;      /* runs of the model for the values that flow in it                            */
  guint n_same_nodes;    /* regions proved by being the same node for node                              */
  guint n_known;         /* regions that were equal to one before                                       */
  guint n_tried;         /* regions that were computed                                                  */
  guint n_forms;         /* of these, those whose form was proved before, for other weights             */
  guint64 n_nodes;       /* nodes computed, once for each set of inputs, those of captures too          */
  double flops;          /* operations of these, roughly                                                */
  guint64 n_field_nodes; /* nodes evaluated over the field                                              */
  double field_work;     /* multiplications there                                                       */
  guint n_images;        /* tensors of weights that were read into the field                            */
} PhProofWork;

const PhProofWork *ph_prover_get_work (PhProver *prover);
/* What was found of a rewrite of the history, counted over all steps; PH_VERDICT_NONE also where it was not yet tried. */
PhVerdict ph_prover_verdict_of (PhProver *prover, guint rewrite);

/* What cannot be compared is a proof with a problem; NULL only when it was cancelled. */
PhProof *ph_prover_compare (PhProver *prover, PhPosition a, PhPosition b, const PhRunOptions *options, GError **error);
/* The same of the rewrites that were tried before, @a before @b: what is left of a comparison that was cancelled. @n_unknown: the others. */
PhProof *ph_prover_compare_known (PhProver *prover, PhPosition a, PhPosition b, guint *n_unknown);
/* Fills in the rewrite to blame where none was found alone, by halving. FALSE: cancelled. */
gboolean ph_prover_blame (PhProver *prover, PhProof *proof, const PhRunOptions *options, GError **error);

G_END_DECLS
