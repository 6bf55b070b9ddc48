/* lower-oldest.c: forms of opset 7 and before.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/lower.h"

/* Expands operands: Max, Min, Sum and Mean did not broadcast. */
void
ph_lower_same_shapes (PhLower *l)
{
  for (guint i = 1; i < l->node->inputs->len; i++)
    if (!ph_value_same_shape (ph_node_input (l->node, i), ph_node_input (l->node, 0)))
      {
        ph_lower_refuse (l, "its inputs broadcast");
        return;
      }
}

/* Returns the second operand without its dimensions of one at either end, and in @axis the axis of the first operand where it begins. Old
 * broadcasting required equal dimensions there. (transfer none) */
static PhValue *
without_ones (PhLower *l, guint index, const PhValue *into, gint64 *axis)
{
  PhValue *b = ph_node_input (l->node, index);
  const PhType *type = b->type, *outer = into->type;
  guint first = 0, end;
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor = ph_lower_constant (l, index);

  if (type == NULL || outer == NULL || !type->has_rank || !outer->has_rank || type->rank > outer->rank)
    return NULL;
  end = type->rank;
  while (end > 0 && type->dims[end - 1].size == 1 && outer->dims[outer->rank - type->rank + end - 1].size != 1)
    end--;
  while (first < end && type->dims[first].size == 1 && outer->dims[outer->rank - type->rank + first].size != 1)
    first++;
  *axis = outer->rank - type->rank + first;
  for (guint i = first; i < end; i++)
    if (!ph_dim_equal (type->dims[i], outer->dims[*axis + i - first]))
      return NULL;
  if (first == 0 && end == type->rank)
    return b;
  for (guint i = first; i < end; i++)
    dims[i - first] = type->dims[i].size;
  if (tensor != NULL)
    return ph_build_tensor (&l->b, ph_tensor_reshaped (tensor, end - first, dims));
  /* Reverts the change by upgrade-opset. */
  if (b->producer != NULL && (b->producer->op == &ph_op_Unsqueeze) && first == 0
      && ph_value_rank (ph_node_input (b->producer, 0)) == (int) end)
    return ph_node_input (b->producer, 0);
  return NULL;
}

/* Old broadcasting applied to the second operand only, along an explicit axis. */
void
ph_lower_broadcast (PhLower *l)
{
  PhValue *a = ph_node_input (l->node, 0), *b = ph_node_input (l->node, 1), *inner;
  PhNode *producer;
  gint64 axis;

  if (ph_value_same_shape (a, b))
    return;
  inner = ph_value_broadcasts_into (b, a) ? without_ones (l, 1, a, &axis) : NULL;
  if (inner == NULL && (l->node->op->flags & PH_OP_COMMUTATIVE) != 0 && ph_value_broadcasts_into (a, b))
    {
      ph_lower_set_input (l, 0, b);
      ph_lower_set_input (l, 1, a);
      inner = without_ones (l, 1, b, &axis);
    }
  if (inner == NULL)
    {
      ph_lower_refuse (l, "its operands broadcast in a way that had no equal");
      return;
    }
  producer = ph_node_input (l->node, 1)->producer;
  if (inner != ph_node_input (l->node, 1))
    {
      PhValue *old = ph_node_input (l->node, 1);

      ph_lower_set_input (l, 1, inner);
      if (producer != NULL && l->b.error == NULL && ph_value_n_uses (old) == 0)
        ph_graph_remove_dead (producer);
      else if (producer == NULL && l->b.error == NULL && !old->is_input && ph_value_n_uses (old) == 0)
        ph_graph_remove_value (old, &l->b.error);
    }
  ph_lower_set_attr (l, "broadcast", ph_attr_new_int ("broadcast", 1));
  if (ph_value_rank (inner) > 0)
    ph_lower_set_attr (l, "axis", ph_attr_new_int ("axis", axis));
}

void
ph_lower_gemm_broadcast (PhLower *l)
{
  if (!ph_value_same_shape (ph_node_input (l->node, 2), ph_node_output (l->node, 0)))
    ph_lower_set_attr (l, "broadcast", ph_attr_new_int ("broadcast", 1));
}

/* A slope per channel had no other dimensions. */
void
ph_lower_prelu_slope (PhLower *l)
{
  PhValue *x = ph_node_input (l->node, 0), *slope = ph_node_input (l->node, 1);
  const int rank = ph_value_rank (slope);
  PhTensor *tensor = ph_lower_constant (l, 1);
  gint64 channels;

  if (ph_value_is_single (slope) || (rank == 1 && ph_value_rank (x) == 2))
    return;
  channels = rank > 0 ? ph_value_dim (slope, 0) : -1;
  for (int i = 1; i < rank; i++)
    if (ph_value_dim (slope, i) != 1)
      channels = -1;
  if (channels < 0 || rank != ph_value_rank (x) - 1)
    ph_lower_refuse (l, "its slope is not one for each channel");
  else if (tensor != NULL)
    ph_lower_set_input (l, 1, ph_build_tensor (&l->b, ph_tensor_reshaped (tensor, 1, &channels)));
  else if (slope->producer != NULL && slope->producer->op == &ph_op_Unsqueeze
           && ph_value_rank (ph_node_input (slope->producer, 0)) == 1)
    {
      PhNode *unsqueeze = slope->producer;

      ph_lower_set_input (l, 1, ph_node_input (unsqueeze, 0));
      if (l->b.error == NULL && ph_value_n_uses (slope) == 0)
        ph_graph_remove_dead (unsqueeze);
    }
  else
    ph_lower_refuse (l, "its slope is computed");
}

/* Sets is_test: inference was not the default. */
void
ph_lower_is_test (PhLower *l)
{
  if (l->node->outputs->len <= 1 || l->node->op != &ph_op_BatchNormalization)
    ph_lower_set_attr (l, "is_test", ph_attr_new_int ("is_test", 1));
}

/* Sets output_sequence: the sequence was not an output by default. */
void
ph_lower_output_sequence (PhLower *l)
{
  if (l->node->outputs->len > 0 && ph_value_n_uses (ph_node_output (l->node, 0)) > 0)
    ph_lower_set_attr (l, "output_sequence", ph_attr_new_int ("output_sequence", 1));
}

void
ph_lower_cast_to_name (PhLower *l)
{
  const PhAttr *to = ph_node_attr (l->node, "to");
  g_autofree char *name = to != NULL && to->kind == PH_ATTR_INT && to->i > 0 && to->i < PH_N_DTYPES
                              ? g_ascii_strup (ph_dtype_name ((PhDType) to->i), -1)
                              : NULL;

  if (name != NULL)
    ph_lower_set_attr (l, "to", ph_attr_new_string ("to", name));
}

/* The constants had fewer digits. */
void
ph_lower_selu_defaults (PhLower *l)
{
  if (ph_node_attr (l->node, "alpha") == NULL)
    ph_lower_set_attr (l, "alpha", ph_attr_new_float ("alpha", 1.67326319217681884765625f));
  if (ph_node_attr (l->node, "gamma") == NULL)
    ph_lower_set_attr (l, "gamma", ph_attr_new_float ("gamma", 1.05070102214813232421875f));
}

void
ph_lower_consumed_inputs (PhLower *l)
{
  static const gint64 consumed[] = { 0, 0, 0, 1, 1 };

  ph_lower_set_attr (l, "consumed_inputs", ph_attr_new_ints ("consumed_inputs", consumed, G_N_ELEMENTS (consumed)));
}

void
ph_lower_lp_pool_p (PhLower *l)
{
  const PhAttr *p = ph_node_attr (l->node, "p");

  ph_lower_set_attr (l, "p", ph_attr_new_float ("p", p != NULL && p->kind == PH_ATTR_INT ? (float) p->i : 2));
}

void
ph_lower_pad_paddings (PhLower *l)
{
  const PhAttr *pads = ph_node_attr (l->node, "pads");

  if (pads == NULL)
    return;
  ph_lower_set_attr (l, "paddings", ph_attr_new_ints ("paddings", pads->ints, pads->n));
  ph_lower_set_attr (l, "pads", NULL);
}
