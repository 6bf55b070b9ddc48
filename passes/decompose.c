/* decompose.c: replaces composite activations by simpler operators, to be differentiated, fused or run where they are unsupported.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

static gboolean
is_exact_gelu (PhMatch *match)
{
  return ph_value_dtype (match->slot[0]) != PH_UNDEFINED
         && g_str_equal (ph_node_attr_string (match->root, "approximate", "none"), "none");
}

static gboolean
is_tanh_gelu (PhMatch *match)
{
  return ph_value_dtype (match->slot[0]) != PH_UNDEFINED
         && g_str_equal (ph_node_attr_string (match->root, "approximate", "none"), "tanh");
}

static gboolean
has_type (PhMatch *match)
{
  return ph_value_dtype (match->slot[0]) != PH_UNDEFINED;
}

static PhValue *
build_hard_swish (PhMatch *match, PhBuilder *b)
{
  PhValue *gate = PH_BUILD_WITH (
      b, HardSigmoid, PH_ATTRS (ph_attr_new_float ("alpha", 1.0f / 6), ph_attr_new_float ("beta", 0.5f)), match->slot[0]);

  return PH_BUILD (b, Mul, match->slot[0], gate);
}

static gboolean
is_layer_norm (PhMatch *match)
{
  const PhValue *x = match->slot[0], *bias = ph_node_input (match->root, 2);

  /* Where these do not fit, LayerNormalization is refused when it runs; a product would stretch x. */
  return ph_value_broadcasts_into (match->slot[1], x) && (bias == NULL || ph_value_broadcasts_into (bias, x))
         && ph_value_rank (match->slot[0]) > 0 && ph_value_dtype (match->slot[0]) == PH_FLOAT
         && ph_axis_of (ph_node_attr_int (match->root, "axis", -1), ph_value_rank (match->slot[0])) >= 0;
}

/* Builds the normalization of x along the last axes from elementary operators. The engine ensures that its other outputs (mean, deviation)
 * are unused. */
static PhValue *
build_layer_norm (PhMatch *match, PhBuilder *b)
{
  PhValue *x = match->slot[0], *d, *variance, *axes, *y, *bias = ph_node_input (match->root, 2);
  int rank = ph_value_rank (x), axis = ph_axis_of (ph_node_attr_int (match->root, "axis", -1), rank);
  gint64 last[PH_MAX_RANK];

  for (int i = axis; i < rank; i++)
    last[i - axis] = i - rank;
  axes = ph_build_ints (b, last, rank - axis);
  d = PH_BUILD (b, Sub, x, PH_BUILD (b, ReduceMean, x, axes));
  variance = PH_BUILD (b, ReduceMean, PH_BUILD (b, Mul, d, d), axes);
  variance = PH_BUILD (b, Add, variance, ph_build_scalar (b, PH_FLOAT, ph_node_attr_float (match->root, "epsilon", 1e-5f)));
  y = PH_BUILD (b, Mul, PH_BUILD (b, Div, d, PH_BUILD (b, Sqrt, variance)), match->slot[1]);
  return bias != NULL ? PH_BUILD (b, Add, y, bias) : y;
}

/* clang-format off */
static const PhRule rules[] = {
  { "gelu", P (Gelu, X), P (Mul, P (Mul, NUM (0.5), X), P (Add, NUM (1), P (Erf, P (Div, X, NUM (M_SQRT2))))), .when = is_exact_gelu,
    .exactness = PH_ROUNDING, .why = "Gelu is defined as x / 2 * (1 + erf (x / sqrt 2)), whose parts each have a gradient and a kernel." },
  { "gelu-tanh", P (Gelu, X),
    P (Mul, P (Mul, NUM (0.5), X),
       P (Add, NUM (1), P (Tanh, P (Mul, NUM (0.7978845608028654),
                                    P (Add, X, P (Mul, NUM (0.044715), P (Mul, X, P (Mul, X, X)))))))), .when = is_tanh_gelu,
    .exactness = PH_ROUNDING, .why = "This is the definition of Gelu's approximation by tanh." },
  { "mish", P (Mish, X), P (Mul, X, P (Tanh, P (Softplus, X))), .when = has_type, .exactness = PH_ROUNDING, .why = "Mish is defined as x * tanh (softplus (x)), whose parts each have a gradient and a kernel." },
  { "hard-swish", P (HardSwish, X), .when = has_type, .build = build_hard_swish, .becomes = "Mul(x, HardSigmoid(x))",
    .exactness = PH_ROUNDING, .why = "HardSwish is defined as x * hardsigmoid (x), with a slope of 1/6." },
  { "layer-norm", P (LayerNormalization, X, Y), .when = is_layer_norm, .build = build_layer_norm,
    .becomes = "Add(Mul(Div(d, Sqrt(mean of d * d + epsilon)), y), z), d = x - mean of x", .exactness = PH_ROUNDING,
    .why = "Layer normalisation is defined as (x - mean) / sqrt (variance + epsilon) * scale + bias." },
};

const PhPass ph_pass_decompose = {
  .name = "decompose", .group = "algebra", .summary = "Expands composite operators into their definitions: the opposite of fusion",
  .elsewhere = "ONNX's function bodies; TVM DecomposeOps; XLA expanders",
  .trap = "a later fusion must recognise every way of writing the same function.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
