/* prove.h: whether positions of a history compute the same, and which rewrite is to blame where not.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"
#include "core/run/executor.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* An output of the graph, over all inputs with which the model was computed as a whole. */
typedef struct
{
  char *name;
  double max_abs_error, max_scaled_error; /* in double; the second relative to its largest element        */
  guint64 max_ulp;                        /* in its own element type, on ordinary inputs                  */
  gboolean same, close;
} PhProofOutput;

/* A rewrite that differs, and the first value at its border that does. */
typedef struct
{
  PhPosition at;           /* before the rewrite                                                     */
  char *value;             /* (nullable)                                                             */
  char *place;             /* (nullable) of the first element that differs: "[0, 2]"                 */
  char *expected, *actual; /* (nullable) that element before and after                               */
  double max_scaled_error;
  guint shown_by; /* PhSampleKind (core/prove/samples/samples.h)                                    */
} PhProofDifference;

/* A proof names so many of them; n_different counts all. */
#define PH_PROOF_MAX_DIFFERENCES 100

/* What the comparison of two positions found. Each rewrite between them is tried alone, in the region that it changed: on what
 * flows there and on made-up values, in double, and exactly over a finite field. The model as a whole is tried too, where
 * that is quick or was asked for. */
typedef struct
{
  PhPosition a, b;
  PhVerdict verdict;
  char *sentence;        /* on what the verdict rests                                              */
  char *problem;         /* (nullable) NONE and NOTHING: why                                       */
  PhExactness exactness; /* of the least exact of the rules that fired                             */
  guint n_rewrites, n_proved, n_same, n_close, n_nothing, n_none, n_different;
  char *inputs;                           /* (nullable) the kinds that were tried: "captured, normal, reach"        */
  guint n_sets;                           /* the most that one of them was tried on                                 */
  guint n_whole;                          /* inputs on which the whole model was compared                           */
  double max_abs_error, max_scaled_error; /* the largest difference in double: absolute, relative    */
  double tolerance;                       /* the largest relative one that was allowed, by rounding of constants     */
  gsize n_unbounded;                      /* elements NaN or infinite on one side only, which the class allows       */
  gsize n_out_of_range;                   /* elements that overflow or vanish in their element type before, and not after   */
  guint n_narrow;                         /* runs of nodes that could not be done in double                          */
  gboolean loses_accuracy;                /* double agrees, and float32 is farther from it than before               */
  GArray *outputs;                        /* (element-type PhProofOutput)                                           */

  /* Where they differ: */
  char *first_difference;  /* (nullable) one sentence of what follows                                */
  char *output;            /* (nullable) the output of the graph that shows it                       */
  char *value;             /* (nullable) the first value at the border of a rewrite that differs      */
  gsize element;           /* of it, or of the output where no inner value is known                  */
  char *place;             /* (nullable) of the element in its tensor: "[0, 2]"                      */
  char *expected, *actual; /* (nullable) that element before and after                               */
  const char *shown_by;    /* the kind of inputs                                                     */
  guint64 seed;
  GHashTable *feeds; /* (nullable) input name -> PhTensor: the inputs that show it              */
  gboolean blamed;
  PhPosition blame;    /* the position before the rewrite that changes the results               */
  GArray *differences; /* (element-type PhProofDifference) by position; of rewrites found alone  */
} PhProof;

void ph_proof_free (PhProof *proof);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProof, ph_proof_free)

/* The rewrite that @position stands before. (nullable) */
const PhRewrite *ph_history_rewrite_at (PhHistory *history, PhPosition position);
/* Whether it draws random numbers: then two computations cannot be compared. */
gboolean ph_model_draws (PhModel *model);
gboolean ph_node_draws (const PhNode *node);

G_END_DECLS
