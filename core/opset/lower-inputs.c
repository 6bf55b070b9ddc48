/* lower-inputs.c: inputs that were attributes in older opsets.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/lower.h"

#include <math.h>

/* Replaces input @index, if present, by an attribute of integers. */
static void
ints_to_attr (PhLower *l, guint index, const char *attr)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ph_lower_ints (l, index, &values, &n))
    return;
  ph_lower_drop_input (l, index);
  ph_lower_set_attr (l, attr, ph_attr_new_ints (attr, values, n));
}

/* Squeeze, Unsqueeze, Reduce... */
void
ph_lower_axes_to_attr (PhLower *l)
{
  const gboolean reduces = ph_op_attr (l->node->op, "keepdims") != NULL;
  PhTensor *axes = ph_lower_constant (l, 1);
  gboolean none = ph_node_input (l->node, 1) == NULL || (axes != NULL && ph_tensor_count (axes) == 0);

  if (reduces && none)
    {
      if (ph_node_attr_int (l->node, "noop_with_empty_axes", 0) != 0)
        {
          ph_lower_refuse (l, "it reduces nothing where no axes are given, and reduced all");
          return;
        }
      ph_lower_drop_input (l, 1);
    }
  else
    ints_to_attr (l, 1, "axes");
  if (reduces && l->refusal == NULL)
    ph_lower_set_attr (l, "noop_with_empty_axes", NULL);
}

void
ph_lower_split_to_attr (PhLower *l)
{
  ints_to_attr (l, 1, "split");
}

/* Parts that are not equal were an error; where the length is not known, a file of that time vouches for it. */
void
ph_lower_split_num_outputs (PhLower *l)
{
  const gint64 n = ph_node_attr_int (l->node, "num_outputs", 0);
  const int rank = ph_value_rank (ph_node_input (l->node, 0)), axis = ph_axis_of (ph_node_attr_int (l->node, "axis", 0), rank);
  const gint64 length = axis >= 0 ? ph_value_dim (ph_node_input (l->node, 0), axis) : -1;

  if (n <= 0)
    return;
  if (n != l->node->outputs->len || (length >= 0 ? length % n != 0 : !l->own))
    ph_lower_refuse (l, "its parts may be of different lengths");
  else
    ph_lower_set_attr (l, "num_outputs", NULL);
}

void
ph_lower_slice_to_attrs (PhLower *l)
{
  g_autofree gint64 *starts = NULL, *ends = NULL, *axes = NULL, *steps = NULL;
  gsize n, n_axes = 0, n_steps = 0;

  if (!ph_lower_ints (l, 1, &starts, &n) || !ph_lower_ints (l, 2, &ends, &n))
    return;
  if ((ph_node_input (l->node, 3) != NULL && !ph_lower_ints (l, 3, &axes, &n_axes))
      || (ph_node_input (l->node, 4) != NULL && !ph_lower_ints (l, 4, &steps, &n_steps)))
    return;
  for (gsize i = 0; i < n_steps; i++)
    if (steps[i] != 1)
      {
        ph_lower_refuse (l, "its step is %" G_GINT64_FORMAT, steps[i]);
        return;
      }
  for (guint i = 4; i > 0; i--)
    ph_lower_drop_input (l, i);
  if (axes != NULL)
    ph_lower_set_attr (l, "axes", ph_attr_new_ints ("axes", axes, n_axes));
  ph_lower_set_attr (l, "starts", ph_attr_new_ints ("starts", starts, n));
  ph_lower_set_attr (l, "ends", ph_attr_new_ints ("ends", ends, n));
}

/* Reads a constant of one element that a float can represent. */
static gboolean
get_float (PhLower *l, guint index, float *value)
{
  PhTensor *tensor = ph_lower_constant (l, index);

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_count (tensor) != 1)
    {
      ph_lower_refuse (l, "its input %u is computed, and was an attribute", index);
      return FALSE;
    }
  *value = (float) ph_tensor_get (tensor, 0);
  if ((double) *value != ph_tensor_get (tensor, 0) && !isnan (*value))
    {
      ph_lower_refuse (l, "its input %u is not a float, and was an attribute that is one", index);
      return FALSE;
    }
  return TRUE;
}

/* Replaces the bounds by attributes. At that opset an absent bound means the largest float, which changes an infinite input. So infinity is
 * written for it, except in a file of that opset, which may have meant it. */
void
ph_lower_clip_to_attrs (PhLower *l)
{
  static const char *const names[] = { NULL, "min", "max" };
  float bounds[3] = { 0, -INFINITY, INFINITY };

  for (guint i = 1; i < 3; i++)
    if (ph_node_input (l->node, i) != NULL && !get_float (l, i, &bounds[i]))
      return;
  for (guint i = 2; i > 0; i--)
    {
      if (ph_node_input (l->node, i) != NULL || !l->own)
        ph_lower_set_attr (l, names[i], ph_attr_new_float (names[i], bounds[i]));
      ph_lower_drop_input (l, i);
    }
}

/* Before opset 18 pads covered all axes. */
void
ph_lower_pad_axes (PhLower *l)
{
  g_autofree gint64 *axes = NULL, *pads = NULL, *all = NULL;
  const int rank = ph_value_rank (ph_node_input (l->node, 0));
  gsize n, n_pads;

  if (!ph_lower_ints (l, 3, &axes, &n))
    return;
  if (!ph_lower_ints (l, 1, &pads, &n_pads) || rank < 0 || n_pads != 2 * n)
    {
      ph_lower_refuse (l, "it pads some axes only, and their padding or the rank is not known");
      return;
    }
  all = g_new0 (gint64, 2 * rank + 1);
  for (gsize i = 0; i < n; i++)
    {
      int axis = ph_axis_of (axes[i], rank);

      if (axis < 0)
        {
          ph_lower_refuse (l, "there is no axis %" G_GINT64_FORMAT, axes[i]);
          return;
        }
      all[axis] = pads[i];
      all[axis + rank] = pads[i + n];
    }
  ph_lower_drop_input (l, 3);
  ph_lower_drop_input (l, 1);
  ph_lower_set_input (l, 1, ph_build_ints (&l->b, all, 2 * rank));
}

void
ph_lower_pad_to_attrs (PhLower *l)
{
  g_autofree gint64 *pads = NULL;
  float value = 0;
  gsize n;

  if (!ph_lower_ints (l, 1, &pads, &n) || (ph_node_input (l->node, 2) != NULL && !get_float (l, 2, &value)))
    return;
  ph_lower_drop_input (l, 2);
  ph_lower_drop_input (l, 1);
  ph_lower_set_attr (l, "pads", ph_attr_new_ints ("pads", pads, n));
  if (value != 0 || signbit (value))
    ph_lower_set_attr (l, "value", ph_attr_new_float ("value", value));
}

void
ph_lower_topk_to_attr (PhLower *l)
{
  g_autofree gint64 *k = NULL;
  gsize n;

  if (!ph_lower_ints (l, 1, &k, &n))
    return;
  if (n != 1)
    {
      ph_lower_refuse (l, "its k is not one number");
      return;
    }
  ph_lower_drop_input (l, 1);
  ph_lower_set_attr (l, "k", ph_attr_new_int ("k", k[0]));
}

/* Drops an unused mask, which would be a float there. */
static void
drop_mask (PhLower *l)
{
  guint n;
  g_autofree PhAttr **attrs = ph_node_copy_attrs (l->node, NULL, &n);
  PhValue *x = ph_node_input (l->node, 0);

  ph_lower_replace (l, ph_build_node (&l->b, l->node->op, &x, 1, attrs, 1));
}

void
ph_lower_dropout_to_attr (PhLower *l)
{
  PhTensor *training = ph_lower_constant (l, 2);
  float ratio = 0.5f;

  if (ph_node_input (l->node, 2) != NULL && (training == NULL || ph_tensor_get (training, 0) != 0))
    {
      ph_lower_refuse (l, "it may be in training, which inputs could not ask for");
      return;
    }
  if (ph_node_input (l->node, 1) != NULL && !get_float (l, 1, &ratio))
    return;
  if (l->opset < 10 && l->node->outputs->len > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0)
    {
      ph_lower_refuse (l, "its mask is used, which was a number");
      return;
    }
  if (ph_node_input (l->node, 1) != NULL)
    ph_lower_set_attr (l, "ratio", ph_attr_new_float ("ratio", ratio));
  ph_lower_drop_input (l, 2);
  ph_lower_drop_input (l, 1);
  if (l->opset < 10 && l->node->outputs->len > 1)
    drop_mask (l);
}

void
ph_lower_dft_axis (PhLower *l)
{
  const int rank = ph_value_rank (ph_node_input (l->node, 0));
  g_autofree gint64 *axis = NULL;
  gint64 at = -2;
  gsize n = 1;

  if (ph_node_input (l->node, 2) != NULL && !ph_lower_ints (l, 2, &axis, &n))
    return;
  if (axis != NULL && n == 1)
    at = axis[0];
  if (at < 0 && rank > 0)
    at += rank;
  ph_lower_drop_input (l, 2);
  ph_lower_set_attr (l, "axis", ph_attr_new_int ("axis", at));
}

void
ph_lower_reshape_to_attr (PhLower *l)
{
  if (ph_node_attr_int (l->node, "allowzero", 0) != 0)
    ph_lower_refuse (l, "its allowzero has no equal");
  else
    ints_to_attr (l, 1, "shape");
}

/* One axis and its count, of the input's element type. */
void
ph_lower_tile_to_axis (PhLower *l)
{
  g_autofree gint64 *repeats = NULL;
  const PhDType dtype = ph_value_dtype (ph_node_input (l->node, 0));
  gint64 count = 1, axis = 0;
  gsize n;

  if (!ph_lower_ints (l, 1, &repeats, &n))
    return;
  if (dtype != PH_FLOAT && dtype != PH_DOUBLE)
    {
      ph_lower_refuse (l, "its counts would be of its element type");
      return;
    }
  for (gsize i = 0; i < n; i++)
    if (repeats[i] != 1)
      {
        if (count != 1)
          {
            ph_lower_refuse (l, "it repeats along several axes");
            return;
          }
        count = repeats[i];
        axis = (gint64) i;
      }
  ph_lower_drop_input (l, 1);
  ph_lower_set_input (l, 1, ph_build_tensor (&l->b, ph_tensor_new_scalar (dtype, (double) count)));
  ph_lower_set_input (l, 2, ph_build_tensor (&l->b, ph_tensor_new_scalar (dtype, (double) axis)));
}
