/* lift-captures.c: makes the captured values of a loop's body operands of the loop.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/loop.h"

#include "core/ops/copy.h"

/*  y = Loop (n, x) { s + w }     =>     y, _ = Loop (n, x, w) { s + v, v }
 *
 * A body may read any value of the graphs around it, without an operand for it. As a state that never changes the value
 * becomes visible in the picture and in the loop's operands. loop-state is the reverse. Constants need no operand. */

static void
collect (const PhGraph *graph, const PhGraph *body, GPtrArray *captures)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *value = ph_node_input (node, i);

          if (value != NULL && !ph_graph_is_inside (value->graph, body) && ph_value_constant (value) == NULL
              && !g_ptr_array_find (captures, value, NULL))
            g_ptr_array_add (captures, value);
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        collect (g_ptr_array_index (node->graphs, i), body, captures);
    }
}

/* Returns the captured values. Nested bodies may only read them: a body that outputs a captured value is left alone. */
static GPtrArray *
captures_of (const PhNode *loop)
{
  const PhGraph *body = ph_node_graph (loop, "body");
  GPtrArray *captures = g_ptr_array_new ();

  if (ph_loop_is_regular (loop, body) && !ph_node_is_tied (loop))
    collect (body, body, captures);
  for (guint i = 0; captures->len > 0 && i < body->outputs->len; i++)
    if (((PhValue *) g_ptr_array_index (body->outputs, i))->graph != body)
      g_ptr_array_set_size (captures, 0);
  return captures;
}

static gboolean
has_captures (PhMatch *match)
{
  g_autoptr (GPtrArray) captures = captures_of (match->root);

  for (guint i = 0; i < captures->len; i++)
    {
      const PhType *type = ((PhValue *) captures->pdata[i])->type;

      if (type == NULL || type->kind != PH_KIND_TENSOR)
        return FALSE;
    }
  return captures->len > 0;
}

static gboolean
lift (PhMatch *match, PhBuilder *b)
{
  g_autoptr (GPtrArray) captures = captures_of (match->root);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  PhNode *loop = match->root, *lifted;
  PhGraph *from = ph_node_graph (loop, "body"), *to;
  guint n_old = loop->inputs->len - 2, n = n_old + captures->len, n_out = loop->outputs->len, n_scans = n_out - n_old;
  g_autofree PhValue **states = g_new0 (PhValue *, n + 1), **inputs = g_new0 (PhValue *, n_old + 2);
  g_autofree PhValue **outputs = g_new0 (PhValue *, n_out + 2), **results = g_new0 (PhValue *, n_out + 1);
  g_autofree const PhType **inside = g_new0 (const PhType *, n + 1), **types = g_new0 (const PhType *, n + n_scans + 1);
  PhBuilder in_body = { .name = b->name };

  for (guint i = 0; i < n; i++)
    {
      states[i] = i < n_old ? ph_node_input (loop, 2 + i) : captures->pdata[i - n_old];
      inside[i] = i < n_old ? ((PhValue *) g_ptr_array_index (from->inputs, 2 + i))->type : states[i]->type;
      types[i] = i < n_old ? ph_node_output (loop, i)->type : states[i]->type;
    }
  for (guint i = 0; i < n_scans; i++)
    types[n + i] = ph_node_output (loop, n_old + i)->type;
  lifted = ph_loop_new (b, ph_node_input (loop, 0), ph_node_input (loop, 1), states, inside, n, types, n + n_scans);
  if (lifted == NULL)
    return FALSE;
  in_body.graph = to = ph_node_graph (lifted, "body");
  for (guint i = 0; i < n_old + 2; i++)
    inputs[i] = g_ptr_array_index (to->inputs, i);
  for (guint i = n_old; i < n; i++)
    g_hash_table_insert (map, states[i], g_ptr_array_index (to->inputs, 2 + i));
  ph_build_copy (&in_body, from, inputs, outputs, map);
  for (guint i = 0; i < n + n_scans + 1 && in_body.error == NULL; i++)
    {
      PhValue *value = i <= n_old ? outputs[i]
                       : i > n    ? outputs[i - captures->len]
                                  : PH_BUILD (&in_body, Identity, g_ptr_array_index (to->inputs, 1 + i));

      if (value != NULL)
        ph_graph_set_output (to, i, value, &in_body.error);
    }
  if (!ph_builder_finish (&in_body, &b->error))
    return FALSE;
  for (guint i = 0; i < n_out; i++)
    results[i] = ph_node_output (lifted, i < n_old ? i : i + captures->len);
  return ph_node_replace_all (loop, results, b);
}

/* clang-format off */
static const PhRule rules[] = {
  { "capture", .root = &ph_op_Loop, .when = has_captures, .apply = lift, .matches = "Loop(n, x) { f(s, w) }", .becomes = "Loop(n, x, w) { f(s, v), v }",
    .why = "A captured value can be passed as an operand of the loop, which makes the dependency a visible edge." },
};

const PhPass ph_pass_lift_captures = {
  .name = "lift-captures", .group = "control", .summary = "Turns values that Loop bodies capture into operands of the loop",
  .elsewhere = "onnxoptimizer lift_lexical_references, whose result is not a valid ONNX",
  .trap = "a body may return a captured value directly.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
