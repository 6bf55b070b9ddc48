/* unroll-loops.c: unrolls loops of few iterations.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/loop.h"

#include "core/ops/copy.h"

#define MANY_TURNS 16
#define MANY_NODES 256

static gboolean
can_be_unrolled (PhMatch *match)
{
  const PhNode *loop = match->root;
  const PhGraph *body = ph_node_graph (loop, "body");
  guint n_states = loop->inputs->len - MIN (loop->inputs->len, 2);
  gint64 n;

  if (body == NULL || body->inputs->len != n_states + 2 || body->outputs->len != loop->outputs->len + 1)
    return FALSE;
  n = ph_loop_turns (loop, body);
  /* Without iterations, stacked outputs are empty and of unknown shape. */
  if (n == 0)
    return loop->outputs->len == n_states;
  return n > 0 && n <= MANY_TURNS && n * body->n_nodes <= MANY_NODES;
}

static gboolean
unroll (PhMatch *match, PhBuilder *b)
{
  PhNode *loop = match->root;
  PhGraph *body = ph_node_graph (loop, "body");
  guint n_states = loop->inputs->len - 2, n_out = loop->outputs->len, n_scans = n_out - n_states;
  gint64 n = ph_loop_turns (loop, body), zero = 0;
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_states + 2), **outputs = g_new0 (PhValue *, n_out + 2);
  g_autofree PhValue **scans = g_new0 (PhValue *, n_scans * n + 1), **results = g_new0 (PhValue *, n_out + 1);

  for (guint k = 0; k < n_states; k++)
    inputs[2 + k] = ph_node_input (loop, 2 + k);
  for (gint64 turn = 0; turn < n; turn++)
    {
      inputs[0] = ph_build_scalar (b, PH_INT64, turn);
      inputs[1] = ph_build_scalar (b, PH_BOOL, 1);
      if (!ph_build_copy (b, body, inputs, outputs, NULL))
        return FALSE;
      for (guint k = 0; k < n_states; k++)
        inputs[2 + k] = outputs[1 + k];
      for (guint k = 0; k < n_scans; k++)
        {
          b->name = ph_node_output (loop, n_states + k)->name;
          scans[k * n + turn] = PH_BUILD (b, Unsqueeze, outputs[1 + n_states + k], ph_build_ints (b, &zero, 1));
        }
    }
  for (guint k = 0; k < n_states; k++)
    results[k] = inputs[2 + k];
  for (guint k = 0; k < n_scans; k++)
    results[n_states + k] = ph_build_node (b, &ph_op_Concat, &scans[k * n], n, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
  return b->error == NULL && ph_node_replace_all (loop, results, b);
}

static const PhRule rules[] = {
  { "unroll", .root = &ph_op_Loop, .when = can_be_unrolled, .apply = unroll, .becomes = "one copy of the body for each iteration",
    .why = "The number of iterations is known and small; unrolled, each iteration can be simplified on its own." },
};

/* clang-format off */
const PhPass ph_pass_unroll_loops = {
  .name = "unroll-loops", .group = "control", .summary = "Unrolls loops with few iterations, if their number is known, and removes loops with none",
  .elsewhere = "XLA while_loop_unroller",
  .trap = "the condition may end the loop early; scan outputs become a Concat.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
