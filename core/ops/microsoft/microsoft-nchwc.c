/* microsoft-nchwc.c: com.microsoft.nchwc, blocked convolutions made by ONNX Runtime's highest optimisation level.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft-nchwc.h"

/* A blocked tensor is declared as [N, C, H, W] with C padded with zeros to whole blocks; in memory it is [N, C / block, H, W, block].
 * Weights are stored as [O / block, I / block, H, W, block of I, block of O], or, if there are fewer input channels than a block has (the
 * first convolution, which reads a plain tensor, and depthwise ones), as [O / block, I, H, W, block]. */

gint64
ph_nchwc_block (void)
{
#if defined(__x86_64__)
  __builtin_cpu_init ();
  return __builtin_cpu_supports ("avx512f") ? 16 : 8;
#else
  return 16;
#endif
}

/* Returns the channels of input @i if they are whole blocks; -1 with the error otherwise. */
static gint64
blocked_channels (PhExpand *x, guint i, GError **error)
{
  const gint64 channels = ph_expand_dim (x, i, 1), block = ph_nchwc_block ();

  if (ph_expand_rank (x, i) == 4 && channels > 0 && channels % block == 0)
    return channels;
  ph_expand_fail (x, error,
                  "input %u has to be [N, C, H, W] with C a multiple of %" G_GINT64_FORMAT
                  ", the block of channels of this machine",
                  i, block);
  return -1;
}

static PhValue *
to_blocks (PhBuilder *b, PhValue *value, gint64 channels)
{
  const gint64 block = ph_nchwc_block ();
  PhValue *y = ph_ms_reshape (b, value, (gint64[]) { 0, channels / block, block, -1 }, 4);

  return PH_BUILD (b, Reshape, ph_ms_transpose (b, y, (gint64[]) { 0, 1, 3, 2 }, 4), PH_BUILD (b, Shape, value));
}

static PhValue *
from_blocks (PhBuilder *b, PhValue *value, gint64 channels)
{
  const gint64 block = ph_nchwc_block ();
  PhValue *y = ph_ms_reshape (b, value, (gint64[]) { 0, channels / block, -1, block }, 4);

  return PH_BUILD (b, Reshape, ph_ms_transpose (b, y, (gint64[]) { 0, 1, 3, 2 }, 4), PH_BUILD (b, Shape, value));
}

static gboolean
expand_reorder_input (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const gboolean last = ph_node_attr_int (x->node, "channels_last", 0) != 0;
  const gint64 channels = ph_expand_dim (x, 0, last ? 3 : 1), block = ph_nchwc_block ();
  const gint64 missing = (block - channels % block) % block;
  PhValue *value = ph_expand_in (x, 0);

  if (ph_expand_rank (x, 0) != 4 || channels <= 0)
    return ph_expand_fail (x, error, "its input has to be of rank 4 with a known number of channels");
  if (last)
    value = ph_ms_transpose (b, value, (gint64[]) { 0, 3, 1, 2 }, 4);
  if (missing > 0)
    value = PH_BUILD (b, Pad, value, ph_build_ints (b, (gint64[]) { 0, 0, 0, 0, 0, missing, 0, 0 }, 8));
  x->out[0] = to_blocks (b, value, channels + missing);
  return TRUE;
}

static gboolean
expand_reorder_output (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const gint64 channels = blocked_channels (x, 0, error), wanted = ph_node_attr_int (x->node, "channels", 0);
  PhValue *y;

  if (channels < 0)
    return FALSE;
  if (wanted <= channels - ph_nchwc_block () || wanted > channels)
    return ph_expand_fail (x, error, "%" G_GINT64_FORMAT " channels do not fill the %" G_GINT64_FORMAT " of its input", wanted,
                           channels);
  y = from_blocks (b, ph_expand_in (x, 0), channels);
  if (wanted < channels)
    y = PH_BUILD (b, Slice, y, ph_build_ints (b, (gint64[]) { 0 }, 1), ph_build_ints (b, &wanted, 1),
                  ph_build_ints (b, (gint64[]) { 1 }, 1));
  if (ph_node_attr_int (x->node, "channels_last", 0) != 0)
    y = ph_ms_transpose (b, y, (gint64[]) { 0, 2, 3, 1 }, 4);
  x->out[0] = y;
  return TRUE;
}

/* Returns the weights, input 1, as [O, I, H, W]. */
static PhValue *
plain_weights (PhExpand *x)
{
  const gint64 block = ph_nchwc_block ();
  gint64 dims[4];
  PhValue *y;

  for (int i = 0; i < 4; i++)
    dims[i] = ph_expand_dim (x, 1, i);
  if (dims[1] < block)
    {
      y = ph_ms_reshape (x->b, ph_expand_in (x, 1), (gint64[]) { dims[0] / block, dims[1], dims[2], dims[3], block }, 5);
      y = ph_ms_transpose (x->b, y, (gint64[]) { 0, 4, 1, 2, 3 }, 5);
    }
  else
    {
      y = ph_ms_reshape (x->b, ph_expand_in (x, 1),
                         (gint64[]) { dims[0] / block, dims[1] / block, dims[2], dims[3], block, block }, 6);
      y = ph_ms_transpose (x->b, y, (gint64[]) { 0, 5, 1, 4, 2, 3 }, 6);
    }
  return ph_ms_reshape (x->b, y, dims, 4);
}

static gboolean
expand_conv (PhExpand *x, GError **error)
{
  static const char *const but[] = { "activation", "activation_params", NULL };
  PhBuilder *b = x->b;
  g_autofree PhAttr **attrs = NULL;
  const PhAttr *parameters = ph_node_attr (x->node, "activation_params");
  const gint64 block = ph_nchwc_block (), channels = ph_expand_dim (x, 0, 1);
  PhValue *data = ph_expand_in (x, 0), *y;
  gint64 dims[4];

  for (int i = 0; i < 4; i++)
    if ((dims[i] = ph_expand_rank (x, 1) == 4 ? ph_expand_dim (x, 1, i) : -1) <= 0)
      return ph_expand_fail (x, error, "the shape of its weights has to be known and of rank 4");
  if (dims[0] % block != 0 || (dims[1] >= block && dims[1] % block != 0))
    return ph_expand_fail (x, error,
                           "its weights do not come in blocks of %" G_GINT64_FORMAT
                           " channels, as they do on this machine: it was written on another kind",
                           block);
  if (channels < 0 || channels >= block)
    {
      if (blocked_channels (x, 0, error) < 0)
        return FALSE;
      data = from_blocks (b, data, channels);
    }
  attrs = ph_ms_attrs (x, but);
  y = to_blocks (b, PH_BUILD_WITH (b, Conv, attrs, data, plain_weights (x), ph_expand_in (x, 2)), dims[0]);
  if (ph_expand_in (x, 3) != NULL)
    y = PH_BUILD (b, Add, y, ph_expand_in (x, 3));
  x->out[0] = ph_ms_activate (x, y, ph_node_attr_string (x->node, "activation", ""),
                              parameters != NULL ? parameters->floats : NULL, parameters != NULL ? parameters->n : 0);
  return x->out[0] != NULL;
}

/* Expands an operator on each channel's image to ONNX's own between two changes of layout. */
static gboolean
expand_image (PhExpand *x, const PhOp *op, GError **error)
{
  const gint64 channels = blocked_channels (x, 0, error);
  g_autofree PhAttr **attrs = NULL;
  PhValue *data;

  if (channels < 0)
    return FALSE;
  attrs = ph_ms_attrs (x, NULL);
  data = from_blocks (x->b, ph_expand_in (x, 0), channels);
  x->out[0] = to_blocks (x->b, ph_build_node (x->b, op, &data, 1, attrs, 1), channels);
  return TRUE;
}

static gboolean
expand_max_pool (PhExpand *x, GError **error)
{
  return expand_image (x, &ph_op_MaxPool, error);
}

static gboolean
expand_average_pool (PhExpand *x, GError **error)
{
  return expand_image (x, &ph_op_AveragePool, error);
}

static gboolean
expand_global_max_pool (PhExpand *x, GError **error)
{
  return expand_image (x, &ph_op_GlobalMaxPool, error);
}

static gboolean
expand_global_average_pool (PhExpand *x, GError **error)
{
  return expand_image (x, &ph_op_GlobalAveragePool, error);
}

static gboolean
expand_upsample (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const gint64 channels = blocked_channels (x, 0, error);
  const PhAttr *scales = ph_node_attr (x->node, "scales");
  float factors[4];
  PhValue *y;

  if (channels < 0)
    return FALSE;
  if (scales == NULL || scales->n != 4 || scales->ints[0] != 1 || scales->ints[1] != 1)
    return ph_expand_fail (x, error, "it has to have four scales, the first two of them 1");
  for (guint i = 0; i < 4; i++)
    factors[i] = scales->ints[i];
  y = PH_BUILD_WITH (b, Resize,
                     PH_ATTRS (ph_attr_new_string ("mode", ph_node_attr_string (x->node, "mode", "nearest")),
                               ph_attr_new_string ("coordinate_transformation_mode",
                                                   ph_node_attr_string (x->node, "coordinate_transformation_mode", "asymmetric")),
                               ph_attr_new_string ("nearest_mode", "floor")),
                     from_blocks (b, ph_expand_in (x, 0), channels), NULL,
                     ph_build_tensor (b, ph_tensor_new_floats (factors, 4)));
  x->out[0] = to_blocks (b, y, channels);
  return TRUE;
}

GHashTable *
ph_nchwc_values (PhGraph *graph)
{
  GHashTable *values = NULL;

  if (ph_model_opset (graph->model, ph_op_NchwcConv.domain) == 0) /* no node of this domain exists */
    return NULL;
  PH_FOREACH_NODE (node, graph)
    {
      gboolean in_blocks = g_str_equal (node->domain, ph_op_NchwcConv.domain) && node->op != &ph_op_NchwcReorderOutput;

      for (guint i = 0; values != NULL && !in_blocks && node->op != &ph_op_NchwcReorderOutput && i < node->inputs->len; i++)
        in_blocks = ph_node_input (node, i) != NULL
                    && g_hash_table_contains (values, GUINT_TO_POINTER (ph_node_input (node, i)->id));
      if (in_blocks && values == NULL)
        values = g_hash_table_new (NULL, NULL);
      for (guint k = 0; in_blocks && k < node->outputs->len; k++)
        g_hash_table_add (values, GUINT_TO_POINTER (ph_node_output (node, k)->id));
    }
  return values;
}

/* clang-format off */
#define NCHWC(name_) .name = name_, .domain = "com.microsoft.nchwc", .since = 1
#define POOL_ATTRS                                                                                                     \
  PH_AUTO_PAD, { "ceil_mode", PH_ATTR_INT, "0" }, { "dilations", PH_ATTR_INTS },      \
  { "kernel_shape", PH_ATTR_INTS, .required = TRUE }, { "pads", PH_ATTR_INTS }, { "strides", PH_ATTR_INTS }

const PhOp ph_op_NchwcReorderInput = {
  NCHWC ("ReorderInput"), PH_SPELT_OUT (expand_reorder_input), .family = PH_FAMILY_MOVEMENT,
  .doc = "Lays the channels of images out in blocks as wide as this machine's vectors.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
  .attrs = { { "channels_last", PH_ATTR_INT, "0" } },
};

const PhOp ph_op_NchwcReorderOutput = {
  NCHWC ("ReorderOutput"), PH_SPELT_OUT (expand_reorder_output), .family = PH_FAMILY_MOVEMENT,
  .doc = "Lays channels that come in blocks out one after another, or last.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
  .attrs = { { "channels", PH_ATTR_INT, "0" }, { "channels_last", PH_ATTR_INT, "0" } },
};

const PhOp ph_op_NchwcConv = {
  NCHWC ("Conv"), PH_SPELT_OUT (expand_conv), .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_CONV,
  .main_attrs = { "activation" },
  .doc = "Convolution over channels in blocks plus a tensor of its shape, followed by an activation.",
  .inputs = { { "X", 'T', PH_T (FLOAT) }, { "W", 'T', PH_T (FLOAT) }, { "B", 'T', PH_T (FLOAT), PH_ARG_OPTIONAL },
              { "Sum", 'T', PH_T (FLOAT), PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_T (FLOAT) } },
  .attrs = { PH_MS_CONV_ATTRS, { "activation", PH_ATTR_STRING, .words = PH_MS_ACTIVATIONS }, { "activation_params", PH_ATTR_FLOATS } },
};

const PhOp ph_op_NchwcMaxPool = {
  NCHWC ("MaxPool"), PH_SPELT_OUT (expand_max_pool), .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "The largest number of each window, over channels in blocks.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
  .attrs = { POOL_ATTRS, { "storage_order", PH_ATTR_INT, "0" } },
};

const PhOp ph_op_NchwcAveragePool = {
  NCHWC ("AveragePool"), PH_SPELT_OUT (expand_average_pool), .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "The mean of each window, over channels in blocks.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
  .attrs = { POOL_ATTRS, { "count_include_pad", PH_ATTR_INT, "0" } },
};

const PhOp ph_op_NchwcGlobalMaxPool = {
  NCHWC ("GlobalMaxPool"), PH_SPELT_OUT (expand_global_max_pool), .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "The largest element of each channel, the channels in blocks.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
};

const PhOp ph_op_NchwcGlobalAveragePool = {
  NCHWC ("GlobalAveragePool"), PH_SPELT_OUT (expand_global_average_pool), .family = PH_FAMILY_POOL, .motif = PH_MOTIF_POOL,
  .doc = "The mean of each channel, the channels in blocks.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
};

const PhOp ph_op_NchwcUpsample = {
  NCHWC ("Upsample"), PH_SPELT_OUT (expand_upsample), .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "scales", "mode" },
  .doc = "Enlarges images by integer factors; their channels are in blocks.",
  .inputs = { { "X", 'T', PH_T (FLOAT) } }, .outputs = { { "Y", 'T', PH_T (FLOAT) } },
  .attrs = { { "coordinate_transformation_mode", PH_ATTR_STRING, "\"asymmetric\"", .words = "asymmetric|align_corners|half_pixel" }, { "mode", PH_ATTR_STRING, "\"nearest\"", .words = "nearest|linear" },
             { "scales", PH_ATTR_INTS, .required = TRUE } },
};
/* clang-format on */
