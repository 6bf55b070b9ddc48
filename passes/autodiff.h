/* autodiff.h: what the files of autodiff share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/run.h"

G_BEGIN_DECLS

/* A constant that nothing reads but settings (the ratio of a Dropout, the scales of a Resize): no parameter. */
gboolean ph_autodiff_is_setting (const PhValue *value);

/* Where a parameter among @names (NULL-terminated; empty: all) was folded or merged by passes of ours: puts the forward graph
 * as it came beside the present one. @output: what computes @name there, or NULL where nothing is missing; @sources receives
 * what to differentiate by. */
gboolean ph_autodiff_restore (PhPassRun *run, const char *name, const char *const *names, PhValue **output, GPtrArray *sources,
                              GError **error);

/* Where a tensor is read out of a sequence whose items are known: reads the tensor itself. */
gboolean ph_autodiff_open_sequences (PhPassRun *run, GError **error);

G_END_DECLS
