/* control.c: If, Loop, Scan: operators with bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/control-carried.h"
#include "core/ops/onnx/control-grad.h"
#include "core/ops/support.h"

/* Returns @type with a dimension of @size inserted at @axis. */
static const PhType *
stacked_type (const PhType *type, gint64 axis, PhDim size)
{
  PhDim dims[PH_MAX_RANK + 1];
  guint normal;

  if (type == NULL || type->kind != PH_KIND_TENSOR)
    return NULL;
  if (!type->has_rank || type->rank >= PH_MAX_RANK || !ph_axis (axis, type->rank + 1, &normal))
    return ph_type_unranked (type->dtype);
  for (guint i = 0; i <= type->rank; i++)
    dims[i] = i < normal ? type->dims[i] : i == normal ? size : type->dims[i - 1];
  return ph_type_tensor (type->dtype, type->rank + 1, dims);
}

/* Joins equal tensors along a new axis. Without any, the result has the shape of @like, or else of @type, with length 0 along that axis. */
static gboolean
stack (PhKernel *kernel, guint output, GPtrArray *items, PhTensor *like, gint64 axis, gboolean backwards, const PhType *type,
       GError **error)
{
  PhTensor *first = items->len > 0 ? g_ptr_array_index (items, 0) : like;
  guint rank = first != NULL ? ph_tensor_rank (first) : type != NULL && type->has_rank ? type->rank : 0, normal;
  PhDType dtype = first != NULL ? ph_tensor_dtype (first) : type != NULL ? type->dtype : PH_FLOAT;
  gint64 dims[PH_MAX_RANK + 1], outer;
  gsize inner;
  char *to;

  if (rank >= PH_MAX_RANK || !ph_axis (axis, rank + 1, &normal))
    return ph_kernel_fail (kernel, error, "the axis of scan output %u is outside its rank", output);
  for (guint i = 0; i < rank; i++)
    dims[i < normal ? i : i + 1] = first != NULL ? ph_tensor_dims (first)[i] : MAX (0, type->dims[i].size);
  dims[normal] = items->len;
  to = ph_kernel_output (kernel, output, dtype, rank + 1, dims, error);
  if (to == NULL)
    return FALSE;
  outer = ph_dims_product (dims, 0, normal);
  inner = ph_dims_product (dims, normal + 1, rank + 1) * ph_dtype_size (dtype);
  for (guint t = 0; t < items->len; t++)
    {
      PhTensor *item = g_ptr_array_index (items, t);
      guint at = backwards ? items->len - 1 - t : t;
      const char *from;

      if (ph_tensor_kind (item) != PH_KIND_TENSOR || ph_tensor_dtype (item) != dtype || ph_tensor_rank (item) != rank
          || memcmp (ph_tensor_dims (item), ph_tensor_dims (first), rank * sizeof (gint64)) != 0)
        return ph_kernel_own_strings (kernel, output),
               ph_kernel_fail (kernel, error, "iteration %u makes another shape for scan output %u than the first", t, output);
      from = ph_tensor_data (item);
      for (gint64 o = 0; o < outer && inner > 0; o++)
        memcpy (to + (o * items->len + at) * inner, from + o * inner, inner);
    }
  ph_kernel_own_strings (kernel, output);
  return TRUE;
}

/* Runs one iteration for a loop without iterations, whose stacks are empty. Its results give their other dimensions if the body's types
 * leave these open, so that the result does not depend on type inference. @out stays empty if it fails. */
static void
try_turn (PhKernel *kernel, PhTensor **in, guint n_in, PhTensor **out, guint n_out, guint first_stacked)
{
  const PhGraph *body = ph_node_graph (kernel->node, "body");
  gboolean open = FALSE;

  for (guint i = first_stacked; i < body->outputs->len; i++)
    {
      const PhType *type = ((PhValue *) g_ptr_array_index (body->outputs, i))->type;

      open = open || type == NULL || (type->kind == PH_KIND_TENSOR && !ph_type_is_static (type));
    }
  if (open && !ph_kernel_body (kernel, "body", in, n_in, out, n_out, NULL))
    memset (out, 0, n_out * sizeof *out);
}

static guint
body_outputs (const PhNode *node, const char *attr)
{
  PhGraph *body = ph_node_graph (node, attr);

  return body != NULL ? body->outputs->len : 0;
}

/* ── If ── */

static gboolean
infer_if (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);

  if (!ph_infer_body (infer, "then_branch", NULL, 0, error) || !ph_infer_body (infer, "else_branch", NULL, 0, error))
    return FALSE;
  if (body_outputs (node, "then_branch") != node->outputs->len || body_outputs (node, "else_branch") != node->outputs->len)
    return ph_infer_fail (infer, error, "its branches have %u and %u outputs, it has %u", body_outputs (node, "then_branch"),
                          body_outputs (node, "else_branch"), node->outputs->len);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhType *common = ph_type_common (ph_infer_body_type (infer, "then_branch", i),
                                             ph_infer_body_type (infer, "else_branch", i));

      if (common != NULL)
        ph_infer_set (infer, i, common);
    }
  return TRUE;
}

static gboolean
run_if (PhKernel *kernel, GError **error)
{
  PhTensor *condition = ph_kernel_input (kernel, 0);
  g_autofree PhTensor **results = g_new0 (PhTensor *, kernel->n_outputs + 1);

  if (ph_tensor_count (condition) != 1)
    return ph_kernel_fail (kernel, error, "the condition has %zu elements, must have one", ph_tensor_count (condition));
  if (!ph_kernel_body (kernel, ph_tensor_get_int (condition, 0) != 0 ? "then_branch" : "else_branch", NULL, 0, results,
                       kernel->n_outputs, error))
    return FALSE;
  for (guint i = 0; i < kernel->n_outputs; i++)
    ph_kernel_take (kernel, i, results[i]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_If = {
  .name = "If", .since = 23, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "Runs one of two bodies, by a condition.",
  .inputs = { { "cond", 0, PH_T (BOOL) } }, .outputs = { { "outputs", 0, PH_ANY, PH_ARG_VARIADIC | PH_ARG_OPTIONAL } },
  .attrs = { { "then_branch", PH_ATTR_GRAPH, NULL, TRUE }, { "else_branch", PH_ATTR_GRAPH, NULL, TRUE } },
  .infer = infer_if, .kernel = run_if, .grad_build = ph_grad_if, .no_grad = 1 << 0,
  .grad_text = "dX = the gradient of the branch that was taken",
};
/* clang-format on */

/* ── Loop ── */

/* Returns TRUE if the body's condition is always true. */
static gboolean
never_stops (const PhNode *node)
{
  PhGraph *body = ph_node_graph (node, "body");
  PhValue *in = body->inputs->len > 1 ? g_ptr_array_index (body->inputs, 1) : NULL;
  PhValue *out = body->outputs->len > 0 ? g_ptr_array_index (body->outputs, 0) : NULL;
  PhTensor *constant;

  while (out != NULL && out->producer != NULL && ph_node_is (out->producer, &ph_op_Identity))
    out = ph_node_input (out->producer, 0);
  constant = out != NULL ? ph_value_constant (out) : NULL;
  return out != NULL
         && (out == in || (constant != NULL && ph_tensor_count (constant) == 1 && ph_tensor_get_int (constant, 0) != 0));
}

static gboolean
infer_loop (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  PhGraph *body = ph_node_graph (node, "body");
  guint n_state = node->inputs->len > 2 ? node->inputs->len - 2 : 0, n_out = node->outputs->len;
  g_autofree const PhType **types = g_new0 (const PhType *, n_state + 2);
  PhTensor *condition = ph_infer_constant (infer, 1);
  PhDim trips = PH_DIM_UNKNOWN;
  gint64 limit;

  if (body == NULL || body->inputs->len != n_state + 2 || body->outputs->len < n_state + 1 || n_out + 1 > body->outputs->len)
    return ph_infer_fail (
        infer, error, "carries %u values, but its body has %u inputs and %u outputs; they must be %u, and %u or more", n_state,
        body != NULL ? body->inputs->len : 0, body != NULL ? body->outputs->len : 0, n_state + 2, n_state + 1);
  types[0] = ph_type_tensor (PH_INT64, 0, NULL);
  types[1] = ph_type_tensor (PH_BOOL, 0, NULL);
  /* Some exporters declare these two as tensors of one element. */
  for (guint i = 0; i < 2; i++)
    {
      const PhType *declared = ((PhValue *) g_ptr_array_index (body->inputs, i))->type;

      if (declared != NULL && declared->has_rank && declared->rank > 0)
        types[i] = NULL;
    }
  for (guint i = 0; i < n_state; i++)
    types[2 + i] = ph_infer_type (infer, 2 + i);
  if (!ph_infer_carried (infer, types, n_state + 2, 2, 1, n_state, error))
    return FALSE;
  if (ph_infer_int (infer, 0, &limit)
      && (!ph_infer_has (infer, 1) || (condition != NULL && ph_tensor_get_int (condition, 0) != 0)) && never_stops (node))
    trips = PH_DIM (MAX (0, limit));
  for (guint i = 0; i < n_out; i++)
    {
      const PhType *type = ph_infer_body_type (infer, "body", i + 1);

      if (type != NULL)
        ph_infer_set (infer, i, i < n_state ? ph_type_common (type, types[2 + i]) : stacked_type (type, 0, trips));
    }
  return TRUE;
}

static void
unref_all (PhTensor **tensors, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&tensors[i], ph_tensor_unref);
}

static PhTensor *
new_int64 (gint64 value)
{
  PhTensor *tensor = ph_tensor_new (PH_INT64, 0, NULL);

  *(gint64 *) ph_tensor_writable (tensor) = value;
  return tensor;
}

/* Sets the iteration number and the condition, in the shapes that the body declares. */
static void
begin_turn (const PhGraph *body, gint64 trip, PhTensor **in)
{
  in[0] = new_int64 (trip);
  in[1] = ph_tensor_new_scalar (PH_BOOL, 1);
  for (guint i = 0; i < 2; i++)
    {
      const PhType *declared = ((PhValue *) g_ptr_array_index (body->inputs, i))->type;

      if (declared != NULL && declared->has_rank && declared->rank == 1)
        {
          PhTensor *vector = ph_tensor_reshaped (in[i], 1, (gint64[]) { 1 });

          ph_tensor_unref (in[i]);
          in[i] = vector;
        }
    }
}

/* A count above this is no count: exporters write the largest number where only the condition ends a loop. */
#define MANY_TURNS 100000

static gboolean
run_loop (PhKernel *kernel, GError **error)
{
  PhTensor *limit = ph_kernel_input (kernel, 0), *condition = ph_kernel_input (kernel, 1);
  guint n_state = kernel->n_inputs > 2 ? kernel->n_inputs - 2 : 0, n_out = body_outputs (kernel->node, "body"), n_scan;
  gint64 trips = limit != NULL && ph_tensor_count (limit) > 0 ? ph_tensor_get_int (limit, 0) : G_MAXINT64;
  gboolean go = condition == NULL || ph_tensor_count (condition) == 0 || ph_tensor_get_int (condition, 0) != 0, ok = TRUE;
  const gboolean has_end = limit != NULL && ph_value_constant (ph_node_input (kernel->node, 0)) != NULL && trips <= MANY_TURNS;
  PhGraph *body = ph_node_graph (kernel->node, "body");
  g_autofree PhTensor **in = g_new0 (PhTensor *, n_state + 2), **out = g_new0 (PhTensor *, n_out + 1);
  g_autoptr (GPtrArray) scans = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  if (n_out < n_state + 1 || kernel->n_outputs + 1 > n_out)
    return ph_kernel_fail (kernel, error, "carries %u values, but its body has %u outputs", n_state, n_out);
  n_scan = n_out - 1 - n_state;
  for (guint i = 0; i < n_scan; i++)
    g_ptr_array_add (scans, g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref));
  for (guint i = 0; i < n_state; i++)
    {
      PhTensor *initial = ph_kernel_input (kernel, 2 + i);

      if (initial == NULL)
        {
          unref_all (in, n_state + 2);
          return ph_kernel_fail (kernel, error, "initial value %u is missing", i);
        }
      in[2 + i] = ph_tensor_ref (initial);
    }
  if (!go || trips < 1)
    {
      begin_turn (body, 0, in);
      try_turn (kernel, in, n_state + 2, out, n_out, 1 + n_state);
    }
  for (gint64 trip = 0; ok && go && trip < trips; trip++)
    {
      begin_turn (body, trip, in);
      ok = (has_end ? !ph_kernel_cancelled (kernel, error) : ph_kernel_turn (kernel, error))
           && ph_kernel_body (kernel, "body", in, n_state + 2, out, n_out, error);
      if (!ok)
        break;
      unref_all (in, n_state + 2);
      go = ph_tensor_kind (out[0]) == PH_KIND_TENSOR && ph_tensor_count (out[0]) > 0 && ph_tensor_get_int (out[0], 0) != 0;
      for (guint i = 0; i < n_state; i++)
        in[2 + i] = g_steal_pointer (&out[1 + i]);
      for (guint i = 0; i < n_scan; i++)
        g_ptr_array_add (g_ptr_array_index (scans, i), g_steal_pointer (&out[1 + n_state + i]));
      unref_all (out, n_out);
    }
  for (guint i = 0; ok && i < kernel->n_outputs; i++)
    if (i < n_state)
      ph_kernel_take (kernel, i, ph_tensor_ref (in[2 + i]));
    else
      ok = stack (kernel, i, g_ptr_array_index (scans, i - n_state), out[1 + i], 0, FALSE,
                  ((PhValue *) g_ptr_array_index (body->outputs, i + 1))->type, error);
  unref_all (in, n_state + 2);
  unref_all (out, n_out);
  return ok;
}

/* clang-format off */
const PhOp ph_op_Loop = {
  .name = "Loop", .since = 23, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "Runs its body up to M times, as long as the condition holds; carried values go round, scan outputs are stacked.",
  .inputs = { { "M", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE }, { "cond", 0, PH_T (BOOL), PH_ARG_OPTIONAL },
              { "v_initial", 0, PH_ANY, PH_ARG_VARIADIC | PH_ARG_OPTIONAL } },
  .outputs = { { "v_final_and_scan_outputs", 0, PH_ANY, PH_ARG_VARIADIC | PH_ARG_OPTIONAL } },
  .attrs = { { "body", PH_ATTR_GRAPH, NULL, TRUE } },
  .infer = infer_loop, .kernel = run_loop, .grad_build = ph_grad_loop, .no_grad = 0x3,
  .grad_text = "dX = the body's gradient, turn by turn, the last turn first",
};
/* clang-format on */

/* ── Scan ── */

static gint64
int_at (const PhNode *node, const char *name, guint i, gint64 fallback)
{
  gsize n;
  const gint64 *ints = ph_node_attr_ints (node, name, &n);

  return ints != NULL && i < n ? ints[i] : fallback;
}

static gboolean
infer_scan (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  PhGraph *body = ph_node_graph (node, "body");
  gint64 n_scan = ph_node_attr_int (node, "num_scan_inputs", 0);
  guint n_in = node->inputs->len, n_state;
  g_autofree const PhType **types = g_new0 (const PhType *, n_in + 1);
  PhDim length = PH_DIM_UNKNOWN;

  if (n_scan < 1 || n_scan > n_in || body == NULL || body->inputs->len != n_in || body->outputs->len != node->outputs->len
      || node->outputs->len < n_in - n_scan)
    return ph_infer_fail (infer, error, "num_scan_inputs, inputs, outputs and those of the body do not fit together");
  n_state = n_in - n_scan;
  for (guint i = 0; i < n_in; i++)
    {
      const PhType *type = ph_infer_type (infer, i);
      PhDim dims[PH_MAX_RANK];
      guint axis, rank = 0;

      types[i] = type;
      if (i < n_state || type == NULL)
        continue;
      if (!type->has_rank)
        {
          types[i] = ph_type_unranked (type->dtype);
          continue;
        }
      if (!ph_axis (int_at (node, "scan_input_axes", i - n_state, 0), type->rank, &axis))
        return ph_infer_fail (infer, error, "the axis of scan input %u is outside its rank %u", i - n_state, type->rank);
      for (guint k = 0; k < type->rank; k++)
        if (k != axis)
          dims[rank++] = type->dims[k];
      types[i] = ph_type_tensor (type->dtype, rank, dims);
      if (!ph_dim_merge (length, type->dims[axis], &length))
        return ph_infer_fail (infer, error, "the scan inputs have different lengths");
    }
  if (!ph_infer_carried (infer, types, n_in, 0, 0, n_state, error))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhType *type = ph_infer_body_type (infer, "body", i);

      if (type != NULL)
        ph_infer_set (infer, i,
                      i < n_state ? ph_type_common (type, types[i])
                                  : stacked_type (type, int_at (node, "scan_output_axes", i - n_state, 0), length));
    }
  return TRUE;
}

/* Returns slice @at of @x along @axis, without that axis. */
static PhTensor *
slice_at (PhTensor *x, guint axis, gint64 at)
{
  guint rank = ph_tensor_rank (x), n = 0;
  const gint64 *from_dims = ph_tensor_dims (x);
  gint64 dims[PH_MAX_RANK], outer = ph_dims_product (from_dims, 0, axis);
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), inner = ph_dims_product (from_dims, axis + 1, rank) * size;
  PhTensor *slice;
  const char *from = ph_tensor_data (x);

  for (guint i = 0; i < rank; i++)
    if (i != axis)
      dims[n++] = from_dims[i];
  slice = ph_tensor_new (ph_tensor_dtype (x), n, dims);
  if (slice == NULL)
    return NULL;
  if (at < 0)
    memset (ph_tensor_writable (slice), 0, ph_tensor_count (slice) * size);
  else if (ph_tensor_dtype (x) == PH_STRING)
    for (gsize i = 0; i < ph_tensor_count (slice); i++)
      ph_tensor_set_string (
          slice, i, ph_tensor_get_string (x, (i / (inner / size) * from_dims[axis] + at) * (inner / size) + i % (inner / size)));
  else
    for (gint64 o = 0; o < outer && inner > 0; o++)
      memcpy ((char *) ph_tensor_writable (slice) + o * inner, from + (o * from_dims[axis] + at) * inner, inner);
  return slice;
}

static gboolean
run_scan (PhKernel *kernel, GError **error)
{
  const PhNode *node = kernel->node;
  gint64 n_scan = ph_node_attr_int (node, "num_scan_inputs", 0), length = -1;
  guint n_in = kernel->n_inputs, n_out = kernel->n_outputs, n_state, axes[PH_MAX_RANK];
  g_autofree PhTensor **in = g_new0 (PhTensor *, n_in + 1), **out = g_new0 (PhTensor *, n_out + 1);
  g_autoptr (GPtrArray) scans = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  PhGraph *body = ph_node_graph (node, "body");
  gboolean ok = TRUE, strings = FALSE;

  if (n_scan < 1 || n_scan > MIN (n_in, PH_MAX_RANK) || body == NULL || body->inputs->len != n_in || body->outputs->len != n_out
      || n_out < n_in - n_scan)
    return ph_kernel_fail (kernel, error, "num_scan_inputs, inputs, outputs and those of the body do not fit together");
  n_state = n_in - n_scan;
  for (guint i = n_state; i < n_in; i++)
    {
      PhTensor *x = ph_kernel_input (kernel, i);

      if (x == NULL || !ph_axis (int_at (node, "scan_input_axes", i - n_state, 0), ph_tensor_rank (x), &axes[i - n_state]))
        return ph_kernel_fail (kernel, error, "the axis of scan input %u is outside its rank", i - n_state);
      if (length >= 0 && length != ph_tensor_dims (x)[axes[i - n_state]])
        return ph_kernel_fail (kernel, error, "the scan inputs have different lengths");
      length = ph_tensor_dims (x)[axes[i - n_state]];
      strings = strings || ph_tensor_dtype (x) == PH_STRING;
    }
  for (guint i = 0; i < n_state; i++)
    {
      if (ph_kernel_input (kernel, i) == NULL)
        {
          unref_all (in, n_in);
          return ph_kernel_fail (kernel, error, "initial value %u is missing", i);
        }
      in[i] = ph_tensor_ref (ph_kernel_input (kernel, i));
    }
  for (guint i = n_state; i < n_out; i++)
    g_ptr_array_add (scans, g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref));
  if (length == 0 && !strings)
    {
      for (guint i = n_state; i < n_in; i++)
        in[i] = slice_at (ph_kernel_input (kernel, i), axes[i - n_state], -1);
      try_turn (kernel, in, n_in, out, n_out, n_state);
    }
  for (gint64 t = 0; ok && t < length; t++)
    {
      for (guint i = n_state; i < n_in; i++)
        {
          gboolean backwards = int_at (node, "scan_input_directions", i - n_state, 0) != 0;

          in[i] = slice_at (ph_kernel_input (kernel, i), axes[i - n_state], backwards ? length - 1 - t : t);
        }
      ok = !ph_kernel_cancelled (kernel, error) && ph_kernel_body (kernel, "body", in, n_in, out, n_out, error);
      if (!ok)
        break;
      unref_all (in, n_in);
      for (guint i = 0; i < n_state; i++)
        in[i] = g_steal_pointer (&out[i]);
      for (guint i = n_state; i < n_out; i++)
        g_ptr_array_add (g_ptr_array_index (scans, i - n_state), g_steal_pointer (&out[i]));
    }
  for (guint i = 0; ok && i < n_out; i++)
    if (i < n_state)
      ph_kernel_take (kernel, i, ph_tensor_ref (in[i]));
    else
      ok = stack (kernel, i, g_ptr_array_index (scans, i - n_state), out[i], int_at (node, "scan_output_axes", i - n_state, 0),
                  int_at (node, "scan_output_directions", i - n_state, 0) != 0,
                  ((PhValue *) g_ptr_array_index (body->outputs, i))->type, error);
  unref_all (in, n_in);
  unref_all (out, n_out);
  return ok;
}

/* clang-format off */
const PhOp ph_op_Scan = {
  .name = "Scan", .since = 23, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL, .main_attrs = { "num_scan_inputs" },
  .doc = "Runs its body once for each slice of the scan inputs; states go round, scan outputs are stacked.",
  .inputs = { { "initial_state_and_scan_inputs", 0, PH_ANY, PH_ARG_VARIADIC } },
  .outputs = { { "final_state_and_scan_outputs", 0, PH_ANY, PH_ARG_VARIADIC } },
  .attrs = { { "body", PH_ATTR_GRAPH, NULL, TRUE }, { "num_scan_inputs", PH_ATTR_INT, NULL, TRUE },
             { "scan_input_axes", PH_ATTR_INTS }, { "scan_input_directions", PH_ATTR_INTS },
             { "scan_output_axes", PH_ATTR_INTS }, { "scan_output_directions", PH_ATTR_INTS } },
  .infer = infer_scan, .kernel = run_scan, .grad_build = ph_grad_scan,
  .grad_text = "dX = the body's gradient, turn by turn, the last turn first",
};
/* clang-format on */
