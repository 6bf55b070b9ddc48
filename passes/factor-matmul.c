/* factor-matmul.c: factors sums of matrix products, and reorders chains of products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
right_factors_are_alike (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]) && ph_value_same_type (match->slot[1], match->slot[2])
         && ph_value_rank (match->slot[1]) >= 2;
}

/* Multiplications for (A B) C and for A (B C), of matrices. Returns FALSE where they are not known, and for float16, whose products may be
 * beyond it in one order alone. */
static gboolean
costs (PhMatch *match, double *left, double *right)
{
  double m, k, n, p;

  for (guint i = 0; i < 3; i++)
    if (ph_value_rank (match->slot[i]) != 2 || !ph_value_is_static (match->slot[i]))
      return FALSE;
  m = ph_value_dim (match->slot[0], 0);
  k = ph_value_dim (match->slot[0], 1);
  n = ph_value_dim (match->slot[1], 1);
  p = ph_value_dim (match->slot[2], 1);
  *left = m * k * n + m * n * p;
  *right = k * n * p + m * k * p;
  return ph_value_is_float (match->slot[0]) && ph_value_dtype (match->slot[0]) != PH_FLOAT16;
}

static gboolean
right_is_cheaper (PhMatch *match)
{
  double left, right;

  return costs (match, &left, &right) && right < left;
}

static gboolean
left_is_cheaper (PhMatch *match)
{
  double left, right;

  return costs (match, &left, &right) && left < right;
}

/* clang-format off */
static const PhRule rules[] = {
  { "factor-left",  P (Add, P (MatMul, X, Y), P (MatMul, X, Z)), P (MatMul, X, P (Add, Y, Z)), .when = right_factors_are_alike,
    .exactness = PH_ROUNDING, .why = "Matrix products distribute over sums: x A + x B = x (A + B) saves one product." },
  { "chain-right",  P (MatMul, P (MatMul, X, Y), Z), P (MatMul, X, P (MatMul, Y, Z)), .when = right_is_cheaper,
    .exactness = PH_ROUNDING, .why = "Matrix products are associative; this grouping takes fewer multiplications." },
  { "chain-left",   P (MatMul, X, P (MatMul, Y, Z)), P (MatMul, P (MatMul, X, Y), Z), .when = left_is_cheaper,
    .exactness = PH_ROUNDING, .why = "Matrix products are associative; this grouping takes fewer multiplications." },
};

const PhPass ph_pass_factor_matmul = {
  .name = "factor-matmul", .group = "algebra", .summary = "Factors sums of matrix products, and orders chains of products by cost",
  .elsewhere = "matrix chain order: Cormen et al., 15.2; TVM expand_matmul_of_sum, AdjustMatmulOrder",
  .trap = "a product that has other users is computed anyway, so factoring saves nothing.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
