/* compare.h: measures how far two results are apart, and whether that is close enough.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* Element x of @actual is close to y of @expected when |x - y| <= atol + rtol * |y| (numpy's allclose), NaN is close to
 * NaN and an infinity to itself. Integers, bools and strings must be equal. */
typedef struct
{
  double rtol, atol;
} PhTolerance;

typedef struct
{
  gboolean close;
  double max_abs_error; /* over finite pairs; +inf when one side is finite and the other is not */
  double max_rel_error;
  guint64 max_ulp;       /* in steps of the element type; 0 for non-floats                       */
  gsize n_different;     /* elements outside the tolerance                                       */
  gsize first_different; /* their first flat index                                               */
  char *why;             /* (nullable) (owned): "shape [2] is not [3]", "element 5: 1.5 is not 2" */
} PhComparison;

#define PH_TOLERANCE_ONNX  ((PhTolerance) { 1e-3, 1e-7 }) /* ONNX's backend tests            */
#define PH_TOLERANCE_EXACT ((PhTolerance) { 0, 0 })       /* still NaN == NaN and -0 == 0    */

PhComparison ph_tensor_compare (PhTensor *actual, PhTensor *expected, PhTolerance tolerance);
void ph_comparison_clear (PhComparison *comparison);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhComparison, ph_comparison_clear)

G_END_DECLS
