/* hoist-branches.c: moves computations that both branches of an If contain in front of the If.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

static const char why[] = "Both branches compute it, so it can be computed once, before the If.";

/* Returns TRUE if @node depends only on values from outside the branch. */
static gboolean
comes_from_outside (const PhNode *node)
{
  if (node->op == NULL || (node->op->flags & PH_OP_RANDOM) || node->graphs != NULL || node->inputs->len == 0)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_node_input (node, i)->graph == node->graph)
      return FALSE;
  return TRUE;
}

static gboolean
is_body_output (const PhNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (ph_value_is_output (ph_node_output (node, k)))
      return TRUE;
  return FALSE;
}

static gboolean
same (const PhNode *a, const PhNode *b)
{
  if (a->op != b->op || a->inputs->len != b->inputs->len || a->outputs->len != b->outputs->len || !ph_node_same_attrs (a, b))
    return FALSE;
  for (guint i = 0; i < a->inputs->len; i++)
    if (ph_node_input (a, i) != ph_node_input (b, i))
      return FALSE;
  return TRUE;
}

static PhNode *
find_same (PhGraph *body, const PhNode *node)
{
  PH_FOREACH_NODE (other, body)
    if (same (node, other) && !is_body_output (other))
      return other;
  return NULL;
}

static gboolean
hoist (PhNode *first, PhNode *second, PhNode *owner, GError **error)
{
  PhBuilder b = { .graph = owner->graph, .before = owner, .name = ph_node_output (first, 0)->name };
  PhValue *y = ph_build_like (&b, first, (PhValue **) first->inputs->pdata, first->inputs->len);

  for (guint k = 0; y != NULL && k < first->outputs->len; k++)
    {
      PhValue *value = ph_node_output (y->producer, k);

      if (ph_node_output (first, k)->uses->len > 0)
        ph_value_replace_uses (ph_node_output (first, k), value, &b.error);
      if (b.error == NULL && ph_node_output (second, k)->uses->len > 0)
        ph_value_replace_uses (ph_node_output (second, k), value, &b.error);
    }
  if (b.error == NULL && y != NULL)
    {
      ph_graph_remove_node (first, &b.error);
      if (b.error == NULL)
        ph_graph_remove_node (second, &b.error);
    }
  return ph_builder_finish (&b, error);
}

static gboolean
hoist_branches (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);

  /* An inner If precedes the outer one; the nodes removed here are never Ifs. */
  for (guint i = 0; i < nodes->len && !run->stopped; i++)
    {
      PhNode *owner = g_ptr_array_index (nodes, i), *next;
      PhGraph *then_branch, *else_branch;

      if (owner->op != &ph_op_If)
        continue;
      then_branch = ph_node_graph (owner, "then_branch");
      else_branch = ph_node_graph (owner, "else_branch");
      for (PhNode *node = then_branch->first; node != NULL && !run->stopped; node = next)
        {
          PhNode *other;

          next = node->next;
          if (!comes_from_outside (node) || is_body_output (node) || (other = find_same (else_branch, node)) == NULL)
            continue;
          if (!ph_pass_begin (run, "common-code", owner, why))
            return TRUE;
          if (!ph_pass_close (run, hoist (node, other, owner, error)))
            return FALSE;
          next = then_branch->first;
        }
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "common-code", .root = &ph_op_If, .becomes = "the node, before the If", .why = why },
};

/* clang-format off */
const PhPass ph_pass_hoist_branches = {
  .name = "hoist-branches", .group = "control", .summary = "Hoists computations that both branches of an If share above the If",
  .elsewhere = "XLA conditional_code_motion",
  .trap = "a hoisted node runs before the If, so it must not depend on the branch that is taken.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = hoist_branches,
};
/* clang-format on */
