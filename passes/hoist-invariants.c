/* hoist-invariants.c: loop-invariant code motion.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

static const char why[] = "It is loop-invariant, and it cannot fail, so it may run even if the loop has no iterations.";

/* Returns TRUE if all inputs come from outside, or are constants of the body, which can be copied outside. */
static gboolean
is_invariant (const PhNode *node)
{
  if (!ph_node_is_total (node) || node->inputs->len == 0)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      if (value != NULL && value->graph == node->graph && (value->producer != NULL || value->is_input))
        return FALSE;
    }
  for (guint k = 0; k < node->outputs->len; k++)
    if (ph_value_is_output (ph_node_output (node, k)))
      return FALSE;
  return TRUE;
}

static gboolean
hoist (PhNode *node, PhNode *owner, GError **error)
{
  PhBuilder b = { .graph = owner->graph, .before = owner, .name = ph_node_output (node, 0)->name };
  g_autofree PhValue **inputs = g_new0 (PhValue *, node->inputs->len + 1);
  PhValue *y;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      inputs[i] = ph_node_input (node, i);
      /* A separate copy: an equal constant outside may be a parameter with a gradient. */
      if (inputs[i] != NULL && inputs[i]->graph == node->graph)
        inputs[i] = ph_graph_add_constant (b.graph, ph_model_unique_name (b.graph->model, inputs[i]->name), inputs[i]->tensor,
                                           &b.error);
    }
  y = ph_build_like (&b, node, inputs, node->inputs->len);
  for (guint k = 0; y != NULL && k < node->outputs->len; k++)
    if (ph_node_output (node, k)->uses->len > 0)
      ph_value_replace_uses (ph_node_output (node, k), ph_node_output (y->producer, k), &b.error);
  if (y != NULL && b.error == NULL)
    ph_graph_remove_dead (node);
  return ph_builder_finish (&b, error);
}

static gboolean
hoist_invariants (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  for (guint i = 0; i < nodes->len; i++)
    g_array_append_val (ids, ((PhNode *) g_ptr_array_index (nodes, i))->id);

  /* Inner loops come first: a node moved out of one is then part of the outer loop's body. */
  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *owner = ph_model_find_node (run->model, g_array_index (ids, PhId, i)), *next;
      PhGraph *body;

      if (owner == NULL || (owner->op != &ph_op_Loop && owner->op != &ph_op_Scan)
          || (body = ph_node_graph (owner, "body")) == NULL)
        continue;
      for (PhNode *node = body->first; node != NULL && !run->stopped; node = next)
        {
          next = node->next;
          if (!is_invariant (node))
            continue;
          if (!ph_pass_begin (run, "invariant", node, why))
            return TRUE;
          if (!ph_pass_close (run, hoist (node, owner, error)))
            return FALSE;
        }
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "invariant", .matches = "Loop whose body has a node that reads no value of the body",
    .becomes = "the node, before the loop", .why = why },
};

const PhPass ph_pass_hoist_invariants = {
  .name = "hoist-invariants", .group = "control", .summary = "Hoists loop-invariant computations out of loops",
  .elsewhere = "loop-invariant code motion: Aho et al., 9.5; XLA while_loop_invariant_code_motion",
  .trap = "a loop without iterations must not fail because of a node that was hoisted out of it.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = hoist_invariants,
};
/* clang-format on */
