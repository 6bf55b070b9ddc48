/* loop.c: helpers of the passes over Loops.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/loop.h"

gboolean
ph_loop_is_regular (const PhNode *loop, const PhGraph *body)
{
  return body != NULL && loop->inputs->len >= 2 && body->inputs->len == loop->inputs->len
         && body->outputs->len == loop->outputs->len + 1 && loop->outputs->len + 2 >= loop->inputs->len;
}

/* Returns TRUE for a constant of one element. */
static gboolean
is_constant (const PhValue *value, gboolean wanted)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  return tensor != NULL && ph_tensor_count (tensor) == 1 && (ph_tensor_get_int (tensor, 0) != 0) == wanted;
}

/* Returns TRUE if the condition after an iteration is a constant, the incoming condition, or a copy of either. */
static gboolean
goes_on (const PhNode *loop, const PhGraph *body)
{
  const PhValue *value = g_ptr_array_index (body->outputs, 0);

  while (value->producer != NULL && value->producer->op == &ph_op_Identity)
    value = ph_node_input (value->producer, 0);
  if (value == g_ptr_array_index (body->inputs, 1))
    return ph_node_input (loop, 1) == NULL || is_constant (ph_node_input (loop, 1), TRUE);
  return is_constant (value, TRUE);
}

gboolean
ph_loop_never_breaks (const PhNode *loop, const PhGraph *body)
{
  return (ph_node_input (loop, 1) == NULL || is_constant (ph_node_input (loop, 1), TRUE)) && goes_on (loop, body);
}

gint64
ph_loop_turns (const PhNode *loop, const PhGraph *body)
{
  PhTensor *tensor = ph_node_input (loop, 0) != NULL ? ph_value_constant (ph_node_input (loop, 0)) : NULL;

  if (is_constant (ph_node_input (loop, 1), FALSE))
    return 0;
  if (tensor == NULL || ph_tensor_count (tensor) != 1)
    return -1;
  if (ph_tensor_get_int (tensor, 0) <= 0)
    return 0;
  return ph_loop_never_breaks (loop, body) ? ph_tensor_get_int (tensor, 0) : -1;
}

PhNode *
ph_loop_new (PhBuilder *b, PhValue *turns, PhValue *condition, PhValue *const *states, const PhType *const *types, guint n_states,
             const PhType *const *output_types, guint n_outputs)
{
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_states + 2);
  PhModel *model = b->graph->model;
  PhNode *loop;
  PhGraph *body;

  if (b->error != NULL)
    return NULL;
  inputs[0] = turns;
  inputs[1] = condition;
  for (guint i = 0; i < n_states; i++)
    inputs[2 + i] = states[i];
  loop = ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op = &ph_op_Loop,
                                            .inputs = inputs,
                                            .n_inputs = n_states + 2,
                                            .n_outputs = n_outputs,
                                            .output_types = output_types,
                                            .before = b->before,
                                            .role = b->role,
                                            .partner = b->partner,
                                            .device = b->device },
                            &b->error);
  if (loop == NULL || (body = ph_node_add_graph (loop, "body", "body", &b->error)) == NULL)
    return NULL;
  ph_graph_add_input (body, ph_model_unique_name (model, "turn"), ph_type_static (PH_INT64, 0, NULL), NULL, G_MAXUINT, &b->error);
  if (b->error == NULL)
    ph_graph_add_input (body, ph_model_unique_name (model, "go_on"), ph_type_static (PH_BOOL, 0, NULL), NULL, G_MAXUINT,
                        &b->error);
  for (guint i = 0; i < n_states && b->error == NULL; i++)
    ph_graph_add_input (body, ph_model_unique_name (model, states[i]->name), types[i], NULL, G_MAXUINT, &b->error);
  return b->error == NULL ? loop : NULL;
}
