/* space-to-depth-conv.c: replaces a strided convolution of few channels by one without strides of more channels.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*   x [N, 3, 224, 224]              x
 *   |                               |
 *  Conv 7x7, stride 2      =>    SpaceToDepth 2      [N, 12, 112, 112]
 *                                   |
 *                                 Conv 4x4, stride 1
 *
 * Along one axis tap k reads x[2 i + k - p]. With k - p = 2 q + r, r in {0, 1}, that is block i + q, part r: tap q of the new
 * window, channel block r. Taps outside of the old window are zero. This is a known optimization of ResNet's first layer:
 * three channels do not fill a vector register, twelve do. */

typedef struct
{
  gint64 first, taps, begin, end;
} Axis; /* least q; how many; padding */

static gint64
floor_half (gint64 a)
{
  return a >= 0 ? a / 2 : -((1 - a) / 2);
}

static gboolean
plan_axis (const PhNode *conv, int axis, Axis *plan)
{
  gsize n_strides = 0, n_pads = 0, n_dilations = 0;
  const gint64 *strides = ph_node_attr_ints (conv, "strides", &n_strides), *pads = ph_node_attr_ints (conv, "pads", &n_pads);
  const gint64 *dilations = ph_node_attr_ints (conv, "dilations", &n_dilations);
  gint64 size = ph_value_dim (ph_node_input (conv, 0), 2 + axis), k = ph_value_dim (ph_node_input (conv, 1), 2 + axis);
  gint64 begin = n_pads == 4 ? pads[axis] : 0, end = n_pads == 4 ? pads[2 + axis] : 0, out;

  if (n_strides != 2 || strides[axis] != 2 || (n_dilations == 2 && dilations[axis] != 1) || size <= 0 || size % 2 != 0 || k < 2
      || begin < 0 || end < 0 || size + begin + end < k)
    return FALSE;
  out = (size + begin + end - k) / 2 + 1;
  plan->first = floor_half (-begin);
  plan->taps = floor_half (k - 1 - begin) - plan->first + 1;
  plan->begin = -plan->first;
  plan->end = out - size / 2 - plan->begin + plan->taps - 1;
  return plan->end >= 0;
}

static gboolean
is_first_layer (PhMatch *match)
{
  const PhNode *conv = match->root;
  const PhValue *x = ph_node_input (conv, 0);
  Axis plan;

  return ph_value_rank (x) == 4 && ph_node_attr_int (conv, "group", 1) == 1 && ph_value_dim (x, 1) >= 1
         && ph_value_dim (x, 1) <= 4 && g_str_equal (ph_node_attr_string (conv, "auto_pad", "NOTSET"), "NOTSET")
         && ph_value_dtype (x) == PH_FLOAT && plan_axis (conv, 0, &plan) && plan_axis (conv, 1, &plan);
}

static PhTensor *
blocked_weights (PhTensor *weights, const PhNode *conv, const Axis *rows, const Axis *columns)
{
  const gint64 *dims = ph_tensor_dims (weights);
  gint64 m = dims[0], c = dims[1], h = dims[2], w = dims[3];
  PhTensor *blocked = ph_tensor_new (PH_FLOAT, 4, (gint64[]) { m, 4 * c, rows->taps, columns->taps });
  gsize n_pads = 0;
  const gint64 *pads = ph_node_attr_ints (conv, "pads", &n_pads);
  gint64 top = n_pads == 4 ? pads[0] : 0, left = n_pads == 4 ? pads[1] : 0;
  float *to = ph_tensor_writable (blocked);

  for (gint64 i = 0; i < m * c * h * w; i++)
    {
      gint64 x = i % w - left, y = i / w % h - top, channel = i / (w * h) % c, filter = i / (w * h * c);
      gint64 qx = floor_half (x), qy = floor_half (y), part = (y - 2 * qy) * 2 + (x - 2 * qx);

      to[((filter * 4 * c + part * c + channel) * rows->taps + qy - rows->first) * columns->taps + qx - columns->first]
          = (float) ph_tensor_get (weights, i);
    }
  return blocked;
}

static PhValue *
build_blocked (PhMatch *match, PhBuilder *b)
{
  static const char *const but[] = { "pads", "strides", "kernel_shape", "dilations", "auto_pad", NULL };
  const PhNode *conv = match->root;
  PhValue *bias = ph_node_input (conv, 2), *blocks, *weights;
  guint n;
  g_autofree PhAttr **attrs = ph_node_copy_attrs (conv, but, &n);
  Axis rows, columns;

  plan_axis (conv, 0, &rows);
  plan_axis (conv, 1, &columns);
  attrs[n++] = ph_attr_new_ints ("pads", (gint64[]) { rows.begin, columns.begin, rows.end, columns.end }, 4);
  blocks = PH_BUILD_WITH (b, SpaceToDepth, PH_ATTRS (ph_attr_new_int ("blocksize", 2)), match->slot[0]);
  weights = ph_build_tensor (b, blocked_weights (ph_value_constant (match->slot[1]), conv, &rows, &columns));
  return ph_build_node (b, &ph_op_Conv, PH_VALUES_ (blocks, weights, bias), bias != NULL ? 3 : 2, attrs, 1);
}

/* clang-format off */
static const PhRule rules[] = {
  { "space-to-depth", P (Conv, X, CONST (1)), .when = is_first_layer, .build = build_blocked, .exactness = PH_ROUNDING,
    .matches = "Conv<strides = [2, 2]>(x, const W) of at most four channels", .becomes = "Conv(SpaceToDepth(x), const)",
    .why = "With each 2x2 square of pixels as channels, the same products stand in a dense window with stride 1." },
};

const PhPass ph_pass_space_to_depth_conv = {
  .name = "space-to-depth-conv", .group = "layout", .summary = "Turns the stride of a network's first convolution into channels",
  .elsewhere = "MLPerf's ResNet on TPUs; XLA space-to-batch",
  .trap = "an odd size leaves one row over; an infinity meets the zeros of the larger window.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
