/* version.c: checks an upgraded node against ONNX's list of changes to the operator's version.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/version.h"

#include "core/ops/op-list.h"
#include "core/prove/prove.h"

#include <math.h>
#include <string.h>

/* Attributes that became inputs: from opset @since on, @attr is input @input. From @from to @since nothing else of the operator changed. */
/* clang-format off */
static const struct { const PhOp *op; int from, since; const char *attr; guint input; } moves[] = {
  { &ph_op_Reshape, 1, 5, "shape", 1 }, { &ph_op_Slice, 1, 10, "starts", 1 }, { &ph_op_Slice, 1, 10, "ends", 2 },
  { &ph_op_Slice, 1, 10, "axes", 3 }, { &ph_op_TopK, 1, 10, "k", 1 }, { &ph_op_Clip, 6, 11, "min", 1 }, { &ph_op_Clip, 6, 11, "max", 2 },
  { &ph_op_Pad, 2, 11, "pads", 1 }, { &ph_op_Pad, 2, 11, "value", 2 }, { &ph_op_Dropout, 7, 12, "ratio", 1 },
  { &ph_op_Squeeze, 1, 13, "axes", 1 }, { &ph_op_Unsqueeze, 1, 13, "axes", 1 }, { &ph_op_Split, 2, 13, "split", 1 },
  { &ph_op_ReduceSum, 1, 13, "axes", 1 }, { &ph_op_ReduceMax, 1, 18, "axes", 1 }, { &ph_op_ReduceMin, 1, 18, "axes", 1 },
  { &ph_op_ReduceMean, 1, 18, "axes", 1 }, { &ph_op_ReduceProd, 1, 18, "axes", 1 }, { &ph_op_ReduceL1, 1, 18, "axes", 1 },
  { &ph_op_ReduceL2, 1, 18, "axes", 1 }, { &ph_op_ReduceLogSum, 1, 18, "axes", 1 }, { &ph_op_ReduceLogSumExp, 1, 18, "axes", 1 },
  { &ph_op_ReduceSumSquare, 1, 18, "axes", 1 },
};
/* clang-format on */

typedef struct
{
  const PhNode *was, *is;
  int opset;
} Change;

/* Returns TRUE for equal numbers with equal signs: the sign of zero may affect the result. */
static gboolean
same_number (double a, double b)
{
  return a == b && !signbit (a) == !signbit (b);
}

static gboolean
holds_attr (PhTensor *tensor, const PhAttr *attr)
{
  const gsize n = ph_tensor_kind (tensor) == PH_KIND_TENSOR ? ph_tensor_count (tensor) : 0;

  switch (attr->kind)
    {
    case PH_ATTR_INT: return n == 1 && ph_tensor_dtype (tensor) == PH_INT64 && ph_tensor_get_int (tensor, 0) == attr->i;
    case PH_ATTR_FLOAT:
      return n == 1 && ph_dtype_is_float (ph_tensor_dtype (tensor)) && same_number (ph_tensor_get (tensor, 0), attr->f);
    case PH_ATTR_INTS:
      if (n != attr->n || ph_tensor_dtype (tensor) != PH_INT64 || ph_tensor_rank (tensor) != 1)
        return FALSE;
      for (gsize i = 0; i < n; i++)
        if (ph_tensor_get_int (tensor, i) != attr->ints[i])
          return FALSE;
      return TRUE;
    default: return FALSE;
    }
}

static PhTensor *
constant_at (const PhNode *node, guint input)
{
  const PhValue *value = ph_node_input (node, input);

  return value != NULL ? ph_value_constant (value) : NULL;
}

/* Returns the attribute that became input @i. (nullable) */
static const char *
moved_to (const Change *change, guint i)
{
  for (guint m = 0; m < G_N_ELEMENTS (moves); m++)
    if (moves[m].op == change->was->op && moves[m].input == i && change->opset >= moves[m].from && change->opset < moves[m].since)
      return moves[m].attr;
  return NULL;
}

static gboolean
is_moved (const Change *change, const char *attr)
{
  for (guint m = 0; m < G_N_ELEMENTS (moves); m++)
    if (moves[m].op == change->was->op && g_str_equal (moves[m].attr, attr) && change->opset >= moves[m].from
        && change->opset < moves[m].since)
      return TRUE;
  return FALSE;
}

/* Returns TRUE for an empty input, which marked an absent one before empty names did; Resize only reads its region when cropping. */
static gboolean
is_left_out (const Change *change, guint i)
{
  PhTensor *tensor = constant_at (change->was, i);
  PhAttr *mode = ph_node_attr (change->was, "coordinate_transformation_mode");

  if (change->was->op != &ph_op_Resize || change->opset >= 13 || i == 0 || ph_node_input (change->is, i) != NULL
      || tensor == NULL)
    return FALSE;
  return ph_tensor_count (tensor) == 0
         || (i == 1
             && (mode == NULL || mode->s == NULL || g_bytes_get_size (mode->s) == 0
                 || memcmp (g_bytes_get_data (mode->s, NULL), "tf_crop", MIN (g_bytes_get_size (mode->s), 7)) != 0));
}

static gboolean
same_value (const PhValue *was, const PhValue *is)
{
  PhTensor *a = ph_value_constant (was), *b = ph_value_constant (is);

  return was->id == is->id && (a == NULL || b == NULL ? a == b : ph_tensor_equal (a, b));
}

static gboolean
same_inputs (const Change *change)
{
  const guint n = MAX (change->was->inputs->len, change->is->inputs->len);

  for (guint i = 0; i < n; i++)
    {
      const PhValue *was = ph_node_input (change->was, i), *is = ph_node_input (change->is, i);
      const char *name = moved_to (change, i);
      const PhAttr *attr = name != NULL ? ph_node_attr (change->was, name) : NULL;

      if (was == NULL && is != NULL)
        {
          if (attr == NULL || constant_at (change->is, i) == NULL || !holds_attr (constant_at (change->is, i), attr))
            return FALSE;
        }
      else if ((was == NULL || is == NULL ? was != NULL : !same_value (was, is)) && !is_left_out (change, i))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if only the last axis is normalised, where the old meaning (all axes from it on) and the new one agree. */
static gboolean
is_last_axis (const Change *change)
{
  const PhOp *op = change->was->op;
  const PhType *type = ph_node_input (change->was, 0) != NULL ? ph_node_input (change->was, 0)->type : NULL;
  const gint64 rank = type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank ? type->rank : 0;
  const gint64 was = ph_node_attr_int (change->was, "axis", 1), is = ph_node_attr_int (change->is, "axis", -1);

  return (op == &ph_op_Softmax || op == &ph_op_LogSoftmax || op == &ph_op_Hardmax) && change->opset < 13 && rank > 0
         && (was == rank - 1 || was == -1) && (is == rank - 1 || is == -1);
}

/* Returns TRUE for the largest float, which bounds nothing but doubles. */
static gboolean
is_no_bound (const Change *change, const PhAttr *attr)
{
  const PhType *type = ph_node_input (change->was, 0) != NULL ? ph_node_input (change->was, 0)->type : NULL;

  return change->was->op == &ph_op_Clip && attr->kind == PH_ATTR_FLOAT && type != NULL && type->dtype != PH_DOUBLE
         && ((g_str_equal (attr->name, "min") && attr->f <= -G_MAXFLOAT)
             || (g_str_equal (attr->name, "max") && attr->f >= G_MAXFLOAT));
}

static gboolean
same_attrs (const Change *change)
{
  const gboolean axis = is_last_axis (change);

  for (guint i = 0; i < change->was->attrs->len; i++)
    {
      const PhAttr *was = change->was->attrs->pdata[i], *is = ph_node_attr (change->is, was->name);

      if (axis && g_str_equal (was->name, "axis"))
        continue;
      if (is != NULL ? !ph_attr_equal (was, is) : !is_moved (change, was->name))
        return FALSE;
      /* The attribute was removed: is it an input now? */
      for (guint m = 0; m < G_N_ELEMENTS (moves) && is == NULL; m++)
        if (moves[m].op == change->was->op && g_str_equal (moves[m].attr, was->name)
            && ph_node_input (change->is, moves[m].input) == NULL && !is_no_bound (change, was)
            && !(was->kind == PH_ATTR_FLOAT && same_number (was->f, 0) && change->was->op == &ph_op_Pad))
          return FALSE;
    }
  for (guint i = 0; i < change->is->attrs->len; i++)
    {
      const PhAttr *is = change->is->attrs->pdata[i];

      /* Equal parts are counted now. */
      if (change->was->op == &ph_op_Split && g_str_equal (is->name, "num_outputs") && is->kind == PH_ATTR_INT
          && is->i == change->is->outputs->len && ph_node_attr (change->was, "split") == NULL
          && ph_node_input (change->was, 1) == NULL)
        continue;
      if (ph_node_attr (change->was, is->name) == NULL && !(axis && g_str_equal (is->name, "axis")))
        return FALSE;
    }
  return TRUE;
}

static gboolean
same_outputs (const Change *change)
{
  if (change->was->outputs->len != change->is->outputs->len)
    return FALSE;
  for (guint i = 0; i < change->was->outputs->len; i++)
    {
      const PhValue *was = ph_node_output (change->was, i), *is = ph_node_output (change->is, i);

      /* The mask of Dropout was a number. */
      if (was->id != is->id || (i > 0 && change->was->op == &ph_op_Dropout && ph_value_n_uses (was) > 0))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if the table covers the operator. */
static gboolean
is_listed (const PhNode *node)
{
  for (guint m = 0; m < G_N_ELEMENTS (moves); m++)
    if (moves[m].op == node->op)
      return TRUE;
  return node->op == &ph_op_Resize || node->op == &ph_op_Softmax || node->op == &ph_op_LogSoftmax || node->op == &ph_op_Hardmax;
}

gboolean
ph_region_is_reworded (const PhRegion *region, PhModel *before, PhModel *after)
{
  Change change = { .opset = ph_model_opset (before, "") };

  if (region->before->len != 1 || region->after->len != 1 || ph_model_opset (after, "") != change.opset)
    return FALSE;
  change.was = region->before->pdata[0];
  change.is = region->after->pdata[0];
  /* Resize-10 rounds and maps differently, and has fewer attributes. */
  if (change.was->id != change.is->id || change.was->op == NULL || change.was->op != change.is->op || *change.was->domain != '\0'
      || change.was->graphs != NULL || !is_listed (change.was) || (change.was->op == &ph_op_Resize && change.opset < 11))
    return FALSE;
  if (change.was->op == &ph_op_Dropout && ph_node_draws (change.was))
    return FALSE;
  return same_inputs (&change) && same_attrs (&change) && same_outputs (&change);
}
