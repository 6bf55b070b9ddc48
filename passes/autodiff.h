/* autodiff.h: what the files of autodiff share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/run.h"

G_BEGIN_DECLS

/* Where a parameter among @names (NULL-terminated; empty: all) was folded or merged by passes of ours: puts the forward graph
 * as it came beside the present one. @output: what computes @name there, or NULL where nothing is missing; @sources receives
 * what to differentiate by. */
gboolean ph_autodiff_restore (PhPassRun *run, const char *name, const char *const *names, PhValue **output, GPtrArray *sources,
                              GError **error);

/* Makes the graph differentiable (fused nodes opened, operators spelt out, sequences opened, masks shown; what was folded restored)
 * and finds @names[0], the value to differentiate, and the values behind it, by which; without any, every float input and, if
 * @parameters or there is no such input, every float initializer that the model came with. @verb is the pass, for errors.
 * FALSE without error: the limit of the run is reached. */
gboolean ph_autodiff_prepare (PhPassRun *run, const char *verb, gboolean parameters, PhValue **output, GPtrArray **sources,
                              GError **error);
/* An input of @like's shape, of ones where it is not fed; @of: what it is named after, behind @prefix. */
PhValue *ph_autodiff_add_seed (PhModel *model, PhValue *like, const char *prefix, const char *of, PhRole role, GError **error);

/* Names @value, which is new at the border. What this run made inside (ids from @first_of_run on) gives way; all else keeps its
 * name, and @value gets a number, if it has none yet. */
gboolean ph_autodiff_claim_name (PhModel *model, PhValue *value, const char *name, PhId first_of_run, GError **error);

/* Where a tensor is read out of a sequence whose items are known: reads the tensor itself. */
gboolean ph_autodiff_open_sequences (PhPassRun *run, GError **error);

G_END_DECLS
