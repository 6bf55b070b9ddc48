/* convert-openvino-recurrent.c: OpenVINO's recurrent cells and sequences in ONNX's. Their batch is the first dimension.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-foreign.h"

typedef struct
{
  const PhOp *op;
  guint n_gates, n_states, n_activations;
} Kind;

static const Kind kinds[] = {
  { &ph_op_LSTM, 4, 2, 3 },
  { &ph_op_GRU, 3, 1, 2 },
  { &ph_op_RNN, 1, 1, 1 },
};

/* Returns the gates of @w, [directions, gates * hidden, ...], in ONNX's order. */
static PhValue *
reordered (PhConvert *l, PhValue *w, const Kind *kind)
{
  const char *format = ph_node_attr_string (l->node, "weights_format", "fico");
  PhValue *parts[4], *split;

  if (kind->op != &ph_op_LSTM)
    return w;
  split = ph_build_node (l->b, &ph_op_Split, &w, 1, PH_ATTRS (ph_attr_new_int ("axis", 1), ph_attr_new_int ("num_outputs", 4)),
                         4);
  for (guint i = 0; split != NULL && i < 4; i++)
    parts[i] = ph_node_output (split->producer, (guint) (strchr (format, "iofc"[i]) - format));
  return split != NULL ? ph_build_node (l->b, &ph_op_Concat, parts, 4, PH_ATTRS (ph_attr_new_int ("axis", 1)), 1) : NULL;
}

/* ONNX has two biases; OpenVINO gives their sum, or, in a GRU with linear_before_reset, those of the last gate apart. */
static PhValue *
biases (PhConvert *l, PhValue *bias, const Kind *kind, gint64 ways, gint64 hidden, gboolean apart)
{
  const gint64 zeros[] = { ways, hidden * (apart ? 2 : kind->n_gates) }, from = 3 * hidden, axis = 1, to = 4 * hidden, zero = 0;
  PhValue *none = ph_convert_expand (l, ph_foreign_number (l, bias, 0), zeros, 2);

  if (!apart)
    return PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 1)), reordered (l, bias, kind), none);
  return PH_BUILD_WITH (l->b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 1)),
                        PH_BUILD (l->b, Slice, bias, ph_convert_ints_value (l, &zero, 1), ph_convert_ints_value (l, &from, 1),
                                  ph_convert_ints_value (l, &axis, 1)),
                        none,
                        PH_BUILD (l->b, Slice, bias, ph_convert_ints_value (l, &from, 1), ph_convert_ints_value (l, &to, 1),
                                  ph_convert_ints_value (l, &axis, 1)));
}

/* Reads the activations for each direction: NULL if they are ONNX's own. FALSE: ONNX has none like these; l->stays says so. */
static gboolean
activations (PhConvert *l, const Kind *kind, guint ways, PhAttr **attr)
{
  static const char *const known[][2] = { { "sigmoid", "Sigmoid" }, { "tanh", "Tanh" }, { "relu", "Relu" } };
  g_auto (GStrv) words = g_strsplit (ph_node_attr_string (l->node, "activations", ""), ",", -1);
  GBytes *all[6] = { NULL };
  const guint n = g_strv_length (words);

  *attr = NULL;
  if (n == 0)
    return TRUE;
  if (n != kind->n_activations)
    return ph_convert_stay (l, "it has %u activations instead of %u", n, kind->n_activations);
  for (guint i = 0; i < n; i++)
    {
      const char *name = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (known); k++)
        if (g_ascii_strcasecmp (known[k][0], g_strstrip (words[i])) == 0)
          name = known[k][1];
      if (name == NULL)
        return ph_convert_stay (l, "its activation is %s", words[i]);
      all[i] = all[n + i] = (GBytes *) name;
    }
  for (guint i = 0; i < n * ways; i++)
    all[i] = g_bytes_new_static (all[i], strlen ((const char *) all[i]));
  *attr = ph_attr_new_strings ("activations", all, n * ways);
  for (guint i = 0; i < n * ways; i++)
    g_bytes_unref (all[i]);
  return TRUE;
}

/* Returns the lengths of the sequences, or NULL if all are as long as the operand. */
static PhValue *
lengths_of (PhConvert *l, PhValue *lengths, PhValue *x)
{
  PhTensor *constant = ph_value_constant (lengths);
  const gint64 most = ph_value_dim (x, 1);
  gboolean whole = constant != NULL && most >= 0;

  for (gsize i = 0; whole && i < ph_tensor_count (constant); i++)
    whole = ph_tensor_get_int (constant, i) == most;
  return whole ? NULL : ph_convert_cast (l, lengths, PH_INT32);
}

/* A cell is a sequence of one step: @value with another first dimension. A sequence has its second dimension first. */
static PhValue *
steps_first (PhConvert *l, PhValue *value, gboolean cell)
{
  static const gint64 swap[] = { 1, 0, 2 };

  return cell ? ph_foreign_axis (l, &ph_op_Unsqueeze, value, 0) : ph_convert_transpose (l, value, swap, 3);
}

static gboolean
recurrent (PhConvert *l, PhValue **out)
{
  static const gint64 swap[] = { 1, 0, 2 }, batch_first[] = { 2, 1, 0, 3 };
  const char *op = strchr (l->op, ':') + 1, *format = ph_node_attr_string (l->node, "weights_format", "fico");
  g_autofree char *direction = g_ascii_strdown (ph_node_attr_string (l->node, "direction", "forward"), -1);
  const Kind *kind = &kinds[g_str_has_prefix (op, "LSTM") ? 0 : g_str_has_prefix (op, "GRU") ? 1 : 2];
  const gboolean cell = g_str_has_suffix (op, "Cell"),
                 apart = kind->op == &ph_op_GRU && ph_foreign_attr_int (l, "linear_before_reset", 0) != 0;
  const guint n_states = kind->n_states, weights = 1 + n_states + !cell, ways = strcmp (direction, "bidirectional") == 0 ? 2 : 1;
  const double clip = ph_foreign_attr_number (l, "clip", 0);
  PhValue *inputs[7] = { NULL }, *y;
  PhAttr *attrs[7] = { NULL };
  guint a = 0;

  for (guint i = 0; i < weights + 2; i++)
    if (i >= l->n_in || l->in[i] == NULL || (i >= weights && ph_value_rank (l->in[i]) != (cell ? 2 : 3)))
      return ph_convert_stay (l, "its weights are missing, or are one tensor: save the model again with openvino.save_model");
  if (ph_value_dim (l->in[weights + 1], cell ? 1 : 2) < 0)
    return ph_convert_stay (l, "the size of its weights is not known");
  if (strlen (format) != 4 || strchr (format, 'i') == NULL || strchr (format, 'o') == NULL || strchr (format, 'f') == NULL
      || strchr (format, 'c') == NULL)
    return ph_convert_stay (l, "the order of its gates is %s, which is none of OpenVINO's", format);
  if (l->n_in > weights + 3)
    return ph_convert_stay (l, "its gates read its cells");
  if (!activations (l, kind, ways, &attrs[0]))
    return FALSE;
  a = attrs[0] != NULL ? 1 : 0;
  attrs[a++] = ph_attr_new_int ("hidden_size", ph_value_dim (l->in[weights + 1], cell ? 1 : 2));
  attrs[a++] = ph_attr_new_string ("direction", direction);
  if (clip > 0 && isfinite (clip))
    attrs[a++] = ph_attr_new_float ("clip", (float) clip);
  if (apart)
    attrs[a++] = ph_attr_new_int ("linear_before_reset", 1);
  if (ph_foreign_attr_int (l, "input_forget", 0) != 0)
    attrs[a++] = ph_attr_new_int ("input_forget", 1);
  inputs[0] = steps_first (l, l->in[0], cell);
  for (guint i = 0; i < 2; i++)
    inputs[1 + i] = reordered (l, cell ? steps_first (l, l->in[weights + i], TRUE) : l->in[weights + i], kind);
  if (l->in[weights + 2] != NULL)
    inputs[3] = biases (l, cell ? steps_first (l, l->in[weights + 2], TRUE) : l->in[weights + 2], kind, ways,
                        ph_value_dim (l->in[weights + 1], cell ? 1 : 2), apart);
  if (!cell)
    inputs[4] = lengths_of (l, l->in[1 + n_states], l->in[0]);
  for (guint s = 0; s < n_states; s++)
    inputs[5 + s] = steps_first (l, l->in[1 + s], cell);
  y = ph_build_node (l->b, kind->op, inputs, 5 + n_states, attrs, 1 + n_states);
  for (guint i = 0; y != NULL && i < l->n_out && i < 1 + n_states - cell; i++)
    {
      PhValue *made = ph_node_output (y->producer, i + cell);

      out[i] = cell ? ph_foreign_axis (l, &ph_op_Squeeze, made, 0)
                    : ph_convert_transpose (l, made, i == 0 ? batch_first : swap, i == 0 ? 4 : 3);
    }
  return y != NULL;
}

static const char one_step[] = "A cell is a sequence of one step.";
static const char steps[] = "Both compute the same recurrence; ONNX's steps are the first dimension.";

/* clang-format off */
const PhConvertRule ph_convert_openvino_recurrent[] = {
  { "openvino:LSTMCell", recurrent, "LSTM", one_step }, { "openvino:GRUCell", recurrent, "GRU", one_step }, { "openvino:RNNCell", recurrent, "RNN", one_step },
  { "openvino:LSTMSequence", recurrent, "LSTM", steps }, { "openvino:GRUSequence", recurrent, "GRU", steps }, { "openvino:RNNSequence", recurrent, "RNN", steps },
  { NULL }
};
/* clang-format on */
