/* prover-private.h: what the files of the prover share: the walk along the journal, what passes promise, captured values.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/magnitudes.h"
#include "core/prove/proof-private.h"
#include "core/prove/prover.h"
#include "core/prove/structure/structure.h"
#include "core/run/inputs.h"

G_BEGIN_DECLS

/* Operations that the trial of one region may take, that of a whole model, and that of one that nobody asked for. */
#define PH_PROVE_REGION_FLOPS 3e7
#define PH_PROVE_LEAST_FLOPS  2e6
#define PH_PROVE_WHOLE_FLOPS  4e7
#define PH_PROVE_QUICK_FLOPS  2e7
/* A model of more operations is not run for the values that flow in it. */
#define PH_PROVE_CAPTURE_FLOPS 4e10

struct _PhProver
{
  PhModel *model[2];     /* before and after the rewrite that is tried                          */
  PhHistory *history[2]; /* each at its model's position                                        */
  GHashTable *fed;       /* name -> PhTensor                                                    */
  guint64 seed;
  gboolean whole, hurried;  /* @hurried: without exact evaluation, and on few inputs                         */
  gboolean brief;           /* of the whole there is nothing left to show                          */
  GHashTable *proofs;       /* index of a rewrite -> PhRewriteProof                                */
  GHashTable *known;        /* what two equal pairs have in common -> PhRewriteProof               */
  GHashTable *forms;        /* key of a form -> PhFieldReport                                      */
  PhMagnitudes *magnitudes; /* of constants                                                        */
  GHashTable *held;         /* set of PhTensor (owned) that keys of @known and @forms name by where they lie */
  PhFieldImages *images;
  PhProofWork work;
  GHashTable *captured;  /* (nullable) PhId -> PhTensor: values of a run in float32             */
  guint captured_at;     /* the edit index at which they hold                                   */
  guint at;              /* the edit index at which the rewrite begins that is tried            */
  GHashTable *feeds;     /* (nullable) input name -> PhTensor: of that run                      */
  gboolean no_capture;   /* it was tried, and cannot be                                         */
  gboolean proved, kept; /* each rewrite of the whole is; or is the same on what was tried              */
  gboolean flowing;      /* only the shapes that flow are tried: others may not fit each other           */
  int shapes_follow;     /* ph_shapes_follow(): 1 if so, -1 if not, 0 if not asked yet                  */
  double cost;           /* operations of one run of the model, roughly, as the comparison begins */
  gboolean followed;     /* the captured values know what this region makes now                 */
  struct
  {
    guint step;
    const char *rule;
    PhPromise promise;
  } said;                /* of the rewrite before; @rule is interned */
  const char *same_rule; /* (nullable) interned: of the region before, which was the same node for node */
  PhFolds same_folds;    /* the folds that showed it                                                     */
  gboolean same_shapes;  /* for which elements that are computed from shapes had to count             */
  const PhRunOptions *options;
};
/* ── the walk (prover.c), which makes the second model when it is first needed ── */
gboolean ph_prover_go (PhProver *prover, PhPosition before, PhPosition after, GError **error);
gboolean ph_prover_was_cancelled (PhProver *prover, GError **error);
GCancellable *ph_prover_cancellable (PhProver *prover);
/* Rewrites counted over the whole history, and back. */
guint ph_prove_index_of (PhHistory *history, PhPosition at);
PhPosition ph_prove_position_of (PhHistory *history, guint index);

/* ── what is promised (promise.c) ── */
/* Of the rewrite, which is of step @step. */
PhPromise ph_prover_promise (PhProver *prover, guint step, const PhRewrite *rewrite);
/* Of all rewrites from @first up to @last together; @foreign: another program made one of them. */
PhExactness ph_prove_exactness_between (PhHistory *history, guint first, guint last, gboolean *foreign);
PhPromise ph_prove_whole_promise (PhExactness exactness, gboolean foreign);

/* ── values of a run (captured.c) ── */
GHashTable *ph_prove_new_feeds (void); /* name -> PhTensor */
/* One run of the model before the rewrite, which begins with edit @at: on the fed inputs, or on generated ones. */
void ph_prover_capture (PhProver *prover, guint at);
gboolean ph_prover_wants_capture (PhProver *prover); /* values at its border are missing, and a run has them */
/* What the region was found to make is what flowed there before, where that is all it makes. FALSE: there is more, or it is not known. */
gboolean ph_prover_carry (PhProver *prover, const PhRegion *region);
/* What the region makes now is what flows on: so the next rewrite finds it without a run of the model. */
void ph_prover_follow (PhProver *prover, const PhPair *pair, PhTensor *const *captured);

/* ── one rewrite (rewrite.c, readers.c) ── */
/* Tried at once as it is; what is the same node for node needs no run. (transfer full) NULL: cancelled. */
PhTrial *ph_prover_try_region (PhProver *prover, const PhRegion *region, PhPromise promise, double flops, gboolean whole,
                               GError **error);
/* Sets of inputs without which equal results are no excuse for what differs in parts. */
#define PH_PROVE_ENOUGH_SETS 12
/* What differs at the border of @region may be the same to all that read it there: Abs does not mind a sign. (transfer full) @trial,
 * which is taken over, or one that is good. NULL: cancelled. */
PhTrial *ph_prover_follow_readers (PhProver *prover, const PhRegion *region, PhTrial *trial, PhPromise promise, double flops,
                                   GError **error);
const char *ph_prover_border_name (PhProver *prover, const PhRegion *region, guint output);
/* An output of the model whose element type changed, though perhaps not its numbers: its readers expect the old one. (nullable) */
const char *ph_prover_find_retyped (PhProver *prover);
/* Rewrite @index of the history, alone. (transfer none) NULL: cancelled. */
PhRewriteProof *ph_prover_rewrite (PhProver *prover, guint index, GError **error);
/* LLVM's (llvm/foreign-step.c): the same of all rewrites of step @index: what was found, or NONE with @why. FALSE: cancelled. */
gboolean ph_prover_foreign_step (PhProver *prover, guint index, const char *why, GError **error);

G_END_DECLS
