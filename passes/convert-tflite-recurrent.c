/* convert-tflite-recurrent.c: TensorFlow Lite's LSTM as a Loop: ONNX's LSTM does not clip its cells, as nearly each of them does here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"
#include "passes/loop.h"

/* Operands: the input; four each of weights, recurrent weights, and biases, for the gates input, forget, cell and output. */
enum
{
  WEIGHTS = 1,
  RECURRENT = 5,
  PEEPHOLE = 9,
  BIAS = 12,
  PROJECTION = 16,
  PROJECTION_BIAS,
  OUTPUT_STATE,
  CELL_STATE,
  NORM
};

typedef struct
{
  PhValue *gates, *recurrent, *projection; /* (nullable) the last one */
  gboolean coupled;                        /* the input gate is 1 - the forget gate */
  double cell_clip, projection_clip;
} Lstm;

static PhValue *
clipped (PhConvert *l, PhValue *value, double by)
{
  return by > 0 ? PH_BUILD (l->b, Clip, value, ph_foreign_number (l, value, -by), ph_foreign_number (l, value, by)) : value;
}

static PhValue *
activated (PhConvert *l, PhValue *value)
{
  const gboolean relu = strcmp (ph_node_attr_string (l->node, "fused_activation_function", "TANH"), "RELU") == 0;

  return relu ? PH_BUILD (l->b, Relu, value) : PH_BUILD (l->b, Tanh, value);
}

/* Joins operands @first + 0 to 3 along their first axis. */
static PhValue *
joined (PhConvert *l, guint first, gboolean coupled)
{
  const guint from = coupled ? 1 : 0;

  return ph_build_node (l->b, &ph_op_Concat, l->in + first + from, 4 - from, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
}

/* One step, from the states in @states to those after it. */
static gboolean
step (PhConvert *l, const Lstm *lstm, PhValue *turn, PhValue **states)
{
  const guint n = lstm->coupled ? 3 : 4;
  PhValue *now = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), lstm->gates, turn), *gates[4] = { NULL };
  PhValue *sum = PH_BUILD (l->b, Add, now, PH_BUILD (l->b, MatMul, states[0], lstm->recurrent)), *split, *forget, *input;

  split = ph_build_node (l->b, &ph_op_Split, &sum, 1, PH_ATTRS (ph_attr_new_int ("axis", 1), ph_attr_new_int ("num_outputs", n)),
                         n);
  if (split == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    gates[4 - n + i] = ph_node_output (split->producer, i);
  forget = PH_BUILD (l->b, Sigmoid, gates[1]);
  input = lstm->coupled ? PH_BUILD (l->b, Sub, ph_foreign_number (l, forget, 1), forget) : PH_BUILD (l->b, Sigmoid, gates[0]);
  states[1] = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, forget, states[1]), PH_BUILD (l->b, Mul, input, activated (l, gates[2])));
  states[1] = clipped (l, states[1], lstm->cell_clip);
  states[0] = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sigmoid, gates[3]), activated (l, states[1]));
  if (lstm->projection != NULL)
    states[0] = PH_BUILD (l->b, MatMul, states[0], lstm->projection);
  if (lstm->projection != NULL && l->in[PROJECTION_BIAS] != NULL)
    states[0] = PH_BUILD (l->b, Add, states[0], l->in[PROJECTION_BIAS]);
  if (lstm->projection != NULL)
    states[0] = clipped (l, states[0], lstm->projection_clip);
  return states[0] != NULL && l->b->error == NULL;
}

static gboolean
read_lstm (PhConvert *l, Lstm *lstm)
{
  const char *activation = ph_node_attr_string (l->node, "fused_activation_function", "TANH");

  if (l->n_in <= CELL_STATE || l->in[0] == NULL || ph_value_rank (l->in[0]) != 3 || l->in[OUTPUT_STATE] == NULL
      || l->in[CELL_STATE] == NULL || l->in[OUTPUT_STATE]->type == NULL || l->in[CELL_STATE]->type == NULL)
    return ph_convert_stay (l, "its input, its weights or its states are missing");
  lstm->coupled = l->in[WEIGHTS] == NULL;
  for (guint i = lstm->coupled ? 1 : 0; i < 4; i++)
    if (l->in[WEIGHTS + i] == NULL || l->in[RECURRENT + i] == NULL || l->in[BIAS + i] == NULL)
      return ph_convert_stay (l, "its input, its weights or its states are missing");
  for (guint i = PEEPHOLE; i < BIAS; i++)
    if (l->in[i] != NULL)
      return ph_convert_stay (l, "its gates read its cells");
  for (guint i = NORM; i < l->n_in; i++)
    if (l->in[i] != NULL)
      return ph_convert_stay (l, "its gates are normalised");
  if ((strcmp (activation, "TANH") != 0 && strcmp (activation, "RELU") != 0)
      || ph_node_attr_int (l->node, "diagonal_recurrent_tensors", 0) != 0)
    return ph_convert_stay (l, "its activation is %s, or its recurrent weights are diagonals", activation);
  lstm->cell_clip = ph_foreign_attr_number (l, "cell_clip", 0);
  lstm->projection_clip = ph_foreign_attr_number (l, "proj_clip", 0);
  return TRUE;
}

/* Returns the type of what is gathered of @state, one for each first element of @x. */
static const PhType *
steps_of (const PhValue *x, const PhType *state)
{
  PhDim dims[PH_MAX_RANK];

  if (x == NULL || !state->has_rank || state->rank + 1 > PH_MAX_RANK)
    return NULL;
  dims[0] = x->type != NULL && x->type->has_rank ? x->type->dims[0] : PH_DIM_UNKNOWN;
  for (guint i = 0; i < state->rank; i++)
    dims[1 + i] = state->dims[i];
  return ph_type_tensor (state->dtype, state->rank + 1, dims);
}

gboolean
ph_tflite_lstm (PhConvert *l, PhValue **out)
{
  static const gint64 swap[] = { 1, 0 }, batch_second[] = { 1, 0, 2 };
  const gboolean time_major = ph_node_attr_int (l->node, "time_major", 0) != 0;
  PhBuilder in_body = { .name = l->b->name }, *outside = l->b;
  PhValue *x, *states[2], *turns, *go_on;
  const PhType *types[3] = { NULL };
  Lstm lstm = { NULL };
  PhNode *loop;
  PhGraph *body;

  if (!read_lstm (l, &lstm))
    return FALSE;
  x = time_major ? l->in[0] : ph_convert_transpose (l, l->in[0], batch_second, 3);
  lstm.gates = PH_BUILD (l->b, Add,
                         PH_BUILD (l->b, MatMul, x, ph_convert_transpose (l, joined (l, WEIGHTS, lstm.coupled), swap, 2)),
                         joined (l, BIAS, lstm.coupled));
  lstm.recurrent = ph_convert_transpose (l, joined (l, RECURRENT, lstm.coupled), swap, 2);
  lstm.projection = l->in[PROJECTION] != NULL ? ph_convert_transpose (l, l->in[PROJECTION], swap, 2) : NULL;
  turns = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), PH_BUILD (l->b, Shape, x),
                         ph_convert_number (l, PH_INT64, 0));
  for (guint i = 0; i < 2; i++)
    types[i] = (states[i] = l->in[OUTPUT_STATE + i])->type;
  types[2] = steps_of (x, types[0]);
  loop = ph_loop_new (l->b, turns, NULL, states, types, 2, types, 3);
  if (loop == NULL)
    return FALSE;
  in_body.graph = body = ph_node_graph (loop, "body");
  l->b = &in_body;
  for (guint i = 0; i < 2; i++)
    states[i] = body->inputs->pdata[2 + i];
  go_on = PH_BUILD (l->b, Identity, (PhValue *) body->inputs->pdata[1]);
  if (step (l, &lstm, body->inputs->pdata[0], states))
    {
      ph_graph_set_output (body, 0, go_on, &in_body.error);
      for (guint i = 0; i < 3 && in_body.error == NULL; i++)
        ph_graph_set_output (body, 1 + i, i < 2 ? states[i] : PH_BUILD (l->b, Identity, states[0]), &in_body.error);
    }
  l->b = outside;
  if (in_body.error != NULL)
    {
      g_propagate_error (&l->b->error, in_body.error);
      return FALSE;
    }
  out[0] = time_major ? ph_node_output (loop, 2) : ph_convert_transpose (l, ph_node_output (loop, 2), batch_second, 3);
  return out[0] != NULL;
}
