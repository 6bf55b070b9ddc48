/* convert-aten-layer.c: what is one operator in PyTorch and a piece of network in ONNX: attention, a transformer's layer, recurrent layers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

static PhValue *
dense (PhConvert *l, PhValue *x, PhValue *w, PhValue *bias)
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
    return ph_convert_stay (l, "it drops out at random, as in training");
  width = ph_value_dim (q, ph_value_rank (q) - 1);
  if (ph_aten_has (l, "scale"))
    scale = ph_convert_like (l, q, ph_aten_number (l, "scale", 1));
  else if (width > 0)
    scale = ph_convert_like (l, q, 1 / sqrt ((double) width));
  else
    return ph_convert_stay (l, "the width of its heads is not known");
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

/* x => norm (x + attention (x)), then => norm (x + W2 relu (W1 x)); with norm_first the norms stand before. */
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
    return ph_convert_stay (l, "its heads or the rank of its operand are not known");
  y = first ? norm (l, x, t[5], t[6]) : x;
  y = dense (l, y, t[1], t[2]);
  parts = ph_build_node (l->b, &ph_op_Split, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("num_outputs", 3)),
                         3);
  if (parts == NULL)
    return FALSE;
  y = attend (l, heads (l, parts, n, width / n, TRUE), heads (l, ph_node_output (parts->producer, 1), n, width / n, TRUE),
              heads (l, ph_node_output (parts->producer, 2), n, width / n, TRUE),
              ph_convert_like (l, x, 1 / sqrt ((double) width / (double) n)), NULL);
  y = dense (l, heads (l, y, n, width / n, FALSE), t[3], t[4]);
  x = PH_BUILD (l->b, Add, x, y);
  if (!first)
    x = norm (l, x, t[5], t[6]);
  y = dense (l, first ? norm (l, x, t[7], t[8]) : x, t[9], t[10]);
  y = ph_aten_int (l, "use_gelu", 0) != 0 ? PH_BUILD (l->b, Gelu, y) : PH_BUILD (l->b, Relu, y);
  x = PH_BUILD (l->b, Add, x, dense (l, y, t[11], t[12]));
  out[0] = first ? x : norm (l, x, t[7], t[8]);
  return TRUE;
}

/* Attention of one sequence to itself, with the products before and after it. */
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
    return ph_convert_stay (l, "it has a mask, keys or values of their own, or its weights are asked for");
  if (n <= 0 || width % n != 0 || ph_value_rank (x) != 3)
    return ph_convert_stay (l, "its heads or the rank of its operand are not known");
  y = dense (l, x, t[3], t[4]);
  parts = ph_build_node (l->b, &ph_op_Split, &y, 1, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("num_outputs", 3)),
                         3);
  if (parts == NULL)
    return FALSE;
  y = attend (l, heads (l, parts, n, width / n, TRUE), heads (l, ph_node_output (parts->producer, 1), n, width / n, TRUE),
              heads (l, ph_node_output (parts->producer, 2), n, width / n, TRUE),
              ph_convert_like (l, x, 1 / sqrt ((double) width / (double) n)), NULL);
  out[0] = dense (l, heads (l, y, n, width / n, FALSE), t[5], t[6]);
  return TRUE;
}

/* The gates of @w in the order that ONNX has them, as one direction of several. */
static PhValue *
gates (PhConvert *l, PhValue *w, const guint *order, guint n)
{
  const gint64 size = ph_value_dim (w, 0) / n, zero = 0;
  PhValue *parts[4];

  for (guint i = 0; i < n; i++)
    parts[i] = ph_aten_slice (l, w, 0, order[i] * size, (order[i] + 1) * size);
  w = ph_aten_concat (l, parts, n, 0);
  return w != NULL ? PH_BUILD (l->b, Unsqueeze, w, ph_convert_ints_value (l, &zero, 1)) : NULL;
}

/* One layer after the other; both directions are one node. */
static gboolean
recurrent (PhConvert *l, PhValue **out)
{
  static const guint lstm_order[] = { 0, 3, 1, 2 }, gru_order[] = { 1, 0, 2 }, rnn_order[] = { 0 };
  const char *op = strchr (l->op, ':') + 1;
  const gboolean lstm = strcmp (op, "lstm") == 0, gru = strcmp (op, "gru") == 0, first = ph_aten_int (l, "batch_first", 0) != 0,
                 bias = ph_aten_int (l, "has_biases", 1) != 0;
  const guint *order = lstm ? lstm_order : gru ? gru_order : rnn_order, n_gates = lstm ? 4 : gru ? 3 : 1, n_states = lstm ? 2 : 1;
  const gint64 layers = ph_aten_int (l, "num_layers", 1), ways = ph_aten_int (l, "bidirectional", 0) != 0 ? 2 : 1;
  const guint each = bias ? 4 : 2;
  PhValue *x = ph_aten_tensor (l, 0), *last[2][16];
  const gint64 swap[] = { 1, 0, 2 }, back[] = { 0, 2, 1, 3 }, joined[] = { 0, 0, -1 };

  if (ph_aten_int (l, "train", 0) != 0 && ph_aten_number (l, "dropout", 0) != 0)
    return ph_convert_stay (l, "it drops out at random, as in training");
  if (x == NULL || ph_value_rank (x) != 3 || layers < 1 || layers > 16
      || ph_aten_n_tensors (l) != 1 + n_states + (guint) layers * (guint) ways * each)
    return ph_convert_stay (l, "its operand is packed or not of rank 3, or its weights are not all there");
  if (first)
    x = ph_convert_transpose (l, x, swap, 3);
  for (gint64 layer = 0; layer < layers && x != NULL; layer++)
    {
      PhValue *w[4] = { NULL }, *inputs[7] = { NULL }, *y;
      PhAttr *attrs[6] = { NULL };
      guint a = 0;

      for (guint p = 0; p < each; p++)
        {
          PhValue *both[2];

          for (gint64 way = 0; way < ways; way++)
            {
              PhValue *weight = ph_aten_tensor (l, 1 + n_states + (guint) (layer * ways + way) * each + p);

              if (weight == NULL || ph_value_dim (weight, 0) <= 0 || ph_value_dim (weight, 0) % n_gates != 0
                  || (p == 1 && ph_value_dim (weight, 1) * n_gates != ph_value_dim (weight, 0)))
                return ph_convert_stay (l, "the size of its weights is not known");
              both[way] = gates (l, weight, order, n_gates);
            }
          w[p] = ways == 1 ? both[0] : ph_aten_concat (l, both, 2, 0);
        }
      inputs[0] = x;
      inputs[1] = w[0];
      inputs[2] = w[1];
      if (bias)
        inputs[3] = ph_aten_concat (l, w + 2, 2, 1);
      for (guint s = 0; s < n_states; s++)
        inputs[5 + s] = layers == 1 ? ph_aten_tensor (l, 1 + s)
                                    : ph_aten_slice (l, ph_aten_tensor (l, 1 + s), 0, layer * ways, (layer + 1) * ways);
      attrs[a++] = ph_attr_new_int ("hidden_size", ph_value_dim (ph_aten_tensor (l, 2 + n_states), 1));
      attrs[a++] = ph_attr_new_string ("direction", ways == 2 ? "bidirectional" : "forward");
      if (gru)
        attrs[a++] = ph_attr_new_int ("linear_before_reset", 1);
      if (strcmp (op, "rnn_relu") == 0)
        {
          GBytes *relu[2] = { g_bytes_new_static ("Relu", 4), g_bytes_new_static ("Relu", 4) };

          attrs[a++] = ph_attr_new_strings ("activations", relu, (gsize) ways);
          g_bytes_unref (relu[0]);
          g_bytes_unref (relu[1]);
        }
      y = ph_build_node (l->b, lstm ? &ph_op_LSTM : gru ? &ph_op_GRU : &ph_op_RNN, inputs, 5 + n_states, attrs, 1 + n_states);
      if (y == NULL)
        return FALSE;
      for (guint s = 0; s < n_states; s++)
        last[s][layer] = ph_node_output (y->producer, 1 + s);
      /* [length, ways, n, hidden] => [length, n, ways hidden] */
      x = PH_BUILD (l->b, Reshape, ph_convert_transpose (l, y, back, 4), ph_convert_ints_value (l, joined, 3));
    }
  if (x == NULL)
    return FALSE;
  out[0] = first ? ph_convert_transpose (l, x, swap, 3) : x;
  for (guint s = 0; s < n_states && 1 + s < l->n_out; s++)
    out[1 + s] = ph_aten_concat (l, last[s], (guint) layers, 0);
  return TRUE;
}

static const char weighted[] = "The values are weighted by the softmax of how well queries meet keys.";
static const char one_kernel[] = "PyTorch's kernel does all of it at once.";
static const char gate_order[] = "PyTorch orders the gates in another way.";

/* clang-format off */
const PhConvertRule ph_convert_aten_layer[] = {
  { "aten:scaled_dot_product_attention", attention, "MatMul, Softmax, MatMul", weighted },
  { "aten:_native_multi_head_attention", self_attention, "attention between two dense layers", one_kernel },
  { "aten:_transformer_encoder_layer_fwd", encoder_layer, "attention, two dense layers and two norms", one_kernel },
  { "aten:lstm", recurrent, "an LSTM for each layer", gate_order }, { "aten:gru", recurrent, "a GRU for each layer", gate_order },
  { "aten:rnn_tanh", recurrent, "an RNN for each layer", one_kernel }, { "aten:rnn_relu", recurrent, "an RNN for each layer", one_kernel },
  { NULL }
};
/* clang-format on */
