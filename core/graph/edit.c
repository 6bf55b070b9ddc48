/* edit.c: the mutators: each checks, makes an edit, applies it and records it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/edit.h"

#include <string.h>

#include "core/graph/graph-private.h"
#include "core/graph/history.h"
#include "core/ops/op.h"

static gboolean
fail (GError **error, PhError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (GError **error, PhError code, const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, PH_ERROR, (int) code, message);
  return FALSE;
}

static void
commit (PhModel *model, PhGraph *graph, const PhEdit *template)
{
  PhEdit *edit = g_memdup2 (template, sizeof *template);

  g_atomic_ref_count_init (&edit->ref_count);
  edit->hidden = graph != NULL && ph_graph_is_fused (graph);
  ph_edit_apply (model, edit);
  if (model->journal != NULL)
    g_ptr_array_add (model->journal->edits, edit);
  else
    ph_edit_free (edit);
}

/* ── order ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhGraph    *graph;
  guint64     floor;            /* nodes before this one cannot matter             */
  GHashTable *seen;             /* nodes of the graph that were reached            */
  GPtrArray  *stack;
} Search;

static void
reach (Search *search, const PhValue *value)
{
  PhNode *node;

  if (value == NULL || value->producer == NULL || value->graph != search->graph)
    return;
  node = value->producer;
  if (node->order >= search->floor && g_hash_table_add (search->seen, node))
    g_ptr_array_add (search->stack, node);
}

static void
reach_captures (Search *search, const PhGraph *body)
{
  for (guint i = 0; i < body->outputs->len; i++)
    reach (search, body->outputs->pdata[i]);
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        reach (search, node->inputs->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        reach_captures (search, node->graphs->pdata[i]);
    }
}

/* The nodes of @value's graph that @value needs, itself included, no earlier than @floor. */
static GHashTable *
find_needed (const PhValue *value, guint64 floor)
{
  Search search = { value->graph, floor, g_hash_table_new (NULL, NULL), g_ptr_array_new () };

  reach (&search, value);
  while (search.stack->len > 0)
    {
      PhNode *node = g_ptr_array_steal_index_fast (search.stack, search.stack->len - 1);

      for (guint i = 0; i < node->inputs->len; i++)
        reach (&search, node->inputs->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        reach_captures (&search, node->graphs->pdata[i]);
    }
  g_ptr_array_unref (search.stack);
  return search.seen;
}

static void
move_after (PhNode *node, PhNode *place)
{
  commit (node->graph->model, node->graph,
          &(PhEdit) { .kind = PH_EDIT_MOVE_NODE, .id = node->id,
                      .place = node->prev != NULL ? node->prev->id : PH_NO_ID,
                      .new_place = place != NULL ? place->id : PH_NO_ID });
}

static int
by_order (gconstpointer a, gconstpointer b)
{
  const PhNode *x = *(PhNode *const *) a, *y = *(PhNode *const *) b;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Sees to it that what makes @value stands before @user, which may sit in a body below @value's graph. */
static gboolean
put_before (PhNode *user, const PhValue *value, GError **error)
{
  PhNode *node = ph_node_ancestor_in (user, value->graph);
  g_autoptr(GHashTable) needed = NULL;
  g_autoptr(GPtrArray) moving = NULL;
  GHashTableIter iter;
  gpointer key;
  PhNode *place;

  if (value->producer == NULL || value->producer->order < node->order)
    return TRUE;
  needed = find_needed (value, node->order);
  if (g_hash_table_contains (needed, node))
    {
      g_autofree char *label = ph_node_label (node);
      return fail (error, PH_ERROR_INVALID, "%s cannot use '%s', which is computed from it: that would be a cycle",
                   label, value->name);
    }
  moving = g_ptr_array_sized_new (g_hash_table_size (needed));
  g_hash_table_iter_init (&iter, needed);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (moving, key);
  g_ptr_array_sort (moving, by_order);
  place = node->prev;
  for (guint i = 0; i < moving->len; i++)
    {
      move_after (moving->pdata[i], place);
      place = moving->pdata[i];
    }
  return TRUE;
}

static gboolean
check_scope (const PhGraph *graph, const PhValue *value, const char *label, GError **error)
{
  if (value == NULL || ph_graph_is_inside (graph, value->graph))
    return TRUE;
  return fail (error, PH_ERROR_INVALID, "%s cannot use '%s', which belongs to the body '%s' that it is not in", label,
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
  const char *op_type = spec->op != NULL ? spec->op->name : spec->op_type;
  const char *domain = spec->op != NULL ? spec->op->domain : spec->domain;

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
              fail (error, PH_ERROR_INVALID, "%s cannot stand before its input '%s'", op_type, value->name);
              return NULL;
            }
        }
    }

  record = g_new0 (PhNodeRecord, 1);
  record->op_type = ph_intern (op_type);
  record->domain = ph_intern (domain != NULL ? domain : "");
  record->op = spec->op != NULL ? spec->op : ph_op_find (record->domain, record->op_type);
  record->name = ph_intern (spec->name != NULL ? spec->name : "");
  record->device = ph_intern (spec->device);
  record->role = spec->role;
  record->partner = spec->partner;
  record->extra = spec->extra != NULL ? g_bytes_ref (spec->extra) : NULL;
  record->n_inputs = spec->n_inputs;
  record->inputs = g_new (PhId, spec->n_inputs);
  for (guint i = 0; i < spec->n_inputs; i++)
    record->inputs[i] = spec->inputs[i] != NULL ? spec->inputs[i]->id : PH_NO_ID;
  record->attrs = g_ptr_array_new_full (spec->n_attrs, (GDestroyNotify) ph_attr_unref);
  for (guint i = 0; i < spec->n_attrs; i++)
    g_ptr_array_add (record->attrs, ph_attr_ref (spec->attrs[i]));
  record->n_outputs = spec->n_outputs;
  record->outputs = g_new (PhId, spec->n_outputs);
  record->output_names = g_new (const char *, spec->n_outputs);
  record->output_types = g_new0 (const PhType *, spec->n_outputs);
  record->output_extras = g_new0 (GBytes *, spec->n_outputs);
  for (guint i = 0; i < spec->n_outputs; i++)
    {
      const char *wish = spec->output_names != NULL ? spec->output_names[i] : NULL;
      const char *base = wish != NULL && *wish != '\0' ? wish : *record->name != '\0' ? record->name : op_type;

      record->outputs[i] = id + 1 + i;
      record->output_names[i] = ph_model_unique_name (model, base);
      /* Taken at once, so that the next output of this node gets another. */
      g_hash_table_insert (model->names, (gpointer) record->output_names[i], NULL);
      if (spec->output_types != NULL)
        record->output_types[i] = spec->output_types[i];
    }

  commit (model, graph, &(PhEdit) { .kind = PH_EDIT_ADD_NODE, .id = id, .graph = graph->id, .spec = record,
                                    .place = place != NULL ? place->id : PH_NO_ID });
  return ph_model_find_node (model, id);
}

static void
clear_body (PhGraph *body)
{
  PhModel *model = body->model;
  PhNode *owner = body->owner;
  guint index;

  ph_graph_truncate_outputs (body, 0, NULL);
  while (body->last != NULL)
    ph_graph_remove_node (body->last, NULL);
  while (body->constants->len > 0)
    ph_graph_remove_value (body->constants->pdata[body->constants->len - 1], NULL);
  while (body->inputs->len > 0)
    ph_graph_remove_value (body->inputs->pdata[body->inputs->len - 1], NULL);
  g_ptr_array_find (owner->graphs, body, &index);
  commit (model, owner->graph,
          &(PhEdit) { .kind = PH_EDIT_REMOVE_GRAPH, .id = body->id, .graph = owner->id, .index = index,
                      .new_name = body->attr, .old_name = body->name });
}

gboolean
ph_graph_remove_node (PhNode *node, GError **error)
{
  for (guint i = 0; i < node->outputs->len; i++)
    if (ph_value_n_uses (node->outputs->pdata[i]) > 0)
      {
        g_autofree char *label = ph_node_label (node);
        return fail (error, PH_ERROR_INVALID, "%s cannot be removed: its output '%s' is still used", label,
                     ((PhValue *) node->outputs->pdata[i])->name);
      }
  while (node->graphs != NULL && node->graphs->len > 0)
    clear_body (node->graphs->pdata[node->graphs->len - 1]);
  commit (node->graph->model, node->graph,
          &(PhEdit) { .kind = PH_EDIT_REMOVE_NODE, .id = node->id, .graph = node->graph->id,
                      .spec = ph_node_record_new (node), .place = node->prev != NULL ? node->prev->id : PH_NO_ID });
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
      fail (error, PH_ERROR_INVALID, "%s already has a graph attribute '%s'", label, attr);
      return NULL;
    }
  commit (model, node->graph,
          &(PhEdit) { .kind = PH_EDIT_ADD_GRAPH, .id = id, .graph = node->id, .new_name = ph_intern (attr),
                      .old_name = ph_intern (name != NULL ? name : attr),
                      .index = node->graphs != NULL ? node->graphs->len : 0 });
  return ph_model_find_graph (model, id);
}

/* ── values ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhValue *
add_value (PhGraph *graph, const char *name, const PhType *type, PhTensor *tensor, gboolean is_input, guint index)
{
  PhModel *model = graph->model;
  PhValueRecord *record = g_new0 (PhValueRecord, 1);
  PhId id = model->next_id;

  record->name = ph_model_unique_name (model, name != NULL ? name : is_input ? "input" : "constant");
  record->type = type;
  record->tensor = tensor != NULL ? ph_tensor_ref (tensor) : NULL;
  record->is_input = is_input;
  commit (model, graph,
          &(PhEdit) { .kind = PH_EDIT_ADD_VALUE, .id = id, .graph = graph->id, .index = index, .spec = record });
  return ph_model_find_value (model, id);
}

PhValue *
ph_graph_add_constant (PhGraph *graph, const char *name, PhTensor *tensor, GError **error)
{
  return add_value (graph, name, ph_type_of_tensor (tensor), tensor, FALSE, graph->constants->len);
}

PhValue *
ph_graph_add_input (PhGraph *graph, const char *name, const PhType *type, PhTensor *tensor, guint index, GError **error)
{
  if (tensor != NULL && type != NULL && !ph_type_fits (type, tensor))
    {
      g_autofree char *declared = ph_type_to_string (type), *given = ph_type_to_string (ph_type_of_tensor (tensor));
      fail (error, PH_ERROR_TYPE, "input '%s' is declared as %s, its default is %s", name, declared, given);
      return NULL;
    }
  return add_value (graph, name, type, tensor, TRUE, MIN (index, graph->inputs->len));
}

gboolean
ph_graph_remove_value (PhValue *value, GError **error)
{
  PhGraph *graph = value->graph;
  guint index = value->place;

  g_return_val_if_fail (value->producer == NULL, FALSE);
  if (ph_value_n_uses (value) > 0)
    return fail (error, PH_ERROR_INVALID, "'%s' cannot be removed: it is still used", value->name);
  if (value->is_input)
    g_ptr_array_find (graph->inputs, value, &index);
  commit (graph->model, graph,
          &(PhEdit) { .kind = PH_EDIT_REMOVE_VALUE, .id = value->id, .graph = graph->id, .index = index,
                      .spec = ph_value_record_new (value) });
  return TRUE;
}

/* ── inputs and outputs ─────────────────────────────────────────────────────────────────────────────────────────── */

static void
commit_input (PhNode *node, guint index, PhValue *value, gboolean absent, gboolean last)
{
  const PhValue *old = ph_node_input (node, index);

  commit (node->graph->model, node->graph,
          &(PhEdit) { .kind = PH_EDIT_SET_INPUT, .id = node->id, .index = index, .absent = absent, .last = last,
                      .before = old != NULL ? old->id : PH_NO_ID, .after = value != NULL ? value->id : PH_NO_ID });
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
      if (!put_before (node, value, error))
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

  commit (graph->model, graph,
          &(PhEdit) { .kind = PH_EDIT_SET_OUTPUT, .graph = graph->id, .index = index, .absent = absent, .last = last,
                      .before = old != NULL ? old->id : PH_NO_ID, .after = value != NULL ? value->id : PH_NO_ID });
}

gboolean
ph_graph_set_output (PhGraph *graph, guint index, PhValue *value, GError **error)
{
  g_return_val_if_fail (index <= graph->outputs->len && value != NULL, FALSE);

  if (!check_scope (graph, value, "the graph", error))
    return FALSE;
  if (value->graph != graph && !put_before (graph->owner, value, error))
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
  commit (node->graph->model, node->graph,
          &(PhEdit) { .kind = PH_EDIT_SET_ATTR, .id = node->id, .index = index, .new_name = ph_intern (name),
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
      return fail (error, PH_ERROR_TYPE, "'%s' has a tensor that is not %s", value->name, wish);
    }
  commit (value->graph->model, value->graph,
          &(PhEdit) { .kind = PH_EDIT_SET_TYPE, .id = value->id, .old_type = value->type, .new_type = type });
  return TRUE;
}

gboolean
ph_value_rename (PhValue *value, const char *name, GError **error)
{
  PhModel *model = value->graph->model;
  const char *interned = ph_intern (name);

  if (value->name == interned)
    return TRUE;
  if (*name == '\0' || g_hash_table_contains (model->names, interned))
    return fail (error, PH_ERROR_INVALID, "'%s' cannot be renamed: the name '%s' is taken", value->name, name);
  commit (model, value->graph,
          &(PhEdit) { .kind = PH_EDIT_RENAME, .id = value->id, .old_name = value->name, .new_name = interned });
  return TRUE;
}

/* Whether a body of @node, at any depth, hands @value out as it is. */
static gboolean
hands_out (const PhNode *node, const PhValue *value)
{
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      if (g_ptr_array_find (body->outputs, value, NULL))
        return TRUE;
      PH_FOREACH_NODE (inner, body)
        if (hands_out (inner, value))
          return TRUE;
    }
  return FALSE;
}

/* Whether @node or a body of it uses a value that @producer makes. */
static gboolean
uses_output_of (PhNode *node, const PhNode *producer)
{
  for (guint i = 0; i < producer->outputs->len; i++)
    {
      const PhValue *value = producer->outputs->pdata[i];
      for (guint k = 0; k < value->uses->len; k++)
        if (ph_node_ancestor_in (g_array_index (value->uses, PhUse, k).node, producer->graph) == node)
          return TRUE;
      if (value->n_output_uses > 0 && hands_out (node, value))
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_node_move_before (PhNode *node, PhNode *before, GError **error)
{
  PhNode *place = before != NULL ? before->prev : node->graph->last;
  gboolean forward = before == NULL || before->order > node->order;

  g_return_val_if_fail (before == NULL || before->graph == node->graph, FALSE);
  if (node == before || place == node)
    return TRUE;
  for (PhNode *crossed = forward ? node->next : before; crossed != (forward ? before : node); crossed = crossed->next)
    if (uses_output_of (forward ? crossed : node, forward ? node : crossed))
      {
        g_autofree char *moved = ph_node_label (node), *label = ph_node_label (crossed);
        return fail (error, PH_ERROR_INVALID, "%s cannot move past %s: one needs the other", moved, label);
      }
  move_after (node, place);
  return TRUE;
}

void
ph_model_set_opset (PhModel *model, const char *domain, int version)
{
  int old = ph_model_opset (model, domain);

  if (old != version)
    commit (model, NULL, &(PhEdit) { .kind = PH_EDIT_SET_OPSET, .new_name = ph_intern (domain),
                                     .old_version = old, .new_version = version });
}

/* ── replacing and removing ─────────────────────────────────────────────────────────────────────────────────────── */

/* Bodies below @old's graph that hand it out as it is. */
static gboolean
replace_captured_outputs (PhValue *old, PhValue *value, GHashTable *below, GError **error)
{
  PhModel *model = old->graph->model;

  for (PhId id = 1; id < model->next_id && old->n_output_uses > 0; id++)
    {
      PhGraph *body = g_ptr_array_index (model->graphs, id);
      PhNode *user = body != NULL && body != old->graph ? ph_node_ancestor_in (body->owner, value->graph) : NULL;

      if (user == NULL || (below != NULL && g_hash_table_contains (below, user)))
        continue;
      for (guint i = 0; i < body->outputs->len; i++)
        if (body->outputs->pdata[i] == old && !ph_graph_set_output (body, i, value, error))
          return FALSE;
    }
  return TRUE;
}

/* Points the graph outputs that are @old at @value, and lets @value carry the name that callers know. */
static gboolean
replace_outputs (PhValue *old, PhValue *value, GError **error)
{
  PhGraph *graph = old->graph;
  gboolean interface = graph->owner == NULL;

  if (!g_ptr_array_find (graph->outputs, old, NULL))
    return TRUE;
  if (interface && (value->graph != graph || value->is_input || g_ptr_array_find (graph->outputs, value, NULL)))
    return fail (error, PH_ERROR_INVALID,
                 "'%s' is an output of the graph and '%s' is part of its interface too: both names must stay",
                 old->name, value->name);
  for (guint i = 0; i < graph->outputs->len; i++)
    if (graph->outputs->pdata[i] == old && !ph_graph_set_output (graph, i, value, error))
      return FALSE;
  if (interface)
    {
      const char *name = old->name;
      ph_value_rename (old, ph_model_unique_name (graph->model, name), NULL);
      ph_value_rename (value, name, NULL);
    }
  return TRUE;
}

gboolean
ph_value_replace_uses (PhValue *old, PhValue *value, GError **error)
{
  g_autoptr(GHashTable) below = NULL;
  g_autoptr(GArray) uses = NULL;

  g_return_val_if_fail (old != value, FALSE);
  if (old->type != NULL && value->type != NULL && ph_type_merge (old->type, value->type) == NULL)
    {
      g_autofree char *before = ph_type_to_string (old->type), *after = ph_type_to_string (value->type);
      return fail (error, PH_ERROR_TYPE, "'%s' is %s and cannot be replaced by '%s', which is %s", old->name, before,
                   value->name, after);
    }

  /* Only users that stand before the new value can be what it is made from. */
  if (value->producer != NULL && ph_value_n_uses (old) > 0)
    {
      guint64 floor = old->producer != NULL && old->graph == value->graph ? old->producer->order : 0;
      below = find_needed (value, floor);
    }
  uses = g_array_copy (old->uses);
  for (guint i = 0; i < uses->len; i++)
    {
      const PhUse *use = &g_array_index (uses, PhUse, i);
      PhNode *user = ph_node_ancestor_in (use->node, value->graph);

      if (user == NULL || (below != NULL && g_hash_table_contains (below, user)))
        continue;
      if (!ph_node_set_input (use->node, use->index, value, error))
        return FALSE;
    }
  if (old->n_output_uses == 0)
    return TRUE;
  return replace_captured_outputs (old, value, below, error) && replace_outputs (old, value, error);
}

static void
push_producers (GPtrArray *stack, const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      g_ptr_array_add (stack, node->inputs->pdata[i]);
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      for (guint k = 0; k < body->outputs->len; k++)
        if (((PhValue *) body->outputs->pdata[k])->graph != body)
          g_ptr_array_add (stack, body->outputs->pdata[k]);
      PH_FOREACH_NODE (inner, body)
        push_producers (stack, inner);
    }
}

guint
ph_graph_remove_dead (PhNode *root)
{
  PhModel *model = root->graph->model;
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (PhId));   /* values, by id: they may be gone by then */
  g_autoptr(GPtrArray) operands = g_ptr_array_new ();
  PhNode *node = root;
  guint n = 0;

  for (;;)
    {
      gboolean dead = node != NULL;

      for (guint i = 0; dead && i < node->outputs->len; i++)
        dead = ph_value_n_uses (node->outputs->pdata[i]) == 0;
      if (dead)
        {
          g_ptr_array_set_size (operands, 0);
          push_producers (operands, node);
          for (guint i = 0; i < operands->len; i++)
            g_array_append_val (stack, ((PhValue *) operands->pdata[i])->id);
          ph_graph_remove_node (node, NULL);
          n++;
        }

      /* The next value that lost a user: its producer may be dead now, or itself, if it is a constant. */
      for (node = NULL; node == NULL && stack->len > 0; )
        {
          PhValue *value = ph_model_find_value (model, g_array_index (stack, PhId, stack->len - 1));

          g_array_set_size (stack, stack->len - 1);
          if (value == NULL || ph_value_n_uses (value) > 0)
            continue;
          if (value->producer != NULL)
            node = value->producer;
          else if (!value->is_input)
            ph_graph_remove_value (value, NULL);
        }
      if (node == NULL)
        return n;
    }
}
