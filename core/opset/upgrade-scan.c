/* upgrade-scan.c: Scan when it had a batch in front.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

#include "core/ops/copy.h"
#include "core/ops/infer.h"

static const PhType *
without_first_dim (const PhType *type)
{
  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank == 0)
    return type;
  return ph_type_tensor (type->dtype, type->rank - 1, type->dims + 1);
}

/* Adds a Scan before @before without outputs in its body. It has @inputs, and a body input with the type in @types for each. */
static PhNode *
add_scan (PhUpgrade *u, PhGraph *graph, PhNode *before, PhValue **inputs, guint n, guint n_outputs, gint64 n_scans,
          PhAttr *directions, const PhType *const *types)
{
  g_autoptr (PhAttr) scans = ph_attr_new_int ("num_scan_inputs", n_scans);
  PhAttr *attrs[] = { scans, directions };
  /* clang-format off */
  PhNodeSpec spec = {
    .op = ph_op_find ("", "Scan"), .op_type = "Scan", .domain = "", .name = u->node->name, .inputs = inputs, .n_inputs = n,
    .n_outputs = n_outputs, .attrs = attrs, .n_attrs = directions != NULL ? 2 : 1, .before = before, .role = u->node->role,
    .partner = u->node->partner, .device = u->node->device
  };
  /* clang-format on */
  PhNode *node = ph_graph_add_node (graph, &spec, &u->b.error);
  PhGraph *body = node != NULL ? ph_node_add_graph (node, "body", "scan", &u->b.error) : NULL;

  for (guint i = 0; i < n && u->b.error == NULL; i++)
    ph_graph_add_input (body, ph_model_unique_name (u->model, inputs[i]->name), types[i], NULL, G_MAXUINT, &u->b.error);
  return u->b.error == NULL ? node : NULL;
}

/* Before opset 9, Scan had a batch as the first dimension and scanned the second. This becomes a Scan over the batch around a Scan over the
 * sequence. */
void
ph_upgrade_scan_8 (PhUpgrade *u)
{
  PhGraph *body = ph_node_graph (u->node, "body");
  const guint n = u->node->inputs->len - 1, n_outputs = u->node->outputs->len;
  g_autofree const PhType **outer_types = g_new0 (const PhType *, n + 1), **inner_types = g_new0 (const PhType *, n + 1);
  g_autofree PhValue **results = NULL;
  g_autoptr (PhAttr) directions = NULL;
  const gint64 *given;
  PhNode *outer, *inner;
  PhBuilder b;
  gsize n_given;

  if (body == NULL || body->inputs->len != n || body->outputs->len < n_outputs || ph_node_input (u->node, 0) != NULL)
    {
      ph_upgrade_refuse (u, "its sequences have lengths of their own; export the model again at a newer opset");
      return;
    }
  given = ph_node_attr_ints (u->node, "directions", &n_given);
  if (given != NULL)
    directions = ph_attr_new_ints ("scan_input_directions", given, n_given);
  for (guint i = 0; i < n; i++)
    {
      outer_types[i] = without_first_dim (ph_node_input (u->node, i + 1)->type);
      inner_types[i] = ((PhValue *) body->inputs->pdata[i])->type;
    }
  outer = add_scan (u, u->node->graph, u->node, (PhValue **) u->node->inputs->pdata + 1, n, n_outputs, n, NULL, outer_types);
  if (outer == NULL)
    return;
  inner = add_scan (u, ph_node_graph (outer, "body"), NULL, (PhValue **) ph_node_graph (outer, "body")->inputs->pdata, n,
                    n_outputs, ph_node_attr_int (u->node, "num_scan_inputs", 0), directions, inner_types);
  if (inner == NULL)
    return;
  results = g_new0 (PhValue *, body->outputs->len + 1);
  b = (PhBuilder) { .graph = ph_node_graph (inner, "body"), .role = u->node->role, .partner = u->node->partner };
  ph_build_copy (&b, body, (PhValue **) b.graph->inputs->pdata, results, NULL);
  if (!ph_builder_finish (&b, &u->b.error))
    return;
  for (guint i = 0; i < n_outputs && u->b.error == NULL; i++)
    if (ph_graph_set_output (b.graph, i, results[i], &u->b.error))
      ph_graph_set_output (inner->graph, i, ph_node_output (inner, i), &u->b.error);
  if (u->b.error == NULL)
    ph_infer_one (outer, &u->b.error);
  for (guint i = 0; i < n_outputs && u->b.error == NULL; i++)
    ph_value_replace_uses (ph_node_output (u->node, i), ph_node_output (outer, i), &u->b.error);
  if (u->b.error == NULL)
    ph_graph_remove_node (u->node, &u->b.error);
}
