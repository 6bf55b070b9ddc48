/* plan.c: chooses the sets of inputs on which a pair is tried.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/op-list.h"
#include "core/prove/samples/turns.h"
#include "core/prove/trial-private.h"

/* The order of trials; the first ones run whatever they cost. */
/* clang-format off */
static const struct { PhSampleKind kind; guint turn; } plan[] = {
  { PH_SAMPLE_CAPTURED, 0 }, { PH_SAMPLE_NORMAL, 0 }, { PH_SAMPLE_REACH, 0 }, { PH_SAMPLE_NONFINITE, 0 }, { PH_SAMPLE_EXTREME, 0 },
  { PH_SAMPLE_DENSE, 0 }, { PH_SAMPLE_REACH, 1 }, { PH_SAMPLE_WIDE, 0 }, { PH_SAMPLE_DENSE, 1 }, { PH_SAMPLE_REACH, 2 },
  { PH_SAMPLE_DENSE, PH_SAMPLER_FIRST_ORDERED },
  { PH_SAMPLE_NONFINITE, 1 }, { PH_SAMPLE_EXTREME, 1 }, { PH_SAMPLE_NORMAL, 1 }, { PH_SAMPLE_REACH, 3 }, { PH_SAMPLE_NONFINITE, 2 },
  { PH_SAMPLE_DENSE, 2 }, { PH_SAMPLE_DENSE, 3 }, { PH_SAMPLE_NONFINITE, 3 }, { PH_SAMPLE_NONFINITE, 4 },
  { PH_SAMPLE_NONFINITE, 5 }, { PH_SAMPLE_NORMAL, 3 }, { PH_SAMPLE_EXTREME, PH_SAMPLER_FIRST_LARGE },
  { PH_SAMPLE_EXTREME, PH_SAMPLER_FIRST_LARGE + 1 }, { PH_SAMPLE_NONFINITE, PH_SAMPLER_MANY_NAN },
};
/* clang-format on */
/* More normal and wide samples for functions with jumps: a jump that moved a little shows on few inputs only. */
#define N_MORE     24
#define FEW        200 /* elements: fewer than these show less, and cost nothing                          */
#define N_POINTS   180 /* samples with a single number at which results may jump                             */
#define N_INFINITE 24  /* extra sets with many infinities, for a change that promises nothing                */
#define N_REACH    24  /* and so many more that reach                                                        */
#define N_SHAPES   12  /* extra sets with unusual fed shapes                                                   */
#define N_HARD     72  /* and so many where no shape fitted so far: what does not fit costs nothing            */
#define N_ORDERED  8   /* of few elements, so many more of rows that are equal or in order                    */
#define N_NEAR     12  /* of nearly equal inputs, where something is compared                                  */
#define N_BEYOND   12  /* of a loop that ended on none so far: each costs as many turns as it may take       */
#define N_BEND     6   /* and elsewhere, where exact evaluation did not settle it: a maximum has bends too */

static gboolean
jumps (PhGraph *graph)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_QuantizeLinear, &ph_op_DynamicQuantizeLinear, &ph_op_QLinearConv, &ph_op_QLinearMatMul, &ph_op_Round, &ph_op_Floor,
    &ph_op_Ceil, &ph_op_Greater, &ph_op_GreaterOrEqual, &ph_op_Less, &ph_op_LessOrEqual, &ph_op_ArgMax, &ph_op_ArgMin,
    &ph_op_TopK, &ph_op_NonMaxSuppression, &ph_op_Equal, &ph_op_ThresholdedRelu, &ph_op_Sign, &ph_op_Shrink, &ph_op_Hardmax,
    &ph_op_NonZero, &ph_op_Mod, NULL
  };
  /* clang-format on */

  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; ops[i] != NULL; i++)
        if (node->op == ops[i])
          return TRUE;
      if (node->op == &ph_op_Cast && !ph_dtype_is_float ((PhDType) ph_node_attr_int (node, "to", PH_FLOAT)))
        return TRUE;
      for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
        if (jumps (node->graphs->pdata[g]))
          return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if a cast goes to a float type narrower than float32. */
static gboolean
narrows (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      const PhDType to = node->op == &ph_op_Cast ? (PhDType) ph_node_attr_int (node, "to", PH_FLOAT) : PH_FLOAT;

      if (ph_dtype_is_float (to) && ph_dtype_size (to) < ph_dtype_size (PH_FLOAT))
        return TRUE;
    }
  return FALSE;
}

/* A number of sets of a kind from a turn on. */
typedef struct
{
  PhSampleKind kind;
  guint first, n;
} Run;
#define MAX_RUNS 8

/* Lists the runs that follow the plan. Returns their number. */
static guint
find_runs (PhTry *self, Run *runs)
{
  const gboolean settled = ph_try_is_field_equal (self), is_foreign = self->options->promise == PH_PROMISE_NONE,
                 is_small = self->largest < FEW;
  const guint n_reach = ph_sampler_n_reaching (self->sampler, self->largest);
  gboolean jump;
  guint reach = 0, n = 0;

  /* Inputs with few elements miss most numbers of the pool in the plan. */
  if (is_small && n_reach > PH_SAMPLER_FIRST_ALL && (!settled || is_foreign))
    reach = MIN (n_reach, N_REACH);
  if (ph_sampler_has_free_shape (self->sampler))
    reach = MAX (reach, self->shapes_are_hard ? N_HARD : N_SHAPES);
  runs[n++] = (Run) { PH_SAMPLE_NONFINITE, PH_SAMPLER_FIRST_ALONE, ph_sampler_n_alone (self->sampler) };
  runs[n++] = (Run) { PH_SAMPLE_REACH, PH_SAMPLER_FIRST_ALL, reach };
  if (is_small && is_foreign)
    runs[n++] = (Run) { PH_SAMPLE_NONFINITE, PH_SAMPLER_FIRST_MANY, N_INFINITE };
  if (settled)
    return n;
  jump = jumps (self->pair->before->graph) || jumps (self->pair->after->graph);
  if (is_small)
    runs[n++] = (Run) { PH_SAMPLE_DENSE, PH_SAMPLER_FIRST_ORDERED + 1, N_ORDERED };
  runs[n++] = (Run) { PH_SAMPLE_N_KINDS, 2, jump ? N_MORE * (guint) CLAMP (FEW / MAX (self->largest, 1), 1, 10) : N_BEND };
  if (jump && self->pair->inputs->len > 1)
    runs[n++] = (Run) { PH_SAMPLE_DENSE, PH_SAMPLER_FIRST_NEAR, N_NEAR };
  if (is_small)
    runs[n++] = (Run) { PH_SAMPLE_DENSE, PH_SAMPLER_FIRST_JOINT, ph_sampler_n_joint (self->sampler) };
  if (jump || narrows (self->pair->before->graph) || narrows (self->pair->after->graph))
    runs[n++] = (Run) { PH_SAMPLE_REACH, PH_SAMPLER_FIRST_POINT, MIN (ph_sampler_n_points (self->sampler), N_POINTS) };
  return n;
}

gboolean
ph_try_plan (PhTry *self, guint i, PhSampleKind *kind, guint *turn)
{
  Run runs[MAX_RUNS];
  guint n;

  if (i < G_N_ELEMENTS (plan))
    {
      *kind = plan[i].kind;
      *turn = plan[i].turn;
      return TRUE;
    }
  if (self->trial->n_sets == 0 && self->n_beyond >= N_BEYOND)
    return FALSE;
  if (i == G_N_ELEMENTS (plan))
    self->shapes_are_hard = self->trial->n_sets == 0;
  i -= G_N_ELEMENTS (plan);
  n = find_runs (self, runs);
  for (guint r = 0; r < n; r++)
    {
      if (i < runs[r].n)
        {
          /* Wide and normal samples alternate. */
          *kind = runs[r].kind < PH_SAMPLE_N_KINDS ? runs[r].kind : i % 2 ? PH_SAMPLE_NORMAL : PH_SAMPLE_WIDE;
          *turn = runs[r].first + i;
          return TRUE;
        }
      i -= runs[r].n;
    }
  return FALSE;
}
