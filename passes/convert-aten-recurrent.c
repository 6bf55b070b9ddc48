/* convert-aten-recurrent.c: PyTorch's recurrent layers in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"

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

/* How many of @many, a row, are above each of @each, a column. */
static PhValue *
counts_above (PhConvert *l, PhValue *many, PhValue *each)
{
  const gint64 last = -1;

  return PH_BUILD_WITH (
      l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
      ph_convert_cast (l, PH_BUILD (l->b, Greater, many, PH_BUILD (l->b, Unsqueeze, each, ph_convert_ints_value (l, &last, 1))),
                       PH_INT64),
      ph_convert_ints_value (l, &last, 1));
}

static PhValue *
numbers_below (PhConvert *l, PhValue *n)
{
  return PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), n, ph_build_scalar (l->b, PH_INT64, 1));
}

/* The lengths of sequences in falling order, of how many are as long as each time. */
static PhValue *
lengths_of (PhConvert *l, PhValue *batch_sizes, PhValue *x)
{
  return counts_above (l, batch_sizes, numbers_below (l, ph_convert_reshape (l, ph_aten_shape_part (l, x, 1, 2), NULL, 0)));
}

/* One direction of an LSTM whose state is projected: h = P y. ONNX's keeps y, so its recurrent weights are R P; what the first step adds, R h0,
 * comes in as more of that step's operand: h0 beside x there, zeros beside it elsewhere. */
static PhValue *
project_one (PhConvert *l, PhValue *x, PhValue *h, PhValue *c, PhValue *const *w, gboolean bias, gboolean backward,
             PhValue **last)
{
  static const guint order[] = { 0, 3, 1, 2 };
  PhValue *projection = w[bias ? 4 : 2], *r = gates (l, w[1], order, 4), *inputs[7] = { NULL }, *beside[2], *length, *rest, *y;
  const gint64 one = 1, turned[] = { 1, 0 };

  length = PH_BUILD (l->b, Sub, ph_aten_shape_part (l, x, 0, 1), ph_convert_ints_value (l, &one, 1));
  rest = ph_aten_concat (l, (PhValue *[]) { length, ph_aten_shape_part (l, h, 1, 3) }, 2, 0);
  beside[backward] = h;
  beside[!backward] = PH_BUILD (l->b, Expand, ph_convert_like (l, h, 0), rest);
  beside[0] = ph_aten_concat (l, beside, 2, 0);
  inputs[0] = ph_aten_concat (l, (PhValue *[]) { x, beside[0] }, 2, 2);
  inputs[1] = ph_aten_concat (l, (PhValue *[]) { gates (l, w[0], order, 4), r }, 2, 2);
  inputs[2] = PH_BUILD (l->b, MatMul, r, projection);
  if (bias)
    inputs[3] = ph_aten_concat (l, (PhValue *[]) { gates (l, w[2], order, 4), gates (l, w[3], order, 4) }, 2, 1);
  inputs[6] = c;
  y = ph_build_node (l->b, &ph_op_LSTM, inputs, 7,
                     PH_ATTRS (ph_attr_new_int ("hidden_size", ph_value_dim (projection, 1)),
                               ph_attr_new_string ("direction", backward ? "reverse" : "forward")),
                     3);
  if (y == NULL)
    return NULL;
  projection = ph_convert_transpose (l, projection, turned, 2);
  last[0] = PH_BUILD (l->b, MatMul, ph_node_output (y->producer, 1), projection);
  last[1] = ph_node_output (y->producer, 2);
  return PH_BUILD (l->b, MatMul, PH_BUILD (l->b, Squeeze, y, ph_convert_ints_value (l, &one, 1)), projection);
}

static gboolean
projected (PhConvert *l, gboolean bias, guint layers, guint ways, PhValue **out)
{
  const gint64 swap[] = { 1, 0, 2 };
  const gboolean first = ph_aten_int (l, "batch_first", 0) != 0;
  const guint each = bias ? 5 : 3;
  PhValue *x = ph_aten_tensor (l, 0), *h = ph_aten_tensor (l, 1), *c = ph_aten_tensor (l, 2), *last[2][32];

  if (x != NULL && first)
    x = ph_convert_transpose (l, x, swap, 3);
  for (guint layer = 0; layer < layers && x != NULL; layer++)
    {
      PhValue *both[2], *w[5], *states[2];

      for (guint way = 0; way < ways; way++)
        {
          const guint at = layer * ways + way;

          for (guint p = 0; p < each; p++)
            if ((w[p] = ph_aten_tensor (l, 3 + at * each + p)) == NULL || ph_value_dim (w[p], 0) <= 0)
              return ph_convert_stay (l, "the size of its weights is not known");
          if (ph_value_rank (w[each - 1]) != 2 || ph_value_dim (w[each - 1], 1) * 4 != ph_value_dim (w[0], 0))
            return ph_convert_stay (l, "the size of its projection is not known");
          both[way] = project_one (l, x, ph_aten_slice (l, h, 0, at, at + 1), ph_aten_slice (l, c, 0, at, at + 1), w, bias,
                                   way == 1, states);
          last[0][at] = states[0];
          last[1][at] = states[1];
          if (both[way] == NULL)
            return FALSE;
        }
      x = ph_aten_concat (l, both, ways, 2);
    }
  if (x == NULL)
    return FALSE;
  out[0] = first ? ph_convert_transpose (l, x, swap, 3) : x;
  for (guint s = 0; s < 2 && 1 + s < l->n_out; s++)
    out[1 + s] = ph_aten_concat (l, last[s], layers * ways, 0);
  return TRUE;
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
  const guint n_weights = layers >= 1 && layers <= 16 ? (guint) layers * (guint) ways * each : 0,
              packed = n_weights > 0 && ph_aten_n_tensors (l) == 2 + n_states + n_weights, from = 1 + packed;

  if (ph_aten_int (l, "train", 0) != 0 && ph_aten_number (l, "dropout", 0) != 0)
    return ph_convert_stay (l, "it applies dropout at random, as in training");
  if (lstm && x != NULL && ph_value_rank (x) == 3 && n_weights > 0 && ph_value_rank (ph_aten_tensor (l, 1)) == 3
      && ph_aten_n_tensors (l) == 3 + n_weights / each * (each + 1))
    return projected (l, bias, (guint) layers, (guint) ways, out);
  if (x == NULL || ph_value_rank (x) != 3 || n_weights == 0 || ph_aten_n_tensors (l) != from + n_states + n_weights)
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
              PhValue *weight = ph_aten_tensor (l, from + n_states + (guint) (layer * ways + way) * each + p);

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
      if (packed)
        inputs[4] = ph_convert_cast (l, lengths_of (l, ph_aten_tensor (l, 1), ph_aten_tensor (l, 0)), PH_INT32);
      for (guint s = 0; s < n_states; s++)
        inputs[5 + s] = layers == 1 ? ph_aten_tensor (l, from + s)
                                    : ph_aten_slice (l, ph_aten_tensor (l, from + s), 0, layer * ways, (layer + 1) * ways);
      attrs[a++] = ph_attr_new_int ("hidden_size", ph_value_dim (ph_aten_tensor (l, from + 1 + n_states), 1));
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

/* A packed sequence is the padded one, times first, beside how many sequences are as long as each time. */
static gboolean
pack (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *lengths = ph_aten_tensor (l, 1), *longest;
  const gint64 swap[] = { 1, 0, 2 };

  if (x == NULL || lengths == NULL || ph_value_rank (x) != 3)
    return ph_convert_stay (l, "its operand is not of rank 3");
  out[0] = ph_aten_int (l, "batch_first", 0) != 0 ? ph_convert_transpose (l, x, swap, 3) : x;
  lengths = ph_convert_cast (l, lengths, PH_INT64);
  longest = PH_BUILD_WITH (l->b, ReduceMax, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), lengths);
  out[1] = counts_above (l, lengths, numbers_below (l, longest));
  return TRUE;
}

static gboolean
unpack (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_tensor (l, 0), *sizes = ph_aten_tensor (l, 1), *end;
  const gint64 swap[] = { 1, 0, 2 }, zero = 0;

  if (x == NULL || sizes == NULL || ph_value_rank (x) != 3 || ph_aten_number (l, "padding_value", 0) != 0)
    return ph_convert_stay (l, "its operand is not packed, or is filled up with something else than zeros");
  if (ph_aten_computed (l, "total_length") != NULL || ph_node_attr_int (l->node, "total_length", -1) >= 0)
    end = ph_aten_one (l, "total_length", 0);
  else
    end = ph_aten_shape_part (l, sizes, 0, 1);
  out[1] = l->n_out > 1 ? lengths_of (l, sizes, x) : NULL;
  x = PH_BUILD (l->b, Slice, x, ph_convert_ints_value (l, &zero, 1), end, ph_convert_ints_value (l, &zero, 1));
  out[0] = ph_aten_int (l, "batch_first", 0) != 0 ? ph_convert_transpose (l, x, swap, 3) : x;
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
  from_x = ph_aten_dense (l, x, w, ph_aten_tensor (l, 3 + states));
  from_h = ph_aten_dense (l, h, r, ph_aten_tensor (l, 4 + states));
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

static const char one_kernel[] = "PyTorch's fused kernel computes the whole layer, which ONNX writes as separate operators.";
static const char gate_order[] = "Both compute the same recurrence; the weights of the gates are reordered.";

/* clang-format off */
const PhConvertRule ph_convert_aten_recurrent[] = {
  { "aten:lstm", recurrent, "an LSTM for each layer", gate_order }, { "aten:gru", recurrent, "a GRU for each layer", gate_order },
  { "aten:rnn_tanh", recurrent, "an RNN for each layer", one_kernel }, { "aten:rnn_relu", recurrent, "an RNN for each layer", one_kernel },
  { "aten:lstm_cell", cell, "two dense layers and the gates", one_kernel }, { "aten:gru_cell", cell, "two dense layers and the gates", one_kernel },
  { "aten:rnn_tanh_cell", cell, "two dense layers and Tanh", one_kernel }, { "aten:rnn_relu_cell", cell, "two dense layers and Relu", one_kernel },
  { "aten:_pack_padded_sequence", pack, "Transpose", "ONNX's recurrent operators take the padded sequence and the lengths." }, { "aten:_pad_packed_sequence", unpack, "Slice", "ONNX's recurrent operators give a padded sequence." },
  { NULL }
};
/* clang-format on */
