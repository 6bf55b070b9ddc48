/* loop.h: what the passes over Loops share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/rule.h"

G_BEGIN_DECLS

/* Inputs of a Loop: turns, condition, states. Of its body: turn, condition, states. Outputs of the body: condition, states,
 * what is gathered; of the Loop: states, what is gathered. */

/* The numbers of these agree with each other. @body: (nullable). */
gboolean ph_loop_is_regular (const PhNode *loop, const PhGraph *body);
/* It makes all the turns that its first input says: no condition ends it before. */
gboolean ph_loop_never_breaks (const PhNode *loop, const PhGraph *body);
/* How many turns it makes; -1: not known. */
gint64 ph_loop_turns (const PhNode *loop, const PhGraph *body);

/* A new Loop where @b stands, whose body has its inputs and no more. @states: @n_states values, of @types inside. NULL: see
 * the builder's error. */
PhNode *ph_loop_new (PhBuilder *b, PhValue *turns, PhValue *condition, PhValue *const *states, const PhType *const *types,
                     guint n_states, const PhType *const *output_types, guint n_outputs);

G_END_DECLS
