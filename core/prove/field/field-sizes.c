/* field-sizes.c: reduces the number of channels to as few as are representative.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/op-list.h"
#include "core/prove/field/field-graph.h"
#include "core/run/recipe.h"

/* Sizes up to this one stay unchanged: constants with fewer elements are no variables. */
#define LEAST 4

/* Returns TRUE for operators where a size only determines how often the same is done, or how many equal terms are summed; equal sizes stay
 * equal, and others stay distinct. So an identity proved for a few channels, all weights of which are variables, holds for any number. */
static gboolean
is_uniform (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const uniform[] = {
    &ph_op_BatchNormalization, &ph_op_MatMul, &ph_op_Identity, &ph_op_Unsqueeze, &ph_op_Squeeze, &ph_op_Reshape, &ph_op_Expand,
    &ph_op_ReduceSum, &ph_op_Sum, &ph_op_Concat, NULL
  };
  /* clang-format on */
  const PhValue *weights = ph_node_input (node, 1);
  const PhType *type = weights != NULL ? weights->type : NULL;

  if (node->op == NULL || (node->graphs != NULL && node->graphs->len > 0))
    return FALSE;
  if (node->op == &ph_op_Conv)
    {
      const gint64 groups = ph_node_attr_int (node, "group", 1);

      /* One group, or one for each channel. */
      return type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && type->rank >= 4
             && (groups == 1 || (type->dims[0].size == groups && type->dims[1].size == 1));
    }
  if (node->op == &ph_op_ConvTranspose)
    return type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && type->rank >= 4
           && ph_node_attr_int (node, "group", 1) == 1;
  /* Splitting needs explicit sizes. */
  if (node->op == &ph_op_Split)
    return weights != NULL && ph_value_constant (weights) != NULL;
  for (guint i = 0; uniform[i] != NULL; i++)
    if (node->op == uniform[i])
      return TRUE;
  return (node->op->flags & PH_OP_ELEMENTWISE) != 0;
}

static gboolean
is_uniform_throughout (const PhNode *node)
{
  if (!is_uniform (node))
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);
      PhModel *recipe = value != NULL && value->tensor != NULL ? ph_recipe_of (value->tensor) : NULL;

      if (recipe == NULL || recipe->graph == node->graph)
        continue;
      PH_FOREACH_NODE (step, recipe->graph)
        if (!is_uniform_throughout (step))
          return FALSE;
    }
  return TRUE;
}

/* Returns the number of axes whose size may shrink: not those of an image. */
static guint
n_axes (guint rank)
{
  return rank >= 4 ? 2 : rank;
}

/* In the order of the variables, since sizes must not depend on which is larger. */
static GHashTable *
sizes_of (GHashTable *variables)
{
  g_autoptr (GHashTable) fewer = g_hash_table_new (NULL, NULL);
  const guint n = g_hash_table_size (variables);
  g_autofree PhTensor **tensors = g_new0 (PhTensor *, n + 1);
  GHashTableIter iter;
  gpointer tensor, variable;
  gint64 next = LEAST + 1;
  gboolean any = FALSE;

  g_hash_table_iter_init (&iter, variables);
  while (g_hash_table_iter_next (&iter, &tensor, &variable))
    tensors[GPOINTER_TO_UINT (variable) - 1] = tensor;
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n_axes (ph_tensor_rank (tensors[i])); k++)
      {
        const gint64 size = ph_tensor_dims (tensors[i])[k];

        if (size <= LEAST || g_hash_table_contains (fewer, GSIZE_TO_POINTER ((gsize) size)))
          continue;
        any = any || size != next;
        g_hash_table_insert (fewer, GSIZE_TO_POINTER ((gsize) size), GSIZE_TO_POINTER ((gsize) next++));
      }
  /* Sizes that are sums of others, as in a concatenation, must not coincide with them. */
  return any && next <= 2 * LEAST + 3 ? g_steal_pointer (&fewer) : NULL;
}

GHashTable *
ph_field_sizes_find (PhModel *before, PhModel *after, GHashTable *variables)
{
  for (guint side = 0; side < 2; side++)
    PH_FOREACH_NODE (node, (side == 0 ? before : after)->graph)
      if (!is_uniform_throughout (node))
        return NULL;
  return sizes_of (variables);
}

GHashTable *
ph_field_sizes_of_nodes (GPtrArray *before, GPtrArray *after, GHashTable *variables)
{
  gboolean has_window = FALSE;

  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < (side == 0 ? before : after)->len; i++)
      {
        const PhNode *node = (side == 0 ? before : after)->pdata[i];

        has_window = has_window || node->op == &ph_op_Conv || node->op == &ph_op_ConvTranspose;
        if (!is_uniform_throughout (node))
          return NULL;
      }
  return has_window ? sizes_of (variables) : NULL;
}

gint64
ph_field_sizes_fewer (GHashTable *sizes, gint64 size)
{
  const gsize fewer = size > LEAST ? GPOINTER_TO_SIZE (g_hash_table_lookup (sizes, GSIZE_TO_POINTER ((gsize) size))) : 0;

  return fewer > 0 ? (gint64) fewer : size;
}

void
ph_field_sizes_apply (GHashTable *sizes, guint rank, gint64 *dims)
{
  for (guint k = 0; sizes != NULL && k < n_axes (rank); k++)
    dims[k] = ph_field_sizes_fewer (sizes, dims[k]);
}

/* Adapts a constant that gives a shape to the smaller sizes. */
PhTensor *
ph_field_sizes_constant (const PhField *field, PhTensor *tensor)
{
  PhTensor *copy;

  if (field->sizes == NULL || ph_tensor_dtype (tensor) != PH_INT64 || ph_tensor_rank (tensor) != 1)
    return ph_tensor_ref (tensor);
  copy = ph_tensor_new (PH_INT64, 1, ph_tensor_dims (tensor));
  for (gsize i = 0; copy != NULL && i < ph_tensor_count (tensor); i++)
    ph_dtype_store_int (PH_INT64, ph_tensor_writable (copy), i,
                        ph_field_sizes_fewer (field->sizes, ph_tensor_get_int (tensor, i)));
  return copy;
}
