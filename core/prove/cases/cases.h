/* cases.h: runs cases as ONNX's backend tests keep them: a folder with model.onnx and test_data_set_N.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"
#include "core/tensor/compare.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Folders at or below @folder that hold a model.onnx beside a test_data_set_0, or a model.pt beside an output_0.npy, and files of
 * StableHLO that compare, sorted. (element-type char*) */
GPtrArray *ph_case_find (const char *folder, GCancellable *cancellable, GError **error);

typedef struct
{
  const PhPass *const *passes; /* (nullable) run first, after upgrade-opset where the model is old; n_passes */
  guint n_passes;
  const char *const *const *arguments; /* (nullable) of each of them; (nullable elements): it has none        */
  PhExactness allow;
  double rtol, atol;  /* < 0: the case's own, or 1e-3 and 1e-7 (1e-4 for whole models)             */
  gboolean reference; /* kernels in C only                                                         */
  const char *kernel; /* (nullable) the one of this name runs each node that it takes; @took counts them */
  guint *took;        /* (nullable)                                                                */
} PhCaseOptions;

/* TRUE: every data set agrees. The error says which set, which output, and how. */
gboolean ph_case_run (const char *folder, const PhCaseOptions *options, GCancellable *cancellable, GError **error);

G_END_DECLS
