/* edit.c: the functions that change a model: each validates, creates an edit, applies it and records it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/edit.h"

#include <string.h>

#include "core/graph/graph-private.h"
#include "core/graph/history.h"

gboolean
ph_edit_fail (GError **error, PhError code, const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, PH_ERROR, (int) code, message);
  return FALSE;
}

void
ph_edit_commit (PhModel *model, PhGraph *graph, const PhEdit *template)
{
  const gboolean hidden = model->journal != NULL && graph != NULL && ph_graph_is_fused (graph);
  PhEdit *edit;

  if (model->journal != NULL && model->journal->edits->len == 0)
    model->journal->first_id = model->next_id;
  ph_edit_apply (model, template);
  if (model->journal == NULL)
    {
      PhEdit spent = *template;

      ph_edit_clear (&spent);
      return;
    }
  edit = g_memdup2 (template, sizeof *template);
  g_atomic_ref_count_init (&edit->ref_count);
  edit->hidden = hidden;
  ph_history_own_edits (model->journal, G_MAXUINT);
  g_ptr_array_add (model->journal->edits, edit);
}

static gboolean
check_scope (const PhGraph *graph, const PhValue *value, const char *label, GError **error)
{
  if (value == NULL || ph_graph_is_inside (graph, value->graph))
    return TRUE;
  return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot use '%s', which belongs to the body '%s' that it is not in", label,
                       value->name, value->graph->attr != NULL ? value->graph->attr : value->graph->name);
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

PhNode *
ph_graph_add_node (PhGraph *graph, const PhNodeSpec *spec, GError **error)
{
  PhModel *model = graph->model;
  PhNodeRecord *record;
  const PhNode *place = spec->before != NULL ? spec->before->prev : graph->last;
  PhId id = model->next_id;
  const char *op_type = spec->op_type, *domain = spec->domain;

  if (spec->op != NULL)
    ph_op_get_name (spec->op, &domain, &op_type);
  g_return_val_if_fail (op_type != NULL, NULL);
  g_return_val_if_fail (spec->before == NULL || spec->before->graph == graph, NULL);

  for (guint i = 0; i < spec->n_inputs; i++)
    {
      const PhValue *value = spec->inputs[i];

      if (!check_scope (graph, value, op_type, error))
        return NULL;
      if (value != NULL && value->producer != NULL && spec->before != NULL)
        {
          const PhNode *node = ph_node_ancestor_in (spec->before, value->graph);
          if (node == NULL || value->producer->order >= node->order)
            {
              ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot be placed before its input '%s'", op_type, value->name);
              return NULL;
            }
        }
      if (value != NULL && value->graph != graph && !ph_order_put_before (graph->owner, value, error))
        return NULL;
    }

  record = ph_node_record_alloc (spec->n_inputs, spec->n_outputs);
  record->op_type = ph_intern (op_type);
  record->domain = ph_intern (domain != NULL ? domain : "");
  record->op = spec->op != NULL ? spec->op : ph_op_find (record->domain, record->op_type);
  record->name = ph_intern (spec->name != NULL ? spec->name : "");
  record->device = ph_intern (spec->device);
  record->role = spec->role;
  record->partner = spec->partner;
  record->where = spec->where != NULL || spec->before == NULL ? spec->where : spec->before->where;
  record->extra = spec->extra != NULL ? g_bytes_ref (spec->extra) : NULL;
  for (guint i = 0; i < spec->n_inputs; i++)
    record->inputs[i] = spec->inputs[i] != NULL ? spec->inputs[i]->id : PH_NO_ID;
  record->attrs = ph_attrs_new (spec->attrs, spec->n_attrs, FALSE);
  for (guint i = 0; i < spec->n_outputs; i++)
    {
      const char *wish = spec->output_names != NULL ? spec->output_names[i] : NULL;
      const char *base = wish != NULL && *wish != '\0' ? wish : *record->name != '\0' ? record->name : op_type;

      record->outputs[i] = id + 1 + i;
      record->output_names[i] = ph_graph_unique_name (graph, base);
      /* Taken at once, so that the next output of this node gets another. */
      if (spec->n_outputs > 1)
        ph_names_set (ph_graph_names (graph), record->output_names[i], NULL);
      if (spec->output_types != NULL)
        record->output_types[i] = spec->output_types[i];
    }

  ph_edit_commit (model, graph,
                  &(PhEdit) { .kind = PH_EDIT_ADD_NODE,
                              .id = id,
                              .graph = graph->id,
                              .spec = record,
                              .place = place != NULL ? place->id : PH_NO_ID });
  return ph_model_find_node (model, id);
}

static void
clear_graph (PhGraph *graph)
{
  ph_graph_truncate_outputs (graph, 0, NULL);
  while (graph->last != NULL)
    ph_graph_remove_node (graph->last, NULL);
  while (graph->constants->len > 0)
    ph_graph_remove_value (graph->constants->pdata[graph->constants->len - 1], NULL);
  while (graph->inputs->len > 0)
    ph_graph_remove_value (graph->inputs->pdata[graph->inputs->len - 1], NULL);
}

static void
clear_body (PhGraph *body)
{
  PhModel *model = body->model;
  PhNode *owner = body->owner;
  guint index;

  clear_graph (body);
  g_ptr_array_find (owner->graphs, body, &index);
  ph_edit_commit (model, owner->graph,
                  &(PhEdit) { .kind = PH_EDIT_REMOVE_GRAPH,
                              .id = body->id,
                              .graph = owner->id,
                              .index = index,
                              .new_name = body->attr,
                              .old_name = body->name });
}

gboolean
ph_node_add_control (PhNode *node, PhNode *first, GError **error)
{
  g_return_val_if_fail (node->graph->model == first->graph->model, FALSE);
  if (node->graph != first->graph)
    {
      g_autofree char *label = ph_node_label (node), *other = ph_node_label (first);
      return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot be made to run after %s, which is in another graph", label, other);
    }
  if (node->control != NULL && g_ptr_array_find (node->control, first, NULL))
    return TRUE;
  if (!ph_order_put_first (node, first, error))
    return FALSE;
  ph_edit_commit (node->graph->model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_SET_CONTROL,
                              .id = node->id,
                              .after = first->id,
                              .index = node->control != NULL ? node->control->len : 0 });
  return TRUE;
}

gboolean
ph_node_remove_control (PhNode *node, PhNode *first, GError **error)
{
  guint index;

  if (node->control == NULL || !g_ptr_array_find (node->control, first, &index))
    {
      g_autofree char *label = ph_node_label (node), *other = ph_node_label (first);
      return ph_edit_fail (error, PH_ERROR_INVALID, "%s was not to run after %s", label, other);
    }
  ph_edit_commit (node->graph->model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_SET_CONTROL, .id = node->id, .before = first->id, .index = index });
  return TRUE;
}

gboolean
ph_graph_remove_node (PhNode *node, GError **error)
{
  for (guint i = 0; i < node->outputs->len; i++)
    if (ph_value_n_uses (node->outputs->pdata[i]) > 0)
      {
        g_autofree char *label = ph_node_label (node);
        return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot be removed: its output '%s' is still used", label,
                             ((PhValue *) node->outputs->pdata[i])->name);
      }
  if (node->followers != NULL)
    {
      g_autofree char *label = ph_node_label (node), *other = ph_node_label (node->followers->pdata[0]);
      return ph_edit_fail (error, PH_ERROR_INVALID, "%s cannot be removed: %s is to run after it", label, other);
    }
  while (node->control != NULL)
    ph_node_remove_control (node, node->control->pdata[node->control->len - 1], NULL);
  while (node->graphs != NULL && node->graphs->len > 0)
    clear_body (node->graphs->pdata[node->graphs->len - 1]);
  ph_edit_commit (node->graph->model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_REMOVE_NODE,
                              .id = node->id,
                              .graph = node->graph->id,
                              .spec = ph_node_record_new (node),
                              .place = node->prev != NULL ? node->prev->id : PH_NO_ID });
  return TRUE;
}

PhGraph *
ph_node_add_graph (PhNode *node, const char *attr, const char *name, GError **error)
{
  PhModel *model = node->graph->model;
  PhId id = model->next_id;

  if (ph_node_graph (node, attr) != NULL)
    {
      g_autofree char *label = ph_node_label (node);
      ph_edit_fail (error, PH_ERROR_INVALID, "%s already has a graph attribute '%s'", label, attr);
      return NULL;
    }
  ph_edit_commit (model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_ADD_GRAPH,
                              .id = id,
                              .graph = node->id,
                              .new_name = ph_intern (attr),
                              .old_name = ph_intern (name != NULL ? name : attr),
                              .index = node->graphs != NULL ? node->graphs->len : 0 });
  return ph_model_find_graph (model, id);
}

/* ── values ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhValue *
add_value (PhGraph *graph, PhId id, const char *name, const PhType *type, PhTensor *tensor, gboolean is_input, guint index)
{
  PhModel *model = graph->model;
  PhValueRecord *record = g_new0 (PhValueRecord, 1);

  record->name = ph_graph_unique_name (graph, name != NULL ? name : is_input ? "input" : "constant");
  record->type = type;
  record->tensor = tensor != NULL ? ph_tensor_ref (tensor) : NULL;
  record->is_input = is_input;
  ph_edit_commit (model, graph,
                  &(PhEdit) { .kind = PH_EDIT_ADD_VALUE, .id = id, .graph = graph->id, .index = index, .spec = record });
  return ph_model_find_value (model, id);
}

PhValue *
ph_graph_add_constant (PhGraph *graph, const char *name, PhTensor *tensor, GError **error)
{
  return add_value (graph, graph->model->next_id, name, ph_type_of_tensor (tensor), tensor, FALSE, graph->constants->len);
}

PhValue *
ph_graph_restore_constant (PhGraph *graph, PhId id, const char *name, PhTensor *tensor, GError **error)
{
  PhModel *model = graph->model;

  g_return_val_if_fail (ph_model_find_value (model, id) == NULL && ph_model_find_node (model, id) == NULL
                            && ph_model_find_graph (model, id) == NULL,
                        NULL);
  return add_value (graph, id, name, ph_type_of_tensor (tensor), tensor, FALSE, graph->constants->len);
}

PhValue *
ph_graph_add_input (PhGraph *graph, const char *name, const PhType *type, PhTensor *tensor, guint index, GError **error)
{
  if (tensor != NULL && type != NULL && !ph_type_fits (type, tensor))
    {
      g_autofree char *declared = ph_type_to_string (type), *given = ph_type_to_string (ph_type_of_tensor (tensor));
      ph_edit_fail (error, PH_ERROR_TYPE, "input '%s' is declared as %s, its default is %s", name, declared, given);
      return NULL;
    }
  return add_value (graph, graph->model->next_id, name, type, tensor, TRUE, MIN (index, graph->inputs->len));
}

gboolean
ph_graph_remove_value (PhValue *value, GError **error)
{
  PhGraph *graph = value->graph;
  guint index = value->place;

  g_return_val_if_fail (value->producer == NULL, FALSE);
  if (ph_value_n_uses (value) > 0)
    return ph_edit_fail (error, PH_ERROR_INVALID, "'%s' cannot be removed: it is still used", value->name);
  if (value->is_input)
    g_ptr_array_find (graph->inputs, value, &index);
  ph_edit_commit (graph->model, graph,
                  &(PhEdit) { .kind = PH_EDIT_REMOVE_VALUE,
                              .id = value->id,
                              .graph = graph->id,
                              .index = index,
                              .spec = ph_value_record_new (value) });
  return TRUE;
}

/* ── inputs and outputs ─────────────────────────────────────────────────────────────────────────────────────────── */

static void
commit_input (PhNode *node, guint index, PhValue *value, gboolean absent, gboolean last)
{
  const PhValue *old = ph_node_input (node, index);

  ph_edit_commit (node->graph->model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_SET_INPUT,
                              .id = node->id,
                              .index = index,
                              .absent = absent,
                              .last = last,
                              .before = old != NULL ? old->id : PH_NO_ID,
                              .after = value != NULL ? value->id : PH_NO_ID });
}

gboolean
ph_node_set_input (PhNode *node, guint index, PhValue *value, GError **error)
{
  g_return_val_if_fail (index <= node->inputs->len, FALSE);

  if (value != NULL)
    {
      if (!ph_graph_is_inside (node->graph, value->graph))
        {
          g_autofree char *label = ph_node_label (node);
          return check_scope (node->graph, value, label, error);
        }
      if (!ph_order_put_before (node, value, error))
        return FALSE;
    }
  if (index == node->inputs->len || node->inputs->pdata[index] != value)
    commit_input (node, index, value, index == node->inputs->len, FALSE);
  return TRUE;
}

gboolean
ph_node_truncate_inputs (PhNode *node, guint n, GError **error)
{
  while (node->inputs->len > n)
    commit_input (node, node->inputs->len - 1, NULL, FALSE, TRUE);
  return TRUE;
}

static void
commit_output (PhGraph *graph, guint index, PhValue *value, gboolean absent, gboolean last)
{
  const PhValue *old = index < graph->outputs->len ? graph->outputs->pdata[index] : NULL;

  ph_edit_commit (graph->model, graph,
                  &(PhEdit) { .kind = PH_EDIT_SET_OUTPUT,
                              .graph = graph->id,
                              .index = index,
                              .absent = absent,
                              .last = last,
                              .before = old != NULL ? old->id : PH_NO_ID,
                              .after = value != NULL ? value->id : PH_NO_ID });
}

gboolean
ph_graph_set_output (PhGraph *graph, guint index, PhValue *value, GError **error)
{
  g_return_val_if_fail (index <= graph->outputs->len && value != NULL, FALSE);

  if (!check_scope (graph, value, "the graph", error))
    return FALSE;
  if (value->graph != graph && !ph_order_put_before (graph->owner, value, error))
    return FALSE;
  if (index == graph->outputs->len || graph->outputs->pdata[index] != value)
    commit_output (graph, index, value, index == graph->outputs->len, FALSE);
  return TRUE;
}

gboolean
ph_graph_truncate_outputs (PhGraph *graph, guint n, GError **error)
{
  while (graph->outputs->len > n)
    commit_output (graph, graph->outputs->len - 1, NULL, FALSE, TRUE);
  return TRUE;
}

/* ── attributes, types, names ───────────────────────────────────────────────────────────────────────────────────── */

gboolean
ph_node_set_attr (PhNode *node, const char *name, PhAttr *attr, GError **error)
{
  guint index = node->attrs->len;
  PhAttr *old = NULL;

  for (guint i = 0; i < node->attrs->len && old == NULL; i++)
    if (strcmp (((PhAttr *) node->attrs->pdata[i])->name, name) == 0)
      {
        old = node->attrs->pdata[i];
        index = i;
      }
  if (old == attr || (old != NULL && attr != NULL && ph_attr_equal (old, attr)))
    return TRUE;
  ph_edit_commit (node->graph->model, node->graph,
                  &(PhEdit) { .kind = PH_EDIT_SET_ATTR,
                              .id = node->id,
                              .index = index,
                              .new_name = ph_intern (name),
                              .old_attr = old != NULL ? ph_attr_ref (old) : NULL,
                              .new_attr = attr != NULL ? ph_attr_ref (attr) : NULL });
  return TRUE;
}

gboolean
ph_value_set_type (PhValue *value, const PhType *type, GError **error)
{
  if (value->type == type)
    return TRUE;
  if (value->tensor != NULL && type != NULL && !ph_type_fits (type, value->tensor))
    {
      g_autofree char *wish = ph_type_to_string (type);
      return ph_edit_fail (error, PH_ERROR_TYPE, "'%s' has a tensor that is not %s", value->name, wish);
    }
  ph_edit_commit (value->graph->model, value->graph,
                  &(PhEdit) { .kind = PH_EDIT_SET_TYPE, .id = value->id, .old_type = value->type, .new_type = type });
  return TRUE;
}

gboolean
ph_value_rename (PhValue *value, const char *name, GError **error)
{
  const char *interned = ph_intern (name);

  if (value->name == interned)
    return TRUE;
  if (*name == '\0' || ph_names_contain (ph_graph_names (value->graph), interned))
    return ph_edit_fail (error, PH_ERROR_INVALID, "'%s' cannot be renamed: the name '%s' is taken", value->name, name);
  ph_edit_commit (value->graph->model, value->graph,
                  &(PhEdit) { .kind = PH_EDIT_RENAME, .id = value->id, .old_name = value->name, .new_name = interned });
  return TRUE;
}

void
ph_model_set_opset (PhModel *model, const char *domain, int version)
{
  int old = ph_model_opset (model, domain);

  if (old != version)
    ph_edit_commit (
        model, NULL,
        &(PhEdit) { .kind = PH_EDIT_SET_OPSET, .new_name = ph_intern (domain), .old_version = old, .new_version = version });
}

/* ── functions ──────────────────────────────────────────────────────────────────────────────────────────────────── */

PhFunction *
ph_model_add_function (PhModel *model, const PhFunctionSpec *spec, GError **error)
{
  PhFunctionRecord *record;
  GHashTableIter iter;
  gpointer key, version;
  PhId id = model->next_id;
  const char *domain = spec->domain != NULL ? spec->domain : "";

  g_return_val_if_fail (spec->name != NULL, NULL);
  if (!spec->overload && ph_model_find_function (model, domain, spec->name) != NULL)
    {
      ph_edit_fail (error, PH_ERROR_INVALID,
                    "the model has a function %s.%s already: functions of a domain need names of their own", domain, spec->name);
      return NULL;
    }
  record = g_new0 (PhFunctionRecord, 1);
  record->name = ph_intern (spec->name);
  record->domain = ph_intern (domain);
  record->parameters = g_ptr_array_new ();
  for (guint i = 0; i < spec->n_parameters; i++)
    g_ptr_array_add (record->parameters, (gpointer) ph_intern (spec->parameters[i]));
  record->defaults = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  for (guint i = 0; i < spec->n_defaults; i++)
    g_ptr_array_add (record->defaults, ph_attr_ref (spec->defaults[i]));
  record->opsets = g_hash_table_new (NULL, NULL); /* not modified after this function */
  g_hash_table_iter_init (&iter, spec->opsets != NULL ? spec->opsets : model->opsets);
  while (g_hash_table_iter_next (&iter, &key, &version))
    if (!g_str_equal (key, PH_FILE_OPSET))
      g_hash_table_insert (record->opsets, key, version);
  record->extra = spec->extra != NULL ? g_bytes_ref (spec->extra) : NULL;
  ph_edit_commit (model, NULL,
                  &(PhEdit) { .kind = PH_EDIT_ADD_FUNCTION, .id = id, .index = model->functions->len, .spec = record });
  return ph_model_find_graph (model, id)->function;
}

gboolean
ph_model_remove_function (PhFunction *function, GError **error)
{
  PhModel *model = function->graph->model;
  guint index;

  for (PhId id = 1; id < model->next_id; id++)
    {
      const PhNode *node = ph_model_find_node (model, id);

      if (node != NULL && node->op == NULL && ph_graph_root (node->graph) != function->graph
          && ph_node_function (node) == function)
        {
          g_autofree char *label = ph_node_label (node);
          return ph_edit_fail (error, PH_ERROR_INVALID, "the function %s.%s cannot be removed: %s calls it", function->domain,
                               function->name, label);
        }
    }
  clear_graph (function->graph);
  g_ptr_array_find (model->functions, function, &index);
  ph_edit_commit (model, NULL,
                  &(PhEdit) { .kind = PH_EDIT_REMOVE_FUNCTION,
                              .id = function->graph->id,
                              .index = index,
                              .spec = ph_function_record_new (function) });
  return TRUE;
}
