/* verify.c: checks a whole model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/verify.h"

#include "core/graph/graph-private.h"
#include "core/ops/op.h"

typedef struct
{
  PhModel *model;
  gboolean schemas;
  guint n_values;
  GError **error;
} Verifier;

static gboolean fault (Verifier *verifier, const PhNode *node, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fault (Verifier *verifier, const PhNode *node, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (node != NULL)
    ph_node_fail_valist (node, verifier->error, PH_ERROR_INVALID, format, args);
  else
    {
      g_autofree char *what = g_strdup_vprintf (format, args);
      g_set_error (verifier->error, PH_ERROR, PH_ERROR_INVALID, "the graph: %s", what);
    }
  va_end (args);
  return FALSE;
}

static gboolean
verify_value (Verifier *verifier, const PhGraph *graph, const PhValue *value, const PhNode *producer)
{
  PhModel *model = verifier->model;

  verifier->n_values++;
  if (value->graph != graph || value->producer != producer)
    return fault (verifier, producer, "'%s' does not know where it belongs", value->name);
  if (ph_model_find_value (model, value->id) != value || ph_names_find (ph_graph_names (graph), value->name) != value)
    return fault (verifier, producer, "'%s' is not the value of that name and id", value->name);
  for (guint i = 0; i < value->uses->len; i++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, i);
      if (ph_node_input (use->node, use->index) != value || use->node->use_at[use->index] != i)
        return fault (verifier, use->node, "'%s' counts a use by it that is not there", value->name);
    }
  if (value->tensor != NULL && value->type != NULL && !ph_type_fits (value->type, value->tensor))
    return fault (verifier, producer, "the tensor of '%s' does not fit its type", value->name);
  return TRUE;
}

/* Returns a fused node between both graphs: its body is saved as a function and cannot capture values. */
static const PhNode *
wall_between (const PhGraph *inner, const PhGraph *outer)
{
  for (; inner != outer; inner = inner->owner->graph)
    if (ph_node_is_fused (inner->owner))
      return inner->owner;
  return NULL;
}

static gboolean
verify_input (Verifier *verifier, PhNode *node, const PhValue *value, guint i)
{
  const PhNode *at;
  guint use = node->use_at[i];

  if (!ph_graph_is_inside (node->graph, value->graph))
    return fault (verifier, node, "input %u '%s' is out of scope", i, value->name);
  at = wall_between (node->graph, value->graph);
  if (at != NULL)
    return fault (verifier, at, "its body reads '%s' of outside, but it may read its inputs alone", value->name);
  at = ph_node_ancestor_in (node, value->graph);
  if (value->producer != NULL && value->producer->order >= at->order)
    return fault (verifier, node, "input %u '%s' is computed after it", i, value->name);
  if (use >= value->uses->len || g_array_index (value->uses, PhUse, use).node != node
      || g_array_index (value->uses, PhUse, use).index != i)
    return fault (verifier, node, "input %u '%s' does not count the use", i, value->name);
  return TRUE;
}

static gboolean verify_graph (Verifier *verifier, PhGraph *graph);

static gboolean
verify_node (Verifier *verifier, PhNode *node)
{
  if (ph_model_find_node (verifier->model, node->id) != node)
    return fault (verifier, node, "is not the node of its id");
  if (node->prev != NULL && node->prev->order >= node->order)
    return fault (verifier, node, "is out of order");
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL && !verify_input (verifier, node, node->inputs->pdata[i], i))
      return FALSE;
  for (guint i = 0; node->control != NULL && i < node->control->len; i++)
    {
      const PhNode *first = node->control->pdata[i];

      if (first->graph != node->graph || first->order >= node->order)
        return fault (verifier, node, "is not after the node that must run before it");
      if (first->followers == NULL || !g_ptr_array_find (first->followers, node, NULL))
        return fault (verifier, node, "is not known to the node that must run before it");
    }
  for (guint i = 0; node->followers != NULL && i < node->followers->len; i++)
    {
      const PhNode *after = node->followers->pdata[i];

      if (after->control == NULL || !g_ptr_array_find (after->control, node, NULL))
        return fault (verifier, node, "is followed by a node that does not know it");
    }
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];
      if (value->output != i || !verify_value (verifier, node->graph, value, node))
        return value->output == i ? FALSE : fault (verifier, node, "output %u is misnumbered", i);
    }
  if (node->op != NULL && verifier->schemas && !ph_op_check (node->op, node, verifier->error))
    return FALSE;
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      PhGraph *body = node->graphs->pdata[i];

      if (body->owner != node)
        return fault (verifier, node, "body '%s' belongs to another node", body->attr);
      if (ph_node_is_fused (node) && (body->inputs->len != node->inputs->len || body->outputs->len != node->outputs->len))
        return fault (verifier, node, "its body has %u inputs and %u outputs, the node %u and %u", body->inputs->len,
                      body->outputs->len, node->inputs->len, node->outputs->len);
      if (!verify_graph (verifier, body))
        return FALSE;
    }
  return TRUE;
}

static gboolean
verify_graph (Verifier *verifier, PhGraph *graph)
{
  guint n = 0;

  if (ph_model_find_graph (verifier->model, graph->id) != graph)
    return fault (verifier, graph->owner, "graph '%s' is not the one of its id", graph->name);
  for (guint i = 0; i < graph->inputs->len; i++)
    if (!verify_value (verifier, graph, graph->inputs->pdata[i], NULL))
      return FALSE;
  for (guint i = 0; i < graph->constants->len; i++)
    {
      const PhValue *value = graph->constants->pdata[i];
      if (value->place != i || value->tensor == NULL)
        return fault (verifier, graph->owner, "constant '%s' is misplaced or has no tensor", value->name);
      if (!verify_value (verifier, graph, value, NULL))
        return FALSE;
    }
  PH_FOREACH_NODE (node, graph)
    {
      n++;
      if (node->graph != graph)
        return fault (verifier, node, "is in the list of another graph");
      if (!verify_node (verifier, node))
        return FALSE;
    }
  if (n != graph->n_nodes)
    return fault (verifier, graph->owner, "graph '%s' counts %u nodes, its list has %u", graph->name, graph->n_nodes, n);
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      const PhValue *value = graph->outputs->pdata[i];
      guint uses = 0;

      if (value == NULL || !ph_graph_is_inside (graph, value->graph))
        return fault (verifier, graph->owner, "output %u of graph '%s' is out of scope", i, graph->name);
      if (wall_between (graph, value->graph) != NULL)
        return fault (verifier, graph->owner, "its body returns '%s' from outside, but it may only read its inputs", value->name);
      if (value->graph != graph && value->producer != NULL
          && value->producer->order >= ph_node_ancestor_in (graph->owner, value->graph)->order)
        return fault (verifier, graph->owner, "returns '%s', which is computed after it", value->name);
      if (value->graph == graph)
        {
          for (guint k = 0; k < graph->outputs->len; k++)
            uses += graph->outputs->pdata[k] == value ? 1 : 0;
          if (value->n_output_uses < uses)
            return fault (verifier, graph->owner, "'%s' does not know that it is an output", value->name);
        }
    }
  return TRUE;
}

static gboolean
verify_names (Verifier *verifier, const PhGraph *root)
{
  const guint n = ph_names_size (root->names);

  if (n == verifier->n_values)
    return TRUE;
  return fault (verifier, NULL, "%u names are known for the %u values of '%s'", n, verifier->n_values, root->name);
}

/* Checks the functions, in which a schema may require attributes that only the call has. */
static gboolean
verify_functions (Verifier *verifier)
{
  GPtrArray *functions = verifier->model->functions;

  verifier->schemas = FALSE;
  for (guint i = 0; i < functions->len; i++)
    {
      const PhFunction *function = functions->pdata[i];

      verifier->n_values = 0;
      if (function->graph->function != function || function->graph->owner != NULL)
        return fault (verifier, NULL, "the graph of function %s.%s does not know it", function->domain, function->name);
      if (!verify_graph (verifier, function->graph) || !verify_names (verifier, function->graph))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_model_verify (PhModel *model, GError **error)
{
  /* Declarations are those of the newest opset: the nodes of an older file need not agree with them. */
  Verifier verifier = { model, ph_model_opset (model, "") >= PH_OPSET_NEWEST, 0, error };

  return verify_graph (&verifier, model->graph) && verify_names (&verifier, model->graph) && verify_functions (&verifier);
}
