/* scan-to-loop.c: replaces a Scan by a Loop that takes one slice per iteration.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/loop.h"

#include "core/ops/copy.h"

/*  states, ys = Scan (states, xs)   =>   states, ys = Loop (size of xs along their axis, true, states)
 *                                          { slice = Gather (xs, turn); the body }
 *
 * Passes that know Loops (unrolling, invariants, dead state) and runtimes without Scan then see one kind of loop. */

static gint64
int_at (const PhNode *node, const char *name, guint i)
{
  gsize n = 0;
  const gint64 *values = ph_node_attr_ints (node, name, &n);

  return i < n ? values[i] : 0;
}

/* Returns the axis along which scan input @k is sliced; -1: unknown. */
static int
axis_of (const PhNode *scan, guint k, guint n_states)
{
  return ph_axis_of (int_at (scan, "scan_input_axes", k), ph_value_rank (ph_node_input (scan, n_states + k)));
}

static gboolean
goes_forward (PhMatch *match)
{
  const PhNode *scan = match->root;
  const PhGraph *body = ph_node_graph (scan, "body");
  gint64 n_scans = ph_node_attr_int (scan, "num_scan_inputs", 0);
  guint n_states = scan->inputs->len - (guint) MIN (n_scans, scan->inputs->len);

  if (body == NULL || n_scans < 1 || n_scans > scan->inputs->len || body->inputs->len != scan->inputs->len
      || body->outputs->len != scan->outputs->len || scan->outputs->len < n_states)
    return FALSE;
  for (guint k = 0; k < n_scans; k++)
    if (int_at (scan, "scan_input_directions", k) != 0 || ph_node_input (scan, n_states + k) == NULL
        || axis_of (scan, k, n_states) < 0 ||
        /* Without iterations, the shape of stacked outputs is unknown. */
        ph_value_dim (ph_node_input (scan, n_states + k), axis_of (scan, k, n_states)) < 1)
      return FALSE;
  for (guint k = 0; k < scan->outputs->len - n_states; k++)
    if (int_at (scan, "scan_output_axes", k) != 0 || int_at (scan, "scan_output_directions", k) != 0)
      return FALSE;
  for (guint k = 0; k < n_states; k++)
    if (ph_node_input (scan, k) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
write_loop (PhMatch *match, PhBuilder *b)
{
  PhNode *scan = match->root, *loop;
  PhGraph *from = ph_node_graph (scan, "body"), *to;
  guint n_in = scan->inputs->len, n_out = scan->outputs->len,
        n_states = n_in - (guint) ph_node_attr_int (scan, "num_scan_inputs", 0);
  g_autofree const PhType **inside = g_new0 (const PhType *, n_in + 1), **types = g_new0 (const PhType *, n_out + 1);
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_in + 1), **outputs = g_new0 (PhValue *, n_out + 1),
                     **results = g_new0 (PhValue *, n_out + 1);
  int axis = axis_of (scan, 0, n_states);
  PhValue *turns = ph_build_scalar (b, PH_INT64, (double) ph_value_dim (ph_node_input (scan, n_states), axis));
  PhBuilder in_body = { .name = b->name };

  for (guint i = 0; i < n_states; i++)
    inside[i] = ((PhValue *) g_ptr_array_index (from->inputs, i))->type;
  for (guint i = 0; i < n_out; i++)
    types[i] = ph_node_output (scan, i)->type;
  loop = ph_loop_new (b, turns, NULL, (PhValue **) scan->inputs->pdata, inside, n_states, types, n_out);
  if (loop == NULL)
    return FALSE;
  in_body.graph = to = ph_node_graph (loop, "body");
  for (guint i = 0; i < n_states; i++)
    inputs[i] = g_ptr_array_index (to->inputs, 2 + i);
  for (guint i = n_states; i < n_in; i++)
    inputs[i] = PH_BUILD_WITH (&in_body, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis_of (scan, i - n_states, n_states))),
                               ph_node_input (scan, i), g_ptr_array_index (to->inputs, 0));
  if (in_body.error == NULL)
    ph_build_copy (&in_body, from, inputs, outputs, NULL);
  if (!ph_builder_finish (&in_body, &b->error))
    return FALSE;
  in_body.graph = to;
  ph_graph_set_output (to, 0, PH_BUILD (&in_body, Identity, g_ptr_array_index (to->inputs, 1)), &b->error);
  for (guint i = 0; i < n_out && b->error == NULL; i++)
    ph_graph_set_output (to, 1 + i, outputs[i], &b->error);
  for (guint i = 0; i < n_out; i++)
    results[i] = ph_node_output (loop, i);
  return b->error == NULL && ph_node_replace_all (scan, results, b);
}

/* clang-format off */
static const PhRule rules[] = {
  { "scan-to-loop", .root = &ph_op_Scan, .when = goes_forward, .apply = write_loop, .becomes = "Loop that gathers a slice in each iteration",
    .why = "Both run a body once for each slice; a Loop gathers the slice explicitly." },
};

const PhPass ph_pass_scan_to_loop = {
  .name = "scan-to-loop", .group = "control", .summary = "Rewrites Scan as Loop",
  .elsewhere = "Scan's own definition",
  .trap = "a Scan may go backwards, or along another axis.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
