/* upgrade-inputs.c: attributes that became inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/opset/upgrade.h"

/* An attribute of integers becomes input @index. */
static void
ints_become_input (PhUpgrade *u, const char *attr, guint index, const char *suffix)
{
  gsize n;
  const gint64 *values = ph_node_attr_ints (u->node, attr, &n);

  if (values == NULL)
    return;
  ph_upgrade_set_constant (u, index, suffix, ph_tensor_new_int64s (values, n));
  ph_upgrade_set_attr (u, attr, NULL);
}

void
ph_upgrade_axes_become_input (PhUpgrade *u)
{
  ints_become_input (u, "axes", 1, "axes");
}

void
ph_upgrade_reshape_shape (PhUpgrade *u)
{
  if (u->node->inputs->len < 2 && ph_node_attr (u->node, "shape") == NULL)
    ph_upgrade_refuse (u, "it has no attribute shape");
  ints_become_input (u, "shape", 1, "shape");
}

void
ph_upgrade_pad_inputs (PhUpgrade *u)
{
  float value = ph_node_attr_float (u->node, "value", 0);

  ints_become_input (u, "pads", 1, "pads");
  ph_upgrade_set_attr (u, "value", NULL);
  if (value != 0 || signbit (value))
    ph_upgrade_set_constant (u, 2, "value", ph_tensor_new_scalar (ph_upgrade_dtype (ph_node_input (u->node, 0)), value));
}

void
ph_upgrade_slice_inputs (PhUpgrade *u)
{
  ints_become_input (u, "starts", 1, "starts");
  ints_become_input (u, "ends", 2, "ends");
  ints_become_input (u, "axes", 3, "axes");
}

void
ph_upgrade_split_input (PhUpgrade *u)
{
  ints_become_input (u, "split", 1, "split");
}

void
ph_upgrade_clip_inputs (PhUpgrade *u)
{
  PhAttr *min = ph_node_attr (u->node, "min"), *max = ph_node_attr (u->node, "max");
  PhDType dtype = ph_upgrade_dtype (ph_node_input (u->node, 0));
  float low = min != NULL ? min->f : 0, high = max != NULL ? max->f : 0;
  gboolean has_min = min != NULL && (low > -G_MAXFLOAT || dtype == PH_DOUBLE),
           has_max = max != NULL && (high < G_MAXFLOAT || dtype == PH_DOUBLE);

  ph_upgrade_set_attr (u, "min", NULL);
  ph_upgrade_set_attr (u, "max", NULL);
  if (has_min)
    ph_upgrade_set_constant (u, 1, "min", ph_tensor_new_scalar (dtype, low));
  if (has_max)
    ph_upgrade_set_constant (u, 2, "max", ph_tensor_new_scalar (dtype, high));
}

void
ph_upgrade_topk_k (PhUpgrade *u)
{
  gint64 k = ph_node_attr_int (u->node, "k", -1);

  if (k < 0)
    return;
  ph_upgrade_set_constant (u, 1, "k", ph_tensor_new_int64s (&k, 1));
  ph_upgrade_set_attr (u, "k", NULL);
}

void
ph_upgrade_dropout_ratio (PhUpgrade *u)
{
  float ratio = ph_node_attr_float (u->node, "ratio", 0.5f);

  ph_upgrade_set_attr (u, "is_test", NULL);
  ph_upgrade_set_attr (u, "ratio", NULL);
  if (u->opset < 10 && ph_upgrade_reads_outputs (u->node, 1))
    {
      ph_upgrade_refuse (u, "its mask is used, which was a number and is a truth value now; remove it from the model");
      return;
    }
  ph_upgrade_set_constant (u, 1, "ratio", ph_tensor_new_scalar (PH_FLOAT, ratio));
}

/* Tile (x, tiles, axis) */
void
ph_upgrade_tile_repeats (PhUpgrade *u)
{
  PhValue *tiles = ph_node_input (u->node, 1), *axis = ph_node_input (u->node, 2);
  PhTensor *n = tiles != NULL ? ph_value_constant (tiles) : NULL, *k = axis != NULL ? ph_value_constant (axis) : NULL;
  int rank = ph_value_rank (ph_node_input (u->node, 0));
  gint64 repeats[PH_MAX_RANK];

  if (axis == NULL)
    return;
  if (n == NULL || k == NULL || rank < 0 || ph_tensor_get_int (k, 0) < 0 || ph_tensor_get_int (k, 0) >= rank)
    {
      ph_upgrade_refuse (u, "its repetitions are not constant or the rank of its input is unknown");
      return;
    }
  for (int i = 0; i < rank; i++)
    repeats[i] = 1;
  repeats[ph_tensor_get_int (k, 0)] = ph_tensor_get_int (n, 0);
  ph_upgrade_replace (u, PH_BUILD (&u->b, Tile, ph_node_input (u->node, 0), ph_build_ints (&u->b, repeats, rank)));
}

void
ph_upgrade_dft_axis (PhUpgrade *u)
{
  gint64 axis = ph_node_attr_int (u->node, "axis", 1);

  ph_upgrade_set_attr (u, "axis", NULL);
  ph_upgrade_set_constant (u, 2, "axis", ph_tensor_new_scalar (PH_INT64, (double) axis));
}
