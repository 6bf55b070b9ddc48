/* rows.c: representative sizes: axes along which elements are only moved, and images under sliding windows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/rows.h"

#include "core/ops/facts.h"
#include "core/ops/op-list.h"
#include "core/prove/bounds.h"

/* Bit i is the axis i from the right, as in broadcasting. */
#define LAST     ((guint64) 1)
#define LAST_TWO ((guint64) 3)

static guint
rank_of (const PhValue *value)
{
  const PhType *type = value != NULL ? value->type : NULL;

  return type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank ? type->rank : 0;
}

/* Returns the axes along which constant operands fix the length. */
static guint64
extents_of (const PhNode *node, guint first)
{
  guint64 extents = 0;

  for (guint i = first; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);
      PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;
      const guint rank = constant != NULL ? ph_tensor_rank (constant) : 0;

      for (guint k = 0; k < rank; k++)
        if (ph_tensor_dims (constant)[k] != 1)
          extents |= (guint64) 1 << (rank - 1 - k);
    }
  return extents;
}

static gboolean
is_last_axis (gint64 axis, const PhValue *value)
{
  return axis == -1 || (rank_of (value) > 0 && axis == (gint64) rank_of (value) - 1);
}

/* Returns TRUE if the node reduces only the last axis, which keeps one element. */
static gboolean
reduces_last (const PhNode *node)
{
  const PhValue *axes = ph_node_input (node, 1);
  PhTensor *constant = axes != NULL ? ph_value_constant (axes) : NULL;

  return constant != NULL && ph_tensor_count (constant) == 1 && ph_node_attr_int (node, "keepdims", 1) == 1
         && is_last_axis (ph_tensor_get_int (constant, 0), ph_node_input (node, 0));
}

/* Sets @axes to those along which @node computes. Returns FALSE if it could be any. */
static gboolean
axes_of_node (const PhNode *node, guint64 *axes)
{
  static const PhOp *const plain[] = { &ph_op_Min, &ph_op_Max, &ph_op_Sum, &ph_op_Mean, NULL };
  static const PhOp *const along[] = { &ph_op_Softmax, &ph_op_LogSoftmax, &ph_op_LayerNormalization, &ph_op_RMSNormalization,
                                       NULL };
  static const PhOp *const reductions[] = {
    &ph_op_ReduceMean, &ph_op_ReduceSum, &ph_op_ReduceMax, &ph_op_ReduceMin, &ph_op_ReduceL2, &ph_op_ReduceSumSquare, NULL
  };
  const PhOp *op = node->op;

  if (op == NULL || op == &ph_op_BitCast)
    return FALSE;
  *axes = 0;
  if ((op->flags & PH_OP_ELEMENTWISE) || ph_op_is_any (op, plain))
    *axes = extents_of (node, 0);
  else if (ph_op_is_any (op, along) && is_last_axis (ph_node_attr_int (node, "axis", -1), ph_node_input (node, 0)))
    *axes = LAST | extents_of (node, 0);
  else if (ph_op_is_any (op, reductions) && reduces_last (node))
    *axes = LAST;
  else if (op == &ph_op_MatMul && rank_of (ph_node_input (node, 0)) >= 2 && rank_of (ph_node_input (node, 1)) >= 2)
    {
      const gboolean weights = ph_value_constant (ph_node_input (node, 1)) != NULL && rank_of (ph_node_input (node, 1)) == 2;

      *axes = weights ? LAST : LAST_TWO | extents_of (node, 0);
    }
  else
    return FALSE;
  return TRUE;
}

static gboolean
axes_of_any (const PhNode *node, guint64 *axes)
{
  guint64 own = 0;

  if (!ph_node_is_fused (node))
    {
      if (node->graphs != NULL || !axes_of_node (node, &own))
        return FALSE;
      *axes |= own;
      return TRUE;
    }
  PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[0])
    if (!axes_of_any (inner, axes))
      return FALSE;
  return TRUE;
}

guint64
ph_rows_of (const PhRegion *region)
{
  guint64 axes = 0;

  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;

      for (guint i = 0; i < nodes->len; i++)
        if (!axes_of_any (nodes->pdata[i], &axes))
          return 0;
    }
  return ~axes;
}

gint64
ph_rows_limit (guint64 rows, gint64 dim, guint axis, guint rank, gint64 most)
{
  return most > 0 && dim > most && rank - 1 - axis < 64 && (rows >> (rank - 1 - axis) & 1) ? most : dim;
}

/* ── spatial sizes ── */

/* Larger values mean "to the end". */
#define MOST_SIZE 1000000

static void
at_least (gint64 *least, gint64 value)
{
  value = value < 0 ? -value : value;
  if (value < MOST_SIZE)
    *least = MAX (*least, value + 1);
}

static gint64
int_at (const PhAttr *attr, gsize i, gint64 fallback)
{
  return attr != NULL && attr->kind == PH_ATTR_INTS && i < attr->n ? attr->ints[i] : fallback;
}

/* Requires room for two neighbouring windows. Returns FALSE if @node has no window. */
static gboolean
add_window (const PhNode *node, gint64 *least)
{
  static const PhOp *const convolutions[] = { &ph_op_Conv, &ph_op_ConvTranspose, NULL };
  static const PhOp *const pools[] = { &ph_op_MaxPool, &ph_op_AveragePool, &ph_op_LpPool, NULL };
  const PhValue *weights = ph_node_input (node, 1);
  PhTensor *constant = ph_op_is_any (node->op, convolutions) && weights != NULL ? ph_value_constant (weights) : NULL;
  const PhAttr *kernel = ph_node_attr (node, "kernel_shape"), *dilations = ph_node_attr (node, "dilations"),
               *strides = ph_node_attr (node, "strides");
  const gsize n = constant != NULL && ph_tensor_rank (constant) >= 2 ? ph_tensor_rank (constant) - 2
                  : kernel != NULL && kernel->kind == PH_ATTR_INTS   ? kernel->n
                                                                     : 0;

  if (n == 0 || (!ph_op_is_any (node->op, convolutions) && !ph_op_is_any (node->op, pools)))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      const gint64 size = constant != NULL ? ph_tensor_dims (constant)[i + 2] : int_at (kernel, i, 1);

      at_least (least, (size - 1) * int_at (dilations, i, 1) + int_at (strides, i, 1) - 1);
    }
  return TRUE;
}

static void
add_integers (const PhNode *node, gint64 *least)
{
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];

      if (attr->kind == PH_ATTR_INT)
        at_least (least, attr->i);
      for (gsize k = 0; attr->kind == PH_ATTR_INTS && k < attr->n; k++)
        at_least (least, attr->ints[k]);
    }
}

static void
add_constants (const PhNode *node, gint64 *least)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);
      PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;

      if (constant == NULL || ph_tensor_kind (constant) != PH_KIND_TENSOR || !ph_dtype_is_integer (ph_tensor_dtype (constant)))
        continue;
      for (gsize k = 0; k < MIN (ph_tensor_count (constant), MOST_SIZE); k++)
        at_least (least, ph_tensor_get_int (constant, k));
    }
}

/* @window: the size that windows need; @least: the size that integers need. */
static void
add_node (const PhNode *node, gint64 *least, gint64 *window)
{
  if (!add_window (node, window))
    add_integers (node, least);
  add_constants (node, least);
  for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
    PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[g])
      add_node (inner, least, window);
}

void
ph_rows_least (const PhRegion *region, gint64 *batch, gint64 *image)
{
  *batch = *image = 2;
  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;

      for (guint i = 0; i < nodes->len; i++)
        add_node (nodes->pdata[i], batch, image);
    }
  *image = MAX (*image, *batch);
}

/* ── poles ── */

static gboolean
is_never_zero (const PhValue *value)
{
  const PhBounds bounds = value != NULL ? ph_value_bounds (value) : PH_BOUNDS_NONE;

  return bounds.low > 0 || bounds.high < 0;
}

gboolean
ph_node_is_pole_free (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_Add, &ph_op_Sub, &ph_op_Mul, &ph_op_Sum, &ph_op_Neg, &ph_op_Abs, &ph_op_Relu, &ph_op_Clip, &ph_op_Max, &ph_op_Min,
    &ph_op_LeakyRelu, &ph_op_PRelu, &ph_op_HardSwish, &ph_op_HardSigmoid, &ph_op_Sigmoid, &ph_op_Tanh, &ph_op_Erf, &ph_op_Gelu,
    &ph_op_Swish, &ph_op_Identity, &ph_op_Conv, &ph_op_ConvTranspose, &ph_op_MatMul, &ph_op_Gemm, &ph_op_BatchNormalization,
    &ph_op_Reshape, &ph_op_Transpose, &ph_op_Unsqueeze, &ph_op_Squeeze, &ph_op_Flatten, &ph_op_Concat, &ph_op_Split,
    &ph_op_ReduceSum, &ph_op_ReduceMean, &ph_op_GlobalAveragePool, &ph_op_Softmax, NULL
  };
  /* clang-format on */

  if (ph_node_is_fused (node))
    return ph_graph_is_pole_free (node->graphs->pdata[0]);
  if (node->op == &ph_op_BatchNormalization)
    return ph_node_input (node, 4) != NULL && ph_value_constant (ph_node_input (node, 4)) != NULL;
  if (node->op == &ph_op_LayerNormalization)
    return ph_node_attr_float (node, "epsilon", 1e-5f) > 0;
  if (node->op == &ph_op_Div)
    return is_never_zero (ph_node_input (node, 1));
  if (node->op == &ph_op_Sqrt)
    return ph_node_input (node, 0) != NULL && ph_value_bounds (ph_node_input (node, 0)).low >= 0;
  return ph_op_is_any (node->op, ops);
}

gboolean
ph_graph_is_pole_free (const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    if (!ph_node_is_pole_free (node))
      return FALSE;
  return TRUE;
}

gboolean
ph_graph_moves_floats (const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    for (guint k = 0; k < node->outputs->len; k++)
      if (!ph_type_is_whole (ph_node_output (node, k)->type)
          && (node->op == NULL || (node->op->flags & PH_OP_DATA_MOVEMENT) == 0))
        return FALSE;
  return TRUE;
}

gboolean
ph_graph_orders_alone (const PhGraph *graph)
{
  static const PhOp *const ops[] = { &ph_op_Min,       &ph_op_Max,     &ph_op_Clip,          &ph_op_Relu, &ph_op_ReduceMin,
                                     &ph_op_ReduceMax, &ph_op_MaxPool, &ph_op_GlobalMaxPool, NULL };

  PH_FOREACH_NODE (node, graph)
    if (!ph_op_is_any (node->op, ops) && (node->op == NULL || (node->op->flags & PH_OP_DATA_MOVEMENT) == 0))
      return FALSE;
  return TRUE;
}
