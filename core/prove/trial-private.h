/* trial-private.h: a trial while it runs: one set of inputs after the other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/distance.h"
#include "core/prove/jitter.h"
#include "core/prove/trial.h"

G_BEGIN_DECLS

/* What differs by less than this in double is rounding of double. */
#define PH_TRY_LEAST 1e-12

typedef struct
{
  const PhPair *pair;
  const PhTrialOptions *options;
  PhTrial *trial;
  PhSampler *sampler;
  PhJitter *jitter;    /* (nullable)                                                          */
  GArray *shapes;      /* (element-type PhSampleShapes) that work                                */
  GArray *far;         /* (element-type PhSampleShapes) likewise, in which one dimension is beyond large constants */
  gboolean far_open;   /* exact evaluation did not settle these                                  */
  PhSampleShapes poor; /* at which all that comes out is NaN or infinite                      */
  gboolean has_poor;
  gint64 crop;
  gboolean whole_captured;  /* a captured value for each input                                */
  gboolean not_tight;       /* exact evaluation did not settle it on small images                  */
  gboolean is_loose;        /* the form was told on images of their own size                       */
  gboolean known_form;      /* other weights of the same form were tried before                    */
  gboolean in_range;        /* runs in double keep to the ranges of element types                  */
  gboolean left_range;      /* the last ones made numbers beyond them                              */
  gboolean made_up;         /* the last ones are not those that flow                                */
  gsize largest;            /* elements of an output so far                                        */
  gboolean shapes_are_hard; /* none that was made up so far could be computed              */
  guint n_beyond;           /* inputs that only the side before was computed on, for a limit of Peephole's own */
  guint narrow[2];          /* nodes of each side that its last run computed in float32, for want of a kernel in double */
  gboolean *varies;         /* each output: other inputs made something else of it                 */
  double *usual;            /* each output: its largest element on captured and normal inputs               */
  GPtrArray **seen;         /* each output: what came out first, of each shape                     */
  double spent;
  GError **error;
} PhTry;

/* (transfer full) (nullable) */
GPtrArray *ph_try_draw (PhTry *self, PhSampleKind kind, guint turn, PhSampleShapes shapes);
/* shapes.c: sizes of its own for each symbol, and those that were captured; where neither can be computed, others until one can. */
void ph_try_find_shapes (PhTry *self, GError **problem);
/* One side on @inputs; outputs in order. (transfer full) (nullable) */
GPtrArray *ph_try_run (PhTry *self, guint side, GPtrArray *inputs, gboolean in_double, gboolean reference, GError **error);
/* Both sides on @inputs. FALSE: cancelled, or there is nothing more to try. @inputs could not be computed before: @problem
 * (nullable) says why. */
gboolean ph_try_inputs (PhTry *self, PhSampleKind kind, GPtrArray *inputs, gboolean *worked, GError **problem);
/* @error of the side after says nothing of who made it: Peephole may not compute so much, or cannot. */
gboolean ph_try_is_own_limit (PhTry *self, const GError *error);
gboolean ph_try_was_cancelled (PhTry *self);
gboolean ph_try_is_field_equal (PhTry *self);
/* A change is not tried at sizes beyond constants for longer than this multiple of what its region may cost: a rule that promises something,
 * and one that comes from elsewhere. */
#define PH_TRY_FAR         8
#define PH_TRY_FAR_FOREIGN 40
gboolean ph_try_affords_far (PhTry *self);
/* Small images are tried first, and suffice if they settled the question. */
gboolean ph_try_is_tight (PhTry *self);
/* field/field-trial.c: for any weights first, which is said of all rewrites of the form; then for those that there are. */
void ph_try_evaluate (PhTry *self);
/* The constants that a rule computed are what it says that it computed. */
gboolean ph_try_recipes_hold (PhTry *self, const PhRegionForm *form);
/* An output that no input changed is no evidence, unless none can: then it was compared as it is. */
gboolean ph_try_all_vary (PhTry *self);
/* Whether every bit of @outputs, which the reference kernels computed from @inputs, is the same. Where a constant was computed by the change, the
 * kernels that compute a run made it: then both sides may also be the same by these. FALSE: see @k and @at (out). */
gboolean ph_try_same_bits (PhTry *self, GPtrArray *inputs, GPtrArray *outputs[2], guint *k, gsize *at);
/* accuracy.c: PyTorch's measure of its own compiled results: the error against double, @exact, may grow, but not by much. */
void ph_try_check_accuracy (PhTry *self, GPtrArray *inputs, GPtrArray *exact[2]);
/* nudge.c: whether rounding of double explains @distance: moving the inputs in their last bits moves the output as far. A change that promises
 * nothing, and is not proved, is not excused near a discontinuity. */
gboolean ph_try_is_ill_conditioned (PhTry *self, GPtrArray *inputs, PhTensor *was, guint output, const PhDistance *distance);
/* plan.c: which inputs come @i-th. FALSE: no more do. The first ones are tried whatever they cost. */
#define PH_TRY_FIRST 2
/* After so many each kind that is beyond ordinary numbers has come once. */
#define PH_TRY_EACH_KIND 5
gboolean ph_try_plan (PhTry *self, guint i, PhSampleKind *kind, guint *turn);
/* Some operator is none that works element by element, moves elements or reads shapes. */
gboolean ph_graph_sums (PhGraph *graph);

/* range.c: both sides once more, with the ranges of their element types, where they left these; @outputs: as real numbers. FALSE: it
 * differs, and that has been noted. */
gboolean ph_try_judge_range (PhTry *self, PhSampleKind kind, GPtrArray *inputs, GPtrArray *outputs[2]);
gboolean ph_try_is_folded (PhTry *self, guint output); /* before, @output is computed from constants alone */
/* What constants move @output by that were computed anew, by others perhaps in float32: each step is rounded, and so is the result. */
double ph_try_folded_tolerance (PhTry *self, guint output);
/* Whether both sides may make any @output of the NaN or the infinities among @inputs. */
gboolean ph_try_is_open (PhTry *self, GPtrArray *inputs, guint output);
/* Notes the difference. @why: (nullable) (transfer full); else it is what stands at @element. */
void ph_try_set_different (PhTry *self, PhSampleKind kind, GPtrArray *inputs, guint output, gsize element, PhTensor *was,
                           PhTensor *is, char *why);

G_END_DECLS
