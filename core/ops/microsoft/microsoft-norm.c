/* microsoft-norm.c: normalizations with fused additions, and embeddings, of com.microsoft.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft.h"

/* ── root mean square ── */

/* Builds the RMS normalization of @value along the axes from @axis on, and in @inverse (nullable) the reciprocal of the root. */
static PhValue *
build_rms (PhExpand *x, PhValue *value, PhValue *scale, gint64 axis, float epsilon, PhValue **inverse)
{
  PhBuilder *b = x->b;
  g_autofree gint64 *axes = NULL;
  guint rank;
  PhValue *mean;

  if (inverse != NULL && value != NULL && value->type != NULL && value->type->has_rank)
    {
      rank = value->type->rank;
      if (axis < 0)
        axis += rank;
      axes = g_new (gint64, rank + 1);
      for (guint i = MAX (axis, 0); i < rank; i++)
        axes[i - MAX (axis, 0)] = i;
      mean = PH_BUILD (b, ReduceMean, PH_BUILD (b, Mul, value, value), ph_build_ints (b, axes, rank - MAX (axis, 0)));
      *inverse = PH_BUILD (b, Reciprocal, PH_BUILD (b, Sqrt, PH_BUILD (b, Add, mean, ph_ms_number (b, value, epsilon))));
    }
  return PH_BUILD_WITH (b, RMSNormalization, PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_float ("epsilon", epsilon)),
                        value, scale);
}

PH_EXPAND_TO (expand_simplified,
              build_rms (x, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_node_attr_int (x->node, "axis", -1),
                         ph_node_attr_float (x->node, "epsilon", 1e-5f), ph_expand_wants (x, 1) ? &x->out[1] : NULL))

/* clang-format off */
const PhOp ph_op_SimplifiedLayerNormalization = {
  .name = "SimplifiedLayerNormalization", .since = 1, PH_SPELT_OUT (expand_simplified),
  .family = PH_FAMILY_NORM, .motif = PH_MOTIF_NORM, .short_name = "RMSNorm",
  .doc = "The last axes by their root mean square, then scaled; ONNX Runtime's own, which it writes into ONNX's domain.",
  .inputs = { { "X", 0, PH_FLOATS }, { "scale", 'V', PH_FLOATS } },
  .outputs = { { "Y", 'V', PH_FLOATS }, { "inv_std_var", 0, PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { { "axis", PH_ATTR_INT, "-1" }, { "epsilon", PH_ATTR_FLOAT, "1e-05" }, { "stash_type", PH_ATTR_INT, "1" } },
};
/* clang-format on */

/* ── sums before the norm ── */

static PhValue *
sum_of (PhExpand *x, guint bias)
{
  PhValue *sum = PH_BUILD (x->b, Add, ph_expand_in (x, 0), ph_expand_in (x, 1));

  return ph_expand_in (x, bias) != NULL ? PH_BUILD (x->b, Add, sum, ph_expand_in (x, bias)) : sum;
}

static gboolean
expand_skip_layer_norm (PhExpand *x, GError **error)
{
  PhValue *sum = sum_of (x, 4);
  PhAttr **attrs = PH_ATTRS (ph_attr_new_int ("axis", -1),
                             ph_attr_new_float ("epsilon", ph_node_attr_float (x->node, "epsilon", 1e-12f)));
  PhValue *inputs[] = { sum, ph_expand_in (x, 2), ph_expand_in (x, 3) };

  x->out[0] = ph_build_node (x->b, &ph_op_LayerNormalization, inputs, 3, attrs, 3);
  if (x->out[0] == NULL)
    return FALSE;
  for (guint i = 1; i < 3 && i < x->n_out; i++)
    x->out[i] = ph_node_output (x->out[0]->producer, i);
  if (ph_expand_wants (x, 3))
    x->out[3] = sum;
  return TRUE;
}

static gboolean
expand_skip_simplified (PhExpand *x, GError **error)
{
  PhValue *sum = sum_of (x, 3);

  x->out[0] = build_rms (x, sum, ph_expand_in (x, 2), -1, ph_node_attr_float (x->node, "epsilon", 1e-12f),
                         ph_expand_wants (x, 2) ? &x->out[2] : NULL);
  if (ph_expand_wants (x, 3))
    x->out[3] = sum;
  return TRUE;
}

/* clang-format off */
#define SKIP_OUTPUTS                                                                                                   \
  .outputs = { { "output", 'T', PH_FLOATS }, { "mean", 0, PH_FLOATS, PH_ARG_OPTIONAL },                                \
               { "inv_std_var", 0, PH_FLOATS, PH_ARG_OPTIONAL }, { "input_skip_bias_sum", 'T', PH_FLOATS, PH_ARG_OPTIONAL } }, \
  .attrs = { { "epsilon", PH_ATTR_FLOAT, "1e-12" } }

const PhOp ph_op_MsSkipLayerNormalization = {
  PH_MS ("SkipLayerNormalization"), PH_SPELT_OUT (expand_skip_layer_norm),
  .family = PH_FAMILY_NORM, .motif = PH_MOTIF_NORM, .short_name = "SkipLayerNorm",
  .example = { "x[1,2,4] s[1,2,4] g[4] b[4] c[4]", "y = com.microsoft.SkipLayerNormalization <epsilon = 0.01> (x, s, g, b, c)", -1, 1 },
  .doc = "Layer normalisation of a sum: of the input, what skipped ahead, and a bias.",
  .inputs = { { "input", 'T', PH_FLOATS }, { "skip", 'T', PH_FLOATS }, { "gamma", 'T', PH_FLOATS },
              { "beta", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  SKIP_OUTPUTS,
};

const PhOp ph_op_MsSkipSimplifiedLayerNormalization = {
  PH_MS ("SkipSimplifiedLayerNormalization"), PH_SPELT_OUT (expand_skip_simplified),
  .family = PH_FAMILY_NORM, .motif = PH_MOTIF_NORM, .short_name = "SkipRMSNorm",
  .example = { "x[1,2,4] s[1,2,4] g[4] c[4]", "y = com.microsoft.SkipSimplifiedLayerNormalization <epsilon = 0.01> (x, s, g, c)", -1, 1 },
  .doc = "Normalisation by the root mean square of a sum: of the input, what skipped ahead, and a bias.",
  .inputs = { { "input", 'T', PH_FLOATS }, { "skip", 'T', PH_FLOATS }, { "gamma", 'T', PH_FLOATS },
              { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  SKIP_OUTPUTS,
};
/* clang-format on */

/* ── embeddings ── */

static gboolean
expand_embed (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *ids = ph_expand_in (x, 0), *segments = ph_expand_in (x, 1), *mask = ph_expand_in (x, 7),
          *positions = ph_expand_in (x, 8);
  PhValue *sum, *shape, *length;
  PhAttr **attrs = NULL;

  sum = PH_BUILD (b, Gather, ph_expand_in (x, 2), ids);
  if (positions != NULL)
    sum = PH_BUILD (b, Add, sum, PH_BUILD (b, Gather, ph_expand_in (x, 3), positions));
  else
    {
      /* The first rows, one for each word. */
      shape = PH_BUILD (b, Shape, ids);
      length = PH_BUILD (b, Slice, shape, ph_build_ints (b, (gint64[]) { 1 }, 1), ph_build_ints (b, (gint64[]) { 2 }, 1));
      sum = PH_BUILD (b, Add, sum, PH_BUILD (b, Slice, ph_expand_in (x, 3), ph_build_ints (b, (gint64[]) { 0 }, 1), length));
    }
  if (segments != NULL && ph_expand_in (x, 4) != NULL)
    sum = PH_BUILD (b, Add, sum, PH_BUILD (b, Gather, ph_expand_in (x, 4), segments));
  attrs = PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_float ("epsilon", ph_node_attr_float (x->node, "epsilon", 1e-12f)));
  x->out[0] = PH_BUILD_WITH (b, LayerNormalization, attrs, sum, ph_expand_in (x, 5), ph_expand_in (x, 6));
  if (ph_expand_wants (x, 1))
    {
      /* The number of words in each row; 0 without a mask. */
      PhValue *row = mask != NULL ? ph_ms_cast (b, PH_BUILD (b, Equal, mask, ph_ms_number (b, mask, 1)), PH_INT32)
                                  : PH_BUILD (b, Mul, ids, ph_ms_number (b, ids, 0));

      x->out[1] = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), row,
                                 ph_build_ints (b, (gint64[]) { 1 }, 1));
      x->out[1] = ph_ms_cast (b, x->out[1], PH_INT32);
    }
  if (ph_expand_wants (x, 2))
    x->out[2] = sum;
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsEmbedLayerNormalization = {
  PH_MS ("EmbedLayerNormalization"), PH_SPELT_OUT (expand_embed),
  .family = PH_FAMILY_NORM, .motif = PH_MOTIF_NORM,
  .doc = "Layer normalisation of the sum of the embeddings of words, their positions and their segments.",
  .inputs = { { "input_ids", 0, PH_INDICES }, { "segment_ids", 0, PH_INDICES, PH_ARG_OPTIONAL },
              { "word_embedding", 'T', PH_FLOATS }, { "position_embedding", 'T', PH_FLOATS },
              { "segment_embedding", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "gamma", 'T', PH_FLOATS }, { "beta", 'T', PH_FLOATS },
              { "mask", 0, PH_INDICES, PH_ARG_OPTIONAL }, { "position_ids", 0, PH_INDICES, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "mask_index", 0, PH_T (INT32), PH_ARG_OPTIONAL },
               { "embedding_sum", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { { "epsilon", PH_ATTR_FLOAT, "1e-12" }, { "mask_index_type", PH_ATTR_INT, "0" } },
};
/* clang-format on */
