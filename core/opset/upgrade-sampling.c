/* upgrade-sampling.c: Upsample, Resize and other operators that sample between elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

static PhAttr *
text_attr (const char *name, const char *value)
{
  return ph_attr_new_string (name, value);
}

/* Upgrades the three forms of Upsample: scales of height and width, an attribute, an input. */
void
ph_upgrade_upsample (PhUpgrade *u)
{
  const char *mode = ph_node_attr_string (u->node, "mode", "nearest");
  PhAttr *attr = ph_node_attr (u->node, "scales");
  PhValue *scales = ph_node_input (u->node, 1);
  gboolean linear = g_str_equal (mode, "linear") || g_str_equal (mode, "bilinear");

  if (scales == NULL && attr != NULL)
    scales = ph_build_tensor (&u->b, ph_tensor_new_floats (attr->floats, attr->n));
  if (scales == NULL)
    {
      float values[] = { 1, 1, ph_node_attr_float (u->node, "height_scale", 1), ph_node_attr_float (u->node, "width_scale", 1) };

      scales = ph_build_tensor (&u->b, ph_tensor_new_floats (values, 4));
    }
  ph_upgrade_replace (u, PH_BUILD_WITH (&u->b, Resize,
                                        PH_ATTRS (text_attr ("mode", linear ? "linear" : "nearest"),
                                                  text_attr ("coordinate_transformation_mode", "asymmetric"),
                                                  text_attr ("nearest_mode", "floor")),
                                        ph_node_input (u->node, 0), NULL, scales));
}

static PhValue *
nearest (PhUpgrade *u, PhValue *x, PhValue *scales, const char *rounding)
{
  return PH_BUILD_WITH (&u->b, Resize,
                        PH_ATTRS (text_attr ("mode", "nearest"), text_attr ("coordinate_transformation_mode", "asymmetric"),
                                  text_attr ("nearest_mode", rounding)),
                        x, NULL, scales);
}

/* Version 10 had no modes: upsampling took the element at or before, downsampling the one at or after. If it does both, or that is unknown,
 * it upsamples first. */
void
ph_upgrade_resize_10 (PhUpgrade *u)
{
  PhValue *scales = ph_node_input (u->node, 1), *y;
  PhTensor *tensor = scales != NULL ? ph_value_constant (scales) : NULL;
  const gboolean is_nearest = g_str_equal (ph_node_attr_string (u->node, "mode", "nearest"), "nearest");
  gboolean grows = tensor == NULL, shrinks = tensor == NULL;

  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    {
      grows |= ph_tensor_get (tensor, i) > 1;
      shrinks |= ph_tensor_get (tensor, i) < 1;
    }
  if (is_nearest && grows && shrinks)
    {
      PhValue *one = ph_build_scalar (&u->b, PH_FLOAT, 1);

      y = nearest (u, ph_node_input (u->node, 0), PH_BUILD (&u->b, Max, scales, one), "floor");
      ph_upgrade_replace (u, nearest (u, y, PH_BUILD (&u->b, Min, scales, one), "ceil"));
      return;
    }
  ph_upgrade_set_attr (u, "coordinate_transformation_mode", text_attr ("coordinate_transformation_mode", "asymmetric"));
  if (is_nearest)
    ph_upgrade_set_attr (u, "nearest_mode", text_attr ("nearest_mode", shrinks ? "ceil" : "floor"));
  if (u->b.error == NULL && ph_node_set_input (u->node, 2, scales, &u->b.error))
    ph_node_set_input (u->node, 1, NULL, &u->b.error);
}

/* Version 11 had empty tensors for absent inputs. */
void
ph_upgrade_resize_11 (PhUpgrade *u)
{
  const char *mode = ph_node_attr_string (u->node, "coordinate_transformation_mode", "half_pixel");
  gboolean crops = g_str_equal (mode, "tf_crop_and_resize");

  for (guint i = 1; i < 4 && u->b.error == NULL; i++)
    {
      PhValue *value = ph_node_input (u->node, i);
      PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

      if (tensor != NULL && (ph_tensor_count (tensor) == 0 || (i == 1 && !crops)))
        ph_node_set_input (u->node, i, NULL, &u->b.error);
    }
  if (ph_node_input (u->node, 2) != NULL && ph_node_input (u->node, 3) != NULL && u->b.error == NULL)
    ph_node_set_input (u->node, 2, NULL, &u->b.error);

  if (!g_str_equal (mode, "tf_half_pixel_for_nn"))
    return;
  if (!g_str_equal (ph_node_attr_string (u->node, "nearest_mode", "round_prefer_floor"), "floor"))
    {
      ph_upgrade_refuse (u, "tf_half_pixel_for_nn is gone, and only with nearest_mode floor has it an equal");
      return;
    }
  ph_upgrade_set_attr (u, "coordinate_transformation_mode", text_attr ("coordinate_transformation_mode", "half_pixel"));
  ph_upgrade_set_attr (u, "nearest_mode", text_attr ("nearest_mode", "round_prefer_ceil"));
}

void
ph_upgrade_grid_sample_modes (PhUpgrade *u)
{
  const char *mode = ph_node_attr_string (u->node, "mode", "bilinear");

  if (g_str_equal (mode, "bilinear") || g_str_equal (mode, "bicubic"))
    ph_upgrade_set_attr (u, "mode", text_attr ("mode", mode + 2));
}

void
ph_upgrade_roi_align_pixels (PhUpgrade *u)
{
  if (ph_node_attr (u->node, "coordinate_transformation_mode") == NULL)
    ph_upgrade_set_attr (u, "coordinate_transformation_mode", text_attr ("coordinate_transformation_mode", "output_half_pixel"));
}
