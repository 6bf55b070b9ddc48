/* lower-meaning.c: operators whose attributes or inputs had a different or narrower meaning in older opsets.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/lower.h"

/* Before opset 13 the input was flattened to a matrix at the axis, which is equivalent if the axis is the last or only ones follow it.
 * Otherwise the axis is transposed to the end and back. */
void
ph_lower_softmax_matrix (PhLower *l)
{
  PhValue *x = ph_node_input (l->node, 0), *y;
  const int rank = ph_value_rank (x);
  const gint64 given = ph_node_attr_int (l->node, "axis", -1);
  const int axis = rank >= 0 ? ph_axis_of (given, rank) : -1;
  gboolean last = axis >= 0;
  gint64 perm[PH_MAX_RANK];

  if (rank < 0 && given == -1 && l->opset >= 11)
    {
      ph_lower_set_attr (l, "axis", ph_attr_new_int ("axis", -1));
      return;
    }
  if (axis < 0)
    {
      ph_lower_refuse (l, "the rank of its input is unknown");
      return;
    }
  for (int i = axis + 1; i < rank; i++)
    last &= ph_value_dim (x, i) == 1;
  if (last)
    {
      ph_lower_set_attr (l, "axis", ph_attr_new_int ("axis", axis));
      return;
    }
  for (int i = 0; i < rank; i++)
    perm[i] = i;
  perm[axis] = rank - 1;
  perm[rank - 1] = axis;
  y = PH_BUILD_WITH (&l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), x);
  y = ph_build_node (&l->b, l->node->op, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", rank - 1)), 1);
  ph_lower_replace (l, PH_BUILD_WITH (&l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), y));
}

/* Makes axes non-negative: negative ones came with opset 11. */
void
ph_lower_negative_axis (PhLower *l)
{
  const PhAttr *axis = ph_node_attr (l->node, "axis"), *axes = ph_node_attr (l->node, "axes");
  const gboolean adds = l->node->op == &ph_op_Unsqueeze || l->node->op == &ph_op_OneHot;
  const int rank = ph_value_rank (adds ? ph_node_output (l->node, 0) : ph_node_input (l->node, 0));
  g_autofree gint64 *all = NULL;
  gboolean negative = axis != NULL && axis->i < 0;

  for (gsize i = 0; axes != NULL && i < axes->n; i++)
    negative |= axes->ints[i] < 0;
  if (negative && rank < 0)
    ph_lower_refuse (l, "its axis counts from the end, and the rank is unknown");
  if (!negative || rank < 0)
    return;
  if (axis != NULL && axis->i < 0)
    ph_lower_set_attr (l, "axis", ph_attr_new_int ("axis", axis->i + rank));
  if (axes == NULL)
    return;
  all = g_memdup2 (axes->ints, axes->n * sizeof *all);
  for (gsize i = 0; i < axes->n; i++)
    all[i] += all[i] < 0 ? rank : 0;
  ph_lower_set_attr (l, "axes", ph_attr_new_ints ("axes", all, axes->n));
}

/* Makes indices non-negative: negative ones came with opset 11. Computed indices are only accepted from a file older than that. */
void
ph_lower_gather_indices (PhLower *l)
{
  PhTensor *indices = ph_lower_constant (l, 1);
  const int rank = ph_value_rank (ph_node_input (l->node, 0)), axis = ph_axis_of (ph_node_attr_int (l->node, "axis", 0), rank);
  const gint64 length = rank >= 0 && axis >= 0 ? ph_value_dim (ph_node_input (l->node, 0), axis) : -1;
  gboolean negative = FALSE;

  if (indices == NULL && !l->own)
    ph_lower_refuse (l, "its indices may count from the end");
  for (gsize i = 0; indices != NULL && i < ph_tensor_count (indices); i++)
    negative |= ph_tensor_get_int (indices, i) < 0;
  if (!negative)
    return;
  if (length < 0)
    {
      ph_lower_refuse (l, "an index counts from the end, and the length is unknown");
      return;
    }
  {
    gint64 dims[PH_MAX_RANK];
    const gsize n = ph_tensor_count (indices);
    g_autofree gint64 *values = g_new (gint64, n);
    g_autoptr (PhTensor) flat = NULL;

    for (gsize i = 0; i < n; i++)
      values[i] = ph_tensor_get_int (indices, i) + (ph_tensor_get_int (indices, i) < 0 ? length : 0);
    for (guint i = 0; i < ph_tensor_rank (indices); i++)
      dims[i] = ph_tensor_dims (indices)[i];
    flat = ph_tensor_new_int64s (values, n);
    ph_lower_set_input (l, 1, ph_build_tensor (&l->b, ph_tensor_reshaped (flat, ph_tensor_rank (indices), dims)));
  }
}

void
ph_lower_scatter_reduction (PhLower *l)
{
  const char *reduction = ph_node_attr_string (l->node, "reduction", "none");

  if (g_str_equal (reduction, "max") || g_str_equal (reduction, "min"))
    ph_lower_refuse (l, "its reduction %s has no equal", reduction);
}

void
ph_lower_scatter (PhLower *l)
{
  guint n;
  PhAttr **attrs = ph_node_copy_attrs (l->node, (const char *const[]) { "reduction", NULL }, &n);

  if (g_str_equal (ph_node_attr_string (l->node, "reduction", "none"), "none"))
    ph_lower_become (l, "Scatter", (PhValue **) l->node->inputs->pdata, l->node->inputs->len, 1, attrs);
  else
    {
      ph_lower_refuse (l, "its reduction has no equal");
      for (guint i = 0; i < n; i++)
        ph_attr_unref (attrs[i]);
    }
  g_free (attrs);
}

void
ph_lower_pad_wrap (PhLower *l)
{
  if (g_str_equal (ph_node_attr_string (l->node, "mode", "constant"), "wrap"))
    ph_lower_refuse (l, "its mode wrap has no equal");
}

void
ph_lower_roi_align_pixels (PhLower *l)
{
  if (!g_str_equal (ph_node_attr_string (l->node, "coordinate_transformation_mode", "half_pixel"), "output_half_pixel"))
    ph_lower_refuse (l, "its half pixels have no equal");
  else
    ph_lower_set_attr (l, "coordinate_transformation_mode", NULL);
}

/* All inputs had to have one element type. */
void
ph_lower_same_types (PhLower *l)
{
  const PhDType first = ph_value_dtype (ph_node_input (l->node, 0));

  for (guint i = 1; i < l->node->inputs->len; i++)
    if (ph_node_input (l->node, i) != NULL && ph_value_dtype (ph_node_input (l->node, i)) != first)
      ph_lower_refuse (l, "its inputs are of different element types");
}

/* In older opsets, having the training outputs meant training, and the formula of the running statistics was unspecified. */
void
ph_lower_training_mode (PhLower *l)
{
  guint n;
  PhAttr **attrs;

  if (ph_node_attr_int (l->node, "training_mode", 0) == 0)
    return;
  for (guint i = 1; i < l->node->outputs->len; i++)
    if (ph_value_n_uses (ph_node_output (l->node, i)) > 0)
      {
        ph_lower_refuse (l, "its running statistics are read");
        return;
      }
  attrs = ph_node_copy_attrs (l->node, (const char *const[]) { "training_mode", NULL }, &n);
  ph_lower_become (l, "BatchNormalization", (PhValue **) l->node->inputs->pdata, l->node->inputs->len, 5, attrs);
  g_free (attrs);
}

/* One scale for the whole tensor. */
void
ph_lower_quantize_axis (PhLower *l)
{
  const PhType *scale = ph_node_input (l->node, 1) != NULL ? ph_node_input (l->node, 1)->type : NULL;

  if (scale == NULL || (ph_type_count (scale) != 1 && !(scale->has_rank && scale->rank == 0)))
    ph_lower_refuse (l, "it has a scale for each channel");
  else
    ph_lower_set_attr (l, "axis", NULL);
}

/* Replaces numbers and text in attributes by a tensor. */
void
ph_lower_constant_value (PhLower *l)
{
  const PhAttr *attr = l->node->attrs->len == 1 ? l->node->attrs->pdata[0] : NULL;
  PhTensor *tensor = NULL;

  if (attr == NULL || g_str_equal (attr->name, "value") || g_str_equal (attr->name, "sparse_value"))
    return;
  if (attr->kind == PH_ATTR_INT)
    {
      g_autoptr (PhTensor) flat = ph_tensor_new_int64s (&attr->i, 1);
      tensor = ph_tensor_reshaped (flat, 0, NULL);
    }
  else if (attr->kind == PH_ATTR_FLOAT)
    {
      g_autoptr (PhTensor) flat = ph_tensor_new_floats (&attr->f, 1);
      tensor = ph_tensor_reshaped (flat, 0, NULL);
    }
  else if (attr->kind == PH_ATTR_INTS)
    tensor = ph_tensor_new_int64s (attr->ints, attr->n);
  else if (attr->kind == PH_ATTR_FLOATS)
    tensor = ph_tensor_new_floats (attr->floats, attr->n);
  if (tensor == NULL)
    {
      ph_lower_refuse (l, "its %s has no equal", attr->name);
      return;
    }
  {
    g_autoptr (PhTensor) owned = tensor;

    ph_lower_set_attr (l, attr->name, NULL);
    ph_lower_set_attr (l, "value", ph_attr_new_tensor ("value", owned));
  }
}

/* Before opset 11 the bias was required; without one, a matrix product replaces the node. */
void
ph_lower_gemm_bias (PhLower *l)
{
  static const gint64 turned[] = { 1, 0 };
  PhValue *operands[] = { ph_node_input (l->node, 0), ph_node_input (l->node, 1) };
  static const char *const turns[] = { "transA", "transB" };

  if (ph_node_input (l->node, 2) != NULL)
    return;
  if (ph_node_attr_float (l->node, "alpha", 1) != 1)
    {
      ph_lower_refuse (l, "it has no bias");
      return;
    }
  for (guint i = 0; i < 2; i++)
    if (ph_node_attr_int (l->node, turns[i], 0) != 0)
      operands[i] = PH_BUILD_WITH (&l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", turned, 2)), operands[i]);
  ph_lower_replace (l, PH_BUILD (&l->b, MatMul, operands[0], operands[1]));
}

/* Replaces a Shape with start and end by a Slice of the whole shape. */
void
ph_lower_shape_range (PhLower *l)
{
  const gint64 start = ph_node_attr_int (l->node, "start", 0), end = ph_node_attr_int (l->node, "end", G_MAXINT64), axis = 0;
  PhValue *shape;

  if (ph_node_attr (l->node, "start") == NULL && ph_node_attr (l->node, "end") == NULL)
    return;
  shape = PH_BUILD (&l->b, Shape, ph_node_input (l->node, 0));
  ph_lower_replace (l, PH_BUILD (&l->b, Slice, shape, ph_build_ints (&l->b, &start, 1), ph_build_ints (&l->b, &end, 1),
                                 ph_build_ints (&l->b, &axis, 1)));
}

/* bilinear and bicubic, of pictures of two dimensions only. */
void
ph_lower_grid_sample_modes (PhLower *l)
{
  const char *mode = ph_node_attr_string (l->node, "mode", "linear");

  if (ph_value_rank (ph_node_input (l->node, 0)) != 4)
    ph_lower_refuse (l, "its input is not one of four dimensions");
  else if (g_str_equal (mode, "linear") || g_str_equal (mode, "cubic"))
    ph_lower_set_attr (l, "mode", ph_attr_new_string ("mode", *mode == 'l' ? "bilinear" : "bicubic"));
}

void
ph_lower_scan_batch (PhLower *l)
{
  ph_lower_refuse (l, "it scans without a batch");
}
