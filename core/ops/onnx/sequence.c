/* sequence.c: sequences and optionals of tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

/* Returns the type that holds for every item. (nullable) */
static const PhType *
item_type (const PhType *sequence)
{
  return sequence != NULL && sequence->kind != PH_KIND_TENSOR ? sequence->item : NULL;
}

static const PhType *
loosest (const PhType *a, const PhType *b)
{
  PhDim dims[PH_MAX_RANK];

  if (a == NULL || b == NULL || a == b)
    return a == NULL ? b : a;
  if (a->kind == PH_KIND_TENSOR && a->dtype == PH_UNDEFINED)
    return b;
  if (a->kind != PH_KIND_TENSOR || b->kind != PH_KIND_TENSOR || a->dtype != b->dtype)
    return a;
  if (!a->has_rank || !b->has_rank || a->rank != b->rank)
    return ph_type_unranked (a->dtype);
  for (guint i = 0; i < a->rank; i++)
    dims[i] = ph_dim_equal (a->dims[i], b->dims[i]) ? a->dims[i] : PH_DIM_UNKNOWN;
  return ph_type_tensor (a->dtype, a->rank, dims);
}

static gboolean
set_sequence (PhInfer *infer, const PhType *item)
{
  if (item != NULL)
    ph_infer_set (infer, 0, ph_type_sequence (PH_KIND_SEQUENCE, item));
  return TRUE;
}

static gboolean
need_sequence (PhKernel *kernel, GError **error)
{
  PhTensor *sequence = ph_kernel_input (kernel, 0);

  return sequence != NULL && ph_tensor_kind (sequence) == PH_KIND_SEQUENCE
             ? TRUE
             : ph_kernel_fail (kernel, error, "input 0 is not a sequence");
}

/* Checks that the input is a tensor, since the operator's sequences contain tensors only. */
static gboolean
infers_tensor (PhInfer *infer, guint input, GError **error)
{
  const PhType *type = ph_infer_type (infer, input);

  return type == NULL || type->kind == PH_KIND_TENSOR || ph_infer_fail (infer, error, "input %u must be a tensor", input);
}

static gboolean
need_tensor (PhKernel *kernel, guint input, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);

  return (tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR)
         || ph_kernel_fail (kernel, error, "input %u is not a tensor", input);
}

/* Reads the position in a sequence of @n from input @input; @fallback if it is absent. Returns FALSE with @error if out of range. */
static gboolean
position (PhKernel *kernel, guint input, gsize n, gboolean inserting, gsize fallback, gsize *at, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);
  gint64 given;

  *at = fallback;
  if (tensor == NULL)
    return TRUE;
  given = ph_tensor_count (tensor) == 1 ? ph_tensor_get_int (tensor, 0) : G_MAXINT64;
  if (given < -(gint64) n || given >= (gint64) n + (inserting ? 1 : 0))
    return ph_kernel_fail (kernel, error, "position %" G_GINT64_FORMAT " is outside a sequence of %zu", given, n);
  *at = given < 0 ? given + (gint64) n : given;
  return TRUE;
}

/* ── making sequences ── */

static gboolean
infer_construct (PhInfer *infer, GError **error)
{
  const PhType *item = NULL;

  for (guint i = 0; i < ph_infer_node_of (infer)->inputs->len; i++)
    if (!infers_tensor (infer, i, error))
      return FALSE;
    else
      item = loosest (item, ph_infer_type (infer, i));
  return set_sequence (infer, item);
}

static gboolean
run_construct (PhKernel *kernel, GError **error)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    if (!need_tensor (kernel, i, error))
      return FALSE;
  ph_kernel_take (kernel, 0, ph_tensor_new_sequence (PH_KIND_SEQUENCE, kernel->inputs, kernel->n_inputs));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceConstruct = {
  .name = "SequenceConstruct", .since = 11, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "A sequence of its inputs. A gradient passes where its items are known and read by constants.",
  .inputs = { { "inputs", 'T', PH_ANY, PH_ARG_VARIADIC } }, .outputs = { { "output_sequence", 'T', PH_ANY } },
  .infer = infer_construct, .kernel = run_construct,
};
/* clang-format on */

static gboolean
infer_empty (PhInfer *infer, GError **error)
{
  ph_infer_set (
      infer, 0,
      ph_type_sequence (PH_KIND_SEQUENCE, ph_type_unranked (ph_node_attr_int (ph_infer_node_of (infer), "dtype", PH_FLOAT))));
  return TRUE;
}

static gboolean
run_empty (PhKernel *kernel, GError **error)
{
  ph_kernel_take (kernel, 0, ph_tensor_new_sequence (PH_KIND_SEQUENCE, NULL, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceEmpty = {
  .name = "SequenceEmpty", .since = 11, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "A sequence without items. A gradient passes where its items are known and read by constants.",
  .outputs = { { "output", 0, PH_ANY } }, .attrs = { { "dtype", PH_ATTR_INT } },
  .infer = infer_empty, .kernel = run_empty,
};
/* clang-format on */

/* ── changing and reading them ── */

static gboolean
infer_insert (PhInfer *infer, GError **error)
{
  return infers_tensor (infer, 1, error)
         && set_sequence (infer, loosest (item_type (ph_infer_type (infer, 0)), ph_infer_type (infer, 1)));
}

static gboolean
run_insert (PhKernel *kernel, GError **error)
{
  PhTensor *sequence = ph_kernel_input (kernel, 0), *item = ph_kernel_input (kernel, 1);
  g_autofree PhTensor **items = NULL;
  gsize n, at;

  if (!need_sequence (kernel, error) || !need_tensor (kernel, 1, error))
    return FALSE;
  n = ph_tensor_count (sequence);
  if (!position (kernel, 2, n, TRUE, n, &at, error))
    return FALSE;
  items = g_new (PhTensor *, n + 1);
  for (gsize i = 0; i <= n; i++)
    items[i] = i < at ? ph_tensor_item (sequence, i) : i == at ? item : ph_tensor_item (sequence, i - 1);
  ph_kernel_take (kernel, 0, ph_tensor_new_sequence (PH_KIND_SEQUENCE, items, n + 1));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceInsert = {
  .name = "SequenceInsert", .since = 11, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "The sequence with a tensor put in, at its end unless a position is given. A gradient passes where its items are known and read by constants.",
  .inputs = { { "input_sequence", 'S', PH_ANY }, { "tensor", 'S', PH_ANY }, { "position", 0, PH_INDICES, PH_ARG_OPTIONAL } },
  .outputs = { { "output_sequence", 'S', PH_ANY } },
  .infer = infer_insert, .kernel = run_insert,
};
/* clang-format on */

static gboolean
run_erase (PhKernel *kernel, GError **error)
{
  PhTensor *sequence = ph_kernel_input (kernel, 0);
  g_autofree PhTensor **items = NULL;
  gsize n, at, k = 0;

  if (!need_sequence (kernel, error))
    return FALSE;
  n = ph_tensor_count (sequence);
  if (n == 0)
    return ph_kernel_fail (kernel, error, "the sequence is empty");
  if (!position (kernel, 1, n, FALSE, n - 1, &at, error))
    return FALSE;
  items = g_new (PhTensor *, n);
  for (gsize i = 0; i < n; i++)
    if (i != at)
      items[k++] = ph_tensor_item (sequence, i);
  ph_kernel_take (kernel, 0, ph_tensor_new_sequence (PH_KIND_SEQUENCE, items, k));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceErase = {
  .name = "SequenceErase", .since = 11, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "The sequence without one item, the last unless a position is given. A gradient passes where its items are known and read by constants.",
  .inputs = { { "input_sequence", 'S', PH_ANY }, { "position", 0, PH_INDICES, PH_ARG_OPTIONAL } },
  .outputs = { { "output_sequence", 'S', PH_ANY } },
  .infer = ph_infer_same_as_input, .kernel = run_erase,
};
/* clang-format on */

static gboolean
infer_at (PhInfer *infer, GError **error)
{
  const PhType *item = item_type (ph_infer_type (infer, 0));

  if (item != NULL)
    ph_infer_set (infer, 0, item);
  return TRUE;
}

static gboolean
run_at (PhKernel *kernel, GError **error)
{
  PhTensor *sequence = ph_kernel_input (kernel, 0);
  gsize at;

  if (!need_sequence (kernel, error) || !position (kernel, 1, ph_tensor_count (sequence), FALSE, 0, &at, error))
    return FALSE;
  ph_kernel_take (kernel, 0, ph_tensor_ref (ph_tensor_item (sequence, at)));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceAt = {
  .name = "SequenceAt", .since = 11, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "One item of a sequence. A gradient passes where its items are known and read by constants.",
  .inputs = { { "input_sequence", 'S', PH_ANY }, { "position", 0, PH_INDICES } }, .outputs = { { "tensor", 'S', PH_ANY } },
  .infer = infer_at, .kernel = run_at,
};
/* clang-format on */

static gboolean
infer_length (PhInfer *infer, GError **error)
{
  ph_infer_set_shape (infer, 0, PH_INT64, 0, NULL);
  return TRUE;
}

static gboolean
run_length (PhKernel *kernel, GError **error)
{
  gint64 *to;

  if (!need_sequence (kernel, error) || (to = ph_kernel_output (kernel, 0, PH_INT64, 0, NULL, error)) == NULL)
    return FALSE;
  *to = ph_tensor_count (ph_kernel_input (kernel, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceLength = {
  .name = "SequenceLength", .since = 11,
  .family = PH_FAMILY_CONTROL,
  .doc = "How many items a sequence has.", .flags = PH_OP_ANY_KIND | PH_OP_NO_GRADIENT,
  .inputs = { { "input_sequence", 0, PH_ANY } }, .outputs = { { "length", 0, PH_T (INT64) } },
  .infer = infer_length, .kernel = run_length,
};
/* clang-format on */

/* ── to tensors and back ── */

/* Runs one node on all items: Concat, or Stack for a new axis. */
static gboolean
run_concat_sequence (PhKernel *kernel, GError **error)
{
  PhTensor *sequence = ph_kernel_input (kernel, 0), *first;
  gboolean new_axis = ph_node_attr_int (kernel->node, "new_axis", 0) != 0;
  gint64 dims[PH_MAX_RANK + 1], outer;
  gsize n, inner, size;
  guint rank, axis;
  PhDType dtype;
  char *to;

  if (!need_sequence (kernel, error))
    return FALSE;
  n = ph_tensor_count (sequence);
  if (n == 0)
    return ph_kernel_fail (kernel, error, "the sequence is empty");
  first = ph_tensor_item (sequence, 0);
  rank = ph_tensor_rank (first) + (new_axis ? 1 : 0);
  dtype = ph_tensor_dtype (first);
  size = ph_dtype_size (dtype);
  if (rank > PH_MAX_RANK || !ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis))
    return ph_kernel_fail (kernel, error, "axis is outside rank %u", rank);
  for (guint i = 0; i < rank; i++)
    dims[i] = !new_axis || i < axis ? ph_tensor_dims (first)[i] : i == axis ? 1 : ph_tensor_dims (first)[i - 1];
  outer = ph_dims_product (dims, 0, axis);
  inner = ph_dims_product (dims, axis + 1, rank) * size;
  dims[axis] = 0;
  for (gsize i = 0; i < n; i++)
    {
      PhTensor *item = ph_tensor_item (sequence, i);

      if (ph_tensor_kind (item) != PH_KIND_TENSOR || ph_tensor_dtype (item) != dtype
          || ph_tensor_rank (item) != ph_tensor_rank (first))
        return ph_kernel_fail (kernel, error, "item %zu has another rank or element type than item 0", i);
      for (guint k = 0; k < ph_tensor_rank (item); k++)
        if (ph_tensor_dims (item)[k] != ph_tensor_dims (first)[k] && (new_axis || k != axis))
          return ph_kernel_fail (kernel, error, "item %zu has another size than item 0 on axis %u", i, k);
      dims[axis] += new_axis ? 1 : ph_tensor_dims (item)[axis];
    }
  to = ph_kernel_output (kernel, 0, dtype, rank, dims, error);
  if (to == NULL)
    return FALSE;
  for (gsize i = 0, at = 0; i < n; i++)
    {
      PhTensor *item = ph_tensor_item (sequence, i);
      gsize length = new_axis ? 1 : ph_tensor_dims (item)[axis];
      const char *from = ph_tensor_data (item);

      for (gint64 o = 0; o < outer && length * inner > 0; o++)
        memcpy (to + (o * dims[axis] + at) * inner, from + o * length * inner, length * inner);
      at += length;
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

static gboolean
infer_concat_sequence (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *item = item_type (ph_infer_type (infer, 0));
  gboolean new_axis = ph_node_attr_int (node, "new_axis", 0) != 0;
  PhDim dims[PH_MAX_RANK + 1];
  guint rank, axis;

  if (item == NULL)
    return TRUE;
  if (!item->has_rank || item->rank == PH_MAX_RANK)
    {
      ph_infer_set (infer, 0, ph_type_unranked (item->dtype));
      return TRUE;
    }
  rank = item->rank + (new_axis ? 1 : 0);
  if (!ph_axis (ph_node_attr_int (node, "axis", 0), rank, &axis))
    return ph_infer_fail (infer, error, "axis is outside rank %u", rank);
  for (guint i = 0; i < rank; i++)
    dims[i] = i == axis ? PH_DIM_UNKNOWN : !new_axis || i < axis ? item->dims[i] : item->dims[i - 1];
  ph_infer_set_shape (infer, 0, item->dtype, rank, dims);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ConcatFromSequence = {
  .name = "ConcatFromSequence", .since = 11, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "Joins the items of a sequence along an axis, or stacks them along a new one. A gradient passes where its items are known and read by constants.",
  .inputs = { { "input_sequence", 'S', PH_ANY } }, .outputs = { { "concat_result", 'S', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, NULL, TRUE }, { "new_axis", PH_ATTR_INT, "0" } },
  .infer = infer_concat_sequence, .kernel = run_concat_sequence,
};
/* clang-format on */

static gboolean
infer_split_sequence (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_type (infer, 0), *sizes = ph_infer_type (infer, 1);
  gboolean keep = ph_infer_has (infer, 1) || ph_node_attr_int (node, "keepdims", 1) != 0;
  PhDim dims[PH_MAX_RANK];
  guint axis, rank = 0;
  gint64 size;

  if (type == NULL)
    return TRUE;
  if (!type->has_rank)
    return set_sequence (infer, ph_type_unranked (type->dtype));
  if (!ph_axis (ph_node_attr_int (node, "axis", 0), type->rank, &axis))
    return ph_infer_fail (infer, error, "axis is outside the input's rank %u", type->rank);
  for (guint i = 0; i < type->rank; i++)
    if (i != axis)
      dims[rank++] = type->dims[i];
    else if (keep)
      dims[rank++] = !ph_infer_has (infer, 1) ? PH_DIM (1)
                     : sizes != NULL && sizes->has_rank && sizes->rank == 0 && ph_infer_int (infer, 1, &size) && size > 0
                             && ph_dim_known (type->dims[i]) && type->dims[i].size % size == 0
                         ? PH_DIM (size)
                         : PH_DIM_UNKNOWN;
  return set_sequence (infer, ph_type_tensor (type->dtype, rank, dims));
}

static gboolean
run_split_sequence (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *split = ph_kernel_input (kernel, 1);
  gboolean keep = split != NULL || ph_node_attr_int (kernel->node, "keepdims", 1) != 0;
  guint rank = ph_tensor_rank (x), axis, n = 0;
  gsize size = ph_dtype_size (ph_tensor_dtype (x)), inner, n_sizes;
  gint64 dims[PH_MAX_RANK], whole, outer, at = 0;
  g_autofree gint64 *sizes = NULL;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  const char *from = ph_tensor_data (x);

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis))
    return ph_kernel_fail (kernel, error, "axis is outside the input's rank %u", rank);
  whole = ph_tensor_dims (x)[axis];
  sizes = ph_kernel_ints (kernel, 1, &n_sizes);
  outer = ph_dims_product (ph_tensor_dims (x), 0, axis);
  inner = ph_dims_product (ph_tensor_dims (x), axis + 1, rank) * size;
  for (gsize i = 0; split != NULL && ph_tensor_rank (split) == 1 ? i < n_sizes : at < whole; i++)
    {
      gint64 length = split == NULL ? 1 : ph_tensor_rank (split) == 0 ? MIN (sizes[0], whole - at) : sizes[i];
      PhTensor *part;

      if (length < 0 || length > whole - at || (length == 0 && ph_tensor_rank (split) == 0))
        return ph_kernel_fail (kernel, error, "the sizes do not fit axis %u of %" G_GINT64_FORMAT " elements", axis, whole);
      n = 0;
      for (guint k = 0; k < rank; k++)
        if (k != axis || keep)
          dims[n++] = k == axis ? length : ph_tensor_dims (x)[k];
      part = ph_tensor_new (ph_tensor_dtype (x), n, dims);
      if (part == NULL)
        return ph_kernel_exceed (kernel, error, "part %zu is too large for memory", i);
      g_ptr_array_add (parts, part);
      if (ph_tensor_dtype (x) == PH_STRING)
        for (gsize k = 0; k < ph_tensor_count (part); k++)
          {
            gsize row = length * inner / size;

            ph_tensor_set_string (part, k,
                                  ph_tensor_get_string (x, k / row * (whole * inner / size) + at * inner / size + k % row));
          }
      else
        for (gint64 o = 0; o < outer && length * inner > 0; o++)
          memcpy ((char *) ph_tensor_writable (part) + o * length * inner, from + (o * whole + at) * inner, length * inner);
      at += length;
    }
  if (at != whole)
    return ph_kernel_fail (kernel, error, "the sizes add up to %" G_GINT64_FORMAT ", axis %u has %" G_GINT64_FORMAT, at, axis,
                           whole);
  ph_kernel_take (kernel, 0, ph_tensor_new_sequence (PH_KIND_SEQUENCE, (PhTensor *const *) parts->pdata, parts->len));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SplitToSequence = {
  .name = "SplitToSequence", .since = 11,
  .family = PH_FAMILY_CONTROL,
  .doc = "Cuts a tensor along an axis into a sequence of parts. A gradient passes where its items are known and read by constants.",
  .inputs = { { "input", 'T', PH_ANY }, { "split", 0, PH_INDICES, PH_ARG_OPTIONAL | PH_ARG_SHAPE } }, .outputs = { { "output_sequence", 'T', PH_ANY } },
  .attrs = { { "axis", PH_ATTR_INT, "0" }, { "keepdims", PH_ATTR_INT, "1" } },
  .infer = infer_split_sequence, .kernel = run_split_sequence,
};
/* clang-format on */

/* ── SequenceMap: runs the body on each item; inputs that are not sequences are passed unchanged ── */

static gboolean
infer_map (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  g_autofree const PhType **types = g_new0 (const PhType *, node->inputs->len + 1);

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhType *type = ph_infer_type (infer, i);

      types[i] = type != NULL && type->kind == PH_KIND_SEQUENCE ? type->item : type;
    }
  if (!ph_infer_body (infer, "body", types, node->inputs->len, error))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhType *type = ph_infer_body_type (infer, "body", i);

      if (type != NULL)
        ph_infer_set (infer, i, ph_type_sequence (PH_KIND_SEQUENCE, type));
    }
  return TRUE;
}

static gboolean
run_map (PhKernel *kernel, GError **error)
{
  guint n_in = kernel->n_inputs, n_out = kernel->n_outputs;
  g_autofree PhTensor **in = g_new0 (PhTensor *, n_in + 1), **out = g_new0 (PhTensor *, n_out + 1);
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  gsize n;

  if (!need_sequence (kernel, error))
    return FALSE;
  n = ph_tensor_count (ph_kernel_input (kernel, 0));
  for (guint i = 0; i < n_out; i++)
    g_ptr_array_add (lists, g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref));
  for (gsize t = 0; t < n; t++)
    {
      for (guint i = 0; i < n_in; i++)
        {
          PhTensor *x = ph_kernel_input (kernel, i);

          if (x != NULL && ph_tensor_kind (x) == PH_KIND_SEQUENCE)
            {
              if (ph_tensor_count (x) != n)
                return ph_kernel_fail (kernel, error, "sequence %u has %zu items, the first %zu", i, ph_tensor_count (x), n);
              x = ph_tensor_item (x, t);
            }
          in[i] = x;
        }
      if (ph_kernel_cancelled (kernel, error) || !ph_kernel_body (kernel, "body", in, n_in, out, n_out, error))
        return FALSE;
      for (guint i = 0; i < n_out; i++)
        g_ptr_array_add (g_ptr_array_index (lists, i), g_steal_pointer (&out[i]));
    }
  for (guint i = 0; i < n_out; i++)
    {
      GPtrArray *list = g_ptr_array_index (lists, i);

      ph_kernel_take (kernel, i, ph_tensor_new_sequence (PH_KIND_SEQUENCE, (PhTensor *const *) list->pdata, list->len));
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_SequenceMap = {
  .name = "SequenceMap", .since = 17, .flags = PH_OP_ANY_KIND,
  .family = PH_FAMILY_CONTROL,
  .doc = "Runs its body on each item of a sequence. A gradient passes where its items are known and read by constants.",
  .inputs = { { "input_sequence", 0, PH_ANY }, { "additional_inputs", 0, PH_ANY, PH_ARG_VARIADIC | PH_ARG_OPTIONAL } },
  .outputs = { { "out_sequence", 0, PH_ANY, PH_ARG_VARIADIC } },
  .attrs = { { "body", PH_ATTR_GRAPH, NULL, TRUE } },
  .infer = infer_map, .kernel = run_map,
};
/* clang-format on */
