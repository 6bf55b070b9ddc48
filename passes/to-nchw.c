/* to-nchw.c: converts convolutions and pools back to channels-first; reverts to-nhwc.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"
#include "passes/rule.h"

static gboolean
is_channels_last (PhMatch *match)
{
  return ph_node_is_fused (match->root) && g_str_has_prefix (match->root->op_type, "Nhwc");
}

static gboolean
put_channels_first (PhMatch *match, PhBuilder *b)
{
  return ph_graph_inline_node (match->root, &b->error);
}

static const PhRule rules[] = {
  { "channels-first", .when = is_channels_last, .apply = put_channels_first, .matches = "NhwcConv(x, W)",
    .becomes = "Transpose(Conv(Transpose(x), W))",
    .why = "ONNX's own operators have channels first, so the channels-last node is replaced by its body." },
};

/* clang-format off */
const PhPass ph_pass_to_nchw = {
  .name = "to-nchw", .group = "layout", .summary = "Puts the channels of convolutions and pools first, as in ONNX",
  .elsewhere = "ONNX Runtime layout_transformation",
  .trap = "the same as for to-nhwc, in the opposite direction.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
