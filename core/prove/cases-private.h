/* cases-private.h: the kinds of cases that there are.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/cases.h"

G_BEGIN_DECLS

/* A file of MLIR text with comparisons (check.expect_eq, ...). */
gboolean ph_case_is_mlir  (const char *path);
/* TRUE: every comparison of every function holds, once the function was converted and @options->passes ran. */
gboolean ph_case_run_mlir (const char *path, const PhCaseOptions *options, GCancellable *cancellable, GError **error);

G_END_DECLS
