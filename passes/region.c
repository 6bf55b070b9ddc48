/* region.c: classes of nodes for fusions that grow along single uses.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/region.h"

GArray *
ph_model_node_ids (PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);
  GArray *ids = g_array_sized_new (FALSE, FALSE, sizeof (PhId), nodes->len);

  for (guint i = 0; i < nodes->len; i++)
    g_array_append_val (ids, ((PhNode *) g_ptr_array_index (nodes, i))->id);
  return ids;
}

guint
ph_node_size (const PhNode *node)
{
  return ph_node_is_fused (node) ? ph_node_graph (node, "body")->n_nodes : 1;
}

static gboolean
is_pointwise_op (const PhNode *node)
{
  return node->op != NULL && (node->op->flags & PH_OP_ELEMENTWISE) && !(node->op->flags & PH_OP_RANDOM) && node->outputs->len == 1
         && !ph_node_is_tied (node) && node->graphs == NULL;
}

gboolean
ph_node_is_pointwise (const PhNode *node)
{
  if (!ph_node_is_fused (node))
    return is_pointwise_op (node);
  if (node->outputs->len != 1 || ph_node_size (node) > PH_REGION_MAX)
    return FALSE;
  PH_FOREACH_NODE (inner, ph_node_graph (node, "body"))
    if (!is_pointwise_op (inner))
      return FALSE;
  return TRUE;
}

static gboolean
is_one_of (const PhNode *node, const PhOp *const *ops, guint n)
{
  if (node->outputs->len != 1)
    return FALSE;
  if (ph_node_is_fused (node))
    {
      const PhGraph *body = ph_node_graph (node, "body");

      return body->first != NULL && is_one_of (body->first, ops, n);
    }
  for (guint i = 0; i < n; i++)
    if (node->op == ops[i])
      return TRUE;
  return FALSE;
}

gboolean
ph_node_is_heavy (const PhNode *node)
{
  static const PhOp *const ops[] = { &ph_op_Conv, &ph_op_ConvTranspose, &ph_op_MatMul, &ph_op_Gemm };

  return is_one_of (node, ops, G_N_ELEMENTS (ops));
}

gboolean
ph_node_is_reduction (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_Softmax, &ph_op_LogSoftmax, &ph_op_LayerNormalization, &ph_op_RMSNormalization, &ph_op_ReduceSum, &ph_op_ReduceMean,
    &ph_op_ReduceMax, &ph_op_ReduceMin, &ph_op_ReduceProd, &ph_op_ReduceL1, &ph_op_ReduceL2, &ph_op_ReduceSumSquare,
    &ph_op_GlobalAveragePool, &ph_op_GlobalMaxPool,
  };
  /* clang-format on */

  return is_one_of (node, ops, G_N_ELEMENTS (ops));
}

static char *
region_name (GPtrArray *nodes)
{
  GString *name = g_string_new (NULL);

  for (guint i = 0; i < nodes->len && name->len < 40; i++)
    g_string_append (name, ((PhNode *) g_ptr_array_index (nodes, i))->op_type);
  if (name->len >= 40)
    g_string_assign (name, "Elementwise");
  return g_string_free (name, FALSE);
}

gboolean
ph_region_fuse (PhPassRun *run, GPtrArray *nodes, const char *prefix, const char *rule, const char *why, GError **error)
{
  PhNode *last = g_ptr_array_index (nodes, nodes->len - 1);
  PhBuilder b = { .graph = last->graph, .before = last, .role = last->role, .partner = last->partner, .device = last->device };
  g_autofree char *name = prefix != NULL ? g_strdup (prefix) : region_name (nodes);

  if (!ph_pass_begin (run, rule, last, why))
    return TRUE;
  if (ph_fuse_nodes ((PhNode *const *) nodes->pdata, nodes->len, name, &b) != NULL)
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  return ph_builder_finish (&b, error);
}
