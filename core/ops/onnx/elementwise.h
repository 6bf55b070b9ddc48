/* elementwise.h: kernels and schemas of operators that work element by element, with broadcasting.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <tgmath.h>

#include "core/ops/infer.h"
#include "core/ops/kernel.h"
#include "core/ops/pattern.h"
#include "core/tensor/broadcast.h"

G_BEGIN_DECLS

/* y[i] = f (a[i * sa], b[i * sb]); strides are 0 or 1. @p: parameters, such as an activation's alpha. Unary: no b. */
typedef void (*PhLoop) (gsize n, gpointer y, gconstpointer a, gsize sa, gconstpointer b, gsize sb, const double *p);

/* One loop for each kind of arithmetic; other element types are converted to one of these and back: float16, bfloat16 and
 * float8 to float, narrow integers to 64 bits, where dropping the upper bits afterwards is the wrapping of the narrow type.
 * NULL: the next wider one is used, or there is none. @result: what y is; PH_UNDEFINED: as the inputs. */
typedef struct
{
  PhLoop f32, f64, i64, u64, u8;
  PhDType result;
} PhLoops;

/* (transfer full) (nullable) NULL with an error: the shapes do not broadcast, or memory is short. @b: (nullable) */
PhTensor *ph_elementwise (const PhLoops *loops, PhTensor *a, PhTensor *b, const double *p, GError **error);
/* Inputs 0 and (if there is one) 1 of @kernel to its output 0. */
gboolean ph_elementwise_kernel (PhKernel *kernel, const PhLoops *loops, const double *p, GError **error);
/* As ph_tensor_cast(), in typed loops; the tensor itself when it has @dtype already. (transfer full) */
PhTensor *ph_convert (PhTensor *tensor, PhDType dtype);

/* Contents of shapes through arithmetic: call after the types are set. */
void ph_infer_dims_map (PhInfer *infer, PhDim (*map) (PhDim a, PhDim b));

/* Loops. The expression sees x (and z, the second operand) and p. */
/* clang-format off */
#define PH_UNARY_LOOP(name_, type_, result_, expression_)                                                              \
  static void name_ (gsize n, gpointer y, gconstpointer a, gsize sa, gconstpointer b, gsize sb, const double *p)      \
  {                                                                                                                    \
    result_ *restrict out = y;                                                                                         \
    const type_ *in = a;                                                                                               \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        const type_ x = in[i];                                                                                         \
        out[i] = (result_) (expression_);                                                                              \
      }                                                                                                                \
  }
/* clang-format on */

/* The three cases are one loop to a reader and three to the vectoriser. */
/* clang-format off */
#define PH_BINARY_LOOP(name_, type_, result_, expression_)                                                             \
  static void name_ (gsize n, gpointer y, gconstpointer a, gsize sa, gconstpointer b, gsize sb, const double *p)      \
  {                                                                                                                    \
    result_ *restrict out = y;                                                                                         \
    const type_ *left = a, *right = b;                                                                                 \
    if (sa == 1 && sb == 1)                                                                                            \
      for (gsize i = 0; i < n; i++)                                                                                    \
        {                                                                                                              \
          const type_ x = left[i], z = right[i];                                                                       \
          out[i] = (result_) (expression_);                                                                            \
        }                                                                                                              \
    else if (sa == 1)                                                                                                  \
      for (gsize i = 0; i < n; i++)                                                                                    \
        {                                                                                                              \
          const type_ x = left[i], z = right[0];                                                                       \
          out[i] = (result_) (expression_);                                                                            \
        }                                                                                                              \
    else                                                                                                               \
      for (gsize i = 0; i < n; i++)                                                                                    \
        {                                                                                                              \
          const type_ x = left[0], z = right[i * sb];                                                                  \
          out[i] = (result_) (expression_);                                                                            \
        }                                                                                                              \
  }
/* clang-format on */

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
