/* dce.c: removes dead code: nodes that no output depends on.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

static const char why_node[] = "It is dead code: no output of the model depends on it, not even through a body.";
static const char why_constant[] = "It is dead: no node and no output reads this constant.";

static gboolean
is_dead (const PhNode *node)
{
  if (node->followers != NULL)
    return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    if (ph_value_n_uses (ph_node_output (node, k)) > 0)
      return FALSE;
  /* An undeclared operator without outputs is kept: it probably has an effect. */
  return node->outputs->len > 0 || node->op != NULL;
}

static gboolean
remove_constants (PhPassRun *run, PhGraph *graph)
{
  for (guint i = graph->constants->len; i-- > 0;)
    {
      PhValue *value = g_ptr_array_index (graph->constants, i);

      if (ph_value_n_uses (value) > 0)
        continue;
      if (!ph_pass_begin (run, "dead-constant", NULL, why_constant))
        return FALSE;
      ph_graph_remove_value (value, NULL);
      ph_pass_end (run);
    }
  return TRUE;
}

/* From the end, so that a chain of dead nodes is removed in one walk. */
static gboolean
dce (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  for (guint i = nodes->len; i-- > 0;)
    g_array_append_val (ids, ((PhNode *) g_ptr_array_index (nodes, i))->id);

  for (guint i = 0; i < ids->len && !run->stopped; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      if (node == NULL || !is_dead (node))
        continue;
      if (!ph_pass_begin (run, "dead-node", node, why_node))
        break;
      ph_graph_remove_dead (node);
      ph_pass_end (run);
    }

  for (guint i = 0; i < run->model->graphs->len && !run->stopped; i++)
    {
      PhGraph *graph = g_ptr_array_index (run->model->graphs, i);

      if (graph != NULL && !ph_graph_in_function (graph) && !remove_constants (run, graph))
        break;
    }
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "dead-node", .matches = "f(x) that nothing reads",
    .becomes = "nothing", .why = why_node },
  { "dead-constant", .matches = "initializer that nothing reads",
    .becomes = "nothing", .why = why_constant },
};

const PhPass ph_pass_dce = {
  .name = "dce", .group = "dce", .summary = "Removes dead code: nodes and constants that no output depends on, also in bodies",
  .elsewhere = "every compiler; onnxoptimizer eliminate_deadend",
  .trap = "a value that a body reads from outside has a user, although no edge shows it.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = dce,
};
/* clang-format on */
