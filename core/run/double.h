/* double.h: runs a model in doubles.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run-private.h"

G_BEGIN_DECLS

/* double.c: for PhRunOptions.in_double. Whether a tensor of @dtype may stand where the graph declares @declared. */
gboolean ph_run_dtype_fits (const PhRun *run, PhDType declared, PhDType dtype);
const PhType *ph_run_widened_type (const PhType *type);         /* (nullable) both */
PhTensor *ph_run_widen (PhTensor *tensor);                      /* (transfer full) (nullable) too large for memory */
PhTensor *ph_run_widen_constant (PhRun *run, PhTensor *tensor); /* (transfer none) (nullable) */
gboolean ph_run_only_moves (const PhNode *node);                /* all elements of its first input, in another order or shape */
/* A large weight that @node reads as its input @i need not be widened before. */
gboolean ph_run_stays_narrow (const PhNode *node, guint i, const PhTensor *tensor);
/* The element type that the model gives to input @input, whose tensor may be a double in its place. */
PhDType ph_run_declared (const PhNode *node, guint input, PhTensor *tensor);
/* Runs @kernel by @inner on doubles, or in float32 where its kernel takes no others, and makes doubles of what comes out. */
gboolean ph_run_kernel_in_double (PhRun *run, PhKernel *kernel, gboolean (*inner) (PhRun *, PhKernel *, GError **),
                                  GError **error);

G_END_DECLS
