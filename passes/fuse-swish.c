/* fuse-swish.c: recognizes HardSwish, HardSigmoid, Mish and Swish in their expansions into simpler operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/fuse.h"
#include "passes/rule.h"

#include <math.h>

static gboolean
is_float (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]) && ph_value_same_type (match->slot[0], ph_node_output (match->root, 0));
}

/* Returns TRUE for a HardSigmoid with the slope and offset in the definition of HardSwish. */
static gboolean
is_sixth_and_half (PhMatch *match)
{
  const PhNode *sigmoid = match->node[1];

  return is_float (match) && ph_node_attr_float (sigmoid, "alpha", 0.2f) == 1.0f / 6
         && ph_node_attr_float (sigmoid, "beta", 0.5f) == 0.5f;
}

static PhValue *
build_hard_sigmoid (PhMatch *match, PhBuilder *b)
{
  return PH_BUILD_WITH (b, HardSigmoid, PH_ATTRS (ph_attr_new_float ("alpha", 1.0f / 6), ph_attr_new_float ("beta", 0.5f)),
                        match->slot[0]);
}

/* There is no Swish before opset 24, so it is a fused node with a body. */
static gboolean
fuse_swish (PhMatch *match, PhBuilder *b)
{
  return ph_fuse_nodes (match->node, match->n_nodes, ph_op_Swish.name, b) != NULL;
}

static gboolean
fuse_quick_gelu (PhMatch *match, PhBuilder *b)
{
  return ph_fuse_nodes (match->node, match->n_nodes, ph_op_MsQuickGelu.name, b) != NULL;
}

#define CLIPPED P (Clip, P (Add, X, NUM (3)), NUM (0), NUM (6))

static const char why_hard[] = "x * clip (x + 3, 0, 6) / 6 is the definition of HardSwish.";
static const char why_swish[] = "x * sigmoid (x) is Swish (SiLU); fused, x is read once and the result is written once.";

/* clang-format off */
static const PhRule rules[] = {
  { "hard-swish-div",    P (Div, P (Mul, X, CLIPPED), NUM (6)),             P (HardSwish, X), .when = is_float,
    .exactness = PH_ROUNDING, .why = why_hard },
  { "hard-swish-mul",    P (Mul, P (Mul, X, CLIPPED), NUM (1.0 / 6)),       P (HardSwish, X), .when = is_float,
    .exactness = PH_ROUNDING, .why = why_hard },
  { "hard-swish",        P (Mul, X, P (HardSigmoid, X)),                    P (HardSwish, X), .when = is_sixth_and_half,
    .exactness = PH_ROUNDING, .why = "x * hardsigmoid (x) with a slope of 1/6 is the definition of HardSwish." },
  { "hard-sigmoid",      P (Div, CLIPPED, NUM (6)), .when = is_float, .build = build_hard_sigmoid, .becomes = "HardSigmoid(x)",
    .exactness = PH_ROUNDING, .why = "clip (x + 3, 0, 6) / 6 is a HardSigmoid with a slope of 1/6." },
  { "mish",              P (Mul, X, P (Tanh, P (Softplus, X))),             P (Mish, X), .when = is_float,
    .exactness = PH_ROUNDING, .why = "x * tanh (softplus (x)) is the definition of Mish." },
  { "swish",             P (Mul, X, P (Sigmoid, X)), .when = is_float, .apply = fuse_swish, .becomes = "Swish(x)",
    .exactness = PH_ROUNDING, .why = why_swish },
  { "quick-gelu",        P (Mul, X, P (Sigmoid, P (Mul, X, NUM (1.702)))), .when = is_float, .apply = fuse_quick_gelu,
    .becomes = "QuickGelu(x)", .exactness = PH_ROUNDING, .why = "x * sigmoid (1.702 x) is an approximation of Gelu." },
};

const PhPass ph_pass_fuse_swish = {
  .name = "fuse-swish", .group = "fusion", .summary = "Fuses the separate operators of HardSwish, HardSigmoid, Mish and Swish into one",
  .elsewhere = "Ramachandran et al. 2017; ONNX Runtime QuickGeluFusion",
  .trap = "the constants of HardSwish are exactly 3 and 6.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
