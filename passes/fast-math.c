/* fast-math.c: replaces functions by cheaper approximations.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

static gboolean
is_exact_gelu (PhMatch *match)
{
  return g_str_equal (ph_node_attr_string (match->root, "approximate", "none"), "none");
}

static PhValue *
build_tanh_gelu (PhMatch *match, PhBuilder *b)
{
  return PH_BUILD_WITH (b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", "tanh")), match->slot[0]);
}

static const PhRule rules[] = {
  { "fast-gelu", P (Gelu, X), .when = is_exact_gelu, .build = build_tanh_gelu, .becomes = "Gelu<approximate=\"tanh\">(x)",
    .exactness = PH_LOSSY, .why = "The approximation of Gelu by tanh is cheaper than erf, and differs by less than 0.001." },
};

/* clang-format off */
const PhPass ph_pass_fast_math = {
  .name = "fast-math", .group = "algebra", .summary = "Replaces functions by cheaper approximations",
  .elsewhere = "TVM FastMath; ONNX Runtime GeluApproximation",
  .trap = "no pipeline contains it, because it changes results on purpose.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
