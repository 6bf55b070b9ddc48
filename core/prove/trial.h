/* trial.h: tries one pair of models, before and after, on many inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/field/field.h"
#include "core/prove/prover.h"
#include "core/prove/samples/samples.h"

G_BEGIN_DECLS

/* What the change promises of float results. */
/* clang-format off */
typedef enum
{
  PH_PROMISE_BITS,          /* every bit                                                                     */
  PH_PROMISE_FINITE,        /* as real numbers, where they are finite                                        */
  PH_PROMISE_REAL,          /* as real numbers; NaN and infinities may come from other elements              */
  PH_PROMISE_NEAR,          /* lossy: close as float32                                                       */
  PH_PROMISE_NONE,          /* nothing is known of it: as real numbers, NaN and infinities where they were    */
} PhPromise;
/* clang-format on */

typedef struct _PhRegionForm PhRegionForm; /* core/prove/region-form.h */

typedef struct
{
  PhPromise promise;
  const PhBounds *bounds;    /* (nullable) one for each input                                             */
  PhTensor *const *captured; /* (nullable) (nullable elements) one for each input                          */
  guint64 seed;
  double cost;               /* operations of one side on one set of inputs, roughly                      */
  double flops;              /* operations that all may take; a set or two are always tried               */
  gboolean whole;            /* it is the model itself: outputs that do not vary are no reason to go on    */
  gboolean brief;            /* of the whole, where all its rewrites are proved: a set or two               */
  gboolean proved;           /* of the whole: each rewrite of it is                                       */
  gboolean kept;             /* of the whole: each rewrite of it is proved, or the same on what was tried */
  gboolean flowing;          /* at the captured shapes alone                                              */
  gboolean hurried;          /* without exact evaluation                                                   */
  gboolean asked;            /* of the whole: sizes are looked for at which something comes out that is finite */
  const gboolean *is_free;   /* (nullable) of each input: it is the model's own                           */
  PhFieldImages *images;     /* (nullable)                                                                */
  const PhRegionForm *form;  /* (nullable) of the region                                                  */
  PhProofWork *work;         /* (nullable) counts what is done                                            */
  GCancellable *cancellable; /* (nullable)                                                                */
} PhTrialOptions;

/* Of one of the pair's outputs, over all inputs. */
typedef struct
{
  double error, max_abs;
  double float_error; /* relative, in its own element type, on ordinary inputs */
  guint64 max_ulp;
} PhTrialOutput;

typedef struct
{
  PhVerdict verdict;
  PhTrialOutput *outputs;
  char *why;               /* (nullable) what differs; why nothing is shown or could be computed         */
  guint n_sets, kinds;     /* inputs that were tried; bit PH_SAMPLE_...: of which kinds                  */
  double error, max_abs;   /* the largest difference in double: relative, absolute                       */
  double tolerance;        /* the largest that was allowed                                               */
  gsize n_unbounded;       /* elements NaN or infinite on one side, which the promise excepts             */
  gsize n_out_of_range;    /* elements that overflow or vanish in their types before, and not any more, or so excepted */
  guint n_narrow;          /* nodes that could not be computed in double                                 */
  gboolean loses_accuracy; /* float32 got worse though double agrees                                     */
  gboolean bits_differ;    /* float32, though every bit was promised; sums in another order               */
  guint n_sizes;           /* shapes that were tried                                                     */
  gboolean any_size;       /* there are open dimensions                                                  */
  gboolean at_one_run;     /* at the shapes of one run of the model alone                                */
  PhFieldReport *field;    /* (nullable) what exact evaluation said                                      */
  PhFieldReport *of_form;  /* (nullable) what it said of the form, where that was not known              */
  gboolean is_own;         /* @of_form is of these sizes of images alone */
  gboolean reworded;       /* proved by what ONNX says of the operator's versions                        */
  gboolean same_nodes;     /* proved without inputs: both sides are the same node for node               */
  /* Of a difference: */
  guint output; /* which of the pair's                                                        */
  gsize element;
  char *expected, *actual;
  char *place; /* (nullable) of the element in its tensor: "[0, 2]"                         */
  PhSampleKind shown_by;
  GPtrArray *witness; /* (nullable) (element-type PhTensor) the inputs                              */
} PhTrial;

/* A node takes as long as so many operations, however little it computes. */
#define PH_PROVE_NODE_FLOPS 2000

/* NULL: cancelled. */
PhTrial *ph_pair_try (const PhPair *pair, const PhTrialOptions *options, GError **error);
PhTrial *ph_trial_copy (const PhTrial *trial); /* without its witness */
/* What decides the outcome of a trial: equal keys, equal trials. @form: (nullable) its constants are told
 * by which of its variables they are. @tensors (element-type PhTensor) is given those that the key names by where they lie: who
 * keeps the key keeps them too. NULL: it is too much to say. (transfer full) */
GBytes *ph_region_key (const PhRegion *region, PhModel *before, PhModel *after, const PhTrialOptions *options,
                       const PhRegionForm *form, GPtrArray *tensors);
void ph_trial_free (PhTrial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTrial, ph_trial_free)

G_END_DECLS
