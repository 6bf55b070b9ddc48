/* proof-private.h: putting a proof together.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/prove.h"
#include "core/prove/trial.h"

G_BEGIN_DECLS

/* What was found of one rewrite: the worst over its regions. */
typedef struct
{
  PhVerdict verdict;
  char *why; /* (nullable) */
  guint n_sets, kinds;
  double error, max_abs, tolerance;
  gsize n_unbounded, n_out_of_range;
  guint n_narrow;
  gboolean loses_accuracy;
  double log2_bound;   /* of exact evaluation; 0: there was none */
  gboolean reworded;   /* an upgrade is what ONNX's list of changes says */
  gboolean at_one_run; /* at the shapes of one run of the model alone */
  gboolean same_nodes; /* a region is the same node for node */
  gboolean conjecture, rounded_constants, for_these_shapes;
  /* Of a difference: */
  char *value, *place, *expected, *actual;
  gsize element;
  PhSampleKind shown_by;
} PhRewriteProof;

PhRewriteProof *ph_rewrite_proof_new (void); /* proved: nothing is computed in another way yet */
void ph_rewrite_proof_free (PhRewriteProof *one);
/* Adds what a trial of one of its regions found. @name: of the value at the border that differs. */
void ph_rewrite_proof_add (PhRewriteProof *one, const PhTrial *trial, const char *name);
/* It differs alone, and is proved together with others. */
void ph_rewrite_proof_join (PhRewriteProof *one, PhVerdict verdict);
PhVerdict ph_verdict_worse (PhVerdict a, PhVerdict b);

PhProof *ph_proof_new (PhPosition a, PhPosition b, PhExactness exactness);
/* @at: the position before it. */
void ph_proof_add_rewrite (PhProof *proof, const PhRewriteProof *one, PhPosition at);
/* The rewrite before @at is the first that differs. */
void ph_proof_blame (PhProof *proof, const PhRewriteProof *one, PhPosition at, const PhRewrite *rewrite);
/* A rewrite that holds at the shapes of one run of the model is nothing without the model at others. */
gboolean ph_proof_leans_on_whole (const PhProof *proof);
/* What differs alone is proved together, by @trial. */
void ph_proof_join (PhProof *proof, const PhTrial *trial);
/* @trial: of the whole model; @names: (element-type utf8) of its outputs. */
void ph_proof_add_whole (PhProof *proof, const PhTrial *trial, GPtrArray *names);
/* The verdict over all of it, and the sentences. */
void ph_proof_conclude (PhProof *proof);

G_END_DECLS
