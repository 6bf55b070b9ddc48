/* fuse-gelu.c: recognizes Gelu, exact or with tanh, in its expansion into simpler operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/*  Gelu (x) = x / 2 * (1 + erf (x / sqrt 2))     The constants are matched to the last bit of their element type: with
 *  1.42 in place of the root it is a different function, which is not replaced. */

static PhValue *
build_gelu (PhMatch *match, PhBuilder *b)
{
  return PH_BUILD (b, Gelu, match->slot[0]);
}

static PhValue *
build_gelu_tanh (PhMatch *match, PhBuilder *b)
{
  return PH_BUILD_WITH (b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", "tanh")), match->slot[0]);
}

static gboolean
is_float (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]) && ph_value_same_type (match->slot[0], ph_node_output (match->root, 0));
}

#define ERF_DIV     P (Add, P (Erf, P (Div, X, NUM (M_SQRT2))), NUM (1))
#define ERF_MUL     P (Add, P (Erf, P (Mul, X, NUM (M_SQRT1_2))), NUM (1))
#define CUBE_POW    P (Pow, X, NUM (3))
#define CUBE_MUL    P (Mul, X, P (Mul, X, X))
#define TANH(cube_) P (Add, P (Tanh, P (Mul, P (Add, X, P (Mul, cube_, NUM (0.044715))), NUM (0.7978845608028654))), NUM (1))

static const char why[] = "x / 2 * (1 + erf (x / sqrt 2)) is the definition of Gelu.";
static const char why_tanh[] = "x / 2 * (1 + tanh (sqrt (2 / pi) * (x + 0.044715 x^3))) is Gelu's approximation by tanh.";

/* The factor one half may apply to x, to the sum or to the product. */
/* clang-format off */
#define FORMS(name_, sum_, build_, becomes_, why_) \
  { name_ "-product", P (Mul, P (Mul, X, sum_), NUM (0.5)), .when = is_float, .build = build_, .becomes = becomes_, \
    .exactness = PH_ROUNDING, .why = why_ }, \
  { name_ "-x", P (Mul, P (Mul, X, NUM (0.5)), sum_), .when = is_float, .build = build_, .becomes = becomes_, \
    .exactness = PH_ROUNDING, .why = why_ }, \
  { name_ "-sum", P (Mul, X, P (Mul, sum_, NUM (0.5))), .when = is_float, .build = build_, .becomes = becomes_, \
    .exactness = PH_ROUNDING, .why = why_ }

static const PhRule rules[] = {
  FORMS ("gelu-div",  ERF_DIV, build_gelu, "Gelu(x)", why),
  FORMS ("gelu-mul",  ERF_MUL, build_gelu, "Gelu(x)", why),
  FORMS ("gelu-tanh", TANH (CUBE_POW), build_gelu_tanh, "Gelu<approximate=\"tanh\">(x)", why_tanh),
  FORMS ("gelu-tanh-cube", TANH (CUBE_MUL), build_gelu_tanh, "Gelu<approximate=\"tanh\">(x)", why_tanh),
};

const PhPass ph_pass_fuse_gelu = {
  .name = "fuse-gelu", .group = "fusion", .summary = "Fuses the separate operators of Gelu into one",
  .elsewhere = "ONNX Runtime GeluFusion, FastGeluFusion; Hendrycks and Gimpel 2016",
  .trap = "1.42 is not the square root of 2.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
