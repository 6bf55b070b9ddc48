/* chlo.c: the operators of CHLO, a client dialect that StableHLO's compilers expand.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/dialect.h"

/* clang-format off */
static const PhForeignOp ops[] = {
  { "acos", PH_FAMILY_ARITHMETIC, .doc = "Arc cosine of each element." },
  { "acosh", PH_FAMILY_ARITHMETIC, .doc = "Inverse hyperbolic cosine of each element." },
  { "asin", PH_FAMILY_ARITHMETIC, .doc = "Arc sine of each element." },
  { "asinh", PH_FAMILY_ARITHMETIC, .doc = "Inverse hyperbolic sine of each element." },
  { "atan", PH_FAMILY_ARITHMETIC, .doc = "Arc tangent of each element." },
  { "atanh", PH_FAMILY_ARITHMETIC, .doc = "Inverse hyperbolic tangent of each element." },
  { "bessel_i1e", PH_FAMILY_ARITHMETIC, .doc = "Modified Bessel function of order 1, scaled by exp (-|x|)." },
  { "broadcast_add", PH_FAMILY_ARITHMETIC, "Add", .doc = "Sum, with numpy's broadcasting." },
  { "broadcast_and", PH_FAMILY_ARITHMETIC, .doc = "Logical and, with numpy's broadcasting." },
  { "broadcast_compare", PH_FAMILY_ARITHMETIC, "Cmp", .doc = "Comparison, with numpy's broadcasting." },
  { "broadcast_divide", PH_FAMILY_ARITHMETIC, "Div", .doc = "Quotient, with numpy's broadcasting." },
  { "broadcast_maximum", PH_FAMILY_ARITHMETIC, "Max", .doc = "The greater, with numpy's broadcasting." },
  { "broadcast_minimum", PH_FAMILY_ARITHMETIC, "Min", .doc = "The lesser, with numpy's broadcasting." },
  { "broadcast_multiply", PH_FAMILY_ARITHMETIC, "Mul", .doc = "Product, with numpy's broadcasting." },
  { "broadcast_or", PH_FAMILY_ARITHMETIC, .doc = "Logical or, with numpy's broadcasting." },
  { "broadcast_power", PH_FAMILY_ARITHMETIC, "Pow", .doc = "Power, with numpy's broadcasting." },
  { "broadcast_select", PH_FAMILY_MOVEMENT, .doc = "Takes each element from one operand or the other, with numpy's broadcasting." },
  { "broadcast_subtract", PH_FAMILY_ARITHMETIC, "Sub", .doc = "Difference, with numpy's broadcasting." },
  { "broadcast_xor", PH_FAMILY_ARITHMETIC, .doc = "Exclusive or, with numpy's broadcasting." },
  { "conj", PH_FAMILY_ARITHMETIC, .doc = "Complex conjugate of each element." },
  { "constant", PH_FAMILY_CONSTANT, "Const", .main_attrs = { "value" }, .doc = "A tensor that is written in the program." },
  { "constant_like", PH_FAMILY_CONSTANT, "Const", .doc = "One number, in the shape of the operand." },
  { "cosh", PH_FAMILY_ARITHMETIC, .doc = "Hyperbolic cosine of each element." },
  { "digamma", PH_FAMILY_ARITHMETIC, .doc = "Derivative of the logarithm of the gamma function." },
  { "erf", PH_FAMILY_ACTIVATION, .doc = "Error function of each element." },
  { "erf_inv", PH_FAMILY_ARITHMETIC, .doc = "Inverse of the error function." },
  { "erfc", PH_FAMILY_ARITHMETIC, .doc = "1 - erf (x), exact for large x." },
  { "is_inf", PH_FAMILY_ARITHMETIC, .doc = "Whether each element is infinite." },
  { "is_neg_inf", PH_FAMILY_ARITHMETIC, .doc = "Whether each element is minus infinity." },
  { "is_pos_inf", PH_FAMILY_ARITHMETIC, .doc = "Whether each element is plus infinity." },
  { "lgamma", PH_FAMILY_ARITHMETIC, .doc = "Logarithm of the absolute value of the gamma function." },
  { "next_after", PH_FAMILY_ARITHMETIC, .doc = "The next number in the direction of the second operand." },
  { "polygamma", PH_FAMILY_ARITHMETIC, .doc = "Derivatives of the digamma function." },
  { "ragged_dot", PH_FAMILY_LINEAR, "Dot", .doc = "Product of matrices, group by group." },
  { "sinh", PH_FAMILY_ARITHMETIC, .doc = "Hyperbolic sine of each element." },
  { "square", PH_FAMILY_ARITHMETIC, .doc = "Each element times itself." },
  { "tan", PH_FAMILY_ARITHMETIC, .doc = "Tangent of each element." },
  { "top_k", PH_FAMILY_MOVEMENT, "TopK", .doc = "The k largest elements along the last dimension, and their indices." },
  { "zeta", PH_FAMILY_ARITHMETIC, .doc = "Hurwitz's zeta function." },
  { NULL }
};
/* clang-format on */

const PhDialect ph_dialect_chlo = { .domain = "chlo", .title = "CHLO", .foreign = ops, .rules = "" };
