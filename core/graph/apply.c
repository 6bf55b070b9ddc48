/* apply.c: applies and reverts edits. edit.c validated them before they were recorded.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

#include <string.h>

/* The order numbers of new nodes at the end differ by this much, so that about 20 insertions fit anywhere before renumbering. */
#define ORDER_GAP (G_GUINT64_CONSTANT (1) << 20)

/* ── records ────────────────────────────────────────────────────────────────────────────────────────────────────── */

GPtrArray *
ph_attrs_new (PhAttr *const *attrs, guint n, gboolean more)
{
  static GPtrArray *none;
  GPtrArray *array;

  if (g_once_init_enter (&none))
    g_once_init_leave (&none, g_ptr_array_new ());
  if (n == 0 && !more)
    return g_ptr_array_ref (none);
  array = g_ptr_array_new_full (n + more, (GDestroyNotify) ph_attr_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (array, ph_attr_ref (attrs[i]));
  return array;
}

PhNodeRecord *
ph_node_record_alloc (guint n_inputs, guint n_outputs)
{
  const gsize size = sizeof (PhNodeRecord) + n_outputs * 3 * sizeof (gpointer) + (n_inputs + n_outputs) * sizeof (PhId);
  PhNodeRecord *record = memset (g_malloc (size), 0, size);

  record->n_inputs = n_inputs;
  record->n_outputs = n_outputs;
  record->output_names = (const char **) (record + 1);
  record->output_types = (const PhType **) (record->output_names + n_outputs);
  record->output_extras = (GBytes **) (record->output_types + n_outputs);
  record->inputs = (PhId *) (record->output_extras + n_outputs);
  record->outputs = record->inputs + n_inputs;
  return record;
}

PhNodeRecord *
ph_node_record_new (const PhNode *node)
{
  PhNodeRecord *record = ph_node_record_alloc (node->inputs->len, node->outputs->len);

  record->op = node->op;
  record->op_type = node->op_type;
  record->domain = node->domain;
  record->name = node->name;
  record->device = node->device;
  record->role = node->role;
  record->partner = node->partner;
  record->where = node->where;
  for (guint i = 0; i < record->n_inputs; i++)
    record->inputs[i] = node->inputs->pdata[i] != NULL ? ((PhValue *) node->inputs->pdata[i])->id : PH_NO_ID;
  for (guint i = 0; i < record->n_outputs; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      record->outputs[i] = value->id;
      record->output_names[i] = value->name;
      record->output_types[i] = value->type;
      record->output_extras[i] = value->extra != NULL ? g_bytes_ref (value->extra) : NULL;
    }
  record->attrs = g_ptr_array_ref (node->attrs);
  record->extra = node->extra != NULL ? g_bytes_ref (node->extra) : NULL;
  return record;
}

static void
node_record_free (PhNodeRecord *record)
{
  for (guint i = 0; i < record->n_outputs; i++)
    g_clear_pointer (&record->output_extras[i], g_bytes_unref);
  g_ptr_array_unref (record->attrs);
  g_clear_pointer (&record->extra, g_bytes_unref);
  g_free (record);
}

PhValueRecord *
ph_value_record_new (const PhValue *value)
{
  PhValueRecord *record = g_new0 (PhValueRecord, 1);

  record->name = value->name;
  record->type = value->type;
  record->tensor = value->tensor != NULL ? ph_tensor_ref (value->tensor) : NULL;
  record->is_input = value->is_input;
  record->extra = value->extra != NULL ? g_bytes_ref (value->extra) : NULL;
  return record;
}

static void
value_record_free (PhValueRecord *record)
{
  g_clear_pointer (&record->tensor, ph_tensor_unref);
  g_clear_pointer (&record->extra, g_bytes_unref);
  g_free (record);
}

PhEdit *
ph_edit_ref (PhEdit *edit)
{
  g_atomic_ref_count_inc (&edit->ref_count);
  return edit;
}

void
ph_edit_clear (PhEdit *edit)
{
  if (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_REMOVE_NODE)
    g_clear_pointer ((PhNodeRecord **) &edit->spec, node_record_free);
  else if (edit->kind == PH_EDIT_ADD_VALUE || edit->kind == PH_EDIT_REMOVE_VALUE)
    g_clear_pointer ((PhValueRecord **) &edit->spec, value_record_free);
  else if (edit->kind == PH_EDIT_ADD_FUNCTION || edit->kind == PH_EDIT_REMOVE_FUNCTION)
    g_clear_pointer ((PhFunctionRecord **) &edit->spec, ph_function_record_free);
  g_clear_pointer (&edit->old_attr, ph_attr_unref);
  g_clear_pointer (&edit->new_attr, ph_attr_unref);
}

void
ph_edit_free (PhEdit *edit)
{
  if (!g_atomic_ref_count_dec (&edit->ref_count))
    return;
  ph_edit_clear (edit);
  g_free (edit);
}

/* ── the list of nodes ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Makes room for @node after order @low: moves up the following nodes, as few as make the gaps between them as wide as their number (Dietz
 * and Sleator, "Two Algorithms for Maintaining Order in a List", 1987). Renumbering all of them whenever a gap is used up would make
 * restoring a removed chain quadratic. */
static void
make_room (PhNode *node, guint64 low)
{
  PhNode *end = node->next;
  guint64 n = 2, step;

  while (end != NULL && end->order - low <= n * n)
    {
      end = end->next;
      n++;
    }
  step = end != NULL ? (end->order - low) / n : ORDER_GAP;
  for (; node != end; node = node->next)
    node->order = low += step;
}

static void
link_after (PhGraph *graph, PhNode *node, PhNode *place)
{
  PhNode *next = place != NULL ? place->next : graph->first;
  guint64 low = place != NULL ? place->order : 0;

  node->prev = place;
  node->next = next;
  *(place != NULL ? &place->next : &graph->first) = node;
  *(next != NULL ? &next->prev : &graph->last) = node;
  node->order = next != NULL ? low + (next->order - low) / 2 : low + ORDER_GAP;
  if (node->order == low)
    make_room (node, low);
}

static void
unlink_node (PhGraph *graph, PhNode *node)
{
  *(node->prev != NULL ? &node->prev->next : &graph->first) = node->next;
  *(node->next != NULL ? &node->next->prev : &graph->last) = node->prev;
}

/* ── the edits ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
add_node (PhModel *model, const PhEdit *edit)
{
  const PhNodeRecord *record = edit->spec;
  PhGraph *graph = ph_model_find_graph (model, edit->graph);
  PhNode *node = ph_slab_alloc0 (&model->memory->nodes);

  node->id = edit->id;
  node->op = record->op;
  node->op_type = record->op_type;
  node->domain = record->domain;
  node->name = record->name;
  node->device = record->device;
  node->role = record->role;
  node->partner = record->partner;
  node->where = record->where;
  node->graph = graph;
  node->extra = record->extra != NULL ? g_bytes_ref (record->extra) : NULL;
  node->attrs = g_ptr_array_ref (record->attrs);
  ph_node_init_inputs (node, record->n_inputs);
  for (guint i = 0; i < record->n_inputs; i++)
    {
      PhValue *value = record->inputs[i] != PH_NO_ID ? ph_model_find_value (model, record->inputs[i]) : NULL;

      node->inputs->pdata[node->inputs->len++] = value;
      ph_value_add_use (value, node, i);
    }
  ph_values_init (node->outputs, record->n_outputs);
  for (guint i = 0; i < record->n_outputs; i++)
    {
      PhValue *value = ph_value_alloc (graph, record->outputs[i], record->output_names[i], record->output_types[i]);

      value->producer = node;
      value->output = i;
      value->extra = record->output_extras[i] != NULL ? g_bytes_ref (record->output_extras[i]) : NULL;
      node->outputs->pdata[node->outputs->len++] = value;
    }
  ph_model_enter (model, model->nodes, node->id, node);
  link_after (graph, node, edit->place != PH_NO_ID ? ph_model_find_node (model, edit->place) : NULL);
  graph->n_nodes++;
  ph_model_count (model, node->op, 1);
}

static void
remove_node (PhModel *model, const PhEdit *edit)
{
  PhNode *node = ph_model_find_node (model, edit->id);
  PhGraph *graph = node->graph;

  for (guint i = node->inputs->len; i-- > 0;)
    ph_value_drop_use (node->inputs->pdata[i], node, i);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      g_ptr_array_index (model->values, value->id) = NULL;
      ph_names_remove (ph_graph_names (graph), value->name);
    }
  unlink_node (graph, node);
  graph->n_nodes--;
  ph_model_count (model, node->op, -1);
  g_ptr_array_index (model->nodes, node->id) = NULL;
  ph_node_free (node);
}

static void
add_value (PhModel *model, const PhEdit *edit)
{
  const PhValueRecord *record = edit->spec;
  PhGraph *graph = ph_model_find_graph (model, edit->graph);
  PhValue *value = ph_value_alloc (graph, edit->id, record->name, record->type);

  value->tensor = record->tensor != NULL ? ph_tensor_ref (record->tensor) : NULL;
  value->extra = record->extra != NULL ? g_bytes_ref (record->extra) : NULL;
  value->is_input = record->is_input;
  if (value->is_input)
    {
      g_ptr_array_insert (graph->inputs, (int) edit->index, value);
      return;
    }
  /* The constant now at that place was last before: this is the exact inverse of the removal of a constant. */
  value->place = edit->index;
  if (edit->index < graph->constants->len)
    {
      PhValue *moved = graph->constants->pdata[edit->index];

      moved->place = graph->constants->len;
      g_ptr_array_add (graph->constants, moved);
      graph->constants->pdata[edit->index] = value;
    }
  else
    g_ptr_array_add (graph->constants, value);
}

static void
remove_value (PhModel *model, const PhEdit *edit)
{
  PhValue *value = ph_model_find_value (model, edit->id);
  PhGraph *graph = value->graph;

  g_ptr_array_index (model->values, value->id) = NULL;
  ph_names_remove (ph_graph_names (graph), value->name);
  if (value->is_input)
    {
      g_ptr_array_remove_index (graph->inputs, edit->index);
      return;
    }
  if (edit->index + 1 < graph->constants->len)
    ((PhValue *) graph->constants->pdata[graph->constants->len - 1])->place = edit->index;
  g_ptr_array_remove_index_fast (graph->constants, edit->index);
}

static void
add_graph (PhModel *model, const PhEdit *edit)
{
  PhNode *owner = ph_model_find_node (model, edit->graph);
  PhGraph *graph = ph_graph_alloc (model, edit->id, owner, edit->new_name, edit->old_name);

  if (owner->graphs == NULL)
    owner->graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_graph_free);
  g_ptr_array_insert (owner->graphs, (int) edit->index, graph);
}

static void
remove_graph (PhModel *model, const PhEdit *edit)
{
  PhNode *owner = ph_model_find_node (model, edit->graph);

  g_ptr_array_index (model->graphs, edit->id) = NULL;
  model->n_graphs--;
  g_ptr_array_remove_index (owner->graphs, edit->index);
  if (owner->graphs->len == 0)
    g_clear_pointer (&owner->graphs, g_ptr_array_unref);
}

static void
add_function (PhModel *model, const PhEdit *edit)
{
  ph_model_list_function (model, edit->index, ph_function_alloc (model, edit->id, edit->spec));
}

static void
remove_function (PhModel *model, const PhEdit *edit)
{
  g_ptr_array_index (model->graphs, edit->id) = NULL;
  model->n_graphs--;
  ph_model_unlist_function (model, edit->index);
}

/* @absent: no slot before; @last: no slot afterwards. */
static void
set_input (PhModel *model, const PhEdit *edit, PhId to, gboolean absent, gboolean last)
{
  PhNode *node = ph_model_find_node (model, edit->id);
  PhValue *value = to != PH_NO_ID ? ph_model_find_value (model, to) : NULL;

  if (absent)
    {
      if (node->inputs->len == node->inputs->size)
        ph_node_grow_inputs (node);
      node->inputs->pdata[node->inputs->len++] = NULL;
    }
  ph_value_drop_use (node->inputs->pdata[edit->index], node, edit->index);
  node->inputs->pdata[edit->index] = value;
  ph_value_add_use (value, node, edit->index);
  if (last)
    node->inputs->len = edit->index;
}

static void
set_output (PhModel *model, const PhEdit *edit, PhId to, gboolean absent, gboolean last)
{
  PhGraph *graph = ph_model_find_graph (model, edit->graph);
  PhValue *value = to != PH_NO_ID ? ph_model_find_value (model, to) : NULL, *old;

  if (absent)
    g_ptr_array_add (graph->outputs, NULL);
  old = graph->outputs->pdata[edit->index];
  if (old != NULL)
    old->n_output_uses--;
  graph->outputs->pdata[edit->index] = value;
  if (value != NULL)
    value->n_output_uses++;
  if (last)
    g_ptr_array_set_size (graph->outputs, (int) edit->index);
}

static void
set_attr (PhModel *model, const PhEdit *edit, PhAttr *old, PhAttr *attr)
{
  PhNode *node = ph_model_find_node (model, edit->id);
  GPtrArray *shared = node->attrs;

  node->attrs = ph_attrs_new ((PhAttr *const *) shared->pdata, shared->len, attr != NULL && old == NULL);
  if (old != NULL)
    g_ptr_array_remove_index (node->attrs, edit->index);
  if (attr != NULL)
    g_ptr_array_insert (node->attrs, (int) edit->index, ph_attr_ref (attr));
  g_ptr_array_unref (shared);
}

void
ph_node_insert_control (PhNode *node, guint index, PhNode *first)
{
  if (node->control == NULL)
    node->control = g_ptr_array_new ();
  if (first->followers == NULL)
    first->followers = g_ptr_array_new ();
  g_ptr_array_insert (node->control, (int) index, first);
  g_ptr_array_add (first->followers, node);
}

static void
remove_control (PhNode *node, guint index)
{
  PhNode *first = node->control->pdata[index];

  g_ptr_array_remove_index (node->control, index);
  g_ptr_array_remove (first->followers, node);
  if (node->control->len == 0)
    g_clear_pointer (&node->control, g_ptr_array_unref);
  if (first->followers->len == 0)
    g_clear_pointer (&first->followers, g_ptr_array_unref);
}

/* Replaces a control edge. @before, @after: nodes, one of which is PH_NO_ID. */
static void
set_control (PhModel *model, const PhEdit *edit, PhId before, PhId after)
{
  PhNode *node = ph_model_find_node (model, edit->id);

  if (before != PH_NO_ID)
    remove_control (node, edit->index);
  if (after != PH_NO_ID)
    ph_node_insert_control (node, edit->index, ph_model_find_node (model, after));
}

static void
set_name (PhModel *model, const PhEdit *edit, const char *name)
{
  PhValue *value = ph_model_find_value (model, edit->id);

  ph_names_remove (ph_graph_names (value->graph), value->name);
  value->name = name;
  ph_names_set (ph_graph_names (value->graph), name, value);
}

static void
move_node (PhModel *model, const PhEdit *edit, PhId place)
{
  PhNode *node = ph_model_find_node (model, edit->id);

  unlink_node (node->graph, node);
  link_after (node->graph, node, place != PH_NO_ID ? ph_model_find_node (model, place) : NULL);
}

static void
set_opset (PhModel *model, const char *domain, gint64 version)
{
  if (version != 0)
    g_hash_table_insert (model->opsets, (gpointer) domain, GINT_TO_POINTER ((int) version));
  else
    g_hash_table_remove (model->opsets, domain);
}

/* Drops what was found out about the model as it was. */
static void
forget_found (PhModel *model, const PhEdit *edit)
{
  model->form = 0;
  if (model->program != NULL && edit->kind != PH_EDIT_SET_TYPE)
    ph_model_drop_program (model);
}

/* Does @edit, or undoes it if @back. */
static void
run_edit (PhModel *model, const PhEdit *edit, gboolean back)
{
  const guint before = back ? edit->after : edit->before, after = back ? edit->before : edit->after;
  const guint absent = back ? edit->last : edit->absent, last = back ? edit->absent : edit->last;

  forget_found (model, edit);
  switch (edit->kind)
    {
    case PH_EDIT_ADD_NODE: (back ? remove_node : add_node) (model, edit); break;
    case PH_EDIT_REMOVE_NODE: (back ? add_node : remove_node) (model, edit); break;
    case PH_EDIT_ADD_VALUE: (back ? remove_value : add_value) (model, edit); break;
    case PH_EDIT_REMOVE_VALUE: (back ? add_value : remove_value) (model, edit); break;
    case PH_EDIT_ADD_GRAPH: (back ? remove_graph : add_graph) (model, edit); break;
    case PH_EDIT_REMOVE_GRAPH: (back ? add_graph : remove_graph) (model, edit); break;
    case PH_EDIT_SET_INPUT: set_input (model, edit, after, absent, last); break;
    case PH_EDIT_SET_OUTPUT: set_output (model, edit, after, absent, last); break;
    case PH_EDIT_SET_ATTR:
      set_attr (model, edit, back ? edit->new_attr : edit->old_attr, back ? edit->old_attr : edit->new_attr);
      break;
    case PH_EDIT_SET_TYPE: ph_model_find_value (model, edit->id)->type = back ? edit->old_type : edit->new_type; break;
    case PH_EDIT_RENAME: set_name (model, edit, back ? edit->old_name : edit->new_name); break;
    case PH_EDIT_MOVE_NODE: move_node (model, edit, back ? edit->place : edit->new_place); break;
    case PH_EDIT_SET_OPSET: set_opset (model, edit->new_name, back ? edit->old_version : edit->new_version); break;
    case PH_EDIT_SET_CONTROL: set_control (model, edit, before, after); break;
    case PH_EDIT_ADD_FUNCTION: (back ? remove_function : add_function) (model, edit); break;
    case PH_EDIT_REMOVE_FUNCTION: (back ? add_function : remove_function) (model, edit); break;
    case PH_N_EDITS:
    default: g_assert_not_reached ();
    }
}

void
ph_edit_apply (PhModel *model, const PhEdit *edit)
{
  run_edit (model, edit, FALSE);
}

void
ph_edit_revert (PhModel *model, const PhEdit *edit)
{
  run_edit (model, edit, TRUE);
}

char *
ph_edit_to_string (const PhEdit *edit)
{
  /* clang-format off */
  static const char *const kinds[PH_N_EDITS] = {
    "add-node", "remove-node", "add-value", "remove-value", "add-graph", "remove-graph", "set-input",
    "set-output", "set-attr", "set-type", "rename", "move-node", "set-opset", "set-control",
    "add-function", "remove-function",
  };
  /* clang-format on */
  GString *text = g_string_new (kinds[edit->kind]);

  g_string_append_printf (text, " %u", edit->id != PH_NO_ID ? edit->id : edit->graph);
  switch (edit->kind)
    {
    case PH_EDIT_ADD_NODE:
    case PH_EDIT_REMOVE_NODE: g_string_append_printf (text, " %s", ((PhNodeRecord *) edit->spec)->op_type); break;
    case PH_EDIT_ADD_VALUE:
    case PH_EDIT_REMOVE_VALUE: g_string_append_printf (text, " '%s'", ((PhValueRecord *) edit->spec)->name); break;
    case PH_EDIT_SET_INPUT:
    case PH_EDIT_SET_OUTPUT:
    case PH_EDIT_SET_CONTROL: g_string_append_printf (text, " [%u] %u -> %u", edit->index, edit->before, edit->after); break;
    case PH_EDIT_ADD_FUNCTION:
    case PH_EDIT_REMOVE_FUNCTION: g_string_append_printf (text, " %s", ((PhFunctionRecord *) edit->spec)->name); break;
    case PH_EDIT_SET_ATTR: g_string_append_printf (text, " %s", edit->new_name); break;
    case PH_EDIT_SET_TYPE:
      {
        g_autofree char *before = ph_type_to_string (edit->old_type), *after = ph_type_to_string (edit->new_type);
        g_string_append_printf (text, " %s -> %s", before, after);
        break;
      }
    case PH_EDIT_RENAME: g_string_append_printf (text, " '%s' -> '%s'", edit->old_name, edit->new_name); break;
    case PH_EDIT_MOVE_NODE: g_string_append_printf (text, " after %u -> after %u", edit->place, edit->new_place); break;
    case PH_EDIT_SET_OPSET:
      g_string_append_printf (text, " '%s' %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT, edit->new_name, edit->old_version,
                              edit->new_version);
      break;
    case PH_EDIT_ADD_GRAPH:
    case PH_EDIT_REMOVE_GRAPH: g_string_append_printf (text, " %s of %u", edit->new_name, edit->graph); break;
    case PH_N_EDITS:
    default: g_assert_not_reached ();
    }
  return g_string_free (text, FALSE);
}
