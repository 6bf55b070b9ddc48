/* function-copy.c: copies a graph into another model, either literally or with the attributes of a call.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

typedef struct
{
  GHashTable *values;         /* PhValue -> its copy                                                      */
  GHashTable *nodes;          /* PhNode -> its copy                                                       */
  const PhFunction *function; /* (nullable) references to attributes are filled in, from @call or defaults */
  const PhNode *call;         /* (nullable) */
} Copying;

static GBytes *
bytes_ref (GBytes *bytes)
{
  return bytes != NULL ? g_bytes_ref (bytes) : NULL;
}

/* Returns the value of @attr in this call, or NULL if it was left out. (transfer full) */
static PhAttr *
resolve (const Copying *copying, PhAttr *attr)
{
  PhAttr *given;

  if (copying->function == NULL || attr->kind != PH_ATTR_REF)
    return ph_attr_ref (attr);
  given = copying->call != NULL ? ph_node_attr (copying->call, attr->ref) : NULL;
  for (guint i = 0; given == NULL && i < copying->function->defaults->len; i++)
    if (((PhAttr *) copying->function->defaults->pdata[i])->name == attr->ref)
      given = copying->function->defaults->pdata[i];
  return given != NULL ? ph_attr_named (given, attr->name) : NULL;
}

/* Returns a location in a function as called from @call. */
static const PhWhere *
called_from (const PhWhere *where, const PhWhere *call)
{
  return where == NULL  ? call
         : call == NULL ? where
                        : ph_where_new (where->file, where->line, where->column, where->own,
                                        where->outer != NULL ? called_from (where->outer, call) : call);
}

static PhValue *
look_up (const Copying *copying, const PhValue *value)
{
  return value != NULL ? g_hash_table_lookup (copying->values, value) : NULL;
}

static gboolean copy_graph (Copying *copying, PhGraph *to, const PhGraph *from, GError **error);

static PhNode *
add_copy (Copying *copying, PhGraph *to, const PhNode *from, GError **error)
{
  g_autofree PhValue **inputs = g_new0 (PhValue *, from->inputs->len + 1);
  g_autofree const char **names = g_new0 (const char *, from->outputs->len + 1);
  g_autofree const PhType **types = g_new0 (const PhType *, from->outputs->len + 1);
  g_autoptr (GPtrArray) attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  const PhNode *partner = from->partner != PH_NO_ID ? ph_model_find_node (from->graph->model, from->partner) : NULL;
  const PhNode *twin = partner != NULL ? g_hash_table_lookup (copying->nodes, partner) : NULL;
  PhNode *node;

  for (guint i = 0; i < from->inputs->len; i++)
    inputs[i] = look_up (copying, from->inputs->pdata[i]);
  for (guint i = 0; i < from->outputs->len; i++)
    {
      names[i] = ph_node_output (from, i)->name;
      types[i] = ph_node_output (from, i)->type;
    }
  for (guint i = 0; i < from->attrs->len; i++)
    {
      PhAttr *attr = resolve (copying, from->attrs->pdata[i]);

      if (attr != NULL)
        g_ptr_array_add (attrs, attr);
    }
  node = ph_graph_add_node (
      to,
      &(PhNodeSpec) { .op_type = from->op_type,
                      .domain = from->domain,
                      .name = from->name,
                      .inputs = inputs,
                      .n_inputs = from->inputs->len,
                      .n_outputs = from->outputs->len,
                      .output_names = names,
                      .output_types = types,
                      .attrs = (PhAttr *const *) attrs->pdata,
                      .n_attrs = attrs->len,
                      .role = from->role,
                      .partner = twin != NULL ? twin->id : PH_NO_ID,
                      .device = from->device,
                      .where = called_from (from->where, copying->call != NULL ? copying->call->where : NULL),
                      .extra = from->extra },
      error);
  if (node == NULL)
    return NULL;
  for (guint i = 0; i < from->outputs->len; i++)
    {
      PhValue *value = ph_node_output (node, i);

      value->extra = bytes_ref (ph_node_output (from, i)->extra);
      g_hash_table_insert (copying->values, from->outputs->pdata[i], value);
    }
  g_hash_table_insert (copying->nodes, (gpointer) from, node);
  return node;
}

static gboolean
copy_node (Copying *copying, PhGraph *to, const PhNode *from, GError **error)
{
  PhNode *node = add_copy (copying, to, from, error);

  if (node == NULL)
    return FALSE;
  for (guint i = 0; from->control != NULL && i < from->control->len; i++)
    if (!ph_node_add_control (node, g_hash_table_lookup (copying->nodes, from->control->pdata[i]), error))
      return FALSE;
  for (guint i = 0; from->graphs != NULL && i < from->graphs->len; i++)
    {
      const PhGraph *body = from->graphs->pdata[i];
      PhGraph *copy = ph_node_add_graph (node, body->attr, body->name, error);

      if (copy == NULL || !copy_graph (copying, copy, body, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
copy_graph (Copying *copying, PhGraph *to, const PhGraph *from, GError **error)
{
  const gboolean called = copying->function != NULL && from == copying->function->graph;

  for (guint i = 0; i < from->inputs->len; i++)
    {
      const PhValue *old = from->inputs->pdata[i],
                    *given = called && copying->call != NULL ? ph_node_input (copying->call, i) : NULL;
      PhValue *value = ph_graph_add_input (to, old->name, given != NULL && given->type != NULL ? given->type : old->type,
                                           old->tensor, G_MAXUINT, error);

      if (value == NULL)
        return FALSE;
      value->extra = bytes_ref (old->extra);
      g_hash_table_insert (copying->values, (gpointer) old, value);
    }
  for (guint i = 0; i < from->constants->len; i++)
    {
      const PhValue *old = from->constants->pdata[i];
      PhValue *value = ph_graph_add_constant (to, old->name, old->tensor, error);

      if (value == NULL)
        return FALSE;
      value->extra = bytes_ref (old->extra);
      g_hash_table_insert (copying->values, (gpointer) old, value);
    }
  PH_FOREACH_NODE (node, from)
    if (!copy_node (copying, to, node, error))
      return FALSE;
  for (guint i = 0; i < from->outputs->len; i++)
    if (!ph_graph_set_output (to, i, look_up (copying, from->outputs->pdata[i]), error))
      return FALSE;
  to->extra = bytes_ref (from->extra);
  return TRUE;
}

static gboolean
copy (PhGraph *to, const PhGraph *from, const PhFunction *function, const PhNode *call, GError **error)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL), nodes = g_hash_table_new (NULL, NULL);
  Copying copying = { values, nodes, function, call };

  return copy_graph (&copying, to, from, error);
}

/* All of @from, of any model, into the empty @to: inputs, constants, nodes, bodies, outputs, their names as far as they are free. */
static gboolean
copy_whole (PhGraph *to, const PhGraph *from, GError **error)
{
  return copy (to, from, NULL, NULL, error);
}

PhFunction *
ph_model_copy_function (PhModel *model, const PhFunction *from, GError **error)
{
  PhFunction *function = ph_model_add_function (model,
                                                &(PhFunctionSpec) { .name = from->name,
                                                                    .domain = from->domain,
                                                                    .parameters = (const char *const *) from->parameters->pdata,
                                                                    .n_parameters = from->parameters->len,
                                                                    .defaults = (PhAttr *const *) from->defaults->pdata,
                                                                    .n_defaults = from->defaults->len,
                                                                    .opsets = from->opsets,
                                                                    .extra = from->extra },
                                                error);

  if (function == NULL || !copy_whole (function->graph, from->graph, error))
    return NULL;
  return function;
}

gboolean
ph_model_copy_called (PhModel *model, PhModel *from, GError **error)
{
  if (from->functions->len == 0 && from->library == NULL)
    return TRUE;
  for (PhId id = 1; id < model->next_id; id++) /* a copied function brings more nodes */
    {
      const PhNode *node = ph_model_find_node (model, id);
      const PhFunction *function = node != NULL && node->op == NULL && !ph_node_is_fused (node) && ph_node_function (node) == NULL
                                       ? ph_model_find_function (from, node->domain, node->op_type)
                                       : NULL;

      if (function != NULL && ph_model_copy_function (model, function, error) == NULL)
        return FALSE;
    }
  return TRUE;
}

PhModel *
ph_function_instance (const PhFunction *function, const PhNode *call, GError **error)
{
  g_autoptr (PhModel) model = NULL;
  PhModel *library = function->graph->model;
  GHashTableIter iter;
  gpointer domain, version;

  if (call != NULL && (call->outputs->len > function->graph->outputs->len || call->inputs->len > function->graph->inputs->len))
    {
      const gboolean outputs = call->outputs->len > function->graph->outputs->len;

      ph_node_fail (call, error, PH_ERROR_INVALID, "it needs %u %s of function %s.%s, which has %u",
                    outputs ? call->outputs->len : call->inputs->len, outputs ? "outputs" : "inputs", function->domain,
                    function->name, outputs ? function->graph->outputs->len : function->graph->inputs->len);
      return NULL;
    }
  model = ph_model_new ();
  model->library = library;
  model->ir_version = MAX (library->ir_version, 4);
  model->graph->name = function->name;
  g_hash_table_iter_init (&iter, function->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    ph_model_set_opset (model, domain, GPOINTER_TO_INT (version));
  return copy (model->graph, function->graph, function, call, error) ? g_steal_pointer (&model) : NULL;
}
