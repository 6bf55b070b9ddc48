/* drop-defaults.c: removes inputs that equal their defaults.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

#include <string.h>

/* Returns TRUE for zero in every bit: -0 is a different number. */
static gboolean
is_zero_constant (const PhValue *value)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;
  gsize n = tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR ? ph_tensor_bytes (tensor) : 0;
  double number;
  const guint8 *bytes;

  if (n == 0 || !ph_value_number (value, &number) || number != 0)
    return FALSE;
  bytes = ph_tensor_data (tensor);
  return bytes != NULL && bytes[0] == 0 && memcmp (bytes, bytes + 1, n - 1) == 0;
}

static gboolean
is_zero (const PhValue *value)
{
  const PhNode *node = value != NULL ? value->producer : NULL;

  if (node != NULL && node->op == &ph_op_Expand)
    return is_zero_constant (ph_node_input (node, 0));
  if (node != NULL && node->op == &ph_op_ConstantOfShape)
    {
      PhAttr *attr = ph_node_attr (node, "value");

      return attr == NULL
             || (attr->tensor != NULL && ph_tensor_count (attr->tensor) == 1 && ph_tensor_get (attr->tensor, 0) == 0
                 && ph_dtype_is_integer (ph_tensor_dtype (attr->tensor)));
    }
  return is_zero_constant (value);
}

/* Returns the input of a state of an RNN, GRU or LSTM that starts at zero, or 0. */
static guint
zero_state (const PhNode *node)
{
  guint last = node->op == &ph_op_LSTM ? 6 : node->op == &ph_op_RNN || node->op == &ph_op_GRU ? 5 : 0;

  for (guint i = 5; i <= last; i++)
    if (ph_node_input (node, i) != NULL && is_zero (ph_node_input (node, i)))
      return i;
  return 0;
}

static gboolean
starts_at_zero (PhMatch *match)
{
  return zero_state (match->root) != 0;
}

static void
remove_if_dead (PhModel *model, PhId id)
{
  PhNode *node = ph_model_find_node (model, id);

  for (guint k = 0; node != NULL && k < node->outputs->len; k++)
    if (ph_value_n_uses (ph_node_output (node, k)) > 0)
      return;
  if (node != NULL)
    ph_graph_remove_dead (node);
}

static gboolean
drop_state (PhMatch *match, PhBuilder *b)
{
  PhNode *node = match->root;
  guint index = zero_state (node);
  PhNode *producer = ph_node_input (node, index)->producer;
  PhId id = producer != NULL ? producer->id : PH_NO_ID;

  if (!ph_node_set_input (node, index, NULL, &b->error))
    return FALSE;
  if (id != PH_NO_ID)
    remove_if_dead (node->graph->model, id);
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "zero-state", .when = starts_at_zero, .apply = drop_state, .matches = "LSTM(x, W, R, b, lengths, zeros)", .becomes = "LSTM(x, W, R, b, lengths)",
    .why = "A recurrent operator starts from a zero state if no initial state is given." },
};

const PhPass ph_pass_drop_defaults = {
  .name = "drop-defaults", .group = "simplify", .summary = "Omits optional inputs that equal their default",
  .elsewhere = "onnxsim, for Clip and LSTM",
  .trap = "a zero that a caller can override is not a constant, so it must stay.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
