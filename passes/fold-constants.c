/* fold-constants.c: evaluates nodes whose operands are constants.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/fold.h"

#include "core/run/executor.h"

/* A larger result is kept only if it is not much larger than the operands: Tile and Expand can turn a few bytes into a gigabyte. */
#define LARGE (1 << 20)

/* Returns TRUE for data movement that only copies elements: from a splat it makes a splat. */
static gboolean
only_moves (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_Identity, &ph_op_Reshape, &ph_op_Transpose, &ph_op_Squeeze, &ph_op_Unsqueeze, &ph_op_Flatten, &ph_op_Expand,
    &ph_op_Tile, &ph_op_Slice, &ph_op_Split, &ph_op_Gather, &ph_op_DepthToSpace, &ph_op_SpaceToDepth, NULL
  };
  /* clang-format on */

  return ph_op_is_any (node->op, ops);
}

/* Returns TRUE if indices are in range: otherwise the node is not folded. */
static gboolean
indices_fit (const PhNode *node, PhTensor *const *inputs)
{
  gint64 axis, size;

  if (node->op != &ph_op_Gather)
    return TRUE;
  axis = ph_axis_of (ph_node_attr_int (node, "axis", 0), ph_tensor_rank (inputs[0]));
  size = axis >= 0 ? ph_tensor_dims (inputs[0])[axis] : 0;
  for (gsize i = 0; i < ph_tensor_count (inputs[1]); i++)
    {
      gint64 at = ph_tensor_get_int (inputs[1], i);

      if (at < -size || at >= size)
        return FALSE;
    }
  return TRUE;
}

static PhTensor *
splat_as (const PhType *type, PhTensor *element)
{
  gint64 dims[PH_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_tensor_new_splat (type->dtype, type->rank, dims, ph_tensor_data (element));
}

/* Returns the single element of @tensor as a scalar, or NULL if its elements differ. */
static PhTensor *
one_element (PhTensor *tensor)
{
  guint8 *element;
  gsize size = ph_dtype_size (ph_tensor_dtype (tensor));
  PhTensor *scalar;

  if (!ph_tensor_is_splat (tensor) || ph_tensor_count (tensor) == 0 || ph_tensor_dtype (tensor) == PH_STRING)
    {
      if (ph_tensor_count (tensor) != 1 || ph_tensor_dtype (tensor) == PH_STRING)
        return NULL;
      return ph_tensor_reshaped (tensor, 0, NULL);
    }
  if (ph_tensor_bytes (tensor) <= 64)
    {
      element = g_memdup2 (ph_tensor_data (tensor), size);
      scalar = ph_tensor_new_splat (ph_tensor_dtype (tensor), 0, NULL, element);
      g_free (element);
      return scalar;
    }
  scalar = ph_tensor_new (ph_tensor_dtype (tensor), 0, NULL);
  if (ph_dtype_is_integer (ph_tensor_dtype (tensor)) || ph_tensor_dtype (tensor) == PH_BOOL)
    ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (scalar), 0, ph_tensor_get_int (tensor, 0));
  else
    ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (scalar), 0, ph_tensor_get (tensor, 0));
  return scalar;
}

static gboolean
outputs_are_static (const PhNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (!ph_value_is_static (ph_node_output (node, k)))
      return FALSE;
  return TRUE;
}

/* Computes on a single element: weights of the light models are mostly one repeated number. */
static gboolean
compute_splat (const PhNode *node, PhTensor *const *inputs, PhTensor **outputs)
{
  PhTensor *scalars[PH_PATTERN_INPUTS] = { NULL };
  g_autoptr (PhTensor) result = NULL;
  gboolean ok = outputs_are_static (node);

  if (!ok || node->inputs->len == 0 || node->outputs->len == 0)
    return FALSE;
  if (node->op == &ph_op_ConstantOfShape)
    {
      PhAttr *value = ph_node_attr (node, "value");

      result = value != NULL ? ph_tensor_ref (value->tensor) : ph_tensor_new_scalar (PH_FLOAT, 0);
      outputs[0] = splat_as (ph_node_output (node, 0)->type, result);
      return TRUE;
    }
  if (only_moves (node) && inputs[0] != NULL && indices_fit (node, inputs) && (result = one_element (inputs[0])) != NULL)
    {
      for (guint k = 0; k < node->outputs->len; k++)
        outputs[k] = splat_as (ph_node_output (node, k)->type, result);
      return TRUE;
    }

  if (!(node->op->flags & PH_OP_ELEMENTWISE) || node->inputs->len > PH_PATTERN_INPUTS || node->outputs->len != 1)
    return FALSE;
  for (guint i = 0; ok && i < node->inputs->len; i++)
    if (inputs[i] != NULL)
      ok = (scalars[i] = one_element (inputs[i])) != NULL;
  if (ok && (ok = ph_run_node (node, scalars, &result, NULL, NULL)))
    outputs[0] = splat_as (ph_node_output (node, 0)->type, result);
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    g_clear_pointer (&scalars[i], ph_tensor_unref);
  return ok;
}

static gboolean
is_worth_its_size (const PhNode *node)
{
  gint64 in = 0, out = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

      if (tensor != NULL && !ph_tensor_is_splat (tensor))
        in += ph_tensor_bytes (tensor);
    }
  for (guint k = 0; k < node->outputs->len; k++)
    {
      gint64 bytes = ph_node_output (node, k)->type != NULL ? ph_type_bytes (ph_node_output (node, k)->type) : -1;

      if (bytes < 0)
        return in < LARGE;
      out += bytes;
    }
  return out <= LARGE || out <= 2 * in;
}

gboolean
ph_fold_can (PhMatch *match)
{
  const PhNode *node = match->root;

  /* A quantized weight must stay quantized; Constant has a rule of its own. */
  if (node->op == NULL || (node->op->flags & PH_OP_RANDOM) || !ph_op_executable (node->op) || node->graphs != NULL
      || node->op == &ph_op_DequantizeLinear || node->op == &ph_op_Constant || ph_node_is_tied (node))
    return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const PhValue *value = ph_node_output (node, k);

      if (value->type != NULL && value->type->kind != PH_KIND_TENSOR)
        return FALSE;
    }
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_value_constant (ph_node_input (node, i)) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
compute (const PhNode *node, PhTensor **outputs)
{
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, node->inputs->len + 1);

  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL)
      inputs[i] = ph_value_constant (ph_node_input (node, i));
  if (compute_splat (node, inputs, outputs))
    return TRUE;
  /* A failure here would also occur at run time if the node is reached: it stays, to report it then. */
  return is_worth_its_size (node) && ph_run_node (node, inputs, outputs, NULL, NULL);
}

/* Constants in the place of @node's outputs. */
static gboolean
put_constants (PhNode *node, PhTensor *const *tensors, PhBuilder *b)
{
  PhModel *model = node->graph->model;
  guint n = node->outputs->len;
  g_autofree const char **names = g_new0 (const char *, n);
  g_autofree PhId *ids = g_new0 (PhId, n);

  for (guint k = 0; k < n && b->error == NULL; k++)
    {
      PhValue *old = ph_node_output (node, k), *value;

      if (tensors[k] == NULL || ph_value_n_uses (old) == 0)
        continue;
      names[k] = old->name;
      value = ph_graph_add_constant (node->graph, ph_model_unique_name (model, old->name), tensors[k], &b->error);
      if (value == NULL || !ph_value_replace_uses (old, value, &b->error))
        return FALSE;
      ids[k] = value->id;
    }
  if (b->error == NULL)
    ph_graph_remove_dead (node);
  for (guint k = 0; k < n && b->error == NULL; k++)
    if (ids[k] != PH_NO_ID && ph_model_find_value_named (model, names[k]) == NULL)
      ph_value_rename (ph_model_find_value (model, ids[k]), names[k], &b->error);
  return b->error == NULL;
}

static gboolean
all_used_are_there (const PhNode *node, PhTensor *const *tensors)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (ph_value_n_uses (ph_node_output (node, k)) > 0 && (tensors[k] == NULL || ph_tensor_kind (tensors[k]) != PH_KIND_TENSOR))
      return FALSE;
  return TRUE;
}

gboolean
ph_fold (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  guint n = node->outputs->len;
  g_autofree PhTensor **outputs = g_new0 (PhTensor *, n + 1);
  gboolean ok = compute (node, outputs) && all_used_are_there (node, outputs) && put_constants (node, outputs, b);

  for (guint k = 0; k < n; k++)
    g_clear_pointer (&outputs[k], ph_tensor_unref);
  return ok;
}

gboolean
ph_fold_is_tensor_constant (PhMatch *match)
{
  const PhValue *value = ph_node_output (match->root, 0);
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR;
}

gboolean
ph_fold_constant_to_initializer (PhMatch *match, PhBuilder *b)
{
  PhTensor *tensor = ph_value_constant (ph_node_output (match->root, 0));

  return put_constants (match->root, &tensor, b);
}

/* clang-format off */
static const PhRule rules[] = {
  { "constant-to-initializer", .root = &ph_op_Constant, .when = ph_fold_is_tensor_constant,
    .apply = ph_fold_constant_to_initializer,
    .becomes = "initializer", .why = "A Constant node only holds a value, which an initializer holds as well." },
  { "fold", .when = ph_fold_can, .apply = ph_fold, .matches = "f(const)",
    .becomes = "initializer",
    .why = "All inputs are constant, so the result is the same in every run and can be computed now." },
};

const PhPass ph_pass_fold_constants = {
  .name = "fold-constants", .group = "constants", .summary = "Evaluates nodes whose inputs are all constant",
  .elsewhere = "ONNX Runtime ConstantFolding; onnxsim; XLA ConstantFolding; Inductor",
  .trap = "some nodes must stay: random operators, results larger than their operands, quantised weights, "
          "and branches that would fail if they ran.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
