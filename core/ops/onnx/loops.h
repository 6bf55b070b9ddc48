/* loops.h: loops over the elements of one or two tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/dtype.h"

G_BEGIN_DECLS

/* y[i] = f (a[i * sa], b[i * sb]); strides are 0 or 1. @p: parameters, such as an activation's alpha. Unary: no b. */
typedef void (*PhLoop) (gsize n, gpointer y, gconstpointer a, gsize sa, gconstpointer b, gsize sb, const double *p);

/* One loop for each kind of arithmetic; other element types are converted to one of these and back: float16, bfloat16 and
 * float8 to float, narrow integers to 64 bits, where dropping the upper bits afterwards is the wrapping of the narrow type.
 * NULL: the next wider one is used, or there is none. @result: what y is; PH_UNDEFINED: as the inputs. @own: the loop of elements of
 * type @own_type, which are not converted. */
typedef struct
{
  PhLoop f32, f64, i64, u64, u8;
  PhDType result, own_type;
  PhLoop own;
} PhLoops;

/* Divides towards zero, by 0 to 0. A double holds the quotient of 32 bits well enough, and a processor divides several of them at once where
 * nothing branches. By -1, of which the quotient may be too large, it divides by 1 and negates. */
static inline gint32
ph_divide_i32 (gint32 x, gint32 z)
{
  const gint32 by_zero = z == 0, negates = z == -1;
  const guint32 quotient = (guint32) (gint32) ((double) x / (double) (z + by_zero + 2 * negates));

  return (gint32) (((quotient ^ (guint32) -negates) + (guint32) negates) & (guint32) (by_zero - 1));
}

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

G_END_DECLS
