/* fuse-qdq.c: fuses an operator with the dequantization of its operands and the quantization of its result.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*   x   W   bias                x  W  bias
 *   |   |    |                ┌─|──|──|───┐
 *  DQ  DQ   DQ                │ DQ DQ DQ  │
 *    \  |  /                  │   Conv    │
 *     Conv            =>      │   Relu    │  QLinearConvRelu
 *     Relu                    │   Q       │
 *      Q                      └───|───────┘      The body defines the result; a backend computes it on bytes. */

#define MAX_ACTIVATIONS 3

static const char why_quantised[] = "Its operands and its result are quantised, so a backend can compute on integers alone.";
static const char why_weights[] = "The weights stay packed in memory and are unpacked during the multiplication.";
static const char why_products[]
    = "Both operands are quantised, so the product is computed on integers and scaled once at the end.";

static PhNode *
dequantise_of (const PhValue *value, const PhNode *user)
{
  PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && node->op == &ph_op_DequantizeLinear && node->graph == user->graph && !ph_node_is_tied (node) ? node
                                                                                                                      : NULL;
}

static gboolean
is_plain (const PhNode *node)
{
  return node->op != NULL && node->op != &ph_op_QuantizeLinear && node->op != &ph_op_DequantizeLinear && node->graphs == NULL
         && !ph_node_is_tied (node) && !(node->op->flags & PH_OP_RANDOM) && node->outputs->len == 1 && node->op != &ph_op_Constant
         && node->inputs->len > 0;
}

/* Collects the node and the elementwise nodes after it, up to a QuantizeLinear that is the only user. */
static gboolean
find_chain (GPtrArray *chain, PhNode *node, gboolean *quantised)
{
  g_ptr_array_set_size (chain, 0);
  g_ptr_array_add (chain, node);
  *quantised = FALSE;
  for (guint i = 0; i <= MAX_ACTIVATIONS; i++)
    {
      PhNode *user = ph_value_only_user (ph_node_output (node, 0));

      if (user != NULL && user->op == &ph_op_QuantizeLinear && ph_node_input (user, 0) == ph_node_output (node, 0))
        {
          g_ptr_array_add (chain, user);
          *quantised = TRUE;
          return TRUE;
        }
      if (user == NULL || !ph_node_is_pointwise (user) || ph_node_is_fused (user) || i == MAX_ACTIVATIONS)
        break;
      for (guint k = 1; k < user->inputs->len; k++)
        if (ph_node_input (user, k) != NULL && ph_value_constant (ph_node_input (user, k)) == NULL)
          return FALSE;
      g_ptr_array_add (chain, user);
      node = user;
    }
  g_ptr_array_set_size (chain, 1);
  return FALSE;
}

typedef enum
{
  NOT_QUANTISED,
  WEIGHTS_ONLY,
  ALL_OPERANDS
} Operands;

static Operands
look_at_operands (const PhNode *node)
{
  guint floats = 0, dequantised = 0, packed = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhNode *producer = value != NULL ? dequantise_of (value, node) : NULL;

      if (value == NULL || !ph_value_is_float (value))
        continue;
      if (producer != NULL)
        {
          dequantised++;
          packed += ph_value_constant (ph_node_input (producer, 0)) != NULL;
        }
      else if (ph_value_constant (value) == NULL)
        floats++;
    }
  if (dequantised == 0)
    return NOT_QUANTISED;
  return floats == 0 && dequantised > packed ? ALL_OPERANDS : packed > 0 ? WEIGHTS_ONLY : NOT_QUANTISED;
}

/* Adds the dequantizations of @node's operands to the region; one with other users is duplicated. */
static gboolean
add_operands (GPtrArray *region, PhNode *node, gboolean packed_only, PhBuilder *b)
{
  b->before = node;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhNode *producer = dequantise_of (ph_node_input (node, i), node);
      gboolean member = FALSE;

      for (guint k = 0; producer != NULL && k < region->len; k++)
        member |= region->pdata[k] == producer;
      if (producer == NULL || member || (packed_only && ph_value_constant (ph_node_input (producer, 0)) == NULL))
        continue;
      if (ph_value_only_user (ph_node_output (producer, 0)) != node)
        {
          b->name = ph_node_output (producer, 0)->name;

          PhValue *own = ph_build_like (b, producer, (PhValue *const *) producer->inputs->pdata, producer->inputs->len);
          PhValue *shared = ph_node_output (producer, 0);

          for (guint k = i; own != NULL && k < node->inputs->len; k++)
            if (ph_node_input (node, k) == shared && !ph_node_set_input (node, k, own, &b->error))
              return FALSE;
          if (own == NULL)
            return FALSE;
          if (ph_value_n_uses (shared) == 0)
            ph_graph_remove_dead (producer);
          producer = own->producer;
        }
      g_ptr_array_insert (region, 0, producer);
    }
  return TRUE;
}

static char *
name_of (GPtrArray *chain, Operands operands, gboolean quantised)
{
  GString *name = g_string_new (operands == WEIGHTS_ONLY ? "" : quantised ? "QLinear" : "Dequantize");

  for (guint i = 0; i < chain->len; i++)
    if (((PhNode *) chain->pdata[i])->op != &ph_op_QuantizeLinear)
      g_string_append (name, ((PhNode *) chain->pdata[i])->op_type);
  if (operands == WEIGHTS_ONLY)
    g_string_append (name, "NBits");
  return g_string_free (name, FALSE);
}

static gboolean
fuse_one (PhPassRun *run, PhNode *node, GPtrArray *chain, GError **error)
{
  gboolean quantised;
  Operands operands = look_at_operands (node);
  gboolean heavy = ph_node_is_heavy (node);
  PhBuilder b = { .graph = node->graph, .before = node, .role = node->role, .partner = node->partner, .device = node->device };
  const char *rule = "quantised-operator", *why = why_quantised;

  if (operands == NOT_QUANTISED || (operands == WEIGHTS_ONLY && !heavy))
    return TRUE;
  find_chain (chain, node, &quantised);
  if (operands == WEIGHTS_ONLY)
    {
      g_ptr_array_set_size (chain, 1);
      rule = "packed-weights";
      why = why_weights;
    }
  else if (!quantised && !heavy)
    return TRUE;
  else if (!quantised)
    {
      rule = "dequantised-product";
      why = why_products;
    }

  g_autofree char *name = name_of (chain, operands, quantised);

  if (!ph_pass_begin (run, rule, node, why))
    return TRUE;
  if (add_operands (chain, node, operands == WEIGHTS_ONLY, &b)
      && ph_fuse_nodes ((PhNode *const *) chain->pdata, chain->len, name, &b) != NULL)
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  return ph_builder_finish (&b, error);
}

static gboolean
fuse_qdq (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  g_autoptr (GArray) ids = NULL;

  if (!ph_model_has_op (run->model, &ph_op_DequantizeLinear) && !ph_model_has_op (run->model, &ph_op_QuantizeLinear))
    return TRUE;
  ids = ph_model_node_ids (run->model);
  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      if (node != NULL && is_plain (node) && !fuse_one (run, node, chain, error))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "quantised-operator", .matches = "QuantizeLinear(Relu(Conv(DequantizeLinear(x), DequantizeLinear(W), DequantizeLinear(b))))",
    .becomes = "QLinearConvRelu(x, W, bias), of QuantizeLinear(Relu(Conv(DequantizeLinear(x), ...)))", .exactness = PH_ROUNDING,
    .why = why_quantised },
  { "dequantised-product", .matches = "MatMul(DequantizeLinear(x), DequantizeLinear(W))",
    .becomes = "DequantizeMatMul(x, W), of MatMul(DequantizeLinear(x), DequantizeLinear(W))", .exactness = PH_ROUNDING,
    .why = why_products },
  { "packed-weights", .matches = "MatMul(x, DequantizeLinear(const W))",
    .becomes = "MatMulNBits(x, W), of MatMul(x, DequantizeLinear(W))", .why = why_weights },
};

/* clang-format off */
const PhPass ph_pass_fuse_qdq = {
  .name = "fuse-qdq", .group = "quantisation", .summary = "Fuses operators with the dequantisation before and the quantisation after them",
  .elsewhere = "ONNX Runtime QDQ node groups",
  .trap = "the result of the operator must be read by the QuantizeLinear alone.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_qdq, .exactness = PH_ROUNDING,
};
/* clang-format on */
