/* fuse-integer-product.c: fuses integer products with the scaling around them, as dynamic quantization exports them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

/*   x ── DynamicQuantizeLinear      x   W   s   b
 *          |y  |scale |zero        ┌─|──|───|───|─┐
 *     MatMulInteger(y, W)          │ all of it    │  DynamicQuantizeMatMul; without the first, where others read it too,
 *          |                 =>    └──────|───────┘  MatMulIntegerToFloat
 *        Cast    Mul(scale, s)
 *          \    /
 *           Mul
 *           Add b                               */

static const char why[] = "Quantising, multiplying integers and scaling back together compute one product of float matrices.";

static PhNode *
only_user_of (const PhNode *node, const PhOp *op)
{
  PhNode *user = ph_value_only_user (ph_node_output (node, 0));

  return user != NULL && user->op == op && !ph_node_is_tied (user) ? user : NULL;
}

/* Adds the node that computes the factor if it has no other user. */
static void
add_scale (GPtrArray *region, const PhNode *scaling, const PhNode *cast)
{
  for (guint i = 0; i < 2; i++)
    {
      PhValue *value = ph_node_input (scaling, i);
      PhNode *node = value->producer;

      if (node != NULL && node != cast && node->op == &ph_op_Mul && node->graph == scaling->graph
          && ph_value_only_user (value) == scaling)
        g_ptr_array_insert (region, 0, node);
    }
}

static gboolean
all_read_in (const PhNode *node, GPtrArray *region)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const PhValue *value = ph_node_output (node, k);

      if (value->n_output_uses > 0)
        return FALSE;
      for (guint u = 0; u < value->uses->len; u++)
        {
          gboolean member = FALSE;

          for (guint i = 0; i < region->len; i++)
            member |= region->pdata[i] == g_array_index (value->uses, PhUse, u).node;
          if (!member)
            return FALSE;
        }
    }
  return TRUE;
}

/* Returns FALSE if the product does not have this form. */
static gboolean
find_region (GPtrArray *region, PhNode *product, gboolean *dynamic)
{
  PhNode *cast = only_user_of (product, &ph_op_Cast), *scaling = cast != NULL ? only_user_of (cast, &ph_op_Mul) : NULL, *bias;
  PhNode *quantise = ph_node_input (product, 0)->producer;

  g_ptr_array_set_size (region, 0);
  *dynamic = FALSE;
  if (scaling == NULL || ph_value_dtype (ph_node_output (cast, 0)) != PH_FLOAT
      || !ph_value_same_shape (ph_node_output (scaling, 0), ph_node_output (product, 0)))
    return FALSE;
  g_ptr_array_add (region, product);
  g_ptr_array_add (region, cast);
  g_ptr_array_add (region, scaling);
  add_scale (region, scaling, cast);
  bias = only_user_of (scaling, &ph_op_Add);
  if (bias != NULL && ph_value_same_shape (ph_node_output (bias, 0), ph_node_output (scaling, 0)))
    g_ptr_array_add (region, bias);
  if (quantise != NULL && quantise->op == &ph_op_DynamicQuantizeLinear && quantise->graph == product->graph
      && all_read_in (quantise, region))
    {
      g_ptr_array_insert (region, 0, quantise);
      *dynamic = TRUE;
    }
  return TRUE;
}

static gboolean
fuse_integer_product (PhPassRun *run, GError **error)
{
  g_autoptr (GArray) ids = ph_model_node_ids (run->model);
  g_autoptr (GPtrArray) region = g_ptr_array_new ();

  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));
      gboolean dynamic;

      if (node == NULL || (node->op != &ph_op_MatMulInteger && node->op != &ph_op_ConvInteger)
          || !find_region (region, node, &dynamic))
        continue;

      const char *kind = node->op == &ph_op_MatMulInteger ? ph_op_MatMul.name : ph_op_Conv.name;
      g_autofree char *name = dynamic ? g_strdup_printf ("DynamicQuantize%s", kind) : g_strdup_printf ("%sIntegerToFloat", kind);

      if (!ph_region_fuse (run, region, name, "integer-product", why, error))
        return FALSE;
    }
  return TRUE;
}

static const PhRule rules[] = {
  { "integer-product", .root = &ph_op_MatMulInteger, .matches = "Add(Mul(Cast(MatMulInteger(x, W)), s), b)",
    .becomes = "DynamicQuantizeMatMul(x, W, s, b)", .why = why },
};

/* clang-format off */
const PhPass ph_pass_fuse_integer_product = {
  .name = "fuse-integer-product", .group = "quantisation", .summary = "Fuses integer matrix products with the quantisation and scaling around them",
  .elsewhere = "ONNX Runtime MatMulIntegerToFloatFusion, DynamicQuantizeMatMulFusion",
  .trap = "the scale may differ for each column.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = fuse_integer_product,
};
/* clang-format on */
