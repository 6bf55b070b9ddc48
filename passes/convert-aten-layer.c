/* convert-aten-layer.c: layers that are one operator in PyTorch and a subgraph in ONNX: attention, transformer layers, recurrent layers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

PhValue *
ph_aten_dense (PhConvert *l, PhValue *x, PhValue *w, PhValue *bias)
{
  PhValue *y = PH_BUILD (l->b, MatMul, x, ph_convert_transpose (l, w, (gint64[]) { 1, 0 }, 2));

  return bias != NULL ? PH_BUILD (l->b, Add, y, bias) : y;
}

/* softmax (q k' scale + mask) v */
static PhValue *
attend (PhConvert *l, PhValue *q, PhValue *k, PhValue *v, PhValue *scale, PhValue *mask)
{
  const int rank = ph_value_rank (k);
  gint64 perm[PH_MAX_RANK];
  PhValue *scores;

  for (int i = 0; i < rank; i++)
    perm[i] = i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2;
  scores = PH_BUILD (l->b, Mul, PH_BUILD (l->b, MatMul, q, ph_convert_transpose (l, k, perm, (guint) rank)), scale);
  if (mask != NULL && ph_convert_dtype (mask) == PH_BOOL)
    scores = PH_BUILD (l->b, Where, mask, scores, ph_convert_like (l, q, -(double) INFINITY));
  else if (mask != NULL)
    scores = PH_BUILD (l->b, Add, scores, mask);
  return PH_BUILD (l->b, MatMul, PH_BUILD_WITH (l->b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", -1)), scores), v);
}

static gboolean
attention (PhConvert *l, PhValue **out)
{
  PhValue *q = ph_aten_tensor (l, 0), *k = ph_aten_tensor (l, 1), *v = ph_aten_tensor (l, 2), *mask = ph_aten_tensor (l, 3),
          *scale;
  const int rank = k != NULL ? ph_value_rank (k) : -1;
  gint64 width;

  if (q == NULL || v == NULL || rank < 2 || ph_value_rank (q) < 2)
    return ph_convert_stay (l, "the rank of its operands is not known");
  if (ph_aten_number (l, "dropout_p", 0) != 0)
    return ph_convert_stay (l, "it applies dropout at random, as in training");
  width = ph_value_dim (q, ph_value_rank (q) - 1);
  if (ph_aten_has (l, "scale"))
    scale = ph_convert_like (l, q, ph_aten_number (l, "scale", 1));
  else if (width > 0)
    scale = ph_convert_like (l, q, 1 / sqrt ((double) width));
  else
    return ph_convert_stay (l, "the size of its heads is not known");
  if (ph_aten_int (l, "is_causal", 0) != 0)
    {
      PhValue *sizes = ph_aten_concat (
          l,
          PH_VALUES_ (PH_BUILD_WITH (l->b, Shape, PH_ATTRS (ph_attr_new_int ("start", -2), ph_attr_new_int ("end", -1)), q),
                      PH_BUILD_WITH (l->b, Shape, PH_ATTRS (ph_attr_new_int ("start", -2), ph_attr_new_int ("end", -1)), k)),
          2, 0);
      PhValue *ones = PH_BUILD (l->b, Expand, ph_convert_number (l, PH_UINT8, 1), sizes);

      mask = ph_convert_cast (l, PH_BUILD_WITH (l->b, Trilu, PH_ATTRS (ph_attr_new_int ("upper", 0)), ones), PH_BOOL);
    }
  out[0] = attend (l, q, k, v, scale, mask);
  return TRUE;
}

static PhValue *
norm (PhConvert *l, PhValue *x, PhValue *w, PhValue *bias)
{
  return PH_BUILD_WITH (
      l->b, LayerNormalization,
      PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_float ("epsilon", (float) ph_aten_number (l, "eps", 1e-5))), x, w,
      bias);
}

/* [n, length, heads width] => [n, heads, length, width], and back */
static PhValue *
heads (PhConvert *l, PhValue *x, gint64 n, gint64 width, gboolean apart)
{
  const gint64 split[] = { 0, 0, n, width }, joined[] = { 0, 0, n * width }, perm[] = { 0, 2, 1, 3 };

  if (apart)
    return ph_convert_transpose (l, PH_BUILD (l->b, Reshape, x, ph_convert_ints_value (l, split, 4)), perm, 4);
  return PH_BUILD (l->b, Reshape, ph_convert_transpose (l, x, perm, 4), ph_convert_ints_value (l, joined, 3));
}

/* x => norm (x + attention (x)), then => norm (x + W2 relu (W1 x)); with norm_first the norms come first. */
static gboolean
encoder_layer (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *t[13] = { NULL }, *y, *parts;
  const gint64 width = ph_aten_int (l, "embed_dim", 0), n = ph_aten_int (l, "num_heads", 0);
  const gboolean first = ph_aten_int (l, "norm_first", 0) != 0;

  for (guint i = 0; i < 13; i++)
    if ((t[i] = ph_aten_tensor (l, i)) == NULL)
      return ph_convert_stay (l, "a weight is missing");
  if (ph_aten_n_tensors (l) > 13 || ph_aten_has (l, "mask"))
    return ph_convert_stay (l, "it has a mask");
  if (n <= 0 || width % n != 0 || ph_value_rank (x) != 3)
    return ph_convert_stay (l, "the number of its heads or the rank of its operand is not known");
  y = first ? norm (l, x, t[5], t[6]) : x;
  y = ph_aten_dense (l, y, t[1], t[2]);
  parts = ph_build_node (l->b, &ph_op_Split, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("num_outputs", 3)),
                         3);
  if (parts == NULL)
    return FALSE;
  y = attend (l, heads (l, parts, n, width / n, TRUE), heads (l, ph_node_output (parts->producer, 1), n, width / n, TRUE),
              heads (l, ph_node_output (parts->producer, 2), n, width / n, TRUE),
              ph_convert_like (l, x, 1 / sqrt ((double) width / (double) n)), NULL);
  y = ph_aten_dense (l, heads (l, y, n, width / n, FALSE), t[3], t[4]);
  x = PH_BUILD (l->b, Add, x, y);
  if (!first)
    x = norm (l, x, t[5], t[6]);
  y = ph_aten_dense (l, first ? norm (l, x, t[7], t[8]) : x, t[9], t[10]);
  y = ph_aten_int (l, "use_gelu", 0) != 0 ? PH_BUILD (l->b, Gelu, y) : PH_BUILD (l->b, Relu, y);
  x = PH_BUILD (l->b, Add, x, ph_aten_dense (l, y, t[11], t[12]));
  out[0] = first ? x : norm (l, x, t[7], t[8]);
  return TRUE;
}

/* Converts self-attention, with the projections before and after it. */
static gboolean
self_attention (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *t[7] = { NULL }, *y, *parts;
  const gint64 width = ph_aten_int (l, "embed_dim", 0), n = ph_aten_int (l, "num_head", 0);

  for (guint i = 0; i < 7; i++)
    if ((t[i] = ph_aten_tensor (l, i)) == NULL)
      return ph_convert_stay (l, "a weight is missing");
  if (t[1] != x || t[2] != x || ph_aten_tensor (l, 7) != NULL
      || (l->n_out > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0))
    return ph_convert_stay (l, "it has a mask, separate keys or values, or its attention weights are used");
  if (n <= 0 || width % n != 0 || ph_value_rank (x) != 3)
    return ph_convert_stay (l, "the number of its heads or the rank of its operand is not known");
  y = ph_aten_dense (l, x, t[3], t[4]);
  parts = ph_build_node (l->b, &ph_op_Split, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("num_outputs", 3)),
                         3);
  if (parts == NULL)
    return FALSE;
  y = attend (l, heads (l, parts, n, width / n, TRUE), heads (l, ph_node_output (parts->producer, 1), n, width / n, TRUE),
              heads (l, ph_node_output (parts->producer, 2), n, width / n, TRUE),
              ph_convert_like (l, x, 1 / sqrt ((double) width / (double) n)), NULL);
  out[0] = ph_aten_dense (l, heads (l, y, n, width / n, FALSE), t[5], t[6]);
  return TRUE;
}

/* v times g over the length of v, over all dimensions but one. */
static gboolean
weight_norm (PhConvert *l, PhValue **out)
{
  PhValue *v = ph_aten_tensor (l, 0), *g = ph_aten_tensor (l, 1), *length;
  const int rank = v != NULL ? ph_value_rank (v) : -1;
  const gint64 dim = ph_aten_int (l, "dim", 0);
  gint64 axes[PH_MAX_RANK];
  guint n = 0;

  if (g == NULL || rank < 1)
    return ph_convert_stay (l, "the rank of its weight is not known");
  for (int i = 0; i < rank; i++)
    if (i != dim)
      axes[n++] = i;
  length = PH_BUILD_WITH (l->b, ReduceL2, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), v, ph_convert_ints_value (l, axes, n));
  out[0] = PH_BUILD (l->b, Mul, v, PH_BUILD (l->b, Div, g, length));
  if (l->n_out > 1)
    out[1] = length;
  return TRUE;
}

/* Sums rows of a table by bag: an index belongs to the last bag whose offset is not after it. */
static gboolean
embedding_bag (PhConvert *l, PhValue **out)
{
  PhValue *table = ph_aten_tensor (l, 0), *at = ph_aten_tensor (l, 1), *offsets = ph_aten_tensor (l, 2),
          *weights = ph_aten_tensor (l, 3), *rows, *places, *bag, *member;
  const gint64 mode = ph_aten_int (l, "mode", 0), zero = 0, one = 1, last = -1,
               n_bags = offsets != NULL ? ph_value_dim (offsets, 0) : -1;

  /* Bags of the same length. */
  if (table != NULL && at != NULL && ph_value_rank (at) == 2 && ph_aten_int (l, "padding_idx", -1) < 0)
    {
      rows = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), table, at);
      if (weights != NULL)
        rows = PH_BUILD (l->b, Mul, rows, PH_BUILD (l->b, Unsqueeze, weights, ph_convert_ints_value (l, &last, 1)));
      out[0] = ph_build_node (l->b,
                              mode == 0   ? &ph_op_ReduceSum
                              : mode == 1 ? &ph_op_ReduceMean
                                          : &ph_op_ReduceMax,
                              PH_VALUES_ (rows, ph_convert_ints_value (l, &one, 1)), 2,
                              PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
      return TRUE;
    }
  if (table == NULL || at == NULL || offsets == NULL || mode > 2 || ph_aten_int (l, "padding_idx", -1) >= 0
      || ph_aten_int (l, "include_last_offset", 0) != 0 || ph_value_rank (at) != 1)
    return ph_convert_stay (l, "it has padding, or its indices are not a vector");
  rows = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), table, at);
  if (weights != NULL)
    rows = PH_BUILD (l->b, Mul, rows, PH_BUILD (l->b, Unsqueeze, weights, ph_convert_ints_value (l, &last, 1)));
  places = PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), PH_BUILD (l->b, Size, at),
                     ph_build_scalar (l->b, PH_INT64, 1));
  bag = PH_BUILD (l->b, LessOrEqual,
                  PH_BUILD (l->b, Unsqueeze, ph_convert_cast (l, offsets, PH_INT64), ph_convert_ints_value (l, &one, 1)),
                  PH_BUILD (l->b, Unsqueeze, places, ph_convert_ints_value (l, &zero, 1)));
  bag = PH_BUILD (l->b, Sub,
                  PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), ph_convert_cast (l, bag, PH_INT64),
                                 ph_convert_ints_value (l, &zero, 1)),
                  ph_build_scalar (l->b, PH_INT64, 1));
  member = PH_BUILD_WITH (l->b, OneHot, PH_ATTRS (ph_attr_new_int ("axis", 0)), bag,
                          n_bags >= 0 ? ph_build_scalar (l->b, PH_INT64, (double) n_bags)
                                      : ph_convert_reshape (l, ph_aten_shape_part (l, offsets, 0, 1), NULL, 0),
                          ph_convert_cast (l, ph_convert_ints_value (l, (gint64[]) { 0, 1 }, 2), ph_convert_dtype (table)));
  if (mode == 2) /* An empty bag gives zeros. */
    {
      PhValue *is = PH_BUILD (l->b, Unsqueeze, ph_convert_cast (l, member, PH_BOOL), ph_convert_ints_value (l, &last, 1)),
              *any = PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), member,
                                    ph_convert_ints_value (l, &one, 1));

      out[0] = PH_BUILD (l->b, Where, is, PH_BUILD (l->b, Unsqueeze, rows, ph_convert_ints_value (l, &zero, 1)),
                         ph_convert_like (l, rows, -HUGE_VAL));
      out[0] = PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), out[0],
                              ph_convert_ints_value (l, &one, 1));
      out[0] = PH_BUILD (l->b, Where, ph_convert_cast (l, any, PH_BOOL), out[0], ph_convert_like (l, rows, 0));
      return TRUE;
    }
  out[0] = PH_BUILD (l->b, MatMul, member, rows);
  if (mode == 1)
    {
      PhValue *many = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), member,
                                     ph_convert_ints_value (l, &one, 1));

      out[0] = PH_BUILD (l->b, Div, out[0], PH_BUILD (l->b, Max, many, ph_convert_like (l, many, 1)));
    }
  return TRUE;
}

static const char weighted[] = "Attention is the softmax of the scaled products of queries and keys, times the values.";
static const char one_kernel[] = "PyTorch's fused kernel computes the whole layer, which ONNX writes as separate operators.";

/* clang-format off */
const PhConvertRule ph_convert_aten_layer[] = {
  { "aten:scaled_dot_product_attention", attention, "MatMul, Softmax, MatMul", weighted },
  { "aten:_native_multi_head_attention", self_attention, "attention between two dense layers", one_kernel },
  { "aten:_transformer_encoder_layer_fwd", encoder_layer, "attention, two dense layers and two norms", one_kernel },
  { "aten:_weight_norm", weight_norm, "Mul and ReduceL2", "Weight normalisation writes the weight as a direction times a length." }, { "aten:_weight_norm_interface", weight_norm, "Mul and ReduceL2", "Weight normalisation writes the weight as a direction times a length." },
  { "aten:embedding_bag", embedding_bag, "Gather, OneHot and MatMul", "A bag of embeddings is the sum or the mean of its rows." }, { "aten:_embedding_bag", embedding_bag, "Gather, OneHot and MatMul", "A bag of embeddings is the sum or the mean of its rows." },
  { NULL }
};
/* clang-format on */
