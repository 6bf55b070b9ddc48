/* conv-to-matmul.c: replaces convolutions with windows of one element by matrix products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/*  A window of one element:    y[n, :, h, w] = W x[n, :, h, w]           MatMul (W, x as [N, C, H * W])
 *  A window of the whole:      y[n, m] = sum of W[m] * x[n]              MatMul (x as [N, C * H * W], W')
 *
 * Neither moves elements in memory: both only change shapes. The second form is the first fully connected layer of AlexNet
 * and VGG, written as a convolution. */

static gboolean
ints_are (const PhNode *node, const char *name, gint64 wanted)
{
  gsize n = 0;
  const gint64 *values = ph_node_attr_ints (node, name, &n);

  for (gsize i = 0; i < n; i++)
    if (values[i] != wanted)
      return FALSE;
  return TRUE;
}

/* Returns TRUE for a convolution with one group, no padding and known channels. */
static gboolean
is_plain (const PhNode *conv)
{
  const char *auto_pad = ph_node_attr_string (conv, "auto_pad", "NOTSET");

  return !ph_node_is_tied (conv) && ph_node_attr_int (conv, "group", 1) == 1 && ints_are (conv, "pads", 0)
         && (g_str_equal (auto_pad, "NOTSET") || g_str_equal (auto_pad, "VALID")) && ph_value_rank (ph_node_input (conv, 0)) >= 3
         && ph_value_rank (ph_node_input (conv, 1)) == ph_value_rank (ph_node_input (conv, 0))
         && ph_value_dim (ph_node_input (conv, 1), 0) > 0 && ph_value_dim (ph_node_input (conv, 1), 1) > 0;
}

/* Returns TRUE for windows of one element. The batch size may be unknown, or 0: a 0 in the shape copies it. */
static gboolean
is_one_by_one (PhMatch *match)
{
  const PhNode *conv = match->root;
  const PhValue *x = ph_node_input (conv, 0), *w = ph_node_input (conv, 1);

  if (!is_plain (conv) || !ints_are (conv, "strides", 1))
    return FALSE;
  for (int i = 2; i < ph_value_rank (w); i++)
    if (ph_value_dim (w, i) != 1 || ph_value_dim (x, i) <= 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_whole (PhMatch *match)
{
  const PhNode *conv = match->root;
  const PhValue *x = ph_node_input (conv, 0), *w = ph_node_input (conv, 1);
  gint64 n = 1;

  if (!is_plain (conv) || !ints_are (conv, "dilations", 1))
    return FALSE;
  for (int i = 2; i < ph_value_rank (w); i++)
    {
      if (ph_value_dim (w, i) <= 0 || ph_value_dim (x, i) != ph_value_dim (w, i))
        return FALSE;
      n *= ph_value_dim (w, i);
    }
  return n > 1;
}

static PhValue *
reshape (PhBuilder *b, PhValue *x, const gint64 *dims, gsize n)
{
  return x != NULL ? PH_BUILD (b, Reshape, x, ph_build_ints (b, dims, n)) : NULL;
}

static PhValue *
build_one_by_one (PhMatch *match, PhBuilder *b)
{
  PhValue *x = ph_node_input (match->root, 0), *w = ph_node_input (match->root, 1), *bias = ph_node_input (match->root, 2), *y;
  gint64 m = ph_value_dim (w, 0), c = ph_value_dim (w, 1), dims[PH_MAX_RANK] = { 0, m }, n = 1;
  int rank = ph_value_rank (x);

  for (int i = 2; i < rank; i++)
    n *= dims[i] = ph_value_dim (x, i);
  y = PH_BUILD (b, MatMul, reshape (b, w, (gint64[]) { m, c }, 2), reshape (b, x, (gint64[]) { 0, c, n }, 3));
  if (bias != NULL)
    y = PH_BUILD (b, Add, y, reshape (b, bias, (gint64[]) { m, 1 }, 2));
  return reshape (b, y, dims, rank);
}

static PhValue *
build_whole (PhMatch *match, PhBuilder *b)
{
  PhValue *x = ph_node_input (match->root, 0), *w = ph_node_input (match->root, 1), *bias = ph_node_input (match->root, 2), *y;
  gint64 m = ph_value_dim (w, 0), n = ph_value_dim (w, 1), dims[PH_MAX_RANK] = { 0, m };
  int rank = ph_value_rank (x);

  for (int i = 2; i < rank; i++)
    {
      n *= ph_value_dim (w, i);
      dims[i] = 1;
    }
  y = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 1, 0 }, 2)),
                     reshape (b, w, (gint64[]) { m, n }, 2));
  y = PH_BUILD (b, MatMul, reshape (b, x, (gint64[]) { 0, n }, 2), y);
  if (bias != NULL)
    y = PH_BUILD (b, Add, y, bias);
  return reshape (b, y, dims, rank);
}

static const PhRule rules[] = {
  { "conv-one-by-one", .root = &ph_op_Conv, .when = is_one_by_one, .build = build_one_by_one, .exactness = PH_ROUNDING,
    .matches = "Conv(x, W) with windows of one element", .becomes = "Reshape(MatMul(Reshape(W), Reshape(x)))",
    .why = "A window of one element only mixes channels, which is one matrix product for each image." },
  { "conv-whole", .root = &ph_op_Conv, .when = is_whole, .build = build_whole, .exactness = PH_ROUNDING,
    .matches = "Conv(x, W) with windows as large as x", .becomes = "Reshape(MatMul(Reshape(x), Transpose(Reshape(W))))",
    .why = "A window as large as the image has only one position, so the convolution is a fully connected layer." },
};

/* clang-format off */
const PhPass ph_pass_conv_to_matmul = {
  .name = "conv-to-matmul", .group = "algebra", .summary = "Turns convolutions with one-element or whole-image windows into matrix products",
  .elsewhere = "XLA gemv_rewriter; cuDNN and oneDNN choose so inside",
  .trap = "strides skip positions and padding adds some, so such a convolution is not a matrix product.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
