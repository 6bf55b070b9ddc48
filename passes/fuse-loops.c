/* fuse-loops.c: merges two loops with the same number of iterations.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/loop.h"

#include "core/ops/copy.h"

/*  a = Loop (n) { f }        a, b = Loop (n) { f; g }       Common operands are read once, and there are half as many
 *  b = Loop (n) { g }   =>                                  iterations. Neither loop may depend on the other.       */

#define NEAR 64 /* nodes to search backwards */

static gboolean
same_turns (const PhNode *a, const PhNode *b)
{
  const PhGraph *body_a = ph_node_graph (a, "body"), *body_b = ph_node_graph (b, "body");

  if (ph_node_is_tied (a) || ph_node_is_tied (b) || !ph_loop_is_regular (a, body_a) || !ph_loop_is_regular (b, body_b)
      || !ph_loop_never_breaks (a, body_a) || !ph_loop_never_breaks (b, body_b) || ph_node_input (a, 0) == NULL)
    return FALSE;
  return ph_node_input (a, 0) == ph_node_input (b, 0)
         || (ph_loop_turns (a, body_a) >= 0 && ph_loop_turns (a, body_a) == ph_loop_turns (b, body_b));
}

/* Returns TRUE if @node depends on @on. A use in a body counts as one by the body's owner in the loop's own graph. */
static gboolean
depends (PhNode *on, PhNode *node, guint *budget)
{
  if (on == node)
    return TRUE;
  if (node->order < on->order || *budget == 0)
    return *budget == 0;
  --*budget;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      if (value != NULL && value->producer != NULL && value->graph == on->graph && depends (on, value->producer, budget))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if @body, or a nested body, reads a value that depends on @on. */
static gboolean
body_depends (PhNode *on, const PhGraph *body, guint *budget)
{
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *value = ph_node_input (node, i);

          if (value != NULL && value->producer != NULL && value->graph == on->graph && depends (on, value->producer, budget))
            return TRUE;
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (body_depends (on, g_ptr_array_index (node->graphs, i), budget))
          return TRUE;
    }
  for (guint i = 0; i < body->outputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (body->outputs, i);

      if (value->graph == on->graph && value->producer != NULL && depends (on, value->producer, budget))
        return TRUE;
    }
  return FALSE;
}

/* Finds the nearest preceding loop that can be merged with @loop. The search ends at other nodes with bodies, since these may depend on a
 * loop through captures. */
static PhNode *
partner_of (PhNode *loop)
{
  guint n = 0, budget = 4 * NEAR;

  for (PhNode *node = loop->prev; node != NULL && n < NEAR; node = node->prev, n++)
    {
      if (node->op == &ph_op_Loop && same_turns (node, loop))
        return !depends (node, loop, &budget) && !body_depends (node, ph_node_graph (loop, "body"), &budget) ? node : NULL;
      if (node->graphs != NULL && node->graphs->len > 0 && !ph_node_is_fused (node))
        return NULL;
    }
  return NULL;
}

static gboolean
has_partner (PhMatch *match)
{
  return ph_node_input (match->root, 0) != NULL && partner_of (match->root) != NULL;
}

typedef struct
{
  PhNode *loop;
  PhGraph *body;
  guint n_states, n_scans, first_state, first_scan;
  PhValue **outputs;
} Half;

static Half
half_of (PhNode *loop)
{
  guint n_states = loop->inputs->len - 2;

  return (Half) { loop, ph_node_graph (loop, "body"), n_states, loop->outputs->len - n_states,
                  .outputs = g_new0 (PhValue *, loop->outputs->len + 2) };
}

static gboolean
copy_half (Half *half, PhGraph *body, PhBuilder *b)
{
  g_autofree PhValue **inputs = g_new0 (PhValue *, half->n_states + 2);
  PhBuilder in_body = { .graph = body };

  inputs[0] = g_ptr_array_index (body->inputs, 0);
  inputs[1] = g_ptr_array_index (body->inputs, 1);
  for (guint i = 0; i < half->n_states; i++)
    inputs[2 + i] = g_ptr_array_index (body->inputs, 2 + half->first_state + i);
  ph_build_copy (&in_body, half->body, inputs, half->outputs, NULL);
  return ph_builder_finish (&in_body, &b->error);
}

static gboolean
fuse (PhMatch *match, PhBuilder *b)
{
  Half halves[] = { half_of (partner_of (match->root)), half_of (match->root) };
  guint n_states = halves[0].n_states + halves[1].n_states, n_scans = halves[0].n_scans + halves[1].n_scans,
        n = n_states + n_scans;
  g_autofree PhValue **states = g_new0 (PhValue *, n_states + 1);
  g_autofree const PhType **inside = g_new0 (const PhType *, n_states + 1), **types = g_new0 (const PhType *, n + 1);
  PhBuilder in_body = { NULL };
  PhNode *loop;
  gboolean ok;

  halves[1].first_state = halves[0].n_states;
  halves[0].first_scan = n_states;
  halves[1].first_scan = n_states + halves[0].n_scans;
  for (guint h = 0; h < 2; h++)
    {
      const Half *half = &halves[h];

      for (guint i = 0; i < half->n_states; i++)
        {
          states[half->first_state + i] = ph_node_input (half->loop, 2 + i);
          inside[half->first_state + i] = ((PhValue *) g_ptr_array_index (half->body->inputs, 2 + i))->type;
          types[half->first_state + i] = ph_node_output (half->loop, i)->type;
        }
      for (guint i = 0; i < half->n_scans; i++)
        types[half->first_scan + i] = ph_node_output (half->loop, half->n_states + i)->type;
    }

  loop = ph_loop_new (b, ph_node_input (match->root, 0), NULL, states, inside, n_states, types, n);
  ok = loop != NULL && copy_half (&halves[0], ph_node_graph (loop, "body"), b)
       && copy_half (&halves[1], ph_node_graph (loop, "body"), b);
  if (ok)
    {
      PhGraph *body = in_body.graph = ph_node_graph (loop, "body");

      ph_graph_set_output (body, 0, PH_BUILD (&in_body, Identity, g_ptr_array_index (body->inputs, 1)), &b->error);
      for (guint part = 0; part < 2; part++) /* loop-carried values first, then stacked ones */
        for (guint h = 0; h < 2; h++)
          for (guint i = 0; b->error == NULL && i < (part == 0 ? halves[h].n_states : halves[h].n_scans); i++)
            ph_graph_set_output (body, body->outputs->len, halves[h].outputs[1 + (part == 0 ? 0 : halves[h].n_states) + i],
                                 &b->error);
      for (guint h = 0; h < 2 && b->error == NULL; h++)
        {
          g_autofree PhValue **results = g_new0 (PhValue *, n + 1);

          for (guint i = 0; i < halves[h].n_states; i++)
            results[i] = ph_node_output (loop, halves[h].first_state + i);
          for (guint i = 0; i < halves[h].n_scans; i++)
            results[halves[h].n_states + i] = ph_node_output (loop, halves[h].first_scan + i);
          ok = ok && ph_node_replace_all (halves[h].loop, results, b);
        }
    }
  g_free (halves[0].outputs);
  g_free (halves[1].outputs);
  return ok && b->error == NULL;
}

/* clang-format off */
static const PhRule rules[] = {
  { "same-turns", .root = &ph_op_Loop, .when = has_partner, .apply = fuse, .matches = "Loop(n) { f }, Loop(n) { g }", .becomes = "Loop(n) { f; g }",
    .why = "Both loops run the same number of iterations and are independent, so one loop can run both bodies." },
};

const PhPass ph_pass_fuse_loops = {
  .name = "fuse-loops", .group = "control", .summary = "Fuses two independent loops with the same number of iterations",
  .elsewhere = "loop fusion: Allen and Kennedy 2001; XLA while_loop_fusible_sinking",
  .trap = "the second may read the first's result inside its body, where no edge shows it.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
