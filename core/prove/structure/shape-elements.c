/* shape-elements.c: follows shapes that a graph computes with.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/structure/shape-elements.h"

#include <string.h>

#include "core/graph/graph.h"
#include "core/ops/facts.h"
#include "core/ops/infer.h"
#include "core/ops/op-list.h"
#include "core/tensor/origin.h"

/* The most nodes between a value and the shape that it came from. */
#define MAX_DEPTH 12

/* The symbol of a dimension that is not known; it may be left out later. */
static const char unknown[] = "?";

static gboolean find (const PhValue *value, guint depth, PhShapeElements *elements);

static gboolean
is_number (PhDim element)
{
  return element.symbol == NULL;
}

static gboolean
find_constant (PhTensor *tensor, PhShapeElements *elements)
{
  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) != PH_INT64 || ph_tensor_rank (tensor) > 1
      || ph_tensor_count (tensor) > PH_MAX_RANK || ph_tensor_is_deferred (tensor))
    return FALSE;
  elements->rank = ph_tensor_rank (tensor);
  elements->n = (guint) ph_tensor_count (tensor);
  for (guint i = 0; i < elements->n; i++)
    elements->at[i] = PH_DIM (ph_tensor_get_int (tensor, i));
  return TRUE;
}

/* Returns the type of @value if made-up values of it are of these shapes in a trial too. (nullable) */
static const PhType *
shape_of (const PhValue *value)
{
  const PhType *type = value != NULL ? value->type : NULL;

  /* Symbols of a body or a function may be others of the same name. */
  if (type == NULL || value->graph->owner != NULL || value->graph->function != NULL || type->kind != PH_KIND_TENSOR
      || !type->has_rank || type->rank > PH_MAX_RANK)
    return NULL;
  return type->dtype == PH_FLOAT || type->dtype == PH_DOUBLE || value->is_input ? type : NULL;
}

static gboolean
find_shape (const PhNode *node, PhShapeElements *elements)
{
  const PhType *type = shape_of (ph_node_input (node, 0));
  gint64 start, end;

  if (type == NULL)
    return FALSE;
  start = ph_node_attr_int (node, "start", 0);
  end = ph_node_attr_int (node, "end", type->rank);
  start = CLAMP (start < 0 ? start + type->rank : start, 0, type->rank);
  end = CLAMP (end < 0 ? end + type->rank : end, 0, type->rank);
  elements->rank = 1;
  elements->n = 0;
  for (gint64 i = start; i < end; i++)
    elements->at[elements->n++] = ph_dim_equal (type->dims[i], type->dims[i]) ? type->dims[i]
                                                                              : (PhDim) { .size = -1, .symbol = unknown };
  return TRUE;
}

static gboolean
find_gathered (const PhNode *node, guint depth, PhShapeElements *elements)
{
  PhShapeElements data, indices;

  if (!find (ph_node_input (node, 0), depth, &data) || data.rank != 1 || !find (ph_node_input (node, 1), depth, &indices))
    return FALSE;
  elements->rank = indices.rank;
  elements->n = indices.n;
  for (guint i = 0; i < indices.n; i++)
    {
      const gint64 size = indices.at[i].size, at = size < 0 ? size + data.n : size;

      if (!is_number (indices.at[i]) || at < 0 || at >= data.n)
        return FALSE;
      elements->at[i] = data.at[at];
    }
  return TRUE;
}

static gboolean
find_joined (const PhNode *node, guint depth, PhShapeElements *elements)
{
  elements->rank = 1;
  elements->n = 0;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhShapeElements part;

      if (!find (ph_node_input (node, i), depth, &part) || part.rank != 1 || elements->n + part.n > PH_MAX_RANK)
        return FALSE;
      for (guint k = 0; k < part.n; k++)
        elements->at[elements->n++] = part.at[k];
    }
  return TRUE;
}

/* The axes of Unsqueeze and Squeeze are those of the only dimension there is. */
static gboolean
find_rewrapped (const PhNode *node, guint depth, PhShapeElements *elements)
{
  const guint rank = node->op == &ph_op_Unsqueeze;
  PhShapeElements axes = { .n = 0 };

  if (ph_node_input (node, 1) == NULL || !find (ph_node_input (node, 1), depth, &axes) || axes.rank != 1 || axes.n != 1
      || !is_number (axes.at[0]) || (axes.at[0].size != 0 && axes.at[0].size != -1)
      || !find (ph_node_input (node, 0), depth, elements) || elements->rank == rank || elements->n != 1)
    return FALSE;
  elements->rank = rank;
  return TRUE;
}

/* Finds elements of which some may not be known. */
static gboolean
find (const PhValue *value, guint depth, PhShapeElements *elements)
{
  PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;
  const PhNode *node = value != NULL ? value->producer : NULL;

  if (constant != NULL)
    return find_constant (constant, elements);
  if (node == NULL || depth == MAX_DEPTH)
    return FALSE;
  if (node->op == &ph_op_Shape)
    return find_shape (node, elements);
  if (node->op == &ph_op_Gather)
    return ph_node_attr_int (node, "axis", 0) == 0 && find_gathered (node, depth + 1, elements);
  if (node->op == &ph_op_Concat)
    return find_joined (node, depth + 1, elements);
  if (node->op == &ph_op_Unsqueeze || node->op == &ph_op_Squeeze)
    return find_rewrapped (node, depth + 1, elements);
  return node->op == &ph_op_Identity && find (ph_node_input (node, 0), depth + 1, elements);
}

gboolean
ph_shape_elements_find (const PhValue *value, PhShapeElements *elements)
{
  if (ph_value_dtype (value) != PH_INT64 || !find (value, 0, elements))
    return FALSE;
  for (guint i = 0; i < elements->n; i++)
    if (elements->at[i].symbol == unknown)
      return FALSE;
  return TRUE;
}

gboolean
ph_shape_elements_of_target (const PhNode *node, PhTensor *constant, PhShapeElements *elements)
{
  const PhType *type = shape_of (ph_node_input (node, 0));

  if (type == NULL || ph_node_attr_int (node, "allowzero", 0) != 0 || ph_node_input (node, 1) == NULL
      || !(constant != NULL ? find_constant (constant, elements) : ph_shape_elements_find (ph_node_input (node, 1), elements)))
    return FALSE;
  for (guint i = 0; i < elements->n; i++)
    if (is_number (elements->at[i]) && elements->at[i].size == 0 && i < type->rank && ph_dim_equal (type->dims[i], type->dims[i]))
      elements->at[i] = type->dims[i];
  return TRUE;
}

/* @followed: (nullable) the type by inference alone */
static gboolean
says_more (const PhType *type, const PhType *followed)
{
  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank)
    return FALSE;
  if (followed == NULL || followed->kind != PH_KIND_TENSOR || !followed->has_rank || followed->rank != type->rank)
    return TRUE;
  for (guint i = 0; i < type->rank; i++)
    if ((ph_dim_known (type->dims[i]) || type->dims[i].symbol != NULL) && !ph_dim_known (followed->dims[i])
        && followed->dims[i].symbol == NULL)
      return TRUE;
  return FALSE;
}

gboolean
ph_shapes_are_in (const GPtrArray *nodes)
{
  for (guint n = 0; n < nodes->len; n++)
    {
      const PhNode *node = nodes->pdata[n];

      if (ph_value_dtype (ph_node_output (node, 0)) == PH_INT64)
        return TRUE;
      for (guint i = 0; i < node->inputs->len; i++)
        if (ph_node_input (node, i) != NULL && ph_value_dtype (ph_node_input (node, i)) == PH_INT64)
          return TRUE;
    }
  return FALSE;
}

gboolean
ph_shapes_follow (PhModel *model)
{
  g_autoptr (PhModel) clone = ph_model_clone (model);

  PH_FOREACH_NODE (node, clone->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      if (ph_node_output (node, i) != NULL)
        ph_node_output (node, i)->type = NULL;
  if (!ph_infer_model (clone, FALSE, NULL, NULL))
    return FALSE;
  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        const PhValue *value = ph_node_output (node, i), *same = value != NULL ? ph_model_find_value (clone, value->id) : NULL;

        if (value != NULL && (same == NULL || says_more (value->type, same->type)))
          return FALSE;
      }
  return TRUE;
}

PhTensor *
ph_shape_elements_to_tensor (const PhShapeElements *elements)
{
  const gint64 dims[] = { elements->n };
  gint64 numbers[PH_MAX_RANK];
  PhTensor *tensor;

  for (guint i = 0; i < elements->n; i++)
    if (!is_number (elements->at[i]))
      return NULL;
    else
      numbers[i] = elements->at[i].size;
  tensor = ph_tensor_new (PH_INT64, elements->rank, dims);
  memcpy (ph_tensor_writable (tensor), numbers, elements->n * sizeof *numbers);
  return tensor;
}

void
ph_shape_elements_add_to_key (const PhShapeElements *elements, PhKey *key)
{
  ph_key_add_int (key, elements->rank);
  for (guint i = 0; i < elements->n; i++)
    {
      ph_key_add_int (key, elements->at[i].size);
      ph_key_add_pointer (key, elements->at[i].symbol);
    }
}
