/* control-states.h: the states with which the iterations of a loop began, kept for its gradient.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/grad.h"

G_BEGIN_DECLS

/* An output of @body more. FALSE: there was an error, or is no value. */
gboolean ph_body_hand_out (PhBuilder *b, PhGraph *body, PhValue *value);
/* A type with one more, unknown, dimension in front: one item for each iteration. (nullable) both */
const PhType *ph_type_stacked (const PhType *type);
/* Item @k of what a loop stacked. */
PhValue *ph_stack_item (PhBuilder *b, PhValue *stack, PhValue *k);

/* The states that the iterations of a replayed loop began with: stacked, or in a sequence where they may vary. A sequence goes
 * round with the states: it comes before what is stacked. */
typedef struct
{
  const PhGraph *from;
  guint first, first_out; /* of the states among the inputs and the outputs of @from               */
  guint n;
  guint n_sequences; /* of the states                                                            */
} PhLoopStates;

PhLoopStates ph_loop_states (const PhGraph *from, guint first, guint first_out, guint n);
/* Adds the sequences, empty yet, to @inputs, and their types to @types. */
void ph_loop_states_add_sequences (const PhLoopStates *states, PhBuilder *b, GPtrArray *inputs, GPtrArray *types);
/* Adds the types of the stacks of the other states to @types. */
void ph_loop_states_add_stacks (const PhLoopStates *states, GPtrArray *types);
/* In the body of the replay: inputs for the sequences, into @sequences (n_sequences of them). */
gboolean ph_loop_states_begin (const PhLoopStates *states, PhGraph *body, PhValue **sequences, GError **error);
/* Hands out the sequences, with @inputs, the states, in them; and the states that are stacked. */
void ph_loop_states_hand_out_sequences (const PhLoopStates *states, PhBuilder *b, PhGraph *body, PhValue *const *sequences,
                                        PhValue *const *inputs);
void ph_loop_states_hand_out (const PhLoopStates *states, PhBuilder *b, PhGraph *body, PhValue *const *inputs);
/* State @i that iteration @k of @replay began with. The sequences are outputs of it from @first_sequence on, the stacks from
 * @first_stack on. */
PhValue *ph_loop_states_at (const PhLoopStates *states, PhBuilder *b, const PhNode *replay, guint first_sequence,
                            guint first_stack, guint i, PhValue *k);

G_END_DECLS
