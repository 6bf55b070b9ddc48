/* convert-aten-layer.c: layers that are one operator in PyTorch and a subgraph in ONNX: attention, transformer layers, recurrent layers.
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

/* Returns the gates of @w in ONNX's order, as one direction of several. */
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

/* Converts a stack of layers to one node per layer; both directions are one node. */
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
    return ph_convert_stay (l, "it applies dropout at random, as in training");
  if (x == NULL || ph_value_rank (x) != 3 || layers < 1 || layers > 16
      || ph_aten_n_tensors (l) != 1 + n_states + (guint) layers * (guint) ways * each)
    return ph_convert_stay (l, "its operand is packed or not of rank 3, or some of its weights are missing");
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
      /* [length, directions, n, hidden] => [length, n, directions * hidden] */
      x = PH_BUILD (l->b, Reshape, ph_convert_transpose (l, y, back, 4), ph_convert_ints_value (l, joined, 3));
    }
  if (x == NULL)
    return FALSE;
  out[0] = first ? ph_convert_transpose (l, x, swap, 3) : x;
  for (guint s = 0; s < n_states && 1 + s < l->n_out; s++)
    out[1 + s] = ph_aten_concat (l, last[s], (guint) layers, 0);
  return TRUE;
}

/* Converts a single step of a recurrent layer to elementary operators. */
static gboolean
cell (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean lstm = strcmp (op, "lstm_cell") == 0, gru = strcmp (op, "gru_cell") == 0;
  const guint states = lstm ? 2 : 1, n = lstm ? 4 : gru ? 3 : 1;
  PhValue *x = ph_aten_tensor (l, 0), *h = ph_aten_tensor (l, 1), *w = ph_aten_tensor (l, 1 + states),
          *r = ph_aten_tensor (l, 2 + states), *from_x, *from_h, *a[4], *b[4];
  PhNode *parts;

  if (x == NULL || h == NULL || w == NULL || r == NULL || ph_value_rank (w) != 2 || ph_value_rank (r) != 2)
    return ph_convert_stay (l, "a weight is missing");
  from_x = dense (l, x, w, ph_aten_tensor (l, 3 + states));
  from_h = dense (l, h, r, ph_aten_tensor (l, 4 + states));
  if (!gru)
    from_x = PH_BUILD (l->b, Add, from_x, from_h);
  if (n == 1)
    {
      out[0] = strcmp (op, "rnn_relu_cell") == 0 ? PH_BUILD (l->b, Relu, from_x) : PH_BUILD (l->b, Tanh, from_x);
      return TRUE;
    }
  for (guint k = 0; k < (gru ? 2 : 1); k++)
    {
      PhValue *whole = k == 0 ? from_x : from_h,
              *first = ph_build_node (l->b, &ph_op_Split, &whole, 1,
                                      PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("num_outputs", n)), n);

      if (first == NULL)
        return FALSE;
      parts = first->producer;
      for (guint i = 0; i < n; i++)
        (k == 0 ? a : b)[i] = ph_node_output (parts, i);
    }
  if (lstm)
    {
      PhValue *c = PH_BUILD (l->b, Add, PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sigmoid, a[1]), ph_aten_tensor (l, 2)),
                             PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sigmoid, a[0]), PH_BUILD (l->b, Tanh, a[2])));

      out[0] = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sigmoid, a[3]), PH_BUILD (l->b, Tanh, c));
      if (l->n_out > 1)
        out[1] = c;
    }
  else
    {
      PhValue *reset = PH_BUILD (l->b, Sigmoid, PH_BUILD (l->b, Add, a[0], b[0])),
              *update = PH_BUILD (l->b, Sigmoid, PH_BUILD (l->b, Add, a[1], b[1])),
              *fresh = PH_BUILD (l->b, Tanh, PH_BUILD (l->b, Add, a[2], PH_BUILD (l->b, Mul, reset, b[2])));

      out[0] = PH_BUILD (l->b, Add, fresh, PH_BUILD (l->b, Mul, update, PH_BUILD (l->b, Sub, h, fresh)));
    }
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

  if (table == NULL || at == NULL || offsets == NULL || mode > 1 || ph_aten_int (l, "padding_idx", -1) >= 0
      || ph_aten_int (l, "include_last_offset", 0) != 0 || ph_value_rank (at) != 1)
    return ph_convert_stay (l, "it takes the maximum, has padding, or its indices are not a vector");
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
  out[0] = PH_BUILD (l->b, MatMul, member, rows);
  if (mode == 1)
    {
      PhValue *many = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), member,
                                     ph_convert_ints_value (l, &one, 1));

      out[0] = PH_BUILD (l->b, Div, out[0], PH_BUILD (l->b, Max, many, ph_convert_like (l, many, 1)));
    }
  return TRUE;
}

static gboolean
grid_sample (PhConvert *l, PhValue **out)
{
  static const char *const modes[] = { "linear", "nearest", "cubic" }, *const borders[] = { "zeros", "border", "reflection" };
  PhValue *x = ph_aten_tensor (l, 0), *grid = ph_aten_tensor (l, 1);
  const gint64 mode = ph_aten_int (l, "interpolation_mode", 0), border = ph_aten_int (l, "padding_mode", 0);

  if (x == NULL || grid == NULL || mode < 0 || mode > 2 || border < 0 || border > 2)
    return ph_convert_stay (l, "its operands are not known");
  out[0] = PH_BUILD_WITH (l->b, GridSample,
                          PH_ATTRS (ph_attr_new_string ("mode", modes[mode]),
                                    ph_attr_new_string ("padding_mode", borders[border]),
                                    ph_attr_new_int ("align_corners", ph_aten_int (l, "align_corners", 0) != 0)),
                          x, grid);
  return TRUE;
}

static gboolean
affine_grid (PhConvert *l, PhValue **out)
{
  PhValue *theta = ph_aten_tensor (l, 0), *size = theta != NULL ? ph_aten_sizes (l, "size", -1) : NULL;

  if (size == NULL)
    return FALSE;
  out[0] = PH_BUILD_WITH (l->b, AffineGrid,
                          PH_ATTRS (ph_attr_new_int ("align_corners", ph_aten_int (l, "align_corners", 0) != 0)), theta, size);
  return TRUE;
}

/* Reads @n numbers of a computed list if they are known. */
static gboolean
known_numbers (PhConvert *l, const char *name, float *to, guint n)
{
  const PhValue *value = ph_aten_computed (l, name);
  const PhNode *list = value != NULL ? value->producer : NULL;

  if (list == NULL || !ph_aten_is_list (list) || list->inputs->len != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      PhTensor *tensor = list->inputs->pdata[i] != NULL ? ph_value_constant (list->inputs->pdata[i]) : NULL;

      if (tensor == NULL || ph_tensor_count (tensor) != 1)
        return FALSE;
      to[i] = (float) ph_tensor_get (tensor, 0);
    }
  return TRUE;
}

static gboolean
upsample (PhConvert *l, PhValue **out)
{
  const gboolean linear = strstr (l->op, "linear") != NULL, cubic = strstr (l->op, "bicubic") != NULL,
                 corners = ph_aten_int (l, "align_corners", 0) != 0;
  PhValue *x = ph_aten_operand (l), *sizes = NULL, *scales = NULL;
  const PhAttr *factors = ph_node_attr (l->node, "scale_factors");
  float scale[5] = { 1, 1, 1, 1, 1 };
  const int rank = x != NULL ? ph_value_rank (x) : -1;

  if (rank < 3 || rank > 5)
    return ph_convert_stay (l, "the rank of its operand is not known");
  if (ph_aten_has (l, "output_size"))
    {
      PhValue *parts[] = { ph_aten_shape_part (l, x, 0, 2), ph_aten_sizes (l, "output_size", -1) };

      sizes = ph_aten_concat (l, parts, 2, 0);
    }
  else if (factors != NULL && factors->kind == PH_ATTR_FLOATS && factors->n + 2 == (gsize) rank)
    {
      memcpy (scale + 2, factors->floats, factors->n * sizeof *scale);
      scales = ph_build_tensor (l->b, ph_tensor_new_floats (scale, (gsize) rank));
    }
  else if (rank > 2 && known_numbers (l, "scale_factors", scale + 2, (guint) rank - 2))
    scales = ph_build_tensor (l->b, ph_tensor_new_floats (scale, (gsize) rank));
  if (sizes == NULL && scales == NULL)
    return ph_convert_stay (l, "the size of its result is not known");
  out[0] = ph_build_node (l->b, &ph_op_Resize, PH_VALUES_ (x, NULL, scales, sizes), sizes != NULL ? 4 : 3,
                          PH_ATTRS (ph_attr_new_string ("mode", cubic    ? "cubic"
                                                                : linear ? "linear"
                                                                         : "nearest"),
                                    ph_attr_new_string ("coordinate_transformation_mode", !linear && !cubic ? "asymmetric"
                                                                                          : corners         ? "align_corners"
                                                                                                            : "half_pixel"),
                                    ph_attr_new_string ("nearest_mode", "floor")),
                          1);
  return TRUE;
}

static gboolean
pixel_shuffle (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  if (ph_value_rank (x) != 4 || !ph_dtype_is_float (ph_convert_dtype (x)))
    return ph_aten_shuffle (l, out);
  out[0] = PH_BUILD_WITH (
      l->b, DepthToSpace,
      PH_ATTRS (ph_attr_new_int ("blocksize", ph_aten_int (l, "upscale_factor", 1)), ph_attr_new_string ("mode", "CRD")), x);
  return out[0] != NULL;
}

static const char weighted[] = "Attention is the softmax of the scaled products of queries and keys, times the values.";
static const char one_kernel[] = "PyTorch's fused kernel computes the whole layer, which ONNX writes as separate operators.";
static const char gate_order[] = "Both compute the same recurrence; the weights of the gates are reordered.";

/* clang-format off */
const PhConvertRule ph_convert_aten_layer[] = {
  { "aten:scaled_dot_product_attention", attention, "MatMul, Softmax, MatMul", weighted },
  { "aten:_native_multi_head_attention", self_attention, "attention between two dense layers", one_kernel },
  { "aten:_transformer_encoder_layer_fwd", encoder_layer, "attention, two dense layers and two norms", one_kernel },
  { "aten:lstm", recurrent, "an LSTM for each layer", gate_order }, { "aten:gru", recurrent, "a GRU for each layer", gate_order },
  { "aten:rnn_tanh", recurrent, "an RNN for each layer", one_kernel }, { "aten:rnn_relu", recurrent, "an RNN for each layer", one_kernel },
  { "aten:lstm_cell", cell, "two dense layers and the gates", one_kernel }, { "aten:gru_cell", cell, "two dense layers and the gates", one_kernel },
  { "aten:rnn_tanh_cell", cell, "two dense layers and Tanh", one_kernel }, { "aten:rnn_relu_cell", cell, "two dense layers and Relu", one_kernel },
  { "aten:_weight_norm", weight_norm, "Mul and ReduceL2", "Weight normalisation writes the weight as a direction times a length." }, { "aten:_weight_norm_interface", weight_norm, "Mul and ReduceL2", "Weight normalisation writes the weight as a direction times a length." },
  { "aten:embedding_bag", embedding_bag, "Gather, OneHot and MatMul", "A bag of embeddings is the sum or the mean of its rows." }, { "aten:_embedding_bag", embedding_bag, "Gather, OneHot and MatMul", "A bag of embeddings is the sum or the mean of its rows." },
  { "aten:grid_sampler", grid_sample, "GridSample", "Both read sampling positions that range from -1 to 1." }, { "aten:grid_sampler_2d", grid_sample, "GridSample", "Both read sampling positions that range from -1 to 1." },
  { "aten:affine_grid_generator", affine_grid, "AffineGrid", "Both return sampling positions that range from -1 to 1." },
  { "aten:upsample_nearest1d", upsample, "Resize", "PyTorch rounds coordinates down, as ONNX's nearest_mode floor does." }, { "aten:upsample_nearest2d", upsample, "Resize", "PyTorch rounds coordinates down, as ONNX's nearest_mode floor does." }, { "aten:upsample_nearest3d", upsample, "Resize", "PyTorch rounds coordinates down, as ONNX's nearest_mode floor does." },
  { "aten:upsample_linear1d", upsample, "Resize", "Without align_corners, PyTorch places pixels at half coordinates, which is ONNX's half_pixel mode." }, { "aten:upsample_bilinear2d", upsample, "Resize", "Without align_corners, PyTorch places pixels at half coordinates, which is ONNX's half_pixel mode." },
  { "aten:upsample_bicubic2d", upsample, "Resize", "Both interpolate between four pixels along each axis." },
  { "aten:upsample_trilinear3d", upsample, "Resize", "Without align_corners, PyTorch places pixels at half coordinates, which is ONNX's half_pixel mode." },
  { "aten:pixel_shuffle", pixel_shuffle, "DepthToSpace", "PyTorch orders the channels by channel, row and column, which is ONNX's mode CRD." },
  { NULL }
};
/* clang-format on */
