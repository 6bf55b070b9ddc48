/* if-to-where.c: replaces an If by both of its branches and a Where, if they are small and cannot fail.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include "core/ops/copy.h"

#define SMALL 4

static gboolean
is_cheap (const PhGraph *body)
{
  if (body == NULL || body->n_nodes > SMALL)
    return FALSE;
  PH_FOREACH_NODE (node, body)
    if (!ph_node_is_total (node) || !(node->op->flags & PH_OP_ELEMENTWISE))
      return FALSE;
  return TRUE;
}

/* Where has one result type: both branches must have it. */
static gboolean
can_be_chosen (PhMatch *match)
{
  const PhNode *node = match->root;
  const PhGraph *then_branch = ph_node_graph (node, "then_branch"), *else_branch = ph_node_graph (node, "else_branch");

  if (ph_value_rank (ph_node_input (node, 0)) != 0 || !is_cheap (then_branch) || !is_cheap (else_branch)
      || then_branch->outputs->len != node->outputs->len || else_branch->outputs->len != node->outputs->len)
    return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    if (!ph_value_same_type (g_ptr_array_index (then_branch->outputs, k), g_ptr_array_index (else_branch->outputs, k)))
      return FALSE;
  return TRUE;
}

static gboolean
choose (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  guint n = node->outputs->len;
  g_autofree PhValue **first = g_new0 (PhValue *, n + 1), **second = g_new0 (PhValue *, n + 1);

  if (!ph_build_copy (b, ph_node_graph (node, "then_branch"), NULL, first, NULL)
      || !ph_build_copy (b, ph_node_graph (node, "else_branch"), NULL, second, NULL))
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      b->name = ph_node_output (node, k)->name;
      first[k] = PH_BUILD (b, Where, ph_node_input (node, 0), first[k], second[k]);
    }
  return b->error == NULL && ph_node_replace_all (node, first, b);
}

static const PhRule rules[] = {
  { "if-to-where", .root = &ph_op_If, .when = can_be_chosen, .apply = choose, .becomes = "Where(c, x, y)",
    .why = "Both branches are cheap and cannot fail, so both are computed and Where selects the result." },
};

/* clang-format off */
const PhPass ph_pass_if_to_where = {
  .name = "if-to-where", .group = "control", .summary = "Turns If with small branches that cannot fail into Where",
  .elsewhere = "ONNX Runtime if_to_where; XLA conditional_to_select",
  .trap = "afterwards both branches run, so neither may fail, for example by an index or an integer division.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
