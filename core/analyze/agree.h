/* agree.h: whether two results are the same as far as an exactness class promises it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/inputs.h"
#include "core/tensor/compare.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* What a class lets a 32-bit float differ by: @rtol of its own magnitude and @scale of the output's largest. Other element
 * types scale both by their precision. */
typedef struct { double rtol, scale; } PhAgreeLimit;

typedef struct
{
  char     *name;               /* of a graph output that both have                       */
  double    max_abs_error;
  double    max_scaled_error;   /* see ph_agree_scaled                                    */
  guint64   max_ulp;
  gboolean  same, close;        /* same: every bit                                        */
} PhAgreeOutput;

PhAgreeLimit ph_agree_limit    (PhExactness exactness);

/* EXACT compares NaN and infinities too. The others promise nothing of an element that was NaN or infinite before, and with
 * @special inputs (NaN, infinities, huge numbers) of no element: those are counted in @unbounded and left alone. (Kernels may
 * sum in another order even where no rule changed anything, so some last bits are no difference in any class.) */
PhComparison ph_agree_tensors  (PhTensor *actual, PhTensor *expected, PhExactness exactness, gboolean special, gsize *unbounded);

/* @error, measured against the largest finite magnitude of @expected where that is over 1: what 2e31 means among 3e38. */
double       ph_agree_scaled   (double error, PhTensor *expected);

/* Whether it draws random numbers: then two computations cannot be compared. */
gboolean     ph_model_draws    (PhModel *model);

G_END_DECLS
