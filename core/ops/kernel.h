/* kernel.h: what an operator's kernel sees and fills.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

G_BEGIN_DECLS

typedef struct _PhRun PhRun;

struct _PhKernel
{
  const PhNode *node;
  guint n_inputs, n_outputs;
  PhTensor **inputs;          /* (nullable elements) "" or past the end: use ph_kernel_input()          */
  PhTensor **outputs;         /* to be filled with owned references; only those that are used must be    */
  PhRun *run;                 /* for bodies, random numbers and cancellation                            */
  struct _PhNodeState *state; /* what is kept of the node between runs: see core/run/kernels.h          */
  guint64 dying;              /* bit i: nobody reads input i after this kernel                          */
};

PhTensor *ph_kernel_input (PhKernel *kernel, guint i); /* (transfer none) (nullable) */
/* @dtype, or a double for a narrower float where the run is in double. */
PhDType ph_kernel_dtype (PhKernel *kernel, PhDType dtype);
gboolean ph_kernel_wants (PhKernel *kernel, guint output);
/* Makes output @i, zeroed, and returns where to write; NULL with an error when too large. */
gpointer ph_kernel_output (PhKernel *kernel, guint i, PhDType dtype, guint rank, const gint64 *dims, GError **error);
/* The same, not set: for kernels that write all of it. */
gpointer ph_kernel_output_unset (PhKernel *kernel, guint i, PhDType dtype, guint rank, const gint64 *dims, GError **error);
/* Returns FALSE if made-up inputs make the output too large. Both functions above ask this; kernels that compute much first ask it themselves. */
gboolean ph_kernel_may_make (PhKernel *kernel, guint i, guint rank, const gint64 *dims, GError **error);
void ph_kernel_take (PhKernel *kernel, guint i, PhTensor *tensor); /* (transfer full) */
/* Runs body @attr; @inputs bind to its inputs in order; captures are found by themselves. @outputs: owned references. */
gboolean ph_kernel_body (PhKernel *kernel, const char *attr, PhTensor *const *inputs, guint n_inputs, PhTensor **outputs,
                         guint n_outputs, GError **error);
gboolean ph_kernel_cancelled (PhKernel *kernel, GError **error); /* long kernels ask now and then */
/* One more turn of a loop that need not end: FALSE where cancelled, or where the run allows no more. */
gboolean ph_kernel_turn (PhKernel *kernel, GError **error);
guint64 ph_kernel_seed (PhKernel *kernel);
/* Sets PH_ERROR with the node's label in front; returns FALSE. */
gboolean ph_kernel_fail (PhKernel *kernel, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* The same, for what is no fault of the model: it is too large, takes too long, or nobody wrote the kernel. */
gboolean ph_kernel_exceed (PhKernel *kernel, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* What a helper said. @problem: (nullable) for want of memory */
gboolean ph_kernel_pass_on (PhKernel *kernel, GError **error, const GError *problem);

G_END_DECLS
