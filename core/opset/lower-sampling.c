/* lower-sampling.c: Resize at earlier opsets, and as Upsample.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/lower.h"

/* Refuses half_pixel_symmetric, which came with opset 19. */
void
ph_lower_resize_modes (PhLower *l)
{
  if (g_str_equal (ph_node_attr_string (l->node, "coordinate_transformation_mode", "half_pixel"), "half_pixel_symmetric"))
    ph_lower_refuse (l, "its half_pixel_symmetric has no equal");
}

/* Before opset 13 an absent input was an empty tensor. */
void
ph_lower_resize_inputs (PhLower *l)
{
  if (l->opset < 11)
    return;
  for (guint i = 1; i < 3; i++)
    if (ph_node_input (l->node, i) == NULL)
      ph_lower_set_input (l, i, ph_build_tensor (&l->b, ph_tensor_new_floats (NULL, 0)));
}

typedef enum
{
  ANYHOW,
  UP,
  DOWN
} Direction;

/* Returns TRUE if every scale is provably at least 1, or at most 1. */
static gboolean
goes (PhLower *l, Direction direction)
{
  const PhValue *scales = ph_node_input (l->node, 2);
  PhTensor *tensor = ph_lower_constant (l, 2);
  /* In a file of Upsample's time no other node had scales, so they are of the required kind. */
  const gboolean vouched = l->own && l->opset < 10 && direction == UP;
  const PhNode *bound = scales != NULL ? scales->producer : NULL;

  if (tensor == NULL && bound != NULL && bound->op == (direction == UP ? &ph_op_Max : &ph_op_Min))
    {
      for (guint i = 0; i < bound->inputs->len; i++)
        {
          PhTensor *one = ph_value_constant (ph_node_input (bound, i));

          if (one != NULL && ph_tensor_count (one) == 1 && ph_tensor_get (one, 0) == 1)
            return TRUE;
        }
      return vouched;
    }
  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    if (direction == UP ? ph_tensor_get (tensor, i) < 1 : ph_tensor_get (tensor, i) > 1)
      return FALSE;
  return tensor != NULL ? ph_tensor_count (tensor) > 0 : vouched;
}

/* Version 10 had a single way to map coordinates, and took the element at or before the position when enlarging, at or after it when
 * reducing. */
void
ph_lower_resize_10 (PhLower *l)
{
  static const char *const gone[] = {
    "coordinate_transformation_mode", "nearest_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value", "antialias",
    "keep_aspect_ratio_policy"
  };
  const char *mode = ph_node_attr_string (l->node, "mode", "nearest"),
             *rounding = ph_node_attr_string (l->node, "nearest_mode", "round_prefer_floor");
  PhValue *scales = ph_node_input (l->node, 2);
  gboolean nearest = g_str_equal (mode, "nearest");

  if (scales == NULL || ph_node_input (l->node, 3) != NULL || ph_node_attr (l->node, "axes") != NULL
      || ph_node_attr_int (l->node, "antialias", 0) != 0)
    ph_lower_refuse (l, "it is not given by scales of all axes");
  else if (!g_str_equal (ph_node_attr_string (l->node, "coordinate_transformation_mode", "half_pixel"), "asymmetric"))
    ph_lower_refuse (l, "its coordinates are not mapped asymmetrically");
  else if (!nearest && !g_str_equal (mode, "linear"))
    ph_lower_refuse (l, "its mode %s has no equal", mode);
  else if (nearest && !(g_str_equal (rounding, "floor") && goes (l, UP)) && !(g_str_equal (rounding, "ceil") && goes (l, DOWN)))
    ph_lower_refuse (l, "it rounds to the nearest in another way");
  if (l->refusal != NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (gone); i++)
    ph_lower_set_attr (l, gone[i], NULL);
  ph_lower_set_input (l, 1, scales);
  ph_lower_drop_input (l, 2);
}

void
ph_lower_resize_to_upsample (PhLower *l)
{
  PhTensor *scales = ph_lower_constant (l, 1);
  guint n;
  gboolean shrinks = scales == NULL && !l->own;

  for (gsize i = 0; scales != NULL && i < ph_tensor_count (scales); i++)
    shrinks |= !(ph_tensor_get (scales, i) >= 1);
  if (shrinks)
    {
      ph_lower_refuse (l, "it may shrink, and Upsample grows only");
      return;
    }
  {
    g_autofree PhAttr **attrs = ph_node_copy_attrs (l->node, NULL, &n);

    ph_lower_become (l, "Upsample", (PhValue **) l->node->inputs->pdata, 2, 1, attrs);
  }
}

void
ph_lower_upsample_to_attr (PhLower *l)
{
  PhTensor *scales = ph_lower_constant (l, 1);
  const gsize n = scales != NULL ? ph_tensor_count (scales) : 0;
  g_autofree float *values = g_new (float, n + 1);

  if (scales == NULL)
    {
      ph_lower_refuse (l, "its scales are computed, and were an attribute");
      return;
    }
  for (gsize i = 0; i < n; i++)
    values[i] = (float) ph_tensor_get (scales, i);
  ph_lower_drop_input (l, 1);
  ph_lower_set_attr (l, "scales", ph_attr_new_floats ("scales", values, n));
}

/* Height and width. */
void
ph_lower_upsample_1 (PhLower *l)
{
  const PhAttr *scales = ph_node_attr (l->node, "scales");

  if (scales == NULL || scales->n != 4 || scales->floats[0] != 1 || scales->floats[1] != 1)
    {
      ph_lower_refuse (l, "it scales more than height and width");
      return;
    }
  {
    const float height = scales->floats[2], width = scales->floats[3];

    ph_lower_set_attr (l, "scales", NULL);
    ph_lower_set_attr (l, "height_scale", ph_attr_new_float ("height_scale", height));
    ph_lower_set_attr (l, "width_scale", ph_attr_new_float ("width_scale", width));
  }
  if (g_str_equal (ph_node_attr_string (l->node, "mode", "nearest"), "linear"))
    ph_lower_set_attr (l, "mode", ph_attr_new_string ("mode", "bilinear"));
}
