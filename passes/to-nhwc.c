/* to-nhwc.c: converts convolutions and pools to channels-last.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/fuse.h"
#include "passes/rule.h"

/*   x                x
 *   |                |
 *  Conv    =>    Transpose to NHWC         ONNX only has channels-first operators, so a channels-last one is a node with a
 *   |                |                     body that transposes its operand and result; a backend computes it directly.
 *                NhwcConv                  sink-transposes then removes superfluous Transposes.
 *                    |
 *                Transpose to NCHW                     */

static const gint64 to_last[] = { 0, 2, 3, 1 }, to_first[] = { 0, 3, 1, 2 };

/* clang-format off */
static const PhOp *const spatial[] = {
  &ph_op_Conv, &ph_op_ConvTranspose, &ph_op_MaxPool, &ph_op_AveragePool, &ph_op_LpPool, &ph_op_GlobalAveragePool, &ph_op_GlobalMaxPool,
  &ph_op_BatchNormalization, &ph_op_InstanceNormalization, &ph_op_DepthToSpace, &ph_op_SpaceToDepth, NULL
};
/* clang-format on */

static gboolean
is_image (PhMatch *match)
{
  const PhNode *node = match->root;

  if (ph_value_rank (ph_node_input (node, 0)) != 4 || ph_node_input (node, 0) == NULL || ph_node_is_tied (node))
    return FALSE;
  for (guint k = 1; k < node->outputs->len; k++)
    if (ph_value_n_uses (ph_node_output (node, k)) > 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_spatial (PhMatch *match)
{
  return ph_op_is_any (match->root->op, spatial) && is_image (match);
}

static PhValue *
transpose (PhBuilder *b, PhValue *x, const gint64 *perm)
{
  return x != NULL ? PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 4)), x) : NULL;
}

static gboolean
put_channels_last (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));
  g_autofree char *name = g_strconcat ("Nhwc", node->op_type, NULL);
  PhValue *last = transpose (b, inputs[0], to_last), *y, *z;

  inputs[0] = transpose (b, last, to_first);
  y = inputs[0] != NULL ? ph_build_like (b, node, inputs, node->inputs->len) : NULL;
  last = transpose (b, y, to_last);
  z = transpose (b, last, to_first);
  if (z == NULL)
    return FALSE;

  PhNode *body[] = { inputs[0]->producer, y->producer, last->producer };

  return ph_fuse_nodes (body, 3, name, b) != NULL && ph_node_replace (node, z, &b->error);
}

static const PhRule rules[] = {
  { "channels-last", .when = is_spatial, .apply = put_channels_last, .matches = "Conv(x, W)",
    .becomes = "Transpose(NhwcConv(Transpose(x), W))",
    .why = "With channels last, the elements that are multiplied and summed are adjacent in memory." },
  { "lrn-channels-last", P (LRN, X), .when = is_image, .apply = put_channels_last, .becomes = "Transpose(NhwcLRN(Transpose(x)))",
    .exactness = PH_ROUNDING,
    .why = "With channels last, the channels whose squares are summed are adjacent; they are summed in another order." },
};

/* clang-format off */
const PhPass ph_pass_to_nhwc = {
  .name = "to-nhwc", .group = "layout", .summary = "Puts the channels of convolutions and pools last, between Transposes",
  .elsewhere = "ONNX Runtime NhwcTransformer; TVM ConvertLayout; XLA layout_assignment",
  .trap = "a later ArgMax or Slice names an axis, which must change too: fuzzing found most of TVM's layout bugs there.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
