/* control-states.c: the states at the beginning of each iteration of a loop, recorded for its gradient.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/control-states.h"

/* Adds an output to a body. Outputs must be distinct and computed in the body: others go through an Identity. */
gboolean
ph_body_hand_out (PhBuilder *b, PhGraph *body, PhValue *value)
{
  if (value == NULL || b->error != NULL)
    return FALSE;
  if (value->graph != body || value->producer == NULL || ph_value_is_output (value))
    value = PH_BUILD (b, Identity, value);
  return value != NULL && ph_graph_set_output (body, body->outputs->len, value, &b->error);
}

/* Returns the type with one more, unknown, dimension in front, for the iterations. */
const PhType *
ph_type_stacked (const PhType *type)
{
  PhDim dims[PH_MAX_RANK];

  if (type == NULL)
    return NULL;
  if (!type->has_rank || type->rank + 1 > PH_MAX_RANK)
    return ph_type_unranked (type->dtype);
  dims[0] = PH_DIM_UNKNOWN;
  for (guint i = 0; i < type->rank; i++)
    dims[i + 1] = type->dims[i];
  return ph_type_tensor (type->dtype, type->rank + 1, dims);
}

/* Returns item @k of a stack made by the forward loop. */
PhValue *
ph_stack_item (PhBuilder *b, PhValue *stack, PhValue *k)
{
  return PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), stack, k);
}

static const PhValue *
nth_state (const PhLoopStates *states, guint i)
{
  return states->from->inputs->pdata[states->first + i];
}

/* Returns TRUE if state @i may change its shape between iterations: such states cannot be stacked. */
static gboolean
may_vary (const PhLoopStates *states, guint i)
{
  const PhType *in = nth_state (states, i)->type, *out = ((PhValue *) states->from->outputs->pdata[states->first_out + i])->type;

  if (in == NULL || out == NULL || !in->has_rank || !out->has_rank || in->rank != out->rank)
    return TRUE;
  for (guint d = 0; d < in->rank; d++)
    if ((!ph_dim_known (in->dims[d]) && in->dims[d].symbol == NULL) || !ph_dim_equal (in->dims[d], out->dims[d]))
      return TRUE;
  return FALSE;
}

PhLoopStates
ph_loop_states (const PhGraph *from, guint first, guint first_out, guint n)
{
  PhLoopStates states = { from, first, first_out, n, 0 };

  for (guint i = 0; i < n; i++)
    states.n_sequences += may_vary (&states, i);
  return states;
}

/* Adds the sequences, empty yet, to @inputs, and their types to @types. */
void
ph_loop_states_add_sequences (const PhLoopStates *states, PhBuilder *b, GPtrArray *inputs, GPtrArray *types)
{
  for (guint i = 0; i < states->n; i++)
    {
      const PhType *type = nth_state (states, i)->type;
      const PhDType dtype = type != NULL ? type->dtype : PH_FLOAT;

      if (!may_vary (states, i))
        continue;
      g_ptr_array_add (inputs, ph_build_node (b, &ph_op_SequenceEmpty, NULL, 0, PH_ATTRS (ph_attr_new_int ("dtype", dtype)), 1));
      g_ptr_array_add (types, (gpointer) ph_type_sequence (PH_KIND_SEQUENCE, type != NULL ? type : ph_type_unranked (dtype)));
    }
}

/* Adds inputs for the sequences to the body of the replay, and stores them in @sequences. */
gboolean
ph_loop_states_begin (const PhLoopStates *states, PhGraph *body, PhValue **sequences, GError **error)
{
  for (guint i = 0, n = 0; i < states->n; i++)
    if (may_vary (states, i))
      {
        const PhType *type = nth_state (states, i)->type;

        sequences[n] = ph_graph_add_input (body, "states",
                                           ph_type_sequence (PH_KIND_SEQUENCE, type != NULL ? type : ph_type_unranked (PH_FLOAT)),
                                           NULL, G_MAXUINT, error);
        if (sequences[n++] == NULL)
          return FALSE;
      }
  return TRUE;
}

void
ph_loop_states_hand_out_sequences (const PhLoopStates *states, PhBuilder *b, PhGraph *body, PhValue *const *sequences,
                                   PhValue *const *inputs)
{
  for (guint i = 0, n = 0; i < states->n; i++)
    if (may_vary (states, i))
      ph_body_hand_out (b, body, PH_BUILD (b, SequenceInsert, sequences[n++], inputs[i]));
}

/* Appends the types of the stacks of the other states to @types. */
void
ph_loop_states_add_stacks (const PhLoopStates *states, GPtrArray *types)
{
  for (guint i = 0; i < states->n; i++)
    if (!may_vary (states, i))
      g_ptr_array_add (types, (gpointer) ph_type_stacked (nth_state (states, i)->type));
}

void
ph_loop_states_hand_out (const PhLoopStates *states, PhBuilder *b, PhGraph *body, PhValue *const *inputs)
{
  for (guint i = 0; i < states->n; i++)
    if (!may_vary (states, i))
      ph_body_hand_out (b, body, inputs[i]);
}

/* Returns state @i at the beginning of iteration @k of @replay, whose outputs from @first_sequence on are sequences and from @first_stack
 * on are stacks. */
PhValue *
ph_loop_states_at (const PhLoopStates *states, PhBuilder *b, const PhNode *replay, guint first_sequence, guint first_stack,
                   guint i, PhValue *k)
{
  guint n_sequences = 0;

  for (guint n = 0; n < i; n++)
    n_sequences += may_vary (states, n);
  if (may_vary (states, i))
    return PH_BUILD (b, SequenceAt, ph_node_output (replay, first_sequence + n_sequences), k);
  return ph_stack_item (b, ph_node_output (replay, first_stack + i - n_sequences), k);
}
