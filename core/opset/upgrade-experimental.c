/* upgrade-experimental.c: experimental operators that ONNX later removed; files of its first years contain them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

static PhValue *
number (PhUpgrade *u, const char *attr, float fallback)
{
  return ph_build_scalar (&u->b, ph_upgrade_dtype (ph_node_input (u->node, 0)), ph_node_attr_float (u->node, attr, fallback));
}

/* alpha x + beta */
void
ph_upgrade_affine (PhUpgrade *u)
{
  PhValue *y = PH_BUILD (&u->b, Mul, ph_node_input (u->node, 0), number (u, "alpha", 1));

  ph_upgrade_replace (u, PH_BUILD (&u->b, Add, y, number (u, "beta", 0)));
}

/* alpha tanh (beta x) */
void
ph_upgrade_scaled_tanh (PhUpgrade *u)
{
  PhValue *y = PH_BUILD (&u->b, Tanh, PH_BUILD (&u->b, Mul, ph_node_input (u->node, 0), number (u, "beta", 1)));

  ph_upgrade_replace (u, PH_BUILD (&u->b, Mul, y, number (u, "alpha", 1)));
}

/* alpha log (1 + exp (beta x)) */
void
ph_upgrade_parametric_softplus (PhUpgrade *u)
{
  PhValue *y = PH_BUILD (&u->b, Softplus, PH_BUILD (&u->b, Mul, ph_node_input (u->node, 0), number (u, "beta", 1)));

  ph_upgrade_replace (u, PH_BUILD (&u->b, Mul, y, number (u, "alpha", 1)));
}

/* scale x + bias of the channel */
void
ph_upgrade_image_scaler (PhUpgrade *u)
{
  const PhAttr *bias = ph_node_attr (u->node, "bias");
  PhValue *y = PH_BUILD (&u->b, Mul, ph_node_input (u->node, 0), number (u, "scale", 1));
  PhTensor *column;

  if (bias != NULL && bias->kind == PH_ATTR_FLOATS && bias->n > 0)
    {
      const PhDType dtype = ph_upgrade_dtype (ph_node_input (u->node, 0));

      column = ph_tensor_new (dtype, 3, (gint64[]) { bias->n, 1, 1 });
      for (gsize i = 0; column != NULL && i < bias->n; i++)
        ph_dtype_store (dtype, ph_tensor_writable (column), i, bias->floats[i]);
      y = PH_BUILD (&u->b, Add, y, ph_build_tensor (&u->b, column));
    }
  ph_upgrade_replace (u, y);
}

/* border: left, top, right, bottom; or scale: the height and width kept from there. */
void
ph_upgrade_crop (PhUpgrade *u)
{
  gsize n, n_scale;
  const gint64 *border = ph_node_attr_ints (u->node, "border", &n), *scale = ph_node_attr_ints (u->node, "scale", &n_scale);
  const gint64 axes[] = { 2, 3 };
  gint64 starts[2], ends[2];

  if (border == NULL || n != 4 || (scale != NULL && n_scale != 2))
    {
      ph_upgrade_refuse (u, "its border must be four numbers, and its scale two");
      return;
    }
  for (guint i = 0; i < 2; i++)
    {
      const gint64 behind = border[3 - i];

      starts[i] = border[1 - i];
      ends[i] = scale != NULL ? starts[i] + scale[i] : behind > 0 ? -behind : G_MAXINT64;
    }
  ph_upgrade_replace (u, PH_BUILD (&u->b, Slice, ph_node_input (u->node, 0), ph_build_ints (&u->b, starts, 2),
                                   ph_build_ints (&u->b, ends, 2), ph_build_ints (&u->b, axes, 2)));
}

void
ph_upgrade_dynamic_slice (PhUpgrade *u)
{
  ph_upgrade_replace (u, PH_BUILD (&u->b, Slice, ph_node_input (u->node, 0), ph_node_input (u->node, 1),
                                   ph_node_input (u->node, 2), ph_node_input (u->node, 3)));
}
