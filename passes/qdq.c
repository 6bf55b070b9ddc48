/* qdq.c: removes adjacent pairs of quantization and dequantization, and moves them to become adjacent.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* Returns TRUE for a constant, finite and positive scale of the whole tensor, with a constant or absent zero point. */
static gboolean
is_per_tensor (const PhNode *node)
{
  double scale;

  return ph_value_is_single (ph_node_input (node, 1)) && ph_value_number (ph_node_input (node, 1), &scale) && isfinite (scale)
         && scale > 0 && (ph_node_input (node, 2) == NULL || ph_value_constant (ph_node_input (node, 2)) != NULL);
}

static gboolean
same_constant (const PhValue *a, const PhValue *b)
{
  PhTensor *x = a != NULL ? ph_value_constant (a) : NULL, *y = b != NULL ? ph_value_constant (b) : NULL;

  if (a == NULL || b == NULL)
    return a == b;
  return x != NULL && y != NULL && ph_tensor_equal (x, y);
}

static gboolean
is_byte (const PhValue *value)
{
  return ph_value_dtype (value) == PH_INT8 || ph_value_dtype (value) == PH_UINT8;
}

/* Returns the bits of precision of @dtype, and its largest number. */
static guint
precision (PhDType dtype, double *largest)
{
  *largest = dtype == PH_FLOAT16 ? 65504 : dtype == PH_BFLOAT16 ? 3.3895313892515355e38 : 3.4028234663852886e38;
  return dtype == PH_FLOAT16 ? 11 : dtype == PH_FLOAT ? 24 : dtype == PH_DOUBLE ? 53 : 0;
}

/* Returns TRUE if the element types are precise enough: for any bytes q and z, (q - z) * s is finite, and its rounded quotient by s is
 * nearest to q - z. bfloat16 is too coarse. */
static gboolean
is_precise (const PhNode *quantise, const PhNode *dequantise)
{
  PhDType types[] = { ph_value_dtype (ph_node_input (dequantise, 1)), ph_value_dtype (ph_node_output (dequantise, 0)),
                      (PhDType) ph_node_attr_int (quantise, "precision", 0) };
  double scale, largest;

  if (!ph_value_number (ph_node_input (dequantise, 1), &scale))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i] != PH_UNDEFINED || i < 2)
      if (precision (types[i], &largest) < 11 || scale > largest / 256)
        return FALSE;
  return TRUE;
}

/* Returns TRUE if the node quantizes with the scale and zero point of the preceding dequantization: (q - z) * s / s rounds to q - z, as a
 * byte is small enough. */
static gboolean
undoes (PhMatch *match)
{
  const PhNode *quantise = match->node[0], *dequantise = match->node[1];

  return is_precise (quantise, dequantise) && is_per_tensor (quantise) && is_per_tensor (dequantise) && is_byte (match->slot[0])
         && ph_value_dtype (match->slot[0]) == ph_value_dtype (ph_node_output (quantise, 0))
         && same_constant (ph_node_input (quantise, 1), ph_node_input (dequantise, 1))
         && same_constant (ph_node_input (quantise, 2), ph_node_input (dequantise, 2));
}

/* Returns TRUE if no window of a pool is empty, because of dilations or padding: the maximum of nothing is not the least byte. */
static gboolean
sees_elements (const PhNode *pool)
{
  gsize n_dilations = 0, n_pads = 0;
  const gint64 *dilations = ph_node_attr_ints (pool, "dilations", &n_dilations),
               *pads = ph_node_attr_ints (pool, "pads", &n_pads);
  gboolean dilated = FALSE, padded = FALSE;

  for (gsize i = 0; i < n_dilations; i++)
    dilated |= dilations[i] != 1;
  for (gsize i = 0; i < n_pads; i++)
    padded |= pads[i] != 0;
  padded |= g_str_has_prefix (ph_node_attr_string (pool, "auto_pad", "NOTSET"), "SAME")
            || ph_node_attr_int (pool, "ceil_mode", 0) != 0;
  return !dilated || !padded;
}

/* Returns TRUE for operators that only move or select elements. MaxPool selects the same byte because scales are positive. */
static gboolean
moves (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_Reshape, &ph_op_Transpose, &ph_op_Squeeze, &ph_op_Unsqueeze, &ph_op_Flatten, &ph_op_Slice, &ph_op_Gather, &ph_op_Expand,
    &ph_op_Tile, &ph_op_DepthToSpace, &ph_op_SpaceToDepth, NULL
  };
  /* clang-format on */

  if (node->op == &ph_op_MaxPool)
    return node->outputs->len == 1 && sees_elements (node);
  return ph_op_is_any (node->op, ops);
}

/* Moves only towards a QuantizeLinear, to meet it: Q (move (DQ (x))). */
static gboolean
can_move_down (PhMatch *match)
{
  PhNode *node = match->root, *user;
  PhValue *x = ph_node_input (node, 0);
  const PhNode *dequantise = x != NULL ? x->producer : NULL;

  if (node->op == NULL || !moves (node) || dequantise == NULL || dequantise->op != &ph_op_DequantizeLinear
      || dequantise->graph != node->graph || ph_value_only_user (x) != node || !is_per_tensor (dequantise))
    return FALSE;
  user = ph_value_only_user (ph_node_output (node, 0));
  return user != NULL && (user->op == &ph_op_QuantizeLinear || moves (user));
}

static PhValue *
build_moved (PhMatch *match, PhBuilder *b)
{
  const PhNode *node = match->root, *dequantise = ph_node_input (node, 0)->producer;
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  g_autofree PhValue **after = g_memdup2 (dequantise->inputs->pdata, dequantise->inputs->len * sizeof (PhValue *));

  inputs[0] = ph_node_input (dequantise, 0);
  after[0] = ph_build_like (b, node, inputs, node->inputs->len);
  return ph_build_like (b, dequantise, after, dequantise->inputs->len);
}

static const PhOp *const dequantisation[] = { &ph_op_DequantizeLinear, NULL };

static const PhRule rules[] = {
  { "quantise-dequantised", P (QuantizeLinear, P_SHARED (DequantizeLinear, X)), X, .when = undoes,
    .why = "Quantising with the same scale and zero point restores the same integers." },
  { "move-dequantise", .needs = dequantisation, .when = can_move_down, .build = build_moved,
    .matches = "Reshape(DequantizeLinear(x))", .becomes = "DequantizeLinear(Reshape(x))",
    .why = "Scaling each element commutes with moving elements, so the smaller type is moved." },
};

/* clang-format off */
const PhPass ph_pass_qdq = {
  .name = "qdq", .group = "quantisation", .summary = "Cancels quantisation of dequantised values, and moves the two operators next to each other",
  .elsewhere = "ONNX Runtime DoubleQDQPairsRemover, QDQPropagation",
  .trap = "two different scales do not cancel; an axis moves with a Transpose; a negative scale turns Max into Min; bfloat16 is too coarse, and a large scale overflows.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
