/* cases-private.h: the kinds of cases that there are.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/cases/cases.h"

G_BEGIN_DECLS

/* A file of MLIR text with comparisons (check.expect_eq, ...). */
gboolean ph_case_is_mlir (const char *path);
/* TRUE: every comparison of every function holds, once the function was converted and @options->passes ran. */
gboolean ph_case_run_mlir (const char *path, const PhCaseOptions *options, GCancellable *cancellable, GError **error);

/* A folder with model.pt, input_K.npy and output_K.npy. */
gboolean ph_case_is_torch (const char *folder);
gboolean ph_case_run_torch (const char *folder, const PhCaseOptions *options, GCancellable *cancellable, GError **error);

/* @options->passes, with their arguments. */
gboolean ph_case_run_passes (PhModel *model, PhHistory *history, const PhCaseOptions *options, PhPassOptions *pass_options,
                             GError **error);

/* What was not converted, by name: that is why it cannot be computed. (transfer full) */
char *ph_case_what_stays (PhModel *model);

G_END_DECLS
