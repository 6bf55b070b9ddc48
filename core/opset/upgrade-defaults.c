/* upgrade-defaults.c: attributes that were renamed or dropped, or whose defaults changed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

void
ph_upgrade_drop_consumed_inputs (PhUpgrade *u)
{
  ph_upgrade_set_attr (u, "consumed_inputs", NULL);
}

void
ph_upgrade_gemm_broadcast (PhUpgrade *u)
{
  ph_upgrade_set_attr (u, "broadcast", NULL);
}

void
ph_upgrade_cast_to_name (PhUpgrade *u)
{
  PhAttr *to = ph_node_attr (u->node, "to");
  g_autofree char *name = NULL;
  PhDType dtype;

  if (to == NULL || to->kind != PH_ATTR_STRING)
    return;
  name = g_ascii_strdown (g_bytes_get_data (to->s, NULL), g_bytes_get_size (to->s));
  dtype = ph_dtype_from_name (name);
  if (dtype == PH_UNDEFINED)
    ph_upgrade_refuse (u, "'%s' is not an element type", name);
  else
    ph_upgrade_set_attr (u, "to", ph_attr_new_int ("to", dtype));
}

void
ph_upgrade_concat_axis (PhUpgrade *u)
{
  if (ph_node_attr (u->node, "axis") == NULL)
    ph_upgrade_set_attr (u, "axis", ph_attr_new_int ("axis", 1));
}

void
ph_upgrade_pad_paddings (PhUpgrade *u)
{
  gsize n;
  const gint64 *values = ph_node_attr_ints (u->node, "paddings", &n);

  if (values == NULL)
    return;
  ph_upgrade_set_attr (u, "pads", ph_attr_new_ints ("pads", values, n));
  ph_upgrade_set_attr (u, "paddings", NULL);
}

void
ph_upgrade_split_num_outputs (PhUpgrade *u)
{
  if (ph_node_input (u->node, 1) == NULL && ph_node_attr (u->node, "num_outputs") == NULL)
    ph_upgrade_set_attr (u, "num_outputs", ph_attr_new_int ("num_outputs", u->node->outputs->len));
}

void
ph_upgrade_lp_pool_p (PhUpgrade *u)
{
  PhAttr *p = ph_node_attr (u->node, "p");

  if (p != NULL && p->kind == PH_ATTR_FLOAT)
    ph_upgrade_set_attr (u, "p", ph_attr_new_int ("p", (gint64) p->f));
}

void
ph_upgrade_selu_defaults (PhUpgrade *u)
{
  if (ph_node_attr (u->node, "alpha") == NULL)
    ph_upgrade_set_attr (u, "alpha", ph_attr_new_float ("alpha", 1.6732f));
  if (ph_node_attr (u->node, "gamma") == NULL)
    ph_upgrade_set_attr (u, "gamma", ph_attr_new_float ("gamma", 1.0507f));
}

void
ph_upgrade_recurrent_output_sequence (PhUpgrade *u)
{
  ph_upgrade_set_attr (u, "output_sequence", NULL);
}

/* Rebuilds the node with @n outputs; the first replaces the node's. */
static void
rebuild_with_outputs (PhUpgrade *u, const PhOp *op, guint n)
{
  g_autofree PhAttr **attrs = ph_node_copy_attrs (u->node, NULL, NULL);

  ph_upgrade_replace (u, ph_build_node (&u->b, op, (PhValue **) u->node->inputs->pdata, u->node->inputs->len, attrs, n));
}

/* spatial = 0: each activation has its own statistics, with the shape of the input without its batch. */
static void
normalize_activations (PhUpgrade *u)
{
  const PhDType dtype = ph_upgrade_dtype (ph_node_input (u->node, 0));
  PhBuilder *b = &u->b;
  PhValue *epsilon = ph_build_scalar (b, dtype, ph_node_attr_float (u->node, "epsilon", 1e-5f)), *y, *deviation;

  y = PH_BUILD (b, Sub, ph_node_input (u->node, 0), ph_node_input (u->node, 3));
  deviation = PH_BUILD (b, Sqrt, PH_BUILD (b, Add, ph_node_input (u->node, 4), epsilon));
  y = PH_BUILD (b, Mul, PH_BUILD (b, Div, y, deviation), ph_node_input (u->node, 1));
  ph_upgrade_replace (u, PH_BUILD (b, Add, y, ph_node_input (u->node, 2)));
}

/* If the outputs of training are present, used or not, the node is in training. */
void
ph_upgrade_batch_normalization (PhUpgrade *u)
{
  gboolean training;

  if (ph_upgrade_reads_outputs (u->node, 1))
    {
      ph_upgrade_refuse (u,
                         "its training outputs are used, and older versions do not say how they are computed; export the model "
                         "for inference");
      return;
    }
  training = u->node->outputs->len > 1 && ph_node_attr_int (u->node, "is_test", 0) == 0;
  if (ph_node_attr_int (u->node, "spatial", 1) == 0)
    {
      if (training)
        ph_upgrade_refuse (u, "it is in training, with statistics for each place; export the model for inference");
      else
        normalize_activations (u);
      return;
    }
  ph_upgrade_set_attr (u, "spatial", NULL);
  ph_upgrade_set_attr (u, "is_test", NULL);
  if (training)
    ph_upgrade_set_attr (u, "training_mode", ph_attr_new_int ("training_mode", 1));
  if (u->node->outputs->len > 1)
    rebuild_with_outputs (u, &ph_op_BatchNormalization, training ? 3 : 1);
}

void
ph_upgrade_scatter (PhUpgrade *u)
{
  rebuild_with_outputs (u, &ph_op_ScatterElements, 1);
}
