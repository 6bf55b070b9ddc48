/* convert-session.c: gives a TensorFlow graph the meaning it has in a session: fetched values are computed, in the order that effects
 * require.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-session.h"

#include "passes/convert.h"

#define MAX_DEPTH 32 /* of bodies and functions in each other; a deeper one counts as having effects */

static const char why_fetched[] = "A session computes only what its fetches need, and no fetch needs this: it saves, restores or "
                                  "initialises variables, or serves another signature.";
static const char why_fed[]
    = "The signature feeds this value, so it becomes an input and the nodes that would compute it do not run.";
static const char why_order[] = "No node before it has a side effect on it, so no control edge is needed.";

static gboolean
is_needed (const PhNode *node)
{
  gboolean needed = node->followers != NULL && node->followers->len > 0;

  for (guint i = 0; i < node->outputs->len; i++)
    needed = needed || ph_value_n_uses (ph_node_output (node, i)) > 0;
  return needed;
}

gboolean
ph_session_cut_fed (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);

  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i];
      const gint64 output = g_str_equal (node->domain, "tf") && node->graph == run->model->graph
                                ? ph_node_attr_int (node, "fed", -1)
                                : -1;
      PhValue *old = output >= 0 && output < node->outputs->len ? ph_node_output (node, (guint) output) : NULL, *fed;
      g_autofree char *name = old != NULL ? g_strdup (old->name) : NULL;

      if (old == NULL)
        continue;
      if (!ph_pass_begin (run, "fed", node, why_fed))
        return TRUE;
      if (!ph_value_rename (old, ph_graph_unique_name (node->graph, name), error))
        return FALSE;
      fed = ph_graph_add_input (node->graph, name, old->type, NULL, G_MAXUINT, error);
      if (fed == NULL || !ph_value_replace_uses (old, fed, error) || !ph_node_set_attr (node, "fed", NULL, error))
        return FALSE;
      ph_pass_end (run);
    }
  return TRUE;
}

/* Removes inputs that were only read by removed nodes, so that they need not be fed. */
static void
drop_inputs (PhGraph *graph, GHashTable *read)
{
  for (guint i = graph->inputs->len; i-- > 0;)
    {
      PhValue *input = graph->inputs->pdata[i];

      if (ph_value_n_uses (input) == 0 && g_hash_table_contains (read, input))
        ph_graph_remove_value (input, NULL);
    }
}

void
ph_session_drop_unfetched (PhPassRun *run)
{
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);
  PhGraph *graph = run->model->graph;
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));
  gboolean begun = FALSE;

  if (graph->outputs->len == 0)
    return;
  for (const PhNode *node = graph->last; node != NULL; node = node->prev)
    g_array_append_val (ids, node->id);
  for (guint i = 0; i < graph->inputs->len; i++)
    if (ph_value_n_uses (graph->inputs->pdata[i]) > 0)
      g_hash_table_add (read, graph->inputs->pdata[i]);
  for (guint i = 0; i < ids->len; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));

      if (node == NULL || !g_str_equal (node->domain, "tf") || is_needed (node))
        continue;
      if (!begun && !ph_pass_begin (run, "fetched", node, why_fetched))
        return;
      begun = TRUE;
      ph_graph_remove_dead (node);
    }
  if (begun)
    {
      drop_inputs (graph, read);
      ph_pass_end (run);
    }
}

static gboolean has_effect (const PhNode *node, guint depth);

static gboolean
graph_has_effect (const PhGraph *graph, guint depth)
{
  if (depth == MAX_DEPTH)
    return TRUE;
  PH_FOREACH_NODE (node, graph)
    if (has_effect (node, depth))
      return TRUE;
  return FALSE;
}

/* Returns TRUE if @node, a body of it, or the function that it calls may have a side effect. */
static gboolean
has_effect (const PhNode *node, guint depth)
{
  const char *name = ph_convert_name (node);
  const PhFunction *function = ph_node_function (node);

  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    if (graph_has_effect (node->graphs->pdata[i], depth + 1))
      return TRUE;
  if (function != NULL)
    return graph_has_effect (function->graph, depth + 1);
  return node->op == NULL && !g_str_equal (node->op_type, "NoOp") && (name == NULL || ph_convert_find (name) == NULL);
}

gboolean
ph_session_has_effect (const PhNode *node)
{
  return has_effect (node, 0);
}

gboolean
ph_session_drop_order (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);

  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i];

      if (!g_str_equal (node->domain, "tf") || node->control == NULL || node->control->len == 0)
        continue;
      if (!ph_pass_begin (run, "order", node, why_order))
        return TRUE;
      for (guint k = node->control->len; k-- > 0;)
        if (!has_effect (node->control->pdata[k], 0) && !ph_node_remove_control (node, node->control->pdata[k], error))
          return FALSE;
      ph_pass_end (run);
    }
  return TRUE;
}
