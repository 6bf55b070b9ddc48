/* fuse-pad.c: folds a Pad into the convolution or pool that reads it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <math.h>

/* The value that may be absorbed depends on the reader: a convolution pads with 0, MaxPool with -inf, and AveragePool with 0 only if it
 * counts its padding. Zeros before a MaxPool must stay, since they win over negative numbers. A pool whose own padding is not counted would
 * count it after the merge: it must have none. */

/* Returns the spatial part of constant pads: begins, then ends. Those of batch and channels must be 0, none negative. (transfer full)
 * (nullable) */
static gint64 *
spatial_pads (const PhNode *pad, guint *n)
{
  g_autofree gint64 *pads = NULL;
  int rank = ph_value_rank (ph_node_input (pad, 0));
  gint64 *spatial;
  gsize count;

  if (rank < 3 || ph_node_input (pad, 3) != NULL || !g_str_equal (ph_node_attr_string (pad, "mode", "constant"), "constant")
      || !ph_value_ints (ph_node_input (pad, 1), &pads, &count) || count != 2 * (gsize) rank)
    return NULL;
  for (int i = 0; i < 2; i++)
    if (pads[i] != 0 || pads[rank + i] != 0)
      return NULL;
  for (gsize i = 0; i < count; i++)
    if (pads[i] < 0)
      return NULL;
  *n = 2 * (rank - 2);
  spatial = g_new (gint64, *n);
  for (int i = 0; i < rank - 2; i++)
    {
      spatial[i] = pads[2 + i];
      spatial[rank - 2 + i] = pads[rank + 2 + i];
    }
  return spatial;
}

static gboolean
pads_with (const PhNode *pad, double wanted)
{
  PhValue *value = ph_node_input (pad, 2);
  double number = 0;

  if (value != NULL && !ph_value_number (value, &number))
    return FALSE;
  return number == wanted;
}

static gboolean
has_explicit_pads (const PhNode *node)
{
  return g_str_equal (ph_node_attr_string (node, "auto_pad", "NOTSET"), "NOTSET");
}

static gboolean
has_no_pads (const PhNode *node)
{
  gsize n = 0;
  const gint64 *pads = ph_node_attr_ints (node, "pads", &n);

  for (gsize i = 0; i < n; i++)
    if (pads[i] != 0)
      return FALSE;
  return TRUE;
}

static gboolean
goes_into (PhMatch *match, double value)
{
  guint n;
  g_autofree gint64 *pads = spatial_pads (match->node[1], &n);

  return pads != NULL && pads_with (match->node[1], value) && has_explicit_pads (match->root);
}

static gboolean
goes_into_conv (PhMatch *match)
{
  return goes_into (match, 0);
}

static gboolean
goes_into_max_pool (PhMatch *match)
{
  guint n, taps = 0;
  gsize k = 0;
  g_autofree gint64 *pads = spatial_pads (match->node[1], &n);
  const gint64 *kernel = ph_node_attr_ints (match->root, "kernel_shape", &k);

  /* A window of padding only would be empty, and ONNX requires pads smaller than the kernel. */
  for (guint i = 0; pads != NULL && kernel != NULL && i < n; i++)
    taps += pads[i] >= kernel[i % k];
  return goes_into (match, -INFINITY) && taps == 0 && has_no_pads (match->root)
         && ph_node_attr_int (match->root, "ceil_mode", 0) == 0;
}

static gboolean
goes_into_average_pool (PhMatch *match)
{
  guint n;
  gsize k = 0;
  g_autofree gint64 *pads = spatial_pads (match->node[1], &n);
  const gint64 *kernel = ph_node_attr_ints (match->root, "kernel_shape", &k);

  for (guint i = 0; pads != NULL && kernel != NULL && i < n; i++)
    if (pads[i] >= kernel[i % k])
      return FALSE;
  return goes_into (match, 0) && has_no_pads (match->root) && ph_node_attr_int (match->root, "ceil_mode", 0) == 0;
}

static PhValue *
build_padded (PhMatch *match, PhBuilder *b)
{
  static const char *const but[] = { "pads", "auto_pad", "count_include_pad", NULL };
  const PhNode *node = match->root;
  guint n = 0, n_attrs;
  gsize n_own = 0;
  g_autofree gint64 *pads = spatial_pads (match->node[1], &n);
  const gint64 *own = ph_node_attr_ints (node, "pads", &n_own);
  g_autofree PhAttr **attrs = ph_node_copy_attrs (node, but, &n_attrs);
  g_autofree PhValue **inputs = g_memdup2 (node->inputs->pdata, node->inputs->len * sizeof (PhValue *));

  for (guint i = 0; i < n; i++)
    pads[i] += i < n_own ? own[i] : 0;
  attrs[n_attrs++] = ph_attr_new_ints ("pads", pads, n);
  if (node->op == &ph_op_AveragePool)
    attrs[n_attrs++] = ph_attr_new_int ("count_include_pad", 1);
  inputs[0] = match->slot[0];
  return ph_build_node (b, node->op, inputs, node->inputs->len, attrs, 1);
}

static const PhRule rules[] = {
  { "pad-conv", P (Conv, P (Pad, X)), .when = goes_into_conv, .build = build_padded, .becomes = "Conv<pads>(x)",
    .why = "Conv pads with zeros itself, so its attribute pads replaces the Pad.", .exactness = PH_ROUNDING },
  { "pad-max-pool", P (MaxPool, P (Pad, X)), .when = goes_into_max_pool, .build = build_padded, .becomes = "MaxPool<pads>(x)",
    .why = "MaxPool pads with -inf itself, so its attribute pads replaces the Pad.", .exactness = PH_EXACT_FINITE },
  { "pad-average-pool", P (AveragePool, P (Pad, X)), .when = goes_into_average_pool, .build = build_padded,
    .becomes = "AveragePool<pads, count_include_pad = 1>(x)",
    .why = "AveragePool pads with zeros itself, and count_include_pad includes them in the mean.", .exactness = PH_ROUNDING },
};

/* clang-format off */
const PhPass ph_pass_fuse_pad = {
  .name = "fuse-pad", .group = "fusion", .summary = "Folds padding into the convolution or pool that reads it",
  .elsewhere = "ONNX Runtime PadFusion; onnxoptimizer fuse_pad_into_conv, fuse_pad_into_pool",
  .trap = "MaxPool pads with -inf: ONNX Runtime 1.30 folds zeros into it and is wrong for negative numbers. "
          "onnxoptimizer makes an AveragePool count padding that it did not count.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
