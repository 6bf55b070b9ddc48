/* control-grad.c: gradients of If, Loop and Scan, by running the bodies again and differentiating inside.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/control-grad.h"

#include "core/ops/copy.h"
#include "core/ops/onnx/control-states.h"

/* Returns the gradient of @value on @tape, or zeros. */
static PhValue *
gradient_or_zeros (PhTape *tape, PhBuilder *b, PhValue *value)
{
  PhValue *gradient = ph_tape_gradient (tape, b, value);
  return gradient != NULL || b->error != NULL ? gradient : ph_build_zeros_like (b, value);
}

static PhNode *
add_node (PhGrad *grad, const PhOp *op, PhValue **inputs, guint n_inputs, const PhType *const *types, guint n_outputs)
{
  PhBuilder *b = grad->b;

  if (b->error != NULL)
    return NULL;
  g_autofree const char **names = g_new0 (const char *, n_outputs + 1);
  for (guint i = 0; i < n_outputs; i++)
    names[i] = b->name;
  return ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op = op,
                                            .inputs = inputs,
                                            .n_inputs = n_inputs,
                                            .n_outputs = n_outputs,
                                            .output_names = names,
                                            .output_types = types,
                                            .before = b->before,
                                            .role = b->role,
                                            .partner = b->partner,
                                            .device = b->device },
                            &b->error);
}

/* ── If ─────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Builds one branch of the backward If: a copy of the forward branch, then its gradient. The gradient of a value that only the other branch
 * uses is zero here. */
static gboolean
build_branch (PhGrad *grad, PhNode *backward, const char *attr, GError **error)
{
  PhGraph *from = ph_node_graph (grad->node, attr);
  PhGraph *body = ph_node_add_graph (backward, attr, NULL, error);
  g_autofree PhValue **outputs = NULL;
  g_autoptr (PhTape) tape = NULL;
  PhBuilder b = *grad->b;

  if (body == NULL || from == NULL)
    return FALSE;
  b.graph = body;
  b.before = NULL;
  outputs = g_new0 (PhValue *, from->outputs->len + 1);
  tape = ph_tape_new (body);
  if (ph_build_copy (&b, from, NULL, outputs, NULL))
    {
      for (guint i = 0; i < grad->captures->len; i++)
        ph_tape_watch (tape, grad->captures->pdata[i]);
      for (guint i = 0; i < from->outputs->len; i++)
        if (grad->dy[i] != NULL)
          ph_tape_seed (tape, outputs[i], grad->dy[i]);
      if (!ph_tape_run (tape, &b, NULL, error))
        {
          g_clear_error (&b.error);
          return FALSE;
        }
      for (guint i = 0; i < grad->captures->len; i++)
        ph_body_hand_out (&b, body, gradient_or_zeros (tape, &b, grad->captures->pdata[i]));
    }
  return ph_builder_finish (&b, error);
}

gboolean
ph_grad_if (PhGrad *grad, GError **error)
{
  guint n = grad->captures->len;
  g_autofree const PhType **types = g_new (const PhType *, n + 1);
  PhValue *condition = ph_grad_in (grad, 0);
  PhNode *backward;

  for (guint i = 0; i < n; i++)
    types[i] = ((PhValue *) grad->captures->pdata[i])->type;
  backward = add_node (grad, &ph_op_If, &condition, 1, types, n);
  if (backward == NULL || !build_branch (grad, backward, "then_branch", error)
      || !build_branch (grad, backward, "else_branch", error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    grad->dcaptures[i] = ph_node_output (backward, i);
  return TRUE;
}

/* ── Loop ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Repeats the forward loop with further outputs for each iteration: its number and the state that it began with. Outputs: the states of the
 * forward loop, sequences of states, its stacks, the numbers, stacks of states. */
static PhNode *
build_replay (PhGrad *grad, const PhLoopStates *states, GError **error)
{
  PhNode *forward = grad->node;
  PhGraph *from = ph_node_graph (forward, "body"), *body;
  guint n_in = from->inputs->len, n_out = forward->outputs->len, n_state = states->n;
  g_autoptr (GPtrArray) replayed = g_ptr_array_new (), types = g_ptr_array_new ();
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_in + 1), **outputs = g_new0 (PhValue *, from->outputs->len + 1);
  g_autofree PhValue **sequences = g_new0 (PhValue *, states->n_sequences + 1);
  PhBuilder b = *grad->b;
  PhNode *replay;

  for (guint i = 0; i < forward->inputs->len; i++)
    g_ptr_array_add (replayed, ph_grad_in (grad, i));
  for (guint i = 0; i < n_state; i++)
    g_ptr_array_add (types, (gpointer) ph_node_output (forward, i)->type);
  ph_loop_states_add_sequences (states, grad->b, replayed, types);
  for (guint i = n_state; i < n_out; i++)
    g_ptr_array_add (types, (gpointer) ph_node_output (forward, i)->type);
  g_ptr_array_add (types, (gpointer) ph_type_stacked (ph_type_static (PH_INT64, 0, NULL)));
  ph_loop_states_add_stacks (states, types);
  replay = add_node (grad, &ph_op_Loop, (PhValue **) replayed->pdata, replayed->len, (const PhType **) types->pdata, types->len);
  body = replay != NULL ? ph_node_add_graph (replay, "body", NULL, error) : NULL;
  if (body == NULL)
    return NULL;
  b.graph = body;
  b.before = NULL;
  for (guint i = 0; i < n_in; i++)
    {
      const PhValue *input = from->inputs->pdata[i];
      inputs[i] = ph_graph_add_input (body, input->name, input->type, NULL, G_MAXUINT, error);
      if (inputs[i] == NULL)
        return NULL;
    }
  if (!ph_loop_states_begin (states, body, sequences, error))
    return NULL;
  ph_build_copy (&b, from, inputs, outputs, NULL);
  for (guint i = 0; i <= n_state; i++)
    ph_body_hand_out (&b, body, outputs[i]);
  ph_loop_states_hand_out_sequences (states, &b, body, sequences, inputs + 2);
  for (guint i = n_state + 1; i <= n_out; i++)
    ph_body_hand_out (&b, body, outputs[i]);
  ph_body_hand_out (&b, body, inputs[0]);
  ph_loop_states_hand_out (states, &b, body, inputs + 2);
  return ph_builder_finish (&b, error) ? replay : NULL;
}

typedef struct
{
  PhGrad *grad;
  PhGraph *from; /* the forward body                                                   */
  PhNode *replay, *backward;
  guint n_state, n_scan; /* of the forward body: inputs after two, outputs past the state      */
  PhLoopStates states;
  GArray *carried; /* (element-type guint) states that have a gradient                   */
  PhValue *trips;  /* int64 scalar: how often the forward loop ran                       */
} LoopGrad;

static gboolean
fill_backward_body (LoopGrad *loop, GError **error)
{
  PhGrad *grad = loop->grad;
  PhGraph *from = loop->from, *body = ph_node_add_graph (loop->backward, "body", NULL, error);
  guint n_forward = grad->node->outputs->len, n_captures = grad->captures->len;
  g_autofree PhValue **inputs = g_new0 (PhValue *, from->inputs->len + 1);
  g_autofree PhValue **outputs = g_new0 (PhValue *, from->outputs->len + 1);
  g_autofree PhValue **dstate = g_new0 (PhValue *, loop->carried->len + 1), **dcapture = g_new0 (PhValue *, n_captures + 1);
  g_autoptr (PhTape) tape = NULL;
  PhBuilder b = *grad->b;
  PhValue *i, *condition, *k;

  if (body == NULL)
    return FALSE;
  b.graph = body;
  b.before = NULL;
  i = ph_graph_add_input (body, "i", ph_type_static (PH_INT64, 0, NULL), NULL, G_MAXUINT, error);
  condition = ph_graph_add_input (body, "go", ph_type_static (PH_BOOL, 0, NULL), NULL, G_MAXUINT, error);
  for (guint n = 0; n < loop->carried->len; n++)
    {
      const PhValue *state = from->inputs->pdata[2 + g_array_index (loop->carried, guint, n)];
      dstate[n] = ph_graph_add_input (body, "dstate", state->type, NULL, G_MAXUINT, error);
    }
  for (guint n = 0; n < n_captures; n++)
    dcapture[n] = ph_graph_add_input (body, "dsum", ((PhValue *) grad->captures->pdata[n])->type, NULL, G_MAXUINT, error);

  /* The forward iteration k = trips - 1 - i, from the state that it began with. */
  k = PH_BUILD (&b, Sub, PH_BUILD (&b, Sub, loop->trips, i), ph_build_scalar (&b, PH_INT64, 1));
  inputs[0] = k;
  inputs[1] = condition;
  for (guint n = 0; n < loop->n_state; n++)
    inputs[2 + n] = ph_loop_states_at (&loop->states, &b, loop->replay, loop->n_state, n_forward + loop->states.n_sequences + 1,
                                       n, k);
  tape = ph_tape_new (body);
  if (b.error == NULL && ph_build_copy (&b, from, inputs, outputs, NULL))
    {
      for (guint n = 0; n < loop->carried->len; n++)
        ph_tape_watch (tape, inputs[2 + g_array_index (loop->carried, guint, n)]);
      for (guint n = 0; n < n_captures; n++)
        ph_tape_watch (tape, grad->captures->pdata[n]);
      for (guint n = 0; n < loop->carried->len; n++)
        ph_tape_seed (tape, outputs[1 + g_array_index (loop->carried, guint, n)], dstate[n]);
      for (guint n = 0; n < loop->n_scan && b.error == NULL; n++)
        if (grad->dy[loop->n_state + n] != NULL)
          ph_tape_seed (tape, outputs[1 + loop->n_state + n], ph_stack_item (&b, grad->dy[loop->n_state + n], k));
    }
  if (b.error == NULL && !ph_tape_run (tape, &b, NULL, error))
    {
      g_clear_error (&b.error);
      return FALSE;
    }
  ph_body_hand_out (&b, body, condition);
  for (guint n = 0; n < loop->carried->len; n++)
    ph_body_hand_out (&b, body, gradient_or_zeros (tape, &b, inputs[2 + g_array_index (loop->carried, guint, n)]));
  for (guint n = 0; n < n_captures; n++)
    {
      PhValue *part = ph_tape_gradient (tape, &b, grad->captures->pdata[n]);
      ph_body_hand_out (&b, body, part != NULL ? PH_BUILD (&b, Add, dcapture[n], part) : dcapture[n]);
    }
  return ph_builder_finish (&b, error);
}

gboolean
ph_grad_loop (PhGrad *grad, GError **error)
{
  PhGraph *from = ph_node_graph (grad->node, "body");
  g_autoptr (GArray) carried = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autofree const PhType **types = NULL;
  guint n_captures = grad->captures->len;
  LoopGrad loop = { .grad = grad, .from = from, .carried = carried, .n_state = from->inputs->len - 2 };

  loop.n_scan = from->outputs->len - 1 - loop.n_state;
  for (guint i = 0; i < loop.n_state; i++)
    {
      const PhValue *state = from->inputs->pdata[2 + i];

      if (state->type != NULL && state->type->kind != PH_KIND_TENSOR)
        {
          g_autofree char *label = ph_node_label (grad->node);
          g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                       "%s has no gradient: it carries a sequence ('%s') from one iteration to the next", label, state->name);
          return FALSE;
        }
      if (ph_value_has_gradient (ph_node_output (grad->node, i)))
        g_array_append_val (carried, i);
    }
  loop.states = ph_loop_states (from, 2, 1, loop.n_state);
  loop.replay = build_replay (grad, &loop.states, error);
  if (loop.replay == NULL)
    return FALSE;
  loop.trips = PH_BUILD (grad->b, Size, ph_node_output (loop.replay, grad->node->outputs->len + loop.states.n_sequences));

  types = g_new0 (const PhType *, carried->len + n_captures + 1);
  g_ptr_array_add (inputs, loop.trips);
  g_ptr_array_add (inputs, NULL);
  for (guint i = 0; i < carried->len; i++)
    {
      guint state = g_array_index (carried, guint, i);
      PhValue *last = ph_node_output (grad->node, state);

      g_ptr_array_add (inputs, grad->dy[state] != NULL ? grad->dy[state] : ph_grad_zeros_like (grad, last));
      types[i] = ph_grad_in (grad, 2 + state)->type;
    }
  for (guint i = 0; i < n_captures; i++)
    {
      g_ptr_array_add (inputs, ph_grad_zeros_like (grad, grad->captures->pdata[i]));
      types[carried->len + i] = ((PhValue *) grad->captures->pdata[i])->type;
    }
  loop.backward = add_node (grad, &ph_op_Loop, (PhValue **) inputs->pdata, inputs->len, types, carried->len + n_captures);
  if (loop.backward == NULL || !fill_backward_body (&loop, error))
    return FALSE;

  for (guint i = 0; i < carried->len; i++)
    grad->dx[2 + g_array_index (carried, guint, i)] = ph_node_output (loop.backward, i);
  for (guint i = 0; i < n_captures; i++)
    grad->dcaptures[i] = ph_node_output (loop.backward, carried->len + i);
  return TRUE;
}

/* ── Scan ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

#define PH_MAX_SCANNED 32

/* The gradient of a Scan: a Loop replays the scan and records the states, and a second Loop runs backwards and returns the gradient of one
 * slice of each scanned input per iteration. */
typedef struct
{
  PhGrad *grad;
  PhGraph *from;
  guint n_state, n_scan_in, n_scan_out;
  PhLoopStates states;
  PhValue *scanned[PH_MAX_SCANNED];
  PhValue *trips;
  PhNode *replay, *backward;
} ScanGrad;

static gint64
nth_attr (const PhNode *node, const char *name, guint i)
{
  gsize n;
  const gint64 *values = ph_node_attr_ints (node, name, &n);
  return i < n ? values[i] : 0;
}

/* Returns the slice of @value that iteration @k of the scan reads, along the axis and in the direction of the attributes. */
static PhValue *
slice_at (ScanGrad *scan, PhBuilder *b, PhValue *value, PhValue *k, const char *axes, const char *directions, guint i)
{
  if (nth_attr (scan->grad->node, directions, i) != 0)
    k = PH_BUILD (b, Sub, PH_BUILD (b, Sub, scan->trips, ph_build_scalar (b, PH_INT64, 1)), k);
  return PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", nth_attr (scan->grad->node, axes, i))), value, k);
}

static gboolean
fill_scan_replay (ScanGrad *scan, GError **error)
{
  PhGraph *from = scan->from, *body = ph_node_add_graph (scan->replay, "body", NULL, error);
  g_autofree PhValue **inputs = g_new0 (PhValue *, from->inputs->len + 1);
  g_autofree PhValue **outputs = g_new0 (PhValue *, from->outputs->len + 1);
  g_autofree PhValue **sequences = g_new0 (PhValue *, scan->states.n_sequences + 1);
  PhBuilder b = *scan->grad->b;
  PhValue *k, *go;

  if (body == NULL)
    return FALSE;
  b.graph = body;
  b.before = NULL;
  k = ph_graph_add_input (body, "k", ph_type_static (PH_INT64, 0, NULL), NULL, G_MAXUINT, error);
  go = ph_graph_add_input (body, "go", ph_type_static (PH_BOOL, 0, NULL), NULL, G_MAXUINT, error);
  for (guint i = 0; i < scan->n_state; i++)
    {
      const PhValue *state = from->inputs->pdata[i];
      inputs[i] = ph_graph_add_input (body, state->name, state->type, NULL, G_MAXUINT, error);
    }
  if (!ph_loop_states_begin (&scan->states, body, sequences, error))
    return FALSE;
  for (guint i = 0; i < scan->n_scan_in; i++)
    inputs[scan->n_state + i] = slice_at (scan, &b, ph_grad_in (scan->grad, scan->n_state + i), k, "scan_input_axes",
                                          "scan_input_directions", i);
  if (b.error == NULL)
    ph_build_copy (&b, from, inputs, outputs, NULL);
  ph_body_hand_out (&b, body, go);
  for (guint i = 0; i < scan->n_state; i++)
    ph_body_hand_out (&b, body, outputs[i]);
  ph_loop_states_hand_out_sequences (&scan->states, &b, body, sequences, inputs);
  ph_loop_states_hand_out (&scan->states, &b, body, inputs);
  return ph_builder_finish (&b, error);
}

static gboolean
fill_scan_backward (ScanGrad *scan, GError **error)
{
  PhGrad *grad = scan->grad;
  PhGraph *from = scan->from, *body = ph_node_add_graph (scan->backward, "body", NULL, error);
  guint n_in = from->inputs->len, n_captures = grad->captures->len;
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_in + 1), **outputs = g_new0 (PhValue *, from->outputs->len + 1);
  g_autofree PhValue **dstate = g_new0 (PhValue *, scan->n_state + 1), **dcapture = g_new0 (PhValue *, n_captures + 1);
  g_autoptr (PhTape) tape = ph_tape_new (body != NULL ? body : from);
  PhBuilder b = *grad->b;
  PhValue *i, *go, *k;

  if (body == NULL)
    return FALSE;
  b.graph = body;
  b.before = NULL;
  i = ph_graph_add_input (body, "i", ph_type_static (PH_INT64, 0, NULL), NULL, G_MAXUINT, error);
  go = ph_graph_add_input (body, "go", ph_type_static (PH_BOOL, 0, NULL), NULL, G_MAXUINT, error);
  for (guint n = 0; n < scan->n_state; n++)
    dstate[n] = ph_graph_add_input (body, "dstate", ph_grad_in (grad, n)->type, NULL, G_MAXUINT, error);
  for (guint n = 0; n < n_captures; n++)
    dcapture[n] = ph_graph_add_input (body, "dsum", ((PhValue *) grad->captures->pdata[n])->type, NULL, G_MAXUINT, error);
  k = PH_BUILD (&b, Sub, PH_BUILD (&b, Sub, scan->trips, i), ph_build_scalar (&b, PH_INT64, 1));
  for (guint n = 0; n < scan->n_state; n++)
    inputs[n] = ph_loop_states_at (&scan->states, &b, scan->replay, scan->n_state, scan->n_state + scan->states.n_sequences, n,
                                   k);
  for (guint n = 0; n < scan->n_scan_in; n++)
    inputs[scan->n_state + n] = slice_at (scan, &b, scan->scanned[n], k, "scan_input_axes", "scan_input_directions", n);
  if (b.error == NULL && ph_build_copy (&b, from, inputs, outputs, NULL))
    {
      for (guint n = 0; n < n_in; n++)
        ph_tape_watch (tape, inputs[n]);
      for (guint n = 0; n < n_captures; n++)
        ph_tape_watch (tape, grad->captures->pdata[n]);
      for (guint n = 0; n < scan->n_state; n++)
        if (ph_value_has_gradient (ph_grad_in (grad, n)))
          ph_tape_seed (tape, outputs[n], dstate[n]);
      for (guint n = 0; n < scan->n_scan_out; n++)
        if (grad->dy[scan->n_state + n] != NULL)
          ph_tape_seed (tape, outputs[scan->n_state + n],
                        slice_at (scan, &b, grad->dy[scan->n_state + n], k, "scan_output_axes", "scan_output_directions", n));
    }
  if (b.error == NULL && !ph_tape_run (tape, &b, NULL, error))
    {
      g_clear_error (&b.error);
      return FALSE;
    }
  ph_body_hand_out (&b, body, go);
  for (guint n = 0; n < scan->n_state; n++)
    ph_body_hand_out (&b, body,
                      ph_value_has_gradient (ph_grad_in (grad, n)) ? gradient_or_zeros (tape, &b, inputs[n]) : dstate[n]);
  for (guint n = 0; n < n_captures; n++)
    {
      PhValue *part = ph_tape_gradient (tape, &b, grad->captures->pdata[n]);
      ph_body_hand_out (&b, body, part != NULL ? PH_BUILD (&b, Add, dcapture[n], part) : dcapture[n]);
    }
  for (guint n = 0; n < scan->n_scan_in; n++)
    if (grad->wanted[scan->n_state + n])
      ph_body_hand_out (&b, body, gradient_or_zeros (tape, &b, inputs[scan->n_state + n]));
  return ph_builder_finish (&b, error);
}

/* Restores the order, axis and direction of the slices that the backward loop stacked, last one first. */
static PhValue *
unscan (ScanGrad *scan, PhValue *stack, guint i, GError **error)
{
  PhBuilder *b = scan->grad->b;
  const PhValue *input = ph_grad_in (scan->grad, scan->n_state + i);
  gint64 axis = nth_attr (scan->grad->node, "scan_input_axes", i), perm[PH_MAX_RANK];
  const gint64 last = -1, far = G_MININT64 + 1, zero = 0;
  guint rank = input->type != NULL && input->type->has_rank ? input->type->rank : 0;

  if (nth_attr (scan->grad->node, "scan_input_directions", i) == 0)
    stack = PH_BUILD (b, Slice, stack, ph_build_ints (b, &last, 1), ph_build_ints (b, &far, 1), ph_build_ints (b, &zero, 1),
                      ph_build_ints (b, &last, 1));
  if (axis == 0)
    return stack;
  if (rank == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "the gradient of Scan needs the rank of '%s', which is scanned along axis %" G_GINT64_FORMAT, input->name,
                   axis);
      return NULL;
    }
  axis += axis < 0 ? rank : 0;
  for (gint64 d = 0; d < rank; d++)
    perm[d] = d < axis ? d + 1 : d == axis ? 0 : d;
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), stack);
}

gboolean
ph_grad_scan (PhGrad *grad, GError **error)
{
  PhNode *node = grad->node;
  PhBuilder *b = grad->b;
  PhGraph *from = ph_node_graph (node, "body");
  guint n_captures = grad->captures->len, n_wanted = 0, at;
  ScanGrad scan = { .grad = grad, .from = from };
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), types = g_ptr_array_new ();
  PhValue *first;

  scan.n_scan_in = (guint) ph_node_attr_int (node, "num_scan_inputs", 0);
  scan.n_state = from->inputs->len - scan.n_scan_in;
  scan.n_scan_out = from->outputs->len - scan.n_state;
  scan.states = ph_loop_states (from, 0, 0, scan.n_state);
  if (scan.n_scan_in > PH_MAX_SCANNED)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient is for %d scanned inputs at most", PH_MAX_SCANNED);
  first = ph_grad_in (grad, scan.n_state);
  scan.trips = PH_BUILD (b, Gather, PH_BUILD (b, Shape, first),
                         ph_build_scalar (b, PH_INT64, (double) nth_attr (node, "scan_input_axes", 0)));

  g_ptr_array_add (inputs, scan.trips);
  g_ptr_array_add (inputs, NULL);
  for (guint i = 0; i < scan.n_state; i++)
    {
      g_ptr_array_add (inputs, ph_grad_in (grad, i));
      g_ptr_array_add (types, (gpointer) ph_grad_out (grad, i)->type);
    }
  ph_loop_states_add_sequences (&scan.states, b, inputs, types);
  ph_loop_states_add_stacks (&scan.states, types);
  scan.replay = add_node (grad, &ph_op_Loop, (PhValue **) inputs->pdata, inputs->len, (const PhType **) types->pdata, types->len);
  if (scan.replay == NULL || !fill_scan_replay (&scan, error))
    return FALSE;

  /* A scanned value that the body also captures would arrive twice, as a slice and as a whole; the gradient of the slice is an output, and
   * must not flow on into the whole. */
  for (guint i = 0; i < scan.n_scan_in; i++)
    {
      scan.scanned[i] = ph_grad_in (grad, scan.n_state + i);
      if (g_ptr_array_find (grad->captures, scan.scanned[i], NULL))
        scan.scanned[i] = PH_BUILD (b, Identity, scan.scanned[i]);
    }
  if (b->error != NULL)
    return FALSE;
  g_ptr_array_set_size (inputs, 2);
  g_ptr_array_set_size (types, 0);
  for (guint i = 0; i < scan.n_state; i++)
    {
      g_ptr_array_add (inputs, grad->dy[i] != NULL ? grad->dy[i] : ph_grad_zeros_like (grad, ph_grad_out (grad, i)));
      g_ptr_array_add (types, (gpointer) ph_grad_in (grad, i)->type);
    }
  for (guint i = 0; i < n_captures; i++)
    {
      g_ptr_array_add (inputs, ph_grad_zeros_like (grad, grad->captures->pdata[i]));
      g_ptr_array_add (types, (gpointer) ((PhValue *) grad->captures->pdata[i])->type);
    }
  for (guint i = 0; i < scan.n_scan_in; i++)
    if (grad->wanted[scan.n_state + i])
      {
        const PhType *type = ((PhValue *) from->inputs->pdata[scan.n_state + i])->type;
        g_ptr_array_add (types, (gpointer) (type != NULL ? ph_type_stacked (type) : NULL));
        n_wanted++;
      }
  scan.backward = add_node (grad, &ph_op_Loop, (PhValue **) inputs->pdata, inputs->len, (const PhType **) types->pdata,
                            scan.n_state + n_captures + n_wanted);
  if (scan.backward == NULL || !fill_scan_backward (&scan, error))
    return FALSE;

  for (guint i = 0; i < scan.n_state; i++)
    if (grad->wanted[i])
      grad->dx[i] = ph_node_output (scan.backward, i);
  for (guint i = 0; i < n_captures; i++)
    grad->dcaptures[i] = ph_node_output (scan.backward, scan.n_state + i);
  at = scan.n_state + n_captures;
  for (guint i = 0; i < scan.n_scan_in; i++)
    if (grad->wanted[scan.n_state + i])
      {
        grad->dx[scan.n_state + i] = unscan (&scan, ph_node_output (scan.backward, at++), i, error);
        if (grad->dx[scan.n_state + i] == NULL)
          return FALSE;
      }
  return TRUE;
}
