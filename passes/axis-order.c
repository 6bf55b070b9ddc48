/* axis-order.c: nodes that allow any order of axes, and their equivalents under another order.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/axis-order.h"

#include <string.h>

gboolean
ph_axis_order_of_transpose (const PhNode *transpose, PhAxisOrder *layout)
{
  g_autofree gint64 *perm = ph_node_perm (transpose, &layout->rank);

  if (perm == NULL || layout->rank > (int) G_N_ELEMENTS (layout->perm))
    return FALSE;
  for (int i = 0; i < layout->rank; i++)
    {
      if (perm[i] < 0 || perm[i] >= layout->rank)
        return FALSE;
      layout->perm[i] = perm[i];
      layout->inverse[perm[i]] = i;
    }
  return TRUE;
}

PhAxisOrder
ph_axis_order_inverse (const PhAxisOrder *layout)
{
  PhAxisOrder other = { .rank = layout->rank };

  memcpy (other.perm, layout->inverse, sizeof other.perm);
  memcpy (other.inverse, layout->perm, sizeof other.inverse);
  return other;
}

gboolean
ph_axis_order_equal (const PhAxisOrder *a, const PhAxisOrder *b)
{
  return a->rank == b->rank && memcmp (a->perm, b->perm, (gsize) a->rank * sizeof *a->perm) == 0;
}

/* ── which nodes ── */

/* clang-format off */
static const PhOp *const with_axis[] = {
  &ph_op_Concat, &ph_op_Split, &ph_op_Softmax, &ph_op_LogSoftmax, &ph_op_Hardmax, &ph_op_ArgMax, &ph_op_ArgMin,
  &ph_op_Gather,
};
static const PhOp *const reductions[] = {
  &ph_op_ReduceSum, &ph_op_ReduceMean, &ph_op_ReduceMax, &ph_op_ReduceMin, &ph_op_ReduceProd, &ph_op_ReduceL1, &ph_op_ReduceL2,
  &ph_op_ReduceSumSquare, &ph_op_ReduceLogSum, &ph_op_ReduceLogSumExp,
};
/* clang-format on */

static gboolean
is_in (const PhOp *op, const PhOp *const *ops, guint n)
{
  for (guint i = 0; i < n; i++)
    if (ops[i] == op)
      return TRUE;
  return FALSE;
}

#define IS_IN(op_, list_) is_in (op_, list_, G_N_ELEMENTS (list_))

static gint64
default_axis (const PhOp *op)
{
  return op == &ph_op_Softmax || op == &ph_op_LogSoftmax || op == &ph_op_Hardmax ? -1 : 0;
}

static gboolean
is_elementwise (const PhNode *node)
{
  return (node->op->flags & PH_OP_ELEMENTWISE) && node->op != &ph_op_CastLike && node->outputs->len == 1;
}

/* Quantization with a single scale is elementwise; otherwise its axis is permuted. */
static gboolean
is_quantisation (const PhNode *node)
{
  return (node->op == &ph_op_QuantizeLinear || node->op == &ph_op_DequantizeLinear)
         && ph_node_attr_int (node, "block_size", 0) == 0;
}

static gboolean
has_ints (const PhNode *node, guint input)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  return ph_value_ints (ph_node_input (node, input), &values, &n);
}

/* Returns TRUE for a constant with one number per axis. */
static gboolean
is_by_axis (const PhValue *value, int rank)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  return tensor != NULL && ph_tensor_rank (tensor) == 1 && (int) ph_tensor_count (tensor) == rank;
}

static gboolean
takes_resize (const PhNode *node, int rank)
{
  const PhValue *scales = ph_node_input (node, 2), *sizes = ph_node_input (node, 3), *roi = ph_node_input (node, 1);
  PhTensor *tensor = roi != NULL ? ph_value_constant (roi) : NULL;

  if (ph_node_attr (node, "axes") != NULL || (roi != NULL && (tensor == NULL || ph_tensor_count (tensor) != 0))
      || g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", ""), "tf_crop_and_resize"))
    return FALSE;
  return sizes != NULL ? is_by_axis (sizes, rank) : is_by_axis (scales, rank);
}

/* Returns the axis that a Gather of one element drops. (transfer full) */
static gint64 *
gathered_axis (const PhNode *node, int rank, gsize *n)
{
  gint64 *axis = g_new (gint64, 1);

  *axis = ph_axis_of (ph_node_attr_int (node, "axis", 0), rank);
  *n = *axis >= 0 ? 1 : 0;
  return axis;
}

/* Removing axes commutes with the permutation if the remaining ones keep their order. */
static gboolean
keeps_order_of_rest (const PhNode *node, const PhAxisOrder *layout)
{
  gsize n;
  g_autofree gint64 *axes = node->op == &ph_op_Gather ? gathered_axis (node, layout->rank, &n)
                                                      : ph_node_axes (node, 1, layout->rank, &n);
  gint64 last = -1;

  for (int i = 0; axes != NULL && i < layout->rank; i++)
    {
      gboolean reduced = FALSE;

      for (gsize k = 0; k < n; k++)
        reduced |= axes[k] == layout->perm[i];
      if (reduced)
        continue;
      if (layout->perm[i] < last)
        return FALSE;
      last = layout->perm[i];
    }
  return axes != NULL && n > 0;
}

/* Returns FALSE for a sum of floats over several axes, which changes with the order of its terms. */
static gboolean
keeps_order_of_terms (const PhNode *node, const PhAxisOrder *layout)
{
  gsize n;
  g_autofree gint64 *axes = ph_node_axes (node, 1, layout->rank, &n);
  gint64 last = -1;

  for (int i = 0; axes != NULL && i < layout->rank && ph_value_is_float (ph_node_input (node, 0)); i++)
    for (gsize k = 0; k < n; k++)
      if (axes[k] == layout->perm[i])
        {
          if (layout->perm[i] < last)
            return FALSE;
          last = layout->perm[i];
        }
  return axes != NULL;
}

static gboolean
keeps_dims (const PhNode *node)
{
  return ph_node_attr_int (node, "keepdims", 1) != 0;
}

static gboolean
takes_op (const PhNode *node, const PhAxisOrder *layout)
{
  const PhOp *op = node->op;

  if (is_elementwise (node) || is_quantisation (node))
    return TRUE;
  if (op == &ph_op_Dropout)
    return node->outputs->len == 1 && ph_node_input (node, 2) == NULL;
  if (op == &ph_op_ArgMax || op == &ph_op_ArgMin)
    return keeps_dims (node);
  if (op == &ph_op_Gather)
    return ph_value_rank (ph_node_input (node, 1)) == 0 && keeps_order_of_rest (node, layout);
  if (IS_IN (op, with_axis))
    return TRUE;
  if (IS_IN (op, reductions))
    return has_ints (node, 1) && (keeps_dims (node) || keeps_order_of_rest (node, layout)) && keeps_order_of_terms (node, layout)
           && ph_value_dim (ph_node_input (node, 1), 0) > 0;
  if (op == &ph_op_Pad)
    return has_ints (node, 1) && (ph_node_input (node, 3) == NULL || has_ints (node, 3));
  if (op == &ph_op_Slice)
    return has_ints (node, 1) && has_ints (node, 2) && (ph_node_input (node, 3) == NULL || has_ints (node, 3));
  if (op == &ph_op_Tile)
    return is_by_axis (ph_node_input (node, 1), layout->rank);
  return op == &ph_op_Resize && takes_resize (node, layout->rank);
}

gboolean
ph_axis_order_moves_input (const PhNode *node, guint input, const PhAxisOrder *layout)
{
  const PhValue *value = ph_node_input (node, input);

  if (value == NULL)
    return FALSE;
  if (is_elementwise (node))
    return !ph_value_is_single (value) || layout->rank <= 1;
  return input == 0 || node->op == &ph_op_Concat;
}

gboolean
ph_axis_order_moves_outputs (const PhNode *node)
{
  return node->op != &ph_op_Gather && (!IS_IN (node->op, reductions) || keeps_dims (node));
}

static gboolean
can_move_constant (const PhValue *value, int rank)
{
  PhTensor *tensor = ph_value_constant (value);

  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && (int) ph_tensor_rank (tensor) <= rank
         && (ph_dtype_is_float (ph_tensor_dtype (tensor)) || ph_dtype_is_integer (ph_tensor_dtype (tensor))
             || ph_tensor_dtype (tensor) == PH_BOOL);
}

gboolean
ph_axis_order_takes (const PhNode *node, const PhAxisOrder *layout)
{
  if (node->op == NULL || node->graphs != NULL || ph_node_is_tied (node) || node->op == &ph_op_Identity || node->inputs->len == 0
      || (node->op->flags & PH_OP_RANDOM) || node->outputs->len == 0 || !takes_op (node, layout))
    return FALSE;
  if (ph_axis_order_moves_outputs (node) && ph_value_rank (ph_node_output (node, 0)) != layout->rank)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_axis_order_moves_input (node, i, layout) && ph_value_rank (ph_node_input (node, i)) != layout->rank
        && !can_move_constant (ph_node_input (node, i), layout->rank))
      return FALSE;
  return TRUE;
}

/* ── the same under another order ── */

PhValue *
ph_axis_order_constant (PhBuilder *b, const PhValue *constant, const PhAxisOrder *layout)
{
  PhTensor *tensor = ph_value_constant (constant), *moved;
  int rank = layout->rank, missing = rank - (int) ph_tensor_rank (tensor);
  gint64 dims[8], stride[8], at[8] = { 0 }, to[8];
  PhDType dtype = ph_tensor_dtype (tensor);

  if (!can_move_constant (constant, rank))
    return NULL;
  for (int i = 0; i < rank; i++)
    dims[i] = i < missing ? 1 : ph_tensor_dims (tensor)[i - missing];
  for (gint64 i = rank - 1, size = 1; i >= 0; size *= dims[i--])
    stride[i] = size;
  for (int i = 0; i < rank; i++)
    to[i] = dims[layout->perm[i]];

  if (ph_tensor_count (tensor) > 0 && ph_tensor_is_splat (tensor) && ph_dtype_is_float (dtype))
    {
      guint8 element[16] = { 0 };

      ph_dtype_store (dtype, element, 0, ph_tensor_get (tensor, 0));
      return ph_build_tensor (b, ph_tensor_new_splat (dtype, (guint) rank, to, element));
    }
  moved = ph_tensor_new (dtype, (guint) rank, to);
  for (gsize i = 0; moved != NULL && i < ph_tensor_count (moved); i++)
    {
      gint64 from = 0;

      for (int k = 0; k < rank; k++)
        from += at[k] * stride[layout->perm[k]];
      if (ph_dtype_is_float (dtype))
        ph_dtype_store (dtype, ph_tensor_writable (moved), i, ph_tensor_get (tensor, (gsize) from));
      else
        ph_dtype_store_int (dtype, ph_tensor_writable (moved), i, ph_tensor_get_int (tensor, (gsize) from));
      for (int k = rank - 1; k >= 0 && ++at[k] == to[k]; k--)
        at[k] = 0;
    }
  return moved != NULL ? ph_build_tensor (b, moved) : NULL;
}

/* Axis a moves to inverse[a]. */
/* Builds an axes operand of element type @dtype, that of the node's other integers. */
static PhValue *
build_axes (PhBuilder *b, const gint64 *values, gsize n, PhDType dtype)
{
  PhTensor *tensor = ph_tensor_new (dtype, 1, (gint64[]) { (gint64) n });

  for (gsize i = 0; i < n; i++)
    ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, values[i]);
  return ph_build_tensor (b, tensor);
}

static PhValue *
move_axes (PhBuilder *b, const PhValue *axes, const PhAxisOrder *layout)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ph_value_ints (axes, &values, &n))
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      int axis = ph_axis_of (values[i], layout->rank);

      if (axis < 0)
        return NULL;
      values[i] = layout->inverse[axis];
    }
  return build_axes (b, values, n, ph_value_dtype (axes));
}

static PhValue *
all_axes (PhBuilder *b, const PhValue *starts, const PhAxisOrder *layout)
{
  gint64 axes[PH_MAX_RANK], n = ph_value_dim (starts, 0);

  if (n < 0 || n > layout->rank) /* the number of a Slice's starts may be unknown */
    return NULL;
  for (gint64 i = 0; i < n; i++)
    axes[i] = layout->inverse[i];
  return build_axes (b, axes, (gsize) n, ph_value_dtype (starts));
}

/* Permutes an operand that has one number per axis in each of @rows rows (begins and ends of pads). */
static PhValue *
move_by_axis (PhBuilder *b, const PhValue *value, guint rows, const PhAxisOrder *layout)
{
  PhTensor *tensor = ph_value_constant (value), *moved;
  gint64 n = layout->rank * (gint64) rows;

  if (tensor == NULL || (gint64) ph_tensor_count (tensor) != n)
    return NULL;
  moved = ph_tensor_new (ph_tensor_dtype (tensor), 1, &n);
  for (gint64 i = 0; i < n; i++)
    {
      gsize from = (gsize) (i / layout->rank * layout->rank + layout->perm[i % layout->rank]);

      if (ph_dtype_is_float (ph_tensor_dtype (tensor)))
        ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (moved), (gsize) i, ph_tensor_get (tensor, from));
      else
        ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (moved), (gsize) i, ph_tensor_get_int (tensor, from));
    }
  return ph_build_tensor (b, moved);
}

static gboolean
move_parameters (PhBuilder *b, const PhNode *node, PhValue **inputs, guint *n, const PhAxisOrder *layout)
{
  gboolean ok = TRUE;

  if (IS_IN (node->op, reductions))
    ok = (inputs[1] = move_axes (b, inputs[1], layout)) != NULL;
  else if (node->op == &ph_op_Tile)
    ok = (inputs[1] = move_by_axis (b, inputs[1], 1, layout)) != NULL;
  else if (node->op == &ph_op_Resize)
    for (guint i = 2; i < *n; i++)
      {
        if (inputs[i] != NULL && ph_value_dim (inputs[i], 0) != 0)
          ok &= (inputs[i] = move_by_axis (b, inputs[i], 1, layout)) != NULL;
      }
  else if (node->op == &ph_op_Pad && *n > 3 && inputs[3] != NULL)
    ok = (inputs[3] = move_axes (b, inputs[3], layout)) != NULL;
  else if (node->op == &ph_op_Pad)
    ok = (inputs[1] = move_by_axis (b, inputs[1], 2, layout)) != NULL;
  else if (node->op == &ph_op_Slice)
    {
      inputs[3] = *n > 3 && inputs[3] != NULL ? move_axes (b, inputs[3], layout) : all_axes (b, inputs[1], layout);
      *n = MAX (*n, 4);
      ok = inputs[3] != NULL;
    }
  return ok;
}

PhValue *
ph_axis_order_rebuild (PhBuilder *b, const PhNode *node, PhValue **inputs, const PhAxisOrder *layout)
{
  static const char *const axis_name[] = { "axis", NULL };
  g_autofree PhValue **own = g_new0 (PhValue *, node->inputs->len + 4);
  guint n_attrs, n = node->inputs->len;
  gboolean has_axis = IS_IN (node->op, with_axis) || (is_quantisation (node) && ph_value_rank (ph_node_input (node, 1)) == 1);
  g_autofree PhAttr **attrs = ph_node_copy_attrs (node, has_axis ? axis_name : NULL, &n_attrs);

  memcpy (own, inputs, n * sizeof *own);
  if (has_axis)
    {
      int axis = ph_axis_of (ph_node_attr_int (node, "axis", is_quantisation (node) ? 1 : default_axis (node->op)), layout->rank);

      attrs[n_attrs++] = ph_attr_new_int ("axis", axis >= 0 ? layout->inverse[axis] : 0);
    }
  if (!move_parameters (b, node, own, &n, layout))
    {
      for (guint i = 0; i < n_attrs; i++)
        ph_attr_unref (attrs[i]);
      return NULL;
    }
  return ph_build_node (b, node->op, own, n, attrs, node->outputs->len);
}
