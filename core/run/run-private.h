/* run-private.h: what the files of the executor share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/kernel.h"
#include "core/run/candidates.h"
#include "core/run/executor.h"
#include "core/run/profile.h"
#include "core/run/program.h"

G_BEGIN_DECLS

/* What has to run, in order, to compute some values of one graph. */
typedef struct
{
  GPtrArray *nodes;    /* (element-type PhNode)                                                     */
  GPtrArray **release; /* per node: (nullable) (element-type PhValue) not read by any later node    */
} PhPlan;

/* @wanted and the values that nodes read are computed, but for those that @given has already. (nullable) @given */
PhPlan *ph_plan_new (PhGraph *graph, GPtrArray *wanted, GHashTable *given);
void ph_plan_free (PhPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPlan, ph_plan_free)
#define PH_FEW_FLOPS 50000000

/* So little to compute that threads would only wait for each other. (nullable) @given: PhValue -> PhTensor */
gboolean ph_code_is_small (const PhCode *code, GHashTable *given);

/* The values of one execution of one graph. Bodies run in a frame of their own below the one of their owner's graph. */
typedef struct _PhFrame PhFrame;
struct _PhFrame
{
  PhFrame *parent; /* (nullable)                                                                */
  const PhCode *code;
  PhProgram *program; /* the one that the code is of                                               */
  PhTensor **values;  /* (nullable elements) owned; by slot                                        */
};

struct _PhRun
{
  const PhRunOptions *options;
  PhFrame *frame;      /* (nullable) the innermost: only in a single node's run there is none       */
  GHashTable *wanted;  /* (nullable) a set of PhValue: kernels make these even without a use         */
  PhProgram *program;  /* (nullable) that of a single node, owned                                   */
  GHashTable *wide;    /* (nullable) PhTensor, a weight -> the same as doubles (owned both)         */
  GHashTable *sources; /* (nullable) PhValue -> the widest float type that it was computed from    */
  GHashTable *draws;   /* (nullable) PhNode -> how often it has drawn random numbers                */
  PhModel *model;      /* (nullable) the one whose nodes are timed                                 */
  GPtrArray *spare;    /* (nullable) (element-type PhTensor) outputs that a kernel writes and its node does not have */
  gboolean want_all;   /* a single node's run                                                       */
  guint depth;         /* of bodies and functions                                                   */
  guint spelt;         /* of operators that are spelt out: what is inside has no type of its own    */
  guint turns;         /* of loops, as most_turns counts them                                      */
  guint done, total;   /* nodes of the main graph                                                   */
};

void ph_run_init (PhRun *run, const PhRunOptions *options);
void ph_run_clear (PhRun *run);
/* An innermost frame for the values of @code's graph; ph_run_pop() lets go of them. @frame: lives until then. */
void ph_run_push (PhRun *run, PhFrame *frame, PhProgram *program, const PhCode *code);
/* (transfer full) @value has @tensor in @frame. */
void ph_frame_set (PhFrame *frame, const PhValue *value, PhTensor *tensor);
void ph_run_pop (PhRun *run);
/* run-model.c: this thread's computations take @n threads (0: as before) until ph_run_pop_threads(), which gets what this returned. */
int ph_run_push_threads (guint n);
void ph_run_pop_threads (int before);
/* The same of as many as were asked for, or one for what is @is_small. */
int ph_run_take_threads (gboolean is_small);
guint ph_run_max_threads (void); /* that this thread may take now */
/* run-model.c: @model at the newest opset, without Gradient. @origins: (nullable) see ph_profile_set_origins(). (transfer full) */
PhModel *ph_run_upgraded_clone (PhModel *model, const PhRunOptions *options, GHashTable **origins, GError **error);

/* (transfer none) (nullable) the tensor of @value as the innermost frame sees it */
PhTensor *ph_run_lookup (PhRun *run, const PhValue *value);
gboolean ph_run_code (PhRun *run, PhCode *code, GError **error); /* in the innermost frame */
/* @graph in a frame of its own; @outputs: n_outputs owned references. */
gboolean ph_run_graph (PhRun *run, PhGraph *graph, PhTensor *const *inputs, guint n_inputs, PhTensor **outputs, guint n_outputs,
                       const char *label, GError **error);
/* Runs @kernel->node, whatever it is: an operator, a fused node, or the call of a function. */
gboolean ph_run_kernel (PhRun *run, PhKernel *kernel, GError **error);

/* lasting.c: TRUE: the output of @step is there already, since it is made of constants alone. Else, when @step has run, the second one keeps it. */
gboolean ph_run_lasting (PhRun *run, PhTask *step);
void ph_run_keep_lasting (PhRun *run, PhTask *step);

/* candidates.c: around one call of a node. */
void ph_kernel_study_begin (PhKernelStudy *study, const PhKernel *kernel);
void ph_kernel_study_end (PhKernelStudy *study, const PhKernel *kernel);
void ph_kernel_study_set_origins (PhKernelStudy *study, GHashTable *origins); /* (transfer none) */
/* Adds the candidates (element-type PhCandidate) of @kernel's node, of which @ran made its outputs; NULL: the reference kernel. */
void ph_candidates_add (GArray *candidates, const PhKernel *kernel, const struct _PhKernelRow *ran);

/* profile.c: one call of a node, whose outputs are there; a whole run, when it has ended. */
void ph_profile_add (PhProfile *profile, const PhKernel *kernel, gint64 ns);
void ph_profile_add_run (PhProfile *profile, gint64 ns);
/* PhId -> PhId: for the nodes of an upgraded clone those that they came from. Taken over. */
void ph_profile_set_origins (PhProfile *profile, GHashTable *origins);
gint64 ph_profile_now (void); /* ns */

G_END_DECLS
