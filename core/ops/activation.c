/* activation.c: the nonlinearities of neural networks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/elementwise.h"
#include "core/ops/grad.h"

PH_REAL_LOOPS (relu, x > 0 || x != x ? x : 0)
PH_UNARY_LOOP (relu_i64, gint64, gint64, MAX (x, 0))
PH_KERNEL (relu, relu_f32, relu_f64, relu_i64)

#define ACTIVATION(since_, kernel_)  .since = since_, .flags = PH_OP_ELEMENTWISE, PH_UNARY (kernel_, PH_FLOATS)

/* As in PyTorch, the gradient at 0 is 0. */
const PhOp ph_op_Relu = {
  "Relu", .since = 14, .flags = PH_OP_ELEMENTWISE | PH_OP_IDEMPOTENT, PH_UNARY (relu, PH_FLOATS | PH_SIGNED),
  .doc  = "Elementwise max (x, 0).",
  .grad = { P (Where, P (Greater, OUT, NUM (0)), DY, NUM (0)) },
};
