/* elementwise.h: kernels and schemas of operators that work element by element, with broadcasting.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <tgmath.h>

#include "core/ops/infer.h"
#include "core/ops/kernel.h"
#include "core/ops/onnx/loops.h"
#include "core/ops/pattern.h"
#include "core/tensor/broadcast.h"

G_BEGIN_DECLS

/* (transfer full) (nullable) NULL with an error: the shapes do not broadcast, or memory is short. @b: (nullable) */
PhTensor *ph_elementwise (const PhLoops *loops, PhTensor *a, PhTensor *b, const double *p, GError **error);
/* Inputs 0 and (if there is one) 1 of @kernel to its output 0. */
gboolean ph_elementwise_kernel (PhKernel *kernel, const PhLoops *loops, const double *p, GError **error);
/* As ph_tensor_cast(), in typed loops; the tensor itself when it has @dtype already. (transfer full) */
PhTensor *ph_convert (PhTensor *tensor, PhDType dtype);

/* Contents of shapes through arithmetic: call after the types are set. */
void ph_infer_dims_map (PhInfer *infer, PhDim (*map) (PhDim a, PhDim b));

/* Kernels without parameters: NAME_loops and NAME_kernel. */
/* clang-format off */
#define PH_KERNEL(name_, ...)                                                                                          \
  static const PhLoops name_##_loops = { __VA_ARGS__ };                                                                \
  static gboolean name_##_kernel (PhKernel *kernel, GError **error)                                                    \
  {                                                                                                                    \
    return ph_elementwise_kernel (kernel, &name_##_loops, NULL, error);                                                \
  }
/* clang-format on */
/* A function of a real number: one expression, in <tgmath.h>, for float and double. */
#define PH_REAL_LOOPS(name_, expression_)                \
  PH_UNARY_LOOP (name_##_f32, float, float, expression_) \
  PH_UNARY_LOOP (name_##_f64, double, double, expression_)
#define PH_REAL_KERNEL(name_, expression_) \
  PH_REAL_LOOPS (name_, expression_)       \
  PH_KERNEL (name_, name_##_f32, name_##_f64)
/* One with parameters: the function @parameters_ fills p[] from the node's attributes. */
/* clang-format off */
#define PH_REAL_KERNEL_WITH(name_, parameters_, expression_)                                                           \
  PH_REAL_LOOPS (name_, expression_)                                                                                   \
  static const PhLoops name_##_loops = { name_##_f32, name_##_f64 };                                                   \
  static gboolean name_##_kernel (PhKernel *kernel, GError **error)                                                    \
  {                                                                                                                    \
    double p[4] = { 0, };                                                                                              \
    parameters_ (kernel->node, p);                                                                                     \
    return ph_elementwise_kernel (kernel, &name_##_loops, p, error);                                                   \
  }
/* clang-format on */

/* Schemas. */
/* clang-format off */
#define PH_UNARY(kernel_, types_)                                                                                      \
  .inputs = { { "X", 'T', types_ } }, .outputs = { { "Y", 'T', types_ } },                                             \
  .infer = ph_infer_same_as_input, .kernel = kernel_##_kernel
#define PH_BINARY(kernel_, types_)                                                                                     \
  .inputs = { { "A", 'T', types_ }, { "B", 'T', types_ } }, .outputs = { { "C", 'T', types_ } },                       \
  .infer = ph_infer_broadcast, .kernel = kernel_##_kernel
/* clang-format on */

G_END_DECLS
