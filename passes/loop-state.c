/* loop-state.c: removes states of a loop that never change or that have no users.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/loop.h"

#include "core/ops/copy.h"

static const PhValue *
through_identity (const PhValue *value)
{
  while (value->producer != NULL && value->producer->op == &ph_op_Identity)
    value = ph_node_input (value->producer, 0);
  return value;
}

/* Returns a state that the body passes on unchanged, and that is still used inside or after; -1 if there is none. */
static int
invariant_state (const PhNode *loop)
{
  const PhGraph *body = ph_node_graph (loop, "body");

  if (!ph_loop_is_regular (loop, body))
    return -1;
  for (guint k = 0; k + 2 < loop->inputs->len; k++)
    {
      const PhValue *inside = g_ptr_array_index (body->inputs, 2 + k), *out = g_ptr_array_index (body->outputs, 1 + k);
      guint readers = 0;

      if (through_identity (out) != inside)
        continue;
      for (guint u = 0; u < inside->uses->len; u++)
        readers += g_array_index (inside->uses, PhUse, u).node->op != &ph_op_Identity;
      if (readers > 0 || ph_node_output (loop, k)->uses->len > 0)
        return (int) k;
    }
  return -1;
}

static gboolean
has_invariant_state (PhMatch *match)
{
  return invariant_state (match->root) >= 0;
}

/* Users of the state read the initial value instead, which leaves the state dead. */
static gboolean
read_initial_value (PhMatch *match, PhBuilder *b)
{
  PhNode *loop = match->root;
  guint k = invariant_state (loop);
  PhValue *initial = ph_node_input (loop, 2 + k), *out = ph_node_output (loop, k);
  PhValue *inside = g_ptr_array_index (ph_node_graph (loop, "body")->inputs, 2 + k);
  g_autoptr (GArray) uses = ph_value_copy_uses (inside), readers = ph_value_copy_uses (out);
  guint n = 0;

  for (guint u = 0; u < uses->len && b->error == NULL; u++)
    {
      const PhUse *use = &g_array_index (uses, PhUse, u);

      if (use->node->op != &ph_op_Identity && ++n > 0)
        ph_node_set_input (use->node, use->index, initial, &b->error);
    }
  for (guint u = 0; u < readers->len && b->error == NULL; u++, n++)
    ph_node_set_input (g_array_index (readers, PhUse, u).node, g_array_index (readers, PhUse, u).index, initial, &b->error);
  return n > 0;
}

/* Marks the values of a body on which @value depends. Nested bodies count as a whole. */
static void
mark_needed (const PhValue *value, const PhGraph *body, GHashTable *needed)
{
  if (value == NULL || value->graph != body || !g_hash_table_add (needed, (gpointer) value))
    return;
  if (value->producer == NULL)
    return;
  for (guint i = 0; i < value->producer->inputs->len; i++)
    mark_needed (ph_node_input (value->producer, i), body, needed);
}

static gboolean
has_bodies (const PhGraph *body)
{
  PH_FOREACH_NODE (node, body)
    if (node->graphs != NULL && node->graphs->len > 0 && !ph_node_is_fused (node))
      return TRUE;
  return FALSE;
}

/* Returns a state that is not read after the loop and that no other result depends on. ONNX requires a Loop to have an output, so the last
 * state stays; if nothing is read, the whole Loop is dead. */
static int
dead_state (const PhNode *loop)
{
  PhGraph *body = ph_node_graph (loop, "body");

  if (!ph_loop_is_regular (loop, body) || has_bodies (body) || body->n_nodes > 2000 || loop->outputs->len < 2)
    return -1;
  for (guint k = 0; k + 2 < loop->inputs->len; k++)
    {
      g_autoptr (GHashTable) needed = g_hash_table_new (NULL, NULL);

      if (ph_value_n_uses (ph_node_output (loop, k)) > 0)
        continue;
      for (guint i = 0; i < body->outputs->len; i++)
        if (i != 1 + k)
          mark_needed (g_ptr_array_index (body->outputs, i), body, needed);
      if (!g_hash_table_contains (needed, g_ptr_array_index (body->inputs, 2 + k)))
        return (int) k;
    }
  return -1;
}

static gboolean
has_dead_state (PhMatch *match)
{
  return dead_state (match->root) >= 0;
}

static gboolean
drop_state (PhMatch *match, PhBuilder *b)
{
  PhNode *loop = match->root;
  PhGraph *body = ph_node_graph (loop, "body"), *smaller;
  guint k = dead_state (loop), n_in = loop->inputs->len, n_out = loop->outputs->len;
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_in), **inside = g_new0 (PhValue *, n_in);
  g_autofree PhValue **outputs = g_new0 (PhValue *, n_out + 2), **results = g_new0 (PhValue *, n_out + 1);
  g_autofree const PhType **types = g_new0 (const PhType *, n_out + 1);
  g_autofree const char **names = g_new0 (const char *, n_out + 1);
  PhBuilder in_body = { .name = b->name };
  PhNode *shorter;

  for (guint i = 0, n = 0; i < n_in; i++)
    if (i != 2 + k)
      inputs[n++] = ph_node_input (loop, i);
  for (guint i = 0, n = 0; i < n_out; i++)
    if (i != k)
      {
        types[n] = ph_node_output (loop, i)->type;
        names[n++] = ph_node_output (loop, i)->name;
      }
  shorter = ph_graph_add_node (loop->graph,
                               &(PhNodeSpec) { .op = loop->op,
                                               .op_type = loop->op_type,
                                               .domain = loop->domain,
                                               .name = loop->name,
                                               .inputs = inputs,
                                               .n_inputs = n_in - 1,
                                               .n_outputs = n_out - 1,
                                               .output_names = names,
                                               .output_types = types,
                                               .before = loop,
                                               .role = loop->role,
                                               .partner = loop->partner,
                                               .device = loop->device },
                               &b->error);
  if (shorter == NULL || (smaller = ph_node_add_graph (shorter, "body", body->name, &b->error)) == NULL)
    return FALSE;
  for (guint i = 0; i < n_in; i++)
    {
      const PhValue *input = g_ptr_array_index (body->inputs, i);

      inside[i] = i == 2 + k ? ph_node_input (loop, i)
                             : ph_graph_add_input (smaller, ph_model_unique_name (smaller->model, input->name), input->type, NULL,
                                                   G_MAXUINT, &b->error);
      if (inside[i] == NULL)
        return FALSE;
    }
  in_body.graph = smaller;
  if (!ph_build_copy (&in_body, body, inside, outputs, NULL))
    {
      g_propagate_error (&b->error, in_body.error);
      return FALSE;
    }
  for (guint i = 0, n = 0; i < n_out + 1; i++)
    if (i != 1 + k && !ph_graph_set_output (smaller, n++, outputs[i], &b->error))
      return FALSE;
  for (guint i = 0, n = 0; i < n_out; i++)
    if (i != k)
      results[i] = ph_node_output (shorter, n++);
  /* Removes the nodes that computed the state. */
  for (PhNode *node = smaller->last, *previous; node != NULL && b->error == NULL; node = previous)
    {
      gboolean dead = TRUE;

      previous = node->prev;
      for (guint i = 0; i < node->outputs->len; i++)
        dead &= ph_value_n_uses (ph_node_output (node, i)) == 0;
      if (dead)
        ph_graph_remove_node (node, &b->error);
    }
  return b->error == NULL && ph_node_replace_all (loop, results, b);
}

/* clang-format off */
static const PhRule rules[] = {
  { "invariant-state", .root = &ph_op_Loop, .when = has_invariant_state, .apply = read_initial_value, .becomes = "Loop, reading the initial value",
    .why = "The body returns the state unchanged, so it keeps its value from before the loop." },
  { "dead-state", .root = &ph_op_Loop, .when = has_dead_state, .apply = drop_state, .becomes = "Loop without the state",
    .why = "The state is dead: it is not read after the loop, and only its own next value depends on it." },
};

const PhPass ph_pass_loop_state = {
  .name = "loop-state", .group = "control", .summary = "Removes loop state that never changes or is never read",
  .elsewhere = "XLA while_loop_simplifier; MindSpore unused_parameter",
  .trap = "a dead state looks alive, because its own next value reads it.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
