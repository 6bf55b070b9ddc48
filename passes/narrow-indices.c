/* narrow-indices.c: removes casts of indices to a wider type.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns TRUE for a widening cast before Gather or a similar operator, which takes 32-bit indices as well as 64-bit ones. */
static gboolean
widens_indices (PhMatch *match)
{
  static const PhOp *const ops[] = { &ph_op_Gather, &ph_op_GatherElements, &ph_op_ScatterElements };
  const PhNode *node = match->root, *cast;
  PhValue *indices = ph_node_input (node, 1);
  gboolean takes = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    takes |= node->op == ops[i];
  cast = takes && indices != NULL ? indices->producer : NULL;
  return cast != NULL && cast->op == &ph_op_Cast && cast->graph == node->graph && ph_value_dtype (indices) == PH_INT64
         && ph_value_dtype (ph_node_input (cast, 0)) == PH_INT32;
}

static PhValue *
build_narrow (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root;
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));

  inputs[1] = ph_node_input (inputs[1]->producer, 0);
  return ph_build_like (b, node, inputs, node->inputs->len);
}

/* clang-format off */
static const PhRule rules[] = {
  { "narrow-indices", .when = widens_indices, .build = build_narrow, .matches = "Gather(x, Cast<int64>(i))", .becomes = "Gather(x, i)",
    .why = "The operator accepts 32-bit indices as they are, which take half the memory." },
};

const PhPass ph_pass_narrow_indices = {
  .name = "narrow-indices", .group = "simplify", .summary = "Removes casts that widen 32-bit indices to 64 bits",
  .elsewhere = "TVM NarrowDataType; onnxoptimizer rewrite_input_dtype",
  .trap = "only what is read as an index may be narrowed: arithmetic on it may overflow.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
